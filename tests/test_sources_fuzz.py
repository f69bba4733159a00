"""Hostile, damaged and growing files: nothing escapes, nothing vanishes, nothing takes for ever."""

import bz2
import gzip
import io
import json
import lzma
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars._typing import PolarsDataType

from audit.sources import Sources, lines, parquet, read_sources, reading, unpacking
from audit.sources.delimited import LONGEST_FIELD_IN_LINES

HEADER = "ts,table_id,shoe,round,seq,card,hand,remark\n"
ROW = "2026-03-02T10:05:{:02}+08:00,T1,S1,1,{},9H,player,\n"
ROWS = [ROW.format(second, second + 1) for second in range(30)]
LOG = HEADER + "".join(ROWS)
SMALL_BLOCK = 256


def read(content: bytes | str, name: str = "log") -> Sources:
    """Read one file, and see that its account is right: every row once, and all of them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        sources = read_sources([path])
    assert all(one.balances for one in sources.accounts())
    assert len(set(rows_of(sources))) == len(rows_of(sources)) == sum(sources.read.values())
    return sources


def rows_of(sources: Sources) -> list[int]:
    frames = (sources.cards, sources.wagers, sources.calls)
    rows = [row for frame in frames for row in frame["row"]]
    rows += [one.row for one in sources.refused if one.row]
    rows += [one.row for one in sources.left_over if one.row]
    return sorted(rows)


def in_zstd(content: bytes) -> bytes:
    return bytes(pa.compress(content, "zstd", asbytes=True))


def sound(sources: Sources) -> set[int]:
    """Give the rows with nothing wrong in them; damage can make two the same."""
    return {*sources.cards["row"], *(one.row for one in sources.duplicates)}


@contextmanager
def small_blocks() -> Iterator[None]:
    with patch.object(lines, "BLOCK", SMALL_BLOCK):
        yield


def whys(sources: Sources) -> list[tuple[int, str]]:
    return [(one.row, one.why) for one in sources.refused]


@pytest.mark.parametrize("block", [SMALL_BLOCK, lines.BLOCK])
def test_lines_that_are_not_like_the_others_are_refused_alone(block: int) -> None:
    odd = [
        "2026-03-02T10:06:00+08:00,T1,S1\n",
        ROW.format(31, 91)[:-1] + ",too,many\n",
        "\n",
        ROW.format(32, 92).replace(",\n", ',"open\n'),
        ROW.format(33, 93).replace(",T1", ',T1"'),
        ROW.format(34, 94).replace(",T1", ',"T1"x'),
        "   \n",
        ",,,,,,,\n",
        ROW.format(35, 95).replace(",T1", ', "T1"'),
        "\x00\n",
    ]
    with patch.object(lines, "BLOCK", block):
        sources = read(HEADER + "".join(ROWS[:5] + odd + ROWS[5:]))
    quote = "it cannot be split into fields: "
    assert whys(sources) == [
        (6, "it has 3 fields, where the header has 8"),
        (7, "it has 10 fields, where the header has 8"),
        (9, f"{quote}unexpected end of data"),
        (11, f"{quote}',' expected after '\"'"),
        (15, "it has 1 fields, where the header has 8"),
    ]
    assert [(one.row, one.why) for one in sources.left_over] == [(13, "it is empty")]
    assert sources.cards["table_id"].unique().sort().to_list() == ["T1", 'T1"']
    assert sources.cards.height == len(ROWS) + 2


@pytest.mark.parametrize("block", [*range(300, 900, 31), lines.BLOCK])
def test_a_quoted_field_may_go_on_over_lines(block: int) -> None:
    remark = '"first\n\nthird, with ""quotes"" and\n{}"\n'
    rows = [row[:-1] + remark.format(row) if "9" in row[17:19] else row for row in ROWS]
    with patch.object(lines, "BLOCK", block):
        sources = read(HEADER + "".join(rows))
    assert not sources.refused
    assert sources.cards["seq"].to_list() == list(range(1, 31))
    assert sources.cards["row"].to_list()[8:12] == [9, 10, 15, 16]


def test_a_quote_that_is_open_at_the_end_costs_one_row() -> None:
    with small_blocks():
        sources = read(HEADER + "".join([*ROWS[:27], ROWS[27].replace(",\n", ',"\n'), *ROWS[28:]]))
    assert [row for row, _ in whys(sources)] == [28]
    assert sources.cards.height == 29


def test_a_quote_that_is_never_closed_costs_one_row() -> None:
    rows = [*ROWS[:3], ROWS[3].replace(",\n", ',"\n'), *ROWS[4:], *ROWS * 3]
    sources = read(HEADER + "".join(rows))
    assert [row for row, _ in whys(sources)] == [4]
    assert len(sources.duplicates) == 3 * len(ROWS) - 1 > LONGEST_FIELD_IN_LINES


@pytest.mark.parametrize("cut", range(len(ROWS[-1])))
def test_a_last_line_that_is_still_being_written_is_left_over(cut: int) -> None:
    grown = LOG[: len(LOG) - len(ROWS[-1]) + cut]
    sources = read(grown)
    assert not sources.refused
    if sources.left_over:
        assert (sources.left_over[0].row, sources.cards.height) == (30, 29)
        assert "its last line may still be being written" in sources.left_over[0].why
    else:
        assert sources.cards.height == (29 if not cut else 30)
        assert cut in (0, len(ROWS[-1]) - 1)


def test_a_last_line_may_break_off_within_a_character_and_within_json() -> None:
    half = (LOG + ROWS[0].replace("T1", "Tür")).encode()
    assert [one.row for one in read(half[: half.index(b"\xc3") + 1]).left_over] == [31]
    line = json.dumps({"ts": "2026-03-02T10:05:20Z", "table": "T", "call": "hit"})
    sources = read(f"{line}\n{line[:-9]}")
    assert [one.row for one in sources.left_over] == [2]
    assert not sources.refused


def test_a_file_is_read_as_it_was_when_it_was_opened(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(LOG)
    with unpacking.opened(path) as content, path.open("a") as file:
        file.write(LOG)
        file.flush()
        assert content.read_all() == LOG.encode()


def test_a_line_longer_than_a_block_is_refused_and_the_next_one_read() -> None:
    with small_blocks():
        sources = read(HEADER + ROWS[0] + "x" * 5 * SMALL_BLOCK + "\n" + "".join(ROWS[1:]))
    assert [row for row, _ in whys(sources)] == [2]
    assert sources.cards.height == 30


def test_a_line_of_many_megabytes_is_refused_without_being_kept() -> None:
    packed = gzip.compress((HEADER + ROWS[0]).encode() + b"x" * (5 * lines.BLOCK) + b"\n", 1)
    assert whys(read(packed)) == [(2, "its line is longer than 16 MiB")]


def test_a_bomb_is_not_unpacked() -> None:
    content = LOG.encode() + b"\n" * 500_000
    packings: tuple[Callable[[bytes], bytes], ...] = (gzip.compress, bz2.compress, lzma.compress)
    for pack in (*packings, in_zstd):
        assert read(pack(content)).cards.height == 30
        with patch.object(unpacking, "GREATEST_UNPACKED", 100_000):
            (refused,) = read(pack(content)).refused
        assert (refused.row, "it unpacks to more than" in refused.why) == (0, True)
    assert read(content).cards.height == 30


def test_parquet_that_stands_for_too_many_rows_is_refused() -> None:
    file = io.BytesIO()
    pl.read_csv(LOG.encode(), infer_schema=False).write_parquet(file)
    with patch.object(parquet, "GREATEST_ROWS", 29):
        assert whys(read(file.getvalue())) == [(0, "it has 30 rows: split it into several files")]


def test_json_lines_cannot_merge_split_or_hide_rows() -> None:
    good = {"ts": "2026-03-02T10:05:20Z", "table": "T", "shoe": "S", "seq": 1, "card": "9H"}
    line = json.dumps(good)
    hostile = [
        f"{line},{line}",
        f'{{"a":[{line}',
        f"{line}]}}",
        f"{line}{line}",
        "null",
        "{}",
        '{"a":' * 100_000,
        json.dumps(good | {"card": ["9H"]}),
        json.dumps(good | {"card": {"9": "H"}}),
        line.replace('"9H"', r'"\ud800"'),
        line.replace("1,", "NaN,"),
        line.replace("1,", "1e999999999,"),
        "[1]",
    ]
    rows = [json.dumps(good | {"seq": seq}) for seq in range(1, 201)]
    sources = read("\n".join([*rows[:100], *hostile, *rows[100:], ""]))
    assert sources.cards["seq"].to_list() == list(range(1, 201))
    assert [row for row, _ in whys(sources)] == [row for row in range(101, 114) if row != 106]
    assert [one.row for one in sources.left_over] == [106]


def test_json_lines_that_would_be_one_object_together_are_not_taken_for_one() -> None:
    row = {"ts": "2026-03-02T10:05:20Z", "table": "T", "shoe": "S", "card": "9H"}
    one, two, three, four = (json.dumps(row | {"seq": seq}) for seq in range(1, 5))
    sources = read(f'{one}\n{{"a":[{two}\n{two}]}}\n{three},{three}\n{four}\n')
    assert sources.cards.select("row", "seq").rows() == [(1, 1), (5, 4)]
    assert [row for row, _ in whys(sources)] == [2, 3, 4]


@pytest.mark.parametrize("stake", ["25.00", "99999999999999.99"])
def test_the_first_of_two_equal_keys_counts_however_a_line_is_read(stake: str) -> None:
    line = '{"table":"T","table":"U","shoe":"S","round":1,"bettor":"P","wager":"tie","stake":%s}\n'
    assert read(line % stake).wagers["table_id"].to_list() == ["T"]


def test_parquet_whose_text_is_not_utf_8_is_refused() -> None:
    row = {"ts": "2026-03-02T10:05:20Z", "table": "T", "shoe": "S", "seq": "1", "card": "9H"}
    columns = {name: pa.array([text]) for name, text in row.items()}
    offsets = pa.array([0, 2], pa.int32()).buffers()[1]
    not_utf_8 = pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(b"\xff\xfe")])
    file = io.BytesIO()
    pq.write_table(pa.table(columns | {"shoe": not_utf_8}), file)
    assert whys(read(file.getvalue())) == [(0, "its Parquet data is broken or cut short")]


@pytest.mark.parametrize(
    ("problem", "why"),
    [
        (MemoryError(), "it does not fit into memory: split it into several files"),
        (pl.exceptions.ComputeError("no\nway"), "it cannot be read: no"),
    ],
)
def test_what_should_not_happen_is_a_refusal_too(problem: Exception, why: str) -> None:
    with patch.object(reading, "typed", side_effect=problem):
        assert whys(read(LOG)) == [(0, why)]


FIELDS = st.one_of(
    st.sampled_from(["", "1", "2", "x", "9H", "T1", "box3", "-1", "main", '"', '""', "25.00"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=6),
)
DAMAGE = st.tuples(st.integers(0, 29), st.integers(0, 7), FIELDS)


@settings(max_examples=60, deadline=None)
@given(
    damage=st.lists(DAMAGE, max_size=12), end=st.sampled_from(["\n", "\r\n"]), small=st.booleans()
)
def test_every_line_of_a_damaged_csv_is_accounted_for(
    damage: list[tuple[int, int, str]], end: str, *, small: bool
) -> None:
    rows = [row.rstrip("\n").split(",") for row in ROWS]
    for row, column, field in damage:
        rows[row][column] = field.replace('"', "") if small else field
    text = [",".join(row) for row in rows]
    with patch.object(lines, "BLOCK", SMALL_BLOCK if small else lines.BLOCK):
        sources = read(HEADER.rstrip() + end + end.join(text) + end)
    if not any('"' in line for line in text):
        assert rows_of(sources) == list(range(1, 31))
    assert sum(sources.read.values()) <= 30
    untouched = {row + 1 for row in range(30)} - {row + 1 for row, _, _ in damage}
    if not any('"' in line for line in text):
        assert untouched <= sound(sources)


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=2),
    st.sampled_from(["9H", "2026-03-02T10:05:20Z", "T", "1", "1.0", "0.5"]),
)
NAMES = st.sampled_from(["ts", "table", "shoe", "seq", "card", "hand", "confidence", "at_s", "x"])


@settings(max_examples=60, deadline=None)
@given(
    changes=st.lists(st.tuples(st.integers(0, 99), NAMES, VALUES), max_size=10),
    broken=st.lists(st.tuples(st.integers(0, 99), st.text(max_size=8)), max_size=5),
    small=st.booleans(),
)
def test_every_line_of_damaged_json_is_accounted_for(
    changes: list[tuple[int, str, object]], broken: list[tuple[int, str]], *, small: bool
) -> None:
    rows: list[dict[str, object]] = [
        {"ts": "2026-03-02T10:05:20Z", "table": "T", "shoe": "S", "seq": seq + 1, "card": "9H"}
        for seq in range(100)
    ]
    for place, name, value in changes:
        rows[place][name] = value
    text = [json.dumps(row) for row in rows]
    for place, tail in broken:
        text[place] = text[place][:40] + "".join(tail.split())
    with patch.object(lines, "BLOCK", SMALL_BLOCK if small else lines.BLOCK):
        sources = read("\n".join([*text, ""]))
    assert rows_of(sources) == list(range(1, 101))
    touched = {place + 1 for place, _, _ in changes} | {place + 1 for place, _ in broken}
    assert set(range(1, 101)) - touched <= sound(sources)


TYPES: st.SearchStrategy[PolarsDataType] = st.sampled_from(
    [pl.String, pl.Int64, pl.UInt64, pl.Int8, pl.Float64, pl.Float32, pl.Boolean, pl.Binary,
     pl.Categorical, pl.Date, pl.Datetime("ns"), pl.Duration, pl.Decimal(38, 4), pl.List(pl.Int64),
     pl.Null]
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(data=st.data(), size=st.integers(0, 6))
def test_every_row_of_any_parquet_is_accounted_for(data: st.DataObject, size: int) -> None:
    names = [name for name in HEADER.strip().split(",") if name != "remark"]
    frame = pl.read_csv(LOG.encode(), infer_schema=False)[:size].select(names)
    frame = frame.with_columns(pl.lit("6H:0.1").alias("alternatives"))
    for name in data.draw(st.sets(st.sampled_from(frame.columns), max_size=3)):
        kind = data.draw(TYPES)
        texts = st.sampled_from(["1", "-1", "9H", "18446744073709551615", "25.125", "nan", "1e300"])
        column = pl.Series(name, data.draw(st.lists(texts, min_size=size, max_size=size)))
        try:
            column = column.cast(kind, strict=False)
        except pl.exceptions.PolarsError:
            column = pl.Series(name, [None] * size, dtype=kind)
        frame = frame.with_columns(column)
    file = io.BytesIO()
    frame.write_parquet(file)
    sources = read(file.getvalue())
    if sources.read:
        assert rows_of(sources) == list(range(1, size + 1))
    else:
        assert [row for row, _ in whys(sources)] == [0]


def in_parquet(compression: str) -> bytes:
    file = io.BytesIO()
    pl.read_csv(LOG.encode(), infer_schema=False).write_parquet(file, compression=compression)  # type: ignore[arg-type]
    return file.getvalue()


CALL_LINE = b'{"ts":"2026-03-02T10:05:20Z","table":"T","call":"hit"}\n'
SEEDS = [
    LOG.encode(),
    CALL_LINE * 5,
    in_parquet("uncompressed"),
    in_parquet("zstd"),
    gzip.compress(LOG.encode()),
    bz2.compress(CALL_LINE * 5),
    lzma.compress(LOG.encode()),
    in_zstd(LOG.encode()),
    b'table = "T"\n',
]


@settings(max_examples=300, deadline=None)
@given(
    seed=st.sampled_from(SEEDS),
    changes=st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=3)), min_size=1, max_size=4),
    cut=st.floats(0, 1),
    name=st.sampled_from(["log", "log.csv.gz", "table.toml", "log.parquet"]),
)
def test_a_damaged_file_never_does_harm(
    seed: bytes, changes: list[tuple[float, bytes]], cut: float, name: str
) -> None:
    content = bytearray(seed)
    for place, change in changes:
        start = int(place * (len(content) - 1))
        content[start : start + len(change)] = change
    read(bytes(content[: int(len(content) * max(cut, 1 - cut))]), name)


STARTS = [b"", HEADER.encode(), b"\xef\xbb\xbf" + HEADER.encode(), CALL_LINE, b"PAR1",
          b"\x1f\x8b\x08\x00", b"BZh9", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    start=st.sampled_from(STARTS),
    rest=st.one_of(st.binary(max_size=300), st.text(max_size=100).map(str.encode)),
    end=st.sampled_from([b"", b"PAR1", b"\n"]),
)
def test_any_bytes_are_read_or_refused(start: bytes, rest: bytes, end: bytes) -> None:
    read(start + rest + end)
