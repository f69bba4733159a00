"""Which rounds a report is about: a night or a period, on the clock of each table."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from audit.errors import BadInput
from audit.visible import check_unicode, visible

DAY_STARTS = time(6)
DAYS_BEFORE = 14
"""How many days before its period a report compares with."""
FIRST, LAST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2300, 1, 1, tzinfo=UTC)
"""Where a period ends that has no end."""
QUARTER = timedelta(minutes=15)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_CLOCK = re.compile(r"(\d{1,2})(?::(\d{2}))?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What is asked for: a night, a period, or neither of them for the last night there is.

    A moment with an offset is the same for all tables; one without is taken on the clock of each.
    """

    night: date | None = None
    since: datetime | None = None
    until: datetime | None = None
    """Before this moment."""
    tables: tuple[str, ...] = ()
    dealers: tuple[str, ...] = ()
    day_starts: time = DAY_STARTS

    def __post_init__(self) -> None:
        if self.night is not None and (self.since is not None or self.until is not None):
            raise BadInput("a report is about a night or about a period: give one of them")
        if timedelta(minutes=self.day_starts.minute) % QUARTER or self.day_starts.second:
            raise BadInput(
                f"a day cannot start at {self.day_starts}: write a quarter of an hour, like 06:00"
            )
        _check_order(self.since, self.until)
        for name in (*self.tables, *self.dealers):
            check_unicode(name)

    @property
    def starts(self) -> datetime | None:
        """The first moment of the period, where it has one."""
        return self.since if self.night is None else datetime.combine(self.night, self.day_starts)

    @property
    def ends(self) -> datetime | None:
        """The first moment after it, where it has one."""
        if self.night is None:
            return self.until
        return datetime.combine(self.night + timedelta(days=1), self.day_starts)

    @property
    def nights(self) -> tuple[date, date] | None:
        """The first and the last night, where the period is made of whole ones."""
        starts, ends = self.starts, self.ends
        if starts is None or ends is None or starts.tzinfo is not None:
            return None
        if starts.time() != self.day_starts or ends.time() != self.day_starts:
            return None
        return starts.date(), ends.date() - timedelta(days=1)

    @property
    def is_last_night(self) -> bool:
        return self.night is None and self.since is None and self.until is None


@dataclass(frozen=True, slots=True)
class Clock:
    """The period of a report on the clock of one table, as instants."""

    table_id: str
    zone: str
    before: datetime
    """Where the days begin that the period is compared with."""
    since: datetime
    until: datetime


def clock_of(table_id: str, zone: str, scope: Scope) -> Clock:
    """Put the period of a report onto the clock of a table."""
    local = _zone(table_id, zone)
    starts, ends = scope.starts, scope.ends
    before = None if starts is None else starts - timedelta(days=DAYS_BEFORE)
    return Clock(
        table_id,
        zone,
        _instant(before, local, FIRST),
        _instant(starts, local, FIRST),
        _instant(ends, local, LAST),
    )


def _zone(table_id: str, name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise BadInput(
            f"table {visible(table_id)} stands in the timezone {name!r}, which is not known here"
        ) from None


def _instant(moment: datetime | None, zone: ZoneInfo, otherwise: datetime) -> datetime:
    if moment is None:
        return otherwise
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    return min(max(moment.astimezone(UTC), FIRST), LAST)


def night_of(table_id: str, zone: str, moment: datetime, day_starts: time) -> date:
    """Name the gaming day that an instant belongs to, on the clock of its table."""
    local = moment.astimezone(_zone(table_id, zone)).replace(tzinfo=None)
    return (local - timedelta(hours=day_starts.hour, minutes=day_starts.minute)).date()


def parse_day(text: str) -> date:
    """Read a day like 2026-03-08."""
    try:
        day = date.fromisoformat(text.strip()) if _DAY.fullmatch(text.strip()) else None
    except ValueError:
        day = None
    if day is None:
        raise BadInput(f"{text!r} is not a day: write it like 2026-03-08")
    return _within(day, text)


def parse_clock(text: str) -> time:
    """Read a time of day like 06:00, or 6."""
    match = _CLOCK.fullmatch(text.strip())
    if match is None or int(match[1]) > 23 or int(match[2] or 0) > 59:
        raise BadInput(f"{text!r} is not a time of day: write it like 06:00")
    return time(int(match[1]), int(match[2] or 0))


def parse_since(text: str, day_starts: time = DAY_STARTS) -> datetime:
    """Read the moment from which on, with or without its offset; of a day, its start."""
    moment, _ = _moment(text, day_starts)
    return moment


def parse_until(text: str, day_starts: time = DAY_STARTS) -> datetime:
    """Read the moment before which, with or without its offset; of a day, its end."""
    moment, is_day = _moment(text, day_starts)
    return moment + timedelta(days=1) if is_day else moment


def _moment(text: str, day_starts: time) -> tuple[datetime, bool]:
    if _DAY.fullmatch(text.strip()):
        return datetime.combine(parse_day(text), day_starts), True
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise BadInput(
            f"{text!r} is not a moment: write it like 2026-03-08, 2026-03-08T21:30 "
            "or 2026-03-08T21:30+08:00"
        ) from None
    _within(moment.date(), text)
    return moment, False


def _within(day: date, text: str) -> date:
    if not 1970 <= day.year <= 2199:
        raise BadInput(f"{text!r} is not within the years 1970 to 2199")
    return day


def _check_order(since: datetime | None, until: datetime | None) -> None:
    if since is None or until is None:
        return
    if (since.tzinfo is None) != (until.tzinfo is None):
        raise BadInput("give both moments of a period with their offset, or both without")
    if since >= until:
        raise BadInput(f"a period from {since} until {until} holds nothing: it ends as it begins")
