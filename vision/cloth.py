"""Where the cloth of a table is covered, whatever by: what shows otherwise than when it was bare.

No network is asked. So it is known of a card that nobody found since when it lies there, and that
something lies there that was never read.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Final

from vision.areas import blocks_in
from vision.glances import middle, within
from vision.scenes import take_over

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vision.card_reader import Box
    from vision.glances import Glance
    from vision.index_spots import BackSpot

ENOUGH: Final = 0.35
"""So much of a place has to lie still to tell whether it is covered."""
BARE: Final = 0.25
"""A place of which a smaller share looks otherwise is bare."""
PLAINLY: Final = 2.0
"""By how many times more than nothing a block differs on which something lies for sure."""
MOST_LOOKS: Final = 4000
"""So many are remembered of one layout."""


@dataclass(frozen=True, slots=True, eq=False)
class Covered:
    """Which blocks of the picture showed something else than bare cloth, and which lay still."""

    at_s: float
    blocks: NDArray[np.bool_]
    plainly: NDArray[np.bool_]
    """Those of them that look quite otherwise, and not only because of what lies beside them."""
    still: NDArray[np.bool_]

    def share_in(self, box: Box, side: int) -> float | None:
        """How much of a box is covered; None: too much of it moves."""
        there = blocks_in(box, side)
        still = self.still[there]
        if not still.size or still.mean() < ENOUGH:
            return None
        return float(self.blocks[there][still].mean())


class Cloth:
    """What the bare cloth looks like, and what covered it since it was bare."""

    def __init__(self) -> None:
        """Take what is seen first for the bare cloth."""
        self.looks: deque[Covered] = deque(maxlen=MOST_LOOKS)
        self.side = 1
        self._bare: NDArray[np.int16] | None = None
        self._learnt = False
        self._at_first: tuple[Box, ...] = ()
        self._left: NDArray[np.int16] | None = None

    def see(self, glance: Glance) -> None:
        """Note what is covered at a glance."""
        scene = glance.scene
        if scene is None:
            return
        if self._bare is None or self._bare.shape != scene.detail.shape:
            self._bare, self._left, self.side = scene.detail.copy(), None, scene.side
            self._learnt = False
            self._at_first = tuple(back.box for back in glance.reading.backs)
            self.looks.clear()
        unlike = scene.unlike(self._bare)
        self.looks.append(Covered(glance.at_s, unlike > 1, unlike > PLAINLY, scene.still))

    def cleared(self, glance: Glance) -> None:
        """Learn what the cloth looks like now that no card is known to lie there.

        A card that was never found may lie there still. What is left there at the next time, too,
        belongs to the table.
        """
        scene = glance.scene
        if scene is None or self._bare is None or self._bare.shape != scene.detail.shape:
            return
        bare = scene.unlike(self._bare) <= 1
        if self._left is not None:
            bare |= scene.unlike(self._left) <= 1
        take_over(self._bare, scene.detail, bare & scene.still)
        self._left = scene.detail
        self._learnt = True

    def is_bare_at(self, box: Box) -> bool:
        """Whether what lies in a box now is nothing, or was there whenever the table was clear."""
        if not self.looks or self.lay_at_first(box):
            return False
        share = self.looks[-1].share_in(box, self.side)
        return share is not None and share < BARE

    def lay_at_first(self, box: Box) -> bool:
        """Whether a back was found there at the first look, which was taken for bare cloth.

        It may be a card, or print. Once the table was clear, that is known.
        """
        return not self._learnt and within(*middle(box), self._at_first)

    def is_print(self, back: BackSpot, after_s: float) -> bool:
        """Whether what was found is there no less later, when it was gone or all was clear."""
        shares = [
            (look.at_s, share)
            for look in self.looks
            if (share := look.share_in(back.box, self.side)) is not None
        ]
        there = back.there
        during = [share for at_s, share in shares if there.first_s <= at_s <= there.last_s]
        after = [share for at_s, share in shares if at_s >= after_s]
        return bool(during and after) and median(during) < BARE and min(after) < BARE

    def forget(self, before_s: float) -> None:
        """Drop what was seen before a layout began."""
        while self.looks and self.looks[0].at_s < before_s:
            self.looks.popleft()
