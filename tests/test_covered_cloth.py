"""What the covered cloth tells of cards that nobody found: that they lie there, and since when."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tests.followed_cards import rounds_of, told
from tests.laid_cards import BACCARAT, CARD, FRAME, LaidTable, card, lay
from vision.card_reader import BackSeen
from vision.cloth import Cloth
from vision.film_rounds import read_rounds
from vision.scenes import Scene
from vision.tracks import Tracker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.laid_cards import LaidCard
    from vision.card_reader import Box
    from vision.glances import Glance

SIDE: Final = 16
BLOCKS: Final = (FRAME[1] // SIDE, FRAME[0] // SIDE)
SMALL: Final = 4
"""Pixels of the frame in one of the picture that is compared."""
NOWHERE: Final = (0.0, 0.0, 0.0, 0.0)
FIRST_FOUR: Final = (
    ("5H", "player", 0.0),
    ("KC", "banker", 0.0),
    ("8S", "player", 1.6),
    ("2D", "banker", 1.6),
)


def scene_of(lying: Sequence[Box]) -> Scene:
    """Cloth without any detail, and full of it where something lies."""
    detail = np.zeros((FRAME[1] // SMALL, FRAME[0] // SMALL), np.int16)
    for box in lying:
        left, top, right, bottom = (round(edge / SMALL) for edge in box)
        detail[top:bottom, left:right] = 80
    nothing, still = np.full(BLOCKS, 9.0, np.float32), np.ones(BLOCKS, np.bool_)
    return Scene(detail, nothing, still, SIDE)


def box_of(each: LaidCard, at_s: float) -> Box | None:
    for place in each.lays:
        if place.from_s <= at_s < place.to_s:
            wide, tall = CARD
            return (
                place.x - wide / 2, place.y - tall / 2, place.x + wide / 2, place.y + tall / 2
            )  # fmt: skip
    return None


def shown_of(each: LaidCard, at_s: float, back_shows: float) -> Box | None:
    """What looks otherwise than the cloth: of a card face down, from above, so much of it."""
    box = box_of(each, at_s)
    down = any(place.from_s <= at_s < place.to_s and not place.face_up for place in each.lays)
    if box is None or not down:
        return box
    left, top, right, bottom = box
    return (left, top, right, top + back_shows * (bottom - top))


def filmed(
    cards: Sequence[LaidCard],
    unfound: Sequence[LaidCard] = (),
    others: Sequence[tuple[float, float, Box]] = (),
    back_shows: float = 1.0,
) -> Iterator[Glance]:
    """Glances of a table at which neither backs nor some cards are found, nor what else lies."""
    for glance in LaidTable(BACCARAT, cards).glances():
        lying = [shown_of(each, glance.at_s, back_shows) for each in (*cards, *unfound)]
        lying += [box for from_s, to_s, box in others if from_s <= glance.at_s < to_s]
        reading = replace(glance.reading, backs=())
        scene = scene_of([box for box in lying if box is not None])
        yield replace(glance, reading=reading, scene=scene)


def coup(turned_up: Sequence[float] = (0.0,) * 4, cleared_s: float = 20.0) -> list[LaidCard]:
    """Four cards laid from the first second on, each face down until a second if that is named."""
    cards = []
    for number, ((name, hand, place), up_s) in enumerate(zip(FIRST_FOUR, turned_up, strict=True)):
        laid_s = 1.0 + number
        lays = [lay(hand, place, max(laid_s, up_s), cleared_s)]
        if up_s > laid_s:
            lays.insert(0, lay(hand, place, laid_s, up_s, face_up=False))
        cards.append(card(name, *lays))
    return cards


USUAL: Final = ["player:5H", "banker:KC", "player:8S", "banker:2D"]


def test_cards_that_were_found_when_they_were_turned_up_lay_there_before() -> None:
    """Player's cards are turned up first, then banker's: that is not how they were dealt."""
    (read,) = read_rounds(filmed(coup(turned_up=(8.0, 12.0, 10.0, 14.0))), BACCARAT, 8)
    assert told(read) == USUAL
    assert read.perhaps == ()


def test_of_two_cards_face_down_the_first_laid_is_the_first_though_turned_up_last() -> None:
    (read,) = read_rounds(filmed(coup(turned_up=(10.0, 12.0, 8.0, 14.0))), BACCARAT, 8)
    assert told(read) == USUAL


def test_nobody_is_accused_of_an_order_in_which_backs_that_look_like_cloth_were_turned_up() -> None:
    """A third of each back shows, which is neither bare cloth nor a covered place."""
    dealt = coup(turned_up=(8.0, 9.0, 12.0, 14.0))
    (read,) = read_rounds(filmed(dealt, back_shows=0.3), BACCARAT, 8)
    assert [card.hand for card in read.cards] == ["player", "banker", "player", "banker"]


def test_one_look_that_takes_such_a_back_for_cloth_proves_nothing() -> None:
    """The player's second card is taken for bare cloth when all others have been found."""
    dealt = coup(turned_up=(0.0, 0.0, 12.0, 0.0))
    glances = [*filmed(dealt, back_shows=0.3)]
    once = next(glance for glance in glances if glance.at_s > 8)
    others = [box_of(each, once.at_s) for each in (dealt[0], dealt[1], dealt[3])]
    bare = replace(once, scene=scene_of([box for box in others if box]))
    glances[glances.index(once)] = bare
    (read,) = read_rounds(glances, BACCARAT, 8)
    assert told(read) == USUAL


