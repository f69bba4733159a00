"""What cannot be used is refused with a sentence: file, row, column, value. Nothing vanishes."""

import csv
import gzip
import io
import json
import lzma
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from audit.errors import BadInput
from audit.sources import Sources, read_sources, reading

CARD = {
    "ts": "2026-03-02T10:05:20+08:00",
    "table_id": "NY-1",
    "shoe": "S1",
    "round": "1",
    "seq": "1",
    "card": "9H",
    "hand": "player",
    "confidence": "0.9",
    "alternatives": "6H:0.1",
    "at_s": "12.5",
    "footage": "a.mp4",
}
WAGER = {
    "table_id": "NY-1",
    "shoe": "S1",
    "round": "1",
    "box": "3",
    "bettor": "P1",
    "wager": "main",
    "hand": "box3",
    "stake": "25.00",
    "net": "-25.00",
    "placed_at": "2026-03-02T10:05:20+08:00",
    "settled_at": "2026-03-02T10:06:20+08:00",
    "on_behalf_of": "P2",
}
CALL = {
    "ts": "2026-03-02T10:05:20+08:00",
    "table_id": "NY-1",
    "shoe": "S1",
    "round": "1",
    "call": "hit",
    "hand": "box3",
    "bettor": "P1",
    "value": "",
}
NEW_YORK = """
table    = "NY-1"
timezone = "America/New_York"
decks    = 8
[[game]]
rulebook = "mbs-blackjack-v6"
from     = 2020-01-01T00:00:00-05:00
"""
LONG = "x" * 3000
REFUSALS = [
    (CARD, "ts", "", "it has no ts"),
    (CARD, "ts", "yesterday", "'yesterday' is not a time within 1970 to 2199: write it like"),
    (CARD, "ts", "2026-02-30T10:00:00Z", "'2026-02-30T10:00:00Z' is not a time"),
    (CARD, "ts", "2026-03-02", "'2026-03-02' is not a time"),
    (CARD, "ts", "0001-01-01T00:00:00Z", "is not a time within 1970 to 2199"),
    (CARD, "ts", "+99999-01-01T00:00:00Z", "is not a time within 1970 to 2199"),
    (CARD, "table_id", " ", "it has no table_id"),
    (CARD, "table_id", LONG, "a text of 3,000 characters is too long"),
    (CARD, "shoe", "", "it has no shoe"),
    (CARD, "shoe", "a\x00b", "'a\\x00b' has a line break or another control character in it"),
    (CARD, "round", "0", "0 is not within 1 to 999999999"),
    (CARD, "round", "one", "'one' is not a whole number"),
    (CARD, "round", "1.5", "'1.5' is not a whole number"),
    (CARD, "seq", "", "it has no seq"),
    (CARD, "seq", "-3", "-3 is not within 1 to"),
    (CARD, "seq", "99999999999999999999", "'99999999999999999999' is not a whole number"),
    (CARD, "card", "", "it has no card"),
    (CARD, "card", "1S", "'1S' is not a card: write a rank"),
    (CARD, "hand", "box10", "box10 is not a hand: boxes are numbered from 1 to 9"),
    (CARD, "hand", "box3.1", "'box3.1' is not a hand"),
    (CARD, "confidence", "1.01", "1.01 is not within 0 to 1"),
    (CARD, "confidence", "nan", "nan is not within 0 to 1"),
    (CARD, "confidence", "sure", "'sure' is not a number"),
    (CARD, "alternatives", "6H", "'6H' is not a card and its probability"),
    (CARD, "alternatives", "6X:0.1", "'6X' is not a card"),
    (CARD, "alternatives", "??:0.1", "?? cannot stand here"),
    (CARD, "alternatives", "6H:1.1", "the probability of '6H:1.1' is not within 0 to 1"),
    (CARD, "alternatives", "6H:0.1 6H:0.2", "it names a card twice"),
    (CARD, "alternatives", "6H:0.7 7H:0.7", "its probabilities are more than 1 together"),
    (CARD, "at_s", "-1", "-1 is not within 0 to"),
    (CARD, "at_s", "inf", "inf is not within 0 to"),
    (CARD, "footage", "a\u2028b", "has a line break or another control character in it"),
    (WAGER, "box", "17", "17 is not within 1 to 16"),
    (WAGER, "bettor", "", "it has no bettor"),
    (WAGER, "wager", "tiger_pear", "is a wager of neither blackjack nor baccarat: did you mean"),
    (WAGER, "wager", "roulette", "'roulette' is a wager of neither blackjack nor baccarat"),
    (WAGER, "hand", "seat 3", "'seat 3' is not a hand"),
    (WAGER, "stake", "", "it has no stake"),
    (WAGER, "stake", "0.00", "a stake of 0.00 is not possible: a wager stakes more than nothing"),
    (WAGER, "stake", "-5", "a stake of -5.00 is not possible"),
    (WAGER, "stake", "25.005", "'25.005' is not an amount of money"),
    (WAGER, "stake", "1,000", "'1,000' is not an amount of money"),
    (WAGER, "net", "$5", "'$5' is not an amount of money"),
    (WAGER, "net", "1e2", "'1e2' is not an amount of money"),
    (WAGER, "placed_at", "10:05", "'10:05' is not a time"),
    (WAGER, "settled_at", "never", "'never' is not a time"),
    (WAGER, "on_behalf_of", "\x1b[31m", "has a line break or another control character in it"),
    (CALL, "ts", "", "it has no ts"),
    (CALL, "call", "", "it has no call"),
    (CALL, "call", "jump", "'jump' is not a call: there are bets_open"),
    (CALL, "hand", "box0", "box0 is not a hand"),
    (CALL, "value", LONG, "a text of 3,000 characters is too long"),
]


