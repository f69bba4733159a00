"""A report as Markdown, for a terminal, a ticket or a chat."""

import re
from datetime import date, datetime
from decimal import Decimal

from audit.reports import words
from audit.reports.figures import Found
from audit.reports.report import Report
from audit.reports.sections import Cell, Section, explain_hint, sections

_MARKUP = re.compile(r"([\\`*_\[\]<>|~&#!$])")
_LINK = re.compile(r"(?i)(:)(//)|(www)(\.)|(mailto|xmpp)(:)|(\w)(@)")
LEFT_OUT = frozenset({"findings"})
"""Too long to read on; CSV and XLSX have it."""


def to_markdown(report: Report) -> str:
    """Write a report as Markdown."""
    lines = [f"# {escaped(words.title(report))}", "", escaped(words.about(report)), ""]
    lines += [f"- {escaped(point)}" for point in words.main_points(report)]
    for section in sections(report, but=LEFT_OUT):
        if section.rows or not report.is_empty:
            rows = _worth(report) if section.key == "worth_looking" else _table(section)
            head = ["", f"## {escaped(section.title)}", "", f"{escaped(section.meaning)}.", ""]
            lines += [*head, *(rows or ["None."])]
    return "\n".join(lines) + "\n"


def _worth(report: Report) -> list[str]:
    """List rounds with their findings below them: too much for a table."""
    lines = []
    for rank, one in enumerate(report.worth, 1):
        told = [one.key, plain(one.at), f"dealer {one.dealer}"]
        told += [
            f"{word} {words.money(amount)}"
            for word, amount in (
                ("given away", one.given_away),
                ("short-changed", one.short_changed),
                ("in doubt, up to", one.in_doubt),
            )
            if amount
        ]
        lines.append(f"{rank}. " + escaped(" · ".join(words.shown(part) for part in told)))
        lines += [f"    - {escaped(_finding(found))}" for found in one.findings]
        lines += [f"    - {escaped(words.shown(one.line))}"] if one.line else []
        lines += [f"    - {escaped(explain_hint(one.key, report.database))}"] if one.round else []
    return lines


def _finding(found: Found) -> str:
    where = f", {words.shown(found.where)}" if found.where else ""
    sure = f", confidence {found.confidence:.2f}" if found.confidence < 1 else ""
    return (
        f"{found.code} {found.severity}, clause {found.clause or '–'}{where}{sure}: "
        f"required {words.shown(found.expected)}; seen {words.shown(found.observed)}"
    )


def _table(section: Section) -> list[str]:
    if not section.rows:
        return []
    columns = [place for place, column in enumerate(section.columns) if column.key != "key"]
    to_right = [_is_number(section, place) for place in columns]
    return [
        _row([escaped(section.columns[place].head) for place in columns]),
        _row(["---:" if right else "---" for right in to_right]),
        *(_row([_cell(row[place]) for place in columns]) for row in section.rows),
    ]


def _is_number(section: Section, place: int) -> bool:
    values = [row[place] for row in section.rows if row[place] is not None]
    return bool(values) and all(isinstance(value, int | float | Decimal) for value in values)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(value: Cell) -> str:
    return escaped(plain(value))


def plain(value: Cell) -> str:
    """Write a cell for a person."""
    if value is None:
        return ""
    if isinstance(value, str):
        return words.shown(value)
    if isinstance(value, Decimal):
        return words.money(value)
    if isinstance(value, float):
        return words.rate(value)
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    if isinstance(value, date):
        return value.isoformat()
    return f"{value:,}"


def escaped(text: str) -> str:
    """Take the meaning from whatever Markdown would make of stored text, links included."""
    visible = words.shown(text, most=10 * words.LONGEST_TEXT)
    return _LINK.sub(_unlinked, _MARKUP.sub(r"\\\1", visible))


def _unlinked(match: re.Match[str]) -> str:
    before, after = (part for part in match.groups() if part is not None)
    return f"{before}\\{after}"
