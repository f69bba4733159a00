"""Several files of film read as one: recorders begin a new file on the hour."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from audit.addresses import is_address, without_secrets
from vision.card_log import Part
from vision.containers import BadFootage
from vision.footage import open_footage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vision.footage import Footage
    from vision.frames import Frame

_SAMPLE: Final = 1 << 20


class JoinedFootage:
    """Files of one size of frame, each beginning where the one before it ends."""

    def __init__(self, footages: tuple[Footage, ...], parts: tuple[Part, ...]) -> None:
        """Take files that were opened, and when each of them begins."""
        self.footages = footages
        self.parts = parts
        self.problem: str | None = None
        """After reading: why one of them ended before its end."""
        self.notes: tuple[str, ...] = ()
        """After reading: what else was wrong with them."""

    @property
    def name(self) -> str:
        """Of the first file, and how many follow."""
        more = len(self.parts) - 1
        return f"{self.parts[0].name} and {more} more" if more else self.parts[0].name

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of all frames."""
        return self.footages[0].size

    @property
    def length_s(self) -> float | None:
        """Of all files together, if they say."""
        last = self.footages[-1].length_s
        return None if last is None else self.parts[-1].begins_s + last

    def frames(self, from_s: float = 0.0, to_s: float | None = None) -> Iterator[Frame]:
        """The frames of all files, with seconds since the beginning of the first."""
        self.problem, self.notes = None, ()
        number = 0
        ends = [*(part.begins_s for part in self.parts[1:]), None]
        for part, footage, end_s in zip(self.parts, self.footages, ends, strict=True):
            if to_s is not None and part.begins_s >= to_s:
                break
            if end_s is not None and end_s <= from_s:
                continue
            until_s = None if to_s is None else to_s - part.begins_s
            overlong = False
            try:
                for frame in footage.frames(max(0.0, from_s - part.begins_s), until_s):
                    at_s = part.begins_s + frame.at_s
                    if end_s is not None and at_s >= end_s:
                        overlong = True
                        break
                    yield replace(frame, number=number, at_s=at_s)
                    number += 1
            finally:
                self._note(footage)
            if overlong:
                self._tell(
                    f"{part.name} goes on after the {footage.length_s:.1f} s that it says it "
                    "lasts: what follows in it was left out, read it alone"
                )

    def _note(self, footage: Footage) -> None:
        self.notes += footage.notes
        if footage.problem:
            self._tell(footage.problem)

    def _tell(self, problem: str) -> None:
        """Keep the first problem as such, and what follows as a note."""
        if self.problem is None:
            self.problem = problem
        else:
            self.notes += (problem,)


def open_film(sources: Sequence[str | Path]) -> tuple[Footage, tuple[Part, ...]]:
    """Open a file, a stream, or several files in their order."""
    if len(sources) == 1:
        footage = open_footage(sources[0])
        return footage, (Part(footage.name),)
    for source in sources:
        if isinstance(source, str) and is_address(source):
            raise BadFootage(f"{without_secrets(source)} is a stream: it cannot be one of several")
    footages = tuple(open_footage(source) for source in sources)
    begins_s, parts = 0.0, []
    for footage in footages:
        if footage.size != footages[0].size:
            (width, height), (wide, high) = footages[0].size, footage.size
            raise BadFootage(
                f"{footage.name} has frames of {wide} × {high} pixels and {footages[0].name} of "
                f"{width} × {height}: read them one by one"
            )
        if footage.length_s is None:
            raise BadFootage(
                f"{footage.name} does not say how long it is: it cannot be one of several"
            )
        parts.append(Part(footage.name, begins_s))
        begins_s += footage.length_s
    if len({part.name for part in parts}) < len(parts):
        raise BadFootage("two of the files have the same name: read them one by one")
    return JoinedFootage(footages, tuple(parts)), tuple(parts)


def identity_of(source: str | Path, name: str) -> str:
    """What tells one film from another, though it has the same name.

    Of a file: its size, its beginning and its end. A whole night is too long to be looked through
    before it is read.
    """
    if isinstance(source, str) and is_address(source):
        return name
    source = Path(source)
    digest = hashlib.sha256()
    try:
        size = source.stat().st_size
        with source.open("rb") as file:
            digest.update(file.read(_SAMPLE))
            file.seek(max(0, size - _SAMPLE))
            digest.update(file.read(_SAMPLE))
    except OSError as problem:
        raise BadFootage(f"{source} cannot be read: {problem.strerror}") from None
    return f"{size} {digest.hexdigest()[:24]}"
