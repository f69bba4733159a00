"""From followed cards to the rounds of a film: hands, order and what each card is.

Order is told by when a card first lay there and when its place was last seen bare. Where that
leaves two orders open, the usual one of the game is taken: nobody is accused of an order that was
not seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vision.cards import CARDS
from vision.shoe_composition import ShoeComposition
from vision.split_hands import hands_of_box
from vision.table_zones import DISCARD, HOLDERS
from vision.tracks import Tracker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from vision.card_reader import Box
    from vision.card_shape import CardShape
    from vision.glances import Glance
    from vision.split_hands import SplitSeen
    from vision.table_zones import Zones
    from vision.tracks import Place, TrackedCard

UNREAD: Final = "??"
BURN: Final = "burn"
SURE_ENOUGH: Final = 0.6
"""A card that is less likely than this is not named."""
LEAST_ALTERNATIVE: Final = 0.005
MOST_ALTERNATIVES: Final = 6
_LAST: Final = 99


@dataclass(frozen=True, slots=True)
class ReadCard:
    """A row of the card log, as far as the film tells it."""

    round: int
    seq: int
    card: str
    """`??` if it could not be told."""
    hand: str
    """To which it was dealt: a card that a split moved keeps the hand it was dealt to."""
    confidence: float
    """How likely it is this card; of `??`, how likely the likeliest is."""
    alternatives: tuple[tuple[str, float], ...]
    """Other cards that it may be, the likeliest first."""
    at_s: float
    """When it was first read, or if it never was, first lay there."""
    box: Box
    """What lies round its indexes then, in pixels of the film."""
    laid_s: float
    """When it first lay there, face up or down."""
    gone_s: float
    order_seen: bool
    """Whether its place in the order was seen, and not only taken from the usual one."""
    hardly: bool = False
    """Whether it was seen so badly that it may be no card."""

    @property
    def alternatives_text(self) -> str:
        """As a card log has them: `9H:0.21 6H:0.02`."""
        return " ".join(f"{card}:{share:.3f}" for card, share in self.alternatives)


@dataclass(frozen=True, slots=True)
class ReadRound:
    """A round as it was read from a film."""

    number: int
    cards: tuple[ReadCard, ...]
    splits: tuple[SplitSeen, ...]
    start_s: float
    end_s: float
    perhaps: tuple[Place, ...] = ()
    """Where a card may have lain that is not among these."""


class RoundReader:
    """Turns glances into rounds; feed it one after the other."""

    def __init__(
        self,
        zones: Zones,
        decks: int,
        *,
        sure_enough: float = SURE_ENOUGH,
        first_round: int = 1,
        first_seq: int = 1,
        composition: ShoeComposition | None = None,
    ) -> None:
        """Read a shoe of so many decks, from these numbers on if it was begun before."""
        self._zones = zones
        self._tracker = Tracker(zones)
        self._sure_enough = sure_enough
        self._round = first_round
        self._seq = first_seq
        self.composition = composition or ShoeComposition(decks)
        self._aside: list[TrackedCard] = []
        self._ways = DealersWays()

    def see(self, glance: Glance) -> list[ReadRound]:
        """Take in a glance; the rounds that are now known to be over."""
        rounds = [self._read(cards) for cards in self._tracker.see(glance)]
        return [each for each in rounds if each is not None]

    def is_print(self, box: Box) -> bool:
        """Whether what was found there is no card but what the cloth shows when bare."""
        return self._tracker.is_print(box)

    def finish(self) -> list[ReadRound]:
        """The round that was not cleared when the film ended."""
        rounds = [self._read(cards) for cards in self._tracker.finish()]
        return [each for each in rounds if each is not None]

    def _read(self, tracked: Sequence[TrackedCard]) -> ReadRound | None:
        cards = [*self._aside, *tracked]
        if all(card.hand in (*HOLDERS, None) for card in cards):
            # Burnt before the first round: they belong to the round that follows.
            self._aside = cards
            return None
        self._aside = []
        hands, splits = name_hands(cards, self._tracker.shape)
        ordered, seen = in_order(cards, hands, self._ways)
        self._ways.learn(ordered, hands)
        said = self.composition.weighed([card.probabilities for card in ordered])
        self.composition.take(said)
        read = []
        for card, probabilities in zip(ordered, said, strict=True):
            read.append(
                self._row(card, probabilities, hands[card.number], order_seen=card.number in seen)
            )
        number = self._round
        self._round += 1
        return ReadRound(
            number,
            tuple(read),
            splits,
            min(card.laid_s for card in cards),
            max(card.gone_s if card.gone_s is not None else card.laid_s for card in cards),
            self._perhaps(),
        )

    def _perhaps(self) -> tuple[Place, ...]:
        """Take over what may have been cards in the layout that was just cleared."""
        places = tuple(self._tracker.perhaps)
        self._tracker.perhaps.clear()
        return places

    def _row(
        self, card: TrackedCard, probabilities: NDArray[np.float64], hand: str, *, order_seen: bool
    ) -> ReadCard:
        by_chance = sorted(range(len(CARDS)), key=lambda number: -float(probabilities[number]))
        confidence = float(probabilities[by_chance[0]])
        sure = confidence >= self._sure_enough
        rest = by_chance[1:] if sure else by_chance
        alternatives = tuple(
            (CARDS[number], float(probabilities[number]))
            for number in rest[:MOST_ALTERNATIVES]
            if probabilities[number] >= LEAST_ALTERNATIVE
        )
        self._seq += 1
        return ReadCard(
            round=self._round,
            seq=self._seq - 1,
            card=CARDS[by_chance[0]] if sure else UNREAD,
            hand=hand,
            confidence=confidence,
            alternatives=alternatives,
            at_s=card.laid_s if card.at_s is None else card.at_s,
            box=card.box,
            laid_s=card.laid_s,
            gone_s=card.laid_s if card.gone_s is None else card.gone_s,
            order_seen=order_seen,
            hardly=card.hardly,
        )


def read_rounds(
    glances: Iterable[Glance], zones: Zones, decks: int, *, sure_enough: float = SURE_ENOUGH
) -> Iterator[ReadRound]:
    """The rounds of a film, each as soon as its layout was cleared."""
    reader = RoundReader(zones, decks, sure_enough=sure_enough)
    for glance in glances:
        yield from reader.see(glance)
    yield from reader.finish()


def name_hands(
    cards: Sequence[TrackedCard], shape: CardShape
) -> tuple[dict[int, str], tuple[SplitSeen, ...]]:
    """The hand of each card by its number, and the splits in the order in which they were made."""
    in_hands = [card for card in cards if card.hand not in (*HOLDERS, None)]
    begun = min((card.laid_s for card in in_hands), default=0.0)
    names = {
        card.number: BURN if card.laid_s <= begun else DISCARD
        for card in cards
        if card not in in_hands
    }
    splits: list[SplitSeen] = []
    for zone in sorted({str(card.hand) for card in in_hands}):
        own = [card for card in in_hands if card.hand == zone]
        if zone.startswith("box"):
            box = hands_of_box(zone, own, shape)
            names |= box.dealt_to
            splits += box.splits
        else:
            names |= {card.number: zone for card in own}
    return names, tuple(sorted(splits, key=lambda split: split.at_s))


class DealersWays:
    """Where the second card of each hand was laid from its first, at this table so far."""

    def __init__(self) -> None:
        """Know nothing of the dealers yet."""
        self._steps: dict[str, tuple[float, float]] = {}

    def learn(self, ordered: Sequence[TrackedCard], hands: dict[int, str]) -> None:
        """Take in a round whose order is known."""
        for hand in set(hands.values()):
            own = [card for card in ordered if hands[card.number] == hand]
            if len(own) > 1:
                right, down = _step(own[0], own[1])
                before = self._steps.get(hand, (0.0, 0.0))
                self._steps[hand] = (before[0] + right, before[1] + down)

    def turned_round(self, hand: str, one: TrackedCard, other: TrackedCard) -> bool:
        """Whether a hand's first two cards lie as if the other had been the first."""
        right, down = _step(one, other)
        usual = self._steps.get(hand, (0.0, 0.0))
        along = right * usual[0] + down * usual[1]
        return along < -0.7 * math.hypot(*usual) and along < 0


