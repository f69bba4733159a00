"""A frame as aligned text, CSV, JSON or Parquet. Money stays exact in all of them."""

from collections.abc import Iterator
from textwrap import wrap
from typing import BinaryIO

import polars as pl
from rich.cells import cell_len

from audit.questions import Format
from audit.visible import visible


def format_frame(
    frame: pl.DataFrame, shape: Format, out: BinaryIO, *, width: int | None = None
) -> None:
    """Write a frame. Text that is wider than `width` has one line for each value instead."""
    if shape is Format.TABLE:
        out.write(_laid_out(frame, width).encode())
    elif shape is Format.CSV:
        frame.write_csv(out, datetime_format="%Y-%m-%dT%H:%M:%S%.f%:z")
    elif shape is Format.JSON:
        out.write(frame.write_json().encode() + b"\n")
    else:
        frame.write_parquet(out)


def _laid_out(frame: pl.DataFrame, width: int | None) -> str:
    columns = [[visible(series.name), *_cells(series)] for series in frame]
    widths = [max(map(cell_len, column)) for column in columns]
    if width is not None and sum(widths) + 2 * (len(widths) - 1) > width and frame.height:
        return "".join(_one_by_one(columns, width))
    return "".join(_aligned(columns, widths, [dtype.is_numeric() for dtype in frame.dtypes]))


def _aligned(columns: list[list[str]], widths: list[int], to_right: list[bool]) -> Iterator[str]:
    """Lay a frame out for a screen: numbers to the right, one line for each row."""
    for number, row in enumerate(zip(*columns, strict=True)):
        cells = (
            " " * (width - cell_len(cell)) + cell
            if right
            else cell + " " * (width - cell_len(cell))
            for cell, width, right in zip(row, widths, to_right, strict=True)
        )
        yield "  ".join(cells).rstrip() + "\n"
        if number == 0:
            yield "  ".join("─" * width for width in widths) + "\n"


def _one_by_one(columns: list[list[str]], width: int) -> Iterator[str]:
    """Lay out the rows one below the other: for each a rule, then name and value on a line."""
    names, *rows = zip(*columns, strict=True)
    widest = max(map(cell_len, names))
    for number, row in enumerate(rows, 1):
        rule = f"── {number} "
        yield rule + "─" * max(0, min(width, 60) - len(rule)) + "\n"
        for name, cell in zip(names, row, strict=True):
            first, *more = wrap(cell, max(20, width - widest - 2)) or [""]
            yield f"{name}{' ' * (widest - cell_len(name))}  {first}".rstrip() + "\n"
            yield from (f"{' ' * widest}  {line}\n" for line in more)


def _cells(series: pl.Series) -> list[str]:
    if isinstance(series.dtype, pl.Datetime):
        zone = "%:z" if series.dtype.time_zone else ""
        series = series.dt.strftime(f"%Y-%m-%d %H:%M:%S%.f{zone}")
    return ["" if cell is None else visible(cell) for cell in series.cast(pl.String)]
