"""One calibration: a clip whose frames are drawn on, and the table sheet the zones go into."""

import os
import secrets
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from threading import Lock
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import cv2

from audit.errors import BadTableSheet
from vision.boxes import Image
from vision.calibration.camera_section import NewTable, Polygon, new_sheet, with_camera
from vision.calibration.drawn_zones import (
    GAMES,
    MOST_BOXES,
    BadCalibration,
    draw_zones,
    problems_of,
    zones_of,
)
from vision.evidence import frame_at
from vision.footage import open_footage
from vision.table_zones import Zones, read_zones

USUAL_TIMEZONE = "Asia/Singapore"
USUAL_DECKS = {"baccarat": 8, "blackjack": 6}
MOST_DECKS = 12
NO_FIRST_DAY = datetime(2020, 1, 1)
"""From when a table plays a game whose document does not say when it came into force."""


@dataclass(frozen=True, slots=True)
class RulebookChoice:
    id: str
    title: str
    game: str
    first_day: str
    """As a page's date field has it."""


@dataclass(frozen=True, slots=True)
class TableAnswers:
    """What was filled in for a table that has no sheet."""

    table: str
    timezone: str
    decks: int
    rulebook: str
    first_day: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """The zones as the page has them."""

    game: str
    boxes: int
    zones: Mapping[str, Polygon]


@dataclass(frozen=True, slots=True)
class Start:
    """What a page begins with."""

    drawn: Drawn
    note: str
    """Something to know about the zones that were there, or nothing."""


@cache
def rulebook_choices() -> tuple[RulebookChoice, ...]:
    """The rulebooks that a table can name, from the audit's own files."""
    choices: list[RulebookChoice] = []
    for file in sorted(files("audit").joinpath("rulebooks").iterdir(), key=lambda file: file.name):
        if not file.name.endswith(".toml"):
            continue
        book = tomllib.loads(file.read_text("utf-8"))
        first_day = f"{book.get('in_force', NO_FIRST_DAY):%Y-%m-%d}"
        games = {
            f"/{name}": f"{book['title']}: {game['title']}"
            for name, game in book.get("games", {}).items()
        }
        for name, title in (games or {"": book["title"]}).items():
            choices.append(RulebookChoice(book["id"] + name, title, book["game"], first_day))
    return tuple(choices)


class Calibration:
    """Frames of a clip on the one hand, a table sheet on the other."""

    def __init__(self, clip: Path, table: Path | None, out: Path | None, at_s: float | None):
        """Open the clip and the sheet: `table`, or `out` where it is there already."""
        footage = open_footage(clip)
        self.clip, self.size, self.length_s = clip, footage.size, footage.length_s
        self.at_s = (self.length_s or 0.0) / 2 if at_s is None else at_s
        self.sheet = _sheet_to_begin_with(table, out)
        self.out = out or table or Path("table.toml")
        self.saved: Path | None = None
        self.start = self._start()
        self._lock = Lock()
        self._drawn: bytes | None = None

    def _start(self) -> Start:
        if self.sheet is None or "camera" not in tomllib.loads(
            _text_of(self.sheet).lstrip("\ufeff")
        ):
            return Start(Drawn(_likely_game(self.sheet), 7, {}), "")
        zones = read_zones(_text_of(self.sheet).removeprefix("\ufeff"), str(self.sheet))
        return Start(_drawn_of(zones.scaled_to(self.size)), _note_on(zones, self.size))

    def frame(self, at_s: float) -> tuple[float, Image]:
        """The frame of a second, and its own time."""
        with self._lock:
            frame = frame_at(self.clip, at_s)
        return frame.at_s, frame.image()

    def save(self, drawn: Drawn, answers: TableAnswers | None, at_s: float) -> Path:
        """Write the zones into the sheet, whole or not at all."""
        hindering = [
            problem
            for problem in problems_of(drawn.zones, drawn.game, drawn.boxes, self.size)
            if problem.hinders
        ]
        if hindering:
            raise BadCalibration(hindering[0].text)
        order = zones_of(drawn.game, drawn.boxes)
        zones = {name: drawn.zones[name] for name in order if name in drawn.zones}
        with self._lock:
            text = self._sheet_text(answers)
            changed = with_camera(text, self.size, zones, str(self.sheet or self.out))
            read_zones(changed.removeprefix("\ufeff"), str(self.out))
            self.saved = _write_whole(self.out, changed)
            self.sheet = self.out
        _, image = self.frame(at_s)
        _, png = cv2.imencode(".png", draw_zones(image, zones))
        self._drawn = png.tobytes()
        return self.saved

    @property
    def result(self) -> bytes | None:
        """A PNG of the zones as they were saved last."""
        return self._drawn

    def _sheet_text(self, answers: TableAnswers | None) -> str:
        if self.sheet is not None:
            return _text_of(self.sheet)
        if answers is None:
            raise BadCalibration("the table has no sheet yet: say its name and its rulebook")
        return new_sheet(_checked(answers))


