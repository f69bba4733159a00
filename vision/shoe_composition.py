"""What is left in the shoe: a card of which all copies were dealt is hardly the one being read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vision.cards import CARDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LEAST_WEIGHT: Final = 0.1
"""What is left to a card of which no copy should be left: a shoe can hold a card too many."""
ROUNDS_OF_WEIGHING: Final = 3


class ShoeComposition:
    """How many copies of each card were dealt from a shoe of some decks."""

    def __init__(self, decks: int) -> None:
        """Begin with a full shoe."""
        self.decks = decks
        self.dealt = np.zeros(len(CARDS))

    def weighed(self, cards: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """What cards dealt together are, given what was dealt before and what the others are."""
        read = [np.asarray(card, np.float64) for card in cards]
        said = list(read)
        for _ in range(ROUNDS_OF_WEIGHING):
            dealt = self.dealt + np.asarray(sum(said, np.zeros(len(CARDS))))
            said = [self._weighed(one, dealt - now) for one, now in zip(read, said, strict=True)]
        return said

    def take(self, cards: Sequence[NDArray[np.float64]]) -> None:
        """Note cards as dealt."""
        for card in cards:
            self.dealt += card

    def _weighed(
        self, card: NDArray[np.float64], dealt: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        weights = np.maximum(1 - dealt / self.decks, LEAST_WEIGHT)
        product = card * weights
        return np.asarray(product / product.sum())
