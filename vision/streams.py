"""Film as a camera or a server sends it: waited for, but not for ever, and asked for again."""

from __future__ import annotations

import errno
import hashlib
import time
from dataclasses import dataclass
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import av

from audit.addresses import without_secrets
from vision.containers import BadFootage, OpenedFilm, Source
from vision.frames import Moments, decoded_frame
from vision.recordings import damage, quarter_turns_of, upright_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vision.frames import Frame

_PROTOCOLS: Final = {
    "rtsp": "rtsp,rtp,tcp,udp",
    "rtsps": "rtsp,rtsps,rtp,srtp,tcp,udp,tls",
    "http": "http,https,tcp,tls,httpproxy,crypto",
    "https": "https,tcp,tls,httpproxy,crypto",
}
_SERVED_KINDS: Final = "mov,matroska,avi,mpegts,flv,mpjpeg,mjpeg,h264,hevc,hls,aac,webvtt"
_STEADY_S: Final = 10.0  # a stream that ran so long has recovered: waits are short again
_MISSING_S: Final = 1.0  # of the end of a film, before it is asked for again
_MOST_REMARKS: Final = 20
_NO_FILM: Final = "what it sends is not film of a kind that can be read here"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a stream is waited for, and how often it is asked for again."""

    open_s: float = 15.0
    read_s: float = 15.0
    tries: int = 6
    first_wait_s: float = 1.0
    """Before the first new try; each further wait is twice as long."""


def stream_source(address: str, patience: Patience) -> Source:
    """A stream that may be opened, under a name that does not give its password away."""
    name = without_secrets(address)
    scheme, _, place = name.partition("://")
    if scheme not in _PROTOCOLS:
        raise BadFootage(
            f"{scheme}:// is not read; a stream is rtsp, rtsps, http or https, "
            "anything else is a file"
        )
    if place == "…" or not address.isprintable() or " " in address:
        raise BadFootage(
            f"the {scheme} address of the stream is not a valid one; signs like / ? # @ in a "
            "password are written %2F %3F %23 %40"
        )
    if not urlsplit(address).hostname:
        raise BadFootage(f"{name} names no host")
    microseconds = str(round(patience.read_s * 1_000_000))
    options = {"protocol_whitelist": _PROTOCOLS[scheme]}
    if scheme.startswith("rtsp"):
        options |= {"format_whitelist": "rtsp", "allowed_media_types": "video"}
        options |= {"rtsp_flags": "prefer_tcp", "timeout": microseconds}
    else:
        options |= {"format_whitelist": _SERVED_KINDS, "rw_timeout": microseconds}
    return Source(address, name, tuple(options.items()), patience.open_s, patience.read_s)


class Stream:
    """A stream; one that is live is read from where it stands."""

    def __init__(
        self,
        address: str,
        patience: Patience | None = None,
        wait: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Connect and decode the first frame."""
        self._patience = patience or Patience()
        self._source = stream_source(address, self._patience)
        self._wait, self._now = wait, now
        self.name = self._source.name
        self.problem: str | None = None
        """After reading: why it ended before its end."""
        self._remarks: tuple[str, ...] = ()
        self._lost = Moments()
        self._first_loss = ""
        try:
            film = _Connection(self._source)
        except av.error.FFmpegError as problem:
            raise BadFootage(f"{self.name} cannot be opened: {_reason(problem)}") from None
        self._connected: _Connection | None = film
        self._opened = now()
        self._opening = film.opening
        self._begins_again = False
        self.length_s = film.film.length_s if film.film.says_its_length else None
        self.size = upright_size(film.first)

    @property
    def live(self) -> bool:
        """Whether it has no end that it knows of."""
        return self.length_s is None

    @property
    def notes(self) -> tuple[str, ...]:
        """After reading: what was wrong with it though it was read on."""
        if not self._lost.count:
            return self._remarks
        return (*self._remarks, f"{self.name} was lost {self._lost} ({self._first_loss})")

    def frames(self, from_s: float = 0.0, to_s: float | None = None) -> Iterator[Frame]:
        """The frames from one second on and before another; times go on over a lost connection."""
        self.problem, self._remarks, self._lost = None, (), Moments()
        number = 0
        for at_s, picture in self._pictures():
            if to_s is not None and at_s >= to_s:
                return
            if at_s < from_s:
                continue
            yield decoded_frame(number, at_s, picture, quarter_turns_of(picture), self.size)
            number += 1

    def _pictures(self) -> Iterator[tuple[float, av.VideoFrame]]:
        """Every picture of every connection with its time, until none comes any more."""
        last_s, tries = -1.0, 0
        why = ""
        while True:
            began_s: float | None = None
            try:
                for at_s, picture in self._connection(last_s):
                    if why:
                        self._note_loss(last_s, why)
                    began_s = at_s if began_s is None else began_s
                    last_s, why = at_s, ""
                    yield at_s, picture
                why = "the server ended it"
                if self._is_over(last_s, came=began_s is not None):
                    return
            except av.error.FFmpegError as problem:
                why = _reason(problem)
            except BadFootage:
                why = _NO_FILM
            if self._begins_again and began_s is None:
                return  # a recording that has nothing more
            if began_s is not None and last_s - began_s >= _STEADY_S:
                tries = 0
            if tries >= self._patience.tries:
                self.problem = (
                    f"{self.name} was lost at {max(last_s, 0):.1f} s ({why}) "
                    f"and did not come back in {tries} tries"
                )
                return
            self._wait(self._patience.first_wait_s * 2**tries)
            tries += 1

    def _note_loss(self, at_s: float, why: str) -> None:
        """Keep in mind that it was lost, once it is back."""
        if not self._lost.count:
            self._first_loss = why
        self._lost.note(at_s)

    def _connection(self, last_s: float) -> Iterator[tuple[float, av.VideoFrame]]:
        """What comes over one connection and is later than what came before."""
        connected = self._connected or _Connection(self._source)
        self._connected = None
        film = connected.film
        with film:
            if last_s >= 0 and connected.opening == self._opening and not film.is_untimed:
                self._begins_again = True
            offset_s = self._offset(last_s)
            clock = film.clock(self.length_s or 0.0)
            try:
                for picture in connected.pictures:
                    said_s = clock.at(film.stamp(picture)) + offset_s
                    at_s = self._arrived(last_s) if film.is_untimed else said_s
                    if at_s > last_s:
                        last_s = at_s
                        yield at_s, picture
            finally:
                remarks = (*self._remarks, *clock.remarks(self.name), *damage(film))
                self._remarks = remarks[:_MOST_REMARKS]

    def _arrived(self, last_s: float) -> float:
        """The time of a picture that has none: that at which it came."""
        return 0.0 if last_s < 0 else self._now() - self._opened

    def _offset(self, last_s: float) -> float:
        """What a new connection's clock starts at: a live one has gone on in the meantime."""
        if last_s < 0 or not self.live or self._begins_again:
            return 0.0
        return max(self._now() - self._opened, last_s)

    def _is_over(self, last_s: float, *, came: bool) -> bool:
        """Whether a connection that was closed in good order was not closed too soon."""
        if self.length_s is None:
            return not self.name.startswith("rtsp")
        if self.length_s - last_s <= _MISSING_S:
            return True
        if not came:
            self.problem = (
                f"{self.name} breaks off at {last_s:.1f} s of {self.length_s:.1f} s: "
                "what follows is missing"
            )
        return not came


