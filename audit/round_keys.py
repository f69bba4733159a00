"""Naming a stored round: TABLE/SHOE/ROUND, and what there is where a name is wrong."""

from collections.abc import Sequence
from pathlib import Path

import duckdb

from audit.errors import BadInput
from audit.rounds import RoundKey
from audit.store import Store
from audit.toml_section import did_you_mean
from audit.visible import check_unicode, visible

MOST_NAMES = 8
"""How many tables, shoes or rounds an error names."""


def parse_round_key(text: str) -> RoundKey:
    """Read TABLE/SHOE/ROUND. A slash more belongs to the table."""
    return _readings_of(text)[0]


def _readings_of(text: str) -> list[RoundKey]:
    """Give every way to cut a key into table, shoe and round; the shortest shoe comes first."""
    check_unicode(text)
    *head, number = text.strip().split("/")
    if len(head) < 2 or not (number.isascii() and number.isdecimal()) or len(number) > 18:
        raise BadInput(f"{text!r} is not a round: write TABLE/SHOE/ROUND, like BAC-07/S1/17")
    return [
        RoundKey("/".join(head[:cut]), "/".join(head[cut:]), int(number))
        for cut in range(len(head) - 1, 0, -1)
    ]


def find_round(path: Path, text: str) -> RoundKey:
    """Find the stored round that a text names, or say which ones there are."""
    readings = _readings_of(text)
    with Store(path).reading() as connection:
        for key in readings:
            if _numbers(connection, key):
                return check_key(connection, key)
        raise BadInput(_which_there_are(connection, *readings))


def _numbers(connection: duckdb.DuckDBPyConnection, key: RoundKey) -> list[int]:
    rows = connection.execute(
        "SELECT round FROM rounds WHERE table_id = ? AND shoe = ? ORDER BY round",
        [key.table_id, key.shoe],
    ).fetchall()
    return [number for (number,) in rows]


def check_key(connection: duckdb.DuckDBPyConnection, key: RoundKey) -> RoundKey:
    """Give the key back if its round is stored; else say which ones there are."""
    numbers = _numbers(connection, key)
    if not numbers:
        raise BadInput(_which_there_are(connection, key))
    if key.number not in numbers:
        raise BadInput(
            f"shoe {visible(key.shoe)} of table {visible(key.table_id)} has no round {key.number}: "
            f"its rounds are {_spans(numbers)}"
        )
    return key


def _which_there_are(connection: duckdb.DuckDBPyConnection, *readings: RoundKey) -> str:
    """Say that there is no such table, or no such shoe, and what there is instead."""
    shoes: dict[str, list[str]] = {}
    for table_id, shoe in connection.execute(
        "SELECT table_id, shoe FROM shoes ORDER BY table_id, last_ts DESC NULLS LAST, shoe"
    ).fetchall():
        shoes.setdefault(table_id, []).append(shoe)
    if not shoes:
        return "no shoe is stored in this database: `catwalk audit` fills it"
    key = next((key for key in readings if key.table_id in shoes), readings[0])
    table = visible(key.table_id)
    if key.table_id not in shoes:
        hint = did_you_mean(table, map(visible, shoes)) or f": there are {_named(list(shoes))}"
        return f"there is no table {key.table_id!r}{hint}"
    stored = shoes[key.table_id]
    if key.shoe in stored:
        return f"shoe {visible(key.shoe)} of table {table} has no rounds"
    near = did_you_mean(visible(key.shoe), map(visible, stored))
    hint = near or f": its latest are {_named(stored)}"
    return f"table {table} has no shoe {key.shoe!r}{hint}"


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(visible(name) for name in names[:MOST_NAMES])
    more = len(names) - MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def _spans(numbers: Sequence[int]) -> str:
    """Write 1 2 3 5 as `1 to 3, 5`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][-1] == number - 1:
            spans[-1][1:] = [number]
        else:
            spans.append([number])
    shown = [" to ".join(map(str, span)) for span in spans[:MOST_NAMES]]
    return ", ".join(shown) + (", …" if len(spans) > MOST_NAMES else "")
