"""Cards face down, look after look: which box is theirs."""

import pytest

from vision.card_reader import BackSeen, Box, PictureReading
from vision.glances import Glance
from vision.index_spots import SpotKeeper

ALL: Box = (0.0, 0.0, 1280.0, 720.0)
FIRST: Box = (350.0, 320.0, 470.0, 460.0)
SECOND: Box = (250.0, 320.0, 375.0, 460.0)
ROUND_BOTH: Box = (300.0, 315.0, 475.0, 465.0)
HALF: Box = (350.0, 320.0, 410.0, 460.0)


def kept(*looks: tuple[Box, ...], moving: tuple[Box, ...] = ()) -> list[Box]:
    """The boxes of all backs after some looks; the first look at what moves."""
    keeper = SpotKeeper()
    for number, boxes in enumerate(looks):
        backs = tuple(BackSeen(box, 0.6) for box in boxes)
        reading = PictureReading((), (), backs)
        glance = Glance(number / 3, (ALL,), () if number else moving, reading)
        keeper.see(glance, backs)
    return [back.box for back in keeper.backs]


def test_a_back_that_a_hand_was_over_grows_to_its_size() -> None:
    assert kept((HALF,), (FIRST,), (FIRST,), moving=(HALF,)) == [FIRST]


def test_a_back_that_lay_still_is_not_the_box_round_two() -> None:
    assert kept((FIRST,), (FIRST,), (ROUND_BOTH,), (ROUND_BOTH,)) == [FIRST]


@pytest.mark.parametrize("others", [(), (SECOND,)])
def test_a_back_never_grows_over_the_middle_of_another(others: tuple[Box, ...]) -> None:
    seen = kept((FIRST, SECOND), (ROUND_BOTH, *others), moving=(ALL,))
    assert FIRST in seen
    assert ROUND_BOTH not in seen


def test_boxes_that_differ_a_little_are_one_back() -> None:
    larger = (348.0, 318.0, 473.0, 463.0)
    assert kept((FIRST,), (FIRST,), (larger,), (FIRST,)) == [larger]
