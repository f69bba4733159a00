"""How likely a find is an index at all.

The finder says how much it looks like one, the reader how surely it can be read. Neither is enough:
print on the cloth may look like an index, and a blurred index hardly reads.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

LEAST: Final = 1e-6
STEPS: Final = 40
STIFFNESS: Final = 0.01
"""Keeps weights finite where a few finds can be told apart without fail."""


@dataclass(frozen=True, slots=True)
class Belief:
    """What the finder's score and the reader's word weigh."""

    by_score: float = 1.0
    by_reading: float = 1.0
    offset: float = 0.0

    def of(self, scores: NDArray[np.float32], readable: NDArray[np.float32]) -> NDArray[np.float32]:
        """The probability of each find that it is an index."""
        odds = _signs(scores, readable) @ (self.by_score, self.by_reading, self.offset)
        return np.asarray(1 / (1 + np.exp(-odds)), np.float32)


UNFITTED: Final = Belief()


def fitted_belief(
    scores: NDArray[np.float32], readable: NDArray[np.float32], are_indexes: NDArray[np.bool_]
) -> Belief:
    """The weights under which what was found of known things is the likeliest."""
    signs = _signs(scores, readable)
    weights = np.zeros(3)
    for _ in range(STEPS):
        told = 1 / (1 + np.exp(-signs @ weights))
        slope = signs.T @ (told - are_indexes) + STIFFNESS * weights
        bend = (signs * (told * (1 - told))[:, None]).T @ signs + STIFFNESS * np.eye(3)
        weights -= np.linalg.solve(bend, slope)
    return Belief(*(round(float(each), 3) for each in weights))


def _signs(scores: NDArray[np.float32], readable: NDArray[np.float32]) -> NDArray[np.float64]:
    """Rows of what speaks for an index: on scales on which evidence adds up."""
    score = np.log(np.maximum(scores.astype(np.float64), LEAST))
    read = np.clip(readable.astype(np.float64), LEAST, 1 - LEAST)
    return np.column_stack([score, np.log(read / (1 - read)), np.ones(len(score))])
