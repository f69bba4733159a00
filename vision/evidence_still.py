"""A frame as a reviewer sees it: cards boxed and named, hands outlined, below it what was found."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.boxes import Image
from vision.card_reader import Box
from vision.film_seconds import clock
from vision.picture_text import Colour, card_sign, text_size, write
from vision.shown_picture import BLACK_SUIT, DOUBTFUL, PLATE, RED_SUIT, SURE_FROM

ACCENTS: Mapping[str, Colour] = {
    "violation": (64, 64, 232),
    "review": (40, 170, 250),
    "note": (214, 160, 70),
}
OTHER_ACCENT: Colour = (190, 180, 170)
STRIP: Colour = (34, 28, 24)
ON_STRIP: Colour = (246, 244, 242)
FAINT_ON_STRIP: Colour = (190, 182, 176)
ZONE_LINE: Colour = (255, 236, 190)
HALO: Colour = (16, 14, 12)
SURE: Colour = (88, 204, 76)
"""Brighter than on a photograph, for most felts are green."""
LEAST_WIDTH = 960
"""A smaller frame is enlarged, so that what is written on it can be read."""
MOST_LINES = 3


@dataclass(frozen=True, slots=True)
class CardMark:
    """A card to point at: what it was read as, how surely, and where."""

    card: str
    """`9H`, or `??`."""
    certainty: float
    box: Box
    concerned: bool = False
    """Whether the finding is about this very card."""
    order: int | None = None
    """Which card of its round it is, from 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """What is drawn on a frame, all in its pixels."""

    cards: Sequence[CardMark] = ()
    zones: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """The polygon of each hand."""


@dataclass(frozen=True, slots=True)
class Caption:
    """What stands below the frame."""

    table: str
    shoe: str
    round: int | None
    time: str
    """When the round was, as it is to be read."""
    code: str
    severity: str
    sentence: str
    footage: str = ""
    at_s: float | None = None
    """The second of the footage that the picture shows."""

    @property
    def where(self) -> str:
        """Table, shoe, round and time, as far as they are known."""
        parts = (
            f"table {self.table}" if self.table else "",
            f"shoe {self.shoe}" if self.shoe else "",
            f"round {self.round}" if self.round is not None else "",
            self.time,
        )
        return "   ·   ".join(part for part in parts if part)

    @property
    def picture(self) -> str:
        """Which moment of which film is shown, as far as that is known."""
        return "" if self.at_s is None else f"picture at {clock(self.at_s)} of {self.footage}"


def draw_still(image: Image, marks: Marks, title: Caption) -> Image:
    """Draw the marks on a frame and the caption below it; no name hides a card.

    Beside each card stand its number in the order of the round and how sure its reading is. Green
    is a sure reading, orange a doubtful one; the cards that the finding is about have the colour of
    the caption's bar.
    """
    drawn, marks = _large_enough(image, marks)
    draw_marks(drawn, marks, ACCENTS.get(title.severity, OTHER_ACCENT))
    return np.vstack([drawn, _strip(drawn.shape[1], title)])


def draw_marks(image: Image, marks: Marks, accent: Colour = OTHER_ACCENT) -> None:
    """Draw cards and zones on a picture itself."""
    letters = max(14, round(max(image.shape[:2]) / 72))
    thick = max(1, round(max(image.shape[:2]) / 900))
    free = FreePlaces(image, [mark.box for mark in marks.cards])
    _outline_zones(image, marks.zones, thick)
    for mark in marks.cards:
        _outline_card(image, mark, _colour(mark, accent), thick)
    plates = [
        _plate(mark, _colour(mark, accent), letters, free)
        for mark in sorted(marks.cards, key=lambda mark: not mark.concerned)
    ]
    for plate in plates:  # lines first: none of them may cross a name
        _tie(image, plate, thick)
    for plate in plates:
        _draw_plate(image, plate, letters)
    for hand, polygon in marks.zones.items():
        name_zone(image, hand, polygon, letters, free)


