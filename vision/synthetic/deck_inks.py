"""Paper and inks of a deck, and what years of play do to them."""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.synthetic.deck_printing import Ink, Pixels, mixed


@dataclass(frozen=True, slots=True)
class Inks:
    """The colours of one deck."""

    paper: Ink
    suits: dict[str, Ink]
    ranks: dict[str, Ink]  # nearly always those of the suits
    lines: Ink  # frames and thin ornaments
    court: tuple[Ink, ...]  # what the courts are dressed in


@dataclass(frozen=True, slots=True)
class Wear:
    """How used a deck is, each from 0 to 1."""

    faded: float
    scratched: float
    dirty: float
    grain: float
    linen: bool


_HELD = (0.5 + 0.5 * np.maximum(np.abs(np.linspace(-1, 1, 6))[None, :],
                                np.abs(np.linspace(-1, 1, 8))[:, None]) ** 3
         ).astype(np.float32)[:, :, None]  # fmt: skip
"""Where fingers hold a card: more towards the rim."""
_CLOTHES: tuple[tuple[Ink, ...], ...] = (
    ((40, 40, 205), (40, 200, 245), (30, 25, 25), (150, 70, 30)),
    ((35, 35, 190), (60, 190, 235), (35, 30, 30), (245, 245, 245)),
    ((170, 70, 40), (40, 40, 200), (90, 200, 240), (20, 20, 20)),
    ((60, 120, 40), (40, 60, 190), (70, 190, 230), (120, 50, 30)),
    ((30, 30, 30), (120, 120, 120), (200, 200, 200), (40, 40, 200)),
    ((120, 40, 110), (50, 180, 220), (40, 40, 180), (60, 30, 30)),
)


FOUR_COLOURS_SHARE, ONE_COLOUR_SHARE = 0.13, 0.01
FOUR_COLOURS_LEARNT, ONE_COLOUR_LEARNT = 0.18, 0.03
"""How many decks are in four colours, or all in one; to learn from, rare ones come more often."""


def draw_inks(rng: np.random.Generator, *, kept_out: bool) -> Inks:
    """Draw the colours of a deck: mostly black and red on white, sometimes in four colours.

    No casino deals from black paper, nor cards whose hearts are green and whose spades are red, so
    there are none.
    """
    four = FOUR_COLOURS_SHARE if kept_out else FOUR_COLOURS_LEARNT
    one = ONE_COLOUR_SHARE if kept_out else ONE_COLOUR_LEARNT
    kind = rng.random()
    black, red = _black(rng), _red(rng)
    suits = {"S": black, "C": black, "H": red, "D": red}
    if kind < four:
        suits |= _four_colours(rng, red, black)
    elif kind < four + one:
        suits = dict.fromkeys("SHDC", black)
    paper = _paper(rng)
    if rng.random() < 0.06:
        suits = {suit: mixed(ink, paper, float(rng.uniform(0.2, 0.45)))
                 for suit, ink in suits.items()}  # fmt: skip
    clothes = list(_CLOTHES[int(rng.integers(len(_CLOTHES)))])
    rng.shuffle(clothes)
    court = tuple(_shaken(rng, ink, 25) for ink in clothes)
    lines = mixed(black, (150, 80, 40), float(rng.choice([0.0, 0.3, 0.9])))
    ranks = dict.fromkeys("SHDC", black) if rng.random() < 0.02 else suits
    return Inks(paper, suits, ranks, lines, court)


def draw_wear(rng: np.random.Generator) -> Wear:
    """Draw how used a deck is; most are nearly new."""
    used = float(rng.choice([0.0, 0.25, 0.6, 1.0], p=[0.35, 0.35, 0.2, 0.1]))
    faded, scratched, dirty = (float(used * rng.uniform(0, 1)) for _ in range(3))
    return Wear(faded, scratched, dirty, float(rng.uniform(0, 1)), bool(rng.random() < 0.25))


def blank_paper(inks: Inks, wear: Wear, size: tuple[int, int], rng: np.random.Generator) -> Pixels:
    """Make a sheet of the deck's paper, (width, height) in pixels."""
    width, height = size
    rough = np.float32(0.3 + 1.6 * wear.grain)
    grain = rng.standard_normal((height, width, 1), np.float32) * rough
    if wear.linen:
        rows, columns = np.mgrid[0:height, 0:width]
        weave = np.sin(rows * 2.1) + np.sin(columns * 2.1)
        grain += (weave * float(rng.uniform(0.8, 2.5)))[:, :, None].astype(np.float32)
    sheet = np.array(inks.paper, np.float32) + grain
    return np.clip(sheet, 0, 255).astype(np.uint8)


