"""Letters and figures drawn with a pen of our own, in the manner of card indexes.

Each character is a skeleton of lines and arcs in a box of width and height 1 (y grows downwards),
gone over with a nib that is wider than high, so that uprights are thick and level strokes thin.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.synthetic.deck_printing import Pixels, tight

DRAWN_HEIGHT = 128
"""Characters are drawn this tall and shrunk when a deck is laid out."""
Q_TAILS = ("slash", "inner", "wave", "flat", "drop", "loop")
Stroke = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pen:
    """How one deck forms its characters."""

    upright: float  # width of upright strokes, of the height
    level: float  # height of level strokes, of the height
    round_nib: bool
    squareness: float  # 2 is an ellipse, 3 nearly a rounded box
    width: float  # of a character, of its height
    serif: float  # half the length of the feet, of the width; 0 for none
    flat_three: bool
    open_four: bool
    straight_six: bool
    bent_seven: bool
    hooked_seven: bool
    barred_jack: bool
    flagged_one: bool
    footed_one: bool
    blunt_ace: bool
    joined_king: bool
    q_tail: str


def draw_pen(rng: np.random.Generator, *, kept_out: bool) -> Pen:
    """Draw how a deck forms its characters; the kept out pens have tails of Q of their own."""
    upright = float(rng.uniform(0.09, 0.21))
    thin = rng.random() < 0.55
    level = upright * float(rng.uniform(0.4, 0.8) if thin else rng.uniform(0.8, 1.05))
    tails = Q_TAILS[4:] if kept_out else Q_TAILS[:4]
    odds = rng.random(10)
    return Pen(
        upright=upright,
        level=max(0.05, level),
        round_nib=bool(odds[9] < 0.35),
        squareness=float(rng.uniform(2.0, 2.5) if odds[8] < 0.6 else rng.uniform(2.5, 3.6)),
        width=float(rng.uniform(0.42, 0.78)),
        serif=float(rng.uniform(0.14, 0.26)) if rng.random() < 0.55 else 0.0,
        flat_three=bool(odds[0] < 0.3),
        open_four=bool(odds[1] < 0.12),
        straight_six=bool(odds[2] < 0.3),
        bent_seven=bool(odds[3] < 0.5),
        hooked_seven=bool(odds[4] < 0.3),
        barred_jack=bool(odds[5] < 0.5),
        flagged_one=bool(odds[6] < 0.6),
        footed_one=bool(odds[7] < 0.3),
        blunt_ace=bool(rng.random() < 0.4),
        joined_king=bool(rng.random() < 0.4),
        q_tail=str(rng.choice(tails)),
    )


def pen_character(pen: Pen, character: str) -> Pixels:
    """Draw one character, tight, about `DRAWN_HEIGHT` tall."""
    wide = 0.55 if character == "1" else 1.0
    width = DRAWN_HEIGHT * pen.width * wide
    nib_x = max(3, round(pen.upright * DRAWN_HEIGHT * (0.75 + 0.4 * pen.width)))
    nib_y = max(3, round(pen.level * DRAWN_HEIGHT))
    margin = nib_x + nib_y + 30
    shape = np.zeros((DRAWN_HEIGHT + 2 * margin, int(width) + 2 * margin), np.uint8)
    inner = np.array([max(4.0, width - nib_x), DRAWN_HEIGHT - nib_y])
    for stroke in _skeleton(pen, character):
        points = stroke * inner + np.array([margin + nib_x / 2, margin + nib_y / 2])
        spots = np.round(points * 8).astype(np.int32)
        cv2.polylines(shape, [spots], isClosed=False, color=255, thickness=2, shift=3)
    kind = cv2.MORPH_ELLIPSE if pen.round_nib else cv2.MORPH_RECT
    nib = cv2.getStructuringElement(kind, (nib_x, nib_y))
    drawn = cv2.dilate(shape, nib)
    return tight(np.asarray(drawn, np.uint8))


def _line(*points: tuple[float, float]) -> Stroke:
    return np.array(points, np.float64)


def _arc(
    centre: tuple[float, float],
    radius: tuple[float, float],
    start: float,
    stop: float,
    power: float = 2.0,
) -> Stroke:
    """Points of a superellipse from one angle to another, clockwise from the right, in degrees."""
    angle = np.radians(np.linspace(start, stop, 40))
    cosine, sine = np.cos(angle), np.sin(angle)
    x = np.sign(cosine) * np.abs(cosine) ** (2 / power)
    y = np.sign(sine) * np.abs(sine) ** (2 / power)
    return np.stack([centre[0] + radius[0] * x, centre[1] + radius[1] * y], axis=1)


def _bent(start: tuple[float, float], pull: tuple[float, float],
          stop: tuple[float, float]) -> Stroke:  # fmt: skip
    """A curve from start to stop that leans towards pull."""
    at = np.linspace(0, 1, 24)[:, None]
    a, b, c = np.array(start), np.array(pull), np.array(stop)
    return np.asarray((1 - at) ** 2 * a + 2 * at * (1 - at) * b + at**2 * c)


def _feet(pen: Pen, *places: tuple[float, float]) -> list[Stroke]:
    if pen.serif == 0:
        return []
    return [_line((x - pen.serif, y), (x + pen.serif, y)) for x, y in places]


def _skeleton(pen: Pen, character: str) -> Sequence[Stroke]:
    letters = {"A": _ace, "J": _jack, "Q": _queen, "K": _king}
    if character in letters:
        return letters[character](pen)
    return _figure(pen, character)


def _ace(pen: Pen) -> list[Stroke]:
    half = 0.1 if pen.blunt_ace else 0.0
    legs = [_line((0.04, 1), (0.5 - half, 0)), _line((0.5 + half, 0), (0.96, 1))]
    top = [_line((0.5 - half, 0), (0.5 + half, 0))] if half else []
    return [*legs, *top, _line((0.2, 0.66), (0.8, 0.66)), *_feet(pen, (0.04, 1), (0.96, 1))]


def _jack(pen: Pen) -> list[Stroke]:
    stem = 0.72
    hook = _arc((0.36, 0.72), (0.36, 0.28), 0, 165, pen.squareness)
    strokes = [_line((stem, 0), (stem, 0.72)), hook]
    if pen.barred_jack or pen.serif:
        strokes.append(_line((stem - 0.35, 0), (stem + 0.28, 0)))
    return strokes


def _king(pen: Pen) -> list[Stroke]:
    strokes = [_line((0.1, 0), (0.1, 1))]
    if pen.joined_king:
        strokes += [_line((0.92, 0), (0.16, 0.5)), _line((0.16, 0.5), (0.95, 1))]
    else:
        strokes += [_line((0.92, 0), (0.1, 0.62)), _line((0.38, 0.42), (0.95, 1))]
    return strokes + _feet(pen, (0.1, 0), (0.92, 0), (0.1, 1), (0.94, 1))


def _queen(pen: Pen) -> list[Stroke]:
    oval = _arc((0.5, 0.5), (0.5, 0.5), 0, 360, pen.squareness)
    return [oval, *tail_of_queen(pen.q_tail)]


def tail_of_queen(tail: str) -> list[Stroke]:
    """Give the stroke that tells a Q from a nought."""
    if tail == "slash":
        return [_line((0.58, 0.72), (1.02, 1.08))]
    if tail == "inner":
        return [_line((0.5, 0.66), (0.98, 1.0))]
    if tail == "wave":
        return [np.concatenate([_bent((0.16, 0.92), (0.34, 0.62), (0.56, 0.86)),
                                _bent((0.56, 0.86), (0.74, 1.06), (1.06, 0.96))])]  # fmt: skip
    if tail == "flat":
        return [_line((0.4, 1.0), (1.1, 1.0)), _line((0.5, 0.74), (0.7, 1.0))]
    if tail == "drop":
        return [_line((0.5, 0.8), (0.56, 1.12)), _bent((0.56, 1.12), (0.7, 1.2), (0.95, 1.12))]
    return [_arc((0.36, 0.84), (0.2, 0.1), 90, 360), _bent((0.56, 0.84), (0.7, 1.1), (1.05, 1.02))]


def _figure(pen: Pen, character: str) -> list[Stroke]:
    power = pen.squareness
    if character in "0O":
        return [_arc((0.5, 0.5), (0.5, 0.5), 0, 360, power)]
    if character == "1":
        flag = [_bent((0.5, 0), (0.4, 0.18), (0.0, 0.22))] if pen.flagged_one else []
        foot = [_line((0.0, 1), (1.0, 1))] if pen.footed_one else []
        return [_line((0.5, 0), (0.5, 1)), *flag, *foot]
    if character == "2":
        bow = _arc((0.5, 0.29), (0.48, 0.29), 185, 385, power)
        neck = _bent((float(bow[-1, 0]), float(bow[-1, 1])), (0.8, 0.6), (0.02, 1))
        return [bow, neck, _line((0.02, 1), (1, 1))]
    if character == "3":
        return _three(pen)
    if character == "4":
        if pen.open_four:
            return [_line((0.36, 0), (0, 0.68), (1, 0.68)), _line((0.74, 0.34), (0.74, 1))]
        return [_line((0.74, 1), (0.74, 0), (0, 0.7), (1, 0.7)), *_feet(pen, (0.74, 1))]
    if character == "5":
        belly = _arc((0.48, 0.67), (0.5, 0.33), 215, 512, power)
        return [_line((0.92, 0), (0.14, 0), (0.07, 0.48)), belly]
    if character == "7":
        side = [_line((0.0, 0), (0.0, 0.16))] if pen.hooked_seven else []
        leg = _bent((1, 0), (0.4, 0.5), (0.34, 1)) if pen.bent_seven else _line((1, 0), (0.3, 1))
        return [_line((0, 0), (1, 0)), leg, *side]
    if character == "8":
        return [_arc((0.5, 0.24), (0.42, 0.24), 0, 360, power),
                _arc((0.5, 0.74), (0.5, 0.26), 0, 360, power)]  # fmt: skip
    six = _six(pen)
    return six if character == "6" else [1 - stroke for stroke in six]


def _three(pen: Pen) -> list[Stroke]:
    power = pen.squareness
    if pen.flat_three:
        return [_line((0.04, 0), (0.94, 0), (0.42, 0.4)),
                _arc((0.44, 0.7), (0.54, 0.3), -90, 150, power)]  # fmt: skip
    return [_arc((0.48, 0.25), (0.44, 0.25), 195, 450, power),
            _arc((0.48, 0.75), (0.5, 0.25), -90, 165, power),
            _line((0.34, 0.5), (0.5, 0.5))]  # fmt: skip


def _six(pen: Pen) -> list[Stroke]:
    power = pen.squareness
    bowl = _arc((0.5, 0.69), (0.5, 0.31), 0, 360, power)
    if pen.straight_six:
        return [bowl, _bent((0.74, 0), (0.12, 0.3), (0.0, 0.69))]
    return [bowl, _arc((0.5, 0.5), (0.5, 0.5), 180, 325, power), _line((0, 0.5), (0, 0.7))]
