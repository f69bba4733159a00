"""Questions to the audit database: free SQL that can only read, and incidents by filter.

An investigator's SQL runs in a connection that cannot write, sees no other file and no network,
cannot change a setting, and is stopped after a while. Where the engine works inside one value (the
distance between two texts of a million letters), it looks up only when that is done.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO

import duckdb
import polars as pl
from rich.cells import cell_len

from audit.errors import BadInput, CatwalkError
from audit.findings import Severity
from audit.store import Store

ROWS = 10_000
SECONDS = 60.0
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


class BadQuery(CatwalkError):
    """SQL that is not a question, is wrong, or takes too long."""


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
    nested values come as text.
    """
    _check_text(sql)
    with Store(path).reading() as connection:
        statement = _only_question(connection, sql)
        with _stopped_after(seconds, connection):
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


class Order(StrEnum):
    NEWEST = "newest"
    OLDEST = "oldest"
    MONEY = "money"
    """Most money first, whichever way it went."""
    SUREST = "surest"


_ORDER_BY = {
    Order.NEWEST: "ts DESC NULLS LAST",
    Order.OLDEST: "ts ASC NULLS LAST",
    Order.MONEY: "abs(exposure) DESC NULLS LAST, ts NULLS LAST",
    Order.SUREST: "confidence DESC, ts NULLS LAST",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentFilter:
    """Which findings are wanted. Of several values one has to fit; what is left empty fits all."""

    table: tuple[str, ...] = ()
    dealer: tuple[str, ...] = ()
    bettor: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    family: tuple[str, ...] = ()
    clause: tuple[str, ...] = ()
    """A clause, with those below it: 3.34 is 3.34.1 too."""
    rulebook: tuple[str, ...] = ()
    severity: tuple[Severity, ...] = (Severity.VIOLATION,)
    since: datetime | None = None
    until: datetime | None = None
    """Before this moment."""
    least_exposure: Decimal | None = None
    """At least so much money, whichever way it went."""
    text: str = ""
    """Somewhere in what was expected or observed, in capitals or not."""
    order: Order = Order.NEWEST
    limit: int | None = ROWS

    def __post_init__(self) -> None:
        for moment in (self.since, self.until):
            if moment is not None and moment.tzinfo is None:
                raise BadInput(f"{moment} has no zone: write it like 2026-01-31T06:00+08:00")
        if self.limit is not None and self.limit < 0:
            raise BadInput(f"a limit of {self.limit} rows is not possible")


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
    values = {
        name: list(value) if isinstance(value, tuple) else value
        for name in _CONDITIONS
        if (value := getattr(wanted, name)) not in ((), "", None)
    }
    conditions = " AND ".join(_CONDITIONS[name] for name in values) or "true"
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


class Format(StrEnum):
    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


def format_frame(frame: pl.DataFrame, shape: Format, out: BinaryIO) -> None:
    """Write a frame as aligned text, CSV, a JSON array or Parquet. Money stays exact in all."""
    if shape is Format.TABLE:
        out.write(_aligned(frame).encode())
    elif shape is Format.CSV:
        frame.write_csv(out, datetime_format="%Y-%m-%dT%H:%M:%S%.f%:z")
    elif shape is Format.JSON:
        out.write(frame.write_json().encode() + b"\n")
    else:
        frame.write_parquet(out)


def _aligned(frame: pl.DataFrame) -> str:
    """Lay a frame out for a screen: numbers to the right, one line for each row."""
    columns = [[_shown(series.name), *_cells(series)] for series in frame]
    widths = [max(map(cell_len, column)) for column in columns]
    to_right = [dtype.is_numeric() for dtype in frame.dtypes]
    lines = []
    for row in zip(*columns, strict=True):
        cells = (
            " " * (width - cell_len(cell)) + cell
            if right
            else cell + " " * (width - cell_len(cell))
            for cell, width, right in zip(row, widths, to_right, strict=True)
        )
        lines.append("  ".join(cells).rstrip() + "\n")
    if lines:
        lines.insert(1, "  ".join("─" * width for width in widths) + "\n")
    return "".join(lines)


def _cells(series: pl.Series) -> list[str]:
    if isinstance(series.dtype, pl.Datetime):
        zone = "%:z" if series.dtype.time_zone else ""
        series = series.dt.strftime(f"%Y-%m-%d %H:%M:%S%.f{zone}")
    return ["" if cell is None else _shown(cell) for cell in series.cast(pl.String)]


def _shown(text: str) -> str:
    """Make characters that steer a terminal visible, so that stored text cannot."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
