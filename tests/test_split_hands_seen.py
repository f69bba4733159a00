"""Hands that were split: told from where their cards went, and each given its own cards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.film_reader_fakes import MODERATE
from tests.followed_cards import END_S, followed, rounds_of, told
from tests.followed_coup import everywhere
from tests.laid_cards import BLACKJACK, FIRST, FRAME, LaidTable, card, lay
from vision.card_shape import CardShape
from vision.split_hands import hands_of_box
from vision.tracks import Place

if TYPE_CHECKING:
    from vision.tracks import TrackedCard


def split_table(*further: object, second: str = "8H", apart: float = 1.1) -> LaidTable:
    """Two cards in a box, the first laid aside and the second moved so many widths away."""
    pair = [
        card("8S", lay("box1", 0, 1.0, 6.6), lay("box1", -0.5, 7.2, END_S)),
        card("KC", lay("dealer", 0, 2.0, END_S)),
        card(second, lay("box1", 0.4, 3.0, 5.4, down=0.3), lay("box1", apart, 6.0, END_S)),
    ]
    return LaidTable(BLACKJACK, [*pair, *further])  # type: ignore[list-item]


def test_split_hands_are_named_and_get_their_own_cards() -> None:
    table = split_table(
        card("3C", lay("box1", -0.5, 9.0, END_S, down=0.35)),
        card("TD", lay("box1", 1.1, 11.0, END_S, down=0.35)),
        card("QS", lay("box1", 1.1, 13.0, END_S, down=0.9, turned=90)),
        card("7H", lay("dealer", 1.2, 15.0, END_S)),
    )
    (read,) = rounds_of(table)
    assert told(read) == [
        "box1:8S", "dealer:KC", "box1:8H", "box1:3C", "box1.2:TD", "box1.2:QS", "dealer:7H",
    ]  # fmt: skip
    (split,) = read.splits
    assert (split.hand, split.new_hand) == ("box1", "box1.2")
    assert 5.4 <= split.at_s <= 7.6


def test_a_hand_split_again_has_three() -> None:
    table = split_table(
        card("8D", lay("box1", -0.5, 8.6, 10.4, down=0.35), lay("box1", 2.4, 11.0, END_S)),
        card("3C", lay("box1", -0.5, 12.4, END_S, down=0.35)),
        card("TD", lay("box1", 2.4, 14.0, END_S, down=0.35)),
    )
    (read,) = rounds_of(table)
    assert told(read) == [
        "box1:8S", "dealer:KC", "box1:8H", "box1:8D", "box1:3C", "box1.3:TD",
    ]  # fmt: skip
    assert [split.new_hand for split in read.splits] == ["box1.2", "box1.3"]


def test_two_copies_of_one_card_are_split_into_the_hands_they_went_to() -> None:
    table = split_table(
        card("3C", lay("box1", -0.5, 9.0, END_S, down=0.35)),
        card("TD", lay("box1", 1.1, 11.0, END_S, down=0.35)),
        second="8S",
    )
    (read,) = rounds_of(table)
    assert told(read) == ["box1:8S", "dealer:KC", "box1:8S", "box1:3C", "box1.2:TD"]


def test_a_copy_laid_nearly_where_the_other_lay_is_not_the_other() -> None:
    """Nobody sees how two copies are parted, and one of them comes to lie about where both were."""
    pair = [
        card("KC", lay("dealer", 0, 1.0, END_S)),
        card("8S", lay("box1", 0, 2.0, 6.2), lay("box1", -0.83, 6.8, END_S, down=0.02)),
        card(
            "8S",
            lay("box1", 0.55, 4.0, 5.6, down=0.12),
            lay("box1", -0.02, 6.1, END_S, down=-0.15),
        ),
        card("6S", lay("box1", -0.75, 8.6, END_S, down=0.33)),
        card("9D", lay("box1", 0.08, 10.6, END_S, down=0.2)),
    ]
    x, y = FIRST["box1"]
    over = (x - 150.0, y - 150.0, x + 150.0, y + 150.0)
    moments = everywhere(END_S + 2, [(5.0, 6.2, over)], moving=True)
    (read,) = rounds_of(LaidTable(BLACKJACK, pair, moments=moments))
    assert told(read) == ["dealer:KC", "box1:8S", "box1:8S", "box1:6S", "box1.2:9D"]


def test_cards_pushed_a_little_are_no_split() -> None:
    table = LaidTable(
        BLACKJACK,
        [
            card("8S", lay("box1", 0, 1.0, END_S)),
            card("KC", lay("dealer", 0, 2.0, END_S)),
            card(
                "8H", lay("box1", 0.4, 3.0, 5.4, down=0.1), lay("box1", 0.5, 5.8, END_S, down=0.1)
            ),
            card("3C", lay("box1", 0.8, 9.0, END_S, down=0.2)),
        ],
    )
    (read,) = rounds_of(table)
    assert read.splits == ()
    assert told(read) == ["box1:8S", "dealer:KC", "box1:8H", "box1:3C"]


def moved(number: int, name: str, *ways: tuple[float, float, float]) -> TrackedCard:
    """A card of box 1 at a place from each of these seconds on."""
    places = tuple(Place(at_s, END_S, "box1", x, y, face_up=True) for at_s, x, y in ways)
    first = followed(number, name, "box1", ways[0][0], ways[0][0] - 0.3)
    return replace(first, places=places)


@pytest.mark.parametrize(("apart", "split"), [(0.42, False), (0.5, True)])
def test_a_pair_is_split_from_nearly_half_a_diagonal_on(apart: float, split: bool) -> None:  # noqa: FBT001
    shape = CardShape(FRAME)
    far = apart * shape.diagonal
    cards = [
        moved(1, "8S", (1.0, 1000, 360)),
        moved(2, "8H", (2.0, 1020, 360), (5.0, 1000 + far, 360)),
    ]
    assert bool(hands_of_box("box1", cards, shape).splits) == split


@pytest.mark.parametrize(("second", "split"), [("KD", False), ("8H", True)])
def test_cards_of_two_values_are_not_split_by_being_moved_a_little(
    second: str,
    split: bool,  # noqa: FBT001
) -> None:
    shape = CardShape(FRAME)
    far = 0.7 * shape.diagonal
    cards = [
        moved(1, "8S", (1.0, 1000, 360)),
        moved(2, second, (2.0, 1020, 360), (5.0, 1000 + far, 360)),
    ]
    assert bool(hands_of_box("box1", cards, shape).splits) == split


def test_a_hand_of_three_is_not_split() -> None:
    shape = CardShape(FRAME)
    cards = [
        moved(1, "8S", (1.0, 1000, 360)),
        moved(2, "8H", (2.0, 1020, 360), (5.0, 1200, 360)),
        moved(3, "3C", (3.0, 1040, 360)),
    ]
    assert hands_of_box("box1", cards, shape).splits == ()


# With a reader that errs


@pytest.mark.parametrize("seed", range(6))
def test_a_round_is_read_rightly_by_a_reader_that_errs_now_and_then(seed: int) -> None:
    table = split_table(
        card("3C", lay("box1", -0.5, 9.0, END_S, down=0.35)),
        card("TD", lay("box1", 1.1, 11.0, END_S, down=0.35)),
        card("7H", lay("dealer", 1.2, 15.0, END_S)),
    )
    (read,) = rounds_of(replace(table, noise=MODERATE, seed=seed))
    assert told(read) == [
        "box1:8S", "dealer:KC", "box1:8H", "box1:3C", "box1.2:TD", "dealer:7H",
    ]  # fmt: skip
