"""Which patches are seen often: those that a network which has learnt already does not tell surely.

Nearly all indexes are soon told without doubt, and seeing them again teaches next to nothing. So
who goes on learning sees the others more often. How doubtful the card of an index is depends on
what is seen and not on which card it is: probabilities still come true.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

HARD_SHARE: Final = 0.6
"""So much of what is seen is chosen by how hard it is, the rest without regard to it."""
LEAST_HARDNESS: Final = 0.004
"""Of what seems to be no work at all: at another glimpse it may be."""


def weighed_by_hardness(
    weights: NDArray[np.float64], hard: NDArray[np.float32]
) -> NDArray[np.float64]:
    """How often each patch is seen, by how often it would be without regard to how hard it is.

    How hard each is goes from 0 to 1.
    """
    harder = weights * np.maximum(hard, LEAST_HARDNESS)
    plain, chosen = (each / each.sum() for each in (weights, harder))
    return np.asarray((1 - HARD_SHARE) * plain + HARD_SHARE * chosen)
