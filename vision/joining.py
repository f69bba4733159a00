"""Which indexes in a picture are printed on one card.

A card bears its index in two or four corners, and a shoe holds several copies of every card, so
that two equal readings may be one card or two. What tells them apart:

- A card looks the same when it is turned by half a turn. So does what lies between two opposite
  indexes of it, and each index turned looks like the other. Of two copies in a fan the same corners
  show, and look alike as they are.
- Two opposite indexes are half a turn apart, and each has the other below it, as it reads itself.
- On one card both have the same size, and lie a card's diagonal apart: where a card covers its
  copy, the index that shows of the covered one lies farther from the corner that both could claim.
- A way over paper leads from one to the other, along the margin if courts fill the middle. Between
  two cards that lie apart there is felt.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.boxes import Boxes, Image, index_height
from vision.index_crops import crop, map_as_it_lies

NEAREST, FARTHEST = 1.5, 9.5
"""How far apart two indexes of a card lie, in heights of an index: from jumbo to small print."""
MOST_UNLIKE = 1.45
"""How many times as large one index of a card may look as another."""
LEANS_APART = 32.0
"""Degrees by which the leans told of a card's indexes may be off; drawn cards differ by 8."""
LEAST_BELOW = 16.0
"""Degrees below its side at which each of two opposite indexes has the other; drawn ones: 31."""
LEAST_LIKENESS = 0.35
LEAST_AGREEMENT = 0.05
"""How likely two indexes have to read the same card."""
SAME_MIDDLE = 0.7
"""How far apart the middles of a card's two diagonals may be seen, in heights of an index."""
MOST_WEIGHED = 14
"""Among more pairs that share indexes the best are taken one by one."""
MOST_UNEQUAL = 1.4
"""How many times as long one diagonal of a card may look as the other."""
PAPER_TOLERANCE = 38.0
"""How far from the colour of the paper round an index the same paper may be elsewhere."""
LIKENESS_CUT = 48
LIKENESS_MARGIN = 1.5
LIKENESS_SIDE = 32
"""Pixels of the squares that are cut out of the picture round two indexes, by how much they are
wider than an index is tall, and pixels of those in which they are compared."""
PAPER_INDEX = 20.0
"""Pixels of an index in the picture in which a way over paper is looked for."""
STRIP_WIDTH = 1.6
"""How wide a strip between two indexes is compared with itself, in sizes of an index."""
STRIP_STEPS = 26


