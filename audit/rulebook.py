"""Rulebooks: each approved document as data, every value with its clause."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from fractions import Fraction
from typing import Generic, TypeVar

from audit.money import Odds
from audit.observations import Game, WagerKind

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cited(Generic[T]):
    """A value and the clause that sets it."""

    value: T
    clause: str


class Event(StrEnum):
    """What a pay table pays on."""

    PLAYER_WINS = "player_wins"
    BANKER_WINS = "banker_wins"
    BANKER_WINS_ON_SIX = "banker_wins_on_six"
    BANKER_WINS_OTHERWISE = "banker_wins_otherwise"
    TIE = "tie"
    TIE_ON_SIX = "tie_on_six"
    BANKER_SIX_ON_TWO_CARDS = "banker_six_on_two_cards"
    BANKER_SIX_ON_THREE_CARDS = "banker_six_on_three_cards"
    PAIR = "pair"
    SINGLE_PAIR = "single_pair"
    DOUBLE_PAIR = "double_pair"
    TWIN_PAIR = "twin_pair"
    WINS_BY_9 = "wins_by_9"
    WINS_BY_8 = "wins_by_8"
    WINS_BY_7 = "wins_by_7"
    WINS_BY_6 = "wins_by_6"
    WINS_BY_5 = "wins_by_5"
    WINS_BY_4 = "wins_by_4"
    WINS_WITH_NATURAL = "wins_with_natural"
    NATURAL_TIE = "natural_tie"
    BLACKJACK = "blackjack"
    EVEN_MONEY = "even_money"
    WINS = "wins"
    DEALER_BLACKJACK = "dealer_blackjack"
    OVER_13 = "over_13"
    UNDER_13 = "under_13"


@dataclass(frozen=True, slots=True)
class PayRow:
    event: Event
    odds: Odds
    clause: str


class LimitsJudged(StrEnum):
    """What a limit is held against."""

    EACH_WAGER = "each wager"
    BOX_TOTAL = "box total"


class OverMaximum(StrEnum):
    """What a wager over the maximum is settled for."""

    TO_THE_MAXIMUM = "to the maximum"
    PRO_RATA = "pro rata"


class UnderMinimum(StrEnum):
    """What a wager under the minimum is settled for."""

    ONCE_THEN_RETURNED = "once, then returned"
    IN_FULL = "in full"


class LateWager(StrEnum):
    """What a wager placed after the closing of bets gets."""

    NOT_HONOURED = "not honoured"
    REMEDY_NOT_STATED = "remedy not stated"


class WithdrawnWager(StrEnum):
    """What a wager gets that was taken back after the closing of bets."""

    STANDS = "stands"
    REMEDY_NOT_STATED = "remedy not stated"


class SideWagerNeeds(StrEnum):
    """What a side wager rides on."""

    MAIN_ON_BOX = "a main wager on the box"
    OWN_MAIN_ON_BOX = "the bettor's own main wager on the box"


class DealerBlackjackAgainst21(StrEnum):
    """Whether the document says outright that a dealer's blackjack beats another 21."""

    BEATS_IT = "beats it"
    BEATS_IT_ON_AN_ACE = "beats it outright on an ace"
    BY_READING = "by reading"


@dataclass(frozen=True, slots=True)
class Options:
    """What a document settles about wagers at large. None: the document does not speak of it."""

    limits_judged: Cited[LimitsJudged] | None
    over_maximum: Cited[OverMaximum] | None
    under_minimum: Cited[UnderMinimum] | None
    late_wager: Cited[LateWager]
    withdrawn_wager: Cited[WithdrawnWager]
    wagers_per_area: Cited[int] | None
    void_returns_wagers: str


@dataclass(frozen=True, slots=True)
class BlackjackOptions:
    boxes: Cited[int] | None
    dealer_stands_from: Cited[int]
    dealer_stops_when_nothing_depends: str | None
    draw_on_hard_21: Cited[bool]
    forced_draw_below: Cited[int] | None
    greatest_hands: Cited[int]
    ace_splits: Cited[int]
    cards_on_split_ace: Cited[int]
    cards_on_doubled_hand: Cited[int]
    double_not_below_minimum: str | None
    surrender_share: Cited[Fraction]
    insurance_share: Cited[Fraction]
    others_may_insure: Cited[bool]
    even_money_returns_insurance: str | None
    side_wager_needs: Cited[SideWagerNeeds]
    side_wager_without_main_returned: str | None
    over_under_at_most_original: str | None
    pair_wagers_per_box: Cited[int] | None
    wagers_kept_together: str | None
    controller_must_double_first: str | None
    absent_hard_from: Cited[int] | None
    absent_soft_from: Cited[int] | None
    absent_may_not_raise: str | None
    twenty_one_never_doubled: str | None
    insurance_before_further_cards: str
    double_not_withdrawn: str | None
    limit_on_splits: str
    limit_on_doubles: str
    side_wagers_settled_first: str | None
    box_without_cards_returned: str | None
    blackjack_wins: str
    higher_total_wins: str
    dealer_bust_wins: str
    lower_total_loses: str
    bust_loses: str
    dealer_blackjack_wins: str
    dealer_blackjack_wins_on_ace: str | None
    same_total_stands_off: str
    both_blackjack_stand_off: str
    both_blackjack_stand_off_on_ace: str | None
    dealer_blackjack_against_21: Cited[DealerBlackjackAgainst21]


