"""`catwalk calibrate`: zones drawn on a page, and the sheet they are written into."""

import http.client
import json
import socket
import threading
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.errors import BadTableSheet, CatwalkError
from audit.rulebook_files import all_rulebooks
from audit.table_sheet import read_table_sheet
from vision.calibration.camera_section import NewTable, Polygon, new_sheet, with_camera
from vision.calibration.drawn_zones import (
    BadCalibration,
    draw_zones,
    problems_of,
    usual_layout,
    zones_of,
)
from vision.calibration.server import LARGEST_BODY, CalibrationServer
from vision.calibration.session import Calibration, Drawn, TableAnswers, rulebook_choices
from vision.calibration_commands import calibrate
from vision.table_zones import load_zones, read_zones

FRAME = (320, 180)
PLAYER: Polygon = ((10, 60), (150, 60), (150, 150), (10, 150))
BANKER: Polygon = ((170, 60), (310, 60), (310, 150), (170, 150))
HANDS = {"player": PLAYER, "banker": BANKER}
ALL = {**HANDS, "shoe": ((250, 5), (310, 5), (310, 50)), "discard": ((5, 5), (60, 5), (60, 50))}
ANSWERS = TableAnswers("BAC-07", "Asia/Singapore", 8, "mbs-fortune-six-baccarat-v6", "2026-01-01")
SHEET = """\
# The high-limit room.
table    = "BAC-07"   # as on the sign
timezone = "Asia/Singapore"
decks    = 8

[[game]]
rulebook = "mbs-fortune-six-baccarat-v6"
from     = 2026-01-01T06:00:00+08:00

[camera]   # drawn in spring
frame = [640, 360]
[camera.zones]
player = [
    [20, 120], [300, 120],  # the third card lies here
    [300, 300], [20, 300],
]
banker = [[340, 120], [620, 120], [620, 300], [340, 300]]

# What may be wagered.
[limits]
tie = { min = "10.00", max = "2000.00" }
"""


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seconds of a cloth that becomes brighter."""
    path = tmp_path_factory.mktemp("clip") / "clip.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height = FRAME
        stream.pix_fmt = "yuv420p"
        stream.codec_context.time_base = Fraction(1, 10)
        for number in range(20):
            image = np.full((FRAME[1], FRAME[0], 3), 60 + 5 * number, np.uint8)
            frame = av.VideoFrame.from_ndarray(image, format="bgr24")
            frame.pts, frame.time_base = number, Fraction(1, 10)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


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


# The page


@pytest.fixture
def server(clip: Path, tmp_path: Path) -> Iterator[CalibrationServer]:
    with CalibrationServer(Calibration(clip, None, tmp_path / "table.toml", 0.5)) as serving:
        thread = threading.Thread(target=serving.serve_forever, args=(0.02,))
        thread.start()
        yield serving
        serving.shutdown()
        thread.join(5)


def _ask(
    server: CalibrationServer,
    page: str,
    body: object = None,
    *,
    secret: str | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    path = f"/{server.secret if secret is None else secret}/{page}"
    content = (
        None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    )
    sent = {"Content-Type": "application/json"} if body is not None else {}
    connection.request(
        "POST" if body is not None else "GET", path, content, {**sent, **(headers or {})}
    )
    response = connection.getresponse()
    answer = response.read()
    connection.close()
    return response, answer


def test_the_page_needs_nothing_from_elsewhere(server: CalibrationServer) -> None:
    assert server.address.startswith("http://127.0.0.1:")
    response, page = _ask(server, "")
    assert response.status == 200
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'nonce-")
    text = page.decode()
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text
    assert "NONCE" not in text
    assert " on" not in {part[:3] for part in text.split("<button")[1].split(">")[0].split('"')}


def test_the_page_is_told_where_to_begin(server: CalibrationServer, tmp_path: Path) -> None:
    state = json.loads(_ask(server, "state")[1])
    assert (state["clip"], state["size"], state["at_s"]) == ("clip.mp4", [320, 180], 0.5)
    assert state["length_s"] == pytest.approx(2.0)
    assert (state["out"], state["has_sheet"]) == (str(tmp_path / "table.toml"), False)
    assert len(state["rulebooks"]) == len(all_rulebooks())


def test_a_frame_is_of_the_second_asked_for(server: CalibrationServer) -> None:
    bright = []
    for second in ("0", "1.5", "2.0"):
        response, jpeg = _ask(server, f"frame?at={second}")
        assert response.headers["Content-Type"] == "image/jpeg"
        picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
        bright.append(float(np.mean(np.asarray(picture))))
    assert bright == pytest.approx([60, 135, 155], abs=4)
    assert _ask(server, "frame?at=90")[0].status == 422
    for second in ("-1", "nan", "inf", "x", "1e99"):
        assert _ask(server, f"frame?at={second}")[0].status == 400


def test_zones_are_checked_while_they_are_drawn(server: CalibrationServer) -> None:
    body = {"game": "baccarat", "boxes": 1, "zones": {"player": PLAYER}}
    answer = json.loads(_ask(server, "check", body)[1])
    assert answer["names"] == ["player", "banker", "shoe", "discard"]
    assert answer["problems"][0] == {
        "text": "still to draw: banker",
        "zones": ["banker"],
        "hinders": True,
    }
    assert set(answer["usual_layout"]) == set(answer["names"])


def test_zones_are_saved_and_shown_and_the_page_ends(
    server: CalibrationServer, tmp_path: Path
) -> None:
    assert _ask(server, "result.png")[0].status == 404
    body = {
        "game": "baccarat",
        "boxes": 1,
        "zones": {**HANDS, "banker": [[170.4, -5], [900, 60], [310, 150], [170, 140.7]]},
        "at_s": 1.0,
        "table": {
            "table": "BAC-07",
            "timezone": "Asia/Singapore",
            "decks": 8,
            "rulebook": "mbs-fortune-six-baccarat-v6",
            "first_day": "2026-01-01",
        },
    }
    response, answer = _ask(server, "save", body)
    assert (response.status, json.loads(answer)) == (200, {"saved": str(tmp_path / "table.toml")})
    zones = load_zones(tmp_path / "table.toml")
    assert zones.frame == FRAME
    assert zones.polygons["banker"].tolist() == [[170, 0], [320, 60], [310, 150], [170, 141]]
    picture = cv2.imdecode(np.frombuffer(_ask(server, "result.png")[1], np.uint8), cv2.IMREAD_COLOR)
    assert np.asarray(picture).shape == (180, 320, 3)
    assert json.loads(_ask(server, "state")[1])["has_sheet"]
    assert _ask(server, "save", {**body, "table": None})[0].status == 200
    assert _ask(server, "done", {})[0].status == 200


def test_what_hinders_is_not_saved(server: CalibrationServer, tmp_path: Path) -> None:
    body = {"game": "baccarat", "boxes": 1, "zones": {"player": PLAYER}, "at_s": 0}
    response, answer = _ask(server, "save", body)
    assert (response.status, json.loads(answer)) == (422, {"error": "still to draw: banker"})
    assert not (tmp_path / "table.toml").exists()


def test_only_our_own_page_is_answered(server: CalibrationServer) -> None:
    port = server.server_port
    assert server.socket.getsockname()[0] == "127.0.0.1"
    for other in ("", "x" * 24, server.secret[:-1], "%C3%A9"):
        assert _ask(server, "state", secret=other)[0].status == 403
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", "", f"127.0.0.1:{port + 1}"):
        assert _ask(server, "state", headers={"Host": host})[0].status == 403
    assert _ask(server, "state", headers={"Host": f"localhost:{port}"})[0].status == 200
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{port}"):
        assert _ask(server, "check", {}, headers={"Origin": origin})[0].status == 403
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        headers = {"Content-Type": kind}
        assert _ask(server, "done", {}, headers=headers)[0].status == 415
    for page in ("nothing", "../state", "state/", "%2e%2e/etc/passwd", "save"):
        assert _ask(server, page)[0].status == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b"[" * 100_000, 400),
        (b"x" * (LARGEST_BODY + 1), 413),
        ({}, 400),
        ({"game": "poker", "boxes": 1, "zones": {}}, 422),
        ({"game": "blackjack", "boxes": 99, "zones": {}}, 422),
        ({"game": "blackjack", "boxes": True, "zones": {}}, 400),
        ({"game": "baccarat", "boxes": 1, "zones": {"../x": PLAYER}}, 422),
        ({"game": "baccarat", "boxes": 1, "zones": {"player": PLAYER[:2]}}, 400),
        ({"game": "baccarat", "boxes": 1, "zones": {"player": [[1, 2]] * 61}}, 400),
        ({"game": "baccarat", "boxes": 1, "zones": {"player": [[1, "2"], [1, 2], [3, 4]]}}, 400),
        (b'{"game": "baccarat", "boxes": 1, "zones": {"player": [[NaN, 1], [2, 2], [3, 1]]}}', 400),
        (
            b'{"game": "baccarat", "boxes": 1, "zones": {"player": [[1e999, 1], [2, 2], [3, 1]]}}',
            400,
        ),
    ],
)
def test_what_no_page_of_ours_sends_is_refused(
    server: CalibrationServer, body: object, status: int
) -> None:
    response, answer = _ask(server, "check", body)
    assert response.status == status
    assert json.loads(answer)["error"]


# The command


def test_show_draws_the_zones_of_a_sheet(clip: Path, tmp_path: Path) -> None:
    sheet, picture = tmp_path / "table.toml", tmp_path / "zones.png"
    sheet.write_text(SHEET)
    arguments = [str(clip), "--table", str(sheet), "--show", str(picture), "--at", "1"]
    result = CliRunner().invoke(calibrate, arguments)
    assert (result.exit_code, result.output) == (0, f"drawn in {picture}\n")
    image = np.asarray(cv2.imread(str(picture)))
    assert image.shape == (180, 320, 3)
    assert image[130, 80, 0] > image[130, 80, 2] + 20
    assert sheet.read_text() == SHEET


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--show", "zones.png"], "--show needs the table sheet"),
        (["--show", "zones.png", "--table", "none.toml"], "none.toml cannot be read"),
        (["--show", "zones.png", "--table", "bare.toml"], "there are no zones to show"),
        (["--table", "none.toml"], "none.toml cannot be read"),
    ],
)
def test_what_cannot_be_done_is_said(
    options: list[str], words: str, clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bare.toml").write_text(SHEET.partition("[camera]")[0])
    result = CliRunner().invoke(calibrate, [str(clip), *options])
    assert isinstance(result.exception, CatwalkError)
    assert words in str(result.exception)
    assert not Path("zones.png").exists()


def test_a_port_that_is_taken_is_said(clip: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BadCalibration, match=f"port {port} cannot be used"):
            CalibrationServer(Calibration(clip, None, tmp_path / "table.toml", 0.0), port)


def test_the_command_prints_where_the_page_is_and_what_was_saved(
    clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stand in for the person: the page is saved and finished as soon as it is served."""
    out = tmp_path / "table.toml"
    out.write_text(SHEET)

    def person(server: CalibrationServer) -> None:
        _ask(server, "save", {"game": "baccarat", "boxes": 1, "zones": HANDS, "at_s": 0})
        _ask(server, "done", {})

    serve = CalibrationServer.serve_forever

    def served(server: CalibrationServer, poll_interval: float = 0.5) -> None:
        threading.Thread(target=person, args=(server,)).start()
        serve(server, poll_interval)

    monkeypatch.setattr(CalibrationServer, "serve_forever", served)
    result = CliRunner().invoke(calibrate, [str(clip), "--out", str(out), "--no-browser"])
    assert result.exit_code == 0
    assert result.output.startswith("draw the zones at http://127.0.0.1:")
    assert f"zones saved in {out}\n" in result.output
    assert result.output.endswith(f"Next: catwalk audit {clip} --table {out}\n")
    assert read_zones(out.read_text(), "sheet").frame == FRAME
