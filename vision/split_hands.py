"""The hands of one box: split hands are moved apart, and further cards are laid to one of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.cards import CARDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vision.card_shape import CardShape
    from vision.tracks import Place, TrackedCard

APART: Final = 0.45
"""Two cards of a split lie at least so far apart, in diagonals of a card."""
FARTHER: Final = 1.3
"""And so many times as far as they lay before."""
ALIKE: Final = 0.15
"""Cards that are less likely of one value than this are not split by being moved a little."""
FAR_APART: Final = 0.9
_VALUES: Final = np.array(["T" if card[0] in "TJQK" else card[0] for card in CARDS])


@dataclass(frozen=True, slots=True)
class SplitSeen:
    """A card was moved to a hand of its own."""

    at_s: float
    hand: str
    new_hand: str


@dataclass(slots=True)
class _BoxHand:
    name: str
    cards: list[TrackedCard]
    places: dict[int, Place] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BoxHands:
    """To which hand each card of a box was dealt, by the number of the card, and its splits."""

    dealt_to: dict[int, str]
    splits: tuple[SplitSeen, ...]


def hands_of_box(box: str, cards: Sequence[TrackedCard], shape: CardShape) -> BoxHands:
    """Follow the cards of a box through their moves."""
    steps = [
        (place.start_s, number, card) for card in cards for number, place in enumerate(card.places)
    ]
    steps.sort(key=lambda step: (step[0], step[1], step[2].number))
    hands = [_BoxHand(box, [])]
    dealt_to: dict[int, str] = {}
    splits = []
    for at_s, number, card in steps:
        place = card.places[number]
        if number == 0:
            hand = min(hands, key=lambda hand: _distance(hand, place, shape))
            hand.cards.append(card)
            hand.places[card.number] = place
            dealt_to[card.number] = hand.name
            continue
        hand = next(hand for hand in hands if card in hand.cards)
        was = dict(hand.places)
        hand.places[card.number] = place
        if _is_split(hand, was, shape):
            moved = hand.cards.pop()
            new_hand = _BoxHand(f"{box}.{len(hands) + 1}", [moved])
            new_hand.places[moved.number] = hand.places.pop(moved.number)
            hands.append(new_hand)
            splits.append(SplitSeen(at_s, hand.name, new_hand.name))
    return BoxHands(dealt_to, tuple(splits))


def _distance(hand: _BoxHand, place: Place, shape: CardShape) -> float:
    """How far a card was laid from the nearest card of a hand."""
    known = hand.places.values()
    return min(
        (shape.apart((place.x, place.y), (other.x, other.y)) for other in known), default=0.0
    )


def _is_split(hand: _BoxHand, was: Mapping[int, Place], shape: CardShape) -> bool:
    """Whether the two cards of a hand were moved apart."""
    if len(hand.cards) != 2:
        return False
    first, second = (card.number for card in hand.cards)
    before, after = (
        shape.apart((lay[first].x, lay[first].y), (lay[second].x, lay[second].y))
        for lay in (was, hand.places)
    )
    alike = _of_one_value(*hand.cards)
    return after > (APART if alike > ALIKE else FAR_APART) and after > FARTHER * before


def _of_one_value(one: TrackedCard, other: TrackedCard) -> float:
    return sum(
        float(one.probabilities[value == _VALUES].sum())
        * float(other.probabilities[value == _VALUES].sum())
        for value in np.unique(_VALUES)
    )
