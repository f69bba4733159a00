"""Decks of cards drawn from a seed: faces with exact index boxes, a back and an outline.

No two decks look alike: lettering, pips, sizes, colours, courts, paper and wear are all drawn. The
family spans household and casino decks, so that a reader trained on it reads a stranger's deck.
"""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards import CARDS
from vision.synthetic.backs import draw_back
from vision.synthetic.courts import CourtCard, CourtPlan, draw_court, draw_court_plan
from vision.synthetic.deck_inks import Inks, Wear, blank_paper, draw_inks, draw_wear, worn
from vision.synthetic.deck_layouts import (
    Index,
    IndexPlan,
    PipPlan,
    column_width,
    draw_index_plan,
    draw_pip_plan,
    print_indexes,
    print_pips,
    set_index,
)
from vision.synthetic.deck_panels import print_large_rank, print_photo, print_words
from vision.synthetic.deck_printing import Pixels, mixed, resized
from vision.synthetic.deck_ranks import Lettering, draw_lettering, write_ranks
from vision.synthetic.fonts import FONT_FOLDERS, card_fonts
from vision.synthetic.suits import Pips, decorated, draw_pips

FACE_PX_PER_MM = 4
"""Faces are drawn flat at this scale."""
_LARGE_RANK = 160
_WIDEST_COLUMN_MM = 17.0
MIDDLES = ("pips", "bare", "souvenir", "large rank", "panel")
ORNAMENTS = ("plain", "inline", "contour", "hollow")
FULL_BLEED_SHARE, FULL_BLEED_LEARNT = 0.04, 0.12
"""How many decks have court pictures that run to the edges; to learn from, they come more often."""
_SIZES_MM = ((63.0, 88.0), (57.0, 89.0), (58.0, 88.0), (62.0, 88.0))


@dataclass(frozen=True, slots=True)
class Face:
    """A card seen from the front.

    Each index is (4, 2): the corners of the tight box round rank and suit, in pixels, from the
    index's own upper left clockwise. An index that is printed upside down starts lower right.
    """

    image: NDArray[np.uint8]
    indexes: tuple[NDArray[np.float32], ...]


@dataclass(frozen=True, slots=True)
class DeckPlan:
    """All that tells one deck from another."""

    width_mm: float
    height_mm: float
    corner_mm: float
    lettering: Lettering
    pips: Pips
    inks: Inks
    wear: Wear
    index: IndexPlan
    pip_plan: PipPlan
    courts: CourtPlan
    middle: str  # one of MIDDLES
    court_top: float  # of the height, from the edge of the card to the court's picture
    full_bleed: bool  # court pictures run to the edges of the card
    border: int  # px from the edge to a line round the face; 0 for none
    ornament: str  # of the large pip of an ace, one of ORNAMENTS
    pip_ornament: str
    ace_ring: bool
    ace_words: bool


