"""Questions to the audit database: free SQL that can only read, and incidents by filter.

An investigator's SQL runs in a connection that cannot write, sees no other file and no network,
cannot change a setting, and is stopped after a while. Where the engine works inside one value (the
distance between two texts of a million letters), it looks up only when that is done:
`audit/query_process.py` gives a query a process of its own, which ends when the time is up.
"""

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from audit.frame_formats import format_frame
from audit.questions import ROWS, SECONDS, BadQuery, Format, IncidentFilter, Order
from audit.store import Store
from audit.store.store import PATIENCE

__all__ = [
    "Answer",
    "BadQuery",
    "Format",
    "IncidentFilter",
    "IncidentTotals",
    "Order",
    "format_frame",
    "incident_totals",
    "incidents",
    "run_query",
]

LONGEST_SQL = 50_000
"""Characters. Longer texts only keep the planner busy, which nothing interrupts."""
_FIT_A_CELL = frozenset(
    {
        *("boolean", "tinyint", "smallint", "integer", "bigint", "hugeint"),
        *("utinyint", "usmallint", "uinteger", "ubigint", "float", "double", "decimal"),
        *("varchar", "uuid", "enum", "null", "date", "time", "timestamp with time zone"),
        *("timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns"),
    }
)
"""Types of columns that a frame, a CSV file and a screen can hold. The others are shown as text."""
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
"""The years 1 to 9999, as days from 1970."""
_PER_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
_EXPLAIN = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*EXPLAIN\s+(?:ANALYZE\s+)?(?:\([^()]*\)\s*)?(?=\w)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Answer:
    frame: pl.DataFrame
    note: str = ""
    """Says so if there are more rows than these."""


def run_query(
    path: Path, sql: str, *, limit: int | None = ROWS, seconds: float = SECONDS
) -> Answer:
    """Run one SELECT (or WITH, FROM, VALUES, DESCRIBE, SHOW, SUMMARIZE, EXPLAIN) and nothing else.

    Times are shown on the clock of the tables. At most `limit` rows are fetched; lists and other
    nested values come as text. The time to wait for a file in use counts, too.
    """
    _check_text(sql)
    begun = time.monotonic()
    with Store(path, patience=min(PATIENCE, seconds)).reading() as connection:
        statement = _only_question(connection, sql)
        left = max(0.0, seconds - (time.monotonic() - begun))
        with _stopped_after(left, connection):
            with _one_sentence(sql, seconds):
                given = _bound(connection, statement)
                shown = _plain(given)
            with _one_sentence(sql if shown is given else "", seconds):
                frame = _fetch(shown, limit)
    if limit is not None and frame.height > limit:
        return Answer(frame.head(limit), f"only the first {limit:,} rows: there are more")
    return Answer(frame)


def _check_text(sql: str) -> None:
    if len(sql) > LONGEST_SQL:
        raise BadQuery(f"the query has {len(sql):,} characters: {LONGEST_SQL:,} are the most")
    try:
        sql.encode()
    except UnicodeEncodeError as problem:
        raise BadQuery(_at(sql[: problem.start], "this is not Unicode text")) from None


