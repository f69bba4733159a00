"""Simulated nights as files: OUT/inputs with logs and table sheets, and OUT/truth.csv beside it.

Each table is written on its own, so memory stays small however long the nights are. Everything is
made in a hidden folder first and moved to its place when it is whole.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from operator import attrgetter
from pathlib import Path

import polars as pl

from audit.errors import BadInput
from audit.sheet_text import sheet_text
from audit.shoe_rows import CallRow, CardRow, WagerRow
from audit.simulation.log_files import FORMATS, Packing, join_files, write_packed, written
from audit.simulation.night_faults import Planted
from audit.simulation.nights import NightPlan, SimulatedShoe, simulate_table, table_of
from audit.table_sheet import HOME
from audit.workers import worker_pool

UNFINISHED = ".unfinished"
INPUTS, TRUTH = "inputs", "truth.csv"
MOMENT = pl.Datetime("ms", str(HOME))
MONEY = pl.Decimal(18, 2)
CARD_COLUMNS = {
    "ts": MOMENT,
    "round": pl.Int64(),
    "seq": pl.Int64(),
    "card": pl.String(),
    "hand": pl.String(),
    "confidence": pl.Float64(),
    "alternatives": pl.String(),
}
WAGER_COLUMNS = {
    "round": pl.Int64(),
    "box": pl.Int64(),
    "bettor": pl.String(),
    "wager": pl.String(),
    "hand": pl.String(),
    "stake": pl.Int64(),
    "net": pl.Int64(),
    "placed_at": MOMENT,
    "settled_at": MOMENT,
    "on_behalf_of": pl.String(),
}
CALL_COLUMNS = {
    "ts": MOMENT,
    "round": pl.Int64(),
    "call": pl.String(),
    "hand": pl.String(),
    "bettor": pl.String(),
    "value": pl.String(),
}


@dataclass(frozen=True, slots=True)
class NightFiles:
    """How nights are written."""

    format: str = "csv"
    packing: Packing = Packing.NONE
    one_file: bool = False
    """Of each log and night, rather than one for each table."""
    duplicates: float = 0.0
    """So many of 1,000 rows are in their file twice."""

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise BadInput(f"{self.format!r} is no format: there are {' '.join(FORMATS)}")
        if self.format == "parquet" and self.packing is not Packing.NONE:
            raise BadInput("parquet is packed by itself: leave out the packing")
        if not 0 <= self.duplicates <= 1000:
            raise BadInput(f"{self.duplicates:g} of 1,000 rows cannot be there twice")

    def name(self, log: str, table: str | None) -> str:
        stem = log if table is None else f"{log}-{table}"
        return f"{stem}.{self.format}{self.packing.suffix}"


@dataclass(frozen=True, slots=True)
class Written:
    """What came out of it."""

    folder: Path
    tables: int
    rounds: int
    truth: tuple[Planted, ...]

    @property
    def inputs(self) -> Path:
        return self.folder / INPUTS


@dataclass(frozen=True, slots=True)
class _Job:
    plan: NightPlan
    seed: int
    index: int
    files: NightFiles
    folder: Path


@dataclass(frozen=True, slots=True)
class _Done:
    table: str
    rounds: int
    truth: tuple[Planted, ...]


def write_nights(
    plan: NightPlan,
    seed: int,
    folder: Path,
    files: NightFiles,
    *,
    force: bool = False,
    jobs: int = 1,
    step: Callable[[int], None] = lambda tables: None,
) -> Written:
    """Simulate nights and write them into a folder that is empty, or may lose what it holds."""
    _check_folder(folder, force=force)
    draft = folder / UNFINISHED
    try:
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        (draft / INPUTS / "tables").mkdir(parents=True)
        rounds = 0
        truth: list[Planted] = []
        done: list[str] = []
        work = [_Job(plan, seed, index, files, draft / INPUTS) for index in range(plan.tables)]
        with _workers(jobs) as each:
            for table in each(_write_table, work):
                rounds += table.rounds
                truth += table.truth
                done.append(table.table)
                step(1)
        if files.one_file:
            _join_tables(draft / INPUTS, done, files)
        _truth_frame(truth).write_csv(draft / TRUTH)
        _move_into_place(draft, folder)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise BadInput(f"{folder} cannot be written: {reason}") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return Written(folder, plan.tables, rounds, tuple(truth))


Each = Callable[[Callable[[_Job], _Done], Iterable[_Job]], Iterator[_Done]]


@contextmanager
def _workers(jobs: int) -> Iterator[Each]:
    """Give a way to do all jobs, in their order, here or in processes side by side."""
    if jobs == 1:
        yield map
        return
    with worker_pool(jobs) as pool:
        yield pool.map


def _check_folder(folder: Path, *, force: bool) -> None:
    try:
        if not folder.exists():
            return
        held = [path.name for path in folder.iterdir() if path.name != UNFINISHED]
    except OSError as problem:
        reason = problem.strerror or "it cannot be opened"
        raise BadInput(f"{folder} cannot be written: {reason}") from None
    if held and not force:
        raise BadInput(
            f"{folder} is not empty: name another folder, or --force to replace its "
            f"{INPUTS} and {TRUTH}"
        )


def _move_into_place(draft: Path, folder: Path) -> None:
    for name in (INPUTS, TRUTH):
        old = folder / name
        if old.is_dir() and not old.is_symlink():
            shutil.rmtree(old)
        else:
            old.unlink(missing_ok=True)
        (draft / name).rename(old)


# One table


def _write_table(job: _Job) -> _Done:
    table = table_of(job.plan, job.seed, job.index)
    sheet_path = job.folder / "tables" / f"{table.name}.toml"
    sheet_path.write_text(sheet_text(table.sheet), "utf-8")
    rounds = 0
    truth: list[Planted] = []
    tonight: list[SimulatedShoe] = []
    for shoe in simulate_table(job.plan, job.seed, job.index):
        if tonight and tonight[0].night != shoe.night:
            _write_night(tonight, job)
            tonight = []
        tonight.append(shoe)
        rounds += shoe.rounds
        truth += shoe.truth
    _write_night(tonight, job)
    return _Done(table.name, rounds, tuple(truth))


def _write_night(shoes: Sequence[SimulatedShoe], job: _Job) -> None:
    folder = _night_folder(job.folder, shoes[0].night)
    folder.mkdir(exist_ok=True)
    files = job.files
    for log, frame in _frames(shoes, job.plan):
        if frame.is_empty():
            continue
        path = folder / files.name(log, shoes[0].table.name)
        rows = _with_duplicates(frame, files.duplicates, seed=job.index)
        packing = Packing.NONE if files.one_file else files.packing
        write_packed([written(rows, files.format)], path, packing)


def _night_folder(inputs: Path, night: date) -> Path:
    return inputs / f"{night:%Y-%m-%d}"


def _frames(shoes: Sequence[SimulatedShoe], plan: NightPlan) -> Iterator[tuple[str, pl.DataFrame]]:
    sure = not plan.camera.unread and not plan.camera.doubtful
    cards = _frame([(shoe, shoe.rows.cards) for shoe in shoes], CARD_COLUMNS)
    unsure = ["confidence", "alternatives"]
    yield "cards", cards.drop(unsure) if sure else cards
    camera = _frame([(shoe, shoe.camera) for shoe in shoes], CARD_COLUMNS)
    yield "camera", camera.drop(unsure)
    wagers = _frame([(shoe, shoe.rows.wagers) for shoe in shoes], WAGER_COLUMNS)
    cents = Decimal("0.01")
    yield "wagers", wagers.with_columns((pl.col("stake", "net").cast(MONEY) * cents).cast(MONEY))
    yield "calls", _frame([(shoe, shoe.rows.calls) for shoe in shoes], CALL_COLUMNS)


Rows = Sequence[CardRow] | Sequence[WagerRow] | Sequence[CallRow]


def _frame(
    logs: Sequence[tuple[SimulatedShoe, Rows]], columns: dict[str, pl.DataType]
) -> pl.DataFrame:
    rows = [row for _, log in logs for row in log]
    named = {
        "table_id": [shoe.rows.table_id for shoe, log in logs for _ in log],
        "shoe": [shoe.rows.shoe for shoe, log in logs for _ in log],
    }
    values = {name: list(map(attrgetter(name), rows)) for name in columns}
    schema = {"table_id": pl.String(), "shoe": pl.String(), **columns}
    frame = pl.DataFrame({**named, **values}, schema=schema)
    return frame.with_columns(pl.col(pl.String).replace("", None))


def _with_duplicates(frame: pl.DataFrame, share: float, *, seed: int) -> pl.DataFrame:
    again = frame.sample(int(frame.height * share / 1000), seed=seed)
    return pl.concat([frame, again]) if again.height else frame


# All tables of a night in one file


def _join_tables(inputs: Path, tables: Sequence[str], files: NightFiles) -> None:
    for folder in sorted(path for path in inputs.iterdir() if path.name != "tables"):
        for log in ("cards", "camera", "wagers", "calls"):
            parts = [folder / files.name(log, table) for table in tables]
            parts = [part for part in parts if part.exists()]
            if parts:
                join_files(parts, folder / files.name(log, None), files.format, files.packing)
            for part in parts:
                part.unlink()


# The truth


def _truth_frame(truth: Sequence[Planted]) -> pl.DataFrame:
    """Write down each fault: where it is, what it is, and what is to be found of it."""
    texts = {name.name for name in fields(Planted)} - {"round", "clauses", "exposure", "clouded"}
    columns: dict[str, pl.Series] = {
        "round": pl.Series([fault.round for fault in truth], dtype=pl.Int64),
        "clause": pl.Series([" ".join(fault.clauses) or None for fault in truth], dtype=pl.String),
        "exposure": pl.Series([_amount(fault.exposure) for fault in truth], dtype=pl.String),
        "clouded": pl.Series([fault.clouded for fault in truth], dtype=pl.Boolean),
    }
    for name in texts:
        values = [str(getattr(fault, name)) for fault in truth]
        columns[name] = pl.Series(values, dtype=pl.String)
    order = (
        "table_id", "shoe", "round", "what", "code", "severity", "rulebook", "clause", "exposure",
        "clouded",
    )  # fmt: skip
    return pl.DataFrame({name: columns[name] for name in order})


def _amount(cents: int | None) -> str | None:
    return None if cents is None else f"{Decimal(cents) / 100:.2f}"
