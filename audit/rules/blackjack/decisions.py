"""What the bettors may decide: split, double, surrender, take even money, draw, stand."""

from collections.abc import Callable
from dataclasses import dataclass

from audit.cards import Rank
from audit.observations import CallKind
from audit.rulebook import Rulebook
from audit.rules.blackjack.dealer import blackjack_options
from audit.rules.blackjack.hands import (
    INITIAL_CARDS,
    TWENTY_ONE,
    is_ace_and_ten,
    is_bust,
    is_soft,
    may_be_split,
    point_total,
    spoken_total,
)
from audit.verdicts import COMPLIED, NOT_APPLICABLE, Breach, Verdict


@dataclass(frozen=True, slots=True)
class HandPlay:
    """One hand of a box as it was played.

    `split_card` is the rank that was split to form it; `doubled_on` and `ended_on` are how many
    cards it held when it was doubled, and when its bettors were done with it, by `ended_by`.
    """

    ranks: tuple[Rank, ...]
    split_card: Rank | None = None
    doubled_on: int | None = None
    ended_on: int | None = None
    ended_by: CallKind = CallKind.STAND
    folded: bool = False
    nobody_decides: bool = False

    @property
    def is_blackjack(self) -> bool:
        return self.split_card is None and is_ace_and_ten(self.ranks[:INITIAL_CARDS])


@dataclass(frozen=True, slots=True)
class SplitMade:
    """A split: the two cards, how many hands the box then had, and how often it had been split."""

    first: Rank
    second: Rank
    hands: int
    splits_before: int


@dataclass(frozen=True, slots=True)
class Folded:
    """A surrender or a request for even money, and how things stood when it was made."""

    ranks: tuple[Rank, ...]
    dealer_first: Rank | None
    of_split_hand: bool
    further_cards_dealt: bool


# Split


def split_of_unequal_cards(split: SplitMade, book: Rulebook) -> Verdict:
    """ACT001 Cards of different point value were split.

    What: only two cards of the same point value can be split; a king and a ten can, a nine and a
    ten cannot.

    Why: the bettor got two better hands out of one that had to be played as it was.

    Example: 1 TH 9D split 8C stand / 1.2 7S stand / D 6H TC 5S
    """
    if may_be_split((split.first, split.second)):
        return COMPLIED
    return Breach(
        "only cards of the same point value are split", f"{split.first} and {split.second} split"
    )


def too_many_hands(split: SplitMade, book: Rulebook) -> Verdict:
    """ACT002 A box was split into more than four hands.

    What: a box can hold at most four hands in a round, so it can be split three times.

    Why: the fifth hand is a wager that the house did not agree to.

    Example: 1 8H 8D split 8C split 8S split 8H split 3D TC / 1.2 TC / 1.3 9C / 1.4 9D / 1.5 9S
        / D 6H TC 5S
    """
    greatest = blackjack_options(book).greatest_hands.value
    if split.hands <= greatest:
        return COMPLIED
    return Breach(f"a box holds at most {greatest} hands", f"a split made {split.hands} hands")


def aces_split_again(split: SplitMade, book: Rulebook) -> Verdict:
    """ACT003 Aces were split a second time.

    What: a pair of aces can be split once. A hand formed by splitting aces was split again.

    Why: one card on each of two aces is already the strongest split there is.

    Example: 1 AH AD split AC split 5S / 1.2 9C / 1.3 8D / D 6H TC 5S
    """
    if split.first is not Rank.ACE or split.second is not Rank.ACE:
        return NOT_APPLICABLE
    allowed = blackjack_options(book).ace_splits.value
    if split.splits_before < allowed:
        return COMPLIED
    return Breach("aces are split once only", "aces of a split hand were split again")


# Double


def double_not_on_two_cards(hand: HandPlay, book: Rulebook) -> Verdict:
    """ACT004 A hand was doubled that did not hold just its first two cards.

    What: a hand is doubled on its first two cards, or on the first two of a split hand. This one
    was doubled before or after.

    Why: the bettor raised the wager knowing more than the rules allow.

    Example: 1 2H 3D 6C double TC / D 6H TC 5S
    """
    if hand.doubled_on is None or hand.split_card is Rank.ACE:
        return NOT_APPLICABLE
    if hand.doubled_on == INITIAL_CARDS:
        return COMPLIED
    return Breach("a double on the first two cards", f"doubled on {hand.doubled_on} cards")


