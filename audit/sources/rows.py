"""Raw rows made typed: each is used, left over, or refused for the first thing wrong with it."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import polars as pl

from audit.sources.columns import Column, Log
from audit.sources.converting import Converted, as_text, nothing, only
from audit.sources.lost import lost_of, reasons
from audit.sources.mapping import ColumnMapping
from audit.sources.moments import moments, times_as_text
from audit.sources.records import Fault, Leftover, Piece, Refused, shown


@dataclass(frozen=True, slots=True)
class Reading:
    """What is known while rows are read."""

    mapping: ColumnMapping
    zones: Mapping[str, ZoneInfo]
    """By table."""


@dataclass(frozen=True, slots=True)
class Typed:
    rows: pl.DataFrame
    refused: list[Refused]
    left_over: list[Leftover]
    lost: tuple[pl.DataFrame, ...] = ()
    """What is still known of rows that cannot be used."""


def typed(piece: Piece, log: Log, source: str, reading: Reading) -> Typed:
    """Convert the columns of a piece, and account for each of its rows."""
    raw = {column.name: _raw(column, piece, log, reading.mapping) for column in log.columns}
    converted: dict[str, Converted] = {}
    for column in sorted(log.columns, key=lambda column: column.name != "table_id"):
        values = raw[column.name]
        if values.null_count() == len(values):
            converted[column.name] = _filled(column, Converted(nothing(len(values), column.dtype)))
        elif column.convert is not None:
            converted[column.name] = _filled(column, column.convert(values))
        else:
            tables = converted["table_id"].values
            written_as = reading.mapping.formats.get(column.name)
            times = moments(values, tables, reading.zones, written_as)
            converted[column.name] = _filled(column, times)
    rows = pl.DataFrame([converted[name].values.alias(name) for name in log.content])
    rows = rows.with_columns(pl.lit(source).alias("source"), piece.rows["row"])
    faults, bad = _faults(piece.rows["row"], raw, {name: converted[name] for name in log.content})
    blank = _blank_rows(piece.rows[bad])
    lost: tuple[pl.DataFrame, ...] = ()
    if faults or piece.faults:
        why = reasons((*piece.faults, *faults), source, piece.unfinished, blank)
        lost = lost_of(piece, log, source, rows[bad], why, reading.mapping)
        rows = rows.remove(pl.int_range(pl.len()).is_in(bad.implode()))
    result = Typed(rows, [], [], lost)
    for fault in (*piece.faults, *faults):
        _account(fault, result, source, piece.unfinished, blank)
    return result


def _raw(column: Column, piece: Piece, log: Log, mapping: ColumnMapping) -> pl.Series:
    """Give a column as its file has it, translated and filled up as the mapping says."""
    name = column.name
    if name in piece.rows.columns:
        values = piece.rows[name]
    else:
        values = nothing(piece.rows.height, pl.String()).alias(name)
    if name in mapping.values:
        values = _translated(as_text(values), mapping.values[name])
    constant = mapping.constants.get(log.frame, {}).get(name)
    if constant is not None:
        texts = as_text(values)
        values = only(texts, texts.str.strip_chars().str.len_bytes() > 0).fill_null(constant)
    return values


def _translated(texts: pl.Series, words: Mapping[str, str]) -> pl.Series:
    ours = {
        text: words[text.strip().lower()] or None
        for text in texts.unique().drop_nulls()
        if text.strip().lower() in words
    }
    old = pl.Series(ours.keys(), dtype=pl.String)
    return texts.replace(old, pl.Series(ours.values(), dtype=pl.String))


def _filled(column: Column, converted: Converted) -> Converted:
    """Say what stands for an empty field, or that there must not be one."""
    values, why = converted.values, converted.why
    if column.when_empty is not None:
        return Converted(values.fill_null(column.when_empty), why)
    if not column.needed or not values.has_nulls():
        return converted
    if why is None:
        why = nothing(len(values), pl.String())
    empty = values.is_null() & why.is_null()
    return Converted(values, why.zip_with(~empty, pl.Series([f"it has no {column.name}"])))


def _faults(
    numbers: pl.Series, raw: Mapping[str, pl.Series], converted: Mapping[str, Converted]
) -> tuple[list[Fault], pl.Series]:
    """Find what is wrong, once for each row, and the places of the rows that are."""
    faults: list[Fault] = []
    sound = pl.repeat(value=True, n=len(numbers), eager=True)
    for name, column in converted.items():
        if column.why is None or not column.why.is_not_null().any():
            continue
        places = (sound & column.why.is_not_null()).arg_true()
        sound &= column.why.is_null()
        faults.extend(
            Fault(row, name, shown(value or ""), why)
            for row, value, why in zip(
                numbers.gather(places),
                _quoted(raw[name].gather(places)),
                column.why.gather(places),
                strict=True,
            )
        )
    return faults, (~sound).arg_true()


def _quoted(values: pl.Series) -> pl.Series:
    return times_as_text(values) if values.dtype.is_temporal() else as_text(values)


def _blank_rows(rows: pl.DataFrame) -> set[int]:
    """Find rows in which nothing stands at all."""
    blank = pl.repeat(value=True, n=rows.height, eager=True)
    for values in rows.drop("row"):
        if values.dtype == pl.String:
            blank &= values.fill_null("").str.strip_chars().str.len_bytes() == 0
        else:
            blank &= values.is_null()
    return set(rows["row"].filter(blank))


def _account(
    fault: Fault, result: Typed, source: str, unfinished: int | None, blank: Set[int]
) -> None:
    if fault.row == unfinished:
        why = f"its last line may still be being written: {fault.why}"
        result.left_over.append(Leftover(source, fault.row, why))
    elif fault.row in blank:
        result.left_over.append(Leftover(source, fault.row, "it is empty"))
    else:
        result.refused.append(Refused(source, fault.row, fault.column, fault.value, fault.why))
