"""How many rounds are placed exactly, and what the others are.

`python -m tests.benchmarks.reconstruction [ROUNDS] [RULEBOOK] [SEED]`
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from time import perf_counter

import click

from audit.assembly import TableHistory, rounds_of
from audit.findings import Severity
from audit.judge import judge_round
from audit.observations import CallKind, Game
from audit.reconstruction import Reconstructed, reconstruct
from audit.reconstruction.blackjack_facts import facts_of
from audit.reconstruction.blackjack_reading import RoundSearch, lawful_deals
from audit.reconstruction.evidence import gather
from audit.reconstruction.material import BURN, RoundRows, Setting, material_of
from audit.reconstruction.numbering import Numbering, Span
from audit.reconstruction.trial import Trial, tried
from audit.rulebook_files import rulebook
from audit.shoe_rows import CardRow, ShoeRows
from tests.test_reconstruction import BOOKS, Dealt, placed_exactly, shoes, stripped

HEARD = (CallKind.HIT, CallKind.STAND)
NOT_FOUND = 1_000_000
Said = frozenset[tuple[object, ...]]


class Placed(StrEnum):
    """What became of a round; what is said of it is settlements and findings."""

    EXACTLY = "exactly"
    TIE_SAME = "tie, the same is said"
    TIE_IN_DOUBT = "tie, left in doubt what is not the same"
    OUTWEIGHED_SAME = "outweighed, the same is said"
    OUTWEIGHED = "outweighed, nobody accused for it"
    WRONG = "wrong"
    LEFT_OVER = "left over"
    ACCUSED = "wrongly accused"


MEANING = {
    Placed.TIE_SAME: "cards, order, ledger and calls fit the truth and the reading equally",
    Placed.OUTWEIGHED: "something lawful that no log tells makes the truth look the worse",
    Placed.WRONG: "the evidence speaks for the truth, or the round was cut in the wrong place",
}


@dataclass(frozen=True, slots=True)
class Question:
    """A shoe of which the truth is known, as it was handed over, and as it was read."""

    dealt: Dealt
    handed_over: ShoeRows
    read: Reconstructed

    def classified(self) -> Iterator[tuple[int, Placed]]:
        """Say what became of each round."""
        exact = placed_exactly(self.dealt.rows, self.read)
        true = dict(_judged(self.dealt, self._with_true_hands()))
        found = dict(_judged(self.dealt, self.read.rows))
        for played in self.dealt.rounds:
            number = played.key.number if played.key else 0
            said, due = found.get(number, frozenset()), true.get(number, frozenset())
            certain = accusations(said).intersection(
                *(accusations(other) for other in self._said_otherwise(number))
            )
            if certain - accusations(due):
                yield number, Placed.ACCUSED
            elif number in exact:
                yield number, Placed.EXACTLY
            else:
                yield number, self._weighed(number, same=said == due)

    def _with_true_hands(self) -> ShoeRows:
        """Give the cards their hands, and nothing else that was not handed over."""
        calls = {row.ts: row.round for row in self.dealt.rows.calls}
        return replace(
            self.handed_over,
            cards=self.dealt.rows.cards,
            calls=tuple(replace(row, round=calls[row.ts]) for row in self.handed_over.calls),
        )

    def _said_otherwise(self, number: int) -> Iterator[Said]:
        for cards in self.read.others.get(number, ()):
            kept = tuple(row for row in self.read.rows.cards if row.round != number)
            rows = replace(self.read.rows, cards=(*kept, *cards))
            yield from (said for own, said in _judged(self.dealt, rows) if own == number)

    def _weighed(self, number: int, *, same: bool) -> Placed:
        """Compare what the evidence has against the truth and against what was read."""
        truth = [row for row in self.dealt.rows.cards if row.round == number]
        got = [row for row in self.read.rows.cards if row.round == number]
        if {row.seq for row in truth} & {row.seq for row, _ in self._cards_left_over()}:
            return Placed.LEFT_OVER
        if [row.seq for row in truth] != [row.seq for row in got]:
            return Placed.WRONG
        rows = self._rows(number, truth)
        setting = Setting(self.dealt.book, self.dealt.sheet)
        for_truth, for_read = (_weigh(rows, cards, setting) for cards in (truth, got))
        if for_truth.doubt == NOT_FOUND or for_truth.rank < for_read.rank:
            return Placed.WRONG
        if for_truth.rank == for_read.rank:
            return Placed.TIE_SAME if same else Placed.TIE_IN_DOUBT
        return Placed.OUTWEIGHED_SAME if same else Placed.OUTWEIGHED

    def _cards_left_over(self) -> Iterator[tuple[CardRow, str]]:
        for row, why in self.read.left_over:
            if isinstance(row, CardRow):
                yield row, why

    def _rows(self, number: int, truth: list[CardRow]) -> RoundRows:
        """Gather a round as the search would have it if it were cut rightly."""
        material = material_of(self.handed_over)
        evidence = gather(material, material.cards, len(self.dealt.rounds))
        places = {row.seq: place for place, row in enumerate(material.cards)}
        span = Span(places[truth[0].seq], places[truth[-1].seq] + 1, number)
        setting = Setting(self.dealt.book, self.dealt.sheet)
        rows = Numbering(material, material.cards, evidence, setting).rows(span)
        burnt = {row.seq for row in truth if row.hand == BURN}
        cards = (replace(row, hand=BURN) if row.seq in burnt else row for row in rows.cards)
        return replace(rows, cards=tuple(cards), first_of_shoe=not span.start)


def _weigh(rows: RoundRows, cards: list[CardRow], setting: Setting) -> Trial:
    """Say what speaks against one placement, whether or not the search came upon it."""
    hands = tuple(row.hand or "" for row in cards)
    pairs = zip(rows.cards, hands, strict=True)
    labelled = replace(rows, cards=tuple(replace(row, hand=hand) for row, hand in pairs))
    facts = facts_of(labelled, setting.sheet)
    wanted = [str(hand) for hand in facts.known]
    search = RoundSearch(facts, setting.book)
    costs = [
        reading.cost
        for deal in lawful_deals(facts)
        for found in search.readings(deal)
        for reading in found
        if [str(hand) for hand in reading.hands] == wanted
    ]
    cost = 0 if rows.is_void else tried(rows, hands, setting).cost
    return Trial(hands, cost, doubt=min(costs, default=NOT_FOUND))


def accusations(said: Said) -> Said:
    """Name the violations, whatever money they come to."""
    return frozenset(what[:-1] for what in said if what[1] is Severity.VIOLATION)


def _judged(dealt: Dealt, rows: ShoeRows) -> Iterator[tuple[int, Said]]:
    for played in rounds_of(rows, dealt.book.game, dealt.sheet, TableHistory()):
        yield (
            played.key.number if played.key else 0,
            frozenset(
                (found.code, found.severity, found.hand, found.bettor, found.wager, found.exposure)
                for found in judge_round(played, dealt.book, dealt.sheet)
            ),
        )


def measure(name: str, rounds: int, seed: str, *, calls: bool) -> None:
    """Deal shoes of one game, take rounds and hands from their card logs, and place them again."""
    counted: Counter[Placed] = Counter()
    logged: Counter[bool] = Counter()
    numbered = left_over = 0
    spent = 0.0
    for dealt in shoes(name, seed, rounds):
        heard = tuple(replace(call, round=None) for call in dealt.rows.calls) if calls else ()
        handed_over = stripped(replace(dealt.rows, calls=heard), rounds=True, hands=True)
        began = perf_counter()
        read = reconstruct(handed_over, dealt.book, dealt.sheet)
        spent += perf_counter() - began
        numbers = {row.seq: row.round for row in read.rows.cards}
        left_over += len(read.left_over)
        became = dict(Question(dealt, handed_over, read).classified())
        counted.update(became.values())
        for played in dealt.rounds:
            number = played.key.number if played.key else 0
            numbered += all(numbers.get(seen.seq) == number for seen in played.cards)
            if rulebook(name).game is Game.BACCARAT or any(played.called(*HEARD)):
                logged[became[number] is Placed.EXACTLY] += 1
    source = "calls" if calls else "ledger alone"
    click.echo(
        f"{name}, {source}: {counted.total()} rounds, {numbered} numbered right, "
        f"{logged[True]} of {logged.total()} placed exactly where play was logged, "
        f"{left_over} rows left over, {1000 * spent / counted.total():.0f} ms a round"
    )
    for kind in Placed:
        if counted[kind] or kind in (Placed.WRONG, Placed.LEFT_OVER, Placed.ACCUSED):
            why = f": {MEANING[kind]}" if kind in MEANING else ""
            click.echo(f"  {counted[kind]:5} {kind}{why}")


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    night = sys.argv[3] if len(sys.argv) > 3 else "figures"
    for book in BOOKS:
        if only in book:
            measure(book, wanted, night, calls=True)
            measure(book, wanted, night, calls=False)
