"""Which hand a point of the camera's picture belongs to: the zones of a table sheet."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from audit.errors import BadTableSheet
from audit.toml_section import Section, did_you_mean, read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

SHOE: Final = "shoe"
DISCARD: Final = "discard"
HOLDERS: Final = (SHOE, DISCARD)
"""Zones that are no hand: where cards come from and where they go."""
MARGIN: Final = 0.03
"""How far outside a zone, by the width of the picture, a card can lie and still be in that hand."""
_BOX = re.compile(r"box[1-9]")
_NAMES: Final = ("player", "banker", "dealer", *(f"box{number}" for number in range(1, 10)))


@dataclass(frozen=True, slots=True, eq=False)
class Zones:
    """The polygons of a table's hands, of its shoe and its discard holder, in pixels."""

    frame: tuple[int, int]
    polygons: Mapping[str, NDArray[np.float64]]
    _outlines: Mapping[str, NDArray[np.float32]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        outlines = {
            name: np.ascontiguousarray(polygon, np.float32).reshape(-1, 1, 2)
            for name, polygon in self.polygons.items()
        }
        object.__setattr__(self, "_outlines", outlines)

    @property
    def hands(self) -> tuple[str, ...]:
        """The zones in which cards are dealt."""
        return tuple(name for name in self.polygons if name not in HOLDERS)

    @property
    def game(self) -> str:
        """What is played in such zones."""
        return "baccarat" if "player" in self.polygons else "blackjack"

    def scaled_to(self, size: tuple[int, int]) -> Zones:
        """The same zones in a picture of another size."""
        if size == self.frame:
            return self
        by = np.array(size, np.float64) / np.array(self.frame, np.float64)
        return Zones(size, {name: polygon * by for name, polygon in self.polygons.items()})

    def inside(self, name: str, x: float, y: float) -> float:
        """How far inside a zone a point lies, in pixels; below 0, how far outside."""
        return float(
            cv2.pointPolygonTest(self._outlines[name], (float(x), float(y)), measureDist=True)
        )

    def hand_at(self, x: float, y: float) -> str | None:
        """The zone of a point: the one it lies in, else the nearest hand within the margin.

        Where zones overlap it is the one in which the point lies deepest, and a hand before the
        shoe, which stands up and hides some of the cloth behind it.
        """
        deepest = {name: self.inside(name, x, y) for name in self.polygons}
        nearest = max(self.hands, key=lambda name: deepest[name])
        if deepest[nearest] >= 0:
            return nearest
        for name in HOLDERS:
            if deepest.get(name, -1.0) >= 0:
                return name
        return nearest if deepest[nearest] >= -MARGIN * self.frame[0] else None


def load_zones(table_sheet: Path) -> Zones:
    """Read the camera's part of a table sheet."""
    try:
        text = table_sheet.read_text("utf-8-sig")
    except OSError as problem:
        reason = problem.strerror or "it cannot be opened"
        raise BadTableSheet(f"{table_sheet} cannot be read: {reason}") from None
    except UnicodeDecodeError:
        raise BadTableSheet(f"{table_sheet} cannot be read: it is not UTF-8 text") from None
    return read_zones(text, str(table_sheet))


def read_zones(text: str, where: str) -> Zones:
    """Read the camera's part of the text of a table sheet, refusing what it should not hold."""
    top = Section(where, read_toml(text, where, BadTableSheet), BadTableSheet)
    if "camera" not in top:
        raise BadTableSheet(
            f"{where} lacks [camera]: footage cannot be read without the zones of the hands"
        )
    camera = top.section("camera")
    frame = _frame(camera)
    section = camera.section("zones")
    camera.end()
    polygons = {}
    for name in section:
        if name not in (*_NAMES, *HOLDERS):
            hint = did_you_mean(name, (*_NAMES, *HOLDERS))
            raise BadTableSheet(f"{section.where} has {name}, which is no zone{hint}")
        polygons[name] = _polygon(section, name, frame)
    _check_game(polygons, section.where)
    return Zones(frame, polygons)


def _frame(camera: Section) -> tuple[int, int]:
    value = camera.take("frame")
    numbers = [side for side in value if _is_whole(side)] if isinstance(value, list) else []
    if not isinstance(value, list) or len(value) != 2 or len(numbers) != 2 or min(numbers) < 16:
        raise camera.must("frame", value, "width and height in pixels, like [1280, 720]")
    return int(numbers[0]), int(numbers[1])


def _polygon(section: Section, name: str, frame: tuple[int, int]) -> NDArray[np.float64]:
    value = section.take(name)
    points = value if isinstance(value, list) else []
    if len(points) < 3 or not all(_is_point(point) for point in points):
        raise section.must(name, value, "at least three points, like [[120, 300], [560, 300], …]")
    polygon = np.array(points, np.float64)
    for x, y in polygon.tolist():
        if not (0 <= x <= frame[0] and 0 <= y <= frame[1]):
            raise BadTableSheet(
                f"{section.where}: {name} has the point [{x:g}, {y:g}], "
                f"which is outside the frame of {frame[0]} × {frame[1]}"
            )
    if cv2.contourArea(polygon.astype(np.float32)) < 1:
        raise section.must(name, value, "points round an area")
    return polygon


def _is_point(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(_is_number(each) for each in value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and np.isfinite(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_game(polygons: Mapping[str, object], where: str) -> None:
    """Refuse zones that make no table: each game's hands must be there together."""
    baccarat = {"player", "banker"} & set(polygons)
    boxes = {name for name in polygons if _BOX.fullmatch(name)}
    if baccarat and (boxes or "dealer" in polygons):
        raise BadTableSheet(
            f"{where} has hands of two games: player or banker, and dealer or a box"
        )
    if len(baccarat) == 1:
        lacking = "banker" if "player" in baccarat else "player"
        raise BadTableSheet(f"{where} lacks {lacking}")
    if not baccarat and not boxes:
        raise BadTableSheet(f"{where} lacks the hands: player and banker, or dealer and box1 …")
    if boxes and "dealer" not in polygons:
        raise BadTableSheet(f"{where} lacks dealer")
