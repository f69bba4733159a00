"""Physical cards followed through glances: one is one, two are two, and each keeps its place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.film_reader_fakes import PERFECT, quieter
from tests.followed_coup import (
    CLEARED_S,
    FOUR,
    everywhere,
    followed,
    glance_at,
    indexes,
    names,
    the_round,
)
from tests.laid_cards import BACCARAT, BLACKJACK, WHOLE, LaidCard, LaidTable, Lay, card, lay
from vision.card_reader import IndexSeen, joined_card
from vision.cards import CARDS, NUMBERS
from vision.glances import Glance
from vision.index_spots import SpotKeeper
from vision.tracks import tracked_rounds

if TYPE_CHECKING:
    from vision.tracks import TrackedCard


def certainty(one: TrackedCard) -> float:
    return float(one.probabilities.max())


# One card or two


def test_a_card_that_shows_two_indexes_is_one_card() -> None:
    cards = the_round(LaidTable(BACCARAT, FOUR))
    assert names(cards) == ["5H", "KC", "8S", "2D"]
    assert [each.hand for each in cards] == ["player", "banker", "player", "banker"]
    assert [each.number for each in cards] == [1, 2, 3, 4]
    assert all(certainty(each) > 0.99 for each in cards)


def test_a_card_whose_indexes_were_never_joined_is_one_card() -> None:
    noise = quieter(PERFECT, apart=1.0)
    shown = LaidTable(BACCARAT, FOUR)
    first = [glance for glance in shown.glances() if glance.at_s < 4.5]
    alone = [glance for glance in replace(shown, noise=noise).glances() if glance.at_s >= 4.5]
    (cards,) = tracked_rounds([*first, *alone], BACCARAT)
    assert names(cards) == ["5H", "KC", "8S", "2D"]


@pytest.mark.parametrize("place", [0.4, 0.7, 1.2, 2.0])
def test_two_nines_are_two_cards(place: float) -> None:
    """Side by side, or one over the other so that its index stays free."""
    nine = card("9H", lay("player", place, 5.0, CLEARED_S))
    table = LaidTable(BACCARAT, [card("9H", FOUR[0].lays[0]), FOUR[1], FOUR[3], nine])
    cards = the_round(table)
    assert names(cards) == ["9H", "KC", "2D", "9H"]


def test_two_nines_that_the_reader_took_for_one_are_two_cards() -> None:
    nine = card("9H", lay("player", 0.5, 5.0, CLEARED_S))
    noise = quieter(PERFECT, joined=1.0)
    table = LaidTable(BACCARAT, [card("9H", FOUR[0].lays[0]), FOUR[1], FOUR[3], nine], noise)
    assert sorted(names(the_round(table))) == ["2D", "9H", "9H", "KC"]


def test_a_card_with_one_index_that_shows_is_one_card() -> None:
    lower = Lay(FOUR[0].lays[0].x + 12, FOUR[0].lays[0].y + 26, 3.0, CLEARED_S)
    cards = the_round(LaidTable(BACCARAT, [FOUR[0], FOUR[1], card("8S", lower), FOUR[3]]))
    assert names(cards) == ["5H", "KC", "8S", "2D"]


# What each card is


def voted(*readings: dict[str, float]) -> TrackedCard:
    """One index, read once for each of these, and never gone."""
    box = (300.0, 300.0, 320.0, 338.0)
    glances = [glance_at(0.0)]
    glances += [glance_at(1 + n * 0.5, indexes(box, each)) for n, each in enumerate(readings)]
    ((only,),) = tracked_rounds(glances, BACCARAT)
    return only


def test_a_card_is_told_by_vote() -> None:
    right = {"9H": 0.97}
    one = voted(right, right, {"6H": 0.7, "9H": 0.3}, right)
    assert names([one]) == ["9H"]
    assert certainty(one) > 0.95


def test_a_vote_that_is_split_is_kept_as_probabilities() -> None:
    one = voted({"9H": 0.6, "6H": 0.4}, {"9H": 0.45, "6H": 0.55}, {"9H": 0.6, "6H": 0.4})
    shares = one.probabilities
    assert 0.5 < shares[NUMBERS["9H"]] < 0.75
    assert 0.25 < shares[NUMBERS["6H"]] < 0.5
    assert shares.sum() == pytest.approx(1)


def test_many_looks_at_the_same_scene_do_not_make_a_doubt_sure() -> None:
    doubtful = {"9H": 0.7, "6H": 0.3}
    assert certainty(voted(*[doubtful] * 30)) < 0.8


def test_one_look_at_one_index_is_never_quite_sure() -> None:
    assert 0.9 < certainty(voted({"9H": 1.0})) < 0.96


def test_no_card_is_ever_impossible() -> None:
    one = voted(*[{"9H": 1.0}] * 20)
    assert one.probabilities.min() > 0


def test_two_indexes_that_read_alike_are_surer_than_one() -> None:
    both = the_round(LaidTable(BACCARAT, FOUR))[0]
    assert certainty(both) > certainty(voted({"5H": 0.99}))


def test_a_card_that_cannot_be_read_is_one_card_and_stays_unknown() -> None:
    blurred = card("JD", lay("player", 2.6, 6.0, CLEARED_S))
    plain = LaidTable(BACCARAT, FOUR, until_s=CLEARED_S + 2)
    noise = quieter(PERFECT, unreadable=1.0, lasting=1.0)
    unread = LaidTable(BACCARAT, [blurred], noise, until_s=CLEARED_S + 2)
    flat = np.full(len(CARDS), 1 / len(CARDS), np.float32)
    glances = []
    for one, other in zip(plain.glances(), unread.glances(), strict=True):
        vague = tuple(replace(index, probabilities=flat) for index in other.reading.unreadable)
        glances.append(replace(one, reading=replace(one.reading, unreadable=vague)))
    (cards,) = tracked_rounds(glances, BACCARAT)
    assert names(cards[:4]) == ["5H", "KC", "8S", "2D"]
    assert len(cards) == 5
    assert certainty(cards[4]) < 0.6


# Turned up later


def test_a_card_turned_up_later_keeps_its_place_in_the_order() -> None:
    hole = card(
        "6D",
        lay("dealer", 1.2, 4.0, 9.0, face_up=False),
        lay("dealer", 1.2, 9.4, 20.0),
    )
    dealt = [
        card("5H", lay("box1", 0, 1.0, 20.0)),
        card("KC", lay("dealer", 0, 2.0, 20.0)),
        card("8S", lay("box1", 0.4, 3.0, 20.0, down=0.4)),
        hole,
        card("TD", lay("box1", 0.8, 6.0, 20.0, down=0.8)),
    ]
    cards = the_round(LaidTable(BLACKJACK, dealt))
    assert names(cards) == ["5H", "KC", "8S", "6D", "TD"]
    turned = cards[3]
    assert turned.laid_s == pytest.approx(4.2, abs=0.4)
    assert turned.at_s == pytest.approx(9.6, abs=0.4)
    assert [place.face_up for place in turned.places] == [False, True]


def test_a_card_that_was_never_turned_up_is_there_and_unknown() -> None:
    back = card("6D", lay("banker", 1.2, 4.0, CLEARED_S, face_up=False))
    cards = the_round(LaidTable(BACCARAT, [*FOUR[:3], back]))
    assert len(cards) == 4
    assert cards[3].at_s is None
    assert certainty(cards[3]) < 0.03


def test_a_face_laid_beside_a_back_is_another_card() -> None:
    back = card("6D", lay("banker", 1.2, 4.0, CLEARED_S, face_up=False))
    beside = card("7C", lay("banker", 2.4, 6.0, CLEARED_S))
    cards = the_round(LaidTable(BACCARAT, [*FOUR[:3], back, beside]))
    assert len(cards) == 5
    assert [len(each.places) for each in cards] == [1] * 5


# Covered


@pytest.mark.parametrize("moving", [True, False])
def test_a_card_covered_by_a_hand_for_a_while_stays_the_same(moving: bool) -> None:  # noqa: FBT001
    x, y = FOUR[0].lays[0].x, FOUR[0].lays[0].y
    over = (x - 60, y - 60, x + 60, y + 60)
    moments = everywhere(CLEARED_S + 2, [(5.0, 8.0, over)], moving=moving)
    cards = the_round(LaidTable(BACCARAT, FOUR, moments=moments))
    assert names(cards) == ["5H", "KC", "8S", "2D"]
    assert cards[0].laid_s < 1.5
    assert cards[0].gone_s is not None
    assert cards[0].gone_s > 11


def test_a_hand_over_one_index_leaves_one_card() -> None:
    x, y = FOUR[0].lays[0].x, FOUR[0].lays[0].y
    moments = everywhere(CLEARED_S + 2, [(5.0, 8.0, (x - 40, y - 60, x, y))])
    cards = the_round(LaidTable(BACCARAT, FOUR, moments=moments))
    assert names(cards) == ["5H", "KC", "8S", "2D"]


def test_a_card_under_the_next_cards_stays() -> None:
    """Three cards one on the other: of the first only an index is left to see, then nothing."""
    first = card("5H", lay("box1", 0, 1.0, 15.0))
    second = card("8S", lay("box1", 0.1, 3.0, 15.0, down=0.35))
    third = card("TD", lay("box1", 0.05, 6.0, 15.0, down=0.02))
    dealer = [card("KC", lay("dealer", 0, 2.0, 15.0)), card("7H", lay("dealer", 1.2, 8.0, 15.0))]
    cards = the_round(LaidTable(BLACKJACK, [first, second, third, *dealer]))
    assert names(cards) == ["5H", "KC", "8S", "TD", "7H"]


# Moved


def test_cards_that_are_split_are_moved_and_stay_two() -> None:
    eights = [
        card("8S", lay("box1", 0, 1.0, 6.0), lay("box1", -0.5, 7.2, 20.0)),
        card("8H", lay("box1", 0.4, 3.0, 5.4, down=0.3), lay("box1", 1.1, 6.0, 20.0)),
    ]
    dealer = card("KC", lay("dealer", 0, 2.0, 20.0))
    further = card("3C", lay("box1", -0.5, 9.0, 20.0, down=0.35))
    cards = the_round(LaidTable(BLACKJACK, [*eights, dealer, further]))
    assert names(cards) == ["8S", "KC", "8H", "3C"]
    assert [len(each.places) for each in cards] == [2, 1, 2, 1]


def test_a_copy_of_a_card_that_was_covered_is_another_card() -> None:
    """The eight of spades lies under others; the next eight of spades is not that one moved."""
    table = LaidTable(
        BLACKJACK,
        [
            card("8S", lay("box1", 0, 1.0, 20.0)),
            card("KC", lay("dealer", 0, 2.0, 20.0)),
            card("3C", lay("box1", 0.02, 3.0, 20.0, down=0.05)),
            card("8S", lay("box1", 1.6, 6.0, 20.0)),
        ],
    )
    assert names(the_round(table)) == ["8S", "KC", "3C", "8S"]


def test_a_copy_laid_where_a_card_was_moved_from_is_another_card() -> None:
    table = LaidTable(
        BLACKJACK,
        [
            card("8S", lay("box1", 0, 1.0, 20.0)),
            card("KC", lay("dealer", 0, 2.0, 20.0)),
            card("8H", lay("box1", 1.2, 3.0, 5.0), lay("box1", 2.4, 5.6, 20.0)),
            card("8H", lay("box1", 1.2, 9.0, 20.0)),
        ],
    )
    cards = the_round(table)
    assert names(cards) == ["8S", "KC", "8H", "8H"]
    assert [len(each.places) for each in cards] == [1, 1, 2, 1]


def test_a_card_that_is_pushed_a_little_is_one_card() -> None:
    pushed = card("8S", lay("player", 1.2, 3.0, 6.0), lay("player", 1.35, 6.2, CLEARED_S, down=0.1))
    cards = the_round(LaidTable(BACCARAT, [FOUR[0], FOUR[1], pushed, FOUR[3]]))
    assert names(cards) == ["5H", "KC", "8S", "2D"]


@pytest.mark.parametrize("turned", [90.0, -90.0, 75.0])
def test_a_card_laid_sideways_is_one_card(turned: float) -> None:
    across = card("JD", lay("player", 0.6, 6.0, CLEARED_S, down=1.1, turned=turned))
    cards = the_round(LaidTable(BACCARAT, [*FOUR, across]))
    assert names(cards) == ["5H", "KC", "8S", "2D", "JD"]
    assert cards[4].hand == "player"


def test_a_double_laid_across_its_hand_leaves_all_three_cards() -> None:
    table = LaidTable(
        BLACKJACK,
        [
            card("5H", lay("box1", 0, 1.0, 15.0)),
            card("KC", lay("dealer", 0, 2.0, 15.0)),
            card("6S", lay("box1", 0.4, 3.0, 15.0, down=0.3)),
            card("9D", lay("box1", 0.7, 5.0, 15.0, down=0.75, turned=90)),
        ],
    )
    assert names(the_round(table)) == ["5H", "KC", "6S", "9D"]


# What lay there only for a moment, or not at all


def test_a_card_that_was_read_once_before_it_was_taken_is_a_card() -> None:
    brief = card("9D", lay("player", 2.6, 6.95, 7.3))
    cards = the_round(LaidTable(BACCARAT, [*FOUR, brief]))
    assert names(cards) == ["5H", "KC", "8S", "2D", "9D"]
    assert cards[4].sightings == 1


def test_a_poor_find_that_was_seen_once_is_no_card() -> None:
    table = LaidTable(BACCARAT, FOUR)
    glances = list(table.glances())
    ghost = indexes((420.0, 460.0, 440.0, 498.0), {"9D": 0.9}, readable=0.6, score=0.6)
    shown = glances[25]
    seen = replace(shown.reading, cards=(*shown.reading.cards, joined_card([ghost])))
    glances[25] = replace(shown, reading=seen)
    (cards,) = tracked_rounds(glances, BACCARAT)
    assert names(cards) == ["5H", "KC", "8S", "2D"]


def gathered(from_s: float, to_s: float) -> list[LaidCard]:
    """Cards of one hand are held over the other for a while when that is gathered too."""
    passing = replace(FOUR[0].lays[0], to_s=10.0)
    over = Lay(FOUR[1].lays[0].x + 10, FOUR[1].lays[0].y + 90, from_s, to_s)
    return [card("5H", passing, over), *FOUR[1:]]


def test_a_card_gathered_up_is_no_new_card_where_it_passes() -> None:
    assert names(the_round(LaidTable(BACCARAT, gathered(10.25, 10.6)))) == ["5H", "KC", "8S", "2D"]


def test_a_card_that_may_be_one_that_is_gathered_is_told_in_doubt() -> None:
    """It is seen twice in a moment; a copy that lies there for longer is no doubt."""
    cards = the_round(LaidTable(BACCARAT, gathered(10.1, 10.75)))
    assert [card.hardly for card in cards] == [False] * 4 + [True]
    copy = card("5H", lay("banker", 3.2, 9.0, 20.0))
    cards = the_round(LaidTable(BACCARAT, [*FOUR, copy]))
    assert not any(card.hardly for card in cards)


def test_a_picture_of_a_card_beside_the_hands_is_no_card() -> None:
    """Printed on the cloth, or the last card in the discard holder, from the start of the film."""
    printed = card("AS", Lay(640.0, 120.0, -10.0, 1e6))
    discards = card("QD", Lay(55.0, 80.0, -10.0, 1e6))
    table = LaidTable(BACCARAT, [printed, discards, *FOUR], until_s=CLEARED_S + 8)
    assert [names(cards) for cards in followed(table)] == [["5H", "KC", "8S", "2D"]]


def test_a_card_that_goes_to_the_discard_holder_is_the_same_card() -> None:
    gone = card("5H", FOUR[0].lays[0], Lay(55.0, 80.0, CLEARED_S + 0.8, 1e6))
    table = LaidTable(BACCARAT, [gone, *FOUR[1:]], until_s=CLEARED_S + 8)
    assert [names(cards) for cards in followed(table)] == [["5H", "KC", "8S", "2D"]]


# Order


def test_a_card_is_known_to_be_later_than_the_last_look_at_its_bare_place() -> None:
    cards = the_round(LaidTable(BACCARAT, FOUR))
    for each in cards:
        assert each.laid_s - 0.35 <= each.not_before_s < each.laid_s
    assert cards[0].laid_s <= cards[1].not_before_s


def test_where_cards_lie_face_down_a_look_that_found_none_proves_nothing() -> None:
    """The face that comes up may have lain there as a back that was missed."""
    down = card("KC", lay("banker", 0, 2.0, 8.0, face_up=False), lay("banker", 0, 8.3, 15.0))
    face = card("2D", lay("banker", 1.2, 9.5, 15.0))
    hand = (850.0, 280.0, 1000.0, 400.0)
    moments = tuple(
        replace(seen, moving=(hand,) if 3.5 <= seen.at_s <= 4.2 else ())
        for seen in everywhere(17.0, [])
    )
    cards = the_round(LaidTable(BACCARAT, [FOUR[0], down, FOUR[2], face], moments=moments))
    later = next(each for each in cards if names([each]) == ["2D"])
    assert later.not_before_s < 3.6


def test_what_was_seen_twice_at_one_moment_tells_no_order() -> None:
    """Two looks at the same frame: what the second shows was there at the first."""
    keeper = SpotKeeper()
    left, right = (300.0, 300.0, 318.0, 334.0), (800.0, 300.0, 818.0, 334.0)
    keeper.see(glance_at(0.0), ())
    for box in (left, right):
        reading = glance_at(1.0, indexes(box, {"9D": 0.99})).reading
        keeper.see(Glance(1.0, (box,), (), reading), ())
    assert [spot.there.not_before_s for spot in keeper.spots] == [0.0, 0.0]


@pytest.mark.parametrize(("of_usual", "cards"), [(0.55, 4), (0.65, 5)])
def test_what_is_hardly_read_and_far_smaller_than_all_indexes_is_no_card(
    of_usual: float, cards: int
) -> None:
    table = LaidTable(BACCARAT, FOUR)
    glances = list(table.glances())
    usual = float(np.median([each.height for one in glances for each in one.reading.indexes]))
    tall, wide = of_usual * usual, of_usual * usual / 2
    x, y = FOUR[0].lays[0].x, FOUR[0].lays[0].y + 90
    box = (x, y, x + wide, y + tall)
    flat = np.full(len(CARDS), 1 / len(CARDS), np.float32)
    print_on_cloth = IndexSeen(box, 0.5, 0.7, flat, tall)
    shown = [
        replace(one, areas=WHOLE, reading=replace(one.reading, unreadable=(print_on_cloth,)))
        if 4.5 < one.at_s < CLEARED_S
        else one
        for one in glances
    ]
    (only,) = tracked_rounds(shown, table.zones)
    assert len(only) == cards
