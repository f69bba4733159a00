"""Files and folders in, typed frames and an account of every row out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import polars as pl

from audit.errors import BadInput, BadTableSheet
from audit.sources.columns import CALLS, CARDS, LOGS, WAGERS, Log
from audit.sources.delimited import read_delimited
from audit.sources.duplicates import without_duplicates
from audit.sources.found import Found, find_files
from audit.sources.json_lines import read_json_lines
from audit.sources.layout import Layout
from audit.sources.lines import Lines
from audit.sources.mapping import ColumnMapping
from audit.sources.parquet import MAGIC, read_parquet
from audit.sources.records import Leftover, Piece, Refused, Sources, Unreadable
from audit.sources.rows import Reading, typed
from audit.sources.unpacking import Content, opened
from audit.table_sheet import TableSheet, load_table_sheet

GREATEST_SHEET = 1 << 20
GREATEST_REFUSED = 2_000_000
"""A file with more rows that cannot be used is not worth a sentence on each of them."""


class Sink(Protocol):
    """Where typed rows go. Those of a file count once it was read to its end."""

    def take(self, log: Log, rows: pl.DataFrame) -> None: ...
    def keep(self) -> None: ...
    def drop(self) -> None: ...


@dataclass(slots=True)
class Intake:
    """What was handed over besides the rows: sheets, footage, and the account so far."""

    sheets: Mapping[str, TableSheet]
    footage: tuple[Path | str, ...]
    refused: list[Refused]
    left_over: list[Leftover]
    read: dict[str, int] = field(default_factory=dict)
    """Rows of each log, by its file; a file that was refused as a whole is not among them."""
    lost: list[pl.DataFrame] = field(default_factory=list)
    """What is still known of rows that cannot be used, piece by piece."""


def read_into(
    sink: Sink,
    found: Found,
    mapping: ColumnMapping,
    on_read: Callable[[Path], None] = lambda path: None,
) -> Intake:
    """Read the files that were found, and hand their rows to a sink, piece by piece.

    Nothing that is in a file can make this fail: a row or a file that cannot be used is `refused`
    with a sentence. Only two table sheets that contradict each other are an error.
    """
    refused, left_over = list(found.refused), list(found.left_over)
    sheets = _sheets(found.sheets, refused, left_over)
    intake = Intake(sheets, found.footage, refused, left_over)
    reading = Reading(mapping, {table: sheet.timezone for table, sheet in sheets.items()})
    for path in found.logs:
        try:
            _read_log(path, reading, sink, intake)
        except Unreadable as problem:
            sink.drop()
            why = str(problem)
            refused.append(Refused(str(path), 0, problem.column, problem.value, why))
        on_read(path)
    return intake


def read_sources(paths: Sequence[Path | str], mapping: ColumnMapping | None = None) -> Sources:
    """Read whatever these files, folders and addresses hold, all at once.

    A path that does not exist is an error, too.
    """
    mapping = mapping or ColumnMapping()
    memory = _Memory()
    intake = read_into(memory, find_files(paths, mapping.path), mapping)
    frames = {log.frame: memory.frame(log, intake) for log in LOGS}
    return Sources(
        cards=frames[CARDS.frame],
        wagers=frames[WAGERS.frame],
        calls=frames[CALLS.frame],
        sheets=intake.sheets,
        footage=intake.footage,
        refused=tuple(intake.refused),
        left_over=tuple(intake.left_over),
        read=intake.read,
    )


@dataclass(slots=True)
class _Memory:
    rows: dict[str, list[pl.DataFrame]] = field(default_factory=dict)
    waiting: list[tuple[Log, pl.DataFrame]] = field(default_factory=list)

    def take(self, log: Log, rows: pl.DataFrame) -> None:
        self.waiting.append((log, rows))

    def keep(self) -> None:
        for log, rows in self.waiting:
            self.rows.setdefault(log.frame, []).append(rows)
        self.waiting.clear()

    def drop(self) -> None:
        self.waiting.clear()

    def frame(self, log: Log, intake: Intake) -> pl.DataFrame:
        rows = pl.concat([pl.DataFrame(schema=log.schema), *self.rows.get(log.frame, [])])
        rows, duplicates = without_duplicates(rows, log)
        intake.left_over.extend(duplicates)
        return rows


def _read_log(path: Path, reading: Reading, sink: Sink, intake: Intake) -> None:
    """Read one log wholly; when it breaks off halfway, nothing of it is used."""
    source, read = str(path), 0
    refused: list[Refused] = []
    left_over: list[Leftover] = []
    lost: list[pl.DataFrame] = []
    try:
        with opened(path) as content:
            layout, pieces = _pieces(content, reading.mapping)
            for piece in pieces:
                part = typed(piece, layout.log, source, reading)
                read += piece.read
                sink.take(layout.log, part.rows)
                refused.extend(part.refused)
                left_over.extend(part.left_over)
                lost.extend(part.lost)
                _check_refused(refused)
    except MemoryError:
        raise Unreadable("it does not fit into memory: split it into several files") from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as problem:
        raise Unreadable(f"it cannot be read: {str(problem).splitlines()[0]}") from None
    sink.keep()
    intake.read[source] = read
    intake.refused.extend(sorted(refused, key=lambda one: one.row))
    intake.left_over.extend(left_over)
    intake.lost.extend(lost)


def _check_refused(refused: Sequence[Refused]) -> None:
    if len(refused) > GREATEST_REFUSED:
        first = refused[0]
        raise Unreadable(
            f"more than {GREATEST_REFUSED:,} of its rows cannot be used, "
            f"the first is row {first.row}: {first.why}",
            column=first.column,
            value=first.value,
        )


def _pieces(content: Content, mapping: ColumnMapping) -> tuple[Layout, Iterator[Piece]]:
    """Tell a format by how it begins, whatever the file is called."""
    if content.peek(len(MAGIC)) == MAGIC:
        return read_parquet(content.read_all(), mapping)
    lines = Lines(content)
    if lines.first_line().lstrip().startswith(("{", "[")):
        return read_json_lines(lines, mapping)
    return read_delimited(lines, mapping)


def _sheets(
    paths: Sequence[Path], refused: list[Refused], left_over: list[Leftover]
) -> dict[str, TableSheet]:
    sheets: dict[str, TableSheet] = {}
    first: dict[str, Path] = {}
    for path in paths:
        try:
            if path.stat().st_size > GREATEST_SHEET:
                raise BadTableSheet(f"{path} is longer than {GREATEST_SHEET >> 10} KiB")
            sheet = load_table_sheet(path)
        except (BadTableSheet, OSError) as problem:
            why = str(problem).replace(str(path), "the sheet", 1)
            refused.append(Refused(str(path), 0, "", "", why))
            continue
        if sheet.table not in sheets:
            sheets[sheet.table] = sheet
            first[sheet.table] = path
        elif sheets[sheet.table] == sheet:
            why = f"it says the same of table {sheet.table} as {first[sheet.table]}"
            left_over.append(Leftover(str(path), 0, why))
        else:
            raise BadInput(
                f"{first[sheet.table]} and {path} are two different sheets of table {sheet.table}"
            )
    return sheets
