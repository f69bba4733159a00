"""Several files read as one film."""

import os
import re
from pathlib import Path

import pytest

from tests.numbered_films import (
    AVI_TICK,
    even_times,
    film,
    number_of,
    numbers,
    seen,
    with_frame_count,
)
from vision.film_parts import identity_of, open_film
from vision.footage import BadFootage

LENGTH_S = 30 * 1001 / 30000


@pytest.fixture
def hours(tmp_path: Path) -> list[Path]:
    """Three files of 30 frames each, as a recorder writes them."""
    return [film(tmp_path / f"{hour}h.mkv", even_times(30)) for hour in (20, 21, 22)]


def test_files_are_one_film_with_times_that_go_on(hours: list[Path]) -> None:
    footage, parts = open_film(hours)
    assert footage.name == "20h.mkv and 2 more"
    assert [part.name for part in parts] == ["20h.mkv", "21h.mkv", "22h.mkv"]
    assert [part.begins_s for part in parts] == pytest.approx([0, LENGTH_S, 2 * LENGTH_S])
    assert footage.length_s == pytest.approx(3 * LENGTH_S)
    frames = list(footage.frames())
    assert [number_of(frame.luma) for frame in frames] == [*range(30)] * 3
    assert [frame.number for frame in frames] == [*range(90)]
    assert [frame.at_s for frame in frames] == pytest.approx(even_times(90), abs=0.002)
    assert (footage.problem, footage.notes) == (None, ())


def test_a_film_of_several_files_is_read_from_one_second_to_another(hours: list[Path]) -> None:
    footage, _ = open_film(hours)
    whole = seen(footage.frames())
    for from_s, to_s in ((0.5, 1.2), (1.0, 1.1), (1.01, 2.5), (2.9, 9.0), (0.0, 1.001)):
        part = seen(footage.frames(from_s, to_s))
        assert part == [one for one in whole if from_s - 1e-6 <= one[1] < to_s]
        assert part
    assert numbers(footage, 50.0) == []
    assert footage.problem == "22h.mkv ends at 1.0 s: there is nothing from 48.0 s on"


def test_one_file_is_that_file(hours: list[Path]) -> None:
    footage, parts = open_film(hours[:1])
    assert (footage.name, [part.name for part in parts]) == ("20h.mkv", ["20h.mkv"])
    assert numbers(footage) == [*range(30)]


def test_a_file_that_was_cut_off_leaves_a_gap_and_the_next_keeps_its_time(
    tmp_path: Path, hours: list[Path]
) -> None:
    long = [film(tmp_path / name, even_times(90)) for name in ("a.mkv", "b.mkv")]
    for path in long:
        os.truncate(path, path.stat().st_size // 2)
    footage, _ = open_film([*long, hours[0]])
    read = seen(footage.frames())
    assert read[-30][1] == pytest.approx(2 * 3.003, abs=0.01)
    assert re.fullmatch(r"a\.mkv breaks off at 1\.\d s of 3\.0 s: .*", footage.problem or "")
    (note,) = footage.notes
    assert note.startswith("b.mkv breaks off at 1.")


def test_a_file_that_is_longer_than_it_says_does_not_run_into_the_next(
    tmp_path: Path, hours: list[Path]
) -> None:
    path = film(tmp_path / "a.avi", even_times(60), tick=AVI_TICK)
    path.write_bytes(with_frame_count(path.read_bytes(), 30))
    footage, _ = open_film([path, hours[0]])
    read = seen(footage.frames())
    assert [number for number, _ in read] == [*range(30)] * 2
    assert [at_s for _, at_s in read] == sorted(at_s for _, at_s in read)
    assert footage.problem == (
        "a.avi goes on after the 1.0 s that it says it lasts: "
        "what follows in it was left out, read it alone"
    )


def test_files_that_do_not_fit_together_are_refused(tmp_path: Path, hours: list[Path]) -> None:
    small = film(tmp_path / "small.mkv", even_times(3), size=(64, 32))
    with pytest.raises(BadFootage, match=r"64 × 32 pixels and 20h\.mkv of 96 × 48: read"):
        open_film([*hours, small])
    endless = film(tmp_path / "endless.mkv", even_times(3), container={"live": "1"})
    with pytest.raises(
        BadFootage, match="does not say how long it is: it cannot be one of several"
    ):
        open_film([*hours, endless])
    (tmp_path / "other").mkdir()
    same = film(tmp_path / "other" / "20h.mkv", even_times(3))
    with pytest.raises(BadFootage, match="two of the files have the same name"):
        open_film([*hours, same])


def test_a_film_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    path = film(tmp_path / "a.mkv", even_times(3))
    known = identity_of(path, "a.mkv")
    assert identity_of(path.rename(tmp_path / "b.mkv"), "b.mkv") == known
    content = (tmp_path / "b.mkv").read_bytes()
    (tmp_path / "c.mkv").write_bytes(content[:-1] + b"?")
    assert identity_of(tmp_path / "c.mkv", "c.mkv") != known
    (tmp_path / "d.mkv").write_bytes(content + b"?")
    assert identity_of(tmp_path / "d.mkv", "d.mkv") != known
    with pytest.raises(BadFootage, match=r"e\.mkv cannot be read: No such file"):
        identity_of(tmp_path / "e.mkv", "e.mkv")


def test_a_stream_is_known_by_its_name() -> None:
    assert identity_of("rtsp://guard:geheim@camera/7", "rtsp://camera/7") == "rtsp://camera/7"
