"""Text files in blocks of whole lines, so that no file has to fit into memory at once."""

from collections.abc import Iterator
from dataclasses import dataclass

from audit.sources.records import Fault, Unreadable, shown
from audit.sources.unpacking import Content

BLOCK = 16 << 20
"""Bytes of text that are read at once; a line that is longer is refused unread."""
LONGEST_HEADER = 64 << 10
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines in UTF-8, each with its line end; only the last one of a file may lack it."""

    text: bytes
    first_row: int
    final: bool
    unfinished: int | None = None
    """The row of a last line that has no line end: it may still be being written."""
    faults: tuple[Fault, ...] = ()

    @property
    def lines(self) -> int:
        return _lines_in(self.text)


class Lines:
    """The lines of a file, block by block. Rows are lines, counted on from `row`."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._held = b""
        self._row = 1
        if content.peek(len(_BOM)) == _BOM:
            content.read(len(_BOM))

    def first_line(self) -> str:
        """Look at the first line that is not blank, and drop blank ones before it."""
        self._held += self._content.read(max(0, BLOCK - len(self._held)))
        self._held = self._held.lstrip(b"\r\n")
        line, _, _ = self._held[: LONGEST_HEADER + 1].partition(b"\n")
        if len(line) > LONGEST_HEADER:
            raise Unreadable(f"its first line is longer than {LONGEST_HEADER >> 10} KiB")
        return _decoded(line).rstrip("\r")

    def drop_first_line(self) -> None:
        self._held = self._held.partition(b"\n")[2]

    def put_back(self, tail: bytes) -> None:
        """Give back lines at the end of the last block, to come again with those that follow."""
        self._held = tail + self._held
        self._row -= tail.count(b"\n")

    def blocks(self) -> Iterator[Block]:
        final = False
        while not final:
            fresh = self._content.read(max(1, BLOCK - len(self._held)))
            text = self._held + fresh
            final = len(text) < BLOCK and self._content.peek(1) == b""
            end = len(text) if final else text.rfind(b"\n") + 1
            text, self._held = text[:end], text[end:]
            if end or final:
                block = _checked(text, self._row, final=final)
                self._row += block.lines
                yield block
            elif len(self._held) >= BLOCK:
                yield self._passed_over_line()

    def _passed_over_line(self) -> Block:
        """Skip a line that is too long to be one, and say so."""
        begin = self._held[:200].decode("utf-8", "replace")
        while b"\n" not in self._held:
            self._held = self._content.read(BLOCK)
            if not self._held:
                break
        self._held = self._held.partition(b"\n")[2]
        why = f"its line is longer than {BLOCK >> 20} MiB"
        block = Block(
            b"", self._row, final=False, faults=(Fault(self._row, "", shown(begin), why, begin),)
        )
        self._row += 1
        return block


def _checked(text: bytes, first_row: int, *, final: bool) -> Block:
    """Make a block of text that is UTF-8; a last line may have been cut within a character."""
    if not text or text.endswith(b"\n"):
        _check_encoding(text)
        return Block(text, first_row, final)
    end = text.rfind(b"\n") + 1
    whole, tail = text[:end], text[end:]
    _check_encoding(whole)
    unfinished = first_row + _lines_in(whole)
    try:
        tail.decode()
    except UnicodeDecodeError:
        line = tail.decode("utf-8", "replace")
        why = "its last character is not whole"
        fault = Fault(unfinished, "", shown(line[:200]), why, line)
        return Block(whole, first_row, final, unfinished, (fault,))
    return Block(text, first_row, final, unfinished)


def _lines_in(text: bytes) -> int:
    return text.count(b"\n") + (bool(text) and not text.endswith(b"\n"))


def _check_encoding(text: bytes) -> None:
    if not text.isascii():
        _decoded(text)


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        raise Unreadable("it is not UTF-8 text") from None
