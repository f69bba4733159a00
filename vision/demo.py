"""`catwalk demo`: the sample clips read, audited and compared with what is true of them."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console

from audit.errors import CatwalkError
from vision.reading_commands import check_installed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vision.known_clips import KnownClip

FOLDER: Final = "sample_footage"
OUT: Final = Path("catwalk-demo")
AS_EXPECTED: Final = 0
NOT_AS_EXPECTED: Final = 1


class DemoFailed(CatwalkError):
    """A part of the demonstration that could not be done."""


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    default=OUT,
    show_default=True,
    help="Where database, report, stills and clips go.",
)
@click.option("--only", multiple=True, metavar="CLIP", help="Only this clip; may be repeated.")
@click.pass_context
def demo(ctx: click.Context, *, folder: Path | None, out: Path, only: tuple[str, ...]) -> None:
    """Read and audit the sample clips, and say what was found beside what is true.

    The clips are drawn, so every card in them is known. In some of them the rules are broken: all
    of that has to be found, and nothing else. FOLDER is `sample_footage` unless another is named.
    Each finding gets a still and a clip, and there is a report, as after any audit. To look at one
    clip alone, type `catwalk demo --only misdeal`.

    Exit status: 0 all is as it should be, 1 something is not, 2 it could not be done.
    """
    check_installed()
    # Networks and films are loaded only once they are needed.
    from vision.demo_clips import DemoFilms, findings_of
    from vision.demo_page import demo_page
    from vision.known_clips import load_known_clips

    clips = _chosen(load_known_clips(folder or sample_folder()), only)
    _make_folder(out)
    database, report, evidence = out / "audit.duckdb", out / "report.html", out / "evidence"
    films = DemoFilms(clips)
    began = time.perf_counter()
    where = ("--db", str(database), "--evidence", str(evidence))
    _run(ctx, "audit", *_inputs(clips), *where, "--jobs", "1", "--quiet", obj=lambda: films)
    shown = findings_of(films, database)
    Console().print(demo_page(shown, time.perf_counter() - began))
    _run(ctx, "report", "--db", str(database), "--out", str(report))
    click.echo(f"Look further:  catwalk incidents --db {database}")
    sys.exit(AS_EXPECTED if all(one.is_as_expected for one in shown) else NOT_AS_EXPECTED)


def sample_folder() -> Path:
    """The samples that lie here, or those of the source from which we run."""
    here = Path(FOLDER)
    return here if here.is_dir() else Path(__file__).parents[1] / FOLDER


def _chosen(clips: tuple[KnownClip, ...], names: tuple[str, ...]) -> tuple[KnownClip, ...]:
    known = {clip.name: clip for clip in clips}
    for name in names:
        if name not in known:
            raise DemoFailed(f"there is no clip {name}: there are {', '.join(known)}")
    return tuple(known[name] for name in names) or clips


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise DemoFailed(f"{out} cannot be made: {problem.strerror}") from None


def _inputs(clips: Sequence[KnownClip]) -> Iterator[str]:
    for clip in clips:
        for path in (clip.clip, *clip.logs, clip.sheet):
            yield str(path)


def _run(ctx: click.Context, name: str, *words: str, obj: object = None) -> None:
    """Run another command as if it were typed, but for what a config file says of it."""
    catwalk = ctx.find_root().command
    command = catwalk.get_command(ctx, name) if isinstance(catwalk, click.Group) else None
    if command is None:
        raise DemoFailed(f"there is no command {name}")
    try:
        command.main(list(words), f"catwalk {name}", standalone_mode=False, obj=obj)
    except SystemExit:
        return  # an audit ends with what it found, which is told below