def _only_question(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    """Parse the text and refuse whatever is not one question."""
    statements = _parsed(connection, sql)
    if not statements:
        raise BadQuery("there is no query: write one SELECT")
    if len(statements) > 1:
        raise BadQuery(f"there are {len(statements)} statements: write one SELECT at a time")
    statement = statements[0]
    if statement.type == duckdb.StatementType.EXPLAIN:
        _check_explained(connection, sql)
    elif statement.type != duckdb.StatementType.SELECT:
        raise BadQuery(_only_reads(statement.type.name))
    return statement


def _check_explained(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    head = _EXPLAIN.match(sql)
    if head is None:
        raise BadQuery("EXPLAIN is followed by a SELECT here, and nothing else")
    for inner in _parsed(connection, sql[head.end() :]):
        if inner.type != duckdb.StatementType.SELECT:
            raise BadQuery(_only_reads(f"EXPLAIN of {inner.type.name}"))


def _only_reads(kind: str) -> str:
    return f"this is {kind.replace('_', ' ')}: only one SELECT can be run, nothing that changes"


def _parsed(connection: duckdb.DuckDBPyConnection, sql: str) -> list[duckdb.Statement]:
    try:
        return connection.extract_statements(sql)
    except duckdb.Error as problem:
        raise BadQuery(_sentence(sql, str(problem))) from None


@contextmanager
def _one_sentence(sql: str, seconds: float) -> Iterator[None]:
    """Say what is wrong with the query; what is wrong with the file, the store says.

    An error in the middle of the rows comes through Arrow, as an OSError with the same text.
    """
    try:
        yield
    except (duckdb.Error, OSError) as problem:
        text = str(problem)
        if text.startswith("INTERRUPT"):
            text = f"the query was stopped after {seconds:g} seconds: ask for less, or allow more"
        elif text.startswith("Out of Memory"):
            text = "the query needs more memory than there is: ask for less"
        elif text.startswith("IO Error") or "Corrupt database file" in text:
            raise duckdb.IOException(text) from None
        else:
            text = _sentence(sql, text)
        raise BadQuery(text) from None


def _sentence(sql: str, text: str) -> str:
    """Put the engine's error into one sentence, with its place in the SQL where that is known."""
    _, brace, details = text.partition("{")
    try:
        told = json.loads(brace + details)
    except json.JSONDecodeError:
        return _one_line(text)
    message = _one_line(told.get("exception_message", text))
    if "read-only mode" in message:
        message = "this would change the database, which can only be read here"
    position = told.get("position", "")
    if not position.isdecimal() or int(position) > len(sql.encode()):
        return message
    before = sql.encode()[: int(position)].decode(errors="ignore")
    return _at(before, message)


def _at(before: str, message: str) -> str:
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    return f"line {line}, column {column}: {message}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


@contextmanager
def _stopped_after(seconds: float, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Interrupt whatever the connection does once the time is up, until it gives in."""
    done = threading.Event()

    def watch() -> None:
        waiting = seconds
        while not done.wait(waiting):
            connection.interrupt()
            waiting = 0.05

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _bound(connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement) -> Any:
    """Give the rows to come. Names that are not there show now."""
    try:
        return connection.sql(statement)
    except duckdb.Error:
        connection.execute(statement)  # fails in the same way, and says where
        raise


def _plain(relation: Any) -> Any:
    """Give each column a name of its own, and as text whatever a cell of a table cannot hold."""
    fit = [kind.id in _FIT_A_CELL for kind in relation.types]
    if all(fit) and len(set(relation.columns)) == len(fit):
        return relation
    numbered = relation.project("*")
    names = ['"' + name.replace('"', '""') + '"' for name in numbered.columns]
    return numbered.project(
        ", ".join(
            name if fits else f"CAST({name} AS VARCHAR) AS {name}"
            for name, fits in zip(names, fit, strict=True)
        )
    )


def _fetch(relation: Any, limit: int | None) -> pl.DataFrame:
    """Take rows until there is one more than the limit; the engine stops there."""
    with relation.to_arrow_reader(8192) as reader:
        frames = [_frame(reader.schema.empty_table())]
        rows = 0
        for batch in reader:
            frames.append(_frame(batch))
            rows += batch.num_rows
            if limit is not None and rows > limit:
                break
    frame = pl.concat(frames)
    for series in frame:
        _check_times(series)
    return frame


def _frame(rows: Any) -> pl.DataFrame:
    frame = pl.from_arrow(rows)
    if not isinstance(frame, pl.DataFrame):
        raise TypeError(f"{type(frame)} is not a frame")
    return frame


def _check_times(series: pl.Series) -> None:
    """Refuse moments that no calendar can show, such as infinity."""
    if series.dtype == pl.Date:
        days = series.to_physical()
    elif isinstance(series.dtype, pl.Datetime):
        days = series.to_physical() // _PER_DAY[series.dtype.time_unit]
    else:
        return
    if not days.is_between(_FIRST_DAY, _LAST_DAY).all():
        raise BadQuery(f"column {series.name} holds times that are not in the years 1 to 9999")


_ORDER_BY = {
    Order.NEWEST: "ts DESC NULLS LAST",
    Order.OLDEST: "ts ASC NULLS LAST",
    Order.MONEY: "abs(exposure) DESC NULLS LAST, ts NULLS LAST",
    Order.SUREST: "confidence DESC, ts NULLS LAST",
}


_CONDITIONS = {
    "table": "table_id = ANY($table)",
    "dealer": "dealer = ANY($dealer)",
    "bettor": "bettor = ANY($bettor)",
    "code": "code = ANY($code)",
    "family": "family = ANY($family)",
    "clause": "list_bool_or([clause = c OR starts_with(clause, c || '.') FOR c IN $clause])",
    "rulebook": "rulebook = ANY($rulebook)",
    "severity": "severity = ANY($severity)",
    "since": "ts >= $since",
    "until": "ts < $until",
    "least_exposure": "abs(exposure) >= $least_exposure",
    "text": "contains(lower(expected || ' ' || observed), lower($text))",
}


def incidents(path: Path, wanted: IncidentFilter | None = None) -> pl.DataFrame:
    """Find what stands against the rules, with its round on one line."""
    wanted = wanted or IncidentFilter()
    conditions, values = _conditions(wanted)
    order = f"ORDER BY {_ORDER_BY[wanted.order]}, finding_id"
    limit = "" if wanted.limit is None else f"LIMIT {wanted.limit:d}"
    sql = f"""
        WITH found AS (
            SELECT * EXCLUDE (run_id) FROM standing WHERE {conditions} {order} {limit}
        )
        SELECT found.*, line, outcome
        FROM found LEFT JOIN rounds USING (table_id, shoe, round)
        {order.replace(" ts", " found.ts")}
    """  # noqa: S608 - conditions and order are those above; what the user gave are parameters
    with Store(path).reading() as connection:
        found: pl.DataFrame = connection.sql(sql, params=values).pl()
    return found


@dataclass(frozen=True, slots=True)
class IncidentTotals:
    """What a filter finds in all, however few of them are shown."""

    violations: int
    to_review: int
    notes: int
    given_away: Decimal
    short_changed: Decimal
    unknown: int
    """Violations whose money nobody can tell. All three are about violations alone."""

    @property
    def found(self) -> int:
        return self.violations + self.to_review + self.notes


def incident_totals(path: Path, wanted: IncidentFilter | None = None) -> IncidentTotals:
    """Count everything that a filter finds, whatever its limit, and add up the money both ways."""
    conditions, values = _conditions(wanted or IncidentFilter())
    sql = f"""
        SELECT count(*) FILTER (severity = 'violation'),
               count(*) FILTER (severity = 'review'),
               count(*) FILTER (severity = 'note'),
               coalesce(sum(given_away) FILTER (severity = 'violation'), 0)::DECIMAL(38,2),
               coalesce(sum(short_changed) FILTER (severity = 'violation'), 0)::DECIMAL(38,2),
               count(*) FILTER (severity = 'violation' AND exposure IS NULL)
        FROM standing WHERE {conditions}
    """  # noqa: S608 - as above
    with Store(path).reading() as connection:
        row = connection.sql(sql, params=values).fetchall()[0]
    return IncidentTotals(*row)


def _conditions(wanted: IncidentFilter) -> tuple[str, dict[str, Any]]:
    """Write the conditions of a filter, and give what it names as their parameters."""
    values = {
        name: list(value) if isinstance(value, tuple) else value
        for name in _CONDITIONS
        if (value := getattr(wanted, name)) not in ((), "", None)
    }
    return " AND ".join(_CONDITIONS[name] for name in values) or "true", values
