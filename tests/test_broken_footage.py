"""Files of film that are broken, cut off, empty or huge, or that mean harm."""

import hashlib
import os
import re
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.film_servers import Page, serving
from tests.numbered_films import AVI_TICK, FAST, FINE, Written, even_times, film, numbers, seen
from vision.containers import OpenedFilm, file_source
from vision.footage import BadFootage, Footage, open_footage
from vision.frames import Frame

# Files that are broken


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("clip.mkv", film),
        ("clip.avi", partial(film, tick=AVI_TICK)),
        ("clip.mp4", partial(film, container=FAST)),
    ],
)
@pytest.mark.parametrize("from_s", [0.0, 1.6])
def test_a_film_that_was_cut_off_is_read_as_far_as_it_goes(
    tmp_path: Path, name: str, write: Written, from_s: float
) -> None:
    path = write(tmp_path / name, even_times(120))
    _cut(path, 0.7)
    footage = open_footage(path)
    read = numbers(footage, from_s)
    first = round(from_s * 29.97)
    assert read == [*range(first, first + len(read))]
    assert 2 < len(read) < 100
    of = "" if name == "clip.avi" else r" of 4\.0 s"
    assert re.fullmatch(
        rf"{name} breaks off at [12]\.\d s{of}: what follows is missing", footage.problem or ""
    )


def test_what_was_asked_for_and_is_there_is_no_cut(tmp_path: Path) -> None:
    path = film(tmp_path / "clip.mkv", even_times(120))
    _cut(path, 0.6)
    footage = open_footage(path)
    assert len(numbers(footage, 0.0, 1.0)) == 30
    assert footage.problem is None


def test_a_transport_stream_that_was_cut_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = film(tmp_path / "clip.ts", even_times(120))
    _cut(path, 0.6)
    read = numbers(open_footage(path))
    assert read == [*range(len(read))]
    assert len(read) > 50


@pytest.mark.parametrize("name", ["clip.mp4", "clip.mov"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.97])
def test_an_mp4_without_its_end_cannot_be_read_and_says_why(
    tmp_path: Path, name: str, share: float
) -> None:
    path = film(tmp_path / name, even_times(45))
    _cut(path, share)
    with pytest.raises(BadFootage, match="was cut off while it was recorded"):
        open_footage(path)


def test_damage_in_the_middle_is_left_out_and_said(tmp_path: Path) -> None:
    path = film(tmp_path / "clip.mp4", even_times(90), container=FAST)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 300] = hashlib.shake_128(b"noise").digest(300)
    path.write_bytes(content)
    footage = open_footage(path)
    read = numbers(footage)
    assert read[:20] == [*range(20)]
    assert read[-15:] == [*range(75, 90)]
    assert footage.problem is None
    (note,) = footage.notes
    assert re.fullmatch(
        r"clip\.mp4: (a frame is|\d+ frames are) damaged and left out, the first at \d\.\d s", note
    )


@pytest.mark.parametrize("name", ["clip.mkv", "clip.avi"])
def test_room_that_a_recorder_took_and_never_filled_is_passed_over(
    tmp_path: Path, name: str
) -> None:
    path = film(tmp_path / name, even_times(30), tick=AVI_TICK if name.endswith("avi") else FINE)
    os.truncate(path, path.stat().st_size + 1_000_000)
    assert numbers(open_footage(path)) == [*range(30)]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b"x", "is not footage of a kind that can be read here, or it is broken"),
        (b"the dealer drew to 17\n" * 500, "is not footage of a kind that can be read here"),
        (bytes(100_000), "is not footage of a kind that can be read here"),
        (b"\x1aE\xdf\xa3" + bytes(64), "is not footage of a kind that can be read here"),
        (b"RIFF\xff\xff\xff\xffAVI LIST", "is not footage of a kind that can be read here"),
        (b"\0\0\0\x08free" * 4000, "was cut off while it was recorded"),
    ],
    ids=["empty", "a byte", "text", "zeros", "only a beginning", "a beginning of an avi", "boxes"],
)
@pytest.mark.parametrize("kind", ["mp4", "mkv"])
def test_what_is_no_film_is_refused_in_a_sentence(
    tmp_path: Path, content: bytes, why: str, kind: str
) -> None:
    path = tmp_path / f"clip.{kind}"
    path.write_bytes(content)
    with pytest.raises(BadFootage, match=why) as refused:
        open_footage(path)
    assert str(refused.value).startswith(str(path))
    assert "\n" not in str(refused.value)


