"""The rows of one shoe as the sources have them, before anything is made of them."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

SHOE_KEY = ["table_id", "shoe"]
ROUND_KEY = [*SHOE_KEY, "round"]
"""The columns by which rows of all logs are joined."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Which row of which file."""

    source: str
    row: int

    @property
    def file(self) -> str:
        """The name of the file, wherever it lies."""
        return Path(self.source).name


NOWHERE = Origin("", 0)
STORED = "what is stored already"
"""The source of rows that an earlier run left of a shoe."""


@dataclass(frozen=True, slots=True)
class CardRow:
    """A row of a card log. Empty: the device does not know the round, or the hand."""

    round: int | None
    seq: int
    card: str
    hand: str | None
    ts: datetime
    confidence: float = 1.0
    alternatives: str = ""
    at_s: float | None = None
    footage: str | None = None
    doubt: str = ""
    """Why the round it lies in cannot be relied on, though it may be read well."""
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class WagerRow:
    """A row of a bet ledger; amounts in cents."""

    round: int | None
    bettor: str
    wager: str
    stake: int
    net: int | None
    box: int | None = None
    hand: str | None = None
    placed_at: datetime | None = None
    settled_at: datetime | None = None
    on_behalf_of: str | None = None
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class CallRow:
    """A row of a call log; those of the shoe at large name no round."""

    ts: datetime
    call: str
    round: int | None = None
    hand: str | None = None
    bettor: str = ""
    value: str = ""
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class LostRow:
    """What a row that cannot be used still tells of where it belongs; empty: it does not tell."""

    is_card: bool
    why: str
    """Which row of which file it is, and why it cannot be used."""
    source: str
    round: int | None = None
    seq: int | None = None
    first: datetime | None = None
    last: datetime | None = None
    """From when to when it was: the same moment, but for wagers."""
    beside: frozenset[int] | None = None
    """The cards, by `seq`, that it lies among in a log that was put together out of several."""


@dataclass(frozen=True, slots=True)
class ShoeRows:
    """Everything that the sources say about one shoe of one table."""

    table_id: str
    shoe: str
    cards: tuple[CardRow, ...]
    wagers: tuple[WagerRow, ...] = ()
    calls: tuple[CallRow, ...] = ()
    lost: tuple[LostRow, ...] = ()
