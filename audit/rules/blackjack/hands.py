"""Point values and totals, blackjack, pairs, over and under 13."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from audit.cards import Rank

ACE_HIGH = 11
TWENTY_ONE = 21
THIRTEEN = 13
INITIAL_CARDS = 2

POINT_VALUE = {
    Rank.ACE: ACE_HIGH,
    Rank.TWO: 2,
    Rank.THREE: 3,
    Rank.FOUR: 4,
    Rank.FIVE: 5,
    Rank.SIX: 6,
    Rank.SEVEN: 7,
    Rank.EIGHT: 8,
    Rank.NINE: 9,
    Rank.TEN: 10,
    Rank.JACK: 10,
    Rank.QUEEN: 10,
    Rank.KING: 10,
}


def _hard_total(ranks: Sequence[Rank]) -> int:
    return sum(1 if rank is Rank.ACE else POINT_VALUE[rank] for rank in ranks)


class Total(NamedTuple):
    points: int
    soft: bool


def _count(ranks: tuple[Rank, ...]) -> Total:
    hard = _hard_total(ranks)
    soft = Rank.ACE in ranks and hard + ACE_HIGH - 1 <= TWENTY_ONE
    return Total(hard + ACE_HIGH - 1 if soft else hard, soft)


total_of = lru_cache(maxsize=1 << 16)(_count)
"""What a hand comes to: the same few hands are counted over and over."""


def is_soft(ranks: Sequence[Rank]) -> bool:
    """Tell whether an ace of the hand counts 11."""
    return total_of(tuple(ranks)).soft


def point_total(ranks: Sequence[Rank]) -> int:
    """Add up a hand: an ace counts 11 unless that would take it over 21."""
    return total_of(tuple(ranks)).points


def spoken_total(ranks: Sequence[Rank]) -> str:
    """Say a total as a dealer does: soft 17, or 17."""
    return f"soft {point_total(ranks)}" if is_soft(ranks) else str(point_total(ranks))


def is_bust(ranks: Sequence[Rank]) -> bool:
    return point_total(ranks) > TWENTY_ONE


def is_ace_and_ten(ranks: Sequence[Rank]) -> bool:
    """Tell an ace and a card of ten points: a blackjack, unless the hand comes from a split."""
    return len(ranks) == INITIAL_CARDS and point_total(ranks) == TWENTY_ONE


def is_pair(ranks: Sequence[Rank]) -> bool:
    """Tell whether the first two cards win a pair wager: the same rank, pictures by their face."""
    return len(ranks) >= INITIAL_CARDS and ranks[0] is ranks[1]


def may_be_split(ranks: Sequence[Rank]) -> bool:
    """Tell whether two cards have the same point value, which is all that a split asks for."""
    return len(ranks) == INITIAL_CARDS and POINT_VALUE[ranks[0]] == POINT_VALUE[ranks[1]]


def over_under_total(ranks: Sequence[Rank]) -> int:
    """Add up the first two cards for over and under 13, where every ace counts 1."""
    return _hard_total(ranks[:INITIAL_CARDS])
