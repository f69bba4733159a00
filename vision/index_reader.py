"""Reading a found index: which of the 52 cards it names, and how surely."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.boxes import Boxes, Image
from vision.card_surveyor import CardSurveyor
from vision.cards import CARDS
from vision.index_crops import CROP_SIDE, crop, map_upright
from vision.model_files import Network
from vision.square_networks import SquareNetwork

LEAST_READABLE = 0.3
"""What is less likely to be readable is none, and the surveyor is not asked."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """How what reader and surveyor say becomes probabilities that come true."""

    temperature: float = 1.0
    """Of what the reader says alone."""
    surveyed: float = 0.5
    """What the surveyor's word weighs beside the reader's."""
    surveyed_temperature: float = 1.0
    """Of what both say together."""
    sure_from: float = 0.9
    """Where the reader alone is as sure as that, the surveyor is not asked."""

    def alone(self, read: NDArray[np.float32]) -> NDArray[np.float32]:
        """The probabilities by the reader alone."""
        return softmax(read / np.float32(self.temperature))

    def together(
        self, read: NDArray[np.float32], surveyed: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """The probabilities by both."""
        both = (read + self.surveyed * surveyed) / self.surveyed_temperature
        return softmax(both.astype(np.float32))

    def doubtful(self, probabilities: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Of which the surveyor is asked, by what the reader says alone."""
        unsure = probabilities.max(axis=1) < self.sure_from
        return np.asarray(unsure & (1 - probabilities[:, -1] >= LEAST_READABLE))


class IndexReader:
    """Reads indexes that are turned upright, or nearly so."""

    def __init__(
        self,
        network: Network,
        surveyor: CardSurveyor | None = None,
        weighing: Weighing | None = None,
    ) -> None:
        """Use these weights, and where they are in doubt a surveyor."""
        self._network = SquareNetwork("reader", network, CROP_SIDE, len(CARDS) + 1)
        self._surveyor = surveyor
        self._weighing = weighing or Weighing()

    def read(self, image: Image, boxes: Boxes, leans: NDArray[np.float32]) -> NDArray[np.float32]:
        """The probabilities for each box: those of the 52 cards in order, then "not readable".

        `leans` says how many degrees each index leans to the right.
        """
        return self.weighed(image, boxes, leans, self.logits(image, boxes, leans))

    def weighed(
        self,
        image: Image,
        boxes: Boxes,
        leans: NDArray[np.float32],
        read: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        """The same of what the reader's network has said already."""
        said = self._weighing.alone(read)
        doubtful = np.flatnonzero(self._weighing.doubtful(said))
        if self._surveyor and len(doubtful):
            surveyed = self._surveyor.logits(image, boxes[doubtful], leans[doubtful])
            said[doubtful] = self._weighing.together(read[doubtful], surveyed)
        return said

    def logits(self, image: Image, boxes: Boxes, leans: NDArray[np.float32]) -> NDArray[np.float32]:
        """What the reader's network says, before anything makes probabilities of it."""
        return self._network.say(
            [
                crop(image, map_upright(box, lean))
                for box, lean in zip(boxes, leans.tolist(), strict=True)
            ]
        )


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probabilities from logits, row by row."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), dtype=np.float32)
