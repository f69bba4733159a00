"""The table sheet: what one table plays, from when, with how many decks and within which limits."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from audit.errors import BadInput, BadTableSheet
from audit.money import CENT
from audit.observations import WagerKind
from audit.rulebook import Rulebook
from audit.rulebook_files import DOCUMENTS, all_rulebooks, rulebook
from audit.toml_section import Section, did_you_mean, read_toml

HOME = ZoneInfo("Asia/Singapore")
"""Where the casinos of the approved documents stand."""
ALWAYS = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class GameFrom:
    """A game and the moment from which the table plays it."""

    rulebook: str
    """A rulebook's id, or its series for whichever edition is in force."""
    from_: datetime


@dataclass(frozen=True, slots=True)
class Limit:
    """The least and the greatest wager of a kind. None: there is no such limit."""

    min: Decimal | None
    max: Decimal | None


@dataclass(frozen=True, slots=True)
class TableSheet:
    table: str
    timezone: ZoneInfo
    decks: int
    games: tuple[GameFrom, ...]
    """In the order of their beginnings."""
    burn: int | None = None
    rounding: Decimal = CENT
    limits: Mapping[WagerKind, Limit] = field(default_factory=dict)
    differential: Decimal | None = None
    in_force: Mapping[str, datetime] = field(default_factory=dict)
    """First days of documents whose own copy has lost it."""


def plain_sheet(rulebook_name: str, *, table: str = "unnamed", decks: int = 8) -> TableSheet:
    """Make a sheet for a table that has none: one game, no limits, paid to the cent."""
    check_rulebook_name(rulebook_name, f"table {table}")
    return TableSheet(table, HOME, decks, (GameFrom(rulebook_name, ALWAYS),))


