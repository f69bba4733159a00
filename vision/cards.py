"""The 52 cards, in the order in which the models know them."""

from typing import Final

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
CARDS: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
NUMBERS: Final = {card: number for number, card in enumerate(CARDS)}
