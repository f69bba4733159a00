"""Film in files: every container, any time stamps, and files that are broken or mean harm."""

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
from tests.numbered_films import (
    FINE,
    NTSC,
    REORDERED,
    SIZE,
    Codec,
    even_times,
    film,
    number_of,
    numbers,
    picture,
    seen,
)
from vision.containers import OpenedFilm, file_source
from vision.footage import BadFootage, Footage, open_footage
from vision.frames import Frame

TICK = 1 / NTSC
"""An avi file counts frames: it knows no other time."""
FAST = {"movflags": "faststart"}
Written = Callable[[Path, list[float]], Path]
FIXED_RATE: list[tuple[str, Written]] = [
    ("clip.mp4", film),
    ("clip.mov", film),
    ("clip.mkv", film),
    ("clip.avi", partial(film, tick=TICK)),
    ("clip.ts", film),
    ("clip.mp4", partial(film, coding=REORDERED)),
    ("clip.mkv", partial(film, coding=REORDERED)),
    ("clip.ts", partial(film, coding=REORDERED)),
    ("clip.avi", partial(film, tick=TICK, coding=REORDERED)),
    ("clip.avi", partial(film, tick=TICK, codec="mpeg4", coding={"g": "12", "bf": "2"})),
    ("clip.avi", partial(film, tick=TICK, codec="mjpeg", pixels="yuvj420p")),
]
UNEVEN = [0.0, 0.02, 0.21, 0.24, 0.3, 1.3, 1.31, 1.5, 1.9, 1.92, 2.5, 2.52, 2.6, 3.4, 3.41, 3.6]


def _assert_seen(footage: Footage, times: list[float]) -> None:
    """Every frame, in order, at its time."""
    read = seen(footage.frames())
    assert [number for number, _ in read] == [*range(len(times))]
    assert [at_s for _, at_s in read] == pytest.approx(times, abs=0.00051)


# Containers and their time stamps


@pytest.mark.parametrize(("name", "write"), FIXED_RATE)
def test_each_frame_has_the_time_of_its_container(
    tmp_path: Path, name: str, write: Written
) -> None:
    times = even_times(45)
    footage = open_footage(write(tmp_path / name, times))
    _assert_seen(footage, times)
    assert footage.length_s == pytest.approx(45 * 1001 / 30000, abs=0.001)
    assert footage.size == SIZE
    assert (footage.problem, footage.notes) == (None, ())


def test_a_second_of_29_97_frames_is_not_29_frames(tmp_path: Path) -> None:
    times = even_times(120)
    footage = open_footage(film(tmp_path / "clip.mp4", times))
    *_, (last, at_s) = seen(footage.frames())
    assert last == 119
    assert at_s == pytest.approx(119 * 1001 / 30000, abs=1e-9)
    assert len(numbers(footage, 0.0, 1.0)) == 30
    assert len(numbers(footage, 0.0, 2.0)) == 60
    assert len(numbers(footage, 2.0, 3.0)) == 30


@pytest.mark.parametrize("name", ["clip.mp4", "clip.mov", "clip.mkv", "clip.ts"])
@pytest.mark.parametrize("coding", [None, REORDERED])
def test_frames_that_come_unevenly_keep_their_times(
    tmp_path: Path, name: str, coding: dict[str, str] | None
) -> None:
    footage = open_footage(film(tmp_path / name, UNEVEN, coding=coding))
    _assert_seen(footage, UNEVEN)
    assert (footage.problem, footage.notes) == (None, ())


@pytest.mark.parametrize(("name", "write"), FIXED_RATE)
def test_reading_from_a_second_gives_what_reading_through_gives(
    tmp_path: Path, name: str, write: Written
) -> None:
    footage = open_footage(write(tmp_path / name, even_times(75)))
    whole = seen(footage.frames())
    for from_s in (0.3, 0.5005, 1.0, 1.7, 2.35, 2.45):
        part = seen(footage.frames(from_s, from_s + 0.3))
        assert part == [one for one in whole if from_s - 1e-6 <= one[1] < from_s + 0.3]
        assert part


