"""What the networks say of drawn tables that were kept out: whether their word comes true."""

import itertools
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.boxes import Boxes, overlaps
from vision.card_reader import LEAST_HEIGHT
from vision.card_surveyor import CardSurveyor
from vision.cards import NUMBERS
from vision.evaluation_scenes import HIDDEN
from vision.finder import Finder
from vision.index_belief import Belief, fitted_belief
from vision.index_crops import upright_height
from vision.index_looks import set_right
from vision.index_reader import IndexReader, Weighing
from vision.index_turner import IndexTurner
from vision.model_files import READABLE, FinderFile, Network
from vision.reliability import best_temperature, surprise
from vision.synthetic.pictures import DrawnIndex
from vision.synthetic.scenes import SCENES_A_DECK, draw_scene
from vision.training.shards import CLEAR_FROM, SHARP_FROM, UNREADABLE

SCENES: Final = 1000
FIRST_SEED: Final = 1_900_000_000
"""Of scenes that are used for nothing else."""
SAME_FROM: Final = 0.3
SHOWS_FROM: Final = 0.8
"""An index of which less shows may be read or not, as one that is blurred or faint may."""
OPEN: Final = -1
SURE_FROM: Final = 0.9
"""Where the reader is as sure as that, the surveyor is not asked."""
WEIGHTS: Final = (0.0, *(round(0.05 * step, 2) for step in range(2, 31)))
"""Those of the surveyor's word that are tried."""
LOT: Final = 25
NETWORKS: Final = ("finder", "turner", "reader", "surveyor")
TOUCHING: Final = 0.05
LOWEST_THRESHOLD: Final = 0.1
"""Finds of lower scores are hardly ever indexes, and there are many of them."""
FALSE_A_SCENE: Final = 0.018
"""How many finds in a scene may be read as cards where there is none."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of each find, and what is known of it."""

    scenes: int
    scores: NDArray[np.float32]
    """How surely the finder took it for an index."""
    read: NDArray[np.float32]
    """What the reader said."""
    surveyed: NDArray[np.float32]
    """What the surveyor said."""
    numbers: NDArray[np.intp]
    """What is right: a card's number, or unreadable, or `OPEN`."""
    indexes: NDArray[np.intp]
    """Whether it is an index: 1, 0 or `OPEN`."""
    heights: NDArray[np.float32]
    """How tall it is taken to be."""

    def weighing(self, sure_from: float = SURE_FROM) -> Weighing:
        """What makes the probabilities come true, by the reader alone and with the surveyor.

        Temperatures are those of indexes of every size; but what the surveyor weighs is told by
        those that are not said to be too small, for the smaller they are, the more it knows.
        """
        known = self.numbers != OPEN
        if not known.any():
            return Weighing(sure_from=sure_from)
        temperature = best_temperature(self.read[known], self.numbers[known].tolist())
        alone = Weighing(round(temperature, 3), sure_from=sure_from)
        asked = known & alone.doubtful(alone.alone(self.read))
        if not asked.any():
            return alone
        tall = asked & (self.heights >= LEAST_HEIGHT)
        weight = min(WEIGHTS, key=lambda each: self._weighed(tall if tall.any() else asked, each))
        _, temperature = self._weighed(asked, weight)
        return replace(alone, surveyed=weight, surveyed_temperature=round(temperature, 3))

    def _weighed(self, asked: NDArray[np.bool_], weight: float) -> tuple[float, float]:
        """The least surprise at what is right if the surveyor weighs so much; its temperature."""
        both = (self.read[asked] + weight * self.surveyed[asked]).astype(np.float32)
        right = self.numbers[asked].tolist()
        temperature = best_temperature(both, right)
        return surprise(both, right, temperature), temperature

    def belief(self, weighing: Weighing) -> Belief:
        """How scores and readings tell which finds are indexes."""
        known = self.indexes != OPEN
        said = self.probabilities(weighing)
        return fitted_belief(self.scores[known], said[known], self.indexes[known] == 1)

    def least_belief(self, belief: Belief, weighing: Weighing) -> float:
        """The least belief from which on so few finds are read that are no indexes."""
        said = self.probabilities(weighing)
        false = (self.indexes == 0) & (1 - said[:, UNREADABLE] >= READABLE)
        told = np.sort(belief.of(self.scores, said)[false])[::-1]
        allowed = int(FALSE_A_SCENE * self.scenes)
        return 0.0 if len(told) <= allowed else round(float(told[allowed]) + 0.0005, 3)

    def probabilities(self, weighing: Weighing) -> NDArray[np.float32]:
        """What follows from what was said, weighed so."""
        said = weighing.alone(self.read)
        asked = weighing.doubtful(said)
        said[asked] = weighing.together(self.read[asked], self.surveyed[asked])
        return said


