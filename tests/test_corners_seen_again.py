"""An index that is seen again, half covered, misread or beside itself, is still of one card."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from tests.film_reader_fakes import PERFECT, quieter
from tests.followed_coup import CLEARED_S, FOUR, glance_at, indexes, names
from tests.laid_cards import BACCARAT, LaidTable
from vision.card_moves import link
from vision.card_reader import PictureReading, joined_card
from vision.card_shape import CardShape, IndexPose
from vision.cards import NUMBERS
from vision.glances import Glance, middle
from vision.index_spots import SpotKeeper, normalised
from vision.stays import stays_of
from vision.tracks import Tracker, tracked_rounds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vision.card_reader import CardSeenInPicture, IndexSeen
    from vision.stays import Stay

LOWER = FOUR[0].lays[0]
"""Where the first card of the coup lies, the five of hearts."""


def is_lower_index(index: IndexSeen) -> bool:
    x, y = middle(index.box)
    return abs(x - LOWER.x) < 40 and LOWER.y < y < LOWER.y + 50


def misread_from(at_s: float) -> Iterator[Glance]:
    """A coup of which one index of the first card is surely misread from then on."""
    for glance in LaidTable(BACCARAT, FOUR).glances():
        if glance.at_s < at_s:
            yield glance
            continue
        cards = []
        for seen in glance.reading.cards:
            cards += [
                joined_card(
                    [replace(index, probabilities=indexes(index.box, {"2C": 0.98}).probabilities)]
                )
                if is_lower_index(index)
                else joined_card([index])
                for index in seen.indexes
            ]
        yield replace(glance, reading=replace(glance.reading, cards=tuple(cards)))


def test_an_index_that_is_misread_once_it_is_half_covered_is_no_other_card() -> None:
    (cards,) = tracked_rounds(misread_from(6.0), BACCARAT)
    assert names(cards) == ["5H", "KC", "8S", "2D"]


def test_an_index_that_was_misread_when_it_was_first_seen_is_no_other_card() -> None:
    first = [glance for glance in misread_from(0.0) if glance.at_s < 6.0]
    then = [glance for glance in misread_from(99.0) if glance.at_s >= 6.0]
    (cards,) = tracked_rounds([*first, *then], BACCARAT)
    assert names(cards) == ["5H", "KC", "8S", "2D"]


def leaning_from(at_s: float, to_s: float) -> Iterator[Glance]:
    """A coup in which one index of the first card is taken to lean otherwise for a while."""
    for glance in LaidTable(BACCARAT, FOUR).glances():
        cards = [
            joined_card(
                [
                    replace(index, lean=index.lean - 146.0)
                    if is_lower_index(index) and at_s <= glance.at_s < to_s
                    else index
                ]
            )
            for seen in glance.reading.cards
            for index in seen.indexes
        ]
        joined = (
            glance
            if glance.at_s >= 5.0
            else replace(glance, reading=replace(glance.reading, cards=tuple(cards)))
        )
        yield joined


def test_an_index_whose_lean_was_misjudged_is_no_other_card() -> None:
    (cards,) = tracked_rounds(leaning_from(0.0, 4.0), BACCARAT)
    assert names(cards) == ["5H", "KC", "8S", "2D"]


def beside(height: float, from_s: float, to_s: float, *glances: Glance) -> Iterator[Glance]:
    """Something that is hardly an index beside the lower one, as if it were printed twice."""
    for glance in glances:
        own = [index for index in glance.reading.indexes if is_lower_index(index)]
        if not own or not from_s <= glance.at_s < to_s:
            yield glance
            continue
        left, top, right, bottom = own[0].box
        box = (left + height, top + height / 3, right + height, bottom + height / 3)
        ghost = replace(indexes(box, {"7D": 0.95}, score=0.34), lean=own[0].lean)
        cards = (*glance.reading.cards, joined_card([ghost]))
        yield replace(glance, reading=replace(glance.reading, cards=cards))


def test_what_is_hardly_an_index_is_no_card_though_it_is_seen_again_at_its_place() -> None:
    """Half of a ten is now and then found beside the whole, and is gone in between."""
    glances = [*LaidTable(BACCARAT, FOUR).glances()]
    twice = beside(14.0, 8.0, CLEARED_S, *beside(14.0, 1.0, 4.0, *glances))
    (cards,) = tracked_rounds(twice, BACCARAT)
    assert names(cards) == ["5H", "KC", "8S", "2D"]


def one_index(*readings: str) -> list[Glance]:
    """An index at one place, read every half second as each of these."""
    box = (300.0, 300.0, 320.0, 338.0)
    read = [glance_at(1 + n * 0.5, indexes(box, {name: 0.97})) for n, name in enumerate(readings)]
    return [glance_at(0.0), *read]


def test_a_card_begins_when_it_was_first_read_as_what_it_is() -> None:
    """What was misread once, under a hand, is neither of the one card nor of the other."""
    glances = one_index("6D", "6D", "6D", "JC", "2S", "2S", "2S")
    (cards,) = tracked_rounds(glances, BACCARAT)
    assert names(cards) == ["6D", "2S"]
    assert cards[1].laid_s == 3.0
    assert float(cards[1].probabilities.max()) > 0.95


def test_four_indexes_round_one_middle_that_came_at_once_are_one_card() -> None:
    """The shape of cards lying otherwise is known badly, so that only its diagonals are told."""
    shape = CardShape(BACCARAT.frame)
    for x, y in ((300, 300), (500, 310), (700, 290), (900, 300)):
        shape.learn(IndexPose(x - 22, y - 32, 0.0), IndexPose(x + 22, y + 32, 180.0))
        shape.learn(IndexPose(x + 22, y - 32, 0.0), IndexPose(x - 22, y + 32, 180.0))
    keeper = SpotKeeper()
    corners = [(-22, -32, 0.0), (22, 32, 180.0), (-22.0, 32, 180.0), (22, -32, 0.0)]
    seen = [
        replace(
            indexes((400 + x - 8, 400 + y - 12, 400 + x + 8, 400 + y + 12), {"AH": 0.98}), lean=lean
        )
        for x, y, lean in corners
    ]
    pairs = (joined_card(seen[:2]), joined_card(seen[2:]))
    for at_s in (1.0, 1.5):
        reading = PictureReading(pairs, (), ())
        keeper.see(Glance(at_s, ((0.0, 0.0, 1280.0, 720.0),), (), reading), ())
    assert shape.fit(keeper.spots[2].pose, keeper.spots[0].pose) < 0
    (only,) = stays_of(keeper.spots, (), shape, BACCARAT)
    assert len(only.spots) == 4


CORNERS = [(-22.0, -32.0, 0.0), (22.0, -32.0, 0.0), (22.0, 32.0, 180.0), (-22.0, 32.0, 180.0)]
"""The indexes of a card with four: across and down from its middle, and how they lean."""


def of_four(x: float, y: float, name: str, shown: slice = slice(4)) -> CardSeenInPicture:
    """A card with four indexes, of which some show."""
    places = [(x + across, y + down, lean) for across, down, lean in CORNERS[shown]]
    return joined_card(
        [
            replace(indexes((x - 8, y - 12, x + 8, y + 12), {name: 0.98}), lean=lean)
            for x, y, lean in places
        ]
    )


def shape_of_four() -> CardShape:
    """The shape of cards with four indexes, as learnt from those that lie upright."""
    shape = CardShape(BACCARAT.frame)
    for x in (300, 500, 700, 900):
        poses = [IndexPose(x + across, 300 + down, lean) for across, down, lean in CORNERS]
        for one, other in combinations(poses, 2):
            shape.learn(one, other)
    return shape


def stays_in(*looks: Sequence[CardSeenInPicture]) -> list[Stay]:
    """The stays of cards with four indexes that are looked at every half second, linked."""
    shape = shape_of_four()
    keeper = SpotKeeper()
    for number, cards in enumerate(looks, 2):
        reading = PictureReading(tuple(cards), (), ())
        keeper.see(Glance(number / 2, ((0.0, 0.0, 1280.0, 720.0),), (), reading), ())
    stays = stays_of(keeper.spots, (), shape, BACCARAT)
    link(stays, shape)
    return stays


@pytest.mark.parametrize("tilt", [-20.0, 0.0, 20.0])
def test_four_indexes_that_the_reader_always_joins_are_one_card_though_sheared(tilt: float) -> None:
    """As a camera at the side sees a card that lies askew."""
    keeper = SpotKeeper()
    places = [(400 + across - 0.4 * down, 400 + down, lean) for across, down, lean in CORNERS]
    seen = [
        replace(indexes((x - 8, y - 12, x + 8, y + 12), {"QC": 0.98}), lean=lean + tilt)
        for x, y, lean in places
    ]
    for at_s in (1.0, 1.5, 3.5):
        reading = PictureReading((joined_card(seen),), (), ())
        keeper.see(Glance(at_s, ((0.0, 0.0, 1280.0, 720.0),), (), reading), ())
    (only,) = stays_of(keeper.spots, (), shape_of_four(), BACCARAT)
    assert len(only.spots) == 4


def test_a_copy_whose_upper_indexes_lie_on_the_lower_ones_of_a_card_is_another_card() -> None:
    card, left = of_four(400, 400, "5D"), of_four(400, 400, "5D", slice(2))
    between, copy = of_four(411, 432, "TS"), of_four(400, 462, "5D")
    above = of_four(411, 432, "TS", slice(2))
    over = (left, above, copy)
    stays = stays_in([card], [card], [card], [left, between], [left, between], over, over, over)
    fives = [stay for stay in stays if normalised(stay.evidence)[NUMBERS["5D"]] > 0.9]
    assert [(stay.first_s, len(stay.spots)) for stay in fives] == [(1.0, 4), (3.5, 4)]


def test_a_card_that_is_moved_by_its_width_is_the_same_card() -> None:
    """Its indexes on the one side are at first taken for those on the other, at their old place."""
    before, upper = of_four(400, 400, "AD"), of_four(400, 400, "AD", slice(2))
    sliding, after = of_four(350, 402, "AD", slice(1, 3)), of_four(346, 402, "AD")
    looks = [before], [before], [upper], [upper], [sliding], [after], [after], [after]
    first, second = stays_in(*looks)
    assert (first.first_s, first.followed_by) == (1.0, second)


def test_the_shape_is_learnt_though_the_reader_joins_nothing() -> None:
    noise = quieter(PERFECT, apart=1.0)
    tracker = Tracker(BACCARAT)
    for glance in LaidTable(BACCARAT, FOUR, noise).glances():
        tracker.see(glance)
    assert tracker.shape.known


def test_an_index_that_was_missed_once_goes_on_though_nobody_looked_there_for_a_while() -> None:
    """An arm rested on one index of a card, and was gone at the next look."""
    glances = [*LaidTable(BACCARAT, FOUR).glances()]
    rested_s = next(glance.at_s for glance in glances if glance.at_s > 5.0)
    shown = []
    for glance in glances:
        if rested_s < glance.at_s < rested_s + 1.7:
            continue
        cards = glance.reading.cards
        if glance.at_s == rested_s:
            each = (tuple(i for i in seen.indexes if not is_lower_index(i)) for seen in cards)
            cards = tuple(joined_card(left) for left in each if left)
        shown.append(replace(glance, reading=replace(glance.reading, cards=cards)))
    keeper = SpotKeeper()
    for glance in shown:
        if glance.at_s < CLEARED_S - 1:
            keeper.see(glance, ())
    assert len(keeper.spots) == 2 * len(FOUR)
