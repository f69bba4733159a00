"""What a look asks for, read: parts of a frame with the areas that changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from vision.areas import contains, grown, merged
from vision.boxes import best_of_overlapping
from vision.card_reader import PictureReading, joined_card
from vision.glances import Glance, middle, within

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vision.boxes import Image
    from vision.card_reader import BackSeen, Box, CardSeenInPicture, IndexSeen
    from vision.stillness import Look

_CONTEXT: Final = 0.025  # of the frame's width: what is read round an area, so no index is cut
_MOST_CROPS: Final = 4
_SAME_BACK: Final = 0.5  # boxes of one look that share more of both are one back
_STRIDE: Final = (
    32  # the finder pads its pictures to multiples of this; more of the table is better
)
_USUAL_WIDTH: Final = 1920  # wider frames show indexes taller than the finder expects
_SMALL_WIDTH: Final = 900  # narrower frames show them too small


class PictureReader(Protocol):
    """Whatever reads the cards in a picture; a `CardReader` does."""

    def read(
        self, image: Image, scales: tuple[float, ...] | None = None, part: Box | None = None
    ) -> PictureReading:
        """All that shows in the picture, or in a part of it, found at these scales."""


def glance_of(look: Look, reader: PictureReader) -> Glance:
    """Read the areas of a look, near ones in one picture, each with some of what lies round it."""
    image = look.frame.image()
    height, width = image.shape[:2]
    scales = (scale_for(width),)
    cards: list[CardSeenInPicture] = []
    unreadable: list[IndexSeen] = []
    backs: list[BackSeen] = []
    taken: list[Box] = []
    for crop in crops_for(look.areas, (width, height)):
        here = tuple(area for area in look.areas if contains((crop,), area) and area not in taken)
        part = _Part(here, tuple(taken))
        seen = reader.read(image, scales, crop)
        cards += part.cards(seen.cards)
        unreadable += part.indexes(seen.unreadable)
        backs += part.backs(seen.backs)
        taken += here
    reading = PictureReading(
        cards=tuple(sorted(cards, key=lambda card: card.box)),
        unreadable=tuple(unreadable),
        backs=_each_once(backs),
    )
    return Glance(look.frame.at_s, look.areas, look.moving, reading, look.scene)


def _each_once(backs: Sequence[BackSeen]) -> tuple[BackSeen, ...]:
    """Backs from the left to the right; one that is cut by the border of a part is seen twice."""
    boxes = np.array([back.box for back in backs], np.float32).reshape(-1, 4)
    scores = np.array([back.score for back in backs], np.float32)
    kept = best_of_overlapping(boxes, scores, _SAME_BACK)
    return tuple(sorted((backs[number] for number in kept), key=lambda back: back.box))


def scale_for(width: int) -> float:
    """How much a frame is enlarged for the finder; what it finds is read as it is."""
    return 2.0 if width < _SMALL_WIDTH else min(1.0, _USUAL_WIDTH / width)


def crops_for(areas: Sequence[Box], size: tuple[int, int]) -> tuple[Box, ...]:
    """What is cut out of a frame to read these areas."""
    by = _CONTEXT * size[0]
    near = merged([grown(area, by, size) for area in areas], _MOST_CROPS)
    return tuple(_full_strides(crop, size) for crop in near)


def _full_strides(crop: Box, size: tuple[int, int]) -> Box:
    left, right = _widened(int(crop[0]), int(crop[2]), size[0])
    top, bottom = _widened(int(crop[1]), int(crop[3]), size[1])
    return float(left), float(top), float(right), float(bottom)


def _widened(start: int, end: int, most: int) -> tuple[int, int]:
    """Widen a side to a multiple of the stride, on both ends, as far as there is picture."""
    length = min(-(-(end - start) // _STRIDE) * _STRIDE, most)
    start = min(max(0, start - (length - (end - start)) // 2), most - length)
    return start, start + length


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a frame that was read: for which areas it speaks."""

    areas: tuple[Box, ...]
    told_already: tuple[Box, ...]
    """Areas for which a picture before it spoke."""

    def cards(self, seen: Sequence[CardSeenInPicture]) -> Iterator[CardSeenInPicture]:
        for card in seen:
            indexes = tuple(self.indexes(card.indexes))
            if len(indexes) == len(card.indexes):
                yield card
            elif indexes:
                yield joined_card(indexes)

    def indexes(self, seen: Sequence[IndexSeen]) -> Iterator[IndexSeen]:
        return (index for index in seen if self._asked(index.box))

    def backs(self, seen: Sequence[BackSeen]) -> Iterator[BackSeen]:
        return (back for back in seen if self._asked(back.box))

    def _asked(self, box: Box) -> bool:
        x, y = middle(box)
        return within(x, y, self.areas) and not within(x, y, self.told_already)
