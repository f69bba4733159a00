"""Small films whose every frame tells its number, in any container and with any time stamps."""

from __future__ import annotations

import struct
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import av
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from vision.boxes import Image
    from vision.footage import Footage
    from vision.frames import Frame

Written = Callable[[Path, list[float]], Path]
Codec = Literal["libx264", "mpeg4", "mjpeg", "ffv1", "rawvideo"]

SIZE: Final = (96, 48)
BITS: Final = 8
NTSC: Final = Fraction(30_000, 1001)
FINE: Final = Fraction(1, 90_000)
AVI_TICK: Final = 1 / NTSC
"""An avi file counts frames: it knows no other time."""
FAST: Final = {"movflags": "faststart"}
"""An mp4 file that says at its beginning where its frames are."""
PLAIN: Final = {"preset": "ultrafast", "g": "15"}
REORDERED: Final = {"preset": "veryfast", "g": "15", "bf": "3", "b_strategy": "0"}
"""Frames are stored in another order than they are shown in."""


def picture(number: int, size: tuple[int, int] = SIZE) -> Image:
    """Cells that are white or black, for each digit of the number."""
    digits = [[number >> (4 * row + column) & 1 for column in range(4)] for row in range(2)]
    cells = np.kron(np.array(digits) * 200 + 30, np.ones((size[1] // 2, size[0] // 4)))
    padded = np.full((size[1], size[0]), 30.0)
    padded[: cells.shape[0], : cells.shape[1]] = cells
    return np.repeat(padded.astype(np.uint8)[..., None], 3, axis=2)


def number_of(luma: NDArray[np.uint8]) -> int:
    """The number that a picture tells."""
    height, width = luma.shape[0] // 2, luma.shape[1] // 4
    number = 0
    for digit in range(BITS):
        row, column = divmod(digit, 4)
        middle = luma[row * height :, column * width :][4 : height - 4, 4 : width - 4]
        number |= int(middle.mean() > 128) << digit
    return number


def seen(frames: Iterable[Frame]) -> list[tuple[int, float]]:
    """The number and the time of each frame."""
    return [(number_of(frame.luma), frame.at_s) for frame in frames]


def numbers(footage: Footage, from_s: float = 0.0, to_s: float | None = None) -> list[int]:
    return [number for number, _ in seen(footage.frames(from_s, to_s))]


def even_times(count: int, rate: Fraction = NTSC) -> list[float]:
    return [float(number / rate) for number in range(count)]


def film(
    path: Path,
    times: Sequence[float],
    *,
    codec: Codec = "libx264",
    tick: Fraction = FINE,
    pixels: str = "yuv420p",
    size: tuple[int, int] = SIZE,
    first_s: float = 0.0,
    coding: Mapping[str, str] | None = None,
    container: Mapping[str, str] | None = None,
    metadata: Mapping[str, str] | None = None,
) -> Path:
    """Write frames 0, 1, 2 … with their times; the container is that of the file's name."""
    with av.open(str(path), "w", options=dict(container or {})) as output:
        output.metadata.update(metadata or {})
        stream = output.add_stream(codec, rate=NTSC)
        stream.width, stream.height = size
        stream.pix_fmt = pixels
        stream.codec_context.time_base = tick
        if coding is not None or codec == "libx264":
            stream.options = dict(PLAIN if coding is None else coding)
        for number, time in enumerate(times):
            frame = av.VideoFrame.from_ndarray(picture(number, size), format="bgr24")
            frame.pts, frame.time_base = round((first_s + time) / tick), tick
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    return path


def with_frame_count(content: bytes, frames: int) -> bytes:
    """An avi file that says it has so many frames, in both of its headers."""
    said = bytearray(content)
    for header, place in ((b"avih", 24), (b"strh", 40)):
        at = said.find(header) + place
        said[at : at + 4] = struct.pack("<I", frames)
    return bytes(said)
