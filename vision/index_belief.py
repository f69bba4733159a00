"""How likely a find is an index at all.

The finder says how much it looks like one, the reader how surely it can be read, and how surely as
which card. None of them is enough: print on the cloth may look like an index, a blurred index
hardly reads, and what is no index reads as now one card, now another.
"""

import math
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
    by_card: float = 0.0
    offset: float = 0.0

    def odds(
        self, scores: NDArray[np.float32], probabilities: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """The logarithm of the odds that each find is an index.

        Probabilities are those of the 52 cards, then "not readable".
        """
        weights = (self.by_score, self.by_reading, self.by_card, self.offset)
        return np.asarray(_signs(scores, probabilities) @ weights, np.float64)

    def of(
        self, scores: NDArray[np.float32], probabilities: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """The probability of each find that it is an index."""
        return np.asarray(1 / (1 + np.exp(-self.odds(scores, probabilities))))


UNFITTED: Final = Belief()


def log_odds(probability: float) -> float:
    """The logarithm of the odds of something this likely."""
    kept = min(max(probability, LEAST), 1 - LEAST)
    return math.log(kept / (1 - kept))


def fitted_belief(
    scores: NDArray[np.float32],
    probabilities: NDArray[np.float32],
    are_indexes: NDArray[np.bool_],
) -> Belief:
    """The weights under which what was found of known things is the likeliest."""
    signs = _signs(scores, probabilities)
    weights = np.zeros(signs.shape[1])
    for _ in range(STEPS):
        told = 1 / (1 + np.exp(-signs @ weights))
        slope = signs.T @ (told - are_indexes) + STIFFNESS * weights
        bend = (signs * (told * (1 - told))[:, None]).T @ signs + STIFFNESS * np.eye(len(weights))
        weights -= np.linalg.solve(bend, slope)
    return Belief(*(round(float(each), 3) for each in weights))


def _signs(scores: NDArray[np.float32], probabilities: NDArray[np.float32]) -> NDArray[np.float64]:
    """Rows of what speaks for an index: on scales on which evidence adds up."""
    score = np.log(np.maximum(scores.astype(np.float64), LEAST))
    each = probabilities.astype(np.float64)
    readable = 1 - each[:, -1]
    surest = each[:, :-1].max(axis=1, initial=0.0) / np.maximum(readable, LEAST)
    words = (np.clip(word, LEAST, 1 - LEAST) for word in (readable, surest))
    return np.column_stack([score, *(np.log(word / (1 - word)) for word in words), score * 0 + 1])
