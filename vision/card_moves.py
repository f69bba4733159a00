"""Where a card went on to: a card that was moved, turned up or hidden for a while made two stays.

Which one followed which is told by what they read, where and when. Of copies of a card, which are
told apart by nothing else, the likeliest way is taken for all of them together.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.glances import within
from vision.index_spots import normalised
from vision.stays import PUSHED, away_from, same_reading
from vision.table_zones import DISCARD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vision.card_shape import CardShape
    from vision.index_spots import Spot
    from vision.stays import Stay

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
READ_WELL: Final = 0.5
"""What is read less surely, or is less surely an index, may be no card: nothing follows from it."""
NUDGED: Final = 0.3
"""A card that lies so near to where it lay, in diagonals, was only pushed, or hidden."""
SPLITTING_S: Final = 3.0
"""How long it takes to move the cards of a split apart."""
AT_ONCE_S: Final = 0.6
"""A card that is laid so soon after another was seen last may be what covers it."""


def link(stays: Sequence[Stay], shape: CardShape) -> None:
    """Find which stays one card made, and let each know the one before and the one after.

    Whether a card was hidden depends on where those above it went, so it is done twice.
    """
    covers = {id(stay): _covers_of(stay, stays, shape) for stay in stays}
    went: dict[int, Stay] = {}
    for _ in range(2):
        links = {}
        for before, after in combinations(stays, 2):
            if after.spots and _ended_before(before, after) and _is_known(before):
                hidden = _Hidden(covers[id(before)], after, went)
                odds = _followed(before, after, shape, hidden)
                if odds > 0:
                    links[before, after] = odds
        chosen = _best_links(links)
        went = {id(before): after for before, after in chosen.items()}
    for before, after in chosen.items():
        before.followed_by, after.follows = after, before


def _ended_before(before: Stay, after: Stay) -> bool:
    """Whether a card lay there no more when another stay began.

    When a card with four indexes is moved by its width, one of them comes to lie where another was,
    and is taken for that in the first look at it.
    """
    if before.last_s != after.first_s:
        return before.last_s < after.first_s
    last = [spot for spot in before.spots if spot.there.last_s == before.last_s]
    return bool(last) and all(
        any(away_from(spot, other) <= PUSHED for other in after.spots) for spot in last
    )


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
    reach = 0.35 if shape.known or len(face.corners) > 1 else 0.6
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
