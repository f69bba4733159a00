"""A shoe read as a whole: its rounds numbered, their cards placed, the rest left over with why."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from audit.observations import CallKind
from audit.reconstruction import baccarat_reading, blackjack_reading
from audit.reconstruction.burning import ways_to_burn
from audit.reconstruction.cutting import cut_shoe, other_cut
from audit.reconstruction.evidence import (
    CLOSES,
    OPENS,
    RAISES,
    calls_by_round,
    gather,
    needs_a_round,
)
from audit.reconstruction.material import (
    BURN,
    DISCARD,
    Material,
    RoundRows,
    Setting,
    material_of,
)
from audit.reconstruction.numbering import DeadEnd, Numbering, Span, TooLong
from audit.reconstruction.trial import BREACH, IMPOSSIBLE, Trial, placed, tried
from audit.shoe_rows import CallRow, CardRow, ShoeRows, WagerRow

MOST_OTHERS = 8
AS_GOOD = 100
"""How far another reading may lie behind the best and still be as good."""
MOST_CUTS_QUESTIONED = 12
CARDS_OF_A_COUP = 4.94
CARDS_OF_A_ROUND_OF_BLACKJACK = 10
NO_BOXES = "neither ledger nor calls tell which boxes were dealt in"
NO_ENDS = "neither calls nor pauses nor the ledger tell where one round ends and the next begins"
NO_END_BETWEEN = "it cannot be told where this round and the one beside it end"
NO_COUP = "the cards make no round that the rules know"
NO_TIME = "it names no round, and no time tells which it was"
Row = CardRow | WagerRow | CallRow
Verdict = frozenset[tuple[object, ...]]


@dataclass
class Read:
    """What was made of a shoe."""

    rows: ShoeRows
    others: dict[int, tuple[tuple[CardRow, ...], ...]] = field(default_factory=dict)
    reconstructed: frozenset[int] = frozenset()
    left_over: tuple[tuple[Row, str], ...] = ()


def read_shoe(rows: ShoeRows, setting: Setting) -> Read:
    """Number the rounds, place their cards, and see what is as good."""
    material = material_of(rows)
    if not material.cards:
        lost = [(row, NO_TIME) for row in rows.wagers if row.round is None]
        wagers = tuple(row for row in rows.wagers if row.round is not None)
        return Read(replace(rows, wagers=wagers), left_over=tuple(lost))
    evidence = gather(material, material.cards, _expected_rounds(material, setting))
    numbering = Numbering(material, material.cards, evidence, setting)
    try:
        burnt, spans = cut_shoe(numbering, ways_to_burn(material, setting))
    except (DeadEnd, TooLong):
        everything: tuple[Row, ...] = (*rows.cards, *rows.wagers, *rows.calls)
        nothing = replace(rows, cards=(), wagers=(), calls=())
        return Read(nothing, left_over=tuple((row, NO_ENDS) for row in everything))
    told = _wagers_by_round(rows.wagers, spans, evidence.times)
    if told:
        material = _with_wagers(material, told)
        numbering = Numbering(material, material.cards, evidence, setting)
    shoe = _Shoe(rows, material, numbering, burnt, spans)
    for span in spans:
        shoe.place(span)
    shoe.question_cuts()
    shoe.leave_over_doubtful_neighbours()
    return shoe.read(told)


def _expected_rounds(material: Material, setting: Setting) -> int:
    """Guess how many rounds a shoe has, to know how many pauses between rounds to look for."""
    if material.known_numbers:
        first = material.known_numbers[0] if material.starts_in_the_middle else 1
        return material.known_numbers[-1] - first + 1
    each = CARDS_OF_A_COUP if setting.is_baccarat else CARDS_OF_A_ROUND_OF_BLACKJACK
    return max(1, round(len(material.cards) / each))


class _Shoe:
    """A shoe that has been cut into rounds, while their cards are placed."""

    def __init__(
        self,
        rows: ShoeRows,
        material: Material,
        numbering: Numbering,
        burnt: int,
        spans: tuple[Span, ...],
    ) -> None:
        self.source = rows
        self.material = material
        self.numbering = numbering
        self.setting = numbering.setting
        self.burnt = burnt
        self.spans = spans
        self.placed: dict[int, tuple[CardRow, ...]] = {}
        self.others: dict[int, list[tuple[CardRow, ...]]] = {}
        self.verdicts: dict[int, set[Verdict]] = {}
        self.certain: dict[int, Verdict] = {}
        """Of what every reading kept so far of a round accuses somebody."""
        self.accused: list[Span] = []
        self.broken: list[Span] = []
        """Rounds whose cards break a rule, and not only wagers that were handed back."""
        self.lost: dict[int, str] = {}

    # Placing the cards of a round

    def rows_of(self, span: Span) -> RoundRows:
        """Gather a round; what was burnt before the first belongs to it."""
        rows = self.numbering.rows(span)
        if span != self.spans[0] and span.start > self.burnt:
            return rows
        burnt = tuple(
            row if row.hand == DISCARD else replace(row, hand=BURN)
            for row in self.material.cards[: self.burnt]
        )
        before = self.numbering.evidence.calls_before[: self.burnt]
        opening = tuple(call for calls in before for call in calls if needs_a_round(call))
        return replace(
            rows,
            cards=(*burnt, *rows.cards),
            calls=tuple(sorted((*opening, *rows.calls), key=lambda call: call.ts)),
            first_of_shoe=not self.material.starts_in_the_middle,
        )

    def readings(self, rows: RoundRows) -> list[Trial]:
        if all(row.hand is not None for row in rows.cards):
            hands = tuple(row.hand or "" for row in rows.cards)
            return [tried(rows, hands, self.setting)]
        if self.setting.is_baccarat:
            return baccarat_reading.baccarat_readings(rows, self.setting)
        return blackjack_reading.blackjack_readings(rows, self.setting)

    def place(self, span: Span) -> None:
        """Place the cards of one round, and keep what is as good."""
        rows = self.rows_of(span)
        trials = self.readings(rows)
        if not trials or trials[0].cost >= IMPOSSIBLE:
            self.lost[span.number] = self._why(rows, trials)
            return
        best = trials[0]
        cards = placed(rows, best.hands)
        self.placed[span.number] = (*self.placed.get(span.number, ()), *cards)
        if best.accuses:
            self.accused.append(span)
            self.certain[span.number] = best.accusations
            margin = AS_GOOD if self._can_be_told(rows) else BREACH
            self._keep(span.number, rows, trials, max(best.cost, BREACH) + margin)
        if best.cost >= BREACH:
            self.broken.append(span)

    def _can_be_told(self, rows: RoundRows) -> bool:
        """Tell whether calls say who drew; without them the search may have missed a reading."""
        heard = any(call.call in (CallKind.HIT, CallKind.STAND) for call in rows.calls)
        return self.setting.is_baccarat or heard

    def _why(self, rows: RoundRows, trials: Sequence[Trial]) -> str:
        if trials and trials[0].refused:
            return trials[0].refused
        if not self.setting.is_baccarat and not rows.wagers:
            return NO_BOXES
        return NO_COUP

    def _keep(self, number: int, rows: RoundRows, trials: Iterable[Trial], worst: int) -> None:
        """Keep readings that are as good and judged otherwise, those that clear the most first."""
        kept, verdicts = self.others.setdefault(number, []), self.verdicts.setdefault(number, set())
        as_good = [
            trial
            for trial in trials
            if trial.cost <= worst and placed(rows, trial.hands) != self.placed[number]
        ]
        while len(kept) < MOST_OTHERS:
            fresh = [trial for trial in as_good if trial.verdict not in verdicts]
            if not fresh:
                return
            certain = self.certain[number]
            clearing = min(fresh, key=lambda trial: len(certain & trial.accusations))
            self.certain[number] = certain & clearing.accusations
            verdicts.add(clearing.verdict)
            kept.append(placed(rows, clearing.hands))

    # Cuts that are as good

    def question_cuts(self) -> None:
        """Where a round that was cut out by us accuses somebody, look for a cut as good."""
        ours = [span for span in self.accused if self._was_cut(span)]
        for span in ours[:MOST_CUTS_QUESTIONED]:
            for number, other in (other_cut(self.numbering, self.spans, span) or {}).items():
                if number in self.placed and any(a.number == number for a in self.accused):
                    rows = self.rows_of(other)
                    trials = self.readings(rows)
                    self._keep(number, rows, trials[:1], IMPOSSIBLE - 1)

    def leave_over_doubtful_neighbours(self) -> None:
        """Two rounds of blackjack in a row that accuse show a wrong end between them.

        Baccarat needs no such care: there the table of play tells where a coup ends.
        """
        if self.setting.is_baccarat:
            return
        doubtful = {span for span in self.accused if span in self.broken and self._was_cut(span)}
        for earlier, later in pairwise(self.spans):
            marked = any(
                call.call in OPENS | CLOSES
                for call in self.numbering.evidence.calls_before[later.start]
            )
            if earlier in doubtful and later in doubtful and not marked:
                for number in (earlier.number, later.number):
                    self.lost[number] = NO_END_BETWEEN
                    self.placed.pop(number, None)
                    self.others.pop(number, None)

    def _was_cut(self, span: Span) -> bool:
        own = {row.seq for row in self.material.cards[span.start : span.end]}
        return any(row.round is None and row.seq in own for row in self.source.cards)

    # The outcome

    def read(self, told: Mapping[WagerRow, int]) -> Read:
        """Write the shoe down again, without what belongs to no round."""
        spans = {span.number: (span.start, span.end) for span in self.spans}
        heard = calls_by_round(self.numbering.evidence, spans, self.material.wagers)
        by_call = dict(heard)
        left: list[tuple[Row, str]] = []
        cards = [row for number in sorted(self.placed) for row in self.placed[number]]
        for span in self.spans:
            if span.number in self.lost:
                unplaced = self.rows_of(span).cards
                cards += [row for row in unplaced if row.hand == BURN]
                why = self.lost[span.number]
                left += [(row, why) for row in unplaced if row.hand != BURN]
        wagers: list[WagerRow] = []
        for wager in self.source.wagers:
            number = wager.round if wager.round is not None else told.get(wager)
            if number is None or number in self.lost:
                left.append((wager, NO_TIME if number is None else self.lost[number]))
            else:
                wagers.append(replace(wager, round=number))
        calls: list[CallRow] = []
        for call in self.source.calls:
            number = call.round if call.round is not None else by_call.get(call)
            if number is not None and number in self.lost:
                left.append((call, self.lost[number]))
            else:
                calls.append(replace(call, round=number))
        return Read(
            rows=replace(
                self.source,
                cards=tuple(sorted(cards, key=lambda row: row.seq)),
                wagers=tuple(wagers),
                calls=tuple(calls),
            ),
            others={number: tuple(kept) for number, kept in self.others.items() if kept},
            reconstructed=frozenset(self.placed) & self._unknown(),
            left_over=tuple(left),
        )

    def _unknown(self) -> frozenset[int]:
        """Name the rounds of which the device did not tell everything."""
        bare = {
            row.seq
            for row in self.source.cards
            if row.hand is None or (row.round is None and row.hand not in (BURN, DISCARD))
        }
        return frozenset(
            number
            for number, cards in self.placed.items()
            if any(row.seq in bare for row in cards if row.hand != BURN)
        )


# Wagers that name no round


def _wagers_by_round(
    wagers: Iterable[WagerRow], spans: Sequence[Span], times: Sequence[float]
) -> dict[WagerRow, int]:
    """Give wagers that name no round the one that was open when they were placed or settled."""
    told: dict[WagerRow, int] = {}
    for wager in wagers:
        if wager.round is None:
            number = _round_at(wager, spans, times)
            if number is not None:
                told[wager] = number
    return told


def _round_at(wager: WagerRow, spans: Sequence[Span], times: Sequence[float]) -> int | None:
    if wager.settled_at is not None:
        settled = wager.settled_at.timestamp()
        begun = [span.number for span in spans if times[span.start] <= settled]
        return begun[-1] if begun else None
    if wager.placed_at is None:
        return None
    at = wager.placed_at.timestamp()
    for span in spans:
        ended = times[span.end - 1]
        if at <= ended or (wager.wager in RAISES and _goes_on(span, spans, times, at)):
            return span.number
    return None


def _goes_on(span: Span, spans: Sequence[Span], times: Sequence[float], at: float) -> bool:
    """Tell whether a round was the last to have begun at a moment."""
    later = [other for other in spans if other.start >= span.end]
    return times[span.start] <= at and (not later or at < times[later[0].start])


def _with_wagers(material: Material, told: Mapping[WagerRow, int]) -> Material:
    wagers = {number: list(placed) for number, placed in material.wagers.items()}
    for wager, number in told.items():
        wagers.setdefault(number, []).append(replace(wager, round=number))
    return replace(material, wagers={number: tuple(placed) for number, placed in wagers.items()})
