"""What of a table sheet reading a film needs: the table's name and clock, its decks, its zones."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from audit.errors import BadTableSheet
from audit.toml_section import Section, read_toml
from vision.table_zones import Zones, read_zones

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True, eq=False)
class FilmedTable:
    """A table before a camera."""

    sheet: Path
    table_id: str
    timezone: ZoneInfo
    decks: int
    played_from: datetime
    """When the last game of the sheet begins."""
    zones: Zones

    @property
    def digest(self) -> str:
        """What tells its zones and decks from others."""
        zones = sorted((name, points.tolist()) for name, points in self.zones.polygons.items())
        text = repr((self.zones.frame, zones, self.decks))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def load_filmed_table(sheet: Path) -> FilmedTable:
    """Read a table sheet that has a camera."""
    try:
        text = sheet.read_text("utf-8-sig")
    except OSError as problem:
        reason = problem.strerror or "it cannot be opened"
        raise BadTableSheet(f"{sheet} cannot be read: {reason}") from None
    except UnicodeDecodeError:
        raise BadTableSheet(f"{sheet} cannot be read: it is not UTF-8 text") from None
    zones = read_zones(text, str(sheet))
    top = Section(str(sheet), read_toml(text, str(sheet), BadTableSheet), BadTableSheet)
    name = top.text("table_id" if "table_id" in top else "table").strip()
    zone = _timezone(top)
    games = [game.moment("from", zone) for game in top.sections("game")]
    if not games:
        raise BadTableSheet(f"{sheet} has no game")
    return FilmedTable(sheet, name, zone, top.number("decks", least=1), max(games), zones)


def has_camera(sheet: Path) -> bool:
    """Whether a table sheet says anything of a camera."""
    try:
        return "camera" in read_toml(sheet.read_text("utf-8-sig"), str(sheet), BadTableSheet)
    except (OSError, UnicodeDecodeError, BadTableSheet):
        return False


def sheet_beside(film: Path | str) -> Path:
    """Find the table sheet of a film for which none was named: the one that lies beside it."""
    folder = film.parent if isinstance(film, Path) else Path()
    try:
        sheets = [sheet for sheet in sorted(folder.glob("*.toml")) if has_camera(sheet)]
    except OSError:
        sheets = []
    if len(sheets) == 1:
        return sheets[0]
    if not sheets:
        raise BadTableSheet(
            f"no table sheet with a camera lies in {folder}: name one with --table, "
            "`catwalk calibrate` draws the zones"
        )
    names = ", ".join(sheet.name for sheet in sheets)
    raise BadTableSheet(f"{folder} has several table sheets, {names}: name one with --table")


def _timezone(top: Section) -> ZoneInfo:
    name = top.text("timezone")
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadTableSheet(f"{top.where}: there is no timezone {name!r}") from None
