"""CSV with commas, semicolons or tabs.

Lines that are as they should be, which is nearly all, are parsed by polars. What it would guess at
or give up on is read here, one by one: a stray quote, a field too many, a field over several lines.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from audit.sources.layout import Layout, layout_of
from audit.sources.lines import BLOCK, Block, Lines
from audit.sources.mapping import ColumnMapping
from audit.sources.records import Fault, Piece, Unreadable, shown

SEPARATORS = (",", ";", "\t")
GREATEST_WIDTH = 500
LONGEST_FIELD_IN_LINES = 50
"""A quote that is not closed so many lines on was never meant to open a field."""


def read_delimited(lines: Lines, mapping: ColumnMapping) -> tuple[Layout, Iterator[Piece]]:
    """Tell a file by its header, and give its rows in pieces."""
    header = lines.first_line()
    separator, names = _header(header, mapping)
    if len(names) > GREATEST_WIDTH:
        raise Unreadable(f"it has {len(names):,} columns")
    layout = layout_of(names, mapping)
    lines.drop_first_line()
    return layout, _Delimited(lines, layout, separator, len(names)).pieces()


def _header(header: str, mapping: ColumnMapping) -> tuple[str, list[str]]:
    """Find the separator under which the header makes sense, or is at least longest."""
    rows = {separator: _names(header, separator) for separator in SEPARATORS}
    for separator, names in rows.items():
        try:
            layout_of(names, mapping)
        except Unreadable:
            continue
        return separator, names
    return max(rows.items(), key=lambda row: len(row[1]))


def _names(header: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([header], delimiter=separator, strict=True, skipinitialspace=True))
    except (csv.Error, StopIteration):
        return [header]


@dataclass(slots=True)
class _Odd:
    """What became of lines that had to be read one by one."""

    records: list[tuple[int, list[str]]] = field(default_factory=list)
    continued: list[int] = field(default_factory=list)
    """Rows that turned out to be the rest of the one before."""
    faults: list[Fault] = field(default_factory=list)
    from_here_on: int | None = None
    """The row from which on more of the file has to be seen."""


class _Delimited:
    def __init__(self, lines: Lines, layout: Layout, separator: str, width: int) -> None:
        self._lines = lines
        self._places = layout.places
        self._separator = separator
        self._width = width
        one = rf'(?:"(?:[^"]|"")*"|[^"{separator}]*)'
        self._regular = rf"^{one}(?:{separator}{one}){{{width - 1}}}$"
        self._schema = {str(place): pl.String() for place in range(width)}

    def pieces(self) -> Iterator[Piece]:
        for block in self._lines.blocks():
            piece = self._quickly(block) or self._carefully(block)
            yield Piece(piece.rows, (*block.faults, *piece.faults), block.unfinished)

    def _quickly(self, block: Block) -> Piece | None:
        """Read a block in which every line has as many fields as the header, and no quotes.

        Polars fills short lines up and refuses long ones. So when it takes a block whose separators
        add up, there was no short line either.
        """
        separators = block.text.count(self._separator.encode())
        if b'"' in block.text or separators != (self._width - 1) * block.lines:
            return None
        rows = self._parsed(block.text)
        if rows is None or rows.height != block.lines:
            return None
        numbers = pl.int_range(block.first_row, block.first_row + rows.height, eager=True)
        return Piece(rows.with_columns(row=numbers))

    def _parsed(self, text: bytes) -> pl.DataFrame | None:
        if not text:
            return self._named(pl.DataFrame(schema=self._schema))
        try:
            rows = pl.read_csv(
                text,
                has_header=False,
                schema=self._schema,
                separator=self._separator,
                quote_char='"' if b'"' in text else None,
            )
        except pl.exceptions.PolarsError:
            return None
        return self._named(rows)

    def _named(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.select(pl.col(str(place)).alias(name) for name, place in self._places.items())

    def _carefully(self, block: Block) -> Piece:
        """Read a block whose lines are not all alike."""
        if block.text.isspace():
            return Piece(self._framed([]))
        every = pl.read_lines(block.text, name="line").with_row_index("row", block.first_row)
        every = every.filter(pl.col("line").str.strip_chars().str.len_bytes() > 0)
        regular = every["line"].str.contains(self._regular)
        odd = self._odd_lines(every, (~regular).arg_true().to_list(), block)
        if odd.from_here_on is not None:
            self._lines.put_back(_from_line(block.text, odd.from_here_on - block.first_row))
            regular &= every["row"] < odd.from_here_on
        rows = every.filter(regular & ~every["row"].is_in(odd.continued))
        parsed = self._parsed((rows["line"].str.join("\n").item() or "").encode())
        if parsed is None or parsed.height != rows.height:
            raise Unreadable("it cannot be split into fields")
        numbered = parsed.with_columns(row=rows["row"].cast(pl.Int64))
        return Piece(
            pl.concat([numbered, self._framed(odd.records)]).sort("row"), tuple(odd.faults)
        )

    def _odd_lines(self, every: pl.DataFrame, places: list[int], block: Block) -> _Odd:
        """Read the lines at these places one by one, and on where a field goes on."""
        odd = _Odd()
        after = 0
        some = every[places]
        for place, row, line in zip(places, some["row"], some["line"], strict=True):
            if place < after:
                continue
            fields, count, why = self._split([line])
            if fields is None and '"' in line:
                window = every[place : place + LONGEST_FIELD_IN_LINES]
                fields, count, _ = self._split(window["line"].to_list())
                if fields is None and count == window.height and self._may_go_on(window, block):
                    odd.from_here_on = row
                    break
            if fields is None:
                odd.faults.append(Fault(row, "", shown(line), why, line))
                continue
            odd.records.append((row, fields))
            odd.continued.extend(every["row"][place + 1 : place + count])
            after = place + count
        return odd

    def _split(self, lines: list[str]) -> tuple[list[str] | None, int, str]:
        """Split the first record, and say how many lines it took, or why it cannot be."""
        reader = csv.reader(
            (f"{line}\n" for line in lines),
            delimiter=self._separator,
            strict=True,
            skipinitialspace=True,
        )
        try:
            fields = next(reader)
        except csv.Error as problem:
            return None, reader.line_num, f"it cannot be split into fields: {problem}"
        if len(fields) != self._width:
            why = f"it has {len(fields)} fields, where the header has {self._width}"
            return None, 1, why
        return fields, reader.line_num, ""

    def _may_go_on(self, window: pl.DataFrame, block: Block) -> bool:
        """Say whether a field that is still open may be closed in the next block."""
        is_short = window.height < LONGEST_FIELD_IN_LINES
        return is_short and not block.final and window["line"].str.len_bytes().sum() < BLOCK // 4

    def _framed(self, records: list[tuple[int, list[str]]]) -> pl.DataFrame:
        columns = {
            name: pl.Series([fields[place] or None for _, fields in records], dtype=pl.String)
            for name, place in self._places.items()
        }
        return pl.DataFrame(
            columns | {"row": pl.Series([row for row, _ in records], dtype=pl.Int64)}
        )


def _from_line(text: bytes, line: int) -> bytes:
    return b"\n".join(text.split(b"\n")[line:])
