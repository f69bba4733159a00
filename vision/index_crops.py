"""The squares round indexes that the networks look at: as an index lies, or turned upright."""

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.boxes import USUAL_INDEX_SHAPE, Boxes, Image

CROP_SIDE = 64
"""Pixels of the square that is looked at."""
CROP_MARGIN = 2.0
"""The square's side in the picture, as a multiple of the index's height.

Wide enough to hold an index of which only the rank was found, and the pips beside one.
"""
EXAMINED_SIDE = 80
EXAMINED_MARGIN = 8 / 3
"""The same of the square that is looked at where an index is hard to read: what is hard to read was
often set right badly, and so more of what surrounds it is seen."""
FACE_SIDE = 96
FACE_MARGIN = 6.4
FACE_AT = (0.36, 0.2)
"""The same of the square that shows the face of the card with an index, and where in it the index
is: the card goes on below and mostly to the right."""
Box = Sequence[float] | NDArray[np.float32]
"""Left, top, right, bottom."""
Map = NDArray[np.float64]
"""Two rows of three: from pixels of the square to pixels of the picture."""


def map_as_it_lies(box: Box, margin: float = CROP_MARGIN, side: int = CROP_SIDE) -> Map:
    """The square that has the box's centre; its longer side counts as the index's height."""
    left, top, right, bottom = (float(edge) for edge in box)
    return _map(box, max(right - left, bottom - top), 0.0, margin, side)


def map_upright(box: Box, lean: float, margin: float = CROP_MARGIN, side: int = CROP_SIDE) -> Map:
    """The square that is turned with an index which leans so many degrees to the right."""
    return _map(box, upright_height(box, lean), lean, margin, side)


def map_examined(
    box: Box, lean: float, margin: float = EXAMINED_MARGIN, side: int = EXAMINED_SIDE
) -> Map:
    """The square that shows more of what surrounds an index which leans so."""
    return map_upright(box, lean, margin, side)


def map_face(box: Box, lean: float, margin: float = FACE_MARGIN, side: int = FACE_SIDE) -> Map:
    """The square that shows the card on which an index leans so many degrees to the right."""
    return _map(box, upright_height(box, lean), lean, margin, side, FACE_AT)


def upright_height(box: Box, lean: float) -> float:
    """How tall an index of the usual shape is that leans so and has this box round it."""
    left, top, right, bottom = (float(edge) for edge in box)
    turn = math.radians(lean)
    spread = (1 + 1 / USUAL_INDEX_SHAPE) * (abs(math.cos(turn)) + abs(math.sin(turn)))
    return (right - left + bottom - top) / spread


def upright_heights(boxes: Boxes, leans: NDArray[np.float32]) -> NDArray[np.float32]:
    """The same of many."""
    each = (upright_height(box, lean) for box, lean in zip(boxes, leans.tolist(), strict=True))
    return np.fromiter(each, np.float32, len(boxes))


def _map(
    box: Box,
    height: float,
    lean: float,
    margin: float = CROP_MARGIN,
    side: int = CROP_SIDE,
    place: tuple[float, float] = (0.5, 0.5),
) -> Map:
    left, top, right, bottom = (float(edge) for edge in box)
    step = max(margin * height, 1.0) / side
    turn = math.radians(lean)
    across, down = step * math.cos(turn), step * math.sin(turn)
    linear = np.array([[across, -down], [down, across]])
    # Pixel centres lie at whole numbers, edges of boxes at the sides of pixels: hence the halves.
    middle = np.array([left + right - 1, top + bottom - 1]) / 2
    return np.column_stack([linear, middle - linear @ ((side - 1) * np.array(place))])


def crop(image: Image, placed: Map, wide: int = CROP_SIDE) -> Image:
    """Cut a square that is so many pixels wide out of a picture.

    Beyond the border of the picture the outermost pixels go on. What is enlarged is placed to a
    fraction of a pixel, as small indexes are; what is shrunk is averaged first, so that no stroke
    falls between the samples.
    """
    step = math.hypot(placed[0, 0], placed[1, 0])
    if step > 1:
        middle = placed @ (wide / 2, wide / 2, 1)
        side = math.ceil(wide * step * math.sqrt(2)) + 2
        left, top = (math.floor(at - side / 2) for at in middle)
        part = square_part(image, left, top, side)
        small = max(round(side / step), 1)
        image = np.asarray(cv2.resize(part, (small, small), interpolation=cv2.INTER_AREA), np.uint8)
        scale = small / side
        placed = placed * scale
        placed[:, 2] += 0.5 * scale - 0.5 - np.array([left, top]) * scale
    cut = cv2.warpAffine(
        image,
        placed,
        (wide, wide),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(cut, dtype=np.uint8)


def as_input(crops: Sequence[Image]) -> NDArray[np.float32]:
    """Squares as the networks take them: red first, planes, from 0 to 1."""
    stacked = np.stack(crops)[..., ::-1].transpose(0, 3, 1, 2)
    return np.ascontiguousarray(stacked, dtype=np.float32) / np.float32(255)


def square_part(image: Image, left: int, top: int, side: int) -> Image:
    """A square of the picture; beyond its border the outermost pixels go on."""
    height, width = image.shape[:2]
    inside = image[
        min(max(top, 0), height - 1) : max(top + side, 1),
        min(max(left, 0), width - 1) : max(left + side, 1),
    ]
    before = (max(-top, 0), max(-left, 0))
    beyond = (max(top + side - height, 0), max(left + side - width, 0))
    square: cv2.typing.MatLike = inside
    if any(before) or any(beyond):
        square = cv2.copyMakeBorder(
            inside, before[0], beyond[0], before[1], beyond[1], cv2.BORDER_REPLICATE
        )
    return np.asarray(square, dtype=np.uint8)
