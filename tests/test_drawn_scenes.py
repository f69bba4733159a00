"""Drawn tables: the same seed gives the same picture, and the labels are true of its pixels."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from vision.synthetic.cameras import View, draw_camera, looking_at
from vision.synthetic.furniture import ChipStack
from vision.synthetic.hands import Hand
from vision.synthetic.scenes import draw_scene, set_scene
from vision.synthetic.tables import LaidCard, Table, draw_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.synthetic.pictures import DrawnIndex, Picture

SIZE = (640, 480)
QUEEN = LaidCard("QS", 0.0, 0.0, 0.0)


@cache
def close_table(elevation: float = 60.0) -> Table:
    """A table whose camera is so near that a card is about 190 px tall."""
    table = draw_table(5, game="blackjack", size=SIZE)
    view = View(elevation, azimuth=8.0, roll=2.0)
    camera = looking_at(np.array([0.0, 0.0]), 360.0, view, SIZE)
    return replace(table.seen_through(camera), furnishing=None)


def bare(laid: list[LaidCard], *, elevation: float = 60.0) -> Picture:
    return close_table(elevation).draw(laid, as_filmed=False)


def upright(
    image: NDArray[np.uint8], corners: NDArray[np.float32], size: tuple[int, int]
) -> NDArray[np.float32]:
    """What a quad of the picture shows, made upright and grey."""
    target = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float32) - 0.5
    turned = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    seen = cv2.warpPerspective(image, turned, size)
    return np.asarray(cv2.cvtColor(seen, cv2.COLOR_BGR2GRAY), np.float32)


def likeness(index: DrawnIndex, picture: Picture, number: int) -> float:
    """The correlation of the picture at an index's label with the index as the deck prints it."""
    face = close_table().deck.face(index.card)
    size = (40, 64)
    shown = upright(picture.image, index.corners, size)
    printed = upright(face.image, face.indexes[number], size)
    return float(np.corrcoef(shown.ravel(), printed.ravel())[0, 1])


def test_the_same_seed_draws_the_same_scene() -> None:
    first, second = draw_scene(3, window=(256, 256)), draw_scene(3, window=(256, 256))
    assert np.array_equal(first.image, second.image)
    assert [index.card for index in first.indexes] == [index.card for index in second.indexes]
    other = draw_scene(4, window=(256, 256))
    assert not np.array_equal(first.image, other.image)


def test_a_moment_of_a_table_is_drawn_alike_twice_and_its_noise_changes_with_the_moment() -> None:
    table = replace(close_table(), filming=replace(close_table().filming, noise=4.0))
    once, again = table.draw([QUEEN], moment=7), table.draw([QUEEN], moment=7)
    later = table.draw([QUEEN], moment=8)
    assert np.array_equal(once.image, again.image)
    assert not np.array_equal(once.image, later.image)


def test_tables_kept_out_of_training_have_other_felts_and_cameras() -> None:
    for seed in range(3):
        table = set_scene(seed).table
        kept_out = set_scene(seed, kept_out=True).table
        assert table.ground != kept_out.ground
        assert not np.allclose(table.camera.matrix, kept_out.camera.matrix)


@pytest.mark.parametrize("turned", [0.0, 37.0, 180.0, 290.0])
def test_labels_lie_on_the_printed_indexes(turned: float) -> None:
    laid = [LaidCard("QS", -60.0, 5.0, turned), LaidCard("7H", 60.0, -5.0, turned + 11)]
    picture = bare(laid)
    assert len(picture.indexes) >= 4
    seen: dict[str, int] = {}
    for index in picture.indexes:
        number = seen.setdefault(index.card, 0)
        seen[index.card] += 1
        assert index.visible == pytest.approx(1.0)
        assert likeness(index, picture, number) > 0.85, (index.card, number)


def test_outlines_lie_on_the_edges_of_cards() -> None:
    deuce = bare([LaidCard("2H", 0.0, 0.0, 20.0)])
    lighter = deuce.image.astype(int) - bare([]).image
    rows, columns = np.nonzero(lighter.sum(axis=2) > 150)
    outline = deuce.cards[0].outline
    assert (columns.min(), rows.min()) == pytest.approx(outline.min(axis=0), abs=6)
    assert (columns.max(), rows.max()) == pytest.approx(outline.max(axis=0), abs=6)
    inside = [cv2.pointPolygonTest(outline, (float(x), float(y)), measureDist=True) for x, y in
              zip(columns[::50], rows[::50], strict=True)]  # fmt: skip
    assert min(inside) > -1.5


def test_a_card_laid_over_half_of_another_covers_half_of_it() -> None:
    wide = close_table().deck.width_mm
    half = LaidCard("2H", wide / 2, 0.0, 0.0)
    lower, upper = bare([QUEEN, half], elevation=90.0).cards
    assert lower.card == "QS"
    assert lower.visible == pytest.approx(0.5, abs=0.02)
    assert upper.visible == pytest.approx(1.0, abs=0.02)


