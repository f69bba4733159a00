"""Zones of a table: the hand that a place belongs to."""

from __future__ import annotations

from dataclasses import replace

from tests.laid_cards import BACCARAT, FRAME
from vision.table_zones import MARGIN


def test_a_card_just_outside_a_zone_is_in_that_hand() -> None:
    edge = 580.0
    assert BACCARAT.hand_at(edge + MARGIN * FRAME[0] - 1, 400) == "player"
    assert BACCARAT.hand_at(edge + MARGIN * FRAME[0] + 2, 400) is None


def test_a_hand_goes_before_the_shoe_where_they_overlap() -> None:
    zones = replace(
        BACCARAT, polygons={**BACCARAT.polygons, "shoe": BACCARAT.polygons["banker"] + 100}
    )
    assert zones.hand_at(1100, 500) == "banker"
    assert zones.hand_at(1220, 600) == "shoe"


def test_zones_grow_with_the_picture() -> None:
    double = BACCARAT.scaled_to((2560, 1440))
    assert double.hand_at(480, 680) == "player"
    assert BACCARAT.scaled_to(FRAME) is BACCARAT
