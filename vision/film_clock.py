"""When a film began, by the time of day: as the user says, as the file says, or as good as it goes.

No clock is asked for a file, so that the same film gives the same log on every day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Final

import av
import av.error

from audit.errors import BadInput
from vision.containers import file_source

if TYPE_CHECKING:
    from pathlib import Path
    from zoneinfo import ZoneInfo

EARLIEST: Final = datetime(1990, 1, 1, tzinfo=UTC)
"""A camera that says it is earlier has a clock that was never set."""
LATEST: Final = datetime(2200, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FilmStart:
    """The moment of the first frame, and how that is known."""

    at: datetime
    said: str
    is_known: bool = True


def parse_start(text: str, zone: ZoneInfo) -> datetime:
    """Read a moment that was typed; without an offset it is on the clock of the table."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise BadInput(
            f"--start: {text!r} is not a time, write it like 2026-03-01T20:15:00+08:00"
        ) from None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    if not _is_likely(moment):
        raise BadInput(f"--start: nothing was filmed in the year {moment.year}")
    return moment.astimezone(zone)


def start_of(
    source: Path | str, given: str | None, zone: ZoneInfo, played_from: datetime
) -> FilmStart:
    """Tell when a film began.

    Where nobody says, times count from when the table began to play its game: they are in order,
    and the right rules are found by them, but they are not the time of day.
    """
    if given is not None:
        return FilmStart(parse_start(given, zone), "times are counted from --start")
    if isinstance(source, str):
        return FilmStart(datetime.now(zone), "times are those of this machine's clock")
    made = recorded_at(source, zone)
    if made is not None:
        at = made.astimezone(zone)
        return FilmStart(at, f"times are counted from {at:%Y-%m-%d %H:%M:%S}, as the file says")
    at = played_from.astimezone(zone)
    return FilmStart(
        at,
        f"{source.name} does not say when it was filmed: times are counted from "
        f"{at:%Y-%m-%d %H:%M}, when the game of the table sheet begins (--start tells it)",
        is_known=False,
    )


def recorded_at(path: Path, zone: tzinfo = UTC) -> datetime | None:
    """The moment at which a recorder says that it began the file.

    Some write what their own clock shows, without its offset: the clock of the table.
    """
    source = file_source(path)
    try:
        with av.open(
            source.address, options=dict(source.options), metadata_errors="replace"
        ) as container:
            said = container.metadata.get("creation_time")
            for stream in container.streams.video:
                said = said or stream.metadata.get("creation_time")
    except av.error.FFmpegError:
        return None
    try:
        moment = datetime.fromisoformat(said or "")
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    return moment if _is_likely(moment) else None


def _is_likely(moment: datetime) -> bool:
    """Whether a film may have begun then; a year far off would end the count of its seconds."""
    return EARLIEST.year <= moment.year < LATEST.year and moment >= EARLIEST
