"""Cards and bare grounds cut out of real photos, as public data sets have them.

A card is taken where it lies whole and apart, a ground where no card lies at all.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from vision.boxes import Image
    from vision.card_reader import Box
    from vision.labelled_folder import PictureFile

SIZE: Final = (1280, 720)
"""Of the films that are made of them."""
_ALIKE: Final = 0.88  # a card's outline fills the box that somebody drew round it
_SOLID: Final = 0.95  # of its own hull: nothing covers a corner
_RECTANGULAR: Final = 0.93
_SHAPES: Final = (1.2, 1.65)  # length by width, seen aslant
_OTHERS: Final = 0.07  # of a card may lie in boxes of others
_LEVELS: Final = (0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3)  # of the brightness that parts best
_SMALLEST_GROUND: Final = (220, 150)
_PAPER: Final = 170  # so bright in all colours; a ground full of that may hold unmarked cards
_MOST_PAPER: Final = 0.03
_LEAST_DETAIL: Final = 3.0  # steps of brightness: over a plain ground a camera seems covered
_BRIGHTNESS: Final = (25.0, 180.0)  # of a ground that a camera would be put up over


@dataclass(frozen=True, slots=True, eq=False)
class RealCard:
    """A card cut out of a photo."""

    name: str
    """Rank and suit, or the rank alone where nobody noted the suit."""
    picture: Image
    inside: NDArray[np.uint8]
    """255 where the picture shows the card."""
    length: float


def cut_cards(photos: Sequence[PictureFile]) -> tuple[RealCard, ...]:
    """Cut out every card that lies whole and apart."""
    cards: list[RealCard] = []
    for photo in photos:
        image = _loaded(photo.path)
        labels = photo.labels(image.shape[1], image.shape[0])
        for label in labels:
            others = [other.box for other in labels if other is not label]
            outline = outline_of(image, label.box, others)
            if outline is not None and label.name:
                cards.append(_cut(image, outline, label.name))
    return tuple(cards)


def outline_of(image: Image, box: Box, others: Sequence[Box]) -> NDArray[np.int32] | None:
    """The outline of the card for which somebody drew this box, if it lies whole and apart.

    Paper is brighter than what it lies on; how bright, differs from photo to photo.
    """
    height, width = image.shape[:2]
    by = 4 + 0.06 * max(box[2] - box[0], box[3] - box[1])
    left, top = int(max(0, box[0] - by)), int(max(0, box[1] - by))
    right, bottom = int(min(width, box[2] + by)), int(min(height, box[3] + by))
    whiteness = image[top:bottom, left:right].min(axis=2)
    usual, _ = cv2.threshold(whiteness, 0, 255, cv2.THRESH_OTSU)
    found: list[tuple[float, NDArray[np.int32]]] = []
    for level in _LEVELS:
        paper = (whiteness > level * usual).astype(np.uint8)
        paper = np.asarray(cv2.morphologyEx(paper, cv2.MORPH_OPEN, np.ones((3, 3))), np.uint8)
        contours, _ = cv2.findContours(paper, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            if len(contour) < max(box[2] - box[0], box[3] - box[1]):
                continue
            hull = np.asarray(cv2.convexHull(contour), np.int32)
            outline = hull + np.array([left, top], np.int32)
            if (
                likeness := _likeness_to_card(np.asarray(contour, np.int32), outline, box)
            ) is not None:
                found.append((likeness, outline))
    if not found:
        return None
    _, outline = max(found, key=lambda each: each[0])
    return None if _reaches_into(outline, others, (width, height)) else outline


def _likeness_to_card(
    contour: NDArray[np.int32], outline: NDArray[np.int32], box: Box
) -> float | None:
    area = cv2.contourArea(outline)
    _, sides, _ = cv2.minAreaRect(outline)
    width, length = sorted(sides)
    if area <= 0 or not _SHAPES[0] <= length / width <= _SHAPES[1]:
        return None
    left, top, across, down = cv2.boundingRect(outline)
    shared = max(0.0, min(left + across, box[2]) - max(left, box[0]))
    shared *= max(0.0, min(top + down, box[3]) - max(top, box[1]))
    both = across * down + (box[2] - box[0]) * (box[3] - box[1]) - shared
    alike, solid = shared / both, cv2.contourArea(contour) / area
    rectangular = area / (width * length)
    if alike < _ALIKE or solid < _SOLID or rectangular < _RECTANGULAR:
        return None
    return float(alike + solid + rectangular)


def _reaches_into(outline: NDArray[np.int32], others: Sequence[Box], size: tuple[int, int]) -> bool:
    inside = _filled(outline, size)
    area = np.count_nonzero(inside)
    for left, top, right, bottom in others:
        inside[int(top) : int(bottom) + 1, int(left) : int(right) + 1] = 0
    return bool(np.count_nonzero(inside) < (1 - _OTHERS) * area)


def _filled(outline: NDArray[np.int32], size: tuple[int, int]) -> NDArray[np.uint8]:
    inside = np.zeros(size[::-1], np.uint8)
    cv2.fillConvexPoly(inside, outline, 255)
    return inside


def _cut(image: Image, outline: NDArray[np.int32], name: str) -> RealCard:
    left, top, across, down = cv2.boundingRect(outline)
    where = np.s_[top : top + down, left : left + across]
    inside = _filled(outline, (image.shape[1], image.shape[0]))
    inside = np.asarray(cv2.erode(inside, np.ones((3, 3))), np.uint8)  # the edge shows the ground
    _, sides, _ = cv2.minAreaRect(outline)
    return RealCard(name, image[where].copy(), inside[where].copy(), float(max(sides)))


def grounds_of(photos: Sequence[PictureFile]) -> tuple[Image, ...]:
    """What lies round the cards of each photo, where enough of it shows."""
    grounds = []
    for photo in photos:
        image = _loaded(photo.path)
        height, width = image.shape[:2]
        boxes = [label.box for label in photo.labels(width, height)]
        left, top, right, bottom = free_part((width, height), boxes)
        part = image[top:bottom, left:right]
        if right - left < _SMALLEST_GROUND[0] or bottom - top < _SMALLEST_GROUND[1]:
            continue
        bare = (part.min(axis=2) > _PAPER).mean() <= _MOST_PAPER
        if bare and _BRIGHTNESS[0] <= part.mean() <= _BRIGHTNESS[1] and not _is_plain(part):
            grounds.append(part)
    return tuple(grounds)


def _is_plain(ground: Image) -> bool:
    small = cv2.resize(ground, (160, 90), interpolation=cv2.INTER_AREA).mean(axis=2)
    return bool((small - cv2.blur(small, (31, 31))).std() < _LEAST_DETAIL)


def free_part(
    size: tuple[int, int], boxes: Sequence[Box], apart: int = 8
) -> tuple[int, int, int, int]:
    """The part of a photo that touches no box and from which the widest frame can be cut."""
    taken = [(box[0] - apart, box[1] - apart, box[2] + apart, box[3] + apart) for box in boxes]
    best, widest = (0, 0, 0, 0), 0.0
    for top in (0, *(math.ceil(box[3]) for box in taken)):
        for bottom in (size[1], *(math.floor(box[1]) for box in taken)):
            beside_it = [box for box in taken if box[1] < bottom and box[3] > top]
            for left in (0, *(math.ceil(box[2]) for box in beside_it)):
                in_way = (math.floor(box[0]) for box in beside_it if box[2] > left)
                right = min(in_way, default=size[0])
                wide = min(right - left, (bottom - top) * SIZE[0] / SIZE[1])
                if wide > widest:
                    best, widest = (left, top, right, bottom), wide
    return best


def table_of(ground: Image) -> Image:
    """Fill a frame with a ground: the middle of it, and on two sides its mirror image."""
    height, width = ground.shape[:2]
    across = min(width, round(height * SIZE[0] / SIZE[1]))
    down = min(height, round(width * SIZE[1] / SIZE[0]))
    left, top = (width - across) // 2, (height - down) // 2
    part = ground[top : top + down, left : left + across]
    half = (SIZE[0] // 2, SIZE[1] // 2)
    part = np.asarray(cv2.resize(part, half, interpolation=cv2.INTER_CUBIC), np.uint8)
    wide = np.hstack([part, part[:, ::-1]])
    return np.vstack([wide, wide[::-1]])


def _loaded(path: Path) -> Image:
    image = cv2.imread(str(path))
    if image is None:
        sys.exit(f"{path} is no picture")
    return np.asarray(image, np.uint8)
