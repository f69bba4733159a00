"""What the finder and the reader are taught: the right boxes, the right patches, at every angle."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.cards import NUMBERS
from vision.finder import BACK
from vision.index_reader import CROP_SIDE
from vision.reliability import best_temperature
from vision.synthetic.pictures import DrawnCard, DrawnIndex, Picture
from vision.training import shards
from vision.training.glimpses import glimpse
from vision.training.real_pictures import box_patch
from vision.training.shards import (
    PATCH_SIDE,
    UNREADABLE,
    draw_shard,
    lesson_from,
    patch_round,
    write_picture,
)

WHITE, RED = (255, 255, 255), (0, 0, 255)


def corners(left: float, top: float, width: float, height: float) -> NDArray[np.float32]:
    right, bottom = left + width, top + height
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def turned(points: NDArray[np.float32], degrees: float) -> NDArray[np.float32]:
    middle = tuple(points.mean(axis=0).tolist())
    matrix = cv2.getRotationMatrix2D(middle, degrees, 1.0)
    return (points @ matrix[:, :2].T + matrix[:, 2]).astype(np.float32)


def index(
    card: str, at: NDArray[np.float32], visible: float = 1.0, height: float = 20
) -> DrawnIndex:
    return DrawnIndex(card, at, visible, height)


def lesson_of(*indexes: DrawnIndex, cards: tuple[DrawnCard, ...] = ()) -> shards.Lesson:
    picture = Picture(np.zeros((200, 300, 3), np.uint8), indexes, cards)
    return lesson_from(picture, np.random.default_rng(1))


def readable(lesson: shards.Lesson) -> list[int]:
    return [patch.number for patch in lesson.patches if patch.number != UNREADABLE]


def test_an_index_in_full_view_is_found_and_read() -> None:
    lesson = lesson_of(index("TD", corners(40, 50, 12, 24)))
    assert lesson.boxes.tolist() == [[0, 40, 50, 52, 74]]
    assert readable(lesson) == [NUMBERS["TD"]]


@pytest.mark.parametrize(
    ("visible", "height", "found", "read", "hidden"),
    [
        (0.61, 20, 1, 0, 0),
        (0.59, 20, 0, 0, 0),
        (0.81, 20, 1, 1, 0),
        (0.79, 20, 1, 0, 0),
        (0.46, 20, 0, 0, 0),
        (0.44, 20, 0, 0, 1),
        (1.0, 11.1, 1, 1, 0),
        (1.0, 10.9, 1, 0, 0),
        (1.0, 9.9, 0, 0, 0),
    ],
)
def test_what_is_asked_of_covered_and_small_indexes(
    visible: float, height: float, found: int, read: int, hidden: int
) -> None:
    alone = lesson_of()
    lesson = lesson_of(index("6S", corners(140, 90, 12, 24), visible, height))
    assert len(lesson.boxes) == found
    assert len(readable(lesson)) == read
    at_middle = [
        patch for patch in lesson.patches if patch.number == UNREADABLE and patch.height == height
    ]
    assert len(at_middle) == hidden
    assert not readable(alone)


@pytest.mark.parametrize(
    ("leaning", "turns"),
    [
        (0, 0),
        (44, 0),
        (46, 1),
        (90, 1),
        (134, 1),
        (136, 2),
        (-136, 2),
        (-134, 3),
        (-46, 3),
        (-44, 0),
    ],
)
def test_an_index_is_of_the_class_of_its_nearest_quarter(leaning: float, turns: int) -> None:
    lesson = lesson_of(index("9C", turned(corners(140, 90, 12, 24), -leaning)))
    assert lesson.boxes[:, 0].tolist() == [turns]


@pytest.mark.parametrize("turns", range(4))
def test_a_real_index_is_turned_upright_with_its_box(turns: int) -> None:
    """White above, red below, turned right by some quarters: the patch shows white above again."""
    upright = np.zeros((101, 101, 3), np.uint8)
    cv2.rectangle(upright, (30, 20), (60, 49), WHITE, -1)
    cv2.rectangle(upright, (30, 50), (60, 79), RED, -1)
    image = np.ascontiguousarray(np.rot90(upright, -turns))
    lit = np.argwhere(image.any(axis=2))
    (top, left), (bottom, right) = lit.min(axis=0), lit.max(axis=0) + 1
    box = np.array([left, top, right, bottom], np.float32)
    patch = box_patch(image, box, turns, "KH")
    left, top = patch.corners.min(axis=0).round().astype(int)
    right, bottom = patch.corners.max(axis=0).round().astype(int)
    assert bottom - top > right - left
    assert patch.image[top + 3, (left + right) // 2].tolist() == [255, 255, 255]
    assert patch.image[bottom - 4, (left + right) // 2].tolist() == [0, 0, 255]
    assert not patch.may_turn


def test_a_card_face_down_is_a_back_and_one_face_up_is_none() -> None:
    outline = corners(100, 60, 63, 88)
    down, up = DrawnCard(None, outline, 1.0), DrawnCard("AS", outline, 1.0)
    covered = DrawnCard(None, outline, 0.3)
    assert lesson_of(cards=(down,)).boxes.tolist() == [[BACK, 100, 60, 163, 148]]
    assert not len(lesson_of(cards=(up, covered)).boxes)


def test_boxes_end_at_the_border_of_the_picture() -> None:
    lesson = lesson_of(index("AS", corners(-4, 190, 12, 24)))
    assert lesson.boxes.tolist() == [[0, 0, 190, 8, 200]]


@pytest.mark.parametrize("height", [16, 160])
def test_a_patch_has_the_index_in_its_middle_whether_enlarged_or_shrunk(height: int) -> None:
    image = np.zeros((600, 800, 3), np.uint8)
    at = corners(300, 200, height / 2, height)
    cv2.rectangle(image, (300, 200), (300 + height // 2 - 1, 199 + height), WHITE, -1)
    patch = patch_round(image, at, 3, height)
    assert patch.image.shape == (PATCH_SIDE, PATCH_SIDE, 3)
    assert patch.corners.mean(axis=0) == pytest.approx([PATCH_SIDE / 2] * 2, abs=1.0)
    left, top = patch.corners.min(axis=0)
    right, bottom = patch.corners.max(axis=0)
    inside = patch.image[round(top) + 2 : round(bottom) - 2, round(left) + 2 : round(right) - 2]
    assert inside.min() > 200
    assert patch.image[: round(top) - 2].max() < 60
    assert patch.image[round(bottom) + 2 :].max() < 60


@pytest.mark.parametrize("degrees", [0, 37, 90, 181, 300])
def test_an_index_that_may_not_lean_is_seen_upright(degrees: float) -> None:
    """A red top and a white foot: however it lay, the top comes to be above."""
    image = np.zeros((300, 300, 3), np.uint8)
    at = turned(corners(130, 110, 40, 80), degrees)
    middle = at.mean(axis=0)
    upper = np.array([at[0], at[1], (at[1] + at[2]) / 2, (at[0] + at[3]) / 2])
    cv2.fillPoly(image, [np.round(at).astype(np.int32)], WHITE)
    cv2.fillPoly(image, [np.round(upper).astype(np.int32)], RED)
    patch = patch_round(image, at, 0, 80)
    assert np.linalg.norm(middle - at.mean(axis=0)) == 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        seen = glimpse(patch.image, patch.corners, 9, rng, leaning=0).astype(int)
        column = seen[:, CROP_SIDE // 2 - 2 : CROP_SIDE // 2 + 3]
        above = column[CROP_SIDE // 2 - 10 : CROP_SIDE // 2 - 6]
        below = column[CROP_SIDE // 2 + 6 : CROP_SIDE // 2 + 10]
        if above.max() - above.min() < 15:
            continue  # seen without colour
        assert (above[..., 2] - above[..., 0]).mean() > 30
        assert (below[..., 2] - below[..., 0]).mean() < (above[..., 2] - above[..., 0]).mean() / 2


def test_a_picture_is_written_as_yolo_reads_it(tmp_path: Path) -> None:
    for kind in ("images", "labels"):
        (tmp_path / kind).mkdir()
    boxes = np.array([[BACK, 20, 10, 60, 90]], np.float32)
    write_picture(tmp_path, "one", np.full((100, 200, 3), 90, np.uint8), boxes)
    said = (tmp_path / "labels" / "one.txt").read_text("utf-8")
    assert said == "4 0.200000 0.500000 0.200000 0.800000\n"
    written = cv2.imread(str(tmp_path / "images" / "one.jpg"))
    assert written is not None
    assert written.shape == (100, 200, 3)


def test_a_shard_that_is_there_is_not_drawn_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "PICTURES_IN_A_SHARD", 2)
    for kind in ("images", "labels", "patches"):
        (tmp_path / kind).mkdir()
    path = draw_shard(tmp_path, 5)
    with np.load(path) as kept:
        assert len(kept["images"]) == len(kept["numbers"]) == len(kept["corners"])
    assert sorted(file.stem for file in (tmp_path / "images").iterdir()) == [
        "0000000010",
        "0000000011",
    ]
    first = path.read_bytes()
    path.write_bytes(b"as it was")
    assert draw_shard(tmp_path, 5).read_bytes() == b"as it was"
    path.unlink()
    assert draw_shard(tmp_path, 5).read_bytes() == first


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_the_temperature_that_was_applied_is_found_again(temperature: float) -> None:
    rng = np.random.default_rng(3)
    logits = rng.normal(0, 2, (20_000, 6))
    odds = np.exp(logits)
    chosen = (
        odds.cumsum(axis=1) / odds.sum(axis=1, keepdims=True) > rng.random((20_000, 1))
    ).argmax(1)
    found = best_temperature((logits * temperature).astype(np.float32), chosen.tolist())
    assert found == pytest.approx(temperature, rel=0.05)
