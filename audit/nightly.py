"""The audit of a night: files in, findings in the store, every row accounted for.

Tables are audited bucket by bucket, in several processes if asked. A bucket is stored in one
transaction, so a run that is killed can be run again: it goes on with the tables that are missing.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from glob import escape as glob_escape
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Protocol

import polars as pl

from audit.addresses import without_secrets
from audit.batch import Audited, EarlierOrders, audit_bucket
from audit.errors import BadInput
from audit.lost_rows import with_tables
from audit.sheet_text import sheet_text
from audit.shoe_order import SHOES_REMEMBERED
from audit.shoe_rows import ROUND_KEY, SHOE_KEY, STORED, CardRow, ShoeRows
from audit.sources.columns import CALLS, CARDS, WAGERS, Log
from audit.sources.found import Found, find_files
from audit.sources.lost import LOST
from audit.sources.mapping import ColumnMapping
from audit.sources.reading import Intake, read_into
from audit.sources.records import Leftover, Refused
from audit.sources.spool import Bucket, Spool, buckets_for, load_bucket
from audit.store import KnownTable, Run, Store
from audit.table_sheet import TableSheet, plain_sheet
from audit.workers import worker_pool

ONE_SHOE = timedelta(hours=18)
"""When all rows of a shoe are farther than this from what is stored of it, it is another one."""
OF_SEVERAL_LOGS = ("SRC004", "SRC005", "SRC006")
"""Found by comparing logs, of which the store keeps one."""
IN_FLIGHT = 1
"""Buckets that wait beside those that are being audited."""


class Watcher(Protocol):
    """Somebody who wants to know how far it is."""

    def begin(self, what: str, total: int) -> None: ...
    def step(self, count: int) -> None: ...


class Unwatched:
    """Nobody looks."""

    def begin(self, what: str, total: int) -> None: ...
    def step(self, count: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Night:
    """What is audited, and how."""

    inputs: tuple[Path | str, ...]
    mapping: ColumnMapping = field(default_factory=ColumnMapping)
    rulebook: str | None = None
    """For tables that have no sheet."""
    jobs: int = 1
    film_logs: tuple[Path, ...] = ()
    """Card logs that were made of films among the inputs."""
    films: Mapping[Path | str, str | None] = field(default_factory=dict)
    """Films among the inputs that somebody tried to read, and why not; None: there is a log."""


@dataclass(frozen=True, slots=True)
class RunResult:
    run_id: str
    was_done_before: bool


def audit_night(
    night: Night, store: Store, now: datetime, watcher: Watcher | None = None
) -> RunResult:
    """Audit whatever the inputs hold, and store what was found."""
    watcher = watcher or Unwatched()
    found = find_files((*night.inputs, *night.film_logs), night.mapping.path, store.path)
    run_id = run_id_of(found, night)
    if store.finished(run_id):
        store.take_in_log()
        return RunResult(run_id, was_done_before=True)
    with _folder_beside(store.path) as folder:
        spool = Spool(folder, buckets_for(found.logs))
        watcher.begin("reading", sum(_size(path) for path in found.logs))
        intake = read_into(spool, found, night.mapping, lambda path: watcher.step(_size(path)))
        _leave_footage(intake, night.films)
        shoes = spool.shoes()
        sheets = _sheets(intake, shoes, night.rulebook)
        stored = store.stored_shoes(shoes["table_id"].unique().to_list())
        _check_names(shoes, stored.filter(pl.col("run_id") != run_id))
        store.write_tables(
            KnownTable(sheet.table, sheet.timezone.key, sheet_text(sheet))
            for sheet in sheets.values()
        )
        store.begin_run(
            Run(run_id, now, version("catwalk"), "\n".join(map(without_secrets, night.inputs))),
            _unused(intake.refused, intake.left_over),
        )
        lost = _lost(intake, spool)
        work = list(_work(run_id, spool.on_disk(), shoes, sheets, stored, lost))
        watcher.begin("judging", shoes.height)
        watcher.step(shoes.height - sum(one.shoes for one in work))
        for done, audited in _audited(work, night.jobs, store):
            store.write_shoes([audited.batch], _unused((), audited.left_over))
            watcher.step(done.shoes)
    store.finish_run(run_id, read=intake.read, at=now)
    return RunResult(run_id, was_done_before=False)


@contextmanager
def _folder_beside(database: Path) -> Iterator[Path]:
    """Make a folder for rows on their way, where the database has room, and leave none behind.

    What a killed run left there is removed by the next one.
    """
    if not database.parent.is_dir():
        raise BadInput(f"{database} cannot be made: there is no folder {database.parent}")
    prefix = f".{database.name}.rows-"
    for left in database.parent.glob(f"{glob_escape(prefix)}*"):
        pid = left.name.removeprefix(prefix).partition("-")[0]
        if pid.isdecimal() and not _is_running(int(pid)):
            shutil.rmtree(left, ignore_errors=True)
    try:
        folder = tempfile.TemporaryDirectory(prefix=f"{prefix}{os.getpid()}-", dir=database.parent)
    except OSError as problem:
        reason = problem.strerror or "no folder can be made there"
        raise BadInput(f"{database.parent} cannot be written: {reason}") from None
    with folder as name:
        yield Path(name)


def _is_running(pid: int) -> bool:
    """Tell whether a process is there; where that cannot be asked, take it that it is."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _size(path: Path) -> int:
    return path.stat().st_size


