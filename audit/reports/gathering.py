"""What a report is made of, asked of the audit database once and at one moment.

Rounds are counted by the database, since a year of them is a hundred million. They are counted by
quarters of an hour first: clocks all over the world differ by whole quarters, so that the hour and
the night on a table's own clock are worked out for a few quarters rather than for each round.
"""

from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from audit.errors import BadInput
from audit.reports.period import Clock, Scope, clock_of, night_of
from audit.store import ChainCheck, Store
from audit.toml_section import did_you_mean
from audit.visible import visible

MOST_REASONS = 200
"""Of the reasons why rounds and rows were not used, the most frequent ones."""
_DAY = timedelta(days=1)

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Frames as the database gave them; `inside` tells the period from the days before it."""

    scope: Scope
    """As asked for; the last night is named by now."""
    clocks: tuple[Clock, ...]
    rounds: pl.DataFrame
    """Counts by table, dealer, day and hour."""
    findings: pl.DataFrame
    """What stands, with its round."""
    unjudged: pl.DataFrame
    untimed: int
    """Rounds without any time: no night can claim them."""
    verdicts: pl.DataFrame
    runs: pl.DataFrame
    inputs: pl.DataFrame
    unused: pl.DataFrame
    chain: ChainCheck


def gather(path: Path, scope: Scope, progress: Progress = lambda _: None) -> Gathered:
    """Ask the database for everything that a report on this scope needs."""
    store = Store(path)
    progress("Finding the period")
    with store.reading() as connection:
        zones = _zones(connection, scope)
        if scope.is_last_night:
            scope = _last_night(connection, zones, scope)
        clocks = tuple(clock_of(table, zone, scope) for table, zone in zones.items())
        ask = _Questions(connection, clocks, scope)
        progress("Counting rounds")
        rounds = ask.frame(_ROUNDS)
        unjudged = ask.frame(_UNJUDGED)
        untimed = int(ask.frame(_UNTIMED).item())
        progress("Gathering findings")
        findings = ask.frame(_FINDINGS)
        verdicts = ask.frame(_VERDICTS)
        progress("Reading what the audits say of their files")
        runs, inputs, unused = (ask.frame(sql) for sql in (_RUNS, _INPUTS, _UNUSED))
    progress("Checking the reviews")
    return Gathered(
        scope=scope,
        clocks=clocks,
        rounds=rounds,
        findings=findings,
        unjudged=unjudged,
        untimed=untimed,
        verdicts=verdicts,
        runs=runs,
        inputs=inputs,
        unused=unused,
        chain=store.verify_reviews(),
    )


def _zones(connection: duckdb.DuckDBPyConnection, scope: Scope) -> dict[str, str]:
    """Give the tables that the report is about, with where they stand."""
    known: dict[str, str] = dict(
        connection.execute(
            """
            SELECT table_id, coalesce(timezone, 'UTC')
            FROM (SELECT DISTINCT table_id FROM shoes) FULL JOIN tables USING (table_id)
            ORDER BY table_id
            """
        ).fetchall()
    )
    missing = [table for table in scope.tables if table not in known]
    if missing:
        some = ", ".join(visible(table) for table in list(known)[:8]) or "none"
        hint = did_you_mean(missing[0], map(visible, known)) or f": there are {some}"
        raise BadInput(f"{missing[0]!r} is not a table of this database{hint}")
    return {table: known[table] for table in scope.tables} if scope.tables else known


def _last_night(
    connection: duckdb.DuckDBPyConnection, zones: dict[str, str], scope: Scope
) -> Scope:
    """Name the last night in which any of the tables was dealt on, by any of the dealers."""
    values = {"tables": list(scope.tables), "dealers": list(scope.dealers)}
    latest = connection.sql(_LATEST_ROUNDS, params=values).pl()
    if not latest.height and not scope.dealers:
        latest = connection.sql(_LATEST_SHOES).pl()
    nights = [
        night_of(table, zones[table], moment, scope.day_starts)
        for table, moment in latest.iter_rows()
        if table in zones and moment is not None
    ]
    return replace(scope, night=max(nights)) if nights else scope


class _Questions:
    """Asks about one scope over one connection."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, clocks: tuple[Clock, ...], scope: Scope
    ) -> None:
        moment = pl.Datetime("us", "UTC")
        schema = {
            "table_id": pl.String(),
            "zone": pl.String(),
            "before": moment,
            "since": moment,
            "until": moment,
        }
        rows = [astuple(clock) for clock in clocks]
        connection.register("clocks", pl.DataFrame(rows, schema=schema, orient="row"))
        self.connection = connection
        self.values: dict[str, Any] = {
            "dealers": list(scope.dealers),
            "first": min((clock.before for clock in clocks), default=_EPOCH) - _DAY,
            "last": max((clock.until for clock in clocks), default=_EPOCH) + _DAY,
            "starts": scope.day_starts.hour * 60 + scope.day_starts.minute,
            "most": MOST_REASONS,
        }

    def frame(self, sql: str) -> pl.DataFrame:
        values = {name: value for name, value in self.values.items() if f"${name}" in sql}
        answer: pl.DataFrame = self.connection.sql(sql, params=values).pl()
        return answer


