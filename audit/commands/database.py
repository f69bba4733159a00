"""Which audit database a command works on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

DEFAULT_DATABASE = Path("catwalk.duckdb")


def database_option(
    help_text: str = "The audit database that `catwalk audit` wrote.",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command its --db."""
    return click.option(
        "--db",
        "database",
        type=click.Path(path_type=Path),
        default=DEFAULT_DATABASE,
        show_default=True,
        help=help_text,
    )
