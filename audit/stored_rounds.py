"""One round out of the audit database, with what was found in it and what lay around it.

The round is put together from the stored rows of its whole shoe by the same `rounds_of` that the
audit uses, so it knows the cards that followed, its dealer and what earlier rounds let through.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from audit.assembly import TableHistory, rounds_of
from audit.cards import Card, Unread, parse_card
from audit.errors import BadInput, BadTableSheet, CatwalkError
from audit.findings import Severity
from audit.hands import parse_hand
from audit.money import CENT
from audit.notation import format_counted_anew
from audit.observations import CardSeen, Game
from audit.round_keys import check_key
from audit.rounds import Round, RoundKey
from audit.rulebook import Rulebook
from audit.rulebook_files import rulebook
from audit.shoe_rows import CallRow, CardRow, ShoeRows, WagerRow
from audit.store import Opinion, Review, Store
from audit.table_sheet import TableSheet, plain_sheet, read_table_sheet, rulebook_at
from audit.visible import visible

CARDS_AROUND = 6
"""How many cards of the shoe are shown before the round, and how many after it."""
_NO_MOMENT = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """A finding as it is stored, with what people made of it."""

    finding_id: str
    code: str
    severity: str
    rulebook: str
    clause: str
    hand: str
    bettor: str
    wager: str
    expected: str
    observed: str
    exposure: Decimal | None
    confidence: float
    evidence: str
    withdrawn: bool
    reviews: tuple[Review, ...] = ()

    @property
    def stands(self) -> bool:
        dismissed = bool(self.reviews) and self.reviews[-1].verdict == Opinion.DISMISSED
        return not self.withdrawn and not dismissed


@dataclass(frozen=True, slots=True)
class CardOfShoe:
    """A card before or after the round."""

    seq: int
    card: Card | Unread
    hand: str
    round: int | None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The round before or after, by its cards alone."""

    number: int
    line: str
    outcome: str
    standing: int
    """How many findings stand against it."""


