"""Stills and clips of findings."""

from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import av
import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from audit.films import FilmedCard, FilmedFinding
from vision.card_log import CardLog, Names, Part
from vision.evidence import (
    BadEvidence,
    EvidenceWanted,
    NoPicture,
    clearest_frame,
    cut_clip,
    evidence_for,
    frame_at,
    safe_name,
    write_still,
)
from vision.evidence_still import (
    STRIP,
    Caption,
    CardMark,
    Marks,
    draw_still,
    said_in_percent,
)
from vision.film_evidence import show_findings
from vision.film_reader import RoundRead
from vision.film_rounds import ReadCard
from vision.filmed_table import load_filmed_table

if TYPE_CHECKING:
    from av.video.stream import VideoStream

SIZE = (320, 180)
FRAMES = 75
CAPTION = Caption(
    "BAC-07", "S001", 12, "21:14:07", "DRW003", "violation", "The banker drew on 6 against an 8."
)
ZONES = {"player": np.array([[20.0, 30], [140, 30], [140, 150], [20, 150]])}


def _picture(number: int, size: tuple[int, int] = SIZE) -> NDArray[np.uint8]:
    """A picture that tells its number: a bright column that wanders to the right."""
    picture = np.full((size[1], size[0], 3), (40, 90, 30), np.uint8)
    picture[:, 2 * number : 2 * number + 20] = (230, 230, 230)
    return picture


def _film(
    path: Path,
    times: list[float],
    *,
    size: tuple[int, int] = SIZE,
    codec: Literal["libx264", "ffv1"] = "libx264",
) -> Path:
    with av.open(str(path), "w") as container:
        stream: VideoStream = container.add_stream(codec, rate=25)
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p" if codec == "libx264" else "yuv444p"
        stream.codec_context.time_base = Fraction(1, 1000)
        if codec == "libx264":
            stream.options = {"preset": "ultrafast", "g": "12"}
        for number, time in enumerate(times):
            frame = av.VideoFrame.from_ndarray(_picture(number, size), format="bgr24")
            frame.pts, frame.time_base = round(time * 1000), Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("film")
    return _film(folder / "film.mp4", [number / 25 for number in range(FRAMES)])


