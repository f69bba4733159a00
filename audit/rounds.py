"""A round of play as the rules see it: its cards in the shoe's order, its wagers, its calls."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from audit.cards import Card, Rank, Unread
from audit.errors import BadInput
from audit.hands import BACCARAT_HANDS, GREATEST_BOX, Hand, Place
from audit.observations import (
    DECISIONS,
    WAGERS_OF,
    Call,
    CallKind,
    CardSeen,
    Game,
    Wager,
    WagerKind,
)


@dataclass(frozen=True, slots=True, order=True)
class RoundKey:
    """Which round of which shoe of which table."""

    table_id: str
    shoe: str
    number: int

    def __str__(self) -> str:
        return f"{self.table_id}/{self.shoe}/{self.number}"


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the rest of the shoe and of the day says about one round."""

    following: tuple[Card | Unread, ...] = ()
    """The next cards out of the shoe: a card that was not drawn is the first of them."""
    next_round_began: bool = False
    first_of_shoe: bool = False
    let_through_under_minimum: frozenset[str] = frozenset()
    """Bettors whose wager under the minimum was settled once already."""
    calls_kept: bool = True
    """Whether anybody wrote down calls: without them nothing tells of a void or a refusal."""


NOTHING_ELSE_KNOWN = Circumstances()


@dataclass(frozen=True)
class Round:
    """One round. What the rules ask of it again and again is looked up once."""

    game: Game
    cards: tuple[CardSeen, ...]
    wagers: tuple[Wager, ...] = ()
    calls: tuple[Call, ...] = ()
    around: Circumstances = NOTHING_ELSE_KNOWN
    key: RoundKey | None = None
    ts: datetime | None = None
    dealer: str | None = None

    def __post_init__(self) -> None:
        places = BACCARAT_PLACES if self.game is Game.BACCARAT else BLACKJACK_PLACES
        for seen in self.cards:
            if seen.hand is not None and seen.hand.place not in places:
                raise BadInput(f"{self.game} has no hand {seen.hand}, where card {seen.seq} went")
        for before, seen in zip(self.cards, self.cards[1:], strict=False):
            if before.seq >= seen.seq:
                raise BadInput(
                    f"card {seen.seq} follows card {before.seq}: cards of a round stand "
                    "in the order in which they left the shoe, each once"
                )
        for wager in self.wagers:
            if wager.kind not in WAGERS_OF[self.game]:
                raise BadInput(f"{wager.kind} is not a wager of {self.game}")
            if wager.stake <= 0:
                raise BadInput(f"{wager} is not possible: a wager stakes more than nothing")
            _check_box(wager, self.game)

    def to_hand(self, hand: Hand) -> tuple[CardSeen, ...]:
        """Give the cards that went to one hand, in order."""
        return self._by_hand.get(hand, ())

    @cached_property
    def _by_hand(self) -> Mapping[Hand | None, tuple[CardSeen, ...]]:
        hands: dict[Hand | None, list[CardSeen]] = {}
        for seen in self.cards:
            hands.setdefault(seen.hand, []).append(seen)
        return {hand: tuple(cards) for hand, cards in hands.items()}

    @property
    def hands(self) -> tuple[Hand, ...]:
        """The hands that got a card, by their first ones."""
        return tuple(hand for hand in self._by_hand if hand is not None)

    def in_play(self) -> tuple[CardSeen, ...]:
        """Give the cards that went to a hand rather than to the burn or discard holder."""
        return self._in_play

    @cached_property
    def _in_play(self) -> tuple[CardSeen, ...]:
        return tuple(seen for seen in self.cards if seen.hand is None or seen.hand.is_played)

    def called(self, *kinds: CallKind) -> Iterator[Call]:
        """Go through the calls of the given kinds, in order."""
        if self._kinds_called.isdisjoint(kinds):
            return iter(())
        return (call for call in self.calls if call.kind in kinds)

    @cached_property
    def _kinds_called(self) -> frozenset[CallKind]:
        return frozenset(call.kind for call in self.calls)

    def placed(self, *kinds: WagerKind) -> Iterator[Wager]:
        """Go through the wagers of the given kinds."""
        return (wager for wager in self.wagers if wager.kind in kinds)

    @cached_property
    def areas(self) -> Mapping[tuple[WagerKind, int | None], tuple[int, ...]]:
        """The places of the wagers of each kind on each box that were placed in time."""
        areas: dict[tuple[WagerKind, int | None], list[int]] = {}
        for place, wager in enumerate(self.wagers):
            if not wager.late:
                areas.setdefault((wager.kind, wager.box), []).append(place)
        return {area: tuple(places) for area, places in areas.items()}

    @property
    def decisions_were_logged(self) -> bool:
        return not self._kinds_called.isdisjoint(DECISIONS)

    @property
    def unread(self) -> tuple[int, ...]:
        """Where in `cards` those stand that could not be read."""
        return tuple(
            place for place, seen in enumerate(self.cards) if isinstance(seen.card, Unread)
        )

    def read_as(self, cards: dict[int, Card]) -> "Round":
        """Give the same round with some of its cards, named by their place, read as the given."""
        return replace(
            self,
            cards=tuple(
                replace(seen, card=cards.get(place, seen.card))
                for place, seen in enumerate(self.cards)
            ),
        )


def _check_box(wager: Wager, game: Game) -> None:
    if wager.box is None and game is Game.BLACKJACK:
        raise BadInput(f"{wager} stands on no box: a wager of blackjack needs one")
    if wager.box is not None and not 1 <= wager.box <= MOST_BOXES[game]:
        raise BadInput(f"{wager} cannot stand on box {wager.box}: there are {MOST_BOXES[game]}")
    if wager.hand is not None and wager.hand.box != wager.box:
        raise BadInput(f"{wager} cannot stand on box {wager.box} and on {wager.hand} at once")


MOST_BOXES = {Game.BACCARAT: 16, Game.BLACKJACK: GREATEST_BOX}
"""How many playing positions the largest approved layout has."""
BACCARAT_PLACES = frozenset({hand.place for hand in BACCARAT_HANDS} | {Place.BURN, Place.DISCARD})
BLACKJACK_PLACES = frozenset({Place.BOX, Place.DEALER, Place.BURN, Place.DISCARD})


def rank_of(seen: CardSeen) -> Rank:
    """Give the rank of a card, which by now has one reading."""
    if not isinstance(seen.card, Card):
        raise TypeError(f"card {seen.seq} has not been read")
    return seen.card.rank
