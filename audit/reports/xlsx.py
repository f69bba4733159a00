"""A report as an Excel workbook, a sheet for each section."""

import io
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import xlsxwriter  # type: ignore[import-untyped]

from audit.reports import words
from audit.reports.csv import LONGEST_CELL
from audit.reports.report import Report
from audit.reports.sections import Cell, Section, sections

MOST_ROWS = 1_048_000
EXACT_BELOW = Decimal(10) ** 13
"""A spreadsheet keeps fifteen digits of a number: greater amounts are written as text."""
WIDEST = 60
_NARROWEST = 9


class _Sheets:
    """The workbook while it is written, with its formats."""

    def __init__(self, out: io.BytesIO) -> None:
        self.book = xlsxwriter.Workbook(
            out,
            {
                "in_memory": True,
                "strings_to_formulas": False,
                "strings_to_urls": False,
                "strings_to_numbers": False,
            },
        )
        self.head = self.book.add_format(
            {"bold": True, "bottom": 1, "bg_color": "#E8ECF1", "text_wrap": True, "valign": "top"}
        )
        self.title = self.book.add_format({"bold": True, "font_size": 14})
        self.formats: dict[type, Any] = {
            Decimal: self.book.add_format({"num_format": "#,##0.00"}),
            int: self.book.add_format({"num_format": "#,##0"}),
            float: self.book.add_format({"num_format": "#,##0.00"}),
            datetime: self.book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
            date: self.book.add_format({"num_format": "yyyy-mm-dd"}),
        }

    def cell(self, sheet: Any, row: int, column: int, value: Cell) -> None:
        """Write a cell by its type; text is never anything but text."""
        style = self.formats.get(type(value))
        if isinstance(value, Decimal) and abs(value) >= EXACT_BELOW:
            sheet.write_string(row, column, words.money(value))
        elif isinstance(value, int | float | Decimal):
            sheet.write_number(row, column, value, style)
        elif isinstance(value, datetime):
            sheet.write_datetime(row, column, value.replace(tzinfo=None), style)
        elif isinstance(value, date):
            sheet.write_datetime(row, column, value, style)
        elif value:
            sheet.write_string(row, column, words.shown(value, most=LONGEST_CELL))


def to_xlsx(report: Report) -> bytes:
    """Write a report as a workbook."""
    out = io.BytesIO()
    sheets = _Sheets(out)
    _first_sheet(sheets, report)
    for section in sections(report):
        _sheet(sheets, section)
    sheets.book.close()
    return out.getvalue()


def _first_sheet(sheets: _Sheets, report: Report) -> None:
    sheet = sheets.book.add_worksheet("Report")
    sheet.hide_gridlines(2)
    sheet.set_column(0, 0, 110)
    lines = (words.about(report), "", *words.main_points(report))
    sheet.write_string(0, 0, words.shown(words.title(report)), sheets.title)
    for row, line in enumerate(lines, 2):
        sheets.cell(sheet, row, 0, line)


def _sheet(sheets: _Sheets, section: Section) -> None:
    sheet = sheets.book.add_worksheet(section.title[:31])
    for place, column in enumerate(section.columns):
        sheet.write_string(0, place, column.head, sheets.head)
        sheet.write_comment(0, place, column.meaning)
        widths = [len(str(row[place])) for row in section.rows[:200] if row[place] is not None]
        widest = max([_NARROWEST, len(column.head), *widths])
        sheet.set_column(place, place, min(widest, WIDEST) + 2)
    for number, row in enumerate(section.rows[:MOST_ROWS], 1):
        for place, value in enumerate(row):
            sheets.cell(sheet, number, place, value)
    sheet.freeze_panes(1, 0)
    if section.rows:
        sheet.autofilter(0, 0, min(len(section.rows), MOST_ROWS), len(section.columns) - 1)
