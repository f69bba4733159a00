"""Reading a found index: which of the 52 cards it names, and how surely."""

import numpy as np
from numpy.typing import NDArray

from vision.boxes import Boxes, Image
from vision.cards import CARDS
from vision.index_crops import CROP_SIDE, as_input, crop, map_upright
from vision.model_files import BadModel, Network

BATCH = 64


class IndexReader:
    """Reads indexes that are turned upright, or nearly so."""

    def __init__(self, network: Network, temperature: float = 1.0) -> None:
        """Use these weights; the temperature makes their probabilities come true."""
        side = network.input_shape[-1]
        if side not in (None, CROP_SIDE):
            raise BadModel(f"the reader takes squares of {side} pixels, cut are {CROP_SIDE}")
        self._network = network
        self._temperature = temperature

    def read(self, image: Image, boxes: Boxes, leans: NDArray[np.float32]) -> NDArray[np.float32]:
        """The probabilities for each box: those of the 52 cards in order, then "not readable".

        `leans` says how many degrees each index leans to the right.
        """
        return softmax(self.logits(image, boxes, leans) / self._temperature)

    def logits(self, image: Image, boxes: Boxes, leans: NDArray[np.float32]) -> NDArray[np.float32]:
        """What the network says, before a temperature makes probabilities of it."""
        if not len(boxes):
            return np.zeros((0, len(CARDS) + 1), dtype=np.float32)
        given = as_input(
            [
                crop(image, map_upright(box, lean))
                for box, lean in zip(boxes, leans.tolist(), strict=True)
            ]
        )
        parts = [self._network.run(given[at : at + BATCH]) for at in range(0, len(given), BATCH)]
        logits = np.concatenate(parts)
        if logits.shape[1:] != (len(CARDS) + 1,):
            raise BadModel(f"the reader gives an array of shape {logits.shape}, not 53 classes")
        return logits


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probabilities from logits, row by row."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), dtype=np.float32)
