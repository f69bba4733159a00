"""The light on a table, and what camera and recorder do to a picture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.synthetic.canvases import streaked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.synthetic.cameras import Camera
    from vision.synthetic.canvases import Colour

_COARSE: Final = 16
_FINE: Final = 4
_GRAINS: Final = (1408, 800)
_GRAIN: Final = 32  # deviation of the noise kept


@dataclass(frozen=True, slots=True)
class Light:
    seed: int
    tint: Colour  # gain of blue, green and red
    level: float
    vignette: float
    unevenness: float
    glares: int
    glare_strength: float
    shadow: tuple[float, float]  # mm that a shadow falls aside for each mm of height
    darkness: float
    cast: float  # how much darker the part is on which something outside the picture throws shade

    def on(self, camera: Camera) -> NDArray[np.uint8]:
        """How bright each pixel of the camera's picture is lit; 96 leaves a colour as it is."""
        across, down = _grid(camera, _COARSE)
        rng = np.random.default_rng((self.seed, 3))
        bright = np.ones_like(across)
        heading = rng.uniform(0, 2 * np.pi)
        bright += self.unevenness * (across * np.cos(heading) + down * np.sin(heading))
        for _ in range(3):
            x, y = rng.uniform(-1.1, 1.1, 2)
            wide = rng.uniform(0.25, 1.1)
            lamp = np.exp(-((across - x) ** 2 + (down - y) ** 2) / wide**2)
            bright += self.unevenness * rng.uniform(-0.9, 1.0) * lamp
        if self.cast > 0:
            edge = across * np.sin(heading) + down * np.cos(heading) + rng.uniform(-0.7, 0.7)
            bright *= 1 - self.cast / (1 + np.exp(-edge / rng.uniform(0.02, 0.15)))
        bright *= 1 - self.vignette * (across**2 + down**2) / 2
        coarse = np.dstack([np.clip(96 * self.level * gain * bright, 0, 255) for gain in self.tint])
        return _full(coarse.astype(np.uint8), camera, _COARSE)

    def glare(self, camera: Camera) -> NDArray[np.uint8] | None:
        """Reflections of lamps, to be added."""
        if not self.glares:
            return None
        across, down = _grid(camera, _FINE)
        rng = np.random.default_rng((self.seed, 4))
        added = np.zeros_like(across)
        for _ in range(self.glares):
            x, y = rng.uniform(-0.95, 0.95, 2)
            wide, tall = np.exp(rng.uniform(-3.7, -1.2, 2))
            turn = rng.uniform(0, np.pi)
            along = (across - x) * np.cos(turn) + (down - y) * np.sin(turn)
            beside = (down - y) * np.cos(turn) - (across - x) * np.sin(turn)
            added += rng.uniform(0.4, 1) * np.exp(
                -np.minimum((along / wide) ** 2 + (beside / tall) ** 2, 60)
            )
        spots = np.clip(255 * self.glare_strength * added, 0, 255).astype(np.uint8)
        return _full(np.dstack([spots] * 3), camera, _FINE)


def draw_light(rng: np.random.Generator) -> Light:
    warm = rng.normal(0.02, 0.09)
    green = rng.normal(0, 0.025)
    dim = rng.random() < 0.15
    return Light(
        seed=int(rng.integers(2**31)),
        tint=(1 - warm, 1 + green, 1 + warm),
        level=float(rng.uniform(0.4, 0.72) if dim else rng.uniform(0.78, 1.25)),
        vignette=float(rng.uniform(0, 0.4) if rng.random() < 0.6 else 0.0),
        unevenness=float(abs(rng.normal(0, 0.14))),
        glares=int(rng.integers(1, 5)) if rng.random() < 0.25 else 0,
        glare_strength=float(rng.uniform(0.15, 0.75)),
        shadow=(float(rng.normal(0, 0.6)), float(rng.normal(-0.1, 0.6))),
        darkness=float(rng.uniform(0.2, 0.65)),
        cast=float(rng.uniform(0.1, 0.55)) if rng.random() < 0.2 else 0.0,
    )


