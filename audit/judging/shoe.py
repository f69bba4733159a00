"""A whole shoe before the rules that no single round can show.

The copies of a card that one round shows are left to the judge of that round, so that the same
surplus is never found twice.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby, pairwise

from audit.cards import DECK, UNREAD, parse_card
from audit.findings import (
    NOBODY_SAID,
    VIOLATION_FROM,
    Evidence,
    Finding,
    Severity,
    left_to_a_person,
    reasons_for_doubt,
)
from audit.hands import Place
from audit.judging.record import Record
from audit.observations import Call, CallKind
from audit.rounds import Circumstances, Round
from audit.rulebook import Rulebook
from audit.rules.shoe import (
    CARDS_OF_A_DECK,
    Copies,
    CountedOut,
    Gap,
    OrderRepeated,
    PackOrder,
    cards_not_logged,
    count_differs,
    earlier_order_repeated,
    new_pack_order_kept,
    too_many_copies,
)
from audit.shoe_order import EarlierShoes, new_pack_order
from audit.shoe_rows import CardRow, ShoeRows
from audit.table_sheet import TableSheet
from audit.verdicts import Breach, Verdict

HALF_A_DECK = CARDS_OF_A_DECK // 2
"""A shoe with so many cards beyond its decks was filled again under the same name."""
MOST_ADDED = 8
"""More surplus copies than that look like discards dealt again rather than cards added."""
SHOES_WITH_A_SURPLUS = 0.001
"""A guess on the high side: cards are misread far more often than a card is added to a shoe."""
MOST_BURNT = 11
"""The first card, and as many more as it says: what may be burnt where nothing tells."""
LEAST_REST = 10
"""So many cards discarded after the last round are the rest of a shoe being counted out."""
MOST_MISSING = 6
"""A log that ends farther than this from the last card does not show the whole shoe."""

_NAMES = {str(card): str(card) for card in DECK}
_UNREAD = str(UNREAD)
_CONTESTED = frozenset({"SRC005", "SRC006"})
_GAPS = frozenset({"SRC003", "SRC005"})
"""Codes of cards that one log, or the only one, lacks."""
_HANG_ON_CARDS = frozenset({"DRW", "DEA", "ACT", "PAY", "SRC"})


@dataclass(frozen=True, slots=True)
class ShoeFinding:
    """A finding, and the round that it falls on if one is known."""

    round: int | None
    finding: Finding
    hand_in_doubt: bool = False
    """Whether it leaves open to which hand of its round a card went."""


def judge_shoe(
    rows: ShoeRows,
    book: Rulebook,
    sheet: TableSheet,
    earlier: EarlierShoes,
    *,
    first_of_log: bool = False,
) -> tuple[ShoeFinding, ...]:
    """Judge a shoe whose cards are all numbered and placed.

    `first_of_log` says that the log of the table may begin in the middle of this shoe.
    """
    if not rows.cards:
        return ()
    shoe = _Shoe(rows, book, sheet)
    return (
        *_gaps(shoe, first_of_log=first_of_log),
        *_copies(shoe),
        *_counted_out(shoe),
        *_order(shoe, earlier),
    )


def remember_order(rows: ShoeRows, earlier: EarlierShoes) -> None:
    """Keep the order of a shoe for those after it, with its rounds, which are picked up whole."""
    cards = sorted(rows.cards, key=lambda row: row.seq)
    rounds: list[tuple[int, int]] = []
    start = 0
    for number, dealt in groupby(cards, key=lambda row: row.round):
        size = sum(1 for _ in dealt)
        if number is not None:
            rounds.append((start, size))
        start += size
    earlier.add(rows.shoe, _names(cards), rounds)


def _names(cards: Iterable[CardRow]) -> list[str]:
    return [_NAMES.get(row.card) or str(parse_card(row.card)) for row in cards]


class _Shoe:
    """The cards of a shoe in their order, and what a finding on one of its rounds needs."""

    def __init__(self, rows: ShoeRows, book: Rulebook, sheet: TableSheet) -> None:
        self.rows, self.book, self.sheet = rows, book, sheet
        self.cards = sorted(rows.cards, key=lambda row: row.seq)
        self.names = _names(self.cards)
        numbered = [row for row in self.cards if row.round is not None]
        self.first: CardRow | None = numbered[0] if numbered else None
        self.last: CardRow | None = numbered[-1] if numbered else None

    def hear(
        self, code: str, verdict: Verdict, at: CardRow, evidence: Evidence, confidence: float = 1.0
    ) -> Iterator[ShoeFinding]:
        """Write down a breach on the round of a card, in the words of a round's own record."""
        number = self.round_of(at)
        began = self.last is not None and number != self.last.round
        void = any(row.call == CallKind.VOID and row.round == number for row in self.rows.calls)
        around = Circumstances(next_round_began=began and bool(self.book.breaks.get(code)))
        calls = (Call(CallKind.VOID, 0),) if void else ()
        round_ = Round(self.book.game, (), calls=calls, around=around)
        record = Record(round_, self.book, self.sheet)
        record.hear(code, verdict, evidence=evidence)
        for finding in record.findings:
            severity = finding.severity
            if severity is Severity.VIOLATION and confidence < VIOLATION_FROM:
                severity = Severity.REVIEW
            yield ShoeFinding(number, replace(finding, severity=severity, confidence=confidence))

    def round_of(self, row: CardRow) -> int | None:
        """Tell the round of a card; what lies before the first or after the last belongs to it."""
        if row.round is not None or self.first is None or self.last is None:
            return row.round
        return self.last.round if row.seq > self.last.seq else self.first.round

    def fillings(self) -> list[range]:
        """Cut the shoe where the cards were shuffled again while it was dealt."""
        begins, ends = self.cards[0].ts, self.cards[-1].ts
        shuffled = sorted(
            row.ts
            for row in self.rows.calls
            if row.call == CallKind.SHUFFLE and begins < row.ts <= ends
        )
        cuts = [0, *(self._place_at(ts) for ts in shuffled), len(self.cards)]
        return [range(start, end) for start, end in pairwise(cuts) if start < end]

    def _place_at(self, ts: datetime) -> int:
        return sum(row.ts < ts for row in self.cards)

    def most_unlogged_at_start(self) -> int:
        """Say how many cards may have left the shoe unlogged: those burnt at its start."""
        said = [row.value for row in self.rows.calls if row.call == CallKind.BURN]
        counts = [int(value) for value in said if value.strip().isdecimal()]
        if counts:
            return counts[0]
        return MOST_BURNT if self.sheet.burn is None else self.sheet.burn


