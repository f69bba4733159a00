"""What the networks say of drawn tables that were kept out: whether their word comes true."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.boxes import overlaps
from vision.card_reader import set_right
from vision.cards import NUMBERS
from vision.evaluation_scenes import HIDDEN
from vision.finder import Finder
from vision.index_belief import Belief, fitted_belief
from vision.index_reader import IndexReader, softmax
from vision.index_turner import IndexTurner
from vision.model_files import READABLE, FinderFile, Network
from vision.reliability import best_temperature
from vision.synthetic.pictures import DrawnIndex
from vision.synthetic.scenes import SCENES_A_DECK, draw_scene
from vision.training.shards import SHARP_FROM, UNREADABLE

SCENES: Final = 1000
FIRST_SEED: Final = 1_900_000_000
"""Of scenes that are used for nothing else."""
SAME_FROM: Final = 0.3
SHOWS_FROM: Final = 0.8
"""An index of which less shows may be read or not: nobody can say what would be right."""
OPEN: Final = -1
TOUCHING: Final = 0.05
LOWEST_THRESHOLD: Final = 0.08
"""Finds of lower scores are hardly ever indexes, and there are many of them."""
FALSE_A_SCENE: Final = 0.03
"""How many finds in a scene may be read as cards where there is none."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of each find, and what is known of it."""

    scenes: int
    scores: NDArray[np.float32]
    """How surely the finder took it for an index."""
    logits: NDArray[np.float32]
    """What the reader said."""
    numbers: NDArray[np.intp]
    """What is right: a card's number, or unreadable, or `OPEN`."""
    indexes: NDArray[np.intp]
    """Whether it is an index: 1, 0 or `OPEN`."""

    def temperature(self) -> float:
        """What makes the reader's probabilities come true."""
        known = self.numbers != OPEN
        if not known.any():
            return 1.0
        return round(best_temperature(self.logits[known], self.numbers[known].tolist()), 3)

    def belief(self, temperature: float) -> Belief:
        """How scores and readings tell which finds are indexes."""
        known = self.indexes != OPEN
        return fitted_belief(
            self.scores[known], self._probabilities(temperature)[known], self.indexes[known] == 1
        )

    def least_belief(self, belief: Belief, temperature: float) -> float:
        """The least belief from which on so few finds are read that are no indexes."""
        said = self._probabilities(temperature)
        false = (self.indexes == 0) & (1 - said[:, UNREADABLE] >= READABLE)
        told = np.sort(belief.of(self.scores, said)[false])[::-1]
        allowed = int(FALSE_A_SCENE * self.scenes)
        return 0.0 if len(told) <= allowed else round(float(told[allowed]) + 0.0005, 3)

    def _probabilities(self, temperature: float) -> NDArray[np.float32]:
        return softmax(self.logits / np.float32(temperature))


def said_of_kept_out(folder: Path, scenes: int = SCENES) -> Said:
    """Let the networks of a folder look at scenes of decks that they never saw."""
    finder = Finder(Network(folder / "finder.onnx"), FinderFile("", "", threshold=LOWEST_THRESHOLD))
    turner = IndexTurner(Network(folder / "turner.onnx"))
    reader = IndexReader(Network(folder / "reader.onnx"))
    scores: list[float] = []
    logits: list[NDArray[np.float32]] = []
    known: list[tuple[int, int]] = []
    for nth in range(scenes):
        picture = draw_scene(FIRST_SEED + nth * SCENES_A_DECK, kept_out=True)
        found = finder.find(picture.image)
        boxes, leans, kept = set_right(found, turner.turn(picture.image, found.indexes))
        logits += [*reader.logits(picture.image, boxes, leans.likeliest)]
        scores += kept.tolist()
        known += (known_of(box, picture.indexes) for box in boxes)
    numbers, indexes = np.array(known, np.intp).reshape(-1, 2).T
    return Said(
        scenes,
        np.array(scores, np.float32),
        np.array(logits, np.float32).reshape(-1, UNREADABLE + 1),
        numbers,
        indexes,
    )


def known_of(box: NDArray[np.float32], indexes: Sequence[DrawnIndex]) -> tuple[int, int]:
    """What a find should be read as, and whether it is an index; `OPEN` where that is.

    What lies on a part of an index, and is not round it, is none, though it may read as one.
    """
    showing = [index for index in indexes if index.visible > HIDDEN]
    if not showing:
        return UNREADABLE, 0
    there = np.array([index.box for index in showing], np.float32)
    shared = overlaps(box[None], there)[0]
    if shared.max() < SAME_FROM:
        return (UNREADABLE if shared.max() < TOUCHING else OPEN), 0
    # Of indexes on top of each other only the topmost shows.
    best = max(range(len(there)), key=lambda at: (shared[at] >= SAME_FROM, showing[at].visible))
    index = showing[best]
    if index.visible < SHOWS_FROM or index.sharpness < SHARP_FROM:
        return OPEN, OPEN
    return NUMBERS[index.card], 1
