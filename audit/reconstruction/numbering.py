"""Where one round ends and the next begins: the cut of a shoe that breaks the fewest rules.

A dynamic programme over the shoe's cards. A card that was not drawn, or one too many, counts as one
broken rule where it happened, so that it does not shift the rest of the shoe.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.observations import CallKind
from audit.reconstruction import baccarat_reading, blackjack_reading
from audit.reconstruction.evidence import CLOSES, OPENS, Evidence, needs_a_round, void_of
from audit.reconstruction.material import Material, RoundRows, Setting
from audit.shoe_rows import CallRow, CardRow, WagerRow

CARDS_AHEAD = 12
MOST_CARDS_OF_A_COUP = 8
MOST_CARDS_OF_A_ROUND = 60
MOST_NUMBERS_SKIPPED = 3
MOST_SEGMENTS = 500
"""How many stretches of cards are looked at as rounds of blackjack in one shoe."""
MOST_SEGMENTS_EVERYWHERE = 150
NARROW, MIDDLE, WIDE = 250, 700, 1500
"""How far behind the best a cut of the shoe may lie and still be followed."""
WAGERS_WITHOUT_CARDS = 600
HANDED_BACK_WITHOUT_CARDS = 250
VOID_AND_SETTLED = 600
MOST_FOR_A_ROUND = 900
"""However much is wrong with a round, its neighbours are not moved to mend it."""
NUMBER_LEFT_OUT = 150
BEYOND_THE_LEDGER = 150
CLEARLY_AGAINST = 200


@dataclass(frozen=True, slots=True)
class Span:
    """One round: from which card up to before which, and its number."""

    start: int
    end: int
    number: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A shoe cut into rounds, and what speaks against it."""

    spans: tuple[Span, ...]
    cost: int


State = tuple[int, int]
"""How many cards are spoken for, and the number of the last round."""


@dataclass(frozen=True, slots=True)
class Step:
    """The best way to a state: what it costs, the last round, and the number before it."""

    cost: int
    span: Span | None = None
    before: int = 0


Reached = dict[int, dict[int, Step]]
"""By cards spoken for and number of the last round."""


class TooLong(Exception):
    """The search took more steps than it may."""


class DeadEnd(Exception):
    """No cut reaches the end."""


