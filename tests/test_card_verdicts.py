"""What was seen badly: told as a card, or not, but never so that somebody can be accused of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from tests.laid_cards import BACCARAT, LaidTable, card, lay
from vision.card_reader import IndexSeen, PictureReading, joined_card
from vision.cards import CARDS, NUMBERS
from vision.film_rounds import read_rounds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vision.film_rounds import ReadRound
    from vision.glances import Glance

FOUR: Final = (
    card("5H", lay("player", 0, 1.0, 14.0)),
    card("KC", lay("banker", 0, 2.0, 14.0)),
    card("8S", lay("player", 1.2, 3.0, 14.0)),
    card("2D", lay("banker", 1.2, 4.0, 14.0)),
)
THERE: Final = lay("player", 3.0, 5.0, 14.0)


@dataclass(frozen=True)
class Smudge:
    """Something like an index beside the player's cards, found in some looks."""

    looks: int
    score: float
    sure: float
    rival: float = 0.0
    """How likely it is another card."""
    tall: float = 1.0
    from_s: float = 5.0

    def added(self, glances: list[Glance]) -> Iterator[Glance]:
        heights = [index.height for glance in glances for index in glance.reading.indexes]
        height = self.tall * float(np.median(heights))
        box = (THERE.x, THERE.y, THERE.x + 0.6 * height, THERE.y + height)
        shares = np.full(len(CARDS), (1 - self.sure) / (len(CARDS) - 1), np.float32)
        shares[NUMBERS["9D"]] = self.sure
        shares[NUMBERS["9H"]] += self.rival
        shares /= shares.sum()
        seen = joined_card([IndexSeen(box, self.score, 0.99, shares, height)])
        left = self.looks
        for glance in glances:
            if glance.at_s < self.from_s or not left:
                yield glance
                continue
            left -= 1
            told = glance.reading
            yield replace(
                glance,
                reading=PictureReading((*told.cards, seen), told.unreadable, told.backs),
            )


def read(smudge: Smudge | None) -> ReadRound:
    glances = list(LaidTable(BACCARAT, FOUR).glances())
    shown = glances if smudge is None else list(smudge.added(glances))
    (only,) = read_rounds(shown, BACCARAT, 8)
    return only


def told(one: ReadRound) -> list[tuple[str, bool]]:
    return [(each.card, each.hardly) for each in one.cards[4:]]


def test_cards_that_were_seen_well_are_beyond_doubt() -> None:
    one = read(None)
    assert [each.card for each in one.cards] == ["5H", "KC", "8S", "2D"]
    assert not any(each.hardly for each in one.cards)
    assert not one.perhaps


@pytest.mark.parametrize(
    ("smudge", "cards", "perhaps"),
    [
        (Smudge(looks=6, score=0.9, sure=0.99), [("9D", False)], 0),
        # Found often, but hardly an index, or of no card in particular.
        (Smudge(looks=6, score=0.48, sure=0.99), [], 1),
        (Smudge(looks=6, score=0.9, sure=0.15), [("??", True)], 0),
        # Found often and well, but nearly as likely another card.
        (Smudge(looks=6, score=0.9, sure=0.80, rival=0.18), [("9D", True)], 0),
        (Smudge(looks=6, score=0.9, sure=0.85, rival=0.13), [("9D", False)], 0),
        # Not so often: not told, but it may be a card.
        (Smudge(looks=4, score=0.48, sure=0.99), [], 1),
        (Smudge(looks=4, score=0.9, sure=0.15), [], 1),
        # Too seldom, too faint, or too small to be one.
        (Smudge(looks=2, score=0.48, sure=0.99), [], 0),
        (Smudge(looks=4, score=0.42, sure=0.99), [], 0),
        (Smudge(looks=4, score=0.48, sure=0.99, tall=0.5), [], 0),
        # It was there before anything was dealt: print on the cloth.
        (Smudge(looks=4, score=0.48, sure=0.99, from_s=0.0), [], 0),
    ],
)
def test_what_was_badly_seen_puts_its_round_in_doubt(
    smudge: Smudge, cards: list[tuple[str, bool]], perhaps: int
) -> None:
    one = read(smudge)
    assert told(one) == cards
    assert len(one.perhaps) == perhaps


@pytest.mark.parametrize(("readable", "cards"), [(0.01, 0), (0.6, 1)])
def test_two_marks_that_read_as_nothing_are_no_card_though_they_lie_as_on_one(
    readable: float, cards: int
) -> None:
    """The patterns of two backs that lie side by side may be taken for indexes."""

    def unread(glance: Glance) -> Glance:
        reading = glance.reading
        marks = [one for one in reading.cards if one.card == "9D"]
        flat = np.full(len(CARDS), 1 / len(CARDS), np.float32)
        flat[NUMBERS["9D"]] += np.float32(readable)
        said = flat / flat.sum()
        indexes = tuple(
            replace(index, readable=readable, probabilities=said)
            for mark in marks
            for index in mark.indexes
        )
        others = tuple(one for one in reading.cards if one not in marks)
        unreadable = (*reading.unreadable, *indexes)
        return replace(glance, reading=PictureReading(others, unreadable, reading.backs))

    there = replace(THERE, to_s=5.8)
    laid = LaidTable(BACCARAT, (*FOUR, card("9D", there)))
    (only,) = read_rounds([unread(glance) for glance in laid.glances()], BACCARAT, 8)
    assert len(told(only)) == cards


