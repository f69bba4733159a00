"""Where indexes and backs lie, glance after glance: each seen again at the same place is the same.

Nothing here knows which indexes are of one card. A spot begins when it is first seen and is gone
when what its place shows was read and it was not there, more than once; until then it may be
covered by a hand or missed. Seen again at its place it goes on.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.card_shape import IndexPose
from vision.glances import middle, within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from vision.card_reader import BackSeen, Box, IndexSeen
    from vision.glances import Glance

COUNT: Final = 52
MOST_GROWN: Final = 1.25
"""How many times as large a back that lay still may turn out to be: boxes are not found exactly."""
FLOOR: Final = 1e-3
"""What one spot leaves to every card, for its reading may be wrong however sure it seems."""
SAME_PLACE: Final = 0.5
"""How far an index may be seen from its spot, in widths and heights of its box."""
SURE: Final = 0.6
"""A reading that is less sure conflicts with none."""
QUITE_SURE: Final = 0.9
"""Readings that are surer than this and differ are of two cards, even if no hand was seen there."""
UNLIKE: Final = 0.2
"""Readings that are less likely of one card than this, by as likely as of any two, conflict."""
TURNED: Final = 40.0
"""An index that leans otherwise by so many degrees is another one, or its lean was misjudged."""
ABSENT_LOOKS: Final = 2
ABSENT_FOR: Final = 0.25
"""A spot is gone when it was not there in so many looks, over at least so many seconds."""
LEFT_FOR: Final = 1.0
"""A place that was read once without it, and not again for so long, has not changed since."""
REPEATED: Final = 0.35
"""How much all further looks at the same still scene can add to what the first one said."""
SETTLING: Final = 0.8
"""Seconds after something moved in which a place may have changed without having been read."""
REMEMBERED_S: Final = 30.0
LOOKS_OF_A_SPOT: Final = 2
UNCOVERED_S: Final = 5.0
THE_SAME: Final = 0.9
"""What was missed once, and reads so much alike so soon after, was covered by what lay still."""


@dataclass(slots=True, eq=False)
class Votes:
    """What the looks at one spot said of which card it is."""

    total: NDArray[np.float64] = field(default_factory=lambda: np.zeros(COUNT))
    count: int = 0
    _known: NDArray[np.float64] | None = None

    def add(self, index: IndexSeen) -> None:
        self.total += np.log(np.maximum(effective(index), FLOOR))
        self.count += 1
        self._known = None

    def __add__(self, other: Votes) -> Votes:
        return Votes(self.total + other.total, self.count + other.count)

    @property
    def evidence(self) -> NDArray[np.float64]:
        """The logarithm of the likelihoods, up to a constant.

        Looks at a still scene repeat each other's errors: many of them say little more than one.
        """
        if not self.count:
            return np.zeros(COUNT)
        weight = 1 + REPEATED * min(1.0, (self.count - 1) / 3)
        return np.asarray(self.total / self.count * weight)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        if self._known is None:
            self._known = normalised(self.evidence)
        return self._known


def effective(index: IndexSeen) -> NDArray[np.float64]:
    """The probabilities of an index, with the chance that it cannot be read at all."""
    known = np.asarray(index.probabilities, np.float64)
    return np.asarray(index.readable * known + (1 - index.readable) / COUNT)


def normalised(evidence: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(evidence - evidence.max())
    return np.asarray(powers / powers.sum())


def agreement(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """How alike two readings are, from 0 to 1."""
    return float(np.sqrt(one * other).sum())


def conflicting(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Whether two readings are of two cards, as far as they tell."""
    sure = min(float(one.max()), float(other.max())) >= SURE
    if sure and int(one.argmax()) != int(other.argmax()):
        return True
    return float(one @ other) * COUNT < UNLIKE


