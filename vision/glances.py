"""What was read at one moment of a film."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vision.card_reader import BackSeen, Box, PictureReading
    from vision.scenes import Scene


@dataclass(frozen=True, slots=True)
class Glance:
    """What was read at one moment, in pixels of the whole frame.

    Within `areas` the reading is all that shows, and it says nothing of elsewhere: there nothing
    has changed since it was read last, but for what lies within `moving`, which nobody can judge.
    """

    at_s: float
    areas: tuple[Box, ...]
    moving: tuple[Box, ...]
    reading: PictureReading
    scene: Scene | None = None
    """What all of the frame showed, where it is known."""


def within(x: float, y: float, boxes: Iterable[Box], margin: float = 0.0) -> bool:
    """Whether a point lies in one of the boxes, or within so many pixels of one."""
    return any(
        left - margin <= x <= right + margin and top - margin <= y <= bottom + margin
        for left, top, right, bottom in boxes
    )


def middle(box: Box) -> tuple[float, float]:
    """The middle of a box."""
    left, top, right, bottom = box
    return (left + right) / 2, (top + bottom) / 2


def without_patterns(glance: Glance, down: Iterable[BackSeen]) -> Glance:
    """A glance without what looks like an index, and cannot be read, on the back of a card.

    Where the pattern of a back was taken for an index, there the card may have one when it is
    turned up; it would seem to have lain face up from the start, and its back to be another card.
    """
    backs = [back.box for back in down]
    unreadable = tuple(
        index for index in glance.reading.unreadable if not within(*middle(index.box), backs)
    )
    return replace(glance, reading=replace(glance.reading, unreadable=unreadable))
