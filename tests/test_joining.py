"""Indexes that are printed on one card are joined; copies of a card in a fan are not."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.boxes import (
    Boxes,
    Image,
    lean,
)
from vision.cards import NUMBERS
from vision.joining import join_indexes
from vision.synthetic.decks import Deck, draw_deck

FELT = (60, 92, 30)


Laid = tuple[Boxes, NDArray[np.float32]]
"""Boxes and leans of indexes."""


def lay(
    image: Image, deck: Deck, card: str, at: tuple[float, float], turned: float, scale: float = 0.4
) -> Laid:
    """Lay a card on a picture; give the boxes and the leans of its indexes."""
    face = deck.face(card)
    height, width = face.image.shape[:2]
    place = cv2.getRotationMatrix2D((width / 2, height / 2), turned, scale)
    place[:, 2] += np.array(at) - (width / 2, height / 2)
    size = (image.shape[1], image.shape[0])
    mask = cv2.warpAffine(deck.shape, place, size, flags=cv2.INTER_AREA) > 127
    image[mask] = cv2.warpAffine(face.image, place, size, flags=cv2.INTER_AREA)[mask]
    corners = [index @ place[:, :2].T + place[:, 2] for index in face.indexes]
    rows = [np.concatenate([each.min(axis=0), each.max(axis=0)]) for each in corners]
    return np.array(rows, np.float32), np.array([lean(each) for each in corners], np.float32)


def together(*laid: Laid) -> Laid:
    return np.concatenate([each[0] for each in laid]), np.concatenate([each[1] for each in laid])


def felt() -> Image:
    noise = np.random.default_rng(5).normal(0, 4, (480, 640, 1))
    return np.clip(np.array(FELT) + noise, 0, 255).astype(np.uint8)


def reads(*cards: str) -> NDArray[np.float32]:
    each = np.full((len(cards), 52), 0.01 / 51, np.float32)
    each[np.arange(len(cards)), [NUMBERS[card] for card in cards]] = 0.99
    return each


def deck_with(indexes: int) -> Deck:
    decks = (draw_deck(seed) for seed in range(40))
    return next(deck for deck in decks if len(deck.face("5D").indexes) == indexes)


@pytest.mark.parametrize("turned", [0, 35, 90, 200])
@pytest.mark.parametrize("card", ["5D", "QS", "TC"])
@pytest.mark.parametrize("indexes", [2, 4])
def test_the_indexes_of_a_card_are_joined(card: str, turned: float, indexes: int) -> None:
    image = felt()
    boxes, leans = lay(image, deck_with(indexes), card, (320, 240), turned)
    assert join_indexes(image, boxes, reads(*[card] * indexes), leans) == [tuple(range(indexes))]


@pytest.mark.parametrize("turned", [0, 20, 90])
def test_two_copies_that_lie_apart_stay_two_cards(turned: float) -> None:
    image, deck = felt(), deck_with(2)
    boxes, leans = together(
        lay(image, deck, "5D", (200, 240), turned), lay(image, deck, "5D", (400, 240), turned)
    )
    assert join_indexes(image, boxes, reads(*["5D"] * 4), leans) == [(0, 1), (2, 3)]


def test_the_covered_copy_of_a_fan_stays_alone() -> None:
    image, deck = felt(), deck_with(2)
    lower = lay(image, deck, "5D", (280, 240), 0)
    upper = lay(image, deck, "5D", (310, 250), 0)
    boxes, leans = together((lower[0][:1], lower[1][:1]), upper)
    assert join_indexes(image, boxes, reads(*["5D"] * 3), leans) == [(0,), (1, 2)]


def test_different_cards_are_never_joined() -> None:
    image, deck = felt(), deck_with(2)
    boxes, leans = lay(image, deck, "5D", (320, 240), 0)
    assert join_indexes(image, boxes, reads("5D", "7D"), leans) == [(0,), (1,)]


def test_indexes_that_read_alike_but_lean_otherwise_are_two_cards() -> None:
    image, deck = felt(), deck_with(2)
    boxes, leans = lay(image, deck, "5D", (320, 240), 0)
    assert join_indexes(image, boxes, reads("5D", "5D"), leans + np.array([0, 60])) == [(0,), (1,)]


def test_nothing_makes_no_cards() -> None:
    nothing = np.zeros((0, 4), dtype=np.float32)
    none = np.zeros(0, np.float32)
    assert join_indexes(felt(), nothing, np.zeros((0, 52), np.float32), none) == []
