"""Files and folders in, typed frames and an account of every row out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from audit.errors import BadInput, BadTableSheet
from audit.sources.columns import CALLS, CARDS, LOGS, WAGERS, Log
from audit.sources.delimited import read_delimited
from audit.sources.duplicates import without_duplicates
from audit.sources.found import find_files
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


def read_sources(paths: Sequence[Path | str], mapping: ColumnMapping | None = None) -> Sources:
    """Read whatever these files, folders and addresses hold.

    Nothing that is in a file can make this fail: a row or a file that cannot be used is `refused`
    with a sentence. Only a path that does not exist, and two table sheets that contradict each
    other, are errors.
    """
    mapping = mapping or ColumnMapping()
    found = find_files(paths, mapping.path)
    gathered = _Gathered(list(found.refused), list(found.left_over))
    sheets = _sheets(found.sheets, gathered)
    zones = {table: sheet.timezone for table, sheet in sheets.items()}
    for path in found.logs:
        try:
            gathered.take(_read_log(path, Reading(mapping, zones)))
        except Unreadable as problem:
            why = str(problem)
            gathered.refused.append(Refused(str(path), 0, problem.column, problem.value, why))
    frames = {log.frame: gathered.frame(log) for log in LOGS}
    return Sources(
        cards=frames[CARDS.frame],
        wagers=frames[WAGERS.frame],
        calls=frames[CALLS.frame],
        sheets=sheets,
        footage=found.footage,
        refused=tuple(gathered.refused),
        left_over=tuple(gathered.left_over),
        read=gathered.read,
    )


@dataclass(slots=True)
class _OneLog:
    source: str
    log: Log
    read: int = 0
    rows: list[pl.DataFrame] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    left_over: list[Leftover] = field(default_factory=list)


@dataclass(slots=True)
class _Gathered:
    refused: list[Refused]
    left_over: list[Leftover]
    read: dict[str, int] = field(default_factory=dict)
    rows: dict[str, list[pl.DataFrame]] = field(default_factory=dict)

    def take(self, one: _OneLog) -> None:
        self.read[one.source] = one.read
        self.rows.setdefault(one.log.frame, []).extend(one.rows)
        self.refused.extend(sorted(one.refused, key=lambda refused: refused.row))
        self.left_over.extend(one.left_over)

    def frame(self, log: Log) -> pl.DataFrame:
        empty = pl.DataFrame(schema=log.schema)
        rows = pl.concat([empty, *self.rows.get(log.frame, [])])
        rows, duplicates = without_duplicates(rows, log)
        self.left_over.extend(duplicates)
        return rows


def _read_log(path: Path, reading: Reading) -> _OneLog:
    """Read one log wholly; when it breaks off halfway, nothing of it is used."""
    try:
        with opened(path) as content:
            layout, pieces = _pieces(content, reading.mapping)
            one = _OneLog(str(path), layout.log)
            for piece in pieces:
                part = typed(piece, layout.log, one.source, reading)
                one.read += piece.read
                one.rows.append(part.rows)
                one.refused.extend(part.refused)
                one.left_over.extend(part.left_over)
                if len(one.refused) > GREATEST_REFUSED:
                    first = one.refused[0]
                    raise Unreadable(
                        f"more than {GREATEST_REFUSED:,} of its rows cannot be used, "
                        f"the first is row {first.row}: {first.why}",
                        column=first.column,
                        value=first.value,
                    )
            return one
    except MemoryError:
        raise Unreadable("it does not fit into memory: split it into several files") from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as problem:
        raise Unreadable(f"it cannot be read: {str(problem).splitlines()[0]}") from None


def _pieces(content: Content, mapping: ColumnMapping) -> tuple[Layout, Iterator[Piece]]:
    """Tell a format by how it begins, whatever the file is called."""
    if content.peek(len(MAGIC)) == MAGIC:
        return read_parquet(content.read_all(), mapping)
    lines = Lines(content)
    if lines.first_line().lstrip().startswith(("{", "[")):
        return read_json_lines(lines, mapping)
    return read_delimited(lines, mapping)


def _sheets(paths: Sequence[Path], gathered: _Gathered) -> dict[str, TableSheet]:
    sheets: dict[str, TableSheet] = {}
    first: dict[str, Path] = {}
    for path in paths:
        try:
            if path.stat().st_size > GREATEST_SHEET:
                raise BadTableSheet(f"{path} is longer than {GREATEST_SHEET >> 10} KiB")
            sheet = load_table_sheet(path)
        except (BadTableSheet, OSError) as problem:
            why = str(problem).replace(str(path), "the sheet", 1)
            gathered.refused.append(Refused(str(path), 0, "", "", why))
            continue
        if sheet.table not in sheets:
            sheets[sheet.table] = sheet
            first[sheet.table] = path
        elif sheets[sheet.table] == sheet:
            why = f"it says the same of table {sheet.table} as {first[sheet.table]}"
            gathered.left_over.append(Leftover(str(path), 0, why))
        else:
            raise BadInput(
                f"{first[sheet.table]} and {path} are two different sheets of table {sheet.table}"
            )
    return sheets