@dataclass(frozen=True, slots=True)
class Footage:
    """Where to look: a file, and its seconds from the first card of the round to the last."""

    file: str
    from_s: float
    to_s: float


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A row of `rounds`, without the line that only some rounds have."""

    number: int
    ts: datetime | None
    rulebook: str
    """By which it was judged when it was stored."""
    dealer: str
    outcome: str
    judged: bool
    unjudged: str
    """Why it could not be judged."""
    reconstructed: bool


@dataclass(frozen=True, slots=True)
class StoredRound:
    key: RoundKey
    row: RoundRow
    round: Round | None
    """None: its rows cannot be put together, and `trouble` says why."""
    trouble: str
    book: Rulebook | None
    sheet: TableSheet | None
    zone: tzinfo
    """The clock of the table."""
    cards: tuple[CardSeen, ...]
    findings: tuple[StoredFinding, ...]
    before: tuple[CardOfShoe, ...]
    after: tuple[CardOfShoe, ...]
    previous: Neighbour | None
    next: Neighbour | None
    footage: tuple[Footage, ...]

    @property
    def standing_violation(self) -> bool:
        return any(f.stands and f.severity == Severity.VIOLATION for f in self.findings)


def load_round(path: Path, key: RoundKey) -> StoredRound:
    """Load one round with its findings, their reviews and the shoe around it."""
    with Store(path).reading() as connection:
        check_key(connection, key)
        rows = _shoe_rows(connection, key)
        rounds = tuple(_round_rows(connection, key))
        row = next(row for row in rounds if row.number == key.number)
        basis = _basis(key, row, _sheet_text(connection, key))
        before_shoe = _let_through_before(connection, key, basis.sheet)
        standing = _standing(connection, key)
        findings = tuple(_findings(connection, key))
    shoe = _put_together(rows, basis, before_shoe)
    cards = shoe.cards(key.number)
    before, after = _around(rows, cards)
    place = rounds.index(row)
    neighbours = [
        Neighbour(
            other.number,
            cards_on_one_line(shoe.cards(other.number), basis.book),
            other.outcome,
            standing.get(other.number, 0),
        )
        if other
        else None
        for other in (
            rounds[place - 1] if place else None,
            rounds[place + 1] if place + 1 < len(rounds) else None,
        )
    ]
    played = shoe.played.get(key.number)
    return StoredRound(
        key=key,
        row=row,
        round=replace(played, dealer=row.dealer or None) if played else None,
        trouble="" if played else shoe.why_not(key.number),
        book=basis.book,
        sheet=basis.sheet,
        zone=basis.zone,
        cards=cards,
        findings=findings,
        before=before,
        after=after,
        previous=neighbours[0],
        next=neighbours[1],
        footage=tuple(_footage(cards)),
    )


# What is stored of a shoe


def _fetched(
    connection: duckdb.DuckDBPyConnection, sql: str, values: list[str | int | Decimal]
) -> list[tuple[Any, ...]]:
    # A frame has moments in zones of the standard library; the engine's own rows ask for pytz.
    rows: list[tuple[Any, ...]] = connection.sql(sql, params=values).pl().rows()
    return rows


def _round_rows(connection: duckdb.DuckDBPyConnection, key: RoundKey) -> Iterator[RoundRow]:
    for row in _fetched(
        connection,
        """
        SELECT round, ts, coalesce(rulebook, ''), coalesce(dealer, ''), coalesce(outcome, ''),
               judged, coalesce(unjudged, ''), coalesce(reconstructed, false)
        FROM rounds WHERE table_id = ? AND shoe = ? ORDER BY round
        """,
        [key.table_id, key.shoe],
    ):
        yield RoundRow(*row)


def _sheet_text(connection: duckdb.DuckDBPyConnection, key: RoundKey) -> str:
    sheets = _fetched(connection, "SELECT sheet FROM tables WHERE table_id = ?", [key.table_id])
    return str(sheets[0][0]) if sheets else ""


def _standing(connection: duckdb.DuckDBPyConnection, key: RoundKey) -> dict[int, int]:
    counted = _fetched(
        connection,
        """
        SELECT round, count(*) FROM standing
        WHERE table_id = ? AND shoe = ? AND round IS NOT NULL GROUP BY round
        """,
        [key.table_id, key.shoe],
    )
    return dict(counted)


def _let_through_before(
    connection: duckdb.DuckDBPyConnection, key: RoundKey, sheet: TableSheet | None
) -> set[str]:
    """Name bettors whose wager under the minimum was settled in an earlier shoe of the same run."""
    found: set[str] = set()
    for kind, limit in sheet.limits.items() if sheet else ():
        if limit.min is not None:
            rows = _fetched(
                connection,
                """
                SELECT DISTINCT coalesce(wagers.bettor, '')
                FROM shoes AS this
                JOIN shoes AS earlier ON earlier.table_id = this.table_id
                    AND earlier.run_id = this.run_id AND earlier.first_ts < this.first_ts
                JOIN wagers ON wagers.table_id = earlier.table_id AND wagers.shoe = earlier.shoe
                WHERE this.table_id = ? AND this.shoe = ? AND wager = ? AND stake < ? AND net <> 0
                """,
                [key.table_id, key.shoe, str(kind), limit.min],
            )
            found |= {bettor for (bettor,) in rows}
    return found


def _shoe_rows(connection: duckdb.DuckDBPyConnection, key: RoundKey) -> ShoeRows:
    shoe: list[str | int | Decimal] = [key.table_id, key.shoe]
    cards: list[CardRow] = []
    for row in _fetched(
        connection,
        """
        SELECT round, seq, card, hand, ts, coalesce(confidence, 1), coalesce(alternatives, ''),
               at_s, footage, coalesce(doubt, '')
        FROM cards WHERE table_id = ? AND shoe = ? ORDER BY seq
        """,
        shoe,
    ):
        card = CardRow(*row)
        before = cards[-1].ts if cards else _NO_MOMENT
        cards.append(card if row[4] else replace(card, ts=before))
    wagers = [
        WagerRow(number, bettor, wager, _cents(stake), None if net is None else _cents(net), *rest)
        for number, bettor, wager, stake, net, *rest in _fetched(
            connection,
            """
            SELECT round, coalesce(bettor, ''), wager, stake, net, box, hand, placed_at,
                   settled_at, on_behalf_of
            FROM wagers WHERE table_id = ? AND shoe = ? ORDER BY round, place
            """,
            shoe,
        )
    ]
    calls = [
        CallRow(ts or _NO_MOMENT, *rest)
        for ts, *rest in _fetched(
            connection,
            """
            SELECT ts, call, round, hand, coalesce(bettor, ''), coalesce(value, '')
            FROM calls WHERE table_id = ? AND shoe = ? ORDER BY round, place
            """,
            shoe,
        )
    ]
    return ShoeRows(key.table_id, key.shoe, tuple(cards), tuple(wagers), tuple(calls))


def _cents(amount: Decimal) -> int:
    return int(amount / CENT)


def _findings(connection: duckdb.DuckDBPyConnection, key: RoundKey) -> Iterator[StoredFinding]:
    place: list[str | int | Decimal] = [key.table_id, key.shoe, key.number]
    reviews: dict[str, list[Review]] = {}
    for row in _fetched(
        connection,
        """
        SELECT reviews.* FROM reviews JOIN findings USING (finding_id)
        WHERE table_id = ? AND shoe = ? AND round = ? ORDER BY review_id
        """,
        place,
    ):
        review = Review(*row)
        reviews.setdefault(review.finding_id, []).append(review)
    for row in _fetched(
        connection,
        """
        SELECT finding_id, code, severity, rulebook, clause, coalesce(hand, ''),
               coalesce(bettor, ''), coalesce(wager, ''), expected, observed, exposure,
               confidence, evidence, withdrawn
        FROM findings WHERE table_id = ? AND shoe = ? AND round = ?
        ORDER BY withdrawn, severity = 'note', severity = 'review', code, finding_id
        """,
        place,
    ):
        yield replace(StoredFinding(*row), reviews=tuple(reviews.get(row[0], ())))


# The round as the audit saw it


@dataclass(frozen=True, slots=True)
class _Basis:
    """By what a round is judged; without a rulebook, why there is none."""

    book: Rulebook | None
    sheet: TableSheet | None
    zone: tzinfo
    trouble: str = ""


def _basis(key: RoundKey, row: RoundRow, sheet_text: str) -> _Basis:
    """Find the rulebook by the stored sheet at the round's time, or else the one that is stored."""
    sheet: TableSheet | None = None
    zone: tzinfo = UTC
    trouble = f"no table sheet of {visible(key.table_id)} is stored"
    try:
        if sheet_text:
            sheet = read_table_sheet(sheet_text, f"the stored sheet of {visible(key.table_id)}")
            zone, trouble = sheet.timezone, "it is not known when the round began"
            if row.ts is not None:
                return _Basis(rulebook_at(sheet, row.ts), sheet, zone)
    except BadTableSheet as problem:
        trouble = str(problem)
    if not row.rulebook:
        return _Basis(None, sheet, zone, trouble)
    try:
        book = rulebook(row.rulebook)
    except BadInput as problem:
        return _Basis(None, sheet, zone, str(problem))
    return _Basis(book, sheet or plain_sheet(book.id, table=key.table_id), zone)


