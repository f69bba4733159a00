"""Networks that look at squares cut out of a picture: any number of them in, as many rows out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.boxes import Image
from vision.index_crops import as_input
from vision.model_files import BadModel, Network

BATCH = 64


@dataclass(frozen=True, slots=True)
class SquareNetwork:
    """A network by what it is called, with the pixels of its squares and what it says of each."""

    name: str
    network: Network
    side: int
    answers: int

    def __post_init__(self) -> None:
        """Refuse weights that look at squares of another size."""
        side = self.network.input_shape[-1]
        if side not in (None, self.side):
            raise BadModel(f"the {self.name} takes squares of {side} pixels, cut are {self.side}")

    def say(self, squares: Sequence[Image]) -> NDArray[np.float32]:
        """What it says of each square."""
        if not squares:
            return np.zeros((0, self.answers), np.float32)
        given = as_input(squares)
        parts = [self.network.run(given[at : at + BATCH]) for at in range(0, len(given), BATCH)]
        said = np.concatenate(parts)
        if said.shape[1:] != (self.answers,):
            raise BadModel(
                f"the {self.name} gives an array of shape {said.shape}, "
                f"not {self.answers} numbers for each square"
            )
        return said