_EPOCH = datetime(1970, 1, 2, tzinfo=UTC)
_BY_DEALERS = "(len($dealers) = 0 OR list_contains($dealers, dealer))"
_WANTED = f"(len($tables) = 0 OR list_contains($tables, table_id)) AND {_BY_DEALERS}"
_LATEST_ROUNDS = f"""
    SELECT table_id, max(ts) FROM rounds
    WHERE {_WANTED} AND ts >= (SELECT max(ts) FROM rounds WHERE {_WANTED}) - INTERVAL 3 DAY
    GROUP BY table_id
"""  # noqa: S608 - every part is written in this file
"""Clocks are at most 26 hours apart, so that no earlier round can be of a later night."""
_LATEST_SHOES = "SELECT table_id, max(first_ts) FROM shoes GROUP BY ALL"
_TIMED = f"""
    dealt AS (
        SELECT table_id, dealer, ts, judged, unjudged, reconstructed FROM rounds
        WHERE ts >= $first AND ts < $last AND {_BY_DEALERS}
        UNION ALL
        SELECT table_id, dealer, first_ts, judged, unjudged, reconstructed
        FROM rounds JOIN shoes USING (table_id, shoe)
        WHERE ts IS NULL AND {_BY_DEALERS}
    ), timed AS (
        SELECT dealt.*, zone, ts >= since AS inside FROM dealt JOIN clocks USING (table_id)
        WHERE ts >= before AND ts < until
    )
"""  # noqa: S608 - every part is written in this file
_ON_ITS_CLOCK = """
    CAST(local - to_minutes($starts) AS DATE) AS day, CAST(hour(local) AS INTEGER) AS hour
"""

_ROUNDS = f"""
    WITH {_TIMED}, quarters AS (
        SELECT table_id, dealer, zone, inside, epoch_us(ts) // 900000000 AS quarter,
               count(*) AS rounds, count(*) FILTER (judged) AS judged,
               count(*) FILTER (judged AND reconstructed) AS reconstructed
        FROM timed GROUP BY ALL
    ), on_their_clock AS (
        SELECT *, make_timestamptz(quarter * 900000000) AT TIME ZONE zone AS local FROM quarters
    )
    SELECT table_id, dealer, inside, {_ON_ITS_CLOCK},
           CAST(sum(rounds) AS BIGINT) AS rounds, CAST(sum(judged) AS BIGINT) AS judged,
           CAST(sum(reconstructed) AS BIGINT) AS reconstructed
    FROM on_their_clock GROUP BY ALL ORDER BY ALL
"""  # noqa: S608
_UNJUDGED = f"""
    WITH {_TIMED}
    SELECT coalesce(nullif(unjudged, ''), 'no reason was noted') AS why, count(*) AS rounds,
           count(DISTINCT table_id) AS tables
    FROM timed WHERE inside AND NOT judged
    GROUP BY why ORDER BY rounds DESC, why LIMIT $most
"""  # noqa: S608
_UNTIMED = f"""
    SELECT count(*) FROM rounds JOIN clocks USING (table_id)
        LEFT JOIN shoes USING (table_id, shoe)
    WHERE ts IS NULL AND first_ts IS NULL AND {_BY_DEALERS}
"""  # noqa: S608


