"""From spots to cards: which indexes are printed on one card.

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
from vision.index_spots import COUNT, SAME_PLACE, Votes, normalised

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
PUSHED: Final = 0.8
"""How far a card may be pushed while one of its corners is still taken for the same spot, in widths
and heights of an index: its other corner is the same one, too."""
OPPOSITE: Final = -0.8
"""The cosine of how far opposite indexes of a card are turned, at most."""
APART: Final = 0.35
"""Diagonals of a card: what lies farther from where it lay was not only pushed."""
LEANS: Final = 25.0
"""How many degrees a corner that is seen again may lean otherwise."""
ALIKE: Final = 1.5
"""From these odds on two readings are alike."""
NEW_OF_EACH: Final = 0.5
"""How much of what a further index of a card says is not said by the others already."""
SHARED: Final = 0.15
"""How far off, in diagonals, a card's indexes may tell its middle all together."""


Corner = list["Spot"]
"""Spots that are one index of a card, which was covered, pushed or misread in between."""


@dataclass(slots=True, eq=False)
class Stay:
    """A card at one place, face up by its indexes or face down by its back."""

    corners: list[Corner]
    back: BackSpot | None
    centre: tuple[float, float]
    hand: str | None
    follows: Stay | None = field(default=None, repr=False)
    followed_by: Stay | None = field(default=None, repr=False)

    @property
    def spots(self) -> list[Spot]:
        return [spot for corner in self.corners for spot in corner]

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
        """What its indexes together say of which card it is.

        They are of one print and before one camera: what makes one hard to read does so to all.
        """
        said = np.asarray(sum(map(evidence_of, self.corners), np.zeros(COUNT)))
        many = max(len(self.corners), 1)
        return said * (1 + NEW_OF_EACH * (many - 1)) / many

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
    """The stays that spots and backs make, in the order in which they began."""
    stays: list[Stay] = []
    for corners in _groups(spots, shape):
        centre = _centre([spot for corner in corners for spot in corner], shape, zones)
        stay = Stay(corners, None, centre, zones.hand_at(*centre))
        same = next((other for other in stays if _is_one_card(stay, other, shape)), None)
        if same is None:
            stays.append(stay)
        else:
            same.corners += corners
    stays += [Stay([], back, back.place, zones.hand_at(*back.place)) for back in backs]
    stays.sort(key=lambda stay: stay.first_s)
    return stays


def _is_one_card(one: Stay, other: Stay, shape: CardShape) -> bool:
    """Whether two pairs of indexes came at once round one middle: nobody sees through a card."""
    return (
        shape.known
        and len(one.corners) == len(other.corners) == 2
        and one.first_s == other.first_s
        and shape.apart(one.centre, other.centre) < SHARED
        and same_reading(one.evidence, other.evidence) > ALIKE
    )


def bare_before_backs(stay: Stay, backs: Iterable[BackSpot]) -> Iterator[float]:
    """When the place of a card was bare before each back that was found there earlier.

    It need not be surely a back, nor look otherwise than the cloth: it may have been this card.
    """
    for back in backs:
        if back.there.first_s < stay.first_s and within(*stay.centre, (back.box,)):
            yield back.there.not_before_s


def evidence_of(corner: Corner) -> NDArray[np.float64]:
    """What all looks at one index say: they repeat each other's errors, seen again or not."""
    votes = (spot.votes for spot in corner)
    return sum(votes, Votes()).evidence


