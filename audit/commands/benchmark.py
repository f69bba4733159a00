"""`catwalk benchmark`: how many planted faults are found, and how many clean rounds are accused."""

import json
import os
import sys
from dataclasses import asdict

import click
from rich.console import Console, Group
from rich.progress import track
from rich.table import Table
from rich.text import Text

from audit.benchmark import Result, Score, run_benchmark
from audit.rulebook_files import all_rulebooks, rulebook
from audit.simulation.nights import Left, NightPlan


@click.command()
@click.option("--tables", default=20, show_default=True, type=click.IntRange(1, 100_000))
@click.option(
    "--rounds",
    default=500,
    show_default=True,
    type=click.IntRange(1, 1_000_000),
    help="Rounds at each table.",
)
@click.option(
    "--faults",
    default=100.0,
    show_default=True,
    type=click.FloatRange(0, 1000),
    help="Faults in 1,000 rounds; 0 for clean nights.",
)
@click.option(
    "--rulebook",
    "rulebooks",
    multiple=True,
    metavar="ID",
    help="Only these games; usually all ten.",
)
@click.option(
    "--without",
    multiple=True,
    type=click.Choice([str(part) for part in Left]),
    help="What the logs do not tell, so that it has to be reconstructed.",
)
@click.option("--seed", default=1, show_default=True)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=lambda: os.cpu_count() or 1,
    show_default="one for each processor",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def benchmark(
    *,
    tables: int,
    rounds: int,
    faults: float,
    rulebooks: tuple[str, ...],
    without: tuple[str, ...],
    seed: int,
    jobs: int,
    as_json: bool,
) -> None:
    """Measure the audit on simulated nights of which the truth is known.

    Faults of every kind that suits a game are planted in otherwise lawful play; the same code that
    audits files judges the rounds. Printed are recall by kind, how often clause and money are
    right, and false alarms on rounds that nothing befell.

    \b
    catwalk benchmark                                     some thousand rounds of all ten games
    catwalk benchmark --faults 0 --tables 1000 --rounds 1000   a million clean rounds
    catwalk benchmark --rulebook rws-blackjack-v5 --seed 7
    catwalk benchmark --faults 0 --without rounds --without hands

    Exit status: 0 every fault was found and nobody accused wrongly, 1 otherwise.
    """
    names = tuple(rulebook(name).id for name in rulebooks) or tuple(all_rulebooks())
    plan = NightPlan(
        rulebooks=names,
        tables=tables,
        rounds=rounds,
        faults=faults,
        without=frozenset(map(Left, without)),
    )
    result = Result()
    bar = Console(stderr=True)
    parts = run_benchmark(plan, seed, jobs)
    silent = as_json or not sys.stderr.isatty()
    for part in track(parts, "auditing", total=tables, console=bar, disable=silent):
        result.add(part)
    if as_json:
        click.echo(json.dumps(asdict(result), indent=2))
    else:
        Console().print(_page(result))
    every = result.all_kinds()
    sys.exit(1 if result.accused or every.found < every.planted else 0)


def _page(result: Result) -> Group:
    parts: list[Table | Text] = []
    if result.kinds:
        table = Table(box=None, pad_edge=False)
        for name in ("code", "fault"):
            table.add_column(name, overflow="fold")
        for name in ("planted", "found", "recall", "clause", "money"):
            table.add_column(name, justify="right")
        for what, score in sorted(result.kinds.items(), key=lambda kind: (kind[1].code, kind[0])):
            table.add_row(score.code, what, *_figures(score))
        table.add_row(
            "all", f"{len(result.kinds)} kinds", *_figures(result.all_kinds()), style="bold"
        )
        parts += [table, Text()]
    parts.append(
        Text(
            f"{result.rounds:,} rounds, {result.judged:,} judged; of {result.clean:,} clean ones "
            f"{result.accused:,} accused wrongly ({_per_1000(result.accused, result)} in 1,000), "
            f"{result.doubted:,} handed to a person ({_per_1000(result.doubted, result)} in 1,000)"
        )
    )
    parts += [Text(f"  missed: {line}", style="yellow") for line in result.missed]
    parts += [Text(f"  accused: {line}", style="red") for line in result.false_alarms]
    return Group(*parts)


def _figures(score: Score) -> tuple[str, ...]:
    return (
        f"{score.planted:,}",
        f"{score.found:,}",
        _share(score.found, score.planted),
        _share(score.clause_right, score.found),
        _share(score.money_right, score.with_money),
    )


def _share(some: int, of: int) -> str:
    return f"{some / of:.2%}" if of else "–"


def _per_1000(some: int, result: Result) -> str:
    return f"{1000 * some / result.clean:.4f}" if result.clean else "–"