def test_a_covered_index_is_labelled_and_not_visible() -> None:
    shifted = LaidCard("2H", 22.0, -24.0, 0.0)
    picture = bare([QUEEN, shifted])
    first, *others = [index for index in picture.indexes if index.card == "QS"]
    assert first.visible == pytest.approx(1.0)
    assert others[-1].visible == 0.0


def test_a_hand_and_a_chip_cover_what_is_under_them() -> None:
    table = close_table()
    under_hand = table.draw([QUEEN], [Hand(0.0, 60.0, 0.0, style=3, lift=5.0)], as_filmed=False)
    assert under_hand.cards[0].visible < 0.6
    under_chip = table.draw([QUEEN], (), [ChipStack(0.0, 0.0, 1, 5, lift=0.5)], as_filmed=False)
    assert 0.6 < under_chip.cards[0].visible < 0.9


def test_what_is_outside_the_picture_is_not_visible() -> None:
    table = close_table()
    middle = table.camera.project(np.array([[0.0, 0.0]]))[0]
    camera = table.camera.window(int(middle[0]), 0, SIZE[0] - int(middle[0]), SIZE[1])
    card = table.seen_through(camera).draw([QUEEN], as_filmed=False).cards[0]
    assert card.visible == pytest.approx(0.5, abs=0.04)


def test_a_card_lying_face_down_has_no_index_to_read() -> None:
    hidden = replace(QUEEN, face_up=False)
    picture = bare([hidden])
    assert picture.indexes == ()
    assert picture.cards[0].card is None
    other = bare([replace(hidden, card="4D")])
    assert np.array_equal(picture.image, other.image)


def test_a_window_has_the_labels_of_its_part_of_the_whole_picture() -> None:
    scene = set_scene(18)
    assert scene.laid
    left, top = 300, 150
    camera = scene.table.camera.window(left, top, 500, 400)
    arguments = (scene.laid, scene.hands, scene.chips)
    whole = scene.table.draw(*arguments, as_filmed=False)
    part = scene.table.seen_through(camera).draw(*arguments, as_filmed=False)
    for there, here in zip(whole.indexes, part.indexes, strict=True):
        assert there.card == here.card
        assert here.corners == pytest.approx(there.corners - (left, top), abs=0.01)
        assert here.height == pytest.approx(there.height, abs=0.01)
        inside = ((here.corners > 0) & (here.corners < (499, 399))).all()
        if inside:
            assert here.visible == pytest.approx(there.visible, abs=0.05)
    same = whole.image[top : top + 400, left : left + 500]
    assert np.abs(same.astype(int) - part.image).mean() < 1.5


def test_an_index_is_as_tall_as_its_most_compressed_side() -> None:
    upright_index = bare([QUEEN], elevation=90.0).indexes[0]
    sides = np.linalg.norm(
        upright_index.corners - np.roll(upright_index.corners, -1, axis=0), axis=1
    )
    assert upright_index.height == pytest.approx(float(sides[1]), rel=0.03)
    slanted = bare([QUEEN], elevation=35.0).indexes[0]
    assert slanted.height < 0.75 * upright_index.height


def test_a_camera_projects_its_plane_as_it_projects_points() -> None:
    rng = np.random.default_rng(1)
    for elevation in (30.0, 60.0, 90.0):
        camera = draw_camera(rng, (-400.0, -200.0, 400.0, 200.0), SIZE, View(elevation, 10.0))
        points = rng.uniform(-300, 300, (20, 2))
        for height in (0.0, 45.0):
            lifted = np.column_stack([points, np.full(len(points), height)])
            flat = np.column_stack([points, np.ones(len(points))]) @ camera.plane(height).T
            assert camera.project(lifted) == pytest.approx(flat[:, :2] / flat[:, 2:], abs=1e-6)
        assert camera.project(points) == pytest.approx(
            camera.project(np.column_stack([points, np.zeros(len(points))])), abs=1e-6
        )
        part = camera.window(30, 40, 100, 100)
        assert part.project(points) == pytest.approx(camera.project(points) - (30, 40), abs=1e-6)


def test_a_camera_sees_right_as_right_and_away_as_up() -> None:
    camera = looking_at(np.array([0.0, 0.0]), 900.0, View(45.0), SIZE)
    centre, right, away, above = camera.project(
        np.array([[0.0, 0, 0], [100, 0, 0], [0, 100, 0], [0, 0, 100]])
    )
    assert centre == pytest.approx((SIZE[0] / 2, SIZE[1] / 2))
    assert right[0] > centre[0]
    assert right[1] == pytest.approx(centre[1])
    assert away[1] < centre[1]
    assert above[1] < centre[1]
    assert camera.above == pytest.approx((0.0, -900 / np.sqrt(2), 900 / np.sqrt(2)))


@pytest.mark.parametrize("game", ["blackjack", "baccarat"])
def test_a_table_s_camera_sees_all_its_zones(game: str) -> None:
    for seed in range(6):
        table = draw_table(seed, game=game)
        for zone in table.zones.values():
            seen = table.camera.project(zone)
            assert (seen > 0).all()
            assert (seen < table.camera.size).all()
