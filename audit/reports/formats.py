"""In which formats a report is written, in words that need no engine."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from audit.errors import BadInput

SCREEN = "-"
SECTION_KEYS = (
    *("totals", "worth_looking", "days", "tables", "dealers", "hours", "codes"),
    *("unjudged", "to_review", "inputs", "unused_rows", "reviews", "review_chain", "runs"),
    "findings",
)
FIRST_SECTION = "findings"
"""What one CSV file holds unless another section is asked for."""


class ReportFormat(StrEnum):
    HTML = "html"
    MARKDOWN = "md"
    CSV = "csv"
    XLSX = "xlsx"
    JSON = "json"


_SUFFIXES = {
    ".html": ReportFormat.HTML,
    ".htm": ReportFormat.HTML,
    ".md": ReportFormat.MARKDOWN,
    ".markdown": ReportFormat.MARKDOWN,
    ".csv": ReportFormat.CSV,
    ".xlsx": ReportFormat.XLSX,
    ".json": ReportFormat.JSON,
}


@dataclass(frozen=True, slots=True)
class Target:
    """In which format, and where: a path, `-` for the screen, or empty for a name of its own."""

    format: ReportFormat
    out: str = ""
    section: str = ""
    """Of CSV: the one section that is wanted."""

    @property
    def to_screen(self) -> bool:
        return self.out == SCREEN


def target(out: str = "", shape: str = "", section: str = "") -> Target:
    """Settle the format: as asked for, by the ending of the file's name, or a page."""
    chosen = ReportFormat(shape) if shape else _format_of(out, section)
    if section and chosen is not ReportFormat.CSV:
        raise BadInput(f"a section alone is written as CSV only, not as {chosen}")
    if out == SCREEN and chosen is ReportFormat.XLSX:
        raise BadInput("a workbook cannot be shown on the screen: give --out a file")
    return Target(chosen, out, section)


def _format_of(out: str, section: str) -> ReportFormat:
    suffix = Path(out).suffix.lower()
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if section:
        return ReportFormat.CSV
    if out == SCREEN:
        return ReportFormat.MARKDOWN
    if not out or Path(out).is_dir():
        return ReportFormat.HTML
    raise BadInput(
        f"{out} does not tell its format: end it in .html, .md, .csv, .xlsx or .json, "
        "or give --format"
    )
