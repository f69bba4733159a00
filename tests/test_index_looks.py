"""How finds lie: leans, places, and the second look at what is read in doubt."""

import math

import numpy as np
import pytest

from tests.told_networks import Told, at, finds, grey, turner
from vision.boxes import (
    centres,
    shares_of_smaller,
)
from vision.card_reader import (
    CardReader,
)
from vision.cards import CARDS, NUMBERS
from vision.finder import Finder
from vision.index_crops import (
    CROP_MARGIN,
    CROP_SIDE,
)
from vision.index_looks import CLOSER, set_right
from vision.index_reader import IndexReader
from vision.index_turner import PLACE, STEP, STEPS, IndexTurner, boxes_set_right, place_in
from vision.model_files import BadModel, FinderFile


def test_the_surroundings_of_a_find_are_looked_at_as_they_lie() -> None:
    image = grey(640, 480)
    image[100:140, 300:320] = 255
    network = Told(np.zeros((1, STEPS + PLACE), np.float32))
    IndexTurner(network).turn(image, np.array([[300, 100, 320, 140]], np.float32))
    assert network.given[0].shape == (1, 3, CROP_SIDE, CROP_SIDE)
    bright = network.given[0][0, 0] > 0.8
    assert bright.any(axis=1).sum() == pytest.approx(CROP_SIDE / CROP_MARGIN, abs=1)
    assert bright.any(axis=0).sum() == pytest.approx(CROP_SIDE / CROP_MARGIN / 2, abs=1)


@pytest.mark.parametrize("leaning", [0, 20, 90, 135, 180, -60])
def test_a_box_round_the_rank_alone_is_set_right(leaning: float) -> None:
    """What should be told of an index makes its box of the box that was found."""
    turn = np.radians(leaning)
    across, down = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    middle = np.array([200.0, 150.0])
    corners = np.array(
        [middle + 10 * x * across + 20 * y * down for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))],
        np.float32,
    )
    rank = np.array([corners[0], corners[1], (corners[1] + corners[2]) / 2], np.float32)
    found = np.concatenate([rank.min(axis=0), rank.max(axis=0)])
    told = place_in(found, corners)
    right = boxes_set_right(found[None], told[None], np.array([leaning], np.float32))[0]
    whole = np.concatenate([corners.min(axis=0), corners.max(axis=0)])
    assert right == pytest.approx(whole, abs=0.01)


def test_a_box_stays_near_whatever_is_told_of_it() -> None:
    told = np.array([[9, -9, 9, 9]], np.float32)
    box = np.array([[100, 100, 110, 120]], np.float32)
    right = boxes_set_right(box, told, np.zeros(1, np.float32))[0]
    assert right[2] - right[0] < 20 * 3.4
    assert (right[:2] + right[2:]) / 2 == pytest.approx([105 + 15, 110 - 15])


def test_what_was_found_badly_is_looked_at_anew_where_it_was_set_right() -> None:
    first = np.zeros((2, STEPS + PLACE), np.float32)
    first[:, 0] = 20
    first[0, STEPS:] = 0, 0, 0, -np.log(2)
    first[1, STEPS:] = 0, 0.5, np.log(2), 0
    again = np.zeros((1, STEPS + PLACE), np.float32)
    again[:, 1] = 20
    again[:, STEPS:] = 0.1, 0, 0, -np.log(2)
    network = Told(first, again)
    boxes = np.array([[300, 100, 320, 140], [100, 100, 120, 120]], np.float32)
    lying = IndexTurner(network).turn(grey(640, 480), boxes)
    assert [len(given) for given in network.given] == [2, 1]
    assert lying.boxes[0] == pytest.approx(boxes[0])
    assert centres(lying.boxes)[1] == pytest.approx([114, 120], abs=0.1)
    assert lying.leans.likeliest == pytest.approx([0, STEP], abs=0.1)


def test_an_index_found_by_its_rank_and_by_its_suit_is_one_index() -> None:
    """Set right, both finds are the same box: the surer one stays."""
    said = np.zeros((2, STEPS + PLACE), np.float32)
    said[:, 0] = 20
    said[0, STEPS:] = 0, 0.5, np.log(2), 0
    said[1, STEPS:] = 0, -0.5, np.log(2), 0
    as_it_is = np.zeros((2, STEPS + PLACE), np.float32)
    as_it_is[:, 0] = 20
    as_it_is[:, STEPS:] = 0, 0, 0, -np.log(2)
    boxes = finds((100, 100, 120, 120, 0.6, 0), (100, 120, 120, 140, 0.7, 0))
    logits = np.zeros((1, 53), np.float32)
    logits[0, NUMBERS["4S"]] = 12
    finder = Finder(Told(boxes), FinderFile("", ""))
    reader = CardReader(finder, IndexTurner(Told(said[::-1], as_it_is)), IndexReader(Told(logits)))
    (index,) = reader.read(grey(640, 480)).indexes
    assert index.box == pytest.approx((100, 100, 120, 140), abs=0.01)
    assert index.score == pytest.approx(0.7)