def _large_enough(image: Image, marks: Marks) -> tuple[Image, Marks]:
    times = -(-LEAST_WIDTH // image.shape[1])
    if times <= 1:
        return image.copy(), marks
    larger = cv2.resize(image, None, fx=times, fy=times, interpolation=cv2.INTER_CUBIC)
    cards = [replace(mark, box=_times(mark.box, times)) for mark in marks.cards]
    zones = {hand: polygon * times for hand, polygon in marks.zones.items()}
    return np.asarray(larger, np.uint8), Marks(cards, zones)


def _times(box: Box, factor: float) -> Box:
    left, top, right, bottom = box
    return left * factor, top * factor, right * factor, bottom * factor


def _colour(mark: CardMark, accent: Colour) -> Colour:
    if mark.concerned:
        return accent
    return SURE if mark.certainty >= SURE_FROM and mark.card != "??" else DOUBTFUL


class FreePlaces:
    """Where something can be written without hiding a card or another name."""

    def __init__(self, image: Image, cards: Iterable[Box]) -> None:
        self._height, self._width = image.shape[:2]
        self._cards = tuple(cards)
        self._names: list[Box] = []
        self._paper = cv2.integral(_paper(image).astype(np.uint8))

    def take(self, size: tuple[int, int], wished: Iterable[tuple[float, float]]) -> tuple[int, int]:
        """Choose and occupy the first of the best places, given by their left top corners."""
        wide, tall = size
        inside = [
            (
                round(min(max(x, 1), max(self._width - wide - 2, 1))),
                round(min(max(y, 1), max(self._height - tall - 2, 1))),
            )
            for x, y in wished
        ]
        costs = [self._hidden(place, size) + 0.012 * rank for rank, place in enumerate(inside)]
        left, top = inside[int(np.argmin(costs))]
        self._names.append((left - 2, top - 2, left + wide + 2, top + tall + 2))
        return left, top

    def _hidden(self, place: tuple[int, int], size: tuple[int, int]) -> float:
        """How bad it is to write here: what share of the place hides which things."""
        left, top = place
        right, bottom = min(left + size[0], self._width), min(top + size[1], self._height)
        box = (left, top, right, bottom)
        corners = self._paper
        paper = (
            corners[bottom, right]
            - corners[top, right]
            - corners[bottom, left]
            + corners[top, left]
        )
        area = size[0] * size[1]
        cards = sum(_shared(box, card) for card in self._cards)
        names = sum(_shared(box, name) for name in self._names)
        return float(6 * cards + 5 * names + 1.5 * float(paper)) / area


def _paper(image: Image) -> NDArray[np.bool_]:
    """Pixels that may belong to the face of a card: bright, and of hardly any colour."""
    bright = image.max(axis=2).astype(np.float32)
    dull = image.min(axis=2).astype(np.float32)
    white = max(float(np.percentile(bright[::4, ::4], 99)), 1.0)
    return np.asarray((bright > 0.55 * white) & (dull > 0.68 * bright), np.bool_)


def _shared(one: Sequence[float], other: Sequence[float]) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    tall = min(one[3], other[3]) - max(one[1], other[1])
    return max(wide, 0.0) * max(tall, 0.0)


def _outline_zones(image: Image, zones: Mapping[str, NDArray[np.float64]], thick: int) -> None:
    if not zones:
        return
    over = image.copy()
    for polygon in zones.values():
        corners = [np.round(polygon).astype(np.int32)]
        cv2.polylines(
            over, corners, isClosed=True, color=HALO, thickness=thick + 2, lineType=cv2.LINE_AA
        )
        cv2.polylines(
            over, corners, isClosed=True, color=ZONE_LINE, thickness=thick, lineType=cv2.LINE_AA
        )
    image[:] = cv2.addWeighted(over, 0.7, image, 0.3, 0)


def _outline_card(image: Image, mark: CardMark, colour: Colour, thick: int) -> None:
    own = thick + (2 if mark.concerned else 1)
    off = own // 2 + 4
    left, top, right, bottom = (round(edge) for edge in mark.box)
    first, last = (left - off, top - off), (right + off, bottom + off)
    cv2.rectangle(image, first, last, HALO, own + 2, cv2.LINE_AA)
    cv2.rectangle(image, first, last, colour, own, cv2.LINE_AA)


@dataclass(frozen=True, slots=True)
class _Plate:
    """The name of a card, and where it stands."""

    mark: CardMark
    number: str
    sign: str
    words: str
    colour: Colour
    box: tuple[int, int, int, int]


def _plate(mark: CardMark, colour: Colour, letters: int, free: FreePlaces) -> _Plate:
    number = "" if mark.order is None else f"{mark.order}. "
    sign = mark.card if mark.card == "??" else card_sign(mark.card)
    words = f" {said_in_percent(mark.certainty)}"
    inside = sum(
        text_size(part, letters, weight)[0]
        for part, weight in ((number, 400), (sign, 700), (words, 400))
    )
    wide, tall = inside + letters // 2 + 4, round(letters * 1.3)
    left, top = free.take((wide, tall), _round_a_box(mark.box, (wide, tall)))
    return _Plate(mark, number, sign, words, colour, (left, top, left + wide, top + tall))


def said_in_percent(certainty: float) -> str:
    """A certainty in as many digits as it is worth, never rounded up to what it is not."""
    digits = 0 if certainty < 0.99 else 1
    return f"{math.floor(certainty * 10 ** (digits + 2)) / 10**digits:.{digits}f} %"


def _draw_plate(image: Image, plate: _Plate, letters: int) -> None:
    left, top, right, bottom = plate.box
    mark, ground, edge = plate.mark, PLATE, plate.colour
    ink, rest = RED_SUIT if mark.card[1:] in ("D", "H") else BLACK_SUIT, BLACK_SUIT
    if mark.concerned:
        ground, edge = plate.colour, HALO
        ink = rest = BLACK_SUIT if _is_light(ground) else PLATE
    cv2.rectangle(image, (left, top), (right, bottom), ground, -1)
    cv2.rectangle(image, (left, top), (right, bottom), edge, 1)
    x, foot = left + letters // 4 + 2, top + letters
    for words, colour, weight in (
        (plate.number, rest, 400),
        (plate.sign, ink, 700),
        (plate.words, rest, 400),
    ):
        write(image, words, (x, foot), size=letters, colour=colour, weight=weight)
        x += text_size(words, letters, weight)[0]


def _is_light(colour: Colour) -> bool:
    blue, green, red = colour
    return 0.11 * blue + 0.59 * green + 0.3 * red > 140


def _round_a_box(box: Box, size: tuple[int, int]) -> list[tuple[float, float]]:
    """Places for a plate beside a box, the nearest first."""
    left, top, right, bottom = box
    wide, tall = size
    middle = (left + right - wide) / 2
    places: list[tuple[float, float]] = []
    for away in (6.0, 6.0 + tall, 6.0 + 2.2 * tall, 6.0 + 3.6 * tall, 6.0 + 5.2 * tall):
        above, below = top - tall - away, bottom + away
        before, after = left - wide - away, right + away
        places += [
            (middle, above),
            (middle, below),
            (after, (top + bottom - tall) / 2),
            (before, (top + bottom - tall) / 2),
            (right - wide / 3, above),
            (left - wide * 2 / 3, above),
            (right - wide / 3, below),
            (left - wide * 2 / 3, below),
        ]
    return places


def _tie(image: Image, plate: _Plate, thick: int) -> None:
    """Join a plate to its box by the shortest line, unless they are next to each other."""
    ends: list[tuple[int, int]] = []
    left, top, right, bottom = plate.mark.box
    box = (left - 5, top - 5, right + 5, bottom + 5)  # where its outline is
    for one, other in ((plate.box, box), (box, plate.box)):
        x = min(max((other[0] + other[2]) / 2, one[0]), one[2])
        y = min(max((other[1] + other[3]) / 2, one[1]), one[3])
        ends.append((round(x), round(y)))
    if np.hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]) > 7:
        start, end = ends
        cv2.line(image, start, end, HALO, thick + 3, cv2.LINE_AA)
        cv2.line(image, start, end, plate.colour, thick + 1, cv2.LINE_AA)