def same_reading(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The logarithm of the odds, by what they read alone, that two readings are of one card."""
    alike = float(normalised(one) @ normalised(other)) * COUNT
    return max(DISAGREES, float(np.log(max(alike, 1e-9))))


def _groups(spots: Sequence[Spot], shape: CardShape) -> list[list[Corner]]:
    """Corners by card."""
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
            or _always_joined(corners[left], corners[right])
            for left in members[first]
            for right in members[second]
        ):
            continue
        for number in members[second]:
            owner[number] = first
        members[first] += members.pop(second)
    return [[corners[number] for number in group] for group in members.values()]


def _always_joined(one: Corner, other: Corner) -> bool:
    """Whether two indexes came at once and the reader never took them for those of two cards."""
    together, apart = _joins(one, other)
    return together > 1 and not apart and one[0].there.first_s == other[0].there.first_s


def _joins(one: Corner, other: Corner) -> tuple[int, int]:
    """How often the reader took two indexes for those of one card, and of two."""
    pairs = [(first, second.number) for first in one for second in other]
    return sum(spot.together[at] for spot, at in pairs), sum(spot.apart[at] for spot, at in pairs)


def _corners(spots: Sequence[Spot], shape: CardShape) -> list[Corner]:
    """Spots, those taken together that are the same corner of a card, seen again."""
    corners: list[Corner] = []
    for spot in sorted(spots, key=lambda spot: spot.there.first_s):
        for corner in corners:
            if _is_again(corner[-1], spot, spots, shape):
                corner.append(spot)
                break
        else:
            corners.append([spot])
    return corners


def _is_again(last: Spot, spot: Spot, spots: Sequence[Spot], shape: CardShape) -> bool:
    """Whether a spot is the corner of a card that another was before.

    One that was gone, that is not quite where it was, reads or leans otherwise, is if its card
    stayed: it was covered, pushed, or is half covered and misread.
    """
    away = away_from(last, spot)
    if away > PUSHED or last.there.last_s >= spot.there.first_s:
        return False
    in_place = away <= SAME_PLACE
    alike = same_reading(spot.votes.evidence, last.votes.evidence) > ALIKE
    turned = np.degrees(np.arccos(np.clip(_unit(spot.heading) @ _unit(last.heading), -1, 1)))
    agreeing = in_place + alike + (turned < LEANS)
    if agreeing < 2:
        return False
    if agreeing == 3 and not last.there.gone:
        return True
    if not alike and _has_company(spot, last.there.first_s, spots, shape):
        return False
    if _lie_apart(last, spot, spots, shape):
        return False
    return any(
        agreeing == 3
        or max(same_reading(other.votes.evidence, each.votes.evidence) for each in (last, spot))
        > ALIKE
        for other in _that_stayed(last, spot, spots, shape)
    )


def _has_company(spot: Spot, after_s: float, spots: Sequence[Spot], shape: CardShape) -> bool:
    """Whether another index of the same card came since then, and reads as this one does."""
    return any(
        other is not spot
        and other.there.first_s > after_s
        and shape.fit(other.pose, spot.pose) > 0
        and same_reading(other.votes.evidence, spot.votes.evidence) > ALIKE
        for other in spots
    )


def _lie_apart(last: Spot, spot: Spot, spots: Sequence[Spot], shape: CardShape) -> bool:
    """Whether the cards of two spots lie apart, by the indexes that the reader joined them with.

    A card with four indexes that is moved by its width, or a copy laid over it, may have an index
    just where another of the card was.
    """
    if not shape.known:
        return False
    middles = [_middle(each, spots, shape) for each in (last, spot)]
    return None not in middles and shape.apart(*filter(None, middles)) > APART


def _middle(spot: Spot, spots: Sequence[Spot], shape: CardShape) -> tuple[float, float] | None:
    """The middle of its card, if the reader joined it with the opposite index more than once."""
    joined = [
        other
        for other in spots
        if spot.together[other.number] > 1 and _unit(spot.heading) @ _unit(other.heading) < OPPOSITE
    ]
    if not joined:
        return None
    # Of four indexes those above each other are half a turn apart as well, but nearer.
    far = max(joined, key=lambda other: shape.apart((spot.x, spot.y), (other.x, other.y)))
    return (spot.x + far.x) / 2, (spot.y + far.y) / 2


def away_from(last: Spot, spot: Spot) -> float:
    """How far apart two spots are, in widths and heights of an index."""
    return math.hypot((spot.x - last.x) / last.size[0], (spot.y - last.y) / last.size[1])


def _that_stayed(last: Spot, spot: Spot, spots: Sequence[Spot], shape: CardShape) -> Iterator[Spot]:
    """What lies as another index of the same card, and was seen before and after."""
    # At one place it is the same way to both, unless one's lean was misjudged.
    fits = max if away_from(last, spot) <= SAME_PLACE else min
    for other in spots if shape.known else ():
        if (
            other.there.first_s <= last.there.last_s
            and other.there.last_s >= spot.there.first_s
            and fits(shape.fit(other.pose, last.pose), shape.fit(other.pose, spot.pose)) > 0
        ):
            yield other


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    return vector / max(float(np.linalg.norm(vector)), 1e-9)


def _odds(one: Corner, other: Corner, shape: CardShape) -> float:
    """The logarithm of the odds that two corners are of one card."""
    far = shape.apart((one[0].x, one[0].y), (other[0].x, other[0].y))
    if shape.known and not 0.2 < far < 1.6:
        return -math.inf
    fit = max(shape.fit(first.pose, second.pose) for first in one for second in other)
    if fit < -6:
        return fit
    read = same_reading(evidence_of(one), evidence_of(other))
    together, apart = _joins(one, other)
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
