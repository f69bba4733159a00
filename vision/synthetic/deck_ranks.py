"""How a deck writes its ranks: a font or a pen, drawn out, thickened, slanted, with its own ten."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.synthetic.deck_letters import (
    DRAWN_HEIGHT,
    Q_TAILS,
    Pen,
    draw_pen,
    pen_character,
    tail_of_queen,
)
from vision.synthetic.deck_printing import Pixels, resized, tight
from vision.synthetic.fonts import CardFont, character

PEN_SHARE = 0.35
"""How many decks write with a pen of ours instead of a font."""
NARROWEST, WIDEST = 0.36, 0.92
"""Width of an ordinary rank, of its height."""


@dataclass(frozen=True, slots=True)
class Lettering:
    """One deck's way to write ranks."""

    font: CardFont | None
    pen: Pen
    bold: int  # px round a character of `DRAWN_HEIGHT`
    width: float  # factor on the width
    slant: float  # px to the right for a px upwards
    ten_width: float  # of the width of the other ranks
    ten_gap: float  # between the figures of the ten, of the height; below 0 they run together
    ten_oh: bool  # the nought of the ten is a letter O
    q_tail: str | None  # a tail of our own on the font's O
    even: bool  # all ranks are brought to one width


def draw_lettering(
    rng: np.random.Generator, fonts: Sequence[CardFont], *, kept_out: bool
) -> Lettering:
    """Draw a way to write ranks; a deck that is kept out takes only fonts that are, and reverse."""
    pen = draw_pen(rng, kept_out=kept_out)
    usable = [font for font in fonts if font.kept_out == kept_out]
    designs = sorted({font.design for font in usable})
    font = None
    if designs and rng.random() >= PEN_SHARE:
        design = designs[int(rng.integers(len(designs)))]
        cuts = [font for font in usable if font.design == design]
        font = cuts[int(rng.integers(len(cuts)))]
    tails = Q_TAILS[4:] if kept_out else Q_TAILS[:4]
    return Lettering(
        font=font,
        pen=pen,
        bold=int(rng.choice([0, 0, 0, 1, 2, 3, 4])),
        width=float(np.exp(rng.uniform(np.log(0.68), np.log(1.25)))),
        slant=float(rng.uniform(-0.05, 0.12)) if rng.random() < 0.15 else 0.0,
        ten_width=float(rng.uniform(0.95, 1.7)),
        ten_gap=float(
            rng.choice([rng.uniform(0.03, 0.14), rng.uniform(0.0, 0.04), -0.02], p=[0.6, 0.3, 0.1])
        ),
        ten_oh=bool(rng.random() < 0.2),
        q_tail=str(rng.choice(tails)) if rng.random() < 0.2 else None,
        even=bool(rng.random() < 0.25),
    )


