"""Times: with their offset as they are, without one in the timezone of their table."""

from collections.abc import Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

import polars as pl

from audit.sources.converting import Converted, as_text, nothing, only
from audit.sources.records import SHOWN, Unreadable

MOMENT = pl.Datetime("us", "UTC")
LOCAL = pl.Datetime("us")
FIRST, LAST = datetime(1970, 1, 1), datetime(2199, 12, 31)
"""Outside of these a clock is wrong. They keep days that no calendar can show out as well."""
_WITH_OFFSET = (
    "%+",
    "%Y-%m-%dT%H:%M:%S%.f%#z",
    "%Y-%m-%dT%H:%M%#z",
    "%Y%m%dT%H%M%S%.f%#z",
)
_WITHOUT_OFFSET = ("%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y%m%dT%H%M%S%.f")
_OFFSET = r"(?:[zZ]|[+\-−][0-9]{2}(?::?[0-9]{2})?)$"
_NOT_A_TIME = "'{}' is not a time within 1970 to 2199: write it like 2026-03-02T10:05:20.000+08:00"


def moments(
    raw: pl.Series,
    tables: pl.Series,
    zones: Mapping[str, ZoneInfo],
    written_as: str | None = None,
) -> Converted:
    """Read times as UTC.

    A time is ISO 8601, or `written_as` a mapping says. One without offset is taken in its table's
    timezone, and refused where that is not known, or where clocks were changed over it.
    """
    if raw.dtype == pl.String or isinstance(raw.dtype, pl.Enum):
        return _of_texts(as_text(raw), tables, zones, written_as)
    if not isinstance(raw.dtype, pl.Datetime):
        why = f"its column {raw.name} holds numbers, where times belong"
        raise Unreadable(why, column=raw.name)
    values = _in_our_time(raw)
    reasons = _where("it is not a time within 1970 to 2199", raw.is_not_null() & values.is_null())
    if raw.dtype.time_zone is None:
        local = _of_local(values.cast(pl.String), values.cast(LOCAL), tables, zones)
        return Converted(local.values, reasons.fill_null(local.why))
    return Converted(values.dt.convert_time_zone("UTC").cast(MOMENT), reasons)


def has_offset(written_as: str) -> bool:
    """Say whether times in a format carry their offset."""
    return any(part in written_as for part in ("%z", "%:z", "%#z", "%+"))


def read_times(texts: pl.Series, written_as: str) -> pl.Series:
    """Read the texts that are times in a format; the rest becomes nothing."""
    zone = "UTC" if has_offset(written_as) else None
    return texts.str.to_datetime(
        written_as, time_unit="us", time_zone=zone, strict=False, cache=False
    )


def _of_texts(
    texts: pl.Series, tables: pl.Series, zones: Mapping[str, ZoneInfo], written_as: str | None
) -> Converted:
    own = (written_as,) if written_as else ()
    with_offset = (*(one for one in own if has_offset(one)), *_WITH_OFFSET)
    without_offset = (*(one for one in own if not has_offset(one)), *_WITHOUT_OFFSET)
    values = _in_our_time(read_times(texts, with_offset[0]))
    rest = (values.is_null() & texts.is_not_null()).arg_true()
    if rest.is_empty():
        return Converted(values)
    some = _tidy(texts.gather(rest))
    ends_in_offset = some.str.contains(_OFFSET) if written_as is None else some.is_not_null()
    sure = _in_our_time(_read(only(some, ends_in_offset), with_offset))
    local = _in_our_time(_read(only(some, sure.is_null()), without_offset))
    of_local = _of_local(some, local, tables.gather(rest), zones)
    unknown = some.is_not_null() & sure.is_null() & local.is_null()
    why = only(_sentence(_NOT_A_TIME, some), unknown).fill_null(of_local.why)
    return Converted(
        values.scatter(rest, sure.fill_null(of_local.values)),
        nothing(len(texts), pl.String()).scatter(rest, why),
    )


def _tidy(texts: pl.Series) -> pl.Series:
    """Write the date and the time of ISO 8601 the one way that is read: T, point, no blanks."""
    tidy = (
        texts.str.strip_chars()
        .str.replace(r"^([0-9-]{8,10})(?:t|[ ]+)", "${1}T")
        .str.replace(r",([0-9]+)", ".${1}")
        .str.replace(r"[ ]+([+\-][0-9:]+|[zZ])$", "${1}")
    )
    return only(tidy, tidy.str.len_bytes() > 0)


def _read(texts: pl.Series, formats: tuple[str, ...]) -> pl.Series:
    values = read_times(texts, formats[0])
    for written_as in formats[1:]:
        rest = (values.is_null() & texts.is_not_null()).arg_true()
        if rest.is_empty():
            break
        values = values.scatter(rest, read_times(texts.gather(rest), written_as))
    return values


def _in_our_time(values: pl.Series) -> pl.Series:
    return only(values, values.dt.replace_time_zone(None).is_between(FIRST, LAST))


def _of_local(
    texts: pl.Series, local: pl.Series, tables: pl.Series, zones: Mapping[str, ZoneInfo]
) -> Converted:
    """Take times without offset in the timezones of their tables."""
    values = nothing(len(local), MOMENT)
    texts = only(texts, local.is_not_null())
    why = _sentence(
        "'{}' has no offset, and there is no table sheet that says the timezone of table {}",
        texts,
        tables,
    )
    for table in only(tables, local.is_not_null()).unique().drop_nulls().to_list():
        if table in zones:
            rows = (tables == table).arg_true()
            taken = _in_zone(texts.gather(rows), local.gather(rows), zones[table].key)
            values = values.scatter(rows, taken.values)
            why = why.scatter(rows, taken.why)
    return Converted(values, why)


def _in_zone(texts: pl.Series, local: pl.Series, zone: str) -> Converted:
    try:
        times = local.dt.replace_time_zone(zone, ambiguous="null", non_existent="null")
        some = local.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")
    except pl.exceptions.PolarsError:
        why = _sentence(f"'{{}}' has no offset, and timezone {zone} is not known here", texts)
        return Converted(nothing(len(local), MOMENT), why)
    twice = f"'{{}}' came twice, since clocks of {zone} were put back: write its offset"
    never = f"'{{}}' never came, since clocks of {zone} were put forward over it"
    why = _sentence(twice, texts).zip_with(some.is_not_null(), _sentence(never, texts))
    return Converted(times.dt.convert_time_zone("UTC"), only(why, times.is_null()))


def _sentence(text: str, *values: pl.Series) -> pl.Series:
    quoted = (value.str.head(SHOWN).str.replace_all(r"\p{C}", "?") for value in values)
    return pl.select(pl.format(text, *quoted)).to_series()


def _where(sentence: str, rows: pl.Series) -> pl.Series:
    return pl.select(pl.when(rows).then(pl.lit(sentence))).to_series()


def times_as_text(times: pl.Series) -> pl.Series:
    """Write times as text; those that no calendar can show become nothing."""
    return _in_our_time(times).cast(pl.String)
