"""A file or a stream becomes frames with their own timestamps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from audit.addresses import is_address
from vision.containers import BadFootage
from vision.frames import Frame
from vision.recordings import Recording
from vision.streams import Patience, Stream

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BadFootage", "Footage", "Frame", "Patience", "open_footage"]


class Footage(Protocol):
    """Film of a table, wherever it comes from."""

    @property
    def name(self) -> str:
        """What it is called when something is said of it; never with a password."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of its frames, as they stand upright."""

    @property
    def length_s(self) -> float | None:
        """Seconds that it says it lasts; None if it does not say, as a live stream."""

    @property
    def problem(self) -> str | None:
        """After reading: why it ended before its end (cut off, broken, lost), in a sentence."""

    @property
    def notes(self) -> tuple[str, ...]:
        """After reading: what was wrong with it though it could be read on, a sentence each."""

    def frames(self, from_s: float = 0.0, to_s: float | None = None) -> Iterator[Frame]:
        """The frames from one second on and before another, in their order."""


def open_footage(source: str | Path, patience: Patience | None = None) -> Footage:
    """Open a file, or a stream by its rtsp, rtsps, http or https address.

    Whoever made it is not trusted: a file cannot lead to other files or to the network, nor a
    stream to files, whatever is written in them. Raises BadFootage.
    """
    if isinstance(source, str) and is_address(source):
        return Stream(source, patience)
    return Recording(Path(source))
