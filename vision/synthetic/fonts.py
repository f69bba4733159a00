"""Which fonts of the machine can write the ranks of a deck, and which of them are kept out.

A font is suitable when it draws every character of the ranks, upright and so that each looks like
itself rather than like another: it is compared with the characters of our own pen.
"""

import json
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from vision.synthetic.deck_letters import Pen, pen_character
from vision.synthetic.deck_printing import Pixels, tight

CHARACTERS = "A2345678910JQK"
SUIT_SIGNS = {"S": "\u2660", "H": "\u2665", "D": "\u2666", "C": "\u2663"}
FONT_FOLDERS = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path.home() / ".local/share/fonts",
)
KEPT_OUT_ONE_IN = 6
_CHECKED = 64  # px: size at which a font is judged
_COMPARED = (24, 32)
_MOST_POINTED = 0.3  # of its width: how wide a spade may be at a tenth of its height
_CACHE_EDITION = 7
_SAME_DESIGN = {
    "Helvetica": ("FreeSans", "Liberation Sans", "Nimbus Sans", "Arimo", "TeX Gyre Heros",
                  "Sans Uralic", "Sans Condensed Uralic"),
    "Times": ("FreeSerif", "Liberation Serif", "Nimbus Roman", "Tinos", "TeX Gyre Termes",
              "Roman Uralic", "STIX"),
    "Courier": ("FreeMono", "Liberation Mono", "Nimbus Mono", "Cousine", "TeX Gyre Cursor",
                "Mono Uralic"),
    "Century": ("C059", "Schoolbook Uralic", "Century", "TeX Gyre Schola"),
    "Bookman": ("URW Bookman", "Bookman Uralic", "TeX Gyre Bonum"),
    "Gothic": ("URW Gothic", "Gothic Uralic", "TeX Gyre Adventor"),
    "Palatino": ("P052", "Palladio Uralic", "TeX Gyre Pagella"),
    "Modern": ("CMU", "Latin Modern"),
    "Noto Sans": ("Noto Sans", "Noto Traditional"),
    "OpenDyslexic": ("OpenDyslexic",),
    "Roboto": ("Roboto",),
}  # fmt: skip
"""Families that are copies of one design: kept out together or not at all."""


@dataclass(frozen=True, slots=True)
class CardFont:
    """A font file that can write ranks; `design` is the family that decides who may use it."""

    path: str
    face: int
    family: str
    design: str
    has_suits: bool

    @property
    def kept_out(self) -> bool:
        return is_kept_out(self.design)


def is_kept_out(design: str) -> bool:
    """Tell whether a design is only for decks that no model was trained with."""
    return zlib.crc32(f"pack {design.lower()}".encode()) % KEPT_OUT_ONE_IN == 0


@cache
def card_fonts(folders: tuple[Path, ...] = FONT_FOLDERS) -> tuple[CardFont, ...]:
    """Find the suitable fonts in these folders, in a fixed order; judged once for each machine."""
    files = sorted(
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix.lower() in {".ttf", ".otf"}
    )
    listing = "\n".join(f"{path} {path.stat().st_size}" for path in files)
    key = f"{_CACHE_EDITION}-{zlib.crc32(listing.encode()):08x}"
    kept = _cache_file(key)
    if kept.is_file():
        return tuple(CardFont(**row) for row in json.loads(kept.read_text("utf-8")))
    found = tuple(font for path in files if (font := _judged(path)) is not None)
    kept.parent.mkdir(parents=True, exist_ok=True)
    half = kept.with_suffix(f".{os.getpid()}")
    half.write_text(json.dumps([asdict(font) for font in found]), "utf-8")
    half.replace(kept)
    return found


def character(font: CardFont, sign: str, size: int, stroke: int = 0) -> Pixels:
    """Draw one character of a font, tight; size in pixels as the font counts it."""
    return _character(_opened(font.path, font.face, size), sign, stroke)


@cache
def _opened(path: str, face: int, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, size, index=face, layout_engine=ImageFont.Layout.BASIC)


def _character(font: ImageFont.FreeTypeFont, sign: str, stroke: int = 0) -> Pixels:
    left, top, right, bottom = font.getbbox(sign, stroke_width=stroke)
    size = (max(1, int(right - left) + 2), max(1, int(bottom - top) + 2))
    if max(size) > 40 * font.size:
        return np.zeros((1, 1), np.uint8)
    page = Image.new("L", size, 0)
    draw = ImageDraw.Draw(page)
    draw.text((1 - left, 1 - top), sign, fill=255, font=font, stroke_width=stroke)
    return tight(np.asarray(page, np.uint8), 32)


