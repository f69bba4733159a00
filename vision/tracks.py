"""Physical cards followed through glances: which card each is, since when it lies where.

A card is followed from when it first lies on the table, face up or down, until the layout is
cleared. What it reads is a vote over all its indexes and sightings, kept as probabilities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.card_moves import link
from vision.card_shape import CardShape
from vision.card_verdicts import A_BACK, Verdict, is_ghost, verdicts_on
from vision.cloth import Cloth
from vision.covered_cloth import CoveredCloth
from vision.glances import middle, without_patterns
from vision.index_spots import COUNT, SpotKeeper, agreement, effective, normalised
from vision.stays import OPPOSITE, bare_before_backs, came_apart, same_reading, stays_of
from vision.table_zones import HOLDERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from vision.card_reader import BackSeen, Box
    from vision.cloth import Covered
    from vision.glances import Glance
    from vision.index_spots import BackSpot, Spot
    from vision.stays import Stay
    from vision.table_zones import Zones

FEWEST_CARDS: Final = 3
"""A layout with fewer cards than any round has is not taken as cleared within `WAIT_S` seconds."""
WAIT_S: Final = 3.0
CLEARLY_AN_INDEX: Final = 0.6
MUCH_SMALLER: Final = 0.6
"""What is read badly, and is so much less tall than what is clearly an index, is no index."""
NEVER_SURE: Final = 5e-4
"""The share that every card keeps, however often another was read."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a card lay from when until when."""

    start_s: float
    end_s: float
    hand: str | None
    x: float
    y: float
    face_up: bool


@dataclass(frozen=True, slots=True, eq=False)
class TrackedCard:
    """One physical card, from when it first lay there until it was cleared."""

    number: int
    """In the order in which they first lay there."""
    probabilities: NDArray[np.float64]
    """Of the 52 cards, all sightings taken together; flat if it was never seen well."""
    laid_s: float
    """First seen lying, face up or down."""
    at_s: float | None
    """First read face up."""
    gone_s: float | None
    """Last known there."""
    hand: str | None
    """The zone in which it was laid; None: in none of them."""
    places: tuple[Place, ...]
    sightings: int
    not_before_s: float = float("-inf")
    """The last moment at which its place was known to be empty."""
    box: Box = (0.0, 0.0, 0.0, 0.0)
    """What lies round its indexes, or its back, where it was read last: a split moves it."""
    hardly: bool = False
    """Whether it was seen so badly that it may be no card."""
    unseen_s: float | None = None
    """When something came to lie at its place that nobody could read, if it may be this card."""

    @property
    def lies_from_s(self) -> float:
        """When it was laid, as far as that can be told."""
        return self.laid_s if self.unseen_s is None else self.unseen_s


@dataclass(frozen=True, slots=True, eq=False)
class _Chain:
    """The stays of one thing, one after the other, and whether it is a card."""

    stays: tuple[Stay, ...]
    verdict: Verdict

    @property
    def first(self) -> Stay:
        return self.stays[0]

    @property
    def last(self) -> Stay:
        return self.stays[-1]


