"""What an investigator types, read into a filter.

A name that is wrong gets a hint, and a date is read on the clock of the tables.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from audit.codes import CODES, FAMILIES
from audit.errors import BadInput
from audit.findings import Severity
from audit.queries import IncidentFilter
from audit.rulebook_files import all_rulebooks
from audit.store import Store
from audit.toml_section import did_you_mean
from audit.visible import check_unicode, visible

EVERY_SEVERITY = "all"
_EARLIEST, _LATEST = datetime(1, 1, 3, tzinfo=UTC), datetime(9999, 12, 29, tzinfo=UTC)
"""Within these a moment can be put on any clock."""


@dataclass(frozen=True, slots=True)
class Names:
    """What the database knows: its tables, and the clocks on which they stand."""

    tables: frozenset[str]
    zones: dict[str, str]
    """The timezone of each table that has a sheet."""


def names_in(path: Path) -> Names:
    """Read the names of tables and their timezones."""
    with Store(path).reading() as connection:
        zones = dict(connection.execute("SELECT table_id, timezone FROM tables").fetchall())
        shoes = connection.execute("SELECT DISTINCT table_id FROM shoes").fetchall()
    return Names(frozenset(zones) | {table for (table,) in shoes}, zones)


def read_codes(given: Iterable[str]) -> tuple[str, ...]:
    """Read codes, in capitals or not."""
    return tuple(_known(text.strip().upper(), CODES, "a code", text) for text in given)


def read_families(given: Iterable[str]) -> tuple[str, ...]:
    """Read families of codes, in capitals or not."""
    return tuple(
        _known(text.strip().upper(), FAMILIES, "a family of codes", text) for text in given
    )


def read_rulebooks(given: Iterable[str]) -> tuple[str, ...]:
    """Read rulebooks; a document stands for all of its games."""
    books = all_rulebooks()
    documents = {book.document for book in books.values()}
    found: list[str] = []
    for text in given:
        name = _known(text.strip().lower(), {*books, *documents}, "a rulebook", text)
        found += [book.id for book in books.values() if name in (book.id, book.document)]
    return tuple(dict.fromkeys(found))


def read_severities(given: Iterable[str]) -> tuple[Severity, ...]:
    """Read severities; `all` is no filter."""
    names = [_known(text.strip().lower(), {*Severity, EVERY_SEVERITY}, "a severity", text)
             for text in given]  # fmt: skip
    return () if EVERY_SEVERITY in names else tuple(Severity(name) for name in names)


def read_tables(given: Iterable[str], names: Names) -> tuple[str, ...]:
    """Read names of tables. One that was never audited is refused, since nothing would be found."""
    return tuple(
        _known(check_unicode(text), names.tables, "a table of this database", text)
        for text in given
    )


def _known(name: str, known: Iterable[str], what: str, text: str) -> str:
    names = [visible(str(one)) for one in known]
    if name in known:
        return name
    few = f": there are {', '.join(sorted(names))}" if 0 < len(names) <= 12 else ""
    raise BadInput(f"{text!r} is not {what}{did_you_mean(name, names) or few}")


def read_since(text: str, zone: tzinfo | None) -> datetime:
    """Read the moment from which on; of a date, its beginning."""
    moment, _ = _moment(text, zone)
    return moment


def read_until(text: str, zone: tzinfo | None) -> datetime:
    """Read the moment before which; of a date, its end."""
    moment, is_date = _moment(text, zone)
    return moment + timedelta(days=1) if is_date else moment


def _moment(text: str, zone: tzinfo | None) -> tuple[datetime, bool]:
    try:
        moment, is_date = datetime.combine(date.fromisoformat(text.strip()), time()), True
    except ValueError:
        try:
            moment, is_date = datetime.fromisoformat(text.strip()), False
        except ValueError:
            raise BadInput(
                f"{text!r} is not a date or a moment: write it like 2026-01-31, "
                "2026-01-31T06:00 or 2026-01-31T06:00+08:00"
            ) from None
    if moment.tzinfo is None:
        if zone is None:
            raise BadInput(
                f"{text!r} is not clear, since the tables stand in several timezones: "
                "write it with its offset, like 2026-01-31T06:00+08:00, or name a --table"
            )
        moment = moment.replace(tzinfo=zone)
    if not _EARLIEST <= moment <= _LATEST:
        raise BadInput(f"{text!r} is beyond the calendar: the years 1 to 9999 can be asked for")
    return moment, is_date


def clock_of(names: Names, tables: Iterable[str]) -> tzinfo | None:
    """Find the one clock of the tables that are asked for; None: there are several."""
    asked = set(tables)
    zones = {zone for table, zone in names.zones.items() if not asked or table in asked}
    if len(zones) > 1:
        return None
    return ZoneInfo(zones.pop()) if zones else UTC


def who_is_unknown(path: Path, wanted: IncidentFilter) -> list[str]:
    """Say which dealers and bettors of a filter are in no round: perhaps they were mistyped."""
    said: list[str] = []
    with Store(path).reading() as connection:
        for name, given, source in (
            ("dealer", wanted.dealer, "SELECT DISTINCT dealer FROM rounds"),
            ("bettor", wanted.bettor, "SELECT DISTINCT bettor FROM wagers"),
        ):
            if given:
                rows = connection.execute(source).fetchall()
                known = {one for (one,) in rows if one is not None}
                said += [
                    f"no round has a {name} {one!r}{did_you_mean(one, map(visible, known))}"
                    for one in given
                    if one not in known
                ]
    return said
