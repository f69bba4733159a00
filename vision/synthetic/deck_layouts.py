"""Where things stand on a face: the index in its corners and the pips in the middle."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.synthetic.deck_printing import Ink, Pixels, print_shape, resized, upside_down

_INKED = 96
"""From this share of ink (of 255) a pixel counts for the box round an index."""
_SMALLEST_PIP = 0.45
"""Where pips would have to shrink below this, a card has one large pip, as giant indexes have."""
PIP_PLACES: dict[str, tuple[tuple[float, float], ...]] = {
    "A": ((0, 0),),
    "2": ((0, -1), (0, 1)),
    "3": ((0, -1), (0, 0), (0, 1)),
    "4": ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    "5": ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    "6": ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    "7": ((-1, -1), (1, -1), (0, -0.5), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    "8": ((-1, -1), (1, -1), (0, -0.5), (-1, 0), (1, 0), (0, 0.5), (-1, 1), (1, 1)),
    "9": ((-1, -1), (1, -1), (-1, -1 / 3), (1, -1 / 3), (0, 0), (-1, 1 / 3), (1, 1 / 3),
          (-1, 1), (1, 1)),
    "T": ((-1, -1), (1, -1), (0, -2 / 3), (-1, -1 / 3), (1, -1 / 3), (-1, 1 / 3), (1, 1 / 3),
          (0, 2 / 3), (-1, 1), (1, 1)),
}  # fmt: skip
"""Columns and rows from -1 to 1; what lies below the middle is printed upside down."""


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """How a deck sets its indexes, in pixels of the face."""

    rank_height: int
    suit_height: int
    gap: int
    left: int
    top: int
    corners: int  # 2 or 4
    from_left: bool  # rank and suit share their left edge, otherwise their axis
    aside: float  # the suit is shifted to the right by this part of the column
    beside: bool  # the suit stands right of the rank instead of below it


BESIDE_SHARE, BESIDE_LEARNT = 0.01, 0.05
"""How many decks have the suit beside the rank; to learn from, they come more often."""


def draw_index_plan(rng: np.random.Generator, px_per_mm: float, *, kept_out: bool) -> IndexPlan:
    """Draw the size and place of the indexes, from the smallest household to casino jumbo."""
    low, high = [(5.5, 8.0), (8.0, 10.5), (10.5, 14.0), (15.0, 20.0)][
        int(rng.choice(4, p=[0.2, 0.42, 0.22, 0.16]))
    ]
    rank = float(rng.uniform(low, high))
    share = float(rng.uniform(0.45, 1.0) if rng.random() < 0.85 else rng.uniform(1.0, 1.3))
    gap = float(rng.uniform(0.2, 1.0) if rng.random() < 0.5 else rng.uniform(0.8, 2.2))
    lack = 11.0 - rank * (1 + share) - gap
    if lack > 0:
        rank += lack / (1 + share)
    large = rank > 14
    if large:
        share = min(share, 0.8)
    odds = rng.random(4)
    return IndexPlan(
        rank_height=round(rank * px_per_mm),
        suit_height=round(rank * share * px_per_mm),
        gap=max(1, round(gap * px_per_mm)),
        left=round(float(rng.uniform(1.5, 4.5)) * px_per_mm),
        top=round(float(rng.uniform(1.8, 5.0)) * px_per_mm),
        corners=4 if odds[0] < 0.25 and rank < 11.5 else 2,
        from_left=bool(odds[1] < 0.12),
        aside=float(rng.uniform(0.15, 0.4)) if large and odds[2] < 0.2 else 0.0,
        beside=bool(odds[3] < (BESIDE_SHARE if kept_out else BESIDE_LEARNT)),
    )


@dataclass(frozen=True, slots=True)
class Index:
    """One card's index as a shape, and its place in the upper left corner of the face."""

    shape: Pixels
    rank: Pixels  # the part of the shape that is the rank
    left: int
    top: int

    @property
    def right(self) -> int:
        return self.left + int(self.shape.shape[1])

    @property
    def bottom(self) -> int:
        return self.top + int(self.shape.shape[0])


def column_width(ranks: dict[str, Pixels], suits: dict[str, Pixels]) -> int:
    """Say how wide the widest rank or suit of a deck stands."""
    return max(int(shape.shape[1]) for shape in (*ranks.values(), *suits.values()))