# Sources


def source_finding(
    book: Rulebook,
    code: str,
    verdict: Verdict,
    evidence: Evidence,
    *,
    severity: Severity = Severity.REVIEW,
    confidence: float = 1.0,
) -> Iterator[Finding]:
    """Write down what is wrong with the evidence: for a person to look at, and nobody's breach."""
    if isinstance(verdict, Breach) and book.judges(code):
        yield Finding(
            code=code,
            severity=severity,
            rulebook=book.id,
            clause=book.clause_of(code),
            expected=verdict.expected,
            observed=verdict.observed,
            exposure=None,
            confidence=confidence,
            evidence=evidence,
        )


def _gaps(shoe: _Shoe, *, first_of_log: bool) -> Iterator[ShoeFinding]:
    first, last = shoe.cards[0], shoe.cards[-1]
    if not first_of_log and first.seq > 1 + shoe.most_unlogged_at_start():
        verdict = cards_not_logged(Gap(0, first.seq), shoe.book)
        evidence = Evidence(cards=(first.seq,))
        for finding in source_finding(
            shoe.book, "SRC003", verdict, evidence, severity=Severity.NOTE
        ):
            yield ShoeFinding(shoe.round_of(first), finding)
    if last.seq - first.seq + 1 == len(shoe.cards):
        return
    for before, after in pairwise(shoe.cards):
        verdict = cards_not_logged(Gap(before.seq, after.seq), shoe.book)
        evidence = Evidence(cards=(before.seq, after.seq))
        for finding in source_finding(shoe.book, "SRC003", verdict, evidence):
            yield ShoeFinding(shoe.round_of(after), finding)