def worn(picture: Pixels, inks: Inks, wear: Wear, rng: np.random.Generator) -> Pixels:
    """Give one card its share of the deck's wear.

    What faded and what is soiled is laid out on a coarse grid, as one factor and one term for each
    colour, and drawn out to the size of the card.
    """
    if max(wear.faded, wear.dirty, wear.scratched) < 0.05:
        return picture
    height, width = picture.shape[:2]
    lost = rng.random((8, 6, 1), np.float32) ** 2 * np.float32(0.5 * wear.faded)
    dirt = rng.random((8, 6, 1), np.float32) ** 2 * np.float32(0.35 * wear.dirty) * _HELD
    clean = 1 - dirt * np.array([0.55, 0.49, 0.45], np.float32)
    kept = cv2.resize((1 - lost) * clean, (width, height), interpolation=cv2.INTER_LINEAR)
    bare = lost * np.array(inks.paper, np.float32) * clean
    added = cv2.resize(bare, (width, height), interpolation=cv2.INTER_LINEAR)
    printed = cv2.multiply(picture, kept, dtype=cv2.CV_32F)
    soiled = np.asarray(cv2.add(printed, added, dtype=cv2.CV_8U), np.uint8)
    if wear.scratched > 0.05:
        _scratch(soiled, inks, wear, rng)
    return soiled


def _scratch(picture: Pixels, inks: Inks, wear: Wear, rng: np.random.Generator) -> None:
    height, width = picture.shape[:2]
    over = picture.copy()
    for _ in range(int(rng.integers(0, 1 + int(14 * wear.scratched)))):
        x, y = int(rng.integers(width)), int(rng.integers(height))
        along, down = (int(step) for step in rng.normal(0, 18, 2))
        tone = mixed(inks.paper, (128, 128, 128), float(rng.uniform(0, 0.5)))
        cv2.line(over, (x, y), (x + along, y + down), tone, 1, cv2.LINE_AA)
    for x, y in ((0, 0), (width, 0), (0, height), (width, height)):
        if rng.random() < 0.5 * wear.scratched:
            reach = int(rng.integers(4, 14))
            corner = (abs(x - reach), abs(y - int(rng.integers(4, 14))))
            cv2.line(over, (corner[0], y), (x, corner[1]), (120, 125, 125), 1, cv2.LINE_AA)
    cv2.addWeighted(over, 0.6, picture, 0.4, 0, dst=picture)


def _black(rng: np.random.Generator) -> Ink:
    level = int(rng.integers(5, 55))
    blue = int(rng.integers(0, 25)) if rng.random() < 0.3 else 0
    return min(255, level + blue), level, max(0, level - blue // 3)


def _red(rng: np.random.Generator) -> Ink:
    kind = rng.random()
    if kind < 0.6:
        return int(rng.integers(20, 60)), int(rng.integers(15, 55)), int(rng.integers(185, 240))
    if kind < 0.8:  # orange
        return int(rng.integers(20, 60)), int(rng.integers(55, 100)), int(rng.integers(215, 250))
    return int(rng.integers(35, 85)), int(rng.integers(5, 40)), int(rng.integers(140, 200))


def _four_colours(rng: np.random.Generator, red: Ink, black: Ink) -> dict[str, Ink]:
    blue = (int(rng.integers(140, 230)), int(rng.integers(50, 120)), int(rng.integers(10, 50)))
    green = (int(rng.integers(20, 70)), int(rng.integers(100, 160)), int(rng.integers(10, 60)))
    orange = (int(rng.integers(0, 40)), int(rng.integers(110, 160)), int(rng.integers(215, 250)))
    kind = rng.random()
    if kind < 0.7:
        return {"D": blue, "C": green, "H": red, "S": black}
    if kind < 0.8:
        return {"D": orange, "C": green, "H": red, "S": black}
    return {"D": orange, "C": green, "H": red, "S": blue}


def _paper(rng: np.random.Generator) -> Ink:
    kind = rng.random()
    level = int(rng.integers(238, 256))
    if kind < 0.6:
        return level, level, level
    if kind < 0.85:  # cream
        return level - int(rng.integers(8, 40)), level - int(rng.integers(2, 12)), level
    if kind < 0.95:
        grey = int(rng.integers(205, 238))
        return grey, grey, grey
    return _shaken(rng, (225, 225, 225), 30)


def _shaken(rng: np.random.Generator, ink: Ink, by: int) -> Ink:
    blue, green, red = (int(np.clip(tone + rng.integers(-by, by + 1), 0, 255)) for tone in ink)
    return blue, green, red
