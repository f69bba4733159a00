"""The cut of a whole shoe: found narrowly first, then looked at again where it breaks rules."""

from collections.abc import Iterator, Sequence

from audit.reconstruction.burning import Burnt
from audit.reconstruction.numbering import (
    MIDDLE,
    MOST_NUMBERS_SKIPPED,
    NARROW,
    WIDE,
    Cut,
    DeadEnd,
    Numbering,
    Span,
    State,
    TooLong,
)
from audit.reconstruction.trial import BREACH

BEFORE, AFTER = 2, 4
"""How many rounds around one that breaks a rule are cut again with it."""
SINGLE_FAULTS = 2
SHARE_OF_FAULTS = 0.25
ROUNDS_THAT_TELL_THE_BURN = 5
EQUALLY_GOOD = 150
"""How far another cut may lie behind and still be as good."""


def first_number(numbering: Numbering) -> int:
    """Tell the number of the first round: one, unless all that is known begins later."""
    least = min(numbering.material.known_numbers, default=1)
    late = numbering.material.starts_in_the_middle or least > 1 + MOST_NUMBERS_SKIPPED
    return least if late else 1


def cut_shoe(numbering: Numbering, burnt: Sequence[Burnt]) -> tuple[int, tuple[Span, ...]]:
    """Cut a shoe into rounds, unless the device has; give how many cards were burnt, too."""
    if all(row.round is not None for row in numbering.cards[burnt[0].cards :]):
        return _cut_by_device(numbering, burnt)
    return best_cut(numbering, burnt)


def _cut_by_device(numbering: Numbering, burnt: Sequence[Burnt]) -> tuple[int, tuple[Span, ...]]:
    spans: list[Span] = []
    start = burnt[0].cards
    for place in range(start, len(numbering.cards)):
        number = numbering.cards[place].round
        if place + 1 == len(numbering.cards) or numbering.cards[place + 1].round != number:
            spans.append(Span(start, place + 1, number or 0))
            start = place + 1
    if not spans or len(burnt) == 1:
        return burnt[0].cards, tuple(spans)
    first = spans[0]
    ways = [way for way in burnt if way.cards < first.end]
    best, least = burnt[0], burnt[0].cost + numbering.cost_of(first)
    for way in ways:
        if way.cost < least:
            cost = way.cost + numbering.cost_of(Span(way.cards, first.end, first.number))
            best, least = (way, cost) if cost < least else (best, least)
    return best.cards, (Span(best.cards, first.end, first.number), *spans[1:])


def best_cut(numbering: Numbering, burnt: Sequence[Burnt]) -> tuple[int, tuple[Span, ...]]:
    """Cut a shoe into rounds; give how many cards were burnt before them, too."""
    before = first_number(numbering) - 1
    spans = _first_cut(numbering, (burnt[0].cards, before))
    for window in _doubtful(numbering, spans):
        spans = _cut_again(numbering, spans, window, before)
    numbering.look_everywhere()
    for window in list(_doubtful(numbering, spans)):
        if window[0] in spans and window[1] in spans and _many_are_bad(numbering, spans, window):
            spans = _cut_again(numbering, spans, window, before)
    numbering.looks_everywhere = False
    if not numbering.setting.is_baccarat and _too_many_are_bad(numbering, spans):
        raise TooLong
    return _with_the_burn_told(numbering, burnt, spans, before)


def _first_cut(numbering: Numbering, begin: State) -> tuple[Span, ...]:
    """Follow only what lies close to the best, and more only where that leads nowhere."""
    for margin in (NARROW, MIDDLE):
        try:
            return numbering.cut(begin, None, margin=margin).spans
        except DeadEnd:
            continue
    return numbering.cut(begin, None, margin=WIDE).spans