@pytest.mark.parametrize("name", ["clip.mp4", "clip.mkv", "clip.ts"])
def test_film_whose_clock_does_not_begin_at_0_begins_at_second_0(tmp_path: Path, name: str) -> None:
    footage = open_footage(film(tmp_path / name, even_times(45), first_s=1000.0))
    _assert_seen(footage, even_times(45))
    assert footage.length_s == pytest.approx(1.5, abs=0.01)
    assert footage.problem is None
    assert numbers(footage, 1.0)[0] == 30


def test_recordings_written_one_behind_another_are_read_on(tmp_path: Path) -> None:
    times = even_times(60)
    path = film(tmp_path / "one.ts", times)
    path.write_bytes(path.read_bytes() * 3)
    footage = open_footage(path)
    whole = seen(footage.frames())
    assert [number for number, _ in whole] == [*range(60)] * 3
    at = [at_s for _, at_s in whole]
    assert at == pytest.approx(even_times(180), abs=0.02)
    (note,) = footage.notes
    assert note.startswith("one.ts: time stamps are out of order at 2.0 s and 1 time later")
    for from_s in (0.5, 1.9, 2.2, 3.5, 5.0):
        assert seen(footage.frames(from_s, from_s + 0.1)) == [
            one for one in whole if from_s - 1e-6 <= one[1] < from_s + 0.1
        ]


def test_a_fragmented_mp4_is_read_and_sought_in(tmp_path: Path) -> None:
    how = {"movflags": "frag_keyframe+empty_moov"}
    footage = open_footage(film(tmp_path / "clip.mp4", even_times(45), container=how))
    _assert_seen(footage, even_times(45))
    assert numbers(footage, 1.0, 1.1) == [30, 31, 32]


def test_a_film_that_does_not_say_its_length_is_read_to_its_end(tmp_path: Path) -> None:
    path = film(tmp_path / "still-recording.mkv", even_times(45), container={"live": "1"})
    footage = open_footage(path)
    assert footage.length_s is None
    assert numbers(footage) == [*range(45)]
    assert footage.problem is None


@pytest.mark.parametrize(("frames", "length"), [(0, None), (3, 0.1)])
def test_an_avi_whose_header_was_never_finished_is_read_to_its_end(
    tmp_path: Path, frames: int, length: float | None
) -> None:
    path = film(tmp_path / "clip.avi", even_times(45), tick=TICK)
    path.write_bytes(_with_frame_count(path.read_bytes(), frames))
    footage = open_footage(path)
    assert footage.length_s == pytest.approx(length, abs=0.01)
    assert numbers(footage) == [*range(45)]
    assert footage.problem is None


def test_reading_from_behind_the_end_is_said(tmp_path: Path) -> None:
    footage = open_footage(film(tmp_path / "clip.mkv", even_times(45)))
    assert numbers(footage, 90.0) == []
    assert footage.problem == "clip.mkv ends at 1.5 s: there is nothing from 90.0 s on"
    assert numbers(footage, 1.4) != []
    assert footage.problem is None


# Pictures


@pytest.mark.parametrize(
    ("codec", "pixels", "size"),
    [
        ("ffv1", "yuv420p", (95, 47)),
        ("ffv1", "yuv444p", SIZE),
        ("ffv1", "gray", SIZE),
        ("libx264", "yuv420p10le", SIZE),
        ("mjpeg", "yuvj422p", SIZE),
        ("rawvideo", "bgr24", SIZE),
    ],
)
def test_pictures_of_any_make_give_brightness_and_colours(
    tmp_path: Path, codec: Codec, pixels: str, size: tuple[int, int]
) -> None:
    path = tmp_path / "clip.avi" if codec == "rawvideo" else tmp_path / "clip.mkv"
    tick = TICK if codec == "rawvideo" else FINE
    footage = open_footage(
        film(path, even_times(6), codec=codec, pixels=pixels, size=size, tick=tick)
    )
    assert footage.size == size
    for number, frame in enumerate(footage.frames()):
        assert frame.luma.shape == size[::-1]
        assert frame.luma.dtype == np.uint8
        assert frame.image().shape == (*size[::-1], 3)
        assert number_of(frame.luma) == number_of(frame.image()[..., 1]) == number


def test_brightness_is_not_to_be_written_to(tmp_path: Path) -> None:
    frame = next(open_footage(film(tmp_path / "clip.mp4", even_times(3))).frames())
    with pytest.raises(ValueError, match="read-only"):
        frame.luma[0, 0] = 1


