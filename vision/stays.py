"""From spots to cards: which indexes are printed on one card, and where a card went on to.

A stay is a card lying at one place. Its indexes lie as on a card, mostly read alike and were mostly
taken for one card by the reader; any one of these can fail, so they are weighed together. A card
that was moved, or turned up, is a stay that ends and another one that begins.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.glances import within
from vision.index_spots import COUNT, SAME_PLACE, normalised
from vision.table_zones import DISCARD

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from vision.card_reader import Box
    from vision.card_shape import CardShape
    from vision.index_spots import BackSpot, Presence, Spot
    from vision.table_zones import Zones

ONE_CARD: Final = -1.0
"""What speaks against any two spots being of one card, before anything is known of them."""
JOINED: Final = 3.0
"""How much the reader's own joining weighs, if it always says the same."""
DISAGREES: Final = -3.0
"""The most that readings which differ can say against it: a misreading is that unlikely."""
ANOTHER_TIME: Final = -3.0
"""What speaks against it if one was gone before the other came."""
AT_ONCE: Final = 3.0
"""What speaks for it if both read alike and were first seen in one look: copies hardly are."""
SHOWN_LATER: Final = -3.0
SOON_S: Final = 1.0
"""What speaks against it if the place of the one was seen bare so long after the other came."""
MOVED: Final = -1.5
COVERED: Final = -4.5
UNJUDGED: Final = -3.0
ELSEWHERE: Final = -5.0
"""What speaks against a card having moved: always; if it may only be covered by another; if its
old place was not seen bare; if it would have gone to another hand."""
PASSING: Final = -1.0
"""The last, if it was seen there once: cards that are cleared away pass over other hands."""
LATER: Final = 0.05
"""For each second that it came later: of two places the earlier one is likelier the next."""
TURN_ABOUT: Final = 0.004
"""For the square of the seconds from being seen here to being seen there, at most these."""
LONG_S: Final = 15.0
GAP: Final = 0.3
"""For each further second in which it lay nowhere."""
FREE_GAP_S: Final = 2.0
HIDDEN: Final = -2.0
"""What speaks against a card that was seen to be gone having been hidden only."""
MOST_GAP: Final = 1.5
"""What a long time unseen speaks against it at most, if it lies where it lay."""
PUSHED: Final = 0.8
"""How far a card may be pushed while one of its corners is still taken for the same spot, in widths
and heights of an index: its other corner is the same one, too."""
READ_WELL: Final = 0.5
"""What is read less surely, or is less surely an index, may be no card: nothing follows from it."""
NUDGED: Final = 0.3
"""A card that lies so near to where it lay, in diagonals, was only pushed, or hidden."""
SHARED: Final = 0.15
"""How far off, in diagonals, a card's indexes may tell its middle all together."""
SPLITTING_S: Final = 3.0
"""How long it takes to move the cards of a split apart."""
AT_ONCE_S: Final = 0.6
"""A card that is laid so soon after another was seen last may be what covers it."""


@dataclass(slots=True, eq=False)
class Stay:
    """A card at one place, face up by its indexes or face down by its back."""

    spots: list[Spot]
    back: BackSpot | None
    centre: tuple[float, float]
    hand: str | None
    follows: Stay | None = field(default=None, repr=False)
    followed_by: Stay | None = field(default=None, repr=False)

    @property
    def presences(self) -> list[Presence]:
        parts = [spot.there for spot in self.spots]
        return parts if self.back is None else [*parts, self.back.there]

    @property
    def first_s(self) -> float:
        return min(part.first_s for part in self.presences)

    @property
    def not_before_s(self) -> float:
        return max(part.not_before_s for part in self.presences if part.first_s <= self.first_s)

    @property
    def untouched_s(self) -> float:
        return max(part.untouched_s for part in self.presences if part.first_s <= self.first_s)

    @property
    def last_s(self) -> float:
        return max(part.last_s for part in self.presences)

    @property
    def until_s(self) -> float:
        """Until when it lay there, as far as anybody saw."""
        return max(part.until_s for part in self.presences)

    @property
    def gone(self) -> bool:
        return all(part.gone for part in self.presences)

    def left(self, now_s: float) -> bool:
        """Whether it lies there no more, as far as anybody saw."""
        return all(part.left(now_s) for part in self.presences)

    @property
    def seen(self) -> int:
        return max(part.seen for part in self.presences)

    @property
    def evidence(self) -> NDArray[np.float64]:
        """What its indexes together say of which card it is."""
        total = np.zeros(COUNT)
        for spot in self.spots:
            total += spot.votes.evidence
        return total

    @property
    def main(self) -> Spot:
        return max(self.spots, key=lambda spot: spot.there.seen)

    @property
    def box(self) -> Box:
        boxes = [spot.box for spot in self.spots] or ([self.back.box] if self.back else [])
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        return min(lefts), min(tops), max(rights), max(bottoms)


