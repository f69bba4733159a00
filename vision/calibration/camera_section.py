"""The [camera] part of a table sheet's text, replaced while all else stays as somebody wrote it."""

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from audit.errors import BadTableSheet
from audit.toml_section import read_toml

Point = tuple[int, int]
Polygon = tuple[Point, ...]
CAMERA = "camera"


@dataclass(frozen=True, slots=True)
class NewTable:
    """What a sheet must say besides the camera, where there is none yet."""

    table: str
    timezone: str
    decks: int
    rulebook: str
    from_: str
    """As TOML writes it: `2026-01-01T06:00:00+08:00`."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """A key with its value, or the header of a table, as it stands in the text."""

    start: int
    end: int
    key: str
    """The first part of its name."""
    is_header: bool


def new_sheet(table: NewTable) -> str:
    """The text of a sheet for a table that has none, without its camera."""
    return "\n".join(
        (
            f"table    = {_quoted(table.table)}",
            f"timezone = {_quoted(table.timezone)}",
            f"decks    = {table.decks}",
            "",
            "[[game]]",
            f"rulebook = {_quoted(table.rulebook)}",
            f"from     = {table.from_}",
            "",
        )
    )


def with_camera(text: str, frame: tuple[int, int], zones: Mapping[str, Polygon], where: str) -> str:
    """Put the zones into a sheet's text in place of those it had, or at its end."""
    before = read_toml(text.removeprefix("\ufeff"), where, BadTableSheet)
    newline = "\r\n" if "\r\n" in text else "\n"
    section = _section(frame, zones).replace("\n", newline)
    spans = list(_camera_spans(list(_statements(text))))
    parts: list[str] = []
    read = 0
    placed = False
    for start, end, is_table in spans:
        between = text[read:start]
        if not placed or between.strip():
            parts.append(between)
        read = end
        if is_table and not placed:
            parts.append(section)
            placed = True
    parts.append(text[read:])
    changed = "".join(parts)
    if not placed:
        changed = changed.rstrip() + newline * 2 + section if changed.strip() else section
    _check(before, read_toml(changed.removeprefix("\ufeff"), where, BadTableSheet), zones, where)
    return changed


def _check(
    before: dict[str, object], after: dict[str, object], zones: Mapping[str, Polygon], where: str
) -> None:
    """Whatever a sheet may look like, nothing but the camera may have changed."""
    camera = after.pop(CAMERA, None)
    before.pop(CAMERA, None)
    drawn = {name: [list(point) for point in polygon] for name, polygon in zones.items()}
    if before != after or not isinstance(camera, dict) or camera.get("zones") != drawn:
        raise BadTableSheet(
            f"{where} is written so that [camera] cannot be replaced: "
            "move it to tables of its own, [camera] and [camera.zones]"
        )


def _section(frame: tuple[int, int], zones: Mapping[str, Polygon]) -> str:
    lines = ["[camera]", f"frame = [{frame[0]}, {frame[1]}]", "", "[camera.zones]"]
    widest = max((len(name) for name in zones), default=0)
    for name, polygon in zones.items():
        points = ", ".join(f"[{x}, {y}]" for x, y in polygon)
        lines.append(f"{name:{widest}} = [{points}]")
    return "\n".join(lines) + "\n"


def _camera_spans(statements: list[_Statement]) -> Iterator[tuple[int, int, bool]]:
    """Where the camera stands: each of its tables, from its header to its last key.

    Comments after the last key are not the camera's: they introduce what follows.
    """
    table: _Statement | None = None
    last = 0
    for statement in statements:
        if statement.is_header:
            if table is not None:
                yield table.start, last, True
            table = statement if statement.key == CAMERA else None
            last = statement.end
        elif table is not None:
            last = statement.end
        elif statement.key == CAMERA and not _under_a_header(statements, statement):
            yield statement.start, statement.end, False
    if table is not None:
        yield table.start, last, True


def _under_a_header(statements: Iterable[_Statement], statement: _Statement) -> bool:
    return any(other.is_header and other.start < statement.start for other in statements)


def _statements(text: str) -> Iterator[_Statement]:
    """The statements of a text that is TOML, each from the start of its line to its line's end."""
    at = len(text) - len(text.removeprefix("\ufeff"))
    while at < len(text):
        end = _end_of_statement(text, at)
        own = text[at:end].strip()
        if own and not own.startswith("#"):
            content = tomllib.loads(own)
            yield _Statement(at, end, next(iter(content), ""), own.startswith("["))
        at = end


def _end_of_statement(text: str, at: int) -> int:
    """The place after the line end that ends a statement: not within quotes or brackets."""
    depth = 0
    while at < len(text):
        letter = text[at]
        if letter in "\"'":
            at = _after_quotes(text, at)
            continue
        if letter == "#":
            at = _at_line_end(text, at)
            continue
        if letter in "[{":
            depth += 1
        elif letter in "]}":
            depth -= 1
        elif letter == "\n" and depth <= 0:
            return at + 1
        at += 1
    return at


def _at_line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def _after_quotes(text: str, at: int) -> int:
    quote = text[at]
    closing = quote * 3 if text.startswith(quote * 3, at) else quote
    at += len(closing)
    while at < len(text) and not text.startswith(closing, at):
        at += 2 if quote == '"' and text[at] == "\\" else 1
    at += len(closing)
    while len(closing) == 3 and text.startswith(quote, at):  # up to two quotes before the closing
        at += 1
    return at


def _quoted(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)
