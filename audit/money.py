"""Money and odds, exact. An amount is a decimal of whole cents; odds are a fraction."""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from audit.errors import BadInput

CENT = Decimal("0.01")
NOTHING = Decimal("0.00")
_AMOUNT = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,2})?", re.ASCII)
_ODDS = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,4})?):([0-9]{1,6})", re.ASCII)


def parse_amount(text: str) -> Decimal:
    """Read an amount of money; anything finer than a cent is refused rather than rounded."""
    amount = text.strip()
    if not _AMOUNT.fullmatch(amount):
        raise BadInput(f"{text!r} is not an amount of money: write it like 25 or 25.00")
    return Decimal(amount).quantize(CENT) + 0


def parse_stake(text: str) -> Decimal:
    """Read what was wagered, which is more than nothing."""
    stake = parse_amount(text)
    if stake <= 0:
        raise BadInput(f"a stake of {stake} is not possible: a wager stakes more than nothing")
    return stake


@dataclass(frozen=True, slots=True)
class Odds:
    """What a winning wager is paid for each unit staked; `3 to 2` pays three halves."""

    paid: Fraction
    text: str

    def __str__(self) -> str:
        return self.text


def parse_odds(text: str) -> Odds:
    """Read `3:2` or `0.95:1` as a rulebook writes it; `push` is a wager that is handed back."""
    if text == "push":
        return Odds(Fraction(0), "push")
    match = _ODDS.fullmatch(text)
    if match is None or Fraction(match[2]) == 0:
        raise BadInput(f"{text!r} is not odds: write them like 3:2 or 0.95:1")
    return Odds(Fraction(match[1]) / Fraction(match[2]), f"{match[1]} to {match[2]}")


def rounded(amount: Fraction, unit: Decimal) -> Decimal:
    """Round half up, away from nothing, to the smallest amount that the table pays."""
    numerator, denominator = unit.as_integer_ratio()
    one = amount.denominator * numerator
    whole, rest = divmod(abs(amount.numerator) * denominator, one)
    if 2 * rest >= one:
        whole += 1
    result = (whole * unit).quantize(CENT)
    return -result if amount < 0 and result else result