class Numbering:
    """Cuts the cards of one shoe into rounds."""

    def __init__(
        self,
        material: Material,
        cards: Sequence[CardRow],
        evidence: Evidence,
        setting: Setting,
    ) -> None:
        self.material = material
        self.cards = tuple(cards)
        self.evidence = evidence
        self.setting = setting
        self.numbers = frozenset(material.known_numbers)
        self.last_known = max(material.known_numbers, default=0)
        self.has_ledger = bool(material.wagers)
        self.looks_everywhere = False
        self.most_segments = MOST_SEGMENTS
        self.searched = 0
        self._costs: dict[tuple[int, int, int], int] = {}

    # The rows of a stretch as a round

    def rows(self, span: Span) -> RoundRows:
        """Gather what belongs to a stretch of cards if it is a round of this number."""
        numbered = self.material.calls.get(span.number, ())
        wagers = self.material.wagers.get(span.number, ())
        loose = list(self._loose_calls(span, wagers))
        return RoundRows(
            number=span.number,
            cards=self.cards[span.start : span.end],
            wagers=wagers,
            calls=tuple(sorted((*numbered, *loose), key=lambda call: call.ts)),
            following=self.cards[span.end : span.end + CARDS_AHEAD],
        )

    def _loose_calls(self, span: Span, wagers: Sequence[WagerRow]) -> Iterator[CallRow]:
        kept = any(row.net for row in wagers)
        gaps = ((span.start, span.number - 1), (span.end, span.number))
        for call in (call for gap in gaps for call in self._at_the_edge(*gap, span.number)):
            if needs_a_round(call) and not (call.call == CallKind.VOID and kept):
                yield call
        for place in range(span.start + 1, span.end):
            for call in self.evidence.calls_before[place]:
                if needs_a_round(call) and call.call not in OPENS | CLOSES - {CallKind.OUTCOME}:
                    yield call

    def _at_the_edge(self, place: int, before: int, wanted: int) -> Iterator[CallRow]:
        """Go through the calls between two rounds that belong to one of them."""
        calls = self.evidence.calls_before[place]
        turn = self.evidence.turn_of_gap(place)
        for which, call in enumerate(calls):
            number: int | None = before if which < turn else before + 1
            if call.call == CallKind.VOID:
                number = void_of(before, before + 1, number, self.material.wagers)
            if number == wanted:
                yield call

    # What a stretch costs

    def cost_of(self, span: Span) -> int:
        """Say what speaks against a stretch of cards as a round, by the rules and the ledger."""
        key = (span.start, span.end, span.number)
        if key not in self._costs:
            rows = self.rows(span)
            if rows.is_void:
                cost = VOID_AND_SETTLED if any(row.net for row in rows.wagers) else 0
            elif self.setting.is_baccarat:
                cost = baccarat_reading.quick_cost(rows)
            else:
                cost = self._cost_in_blackjack(rows)
            self._costs[key] = min(cost, MOST_FOR_A_ROUND)
        return self._costs[key]

    def _cost_in_blackjack(self, rows: RoundRows) -> int:
        """Search only where the number of cards does not rule a round out, and not for ever."""
        by_length = blackjack_reading.cost_of_length(rows)
        if by_length:
            return by_length
        self.searched += 1
        if self.searched > self.most_segments:
            raise TooLong
        return blackjack_reading.quick_cost(rows, self.setting)

    def _evidence_against(self, span: Span) -> int:
        cost = self.evidence.within(span.start, span.end)
        cost += self.evidence.of_other_rounds(span.start, span.end, span.number)
        wagers = self.material.wagers.get(span.number, ())
        cost += self.evidence.of_the_ledgers_times(span.start, span.end, wagers)
        if self.has_ledger and span.number > self.last_known:
            cost += BEYOND_THE_LEDGER
        return cost

    def _skipping(self, number: int) -> int:
        """Say what it costs that a round of this number has no cards."""
        wagers = self.material.wagers.get(number, ())
        if any(call.call == CallKind.VOID for call in self.material.calls.get(number, ())):
            return 0
        if any(row.net != 0 for row in wagers):
            return WAGERS_WITHOUT_CARDS
        return HANDED_BACK_WITHOUT_CARDS if wagers else NUMBER_LEFT_OUT

    # The search

    def cut(
        self, begin: State, goal: State | None, *, margin: int, without: Span | None = None
    ) -> Cut:
        """Find the best cut from one state to another, or to the end of the shoe."""
        end = len(self.cards) if goal is None else goal[0]
        reached: Reached = {begin[0]: {begin[1]: Step(0)}}
        for place in range(begin[0], end):
            states = reached.get(place)
            if not states:
                continue
            bound = margin + min(
                step.cost for at, there in reached.items() if at >= place for step in there.values()
            )
            against = 0 if place == begin[0] else self.evidence.cutting[place]
            for number, step in states.items():
                if step.cost > bound:
                    continue
                cost = step.cost + against
                self._extend((place, number), cost, reached, bound, (end, goal), without)
        return self._best(reached, begin, goal, end)

    def _extend(
        self,
        state: State,
        cost: int,
        reached: Reached,
        bound: int,
        limits: tuple[int, State | None],
        without: Span | None,
    ) -> None:
        end, goal = limits
        for number, skipped in self._next_numbers(state):
            if goal is not None and number > goal[1]:
                continue
            for stop in self._ends(state[0], number, end):
                span = Span(state[0], stop, number)
                sofar = cost + skipped + self._evidence_against(span)
                if sofar > bound or span == without:
                    continue
                sofar += self.cost_of(span)
                there = reached.setdefault(stop, {})
                if number not in there or sofar < there[number].cost:
                    there[number] = Step(sofar, span, state[1])

    def _next_numbers(self, state: State) -> Iterator[tuple[int, int]]:
        place, last = state
        own = self.cards[place].round
        if own is not None:
            yield own, sum(self._skipping(n) for n in range(last + 1, own) if n in self.numbers)
            return
        skipped = 0
        for number in range(last + 1, last + 2 + MOST_NUMBERS_SKIPPED):
            yield number, skipped
            if number not in self.numbers and number > self.last_known:
                return
            skipped += self._skipping(number)

    def _ends(self, start: int, number: int, end: int) -> Iterator[int]:
        """Go through where a round may end that begins with one card."""
        longest = MOST_CARDS_OF_A_COUP if self.setting.is_baccarat else MOST_CARDS_OF_A_ROUND
        for stop in range(start + 1, end + 1):
            if self.cards[stop - 1].round not in (None, number):
                return
            goes_on = stop < end and self.cards[stop].round == number
            if goes_on and self.cards[stop - 1].round == number:
                continue
            if stop - start > longest and self.cards[stop - 1].round is None:
                return
            if stop == end or self.may_end_before(stop):
                yield stop

    def look_everywhere(self) -> None:
        """Let rounds of blackjack end anywhere, for so many stretches more."""
        self.looks_everywhere = True
        self.most_segments = self.searched + MOST_SEGMENTS_EVERYWHERE

    def may_end_before(self, place: int) -> bool:
        """Leave out ends of rounds of blackjack that the pauses speak clearly against.

        To look at every stretch of cards as a round would take too long.
        """
        if self.setting.is_baccarat or self.looks_everywhere:
            return True
        numbered = self.cards[place].round is not None or self.cards[place - 1].round is not None
        return numbered or self.evidence.cutting[place] < CLEARLY_AGAINST

    def _best(self, reached: Reached, begin: State, goal: State | None, end: int) -> Cut:
        totals = [
            (step.cost + self._left_at_the_end(number, goal), number)
            for number, step in reached.get(end, {}).items()
            if goal is None or number == goal[1]
        ]
        if not totals:
            raise DeadEnd
        total, number = min(totals)
        spans: list[Span] = []
        place = end
        while place > begin[0]:
            step = reached[place][number]
            if step.span is None:
                raise DeadEnd
            spans.append(step.span)
            place, number = step.span.start, step.before
        return Cut(tuple(reversed(spans)), total)

    def _left_at_the_end(self, number: int, goal: State | None) -> int:
        if goal is not None:
            return 0
        return sum(self._skipping(left) for left in self.numbers if left > number)
