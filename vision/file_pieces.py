"""The outermost pieces of mp4, mov and avi files, which tell whether a file lacks its end.

What decodes films takes a file for as long as it is, and does not say that it was longer once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

_MP4_STARTS: Final = frozenset({b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip"})
_CONTENTS: Final = b"moov"
_AVI: Final = b"RIFF"
_HEAD: Final = 8
_MOST: Final = 10_000  # are gone through; where there are more, they tell nothing


@dataclass(frozen=True, slots=True)
class Pieces:
    """The names of the pieces, and whether the last of them is there in part only."""

    kinds: tuple[bytes, ...] = ()
    is_cut: bool = False

    @property
    def is_avi(self) -> bool:
        """Whether they are those of an avi file."""
        return self.kinds[:1] == (_AVI,)

    @property
    def lack_contents(self) -> bool:
        """Whether the piece is missing that says where the frames of an mp4 or mov file are."""
        if not self.kinds or self.is_avi:
            return False
        return _CONTENTS not in self.kinds or (self.is_cut and self.kinds[-1] == _CONTENTS)


def pieces_of(path: Path) -> Pieces:
    """Find the pieces of a file; none where it is of another kind."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            return _walked(file, size)
    except OSError:
        return Pieces()


def _walked(file: BinaryIO, size: int) -> Pieces:
    kinds: list[bytes] = []
    place = 0
    while place + _HEAD <= size and len(kinds) < _MOST:
        file.seek(place)
        head = file.read(2 * _HEAD)
        kind, length = _avi_piece(head) if head.startswith(_AVI) else _mp4_piece(head)
        if not kinds and kind not in _MP4_STARTS | {_AVI}:
            return Pieces()
        if kinds and (kind == _AVI) != (kinds[0] == _AVI):
            break
        kinds.append(kind)
        if length < _HEAD:
            break  # it goes on to the end of the file, or nobody came to write how long it is
        place += length
    return Pieces(tuple(kinds), is_cut=place > size)


def _avi_piece(head: bytes) -> tuple[bytes, int]:
    return _AVI, _HEAD + int.from_bytes(head[4:8], "little")


def _mp4_piece(head: bytes) -> tuple[bytes, int]:
    length = int.from_bytes(head[:4], "big")
    return head[4:8], int.from_bytes(head[8:16], "big") if length == 1 else length