def load_table_sheet(path: Path) -> TableSheet:
    """Read a table sheet from its file."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as problem:
        reason = problem.strerror or "it cannot be opened"
        raise BadTableSheet(f"{path} cannot be read: {reason}") from None
    except UnicodeDecodeError:
        raise BadTableSheet(f"{path} cannot be read: it is not UTF-8 text") from None
    return read_table_sheet(text, str(path))


def read_table_sheet(text: str, where: str) -> TableSheet:
    """Read the text of a table sheet, refusing whatever it should not hold."""
    top = Section(where, read_toml(text, where, BadTableSheet), BadTableSheet)
    table = _table(top)
    zone = _timezone(top)
    sheet = TableSheet(
        table=table,
        timezone=zone,
        decks=top.number("decks", least=1),
        games=_games(top, zone),
        burn=top.number("burn") if "burn" in top else None,
        rounding=top.money("rounding") if "rounding" in top else CENT,
        limits=_limits(top.section("limits")) if "limits" in top else {},
        differential=_differential(top.section("differential")) if "differential" in top else None,
        in_force=_in_force(top.section("in_force"), zone) if "in_force" in top else {},
    )
    if "camera" in top:
        top.take("camera")  # the vision stage's own, read there
    top.end()
    return sheet


def _table(top: Section) -> str:
    names = [key for key in ("table", "table_id") if key in top]
    if len(names) > 1:
        raise BadTableSheet(f"{top.where} has both table and table_id: keep one")
    return top.text(names[0] if names else "table").strip()


def _timezone(top: Section) -> ZoneInfo:
    name = top.text("timezone")
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        hint = did_you_mean(name, available_timezones())
        raise BadTableSheet(f"{top.where}: there is no timezone {name!r}{hint}") from None


def _games(top: Section, zone: ZoneInfo) -> tuple[GameFrom, ...]:
    games: list[GameFrom] = []
    for row in top.sections("game"):
        game = GameFrom(row.text("rulebook"), row.moment("from", zone))
        row.end()
        check_rulebook_name(game.rulebook, row.where)
        if any(game.from_ == other.from_ for other in games):
            raise BadTableSheet(f"{row.where} begins when another game does: {game.from_}")
        games.append(game)
    if not games:
        raise BadTableSheet(f"{top.where} names no game")
    return tuple(sorted(games, key=lambda game: game.from_))


def _limits(section: Section) -> dict[WagerKind, Limit]:
    limits: dict[WagerKind, Limit] = {}
    for name in section:
        if name not in set(WagerKind):
            hint = did_you_mean(name, WagerKind)
            raise BadTableSheet(f"{section.where} has {name}, which is a wager of no game{hint}")
        row = section.section(name)
        least = row.money("min") if "min" in row else None
        greatest = row.money("max") if "max" in row else None
        row.end()
        if least is None and greatest is None:
            raise BadTableSheet(f"{row.where} sets neither min nor max")
        if least is not None and greatest is not None and least > greatest:
            raise BadTableSheet(f"{row.where} has a min of {least} above its max of {greatest}")
        limits[WagerKind(name)] = Limit(least, greatest)
    return limits


def _differential(section: Section) -> Decimal:
    greatest = section.money("max")
    section.end()
    return greatest


def _in_force(section: Section, zone: ZoneInfo) -> dict[str, datetime]:
    days: dict[str, datetime] = {}
    for document in section:
        if document not in DOCUMENTS:
            hint = did_you_mean(document, DOCUMENTS)
            raise BadTableSheet(f"{section.where} has {document}, which is no document{hint}")
        day = section.moment(document, zone)
        book = next(book for book in all_rulebooks().values() if book.document == document)
        if book.in_force is not None:
            raise BadTableSheet(
                f"{section.where} cannot set {document}, "
                f"which is in force from {book.in_force} by its own document"
            )
        editions = _editions(_series(book))
        for earlier in editions[: editions.index(book)]:
            if earlier.in_force is not None and day <= earlier.in_force:
                raise BadTableSheet(
                    f"{section.where} sets {document} to {day}, but the edition before it, "
                    f"{earlier.id}, is in force from {earlier.in_force}"
                )
        days[document] = day
    return days


def check_rulebook_name(name: str, where: str) -> None:
    """Refuse what is neither a rulebook nor the series of one; `where` says who named it."""
    if _editions(name):
        return
    try:
        rulebook(name)
    except BadInput as problem:
        raise BadTableSheet(f"{where}: {problem}") from None


def _series(book: Rulebook) -> str:
    """Name a game over all its editions: `rws-blackjack`, `mbs-electronic-baccarat/tiger`."""
    return book.series + book.id.removeprefix(book.document)


@cache
def _editions(series: str) -> tuple[Rulebook, ...]:
    return tuple(book for book in all_rulebooks().values() if _series(book) == series)


def rulebook_at(sheet: TableSheet, ts: datetime) -> Rulebook:
    """Find the rulebook that a round of this table is judged by: the one in force at its time."""
    name = _game_at(sheet, ts).rulebook
    named = all_rulebooks().get(name)
    editions = _editions(_series(named) if named else name)
    begun = [book for book in editions if _has_begun(sheet, book, ts)]
    book = named or (begun[-1] if begun else editions[0])
    first_day = _first_day(sheet, book)
    if first_day is not None and ts < first_day:
        raise BadTableSheet(
            f"table {sheet.table} names {name} for {_shown(sheet, ts)}, "
            f"but {book.id} is in force only from {_shown(sheet, first_day)}"
        )
    for later in editions[editions.index(book) + 1 :]:
        superseded = _first_day(sheet, later)
        if superseded is not None and superseded <= ts:
            raise BadTableSheet(
                f"table {sheet.table} names {name} for {_shown(sheet, ts)}, "
                f"but {later.id} superseded it on {_shown(sheet, superseded)}"
            )
    return book


def _game_at(sheet: TableSheet, ts: datetime) -> GameFrom:
    for game in reversed(sheet.games):
        if game.from_ <= ts:
            return game
    first = sheet.games[0]
    raise BadTableSheet(
        f"table {sheet.table} plays nothing at {_shown(sheet, ts)}: "
        f"its first game, {first.rulebook}, begins at {_shown(sheet, first.from_)}"
    )


def _first_day(sheet: TableSheet, book: Rulebook) -> datetime | None:
    return book.in_force or sheet.in_force.get(book.document)


def _has_begun(sheet: TableSheet, book: Rulebook, ts: datetime) -> bool:
    first_day = _first_day(sheet, book)
    return first_day is not None and first_day <= ts


def _shown(sheet: TableSheet, ts: datetime) -> str:
    return ts.astimezone(sheet.timezone).isoformat(" ", "seconds")
