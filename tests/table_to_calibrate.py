"""A table to calibrate: zones drawn on it, a sheet that it has already, and a clip of it."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from vision.calibration.camera_section import Polygon

FRAME = (320, 180)
PLAYER: Polygon = ((10, 60), (150, 60), (150, 150), (10, 150))
BANKER: Polygon = ((170, 60), (310, 60), (310, 150), (170, 150))
HANDS = {"player": PLAYER, "banker": BANKER}
ALL = {**HANDS, "shoe": ((250, 5), (310, 5), (310, 50)), "discard": ((5, 5), (60, 5), (60, 50))}
SHEET = """\
# The high-limit room.
table    = "BAC-07"   # as on the sign
timezone = "Asia/Singapore"
decks    = 8

[[game]]
rulebook = "mbs-fortune-six-baccarat-v6"
from     = 2026-01-01T06:00:00+08:00

[camera]   # drawn in spring
frame = [640, 360]
[camera.zones]
player = [
    [20, 120], [300, 120],  # the third card lies here
    [300, 300], [20, 300],
]
banker = [[340, 120], [620, 120], [620, 300], [340, 300]]

# What may be wagered.
[limits]
tie = { min = "10.00", max = "2000.00" }
"""


def film_the_cloth(path: Path) -> Path:
    """Two seconds of a cloth that becomes brighter."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height = FRAME
        stream.pix_fmt = "yuv420p"
        stream.codec_context.time_base = Fraction(1, 10)
        for number in range(20):
            image = np.full((FRAME[1], FRAME[0], 3), 60 + 5 * number, np.uint8)
            frame = av.VideoFrame.from_ndarray(image, format="bgr24")
            frame.pts, frame.time_base = number, Fraction(1, 10)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path
