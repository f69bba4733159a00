"""Blackjack settlement: a hand against the dealer's, and the wagers that stand beside it."""

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from audit.cards import Rank
from audit.money import NOTHING, rounded
from audit.observations import WagerKind
from audit.rulebook import DealerBlackjackAgainst21, Event, Rulebook
from audit.rules.blackjack.dealer import blackjack_options
from audit.rules.blackjack.hands import (
    POINT_VALUE,
    THIRTEEN,
    TWENTY_ONE,
    is_ace_and_ten,
    is_bust,
    is_pair,
    over_under_total,
    point_total,
    spoken_total,
)
from audit.settlement.dues import Due, Fate, loses, stands_off, taken, wins
from audit.verdicts import COMPLIED, Breach, Verdict

DEALER_BLACKJACK_AGAINST_21 = "dealer_blackjack_against_21"
BLACKJACK_AGAINST_DEALER_21 = "blackjack_against_dealer_21"
HALF_OF_AN_ODD_AMOUNT = "half_of_an_odd_amount"
BUSTED_HANDS = "dealer_blackjack_against_busted_hands"


@dataclass(frozen=True, slots=True)
class Standing:
    """A hand and the dealer's, and what the bettor chose: all that decides a wager on it."""

    ranks: tuple[Rank, ...]
    dealer: tuple[Rank, ...]
    from_split: bool = False
    surrendered: bool = False
    even_money: bool = False

    @property
    def is_blackjack(self) -> bool:
        return not self.from_split and is_ace_and_ten(self.ranks)


def due_on_hand(
    kind: WagerKind, on: Fraction, hand: Standing, book: Rulebook, unit: Decimal
) -> Due:
    """Say what a main, split or double wager is due: from the clause that overrides to the rest."""
    options = blackjack_options(book)
    pays = book.wagers[kind].pays
    against = f"{spoken_total(hand.ranks)} against the dealer's {spoken_total(hand.dealer)}"
    dealer_blackjack = is_ace_and_ten(hand.dealer)
    if hand.surrendered:
        return _surrendered(on, book, unit)
    if hand.even_money and Event.EVEN_MONEY in pays:
        return wins(on, pays[Event.EVEN_MONEY], "even money was taken", unit)
    if is_bust(hand.ranks):
        return loses(on, f"the hand bust with {point_total(hand.ranks)}", options.bust_loses, unit)
    if hand.is_blackjack and dealer_blackjack:
        return stands_off(on, "both have blackjack", _clause_of_both_blackjack(hand, book))
    if hand.is_blackjack and Event.BLACKJACK in pays:
        return _blackjack(on, hand, book, unit)
    if dealer_blackjack:
        return _dealer_blackjack(on, hand, book, unit)
    if is_bust(hand.dealer):
        why = f"the dealer bust with {point_total(hand.dealer)}"
        return wins(on, pays[Event.WINS], why, unit, options.dealer_bust_wins)
    if point_total(hand.ranks) > point_total(hand.dealer):
        return wins(on, pays[Event.WINS], against, unit, options.higher_total_wins)
    if point_total(hand.ranks) < point_total(hand.dealer):
        return loses(on, against, options.lower_total_loses, unit)
    return stands_off(on, against, options.same_total_stands_off)


def _surrendered(on: Fraction, book: Rulebook, unit: Decimal) -> Due:
    share = blackjack_options(book).surrender_share
    given_up = rounded(-on * share.value, unit)
    handed_back = rounded(on * (1 - share.value), unit) + taken(on, unit)
    otherwise = ((handed_back, HALF_OF_AN_ODD_AMOUNT),)
    return Due(given_up, Fate.SURRENDERED, "half", share.clause, on, otherwise=otherwise)


def _blackjack(on: Fraction, hand: Standing, book: Rulebook, unit: Decimal) -> Due:
    row = book.pay_row(WagerKind.MAIN, Event.BLACKJACK)
    due = wins(on, row, "a blackjack", unit, blackjack_options(book).blackjack_wins)
    open_to_blackjack = POINT_VALUE[hand.dealer[0]] >= POINT_VALUE[Rank.TEN]
    same_total = point_total(hand.dealer) == TWENTY_ONE and open_to_blackjack
    if same_total and BLACKJACK_AGAINST_DEALER_21 in book.readings:
        return replace(due, otherwise=((NOTHING, BLACKJACK_AGAINST_DEALER_21),))
    return due