@pytest.mark.parametrize(("away", "told_too"), [(0.6, False), (1.6, True)])
def test_what_is_seen_for_a_moment_beside_an_index_that_stays_is_that_index(
    away: float,
    told_too: bool,  # noqa: FBT001
) -> None:
    glances = list(LaidTable(BACCARAT, FOUR).glances())
    own = next(
        index
        for glance in glances
        for index in glance.reading.indexes
        if CARDS[int(index.probabilities.argmax())] == "8S"
    )
    first = next(number for number, glance in enumerate(glances) if glance.at_s >= 3.0)
    left, top, right, bottom = own.box
    by = away * own.height
    shares = np.full(len(CARDS), 1e-4, np.float32)
    shares[NUMBERS["TD"]] = 0.99
    ghost = joined_card(
        [replace(own, box=(left + by, top, right + by, bottom), probabilities=shares)]
    )
    for number in range(first, first + 2):
        told = glances[number].reading
        reading = PictureReading((*told.cards, ghost), told.unreadable, told.backs)
        glances[number] = replace(glances[number], reading=reading)
    (only,) = read_rounds(glances, BACCARAT, 8)
    assert ("TD" in [each.card for each in only.cards]) == told_too
    assert not only.perhaps


def test_copies_whose_outermost_indexes_were_joined_keep_their_order() -> None:
    """The second lies over the first, so that of four equal indexes the outermost look a pair."""
    first, second = (
        card("9H", lay("player", 0, 1.0, 14.0)),
        card("9H", lay("player", 0.5, 3.0, 14.0)),
    )
    dealt = (first, FOUR[1], second, FOUR[3])
    glances = []
    for glance in LaidTable(BACCARAT, dealt).glances():
        nines = [
            index
            for index in glance.reading.indexes
            if CARDS[int(index.probabilities.argmax())] == "9H"
        ]
        others = [each for each in glance.reading.cards if each.indexes[0] not in nines]
        nines.sort(key=lambda index: index.box[0])
        alone = nines if len(nines) < 3 else nines[1:-1]
        groups = [[one] for one in alone] + ([] if alone is nines else [[nines[0], nines[-1]]])
        cards = (*others, *(joined_card(group) for group in groups))
        reading = PictureReading(cards, glance.reading.unreadable, glance.reading.backs)
        glances.append(replace(glance, reading=reading))
    (only,) = read_rounds(glances, BACCARAT, 8)
    assert [(each.card, each.hand) for each in only.cards] == [
        ("9H", "player"),
        ("KC", "banker"),
        ("9H", "player"),
        ("2D", "banker"),
    ]


def with_find(glances: list[Glance], find: IndexSeen, from_s: float, to_s: float) -> list[Glance]:
    """Glances with something else found in all looks of a time."""
    return [
        replace(
            glance,
            reading=replace(glance.reading, cards=(*glance.reading.cards, joined_card([find]))),
        )
        if from_s <= glance.at_s < to_s
        else glance
        for glance in glances
    ]


def find_at(x: float, y: float, name: str, sure: float, score: float, lean: float) -> IndexSeen:
    shares = np.full(len(CARDS), (1 - sure) / (len(CARDS) - 1), np.float32)
    shares[NUMBERS[name]] = sure
    return IndexSeen((x - 4, y - 9, x + 4, y + 9), score, 0.99, shares, 18.0, lean)


@pytest.mark.parametrize(("from_s", "told_too"), [(6.0, False), (8.0, True)])
def test_what_a_card_left_showing_of_the_one_below_is_no_card(
    from_s: float,
    told_too: bool,  # noqa: FBT001
) -> None:
    """A pip of which the half is covered looks like an index; one that comes alone is a doubt."""
    third = card("JC", lay("player", 1.5, 6.0, 14.0, down=0.3))
    glances = list(LaidTable(BACCARAT, (*FOUR, third)).glances())
    below = FOUR[2].lays[0]
    pip = find_at(below.x, below.y - 30, "4C", 0.2, 0.55, 60.0)
    (only,) = read_rounds(with_find(glances, pip, from_s, 14.0), BACCARAT, 8)
    assert ("JC", False) in told(only)
    assert (len(told(only)) > 1 or len(only.perhaps) > 0) == told_too


def test_a_ghost_beside_an_index_is_not_what_was_turned_up() -> None:
    """The card that lay there face down is the one that stays."""
    turned = lay("banker", 1.05, 8.0, 14.0)
    hole = card("2D", lay("banker", 1.2, 4.0, 8.0, face_up=False), turned)
    glances = list(LaidTable(BACCARAT, (*FOUR[:3], hole)).glances())
    own = next(
        index
        for glance in glances
        for index in glance.reading.indexes
        if CARDS[int(index.probabilities.argmax())] == "2D" and index.box[0] < turned.x
    )
    x, y = (own.box[0] + own.box[2]) / 2, (own.box[1] + own.box[3]) / 2
    ghost = find_at(x + 0.6 * own.height, y, "2D", 0.9, 0.35, own.lean)
    (only,) = read_rounds(with_find(glances, ghost, 8.0, 8.35), BACCARAT, 8)
    assert [(each.card, each.hardly) for each in only.cards[3:]] == [("2D", False)]
    assert only.cards[3].laid_s < 5


@pytest.mark.parametrize(("unchanged_s", "cards"), [(2.0, [("9D", True)]), (1.0, [])])
def test_what_was_looked_at_once_is_told_in_doubt_if_it_lay_there_unchanged(
    unchanged_s: float, cards: list[tuple[str, bool]]
) -> None:
    """Nothing is looked at again before something changes there."""
    glances = list(LaidTable(BACCARAT, FOUR).glances())
    smudge = Smudge(looks=1, score=0.65, sure=0.98)
    first_s = next(glance.at_s for glance in glances if glance.at_s >= smudge.from_s)
    shown = [
        glance
        for glance in smudge.added(glances)
        if not first_s < glance.at_s < first_s + unchanged_s
    ]
    (only,) = read_rounds(shown, BACCARAT, 8)
    assert told(only) == cards
