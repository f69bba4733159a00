"""A frame of film with its own time, and the clock that keeps those times in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import av
import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from numpy.typing import NDArray

    from vision.boxes import Image

LUMA_FIRST: Final = frozenset(
    f"{kind}{layout}"
    for kind in ("yuv", "yuvj", "yuva")
    for layout in ("410p", "411p", "420p", "422p", "440p", "444p")
) | {"gray", "nv12", "nv16", "nv21", "nv24", "nv42"}
"""Formats of pixels whose first plane is brightness, a byte for each pixel."""
_JITTER_S: Final = 1.0  # a clock that goes back by less has stumbled; by more, it was set
_BEYOND_S: Final = 60.0  # a leap of more than this, to so far beyond the film's end, is wrong
_LONGEST_S: Final = 366 * 86_400.0  # no film lasts longer, whatever it says
_USUAL_GAP_S: Final = 1 / 25
_DECODERS_TAIL: Final = 16  # the frames that a decoder gives at the end may lack their stamps
_STEP_S: Final = 0.001


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A picture of a film; its colours are converted only when they are asked for."""

    number: int
    """In the order of this reading, from 0."""
    at_s: float
    """Seconds since the first frame of the file, or since the stream was opened."""
    luma: NDArray[np.uint8]
    """Height × width: brightness as it was decoded, not to be written to."""
    picture: av.VideoFrame | Image
    """As it was decoded, or as it was drawn."""
    turns: int = 0
    """Quarter turns to the left that bring the decoded picture upright."""

    @classmethod
    def of_image(cls, number: int, at_s: float, image: Image) -> Frame:
        """Take a picture that is there already as a frame."""
        luma = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        return cls(number, at_s, np.asarray(luma, np.uint8), image)

    def image(self) -> Image:
        """Its colours, blue first."""
        if not isinstance(self.picture, av.VideoFrame):
            return self.picture
        height, width = self.luma.shape[:: -1 if self.turns % 2 else 1]
        colours = self.picture.to_ndarray(format="bgr24", width=width, height=height)
        return np.ascontiguousarray(np.rot90(colours, self.turns), dtype=np.uint8)


def decoded_frame(
    number: int, at_s: float, picture: av.VideoFrame, turns: int, size: tuple[int, int]
) -> Frame:
    """A frame of a film of this size (as it stands upright), whatever size this picture has."""
    width, height = size if turns % 2 == 0 else size[::-1]
    if (picture.width, picture.height) != (width, height) or picture.format.name not in LUMA_FIRST:
        luma = np.asarray(picture.to_ndarray(format="gray", width=width, height=height), np.uint8)
    else:
        luma = _first_plane(picture)
    if turns:
        luma = np.rot90(luma, turns)
    luma.flags.writeable = False
    return Frame(number, at_s, luma, picture, turns)


def _first_plane(picture: av.VideoFrame) -> NDArray[np.uint8]:
    """The brightness of a picture where it lies in memory, without the padding of its lines."""
    plane = picture.planes[0]
    lines = np.frombuffer(memoryview(plane), np.uint8).reshape(plane.height, abs(plane.line_size))
    return lines[:: -1 if plane.line_size < 0 else 1, : plane.width]


class FrameClock:
    """Turns the time stamps of a container into seconds that never go back."""

    def __init__(
        self, time_base: Fraction, usual_gap_s: float | None, length_s: float | None
    ) -> None:
        """Take what the container says of itself: its tick, its rate and its length.

        A length of 0 is that of a stream, whose pictures come as they are taken: there, no leap of
        a minute is believed.
        """
        self._tick = time_base
        self._gap_s = usual_gap_s or _USUAL_GAP_S
        self._length_s = _LONGEST_S if length_s is None else min(length_s, _LONGEST_S)
        self._first: int | None = None
        self._shift_s = 0.0
        self._last_s: float | None = None
        self._went_back = Moments()
        self._unstamped = Moments()

    @property
    def first(self) -> int | None:
        """The stamp that counts as second 0."""
        return self._first

    def starting_at(self, first: int | None) -> FrameClock:
        """A clock of the same film, read anew from somewhere within it."""
        other = FrameClock(self._tick, self._gap_s, self._length_s)
        other._first = first
        return other

    def stamp_of(self, at_s: float) -> int | None:
        """The stamp of a second, if any frame was stamped."""
        return None if self._first is None else self._first + int(at_s / self._tick)

    def at(self, stamp: int | None) -> float:
        """Seconds since the first frame; later than those of the frame before, whatever it says."""
        if stamp is None:
            at_s = 0.0 if self._last_s is None else self._last_s + self._gap_s
            self._unstamped.note(at_s)
        else:
            at_s = self._stamped(stamp)
        self._last_s = at_s
        return at_s

    def _stamped(self, stamp: int) -> float:
        if self._first is None:
            self._first = stamp
            self._shift_s = 0.0 if self._last_s is None else self._last_s + self._gap_s
        said_s = float((stamp - self._first) * self._tick) + self._shift_s
        if self._last_s is None:
            return min(max(said_s, 0.0), _LONGEST_S)
        set_ahead = said_s - max(self._last_s, self._length_s) > _BEYOND_S
        if said_s > self._last_s and not set_ahead:
            return said_s
        self._went_back.note(self._last_s)
        if not set_ahead and self._last_s - said_s < _JITTER_S:
            return self._last_s + _STEP_S
        follows_s = self._last_s + self._gap_s
        self._shift_s += follows_s - said_s
        return follows_s

    def remarks(self, name: str) -> Iterator[str]:
        """What was wrong with the stamps, in a sentence each."""
        if self._went_back.count:
            yield (
                f"{name}: time stamps are out of order {self._went_back}; "
                "frames are taken in the order in which they come"
            )
        if self._unstamped.count > _DECODERS_TAIL:
            yield (
                f"{name}: frames have no time stamp {self._unstamped}; "
                f"they are taken to be {self._gap_s:.3f} s apart"
            )


class Moments:
    """When something happened first, and how often."""

    def __init__(self) -> None:
        self.count = 0
        self._first_s = 0.0

    def note(self, at_s: float) -> None:
        if not self.count:
            self._first_s = at_s
        self.count += 1

    def __str__(self) -> str:
        later = self.count - 1
        more = f" and {later} {'time' if later == 1 else 'times'} later" if later else ""
        return f"at {self._first_s:.1f} s{more}"
