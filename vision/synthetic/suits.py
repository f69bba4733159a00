"""Pips: outlines of the four suits in many designs, and those of fonts that have them.

A design is a handful of numbers; an outline is made once for a deck, large, and shrunk to every
size the deck needs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.synthetic.deck_printing import Pixels, tight
from vision.synthetic.fonts import SUIT_SIGNS, CardFont, character

DRAWN_HEIGHT = 160
FONT_SHARE = 0.25
"""How many decks take their pips from a font."""
_ROOM = 400  # px: the canvas on which an outline is drawn
_UNIT = 200.0  # px for a unit of an outline
Curve = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pips:
    """The suit shapes of one deck, each tight and about `DRAWN_HEIGHT` tall."""

    shapes: dict[str, Pixels]
    font: CardFont | None


def draw_pips(rng: np.random.Generator, fonts: Sequence[CardFont], *, kept_out: bool) -> Pips:
    """Draw the four suits of a deck, of one make."""
    with_suits = [font for font in fonts if font.has_suits and font.kept_out == kept_out]
    designs = sorted({font.design for font in with_suits})
    if designs and rng.random() < FONT_SHARE:
        design = designs[int(rng.integers(len(designs)))]
        cuts = [font for font in with_suits if font.design == design]
        font = cuts[int(rng.integers(len(cuts)))]
        shapes = {suit: character(font, sign, 180) for suit, sign in SUIT_SIGNS.items()}
        return Pips({suit: _widened(shape, rng) for suit, shape in shapes.items()}, font)
    stem = _draw_stem(rng, kept_out=kept_out)
    heart = _heart(rng, kept_out=kept_out)
    same = rng.random() < 0.5
    leaf = heart if same else _heart(rng, kept_out=kept_out)
    return Pips(
        {
            "H": _filled([heart]),
            "S": _spade(leaf, stem, float(rng.uniform(0.72, 0.92))),
            "D": _filled([_diamond(rng, kept_out=kept_out)]),
            "C": _club(rng, stem, kept_out=kept_out),
        },
        None,
    )


def _widened(shape: Pixels, rng: np.random.Generator) -> Pixels:
    factor = float(rng.uniform(0.88, 1.12))
    size = (max(8, round(shape.shape[1] * factor)), shape.shape[0])
    return np.asarray(cv2.resize(shape, size, interpolation=cv2.INTER_LINEAR), np.uint8)


def _filled(curves: Sequence[Curve]) -> Pixels:
    """Fill outlines given in units round the origin."""
    page = np.zeros((_ROOM * 2, _ROOM * 2), np.uint8)
    for curve in curves:
        points = np.round((curve * _UNIT + _ROOM) * 8).astype(np.int32)
        cv2.fillPoly(page, [points], 255, shift=3)
    shape = tight(page)
    factor = DRAWN_HEIGHT / shape.shape[0]
    size = (max(1, round(shape.shape[1] * factor)), DRAWN_HEIGHT)
    return np.asarray(cv2.resize(shape, size, interpolation=cv2.INTER_AREA), np.uint8)


def _bezier(*points: tuple[float, float]) -> Curve:
    """A cubic curve through four control points."""
    a, b, c, d = (np.array(point) for point in points)
    at = np.linspace(0, 1, 28)[:, None]
    return np.asarray(
        (1 - at) ** 3 * a + 3 * at * (1 - at) ** 2 * b + 3 * at**2 * (1 - at) * c + at**3 * d
    )


def _mirrored(half: Curve) -> Curve:
    """Close a right half, drawn from its top to its bottom on the axis, by its mirror image."""
    return np.concatenate([half, half[::-1] * np.array([-1, 1])])


def _ring(centre: tuple[float, float], radius: tuple[float, float], turned: float = 0.0) -> Curve:
    angle = np.linspace(0, 2 * np.pi, 72)
    ring = np.stack([np.cos(angle) * radius[0], np.sin(angle) * radius[1]], axis=1)
    cosine, sine = np.cos(turned), np.sin(turned)
    return np.asarray(ring @ np.array([[cosine, sine], [-sine, cosine]]) + np.array(centre))


def _heart(rng: np.random.Generator, *, kept_out: bool) -> Curve:
    """Outline a heart, point down, about one unit wide and high."""
    width = float(rng.uniform(0.44, 0.56))
    if kept_out:
        angle = np.linspace(0, np.pi, 60)
        power = float(rng.uniform(2.6, 3.2))
        x = np.sin(angle) ** power
        y = -(13 * np.cos(angle) - 5 * np.cos(2 * angle) - 2 * np.cos(3 * angle)
              - np.cos(4 * angle)) / 29  # fmt: skip
        return _mirrored(np.stack([x * width, y], axis=1))
    notch = float(rng.uniform(-0.36, -0.2))
    shoulder = float(rng.uniform(-0.56, -0.5))
    bulge = float(rng.uniform(0.0, 0.3))
    belly = float(rng.uniform(0.05, 0.45))
    lobe = float(rng.uniform(0.42, 0.6)) * width
    if rng.random() < 0.3:  # two circles and straight sides
        radius = width / 2 + 0.01
        angle = np.linspace(-np.pi * 0.98, np.pi * float(rng.uniform(0.1, 0.22)), 40)
        lobe_curve = np.stack([radius + radius * np.cos(angle) - 0.01,
                               -0.25 + radius * np.sin(angle)], axis=1)  # fmt: skip
        end = (float(lobe_curve[-1, 0]), float(lobe_curve[-1, 1]))
        pull = (end[0] * 0.55, 0.1 + float(rng.uniform(0.0, 0.12)))
        return _mirrored(np.concatenate([lobe_curve, _bezier(end, pull, (0.06, 0.45), (0, 0.55))]))
    top = _bezier((0, notch), (0.02, shoulder + 0.08), (lobe * 0.45, shoulder), (lobe, shoulder))
    out = width + 0.02
    side = _bezier((lobe, shoulder), (width, shoulder), (out, shoulder + bulge), (width, -0.2))
    tip = _bezier((width, -0.2), (width - 0.02, -0.2 + belly), (0.12, 0.3), (0, 0.54))
    return _mirrored(np.concatenate([top, side, tip]))


def _draw_stem(rng: np.random.Generator, *, kept_out: bool) -> Curve:
    """Outline a stem whose top is the origin and whose foot is 1 below."""
    foot = float(rng.uniform(0.5, 0.95))
    neck = float(rng.uniform(0.06, 0.2))
    if kept_out:
        lip = float(rng.uniform(0.06, 0.14))
        right = np.array([(neck, 0), (neck, 0.75), (foot * 0.8, 1 - lip), (foot * 0.8, 1), (0, 1)])
        return _mirrored(right)
    if rng.random() < 0.35:
        return _mirrored(np.array([(neck, 0), (foot * 0.75, 1), (0, 1)]))
    dip = float(rng.uniform(-0.12, 0.1))
    side = _bezier((neck, 0), (neck, 0.6), (foot * 0.45, 0.9), (foot, 1.0))
    base = _bezier((foot, 1.0), (foot * 0.6, 1.0 + dip), (foot * 0.3, 1.0 + dip), (0, 1.0 + dip))
    return _mirrored(np.concatenate([side, base]))


def _spade(leaf: Curve, stem: Curve, share: float) -> Pixels:
    """Turn a heart upside down and give it a stem; share is the leaf's part of the height."""
    turned = leaf * np.array([1, -1])
    low = float(turned[:, 1].max())
    hollow = float(turned[0, 1])
    length = (low - float(turned[:, 1].min())) * (1 - share) / share
    size = np.array([0.34, low + length - hollow + 0.05])
    return _filled([turned, stem * size + np.array([0, hollow - 0.05])])