def _step(one: TrackedCard, other: TrackedCard) -> tuple[float, float]:
    """The way from one card to another where they were first laid, of length 1."""
    right, down = other.places[0].x - one.places[0].x, other.places[0].y - one.places[0].y
    far = max(math.hypot(right, down), 1e-6)
    return right / far, down / far


def in_order(
    cards: Sequence[TrackedCard], hands: dict[int, str], ways: DealersWays | None = None
) -> tuple[list[TrackedCard], set[int]]:
    """Cards as they left the shoe, and the numbers of those whose place in the order was seen."""
    usual = _usual_places(cards, hands, ways or DealersWays())
    left = sorted(cards, key=lambda card: usual[card.number])
    ordered: list[TrackedCard] = []
    while left:
        ready = next(
            card
            for card in left
            if not any(_surely_before(other, card) for other in left if other is not card)
        )
        left.remove(ready)
        ordered.append(ready)
    seen = {
        card.number
        for place, card in enumerate(ordered)
        if all(_surely_before(before, card) for before in ordered[:place])
        and all(_surely_before(card, after) for after in ordered[place + 1 :])
    }
    return ordered, seen


def _surely_before(one: TrackedCard, other: TrackedCard) -> bool:
    """Whether one was seen lying while the place of the other was still bare."""
    return one.laid_s <= other.not_before_s


def _usual_places(
    cards: Sequence[TrackedCard], hands: dict[int, str], ways: DealersWays
) -> dict[int, tuple[float, float, float, int]]:
    """A key for each card by which they are in the order in which the game deals them."""
    places: dict[int, tuple[float, float, float, int]] = {}
    for hand in set(hands.values()):
        own = [card for card in cards if hands[card.number] == hand]
        own.sort(key=lambda card: (card.lies_from_s, card.not_before_s))
        # A back is easily missed: then it is seen, or its face, long after it was laid.
        open_order = len(own) > 1 and not _surely_before(own[0], own[1])
        if open_order and ways.turned_round(hand, own[0], own[1]):
            own[:2] = own[1::-1]
        for order, card in enumerate(own):
            places[card.number] = (*_usual_place(hand, order), card.lies_from_s, card.number)
    return places


def _usual_place(hand: str, order: int) -> tuple[float, float]:
    """When the card of that order in a hand is dealt: in which turn, and where in that turn."""
    if hand in (BURN, DISCARD):
        return (-1.0 if hand == BURN else 3.0), 0.0
    turn = float(min(order, 2))
    if hand in ("player", "banker"):
        return turn, 0.0 if hand == "player" else 1.0
    if hand == "dealer":
        # All but the first come when the boxes are played out.
        return (2.0 if order else 0.0), float(_LAST)
    return (2.0 if "." in hand else turn), float(hand.removeprefix("box").split(".")[0])