def zones_picture(clip: Path, table: Path, at_s: float | None) -> Image:
    """A frame of the clip with the zones of a sheet drawn on it."""
    calibration = Calibration(clip, table, None, at_s)
    drawn = calibration.start.drawn
    if not drawn.zones:
        raise BadTableSheet(f"{table} lacks [camera]: there are no zones to show")
    _, image = calibration.frame(calibration.at_s)
    return draw_zones(image, drawn.zones)


def _sheet_to_begin_with(table: Path | None, out: Path | None) -> Path | None:
    if table is None:
        target = out or Path("table.toml")
        return target if target.exists() else None
    if out is not None and out.exists() and not out.samefile(table):
        raise BadCalibration(
            f"{out} is there already: name it with --table to change it, or another with --out"
        )
    return table


def _text_of(sheet: Path) -> str:
    """The text of a sheet with its own line ends."""
    try:
        with sheet.open(encoding="utf-8", newline="") as file:
            text = file.read()
    except OSError as problem:
        reason = problem.strerror or "it cannot be opened"
        raise BadTableSheet(f"{sheet} cannot be read: {reason}") from None
    except UnicodeDecodeError:
        raise BadTableSheet(f"{sheet} cannot be read: it is not UTF-8 text") from None
    try:
        tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as problem:
        raise BadTableSheet(f"{sheet} is not TOML: {problem}") from None
    return text


def _likely_game(sheet: Path | None) -> str:
    """What a sheet without zones plays, by its last rulebook."""
    if sheet is None:
        return "baccarat"
    rows = tomllib.loads(_text_of(sheet).removeprefix("\ufeff")).get("game")
    last = rows[-1].get("rulebook") if isinstance(rows, list) and rows else None
    return "blackjack" if isinstance(last, str) and "blackjack" in last else "baccarat"


def _drawn_of(zones: Zones) -> Drawn:
    polygons = {
        name: tuple((round(x), round(y)) for x, y in polygon.tolist())
        for name, polygon in zones.polygons.items()
    }
    boxes = [int(name.removeprefix("box")) for name in polygons if name.startswith("box")]
    return Drawn(zones.game, max(boxes, default=7), polygons)


def _note_on(zones: Zones, size: tuple[int, int]) -> str:
    if zones.frame == size:
        return ""
    return (
        f"the zones of the sheet were drawn on {zones.frame[0]} × {zones.frame[1]} pixels; "
        f"they are scaled to this clip's {size[0]} × {size[1]}"
    )


def _checked(answers: TableAnswers) -> NewTable:
    """Refuse answers that make no sheet."""
    if not answers.table.strip():
        raise BadCalibration("say what the table is called")
    if not answers.table.isprintable():
        raise BadCalibration("the name of the table has characters that cannot be printed")
    if not answers.rulebook:
        raise BadCalibration("choose the rulebook that the table plays by")
    choice = next((book for book in rulebook_choices() if book.id == answers.rulebook), None)
    if choice is None:
        raise BadCalibration(f"there is no rulebook {answers.rulebook!r}")
    if not 1 <= answers.decks <= MOST_DECKS:
        raise BadCalibration(f"a shoe has 1 to {MOST_DECKS} decks, not {answers.decks}")
    try:
        zone = ZoneInfo(answers.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadCalibration(f"there is no timezone {answers.timezone!r}") from None
    try:
        begins = datetime.strptime(answers.first_day, "%Y-%m-%d").replace(tzinfo=zone)
    except ValueError:
        raise BadCalibration(f"{answers.first_day!r} is no day, like 2026-01-31") from None
    return NewTable(
        answers.table.strip(), answers.timezone, answers.decks, choice.id, begins.isoformat()
    )


def _write_whole(path: Path, text: str) -> Path:
    target = path.resolve()  # a link stays a link
    draft = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    except OSError as problem:
        raise BadCalibration(f"{path} cannot be written: {problem.strerror}") from None
    finally:
        draft.unlink(missing_ok=True)
    return path


def check_drawn(drawn: Drawn) -> None:
    """Refuse what no page of ours would send."""
    if drawn.game not in GAMES or not 1 <= drawn.boxes <= MOST_BOXES:
        raise BadCalibration("that is no game with so many boxes")
    unknown = sorted(set(drawn.zones) - set(zones_of(drawn.game, drawn.boxes)))
    if unknown:
        raise BadCalibration(f"{unknown[0]} is no zone of this game")