def rounds_in_doubt(rows: ShoeRows, findings: Iterable[ShoeFinding]) -> frozenset[int]:
    """Name the rounds in which a card may be missing, one too many, or in the wrong hand."""
    cards = sorted(rows.cards, key=lambda row: row.seq)
    beside_gaps = {
        row.round
        for before, after in pairwise(cards)
        if after.seq - before.seq > 1
        for row in (before, after)
    }
    contested = {
        found.round for found in findings if found.hand_in_doubt or found.finding.code in _CONTESTED
    }
    return frozenset(number for number in beside_gaps | contested if number is not None)


def held_back(finding: Finding) -> Finding:
    """Give what a finding is worth in such a round: where it hangs on cards, no accusation."""
    if finding.severity is not Severity.VIOLATION or finding.code[:3] not in _HANG_ON_CARDS:
        return finding
    return left_to_a_person(finding)


def in_doubtful_rounds(findings: Iterable[ShoeFinding], rows: ShoeRows) -> tuple[ShoeFinding, ...]:
    """Leave to a person what rounds in doubt may explain, and say why they are.

    A shuffle that nobody heard of makes copies of the cards before and after it. A count of the
    whole shoe hangs on every round of it.
    """
    doubted = [row for row in rows.cards if row.doubt]
    if not doubted:
        return tuple(findings)
    return tuple(_in_doubt(found, doubted) for found in findings)


def _in_doubt(found: ShoeFinding, doubted: Iterable[CardRow]) -> ShoeFinding:
    finding, cards = found.finding, found.finding.evidence.cards
    if finding.code == "SHO001":
        why = _why(row for row in doubted if cards[0] <= row.seq <= cards[-1])
    elif finding.code == "SHO005":
        why = _why(doubted)
    else:
        why = ""
    if why:
        return replace(found, finding=left_to_a_person(finding, why))
    if finding.code not in _GAPS or finding.severity is Severity.NOTE:
        return found
    why = _why(row for row in doubted if row.round == found.round or row.seq in cards)
    said = f"{finding.observed}; {why}" if why else finding.observed
    return replace(found, finding=replace(finding, observed=said))


def _why(doubted: Iterable[CardRow]) -> str:
    return reasons_for_doubt(row.doubt for row in doubted)


# Copies


def _copies(shoe: _Shoe) -> Iterator[ShoeFinding]:
    for filling in shoe.fillings():
        if len(filling) > shoe.sheet.decks * CARDS_OF_A_DECK + HALF_A_DECK:
            continue
        surplus = _surplus(shoe, filling)
        if not surplus:
            continue
        many = sum(times - shoe.sheet.decks for times in surplus.values())
        for card in surplus:
            places = [place for place in filling if shoe.names[place] == card]
            yield from _copies_of(shoe, card, places, many)


def _surplus(shoe: _Shoe, filling: Sequence[int]) -> dict[str, int]:
    """Count the cards that came more often than there are decks."""
    seen = Counter(shoe.names[filling[0] : filling[-1] + 1])
    del seen[_UNREAD]
    return {card: times for card, times in seen.items() if times > shoe.sheet.decks}


def _copies_of(shoe: _Shoe, card: str, places: Sequence[int], many: int) -> Iterator[ShoeFinding]:
    """Find the surplus copies of one card, round by round, that no round shows alone."""
    decks = shoe.sheet.decks
    rounds = [shoe.round_of(shoe.cards[place]) for place in places]
    in_round = Counter(rounds)
    for number in dict.fromkeys(rounds[decks:]):
        if in_round[number] > decks:
            continue
        last = max(at for at, other in enumerate(rounds) if other == number)
        copies = [shoe.cards[place] for place in places[: last + 1]]
        verdict = too_many_copies(Copies(card, len(copies), decks), shoe.book)
        if many > MOST_ADDED and isinstance(verdict, Breach):
            said = f"{verdict.observed}; {many} cards too many in all: discards may have come back"
            verdict = replace(verdict, observed=said)
        confidence = probability_of_surplus(decks, [row.confidence for row in copies])
        if many > MOST_ADDED:
            confidence = min(confidence, NOBODY_SAID)
        evidence = Evidence(cards=tuple(row.seq for row in copies))
        yield from shoe.hear("SHO001", verdict, copies[-1], evidence, confidence)


