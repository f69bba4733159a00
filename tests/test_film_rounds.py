"""From followed cards to rounds: hands, order, what each card is and how sure that is."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from tests.film_reader_fakes import PERFECT, quieter
from tests.followed_cards import END_S, certain, followed, rounds_of, told
from tests.laid_cards import BACCARAT, BLACKJACK, FRAME, LaidTable, Lay, card, lay
from vision.card_shape import CardShape
from vision.film_rounds import UNREAD, DealersWays, RoundReader, in_order, name_hands

# Hands and order


def test_the_zone_tells_the_hand_and_the_first_appearance_the_order() -> None:
    table = LaidTable(
        BACCARAT,
        [
            card("5H", lay("player", 0, 1.0, END_S)),
            card("KC", lay("banker", 0, 2.0, END_S)),
            card("8S", lay("player", 1.2, 3.0, END_S)),
            card("2D", lay("banker", 1.2, 4.0, END_S)),
            card("JD", lay("player", 0.6, 6.0, END_S, down=1.1, turned=90)),
            card("4C", lay("banker", 0.6, 8.0, END_S, down=1.1, turned=-90)),
        ],
    )
    (read,) = rounds_of(table)
    assert told(read) == [
        "player:5H", "banker:KC", "player:8S", "banker:2D", "player:JD", "banker:4C",
    ]  # fmt: skip
    assert [each.seq for each in read.cards] == [1, 2, 3, 4, 5, 6]
    assert all(each.order_seen for each in read.cards)
    assert read.start_s < 1.5
    assert read.end_s == pytest.approx(END_S, abs=0.5)


def test_an_order_that_was_seen_is_told_though_the_game_deals_otherwise() -> None:
    table = LaidTable(
        BACCARAT,
        [
            card("KC", lay("banker", 0, 1.0, END_S)),
            card("5H", lay("player", 0, 2.0, END_S)),
            card("2D", lay("banker", 1.2, 3.0, END_S)),
            card("8S", lay("player", 1.2, 4.0, END_S)),
        ],
    )
    (read,) = rounds_of(table)
    assert told(read) == ["banker:KC", "player:5H", "banker:2D", "player:8S"]
    assert all(each.order_seen for each in read.cards)


def test_an_order_that_was_not_seen_is_the_usual_one() -> None:
    """All four lay there when the film began."""
    cards = [
        followed(1, "2D", "banker", 0.0, -9.0, at=(900, 300)),
        followed(2, "8S", "player", 0.0, -9.0, at=(400, 300)),
        followed(3, "KC", "banker", 0.0, -9.0, at=(800, 300)),
        followed(4, "5H", "player", 0.0, -9.0, at=(300, 300)),
    ]
    hands = {1: "banker", 2: "player", 3: "banker", 4: "player"}
    ordered, seen = in_order(cards, hands)
    assert [hands[each.number] for each in ordered] == ["player", "banker", "player", "banker"]
    assert not seen


def test_only_the_pair_whose_order_was_not_seen_is_taken_from_the_usual_one() -> None:
    cards = [
        followed(1, "KC", "banker", 1.5, 0.0),
        followed(2, "5H", "player", 1.5, 0.0),
        followed(3, "2D", "banker", 3.0, 2.7),
        followed(4, "8S", "player", 4.0, 3.7),
    ]
    hands = {1: "banker", 2: "player", 3: "banker", 4: "player"}
    ordered, seen = in_order(cards, hands)
    assert [each.number for each in ordered] == [2, 1, 3, 4]
    assert seen == {3, 4}


@pytest.mark.parametrize("bare_until_s", [1.99, 2.0])
def test_a_card_is_surely_later_if_its_place_was_bare_when_the_other_lay_there(
    bare_until_s: float,
) -> None:
    banker = followed(1, "KC", "banker", 2.0, 1.0)
    player = followed(2, "5H", "player", 2.5, bare_until_s)
    ordered, seen = in_order([player, banker], {1: "banker", 2: "player"})
    surely = bare_until_s >= 2.0
    assert [each.number for each in ordered] == ([1, 2] if surely else [2, 1])
    assert (1 in seen) == surely


def test_the_order_does_not_depend_on_how_cards_are_given() -> None:
    cards = [
        followed(1, "KC", "banker", 1.5, 0.0),
        followed(2, "5H", "player", 1.5, 0.0),
        followed(3, "2D", "banker", 3.0, 2.7),
        followed(4, "8S", "player", 3.0, 1.2),
    ]
    hands = {1: "banker", 2: "player", 3: "banker", 4: "player"}
    orders = {
        tuple(each.number for each in in_order(given, hands)[0]) for given in permutations(cards)
    }
    assert orders == {(2, 1, 4, 3)}


def test_boxes_are_dealt_from_the_first_and_the_dealer_last() -> None:
    hands = {1: "dealer", 2: "box3", 3: "box1", 4: "box3", 5: "box1", 6: "box1"}
    cards = [followed(number, "5H", hand, 0.0, -9.0) for number, hand in hands.items()]
    ordered, _ = in_order(cards, hands)
    assert [hands[each.number] for each in ordered] == [
        "box1", "box3", "dealer", "box1", "box3", "box1",
    ]  # fmt: skip


def test_a_back_that_was_missed_at_first_is_the_first_card_where_that_always_lies() -> None:
    ways = DealersWays()
    hands = {1: "player", 2: "player"}
    left = followed(1, "KC", "player", 1.0, 0.5, at=(300, 300), face_up=False)
    right = followed(2, "5H", "player", 3.0, 0.5, at=(400, 300), face_up=False)
    ways.learn([left, right], hands)
    missed = replace(left, laid_s=7.0)
    assert [each.number for each in in_order([missed, right], hands, ways)[0]] == [1, 2]
    assert [each.number for each in in_order([missed, right], hands)[0]] == [2, 1]
    later = replace(missed, not_before_s=6.0)
    assert [each.number for each in in_order([later, right], hands, ways)[0]] == [2, 1]


def test_a_hole_card_keeps_its_place_when_it_is_turned_up() -> None:
    table = LaidTable(
        BLACKJACK,
        [
            card("5H", lay("box1", 0, 1.0, END_S)),
            card("KC", lay("dealer", 0, 2.0, END_S)),
            card("8S", lay("box1", 0.4, 3.0, END_S, down=0.4)),
            card("6D", lay("dealer", 1.2, 4.0, 9.0, face_up=False), lay("dealer", 1.2, 9.4, END_S)),
            card("TD", lay("box1", 0.8, 6.0, END_S, down=0.8)),
            card("3S", lay("dealer", 2.4, 11.0, END_S)),
        ],
    )
    (read,) = rounds_of(table)
    assert told(read) == [
        "box1:5H", "dealer:KC", "box1:8S", "dealer:6D", "box1:TD", "dealer:3S",
    ]  # fmt: skip
    hole = read.cards[3]
    assert hole.laid_s < 5 < 9 < hole.at_s


def test_rounds_and_cards_are_numbered_on() -> None:
    def coup(begins_s: float) -> list[object]:
        return [
            card(name, lay(hand, place, begins_s + late, begins_s + 9))
            for late, (name, hand, place) in enumerate(
                [
                    ("5H", "player", 0.0),
                    ("KC", "banker", 0.0),
                    ("8S", "player", 1.2),
                    ("2D", "banker", 1.2),
                ]
            )
        ]

    table = LaidTable(BACCARAT, [*coup(1.0), *coup(14.0)])  # type: ignore[list-item]
    reader = RoundReader(BACCARAT, 8, first_round=7, first_seq=31)
    rounds = [each for glance in table.glances() for each in reader.see(glance)]
    rounds += reader.finish()
    assert [each.number for each in rounds] == [7, 8]
    assert [each.seq for read in rounds for each in read.cards] == list(range(31, 39))
    assert [each.round for each in rounds[1].cards] == [8] * 4


def test_a_card_shown_beside_the_hands_before_the_first_one_was_burnt() -> None:
    burnt = card("QC", Lay(640, 120, 1.0, 2.4))
    dealt = [
        card("5H", lay("player", 0, 5.0, END_S)),
        card("KC", lay("banker", 0, 6.0, END_S)),
        card("8S", lay("player", 1.2, 7.0, END_S)),
        card("2D", lay("banker", 1.2, 8.0, END_S)),
    ]
    (read,) = rounds_of(LaidTable(BACCARAT, [burnt, *dealt]))
    assert told(read) == ["burn:QC", "player:5H", "banker:KC", "player:8S", "banker:2D"]


def test_a_first_card_laid_as_soon_as_the_burnt_one_is_gone_is_not_swallowed() -> None:
    """It is first seen just when the burnt card has been gone for as long as is waited."""
    for late in np.arange(4.8, 6.4, 0.1):
        burnt = card("QC", Lay(640, 120, 1.0, 2.4))
        dealt = [
            card("5H", lay("player", 0, float(late), END_S)),
            card("KC", lay("banker", 0, float(late) + 1, END_S)),
            card("8S", lay("player", 1.2, float(late) + 2, END_S)),
            card("2D", lay("banker", 1.2, float(late) + 3, END_S)),
        ]
        (read,) = rounds_of(LaidTable(BACCARAT, [burnt, *dealt]))
        assert told(read) == ["burn:QC", "player:5H", "banker:KC", "player:8S", "banker:2D"]


def test_a_card_laid_beside_the_hands_during_a_round_was_discarded() -> None:
    cards = [followed(1, "5H", "player", 1.0, 0.0), followed(2, "KC", None, 3.0, 2.0)]
    names, _ = name_hands(cards, CardShape(FRAME))
    assert names == {1: "player", 2: "discard"}


# What each card is


def test_a_card_that_is_not_sure_enough_is_not_named() -> None:
    for share, named in ((0.55, False), (0.65, True)):
        reader = RoundReader(BACCARAT, 8)
        one = replace(
            followed(1, "9H", "player", 1.0, 0.5), probabilities=certain("9H", share, other="6H")
        )
        row = reader._row(one, one.probabilities, "player", order_seen=True)
        assert row.card == ("9H" if named else UNREAD)
        assert row.confidence == pytest.approx(share, abs=0.01)
        others = [name for name, _ in row.alternatives]
        assert others == (["6H"] if named else ["9H", "6H"])


def test_a_card_that_was_never_seen_well_is_unread_and_guesses_nothing() -> None:
    table = LaidTable(
        BACCARAT,
        [
            card("5H", lay("player", 0, 1.0, END_S)),
            card("KC", lay("banker", 0, 2.0, END_S)),
            card("8S", lay("player", 1.2, 3.0, END_S)),
            card("2D", lay("banker", 1.2, 4.0, END_S, face_up=False)),
        ],
    )
    (read,) = rounds_of(table)
    assert told(read) == ["player:5H", "banker:KC", "player:8S", f"banker:{UNREAD}"]
    unread = read.cards[3]
    assert unread.confidence < 0.05
    assert all(share < 0.05 for _, share in unread.alternatives)


def test_alternatives_are_written_as_a_card_log_has_them() -> None:
    reader = RoundReader(BACCARAT, 8)
    one = followed(1, "9H", "player", 1.0, 0.5)
    row = reader._row(one, certain("9H", 0.79, other="6H"), "player", order_seen=True)
    assert row.alternatives_text == "6H:0.210"


def test_a_doubt_that_lasts_is_said_and_never_sure() -> None:
    """Two readings of one index that stay open stay open in the log."""
    noise = quieter(PERFECT, misread=0.3, lasting=1.0)
    dealt = [
        card(name, lay(hand, place, 1.0 + late, END_S))
        for late, (name, hand, place) in enumerate(
            [
                ("5H", "player", 0.0),
                ("KC", "banker", 0.0),
                ("8S", "player", 1.2),
                ("2D", "banker", 1.2),
            ]
        )
    ]
    right = wrong_surely = 0
    for seed in range(12):
        for read in rounds_of(LaidTable(BACCARAT, dealt, noise, seed)):
            for told_card in read.cards:
                truth = {each.name for each in dealt}
                right += told_card.card in truth
                wrong_surely += (
                    told_card.card not in (*truth, UNREAD) and told_card.confidence > 0.95
                )
    assert right >= 40
    assert wrong_surely == 0
