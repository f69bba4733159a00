"""What stands before the first card of a round of blackjack: who bets what, and what is logged."""

from dataclasses import dataclass
from enum import StrEnum
from random import Random

from audit.observations import Wager
from audit.rulebook import Rulebook
from audit.simulation.blackjack_betting import (
    Box,
    refused_main_wagers,
    take_main_wagers,
    take_side_wagers,
)
from audit.simulation.blackjack_style import ANYTHING, Style
from audit.simulation.habits import Habit
from audit.simulation.shoe import Shoe
from audit.simulation.stakes import UNDER, Cashier, cashier_for
from audit.table_sheet import TableSheet

CARDS_PER_BOX = 12


class CallLog(StrEnum):
    """How much of a round is written down by whoever logs the calls."""

    NOTHING = "nothing"
    ANNOUNCEMENTS = "announcements, no decisions"
    FOLDS = "announcements and folds"
    PLAY = "announcements and decisions other than folds"
    EVERYTHING = "every decision"


class HandsNamed(StrEnum):
    """Which hands a ledger names."""

    NONE = "no hand at all"
    SPLIT = "hands that were split off"
    EVERY = "every hand"


@dataclass(slots=True)
class Setting:
    """A table about to be dealt. None: it turns out with the round."""

    cashier: Cashier
    boxes: list[Box]
    sides: list[tuple[Wager, Box]]
    refused: list[Wager]
    let_through: frozenset[str]
    log: CallLog
    names_who_decides: bool
    notes_when_settled: bool
    burns_before_bets: bool = False
    hands: HandsNamed | None = None
    unsettled: float | None = None
    style: Style = ANYTHING


def any_setting(
    shoe: Shoe, book: Rulebook, sheet: TableSheet, rng: Random, habits: frozenset[Habit]
) -> Setting:
    """Set a table for anything that the habits allow."""
    notes_when_settled = rng.random() < 0.3
    let_through = frozenset({UNDER}) if rng.random() < 0.1 else frozenset[str]()
    between_units = Habit.STAKES_BETWEEN_UNITS in habits
    cashier = cashier_for(book, sheet, rng, between_units=between_units)
    boxes = take_main_wagers(cashier, most_boxes(shoe), rng)
    sides = take_side_wagers(boxes, cashier, book, rng)
    refused = refused_main_wagers(boxes, let_through, cashier, habits, rng)
    logs = [log for log in CallLog if log is not CallLog.PLAY]
    log = rng.choice([*CallLog] if Habit.FOLDS_NOT_LOGGED in habits else logs)
    return Setting(
        cashier=cashier,
        boxes=boxes,
        sides=sides,
        refused=refused,
        let_through=let_through,
        log=log,
        names_who_decides=rng.random() < 0.5,
        notes_when_settled=notes_when_settled,
    )


def most_boxes(shoe: Shoe) -> int:
    """Say how many boxes the cards that are left surely serve."""
    return max(1, shoe.left // CARDS_PER_BOX)
