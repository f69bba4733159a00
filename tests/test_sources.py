"""Reading inputs: both example tables, each format and packing, and mixed."""

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from audit.errors import BadInput
from audit.observations import CallKind, WagerKind
from audit.sources import Sources, read_sources
from audit.sources.columns import CALLS, CARDS, WAGERS

BLACKJACK = {
    "table.toml": """\
table    = "BJ-MBS6-7"
timezone = "Asia/Singapore"
decks    = 8
rounding = "0.01"

[[game]]
rulebook = "mbs-blackjack-v6"
from     = 2026-01-01T06:00:00+08:00

[limits]
main = { min = "25.00", max = "5000.00" }
pair = { min = "5.00", max = "500.00" }
""",
    "cards.csv": """\
ts,table_id,shoe,round,seq,card,hand
2026-03-02T10:05:20.000+08:00,BJ-MBS6-7,S001,1,1,7C,burn
2026-03-02T10:05:41.372+08:00,BJ-MBS6-7,S001,1,2,9H,box2
2026-03-02T10:05:42.736+08:00,BJ-MBS6-7,S001,1,3,TD,box4
2026-03-02T10:05:44.304+08:00,BJ-MBS6-7,S001,1,4,JS,dealer
2026-03-02T10:05:46.010+08:00,BJ-MBS6-7,S001,1,5,3H,box2
2026-03-02T10:05:47.028+08:00,BJ-MBS6-7,S001,1,6,9C,box4
2026-03-02T10:05:49.369+08:00,BJ-MBS6-7,S001,1,7,KC,box2
2026-03-02T10:05:51.912+08:00,BJ-MBS6-7,S001,1,8,JS,dealer
2026-03-02T10:06:23.617+08:00,BJ-MBS6-7,S001,2,9,QS,box2
2026-03-02T10:06:24.902+08:00,BJ-MBS6-7,S001,2,10,3S,dealer
2026-03-02T10:06:25.839+08:00,BJ-MBS6-7,S001,2,11,JC,box2
2026-03-02T10:06:27.697+08:00,BJ-MBS6-7,S001,2,12,7D,dealer
2026-03-02T10:06:28.521+08:00,BJ-MBS6-7,S001,2,13,TS,dealer
2026-03-02T10:06:59.938+08:00,BJ-MBS6-7,S001,3,14,AD,box2
2026-03-02T10:07:01.457+08:00,BJ-MBS6-7,S001,3,15,7C,dealer
2026-03-02T10:07:02.496+08:00,BJ-MBS6-7,S001,3,16,4H,box2
2026-03-02T10:07:04.561+08:00,BJ-MBS6-7,S001,3,17,AD,box2
2026-03-02T10:07:07.322+08:00,BJ-MBS6-7,S001,3,18,KD,box2
2026-03-02T10:07:09.260+08:00,BJ-MBS6-7,S001,3,19,3H,box2
2026-03-02T10:07:11.858+08:00,BJ-MBS6-7,S001,3,20,5C,dealer
2026-03-02T10:07:12.935+08:00,BJ-MBS6-7,S001,3,21,6H,dealer
""",
    "ledger.csv": """\
table_id,shoe,round,box,bettor,wager,hand,stake,net,placed_at
BJ-MBS6-7,S001,1,2,P0004,main,box2,200.00,-200.00,2026-03-02T10:05:23.462+08:00
BJ-MBS6-7,S001,1,2,P0005,main,box2,75.00,-75.00,2026-03-02T10:05:36.928+08:00
BJ-MBS6-7,S001,1,4,P0001,main,box4,75.00,-75.00,2026-03-02T10:05:37.436+08:00
BJ-MBS6-7,S001,1,4,P0002,main,box4,25.00,-25.00,2026-03-02T10:05:36.533+08:00
BJ-MBS6-7,S001,1,4,P0003,main,box4,50.00,-50.00,2026-03-02T10:05:31.956+08:00
BJ-MBS6-7,S001,1,4,P0003,pair,,10.00,-10.00,2026-03-02T10:05:25.000+08:00
BJ-MBS6-7,S001,2,2,P0004,main,box2,200.00,0.00,2026-03-02T10:06:12.777+08:00
BJ-MBS6-7,S001,2,2,P0004,pair,,10.00,-10.00,2026-03-02T10:06:15.586+08:00
BJ-MBS6-7,S001,2,2,P0005,main,box2,150.00,0.00,2026-03-02T10:06:07.328+08:00
BJ-MBS6-7,S001,3,2,P0004,main,box2,600.00,600.00,2026-03-02T10:06:48.237+08:00
BJ-MBS6-7,S001,3,2,P0005,main,box2,225.00,225.00,2026-03-02T10:06:55.072+08:00
""",
    "calls.csv": """\
ts,table_id,shoe,round,call,hand,bettor,value
2026-03-02T10:05:00.000+08:00,BJ-MBS6-7,S001,,shuffle,,,
2026-03-02T10:05:05.000+08:00,BJ-MBS6-7,S001,,dealer_in,,,D02
2026-03-02T10:05:20.678+08:00,BJ-MBS6-7,S001,1,bets_open,,,
2026-03-02T10:05:40.533+08:00,BJ-MBS6-7,S001,1,bets_closed,,,
2026-03-02T10:05:47.599+08:00,BJ-MBS6-7,S001,1,hit,box2,P0004,
2026-03-02T10:05:50.370+08:00,BJ-MBS6-7,S001,1,stand,box4,P0001,
2026-03-02T10:05:53.224+08:00,BJ-MBS6-7,S001,1,round_end,,,
2026-03-02T10:06:02.109+08:00,BJ-MBS6-7,S001,2,bets_open,,,
2026-03-02T10:06:22.556+08:00,BJ-MBS6-7,S001,2,bets_closed,,,
2026-03-02T10:06:26.517+08:00,BJ-MBS6-7,S001,2,stand,box2,P0004,
2026-03-02T10:06:29.240+08:00,BJ-MBS6-7,S001,2,round_end,,,
2026-03-02T10:06:37.702+08:00,BJ-MBS6-7,S001,3,bets_open,,,
2026-03-02T10:06:58.273+08:00,BJ-MBS6-7,S001,3,bets_closed,,,
2026-03-02T10:07:03.562+08:00,BJ-MBS6-7,S001,3,hit,box2,P0004,
2026-03-02T10:07:05.635+08:00,BJ-MBS6-7,S001,3,hit,box2,P0004,
2026-03-02T10:07:08.360+08:00,BJ-MBS6-7,S001,3,hit,box2,P0004,
2026-03-02T10:07:10.574+08:00,BJ-MBS6-7,S001,3,stand,box2,P0004,
2026-03-02T10:07:14.099+08:00,BJ-MBS6-7,S001,3,round_end,,,
""",
}
BACCARAT = {
    "table.toml": """\
table    = "BAC-507"
timezone = "Asia/Singapore"
decks    = 8
rounding = "0.01"

[[game]]
rulebook = "mbs-electronic-baccarat/tiger"
from     = 2026-01-01T06:00:00+08:00

[limits]
player = { min = "5.00", max = "2000.00" }
banker = { min = "5.00", max = "2000.00" }
tie = { min = "5.00", max = "200.00" }
tiger_pair = { min = "5.00", max = "200.00" }
tiger = { min = "5.00", max = "200.00" }
small_tiger = { min = "5.00", max = "200.00" }
big_tiger = { min = "5.00", max = "200.00" }
tiger_tie = { min = "5.00", max = "200.00" }
""",
    "cards.csv": """\
ts,table,shoe,round,seq,card,hand
2026-03-08T10:00:42.000+08:00,BAC-507,S0001,,1,KD,burn
2026-03-08T10:02:30.538+08:00,BAC-507,S0001,1,2,5D,player
2026-03-08T10:02:32.706+08:00,BAC-507,S0001,1,3,6S,banker
2026-03-08T10:02:35.120+08:00,BAC-507,S0001,1,4,QS,player
2026-03-08T10:02:36.450+08:00,BAC-507,S0001,1,5,9S,banker
2026-03-08T10:02:42.747+08:00,BAC-507,S0001,1,6,5S,player
2026-03-08T10:02:48.458+08:00,BAC-507,S0001,1,7,KC,banker
2026-03-08T10:03:37.905+08:00,BAC-507,S0001,2,8,AH,player
2026-03-08T10:03:39.812+08:00,BAC-507,S0001,2,9,2C,banker
2026-03-08T10:03:41.789+08:00,BAC-507,S0001,2,10,8S,player
2026-03-08T10:03:43.996+08:00,BAC-507,S0001,2,11,QD,banker
2026-03-08T10:04:40.739+08:00,BAC-507,S0001,3,12,KS,player
2026-03-08T10:04:43.129+08:00,BAC-507,S0001,3,13,7C,banker
2026-03-08T10:04:45.286+08:00,BAC-507,S0001,3,14,6C,player
2026-03-08T10:04:46.509+08:00,BAC-507,S0001,3,15,AC,banker
""",
    "ledger.csv": """\
table,shoe,round,box,bettor,wager,hand,stake,net,placed_at
BAC-507,S0001,1,2,P-1357-2,banker,,5.00,4.75,2026-03-08T10:02:22.256+08:00
BAC-507,S0001,1,2,P-1357-2,tiger_pair,,10.00,-10.00,2026-03-08T10:02:16.944+08:00
BAC-507,S0001,1,7,P-7987-7,banker,,5.00,4.75,2026-03-08T10:02:11.735+08:00
BAC-507,S0001,1,7,P-7987-7,tiger_tie,,5.00,-5.00,2026-03-08T10:02:20.631+08:00
BAC-507,S0001,1,7,P-7987-7,tiger_pair,,5.00,-5.00,2026-03-08T10:02:16.224+08:00
BAC-507,S0001,2,2,P-1357-2,banker,,20.00,-20.00,2026-03-08T10:03:11.077+08:00
BAC-507,S0001,2,2,P-1357-2,big_tiger,,15.00,-15.00,2026-03-08T10:03:27.721+08:00
BAC-507,S0001,2,7,P-7987-7,banker,,21.18,-21.18,2026-03-08T10:03:20.447+08:00
BAC-507,S0001,2,7,P-7987-7,tie,,20.00,-20.00,2026-03-08T10:03:18.613+08:00
BAC-507,S0001,3,2,P-1357-2,banker,,25.00,23.75,2026-03-08T10:04:26.905+08:00
BAC-507,S0001,3,2,P-1357-2,tiger,,5.00,-5.00,2026-03-08T10:04:22.624+08:00
BAC-507,S0001,3,2,P-1357-2,big_tiger,,5.00,-5.00,2026-03-08T10:04:27.578+08:00
BAC-507,S0001,3,2,P-1357-2,small_tiger,,15.00,-15.00,2026-03-08T10:04:34.050+08:00
BAC-507,S0001,3,4,P-2989-4,player,,25.00,-25.00,2026-03-08T10:04:18.500+08:00
BAC-507,S0001,3,4,P-2989-4,tiger,,10.00,-10.00,2026-03-08T10:04:29.830+08:00
BAC-507,S0001,3,5,P-5777-5,player,,5.00,-5.00,2026-03-08T10:04:17.535+08:00
BAC-507,S0001,3,7,P-7987-7,banker,,50.00,47.50,2026-03-08T10:04:32.409+08:00
BAC-507,S0001,3,7,P-7987-7,big_tiger,,5.00,-5.00,2026-03-08T10:04:23.701+08:00
""",
    "calls.csv": """\
ts,table,shoe,round,call,hand,bettor,value
2026-03-08T10:00:00.000+08:00,BAC-507,S0001,,shuffle,,,
2026-03-08T10:00:30.000+08:00,BAC-507,S0001,,dealer_in,,,D01
2026-03-08T10:02:00.000+08:00,BAC-507,S0001,1,bets_open,,,
2026-03-08T10:02:24.846+08:00,BAC-507,S0001,1,bets_closed,,,
2026-03-08T10:02:50.820+08:00,BAC-507,S0001,1,outcome,,,banker
2026-03-08T10:03:05.043+08:00,BAC-507,S0001,1,round_end,,,
2026-03-08T10:03:08.935+08:00,BAC-507,S0001,2,bets_open,,,
2026-03-08T10:03:32.568+08:00,BAC-507,S0001,2,bets_closed,,,
2026-03-08T10:03:48.077+08:00,BAC-507,S0001,2,outcome,,,player
2026-03-08T10:04:04.534+08:00,BAC-507,S0001,2,round_end,,,
2026-03-08T10:04:08.755+08:00,BAC-507,S0001,3,bets_open,,,
2026-03-08T10:04:36.612+08:00,BAC-507,S0001,3,bets_closed,,,
2026-03-08T10:04:49.422+08:00,BAC-507,S0001,3,outcome,,,banker
2026-03-08T10:05:02.853+08:00,BAC-507,S0001,3,round_end,,,
2026-03-08T10:39:30.457+08:00,BAC-507,S0001,,dealer_in,,,D02
""",
}
Pack = Callable[[bytes], bytes]
PACKINGS: dict[str, Pack] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: bytes(pa.compress(content, codec="zstd", asbytes=True)),
}
LOG_FILES = ("cards.csv", "ledger.csv", "calls.csv")