@pytest.mark.parametrize(("sure", "looks"), [(2.0, 2), (12.0, 1)])
def test_what_is_read_in_doubt_is_set_right_again_and_read_there(sure: float, looks: int) -> None:
    """Of a wide ten the nought was found: it may be a queen, and the whole is a ten."""
    nought, ten = np.zeros((2, 1, STEPS + PLACE), np.float32)
    nought[:, 0] = ten[:, 0] = 20
    nought[:, STEPS:] = 0, 0, 0, -np.log(2)
    closer = np.log(1 / CLOSER)
    ten[:, STEPS:] = -0.25 / CLOSER, 0, closer, closer
    turning = Told(nought, ten)
    reading = Told(sure / 12 * at("QD"), at("TD"))
    finder = Finder(Told(finds((120, 100, 140, 140, 0.7, 0))), FinderFile("", ""))
    (card,) = (
        CardReader(finder, IndexTurner(turning), IndexReader(reading)).read(grey(640, 480)).cards
    )
    assert len(turning.given) == len(reading.given) == looks
    assert card.card == ("TD" if looks == 2 else "QD")
    assert card.box == pytest.approx((100 if looks == 2 else 120, 100, 140, 140))


def test_each_find_set_right_is_known_by_its_number_and_seen_by_either_look() -> None:
    """The best find is read surely; of the others, rank and suit of an index, one in doubt."""
    parts, whole, moved = (np.zeros((many, STEPS + PLACE), np.float32) for many in (3, 2, 1))
    parts[:, 0] = whole[:, 0] = moved[:, 0] = 20
    parts[:, STEPS:] = (0, 0, 0, -np.log(2)), (0, -0.5, np.log(2), 0), (0, 0.5, np.log(2), 0)
    whole[:, STEPS:] = 0, 0, 0, -np.log(2)
    moved[:, STEPS:] = 0.1, 0, 0, -np.log(2)
    found = [(300, 100, 320, 140), (100, 120, 120, 140), (100, 100, 120, 120)]
    rows = finds(*((*box, score, 0) for box, score in zip(found, (0.9, 0.7, 0.6), strict=True)))
    seen = Finder(Told(rows), FinderFile("", "")).find(grey(640, 480))
    first = np.concatenate([at("QD"), at("QD") / 6])
    reader = IndexReader(Told(first, at("TD")))
    turning = IndexTurner(Told(parts, whole, moved))
    right = set_right(grey(640, 480), seen, turning, reader)
    assert right.finds.tolist() == [0, 1]
    assert right.twice.tolist() == [False, True]
    lying, read = right.either(np.array([True, False]))
    assert lying.boxes[:, 0].tolist() == pytest.approx([300, 100])
    assert [CARDS[int(each.argmax())] for each in read] == ["QD", "QD"]
    lying, read = right.either(np.array([True, True]))
    assert lying.boxes[:, 0].tolist() == pytest.approx([300, 110 + 40 * CLOSER * (0.1 - 1 / 4)])
    assert [CARDS[int(each.argmax())] for each in read] == ["QD", "TD"]


def test_neighbours_in_a_fan_that_lies_askew_are_two_indexes() -> None:
    """Tall and turned by 45 degrees side by side: their boxes share half, they themselves none."""
    step = 45 // int(STEP)
    said = np.full((2, STEPS + PLACE), -9, np.float32)
    said[:, step] = 9
    side = 40 * math.sqrt(0.5) * (1 + 1 / 3)
    said[:, STEPS:] = 0, 0, np.log(40 / side), np.log(40 / 3 / side)
    aside = 14 * math.sqrt(0.5)
    boxes = np.array([(100, 100, 100 + side, 100 + side)] * 2, np.float32)
    boxes[1] += aside
    rows = [(*box, score, 0) for box, score in zip(boxes.tolist(), (0.9, 0.6), strict=True)]
    assert shares_of_smaller(boxes[:1], boxes[1:])[0, 0] > 0.5
    logits = np.zeros((2, 53), np.float32)
    logits[[0, 1], [NUMBERS["4S"], NUMBERS["9H"]]] = 12
    finder = Finder(Told(finds(*rows)), FinderFile("", ""))
    reader = CardReader(finder, IndexTurner(Told(said)), IndexReader(Told(logits)))
    read = reader.read(grey(640, 480)).cards
    assert [card.card for card in read] == ["4S", "9H"]


def test_a_turner_that_tells_no_place_is_refused() -> None:
    network = Told(np.zeros((1, STEPS), np.float32))
    with pytest.raises(BadModel, match="not 28 numbers"):
        IndexTurner(network).turn(grey(50, 50), np.array([[10, 10, 20, 30]], np.float32))


def test_where_the_lean_is_in_doubt_what_can_be_read_decides() -> None:
    """Upside down it reads as nothing, the other way as a card."""
    upside_down, upright = np.zeros((2, 1, 53), np.float32)
    upside_down[0, 52], upright[0, NUMBERS["7C"]] = 12, 12
    network = Told(upside_down, upright)
    finder = Finder(Told(finds((10, 20, 30, 60, 0.9, 0))), FinderFile("", ""))
    reader = CardReader(finder, turner(12, rival=0), IndexReader(network))
    (card,) = reader.read(grey(640, 480)).cards
    assert (card.card, len(network.given)) == ("7C", 2)
    assert card.certainty > 0.95
    sure = CardReader(finder, turner(0), IndexReader(Told(upright)))
    assert sure.read(grey(640, 480)).cards[0].card == "7C"
