"""Small pictures full of cards that are hard to read: a lesson costs a tenth of a whole table's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vision.synthetic.cameras import draw_camera, draw_view
from vision.synthetic.decks import FACE_PX_PER_MM
from vision.synthetic.felts import draw_felt
from vision.synthetic.layouts import crowd
from vision.synthetic.light import draw_filming, draw_light
from vision.synthetic.surfaces import draw_surface
from vision.synthetic.tables import Table, sprites_of_deck

if TYPE_CHECKING:
    from vision.synthetic.decks import Deck
    from vision.synthetic.light import Filming
    from vision.synthetic.pictures import Picture

SIZE: Final = (512, 384)
MOMENTS_A_DECK: Final = 2
_FANS_SHARE: Final = 0.45
_SHORTEST: Final = 18.0  # px: how tall indexes are about the middle
_TALLEST: Final = 28.0
_TALLEST_IN_FANS: Final = 50.0  # what is read wrongly there is a neighbour, however large
_LEAST_SHARPNESS: Final = 24.0  # what is more blurred than that is not legible
_WELL_FILMED_SHARE: Final = 0.25
_WELL_FILMED: Final = (62, 0.5, 3.5)  # quality from there on, blur and noise below


def draw_crowded(seed: int, decks: int, *, kept_out: bool = False) -> Picture:
    """Draw a part of a table that is full of cards, mostly filmed badly.

    Two successive seeds (from an even one) share one of so many decks.
    """
    rng = np.random.default_rng((seed, int(kept_out), 307))
    own = np.random.default_rng((seed // MOMENTS_A_DECK, int(kept_out), 17))
    sprites = sprites_of_deck(int(own.integers(decks)), kept_out=kept_out)
    in_fans = bool(rng.random() < _FANS_SHARE)
    most = _TALLEST_IN_FANS if in_fans else _TALLEST
    tall = float(np.exp(rng.uniform(np.log(_SHORTEST), np.log(most))))
    view = draw_view(rng)
    squeezed = float(np.sin(np.radians(view.elevation)))
    wide = SIZE[0] * _index_mm(sprites.deck) * squeezed / tall
    deep = wide * SIZE[1] / SIZE[0] / squeezed
    table = Table(
        game="blackjack",
        zones={},
        camera=draw_camera(rng, (-wide / 2, -deep / 2, wide / 2, deep / 2), SIZE, view),
        sprites=sprites,
        ground=draw_felt(rng, kept_out=kept_out)
        if rng.random() < 0.75
        else draw_surface(rng, kept_out=kept_out),
        seats=(),
        furnishing=None,
        light=draw_light(rng),
        filming=_filming(rng, tall),
    )
    return table.draw(crowd(rng, wide, deep, in_fans=in_fans), moment=seed)


def _index_mm(deck: Deck) -> float:
    """How tall an index of the deck is, from the top of the rank to the foot of the suit."""
    upper_left, _, _, lower_left = deck.face("8S").indexes[0]
    return float(np.linalg.norm(lower_left - upper_left)) / FACE_PX_PER_MM


def _filming(rng: np.random.Generator, tall: float) -> Filming:
    """A camera that still shows an index which is so tall, mostly one with much grain or blur."""
    any_goes = rng.random() < _WELL_FILMED_SHARE
    quality, blur, noise = _WELL_FILMED
    while True:
        filming = draw_filming(rng)
        well = filming.quality > quality and filming.blur < blur and filming.noise < noise
        if tall / filming.smear() >= _LEAST_SHARPNESS and (any_goes or not well):
            return filming
