"""Networks that say what they were told to, and what finders, turners and readers say."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.boxes import Image
from vision.cards import NUMBERS
from vision.index_turner import PLACE, STEPS, IndexTurner
from vision.model_files import Network


class Told(Network):
    """A network that says what it was told to, and keeps what it was given."""

    def __init__(self, *answers: NDArray[np.float32]) -> None:
        self.answers = list(answers)
        self.given: list[NDArray[np.float32]] = []
        self.input_shape = (1, 3, None, None)

    def run(self, given: NDArray[np.float32]) -> NDArray[np.float32]:
        self.given.append(given)
        return self.answers[min(len(self.given), len(self.answers)) - 1]


def finds(*rows: Sequence[float]) -> NDArray[np.float32]:
    """What a finder gives: left, top, right, bottom, score, class of each find."""
    return np.array(rows, dtype=np.float32).reshape(1, -1, 6)


def grey(width: int, height: int) -> Image:
    return np.full((height, width, 3), 128, dtype=np.uint8)


def turner(*leans: int, rival: int | None = None) -> IndexTurner:
    """A turner that tells steps, and perhaps that another is nearly as likely; boxes are right."""
    said = np.full((len(leans), STEPS + PLACE), -9, np.float32)
    said[:, STEPS:] = 0, 0, 0, -np.log(2)
    for row, step in enumerate(leans):
        said[row, step] = 9
        if rival is not None:
            said[row, rival] = 8.6
    return IndexTurner(Told(said))


def at(card: str) -> NDArray[np.float32]:
    """What a reader says that is sure of a card."""
    logits = np.zeros((1, 53), np.float32)
    logits[0, NUMBERS[card]] = 12
    return logits
