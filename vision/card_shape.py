"""The shape of a table's cards in the picture: how one index of a card lies to its others.

A camera above a table sees the cloth as a plane, so cards of one size look larger where they are
near and shorter where they are seen from the side. From the pairs of indexes that were seen to be
of one card, the view is found in which all of them are equal; in it a single index tells where its
card's other indexes and its middle are.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Flat = tuple[float, float]
"""A point or a way in the plane of the table, in pixels at the middle of the picture."""
LEAST_PAIRS: Final = 2
MOST_PAIRS: Final = 60
"""So many of the latest pairs are remembered."""
RADIAL: Final = 0.05
"""How far the distance of two indexes may be off, as a share of it (one deviation)."""
ANGULAR: Final = 9.0
"""How many degrees an index's lean may be off (one deviation)."""
UNKNOWN_FIT: Final = -1.0
"""What speaks for a pair that is turned as on a card while no card's shape is known yet."""
WORST_FIT: Final = -12.0
LEAN_MISJUDGED: Final = -4.0
"""What speaks against a pair of which one would lean otherwise on a card: it was misjudged."""
STRANGE: Final = 5.0
"""How many times as far off a pair may be that lies as none before it."""
AS_WELL: Final = 0.99
AS_WELL_OF_FOUR: Final = 0.9
"""Of the best view's fit. Cards that all lie alike are equal in many views, but for a trifle; those
with four indexes, of which each card shows six pairs, but for more than that."""
USUAL_ASPECT: Final = 1.3
USUAL_SPREAD: Final = 0.13
IMPOSSIBLE: Final = 0.7
"""How much farther apart a card's opposite indexes are along it than across it, on a logarithmic
scale: how far decks differ, and how much farther off no deck is, though its print may slant."""
SAME_SIDE: Final = 0.12
"""How far two measures of one side of a card may differ, as a share of its diagonal."""
_LEANS_OTHERWISE: Final = 75.0  # degrees: how the leans of cards that lie near each other spread
_PERSPECTIVES: Final = np.linspace(0, 0.0016, 9)  # per px of a picture 1280 px wide
_FORESHORTENINGS: Final = np.linspace(0.4, 1.0, 13)


@dataclass(frozen=True, slots=True)
class IndexPose:
    """Where an index lies in the picture, and how it leans, in degrees to the right."""

    x: float
    y: float
    lean: float


@dataclass(frozen=True, slots=True)
class Offset:
    """From an index to another of the same card, in the plane of the table, as it reads upright."""

    right: float
    down: float
    upside_down: bool
    """Whether the other stands on its head: always, but for one beside it in a deck with four."""

    @property
    def length(self) -> float:
        return math.hypot(self.right, self.down)


