"""The clocks of a film: its time stamps, the time of day, and seconds as people write them."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.errors import BadInput
from tests.numbered_films import AVI_TICK, NTSC, even_times, film
from vision.containers import BadFootage
from vision.film_clock import parse_start, recorded_at, start_of
from vision.film_seconds import clock, seconds
from vision.frames import FrameClock, Moments

SINGAPORE = ZoneInfo("Asia/Singapore")
PLAYED_FROM = datetime(2026, 1, 1, 6, tzinfo=SINGAPORE)
MILLISECONDS = Fraction(1, 1000)
MADE = datetime(2026, 3, 1, 12, 15, tzinfo=UTC)


# Time stamps


def _times(*stamps: int | None, length_s: float | None = 3600.0) -> list[float]:
    frames = FrameClock(MILLISECONDS, 0.04, length_s)
    return [frames.at(stamp) for stamp in stamps]


def test_seconds_are_counted_from_the_first_stamp() -> None:
    assert _times(5000, 5040, 5100, 9000) == [0.0, 0.04, 0.1, 4.0]


def test_the_ticks_of_29_97_frames_add_up_exactly() -> None:
    frames = FrameClock(1 / NTSC, None, None)
    at = [frames.at(number) for number in (0, 1, 30, 107_892)]
    assert at == [0.0, 1001 / 30000, 1.001, 107_892 * 1001 / 30000]


def test_a_clock_that_stumbles_goes_on_by_the_smallest_step() -> None:
    assert _times(0, 400, 390, 400, 480) == pytest.approx([0.0, 0.4, 0.401, 0.402, 0.48])


def test_a_clock_that_was_set_back_goes_on_where_it_was() -> None:
    assert _times(90_000, 91_000, 5000, 5500) == pytest.approx([0.0, 1.0, 1.04, 1.54])


def test_a_leap_far_beyond_the_end_of_the_film_is_not_believed() -> None:
    beyond = 200_000
    assert _times(0, 1000, beyond, beyond + 500, length_s=60.0) == pytest.approx(
        [0.0, 1.0, 1.04, 1.54]
    )
    assert _times(0, 1000, beyond, 1100, length_s=60.0) == pytest.approx([0.0, 1.0, 1.04, 1.08])


def test_a_film_longer_than_it_says_is_believed_frame_by_frame() -> None:
    stamps = range(0, 200_000, 500)
    assert _times(*stamps, length_s=0.1) == [stamp / 1000 for stamp in stamps]


def test_a_long_pause_within_the_film_is_believed() -> None:
    assert _times(0, 1000, 3_000_000) == [0.0, 1.0, 3000.0]
    assert _times(0, 1000, 3_000_000, length_s=None) == [0.0, 1.0, 3000.0]


def test_no_pause_of_a_minute_is_believed_of_a_stream() -> None:
    assert _times(0, 50_000, length_s=0.0) == [0.0, 50.0]
    assert _times(0, 70_000, length_s=0.0) == pytest.approx([0.0, 0.04])


def test_frames_without_a_stamp_are_as_far_apart_as_usual() -> None:
    assert _times(None, None, 700, 740, None) == pytest.approx([0.0, 0.04, 0.08, 0.12, 0.16])


def test_what_is_wrong_with_stamps_is_said_once() -> None:
    frames = FrameClock(MILLISECONDS, 0.04, None)
    for stamp in (0, 2000, 1000, 500, 3000):
        frames.at(stamp)
    assert [*frames.remarks("clip.ts")] == [
        "clip.ts: time stamps are out of order at 2.0 s and 1 time later; "
        "frames are taken in the order in which they come"
    ]
    unstamped = FrameClock(MILLISECONDS, 0.04, None)
    for _ in range(16):
        unstamped.at(None)
    assert [*unstamped.remarks("clip.avi")] == []
    unstamped.at(None)
    assert [*unstamped.remarks("clip.avi")] == [
        "clip.avi: frames have no time stamp at 0.0 s and 16 times later; "
        "they are taken to be 0.040 s apart"
    ]


@settings(deadline=None)
@given(
    stamps=st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=40),
    tick=st.sampled_from([Fraction(1), MILLISECONDS, 1 / NTSC, Fraction(1, 10**9)]),
    length_s=st.none() | st.floats(0, 1e12),
)
def test_whatever_the_stamps_say_time_goes_on_and_no_film_lasts_for_ever(
    stamps: list[int | None], tick: Fraction, length_s: float | None
) -> None:
    frames = FrameClock(tick, None, length_s)
    at = [frames.at(stamp) for stamp in stamps]
    assert at == sorted(set(at))
    assert at[0] >= 0
    assert MADE + timedelta(seconds=at[-1]) < datetime(2040, 1, 1, tzinfo=UTC)


def test_a_clock_read_anew_counts_from_the_same_stamp() -> None:
    frames = FrameClock(MILLISECONDS, 0.04, 60.0)
    frames.at(7000)
    assert frames.stamp_of(2.5) == 9500
    again = frames.starting_at(frames.first)
    assert (again.at(9500), again.at(9540)) == (2.5, 2.54)


def test_moments_are_told_by_the_first_and_their_number() -> None:
    moments = Moments()
    told = []
    for at_s in (1.25, 7.0, 9.0):
        moments.note(at_s)
        told.append(str(moments))
    assert told == ["at 1.2 s", "at 1.2 s and 1 time later", "at 1.2 s and 2 times later"]


# The time of day


@pytest.mark.parametrize("name", ["clip.mp4", "clip.mkv", "clip.mov"])
def test_a_file_tells_when_it_was_recorded(tmp_path: Path, name: str) -> None:
    path = film(tmp_path / name, even_times(3), metadata={"creation_time": MADE.isoformat()})
    assert recorded_at(path) == MADE
    start = start_of(path, None, SINGAPORE, PLAYED_FROM)
    assert (start.at, start.is_known) == (MADE, True)
    assert start.said == "times are counted from 2026-03-01 20:15:00, as the file says"


def test_what_the_user_says_counts_before_what_the_file_says(tmp_path: Path) -> None:
    path = film(tmp_path / "a.mp4", even_times(3), metadata={"creation_time": MADE.isoformat()})
    start = start_of(path, "2026-03-02 21:00", SINGAPORE, PLAYED_FROM)
    assert start.at == datetime(2026, 3, 2, 21, tzinfo=SINGAPORE)
    assert (start.said, start.is_known) == ("times are counted from --start", True)


def test_a_file_that_does_not_say_counts_from_when_its_table_was_opened(tmp_path: Path) -> None:
    start = start_of(film(tmp_path / "a.mp4", even_times(3)), None, SINGAPORE, PLAYED_FROM)
    assert (start.at, start.is_known) == (PLAYED_FROM, False)
    assert start.said == (
        "a.mp4 does not say when it was filmed: times are counted from 2026-01-01 06:00, "
        "when the game of the table sheet begins (--start tells it)"
    )


def test_a_clock_without_an_offset_is_that_of_the_table(tmp_path: Path) -> None:
    path = film(tmp_path / "a.avi", even_times(3), tick=AVI_TICK)
    path.write_bytes(_with_avi_date(path.read_bytes(), b"Sun Mar 01 20:15:00 2026\n\0"))
    assert recorded_at(path, SINGAPORE) == MADE
    assert start_of(path, None, SINGAPORE, PLAYED_FROM).at == MADE


@pytest.mark.parametrize(
    "made",
    [
        b"Fri Jan 01 00:00:00 1904",
        b"Thu Jan 01 00:00:00 1970",
        b"Fri Dec 31 23:59:59 9999",
        b"Sun Mar 01 99:99:99 2026",
    ],
)
def test_a_camera_whose_clock_was_never_set_is_not_believed(tmp_path: Path, made: bytes) -> None:
    path = film(tmp_path / "a.avi", even_times(3), tick=AVI_TICK)
    path.write_bytes(_with_avi_date(path.read_bytes(), made))
    assert recorded_at(path) is None
    assert not start_of(path, None, SINGAPORE, PLAYED_FROM).is_known


def test_what_is_no_film_does_not_say_when_it_was_recorded(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    path.write_text("not a film\n" * 99)
    assert recorded_at(path) is None
    with pytest.raises(BadFootage, match="does not exist"):
        recorded_at(tmp_path / "b.mp4")


def test_a_stream_is_filmed_now() -> None:
    before = datetime.now(SINGAPORE)
    start = start_of("rtsp://camera/7", None, SINGAPORE, PLAYED_FROM)
    assert before <= start.at <= datetime.now(SINGAPORE)
    assert start.said == "times are those of this machine's clock"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-01T20:15:00+08:00", MADE),
        ("2026-03-01T12:15:00Z", MADE),
        (" 2026-03-01 20:15 ", MADE),
        ("2026-03-01T20:15:00.250", MADE + timedelta(milliseconds=250)),
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=SINGAPORE)),
    ],
)
def test_a_start_is_read_on_the_clock_of_the_table(text: str, moment: datetime) -> None:
    start = parse_start(text, SINGAPORE)
    assert start == moment
    assert start.tzinfo is SINGAPORE


@pytest.mark.parametrize("text", ["", "20:15", "tomorrow", "2026-02-30", "90", "2026-03-01T25:00"])
def test_a_start_that_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"^--start: .* is not a time, write it like 2026-03-01T20"):
        parse_start(text, SINGAPORE)


@pytest.mark.parametrize(
    "text", ["0001-01-01", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z", "1950-05-05"]
)
def test_a_start_in_a_year_without_films_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"^--start: nothing was filmed in the year \d+$"):
        parse_start(text, SINGAPORE)


def _with_avi_date(content: bytes, date: bytes) -> bytes:
    """An avi file with the chunk in which recorders write the date, in place of a filler."""
    at = content.index(b"JUNK", content.index(b"strl"))
    room = int.from_bytes(content[at + 4 : at + 8], "little")
    chunk = b"IDIT" + len(date).to_bytes(4, "little") + date + b"\0" * (len(date) % 2)
    left = room - len(chunk)
    filler = b"JUNK" + left.to_bytes(4, "little") + bytes(left)
    return content[:at] + chunk + filler + content[at + 8 + room :]


# Seconds as people write them


@pytest.mark.parametrize(
    ("text", "at_s"),
    [
        ("0", 0.0),
        ("90", 90.0),
        ("1:30", 90.0),
        ("0:01:30", 90.0),
        ("8:00:00", 28_800.0),
        ("90:00", 5400.0),
        (" 12.5 ", 12.5),
        ("1:02.25", 62.25),
        (None, None),
    ],
)
def test_seconds_are_read_as_players_show_them(text: str | None, at_s: float | None) -> None:
    assert seconds(text, "--from") == at_s


@pytest.mark.parametrize(
    "text",
    ["", "-5", "nan", "inf", "1e3", "1:2:3:4", "1.5:30", "a", "1:", ":1", "1_0", "٣", "9" * 9],
)
def test_what_is_no_time_into_a_film_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"^--to: .* is not a time into the film, like 90 or 1:30$"):
        seconds(text, "--to")


@pytest.mark.parametrize("text", ["1:60", "1:75:00", "0:00:60.5"])
def test_minutes_and_seconds_end_at_60(text: str) -> None:
    with pytest.raises(BadInput, match=r"^--to: .* has a part of 60 or more$"):
        seconds(text, "--to")


@settings(deadline=None)
@given(st.integers(0, 10**6))
def test_what_is_shown_is_read_back(at_s: int) -> None:
    assert seconds(clock(at_s + 0.5), "--from") == at_s
