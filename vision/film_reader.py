"""Film of a table becomes rounds of cards: the stage end to end.

Frames are decoded, and those worth reading chosen, in a thread of its own ahead of the card reader,
so that both have a processor. Nothing is kept but the cards that lie on the table now: a film can
be of any length.
"""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from queue import Empty, Full, Queue
from typing import TYPE_CHECKING, Final, Protocol

from vision.camera_watch import CameraWatch
from vision.film_rounds import RoundReader
from vision.frames import Frame
from vision.glances import middle, within
from vision.look_reading import glance_of
from vision.stillness import Look, looks

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from vision.card_reader import Box
    from vision.film_rounds import ReadCard, ReadRound
    from vision.footage import Footage
    from vision.look_reading import PictureReader
    from vision.shoe_composition import ShoeComposition
    from vision.split_hands import SplitSeen
    from vision.table_zones import Zones

AHEAD: Final = 12
"""Pictures that may wait to be read; each is a whole decoded frame."""
STRETCH_S: Final = 300.0
"""After so many seconds what lies still is looked at anew, as if the film began there: reading can
go on from there and comes to the same."""
SAID_EVERY_S: Final = 1.0
"""Seconds of film after which it is said how far it is, though nothing was to be read."""
DOUBTED: Final = 0.5
"""How sure a card is at most in a round that may not have been seen whole."""
FEWEST_DOUBTED: Final = 4
"""A round in doubt that shows fewer cards is left out: what little is there proves nothing."""
_AT_ONCE_S: Final = 0.3  # a card that lies there so soon lay there before the film began
_UNNOTICED_S: Final = 1.0  # trouble may have begun so long before it was looked for
_ABSENT_LOOKS: Final = 2  # after which a card is known to be gone
_LOOKS_KEPT: Final = 400
_SEEN_BARE_S: Final = 2.0  # the places of a round must be seen for so long before it begins
_BEGINNING_S: Final = 15.0  # in which it is learnt what the camera showed at first
_HOLE_S: Final = 2.5  # so long without a frame, where they came faster, a card may be missed
_HOLE_TIMES: Final = 5.0
_LEARNING: Final = 0.1
_HOLES_KEPT: Final = 100
_WAIT_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class RoundRead:
    """A round as the film shows it."""

    number: int
    cards: tuple[ReadCard, ...]
    splits: tuple[SplitSeen, ...]
    start_s: float
    end_s: float
    doubts: tuple[str, ...] = ()
    """Why it may not have been seen whole, a sentence each; then no card of it is sure."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Seconds in which the table was not seen, or not as it was calibrated."""

    at_s: float
    until_s: float | None
    """None: it is not over yet."""
    text: str

    def during(self, start_s: float, end_s: float) -> bool:
        """Whether it may have fallen into this time."""
        began_s = self.at_s - _UNNOTICED_S
        return began_s <= end_s and (self.until_s is None or self.until_s >= start_s)


class Listener(Protocol):
    """Somebody who wants to know how far it is, and what happened to the camera."""

    def read_until(self, at_s: float) -> None:
        """All before this second was read."""

    def happened(self, trouble: Trouble) -> None:
        """Something befell the camera, or frames are missing; said again when it is over."""

    def left_out(self, seen: RoundRead) -> None:
        """A round in doubt shows too few cards."""


class Unheard:
    """Nobody listens."""

    def read_until(self, at_s: float) -> None: ...
    def happened(self, trouble: Trouble) -> None: ...
    def left_out(self, seen: RoundRead) -> None: ...


@dataclass(frozen=True, slots=True)
class ShoeSoFar:
    """What was read of a shoe before: where numbers go on, and which cards are gone."""

    composition: ShoeComposition
    next_round: int = 1
    next_seq: int = 1
    done_s: float = float("-inf")
    """Rounds that were over by then are known already."""


def read_film(
    footage: Footage,
    zones: Zones,
    reader: PictureReader,
    *,
    shoe: ShoeSoFar,
    from_s: float = 0.0,
    to_s: float | None = None,
    beginning_s: float | None = None,
    tell: Listener | None = None,
) -> Generator[RoundRead]:
    """Give the rounds of a film one by one, each as soon as its cards were cleared away.

    What the camera should show is learnt at `beginning_s`, where the film was read from at first.
    After the last round, `footage.problem` says why the film ended before its end, if it did.
    """
    reading = _Reading(zones.scaled_to(footage.size), shoe, tell or Unheard())
    wanted = _Wanted(footage, reading.zones, from_s, to_s, beginning_s)
    with _ahead(wanted) as coming:
        for item in coming:
            if isinstance(item, Look):
                yield from reading.see(item, reader)
            elif isinstance(item, float):
                reading.until(item)
            elif isinstance(item, tuple):
                reading.note(item)
            else:
                yield from reading.see_last(item, reader)
    yield from reading.finish()


