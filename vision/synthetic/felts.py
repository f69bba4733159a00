"""The cloth of a table and what is printed on it."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.synthetic.lettering import (
    Typeface,
    draw_typeface,
    placed,
    print_along_arc,
    print_straight,
    suit_typeface,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vision.synthetic.canvases import Canvas, Colour

CLOTHS = 24
CLOTH_PX = 512
_NOISES = 5
WAGER_MM = 125.0  # from the middle of a hand to where its wager lies, away from the dealer
BLACKJACK_WORDS = (
    "BLACKJACK PAYS 3 TO 2", "BLACKJACK PAYS 6 TO 5", "BLACK JACK", "21", "Blackjack pays 3 to 2",
    "DEALER MUST HIT SOFT 17", "Dealer must draw to 16 and stand on all 17s",
    "DEALER MUST STAND ON ALL 17's", "INSURANCE PAYS 2 TO 1", "Insurance pays 2 to 1",
    "INSURANCE", "2 TO 1", "PERFECT PAIRS", "21+3", "LUCKY LADIES", "MATCH THE DEALER",
    "PAIRS 25:1", "MIN 10 MAX 500",
)  # fmt: skip
BACCARAT_WORDS = (
    "PLAYER", "BANKER", "TIE 8 TO 1", "TIE PAYS 8 TO 1", "PLAYER PAIR 11 TO 1", "BANKER PAIR",
    "Player", "Banker", "P PAIR 11:1", "B PAIR 11:1", "DRAGON BONUS", "SUPER SIX 12 TO 1",
    "LUCKY 6", "PANDA 8", "DRAGON 7", "COMMISSION", "BACCARAT", "TIGER", "SMALL", "BIG",
)  # fmt: skip
HOUSES = (
    "GRAND", "ROYAL", "PALACE", "LUCKY STAR", "Riviera", "CASINO", "Golden K", "ACES", "JACKPOT",
    "Q CLUB", "Diamond", "HEARTS", "MONTE", "Club 88", "Lagoon", "Lotus", "KINGS", "A1", "7 SEAS",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Felt:
    """What a table's cloth looks like; `seed` decides all that has no field."""

    seed: int
    kept_out: bool
    colour: Colour
    cloth: int
    weave_mm: float  # mm of the table that a pixel of the cloth's tile covers
    roughness: float
    inks: tuple[Colour, ...]
    faces: tuple[Typeface, ...]
    strength: float


def draw_felt(rng: np.random.Generator, *, kept_out: bool = False) -> Felt:
    colour = _felt_colour(rng, kept_out=kept_out)
    inks = tuple(_ink(rng, colour) for _ in range(3))
    faces = tuple(draw_typeface(rng, kept_out=kept_out) for _ in range(3))
    return Felt(
        seed=int(rng.integers(2**31)),
        kept_out=kept_out,
        colour=colour,
        cloth=int(rng.integers(CLOTHS)) + (CLOTHS if kept_out else 0),
        weave_mm=float(rng.uniform(0.5, 1.1)),
        roughness=float(rng.uniform(0.25, 1.1)),
        inks=inks,
        faces=faces,
        strength=float(rng.uniform(0.45, 0.97)),
    )