def _cache_file(key: str) -> Path:
    place = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(place) / "catwalk" / f"card_fonts-{key}.json"


def _judged(path: Path) -> CardFont | None:
    """Read a font file and say what it is if it can write ranks."""
    try:
        font = ImageFont.truetype(str(path), _CHECKED, layout_engine=ImageFont.Layout.BASIC)
        family, style = font.getname()
        if family is None or _unfit(family, f"{style} {path.stem}"):
            return None
        nothing = _character(font, "\U000f1234")
        for sign in CHARACTERS:
            shape = _character(font, sign)
            if not (_drawn(shape, nothing) and _looks_right(sign, shape)):
                return None
        suits = {suit: _character(font, sign) for suit, sign in SUIT_SIGNS.items()}
    except OSError:
        return None
    has_suits = all(_drawn(shape, nothing) for shape in suits.values()) and suits_look_right(suits)
    return CardFont(str(path), 0, family, _design(family), has_suits)


def _unfit(family: str, names: str) -> bool:
    """Slanted styles, families without a proper name, formula letters, and the BRK broken ones."""
    if not family[0].isalnum() or family.startswith("jsMath") or family.endswith("BRK"):
        return True
    return any(word in names.lower() for word in ("italic", "oblique", "slant"))


def _design(family: str) -> str:
    for design, copies in _SAME_DESIGN.items():
        if family.startswith(copies):
            return design
    words = family.split()
    makers = {"DejaVu", "GFS", "EB", "URW", "TeX", "IM", "Old", "Open", "League", "Noto"}
    return " ".join(words[:2] if words[0] in makers else words[:1])


def _drawn(shape: Pixels, nothing: Pixels) -> bool:
    height, width = shape.shape
    if height < _CHECKED // 4 or width < 3 or width > 3 * _CHECKED:
        return False
    return shape.shape != nothing.shape or not np.array_equal(shape, nothing)


def suits_look_right(shapes: Mapping[str, Pixels]) -> bool:
    """All four differ, and a spade ends in a point where a club has its round upper leaf.

    There are fonts in which the two have changed places.
    """
    pointed = _tip(shapes["S"]) < min(_MOST_POINTED, _tip(shapes["C"]))
    return pointed and _all_differ([*shapes.values()])


def _tip(shape: Pixels) -> float:
    """How wide a shape is at a tenth of its height, by its whole width."""
    return float(np.mean(shape[len(shape) // 10] > 127))


def _all_differ(shapes: Sequence[Pixels]) -> bool:
    vectors = [_compared(shape) for shape in shapes]
    return all(float(a @ b) < 0.985 for i, a in enumerate(vectors) for b in vectors[:i])


def _compared(shape: Pixels) -> NDArray[np.float32]:
    """Bring a character to a small blurred picture of zero mean and length 1."""
    small = cv2.resize(shape, _COMPARED, interpolation=cv2.INTER_AREA).astype(np.float32)
    vector = cv2.GaussianBlur(small, (0, 0), 1.6).ravel()
    vector = vector - vector.mean()
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-6), np.float32)


_PLAIN = Pen(
    upright=0.14, level=0.11, round_nib=False, squareness=2.2, width=0.62, serif=0.0,
    flat_three=False, open_four=False, straight_six=False, bent_seven=False, hooked_seven=False,
    barred_jack=False, flagged_one=True, footed_one=False, blunt_ace=False, joined_king=False,
    q_tail="slash",
)  # fmt: skip
_SLAB = Pen(
    upright=0.15, level=0.08, round_nib=False, squareness=2.0, width=0.66, serif=0.18,
    flat_three=False, open_four=False, straight_six=True, bent_seven=True, hooked_seven=True,
    barred_jack=True, flagged_one=True, footed_one=True, blunt_ace=False, joined_king=True,
    q_tail="inner",
)  # fmt: skip


@cache
def _examples() -> tuple[tuple[str, NDArray[np.float32]], ...]:
    pens = (_PLAIN, _SLAB)
    return tuple((sign, _compared(pen_character(pen, sign))) for pen in pens for sign in CHARACTERS)


def _looks_right(sign: str, shape: Pixels) -> bool:
    """A character (but the 1) is nearer to its own example than to any other, and near enough."""
    if sign == "1":
        return True
    if not 0.1 < float(shape.mean()) / 255 < 0.75:
        return False
    vector = _compared(shape)
    scores = [(float(vector @ example), name) for name, example in _examples()]
    own = max(score for score, name in scores if name == sign)
    other = max(score for score, name in scores if name not in (sign, "1"))
    return own >= 0.5 and own >= other - (0.05 if sign in "Q0" else 0.0)
