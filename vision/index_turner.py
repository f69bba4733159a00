"""How an index lies, told before it is read.

What stands upright is far easier to read, and the finder's box is at times round the rank alone:
so the surroundings of a find are looked at for how far the index leans and where it ends.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.boxes import Boxes, Image, overlaps
from vision.index_crops import CROP_SIDE, crop, map_as_it_lies
from vision.model_files import Network
from vision.square_networks import SquareNetwork

STEPS: Final = 24
"""A turn is told by so many steps, and what lies between them by the shares of neighbours."""
STEP: Final = 360 / STEPS
RIVALS_APART: Final = 4
"""Steps between a lean and the nearest that is another one, not an error of the same."""
PLACE: Final = 4
"""The numbers that tell where an index is: to the right, down, and how tall and wide.

The first two are by the longer side of the box that was found; the others are logarithms of what
they are by it.
"""
MOST_MOVED: Final = 0.75
LARGEST_STEP: Final = 1.2
"""How far off a box may be: where more is told, the box was none of an index, and stays near."""
BADLY_FOUND: Final = 0.7
"""A box that shares less with itself set right was found badly: what it holds is looked at anew."""


class Leans(NamedTuple):
    """Degrees that each index leans to the right, and what else it might be."""

    likeliest: NDArray[np.float32]
    rival: NDArray[np.float32]
    rival_share: NDArray[np.float32]
    """How likely it is the rival; one is upside down more often than it is a little off."""


@dataclass(frozen=True, slots=True)
class Lying:
    """The boxes of indexes set right, how far they lean, and how large they are."""

    boxes: Boxes
    leans: Leans
    sizes: NDArray[np.float32]
    """How wide and how tall each is, upright."""

    def only(self, which: NDArray[np.intp]) -> "Lying":
        """Some of them."""
        leans = Leans(*(each[which] for each in self.leans))
        return Lying(self.boxes[which], leans, self.sizes[which])

    def taking_over(self, which: NDArray[np.intp], others: "Lying") -> "Lying":
        """The same with some of them replaced by what was told later."""
        boxes, sizes = self.boxes.copy(), self.sizes.copy()
        boxes[which], sizes[which] = others.boxes, others.sizes
        leans = Leans(*(each.copy() for each in self.leans))
        for told, later in zip(leans, others.leans, strict=True):
            told[which] = later
        return Lying(boxes, leans, sizes)


class IndexTurner:
    """Tells how indexes lie."""

    def __init__(self, network: Network) -> None:
        """Use these weights."""
        self._network = SquareNetwork("turner", network, CROP_SIDE, STEPS + PLACE)

    def turn(self, image: Image, boxes: Boxes) -> Lying:
        """Tell how the index lies that is in each box, or of which a part is."""
        lying = self.turn_once(image, boxes)
        shared = np.diag(overlaps(boxes, lying.boxes))
        badly = np.flatnonzero(shared < BADLY_FOUND)
        if len(badly):
            lying = lying.taking_over(badly, self.turn_once(image, lying.boxes[badly]))
        return lying

    def turn_once(self, image: Image, boxes: Boxes) -> Lying:
        """The same at one look, whatever it shows."""
        if not len(boxes):
            none = np.zeros(0, np.float32)
            return Lying(boxes, Leans(none, none, none), none.reshape(0, 2))
        said = self._network.say([crop(image, map_as_it_lies(box)) for box in boxes])
        logits = said[:, :STEPS]
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        leans = leans_from(powers / powers.sum(axis=1, keepdims=True))
        sizes = sizes_told(boxes, said[:, STEPS:])
        return Lying(boxes_set_right(boxes, said[:, STEPS:], leans.likeliest), leans, sizes)


def place_in(box: NDArray[np.float32], corners: NDArray[np.float32]) -> NDArray[np.float32]:
    """What should be told of where an index with these corners is, if this box was found."""
    longer = float((box[2:] - box[:2]).max())
    away = (corners.mean(axis=0) - (box[:2] + box[2:]) / 2) / longer
    tall = np.linalg.norm(corners[0] + corners[1] - corners[2] - corners[3]) / 2
    wide = np.linalg.norm(corners[1] + corners[2] - corners[0] - corners[3]) / 2
    return np.array([*away, np.log(tall / longer), np.log(wide / longer)], np.float32)


def sizes_told(boxes: Boxes, places: NDArray[np.float32]) -> NDArray[np.float32]:
    """How wide and how tall indexes are of which it was told where they are."""
    longer = (boxes[:, 2:] - boxes[:, :2]).max(axis=1, keepdims=True)
    steps = np.clip(places[:, :1:-1], -LARGEST_STEP, LARGEST_STEP)
    return np.asarray(longer * np.exp(steps), np.float32)


def boxes_set_right(boxes: Boxes, places: NDArray[np.float32], leans: NDArray[np.float32]) -> Boxes:
    """The upright boxes round indexes of which it was told where they are and how they lean."""
    longer = (boxes[:, 2:] - boxes[:, :2]).max(axis=1, keepdims=True)
    away = np.clip(places[:, :2], -MOST_MOVED, MOST_MOVED)
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2 + away * longer
    wide, tall = sizes_told(boxes, places).T
    turn = np.radians(leans)
    cosine, sine = np.abs(np.cos(turn)), np.abs(np.sin(turn))
    half = np.column_stack([wide * cosine + tall * sine, wide * sine + tall * cosine]) / 2
    return np.asarray(np.hstack([middles - half, middles + half]), np.float32)


def leans_from(shares: NDArray[np.float32]) -> Leans:
    """The likeliest lean and its rival, from how likely each step is."""
    near = _with_neighbours(shares)
    best = near.argmax(axis=1)
    apart = np.abs(np.arange(STEPS)[None] - best[:, None])
    others = np.where(np.minimum(apart, STEPS - apart) >= RIVALS_APART, near, 0)
    rival = others.argmax(axis=1)
    rows = np.arange(len(shares))
    first, second = near[rows, best], others[rows, rival]
    share = second / np.maximum(first + second, 1e-9)
    return Leans(_between(shares, best), _between(shares, rival), share.astype(np.float32))


def shares_of(lean: NDArray[np.float32]) -> NDArray[np.float32]:
    """What the turner should say of a lean: the two nearest steps, the nearer the more."""
    apart = np.abs(lean[:, None] / STEP - np.arange(STEPS)[None]) % STEPS
    return np.asarray(np.clip(1 - np.minimum(apart, STEPS - apart), 0, None), np.float32)


def _with_neighbours(shares: NDArray[np.float32]) -> NDArray[np.float32]:
    around = np.roll(shares, 1, axis=1) + np.roll(shares, -1, axis=1)
    return np.asarray(shares + around, np.float32)


def _between(shares: NDArray[np.float32], at: NDArray[np.intp]) -> NDArray[np.float32]:
    """The lean at a step, drawn towards its neighbours by their shares."""
    rows = np.arange(len(shares))
    before, here, after = (shares[rows, (at + by) % STEPS] for by in (-1, 0, 1))
    away = (after - before) / np.maximum(before + here + after, 1e-9)
    degrees = (at + away) * STEP
    return np.asarray((degrees + 180) % 360 - 180, np.float32)
