"""Film in a file, read from any second on and as far as it goes."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final

import av

from vision.containers import BadFootage, OpenedFilm, file_source
from vision.file_pieces import pieces_of
from vision.frames import decoded_frame

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vision.containers import Source
    from vision.frames import Frame

_SEEK_BACK_S: Final = (0.0, 6.0, 40.0)  # an index may be coarse, or lead behind what it is asked
_ROUNDING_S: Final = 1e-6
_MISSING_S: Final = 1.0  # of the end of a film, before it is said


class Recording:
    """A file of film."""

    def __init__(self, path: Path) -> None:
        """Open it and decode its first frame, to know that it can be read."""
        self._path = path
        self._source = file_source(path)
        self.name = self._source.name
        self.problem: str | None = None
        """After reading: why it ended before its end."""
        self.notes: tuple[str, ...] = ()
        """After reading: what was wrong with it though it was read on."""
        pieces = pieces_of(path)
        self._is_cut = pieces.is_cut
        self._length_is_guessed = pieces.is_cut and pieces.is_avi
        try:
            with OpenedFilm(self._source) as film:
                first = first_picture(film)
                self.length_s = film.length_s
                self.size = upright_size(first)
                self._clock = film.clock(self.length_s)
                self._clock.at(film.stamp(first))
        except (BadFootage, av.error.FFmpegError) as problem:
            if pieces.lack_contents:
                raise BadFootage(
                    f"{path} was cut off while it was recorded: an mp4 or mov file says at its "
                    "end where its frames are, and that end is missing, so nothing in it can be "
                    "found"
                ) from None
            if isinstance(problem, BadFootage):
                raise
            raise BadFootage(
                f"{path} is not footage of a kind that can be read here, or it is broken"
            ) from None

    def frames(self, from_s: float = 0.0, to_s: float | None = None) -> Iterator[Frame]:
        """The frames from one second on and before another, in their order."""
        self.problem, self.notes = None, ()
        film, pictures = self._opened_before(from_s)
        clock = self._clock.starting_at(self._clock.first)
        number, longest_s, broken = 0, 0.0, False
        end_s: float | None = None
        with film:
            try:
                for picture in pictures:
                    at_s = clock.at(film.stamp(picture))
                    if to_s is not None and at_s >= to_s:
                        return
                    lasts_s = shown_for(picture)
                    waited_s = 0.0 if end_s is None else at_s - end_s
                    longest_s = max(longest_s, lasts_s, waited_s)
                    end_s = at_s + lasts_s
                    if at_s < from_s - _ROUNDING_S:
                        continue
                    turns = quarter_turns_of(picture)
                    yield decoded_frame(number, at_s, picture, turns, self.size)
                    number += 1
            except av.error.FFmpegError:
                broken = True
            finally:
                self.notes = tuple(chain(clock.remarks(self.name), damage(film)))
            broken = broken or film.ends_damaged or self._is_cut
            if broken or self._lacks(end_s or 0.0, longest_s):
                self.problem = self._cut_off(end_s or 0.0)
            elif not number:
                self.problem = nothing_after(from_s, self.name, end_s or 0.0)

    def _opened_before(self, from_s: float) -> tuple[OpenedFilm, Iterator[av.VideoFrame]]:
        """The film opened at or before a second, as near to it as its index leads."""
        film = self._open()
        if from_s <= 0:
            return film, film.pictures()
        for back_s in _SEEK_BACK_S if self._can_be_sought() else ():
            stamp = self._clock.stamp_of(from_s - back_s)
            if from_s - back_s <= 0 or stamp is None or not film.seek(stamp):
                break
            pictures = film.pictures()
            try:
                first = next(pictures, None)
            except av.error.FFmpegError:
                break
            arrived = None if first is None else film.stamp(first)
            if first is not None and arrived is not None:
                at_s = self._clock.starting_at(self._clock.first).at(arrived)
                if at_s <= from_s + _ROUNDING_S:
                    return film, chain([first], pictures)
        film.close()
        film = self._open()
        return film, film.pictures()

    def _can_be_sought(self) -> bool:
        try:
            state = self._path.stat()
            return _clock_runs_through(self._source, state.st_size, state.st_mtime_ns)
        except (OSError, av.error.FFmpegError):
            return False

    def _open(self) -> OpenedFilm:
        try:
            return OpenedFilm(self._source)
        except av.error.FFmpegError:
            raise BadFootage(f"{self.name} can no longer be opened") from None

    def _lacks(self, end_s: float, longest_s: float) -> bool:
        """Whether it ended before it should; it may be that its last frame was to stay for long."""
        if self.length_s is None:
            return False
        return self.length_s - end_s > max(_MISSING_S, 1.5 * longest_s)

    def _cut_off(self, end_s: float) -> str:
        unknown = self.length_s is None or self._length_is_guessed
        said = "" if unknown else f" of {self.length_s:.1f} s"
        return f"{self.name} breaks off at {end_s:.1f} s{said}: what follows is missing"


@lru_cache(maxsize=64)
def _clock_runs_through(source: Source, size: int, changed_ns: int) -> bool:
    """Go through a file once, though many clips are cut from it; a changed file is another one."""
    with OpenedFilm(source) as film:
        return film.clock_runs_through()


def nothing_after(from_s: float, name: str, end_s: float) -> str:
    """Say that nothing was read, since what was asked for lies behind the end."""
    return f"{name} ends at {end_s:.1f} s: there is nothing from {from_s:.1f} s on"


def first_picture(film: OpenedFilm) -> av.VideoFrame:
    """The first frame of a film that can be decoded."""
    try:
        picture = next(film.pictures(), None)
    except av.error.FFmpegError:
        picture = None
    if picture is None:
        raise BadFootage(f"{film.name} holds no frame that can be decoded")
    return picture


def quarter_turns_of(picture: av.VideoFrame) -> int:
    """Quarter turns to the left that a player makes before it shows this picture."""
    return round(picture.rotation / 90) % 4


def upright_size(picture: av.VideoFrame) -> tuple[int, int]:
    """Width and height of a picture as a player shows it."""
    size = picture.width, picture.height
    return size if quarter_turns_of(picture) % 2 == 0 else size[::-1]


def shown_for(picture: av.VideoFrame) -> float:
    """Seconds that the container gives to a picture."""
    return float((picture.duration or 0) * (picture.time_base or 0))


def damage(film: OpenedFilm) -> Iterator[str]:
    """What could not be decoded, in a sentence."""
    if film.damaged:
        frames = "a frame is" if film.damaged == 1 else f"{film.damaged} frames are"
        yield f"{film.name}: {frames} damaged and left out, the first at {film.damaged_s:.1f} s"
