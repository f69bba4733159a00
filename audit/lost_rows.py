"""Rows that cannot be used: which rounds lack them, so that nobody is accused by what is left.

A row that was refused was there all the same. Without it the rest of its round is incomplete: the
dealer seems to have skipped a card, or to have dealt to a box on which nobody wagered. So every
card of a round that may lack a row carries a doubt, which the judge heeds. The scope is the
smallest that is surely safe:

- the round that the row names; for a card that names none, the rounds beside its number;
- else the rounds that were dealt at its time, or before and after it;
- else the whole shoe; and where the row names no shoe, or no table, all of which its file tells;
- always the whole shoe where the device does not number rounds: by one row more or less, all of
  them may have been cut otherwise.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter
from typing import TypeVar

import polars as pl

from audit.findings import reasons_for_doubt
from audit.hands import Place
from audit.observations import CallKind
from audit.shoe_rows import ROUND_KEY, SHOE_KEY, CardRow, LostRow, ShoeRows

MOST_APART = 100
"""So many rows of a file that name no table are looked at one by one."""
_ASIDE = (str(Place.BURN), str(Place.DISCARD))
_COLUMNS = ("is_card", "why", "source", "round", "seq", "first", "last")


# To which tables and shoes they may belong


class _Known:
    """The shoes that files tell of."""

    def __init__(self, shoes_of_files: pl.DataFrame) -> None:
        self.by_file: dict[str, dict[str, list[str]]] = {}
        self.by_table: dict[str, list[str]] = {}
        for source, table, shoe in shoes_of_files.select("source", *SHOE_KEY).iter_rows():
            here = self.by_file.setdefault(source, {}).setdefault(table, [])
            every = self.by_table.setdefault(table, [])
            if shoe is not None:
                here.append(shoe)
                every.append(shoe)

    def tables(self, source: str, words: Set[str]) -> list[str]:
        """Name the tables that the words of a line may name."""
        here = self.by_file.get(source, {}).keys() & words
        return sorted(here or self.by_table.keys() & words)

    def shoes(self, source: str, table: str, words: Set[str]) -> list[str] | None:
        """Name the shoes of a table that a row may be of; None: any."""
        every = self.by_table.get(table, ())
        named = [shoe for shoe in dict.fromkeys(every) if shoe in words]
        return named or self.by_file.get(source, {}).get(table) or None


def with_tables(lost: pl.DataFrame, shoes_of_files: pl.DataFrame) -> pl.DataFrame:
    """Give each lost row to every table, and there to every shoe, that it may belong to."""
    named = pl.col("table_id").is_not_null() & pl.col("shoes").is_not_null()
    told, untold = lost.filter(named), lost.remove(named)
    meant = pl.DataFrame(_meant(untold, _Known(shoes_of_files)), schema=_MEANT, orient="row")
    placed = untold[meant["place"]].with_columns(meant["table_id"], meant["shoes"])
    any_time = [
        pl.when(~meant["any_time"]).then(name).alias(name)
        for name in ("round", "seq", "first", "last")
    ]
    return pl.concat([told, placed.with_columns(any_time)]).sort("source", "row", "table_id")


_MEANT = {
    "place": pl.Int64(),
    "table_id": pl.String(),
    "shoes": pl.List(pl.String()),
    "any_time": pl.Boolean(),
}


def _meant(
    untold: pl.DataFrame, known: _Known
) -> Iterator[tuple[int, str, list[str] | None, bool]]:
    """Name tables and shoes of rows that lack one of them; of very many, one stands for the rest.

    That one may then belong to any round of any table of its file.
    """
    nameless: Counter[str] = Counter()
    for place, (source, own, said) in enumerate(
        untold.select("source", "table_id", "words").iter_rows()
    ):
        words = frozenset(said or ())
        tables = known.tables(source, words) if own is None else [own]
        any_time = False
        if not tables:
            nameless[source] += 1
            if nameless[source] > MOST_APART:
                continue
            any_time = nameless[source] == MOST_APART
            tables = list(known.by_file.get(source, ()))
        for table in tables:
            yield place, table, known.shoes(source, table, words), any_time


@dataclass(frozen=True, slots=True)
class _Dealt:
    """A shoe, and from when to when its cards were dealt."""

    shoe: str
    first: datetime
    last: datetime


def lost_by_shoe(
    lost: pl.DataFrame, cards: pl.DataFrame
) -> dict[tuple[str, str], tuple[LostRow, ...]]:
    """Give each shoe the rows that it may lack.

    A dealer who came in is nobody's round: `unnamed_dealers` sees to that.
    """
    if lost.is_empty():
        return {}
    dealt = _dealt(cards)
    found: dict[tuple[str, str], list[LostRow]] = defaultdict(list)
    of_rounds = lost.filter(pl.col("call").ne_missing(str(CallKind.DEALER_IN)))
    for table, shoes, *told in of_rounds.select("table_id", "shoes", *_COLUMNS).iter_rows():
        row = LostRow(*told)
        for shoe in _at_the_time(row, dealt.get(table, ()), shoes):
            found[table, shoe].append(row)
    return {key: tuple(rows) for key, rows in found.items()}


def _dealt(cards: pl.DataFrame) -> dict[str, list[_Dealt]]:
    spans = (
        cards.group_by(SHOE_KEY)
        .agg(first=pl.col("ts").min(), last=pl.col("ts").max())
        .sort("first", "shoe")
    )
    dealt: dict[str, list[_Dealt]] = defaultdict(list)
    for table, *span in spans.iter_rows():
        dealt[table].append(_Dealt(*span))
    return dealt


def _at_the_time(
    row: LostRow, dealt: Sequence[_Dealt], shoes: Sequence[str] | None
) -> Iterator[str]:
    """Name the shoes that were dealt at the time of a row, or before and after it."""
    possible = [one for one in dealt if shoes is None or one.shoe in shoes]
    if row.first is None or row.last is None or len(possible) == 1:
        yield from (one.shoe for one in possible)
        return
    during = [one for one in possible if one.first <= row.last and row.first <= one.last]
    if not during:
        before = [one for one in possible if one.last < row.first]
        after = [one for one in possible if one.first > row.last]
        during = before[-1:] + after[:1]
    yield from (one.shoe for one in during)


def unnamed_dealers(lost: pl.DataFrame, cards: pl.DataFrame) -> pl.DataFrame:
    """Say from when on it is not known who dealt at a table, since a dealer's coming in was lost.

    Where its time was lost, that is from the beginning of the round or of the shoes it may be of.
    """
    came_in = lost.filter(pl.col("call") == CallKind.DEALER_IN)
    if came_in.is_empty():
        return came_in.select("table_id", ts="first")
    began = (
        came_in.filter(pl.col("first").is_null())
        .select("table_id", "round", shoe="shoes")
        .explode("shoe")
        .join(cards, on="table_id", suffix="_of")
        .filter(
            (pl.col("shoe") == pl.col("shoe_of")).fill_null(value=True),
            (pl.col("round") == pl.col("round_of")).fill_null(value=True),
        )
        .group_by("table_id", "shoe", "round")
        .agg(pl.col("ts").min())
    )
    timed = came_in.drop_nulls("first").select("table_id", ts="first")
    return pl.concat([timed, began.select("table_id", "ts")])


# Which rounds lack them


def doubts_of(rows: ShoeRows, logged: ShoeRows) -> dict[int, str]:
    """Say of the rounds of a shoe that may lack a row why they are in doubt.

    `rows` have their rounds; `logged` is the shoe as its devices told it.
    """
    numbers = {row.round for row in rows.cards if row.round is not None}
    lacking: dict[int, list[LostRow]] = defaultdict(list)
    if not _device_numbers_rounds(logged):
        lacking |= {number: list(rows.lost) for number in numbers}
    else:
        placed = Placed(rows.cards)
        for lost in rows.lost:
            for number in numbers.intersection(row.round for row in placed.beside(lost)):
                lacking[number].append(lost)
    return {
        number: reasons_for_doubt(row.why for row in lost)
        for number, lost in sorted(lacking.items())
    }


def _device_numbers_rounds(rows: ShoeRows) -> bool:
    unnumbered = (row.round is None and row.hand not in _ASIDE for row in rows.cards)
    return not any(unnumbered) and all(row.round is not None for row in rows.wagers)


class Placed:
    """The cards of a log, to find those that a lost row may have lain among."""

    def __init__(self, cards: Iterable[CardRow]) -> None:
        every = sorted(cards, key=attrgetter("seq"))
        # What is burnt or counted out names no round: it belongs to the first, or to the last.
        self.by_seq = [row for row in every if row.round is not None] or every
        self.by_time = sorted(self.by_seq, key=attrgetter("ts"))
        self.seqs = [row.seq for row in self.by_seq]
        self.times = [row.ts for row in self.by_time]
        self.of_round: dict[int | None, list[CardRow]] = defaultdict(list)
        for row in self.by_seq:
            self.of_round[row.round].append(row)

    def beside(self, lost: LostRow) -> Sequence[CardRow]:
        """Find the cards of the rounds that may lack a row."""
        if lost.beside is not None:
            return [row for row in self.by_seq if row.seq in lost.beside]
        if lost.round is not None and (lost.round in self.of_round or not lost.is_card):
            return self.of_round.get(lost.round, ())
        if lost.seq is not None:
            return _around(self.by_seq, self.seqs, lost.seq, lost.seq)
        if lost.first is not None and lost.last is not None:
            return _around(self.by_time, self.times, lost.first, lost.last)
        return self.by_seq


Key = TypeVar("Key", int, datetime)


def _around(
    cards: Sequence[CardRow], keys: Sequence[Key], first: Key, last: Key
) -> Sequence[CardRow]:
    """Give the cards from one place to another, with the last before and the first after them."""
    start, end = bisect_left(keys, first), bisect_right(keys, last)
    return cards[max(0, start - 1) : end + 1]


def with_doubts(cards: Iterable[CardRow], doubts: Mapping[int, str]) -> tuple[CardRow, ...]:
    """Let every card of a round in doubt say so."""
    return tuple(
        row
        if row.round is None or row.round not in doubts
        else replace(row, doubt=both(row.doubt, doubts[row.round]))
        for row in cards
    )


def both(doubt: str, other: str) -> str:
    """Join two doubts; one that was said already is not said again."""
    if not doubt or not other:
        return doubt or other
    return doubt if other in doubt else f"{doubt}; {other}"


def stored_with_doubts(
    cards: pl.DataFrame, doubts: Mapping[tuple[str, str], Mapping[int, str]]
) -> pl.DataFrame:
    """Let every card that is stored of a round in doubt say so; `doubts` are by shoe and round."""
    if not doubts:
        return cards
    said = [
        both(doubt or "", doubts.get((table, shoe), {}).get(number, "")) or None
        for table, shoe, number, doubt in cards.select(*ROUND_KEY, "doubt").iter_rows()
    ]
    return cards.with_columns(doubt=pl.Series(said, dtype=pl.String))