def probability_of_more_than(times: int, chances: Iterable[float]) -> float:
    """Tell how likely more than so many of some things are, from the chance of each."""
    exactly = [1.0]
    for chance in chances:
        exactly = [
            stays * (1 - chance) + comes * chance
            for stays, comes in zip([*exactly, 0.0], [0.0, *exactly], strict=True)
        ]
    return min(1.0, sum(exactly[times + 1 :]))


def probability_of_surplus(decks: int, chances: Iterable[float]) -> float:
    """Tell how likely a card came too often, rather than that one of its copies was misread."""
    as_read = probability_of_more_than(decks, chances)
    surplus = SHOES_WITH_A_SURPLUS * as_read
    misread = (1 - SHOES_WITH_A_SURPLUS) * (1 - as_read)
    return surplus / (surplus + misread) if surplus else 0.0


# Counting out


def _counted_out(shoe: _Shoe) -> Iterator[ShoeFinding]:
    count = _count(shoe)
    if count is None:
        return
    counted, sure, complete = count
    surplus = _surplus(shoe, range(len(shoe.cards)))
    decks = shoe.sheet.decks
    missing: tuple[str, ...] = ()
    unknown = 0
    if complete:
        seen = Counter(shoe.names)
        missing = tuple(str(card) for card in DECK for _ in range(max(0, decks - seen[str(card)])))
        unknown = counted - len(shoe.cards) + seen[_UNREAD]
    extra = sum(times - decks for times in surplus.values())
    situation = CountedOut(decks, counted, missing, unknown, extra)
    confidence = sure
    if counted == decks * CARDS_OF_A_DECK:
        confidence = min(sure, _surest_surplus(shoe, surplus))
    verdict = count_differs(situation, shoe.book)
    yield from shoe.hear("SHO005", verdict, shoe.cards[-1], Evidence(), confidence)


def _count(shoe: _Shoe) -> tuple[int, float, bool] | None:
    """Tell how many cards were counted, how sure that is, and whether the log has them all."""
    full = shoe.sheet.decks * CARDS_OF_A_DECK
    first, last = shoe.cards[0].seq, shoe.cards[-1].seq
    ends = [row.value.strip() for row in shoe.rows.calls if row.call == CallKind.SHOE_END]
    said = next((int(value) for value in ends if value.isdecimal()), None)
    rest = _rest(shoe)
    whole = first <= 1 + shoe.most_unlogged_at_start() and len(shoe.fillings()) == 1
    if said is not None and abs(full - said) <= HALF_A_DECK and (said > last or rest):
        return said, 1.0, whole and said == last
    if whole and rest >= LEAST_REST and 0 <= full - last <= MOST_MISSING:
        return last, 1.0 if ends else NOBODY_SAID, True
    return None


def _rest(shoe: _Shoe) -> int:
    """Count the cards discarded after the last card in play."""
    for rest, row in enumerate(reversed(shoe.cards)):
        if row.hand != Place.DISCARD:
            return 0 if row.hand == Place.BURN else rest
    return 0


def _surest_surplus(shoe: _Shoe, surplus: Iterable[str]) -> float:
    """Tell how likely any card came too often, so that another is missing in its place."""
    return max(
        (
            probability_of_surplus(
                shoe.sheet.decks,
                [
                    row.confidence
                    for row, name in zip(shoe.cards, shoe.names, strict=True)
                    if name == card
                ],
            )
            for card in surplus
        ),
        default=0.0,
    )


# Order


def _order(shoe: _Shoe, earlier: EarlierShoes) -> Iterator[ShoeFinding]:
    repeat = earlier.repeat_of(shoe.names, shoe.rows.shoe)
    if repeat is not None:
        first, last = shoe.cards[repeat.start], shoe.cards[repeat.end - 1]
        repeated = OrderRepeated(repeat.cards, first.seq, repeat.shoe, repeat.backward)
        evidence = Evidence(cards=(first.seq, last.seq))
        verdict = earlier_order_repeated(repeated, shoe.book)
        yield from shoe.hear("SHO006", verdict, first, evidence)
    period = new_pack_order(shoe.names)
    if period is not None:
        first = shoe.cards[period.start]
        order = PackOrder(period.cards, first.seq, period.every)
        verdict = new_pack_order_kept(order, shoe.book)
        yield from shoe.hear("SHO007", verdict, first, Evidence(cards=(first.seq,)))