def _diamond(rng: np.random.Generator, *, kept_out: bool) -> Curve:
    """Outline a diamond whose sides are straight, hollow as in many old decks, or slightly full."""
    width = float(rng.uniform(0.34, 0.5))
    if kept_out:
        power = float(rng.choice([rng.uniform(0.74, 0.9), rng.uniform(1.08, 1.2)]))
        angle = np.linspace(-np.pi / 2, np.pi / 2, 61)
        x = np.cos(angle) ** (2 / power) * width
        y = np.sign(np.sin(angle)) * np.abs(np.sin(angle)) ** (2 / power) * 0.5
        return _mirrored(np.stack([x, y], axis=1))
    hollow = float(rng.choice([0.0, rng.uniform(0, 0.09), rng.uniform(0.09, 0.22),
                               rng.uniform(-0.04, 0)], p=[0.45, 0.25, 0.2, 0.1]))  # fmt: skip
    middle = (width / 2 * (1 - 2 * hollow), 0.25 * (1 - 2 * hollow))
    upper = _bezier((0, -0.5), (middle[0], -middle[1]), (middle[0], -middle[1]), (width, 0))
    return _mirrored(np.concatenate([upper, upper[::-1] * np.array([1, -1])]))


def _club(rng: np.random.Generator, stem: Curve, *, kept_out: bool) -> Pixels:
    radius = float(rng.uniform(0.23, 0.28))
    apart = float(rng.uniform(0.22, 0.3))
    high = float(rng.uniform(-0.34, -0.26))
    low = float(rng.uniform(0.06, 0.16))
    if kept_out:
        long = radius * float(rng.uniform(1.1, 1.3))
        lobes = [_ring((0, high), (radius * 0.9, long)),
                 _ring((apart, low), (long, radius * 0.9), 0.25),
                 _ring((-apart, low), (long, radius * 0.9), -0.25)]  # fmt: skip
    else:
        side = radius * float(rng.uniform(0.94, 1.04))
        lobes = [_ring((0, high), (radius, radius)), _ring((apart, low), (side, side)),
                 _ring((-apart, low), (side, side))]  # fmt: skip
    heart = float(rng.uniform(0.08, 0.2))
    middle = _mirrored(np.array([(heart, high * 0.6), (heart * 1.2, low), (0, low + 0.12)]))
    length = float(rng.uniform(0.42, 0.55)) - low + 0.05
    return _filled([*lobes, middle, stem * np.array([0.36, length]) + np.array([0, low - 0.02])])


def decorated(shape: Pixels, way: str) -> Pixels:
    """Give a large pip an ornament: a light line within, a light pip, or only its contour."""
    if way == "plain":
        return shape
    room = DRAWN_HEIGHT // 4
    wide = cv2.copyMakeBorder(shape, room, room, room, room, cv2.BORDER_CONSTANT, value=0)
    depth = cv2.distanceTransform((wide > 127).astype(np.uint8), cv2.DIST_L2, 3)
    line = DRAWN_HEIGHT * 0.03
    if way == "inline":
        taken = (depth > 2 * line) & (depth < 3 * line)
    elif way == "contour":
        taken = depth > 1.6 * line
    else:
        taken = depth > 3.6 * line
    return tight(np.where(taken, 0, wide).astype(np.uint8))
