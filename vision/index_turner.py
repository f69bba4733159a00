"""How far an index leans, told before it is read: what stands upright is far easier to read."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.boxes import Boxes, Image
from vision.index_crops import as_input, crop, map_as_it_lies
from vision.model_files import BadModel, Network

STEPS: Final = 24
"""A turn is told by so many steps, and what lies between them by the shares of neighbours."""
STEP: Final = 360 / STEPS
RIVALS_APART: Final = 4
"""Steps between a lean and the nearest that is another one, not an error of the same."""
BATCH: Final = 64


@dataclass(frozen=True, slots=True)
class Leans:
    """Degrees that each index leans to the right, and what else it might be."""

    likeliest: NDArray[np.float32]
    rival: NDArray[np.float32]
    rival_share: NDArray[np.float32]
    """How likely it is the rival; one is upside down more often than it is a little off."""


class IndexTurner:
    """Tells the lean of indexes from how they lie."""

    def __init__(self, network: Network) -> None:
        """Use these weights."""
        self._network = network

    def turn(self, image: Image, boxes: Boxes) -> Leans:
        """Tell the lean of the index in each box."""
        if not len(boxes):
            none = np.zeros(0, np.float32)
            return Leans(none, none, none)
        given = as_input([crop(image, map_as_it_lies(box)) for box in boxes])
        parts = [self._network.run(given[at : at + BATCH]) for at in range(0, len(given), BATCH)]
        logits = np.concatenate(parts)
        if logits.shape[1:] != (STEPS,):
            raise BadModel(f"the turner gives an array of shape {logits.shape}, not {STEPS} steps")
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return leans_from(powers / powers.sum(axis=1, keepdims=True))


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
