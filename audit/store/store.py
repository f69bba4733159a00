"""The audit database: the only place that writes to it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

import duckdb
import polars as pl
import polars.selectors as cs

from audit.errors import BadInput
from audit.store import versions
from audit.store.batch import Rows, ShoeBatch, fitted, frame_schema, joined
from audit.store.errors import BadStore, StoreBusy
from audit.store.opening import log_beside, only_writer, opened
from audit.store.reviews import (
    NO_HASH,
    ChainCheck,
    Opinion,
    Review,
    check_chain,
    check_review,
    facts_hash,
)
from audit.store.schema import (
    CALLS,
    CARDS,
    FINDINGS,
    OF_A_RUN,
    OF_A_SHOE,
    SHOES,
    UNUSED_ROWS,
    WAGERS,
)

PATIENCE = 30.0
"""Seconds to wait while another program has the file."""


@dataclass(frozen=True, slots=True)
class Run:
    """One audit. Its id is a hash of the inputs and the version: the same run again is the same."""

    run_id: str
    started_at: datetime
    catwalk_version: str
    inputs: str

    def __post_init__(self) -> None:
        _check_zone(self.started_at)


@dataclass(frozen=True, slots=True)
class KnownTable:
    """A gaming table with the text of its sheet."""

    table_id: str
    timezone: str
    sheet: str


class Store:
    """One DuckDB file. Every method opens it, does one thing in one transaction, and closes it."""

    def __init__(self, path: Path, *, patience: float = PATIENCE) -> None:
        self.path = path.resolve()
        self.patience = patience

    @contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open for reading, on the clock of the tables where all of them share one."""
        with opened(self.path, read_only=True, patience=self.patience) as connection:
            versions.check(connection, self.path)
            zones = connection.execute("SELECT DISTINCT timezone FROM tables LIMIT 2").fetchall()
            zone = zones[0][0] if len(zones) == 1 else "UTC"
            connection.execute("SET TimeZone = ?", [zone])
            yield connection

    @contextmanager
    def writing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open for writing; a missing file is made, an older one upgraded. All or nothing."""
        with only_writer(self.path, self.patience):
            if not self.path.exists():
                versions.create(self.path)
            with opened(self.path, read_only=False, patience=self.patience) as connection:
                versions.upgrade(connection, self.path)
                connection.begin()
                yield connection
                connection.commit()

    def prepare(self) -> None:
        """Make the file if it is not there, and upgrade it if it is older."""
        with self.writing():
            pass

    def take_in_log(self) -> None:
        """Take what a killed process left in the log beside the file into the file, if it can be.

        Nothing depends on it: whoever reads the file reads its log as well.
        """
        if log_beside(self.path).exists():
            with suppress(BadStore, StoreBusy):
                self.prepare()

    def begin_run(self, run: Run, unused: pl.DataFrame | None = None) -> None:
        """Note that a run has begun, and the rows that it cannot use from the outset.

        The same run begun again stays as it was.
        """
        rows = _unused_rows(run.run_id, unused)
        with self.writing() as connection:
            known = connection.execute("SELECT 1 FROM runs WHERE run_id = ?", [run.run_id])
            if known.fetchall():
                return
            connection.execute(
                "INSERT INTO runs (run_id, started_at, catwalk_version, inputs) "
                "VALUES (?, ?, ?, ?)",
                [run.run_id, run.started_at, run.catwalk_version, run.inputs],
            )
            _insert(connection, "unused_rows", rows)

    def finish_run(self, run_id: str, *, read: Mapping[str, int], at: datetime) -> None:
        """Note what a run came to, and what became of the rows that it read, by file.

        A run that was finished before stays as it was.
        """
        _check_zone(at)
        files = pl.DataFrame(
            {"source": read.keys(), "read": read.values()},
            schema={"source": pl.String, "read": pl.Int64},
        )
        with self.writing() as connection:
            connection.register("files", files)
            unfinished = connection.execute(
                "SELECT 1 FROM runs WHERE run_id = ? AND finished_at IS NULL", [run_id]
            )
            if not unfinished.fetchall():
                return
            connection.execute(_ACCOUNT_FOR_ROWS, [run_id, run_id])
            connection.execute(_FINISH, {"run": run_id, "at": at})

    def finished(self, run_id: str) -> bool:
        """Tell whether a run was carried to its end."""
        if not self.path.exists():
            return False
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT 1 FROM runs WHERE run_id = ? AND finished_at IS NOT NULL", [run_id]
            ).fetchall()
        return bool(rows)

    def write_tables(self, tables: Iterable[KnownTable]) -> None:
        """Store the sheets of tables, in place of older ones."""
        rows = [[table.table_id, table.timezone, table.sheet] for table in tables]
        if not rows:
            return
        with self.writing() as connection:
            for zone in sorted({zone for _, zone, _ in rows}):
                _check_clock(connection, zone)
            connection.executemany("INSERT OR REPLACE INTO tables VALUES (?, ?, ?)", rows)

    def write_shoe(self, batch: ShoeBatch) -> None:
        """Store one batch in place of whatever its shoes held before."""
        self.write_shoes([batch])

    def write_shoes(self, batches: Sequence[ShoeBatch], unused: pl.DataFrame | None = None) -> None:
        """Store batches in one transaction: all of their shoes, or none if it is cut short.

        `unused` are rows of the same run's inputs that were not used in them.
        """
        if not batches:
            return
        rows = joined(batches)
        unused_rows = _unused_rows(batches[0].run_id, unused)
        with self.writing() as connection:
            _replace(connection, rows)
            _insert(connection, "unused_rows", unused_rows)

    def stored_shoes(self, tables: Sequence[str]) -> pl.DataFrame:
        """Give the shoes of some tables that are stored, each with the run that audited it last."""
        if not self.path.exists():
            return pl.DataFrame(schema=frame_schema(SHOES))
        with self.reading() as connection:
            stored: pl.DataFrame = connection.sql(
                "SELECT * FROM shoes WHERE table_id = ANY($tables) ORDER BY ALL",
                params={"tables": list(tables)},
            ).pl()
        return _in_utc(stored)

    def rows_of(self, shoes: pl.DataFrame) -> dict[str, pl.DataFrame]:
        """Give what is stored of shoes but their rounds; they are named by table and shoe."""
        with self.reading() as connection:
            connection.register("wanted", shoes.select("table_id", "shoe"))
            return {
                table.name: _in_utc(connection.sql(_ROWS_OF_SHOES[table.name]).pl())
                for table in (CARDS, WAGERS, CALLS, FINDINGS)
            }

    def orders_of(self, shoes: pl.DataFrame) -> pl.DataFrame:
        """Give the cards of shoes with their rounds, oldest shoe first.

        The moments of the shoes tell the engine where to look.
        """
        with self.reading() as connection:
            connection.register("wanted", shoes.select("table_id", "shoe", "first_ts"))
            params = {"since": shoes["first_ts"].min(), "until": shoes["last_ts"].max()}
            orders: pl.DataFrame = connection.sql(_ORDERS_OF_SHOES, params=params).pl()
        return _in_utc(orders)

    def add_review(
        self, finding_id: str, reviewer: str, verdict: Opinion, reason: str, at: datetime
    ) -> Review:
        """Add what a person made of a finding to the chain of reviews."""
        check_review(reviewer, verdict, reason, at)
        with self.writing() as connection:
            facts = _facts(connection, [finding_id]).get(finding_id)
            if facts is None:
                raise BadInput(f"there is no finding {finding_id!r} to review")
            last = connection.execute(
                "SELECT review_id, hash FROM reviews ORDER BY review_id DESC LIMIT 1"
            ).fetchall()
            number, previous = last[0] if last else (0, NO_HASH)
            draft = Review(
                number + 1, finding_id, reviewer, at, str(verdict), reason, facts, previous, ""
            )
            review = _sealed(draft)
            values = [getattr(review, part.name) for part in fields(review)]
            connection.execute("INSERT INTO reviews VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        return review

    def reviews(self) -> list[Review]:
        """Give all reviews in the order of their numbers."""
        with self.reading() as connection:
            rows = connection.sql("SELECT * FROM reviews ORDER BY review_id").pl()
        return [Review(**row) for row in rows.iter_rows(named=True)]

    def verify_reviews(self, *, known_hash: str | None = None) -> ChainCheck:
        """Check that no review was altered, removed or moved since it was written."""
        return check_chain(self.reviews(), known_hash)

    def changed_since_review(self) -> list[str]:
        """Give the findings that no longer say what their last reviewer saw."""
        seen = {review.finding_id: review.facts_hash for review in self.reviews()}
        with self.reading() as connection:
            now = _facts(connection, list(seen))
        return sorted(finding for finding, facts in seen.items() if now.get(finding) != facts)


def _in_utc(frame: pl.DataFrame) -> pl.DataFrame:
    """Give moments as frames of rows have them, whatever clock the connection is on."""
    return frame.with_columns(cs.datetime(time_zone="*").dt.convert_time_zone("UTC"))


def _unused_rows(run_id: str, unused: pl.DataFrame | None) -> pl.DataFrame:
    if unused is None or unused.is_empty():
        return fitted(pl.DataFrame(), UNUSED_ROWS)
    return fitted(unused.with_columns(run_id=pl.lit(run_id)), UNUSED_ROWS)


def _check_zone(moment: datetime) -> None:
    if moment.tzinfo is None:
        raise TypeError(f"{moment} has no zone")


def _check_clock(connection: duckdb.DuckDBPyConnection, zone: str) -> None:
    """Refuse a zone that the engine cannot reckon in: every question would fail on it."""
    known = connection.execute("SELECT 1 FROM pg_timezone_names() WHERE name = ?", [zone])
    if not known.fetchall():
        raise BadInput(f"the audit database does not know the timezone {zone!r}")


def _sealed(draft: Review) -> Review:
    values = {part.name: getattr(draft, part.name) for part in fields(draft)}
    return Review(**{**values, "hash": draft.right_hash})


def _facts(connection: duckdb.DuckDBPyConnection, findings: list[str]) -> dict[str, str]:
    """Hash what findings say, apart from which run said it last and whether it was withdrawn."""
    columns = [c.name for c in FINDINGS.columns if c.name not in {"run_id", "withdrawn"}]
    rows = connection.sql(
        "SELECT * EXCLUDE (run_id, withdrawn) FROM findings WHERE finding_id = ANY($findings)",
        params={"findings": findings},
    ).pl()
    return {row[0]: facts_hash(row) for row in rows.select(columns).iter_rows()}


def _replace(connection: duckdb.DuckDBPyConnection, rows: Rows) -> None:
    """Put rows in place of whatever their shoes held before."""
    connection.register("new_shoes", rows.shoes)
    connection.register("new_findings", rows.findings)
    known = connection.execute(
        "SELECT shoe FROM shoes SEMI JOIN new_shoes USING (table_id, shoe) LIMIT 1"
    ).fetchall()
    if known:
        _forget(connection)
    _insert(connection, "shoes", rows.shoes)
    for table, frame in zip(OF_A_SHOE, rows.of_a_shoe, strict=True):
        _insert(connection, table.name, frame)
    _check_findings(connection)
    _insert(connection, "findings", rows.findings)


def _check_findings(connection: duckdb.DuckDBPyConnection) -> None:
    """Refuse a finding that is there still, now that those of its own shoe are forgotten."""
    there = connection.execute(
        "SELECT finding_id, shoe FROM findings SEMI JOIN new_findings USING (finding_id) LIMIT 1"
    ).fetchall()
    if there:
        finding, shoe = there[0]
        raise BadInput(f"finding {finding} is stored for another shoe already, {shoe}")


_SAME_SHOE = "old.table_id = new_shoes.table_id AND old.shoe = new_shoes.shoe"
# Names of tables cannot be parameters; here they come from the schema and never from an input.
_FORGET = {
    name: f"DELETE FROM {name} AS old USING new_shoes WHERE {_SAME_SHOE}"  # noqa: S608
    for name in ("shoes", *(table.name for table in OF_A_SHOE))
}
_FORGET_FINDINGS = f"""
    DELETE FROM findings AS old USING new_shoes WHERE {_SAME_SHOE} AND (
        finding_id NOT IN (SELECT finding_id FROM reviews)
        OR finding_id IN (SELECT finding_id FROM new_findings)
    )
