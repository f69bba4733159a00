"""What bettors, dealers and their ledgers do now and then, all of it lawful."""

from enum import StrEnum


class Habit(StrEnum):
    """Something unusual that a table can be dealt with or without."""

    STAKES_BETWEEN_UNITS = "stakes that are no multiple of the smallest amount paid"
    LATE_WAGERS = "late wagers on boxes in play, refused"
    OUTSIDE_LIMITS = "wagers over the maximum, refused, or again under the minimum, returned"
    REFUSED_INSURANCE = "insurance over half or without an ace, refused"
    SPLIT_BESIDE_A_SURRENDER = "a box split by those who did not surrender"
    CONTROL_PASSES_UNHEARD = "control passes on by a surrender that nobody logged"
    HANDS_NOT_NAMED = "a ledger that does not say which split hand a wager stands on"
    FOLDS_NOT_LOGGED = "a log of hits, stands, doubles and splits only"


EVERY_HABIT = frozenset(Habit)
