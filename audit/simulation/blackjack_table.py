"""A round of blackjack: bettors who decide in every lawful way, and a dealer who plays it out."""

from collections.abc import Container
from dataclasses import replace
from decimal import Decimal
from random import Random

from audit.cards import Card, Rank
from audit.hands import BURN, DEALER, Hand, box_hand
from audit.money import NOTHING
from audit.observations import DECISIONS, Call, CallKind, CardSeen, Game, Wager, WagerKind
from audit.rounds import Circumstances, Round
from audit.rulebook import BlackjackOptions, Rulebook
from audit.rules.blackjack.dealer import Need, blackjack_options, dealer_draws
from audit.rules.blackjack.decisions import absent_hand_is_complete
from audit.rules.blackjack.hands import may_be_split
from audit.simulation.blackjack_betting import (
    BETTORS,
    Box,
    HandInPlay,
    Seat,
)
from audit.simulation.blackjack_pay import (
    Paymaster,
    counts_an_ace_as_eleven,
    is_natural,
    points,
    total_of,
)
from audit.simulation.blackjack_setting import CallLog, HandsNamed, Setting, any_setting
from audit.simulation.habits import EVERY_HABIT, Habit
from audit.simulation.shoe import Shoe
from audit.table_sheet import TableSheet

CARDS_KEPT_FOR_THE_DEALER = 12


FOLDS = frozenset({CallKind.SURRENDER, CallKind.EVEN_MONEY})


FOLDS_HEARD = (CallLog.FOLDS, CallLog.EVERYTHING)
PLAY_HEARD = (CallLog.PLAY, CallLog.EVERYTHING)


def deal_round(
    shoe: Shoe,
    book: Rulebook,
    sheet: TableSheet,
    rng: Random,
    habits: frozenset[Habit] = EVERY_HABIT,
    setting: Setting | None = None,
) -> Round:
    """Deal one round off the shoe, to a table that is set or to any."""
    table = _Table(shoe, book, sheet, rng, habits, setting)
    table.deal()
    table.offer()
    for box in table.boxes:
        table.play_box(box)
    table.play_dealer()
    return table.as_round()


