"""House edges, exact: every way the cards can come, played and settled by the product itself.

Nothing is estimated. The cards are counted as integers, dealt by the same functions that judge a
round and paid by the rulebook's own pay table, so a table typed wrong shows as a wrong edge.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import lcm, perm, prod

from audit.cards import RANKS, SUITS, Rank
from audit.errors import BadInput
from audit.money import CENT
from audit.observations import Game, Wager, WagerKind
from audit.rulebook import Event, Rulebook
from audit.rules import baccarat
from audit.rules.baccarat import Coup, Outcome, deal_coup, events_on, outcome
from audit.rules.blackjack import hands
from audit.rules.blackjack.dealer import Need, dealer_draws
from audit.settlement.baccarat import PAIR_WAGERS, due_on_coup
from audit.settlement.blackjack import due_on_initial_cards, due_on_insurance

Shoe = Mapping[Rank, int]
"""How many cards of each rank are left; where ranks are alike, one of them stands for all."""

WeightedCoup = tuple[Coup, int]
"""A coup, and in how many sequences of cards off the shoe it comes."""

CARDS_OF_LONGEST_COUP = 6


@dataclass(frozen=True, slots=True)
class Edge:
    """The share of a wager that the house keeps on average; less than nothing: it pays in."""

    wager: WagerKind
    edge: Fraction


@dataclass(frozen=True, slots=True)
class DealerBust:
    """How likely the dealer's hand busts that begins with this card."""

    first: Rank
    probability: Fraction


@dataclass(frozen=True, slots=True)
class BankerSixCounts:
    """In how many sequences of six cards the banker wins on six, by the size of its hand."""

    two_cards: int
    three_cards: int


# The shoe


def _full_shoe(decks: int) -> Shoe:
    return {rank: decks * len(SUITS) for rank in RANKS}


def _alike(point_value: Mapping[Rank, int]) -> dict[Rank, Rank]:
    """Name for each rank the first rank of its point value, which stands for it."""
    first_of: dict[int, Rank] = {}
    return {rank: first_of.setdefault(point_value[rank], rank) for rank in RANKS}


@cache
def _shoe_by_value(game: Game, decks: int) -> Shoe:
    point_value = baccarat.POINT_VALUE if game is Game.BACCARAT else hands.POINT_VALUE
    shoe: Counter[Rank] = Counter()
    for rank, standing_for_it in _alike(point_value).items():
        shoe[standing_for_it] += _full_shoe(decks)[rank]
    return shoe


def _size(shoe: Shoe) -> int:
    return sum(shoe.values())


def _ways(ranks: Sequence[Rank], shoe: Shoe) -> int:
    """Count how often these ranks come off the shoe in this order."""
    return prod(shoe[rank] - ranks[:place].count(rank) for place, rank in enumerate(ranks))


def _check_decks(decks: int, book: Rulebook) -> None:
    fewest, most = book.fewest_decks, book.most_decks
    if not fewest.value <= decks <= most.value:
        raise BadInput(
            f"{book.id} is not played with {decks} decks: "
            f"clause {fewest.clause} has {fewest.value} to {most.value}"
        )


# Baccarat: every coup


def _initial_deals(shoe: Shoe) -> Iterator[tuple[tuple[Rank, ...], int]]:
    """Give the first four cards and how often they come, whichever way round within a hand."""
    hands_of_two = tuple(combinations_with_replacement(shoe, baccarat.INITIAL_CARDS))
    for player in hands_of_two:
        for banker in hands_of_two:
            ranks = (player[0], banker[0], player[1], banker[1])
            orders = len(set(player)) * len(set(banker))
            ways = orders * _ways(ranks, shoe)
            if ways:
                yield ranks, ways


