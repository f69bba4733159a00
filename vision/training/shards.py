"""Drawn pictures in shards: what the finder and the reader learn from, made once and kept.

A shard is a hundred windows of drawn scenes with the boxes of what can be found in them, and the
patches round their indexes with what is printed there. Shards are numbered, each is drawn from its
own seeds, and one that is there is not drawn again: drawing can be stopped at any time.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.boxes import Image
from vision.cards import CARDS, NUMBERS
from vision.finder import BACK, INDEX
from vision.index_crops import square_part
from vision.synthetic.pictures import DrawnIndex, Picture
from vision.synthetic.scenes import draw_scene

WINDOW: Final = (256, 256)
"""Small windows round cards: more indexes by the pixel, and so by the hour."""
PICTURES_IN_A_SHARD: Final = 100
UNREADABLE: Final = len(CARDS)
PATCH_SIDE: Final = 96
"""Pixels of the square kept round an index, so that the reader can see it at every angle."""
PATCH_MARGIN: Final = 1.9
"""The square's side in the picture, as a multiple of the index's diagonal."""
FOUND_FROM: Final = 0.6
"""An index with this share of it to be seen is one that the finder must find."""
READ_FROM: Final = 0.8
"""An index with this share of it to be seen is one that the reader must read."""
HIDDEN_UP_TO: Final = 0.45
"""An index with no more than this to be seen must not be read."""
SMALLEST_FOUND: Final = 10.0
"""Pixels: below this nothing is asked of the finder. (What users are promised starts at 14.)"""
SMALLEST_READ: Final = 11.0
LEAST_HIDDEN: Final = 0.02
BLURRED_FROM: Final = 6.0
SHARP_FROM: Final = 11.0
"""An index this many times as tall as the blur is wide is merely blurred, or can be read."""
FAINT_FROM: Final = 15.0
CLEAR_FROM: Final = 35.0
"""An index with so many levels between ink and paper is merely faint, or can be read."""
BACK_FROM: Final = 0.35
JPEG: Final = (int(cv2.IMWRITE_JPEG_QUALITY), 95)
KEPT_OUT_FROM: Final = 1_000_000_000
"""Seeds from here on are of pictures that nothing is ever trained on."""


@dataclass(frozen=True, slots=True)
class Patch:
    """A square round one index, and its four corners in the square's pixels."""

    image: Image
    corners: NDArray[np.float32]
    number: int
    """Of the card, or `UNREADABLE`."""
    height: float
    """Of the index in the picture it comes from, in pixels."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One picture for the finder, with what there is to find, and its patches for the reader."""

    image: Image
    boxes: NDArray[np.float32]
    """Rows of kind, left, top, right, bottom."""
    patches: tuple[Patch, ...]


def lesson_from(picture: Picture, rng: np.random.Generator) -> Lesson:
    """What is to be learnt from a drawn picture."""
    high, wide = picture.image.shape[:2]
    rows: list[tuple[float, ...]] = []
    patches: list[Patch] = []
    for index in picture.indexes:
        if _to_be_found(index):
            rows.append((INDEX, *box_round(index.corners, wide, high)))
        if (number := _to_be_read(index)) is None:
            continue
        patches.append(patch_round(picture.image, index.corners, number, index.height))
    for card in picture.cards:
        if card.card is None and card.visible >= BACK_FROM:
            rows.append((BACK, *box_round(card.outline, wide, high)))
    indexes = [row[1:] for row in rows if row[0] != BACK]
    patches.extend(_elsewhere(picture.image, indexes, rng))
    boxes = np.array(rows, dtype=np.float32).reshape(-1, 5)
    return Lesson(picture.image, boxes, tuple(patches))


def _to_be_found(index: DrawnIndex) -> bool:
    return (
        index.visible >= FOUND_FROM
        and index.height >= SMALLEST_FOUND
        and index.sharpness >= BLURRED_FROM
        and index.contrast >= FAINT_FROM
    )


def _to_be_read(index: DrawnIndex) -> int | None:
    """The card's number, or that it cannot be read; None where nobody could say which."""
    if index.visible <= LEAST_HIDDEN:
        return None
    if (
        index.visible <= HIDDEN_UP_TO
        or index.sharpness < BLURRED_FROM
        or index.contrast < FAINT_FROM
    ):
        return UNREADABLE
    if (
        index.visible >= READ_FROM
        and index.height >= SMALLEST_READ
        and index.sharpness >= SHARP_FROM
        and index.contrast >= CLEAR_FROM
    ):
        return NUMBERS[index.card]
    return None


def box_round(corners: NDArray[np.float32], wide: int, high: int) -> tuple[float, ...]:
    """The upright box round some points, within the picture."""
    left, top = np.maximum(corners.min(axis=0), 0)
    right, bottom = np.minimum(corners.max(axis=0), (wide, high))
    return float(left), float(top), float(right), float(bottom)


