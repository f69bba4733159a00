"""Whether what was followed is a card: for sure, hardly, perhaps, or not at all.

Print on cloth, chips and cuffs is now and then taken for an index. What is hardly a card is told,
and what is perhaps one is not; either way nobody can be accused of what hangs on it.
"""

from __future__ import annotations

import math
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.index_spots import normalised
from vision.stays import ALIKE, same_reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vision.card_shape import CardShape
    from vision.index_spots import Spot
    from vision.stays import Stay

BEYOND_ZONES: Final = 0.7
"""How surely something has to be read to be a card where no hand is: cloth and chips have print."""
WELL_SEEN: Final = 0.5
WELL_READ: Final = 0.9
"""From this quality of its best index on, and if it is so likely one card after all looks at it, it
was seen well: a pip that another card half covers reads as now one card, now another."""
READ_AT_ALL: Final = 0.1
"""From this quality on: two marks that read as nothing are no pair of indexes, though they lie as
on a card. Those on the backs of cards that lie side by side do."""
LAY_STILL_S: Final = 1.5
"""What shows no change for so long lies there."""
LOOKS_OF_A_CARD: Final = 3
"""What lies there for a while is looked at at least so often."""
AN_INDEX: Final = 0.5
LIKE_AN_INDEX: Final = 0.45
"""How surely the finder took its best index for one, on average: of a card, of what may be one."""
A_BACK: Final = 0.62
SURELY_A_BACK: Final = 0.7
"""How surely the finder took it for a card face down; beyond doubt if it was never turned up."""
ON_A_CARD: Final = 0.45
"""In diagonals from its middle: so far the picture of a card reaches."""
PASSING_S: Final = 2.0
"""So soon after a card was last seen where it lay, its copy seen once is that card on its way."""
BRIEFLY_S: Final = 0.6
"""A copy that was seen for less long, and after that in the other hand, may be that card, too."""
GHOST_S: Final = 0.5
GHOST_NEAR: Final = 0.75
"""What was seen for less long, so few heights of an index away from an index that stayed, is the
same index: the card was still being turned, and the finder saw it twice."""


class Verdict(Enum):
    """Whether something is a card."""

    CARD = auto()
    HARDLY = auto()
    """It is told as a card, but may be none."""
    PERHAPS = auto()
    """It is not told, but may be a card."""
    NO = auto()

    @property
    def told(self) -> bool:
        """Whether it is told as a card."""
        return self in (Verdict.CARD, Verdict.HARDLY)


def verdicts_on(
    chains: Sequence[Sequence[Stay]], shape: CardShape, least_height: float
) -> list[Verdict]:
    """Judge all that was seen of each thing; what is hardly read and less tall is print."""
    verdicts = [_verdict_among(chain, chains, least_height) for chain in chains]
    judged = [*zip(chains, verdicts, strict=True)]
    cards = [chain for chain, verdict in judged if verdict.told]
    sure = [chain for chain, verdict in judged if verdict is Verdict.CARD]
    return [
        Verdict.NO
        if (verdict is Verdict.PERHAPS and _is_printed_on(chain, cards, shape))
        or (verdict in (Verdict.PERHAPS, Verdict.HARDLY) and _is_left_showing(chain, sure, shape))
        else verdict
        for chain, verdict in judged
    ]


def _verdict_among(
    chain: Sequence[Stay], others: Sequence[Sequence[Stay]], least_height: float
) -> Verdict:
    """Judge one thing by itself, and by copies of it that it may be on their way."""
    if _is_passing(chain, others):
        return Verdict.NO
    verdict = _verdict_on(chain, least_height)
    return Verdict.HARDLY if verdict is Verdict.CARD and _may_pass(chain, others) else verdict


def _verdict_on(chain: Sequence[Stay], least_height: float) -> Verdict:
    seen = _Seen(chain)
    if seen.is_card(least_height):
        return Verdict.CARD if seen.is_beyond_doubt() else Verdict.HARDLY
    return Verdict.PERHAPS if seen.may_be_card(least_height) else Verdict.NO


