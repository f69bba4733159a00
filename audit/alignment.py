"""Which card of one log is which of another one of the same shoe."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import groupby

from audit.cards import UNREAD
from audit.shoe_rows import CardRow

FARTHEST = 8
"""How many cards apart two sources may have seen one and the same card: a hand or two."""

_UNREAD = str(UNREAD)

Pair = tuple[int | None, int | None]
"""The places of one card in two logs; None: that log has no row for it."""


@dataclass(frozen=True, slots=True)
class Alignment:
    pairs: tuple[Pair, ...]
    """In the order of the first log."""
    by_seq: bool
    agree: int
    cost: int
    moved: frozenset[int] = frozenset()
    """Places in the first log of cards that stand elsewhere in the other."""


def align(one: Sequence[CardRow], other: Sequence[CardRow]) -> Alignment:
    """Go by the numbers, unless the cards say that they are numbered otherwise."""
    numbered = _by_seq(one, other)
    if not numbered.cost:
        return numbered
    ordered = _by_order(one, other)
    return min(numbered, ordered, key=lambda alignment: (alignment.cost, -alignment.agree))


def _by_seq(one: Sequence[CardRow], other: Sequence[CardRow]) -> Alignment:
    here = {row.seq: place for place, row in enumerate(one)}
    there = {row.seq: place for place, row in enumerate(other)}
    pairs = tuple((here.get(seq), there.get(seq)) for seq in sorted(here.keys() | there.keys()))
    return _weighed(pairs, one, other, by_seq=True)


def _by_order(one: Sequence[CardRow], other: Sequence[CardRow]) -> Alignment:
    """Find the stretches that both logs have, and pair off what lies between them."""
    names = _tokens(one, "one"), _tokens(other, "other")
    pairs: list[Pair] = []
    for tag, a, b, c, d in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        if tag == "equal" or b - a == d - c:
            pairs += zip(range(a, b), range(c, d), strict=True)
        else:
            pairs += _paired_off(names[0], names[1], range(a, b), range(c, d))
    joined, moved = _with_moved_cards(pairs, one, other)
    return replace(_weighed(joined, one, other, by_seq=False), moved=moved)


def _tokens(log: Sequence[CardRow], side: str) -> list[str]:
    """Name the cards so that one that was not read is like no other."""
    return [f"{side} {place}" if row.card == _UNREAD else row.card for place, row in enumerate(log)]


def _paired_off(
    one: Sequence[str], other: Sequence[str], here: range, there: range
) -> Iterator[Pair]:
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
    found: list[Pair] = []
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
    pairs: Sequence[Pair], one: Sequence[CardRow], other: Sequence[CardRow]
) -> tuple[tuple[Pair, ...], frozenset[int]]:
    """Join a card that only one log has with the same card a little later or earlier in the other.

    It was dealt out of order, or came into a camera's sight together with others.
    """
    joined = list(pairs)
    moved = set()
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
                    moved.add(here)
                    break
    return tuple(pair for pair in joined if pair != (None, None)), frozenset(moved)


def _weighed(
    pairs: tuple[Pair, ...], one: Sequence[CardRow], other: Sequence[CardRow], *, by_seq: bool
) -> Alignment:
    """Count the cards on which two logs agree, and those on which they do not."""
    agree = differ = 0
    for here, there in pairs:
        if here is not None and there is not None:
            cards = {one[here].card, other[there].card}
            agree += len(cards) == 1
            differ += len(cards) == 2 and _UNREAD not in cards
    alone = sum(len(run) for run in alone_in_one(pairs))
    return Alignment(pairs, by_seq, agree, differ + alone)


def alone_in_one(pairs: Sequence[Pair]) -> Iterator[range]:
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
