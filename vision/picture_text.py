"""Writing on pictures that people look at."""

from functools import cache

import cv2

from vision.boxes import Image

Colour = tuple[int, int, int]
"""Blue, green, red."""
PAPER: Colour = (255, 255, 255)
INK: Colour = (48, 40, 34)
FAINT: Colour = (150, 142, 136)
RULE: Colour = (228, 224, 220)
SUIT_SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}


def card_sign(name: str) -> str:
    """A card as people write it: 10♦ for TD; ranks alone stay ranks."""
    return name[:1].replace("T", "10") + SUIT_SIGNS.get(name[1:], "")


def text_size(text: str, size: int, weight: int = 400) -> tuple[int, int]:
    """Width and height of a line of text in pixels; the height is that of capitals."""
    left, _, width, _ = _bounds(text, size, weight)
    return left + width, round(size * 0.72)


def write(
    image: Image,
    text: str,
    at: tuple[float, float],
    *,
    size: int = 18,
    colour: Colour = INK,
    weight: int = 400,
    align: float = 0.0,
) -> None:
    """Write a line of text. `at` is the foot of the line: its left end, or at `align` 0.5 its
    middle, at 1 its right end.
    """
    wide, _ = text_size(text, size, weight)
    place = (round(at[0] - align * wide), round(at[1]))
    cv2.putText(image, text, place, colour, _face(), size, weight)


@cache
def _face() -> cv2.FontFace:
    return cv2.FontFace("sans")


@cache
def _bounds(text: str, size: int, weight: int) -> tuple[int, int, int, int]:
    left, top, width, height = cv2.getTextSize((0, 0), text, (0, 0), _face(), size, weight)
    return int(left), int(top), int(width), int(height)