"""  # noqa: S608
_WITHDRAW_THE_REST = f"""
    UPDATE findings AS old SET withdrawn = true FROM new_shoes WHERE {_SAME_SHOE}
"""  # noqa: S608
_INSERT = {
    name: f"INSERT INTO {name} BY NAME SELECT * FROM new_rows"  # noqa: S608
    for name in (*_FORGET, "findings", *(table.name for table in OF_A_RUN))
}
_ROWS_OF_SHOES = {
    table.name: f"SELECT * FROM {table.name} SEMI JOIN wanted USING (table_id, shoe)"  # noqa: S608
    for table in (CARDS, WAGERS, CALLS, FINDINGS)
}
_ORDERS_OF_SHOES = """
    SELECT table_id, shoe, round, seq, card, hand, ts
    FROM cards JOIN wanted USING (table_id, shoe)
    WHERE ts BETWEEN $since AND $until
    ORDER BY table_id, first_ts, shoe, seq
"""
_ACCOUNT_FOR_ROWS = """
    INSERT INTO inputs BY NAME
    SELECT ? AS run_id, source, read, read - ifnull(left_over, 0) - ifnull(refused, 0) AS used,
           ifnull(left_over, 0) AS left_over, ifnull(refused, 0) AS refused
    FROM files LEFT JOIN (
        SELECT source, count(*) FILTER (NOT refused) AS left_over,
               count(*) FILTER (refused) AS refused
        FROM unused_rows WHERE run_id = ? AND "row" > 0 GROUP BY source
    ) USING (source)
"""
OF_THE_RUN = (
    "SEMI JOIN (SELECT table_id, shoe FROM shoes WHERE run_id = $run) USING (table_id, shoe)"
)
_FINISH = f"""
    UPDATE runs SET
        rounds = (SELECT count(*) FROM rounds {OF_THE_RUN}),
        findings = (SELECT count(*) FROM findings {OF_THE_RUN} WHERE NOT withdrawn),
        finished_at = $at
    WHERE run_id = $run
"""  # noqa: S608


def _forget(connection: duckdb.DuckDBPyConnection) -> None:
    """Forget the shoes that come anew. A finding that was reviewed stays, as withdrawn."""
    for statement in (*_FORGET.values(), _FORGET_FINDINGS, _WITHDRAW_THE_REST):
        connection.execute(statement)


def _insert(connection: duckdb.DuckDBPyConnection, name: str, frame: pl.DataFrame) -> None:
    connection.register("new_rows", frame)
    connection.execute(_INSERT[name])
    connection.unregister("new_rows")
