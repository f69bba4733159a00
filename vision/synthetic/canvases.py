"""The picture in the making: pixels, and which card is topmost at each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.synthetic.cameras import NEAREST_MM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cv2.typing import MatLike
    from numpy.typing import NDArray

    from vision.synthetic.cameras import Camera

Colour = tuple[float, float, float]
Box = tuple[int, int, int, int]
SOMETHING: Final = 65535  # owner of a pixel that belongs to a hand, a chip or the like
_PARTS: Final = 16  # cv2 draws at a sixteenth of a pixel
_FAR: Final = 30000.0


class Sprite:
    """A flat picture with premultiplied alpha (BGRA), kept at several sizes to shrink cleanly."""

    __slots__ = ("_levels",)

    def __init__(self, pixels: NDArray[np.uint8]) -> None:
        self._levels = [pixels]

    @property
    def size(self) -> tuple[int, int]:
        return self._levels[0].shape[1], self._levels[0].shape[0]

    def level(self, shrink: float) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
        """The smallest kept size with enough detail, and the way from its pixels to level 0."""
        wanted = 0
        while shrink < 0.6 and min(self.size) >> (wanted + 1) >= 4:
            shrink *= 2
            wanted += 1
        while len(self._levels) <= wanted:
            last = self._levels[-1]
            half = (max(1, last.shape[1] // 2), max(1, last.shape[0] // 2))
            self._levels.append(_bytes(cv2.resize(last, half, interpolation=cv2.INTER_AREA)))
        pixels = self._levels[wanted]
        across, down = self.size[0] / pixels.shape[1], self.size[1] / pixels.shape[0]
        # The centre of pixel 0 of a shrunken level lies at (factor - 1) / 2 of level 0.
        back = np.array([[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2], [0, 0, 1.0]])
        return pixels, back


def opaque(image: NDArray[np.uint8], mask: NDArray[np.uint8] | None = None) -> Sprite:
    """A sprite of an ordinary picture, cut out by a mask."""
    if mask is None:
        mask = np.full(image.shape[:2], 255, np.uint8)
    cut = cv2.multiply(image, cv2.merge([mask, mask, mask]), scale=1 / 255)
    return Sprite(_bytes(cv2.merge([cut, mask])))


class Canvas:
    def __init__(
        self,
        camera: Camera,
        image: NDArray[np.uint8] | None = None,
        owners: NDArray[np.uint16] | None = None,
    ) -> None:
        width, height = camera.size
        self.camera = camera
        self.image = np.zeros((height, width, 3), np.uint8) if image is None else image
        self.owners = np.zeros((height, width), np.uint16) if owners is None else owners

    def copy(self) -> Canvas:
        return Canvas(self.camera, self.image.copy(), self.owners.copy())

    def lay(
        self,
        sprite: Sprite,
        place: NDArray[np.float64],
        owner: int | None = None,
        *,
        gain: float = 1.0,
        moved: tuple[float, float] = (0.0, 0.0),
        shadow: tuple[float, float, float, float] | None = None,
    ) -> None:
        """Put a sprite where the homography says; shadow is (dx, dy, softness, darkness) in px."""
        cut = self._warped(sprite, place, moved, 0.0 if shadow is None else _reach(shadow))
        if cut is None:
            return
        pixels, (left, top, right, bottom) = cut
        alpha = pixels[:, :, 3]
        if shadow is not None:
            self._shadow(alpha, (left, top, right, bottom), shadow)
        target = self.image[top:bottom, left:right]
        colour = pixels[:, :, :3]
        if gain != 1.0:
            colour = _bytes(cv2.convertScaleAbs(colour, alpha=gain))
        rest = cv2.merge([255 - alpha] * 3)
        cv2.add(cv2.multiply(target, rest, scale=1 / 255), colour, dst=target)
        if owner is not None:
            self.owners[top:bottom, left:right][alpha > 127] = owner

    def near(self, place: tuple[float, float], reach: float) -> bool:
        """Whether something at that place of the table, so many mm about it, may be seen."""
        across, down, depth = self.camera.homogeneous(np.array([place]))[0]
        if depth <= NEAREST_MM:
            return False
        margin = reach * self.camera.scale_at(*place)
        width, height = self.camera.size
        return bool(
            -margin < across / depth < width + margin and -margin < down / depth < height + margin
        )

    def sees(self, place: NDArray[np.float64], size: tuple[int, int]) -> bool:
        """Whether any of a sprite of that size could be in the picture."""
        before = _rows_before_camera(place, size)
        return before > 0 and self._box(_placed_outline(place, (size[0], before)), 60) is not None

    def stamp(
        self, mask: Sprite, place: NDArray[np.float64], colour: Colour, strength: float = 1.0
    ) -> None:
        """Print a one-channel sprite in one colour."""
        cut = self._warped(mask, place, (0.0, 0.0), 0.0)
        if cut is None:
            return
        alpha, (left, top, right, bottom) = cut
        self._tint(alpha, (left, top, right, bottom), colour, strength)

    def fill(
        self,
        points: NDArray[np.float64],
        colour: Colour,
        owner: int | None = None,
        *,
        strength: float = 1.0,
        holes: Sequence[NDArray[np.float64]] = (),
    ) -> None:
        """Fill a polygon given in millimetres of the table or above it."""
        contours = [self._outline(each) for each in (points, *holes)]
        self.fill_pixels([each for each in contours if len(each) > 2], colour, owner, strength)

    def fill_pixels(
        self,
        contours: Sequence[NDArray[np.float64]],
        colour: Colour,
        owner: int | None = None,
        strength: float = 1.0,
    ) -> None:
        if not contours:
            return
        box = self._box(np.vstack(contours))
        if box is None:
            return
        left, top, right, bottom = box
        shifted = [fixed_point(each - (left, top)) for each in contours]
        target = self.image[top:bottom, left:right]
        if strength >= 1:
            cv2.fillPoly(target, shifted, colour, cv2.LINE_AA, 4)
        else:
            alpha = np.zeros(target.shape[:2], np.uint8)
            cv2.fillPoly(alpha, shifted, 255, cv2.LINE_AA, 4)
            self._tint(alpha, box, colour, strength)
        if owner is not None:
            taken = np.zeros(target.shape[:2], np.uint8)
            cv2.fillPoly(taken, shifted, 1, cv2.LINE_8, 4)
            self.owners[top:bottom, left:right][taken > 0] = owner

    def fill_many(
        self, polygons: Sequence[NDArray[np.float64]], colours: Sequence[Colour], owner: int
    ) -> None:
        """Fill small polygons that lie close together, one after the other."""
        seen = self.camera.project(np.vstack(polygons))
        box = self._box(seen)
        if box is None:
            return
        left, top, right, bottom = box
        fixed = fixed_point(seen - (left, top))
        target = self.image[top:bottom, left:right]
        taken = np.zeros(target.shape[:2], np.uint8)
        start = 0
        for polygon, colour in zip(polygons, colours, strict=True):
            part = [fixed[start : start + len(polygon)]]
            cv2.fillPoly(target, part, colour, cv2.LINE_AA, 4)
            cv2.fillPoly(taken, part, 1, cv2.LINE_8, 4)
            start += len(polygon)
        self.owners[top:bottom, left:right][taken > 0] = owner

    def shade(self, points: NDArray[np.float64], softness: float, darkness: float) -> None:
        """Darken a polygon in millimetres, with a soft edge in px."""
        outline = self._outline(points)
        if len(outline) > 2:
            self.shade_pixels(outline, softness, darkness)

    def shade_pixels(self, outline: NDArray[np.float64], softness: float, darkness: float) -> None:
        box = self._box(outline, 2 * softness)
        if box is None:
            return
        left, top, right, bottom = box
        alpha = np.zeros((bottom - top, right - left), np.uint8)
        cv2.fillPoly(alpha, [fixed_point(outline - (left, top))], 255, cv2.LINE_AA, 4)
        self._darken(_soft(alpha, softness), box, darkness)

    def _shadow(
        self, alpha: NDArray[np.uint8], box: Box, shadow: tuple[float, float, float, float]
    ) -> None:
        across, down, softness, darkness = shadow
        shift = np.array([[1, 0, across], [0, 1, down]], np.float64)
        cast = cv2.warpAffine(alpha, shift, (alpha.shape[1], alpha.shape[0]))
        self._darken(_soft(_bytes(cast), softness), box, darkness)

    def _darken(self, alpha: NDArray[np.uint8], box: Box, darkness: float) -> None:
        left, top, right, bottom = box
        target = self.image[top:bottom, left:right]
        light = cv2.convertScaleAbs(alpha, alpha=darkness)
        light = 255 - light
        cv2.multiply(target, cv2.merge([light] * 3), dst=target, scale=1 / 255)

    def _tint(self, alpha: NDArray[np.uint8], box: Box, colour: Colour, strength: float) -> None:
        left, top, right, bottom = box
        target = self.image[top:bottom, left:right]
        if strength < 1:
            alpha = _bytes(cv2.convertScaleAbs(alpha, alpha=strength))
        ink = cv2.merge([cv2.convertScaleAbs(alpha, alpha=part / 255) for part in colour])
        rest = cv2.merge([255 - alpha] * 3)
        cv2.add(cv2.multiply(target, rest, scale=1 / 255), ink, dst=target)

    def _warped(
        self,
        sprite: Sprite,
        place: NDArray[np.float64],
        moved: tuple[float, float],
        reach: float,
    ) -> tuple[NDArray[np.uint8], Box] | None:
        width, height = sprite.size
        height = _rows_before_camera(place, (width, height))
        if not height:
            return None
        outline = _placed_outline(place, (width, height))
        box = self._box(outline, reach + max(abs(moved[0]), abs(moved[1])) / 2 + 1)
        if box is None:
            return None
        left, top, right, bottom = box
        area = abs(cv2.contourArea(outline.astype(np.float32))) / (width * height)
        sides = np.linalg.norm(outline - np.roll(outline, -1, axis=0), axis=1)
        least = min(sides[0] / width, sides[1] / height)
        pixels, back = sprite.level(float(np.sqrt(np.sqrt(area) * least)))
        pixels = pixels[: int(np.ceil(height / back[1, 1]))]
        shift = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1.0]])
        warped = cv2.warpPerspective(
            pixels, shift @ place @ back, (right - left, bottom - top), flags=cv2.INTER_LINEAR
        )
        if moved != (0.0, 0.0):
            warped = streaked(_bytes(warped), moved)
        return _bytes(warped), box

    def _outline(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """The polygon in px, without what is behind the camera."""
        seen = self.camera.homogeneous(np.asarray(points, np.float64))
        inside = seen[:, 2] > NEAREST_MM
        if not inside.all():
            kept = []
            for here, there in zip(seen, np.roll(seen, -1, axis=0), strict=True):
                if here[2] > NEAREST_MM:
                    kept.append(here)
                if (here[2] > NEAREST_MM) != (there[2] > NEAREST_MM):
                    share = (NEAREST_MM - here[2]) / (there[2] - here[2])
                    kept.append(here + share * (there - here))
            if not kept:
                return np.zeros((0, 2))
            seen = np.array(kept)
        return np.clip(seen[:, :2] / seen[:, 2:], -_FAR, _FAR)

    def _box(self, outline: NDArray[np.float64], margin: float = 0.0) -> Box | None:
        low = np.floor(outline.min(axis=0) - margin).astype(int)
        high = np.ceil(outline.max(axis=0) + margin).astype(int) + 2
        left, top = max(0, int(low[0])), max(0, int(low[1]))
        right = min(self.image.shape[1], int(high[0]))
        bottom = min(self.image.shape[0], int(high[1]))
        if right <= left or bottom <= top:
            return None
        return left, top, right, bottom


def streaked(pixels: NDArray[np.uint8], moved: tuple[float, float]) -> NDArray[np.uint8]:
    """Smear along the way that something went while the shutter was open (px)."""
    reach = int(np.ceil(max(abs(moved[0]), abs(moved[1])) / 2)) + 1
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    ends = np.array([[reach - moved[0] / 2, reach - moved[1] / 2]])
    line = fixed_point(np.vstack([ends, 2 * reach - ends]))
    cv2.line(kernel, line[0].tolist(), line[1].tolist(), 1.0, 1, cv2.LINE_8, 4)
    kernel /= kernel.sum()
    return _bytes(cv2.filter2D(pixels, -1, kernel, borderType=cv2.BORDER_CONSTANT))


def fixed_point(points: NDArray[np.float64]) -> NDArray[np.int32]:
    """Points as cv2 takes them with a shift of 4."""
    return np.round(points * _PARTS).astype(np.int32)


def _bytes(pixels: MatLike) -> NDArray[np.uint8]:
    return np.asarray(pixels, np.uint8)


def _placed_outline(place: NDArray[np.float64], size: tuple[int, int]) -> NDArray[np.float64]:
    """The corners of a placed sprite in px."""
    width, height = size
    corners = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1.0]])
    corners[:, :2] -= 0.5
    seen = corners @ place.T
    return np.asarray(seen[:, :2] / seen[:, 2:], np.float64)


def _rows_before_camera(place: NDArray[np.float64], size: tuple[int, int]) -> int:
    """How many rows of a sprite, from its top, are before the camera; an arm may start behind."""
    width, height = size
    top = min(place[2] @ (0, 0, 1.0), place[2] @ (width, 0, 1.0))
    if top <= NEAREST_MM:
        return 0
    fall = -float(place[2, 1])
    if top - fall * height >= NEAREST_MM:
        return height
    return int((top - NEAREST_MM) / fall)


def _reach(shadow: tuple[float, float, float, float]) -> float:
    return max(abs(shadow[0]), abs(shadow[1])) + 2 * shadow[2]


def _soft(alpha: NDArray[np.uint8], softness: float) -> NDArray[np.uint8]:
    side = int(softness) | 1
    if side < 3:
        return alpha
    return _bytes(cv2.blur(cv2.blur(alpha, (side, side)), (side, side)))
