"""`catwalk calibrate`: zones that are drawn, and the sheet they are written into."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.errors import BadTableSheet
from audit.rulebook_files import all_rulebooks
from audit.table_sheet import read_table_sheet
from tests.table_to_calibrate import ALL, BANKER, FRAME, HANDS, SHEET, film_the_cloth
from vision.calibration.camera_section import NewTable, Polygon, new_sheet, with_camera
from vision.calibration.drawn_zones import (
    BadCalibration,
    draw_zones,
    problems_of,
    usual_layout,
    zones_of,
)
from vision.calibration.session import Calibration, Drawn, TableAnswers, rulebook_choices
from vision.table_zones import load_zones


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return film_the_cloth(tmp_path_factory.mktemp("clip") / "clip.mp4")


# The sheet


def test_only_the_camera_of_a_sheet_changes() -> None:
    changed = with_camera(SHEET, FRAME, ALL, "table.toml")
    start, end = SHEET.index("[camera]"), SHEET.index("\n# What may")
    assert changed.startswith(SHEET[:start])
    assert changed.endswith(SHEET[end:])
    assert changed[start : len(changed) - len(SHEET[end:])] == (
        "[camera]\nframe = [320, 180]\n\n[camera.zones]\n"
        "player  = [[10, 60], [150, 60], [150, 150], [10, 150]]\n"
        "banker  = [[170, 60], [310, 60], [310, 150], [170, 150]]\n"
        "shoe    = [[250, 5], [310, 5], [310, 50]]\n"
        "discard = [[5, 5], [60, 5], [60, 50]]\n"
    )
    assert read_table_sheet(changed, "sheet") == read_table_sheet(SHEET, "sheet")
    assert with_camera(changed, FRAME, ALL, "table.toml") == changed


TOP = ('table = "A"', "# [camera]", 'words = """\n[camera]\nframe = 1\n"""', "list = [\n[1],\n]")
CAMERA_AT_THE_TOP = ("camera.frame = [9, 9]", "camera = { frame = [9, 9], zones = { a = [[1]] } }")
TABLES = (
    "[other]\ncamera = 3\n",
    "# about it\n[[game]] # [camera]\nrulebook = 'a \\'\n",
    "[x.camera]\nquotes = \"a \\\" [ # b\"\nmore = '''it's\n[camera]\n'''\n",
    "[\"odd [name] # of 'it'\"]\nat = 2026-01-01T06:00:00+08:00\n",
)
CAMERAS = (
    "[camera]\nframe = [9, 9]\n[camera.zones]\nplayer = [[1, 1],\n # a\n[2, 2], [1, 2]]\n",
    "[ camera . zones ]\nplayer = []\n",
    "['camera']\nzones = { player = [] }\n\n# the end\n",
    "[camera.zones]\n[camera]\nframe = [9, 9]\n",
)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(TOP), unique=True),
    st.permutations(TABLES).flatmap(
        lambda tables: st.integers(0, 4).map(lambda number: tables[:number])
    ),
    st.one_of(st.none(), st.sampled_from((*CAMERA_AT_THE_TOP, *CAMERAS))),
    st.integers(0, 4),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\ufeff"]),
)
def test_every_shape_of_a_sheet_keeps_what_is_not_the_camera(
    top: list[str], tables: list[str], camera: str | None, place: int, newline: str, mark: str
) -> None:
    if camera is not None and camera.startswith("camera"):
        top = [*top[:place], camera, *top[place:]]
    elif camera is not None:
        tables = [*tables[:place], camera, *tables[place:]]
    text = mark + "".join(f"{part}\n" for part in (*top, *tables)).replace("\n", newline)
    changed = with_camera(text, FRAME, HANDS, "table.toml")
    assert changed.startswith(mark)
    assert not text.strip("\ufeff") or changed.count("\n") == changed.count(newline)
    before, after = (tomllib.loads(each.removeprefix("\ufeff")) for each in (text, changed))
    before.pop("camera", None)
    assert after.pop("camera") == {
        "frame": [320, 180],
        "zones": {name: [list(point) for point in polygon] for name, polygon in HANDS.items()},
    }
    assert after == before
    assert "# about it" not in text or "# about it" in changed
    assert "# the end" not in text or "# the end" in changed
    assert with_camera(changed, FRAME, HANDS, "table.toml") == changed


def test_a_sheet_that_is_not_toml_is_said() -> None:
    with pytest.raises(BadTableSheet, match=r"table\.toml is not TOML"):
        with_camera("table = ", FRAME, HANDS, "table.toml")


def test_the_rulebooks_offered_are_those_of_the_audit() -> None:
    assert {choice.id: choice.game for choice in rulebook_choices()} == {
        book.id: str(book.game) for book in all_rulebooks().values()
    }


@pytest.mark.parametrize("choice", rulebook_choices(), ids=lambda choice: choice.id)
def test_a_new_sheet_can_be_audited_with(choice: object, clip: Path, tmp_path: Path) -> None:
    book = next(each for each in rulebook_choices() if each == choice)
    calibration = Calibration(clip, None, tmp_path / "table.toml", 0.5)
    answers = TableAnswers(' T "1" ', "Asia/Singapore", 6, book.id, book.first_day)
    zones = usual_layout(book.game, 5, FRAME)
    saved = calibration.save(Drawn(book.game, 5, zones), answers, 0.5)
    sheet = read_table_sheet(saved.read_text("utf-8"), "sheet")
    assert (sheet.table, sheet.decks, sheet.timezone.key) == ('T "1"', 6, "Asia/Singapore")
    assert [game.rulebook for game in sheet.games] == [book.id]
    assert load_zones(saved).game == book.game


def test_a_new_sheet_says_no_more_than_was_asked() -> None:
    table = NewTable("A", "Asia/Singapore", 8, "rws-blackjack-v5", "2026-01-01T00:00:00+08:00")
    assert list(tomllib.loads(new_sheet(table))) == ["table", "timezone", "decks", "game"]


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (TableAnswers(" ", "UTC", 8, "rws-blackjack-v5", "2026-01-01"), "what the table is called"),
        (TableAnswers("A\n", "UTC", 8, "rws-blackjack-v5", "2026-01-01"), "cannot be printed"),
        (TableAnswers("A", "UTC", 8, "", "2026-01-01"), "choose the rulebook"),
        (TableAnswers("A", "UTC", 8, "poker", "2026-01-01"), "no rulebook 'poker'"),
        (TableAnswers("A", "UTC", 0, "rws-blackjack-v5", "2026-01-01"), "1 to 12 decks"),
        (TableAnswers("A", "../etc", 8, "rws-blackjack-v5", "2026-01-01"), "no timezone"),
        (TableAnswers("A", "UTC", 8, "rws-blackjack-v5", "soon"), "no day"),
        (None, "no sheet yet"),
    ],
)
def test_answers_that_make_no_sheet_are_refused(
    answers: TableAnswers | None, words: str, clip: Path, tmp_path: Path
) -> None:
    out = tmp_path / "table.toml"
    with pytest.raises(BadCalibration, match=words):
        Calibration(clip, None, out, 0.0).save(Drawn("baccarat", 1, HANDS), answers, 0.0)
    assert not out.exists()


# The zones


def _said(zones: dict[str, Polygon], game: str = "baccarat", boxes: int = 3) -> list[str]:
    return [problem.text for problem in problems_of(zones, game, boxes, FRAME)]


def test_zones_that_are_drawn_well_have_no_problem() -> None:
    assert _said(ALL) == []
    for game, most in (("baccarat", 1), ("blackjack", 9)):
        for boxes in range(1, most + 1):
            layout = usual_layout(game, boxes, (1280, 720))
            assert set(layout) == set(zones_of(game, boxes))
            assert problems_of(layout, game, boxes, (1280, 720)) == ()


def test_what_is_missing_is_said() -> None:
    assert _said({"banker": BANKER}) == [
        "still to draw: player",
        "shoe is not drawn: it helps to know where dealt cards come from",
        "discard is not drawn: it helps to know where cleared cards go to",
    ]
    assert _said({}, "blackjack", 2)[0] == "still to draw: dealer, box1, box2"


def test_an_overlap_is_said_and_a_common_edge_is_not() -> None:
    touching: Polygon = ((150, 60), (310, 60), (310, 150), (150, 150))
    assert _said({**ALL, "banker": touching}) == []
    over: Polygon = ((80, 60), (310, 60), (310, 150), (80, 150))
    (text,) = _said({**ALL, "banker": over})
    assert text == "player and banker overlap: 50 % of the smaller one"


def test_an_outline_that_crosses_itself_hinders() -> None:
    bow: Polygon = ((10, 60), (150, 150), (150, 60), (10, 150))
    (problem,) = problems_of({**ALL, "player": bow}, "baccarat", 1, FRAME)
    assert problem.text == "the outline of player crosses itself"
    assert problem.hinders
    line: Polygon = ((10, 60), (150, 60), (80, 60))
    (problem,) = problems_of({**ALL, "player": line}, "baccarat", 1, FRAME)
    assert (problem.text, problem.hinders) == ("player is a line, not an area", True)
    speck: Polygon = ((10, 60), (15, 60), (15, 65))
    (problem,) = problems_of({**ALL, "player": speck}, "baccarat", 1, FRAME)
    assert (problem.text, problem.hinders) == ("player is very small", False)


def test_boxes_out_of_order_are_doubted() -> None:
    layout = usual_layout("blackjack", 5, FRAME)
    swapped = {**layout, "box2": layout["box4"], "box4": layout["box2"]}
    said = _said(swapped, "blackjack", 5)
    assert "box2 does not lie between box1 and box3: are the names right?" in said


def test_the_picture_of_the_zones_shows_each_in_its_place() -> None:
    image = np.full((FRAME[1], FRAME[0], 3), 90, np.uint8)
    drawn = draw_zones(image, HANDS)
    assert np.array_equal(drawn[160:, :], image[160:, :])
    player, banker = drawn[130, 80], drawn[130, 240]
    assert player[0] > player[2]  # blue
    assert banker[2] > banker[0]  # red


# The session


def test_a_sheet_with_zones_of_another_size_is_scaled(clip: Path, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(SHEET)
    start = Calibration(clip, path, None, None).start
    assert start.drawn == Drawn("baccarat", 7, HANDS)
    assert start.note == (
        "the zones of the sheet were drawn on 640 × 360 pixels; "
        "they are scaled to this clip's 320 × 180"
    )


def test_a_sheet_that_is_there_is_never_lost(clip: Path, tmp_path: Path) -> None:
    table, out = tmp_path / "table.toml", tmp_path / "out.toml"
    table.write_text(SHEET)
    out.write_text("# mine\n" + SHEET)
    with pytest.raises(BadCalibration, match=r"out\.toml is there already"):
        Calibration(clip, table, out, None)
    Calibration(clip, None, out, None).save(Drawn("baccarat", 1, HANDS), None, 0.0)
    assert out.read_text() == with_camera("# mine\n" + SHEET, FRAME, HANDS, "")
    assert table.read_text() == SHEET
    assert sorted(tmp_path.iterdir()) == [out, table]


def test_what_others_changed_meanwhile_stays(clip: Path, tmp_path: Path) -> None:
    link, path = tmp_path / "link.toml", tmp_path / "table.toml"
    path.write_text(SHEET)
    path.chmod(0o640)
    link.symlink_to(path)
    calibration = Calibration(clip, link, None, None)
    path.write_text(SHEET.replace("decks    = 8", "decks    = 6"))
    calibration.save(Drawn("baccarat", 1, HANDS), None, 0.0)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert read_table_sheet(path.read_text(), "sheet").decks == 6


def test_a_sheet_without_a_camera_says_which_game_it_plays(clip: Path, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(new_sheet(NewTable("A", "UTC", 6, "rws-blackjack-v5", "2026-01-01T00:00:00Z")))
    assert Calibration(clip, path, None, None).start.drawn.game == "blackjack"


@pytest.mark.parametrize(
    "content", [b"table = ", b"\xff\xfe", SHEET.replace("[340", "['a'").encode()]
)
def test_a_sheet_that_cannot_be_read_is_said(clip: Path, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(content)
    with pytest.raises(BadTableSheet, match=r"table\.toml"):
        Calibration(clip, path, None, None)