def split_aces_doubled(hand: HandPlay, book: Rulebook) -> Verdict:
    """ACT005 A split ace was doubled.

    What: hands formed by splitting aces cannot be doubled.

    Why: the bettor doubled a hand that is favoured from the start.

    Example: 1 AH AD split double 9C / 1.2 5S / D 6H TC 5S
    """
    if hand.split_card is not Rank.ACE:
        return NOT_APPLICABLE
    if hand.doubled_on is None:
        return COMPLIED
    return Breach("split aces cannot be doubled", "a split ace was doubled")


def twenty_one_doubled(hand: HandPlay, book: Rulebook) -> Verdict:
    """ACT006 A hand of 21 was doubled.

    What: neither a blackjack nor another 21 can be doubled.

    Why: a hand of 21 is finished; doubling it means drawing on it.

    Example: 1 AH KD double / D 6H | main@1 100=+150, double@1 100=+100
    """
    if hand.doubled_on is None:
        return NOT_APPLICABLE
    held = hand.ranks[: hand.doubled_on]
    of_any_cards = blackjack_options(book).twenty_one_never_doubled is not None
    if point_total(held) != TWENTY_ONE or (len(held) > INITIAL_CARDS and not of_any_cards):
        return COMPLIED
    return Breach("a hand of 21 cannot be doubled", f"{' '.join(held)} was doubled")


def _may_be_doubled(hand: HandPlay) -> bool:
    """Tell a hand on which a double means one more card: no split ace and no 21."""
    return hand.split_card is not Rank.ACE and point_total(hand.ranks) != TWENTY_ONE


# Surrender and even money


def surrender_against_ace(folded: Folded, book: Rulebook) -> Verdict:
    """ACT007 A hand was surrendered against a dealer's ace.

    What: surrender is open only while the dealer's first card is not an ace.

    Why: against an ace surrender saves the bettor half of a wager that the rules put at risk.

    Example: 1 TH 6D surrender / D AS | main@1 100=-50
    """
    if folded.dealer_first is None:
        return NOT_APPLICABLE
    if folded.dealer_first is not Rank.ACE:
        return COMPLIED
    return Breach("no surrender against a dealer's ace", "surrendered against an ace")


def surrender_too_late(folded: Folded, book: Rulebook) -> Verdict:
    """ACT008 A hand was surrendered after its time.

    What: surrender is a decision on the first two cards, before any further card is dealt to
    anybody, and never on a split hand.

    Why: a bettor who has seen more cards folds with knowledge that the rules keep from the choice.

    Example: 1 TH 2D 4C surrender / D 9S | main@1 100=-50
    """
    if folded.of_split_hand:
        return Breach("no surrender after a split", "a split hand was surrendered")
    if len(folded.ranks) > INITIAL_CARDS:
        return Breach(
            "surrender is on the first two cards", f"surrendered on {len(folded.ranks)} cards"
        )
    if folded.further_cards_dealt:
        return Breach(
            "surrender comes before any further card is dealt", "surrendered after a further card"
        )
    return COMPLIED


def even_money_without_ground(folded: Folded, book: Rulebook) -> Verdict:
    """ACT010 Even money was given where it cannot be asked for.

    What: only a bettor with a blackjack can ask for even money, only against a dealer's ace, and
    only before a further card is dealt.

    Why: even money is a sure win; given elsewhere it is a gift.

    Example: 1 AH KD even_money / D TS 5C | main@1 100=+100
    """
    if folded.of_split_hand or not is_ace_and_ten(folded.ranks):
        return Breach("even money is for a blackjack", f"even money on {' '.join(folded.ranks)}")
    if folded.dealer_first is None:
        return NOT_APPLICABLE
    if folded.dealer_first is not Rank.ACE:
        return Breach(
            "even money is against a dealer's ace",
            f"even money against a dealer's {folded.dealer_first}",
        )
    if folded.further_cards_dealt:
        return Breach(
            "even money comes before any further card is dealt", "even money after a further card"
        )
    return COMPLIED


# Drawing and standing


def _allowed_to_draw_on_21(held: tuple[Rank, ...], book: Rulebook) -> bool:
    return blackjack_options(book).draw_on_hard_21.value and not is_soft(held)


