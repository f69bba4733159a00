"""The card log of a film: written round by round, gone on with, and never taken for another."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from tests.coded_films import LINES, SHEET, CodedFilm, CodeReader, Drawn, film_of
from vision.card_log import BadCardLog, Part, Progress
from vision.film_reader import DOUBTED, Unheard
from vision.film_stage import FilmLog, FilmOrder
from vision.filmed_table import load_filmed_table

if TYPE_CHECKING:
    from pathlib import Path

START = datetime(2026, 3, 9, 20, tzinfo=timezone(timedelta(hours=8)))
PICTURES = 90
"""About so many are read of the film of all rounds."""
STRETCH_S = 7.0
"""A film as short as ours has to be cut up more finely to be gone on with in its middle."""


@dataclass(frozen=True)
class Whole:
    """A film that was read without a break."""

    order: FilmOrder
    rows: bytes
    progress: Progress
    pictures: int


def order_of(folder: Path, *names: str) -> FilmOrder:
    sheet = folder / "table.toml"
    sheet.write_text(SHEET)
    return FilmOrder(tuple(folder / name for name in names), load_filmed_table(sheet), "S1", START)


def read_into(
    out: Path, order: FilmOrder, reader: CodeReader | None = None, *, again: bool = False
) -> FilmLog:
    film = FilmLog(order, "coded", out, again=again)
    film.read(reader or CodeReader(), Unheard())
    return film


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a film of one round, and one of another."""
    folder = tmp_path_factory.mktemp("one")
    film_of(LINES[0]).write(folder / "one.mp4")
    film_of(LINES[1]).write(folder / "other.mp4")
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    folder = tmp_path_factory.mktemp("whole")
    film_of(*LINES).write(folder / "five.mp4")
    order, out, reader = order_of(folder, "five.mp4"), folder / "whole.csv", CodeReader()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("vision.film_reader.STRETCH_S", STRETCH_S)
        film = read_into(out, order, reader)
    return Whole(order, out.read_bytes(), film.progress, len(reader.pictures))


@pytest.fixture
def stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.film_reader.STRETCH_S", STRETCH_S)


# What it holds


def test_a_log_has_the_columns_of_every_card_log(one: Path, tmp_path: Path) -> None:
    out = tmp_path / "cards.csv"
    film = read_into(out, replace(order_of(one, "one.mp4"), first_round=7))
    first, *_ = rows = rows_of(out)
    assert [row["card"] for row in rows] == ["2H", "KS", "3D", "3S", "8C"]
    assert first["ts"].startswith("2026-03-09T20:00:01.")
    assert first["ts"].endswith("+08:00")
    said = [first[name] for name in ("table_id", "shoe", "round", "seq", "card", "hand", "footage")]
    assert said == ["BAC-1", "S1", "7", "1", "2H", "player", "one.mp4"]
    assert 1.0 <= float(first["at_s"]) < 1.6
    assert film.progress.finished
    assert (film.progress.rounds, film.progress.cards, film.progress.unsure) == (1, 5, 0)


def test_times_never_go_back_though_a_card_was_seen_late(whole: Whole) -> None:
    rows = whole.rows.decode().splitlines()[1:]
    times = [row.partition(",")[0] for row in rows]
    assert times == sorted(times)


def test_several_files_are_one_film_and_each_card_is_found_in_its_own(
    one: Path, tmp_path: Path
) -> None:
    out = tmp_path / "cards.csv"
    film = read_into(out, order_of(one, "one.mp4", "other.mp4"))
    rows = rows_of(out)
    assert [row["footage"] for row in rows] == ["one.mp4"] * 5 + ["other.mp4"] * 5
    assert [row["round"] for row in rows] == ["1"] * 5 + ["2"] * 5
    assert 1.0 <= float(rows[5]["at_s"]) < 1.6
    assert rows[5]["ts"].startswith("2026-03-09T20:00:12.")
    assert set(film.files) == {"one.mp4", "other.mp4"}


def test_what_was_left_out_is_said_and_counted(tmp_path: Path) -> None:
    replace(film_of(*LINES[1:3]), length_s=12.9).write(tmp_path / "few.mp4")
    progress = read_into(tmp_path / "few.csv", order_of(tmp_path, "few.mp4")).progress
    assert (progress.rounds, progress.left_out) == (1, 1)
    (remark,) = progress.remarks
    assert "3 cards left out, which may be part of a round: the film ended before" in remark


