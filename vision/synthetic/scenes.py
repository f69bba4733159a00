"""Random moments at random tables, for training and evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.synthetic.cameras import View, draw_camera, draw_view
from vision.synthetic.felts import draw_felt
from vision.synthetic.hands import HAND_STYLES, Hand
from vision.synthetic.layouts import (
    any_card,
    baccarat_coup,
    blackjack_round,
    fans,
    scattered,
    strewn_chips,
    wagers,
)
from vision.synthetic.light import draw_filming, draw_light
from vision.synthetic.surfaces import draw_surface
from vision.synthetic.tables import (
    DEALER_AT,
    LaidCard,
    Table,
    draw_furnishing,
    draw_seats,
    hand_zones,
    sprites_of_deck,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vision.synthetic.cameras import Camera
    from vision.synthetic.felts import Seat
    from vision.synthetic.furniture import ChipStack
    from vision.synthetic.pictures import Picture

DECKS: Final = 3000
SCENES_A_DECK: Final = 16
KINDS: Final = {
    "blackjack": 0.32, "baccarat": 0.18, "scatter": 0.13, "fans": 0.14, "elsewhere": 0.18,
    "empty": 0.05,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scene:
    """A table and what lies on it at one moment."""

    table: Table
    laid: tuple[LaidCard, ...]
    hands: tuple[Hand, ...]
    chips: tuple[ChipStack, ...]
    moving: Mapping[int, tuple[float, float]]


def draw_scene(
    seed: int,
    *,
    kept_out: bool = False,
    size: tuple[int, int] = (1280, 720),
    window: tuple[int, int] | None = None,
    decks: int = DECKS,
) -> Picture:
    """Draw a random moment; with a window only a part of that size of the camera's picture.

    Sixteen successive seeds (from a multiple of sixteen) share one of so many decks: since drawing
    faces costs most, whoever draws many scenes does well to draw those one after the other.
    """
    scene = set_scene(seed, kept_out=kept_out, size=size, decks=decks)
    table = scene.table
    if window is not None:
        table = table.seen_through(window_on_cards(scene, window, np.random.default_rng((seed, 7))))
    return table.draw(scene.laid, scene.hands, scene.chips, moment=seed, moving=scene.moving)


def set_scene(
    seed: int, *, kept_out: bool = False, size: tuple[int, int] = (1280, 720), decks: int = DECKS
) -> Scene:
    rng = np.random.default_rng((seed, int(kept_out), 211))
    deck = int(np.random.default_rng((seed // SCENES_A_DECK, int(kept_out), 13)).integers(decks))
    kind = str(rng.choice(list(KINDS), p=list(KINDS.values())))
    other_game = kind != "blackjack" and rng.random() < 0.4
    game = "baccarat" if kind == "baccarat" or other_game else "blackjack"
    seats = draw_seats(rng, int(rng.integers(1, 8))) if game == "blackjack" else ()
    elsewhere = kind == "elsewhere" or (kind == "empty" and rng.random() < 0.3)
    laid = _dealt(rng, kind, seats)
    chips = [] if elsewhere and rng.random() < 0.9 else wagers(rng, seats, laid)
    if kind == "empty":
        chips = strewn_chips(rng)
    hands = _hands(rng, laid, elsewhere=elsewhere)
    moving = _moving(rng, laid)
    if not elsewhere and rng.random() < 0.12:
        _deal_one(rng, laid, hands, moving)
    return Scene(
        Table(
            game=game,
            zones=hand_zones(game, seats),
            camera=_framing(rng, laid, size, elsewhere=elsewhere),
            sprites=sprites_of_deck(deck, kept_out=kept_out),
            ground=draw_surface(rng, kept_out=kept_out)
            if elsewhere
            else draw_felt(rng, kept_out=kept_out),
            seats=seats,
            furnishing=None if elsewhere else draw_furnishing(rng),
            light=draw_light(rng),
            filming=draw_filming(rng),
        ),
        tuple(laid),
        tuple(hands),
        tuple(chips),
        moving,
    )


def _dealt(rng: np.random.Generator, kind: str, seats: Sequence[Seat]) -> list[LaidCard]:
    if kind == "blackjack":
        return blackjack_round(rng, seats)
    if kind == "baccarat":
        return baccarat_coup(rng)
    if kind == "scatter":
        return scattered(rng, int(rng.integers(2, 18)), float(rng.uniform(150, 420)))
    if kind == "fans":
        return fans(rng, int(rng.integers(1, 6)), float(rng.uniform(120, 380)))
    if kind == "elsewhere" and rng.random() < 0.35:
        return fans(rng, int(rng.integers(1, 3)), float(rng.uniform(20, 90)))
    if kind == "elsewhere":
        return scattered(rng, int(rng.integers(1, 9)), float(rng.uniform(10, 150)))
    return []


def _hands(rng: np.random.Generator, laid: Sequence[LaidCard], *, elsewhere: bool) -> list[Hand]:
    """Hands of the dealer and of players, mostly near cards."""
    count = int(rng.choice([0, 1, 2, 3], p=[0.35, 0.3, 0.25, 0.1]))
    if elsewhere:
        count = int(rng.random() < 0.25)
    hands = []
    for _ in range(count):
        x, y = float(rng.uniform(-500, 500)), float(rng.uniform(-350, 300))
        if laid and rng.random() < 0.7:
            near = laid[int(rng.integers(len(laid)))]
            x, y = near.x + float(rng.normal(0, 45)), near.y + float(rng.normal(0, 45))
        of_dealer = bool(rng.random() < (0.6 if y > -150 else 0.2))
        hands.append(_hand_from(rng, x, y, of_dealer=of_dealer, still=0.6))
    return hands


def _hand_from(
    rng: np.random.Generator, x: float, y: float, *, of_dealer: bool, still: float
) -> Hand:
    """A hand whose arm comes from behind the table or from a player's seat."""
    shoulder = (rng.normal(0, 260), 700.0) if of_dealer else (x + rng.normal(0, 220), -800.0)
    turned = np.degrees(np.arctan2(y - shoulder[1], x - shoulder[0])) - 90 + rng.normal(0, 6)
    moved = (0.0, 0.0)
    if rng.random() > still:
        moved = (float(rng.normal(0, 6)), float(rng.normal(0, 6)))
    return Hand(
        x,
        y,
        float(turned),
        style=int(rng.integers(HAND_STYLES)),
        lift=float(rng.uniform(8, 45)),
        moved=moved,
        rise=float(rng.uniform(2, 20)),
        left=bool(rng.random() < 0.5),
    )


