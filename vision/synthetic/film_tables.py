"""Tables for film: the camera sees all hands well enough, shoe and holder stand there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.synthetic.cameras import View, draw_camera
from vision.synthetic.decks import FACE_PX_PER_MM
from vision.synthetic.felts import Seat, block, draw_felt
from vision.synthetic.light import draw_filming, draw_light
from vision.synthetic.tables import (
    DEALER_AT,
    Table,
    draw_furnishing,
    hand_zones,
    sprites_of_deck,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.synthetic.cameras import Camera
    from vision.synthetic.light import Light
    from vision.synthetic.tables import CardSprites, Furnishing

LEAST_INDEX: Final = 15.0  # px: what is smaller cannot be read for certain
_TRIES: Final = 26
_WIDE: Final = 4  # so many tries have shoe and discard holder in the picture for certain
_OF_ONE_DECK: Final = 8
_FROM_ITS_PLACE: Final = 20
_NEXT_DECK: Final = 7919
_FROM_ABOVE: Final = 0.3  # the share of cameras that look straight down
_CENTRE: Final = (0.0, 420.0)  # of the arc on which the boxes lie
_BOX_TALL: Final = 205.0  # mm
_SHOE_BOX: Final = (110.0, 330.0, 88.0)  # mm: wide, long and tall
_SHOE_MIDDLE: Final = 27.0  # mm from the place of a shoe to the middle of its box
_HOLDER_TALL: Final = 90.0
_LEAST_ZONE: Final = 200.0  # square px: what shows less of itself is out of the picture


def draw_film_table(
    seed: int,
    game: str,
    *,
    boxes: int = 5,
    kept_out: bool = False,
    size: tuple[int, int] = (1280, 720),
    view: View | None = None,
    least_index: float = LEAST_INDEX,
) -> Table:
    """A table of which the camera's picture shows every index at least that tall.

    A camera that sees the hands too small gives way to one that is nearer, then the deck to one
    with larger indexes, then, unless the view is given, the place to one above the table. Where
    nothing helps (many boxes in a small picture), the best of all tries is taken.
    """
    best: tuple[float, Table] | None = None
    above = bool(np.random.default_rng((seed, int(kept_out), 311)).random() < _FROM_ABOVE)
    for attempt in range(_TRIES):
        rng = np.random.default_rng((seed, int(kept_out), attempt, 307))
        deck = seed + max(0, attempt - _OF_ONE_DECK + 1) * _NEXT_DECK
        table = _draw(
            rng,
            game,
            boxes=boxes,
            sprites=sprites_of_deck(deck, kept_out=kept_out),
            kept_out=kept_out,
            size=size,
            view=view or _view(rng, above=above or attempt >= _FROM_ITS_PLACE),
            wide=attempt < _WIDE,
        )
        smallest = smallest_index(table)
        if best is None or smallest > best[0]:
            best = (smallest, table)
        if smallest >= least_index:
            break
    if best is None:
        raise AssertionError("there is at least one try")
    return best[1]


def _view(rng: np.random.Generator, *, above: bool) -> View:
    across = float(rng.uniform(24, 56))
    if above:
        return View(
            float(rng.uniform(72, 90)), float(rng.normal(0, 6)), float(rng.normal(0, 2)), across
        )
    return View(
        float(rng.uniform(32, 62)), float(rng.normal(0, 13)), float(rng.normal(0, 1.5)), across
    )


def _draw(
    rng: np.random.Generator, game: str, *, boxes: int, sprites: CardSprites, kept_out: bool,
    size: tuple[int, int], view: View, wide: bool,
) -> Table:  # fmt: skip
    seats = _seats(rng, boxes) if game == "blackjack" else ()
    zones = hand_zones(game, seats)
    if len(seats) > 1:
        apart = float(np.hypot(seats[1].x - seats[0].x, seats[1].y - seats[0].y))
        radius = float(np.hypot(seats[0].x - _CENTRE[0], seats[0].y - _CENTRE[1]))
        # Boxes are nearest to each other at the edge towards the dealer.
        broad = min(0.98 * apart * (radius - _BOX_TALL / 2) / radius, 320.0)
        for seat in seats:
            zones[f"box{seat.number}"] = block((seat.x, seat.y), broad, _BOX_TALL, seat.turned)
    furnishing = _furnished(rng, game)
    return Table(
        game=game,
        zones=zones,
        camera=_camera(rng, zones, furnishing, size, view, wide=wide),
        sprites=sprites,
        ground=draw_felt(rng, kept_out=kept_out),
        seats=seats,
        furnishing=furnishing,
        light=_readable(rng),
        filming=draw_filming(rng, steady=True),
    )


def _seats(rng: np.random.Generator, count: int) -> tuple[Seat, ...]:
    """Seats in an arc, the first at the dealer's left, which is the right of the picture."""
    radius = float(rng.uniform(560, 630))
    step = min(float(rng.uniform(21, 27)), 126 / max(count - 1, 1))
    seats = []
    for number in range(count):
        angle = 270 + step * ((count - 1) / 2 - number)
        x = _CENTRE[0] + radius * np.cos(np.radians(angle))
        y = _CENTRE[1] + radius * np.sin(np.radians(angle))
        seats.append(Seat(number + 1, float(x), float(y), float(angle - 270)))
    return tuple(seats)


