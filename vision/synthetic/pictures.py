"""Drawn pictures and the truth about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class DrawnIndex:
    card: str
    corners: NDArray[np.float32]  # (4, 2) px, from the upper left as the index reads upright
    visible: float  # share of its area that nothing covers and that is inside the picture
    height: float  # px, how tall it would be at its most compressed scale
    blur: float = 0.5  # px: deviation of what lens, movement and recorder smear a point over
    contrast: float = 255.0  # levels between ink and paper as recorded, of rank or suit, the lesser
    owner: int = 0  # the place of its card among those that were laid

    @property
    def box(self) -> NDArray[np.float32]:
        """The upright box round it: left, top, right, bottom."""
        return np.concatenate([self.corners.min(axis=0), self.corners.max(axis=0)])

    @property
    def sharpness(self) -> float:
        """How many times the width of the blur it is tall."""
        return self.height / self.blur


@dataclass(frozen=True, slots=True)
class DrawnCard:
    card: str | None  # None: face down
    outline: NDArray[np.float32]  # (4, 2) px, from the card's own upper left
    visible: float


@dataclass(frozen=True, slots=True)
class Picture:
    image: NDArray[np.uint8]
    indexes: tuple[DrawnIndex, ...]  # covered ones too
    cards: tuple[DrawnCard, ...]  # from the lowest to the topmost
