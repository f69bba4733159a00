"""What is written at once: everything of one shoe, or of many, as frames that fit the tables."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from audit.errors import BadInput
from audit.shoe_rows import ROUND_KEY, SHOE_KEY
from audit.store.schema import (
    CALLS,
    CARDS,
    DEALT,
    FINDINGS,
    MOMENT,
    MONEY,
    NUMBER,
    OF_A_SHOE,
    ROUNDS,
    SHOES,
    TEXT,
    TRUTH,
    WAGERS,
    WHOLE,
    Column,
    Table,
)

DTYPES: dict[str, pl.DataType] = {
    TEXT: pl.String(),
    WHOLE: pl.Int64(),
    MOMENT: pl.Datetime("us", "UTC"),
    MONEY: pl.Decimal(18, 2),
    NUMBER: pl.Float64(),
    TRUTH: pl.Boolean(),
}


def frame_schema(table: Table) -> dict[str, pl.DataType]:
    """Give the columns of a frame that holds rows of a table."""
    return {column.name: DTYPES[column.type] for column in table.columns}


@dataclass(frozen=True, slots=True)
class ShoeBatch:
    """Whole shoes: what is stored for each of them is replaced by what is here.

    Frames have the columns of their tables (`audit/store/schema.py`). Columns that a row may lack
    can be left out; `run_id` and `withdrawn` are not given. Of `shoes` only `table_id` and `shoe`
    are given, and only where a shoe has no rows at all: the others are known from their rows.
    """

    run_id: str
    rounds: pl.DataFrame = field(default_factory=pl.DataFrame)
    cards: pl.DataFrame = field(default_factory=pl.DataFrame)
    wagers: pl.DataFrame = field(default_factory=pl.DataFrame)
    calls: pl.DataFrame = field(default_factory=pl.DataFrame)
    findings: pl.DataFrame = field(default_factory=pl.DataFrame)
    shoes: pl.DataFrame = field(default_factory=pl.DataFrame)

    def __post_init__(self) -> None:
        for table in (ROUNDS, CARDS, WAGERS, CALLS):
            self._set(table, fitted(getattr(self, table.name), table))
        found = self.findings
        if found.width:
            found = found.with_columns(run_id=pl.lit(self.run_id), withdrawn=pl.lit(value=False))
        self._set(FINDINGS, _each_once(fitted(found, FINDINGS)))
        self._set(SHOES, self._shoes())
        _check_rounds(self.rounds)

    @property
    def dealt(self) -> pl.DataFrame:
        """Count the rounds by shoe, quarter of an hour and dealer."""
        quarter = pl.col("ts").dt.truncate("15m").alias("quarter")
        counted = self.rounds.group_by(*SHOE_KEY, quarter, "dealer").agg(
            rounds=pl.len().cast(pl.Int64), judged=pl.col("judged").sum().cast(pl.Int64)
        )
        return fitted(counted.sort(*SHOE_KEY, "quarter", "dealer"), DEALT)

    def _set(self, table: Table, frame: pl.DataFrame) -> None:
        object.__setattr__(self, table.name, frame)

    def _shoes(self) -> pl.DataFrame:
        """Name every shoe once, with its first and last moment and its number of cards."""
        named = self.shoes.select(SHOE_KEY) if self.shoes.width else pl.DataFrame()
        seen = [
            frame.select(*SHOE_KEY, ts="ts", cards=pl.lit(counted, dtype=pl.Int64))
            for frame, counted in ((self.rounds, 0), (self.cards, 1), (self.calls, 0))
        ]
        unseen = [frame.select(SHOE_KEY) for frame in (self.wagers, self.findings)]
        return fitted(
            pl.concat([*seen, *unseen, fitted(named, _NAMED)], how="diagonal")
            .group_by(SHOE_KEY)
            .agg(
                run_id=pl.lit(self.run_id),
                first_ts=pl.col("ts").min(),
                last_ts=pl.col("ts").max(),
                cards=pl.col("cards").sum(),
            )
            .sort(SHOE_KEY),
            SHOES,
        )


_NAMED = Table("shoes", "", SHOES.columns[:2])


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of any number of batches, table by table, ready to be written."""

    shoes: pl.DataFrame
    of_a_shoe: tuple[pl.DataFrame, ...]
    """In the order of `OF_A_SHOE`."""
    findings: pl.DataFrame


