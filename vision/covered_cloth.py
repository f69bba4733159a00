"""What the covered cloth tells of cards: since when one lies there, and where one was never read.

Round a card the cloth looks otherwise, too, for what is compared is detail; so nothing is said of
what lies right beside a card that is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.cloth import BARE, ENOUGH
from vision.table_zones import HOLDERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from vision.card_shape import CardShape
    from vision.cloth import Covered
    from vision.stays import Stay
    from vision.table_zones import Zones

    Blocks = NDArray[np.bool_]

AROUND: Final = 2
FAR_AROUND: Final = 3
"""So many blocks round a card look otherwise, and so many may from when it was laid."""
AT_ONCE_S: Final = 0.6
"""What changes so soon after a card was first seen may have changed with it."""
COVERED: Final = 0.5
"""From this share of its blocks on a place is covered."""
SURELY_COVERED: Final = 0.75
"""From this share on something lies there for sure: beside other cards blocks look otherwise."""
SURELY_BARE: Final = 0.1
"""Below this share nothing lies there. What looks much like the cloth covers hardly more."""
SHOWN_AGAIN: Final = 0.5
"""So much of what looked otherwise has to be seen again to tell that it is bare."""
BARE_LOOKS: Final = 2
"""So many looks in a row show that it is bare again, where something seemed to lie before."""
FOUND_LATE_S: Final = 1.0
LYING_LOOKS: Final = 2
"""A card that is found so much later than its place was covered, in so many looks, lay there."""
UNREAD_LOOKS: Final = 3
UNREAD_S: Final = 2.0
"""What lies in a hand for so many looks, and so long, is no hand that rests there."""
PART_OF_A_CARD: Final = 0.3
"""So much of a card shows beside others that are known, at least."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """A card may have lain there before it was found."""

    since_s: float | None
    """None: it cannot be told, or something lay there and was gone again before it was found."""
    bare_s: float
    """When its place was last known to be bare before."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Something lay in a hand that is no card that was told."""

    start_s: float
    end_s: float
    hand: str
    x: float
    y: float


