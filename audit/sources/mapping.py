"""A vendor's export, read without code: a small TOML file says what its columns and values mean.

    [cards]                        # of a card log: our column = the vendor's column
    seq  = "CardNo"
    card = "Code"
    [wagers]                       # of a bet ledger
    stake = "Amount"
    [calls]                        # of a call log
    call = "Event"

    [values.card]                  # the vendor's word = ours; "" is an empty field
    "1S" = "AS"
    [values.hand]
    "P" = "player"
    [values.round]
    "0" = ""
    [values.wager]
    "Jackpot" = ""                 # none of ours: such a row is refused, and its round not doubted

    [format]                       # how times are written, as for strptime
    ts = "%d/%m/%Y %H:%M:%S"       # stands for placed_at and settled_at too, if they have none

    [constants.cards]              # what stands where a file has no such column, or leaves it empty
    table_id = "BAC-07"

Every part may be left out. Names of columns and words are compared without regard to capitals and
to blanks around them. A file that has none of the vendor's columns is read by our own names, and a
time that is written as ISO 8601 is read as such.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import polars as pl

from audit.errors import BadInput
from audit.sources.columns import LOGS, Log
from audit.sources.moments import MOMENT, has_offset, read_times
from audit.toml_section import Section, did_you_mean, read_toml

_TIMES = ("ts", "placed_at", "settled_at")
_WORDS = {column.name: column.convert for log in LOGS for column in log.columns if column.convert}


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """What a vendor's columns and values mean."""

    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By log (`cards`, `wagers`, `calls`) and our column: the vendor's, in small letters."""
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By our column and the vendor's word, in small letters: ours."""
    formats: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    path: Path | None = None
    """Its file, which is no input though it may lie among them."""


def load_column_mapping(path: Path) -> ColumnMapping:
    """Read a mapping from its file."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as problem:
        reason = problem.strerror or "it cannot be opened"
        raise BadInput(f"{path} cannot be read: {reason}") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path} cannot be read: it is not UTF-8 text") from None
    return read_column_mapping(text, str(path), path)


def read_column_mapping(text: str, where: str, path: Path | None = None) -> ColumnMapping:
    """Read the text of a mapping, refusing whatever it should not hold."""
    top = Section(where, read_toml(text, where, BadInput), BadInput)
    mapping = ColumnMapping(
        columns={log.frame: _columns(top, log) for log in LOGS if log.frame in top},
        values=_values(top.section("values")) if "values" in top else {},
        formats=_formats(top.section("format")) if "format" in top else {},
        constants=_constants(top.section("constants")) if "constants" in top else {},
        path=path,
    )
    top.end()
    return mapping


def _columns(top: Section, log: Log) -> dict[str, str]:
    section = top.section(log.frame)
    columns: dict[str, str] = {}
    for name in section:
        _check_known(section, name, log.content)
        theirs = section.text(name).strip().lower()
        if theirs in columns.values():
            raise BadInput(f"{section.where}: {theirs!r} stands for two columns")
        columns[name] = theirs
    return columns


def _values(section: Section) -> dict[str, dict[str, str]]:
    values: dict[str, dict[str, str]] = {}
    known = sorted({name for log in LOGS for name in log.content})
    for name in section:
        _check_known(section, name, known)
        words = section.section(name)
        values[name] = {}
        for word in words:
            theirs = word.strip().lower()
            if theirs in values[name]:
                raise BadInput(f"{words.where}: {theirs!r} is there twice")
            values[name][theirs] = _word(words, name, word)
    return values


def _word(words: Section, column: str, theirs: str) -> str:
    ours = words.take(theirs)
    if not isinstance(ours, str):
        raise words.must(theirs, ours, "a text")
    convert = _WORDS.get(column)
    why = convert(pl.Series([ours], dtype=pl.String)).why if convert else None
    if why is not None:
        raise BadInput(f"{words.where}: {theirs}: {why[0]}")
    return ours


def _formats(section: Section) -> dict[str, str]:
    formats: dict[str, str] = {}
    for name in section:
        _check_known(section, name, _TIMES)
        written_as = section.text(name).replace(".%f", "%.f").replace("%f", "%6f")
        if not _reads_back(written_as):
            raise section.must(name, written_as, "how a day and a time are written, %Y-%m-%d %H:%M")
        formats[name] = written_as
    if "ts" in formats:
        formats = dict.fromkeys(_TIMES, formats["ts"]) | formats
    return formats


def _reads_back(written_as: str) -> bool:
    """Say whether a format tells one time from another."""
    noon = pl.Series([datetime(2026, 3, 4, 13, 6)]).cast(pl.Datetime("us"))
    if has_offset(written_as):
        noon = noon.dt.replace_time_zone("UTC").cast(MOMENT)
    try:
        return read_times(noon.dt.to_string(written_as), written_as).equals(noon)
    except pl.exceptions.PolarsError:
        return False


def _constants(section: Section) -> dict[str, dict[str, str]]:
    constants: dict[str, dict[str, str]] = {}
    for log in LOGS:
        if log.frame in section:
            part = section.section(log.frame)
            for name in part:
                _check_known(part, name, log.content)
            constants[log.frame] = {name: part.text(name).strip() for name in part}
    section.end()
    return constants


def _check_known(section: Section, name: str, known: list[str] | tuple[str, ...]) -> None:
    if name not in known:
        hint = did_you_mean(name, known)
        raise BadInput(f"{section.where} has {name}, which is no column{hint}")