def coups(decks: int) -> Iterator[WeightedCoup]:
    """Deal every coup of a shoe, weighted by the sequences of six cards that begin with it.

    Six cards are counted also where the coup ends sooner, so that all weights add up to every
    sequence of six. Ranks of one point value are dealt as one rank, and the two initial cards of
    a hand in one order: neither changes an outcome. Pairs need the ranks and are counted apart.
    """
    shoe = _shoe_by_value(Game.BACCARAT, decks)
    for ranks, ways in _initial_deals(shoe):
        yield from _coups_beginning(ranks, ways, shoe)


def _coups_beginning(ranks: tuple[Rank, ...], ways: int, shoe: Shoe) -> Iterator[WeightedCoup]:
    coup = deal_coup(ranks)
    if coup is not None:
        undealt = _size(shoe) - len(ranks)
        yield coup, ways * perm(undealt, CARDS_OF_LONGEST_COUP - len(ranks))
        return
    for rank, cards in shoe.items():
        left = cards - ranks.count(rank)
        if left:
            yield from _coups_beginning((*ranks, rank), ways * left, shoe)


def _one_of_each(
    weighted: Iterable[WeightedCoup], sort: Callable[[Coup], Hashable]
) -> tuple[WeightedCoup, ...]:
    """Put coups of one sort together: one of them, with the weight of all."""
    example: dict[Hashable, Coup] = {}
    weights: Counter[Hashable] = Counter()
    for coup, weight in weighted:
        key = sort(coup)
        example.setdefault(key, coup)
        weights[key] += weight
    return tuple((coup, weights[key]) for key, coup in example.items())


def _totals_and_sizes(coup: Coup) -> tuple[int, int, int, int]:
    return (
        baccarat.point_total(coup.player),
        baccarat.point_total(coup.banker),
        len(coup.player),
        len(coup.banker),
    )


@cache
def _coups_by_total(decks: int) -> tuple[WeightedCoup, ...]:
    return _one_of_each(coups(decks), _totals_and_sizes)


def _initial_coups(decks: int) -> Iterator[WeightedCoup]:
    """Give the initial deal by rank, which is all that pairs depend on."""
    for ranks, ways in _initial_deals(_full_shoe(decks)):
        yield Coup((ranks[0], ranks[2]), (ranks[1], ranks[3])), ways


def outcome_counts(decks: int) -> Mapping[Outcome, int]:
    """Count the sequences of six cards by their outcome."""
    counts = dict.fromkeys(Outcome, 0)
    for coup, weight in _coups_by_total(decks):
        counts[outcome(coup)] += weight
    return counts


def banker_six_counts(decks: int) -> BankerSixCounts:
    """Count the sequences of six cards in which the banker wins on six."""
    counts: Counter[Event] = Counter()
    for coup, weight in _coups_by_total(decks):
        for event in events_on(WagerKind.FORTUNE6, coup):
            counts[event] += weight
    return BankerSixCounts(
        two_cards=counts[Event.BANKER_SIX_ON_TWO_CARDS],
        three_cards=counts[Event.BANKER_SIX_ON_THREE_CARDS],
    )


@cache
def _cases(kind: WagerKind, decks: int) -> tuple[WeightedCoup, ...]:
    """Give a coup for each way in which a wager can fare, whatever the pay table."""
    weighted = _initial_coups(decks) if kind in PAIR_WAGERS else _coups_by_total(decks)
    return _one_of_each(weighted, lambda coup: (events_on(kind, coup), outcome(coup)))


def _whole_stake(kind: WagerKind, book: Rulebook) -> int:
    """Give a stake that every row pays in whole amounts, so that rounding changes nothing."""
    return lcm(*(row.odds.paid.denominator for row in book.wagers[kind].pays.values()))


def _baccarat_edge(kind: WagerKind, book: Rulebook, decks: int) -> Fraction:
    stake = _whole_stake(kind, book)
    wager = Wager(bettor="", kind=kind, stake=Decimal(stake))
    cases = _cases(kind, decks)
    lost = sum(
        (
            -weight * Fraction(due_on_coup(wager, Fraction(stake), coup, book, CENT).net)
            for coup, weight in cases
        ),
        Fraction(),
    )
    return lost / (stake * sum(weight for _, weight in cases))


