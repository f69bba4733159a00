"""Which indexes of drawn tables can be read: those that stand out of the grain enough."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
import pytest

from vision.evaluation_scenes import GRAINY_BELOW, LEAST_CONTRAST, label_of
from vision.synthetic.cameras import View, looking_at
from vision.synthetic.legibility import LEAST_DISTINCTNESS, Filmed, most_alike
from vision.synthetic.tables import LaidCard, Table, draw_table

if TYPE_CHECKING:
    from vision.synthetic.light import Filming

SIZE = (320, 240)
QUEEN = LaidCard("QS", 0.0, 0.0, 0.0)


@cache
def close_table() -> Table:
    """A table whose camera sees little more than one card, filmed without any fault."""
    table = draw_table(5, game="blackjack", size=SIZE)
    camera = looking_at(np.array([0.0, 0.0]), 300.0, View(80.0, azimuth=8.0), SIZE)
    near = replace(table.seen_through(camera), furnishing=None)
    return replace(near, filming=near.filming.without_grain())


def filmed(filming: Filming, *laid: LaidCard, moment: int = 7) -> tuple[Filmed, float]:
    """A moment of the table filmed so; how distinct the first index of the last card is."""
    table = replace(close_table(), filming=filming)
    clean = replace(table, filming=filming.without_grain())
    picture = table.draw(laid, moment=moment)
    there = Filmed(table, laid, {}, picture.image, clean.draw(laid, moment=moment).image)
    index = next(each for each in picture.indexes if each.owner == len(laid) - 1)
    return there, there.distinctness(index)


def with_noise(noise: float) -> Filming:
    return replace(close_table().filming, noise=noise, coloured_noise=False)


def test_an_index_is_the_less_distinct_the_more_noise_there_is() -> None:
    told = [filmed(with_noise(noise), QUEEN)[1] for noise in (0.0, 2.0, 4.0, 8.0)]
    assert told == sorted(told, reverse=True)
    assert told[1] / told[3] == pytest.approx(4, rel=0.3)


def test_coding_and_specks_hide_an_index_as_noise_does() -> None:
    plain = filmed(close_table().filming, QUEEN)[1]
    coded = filmed(replace(close_table().filming, quality=30), QUEEN)[1]
    speckled = filmed(replace(close_table().filming, specks=0.02), QUEEN)[1]
    assert max(coded, speckled) < plain / 5


def test_what_is_laid_elsewhere_changes_nothing() -> None:
    beside = LaidCard("7D", 300.0, 0.0, 0.0)
    alone, among = (filmed(with_noise(4.0), *laid)[1] for laid in ((QUEEN,), (beside, QUEEN)))
    assert among == pytest.approx(alone)


def test_one_who_knows_the_deck_errs_as_often_as_the_distinctness_says() -> None:
    """Of a faint queen in noise, spades are told from clubs by what looks nearer."""
    filming = replace(with_noise(40.0), contrast=0.1, sharpening=0.0, blur=0.0)
    table = replace(close_table(), filming=filming)
    clean = replace(table, filming=filming.without_grain())
    rival = replace(QUEEN, card=most_alike(table.deck, "QS", 20)[0])
    assert rival.card == "QC"
    index = table.draw([QUEEN]).indexes[0]
    low, high = index.corners.min(axis=0).astype(int) - 2, index.corners.max(axis=0).astype(int) + 2
    part = slice(low[1], high[1]), slice(low[0], high[0])
    spades, clubs = (clean.draw([card]).image[part].mean(axis=2) for card in (QUEEN, rival))
    wrong, told = 0, []
    for moment in range(120):
        there, distinctness = filmed(filming, QUEEN, moment=moment)
        seen = there.image[part].mean(axis=2)
        wrong += bool(((seen - clubs) ** 2).sum() < ((seen - spades) ** 2).sum())
        told.append(NormalDist().cdf(-distinctness / 2))
    assert 0.02 < np.mean(told) < 0.4
    assert wrong / 120 == pytest.approx(np.mean(told), abs=0.1)


def test_what_people_need_follows_from_how_much_they_use() -> None:
    used = LEAST_DISTINCTNESS * 0.1**0.5
    assert NormalDist().cdf(-used / 2) == pytest.approx(0.005)


@pytest.mark.parametrize("noise", [2.0, 60.0])
def test_an_index_counts_that_people_can_tell_from_others(noise: float) -> None:
    there, distinctness = filmed(with_noise(noise), QUEEN)
    index = there.table.draw([QUEEN], moment=7).indexes[0]
    label = label_of(index, there)
    assert label.counts == (distinctness >= LEAST_DISTINCTNESS) == (noise == 2.0)
    assert label_of(index, there, in_any_grain=True).counts
    assert not label_of(
        replace(index, contrast=LEAST_CONTRAST - 1), there, in_any_grain=True
    ).counts
    grainy = "grainy picture" if distinctness < GRAINY_BELOW else "clean picture"
    assert grainy in label.conditions


def test_only_cards_of_its_rank_or_suit_are_most_like_a_card() -> None:
    rivals = most_alike(close_table().deck, "7D", 20)
    assert len(rivals) == len(set(rivals)) == 4
    assert all((rival[0] == "7") != (rival[1] == "D") for rival in rivals)