class _Table:
    """The table while a round is on."""

    def __init__(
        self,
        shoe: Shoe,
        book: Rulebook,
        sheet: TableSheet,
        rng: Random,
        habits: frozenset[Habit],
        setting: Setting | None,
    ) -> None:
        self.habits = habits
        self.shoe = shoe
        self.book = book
        self.sheet = sheet
        self.rng = rng
        self.options: BlackjackOptions = blackjack_options(book)
        self.first_of_shoe = shoe.dealt == 0
        self.initial_deal_ends = 0
        self.setting = setting or any_setting(shoe, book, sheet, rng, habits)
        self.cashier = self.setting.cashier
        self.boxes = self.setting.boxes
        self.log = self.setting.log
        self.style = self.setting.style
        self.refused = self.setting.refused
        self.insurance: list[tuple[Wager, Seat]] = []
        self.cards: list[CardSeen] = []
        self.dealer: list[Rank] = []
        self.calls: list[Call] = []

    # Cards and calls

    def draw(self, hand: Hand) -> Card:
        """Deal the next card to a hand, and look at it."""
        card = self.shoe.cards[self.shoe.dealt]
        self.cards.append(self.shoe.draw(hand))
        return card

    def say(self, kind: CallKind, hand: Hand | None = None, by: str = "", value: str = "") -> None:
        self.calls.append(Call(kind, len(self.cards), hand, by, value))

    def decide(self, kind: CallKind, box: Box, hand: Hand, value: str = "") -> None:
        """Write down a decision of the bettor who decides for the box."""
        by = box.playing[0].bettor if self.setting.names_who_decides and not box.is_absent else ""
        self.say(kind, hand, by, value)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    # The initial deal

    def deal(self) -> None:
        """Burn at the start of a shoe, then a card to each box, the dealer, each box again."""
        if self.setting.burns_before_bets:
            self._burn()
        self.say(CallKind.BETS_OPEN)
        self.say(CallKind.BETS_CLOSED)
        for box in self.boxes:
            if box.is_absent:
                self.say(CallKind.CONTROL, box_hand(box.number), value="absent")
            elif self.chance(0.6):
                self.say(CallKind.CONTROL, box_hand(box.number), box.seats[0].bettor)
        if not self.setting.burns_before_bets:
            self._burn()
        first = {box.number: self.draw(box_hand(box.number)) for box in self.boxes}
        self.dealer.append(self.draw(DEALER).rank)
        for box in self.boxes:
            hand = box_hand(box.number)
            played = HandInPlay(hand, [first[box.number], self.draw(hand)])
            box.hands, box.initial_ranks = [played], played.ranks
        self.initial_deal_ends = len(self.cards)

    def _burn(self) -> None:
        if self.first_of_shoe:
            for _ in range(1 if self.sheet.burn is None else self.sheet.burn):
                self.draw(BURN)

    # Insurance, even money, surrender

    def offer(self) -> None:
        """Offer what is open before the first further card."""
        for box in self.boxes:
            for seat in box.seats:
                if box.is_absent:
                    continue
                if self.dealer[0] is Rank.ACE:
                    self._offer_insurance(box, seat)
                elif not is_natural(box.initial_ranks) and self.chance(self.style.surrender):
                    seat.surrendered = True
            self._write_folds(box)
        if Habit.REFUSED_INSURANCE in self.habits and self.chance(0.05):
            box = self.rng.choice(self.boxes)
            seat = self.rng.choice(box.seats)
            row = Wager(seat.bettor, WagerKind.INSURANCE, seat.stake, NOTHING, box=box.number)
            self.refused.append(row)

    def _offer_insurance(self, box: Box, seat: Seat) -> None:
        most = self.cashier.half_of(seat.stake)
        natural = is_natural(box.initial_ranks)
        if self.chance(self.style.insure):
            less = self.cashier.half_of(most) or most
            self._insure(box, seat, seat.bettor, self.rng.choice((most, less)))
        elif self.options.others_may_insure.value and self.chance(0.2):
            others = [bettor for bettor in BETTORS if bettor != seat.bettor]
            for other in self.rng.sample(others, self.rng.choice((1, 2))):
                part = self.cashier.half_of(most) or most
                self._insure(box, seat, other, part)
                most -= part
        if natural and self._may_take_even_money(seat) and self.chance(self.style.even_money):
            seat.took_even_money = True

    def _may_take_even_money(self, seat: Seat) -> bool:
        """Keep to one of the two while others insure the wager."""
        return {row.bettor for row, on in self.insurance if on is seat} <= {seat.bettor}

    def _insure(self, box: Box, seat: Seat, bettor: str, stake: Decimal) -> None:
        if not stake:
            return
        behalf = None if bettor == seat.bettor else seat.bettor
        row = Wager(bettor, WagerKind.INSURANCE, stake, box=box.number, on_behalf_of=behalf)
        self.insurance.append((row, seat))
        self.say(CallKind.INSURANCE, box_hand(box.number), bettor, "yes")

    def _write_folds(self, box: Box) -> None:
        hand = box_hand(box.number)
        for kind, folded in (
            (CallKind.SURRENDER, [seat for seat in box.seats if seat.surrendered]),
            (CallKind.EVEN_MONEY, [seat for seat in box.seats if seat.took_even_money]),
        ):
            if folded and len(folded) == len(box.seats) and self.chance(0.3):
                self.say(kind, hand)
            else:
                for seat in folded:
                    self.say(kind, hand, seat.bettor)
        if box.playing and box.playing[0] is not box.seats[0] and self.chance(0.5):
            self.say(CallKind.CONTROL, hand, box.playing[0].bettor)

    # The boxes

    def play_box(self, box: Box) -> None:
        """Play out every hand of a box, the hands that splits form among them."""
        if not box.playing or is_natural(box.initial_ranks):
            return
        if box.is_absent:
            self._draw_for_absent(box)
            return
        newest_first = self.chance(0.5)
        waiting = [box.hands[0]]
        while waiting:
            played = waiting.pop(0)
            formed = self._play_hand(box, played)
            waiting = [*reversed(formed), *waiting] if newest_first else [*waiting, *formed]

    def _draw_for_absent(self, box: Box) -> None:
        played = box.hands[0]
        forced = self.options.forced_draw_below
        while not absent_hand_is_complete(played.ranks, self.book) or (
            forced is not None and total_of(played.ranks) < forced.value
        ):
            played.take(self.draw(played.hand))

    def _play_hand(self, box: Box, played: HandInPlay) -> list[HandInPlay]:
        """Play one hand to its end, and give the hands that were split off it."""
        formed: list[HandInPlay] = []
        while True:
            if len(played.cards) == 1:
                played.take(self.draw(played.hand))
            if played.from_split and played.ranks[0] is Rank.ACE:
                return formed
            if self._wants_to_split(box, played):
                formed.append(self._split(box, played))
            elif self._wants_to_double(played):
                self._double(box, played)
                return formed
            elif self._wants_a_card(played):
                self.decide(CallKind.HIT, box, played.hand)
                played.take(self.draw(played.hand))
            else:
                if total_of(played.ranks) < 21 or (
                    self.chance(0.1) and total_of(played.ranks) == 21
                ):
                    self.decide(CallKind.STAND, box, played.hand)
                return formed

    @property
    def _cards_to_spare(self) -> bool:
        return self.shoe.left > CARDS_KEPT_FOR_THE_DEALER

    def _wants_to_split(self, box: Box, played: HandInPlay) -> bool:
        may = may_be_split(played.ranks) and len(box.hands) < self.options.greatest_hands.value
        if any(seat.surrendered for seat in box.seats):
            may = may and Habit.SPLIT_BESIDE_A_SURRENDER in self.habits
        if not may or not self._cards_to_spare:
            return False
        return self.chance(self.style.split(played.ranks, self.dealer[0]))

    def _split(self, box: Box, played: HandInPlay) -> HandInPlay:
        """Move the second card to a new hand; others on the hand follow, or stay where they are."""
        new = box_hand(box.number, len(box.hands) + 1)
        self.decide(CallKind.SPLIT, box, played.hand, str(new))
        formed = HandInPlay(new, [played.give_up()], from_split=True)
        played.from_split = True
        for place, seat in enumerate(box.on_hand(played)):
            if place == 0 or (self._may_follow(box, seat) and self.chance(0.6)):
                formed.splits[seat.bettor] = seat.stake
        box.hands.append(formed)
        return formed

    def _may_follow(self, box: Box, seat: Seat) -> bool:
        """Tell whether a bettor who stayed out of an earlier split may still follow a later one.

        Reading: only rws 3.21.1 keeps such a bettor out of all subsequent split hands.
        """
        stayed_out = any(seat.bettor not in hand.splits for hand in box.hands[1:])
        return not stayed_out or self.book.series == "mbs-blackjack"

    def _wants_to_double(self, played: HandInPlay) -> bool:
        may = len(played.cards) == 2 and total_of(played.ranks) < 21
        if not may or not self._cards_to_spare:
            return False
        return self.chance(self.style.double(played.ranks, self.dealer[0]))

    def _double(self, box: Box, played: HandInPlay) -> None:
        self.decide(CallKind.DOUBLE, box, played.hand)
        for place, seat in enumerate(box.on_hand(played)):
            if place == 0 or self.chance(0.6):
                played.doubles[seat.bettor] = self._double_stake(seat)
                if place > 0 and self.chance(0.5):
                    self.say(CallKind.DOUBLE, played.hand, seat.bettor)
        played.take(self.draw(played.hand))

    def _double_stake(self, seat: Seat) -> Decimal:
        least = self.cashier.chip
        if self.options.double_not_below_minimum is not None:
            least, _ = self.cashier.range_of(WagerKind.MAIN)
        chips = int((seat.stake - least) / self.cashier.chip)
        if chips <= 0 or self.chance(0.5):
            return seat.stake
        return least + self.rng.randint(0, chips) * self.cashier.chip

    def _wants_a_card(self, played: HandInPlay) -> bool:
        total = total_of(played.ranks)
        forced = self.options.forced_draw_below
        if forced is not None and total < forced.value:
            return True
        if not self._cards_to_spare or total > 21:
            return False
        if total == 21:
            soft = counts_an_ace_as_eleven(played.ranks)
            return self.options.draw_on_hard_21.value and not soft and self.chance(0.2)
        return self.chance(self.style.card(played.ranks, self.dealer[0]))

    # The dealer

    def play_dealer(self) -> None:
        """Draw as far as a wager depends on it; further only where the document leaves it open."""
        need = max((self._need_of(box) for box in self.boxes), default=Need.NO_CARD)
        if any(not self._is_handed_back(seat) for _, seat in self.insurance):
            need = max(need, Need.SECOND_CARD)
        stops = self.options.dealer_stops_when_nothing_depends is not None
        while dealer_draws(self.dealer, need, self.book):
            self.dealer.append(self.draw(DEALER).rank)
        while (
            not stops and dealer_draws(self.dealer, Need.WHOLE_HAND, self.book) and self.chance(0.6)
        ):
            self.dealer.append(self.draw(DEALER).rank)

    def _is_handed_back(self, seat: Seat) -> bool:
        return seat.took_even_money and self.options.even_money_returns_insurance is not None

    def _need_of(self, box: Box) -> Need:
        if not box.playing:
            return Need.NO_CARD
        if is_natural(box.initial_ranks):
            open_ = self.dealer[0] is Rank.ACE or points(self.dealer[0]) == 10
            return Need.SECOND_CARD if open_ else Need.NO_CARD
        stands = any(total_of(played.ranks) <= 21 and box.on_hand(played) for played in box.hands)
        return Need.WHOLE_HAND if stands else Need.NO_CARD

    # The round as it is written down

    def as_round(self) -> Round:
        """Settle every wager and write the round down."""
        self.say(CallKind.ROUND_END)
        wagers = self._with_hands_named(self._settled())
        if self.options.wagers_kept_together is None:
            wagers = [pile for wager in wagers for pile in self._piles(wager)]
        if self.chance(0.3):
            self.rng.shuffle(wagers)
        return Round(
            game=Game.BLACKJACK,
            cards=tuple(self.cards),
            wagers=tuple(self._some_unsettled(wagers)),
            calls=self._logged_calls(),
            around=Circumstances(
                following=self.shoe.following(),
                next_round_began=self.chance(0.5),
                first_of_shoe=self.first_of_shoe,
                let_through_under_minimum=self.setting.let_through,
            ),
        )

    def _settled(self) -> list[Wager]:
        pay = Paymaster(self.book, self.sheet.rounding, self.dealer, self.rng)
        rows = [
            row for box in self.boxes for seat in box.seats for row in pay.hand_wagers(box, seat)
        ]
        rows += [pay.side_wager(self._at_once(row), box) for row, box in self.setting.sides]
        rows += [
            pay.insurance(row, even_money_taken=seat.took_even_money)
            for row, seat in self.insurance
        ]
        for refused in self.refused:
            boxes = [box for box in self.boxes if box.number == refused.box]
            if refused.late or all(not pay.stands_off(box) for box in boxes):
                rows.append(refused)
        return rows

    def _at_once(self, wager: Wager) -> Wager:
        """Say that a side wager was settled before a further card was dealt."""
        at = self.initial_deal_ends
        return replace(wager, settled_after=at) if self.setting.notes_when_settled else wager

    def _piles(self, wager: Wager) -> list[Wager]:
        """Lay a main wager down in two equal piles, where each can be settled by itself."""
        unit = self.sheet.rounding * 2
        if wager.kind is not WagerKind.MAIN or wager.late or self.chance(0.9):
            return [wager]
        too_small = wager.stake / 2 < self.cashier.range_of(WagerKind.MAIN)[0]
        if too_small or wager.stake % unit or not wager.net or wager.net % unit:
            return [wager]
        pile = replace(wager, stake=wager.stake / 2, net=wager.net / 2)
        return [pile, pile]

    def _with_hands_named(self, wagers: list[Wager]) -> list[Wager]:
        named = self.setting.hands or self._any_hands_named()
        if named is HandsNamed.NONE:
            return [replace(wager, hand=None) if wager.hand else wager for wager in wagers]
        if named is HandsNamed.EVERY:
            return [wager if wager.hand else _on_first_hand(wager) for wager in wagers]
        return wagers

    def _any_hands_named(self) -> HandsNamed:
        if Habit.HANDS_NOT_NAMED in self.habits and self.chance(0.2):
            return HandsNamed.NONE
        return HandsNamed.EVERY if self.chance(0.2) else HandsNamed.SPLIT

    def _logged_calls(self) -> tuple[Call, ...]:
        if self.log in (CallLog.EVERYTHING, CallLog.NOTHING):
            return tuple(self.calls) if self.log is CallLog.EVERYTHING else ()
        passed_on = {box_hand(box.number) for box in self.boxes if box.seats[0].surrendered}
        return tuple(call for call in self.calls if self._is_logged(call, passed_on))

    def _is_logged(self, call: Call, passed_on: Container[Hand | None]) -> bool:
        unheard = self.log not in FOLDS_HEARD
        if call.kind is CallKind.CONTROL and call.hand in passed_on and unheard:
            return self.log is not CallLog.NOTHING and Habit.CONTROL_PASSES_UNHEARD in self.habits
        if call.kind in FOLDS:
            return self.log in FOLDS_HEARD
        if call.kind in DECISIONS:
            return self.log in PLAY_HEARD
        return self.log is not CallLog.NOTHING

    def _some_unsettled(self, wagers: list[Wager]) -> list[Wager]:
        """Leave out some settlements, though not those that alone tell of a folded wager."""
        share = self.setting.unsettled
        if share == 0:
            return wagers
        if share is None:
            share = self.rng.choice((0.0, 0.0, 0.0, 0.1, 1.0))
        alone_tells = set[tuple[str, int | None]]()
        if self.log not in FOLDS_HEARD:
            alone_tells = {
                (seat.bettor, box.number) for box in self.boxes for seat in box.seats if seat.folded
            }
        return [
            replace(wager, net=None)
            if wager.net != NOTHING
            and (wager.bettor, wager.box) not in alone_tells
            and self.chance(share)
            else wager
            for wager in wagers
        ]


def _on_first_hand(wager: Wager) -> Wager:
    return Wager(
        wager.bettor,
        wager.kind,
        wager.stake,
        wager.net,
        wager.box,
        box_hand(wager.box or 1),
        wager.late,
        wager.on_behalf_of,
        wager.settled_after,
    )
