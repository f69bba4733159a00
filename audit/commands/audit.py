"""`catwalk audit`: files in, findings stored, every row accounted for."""

import json
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from audit.commands.database import database_option
from audit.commands.statuses import BROKEN_OFF, NOTHING_FOUND, VIOLATIONS
from audit.errors import BadInput, CatwalkError
from audit.filmed_findings import filmed_findings
from audit.films import FilmNotRead, FilmRead, FilmStage, FilmsWanted, Shown
from audit.films_page import evidence_page, films_as_json, films_page
from audit.findings import Severity
from audit.known_shoes import known_shoes
from audit.nightly import Night, audit_night
from audit.run_summary import RunSummary, summary_of
from audit.sources import ColumnMapping, load_column_mapping
from audit.sources.found import Found, find_files
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
    "--table",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A table sheet, as an input; films are read by its zones.",
)
@click.option(
    "--evidence",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Where stills and clips of findings in films go.  [default: beside the database]",
)
@click.option(
    "--models",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Weights of your own to read films with.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=lambda: os.cpu_count() or 1,
    show_default="one for each processor",
    help="How many processes judge side by side.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.pass_obj
def audit(
    film_stage: Callable[[], FilmStage],
    *,
    inputs: tuple[str, ...],
    database: Path,
    mapping: Path | None,
    rulebook: str | None,
    table: Path | None,
    evidence: Path | None,
    models: Path | None,
    jobs: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Audit films, card logs, bet ledgers and call logs, and store what was found.

    INPUT is any mix of files and folders: CSV, JSON Lines or Parquet, packed (.gz .zst .bz2 .xz)
    or not, told apart by their columns, and a table.toml for each table. They are joined by table,
    shoe and round.

    \b
    catwalk audit night/                          everything in a folder, into catwalk.duckdb
    catwalk audit cards.csv bets.parquet table.toml --db march.duckdb
    catwalk audit export/ --mapping vendor.toml   a vendor's own column names
    catwalk audit cards.csv --rulebook mbs-fortune-six-baccarat-v6
    catwalk audit clip.mp4 --table table.toml     what a film of a table shows
    catwalk audit clip.mp4 shoe.csv bets.csv --table table.toml
                                                  … against the shoe's own log, and the bets

    A film (mp4, mkv, mov, avi, or the address of a stream) is first read into a card log, kept
    beside the database and not read again. It is of the shoe that the other inputs tell of, or has
    its own name for one. Each finding in a film gets a still and a clip in EVIDENCE.

    The same inputs again change nothing. A run that was killed goes on where it stopped. What an
    earlier run stored of a shoe stays where the new inputs do not tell of the same round.

    Exit status: 0 done and nothing found, 1 there are violations, 2 it could not be done.
    """
    if rulebook is not None:
        check_rulebook_name(rulebook, "--rulebook")
    columns = load_column_mapping(mapping) if mapping else ColumnMapping()
    given = (*inputs, *((str(table),) if table else ()))
    found = find_files(given, columns.path, database)
    films = _Films(film_stage)
    silent = quiet or as_json
    if found.footage:
        try:
            films.read(_wanted(found, columns, table, database, models, quiet=silent))
        except KeyboardInterrupt:
            click.echo(
                "catwalk: broken off while a film was read; the same command goes on from there",
                err=True,
            )
            sys.exit(BROKEN_OFF)
    night = Night(given, columns, rulebook, jobs, films.logs, films.answers)
    store = Store(database)
    with _Bar(quiet=silent) as bar:
        result = audit_night(night, store, datetime.now(UTC), bar)
    summary = summary_of(store, result.run_id)
    shown = films.show(store, result.run_id, evidence or beside(database, "evidence"))
    if as_json:
        told = summary_as_json(summary) | films_as_json(films.made, shown)
        click.echo(json.dumps(told, indent=2))
    elif not quiet:
        console = Console()
        if films.made:
            console.print(films_page(films.made))
        page = summary_page(summary, database, was_done_before=result.was_done_before)
        console.print(page)
        if shown:
            console.print(evidence_page(shown))
    for problem in dict.fromkeys(one.problem for one in shown if one.problem):
        click.echo(f"catwalk: no picture of a finding: {problem}", err=True)
    if not summary.rounds:
        raise BadInput(_nothing_audited(summary))
    violated = summary.findings_of(Severity.VIOLATION) > 0
    sys.exit(VIOLATIONS if violated else NOTHING_FOUND)


def beside(database: Path, what: str) -> Path:
    """Where something that belongs to a database is kept."""
    return database.with_name(f"{database.name}.{what}")


def _wanted(
    found: Found,
    mapping: ColumnMapping,
    table: Path | None,
    database: Path,
    models: Path | None,
    *,
    quiet: bool,
) -> FilmsWanted:
    shoes = known_shoes(found, mapping)
    folder = beside(database, "footage")
    return FilmsWanted(found.footage, found.sheets, table, shoes, folder, models, quiet)


class _Films:
    """The films of an audit: read before it, and shown after it."""

    def __init__(self, film_stage: Callable[[], FilmStage]) -> None:
        self._load = film_stage
        self._stage: FilmStage | None = None
        self.made: tuple[FilmRead, ...] = ()
        self.answers: dict[Path | str, str | None] = {}

    @property
    def logs(self) -> tuple[Path, ...]:
        return tuple(film.log for film in self.made)

    def read(self, wanted: FilmsWanted) -> None:
        try:
            self._stage = self._load()
        except CatwalkError as problem:
            self.answers = dict.fromkeys(wanted.films, str(problem))
            return
        for answer in self._stage.read(wanted):
            if isinstance(answer, FilmNotRead):
                self.answers[answer.film] = answer.why
            else:
                self.made = (*self.made, answer)
                self.answers |= dict.fromkeys(answer.films)

    def show(self, store: Store, run_id: str, folder: Path) -> tuple[Shown, ...]:
        if self._stage is None or not self.made:
            return ()
        return self._stage.show(filmed_findings(store, run_id), self.made, folder)


def _nothing_audited(summary: RunSummary) -> str:
    first = f": {summary.refused[0]}" if summary.refused else ""
    return f"there is no round in these inputs{first}"
