"""`catwalk audit`: files in, findings stored, every row accounted for."""

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from audit.commands.database import database_option
from audit.commands.statuses import NOTHING_FOUND, VIOLATIONS
from audit.errors import BadInput
from audit.findings import Severity
from audit.nightly import Night, audit_night
from audit.run_summary import RunSummary, summary_of
from audit.sources import ColumnMapping, load_column_mapping
from audit.store import Store
from audit.summary_page import summary_as_json, summary_page
from audit.table_sheet import check_rulebook_name


class _Bar:
    """A progress bar on stderr, so that what is printed can be piped."""

    def __init__(self, *, quiet: bool) -> None:
        self._progress = Progress(
            TextColumn("{task.description:>8}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            disable=quiet or not sys.stderr.isatty(),
            transient=True,
        )

    def __enter__(self) -> "_Bar":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, what: str, total: int) -> None:
        self._task = self._progress.add_task(what, total=total)

    def step(self, count: int) -> None:
        self._progress.advance(self._task, count)


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@database_option("The audit database; it is made if it is not there.")
@click.option(
    "--mapping",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What a vendor's columns and words mean, as TOML.",
)
@click.option("--rulebook", metavar="ID", help="The rules of tables that have no table sheet.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=lambda: os.cpu_count() or 1,
    show_default="one for each processor",
    help="How many processes judge side by side.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def audit(
    *,
    inputs: tuple[str, ...],
    database: Path,
    mapping: Path | None,
    rulebook: str | None,
    jobs: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Audit card logs, bet ledgers and call logs, and store what was found.

    INPUT is any mix of files and folders: CSV, JSON Lines or Parquet, packed (.gz .zst .bz2 .xz)
    or not, told apart by their columns, and a table.toml for each table. They are joined by table,
    shoe and round.

    \b
    catwalk audit night/                          everything in a folder, into catwalk.duckdb
    catwalk audit cards.csv bets.parquet table.toml --db march.duckdb
    catwalk audit export/ --mapping vendor.toml   a vendor's own column names
    catwalk audit cards.csv --rulebook mbs-fortune-six-baccarat-v6

    The same inputs again change nothing. A run that was killed goes on where it stopped. What an
    earlier run stored of a shoe stays where the new inputs do not tell of the same round.

    Exit status: 0 done and nothing found, 1 there are violations, 2 it could not be done.
    """
    if rulebook is not None:
        check_rulebook_name(rulebook, "--rulebook")
    night = Night(
        tuple(inputs),
        load_column_mapping(mapping) if mapping else ColumnMapping(),
        rulebook,
        jobs,
    )
    store = Store(database)
    with _Bar(quiet=quiet or as_json) as bar:
        result = audit_night(night, store, datetime.now(UTC), bar)
    summary = summary_of(store, result.run_id)
    if as_json:
        click.echo(json.dumps(summary_as_json(summary), indent=2))
    elif not quiet:
        page = summary_page(summary, database, was_done_before=result.was_done_before)
        Console().print(page)
    if not summary.rounds:
        raise BadInput(_nothing_audited(summary))
    violated = summary.findings_of(Severity.VIOLATION) > 0
    sys.exit(VIOLATIONS if violated else NOTHING_FOUND)


def _nothing_audited(summary: RunSummary) -> str:
    first = f": {summary.refused[0]}" if summary.refused else ""
    return f"there is no round in these inputs{first}"
