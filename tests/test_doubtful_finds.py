"""What is doubted is learnt from: crowded tables, what is kept of them, how often it is seen."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.boxes import Image
from vision.cards import NUMBERS
from vision.index_crops import EXAMINED_SIDE, FACE_SIDE, crop, map_examined, map_face
from vision.model_files import usual_folder
from vision.synthetic.crowded_tables import SIZE, draw_crowded
from vision.synthetic.pictures import DrawnIndex, Picture
from vision.training import doubtful_finds
from vision.training.doubtful_finds import (
    DOUBTED_SHARE,
    NONE_SHARE,
    PROMISED,
    REAL_SHARE_SEEN,
    SPARE,
    SURE_SHARE,
    TURNING,
    UPRIGHT_SIDE,
    WHOLE_SIDE,
    Find,
    chances,
    draw_lot,
    finds_at,
    patches_at,
    worth_learning,
    write_finds,
)
from vision.training.glimpses import EXAMINED, FACE, Square, glimpse_of_find
from vision.training.shards import UNREADABLE

DECKS = 50


def logits(*sure_of: float) -> NDArray[np.float32]:
    """What a reader says that is so sure of the first card."""
    rows = np.zeros((len(sure_of), UNREADABLE + 1), np.float32)
    rows[:, 0] = np.log(np.array(sure_of) / (1 - np.array(sure_of)) * UNREADABLE)
    return rows


def test_a_crowded_table_is_drawn_alike_twice_and_shows_many_indexes_that_are_hard_to_read() -> (
    None
):
    pictures = [draw_crowded(seed, DECKS) for seed in range(6)]
    again = draw_crowded(0, DECKS)
    assert np.array_equal(pictures[0].image, again.image)
    assert pictures[0].image.shape == (SIZE[1], SIZE[0], 3)
    assert not np.array_equal(pictures[0].image, pictures[1].image)
    in_view = [index for each in pictures for index in each.indexes if index.visible > 0.9]
    assert len(in_view) > 20 * len(pictures)
    heights = np.array([index.height for index in in_view])
    assert 10 < np.median(heights) < 40
    assert np.median([index.sharpness for index in in_view]) > 15


def test_kept_out_crowds_are_of_other_decks() -> None:
    assert not np.array_equal(
        draw_crowded(4, DECKS).image, draw_crowded(4, DECKS, kept_out=True).image
    )


def test_what_is_doubted_is_kept_and_of_what_is_sure_a_share() -> None:
    rng = np.random.default_rng(1)
    assert worth_learning(logits(*[0.94] * 200), SURE_SHARE, rng).all()
    kept = worth_learning(logits(*[0.96] * 4000), SURE_SHARE, rng).mean()
    assert kept == pytest.approx(SURE_SHARE, rel=0.2)
    assert worth_learning(logits(*[0.96] * 4000), 1.0, rng).all()


def test_how_often_a_find_is_seen_is_told_by_doubt_by_promise_and_by_where_it_is_from() -> None:
    read = logits(*[0.5] * 300, *[0.99] * 100)
    promised = np.arange(400) % 2 == 1
    real = np.arange(400) % 10 < 2
    none = ~real & (np.arange(400) % 10 == 9)
    often = chances(read, promised, real, none)
    doubted = np.arange(400) < 300
    assert often.sum() == pytest.approx(1)
    assert often[none].sum() == pytest.approx(NONE_SHARE)
    some = often / (1 - NONE_SHARE)
    assert some[real].sum() == pytest.approx(REAL_SHARE_SEEN)
    assert some[doubted & real].sum() == pytest.approx(DOUBTED_SHARE * REAL_SHARE_SEEN)
    others = doubted & ~real & ~none
    assert some[others].sum() == pytest.approx(DOUBTED_SHARE * (1 - REAL_SHARE_SEEN))
    assert often[5] / often[4] == pytest.approx(PROMISED)


def test_where_nothing_is_real_or_sure_the_rest_is_seen_all_the_same() -> None:
    nothing = np.zeros(2, bool)
    often = chances(logits(0.5, 0.6), nothing, nothing, nothing)
    assert often.tolist() == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("lean", [0.0, 30.0, -140.0])
def test_squares_of_finds_show_what_the_networks_see_and_a_little_more(lean: float) -> None:
    rng = np.random.default_rng(2)
    noise = rng.integers(0, 256, (300, 300, 3)).astype(np.uint8)
    image = np.asarray(cv2.GaussianBlur(noise, (0, 0), 4), np.uint8)
    box = np.array([[140, 130, 156, 160]], np.float32)
    known, read = np.array([(NUMBERS["6S"], 1, 1)]), logits(0.5)
    (find,) = finds_at(image, box, np.array([lean], np.float32), known, read)
    assert find.number == NUMBERS["6S"]
    assert find.promised
    assert find.upright.shape == (UPRIGHT_SIDE, UPRIGHT_SIDE, 3)
    assert find.face.shape == (WHOLE_SIDE, WHOLE_SIDE, 3)
    upright, face = (
        crop(image, map_examined(box[0], lean), EXAMINED_SIDE),
        crop(image, map_face(box[0], lean), FACE_SIDE),
    )
    for square, looked_at, seen in (
        (find.upright, EXAMINED, upright), (find.face, FACE, face)
    ):  # fmt: skip
        assert np.abs(inner(square, looked_at).astype(int) - seen).mean() < 4


def inner(square: Image, looked_at: Square) -> Image:
    """What is looked at of a square, where nothing is off."""
    step = len(square) / (SPARE * looked_at.side)
    here, there = ((side - 1) * np.array(looked_at.at) for side in (len(square), looked_at.side))
    moved = np.column_stack([step * np.eye(2), here - step * there])
    size = (looked_at.side, looked_at.side)
    seen = cv2.warpAffine(square, moved, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    return np.asarray(seen, np.uint8)


@pytest.mark.parametrize(("looked_at", "side"), [(EXAMINED, EXAMINED_SIDE), (FACE, FACE_SIDE)])
def test_a_glimpse_of_a_find_has_the_index_about_where_the_networks_expect_it(
    looked_at: Square, side: int
) -> None:
    whole = round(SPARE * side)
    square = np.full((whole, whole, 3), 230, np.uint8)
    at = (np.array(looked_at.at) * (whole - 1)).round().astype(int)
    cv2.circle(square, tuple(at.tolist()), round(side / looked_at.margin / 4), (0, 0, 0), -1)
    off, alike = [], 0
    for seed in range(30):
        seen = glimpse_of_find(square, looked_at, SPARE, 20, np.random.default_rng(seed))
        assert seen.shape == (side, side, 3)
        dark = np.argwhere(seen.mean(axis=2) < seen.mean(axis=2).max() / 2)
        off.append(dark.mean(axis=0)[::-1] / side - looked_at.at)
        alike += seen.max() == 230
    assert np.abs(np.mean(off, axis=0)).max() < 0.02
    assert np.ptp(off, axis=0).min() > 0
    assert 5 < alike < 25


def test_a_lot_is_drawn_whole_or_not_at_all_and_only_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doubtful_finds, "CROWDED_IN_A_LOT", 2)
    monkeypatch.setattr(doubtful_finds, "TABLES_IN_A_LOT", 1)
    path = draw_lot(tmp_path, 3, usual_folder())
    with np.load(path) as kept:
        many = len(kept["numbers"])
        assert many > 3
        assert {len(kept[name]) for name in kept if name != "faces"} == {many}
        assert kept["face_ends"][-1] == len(kept["faces"])
        assert 0 <= kept["numbers"].min() <= kept["numbers"].max() <= UNREADABLE
        packed = kept["faces"][: kept["face_ends"][0]]
        face = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
        assert face.shape == (WHOLE_SIDE, WHOLE_SIDE, 3)
    first = path.read_bytes()
    path.write_bytes(b"as it was")
    assert draw_lot(tmp_path, 3, usual_folder()).read_bytes() == b"as it was"
    path.unlink()
    assert draw_lot(tmp_path, 3, usual_folder()).read_bytes() == first
    turning = tmp_path / TURNING / path.name
    assert {*tmp_path.rglob("*.*")} == {path, turning}
    with np.load(turning) as kept:
        assert len(kept["numbers"]) > 3
        assert kept["numbers"].max() < UNREADABLE
        assert np.isfinite(kept["found"]).all()


def test_the_turner_learns_how_indexes_lie_that_can_be_read_from_what_was_found_of_them() -> None:
    def index(card: str, left: float, visible: float = 1.0) -> DrawnIndex:
        right = left + 12
        at = np.array([[left, 90], [right, 90], [right, 114], [left, 114]], np.float32)
        return DrawnIndex(card, at, visible, 24, 1, 200)

    image = np.zeros((200, 300, 3), np.uint8)
    picture = Picture(image, (index("6S", 40), index("7S", 100, visible=0.3)), ())
    rank_alone, covered, nothing = (40, 90, 52, 103), (100, 90, 112, 114), (200, 90, 212, 114)
    boxes = np.array([covered, nothing, rank_alone], np.float32)
    (patch,) = patches_at(picture, boxes)
    assert patch.number == NUMBERS["6S"]
    drawn, own = patch.found[3] - patch.found[1], patch.corners[3, 1] - patch.corners[0, 1]
    assert drawn / own == pytest.approx(13 / 24)
    assert not list(patches_at(picture, boxes[:0]))
    assert not list(patches_at(Picture(image, (), ()), boxes))


def test_finds_that_cannot_be_written_leave_no_file(tmp_path: Path) -> None:
    small = np.zeros((UPRIGHT_SIDE, UPRIGHT_SIDE, 3), np.uint8)
    nothing = np.zeros((0, 0, 3), np.uint8)
    broken = Find(0, 20.0, promised=True, read=logits(0.5)[0], upright=small, face=nothing)
    with pytest.raises(cv2.error):
        write_finds(tmp_path / "0000001.npz", [broken])
    assert not list(tmp_path.glob("*.npz"))
    write_finds(tmp_path / "0000002.npz", [])
    with np.load(tmp_path / "0000002.npz") as kept:
        assert kept["read"].shape == (0, UNREADABLE + 1)