def _furnished(rng: np.random.Generator, game: str) -> Furnishing:
    """Shoe and discard holder always stand there, nearer than at other tables."""
    side = 1.0 if rng.random() < 0.8 else -1.0
    away = 400.0 if game == "baccarat" else 380.0
    return replace(
        draw_furnishing(rng),
        shoe=(
            side * (away + float(rng.uniform(0, 90))),
            float(rng.uniform(350, 400)),
            side * float(rng.uniform(-60, -15)),
        ),
        discards=(-side * (away + float(rng.uniform(0, 90))), float(rng.uniform(340, 400))),
        papers=(),
        glasses=(),
    )


def _camera(
    rng: np.random.Generator, zones: dict[str, NDArray[np.float64]], furnishing: Furnishing,
    size: tuple[int, int], view: View, *, wide: bool,
) -> Camera:  # fmt: skip
    points = np.vstack(list(zones.values()))
    (left, near), (right, far) = points.min(axis=0) - 20, points.max(axis=0) + 20
    near -= rng.uniform(0, 70) if wide else 0.0
    if wide and furnishing.shoe is not None and furnishing.discards is not None:
        reach = max(abs(furnishing.shoe[0]), abs(furnishing.discards[0])) + rng.uniform(-40, 70)
        left, right = min(left, -reach), max(right, reach)
        far = max(far, DEALER_AT[1] + rng.uniform(100, 220))
    return draw_camera(rng, (float(left), float(near), float(right), float(far)), size, view)


def _readable(rng: np.random.Generator) -> Light:
    light = draw_light(rng)
    return replace(
        light, level=max(light.level, 0.6), glare_strength=min(light.glare_strength, 0.35)
    )


def smallest_index(table: Table) -> float:
    """How tall the smallest index is anywhere in the zones, however it is turned, in px."""
    flat = table.deck.face("8S").indexes[0]
    wide, tall = (float(part) for part in np.ptp(flat, axis=0) / FACE_PX_PER_MM)
    least = float("inf")
    for zone in table.zones.values():
        for x, y in zone:
            for turned in range(0, 180, 30):
                seen = table.camera.project(block((float(x), float(y)), wide, tall, turned))
                sides = np.linalg.norm(seen - np.roll(seen, -1, axis=0), axis=1)
                least = min(least, float(sides[1]), float(sides[0]) * tall / wide)
    return least


def least_sharpness(table: Table) -> float:
    """How many times as tall as the camera's blur is wide the smallest index is."""
    return smallest_index(table) / table.filming.smear()


def zones_in_picture(table: Table) -> dict[str, NDArray[np.float64]]:
    """The polygon of each hand, of shoe and of discard holder, in px, cut off at the edges."""
    camera, pieces = table.camera, table.furnishing
    polygons = {name: camera.project(zone) for name, zone in table.zones.items()}
    if pieces is not None and pieces.shoe is not None:
        x, y, turned = pieces.shoe
        wide, long, tall = _SHOE_BOX
        turn = np.radians(turned)
        middle = (x - _SHOE_MIDDLE * float(np.sin(turn)), y + _SHOE_MIDDLE * float(np.cos(turn)))
        polygons["shoe"] = _hull(camera, block(middle, wide, long, turned), tall)
    if pieces is not None and pieces.discards is not None:
        base = block(pieces.discards, table.deck.width_mm + 20, table.deck.height_mm + 20)
        polygons["discard"] = _hull(camera, base, _HOLDER_TALL)
    width, height = camera.size
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    cut = {}
    for name, polygon in polygons.items():
        area, inside = cv2.intersectConvexConvex(polygon.astype(np.float32), frame)
        if area >= _LEAST_ZONE:
            cut[name] = np.asarray(inside, np.float64).reshape(-1, 2)
    return cut


def _hull(camera: Camera, base: NDArray[np.float64], tall: float) -> NDArray[np.float64]:
    corners = np.vstack([np.column_stack([base, np.full(len(base), z)]) for z in (0.0, tall)])
    hull = cv2.convexHull(camera.project(corners).astype(np.float32))
    return np.asarray(hull, np.float64).reshape(-1, 2)
