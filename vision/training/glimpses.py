"""What the networks see of an index while they learn: leaning, blurred, dim, far away."""

from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.boxes import Image, lean
from vision.index_crops import (
    CROP_MARGIN,
    CROP_SIDE,
    EXAMINED_MARGIN,
    EXAMINED_SIDE,
    FACE_AT,
    FACE_MARGIN,
    FACE_SIDE,
    Map,
    map_as_it_lies,
    map_upright,
)
from vision.index_looks import middle_parts
from vision.index_turner import place_in
from vision.training.shards import FACE_PATCH_MARGIN

LEAST_HEIGHT: Final = 12.0
"""Pixels: indexes are shrunk to no less than this."""
FAR_SHARE: Final = 0.2
"""How often an index is shrunk: small ones are the hardest to read."""
GREY_SHARE: Final = 0.16
"""How often an index is seen without its colours, so that its suit is known by its shape, too."""
USUAL_ERROR: Final = 3.5
"""Degrees: the deviation of what the turner says of a lean."""
LARGE_ERROR: Final = 20.0
LARGE_SHARE: Final = 0.08
"""How often it errs by any amount up to the large one."""

USUAL_BOX: Final = 0.05
LOOSE_BOX: Final = 0.16
LOOSE_SHARE: Final = 0.12
"""The deviation of the logarithm of a box's size as the turner sets it right, and how often it is
the greater one."""
FOUND_BOX: Final = 0.12
BADLY_FOUND_BOX: Final = 0.3
BADLY_FOUND_SHARE: Final = 0.2
"""The same as the finder draws it."""
RANK_SHARE: Final = 0.15
SUIT_SHARE: Final = 0.06
"""How often the finder is taken to have seen no more of an index than its rank, or its suit."""
CLOSER_SHARE: Final = 0.2
"""How often it is looked at from nearer by, as what is in doubt is in use."""
WIDE_SHARE: Final = 0.25
WIDE_FROM: Final = 0.85
"""How often no more than one side of an index, if it is so wide by its height: the nought of a ten
reads as a queen."""
AS_FOUND_SHARE: Final = 0.6
"""How often the box is the one that a finder drew, if there is one."""
AS_TOLD_SHARE: Final = 0.6
"""How often an index is seen as a turner said that it lies, if it did."""
TOLD_BOX: Final = 0.02
TOLD_ERROR: Final = 1.5
"""By how much what a turner says then differs from time to time: sizes, and degrees."""
WORN_SHARE: Final = 0.25
LIT_SHARE: Final = 0.37
"""How often what was found is worn as well, and how often it is seen under another light only."""


class Square(NamedTuple):
    """A square that is looked at: its pixels, its side by the index's height, where that is."""

    side: int
    margin: float
    at: tuple[float, float]

    @property
    def tall(self) -> float:
        """How many pixels of it an index is tall."""
        return self.side / self.margin


EXAMINED: Final = Square(EXAMINED_SIDE, EXAMINED_MARGIN, (0.5, 0.5))
FACE: Final = Square(FACE_SIDE, FACE_MARGIN, FACE_AT)


def glimpse_as_it_lies(
    patch: Image,
    corners: NDArray[np.float32],
    height: float,
    found: NDArray[np.float32],
    rng: np.random.Generator,
) -> tuple[Image, NDArray[np.float32]]:
    """A patch as the turner sees it; what it should tell: the lean, and the four of the place."""
    as_found = bool(np.isfinite(found).all()) and rng.random() < AS_FOUND_SHARE
    # A box that was found is one of an index that leans as it does, but for quarter turns.
    quarters = int(rng.integers(4))
    degrees = 90 * quarters + rng.uniform(-12, 12) if as_found else rng.uniform(0, 360)
    view = _turned(_squeezed(rng, patch), float(degrees), patch)
    seen = (corners @ view[:, :2].T + view[:, 2]).astype(np.float32)
    if as_found:
        middle = view[:, :2] @ (found[:2] + found[2:]) / 2 + view[:, 2]
        half = (found[2:] - found[:2])[:: -1 if quarters % 2 else 1] / 2
        box = np.concatenate([middle - half, middle + half]).astype(np.float32)
    else:
        box = _found_box(seen, rng)
    worn = _worn(_cut(patch, view, map_as_it_lies(box)), height, rng)
    return worn, np.array([lean(seen), *place_in(box, seen)], np.float32)


