"""From the cards, wagers and calls of a round to the hands as they were played, read one way."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate

from audit.cards import Rank
from audit.hands import DEALER, Hand, Place, box_hand
from audit.money import rounded
from audit.observations import Call, CallKind, CardSeen, Wager, WagerKind
from audit.rounds import Round, rank_of
from audit.rulebook import Event, Irregularity, Rulebook, Stage
from audit.rules.blackjack.dealer import DealerPlay, Need, blackjack_options
from audit.rules.blackjack.dealing import Dealt
from audit.rules.blackjack.decisions import Folded, HandPlay, SplitMade
from audit.rules.blackjack.hands import (
    INITIAL_CARDS,
    POINT_VALUE,
    is_ace_and_ten,
    is_bust,
)

ABSENT = "absent"
HAND_WAGERS = frozenset({WagerKind.MAIN, WagerKind.SPLIT, WagerKind.DOUBLE})


def _ranks(cards: tuple[CardSeen, ...]) -> tuple[Rank, ...]:
    return tuple(rank_of(seen) for seen in cards)


@lru_cache(maxsize=1 << 12)
def _nets_of_surrender(stake: Decimal, share: Fraction, unit: Decimal) -> tuple[Decimal, Decimal]:
    """Give what a surrender comes to: its share taken, or else the rest of the stake given back."""
    given_up = Fraction(stake) * share
    return rounded(-given_up, unit), rounded(Fraction(stake) - given_up, unit) - stake


@dataclass(frozen=True)
class Play:
    """A round of blackjack, read one way."""

    round: Round
    book: Rulebook
    unit: Decimal
    parents: tuple[tuple[Hand, Hand], ...]
    refused: frozenset[int] = frozenset()
    """The main wagers, by their place, that the house did not take."""
    unnamed: tuple[tuple[int, Hand], ...] = ()
    """The hands of split and double wagers whose hand the ledger does not name, by their place."""

    @cached_property
    def cards(self) -> dict[Hand, tuple[CardSeen, ...]]:
        """The cards of each hand: a card that moved in a split stands in the hand it moved to."""
        held = {hand: list(self.round.to_hand(hand)) for hand in self._hand_names}
        for child, parent in self.parents:
            if len(held[parent]) >= INITIAL_CARDS:
                held[child].insert(0, held[parent].pop(1))
        return {hand: tuple(cards) for hand, cards in held.items()}

    @cached_property
    def _hand_names(self) -> tuple[Hand, ...]:
        boxes = {hand for hand in self.round.hands if hand.place is Place.BOX}
        boxes |= {hand for hand in self._split_hands if hand.place is Place.BOX}
        return tuple(sorted(boxes, key=lambda hand: (hand.box, hand.formed)))

    @cached_property
    def dealer(self) -> tuple[Rank, ...]:
        return _ranks(self.round.to_hand(DEALER))

    @property
    def dealer_first(self) -> Rank | None:
        return self.dealer[0] if self.dealer else None

    def ranks(self, hand: Hand) -> tuple[Rank, ...]:
        return self.hands.get(hand, ())

    @cached_property
    def hands(self) -> Mapping[Hand, tuple[Rank, ...]]:
        """The ranks of each hand of a box."""
        return {hand: _ranks(cards) for hand, cards in self.cards.items()}

    def initial_ranks(self, box: int) -> tuple[Rank, ...]:
        """The first two cards that a box was dealt, whatever became of them."""
        return _ranks(self.round.to_hand(box_hand(box))[:INITIAL_CARDS])

    def is_split(self, hand: Hand) -> bool:
        return hand in self._split_hands

    @cached_property
    def _split_hands(self) -> frozenset[Hand]:
        return frozenset(hand for link in self.parents for hand in link)

    @cached_property
    def boxes(self) -> tuple[int, ...]:
        return tuple(sorted({hand.box for hand in self._hand_names}))

    def hands_of(self, box: int) -> tuple[Hand, ...]:
        return tuple(hand for hand in self._hand_names if hand.box == box)

    # Wagers

    def main_wagers(self, box: int) -> tuple[Wager, ...]:
        return self._mains_of_boxes.get(box, ())

    @cached_property
    def _mains_of_boxes(self) -> dict[int | None, tuple[Wager, ...]]:
        boxes = {wager.box for wager in self._mains}
        return {box: tuple(wager for wager in self._mains if wager.box == box) for box in boxes}

    @cached_property
    def _mains(self) -> tuple[Wager, ...]:
        return tuple(
            wager
            for place, wager in enumerate(self.round.wagers)
            if wager.kind is WagerKind.MAIN and place not in self.refused
        )

    def original(self, bettor: str, box: int | None) -> Decimal | None:
        """What a bettor wagered on a box before the cards were dealt."""
        stakes = [
            w.stake for w in self.round.placed(WagerKind.MAIN) if (w.bettor, w.box) == (bettor, box)
        ]
        return sum(stakes, Decimal(0)) if stakes else None

    @cached_property
    def hand_of(self) -> dict[int, Hand]:
        """The hand that each main, split and double wager stands on, by its place in the ledger."""
        placed = dict(self.unnamed)
        for place, wager in enumerate(self.round.wagers):
            if wager.kind in HAND_WAGERS and wager.box is not None and place not in placed:
                placed[place] = wager.hand or box_hand(wager.box)
        return placed

    # Decisions

    def held_at(self, hand: Hand, after: int) -> int:
        """How many cards a hand held once so many cards of the round had been dealt."""
        dealt = {seen.seq for seen in self.round.cards[:after]}
        return sum(seen.seq in dealt for seen in self.cards.get(hand, ()))

    def _last_call(self, hand: Hand, kind: CallKind) -> Call | None:
        return self._last_calls.get((kind, hand))

    @cached_property
    def _last_calls(self) -> dict[tuple[CallKind, Hand | None], Call]:
        return {(call.kind, call.hand): call for call in self.round.calls}

    def bettors_on(self, box: int) -> frozenset[str]:
        return frozenset(wager.bettor for wager in self.main_wagers(box))

    def took(self, kind: CallKind, bettor: str, box: int) -> bool:
        """Tell whether a bettor was heard to surrender or to take even money on a box.

        A call that names nobody speaks for every bettor on the box.
        """
        return any(True for _ in self._calls_of(kind, bettor, box))

    def _calls_of(self, kind: CallKind, bettor: str, box: int) -> Iterator[Call]:
        return (
            call
            for call in self.round.called(kind)
            if call.hand is not None and call.hand.box == box and call.bettor in ("", bettor)
        )

    def surrendered(self, wager: Wager) -> bool:
        """Tell whether a bettor folded: heard, or where decisions go unlogged, by the ledger."""
        if wager.kind is not WagerKind.MAIN or wager.box is None:
            return False
        told_by = (wager.bettor, wager.box, wager.stake, wager.net)
        if told_by not in self._known_to_fold:
            self._known_to_fold[told_by] = self._gave_up(wager, wager.box)
        return self._known_to_fold[told_by]

    @cached_property
    def _known_to_fold(self) -> dict[tuple[str, int, Decimal, Decimal | None], bool]:
        """What was found out about main wagers, by all that tells whether they were folded."""
        return {}

    def _gave_up(self, wager: Wager, box: int) -> bool:
        if self._folds_were_logged:
            heard = self._calls_of(CallKind.SURRENDER, wager.bettor, box)
            return any(not self._was_split_before(call) for call in heard)
        if self.dealer_first in (None, Rank.ACE) or wager.net is None:
            return False
        share = blackjack_options(self.book).surrender_share.value
        given_up, otherwise = _nets_of_surrender(wager.stake, share, self.unit)
        as_otherwise = wager.net == otherwise and -wager.stake < wager.net < 0
        if wager.net != given_up and not as_otherwise:
            return False
        raised = any(
            (other.bettor, other.box) == (wager.bettor, box)
            for other in self.round.placed(WagerKind.SPLIT, WagerKind.DOUBLE)
        )
        alone = self.bettors_on(box) == {wager.bettor}
        return not raised and not (alone and self._was_played(box))

    @cached_property
    def _folds_were_logged(self) -> bool:
        return any(self.round.called(CallKind.SURRENDER, CallKind.EVEN_MONEY))

    def _was_played(self, box: int) -> bool:
        """Tell whether a box drew, split or was heard to decide something."""
        if len(self.hands_of(box)) > 1 or len(self.ranks(box_hand(box))) > INITIAL_CARDS:
            return True
        played = (CallKind.HIT, CallKind.STAND, CallKind.DOUBLE, CallKind.SPLIT)
        return any(
            call.hand is not None and call.hand.box == box for call in self.round.called(*played)
        )

    def took_even_money(self, bettor: str, box: int | None) -> bool:
        """Tell whether a bettor took even money: heard, or else seen in the ledger."""
        if box is None:
            return False
        if self._folds_were_logged:
            return self.took(CallKind.EVEN_MONEY, bettor, box)
        if self.dealer_first is not Rank.ACE:
            return False
        mains = [wager for wager in self.main_wagers(box) if wager.bettor == bettor]
        if not mains:
            return False
        if len(self.hands_of(box)) > 1 or not is_ace_and_ten(self.initial_ranks(box)):
            return False
        if self.bettors_on(box) == {bettor} and self._was_played(box):
            return False
        even = self.book.pay_row(WagerKind.MAIN, Event.EVEN_MONEY).odds.paid
        return all(main.net == rounded(Fraction(main.stake) * even, self.unit) for main in mains)

    def _everyone_took(self, kind: CallKind, box: int) -> bool:
        bettors = self.bettors_on(box) or frozenset({""})
        return all(self.took(kind, bettor, box) for bettor in bettors)

    def _ended(self, hand: Hand) -> Call | None:
        """Find the call by which the bettors of a hand were done with it."""
        stand = self._last_call(hand, CallKind.STAND)
        if stand is not None or self.is_split(hand):
            return stand
        for kind in (CallKind.SURRENDER, CallKind.EVEN_MONEY):
            call = self._last_call(hand, kind)
            if call is not None and self._everyone_took(kind, hand.box):
                return call
        return None

    def _everyone_folded(self, hand: Hand) -> bool:
        """Tell whether every bettor of a hand surrendered, heard or seen in the ledger."""
        if not self.main_wagers(hand.box):
            return not self.is_split(hand) and self._everyone_took(CallKind.SURRENDER, hand.box)
        return hand.box in self._boxes_given_up

    @cached_property
    def _boxes_given_up(self) -> frozenset[int | None]:
        """The boxes on which every main wager was surrendered."""
        return frozenset(
            box
            for box, mains in self._mains_of_boxes.items()
            if all(self.surrendered(wager) for wager in mains)
        )

    def _doubled_on(self, hand: Hand) -> int | None:
        call = self._last_call(hand, CallKind.DOUBLE)
        if call is not None:
            return self.held_at(hand, call.after)
        doubled = hand in self._hands_with_double
        return min(INITIAL_CARDS, len(self.cards.get(hand, ()))) if doubled else None

    @cached_property
    def _hands_with_double(self) -> frozenset[Hand]:
        """The hands on which a double stands; where decisions are logged, one that was taken."""
        wagers = self.round.wagers
        return frozenset(
            hand
            for place, hand in self.hand_of.items()
            if wagers[place].kind is WagerKind.DOUBLE
            and not (self.round.decisions_were_logged and wagers[place].net == 0)
        )

    def _nobody_decides(self, box: int) -> bool:
        """Tell whether the bettor who decides is absent and no other on the box can step in."""
        for call in self.round.called(CallKind.CONTROL):
            if call.hand is not None and call.hand.box == box and call.value == ABSENT:
                return not call.bettor or self.bettors_on(box) <= {call.bettor}
        return False

    def controller(self, box: int) -> str | None:
        """Who was named to decide for a box, as long as that bettor did not surrender."""
        named = [
            call.bettor
            for call in self.round.called(CallKind.CONTROL)
            if call.hand is not None
            and call.hand.box == box
            and call.bettor
            and call.value != ABSENT
        ]
        if not named:
            return None
        folded = {wager.bettor for wager in self.main_wagers(box) if self.surrendered(wager)}
        return None if named[-1] in folded else named[-1]

    def hand_play(self, hand: Hand) -> HandPlay:
        ranks = self.ranks(hand)
        ended = self._ended(hand)
        return HandPlay(
            ranks=ranks,
            split_card=ranks[0] if self.is_split(hand) and ranks else None,
            doubled_on=self._doubled_on(hand),
            ended_on=self.held_at(hand, ended.after) if ended else None,
            ended_by=ended.kind if ended else CallKind.STAND,
            folded=self._everyone_folded(hand),
            nobody_decides=self._nobody_decides(hand.box),
        )

    def splits(self) -> Iterator[tuple[Hand, SplitMade]]:
        """Go through the splits in the order in which the hands were formed."""
        splits: dict[int, int] = defaultdict(int)
        for child, parent in self.parents:
            moved, stayed = self.ranks(child)[:1], self.ranks(parent)[:1]
            if moved and stayed:
                made = SplitMade(
                    first=stayed[0],
                    second=moved[0],
                    hands=child.formed,
                    splits_before=splits[child.box],
                )
                yield child, made
            splits[child.box] += 1

    def folded(self, call: Call) -> Folded:
        hand = call.hand or DEALER
        return Folded(
            ranks=self.ranks(hand)[: self.held_at(hand, call.after)],
            dealer_first=self.dealer_first,
            of_split_hand=self._was_split_before(call),
            further_cards_dealt=call.after > self._folding_closes,
        )

    def _was_split_before(self, call: Call) -> bool:
        """Tell whether the box had been split when a call was made, or is made on a split hand."""
        hand = call.hand or DEALER
        if hand.formed > 1 or not self.is_split(hand):
            return hand.formed > 1
        splits = [c for c in self.round.called(CallKind.SPLIT) if c.hand and c.hand.box == hand.box]
        if splits:
            return self.round.calls.index(splits[0]) < self.round.calls.index(call)
        return call.after > self.initial_deal_ends

    @cached_property
    def initial_deal_ends(self) -> int:
        """How many cards had left the shoe, burnt ones included, when the initial deal was over."""
        wanted = 2 * len(self.boxes) + 1
        in_play = 0
        for dealt, seen in enumerate(self.round.cards, 1):
            in_play += seen.hand is None or seen.hand.place in PLAYED
            if in_play == wanted:
                return dealt
        return len(self.round.cards)

    @property
    def _folding_closes(self) -> int:
        """After how many cards folding closes: late, if the dealer's first card came late."""
        reopened = self.book.provision(Irregularity.DEALER_WITHOUT_FIRST_CARD, Stage.AFTERWARDS)
        firsts = [n for n, seen in enumerate(self.round.cards, 1) if seen.hand == DEALER][:1]
        if reopened is None or not firsts:
            return self.initial_deal_ends
        return max(firsts[0], self.initial_deal_ends)

    def dealt(self) -> Dealt:
        """Where the cards went, for the rules of dealing."""
        return self._dealt

    @cached_property
    def _dealt(self) -> Dealt:
        in_play = self.round.in_play()
        mains = [wager for wager in self._mains if not wager.late]
        cards = self.round.cards
        played = [0, *accumulate(seen.hand is None or seen.hand.is_played for seen in cards)]
        decided = tuple(
            played[min(call.after, len(cards))]
            for call in self.round.called(
                CallKind.HIT, CallKind.STAND, CallKind.DOUBLE, CallKind.SPLIT, CallKind.SURRENDER
            )
        )
        return Dealt(
            hands=tuple(seen.hand for seen in in_play),
            wagered=frozenset(w.box for w in mains if w.box is not None) if mains else None,
            decided_after=decided,
            parents=self.parents,
        )

    # What depends on the dealer

    def dealer_play(self) -> DealerPlay:
        return self._dealer_play

    @cached_property
    def _dealer_play(self) -> DealerPlay:
        needs = [self._need_of_hand(hand) for hand in self.hands_in_play]
        needs.append(self._need_of_insurance())
        return DealerPlay(
            ranks=self.dealer,
            required=max(least for least, _ in needs),
            possible=max(most for _, most in needs),
            tolerated=self._need_under_other_reading(),
        )

    @cached_property
    def hands_in_play(self) -> tuple[Hand, ...]:
        """The hands of boxes with a wager; without a ledger, of all that were dealt in."""
        wagered = {w.box for w in self.round.placed(WagerKind.MAIN)}
        return tuple(h for h in self._hand_names if not wagered or h.box in wagered)

    def _need_of_hand(self, hand: Hand) -> tuple[Need, Need]:
        """What a hand needs of the dealer for sure, and what it could need at the most."""
        ranks = self.ranks(hand)
        if len(ranks) < INITIAL_CARDS or is_bust(ranks):
            return Need.NO_CARD, Need.NO_CARD
        if self._everyone_folded(hand):
            return Need.NO_CARD, Need.NO_CARD
        if not self.is_split(hand) and is_ace_and_ten(ranks):
            return self._need_of_blackjack(hand)
        if self._may_all_have_surrendered(hand):
            return Need.NO_CARD, Need.WHOLE_HAND
        return Need.WHOLE_HAND, Need.WHOLE_HAND

    def _need_of_blackjack(self, hand: Hand) -> tuple[Need, Need]:
        if self.dealer_first is None or POINT_VALUE[self.dealer_first] < POINT_VALUE[Rank.TEN]:
            return Need.NO_CARD, Need.NO_CARD
        if self.dealer_first is not Rank.ACE:
            return Need.SECOND_CARD, Need.SECOND_CARD
        mains = self.main_wagers(hand.box)
        known = all(wager.net is not None for wager in mains) or self._folds_were_logged
        known = known or (len(mains) == 1 and self._was_played(hand.box))
        if not mains or not known:
            return Need.NO_CARD, Need.SECOND_CARD
        took = all(self.took_even_money(wager.bettor, hand.box) for wager in mains)
        return (Need.NO_CARD, Need.NO_CARD) if took else (Need.SECOND_CARD, Need.SECOND_CARD)

    def _may_all_have_surrendered(self, hand: Hand) -> bool:
        """Tell whether every bettor of the hand may have folded without its being logged."""
        if self._folds_were_logged or self._was_played(hand.box) or self.dealer_first is Rank.ACE:
            return False
        mains = self.main_wagers(hand.box)
        return all(wager.net is None or self.surrendered(wager) for wager in mains)

    def _need_of_insurance(self) -> tuple[Need, Need]:
        """An insurance wager waits for the dealer's second card, unless even money returned it.

        Without a ledger nobody knows whether there was one.
        """
        if not self.round.wagers:
            offered = WagerKind.INSURANCE in self.book.wagers and self.dealer_first is Rank.ACE
            return Need.NO_CARD, Need.SECOND_CARD if offered else Need.NO_CARD
        open_wagers = [
            wager
            for wager in self.round.placed(WagerKind.INSURANCE)
            if wager.net != 0
            and not (
                blackjack_options(self.book).even_money_returns_insurance
                and self.took_even_money(wager.on_behalf_of or wager.bettor, wager.box)
            )
        ]
        if not open_wagers or self.dealer_first is not Rank.ACE:
            return Need.NO_CARD, Need.NO_CARD
        return Need.SECOND_CARD, Need.SECOND_CARD

    def _need_under_other_reading(self) -> Need:
        """A dealer's blackjack may still limit the loss of hands that bust after a split or double.

        Under the reading that is not taken the second card matters, so drawing it accuses nobody.
        """
        if "dealer_blackjack_against_busted_hands" not in self.book.readings:
            return Need.NO_CARD
        ten_or_ace = (
            self.dealer_first is not None
            and POINT_VALUE[self.dealer_first] >= POINT_VALUE[Rank.TEN]
        )
        return Need.SECOND_CARD if ten_or_ace and self._may_be_raised() else Need.NO_CARD

    def _may_be_raised(self) -> bool:
        """Whether a wager was doubled or split; without a ledger, whether it may have been."""
        if self.round.wagers:
            return any(True for _ in self.round.placed(WagerKind.SPLIT, WagerKind.DOUBLE))
        return any(
            self.is_split(hand) or len(self.ranks(hand)) == INITIAL_CARDS + 1
            for hand in self.hands_in_play
        )


PLAYED = frozenset({Place.BOX, Place.DEALER})