def test_why_rounds_are_in_doubt_is_said_of_the_first_and_counted(tmp_path: Path) -> None:
    replace(film_of(*LINES[1:4]), moved_s=10.0).write(tmp_path / "moved.mp4")
    out = tmp_path / "moved.csv"
    progress = read_into(out, order_of(tmp_path, "moved.mp4")).progress
    assert (progress.rounds, progress.doubted, progress.unsure) == (3, 2, 8)
    why = "the camera does not stand as it stood at first"
    first, at_last = progress.remarks
    assert first.startswith(f"round 2: from 10.0 s on {why}")
    assert at_last.startswith(f"from 10.0 s on {why}")
    sure = {row["round"]: float(row["confidence"]) for row in rows_of(out)}
    assert sure["1"] > 0.99
    assert sure["2"] == sure["3"] == DOUBTED
    doubts = {row["round"]: row["doubt"] for row in rows_of(out)}
    assert doubts["1"] == ""
    assert why in doubts["2"]
    assert why in doubts["3"]


# Readings that were broken off


def test_a_log_that_is_finished_is_not_read_again(one: Path, tmp_path: Path) -> None:
    out = tmp_path / "cards.csv"
    read_into(out, order_of(one, "one.mp4"))
    before = out.read_bytes()
    reader = CodeReader()
    read_into(out, order_of(one, "one.mp4"), reader)
    assert not reader.pictures
    assert out.read_bytes() == before


@pytest.mark.usefixtures("stretches")
@pytest.mark.parametrize("share", [0.5, 0.97])
def test_a_reading_that_was_broken_off_ends_as_if_it_had_not_been(
    whole: Whole, tmp_path: Path, share: float
) -> None:
    out = tmp_path / "cards.csv"
    with pytest.raises(KeyboardInterrupt):
        read_into(out, whole.order, CodeReader(breaks_off_after=int(share * whole.pictures)))
    broken = FilmLog(whole.order, "coded", out).progress
    assert broken.rounds < len(LINES)
    assert not broken.finished
    reader = CodeReader()
    resumed = read_into(out, whole.order, reader)
    assert out.read_bytes() == whole.rows
    assert resumed.progress == whole.progress
    if broken.rounds > 3:
        assert len(reader.pictures) < 0.9 * whole.pictures


@pytest.mark.usefixtures("stretches")
def test_what_a_kill_left_half_written_is_cut_off(whole: Whole, tmp_path: Path) -> None:
    out = tmp_path / "cards.csv"
    with pytest.raises(KeyboardInterrupt):
        read_into(out, whole.order, CodeReader(breaks_off_after=int(0.75 * whole.pictures)))
    with out.open("ab") as file:
        file.write(b"2026-03-09T20:00:41.300+08:00,BAC-1,S1,5,19,J")
    read_into(out, whole.order)
    assert out.read_bytes() == whole.rows


@pytest.mark.usefixtures("stretches")
def test_going_on_remembers_what_the_camera_showed_at_first(tmp_path: Path) -> None:
    """It was moved before the reading was broken off, so nothing has changed since."""
    replace(film_of(*LINES, first_s=6.0), moved_s=5.2).write(tmp_path / "moved.mp4")
    order, out = order_of(tmp_path, "moved.mp4"), tmp_path / "cards.csv"
    with pytest.raises(KeyboardInterrupt):
        read_into(out, order, CodeReader(breaks_off_after=PICTURES))
    broken = FilmLog(order, "coded", out)
    assert broken.progress.rounds >= 3
    assert broken.begins_s > 12
    assert read_into(out, order).progress.doubted == 5
    assert {float(row["confidence"]) for row in rows_of(out)} == {DOUBTED}


def test_a_log_whose_rows_were_deleted_is_read_anew(one: Path, tmp_path: Path) -> None:
    out = tmp_path / "cards.csv"
    read_into(out, order_of(one, "one.mp4"))
    before = out.read_bytes()
    out.unlink()
    read_into(out, order_of(one, "one.mp4"))
    assert out.read_bytes() == before


def test_other_names_are_written_without_reading_the_film_again(one: Path, tmp_path: Path) -> None:
    out, order = tmp_path / "cards.csv", order_of(one, "one.mp4")
    read_into(out, order)
    before = out.read_bytes()
    later = replace(order, shoe="S2", first_round=40, start=START + timedelta(hours=1))
    reader = CodeReader()
    read_into(out, later, reader)
    first = rows_of(out)[0]
    assert (first["shoe"], first["round"], first["ts"][:13]) == ("S2", "40", "2026-03-09T21")
    read_into(out, order, reader)
    assert not reader.pictures
    assert out.read_bytes() == before


# Logs that are not ours to go on with


@pytest.mark.parametrize(
    ("change", "why"),
    [("sources", "footage, content"), ("to_s", r"\(to\)"), ("from_s", r"\(from\)")],
)
def test_a_log_of_another_film_or_another_part_is_not_gone_on_with(
    one: Path, tmp_path: Path, change: str, why: str
) -> None:
    out, order = tmp_path / "cards.csv", order_of(one, "one.mp4")
    FilmLog(order, "coded", out)
    changed = {
        "sources": replace(order, sources=(one / "other.mp4",)),
        "to_s": replace(order, to_s=5.0),
        "from_s": replace(order, from_s=3.0),
    }[change]
    with pytest.raises(BadCardLog, match=f"read from other footage or in another way.*{why}"):
        FilmLog(changed, "coded", out)
    FilmLog(changed, "coded", out, again=True)
    with pytest.raises(BadCardLog, match=r"\(weights\)"):
        FilmLog(changed, "others", out)


