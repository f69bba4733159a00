"""Cards: rank then suit, `AS`, `TD`, `KC`; and `??`, the card that could not be read."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from audit.errors import BadInput


class Rank(StrEnum):
    ACE = "A"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    TEN = "T"
    JACK = "J"
    QUEEN = "Q"
    KING = "K"


class Suit(StrEnum):
    SPADES = "S"
    HEARTS = "H"
    DIAMONDS = "D"
    CLUBS = "C"


RANKS = tuple(Rank)
SUITS = tuple(Suit)


@dataclass(frozen=True, slots=True)
class Card:
    rank: Rank
    suit: Suit

    def __str__(self) -> str:
        return self.rank + self.suit


@dataclass(frozen=True, slots=True)
class Unread:
    """A card that left the shoe and that neither the device nor the camera could tell."""

    def __str__(self) -> str:
        return "??"


UNREAD = Unread()
DECK = tuple(Card(rank, suit) for suit in SUITS for rank in RANKS)
_BY_NAME: dict[str, Card | Unread] = {str(card): card for card in DECK}
_BY_NAME |= {f"10{suit}": Card(Rank.TEN, suit) for suit in SUITS}
_BY_NAME["??"] = UNREAD


@lru_cache(maxsize=1 << 10)
def parse_card(text: str) -> Card | Unread:
    """Read `AS`, `TD`, `10D` or `??`, whatever the case of its letters."""
    card = _BY_NAME.get(text.strip().upper())
    if card is None:
        raise BadInput(
            f"{text!r} is not a card: write a rank (A 2 3 4 5 6 7 8 9 T J Q K) "
            "and a suit (S H D C), like 9H, or ?? for a card that could not be read"
        )
    return card


def parse_known_card(text: str) -> Card:
    """Read a card that must be known, as in an example or a question."""
    card = parse_card(text)
    if isinstance(card, Unread):
        raise BadInput("?? cannot stand here: this card must be known")
    return card
