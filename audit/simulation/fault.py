"""A fault: one thing that somebody did wrong in a round that was lawful without it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random

from audit.cards import Card, Unread
from audit.hands import Hand
from audit.observations import Call, CallKind, CardSeen, Game, Wager, WagerKind
from audit.rounds import Round
from audit.rulebook import Rulebook
from audit.simulation.stakes import TURNED_AWAY
from audit.table_sheet import TableSheet

BEFORE_PLAY = frozenset(
    {CallKind.CONTROL, CallKind.INSURANCE, CallKind.SURRENDER, CallKind.EVEN_MONEY}
)


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A round where it was played: by which rulebook, at which table. No other scene equals it."""

    round: Round
    book: Rulebook
    sheet: TableSheet

    def with_wager(self, place: int, wager: Wager) -> "Scene":
        wagers = list(self.round.wagers)
        wagers[place] = wager
        return self.with_wagers(*wagers)

    def with_wagers(self, *wagers: Wager) -> "Scene":
        return replace(self, round=replace(self.round, wagers=wagers))

    def with_calls(self, *calls: Call) -> "Scene":
        """Give the round these calls, in the order in which they were made."""
        ordered = tuple(sorted(calls, key=lambda call: call.after))
        return replace(self, round=replace(self.round, calls=ordered))

    def with_cards(self, *cards: CardSeen) -> "Scene":
        """Give the round these cards, numbered on from its first one."""
        first = self.round.cards[0].seq
        numbered = tuple(replace(seen, seq=first + place) for place, seen in enumerate(cards))
        return replace(self, round=replace(self.round, cards=numbered))

    def dealt_to(self, *hands: Hand | None) -> "Scene":
        """Deal the same cards to other hands."""
        cards = zip(self.round.cards, hands, strict=True)
        return self.with_cards(*(replace(seen, hand=hand) for seen, hand in cards))

    def with_card_added(self, place: int, hand: Hand, card: Card | Unread) -> "Scene":
        """Deal one card more, after so many; only later boxes have yet to decide then."""

        def comes_later(call: Call) -> bool:
            later_box = call.hand is not None and call.hand.box > hand.box > 0
            return call.after > place or (
                call.after == place and later_box and call.kind not in BEFORE_PLAY
            )

        cards = list(self.round.cards)
        cards.insert(place, CardSeen(0, card, hand))
        calls = [
            replace(call, after=call.after + 1) if comes_later(call) else call
            for call in self.round.calls
        ]
        return self.with_cards(*cards).with_calls(*calls)

    def with_next_card(self, hand: Hand) -> "Scene | None":
        """Deal the next card of the shoe."""
        around = self.round.around
        if not around.following:
            return None
        scene = self.with_card_added(len(self.round.cards), hand, around.following[0])
        left = replace(around, following=around.following[1:])
        return replace(scene, round=replace(scene.round, around=left))

    def without_last_card(self) -> "Scene":
        """Leave the last card in the shoe."""
        around = self.round.around
        left = replace(around, following=(self.round.cards[-1].card, *around.following))
        scene = self.without_card(len(self.round.cards) - 1)
        return replace(scene, round=replace(scene.round, around=left))

    def without_card(self, place: int) -> "Scene":
        """Leave out one card."""
        cards = list(self.round.cards)
        del cards[place]
        calls = [
            replace(call, after=call.after - 1) if call.after > place else call
            for call in self.round.calls
        ]
        return self.with_cards(*cards).with_calls(*calls)

    def next_card(self) -> Card | None:
        """Give the next card out of the shoe."""
        following = self.round.around.following
        return following[0] if following and isinstance(following[0], Card) else None


Make = Callable[[Scene, Random], Scene | None]


@dataclass(frozen=True, slots=True)
class Fault:
    """A single fault: what was done wrong, the code that names it, and how to do it.

    `make` changes a lawful scene, or says that this one gives no occasion. `alone` is set where
    nothing else is wrong afterwards, `only_where` where not every document knows the fault.
    """

    what: str
    code: str
    game: Game | None
    make: Make
    alone: bool = False
    only_where: Callable[[Rulebook], bool] | None = None

    def suits(self, book: Rulebook) -> bool:
        """Tell whether the document gives any ground to judge it."""
        possible = self.only_where is None or self.only_where(book)
        return self.game in (None, book.game) and book.judges(self.code) and possible

    def commit(self, scene: Scene, rng: Random) -> Scene | None:
        """Commit the fault in a lawful round that nothing else has upset."""
        if any(scene.round.called(CallKind.VOID, CallKind.POWER_FAILURE)):
            return None
        return self.make(scene, rng)


def settled_places(scene: Scene, *kinds: WagerKind) -> Iterator[tuple[int, Wager, Decimal]]:
    """Go through the wagers that were accepted and settled, with what each was settled for."""
    for place, wager in enumerate(scene.round.wagers):
        if wager.net is None or (kinds and wager.kind not in kinds) or was_refused(wager):
            continue
        if not is_outside_limits(scene, wager):
            yield place, wager, wager.net


def was_refused(wager: Wager) -> bool:
    """Tell a wager that nobody accepted."""
    return wager.late or wager.bettor in TURNED_AWAY


def originals(scene: Scene) -> dict[tuple[str, int], Decimal]:
    """Add up what each bettor had on each box before the cards were dealt."""
    stakes: dict[tuple[str, int], Decimal] = {}
    for wager in scene.round.placed(WagerKind.MAIN):
        if wager.box is not None and not was_refused(wager):
            key = (wager.bettor, wager.box)
            stakes[key] = stakes.get(key, Decimal(0)) + wager.stake
    return stakes


def is_outside_limits(scene: Scene, wager: Wager) -> bool:
    """Tell a wager that was handed back for its amount."""
    limit = scene.sheet.limits.get(wager.kind)
    if limit is None or limit.min is None or limit.max is None or wager.net != 0:
        return False
    return not limit.min <= wager.stake <= limit.max


def is_crowded(scene: Scene, wager: Wager) -> bool:
    """Tell an area where another wager was refused, or all together are more than one may be."""
    limit = scene.sheet.limits.get(wager.kind)
    area = [w for w in scene.round.wagers if (w.kind, w.box) == (wager.kind, wager.box)]
    sides = list(scene.round.placed(WagerKind.PLAYER, WagerKind.BANKER))
    if any(was_refused(other) for other in (*area, *sides)):
        return True
    return (
        limit is not None
        and limit.max is not None
        and sum(other.stake for other in area) > limit.max
    )


def logged(scene: Scene, *kinds: CallKind) -> list[Call]:
    """Give the calls of these kinds that name a hand."""
    return [call for call in scene.round.called(*kinds) if call.hand is not None]
