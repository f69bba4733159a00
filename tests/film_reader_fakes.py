"""What a card reader would say of a film that we draw, worked out from its truth without a picture.

`FakeReader(film).at(12.4)` is what an excellent reader reads at that second; with a `Noise` it
misses, misreads, joins wrongly and finds what is not there. `glances_of(film)` are the moments at
which something had changed and lay still, each with its reading.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.boxes import lean
from vision.card_reader import BackSeen, CardSeenInPicture, IndexSeen, PictureReading, joined_card
from vision.cards import CARDS, NUMBERS, RANKS, SUITS
from vision.glances import Glance, within
from vision.synthetic.film_tables import zones_in_picture
from vision.synthetic.film_truth import CardTruth, FilmTruth, PlaceTruth, outline_of, truth_of
from vision.table_zones import Zones

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from vision.card_reader import Box
    from vision.synthetic.film_performance import Arm
    from vision.synthetic.films import Film

Points = tuple[tuple[float, float], ...]
USUAL_INDEX: Final = np.array([[0.03, 0.03], [0.15, 0.03], [0.15, 0.24], [0.03, 0.24]])
"""Where the index of a card stands, by its width and height, where the deck is not known."""
LEGIBLE: Final = 0.85
"""How much of an index has to show for it to be read as well as ever."""
FOUND: Final = 0.45
_ARM_WIDE: Final = 46.0  # mm to either side
_ARM_LONG: Final = 620.0
_STEP: Final = 0.1
_CELL: Final = 20
_LOOK_AFTER: Final = (0.2, 0.7, 2.2)  # seconds after something last moved there
_WHOLE_EVERY: Final = 12.0
_LOOKS_APART: Final = 0.28


@dataclass(frozen=True, slots=True)
class Noise:
    """What goes wrong, as shares of the indexes unless it says otherwise."""

    missed: float = 0.0
    misread: float = 0.0  # with doubt that shows in the probabilities, as often as they say
    wrong: float = 0.0  # surely, and wrong
    unreadable: float = 0.0
    apart: float = 0.0  # of cards with two indexes that show: not joined
    joined: float = 0.0  # of two copies of a card lying near each other: taken for one
    jitter: float = 0.0  # of an index's height
    leaning: float = 0.0  # degrees
    false_finds: float = 0.0  # in a picture
    backs_missed: float = 0.0
    lasting: float = 0.6  # the share of each that is so as long as a card lies there


PERFECT: Final = Noise()
MODERATE: Final = Noise(
    missed=0.03, misread=0.01, wrong=0.0002, unreadable=0.01, apart=0.05, joined=0.02,
    jitter=0.04, leaning=4.0, false_finds=0.02, backs_missed=0.02,
)  # fmt: skip
HEAVY: Final = Noise(
    missed=0.08, misread=0.03, wrong=0.001, unreadable=0.03, apart=0.15, joined=0.05,
    jitter=0.08, leaning=8.0, false_finds=0.08, backs_missed=0.06,
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class _Lying:
    """A card while it lies at one place, with its indexes in the picture."""

    card: CardTruth
    number: int
    place: PlaceTruth
    outline: NDArray[np.float64]
    indexes: tuple[NDArray[np.float64], ...]

    @property
    def key(self) -> tuple[int, int]:
        return self.card.seq, self.number


class FakeReader:
    """Reads a film, or only its truth, without a picture."""

    def __init__(
        self, film: Film | FilmTruth, noise: Noise = PERFECT, seed: int = 0, *, hands: bool = True
    ) -> None:
        """Read with that noise; without `hands`, as if nobody's were over the cards."""
        self.film = None if isinstance(film, FilmTruth) else film
        self.truth = film if isinstance(film, FilmTruth) else truth_of(film)
        self.noise = noise
        self._seed = seed
        self._hands = hands

    @cached_property
    def _lying(self) -> tuple[_Lying, ...]:
        return tuple(
            _Lying(card, number, place, np.array(place.outline), self._indexes(card, place))
            for card in self.truth.cards
            for number, place in enumerate(card.places)
        )

    @cached_property
    def _holders(self) -> tuple[BackSeen, ...]:
        """The card in the mouth of the shoe and the last one in the discard holder show backs."""
        if self.film is None:
            return ()
        zones = zones_in_picture(self.film.table)
        backs = []
        for name in ("shoe", "discard"):
            if name in zones:
                low, high = zones[name].min(axis=0), zones[name].max(axis=0)
                inset = (high - low) / 4
                backs.append(BackSeen(_box(np.vstack([low + inset, high - inset])), 0.8))
        return tuple(backs)

    def _indexes(self, card: CardTruth, place: PlaceTruth) -> tuple[NDArray[np.float64], ...]:
        if not place.face_up:
            return ()
        if self.film is None:
            printed = [USUAL_INDEX, 1 - USUAL_INDEX]
        else:
            deck = self.film.table.deck
            height, width = deck.shape.shape
            printed = [corners / (width, height) for corners in deck.face(card.card).indexes]
        unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        to_picture = cv2.getPerspectiveTransform(unit, np.array(place.outline, np.float32))
        return tuple(
            cv2.perspectiveTransform(np.asarray(corners, np.float64)[None], to_picture)[0]
            for corners in printed
        )

    def at(
        self, at_s: float, areas: Sequence[Box] | None = None, hidden: Sequence[Box] = ()
    ) -> PictureReading:
        """The reading of the picture at that second, of those areas or of all of it.

        Where something else lies over the cards, nothing of them shows.
        """
        there = [each for each in self._lying if each.place.start_s <= at_s < each.place.end_s]
        there.sort(key=lambda each: (each.place.start_s, each.card.seq))
        covers = [each.outline for each in there]
        arms = self.arms(at_s) if self._hands else []
        arms += [
            np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
            for left, top, right, bottom in hidden
        ]
        groups: list[list[IndexSeen]] = []
        unreadable: list[IndexSeen] = []
        backs: list[BackSeen] = []
        for height, each in enumerate(there):
            above = [*covers[height + 1 :], *arms]
            if each.place.face_up:
                seen = [
                    index
                    for number, corners in enumerate(each.indexes)
                    if (index := self._index(each, number, corners, above, at_s)) is not None
                ]
                unreadable += [index for index in seen if index.readable < 0.5]
                groups += self._joined(each, [index for index in seen if index.readable >= 0.5])
            else:
                backs += self._back(each, above, at_s)
        groups = self._wrongly_joined(groups)
        groups += [[index] for index in self._false_finds(at_s, areas)]
        return _reading(groups, unreadable, [*backs, *self._holders], areas)

    def arms(self, at_s: float) -> list[NDArray[np.float64]]:
        """The outlines of everybody's hands and forearms."""
        if self.film is None:
            return []
        there = [arm for arm in self.film.performance.arms if arm.track.there(at_s)]
        return [self.arm_outline(arm, at_s) for arm in there]

    def arm_outline(self, arm: Arm, at_s: float) -> NDArray[np.float64]:
        if self.film is None:
            raise ValueError("the truth alone knows of no hands")
        hand = arm.hand(at_s)
        turn, slope = np.radians(hand.turned), np.radians(hand.rise)
        back = np.array(
            [np.sin(turn) * np.cos(slope), -np.cos(turn) * np.cos(slope), np.sin(slope)]
        )
        across = np.array([np.cos(turn), np.sin(turn), 0.0]) * _ARM_WIDE
        tip = np.array([hand.x, hand.y, hand.lift])
        far = tip + back * _ARM_LONG
        corners = np.array([tip - across, tip + across, far + across, far - across])
        return self.film.table.camera.project(corners)

    def _random(self, each: _Lying, number: int, at_s: float) -> np.random.Generator:
        """Chance that is the same as long as the card lies there, or new for every picture."""
        lasting = np.random.default_rng((self._seed, *each.key, number, 11))
        if lasting.random() < self.noise.lasting:
            return lasting
        return np.random.default_rng((self._seed, *each.key, number, round(at_s * 1000), 12))

    def _index(
        self, each: _Lying, number: int, corners: NDArray[np.float64],
        above: Sequence[NDArray[np.float64]], at_s: float,
    ) -> IndexSeen | None:  # fmt: skip
        shows = _share_showing(corners, above, 5)
        if shows < FOUND:
            return None
        rng = self._random(each, number, at_s)
        noise = self.noise
        if rng.random() < noise.missed:
            return None
        height = float(np.linalg.norm(corners[:2].mean(axis=0) - corners[2:].mean(axis=0)))
        shaken = np.random.default_rng((self._seed, *each.key, number, round(at_s * 1000), 13))
        moved = shaken.normal(0, 1, (2, 2)) * noise.jitter * height
        readable = 1 - float(rng.uniform(0, 0.02))
        if rng.random() < noise.unreadable or (shows < LEGIBLE and rng.random() < 0.5):
            readable = float(rng.uniform(0.05, 0.45))
        doubtful = noise.misread if shows >= LEGIBLE else max(noise.misread, 0.05)
        box = _box(np.vstack([corners.min(axis=0), corners.max(axis=0)]) + moved)
        return IndexSeen(
            box=box,
            score=float(rng.uniform(0.75, 0.98)),
            readable=readable,
            probabilities=said(each.card.card, doubtful, noise.wrong, rng),
            height=height,
            lean=float(lean(corners.astype(np.float32)) + shaken.normal(0, 1) * noise.leaning),
        )

    def _joined(self, each: _Lying, seen: list[IndexSeen]) -> list[list[IndexSeen]]:
        """The indexes of a card, joined unless they read differently or by mistake."""
        if len(seen) < 2:
            return [[index] for index in seen]
        alike = all(
            float(one.probabilities @ other.probabilities) >= 0.05
            for one, other in combinations(seen, 2)
        )
        apart = np.random.default_rng((self._seed, *each.key, 14)).random() < self.noise.apart
        return [seen] if alike and not apart else [[index] for index in seen]

    def _wrongly_joined(self, groups: list[list[IndexSeen]]) -> list[list[IndexSeen]]:
        if not self.noise.joined:
            return groups
        joined = [list(group) for group in groups]
        for one, other in combinations(range(len(joined)), 2):
            first, second = joined[one], joined[other]
            if not first or not second or first[0].card != second[0].card:
                continue
            apart = np.hypot(first[0].box[0] - second[0].box[0], first[0].box[1] - second[0].box[1])
            chance = np.random.default_rng((self._seed, int(apart), 15)).random()
            if apart < 6 * first[0].height and chance < self.noise.joined:
                joined[one], joined[other] = [], first + second
        return [group for group in joined if group]

    def _back(
        self, each: _Lying, above: Sequence[NDArray[np.float64]], at_s: float
    ) -> list[BackSeen]:
        points = _grid(each.outline, 9)
        free = ~_covered(points, above)
        rng = self._random(each, 9, at_s)
        if free.mean() < 0.3 or rng.random() < self.noise.backs_missed:
            return []
        return [BackSeen(_box(points[free]), float(rng.uniform(0.7, 0.97)))]

    def _false_finds(self, at_s: float, areas: Sequence[Box] | None) -> list[IndexSeen]:
        rng = np.random.default_rng((self._seed, round(at_s * 1000), 16))
        if rng.random() >= self.noise.false_finds:
            return []
        width, height = self.truth.frame
        x, y = float(rng.uniform(0, width)), float(rng.uniform(0, height))
        if areas is not None and not within(x, y, areas):
            return []
        probabilities = rng.dirichlet(np.full(len(CARDS), 0.05)).astype(np.float32)
        return [
            IndexSeen(
                (x - 8, y - 14, x + 8, y + 14),
                float(rng.uniform(0.3, 0.7)),
                float(rng.uniform(0.5, 0.8)),
                np.maximum(probabilities, np.float32(1e-6)),
                28.0,
                float(rng.uniform(-180, 180)),
            )
        ]


