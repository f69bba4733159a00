"""What the reader sees of an index while it learns: leaning, blurred, dim, far away."""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.boxes import Image, lean
from vision.index_reader import CROP_MARGIN, CROP_SIDE

LEAST_HEIGHT: Final = 10.0
"""Pixels: indexes are shrunk to no less than this."""
MOST_LEANING: Final = 62.0
"""Degrees: the finder tells which way is up to a quarter turn, and errs a little."""


def glimpse(
    patch: Image,
    corners: NDArray[np.float32],
    height: float,
    rng: np.random.Generator,
    *,
    turned: bool = True,
    leaning: float = MOST_LEANING,
) -> Image:
    """A patch as the reader might come to see it, up to `leaning` degrees from upright.

    Where only the upright box of an index is known, and so not how far it leans, it is turned by no
    more than a little.
    """
    middle = (patch.shape[1] - 1) / 2
    if not turned:
        # Turning the box by a little must not make it grow.
        turn = cv2.getRotationMatrix2D((middle, middle), float(rng.normal(0, 4)), 1.0)
        seen = np.asarray(corners, np.float64)
    else:
        angle = lean(corners) + float(rng.uniform(-leaning, leaning))
        turn = cv2.getRotationMatrix2D((middle, middle), angle, 1.0)
        if rng.random() < 0.5:
            squeeze = _squeeze(rng, middle)
            turn = squeeze[:, :2] @ turn + np.column_stack([np.zeros((2, 2)), squeeze[:, 2]])
        seen = np.asarray(corners @ turn[:, :2].T + turn[:, 2], np.float64)
    left, top = seen.min(axis=0)
    right, bottom = seen.max(axis=0)
    long = max(right - left, bottom - top)
    side = CROP_MARGIN * long * float(np.exp(rng.normal(0, 0.09)))
    x = (left + right) / 2 + float(rng.normal(0, 0.06)) * long
    y = (top + bottom) / 2 + float(rng.normal(0, 0.06)) * long
    scale = CROP_SIDE / side
    placed = np.array(
        [[scale, 0, CROP_SIDE / 2 - scale * x], [0, scale, CROP_SIDE / 2 - scale * y]]
    )
    whole = placed[:, :2] @ turn + np.column_stack([np.zeros((2, 2)), placed[:, 2]])
    crop = cv2.warpAffine(
        patch,
        whole,
        (CROP_SIDE, CROP_SIDE),
        flags=cv2.INTER_LINEAR if scale > 0.8 else cv2.INTER_AREA,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return _worn(np.asarray(crop, np.uint8), height, CROP_SIDE * long / side, rng)


def _squeeze(rng: np.random.Generator, middle: float) -> NDArray[np.float64]:
    """As a camera to the side sees it: narrower along some direction."""
    along = rng.uniform(0, np.pi)
    axis = np.array([np.cos(along), np.sin(along)])
    linear = np.eye(2) - (1 - rng.uniform(0.6, 1.0)) * np.outer(axis, axis)
    centre = np.array([middle, middle])
    return np.column_stack([linear, centre - linear @ centre])


def _worn(crop: Image, height: float, long: float, rng: np.random.Generator) -> Image:
    """What distance, lens, light and coding do to a crop whose index is `long` pixels in it."""
    if height > LEAST_HEIGHT and rng.random() < 0.4:
        crop = _far_away(crop, LEAST_HEIGHT / long, min(height / long, 1.0), rng)
    choice = rng.random()
    if choice < 0.1:
        crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), float(rng.uniform(0.5, 1.5))), np.uint8)
    elif choice < 0.2:
        crop = _moved(crop, rng)
    crop = _lit(crop, rng)
    if rng.random() < 0.25:
        noise = rng.integers(-1, 2, crop.shape, np.int16) * int(rng.integers(1, 9))
        crop = np.clip(crop + noise, 0, 255).astype(np.uint8)
    return _coded(crop, int(rng.integers(30, 90))) if rng.random() < 0.12 else crop


def _far_away(crop: Image, least: float, most: float, rng: np.random.Generator) -> Image:
    """Shrunk to between these shares of its size, coded, and enlarged again."""
    if most <= least:
        return crop
    side = max(8, round(CROP_SIDE * float(np.exp(rng.uniform(np.log(least), np.log(most))))))
    small = np.asarray(cv2.resize(crop, (side, side), interpolation=cv2.INTER_AREA), np.uint8)
    if rng.random() < 0.4:
        small = _coded(small, int(rng.integers(45, 95)))
    grown = cv2.resize(small, (CROP_SIDE, CROP_SIDE), interpolation=cv2.INTER_LINEAR)
    return np.asarray(grown, np.uint8)


def _lit(crop: Image, rng: np.random.Generator) -> Image:
    """Under another light: brighter, dimmer, flatter, tinted, or without colour."""
    levels = np.arange(256, dtype=np.float64)
    if rng.random() < 0.25:
        levels = 255 * (levels / 255) ** float(np.exp(rng.normal(0, 0.3)))
    contrast, dimmed = rng.uniform(0.7, 1.2), rng.uniform(0.65, 1.15)
    levels = ((levels - 128) * contrast + 128) * dimmed
    tints = rng.uniform(0.85, 1.12, 3) if rng.random() < 0.4 else np.ones(3)
    table = np.clip(levels[None, :, None] * tints, 0, 255).astype(np.uint8)
    lit = np.asarray(cv2.LUT(crop, table), np.uint8)
    if rng.random() < 0.04:
        lit = np.asarray(
            cv2.cvtColor(cv2.cvtColor(lit, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR), np.uint8
        )
    return lit


def _coded(crop: Image, quality: int) -> Image:
    kept = cv2.imencode(".jpg", crop, (int(cv2.IMWRITE_JPEG_QUALITY), quality))[1]
    return np.asarray(cv2.imdecode(kept, cv2.IMREAD_COLOR), np.uint8)


def _moved(crop: Image, rng: np.random.Generator) -> Image:
    """Blurred along one direction, as a card that is still sliding."""
    size = int(rng.integers(1, 4)) * 2 + 1
    kernel = np.zeros((size, size), np.float32)
    angle = rng.uniform(0, np.pi)
    reach = (size - 1) / 2
    start = (round(reach - reach * np.cos(angle)), round(reach - reach * np.sin(angle)))
    end = (round(reach + reach * np.cos(angle)), round(reach + reach * np.sin(angle)))
    cv2.line(kernel, start, end, 1.0)
    return np.asarray(cv2.filter2D(crop, -1, kernel / kernel.sum()), np.uint8)