def test_a_huge_file_of_nothing_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "night.mp4"
    path.touch()
    os.truncate(path, 40_000_000_000)
    with pytest.raises(BadFootage, match="is not footage"):
        open_footage(path)


def test_what_is_not_there_or_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFootage, match=r"none\.mp4 does not exist"):
        open_footage(tmp_path / "none.mp4")
    with pytest.raises(BadFootage, match="is not a file"):
        open_footage(tmp_path)
    with pytest.raises(BadFootage, match="cannot be read: File name too long"):
        open_footage(tmp_path / ("x" * 400))
    os.mkfifo(tmp_path / "pipe.mp4")
    with pytest.raises(BadFootage, match="is not a file"):
        open_footage(tmp_path / "pipe.mp4")


def test_an_address_taken_for_a_file_tells_no_password() -> None:
    with pytest.raises(BadFootage, match=r"^rtsp://camera/7 does not exist$"):
        open_footage(Path("rtsp://guard:geheim@camera/7"))


def test_a_film_may_have_any_name(tmp_path: Path) -> None:
    for name in (os.fsdecode(b"t\xffble.mp4"), "table%03d.mp4", "a:b|c.mp4", "-i.mp4"):
        path = tmp_path / name
        film(tmp_path / "clip.mp4", even_times(5)).rename(path)
        assert numbers(open_footage(path)) == [*range(5)]


def test_sound_without_pictures_is_said(tmp_path: Path) -> None:
    path = tmp_path / "sound.mp4"
    with av.open(str(path), "w") as output:
        stream = output.add_stream("aac", rate=44_100)
        sound = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), "fltp", "mono")
        sound.sample_rate, sound.pts = 44_100, 0
        output.mux(stream.encode(sound))
        output.mux(stream.encode(None))
    with pytest.raises(BadFootage, match=r"sound\.mp4 holds sound but no picture"):
        open_footage(path)


def test_a_coding_that_nobody_knows_is_said(tmp_path: Path) -> None:
    path = film(tmp_path / "clip.mp4", even_times(5))
    path.write_bytes(path.read_bytes().replace(b"avc1", b"zzzz"))
    with pytest.raises(BadFootage, match="is in a format that cannot be decoded here"):
        open_footage(path)


def test_a_film_that_vanishes_before_it_is_read_is_said(tmp_path: Path) -> None:
    path = film(tmp_path / "clip.mp4", even_times(5))
    footage = open_footage(path)
    path.unlink()
    with pytest.raises(BadFootage, match=r"clip\.mp4 can no longer be opened"):
        next(footage.frames())


# Files that mean harm


def _playlist(line: str) -> bytes:
    head = "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,"
    return f"{head}\n{line}\n#EXT-X-ENDLIST\n".encode()


LEADS: dict[str, Callable[[str], bytes]] = {
    "a playlist": _playlist,
    "a list of parts": lambda to: f"ffconcat version 1.0\nfile '{to}'\n".encode(),
    "a manifest": lambda to: (
        '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" '
        'mediaPresentationDuration="PT9S"><Period><AdaptationSet mimeType="video/mp4">'
        f'<Representation id="1" bandwidth="9"><BaseURL>{to}</BaseURL></Representation>'
        "</AdaptationSet></Period></MPD>"
    ).encode(),
    "a description of a session": lambda to: (
        b"v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
        b"m=video 5004 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n"
    ),
    "a reference": lambda to: f"[Reference]\r\nRef1={to}\r\n".encode(),
}


