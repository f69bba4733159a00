"""A night in an audit database, made from rounds: what the tests of questions ask about."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

import polars as pl

from audit.assembly import TableHistory, rounds_of
from audit.findings import Finding
from audit.judge import judge_round
from audit.notation import format_round, parse_round
from audit.rounds import Round
from audit.rulebook import Rulebook
from audit.rulebook_files import rulebook
from audit.shoe_rows import CallRow, CardRow, ShoeRows, WagerRow
from audit.simulation.shoe import shuffled_shoe
from audit.simulation.table import rounds_of_a_shoe, simulated_sheet
from audit.store import KnownTable, ShoeBatch, Store
from audit.table_sheet import TableSheet, read_table_sheet

EVENING = datetime(2026, 3, 1, 20, 0, tzinfo=UTC)
"""Four in the morning of the second of March, on the clock of the tables."""
HOSTILE = (
    "[red]eve[/red]\x1b[31m\n[link=file:///etc/passwd]x[/link]\u202e'; DROP TABLE findings; --"
)

BACCARAT = "mbs-fortune-six-baccarat-v6"
BLACKJACK = "mbs-blackjack-v6"
BACCARAT_LINES = (
    "burn 9D / P 9H KD / B 4C 5S | alice:tie 25=+200, bob:player 100=0, outcome tie",
    "P 2H 3D 7C / B KS 6S | alice:banker 100=+95, bob:tie 25=-25, outcome banker",
    "P 8H KC / B 4C 3S | alice:player 100=+100, bob:tie 25=-25, outcome player",
    "P 9S KD / B 4H 5D | alice:tie 25=+225, bob:player 100=0, outcome tie",
    "P ?? 3D / B KS 7S | alice:player 50=-50",
    "P 4S 2D / B 9C KH | alice:player 50=-50, carol:banker 200=+100",
)
BLACKJACK_LINES = (
    "1 8H 8S split 3D double TC / 1.2 TC stand / 2 KH 9D stand / D 7C TH"
    " | alice:main@1 100=+100, alice:double@1 100=+100, alice:split@1.2 100=+100,"
    " bob:main@2 50=+50",
    "1 KH 6D stand / D 9S 6C 8H | alice:main@1 100=+100",
    "1 AS KD / D 9H TC | alice:main@1 100=+100",
)


def sheet_text(table: str, book: str, *, limits: str = "") -> str:
    return (
        f'table = "{table}"\ntimezone = "Asia/Singapore"\ndecks = 8\n\n[[game]]\n'
        f'rulebook = "{book}"\nfrom = 2026-01-01T06:00:00+08:00\n{limits}'
    )


def rows_of(table: str, shoe: str, rounds: Iterable[Round], began: datetime = EVENING) -> ShoeRows:
    """Write rounds down as the sources would have, one minute for each."""
    cards: list[CardRow] = []
    wagers: list[WagerRow] = []
    calls: list[CallRow] = []
    for number, played in enumerate(rounds, 1):
        start = began + number * timedelta(minutes=1)
        times = [start + place * timedelta(seconds=2) for place in range(len(played.cards))]

        def after(dealt: int, times: Sequence[datetime] = times) -> datetime:
            return (
                times[dealt - 1] + timedelta(seconds=1)
                if dealt
                else times[0] - timedelta(seconds=1)
            )

        for seen, ts in zip(played.cards, times, strict=True):
            seconds = (ts - began).total_seconds()
            readings = " ".join(f"{card}:{share}" for card, share in seen.alternatives)
            hand = str(seen.hand) if seen.hand else None
            row = CardRow(number, len(cards) + 1, str(seen.card), hand, ts, seen.confidence,
                          readings, seconds, "pit4.mp4")  # fmt: skip
            cards.append(row)
        for wager in played.wagers:
            settled = wager.settled_after
            wagers.append(
                WagerRow(
                    number,
                    wager.bettor,
                    str(wager.kind),
                    int(wager.stake * 100),
                    None if wager.net is None else int(wager.net * 100),
                    wager.box,
                    str(wager.hand) if wager.hand else None,
                    settled_at=None if settled is None else after(settled),
                    on_behalf_of=wager.on_behalf_of,
                )
            )
        for call in played.calls:
            hand = str(call.hand) if call.hand else None
            ts = after(min(call.after, len(times)))
            calls.append(CallRow(ts, str(call.kind), number, hand, call.bettor, call.value))
    calls.insert(0, CallRow(began, "dealer_in", value="D17"))
    return ShoeRows(table, shoe, tuple(cards), tuple(wagers), tuple(calls))


def audited(
    rows: ShoeRows, book: Rulebook, sheet: TableSheet
) -> Iterator[tuple[Round, tuple[Finding, ...]]]:
    for played in rounds_of(rows, book.game, sheet, TableHistory()):
        yield played, judge_round(played, book, sheet)


def batch_of(rows: ShoeRows, book: Rulebook, sheet: TableSheet) -> ShoeBatch:
    """Judge a shoe and lay it out as the store takes it."""
    key = {"table_id": rows.table_id, "shoe": rows.shoe}
    rounds: list[dict[str, object]] = []
    findings: list[dict[str, object]] = []
    for played, found in audited(rows, book, sheet):
        assert played.key is not None
        number = played.key.number
        rounds.append(
            {
                **key,
                "round": number,
                "ts": played.ts,
                "rulebook": book.id,
                "dealer": played.dealer,
                "line": _line(played) if found else None,
                "judged": True,
            }
        )
        findings += [_finding_row(finding, played) for finding in found]
    return ShoeBatch(
        "run",
        rounds=pl.DataFrame(rounds, infer_schema_length=None),
        cards=_frame([{**key, **_fields(card)} for card in rows.cards]),
        wagers=_frame(_in_places(key, rows.wagers)),
        calls=_frame(_in_places(key, rows.calls)),
        findings=_frame(findings),
    )


def _line(played: Round) -> str | None:
    names = {wager.bettor for wager in played.wagers}
    return None if HOSTILE in names else format_round(played)


def _frame(rows: list[dict[str, object]]) -> pl.DataFrame:
    return pl.DataFrame(rows, infer_schema_length=None) if rows else pl.DataFrame()


def _fields(row: CardRow | WagerRow | CallRow) -> dict[str, object]:
    values = {name: getattr(row, name) for name in row.__slots__ if name != "origin"}
    for name in ("stake", "net"):
        if values.get(name) is not None:
            values[name] = (Decimal(values[name]) / 100).quantize(Decimal("0.01"))
    return values


def _in_places(key: dict[str, str], rows: Sequence[WagerRow | CallRow]) -> list[dict[str, object]]:
    places: dict[int | None, int] = {}
    placed: list[dict[str, object]] = []
    for row in rows:
        place = places.get(row.round, 0)
        places[row.round] = place + 1
        placed.append({**key, "place": place, **_fields(row)})
    return placed


def _finding_row(finding: Finding, played: Round) -> dict[str, object]:
    assert played.key is not None
    return {
        "finding_id": finding.finding_id(str(played.key)),
        "table_id": played.key.table_id,
        "shoe": played.key.shoe,
        "round": played.key.number,
        "ts": played.ts,
        "dealer": played.dealer,
        "code": finding.code,
        "severity": str(finding.severity),
        "rulebook": finding.rulebook,
        "clause": finding.clause,
        "hand": str(finding.hand) if finding.hand else None,
        "bettor": finding.bettor or None,
        "wager": str(finding.wager) if finding.wager else None,
        "expected": finding.expected,
        "observed": finding.observed,
        "exposure": finding.exposure,
        "confidence": finding.confidence,
        "evidence": str(finding.evidence),
    }


def store_lines(
    store: Store, table: str, shoe: str, book: str, lines: Iterable[str], began: datetime = EVENING
) -> ShoeRows:
    """Store a table and one shoe of it, made of rounds that are written on lines."""
    return store_rounds(store, table, shoe, book, map(parse_round, lines), began)


def store_rounds(
    store: Store,
    table: str,
    shoe: str,
    book: str,
    rounds: Iterable[Round],
    began: datetime = EVENING,
) -> ShoeRows:
    text = sheet_text(table, book)
    store.write_tables([KnownTable(table, "Asia/Singapore", text)])
    rows = rows_of(table, shoe, rounds, began)
    store.write_shoe(batch_of(rows, rulebook(book), read_table_sheet(text, table)))
    return rows


def hostile_rounds() -> list[Round]:
    """Give two rounds of a bettor whose name tries everything."""
    rounds = [parse_round(line) for line in BACCARAT_LINES[2:4]]
    return [
        replace(
            played,
            wagers=tuple(replace(wager, bettor=HOSTILE) for wager in played.wagers),
            calls=tuple(replace(call, bettor=HOSTILE) for call in played.calls),
        )
        for played in rounds
    ]


def simulated_rounds(book: Rulebook, seed: int) -> list[Round]:
    rng = Random(f"{book.id}/{seed}")  # noqa: S311
    sheet = simulated_sheet(book, rng)
    return list(rounds_of_a_shoe(shuffled_shoe(8, rng, name="S"), book, sheet, rng))


def stored_night(store: Store) -> None:
    """Store two tables with known faults, and one shoe of a bettor who means no good."""
    store_lines(store, "BAC-07", "S1", BACCARAT, BACCARAT_LINES)
    store_lines(store, "BJ-02", "2026/03/01", BLACKJACK, BLACKJACK_LINES)
    hostile = EVENING + timedelta(days=1)
    store_rounds(store, "BAC-08", "S9", BACCARAT, hostile_rounds(), hostile)
