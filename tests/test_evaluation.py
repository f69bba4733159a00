"""How well pictures are read, told from what was read and what somebody marked."""

import math

import numpy as np
import pytest

from vision.card_reader import (
    Box,
    CardSeenInPicture,
    IndexSeen,
    PictureReading,
    joined_card,
)
from vision.cards import NUMBERS
from vision.evaluation import Marks, ReadPicture, evaluate, from_corner, told_marks
from vision.evaluation_pictures import confusion_matrix, reliability_diagram
from vision.evaluation_report import figures_of
from vision.labelled_folder import (
    BadFolder,
    Label,
)
from vision.reliability import reliability

RED_ACE, BLUE_KING = "AH", "KS"
PLACES = ((40, 40, 60, 76), (140, 40, 160, 76))


def index(card: str, box: Box, certainty: float = 0.999) -> IndexSeen:
    each = np.full(52, (1 - certainty) / 51, dtype=np.float32)
    each[NUMBERS[card]] = certainty
    return IndexSeen(box, 0.9, 1.0, each, box[3] - box[1])


def read(
    labels: tuple[Label, ...],
    *indexes: IndexSeen,
    unreadable: tuple[IndexSeen, ...] = (),
) -> ReadPicture:
    cards: tuple[CardSeenInPicture, ...] = tuple(joined_card([each]) for each in indexes)
    return ReadPicture("p", labels, PictureReading(cards, unreadable, ()), 0.01)


def test_a_mark_is_found_by_the_find_that_shares_most_with_it() -> None:
    labels = (Label("AS", (10, 10, 20, 30)), Label("KH", (50, 10, 60, 30)))
    picture = read(
        labels,
        index("AS", (11, 10, 21, 30)),
        index("KD", (50, 10, 60, 30)),
        index("2C", (90, 9, 99, 30)),
    )
    result = evaluate([picture], Marks.INDEX)
    assert [(one.found, one.right) for one in result.outcomes] == [(True, True), (True, False)]
    assert [one.answer.name for one in result.false_finds] == ["2C"]


def test_one_find_cannot_serve_two_marks() -> None:
    labels = (Label("AS", (10, 10, 20, 30)), Label("AS", (12, 10, 22, 30)))
    result = evaluate([read(labels, index("AS", (10, 10, 20, 30)))], Marks.INDEX)
    assert [one.found for one in result.outcomes] == [True, False]


def test_what_is_called_not_readable_is_found_but_not_read_and_no_false_find() -> None:
    labels = (Label("AS", (10, 10, 20, 30)),)
    blurs = (index("AS", (10, 10, 20, 30), 0.3), index("AS", (70, 10, 80, 30), 0.3))
    result = evaluate([read(labels, unreadable=blurs)], Marks.INDEX)
    assert [(one.found, one.answer) for one in result.outcomes] == [(True, None)]
    assert not result.false_finds
    assert figures_of(result).called_unreadable == 1


def test_what_need_not_be_found_is_neither_missed_nor_a_false_find() -> None:
    labels = (
        Label("AS", (10, 10, 20, 30), counts=False),
        Label("", (50, 10, 60, 30)),
        Label("2S", (80, 10, 90, 30), height=13.5),
    )
    picture = read(labels, index("AS", (10, 10, 20, 30)), index("KD", (50, 10, 60, 30)))
    result = evaluate([picture], Marks.INDEX)
    assert [(one.truth, one.height) for one in result.outcomes] == [("2S", 13.5)]
    assert not result.false_finds


def test_marks_round_cards_are_told_from_those_round_indexes() -> None:
    find = index("AS", (12, 12, 22, 32))
    assert told_marks([read((Label("AS", (10, 10, 73, 98)),), find)]) is Marks.CARD
    assert told_marks([read((Label("AS", (11, 12, 23, 33)),), find)]) is Marks.INDEX
    with pytest.raises(BadFolder, match="--boxes index or --boxes card"):
        told_marks([read((Label("AS", (110, 12, 123, 33)),), find)])


@pytest.mark.parametrize("turned", range(0, 180, 15))
def test_an_index_lies_in_the_corner_of_its_card_however_that_is_turned(turned: int) -> None:
    angle = math.radians(turned)
    wide, tall = 63, 88

    def placed(x: float, y: float) -> tuple[float, float]:
        return (
            300 + x * math.cos(angle) - y * math.sin(angle),
            200 + x * math.sin(angle) + y * math.cos(angle),
        )

    corners = [placed(x * wide / 2, y * tall / 2) for x in (-1, 1) for y in (-1, 1)]
    across, down = zip(*corners, strict=True)
    box = (min(across), min(down), max(across), max(down))
    assert from_corner(placed(0.4 * wide, 0.37 * tall), box) < 0.01
    assert from_corner(placed(0, 0), box) > 0.25


