"""Notices when the camera itself fails: it was moved or covered, it is too dark, its picture froze.

Looked at about once a second of film. What the table shows where no cards are dealt stays as it is;
so that is compared, in tiles, with what it showed at first, and only what most tiles agree on is
said of the camera.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import cv2
import numpy as np

from vision.table_zones import MARGIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from vision.frames import Frame
    from vision.table_zones import Zones

Kind = Literal["moved", "covered", "dark", "frozen"]

_EVERY_S: Final = 1.0
_MOST_WIDTH: Final = 320
_TILES: Final = (4, 3)
_FIRST: Final = 5  # checks that the first picture is made of
_BRIGHTEST: Final = 99.0  # percent of the picture are darker; a dark cloth alone is not darkness
_DARK: Final = 45.0  # of 255; black is 16 in most films
_LEAST_DETAIL: Final = 0.8  # steps of brightness: a tile with less has nothing to be known by
_LEAST_LEFT: Final = 0.2  # of the picture, or a tile, must lie outside the hands to go by that
_FEWEST_TILES: Final = 4  # to tell anything by
_LIGHT_CHANGED: Final = 20.0  # of 255, of a tile's mean
_LOST_DETAIL: Final = 0.25  # of what a tile had
_LOST_TILES: Final = 0.6
_ALIKE: Final = 0.7  # correlation of a tile with what it showed at first: it is where it was
_UNLIKE: Final = 0.4
_UNLIKE_TILES: Final = 0.8
_SHIFTED_TILES: Final = 0.5
_LEAST_SHIFT: Final = 0.008  # of the picture's width
_BETTER: Final = 0.15  # how much more alike a tile must be once it is shifted back
_NOISE_KNOWN: Final = 15  # checks before it is known how much the picture flickers by itself
_LEAST_NOISE: Final = 0.02  # share of pixels that differ after a second
_FROZEN_NOISE: Final = 0.05  # of the usual
_REMEMBERED: Final = 120  # checks
_EVENTS_KEPT: Final = 100
_FIRST_WITHIN_S: Final = 30.0
_PATIENCE: Final[Mapping[Kind, int]] = {"moved": 3, "covered": 2, "dark": 3, "frozen": 8}
"""Checks in a row that must say the same."""


@dataclass(frozen=True, slots=True)
class CameraEvent:
    """A time during which the camera cannot be relied on."""

    at_s: float
    until_s: float | None
    """None: it is not over yet."""
    kind: Kind
    shift: float | None = None
    """Pixels that the picture was shifted by, if that can be told."""

    @property
    def text(self) -> str:
        """One sentence for the user."""
        until = "on" if self.until_s is None else f"to {self.until_s:.1f} s"
        when = f"from {self.at_s:.1f} s {until}"
        if self.kind == "moved" and self.shift is not None:
            return (
                f"{when} the camera does not stand as it stood at first: its picture is shifted "
                f"by about {self.shift:.0f} pixels, so the zones do not fit"
            )
        return f"{when} {_WORDS[self.kind]}"


_WORDS: Final[Mapping[Kind, str]] = {
    "moved": "the camera shows something else than at first: it was turned away or exchanged",
    "covered": "the camera is covered: most of its picture shows nothing",
    "dark": "the picture is too dark to be read",
    "frozen": "the picture stands still, without even its usual noise: the camera has hung up",
}


@dataclass(frozen=True, slots=True)
class _Symptom:
    """What one check says."""

    kind: Kind
    shift: float | None = None


class CameraWatch:
    """Frames pass through it on their way to whoever reads them."""

    def __init__(self, zones: Zones | None = None) -> None:
        """Begin without knowing what the camera shows; in these zones the hands are dealt."""
        self.events: tuple[CameraEvent, ...] = ()
        """What was noticed so far, in the order in which it began; of very much, the latest."""
        self._zones = zones
        self._closed: deque[CameraEvent] = deque(maxlen=_EVENTS_KEPT)
        self._open: dict[Kind, CameraEvent] = {}
        self._suspected: dict[Kind, list[float]] = {}
        self._begun: list[_View] = []
        self._first: _FirstPicture | None = None
        self._noise = _Noise()
        self._next_s = -np.inf

    def remember(self, beginning: Iterable[Frame]) -> None:
        """Learn what the camera showed at first from the beginning of a film read before."""
        next_s = until_s = None
        for frame in beginning:
            if until_s is None or next_s is None:
                next_s, until_s = frame.at_s, frame.at_s + _FIRST_WITHIN_S
            if self._first is not None or frame.at_s > until_s:
                return
            if frame.at_s >= next_s:
                next_s = frame.at_s + _EVERY_S
                self._seen(frame.luma)

    def watching(self, frames: Iterable[Frame]) -> Iterator[Frame]:
        """The same frames; one in each second is looked at in passing."""
        for frame in frames:
            if frame.at_s >= self._next_s:
                self._next_s = (frame.at_s // _EVERY_S + 1) * _EVERY_S
                self.check(frame)
            yield frame

    def check(self, frame: Frame) -> None:
        """Look at one frame."""
        symptoms = [self._seen(frame.luma), self._noise.seen(frame.luma)]
        for kind in _PATIENCE:
            found = next((each for each in symptoms if each and each.kind == kind), None)
            if found is None:
                self._end(kind, frame.at_s)
            else:
                self._note(found, frame.at_s)

    def _seen(self, luma: NDArray[np.uint8]) -> _Symptom | None:
        """What is wrong with this picture, compared with the first one."""
        view = _View.of(_small(luma))
        if self._first is None:
            if not view.is_dark and not view.is_empty:
                self._begin(view)
                return None
            return _Symptom("dark" if view.is_dark else "covered")
        if view.is_dark:
            return _Symptom("dark")
        if self._first.lost(view):
            return _Symptom("covered")
        shift = self._first.shift(view)
        if shift is None:
            return None
        return _Symptom("moved", None if np.isinf(shift) else shift * luma.shape[1])

    def _begin(self, view: _View) -> None:
        """Make the first picture of some good frames: a hand that passes leaves no trace in it."""
        self._begun.append(view)
        if len(self._begun) == _FIRST:
            self._first = _FirstPicture(self._begun, _outside(self._zones, view.detail.shape))
            self._begun.clear()

    def _note(self, symptom: _Symptom, at_s: float) -> None:
        """Begin an event once a symptom has lasted."""
        if symptom.kind in self._open:
            return
        seen = self._suspected.setdefault(symptom.kind, [])
        seen.append(at_s)
        if len(seen) >= _PATIENCE[symptom.kind]:
            event = CameraEvent(seen[0], None, symptom.kind, symptom.shift)
            self._open[symptom.kind] = event
            self._tell()

    def _end(self, kind: Kind, at_s: float) -> None:
        self._suspected.pop(kind, None)
        event = self._open.pop(kind, None)
        if event is not None:
            self._closed.append(replace(event, until_s=at_s))
            self._tell()

    def _tell(self) -> None:
        noticed = [*self._closed, *self._open.values()]
        self.events = tuple(sorted(noticed, key=lambda event: event.at_s))


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """What one check sees."""

    detail: NDArray[np.float32]
    light: NDArray[np.float64]
    """The mean brightness of each tile."""
    is_dark: bool

    @classmethod
    def of(cls, small: NDArray[np.float32]) -> _View:
        light = np.array([float(tile.mean()) for tile in _tiles(small)])
        dark = float(np.percentile(small[::2, ::2], _BRIGHTEST)) < _DARK
        return cls(_detail(small), light, dark)

    @property
    def is_empty(self) -> bool:
        return not (_deviations(self.detail) > _LEAST_DETAIL).any()


class _FirstPicture:
    """What the camera showed at first outside the hands, in tiles."""

    def __init__(self, views: Sequence[_View], outside: NDArray[np.float32]) -> None:
        self._outside = outside
        detail = np.asarray(np.median([view.detail for view in views], axis=0), np.float32)
        self._tiles = _tiles(detail * outside)
        self._deviations = _deviations(detail * outside)
        self._light = np.asarray(np.median([view.light for view in views], axis=0))
        shown = [_tiles(view.detail * outside) for view in views]
        steady = [
            sum(_likeness(tile, each[number]) >= _ALIKE for each in shown) >= len(shown) - 1
            for number, tile in enumerate(self._tiles)
        ]
        seen = [float(tile.mean()) >= _LEAST_LEFT for tile in _tiles(outside)]
        self._known = (self._deviations > _LEAST_DETAIL) & np.array(steady) & np.array(seen)
        self._width = detail.shape[1]
        self._windows = [
            np.asarray(cv2.createHanningWindow(tile.shape[::-1], cv2.CV_32F), np.float32)
            for tile in self._tiles
        ]

    def lost(self, view: _View) -> bool:
        """Whether most tiles show nothing any more; bare cloth does not, so there light tells."""
        if self._known.sum() < _FEWEST_TILES:
            changed = np.abs(view.light - self._light) > _LIGHT_CHANGED
            return view.is_empty and bool(changed.mean() >= _LOST_TILES)
        left = _deviations(view.detail * self._outside)[self._known] / self._deviations[self._known]
        return bool((left < _LOST_DETAIL).mean() >= _LOST_TILES)

    def shift(self, view: _View) -> float | None:
        """By what share of its width the picture has shifted: None not, infinite out of sight."""
        tiles = _tiles(view.detail * self._outside)
        known = np.flatnonzero(self._known)
        if len(known) < _FEWEST_TILES:
            return None
        alike = {each: _likeness(self._tiles[each], tiles[each]) for each in known.tolist()}
        least = min(_SHIFTED_TILES, _UNLIKE_TILES)
        if np.mean([each < _ALIKE for each in alike.values()]) < least:
            return None
        shifts = []
        for each, before in alike.items():
            if before >= _ALIKE:
                continue
            shift = self._shift_of(each, tiles[each])
            back = np.array([[1, 0, -shift[0]], [0, 1, -shift[1]]], np.float64)
            size = tiles[each].shape[::-1]
            moved = np.asarray(cv2.warpAffine(tiles[each], back, size), np.float32)
            far = float(np.hypot(*shift)) / self._width
            if far >= _LEAST_SHIFT and _likeness(self._tiles[each], moved) > before + _BETTER:
                shifts.append(far)
        if len(shifts) >= _SHIFTED_TILES * len(alike):
            return float(np.median(shifts))
        unlike = np.mean([each < _UNLIKE for each in alike.values()])
        return float("inf") if unlike >= _UNLIKE_TILES else None

    def _shift_of(self, number: int, tile: NDArray[np.float32]) -> tuple[float, float]:
        window = self._windows[number]
        # Windowed here, for phaseCorrelate would do so in the arrays that it is given.
        shift, _ = cv2.phaseCorrelate(self._tiles[number] * window, tile * window)
        return float(shift[0]), float(shift[1])


class _Noise:
    """How many pixels differ from a second to the next, though nothing happens."""

    def __init__(self) -> None:
        self._last: NDArray[np.uint8] | None = None
        self._shares: deque[float] = deque(maxlen=_REMEMBERED)

    def seen(self, luma: NDArray[np.uint8]) -> _Symptom | None:
        """Say so if there is far less of it than usual; a film without noise never freezes."""
        some = luma[::4, ::4].copy()
        last, self._last = self._last, some
        if last is None or last.shape != some.shape:
            return None
        share = float(np.count_nonzero(some != last)) / some.size
        usual = float(np.quantile(self._shares, 0.1)) if self._shares else 0.0
        known = len(self._shares) >= _NOISE_KNOWN and usual >= _LEAST_NOISE
        if known and share < _FROZEN_NOISE * usual:
            return _Symptom("frozen")
        self._shares.append(share)
        return None


def _outside(zones: Zones | None, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """1 where no cards are dealt, 0 in the zones of the hands and close to them."""
    height, width = shape
    outside = np.ones((height, width), np.float32)
    if zones is None:
        return outside
    scaled = zones.scaled_to((width, height))
    for name in scaled.hands:
        cv2.fillPoly(outside, [np.round(scaled.polygons[name]).astype(np.int32)], 0.0)
    reach = 2 * round(MARGIN * width) + 1
    outside = np.asarray(cv2.erode(outside, np.ones((reach, reach), np.uint8)), np.float32)
    return outside if outside.mean() >= _LEAST_LEFT else np.ones_like(outside)


def _small(luma: NDArray[np.uint8]) -> NDArray[np.float32]:
    while luma.shape[1] > _MOST_WIDTH:
        half = (luma.shape[1] // 2, luma.shape[0] // 2)
        luma = np.asarray(
            cv2.resize(luma[: half[1] * 2, : half[0] * 2], half, interpolation=cv2.INTER_AREA),
            np.uint8,
        )
    return luma.astype(np.float32)


def _detail(small: NDArray[np.float32]) -> NDArray[np.float32]:
    """A picture without its light and without its noise."""
    smooth = cv2.GaussianBlur(small, (0, 0), 1.2)
    return np.asarray(smooth - cv2.blur(smooth, (31, 31)), np.float32)


def _tiles(detail: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    across, down = _TILES
    return [
        np.ascontiguousarray(tile)
        for row in np.array_split(detail, down, axis=0)
        for tile in np.array_split(row, across, axis=1)
    ]


def _deviations(detail: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.array([float(tile.std()) for tile in _tiles(detail)])


def _likeness(some: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """The correlation of two pictures; 0 if one of them shows nothing."""
    one, two = some - some.mean(), other - other.mean()
    both = float(np.sqrt((one * one).sum() * (two * two).sum()))
    return float((one * two).sum()) / both if both > 0 else 0.0