@pytest.fixture(scope="module")
def uneven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Frames that come as a network camera sends them, and nothing at all for a second."""
    folder = tmp_path_factory.mktemp("uneven")
    times = [0.0, 0.04, 0.11, 0.13, 0.3, 0.33, 0.4, 1.4, 1.43, 1.6, 1.62, 1.8]
    return _film(folder / "uneven.mkv", times)


def _column(picture: NDArray[np.uint8]) -> int:
    """The number that a picture of `_picture` tells."""
    bright = picture[20:80, :, 1].mean(axis=0) > 160
    return round(int(np.argmax(bright)) / 2)


def _shown(path: Path) -> list[tuple[float, int]]:
    with av.open(str(path)) as container:
        return [
            (
                round(float(frame.time or 0), 3),
                _column(np.asarray(frame.to_ndarray(format="bgr24"), np.uint8)),
            )
            for frame in container.decode(video=0)
        ]


def test_a_clip_holds_the_frames_of_its_seconds_and_no_others(film: Path, tmp_path: Path) -> None:
    clip = cut_clip(film, 1.0, 2.0, tmp_path / "clip.mp4")
    shown = _shown(clip.path)
    assert [number for _, number in shown] == list(range(25, 50))
    assert [time for time, _ in shown] == [round(number / 25, 3) for number in range(25)]
    assert clip.frames == 25
    assert clip.start_s == pytest.approx(1.0)
    assert clip.end_s == pytest.approx(49 / 25)


def test_a_clip_is_of_a_kind_that_browsers_play(film: Path, tmp_path: Path) -> None:
    path = cut_clip(film, 0.0, 1.0, tmp_path / "clip.mp4").path
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert (stream.codec_context.name, stream.pix_fmt) == ("h264", "yuv420p")
        assert stream.start_time == 0
    content = path.read_bytes()
    assert content[4:8] == b"ftyp"
    assert content.index(b"moov") < content.index(b"mdat")


def test_a_clip_has_the_colours_of_the_film(film: Path, tmp_path: Path) -> None:
    path = cut_clip(film, 0.0, 0.2, tmp_path / "clip.mp4").path
    with av.open(str(film)) as one, av.open(str(path)) as other:
        film_frame, clip_frame = next(one.decode(video=0)), next(other.decode(video=0))
    assert clip_frame.colorspace == film_frame.colorspace
    for plane, same in zip(film_frame.planes, clip_frame.planes, strict=True):
        means = [np.frombuffer(bytes(each), np.uint8).mean() for each in (plane, same)]
        assert means[0] == pytest.approx(means[1], abs=1.5)


def test_uneven_frames_keep_their_distances(uneven: Path, tmp_path: Path) -> None:
    clip = cut_clip(uneven, 0.1, 1.61, tmp_path / "clip.mp4")
    assert _shown(clip.path) == [
        (0.0, 2), (0.02, 3), (0.19, 4), (0.22, 5), (0.29, 6), (1.29, 7), (1.32, 8), (1.49, 9),
    ]  # fmt: skip


def test_seconds_before_the_beginning_and_after_the_end_are_left_out(
    film: Path, tmp_path: Path
) -> None:
    clip = cut_clip(film, -5.0, 900.0, tmp_path / "clip.mp4")
    assert clip.frames == FRAMES
    assert clip.start_s == 0.0


def test_a_frame_of_odd_size_is_padded_not_cropped(tmp_path: Path) -> None:
    odd = _film(tmp_path / "odd.avi", [0.0, 0.04, 0.08], size=(321, 181), codec="ffv1")
    clip = cut_clip(odd, 0.0, 1.0, tmp_path / "clip.mp4")
    with av.open(str(clip.path)) as container:
        stream = container.streams.video[0]
        assert (stream.width, stream.height) == (322, 182)
        frame = next(container.decode(stream))
        shown = np.asarray(frame.to_ndarray(format="bgr24"), np.int16)
        assert np.abs(shown[:181, :321] - _picture(0, (321, 181))).mean() < 3


def test_a_broken_tail_gives_what_there_is(film: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole.mkv"
    _film(whole, [number / 25 for number in range(FRAMES)])
    broken = tmp_path / "broken.mkv"
    content = whole.read_bytes()
    broken.write_bytes(content[: len(content) * 6 // 10])
    clip = cut_clip(broken, 0.4, 3.0, tmp_path / "clip.mp4")
    assert [number for _, number in _shown(clip.path)] == list(range(10, 10 + clip.frames))
    assert 10 < clip.frames < FRAMES - 10
    with pytest.raises(NoPicture, match=r"shows nothing from 2\.9 to 3\.0 s"):
        cut_clip(broken, 2.9, 3.0, tmp_path / "other.mp4")
    assert not (tmp_path / "other.mp4").exists()


def test_a_clip_that_ends_before_it_begins_is_refused(film: Path, tmp_path: Path) -> None:
    with pytest.raises(BadEvidence, match="from 2 s to 1 s"):
        cut_clip(film, 2.0, 1.0, tmp_path / "clip.mp4")


def test_the_same_cut_gives_the_same_bytes(film: Path, tmp_path: Path) -> None:
    one = cut_clip(film, 1.0, 1.5, tmp_path / "one.mp4").path.read_bytes()
    assert cut_clip(film, 1.0, 1.5, tmp_path / "other.mp4").path.read_bytes() == one


def test_only_our_own_files_are_replaced(film: Path, tmp_path: Path) -> None:
    clip, still = tmp_path / "clip.mp4", tmp_path / "still.png"
    cut_clip(film, 0.0, 0.5, clip)
    assert cut_clip(film, 0.0, 1.0, clip).frames == 25
    write_still(still, _picture(1))
    write_still(still, _picture(9))
    assert _column(np.asarray(cv2.imread(str(still)), np.uint8)) == 9
    others = {clip: film.read_bytes(), still: cv2.imencode(".png", _picture(3))[1].tobytes()}
    for path, content in others.items():
        path.write_bytes(content)
    with pytest.raises(BadEvidence, match="not made by Catwalk"):
        cut_clip(film, 0.0, 0.5, clip)
    with pytest.raises(BadEvidence, match="not made by Catwalk"):
        write_still(still, _picture(1))
    assert {path: path.read_bytes() for path in others} == others
    assert sorted(tmp_path.iterdir()) == [clip, still]


def test_a_link_to_elsewhere_is_not_followed(film: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.png").write_bytes(b"mine")
    (tmp_path / "still.png").symlink_to(tmp_path / "elsewhere.png")
    with pytest.raises(BadEvidence):
        write_still(tmp_path / "still.png", _picture(1))
    assert (tmp_path / "elsewhere.png").read_bytes() == b"mine"


def test_a_folder_that_is_not_there_is_said(film: Path, tmp_path: Path) -> None:
    with pytest.raises(BadEvidence, match="No such file"):
        cut_clip(film, 0.0, 0.5, tmp_path / "nowhere" / "clip.mp4")
    with pytest.raises(BadEvidence, match="No such file"):
        write_still(tmp_path / "nowhere" / "still.png", _picture(1))


def test_a_still_is_of_the_frame_that_showed_then(film: Path, uneven: Path) -> None:
    assert _column(frame_at(film, 1.2).image()) == 30
    assert _column(frame_at(uneven, 0.6).image()) == 6
    with pytest.raises(NoPicture, match=r"at 40\.0 s"):
        frame_at(film, 40.0)


def test_a_still_is_of_the_moment_at_which_the_cards_are_seen_best(film: Path) -> None:
    card = (90.0, 20.0, 110.0, 100.0)  # where the column is in picture 45
    assert _column(clearest_frame(film, (1.0, 2.9), [card]).image()) == 45
    assert _column(clearest_frame(film, (1.0, 1.0), [card]).image()) == 25
    assert _column(clearest_frame(film, (1.0, 2.9), []).image()) == 25
    outside = (-90.0, -20.0, -50.0, -10.0)
    assert _column(clearest_frame(film, (1.0, 2.9), [outside]).image()) == 25
    with pytest.raises(NoPicture):
        clearest_frame(film, (40.0, 41.0), [card])


def test_the_caption_says_which_second_the_picture_shows() -> None:
    told = replace(CAPTION, footage="cam7.mp4", at_s=3725.9)
    assert told.where == "table BAC-07   ·   shoe S001   ·   round 12   ·   21:14:07"
    assert told.picture == "picture at 1:02:05 of cam7.mp4"
    frame = _picture(1, (1280, 720))
    more = draw_still(frame, Marks(), told).shape[0] - draw_still(frame, Marks(), CAPTION).shape[0]
    assert more > 20


@pytest.mark.parametrize(
    ("certainty", "said"), [(0.5, "50 %"), (0.9899, "98 %"), (0.99, "99.0 %"), (0.9999, "99.9 %")]
)
def test_no_reading_is_said_to_be_surer_than_it_is(certainty: float, said: str) -> None:
    assert said_in_percent(certainty) == said


def _wanted(name: str, start: float, end: float) -> EvidenceWanted:
    card = CardMark("8C", 0.97, (40, 50, 70, 90), concerned=True)
    middle = (start + end) / 2
    return EvidenceWanted(name, start, end, (middle, middle), (card,), CAPTION)


def test_each_finding_gets_a_still_and_a_clip(film: Path, tmp_path: Path) -> None:
    folder = tmp_path / "evidence"
    wanted = [
        _wanted("a1b2", 0.5, 1.5),
        _wanted("c3d4", 0.5, 1.5),
        _wanted("BAC 07/../../x", 1.0, 1.2),
        _wanted("late", 60.0, 61.0),
    ]
    made = list(evidence_for(film, wanted, folder, ZONES))
    assert [each.finding_id for each in made] == [each.finding_id for each in wanted]
    assert {path.name for path in folder.iterdir()} == {
        "a1b2.png", "a1b2.mp4", "c3d4.png", "c3d4.mp4",
        f"{safe_name('BAC 07/../../x')}.png", f"{safe_name('BAC 07/../../x')}.mp4",
    }  # fmt: skip
    first, second, _, late = made
    assert first.clip is not None
    assert second.clip is not None
    assert first.clip.path.read_bytes() == second.clip.path.read_bytes()
    assert first.clip.start_s == pytest.approx(0.52)
    assert (late.still, late.clip) == (None, None)
    assert "shows nothing at 60.5 s" in str(late.problem)


@pytest.mark.parametrize(
    "text", ["", "..", "-rf", "../../etc/passwd", "a b", "é", "x" * 300, "a\0b", ".hidden"]
)
def test_names_of_files_are_safe_and_differ(text: str) -> None:
    name = safe_name(text)
    assert name.replace("-", "").replace("_", "").replace(".", "").isalnum()
    assert name.isascii()
    assert name[0] not in ".-"
    assert len(name) <= 100
    assert safe_name("5f3a-0") == "5f3a-0"
    assert safe_name("a b") != safe_name("a/b")


def test_a_still_keeps_every_card_and_adds_a_strip_below() -> None:
    frame = np.full((720, 1280, 3), (50, 110, 40), np.uint8)
    boxes = [(300.0 + 80 * number, 300.0, 360.0 + 80 * number, 390.0) for number in range(6)]
    for left, top, right, bottom in boxes:
        frame[int(top) : int(bottom), int(left) : int(right)] = 235
    cards = [
        CardMark(card, 0.999 if card != "??" else 0.4, box, concerned=card == "5D", order=order)
        for order, (card, box) in enumerate(
            zip(["AH", "TD", "??", "5D", "KC", "2S"], boxes, strict=True), 1
        )
    ]
    zones = {"player": np.array([[250.0, 250], [800, 250], [800, 450], [250, 450]])}
    drawn = draw_still(frame, Marks(cards, zones), CAPTION)
    assert drawn.shape[0] > 760
    assert drawn.shape[1:] == (1280, 3)
    for left, top, right, bottom in boxes:
        inside = slice(int(top), int(bottom)), slice(int(left), int(right))
        assert np.array_equal(drawn[inside], frame[inside])
    changed = (drawn[:720] != frame).any(axis=2)
    assert changed[190:500, 230:820].sum() == changed.sum()  # nothing is written far away
    below = drawn[720:].reshape(-1, 3)
    assert (below == STRIP).all(axis=1).mean() > 0.7
    assert (below > 200).all(axis=1).sum() > 500


def test_a_small_frame_is_enlarged_with_its_marks() -> None:
    card = CardMark("8C", 0.97, (40, 50, 70, 90))
    drawn = draw_still(_picture(60), Marks([card], ZONES), CAPTION)
    assert drawn.shape[1] == 960
    assert np.array_equal(drawn[170:250, 130:200], np.full((80, 70, 3), (40, 90, 30)))


def test_a_caption_too_long_ends_in_an_ellipsis() -> None:
    words = Caption("T" * 400, "S", 1, "now", "PAY001", "review", "endless " * 300)
    drawn = draw_still(_picture(1, (1280, 720)), Marks(), words)
    assert drawn.shape[0] < 720 + 200
    assert (drawn[720:, -10:] == STRIP).all()


def test_cards_at_the_edges_and_names_too_wide_do_no_harm() -> None:
    frame = _picture(1, (960, 120))
    cards = [CardMark("AH", 0.5, (-20, -20, 40, 60)), CardMark("KD", 1.0, (930, 80, 990, 140))]
    zones = {"box" * 90: np.array([[0.0, 0], [5, 0], [5, 5]])}
    assert draw_still(frame, Marks(cards, zones), CAPTION).shape[1] == 960


SHEET = """\
table    = "BAC-07"
timezone = "Asia/Singapore"
decks    = 8

