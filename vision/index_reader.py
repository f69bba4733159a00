"""Reading a found index: which of the 52 cards it names, and how surely."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.boxes import Boxes, Image
from vision.cards import CARDS
from vision.index_crops import CROP_SIDE, crop, map_upright, upright_heights
from vision.model_files import SURE_FROM, Network
from vision.second_looks import SecondLook
from vision.square_networks import SquareNetwork

LEAST_READABLE = 0.05
"""What is less likely to be readable is none, and is not looked at again."""
LEAST_LOOKED_AT = 12.5
"""Pixels: nor is what is less tall, for it is too small whatever it reads."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """How what is said of an index becomes probabilities that come true."""

    temperature: float = 1.0
    """Of what the reader says alone."""
    weights: tuple[float, ...] = (1.0,)
    """What the reader's word weighs beside those of the second looks, then theirs in order."""
    sure_from: float = SURE_FROM
    """Where the reader alone is as sure as that, nobody looks again."""

    def alone(self, read: NDArray[np.float32]) -> NDArray[np.float32]:
        """The probabilities by the reader alone."""
        return softmax(read / np.float32(self.temperature))

    def together(self, said: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """The probabilities by all that was said: the reader's word, then the second looks'."""
        weighed = (weight * each for weight, each in zip(self.weights, said, strict=True))
        return softmax(sum(weighed, np.zeros_like(said[0])))

    def doubtful(
        self, probabilities: NDArray[np.float32], heights: NDArray[np.float32]
    ) -> NDArray[np.bool_]:
        """What is looked at again, by what the reader says alone and by how tall it is."""
        unsure = probabilities.max(axis=1) < self.sure_from
        may_be_read = 1 - probabilities[:, -1] >= LEAST_READABLE
        return np.asarray(unsure & may_be_read & (heights >= LEAST_LOOKED_AT))


class IndexReader:
    """Reads indexes that are turned upright, or nearly so."""

    def __init__(
        self,
        network: Network,
        second_looks: Sequence[SecondLook] = (),
        weighing: Weighing | None = None,
    ) -> None:
        """Use these weights, and where they are in doubt second looks."""
        self._network = SquareNetwork("reader", network, CROP_SIDE, len(CARDS) + 1)
        self._second_looks = second_looks
        self._weighing = weighing or Weighing(weights=(1.0, *(0.5 for _ in second_looks)))

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
        doubtful = np.flatnonzero(self._weighing.doubtful(said, upright_heights(boxes, leans)))
        if self._second_looks and len(doubtful):
            looked = [
                look.logits(image, boxes[doubtful], leans[doubtful]) for look in self._second_looks
            ]
            said[doubtful] = self._weighing.together([read[doubtful], *looked])
        return said

    def doubtful(
        self, boxes: Boxes, leans: NDArray[np.float32], read: NDArray[np.float32]
    ) -> NDArray[np.bool_]:
        """What is looked at again, by what the reader's network has said."""
        alone = self._weighing.alone(read)
        return self._weighing.doubtful(alone, upright_heights(boxes, leans))

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
