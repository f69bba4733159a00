"""JSON Lines: an object on each line.

Polars decodes a block of lines at once, and gives up on all of them when one is broken. Then the
block is parted, and parted again, until few are left with the broken one; these are read by Python.
"""

import json
from collections.abc import Iterator
from decimal import Decimal

import polars as pl

from audit.sources.layout import Layout, layout_of
from audit.sources.lines import Block, Lines
from audit.sources.mapping import ColumnMapping
from audit.sources.records import Fault, Piece, Unreadable, shown

LOOKED_AT = 1000
"""So many first lines tell which columns the file has."""
_STAMP = "catwalk row"
_FEW = 1000
_PARTS = 16
_EXACT_DIGITS = 15
"""A number in JSON is a float to most readers: so many of its digits can be relied on."""
_GREATEST_EXPONENT = 400
_MONEY = ("stake", "net")


def read_json_lines(lines: Lines, mapping: ColumnMapping) -> tuple[Layout, Iterator[Piece]]:
    """Tell a file by the keys of its first lines, and give its rows in pieces."""
    if lines.first_line().startswith("["):
        raise Unreadable("it is one JSON list: write JSON Lines, an object on each line")
    blocks = lines.blocks()
    first = next(blocks)
    layout = layout_of(_keys(first), mapping)
    return layout, _pieces(_chained(first, blocks), dict(layout.names))


def _chained(first: Block, blocks: Iterator[Block]) -> Iterator[Block]:
    yield first
    yield from blocks


def _keys(block: Block) -> list[str]:
    keys: dict[str, None] = {}
    for line in pl.read_lines(block.text, n_rows=LOOKED_AT).to_series().to_list():
        try:
            keys |= dict.fromkeys(_object(line))
        except ValueError:
            continue
    return list(keys)


def _pieces(blocks: Iterator[Block], names: dict[str, str]) -> Iterator[Piece]:
    for block in blocks:
        lines = pl.read_lines(block.text, name="line").with_row_index("row", block.first_row)
        lines = lines.select(pl.col("row").cast(pl.Int64), pl.col("line").str.strip_chars())
        faults = list(block.faults)
        parts = list(_decoded(lines.filter(pl.col("line").str.len_bytes() > 0), names, faults))
        yield Piece(pl.concat([_empty(names), *parts]).sort("row"), tuple(faults), block.unfinished)


def _empty(names: dict[str, str]) -> pl.DataFrame:
    return pl.DataFrame(schema=dict.fromkeys(names, pl.String()) | {"row": pl.Int64()})


def _decoded(
    lines: pl.DataFrame, names: dict[str, str], faults: list[Fault]
) -> Iterator[pl.DataFrame]:
    """Decode lines together if that is possible, else in parts, few of them one by one."""
    if lines.is_empty():
        return
    rows = _together(lines, names)
    if rows is not None:
        inexact = _inexact(rows)
        yield rows.filter(~inexact)
        yield _one_by_one(lines.filter(inexact), names, faults)
    elif lines.height <= _FEW:
        yield _one_by_one(lines, names, faults)
    else:
        for part in lines.iter_slices(lines.height // _PARTS + 1):
            yield from _decoded(part, names, faults)


def _inexact(rows: pl.DataFrame) -> pl.Series:
    """Say which rows have an amount of so many digits that a float may have changed it."""
    amounts = rows.select(pl.col(name) for name in _MONEY if name in rows.columns)
    inexact = pl.repeat(value=False, n=rows.height, eager=True)
    for column in amounts:
        inexact |= (column.str.len_bytes() > _EXACT_DIGITS).fill_null(value=False)
    return inexact


def _together(lines: pl.DataFrame, names: dict[str, str]) -> pl.DataFrame | None:
    """Decode lines, each stamped with its row: so none can vanish, split or merge unseen."""
    shape = pl.Struct({_STAMP: pl.Int64()} | dict.fromkeys(names.values(), pl.String()))
    stamped = pl.concat_str(
        pl.lit(f'{{"{_STAMP}":'), "row", pl.lit(","), pl.col("line").str.strip_prefix("{")
    )
    try:
        if not lines["line"].str.starts_with("{").all():
            return None
        rows = lines.select(stamped.str.json_decode(shape).alias("decoded")).unnest("decoded")
    except pl.exceptions.PolarsError:
        return None
    if not rows[_STAMP].equals(lines["row"]):
        return None
    return rows.select(
        *(pl.col(key).alias(name) for name, key in names.items()), pl.col(_STAMP).alias("row")
    )


def _one_by_one(lines: pl.DataFrame, names: dict[str, str], faults: list[Fault]) -> pl.DataFrame:
    rows: list[dict[str, str | int | None]] = []
    for row, line in lines.iter_rows():
        name = ""
        try:
            content = _object(line)
            fields: dict[str, str | int | None] = {"row": row}
            for name, key in names.items():
                fields[name] = _text(content.get(key))
        except ValueError as problem:
            faults.append(Fault(row, name, shown(line), str(problem), line))
        else:
            rows.append(fields)
    return pl.DataFrame(rows, schema=_empty(names).schema)


def _object(line: str) -> dict[str, object]:
    """Read a line; where a key stands twice, the first counts, as it does to polars."""
    try:
        content = json.loads(
            line,
            parse_int=str,
            parse_float=_plain_number,
            parse_constant=_no_number,
            object_pairs_hook=lambda pairs: dict(reversed(pairs)),
        )
    except json.JSONDecodeError as problem:
        raise ValueError(f"it is not JSON: {problem.msg} at character {problem.pos + 1}") from None
    except RecursionError:
        raise ValueError("it is not JSON that can be read: it is nested too deeply") from None
    if not isinstance(content, dict):
        raise ValueError("it is not an object with keys and values")
    return content


def _plain_number(number: str) -> str:
    """Write a number without exponent and needless zeros, as polars does."""
    value = Decimal(number)
    if abs(value.adjusted()) > _GREATEST_EXPONENT:
        return number
    plain = f"{value:f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _no_number(name: str) -> str:
    raise ValueError(f"it is not JSON: {name} is not a number")


def _text(value: object) -> str | None:
    match value:
        case None | str():
            text = value
        case bool():
            text = str(value).lower()
        case _:
            raise ValueError("it holds a list or an object, where one value belongs")
    if text and not _is_whole(text):
        raise ValueError("it holds half a character")
    return text


def _is_whole(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)