@dataclass(frozen=True, slots=True)
class Filming:
    """What the lens, the chip and the recorder take away from a picture."""

    blur: float
    sharpening: float
    shrink: float
    noise: float
    coloured_noise: bool
    quality: int  # of the compression; 100 is none
    fine_colour: bool  # colour kept at full resolution
    gamma: float
    contrast: float
    saturation: float
    moved: tuple[float, float]
    specks: float

    def smear(self, moved: tuple[float, float] = (0.0, 0.0)) -> float:
        """Pixels: the deviation of what a point is spread over, where the thing itself moved so."""
        way = np.hypot(self.moved[0] + moved[0], self.moved[1] + moved[1])
        pixel = 1 / min(self.shrink, 1.0)
        return float(np.sqrt(self.blur**2 + way**2 / 12 + pixel**2 / 6))

    def without_grain(self) -> Filming:
        """The same lens and chip without noise, recorded as they see."""
        return replace(self, noise=0.0, specks=0.0, quality=100)

    def film(self, image: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
        height, width = image.shape[:2]
        if self.moved != (0.0, 0.0):
            image = streaked(image, self.moved)
        if self.blur > 0.3:
            image = np.asarray(cv2.GaussianBlur(image, (0, 0), self.blur), np.uint8)
        if self.shrink < 0.99:
            small = (int(width * self.shrink), int(height * self.shrink))
            image = np.asarray(cv2.resize(image, small, interpolation=cv2.INTER_AREA), np.uint8)
        if self.saturation != 1.0:
            grey = (1 - self.saturation) * np.array([[0.114, 0.587, 0.299]] * 3)
            mixing = self.saturation * np.eye(3) + grey
            image = np.asarray(cv2.transform(image, mixing.astype(np.float32)), np.uint8)
        image = np.asarray(cv2.LUT(image, _curve(self.gamma, self.contrast)), np.uint8)
        if self.noise > 0.2:
            image = self._noisy(image, rng)
        if self.sharpening > 0.05:
            soft = cv2.GaussianBlur(image, (0, 0), 1.2)
            image = np.asarray(
                cv2.addWeighted(image, 1 + self.sharpening, soft, -self.sharpening, 0), np.uint8
            )
        if self.specks > 0:
            count = int(self.specks * image.shape[0] * image.shape[1])
            rows = rng.integers(image.shape[0], size=count)
            columns = rng.integers(image.shape[1], size=count)
            image[rows, columns] = rng.choice(np.array([0, 255], np.uint8), (count, 1))
        image = self._recorded(image)
        if self.shrink < 0.99:
            image = np.asarray(
                cv2.resize(image, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8
            )
        return image

    def _noisy(self, image: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
        height, width = image.shape[:2]
        grains = _grains(int(rng.integers(2)), coloured=self.coloured_noise)
        if height > _GRAINS[1] or width > _GRAINS[0]:
            room = (0, max(0, height - _GRAINS[1]), 0, max(0, width - _GRAINS[0]))
            grains = np.asarray(cv2.copyMakeBorder(grains, *room, cv2.BORDER_WRAP), np.uint8)
        top = int(rng.integers(grains.shape[0] - height + 1))
        left = int(rng.integers(grains.shape[1] - width + 1))
        part = grains[top : top + height, left : left + width]
        strength = self.noise / _GRAIN
        return np.asarray(cv2.addWeighted(image, 1, part, strength, -128 * strength), np.uint8)

    def _recorded(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        if self.quality >= 100:
            return image
        sampling = (
            cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444
            if self.fine_colour
            else cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420
        )
        settings = [
            cv2.IMWRITE_JPEG_QUALITY,
            self.quality,
            cv2.IMWRITE_JPEG_SAMPLING_FACTOR,
            sampling,
        ]
        _, packed = cv2.imencode(".jpg", image, settings)
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def draw_filming(rng: np.random.Generator, *, steady: bool = False) -> Filming:
    """Any camera; a steady one is fixed above a table, and its film is compressed as film is."""
    bad = not steady and rng.random() < 0.3
    still = steady or rng.random() > 0.1
    grey = not steady and rng.random() < 0.04
    quality = int(rng.uniform(32, 65) if bad else rng.uniform(50, 97))
    speckled = not steady and rng.random() < 0.04
    return Filming(
        blur=float(abs(rng.normal(0, 0.9 if bad else 0.55))),
        sharpening=float(rng.uniform(0, 1.2) if rng.random() < 0.4 else 0),
        shrink=float(rng.uniform(0.62, 1) if bad and rng.random() < 0.5 else 1.0),
        noise=float(abs(rng.normal(0, 5 if bad else 2.5))),
        coloured_noise=bool(rng.random() < 0.5),
        quality=100 if steady else quality,
        fine_colour=bool(rng.random() < 0.2),
        gamma=float(np.exp(rng.normal(-0.05, 0.14))),
        contrast=float(rng.normal(1.0, 0.1)),
        saturation=0.0 if grey else float(np.clip(rng.normal(1.0, 0.16), 0.4, 1.5)),
        moved=(0.0, 0.0) if still else (float(rng.normal(0, 2.5)), float(rng.normal(0, 2.5))),
        specks=float(rng.uniform(0.0005, 0.004)) if speckled else 0.0,
    )


def lit(
    image: NDArray[np.uint8], light: NDArray[np.uint8], glare: NDArray[np.uint8] | None
) -> NDArray[np.uint8]:
    shown = cv2.multiply(image, light, scale=1 / 96)
    if glare is not None:
        # White card shines more than cloth does.
        shine = cv2.convertScaleAbs(shown, alpha=0.75, beta=40)
        shown = cv2.add(shown, cv2.multiply(glare, shine, scale=1 / 255))
    return np.asarray(shown, np.uint8)


def _grid(camera: Camera, coarse: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Positions in the whole picture, from -1 to 1, at every sixteenth pixel or so."""
    width, height = camera.size
    columns = (np.arange(width // coarse + 2) * coarse + camera.left) / camera.whole[0] * 2 - 1
    rows = (np.arange(height // coarse + 2) * coarse + camera.top) / camera.whole[1] * 2 - 1
    across, down = np.meshgrid(columns.astype(np.float32), rows.astype(np.float32))
    return across, down


def _full(coarse: NDArray[np.uint8], camera: Camera, step: int) -> NDArray[np.uint8]:
    width, height = camera.size
    large = cv2.resize(
        coarse, (coarse.shape[1] * step, coarse.shape[0] * step), interpolation=cv2.INTER_LINEAR
    )
    half = step // 2
    return np.ascontiguousarray(large[half : half + height, half : half + width])


@lru_cache(maxsize=4)
def _grains(number: int, *, coloured: bool) -> NDArray[np.uint8]:
    """Noise about 128, made once: of single pixels or of larger grains, coloured or nearly grey."""
    rng = np.random.default_rng((number, 9))
    grains = rng.standard_normal((_GRAINS[1], _GRAINS[0], 4), np.float32)
    if number:
        grains = 1.8 * np.asarray(cv2.GaussianBlur(grains, (0, 0), 0.7))
    mixed = np.float32(0.7 if coloured else 0.2) * grains[:, :, :3] + grains[:, :, 3:]
    return np.asarray(np.clip(128 + _GRAIN * mixed, 0, 255), np.uint8)


@lru_cache(maxsize=512)
def _curve(gamma: float, contrast: float) -> NDArray[np.uint8]:
    values = (np.arange(256) / 255) ** gamma
    return np.clip(255 * ((values - 0.5) * contrast + 0.5), 0, 255).astype(np.uint8)
