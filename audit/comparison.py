"""Several card logs of one shoe made into one: two readers of a shoe, or a shoe and a camera.

Logs that number their cards alike are compared number by number. A camera that starts in the
middle, or misses a card, numbers them otherwise; then the cards themselves tell which is which.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from audit.alignment import FARTHEST, Alignment, align, alone_in_one
from audit.cards import DECK, UNREAD, parse_card
from audit.findings import Evidence
from audit.hands import Hand, parse_hand
from audit.judge import SURE_FROM
from audit.judging.shoe import ShoeFinding, source_finding
from audit.rulebook import Rulebook
from audit.rules.shoe import (
    OneSource,
    TwoOrders,
    TwoReadings,
    card_in_one_source_only,
    orders_differ,
    sources_differ,
)
from audit.shoe_rows import CardRow, Origin
from audit.verdicts import Verdict

SUREST = 0.99
"""No device is taken to be surer than this when another one contradicts it."""
LEAST_IN_COMMON = 0.5
"""Logs that agree on less than this share of the shorter one are not of the same cards."""
LEAST_ALTERNATIVE = 0.001
TOGETHER = timedelta(seconds=0.3)
"""Cards that a camera saw within this time came into its sight together, in no order."""

_UNREAD = str(UNREAD)
_NAMES = frozenset({_UNREAD, *map(str, DECK)})


@dataclass(frozen=True, slots=True)
class Compared:
    """One log out of several, what they disagree about, and the rows that it does not use."""

    cards: tuple[CardRow, ...]
    findings: tuple[ShoeFinding, ...]
    left_over: tuple[tuple[CardRow, str], ...]
    places: Mapping[Origin, int] = field(default_factory=dict, compare=False)
    """Under which number each row that was used stands now."""


@dataclass(frozen=True, slots=True)
class _Doubt:
    """What two logs disagree about, before the card has its number in the merged log."""

    about: TwoReadings | OneSource | TwoOrders
    confidence: float
    hand_in_doubt: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """A card of the merged log; without a number it stands next after the one before it."""

    row: CardRow
    numbered: bool = True
    doubts: tuple[_Doubt, ...] = ()
    also: tuple[Origin, ...] = ()
    """Rows of other logs on the same card."""


def compare_logs(logs: Sequence[tuple[CardRow, ...]], book: Rulebook) -> Compared:
    """Compare the logs of one shoe, each from one source, card by card."""
    ordered = [sorted(map(_spelt, log), key=lambda row: row.seq) for log in logs if log]
    # A shoe knows its own numbers; a camera counts from when it began to look.
    ordered.sort(key=lambda log: (_is_filmed(log[0]), -len(log)))
    places = [_Place(row) for row in ordered[0]] if ordered else []
    strangers: list[ShoeFinding] = []
    left_over: list[tuple[CardRow, str]] = []
    for log in ordered[1:]:
        here = [place.row for place in places]
        alignment = align(here, log)
        if alignment.agree < LEAST_IN_COMMON * min(len(here), len(log)):
            strangers += _nothing_in_common(here, log, alignment.agree, book)
            why = f"its log has too little in common with that of {_told(here[0])}"
            left_over += [(row, why) for row in log]
            continue
        left_over += _not_used(here, log, alignment)
        places = _merge(places, log, alignment)
    places = _number(places)
    found = [finding for place in places for finding in _findings(place, book)]
    numbers = {
        origin: place.row.seq for place in places for origin in (place.row.origin, *place.also)
    }
    cards = tuple(place.row for place in places)
    return Compared(cards, (*strangers, *found), tuple(left_over), numbers)


def _spelt(row: CardRow) -> CardRow:
    """Spell a card as all logs do."""
    return row if row.card in _NAMES else replace(row, card=str(parse_card(row.card)))


def _nothing_in_common(
    one: Sequence[CardRow], other: Sequence[CardRow], agree: int, book: Rulebook
) -> Iterator[ShoeFinding]:
    first = one[0]
    says = TwoReadings(
        seq=first.seq,
        source=_told(first),
        says=f"{len(one)} cards",
        other_source=_told(other[0]),
        other_says=f"{len(other)}, of which only {agree} agree; those are left out",
        both_sure=False,
    )
    verdict = sources_differ(says, book)
    for finding in source_finding(book, "SRC004", verdict, Evidence(cards=(first.seq,))):
        yield ShoeFinding(first.round, finding)


# One card out of two


def _merge(places: list[_Place], log: Sequence[CardRow], alignment: Alignment) -> list[_Place]:
    here_rows = [place.row for place in places]
    later = _rounds_later(alignment, here_rows, log)
    lacked = {at for run in alone_in_one(alignment.pairs) if len(run) <= FARTHEST for at in run}
    merged: list[_Place] = []
    for at, (here, there) in enumerate(alignment.pairs):
        if here is not None and there is not None:
            passed = _passed(at, alignment, here_rows, log) if here in alignment.moved else None
            merged.append(_one_of(places[here], log[there], passed))
            continue
        if here is not None:
            place, lacking = places[here], log
        elif there is not None:
            row = log[there]
            if row.round is not None:
                row = replace(row, round=row.round + later)
            place, lacking = _Place(row, numbered=alignment.by_seq), here_rows
        if at in lacked:
            doubt = _Doubt(_only_in_one(place.row, lacking), place.row.confidence)
            place = replace(place, doubts=(*place.doubts, doubt))
        merged.append(place)
    return merged


def _rounds_later(alignment: Alignment, one: Sequence[CardRow], other: Sequence[CardRow]) -> int:
    """By how much the first log numbers its rounds higher than the other."""
    apart: Counter[int] = Counter()
    for here, there in alignment.pairs:
        if here is not None and there is not None:
            first, second = one[here].round, other[there].round
            if first is not None and second is not None:
                apart[first - second] += 1
    return max(apart, key=lambda rounds: (apart[rounds], -abs(rounds)), default=0)


def _only_in_one(row: CardRow, lacking: Sequence[CardRow]) -> OneSource:
    filmed, was_to_be_seen = _is_filmed(row), any(map(_is_filmed, lacking))
    return OneSource(
        row.seq,
        row.card,
        _told(row),
        _told(lacking[0]),
        off_the_table=was_to_be_seen and not filmed,
        only_on_the_table=filmed and not was_to_be_seen,
    )


def _is_filmed(row: CardRow) -> bool:
    return row.at_s is not None


def _told(row: CardRow) -> str:
    """What a source is called: a log that was made of a film, as the film."""
    return row.footage or row.origin.file


@dataclass(frozen=True, slots=True)
class _Passed:
    """A card that another one comes before in one log, and after in the other, or the reverse."""

    card: str
    before: bool


def _passed(
    at: int, alignment: Alignment, one: Sequence[CardRow], other: Sequence[CardRow]
) -> _Passed | None:
    """Find the nearest card that a moved one has on its other side in the other log."""
    here, there = alignment.pairs[at]
    near = range(max(0, at - FARTHEST), min(len(alignment.pairs), at + FARTHEST + 1))
    for close in sorted(near, key=lambda place: abs(place - at)):
        beside, across = alignment.pairs[close]
        if here is None or there is None or beside is None or across is None or close == at:
            continue
        if (close > at) != (across > there):
            apart = _told_apart(one[here], one[beside]) and _told_apart(other[there], other[across])
            return _Passed(one[beside].card, before=close > at) if apart else None
    return None


def _told_apart(one: CardRow, other: CardRow) -> bool:
    """Whether a source saw which of two cards came first."""
    return not (_is_filmed(one) and _is_filmed(other)) or abs(one.ts - other.ts) >= TOGETHER


def _one_of(place: _Place, other: CardRow, passed: _Passed | None = None) -> _Place:
    """Make one row of two on the same card, with what they disagree about."""
    one = place.row
    row = _read_as_both(one, other)
    hand, hands_differ = _hand(one, other)
    says, other_says = one.card, other.card
    if hands_differ:
        says, other_says = f"{says} at {one.hand}", f"{other_says} at {other.hand}"
    doubts = place.doubts
    if passed is not None:
        doubts = (*doubts, _two_orders(one, other, passed, hands_differ=hands_differ))
    elif hands_differ or _contradict(one, other):
        doubt = _two_readings(one, other, says, other_says)
        doubts = (*doubts, replace(doubt, hand_in_doubt=hands_differ))
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
        doubt=_doubt(one, other, row),
        origin=row.origin,
    )
    return _Place(row, place.numbered, doubts, (*place.also, one.origin, other.origin))


def _doubt(one: CardRow, other: CardRow, read: CardRow) -> str:
    """Keep why a round is in doubt, unless that made its cards unsure and the other log is sure."""
    settled = read.confidence >= SURE_FROM
    doubts = (row.doubt for row in (one, other) if not (settled and row.confidence < SURE_FROM))
    return "; ".join(dict.fromkeys(filter(None, doubts)))


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
        source=_told(one),
        says=says,
        other_source=_told(other),
        other_says=other_says,
        both_sure=one.card != other.card and min(one.confidence, other.confidence) >= SURE_FROM,
    )
    return _Doubt(about, one.confidence * other.confidence)


def _two_orders(one: CardRow, other: CardRow, passed: _Passed, *, hands_differ: bool) -> _Doubt:
    about = TwoOrders(
        seq=one.seq,
        card=one.card,
        passed=passed.card,
        source=_told(one),
        other_source=_told(other),
        before=passed.before,
        hands=(str(one.hand), str(other.hand)) if hands_differ else None,
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
    one: Sequence[CardRow], other: Sequence[CardRow], alignment: Alignment
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
        code, verdict = _verdict(doubt.about, place.row.seq, book)
        for finding in source_finding(book, code, verdict, evidence, confidence=doubt.confidence):
            yield ShoeFinding(place.row.round, finding, doubt.hand_in_doubt)


def _verdict(
    about: TwoReadings | OneSource | TwoOrders, seq: int, book: Rulebook
) -> tuple[str, Verdict]:
    """Hold a rule against what two logs disagree about, by the number that the card has now."""
    match about:
        case TwoReadings():
            return "SRC004", sources_differ(replace(about, seq=seq), book)
        case OneSource():
            return "SRC005", card_in_one_source_only(replace(about, seq=seq), book)
        case TwoOrders():
            return "SRC006", orders_differ(replace(about, seq=seq), book)