@dataclass(frozen=True, slots=True)
class _Shoe:
    """A shoe put together: its rounds, and why some of its rows are none."""

    rows: ShoeRows
    played: Mapping[int, Round]
    impossible: Mapping[int, str]
    trouble: str = ""

    def cards(self, number: int) -> tuple[CardSeen, ...]:
        """Give the cards of a round, of one that cannot be put together as they are stored."""
        if number in self.played:
            return self.played[number].cards
        return tuple(
            CardSeen(
                row.seq,
                parse_card(row.card),
                parse_hand(row.hand) if row.hand else None,
                row.confidence,
                ts=row.ts,
                at_s=row.at_s,
                footage=row.footage,
            )
            for row in self.rows.cards
            if row.round == number
        )

    def why_not(self, number: int) -> str:
        """Say why a round is not among those that were put together."""
        no_rows = "neither a card nor a wager of it is stored"
        return self.trouble or self.impossible.get(number, no_rows)


def _put_together(rows: ShoeRows, basis: _Basis, let_through: Set[str]) -> _Shoe:
    if basis.book is None or basis.sheet is None:
        return _Shoe(rows, {}, {}, basis.trouble)
    impossible: dict[int, str] = {}
    history = TableHistory(let_through=set(let_through))
    try:
        rounds = rounds_of(rows, basis.book.game, basis.sheet, history, impossible=impossible)
        played = {round_.key.number: round_ for round_ in rounds if round_.key}
    except (CatwalkError, ValueError) as problem:
        return _Shoe(rows, {}, {}, str(problem))
    return _Shoe(rows, played, impossible)


def _around(
    rows: ShoeRows, cards: Sequence[CardSeen]
) -> tuple[tuple[CardOfShoe, ...], tuple[CardOfShoe, ...]]:
    if not cards:
        return (), ()
    others = [
        CardOfShoe(row.seq, parse_card(row.card), row.hand or "", row.round) for row in rows.cards
    ]
    before = [other for other in others if other.seq < cards[0].seq]
    after = [other for other in others if other.seq > cards[-1].seq]
    return tuple(before[-CARDS_AROUND:]), tuple(after[:CARDS_AROUND])


def cards_on_one_line(cards: Sequence[CardSeen], book: Rulebook | None) -> str:
    """Write cards by hand, P 2H 3D / B KS 6S; or one after the other where hands are unknown."""
    try:
        return format_counted_anew(Round(book.game if book else Game.BACCARAT, tuple(cards)))
    except BadInput:
        return " ".join(str(seen.card) for seen in cards)


def _footage(cards: Sequence[CardSeen]) -> Iterator[Footage]:
    seconds: dict[str, list[float]] = {}
    for seen in cards:
        if seen.footage and seen.at_s is not None:
            seconds.setdefault(seen.footage, []).append(seen.at_s)
    for file, times in seconds.items():
        yield Footage(file, min(times), max(times))
