"""Shoes that are not as they should be: not shuffled, or with a card too many."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from random import Random

from audit.cards import DECK, Card
from audit.simulation.shoe import Shoe


def picked_up_unshuffled(earlier: Shoe, starts: Sequence[int], name: str, rng: Random) -> Shoe:
    """Fill a shoe with the cards of an earlier one as its rounds were picked up, and cut it."""
    cards = list(earlier.cards)
    for start, end in pairwise((*starts, earlier.dealt)):
        picked_up = cards[start:end]
        rng.shuffle(picked_up)
        cards[start:end] = picked_up
    cut = rng.randint(0, earlier.dealt // 2)
    return Shoe(name, (*cards[cut:], *cards[:cut]))


def straight_from_new_packs(decks: int, name: str, rng: Random) -> Shoe:
    """Fill a shoe with new packs as they are, and cut it."""
    cards = DECK * decks
    cut = rng.randint(0, len(DECK))
    return Shoe(name, (*cards[cut:], *cards[:cut]))


def with_surplus_copy(shoe: Shoe, decks: int, within: int, rng: Random) -> Shoe:
    """Put one more copy of a card into a shoe than its decks hold, all among its first cards."""
    cards = list(shoe.cards)
    many = rng.choice(DECK)
    first = max(2 * decks + 2, min(within, len(cards)))
    others = [place for place in range(1, first) if cards[place] != many]
    rng.shuffle(others)
    for place in range(first, len(cards)):
        if cards[place] == many:
            other = others.pop()
            cards[place], cards[other] = cards[other], many
    cards[others.pop()] = many
    return Shoe(shoe.name, tuple(cards))


def surplus_copy_seq(cards: Sequence[Card], decks: int) -> int | None:
    """Find the first card that had come out as often as the decks hold it."""
    seen: Counter[Card] = Counter()
    for seq, card in enumerate(cards, 1):
        seen[card] += 1
        if seen[card] > decks:
            return seq
    return None
