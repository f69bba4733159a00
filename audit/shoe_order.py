"""Whether a shoe was shuffled: its order held against earlier shoes, new packs and itself.

Cards that were collected and not shuffled come back in stretches of the order in which they went.
Picking up hands mixes the cards of a round, so a stretch is compared by what it holds, whatever the
order inside. Stretches that follow one another in both shoes, forward or backward, form a chain,
and a chain is judged by how unlikely chance makes it: each stretch by the number of cards that it
would have to meet, each gap by the ways in which it could have been filled.
"""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate, count
from math import lgamma, log, log2
from operator import sub

from audit.cards import DECK, RANKS

SHOES_REMEMBERED = 20
STRETCHES = (4, 5, 6, 7, 8)
"""The lengths of stretches that are compared: a round of baccarat, or a hand or two."""
FARTHEST = 64
"""How many cards may lie between two stretches of a chain: a single riffle leaves about so many."""
LEAST_CARDS = 26
"""Fewer repeated cards, half a pack, are never called unshuffled, however unlikely they are."""
LEAST_BITS = 30.0
"""Chance must make a repeat less likely than one in 2 to this power, about one in 10^9."""
BITS_OF_A_LINK = 6.0
"""What a further stretch costs beyond its gap: it could have had other lengths and gaps. Measured,
so that among shuffled shoes repeats are at most as frequent as their bits say."""
LEAST_OF_A_SUIT = 5
CARDS_OF_A_SUIT = len(RANKS)

