"""Where an answer goes: a file of its own, a pipe, or the screen."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click
from rich.console import Console, RenderableType

from audit.errors import BadInput
from audit.questions import Format

LIMIT_HELP = "At most so many rows, or `all`."


def show_page(page: RenderableType) -> None:
    """Print a page as wide as the screen."""
    Console().print(page)


def shows_on_screen(out: Path | None) -> bool:
    """Tell whether a person reads what is written."""
    return out is None and sys.stdout.isatty()


def screen_width() -> int:
    """Tell how wide the screen is."""
    return shutil.get_terminal_size().columns


def check_output(shape: Format, out: Path | None, database: Path) -> None:
    """Refuse Parquet on a screen, and a file that would take the place of the database."""
    if shape is Format.PARQUET and shows_on_screen(out):
        raise BadInput("parquet is not for a screen: name a file with --out, or use a pipe")
    if out is not None and out.exists() and database.exists() and out.samefile(database):
        raise BadInput(f"{out} is the audit database: name another file with --out")
    if out is not None and out.is_dir():
        raise BadInput(f"{out} is a folder: name a file with --out")


@contextmanager
def opened_output(out: Path | None) -> Iterator[BinaryIO]:
    """Open the file, or standard output. A file is there whole in the end, or as it was before."""
    if out is None:
        yield sys.stdout.buffer
        return
    draft = out.with_name(f".{out.name}.{os.getpid()}.new")
    try:
        with draft.open("wb") as file:
            yield file
        draft.replace(out)
    except OSError as problem:
        raise BadInput(f"{out} cannot be written: {problem.strerror or problem}") from None
    finally:
        draft.unlink(missing_ok=True)


def limit_option(
    help_text: str = LIMIT_HELP,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command its --limit."""
    return click.option("--limit", metavar="N", callback=_read_limit, help=help_text)


ALL_ROWS = -1


def _read_limit(_ctx: click.Context, _option: click.Parameter, text: str | None) -> int | None:
    """Read a number of rows: None where none is given, `ALL_ROWS` for all."""
    if text is None:
        return None
    if text.strip().lower() == "all":
        return ALL_ROWS
    if not (text.isascii() and text.isdecimal() and len(text) <= 12):
        raise BadInput(f"--limit {text!r} is not a number of rows: write it like 100, or all")
    return int(text)


def limit_of(given: int | None, usual: int) -> int | None:
    """Give the number of rows that holds; None: all of them."""
    if given is None:
        return usual
    return None if given == ALL_ROWS else given
