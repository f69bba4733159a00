"""What bettors, dealers and their ledgers do now and then, all of it lawful."""

from enum import StrEnum


class Habit(StrEnum):
    """Something unusual that a table can be dealt with or without."""

    STAKES_BETWEEN_UNITS = "stakes that are no multiple of the smallest amount paid"
    ODD_HALVES = "surrender of a stake whose half is no multiple of the smallest amount paid"
    LATE_WAGERS = "late wagers, refused"
    LATE_WAGERS_ON_EMPTY_BOXES = "late main wagers on boxes without another, refused"
    OUTSIDE_LIMITS = "wagers over the maximum, refused, or again under the minimum, returned"
    FOURTH_WAGER = "a fourth wager on an area, refused"
    REFUSED_INSURANCE = "insurance over half or without an ace, refused"
    TWO_PILES = "a main wager in two piles, where the document does not forbid it"
    TAKEN_OFF = "wagers taken off so that the table differential is met"
    SPLIT_BESIDE_A_SURRENDER = "a box split by those who did not surrender"
    CONTROL_PASSES_UNHEARD = "control passes on by a surrender that nobody logged"
    ALL_BUST_AGAINST_TEN = "raised hands all bust, and a dealer with ten or ace takes no card"
    SURRENDER_BELOW_12 = "a hand surrendered that would have had to draw"
    RETURNED_INSURANCE_UNHEARD = "insurance returned by even money that nobody logged"
    HANDS_NOT_NAMED = "a ledger that does not say which split hand a wager stands on"
    FIRST_HANDS_NAMED = "a ledger that names the first hand of a box as well"
    FOLDS_NOT_LOGGED = "a log of hits, stands, doubles and splits only"
    ONLY_FOLDS_LOGGED = "a log of surrenders and even money only"


EVERY_HABIT = frozenset(Habit)