def _felt_colour(rng: np.random.Generator, *, kept_out: bool) -> Colour:
    """Mostly casino colours; one band of hue in six is only for tables kept out of training."""
    while True:
        kind = rng.random()
        if kind < 0.35:
            hue, full, light = rng.normal(140, 15), rng.uniform(0.4, 0.95), rng.uniform(0.16, 0.5)
        elif kind < 0.6:
            hue, full, light = rng.normal(215, 15), rng.uniform(0.4, 0.95), rng.uniform(0.2, 0.6)
        elif kind < 0.77:
            hue, full, light = rng.normal(355, 9), rng.uniform(0.5, 0.95), rng.uniform(0.2, 0.55)
        elif kind < 0.85:
            hue, full, light = rng.uniform(0, 360), rng.uniform(0, 0.3), rng.uniform(0.06, 0.3)
        else:
            hue, full, light = rng.uniform(0, 360), rng.uniform(0.3, 0.9), rng.uniform(0.2, 0.7)
        if (int(hue % 360) // 5 % 6 == 0) == kept_out:
            break
    red, green, blue = colorsys.hsv_to_rgb(hue % 360 / 360, full, light)
    return (255 * blue, 255 * green, 255 * red)


def _ink(rng: np.random.Generator, felt: Colour) -> Colour:
    kind = rng.random()
    if kind < 0.35:
        white = rng.uniform(200, 255)
        return (white * rng.uniform(0.85, 1), white, white)
    if kind < 0.6:
        return (rng.uniform(20, 120), rng.uniform(160, 215), rng.uniform(200, 250))
    if kind < 0.72:
        return (rng.uniform(20, 60), rng.uniform(20, 60), rng.uniform(160, 230))
    if kind < 0.9:
        lighter = rng.uniform(0.35, 0.7) if rng.random() < 0.5 else rng.uniform(-0.6, -0.3)
        target = 255 if lighter > 0 else 0
        share = abs(lighter)
        blue, green, red = (part + share * (target - part) for part in felt)
        return (blue, green, red)
    blue, green, red = rng.uniform(0, 255, 3).tolist()
    return (blue, green, red)


@lru_cache(maxsize=2 * CLOTHS)
def cloth_tile(number: int) -> NDArray[np.uint8]:
    """A tile that repeats without a seam: 128 is the cloth's colour, more is lighter."""
    rng = np.random.default_rng((number, 71))
    side = CLOTH_PX
    fine = smooth_noise(rng, side, 0.6)
    grain = smooth_noise(rng, side, 2.0)
    worn = smooth_noise(rng, side, 60.0)
    rows, columns = np.mgrid[0:side, 0:side].astype(np.float32)
    kind = number % 4
    weave = np.zeros((side, side), np.float32)
    if kind == 1:
        steps = int(rng.integers(40, 110))
        weave = np.sin(2 * np.pi * steps * (rows + columns) / side)
    elif kind == 2:
        steps = int(rng.integers(60, 130))
        weave = np.sin(2 * np.pi * steps * rows / side) * np.sin(2 * np.pi * steps * columns / side)
    elif kind == 3:
        weave = _suited(rng, side)
    value = 128 + 11 * fine + 5 * grain + 5 * worn + rng.uniform(6, 16) * weave
    return np.clip(value, 40, 235).astype(np.uint8)


def _suited(rng: np.random.Generator, side: int) -> NDArray[np.float32]:
    """Cloth with a faint pattern of suits, rings or lozenges, as many casinos have it."""
    cell = side // int(rng.choice([8, 16]))
    page = np.zeros((side, side), np.uint8)
    signs = "♠♥♦♣" if rng.random() < 0.6 else "♦"
    face = suit_typeface()
    for row in range(side // cell):
        for column in range(side // cell):
            sprite, _ = face.draw(signs[(row + column) % len(signs)])
            pixels, _ = sprite.level(1.0)
            size = cell * 2 // 3
            small = cv2.resize(pixels, (size, size), interpolation=cv2.INTER_AREA)
            top, left = row * cell + cell // 6, column * cell + cell // 6
            page[top : top + size, left : left + size] = small
    strength = np.float32(rng.choice([-1.5, 1.0, 1.5]) / 255)
    return page.astype(np.float32) * strength


def smooth_noise(rng: np.random.Generator, side: int, softness: float) -> NDArray[np.float32]:
    """Noise of mean 0 and deviation 1 that repeats without a seam.

    It is one of a few, shifted: making it takes longer than all else that a texture needs.
    """
    rounded = float(2 ** (round(3 * np.log2(softness)) / 3))
    noise = _kept_noise(int(rng.integers(_NOISES)), side, rounded)
    return np.roll(noise, (int(rng.integers(side)), int(rng.integers(side))), (0, 1))


@lru_cache(maxsize=64)
def _kept_noise(number: int, side: int, softness: float) -> NDArray[np.float32]:
    rng = np.random.default_rng((number, 73))
    noise = rng.standard_normal((side, side)).astype(np.float32)
    frequency = np.fft.fftfreq(side)[:, None] ** 2 + np.fft.rfftfreq(side)[None, :] ** 2
    kept = np.exp(-2 * (np.pi * softness) ** 2 * frequency)
    smooth = np.fft.irfft2(np.fft.rfft2(noise) * kept, (side, side))
    smooth -= smooth.mean()
    return np.asarray(smooth / (smooth.std() + 1e-9), np.float32)


def tiled(
    canvas: Canvas,
    tile: NDArray[np.uint8],
    mm_per_px: float,
    start: tuple[float, float] = (0, 0),
    *,
    mirrored: bool = False,
) -> NDArray[np.uint8]:
    """The picture that the camera has of a table covered with that tile.

    Mirrored, every other tile is turned over, so that tiles with a seam fit together.
    """
    width, height = canvas.camera.size
    scale = canvas.camera.scale_at(*_seen_middle(canvas)) * mm_per_px
    while scale < 0.55 and min(tile.shape[:2]) > 64:
        half = (tile.shape[1] // 2, tile.shape[0] // 2)
        tile = np.asarray(cv2.resize(tile, half, interpolation=cv2.INTER_AREA), np.uint8)
        scale, mm_per_px = scale * 2, mm_per_px * 2
    to_table = np.array([[mm_per_px, 0, start[0]], [0, -mm_per_px, start[1]], [0, 0, 1.0]])
    seen = cv2.warpPerspective(
        tile,
        canvas.camera.plane() @ to_table,
        (width, height),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REFLECT if mirrored else cv2.BORDER_WRAP,
    )
    return np.asarray(seen, np.uint8)


def _seen_middle(canvas: Canvas) -> tuple[float, float]:
    width, height = canvas.camera.size
    point = np.linalg.solve(canvas.camera.plane(), np.array([width / 2, height / 2, 1.0]))
    return float(point[0] / point[2]), float(point[1] / point[2])


def spread(canvas: Canvas, felt: Felt) -> None:
    """Cover the whole picture with the bare cloth."""
    width, height = canvas.camera.size
    cv2.rectangle(canvas.image, (0, 0), (width, height), felt.colour, -1)


def weave(canvas: Canvas, felt: Felt) -> None:
    """Roughen cloth and printing alike."""
    seen = tiled(canvas, cloth_tile(felt.cloth), felt.weave_mm)
    rough = cv2.convertScaleAbs(seen, alpha=felt.roughness, beta=128 * (1 - felt.roughness))
    cv2.multiply(canvas.image, cv2.merge([rough] * 3), dst=canvas.image, scale=1 / 128)


def arc(
    centre: tuple[float, float], radius: float, start: float, end: float, steps: int = 40
) -> NDArray[np.float64]:
    angles = np.radians(np.linspace(start, end, steps))
    return np.column_stack(
        [centre[0] + radius * np.cos(angles), centre[1] + radius * np.sin(angles)]
    )


def band(points: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """The polygon of a line of that width along the points."""
    ahead = np.gradient(points, axis=0)
    side = np.column_stack([-ahead[:, 1], ahead[:, 0]])
    side *= width / 2 / np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-9)
    return np.vstack([points + side, (points - side)[::-1]])


def block(
    centre: tuple[float, float], width: float, height: float, turned: float = 0.0
) -> NDArray[np.float64]:
    corners = np.array(
        [[-width, height, 2], [width, height, 2], [width, -height, 2], [-width, -height, 2]]
    )
    return (corners / 2) @ placed(centre, turned)[:2].T


def outline(
    canvas: Canvas, points: NDArray[np.float64], width: float, colour: Colour, strength: float
) -> None:
    """Draw a closed line: the polygon less a smaller one."""
    middle = points.mean(axis=0)
    reach = np.linalg.norm(points - middle, axis=1).mean()
    inner = middle + (points - middle) * max(0.05, 1 - 1.3 * width / max(reach, 1.0))
    canvas.fill(points, colour, strength=strength, holes=[inner])


def ring(
    canvas: Canvas, centre: tuple[float, float], radius: float, width: float, colour: Colour,
    strength: float,
) -> None:  # fmt: skip
    inner = arc(centre, radius - width, 0, 360)
    canvas.fill(arc(centre, radius, 0, 360), colour, strength=strength, holes=[inner])


def ornament(
    canvas: Canvas, rng: np.random.Generator, centre: tuple[float, float], size: float,
    colour: Colour, strength: float,
) -> None:  # fmt: skip
    """A curled, scaled and spiked beast, or a spray of tendrils."""
    length = int(rng.integers(30, 60))
    along = np.linspace(0, 1, length)
    curl = rng.uniform(1, 3) * np.pi
    bend = np.cumsum(np.sin(along * curl * 2 + rng.uniform(0, 6)) * rng.uniform(0.08, 0.3))
    heading = bend + rng.uniform(0, 2 * np.pi)
    path = np.cumsum(np.column_stack([np.cos(heading), np.sin(heading)]), axis=0)
    path -= path.mean(axis=0)
    path *= size / max(np.ptp(path, axis=0).max(), 1e-6)
    path += centre
    thick = size * rng.uniform(0.06, 0.14) * np.sin(np.pi * (0.08 + 0.9 * along)) ** 0.7
    side = np.gradient(path, axis=0)
    side = np.column_stack([-side[:, 1], side[:, 0]])
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-9)
    jag = 1 + 0.5 * (np.arange(length) % 2)
    body = np.vstack([path + side * (thick * jag)[:, None], (path - side * thick[:, None])[::-1]])
    canvas.fill(body, colour, strength=strength)
    for at in range(3, length - 3, int(rng.integers(3, 7))):
        tip = path[at] + side[at] * size * rng.uniform(0.1, 0.28) * rng.choice([-1, 1])
        tip += rng.normal(0, size * 0.05, 2)
        canvas.fill(np.array([path[at - 1], path[at + 1], tip]), colour, strength=strength)
    eye = (float(path[1][0]), float(path[1][1]))
    canvas.fill(arc(eye, size * 0.07, 0, 360, 14), colour, strength=strength)


@dataclass(frozen=True, slots=True)
class Seat:
    """Where a player's cards lie and how they are turned."""

    number: int
    x: float
    y: float
    turned: float


def print_blackjack(
    canvas: Canvas, felt: Felt, seats: Sequence[Seat], dealer: tuple[float, float]
) -> None:
    """Arcs of words before the dealer, and a box and circles for each seat."""
    rng = np.random.default_rng((felt.seed, 5))
    centre = (dealer[0], dealer[1] + rng.uniform(100, 260))
    words = list(rng.permutation(np.array(BLACKJACK_WORDS, dtype=object)))
    reach = np.hypot(seats[0].x - centre[0], seats[0].y - centre[1]) if seats else 650.0
    radius = np.hypot(0, centre[1] - dealer[1]) + rng.uniform(110, 160)
    while radius < reach - 130:
        height = float(rng.uniform(14, 48))
        ink = felt.inks[int(rng.integers(3))]
        face = felt.faces[int(rng.integers(3))]
        text = str(words.pop())
        print_along_arc(
            canvas, face, text, centre, float(radius), middle=270.0 + rng.normal(0, 1),
            height=height, colour=ink, inward=bool(rng.random() < 0.8),
            spacing=float(rng.uniform(1, 1.5)), strength=felt.strength,
        )  # fmt: skip
        if rng.random() < 0.5:
            for edge in (-0.9, 0.9):
                line = arc(centre, radius + edge * height, 200, 340)
                canvas.fill(band(line, rng.uniform(2, 7)), ink, strength=felt.strength)
        radius += height * 1.9 + rng.uniform(10, 50)
    _print_seats(canvas, felt, seats, rng)
    if rng.random() < 0.5:
        canvas_at = (dealer[0] + rng.uniform(-40, 40), dealer[1])
        outline(canvas, block(canvas_at, rng.uniform(200, 420), rng.uniform(95, 130)), 4,
                felt.inks[0], felt.strength)  # fmt: skip
    _print_house(canvas, felt, rng)


def _print_seats(
    canvas: Canvas, felt: Felt, seats: Sequence[Seat], rng: np.random.Generator
) -> None:
    ink, second = felt.inks[0], felt.inks[1]
    face = felt.faces[0]
    style = rng.random(6)
    for seat in seats:
        outwards = np.radians(seat.turned - 90)
        away = np.array([np.cos(outwards), np.sin(outwards)])
        box = (float(seat.x + WAGER_MM * away[0]), float(seat.y + WAGER_MM * away[1]))
        if style[0] < 0.5:
            outline(canvas, block(box, 62 + 40 * style[1], 90 + 20 * style[2], seat.turned), 4, ink,
                    felt.strength)  # fmt: skip
        else:
            ring(canvas, box, 42 + 15 * style[1], 3 + 4 * style[2], ink, felt.strength)
        if style[3] < 0.55:
            print_straight(canvas, face, str(seat.number), box, height=25 + 30 * style[4],
                           turned=seat.turned, colour=second, strength=felt.strength)  # fmt: skip
        elif style[3] < 0.7:
            ornament(canvas, np.random.default_rng((felt.seed, 6)), box, 60, second, felt.strength)
        if style[5] < 0.55:
            beside = np.radians(seat.turned)
            for side, word in ((-1, "21+3"), (1, "PAIRS")):
                at = (
                    float(box[0] + side * 85 * np.cos(beside)),
                    float(box[1] + side * 85 * np.sin(beside)),
                )
                ring(canvas, at, 26, 3, second, felt.strength)
                print_straight(canvas, felt.faces[1], word, at, height=10, turned=seat.turned,
                               colour=ink, strength=felt.strength)  # fmt: skip
        if style[2] < 0.3:
            outline(canvas, block((seat.x, seat.y), 90, 120, seat.turned), 3, ink, felt.strength)


def _print_house(canvas: Canvas, felt: Felt, rng: np.random.Generator) -> None:
    for _ in range(int(rng.integers(0, 4))):
        at = (float(rng.uniform(-900, 900)), float(rng.uniform(-300, 400)))
        ink = felt.inks[int(rng.integers(3))]
        kind = rng.random()
        if kind < 0.45:
            text = str(HOUSES[int(rng.integers(len(HOUSES)))])
            print_straight(canvas, felt.faces[2], text, at, height=float(rng.uniform(25, 90)),
                           turned=float(rng.normal(0, 12)), colour=ink,
                           strength=felt.strength)  # fmt: skip
        elif kind < 0.7:
            sign = str(rng.choice(list("♠♥♦♣")))
            print_straight(canvas, suit_typeface(), sign, at, height=float(rng.uniform(30, 140)),
                           turned=float(rng.normal(0, 20)), colour=ink,
                           strength=felt.strength)  # fmt: skip
        else:
            ornament(canvas, rng, at, float(rng.uniform(100, 320)), ink, felt.strength)


def print_baccarat(
    canvas: Canvas, felt: Felt, player: tuple[float, float], banker: tuple[float, float]
) -> None:
    """Two boxes for the hands, and rows of wagers with the seats' numbers."""
    rng = np.random.default_rng((felt.seed, 7))
    inks, faces = felt.inks, felt.faces
    names = ("PLAYER", "BANKER") if rng.random() < 0.8 else ("Player", "Banker")
    wide, tall = rng.uniform(230, 330), rng.uniform(130, 180)
    boxed, above = rng.random() < 0.7, 1 if rng.random() < 0.5 else -1
    for name, (x, y), ink in zip(names, (player, banker), (inks[0], inks[1]), strict=True):
        if boxed:
            outline(canvas, block((x, y), wide, tall), rng.uniform(3, 8), ink, felt.strength)
        if rng.random() < 0.85:
            heading = (float(x), float(y + above * (tall / 2 + 26)))
            print_straight(canvas, faces[0], name, heading, height=float(rng.uniform(16, 40)),
                           colour=ink, strength=felt.strength)  # fmt: skip
    centre = (0.0, 420.0)
    radius = 560.0
    count = int(rng.integers(5, 10))
    start, end = 270 - rng.uniform(38, 62), 270 + rng.uniform(38, 62)
    for row, word in enumerate(
        rng.permutation(np.array(BACCARAT_WORDS, dtype=object))[: int(rng.integers(2, 6))]
    ):
        ink = inks[row % 3]
        deep = rng.uniform(40, 90)
        canvas.fill(
            band(arc(centre, radius, start, end), rng.uniform(2, 6)), ink, strength=felt.strength
        )
        for seat in range(count):
            angle = start + (seat + 0.5) * (end - start) / count
            direction = np.radians(angle)
            at = (float(centre[0] + (radius + deep / 2) * np.cos(direction)),
                  float(centre[1] + (radius + deep / 2) * np.sin(direction)))  # fmt: skip
            text = str(seat + 1) if row % 2 == 0 or rng.random() < 0.2 else str(word)
            size = deep * (0.5 if len(text) < 3 else min(0.4, 1.6 / len(text)))
            print_straight(canvas, faces[row % 3], text, at, height=float(size), turned=angle + 90,
                           colour=ink, strength=felt.strength)  # fmt: skip
            if rng.random() < 0.7:
                edge = np.radians(angle + (end - start) / count / 2)
                spoke = np.array([[centre[0] + r * np.cos(edge), centre[1] + r * np.sin(edge)]
                                  for r in (radius, radius + deep)])  # fmt: skip
                canvas.fill(band(spoke, 3), ink, strength=felt.strength)
        radius += deep
    _print_house(canvas, felt, rng)