class Tracker:
    """Follows cards from glance to glance, round by round."""

    def __init__(self, zones: Zones) -> None:
        """Follow cards at a table with these zones."""
        self._zones = zones
        self.shape = CardShape(zones.frame)
        self._keeper = SpotKeeper()
        self._cloth = Cloth()
        self._waiting: list[tuple[list[Spot], list[BackSpot]]] = []
        self._known_live: set[int] = set()
        self._learnt: set[tuple[int, int]] = set()
        self._in_hands: dict[tuple[int, int, int], bool] = {}
        self._told: set[int] = set()
        self._clear_from: float | None = None
        self._count = 0
        self.perhaps: list[Place] = []
        """Where, in the layouts that were cleared, a card may have lain that was not told."""

    def see(self, glance: Glance) -> list[tuple[TrackedCard, ...]]:
        """Take in a glance; the cards of each layout that is now known to have been cleared."""
        cleared = []
        if self._clear_from is not None and self._is_over(glance):
            cleared += self._close()
        self._cloth.see(glance)
        down = self._cards_down(glance)
        self._keeper.see(without_patterns(glance, down), down)
        self._learn_shape()
        live = self._live(glance.at_s)
        if live:
            self._clear_from = None
            earlier = self._earlier_round(glance.at_s, live)
            if earlier is not None:
                cleared.append(earlier)
        else:
            if self._clear_from is None and self._credible_ever():
                self._clear_from = glance.at_s
                self._cloth.cleared(glance)
            self._keeper.forget(glance.at_s, self._credible)
        return [cards for cards in cleared if cards]

    def finish(self) -> list[tuple[TrackedCard, ...]]:
        """The cards that still lay there when the film ended."""
        cleared = [] if self._clear_from is None else self._close()
        cleared += self._close(at_last=True)
        return [cards for cards in cleared if cards]

    def is_print(self, box: Box) -> bool:
        """Whether what was just found there is no card but what the cloth shows when bare."""
        return self._cloth.is_bare_at(box)

    def _cards_down(self, glance: Glance) -> list[BackSeen]:
        """What lies face down in hands, without print."""
        found = (back for back in glance.reading.backs if self._in_hand(*middle(back.box)))
        return [back for back in found if not self.is_print(back.box)]

    def _in_hand(self, x: float, y: float) -> bool:
        return self._zones.hand_at(x, y) not in (*HOLDERS, None)

    def _spot_in_hand(self, spot: Spot) -> bool:
        key = (spot.number, spot.votes.count.bit_length(), self.shape.version)
        if key not in self._in_hands:
            centres = self.shape.centres(spot.pose) or [(spot.x, spot.y)]
            self._in_hands[key] = any(self._in_hand(*centre) for centre in centres)
        return self._in_hands[key]

    def _credible(self, spot: Spot) -> bool:
        """Whether a spot is surely an index of a card in a hand, and not seen there once only."""
        return (
            spot.there.settled
            and spot.there.seen >= 2
            and float(spot.votes.probabilities.max()) > 0.5
            and spot.mean_quality > 0.4
            and self._spot_in_hand(spot)
        )

    def _live(self, now_s: float) -> list[Spot | BackSpot]:
        """What is still there and surely belongs to cards."""
        spots = [
            spot
            for spot in self._keeper.spots
            if not spot.there.left(now_s) and self._credible(spot)
        ]
        backs = [
            back
            for back in self._keeper.backs
            if not back.there.left(now_s)
            and _is_back(back)
            and back.there.settled
            and not self._cloth.lay_at_first(back.box)
        ]
        return [*spots, *backs]

    def _credible_ever(self) -> bool:
        down = (back for back in self._keeper.backs if not self._cloth.lay_at_first(back.box))
        return any(map(_is_back, down)) or any(map(self._credible, self._keeper.spots))

    def _is_over(self, glance: Glance) -> bool:
        """Whether what was clear stays clear, or is laid anew: not shown again as it was."""
        since = self._clear_from
        if since is None:
            return False
        lying = self._tracked(self._untold(self._keeper.spots), self._keeper.backs)
        small = len(lying) < FEWEST_CARDS
        waited = glance.at_s - since > WAIT_S
        laid = [card.box for card in glance.reading.cards]
        laid += [back.box for back in self._cards_down(glance)]
        if not any(self._in_hand(*middle(box)) for box in laid):
            return waited and not small
        return (waited or not small) and not self._shown_again(glance)

    def _shown_again(self, glance: Glance) -> bool:
        """Whether most of what lay there at last is there again, in the same places."""
        before = [
            spot
            for spot in self._keeper.spots
            if spot.there.left(glance.at_s) and self._credible(spot)
        ]
        last_s = max((spot.there.last_s for spot in before), default=0.0)
        lately = [spot for spot in before if spot.there.last_s > last_s - 1.5]
        again = sum(
            any(
                spot.distance(index) < 0.5
                and agreement(effective(index), spot.votes.probabilities) > 0.5
                for index in glance.reading.indexes
            )
            for spot in lately
        )
        return again > 0.4 * len(lately)

    def _earlier_round(
        self, now_s: float, live: Sequence[Spot | BackSpot]
    ) -> tuple[TrackedCard, ...] | None:
        """The cards of a round that was cleared while the next one was already being dealt."""
        numbers = {each.number for each in live}
        if numbers <= self._known_live:
            return None
        self._known_live |= numbers
        if sum(spot.there.left(now_s) for spot in self._keeper.spots) < FEWEST_CARDS:
            return None
        spots, backs = self._untold(self._keeper.spots), self._keeper.backs
        cards = [
            card for card in self._tracked(spots, backs) if card.first.hand not in (*HOLDERS, None)
        ]
        gone = [card for card in cards if card.last.left(now_s)]
        lying = [card for card in cards if not card.last.left(now_s)]
        if len(gone) < FEWEST_CARDS:
            return None
        ended: dict[str | None, float] = {}
        for card in gone:
            hand = card.last.hand
            ended[hand] = max(ended.get(hand, card.last.last_s), card.last.last_s)
        last_s = max(ended.values())
        # A card is of the next round if it was laid in a hand that had been cleared.
        fresh = [card for card in lying if card.first.first_s > ended.get(card.first.hand, last_s)]
        stale = [card for card in lying if card not in fresh]
        if not fresh or self._carried_on(gone, fresh):
            return None
        if stale and not self._left_behind(stale, gone, fresh):
            return None
        begins = min(card.first.first_s for card in fresh)
        self._keeper.clear_s = min(begins, last_s)
        old = self._chains(
            [spot for spot in spots if spot.there.first_s < begins],
            [back for back in backs if back.there.first_s < begins],
        )
        self._clear(
            [spot for spot in spots if spot.there.first_s >= begins],
            [back for back in backs if back.there.first_s >= begins],
        )
        looks = [look for look in self._cloth.looks if look.at_s < begins]
        numbered = self._numbered(old, looks, backs)
        self._cloth.forget(begins)
        return numbered

    def _carried_on(self, gone: Sequence[_Chain], fresh: Sequence[_Chain]) -> bool:
        """Whether what is new is what was there before, as when the camera was pushed."""
        alike = sum(
            any(
                card.first.spots
                and same_reading(card.first.evidence, old.last.evidence) > 1
                and self.shape.apart(card.first.centre, old.last.centre) < 1
                for old in gone
            )
            for card in fresh
        )
        return alike > 0.6 * len(fresh)

    def _left_behind(
        self,
        stale: Sequence[_Chain],
        gone: Sequence[_Chain],
        fresh: Sequence[_Chain],
    ) -> bool:
        """Whether what still lies there was forgotten: a card was laid in a zone cleared before."""
        held = {card.last.hand for card in stale}
        emptied = {card.last.hand for card in gone} - held
        return len(gone) >= 2 * len(stale) and any(card.first.hand in emptied for card in fresh)

    def _learn_shape(self) -> None:
        """Learn from spots that are of one card, as far as the reader and when they came tell."""
        by_number = {spot.number: spot for spot in self._keeper.spots}
        joined = (
            (spot, by_number[number])
            for spot in self._keeper.spots
            for number, times in spot.together.items()
            if times >= 2 and number in by_number
        )
        for spot, other in [*joined, *(() if self.shape.known else self._came_at_once())]:
            pair = (min(spot.number, other.number), max(spot.number, other.number))
            if pair in self._learnt:
                continue
            self._learnt.add(pair)
            # Of two copies one over the other the outermost indexes look most like a pair.
            alike = agreement(spot.votes.probabilities, other.votes.probabilities) > 0.8
            if alike and not came_apart(spot.there, other.there):
                self.shape.learn(spot.pose, other.pose)

    def _came_at_once(self) -> list[tuple[Spot, Spot]]:
        """Pairs that the reader never joins, and that are alone in reading alike, half turned."""
        credible = [spot for spot in self._keeper.spots if self._credible(spot)]
        alike: dict[tuple[float, int], list[Spot]] = {}
        for spot in credible:
            read = int(spot.votes.probabilities.argmax())
            alike.setdefault((spot.there.first_s, read), []).append(spot)
        pairs = [(spots[0], spots[1]) for spots in alike.values() if len(spots) == 2]
        return [
            (one, other)
            for one, other in pairs
            if math.cos(math.radians(one.pose.lean - other.pose.lean)) < OPPOSITE
        ]

    def _close(self, *, at_last: bool = False) -> list[tuple[TrackedCard, ...]]:
        """Begin anew; the cards of what lay there until now.

        Too few cards for a round wait for the next one: by then the shape of the cards is known,
        and with it whether they were burnt or lay in a hand.
        """
        since = float("inf") if self._clear_from is None else self._clear_from
        known = self._untold(self._keeper.spots)
        # What has come to lie beside the hands since then is what was cleared from them.
        spots = [
            spot for spot in known if spot.there.first_s < since or not self._spot_in_hand(spot)
        ]
        backs = [back for back in self._keeper.backs if back.there.first_s < since]
        chains = self._chains(spots, backs)
        self._clear(
            [spot for spot in known if spot not in spots],
            [back for back in self._keeper.backs if back not in backs],
        )
        self._keeper.clear_s = since if self._clear_from is not None else float("-inf")
        self._clear_from = None
        self._learnt.clear()
        self._in_hands.clear()
        self._known_live.clear()
        if sum(chain.verdict.told for chain in chains) < FEWEST_CARDS and not at_last:
            self._waiting.append((spots, backs))
            return []
        before = [self._numbered(self._chains(*few), (), few[1]) for few in self._waiting]
        self._waiting.clear()
        numbered = self._numbered(chains, self._cloth.looks, backs)
        self._cloth.forget(since)
        return [*before, numbered]

    def _clear(self, spots: Sequence[Spot], backs: Sequence[BackSpot]) -> None:
        """Forget all but these, and what is not cleared with the hands.

        That is what lies beside them: the last card in the discard holder, told of once.
        """
        aside = [
            spot
            for spot in self._keeper.spots
            if spot not in spots and not spot.there.gone and not self._spot_in_hand(spot)
        ]
        self._told = {spot.number for spot in aside}
        self._keeper.spots, self._keeper.backs = [*aside, *spots], list(backs)

    def _untold(self, spots: Sequence[Spot]) -> list[Spot]:
        return [spot for spot in spots if spot.number not in self._told]

    def _numbered(
        self, chains: Sequence[_Chain], looks: Sequence[Covered], backs: Sequence[BackSpot]
    ) -> tuple[TrackedCard, ...]:
        cards = [chain for chain in chains if chain.verdict.told]
        known = [chain.stays for chain in chains if chain.verdict is not Verdict.NO]
        cloth = CoveredCloth(looks, self._cloth.side, known, self.shape)
        self.perhaps += [
            Place(each.start_s, each.end_s, each.hand, each.x, each.y, face_up=False)
            for each in cloth.unread(self._zones)
        ]
        self.perhaps += [
            place
            for chain in chains
            if chain.verdict is Verdict.PERHAPS
            for place in _places(chain.stays)[:1]
        ]
        face_down = any(card.first.back is not None for card in cards)
        tracked = []
        for card in sorted(cards, key=lambda card: (card.first.first_s, card.first.not_before_s)):
            self._count += 1
            first = card.first
            # Where cards are dealt face down, that none was read there proves nothing.
            bare_s = first.untouched_s if face_down else first.not_before_s
            bare_s = min([bare_s, *bare_before_backs(first, backs)])
            unseen = cloth.unseen(first)
            seen = _tracked_card(self._count, card, bare_s)
            tracked.append(
                seen
                if unseen is None
                else replace(seen, not_before_s=min(bare_s, unseen.bare_s), unseen_s=unseen.since_s)
            )
        return tuple(tracked)

    def _tracked(self, spots: Sequence[Spot], backs: Sequence[BackSpot]) -> list[_Chain]:
        """All that are cards, or hardly."""
        return [chain for chain in self._chains(spots, backs) if chain.verdict.told]

    def _chains(self, spots: Sequence[Spot], backs: Sequence[BackSpot]) -> list[_Chain]:
        """The stays of each thing, in their order, and whether it is a card."""
        heights = [spot.height for spot in spots if spot.mean_quality > CLEARLY_AN_INDEX]
        usual = float(np.median(heights)) if heights else 0.0
        followed = []
        clear_s = float("inf") if self._clear_from is None else self._clear_from
        cards_down = [
            back
            for back in backs
            if not self._cloth.is_print(back, back.there.until_s if back.there.gone else clear_s)
        ]
        stays = [
            stay
            for stay in stays_of(spots, cards_down, self.shape, self._zones)
            if not is_ghost(stay, spots)
        ]
        link(stays, self.shape)
        for stay in stays:
            if stay.follows is None and not self._is_furniture(stay):
                chain = [stay]
                while chain[-1].followed_by is not None:
                    chain.append(chain[-1].followed_by)
                followed.append(tuple(chain))
        verdicts = verdicts_on(followed, self.shape, MUCH_SMALLER * usual)
        return [_Chain(*judged) for judged in zip(followed, verdicts, strict=True)]

    def _is_furniture(self, stay: Stay) -> bool:
        """Whether it lay beside the hands from the start: a picture of a card, or a discard."""
        return stay.hand in (*HOLDERS, None) and stay.not_before_s == float("-inf")


