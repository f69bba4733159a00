"""A shoe of shuffled decks, dealt card by card."""

from collections.abc import Container
from dataclasses import dataclass
from random import Random

from audit.cards import DECK, RANKS, Card, Rank
from audit.hands import Hand
from audit.observations import CardSeen

LEAST_BEHIND_CUTTING_CARD = 16
FOLLOWING = 10


@dataclass
class Shoe:
    """One filling of the dealing device, and how far it has been dealt."""

    name: str
    cards: tuple[Card, ...]
    dealt: int = 0
    rounds: int = 0

    @property
    def left(self) -> int:
        return len(self.cards) - self.dealt

    @property
    def cutting_card_is_out(self) -> bool:
        """Tell whether too few cards are left to begin another round."""
        return self.left <= max(LEAST_BEHIND_CUTTING_CARD, len(self.cards) // 4)

    def draw(self, hand: Hand) -> CardSeen:
        """Deal the next card to a hand."""
        seen = CardSeen(self.dealt + 1, self.cards[self.dealt], hand)
        self.dealt += 1
        return seen

    def following(self) -> tuple[Card, ...]:
        """Look at the next cards, which no table can."""
        return self.cards[self.dealt : self.dealt + FOLLOWING]


def shuffled_shoe(
    decks: int, rng: Random, *, name: str = "1", ranks: Container[Rank] = RANKS
) -> Shoe:
    """Shuffle so many decks into a shoe, or only some of their ranks, to see more of a kind."""
    cards = [card for card in DECK * decks if card.rank in ranks]
    rng.shuffle(cards)
    return Shoe(name, tuple(cards))
