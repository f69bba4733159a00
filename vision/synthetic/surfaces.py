"""Where cards lie that are on no casino table: wood, cloth, carpet, keyboards, paper, pictures."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.synthetic.felts import smooth_noise, tiled
from vision.synthetic.lettering import draw_typeface

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from vision.synthetic.canvases import Canvas, Colour

SURFACES: Final = 600
_SIDE: Final = 512


@dataclass(frozen=True, slots=True)
class Surface:
    number: int
    mm_per_px: float
    start: tuple[float, float]


def draw_surface(rng: np.random.Generator, *, kept_out: bool = False) -> Surface:
    number = int(rng.integers(SURFACES)) + (SURFACES if kept_out else 0)
    return Surface(
        number, float(np.exp(rng.uniform(-1.2, 0.4))), (rng.uniform(0, 400), rng.uniform(0, 400))
    )


def cover(canvas: Canvas, surface: Surface) -> None:
    tile = surface_tile(surface.number)
    canvas.image[:] = tiled(canvas, tile, surface.mm_per_px, surface.start, mirrored=True)


def any_colour(rng: np.random.Generator) -> Colour:
    red, green, blue = colorsys.hsv_to_rgb(
        rng.random(), rng.uniform(0, 0.9), rng.uniform(0.08, 0.97)
    )
    return (255 * blue, 255 * green, 255 * red)


@lru_cache(maxsize=48)
def surface_tile(number: int) -> NDArray[np.uint8]:
    rng = np.random.default_rng((number, 83))
    kinds: tuple[Callable[[np.random.Generator], NDArray[np.float32]], ...] = (
        _wood, _wood, _stripes, _speckled, _speckled, _dots, _stars, _keyboard, _page, _clutter,
        _cells, _plain,
    )  # fmt: skip
    tile = kinds[int(rng.integers(len(kinds)))](rng)
    grain = smooth_noise(rng, _SIDE, 0.5) * rng.uniform(0, 6) + smooth_noise(
        rng, _SIDE, 40
    ) * rng.uniform(0, 10)
    return np.clip(tile + grain[:, :, None], 0, 255).astype(np.uint8)


def _mixed(low: Colour, high: Colour, share: NDArray[np.float32]) -> NDArray[np.float32]:
    share = np.clip(share, 0, 1)[:, :, None]
    return np.asarray(
        np.array(low, np.float32) * (1 - share) + np.array(high, np.float32) * share, np.float32
    )


def _wood(rng: np.random.Generator) -> NDArray[np.float32]:
    deep = rng.uniform(0.25, 1.0)
    low = tuple((np.array([60, 95, 140]) * deep * rng.uniform(0.6, 1, 1)).tolist())
    high = tuple((np.array([130, 175, 215]) * deep).tolist())
    long = np.fft.irfft2(
        np.fft.rfft2(rng.standard_normal((_SIDE, _SIDE)))
        * np.exp(
            -2
            * np.pi**2
            * (
                (np.fft.fftfreq(_SIDE)[:, None] * 2.0) ** 2
                + (np.fft.rfftfreq(_SIDE)[None] * 40) ** 2
            )
        ),
        (_SIDE, _SIDE),
    )
    long = (long / long.std()).astype(np.float32)
    rows = np.arange(_SIDE, dtype=np.float32)[:, None]
    rings = np.sin(
        2 * np.pi * rng.integers(4, 24) * rows / _SIDE + 2.5 * smooth_noise(rng, _SIDE, 50)
    )
    tile = _mixed(low, high, 0.5 + 0.16 * long + rng.uniform(0, 0.18) * rings)
    if rng.random() < 0.5:
        tile[:: _SIDE // int(rng.choice([2, 4]))] *= 0.5
        tile[1 :: _SIDE // int(rng.choice([2, 4]))] *= 0.6
    return tile if rng.random() < 0.5 else np.ascontiguousarray(tile.transpose(1, 0, 2))


def _stripes(rng: np.random.Generator) -> NDArray[np.float32]:
    rows, columns = np.mgrid[0:_SIDE, 0:_SIDE].astype(np.float32) / _SIDE
    across, down = int(rng.integers(2, 40)), int(rng.integers(0, 40))
    first = np.sin(2 * np.pi * across * columns) + (rng.random() < 0.5) * np.sin(
        2 * np.pi * down * rows
    )
    sharp = rng.uniform(0.5, 6)
    return _mixed(any_colour(rng), any_colour(rng), 0.5 + sharp * first)


def _speckled(rng: np.random.Generator) -> NDArray[np.float32]:
    value = smooth_noise(rng, _SIDE, rng.uniform(0.5, 4)) + smooth_noise(
        rng, _SIDE, rng.uniform(4, 30)
    )
    return _mixed(any_colour(rng), any_colour(rng), 0.5 + rng.uniform(0.1, 0.6) * value)


def _dots(rng: np.random.Generator) -> NDArray[np.float32]:
    tile = np.ones((_SIDE, _SIDE, 3), np.float32) * np.array(any_colour(rng), np.float32)
    cell = _SIDE // int(rng.choice([4, 8, 16]))
    radius, colour = int(cell * rng.uniform(0.12, 0.42)), any_colour(rng)
    for row in range(_SIDE // cell):
        for column in range(_SIDE // cell):
            x = int((column + (row % 2) / 2) * cell) % _SIDE
            cv2.circle(tile, (x, int((row + 0.5) * cell)), radius, colour, -1, cv2.LINE_AA)
    return tile


def _stars(rng: np.random.Generator) -> NDArray[np.float32]:
    tile = np.ones((_SIDE, _SIDE, 3), np.float32) * np.array(any_colour(rng), np.float32)
    colour, points = any_colour(rng), int(rng.integers(3, 9))
    cell = _SIDE // int(rng.choice([2, 4, 8]))
    thick = int(rng.integers(2, 6))
    for row in range(_SIDE // cell):
        for column in range(_SIDE // cell):
            x, y = int((column + 0.5) * cell), int((row + 0.5) * cell)
            for point in range(points):
                angle = 2 * np.pi * point / points
                end = (int(x + cell * 0.55 * np.cos(angle)), int(y + cell * 0.55 * np.sin(angle)))
                cv2.line(tile, (x, y), end, colour, thick, cv2.LINE_AA)
    return tile


def _keyboard(rng: np.random.Generator) -> NDArray[np.float32]:
    grey = rng.uniform(20, 200)
    tile = np.full((_SIDE, _SIDE, 3), grey, np.float32)
    key, letter = (rng.uniform(10, 50), 220.0) if rng.random() < 0.7 else (225.0, 40.0)
    cell = 64
    face = draw_typeface(rng)
    for row in range(_SIDE // cell):
        for column in range(_SIDE // cell):
            left, top = column * cell + 4, row * cell + 4
            cv2.rectangle(tile, (left, top), (left + cell - 9, top + cell - 9), (key, key, key), -1)
            sprite, _ = face.draw(str(rng.choice(list("QWERTYUIOPASDFGHJKLZXCVBNM1234567890"))))
            pixels, _ = sprite.level(1.0)
            small = cv2.resize(pixels, (18, 30), interpolation=cv2.INTER_AREA)[:, :, None] / 255.0
            part = tile[top + 8 : top + 38, left + 8 : left + 26]
            part[:] = part * (1 - small) + letter * small
    return tile


def _page(rng: np.random.Generator) -> NDArray[np.float32]:
    pale, ink = rng.uniform(190, 250), np.array(any_colour(rng), np.float32) * 0.4
    tile = np.full((_SIDE, _SIDE, 3), pale, np.float32)
    face = draw_typeface(rng)
    size, top = int(rng.integers(12, 44)), 4
    while top + size * 2 < _SIDE:
        text = "".join(
            str(rng.choice(list("abcdefghiklmnopqrstuAKQJ0123456789     "))) for _ in range(40)
        )
        pixels, _ = face.draw(text)[0].level(1.0)
        wide = min(_SIDE - 8, int(pixels.shape[1] * size * 1.5 / pixels.shape[0]))
        kept = pixels[:, : int(wide / (size * 1.5) * pixels.shape[0])]
        small = (
            cv2.resize(kept, (wide, int(size * 1.5)), interpolation=cv2.INTER_AREA)[:, :, None]
            / 255.0
        )
        part = tile[top : top + small.shape[0], 4 : 4 + wide]
        part[:] = part * (1 - small) + ink * small
        top += int(size * rng.uniform(1.4, 2.2))
    return tile


def _clutter(rng: np.random.Generator) -> NDArray[np.float32]:
    """Something like a busy picture: overlapping shapes of all sizes and colours."""
    tile = np.ones((_SIDE, _SIDE, 3), np.float32) * np.array(any_colour(rng), np.float32)
    for _ in range(int(rng.integers(30, 160))):
        x, y = (int(v) for v in rng.integers(0, _SIDE, 2))
        size = int(np.exp(rng.uniform(1.5, 5)))
        colour = any_colour(rng)
        kind = rng.random()
        if kind < 0.35:
            cv2.ellipse(
                tile,
                (x, y),
                (size, max(1, int(size * rng.uniform(0.2, 1)))),
                rng.uniform(0, 180),
                0,
                360,
                colour,
                -1,
                cv2.LINE_AA,
            )
        elif kind < 0.6:
            points = np.array([x, y]) + rng.normal(0, size, (int(rng.integers(3, 7)), 2))
            cv2.fillPoly(tile, [points.astype(np.int32)], colour, cv2.LINE_AA)
        elif kind < 0.8:
            end = (int(x + rng.normal(0, 3 * size)), int(y + rng.normal(0, 3 * size)))
            cv2.line(tile, (x, y), end, colour, int(rng.integers(1, 12)), cv2.LINE_AA)
        else:
            cv2.circle(tile, (x, y), size, colour, int(rng.integers(1, 8)), cv2.LINE_AA)
    if rng.random() < 0.5:
        tile = np.asarray(cv2.GaussianBlur(tile, (0, 0), rng.uniform(1, 6)), np.float32)
    return tile


def _cells(rng: np.random.Generator) -> NDArray[np.float32]:
    """Cracked earth, leather, pebbles: cells round scattered points."""
    points = rng.uniform(0, _SIDE, (int(rng.integers(30, 260)), 2))
    page = np.full((_SIDE, _SIDE), 255, np.uint8)
    page[points[:, 1].astype(int), points[:, 0].astype(int)] = 0
    near, labels = cv2.distanceTransformWithLabels(
        page, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    edges = np.asarray(
        cv2.morphologyEx(labels.astype(np.float32), cv2.MORPH_GRADIENT, np.ones((3, 3))) > 0
    )
    tile = _mixed(
        any_colour(rng), any_colour(rng), near / (near.max() + 1e-6) * rng.uniform(0.6, 1.6)
    )
    tile[edges] *= rng.uniform(0.2, 0.9)
    if rng.random() < 0.4:
        tile *= rng.uniform(0.6, 1.2, int(labels.max()) + 1).astype(np.float32)[labels][:, :, None]
    return tile


def _plain(rng: np.random.Generator) -> NDArray[np.float32]:
    return _mixed(any_colour(rng), any_colour(rng), 0.5 + 0.08 * smooth_noise(rng, _SIDE, 80))
