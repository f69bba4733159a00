"""A report as JSON, for other programs.

`report` says what it is about, `main_points` what a person should know first. `totals` is one
object; every other section is a list of objects. Money is text with two decimals, so that no
reader makes a float of it; rates are for each 1,000 rounds; moments are ISO 8601 with their offset.
`meanings` explains every key of every section.
"""

import json
from datetime import date, datetime
from decimal import Decimal

from audit.reports import words
from audit.reports.report import Report
from audit.reports.sections import Cell, Section, sections

FORMAT = 1
"""Of these keys. It is raised when one is renamed or taken away."""

Value = str | int | float | None


def to_json(report: Report) -> str:
    """Write a report as one JSON object."""
    every = sections(report)
    told = {
        "format": FORMAT,
        "report": {
            "title": words.title(report),
            "night": _value(report.scope.night),
            "since": _value(report.scope.starts),
            "until": _value(report.scope.ends),
            "day_starts": f"{report.scope.day_starts:%H:%M}",
            "tables": list(report.scope.tables),
            "dealers": list(report.scope.dealers),
            "timezones": list(report.zones),
            "empty": report.is_empty,
        },
        "main_points": list(words.main_points(report)),
        **{section.key: _content(section) for section in every},
        "meanings": {section.key: _meanings(section) for section in every},
    }
    return json.dumps(told, indent=2, ensure_ascii=True) + "\n"


def _content(section: Section) -> dict[str, Value] | list[dict[str, Value]]:
    if section.key == "totals":
        return {str(key): _value(value) for key, _, value in section.rows}
    keys = [column.key for column in section.columns]
    return [dict(zip(keys, map(_value, row), strict=True)) for row in section.rows]


def _meanings(section: Section) -> dict[str, str]:
    if section.key == "totals":
        return {str(key): str(meaning) for key, meaning, _ in section.rows}
    return {column.key: column.meaning for column in section.columns}


def _value(cell: Cell) -> Value:
    if isinstance(cell, Decimal):
        return f"{cell:.2f}"
    if isinstance(cell, datetime | date):
        return cell.isoformat()
    return cell