class Irregularity(StrEnum):
    """What can go wrong, as chapter 5 of the documents names it."""

    EXTRA_OR_MISSING_CARDS = "extra_or_missing_cards"
    FOREIGN_CARD = "foreign_card"
    UNSHUFFLED_CARDS = "unshuffled_cards"
    ORDER_LOST = "order_lost"
    NOT_ENOUGH_CARDS = "not_enough_cards"
    CARDS_IN_WRONG_ORDER = "cards_in_wrong_order"
    CARDS_TO_WRONG_BETTOR = "cards_to_wrong_bettor"
    CARDS_NOT_PASSED = "cards_not_passed"
    CARD_EXPOSED = "card_exposed"
    CARD_FACE_UP_IN_SHOE = "card_face_up_in_shoe"
    CARD_IN_ERROR = "card_in_error"
    CARD_IN_ERROR_REFUSED = "card_in_error_refused"
    CARD_IN_ERROR_REFUSED_BY_ALL = "card_in_error_refused_by_all"
    CARD_ON_COMPLETED_DEALER_HAND = "card_on_completed_dealer_hand"
    DEALER_WITHOUT_FIRST_CARD = "dealer_without_first_card"
    BOX_WITHOUT_CARDS = "box_without_cards"
    BOX_WITHOUT_WAGER_DEALT_IN = "box_without_wager_dealt_in"
    BOX_WITH_ONE_CARD = "box_with_one_card"
    HAND_PASSED_OVER = "hand_passed_over"
    HAND_PASSED_OVER_NOTICED_LATE = "hand_passed_over_noticed_late"
    CUTTING_CARD = "cutting_card"
    CUTTING_CARD_FIRST = "cutting_card_first"
    CUTTING_CARD_IGNORED = "cutting_card_ignored"
    BURN_FORGOTTEN = "burn_forgotten"
    BETTOR_ABSENT = "bettor_absent"
    SIMULTANEOUS_DRAW_IN_ORDER = "simultaneous_draw_in_order"
    SIMULTANEOUS_DRAW = "simultaneous_draw"
    SIMULTANEOUS_DRAW_ONE_DISCLOSED = "simultaneous_draw_one_disclosed"
    SIMULTANEOUS_DRAW_MORE_DISCLOSED = "simultaneous_draw_more_disclosed"
    SIMULTANEOUS_DRAW_TO_DEALER = "simultaneous_draw_to_dealer"
    SIMULTANEOUS_DRAW_TO_DEALER_ONE_DISCLOSED = "simultaneous_draw_to_dealer_one_disclosed"
    SIMULTANEOUS_DRAW_TO_DEALER_BOTH_DISCLOSED = "simultaneous_draw_to_dealer_both_disclosed"
    BETTOR_DISSATISFIED = "bettor_dissatisfied"
    DEALING_ERROR = "dealing_error"
    DEVICE_RESET = "device_reset"
    BETTOR_LEFT_WITH_CARDS = "bettor_left_with_cards"
    UNDER_MINIMUM = "under_minimum"
    OVER_MAXIMUM = "over_maximum"
    LATE_WAGER = "late_wager"
    WITHDRAWN_WAGER = "withdrawn_wager"
    MISPLACED_WAGER = "misplaced_wager"
    DIFFERENTIAL_EXCEEDED = "differential_exceeded"
    SIDE_WAGER_WITHOUT_MAIN = "side_wager_without_main"
    SIDE_WAGER_UNSETTLED = "side_wager_unsettled"
    POWER_FAILURE_BEFORE_OUTCOME = "power_failure_before_outcome"
    POWER_FAILURE_AFTER_OUTCOME = "power_failure_after_outcome"
    TERMINAL_FAILURE_ACCEPTED = "terminal_failure_accepted"
    TERMINAL_FAILURE_NOT_ACCEPTED = "terminal_failure_not_accepted"
    NOTICED_IN_A_LATER_ROUND = "noticed_in_a_later_round"
    LIMIT_NOTICED_IN_A_LATER_ROUND = "limit_noticed_in_a_later_round"
    DISPLAY_WRONG = "display_wrong"
    ROUND_VOIDED = "round_voided"
    NOT_COVERED = "not_covered"