class Deck:
    """The cards of one deck; a face is drawn when first asked for, and remembered."""

    def __init__(self, seed: int, plan: DeckPlan, *, kept_out: bool) -> None:
        """Lay out what all the faces share."""
        self.seed = seed
        self.plan = plan
        self._kept_out = kept_out
        self.width_mm = plan.width_mm
        self.height_mm = plan.height_mm
        self.corner_mm = plan.corner_mm
        self._faces: dict[str, Face] = {}
        self._large_ranks: dict[str, Pixels] = {}
        width, height = (round(side * FACE_PX_PER_MM) for side in (plan.width_mm, plan.height_mm))
        rng = np.random.default_rng([seed, kept_out, 1])
        self._paper = blank_paper(plan.inks, plan.wear, (width, height), rng)
        self.back: Pixels = draw_back((width, height), plan.inks.paper, rng, kept_out=kept_out)
        self.shape: Pixels = _outline(width, height, plan.corner_mm * FACE_PX_PER_MM)
        self._ranks = write_ranks(plan.lettering, plan.index.rank_height)
        self._suits = {
            suit: _index_suit(shape, plan.index) for suit, shape in plan.pips.shapes.items()
        }
        self._column = column_width(self._ranks, self._suits)
        most = round(_WIDEST_COLUMN_MM * FACE_PX_PER_MM)
        if self._column > most:
            squeeze = most / self._column
            self._ranks = {name: _narrowed(shape, squeeze) for name, shape in self._ranks.items()}
            self._suits = {name: _narrowed(shape, squeeze) for name, shape in self._suits.items()}
            self._column = most
        self._clear_from_edge = plan.index.left + round(self._column * (1 + plan.index.aside))

    def face(self, card: str) -> Face:
        """Give the face of a card such as "TD", the ten of diamonds."""
        if card not in self._faces:
            self._faces[card] = self._drawn(card)
        return self._faces[card]

    def _drawn(self, card: str) -> Face:
        plan = self.plan
        rank, suit = card[0], card[1]
        ink = plan.inks.suits[suit]
        rng = np.random.default_rng([self.seed, self._kept_out, 2, CARDS.index(card)])
        picture = self._paper.copy()
        index = set_index(plan.index, self._ranks[rank], self._suits[suit], self._column)
        if plan.middle == "souvenir":
            print_photo(self._inside(picture), rng)
        elif plan.middle == "panel":
            self._inside(picture)[:] = mixed(plan.inks.paper, plan.inks.court[0], 0.15)
        if rank in "JQK" and plan.middle in {"pips", "panel", "large rank"}:
            self._court(picture, card, index, rng)
        elif plan.middle in {"pips", "panel"}:
            self._pips(picture, card, rng)
        elif plan.middle == "large rank":
            print_large_rank(picture, self._large_rank(rank), ink, plan.inks.paper, 0.5)
        if plan.border:
            far = (picture.shape[1] - 1 - plan.border, picture.shape[0] - 1 - plan.border)
            cv2.rectangle(picture, (plan.border, plan.border), far, plan.inks.lines, 1)
        self._clear(picture, index)
        boxes = print_indexes(picture, index, (plan.inks.ranks[suit], ink), plan.index.corners)
        return Face(worn(picture, plan.inks, plan.wear, rng), boxes)

    def _inside(self, picture: Pixels) -> Pixels:
        """The part of a face right of the index column, as far from every edge."""
        height, width = picture.shape[:2]
        side = min(self._clear_from_edge + 4, round(0.3 * width))
        top = round(self.plan.court_top * height)
        return picture[top : height - top, side : width - side]

    def _large_rank(self, rank: str) -> Pixels:
        if not self._large_ranks:
            self._large_ranks = write_ranks(self.plan.lettering, _LARGE_RANK)
        return self._large_ranks[rank]

    def _pips(self, picture: Pixels, card: str, rng: np.random.Generator) -> None:
        plan = self.plan
        rank, suit = card[0], card[1]
        ink = plan.inks.suits[suit]
        way = plan.ornament if rank == "A" else plan.pip_ornament
        shape = decorated(plan.pips.shapes[suit], way)
        print_pips(picture, plan.pip_plan, rank, shape, ink, self._clear_from_edge)
        if rank == "A" and plan.ace_ring:
            self._ring(picture)
        if plan.ace_words and card == "AS":
            print_words(picture, ink, rng)

    def _court(self, picture: Pixels, card: str, index: Index, rng: np.random.Generator) -> None:
        plan = self.plan
        rank, suit = card[0], card[1]
        height, width = picture.shape[:2]
        beside = index.left + self._column + 3
        side = beside if beside < 0.24 * width else round(0.17 * width)
        top = round(height * plan.court_top)
        if plan.full_bleed:
            side = top = 0
        letter = self._large_rank(rank) if plan.courts.kind == "letter" else self._ranks[rank]
        court = CourtCard(
            rank, plan.pips.shapes[suit], letter, plan.inks.suits[suit], plan.inks.court
        )
        draw_court(picture[top : height - top, side : width - side], plan.courts, court, rng)

    def _ring(self, picture: Pixels) -> None:
        height, width = picture.shape[:2]
        reach = round(min(width * 0.34, height * self.plan.pip_plan.ace * 0.75))
        centre = (width // 2, height // 2)
        for inset in (0, 6):
            cv2.circle(picture, centre, reach + inset, self.plan.inks.lines, 1, cv2.LINE_AA)

    def _clear(self, picture: Pixels, index: Index) -> None:
        """Leave bare paper round each index, as printers do where a picture comes near."""
        height, width = picture.shape[:2]
        left, right = max(0, index.left - 2), index.right + 3
        top, bottom = max(0, index.top - 2), index.bottom + 3
        spans = [(left, right)]
        if self.plan.index.corners == 4:
            spans.append((width - right, width - left))
        for start, stop in spans:
            picture[top:bottom, start:stop] = self._paper[top:bottom, start:stop]
            far = slice(height - bottom, height - top), slice(width - stop, width - start)
            picture[far] = self._paper[far]


def draw_deck(
    seed: int, *, kept_out: bool = False, folders: tuple[Path, ...] = FONT_FOLDERS
) -> Deck:
    """Draw a deck; one with `kept_out` has fonts and pip designs that no other deck can have."""
    plan = draw_deck_plan(seed, kept_out=kept_out, folders=folders)
    return Deck(seed, plan, kept_out=kept_out)


def draw_deck_plan(seed: int, *, kept_out: bool, folders: tuple[Path, ...]) -> DeckPlan:
    """Draw all that tells a deck from others, but none of its cards."""
    fonts = card_fonts(folders)
    rng = np.random.default_rng([seed, kept_out, 0])
    inks = draw_inks(rng, kept_out=kept_out)
    width_mm, height_mm = _SIZES_MM[int(rng.choice(4, p=[0.6, 0.2, 0.12, 0.08]))]
    return DeckPlan(
        width_mm=width_mm,
        height_mm=height_mm,
        corner_mm=float(rng.uniform(2.2, 4.2)),
        lettering=draw_lettering(rng, fonts, kept_out=kept_out),
        pips=draw_pips(rng, fonts, kept_out=kept_out),
        inks=inks,
        wear=draw_wear(rng),
        index=draw_index_plan(rng, FACE_PX_PER_MM, kept_out=kept_out),
        pip_plan=draw_pip_plan(rng),
        courts=draw_court_plan(rng, inks.lines, inks.paper, inks.court, kept_out=kept_out),
        middle=str(rng.choice(MIDDLES, p=[0.86, 0.04, 0.03, 0.03, 0.04])),
        court_top=float(rng.uniform(0.04, 0.13)),
        full_bleed=bool(rng.random() < (FULL_BLEED_SHARE if kept_out else FULL_BLEED_LEARNT)),
        border=int(rng.integers(2, 9)) if rng.random() < 0.08 else 0,
        ornament=str(rng.choice(ORNAMENTS, p=[0.7, 0.1, 0.1, 0.1])),
        pip_ornament=str(rng.choice(ORNAMENTS, p=[0.92, 0.04, 0.02, 0.02])),
        ace_ring=bool(rng.random() < 0.2),
        ace_words=bool(rng.random() < 0.4),
    )


def _index_suit(shape: Pixels, plan: IndexPlan) -> Pixels:
    return resized(shape, plan.suit_height * shape.shape[1] / shape.shape[0], plan.suit_height)


def _narrowed(shape: Pixels, factor: float) -> Pixels:
    return resized(shape, shape.shape[1] * factor, shape.shape[0])


def _outline(width: int, height: int, corner: float) -> Pixels:
    """Mask the card's rounded rectangle, its rim softened by one pixel."""
    finer = 4
    mask = np.zeros((height * finer, width * finer), np.uint8)
    reach = round(corner * finer)
    right, bottom = width * finer - 1, height * finer - 1
    cv2.rectangle(mask, (reach, 0), (right - reach, bottom), 255, -1)
    cv2.rectangle(mask, (0, reach), (right, bottom - reach), 255, -1)
    for x in (reach, right - reach):
        for y in (reach, bottom - reach):
            cv2.circle(mask, (x, y), reach, 255, -1)
    return resized(mask, width, height)
