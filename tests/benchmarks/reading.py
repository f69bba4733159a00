"""How fast card logs are read, against a bare scan by polars of the same file in the same run.

    python -m tests.benchmarks.reading [--parquet ROWS] [--csv ROWS]

Makes its own files in a temporary folder: shoes of eight decks at a hundred tables, all at once, so
rows of different tables alternate. Prints the best of three of each. The scan collects the same
columns with whatever types it finds, checks nothing and accounts for nothing.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl

from audit.cards import DECK
from audit.sources import read_sources

TABLES = 100
CARDS_OF_A_SHOE = 416
REPEATS = 3


def card_log(rows: int) -> pl.DataFrame:
    """Deal so many cards at a hundred tables, a card every thirteen milliseconds."""
    number = pl.int_range(rows)
    dealt = number // TABLES
    out_of_shoe = dealt % CARDS_OF_A_SHOE
    deck = pl.lit(pl.Series([str(card) for card in DECK]))
    start = pl.lit(1_772_000_000_000)
    return pl.select(
        (start + number * 13)
        .cast(pl.Datetime("ms", "UTC"))
        .dt.convert_time_zone("Asia/Singapore")
        .alias("ts"),
        pl.format("BAC-{}", number % TABLES + 1).alias("table_id"),
        pl.format("S{}", dealt // CARDS_OF_A_SHOE + 1).alias("shoe"),
        (out_of_shoe // 5 + 1).alias("round"),
        (out_of_shoe + 1).alias("seq"),
        deck.gather(number.hash(seed=1) % len(DECK)).alias("card"),
        pl.when(out_of_shoe % 2 == 0)
        .then(pl.lit("player"))
        .otherwise(pl.lit("banker"))
        .alias("hand"),
    )


def best_time(work: Callable[[], int], rows: int) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        count = work()
        best = min(best, time.perf_counter() - start)
        if count != rows:
            raise SystemExit(f"{count:,} rows came back of {rows:,}")
    return best


def compare(name: str, path: Path, rows: int, scan: Callable[[], int]) -> None:
    """Print how long reading takes, and how many times as long as the bare scan."""
    bare = best_time(scan, rows)
    ours = best_time(lambda: read_sources([path]).cards.height, rows)
    sys.stdout.write(
        f"{name:8} {rows:12,} rows   bare scan {rows / bare / 1e6:6.1f} M rows/s   "
        f"read {rows / ours / 1e6:6.1f} M rows/s   {ours / bare:5.1f} times as long\n"
    )
    sys.stdout.flush()


def main() -> None:
    """Make the files, and time both."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    arguments.add_argument("--parquet", type=int, default=10_000_000, metavar="ROWS")
    arguments.add_argument("--csv", type=int, default=2_000_000, metavar="ROWS")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        parquet = Path(folder, "cards.parquet")
        card_log(options.parquet).write_parquet(parquet)
        compare(
            "Parquet", parquet, options.parquet, lambda: pl.scan_parquet(parquet).collect().height
        )
        csv = Path(folder, "cards.csv")
        in_text = pl.col("ts").dt.to_string("%Y-%m-%dT%H:%M:%S%.3f%:z")
        card_log(options.csv).with_columns(in_text).write_csv(csv)
        compare("CSV", csv, options.csv, lambda: pl.scan_csv(csv).collect().height)


if __name__ == "__main__":
    main()
