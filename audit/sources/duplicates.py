"""The same row twice, in one file or in several, is used once."""

import polars as pl

from audit.observations import WagerKind
from audit.sources.columns import WAGERS, Log
from audit.sources.records import Leftover

_ALIKE = pl.col("wager").is_in([WagerKind.SPLIT, WagerKind.DOUBLE])
"""A bettor can split and double several times in a round, each time for the same amount."""


def without_duplicates(rows: pl.DataFrame, log: Log) -> tuple[pl.DataFrame, list[Leftover]]:
    """Keep the first of rows that say the same, and name the others."""
    suspects = _suspects(rows, log)
    if suspects.is_empty():
        return rows, []
    some = rows[suspects].with_columns(place=suspects)
    content = log.content
    if log is WAGERS:
        content = [*content, "occurrence"]
        nothing_tells = _ALIKE & pl.col("hand").is_null() & pl.col("placed_at").is_null()
        times_so_far = pl.int_range(pl.len()).over("source", *log.content)
        some = some.with_columns(
            pl.when(nothing_tells).then(times_so_far).otherwise(0).alias("occurrence")
        )
    first = some.unique(content, keep="first", maintain_order=True)
    again = some.join(first.select("place"), on="place", how="anti", maintain_order="left")
    named = again.join(
        first, on=content, how="left", nulls_equal=True, suffix="_of", maintain_order="left"
    )
    left_over = [
        Leftover(source, row, f"it is the same as row {row_of} of {source_of}", duplicate=True)
        for source, row, source_of, row_of in named.select(
            "source", "row", "source_of", "row_of"
        ).iter_rows()
    ]
    return rows.remove(pl.int_range(pl.len()).is_in(again["place"].implode())), left_over


def _suspects(rows: pl.DataFrame, log: Log) -> pl.Series:
    """Find the places of rows that may say the same as another, quickly."""
    places = pl.int_range(rows.height, eager=True)
    if rows.height < 2:
        return places.clear()
    if "ts" in log.content:
        moments = rows["ts"].to_physical()
        if (moments.diff() > 0).all() or moments.n_unique() == rows.height:
            return places.clear()
        places = rows["ts"].is_duplicated().arg_true()
    marks = rows[places].select(log.content).hash_rows()
    return places.filter(marks.is_duplicated())
