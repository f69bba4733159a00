"""The dealer's hand: draws to 16, stands on every 17, and where nothing depends on it, stops."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from audit.cards import Rank
from audit.rulebook import BlackjackOptions, Rulebook
from audit.rules.blackjack.hands import INITIAL_CARDS, point_total, spoken_total
from audit.verdicts import COMPLIED, NOT_APPLICABLE, Breach, Undetermined, Verdict


class Need(IntEnum):
    """How many of the dealer's cards the wagers still on the table depend on."""

    NO_CARD = 0
    SECOND_CARD = 1
    """Only whether the dealer has a blackjack: a player's blackjack or an insurance is open."""
    WHOLE_HAND = 2


@dataclass(frozen=True, slots=True)
class DealerPlay:
    """The dealer's cards, and what depended on them.

    `required` is what surely did, `possible` what may have as far as the evidence goes, `tolerated`
    what would by a reading of the document that was not taken.
    """

    ranks: tuple[Rank, ...]
    required: Need
    possible: Need
    tolerated: Need = Need.NO_CARD


def blackjack_options(book: Rulebook) -> BlackjackOptions:
    """Give the blackjack part of a rulebook, which every blackjack rulebook has."""
    if book.blackjack is None:
        raise TypeError(f"{book.id} is not a blackjack rulebook")
    return book.blackjack


def dealer_is_complete(ranks: Sequence[Rank], book: Rulebook) -> bool:
    """Tell whether the dealer must stand: on 17 or more, hard or soft."""
    return point_total(ranks) >= blackjack_options(book).dealer_stands_from.value


def dealer_draws(ranks: Sequence[Rank], need: Need, book: Rulebook) -> bool:
    """Tell whether the dealer takes another card, given what still depends on it."""
    if need is Need.NO_CARD:
        return False
    if need is Need.SECOND_CARD:
        return len(ranks) < INITIAL_CARDS
    return not dealer_is_complete(ranks, book)


def dealer_hand_by_the_rules(
    ranks: Sequence[Rank], following: Sequence[Rank], need: Need, book: Rulebook
) -> tuple[Rank, ...] | None:
    """Play the dealer's hand as the rules have it, from the cards dealt and those that follow.

    A card taken on a completed hand is left out; one that was not drawn is the next out of the
    shoe. None: the cards that are known do not reach.
    """
    shoe = [*ranks, *following]
    hand: list[Rank] = shoe[:1]
    while dealer_draws(hand, need, book):
        if len(hand) == len(shoe):
            return None
        hand.append(shoe[len(hand)])
    return tuple(hand)


def _first_complete(ranks: tuple[Rank, ...], book: Rulebook) -> int | None:
    """Count the cards with which the dealer's hand was first complete, if it ever was."""
    for held in range(INITIAL_CARDS, len(ranks) + 1):
        if dealer_is_complete(ranks[:held], book):
            return held
    return None


def dealer_stood_too_low(dealer: DealerPlay, book: Rulebook) -> Verdict:
    """DRW010 The dealer did not draw a card that had to be drawn.

    What: while a wager depends on the dealer's hand, the dealer draws to 16 and stands from 17.
    The dealer stopped below.

    Why: the hand was compared before it was finished, and the card that should have been drawn
    turned up in the next round.

    Example: 1 TH 8D stand / D TS 6C | main@1 100=+100, next 5D
    """
    if not dealer.ranks or _first_complete(dealer.ranks, book) is not None:
        return NOT_APPLICABLE
    if dealer_draws(dealer.ranks, dealer.required, book):
        total = spoken_total(dealer.ranks)
        return Breach(f"the dealer draws on {total}", f"the dealer stopped on {total}")
    if dealer_draws(dealer.ranks, dealer.possible, book):
        return Undetermined("whether a wager still depended on the dealer's hand")
    return COMPLIED


def dealer_drew_on_complete_hand(dealer: DealerPlay, book: Rulebook) -> Verdict:
    """DRW011 The dealer drew on 17 or more.

    What: the dealer stands on every 17, soft ones included. A card was drawn to a hand that was
    already complete.

    Why: the extra card can bust a winning hand or rescue a losing one. It is discarded and the
    earlier total stands.

    Example: 1 TH 8D stand / D TS 7C 4H | main@1 100=-100
    """
    if len(dealer.ranks) < INITIAL_CARDS:
        return NOT_APPLICABLE
    held = _first_complete(dealer.ranks, book)
    if held is None or held == len(dealer.ranks):
        return COMPLIED
    total = spoken_total(dealer.ranks[:held])
    return Breach(
        f"the dealer stands on {total}", f"the dealer drew {dealer.ranks[held]} on {total}"
    )


def dealer_drew_for_nothing(dealer: DealerPlay, book: Rulebook) -> Verdict:
    """DRW012 The dealer drew although no card could matter.

    What: once every hand is decided and a further card would change no outcome, the dealer takes
    none, whatever the total. A card was drawn all the same.

    Why: cards drawn for nothing use up the shoe, and shift every later round.

    Example: 1 TH 6D TC / D 9S 5C | main@1 100=-100
    """
    if blackjack_options(book).dealer_stops_when_nothing_depends is None or not dealer.ranks:
        return NOT_APPLICABLE
    most = max(dealer.possible, dealer.tolerated)
    allowed = {Need.NO_CARD: 1, Need.SECOND_CARD: INITIAL_CARDS}.get(most)
    if allowed is None:
        return NOT_APPLICABLE
    if len(dealer.ranks) <= allowed:
        return COMPLIED
    return Breach(
        f"the dealer takes no card after the first {allowed}: no outcome depends on it"
        if allowed > 1
        else "the dealer takes no further card: no outcome depends on it",
        f"the dealer drew {' '.join(dealer.ranks[allowed:])}",
    )


DEALER_RULES = {
    "DRW010": dealer_stood_too_low,
    "DRW011": dealer_drew_on_complete_hand,
    "DRW012": dealer_drew_for_nothing,
}
