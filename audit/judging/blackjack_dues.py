"""What every wager of a round of blackjack is due, by the cards as laid and in their order."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from audit.cards import Rank, Unread
from audit.hands import Hand, Place
from audit.irregularities import DEALING_ERRORS
from audit.judging.record import Record
from audit.judging.wagers import accepted, counting_stakes, limits_of
from audit.observations import Wager, WagerKind
from audit.rulebook import Irregularity, OverMaximum, Stage
from audit.rules.blackjack.dealer import (
    Need,
    blackjack_options,
    dealer_hand_by_the_rules,
)
from audit.rules.blackjack.dealing import initial_order
from audit.rules.blackjack.hands import (
    INITIAL_CARDS,
    POINT_VALUE,
    TWENTY_ONE,
    is_ace_and_ten,
    is_bust,
    point_total,
    spoken_total,
)
from audit.rules.blackjack.play import HAND_WAGERS, Play
from audit.settlement.blackjack import (
    AgainstDealerBlackjack,
    Standing,
    due_on_hand,
    due_on_initial_cards,
    due_on_insurance,
)
from audit.settlement.dues import Due, Fate, returned

SIDE_WAGERS = frozenset({WagerKind.PAIR, WagerKind.OVER13, WagerKind.UNDER13})
DEALER_FAULTS = frozenset({"DRW010", "DRW011", "DRW012"})
SURPLUS_CARDS = frozenset({"DRW013", "DRW014", "DRW015", "DRW016", "DRW019"})
NO_EFFECT_ON_OTHERS = frozenset({"DEA011", "DEA012", "DEA018"})
FURTHER_WAGERS = "further_wagers_of_a_box_over_the_maximum"


@dataclass(frozen=True, slots=True)
class Laid:
    """The hands that the wagers are settled on."""

    hands: Mapping[Hand, tuple[Rank, ...]]
    dealer: tuple[Rank, ...]


class BlackjackDues:
    """The dues of one round, read one way, in which these codes were breached."""

    def __init__(self, record: Record, play: Play, breached: frozenset[str]) -> None:
        self.record = record
        self.play = play
        self.book = record.book
        self.unit = record.sheet.rounding
        self.breached = breached

    # The hands as laid, and as the rules would have had them

    @cached_property
    def _as_laid(self) -> Laid:
        return Laid(self.play.hands, self.play.dealer)

    @cached_property
    def _put_back(self) -> Laid | None:
        """Give the hands as they were after the initial deal was put back in order."""
        order = initial_order(self.play.dealt().boxes)
        in_play = self.play.round.in_play()
        initial = in_play[: len(order)]
        if Counter(seen.hand for seen in initial) != Counter(order):
            return None
        now = {seen.seq: hand for seen, hand in zip(initial, order, strict=True)}
        cards = tuple(
            replace(seen, hand=now.get(seen.seq, seen.hand)) for seen in self.play.round.cards
        )
        play = Play(replace(self.play.round, cards=cards), self.book, self.unit, self.play.parents)
        return Laid(play.hands, play.dealer)

    @cached_property
    def _lawful(self) -> Laid | None:
        """Put the cards where the rules would have had them; None where nobody can say."""
        faults = {code for code in self.breached if code.startswith(("DRW", "DEA"))}
        faults -= NO_EFFECT_ON_OTHERS
        if not faults:
            return self._as_laid
        if faults <= DEALER_FAULTS:
            return self._with_lawful_dealer(self._as_laid.hands, self.play.dealer[1:])
        if faults <= SURPLUS_CARDS | DEALER_FAULTS:
            return self._without_surplus()
        if all(self.record.was_put_right(code) for code in faults):
            return self._put_back
        return None

    def _following(self) -> tuple[Rank, ...]:
        ranks: list[Rank] = []
        for card in self.record.round.around.following:
            if isinstance(card, Unread):
                break
            ranks.append(card.rank)
        return tuple(ranks)

    def _with_lawful_dealer(
        self, hands: Mapping[Hand, tuple[Rank, ...]], drawn: tuple[Rank, ...]
    ) -> Laid | None:
        first = self.play.dealer[:1]
        if not first:
            return None
        if "DRW011" in self.breached and not self._surplus_is_discarded:
            return None
        need = self._need(hands)
        dealer = dealer_hand_by_the_rules((*first, *drawn), self._following(), need, self.book)
        return None if dealer is None else Laid(hands, dealer)

    @property
    def _surplus_is_discarded(self) -> bool:
        case = Irregularity.CARD_ON_COMPLETED_DEALER_HAND
        return self.book.provision(case, Stage.AFTERWARDS) is not None

    def _need(self, hands: Mapping[Hand, tuple[Rank, ...]]) -> Need:
        """What the hands, as the rules would have them, need of the dealer."""
        need = self.play.dealer_play().required
        revived = any(
            is_bust(self.play.ranks(hand)) and not is_bust(ranks) for hand, ranks in hands.items()
        )
        return Need.WHOLE_HAND if revived else need

    def tolerated(self) -> dict[int, Due]:
        """What is as good as the cards as laid, where no remedy is stated for a surplus card."""
        if "DRW011" not in self.breached or self._surplus_is_discarded:
            return {}
        need = self.play.dealer_play().required
        dealer = dealer_hand_by_the_rules(self.play.dealer, self._following(), need, self.book)
        return {} if dealer is None else self._dues(Laid(self._as_laid.hands, dealer))

    def _without_surplus(self) -> Laid | None:
        """Give a surplus card of the last hand to the dealer, as the next card out of the shoe."""
        provision = self.book.provision(Irregularity.CARD_IN_ERROR, Stage.AFTERWARDS)
        if provision is None:
            return None
        boxes = [s for s in self.play.round.cards if s.hand and s.hand.place is Place.BOX]
        last = boxes[-1].hand
        if last is None:
            return None
        allowed = self._cards_allowed(last)
        surplus = self.play.ranks(last)[allowed:]
        others_are_fine = all(
            len(self.play.ranks(hand)) <= self._cards_allowed(hand)
            for hand in self.play.cards
            if hand != last
        )
        if not surplus or not others_are_fine:
            return None
        hands = {**self._as_laid.hands, last: self.play.ranks(last)[:allowed]}
        return self._with_lawful_dealer(hands, (*surplus, *self.play.dealer[1:]))

    def _cards_allowed(self, hand: Hand) -> int:
        """How many cards the hand could have before drawing another was forbidden."""
        played = self.play.hand_play(hand)
        options = blackjack_options(self.book)
        most = len(played.ranks)
        if played.split_card is Rank.ACE:
            most = min(most, 1 + options.cards_on_split_ace.value)
        if played.doubled_on is not None:
            most = min(most, played.doubled_on + options.cards_on_doubled_hand.value)
        if played.ended_on is not None:
            most = min(most, played.ended_on)
        for held in range(INITIAL_CARDS, most):
            if point_total(played.ranks[:held]) >= TWENTY_ONE:
                return held
        return most

    def consequence(self, code: str) -> str:
        """Say what the dealer would have had, where a fault changed it."""
        lawful = self._lawful
        if lawful is None or lawful.dealer == self.play.dealer:
            return ""
        if code not in DEALER_FAULTS | SURPLUS_CARDS:
            return ""
        return f"; in order the dealer has {spoken_total(lawful.dealer)}"

    # Dues

    def as_laid(self) -> dict[int, Due]:
        """The dues by the cards as they lay, or as they lay once they were put back."""
        faults = [code for code in self.breached if code in DEALING_ERRORS]
        if faults and any(self.record.was_put_right(code) for code in faults):
            return self.lawful()
        return self._dues_as_laid

    @cached_property
    def _dues_as_laid(self) -> dict[int, Due]:
        return self._dues(self._as_laid)

    def settled_as_laid(self, places: tuple[int, ...]) -> bool:
        """Tell whether wagers were settled by the cards as they lay, against the cards in order."""
        if self._lawful is None or self._lawful.dealer == self.play.dealer:
            return False
        dues = self._dues_as_laid
        return all(
            place in dues and self.record.round.wagers[place].net == dues[place].net
            for place in places
        )

    def lawful(self) -> dict[int, Due]:
        return self._lawful_dues

    @cached_property
    def _lawful_dues(self) -> dict[int, Due]:
        if self._lawful is self._as_laid:
            return self._dues_as_laid
        return {} if self._lawful is None else self._dues(self._lawful)

    @cached_property
    def _counting(self) -> dict[int, Fraction]:
        return counting_stakes(self.record)

    def _dues(self, laid: Laid) -> dict[int, Due]:
        dues = {
            place: self._due(place, wager, laid)
            for place, wager in enumerate(self.record.round.wagers)
            if wager.kind in self.book.wagers
        }
        return {place: due for place, due in dues.items() if due is not None}

    def _due(self, place: int, wager: Wager, laid: Laid) -> Due | None:
        on = self._counting[place]
        if wager.kind in SIDE_WAGERS:
            ranks = self.play.initial_ranks(wager.box or 0)
            if len(ranks) < INITIAL_CARDS:
                return None
            return due_on_initial_cards(wager.kind, on, ranks, self.book, self.unit)
        if wager.kind is WagerKind.INSURANCE:
            return self._due_on_insurance(wager, on, laid)
        return self._due_on_hand(place, wager, on, laid)

    def _due_on_insurance(self, wager: Wager, on: Fraction, laid: Laid) -> Due | None:
        clause = blackjack_options(self.book).even_money_returns_insurance
        insured = wager.on_behalf_of or wager.bettor
        if clause is not None and self.play.took_even_money(insured, wager.box):
            return returned(wager, "even money was taken", clause)
        if len(laid.dealer) < INITIAL_CARDS:
            return None
        return due_on_insurance(on, laid.dealer, self.book, self.unit)

    def _due_on_hand(self, place: int, wager: Wager, on: Fraction, laid: Laid) -> Due | None:
        hand = self.play.hand_of.get(place)
        ranks = laid.hands.get(hand, ()) if hand is not None else ()
        if hand is None or not ranks:
            clause = blackjack_options(self.book).box_without_cards_returned
            if clause is None or wager.kind is not WagerKind.MAIN:
                return None
            return returned(wager, "the box got no cards", clause)
        if len(ranks) < INITIAL_CARDS or not laid.dealer:
            return None
        standing = Standing(
            ranks=ranks,
            dealer=laid.dealer,
            from_split=self.play.is_split(hand),
            surrendered=self.play.surrendered(wager),
            even_money=self.play.took_even_money(wager.bettor, wager.box),
        )
        if not self._is_decided(standing):
            return None
        due = due_on_hand(wager.kind, on, standing, self.book, self.unit)
        return self._with_further_reading(wager, standing, due)

    def _is_decided(self, hand: Standing) -> bool:
        """Tell whether the dealer's cards reach to decide this wager."""
        if hand.surrendered or hand.even_money or is_bust(hand.ranks):
            return True
        if hand.is_blackjack:
            could_be_blackjack = POINT_VALUE[hand.dealer[0]] >= POINT_VALUE[Rank.TEN]
            return len(hand.dealer) >= INITIAL_CARDS or not could_be_blackjack
        return len(hand.dealer) >= INITIAL_CARDS

    def _with_further_reading(self, wager: Wager, standing: Standing, due: Due) -> Due:
        """Doubles and splits of a box over the maximum may be read as pro rata too."""
        rule = self.book.options.over_maximum
        if FURTHER_WAGERS not in self.book.readings or wager.kind is WagerKind.MAIN:
            return due
        _, greatest = limits_of(self.record, WagerKind.MAIN)
        mains = accepted(self.record, WagerKind.MAIN, wager.box)
        placed = sum((self.record.round.wagers[main].stake for main in mains), Decimal(0))
        pro_rata = rule is not None and rule.value is OverMaximum.PRO_RATA
        if not pro_rata or greatest is None or placed <= greatest:
            return due
        share = due.on * Fraction(greatest) / Fraction(placed)
        other = due_on_hand(wager.kind, share, standing, self.book, self.unit)
        return replace(due, otherwise=(*due.otherwise, (other.net, FURTHER_WAGERS)))

    # The limit against a dealer's blackjack

    def against_dealer_blackjack(
        self,
    ) -> Iterator[tuple[str, int, tuple[int, ...], AgainstDealerBlackjack | None]]:
        """Go through the bettors who split or doubled on a box and met a dealer's blackjack."""
        laid = self._lawful or self._as_laid
        if not is_ace_and_ten(laid.dealer):
            return
        dues = self._lawful_dues or self._dues_as_laid
        for bettor, box in sorted(self._raised()):
            places = tuple(
                place
                for place, wager in enumerate(self.record.round.wagers)
                if wager.kind in HAND_WAGERS and (wager.bettor, wager.box) == (bettor, box)
            )
            yield bettor, box, places, self._situation(places, dues)

    def _raised(self) -> set[tuple[str, int]]:
        return {
            (wager.bettor, wager.box)
            for wager in self.record.round.placed(WagerKind.SPLIT, WagerKind.DOUBLE)
            if wager.box is not None
        }

    def _situation(
        self, places: tuple[int, ...], dues: dict[int, Due]
    ) -> AgainstDealerBlackjack | None:
        wagers = [self.record.round.wagers[place] for place in places]
        nets = [wager.net for wager in wagers if wager.net is not None]
        if len(nets) < len(wagers) or any(place not in dues for place in places):
            return None
        bust_clause = blackjack_options(self.book).bust_loses
        lost = [
            dues[place].on
            for place in places
            if dues[place].fate is Fate.LOSES and dues[place].clause == bust_clause
        ]
        original = [
            self._counting[place]
            for place, wager in zip(places, wagers, strict=True)
            if wager.kind is WagerKind.MAIN
        ]
        return AgainstDealerBlackjack(
            original=sum(original, Fraction(0)),
            lost_to_busts=sum(lost, Fraction(0)),
            still_standing=len(lost) < len(places),
            after_split=any(wager.kind is WagerKind.SPLIT for wager in wagers),
            net=sum(nets, Decimal("0.00")),
            unit=self.unit,
        )
