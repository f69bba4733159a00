"""A film read into its card log: opened, gone on with where it was broken off, and closed."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.card_log import ROUNDS_BACK, CardLog, Names
from vision.card_reader import load_card_reader
from vision.cards import CARDS
from vision.film_parts import identity_of, open_film
from vision.film_reader import ShoeSoFar, read_film, stretch_before
from vision.model_files import THREADS, load_model_files
from vision.shoe_composition import ShoeComposition

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from vision.card_log import Progress
    from vision.film_reader import Listener, RoundRead, Trouble
    from vision.filmed_table import FilmedTable
    from vision.footage import Footage
    from vision.frames import Frame
    from vision.look_reading import PictureReader

WAY_OF_READING: Final = 5
"""Raised whenever the same film would be read otherwise, so that no old log is taken for it."""

SURELY_AN_INDEX: Final = 0.3
"""The least score of a find in a film. Cards are seen again and again, and so is print on cloth:
what may be missed in one frame does less harm than what is taken for an index in all of them."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A card reader, and what tells its weights from others."""

    reader: PictureReader
    digest: str


@dataclass(frozen=True, slots=True)
class FilmOrder:
    """What is to be read, and how it is to be called."""

    sources: tuple[str | Path, ...]
    table: FilmedTable
    shoe: str
    start: datetime
    first_round: int = 1
    from_s: float = 0.0
    to_s: float | None = None
    start_by_clock: bool = False
    """Whether the start is only when somebody asked; a log that was begun before knows better."""


def load_weights(folder: Path | None, threads: int = THREADS) -> Weights:
    """Load the networks that read cards; each reading may use so many processors."""
    files = load_model_files(folder)
    digest = "-".join(part.sha256[:12] for _, part in files.parts)
    reader = load_card_reader(folder, threads, least_score=SURELY_AN_INDEX)
    return Weights(reader, digest)


class FilmLog:
    """A film that is read into a log; what was read before is not read again."""

    def __init__(self, order: FilmOrder, weights: str, path: Path, *, again: bool = False) -> None:
        """Open the film and its log."""
        self._order = order
        self.footage: Footage
        self.footage, self.parts = open_film(order.sources)
        names = Names(order.table.table_id, order.shoe, order.first_round, order.start)
        self.log = CardLog.opened(
            path,
            self._film(weights),
            names,
            self.parts,
            again=again,
            keeps_start=order.start_by_clock,
        )
        if self.is_live and self.progress.rounds:
            later_s = (order.start - self.log.names.start).total_seconds()
            self.footage = _Later(self.footage, max(later_s, self.progress.done_s))
            self.log.go_on()

    @property
    def is_live(self) -> bool:
        """Whether it goes on for as long as somebody watches: then nothing of it can be reread."""
        return self.footage.length_s is None and any(
            isinstance(source, str) for source in self._order.sources
        )

    @property
    def progress(self) -> Progress:
        """How far it is read, and what is to be said of it."""
        return self.log.progress

    @property
    def files(self) -> dict[str, Path]:
        """The files of the film by the names that its log calls them; a stream is none."""
        named = zip(self.parts, self._order.sources, strict=True)
        return {part.name: source for part, source in named if not isinstance(source, str)}

    @property
    def begins_s(self) -> float:
        """The second from which it is read now."""
        if isinstance(self.footage, _Later):
            return self.footage.by_s
        begun = self.progress.begun_s
        if len(begun) < ROUNDS_BACK:
            return self._order.from_s
        return max(self._order.from_s, stretch_before(begun[0]))

    @property
    def ends_s(self) -> float | None:
        """The second at which it is done, if that is known."""
        ends = [end for end in (self._order.to_s, self.footage.length_s) if end is not None]
        return min(ends) if ends else None

    def read(self, reader: PictureReader, tell: Listener) -> None:
        """Read what is not in the log yet, round by round."""
        if self.progress.finished:
            return
        listener = _Remarks(self.log, tell)
        shoe = self._shoe_so_far()
        rounds = read_film(
            self.footage,
            self._order.table.zones,
            reader,
            shoe=shoe,
            from_s=self.begins_s,
            to_s=self._order.to_s,
            beginning_s=None if self.is_live else self._order.from_s,
            tell=listener,
        )
        with closing(rounds):
            for seen in rounds:
                number = seen.number + self._order.first_round - 1
                for doubt in seen.doubts:
                    listener.doubt(doubt, number)
                self.log.add(seen, shoe.composition.dealt.tolist())
        for text in listener.not_over.values():
            self.log.remark(text)
        self.close()

    def close(self) -> None:
        """Note that the film is over, or that no more of it is wanted."""
        for note in self.footage.notes:
            self.log.remark(note)
        self.log.finish(self.footage.problem)

    def _film(self, weights: str) -> dict[str, str | int | float | None]:
        identities = [
            identity_of(source, part.name)
            for source, part in zip(self._order.sources, self.parts, strict=True)
        ]
        return {
            "footage": "; ".join(part.name for part in self.parts),
            "content": "; ".join(identities),
            "zones_and_decks": self._order.table.digest,
            "from": self._order.from_s,
            "to": self._order.to_s,
            "weights": weights,
            "version": f"{version('catwalk')} {WAY_OF_READING}",
        }

    def _shoe_so_far(self) -> ShoeSoFar:
        """What the log tells of the shoe; its last rounds are read once more, to be passed over."""
        composition = ShoeComposition(self._order.table.decks)
        if not self.progress.rounds:
            return ShoeSoFar(composition)
        if len(self.progress.dealt) == len(CARDS):
            composition.dealt = np.array(self.progress.dealt)
        return ShoeSoFar(
            composition, self.progress.next_round, self.progress.next_seq, self.progress.done_s
        )


