"""Zones as somebody drew them: which a game needs, what is wrong with them, how they look."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from audit.errors import CatwalkError
from vision.boxes import Image
from vision.calibration.camera_section import Polygon
from vision.evidence_still import HALO, FreePlaces, name_zone
from vision.picture_text import Colour
from vision.table_zones import DISCARD, SHOE

GAMES = ("baccarat", "blackjack")
MOST_BOXES = 9
MOST_POINTS = 60
SMALL_SHARE = 0.002
"""Of the picture: a zone less large holds no hand of cards."""
OVERLAP_SHARE = 0.02
"""Of the smaller zone: from here on an overlap is more than two lines drawn close together."""
MASK_WIDTH = 640
COLOURS = {
    "player": "#4aa3ff",
    "banker": "#ff6b6b",
    "dealer": "#ff6b6b",
    "box1": "#ffd166",
    "box2": "#4aa3ff",
    "box3": "#7bd88f",
    "box4": "#f78fd0",
    "box5": "#ff9f45",
    "box6": "#6fe0e0",
    "box7": "#b99cff",
    "box8": "#d7e85c",
    "box9": "#e0b08a",
    SHOE: "#c9ced6",
    DISCARD: "#a7adb8",
}


class BadCalibration(CatwalkError):
    """Zones that cannot be used, or a sheet that cannot be written."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something to put right in what was drawn."""

    text: str
    zones: tuple[str, ...]
    hinders: bool
    """Whether the zones cannot be saved so."""


def hands_of(game: str, boxes: int) -> tuple[str, ...]:
    """The zones that a game needs, in the order in which they are best drawn."""
    if game == "baccarat":
        return ("player", "banker")
    return ("dealer", *(f"box{number}" for number in range(1, boxes + 1)))


def zones_of(game: str, boxes: int) -> tuple[str, ...]:
    """The zones that a game needs, and those that help."""
    return (*hands_of(game, boxes), SHOE, DISCARD)


def usual_layout(game: str, boxes: int, frame: tuple[int, int]) -> dict[str, Polygon]:
    """Zones to begin with: where hands mostly are in a picture taken from behind the players."""
    if game == "baccarat":
        places = {
            "player": (0.10, 0.40, 0.47, 0.78),
            "banker": (0.53, 0.40, 0.90, 0.78),
        }
    else:
        places = {"dealer": (0.36, 0.10, 0.64, 0.32)}
        wide = 0.92 / boxes
        for number in range(1, boxes + 1):
            right = 0.96 - (number - 1) * wide
            aside = abs(2 * (right - wide / 2) - 1)
            top = 0.56 - 0.14 * aside**2
            places[f"box{number}"] = (right - wide * 0.93, top, right, top + 0.30)
    places[SHOE] = (0.84, 0.03, 0.97, 0.24)
    places[DISCARD] = (0.03, 0.03, 0.16, 0.24)
    width, height = frame
    return {
        name: (
            (round(left * width), round(top * height)),
            (round(right * width), round(top * height)),
            (round(right * width), round(bottom * height)),
            (round(left * width), round(bottom * height)),
        )
        for name, (left, top, right, bottom) in places.items()
    }


def problems_of(
    zones: Mapping[str, Polygon], game: str, boxes: int, frame: tuple[int, int]
) -> tuple[Problem, ...]:
    """What is missing or wrong, the worst first."""
    found = [*_missing(zones, game, boxes), *_shapes(zones, frame), *_overlaps(zones, frame)]
    if game == "blackjack":
        found += _order_of_boxes(zones, boxes)
    return tuple(sorted(found, key=lambda problem: not problem.hinders))


def _missing(zones: Mapping[str, Polygon], game: str, boxes: int) -> Iterator[Problem]:
    needed = [name for name in hands_of(game, boxes) if name not in zones]
    if needed:
        yield Problem(f"still to draw: {', '.join(needed)}", tuple(needed), hinders=True)
    for name in (SHOE, DISCARD):
        if name not in zones:
            what = "dealt cards come from" if name == SHOE else "cleared cards go to"
            text = f"{name} is not drawn: it helps to know where {what}"
            yield Problem(text, (name,), hinders=False)