def _found_box(corners: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """The box round an index as the finder might draw it: at times round a part of it.

    Or else the one for the second look at what is in doubt.
    """
    if rng.random() < CLOSER_SHARE:
        told = _loose_box(corners, rng, USUAL_BOX, LOOSE_BOX, LOOSE_SHARE)
        return np.asarray(middle_parts(told[None])[0], np.float32)
    choice = rng.random()
    first, last = 0.0, 1.0
    if choice < RANK_SHARE:
        last = rng.uniform(0.42, 0.65)
    elif choice < RANK_SHARE + SUIT_SHARE:
        first = rng.uniform(0.4, 0.6)
    left, right = 0.0, 1.0
    across, down = corners[1] - corners[0], corners[3] - corners[0]
    wide = np.hypot(*across) > WIDE_FROM * np.hypot(*down)
    if wide and rng.random() < WIDE_SHARE:
        kept = rng.uniform(0.5, 0.75)
        left, right = (0.0, kept) if rng.random() < 0.5 else (1 - kept, 1.0)
    shares = np.array([[left, first], [right, first], [right, last], [left, last]])
    part = corners[0] + shares @ np.stack([across, down])
    return _loose_box(part, rng, FOUND_BOX, BADLY_FOUND_BOX, BADLY_FOUND_SHARE)


def glimpse_upright(
    patch: Image,
    corners: NDArray[np.float32],
    height: float,
    lying: NDArray[np.float32],
    rng: np.random.Generator,
) -> Image:
    """A patch as the reader sees it: upright, but for the errors of finder and turner."""
    if np.isfinite(lying).all() and rng.random() < AS_TOLD_SHARE:
        view = np.eye(2, 3)
        box = _loose_box(lying[:4].reshape(2, 2), rng, TOLD_BOX, TOLD_BOX, 0.0)
        leaning = float(lying[4] + rng.normal(0, TOLD_ERROR))
    else:
        view = _squeezed(rng, patch)
        seen = corners @ view[:, :2].T + view[:, 2]
        error = rng.normal(0, USUAL_ERROR)
        if rng.random() < LARGE_SHARE:
            error = rng.uniform(-LARGE_ERROR, LARGE_ERROR)
        leaning = lean(seen.astype(np.float32)) + float(error)
        box = _loose_box(seen, rng, USUAL_BOX, LOOSE_BOX, LOOSE_SHARE)
    return _worn(_cut(patch, view, map_upright(box, leaning)), height, rng)


def glimpse_of_face(
    face: Image, height: float, rng: np.random.Generator, *, as_told: bool
) -> Image:
    """A card as the surveyor sees it, by an index that is so tall.

    It is a little off: turned, moved, nearer or farther, and more so where no turner said how it
    lies.
    """
    error, loose = (TOLD_ERROR, TOLD_BOX) if as_told else (USUAL_ERROR, USUAL_BOX)
    seen = _a_little_off(face, FACE, FACE_PATCH_MARGIN / FACE_MARGIN, error, loose, rng)
    return _worn(seen, height, rng, FACE.tall)


def glimpse_of_find(
    square: Image, looked_at: Square, spare: float, height: float, rng: np.random.Generator
) -> Image:
    """What was found, out of a square so much larger than what is looked at: a little off.

    What is found is mostly hard to read already, and so it is seldom worn any further.
    """
    seen = _a_little_off(square, looked_at, spare, TOLD_ERROR, TOLD_BOX, rng)
    choice = rng.random()
    if choice < WORN_SHARE:
        return _worn(seen, height, rng, looked_at.tall)
    return _lit(seen, rng) if choice < WORN_SHARE + LIT_SHARE else seen


def _a_little_off(
    square: Image,
    looked_at: Square,
    spare: float,
    error: float,
    loose: float,
    rng: np.random.Generator,
) -> Image:
    """What is looked at of a square that is so much larger: turned, moved, nearer or farther."""
    whole, side = len(square), looked_at.side
    turn = np.radians(rng.normal(0, error))
    step = whole / (spare * side) * np.exp(rng.normal(0, loose))
    linear = step * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    here, there = ((wide - 1) * np.array(looked_at.at) for wide in (whole, side))
    moved = here + rng.normal(0, 0.65 * loose, 2) * whole / (spare * looked_at.margin)
    seen = cv2.warpAffine(
        square,
        np.column_stack([linear, moved - linear @ there]),
        (side, side),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(seen, np.uint8)


def _loose_box(
    corners: NDArray[np.floating],
    rng: np.random.Generator,
    usual: float,
    looser: float,
    share: float,
) -> NDArray[np.float32]:
    """A box round some points that is a little off, and at times hardly round them."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    loose = looser if rng.random() < share else usual
    size = (high - low) * np.exp(rng.normal(0, loose, 2))
    middle = (low + high) / 2 + rng.normal(0, 0.65 * loose, 2) * (high - low).max()
    return np.concatenate([middle - size / 2, middle + size / 2]).astype(np.float32)


def _cut(patch: Image, view: Map, placed: Map) -> Image:
    """Cut a square out of a view of a patch, with the patch sampled once."""
    back = np.linalg.inv(view[:, :2])
    whole = np.column_stack([back @ placed[:, :2], back @ (placed[:, 2] - view[:, 2])])
    crop = cv2.warpAffine(
        patch,
        whole,
        (CROP_SIDE, CROP_SIDE),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(crop, np.uint8)


def _turned(view: Map, degrees: float, patch: Image) -> Map:
    """A view turned about the middle of the patch."""
    middle = (patch.shape[1] - 1) / 2
    turn = cv2.getRotationMatrix2D((middle, middle), degrees, 1.0)
    linear = turn[:, :2] @ view[:, :2]
    return np.column_stack([linear, turn[:, :2] @ view[:, 2] + turn[:, 2]])


def _squeezed(rng: np.random.Generator, patch: Image) -> Map:
    """As a camera to the side sees it: narrower along some direction; half the time as it is."""
    if rng.random() < 0.5:
        return np.eye(2, 3)
    along = rng.uniform(0, np.pi)
    axis = np.array([np.cos(along), np.sin(along)])
    linear = np.eye(2) - (1 - rng.uniform(0.65, 1.0)) * np.outer(axis, axis)
    middle = np.full(2, (patch.shape[1] - 1) / 2)
    return np.column_stack([linear, middle - linear @ middle])


def _worn(
    crop: Image, height: float, rng: np.random.Generator, long: float = CROP_SIDE / CROP_MARGIN
) -> Image:
    """What distance, lens, light and coding do to a crop of an index that was so tall.

    `long` is how many pixels of the crop an index is tall.
    """
    smear = long * CROP_MARGIN / CROP_SIDE
    if height > LEAST_HEIGHT and rng.random() < FAR_SHARE:
        crop = _far_away(crop, LEAST_HEIGHT / long, min(height / long, 1.0), rng)
    choice = rng.random()
    if choice < 0.06:
        blur = smear * float(rng.uniform(0.5, 1.5))
        crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), blur), np.uint8)
    elif choice < 0.12:
        crop = _moved(crop, max(round(smear * int(rng.integers(1, 4))), 1), rng)
    crop = _lit(crop, rng)
    if rng.random() < 0.18:
        noise = rng.integers(-1, 2, crop.shape, np.int16) * int(rng.integers(1, 9))
        crop = np.clip(crop + noise, 0, 255).astype(np.uint8)
    return _coded(crop, int(rng.integers(30, 90))) if rng.random() < 0.08 else crop


def _far_away(crop: Image, least: float, most: float, rng: np.random.Generator) -> Image:
    """Shrunk to between these shares of its size, coded, and enlarged again."""
    if most <= least:
        return crop
    whole = len(crop)
    side = max(8, round(whole * float(np.exp(rng.uniform(np.log(least), np.log(most))))))
    small = np.asarray(cv2.resize(crop, (side, side), interpolation=cv2.INTER_AREA), np.uint8)
    if rng.random() < 0.4:
        small = _coded(small, int(rng.integers(45, 95)))
    grown = cv2.resize(small, (whole, whole), interpolation=cv2.INTER_LINEAR)
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
    return _of_one_ink(lit, rng) if rng.random() < GREY_SHARE else lit


def _of_one_ink(crop: Image, rng: np.random.Generator) -> Image:
    """Without its colours: as a grey camera sees it, or as if printed with one ink for all suits.

    Seen through a green filter red ink is as dark as black.
    """
    if rng.random() < 0.4:
        grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY)
    else:
        grey = crop[..., int(rng.integers(3))]
    ink = rng.uniform(0, 140, 3) if rng.random() < 0.3 else np.zeros(3)
    table = ink + (255 - ink) * np.arange(256)[:, None] / 255
    return np.asarray(table[grey], np.uint8)


def _coded(crop: Image, quality: int) -> Image:
    kept = cv2.imencode(".jpg", crop, (int(cv2.IMWRITE_JPEG_QUALITY), quality))[1]
    return np.asarray(cv2.imdecode(kept, cv2.IMREAD_COLOR), np.uint8)


def _moved(crop: Image, reach: int, rng: np.random.Generator) -> Image:
    """Blurred along one direction, as a card that is still sliding."""
    size = 2 * reach + 1
    kernel = np.zeros((size, size), np.float32)
    angle = rng.uniform(0, np.pi)
    start = (round(reach - reach * np.cos(angle)), round(reach - reach * np.sin(angle)))
    end = (round(reach + reach * np.cos(angle)), round(reach + reach * np.sin(angle)))
    cv2.line(kernel, start, end, 1.0)
    return np.asarray(cv2.filter2D(crop, -1, kernel / kernel.sum()), np.uint8)