def name_zone(
    image: Image, hand: str, polygon: NDArray[np.float64], letters: int, free: FreePlaces
) -> None:
    """Write the name of a zone at its edge, where it hides least."""
    wide, tall = text_size(hand, letters, 700)[0] + 6, round(letters * 1.3)
    left, top = free.take((wide, tall), _along(polygon, wide, tall))
    foot = (left + 3, top + letters)
    write_outlined(image, hand, foot, size=letters, colour=ZONE_LINE, weight=700)


def _along(polygon: NDArray[np.float64], wide: int, tall: int) -> list[tuple[float, float]]:
    """Places for a zone's name: within it at its upper edge, then along its other edges."""
    centre = polygon.mean(axis=0)
    following = np.roll(polygon, -1, axis=0)
    edges = sorted(zip(polygon, following, strict=True), key=lambda edge: edge[0][1] + edge[1][1])
    places: list[tuple[float, float]] = []
    for inward in (1.0, -1.0):
        for start, end in edges:
            for part in (0.5, 0.25, 0.75):
                point = start + (end - start) * part
                away = centre - point
                away = away / max(float(np.hypot(*away)), 1.0)
                x, y = point + away * inward * np.array([wide / 2 + 4, tall / 2 + 4])
                places.append((float(x) - wide / 2, float(y) - tall / 2))
    return places


