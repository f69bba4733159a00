"""Real pictures of cards, as lessons: the folders of `shared/data/train`, and any like them.

Boxes round indexes teach the reader, and the finder only after a first finder has found the indexes
that nobody labelled; boxes round whole cards teach the reader through the indexes that a first
finder finds in them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.boxes import USUAL_INDEX_SHAPE, Image
from vision.card_reader import read_image
from vision.cards import NUMBERS
from vision.index_crops import upright_height
from vision.labelled_folder import read_labelled_folder
from vision.training.shards import Patch, patch_round

CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))
"""Of an index, from the upper left as it reads."""


@dataclass(frozen=True, slots=True)
class RealPicture:
    """A picture with boxes: rows of left, top, right, bottom in pixels, and the card in each."""

    path: Path
    image: Image
    boxes: NDArray[np.float32]
    cards: tuple[str, ...]


def real_pictures(folder: Path) -> Iterator[RealPicture]:
    """Read a folder of pictures with labels."""
    for file in read_labelled_folder(folder):
        image = read_image(file.path)
        marked = file.labels(image.shape[1], image.shape[0])
        labels = [label for label in marked if label.name in NUMBERS]
        boxes = np.array([label.box for label in labels], np.float32).reshape(-1, 4)
        yield RealPicture(file.path, image, boxes, tuple(label.name for label in labels))


def box_patch(image: Image, box: NDArray[np.float32], lean: float, card: str) -> Patch:
    """The patch of an index of which only the box is known, and how far it leans."""
    height = upright_height(box, lean)
    middle, half = (box[:2] + box[2:]) / 2, np.array([height / USUAL_INDEX_SHAPE, height]) / 2
    turn = np.radians(lean)
    across, down = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    corners = np.array(
        [middle + x * half[0] * across + y * half[1] * down for x, y in CORNERS], np.float32
    )
    return patch_round(image, corners, NUMBERS[card], height)
