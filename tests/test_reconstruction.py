"""Rounds and hands that the device did not know: placed again, and nobody accused for it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from random import Random

import pytest

from audit.assembly import TableHistory, rounds_of
from audit.findings import Severity
from audit.judge import judge_round
from audit.observations import Call, CallKind, Game, Wager
from audit.reconstruction import Reconstructed, needs_reconstruction, reconstruct
from audit.rounds import Round
from audit.rulebook import Rulebook
from audit.rulebook_files import all_rulebooks, rulebook
from audit.shoe_rows import CallRow, CardRow, ShoeRows, WagerRow
from audit.simulation.fault import Scene
from audit.simulation.faults import faults_of
from audit.simulation.shoe import shuffled_shoe
from audit.simulation.table import rounds_of_a_shoe, simulated_sheet
from audit.table_sheet import TableSheet

BOOKS = tuple(all_rulebooks())
BACCARAT = tuple(name for name in BOOKS if rulebook(name).game is Game.BACCARAT)
BLACKJACK = tuple(name for name in BOOKS if rulebook(name).game is Game.BLACKJACK)
NOON = datetime(2026, 3, 8, 12, tzinfo=timezone(timedelta(hours=8)))
BETWEEN_CARDS = timedelta(seconds=3)
BETWEEN_ROUNDS = timedelta(seconds=40)
ROUNDS = {Game.BACCARAT: 100, Game.BLACKJACK: 30}


@dataclass(frozen=True)
class Dealt:
    """A shoe that was dealt at a table, and its rows with nothing left out."""

    rounds: tuple[Round, ...]
    rows: ShoeRows
    book: Rulebook
    sheet: TableSheet


def seeded(*parts: object) -> Random:
    return Random("/".join(map(str, parts)))  # noqa: S311


def cents(amount: object) -> int | None:
    return None if amount is None else int(amount * 100)  # type: ignore[operator]


def written_down(rounds: tuple[Round, ...], sheet: TableSheet) -> ShoeRows:
    """Write rounds down as a card log, a ledger and a call log would have them, with times."""
    cards: list[CardRow] = []
    wagers: list[WagerRow] = []
    calls: list[CallRow] = []
    now = NOON
    for played in rounds:
        number = played.key.number if played.key else 0
        began = now + BETWEEN_ROUNDS
        times = [began + place * BETWEEN_CARDS for place in range(len(played.cards))]
        cards += [
            CardRow(number, seen.seq, str(seen.card), str(seen.hand), ts, seen.confidence)
            for seen, ts in zip(played.cards, times, strict=True)
        ]
        heard = [
            _call(number, played, place, call, times) for place, call in enumerate(played.calls)
        ]
        calls += heard
        closed = [row.ts for row in heard if row.call == "bets_closed"]
        wagers += [_wager(number, wager, closed) for wager in played.wagers]
        now = began + len(times) * BETWEEN_CARDS
    return ShoeRows(sheet.table, "1", tuple(cards), tuple(wagers), tuple(calls))


def _call(number: int, played: Round, place: int, call: Call, times: list[datetime]) -> CallRow:
    """Spread the calls between two cards over the time between them."""
    together = [n for n, other in enumerate(played.calls) if other.after == call.after]
    share = (together.index(place) + 1) / (len(together) + 1)
    before = times[0] - timedelta(seconds=12) if not call.after else times[call.after - 1]
    after = times[call.after] if call.after < len(times) else before + BETWEEN_CARDS
    hand = str(call.hand) if call.hand else None
    return CallRow(
        before + (after - before) * share, str(call.kind), number, hand, call.bettor, call.value
    )


def _wager(number: int, wager: Wager, closed: list[datetime]) -> WagerRow:
    late = closed[0] + timedelta(milliseconds=100) if wager.late and closed else None
    return WagerRow(
        number,
        wager.bettor,
        str(wager.kind),
        cents(wager.stake) or 0,
        cents(wager.net),
        wager.box,
        str(wager.hand) if wager.hand else None,
        placed_at=late,
        on_behalf_of=wager.on_behalf_of,
    )


def shoes(name: str, seed: object, rounds: int) -> Iterator[Dealt]:
    """Deal shoe after shoe, each at a table of its own, until there are so many rounds."""
    book = rulebook(name)
    dealt = shoe = 0
    while dealt < rounds:
        rng = seeded(name, seed, shoe)
        shoe += 1
        sheet = simulated_sheet(book, rng)
        played = tuple(rounds_of_a_shoe(shuffled_shoe(sheet.decks, rng), book, sheet, rng))
        if played:
            dealt += len(played)
            yield Dealt(played, written_down(played, sheet), book, sheet)


def stripped(rows: ShoeRows, *, rounds: bool = False, hands: bool = False) -> ShoeRows:
    """Take from the card log what a simpler device does not know."""
    cards = tuple(
        replace(row, round=None if rounds else row.round, hand=None if hands else row.hand)
        for row in rows.cards
    )
    return replace(rows, cards=cards)


def accused(rows: ShoeRows, book: Rulebook, sheet: TableSheet) -> dict[int, set[str]]:
    """Name the codes of the violations of each round."""
    found: dict[int, set[str]] = {}
    for played in rounds_of(rows, book.game, sheet, TableHistory()):
        codes = {
            finding.code
            for finding in judge_round(played, book, sheet)
            if finding.severity is Severity.VIOLATION
        }
        if codes and played.key:
            found[played.key.number] = codes
    return found


def accused_for_certain(read: Reconstructed, book: Rulebook, sheet: TableSheet) -> set[int]:
    """Number the rounds with a violation that holds in every reading that is as good."""
    certain: dict[int, set[tuple[object, ...]]] = {}
    for number, cards in [
        (None, read.rows.cards),
        *((number, cards) for number, ways in read.others.items() for cards in ways),
    ]:
        kept = tuple(row for row in read.rows.cards if row.round != number)
        rows = replace(read.rows, cards=read.rows.cards if number is None else (*kept, *cards))
        for played in rounds_of(rows, book.game, sheet, TableHistory()):
            own = played.key.number if played.key else 0
            if number in (None, own):
                held: set[tuple[object, ...]] = {
                    (found.code, found.hand, found.bettor, found.wager)
                    for found in judge_round(played, book, sheet)
                    if found.severity is Severity.VIOLATION
                }
                certain[own] = held & certain[own] if own in certain else held
    return {number for number, held in certain.items() if held}


def placed_exactly(truth: ShoeRows, read: Reconstructed) -> set[int]:
    """Number the rounds of which every card has its own round and hand again."""
    got = {row.seq: row for row in read.rows.cards}
    wrong = {
        row.round
        for row in truth.cards
        if row.seq not in got
        or got[row.seq].hand != row.hand
        or (got[row.seq].round != row.round and row.hand != "burn")
    }
    return {row.round for row in truth.cards if row.round is not None and row.round not in wrong}


# Lawful shoes


@pytest.mark.parametrize("calls", [True, False], ids=["with calls", "by the ledger alone"])
@pytest.mark.parametrize("name", BACCARAT)
def test_every_lawful_coup_is_placed_exactly(name: str, *, calls: bool) -> None:
    for dealt in shoes(name, "lawful", ROUNDS[Game.BACCARAT]):
        rows = dealt.rows if calls else replace(dealt.rows, calls=())
        for rounds, hands in ((True, True), (True, False), (False, True)):
            read = reconstruct(stripped(rows, rounds=rounds, hands=hands), dealt.book, dealt.sheet)
            assert len(placed_exactly(dealt.rows, read)) == len(dealt.rounds)
            assert not read.left_over


@pytest.mark.parametrize("calls", [True, False], ids=["with calls", "by the ledger alone"])
@pytest.mark.parametrize("name", BLACKJACK)
def test_a_lawful_round_of_blackjack_is_never_accused_for_want_of_hands(
    name: str, *, calls: bool
) -> None:
    exact: Counter[bool] = Counter()
    logged: Counter[bool] = Counter()
    for dealt in shoes(name, "lawful", ROUNDS[Game.BLACKJACK]):
        rows = dealt.rows if calls else replace(dealt.rows, calls=())
        before = accused(rows, dealt.book, dealt.sheet)
        read = reconstruct(stripped(rows, hands=True), dealt.book, dealt.sheet)
        assert accused_for_certain(read, dealt.book, dealt.sheet) <= set(before)
        assert not read.left_over
        right = placed_exactly(dealt.rows, read)
        for played in dealt.rounds:
            number = played.key.number if played.key else 0
            exact[number in right] += 1
            logged[number in right] += any(played.called(CallKind.HIT, CallKind.STAND))
    assert exact[True] > 0.5 * exact.total()
    if calls:
        assert logged[True] >= 0.95 * logged.total()


@pytest.mark.parametrize("calls", [True, False], ids=["with calls", "by the ledger alone"])
@pytest.mark.parametrize("name", BLACKJACK)
def test_rounds_of_blackjack_are_numbered_as_they_were(name: str, *, calls: bool) -> None:
    for dealt in shoes(name, "lawful", ROUNDS[Game.BLACKJACK]):
        rows = dealt.rows if calls else replace(dealt.rows, calls=())
        read = reconstruct(stripped(rows, rounds=True), dealt.book, dealt.sheet)
        assert len(placed_exactly(dealt.rows, read)) == len(dealt.rounds)


@pytest.mark.parametrize("name", BLACKJACK)
def test_a_bare_sequence_of_cards_accuses_nobody(name: str) -> None:
    dealt = next(shoes(name, "bare", 1))
    before = accused(dealt.rows, dealt.book, dealt.sheet)
    read = reconstruct(stripped(dealt.rows, rounds=True, hands=True), dealt.book, dealt.sheet)
    assert accused_for_certain(read, dealt.book, dealt.sheet) <= set(before)
    assert not read.left_over


# Faults


FAULTY = ("DRW001", "DRW002", "DRW003", "DRW004", "DRW005", "DRW006")


def with_fault(dealt: Dealt, code: str, at: int, rng: Random) -> Dealt | None:
    """Commit a fault in one round of a shoe; the rounds after it get the cards that are left."""
    fault = next(fault for fault in faults_of(dealt.book) if fault.code == code)
    scene = fault.commit(Scene(dealt.rounds[at], dealt.book, dealt.sheet), rng)
    if scene is None or not scene.round.wagers:
        return None
    rounds: list[Round] = []
    seq = 1
    for place, played in enumerate(dealt.rounds):
        chosen = scene.round if place == at else played
        cards = tuple(replace(seen, seq=seq + n) for n, seen in enumerate(chosen.cards))
        seq += len(cards)
        rounds.append(replace(chosen, cards=cards))
    faulty = tuple(rounds)
    return Dealt(faulty, written_down(faulty, dealt.sheet), dealt.book, dealt.sheet)


@pytest.mark.parametrize("code", FAULTY)
@pytest.mark.parametrize("calls", [True, False], ids=["with calls", "by the ledger alone"])
def test_a_fault_of_drawing_stays_with_its_round_and_its_neighbours_are_left_alone(
    code: str, *, calls: bool
) -> None:
    tried = found = 0
    for number, dealt in enumerate(shoes("mbs-fortune-six-baccarat-v6", "fault", 300)):
        rng = seeded(code, number)
        places = rng.sample(range(2, len(dealt.rounds) - 2), 12)
        faulty = next((new for at in places if (new := with_fault(dealt, code, at, rng))), None)
        if faulty is None:
            continue
        tried += 1
        rows = faulty.rows if calls else replace(faulty.rows, calls=())
        before = accused(rows, dealt.book, dealt.sheet)
        assert len(before) >= 1
        read = reconstruct(stripped(rows, rounds=True, hands=True), dealt.book, dealt.sheet)
        after = accused(read.rows, dealt.book, dealt.sheet)
        assert accused_for_certain(read, dealt.book, dealt.sheet) <= set(before)
        found += set(after) == set(before)
    assert tried >= 2
    assert found >= 0.85 * tried


@pytest.mark.parametrize("name", BLACKJACK)
def test_a_dealer_who_draws_on_17_is_found_where_decisions_are_logged(name: str) -> None:
    found = tried = 0
    for shoe, dealt in enumerate(shoes(name, "seventeen", 60)):
        rng = seeded(name, shoe)
        for at, played in enumerate(dealt.rounds[1:-1], 1):
            heard = any(played.called(CallKind.HIT, CallKind.STAND))
            faulty = with_fault(dealt, "DRW011", at, rng) if heard else None
            if faulty is None:
                continue
            rows = faulty.rows
            before = accused(rows, dealt.book, dealt.sheet)
            read = reconstruct(stripped(rows, hands=True), dealt.book, dealt.sheet)
            after = accused(read.rows, dealt.book, dealt.sheet)
            assert accused_for_certain(read, dealt.book, dealt.sheet) <= set(before)
            number = played.key.number if played.key else 0
            found += number in after
            tried += 1
            break
    assert tried
    assert found >= 0.8 * tried


def test_a_shoe_that_knows_everything_needs_nothing() -> None:
    dealt = next(shoes("mbs-fortune-six-baccarat-v6", "whole", 1))
    assert not needs_reconstruction(dealt.rows)
    assert needs_reconstruction(stripped(dealt.rows, rounds=True))
    assert needs_reconstruction(stripped(dealt.rows, hands=True))
