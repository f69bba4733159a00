"""Decks that we draw: the same from the same seed, and labelled to the pixel."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.cards import CARDS
from vision.synthetic.decks import FACE_PX_PER_MM, Deck, draw_deck, draw_deck_plan
from vision.synthetic.fonts import SUIT_SIGNS, card_fonts, character, is_kept_out, suits_look_right

DEJAVU = (Path("/usr/share/fonts/truetype/dejavu"),)
NO_FONTS: tuple[Path, ...] = ()
SOME_CARDS = ("AS", "TD", "7C", "QH", "KC", "4D")


def _deck(seed: int, *, kept_out: bool = False) -> Deck:
    return draw_deck(seed, kept_out=kept_out, folders=DEJAVU)


def _inked(
    deck: Deck, card: str, left: int, top: int, right: int, bottom: int
) -> NDArray[np.bool_]:
    """Where a part of a face is nearer to the ink of its index than to the paper."""
    inks = deck.plan.inks
    part = deck.face(card).image[top:bottom, left:right].astype(float)
    from_paper = np.abs(part - np.array(inks.paper)).sum(axis=2)
    printed = [inks.suits[card[1]], inks.ranks[card[1]]]
    contrast = min(np.abs(np.subtract(ink, inks.paper)).sum() for ink in printed)
    return np.asarray(from_paper > 0.25 * contrast)


def _span(box: NDArray[np.float32]) -> tuple[int, int, int, int]:
    left, top = box.min(axis=0)
    right, bottom = box.max(axis=0)
    return int(left), int(top), int(right), int(bottom)


def test_the_same_seed_draws_the_same_pixels() -> None:
    first, second = _deck(5), _deck(5)
    assert np.array_equal(first.back, second.back)
    second.face("KC")  # the order in which faces are asked for changes nothing
    for card in SOME_CARDS:
        assert np.array_equal(first.face(card).image, second.face(card).image)
        for one, other in zip(first.face(card).indexes, second.face(card).indexes, strict=True):
            assert np.array_equal(one, other)


def test_different_seeds_draw_different_decks() -> None:
    seen = {(_deck(seed).face("QS").image.tobytes(), _deck(seed).back.tobytes())
            for seed in range(8)}  # fmt: skip
    assert len(seen) == 8


def test_a_kept_out_deck_is_another_deck_than_the_ordinary_one_of_its_seed() -> None:
    assert not np.array_equal(_deck(3).face("9H").image, _deck(3, kept_out=True).face("9H").image)


def test_all_cards_of_a_deck_differ() -> None:
    deck = _deck(11)
    assert len({deck.face(card).image.tobytes() for card in CARDS}) == 52


def test_a_face_has_the_size_of_its_deck_and_is_remembered() -> None:
    deck = _deck(2)
    size = (round(deck.height_mm * FACE_PX_PER_MM), round(deck.width_mm * FACE_PX_PER_MM))
    face = deck.face("2C")
    assert face is deck.face("2C")
    assert face.image.shape == (*size, 3) == deck.back.shape
    assert deck.shape.shape == size
    assert deck.shape[size[0] // 2, size[1] // 2] == 255
    assert deck.shape[0, 0] < 64


@pytest.mark.parametrize("kept_out", [False, True])
def test_index_boxes_are_tight(*, kept_out: bool) -> None:
    for seed in range(12):
        deck = _deck(seed, kept_out=kept_out)
        for card in SOME_CARDS:
            face = deck.face(card)
            assert len(face.indexes) == deck.plan.index.corners
            for box in face.indexes:
                left, top, right, bottom = _span(box)
                inked = _inked(deck, card, left, top, right, bottom)
                for side in (inked[0], inked[-1], inked[:, 0], inked[:, -1]):
                    assert side.any(), f"seed {seed} {card}: a side of the box touches no ink"
                if deck.plan.wear.scratched < 0.05 and deck.plan.border == 0:
                    around = _inked(deck, card, left - 1, top - 1, right + 1, bottom + 1)
                    around[1:-1, 1:-1] = False
                    assert not around.any(), f"seed {seed} {card}: ink just outside the box"


def test_an_index_starts_at_its_own_upper_left() -> None:
    for seed in range(6):
        deck = _deck(seed)
        face = deck.face("5H")
        middle = np.array([face.image.shape[1], face.image.shape[0]]) / 2
        for box in face.indexes:
            down = box[3, 1] - box[0, 1]
            across = box[1, 0] - box[0, 0]
            upright = box[:, 1].mean() < middle[1]
            assert (down > 0) == upright
            assert (across > 0) == upright


def test_kept_out_fonts_are_in_no_other_deck() -> None:
    for seed in range(40):
        for kept_out in (False, True):
            plan = draw_deck_plan(seed, kept_out=kept_out, folders=DEJAVU)
            for font in (plan.lettering.font, plan.pips.font):
                assert font is None or is_kept_out(font.design) == kept_out


def test_fonts_are_found_and_every_cut_of_a_design_is_on_one_side() -> None:
    fonts = card_fonts(DEJAVU)
    if not DEJAVU[0].is_dir():
        pytest.skip("this machine has no DejaVu fonts")
    assert {font.design for font in fonts} >= {"DejaVu Sans", "DejaVu Serif"}
    assert {font.kept_out for font in fonts} == {False, True}
    assert not any("Oblique" in font.path or "Italic" in font.path for font in fonts)
    assert any(font.has_suits for font in fonts)


@pytest.mark.parametrize("kept_out", [False, True])
def test_a_machine_without_fonts_draws_decks_with_the_pen(*, kept_out: bool) -> None:
    deck = draw_deck(1, kept_out=kept_out, folders=NO_FONTS)
    assert deck.plan.lettering.font is None
    assert len({deck.face(card).image.tobytes() for card in CARDS}) == 52


def test_a_font_whose_spade_and_club_have_changed_places_has_no_suits() -> None:
    (font, *_) = (font for font in card_fonts(DEJAVU) if font.has_suits)
    shapes = {suit: character(font, sign, 64) for suit, sign in SUIT_SIGNS.items()}
    assert suits_look_right(shapes)
    assert not suits_look_right(shapes | {"S": shapes["C"], "C": shapes["S"]})
    assert not suits_look_right(shapes | {"H": shapes["D"]})
