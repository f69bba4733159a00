"""Film as cameras and servers send it: read, lost and found again, and no password told."""

import itertools
import re
import socket
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import cv2
import duckdb
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.addresses import is_address, without_secrets
from audit.cli import main
from audit.films import FilmRead
from audit.films_page import films_as_json, films_page
from tests.coded_films import SHEET, CodedFilm, CodeReader, coup
from tests.film_servers import Camera, Page, Show, filming, serving
from tests.numbered_films import NTSC, SIZE, even_times, film, numbers, picture, seen
from vision.film_parts import identity_of, open_film
from vision.film_reader import ShoeSoFar, read_film
from vision.footage import BadFootage, Footage, Patience, open_footage
from vision.shoe_composition import ShoeComposition
from vision.streams import Stream, stream_source
from vision.table_zones import read_zones

PATIENCE = Patience(open_s=20.0, read_s=20.0, tries=2, first_wait_s=1.0)
SECRET = "geheim77"  # noqa: S105
SAMPLE = Path(__file__).parents[1] / "sample_footage" / "night" / "inputs"


class Waits(list[float]):
    """Waits for nothing, and remembers how long it would have waited."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def ticking(step_s: float) -> Callable[[], float]:
    """A clock that is later each time it is looked at."""
    times = itertools.count(50.0, step_s)
    return lambda: next(times)


def opened(
    address: str, waits: Waits | None = None, now: Callable[[], float] = lambda: 50.0
) -> Stream:
    return Stream(address, PATIENCE, Waits() if waits is None else waits, now)


def show(count: int, first: int = 0) -> Show:
    return [(number / 25, picture(first + number)) for number in range(count)]


def _refusal(address: str) -> str:
    with pytest.raises(BadFootage) as refused:
        opened(address)
    return str(refused.value)


# RTSP


def test_a_camera_is_read_with_the_times_of_its_pictures() -> None:
    times = even_times(40, NTSC)
    pictures = [(time, picture(number)) for number, time in enumerate(times)]
    with filming(Camera([pictures])) as camera:
        stream = opened(camera.address)
        assert (stream.size, stream.length_s, stream.name) == (SIZE, None, camera.address)
        read = seen(stream.frames())
    assert [number for number, _ in read] == [*range(40)]
    at = [at_s for _, at_s in read]
    assert at == pytest.approx(times, abs=0.01)
    assert at[39] - at[1] == pytest.approx(times[39] - times[1], abs=1e-4)


def test_a_camera_that_sends_unevenly_keeps_its_times() -> None:
    times = [0.0, 0.04, 0.31, 0.35, 1.2, 1.21, 1.5, 2.5, 2.9, 3.0, 3.01, 3.5]
    pictures = [(time, picture(number)) for number, time in enumerate(times)]
    with filming(Camera([pictures])) as camera:
        read = seen(opened(camera.address).frames(0.3, 3.0))
    assert [number for number, _ in read] == [*range(2, 9)]
    assert [at_s for _, at_s in read] == pytest.approx(times[2:9], abs=0.01)


def test_large_pictures_come_in_several_packets() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (360, 640, 3), np.uint8)
    with filming(Camera([[(0.0, noise), (0.04, noise), (0.08, noise)]])) as camera:
        stream = opened(camera.address)
        frames = list(stream.frames())
    assert stream.size == (640, 360)
    assert len(frames) == 3


def test_a_camera_that_sends_by_datagrams_only_is_read() -> None:
    with filming(Camera([show(20)], over_tcp=False)) as camera:
        assert numbers(opened(camera.address)) == [*range(20)]
        asked = [request.split(" ")[0] for request in camera.requests]
    assert asked[:5] == ["OPTIONS", "DESCRIBE", "SETUP", "SETUP", "PLAY"]


def test_a_camera_opens_with_its_password_only() -> None:
    with filming(Camera([show(5)], password=f"guard:{SECRET}")) as camera:
        stream = opened(camera.address_with(f"guard:{SECRET}"))
        assert numbers(stream, 0.0, 0.1) == [0, 1, 2]
        refusals = [_refusal(camera.address), _refusal(camera.address_with("guard:wrong7"))]
    for refusal in refusals:
        assert refusal == (
            f"{camera.address} cannot be opened: the server refused: "
            "name and password are wrong or missing"
        )


def test_signs_in_a_password_are_written_with_percent_signs() -> None:
    signs = "a/b@c?d#e"
    with filming(Camera([show(5)], password=f"guard:{signs}")) as camera:
        stream = opened(camera.address_with(f"guard:{quote(signs, safe='')}"))
        assert stream.name == camera.address
        assert numbers(stream, 0.0, 0.1) == [0, 1, 2]


def test_a_camera_that_was_lost_is_asked_again_and_its_times_go_on() -> None:
    waits = Waits()
    with filming(Camera([show(10), show(10, 100), show(10, 200)])) as camera:
        stream = opened(camera.address, waits, now=ticking(30.0))
        read = seen(stream.frames())
    assert [number for number, _ in read] == [*range(10), *range(100, 110), *range(200, 210)]
    at = [at_s for _, at_s in read]
    assert at[10:11] + at[20:21] == [30.0, 60.0]
    assert at[9] == pytest.approx(0.36)
    assert at[19] - at[10] == pytest.approx(0.36)
    assert stream.notes == (
        f"{camera.address} was lost at 0.4 s and 1 time later (the server ended it)",
    )
    assert stream.problem == (
        f"{camera.address} was lost at 60.4 s (the server ended it) "
        "and did not come back in 2 tries"
    )
    assert waits == [1.0, 2.0]


def test_a_camera_that_ran_for_long_is_waited_for_anew() -> None:
    waits = Waits()
    long: Show = [(number * 4.0, picture(number)) for number in range(5)]
    other: Show = [(number * 4.0, picture(number)) for number in range(10, 15)]
    with filming(Camera([long, other, show(3, 100)])) as camera:
        numbers(opened(camera.address, waits, now=ticking(30.0)))
    assert waits == [1.0, 1.0, 2.0]


def test_a_camera_that_is_switched_off_is_given_up_with_a_sentence() -> None:
    waits = Waits()
    with filming(Camera([show(10)])) as camera:
        stream = opened(camera.address, waits)
    assert numbers(stream) == [*range(10)]
    assert stream.problem == (
        f"{camera.address} was lost at 0.4 s (connection refused) and did not come back in 2 tries"
    )
    assert waits == [1.0, 2.0]
    assert stream.notes == ()


def test_a_recording_that_is_served_from_its_start_again_is_read_once() -> None:
    with filming(Camera([show(10), show(30), show(30)])) as camera:
        stream = opened(camera.address)
        assert numbers(stream) == [*range(30)]
    assert stream.notes == (f"{camera.address} was lost at 0.4 s (the server ended it)",)
    assert stream.problem is None


def test_a_server_that_says_nothing_is_not_waited_for_for_ever() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = f"127.0.0.1:{silent.getsockname()[1]}"
        for scheme in ("rtsp", "http"):
            with pytest.raises(BadFootage, match="cannot be opened: nothing came in time"):
                Stream(f"{scheme}://{place}/table", Patience(open_s=0.3, read_s=0.3))


# HTTP


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("served")
    fragments = {"movflags": "frag_keyframe+empty_moov"}
    films = {
        "clip.mp4": film(folder / "clip.mp4", even_times(45)),
        "fast.mp4": film(folder / "fast.mp4", even_times(75), container={"movflags": "faststart"}),
        "clip.mkv": film(folder / "clip.mkv", even_times(45)),
        "clip.ts": film(folder / "clip.ts", even_times(45)),
        "fragments.mp4": film(folder / "fragments.mp4", even_times(45), container=fragments),
    }
    return {name: path.read_bytes() for name, path in films.items()}


@pytest.mark.parametrize("name", ["clip.mp4", "clip.mkv", "clip.ts", "fragments.mp4"])
@pytest.mark.parametrize("way", ["with its size", "without its size"])
def test_a_film_on_a_web_server_is_read_as_if_it_were_a_file(
    served: dict[str, bytes], name: str, way: str
) -> None:
    page = Page((served[name],), says_length=way == "with its size")
    with serving({f"/{name}": [page]}) as web:
        stream = opened(f"{web.address}/{name}")
        read = seen(stream.frames())
    assert [number for number, _ in read] == [*range(45)]
    assert [at_s for _, at_s in read] == pytest.approx(even_times(45), abs=0.00051)
    assert (stream.problem, stream.notes) == (None, ())


def test_a_film_on_a_web_server_tells_its_length_and_is_read_from_a_second(
    served: dict[str, bytes],
) -> None:
    with serving({"/clip.mp4": [Page((served["clip.mp4"],))]}) as web:
        stream = opened(f"{web.address}/clip.mp4")
        assert stream.length_s == pytest.approx(1.5015)
        assert numbers(stream, 0.5, 1.0) == [*range(15, 30)]


def test_what_was_not_fetched_is_fetched_again(served: dict[str, bytes]) -> None:
    whole = served["fast.mp4"]
    pages = [Page((whole[: len(whole) // 2],), length=len(whole)), Page((whole,))]
    with serving({"/clip.mp4": pages}) as web:
        stream = opened(f"{web.address}/clip.mp4")
        assert numbers(stream) == [*range(75)]
        assert web.asked.count("/clip.mp4") == 2
    (note,) = stream.notes
    assert re.search(r"/clip\.mp4 was lost at \d\.\d s \(the connection broke", note)
    assert stream.problem is None


def test_a_film_that_is_cut_off_on_the_server_is_said(served: dict[str, bytes]) -> None:
    whole = served["fast.mp4"]
    with serving({"/clip.mp4": [Page((whole[: len(whole) // 2],))]}) as web:
        stream = opened(f"{web.address}/clip.mp4")
        read = numbers(stream)
    assert read == [*range(len(read))]
    assert re.search(
        r"/clip\.mp4 breaks off at [01]\.\d s of 2\.5 s: what follows is missing$",
        stream.problem or "",
    )


def test_single_jpegs_have_the_times_at_which_they_come() -> None:
    pieces = []
    for number in range(12):
        _, jpeg = cv2.imencode(".jpg", picture(number))
        head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
        pieces.append(head.encode() + jpeg.tobytes() + b"\r\n")
    kind = "multipart/x-mixed-replace;boundary=frame"
    with serving({"/live": [Page(tuple(pieces), kind=kind, says_length=False)]}) as web:
        stream = opened(f"{web.address}/live", now=ticking(0.2))
        read = seen(itertools.islice(stream.frames(), 12))
    assert [number for number, _ in read] == [*range(12)]
    assert [at_s for _, at_s in read] == pytest.approx([number / 5 for number in range(12)])


def test_a_playlist_of_a_server_is_followed_on_the_server(served: dict[str, bytes]) -> None:
    with serving(
        {"/clip.ts": [Page((served["clip.ts"],))], "/list.m3u8": [_playlist("clip.ts")]}
    ) as web:
        assert numbers(opened(f"{web.address}/list.m3u8")) == [*range(45)]


def _playlist(line: str) -> Page:
    text = f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:1.5,\n{line}\n#EXT-X-ENDLIST\n"
    return Page((text.encode(),), kind="application/vnd.apple.mpegurl")


def test_a_server_leads_to_no_file_of_this_machine(tmp_path: Path) -> None:
    path = film(tmp_path / "own.ts", even_times(15))
    pages = {
        "/list.m3u8": [_playlist(f"file://{path}")],
        "/bare.m3u8": [_playlist(str(path))],
        "/parts": [Page((f"ffconcat version 1.0\nfile '{path}'\n".encode(),))],
        "/moved": [Page((b"",), status=302, headers=(("Location", f"file://{path}"),))],
    }
    with serving(pages) as web:
        for page in pages:
            assert "cannot be opened" in _refusal(f"{web.address}{page}")


def test_a_film_that_has_moved_is_found(served: dict[str, bytes]) -> None:
    moved = Page((b"",), status=302, headers=(("Location", "/clip.ts"),))
    with serving({"/old": [moved], "/clip.ts": [Page((served["clip.ts"],))]}) as web:
        assert numbers(opened(f"{web.address}/old")) == [*range(45)]


def test_each_refusal_of_a_server_is_a_sentence() -> None:
    no_film = "what it sends is not film of a kind that can be read here"
    pages = {
        "/login": [Page((b"<html><body>who are you?</body></html>" * 20,), kind="text/html")],
        "/empty": [Page((b"",))],
        "/broken": [Page((b"oh",), status=500)],
    }
    with serving(pages) as web:
        assert (
            _refusal(f"{web.address}/login") == f"{web.address}/login cannot be opened: {no_film}"
        )
        assert (
            _refusal(f"{web.address}/empty") == f"{web.address}/empty cannot be opened: {no_film}"
        )
        assert "404 not found" in _refusal(f"{web.address}/none")
        assert "5xx" in _refusal(f"{web.address}/broken")
    assert _refusal(f"{web.address}/gone") == (
        f"{web.address}/gone cannot be opened: connection refused"
    )


def test_a_web_server_opens_with_its_password_only(served: dict[str, bytes]) -> None:
    pages = {"/clip.ts": [Page((served["clip.ts"],))]}
    with serving(pages, password=f"guard:{SECRET}") as web:
        address = web.address.replace("//", f"//guard:{SECRET}@")
        stream = opened(f"{address}/clip.ts?key={SECRET}")
        assert stream.name == f"{web.address}/clip.ts"
        assert numbers(stream) == [*range(45)]
        assert "name and password are wrong or missing" in _refusal(f"{web.address}/clip.ts")


# The stage on a stream


def test_a_stream_gives_the_rounds_that_the_file_gives(tmp_path: Path) -> None:
    coded = CodedFilm(tuple(coup("2H 3D 8C / KS 3S", 0.8, 4.5, 0.6)), 7.0)
    path = coded.write(tmp_path / "round.mkv")
    with serving({"/round.mkv": [Page((path.read_bytes(),))]}) as web:
        streamed = _rounds(open_footage(f"{web.address}/round.mkv", PATIENCE))
    assert streamed == _rounds(open_footage(path))
    assert streamed == [["2H", "KS", "3D", "3S", "8C"]]


def _rounds(footage: Footage) -> list[list[str]]:
    zones = read_zones(SHEET, "sheet.toml")
    shoe = ShoeSoFar(ShoeComposition(8))
    rounds = read_film(footage, zones, CodeReader(), shoe=shoe)
    return [[card.card for card in one.cards] for one in rounds]


# Addresses


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("ftp://camera/1", "ftp:// is not read; a stream is rtsp, rtsps, http or https"),
        ("file:///etc/passwd", "file:// is not read"),
        ("concat://a|b", "concat:// is not read"),
        ("rtsp:///table", "rtsp:///table names no host"),
        ("http://camera:port/1", "the http address of the stream is not a valid one"),
        ("http://[::1/1", "the http address of the stream is not a valid one"),
        ("http://camera/1\r\nHost: other", "the http address of the stream is not a valid one"),
        (f"rtsp://guard:{SECRET[:4]}/{SECRET[4:]}@camera/1", "is not a valid one; signs like /"),
        (f"rtsp://guard:{SECRET[:4]}#{SECRET[4:]}@camera/1", "is not a valid one; signs like /"),
        (f"rtsp://guard:1?{SECRET}@camera/1", "is not a valid one; signs like /"),
    ],
)
def test_an_address_that_cannot_be_one_is_refused(address: str, why: str) -> None:
    with pytest.raises(BadFootage) as refused:
        open_footage(address)
    assert why in str(refused.value)
    assert SECRET[:4] not in str(refused.value)
    assert SECRET[4:] not in str(refused.value)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("rtsp://guard:geheim@camera:554/7", "rtsp://camera:554/7"),
        ("RTSP://guard@Camera/7", "rtsp://camera/7"),
        ("https://nas/clip.mp4?token=geheim#geheim", "https://nas/clip.mp4"),
        ("rtsp://[fe80::1]:554/7", "rtsp://[fe80::1]:554/7"),
        ("rtsp://10.0.0.7/user=admin_password=geheim_channel=1/x", None),
        ("rtsp://10.0.0.7/user=admin&password=geheim&channel=1", None),
        ("http://10.0.0.7/live;PWD=geheim", None),
        ("rtsp://guard:ge/heim@camera/7", "rtsp://…"),
        ("rtsp:/guard:geheim@camera/7", "rtsp://camera/7"),
        ("nas/rtsp/clip.mp4", "nas/rtsp/clip.mp4"),
        ("C:/film/clip.mp4", "C:/film/clip.mp4"),
    ],
)
def test_what_is_shown_of_an_address_tells_no_secret(address: str, shown: str | None) -> None:
    told = without_secrets(address)
    assert shown is None or told == shown
    assert "geheim" not in told
    assert without_secrets(Path("clip.mp4")) == "clip.mp4"


@settings(deadline=None)
@given(
    name=st.text("abc:/?#@%[]&=", max_size=6),
    password=st.text("/?#@%:[]&= \\", max_size=5),
    path=st.sampled_from(["", "/", "/7", "/a/b.m3u8", "/7?x=1", "?x", "#y"]),
    scheme=st.sampled_from(["rtsp", "RTSPS", "http", "https"]),
)
def test_no_password_is_shown_however_it_is_written(
    name: str, password: str, path: str, scheme: str
) -> None:
    address = f"{scheme}://{name}:Geh{password}Eim@camera:554{path}"
    told = without_secrets(address).lower()
    assert "geh" not in told
    assert "eim" not in told


def test_files_are_told_from_streams() -> None:
    assert all(map(is_address, ("rtsp://a/b", "HTTP://a", "rtmp://a", "file:///a")))
    assert not any(map(is_address, ("clip.mp4", "a/b:c.mkv", "concat:a|b", "", "C:\\a.mp4")))


def test_a_password_is_in_nothing_that_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    with filming(Camera([show(5)], password=f"guard:{SECRET}")) as camera:
        address = camera.address_with(f"guard:{SECRET}")
        stream = opened(address)
        numbers(stream)
    told = [repr(stream_source(address, PATIENCE)), str(stream.problem), *stream.notes]
    told += [stream.name, _refusal(address), *capfd.readouterr()]
    told += [identity_of(address, stream.name)]
    assert SECRET not in "".join(told)


def test_a_password_is_in_nothing_that_an_audit_prints_or_keeps(tmp_path: Path) -> None:
    address = f"rtsp://guard:{SECRET}@127.0.0.1:1/table?key={SECRET}"
    database = tmp_path / "night.duckdb"
    inputs = [str(SAMPLE / "tables"), *map(str, SAMPLE.glob("*/*BJ-004*")), address]
    words = ["audit", *inputs, "--jobs", "1", "--db", str(database)]
    printed = CliRunner().invoke(main, words).output
    printed += CliRunner().invoke(main, [*words, "--json"]).output
    assert "rtsp://127.0.0.1:1/table" in printed
    with duckdb.connect(database, read_only=True) as connection:
        tables = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        kept = [str(connection.table(name).pl().rows()) for (name,) in tables]
    assert "rtsp://127.0.0.1:1/table" in "".join(kept)
    assert SECRET not in "".join([printed, *kept])


def test_a_password_is_not_on_the_page_of_films() -> None:
    film = FilmRead((f"rtsp://guard:{SECRET}@camera/7",), Path("cards.csv"), "S1", 1, 4, 0)
    assert films_as_json([film], ())["films"] == [
        {
            "films": ["rtsp://camera/7"],
            "log": "cards.csv",
            "shoe": "S1",
            "rounds": 1,
            "cards": 4,
            "unsure": 0,
            "remarks": [],
        }
    ]
    assert [*films_page([film]).columns[0].cells] == ["rtsp://camera/7"]


def test_a_stream_is_not_one_of_several(tmp_path: Path) -> None:
    path = film(tmp_path / "clip.mkv", even_times(3))
    with pytest.raises(BadFootage, match=r"^rtsp://camera/7 is a stream: it cannot be one of"):
        open_film([path, f"rtsp://guard:{SECRET}@camera/7"])
