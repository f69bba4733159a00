"""Writes films as a recorder does: H.264 in mp4, mkv, mov or avi."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

import av
import numpy as np

from vision.synthetic.films import exact_rate, frame_times

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from av.video.stream import VideoStream

    from vision.synthetic.films import Film

_TICKS: Final = 90_000  # a second, as in broadcasting


def write_film(
    path: Path,
    film: Film,
    fps: Fraction | float = 30,
    crf: int = 23,
    *,
    start: float = 0.0,
    end: float | None = None,
    variable: bool = False,
    preset: str = "veryfast",
) -> list[float]:
    """Write the film, or a part of it, and return the time of each frame in the file.

    With `variable` the frames come unevenly, as network cameras send them, some not at all.
    """
    rate = exact_rate(fps)
    until = film.length if end is None else end
    steady = frame_times(rate, start, until)
    times = list(uneven_times(film.seed, rate, steady) if variable else steady)
    options = {"movflags": "+faststart"} if path.suffix in (".mp4", ".mov") else {}
    written = []
    with av.open(str(path), "w", options=options) as container:
        stream: VideoStream = container.add_stream("libx264", rate=rate)
        stream.width, stream.height = film.table.camera.size
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": str(crf), "preset": preset}
        tick = Fraction(1, _TICKS) if variable else 1 / rate
        stream.codec_context.time_base = tick
        for number, time in enumerate(times):
            frame = av.VideoFrame.from_ndarray(film.frame(time), format="bgr24")
            frame.pts = round((time - times[0]) * _TICKS) if variable else number
            frame.time_base = tick
            written.append(float(frame.pts * tick))
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return written


def uneven_times(seed: int, rate: Fraction, steady: Iterator[float]) -> Iterator[float]:
    """Times of frames that come a little early or late, one in twelve left out."""
    rng = np.random.default_rng((seed, 419))
    for time in steady:
        late = float(rng.uniform(0, 0.35)) / float(rate)
        if rng.random() > 1 / 12:
            yield time + late