def write_outlined(
    image: Image,
    text: str,
    at: tuple[float, float],
    *,
    size: int,
    colour: Colour,
    weight: int = 400,
) -> None:
    """Write a line that can be read on any ground: light letters with a dark edge."""
    reach = max(1, round(size / 12))
    for x in range(-reach, reach + 1):
        for y in range(-reach, reach + 1):
            if (x or y) and x * x + y * y <= reach * reach + 1:
                place = (at[0] + x, at[1] + y)
                write(image, text, place, size=size, colour=HALO, weight=weight)
    write(image, text, at, size=size, colour=colour, weight=weight)


def _strip(width: int, title: Caption) -> Image:
    """The caption: a bar in the colour of the severity, what was found and where, and the film."""
    small, large = max(14, round(width / 68)), max(15, round(width / 60))
    margin = round(width / 64)
    lines = _wrapped(title.sentence, large, width - 2 * margin)
    step = round(large * 1.45)
    height = round(small * 2.5) + step * len(lines) + round(large * 0.3)
    height += round(small * 1.5) if title.picture else 0
    height += height % 2
    strip = np.full((height, width, 3), STRIP, np.uint8)
    accent = ACCENTS.get(title.severity, OTHER_ACCENT)
    strip[:, : max(6, margin // 3)] = accent
    foot, x = round(small * 1.75), margin
    for words, ink, weight in (
        (title.code, accent, 700),
        (title.severity, accent, 400),
        (title.where, FAINT_ON_STRIP, 400),
    ):
        if not words:
            continue
        words = _cut(words, small, width - margin - x, weight)
        write(strip, words, (x, foot), size=small, colour=ink, weight=weight)
        x += text_size(words, small, weight)[0] + small
    for number, line in enumerate(lines):
        at = (margin, foot + step * (number + 1) + round(small * 0.2))
        write(strip, line, at, size=large, colour=ON_STRIP)
    if title.picture:
        words = _cut(title.picture, small, width - 2 * margin, 400)
        at = (margin, height - round(small * 0.75))
        write(strip, words, at, size=small, colour=FAINT_ON_STRIP)
    return strip


def _wrapped(sentence: str, size: int, width: int) -> list[str]:
    """Break a sentence into lines; what does not fit in the last is cut off with an ellipsis."""
    lines: list[str] = []
    words = sentence.split()
    while words and len(lines) < MOST_LINES - 1:
        held = 1
        while held < len(words) and text_size(" ".join(words[: held + 1]), size)[0] <= width:
            held += 1
        lines.append(_cut(" ".join(words[:held]), size, width, 400))
        words = words[held:]
    if words:
        lines.append(_cut(" ".join(words), size, width, 400))
    return lines


def _cut(words: str, size: int, width: int, weight: int) -> str:
    """As much of a line as there is room for, with an ellipsis where that is not all of it."""
    if text_size(words, size, weight)[0] <= width:
        return words
    fits, too_long = 0, len(words)
    while too_long - fits > 1:
        half = (fits + too_long) // 2
        if text_size(words[:half] + "…", size, weight)[0] <= width:
            fits = half
        else:
            too_long = half
    return words[:fits].rstrip() + "…"
