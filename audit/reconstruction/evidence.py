"""What tells one round from the next besides the rules: calls, pauses, and the ledger's times."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import log2

from audit.observations import CallKind, WagerKind
from audit.reconstruction.material import OF_THE_SHOE, Material
from audit.shoe_rows import CallRow, CardRow, WagerRow

OPENS = frozenset({CallKind.BETS_OPEN, CallKind.BETS_CLOSED})
CLOSES = frozenset({CallKind.OUTCOME, CallKind.ROUND_END, CallKind.SHOE_END})
BEFORE_THE_DEAL = frozenset({CallKind.CONTROL, CallKind.BURN, CallKind.SHUFFLE})

CALL_IN_THE_MIDDLE = 600
"""A call that ends or opens a round, in the middle of one."""
CARD_AFTER_THE_END = 300
CALL_OF_ANOTHER_ROUND = 600
OTHER_TIME = 300
"""The ledger has a round placed or settled at another time."""
GREATEST_FOR_A_PAUSE = 300
FOR_A_PAUSE_TWICE_AS_LONG = 150
CLEARLY_APART = 1.5
WHEN_NOT_CLEAR = 0.3
LEAST_WHEN_CLEAR = 200
"""What a pause counts on either side of a border that no pause comes near."""
SHORTEST_S = 0.2
LEEWAY_WITH_NUMBERS, LEEWAY_BY_GUESS = 0.1, 0.4
"""How far the number of rounds may be from the one expected, as a share of it."""
RAISES = frozenset({WagerKind.SPLIT, WagerKind.DOUBLE, WagerKind.INSURANCE})


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for and against an end of a round before each card of a shoe."""

    times: tuple[float, ...]
    calls_before: tuple[tuple[CallRow, ...], ...]
    """The calls made before each card and after the one before it; the last ones after them all."""
    cutting: tuple[int, ...]
    """What speaks against a new round that begins with this card."""
    running_on: tuple[int, ...]
    """What speaks against a round that goes on up to this card, added up over the shoe."""

    def within(self, start: int, end: int) -> int:
        """Say what speaks against one round from one card up to before another."""
        return self.running_on[end - 1] - self.running_on[start] if end > start + 1 else 0

    def of_other_rounds(self, start: int, end: int, number: int) -> int:
        """Count a call that names another round in the midst of this one."""
        for place in range(start, end + 1):
            for call in self.calls_before[place]:
                if call.round is None or call.round == number or call.call in OF_THE_SHOE:
                    continue
                inside = start < place < end
                opens_it = place == start and call.call in OPENS
                closes_it = place == end and call.call in CLOSES
                if inside or opens_it or closes_it:
                    return CALL_OF_ANOTHER_ROUND
        return 0

    def turn_of_gap(self, place: int) -> int:
        """Find from which of the calls before a card on they belong to the round it begins."""
        calls = self.calls_before[place]
        for which, call in enumerate(calls):
            if call.call in OPENS or call.call in BEFORE_THE_DEAL:
                return which
        ended = [which for which, call in enumerate(calls) if call.call == CallKind.ROUND_END]
        turn = ended[-1] + 1 if ended else len(calls)
        while turn < len(calls) and self._voids_the_earlier(calls[turn], place):
            turn += 1
        return turn

    def _voids_the_earlier(self, call: CallRow, place: int) -> bool:
        """Tell a void that comes upon the end of a round from one before the next is dealt."""
        if call.call != CallKind.VOID or not place:
            return False
        if place == len(self.times):
            return True
        said = call.ts.timestamp()
        return said - self.times[place - 1] < self.times[place] - said

    def of_the_ledgers_times(self, start: int, end: int, wagers: Sequence[WagerRow]) -> int:
        """Compare when the wagers of a round were placed and settled with when it was dealt."""
        placed = sorted(
            row.placed_at.timestamp() for row in wagers if row.placed_at and row.wager not in RAISES
        )
        settled = [row.settled_at.timestamp() for row in wagers if row.settled_at]
        begun, ended = self.times[start], self.times[end - 1]
        cost = 0
        if placed:
            middle = placed[(len(placed) - 1) // 2]
            before = self.times[start - 1] if start else float("-inf")
            cost += OTHER_TIME * (not before <= middle <= begun)
        if settled:
            after = self.times[end] if end < len(self.times) else float("inf")
            cost += OTHER_TIME * (not ended <= max(settled) <= after)
        return cost


def gather(material: Material, cards: Sequence[CardRow], expected_rounds: int) -> Evidence:
    """Look at the moments of cards and calls."""
    times = list(accumulate((row.ts.timestamp() for row in cards), max))
    said: list[list[CallRow]] = [[] for _ in range(len(cards) + 1)]
    numbered = [call for calls in material.calls.values() for call in calls]
    for call in sorted((*material.calls_without_round, *numbered), key=lambda row: row.ts):
        said[bisect_right(times, call.ts.timestamp())].append(call)
    gaps = [0.0, *(later - earlier for earlier, later in pairwise(times))]
    leeway = LEEWAY_WITH_NUMBERS if material.known_numbers else LEEWAY_BY_GUESS
    pauses = _pauses(gaps[1:], expected_rounds, max(1, round(leeway * expected_rounds)))
    cutting, running = [0] * len(cards), [0] * len(cards)
    for place in range(1, len(cards)):
        against_cut, against_run = pauses.against(gaps[place])
        if any(call.call in OPENS for call in said[place]):
            against_cut, against_run = 0, CALL_IN_THE_MIDDLE
        elif any(call.call in CLOSES for call in said[place]):
            # A card too many can follow the outcome at once: then call and pause disagree.
            against_run += CARD_AFTER_THE_END if against_cut else CALL_IN_THE_MIDDLE
        cutting[place], running[place] = against_cut, against_run
    return Evidence(
        times=tuple(times),
        calls_before=tuple(tuple(calls) for calls in said),
        cutting=tuple(cutting),
        running_on=tuple(accumulate(running)),
    )


@dataclass(frozen=True, slots=True)
class _Pauses:
    """How long a pause between rounds is at this table, and how clear that is."""

    border_s: float
    clear: bool

    def against(self, gap: float) -> tuple[int, int]:
        """Say what a gap between two cards counts against an end of a round, and against none."""
        if not self.border_s:
            return 0, 0
        doublings = log2(max(gap, SHORTEST_S) / self.border_s)
        weight = min(GREATEST_FOR_A_PAUSE, round(FOR_A_PAUSE_TWICE_AS_LONG * abs(doublings)))
        weight = max(weight, LEAST_WHEN_CLEAR) if self.clear else round(weight * WHEN_NOT_CLEAR)
        return (0, weight) if doublings > 0 else (weight, 0)


def _pauses(gaps: Sequence[float], rounds: int, leeway: int) -> _Pauses:
    """Find the border between the pauses within rounds and those between them."""
    lengths = sorted((max(gap, SHORTEST_S) for gap in gaps), reverse=True)
    first, last = rounds - 1 - leeway, rounds + leeway
    steps = [
        (lengths[place - 1] / lengths[place], place)
        for place in range(max(1, first), min(len(lengths), last + 1))
    ]
    if not steps or rounds <= 1:
        return _Pauses(0.0, clear=False)
    ratio, place = max(steps)
    return _Pauses((lengths[place - 1] * lengths[place]) ** 0.5, clear=ratio >= CLEARLY_APART)


def calls_by_round(
    evidence: Evidence,
    spans: Mapping[int, tuple[int, int]],
    wagers: Mapping[int, Sequence[WagerRow]],
) -> list[tuple[CallRow, int]]:
    """Give every call that names no round the round during which it was made."""
    starts = {start: number for number, (start, _) in spans.items()}
    ends = {end: number for number, (_, end) in spans.items()}
    at = {place: n for n, (start, end) in spans.items() for place in range(start + 1, end)}
    if starts:
        # The first round is opened before the cards are burnt.
        at |= dict.fromkeys(range(min(starts)), starts[min(starts)])
    told: list[tuple[CallRow, int]] = []
    for place, calls in enumerate(evidence.calls_before):
        if place in at:
            told += [(call, at[place]) for call in calls if needs_a_round(call)]
            continue
        before, after = ends.get(place), starts.get(place)
        turn = evidence.turn_of_gap(place)
        for which, call in enumerate(calls):
            number = before if which < turn else after
            if call.call == CallKind.VOID and before is not None and after is not None:
                number = void_of(before, after, number, wagers)
            number = number if number is not None else (before if before is not None else after)
            if number is not None and needs_a_round(call):
                told.append((call, number))
    return told


def needs_a_round(call: CallRow) -> bool:
    return call.round is None and call.call not in OF_THE_SHOE


def void_of(
    before: int, after: int, by_time: int | None, wagers: Mapping[int, Sequence[WagerRow]]
) -> int | None:
    """A void round hands back every wager: that tells which of two neighbours it was."""
    earlier, later = (_may_be_void(wagers.get(number, ())) for number in (before, after))
    if earlier == later:
        return by_time
    return before if earlier > later else after


def _may_be_void(wagers: Sequence[WagerRow]) -> int:
    """Say what the ledger has for a void: 1 if all was handed back, -1 if anything was paid."""
    if any(row.net for row in wagers):
        return -1
    return int(bool(wagers) and all(row.net == 0 for row in wagers))