class Stage(StrEnum):
    """How far the round had come when it was noticed."""

    INITIAL_DEAL = "initial deal"
    """Nothing settled and no further card dealt."""
    AFTERWARDS = "afterwards"
    """A wager was settled, or a further card was dealt."""
    ANY = "any"


class Remedy(StrEnum):
    """What the outcome must then be."""

    VOID = "the round is void and every wager is returned"
    RECONSTRUCT = "the cards are put back in their order"
    DISCARD_CARD = "the card is discarded and the earlier total stands"
    DISCARD_CARDS = "the cards are discarded and the round goes on"
    NEXT_CARD = "the card is played as the next card out of the shoe"
    DEALER_TAKES_CARD = "the card becomes the dealer's next card"
    DEALER_DRAWS = "the dealer draws a card"
    DEALER_DRAWS_AGAIN = "the cards are discarded and the dealer draws another"
    TAKEN_BACK = "the cards are taken back as if unseen"
    WAGER_RETURNED = "the wager is returned"
    BETTOR_STANDS = "the bettor stands and takes no further card"
    BETTOR_CHOOSES = "the bettor chooses"
    BETTOR_MAY_WITHDRAW = "the bettor may withdraw"
    MANAGER_CHOOSES = "the manager on duty decides"
    HOUSE_DRAWS = "the house draws for the hand"
    DEALER_EXPOSES = "the dealer exposes the cards"
    HANDED_OVER = "the cards go to the bettor they were meant for"
    REPLACED = "the missing card is replaced from a complete deck"
    NEW_CARDS = "the cards may be replaced"
    PLAY_GOES_ON = "play goes on and the round is concluded"
    SHUFFLE = "the cards are shuffled"
    SETTLED_ONCE = "settled this once, returned from then on"
    SETTLED_TO_MAXIMUM = "settled to the maximum"
    SETTLED_PRO_RATA = "settled pro rata to the maximum of the box"
    SETTLED_IN_FULL = "settled as it stands"
    SETTLED_BY_OUTCOME = "settled by the outcome of the round"
    NOT_HONOURED = "not honoured"
    REFUSED = "refused"
    NOT_STATED = "forbidden, with no remedy stated"
    REDUCED = "wagers are lowered, raised or removed until it is met"
    OUTCOME_STANDS = "the outcome stands"
    DID_NOT_TAKE_PART = "the bettor did not take part in the round"


@dataclass(frozen=True, slots=True)
class Provision:
    """What one clause of chapter 5 requires once something went wrong."""

    irregularity: Irregularity
    stage: Stage
    remedy: Remedy
    clause: str
    says: str
    withdraw: str | None = None
    """The clause by which bettors may then take back their wagers, if one does."""
    withdraw_all: bool = False
    """Whether a bettor who withdraws has to withdraw every wager."""
    withdraw_any_time: bool = False
    """Whether the choice outlasts the next card; otherwise it is made before it."""
    seals_every_error: bool = False
    """Whether a later round seals the settlement whatever went wrong."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A clause that can be read in two ways: which way was taken, and why."""

    name: str
    clauses: tuple[str, ...]
    chosen: str
    other: str
    reason: str


@dataclass(frozen=True, slots=True)
class WagerOffered:
    kind: WagerKind
    clause: str
    pays: Mapping[Event, PayRow]
    loses: str
    """The clause by which it loses; none for wagers on a hand, which loses by several."""


@dataclass(frozen=True, slots=True, eq=False)
class Rulebook:
    """One game as one approved document has it."""

    id: str
    document: str
    series: str
    title: str
    game: Game
    in_force: datetime | None
    fewest_decks: Cited[int]
    most_decks: Cited[int]
    wagers: Mapping[WagerKind, WagerOffered]
    options: Options
    blackjack: BlackjackOptions | None
    breaks: Mapping[str, tuple[str, ...]]
    """Which clauses each code breaks; none at all: the document has no clause for it."""
    provisions: tuple[Provision, ...]
    readings: Mapping[str, Reading]

    def judges(self, code: str) -> bool:
        """Tell whether the document gives any ground to judge this code."""
        return code in self.breaks

    def clause_of(self, code: str) -> str:
        """Give the first clause that a code breaks, or nothing where the document has none."""
        clauses = self.breaks[code]
        return clauses[0] if clauses else ""

    def provision(self, irregularity: Irregularity, stage: Stage) -> Provision | None:
        """Find what chapter 5 requires, by the stage at which it was noticed."""
        for provision in self.provisions:
            if provision.irregularity is irregularity and provision.stage in (stage, Stage.ANY):
                return provision
        return None

    def provision_of(self, clause: str) -> Provision | None:
        """Find the provision that stands at a clause."""
        return next((row for row in self.provisions if row.clause == clause), None)

    def pay_row(self, kind: WagerKind, event: Event) -> PayRow:
        """Look up what the pay table pays."""
        return self.wagers[kind].pays[event]
