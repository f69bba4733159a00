"""Putting faults into the rounds of a shoe, so that the shoe goes on from the right card."""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from audit.cards import Card, Rank
from audit.rounds import Round
from audit.simulation.fault import Scene
from audit.simulation.night_faults import Kind
from audit.simulation.night_table import NightTable
from audit.simulation.rows import carried
from audit.simulation.shoe import Shoe

TRIES = 30
"""How often a round is dealt anew to find the occasion for a fault."""
ROUNDS_TO_WAIT = 10
RICH = frozenset({Rank.ACE, Rank.FIVE, Rank.SIX, Rank.EIGHT, Rank.TEN, Rank.KING})
"""Ranks that make pairs, blackjacks and raises likely."""
STACKED = "SHO001"

Deal = Callable[[], Round]


@dataclass(slots=True)
class _Waiting:
    kind: Kind
    rounds: int = 0


class Faults:
    """The faults that are to befall the rounds of a table, one for each round at the most."""

    def __init__(self, table: NightTable, rng: Random, *, calls_are_kept: bool = True) -> None:
        self.table = table
        self.rng = rng
        self.calls_are_kept = calls_are_kept
        self._waiting: deque[_Waiting] = deque()

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def expect(self, kind: Kind) -> None:
        """Let a fault befall the next round that gives occasion."""
        self._waiting.append(_Waiting(kind))

    def befall(
        self, played: Round, start: int, shoe: Shoe, anew: Deal, *, may_deal_anew: bool
    ) -> tuple[Round, Round, Kind] | None:
        """Commit the first fault that a round gives occasion for.

        Gives the round as it was lawfully dealt, as it is with the fault, and the fault. Whoever
        shuffled could have left the cards in another order, so for the one that has waited longest
        the rest of the shoe is put in another order until it gives the occasion.
        """
        for waiting in tuple(self._waiting):
            faulty = self._commit(waiting.kind, played, start, shoe)
            if faulty is not None:
                self._waiting.remove(waiting)
                return played, faulty, waiting.kind
        if not may_deal_anew:
            return None
        longest = self._waiting.popleft()
        cards, dealt = shoe.cards, shoe.dealt
        for attempt in range(TRIES):
            shoe.cards, shoe.dealt = self._in_another_order(cards, start, attempt), start
            lawful = anew()
            faulty = self._commit(longest.kind, lawful, start, shoe)
            if faulty is not None:
                return lawful, faulty, longest.kind
        shoe.cards, shoe.dealt = cards, dealt
        longest.rounds += 1
        if longest.rounds < ROUNDS_TO_WAIT:
            self._waiting.append(longest)
        return None

    def _in_another_order(
        self, cards: Sequence[Card], start: int, attempt: int
    ) -> tuple[Card, ...]:
        rest = list(cards[start:])
        self.rng.shuffle(rest)
        if attempt % 2:
            rich = [card for card in rest if card.rank in RICH]
            others = [card for card in rest if card.rank not in RICH]
            rest = [*rich[:40], *others, *rich[40:]]
        return (*cards[:start], *rest)

    def _commit(self, kind: Kind, played: Round, start: int, shoe: Shoe) -> Round | None:
        if kind.fault is None:
            return None
        scene = Scene(played, self.table.book, self.table.sheet)
        faulty = kind.fault.commit(scene, self.rng)
        if faulty is None or not carried(faulty.round):
            return None
        if faulty.round.calls and not self.calls_are_kept:
            return None
        return continue_shoe(shoe, start, played, faulty.round, stacked=kind.code == STACKED)


def continue_shoe(
    shoe: Shoe, start: int, lawful: Round, faulty: Round, *, stacked: bool = False
) -> Round | None:
    """Let a shoe go on after the cards that a fault took out of it, and number them.

    A card more comes out of the rest; one that stayed in is the next where the round says so, and
    otherwise takes the place of a card that was taken instead, or lies at the end. Nothing where
    the rest has no such card; a stacked shoe holds cards that no deck ever held, all in one round.
    """
    before = [seen.card for seen in lawful.cards]
    after = [seen.card for seen in faulty.cards]
    taken = tuple(
        was if not isinstance(card, Card) else card
        for card, was in zip(after, before, strict=False)
    ) + tuple(after[len(before) :])
    rest = list(shoe.cards[start + len(before) :])
    more, left = _difference(taken, before), _difference(before, taken)
    if stacked:
        whole = len(rest) + len(before) - len(taken)
        rest = [card for card in (*rest, *left) if card not in taken][:whole]
        more, left = [], []
    elif left and tuple(left) == faulty.around.following[: len(left)]:
        rest, left = [*left, *rest], []
    for card in more:
        if card not in rest:
            return None
        place = rest.index(card)
        rest[place : place + 1] = [left.pop(0)] if left else []
    cards = [card for card in (*taken, *rest, *left) if isinstance(card, Card)]
    shoe.cards = (*shoe.cards[:start], *cards)
    shoe.dealt = start + len(taken)
    numbered = tuple(replace(seen, seq=start + place) for place, seen in enumerate(faulty.cards, 1))
    return replace(faulty, cards=numbered)


def _difference(cards: Sequence[object], others: Sequence[object]) -> list[Card]:
    """Give the cards that are not among the others, in their order."""
    left = Counter(others)
    over: list[Card] = []
    for card in cards:
        if left[card] > 0:
            left[card] -= 1
        elif isinstance(card, Card):
            over.append(card)
    return over
