"""Several card logs of one shoe made into one: two readers of a shoe, or a shoe and a camera.

Logs that number their cards alike are compared number by number. A camera that starts in the
middle, or misses a card, numbers them otherwise; then the cards themselves tell which is which.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import groupby

from audit.cards import DECK, UNREAD, parse_card
from audit.findings import Evidence
from audit.hands import Hand, parse_hand
from audit.judge import SURE_FROM
from audit.judging.shoe import ShoeFinding, source_finding
from audit.rulebook import Rulebook
from audit.rules.shoe import OneSource, TwoReadings, card_in_one_source_only, sources_differ
from audit.shoe_rows import CardRow

SUREST = 0.99
"""No device is taken to be surer than this when another one contradicts it."""
LEAST_IN_COMMON = 0.5
"""Logs that agree on less than this share of the shorter one are not of the same cards."""
FARTHEST = 8
"""How many cards apart two sources may have seen one and the same card: a hand or two."""
LEAST_ALTERNATIVE = 0.001

_UNREAD = str(UNREAD)
_NAMES = frozenset({_UNREAD, *map(str, DECK)})

_Pair = tuple[int | None, int | None]
"""The places of one card in two logs; None: that log has no row for it."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One log out of several, what they disagree about, and the rows that it does not use."""

    cards: tuple[CardRow, ...]
    findings: tuple[ShoeFinding, ...]
    left_over: tuple[tuple[CardRow, str], ...]


@dataclass(frozen=True, slots=True)
class _Doubt:
    """What two logs disagree about, before the card has its number in the merged log."""

    about: TwoReadings | OneSource
    confidence: float


