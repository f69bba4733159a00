"""Reading a found index: which of the 52 cards it names, and how surely."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.boxes import Boxes, Image
from vision.cards import CARDS
from vision.model_files import BadModel, Network

CROP_SIDE = 48
"""Pixels of the square the reader looks at."""
CROP_MARGIN = 1.5
"""The square's side in the picture, as a multiple of the longer side of the index's box."""
BATCH = 64


class IndexReader:
    """Reads indexes that are turned nearly upright; it has seen them lean in training."""

    def __init__(self, network: Network, temperature: float = 1.0) -> None:
        """Use these weights; the temperature makes their probabilities come true."""
        side = network.input_shape[-1]
        if side not in (None, CROP_SIDE):
            raise BadModel(f"the reader takes squares of {side} pixels, cut are {CROP_SIDE}")
        self._network = network
        self._temperature = temperature

    def read(self, image: Image, boxes: Boxes, turns: NDArray[np.intp]) -> NDArray[np.float32]:
        """The probabilities for each box: those of the 52 cards in order, then "not readable".

        `turns` says how many quarter turns to the left bring each index nearest to upright.
        """
        if not len(boxes):
            return np.zeros((0, len(CARDS) + 1), dtype=np.float32)
        crops = np.stack(
            [
                np.rot90(crop_index(image, box), turn)
                for box, turn in zip(boxes, turns.tolist(), strict=True)
            ]
        )
        given = np.ascontiguousarray(crops[..., ::-1].transpose(0, 3, 1, 2), dtype=np.float32)
        given /= 255
        parts = [self._network.run(given[at : at + BATCH]) for at in range(0, len(given), BATCH)]
        logits = np.concatenate(parts)
        if logits.shape[1:] != (len(CARDS) + 1,):
            raise BadModel(f"the reader gives an array of shape {logits.shape}, not 53 classes")
        return softmax(logits / self._temperature)


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probabilities from logits, row by row."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), dtype=np.float32)


def crop_index(image: Image, box: Sequence[float] | NDArray[np.float32]) -> Image:
    """The square round an index that the reader looks at, in the picture's own colour order.

    The box is left, top, right, bottom. The square has the box's centre and `CROP_MARGIN` times its
    longer side, so an index keeps its shape at any angle. Beyond the border of the picture the
    outermost pixels go on. What is enlarged is placed to a fraction of a pixel, as small indexes
    are; what is shrunk is averaged, so that no stroke falls between the samples.
    """
    left, top, right, bottom = (float(edge) for edge in box)
    side = max(CROP_MARGIN * max(right - left, bottom - top), 1.0)
    corner_x, corner_y = (left + right - side) / 2, (top + bottom - side) / 2
    if side > CROP_SIDE:
        return _shrunk(image, round(corner_x), round(corner_y), round(side))
    step = side / CROP_SIDE
    # Pixel centres lie at whole numbers, edges of boxes at the sides of pixels: hence the halves.
    placed = np.array(
        [[step, 0, corner_x + step / 2 - 0.5], [0, step, corner_y + step / 2 - 0.5]],
        dtype=np.float64,
    )
    crop = cv2.warpAffine(
        image,
        placed,
        (CROP_SIDE, CROP_SIDE),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(crop, dtype=np.uint8)


def _shrunk(image: Image, left: int, top: int, side: int) -> Image:
    square = square_part(image, left, top, side)
    shrunk = cv2.resize(square, (CROP_SIDE, CROP_SIDE), interpolation=cv2.INTER_AREA)
    return np.asarray(shrunk, dtype=np.uint8)


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