def as_csv(text: str) -> bytes:
    return text.encode()


def as_semicolons(text: str) -> bytes:
    return b"\xef\xbb\xbf" + text.replace(",", ";").replace("\n", "\r\n").encode()


def as_tabs_quoted(text: str) -> bytes:
    lines = (line.split(",") for line in text.splitlines())
    return "\n".join("\t".join(f'" {field} "' for field in line) for line in lines).encode()


def as_shuffled_columns(text: str) -> bytes:
    lines = [line.split(",") for line in text.splitlines()]
    turned = [
        [line[-1].upper() if not place else line[-1], *line[:-1]]
        for place, line in enumerate(lines)
    ]
    return "".join(f"{','.join(line)},ignored\n" for line in turned).encode()


def as_json_lines(text: str) -> bytes:
    return pl.read_csv(text.encode(), infer_schema=False).write_ndjson().encode()


def as_json_numbers(text: str) -> bytes:
    return pl.read_csv(text.encode()).write_ndjson().encode()


def as_parquet(text: str) -> bytes:
    return in_parquet(pl.read_csv(text.encode(), infer_schema=False))


def as_typed_parquet(text: str) -> bytes:
    frame = pl.read_csv(text.encode())
    times = [name for name in ("ts", "placed_at") if name in frame.columns]
    zone = pl.col(times).str.to_datetime("%+", time_zone="UTC", time_unit="ns")
    return in_parquet(frame.with_columns(zone.dt.convert_time_zone("Asia/Singapore")))


