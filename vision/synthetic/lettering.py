"""Words and figures printed on felt, chips and paper: they look like indexes and are none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from vision.synthetic.canvases import Sprite
from vision.synthetic.fonts import card_fonts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.synthetic.canvases import Canvas, Colour

_SIZE = 72  # px of the font in which letters are drawn before they are warped
_SUIT_FONT = "DejaVu Sans"


@dataclass(frozen=True, slots=True)
class Typeface:
    path: str

    def draw(self, text: str) -> tuple[Sprite, float]:
        """The text as a one-channel sprite, and how many px the font's em has in it."""
        return _letter(self.path, text) if len(text) == 1 else _line(self.path, text)

    def length(self, text: str) -> float:
        """How long a text is, of the em."""
        return _opened(self.path).getlength(text) / _SIZE


@lru_cache(maxsize=2)
def _paths(*, kept_out: bool) -> tuple[str, ...]:
    return tuple(font.path for font in card_fonts() if font.kept_out == kept_out)


def draw_typeface(rng: np.random.Generator, *, kept_out: bool = False) -> Typeface:
    paths = _paths(kept_out=kept_out) or _paths(kept_out=not kept_out)
    return Typeface(paths[int(rng.integers(len(paths)))])


@lru_cache(maxsize=1)
def suit_typeface() -> Typeface:
    """One that has the signs of the suits."""
    paths = [font.path for font in card_fonts() if font.has_suits]
    preferred = [font.path for font in card_fonts() if font.family == _SUIT_FONT]
    return Typeface((preferred or paths or [card_fonts()[0].path])[0])


@lru_cache(maxsize=256)
def _opened(path: str) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, _SIZE, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def _letter(path: str, letter: str) -> tuple[Sprite, float]:
    return _drawn(path, letter)


@lru_cache(maxsize=256)
def _line(path: str, text: str) -> tuple[Sprite, float]:
    return _drawn(path, text)


def _drawn(path: str, text: str) -> tuple[Sprite, float]:
    font = _opened(path)
    width = int(np.clip(font.getlength(text), 4, 6000)) + 8
    page = Image.new("L", (width, _SIZE * 3 // 2), 0)
    ImageDraw.Draw(page).text((4, _SIZE * 9 // 8), text, fill=255, font=font, anchor="ls")
    return Sprite(np.asarray(page, np.uint8).copy()), float(_SIZE)


def print_straight(
    canvas: Canvas,
    face: Typeface,
    text: str,
    centre: tuple[float, float],
    *,
    height: float,
    colour: Colour,
    turned: float = 0.0,
    lift: float = 0.0,
    strength: float = 1.0,
) -> None:
    """Print a line of text whose letters are `height` mm, turned anticlockwise by degrees."""
    if not canvas.near(centre, height * (2 + len(text))):
        return
    sprite, size = face.draw(text)
    width = sprite.size[0]
    scale = height / (0.72 * size)
    baseline = _SIZE * 9 / 8 - 0.36 * _SIZE
    to_table = placed(centre, turned) @ np.array(
        [[scale, 0, -scale * width / 2], [0, -scale, scale * baseline], [0, 0, 1.0]]
    )
    canvas.stamp(sprite, canvas.camera.plane(lift) @ to_table, colour, strength)


def print_along_arc(
    canvas: Canvas,
    face: Typeface,
    text: str,
    centre: tuple[float, float],
    radius: float,
    *,
    middle: float,
    height: float,
    colour: Colour,
    inward: bool = True,
    spacing: float = 1.08,
    strength: float = 1.0,
) -> None:
    """Print along a circle: `middle` is the direction of its centre in degrees.

    Letters that stand inward have their tops towards the centre of the circle, so that players
    outside it read them.
    """
    em = height / 0.72
    ahead = 1 if inward else -1
    total = face.length(text) * em * spacing
    at = -total / 2
    plane = canvas.camera.plane()
    baseline = _SIZE * 9 / 8 - 0.36 * _SIZE
    for letter in text:
        advance = face.length(letter) * em * spacing
        angle = np.radians(middle) + ahead * (at + advance / 2) / radius
        where = (centre[0] + radius * np.cos(angle), centre[1] + radius * np.sin(angle))
        if letter != " " and canvas.near(where, 2 * em):
            sprite, size = face.draw(letter)
            scale = em / size
            turned = np.degrees(angle) + (90 if inward else -90)
            to_table = placed(where, float(turned)) @ np.array(
                [
                    [scale, 0, -scale * sprite.size[0] / 2],
                    [0, -scale, scale * baseline],
                    [0, 0, 1.0],
                ]
            )
            canvas.stamp(sprite, plane @ to_table, colour, strength)
        at += advance


def placed(centre: tuple[float, float], turned: float) -> NDArray[np.float64]:
    """Turn by degrees anticlockwise, then move to the centre."""
    angle = np.radians(turned)
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, -sin, centre[0]], [sin, cos, centre[1]], [0, 0, 1.0]])