class CardShape:
    """What is known so far of how a card's indexes lie to each other."""

    def __init__(self, frame: tuple[int, int]) -> None:
        """Know nothing yet of the cards in a picture of this size."""
        self._middle = (frame[0] / 2, frame[1] / 2)
        self._scale = 1280 / frame[0]
        self._pairs: deque[tuple[IndexPose, IndexPose]] = deque(maxlen=MOST_PAIRS)
        self._fitted = 0
        self._learnt = 0
        self._view = (0.0, 0.75)
        self.offsets: tuple[Offset, ...] = ()
        self._diagonal = 110.0 / self._scale

    @property
    def version(self) -> int:
        """A number that is another one whenever what is known has changed."""
        return self._fitted

    @property
    def known(self) -> bool:
        """Whether enough pairs were seen to tell."""
        return bool(self.offsets)

    def learn(self, one: IndexPose, other: IndexPose) -> None:
        """Take two indexes as of one card."""
        self._pairs.append((one, other))
        self._learnt += 1
        grown = self._learnt >= max(LEAST_PAIRS, 1.3 * self._fitted)
        if grown or (self.known and self.fit(one, other) < 0):
            self._fit()

    def flat(self, x: float, y: float) -> Flat:
        """A point of the picture in the plane of the table."""
        perspective, foreshortening = self._view
        v = y - self._middle[1]
        depth = max(1 + perspective * v, 0.05)
        return (x - self._middle[0]) / depth, v / (foreshortening * depth)

    def seen(self, flat: Flat) -> tuple[float, float]:
        """A point of the table's plane in the picture."""
        perspective, foreshortening = self._view
        down = flat[1] * foreshortening
        v = down / max(1 - perspective * down, 1e-6)
        return flat[0] * (1 + perspective * v) + self._middle[0], v + self._middle[1]

    def apart(self, one: tuple[float, float], other: tuple[float, float]) -> float:
        """How far apart two points of the picture are, in diagonals of a card."""
        return math.dist(self.flat(*one), self.flat(*other)) / self.diagonal

    @property
    def diagonal(self) -> float:
        """How far apart opposite indexes are in the plane of the table."""
        return self._diagonal

    def fit(self, one: IndexPose, other: IndexPose) -> float:
        """The logarithm of the odds, by where they lie alone, that two indexes are of one card."""
        if not self.known:
            turned = abs(_turn(other.lean - one.lean))
            return UNKNOWN_FIT if turned > 140 else WORST_FIT
        as_seen = self._fit_as_seen(one, other)
        if as_seen > 0 or not self._is_as_far(one, other):
            return as_seen
        # Where it lies is seen better than how it leans.
        turns = {180.0 if offset.upside_down else 0.0 for offset in self.offsets}
        near = [turn for turn in turns if abs(_turn(other.lean - one.lean - turn)) < 90]
        as_if = [
            max(
                self._fit_as_seen(one, replace(other, lean=one.lean + turn)),
                self._fit_as_seen(replace(one, lean=other.lean + turn), other),
            )
            for turn in near
        ]
        return max([as_seen, *(fit + LEAN_MISJUDGED for fit in as_if)])

    def _fit_as_seen(self, one: IndexPose, other: IndexPose) -> float:
        turned = abs(_turn(other.lean - one.lean))
        ways = (self._in_frame(one, other), self._in_frame(other, one))
        loose = 1.0 if self._seen_so_turned(one) else STRANGE
        return max(self._fit_offset(offset, ways, turned, loose) for offset in self.offsets)

    def _is_as_far(self, one: IndexPose, other: IndexPose) -> bool:
        """Whether two indexes are about as far apart as two of one card."""
        far = self.apart((one.x, one.y), (other.x, other.y)) * self.diagonal
        return any(abs(far / offset.length - 1) < 4 * RADIAL for offset in self.offsets)

    def centres(self, one: IndexPose) -> list[tuple[float, float]]:
        """Where the middle of an index's card may be: at one place unless the deck has four."""
        x, y = self.flat(one.x, one.y)
        (right_x, right_y), (down_x, down_y) = self._axes(one)
        return [
            self.seen(
                (
                    x + (each.right * right_x + each.down * down_x) / 2,
                    y + (each.right * right_y + each.down * down_y) / 2,
                )
            )
            for each in self.offsets
            if each.upside_down and each.length > 0.9 * self.diagonal
        ]

    def covers(self, centre: tuple[float, float], one: IndexPose, x: float, y: float) -> bool:
        """Whether a card with that middle, of which this is an index, covers a point."""
        right, down = self._axes(one)
        here, there = self.flat(*centre), self.flat(x, y)
        away = (there[0] - here[0], there[1] - here[1])
        across = away[0] * right[0] + away[1] * right[1]
        along = away[0] * down[0] + away[1] * down[1]
        return abs(across) < 0.42 * self.diagonal and abs(along) < 0.58 * self.diagonal

    def _seen_so_turned(self, one: IndexPose) -> bool:
        """Whether a pair was learnt that lies about as this index does, either way up.

        How much shorter cards look from the side is only told by cards that lie differently.
        """
        return any(abs(_turn(2 * (pair[0].lean - one.lean))) < 70 for pair in self._pairs)

    def _axes(self, one: IndexPose) -> tuple[Flat, Flat]:
        """An index's right and down in the plane of the table."""
        lean = math.radians(one.lean)
        here = self.flat(one.x, one.y)
        there = self.flat(one.x - math.sin(lean), one.y + math.cos(lean))
        x, y = there[0] - here[0], there[1] - here[1]
        far = max(math.hypot(x, y), 1e-9)
        return (y / far, -x / far), (x / far, y / far)

    def _in_frame(self, one: IndexPose, other: IndexPose) -> Flat:
        here, there = self.flat(one.x, one.y), self.flat(other.x, other.y)
        x, y = there[0] - here[0], there[1] - here[1]
        right, down = self._axes(one)
        return x * right[0] + y * right[1], x * down[0] + y * down[1]

    def _fit_offset(
        self,
        offset: Offset,
        ways: tuple[Flat, Flat],
        turned: float,
        loose: float,
    ) -> float:
        (vector, back), away, lean_off = ways, RADIAL * loose, ANGULAR * loose**0.5
        radial = (math.hypot(*vector) / offset.length - 1) / away
        direction = math.degrees(math.atan2(offset.down, offset.right))
        off = _turn(math.degrees(math.atan2(vector[1], vector[0])) - direction)
        if offset.upside_down:
            # Seen from the other index the way is the same, so that both leans tell.
            again = _turn(math.degrees(math.atan2(back[1], back[0])) - direction)
            off = (off + again) / 2
            turned = 180 - turned
        chances = (
            _normal(radial) / away * 2,
            _normal(off / lean_off) / lean_off * 360,
            _normal(turned / (1.5 * ANGULAR)) / ANGULAR * _LEANS_OTHERWISE,
        )
        return max(WORST_FIT, sum(math.log(max(chance, 1e-12)) for chance in chances))

    def _fit(self) -> None:
        """Find the view in which the pairs are most alike, and the offsets that they show."""
        self._fitted = self._learnt
        poses = np.array(
            [
                [(one.x, one.y, one.lean), (other.x, other.y, other.lean)]
                for pair in self._pairs
                for one, other in (pair, pair[::-1])
            ]
        )
        points, leans = poses[:, :, :2] - self._middle, np.radians(poses[:, 0, 2])
        flipped = np.cos(np.radians(poses[:, 0, 2] - poses[:, 1, 2])) < 0
        tried = []
        for view in _views(self._scale):
            vectors = _vectors(points, leans, *view)
            alike = _alike(vectors, flipped)
            tried.append((float(alike.sum()), view, _offsets(vectors, flipped, alike)))
        # Stretched cards have ways that differ less: no view may make them longer than any card.
        possible = [each for each in tried if _strangeness(each[2]) <= IMPOSSIBLE] or tried
        as_good = AS_WELL if flipped.all() else AS_WELL_OF_FOUR
        least = as_good * max(fit for fit, _, _ in possible)
        as_well = [(view, offsets) for fit, view, offsets in possible if fit >= least]
        self._view, found = min(as_well, key=lambda each: _strangeness(each[1]))
        self.offsets = _completed(found)
        self._diagonal = max((each.length for each in self.offsets), default=self._diagonal)


