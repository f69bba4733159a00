"""What the wagers of a round of blackjack are paid, by the pay table and the totals alone."""

from collections.abc import Sequence
from decimal import Decimal
from random import Random

from audit.cards import Rank
from audit.money import NOTHING
from audit.observations import Wager, WagerKind
from audit.rulebook import Event, Rulebook
from audit.simulation.blackjack_betting import Box, Seat
from audit.simulation.stakes import half_given_up, pays, settled, spread_over

ON_INITIAL_CARDS = {
    WagerKind.PAIR: Event.PAIR,
    WagerKind.OVER13: Event.OVER_13,
    WagerKind.UNDER13: Event.UNDER_13,
}


_POINTS = {rank: min("A23456789TJQK".index(rank) + 1, 10) for rank in Rank}


def points(rank: Rank) -> int:
    """Count a card, an ace as 1."""
    return _POINTS[rank]


def total_of(ranks: Sequence[Rank]) -> int:
    """Add up a hand, one ace as 11 where that does not take it over 21."""
    hard = sum(map(_POINTS.__getitem__, ranks))
    return hard + 10 if Rank.ACE in ranks and hard <= 11 else hard


def counts_an_ace_as_eleven(ranks: Sequence[Rank]) -> bool:
    return Rank.ACE in ranks and sum(map(_POINTS.__getitem__, ranks)) <= 11


def is_natural(ranks: Sequence[Rank]) -> bool:
    """Tell an ace with a card of ten points."""
    return len(ranks) == 2 and total_of(ranks) == 21


class Paymaster:
    """Settles the wagers of one round against the dealer's hand."""

    def __init__(self, book: Rulebook, unit: Decimal, dealer: Sequence[Rank], rng: Random) -> None:
        self.book = book
        self.unit = unit
        self.dealer = dealer
        self.rng = rng

    def side_wager(self, wager: Wager, box: Box) -> Wager:
        """Settle a wager on the first two cards of a box."""
        first, second = box.initial_ranks
        total = points(first) + points(second)
        won = {
            WagerKind.PAIR: first == second,
            WagerKind.OVER13: total > 13,
            WagerKind.UNDER13: total < 13,
        }[wager.kind]
        return self._settled(wager, ON_INITIAL_CARDS[wager.kind] if won else None)

    def insurance(self, wager: Wager, *, even_money_taken: bool) -> Wager:
        """Settle an insurance wager, which even money may hand back."""
        options = self.book.blackjack
        if even_money_taken and options is not None and options.even_money_returns_insurance:
            return settled(wager, NOTHING)
        won = is_natural(self.dealer[:2])
        return self._settled(wager, Event.DEALER_BLACKJACK if won else None)

    def hand_wagers(self, box: Box, seat: Seat) -> list[Wager]:
        """Settle all that a bettor has on the hands of a box."""
        rows = box.rows_of(seat)
        main = rows[0]
        if seat.surrendered:
            return [settled(main, -half_given_up(main.stake, self.unit))]
        if seat.took_even_money:
            return [self._settled(main, Event.EVEN_MONEY)]
        if is_natural(self.dealer) and len(rows) > 1:
            return self._against_a_natural(box, rows)
        return [self._on_hand(box, row) for row in rows]

    def stands_off(self, box: Box) -> bool:
        """Tell whether an original wager on a box neither wins nor loses."""
        any_stake = Wager("", WagerKind.MAIN, Decimal("1.00"), box=box.number)
        return self._on_hand(box, any_stake).net == NOTHING

    def _against_a_natural(self, box: Box, rows: list[Wager]) -> list[Wager]:
        """Take what bust, and of all that stands no more than the original wager."""
        bust = [row.stake for row in rows if total_of(box.ranks_under(row)) > 21]
        loss = sum(bust, NOTHING)
        if len(bust) < len(rows):
            loss += rows[0].stake
        parts = spread_over(loss, [row.stake for row in rows], self.rng)
        return [settled(row, 0 - part) for row, part in zip(rows, parts, strict=True)]

    def _on_hand(self, box: Box, wager: Wager) -> Wager:
        ranks = box.ranks_under(wager)
        own, dealers = total_of(ranks), total_of(self.dealer)
        natural = is_natural(ranks) and len(box.hands) == 1
        if own > 21:
            return self._settled(wager, None)
        if natural and not is_natural(self.dealer):
            return self._settled(wager, Event.BLACKJACK)
        if is_natural(self.dealer) and not natural:
            return self._settled(wager, None)
        if dealers > 21 or own > dealers:
            return self._settled(wager, Event.WINS)
        return settled(wager, NOTHING) if own == dealers else self._settled(wager, None)

    def _settled(self, wager: Wager, won: Event | None) -> Wager:
        if won is None:
            return settled(wager, -wager.stake)
        odds = self.book.wagers[wager.kind].pays[won].odds
        return settled(wager, pays(wager.stake, odds, self.unit))