@dataclass(slots=True, eq=False)
class Presence:
    """When something was there."""

    first_s: float
    not_before_s: float
    """The last moment at which its place was known to be empty."""
    last_s: float
    seen: int = 1
    absent: int = 0
    absent_from: float | None = None
    missed: int = 0
    """Looks in which it was not seen although it was there before and after."""
    gone: bool = False
    settled: bool = True
    """Not only seen where something moved."""
    untouched_s: float = float("-inf")
    """The last moment before anything moved at its place since the layout was clear."""

    def is_there(self, at_s: float, *, still: bool) -> None:
        self.settled = self.settled or still or at_s - self.first_s >= ABSENT_FOR
        self.last_s = at_s
        self.seen += 1
        self.missed += self.absent
        self.absent, self.absent_from, self.gone = 0, None, False

    def is_absent(self, at_s: float) -> None:
        self.absent += 1
        self.absent_from = at_s if self.absent_from is None else self.absent_from
        if self.absent >= ABSENT_LOOKS and at_s - self.absent_from >= ABSENT_FOR:
            self.gone = True

    def left(self, now_s: float) -> bool:
        """Whether it lies there no more: a place that was not read again is as it was."""
        absent_from = now_s if self.absent_from is None else self.absent_from
        return self.gone or now_s - absent_from >= LEFT_FOR

    def may_be_uncovered(self, now_s: float) -> bool:
        """Whether it was missed once only, a moment ago: something may have lain still on it."""
        return not self.gone and self.seen >= LOOKS_OF_A_SPOT and now_s - self.last_s <= UNCOVERED_S

    @property
    def until_s(self) -> float:
        """Until when it was there, as far as anybody saw: until its place was seen without it."""
        return self.last_s if self.absent_from is None else self.absent_from


@dataclass(slots=True, eq=False)
class Spot:
    """An index at one place."""

    number: int
    there: Presence
    x: float
    y: float
    size: tuple[float, float]
    height: float
    box: Box
    heading: NDArray[np.float64]
    """Sine and cosine of its leans, added up."""
    votes: Votes = field(default_factory=Votes)
    quality: float = 0.0
    """Of its sightings, how surely it was an index that can be read, added up."""
    found: float = 0.0
    """Of its sightings, how surely it was an index, readable or not, added up."""
    together: Counter[int] = field(default_factory=Counter)
    apart: Counter[int] = field(default_factory=Counter)
    rivals: list[tuple[float, float, IndexSeen]] = field(default_factory=list)

    @property
    def pose(self) -> IndexPose:
        return IndexPose(self.x, self.y, float(np.degrees(np.arctan2(*self.heading))))

    @property
    def mean_quality(self) -> float:
        return self.quality / max(self.votes.count, 1)

    @property
    def mean_score(self) -> float:
        return self.found / max(self.votes.count, 1)

    def distance(self, index: IndexSeen) -> float:
        x, y = middle(index.box)
        return math.hypot((x - self.x) / self.size[0], (y - self.y) / self.size[1])

    def turned(self, index: IndexSeen) -> float:
        """How many degrees an index is turned from how this one lies."""
        return abs((index.lean - self.pose.lean + 180) % 360 - 180)

    def take(self, index: IndexSeen) -> None:
        """Learn from a sighting."""
        x, y = middle(index.box)
        share = 1 / min(self.votes.count + 1, 8)
        self.x += (x - self.x) * share
        self.y += (y - self.y) * share
        if not self.votes.count or self.turned(index) < TURNED:
            self.heading += heading_of(index.lean)
        self.votes.add(index)
        self.quality += index.score * index.readable
        self.found += index.score
        self.box = index.box


@dataclass(slots=True, eq=False)
class BackSpot:
    """A card face down at one place."""

    number: int
    there: Presence
    box: Box
    score: float

    @property
    def size(self) -> tuple[float, float]:
        left, top, right, bottom = self.box
        return right - left, bottom - top

    @property
    def place(self) -> tuple[float, float]:
        return middle(self.box)


def heading_of(lean: float) -> NDArray[np.float64]:
    return np.array([np.sin(np.radians(lean)), np.cos(np.radians(lean))])


