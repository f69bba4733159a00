"""`catwalk incidents`: what stands against the rules, by filter."""

import shlex
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from audit.commands.database import database_option
from audit.commands.output import (
    check_output,
    limit_of,
    limit_option,
    opened_output,
    shows_on_screen,
)
from audit.commands.statuses import NOTHING_FOUND, VIOLATIONS
from audit.findings import Severity
from audit.money import parse_amount
from audit.questions import ROWS, Format, IncidentFilter, Order
from audit.visible import check_unicode, visible

if TYPE_CHECKING:
    import polars as pl

    from audit.queries import IncidentTotals

ON_A_SCREEN = 50
"""So many incidents are shown to a person who names no limit."""


@click.command()
@database_option()
@click.option("--table", multiple=True, metavar="ID", help="Of this table.")
@click.option("--dealer", multiple=True, metavar="ID", help="Dealt by.")
@click.option("--bettor", multiple=True, metavar="NAME", help="About a wager of.")
@click.option("--code", multiple=True, help="Of this kind, as PAY004.")
@click.option("--family", multiple=True, help="Of these kinds, as PAY.")
@click.option("--clause", multiple=True, help="Against a clause or one below it: 3.34 is 3.34.1.")
@click.option("--rulebook", multiple=True, metavar="ID", help="Judged by a rulebook or document.")
@click.option(
    "--severity",
    multiple=True,
    default=(str(Severity.VIOLATION),),
    show_default=True,
    metavar="violation|review|note|all",
)
@click.option("--since", metavar="WHEN", help="From a moment on, or from the beginning of a day.")
@click.option("--until", metavar="WHEN", help="Before a moment, or until the end of a day.")
@click.option("--least-exposure", metavar="AMOUNT", help="At least so much money, either way.")
@click.option("--text", default="", help="Somewhere in what was required or seen.")
@click.option(
    "--order",
    type=click.Choice([str(order) for order in Order]),
    default=str(Order.NEWEST),
    show_default=True,
)
@limit_option(f"At most so many, or `all`. Usually {ON_A_SCREEN} on a screen, else {ROWS:,}.")
@click.option(
    "--format",
    "shape",
    type=click.Choice([str(shape) for shape in Format]),
    default=str(Format.TABLE),
    show_default=True,
)
@click.option("--out", type=click.Path(path_type=Path), help="Write to a file.")
def incidents(
    *,
    database: Path,
    table: tuple[str, ...],
    dealer: tuple[str, ...],
    bettor: tuple[str, ...],
    code: tuple[str, ...],
    family: tuple[str, ...],
    clause: tuple[str, ...],
    rulebook: tuple[str, ...],
    severity: tuple[str, ...],
    since: str | None,
    until: str | None,
    least_exposure: str | None,
    text: str,
    order: str,
    limit: int | None,
    shape: str,
    out: Path | None,
) -> None:
    """List what stands against the rules: neither withdrawn nor dismissed by a reviewer.

    Options that can be named several times fit if one of them does. A date is read on the clock
    of the tables. Exit status: 0 no violation among what was found, 1 there is one.

    \b
    catwalk incidents --db night.duckdb --since 2026-01-31 --order money
    catwalk incidents --db night.duckdb --dealer D17 --family PAY --least-exposure 100
    catwalk incidents --db night.duckdb --severity review --table BAC-07 --format csv
    """
    # The engine and the codes are loaded only once they are needed.
    from audit import incident_words as words
    from audit.queries import format_frame, incident_totals
    from audit.queries import incidents as find_incidents

    chosen = Format(shape)
    check_output(chosen, out, database)
    codes, families = words.read_codes(code), words.read_families(family)
    severities, rulebooks = words.read_severities(severity), words.read_rulebooks(rulebook)
    amount = _amount(least_exposure)
    names = words.names_in(database)
    tables = words.read_tables(table, names)
    zone = words.clock_of(names, tables)
    on_screen = shows_on_screen(out) and chosen is Format.TABLE
    wanted = IncidentFilter(
        table=tables,
        dealer=tuple(map(check_unicode, dealer)),
        bettor=tuple(map(check_unicode, bettor)),
        code=codes,
        family=families,
        clause=tuple(check_unicode(one.strip()) for one in clause),
        rulebook=rulebooks,
        severity=severities,
        since=words.read_since(since, zone) if since else None,
        until=words.read_until(until, zone) if until else None,
        least_exposure=amount,
        text=check_unicode(text),
        order=Order(order),
        limit=limit_of(limit, ON_A_SCREEN if on_screen else ROWS),
    )
    totals = incident_totals(database, wanted)
    found = find_incidents(database, wanted)
    if on_screen:
        _show(found, totals, database)
    else:
        with opened_output(out) as stream:
            format_frame(_columns(found, chosen), chosen, stream)
        _tell_the_rest(found.height, totals, chosen)
    if not totals.found:
        for hint in words.who_is_unknown(database, wanted):
            click.echo(hint, err=True)
    sys.exit(VIOLATIONS if totals.violations else NOTHING_FOUND)


def _amount(text: str | None) -> Decimal | None:
    return None if text is None else abs(parse_amount(text))


def _columns(found: "pl.DataFrame", shape: Format) -> "pl.DataFrame":
    from audit.incident_page import plain_frame

    return plain_frame(found) if shape is Format.TABLE else found


def _tell_the_rest(shown: int, totals: "IncidentTotals", shape: Format) -> None:
    """Say on the side what a file or pipe does not hold."""
    from audit.incident_page import totals_line

    if shape is Format.TABLE:
        click.echo(totals_line(totals), err=True)
    if shown < totals.found:
        click.echo(_cut(shown, totals), err=True)


def _cut(shown: int, totals: "IncidentTotals") -> str:
    return f"only the first {shown:,} of {totals.found:,} are here: --limit all gives all of them"


def _show(found: "pl.DataFrame", totals: "IncidentTotals", database: Path) -> None:
    from audit.incident_page import incident_page, incidents_of, totals_line

    # Stored text is never markup: a bettor may be called [red].
    console = Console(file=sys.stdout, markup=False, emoji=False, highlight=False)
    listed = incidents_of(found)
    console.print(incident_page(listed))
    console.print(Text(totals_line(totals), style="bold"))
    if len(listed) < totals.found:
        console.print(Text(_cut(len(listed), totals), style="yellow"))
    if keyed := next((incident for incident in listed if incident.round is not None), None):
        words = ["catwalk", "explain", keyed.key, "--db", visible(str(database))]
        console.print(Text(shlex.join(words), style="dim"), soft_wrap=True)
