"""Whether an index stands out of the grain enough to be told from the others of its deck.

What tells an index from the most similar one of its deck, filmed alike, is set against what noise
and coding changed in it: the discriminability (d′) that signal detection theory gives to one who
knows the deck and wastes nothing. People who read letters in noise use only a part of what is
there, less of intricate type than of plain (Pelli and others, "Feature detection and letter
identification", 2006); here they are taken to use a tenth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.cards import CARDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from vision.synthetic.decks import Deck
    from vision.synthetic.pictures import DrawnIndex
    from vision.synthetic.tables import LaidCard, Table

PEOPLE_USE: Final = 0.1
RIGHT_OFTEN: Final = 0.995
LEAST_DISTINCTNESS: Final = 2 * NormalDist().inv_cdf(RIGHT_OFTEN) / PEOPLE_USE**0.5
"""From here on somebody who has to choose between two indexes is right 199 times of 200."""
LEAST_GRAIN: Final = 0.3  # levels: whole numbers of levels are no finer
_AROUND: Final = 12  # px round an index that may be blurred into it
_WIDER: Final = 1.15  # print goes a little beyond the corners
_RIVALS: Final = 4  # of those whose print is most alike
_AS_SEEN: Final = np.array(
    [[0.114, 0.587, 0.299], [0.5, -0.331, -0.169], [-0.081, -0.419, 0.5]]
)  # brightness and two differences of colour: in these the grain of one says little of the others


@dataclass(frozen=True, slots=True)
class Filmed:
    """A moment of a table as it was filmed, and as it were without noise and coding."""

    table: Table
    laid: Sequence[LaidCard]
    moving: Mapping[int, tuple[float, float]]
    image: NDArray[np.uint8]
    clean: NDArray[np.uint8]

    def distinctness(self, index: DrawnIndex) -> float:
        """How many times the grain an index differs from the most similar one of its deck."""
        low = np.floor(index.corners.min(axis=0)).astype(int) - _AROUND
        high = np.ceil(index.corners.max(axis=0)).astype(int) + _AROUND
        low, high = low.clip(0), np.minimum(high, self.table.camera.size)
        part = slice(low[1], high[1]), slice(low[0], high[0])
        inside = _inside(index.corners - low, (high[1] - low[1], high[0] - low[0]))
        grain = _as_seen(self.image[part], inside) - _as_seen(self.clean[part], inside)
        levels = np.maximum(np.sqrt((grain**2).mean(axis=0)), LEAST_GRAIN)
        near = replace(
            self.table.seen_through(self.table.camera.window(*low, *(high - low))),
            filming=self.table.filming.without_grain(),
            furnishing=None,
        )
        card = self.laid[index.owner]
        moving = {0: self.moving[index.owner]} if index.owner in self.moving else {}

        def filmed(name: str) -> NDArray[np.float64]:
            alone = near.draw([replace(card, card=name)], moving=moving)
            return _as_seen(alone.image, inside)

        own = filmed(card.card)
        apart = [
            float(np.sqrt((((filmed(rival) - own) / levels) ** 2).sum()))
            for rival in most_alike(self.table.deck, card.card, index.height)
        ]
        return min(apart)


def most_alike(deck: Deck, card: str, tall: float) -> list[str]:
    """The cards whose index is most like that of a card where it is printed so many pixels tall.

    Only those of its rank or of its suit, for what differs in both differs more.
    """
    corners = deck.face(card).indexes[0]
    low, high = np.floor(corners.min(axis=0)).astype(int), np.ceil(corners.max(axis=0)).astype(int)
    scale = tall / max(float(high[1] - low[1]), 1.0)
    size = (max(round((high[0] - low[0]) * scale), 1), max(round(tall), 1))

    def printed(name: str) -> NDArray[np.float64]:
        part = deck.face(name).image[low[1] : high[1], low[0] : high[0]]
        return cv2.resize(part, size, interpolation=cv2.INTER_AREA).astype(np.float64)

    own = printed(card)
    rivals = [name for name in CARDS if name != card and (name[0] == card[0] or name[1] == card[1])]
    return sorted(rivals, key=lambda name: float(np.square(printed(name) - own).sum()))[:_RIVALS]


def _inside(corners: NDArray[np.float32], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Which pixels of a part of the picture show an index."""
    middle = corners.mean(axis=0)
    wider = np.round((corners - middle) * _WIDER + middle).astype(np.int32)
    return np.asarray(cv2.fillConvexPoly(np.zeros(shape, np.uint8), wider, 1), np.bool_)


def _as_seen(image: NDArray[np.uint8], inside: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Brightness and colour of some pixels."""
    return np.asarray(image[inside].astype(np.float64) @ _AS_SEEN.T)