class _Reading:
    """What is known while a film is read."""

    def __init__(self, zones: Zones, shoe: ShoeSoFar, tell: Listener) -> None:
        self.zones = zones
        self._tell = tell
        self._rounds = RoundReader(zones, shoe.composition.decks, composition=shoe.composition)
        self._round = shoe.next_round
        self._seq = shoe.next_seq
        self._done_s = shoe.done_s
        self._dealt_before = shoe.composition.dealt.copy()
        self._looks: deque[tuple[float, tuple[Box, ...]]] = deque(maxlen=_LOOKS_KEPT)
        self._began_s: float | None = None
        self._any = shoe.next_round > 1
        self._cleared = False
        self._troubles: tuple[Trouble, ...] = ()

    def see(self, look: Look, reader: PictureReader) -> Iterator[RoundRead]:
        self._note_look(look)
        for one in self._rounds.see(glance_of(look, reader)):
            yield from self._kept(one)
        self._tell.read_until(look.frame.at_s)

    def _note_look(self, look: Look) -> None:
        if self._began_s is None:
            self._began_s = look.frame.at_s
        self._looks.append((look.frame.at_s, look.areas))

    def note(self, troubles: tuple[Trouble, ...]) -> None:
        for trouble in troubles:
            if trouble not in self._troubles:
                self._tell.happened(trouble)
        self._troubles = troubles

    def until(self, at_s: float) -> None:
        self._tell.read_until(at_s)

    def see_last(self, frame: Frame, reader: PictureReader) -> Iterator[RoundRead]:
        """Look at all of the last frame: whether the table was cleared by then."""
        width, height = self.zones.frame
        look = Look(frame, ((0.0, 0.0, float(width), float(height)),), ())
        self._note_look(look)
        glance = glance_of(look, reader)
        told = glance.reading
        boxes = [card.box for card in told.cards]
        doubtful = [index.box for index in told.unreadable] + [back.box for back in told.backs]
        boxes += [box for box in doubtful if not self._rounds.is_print(box)]
        hands = [self.zones.hand_at(*middle(box)) for box in boxes]
        self._cleared = not any(hand in self.zones.hands for hand in hands)
        for one in self._rounds.see(glance):
            yield from self._kept(one)
        self._tell.read_until(frame.at_s)

    def finish(self) -> Iterator[RoundRead]:
        left = () if self._cleared else ("the film ended before its cards were cleared away",)
        for one in self._rounds.finish():
            yield from self._kept(one, *left)

    def _kept(self, one: ReadRound, *doubts: str) -> Iterator[RoundRead]:
        """Give a round its number and its doubts, unless too little of it was seen."""
        if (one.start_s + one.end_s) / 2 <= self._done_s:
            # It is known already, and so are its cards.
            self._rounds.composition.dealt = self._dealt_before.copy()
            return
        doubts = (*doubts, *self._doubts(one))
        surest = DOUBTED if doubts else 1.0
        cards = tuple(
            replace(card, round=self._round, seq=seq, confidence=min(card.confidence, surest))
            for seq, card in enumerate(one.cards, self._seq)
        )
        seen = RoundRead(
            self._round,
            cards,
            one.splits,
            one.start_s,
            one.end_s,
            doubts,
        )
        if doubts and len(cards) < FEWEST_DOUBTED:
            self._tell.left_out(seen)
            if not self._any:
                return
        else:
            self._any = True
            yield seen
        self._round += 1
        self._seq += len(cards)

    def _doubts(self, one: ReadRound) -> Iterator[str]:
        if self._began_s is not None and one.start_s < self._began_s + _AT_ONCE_S:
            yield "its first cards lay there before the film began"
        cleared_s = max((self._known_gone_s(card) for card in one.cards), default=one.end_s)
        for trouble in self._troubles:
            if trouble.during(one.start_s, cleared_s):
                yield trouble.text
        for card in one.cards:
            if card.hardly:
                yield f"what lies in {card.hand} at {card.laid_s:.1f} s may be no card"
        for place in one.perhaps:
            yield f"what lies in {place.hand} at {place.start_s:.1f} s may be an unread card"

    def _known_gone_s(self, card: ReadCard) -> float:
        """When its place was seen without it; until then another card may have been laid unseen."""
        x, y = middle(card.box)
        bare = [at_s for at_s, areas in self._looks if at_s > card.gone_s and within(x, y, areas)]
        if len(bare) >= _ABSENT_LOOKS:
            return bare[_ABSENT_LOOKS - 1]
        return self._looks[-1][0] if self._looks else card.gone_s


