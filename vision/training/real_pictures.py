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

from vision.boxes import Image
from vision.card_reader import read_image
from vision.cards import NUMBERS
from vision.labelled_folder import read_labelled_folder
from vision.training.shards import PATCH_SIDE, Patch, patch_round


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


def box_patch(image: Image, box: NDArray[np.float32], turns: int, card: str) -> Patch:
    """The patch of an index of which only the box and the nearest quarter turn is known."""
    left, top, right, bottom = box.tolist()
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    patch = patch_round(image, corners, NUMBERS[card], max(right - left, bottom - top))
    upright = np.ascontiguousarray(np.rot90(patch.image, turns))
    # A quarter turn to the left takes (x, y) to (y, side - x).
    placed = patch.corners
    for _ in range(turns):
        placed = np.column_stack([placed[:, 1], PATCH_SIDE - placed[:, 0]])
    return Patch(upright, placed.astype(np.float32), patch.number, patch.height, may_turn=False)
