"""A report as CSV: one section in a file, or a folder with a file for each section.

Text that a spreadsheet would run as a formula gets an apostrophe in front, as spreadsheets
themselves write it. Money and rates are plain numbers, moments carry their offset.
"""

import csv
import io
from datetime import date, datetime
from decimal import Decimal

from audit.reports import words
from audit.reports.sections import Cell, Section

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
LONGEST_CELL = 32_000
"""Characters. Spreadsheets take no more."""


def to_csv(section: Section) -> str:
    """Write one section of a report."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column.key for column in section.columns)
    writer.writerows([_cell(value) for value in row] for row in section.rows)
    return out.getvalue()


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return f"{value:.2f}"
    return str(value)


def harmless(text: str) -> str:
    """Keep a spreadsheet from taking stored text for a formula."""
    visible = words.shown(text, most=LONGEST_CELL)
    return f"'{visible}" if text.lstrip(" ").startswith(FORMULA) else visible
