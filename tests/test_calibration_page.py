"""`catwalk calibrate`: the page that zones are drawn on, and the command that serves it."""

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from audit.errors import CatwalkError
from audit.rulebook_files import all_rulebooks
from tests.table_to_calibrate import FRAME, HANDS, PLAYER, SHEET, film_the_cloth
from vision.calibration.drawn_zones import BadCalibration
from vision.calibration.server import LARGEST_BODY, CalibrationServer
from vision.calibration.session import Calibration
from vision.calibration_commands import calibrate
from vision.table_zones import load_zones, read_zones


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return film_the_cloth(tmp_path_factory.mktemp("clip") / "clip.mp4")


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
