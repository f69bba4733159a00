"""Writing a report to where it was asked for: a file, or a folder of CSV files."""

import os
from pathlib import Path

from audit.errors import BadInput
from audit.reports.csv import to_csv
from audit.reports.formats import FIRST_SECTION, ReportFormat, Target
from audit.reports.html import to_html
from audit.reports.json import to_json
from audit.reports.markdown import to_markdown
from audit.reports.report import Report
from audit.reports.sections import sections
from audit.reports.words import file_name
from audit.reports.xlsx import to_xlsx


def rendered(report: Report, shape: ReportFormat, section: str = "") -> bytes:
    """Give a report as the contents of one file."""
    if shape is ReportFormat.XLSX:
        return to_xlsx(report)
    if shape is ReportFormat.CSV:
        wanted = section or FIRST_SECTION
        return next(to_csv(one) for one in sections(report) if one.key == wanted).encode()
    text = {
        ReportFormat.HTML: to_html,
        ReportFormat.MARKDOWN: to_markdown,
        ReportFormat.JSON: to_json,
    }[shape]
    return text(report).encode()


def write_report(report: Report, where: Target) -> Path:
    """Write a report into its file, or as CSV into a folder; say where it is."""
    path = _path(report, where)
    try:
        if where.format is ReportFormat.CSV and path.suffix.lower() != ".csv":
            path.mkdir(exist_ok=True)
            for section in sections(report):
                _put(path / f"{section.key}.csv", to_csv(section).encode())
        else:
            _put(path, rendered(report, where.format, where.section))
    except OSError as problem:
        raise BadInput(f"{path} cannot be written: {problem.strerror or problem}") from None
    return path


def _path(report: Report, where: Target) -> Path:
    """Name the file: a folder gets one named after the period, unless it is to hold CSV files."""
    folder_of_csv = where.format is ReportFormat.CSV and not where.section
    own_name = file_name(report) + ("" if folder_of_csv else f".{where.format}")
    path = Path(where.out or own_name)
    if where.out and path.is_dir() and not folder_of_csv:
        path = path / own_name
    if path.exists() and path.samefile(report.database):
        raise BadInput(f"{path} is the audit database: name another file with --out")
    return path


def _put(path: Path, contents: bytes) -> None:
    """Write a file that is there whole in the end, or as it was before."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        draft.write_bytes(contents)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
