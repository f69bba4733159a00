"""A file as it was when it was opened, unpacked where it is packed, and never more than is safe."""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

import pyarrow as pa  # type: ignore[import-untyped]

from audit.sources.records import Unreadable

GREATEST_UNPACKED = 2 << 30
"""A packed file that unpacks to more bytes is refused: it is a bomb, or should be several files."""
_READ_AT_ONCE = 1 << 20
_PACKINGS = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
}
_ZIP = b"PK\x03\x04"


class _Reads(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _AsOpened(io.RawIOBase):
    """A file up to the size that it had when it was opened: what is added later is not seen."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file = path.open("rb", buffering=0)
        self._left = self._file.seek(0, io.SEEK_END)
        self._file.seek(0)

    def readable(self) -> bool:
        return True

    def readinto(self, room: memoryview) -> int:  # type: ignore[override]
        count = self._file.readinto(room[: self._left])
        self._left -= count
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


class Content:
    """The bytes of a file in order, unpacked."""

    def __init__(self, stream: _Reads, packing: str | None) -> None:
        self._stream = stream
        self._packing = packing
        self._given = 0
        self._ahead = b""

    def peek(self, size: int) -> bytes:
        """Look at the first bytes without taking them."""
        if len(self._ahead) < size:
            self._ahead += self._next(size - len(self._ahead))
        return self._ahead[:size]

    def read(self, size: int) -> bytes:
        """Take the next bytes; fewer than asked for only at the end."""
        ahead, self._ahead = self._ahead[:size], self._ahead[size:]
        return ahead + self._next(size - len(ahead))

    def read_all(self) -> bytes:
        return self._ahead + self._next(None)

    def _next(self, size: int | None) -> bytes:
        parts: list[bytes] = []
        while size is None or size > 0:
            part = self._part(_READ_AT_ONCE if size is None else min(size, _READ_AT_ONCE))
            if not part:
                break
            parts.append(part)
            if size is not None:
                size -= len(part)
        return b"".join(parts)

    def _part(self, size: int) -> bytes:
        try:
            part = self._stream.read(size)
        except EOFError:
            raise Unreadable(f"it is cut short: its {self._packing} data ends too early") from None
        except (OSError, zlib.error, lzma.LZMAError) as problem:
            if self._packing is None:
                reason = getattr(problem, "strerror", None) or "it cannot be opened"
                raise Unreadable(f"it cannot be read: {reason}") from None
            raise Unreadable(f"its {self._packing} data is broken or cut short") from None
        self._given += len(part)
        if self._packing and self._given > GREATEST_UNPACKED:
            raise Unreadable(
                f"it unpacks to more than {GREATEST_UNPACKED >> 20:,} MiB: "
                "unpack it, or split it into several files"
            )
        return part


@contextmanager
def opened(path: Path) -> Iterator[Content]:
    """Open a file for reading; how it is packed is told by its first bytes, not by its name."""
    try:
        file = io.BufferedReader(_AsOpened(path), _READ_AT_ONCE)
        start = file.peek(8)[:8]
    except OSError as problem:
        reason = problem.strerror or "it cannot be opened"
        raise Unreadable(f"it cannot be read: {reason}") from None
    with file:
        if not start:
            raise Unreadable("it is empty")
        if start.startswith(_ZIP):
            raise Unreadable("it is a zip archive or a workbook: unpack it, or save it as CSV")
        packing = next((name for magic, name in _PACKINGS.items() if start.startswith(magic)), None)
        yield Content(_unpacked(file, packing), packing)


def _unpacked(file: BinaryIO, packing: str | None) -> _Reads:
    match packing:
        case "gzip":
            return gzip.GzipFile(fileobj=file, mode="rb")
        case "bzip2":
            return bz2.BZ2File(file)
        case "xz":
            return lzma.LZMAFile(file)
        case "zstd":
            stream: _Reads = pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd")
            return stream
        case _:
            return file