_VALUES = {
    str(card): int.from_bytes(blake2b(str(card).encode(), digest_size=7).digest()) for card in DECK
}
"""A number for each card, so that a stretch is known by the sum of its numbers."""
_RANK_OF = {str(rank): place for place, rank in enumerate(RANKS)}
_OF_ONE_SUIT = re.compile(rf"([SHDC])\1{{{LEAST_OF_A_SUIT - 1},}}")
_UNREAD_FROM = 64
_PLACE_BITS = 20


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part of a shoe that repeats an earlier one. Places count from 0 in each shoe."""

    shoe: str
    cards: int
    """How many cards stand in repeated stretches."""
    longest: int
    """How many of them stand in one piece."""
    start: int
    end: int
    """The place behind the last repeated card."""
    earlier_start: int
    backward: bool
    bits: float
    """How unlikely chance makes it: one in 2 to this power, all comparisons considered."""


@dataclass(frozen=True, slots=True)
class Period:
    """A part of a shoe in the order of new packs, or one that comes again in the same shoe."""

    cards: int
    start: int
    every: int | None
    """After how many cards the order comes again; None where suits stand in sequence."""
    bits: float


@dataclass(frozen=True, slots=True)
class _Stretch:
    """So many cards from one place in this shoe are those from another place in the other."""

    here: int
    there: int
    length: int


@dataclass(frozen=True, slots=True)
class _Chain:
    bits: float
    stretches: tuple[_Stretch, ...]

    @property
    def cards(self) -> int:
        return sum(stretch.length for stretch in self.stretches)

    @property
    def longest(self) -> int:
        """Count the cards of the longest piece without a gap in this shoe."""
        best = piece = behind = 0
        for stretch in self.stretches:
            piece = piece + stretch.length if stretch.here == behind else stretch.length
            behind = stretch.here + stretch.length
            best = max(best, piece)
        return best


@dataclass(frozen=True, slots=True)
class _Remembered:
    name: str
    number: int
    places: int
    keys: tuple[int, ...]
    long_lengths: tuple[int, ...]


class EarlierShoes:
    """The orders of the last shoes of a table."""

    def __init__(self, remembered: int = SHOES_REMEMBERED) -> None:
        self._remembered = remembered
        self._shoes: deque[_Remembered] = deque()
        self._places: dict[int, int] = {}
        self._long: Counter[int] = Counter()
        self._numbers = count()
        self._unread = count(1)

    def __len__(self) -> int:
        return len(self._shoes)

    def add(self, shoe: str, cards: Sequence[str], rounds: Iterable[tuple[int, int]] = ()) -> None:
        """Remember the order of a shoe, and forget the oldest one beyond those remembered.

        `rounds` says at which place each round began and how many cards it took: hands of a round
        that is longer than any stretch are picked up in an order of their own.
        """
        self._forget([kept for kept in self._shoes if kept.name == shoe])
        self._forget(list(self._shoes)[: max(0, len(self._shoes) + 1 - self._remembered)])
        number = next(self._numbers)
        sums = _sums(cards, self._unread)
        places: dict[int, int] = {}
        first = number << _PLACE_BITS
        for length in STRETCHES:
            places.update(zip(_keys(sums, length), count(first), strict=False))
        long = [(start, size) for start, size in rounds if size > STRETCHES[-1]]
        for start, size in long:
            places[sums[start + size] - sums[start]] = first | start
        lengths = tuple(size for _, size in long)
        self._places.update(places)
        self._long.update(lengths)
        self._shoes.append(_Remembered(shoe, number, len(cards), tuple(places), lengths))

    def _forget(self, shoes: Iterable[_Remembered]) -> None:
        for kept in shoes:
            for key in kept.keys:
                if self._places.get(key, -1) >> _PLACE_BITS == kept.number:
                    del self._places[key]
            self._long.subtract(kept.long_lengths)
            self._shoes.remove(kept)

    def repeat_of(self, cards: Sequence[str], shoe: str = "") -> Repeat | None:
        """Find the part of a shoe that repeats an earlier one of another name, if one does."""
        found = self._stretches(cards)
        if not found:
            return None
        distinct = _distinct_cards(cards)
        places = sum(kept.places for kept in self._shoes)
        searched = log2(2 * max(1, len(cards)) * max(1, places))
        best: Repeat | None = None
        for kept in self._shoes:
            stretches = found.get(kept.number, ())
            if kept.name == shoe or sum(part.length for part in stretches) < LEAST_CARDS:
                continue
            for backward in (False, True):
                chain = _best_chain(stretches, distinct, backward=backward)
                bits = chain.bits - searched
                if chain.cards < LEAST_CARDS or bits < LEAST_BITS:
                    continue
                if best is None or bits > best.bits:
                    best = _repeat(kept.name, chain, bits, backward=backward)
        return best

    def _stretches(self, cards: Sequence[str]) -> dict[int, list[_Stretch]]:
        """Find what the shoe has in common with each earlier one; of two from a place, the longer.

        Stretches of four cards meet by chance in most shoes, so a shoe with a few is soon done.
        """
        sums = _sums(cards, self._unread)
        known = self._places
        longest: dict[tuple[int, int], int] = {}
        for length in (*STRETCHES, *(length for length, uses in self._long.items() if uses)):
            keys = _keys(sums, length)
            common = known.keys() & keys
            if not common:
                continue
            for here, key in enumerate(keys):
                if key in common:
                    at = here, known[key]
                    longest[at] = max(longest.get(at, 0), length)
        found: dict[int, list[_Stretch]] = defaultdict(list)
        for (here, place), length in sorted(longest.items()):
            there = place & ((1 << _PLACE_BITS) - 1)
            found[place >> _PLACE_BITS].append(_Stretch(here, there, length))
        return found


def new_pack_order(cards: Sequence[str]) -> Period | None:
    """Find the part of a shoe in which suits stand in sequence, or one order comes again."""
    return _suits_in_sequence(cards) or _order_again(cards)


# What chance makes of stretches


def _distinct_cards(cards: Sequence[str]) -> float:
    """Give how many different cards there might as well be, if all were equally frequent."""
    counted = Counter(card for card in cards if card in _VALUES)
    return counted.total() ** 2 / sum(times**2 for times in counted.values()) if counted else 1.0


def _bits_of(length: int, distinct: float) -> float:
    """Tell how unlikely so many cards are to be the same as others, in whatever order."""
    return length * log2(distinct) - lgamma(length + 1) / log(2)


def _bits_lost(*gaps: int) -> float:
    """Tell how many ways a gap between two stretches leaves open."""
    return BITS_OF_A_LINK + sum(log2(gap + 1) for gap in gaps)


def _best_chain(stretches: Sequence[_Stretch], distinct: float, *, backward: bool) -> _Chain:
    """Chain stretches that follow one another in both shoes, in the other one maybe backward."""
    worth = {part.length: _bits_of(part.length, distinct) for part in stretches}
    scores: list[float] = []
    before: list[int | None] = []
    farthest_back = FARTHEST + max(worth, default=0)
    for place, part in enumerate(stretches):
        gained, link = 0.0, None
        for earlier in range(place - 1, -1, -1):
            other = stretches[earlier]
            if part.here - other.here > farthest_back:
                break
            gap_here = part.here - other.here - other.length
            gap_there = _gap(part, other, backward=backward)
            if 0 <= gap_here <= FARTHEST and 0 <= gap_there <= FARTHEST:
                score = scores[earlier] - _bits_lost(gap_here, gap_there)
                if score > gained:
                    gained, link = score, earlier
        scores.append(worth[part.length] + gained)
        before.append(link)
    if not scores:
        return _Chain(0.0, ())
    last: int | None = max(range(len(scores)), key=scores.__getitem__)
    bits = scores[last or 0]
    chain: list[_Stretch] = []
    while last is not None:
        chain.append(stretches[last])
        last = before[last]
    return _Chain(bits, tuple(reversed(chain)))


def _gap(part: _Stretch, other: _Stretch, *, backward: bool) -> int:
    if backward:
        return other.there - part.there - part.length
    return part.there - other.there - other.length


def _repeat(shoe: str, chain: _Chain, bits: float, *, backward: bool) -> Repeat:
    first, last = chain.stretches[0], chain.stretches[-1]
    return Repeat(
        shoe=shoe,
        cards=chain.cards,
        longest=chain.longest,
        start=first.here,
        end=last.here + last.length,
        earlier_start=(last if backward else first).there,
        backward=backward,
        bits=bits,
    )


# Stretches by the sum of their cards


def _sums(cards: Sequence[str], unread: Iterator[int]) -> list[int]:
    """Add the cards up one by one; an unread card adds what no other card ever adds."""
    values = [_VALUES.get(card) or next(unread) << _UNREAD_FROM for card in cards]
    return list(accumulate(values, initial=0))


def _keys(sums: Sequence[int], length: int) -> list[int]:
    """Name every stretch of a length by what it holds."""
    return list(map(sub, sums[length:], sums))


# New packs


def _suits_in_sequence(cards: Sequence[str]) -> Period | None:
    """Find stretches of one suit whose ranks follow on, as in a pack that is just unwrapped."""
    suits = "".join(card[-1:] or "?" for card in cards)
    runs = [
        run
        for match in _OF_ONE_SUIT.finditer(suits)
        for run in _runs_of_ranks(
            [_RANK_OF[card[0]] for card in cards[match.start() : match.end()]], match.start()
        )
    ]
    if sum(length for _, length in runs) < LEAST_CARDS:
        return None
    distinct = _distinct_cards(cards)
    best, score, size, start, behind = Period(0, 0, None, 0.0), 0.0, 0, 0, 0
    for here, length in runs:
        linked = score - _bits_lost(here - behind)
        if linked <= 0 or here - behind > FARTHEST:
            linked, size, start = 0.0, 0, here
        sequences = len(_RANK_OF) - length + 1
        score = linked + _bits_of(length, distinct) - log2(4 * sequences)
        size, behind = size + length, here + length
        bits = score - log2(len(cards))
        if bits > best.bits:
            best = Period(size, start, None, bits)
    return best if best.cards >= LEAST_CARDS and best.bits >= LEAST_BITS else None


def _runs_of_ranks(ranks: Sequence[int], offset: int) -> Iterator[tuple[int, int]]:
    """Cut a stretch of one suit into runs whose ranks, put in order, follow on without a gap."""
    start = 0
    while start + LEAST_OF_A_SUIT <= len(ranks):
        for end in range(min(len(ranks), start + CARDS_OF_A_SUIT), start + LEAST_OF_A_SUIT - 1, -1):
            run = set(ranks[start:end])
            if len(run) == end - start == max(run) - min(run) + 1:
                yield offset + start, end - start
                start = end
                break
        else:
            start += 1


def _order_again(cards: Sequence[str]) -> Period | None:
    """Find an order that comes again in the same shoe, as packs do that were all made alike.

    No hands were picked up in between, so the shortest and the longest stretches will do.
    """
    sums = _sums(cards, count(1))
    longest: dict[tuple[int, int], int] = {}
    for length in (STRETCHES[0], STRETCHES[-1]):
        keys = _keys(sums, length)
        if len(set(keys)) == len(keys):
            continue
        later: dict[int, int] = {}
        for here in range(len(keys) - 1, -1, -1):
            there = later.get(keys[here])
            if there is not None and there >= here + length:
                longest[here, there] = length
            later[keys[here]] = here
    stretches = [_Stretch(*at, length) for at, length in sorted(longest.items())]
    if sum(part.length for part in stretches) < LEAST_CARDS:
        return None
    chain = _best_chain(stretches, _distinct_cards(cards), backward=False)
    bits = chain.bits - log2(len(cards) ** 2)
    if chain.cards < LEAST_CARDS or bits < LEAST_BITS:
        return None
    offsets = Counter(part.there - part.here for part in chain.stretches)
    return Period(chain.cards, chain.stretches[0].here, offsets.most_common(1)[0][0], bits)
