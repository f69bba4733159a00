"""Columns of raw values made typed, each distinct value once, with a sentence for what fails.

A raw column is text (`String`), or what Parquet holds: `Int64`, `Float64`, `Datetime`, and `Enum`,
which is text given as the distinct ones and places among them. Readers give nothing else.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from audit.errors import BadInput
from audit.sources.records import Unreadable, shown

LONGEST_TEXT = 2000
"""A longer text is no name of anything, and no list of readings of one card."""
_CONTROLS = "\x00-\x1f\x7f-\x9f\u2028\u2029"
"""Line breaks, bells and the like, which no name has."""
_UNFIT = re.compile(f"[{_CONTROLS}]")
_PLAIN = rf"^[^\s{_CONTROLS}](?:[^{_CONTROLS}]{{0,98}}[^\s{_CONTROLS}])?$"
"""Texts that need no second look: short, without blanks around them."""

Parse = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Converted:
    """A typed column; `why` has a sentence in each row whose value could not be taken."""

    values: pl.Series
    why: pl.Series | None = None


Convert = Callable[[pl.Series], Converted]


def checked_text(text: str) -> str:
    """Trim a text, refusing what cannot be somebody's or something's name."""
    trimmed = text.strip()
    if len(trimmed) > LONGEST_TEXT:
        raise BadInput(f"a text of {len(trimmed):,} characters is too long")
    if _UNFIT.search(trimmed):
        raise BadInput(f"'{shown(trimmed)}' has a line break or another control character in it")
    return trimmed


def by_distinct(texts: pl.Series, parse: Parse, dtype: pl.DataType) -> Converted:
    """Parse each distinct text once; what is blank is nothing."""
    values: dict[str, object] = {}
    why: dict[str, str] = {}
    for text in _distinct(texts).to_list():
        values[text] = None
        try:
            trimmed = checked_text(text)
            if trimmed:
                values[text] = parse(trimmed)
        except BadInput as problem:
            why[text] = str(problem)
    return Converted(
        _replaced(texts, values, dtype),
        _replaced(texts, why, pl.String()) if why else None,
    )


def _distinct(texts: pl.Series) -> pl.Series:
    if isinstance(texts.dtype, pl.Enum):
        return texts.dtype.categories
    return texts.unique().drop_nulls()


def _replaced(texts: pl.Series, values: Mapping[str, object], dtype: pl.DataType) -> pl.Series:
    if isinstance(texts.dtype, pl.Enum):
        listed = [values.get(text) for text in texts.dtype.categories]
        return pl.Series(listed, dtype=dtype).gather(texts.to_physical())
    if all(text == value for text, value in values.items()):
        return texts
    new = pl.Series(values.values(), dtype=dtype)
    return texts.replace_strict(
        pl.Series(values.keys(), dtype=pl.String), new, default=None, return_dtype=dtype
    )


def quickly(raw: pl.Series, quick: pl.Series, parse: Parse) -> Converted:
    """Keep what was converted at once; parse the texts of what was not, each once."""
    rest = (raw.is_not_null() & quick.is_null()).arg_true()
    if rest.is_empty():
        return Converted(quick)
    parsed = by_distinct(raw.gather(rest).cast(pl.String), parse, quick.dtype)
    why = None
    if parsed.why is not None:
        why = nothing(len(raw), pl.String()).scatter(rest, parsed.why)
    return Converted(quick.clone().scatter(rest, parsed.values), why)


def nothing(length: int, dtype: pl.DataType) -> pl.Series:
    return pl.Series([None], dtype=dtype).new_from_index(0, length)


def as_text(raw: pl.Series) -> pl.Series:
    """Write numbers as text where a text is asked for: shoe 12 is shoe "12"."""
    if raw.dtype == pl.String:
        return raw
    if isinstance(raw.dtype, pl.Enum):
        return raw.dtype.categories.gather(raw.to_physical()).alias(raw.name)
    if raw.dtype == pl.Int64:
        return raw.cast(pl.String)
    if raw.dtype == pl.Float64:
        numbers = without_nan(raw)
        whole = numbers.cast(pl.Int64, strict=False)
        return whole.cast(pl.String).zip_with(whole == numbers, numbers.cast(pl.String))
    raise Unreadable(f"its column {raw.name} holds times, where text belongs", column=raw.name)


def text(raw: pl.Series) -> Converted:
    """Take names as they are, without the blanks around them."""
    is_listed = isinstance(raw.dtype, pl.Enum)
    texts = as_text(raw)
    distinct = _distinct(raw if is_listed else texts)
    odd = distinct.filter(~distinct.str.contains(_PLAIN))
    if odd.is_empty():
        return Converted(texts)
    return quickly(texts, only(texts, ~texts.is_in(odd.implode())), str)


def word(parse: Callable[[str], object]) -> Convert:
    """Take words of the game, written as the game's own parser writes them."""

    def convert(raw: pl.Series) -> Converted:
        texts = raw if isinstance(raw.dtype, pl.Enum) else as_text(raw)
        return by_distinct(texts, lambda text: str(parse(text)), pl.String())

    return convert


_WHOLE = re.compile(r"[+-]?[0-9]{1,18}(\.0+)?", re.ASCII)


def whole_number(least: int, greatest: int) -> Convert:
    """Take whole numbers within bounds; `7.0` is 7, as tables with gaps are often exported."""

    def parse(text: str) -> int:
        if not _WHOLE.fullmatch(text):
            raise BadInput(f"'{shown(text)}' is not a whole number")
        number = int(text.partition(".")[0])
        if not least <= number <= greatest:
            raise BadInput(f"{number} is not within {least} to {greatest}")
        return number

    def convert(raw: pl.Series) -> Converted:
        raw = _unlisted(raw)
        numbers = raw.cast(pl.Int64, strict=False)
        if raw.dtype == pl.Float64:
            numbers = only(numbers, numbers == raw)
        return quickly(without_nan(raw), _within(numbers, least, greatest), parse)

    return convert


def number(least: float, greatest: float) -> Convert:
    """Take numbers within bounds."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise BadInput(f"'{shown(text)}' is not a number") from None
        if not least <= value <= greatest:
            raise BadInput(f"{shown(text)} is not within {least:g} to {greatest:g}")
        return value

    def convert(raw: pl.Series) -> Converted:
        raw = _unlisted(raw)
        numbers = raw.cast(pl.Float64, strict=False)
        return quickly(without_nan(raw), _within(numbers, least, greatest), parse)

    return convert


def _unlisted(raw: pl.Series) -> pl.Series:
    if isinstance(raw.dtype, pl.Enum):
        return as_text(raw)
    if raw.dtype.is_temporal():
        raise Unreadable(
            f"its column {raw.name} holds times, where numbers belong", column=raw.name
        )
    return raw


def without_nan(raw: pl.Series) -> pl.Series:
    return raw.fill_nan(None) if raw.dtype == pl.Float64 else raw


def _within(numbers: pl.Series, least: float, greatest: float) -> pl.Series:
    return only(numbers, numbers.is_between(least, greatest))


def only(values: pl.Series, keep: pl.Series) -> pl.Series:
    """Keep the values where it says so, and nothing elsewhere."""
    if keep.all():
        return values
    return pl.select(pl.when(keep).then(values)).to_series()