Written = Callable[[list[Mapping[str, str]]], str]


def as_csv(rows: list[Mapping[str, str]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_json(rows: list[Mapping[str, str]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def as_parquet(rows: Mapping[str, object] | pl.DataFrame) -> bytes:
    file = io.BytesIO()
    pl.DataFrame(rows).write_parquet(file)
    return file.getvalue()


def read(tmp_path: Path, content: str | bytes, name: str = "log") -> Sources:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    sources = read_sources([tmp_path])
    assert all(one.balances for one in sources.accounts())
    return sources


def used(sources: Sources) -> int:
    return sources.cards.height + sources.wagers.height + sources.calls.height


@pytest.mark.parametrize("written", [as_csv, as_json])
@pytest.mark.parametrize(
    ("row", "column", "value", "why"), REFUSALS, ids=[f"{r[1]}={r[2][:20]!r}" for r in REFUSALS]
)
def test_a_value_that_cannot_be_meant_is_refused_with_a_sentence(
    tmp_path: Path, row: dict[str, str], column: str, value: str, why: str, written: Written
) -> None:
    other = {**row, "round": "2"}
    rows: list[Mapping[str, str]] = [row, {**row, column: value}, other]
    sources = read(tmp_path, written(rows))
    (refused,) = sources.refused
    assert (refused.source, refused.row, refused.column) == (str(tmp_path / "log"), 2, column)
    assert why in refused.why
    assert "\n" not in refused.why
    assert len(refused.why) < 700
    assert refused.value[:10] == value[:10] or not value.isprintable()
    assert str(refused) == f"{tmp_path / 'log'}, row 2, {column}: {refused.why}"
    assert used(sources) == 2


def test_only_the_first_thing_wrong_with_a_row_is_said(tmp_path: Path) -> None:
    sources = read(tmp_path, as_csv([CARD, {**CARD, "seq": "x", "card": "x", "hand": "x"}]))
    assert [one.column for one in sources.refused] == ["seq"]


@pytest.mark.parametrize(
    ("time", "moment", "why"),
    [
        ("2026-03-02T10:05:20", datetime(2026, 3, 2, 15, 5, 20, tzinfo=UTC), ""),
        ("2026-03-02 10:05", datetime(2026, 3, 2, 15, 5, tzinfo=UTC), ""),
        ("2026-07-02T10:05:20.125", datetime(2026, 7, 2, 14, 5, 20, 125_000, tzinfo=UTC), ""),
        ("2026-03-08T02:30:00-05:00", datetime(2026, 3, 8, 7, 30, tzinfo=UTC), ""),
        ("2026-03-08T02:30:00", None, "never came, since clocks of America/New_York were put"),
        ("2026-11-01T01:30:00", None, "came twice, since clocks of America/New_York were put back"),
    ],
)
def test_a_time_without_offset_is_its_tables_own(
    tmp_path: Path, time: str, moment: datetime | None, why: str
) -> None:
    (tmp_path / "table.toml").write_text(NEW_YORK)
    naive = pl.Series([time]).str.to_datetime(strict=False) if "-05" not in time else None
    logs: list[str | bytes] = [as_csv([{**CARD, "ts": time}]), as_json([{**CARD, "ts": time}])]
    if naive is not None:
        logs.append(as_parquet({**CARD, "ts": naive}))
    for log in logs:
        sources = read(tmp_path, log)
        assert sources.cards["ts"].to_list() == ([moment] if moment else [])
        assert [why in one.why for one in sources.refused] == ([] if moment else [True])


def test_a_time_without_offset_and_without_a_sheet_is_refused(tmp_path: Path) -> None:
    sources = read(tmp_path, as_csv([CARD, {**CARD, "ts": "2026-03-02T10:05:20"}]))
    assert [one.why for one in sources.refused] == [
        "'2026-03-02T10:05:20' has no offset, "
        "and there is no table sheet that says the timezone of table NY-1"
    ]


@pytest.mark.parametrize(
    ("amounts", "cents", "why"),
    [
        ([25.1, 0.29, 1e13 - 0.01], [2510, 29, 10**15 - 1], []),
        ([0.1 + 0.2, 25.0], [2500], ["'0.30000000000000004' is not an amount of money"]),
        ([1e14, 25.0], [2500], ["is more than a number holds to the cent: write it as text"]),
        ([float("nan"), 25.0], [2500], ["it has no stake"]),
        ([float("inf"), -5.0], [], ["'inf' is not an amount", "a stake of -5.00 is not possible"]),
        ([25, 7, 0], [2500, 700], ["a stake of 0.00 is not possible"]),
        ([Decimal("25.10"), Decimal("0.05")], [2510, 5], []),
        ([Decimal("25.1000"), Decimal("0.0050")], [2510], ["'0.0050' is not an amount of money"]),
        (["25.10", "99999999999999.99"], [2510, 9999999999999999], []),
    ],
)
def test_money_in_parquet_is_exact_or_refused(
    tmp_path: Path, amounts: list[float], cents: list[int], why: list[str]
) -> None:
    rows = {"table": "T", "shoe": "S", "round": range(1, len(amounts) + 1), "bettor": "P"}
    sources = read(tmp_path, as_parquet({**rows, "wager": "main", "stake": amounts}))
    assert sources.wagers["stake"].to_list() == cents
    assert len(sources.refused) == len(why)
    for one, sentence in zip(sources.refused, why, strict=True):
        assert sentence in one.why


@pytest.mark.parametrize(
    ("number", "cents"),
    [("25.10", 2510), ("25", 2500), ("1e2", 10000), ("99999999999999.99", 9999999999999999)],
)
def test_money_in_json_may_be_a_number(tmp_path: Path, number: str, cents: int) -> None:
    line = as_json([{**WAGER, "stake": "?"}]).replace('"?"', number)
    assert read(tmp_path, line).wagers["stake"].to_list() == [cents]


def test_whole_numbers_and_names_may_have_other_types_in_parquet(tmp_path: Path) -> None:
    row = {**CARD, "seq": [1.0, 2.0, 2.5], "round": [1.0, None, 2.0], "shoe": 12, "table_id": 7.0}
    sources = read(tmp_path, as_parquet(row))
    assert sources.cards.select("table_id", "shoe", "round", "seq").rows() == [
        ("7", "12", 1, 1),
        ("7", "12", None, 2),
    ]
    assert [one.why for one in sources.refused] == ["'2.5' is not a whole number"]


@pytest.mark.parametrize(
    ("column", "values", "why"),
    [
        ("card", [["9H"]], "its column card holds large_list"),
        ("card", [{"rank": "9"}], "its column card holds struct"),
        ("card", [b"9H"], "its column card holds large_binary"),
        ("card", [True], "its column card holds bool"),
        ("card", [datetime(2026, 3, 2, tzinfo=UTC)], "holds times, where text belongs"),
        ("seq", [datetime(2026, 3, 2, tzinfo=UTC)], "holds times, where numbers belong"),
        ("footage", [datetime(2026, 3, 2, tzinfo=UTC)], "holds times, where text belongs"),
        ("ts", [1_772_000_000], "its column ts holds numbers, where times belong"),
    ],
)
def test_parquet_with_a_column_of_the_wrong_type_is_refused_as_a_file(
    tmp_path: Path, column: str, values: list[object], why: str
) -> None:
    sources = read(tmp_path, as_parquet({**CARD, column: pl.Series(values)}))
    (refused,) = sources.refused
    assert (refused.row, refused.column) == (0, column)
    assert why in refused.why


def of_file(content: bytes, why: str, name: str) -> object:
    return pytest.param(content, why, id=name)


GOOD = as_csv([CARD]).encode()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        of_file(b"", "it is empty", "empty"),
        of_file(b"\n\n\r\n", "nor a call log (call): it has no columns", "blank"),
        of_file(b"name,age\nx,1\n", "nor a call log (call): it has name, age", "unknown columns"),
        of_file(b"seq,card\n1,AS\n", "the columns of a card log, but no column table_id", "few"),
        of_file(b"seq,card,wager,stake\n", "of a card log and of a bet ledger", "two logs"),
        of_file(b"seq,card,Card,ts,shoe,table\n", "it has the column card twice", "twice"),
        of_file("séq,card\n".encode("latin-1"), "it is not UTF-8 text", "latin-1"),
        of_file(GOOD.decode().encode("utf-16"), "it is not UTF-8 text", "utf-16"),
        of_file(GOOD + b"\xff\xfe\n" + GOOD, "it is not UTF-8 text", "not UTF-8 later on"),
        of_file(bytes(range(128, 256)), "it is not UTF-8 text", "binary"),
        of_file(b"\x00" * 200_000, "its first line is longer than 64 KiB", "zeros"),
        of_file(b"a," * 30_000 + b"seq,card\n", "it has 30,002 columns", "wide"),
        of_file(b"PK\x03\x04rest", "it is a zip archive or a workbook", "zip"),
        of_file(b'[{"seq": 1, "card": "AS"}]', "it is one JSON list: write JSON Lines", "list"),
        of_file(b'{"name": 1}\n', "nor a call log (call): it has name", "unknown keys"),
        of_file(b"{broken\n", "nor a call log (call): it has no columns", "no JSON"),
        of_file(gzip.compress(GOOD)[:-12], "gzip data ends too early", "cut gzip"),
        of_file(gzip.compress(GOOD)[:8], "gzip data ends too early", "nearly no gzip"),
        of_file(b"\x1f\x8bjunk" * 9, "its gzip data is broken", "no gzip"),
        of_file(b"BZhjunk", "its bzip2 data is broken", "no bzip2"),
        of_file(b"\xfd7zXZ\x00junk" * 9, "its xz data is broken", "no xz"),
        of_file(lzma.compress(GOOD)[:-9], "its xz data ends too early", "cut xz"),
        of_file(b"\x28\xb5\x2f\xfdjunk", "its zstd data is broken", "no zstd"),
        of_file(b"PAR1junkPAR1", "its Parquet data is broken or cut short", "no Parquet"),
        of_file(as_parquet(CARD)[:-9], "its Parquet data is broken or cut short", "cut Parquet"),
        of_file(as_parquet({"name": [1]}), "it has name", "Parquet with unknown columns"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_as_a_whole(
    tmp_path: Path, content: bytes, why: str
) -> None:
    sources = read(tmp_path, content)
    (refused,) = sources.refused
    assert (refused.source, refused.row) == (str(tmp_path / "log"), 0)
    assert why in refused.why
    assert (used(sources), dict(sources.read), sources.left_over) == (0, {}, ())


def test_a_bad_file_does_not_keep_good_ones_from_being_read(tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_bytes(GOOD)
    (tmp_path / "table.toml").write_text("table = ")
    sources = read(tmp_path, b"\x1f\x8bjunk")
    assert sources.cards.height == 1
    assert [Path(one.source).name for one in sources.refused] == ["table.toml", "log"]
    assert "the sheet is not TOML" in sources.refused[0].why


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nothing\.csv does not exist"):
        read_sources([tmp_path / "nothing.csv"])
    with pytest.raises(BadInput, match="there is nothing to read"):
        read_sources([])
    with pytest.raises(BadInput, match="is not the name of a file"):
        read_sources([Path("a\0b")])


def test_what_is_neither_file_nor_folder_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "away").symlink_to(tmp_path / "nowhere")
    (tmp_path / "self").symlink_to(tmp_path / "self")
    sources = read_sources([tmp_path])
    assert [Path(one.source).name for one in sources.refused] == ["away", "pipe", "self"]
    assert [one.why for one in sources.refused] == [
        "it cannot be read: No such file or directory",
        "it is neither a file nor a folder",
        "it cannot be read: it cannot be opened",
    ]


def test_a_file_whose_name_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"log\xff.csv")).write_bytes(GOOD)
    (refused,) = read_sources([tmp_path]).refused
    assert refused.source.endswith(r"log\udcff.csv")
    assert refused.why == "its name is not UTF-8 text"


def test_times_that_no_calendar_can_show_are_refused(tmp_path: Path) -> None:
    times = pl.Series([0, 2**62, -(2**62)]).cast(pl.Datetime("us", "UTC"))
    sources = read(tmp_path, as_parquet({**CARD, "ts": times}))
    assert [(one.row, one.why) for one in sources.refused] == [
        (2, "it is not a time within 1970 to 2199"),
        (3, "it is not a time within 1970 to 2199"),
    ]


def test_a_file_of_nothing_but_bad_rows_is_refused_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "GREATEST_REFUSED", 3)
    sources = read(tmp_path, as_csv([{**CARD, "card": "XX"}] * 4))
    assert [(one.row, one.column, one.value) for one in sources.refused] == [(0, "card", "XX")]
    assert "more than 3 of its rows cannot be used, the first is row 1" in sources.refused[0].why