def stays_of(
    spots: Sequence[Spot], backs: Sequence[BackSpot], shape: CardShape, zones: Zones
) -> list[Stay]:
    """The stays that spots and backs make, linked where one card made several."""
    stays = []
    for group in _groups(spots, shape):
        centre = _centre(group, shape, zones)
        stays.append(Stay(group, None, centre, zones.hand_at(*centre)))
    stays += [Stay([], back, back.place, zones.hand_at(*back.place)) for back in backs]
    stays.sort(key=lambda stay: stay.first_s)
    _link(stays, shape)
    return stays


def same_reading(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The logarithm of the odds, by what they read alone, that two readings are of one card."""
    alike = float(normalised(one) @ normalised(other)) * COUNT
    return max(DISAGREES, float(np.log(max(alike, 1e-9))))


def _groups(spots: Sequence[Spot], shape: CardShape) -> list[list[Spot]]:
    """Spots by card."""
    corners = _corners([spot for spot in spots if spot.there.settled], shape)
    links = []
    for one, other in combinations(range(len(corners)), 2):
        odds = _odds(corners[one], corners[other], shape)
        if odds > 0:
            links.append((odds, one, other))
    most = 4 if any(not offset.upside_down for offset in shape.offsets) else 2
    owner = list(range(len(corners)))
    members = {number: [number] for number in owner}
    for _, one, other in sorted(links, key=lambda link: -link[0]):
        first, second = owner[one], owner[other]
        if first == second or len(members[first]) + len(members[second]) > most:
            continue
        if most > 2 and not all(
            shape.fit(corners[left][-1].pose, corners[right][-1].pose) > 0
            for left in members[first]
            for right in members[second]
        ):
            continue
        for number in members[second]:
            owner[number] = first
        members[first] += members.pop(second)
    return [[spot for number in group for spot in corners[number]] for group in members.values()]


def _corners(spots: Sequence[Spot], shape: CardShape) -> list[list[Spot]]:
    """Spots, those taken together that are the same corner of a card, seen again."""
    corners: list[list[Spot]] = []
    for spot in sorted(spots, key=lambda spot: spot.there.first_s):
        for corner in corners:
            last = corner[-1]
            if not _same_corner(last, spot):
                continue
            pushed = _away(last, spot) > SAME_PLACE
            if not (pushed or last.there.gone) or _card_stayed(last, spot, spots, shape):
                corner.append(spot)
                break
        else:
            corners.append([spot])
    return corners


def _same_corner(last: Spot, spot: Spot) -> bool:
    """Whether a spot is about where another was before, turned as it was, and reads as it did."""
    if _away(last, spot) > PUSHED or last.there.last_s >= spot.there.first_s:
        return False
    turned = np.degrees(np.arccos(np.clip(_unit(spot.heading) @ _unit(last.heading), -1, 1)))
    return bool(turned < 25 and same_reading(spot.votes.evidence, last.votes.evidence) > 1.5)


def _away(last: Spot, spot: Spot) -> float:
    return math.hypot((spot.x - last.x) / last.size[0], (spot.y - last.y) / last.size[1])


def _card_stayed(last: Spot, spot: Spot, spots: Sequence[Spot], shape: CardShape) -> bool:
    """Whether another index of the same card lay there before, while this one was covered."""
    return shape.known and any(
        other.there.first_s <= last.there.last_s
        and other.there.last_s >= spot.there.first_s
        and min(shape.fit(other.pose, last.pose), shape.fit(other.pose, spot.pose)) > 0
        and same_reading(other.votes.evidence, spot.votes.evidence) > 1.5
        for other in spots
    )


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    return vector / max(float(np.linalg.norm(vector)), 1e-9)


def _odds(one: Sequence[Spot], other: Sequence[Spot], shape: CardShape) -> float:
    """The logarithm of the odds that two corners are of one card."""
    far = shape.apart((one[0].x, one[0].y), (other[0].x, other[0].y))
    if shape.known and not 0.2 < far < 1.6:
        return -math.inf
    fit = max(shape.fit(first.pose, second.pose) for first in one for second in other)
    if fit < -6:
        return fit
    read = same_reading(_evidence(one), _evidence(other))
    together = sum(first.together[second.number] for first in one for second in other)
    apart = sum(first.apart[second.number] for first in one for second in other)
    joined = JOINED * (together - apart) / max(together + apart, 2)
    if read < 0:
        joined = max(joined, 0.0)  # the reader joins only what reads alike
    return ONE_CARD + fit + read + joined + _by_when(one, other, alike=read > 0)


def _by_when(one: Sequence[Spot], other: Sequence[Spot], *, alike: bool) -> float:
    """What it says of two corners when each came, and when it was gone."""
    early, late = sorted((one, other), key=lambda corner: corner[0].there.first_s)
    came, came_later = early[0].there, late[0].there
    if max(spot.there.until_s for spot in early) < came_later.first_s:
        return ANOTHER_TIME
    if came_apart(came, came_later):
        return SHOWN_LATER
    return AT_ONCE if alike and came_later.first_s == came.first_s else 0.0


def came_apart(one: Presence, other: Presence) -> bool:
    """Whether the place of the one was still seen bare long after the other came."""
    early, late = sorted((one, other), key=lambda there: there.first_s)
    return late.not_before_s >= early.first_s + SOON_S


def _evidence(spots: Iterable[Spot]) -> NDArray[np.float64]:
    return np.asarray(sum(spot.votes.evidence for spot in spots))


def _centre(group: Sequence[Spot], shape: CardShape, zones: Zones) -> tuple[float, float]:
    """The middle of a card: between opposite indexes, else as its one index tells."""
    opposite = [
        (shape.apart((one.x, one.y), (other.x, other.y)), one, other)
        for one, other in combinations(group, 2)
        if abs(np.cos(np.radians(one.pose.lean - other.pose.lean)) + 1) < 0.3
    ]
    if opposite:
        # Of a deck with four indexes those above each other are half a turn apart as well.
        apart, one, other = max(opposite, key=lambda pair: pair[0])
        if not shape.known or apart > 0.88:
            return (one.x + other.x) / 2, (one.y + other.y) / 2
    told = [centres for spot in group if (centres := shape.centres(spot.pose))]
    if not told:
        known = max(group, key=lambda spot: spot.there.seen)
        return known.x, known.y
    # An index of a deck with four tells two places; all indexes of a card share one of them.
    off = {
        place: sum(min(shape.apart(place, other) for other in centres) for centres in told)
        for centres in told
        for place in centres
    }
    shared = [place for place, away in off.items() if away <= min(off.values()) + SHARED]
    return max(shared, key=lambda place: max(zones.inside(hand, *place) for hand in zones.hands))


def _link(stays: Sequence[Stay], shape: CardShape) -> None:
    """Find which stays one card made.

    Whether a card was hidden depends on where those above it went, so it is done twice.
    """
    covers = {id(stay): _covers_of(stay, stays, shape) for stay in stays}
    went: dict[int, Stay] = {}
    for _ in range(2):
        links = {}
        for before, after in combinations(stays, 2):
            if before.last_s < after.first_s and after.spots and _is_known(before):
                hidden = _Hidden(covers[id(before)], after, went)
                odds = _followed(before, after, shape, hidden)
                if odds > 0:
                    links[before, after] = odds
        chosen = _best_links(links)
        went = {id(before): after for before, after in chosen.items()}
    for before, after in chosen.items():
        before.followed_by, after.follows = after, before


def _best_links(links: Mapping[tuple[Stay, Stay], float]) -> dict[Stay, Stay]:
    """What each stay is followed by: the likeliest first, then any two changed over if better."""
    chosen: dict[Stay, Stay] = {}
    taken: set[Stay] = set()
    for before, after in sorted(links, key=lambda link: -links[link]):
        if before not in chosen and after not in taken:
            chosen[before] = after
            taken.add(after)
    for one, other in combinations(chosen, 2):
        first, second = chosen[one], chosen[other]
        crossed = links.get((one, second), -math.inf) + links.get((other, first), -math.inf)
        if crossed > links[one, first] + links[other, second] + 1e-9:
            chosen[one], chosen[other] = second, first
    return chosen


def _is_known(stay: Stay) -> bool:
    """Whether a stay is surely that of a card: a back, or read well."""
    if stay.back is not None:
        return True
    quality = max(spot.mean_quality for spot in stay.spots)
    return min(quality, float(normalised(stay.evidence).max())) >= READ_WELL


def _followed(before: Stay, after: Stay, shape: CardShape, hidden: _Hidden) -> float:
    """The odds that a card which made one stay made another one next."""
    if before.back:
        return _turned_up(before, after, shape)
    return _moved(before, after, shape, hidden)


def _covers_of(stay: Stay, stays: Sequence[Stay], shape: CardShape) -> list[list[Stay]]:
    """For each of a card's spots the cards that were laid over it before it was seen bare."""
    if not shape.known:
        return []
    return [
        [
            other
            for other in stays
            if spot.there.last_s < other.first_s <= spot.there.until_s + AT_ONCE_S
            and other is not stay
            and _covers(other, spot, shape)
        ]
        for spot in stay.spots
    ]


class _Hidden:
    """What was laid over all that was known of a card, until another stay began."""

    def __init__(
        self, covers: Sequence[Sequence[Stay]], after: Stay, went: Mapping[int, Stay]
    ) -> None:
        above = [[card for card in cards if card is not after] for cards in covers]
        ends = {
            id(card): went[id(card)].first_s if id(card) in went else card.until_s
            for cards in above
            for card in cards
        }
        self.until_s = max(ends.values()) if ends and all(above) else float("-inf")
        still = [[card for card in cards if ends[id(card)] >= after.first_s] for cards in above]
        self.above = [card for cards in still for card in cards] if all(still) else []
        """What still covers it then; nothing if any of it would show."""
        moved = {id(stay) for stay in went.values()}
        self.by_a_split = any(
            id(card) in moved and 0 < after.first_s - card.first_s < SPLITTING_S
            for card in self.above
        )
        """A dealer who splits lays one card aside, over the other, which comes next."""


def _covers(stay: Stay, spot: Spot, shape: CardShape) -> bool:
    if stay.back is not None:
        return within(spot.x, spot.y, (stay.back.box,))
    return shape.covers(stay.centre, stay.main.pose, spot.x, spot.y)


def _turned_up(back: Stay, face: Stay, shape: CardShape) -> float:
    """The odds that a face is what lay there face down."""
    if back.back is None:
        return -1.0
    left, top, right, bottom = back.back.box
    wide, tall = right - left, bottom - top
    away = np.hypot(
        (face.centre[0] - back.centre[0]) / wide, (face.centre[1] - back.centre[1]) / tall
    )
    reach = 0.35 if shape.known or len(face.spots) > 1 else 0.6
    if away > reach:
        return -1.0
    return 6.0 - 6.0 * float(away) - LATER * (face.first_s - back.last_s)


def _moved(before: Stay, after: Stay, shape: CardShape, hidden: _Hidden) -> float:
    """The odds that a card was moved from one place to another, or hidden where it lay."""
    odds = same_reading(before.evidence, after.evidence)
    gap = max(0.0, after.first_s - before.until_s)
    unseen = max(0.0, after.first_s - max(before.until_s, hidden.until_s))
    waited = LATER * gap + GAP * max(0.0, unseen - FREE_GAP_S)
    # Of two copies that are moved one after the other, the first to go is the first to come.
    waited += TURN_ABOUT * min(after.first_s - before.last_s, LONG_S) ** 2
    if _lies_as_before(before, after, shape):
        return odds + HIDDEN - min(waited, MOST_GAP)
    odds -= waited
    if after.hand != DISCARD:
        odds += _elsewhere(before, after, shape)
    if hidden.above:
        return odds + (MOVED if hidden.by_a_split else COVERED)
    if shape.known and all(_covers(after, spot, shape) for spot in before.spots):
        return odds + COVERED
    return odds + (MOVED if before.gone else UNJUDGED)


def _elsewhere(before: Stay, after: Stay, shape: CardShape) -> float:
    """What it says against a move that a card went to another hand, or far away."""
    other_hand = before.hand != after.hand
    if other_hand and after.seen == 1:
        return PASSING
    far = shape.known and shape.apart(before.centre, after.centre) > 4
    return ELSEWHERE * (other_hand + far)


def _lies_as_before(before: Stay, after: Stay, shape: CardShape) -> bool:
    """Whether a card lies where another lay, and as it did."""
    if not shape.known or shape.apart(before.centre, after.centre) > NUDGED:
        return False
    turned = before.main.pose.lean - after.main.pose.lean
    return abs(math.sin(math.radians(turned))) < 0.5
