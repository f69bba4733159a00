"""What reading gives: frames of rows that can be used, and an account of every row that cannot."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from audit.errors import BadInput
from audit.table_sheet import TableSheet

SHOWN = 80
"""So many characters of a value are quoted; whoever wants more opens the file."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A row that cannot be used and why, or a file as a whole (`row` 0)."""

    source: str
    row: int
    """Counted from 1 for the first line after the header, or the first row of Parquet."""
    column: str
    """Empty where it is the row as a whole."""
    value: str
    why: str

    def __str__(self) -> str:
        return f"{_place(self.source, self.row, self.column)}: {self.why}"


@dataclass(frozen=True, slots=True)
class Leftover:
    """A row, or a file (`row` 0), that has nothing wrong with it and is not used."""

    source: str
    row: int
    why: str
    duplicate: bool = False
    """The same row was used already."""

    def __str__(self) -> str:
        return f"{_place(self.source, self.row, '')}: {self.why}"


@dataclass(frozen=True, slots=True)
class Account:
    """What became of the rows of one file: used + left over + refused = read."""

    source: str
    read: int
    used: int
    left_over: int
    refused: int

    @property
    def balances(self) -> bool:
        return self.used + self.left_over + self.refused == self.read


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """Everything that was handed over, typed. Money is in cents, times are in UTC."""

    cards: pl.DataFrame
    wagers: pl.DataFrame
    calls: pl.DataFrame
    sheets: Mapping[str, TableSheet]
    footage: tuple[Path | str, ...]
    """Films as paths, streams as the text of their address."""
    refused: tuple[Refused, ...]
    left_over: tuple[Leftover, ...]
    read: Mapping[str, int]
    """Rows of each log, by its file; a file that was refused as a whole is not among them."""

    @property
    def duplicates(self) -> tuple[Leftover, ...]:
        return tuple(row for row in self.left_over if row.duplicate)

    def accounts(self) -> tuple[Account, ...]:
        """Say of each log what became of its rows."""
        used: Counter[str] = Counter()
        for frame in (self.cards, self.wagers, self.calls):
            used.update(dict(frame.group_by("source").len().iter_rows()))
        left_over = Counter(row.source for row in self.left_over if row.row)
        refused = Counter(row.source for row in self.refused if row.row)
        return tuple(
            Account(source, read, used[source], left_over[source], refused[source])
            for source, read in self.read.items()
        )


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one row, before anybody says which file it is in."""

    row: int
    column: str
    value: str
    why: str
    line: str = ""
    """The whole line, where it could not be split into columns."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows of a log as its format gives them, under the columns' own names and with `row`."""

    rows: pl.DataFrame
    faults: tuple[Fault, ...] = ()
    unfinished: int | None = None
    """The row of a last line that has no line end: it may still be being written."""

    @property
    def read(self) -> int:
        return self.rows.height + len(self.faults)


class Unreadable(BadInput):
    """A file as a whole cannot be used."""

    def __init__(self, why: str, *, column: str = "", value: str = "") -> None:
        super().__init__(why)
        self.column = column
        self.value = value


def shown(text: str) -> str:
    """Quote a value so that it fits on a line and cannot play tricks on a terminal."""
    return printable(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")


def printable(text: str) -> str:
    """Show characters that steer a terminal instead of letting them."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def _place(source: str, row: int, column: str) -> str:
    place = f"{source}, row {row}" if row else source
    return f"{place}, {column}" if column else place