@dataclass(slots=True)
class _Later:
    """A live stream that was watched before: its seconds go on from when that began."""

    footage: Footage
    by_s: float

    @property
    def name(self) -> str:
        return self.footage.name

    @property
    def size(self) -> tuple[int, int]:
        return self.footage.size

    @property
    def length_s(self) -> float | None:
        return None

    @property
    def problem(self) -> str | None:
        return self.footage.problem

    @property
    def notes(self) -> tuple[str, ...]:
        return self.footage.notes

    def frames(self, from_s: float = 0.0, to_s: float | None = None) -> Iterator[Frame]:
        until_s = None if to_s is None else to_s - self.by_s
        for frame in self.footage.frames(max(0.0, from_s - self.by_s), until_s):
            yield replace(frame, at_s=frame.at_s + self.by_s)


@dataclass(frozen=True, slots=True)
class _Remarks:
    """Keeps in the log what happens, and passes it on."""

    log: CardLog
    tell: Listener
    not_over: dict[float, str] = field(default_factory=dict)
    doubts: set[str] = field(default_factory=set)

    def doubt(self, why: str, number: int) -> None:
        """Keep why a round is in doubt; of many for one reason, the first."""
        if why not in self.doubts:
            self.doubts.add(why)
            self.log.remark(f"round {number}: {why}")

    def read_until(self, at_s: float) -> None:
        self.tell.read_until(at_s)

    def happened(self, trouble: Trouble) -> None:
        if trouble.until_s is None:
            self.not_over[trouble.at_s] = trouble.text
        else:
            self.not_over.pop(trouble.at_s, None)
            self.log.remark(trouble.text)
        self.tell.happened(trouble)

    def left_out(self, seen: RoundRead) -> None:
        cards = "1 card" if len(seen.cards) == 1 else f"{len(seen.cards)} cards"
        why = "; ".join(seen.doubts)
        self.log.remark(
            f"at {seen.start_s:.1f} s: {cards} left out, which may be part of a round: {why}",
            left_out=1,
        )
        self.tell.left_out(seen)