def test_a_back_of_which_only_the_print_shows_is_not_gone_where_half_of_that_is_hidden() -> None:
    """Of the player's second card a spot in the middle shows, and later a corner of that only."""
    dealt = coup(turned_up=(0.0, 0.0, 12.0, 0.0))
    glances = []
    for glance in filmed(dealt, back_shows=0.0):
        lying = [box_of(each, glance.at_s) for each in dealt]
        if 3 <= glance.at_s < 12:
            x, y = ((edge // SIDE + 2) * SIDE for edge in (lying[2] or NOWHERE)[:2])
            size = 2 * SIDE if glance.at_s < 9 else SIDE
            lying[2] = (x, y, x + size, y + size)
        glances.append(replace(glance, scene=scene_of([box for box in lying if box])))
    (read,) = read_rounds(glances, BACCARAT, 8)
    assert told(read) == USUAL


def test_a_back_that_was_found_badly_may_be_the_card_that_lies_there_later() -> None:
    """It shows from time to time only, and looks like the cloth between."""
    dealt = coup(turned_up=(0.0, 0.0, 12.0, 0.0))
    glances = [*filmed(dealt, back_shows=0.0)]
    for from_s in (3.0, 6.0):
        once = next(glance for glance in glances if glance.at_s >= from_s)
        lying = [box_of(each, once.at_s) for each in dealt]
        backs = (BackSeen(box_of(dealt[2], once.at_s) or NOWHERE, 0.55),)
        glances[glances.index(once)] = replace(
            once,
            reading=replace(once.reading, backs=backs),
            scene=scene_of([box for box in lying if box]),
        )
    (read,) = read_rounds(glances, BACCARAT, 8)
    assert told(read) == USUAL


def test_where_no_back_was_found_a_card_comes_when_it_is_seen() -> None:
    (read,) = read_rounds(filmed(coup((0.0, 0.0, 12.0, 0.0)), back_shows=0.0), BACCARAT, 8)
    assert told(read) == ["player:5H", "banker:KC", "banker:2D", "player:8S"]


def test_cards_that_were_dealt_in_the_wrong_order_are_told_so() -> None:
    """Nothing lay there before they were found."""
    one, two, three, four = coup()
    dealt = [one, replace(three, lays=(replace(three.lays[0], from_s=2.0),))]
    dealt += [replace(two, lays=(replace(two.lays[0], from_s=3.0),)), four]
    (read,) = read_rounds(filmed(dealt), BACCARAT, 8)
    assert told(read) == ["player:5H", "player:8S", "banker:KC", "banker:2D"]


def test_a_card_laid_over_another_did_not_lie_there_before_that_was_found() -> None:
    """The other one was found late, and covered the place of this one until then."""
    late = replace(coup()[1], lays=(replace(coup()[1].lays[0], from_s=3.4),))
    over = card("2D", lay("banker", 0.4, 8.0, 20.0))
    dealt = [coup()[0], late, coup()[2], over]
    waits = (2.8, 3.4, box_of(late, 4.0) or NOWHERE)
    (read,) = read_rounds(filmed(dealt, others=[waits]), BACCARAT, 8)
    assert told(read) == USUAL


def test_a_card_that_was_never_found_is_a_doubt() -> None:
    third = card("QH", lay("player", 3.2, 7.0, 20.0))
    (read,) = read_rounds(filmed(coup(), unfound=[third]), BACCARAT, 8)
    assert told(read) == USUAL
    (place,) = read.perhaps
    assert place.hand == "player"
    assert abs(place.x - third.lays[0].x) < SIDE
    assert 6.9 < place.start_s < 7.7


def test_what_lies_there_before_and_after_the_cards_is_no_card() -> None:
    chips = (420.0, 300.0, 480.0, 380.0)
    (read,) = read_rounds(filmed(coup(), others=[(0.0, 99.0, chips)]), BACCARAT, 8)
    assert read.perhaps == ()


def test_a_hand_that_rests_beside_the_cards_is_no_card() -> None:
    hand = (420.0, 300.0, 520.0, 400.0)
    (read,) = read_rounds(filmed(coup(), others=[(7.0, 8.4, hand)]), BACCARAT, 8)
    assert read.perhaps == ()


def test_a_hand_that_rested_where_a_card_was_laid_later_says_nothing_of_their_order() -> None:
    last = coup()[3].lays[0]
    hand = (last.x - 40, last.y - 50, last.x + 40, last.y + 50)
    (read,) = read_rounds(filmed(coup(), others=[(0.4, 1.7, hand)]), BACCARAT, 8)
    assert told(read) == USUAL


def test_chips_before_the_zone_of_a_hand_are_no_card() -> None:
    chips = (300.0, 565.0, 380.0, 640.0)
    (read,) = read_rounds(filmed(coup(), others=[(0.5, 21.0, chips)]), BACCARAT, 8)
    assert read.perhaps == ()


def test_without_a_picture_to_compare_all_is_as_it_was_read() -> None:
    (read,) = rounds_of(LaidTable(BACCARAT, coup()))
    assert told(read) == USUAL
    assert read.perhaps == ()


def glance_of(at_s: float, *lying: Box) -> Glance:
    first = next(LaidTable(BACCARAT, coup()).glances())
    return replace(first, at_s=at_s, scene=scene_of(lying))


def test_a_card_that_is_left_when_the_table_seems_clear_is_not_taken_for_cloth() -> None:
    left = (320.0, 320.0, 384.0, 400.0)
    cloth = Cloth()
    cloth.see(glance_of(0.0))
    cloth.see(glance_of(5.0, left))
    cloth.cleared(glance_of(5.0, left))
    cloth.see(glance_of(6.0))
    assert not cloth.looks[-1].blocks.any()


def test_what_is_left_whenever_the_table_is_clear_belongs_to_it() -> None:
    left = (320.0, 320.0, 384.0, 400.0)
    cloth = Cloth()
    cloth.see(glance_of(0.0))
    for at_s in (5.0, 10.0):
        cloth.see(glance_of(at_s, left))
        assert cloth.looks[-1].blocks.any()
        cloth.cleared(glance_of(at_s, left))
    cloth.see(glance_of(11.0, left))
    assert not cloth.looks[-1].blocks.any()


def with_back(glances: Sequence[Glance], box: Box, from_s: float, to_s: float) -> Iterator[Glance]:
    """Something that looks like a card face down, in all looks of a time."""
    back = BackSeen(box, 0.8)
    for glance in glances:
        there = from_s <= glance.at_s < to_s
        backs = (*glance.reading.backs, back) if there else glance.reading.backs
        yield replace(glance, reading=replace(glance.reading, backs=backs))


PRINTED: Final = (460.0, 400.0, 523.0, 488.0)


def test_a_back_that_is_found_on_bare_cloth_is_print() -> None:
    glances = with_back([*filmed(coup())], PRINTED, 6.0, 9.0)
    (read,) = read_rounds(glances, BACCARAT, 8)
    assert told(read) == USUAL


def test_a_back_that_was_found_at_the_first_look_and_shows_no_less_later_is_print() -> None:
    glances = with_back([*filmed(coup())], PRINTED, 0.0, 2.0)
    (read,) = read_rounds(glances, BACCARAT, 8)
    assert told(read) == USUAL


def test_print_that_is_always_found_as_a_back_neither_is_a_card_nor_keeps_a_round_open() -> None:
    glances = [*with_back([*filmed(coup())], PRINTED, 0.0, 99.0)]
    tracker = Tracker(BACCARAT)
    (cards,) = [each for glance in glances for each in tracker.see(glance)] or [tracker.finish()[0]]
    assert len(cards) == 4


def test_a_card_face_down_that_lay_there_before_the_film_began_is_a_card() -> None:
    first = [(0.0, 20.0, PRINTED)]
    glances = with_back([*filmed(coup(), others=first)], PRINTED, 0.0, 20.0)
    (read,) = read_rounds(glances, BACCARAT, 8)
    assert len(read.cards) == 5