def said(card: str, doubtful: float, wrong: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """What a calibrated reader says of an index: of what it doubts, it misreads as much."""
    others = [rank + card[1] for rank in RANKS if rank != card[0]]
    others += [card[0] + suit for suit in SUITS if suit != card[1]]
    like = others[int(rng.integers(len(others)))]
    chance = rng.random()
    top, second = card, like
    if chance < wrong:
        top, second, sure = like, card, float(rng.uniform(0.985, 0.999))
    elif chance < wrong + doubtful / 0.3:
        sure = float(rng.uniform(0.5, 0.9))
        if rng.random() >= sure:
            top, second = like, card
    else:
        sure = 1 - float(rng.beta(0.6, 60))
    probabilities = np.full(len(CARDS), (1 - sure) * 0.15 / (len(CARDS) - 2))
    probabilities[NUMBERS[top]] = sure
    probabilities[NUMBERS[second]] = (1 - sure) * 0.85
    return np.asarray(probabilities / probabilities.sum(), np.float32)


def glances_of(film: Film, noise: Noise = PERFECT, seed: int = 0) -> Iterator[Glance]:
    """The moments at which something had moved and lay still, read."""
    reader = FakeReader(film, noise, seed)
    width, height = film.table.camera.size
    cells = np.zeros((-(-height // _CELL), -(-width // _CELL)), np.uint8)
    last = np.zeros(cells.shape)
    looked = np.zeros(cells.shape, np.int64)
    delays = np.array([*_LOOK_AFTER, np.inf])
    whole_at, again_at = 0.0, 0.0
    for step in range(int(film.length / _STEP)):
        at_s = round(step * _STEP, 3)
        moving = _moving_cells(film, reader, at_s, cells)
        last[moving], looked[moving] = at_s, 0
        due = (at_s >= last + delays[looked]) & ~moving
        areas: tuple[Box, ...]
        if at_s >= whole_at and not moving.any():
            areas, whole_at = ((0.0, 0.0, float(width), float(height)),), at_s + _WHOLE_EVERY
            looked += due
        elif due.any() and at_s >= again_at:
            areas = _boxes_of(due)
            looked += due
        else:
            continue
        again_at = at_s + _LOOKS_APART
        yield Glance(at_s, areas, _tiles_of(moving), reader.at(at_s, areas))


def _moving_cells(
    film: Film, reader: FakeReader, at_s: float, cells: NDArray[np.uint8]
) -> NDArray[np.bool_]:
    mask = np.zeros_like(cells)
    outlines = []
    for arm in film.performance.arms:
        if arm.track.there(at_s):
            now, before = arm.track.at(at_s), arm.track.at(at_s - _STEP)
            gone = np.hypot(np.hypot(now.x - before.x, now.y - before.y), now.lift - before.lift)
            if gone > 1.5 or not arm.track.there(at_s - _STEP):
                outlines.append(reader.arm_outline(arm, at_s))
                outlines.append(reader.arm_outline(arm, at_s - _STEP / 2))
        elif arm.track.there(at_s - _STEP):
            outlines.append(reader.arm_outline(arm, at_s - _STEP))
    for card in film.performance.cards:
        times = [time for time in (at_s - _STEP, at_s) if card.track.there(time)]
        if any(card.track.move_at(time) or card.track.at(time).pitch for time in times):
            # Also where it was: a card that is taken up changes the place it leaves.
            outlines += [np.array(outline_of(film.table, card.track.at(time))) for time in times]
    for outline in outlines:
        cv2.fillConvexPoly(mask, np.round(np.clip(outline, -2e4, 2e4) / _CELL).astype(np.int32), 1)
    return mask.astype(bool)


def _boxes_of(mask: NDArray[np.bool_]) -> tuple[Box, ...]:
    count, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    boxes = []
    for left, top, wide, tall, _ in stats[1:count].tolist():
        boxes.append(
            (float((left - 1) * _CELL), float((top - 1) * _CELL),
             float((left + wide + 1) * _CELL), float((top + tall + 1) * _CELL))
        )  # fmt: skip
    return tuple(boxes)


def _tiles_of(mask: NDArray[np.bool_], side: int = 3) -> tuple[Box, ...]:
    """What moves, as boxes so small that a slanting arm does not fill one box round all of it."""
    boxes = []
    for top in range(0, mask.shape[0], side):
        filled = [
            left
            for left in range(0, mask.shape[1], side)
            if mask[top : top + side, left : left + side].any()
        ]
        for left in filled:
            box = (left * _CELL, top * _CELL, (left + side) * _CELL, (top + side) * _CELL)
            boxes.append(tuple(map(float, box)))
    return tuple((box[0], box[1], box[2], box[3]) for box in boxes)


def zones_of(film: Film) -> Zones:
    """The zones of a film as its table sheet has them."""
    return Zones(film.table.camera.size, dict(zones_in_picture(film.table)))


def _reading(
    groups: Sequence[Sequence[IndexSeen]],
    unreadable: Sequence[IndexSeen],
    backs: Sequence[BackSeen],
    areas: Sequence[Box] | None,
) -> PictureReading:
    def shown(box: Box) -> bool:
        return areas is None or within((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, areas)

    parts = ([index for index in group if shown(index.box)] for group in groups)
    cards: list[CardSeenInPicture] = [joined_card(part) for part in parts if part]
    return PictureReading(
        cards=tuple(sorted(cards, key=lambda card: card.box)),
        unreadable=tuple(index for index in unreadable if shown(index.box)),
        backs=tuple(sorted((back for back in backs if shown(back.box)), key=lambda back: back.box)),
    )


def _grid(corners: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    return np.asarray(_weights(count) @ corners)


@lru_cache
def _weights(count: int) -> NDArray[np.float64]:
    """How near each point of a grid in a quadrangle is to each of its corners."""
    share = (np.arange(count) + 0.5) / count
    across, down = (part.ravel() for part in np.meshgrid(share, share))
    sides = [(1 - across) * (1 - down), across * (1 - down), across * down, (1 - across) * down]
    return np.stack(sides, axis=1)


def _covered(
    points: NDArray[np.float64], above: Sequence[NDArray[np.float64]]
) -> NDArray[np.bool_]:
    hidden = np.zeros(len(points), bool)
    low, high = points.min(axis=0), points.max(axis=0)
    for outline in above:
        if (outline.min(axis=0) > high).any() or (outline.max(axis=0) < low).any():
            continue
        ahead = outline[[1, 2, 3, 0]] - outline
        away = points[:, None] - outline[None]
        side = ahead[None, :, 0] * away[..., 1] - ahead[None, :, 1] * away[..., 0]
        hidden |= (side >= 0).all(axis=1) | (side <= 0).all(axis=1)
    return hidden


def _share_showing(
    corners: NDArray[np.float64], above: Sequence[NDArray[np.float64]], count: int
) -> float:
    return float(1 - _covered(_grid(corners, count), above).mean())


def _box(points: NDArray[np.float64]) -> Box:
    (left, top), (right, bottom) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return left, top, right, bottom


def quieter(noise: Noise, **changes: float) -> Noise:
    """The same noise with some of it changed."""
    return replace(noise, **changes)


def cards_by_seq(truth: FilmTruth) -> Mapping[int, CardTruth]:
    """The cards of a film by their place in the shoe."""
    return {card.seq: card for card in truth.cards}
