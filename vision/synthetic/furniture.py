"""What a table bears besides cards: chips, tray, shoe, discard holder, glasses, paper."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.synthetic.canvases import SOMETHING, Sprite, fixed_point, opaque
from vision.synthetic.felts import arc, block
from vision.synthetic.lettering import draw_typeface, placed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.synthetic.canvases import Canvas, Colour

CHIP_RADIUS: Final = 19.5
CHIP_THICK: Final = 3.3
CHIP_STYLES: Final = 160
_CHIP_PX: Final = 120
_DENOMINATIONS: Final = (
    "1", "2", "5", "10", "20", "25", "50", "100", "500", "1000", "1K", "5K", "$5", "$25", "$100",
    "A", "K",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChipStack:
    x: float
    y: float
    count: int
    style: int
    lift: float = 0.0  # mm: on a card or another stack
    turned: float = 0.0


@dataclass(frozen=True, slots=True)
class ChipStyle:
    colour: Colour
    spot: Colour
    spots: int
    top: Sprite


@lru_cache(maxsize=2 * CHIP_STYLES)
def chip_style(number: int) -> ChipStyle:
    rng = np.random.default_rng((number, 17))
    colour = _vivid(rng)
    spot = (235.0, 238.0, 240.0) if rng.random() < 0.6 else _vivid(rng)
    spots = int(rng.choice([4, 6, 8, 12]))
    return ChipStyle(colour, spot, spots, _chip_top(rng, colour, spot, spots))


def _vivid(rng: np.random.Generator) -> Colour:
    if rng.random() < 0.25:
        grey = rng.choice([25.0, 60.0, 220.0])
        return (grey, grey, grey)
    red, green, blue = colorsys.hsv_to_rgb(
        rng.random(), rng.uniform(0.5, 0.95), rng.uniform(0.35, 0.9)
    )
    return (255 * blue, 255 * green, 255 * red)


def _chip_top(rng: np.random.Generator, colour: Colour, spot: Colour, spots: int) -> Sprite:
    side = _CHIP_PX
    middle = (side / 2 - 0.5, side / 2 - 0.5)
    image = np.full((side, side, 3), np.round(colour), np.uint8)
    for number in range(spots):
        at = 360 * number / spots
        wedge = np.vstack([[middle], arc(middle, side, at - 90 / spots, at + 90 / spots, 8)])
        cv2.fillPoly(image, [fixed_point(wedge)], spot, cv2.LINE_AA, 4)
    centre = (int(middle[0]), int(middle[1]))
    inner = int(side * rng.uniform(0.3, 0.38))
    cv2.circle(image, centre, inner + 3, [part * 0.7 for part in colour], -1, cv2.LINE_AA)
    plain = (230.0, 232.0, 235.0) if rng.random() < 0.5 else colour
    cv2.circle(image, centre, inner, plain, -1, cv2.LINE_AA)
    text = str(_DENOMINATIONS[int(rng.integers(len(_DENOMINATIONS)))])
    letters, _ = draw_typeface(rng).draw(text)[0].level(1.0)
    shrink = min(1.3 * inner / letters.shape[1], 1.6 * inner / letters.shape[0])
    size = (max(2, int(letters.shape[1] * shrink)), max(2, int(letters.shape[0] * shrink)))
    small = (
        np.asarray(cv2.resize(letters, size, interpolation=cv2.INTER_AREA), np.float32)[:, :, None]
        / 255
    )
    left, top = int(side / 2 - size[0] / 2), int(side / 2 - size[1] * 0.5)
    ink = np.array((20, 20, 30) if sum(plain) > 380 else (240, 240, 240), np.float32)
    if rng.random() < 0.3:
        ink = np.array(spot, np.float32)
    part = image[top : top + size[1], left : left + size[0]]
    part[:] = np.round(part * (1 - small) + ink * small)
    mask = np.zeros((side, side), np.uint8)
    cv2.circle(mask, centre, side // 2 - 2, 255, -1, cv2.LINE_AA)
    return opaque(image, mask)


def stack_chips(canvas: Canvas, stack: ChipStack) -> None:
    """A pile of chips as a cylinder: its sides chip by chip, then the topmost face."""
    style = chip_style(stack.style)
    camera = canvas.camera
    rng = np.random.default_rng(
        (stack.style, stack.count, int(stack.x) & 1023, int(stack.y) & 1023)
    )
    seen = camera.project(np.array([[stack.x, stack.y, stack.lift]]))[0]
    scale = camera.scale_at(stack.x, stack.y, stack.lift)
    reach = scale * (CHIP_RADIUS + stack.count * CHIP_THICK) * 2 + 8
    width, height = camera.size
    if not (-reach < seen[0] < width + reach and -reach < seen[1] < height + reach):
        return
    place = camera.above
    towards = np.degrees(np.arctan2(place[1] - stack.y, place[0] - stack.x))
    canvas.shade(arc((stack.x, stack.y), CHIP_RADIUS * 1.15, 0, 360, 20), 2 * scale, 0.5)
    pieces: list[NDArray[np.float64]] = []
    colours: list[Colour] = []
    x, y, z = stack.x, stack.y, stack.lift
    front = _ring(towards - 90, towards + 90, 12)
    behind = _ring(towards + 90, towards + 270, 12)
    for number in range(stack.count):
        x, y = stack.x + rng.normal(0, 0.5), stack.y + rng.normal(0, 0.5)
        low, high = np.array([x, y, z]), np.array([x, y, z + CHIP_THICK])
        dim = 0.62 + 0.1 * (number % 2) + rng.normal(0, 0.03)
        pieces.append(np.vstack([front + low, behind + high]))
        colours.append(_scaled(style.colour, dim))
        start = rng.uniform(0, 360)
        for spot in range(style.spots):
            at = (start + 360 * spot / style.spots - towards + 180) % 360 - 180
            if abs(at) < 80:
                edge = _ring(towards + at - 60 / style.spots, towards + at + 60 / style.spots, 4)
                pieces.append(np.vstack([edge + low, edge[::-1] + high]))
                colours.append(_scaled(style.spot, dim + 0.1))
        z += CHIP_THICK
    canvas.fill_many(pieces, colours, SOMETHING)
    pixels = _CHIP_PX / 2 - 2
    to_table = placed((x, y), stack.turned) @ np.array(
        [[CHIP_RADIUS / pixels, 0, -CHIP_RADIUS * _CHIP_PX / 2 / pixels],
         [0, -CHIP_RADIUS / pixels, CHIP_RADIUS * _CHIP_PX / 2 / pixels], [0, 0, 1.0]]
    )  # fmt: skip
    canvas.lay(style.top, camera.plane(z) @ to_table, SOMETHING)


def _ring(start: float, end: float, steps: int) -> NDArray[np.float64]:
    angles = np.radians(np.linspace(start, end, steps))
    flat = CHIP_RADIUS * np.array([np.cos(angles), np.sin(angles), np.zeros(steps)])
    return flat.T


def _scaled(colour: Colour, gain: float) -> Colour:
    return (min(255, colour[0] * gain), min(255, colour[1] * gain), min(255, colour[2] * gain))


def box(
    canvas: Canvas, base: NDArray[np.float64], low: float, high: float, colour: Colour,
    *, owner: int | None = None, strength: float = 1.0,
) -> None:  # fmt: skip
    """A block with that base: the sides that face the camera, and the top."""
    place = canvas.camera.above
    middle = base.mean(axis=0)
    for number in range(len(base)):
        here, there = base[number], base[(number + 1) % len(base)]
        edge = there - here
        outward = np.array([edge[1], -edge[0]])
        if outward @ (here - middle) < 0:
            outward = -outward
        if outward @ (place[:2] - here) <= 0:
            continue
        lean = outward / (np.linalg.norm(outward) + 1e-9)
        face = np.array([[*here, low], [*there, low], [*there, high], [*here, high]])
        canvas.fill(
            face, _scaled(colour, 0.6 + 0.18 * lean[0] - 0.05 * lean[1]), owner, strength=strength
        )
    top = np.column_stack([base, np.full(len(base), high)])
    canvas.fill(top, colour, owner, strength=strength)


@lru_cache(maxsize=32)
def _tray_top(seed: int) -> Sprite:
    """Rows of chips lying on edge in the tubes of the dealer's tray, 560 by 170 mm, 1 px/mm."""
    rng = np.random.default_rng((seed, 23))
    wide, tall = 560, 170
    image = np.full((tall, wide, 3), rng.uniform(15, 70), np.uint8)
    tubes = int(rng.integers(8, 13))
    step = wide / tubes
    bulge = np.sqrt(np.clip(1 - np.linspace(-1, 1, int(step * 0.86)) ** 2, 0, 1))
    for tube in range(tubes):
        style = chip_style(int(rng.integers(CHIP_STYLES)))
        left = int(tube * step + step * 0.07)
        filled = int(tall * rng.uniform(0.3, 0.97))
        rows = np.arange(filled)
        edges = 0.85 + 0.15 * ((rows % 3) > 0)
        strip = np.ones((filled, len(bulge), 3), np.float32) * np.array(style.colour, np.float32)
        for row in range(0, filled, 3):
            for spot in rng.integers(0, len(bulge), 2):
                strip[row : row + 3, spot : spot + max(3, len(bulge) // 5)] = style.spot
        strip *= (0.35 + 0.65 * bulge)[None, :, None] * edges[:, None, None]
        image[tall - filled :, left : left + len(bulge)] = np.clip(strip, 0, 255)
    return opaque(image)


def tray(canvas: Canvas, seed: int, x: float, y: float) -> None:
    base = block((x, y), 600, 200)
    if not canvas.sees(
        canvas.camera.plane() @ np.array([[1.0, 0, x - 300], [0, -1.0, y + 100], [0, 0, 1.0]]),
        (600, 200),
    ):
        return
    canvas.shade(base + np.array([6.0, -10.0]), 16, 0.5)
    rng = np.random.default_rng((seed, 24))
    rim = rng.uniform(20, 90)
    box(canvas, base, 0, 14, (rim * 0.9, rim, rim * 1.1))
    to_table = np.array([[1.0, 0, x - 280], [0, -1.0, y + 85], [0, 0, 1.0]])
    canvas.lay(_tray_top(seed % 32), canvas.camera.plane(15) @ to_table)


def shoe(
    canvas: Canvas,
    seed: int,
    x: float,
    y: float,
    turned: float,
    back: Sprite,
    card: tuple[float, float],
) -> None:
    """A dealing shoe: a sloping box, with the next card's back in its mouth."""
    rng = np.random.default_rng((seed, 31))
    shade = rng.uniform(10, 60)
    colour: Colour = (shade, shade, shade * rng.uniform(1, 1.6))
    if rng.random() < 0.25:
        colour = _vivid(rng)
    body = block((0, 60), 96, 260)
    mouth = block((0, -100), 96, 70)
    canvas.shade(block((x, y), 130, 360, turned), 20, 0.5)
    turn = placed((x, y), turned)

    def on_table(points: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.column_stack([points, np.ones(len(points))]) @ turn[:2].T

    box(canvas, on_table(mouth), 0, 18, _scaled(colour, 1.3), owner=SOMETHING)
    width, height = back.size
    scale = card[0] / width
    to_table = turn @ np.array(
        [[scale, 0, -card[0] / 2], [0, -scale, card[1] / 2 - 95], [0, 0, 1.0]]
    )
    if height:
        canvas.lay(back, canvas.camera.plane(20) @ to_table, SOMETHING)
    box(canvas, on_table(body), 0, 88, colour, owner=SOMETHING)
    lid = on_table(block((0, 60), 80, 235))
    canvas.fill(np.column_stack([lid, np.full(4, 88.0)]), _scaled(colour, 1.25))


def discards(
    canvas: Canvas, seed: int, x: float, y: float, back: Sprite, card: tuple[float, float]
) -> None:
    """A clear or red holder with the cards that were played: edges, and the topmost back."""
    rng = np.random.default_rng((seed, 37))
    tall = rng.uniform(5, 55)
    base = block((x, y), card[0], card[1], float(rng.normal(0, 3)))
    canvas.shade(base, 12, 0.5)
    layers = 14
    for number in range(layers):
        shade = rng.uniform(150, 235)
        low = tall * number / layers
        box(canvas, base, low, low + tall / layers, (shade, shade, shade))
    scale = card[0] / back.size[0]
    to_table = np.array([[scale, 0, x - card[0] / 2], [0, -scale, y + card[1] / 2], [0, 0, 1.0]])
    canvas.lay(back, canvas.camera.plane(tall) @ to_table)
    holder = block((x, y), card[0] + 16, card[1] + 16)
    tint: Colour = (40, 40, 190) if rng.random() < 0.6 else (120, 120, 120)
    box(canvas, holder, 0, 90, tint, strength=float(rng.uniform(0.15, 0.45)))


def glass(canvas: Canvas, seed: int, x: float, y: float) -> None:
    rng = np.random.default_rng((seed, 41))
    radius, tall = rng.uniform(28, 40), rng.uniform(70, 140)
    drink: Colour = tuple((np.array([20, 70, 150]) * rng.uniform(0.4, 1.6)).tolist())
    canvas.shade(arc((x, y), radius * 1.2, 0, 360, 24), 14, 0.5)
    for share, colour, strength in (
        (0.0, drink, 0.75),
        (0.7, drink, 0.7),
        (1.0, (225, 228, 230), 0.3),
    ):
        low = np.column_stack([arc((x, y), radius * 0.9, 0, 360, 28), np.zeros(28)])
        high = np.column_stack([arc((x, y), radius, 0, 360, 28), np.full(28, tall * share)])
        seen = canvas.camera.project(np.vstack([low, high]))
        hull = np.asarray(cv2.convexHull(seen.astype(np.float32)), np.float64)[:, 0]
        canvas.fill_pixels([hull], colour, SOMETHING, strength)
    canvas.fill(
        np.column_stack([arc((x, y), radius, 0, 360, 28), np.full(28, tall)]),
        (235, 238, 240),
        strength=0.35,
    )


def paper(canvas: Canvas, seed: int, x: float, y: float, *, owner: int | None = None) -> None:
    """A slip with printed lines, a banknote, or a telephone."""
    rng = np.random.default_rng((seed, 43))
    wide, tall = rng.uniform(50, 120), rng.uniform(70, 160)
    turned = rng.uniform(0, 360)
    base = block((x, y), wide, tall, turned)
    canvas.shade(base + np.array([2.0, -2.0]), 5, 0.4)
    if rng.random() < 0.35:
        canvas.fill(base, (25, 24, 24), owner)
        canvas.fill(
            block((x, y), wide * 0.9, tall * 0.9, turned),
            tuple(rng.uniform(10, 120, 3).tolist()),
            owner,
        )
        return
    pale = rng.uniform(170, 240)
    canvas.fill(base, (pale * rng.uniform(0.8, 1), pale, pale * rng.uniform(0.8, 1)), owner)
    face = draw_typeface(rng)
    ink: Colour = tuple(rng.uniform(0, 120, 3).tolist())
    rows = int(rng.integers(3, 10))
    turn = placed((x, y), turned)
    for row in range(rows):
        text = "".join(
            str(rng.choice(list("0123456789AKQJ ejinstro.:€$")))
            for _ in range(int(rng.integers(4, 14)))
        )
        size = tall / rows * rng.uniform(0.3, 0.75)
        sprite, em = face.draw(text)
        scale = min(size / (0.72 * em), 0.9 * wide / sprite.size[0])
        to_table = turn @ np.array(
            [[scale, 0, -wide * 0.45], [0, -scale, tall * (0.5 - row / rows)], [0, 0, 1.0]]
        )
        canvas.stamp(sprite, canvas.camera.plane() @ to_table, ink, 0.9)