def write_ranks(lettering: Lettering, height: int) -> dict[str, Pixels]:
    """Draw all thirteen ranks, each tight and `height` pixels tall (a Q with its tail may hang)."""
    lettering = _readable(lettering)
    signs = {sign: _sign(lettering, sign) for sign in "A23456789JK"}
    ratios = sorted(shape.shape[1] / shape.shape[0] for shape in signs.values())
    usual = ratios[len(ratios) // 2]
    wanted = min(max(usual * lettering.width, NARROWEST), WIDEST)
    stretch = wanted / usual
    ranks = {sign: _fitted(lettering, shape, height, stretch, wanted)
             for sign, shape in signs.items()}  # fmt: skip
    queen, body = _queen(lettering)
    tall = round(height * min(queen.shape[0] / body, 1.25))
    ranks["Q"] = _fitted(lettering, queen, tall, stretch * height / tall, wanted * height / tall)
    ranks["T"] = _ten(lettering, height, wanted, stretch)
    return ranks


def _readable(lettering: Lettering) -> Lettering:
    """Thicken a font whose lines would vanish at the size of an index."""
    if lettering.font is None:
        return lettering
    plain = replace(lettering, bold=0, slant=0.0)
    inked = float(np.mean([_sign(plain, sign).mean() for sign in "38K"])) / 255
    least = 0 if inked > 0.33 else 1 if inked > 0.27 else 3 if inked > 0.2 else 5
    most = 4 if inked < 0.42 else 1
    return replace(lettering, bold=min(max(lettering.bold, least), most + 1))


def _sign(lettering: Lettering, sign: str) -> Pixels:
    if lettering.font is None:
        shape = pen_character(lettering.pen, sign)
    else:
        shape = character(lettering.font, sign, DRAWN_HEIGHT * 4 // 3)
        if lettering.bold:
            side = 2 * lettering.bold + 1
            nib = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
            room = cv2.copyMakeBorder(shape, side, side, side, side, cv2.BORDER_CONSTANT, value=0)
            shape = tight(np.asarray(cv2.dilate(room, nib), np.uint8))
    return _slanted(shape, lettering.slant)


def _slanted(shape: Pixels, slant: float) -> Pixels:
    if slant == 0:
        return shape
    height, width = shape.shape
    extra = int(abs(slant) * height) + 2
    turn = np.array([[1, -slant, slant * height if slant > 0 else 0], [0, 1, 0]], np.float64)
    return tight(np.asarray(cv2.warpAffine(shape, turn, (width + extra, height)), np.uint8), 32)


def _fitted(
    lettering: Lettering, shape: Pixels, height: int, stretch: float, wanted: float
) -> Pixels:
    ratio = shape.shape[1] / shape.shape[0] * stretch
    if lettering.even:
        ratio = wanted + 0.25 * (ratio - wanted)
    ratio = min(ratio, 1.45 * wanted)
    return resized(shape, ratio * height, height)


def _queen(lettering: Lettering) -> tuple[Pixels, int]:
    """Draw the Q and say how tall its body is without what hangs below."""
    queen = _sign(lettering, "Q")
    if lettering.font is None:
        return queen, min(DRAWN_HEIGHT, queen.shape[0])
    body = _sign(lettering, "O")
    if lettering.q_tail is None:
        return queen, min(body.shape[0], queen.shape[0])
    height, width = body.shape
    room = height // 4
    shape = cv2.copyMakeBorder(body, 0, room, room, room, cv2.BORDER_CONSTANT, value=0)
    thick = max(8, height // 10)
    for stroke in tail_of_queen(lettering.q_tail):
        points = stroke * np.array([width - thick, height - thick]) + room * np.array([1, 0])
        spots = np.round(points + thick / 2).astype(np.int32)
        cv2.polylines(shape, [spots], isClosed=False, color=255, thickness=thick)
    return tight(np.asarray(shape, np.uint8), 32), height


def _ten(lettering: Lettering, height: int, wanted: float, stretch: float) -> Pixels:
    one, nought = _sign(lettering, "1"), _sign(lettering, "0")
    high, wide = nought.shape
    struck = nought[high * 2 // 5 : high * 3 // 5, wide * 2 // 5 : wide * 3 // 5].mean() > 90
    if lettering.ten_oh or struck:  # cards have no noughts with a dot or a stroke
        nought = _sign(lettering, "O")
    drawn = DRAWN_HEIGHT
    one = resized(one, one.shape[1] / one.shape[0] * drawn, drawn)
    nought = resized(nought, nought.shape[1] / nought.shape[0] * drawn, drawn)
    gap = round(lettering.ten_gap * drawn)
    whole = np.zeros((drawn, one.shape[1] + nought.shape[1] + gap), np.uint8)
    whole[:, : one.shape[1]] = one
    start = one.shape[1] + gap
    np.maximum(whole[:, start:], nought, out=whole[:, start:])
    natural = whole.shape[1] / drawn * stretch
    ratio = min(natural, wanted * lettering.ten_width)
    return resized(whole, max(ratio, 0.5) * height, height)
