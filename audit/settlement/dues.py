"""What a wager is due: how it fared, what the pay table gives for it, and under which clause."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

from audit.money import CENT, NOTHING, rounded
from audit.observations import Wager
from audit.rulebook import Event, PayRow


class Fate(StrEnum):
    WINS = "wins"
    LOSES = "loses"
    STANDS_OFF = "stands off"
    SURRENDERED = "is surrendered"
    RETURNED = "is returned"


@dataclass(frozen=True, slots=True)
class Due:
    """The net amount that a wager must be settled for.

    `clause` says why it wins, loses or goes back, `pay_clause` what the pay table then pays. `on`
    is the part of the stake that counts, less than all of it for a wager over the maximum, and
    `rate` what each unit of it comes to. `otherwise` has the amounts that would be right under
    another reading, with the reading's name.
    """

    net: Decimal
    fate: Fate
    why: str
    clause: str
    on: Fraction
    rate: Fraction = Fraction(0)
    event: Event | None = None
    pay_clause: str = ""
    odds: str = ""
    otherwise: tuple[tuple[Decimal, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Payment:
    """A wager as it was settled beside what it was due."""

    wager: Wager
    due: Due
    net: Decimal

    @property
    def given_away(self) -> Decimal:
        """What the house gave beyond what was due; less than nothing: the bettor went short."""
        return self.net - self.due.net

    @property
    def capped(self) -> bool:
        return self.due.on < Fraction(self.wager.stake)


def _in_full(stake: Decimal) -> Fraction:
    """Give what counts of a stake of which all counts."""
    return Fraction(stake)


def _paid(on: Fraction, rate: Fraction, unit: Decimal) -> Decimal:
    """Give what is paid at some odds, in amounts that the table pays."""
    return rounded(on * rate, unit)


def _taken(lost: Fraction, unit: Decimal) -> Decimal:
    """Give what is collected: chips as they lie, and only a share of them rounded."""
    whole_cents = (lost * 100).denominator == 1
    return rounded(-lost, CENT if whole_cents else unit)


# Exact sums are slow, and a table sees the same few stakes all night.
in_full = lru_cache(maxsize=1 << 14)(_in_full)
paid = lru_cache(maxsize=1 << 14)(_paid)
taken = lru_cache(maxsize=1 << 14)(_taken)


def wins(on: Fraction, row: PayRow, why: str, unit: Decimal, clause: str = "") -> Due:
    """Settle a winning wager by its row of the pay table, which may stand behind a clause."""
    net = paid(on, row.odds.paid, unit)
    fate = Fate.WINS if row.odds.paid else Fate.STANDS_OFF
    return Due(
        net=net,
        fate=fate,
        why=why,
        clause=clause or row.clause,
        on=on,
        rate=row.odds.paid,
        event=row.event,
        pay_clause=row.clause,
        odds=row.odds.text,
    )


def loses(on: Fraction, why: str, clause: str, unit: Decimal) -> Due:
    """Settle a losing wager: all that counts of it is taken."""
    return Due(taken(on, unit), Fate.LOSES, why, clause, on, rate=Fraction(-1))


def stands_off(on: Fraction, why: str, clause: str) -> Due:
    """Settle a wager that neither wins nor loses."""
    return Due(NOTHING, Fate.STANDS_OFF, why, clause, on)


def returned(wager: Wager, why: str, clause: str) -> Due:
    """Settle a wager that has to be handed back."""
    return Due(NOTHING, Fate.RETURNED, why, clause, in_full(wager.stake))