def patch_round(image: Image, corners: NDArray[np.float32], number: int, height: float) -> Patch:
    """Cut the square round an index, large enough to turn the index about its centre."""
    centre = corners.mean(axis=0)
    diagonal = float(np.linalg.norm(corners - centre, axis=1).max()) * 2
    side = max(PATCH_MARGIN * diagonal, 8.0)
    scale = PATCH_SIDE / side
    to_patch = np.array(
        [
            [scale, 0, PATCH_SIDE / 2 - scale * centre[0]],
            [0, scale, PATCH_SIDE / 2 - scale * centre[1]],
        ]
    )
    how = cv2.INTER_LINEAR if scale > 0.7 else cv2.INTER_AREA
    if scale <= 0.7:
        # Shrinking by warping would skip pixels: shrink the part first.
        left, top = np.floor(centre - side / 2).astype(int)
        whole = int(np.ceil(side))
        part = square_part(image, int(left), int(top), whole)
        square = cv2.resize(part, (PATCH_SIDE, PATCH_SIDE), interpolation=how)
        placed = (corners - (left, top)) * (PATCH_SIDE / whole)
    else:
        square = cv2.warpAffine(
            image, to_patch, (PATCH_SIDE, PATCH_SIDE), flags=how, borderMode=cv2.BORDER_REPLICATE
        )
        placed = corners @ to_patch[:, :2].T + to_patch[:, 2]
    return Patch(np.asarray(square, np.uint8), placed.astype(np.float32), number, height)


def _elsewhere(
    image: Image, indexes: list[tuple[float, ...]], rng: np.random.Generator
) -> Iterator[Patch]:
    """Squares of things that are no index: pips, courts, felt, chips, hands."""
    high, wide = image.shape[:2]
    for _ in range(2):
        side = float(rng.uniform(14, 50))
        x, y = rng.uniform(0, wide), rng.uniform(0, high)
        near = any(
            left - side < x < right + side and top - side < y < bottom + side
            for left, top, right, bottom in indexes
        )
        if near and rng.random() < 0.5:
            # Beside an index, but not on it: the middle of a card is the likeliest mistake.
            left, top, right, bottom = indexes[int(rng.integers(len(indexes)))]
            away = rng.uniform(1.3, 2.5) * max(right - left, bottom - top)
            angle = rng.uniform(0, 2 * np.pi)
            x, y = (
                (left + right) / 2 + away * np.cos(angle),
                (top + bottom) / 2 + away * np.sin(angle),
            )
            near = any(
                left - side / 2 < x < right + side / 2 and top - side / 2 < y < bottom + side / 2
                for left, top, right, bottom in indexes
            )
        if near:
            continue
        half = np.array([0.6, 1.0]) * side / 2
        angle = rng.uniform(0, 2 * np.pi)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half @ turn.T + (x, y)
        yield patch_round(image, square.astype(np.float32), UNREADABLE, side)


def draw_shards(folder: Path, shards: range, *, processes: int | None = None) -> Iterator[Path]:
    """Draw the shards that are not there yet; give each as it is done."""
    for kind in ("images", "labels", "patches"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(processes or os.cpu_count()) as pool:
        drawn = {pool.submit(draw_shard, folder, number) for number in shards}
        for one in as_completed(drawn):
            yield one.result()


def draw_shard(folder: Path, number: int) -> Path:
    """Draw one shard, or leave it as it is. Its patches are written last, whole or not at all."""
    path = folder / "patches" / f"{number:07}.npz"
    if path.exists():
        return path
    cv2.setNumThreads(1)
    patches: list[Patch] = []
    for nth in range(PICTURES_IN_A_SHARD):
        seed = number * PICTURES_IN_A_SHARD + nth
        picture = draw_scene(seed, kept_out=seed >= KEPT_OUT_FROM, window=WINDOW)
        lesson = lesson_from(picture, np.random.default_rng((seed, 7)))
        write_picture(folder, f"{seed:010}", lesson.image, lesson.boxes)
        patches.extend(lesson.patches)
    write_patches(path, patches)
    return path


def write_picture(folder: Path, name: str, image: Image, boxes: NDArray[np.float32]) -> None:
    """Write a picture and its boxes as YOLO knows them: kind, centre and size, relative."""
    high, wide = image.shape[:2]
    lines = []
    for kind, left, top, right, bottom in boxes.tolist():
        centre = f"{(left + right) / 2 / wide:.6f} {(top + bottom) / 2 / high:.6f}"
        lines.append(
            f"{int(kind)} {centre} {(right - left) / wide:.6f} {(bottom - top) / high:.6f}\n"
        )
    cv2.imwrite(str(folder / "images" / f"{name}.jpg"), image, JPEG)
    (folder / "labels" / f"{name}.txt").write_text("".join(lines), "utf-8")


def write_patches(path: Path, patches: list[Patch]) -> None:
    """Write patches as one file, whole or not at all."""
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("wb") as file:
        np.savez(
            file,
            images=np.stack([patch.image for patch in patches]),
            corners=np.stack([patch.corners for patch in patches]),
            numbers=np.array([patch.number for patch in patches], np.int64),
            heights=np.array([patch.height for patch in patches], np.float32),
        )
    unfinished.replace(path)
