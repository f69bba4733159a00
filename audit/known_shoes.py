"""Which shoes the logs among some inputs tell of: a film is of one of them, and does not say."""

from dataclasses import dataclass, field
from datetime import datetime

import polars as pl

from audit.films import KnownShoe
from audit.shoe_rows import SHOE_KEY
from audit.sources.columns import Log
from audit.sources.found import Found
from audit.sources.mapping import ColumnMapping
from audit.sources.reading import read_into

_TIMES = ("ts", "placed_at", "settled_at")


@dataclass(slots=True)
class _Shoes:
    """Keeps of the rows only the names of their shoes, and when they were."""

    waiting: list[pl.DataFrame] = field(default_factory=list)
    known: dict[tuple[str, str], tuple[datetime | None, datetime | None]] = field(
        default_factory=dict
    )

    def take(self, log: Log, rows: pl.DataFrame) -> None:
        times = [pl.col(name) for name in _TIMES if name in rows.columns]
        named = rows.filter(pl.col("shoe").is_not_null()).group_by(SHOE_KEY)
        self.waiting.append(
            named.agg(
                first=pl.min_horizontal(*(time.min() for time in times)),
                last=pl.max_horizontal(*(time.max() for time in times)),
            )
        )

    def keep(self) -> None:
        for part in self.waiting:
            for table, shoe, first, last in part.iter_rows():
                earlier, later = self.known.get((table, shoe), (None, None))
                firsts = [moment for moment in (first, earlier) if moment is not None]
                lasts = [moment for moment in (last, later) if moment is not None]
                self.known[table, shoe] = min(firsts, default=None), max(lasts, default=None)
        self.waiting.clear()

    def drop(self) -> None:
        self.waiting.clear()


def known_shoes(found: Found, mapping: ColumnMapping) -> tuple[KnownShoe, ...]:
    """Name the shoes of all logs that were found."""
    shoes = _Shoes()
    if found.logs:
        read_into(shoes, found, mapping)
    return tuple(
        KnownShoe(table, shoe, first, last)
        for (table, shoe), (first, last) in sorted(shoes.known.items())
    )
