"""`catwalk audit` with films among its inputs: read, judged, held against the shoe, and shown."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from shutil import copy, copytree
from typing import TYPE_CHECKING

import cv2
import pytest
from click.testing import CliRunner, Result

from audit.cli import main
from audit.films import FilmedCard, FilmedFinding
from audit.queries import run_query
from tests.coded_films import (
    LINES,
    SHEET,
    SKIPPED_DRAW,
    CodeReader,
    Drawn,
    film_of,
    instead_of_networks,
)
from vision.card_log import Part
from vision.film_clock import FilmStart
from vision.film_evidence import show_findings
from vision.filmed_table import load_filmed_table

if TYPE_CHECKING:
    from vision.evidence import EvidenceWanted

START = datetime(2026, 3, 9, 20, tzinfo=timezone(timedelta(hours=8)))
MADE = "2026-03-09T12:00:00Z"
DEALT = ["2H", "KS", "3D", "3S", "8C", "9H", "2C", "8D", "3H", "5D"]
"""The cards of the clean film, in their order."""
ROUNDS = [1] * 5 + [2] * 5
HANDS = ["player", "banker", "player", "banker", "player"] * 2
HANDS[-1] = "banker"


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with films, their sheet, and the logs of an audit that read them before."""
    folder = tmp_path_factory.mktemp("films")
    (folder / "table.toml").write_text(SHEET)
    film_of(*LINES[:2]).write(folder / "clean.mp4", made=MADE)
    film_of(SKIPPED_DRAW).write(folder / "fault.mp4", made=MADE)
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        patched.setattr("vision.audit_films.show_findings", lambda *_: iter(()))
        instead_of_networks(patched, CodeReader())
        assert audit("clean.mp4", "fault.mp4").exit_code == 1
    return folder


