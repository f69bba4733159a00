"""`catwalk report`: the figures of a night, a table, a dealer or a period."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from audit.commands.database import database_option
from audit.reports.formats import SECTION_KEYS, ReportFormat, target
from audit.reports.period import Scope, parse_clock, parse_day, parse_since, parse_until

STEPS = 8
SUMMARY_LINES = 3


@click.command()
@database_option()
@click.option(
    "--night", metavar="DAY", help="A gaming day, like 2026-03-08. Default: the last one."
)
@click.option("--since", metavar="TIME", help="From this moment, or from the start of this day.")
@click.option("--until", metavar="TIME", help="Before this moment, or until the end of this day.")
@click.option("--table", "tables", multiple=True, metavar="TABLE", help="Only this table.")
@click.option("--dealer", "dealers", multiple=True, metavar="DEALER", help="Only this dealer.")
@click.option(
    "--day-starts",
    default="06:00",
    show_default=True,
    metavar="CLOCK",
    help="When a gaming day starts on the clock of the table.",
)
@click.option(
    "--format",
    "shape",
    default="",
    type=click.Choice(["", *(str(shape) for shape in ReportFormat)]),
    metavar="html|md|csv|xlsx|json",
    help="Default: what the name of --out says, else html.",
)
@click.option(
    "--section",
    default="",
    type=click.Choice(["", *SECTION_KEYS]),
    metavar="SECTION",
    help=f"Of CSV, one of {', '.join(SECTION_KEYS)}.",
)
@click.option("--out", default="", metavar="FILE", help="Where to; - is the screen.")
def report(
    *,
    database: Path,
    night: str | None,
    since: str | None,
    until: str | None,
    tables: tuple[str, ...],
    dealers: tuple[str, ...],
    day_starts: str,
    shape: str,
    section: str,
    out: str,
) -> None:
    """Report on a night, or on a period, a table, a dealer.

    \b
    catwalk report                                        the last night, as a page
    catwalk report --night 2026-03-08 --out - --format md
    catwalk report --since 2026-03-01 --until 2026-03-07 --out week.xlsx
    catwalk report --dealer D-1204 --since 2026-01-01
    catwalk report --format csv --out night/     a file for each section
    catwalk report --section dealers --out -     one section as CSV

    A night is a gaming day, 06:00 to 06:00 on the clock of each table. A moment without offset is
    on that clock too. A rate is rounds with errors for each 1,000 rounds judged, with its 95 %
    interval; findings that a reviewer dismissed do not count.
    """
    # The engine and the template are loaded only once they are needed.
    from audit.reports.report import build_report
    from audit.reports.words import main_points, shown, title
    from audit.reports.writing import rendered, write_report

    where = target(out, shape, section)
    starts = parse_clock(day_starts)
    scope = Scope(
        night=parse_day(night) if night else None,
        since=parse_since(since, starts) if since else None,
        until=parse_until(until, starts) if until else None,
        tables=tuple(dict.fromkeys(tables)),
        dealers=tuple(dict.fromkeys(dealers)),
        day_starts=starts,
    )
    with _progress() as step:
        made = build_report(database, scope, step)
        step("Writing")
        path = None if where.to_screen else write_report(made, where)
    if path is None:
        click.echo(rendered(made, where.format, where.section), nl=False)
    else:
        click.echo(f"{shown(str(path))}: {title(made)}")
    for line in main_points(made)[:SUMMARY_LINES]:
        click.echo(shown(line, most=1000), err=path is None)


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Show how far the report is, where somebody is looking."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        task = bar.add_task("Opening the database", total=STEPS)

        def step(what: str) -> None:
            bar.update(task, description=what, advance=1)

        yield step