def drew_on_twenty_one(hand: HandPlay, book: Rulebook) -> Verdict:
    """DRW013 A card was drawn to a hand of 21.

    What: a blackjack takes no card, and neither does a 21 (one document forbids it only for a 21
    that counts an ace as 11). A card was drawn all the same.

    Why: nobody draws on 21 unless the card is meant for somebody else.

    Example: 1 TH 5D 6C 9S / D 6H TC 5S | main@1 100=-100
    """
    for held in range(INITIAL_CARDS, len(hand.ranks)):
        cards = hand.ranks[:held]
        if point_total(cards) != TWENTY_ONE:
            continue
        if not _allowed_to_draw_on_21(cards, book):
            drawn, total = hand.ranks[held], spoken_total(cards)
            return Breach("no card is drawn to a 21", f"{drawn} was drawn on {total}")
    return COMPLIED


def drew_on_bust_hand(hand: HandPlay, book: Rulebook) -> Verdict:
    """DRW014 A card was drawn to a hand that had already bust.

    What: a hand over 21 has lost and is collected at once. It was given another card.

    Why: the card belongs to the next hand, and each later hand is shifted by one.

    Example: 1 TH 6D TC 2S / D 6H | main@1 100=-100
    """
    for held in range(INITIAL_CARDS, len(hand.ranks)):
        if is_bust(hand.ranks[:held]):
            total = point_total(hand.ranks[:held])
            return Breach(
                f"a hand of {total} is collected", f"{hand.ranks[held]} was drawn on {total}"
            )
    return COMPLIED


def split_ace_drew_again(hand: HandPlay, book: Rulebook) -> Verdict:
    """DRW015 A split ace got more than one card.

    What: each of two split aces gets one card, and no more.

    Why: more cards make a strong split stronger than the rules allow.

    Example: 1 AH AD split 2C 8S / 1.2 5S / D 6H TC 5S
    """
    if hand.split_card is not Rank.ACE:
        return NOT_APPLICABLE
    allowed = 1 + blackjack_options(book).cards_on_split_ace.value
    if len(hand.ranks) <= allowed:
        return COMPLIED
    return Breach("one card on a split ace", f"it got {' '.join(hand.ranks[1:])}")


def doubled_hand_drew_again(hand: HandPlay, book: Rulebook) -> Verdict:
    """DRW016 A doubled hand got more than one card.

    What: a doubled hand gets exactly one more card. This one got more.

    Why: the price of doubling is that the hand ends with the next card.

    Example: 1 6H 5D double 2C 8S / D 6H TC 5S
    """
    if hand.doubled_on is None:
        return NOT_APPLICABLE
    drawn = len(hand.ranks) - hand.doubled_on
    if drawn <= blackjack_options(book).cards_on_doubled_hand.value:
        return COMPLIED
    return Breach("one card on a doubled hand", f"it got {' '.join(hand.ranks[hand.doubled_on :])}")


def doubled_hand_got_no_card(hand: HandPlay, book: Rulebook) -> Verdict:
    """DRW017 A doubled hand got no card.

    What: a hand that is doubled is given one more card. This one was left as it was.

    Why: the bettor paid for a card that never came.

    Example: 1 6H 5D double / D 6H TC 5S
    """
    if hand.doubled_on is None or not _may_be_doubled(hand):
        return NOT_APPLICABLE
    if len(hand.ranks) > hand.doubled_on:
        return COMPLIED
    return Breach("one card on a doubled hand", "it got none")


def split_hand_got_no_card(hand: HandPlay, book: Rulebook) -> Verdict:
    """DRW018 A split hand was left with one card.

    What: every hand formed by a split is given a second card. This one was not.

    Why: a hand of one card cannot be played or settled.

    Example: 1 8H 8D split 3C TH / 1.2 / D 6H TC 5S
    """
    if hand.split_card is None:
        return NOT_APPLICABLE
    if len(hand.ranks) >= INITIAL_CARDS:
        return COMPLIED
    return Breach("every split hand gets a second card", f"{hand.split_card} was left alone")


WAYS_TO_END = (CallKind.STAND, CallKind.SURRENDER, CallKind.EVEN_MONEY)
"""How a hand is ended; the clauses of the code stand in the same order."""