class Leaning(Enum):
    """How two indexes are turned to each other."""

    ALIKE = "alike"
    OPPOSITE = "opposite"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two indexes that may be of one card, and what speaks for it."""

    first: int
    second: int
    distance: float
    """In heights of an index."""
    leaning: Leaning
    likeness: float
    """How alike they look when one is turned by half a turn, from -1 to 1."""
    likeness_unturned: float
    symmetry: float
    """How alike what lies between them looks when it is turned, from -1 to 1."""
    on_one_paper: bool

    @property
    def evidence(self) -> float:
        """The logarithm of the odds that they are opposite indexes of one card.

        The weights are those of a logistic regression on 240 drawn pictures with 60 decks, half of
        them dealt from only four different cards.
        """
        if self.leaning is not Leaning.OPPOSITE:
            return -math.inf
        return (
            3.53 * self.symmetry
            + 3.38 * self.likeness
            - 0.31 * (self.likeness - self.likeness_unturned)
            + 0.97 * self.on_one_paper
            - 2.22 * math.log(self.distance)
            - 0.88
        )

    @property
    def unturned(self) -> bool:
        """Whether they look alike as they are, as side by side on a card with four indexes."""
        return self.leaning is Leaning.ALIKE and self.likeness_unturned >= LEAST_LIKENESS

    @property
    def numbers(self) -> frozenset[int]:
        """The two indexes."""
        return frozenset((self.first, self.second))


def join_indexes(
    image: Image, boxes: Boxes, probabilities: NDArray[np.float32], leans: NDArray[np.float32]
) -> list[tuple[int, ...]]:
    """Group the numbers of indexes by card; an index that is alone is a group of its own."""
    pairs = candidate_pairs(image, boxes, probabilities, leans)
    pairs.sort(key=lambda pair: -pair.evidence)
    groups = _groups_of_four(pairs, boxes)
    taken = {number for group in groups for number in group}
    opposite = [pair for pair in pairs if pair.evidence > 0 and not pair.numbers & taken]
    groups += [pair.numbers for pair in _best_together(opposite)]
    taken = {number for group in groups for number in group}
    groups = _with_third(groups, pairs, boxes, taken)
    if any(len(group) > 2 for group in groups):
        groups += _side_by_side(groups, pairs, taken)
    alone = (frozenset([number]) for number in range(len(boxes)) if number not in taken)
    return sorted(tuple(sorted(group)) for group in (*groups, *alone))


def candidate_pairs(
    image: Image, boxes: Boxes, probabilities: NDArray[np.float32], leans: NDArray[np.float32]
) -> list[Pair]:
    """The pairs that read alike, are alike in size and lie as far apart as on a card."""
    heights = [_height(box) for box in boxes]
    pairs = []
    for first, second in itertools.combinations(range(len(boxes)), 2):
        height = (heights[first] + heights[second]) / 2
        distance = _distance(boxes[first], boxes[second]) / max(height, 1.0)
        if (
            NEAREST <= distance <= FARTHEST
            and _alike_in_size(boxes[first], boxes[second])
            and float(probabilities[first] @ probabilities[second]) >= LEAST_AGREEMENT
            and (leaning := _leaning(boxes[[first, second]], leans[[first, second]])) is not None
        ):
            turned, unturned = _likeness(image, boxes[first], boxes[second])
            symmetry = _symmetry(image, boxes[first], boxes[second])
            paper = _on_one_paper(image, boxes[first], boxes[second])
            pairs.append(Pair(first, second, distance, leaning, turned, unturned, symmetry, paper))
    return pairs


def _leaning(boxes: Boxes, leans: NDArray[np.float32]) -> Leaning | None:
    """How two indexes are turned to each other, if they are as on a card.

    Each of two opposite ones has the other below it, as it reads itself, and not beside it.
    """
    apart = abs(float(leans[0] - leans[1])) % 360
    apart = min(apart, 360 - apart)
    if apart <= LEANS_APART:
        return Leaning.ALIKE
    if apart < 180 - LEANS_APART:
        return None
    ways = (boxes[::-1, :2] + boxes[::-1, 2:] - boxes[:, :2] - boxes[:, 2:]) / 2
    turns = np.radians(leans)
    across = ways[:, 0] * np.cos(turns) + ways[:, 1] * np.sin(turns)
    down = ways[:, 1] * np.cos(turns) - ways[:, 0] * np.sin(turns)
    below = np.degrees(np.arctan2(down, across))
    as_on_a_card = (below > LEAST_BELOW).all() and (below < 180 - LEAST_BELOW).all()
    return Leaning.OPPOSITE if as_on_a_card else None


def _best_together(pairs: Sequence[Pair]) -> list[Pair]:
    """Of pairs that share indexes, those for which most speaks taken together.

    Of two copies side by side the two inner indexes may look most like a pair; but that would leave
    the outer ones a worse one than their own cards are.
    """
    if not pairs:
        return []
    first, rest = pairs[0], pairs[1:]
    rivals = [pair for pair in rest if pair.numbers & first.numbers]
    if not rivals or len(pairs) > MOST_WEIGHED:
        kept = [pair for pair in rest if not pair.numbers & first.numbers]
        return [first, *_best_together(kept)]
    with_it = [first, *_best_together([pair for pair in rest if pair not in rivals])]
    without = _best_together(rest)
    return max(with_it, without, key=lambda chosen: sum(pair.evidence for pair in chosen))


def _side_by_side(
    groups: Sequence[frozenset[int]], pairs: Sequence[Pair], taken: set[int]
) -> list[frozenset[int]]:
    """Pairs of which the lower half of the card is covered, in a deck with four indexes.

    Only where the picture shows that the deck has four: of any other deck they would be two copies.
    """
    inside = [
        pair.distance
        for pair in pairs
        for group in groups
        if len(group) > 2 and pair.numbers <= group
    ]
    joined = []
    for pair in sorted(pairs, key=lambda pair: -pair.likeness_unturned):
        fits = min(inside) / 1.2 <= pair.distance <= max(inside)
        if pair.unturned and pair.on_one_paper and fits and not pair.numbers & taken:
            joined.append(pair.numbers)
            taken |= pair.numbers
    return joined


def _groups_of_four(pairs: Sequence[Pair], boxes: Boxes) -> list[frozenset[int]]:
    """Cards with an index in every corner: two pairs whose middles are one point."""
    known = {pair.numbers for pair in pairs}
    opposite = [pair for pair in pairs if pair.evidence > 0]
    groups: list[frozenset[int]] = []
    taken: set[int] = set()
    for one, other in itertools.combinations(opposite, 2):
        four = one.numbers | other.numbers
        if (
            len(four) == 4
            and not four & taken
            and all(frozenset(two) in known for two in itertools.combinations(four, 2))
            and _as_on_a_card(one, other, boxes)
        ):
            groups.append(four)
            taken |= four
    return groups


def _as_on_a_card(one: Pair, other: Pair, boxes: Boxes) -> bool:
    """Whether two pairs can be the diagonals of a card: one middle, one length.

    The lengths are equal as they are seen, or by the size of the boxes, across and down: seen from
    the side, card and index are shortened alike. The outer and the inner indexes of two copies side
    by side have one middle too, but the inner ones are far nearer to each other.
    """
    apart = math.dist(_middle(boxes, one.numbers), _middle(boxes, other.numbers))
    if apart > SAME_MIDDLE * _height(boxes[one.first]):
        return False
    both = boxes[[one.first, one.second, other.first, other.second]]
    size = np.maximum(both[:, 2:] - both[:, :2], 1).mean(axis=0)
    ways = np.abs((both[::2] - both[1::2])[:, :2])
    unequal = min(
        float(lengths.max() / max(lengths.min(), 1e-6))
        for lengths in (np.hypot(*ways.T), np.hypot(*(ways / size).T))
    )
    return unequal <= MOST_UNEQUAL


def _with_third(
    groups: Sequence[frozenset[int]], pairs: Sequence[Pair], boxes: Boxes, taken: set[int]
) -> list[frozenset[int]]:
    """Add to two opposite indexes a third, where the fourth is covered: upright beside the one."""
    by_numbers = {pair.numbers: pair for pair in pairs}
    grown = []
    for group in groups:
        if len(group) == 2:
            middle = _middle(boxes, group)
            reach = next(math.dist(middle, _middle(boxes, [number])) for number in group)
            for number in range(len(boxes)):
                beside = [by_numbers.get(frozenset((number, member))) for member in group]
                if number in taken or None in beside:
                    continue
                away = math.dist(middle, _middle(boxes, [number])) / reach
                sides = [pair for pair in beside if pair is not None]
                if (
                    1 / MOST_UNLIKE <= away <= MOST_UNLIKE
                    and any(pair.unturned for pair in sides)
                    and all(pair.on_one_paper for pair in sides)
                ):
                    group |= {number}
                    taken.add(number)
                    break
        grown.append(group)
    return grown


def _height(box: NDArray[np.float32]) -> float:
    return index_height(float(box[2] - box[0]), float(box[3] - box[1]))


def _distance(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    return float(np.hypot(*((one[:2] + one[2:]) - (other[:2] + other[2:])))) / 2


def _middle(boxes: Boxes, numbers: Iterable[int]) -> tuple[float, float]:
    corners = boxes[list(numbers)].reshape(-1, 2)
    return float(corners[:, 0].mean()), float(corners[:, 1].mean())


def _alike_in_size(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    sides, others = np.maximum(one[2:] - one[:2], 1), np.maximum(other[2:] - other[:2], 1)
    return float(np.maximum(sides / others, others / sides).max()) <= MOST_UNLIKE


def _likeness(
    image: Image, one: NDArray[np.float32], other: NDArray[np.float32]
) -> tuple[float, float]:
    """How alike two indexes look, with the other turned by half a turn and as it is.

    The middle of the one is looked for everywhere in the other, for boxes are off by a pixel or so.
    """
    grey, other_grey = (
        cv2.resize(
            cv2.cvtColor(
                crop(image, map_as_it_lies(box, LIKENESS_MARGIN, LIKENESS_CUT), LIKENESS_CUT),
                cv2.COLOR_BGR2GRAY,
            ),
            (LIKENESS_SIDE, LIKENESS_SIDE),
            interpolation=cv2.INTER_AREA,
        )
        for box in (one, other)
    )
    edge = LIKENESS_SIDE // 8
    middle = grey[edge:-edge, edge:-edge]
    turned, unturned = (
        float(cv2.matchTemplate(seen, middle, cv2.TM_CCOEFF_NORMED).max())
        for seen in (np.ascontiguousarray(other_grey[::-1, ::-1]), other_grey)
    )
    return turned, unturned


def _symmetry(image: Image, one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """How alike the strip from one index to the other looks when it is turned by half a turn."""
    ends = np.array([one[:2] + one[2:], other[:2] + other[2:]], dtype=np.float64) / 2
    size = float(max((one[2:] - one[:2]).max(), (other[2:] - other[:2]).max()))
    way = ends[1] - ends[0]
    length = float(np.hypot(*way))
    along = way / length
    step = size * STRIP_WIDTH / STRIP_STEPS
    steps = max(round((length - 0.9 * size) / step), STRIP_STEPS // 2)
    turn = np.array([[along[0], -along[1]], [along[1], along[0]]]) * step
    start = ends.mean(axis=0) - turn @ np.array([(steps - 1) / 2, (STRIP_STEPS - 1) / 2])
    strip = cv2.warpAffine(
        image,
        np.column_stack([turn, start]),
        (steps, STRIP_STEPS),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    strip = cv2.GaussianBlur(cv2.cvtColor(strip, cv2.COLOR_BGR2GRAY), (0, 0), 0.8)
    edge = 2
    middle = strip[edge:-edge, edge:-edge]
    turned = np.ascontiguousarray(strip[::-1, ::-1])
    return float(cv2.matchTemplate(turned, middle, cv2.TM_CCOEFF_NORMED).max())


def _on_one_paper(image: Image, one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    """Whether a way over paper leads from one index to the other."""
    boxes = np.array([one, other], dtype=np.float64)
    size = float((boxes[:, 2:] - boxes[:, :2]).max())
    low = np.floor(boxes[:, :2].min(axis=0) - size / 2).astype(int).clip(0)
    high = np.ceil(boxes[:, 2:].max(axis=0) + size / 2).astype(int)
    part: cv2.typing.MatLike = image[low[1] : high[1], low[0] : high[0]]
    scale = min(PAPER_INDEX / size, 1.0)
    if scale < 1:
        part = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    colours = cv2.cvtColor(part, cv2.COLOR_BGR2LAB)
    places = (boxes - np.tile(low, 2)) * scale
    within = [
        (slice(*_whole(top, bottom)), slice(*_whole(left, right)))
        for left, top, right, bottom in places.tolist()
    ]
    paper = np.zeros(part.shape[:2], dtype=np.uint8)
    for place in within:
        # Ink covers less than half of an index's box, on white decks and on black ones.
        colour = np.median(colours[place].reshape(-1, 3), axis=0)
        away = cv2.absdiff(colours, np.array([*colour, 0.0]))
        total = cv2.transform(away, np.ones((1, 3), dtype=np.float32))
        paper |= np.asarray(total <= PAPER_TOLERANCE, dtype=np.uint8)
    _, pieces = cv2.connectedComponents(paper, connectivity=4)
    numbered = np.asarray(pieces, dtype=np.int32)
    first, second = (_main_piece(numbered[place]) for place in within)
    return first == second != 0


def _whole(start: float, end: float) -> tuple[int, int]:
    return max(math.floor(start), 0), max(math.ceil(end), 1)


def _main_piece(pieces: NDArray[np.int32]) -> int:
    """The piece of paper that most of a box shows."""
    counts = np.bincount(pieces.ravel())
    counts[0] = 0
    return int(counts.argmax()) if counts.any() else 0
