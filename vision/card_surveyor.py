"""What the face of a card tells of an index that is hard to read.

An index of 14 pixels may read as spades or as clubs, as an 8 or as a 3; but the pips of its card
are larger and can be counted, and a court has a picture. So where the reader is in doubt a network
of its own looks at the whole card, as far as it shows.
"""

import numpy as np
from numpy.typing import NDArray

from vision.boxes import Boxes, Image
from vision.cards import CARDS
from vision.index_crops import FACE_SIDE, crop, map_face
from vision.model_files import Network
from vision.square_networks import SquareNetwork


class CardSurveyor:
    """Reads indexes by the cards that they are printed on."""

    def __init__(self, network: Network) -> None:
        """Use these weights."""
        self._network = SquareNetwork("surveyor", network, FACE_SIDE, len(CARDS) + 1)

    def logits(self, image: Image, boxes: Boxes, leans: NDArray[np.float32]) -> NDArray[np.float32]:
        """What the network says of the card at each index: 52 cards in order, or not readable."""
        faces = [
            crop(image, map_face(box, lean), FACE_SIDE)
            for box, lean in zip(boxes, leans.tolist(), strict=True)
        ]
        return self._network.say(faces)