def _moving(rng: np.random.Generator, laid: Sequence[LaidCard]) -> dict[int, tuple[float, float]]:
    if not laid or rng.random() > 0.12:
        return {}
    return {int(rng.integers(len(laid))): (float(rng.normal(0, 3.5)), float(rng.normal(0, 3.5)))}


def _deal_one(
    rng: np.random.Generator,
    laid: list[LaidCard],
    hands: list[Hand],
    moving: dict[int, tuple[float, float]],
) -> None:
    """A card on its way in the dealer's hand."""
    x, y = float(rng.uniform(-350, 350)), float(rng.uniform(-150, 250))
    hand = _hand_from(rng, x, y, of_dealer=True, still=0.4)
    towards = np.radians(hand.turned + 90)
    reach = rng.uniform(-10, 35)
    card = LaidCard(
        any_card(rng),
        float(x + reach * np.cos(towards)),
        float(y + reach * np.sin(towards)),
        float(hand.turned + rng.normal(0, 25)),
        face_up=bool(rng.random() < 0.7),
        lift=hand.lift + 2,
    )
    if hand.moved != (0.0, 0.0):
        moving[len(laid)] = hand.moved
    laid.append(card)
    hands.append(hand)


def _framing(
    rng: np.random.Generator, laid: Sequence[LaidCard], size: tuple[int, int], *, elsewhere: bool
) -> Camera:
    """A camera on a part of the table where cards are, mostly so near that they can be read."""
    view = draw_view(rng)
    px_per_mm = float(np.exp(rng.uniform(np.log(0.9), np.log(2.1))))
    if elsewhere:
        px_per_mm = float(np.exp(rng.uniform(np.log(1.0), np.log(3.6))))
        view = View(
            elevation=float(rng.uniform(38, 90)),
            azimuth=float(rng.uniform(0, 360)),
            roll=float(rng.normal(0, 8)),
            across=float(rng.uniform(35, 65)),
        )
    wide = size[0] / px_per_mm
    places = np.array([(card.x, card.y) for card in laid] or [DEALER_AT])
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    chosen = places[int(rng.integers(len(places)))]
    # A near camera that aimed between the hands would see bare cloth.
    share = rng.uniform(0.3, 1.0) * min(1.0, wide / (2 * np.ptp(places, axis=0).max() + 1))
    x, y = chosen + share * (middle - chosen) + rng.normal(0, 0.06 * wide, 2)
    deep = 0.2 * wide
    extents = (float(x - wide / 2), float(y - deep), float(x + wide / 2), float(y + deep))
    return draw_camera(rng, extents, size, view)


def window_on_cards(scene: Scene, window: tuple[int, int], rng: np.random.Generator) -> Camera:
    """A part of the camera's picture, mostly one that has a card in it."""
    camera = scene.table.camera
    width, height = camera.size
    room = np.array([max(0, width - window[0]), max(0, height - window[1])])
    corner = rng.uniform(0, 1, 2) * room
    if scene.laid and rng.random() < 0.92:
        places = camera.project(np.array([[card.x, card.y] for card in scene.laid]))
        inside = places[((places >= 0) & (places < (width, height))).all(axis=1)]
        if len(inside):
            chosen = inside[int(rng.integers(len(inside)))]
            corner = np.clip(chosen - rng.uniform(0.12, 0.88, 2) * window, 0, room)
    return camera.window(int(corner[0]), int(corner[1]), window[0], window[1])
