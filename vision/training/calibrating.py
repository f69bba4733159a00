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
from vision.cards import NUMBERS
from vision.evaluation_scenes import HIDDEN, shows_well
from vision.finder import Finder
from vision.index_belief import Belief, fitted_belief
from vision.index_crops import upright_heights
from vision.index_looks import set_right
from vision.index_reader import IndexReader, Weighing
from vision.index_turner import IndexTurner
from vision.model_files import READABLE, SURE_FROM, FinderFile, Network
from vision.reliability import TEMPERATURES, best_temperature, likeliest_weights
from vision.second_looks import examiner, surveyor
from vision.synthetic.pictures import DrawnIndex
from vision.synthetic.scenes import SCENES_A_DECK, draw_scene
from vision.training.eight_bits import file_of
from vision.training.shards import CLEAR_FROM, SHARP_FROM, UNREADABLE

SCENES: Final = 1000
FIRST_SEED: Final = 1_900_000_000
"""Of scenes that are used for nothing else."""
SAME_FROM: Final = 0.3
SHOWS_FROM: Final = 0.8
"""An index of which less shows may be read or not, as one that is blurred or faint may."""
OPEN: Final = -1
LOT: Final = 25
NETWORKS: Final = ("finder", "turner", "reader", "examiner", "surveyor")
TOUCHING: Final = 0.05
LEAST_LIKELY: Final = 1e-9
LOWEST_THRESHOLD: Final = 0.15
"""What scores less by both looks at it is mostly no index, or one that would be misread."""
FALSE_A_SCENE: Final = 0.05
"""How many finds in a scene may be read as cards where there is none."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of each find, and what is known of it."""

    scenes: int
    scores: NDArray[np.float32]
    """How surely the finder took it for an index."""
    read: NDArray[np.float32]
    """What the reader said at each look at how it lies: finds × looks × cards."""
    again: NDArray[np.float32]
    """What examiner and surveyor said there: finds × looks × both × cards."""
    numbers: NDArray[np.intp]
    """What is right: a card's number, or unreadable, or `OPEN`."""
    indexes: NDArray[np.intp]
    """Whether it is an index: 1, 0 or `OPEN`."""
    heights: NDArray[np.float32]
    """How tall it is taken to be."""

    def weighing(self, sure_from: float = SURE_FROM) -> Weighing:
        """What makes the probabilities come true, by the reader alone and with the second looks.

        Temperatures are those of indexes of every size that is looked at; but what each look weighs
        is told by those that are not said to be too small.
        """
        known = self.numbers != OPEN
        nothing = (1.0, *(0.0 for _ in range(self.again.shape[2])))
        if not known.any():
            return Weighing(weights=nothing, sure_from=sure_from)
        first = self.read[known, 0]
        temperature = best_temperature(first, self.numbers[known].tolist())
        alone = Weighing(round(temperature, 3), nothing, sure_from)
        asked = known & alone.doubtful(alone.alone(self.read[:, 0]), self.heights)
        if not asked.any():
            return alone
        tall = asked & (self.heights >= LEAST_HEIGHT)
        chosen = tall if tall.any() else asked
        looks = self.read.shape[1]
        right = np.repeat(self.numbers[chosen], looks).tolist()
        weights = likeliest_weights(self._words(chosen), right)
        colder = min(TEMPERATURES, key=lambda each: self._surprise(asked, weights, float(each)))
        return replace(alone, weights=tuple(round(weight / colder, 3) for weight in weights))

    def _words(self, which: NDArray[np.bool_]) -> list[NDArray[np.float32]]:
        """What reader, examiner and surveyor said of some finds, look by look."""
        cards = self.read.shape[-1]
        again = self.again[which]
        others = (again[:, :, each].reshape(-1, cards) for each in range(again.shape[2]))
        return [self.read[which].reshape(-1, cards), *others]

    def _together(self, which: NDArray[np.bool_], weighing: Weighing) -> NDArray[np.float32]:
        """The probabilities of some finds by all that was said: the mean of the looks."""
        each = weighing.together(self._words(which))
        return np.asarray(each.reshape(-1, *self.read.shape[1:]).mean(axis=1), np.float32)

    def _surprise(
        self, which: NDArray[np.bool_], weights: Sequence[float], temperature: float
    ) -> float:
        """How unlikely what was right is called, if words weigh so by a temperature."""
        cooled = tuple(weight / temperature for weight in weights)
        told = self._together(which, Weighing(weights=cooled))
        right = told[np.arange(len(told)), self.numbers[which]]
        return -float(np.log(np.maximum(right, LEAST_LIKELY)).mean())

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
        said = weighing.alone(self.read[:, 0])
        asked = weighing.doubtful(said, self.heights)
        said[asked] = self._together(asked, weighing)
        return said


