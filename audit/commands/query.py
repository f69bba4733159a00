"""`catwalk query`: SQL that can only read."""

import shutil
import sys
from pathlib import Path

import click
from rich.console import Console

from audit.commands.database import database_option
from audit.commands.output import (
    check_output,
    limit_of,
    limit_option,
    opened_output,
    screen_width,
    shows_on_screen,
)
from audit.errors import BadInput
from audit.query_process import answered
from audit.questions import ROWS, SECONDS, Format
from audit.visible import visible

MOST_SECONDS = 24 * 3600.0


@click.command()
@click.argument("sql", required=False)
@database_option()
@click.option("--file", "file", type=click.Path(path_type=Path), help="Read the SQL from a file.")
@click.option(
    "--format",
    "shape",
    type=click.Choice([str(shape) for shape in Format]),
    default=str(Format.TABLE),
    show_default=True,
)
@limit_option(f"At most so many rows, or `all`. Usually {ROWS:,}.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, MOST_SECONDS, min_open=True),
    default=SECONDS,
    show_default=True,
    help="Stop the query after so long.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Write the answer to a file.")
def query(
    sql: str | None,
    database: Path,
    file: Path | None,
    shape: str,
    limit: int | None,
    seconds: float,
    out: Path | None,
) -> None:
    """Ask the audit database a question in SQL, which can only read.

    SQL is one SELECT; - reads it from standard input. Without SQL, the tables, views and columns
    are shown with what they mean.

    \b
    catwalk query --db night.duckdb
    catwalk query --db night.duckdb "FROM by_dealer LIMIT 10"
    catwalk query --db night.duckdb --format csv "FROM incidents WHERE exposure > 100"
    catwalk query --db night.duckdb --file monthly.sql --format parquet --out monthly.parquet
    """
    chosen = Format(shape)
    check_output(chosen, out, database)
    text = _text_of(sql, file)
    if text is None:
        _show_schema(database)
        return
    width = screen_width() if shows_on_screen(out) else None
    rows = limit_of(limit, ROWS)
    with answered(database, text, chosen, width=width, limit=rows, seconds=seconds) as answer:
        with opened_output(out) as stream, answer.file.open("rb") as content:
            shutil.copyfileobj(content, stream)
        if answer.note:
            click.echo(f"{answer.note} (--limit)", err=True)


def _text_of(sql: str | None, file: Path | None) -> str | None:
    """Find the SQL: on the command line, in a file, or on standard input."""
    if file is not None and sql is not None:
        raise BadInput("give the SQL or a --file with it, not both")
    if file is not None:
        try:
            return file.read_text("utf-8-sig")
        except OSError as problem:
            raise BadInput(f"{file} cannot be read: {problem.strerror}") from None
        except UnicodeDecodeError:
            raise BadInput(f"{file} cannot be read: it is not UTF-8 text") from None
    if sql != "-":
        return sql
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("what comes in is not UTF-8 text") from None


def _show_schema(database: Path) -> None:
    # The engine is loaded only once it is needed.
    from audit.schema_page import schema_page

    console = Console(file=sys.stdout, markup=False, emoji=False, highlight=False)
    console.print(schema_page(database, visible(str(database))))