def _doubtful(numbering: Numbering, spans: Sequence[Span]) -> Iterator[tuple[Span, Span]]:
    """Go through the stretches of rounds around those that break a rule, each by its ends."""
    bad = [place for place, span in enumerate(spans) if numbering.cost_of(span) >= BREACH]
    stretch: list[int] = []
    for place in bad:
        first, last = max(0, place - BEFORE), min(len(spans) - 1, place + AFTER)
        if stretch and first <= stretch[1]:
            stretch[1] = last
            continue
        if stretch:
            yield spans[stretch[0]], spans[stretch[1]]
        stretch = [first, last]
    if stretch:
        yield spans[stretch[0]], spans[stretch[1]]


def _too_many_are_bad(numbering: Numbering, spans: tuple[Span, ...]) -> bool:
    """Tell a shoe in which so many rounds break rules that the cut itself must be wrong."""
    bad = sum(numbering.cost_of(span) >= BREACH for span in spans)
    return bad > max(SINGLE_FAULTS, SHARE_OF_FAULTS * len(spans))


def _many_are_bad(numbering: Numbering, spans: tuple[Span, ...], window: tuple[Span, Span]) -> bool:
    """Tell rounds cut in the wrong place, of which both sides break rules, from a single fault."""
    within = spans[spans.index(window[0]) : spans.index(window[1]) + 1]
    return sum(numbering.cost_of(span) >= BREACH for span in within) > SINGLE_FAULTS


def _state_before(spans: Sequence[Span], span: Span, before: int) -> State:
    place = spans.index(span)
    return span.start, spans[place - 1].number if place else before


def _cut_again(
    numbering: Numbering, spans: tuple[Span, ...], window: tuple[Span, Span], before: int
) -> tuple[Span, ...]:
    first, last = window
    if first not in spans or last not in spans:
        return spans
    begin = _state_before(spans, first, before)
    goal = (last.end, last.number)
    at_the_end = last == spans[-1]
    try:
        again = numbering.cut(begin, None if at_the_end else goal, margin=WIDE)
    except (DeadEnd, TooLong):
        return spans
    return _spliced(spans, again, first, last)


def _spliced(spans: tuple[Span, ...], again: Cut, first: Span, last: Span) -> tuple[Span, ...]:
    return (*spans[: spans.index(first)], *again.spans, *spans[spans.index(last) + 1 :])


def _with_the_burn_told(
    numbering: Numbering, burnt: Sequence[Burnt], spans: tuple[Span, ...], before: int
) -> tuple[int, tuple[Span, ...]]:
    """See whether the first rounds go better after another number of burnt cards."""
    told = spans[:ROUNDS_THAT_TELL_THE_BURN]
    if len(burnt) == 1 or sum(numbering.cost_of(span) for span in told) <= burnt[1].cost:
        return burnt[0].cards, spans
    last = told[-1]
    goal = (last.end, last.number)
    try:
        best = numbering.cut((burnt[0].cards, before), goal, margin=WIDE)
    except (DeadEnd, TooLong):
        return burnt[0].cards, spans
    chosen, least = burnt[0], best.cost
    for way in burnt[1:]:
        if least <= way.cost or way.cards >= last.end:
            continue
        try:
            other = numbering.cut((way.cards, before), goal, margin=WIDE)
        except (DeadEnd, TooLong):
            continue
        if other.cost + way.cost < least:
            chosen, best, least = way, other, other.cost + way.cost
    return chosen.cards, _spliced(spans, best, spans[0], last)


def other_cut(numbering: Numbering, spans: tuple[Span, ...], span: Span) -> dict[int, Span] | None:
    """Cut the shoe without one round of it, if that can be done as well: the rounds that differ."""
    place = spans.index(span)
    first, last = spans[max(0, place - BEFORE)], spans[min(len(spans) - 1, place + AFTER)]
    begin = _state_before(spans, first, first_number(numbering) - 1)
    goal = None if last == spans[-1] else (last.end, last.number)
    try:
        best = numbering.cut(begin, goal, margin=WIDE)
        other = numbering.cut(begin, goal, margin=WIDE, without=span)
    except (DeadEnd, TooLong):
        return None
    if other.cost > best.cost + EQUALLY_GOOD:
        return None
    return {new.number: new for new in other.spans if new not in spans}