def test_a_frame_outlives_the_film_it_came_from(tmp_path: Path) -> None:
    frames = list(open_footage(film(tmp_path / "clip.mp4", even_times(20))).frames())
    assert [number_of(frame.luma) for frame in frames] == [*range(20)]
    assert [number_of(frame.image()[..., 0]) for frame in frames] == [*range(20)]


def test_a_picture_that_was_drawn_is_a_frame(tmp_path: Path) -> None:
    frame = Frame.of_image(7, 1.5, picture(9))
    assert (number_of(frame.luma), number_of(frame.image()[..., 2])) == (9, 9)


@pytest.mark.parametrize(
    ("matrix", "size", "to_left"),
    [
        ((0, 1, -1, 0), SIZE[::-1], 3),
        ((0, -1, 1, 0), SIZE[::-1], 1),
        ((-1, 0, 0, -1), SIZE, 2),
    ],
)
def test_a_camera_that_hangs_on_its_side_is_shown_upright(
    tmp_path: Path, matrix: tuple[int, int, int, int], size: tuple[int, int], to_left: int
) -> None:
    path = film(tmp_path / "clip.mp4", even_times(6))
    path.write_bytes(_turned(path.read_bytes(), matrix))
    footage = open_footage(path)
    assert footage.size == size
    for number, frame in enumerate(footage.frames()):
        assert frame.luma.shape == size[::-1]
        assert number_of(np.rot90(frame.luma, -to_left)) == number
        assert number_of(np.rot90(frame.image(), -to_left)[..., 0]) == number


def test_a_film_that_changes_its_size_keeps_the_size_of_its_first_frame(tmp_path: Path) -> None:
    first = film(tmp_path / "first.ts", even_times(15))
    second = film(tmp_path / "second.ts", even_times(15), size=(192, 96), first_s=0.5005)
    both = tmp_path / "both.ts"
    both.write_bytes(first.read_bytes() + second.read_bytes())
    frames = list(open_footage(both).frames())
    assert {frame.luma.shape for frame in frames} == {SIZE[::-1]}
    assert {frame.image().shape[:2] for frame in frames} == {SIZE[::-1]}
    assert [number_of(frame.luma) for frame in frames] == [*range(15), *range(15)]


# Files that are broken


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("clip.mkv", film),
        ("clip.avi", partial(film, tick=TICK)),
        ("clip.mp4", partial(film, container=FAST)),
    ],
)
@pytest.mark.parametrize("from_s", [0.0, 1.5])
def test_a_film_that_was_cut_off_is_read_as_far_as_it_goes(
    tmp_path: Path, name: str, write: Written, from_s: float
) -> None:
    path = write(tmp_path / name, even_times(120))
    _cut(path, 0.6)
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
    path = film(tmp_path / name, even_times(30), tick=TICK if name.endswith("avi") else FINE)
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
    path = film(tmp_path / "clip.avi", even_times(12), tick=TICK, codec="mjpeg", pixels="yuvj420p")
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
        "avi": partial(film, tick=TICK),
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


# What the files are spoilt with


def _cut(path: Path, share: float) -> None:
    os.truncate(path, int(path.stat().st_size * share))


def _with_frame_count(content: bytes, frames: int) -> bytes:
    """An avi file that says it has so many frames, in both of its headers."""
    said = bytearray(content)
    for header, place in ((b"avih", 24), (b"strh", 40)):
        at = said.find(header) + place
        said[at : at + 4] = struct.pack("<I", frames)
    return bytes(said)


def _turned(content: bytes, matrix: tuple[int, int, int, int]) -> bytes:
    """An mp4 file that says how its pictures are to be turned."""
    turned = bytearray(content)
    at = turned.find(b"tkhd") + 44
    a, b, c, d = (number << 16 for number in matrix)
    turned[at : at + 36] = struct.pack(">9i", a, b, 0, c, d, 0, 0, 0, 1 << 30)
    return bytes(turned)


def _with_jpeg_size(content: bytes, size: int, from_picture: int) -> bytes:
    """A film of JPEGs which say from one of them on that they are larger than they are."""
    said = bytearray(content)
    for number, start in enumerate(re.finditer(rb"\xff\xc0\0\x11", content)):
        if number >= from_picture:
            said[start.start() + 5 : start.start() + 9] = struct.pack(">HH", size, size)
    return bytes(said)
