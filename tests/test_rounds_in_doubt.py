"""What is said of a round that nobody can judge: what was not read, and what is in doubt."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import duckdb
import pytest
from click.testing import CliRunner

from audit.cli import main
from audit.findings import NOBODY_SAID, Severity, reasons_for_doubt
from audit.judge import judge_round
from audit.notation import parse_round
from audit.rulebook_files import rulebook
from audit.table_sheet import plain_sheet
from tests.table_sheets import BACCARAT

if TYPE_CHECKING:
    from pathlib import Path

    from audit.rounds import Round

BOOK = rulebook("mbs-fortune-six-baccarat-v6")


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("P ?? ?? / B ?? ??", "the reading of 4 cards"),
        ("P 9H KD / B 2C 7S", "4 cards were read, but whether they lay there, and no others,"),
        ("P 9H ?? / B 2C 7S", "is in doubt, and the reading of 1 more"),
    ],
)
def test_a_round_in_doubt_says_what_is_doubted(line: str, missing: str) -> None:
    known = parse_round(line)
    round_ = replace(known, cards=tuple(replace(seen, confidence=0.5) for seen in known.cards))
    (finding,) = judge_round(round_, BOOK, plain_sheet(BOOK.id, decks=8))
    assert finding.code == "SRC002"
    assert finding.severity is Severity.REVIEW
    assert missing in finding.observed


def in_doubt(line: str, why: str) -> Round:
    """Give a round of which one card says why it cannot be relied on, though all are sure."""
    played = parse_round(line)
    first, *rest = played.cards
    return replace(played, cards=(replace(first, doubt=why), *rest))


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ("P 2H 3D / B KS 6S | alice:banker 100=+95", {"DRW001"}),
        ("P 8H KC / B 4C 3S | alice:player 100=-100", {"PAY003"}),
        ("P 8H KC / B 4C 3S | outcome banker", {"SRC001"}),
        ("P 8H KC / B 4C 3S | alice:player 100=+100 late", {"BET011"}),
        ("P 8H KC / B 4C | alice:player 100=-100, void misdeal", {"PAY009"}),
    ],
)
def test_in_a_round_that_cannot_be_relied_on_nobody_is_accused(line: str, codes: set[str]) -> None:
    sheet = plain_sheet(BOOK.id, decks=8)
    sure = judge_round(parse_round(line), BOOK, sheet)
    assert {one.code for one in sure if one.severity is Severity.VIOLATION} == codes
    doubted = judge_round(in_doubt(line, "row 7 was refused"), BOOK, sheet)
    assert [one.what for one in doubted] == [one.what for one in sure]
    assert {one.severity for one in doubted} == {Severity.REVIEW}
    assert all(one.observed.endswith("; row 7 was refused") for one in doubted)
    assert max(one.confidence for one in doubted) <= NOBODY_SAID


def test_too_many_copies_in_a_round_are_too_many_whatever_it_lacks() -> None:
    sheet = plain_sheet(BOOK.id, decks=8)
    line = "P KS 8D / B KS 7S | outcome player"
    doubted = judge_round(in_doubt(line, "row 7 was refused"), BOOK, replace(sheet, decks=1))
    severities = {one.code: one.severity for one in doubted}
    assert severities["SHO001"] is Severity.VIOLATION


def test_of_many_reasons_for_a_doubt_the_first_are_said() -> None:
    reasons = [f"row {row} was refused" for row in (1, 2, 2, 3, 4, 5)]
    assert reasons_for_doubt(reasons) == (
        "row 1 was refused; row 2 was refused; row 3 was refused; and 2 more"
    )
    assert reasons_for_doubt(["", ""]) == ""


def test_why_a_film_leaves_a_round_in_doubt_is_said_with_the_finding(tmp_path: Path) -> None:
    why = "what lies in player at 7.0 s may be an unread card"
    cards = zip(("9H", "2C", "KD", "7S"), ("player", "banker") * 2, strict=True)
    rows = [
        f"2026-03-09T20:00:0{seq}+08:00,BAC-07,S1,1,{seq},{card},{hand},0.5,{why}\n"
        for seq, (card, hand) in enumerate(cards, 1)
    ]
    names = "ts,table_id,shoe,round,seq,card,hand,confidence,doubt\n"
    log, sheet, database = (tmp_path / name for name in ("cards.csv", "table.toml", "a.duckdb"))
    log.write_text(names + "".join(rows), "utf-8")
    sheet.write_text(BACCARAT.replace("burn     = 1", "burn     = 0"), "utf-8")
    given = ["audit", str(log), str(sheet), "--db", str(database), "--jobs", "1"]
    assert CliRunner().invoke(main, given).exit_code == 0
    with duckdb.connect(str(database), read_only=True) as connection:
        found = connection.execute("SELECT code, severity, observed FROM findings").fetchall()
        assert connection.execute("SELECT DISTINCT doubt FROM cards").fetchall() == [(why,)]
    assert [each[:2] for each in found] == [("SRC002", "review")]
    assert why in found[0][2]