@lru_cache(maxsize=4)
def _views(scale: float) -> tuple[tuple[float, float], ...]:
    """Views to try, the most usual first: of those that fit as well the first is taken."""
    views = [
        (float(perspective) * scale, float(foreshortening))
        for perspective in _PERSPECTIVES
        for foreshortening in _FORESHORTENINGS
    ]
    usual = (0.0004 * scale, 0.75)
    views.sort(key=lambda view: abs(view[0] - usual[0]) * 500 / scale + abs(view[1] - usual[1]))
    return tuple(views)


def _flat(
    points: NDArray[np.float64], perspective: float, foreshortening: float
) -> NDArray[np.float64]:
    depth = np.maximum(1 + perspective * points[..., 1], 0.05)
    return np.stack([points[..., 0] / depth, points[..., 1] / (foreshortening * depth)], axis=-1)


def _vectors(
    points: NDArray[np.float64],
    leans: NDArray[np.float64],
    perspective: float,
    foreshortening: float,
) -> NDArray[np.float64]:
    """From each first index to the second in the plane, in the first one's own directions."""
    flat = _flat(points, perspective, foreshortening)
    step = np.stack([-np.sin(leans), np.cos(leans)], axis=-1)
    down = _flat(points[:, 0] + step, perspective, foreshortening) - flat[:, 0]
    down /= np.linalg.norm(down, axis=1, keepdims=True)
    right = np.stack([down[:, 1], -down[:, 0]], axis=-1)
    away = flat[:, 1] - flat[:, 0]
    return np.stack([(away * right).sum(axis=1), (away * down).sum(axis=1)], axis=-1)


