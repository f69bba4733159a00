"""Real pictures of cards, as lessons: the folders of `shared/data/train`, and any like them.

Boxes round indexes teach the reader, and the finder only after a first finder has found the indexes
that nobody labelled; boxes round whole cards teach the reader through the indexes that a first
finder finds in them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards import NUMBERS
from vision.training.shards import PATCH_SIDE, Image, Patch, patch_round


@dataclass(frozen=True, slots=True)
class RealPicture:
    """A picture with boxes: rows of left, top, right, bottom in pixels, and the card in each."""

    path: Path
    image: Image
    boxes: NDArray[np.float32]
    cards: tuple[str, ...]


def real_pictures(folder: Path, names: Sequence[str]) -> Iterator[RealPicture]:
    """Read a folder of `images/` and `labels/` (YOLO text)."""
    for path in sorted((folder / "images").iterdir()):
        image = cv2.imread(str(path))
        labels = folder / "labels" / f"{path.stem}.txt"
        if image is None or not labels.exists():
            continue
        high, wide = image.shape[:2]
        boxes, cards = [], []
        for line in labels.read_text("utf-8").splitlines():
            kind, x, y, width, height = line.split()[:5]
            x0, y0 = float(x) * wide, float(y) * high
            w0, h0 = float(width) * wide, float(height) * high
            boxes.append((x0 - w0 / 2, y0 - h0 / 2, x0 + w0 / 2, y0 + h0 / 2))
            cards.append(names[int(kind)])
        yield RealPicture(
            path,
            np.asarray(image, np.uint8),
            np.array(boxes, np.float32).reshape(-1, 4),
            tuple(cards),
        )


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