class SpotKeeper:
    """All spots since the layout was last clear."""

    def __init__(self) -> None:
        self.spots: list[Spot] = []
        self.backs: list[BackSpot] = []
        self.clear_s = float("-inf")
        """Since when all that is known here lies there."""
        self._past: deque[tuple[float, tuple[Box, ...], tuple[Box, ...]]] = deque()
        self._count = 0

    def see(self, glance: Glance, backs: Sequence[BackSeen]) -> None:
        """Take in what a glance shows; of backs, those that lie in hands."""
        groups = [list(card.indexes) for card in glance.reading.cards]
        groups += [[index] for index in glance.reading.unreadable]
        owners = self._see_indexes(glance, groups)
        self._note_joins(owners)
        self._see_backs(glance, backs)
        self._past.append((glance.at_s, glance.areas, glance.moving))
        while self._past[0][0] < glance.at_s - REMEMBERED_S:
            self._past.popleft()

    def forget(self, now_s: float, kept: Callable[[Spot], bool]) -> None:
        """Drop what has been gone for long and is not to be kept."""
        self.spots = [
            spot
            for spot in self.spots
            if not spot.there.gone or spot.there.last_s > now_s - REMEMBERED_S or kept(spot)
        ]

    def moved_since(self, x: float, y: float, since_s: float) -> bool:
        """Whether something was seen to move at a place since then."""
        return any(at_s > since_s and within(x, y, moving, 6) for at_s, _, moving in self._past)

    def _see_indexes(
        self, glance: Glance, groups: Sequence[Sequence[IndexSeen]]
    ) -> list[list[Spot]]:
        indexes = [(number, index) for number, group in enumerate(groups) for index in group]
        owners: list[list[Spot]] = [[] for _ in groups]
        free = set(range(len(indexes)))
        taken: set[int] = set()
        for _, at, spot in self._near(glance.at_s, indexes):
            if at not in free or spot.number in taken:
                continue
            number, index = indexes[at]
            free.discard(at)
            taken.add(spot.number)
            owners[number].append(self._seen_again(glance, spot, index))
        for at in sorted(free):
            number, index = indexes[at]
            spot = self._begin(glance, index)
            taken.add(spot.number)
            owners[number].append(spot)
        for spot in self.spots:
            if spot.number not in taken and self._judged(glance, spot.x, spot.y, spot.size):
                spot.there.is_absent(glance.at_s)
        return owners

    def _near(
        self, now_s: float, indexes: Sequence[tuple[int, IndexSeen]]
    ) -> list[tuple[float, int, Spot]]:
        """Which index may be which spot, the likeliest first."""
        pairs = []
        for at, (_, index) in enumerate(indexes):
            for spot in self.spots:
                away = spot.distance(index)
                if away > SAME_PLACE:
                    continue
                alike = agreement(effective(index), spot.votes.probabilities)
                if spot.there.left(now_s) and not (
                    alike >= THE_SAME
                    and spot.turned(index) <= TURNED
                    and spot.there.may_be_uncovered(now_s)
                ):
                    continue
                turned = spot.turned(index) / 180
                cost = away + 0.8 * (1 - alike) + turned
                pairs.append((cost, at, spot))
        return sorted(pairs, key=lambda pair: pair[:2])

    def _seen_again(self, glance: Glance, spot: Spot, index: IndexSeen) -> Spot:
        """A spot is seen again, unless another card was laid where it was."""
        still = not within(*middle(index.box), glance.moving)
        if self._is_another(spot, index):
            # What is misread under a hand says nothing of the card that comes next.
            if spot.rivals and conflicting(effective(index), effective(spot.rivals[-1][2])):
                spot.rivals = []
            spot.rivals.append((glance.at_s, self._empty_until(glance.at_s, index), index))
            if len(spot.rivals) < ABSENT_LOOKS:
                return spot
            spot.there.gone = True
            (first_s, not_before_s, earlier), *others = spot.rivals
            successor = self._new(first_s, not_before_s, earlier, still=still)
            for at_s, _, later in others:
                successor.there.is_there(at_s, still=still)
                successor.take(later)
            spot.rivals = []
            return successor
        for _, _, rival in spot.rivals:
            spot.take(rival)
        spot.rivals = []
        spot.there.is_there(glance.at_s, still=still)
        spot.take(index)
        return spot

    def _is_another(self, spot: Spot, index: IndexSeen) -> bool:
        """Whether an index where a spot was is of another card, and not the same misread."""
        read, known = effective(index), spot.votes.probabilities
        if spot.turned(index) <= TURNED and not conflicting(read, known):
            return False
        sure = min(float(read.max()), float(known.max())) > QUITE_SURE
        return sure or self.moved_since(spot.x, spot.y, spot.there.last_s)

    def _begin(self, glance: Glance, index: IndexSeen) -> Spot:
        still = not within(*middle(index.box), glance.moving)
        empty_until_s = self._empty_until(glance.at_s, index)
        return self._new(glance.at_s, empty_until_s, index, still=still)

    def _new(self, at_s: float, not_before_s: float, index: IndexSeen, *, still: bool) -> Spot:
        x, y = middle(index.box)
        left, top, right, bottom = index.box
        self._count += 1
        spot = Spot(
            number=self._count,
            there=Presence(
                at_s,
                not_before_s,
                at_s,
                settled=still,
                untouched_s=self._untouched_until(at_s, x, y),
            ),
            x=x,
            y=y,
            size=(max(right - left, 4.0), max(bottom - top, 4.0)),
            height=index.height,
            box=index.box,
            heading=np.zeros(2),
        )
        spot.take(index)
        self.spots.append(spot)
        return spot

    def _empty_until(self, now_s: float, index: IndexSeen) -> float:
        """The last look before now at which nothing new can have lain where an index lies.

        Where nothing moved for a while, nothing changed, whether it was read again or not.
        """
        (x, y), margin = middle(index.box), index.height / 2
        earlier = [past for past in self._past if past[0] < now_s]
        for at_s, areas, moving in reversed(earlier):
            if within(x, y, moving, margin):
                continue
            if within(x, y, areas):
                return at_s
            before = [past for past in earlier if at_s - SETTLING <= past[0] < at_s]
            if not any(within(x, y, past[2], margin) for past in before):
                return at_s
        return float("-inf")

    def _untouched_until(self, now_s: float, x: float, y: float) -> float:
        """The last look before anything moved there since the layout was clear.

        A card face down shows little that tells it from cloth: that none was read is no proof.
        """
        untouched = float("-inf")
        for at_s, _, moving in self._past:
            if self.clear_s <= at_s < now_s:
                if within(x, y, moving, 6.0):
                    break
                untouched = at_s
        return untouched

    def _judged(
        self, glance: Glance, x: float, y: float, size: Iterable[float] = (8.0, 8.0)
    ) -> bool:
        """Whether a glance tells if something lies there."""
        longest = max(size)
        # What was asked for is told by its middle, which is not always found at the same pixel.
        inside = within(x, y, glance.areas, -longest / 4)
        return inside and not within(x, y, glance.moving, longest / 2)

    def _note_joins(self, owners: Sequence[Sequence[Spot]]) -> None:
        """Remember which spots the reader took for one card, and which it did not."""
        for number, group in enumerate(owners):
            for spot in group:
                for other in group:
                    if other is not spot:
                        spot.together[other.number] += 1
                for others in (*owners[:number], *owners[number + 1 :]):
                    for other in others:
                        spot.apart[other.number] += 1

    def _turned_up(self, back: BackSpot) -> bool:
        """Whether a face was seen since then where a back lay: it will not lie there again."""
        left, top, right, bottom = back.box
        return back.there.gone and any(
            spot.there.first_s > back.there.last_s
            and spot.there.seen > 1
            and left < spot.x < right
            and top < spot.y < bottom
            for spot in self.spots
        )

    def _see_backs(self, glance: Glance, backs: Sequence[BackSeen]) -> None:
        seen: set[int] = set()
        for back in backs:
            still = not within(*middle(back.box), glance.moving)
            known = max(
                (
                    spot
                    for spot in self.backs
                    if spot.number not in seen and not self._turned_up(spot)
                ),
                key=lambda spot: _shared(spot.box, back.box),
                default=None,
            )
            if known is not None and _shared(known.box, back.box) >= 0.5:
                others = [other.box for other in backs if other is not back]
                others += [other.box for other in self.backs if other is not known]
                known.box = _grown(known, back.box, others)
                known.there.is_there(glance.at_s, still=still)
                known.score = max(known.score, back.score)
            else:
                self._count += 1
                until = self._untouched_until(glance.at_s, *middle(back.box))
                there = Presence(glance.at_s, until, glance.at_s, settled=still, untouched_s=until)
                known = BackSpot(self._count, there, back.box, back.score)
                self.backs.append(known)
            seen.add(known.number)
        for spot in self.backs:
            if spot.number not in seen and self._judged(glance, *spot.place):
                spot.there.is_absent(glance.at_s)


def _grown(known: BackSpot, box: Box, others: Iterable[Box]) -> Box:
    """The larger of two boxes round a back, for a hand may have been over a part of it.

    Of backs that overlap, one box round two is found at times: once a back lay still, it grows no
    more, and never over the middle of another.
    """
    if _area(box) <= _area(known.box) or any(within(*middle(other), (box,)) for other in others):
        return known.box
    most = MOST_GROWN if known.there.settled else math.inf
    return box if _area(box) <= most * _area(known.box) else known.box


def _area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _shared(one: Box, other: Box) -> float:
    """The area that two boxes share, by the smaller of them."""
    inner = (
        max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])
    )  # fmt: skip
    if inner[0] >= inner[2] or inner[1] >= inner[3]:
        return 0.0
    return _area(inner) / max(min(_area(one), _area(other)), 1e-6)