def set_index(plan: IndexPlan, rank: Pixels, suit: Pixels, column: int) -> Index:
    """Put rank and suit together; the shape is cut to the pixels that are really inked."""
    if plan.beside:
        rank_x, suit_x = 0, rank.shape[1] + plan.gap
        suit_y = plan.rank_height - suit.shape[0]
    else:
        suit_y = rank.shape[0] + max(1, plan.gap - (rank.shape[0] - plan.rank_height))
        rank_x = 0 if plan.from_left else (column - rank.shape[1]) // 2
        suit_x = 0 if plan.from_left else (column - suit.shape[1]) // 2
        suit_x += round(plan.aside * column)
    suit_y = max(0, suit_y)
    height = max(rank.shape[0], suit_y + suit.shape[0])
    width = max(rank_x + rank.shape[1], suit_x + suit.shape[1])
    whole = np.zeros((height, width), np.uint8)
    whole[: rank.shape[0], rank_x : rank_x + rank.shape[1]] = rank
    under = whole[suit_y : suit_y + suit.shape[0], suit_x : suit_x + suit.shape[1]]
    np.maximum(under, suit, out=under)
    alone = np.zeros_like(whole)
    alone[: rank.shape[0], rank_x : rank_x + rank.shape[1]] = rank
    rows = np.flatnonzero(whole.max(axis=1) >= _INKED)
    columns = np.flatnonzero(whole.max(axis=0) >= _INKED)
    inked = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    return Index(
        shape=np.ascontiguousarray(whole[inked]),
        rank=np.ascontiguousarray(alone[inked]),
        left=plan.left + int(columns[0]),
        top=plan.top + int(rows[0]),
    )


def print_indexes(
    picture: Pixels, index: Index, inks: tuple[Ink, Ink], corners: int
) -> tuple[NDArray[np.float32], ...]:
    """Print an index in the inks of rank and suit into its corners.

    Gives the box of each as it reads upright.
    """
    height, width = picture.shape[:2]
    tall, wide = index.shape.shape
    layers = [(index.shape, inks[1])]
    if inks[0] != inks[1]:
        layers.append((index.rank, inks[0]))
    boxes = []
    lefts = [index.left] if corners == 2 else [index.left, width - index.left - wide]
    for left in lefts:
        far_left, far_top = width - left - wide, height - index.top - tall
        for shape, ink in layers:
            print_shape(picture, shape, ink, left, index.top)
            print_shape(picture, upside_down(shape), ink, far_left, far_top)
        boxes.append(_box(left, index.top, wide, tall))
        boxes.append(np.ascontiguousarray(_box(far_left, far_top, wide, tall)[[2, 3, 0, 1]]))
    return tuple(boxes)


def _box(left: int, top: int, wide: int, tall: int) -> NDArray[np.float32]:
    right, bottom = left + wide, top + tall
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.float32)


@dataclass(frozen=True, slots=True)
class PipPlan:
    """How a deck sets the pips of its number cards, in parts of the face."""

    height: float  # of a pip, of the face's height
    across: float  # from the middle to a side column, of the width
    down: float  # from the middle to the outer rows, of the height
    ace: float  # height of the ace's pip, of the face's height
    single: bool  # every number card has one large pip instead of its number of pips


def draw_pip_plan(rng: np.random.Generator) -> PipPlan:
    return PipPlan(
        height=float(rng.uniform(0.11, 0.185)),
        across=float(rng.uniform(0.16, 0.25)),
        down=float(rng.uniform(0.28, 0.37)),
        ace=float(rng.choice([rng.uniform(0.12, 0.2), rng.uniform(0.2, 0.5)])),
        single=bool(rng.random() < 0.04),
    )


def print_pips(
    picture: Pixels, plan: PipPlan, rank: str, suit: Pixels, ink: Ink, clear: int
) -> None:
    """Print the pips of a number card; side columns keep `clear` pixels from the card's edge."""
    height, width = picture.shape[:2]
    slim = suit.shape[1] / suit.shape[0]
    tall = plan.height * height
    room = width / 2 - clear - 3
    across = min(plan.across * width, max(room - tall * slim / 2, 0.13 * width))
    # One size for all number cards: the middle column stands between those of the sides.
    factor = min(1.0, (room - across) * 2 / (tall * slim), across / (tall * slim))
    alone = rank == "A" or plan.single or factor < _SMALLEST_PIP
    if alone:
        tall = plan.ace * height
        factor = min(1.0, max(0.3, 1.6 * room / (tall * slim)))
    tall *= factor
    wide = tall * slim
    pip = resized(suit, wide, tall)
    turned = upside_down(pip)
    for column, row in PIP_PLACES["A" if alone else rank]:
        x = width / 2 + column * across - wide / 2
        y = height / 2 + row * plan.down * height - tall / 2
        print_shape(picture, turned if row > 0 else pip, ink, round(x), round(y))