def drew_after_the_end(hand: HandPlay, book: Rulebook) -> Verdict:
    """DRW019 A card was drawn to a hand that its bettors were done with.

    What: the hand was announced as standing, surrendered or paid even money, and was given a card
    afterwards.

    Why: the card belongs to the next hand.

    Example: 1 TH 6D stand 5C / D 6H TC 5S
    """
    if hand.ended_on is None:
        return NOT_APPLICABLE
    if len(hand.ranks) <= hand.ended_on:
        return COMPLIED
    clauses = dict(zip(WAYS_TO_END, book.breaks["DRW019"], strict=False))
    return Breach(
        f"no further card after {' '.join(hand.ranks[: hand.ended_on])}",
        f"it got {' '.join(hand.ranks[hand.ended_on :])}",
        clause=clauses.get(hand.ended_by),
    )


def stood_too_low(hand: HandPlay, book: Rulebook) -> Verdict:
    """ACT011 A hand stood below 12.

    What: a hand of less than 12 must draw until it has 12 or more, unless it was doubled. This one
    stood.

    Why: the document forces the draw, so the next card out of the shoe was this hand's.

    Example: 1 4H 5D stand / D 6H TC 5S {rws-blackjack-v4}
    """
    forced = blackjack_options(book).forced_draw_below
    if forced is None or hand.doubled_on is not None or hand.folded:
        return NOT_APPLICABLE
    if len(hand.ranks) < INITIAL_CARDS:
        return NOT_APPLICABLE
    total = point_total(hand.ranks)
    if total >= forced.value:
        return COMPLIED
    return Breach(f"a hand of {total} draws until it has {forced.value}", f"it stood on {total}")


def absent_hand_is_complete(ranks: tuple[Rank, ...], book: Rulebook) -> bool:
    """Tell whether the house stops drawing for a bettor who is not there."""
    options = blackjack_options(book)
    least = options.absent_soft_from if is_soft(ranks) else options.absent_hard_from
    return least is None or point_total(ranks) >= least.value


def absent_bettors_hand_played_wrong(hand: HandPlay, book: Rulebook) -> Verdict:
    """DRW020 The hand of an absent bettor was not drawn as the rules have it.

    What: when nobody is there to decide, the house draws to a total that the document sets, and
    stops there; nothing is split or doubled.

    Why: with nobody to decide, the dealer would be playing somebody else's money.

    Example: 1 TH 4D 5C / D 6H TC 5S | control@1 absent
    """
    if not hand.nobody_decides or blackjack_options(book).absent_hard_from is None:
        return NOT_APPLICABLE
    raised = hand.split_card is not None or hand.doubled_on is not None
    if raised and blackjack_options(book).absent_may_not_raise is not None:
        return Breach("nothing is split or doubled for an absent bettor", "it was")
    if raised:
        return NOT_APPLICABLE
    for held in range(INITIAL_CARDS, len(hand.ranks)):
        if absent_hand_is_complete(hand.ranks[:held], book):
            total = spoken_total(hand.ranks[:held])
            return Breach(f"the house stops on {total}", f"{hand.ranks[held]} was drawn on {total}")
    if len(hand.ranks) >= INITIAL_CARDS and not absent_hand_is_complete(hand.ranks, book):
        total = spoken_total(hand.ranks)
        return Breach(f"the house draws on {total}", f"the hand was left on {total}")
    return COMPLIED


HAND_RULES: dict[str, Callable[[HandPlay, Rulebook], Verdict]] = {
    "DRW013": drew_on_twenty_one,
    "DRW014": drew_on_bust_hand,
    "DRW015": split_ace_drew_again,
    "DRW016": doubled_hand_drew_again,
    "DRW017": doubled_hand_got_no_card,
    "DRW018": split_hand_got_no_card,
    "DRW019": drew_after_the_end,
    "DRW020": absent_bettors_hand_played_wrong,
    "ACT004": double_not_on_two_cards,
    "ACT005": split_aces_doubled,
    "ACT006": twenty_one_doubled,
    "ACT011": stood_too_low,
}
SPLIT_RULES: dict[str, Callable[[SplitMade, Rulebook], Verdict]] = {
    "ACT001": split_of_unequal_cards,
    "ACT002": too_many_hands,
    "ACT003": aces_split_again,
}
SURRENDER_RULES: dict[str, Callable[[Folded, Rulebook], Verdict]] = {
    "ACT007": surrender_against_ace,
    "ACT008": surrender_too_late,
}
EVEN_MONEY_RULES: dict[str, Callable[[Folded, Rulebook], Verdict]] = {
    "ACT010": even_money_without_ground,
}