def said_of_kept_out(folder: Path, scenes: int = SCENES) -> Said:
    """Let the networks of a folder look at scenes of decks that they never saw."""
    lots = [range(first, min(first + LOT, scenes)) for first in range(0, scenes, LOT)]
    with ProcessPoolExecutor() as pool:
        parts = [*pool.map(_said_of, itertools.repeat(folder), lots)]
    scores, read, again, numbers, indexes, heights = map(np.concatenate, zip(*parts, strict=True))
    return Said(scenes, scores, read, again, numbers, indexes, heights)


def _said_of(folder: Path, scenes: range) -> tuple[NDArray[Any], ...]:
    """What is said of some scenes, and known of it, as `Said` has it."""
    cv2.setNumThreads(1)
    networks = (Network(folder / file_of(name), 1) for name in NETWORKS)
    finder_network, turner_network, reader_network, examiner_network, surveyor_network = networks
    finder = Finder(finder_network, FinderFile("", "", threshold=LOWEST_THRESHOLD))
    turner = IndexTurner(turner_network)
    reader = IndexReader(reader_network)
    looks = examiner(examiner_network), surveyor(surveyor_network)
    parts = []
    for nth in scenes:
        picture = draw_scene(FIRST_SEED + nth * SCENES_A_DECK, kept_out=True)
        found = finder.find(picture.image)
        right = set_right(picture.image, found, turner, reader)
        numbers, indexes, _ = known_of(right.lying.boxes, picture.indexes).T
        each = (right.first, right.closer)
        again = [
            [look.logits(picture.image, at.lying.boxes, at.lying.leans.likeliest) for look in looks]
            for at in each
        ]
        parts.append(
            (
                right.scores,
                np.stack([at.read for at in each], axis=1),
                np.array(again).transpose(2, 0, 1, 3),
                numbers,
                indexes,
                upright_heights(right.first.lying.boxes, right.first.lying.leans.likeliest),
            )
        )
    return tuple(map(np.concatenate, zip(*parts, strict=True)))


def known_of(boxes: Boxes, indexes: Sequence[DrawnIndex]) -> NDArray[np.intp]:
    """What each find should be read as, and whether it is an index; `OPEN` where that is.

    And whether it shows so well that users are promised that it is read.

    What lies on a part of an index, and is not round it, is none, though it may read as one.
    """
    known = np.full((len(boxes), 3), (UNREADABLE, 0, 0), np.intp)
    showing = [index for index in indexes if index.visible > HIDDEN]
    if not showing:
        return known
    shares = overlaps(boxes, np.array([index.box for index in showing], np.float32))
    visible = np.array([index.visible for index in showing])
    for row, shared in zip(known, shares, strict=True):
        if shared.max() >= SAME_FROM:
            # Of indexes on top of each other only the topmost shows.
            index = showing[int(np.where(shared >= SAME_FROM, visible, -1).argmax())]
            number, found = (NUMBERS[index.card], 1) if _can_be_read(index) else (OPEN, OPEN)
            row[:] = number, found, shows_well(index)
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
