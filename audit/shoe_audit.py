"""One shoe from its rows to its findings: reconstructed, put together, judged round by round."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise

from audit.assembly import TableHistory, dealt_as, rounds_of
from audit.errors import BadInput, BadTableSheet
from audit.findings import VIOLATION_FROM, Finding, Severity, left_to_a_person
from audit.hands import DEALER
from audit.judge import MOST_READINGS, judge_round
from audit.judging.baccarat import coup_as_laid
from audit.judging.shoe import (
    ShoeFinding,
    held_back,
    in_doubtful_rounds,
    judge_shoe,
    remember_order,
    rounds_in_doubt,
)
from audit.lost_rows import doubts_of, with_doubts
from audit.notation import format_counted_anew
from audit.observations import CallKind, Game
from audit.reconstruction import needs_reconstruction, reconstruct
from audit.rounds import Round, rank_of
from audit.rulebook import Rulebook
from audit.rules.baccarat import INITIAL_CARDS, outcome
from audit.rules.blackjack.hands import spoken_total
from audit.shoe_order import EarlierShoes
from audit.shoe_rows import CallRow, CardRow, ShoeRows, WagerRow
from audit.table_sheet import TableSheet, rulebook_at

NO_CARDS = "no card of it is logged"
SAME_MOMENT = timedelta(seconds=5)
"""Two devices may tell the time of one moment so much apart."""


@dataclass(frozen=True, slots=True)
class JudgedRound:
    """A round that was looked at, and what was found in it."""

    number: int
    ts: datetime | None
    rulebook: str | None
    findings: tuple[Finding, ...] = ()
    line: str | None = None
    """The round on one line, where anything was found."""
    outcome: str | None = None
    unjudged: str | None = None
    """Why the rules could not be held against it."""
    reconstructed: bool = False


@dataclass(frozen=True, slots=True)
class AuditedShoe:
    rows: ShoeRows
    rounds: tuple[JudgedRound, ...]
    findings: tuple[ShoeFinding, ...] = ()
    """Of the shoe as a whole."""
    left_over: tuple[tuple[CardRow | WagerRow | CallRow, str], ...] = ()
    doubts: Mapping[int, str] = field(default_factory=dict)
    """Why rounds are in doubt of which a row cannot be used."""


@dataclass
class TableSoFar:
    """What the shoes of a table leave behind for later ones."""

    sheet: TableSheet
    history: TableHistory = field(default_factory=TableHistory)
    earlier: EarlierShoes = field(default_factory=EarlierShoes)


def shoe_rulebook(sheet: TableSheet, moments: Sequence[datetime]) -> Rulebook:
    """Find the rulebook in force when a shoe was begun."""
    if not moments:
        raise BadInput("nothing in it has a time")
    return rulebook_at(sheet, min(moments))


def audit_shoe(
    rows: ShoeRows,
    table: TableSoFar,
    cleared: Set[int] = frozenset(),
    compared: Iterable[ShoeFinding] = (),
) -> AuditedShoe:
    """Judge a shoe.

    Rounds that are `cleared` already are known to be in order. `compared` is what several logs of
    its cards were found to disagree about.
    """
    logged = rows
    moments = [*(row.ts for row in rows.cards), *(row.ts for row in rows.calls)]
    try:
        book = shoe_rulebook(table.sheet, moments)
    except (BadInput, BadTableSheet) as problem:
        return unjudged_shoe(rows, str(problem))
    others: Mapping[int, tuple[tuple[CardRow, ...], ...]] = {}
    reconstructed: Set[int] = frozenset()
    left_over: tuple[tuple[CardRow | WagerRow | CallRow, str], ...] = ()
    if needs_reconstruction(rows):
        restored = reconstruct(rows, book, table.sheet)
        rows, others = restored.rows, restored.others
        reconstructed, left_over = restored.reconstructed, restored.left_over
    doubts = doubts_of(rows, logged) if rows.lost else {}
    told = replace(rows, cards=with_doubts(rows.cards, doubts)) if doubts else rows
    numbers = {row.round for row in rows.cards} | {row.round for row in rows.wagers}
    wanted = {number for number in numbers if number is not None} - cleared
    impossible: dict[int, str] = {}
    judged: list[JudgedRound] = []
    rounds = rounds_of(
        told,
        book.game,
        table.sheet,
        table.history,
        only=wanted if cleared else None,
        impossible=impossible,
    )
    for played in rounds:
        placements = [with_doubts(cards, doubts) for cards in others.get(_number(played), ())]
        one = _judged(played, placements, table.sheet)
        judged.append(replace(one, reconstructed=one.number in reconstructed))
    judged += [
        JudgedRound(number, None, book.id, unjudged=why) for number, why in impossible.items()
    ]
    found = (*_placed(compared, rows), *judge_shoe(rows, book, table.sheet, table.earlier))
    found = in_doubtful_rounds(found, told)
    remember_order(rows, table.earlier)
    doubtful = rounds_in_doubt(rows, found)
    judged = [_held_back(one) if one.number in doubtful else one for one in judged]
    jumped = _clock_set_back(rows.cards)
    judged = [_timeless(one) if one.number in jumped else one for one in judged]
    return AuditedShoe(rows, tuple(judged), found, left_over, doubts)


def _placed(compared: Iterable[ShoeFinding], rows: ShoeRows) -> Iterator[ShoeFinding]:
    """Name the round of what was found about a card before its round was known."""
    rounds = {row.seq: row.round for row in rows.cards}
    for found in compared:
        cards = found.finding.evidence.cards
        if found.round is None and cards:
            yield replace(found, round=rounds.get(cards[0]))
        else:
            yield found


def _clock_set_back(cards: Iterable[CardRow]) -> frozenset[int]:
    """Name the rounds in which a later card has an earlier time: nobody knows when calls came."""
    in_order = sorted(cards, key=lambda row: row.seq)
    return frozenset(
        row.round
        for before, after in pairwise(in_order)
        if before.ts - after.ts > SAME_MOMENT
        for row in (before, after)
        if row.round is not None
    )


def _timeless(judged: JudgedRound) -> JudgedRound:
    """Call nothing a violation that may hang on the order of calls and cards."""
    findings = tuple(
        left_to_a_person(finding, "the clock was set back in this round")
        if finding.severity is Severity.VIOLATION
        else finding
        for finding in judged.findings
    )
    return replace(judged, findings=findings)


def _held_back(judged: JudgedRound) -> JudgedRound:
    return replace(judged, findings=tuple(map(held_back, judged.findings)))


def unjudged_shoe(rows: ShoeRows, why: str) -> AuditedShoe:
    began: dict[int, datetime] = {}
    for row in rows.cards:
        if row.round is not None:
            began[row.round] = min(row.ts, began.get(row.round, row.ts))
    numbers = began.keys() | {row.round for row in rows.wagers if row.round is not None}
    rounds = (JudgedRound(n, began.get(n), None, unjudged=why) for n in sorted(numbers))
    unplaced = ((row, f"it names no round, and {why}") for row in rows.wagers if row.round is None)
    return AuditedShoe(rows, tuple(rounds), left_over=tuple(unplaced))


def _number(played: Round) -> int:
    if played.key is None:
        raise TypeError("a round of a shoe has a key")
    return played.key.number


def _judged(
    played: Round,
    others: Sequence[Sequence[CardRow]],
    sheet: TableSheet,
) -> JudgedRound:
    """Judge a round by the rulebook in force at its time, in every placement of its cards."""
    number = _number(played)
    if played.ts is None:
        return JudgedRound(number, None, None, unjudged=NO_CARDS)
    try:
        book = rulebook_at(sheet, played.ts)
        placements = [played, *(dealt_as(played, cards) for cards in others)]
        most = MOST_READINGS // len(placements)
        readings = [judge_round(one, book, sheet, most_readings=most) for one in placements]
        findings = _in_all(readings) if others else readings[0]
    except (BadInput, BadTableSheet) as problem:
        return JudgedRound(number, played.ts, None, unjudged=str(problem))
    return JudgedRound(
        number,
        played.ts,
        book.id,
        findings,
        line=_line(played) if findings else None,
        outcome=outcome_of(played),
    )


def _in_all(readings: Sequence[tuple[Finding, ...]]) -> tuple[Finding, ...]:
    """Keep each finding with the share of the readings in which it holds as its confidence."""
    held: dict[object, list[Finding]] = {}
    for findings in readings:
        for finding in findings:
            held.setdefault(finding.what, []).append(finding)
    merged = []
    for same in held.values():
        confidence = sum(finding.confidence for finding in same) / len(readings)
        severity = same[0].severity
        if severity is Severity.VIOLATION and confidence < VIOLATION_FROM:
            severity = Severity.REVIEW
        merged.append(replace(same[0], confidence=confidence, severity=severity))
    return tuple(merged)


def _line(played: Round) -> str | None:
    """Write a round on its line; one that the notation has no words for has none."""
    try:
        return format_counted_anew(played)
    except BadInput:
        return None


def outcome_of(played: Round) -> str | None:
    """Say what came out of a round by the cards as they lay; nothing where they do not tell."""
    if played.unread:
        return None
    if any(played.called(CallKind.VOID)):
        return "void"
    if played.game is Game.BACCARAT:
        coup = coup_as_laid(played)
        complete = min(len(coup.player), len(coup.banker)) >= INITIAL_CARDS
        return str(outcome(coup)) if complete else None
    dealer = [rank_of(seen) for seen in played.to_hand(DEALER)]
    return f"dealer {spoken_total(dealer)}" if dealer else None
