"""What is left in the shoe: it weighs what a card may be, and never reads one away."""

from __future__ import annotations

import numpy as np
import pytest

from tests.followed_cards import END_S, certain
from tests.laid_cards import BACCARAT, LaidTable, card, lay
from vision.cards import NUMBERS
from vision.film_rounds import RoundReader
from vision.shoe_composition import LEAST_WEIGHT, ShoeComposition


def test_a_card_of_which_every_copy_was_dealt_is_hardly_the_next() -> None:
    shoe = ShoeComposition(1)
    shoe.take([certain("9H")])
    (one,) = shoe.weighed([certain("9H", 0.6, other="6H")])
    assert one[NUMBERS["6H"]] > 0.8
    assert one[NUMBERS["9H"]] > 0.05  # a shoe can hold a card too many
    assert one.sum() == pytest.approx(1)


def test_a_card_that_is_surely_read_stays_though_every_copy_was_dealt() -> None:
    """A foreign card is to be found, not read away."""
    shoe = ShoeComposition(1)
    shoe.take([certain("9H")])
    (one,) = shoe.weighed([certain("9H")])
    assert one[NUMBERS["9H"]] > 0.95


def test_a_fresh_shoe_changes_nothing() -> None:
    reading = certain("9H", 0.6, other="6H")
    (one,) = ShoeComposition(8).weighed([reading])
    assert np.allclose(one, reading, atol=1e-3)


def test_cards_of_one_round_are_weighed_together() -> None:
    """One deck: of two cards of which one is surely the nine, the other is likelier the six."""
    doubtful, sure = ShoeComposition(1).weighed([certain("9H", 0.6, other="6H"), certain("9H")])
    assert doubtful[NUMBERS["6H"]] > 0.8
    assert sure[NUMBERS["9H"]] > 0.95


def test_the_fewer_copies_are_left_the_less_likely_a_card_is() -> None:
    shares = []
    for dealt in range(9):
        shoe = ShoeComposition(8)
        shoe.take([certain("9H")] * dealt)
        shares.append(float(shoe.weighed([certain("9H", 0.5, other="6H")])[0][NUMBERS["9H"]]))
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == pytest.approx(0.5, abs=0.01)
    assert shares[8] == pytest.approx(LEAST_WEIGHT / (1 + LEAST_WEIGHT), abs=0.01)


def test_the_shoe_is_remembered_from_round_to_round() -> None:
    shoe = ShoeComposition(1)
    reader = RoundReader(BACCARAT, 1, composition=shoe)
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
    for glance in LaidTable(BACCARAT, dealt).glances():
        reader.see(glance)
    reader.finish()
    assert shoe.dealt.sum() == pytest.approx(4)
    assert all(shoe.dealt[NUMBERS[name]] > 0.99 for name in ("5H", "KC", "8S", "2D"))
