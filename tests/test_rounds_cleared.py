"""Where one round ends and the next begins: its cards are cleared, and are not taken for others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.followed_coup import CLEARED_S, FOUR, everywhere, followed, glance_at, indexes, names
from tests.laid_cards import BACCARAT, WHOLE, LaidTable, Seen, card, lay
from vision.index_spots import SpotKeeper
from vision.tracks import Tracker


def test_a_cleared_layout_ends_a_round() -> None:
    second = [
        card("QC", lay("player", 0, 16.0, 26.0)),
        card("7H", lay("banker", 0, 17.0, 26.0)),
        card("4S", lay("player", 1.2, 18.0, 26.0)),
        card("AD", lay("banker", 1.2, 19.0, 26.0)),
    ]
    rounds = followed(LaidTable(BACCARAT, [*FOUR, *second]))
    assert [names(cards) for cards in rounds] == [
        ["5H", "KC", "8S", "2D"],
        ["QC", "7H", "4S", "AD"],
    ]
    assert [each.number for cards in rounds for each in cards] == list(range(1, 9))


def test_a_round_dealt_while_the_last_is_being_cleared_is_a_round_of_its_own() -> None:
    """The banker's cards go only when the next coup's first card lies there."""
    late = [replace(each, lays=(replace(each.lays[0], to_s=13.4),)) for each in FOUR[1::2]]
    second = [
        card("QC", lay("player", 0, 13.0, 26.0)),
        card("7H", lay("banker", 0, 15.0, 26.0)),
        card("4S", lay("player", 1.2, 16.0, 26.0)),
        card("AD", lay("banker", 1.2, 17.0, 26.0)),
    ]
    rounds = followed(LaidTable(BACCARAT, [FOUR[0], late[0], FOUR[2], late[1], *second]))
    assert [sorted(names(cards)) for cards in rounds] == [
        ["2D", "5H", "8S", "KC"],
        ["4S", "7H", "AD", "QC"],
    ]


def test_the_same_cards_shown_again_after_a_dark_moment_are_the_same_round() -> None:
    moments = everywhere(CLEARED_S + 6, [(6.0, 8.0, WHOLE[0])])
    rounds = followed(LaidTable(BACCARAT, FOUR, moments=moments))
    assert [names(cards) for cards in rounds] == [["5H", "KC", "8S", "2D"]]


def test_a_place_read_once_without_its_card_is_bare_though_it_is_not_read_again() -> None:
    """After the clearing each hand is read once; then only what is laid is read."""
    second = [
        card("QC", lay("player", 0, 16.0, 26.0)),
        card("7H", lay("banker", 0, 17.0, 26.0)),
        card("4S", lay("player", 1.2, 18.0, 26.0)),
        card("AD", lay("banker", 1.2, 19.0, 26.0)),
    ]
    dealt = [*FOUR, *second]
    moments = [Seen(0.0)]
    for each in dealt:
        place = each.lays[0]
        area = ((place.x - 60, place.y - 70, place.x + 60, place.y + 70),)
        moments += [Seen(place.from_s + late, areas=area) for late in (0.3, 0.8)]
    moments += [Seen(CLEARED_S + 0.3), Seen(26.3), Seen(29.0)]
    table = LaidTable(BACCARAT, dealt, moments=tuple(sorted(moments, key=lambda seen: seen.at_s)))
    assert [names(cards) for cards in followed(table)] == [
        ["5H", "KC", "8S", "2D"],
        ["QC", "7H", "4S", "AD"],
    ]


def test_a_doubtful_index_is_not_taken_for_the_card_laid_in_its_place_later() -> None:
    box, doubtful = (300.0, 300.0, 320.0, 338.0), {"QS": 0.6, "8S": 0.4}
    keeper = SpotKeeper()
    for at_s in (0.0, 0.5, 1.0):
        keeper.see(glance_at(at_s, indexes(box, doubtful)), ())
    keeper.see(glance_at(2.0), ())
    keeper.see(glance_at(4.0, indexes(box, {"8S": 0.99})), ())
    assert [spot.there.first_s for spot in keeper.spots] == [0.0, 4.0]
    assert keeper.spots[0].votes.count == 3


def test_an_index_that_was_missed_once_is_the_same_when_it_is_seen_again_at_once() -> None:
    box, keeper = (300.0, 300.0, 320.0, 338.0), SpotKeeper()
    keeper.see(glance_at(0.0, indexes(box, {"QS": 0.99})), ())
    keeper.see(glance_at(0.5), ())
    keeper.see(glance_at(1.0, indexes(box, {"QS": 0.99})), ())
    (spot,) = keeper.spots
    assert (spot.there.seen, spot.there.missed) == (2, 1)


def test_cards_that_were_not_cleared_when_the_film_ends_are_told() -> None:
    shown = [replace(each, lays=(replace(each.lays[0], to_s=1e6),)) for each in FOUR]
    assert [names(cards) for cards in followed(LaidTable(BACCARAT, shown))] == [
        ["5H", "KC", "8S", "2D"]
    ]


def test_an_empty_table_has_no_rounds() -> None:
    assert followed(LaidTable(BACCARAT, [], until_s=10.0)) == []


def test_an_idle_table_is_not_remembered() -> None:
    """Hours of false finds, one here and one there, leave nothing behind."""
    tracker = Tracker(BACCARAT)
    rng = np.random.default_rng(1)
    kept = []
    for number in range(900):
        x, y = rng.uniform(140, 1100), rng.uniform(230, 520)
        ghost = indexes((x, y, x + 18, y + 34), {"9D": 0.8, "6D": 0.2}, readable=0.6, score=0.5)
        assert tracker.see(glance_at(number * 1.0, ghost)) == []
        kept.append(len(tracker._keeper.spots))
    assert max(kept[100:]) <= max(kept[:100]) + 5
