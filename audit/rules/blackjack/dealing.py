"""The initial deal and the order of play: who gets a card, and when.

A card to each box with a wager from the dealer's left, one to the dealer, a second to each box;
then box after box is played out, and the dealer comes last.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from audit.hands import DEALER, Hand, Place, box_hand
from audit.rulebook import Irregularity, Rulebook, Stage
from audit.verdicts import COMPLIED, NOT_APPLICABLE, Breach, Undetermined, Verdict


@dataclass(frozen=True)
class Dealt:
    """Where each card went, in the order out of the shoe, and which boxes had a wager.

    `wagered` is None when no ledger tells. `decided_after` has the number of cards that had been
    dealt at each decision that was logged. `parents` says which hand each split hand came from.
    """

    hands: tuple[Hand | None, ...]
    wagered: frozenset[int] | None = None
    decided_after: tuple[int, ...] = ()
    parents: tuple[tuple[Hand, Hand], ...] = ()

    @cached_property
    def dealt_boxes(self) -> frozenset[int]:
        return frozenset(hand.box for hand in self.hands if hand and hand.place is Place.BOX)

    @cached_property
    def boxes(self) -> tuple[int, ...]:
        """The boxes in play, from the dealer's left."""
        dealt = self.dealt_boxes
        return tuple(sorted(dealt if self.wagered is None else dealt & self.wagered))

    @cached_property
    def in_play(self) -> tuple[Hand, ...]:
        """Leave out the cards of boxes that had no wager: those are a fault of their own."""
        boxes = self.boxes
        return tuple(
            hand
            for hand in self.hands
            if hand and (hand.place is Place.DEALER or hand.box in boxes)
        )

    @cached_property
    def first_without_hand(self) -> int | None:
        """Which card of the round, counted from 1, went nobody knows where, if one did."""
        return next((place for place, hand in enumerate(self.hands, 1) if hand is None), None)

    @cached_property
    def initial_fault(self) -> "DealFault | None":
        return fault_of_initial_deal(self)


@dataclass(frozen=True, slots=True)
class DealFault:
    code: str
    expected: str
    observed: str


def initial_order(boxes: tuple[int, ...]) -> tuple[Hand, ...]:
    """Give the order of the initial deal: every box, the dealer, every box again."""
    round_of_boxes = tuple(box_hand(box) for box in boxes)
    return (*round_of_boxes, DEALER, *round_of_boxes)


def _named(hands: tuple[Hand, ...]) -> str:
    return ", ".join(str(hand) for hand in hands)


def _without(hands: tuple[Hand, ...], place: int) -> tuple[Hand, ...]:
    return (*hands[:place], *hands[place + 1 :])


def fault_of_initial_deal(dealt: Dealt) -> DealFault | None:
    """Find out how the initial deal went wrong, if it did: the simplest name for it."""
    expected = initial_order(dealt.boxes)
    hands = dealt.in_play
    actual = hands[: len(expected)]
    if actual == expected:
        return None
    required, seen = _named(expected), _named(actual)
    boxes = tuple(box_hand(box) for box in dealt.boxes)
    if hands[: 2 * len(boxes)] == boxes + boxes:
        return DealFault("DEA013", f"the dealer's first card comes after {boxes[-1]}'s", seen)
    with_one_more = hands[: len(expected) + 1]
    surplus = [p for p in range(len(with_one_more)) if _without(with_one_more, p) == expected]
    if surplus:
        of_dealer = with_one_more[surplus[-1]] == DEALER
        asked_for = any(after <= surplus[-1] for after in dealt.decided_after)
        if of_dealer or not asked_for:
            code = "DEA014" if of_dealer else "DEA016"
            return DealFault(code, required, _named(with_one_more))
    if Counter(actual) == Counter(expected):
        return DealFault("DEA010", required, seen)
    for place, hand in enumerate(expected):
        if _without(expected, place) == hands[: len(expected) - 1]:
            return DealFault("DEA015", f"{hand} gets two cards: {required}", seen)
    return DealFault("DEA010", required, seen)


