"""Drawn tables as pictures to be evaluated: decks, felts and cameras that training never saw."""

import time
from collections.abc import Iterator

from vision.card_reader import LEAST_HEIGHT, CardReader
from vision.evaluation import ReadPicture
from vision.labelled_folder import Label
from vision.synthetic.pictures import DrawnIndex
from vision.synthetic.scenes import SCENES_A_DECK, draw_scene

READABLE = 0.9
"""An index of which this much shows can be read, and has to be found, if it is legible."""
LEAST_SHARPNESS = 20.0
"""How many times an index must be as tall as the blur is wide to be legible."""
LEAST_CONTRAST = 60.0
"""How many levels there must be between ink and paper, of rank and of suit, to be legible."""
HIDDEN = 0.15
"""An index of which no more shows is not there."""
SEEDS_APART = 1_000_003
"""Seeds of the command are this far apart, so that no two of them share a table."""


def read_drawn(reader: CardReader, pictures: int, seed: int) -> Iterator[ReadPicture]:
    """Draw tables, each with a deck of its own, and read them.

    An index that is partly covered, too small, blurred or faint may be found or not.
    """
    for number in range(pictures):
        own_seed = seed * SEEDS_APART + number * SCENES_A_DECK
        scene = draw_scene(own_seed, kept_out=True)
        began = time.perf_counter()
        reading = reader.read(scene.image)
        seconds = time.perf_counter() - began
        labels = tuple(_label(index) for index in scene.indexes if index.visible > HIDDEN)
        yield ReadPicture(f"drawn {own_seed}", labels, reading, seconds)


def _label(index: DrawnIndex) -> Label:
    (left, top), (right, bottom) = index.corners.min(axis=0), index.corners.max(axis=0)
    return Label(
        index.card,
        (float(left), float(top), float(right), float(bottom)),
        height=index.height,
        counts=index.visible >= READABLE
        and index.height >= LEAST_HEIGHT
        and index.sharpness >= LEAST_SHARPNESS
        and index.contrast >= LEAST_CONTRAST,
    )
