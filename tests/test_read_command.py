"""`catwalk read`: a film in, a card log out, and clear words where it cannot be done."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import pytest
from click.testing import CliRunner, Result

from audit.cli import main
from tests.coded_films import (
    LINES,
    SHEET,
    CodedFilm,
    CodeReader,
    Drawn,
    film_of,
    instead_of_networks,
)
from vision.card_log import Part
from vision.film_bars import BrokenOff, FilmBars
from vision.film_reader import Trouble
from vision.reading_commands import shoe_name

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("drawn") / "clip.mp4"
    return film_of(*LINES[:2]).write(path, made="2026-03-09T12:00:00Z").read_bytes()


@pytest.fixture
def folder(drawn: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where somebody stands who has a film and its table sheet."""
    (tmp_path / "clip.mp4").write_bytes(drawn)
    (tmp_path / "table.toml").write_text(SHEET)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> CodeReader:
    reader = CodeReader()
    instead_of_networks(monkeypatch, reader)
    return reader


def catwalk(*words: str) -> Result:
    result = CliRunner().invoke(main, list(words))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def rows_of(name: str) -> list[dict[str, str]]:
    with Path(name).open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("folder", "reader")
def test_a_film_becomes_a_card_log_by_the_sheet_beside_it() -> None:
    result = catwalk("read", "clip.mp4", "--out", "cards.csv")
    assert result.exit_code == 0, result.output
    rows = rows_of("cards.csv")
    assert [row["card"] for row in rows[:5]] == ["2H", "KS", "3D", "3S", "8C"]
    assert rows[0]["ts"].startswith("2026-03-09T20:00:01.")
    assert {row["shoe"] for row in rows} == {"clip"}
    said = [line.split() for line in result.stdout.splitlines()]
    assert ["rounds", "2"] in said
    assert ["cards", "10"] in said
    assert ["unsure", "0"] in said
    assert any(line[0] == "speed" and line[-3:] == ["×", "real", "time"] for line in said if line)
    assert "times are counted from 2026-03-09 20:00:00, as the file says" in result.output
    assert "Next: catwalk audit cards.csv --table table.toml" in result.stdout


@pytest.mark.usefixtures("folder")
def test_a_film_that_was_read_is_not_read_again_unless_asked(reader: CodeReader) -> None:
    catwalk("read", "clip.mp4", "--quiet")
    before, pictures = Path("cards.csv").read_bytes(), len(reader.pictures)
    result = catwalk("read", "clip.mp4")
    assert "It was read before: nothing was changed." in result.stdout
    assert len(reader.pictures) == pictures
    assert catwalk("read", "clip.mp4", "--again", "--quiet").output == ""
    assert len(reader.pictures) == 2 * pictures
    assert Path("cards.csv").read_bytes() == before


@pytest.mark.usefixtures("folder")
def test_ctrl_c_leaves_what_was_read_and_the_same_command_goes_on(
    monkeypatch: pytest.MonkeyPatch, reader: CodeReader
) -> None:
    catwalk("read", "clip.mp4", "--out", "whole.csv")
    instead_of_networks(monkeypatch, CodeReader(breaks_off_after=len(reader.pictures) - 4))
    result = catwalk("read", "clip.mp4")
    assert result.exit_code == 130
    assert "broken off; cards.csv has 1 round, and the same command goes on" in result.stderr
    assert {row["round"] for row in rows_of("cards.csv")} == {"1"}
    instead_of_networks(monkeypatch, CodeReader())
    assert catwalk("read", "clip.mp4").exit_code == 0
    assert Path("cards.csv").read_bytes() == Path("whole.csv").read_bytes()