[[game]]
rulebook = "mbs-fortune-six-baccarat-v6"
from     = 2026-01-01T06:00:00+08:00

[camera]
frame = [640, 360]
[camera.zones]
player = [[40, 60], [280, 60], [280, 300], [40, 300]]
banker = [[340, 60], [600, 60], [600, 300], [340, 300]]
"""


def _logged(path: Path, film: Path) -> CardLog:
    """A round of four cards; the second is squeezed, the last two are read in one glance."""
    start = datetime(2026, 3, 9, 20, 0, tzinfo=UTC)
    log = CardLog.opened(path, {}, Names("BAC-07", "S001", 1, start), (Part(film.name),))
    cards = tuple(
        ReadCard(
            1,
            seq,
            card,
            hand,
            0.99,
            (),
            at_s,
            (40.0 * seq, 20, 40.0 * seq + 20, 50),
            0.2 * seq,
            2.4,
            order_seen=True,
        )
        for seq, card, hand, at_s in (
            (1, "2H", "player", 0.3),
            (2, "KS", "banker", 1.5),
            (3, "3D", "player", 0.7),
            (4, "6S", "banker", 0.7),
        )
    )
    log.add(RoundRead(1, cards, (), 0.2, 2.4))
    log.finish(None)
    return log


def test_a_finding_is_shown_once_all_its_cards_lie_there_in_the_order_they_were_dealt(
    film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "table.toml").write_text(SHEET)
    log = _logged(tmp_path / "cards.csv", film)
    finding = FilmedFinding(
        "a1", "DRW001", "violation", "BAC-07", "S001", 1, None, "Seen.",
        tuple(
            FilmedCard(row.seq, row.card, row.hand, 0.99, film.name, row.at_s, row.seq == 3)
            for row in log.rows()
        ),
    )  # fmt: skip
    unseen = replace(
        finding, finding_id="b2", cards=(replace(finding.cards[0], footage="other.mp4"),)
    )
    drawn: list[tuple[Marks, Caption]] = []

    def draw(image: NDArray[np.uint8], marks: Marks, caption: Caption) -> NDArray[np.uint8]:
        drawn.append((marks, caption))
        return image

    monkeypatch.setattr("vision.evidence.draw_still", draw)
    table = load_filmed_table(tmp_path / "table.toml")
    shown = list(
        show_findings([unseen, finding], {film.name: film}, log.path, table, tmp_path / "shown")
    )
    assert [(one.finding_id, one.still is None) for one in shown] == [("b2", True), ("a1", False)]
    assert "other.mp4 is not among the films" in str(shown[0].problem)
    ((marks, caption),) = drawn
    assert [(mark.order, mark.card, mark.concerned) for mark in marks.cards] == [
        (1, "2H", False), (2, "KS", False), (3, "3D", True), (4, "6S", False),
    ]  # fmt: skip
    assert marks.zones["player"].tolist()[0] == [20, 30]  # of the film's own size
    assert caption.at_s is not None
    assert 1.9 <= caption.at_s <= 2.4
    with av.open(str(shown[1].clip)) as container:
        assert sum(1 for _ in container.decode(video=0)) == FRAMES
