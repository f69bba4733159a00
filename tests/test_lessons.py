"""What the finder and the reader are taught: the right boxes, the right patches, at every angle."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.boxes import lean
from vision.cards import NUMBERS
from vision.finder import BACK, Found
from vision.index_crops import CROP_MARGIN, CROP_SIDE, FACE_AT, FACE_SIDE, upright_height
from vision.index_looks import CLOSER
from vision.index_turner import STEP, STEPS, Leans, Lying, leans_from, shares_of
from vision.synthetic.pictures import DrawnCard, DrawnIndex, Picture
from vision.training import glimpses, shards
from vision.training.glimpses import glimpse_as_it_lies, glimpse_of_face, glimpse_upright
from vision.training.real_pictures import box_patch
from vision.training.shards import (
    NOT_FOUND,
    NOT_TOLD,
    PATCH_SIDE,
    UNREADABLE,
    Looked,
    draw_shard,
    lesson_from,
    patch_round,
    rows_within,
    windows_of,
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
    card: str,
    at: NDArray[np.float32],
    visible: float = 1.0,
    height: float = 20,
    *,
    sharpness: float = 30,
    contrast: float = 200,
) -> DrawnIndex:
    return DrawnIndex(card, at, visible, height, height / sharpness, contrast)


def lesson_of(*indexes: DrawnIndex, cards: tuple[DrawnCard, ...] = ()) -> shards.Lesson:
    picture = Picture(np.zeros((200, 300, 3), np.uint8), indexes, cards)
    return lesson_from(picture, np.random.default_rng(1))


def looked(
    finds: NDArray[np.float32],
    scores: list[float],
    set_right: NDArray[np.float32] | None = None,
    lean_told: float = 0.0,
) -> Looked:
    """What first networks might say: boxes with scores, and how what is in them lies."""
    lying = finds if set_right is None else set_right
    nothing = np.zeros(0, np.float32)
    leans = np.full(len(finds), lean_told, np.float32)
    return Looked(
        Found(finds, np.array(scores, np.float32), finds[:0], nothing),
        Lying(lying, Leans(leans, leans, leans), lying[:, 2:] - lying[:, :2]),
    )


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
    ("sharpness", "contrast", "found", "read", "hidden"),
    [
        (11.1, 200, 1, 1, 0),
        (10.9, 200, 1, 0, 0),
        (5.9, 200, 0, 0, 1),
        (30, 35.1, 1, 1, 0),
        (30, 34.9, 1, 0, 0),
        (30, 14.9, 0, 0, 1),
    ],
)
def test_what_is_asked_of_blurred_and_faint_indexes(
    sharpness: float, contrast: float, found: int, read: int, hidden: int
) -> None:
    at = corners(140, 90, 12, 24)
    lesson = lesson_of(index("6S", at, height=21, sharpness=sharpness, contrast=contrast))
    assert len(lesson.boxes) == found
    assert len(readable(lesson)) == read
    told = [patch for patch in lesson.patches if patch.number == UNREADABLE and patch.height == 21]
    assert len(told) == hidden


@pytest.mark.parametrize("leaning", [0, 30, 90, 135, -170, -60])
def test_a_real_index_is_known_by_its_box_and_its_lean(leaning: float) -> None:
    """White above, red below: the patch knows where its top is."""
    image = np.zeros((200, 200, 3), np.uint8)
    at = turned(corners(80, 70, 60 / 1.9, 60), -leaning)
    upper = np.array([at[0], at[1], (at[1] + at[2]) / 2, (at[0] + at[3]) / 2])
    cv2.fillPoly(image, [np.round(at).astype(np.int32)], RED)
    cv2.fillPoly(image, [np.round(upper).astype(np.int32)], WHITE)
    box = np.concatenate([at.min(axis=0), at.max(axis=0)])
    assert upright_height(box, leaning) == pytest.approx(60, rel=0.01)
    patch = box_patch(image, box, leaning, "KH")
    assert lean(patch.corners) == pytest.approx(leaning, abs=0.5)
    top, foot = patch.corners[:2].mean(axis=0), patch.corners[2:].mean(axis=0)
    above = (top + 0.25 * (foot - top)).round().astype(int)
    below = (top + 0.75 * (foot - top)).round().astype(int)
    assert patch.image[above[1], above[0]].tolist() == [255, 255, 255]
    assert patch.image[below[1], below[0]].tolist() == [0, 0, 255]


@pytest.mark.parametrize("leaning", [0, 7.5, 14.9, 90, 179, -179, -31])
def test_a_lean_is_told_by_the_two_steps_next_to_it(leaning: float) -> None:
    shares = shares_of(np.array([leaning], np.float32))
    assert shares.sum() == pytest.approx(1)
    assert np.count_nonzero(shares > 1e-5) <= 2
    told = leans_from(shares)
    apart = abs(float(told.likeliest[0]) - leaning) % 360
    assert min(apart, 360 - apart) < 0.01
    assert float(told.rival_share[0]) == 0


def test_a_rival_lean_is_a_quarter_of_a_turn_away_or_more() -> None:
    shares = np.zeros((1, STEPS), np.float32)
    shares[0, [0, 1, 12]] = 0.5, 0.2, 0.3
    told = leans_from(shares)
    assert float(told.likeliest[0]) == pytest.approx(STEP * 0.2 / 0.7)
    assert abs(float(told.rival[0])) == 180
    assert float(told.rival_share[0]) == pytest.approx(0.3)


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


def red_over_white(degrees: float) -> shards.Patch:
    """A patch of an index with a red top and a white foot."""
    image = np.zeros((300, 300, 3), np.uint8)
    at = turned(corners(130, 110, 40, 80), degrees)
    upper = np.array([at[0], at[1], (at[1] + at[2]) / 2, (at[0] + at[3]) / 2])
    cv2.fillPoly(image, [np.round(at).astype(np.int32)], WHITE)
    cv2.fillPoly(image, [np.round(upper).astype(np.int32)], RED)
    return patch_round(image, at, 0, 80)


def redness(
    seen: NDArray[np.uint8], towards: tuple[float, float], middle: NDArray[np.float32] | None = None
) -> float:
    """How much redder than blue a crop is, an eighth of its side from a point of it."""
    side = len(seen)
    middle = np.array([side / 2, side / 2], np.float32) if middle is None else middle
    x, y = (middle + np.array(towards) * side / 8).round().astype(int)
    part = seen[y - 2 : y + 3, x - 2 : x + 3].astype(int)
    return float((part[..., 2] - part[..., 0]).mean())


@pytest.mark.parametrize("degrees", [0, 37, 90, 181, 300])
def test_the_reader_sees_an_index_upright_however_it_lay(degrees: float) -> None:
    patch = red_over_white(degrees)
    redder = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        seen = glimpse_upright(patch.image, patch.corners, 9, NOT_TOLD, rng)
        above, below = redness(seen, (0, -1)), redness(seen, (0, 1))
        redder += above > below + 20
    assert redder >= 9  # now and then it is seen without colour, or far from upright


def test_the_reader_mostly_sees_an_index_as_a_turner_said_that_it_lies() -> None:
    patch = red_over_white(0)
    box = np.concatenate([patch.corners.min(axis=0), patch.corners.max(axis=0)])
    upside_down = np.append(box, 180).astype(np.float32)
    as_told = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        seen = glimpse_upright(patch.image, patch.corners, 9, upside_down, rng)
        as_told += redness(seen, (0, 1)) > redness(seen, (0, -1)) + 20
    assert 12 <= as_told <= 30


@pytest.mark.parametrize("degrees", [0, 37, 181])
@pytest.mark.parametrize("as_told", [True, False])
def test_the_surveyor_sees_the_card_with_its_index_upright_in_a_corner(
    degrees: float,
    as_told: bool,  # noqa: FBT001
) -> None:
    patch = red_over_white(degrees)
    redder = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        seen = glimpse_of_face(patch.face, 80, rng, as_told=as_told)
        assert seen.shape == (FACE_SIDE, FACE_SIDE, 3)
        index_at = np.array(FACE_AT, np.float32) * FACE_SIDE
        above, below = (redness(seen, (0, side / 3), index_at) for side in (-1, 1))
        redder += above > below + 20
    assert redder >= 9


def test_an_index_is_at_times_seen_as_if_all_suits_had_one_ink() -> None:
    patch = red_over_white(0)
    colourless = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        seen = glimpse_upright(patch.image, patch.corners, 9, NOT_TOLD, rng).astype(int)
        colourless += np.ptp(seen - seen[:1, :1], axis=2).max() < 12
    assert 2 <= colourless <= 20


@pytest.mark.parametrize("degrees", [0, 37, 181])
@pytest.mark.parametrize("found", [NOT_FOUND, [36, 30, 76, 82]])
def test_the_turner_sees_an_index_at_any_angle_and_is_told_how_it_lies(
    degrees: float, found: list[float] | NDArray[np.float32]
) -> None:
    patch = red_over_white(degrees)
    leans, redder, upside_down = [], 0, 0
    for seed in range(24):
        rng = np.random.default_rng(seed)
        box = np.array(found, np.float32)
        seen, truth = glimpse_as_it_lies(patch.image, patch.corners, 9, box, rng)
        up = np.sin(np.radians(truth[0])), -np.cos(np.radians(truth[0]))
        middle = CROP_SIDE / 2 + truth[1:3] * CROP_SIDE / CROP_MARGIN
        above, below = redness(seen, up, middle), redness(seen, (-up[0], -up[1]), middle)
        redder += above > below + 20
        upside_down += below > above + 20
        leans.append(float(truth[0]))
        assert truth[3] - truth[4] == pytest.approx(np.log(2), abs=0.45)  # as tall as it was drawn
    assert redder >= 15  # now and then it is seen without colour
    assert upside_down == 0
    assert max(leans) - min(leans) > 180


def test_the_turner_at_times_sees_an_index_from_nearer_by_as_where_it_is_in_doubt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patch = red_over_white(0)
    monkeypatch.setattr(glimpses, "LOOSE_SHARE", 0.0)
    sizes = []
    for share in (0.0, 1.0):
        monkeypatch.setattr(glimpses, "CLOSER_SHARE", share)
        rng = np.random.default_rng(3)
        told = [
            glimpse_as_it_lies(patch.image, patch.corners, 9, NOT_FOUND, rng)[1] for _ in range(40)
        ]
        sizes.append(np.median([truth[3] for truth in told]))
    assert sizes[1] - sizes[0] == pytest.approx(np.log(1 / CLOSER), abs=0.15)


def test_a_patch_keeps_the_box_that_a_finder_drew_round_its_index() -> None:
    at = corners(140, 90, 12, 24)
    picture = Picture(np.zeros((200, 300, 3), np.uint8), (index("6S", at),), ())
    rank_alone = np.array([[140, 90, 152, 103]], np.float32)
    whole = np.array([[139, 90, 153, 113]], np.float32)
    told = looked(rank_alone, [0.5], whole, lean_told=4)
    (patch,) = (
        patch
        for patch in lesson_from(picture, np.random.default_rng(1), told).patches
        if patch.number == NUMBERS["6S"]
    )
    left, top = patch.corners.min(axis=0)
    scale = np.ptp(patch.corners[:, 1]) / 24
    assert patch.found == pytest.approx([left, top, left + 12 * scale, top + 13 * scale], abs=0.01)
    right, bottom = left + 13 * scale, top + 23 * scale
    assert patch.lying == pytest.approx([left - scale, top, right, bottom, 4], abs=0.01)
    plain = next(one for one in lesson_of(index("6S", at)).patches if one.number != UNREADABLE)
    assert np.isnan([*plain.found, *plain.lying]).all()


def test_what_is_set_right_to_an_index_is_read_and_what_is_set_elsewhere_is_refused() -> None:
    at = corners(140, 90, 12, 24)
    picture = Picture(np.zeros((200, 300, 3), np.uint8), (index("6S", at),), ())
    beside = np.array([[146, 112, 162, 132]], np.float32)
    for place, refused in (([140, 90, 152, 114], 0), ([170, 130, 182, 154], 1)):
        told = looked(beside, [0.2], np.array([place], np.float32))
        lesson = lesson_from(picture, np.random.default_rng(1), told)
        assert sum(np.isfinite(patch.lying).all() for patch in lesson.patches) == refused


def test_what_a_finder_missed_or_mistook_is_where_windows_are_cut() -> None:
    missed, found, nothing = (40, 40, 52, 64), (400, 100, 412, 124), (600, 400, 612, 424)
    indexes = tuple(index("6S", corners(box[0], box[1], 12, 24)) for box in (missed, found))
    picture = Picture(np.zeros((720, 1280, 3), np.uint8), indexes, ())
    finds = np.array([found, nothing], np.float32)
    lesson = lesson_from(picture, np.random.default_rng(1), looked(finds, [0.9, 0.8]))
    assert sorted(map(tuple, lesson.mistakes.tolist())) == [(46, 52), (606, 412)]
    refused = [patch for patch in lesson.patches if np.isfinite(patch.found).all()]
    assert [patch.number == UNREADABLE for patch in refused] == [False, True]
    held = [len(rows) for _, rows in windows_of(lesson, np.random.default_rng(2))]
    assert len(held) == shards.WINDOWS_A_SCENE
    assert sum(held) >= 2


@pytest.mark.parametrize(("left", "held"), [(-5, 0), (-4, 1), (248, 1), (249, 0), (300, 0)])
def test_an_index_at_the_rim_of_a_window_counts_if_enough_of_it_is_inside(
    left: float, held: int
) -> None:
    box = np.array([[left, 20, left + 12, 44]], np.float32)
    rows = rows_within(np.zeros(1, np.float32), box)
    assert len(rows) == held
    assert (rows[:, 1:] >= 0).all()
    assert (rows[:, 1:] <= 256).all()


def test_a_picture_is_written_as_yolo_reads_it(tmp_path: Path) -> None:
    for kind in ("images", "labels"):
        (tmp_path / kind).mkdir()
    boxes = np.array([[BACK, 20, 10, 60, 90]], np.float32)
    write_picture(tmp_path, "one", np.full((100, 200, 3), 90, np.uint8), boxes)
    said = (tmp_path / "labels" / "one.txt").read_text("utf-8")
    assert said == "1 0.200000 0.500000 0.200000 0.800000\n"
    written = cv2.imread(str(tmp_path / "images" / "one.jpg"))
    assert written is not None
    assert written.shape == (100, 200, 3)


def test_a_shard_that_is_there_is_not_drawn_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "SCENES_IN_A_SHARD", 2)
    monkeypatch.setattr(shards, "WINDOWS_A_SCENE", 1)
    for kind in shards.KINDS:
        (tmp_path / kind).mkdir()
    path = draw_shard(tmp_path, 5)
    with np.load(path) as kept:
        assert len({len(kept[name]) for name in kept if name != "faces"}) == 1
        assert kept["face_ends"][-1] == len(kept["faces"])
    assert sorted(file.stem for file in (tmp_path / "images").iterdir()) == [
        "0000000160-0",
        "0000000176-0",
    ]
    first = path.read_bytes()
    path.write_bytes(b"as it was")
    assert draw_shard(tmp_path, 5).read_bytes() == b"as it was"
    path.unlink()
    assert draw_shard(tmp_path, 5).read_bytes() == first
