"""Film in files: every container, any time stamps, any make of picture."""

import struct
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.numbered_films import (
    AVI_TICK,
    FINE,
    REORDERED,
    SIZE,
    Codec,
    Written,
    even_times,
    film,
    number_of,
    numbers,
    picture,
    seen,
    with_frame_count,
)
from vision.footage import Footage, open_footage
from vision.frames import Frame

FIXED_RATE: list[tuple[str, Written]] = [
    ("clip.mp4", film),
    ("clip.mov", film),
    ("clip.mkv", film),
    ("clip.avi", partial(film, tick=AVI_TICK)),
    ("clip.ts", film),
    ("clip.mp4", partial(film, coding=REORDERED)),
    ("clip.mkv", partial(film, coding=REORDERED)),
    ("clip.ts", partial(film, coding=REORDERED)),
    ("clip.avi", partial(film, tick=AVI_TICK, coding=REORDERED)),
    ("clip.avi", partial(film, tick=AVI_TICK, codec="mpeg4", coding={"g": "12", "bf": "2"})),
    ("clip.avi", partial(film, tick=AVI_TICK, codec="mjpeg", pixels="yuvj420p")),
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
    slow = Fraction(5)
    first = film(tmp_path / "first.ts", even_times(50, slow))
    path = film(tmp_path / "both.ts", even_times(100, slow))
    path.write_bytes(first.read_bytes() + path.read_bytes())
    footage = open_footage(path)
    whole = seen(footage.frames())
    assert [number for number, _ in whole] == [*range(50), *range(100)]
    assert [at_s for _, at_s in whole] == pytest.approx(even_times(150, slow), abs=0.2)
    (note,) = footage.notes
    assert note.startswith("both.ts: time stamps are out of order at 9.8 s; frames are taken")
    for from_s in (2.0, 8.0, 12.0, 15.0, 22.0, 25.0):
        assert seen(footage.frames(from_s, from_s + 0.5)) == [
            one for one in whole if from_s - 1e-6 <= one[1] < from_s + 0.5
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
    path = film(tmp_path / "clip.avi", even_times(45), tick=AVI_TICK)
    path.write_bytes(with_frame_count(path.read_bytes(), frames))
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
    tick = AVI_TICK if codec == "rawvideo" else FINE
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


def _turned(content: bytes, matrix: tuple[int, int, int, int]) -> bytes:
    """An mp4 file that says how its pictures are to be turned."""
    turned = bytearray(content)
    at = turned.find(b"tkhd") + 44
    a, b, c, d = (number << 16 for number in matrix)
    turned[at : at + 36] = struct.pack(">9i", a, b, 0, c, d, 0, 0, 0, 1 << 30)
    return bytes(turned)