def run_id_of(found: Found, night: Night) -> str:
    """Name a run by what is in its inputs and what else decides its findings."""
    whole = hashlib.blake2b(digest_size=8)
    whole.update(repr((version("catwalk"), replace(night.mapping, path=None))).encode())
    whole.update(repr(night.rulebook).encode())
    digests = set()
    for path in (*found.logs, *found.sheets):
        with path.open("rb") as file:
            digests.add(f"{path.name} {hashlib.file_digest(file, 'blake2b').hexdigest()}")
    whole.update("\n".join(sorted(digests)).encode())
    refused = sorted(f"{film}: {why}" for film, why in night.films.items() if why)
    if refused:
        whole.update(repr(refused).encode())
    return whole.hexdigest()


def _leave_footage(intake: Intake, tried: Mapping[Path | str, str | None]) -> None:
    for film in intake.footage:
        if film not in tried:
            why = "it is footage: `catwalk read` makes a card log of it, which can be audited"
            intake.left_over.append(Leftover(without_secrets(film), 0, why))
        elif problem := tried[film]:
            intake.refused.append(Refused(without_secrets(film), 0, "", "", problem))


def _sheets(intake: Intake, shoes: pl.DataFrame, rulebook: str | None) -> dict[str, TableSheet]:
    """Give every table its sheet: its own, or a plain one by the rulebook that was named."""
    sheets = dict(intake.sheets)
    if rulebook is not None:
        for table in shoes["table_id"].unique().sort():
            sheets.setdefault(table, plain_sheet(rulebook, table=table))
    return sheets


def _check_names(shoes: pl.DataFrame, stored: pl.DataFrame) -> None:
    """Refuse shoes that have the name of another one, dealt on another day, before any harm."""
    same = shoes.join(stored, on=SHOE_KEY).drop_nulls(["first", "first_ts"])
    apart = same.filter(
        (pl.col("first") - pl.col("last_ts") > ONE_SHOE)
        | (pl.col("first_ts") - pl.col("last") > ONE_SHOE)
    )
    for table, shoe, now, before in apart.select(*SHOE_KEY, "first", "first_ts").head(1).rows():
        raise BadInput(
            f"shoe {shoe} of table {table} was dealt on {before:%d %B %Y} already, and these "
            f"inputs have one of that name on {now:%d %B %Y}: name shoes so that no two of a "
            "table are alike, for instance with the day"
        )


def _unused(refused: Sequence[Refused], left_over: Sequence[Leftover]) -> pl.DataFrame:
    columns = ("source", "row", "column_name", "value", "why", "refused")
    rows = [
        *((one.source, one.row, one.column, one.value, one.why, True) for one in refused),
        *((one.source, one.row, None, None, one.why, False) for one in left_over),
    ]
    types = (pl.String, pl.Int64, pl.String, pl.String, pl.String, pl.Boolean)
    return pl.DataFrame(rows, schema=dict(zip(columns, types, strict=True)), orient="row")


# Work for one process


@dataclass(frozen=True, slots=True)
class _Work:
    """The tables of a bucket, with what the store knows of them."""

    run_id: str
    paths: tuple[Path, ...]
    shoes: int
    tables: tuple[str, ...]
    sheets: Mapping[str, TableSheet]
    begun_before: pl.DataFrame
    """Shoes of these tables that an earlier run has stored, and this one has rows of, too."""
    earlier: pl.DataFrame
    """The last shoes of these tables before this night."""
    lost: pl.DataFrame
    """Rows of these tables that cannot be used."""


