"""How long questions take over a year of one casino: 100,000,000 rounds.

    python -m tests.benchmarks.year                      365 nights of about 274,000 rounds
    python -m tests.benchmarks.year --rounds 1000000     a small year
    python -m tests.benchmarks.year --db year.duckdb     keep the database, or use it

Some tables are simulated, with faults, and audited once. The rounds, shoes and findings of that
night are then stored again under other names of tables and on every day of the year, until there
are enough; cards and wagers are left out. The floor is a scan of one column of all rounds.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path

import duckdb

from audit.nightly import Night, audit_night
from audit.queries import IncidentFilter, incidents, run_query
from audit.simulation.night_files import NightFiles, write_nights
from audit.simulation.nights import NightPlan
from audit.store import Store

DAYS = 365
NIGHT = NightPlan(tables=20, rounds=300, faults=3)
COPY = """
    INSERT INTO {table} BY NAME
    SELECT night.* REPLACE (
        table_id || '-' || copy AS table_id,
        shoe || '-' || day AS shoe,
        {changes}
    )
    FROM base.{table} AS night,
         range(1, {copies} + 1) AS copies(copy), range({first}, {last}) AS days(day)
"""
CHANGES = {
    "rounds": "ts + to_days(day::INTEGER) AS ts",
    "dealt": "quarter + to_days(day::INTEGER) AS quarter",
    "shoes": "first_ts + to_days(day::INTEGER) AS first_ts, "
    "last_ts + to_days(day::INTEGER) AS last_ts",
    "findings": "ts + to_days(day::INTEGER) AS ts, "
    "finding_id || '-' || copy || '-' || day AS finding_id",
}
QUESTIONS = {
    "errors and money by dealer": "FROM by_dealer LIMIT 20",
    "errors and money by table": "FROM by_table LIMIT 20",
    "errors by hour of the day": "FROM by_hour",
    "what kinds of error": "FROM by_code",
    "the dearest payouts of one month": "SELECT ts, table_id, shoe, round, exposure, observed "
    "FROM standing WHERE code LIKE 'PAY%' AND ts >= '2026-07-01' AND ts < '2026-08-01' "
    "ORDER BY exposure DESC LIMIT 20",
    "rounds a day": "SELECT date_trunc('day', quarter) AS day, sum(rounds) FROM "
    "(SELECT quarter, sum(rounds) AS rounds FROM dealt GROUP BY quarter) GROUP BY day",
}


def base_of(folder: Path) -> Path:
    """Simulate and audit one night of some tables."""
    write_nights(NIGHT, 1, folder / "night", NightFiles("parquet"), jobs=os.cpu_count() or 1)
    db = folder / "base.duckdb"
    audit_night(Night((folder / "night" / "inputs",)), Store(db), datetime.now(UTC))
    return db


def multiply(base: Path, year: Path, rounds: int) -> None:
    """Store the night again and again, in day after day of a new database."""
    Store(year).prepare()
    with duckdb.connect(year) as connection:
        connection.execute(f"ATTACH '{base}' AS base (READ_ONLY)")
        held = connection.execute("SELECT count(*) FROM base.rounds").fetchall()[0][0]
        copies = max(1, round(rounds / DAYS / held))
        connection.execute("INSERT INTO runs FROM base.runs")
        connection.execute(
            "INSERT INTO tables SELECT table_id || '-' || copy, timezone, sheet "
            "FROM base.tables, range(1, ? + 1) AS copies(copy)",
            [copies],
        )
        step = 5
        for first in range(0, DAYS, step):
            last = min(DAYS, first + step)
            for table, changes in CHANGES.items():
                connection.execute(
                    COPY.format(table=table, changes=changes, copies=copies, first=first, last=last)
                )
            sys.stderr.write(f"\rday {last} of {DAYS}")
        sys.stderr.write("\n")


def timed(ask: Callable[[], object]) -> float:
    """Ask twice; give the seconds of the second time, when the file is in the system's cache."""
    ask()
    began = time.monotonic()
    ask()
    return time.monotonic() - began


def main() -> None:
    """Build the year, ask, and print the figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=100_000_000)
    options.add_argument("--db", type=Path)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        year = given.db or Path(name) / "year.duckdb"
        if not year.exists():
            multiply(base_of(Path(name)), year, given.rounds)
        counts = run_query(year, "SELECT (SELECT count(*) FROM rounds), count(*) FROM findings")
        rounds, findings = counts.frame.row(0)
        dealer = run_query(year, "SELECT dealer FROM findings WHERE dealer IS NOT NULL LIMIT 1")
        who = dealer.frame.item()
        size = year.stat().st_size / 1e9
        sys.stdout.write(f"{rounds:,} rounds, {findings:,} findings, {size:.1f} GB\n")
        floor = timed(lambda: run_query(year, "SELECT count(dealer) FROM rounds"))
        sys.stdout.write(f"{floor:8.2f} s         scan of one column of all rounds\n")
        asked: dict[str, Callable[[], object]] = {
            what: partial(run_query, year, sql) for what, sql in QUESTIONS.items()
        }
        asked["incidents of one dealer"] = lambda: incidents(
            year, IncidentFilter(dealer=(who,), limit=50)
        )
        asked["incidents of over 500.00"] = lambda: incidents(
            year, IncidentFilter(least_exposure=Decimal(500), limit=50)
        )
        for what, ask in asked.items():
            seconds = timed(ask)
            sys.stdout.write(f"{seconds:8.2f} s {seconds / floor:6.1f}× {what}\n")


if __name__ == "__main__":
    main()