def _clause_of_both_blackjack(hand: Standing, book: Rulebook) -> str:
    options = blackjack_options(book)
    if hand.dealer[0] is Rank.ACE and options.both_blackjack_stand_off_on_ace is not None:
        return options.both_blackjack_stand_off_on_ace
    return options.both_blackjack_stand_off


def _dealer_blackjack(on: Fraction, hand: Standing, book: Rulebook, unit: Decimal) -> Due:
    options = blackjack_options(book)
    rule = options.dealer_blackjack_against_21
    clause = options.dealer_blackjack_wins
    if hand.dealer[0] is Rank.ACE and options.dealer_blackjack_wins_on_ace is not None:
        clause = options.dealer_blackjack_wins_on_ace
    due = loses(on, "the dealer has blackjack", clause, unit)
    if point_total(hand.ranks) != TWENTY_ONE or rule.value is DealerBlackjackAgainst21.BEATS_IT:
        return due
    said_outright = rule.value is DealerBlackjackAgainst21.BEATS_IT_ON_AN_ACE
    if said_outright and hand.dealer[0] is Rank.ACE:
        return due
    return replace(due, otherwise=((NOTHING, DEALER_BLACKJACK_AGAINST_21),))


def due_on_insurance(on: Fraction, dealer: tuple[Rank, ...], book: Rulebook, unit: Decimal) -> Due:
    """Say what an insurance wager is due: it wins if the dealer has blackjack."""
    row = book.pay_row(WagerKind.INSURANCE, Event.DEALER_BLACKJACK)
    if is_ace_and_ten(dealer[:2]):
        return wins(on, row, "the dealer has blackjack", unit)
    clause = book.wagers[WagerKind.INSURANCE].loses
    return loses(on, "the dealer has no blackjack", clause, unit)


def due_on_initial_cards(
    kind: WagerKind, on: Fraction, ranks: tuple[Rank, ...], book: Rulebook, unit: Decimal
) -> Due:
    """Say what a pair, over 13 or under 13 wager is due: the first two cards decide."""
    row = next(iter(book.wagers[kind].pays.values()))
    total = over_under_total(ranks)
    cards = "-".join(ranks)
    won = {
        WagerKind.PAIR: is_pair(ranks),
        WagerKind.OVER13: total > THIRTEEN,
        WagerKind.UNDER13: total < THIRTEEN,
    }[kind]
    why = f"the first two cards are {cards}"
    return wins(on, row, why, unit) if won else loses(on, why, book.wagers[kind].loses, unit)


@dataclass(frozen=True, slots=True)
class AgainstDealerBlackjack:
    """All that a bettor who split or doubled had on a box when the dealer turned up blackjack."""

    original: Fraction
    lost_to_busts: Fraction
    still_standing: bool
    after_split: bool
    net: Decimal
    unit: Decimal

    @property
    def due(self) -> Decimal:
        lost = self.lost_to_busts + (self.original if self.still_standing else 0)
        return taken(lost, self.unit)


def more_than_original_lost(all_hands: AgainstDealerBlackjack, book: Rulebook) -> Verdict:
    """PAY011 A dealer's blackjack cost a bettor more or less than the original wager.

    What: a bettor who split or doubled loses only the original wager to a dealer's blackjack, over
    all hands of the box that are still standing; hands that had bust are lost by themselves. The
    sum over the box was something else.

    Why: without a hole card the bettor raised without knowing of the blackjack, and the rules
    shield the raise.

    Example: 1 8H 3D double 9C / D AS KC | main@1 100=-100, double@1 100=-100
    """
    # Reading: a busted split hand is collected at once, so the limit holds for what still stands.
    if all_hands.net == all_hands.due:
        return COMPLIED
    other = taken(all_hands.original, all_hands.unit)
    reading = BUSTED_HANDS if all_hands.net == other and BUSTED_HANDS in book.readings else None
    given_away = all_hands.net - all_hands.due
    direction = (
        f"the house gave away {given_away}"
        if given_away > 0
        else f"the bettor was short-changed {-given_away}"
    )
    options = blackjack_options(book)
    return Breach(
        f"the box loses {-all_hands.due} to the dealer's blackjack",
        f"its wagers came to {all_hands.net}: {direction}",
        given_away,
        clause=options.limit_on_splits if all_hands.after_split else options.limit_on_doubles,
        reading=reading,
    )
