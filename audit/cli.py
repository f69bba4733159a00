"""The command line: which commands there are, and how each of them ends.

A command is imported when it is called, so that `catwalk rules` does not wait for the database.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from audit.commands.statuses import COULD_NOT_BE_DONE
from audit.config import defaults_for, load_config
from audit.errors import CatwalkError

if TYPE_CHECKING:
    from audit.films import FilmStage

COMMANDS = (
    "demo",
    "audit",
    "report",
    "incidents",
    "query",
    "explain",
    "rules",
    "simulate",
    "benchmark",
    "read",
    "calibrate",
    "model",
)
"""Each is in the file of its name in `audit/commands/`, unless `ELSEWHERE` has it."""
ELSEWHERE = {
    "demo": "vision.demo",
    "model": "vision.commands",
    "read": "vision.reading_commands",
    "calibrate": "vision.calibration_commands",
}
CONFIG = Path("catwalk.toml")


class _Catwalk(click.Group):
    """Finds commands when they are called, and ends what cannot be done with one sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = ELSEWHERE.get(cmd_name, f"audit.commands.{cmd_name}")
        command = getattr(import_module(module), cmd_name)
        return command if isinstance(command, click.Command) else None

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except CatwalkError as error:
            click.echo(f"catwalk: {_on_one_line(str(error))}", err=True)
            ctx.exit(COULD_NOT_BE_DONE)
        except BrokenPipeError:
            sys.stderr.close()
            ctx.exit(0)


def film_stage() -> "FilmStage":
    """Load what reads films, where it is installed."""
    from vision.reading_commands import check_installed

    check_installed()
    from vision.audit_films import AuditFilms

    return AuditFilms()


def _on_one_line(sentence: str) -> str:
    """Keep what a file or a name may hold from breaking the line, or from moving the cursor."""
    return "".join(character if character.isprintable() else " " for character in sentence)


@click.group(cls=_Catwalk, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="catwalk")
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help=f"What would be typed every time, as TOML.  [default: {CONFIG} if it is there]",
)
@click.pass_context
def main(ctx: click.Context, config: Path | None) -> None:
    """Audit rounds of blackjack and baccarat against the approved rules.

    \b
    Start here:
      catwalk demo                        read and audit the sample clips
      catwalk audit night/                audit the files of a night
      catwalk audit clip.mp4 --table table.toml
                                          audit what a film of a table shows
      catwalk report                      the morning report
      catwalk incidents --family PAY      what was found, by filter
      catwalk explain DRW003              what a code means, with its clauses
      catwalk explain "P 2H 3D 7C / B KS 6S"
                                          a round replayed step by step
      catwalk simulate nights/            nights to try it on, with planted faults
      catwalk read clip.mp4 --table table.toml
                                          the cards in film of a table, as a card log
      catwalk calibrate clip.mp4          draw where the hands lie in the picture
      catwalk model show table.jpg        the cards in a picture of a table

    \b
    What is typed every time can stand in catwalk.toml:
      db = "/var/lib/catwalk/audit.duckdb"
      [audit]
      inputs = ["/data/shoes", "/data/bets"]
      mapping = "/etc/catwalk/vendor.toml"

    Exit status: 0 done and nothing found, 1 violations found, 2 it could not be done.
    """
    ctx.obj = film_stage
    path = config or (CONFIG if CONFIG.is_file() else None)
    if path is not None:
        settings = load_config(path, COMMANDS)
        name = ctx.invoked_subcommand
        command = main.get_command(ctx, name) if name else None
        if name and command is not None:
            ctx.default_map = {name: defaults_for(command, name, settings, path)}
