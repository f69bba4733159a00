"""What the networks say of drawn tables that were kept out: whether their word comes true."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.boxes import overlaps
from vision.card_reader import set_right
from vision.cards import NUMBERS
from vision.finder import Finder
from vision.index_reader import IndexReader, softmax
from vision.index_turner import IndexTurner
from vision.model_files import READABLE, FinderFile, Network
from vision.synthetic.pictures import DrawnIndex
from vision.synthetic.scenes import SCENES_A_DECK, draw_scene
from vision.training.shards import SHARP_FROM, UNREADABLE

SCENES: Final = 80
FIRST_SEED: Final = 1_900_000_000
"""Of scenes that are used for nothing else."""
SAME_FROM: Final = 0.3
SHOWS_FROM: Final = 0.8
"""An index of which less shows may be read or not: nobody can say what would be right."""
LOWEST_THRESHOLD: Final = 0.08
"""Finds of lower scores are hardly ever indexes, and there are many of them."""
FALSE_A_SCENE: Final = 0.04
"""How many finds in a scene may be read as cards where there is none."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of each find of which it is known what is right."""

    scenes: int
    scores: NDArray[np.float32]
    """How surely the finder took it for an index."""
    logits: NDArray[np.float32]
    """What the reader said."""
    numbers: NDArray[np.intp]
    """What is right: a card's number, or unreadable."""

    def least_belief(self, temperature: float) -> float:
        """The least score times certainty from which on so few finds are read that are none."""
        said = softmax(self.logits / temperature)
        surely = self.scores * said[:, :UNREADABLE].max(axis=1)
        readable = said[:, UNREADABLE] <= 1 - READABLE
        false = np.sort(surely[(self.numbers == UNREADABLE) & readable])[::-1]
        allowed = int(FALSE_A_SCENE * self.scenes)
        return 0.0 if len(false) <= allowed else round(float(false[allowed]) + 0.005, 2)


def said_of_kept_out(folder: Path, scenes: int = SCENES) -> Said:
    """Let the networks of a folder look at scenes of decks that they never saw."""
    finder = Finder(Network(folder / "finder.onnx"), FinderFile("", "", threshold=LOWEST_THRESHOLD))
    turner = IndexTurner(Network(folder / "turner.onnx"))
    reader = IndexReader(Network(folder / "reader.onnx"))
    scores: list[float] = []
    logits: list[NDArray[np.float32]] = []
    numbers: list[int] = []
    for nth in range(scenes):
        picture = draw_scene(FIRST_SEED + nth * SCENES_A_DECK, kept_out=True)
        found = finder.find(picture.image)
        boxes, leans, kept = set_right(found, turner.turn(picture.image, found.indexes))
        said = reader.logits(picture.image, boxes, leans.likeliest)
        there = np.array([_box(index) for index in picture.indexes], np.float32).reshape(-1, 4)
        for row, box, score in zip(said, boxes, kept, strict=True):
            number = _truth(box[None], there, picture.indexes)
            if number is not None:
                scores.append(float(score))
                logits.append(row)
                numbers.append(number)
    return Said(
        scenes,
        np.array(scores, np.float32),
        np.array(logits, np.float32),
        np.array(numbers, np.intp),
    )


def _box(index: DrawnIndex) -> NDArray[np.float32]:
    return np.concatenate([index.corners.min(axis=0), index.corners.max(axis=0)])


def _truth(
    box: NDArray[np.float32], there: NDArray[np.float32], indexes: tuple[DrawnIndex, ...]
) -> int | None:
    """What a find should be read as; None where that is open."""
    if not len(there):
        return UNREADABLE
    shared = overlaps(box, there)[0]
    # Of indexes on top of each other only the topmost shows.
    best = max(range(len(there)), key=lambda at: (shared[at] >= SAME_FROM, indexes[at].visible))
    if shared[best] < SAME_FROM:
        return UNREADABLE if shared.max() < 0.05 else None
    index = indexes[best]
    if index.visible < SHOWS_FROM or index.sharpness < SHARP_FROM:
        return None
    return NUMBERS[index.card]