# Decoding ahead


_Item = Look | float | tuple[Trouble, ...] | Frame
"""What is to be read, the second that decoding has reached, all that went wrong so far, or the last
frame."""


class _NobodyWaits(Exception):
    """Whoever read the film has stopped."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is decoded of a film, and before which zones."""

    footage: Footage
    zones: Zones
    from_s: float
    to_s: float | None
    beginning_s: float | None

    def watch(self) -> CameraWatch:
        """Somebody who knows what the camera showed at first, though that is not read again."""
        watch = CameraWatch(self.zones)
        began_s = self.beginning_s
        if began_s is not None and began_s < self.from_s:
            until_s = min(began_s + _BEGINNING_S, self.from_s)
            with closing(_as_generator(self.footage.frames(began_s, until_s))) as frames:
                watch.remember(frames)
        return watch


@contextmanager
def _ahead(wanted: _Wanted) -> Iterator[Iterator[_Item]]:
    """Decode and choose in a thread, a little ahead of whoever takes what was chosen."""
    line = _Line()
    with ThreadPoolExecutor(1, "decoding") as pool:
        work = pool.submit(_decode, wanted, line)
        try:
            yield line.items(work)
        finally:
            line.left.set()


def _decode(wanted: _Wanted, line: _Line) -> None:
    watch = wanted.watch()
    frames = _as_generator(wanted.footage.frames(wanted.from_s, wanted.to_s))
    with closing(frames):
        try:
            for _, stretch in groupby(line.watched(frames, watch), _stretch):
                for look in looks(stretch, wanted.zones):
                    line.put(look)
            if line.last is not None:
                line.put(line.last)
        except _NobodyWaits:
            return


def _stretch(frame: Frame) -> int:
    return int(frame.at_s // STRETCH_S)


def stretch_before(at_s: float) -> float:
    """The last second from which reading can go on, so that from this one on it is the same."""
    return max(0.0, (at_s - _SEEN_BARE_S) // STRETCH_S * STRETCH_S)


def _as_generator(frames: Iterator[Frame]) -> Generator[Frame]:
    yield from frames


class _Line:
    """What was decoded and waits to be read; whoever fills it waits while it is full."""

    def __init__(self) -> None:
        self._items: Queue[_Item] = Queue(AHEAD)
        self.left = threading.Event()
        self.last: Frame | None = None
        """The last frame that was decoded."""

    def put(self, item: _Item) -> None:
        while not self.left.is_set():
            try:
                self._items.put(item, timeout=_WAIT_S)
            except Full:
                continue
            return
        raise _NobodyWaits

    def items(self, work: Future[None]) -> Iterator[_Item]:
        while True:
            try:
                yield self._items.get(timeout=_WAIT_S)
            except Empty:
                if work.done() and self._items.empty():
                    break
        work.result()

    def watched(self, frames: Iterable[Frame], watch: CameraWatch) -> Iterator[Frame]:
        """Let frames through, and tell how far they are and what is wrong with them.

        What is wrong comes before the frame in which it shows: a round that is over by then is in
        doubt already.
        """
        holes = _Holes()
        said_s = float("-inf")
        told = (watch.events, holes.found)
        for frame in watch.watching(frames):
            holes.see(frame.at_s)
            self.last = frame
            if (watch.events, holes.found) != told:
                told = (watch.events, holes.found)
                noticed = (Trouble(each.at_s, each.until_s, each.text) for each in watch.events)
                self.put((*noticed, *holes.found))
            yield frame
            if frame.at_s - said_s >= SAID_EVERY_S:
                said_s = frame.at_s
                self.put(said_s)


class _Holes:
    """Long times without a frame, in a film in which they come faster."""

    def __init__(self) -> None:
        self.found: tuple[Trouble, ...] = ()
        self._last_s: float | None = None
        self._usual_s: float | None = None

    def see(self, at_s: float) -> None:
        last_s, usual_s = self._last_s, self._usual_s
        self._last_s = at_s
        if last_s is None:
            return
        gap_s = at_s - last_s
        if usual_s is not None and gap_s > max(_HOLE_S, _HOLE_TIMES * usual_s):
            text = f"frames are missing from {last_s:.1f} to {at_s:.1f} s"
            self.found = (*self.found, Trouble(last_s, at_s, text))[-_HOLES_KEPT:]
        self._usual_s = gap_s if usual_s is None else usual_s + _LEARNING * (gap_s - usual_s)
