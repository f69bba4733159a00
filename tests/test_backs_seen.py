"""Cards face down, look after look: which box is theirs."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from tests.followed_coup import CLEARED_S, FOUR, indexes, names
from tests.laid_cards import BACCARAT, LaidTable, card, lay
from vision.boxes import Image
from vision.card_reader import BackSeen, Box, PictureReading
from vision.frames import Frame
from vision.glances import Glance
from vision.index_spots import SpotKeeper
from vision.look_reading import glance_of
from vision.stillness import Look
from vision.tracks import tracked_rounds

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


def patterned(turned_up_s: float) -> Iterator[Glance]:
    """The last card is face down at first, and its back shows something like its own index."""
    turned = card(
        "2D",
        lay("banker", 1.2, 4.0, turned_up_s, face_up=False),
        lay("banker", 1.2, turned_up_s, CLEARED_S),
    )
    table = LaidTable(BACCARAT, [*FOUR[:3], turned])
    last = [*table.glances()]
    (own,) = (
        each
        for each in next(look for look in last if look.at_s > turned_up_s + 1).reading.cards
        if each.card == "2D"
    )
    pattern = indexes(own.indexes[0].box, {"JC": 0.4, "4C": 0.3}, readable=0.5, score=0.5)
    for look in last:
        shown = (pattern,) if 4.0 <= look.at_s < turned_up_s else ()
        yield replace(look, reading=replace(look.reading, unreadable=shown))


def test_what_looks_like_an_index_on_a_back_is_not_the_card_face_up() -> None:
    (cards,) = tracked_rounds(patterned(8.0), BACCARAT)
    assert names(cards) == ["5H", "KC", "8S", "2D"]
    assert [place.face_up for place in cards[3].places] == [False, True]


class CutReader:
    """Reads a back as far as it lies in the part that is looked at."""

    def __init__(self, back: Box) -> None:
        self._back = back

    def read(
        self, image: Image, scales: tuple[float, ...] | None = None, part: Box | None = None
    ) -> PictureReading:
        left, top, right, bottom = self._back
        least_x, least_y, most_x, most_y = part or ALL
        seen = max(left, least_x), max(top, least_y), min(right, most_x), min(bottom, most_y)
        return PictureReading((), (), (BackSeen(seen, 0.75 if seen == self._back else 0.7),))


def test_a_back_that_the_border_of_a_part_cuts_is_seen_once() -> None:
    """The middle of what is seen of it is in the one part, and its own in the other."""
    back = (961.0, 315.0, 1062.0, 436.0)
    frame = Frame.of_image(0, 1.0, np.zeros((720, 1280, 3), np.uint8))
    areas = (688.0, 64.0, 1024.0, 368.0), (848.0, 256.0, 1168.0, 528.0)
    glance = glance_of(Look(frame, areas, ()), CutReader(back))
    assert [seen.box for seen in glance.reading.backs] == [back]
