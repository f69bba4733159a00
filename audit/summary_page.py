"""How a run of the audit is shown at its end: what was found, and what became of every row."""

import os
from decimal import Decimal
from pathlib import Path

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from audit.codes import manual_page
from audit.run_summary import RunSummary

COLOURS = {"violation": "red", "review": "yellow", "note": "cyan"}


def summary_page(summary: RunSummary, database: Path, *, was_done_before: bool) -> Group:
    """Lay out what a run came to."""
    parts: list[RenderableType] = []
    if was_done_before:
        parts.append(Text("These inputs were audited before: nothing was changed.", style="dim"))
    parts.append(
        Text(
            f"{_counted(summary.tables, 'table')}, {_counted(summary.shoes, 'shoe')}, "
            f"{_counted(summary.rounds, 'round')}, {summary.judged:,} judged"
        )
    )
    parts.append(_codes(summary) if summary.codes else Text("Nothing was found.", style="green"))
    if summary.unjudged:
        parts += [Text(), _reasons("Rounds that could not be judged", summary.unjudged)]
    parts += [Text(), _accounts(summary)]
    if summary.left_over:
        parts += [Text(), _reasons("Rows left over", summary.left_over)]
    if summary.refused:
        parts += [Text(), Text("Refused, or left over as a whole", style="bold")]
        parts += [Text(f"  {escape(str(row))}") for row in summary.refused]
    parts += [Text(), Text(_next_steps(summary, database), style="dim")]
    return Group(*parts)


def _next_steps(summary: RunSummary, database: Path) -> str:
    db = f" --db {database}"
    steps = [f"catwalk report{db}"]
    if summary.codes:
        steps.insert(0, f"catwalk incidents{db}")
    return "Next: " + "   ".join(steps)


def _codes(summary: RunSummary) -> Table:
    table = Table(box=None, pad_edge=False, title="Found", title_justify="left")
    for name in ("code", "severity", "what"):
        table.add_column(name, overflow="fold")
    for name in ("findings", "given away", "short-changed"):
        table.add_column(name, justify="right")
    for code in summary.codes:
        table.add_row(
            code.code,
            Text(code.severity, style=COLOURS.get(code.severity, "")),
            manual_page(code.code).title,
            f"{code.findings:,}",
            _money(code.given_away),
            _money(code.short_changed),
        )
    return table


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _money(amount: Decimal) -> str:
    return f"{amount:,}" if amount else ""


def _reasons(title: str, reasons: tuple[tuple[str, int], ...]) -> Table:
    table = Table(box=None, pad_edge=False, title=title, title_justify="left")
    table.add_column("", justify="right")
    table.add_column("why", overflow="fold")
    for why, count in reasons:
        table.add_row(f"{count:,}", escape(why))
    return table


def _accounts(summary: RunSummary) -> Table:
    folder = _common_folder([one.source for one in summary.accounts])
    title = f"Rows of the files in {escape(folder)}" if folder else "Rows"
    table = Table(box=None, pad_edge=False, title=title, title_justify="left")
    table.add_column("file", overflow="fold")
    for name in ("read", "used", "left over", "refused"):
        table.add_column(name, justify="right")
    shown = summary.accounts
    if len(shown) > MOST_FILES:
        table.add_row(f"{len(shown):,} files", *_counts(summary))
        return table
    for one in shown:
        numbers = (one.read, one.used, one.left_over, one.refused)
        name = one.source.removeprefix(folder).lstrip("/")
        table.add_row(escape(name), *(f"{number:,}" for number in numbers))
    if len(shown) > 1:
        table.add_row("all", *_counts(summary), style="bold")
    return table


MOST_FILES = 12


def _common_folder(sources: list[str]) -> str:
    """Give the folder that several files lie in, so that it is named once."""
    if len(sources) < 2 or len({Path(source).is_absolute() for source in sources}) > 1:
        return ""
    return os.path.commonpath(sources)


def _counts(summary: RunSummary) -> tuple[str, ...]:
    totals = (
        sum(one.read for one in summary.accounts),
        sum(one.used for one in summary.accounts),
        sum(one.left_over for one in summary.accounts),
        sum(one.refused for one in summary.accounts),
    )
    return tuple(f"{total:,}" for total in totals)


def summary_as_json(summary: RunSummary) -> dict[str, object]:
    """Give the same for programs; money is text."""
    return {
        "run_id": summary.run_id,
        "tables": summary.tables,
        "shoes": summary.shoes,
        "rounds": summary.rounds,
        "judged": summary.judged,
        "unjudged": [{"why": why, "rounds": count} for why, count in summary.unjudged],
        "findings": [
            {
                "code": code.code,
                "severity": code.severity,
                "findings": code.findings,
                "given_away": str(code.given_away),
                "short_changed": str(code.short_changed),
            }
            for code in summary.codes
        ],
        "inputs": [
            {
                "source": one.source,
                "read": one.read,
                "used": one.used,
                "left_over": one.left_over,
                "refused": one.refused,
            }
            for one in summary.accounts
        ],
        "refused": [str(row) for row in summary.refused],
        "left_over": [{"why": why, "rows": count} for why, count in summary.left_over],
    }
