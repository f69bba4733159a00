"""Areas of a frame: boxes round blocks of it, and boxes taken together."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from vision.card_reader import Box


def boxes_round(
    blocks: NDArray[np.bool_], side: int, weights: NDArray[np.float32] | None = None
) -> list[tuple[Box, float]]:
    """A box in pixels round each group of blocks that touch, and the weight of its blocks.

    Blocks with no more than one between them belong to one group.
    """
    joined = cv2.dilate(blocks.astype(np.uint8), np.ones((3, 3), np.uint8))
    count, labels = cv2.connectedComponents(joined)[:2]
    labels = np.where(blocks, labels, 0)
    boxes = []
    for number in range(1, count):
        rows, columns = np.nonzero(labels == number)
        weight = float(len(rows) if weights is None else weights[rows, columns].sum())
        box = (
            float(columns.min() * side),
            float(rows.min() * side),
            float((columns.max() + 1) * side),
            float((rows.max() + 1) * side),
        )
        boxes.append((box, weight))
    return boxes


def blocks_in(box: Box, side: int) -> tuple[slice, slice]:
    """The rows and columns of blocks that a box touches."""
    left, top, right, bottom = box
    return (
        slice(int(top // side), int(-(-bottom // side))),
        slice(int(left // side), int(-(-right // side))),
    )


def grown(box: Box, by: float, size: tuple[int, int]) -> Box:
    """A box with more round it, within a picture of this size."""
    left, top, right, bottom = box
    return (
        float(max(0, round(left - by))),
        float(max(0, round(top - by))),
        float(min(size[0], round(right + by))),
        float(min(size[1], round(bottom + by))),
    )


def contains(areas: Iterable[Box], box: Box) -> bool:
    """Whether one of these areas holds all of a box."""
    return any(
        area[0] <= box[0] and area[1] <= box[1] and area[2] >= box[2] and area[3] >= box[3]
        for area in areas
    )


def merged(boxes: Sequence[Box], most: int) -> tuple[Box, ...]:
    """Boxes that hold all of these, at most so many; those that overlap become one."""
    kept = list(boxes)
    while True:
        pairs = [
            (_wasted(kept[one], kept[other]), one, other)
            for one, other in combinations(range(len(kept)), 2)
        ]
        if not pairs:
            break
        waste, one, other = min(pairs)
        if waste > 0 and len(kept) <= most:
            break
        both = _round_both(kept[one], kept[other])
        kept = [box for place, box in enumerate(kept) if place not in (one, other)] + [both]
    return tuple(sorted(kept))


def _wasted(one: Box, other: Box) -> float:
    """How much more would be read if both were read as one."""
    return _extent(_round_both(one, other)) - _extent(one) - _extent(other)


def _round_both(one: Box, other: Box) -> Box:
    return (
        min(one[0], other[0]),
        min(one[1], other[1]),
        max(one[2], other[2]),
        max(one[3], other[3]),
    )


def _extent(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