# Blackjack: the side wagers and the dealer's hand


_FIRST_CARDS: dict[WagerKind, tuple[Rank, ...]] = {
    WagerKind.PAIR: RANKS,
    WagerKind.OVER13: RANKS,
    WagerKind.UNDER13: RANKS,
    WagerKind.INSURANCE: (Rank.ACE,),
}
"""The wagers that two cards decide, and what the first of them can be."""


def _blackjack_edge(kind: WagerKind, book: Rulebook, decks: int) -> Fraction:
    stake = _whole_stake(kind, book)
    shoe = _full_shoe(decks)
    lost, sequences = Fraction(), 0
    for ranks in product(_FIRST_CARDS[kind], RANKS):
        if kind is WagerKind.INSURANCE:
            due = due_on_insurance(Fraction(stake), ranks, book, CENT)
        else:
            due = due_on_initial_cards(kind, Fraction(stake), ranks, book, CENT)
        ways = _ways(ranks, shoe)
        lost -= ways * Fraction(due.net)
        sequences += ways
    return lost / (stake * sequences)


@cache
def _bust_probability(hand: tuple[Rank, ...], book: Rulebook, decks: int) -> Fraction:
    if not dealer_draws(hand, Need.WHOLE_HAND, book):
        return Fraction(hands.is_bust(hand))
    shoe = _shoe_by_value(Game.BLACKJACK, decks)
    left = {rank: cards - hand.count(rank) for rank, cards in shoe.items()}
    busting = sum(
        (
            cards * _bust_probability(tuple(sorted((*hand, rank))), book, decks)
            for rank, cards in left.items()
            if cards
        ),
        Fraction(),
    )
    return busting / _size(left)


def dealer_bust_probability(first: Rank, book: Rulebook, decks: int) -> Fraction:
    """Say how likely the dealer busts on this first card, the only one known to be out of the shoe.

    The dealer has no hole card and draws to the end, so a blackjack counts among the hands that
    do not bust.
    """
    _check_decks(decks, book)
    return _bust_probability((_alike(hands.POINT_VALUE)[first],), book, decks)


def bust_table(book: Rulebook, decks: int) -> tuple[DealerBust, ...]:
    """Give the dealer's chance to bust for each first card, once for the cards of ten points."""
    firsts = _shoe_by_value(Game.BLACKJACK, decks)
    return tuple(DealerBust(first, dealer_bust_probability(first, book, decks)) for first in firsts)


# What a rulebook keeps


def has_edge(kind: WagerKind, book: Rulebook) -> bool:
    """Tell whether the cards alone decide a wager.

    What blackjack keeps of main, split and double wagers depends on how the bettors play.
    """
    return book.game is Game.BACCARAT or kind in _FIRST_CARDS


def house_edge(kind: WagerKind, book: Rulebook, decks: int) -> Fraction:
    """Work out what the house keeps of a wager on average, from a full shoe.

    A wager that is handed back counts as wagered. Pairs are taken as the rulebook's chosen
    reading has them. Insurance is taken against a dealer's ace with nothing else known; over 13,
    under 13 and pair wagers on the first two cards of a hand.
    """
    _check_decks(decks, book)
    if kind not in book.wagers:
        raise BadInput(f"{book.id} does not offer {kind}")
    if not has_edge(kind, book):
        raise BadInput(f"{kind} has no edge of its own: it depends on how the bettors play")
    if book.game is Game.BACCARAT:
        return _baccarat_edge(kind, book, decks)
    return _blackjack_edge(kind, book, decks)


def edges_of(book: Rulebook, decks: int) -> tuple[Edge, ...]:
    """Give the edge of every wager that a rulebook offers, in its order.

    Main, split and double wagers of blackjack are left out: what the house keeps of them depends
    on how the bettors play. The dealer's part of it is in `bust_table`.
    """
    return tuple(
        Edge(kind, house_edge(kind, book, decks)) for kind in book.wagers if has_edge(kind, book)
    )