def _shapes(zones: Mapping[str, Polygon], frame: tuple[int, int]) -> Iterator[Problem]:
    for name, polygon in zones.items():
        if _crosses_itself(polygon):
            yield Problem(f"the outline of {name} crosses itself", (name,), hinders=True)
        elif _area(polygon) < SMALL_SHARE * frame[0] * frame[1]:
            none = _area(polygon) < 1
            text = f"{name} is {'a line, not an area' if none else 'very small'}"
            yield Problem(text, (name,), hinders=none)


def _overlaps(zones: Mapping[str, Polygon], frame: tuple[int, int]) -> Iterator[Problem]:
    masks = {name: _mask(polygon, frame) for name, polygon in zones.items()}
    for one, other in combinations(masks, 2):
        if {one, other} == {SHOE, DISCARD}:
            continue
        smaller = min(int(masks[one].sum()), int(masks[other].sum()))
        shared = int((masks[one] & masks[other]).sum())
        if smaller and shared > OVERLAP_SHARE * smaller:
            text = f"{one} and {other} overlap: {100 * shared / smaller:.0f} % of the smaller one"
            yield Problem(text, (one, other), hinders=False)


def _order_of_boxes(zones: Mapping[str, Polygon], boxes: int) -> Iterator[Problem]:
    """Boxes lie along the table in the order of their numbers: one that does not is misnamed."""
    drawn = [name for name in hands_of("blackjack", boxes)[1:] if name in zones]
    middles = [np.mean(zones[name], axis=0) for name in drawn]
    for place in range(1, len(drawn) - 1):
        come, go = middles[place] - middles[place - 1], middles[place + 1] - middles[place]
        if float(come @ go) < 0:
            before, own, after = drawn[place - 1 : place + 2]
            text = f"{own} does not lie between {before} and {after}: are the names right?"
            yield Problem(text, (before, own, after), hinders=False)


def _area(polygon: Polygon) -> float:
    return float(cv2.contourArea(np.array(polygon, np.float32)))


def _mask(polygon: Polygon, frame: tuple[int, int]) -> NDArray[np.bool_]:
    """The area of a zone in a smaller picture, fine enough to compare areas."""
    times = min(1.0, MASK_WIDTH / frame[0])
    mask = np.zeros((round(frame[1] * times) + 1, round(frame[0] * times) + 1), np.uint8)
    cv2.fillPoly(mask, [np.round(np.array(polygon) * times).astype(np.int32)], 1)
    return np.asarray(mask, np.bool_)


def _crosses_itself(polygon: Polygon) -> bool:
    sides = list(zip(polygon, (*polygon[1:], polygon[0]), strict=True))
    for (place, one), (other_place, other) in combinations(enumerate(sides), 2):
        next_to_it = other_place - place in (1, len(sides) - 1)
        if not next_to_it and _cross(one, other):
            return True
    return len(set(polygon)) < len(polygon)


Side = tuple[tuple[int, int], tuple[int, int]]


def _cross(one: Side, other: Side) -> bool:
    def side_of(line: Side, point: tuple[int, int]) -> int:
        (x, y), (far_x, far_y) = line
        turn = (far_x - x) * (point[1] - y) - (far_y - y) * (point[0] - x)
        return (turn > 0) - (turn < 0)

    parts = side_of(one, other[0]) * side_of(one, other[1])
    return parts < 0 and side_of(other, one[0]) * side_of(other, one[1]) < 0


def draw_zones(image: Image, zones: Mapping[str, Polygon]) -> Image:
    """A picture with each zone tinted, outlined and named."""
    tinted = image.copy()
    corners = {name: np.array(polygon, np.int32) for name, polygon in zones.items()}
    for name, polygon in corners.items():
        cv2.fillPoly(tinted, [polygon], _bgr(name))
    drawn = np.asarray(cv2.addWeighted(tinted, 0.24, image, 0.76, 0), np.uint8)
    thick = max(2, round(max(image.shape[:2]) / 640))
    letters = max(15, round(max(image.shape[:2]) / 56))
    for colour, width in ((HALO, thick + 2), (None, thick)):
        for name, polygon in corners.items():
            ink = colour or _bgr(name)
            cv2.polylines(
                drawn, [polygon], isClosed=True, color=ink, thickness=width, lineType=cv2.LINE_AA
            )
    free = FreePlaces(image, [])
    for name, polygon in corners.items():
        name_zone(drawn, name, polygon.astype(np.float64), letters, free)
    return drawn


def _bgr(name: str) -> Colour:
    code = COLOURS[name]
    return int(code[5:7], 16), int(code[3:5], 16), int(code[1:3], 16)