def _work(
    run_id: str,
    buckets: Sequence[tuple[Path, ...]],
    shoes: pl.DataFrame,
    sheets: Mapping[str, TableSheet],
    stored: pl.DataFrame,
    lost: pl.DataFrame,
) -> Iterator[_Work]:
    """Divide what is not stored yet into pieces that are audited and stored at once."""
    ours = stored.filter(pl.col("run_id") == run_id)
    done = ours["table_id"].unique()
    others = stored.filter(pl.col("run_id") != run_id)
    began = shoes.group_by("table_id").agg(pl.col("first").min())
    before = (
        others.join(shoes, on=SHOE_KEY, how="anti")
        .join(began, on="table_id")
        .filter(pl.col("last_ts") < pl.col("first"))
        .sort("first_ts")
        .group_by("table_id", maintain_order=True)
        .tail(SHOES_REMEMBERED)
    )
    for number, paths in enumerate(buckets):
        here = shoes.filter(pl.col("bucket") == number).remove(
            pl.col("table_id").is_in(done.implode())
        )
        if here.is_empty():
            continue
        tables = tuple(here["table_id"].unique().sort())
        yield _Work(
            run_id,
            paths,
            here.height,
            tables,
            {table: sheets[table] for table in tables if table in sheets},
            others.join(here, on=SHOE_KEY, how="semi"),
            before.filter(pl.col("table_id").is_in(tables)),
            lost.filter(pl.col("table_id").is_in(tables)),
        )


def _lost(intake: Intake, spool: Spool) -> pl.DataFrame:
    """Give the rows that cannot be used, each at the tables that it may be of."""
    lost = pl.concat([pl.DataFrame(schema=LOST), *intake.lost])
    return lost if lost.is_empty() else with_tables(lost, spool.shoes_of_files())


def _audited(work: Sequence[_Work], jobs: int, store: Store) -> Iterator[tuple[_Work, Audited]]:
    """Audit piece by piece, in so many processes, and give each piece when it is done."""
    if jobs == 1 or len(work) == 1:
        for one in work:
            yield one, _audit(one, *_known_before(one, store))
        return
    waiting = iter(work)
    running: dict[Future[Audited], _Work] = {}
    with worker_pool(jobs) as pool:
        while True:
            for one in islice(waiting, jobs + IN_FLIGHT - len(running)):
                running[pool.submit(_audit, one, *_known_before(one, store))] = one
            if not running:
                return
            ready, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in ready:
                yield running.pop(future), future.result()


def _known_before(one: _Work, store: Store) -> tuple[dict[str, pl.DataFrame], EarlierOrders]:
    rows = {} if one.begun_before.is_empty() else store.rows_of(one.begun_before)
    return rows, {} if one.earlier.is_empty() else _earlier(store.orders_of(one.earlier))


def _earlier(orders: pl.DataFrame) -> EarlierOrders:
    """Put the cards of earlier shoes together again, table by table."""
    earlier: dict[str, list[ShoeRows]] = {}
    for part in orders.partition_by(SHOE_KEY, maintain_order=True):
        table, shoe = part.select(SHOE_KEY).row(0)
        columns = ("round", "seq", "card", "hand", "ts")
        cards = tuple(CardRow(*row) for row in part.select(columns).iter_rows())
        earlier.setdefault(table, []).append(ShoeRows(table, shoe, cards))
    return earlier


def _audit(one: _Work, stored: Mapping[str, pl.DataFrame], earlier: EarlierOrders) -> Audited:
    bucket = replace(_only(load_bucket(one.paths), one.tables), lost=one.lost)
    if not stored:
        return audit_bucket(one.run_id, bucket, one.sheets, earlier)
    told_of = bucket.cards.select(ROUND_KEY)
    kept = stored["findings"].filter(pl.col("code").is_in(OF_SEVERAL_LOGS))
    kept = kept.join(told_of, on=ROUND_KEY, how="anti")
    return audit_bucket(one.run_id, _with_stored(bucket, stored), one.sheets, earlier, kept)


def _only(bucket: Bucket, tables: Iterable[str]) -> Bucket:
    wanted = pl.col("table_id").is_in(list(tables))
    return replace(
        bucket,
        cards=bucket.cards.filter(wanted),
        wagers=bucket.wagers.filter(wanted),
        calls=bucket.calls.filter(wanted),
    )


def _with_stored(bucket: Bucket, stored: Mapping[str, pl.DataFrame]) -> Bucket:
    """Add what an earlier run stored of these shoes: of rounds that the new rows do not tell of."""

    def added(log: Log, rows: pl.DataFrame, told_by: list[str]) -> pl.DataFrame:
        old = stored[log.frame].join(rows, on=told_by, how="anti", nulls_equal=True)
        money = [(pl.col(name) * 100).cast(pl.Int64) for name in ("stake", "net") if log is WAGERS]
        named = old.with_columns(*money, source=pl.lit(STORED), row=pl.int_range(pl.len()))
        fitting = named.select(pl.col(name).cast(dtype) for name, dtype in log.schema.items())
        return pl.concat([rows, fitting])

    return replace(
        bucket,
        cards=added(CARDS, bucket.cards, [*SHOE_KEY, "seq"]),
        wagers=added(WAGERS, bucket.wagers, ROUND_KEY),
        calls=added(CALLS, bucket.calls, ROUND_KEY),
    )