def _initial_fault_is(code: str, dealt: Dealt) -> Verdict:
    if dealt.first_without_hand is not None:
        return Undetermined(f"where card {dealt.first_without_hand} of the round went")
    if not dealt.boxes:
        return NOT_APPLICABLE
    fault = dealt.initial_fault
    if fault is None:
        return COMPLIED
    if fault.code != code:
        return NOT_APPLICABLE
    return Breach(fault.expected, f"dealt {fault.observed}")


def initial_deal_out_of_order(dealt: Dealt, book: Rulebook) -> Verdict:
    """DEA010 The initial deal did not go round in turn.

    What: from the dealer's left, each box with a wager gets a card, then the dealer, then each box
    a second. The cards went in another order.

    Why: every hand holds another hand's cards. While nothing is settled and no further card dealt,
    the cards are put back in their order.

    Example: 1 TH#2 8D#4 / 2 9C#1 7S#5 / D 7H#3 TC#6
    """
    return _initial_fault_is("DEA010", dealt)


def dealer_without_first_card(dealt: Dealt, book: Rulebook) -> Verdict:
    """DEA013 The dealer did not take a card on the initial deal.

    What: the dealer's first card follows the first card of the last box. It was left out.

    Why: bettors had to decide without the dealer's card, and it shifts every card after it.

    Example: 1 TH#1 8D#3 / 2 9C#2 7S#4 / D 7H#5 TC#6
    """
    return _initial_fault_is("DEA013", dealt)


def box_with_one_card(dealt: Dealt, book: Rulebook) -> Verdict:
    """DEA015 A box got only one card on the initial deal.

    What: every box with a wager gets two cards before anything else happens. One got one.

    Why: its bettors decided on half a hand, and the next hand got the card that was theirs.

    Example: 1 TH#1 8D#4 / 2 9C#2 / D 7H#3 TC#5
    """
    return _initial_fault_is("DEA015", dealt)


def box_with_too_many_cards(dealt: Dealt, book: Rulebook) -> Verdict:
    """DEA016 A box got too many cards on the initial deal.

    What: a box was given a card out of its turn, before the initial deal was complete.

    Why: the surplus card belongs to the next box, and each later hand is shifted by one.

    Example: 1 TH#1 2D#4 5C#5 / 2 9C#2 7S#6 / D 7H#3 TC#7
    """
    return _initial_fault_is("DEA016", dealt)


def box_skipped(dealt: Dealt, book: Rulebook) -> Verdict:
    """DEA011 A box with a wager got no cards.

    What: every box that holds a wager is dealt in. One was passed over.

    Why: the wager could neither win nor lose; if it is noticed too late, it is handed back.

    Example: 1 TH 8D / D 7H TC | main@1 100=+100, main@3 100=0
    """
    if dealt.wagered is None:
        return NOT_APPLICABLE
    skipped = sorted(dealt.wagered - dealt.dealt_boxes)
    if dealt.first_without_hand is not None:
        return Undetermined("where every card of the round went")
    if not skipped:
        return COMPLIED
    boxes = ", ".join(f"box{box}" for box in skipped)
    return Breach(f"{boxes} is dealt in: it has a wager", f"{boxes} got no card")


def box_without_wager_dealt_in(dealt: Dealt, book: Rulebook) -> Verdict:
    """DEA012 A box without a wager was dealt in.

    What: only boxes that hold a wager get cards. One without was dealt in.

    Why: its cards belong to the hands after it. Once play went on, they are discarded.

    Example: 1 TH 8D / 2 9C 7S / D 7H TC | main@1 100=+100
    """
    if dealt.wagered is None:
        return NOT_APPLICABLE
    uncalled = sorted(dealt.dealt_boxes - dealt.wagered)
    if not uncalled:
        return COMPLIED
    boxes = ", ".join(f"box{box}" for box in uncalled)
    return Breach(f"{boxes} gets no card: it has no wager", f"{boxes} was dealt in")