def _found_in(source: str) -> str:
    """Put findings beside their rounds: when and by whom is what the round says, if it is there.

    The first conditions only spare the engine work: rounds begin when their findings say.
    """
    return f"""
    dealt AS (
        SELECT table_id, shoe, round, ts, dealer, judged, line, outcome FROM rounds
        WHERE ts IS NULL OR (ts >= $first AND ts < $last)
    ), placed AS (
        SELECT found.* REPLACE (
                   coalesce(dealt.ts, found.ts, first_ts) AS ts,
                   CASE WHEN dealt.round IS NULL THEN found.dealer ELSE dealt.dealer END AS dealer
               ),
               coalesce(judged, false) AS judged, line, outcome, zone, before, since, until
        FROM {source} AS found JOIN clocks USING (table_id)
            LEFT JOIN shoes USING (table_id, shoe)
            LEFT JOIN dealt USING (table_id, shoe, round)
        WHERE found.ts IS NULL OR (found.ts >= $first AND found.ts < $last)
    ), found AS (
        SELECT * EXCLUDE (before, since, until), ts >= since AS inside,
               ts AT TIME ZONE zone AS local
        FROM placed WHERE ts >= before AND ts < until AND {_BY_DEALERS}
    )
    """  # noqa: S608


_TEXTS = ", ".join(
    f"CASE WHEN inside THEN {name} END AS {name}"
    for name in (
        *("rulebook", "clause", "hand", "bettor", "wager"),
        *("expected", "observed", "evidence", "line", "outcome"),
    )
)
_FINDINGS = f"""
    WITH {_found_in("standing")}
    SELECT finding_id, table_id, shoe, round, ts, zone, {_ON_ITS_CLOCK}, inside, dealer,
           code, severity, exposure, confidence, verdict, judged, {_TEXTS}
    FROM found ORDER BY ts, finding_id
"""  # noqa: S608
_VERDICTS = f"""
    WITH reviewed AS (
        SELECT findings.*, coalesce(verdict, '') AS verdict
        FROM findings LEFT JOIN last_reviews USING (finding_id)
    ), {_found_in("reviewed")}
    SELECT verdict, withdrawn, count(*) AS findings
    FROM found WHERE inside AND severity <> 'note' GROUP BY ALL ORDER BY ALL
"""  # noqa: S608

_RUNS_OF_THE_PERIOD = """
    asked AS (
        SELECT DISTINCT run_id FROM shoes JOIN clocks USING (table_id)
        WHERE last_ts >= since AND first_ts < until
        UNION
        SELECT run_id FROM runs
        WHERE coalesce(rounds, 0) = 0
            AND started_at >= (SELECT min(since) FROM clocks)
            AND started_at < (SELECT max(until) FROM clocks) + INTERVAL 1 DAY
    )
"""
"""The audits of the shoes of the period; and those that came to nothing until a day after it."""
_RUNS = f"""
    WITH {_RUNS_OF_THE_PERIOD}
    SELECT run_id, started_at, finished_at, catwalk_version, inputs, rounds, findings
    FROM runs SEMI JOIN asked USING (run_id) ORDER BY started_at, run_id
"""  # noqa: S608
_INPUTS = f"""
    WITH {_RUNS_OF_THE_PERIOD}
    SELECT run_id, source, read, used, left_over, refused FROM inputs SEMI JOIN asked USING (run_id)
    ORDER BY refused DESC, left_over DESC, run_id, source LIMIT $most
"""  # noqa: S608
_UNUSED = f"""
    WITH {_RUNS_OF_THE_PERIOD}
    SELECT source, refused, why, count(*) AS rows, min(row) AS first_row
    FROM unused_rows SEMI JOIN asked USING (run_id)
    GROUP BY ALL ORDER BY refused DESC, rows DESC, source, why LIMIT $most
"""  # noqa: S608
