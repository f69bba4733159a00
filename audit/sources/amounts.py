"""Money as whole cents, exactly."""

import re
from collections.abc import Callable
from decimal import Decimal

import polars as pl

from audit.errors import BadInput
from audit.money import parse_amount, parse_stake
from audit.sources.converting import Convert, Converted, by_distinct, only, quickly, without_nan
from audit.sources.records import Unreadable

_MOST = 10**13
"""Below this a float tells every cent from the next; more is read from text only."""
_ZEROS_BEYOND_CENTS = re.compile(r"(?<=\.[0-9]{2})0+$", re.ASCII)


def money(parse: Callable[[str], Decimal], *, least: int) -> Convert:
    """Take amounts; what is not a whole number of cents is refused, never rounded.

    A float is taken when it is the float of a whole number of cents: 25.1, but not 0.1 + 0.2.
    """

    def cents(text: str) -> int:
        return int(parse(_ZEROS_BEYOND_CENTS.sub("", text)) * 100)

    def cents_of_number(text: str) -> int:
        parse(text)
        raise BadInput(f"{text} is more than a number holds to the cent: write it as text")

    def convert(raw: pl.Series) -> Converted:
        if raw.dtype == pl.String or isinstance(raw.dtype, pl.Enum):
            return by_distinct(raw, cents, pl.Int64())
        if raw.dtype.is_temporal():
            why = f"its column {raw.name} holds times, where money belongs"
            raise Unreadable(why, column=raw.name)
        numbers = without_nan(raw)
        in_cents = (numbers * 100).round()
        exact = (in_cents / 100 == numbers) & numbers.is_between(-_MOST, _MOST)
        quick = only(in_cents, exact & (in_cents >= least)).cast(pl.Int64)
        return quickly(numbers, quick, cents_of_number)

    return convert


amount = money(parse_amount, least=-_MOST * 100)
stake = money(parse_stake, least=1)