def as_parquet_in_groups(text: str) -> bytes:
    file = io.BytesIO()
    pl.read_csv(text.encode(), infer_schema=False).write_parquet(file, row_group_size=4)
    return file.getvalue()


def in_parquet(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


FORMATS = (
    as_csv,
    as_semicolons,
    as_tabs_quoted,
    as_shuffled_columns,
    as_json_lines,
    as_json_numbers,
    as_parquet,
    as_typed_parquet,
    as_parquet_in_groups,
)


def example(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())
    return folder


def same_rows(frame: pl.DataFrame, other: pl.DataFrame) -> bool:
    return frame.drop("source").equals(other.drop("source"))


def all_is_used(sources: Sources) -> bool:
    accounts = sources.accounts()
    return not sources.refused and all(one.used == one.read > 0 for one in accounts)


def test_the_blackjack_example_is_read_whole(tmp_path: Path) -> None:
    sources = read_sources([example(tmp_path / "bj", BLACKJACK)])
    assert all_is_used(sources)
    assert {Path(one.source).name: one.read for one in sources.accounts()} == {
        "calls.csv": 18,
        "cards.csv": 21,
        "ledger.csv": 11,
    }
    assert list(sources.sheets) == ["BJ-MBS6-7"]
    assert sources.cards.row(2, named=True) == {
        "table_id": "BJ-MBS6-7",
        "shoe": "S001",
        "round": 1,
        "seq": 3,
        "ts": datetime(2026, 3, 2, 2, 5, 42, 736000, tzinfo=UTC),
        "card": "TD",
        "hand": "box4",
        "confidence": 1.0,
        "alternatives": None,
        "at_s": None,
        "footage": None,
        "doubt": None,
        "source": str(tmp_path / "bj" / "cards.csv"),
        "row": 3,
    }


def test_the_baccarat_example_is_read_whole(tmp_path: Path) -> None:
    sources = read_sources([example(tmp_path / "bac", BACCARAT)])
    assert all_is_used(sources)
    assert sources.cards["round"].to_list() == [None, *[1] * 6, *[2] * 4, *[3] * 4]
    assert sources.wagers.row(7, named=True) == {
        "table_id": "BAC-507",
        "shoe": "S0001",
        "round": 2,
        "box": 7,
        "bettor": "P-7987-7",
        "wager": "banker",
        "hand": None,
        "stake": 2118,
        "net": -2118,
        "placed_at": datetime(2026, 3, 8, 2, 3, 20, 447000, tzinfo=UTC),
        "settled_at": None,
        "on_behalf_of": None,
        "source": str(tmp_path / "bac" / "ledger.csv"),
        "row": 8,
    }
    assert sources.calls.row(-1, named=True) == {
        "ts": datetime(2026, 3, 8, 2, 39, 30, 457000, tzinfo=UTC),
        "table_id": "BAC-507",
        "shoe": "S0001",
        "round": None,
        "call": "dealer_in",
        "hand": None,
        "bettor": "",
        "value": "D02",
        "source": str(tmp_path / "bac" / "calls.csv"),
        "row": 15,
    }


def test_frames_have_the_same_columns_whether_or_not_there_is_anything_in_them(
    tmp_path: Path,
) -> None:
    for folder, files in (("none", {}), ("some", BLACKJACK)):
        sources = read_sources([example(tmp_path / folder, files)])
        assert sources.cards.schema == pl.Schema(CARDS.schema)
        assert sources.wagers.schema == pl.Schema(WAGERS.schema)
        assert sources.calls.schema == pl.Schema(CALLS.schema)


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("written", FORMATS, ids=lambda written: written.__name__)
def test_every_format_in_every_packing_gives_the_same_rows(
    tmp_path: Path, written: Callable[[str], bytes], packing: str
) -> None:
    for game, files in (("bj", BLACKJACK), ("bac", BACCARAT)):
        plain = read_sources([example(tmp_path / game / "plain", files)])
        other = tmp_path / game / "other"
        other.mkdir()
        for name in LOG_FILES:
            (other / f"{name}.dat").write_bytes(PACKINGS[packing](written(files[name])))
        read = read_sources([other])
        assert all_is_used(read)
        assert [one.read for one in read.accounts()] == [one.read for one in plain.accounts()]
        assert same_rows(read.cards, plain.cards)
        assert same_rows(read.wagers, plain.wagers)
        assert same_rows(read.calls, plain.calls)


def test_any_mix_of_files_and_folders_is_read_together(tmp_path: Path) -> None:
    first = example(tmp_path / "bj", BLACKJACK)
    second = example(tmp_path / "bac" / "deep", BACCARAT)
    (second / "cards.csv").unlink()
    (second / "cards").write_bytes(as_parquet(BACCARAT["cards.csv"]))
    (second / ".hidden.csv").write_text("seq,card\n")
    film = tmp_path / "bac" / "Table 7.MP4"
    film.touch()
    addresses: list[Path | str] = ["rtsp://camera/7", Path("HTTPS://camera/8")]
    sources = read_sources(
        [first / "ledger.csv", tmp_path / "bac", *addresses, first / "cards.csv"]
    )
    assert all_is_used(sources)
    assert (sources.cards.height, sources.wagers.height, sources.calls.height) == (36, 29, 15)
    assert sources.footage == (film, "rtsp://camera/7", "https://camera/8")
    assert list(sources.sheets) == ["BAC-507"]


def test_rows_that_say_the_same_are_used_once(tmp_path: Path) -> None:
    folder = example(tmp_path / "bac", BACCARAT)
    twice = BACCARAT["cards.csv"] + "\n".join(BACCARAT["cards.csv"].splitlines()[3:5]) + "\n"
    (folder / "cards.csv").write_text(twice)
    (folder / "copy.parquet").write_bytes(as_typed_parquet(BACCARAT["cards.csv"]))
    sources = read_sources([folder])
    assert same_rows(sources.cards, read_sources([example(tmp_path / "once", BACCARAT)]).cards)
    assert len(sources.duplicates) == len(sources.left_over) == 2 + 15
    assert str(sources.duplicates[0]) == (
        f"{folder / 'cards.csv'}, row 16: it is the same as row 3 of {folder / 'cards.csv'}"
    )
    assert all(one.balances for one in sources.accounts())
    assert [one.left_over for one in sources.accounts()] == [0, 2, 15, 0]


def test_equal_splits_of_one_bettor_are_two_wagers_unless_a_second_file_repeats_them(
    tmp_path: Path,
) -> None:
    ledger = "table,shoe,round,box,bettor,wager,stake,net\n"
    ledger += "BJ,S,1,3,P1,main,100,100\n" * 2 + "BJ,S,1,3,P1,split,100,100\n" * 2
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(ledger)
    sources = read_sources([tmp_path])
    assert sources.wagers["wager"].to_list() == ["main", "split", "split"]
    assert [(Path(one.source).name, one.row) for one in sources.duplicates] == [
        ("a.csv", 2),
        *(("b.csv", row) for row in range(1, 5)),
    ]


def test_a_file_that_is_given_twice_is_read_once(tmp_path: Path) -> None:
    folder = example(tmp_path / "bac", BACCARAT)
    (folder / "link.csv").symlink_to(folder / "cards.csv")
    (folder / "round").symlink_to(folder)
    sources = read_sources([folder, folder / "cards.csv"])
    assert sources.cards.height == 15
    assert not sources.duplicates
    assert all_is_used(sources)
    assert all(one.balances for one in sources.accounts())
    assert [(Path(one.source).name, one.row) for one in sources.left_over] == [
        ("link.csv", 0),
        ("cards.csv", 0),
    ]


def test_sheets_that_agree_are_one_and_sheets_that_differ_are_an_error(tmp_path: Path) -> None:
    folder = example(tmp_path / "bac", BACCARAT)
    (folder / "table2.toml").write_text(BACCARAT["table.toml"])
    sources = read_sources([folder])
    assert list(sources.sheets) == ["BAC-507"]
    assert "the same of table BAC-507" in sources.left_over[0].why
    (folder / "table2.toml").write_text(BACCARAT["table.toml"].replace("= 8", "= 6"))
    with pytest.raises(BadInput, match=r"table\.toml and .*table2\.toml are two different sheets"):
        read_sources([folder])


def test_values_are_written_the_one_way(tmp_path: Path) -> None:
    log = tmp_path / "cards.csv"
    log.write_text(
        "TS , Table,SHOE,round,seq,card,hand,confidence,alternatives,at_s,footage,doubt\n"
        "2026-03-02 10:05:20.5 +08, T ,s,7.0,+1,10d,Box3.2,0.7,9h:0.21  10D:0.02,12.5,a.mp4,dim \n"
        "20260302T020520Z,T,s,,2.,??,,,,,,\n".replace("2.,", "2,")
    )
    first, second = read_sources([log]).cards.drop("source", "row").iter_rows()
    moment = datetime(2026, 3, 2, 2, 5, 20, tzinfo=UTC)
    half = moment.replace(microsecond=500_000)
    readings = "9H:0.21 TD:0.02"
    assert first == ("T", "s", 7, 1, half, "TD", "box3.2", 0.7, readings, 12.5, "a.mp4", "dim")
    assert second == ("T", "s", None, 2, moment, "??", None, 1.0, None, None, None, None)


@pytest.mark.parametrize("wager", WagerKind)
def test_every_wager_of_either_game_is_known(tmp_path: Path, wager: WagerKind) -> None:
    log = tmp_path / "ledger.csv"
    log.write_text(f"table,shoe,round,bettor,wager,stake\nT,S,1,P,{wager.upper()},5\n")
    assert read_sources([log]).wagers["wager"].to_list() == [wager]


def test_every_call_is_known(tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"
    log.write_text(
        "".join(
            f'{{"ts":"2026-03-02T10:05:20Z","table":"T","call":"{call}"}}\n' for call in CallKind
        )
    )
    assert read_sources([log]).calls["call"].to_list() == list(CallKind)