def test_an_index_belongs_to_the_card_in_whose_corner_it_lies_whatever_it_reads() -> None:
    lower, upper = Label("AS", (0, 0, 126, 176)), Label("KH", (40, 50, 166, 226))
    of_upper = index("AS", (48, 58, 58, 78))
    result = evaluate([read((lower, upper), of_upper)], Marks.CARD)
    assert [(one.truth, one.found, one.right) for one in result.outcomes] == [
        ("AS", False, False),
        ("KH", True, False),
    ]


def test_a_card_is_read_as_most_of_its_indexes_read_each_with_its_certainty() -> None:
    card = Label("AS", (0, 0, 126, 176))
    wrong, right = index("4S", (8, 8, 18, 28), 0.6), index("AS", (108, 148, 118, 168), 0.9)
    (one,) = evaluate([read((card,), wrong, right)], Marks.CARD).outcomes
    assert one.right
    assert one.answer is not None
    assert one.answer.certainty == pytest.approx(0.45)
    assert one.height == 20
    another = index("4S", (108, 8, 118, 28), 0.6)
    (one,) = evaluate([read((card,), wrong, another, right)], Marks.CARD).outcomes
    assert one.answer is not None
    assert one.answer.name == "4S"
    assert one.answer.certainty == pytest.approx(0.4)


def test_indexes_that_were_joined_belong_to_the_card_that_holds_them_all() -> None:
    lower, upper = Label("AS", (0, 0, 126, 176)), Label("KH", (40, 50, 166, 226))
    near_both, of_lower = index("AS", (50, 60, 60, 80)), index("AS", (8, 8, 18, 28))
    alone = evaluate([read((lower, upper), near_both, of_lower)], Marks.CARD)
    assert [one.right for one in alone.outcomes] == [True, False]
    card = joined_card([near_both, of_lower])
    picture = ReadPicture("p", (lower, upper), PictureReading((card,), (), ()), 0.01)
    assert [one.found for one in evaluate([picture], Marks.CARD).outcomes] == [True, False]


def test_ranks_are_read_where_only_ranks_are_marked() -> None:
    each = np.zeros(52, dtype=np.float32)
    each[[NUMBERS["9S"], NUMBERS["9C"], NUMBERS["8C"]]] = (0.4, 0.3, 0.3)
    find = IndexSeen((8, 8, 18, 28), 0.9, 1.0, each, 20)
    result = evaluate([read((Label("9", (0, 0, 126, 176)),), find)], Marks.CARD)
    (one,) = result.outcomes
    assert one.answer is not None
    assert one.answer.name == "9"
    assert one.answer.certainty == pytest.approx(0.7)
    assert result.ranks_only
    assert confusion_matrix(result).shape[0] < 800


def test_certainties_are_compared_with_what_came_true() -> None:
    certain = [0.995] * 100 + [0.55] * 10
    trust = reliability(certain, [True] * 99 + [False] + [True] * 5 + [False] * 5)
    assert [(part.low, part.count, part.right) for part in trust.bins] == [
        (0.5, 10, 0.5),
        (0.99, 100, 0.99),
    ]
    assert trust.at_least(0.99)[0] == 100
    assert trust.at_least(0.99)[1] == pytest.approx(0.99)
    assert trust.expected_error == pytest.approx((100 * 0.005 + 10 * 0.05) / 110)


def test_a_certainty_of_one_has_its_place_and_none_at_all_is_no_fault() -> None:
    assert reliability([1.0], [True]).at_least(0.999) == (1, 1.0)
    nothing = reliability([], [])
    assert nothing.at_least(0.99)[0] == 0
    assert reliability_diagram(nothing).shape[2] == 3


def test_figures_are_told_by_what_the_marks_were_seen_under() -> None:
    labels = (
        Label("AS", (10, 10, 20, 30), conditions=("dim light", "soft picture")),
        Label("KH", (50, 10, 60, 23), conditions=("dim light",)),
    )
    picture = read(labels, index("AS", (10, 10, 20, 30)), index("KD", (50, 10, 60, 23)))
    told = figures_of(evaluate([picture], Marks.INDEX)).by_condition
    assert {name: (each.marked, each.read) for name, each in told.items()} == {
        "dim light": (2, 1),
        "soft picture": (1, 1),
    }


def test_figures_are_told_by_rank_suit_and_size() -> None:
    labels = (
        Label("AS", (10, 10, 20, 30)),
        Label("KH", (50, 10, 60, 23)),
        Label("KS", (80, 0, 99, 40)),
    )
    picture = read(labels, index("AS", (10, 10, 20, 30)), index("KD", (50, 10, 60, 23)))
    figures = figures_of(evaluate([picture], Marks.INDEX), beside_seconds=0.005)
    assert (figures.every.marked, figures.every.found, figures.every.read) == (3, 2, 1)
    assert [(name, each.read) for name, each in figures.by_rank.items()] == [("A", 1), ("K", 0)]
    assert {name: each.found for name, each in figures.by_suit.items()} == {"H": 1, "S": 1}
    assert {name: each.found for name, each in figures.by_height.items()} == {
        "under 14": 1,
        "18 to 24": 1,
        "36 and more": 0,
    }
    assert figures.beside == pytest.approx(2)
