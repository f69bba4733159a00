"""The backs of cards: patterns in one or two colours, with a white border or to the edge."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.synthetic.deck_printing import Ink, Pixels, mixed, upside_down

KINDS = ("lattice", "diamonds", "dots", "swirls", "stripes", "checks", "text", "plain", "rings")
KEPT_OUT_KINDS = ("waves", "stars", "scales")
_INKS: tuple[Ink, ...] = (
    (40, 35, 185), (150, 60, 25), (60, 110, 20), (30, 30, 30), (120, 40, 90), (30, 60, 110),
    (110, 110, 30), (70, 70, 75), (30, 120, 215), (60, 20, 120),
)  # fmt: skip
_NAMES = ("CASINO", "ROYAL", "CLUB", "GRAND", "PALACE", "21", "LUCKY", "NO 92", "POKER", "STAR")


def draw_back(
    size: tuple[int, int], paper: Ink, rng: np.random.Generator, *, kept_out: bool
) -> Pixels:
    """Draw a back, (width, height) in pixels; it is the same either way up, as backs are."""
    width, height = size
    strong = _INKS[int(rng.integers(len(_INKS)))]
    weak = paper if rng.random() < 0.75 else mixed(strong, (255, 255, 255), 0.5)
    back = np.empty((height, width, 3), np.uint8)
    back[:] = weak
    border = int(rng.choice([0, int(rng.integers(8, 26))], p=[0.3, 0.7]))
    kinds = KEPT_OUT_KINDS if kept_out else KINDS
    kind = str(rng.choice(kinds))
    inner = back[border : height - border, border : width - border]
    half = _pattern(kind, inner.shape[1], inner.shape[0], rng)
    inner[half] = strong
    if kind == "text":
        _text(inner, strong, weak, rng)
    if rng.random() < 0.45:
        _emblem(inner, strong, weak, rng)
    inner[inner.shape[0] // 2 :] = upside_down(inner[: inner.shape[0] - inner.shape[0] // 2])
    if border:
        back[:border] = back[-border:] = paper
        back[:, :border] = back[:, -border:] = paper
        if rng.random() < 0.5:
            far = (width - border - 1, height - border - 1)
            cv2.rectangle(back, (border, border), far, strong, int(rng.integers(1, 4)))
    return back


def _pattern(kind: str, width: int, height: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Where the strong ink goes."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    x, y = np.abs(x - width / 2), np.abs(y - height / 2)
    step = float(rng.uniform(8, 30))
    share = float(rng.uniform(0.25, 0.7))
    if kind == "lattice":
        chosen = (((x + y) % step) < step * share * 0.6) | (((x - y) % step) < step * share * 0.6)
    elif kind == "diamonds":
        chosen = np.abs(x % step - step / 2) + np.abs(y % step - step / 2) < step * share * 0.7
    elif kind == "dots":
        chosen = (x % step - step / 2) ** 2 + (y % step - step / 2) ** 2 < (step * share * 0.6) ** 2
    elif kind == "swirls":
        turn = np.arctan2(y - height / 4, x - width / 4) * int(rng.integers(2, 6))
        reach = np.hypot(x - width / 4, y - height / 4)
        chosen = np.sin(turn + reach / step * 5) > share - 0.5
    elif kind == "stripes":
        chosen = ((x + y * float(rng.uniform(0, 1.2))) % step) < step * share
    elif kind == "checks":
        chosen = ((x // step + y // step) % 2) == 0
    elif kind == "rings":
        chosen = (np.hypot(x, y * float(rng.uniform(0.6, 1.0))) % step) < step * share
    elif kind == "waves":
        chosen = ((y + step * 0.4 * np.sin(x / step * 2)) % step) < step * share
    elif kind == "stars":
        turn = np.arctan2(y % step - step / 2, x % step - step / 2)
        reach = np.hypot(x % step - step / 2, y % step - step / 2)
        chosen = reach < step * (0.28 + 0.16 * np.cos(5 * turn))
    elif kind == "scales":
        row = np.floor(y / step * 2)
        near = (x + (row % 2) * step / 2) % step - step / 2
        chosen = np.hypot(near, y - row * step / 2) % (step * 0.35) < step * 0.35 * share
    else:
        chosen = np.ones((height, width), bool)
    return np.asarray(chosen, bool)


def _emblem(inner: Pixels, strong: Ink, weak: Ink, rng: np.random.Generator) -> None:
    height, width = inner.shape[:2]
    centre = (width // 2, height // 2)
    reach = int(width * float(rng.uniform(0.15, 0.34)))
    tall = int(reach * float(rng.uniform(0.9, 1.6)))
    cv2.ellipse(inner, centre, (reach, tall), 0, 0, 360, weak, -1, cv2.LINE_AA)
    cv2.ellipse(inner, centre, (reach - 4, tall - 4), 0, 0, 360, strong, 2, cv2.LINE_AA)
    name = _NAMES[int(rng.integers(len(_NAMES)))]
    size = 0.055 * reach / max(1, len(name)) + 0.25
    (wide, _), _ = cv2.getTextSize(name, cv2.FONT_HERSHEY_DUPLEX, size, 1)
    place = (centre[0] - wide // 2, centre[1] - tall // 3)
    cv2.putText(inner, name, place, cv2.FONT_HERSHEY_DUPLEX, size, strong, 1, cv2.LINE_AA)


def _text(inner: Pixels, strong: Ink, weak: Ink, rng: np.random.Generator) -> None:
    name = _NAMES[int(rng.integers(len(_NAMES)))]
    size = float(rng.uniform(0.4, 1.0))
    (wide, tall), _ = cv2.getTextSize(name, cv2.FONT_HERSHEY_TRIPLEX, size, 1)
    for row, y in enumerate(range(tall, inner.shape[0] + tall, tall * 2)):
        for x in range(-(row % 2) * wide // 2, inner.shape[1], wide + 8):
            cv2.putText(inner, name, (x, y), cv2.FONT_HERSHEY_TRIPLEX, size, weak, 1, cv2.LINE_AA)