class _Connection:
    """A stream that is open, and of which the first picture came."""

    def __init__(self, source: Source) -> None:
        self.film = _opened(source)
        pictures = self.film.pictures()
        try:
            first = next(pictures, None)
        except av.error.FFmpegError:
            self.film.close()
            raise
        if first is None:
            self.film.close()
            raise BadFootage(f"{source.name} holds no frame that can be decoded")
        self.first = first
        self.pictures = chain([first], pictures)

    @property
    def opening(self) -> tuple[int | None, bytes]:
        """What tells a recording that is served from its start again: no camera sees it twice."""
        luma = decoded_frame(0, 0.0, self.first, 0, (self.first.width, self.first.height)).luma
        return self.film.stamp(self.first), hashlib.sha256(luma.tobytes()).digest()


def _opened(source: Source) -> OpenedFilm:
    """Open a stream; where none answers in time, some protocols say that the data is bad."""
    began = time.monotonic()
    longest_s = min(source.open_timeout_s or inf, source.read_timeout_s or inf)
    try:
        return OpenedFilm(source)
    except av.error.InvalidDataError:
        if time.monotonic() - began < 0.9 * longest_s:
            raise
        raise av.error.TimeoutError(errno.ETIMEDOUT, "nothing came in time") from None


def _reason(problem: av.error.FFmpegError) -> str:
    if isinstance(problem, av.error.ExitError | TimeoutError):
        return "nothing came in time"
    if isinstance(problem, av.error.HTTPUnauthorizedError | av.error.HTTPForbiddenError):
        return "the server refused: name and password are wrong or missing"
    if isinstance(problem, av.error.InvalidDataError | av.error.ArgumentError):
        return _NO_FILM
    if problem.errno == errno.EIO or not problem.strerror:
        return "the connection broke or was not made"
    return problem.strerror.lower()