@pytest.mark.parametrize("kind", ["mp4", "mkv", "m3u8", "ffconcat"])
@pytest.mark.parametrize("lead", LEADS.values(), ids=LEADS)
def test_a_file_leads_to_no_other_file_and_to_no_network(
    tmp_path: Path, kind: str, lead: Callable[[str], bytes]
) -> None:
    other = film(tmp_path / "other.ts", even_times(5))
    path = tmp_path / f"clip.{kind}"
    with serving({"/other.ts": [Page((other.read_bytes(),))]}) as web:
        for to in (str(other), other.name, f"file:{other}", f"{web.address}/other.ts"):
            path.write_bytes(lead(to))
            with pytest.raises(BadFootage, match="is not footage of a kind that can be read here"):
                open_footage(path)
        assert web.asked == []


def test_a_frame_as_large_as_a_house_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = film(
        tmp_path / "clip.avi", even_times(12), tick=AVI_TICK, codec="mjpeg", pixels="yuvj420p"
    )
    small = path.read_bytes()
    path.write_bytes(_with_jpeg_size(small, 40_000, from_picture=0))
    with pytest.raises(BadFootage, match="holds no frame that can be decoded"):
        open_footage(path)
    path.write_bytes(_with_jpeg_size(small, 40_000, from_picture=8))
    footage = open_footage(path)
    assert numbers(footage) == [*range(8)]
    assert footage.notes == ("clip.avi: 4 frames are damaged and left out, the first at 0.2 s",)


def test_a_length_that_is_no_number_is_no_length(tmp_path: Path) -> None:
    path = film(tmp_path / "clip.mkv", even_times(30))
    content = path.read_bytes()
    for said in (b"00:00:nan.000000000", b"00:00:inf.000000000", b"-9:00:00.0000000000"):
        assert content.count(b"00:00:01.001000000") == 1
        path.write_bytes(content.replace(b"00:00:01.001000000", said[:18]))
        footage = open_footage(path)
        assert footage.length_s is None or footage.length_s > 0
        assert len(numbers(footage)) == 30


def test_nobody_learns_an_address_from_what_is_printed_of_a_source(tmp_path: Path) -> None:
    source = file_source(film(tmp_path / "clip.mkv", even_times(3)))
    assert str(tmp_path) not in repr(source)
    with OpenedFilm(source) as opened:
        assert opened.name == "clip.mkv"


KINDS = ("mkv", "avi", "mp4", "ts")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("whole")
    how: dict[str, Written] = {
        "avi": partial(film, tick=AVI_TICK),
        "mp4": partial(film, container=FAST),
    }
    return {
        kind: how.get(kind, film)(folder / f"clip.{kind}", even_times(12)).read_bytes()
        for kind in KINDS
    }


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    places=st.lists(st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=8)), max_size=6),
    share=st.floats(0.01, 1),
)
def test_however_a_film_is_spoilt_it_is_read_or_refused(
    whole: dict[str, bytes],
    tmp_path_factory: pytest.TempPathFactory,
    kind: str,
    places: list[tuple[float, bytes]],
    share: float,
) -> None:
    content = bytearray(whole[kind])
    for place, noise in places:
        at = int(place * (len(content) - len(noise)))
        content[at : at + len(noise)] = noise
    path = tmp_path_factory.getbasetemp() / f"spoilt.{kind}"
    path.write_bytes(content[: max(1, int(share * len(content)))])
    try:
        footage = open_footage(path)
    except BadFootage:
        return
    for from_s in (0.0, 0.2):
        times = [at_s for _, at_s in seen(_few(footage, from_s))]
        assert times == sorted(set(times))
        assert all(0 <= at_s < 1e9 for at_s in times)


def _few(footage: Footage, from_s: float) -> list[Frame]:
    """What is read of a film, unless a spoilt header makes it endless."""
    return [frame for frame, _ in zip(footage.frames(from_s), range(50), strict=False)]


def _cut(path: Path, share: float) -> None:
    os.truncate(path, int(path.stat().st_size * share))


def _with_jpeg_size(content: bytes, size: int, from_picture: int) -> bytes:
    """A film of JPEGs which say from one of them on that they are larger than they are."""
    said = bytearray(content)
    for number, start in enumerate(re.finditer(rb"\xff\xc0\0\x11", content)):
        if number >= from_picture:
            said[start.start() + 5 : start.start() + 9] = struct.pack(">HH", size, size)
    return bytes(said)