def _is_back(back: BackSpot) -> bool:
    """Whether it is surely a card face down, and was not seen once only."""
    return back.there.seen >= 2 and back.score >= A_BACK


def _tracked_card(number: int, card: _Chain, bare_s: float) -> TrackedCard:
    stays = card.stays
    evidence = np.asarray(sum((stay.evidence for stay in stays), np.zeros(COUNT)))
    probabilities = (1 - NEVER_SURE) * normalised(evidence) + NEVER_SURE / COUNT
    read = [stay for stay in stays if stay.spots]
    return TrackedCard(
        number=number,
        probabilities=probabilities,
        laid_s=card.first.first_s,
        at_s=read[0].first_s if read else None,
        gone_s=card.last.last_s,
        hand=card.first.hand,
        places=_places(stays),
        sightings=sum(stay.seen for stay in stays),
        not_before_s=bare_s,
        box=(read[-1] if read else card.first).box,
        hardly=card.verdict is Verdict.HARDLY,
    )


def _places(stays: Sequence[Stay]) -> tuple[Place, ...]:
    return tuple(
        Place(stay.first_s, stay.last_s, stay.hand, *stay.centre, face_up=bool(stay.spots))
        for stay in stays
    )


def tracked_rounds(glances: Iterable[Glance], zones: Zones) -> Iterator[tuple[TrackedCard, ...]]:
    """The cards of each layout, as soon as it is known to have been cleared."""
    tracker = Tracker(zones)
    for glance in glances:
        yield from tracker.see(glance)
    yield from tracker.finish()
