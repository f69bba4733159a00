"""Boxes in a picture: left, top, right, bottom in pixels, one row for each."""

import math
from collections.abc import Callable

import cv2
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
    return best_of_sharing(by(boxes, boxes), scores, most)


def best_of_sharing(
    shares: NDArray[np.float32], scores: NDArray[np.float32], most: float
) -> NDArray[np.intp]:
    """Which things remain, best first, when none may share more than `most` with a better one."""
    kept: list[int] = []
    for number in np.argsort(-scores, kind="stable").tolist():
        if not kept or shares[number, kept].max() <= most:
            kept.append(number)
    return np.array(kept, dtype=np.intp)


def turned_shares(
    some: Boxes, sizes: NDArray[np.float32], leans: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The area that each two turned rectangles share, by the smaller of the two.

    Boxes are those round them: where these do not overlap, neither do they. Side by side in a fan
    that lies askew, boxes of neighbours overlap by half, and what is in them hardly.
    """
    shares = shares_of_smaller(some, some)
    middles = centres(some).tolist()
    turned = [
        (tuple(middle), tuple(size), angle)
        for middle, size, angle in zip(middles, sizes.tolist(), leans.tolist(), strict=True)
    ]
    for one, other in np.argwhere(np.triu(shares, 1) > 0).tolist():
        _, points = cv2.rotatedRectangleIntersection(turned[one], turned[other])
        shared = 0.0 if points is None else cv2.contourArea(cv2.convexHull(points))
        smaller = min(np.prod(sizes[one]), np.prod(sizes[other]))
        shares[one, other] = shares[other, one] = shared / max(float(smaller), 1e-6)
    return shares


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
