"""What is looked at again of an index that is hard to read.

An index of 14 pixels may read as spades or as clubs, as an 8 or as a 3; one that was set right
badly shows by half. So where the reader is in doubt two further networks look: the examiner at the
index with more of what surrounds it, and the surveyor at the whole card, as far as it shows, for
pips are larger and can be counted, and a court has a picture.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.boxes import Boxes, Image
from vision.cards import CARDS
from vision.index_crops import (
    EXAMINED_SIDE,
    FACE_SIDE,
    Box,
    Map,
    crop,
    map_examined,
    map_face,
)
from vision.model_files import Network
from vision.square_networks import SquareNetwork


@dataclass(frozen=True, slots=True)
class SecondLook:
    """A network that reads an index by a square of its own."""

    network: SquareNetwork
    placed: Callable[[Box, float], Map]

    def logits(self, image: Image, boxes: Boxes, leans: NDArray[np.float32]) -> NDArray[np.float32]:
        """What it says of the card at each index: 52 cards in order, or not readable."""
        side = self.network.side
        squares = [
            crop(image, self.placed(box, lean), side)
            for box, lean in zip(boxes, leans.tolist(), strict=True)
        ]
        return self.network.say(squares)


def examiner(network: Network) -> SecondLook:
    """Looks at an index with more of what surrounds it."""
    answers = len(CARDS) + 1
    return SecondLook(SquareNetwork("examiner", network, EXAMINED_SIDE, answers), map_examined)


def surveyor(network: Network) -> SecondLook:
    """Looks at the whole card."""
    return SecondLook(SquareNetwork("surveyor", network, FACE_SIDE, len(CARDS) + 1), map_face)
