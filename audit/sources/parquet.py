"""Parquet, through Arrow's own reader.

Polars' reader is faster, but a damaged file can make it end the whole process, where Arrow's raises
an error. What comes out are polars columns: text, whole numbers, floats and times.
"""

from collections.abc import Iterator
from typing import Literal

import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from audit.sources.converting import nothing
from audit.sources.layout import Layout, layout_of
from audit.sources.mapping import ColumnMapping
from audit.sources.records import Piece, Unreadable, shown

MAGIC = b"PAR1"
GREATEST_ROWS = 100_000_000
"""A few bytes of Parquet can stand for any number of equal rows."""
_ROWS_AT_ONCE = 100_000
_UNITS: dict[str, Literal["ns", "us", "ms"]] = {"ns": "ns", "us": "us", "ms": "ms"}
_DAMAGE = (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError)
"""What Arrow raises on a damaged file."""
_DAMAGED = "its Parquet data is broken or cut short"


def read_parquet(content: bytes, mapping: ColumnMapping) -> tuple[Layout, Iterator[Piece]]:
    """Tell a file by its columns, and give its rows in pieces."""
    schema = _opened(content, []).schema_arrow
    layout = layout_of(schema.names, mapping)
    columns = {name: schema.field(place) for name, place in layout.places.items()}
    for name, column in columns.items():
        if not _is_read(column.type):
            raise Unreadable(
                f"its column {shown(column.name)} holds {shown(str(column.type))}, "
                "which is neither text, a number nor a time",
                column=name,
            )
    file = _opened(content, [one.name for one in columns.values() if _is_text(one.type)])
    if file.metadata.num_rows > GREATEST_ROWS:
        raise Unreadable(f"it has {file.metadata.num_rows:,} rows: split it into several files")
    return layout, _pieces(file, {name: one.name for name, one in columns.items()})


def _opened(content: bytes, texts: list[str]) -> pq.ParquetFile:
    """Open a file, to read texts as references into the list of the distinct ones."""
    try:
        return pq.ParquetFile(pa.BufferReader(content), read_dictionary=texts)
    except _DAMAGE:
        raise Unreadable(_DAMAGED) from None


def _pieces(file: pq.ParquetFile, names: dict[str, str]) -> Iterator[Piece]:
    row = 1
    for groups in _groups(file):
        try:
            table = file.read_row_groups(groups, columns=list(names.values()))
            table.validate(full=True)
            columns = {name: _column(table.column(theirs)) for name, theirs in names.items()}
        except _DAMAGE:
            raise Unreadable(_DAMAGED) from None
        numbers = pl.int_range(row, row + table.num_rows, eager=True)
        row += table.num_rows
        yield Piece(pl.DataFrame(columns | {"row": numbers}))
    if row - 1 != file.metadata.num_rows:
        raise Unreadable(_DAMAGED)


def _groups(file: pq.ParquetFile) -> Iterator[list[int]]:
    """Put row groups together until they are worth their while."""
    groups: list[int] = []
    rows = 0
    for group in range(file.num_row_groups):
        groups.append(group)
        rows += file.metadata.row_group(group).num_rows
        if rows >= _ROWS_AT_ONCE:
            yield groups
            groups, rows = [], 0
    if groups:
        yield groups


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _is_read(kind: pa.DataType) -> bool:
    return bool(
        _is_text(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_timestamp(kind)
        or pa.types.is_null(kind)
    )


def _column(column: pa.ChunkedArray) -> pl.Series:
    kind = column.type
    if pa.types.is_null(kind):
        return nothing(len(column), pl.String())
    if pa.types.is_dictionary(kind):
        return _listed_texts(column)
    if pa.types.is_timestamp(kind):
        if kind.unit == "s":
            column = column.cast(pa.timestamp("ms", kind.tz))
        unit = _UNITS[column.type.unit]
        return _series(column.cast(pa.int64())).cast(pl.Datetime(unit, "UTC" if kind.tz else None))
    if pa.types.is_floating(kind):
        return _series(column.cast(pa.float64()))
    if pa.types.is_integer(kind) and kind != pa.uint64():
        return _series(column.cast(pa.int64()))
    return _series(column.cast(pa.large_string()))


def _listed_texts(column: pa.ChunkedArray) -> pl.Series:
    """Give texts as places in the list of the distinct ones, if there is one list, else as text."""
    texts = [_series(chunk.dictionary.cast(pa.large_string())) for chunk in column.chunks]
    places = [_series(chunk.indices) for chunk in column.chunks]
    if len(texts) == 1 and not texts[0].has_nulls() and texts[0].n_unique() == len(texts[0]):
        return texts[0].cast(pl.Enum(texts[0])).gather(places[0])
    parts = [one.gather(of_one) for one, of_one in zip(texts, places, strict=True)]
    return pl.concat([nothing(0, pl.String()), *parts])


def _series(column: pa.Array | pa.ChunkedArray) -> pl.Series:
    return pl.Series(column)
