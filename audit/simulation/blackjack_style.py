"""How bettors play their hands: in every lawful way alike, or mostly as a sensible person would."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from audit.cards import Rank
from audit.simulation.blackjack_pay import counts_an_ace_as_eleven, points, total_of

Likely = Callable[[Sequence[Rank], Rank], float]
"""How likely a decision is on a hand against the dealer's first card."""


@dataclass(frozen=True, slots=True)
class Style:
    surrender: float
    insure: float
    even_money: float
    split: Likely
    double: Likely
    card: Likely
    """Below 21, where nothing forces a card."""


def _any_card(ranks: Sequence[Rank], up: Rank) -> float:
    total = total_of(ranks)
    if counts_an_ace_as_eleven(ranks):
        return 0.4
    return 0.9 if total < 12 else 0.5 if total < 17 else 0.08


ANYTHING = Style(
    surrender=0.12,
    insure=0.35,
    even_money=0.5,
    split=lambda ranks, up: 0.7,
    double=lambda ranks, up: 0.2,
    card=_any_card,
)


def _sensible_split(ranks: Sequence[Rank], up: Rank) -> float:
    worth = points(ranks[0])
    if worth in (1, 8):
        return 0.95
    if worth in (5, 10):
        return 0.02
    return 0.7 if 2 <= points(up) <= 7 else 0.1


def _sensible_double(ranks: Sequence[Rank], up: Rank) -> float:
    if not 9 <= total_of(ranks) <= 11 or counts_an_ace_as_eleven(ranks):
        return 0.005
    return 0.8 if 2 <= points(up) <= 8 else 0.15


def _sensible_card(ranks: Sequence[Rank], up: Rank) -> float:
    total, strong = total_of(ranks), points(up) in (1, 7, 8, 9, 10)
    if counts_an_ace_as_eleven(ranks):
        return 0.95 if total < 18 else 0.02
    if total < 12:
        return 0.995
    return (0.85 if strong else 0.1) if total < 17 else 0.003


SENSIBLE = Style(
    surrender=0.01,
    insure=0.15,
    even_money=0.4,
    split=_sensible_split,
    double=_sensible_double,
    card=_sensible_card,
)