class _Seen:
    """What the stays of one thing say together."""

    def __init__(self, chain: Sequence[Stay]) -> None:
        self.first = chain[0]
        self.seen = sum(stay.seen for stay in chain)
        self.missed = sum(min(part.missed for part in stay.presences) for stay in chain)
        self.absent_at_last = min(part.absent for part in chain[-1].presences)
        spots = [spot for stay in chain for spot in stay.spots]
        self.read = bool(spots)
        self.height = max((spot.height for spot in spots), default=0.0)
        self.quality = max((spot.mean_quality for spot in spots), default=0.0)
        self.score = max((spot.mean_score for spot in spots), default=0.0)
        self.back = max((stay.back.score for stay in chain if stay.back is not None), default=0.0)
        self.lay_s = max(stay.until_s - stay.first_s for stay in chain)
        evidence = np.asarray(sum(stay.evidence for stay in chain))
        self.surest = float(normalised(evidence).max()) if spots else 0.0
        several = max(len(stay.corners) for stay in chain) > 1
        self.paired = several and self.quality >= READ_AT_ALL
        turned = any(stay.back is not None for stay in chain)
        self.turned = turned and max(self.back - A_BACK, self.score - AN_INDEX) >= 0

    def is_card(self, least_height: float) -> bool:
        """Tell a card from what was found once and was not there, or is print."""
        if not self.read:
            return self.seen >= LOOKS_OF_A_CARD and self.back >= A_BACK
        if self.first.hand is None and min(self.quality, self.surest) < BEYOND_ZONES:
            return False
        if self.seen == 1 and not self.turned:
            # It may have lain there for half a second only.
            if self.paired:
                return self.quality > 0.6 and self.surest > 0.9
            if self.lay_s >= LAY_STILL_S:
                # Nothing changed there: that is why it was not looked at again.
                return self.quality > WELL_SEEN and self.surest > WELL_READ
            return self.quality > 0.7 and self.surest > (0.8 if self.absent_at_last == 0 else 0.9)
        if self.paired or self.turned:
            return self.seen >= 2 or self.absent_at_last == 0
        if self.score < AN_INDEX:
            return False
        if self.surest < 0.5 or self.quality < 0.4:
            return self.height >= least_height and self.seen >= 5 and self.seen > self.missed
        return self.seen > 1 and (self.seen >= LOOKS_OF_A_CARD or self.missed <= self.seen)

    def is_beyond_doubt(self) -> bool:
        """Tell what was seen well from what happened to be read."""
        if not self.read:
            return self.back >= SURELY_A_BACK
        if self.paired:
            return True
        return (
            self.seen > 1
            and self.missed <= self.seen
            and self.quality >= WELL_SEEN
            and self.surest >= WELL_READ
        )

    def may_be_card(self, least_height: float) -> bool:
        """Tell what came to lie in a hand, and was badly seen, from print that was always there."""
        came = self.first.not_before_s > float("-inf")
        return (
            self.read
            and came
            and self.first.hand is not None
            and self.height >= least_height
            and self.seen >= LOOKS_OF_A_CARD
            and self.seen > self.missed
            and self.score >= LIKE_AN_INDEX
        )


def _is_passing(chain: Sequence[Stay], others: Iterable[Sequence[Stay]]) -> bool:
    """Whether a card of the same hand was seen once more, while it was being taken away."""
    if sum(stay.seen for stay in chain) > 1:
        return False
    only = chain[0]
    return any(
        other[0] is not only
        and other[-1].seen > 1
        and other[-1].hand == only.hand
        and other[0].first_s < only.first_s <= other[-1].last_s + PASSING_S
        and only.first_s > other[-1].last_s - PASSING_S
        and same_reading(other[-1].evidence, only.evidence) > ALIKE
        for other in others
    )


def _may_pass(chain: Sequence[Stay], others: Iterable[Sequence[Stay]]) -> bool:
    """Whether it was seen for a moment only, and may be a card of another hand that is gathered."""
    first, last = chain[0], chain[-1]
    if first.back is not None or last.last_s - first.first_s >= BRIEFLY_S:
        return False
    return any(
        other[-1].hand != first.hand
        and other[-1].last_s < first.first_s
        and same_reading(other[-1].evidence, first.evidence) > ALIKE
        for other in others
    )


def is_ghost(stay: Stay, others: Iterable[Spot]) -> bool:
    """Whether something was seen for a moment only, and right beside an index that stayed."""
    if len(stay.spots) != 1:
        return False
    (spot,) = stay.spots
    if spot.there.last_s - spot.there.first_s >= GHOST_S:
        return False
    return any(
        other is not spot
        and other.there.seen > spot.there.seen
        and other.there.first_s <= spot.there.last_s + GHOST_S
        and other.there.last_s >= spot.there.last_s
        and math.hypot(other.x - spot.x, other.y - spot.y) < GHOST_NEAR * other.height
        for other in others
    )


def _is_printed_on(
    chain: Sequence[Stay], cards: Iterable[Sequence[Stay]], shape: CardShape
) -> bool:
    """Whether it lies on a card that was read, and so is a part of its picture."""
    at = (chain[0].main.x, chain[0].main.y)
    return shape.known and any(
        shape.apart(at, stay.centre) < ON_A_CARD for card in cards for stay in card
    )


def _is_left_showing(
    chain: Sequence[Stay], cards: Iterable[Sequence[Stay]], shape: CardShape
) -> bool:
    """Whether it is what a card that was just laid there left showing of another one's picture."""
    first = chain[0]
    if len(chain) > 1 or len(first.corners) != 1 or not shape.known:
        return False
    read = [stay for card in cards for stay in card if stay.spots]
    at_once = [stay for stay in read if stay.first_s == first.first_s]
    return any(shape.apart(stay.centre, first.centre) < 1 for stay in at_once) and any(
        stay.first_s < first.first_s
        and shape.covers(stay.centre, stay.main.pose, first.main.x, first.main.y)
        for stay in read
    )