@pytest.mark.usefixtures("folder", "reader")
def test_a_part_of_a_film_is_read_with_names_of_its_own() -> None:
    result = catwalk(
        "read", "clip.mp4", "--from", "0:09", "--to", "0:20.9", "--shoe", "S9",
        "--first-round", "31", "--start", "2026-05-01T09:00", "--quiet",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    rows = rows_of("cards.csv")
    assert [row["card"] for row in rows] == ["9H", "2C", "8D", "3H", "5D"]
    assert {(row["shoe"], row["round"]) for row in rows} == {("S9", "31")}
    assert rows[0]["ts"].startswith("2026-05-01T09:00:11.")


@pytest.mark.usefixtures("folder", "reader")
def test_a_program_is_told_in_json() -> None:
    told = json.loads(catwalk("read", "clip.mp4", "--json").stdout)
    assert told == {
        "footage": ["clip.mp4"], "log": "cards.csv", "rounds": 2, "cards": 10, "unsure": 0,
        "doubted": 0, "left_out": 0, "remarks": [], "ended_early": None,
    }  # fmt: skip


@pytest.mark.usefixtures("folder", "reader")
def test_stills_of_the_rounds_are_drawn_where_they_are_wanted() -> None:
    assert catwalk("read", "clip.mp4", "--evidence", "stills", "--quiet").exit_code == 0
    stills = sorted(Path("stills").iterdir())
    assert [still.name for still in stills] == ["clip-round-0001.png", "clip-round-0002.png"]
    for still in stills:
        picture = cv2.imread(str(still))
        assert picture is not None
        assert picture.shape[1] >= 640


@pytest.mark.usefixtures("reader")
def test_what_befell_the_camera_is_said_at_once_and_in_the_summary(folder: Path) -> None:
    film = replace(film_of(LINES[0], every_s=15.0), covered=(11.0, 14.0))
    film.write(folder / "covered.mp4")
    result = catwalk("read", "covered.mp4", "--out", "covered.csv")
    assert "from 11.0 s on the camera is covered" in result.stderr
    told = " ".join(result.stdout.split())
    assert "to know from 11.0 s to 14.0 s the camera is covered: most of its picture" in told
    assert "not seen whole" not in told


@pytest.mark.usefixtures("reader")
def test_a_film_that_does_not_say_when_it_was_made_is_said_to(folder: Path) -> None:
    CodedFilm((), 2.0).write(folder / "bare.mp4")
    result = catwalk("read", "bare.mp4", "--out", "bare.csv")
    assert result.exit_code == 0
    assert "bare.mp4 does not say when it was filmed" in result.stderr
    assert Path("bare.csv").read_text().count("\n") == 1


# A live stream


def test_ctrl_c_ends_a_live_stream_and_keeps_what_was_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = Drawn(film_of(*LINES), name="rtsp://cam/7")
    monkeypatch.setattr("vision.film_stage.open_film", lambda _: (live, (Part("rtsp://cam/7"),)))
    instead_of_networks(monkeypatch, CodeReader(breaks_off_after=60))
    result = catwalk("read", "rtsp://user:secret@cam/7", "--table", "table.toml")
    assert result.exit_code == 0, result.output
    assert "secret" not in result.output
    state = json.loads((folder / "cards.csv.state.json").read_text())
    assert state["progress"]["finished"]
    assert state["progress"]["rounds"] >= 1
    assert {row["footage"] for row in rows_of("cards.csv")} == {"rtsp://cam/7"}
    assert "times are those of this machine's clock" in result.stdout


# What cannot be done


@pytest.mark.usefixtures("folder", "reader")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nothing.mp4"], "nothing.mp4 does not exist"),
        (["clip.mp4", "--to", "0:05", "--from", "0:07"], "--to has to be after --from"),
        (["clip.mp4", "--from", "soon"], "--from: 'soon' is not a time into the film"),
        (["clip.mp4", "--start", "yesterday"], "--start: 'yesterday' is not a time"),
        (["clip.mp4", "--out", "table.toml"], "table.toml is there already and was not written"),
        (["clip.mp4", "--out", "no/such/cards.csv"], "cannot be written"),
        (["elsewhere/clip.mp4"], "no table sheet with a camera lies in elsewhere"),
        (["table.toml", "--out", "x.csv"], "is not footage of a kind that can be read"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(words: list[str], sentence: str) -> None:
    result = catwalk("read", *words)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.mark.usefixtures("reader")
def test_of_several_sheets_beside_a_film_one_must_be_named(folder: Path) -> None:
    (folder / "other.toml").write_text(SHEET.replace("BAC-1", "BAC-2"))
    (folder / "catwalk-settings.toml").write_text("db = 'a.duckdb'\n")
    result = catwalk("read", "clip.mp4")
    assert result.exit_code == 2
    assert "has several table sheets, other.toml, table.toml: name one" in result.stderr
    assert catwalk("read", "clip.mp4", "--table", "other.toml", "--quiet").exit_code == 0
    assert {row["table_id"] for row in rows_of("cards.csv")} == {"BAC-2"}


@pytest.mark.usefixtures("folder", "reader")
def test_a_film_that_was_cut_off_is_read_as_far_as_it_goes(folder: Path) -> None:
    film_of(*LINES[:2]).write(folder / "cut.mkv")
    whole = (folder / "cut.mkv").read_bytes()
    (folder / "cut.mkv").write_bytes(whole[: len(whole) * 6 // 10])
    result = catwalk("read", "cut.mkv", "--out", "cut.csv")
    assert result.exit_code == 0, result.output
    assert "ended early" in result.stdout
    assert {row["card"] for row in rows_of("cut.csv")} >= {"2H", "KS", "3D", "3S", "8C"}


@pytest.mark.usefixtures("folder")
def test_where_only_the_audit_is_installed_it_is_said_what_is_lacking(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("vision.reading_commands.NEEDED", ("av", "no_such_package"))
    result = catwalk("read", "clip.mp4")
    assert result.exit_code == 2
    assert (
        "needs no_such_package, not installed here: pip install 'catwalk[vision]'" in result.stderr
    )


@pytest.mark.usefixtures("folder")
def test_weights_that_are_not_there_are_said() -> None:
    result = catwalk("read", "clip.mp4", "--models", "nowhere")
    assert result.exit_code == 2
    assert "nowhere" in result.stderr
    assert not Path("cards.csv").exists()


def test_help_does_not_wait_for_the_networks() -> None:
    code = (
        "import sys; from audit.cli import main\n"
        "try: main(['read', '--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('av', 'cv2', 'onnxruntime') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert "until Ctrl-C" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


# The bar


class _Film:
    """As much of a film as its bar asks for."""

    begins_s, ends_s, footage = 10.0, 70.0, Drawn(CodedFilm((), 70.0), name="clip.mp4")


def test_the_bar_tells_how_far_it_is_in_times_real_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = iter([100.0, 105.0, 105.0, 110.0])
    monkeypatch.setattr("vision.film_bars.time.monotonic", lambda: next(now, 110.0))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    bar = FilmBars(quiet=False).of(_Film())  # type: ignore[arg-type]
    bar.read_until(40.0)
    assert bar.times_real_time == pytest.approx(6.0)
    bar.read_until(35.0)
    assert bar.at_s == 40.0
    assert bar.said == "0:00:40 of 0:01:10  3.0 × real time"
    bar.happened(Trouble(30.0, None, "the camera is covered"))
    assert "the camera is covered" in capsys.readouterr().err


def test_a_quiet_bar_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with FilmBars(quiet=True) as bars, bars.of(_Film()) as bar:  # type: ignore[arg-type]
        bar.read_until(40.0)
        bar.happened(Trouble(30.0, None, "the camera is covered"))
    assert capsys.readouterr().err == ""


def test_films_that_are_broken_off_end_where_they_are() -> None:
    with FilmBars(quiet=True) as bars, bars.of(_Film()) as bar:  # type: ignore[arg-type]
        bar.read_until(40.0)
        bars.break_off()
        with pytest.raises(BrokenOff):
            bar.read_until(41.0)
    assert bar.at_s == 40.0


def test_a_shoe_of_which_only_the_film_is_known_is_called_as_that() -> None:
    assert shoe_name(Path("films/BAC-07 20h.mkv")) == "BAC-07 20h"
    assert shoe_name("rtsp://user:secret@cam/7") == "stream"
