"""`catwalk simulate`: nights of play that never were, with faults whose truth is known."""

import sys
from collections import Counter
from datetime import date, datetime
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from audit.errors import BadInput
from audit.rulebook_files import all_rulebooks
from audit.simulation.camera import Camera
from audit.simulation.log_files import FORMATS, Packing
from audit.simulation.night_faults import KINDS, kinds_named
from audit.simulation.night_files import NightFiles, Written, write_nights
from audit.simulation.nights import Left, NightPlan

PER_1000 = "PER_1000"


def _list_faults(ctx: click.Context, _option: click.Parameter, value: object) -> None:
    if not value or ctx.resilient_parsing:
        return
    width = max(len(kind.name) for kind in KINDS)
    click.echo(f"{'code':<6}  {'kind':<{width}}  {'game':<9}  befalls")
    for kind in sorted(KINDS, key=lambda kind: (kind.code, kind.name)):
        click.echo(f"{kind.code}  {kind.name:<{width}}  {kind.game or 'both':<9}  {kind.level}")
    ctx.exit()


@click.command()
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--rulebook",
    "rulebooks",
    multiple=True,
    metavar="ID",
    help="A game that is played; may be given again. Otherwise all ten, table by table.",
)
@click.option("--tables", default=10, show_default=True, metavar="N", help="How many tables.")
@click.option(
    "--rounds",
    default=200,
    show_default=True,
    metavar="N",
    help="How many rounds each table plays in a night.",
)
@click.option(
    "--hours", type=float, metavar="N", help="Close after so many hours, however many rounds."
)
@click.option(
    "--night", default="2026-03-08", show_default=True, metavar="DAY", help="The first night."
)
@click.option("--nights", default=1, show_default=True, metavar="N", help="How many nights.")
@click.option("--seed", default=1, show_default=True, help="Another seed is another casino.")
@click.option(
    "--faults",
    default=0.0,
    metavar=PER_1000,
    help="Faults in 1,000 rounds, of every kind alike. Without: none.",
)
@click.option(
    "--fault",
    "by_kind",
    multiple=True,
    metavar=f"KIND={PER_1000}",
    help="Faults of one kind, by its name or its code; may be given again.",
)
@click.option(
    "--list-faults",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_faults,
    help="Show the kinds of faults and end.",
)
@click.option(
    "--format",
    "shape",
    type=click.Choice([*FORMATS]),
    default="csv",
    show_default=True,
    help="The format of the logs.",
)
@click.option("--compress", type=click.Choice(["gz", "zst"]), help="Pack the files.")
@click.option("--one-file", is_flag=True, help="One file for each log, not for each table.")
@click.option(
    "--without",
    metavar="rounds,hands,calls",
    help="What the logs leave out: the round of a card, its hand, all calls.",
)
@click.option(
    "--unread", default=0.0, metavar=PER_1000, help="Cards in 1,000 that could not be read."
)
@click.option(
    "--doubtful", default=0.0, metavar=PER_1000, help="Cards in 1,000 that were read unsurely."
)
@click.option(
    "--duplicates", default=0.0, metavar=PER_1000, help="Rows in 1,000 that stand there twice."
)
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes at work."
)
@click.option("--force", is_flag=True, help="Replace what an earlier run left in OUT.")
def simulate(
    *,
    out: Path,
    rulebooks: tuple[str, ...],
    tables: int,
    rounds: int,
    hours: float | None,
    night: str,
    nights: int,
    seed: int,
    faults: float,
    by_kind: tuple[str, ...],
    shape: str,
    compress: str | None,
    one_file: bool,
    without: str | None,
    unread: float,
    doubtful: float,
    duplicates: float,
    jobs: int,
    force: bool,
) -> None:
    """Simulate nights of play at a casino, with faults whose truth is written down.

    OUT/inputs gets the logs of a casino as its systems would export them: card logs, bet ledgers,
    call logs and a table sheet for each table. OUT/truth.csv says which faults are in them: where,
    what was done wrong, the code and the clauses, and what it cost where that is plain.

    \b
    catwalk simulate night                              ten lawful tables, one of each game
    catwalk simulate night --tables 40 --faults 20      20 faults in 1,000 rounds, of every kind
    catwalk simulate night --fault PAY001=5 --fault a-winner-is-taken=2
    catwalk simulate night --rulebook mbs-blackjack-v6 --without rounds,hands
    catwalk simulate year --nights 365 --format parquet --jobs 8

    The same seed gives the same files, byte for byte. A table is made from the seed and its own
    number alone, so more tables or more nights leave those before them as they are.
    """
    plan = NightPlan(
        rulebooks=rulebooks or tuple(all_rulebooks()),
        tables=tables,
        rounds=rounds,
        hours=hours,
        night=_day(night),
        nights=nights,
        faults=faults,
        by_kind=_rates(by_kind),
        without=_left_out(without),
        camera=Camera(unread, doubtful),
    )
    files = NightFiles(shape, Packing(compress or "none"), one_file, duplicates)
    with _bar() as bar:
        task = bar.add_task("simulating", total=tables)
        written = write_nights(
            plan,
            seed,
            out,
            files,
            force=force,
            jobs=min(jobs, tables),
            step=lambda done: bar.advance(task, done),
        )
    _say(written, plan)


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
        transient=True,
    )


def _day(text: str) -> date:
    try:
        return datetime.strptime(text, "%Y-%m-%d").date()
    except ValueError:
        raise BadInput(f"{text!r} is not a day: write it like 2026-03-08") from None


def _rates(given: tuple[str, ...]) -> dict[str, float]:
    rates: dict[str, float] = {}
    for text in given:
        name, _, rate = text.rpartition("=")
        try:
            per_1000 = float(rate)
        except ValueError:
            raise BadInput(f"{text!r} is not a kind and a rate: write it like PAY001=5") from None
        kinds = kinds_named(name)
        rates |= {kind.what: per_1000 / len(kinds) for kind in kinds}
    return rates


def _left_out(text: str | None) -> frozenset[Left]:
    names = [name.strip().lower() for name in (text or "").split(",") if name.strip()]
    for name in names:
        if name not in set(Left):
            raise BadInput(f"logs cannot be without {name!r}: there are {', '.join(Left)}")
    return frozenset(Left(name) for name in names)


def _say(written: Written, plan: NightPlan) -> None:
    faults = Counter(fault.what for fault in written.truth)
    nights = "one night" if plan.nights == 1 else f"{plan.nights} nights"
    tables = "one table" if plan.tables == 1 else f"{plan.tables} tables"
    click.echo(f"{written.rounds:,} rounds at {tables} in {nights}")
    if faults:
        kinds = "one kind" if len(faults) == 1 else f"{len(faults)} kinds"
        click.echo(f"{faults.total():,} faults of {kinds}: {written.folder / 'truth.csv'}")
    click.echo(f"next: catwalk audit {written.inputs} --db night.duckdb")
