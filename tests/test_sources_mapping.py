"""A vendor's export, read through a mapping."""

from pathlib import Path

import polars as pl
import pytest

from audit.errors import BadInput
from audit.sources import load_column_mapping, read_column_mapping, read_sources
from audit.sources.columns import LOGS
from audit.sources.mapping import __doc__ as mapping_manual
from tests.test_sources import BACCARAT, all_is_used, example

MAPPING = """
[cards]
seq   = "CardNo"
card  = "Code"
ts    = "Read At"
hand  = "Card"
[wagers]
stake = "Amount"
[values.card]
"1S" = "AS"
[values.hand]
"P" = "player"
"-" = ""
[values.round]
"0" = ""
[format]
ts = "%d/%m/%Y %H:%M:%S.%f"
[constants.cards]
table_id = "BAC-507"
shoe     = "S9"
"""
VENDOR = """\
CardNo;Code;Card;Read At;Round
1; 1s ;-;02/03/2026 10:05:20.250;0
2;TD;P;02/03/2026 10:05:21.000;1
3;TD;banker;2026-03-02T10:05:22+08:00;1
"""


def test_a_vendors_export_is_read_through_a_mapping(tmp_path: Path) -> None:
    folder = example(tmp_path / "bac", BACCARAT)
    (folder / "export.txt").write_text(VENDOR)
    (folder / "vendor.toml").write_text(MAPPING)
    sources = read_sources([folder], load_column_mapping(folder / "vendor.toml"))
    assert all_is_used(sources)
    rows = sources.cards.filter(pl.col("shoe") == "S9")
    assert rows.select("table_id", "round", "seq", "card", "hand").rows() == [
        ("BAC-507", None, 1, "AS", None),
        ("BAC-507", 1, 2, "TD", "player"),
        ("BAC-507", 1, 3, "TD", "banker"),
    ]
    assert rows["ts"].dt.strftime("%H:%M:%S%.3f").to_list() == [
        "02:05:20.250",
        "02:05:21.000",
        "02:05:22.000",
    ]
    assert sources.cards.height == 15 + 3


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[cards]\nshow = 'x'", r"m, \[cards\] has show, which is no column: did you mean shoe\?"),
        ("[cards]\nseq = 'x'\ncard = 'X'", r"m, \[cards\]: 'x' stands for two columns"),
        ("[cards]\nseq = 1", r"m, \[cards\]: seq = 1 must be a text"),
        ("[values.card]\n'1S' = 'XS'", r"m, \[values\], \[card\]: 1S: 'XS' is not a card"),
        ("[values.card]\n'1S' = 1", r"1S = 1 must be a text"),
        ("[values.cart]\n'1S' = 'AS'", r"has cart, which is no column: did you mean card\?"),
        ("[values.card]\na = 'AS'\nA = '2S'", r"\[card\]: 'a' is there twice"),
        ("[format]\nts = '%H:%M'", r"ts = \"%H:%M\" must be how a day and a time are written"),
        ("[format]\nts = '%Q'", r"ts = \"%Q\" must be how a day and a time are written"),
        ("[format]\ncard = '%Y'", r"has card, which is no column"),
        ("[constants.card]\nshoe = 'x'", r"has card, which is not known here: did you mean cards"),
        ("[constants.cards]\nshoes = 'x'", r"has shoes, which is no column: did you mean shoe"),
        ("[ledger]\nstake = 'x'", r"m has ledger, which is not known here"),
        ("seq = ", r"m is not TOML"),
    ],
)
def test_a_mapping_that_cannot_be_meant_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        read_column_mapping(text, "m")


def test_the_mapping_module_is_its_own_manual() -> None:
    indented = (line for line in (mapping_manual or "").splitlines() if line.startswith("    "))
    mapping = read_column_mapping("\n".join(line.strip() for line in indented), "the manual")
    assert mapping.columns["cards"] == {"seq": "cardno", "card": "code"}
    assert set(mapping.columns) == {log.frame for log in LOGS}


def test_a_column_that_stands_for_another_does_not_stand_for_itself(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("CardNo,Card,ts,table,shoe\n1,player,2026-03-02T10:05:20Z,T,S\n")
    mapping = read_column_mapping("[cards]\nseq = 'CardNo'\nhand = 'Card'", "m")
    (refused,) = read_sources([log], mapping).refused
    assert refused.why.startswith("it is neither a card log")


def test_a_mapping_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        load_column_mapping(path)
    path.write_bytes(b"\xff")
    with pytest.raises(BadInput, match="cannot be read: it is not UTF-8 text"):
        load_column_mapping(path)


def test_each_time_may_be_written_its_own_way_with_its_offset(tmp_path: Path) -> None:
    mapping = read_column_mapping(
        "[format]\nts = '%d.%m.%Y %H:%M %z'\nsettled_at = '%H:%M:%S %d-%m-%y'", "m"
    )
    log = tmp_path / "log.csv"
    log.write_text(
        "table,shoe,round,bettor,wager,stake,placed_at,settled_at\n"
        "BAC-507,S,1,P,tie,5,02.03.2026 10:05 +0800,10:06:07 02-03-26\n"
    )
    (tmp_path / "table.toml").write_text(BACCARAT["table.toml"])
    wagers = read_sources([tmp_path], mapping).wagers
    assert wagers["placed_at"].dt.strftime("%F %T").to_list() == ["2026-03-02 02:05:00"]
    assert wagers["settled_at"].dt.strftime("%F %T").to_list() == ["2026-03-02 02:06:07"]


def test_parts_of_a_second_may_stand_behind_anything(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(
        "ts,table,shoe,seq,card\n2026-03-02 10:05:20:250000+0800,T,S,1,9H\n"
    )
    mapping = read_column_mapping("[format]\nts = '%Y-%m-%d %H:%M:%S:%f%z'", "m")
    sources = read_sources([tmp_path], mapping)
    assert sources.cards["ts"].dt.strftime("%H:%M:%S%.3f").to_list() == ["02:05:20.250"]
