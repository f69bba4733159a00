"""How many rounds are placed exactly: `python -m tests.benchmarks.reconstruction`."""

import sys
from collections import Counter
from dataclasses import replace
from time import perf_counter

import click

from audit.observations import CallKind, Game
from audit.reconstruction import reconstruct
from audit.rulebook_files import rulebook
from tests.test_reconstruction import (
    BOOKS,
    accused,
    accused_for_certain,
    placed_exactly,
    shoes,
    stripped,
)

HEARD = (CallKind.HIT, CallKind.STAND)


def measure(name: str, rounds: int, *, calls: bool) -> None:
    """Deal shoes of one game, take rounds and hands from their card logs, and place them again."""
    counted: Counter[str] = Counter()
    spent = 0.0
    for dealt in shoes(name, "figures", rounds):
        rows = replace(
            dealt.rows,
            calls=tuple(replace(call, round=None) for call in dealt.rows.calls) if calls else (),
        )
        before = set(accused(dealt.rows, dealt.book, dealt.sheet))
        before |= set(accused(rows, dealt.book, dealt.sheet))
        began = perf_counter()
        read = reconstruct(stripped(rows, rounds=True, hands=True), dealt.book, dealt.sheet)
        spent += perf_counter() - began
        exact = placed_exactly(dealt.rows, read)
        numbers = {row.seq: row.round for row in read.rows.cards}
        for played in dealt.rounds:
            number = played.key.number if played.key else 0
            told = rulebook(name).game is Game.BACCARAT or any(played.called(*HEARD))
            counted["rounds"] += 1
            counted["exact"] += number in exact
            counted["numbered"] += all(numbers.get(seen.seq) == number for seen in played.cards)
            counted["told"] += told
            counted["told exactly"] += told and number in exact
        wrong = accused_for_certain(read, dealt.book, dealt.sheet) - before
        counted["accused"] += len(wrong)
        counted["left over"] += len(read.left_over)
    source = "calls" if calls else "ledger alone"
    click.echo(
        f"{name}, {source}: {counted['rounds']} rounds, {counted['numbered']} numbered right, "
        f"{counted['exact']} placed exactly, {counted['told exactly']} of {counted['told']} where "
        f"play was logged, {counted['accused']} wrongly accused, {counted['left over']} rows left "
        f"over, {1000 * spent / counted['rounds']:.0f} ms a round"
    )


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    for book in BOOKS:
        if only in book:
            measure(book, wanted, calls=True)
            measure(book, wanted, calls=False)
