"""`catwalk read`: the card log of a film."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from audit.commands.statuses import BROKEN_OFF
from audit.errors import BadInput, CatwalkError
from vision.film_bars import FilmBar, FilmBars
from vision.film_seconds import seconds

if TYPE_CHECKING:
    from vision.film_stage import FilmLog

NEEDED = ("av", "cv2", "numpy", "onnxruntime")


class NotInstalled(CatwalkError):
    """A package that only footage needs, and that is not there."""


def check_installed() -> None:
    """Say what is lacking where only the audit was installed."""
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise NotInstalled(
            f"reading footage needs {', '.join(missing)}, not installed here: "
            "pip install 'catwalk[vision]'"
        )


@click.command()
@click.argument("footage", nargs=-1, required=True, metavar="FOOTAGE...")
@click.option(
    "--table",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The table sheet, with the zones of the hands; `catwalk calibrate` draws them.  "
    "[default: the one beside the film]",
)
@click.option(
    "--out",
    default="cards.csv",
    show_default=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The card log.",
)
@click.option(
    "--start",
    metavar="TIME",
    help="When the film began, as 2026-03-01T20:15:00+08:00.  [default: as the file says]",
)
@click.option("--from", "from_", metavar="WHEN", help="Read from here on: 90, 1:30 or 0:01:30.")
@click.option("--to", metavar="WHEN", help="Read until here.")
@click.option("--shoe", help="What the shoe is called.  [default: as the film]")
@click.option(
    "--first-round",
    type=click.IntRange(1, 100_000),
    default=1,
    show_default=True,
    metavar="N",
    help="The number of the first round in the film.",
)
@click.option(
    "--evidence",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write a still of each round there, with what was read drawn on it.",
)
@click.option(
    "--models",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Weights of your own; otherwise those that Catwalk brings along.",
)
@click.option("--again", is_flag=True, help="Begin anew, though some of it was read already.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def read(
    *,
    footage: tuple[str, ...],
    table: Path | None,
    out: Path,
    start: str | None,
    from_: str | None,
    to: str | None,
    shoe: str | None,
    first_round: int,
    evidence: Path | None,
    models: Path | None,
    again: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Read the cards of every round from film of a table into a card log.

    FOOTAGE is a file (mp4, mkv, mov, avi …) or the address of a stream (rtsp, http). Several files
    are read as one film, in their order. Each card has its hand, its place in the order, the second
    at which it was seen and how sure it is; one that could not be told is ?? with what it may be.

    \b
    catwalk read clip.mp4 --out cards.csv                           with table.toml beside it
    catwalk read clip.mp4 --table BAC-07.toml --from 1:30 --to 10:00
    catwalk read 20h.mkv 21h.mkv --table BAC-07.toml --shoe S001 --start 2026-03-01T20:00:00+08:00
    catwalk read rtsp://camera/7 --table BAC-07.toml                until Ctrl-C
    catwalk audit cards.csv --table table.toml                      judge what was read

    A reading that was broken off goes on where it was when the same is typed again, and so does
    one of a live stream. A log that is finished is left as it is; --again reads it anew. No file is
    replaced that is not such a log.

    Exit status: 0 it was read, 2 it could not be done.
    """
    check_installed()
    from vision.film_clock import start_of
    from vision.film_stage import FilmLog, FilmOrder, load_weights
    from vision.filmed_table import load_filmed_table, sheet_beside

    sources = tuple(map(source_of, footage))
    table = table or sheet_beside(sources[0])
    sheet = load_filmed_table(table)
    began = start_of(sources[0], start, sheet.timezone, sheet.played_from)
    from_s, to_s = seconds(from_, "--from") or 0.0, seconds(to, "--to")
    if to_s is not None and to_s <= from_s:
        raise BadInput("--to has to be after --from")
    order = FilmOrder(
        sources,
        sheet,
        shoe or shoe_name(sources[0]),
        began.at,
        first_round,
        from_s,
        to_s,
        start_by_clock=start is None and isinstance(sources[0], str),
    )
    weights = load_weights(models)
    film = FilmLog(order, weights.digest, out, again=again)
    was_finished = film.progress.finished
    bars = FilmBars(quiet=quiet or as_json)
    shown = bars.of(film)
    try:
        with bars, shown:
            film.read(weights.reader, shown)
    except KeyboardInterrupt:
        if not film.is_live:
            read_so_far = _rounds(film.progress.rounds)
            _say(f"broken off; {out} has {read_so_far}, and the same command goes on from there")
            sys.exit(BROKEN_OFF)
        film.close()
    if evidence is not None:
        from vision.film_evidence import draw_rounds

        for problem in draw_rounds(film.files, film.log.path, sheet, order.shoe, evidence):
            _say(problem)
    if as_json:
        click.echo(json.dumps(as_told(film), indent=2))
    elif not quiet:
        if was_finished:
            click.echo("It was read before: nothing was changed.")
        Console().print(summary(film, shown))
        click.echo(began.said, err=not began.is_known)
        click.echo(f"Next: catwalk audit {out} --table {table}")


def source_of(text: str) -> Path | str:
    """Tell the address of a stream from the name of a file."""
    return text if "://" in text else Path(text)


def shoe_name(source: Path | str) -> str:
    """What a shoe is called of which only the film is known."""
    return source.stem if isinstance(source, Path) else "stream"


def summary(film: "FilmLog", shown: FilmBar) -> Table:
    """What came of reading a film."""
    progress = film.progress
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("film", escape(film.footage.name))
    table.add_row("card log", escape(str(film.log.path)))
    table.add_row("rounds", f"{progress.rounds:,}")
    table.add_row("cards", f"{progress.cards:,}")
    table.add_row("unsure", f"[yellow]{progress.unsure:,}[/]" if progress.unsure else "0")
    if progress.doubted:
        table.add_row("not seen whole", f"[yellow]{_rounds(progress.doubted)}[/]")
    if shown.times_real_time:
        table.add_row("speed", f"{shown.times_real_time:.1f} × real time")
    for number, remark in enumerate(progress.remarks):
        table.add_row("" if number else "to know", f"[yellow]{escape(remark)}[/]")
    if progress.problem:
        table.add_row("ended early", f"[red]{escape(progress.problem)}[/]")
    return table


def as_told(film: "FilmLog") -> dict[str, object]:
    """The same for a program."""
    progress = film.progress
    return {
        "footage": [part.name for part in film.parts],
        "log": str(film.log.path),
        "rounds": progress.rounds,
        "cards": progress.cards,
        "unsure": progress.unsure,
        "doubted": progress.doubted,
        "left_out": progress.left_out,
        "remarks": list(progress.remarks),
        "ended_early": progress.problem,
    }


def _rounds(count: int) -> str:
    return "1 round" if count == 1 else f"{count:,} rounds"


def _say(sentence: str) -> None:
    click.echo(f"catwalk: {sentence}", err=True)
