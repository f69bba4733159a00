"""Opens files and streams that nobody vouches for, and decodes the pictures in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Final, Self

import av
import av.error

from audit.addresses import without_secrets
from audit.errors import CatwalkError
from vision.frames import FrameClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    from av.container import InputContainer
    from av.video.stream import VideoStream

MOST_PIXELS: Final = 64_000_000
"""Of a frame. 8K has 33 million; what says that it has more means to exhaust memory."""
FILE_KINDS: Final = "mov,matroska,avi,mpegts,mpeg,mpegvideo,flv,asf,ogg,mxf,dhav,m4v,h264,hevc,ivf"
"""The containers that are read; a playlist, which names other files, is none of them."""
_INDEXED: Final = frozenset({"mov", "matroska", "avi", "mxf"})  # they say where each second is
_MICROSECONDS: Final = 1_000_000
_SET_BACK_S: Final = 1.0
_LATEST_STAMP: Final = 1 << 62


class BadFootage(CatwalkError):
    """A file or stream that holds no film that could be read."""


@dataclass(frozen=True, slots=True)
class Source:
    """What is opened, under the name that is said to the user, and what it may open in turn."""

    address: str = field(repr=False)
    """It may hold a password."""
    name: str
    options: tuple[tuple[str, str], ...]
    open_timeout_s: float | None = None
    read_timeout_s: float | None = None


def file_source(path: Path) -> Source:
    """A file; it may be any file, but it may not lead to another one, nor to the network."""
    told = without_secrets(path)  # somebody may have typed an address where a file is wanted
    try:
        if not path.exists():
            raise BadFootage(f"{told} does not exist")
        if not path.is_file():
            raise BadFootage(f"{told} is not a file")
        if path.stat().st_size == 0:
            raise BadFootage(f"{told} is empty")
        with path.open("rb"):
            pass
    except OSError as problem:
        raise BadFootage(f"{told} cannot be read: {problem.strerror}") from None
    options = (("protocol_whitelist", "file"), ("format_whitelist", FILE_KINDS))
    return Source(f"file:{path.absolute()}", path.name, options)


class OpenedFilm:
    """A container that is open, with the one stream of pictures in it that is read."""

    def __init__(self, source: Source) -> None:
        """Open it. Raises av.error.FFmpegError, or BadFootage if it is open but holds no film."""
        self.name = source.name
        self.damaged = 0
        self.damaged_s = 0.0
        self.ends_damaged = False
        self._settled = False
        self._last_s = 0.0
        self._container: InputContainer = av.open(
            source.address,
            "r",
            options=dict(source.options) | {"max_pixels": str(MOST_PIXELS)},
            metadata_errors="replace",
            timeout=(source.open_timeout_s, source.read_timeout_s),
        )
        try:
            self.stream = self._pictures()
        except BadFootage:
            self._container.close()
            raise
        start, tick = self.stream.start_time, self.stream.time_base
        self._start_s = float(start * tick) if start is not None and tick is not None else 0.0

    def _pictures(self) -> VideoStream:
        shown = [
            stream
            for stream in self._container.streams.video
            if not stream.disposition & av.stream.Disposition.attached_pic
        ]
        if not shown:
            what = "sound but no picture" if self._container.streams.audio else "no picture"
            raise BadFootage(f"{self.name} holds {what}")
        stream = shown[0]
        if stream.codec_context is None:
            raise BadFootage(f"{self.name} is in a format that cannot be decoded here")
        if not self.is_untimed:  # several threads would hold pictures back
            stream.thread_type = "AUTO"
        stream.codec_context.options = {"max_pixels": str(MOST_PIXELS)}
        return stream

    @property
    def length_s(self) -> float | None:
        """How long the container says that its pictures last."""
        stream = self.stream
        if stream.duration is not None and stream.time_base is not None:
            return _length(float(stream.duration * stream.time_base))
        said = _clock_time(stream.metadata.get("DURATION", ""))
        if said is None and self._container.duration is not None:
            said = self._container.duration / _MICROSECONDS
        if said is None:
            return None
        # Such an end is counted from 0, even where the first picture is not at 0.
        return _length(said - self._start_s if said > self._start_s > 0 else said)

    @property
    def says_its_length(self) -> bool:
        """Whether its length is known before its end: not so where it comes in fragments."""
        fragmented = self._kind == "mov" and not self.stream.frames
        return self.length_s is not None and not fragmented

    @property
    def is_untimed(self) -> bool:
        """Whether pictures come without times: as single JPEGs, one after the other."""
        return self._kind == "mpjpeg"

    @property
    def _kind(self) -> str:
        return self._container.format.name.partition(",")[0]

    def clock(self, length_s: float | None) -> FrameClock:
        """A clock for its time stamps, of a film of this length."""
        rate = self.stream.average_rate or self.stream.base_rate
        tick = self.stream.time_base
        if tick is None:
            raise BadFootage(f"{self.name} does not say how its time stamps count")
        return FrameClock(tick, float(1 / rate) if rate else None, length_s)

    def clock_runs_through(self) -> bool:
        """Whether a second is found where its time stamp is.

        Not so where a recorder set its clock back, or wrote one recording behind another. Files
        without an index are gone through for it, without being decoded.
        """
        tick = self.stream.time_base
        if self._kind in _INDEXED or tick is None:
            return True
        latest: int | None = None
        try:
            for packet in self._container.demux(self.stream):
                if packet.dts is None:
                    continue
                if latest is not None and (latest - packet.dts) * tick > _SET_BACK_S:
                    return False
                latest = packet.dts if latest is None else max(latest, packet.dts)
        except av.error.FFmpegError:
            return True  # what is behind this cannot be read anyway
        return True

    def stamp(self, picture: av.VideoFrame) -> int | None:
        """The time stamp by which pictures come in order.

        An avi file stamps in the order of decoding only; shifted by the decoder's delay, which is
        the same throughout, these are the times at which the pictures are shown.
        """
        return picture.dts if self._kind == "avi" else picture.pts

    def seek(self, stamp: int) -> bool:
        """Go to the last picture before this stamp that stands for itself; False: it cannot."""
        try:
            to = max(-_LATEST_STAMP, min(stamp, _LATEST_STAMP))
            self._container.seek(to, stream=self.stream, backward=True, any_frame=False)
        except av.error.FFmpegError:
            return False
        self._settled = False
        return True

    def pictures(self) -> Iterator[av.VideoFrame]:
        """Decode from here on; what is damaged is left out and counted.

        Raises av.error.FFmpegError where the container itself breaks off.
        """
        try:
            for packet in self._container.demux(self.stream):
                yield from self._decoded(packet)
        except av.error.FFmpegError:
            yield from self._decoded(None)
            raise

    def _decoded(self, packet: av.Packet[VideoStream] | None) -> Iterator[av.VideoFrame]:
        try:
            pictures = self.stream.codec_context.decode(packet)
        except av.error.FFmpegError:
            self._note_damage()
            return
        for picture in pictures:
            if picture.is_corrupt:
                self._note_damage()
                continue
            self._settled, self.ends_damaged = True, False
            if picture.time is not None:
                self._last_s = picture.time - self._start_s
            yield picture

    def _note_damage(self) -> None:
        if not self._settled:
            return  # what stands before the first whole picture leans on one that is not there
        if not self.damaged:
            self.damaged_s = self._last_s
        self.damaged += 1
        self.ends_damaged = True

    def close(self) -> None:
        """Let go of the file or the connection."""
        self._container.close()

    def __enter__(self) -> Self:
        """Take itself as what is closed at the end."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


def _length(length_s: float) -> float | None:
    """A length as a container says it, unless it says nothing."""
    return length_s if isfinite(length_s) and length_s > 0 else None


def _clock_time(text: str) -> float | None:
    """Seconds of a time as matroska writes it: 00:00:02.000000000."""
    try:
        hours, minutes, seconds = text.split(":")
        return int(hours) * 3600 + int(minutes) * 60 + float(seconds)
    except ValueError:
        return None