def joined(batches: Sequence[ShoeBatch]) -> Rows:
    """Put batches together; no shoe may be in two of them."""
    shoes = pl.concat([batch.shoes for batch in batches])
    twice = shoes.filter(shoes.select(SHOE_KEY).is_duplicated())
    if twice.height:
        table_id, shoe = twice.select(SHOE_KEY).row(0)
        raise BadInput(
            f"shoe {shoe} of table {table_id} is in two batches that are written at once"
        )
    return Rows(
        shoes,
        tuple(pl.concat([getattr(batch, table.name) for batch in batches]) for table in OF_A_SHOE),
        _each_once(pl.concat([batch.findings for batch in batches])),
    )


def fitted(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Give the frame the columns and types of its table, refusing whatever would be lost."""
    schema = frame_schema(table)
    if not frame.width:
        return pl.DataFrame(schema=schema)
    unknown = [name for name in frame.columns if name not in schema]
    missing = [c.name for c in table.columns if c.needed and c.name not in frame.columns]
    if unknown or missing:
        raise TypeError(f"a frame of {table.name} lacks {missing} and has {unknown} too much")
    return pl.DataFrame([_fitted_column(frame, column, table) for column in table.columns])


def _fitted_column(frame: pl.DataFrame, column: Column, table: Table) -> pl.Series:
    dtype = DTYPES[column.type]
    if column.name not in frame.columns:
        return pl.Series(column.name, [None], dtype=dtype).new_from_index(0, frame.height)
    series = frame[column.name]
    if not _can_hold(series.dtype, dtype):
        raise TypeError(f"{table.name}.{column.name} is {series.dtype}, it has to be {dtype}")
    if column.needed and series.null_count():
        raise BadInput(f"a row of {table.name} has no {column.name}")
    if series.dtype == dtype:
        return series
    cast = series.cast(dtype, strict=False)
    changed = cast.null_count() != series.null_count() or (
        series.dtype.is_decimal() and (cast.cast(series.dtype) != series).any()
    )
    if changed:
        raise BadInput(f"a row of {table.name} has a {column.name} that does not fit {column.type}")
    return cast


def _can_hold(given: pl.DataType, wanted: pl.DataType) -> bool:
    """Whether values of one type are values of the other: a float is never money."""
    if given == pl.Null:
        return True
    if isinstance(wanted, pl.String):
        return isinstance(given, pl.String | pl.Categorical | pl.Enum)
    if isinstance(wanted, pl.Int64):
        return given.is_integer()
    if isinstance(wanted, pl.Datetime):
        return isinstance(given, pl.Datetime) and given.time_zone is not None
    if isinstance(wanted, pl.Decimal):
        return given.is_decimal()
    if isinstance(wanted, pl.Float64):
        return given.is_float() or given.is_integer()
    return isinstance(given, pl.Boolean)


def _each_once(findings: pl.DataFrame) -> pl.DataFrame:
    """Drop a finding that is given twice; refuse two that claim to be the same fact."""
    if not findings["finding_id"].is_duplicated().any():
        return findings
    once = findings.unique(maintain_order=True)
    twice = once.filter(pl.col("finding_id").is_duplicated())
    if twice.height:
        raise BadInput(f"finding {twice['finding_id'][0]} is given twice with different facts")
    return once


def _check_rounds(rounds: pl.DataFrame) -> None:
    twice = rounds.filter(rounds.select(ROUND_KEY).is_duplicated())
    if twice.height:
        table_id, shoe, number = twice.select(ROUND_KEY).row(0)
        raise BadInput(f"round {number} of shoe {shoe} of table {table_id} is given twice")