class CoveredCloth:
    """What covered the cloth in one layout, look by look, beside the cards that are told of it."""

    def __init__(
        self, looks: Sequence[Covered], side: int, cards: Iterable[Sequence[Stay]], shape: CardShape
    ) -> None:
        """Hold looks with blocks of so many pixels against the cards."""
        self._looks = looks if shape.known else ()
        self._side = side
        self._shape = shape
        stays = [stay for card in cards for stay in card] if self._looks else []
        self._places = {id(stay): self._blocks_of(stay) for stay in stays}
        self._around = {id(stay): _grown(self._places[id(stay)]) for stay in stays}
        self._stays = stays

    def unseen(self, stay: Stay) -> Unseen | None:
        """Since when a card lay where it was first found, if that is longer; None: it is not."""
        if id(stay) not in self._places:
            return None
        bare_s, run, gone = float("-inf"), list[tuple[float, float]](), False
        hints = _Hints(self._places[id(stay)])
        late_s = stay.first_s - FOUND_LATE_S
        for look in self._looks:
            if look.at_s >= stay.first_s:
                break
            beside = self._beside(stay, look)
            if beside is None:
                continue
            share = float(look.blocks[beside].mean())
            if share >= COVERED:
                run.append((look.at_s, share))
            elif share < BARE and not gone:
                # A card may be taken up to be looked at, and laid there again.
                gone = len(run) >= LYING_LOOKS and run[0][0] <= late_s
                run = run if gone else []
            if hints.show_bare(share, beside, look) and not gone:
                bare_s = look.at_s
        if not run:
            return Unseen(None, bare_s) if hints.looks >= LYING_LOOKS else None
        since_s = run[0][0]
        surely = median(share for _, share in run) >= SURELY_COVERED
        lay = surely and not gone and len(run) >= LYING_LOOKS and since_s <= late_s
        return Unseen(since_s if lay else None, bare_s)

    def _beside(self, stay: Stay, look: Covered) -> Blocks | None:
        """What shows of a card's place, apart from other cards; None: too little."""
        own = self._places[id(stay)]
        beside = own & look.still
        for other in self._stays:
            if other is not stay and self._may_lie(other, look, own):
                beside &= ~self._around[id(other)]
        return beside if beside.sum() >= ENOUGH * own.sum() else None

    def _may_lie(self, stay: Stay, look: Covered, beside: Blocks) -> bool:
        """Whether a card lies there already, found or not, by what shows of it beside a place."""
        if stay.first_s <= look.at_s <= stay.until_s:
            return True
        if not stay.not_before_s <= look.at_s < stay.first_s:
            return False
        shown = self._places[id(stay)] & look.still & ~beside
        return bool(shown.any()) and float(look.blocks[shown].mean()) >= COVERED

    def unread(self, zones: Zones) -> list[Unread]:
        """Where something as large as a part of a card lay, and was taken away again."""
        sizes = [self._places[id(stay)].sum() for stay in self._stays if stay.spots]
        if not sizes:
            return []
        runs = _Runs(self._looks[0].blocks.shape)
        for look in self._looks:
            runs.see(look)
        unknown = runs.lasting & self._in_hands(zones)
        for stay in self._stays:
            unknown &= ~self._explained(stay, runs.from_s)
        count, labels = cv2.connectedComponents(unknown.astype(np.uint8), connectivity=4)
        found = []
        for number in range(1, count):
            blocks = labels == number
            if blocks.sum() < PART_OF_A_CARD * float(np.median(sizes)):
                continue
            rows, columns = np.nonzero(blocks)
            x, y = (columns.mean() + 0.5) * self._side, (rows.mean() + 0.5) * self._side
            start_s, end_s = (float(np.median(when[blocks])) for when in (runs.from_s, runs.to_s))
            found.append(Unread(start_s, end_s, str(zones.hand_at(x, y)), x, y))
        return found

    def _explained(self, stay: Stay, from_s: NDArray[np.float64]) -> Blocks:
        """The blocks that are covered by a card, or look otherwise because of it."""
        came = (from_s >= stay.not_before_s) & (from_s <= stay.first_s + AT_ONCE_S)
        return self._around[id(stay)] | (_grown(self._places[id(stay)], FAR_AROUND) & came)

    def _blocks_of(self, stay: Stay) -> Blocks:
        """The blocks whose middle a card covers."""
        side = self._side
        blocks = np.zeros_like(self._looks[0].blocks)
        if stay.back is not None:
            left, top, right, bottom = (round(edge / side) for edge in stay.back.box)
            blocks[top : bottom + 1, left : right + 1] = True
            return blocks
        rows, columns = blocks.shape
        reach = round(1.5 * self._shape.diagonal / side) + 1
        row, column = int(stay.centre[1] // side), int(stay.centre[0] // side)
        for down in range(max(0, row - reach), min(rows, row + reach + 1)):
            for across in range(max(0, column - reach), min(columns, column + reach + 1)):
                blocks[down, across] = self._shape.covers(
                    stay.centre, stay.main.pose, (across + 0.5) * side, (down + 0.5) * side
                )
        return blocks

    def _in_hands(self, zones: Zones) -> Blocks:
        """The blocks that lie well within the zones of hands: chips lie round them."""
        drawn = np.zeros(self._looks[0].blocks.shape, np.uint8)
        for name, polygon in zones.polygons.items():
            if name not in HOLDERS:
                corners = np.round(polygon / self._side - 0.5).astype(np.int32)
                cv2.fillPoly(drawn, [corners], 1)
        return np.asarray(cv2.erode(drawn, np.ones((3, 3), np.uint8)) > 0)


class _Hints:
    """Looks at a place in which a part of it looked otherwise, since it was last surely bare.

    Of a back that looks like the cloth, only what is printed on it may show: the place is bare
    again only if it is so just there.
    """

    def __init__(self, place: Blocks) -> None:
        self.looks = 0
        self._showed = np.zeros_like(place)
        self._bare = 0

    def show_bare(self, share: float, beside: Blocks, look: Covered) -> bool:
        """Take in a look at so much of the place; whether it shows that the place is bare."""
        if share >= SURELY_BARE:
            self.looks += 1
            self._showed |= look.blocks & beside
            self._bare = 0
            return False
        again = self._showed & beside
        if again.sum() < SHOWN_AGAIN * self._showed.sum() or look.blocks[again].any():
            self._bare = 0
            return False
        self._bare += 1
        if self._bare < (BARE_LOOKS if self.looks >= LYING_LOOKS else 1):
            return False
        self.looks = 0
        self._showed[:] = False
        return True


class _Runs:
    """For each block, how long it was covered at the longest, and whether it was bare again."""

    def __init__(self, blocks: tuple[int, ...]) -> None:
        self._looks = np.zeros(blocks, int)
        self._begun_s = np.zeros(blocks)
        self._most = np.zeros(blocks, int)
        self._bare = np.zeros(blocks, bool)
        self.from_s = np.zeros(blocks)
        self.to_s = np.zeros(blocks)

    def see(self, look: Covered) -> None:
        covered = look.plainly & look.still
        bare = look.still & ~look.blocks
        self._begun_s = np.where(covered & (self._looks == 0), look.at_s, self._begun_s)
        self._looks = np.where(bare, 0, self._looks + covered)
        longest = covered & (self._looks > self._most)
        self._most = np.where(longest, self._looks, self._most)
        self.from_s = np.where(longest, self._begun_s, self.from_s)
        self.to_s = np.where(longest, look.at_s, self.to_s)
        self._bare = np.where(longest, bare, self._bare | bare)

    @property
    def lasting(self) -> Blocks:
        """The blocks on which something lay for long, and does no more."""
        long = (self._most >= UNREAD_LOOKS) & (self.to_s - self.from_s >= UNREAD_S)
        return np.asarray(long & self._bare)


def _grown(blocks: Blocks, by: int = AROUND) -> Blocks:
    around = np.ones((2 * by + 1, 2 * by + 1), np.uint8)
    return np.asarray(cv2.dilate(blocks.astype(np.uint8), around) > 0)
