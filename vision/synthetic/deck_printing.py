"""Ink on paper: laying a shape into a picture in one colour, and shapes into size."""

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""A picture (height, width, 3) in BGR, or a shape (height, width) where 255 is full ink."""
Ink = tuple[int, int, int]
"""Blue, green, red, as OpenCV orders them."""


def tight(shape: Pixels, at_least: int = 1) -> Pixels:
    """Cut a shape to its ink."""
    rows = np.flatnonzero(shape.max(axis=1) >= at_least)
    columns = np.flatnonzero(shape.max(axis=0) >= at_least)
    if rows.size == 0:
        return shape[:1, :1]
    return np.ascontiguousarray(shape[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])


def resized(shape: Pixels, width: float, height: float) -> Pixels:
    """Bring a shape to a size in whole pixels."""
    size = (max(1, round(width)), max(1, round(height)))
    smaller = size[0] <= shape.shape[1] and size[1] <= shape.shape[0]
    way = cv2.INTER_AREA if smaller else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(shape, size, interpolation=way), np.uint8)


def upside_down(picture: Pixels) -> Pixels:
    return np.ascontiguousarray(picture[::-1, ::-1])


def print_shape(picture: Pixels, shape: Pixels, ink: Ink, left: int, top: int) -> None:
    """Lay a shape into the picture in one ink; what falls outside is cut off."""
    height, width = shape.shape
    x0, y0 = max(0, left), max(0, top)
    x1, y1 = min(picture.shape[1], left + width), min(picture.shape[0], top + height)
    if x0 >= x1 or y0 >= y1:
        return
    share = shape[y0 - top : y1 - top, x0 - left : x1 - left, None].astype(np.uint16)
    under = picture[y0:y1, x0:x1].astype(np.uint16)
    laid = under * (255 - share) + np.array(ink, np.uint16) * share
    picture[y0:y1, x0:x1] = ((laid + 127) // 255).astype(np.uint8)


def mixed(first: Ink, second: Ink, share: float) -> Ink:
    """Mix the first ink with a share of the second."""
    one, two, three = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return one, two, three
