"""What a moment of a film showed, small and without its light, so that moments can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A frame as it is compared, and block by block what is no change and what lies still."""

    detail: NDArray[np.int16]
    nothing: NDArray[np.float32]
    """By how much a block may differ though nothing changed."""
    still: NDArray[np.bool_]
    side: int
    """Of a block, in pixels of the frame."""

    def unlike(self, detail: NDArray[np.int16]) -> NDArray[np.float32]:
        """How much each block differs from another picture: from 1 on it shows something else."""
        return difference(self.detail, detail, self.still.shape) / self.nothing


def difference(
    one: NDArray[np.int16], other: NDArray[np.int16], blocks: tuple[int, ...]
) -> NDArray[np.float32]:
    """How much each block of two pictures differs, in its mean."""
    apart = cv2.absdiff(one, other)
    means = cv2.resize(apart, (blocks[1], blocks[0]), interpolation=cv2.INTER_AREA)
    return means.astype(np.float32)


def take_over(
    picture: NDArray[np.int16], other: NDArray[np.int16], blocks: NDArray[np.bool_]
) -> None:
    """Replace some blocks of a picture by those of another."""
    if blocks.any():
        mask = cv2.resize(
            blocks.astype(np.uint8), picture.shape[::-1], interpolation=cv2.INTER_NEAREST
        )
        cv2.copyTo(other, mask, picture)
