"""The shape of cards, learnt from their indexes as a camera sees them that looks at an angle."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.laid_cards import FRAME
from vision.card_shape import CardShape, IndexPose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def seen_from_the_side(right: float, down: float, lean: float) -> IndexPose:
    """An index at a place of the table, as a camera sees it that looks down at an angle."""
    tilt, far = np.radians(55), 1500.0

    def shown(at: NDArray[np.float64]) -> NDArray[np.float64]:
        depth = far - at[1] * np.cos(tilt)
        return np.asarray(np.array([at[0], at[1] * np.sin(tilt)]) * far / depth, np.float64)

    here = np.array([right, down])
    turn = np.radians(lean)
    up = shown(here + np.array([np.sin(turn), -np.cos(turn)])) - shown(here)
    x, y = shown(here)
    return IndexPose(x + 640, y + 360, float(np.degrees(np.arctan2(up[0], -up[1]))))


def corner_poses(x: float, y: float, turned: float) -> tuple[IndexPose, IndexPose]:
    """Both indexes of a card with this middle."""
    turn = np.radians(turned)
    sides = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    away = np.array([25.0, 34.0]) @ sides
    return (
        seen_from_the_side(x - away[0], y - away[1], turned),
        seen_from_the_side(x + away[0], y + away[1], turned + 180),
    )


@pytest.fixture(scope="module")
def shape() -> CardShape:
    known = CardShape(FRAME)
    places: Sequence[tuple[float, float, float]] = [
        (-400, -150, 5), (0, -200, -3), (380, -160, 8), (-350, 150, 30), (20, 200, 0),
        (300, 170, -35), (100, 0, 90), (-120, 20, 84), (420, 60, -40), (-440, 40, 41),
    ]  # fmt: skip
    for place in places:
        known.learn(*corner_poses(*place))
    return known


@pytest.mark.parametrize("place", [(-300, 0, 12), (250, -100, -20), (60, 180, 88), (0, 0, 180)])
def test_one_index_tells_where_the_middle_of_its_card_is(
    shape: CardShape, place: tuple[float, float, float]
) -> None:
    one, other = corner_poses(*place)
    middle = seen_from_the_side(place[0], place[1], 0.0)
    (centre,) = shape.centres(one)
    assert shape.apart(centre, (middle.x, middle.y)) < 0.12
    assert shape.fit(one, other) > 2


def test_indexes_that_lie_otherwise_than_on_a_card_do_not_fit(shape: CardShape) -> None:
    one, other = corner_poses(0, 0, 10)
    farther = replace(other, x=other.x + 40)
    upright = replace(other, lean=one.lean)
    assert shape.fit(one, other) > 2
    assert shape.fit(one, farther) < 0
    assert shape.fit(one, upright) < 0


def test_indexes_that_lie_as_on_a_card_fit_though_one_seems_to_lean_otherwise(
    shape: CardShape,
) -> None:
    one, other = corner_poses(0, 0, 10)
    misjudged = replace(other, lean=other.lean + 60)
    assert 0 < shape.fit(one, misjudged) < shape.fit(one, other) - 3
    assert shape.fit(one, replace(misjudged, y=other.y + 30)) < 0


def test_a_card_covers_what_lies_under_it(shape: CardShape) -> None:
    one, _ = corner_poses(0, 0, 0)
    under, beside = seen_from_the_side(15, 20, 0), seen_from_the_side(60, 0, 0)
    centre = seen_from_the_side(0, 0, 0)
    assert shape.covers((centre.x, centre.y), one, under.x, under.y)
    assert not shape.covers((centre.x, centre.y), one, beside.x, beside.y)


def test_nothing_is_known_of_cards_before_two_were_seen() -> None:
    fresh = CardShape(FRAME)
    one, other = corner_poses(0, 0, 10)
    assert not fresh.known
    fresh.learn(one, other)
    assert not fresh.known
    fresh.learn(*corner_poses(200, 100, 5))
    assert fresh.known


@pytest.mark.parametrize("long", [63.0, 42.0, 31.0])
def test_cards_that_all_lie_alike_are_taken_to_be_as_long_as_cards_are(long: float) -> None:
    """They look equal however far the camera leans: a trifle must not tell how long cards are."""
    known = CardShape(FRAME)
    for x, y, by in ((1000, 420, 0.0), (560, 130, 0.1), (1035, 431, -0.1), (948, 422, 0.0)):
        known.learn(IndexPose(x, y, 0.0), IndexPose(x + 41.0, y + long + by, 180.0))
    assert known.diagonal == pytest.approx(np.hypot(41, 1.35 * 41), rel=0.1)


def test_cards_with_four_indexes_that_all_lie_alike_are_not_stretched() -> None:
    """The longer they were, the more alike their ways would be."""
    known = CardShape(FRAME)
    for x, y in ((300, 300), (500, 310), (700, 290)):
        corners = [
            IndexPose(x + across, y + down, 0.0 if down < 0 else 180.0)
            for down in (-32, 32)
            for across in (-22, 22)
        ]
        for one, other in combinations(corners, 2):
            known.learn(one, other)
    assert known.diagonal == pytest.approx(np.hypot(44, 64), rel=0.1)
    assert len(known.offsets) == 5


def four_poses(x: float, y: float, turned: float) -> tuple[IndexPose, ...]:
    """All indexes of a card that has one in each corner, beginning above on the left."""
    turn = np.radians(turned)
    sides = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    corners = (np.array([right, down]) @ sides for down in (-34, 34) for right in (-25, 25))
    return tuple(
        seen_from_the_side(x + away[0], y + away[1], turned + (180 if number > 1 else 0))
        for number, away in enumerate(corners)
    )


LAID = (
    (-300, -100, 4),
    (0, -150, -3),
    (300, -120, 6),
    (-200, 120, 30),
    (250, 150, -35),
    (60, 0, 90),
)


def test_a_card_with_an_index_in_each_corner_is_known_by_some_of_its_ways() -> None:
    """One corner of each card was read badly, so that one of its diagonals was never learnt."""
    known = CardShape(FRAME)
    for place in LAID:
        above, beside, _, opposite = four_poses(*place)
        known.learn(above, opposite)
        known.learn(above, beside)
        known.learn(beside, opposite)
    _, beside, below, opposite = four_poses(100, 60, 10)
    assert known.fit(beside, below) > 2
    assert known.fit(below, opposite) > 2


def test_a_card_with_two_indexes_has_no_others() -> None:
    known = CardShape(FRAME)
    for place in LAID:
        above, _, _, opposite = four_poses(*place)
        known.learn(above, opposite)
    _, beside, below, _ = four_poses(100, 60, 10)
    assert known.fit(beside, below) < 0
    assert len(known.offsets) == 1
