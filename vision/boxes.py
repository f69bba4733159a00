"""Boxes in a picture: left, top, right, bottom in pixels, one row for each."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""Height × width × 3, blue first, as OpenCV reads pictures."""
Boxes = NDArray[np.float32]
USUAL_INDEX_SHAPE = 1.9
"""Height of an index (rank above suit) by its width, where the deck is not known."""


def overlaps(some: Boxes, others: Boxes) -> NDArray[np.float32]:
    """The area that each box of one list shares with each of another, by the area of both."""
    shared = _shared(some, others)
    together = areas(some)[:, None] + areas(others)[None] - shared
    return np.asarray(shared / np.maximum(together, 1e-6), dtype=np.float32)


def shares_of_smaller(some: Boxes, others: Boxes) -> NDArray[np.float32]:
    """The area that each box of one list shares with each of another, by the smaller of the two."""
    smaller = np.minimum(areas(some)[:, None], areas(others)[None])
    return np.asarray(_shared(some, others) / np.maximum(smaller, 1e-6), dtype=np.float32)


def _shared(some: Boxes, others: Boxes) -> NDArray[np.float32]:
    low = np.maximum(some[:, None, :2], others[None, :, :2])
    high = np.minimum(some[:, None, 2:], others[None, :, 2:])
    return np.asarray(np.prod(np.clip(high - low, 0, None), axis=2), dtype=np.float32)


def areas(boxes: Boxes) -> NDArray[np.float32]:
    """The area of each box."""
    size = np.clip(boxes[:, 2:] - boxes[:, :2], 0, None)
    return np.asarray(size[:, 0] * size[:, 1], dtype=np.float32)


def centres(boxes: Boxes) -> NDArray[np.float32]:
    """The middle of each box."""
    return np.asarray((boxes[:, :2] + boxes[:, 2:]) / 2, dtype=np.float32)


def best_of_overlapping(
    boxes: Boxes,
    scores: NDArray[np.float32],
    most: float,
    by: Callable[[Boxes, Boxes], NDArray[np.float32]] = overlaps,
) -> NDArray[np.intp]:
    """Which boxes remain, best first, when none may overlap a better one by more than `most`."""
    order = np.argsort(-scores, kind="stable")
    shared = by(boxes[order], boxes[order])
    kept: list[int] = []
    for number in range(len(order)):
        if not kept or shared[number, kept].max() <= most:
            kept.append(number)
    return order[np.array(kept, dtype=np.intp)]


def lean(corners: NDArray[np.float32]) -> float:
    """How many degrees an index leans to the right, from its corners as it reads upright."""
    up = (corners[0] + corners[1] - corners[2] - corners[3]) / 2
    return float(np.degrees(np.arctan2(up[0], -up[1])))


def index_height(width: float, height: float) -> float:
    """How tall an index is that has a box of this size round it, however it is turned.

    A box round a turned rectangle of known shape tells the angle, but for its sign: the box of one
    turned by 30 degrees is a ninth taller than the index itself.
    """
    longer, shorter = max(width, height), min(width, height)
    if longer <= 0:
        return 0.0
    across = 1 / USUAL_INDEX_SHAPE
    ratio = shorter / longer
    turned = math.atan(min(max((ratio - across) / (1 - ratio * across), 0.0), 1.0))
    return longer / (math.cos(turned) + across * math.sin(turned))
