"""Strict reading of TOML files: values are typed, and a key typed wrong is never passed over."""

import json
import tomllib
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from decimal import Decimal
from difflib import get_close_matches
from enum import StrEnum
from fractions import Fraction
from typing import Self, TypeVar
from zoneinfo import ZoneInfo

from audit.errors import BadInput, CatwalkError
from audit.money import parse_amount

E = TypeVar("E", bound=StrEnum)


def read_toml(text: str, where: str, error: type[CatwalkError]) -> dict[str, object]:
    """Read the text of a TOML file, for a `Section` to give out."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as problem:
        raise error(f"{where} is not TOML: {problem}") from None


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Find the known name that a mistyped one was probably meant to be."""
    spelt = {other.lower(): other for other in sorted(known)}
    matches = get_close_matches(name.lower(), spelt, n=1, cutoff=0.7)
    return spelt[matches[0]] if matches else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """End a sentence about an unknown name, with a hint where one is close."""
    near = nearest(name, known)
    return f": did you mean {near}?" if near else ""


class Section:
    """A table of a TOML file that gives out typed values and knows what was not taken."""

    def __init__(self, where: str, content: object, error: type[CatwalkError]) -> None:
        self.where = where
        self.error = error
        if not isinstance(content, dict):
            raise error(f"{where} must be a table of keys and values")
        self._left: dict[str, object] = dict(content)
        self._known: set[str] = set()

    def __contains__(self, key: str) -> bool:
        self._known.add(key)
        return key in self._left

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._left))

    def part(self, where: str, content: object) -> Self:
        """Make a section of what stands inside this one."""
        return type(self)(where, content, self.error)

    def take(self, key: str) -> object:
        if key not in self:
            near = nearest(key, self._left.keys() - self._known)
            hint = f": is {near} meant for it?" if near else ""
            raise self.error(f"{self.where} lacks {key}{hint}")
        return self._left.pop(key)

    def must(self, key: str, value: object, be: str) -> CatwalkError:
        """Say that a key holds something that it cannot hold."""
        return self.error(f"{self.where}: {key} = {_as_written(value)} must be {be}")

    def text(self, key: str) -> str:
        value = self.take(key)
        if not isinstance(value, str) or not value.strip():
            raise self.must(key, value, "a text")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.take(key)
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise self.must(key, value, "a list of texts")
        return tuple(value)

    def choice(self, key: str, names: type[E]) -> E:
        value = self.text(key)
        if value not in set(names):
            raise self.must(key, value, f"one of {', '.join(names)}")
        return names(value)

    def number(self, key: str, *, least: int = 0) -> int:
        value = self.take(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise self.must(key, value, f"a whole number of at least {least}")
        return value

    def flag(self, key: str) -> bool:
        value = self.take(key)
        if not isinstance(value, bool):
            raise self.must(key, value, "true or false")
        return value

    def optional_flag(self, key: str) -> bool:
        return self.flag(key) if key in self else False

    def share(self, key: str) -> Fraction:
        value = self.text(key)
        try:
            share = Fraction(value)
        except (ValueError, ZeroDivisionError):
            raise self.must(key, value, "a share like 1/2") from None
        if not 0 < share <= 1:
            raise self.must(key, value, "more than 0 and at most 1")
        return share

    def money(self, key: str) -> Decimal:
        """Take an amount that is more than nothing, written as text: a TOML float is not exact."""
        value = self.take(key)
        if not isinstance(value, str):
            raise self.must(key, value, 'money written as text, like "25.00"')
        try:
            amount = parse_amount(value)
        except BadInput as problem:
            raise self.error(f"{self.where}: {key}: {problem}") from None
        if amount <= 0:
            raise self.must(key, value, "more than nothing; leave it out where there is none")
        return amount

    def moment(self, key: str, zone: ZoneInfo | None = None) -> datetime:
        """Take a time; one without an offset is taken in the zone, where one is given."""
        value = self.take(key)
        if not isinstance(value, datetime):
            raise self.must(key, value, "a day and a time, like 2026-01-01T06:00:00+08:00")
        if value.tzinfo is not None:
            return value
        if zone is None:
            raise self.must(key, value, "a time with its offset")
        local = value.replace(tzinfo=zone)
        if local.utcoffset() != local.replace(fold=1).utcoffset():
            raise self.must(key, value, f"written with its offset: clocks of {zone} change then")
        return local

    def section(self, key: str) -> Self:
        return self.part(f"{self.where}, [{key}]", self.take(key))

    def sections(self, key: str) -> list[Self]:
        rows = self.take(key)
        if not isinstance(rows, list):
            raise self.error(f"{self.where}: {key} must be a list of tables, like [[{key}]]")
        return [self.part(f"{self.where}, {key} {place}", row) for place, row in enumerate(rows, 1)]

    def end(self) -> None:
        """Refuse what nobody asked for."""
        for key in self._left:
            hint = did_you_mean(key, self._known)
            raise self.error(f"{self.where} has {key}, which is not known here{hint}")


def _as_written(value: object) -> str:
    if isinstance(value, date | time):
        return str(value)
    return json.dumps(value, ensure_ascii=False, default=str)