@pytest.fixture
def folder(films: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where films are of which none was read yet."""
    for path in films.glob("*.[mt]*"):
        copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


@pytest.fixture
def read_before(films: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> CodeReader:
    """The same, with the logs; nothing is shown, which takes its time."""
    copytree(films / "catwalk.duckdb.footage", folder / "catwalk.duckdb.footage")
    monkeypatch.setattr("vision.audit_films.show_findings", lambda *_: iter(()))
    reader = CodeReader()
    instead_of_networks(monkeypatch, reader)
    return reader


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> CodeReader:
    reader = CodeReader()
    instead_of_networks(monkeypatch, reader)
    return reader


def audit(*words: str, table: str = "table.toml") -> Result:
    result = CliRunner().invoke(main, ["audit", *words, "--table", table, "--jobs", "1"])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@dataclass(frozen=True)
class Found:
    round: int | None
    code: str
    severity: str
    observed: str


def findings() -> list[Found]:
    sql = "SELECT round, code, severity, observed FROM findings ORDER BY round, code"
    return [Found(*row) for row in run_query(Path("catwalk.duckdb"), sql).frame.iter_rows()]


def codes() -> list[tuple[str, str]]:
    return [(found.code, found.severity) for found in findings()]


def shoe_log(
    cards: list[str], name: str = "shoe.csv", shoe: str = "S1", *, hands: bool = False,
    start: datetime = START,
) -> str:  # fmt: skip
    """What a shoe reads that knows neither rounds nor, mostly, hands."""
    with Path(name).open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("ts", "table_id", "shoe", "round", "seq", "card", "hand"))
        for place, card in enumerate(cards):
            at = start + timedelta(seconds=1 + place + 5 * (place >= 5))
            hand = HANDS[place] if hands else ""
            number = ROUNDS[place] if hands else ""
            writer.writerow((at.isoformat(), "BAC-1", shoe, number, place + 1, card, hand))
    return name


# What a film shows


@pytest.mark.usefixtures("folder")
def test_a_clean_film_is_read_and_nothing_is_found(reader: CodeReader) -> None:
    result = audit("clean.mp4")
    assert result.exit_code == 0, result.output
    assert findings() == []
    told = result.stdout.split()
    film = told[told.index("clean.mp4") :][:5]
    assert film == ["clean.mp4", "clean", "2", "10", "0"]
    (log,) = Path("catwalk.duckdb.footage").glob("*.csv")
    assert log.name.startswith("clean-")
    rows = run_query(
        Path("catwalk.duckdb"), "SELECT DISTINCT shoe, footage FROM cards"
    ).frame.rows()
    assert rows == [("clean", "clean.mp4")]
    pictures = len(reader.pictures)
    again = audit("clean.mp4")
    assert again.exit_code == 0
    assert len(reader.pictures) == pictures


@pytest.mark.usefixtures("folder", "reader")
def test_a_rule_that_was_broken_is_found_and_shown() -> None:
    result = audit("fault.mp4", "--json")
    assert result.exit_code == 1, result.output
    assert codes() == [("DRW001", "violation")]
    told = json.loads(result.stdout)
    assert told["films"][0]["rounds"] == 1
    (shown,) = told["evidence"]
    assert shown["code"] == "DRW001"
    still = cv2.imread(shown["still"])
    assert still is not None
    assert Path(shown["still"]).parent == Path("catwalk.duckdb.evidence")
    clip = cv2.VideoCapture(shown["clip"])
    assert clip.get(cv2.CAP_PROP_FRAME_COUNT) > 50


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("sure", [0.5, 0.7])
def test_what_hangs_on_a_doubtful_card_is_for_a_person_to_see(
    monkeypatch: pytest.MonkeyPatch, sure: float
) -> None:
    """Were the three a four, the player would stand in order."""
    monkeypatch.setattr("vision.audit_films.show_findings", lambda *_: iter(()))
    instead_of_networks(monkeypatch, CodeReader(doubted={"3C": (sure, "4C")}))
    result = audit("fault.mp4")
    assert result.exit_code == 0, result.output
    assert codes() == [("DRW001", "review")]


@pytest.mark.usefixtures("reader")
def test_a_round_that_was_not_seen_whole_accuses_nobody(folder: Path) -> None:
    film = replace(film_of(SKIPPED_DRAW, every_s=14.0), covered=(5.0, 9.0))
    film.write(folder / "covered.mp4", made=MADE)
    result = audit("covered.mp4")
    assert result.exit_code == 0, result.output
    assert {severity for _, severity in codes()} <= {"review", "note"}
    assert "the camera is covered" in result.stdout
    assert "1 of 1 rounds may not have been seen whole" in " ".join(result.stdout.split())


# Camera against shoe


@pytest.mark.usefixtures("read_before")
def test_a_film_and_a_shoe_that_agree_are_one_log() -> None:
    result = audit("clean.mp4", shoe_log(DEALT))
    assert result.exit_code == 0, result.output
    assert findings() == []
    sql = "SELECT shoe, seq, card, hand, footage FROM cards ORDER BY seq"
    rows = run_query(Path("catwalk.duckdb"), sql).frame.rows()
    assert [row[2] for row in rows] == DEALT
    assert [row[3] for row in rows] == HANDS
    assert {(row[0], row[4]) for row in rows} == {("S1", "clean.mp4")}


@pytest.mark.usefixtures("read_before")
def test_a_switched_card_is_named() -> None:
    read = ["JD" if card == "8D" else card for card in DEALT]
    result = audit("clean.mp4", shoe_log(read))
    assert result.exit_code == 0, result.output
    (found, *others) = [one for one in findings() if one.code == "SRC004"]
    assert not others
    assert (found.round, found.severity) == (2, "review")
    assert found.observed == (
        "card 8: shoe.csv has JD, clean.mp4 8D; both are sure, so the card may have been switched"
    )


@pytest.mark.usefixtures("read_before")
@pytest.mark.parametrize("hands", [False, True], ids=["", "hands"])
def test_a_card_dealt_out_of_order_is_named(*, hands: bool) -> None:
    read = [*DEALT]
    read[2], read[3] = read[3], read[2]
    result = audit("clean.mp4", shoe_log(read, hands=hands))
    assert result.exit_code == 0, result.output
    (found,) = [one for one in findings() if one.code == "SRC006"]
    assert (found.round, found.severity) == (1, "review")
    assert found.observed.startswith(
        "card 4, 3D, comes after 3S in shoe.csv and before it in clean.mp4"
    )
    assert found.observed.endswith(", to player instead of banker") == hands


@pytest.mark.usefixtures("read_before")
def test_a_card_that_never_came_to_the_table_is_named() -> None:
    result = audit("clean.mp4", shoe_log([*DEALT[:7], "7S", *DEALT[7:]]))
    assert result.exit_code == 0, result.output
    (found,) = [one for one in findings() if one.code == "SRC005"]
    assert found.severity == "review"
    assert found.observed == (
        "card 8, 7S, is in shoe.csv and not in clean.mp4; it may never have come to the table"
    )


@pytest.mark.usefixtures("read_before")
def test_a_card_that_did_not_come_out_of_the_shoe_is_named() -> None:
    read = [card for card in DEALT if card != "3H"]
    result = audit("clean.mp4", shoe_log(read))
    assert result.exit_code == 0, result.output
    (found,) = [one for one in findings() if one.code == "SRC005"]
    assert found.observed == (
        "card 9, 3H, is in clean.mp4 and not in shoe.csv; it may not have come out of the shoe"
    )


@pytest.mark.usefixtures("read_before")
def test_of_several_shoes_a_film_is_of_the_one_of_its_time() -> None:
    earlier = shoe_log(DEALT[::-1], "before.csv", "S0", start=START - timedelta(hours=2))
    result = audit("clean.mp4", shoe_log(DEALT), earlier)
    assert result.exit_code in (0, 1), result.output
    sql = "SELECT DISTINCT shoe FROM cards WHERE footage IS NOT NULL"
    assert run_query(Path("catwalk.duckdb"), sql).frame.rows() == [("S1",)]


# What cannot be read, and what was broken off


@pytest.mark.usefixtures("reader")
def test_a_film_that_cannot_be_read_is_named_though_the_rest_was_audited_before(
    folder: Path,
) -> None:
    log = shoe_log(DEALT, hands=True)
    assert audit(log).exit_code == 0
    (folder / "broken.mp4").write_bytes(b"no film at all")
    result = audit(log, "broken.mp4", "--json")
    assert result.exit_code == 0, result.output
    assert "broken.mp4" in result.stdout
    assert "is not footage of a kind that can be read here" in result.stdout
    alone = audit("broken.mp4")
    assert alone.exit_code == 2
    assert "there is no round in these inputs: " in alone.stderr


@pytest.mark.usefixtures("reader")
def test_a_sheet_without_a_camera_does_not_do(folder: Path) -> None:
    (folder / "bare.toml").write_text(SHEET.partition("[camera]")[0])
    result = audit("clean.mp4", table="bare.toml")
    assert result.exit_code == 2
    assert "bare.toml lacks [camera]" in result.stderr


@pytest.mark.usefixtures("read_before")
def test_the_sheet_beside_a_film_is_its_own() -> None:
    other = Path("other")
    other.mkdir()
    (other / "table.toml").write_text(SHEET.replace("BAC-1", "BAC-2"))
    Path("clean.mp4").rename(other / "clean.mp4")
    result = CliRunner().invoke(main, ["audit", ".", "--jobs", "1", "--quiet"])
    assert result.exit_code == 1, result.output
    sql = "SELECT DISTINCT table_id, shoe FROM cards ORDER BY ALL"
    rows = run_query(Path("catwalk.duckdb"), sql).frame.rows()
    assert rows == [("BAC-1", "fault"), ("BAC-2", "clean")]


@pytest.mark.usefixtures("folder")
def test_an_audit_that_was_broken_off_goes_on(
    monkeypatch: pytest.MonkeyPatch, reader: CodeReader
) -> None:
    audit("clean.mp4", "--db", "whole.duckdb", "--quiet")
    instead_of_networks(monkeypatch, CodeReader(breaks_off_after=len(reader.pictures) - 4))
    result = audit("clean.mp4", "--quiet")
    assert result.exit_code == 130
    assert "broken off while a film was read" in result.stderr
    instead_of_networks(monkeypatch, CodeReader())
    assert audit("clean.mp4", "--quiet").exit_code == 0
    whole, mended = (
        next(Path(f"{name}.duckdb.footage").glob("*.csv")).read_bytes()
        for name in ("whole", "catwalk")
    )
    assert mended == whole


@pytest.mark.usefixtures("read_before")
def test_ctrl_c_ends_a_live_stream_and_what_it_showed_is_audited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each time it is another film, of another shoe."""
    coming = [Drawn(film_of(SKIPPED_DRAW, *LINES[:2]), name="rtsp://cam/7") for _ in range(2)]
    monkeypatch.setattr(
        "vision.film_stage.open_film", lambda _: (coming.pop(0), (Part("rtsp://cam/7"),))
    )
    starts = [START, START + timedelta(hours=1)]
    monkeypatch.setattr(
        "vision.audit_films.start_of", lambda *_: FilmStart(starts.pop(0), "by the clock")
    )
    for shoes in (["stream-20260309-200000"], ["stream-20260309-200000", "stream-20260309-210000"]):
        instead_of_networks(monkeypatch, CodeReader(breaks_off_after=40))
        result = audit("rtsp://user:secret@cam/7")
        assert result.exit_code == 1, result.output
        assert "secret" not in result.output
        sql = "SELECT DISTINCT shoe FROM cards ORDER BY shoe"
        assert run_query(Path("catwalk.duckdb"), sql).frame["shoe"].to_list() == shoes
        assert ("DRW001", "violation") in codes()


# What is shown


def test_cards_read_in_one_look_are_each_marked_where_they_lie(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = folder / "cards.csv"
    log.write_text(
        "round,seq,card,hand,confidence,alternatives,at_s,footage,laid_s,gone_s,box\n"
        "1,1,2H,player,0.99,,1.3,clean.mp4,1.3,6.0,50 140 90 200\n"
        "1,2,KS,banker,0.99,,1.3,clean.mp4,1.3,6.0,370 140 410 200\n"
    )
    finding = FilmedFinding(
        "f1", "SRC004", "review", "BAC-1", "S1", 1, START, "Seen.",
        (
            FilmedCard(1, "2H", "player", 1.0, "clean.mp4", 1.3, concerned=False),
            FilmedCard(2, "QS", "banker", 0.5, "clean.mp4", 1.3, concerned=True),
        ),
    )  # fmt: skip
    asked: list[EvidenceWanted] = []

    def ask(_source: object, wanted: list[EvidenceWanted], *_: object) -> list[object]:
        asked.extend(wanted)
        return []

    monkeypatch.setattr("vision.film_evidence.evidence_for", ask)
    table = load_filmed_table(folder / "table.toml")
    list(show_findings([finding], {"clean.mp4": folder / "clean.mp4"}, log, table, folder))
    (wanted,) = asked
    assert [(mark.card, mark.box[0]) for mark in wanted.cards] == [("2H", 50.0), ("KS", 370.0)]