def dealer_drew_early(dealt: Dealt, book: Rulebook) -> Verdict:
    """DEA014 The dealer took a second card before the boxes were played out.

    What: there is no hole card: the dealer's second card comes when every box is done. It came
    before.

    Why: whoever still had to decide knew the dealer's hand, and every later card is shifted.

    Example: 1 TH#1 2D#3 5C#5 / D 7H#2 TC#4
    """
    verdict = _initial_fault_is("DEA014", dealt)
    if verdict != COMPLIED:
        return verdict
    if dealt.hands.count(DEALER) <= 1:
        return COMPLIED
    second = dealt.hands.index(DEALER, dealt.hands.index(DEALER) + 1)
    boxes = frozenset(dealt.boxes)
    later = [hand for hand in dealt.hands[second + 1 :] if hand and hand.box in boxes]
    if later:
        observed = f"the dealer's second card came before a card to {later[0]}"
    elif any(after > second for after in dealt.decided_after):
        observed = "the dealer's second card came before the last decision"
    else:
        return COMPLIED
    return Breach("the dealer draws when all boxes are played out", observed)


def box_played_out_of_turn(dealt: Dealt, book: Rulebook) -> Verdict:
    """DEA017 A box was played out of its turn.

    What: boxes are played one after the other from the dealer's left. A card went to an earlier box
    after a later one had begun.

    Why: the hand got a card that the rules give to another, and its bettors had seen more cards
    than they should have.

    Example: 1 TH#1 2D#4 5C#7 / 2 9C#2 3S#5 4D#6 / D 7H#3 TC#8
    """
    verdict = _in_turn(dealt, lambda begun, hand: begun.box > hand.box)
    late = book.provision(Irregularity.HAND_PASSED_OVER_NOTICED_LATE, Stage.AFTERWARDS)
    if isinstance(verdict, Breach) and late is not None and _boxes_begun_since(dealt) > 1:
        return replace(verdict, clause=late.clause)
    return verdict


def split_hand_played_out_of_turn(dealt: Dealt, book: Rulebook) -> Verdict:
    """DEA021 Split hands were played out of their turn.

    What: of split hands, the one that was split is finished before the one formed from it gets a
    card. It was given a card afterwards.

    Why: the bettor could choose which hand to improve after seeing the other's card.

    Example: 1 8H#1 8D#3 2C#4 9C#6 / 1.2 TS#5 / D 7H#2 TC#7
    """
    parents = dict(dealt.parents)
    return _in_turn(dealt, lambda begun, hand: _descends(begun, hand, parents))


def _boxes_after_initial_deal(dealt: Dealt) -> list[Hand]:
    later = dealt.in_play[len(initial_order(dealt.boxes)) :]
    return [hand for hand in later if hand.place is Place.BOX]


def _boxes_begun_since(dealt: Dealt) -> int:
    """Count the boxes that had acted when an earlier one was given its card after all."""
    later = _boxes_after_initial_deal(dealt)
    for place, hand in enumerate(later):
        begun = {other.box for other in later[:place] if other.box > hand.box}
        if begun:
            return len(begun)
    return 0


def _in_turn(dealt: Dealt, comes_after: Callable[[Hand, Hand], bool]) -> Verdict:
    if dealt.first_without_hand is not None or not dealt.boxes or dealt.initial_fault is not None:
        return NOT_APPLICABLE
    begun: list[Hand] = []
    for hand in _boxes_after_initial_deal(dealt):
        for other in begun:
            if comes_after(other, hand):
                return Breach(f"{hand} is finished before {other} begins", f"{hand} drew later")
        begun.append(hand)
    return COMPLIED


def _descends(hand: Hand, ancestor: Hand, parents: dict[Hand, Hand]) -> bool:
    while hand in parents:
        hand = parents[hand]
        if hand == ancestor:
            return True
    return False


DEALING_RULES: dict[str, Callable[[Dealt, Rulebook], Verdict]] = {
    "DEA010": initial_deal_out_of_order,
    "DEA011": box_skipped,
    "DEA012": box_without_wager_dealt_in,
    "DEA013": dealer_without_first_card,
    "DEA014": dealer_drew_early,
    "DEA015": box_with_one_card,
    "DEA016": box_with_too_many_cards,
    "DEA017": box_played_out_of_turn,
    "DEA021": split_hand_played_out_of_turn,
}
