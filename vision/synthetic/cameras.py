"""Pinhole cameras above a table.

Millimetres: x to the right, y from the players towards the dealer, z up from the cloth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Extents = tuple[float, float, float, float]
NEAREST_MM = 30.0


@dataclass(frozen=True, slots=True)
class Camera:
    matrix: NDArray[np.float64]  # 3x4, from table millimetres to pixels of the whole picture
    whole: tuple[int, int]
    left: int = 0
    top: int = 0
    size: tuple[int, int] = (0, 0)

    def homogeneous(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Pixels times depth, and the depth in millimetres as the third column."""
        seen = points @ self.matrix[:, : points.shape[1]].T + self.matrix[:, 3]
        seen[:, 0] -= self.left * seen[:, 2]
        seen[:, 1] -= self.top * seen[:, 2]
        return seen

    def project(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        seen = self.homogeneous(np.asarray(points, np.float64))
        return seen[:, :2] / np.maximum(seen[:, 2:], NEAREST_MM)

    def plane(self, height: float = 0.0) -> NDArray[np.float64]:
        """The homography from the plane at that height above the table to pixels."""
        flat = self.matrix[:, [0, 1, 3]].copy()
        flat[:, 2] += self.matrix[:, 2] * height
        return self._shifted(flat)

    def upright_plane(self, y: float) -> NDArray[np.float64]:
        """The homography from (x, z) of the plane that stands across the table at y."""
        flat = self.matrix[:, [0, 2, 3]].copy()
        flat[:, 2] += self.matrix[:, 1] * y
        return self._shifted(flat)

    def slanted_plane(
        self,
        across: NDArray[np.float64],
        down: NDArray[np.float64],
        start: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """The homography from a plane in space: u along `across`, v along `down`, from `start`."""
        rotation = self.matrix[:, :3]
        flat = np.column_stack([rotation @ across, rotation @ down, rotation @ start])
        flat[:, 2] += self.matrix[:, 3]
        return self._shifted(flat)

    def scale_at(self, x: float, y: float, z: float = 0.0) -> float:
        """Pixels that a millimetre across the view has at that point."""
        depth = self.matrix[2] @ np.array([x, y, z, 1.0])
        return float(self._focal / max(depth, NEAREST_MM))

    def window(self, left: int, top: int, width: int, height: int) -> Camera:
        """The same camera, seeing only that part of its picture."""
        return Camera(self.matrix, self.whole, self.left + left, self.top + top, (width, height))

    @property
    def above(self) -> NDArray[np.float64]:
        """Where the camera itself is."""
        place = -np.linalg.solve(self.matrix[:, :3], self.matrix[:, 3])
        return place.astype(np.float64)

    @property
    def _focal(self) -> float:
        across = self.matrix[0, :3] - self.matrix[2, :3] * self.whole[0] / 2
        return float(np.linalg.norm(across))

    def _shifted(self, flat: NDArray[np.float64]) -> NDArray[np.float64]:
        flat[0] -= self.left * flat[2]
        flat[1] -= self.top * flat[2]
        return flat


@dataclass(frozen=True, slots=True)
class View:
    """From where a camera looks: degrees above the table, round the table, and of roll."""

    elevation: float
    azimuth: float = 0.0
    roll: float = 0.0
    across: float = 40.0  # horizontal angle of view


def draw_view(rng: np.random.Generator) -> View:
    """A view from the players' side, or from nearly straight above."""
    across = rng.uniform(22, 58)
    if rng.random() < 0.3:
        azimuth = rng.normal(0, 6) + (180.0 if rng.random() < 0.2 else 0.0)
        return View(rng.uniform(74, 90), azimuth, rng.normal(0, 2), across)
    return View(rng.uniform(30, 62), rng.normal(0, 14), rng.normal(0, 1.5), across)


def draw_camera(
    rng: np.random.Generator, extents: Extents, size: tuple[int, int], view: View | None = None
) -> Camera:
    """A camera whose picture is filled by that part of the table (left, near, right, far)."""
    view = view or draw_view(rng)
    left, near, right, far = extents
    corners = np.array([[left, near], [right, near], [right, far], [left, far]], np.float64)
    aim = corners.mean(axis=0)
    nearest, farthest = 250.0, 12000.0
    for _ in range(11):
        distance = float(np.sqrt(nearest * farthest))
        if _overflow(looking_at(aim, distance, view, size), corners) > 0.97:
            nearest = distance
        else:
            farthest = distance
    camera = looking_at(aim, farthest, view, size)
    pixels = camera.project(corners)
    return _moved(camera, np.array(size) / 2 - (pixels.min(axis=0) + pixels.max(axis=0)) / 2)


def _overflow(camera: Camera, corners: NDArray[np.float64]) -> float:
    """How much of the picture the points need; infinite if one is behind the camera."""
    seen = camera.homogeneous(corners)
    if seen[:, 2].min() < NEAREST_MM:
        return float("inf")
    pixels = seen[:, :2] / seen[:, 2:]
    needed = (pixels.max(axis=0) - pixels.min(axis=0)) / np.array(camera.size)
    return float(needed.max())


def looking_at(
    aim: NDArray[np.float64], distance: float, view: View, size: tuple[int, int]
) -> Camera:
    elevation, azimuth, roll = np.radians([view.elevation, view.azimuth, view.roll])
    outward = np.array(
        [
            np.cos(elevation) * np.sin(azimuth),
            -np.cos(elevation) * np.cos(azimuth),
            np.sin(elevation),
        ]
    )
    place = np.array([aim[0], aim[1], 0.0]) + distance * outward
    right = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
    down = np.array(
        [
            -np.sin(elevation) * np.sin(-azimuth),
            -np.sin(elevation) * np.cos(azimuth),
            -np.cos(elevation),
        ]
    )
    rolled_right = np.cos(roll) * right + np.sin(roll) * down
    rolled_down = np.cos(roll) * down - np.sin(roll) * right
    rotation = np.vstack([rolled_right, rolled_down, -outward])
    focal = size[0] / 2 / np.tan(np.radians(view.across) / 2)
    inner = np.array([[focal, 0, size[0] / 2], [0, focal, size[1] / 2], [0, 0, 1.0]])
    matrix = inner @ np.hstack([rotation, -(rotation @ place)[:, None]])
    return Camera(matrix, size, size=size)


def _moved(camera: Camera, shift: NDArray[np.float64]) -> Camera:
    matrix = camera.matrix.copy()
    matrix[0] += shift[0] * matrix[2]
    matrix[1] += shift[1] * matrix[2]
    return Camera(matrix, camera.whole, size=camera.size)