def said_of_kept_out(folder: Path, scenes: int = SCENES) -> Said:
    """Let the networks of a folder look at scenes of decks that they never saw."""
    lots = [range(first, min(first + LOT, scenes)) for first in range(0, scenes, LOT)]
    with ProcessPoolExecutor() as pool:
        parts = [*pool.map(_said_of, itertools.repeat(folder), lots)]
    scores, read, surveyed, numbers, indexes, heights = map(
        np.concatenate, zip(*parts, strict=True)
    )
    return Said(scenes, scores, read, surveyed, numbers, indexes, heights)


def _said_of(folder: Path, scenes: range) -> tuple[NDArray[Any], ...]:
    """What is said of some scenes, and known of it, as `Said` has it."""
    cv2.setNumThreads(1)
    networks = (Network(folder / f"{name}.onnx", 1) for name in NETWORKS)
    finder_network, turner_network, reader_network, surveyor_network = networks
    finder = Finder(finder_network, FinderFile("", "", threshold=LOWEST_THRESHOLD))
    turner = IndexTurner(turner_network)
    reader, surveyor = IndexReader(reader_network), CardSurveyor(surveyor_network)
    parts = []
    for nth in scenes:
        picture = draw_scene(FIRST_SEED + nth * SCENES_A_DECK, kept_out=True)
        found = finder.find(picture.image)
        lying, scores, read = set_right(picture.image, found, turner, reader)
        boxes, leans = lying.boxes, lying.leans.likeliest
        numbers, indexes = known_of(boxes, picture.indexes).T
        tall = [upright_height(box, lean) for box, lean in zip(boxes, leans, strict=True)]
        heights = np.array(tall, np.float32)
        surveyed = surveyor.logits(picture.image, boxes, leans)
        parts.append((scores, read, surveyed, numbers, indexes, heights))
    return tuple(map(np.concatenate, zip(*parts, strict=True)))


def known_of(boxes: Boxes, indexes: Sequence[DrawnIndex]) -> NDArray[np.intp]:
    """What each find should be read as, and whether it is an index; `OPEN` where that is.

    What lies on a part of an index, and is not round it, is none, though it may read as one.
    """
    known = np.full((len(boxes), 2), (UNREADABLE, 0), np.intp)
    showing = [index for index in indexes if index.visible > HIDDEN]
    if not showing:
        return known
    shares = overlaps(boxes, np.array([index.box for index in showing], np.float32))
    visible = np.array([index.visible for index in showing])
    for row, shared in zip(known, shares, strict=True):
        if shared.max() >= SAME_FROM:
            # Of indexes on top of each other only the topmost shows.
            index = showing[int(np.where(shared >= SAME_FROM, visible, -1).argmax())]
            row[:] = (NUMBERS[index.card], 1) if _can_be_read(index) else (OPEN, OPEN)
        elif shared.max() >= TOUCHING:
            row[0] = OPEN
    return known


def _can_be_read(index: DrawnIndex) -> bool:
    """Whether it is clear what would be right: of less, it may be read or called not readable."""
    return (
        index.visible >= SHOWS_FROM
        and index.sharpness >= SHARP_FROM
        and index.contrast >= CLEAR_FROM
    )
