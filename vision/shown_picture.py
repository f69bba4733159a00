"""A picture with what was seen in it drawn upon it."""

import math

import cv2
import numpy as np

from vision.boxes import Image
from vision.card_reader import Box, CardSeenInPicture, PictureReading
from vision.picture_text import Colour, card_sign, text_size, write

SURE: Colour = (92, 168, 40)
DOUBTFUL: Colour = (20, 150, 245)
UNREADABLE: Colour = (150, 150, 150)
BACK: Colour = (200, 110, 60)
BLACK_SUIT: Colour = (30, 26, 24)
RED_SUIT: Colour = (38, 38, 196)
PLATE: Colour = (255, 255, 255)
SURE_FROM = 0.99


def draw_reading(image: Image, reading: PictureReading) -> Image:
    """Draw the indexes of each card, joined by a line, with its name and how sure it is.

    Green is sure, orange doubtful or too small, grey not readable, blue the back of a card. A name
    stands where it hides no other index, if there is such a place.
    """
    drawn = image.copy()
    thick = max(1, round(max(image.shape[:2]) / 900))
    letters = max(15, round(max(image.shape[:2]) / 64))
    occupied = [index.box for index in (*reading.indexes, *reading.unreadable)]
    for back in reading.backs:
        _outline(drawn, back.box, BACK, thick)
        occupied.append(_plate(drawn, "back", back.box, BACK, letters, occupied, None))
    for index in reading.unreadable:
        _outline(drawn, index.box, UNREADABLE, thick)
    for card in reading.cards:
        colour = SURE if is_sure(card) else DOUBTFUL
        middles = [_middle(index.box) for index in card.indexes]
        for end in middles[1:]:
            cv2.line(drawn, middles[0], end, colour, thick, cv2.LINE_AA)
        for index in card.indexes:
            _outline(drawn, index.box, colour, thick + 1)
    for card in reading.cards:
        colour = SURE if is_sure(card) else DOUBTFUL
        highest = min((index.box for index in card.indexes), key=lambda box: box[1])
        words = f" {said_certainty(card.certainty)}" + (" too small" if card.too_small else "")
        occupied.append(_plate(drawn, words, highest, colour, letters, occupied, card.card))
    return drawn


def said_certainty(certainty: float) -> str:
    """A certainty in as many digits as it is worth, never rounded up to what it is not."""
    digits = 2 if certainty < 0.99 else 3
    return f"{math.floor(certainty * 10**digits) / 10**digits:.{digits}f}"


def is_sure(card: CardSeenInPicture) -> bool:
    """Whether a reading would be relied on by itself."""
    return card.certainty >= SURE_FROM and not card.too_small


def _outline(image: Image, box: Box, colour: Colour, thick: int) -> None:
    left, top, right, bottom = (round(edge) for edge in box)
    cv2.rectangle(image, (left - 2, top - 2), (right + 2, bottom + 2), colour, thick, cv2.LINE_AA)


def _middle(box: Box) -> tuple[int, int]:
    return round((box[0] + box[2]) / 2), round((box[1] + box[3]) / 2)


def _plate(
    image: Image,
    words: str,
    beside: Box,
    colour: Colour,
    letters: int,
    occupied: list[Box],
    card: str | None,
) -> Box:
    """Write a name on a plate next to a box, and tell where it stands."""
    sign = card_sign(card) if card else ""
    sign_wide = text_size(sign, letters, 700)[0] if sign else 0
    wide = sign_wide + (text_size(words, letters)[0] if words else 0) + letters // 2 + 2
    tall = round(letters * 1.25)
    left, top = _place(image, wide, tall, beside, occupied)
    plate = (left, top), (left + wide, top + tall)
    under = image[max(top, 0) : top + tall, max(left, 0) : left + wide]
    under[:] = cv2.addWeighted(under, 0.12, np.full_like(under, PLATE), 0.88, 0)
    cv2.rectangle(image, *plate, colour, 1, cv2.LINE_AA)
    x, foot = left + letters // 4 + 1, top + round(letters * 0.98)
    if card:
        ink = RED_SUIT if card[1] in "DH" else BLACK_SUIT
        write(image, sign, (x, foot), size=letters, colour=ink, weight=700)
    if words:
        ink = BLACK_SUIT if card else colour
        write(image, words, (x + sign_wide, foot), size=letters, colour=ink)
    return float(left), float(top), float(left + wide), float(top + tall)


def _place(image: Image, wide: int, tall: int, beside: Box, occupied: list[Box]) -> tuple[int, int]:
    """The place next to a box, inside the picture, that covers least of what is there."""
    left, top, right, bottom = (round(edge) for edge in beside)
    height, width = image.shape[:2]
    places = [
        (left - 3, top - tall - 5),
        (left - 3, bottom + 5),
        (right + 5, top),
        (left - wide - 5, top),
        (right - wide, top - tall - 5),
        (right - wide, bottom + 5),
        (left, top - 2 * tall - 8),
        (left, bottom + tall + 8),
    ]
    inside = [
        (min(max(x, 0), max(width - wide - 1, 0)), min(max(y, 0), max(height - tall - 1, 0)))
        for x, y in places
    ]

    def covered(place: tuple[int, int]) -> float:
        x, y = place
        return sum(
            max(0.0, min(x + wide, box[2]) - max(x, box[0]))
            * max(0.0, min(y + tall, box[3]) - max(y, box[1]))
            for box in occupied
        )

    return min(inside, key=covered)
