"""What passes between the audit and whoever reads films: only the command line knows both.

Films become card logs before the audit begins. Afterwards, what was found in rounds that were
filmed is handed back, to be shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class KnownShoe:
    """A shoe of which other inputs tell, with their first and last time if they have any."""

    table_id: str
    shoe: str
    first: datetime | None = None
    last: datetime | None = None


@dataclass(frozen=True, slots=True)
class FilmsWanted:
    """Films among the inputs of an audit, and what the other inputs say of them."""

    films: tuple[Path | str, ...]
    sheets: tuple[Path, ...]
    table: Path | None
    """The sheet that was named for the films."""
    shoes: tuple[KnownShoe, ...]
    folder: Path
    """Where card logs of films are kept."""
    models: Path | None = None
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class FilmRead:
    """A film, or several that are of one shoe, as a card log."""

    films: tuple[Path | str, ...]
    log: Path
    shoe: str
    rounds: int
    cards: int
    unsure: int
    remarks: tuple[str, ...] = ()
    """What a person should know of it, a sentence each."""


@dataclass(frozen=True, slots=True)
class FilmedCard:
    """A card of a round, and where it is to be seen."""

    seq: int
    card: str
    hand: str
    confidence: float
    footage: str
    at_s: float
    concerned: bool
    """Whether the finding is about this very card."""


@dataclass(frozen=True, slots=True)
class FilmedFinding:
    """Something that was found in a round that a camera saw."""

    finding_id: str
    code: str
    severity: str
    table_id: str
    shoe: str
    round: int | None
    ts: datetime | None
    sentence: str
    cards: tuple[FilmedCard, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """The files that show a finding; None and a sentence where they could not be made."""

    finding: FilmedFinding
    still: Path | None
    clip: Path | None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class FilmNotRead:
    """A film of which no card log could be made."""

    film: Path | str
    why: str


class FilmStage(Protocol):
    """Reads films, and shows what was found in them."""

    def read(self, wanted: FilmsWanted) -> tuple[FilmRead | FilmNotRead, ...]:
        """Make a card log of each film; one that was read before is not read again."""

    def show(
        self, findings: Sequence[FilmedFinding], films: Sequence[FilmRead], folder: Path
    ) -> tuple[Shown, ...]:
        """Cut a still and a clip for each finding; what cannot be made is said."""