def _alike(vectors: NDArray[np.float64], flipped: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How alike each way is to each other, from 0 to 1."""
    length = np.log(np.maximum(np.hypot(vectors[:, 0], vectors[:, 1]), 1e-6))
    angle = np.arctan2(vectors[:, 1], vectors[:, 0])
    radial = (length[:, None] - length[None]) / 0.03
    turn = np.abs(angle[:, None] - angle[None])
    angular = np.minimum(turn, 2 * np.pi - turn) / np.radians(8)
    same = flipped[:, None] == flipped[None]
    return np.asarray(np.exp(-(radial * radial + angular * angular) / 2) * same)


def _strangeness(offsets: tuple[Offset, ...]) -> float:
    """How much longer or wider a card would be by its ways than cards are; 0: as usual."""
    slanted = (
        each for each in offsets if each.upside_down and abs(each.right) > SAME_SIDE * each.length
    )
    usual = next(slanted, None)
    if usual is None:
        return math.inf
    return max(0.0, abs(math.log(abs(usual.down / usual.right) / USUAL_ASPECT)) - USUAL_SPREAD)


def _offsets(
    vectors: NDArray[np.float64], flipped: NDArray[np.bool_], alike: NDArray[np.float64]
) -> tuple[Offset, ...]:
    """The ways that many pairs share; a wrong join is one that no others share."""
    left = np.ones(len(vectors), bool)
    found: list[Offset] = []
    least = max(2.0, 0.12 * len(vectors))
    while left.any():
        support = (alike * left[None]).sum(axis=1) * left
        at = int(support.argmax())
        near = left & (alike[at] > 0.05)
        if near.sum() < least or len(found) == 5:
            break
        right, down = np.median(vectors[near], axis=0)
        found.append(Offset(float(right), float(down), bool(flipped[at])))
        left &= alike[at] <= 0.01
    return tuple(found)


def _completed(found: tuple[Offset, ...]) -> tuple[Offset, ...]:
    """With the ways that were not seen yet of a card with four indexes.

    They are the corners of an oblong, so that a side and a diagonal tell all of them.
    """
    diagonal = max((each.length for each in found), default=0.0)
    near = SAME_SIDE * diagonal
    across = [abs(each.right) for each in found if not each.upside_down]
    along = [abs(each.down) for each in found if each.upside_down and abs(each.right) < near]
    slanted = [each for each in found if each.upside_down and abs(each.right) >= near]
    four = [
        each
        for each in slanted
        if any(abs(abs(each.right) - wide) < near for wide in across)
        or any(abs(abs(each.down) - tall) < near for tall in along)
    ]
    if not four:
        return found
    wide, tall = abs(four[0].right), abs(four[0].down)
    whole = (
        Offset(wide, tall, upside_down=True),
        Offset(-wide, tall, upside_down=True),
        Offset(0.0, tall, upside_down=True),
        Offset(wide, 0.0, upside_down=False),
        Offset(-wide, 0.0, upside_down=False),
    )
    missing = (each for each in whole if not any(_same_way(each, known, near) for known in found))
    return (*found, *missing)


def _same_way(one: Offset, other: Offset, near: float) -> bool:
    away = math.hypot(one.right - other.right, one.down - other.down)
    return one.upside_down == other.upside_down and away < 2 * near


def _turn(degrees: float) -> float:
    return (degrees + 180) % 360 - 180


def _normal(deviations: float) -> float:
    return math.exp(-(deviations**2) / 2) / 2.5066