def test_a_log_that_somebody_changed_is_not_gone_on_with(one: Path, tmp_path: Path) -> None:
    out, order = tmp_path / "cards.csv", order_of(one, "one.mp4")
    read_into(out, order)
    out.write_text(out.read_text().replace("2H", "9H"))
    with pytest.raises(BadCardLog, match="was changed since it was written"):
        FilmLog(order, "coded", out)


def test_a_file_that_is_no_log_of_ours_is_left_alone(one: Path, tmp_path: Path) -> None:
    out = tmp_path / "shoe.csv"
    out.write_text("ts,table_id\n")
    for again in (False, True):
        with pytest.raises(BadCardLog, match=r"was not written by `catwalk read`"):
            FilmLog(order_of(one, "one.mp4"), "coded", out, again=again)
    assert out.read_text() == "ts,table_id\n"


@pytest.mark.parametrize(
    "spoilt",
    ["", "{", "[]", '{"format": 0}', '{"format": 1}', "length", "names", "progress", "further"],
)
def test_a_state_that_is_not_ours_is_said(one: Path, tmp_path: Path, spoilt: str) -> None:
    out, order = tmp_path / "cards.csv", order_of(one, "one.mp4")
    FilmLog(order, "coded", out)
    state = out.with_name("cards.csv.state.json")
    known = json.loads(state.read_text())
    if spoilt == "further":
        known["progress"]["no such thing"] = 1
        spoilt = json.dumps(known)
    elif spoilt in known:
        spoilt = json.dumps(known | {spoilt: {} if spoilt == "names" else None})
    state.write_text(spoilt)
    with pytest.raises(BadCardLog, match="not written by this version of Catwalk"):
        FilmLog(order, "coded", out)


def test_where_the_disk_is_full_the_log_stays_as_it_was(
    one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, order = tmp_path / "cards.csv", order_of(one, "one.mp4")
    film = FilmLog(order, "coded", out)
    before = out.read_bytes()

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(BadCardLog, match="cannot be written: No space left on device"):
            film.read(CodeReader(), Unheard())
        with pytest.raises(BadCardLog, match="No space left on device"):
            film.close()
    assert out.read_bytes() == before
    assert not list(tmp_path.glob(".*.part"))
    assert read_into(out, order).progress.rounds == 1


# Streams


def streamed(monkeypatch: pytest.MonkeyPatch, *films: Drawn) -> None:
    coming = list(films)
    monkeypatch.setattr(
        "vision.film_stage.open_film", lambda _sources: (coming.pop(0), (Part("rtsp://cam/7"),))
    )


def test_a_live_stream_is_gone_on_with_by_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    streamed(monkeypatch, Drawn(film_of(LINES[0])), Drawn(film_of(*LINES[1:3])))
    table = order_of(tmp_path).table
    order = FilmOrder(("rtsp://cam/7",), table, "S1", START, start_by_clock=True)
    out = tmp_path / "cards.csv"
    assert read_into(out, order).is_live
    before = out.read_text()
    later = read_into(out, replace(order, start=START + timedelta(hours=2)))
    assert out.read_text().startswith(before)
    rows = rows_of(out)
    assert [row["round"] for row in rows] == ["1"] * 5 + ["2"] * 5 + ["3"] * 4
    assert [int(row["seq"]) for row in rows] == list(range(1, 15))
    assert rows[5]["ts"].startswith("2026-03-09T22:00:01.")
    assert 7201 <= float(rows[5]["at_s"]) < 7202
    assert later.progress.finished


def test_a_film_that_is_served_keeps_the_start_that_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    streamed(monkeypatch, *(Drawn(film_of(LINES[0]), length_s=11.0) for _ in range(2)))
    table = order_of(tmp_path).table
    order = FilmOrder(("http://cam/7",), table, "S1", START, start_by_clock=True)
    out = tmp_path / "cards.csv"
    read_into(out, order)
    before = out.read_bytes()
    read_into(out, replace(order, start=START + timedelta(days=1)))
    assert out.read_bytes() == before


def test_what_a_film_says_of_itself_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = Drawn(CodedFilm((), 2.0), problem="it was lost", notes=("a frame is damaged",))
    streamed(monkeypatch, lost)
    order = FilmOrder(("http://cam/7",), order_of(tmp_path).table, "S1", START)
    progress = read_into(tmp_path / "cards.csv", order).progress
    assert (progress.problem, progress.remarks) == ("it was lost", ("a frame is damaged",))