@dataclass(frozen=True, slots=True)
class _Place:
    """A card of the merged log; without a number it stands next after the one before it."""

    row: CardRow
    numbered: bool = True
    doubts: tuple[_Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class _Alignment:
    pairs: tuple[_Pair, ...]
    by_seq: bool
    agree: int
    cost: int


def compare_logs(logs: Sequence[tuple[CardRow, ...]], book: Rulebook) -> Compared:
    """Compare the logs of one shoe, each from one source, card by card."""
    ordered = [sorted(map(_spelt, log), key=lambda row: row.seq) for log in logs if log]
    ordered.sort(key=len, reverse=True)
    places = [_Place(row) for row in ordered[0]] if ordered else []
    strangers: list[ShoeFinding] = []
    left_over: list[tuple[CardRow, str]] = []
    for log in ordered[1:]:
        here = [place.row for place in places]
        alignment = _align(here, log)
        if alignment.agree < LEAST_IN_COMMON * min(len(here), len(log)):
            strangers += _nothing_in_common(here, log, alignment.agree, book)
            why = f"its log has too little in common with that of {here[0].origin.file}"
            left_over += [(row, why) for row in log]
            continue
        left_over += _not_used(here, log, alignment)
        places = _merge(places, log, alignment)
    places = _number(places)
    found = [finding for place in places for finding in _findings(place, book)]
    return Compared(tuple(place.row for place in places), (*strangers, *found), tuple(left_over))


def _spelt(row: CardRow) -> CardRow:
    """Spell a card as all logs do."""
    return row if row.card in _NAMES else replace(row, card=str(parse_card(row.card)))


# Which card of one log is which of the other


def _align(one: Sequence[CardRow], other: Sequence[CardRow]) -> _Alignment:
    """Go by the numbers, unless the cards say that they are numbered otherwise."""
    numbered = _by_seq(one, other)
    if not numbered.cost:
        return numbered
    ordered = _by_order(one, other)
    return min(numbered, ordered, key=lambda alignment: (alignment.cost, -alignment.agree))


def _by_seq(one: Sequence[CardRow], other: Sequence[CardRow]) -> _Alignment:
    here = {row.seq: place for place, row in enumerate(one)}
    there = {row.seq: place for place, row in enumerate(other)}
    pairs = tuple((here.get(seq), there.get(seq)) for seq in sorted(here.keys() | there.keys()))
    return _weighed(pairs, one, other, by_seq=True)


def _by_order(one: Sequence[CardRow], other: Sequence[CardRow]) -> _Alignment:
    """Find the stretches that both logs have, and pair off what lies between them."""
    names = _tokens(one, "one"), _tokens(other, "other")
    pairs: list[_Pair] = []
    for tag, a, b, c, d in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        if tag == "equal" or b - a == d - c:
            pairs += zip(range(a, b), range(c, d), strict=True)
        else:
            pairs += _paired_off(names[0], names[1], range(a, b), range(c, d))
    return _weighed(_with_moved_cards(pairs, one, other), one, other, by_seq=False)


def _tokens(log: Sequence[CardRow], side: str) -> list[str]:
    """Name the cards so that one that was not read is like no other."""
    return [f"{side} {place}" if row.card == _UNREAD else row.card for place, row in enumerate(log)]


def _paired_off(
    one: Sequence[str], other: Sequence[str], here: range, there: range
) -> Iterator[_Pair]:
    """Pair the cards of two stretches of different length, with the fewest that differ."""
    costs = [
        [float(row + column) for column in range(len(there) + 1)] for row in range(len(here) + 1)
    ]
    for row, place in enumerate(here, 1):
        for column, at in enumerate(there, 1):
            differs = 0.0 if one[place] == other[at] else 0.9
            costs[row][column] = min(
                costs[row - 1][column - 1] + differs,
                costs[row - 1][column] + 1,
                costs[row][column - 1] + 1,
            )
    found: list[_Pair] = []
    row, column = len(here), len(there)
    while row or column:
        if row and costs[row][column] == costs[row - 1][column] + 1:
            row -= 1
            found.append((here[row], None))
        elif column and costs[row][column] == costs[row][column - 1] + 1:
            column -= 1
            found.append((None, there[column]))
        else:
            row, column = row - 1, column - 1
            found.append((here[row], there[column]))
    return reversed(found)


def _with_moved_cards(
    pairs: Sequence[_Pair], one: Sequence[CardRow], other: Sequence[CardRow]
) -> tuple[_Pair, ...]:
    """Join a card that only one log has with the same card a little later or earlier in the other.

    Cards that are dealt together come into a camera's sight in an order of their own.
    """
    joined = list(pairs)
    alone = [at for at, (here, there) in enumerate(joined) if there is None and here is not None]
    for at in alone:
        here = joined[at][0]
        near = range(max(0, at - FARTHEST), min(len(joined), at + FARTHEST + 1))
        for close in sorted(near, key=lambda place: abs(place - at)):
            left, there = joined[close]
            if left is None and there is not None and here is not None:
                card = other[there].card
                if card == one[here].card and card != _UNREAD:
                    joined[at], joined[close] = (here, there), (None, None)
                    break
    return tuple(pair for pair in joined if pair != (None, None))


def _weighed(
    pairs: tuple[_Pair, ...], one: Sequence[CardRow], other: Sequence[CardRow], *, by_seq: bool
) -> _Alignment:
    """Count the cards on which two logs agree, and those on which they do not."""
    agree = differ = 0
    for here, there in pairs:
        if here is not None and there is not None:
            cards = {one[here].card, other[there].card}
            agree += len(cards) == 1
            differ += len(cards) == 2 and _UNREAD not in cards
    alone = sum(len(run) for run in _alone(pairs))
    return _Alignment(pairs, by_seq, agree, differ + alone)


def _alone(pairs: Sequence[_Pair]) -> Iterator[range]:
    """Find the stretches, by their places, that only one log has while the other goes on.

    What lies before its beginning or behind its end is not asked of a log.
    """
    both = [at for at, pair in enumerate(pairs) if None not in pair]
    if not both:
        return
    inside = range(both[0], both[-1] + 1)
    for key, run in groupby(inside, key=lambda at: (pairs[at][0] is None, pairs[at][1] is None)):
        if any(key):
            places = list(run)
            yield range(places[0], places[-1] + 1)


def _nothing_in_common(
    one: Sequence[CardRow], other: Sequence[CardRow], agree: int, book: Rulebook
) -> Iterator[ShoeFinding]:
    first = one[0]
    says = TwoReadings(
        seq=first.seq,
        source=first.origin.file,
        says=f"{len(one)} cards",
        other_source=other[0].origin.file,
        other_says=f"{len(other)}, of which only {agree} agree; those are left out",
        both_sure=False,
    )
    verdict = sources_differ(says, book)
    for finding in source_finding(book, "SRC004", verdict, Evidence(cards=(first.seq,))):
        yield ShoeFinding(first.round, finding)


# One card out of two


def _merge(places: list[_Place], log: Sequence[CardRow], alignment: _Alignment) -> list[_Place]:
    other_source = log[0].origin.file
    source = places[0].row.origin.file
    lacked = {at for run in _alone(alignment.pairs) if len(run) <= FARTHEST for at in run}
    merged: list[_Place] = []
    for at, (here, there) in enumerate(alignment.pairs):
        if here is not None and there is not None:
            merged.append(_one_of(places[here], log[there]))
            continue
        if here is not None:
            place, lacking = places[here], other_source
        elif there is not None:
            place, lacking = _Place(log[there], numbered=alignment.by_seq), source
        if at in lacked:
            row = place.row
            about = OneSource(row.seq, row.card, row.origin.file, lacking)
            doubts = (*place.doubts, _Doubt(about, row.confidence))
            place = replace(place, doubts=doubts)
        merged.append(place)
    return merged


def _one_of(place: _Place, other: CardRow) -> _Place:
    """Make one row of two on the same card, with what they disagree about."""
    one = place.row
    row = _read_as_both(one, other)
    hand, hands_differ = _hand(one, other)
    says, other_says = one.card, other.card
    if hands_differ:
        says, other_says = f"{says} at {one.hand}", f"{other_says} at {other.hand}"
    doubts = place.doubts
    if hands_differ or _contradict(one, other):
        doubts = (*doubts, _two_readings(one, other, says, other_says))
    filmed = one if one.at_s is not None or other.at_s is None else other
    row = CardRow(
        round=one.round if one.round is not None else other.round,
        seq=one.seq,
        card=row.card,
        hand=hand,
        ts=one.ts,
        confidence=row.confidence,
        alternatives=row.alternatives,
        at_s=filmed.at_s,
        footage=filmed.footage,
        origin=row.origin,
    )
    return _Place(row, place.numbered, doubts)


def _read_as_both(one: CardRow, other: CardRow) -> CardRow:
    """Weigh two readings of a card: the likelier stays, the other remains possible."""
    if other.card == _UNREAD and not other.alternatives:
        return one
    if one.card == _UNREAD and not one.alternatives:
        return replace(
            one, card=other.card, confidence=other.confidence, alternatives=other.alternatives
        )
    if one.card == other.card != _UNREAD:
        confidence = 1 - (1 - one.confidence) * (1 - other.confidence)
        if confidence == one.confidence:
            return one
        left = _left_over(one, confidence) | _left_over(other, confidence)
        return replace(one, confidence=confidence, alternatives=_written(left))
    likely = _posterior(_readings(one), _readings(other))
    surer = max(one, other, key=lambda row: likely.get(row.card, 0.0))
    confidence = likely.pop(surer.card) if surer.card in likely else surer.confidence
    return replace(surer, confidence=confidence, alternatives=_written(likely))


def _left_over(row: CardRow, confidence: float) -> dict[str, float]:
    """Scale the other readings of a card down to what a surer reading leaves for them."""
    if not row.alternatives or row.confidence >= 1:
        return {}
    scale = (1 - confidence) / (1 - row.confidence)
    return {card: share * scale for card, share in _readings(row).items() if card != row.card}


def _readings(row: CardRow) -> dict[str, float]:
    """Give the readings of a card that its source names, each with its probability."""
    pairs = (reading.rpartition(":") for reading in row.alternatives.split())
    readings = {str(parse_card(card)): float(share) for card, _, share in pairs}
    if row.card != _UNREAD:
        readings[row.card] = row.confidence
    return readings


def _posterior(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    """Multiply two independent readings; what a source does not name shares what it leaves."""

    def spread(readings: Mapping[str, float]) -> tuple[dict[str, float], float]:
        sure = {card: min(share, SUREST) for card, share in readings.items()}
        left = max(1 - SUREST, 1 - sum(sure.values()))
        return sure, left / (len(DECK) - len(sure))

    (here, rest_here), (there, rest_there) = spread(one), spread(other)
    named = {
        card: here.get(card, rest_here) * there.get(card, rest_there)
        for card in sorted(here.keys() | there.keys())
    }
    whole = sum(named.values()) + (len(DECK) - len(named)) * rest_here * rest_there
    return {card: share / whole for card, share in named.items()}


def _written(readings: Mapping[str, float]) -> str:
    likeliest = sorted(readings.items(), key=lambda reading: (-reading[1], reading[0]))
    return " ".join(
        f"{card}:{share:.3f}" for card, share in likeliest if share >= LEAST_ALTERNATIVE
    )


def _contradict(one: CardRow, other: CardRow) -> bool:
    """Tell whether two readings exclude each other; one in doubt may have named both."""
    if one.card == other.card or _UNREAD in (one.card, other.card):
        return False
    return not any(
        unsure.confidence < SURE_FROM and second.card in _readings(unsure)
        for unsure, second in ((one, other), (other, one))
    )


def _two_readings(one: CardRow, other: CardRow, says: str, other_says: str) -> _Doubt:
    about = TwoReadings(
        seq=one.seq,
        source=one.origin.file,
        says=says,
        other_source=other.origin.file,
        other_says=other_says,
        both_sure=min(one.confidence, other.confidence) >= SURE_FROM,
    )
    return _Doubt(about, one.confidence * other.confidence)


def _hand(one: CardRow, other: CardRow) -> tuple[str | None, bool]:
    """Choose the hand a card went to, and tell whether the sources disagree about it.

    A camera's zone holds all hands of a box, so a split hand and its box are no disagreement.
    """
    if one.hand is None or other.hand is None or one.hand == other.hand:
        return one.hand or other.hand, False
    here, there = parse_hand(one.hand), parse_hand(other.hand)
    if _area(here) == _area(there):
        return (one if here.formed >= there.formed else other).hand, False
    return (other if other.confidence > one.confidence else one).hand, True


def _area(hand: Hand) -> tuple[str, int]:
    return hand.place, hand.box


def _not_used(
    one: Sequence[CardRow], other: Sequence[CardRow], alignment: _Alignment
) -> Iterator[tuple[CardRow, str]]:
    """Say of the rows that are merged into another one which that is."""
    origins = {row.origin.source: row.origin for row in (*one, *other)}
    files = {source: origin.file for source, origin in origins.items()}
    for here, there in alignment.pairs:
        if here is None or there is None:
            continue
        kept, unused = one[here], other[there]
        if kept.card != unused.card and _read_as_both(kept, unused).origin == unused.origin:
            kept, unused = unused, kept
        file = files[kept.origin.source]
        yield unused, f"it is the same card as row {kept.origin.row} of {file}"


# The merged log


def _number(places: Sequence[_Place]) -> list[_Place]:
    """Number the cards upwards, each by its own number where that is still free."""
    numbered: list[_Place] = []
    last = 0
    for place in places:
        last = max(last + 1, place.row.seq) if place.numbered else last + 1
        if place.row.seq != last:
            place = replace(place, row=replace(place.row, seq=last))
        numbered.append(place)
    return numbered


def _findings(place: _Place, book: Rulebook) -> Iterator[ShoeFinding]:
    evidence = Evidence(cards=(place.row.seq,))
    for doubt in place.doubts:
        if isinstance(doubt.about, TwoReadings):
            code, about = "SRC004", replace(doubt.about, seq=place.row.seq)
            verdict = sources_differ(about, book)
        else:
            code, only = "SRC005", replace(doubt.about, seq=place.row.seq)
            verdict = card_in_one_source_only(only, book)
        for finding in source_finding(book, code, verdict, evidence, confidence=doubt.confidence):
            yield ShoeFinding(place.row.round, finding)
