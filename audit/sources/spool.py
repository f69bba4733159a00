"""Rows on their way from files to shoes, kept on disk by table, so that no night has to fit into
memory at once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from audit.shoe_rows import ShoeRows
from audit.sources.columns import CALLS, CARDS, LOGS, WAGERS, Log
from audit.sources.duplicates import without_duplicates
from audit.sources.lost import LOST
from audit.sources.moments import MOMENT
from audit.sources.records import Leftover

HELD_AT_ONCE = 192 << 20
"""Bytes of rows that wait in memory before they are written."""
BUCKET_OF_FILES = 24 << 20
"""Bytes of input for each bucket, packed or not: some tens of thousands of rounds."""
MOST_BUCKETS = 256


@dataclass(frozen=True, slots=True)
class Bucket:
    """All rows of some tables."""

    cards: pl.DataFrame
    wagers: pl.DataFrame
    calls: pl.DataFrame
    duplicates: tuple[Leftover, ...] = ()
    lost: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=LOST))
    """Rows of these tables that cannot be used."""

    @property
    def is_empty(self) -> bool:
        return self.cards.is_empty() and self.wagers.is_empty() and self.calls.is_empty()


OF_A_FILE = {"table_id": pl.String(), "shoe": pl.String(), "source": pl.String()}
_SHOE = {"table_id": pl.String(), "shoe": pl.String(), "first": MOMENT, "last": MOMENT}


def _shoes(rows: pl.DataFrame, log: Log) -> pl.DataFrame:
    moment = "placed_at" if log is WAGERS else "ts"
    times = pl.col(moment)
    return rows.group_by("table_id", "shoe").agg(first=times.min(), last=times.max())


@dataclass(slots=True)
class _Part:
    """Rows of one log that go to one bucket, in memory until they are written."""

    log: Log
    bucket: int
    rows: pl.DataFrame | None
    shoes: pl.DataFrame
    source: str
    path: Path | None = None


@dataclass(slots=True)
class Spool:
    """A sink for the rows of all files, and a source of buckets."""

    folder: Path
    buckets: int
    _waiting: list[_Part] = field(default_factory=list)
    _kept: list[_Part] = field(default_factory=list)
    _held: int = 0
    _written: int = 0

    def take(self, log: Log, rows: pl.DataFrame) -> None:
        """Take rows of the file that is being read."""
        bucket = pl.col("table_id").hash(0) % self.buckets
        named = rows.with_columns(bucket=bucket.cast(pl.Int64))
        for part in named.partition_by("bucket", maintain_order=True):
            number = part["bucket"][0]
            shoes, source = _shoes(part, log), part["source"][0]
            self._waiting.append(_Part(log, number, part.drop("bucket"), shoes, source))
            self._held += int(part.estimated_size())
        if self._held > HELD_AT_ONCE:
            self._write_out()

    def keep(self) -> None:
        """Count in the rows of the file that was read to its end."""
        self._kept.extend(self._waiting)
        self._waiting = []

    def drop(self) -> None:
        """Forget the rows of a file that broke off."""
        for part in self._waiting:
            if part.path is not None:
                part.path.unlink()
        self._waiting = []

    def _write_out(self) -> None:
        for part in (*self._kept, *self._waiting):
            if part.rows is not None:
                self._written += 1
                part.path = self.folder / f"{self._written}.arrow"
                part.rows.write_ipc(part.path, compression="lz4")
                part.rows = None
        self._held = 0

    def on_disk(self) -> list[tuple[Path, ...]]:
        """Write everything, and give the files of each bucket."""
        self._write_out()
        paths: list[list[Path]] = [[] for _ in range(self.buckets)]
        for part in self._kept:
            if part.path is not None:
                paths[part.bucket].append(part.path)
        return [tuple(of_bucket) for of_bucket in paths]

    def shoes(self) -> pl.DataFrame:
        """Give the shoes that rows were read of, each with its bucket and from when to when."""
        seen = [part.shoes.with_columns(bucket=pl.lit(part.bucket)) for part in self._kept]
        empty = pl.DataFrame(schema={**_SHOE, "bucket": pl.Int32})
        return (
            pl.concat([empty, *seen], how="vertical_relaxed")
            .group_by("table_id", "shoe", "bucket")
            .agg(pl.col("first").min(), pl.col("last").max())
            .sort("table_id", "first", "shoe")
        )

    def shoes_of_files(self) -> pl.DataFrame:
        """Give the shoes that each file tells of, as far as its rows name one."""
        seen = [
            part.shoes.select("table_id", "shoe", source=pl.lit(part.source)) for part in self._kept
        ]
        empty = pl.DataFrame(schema=OF_A_FILE)
        return pl.concat([empty, *seen]).unique().sort("source", "table_id", "shoe")


def buckets_for(paths: tuple[Path, ...]) -> int:
    """Say into how many buckets the rows of these files are best divided."""
    size = sum(path.stat().st_size for path in paths)
    return min(MOST_BUCKETS, 1 + size // BUCKET_OF_FILES)


def load_bucket(paths: tuple[Path, ...]) -> Bucket:
    """Read a bucket back; the same row twice is in it once."""
    frames: dict[Log, list[pl.DataFrame]] = {log: [pl.DataFrame(schema=log.schema)] for log in LOGS}
    by_columns = {tuple(log.schema): log for log in LOGS}
    for path in paths:
        rows = pl.read_ipc(path)
        frames[by_columns[tuple(rows.columns)]].append(rows)
    left_over: list[Leftover] = []
    once: dict[Log, pl.DataFrame] = {}
    for log, parts in frames.items():
        once[log], duplicates = without_duplicates(pl.concat(parts), log)
        left_over.extend(duplicates)
    return Bucket(once[CARDS], once[WAGERS], once[CALLS], tuple(left_over))


def bucket_of(shoes: Iterable[ShoeRows], cameras: Iterable[ShoeRows] = ()) -> Bucket:
    """Make a bucket of rows that come from no file; `cameras` are second card logs of shoes."""
    logs = (("shoe", list(shoes)), ("camera", list(cameras)))
    every = [shoe for _, log in logs for shoe in log]
    cards = [
        (
            *(shoe.table_id, shoe.shoe, row.round, row.seq, row.ts, row.card, row.hand),
            *(row.confidence, row.alternatives or None, row.at_s, row.footage, row.doubt or None),
            *(source, number),
        )
        for source, log in logs
        for shoe in log
        for number, row in enumerate(shoe.cards, 1)
    ]
    wagers = [
        (
            *(shoe.table_id, shoe.shoe, row.round, row.box, row.bettor, row.wager, row.hand),
            *(row.stake, row.net, row.placed_at, row.settled_at, row.on_behalf_of),
            *("ledger", number),
        )
        for shoe in every
        for number, row in enumerate(shoe.wagers, 1)
    ]
    calls = [
        (
            *(row.ts, shoe.table_id, shoe.shoe, row.round, row.call, row.hand),
            *(row.bettor, row.value, "calls", number),
        )
        for shoe in every
        for number, row in enumerate(shoe.calls, 1)
    ]
    return Bucket(_frame(cards, CARDS), _frame(wagers, WAGERS), _frame(calls, CALLS))


def _frame(rows: Sequence[tuple[object, ...]], log: Log) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=log.schema, orient="row")
