"""An index that is seen again, half covered, misread or beside itself, is still of one card."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.followed_coup import CLEARED_S, FOUR, indexes, names
from tests.laid_cards import BACCARAT, LaidTable
from vision.card_reader import joined_card
from vision.glances import middle
from vision.tracks import tracked_rounds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vision.card_reader import IndexSeen
    from vision.glances import Glance

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
