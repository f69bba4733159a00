"""Drawn tables as pictures to be evaluated: decks, felts and cameras that training never saw."""

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from vision.card_reader import LEAST_HEIGHT, CardReader
from vision.evaluation import ReadPicture
from vision.labelled_folder import Label
from vision.synthetic.pictures import DrawnIndex
from vision.synthetic.scenes import SCENES_A_DECK, set_scene
from vision.synthetic.surfaces import Surface
from vision.synthetic.tables import Table

READABLE = 0.9
"""An index of which this much shows can be read, and has to be found, if it is legible."""
LEAST_SHARPNESS = 20.0
"""How many times an index must be as tall as the blur is wide to be legible."""
LEAST_CONTRAST = 60.0
"""How many levels there must be between ink and paper, of rank and of suit, to be legible."""
HIDDEN = 0.15
"""An index of which no more shows is not there."""
DIM_BELOW = 0.75
SOFT_BELOW = 30.0
FAINT_BELOW = 110.0
GRAINY_BELOW = 300.0
"""As levels of contrast by levels of grain, times the pixels that it is tall: below 15 times for an
index of 20 pixels."""
STEEP_FROM = 60.0
"""Degrees above the table, from which on a camera looks down on it."""
SEEDS_APART = 1_000_003
"""Seeds of the command are this far apart, so that no two of them share a table."""


def read_drawn(reader: CardReader, pictures: int, seed: int) -> Iterator[ReadPicture]:
    """Draw tables, each with a deck of its own, and read them.

    An index that is partly covered, too small, blurred or faint may be found or not.
    """
    for number in range(pictures):
        own_seed = seed * SEEDS_APART + number * SCENES_A_DECK
        scene = set_scene(own_seed, kept_out=True)
        table = scene.table
        picture = table.draw(
            scene.laid,
            scene.hands,
            scene.chips,
            moment=own_seed,
            moving=scene.moving,
            with_grain=True,
        )
        began = time.perf_counter()
        reading = reader.read(picture.image)
        seconds = time.perf_counter() - began
        labels = tuple(_label(index, table) for index in picture.indexes if index.visible > HIDDEN)
        yield ReadPicture(f"drawn {own_seed}", labels, reading, seconds)


def _label(index: DrawnIndex, table: Table) -> Label:
    left, top, right, bottom = index.box.tolist()
    return Label(
        index.card,
        (left, top, right, bottom),
        height=index.height,
        counts=index.visible >= READABLE
        and index.height >= LEAST_HEIGHT
        and index.sharpness >= LEAST_SHARPNESS
        and index.contrast >= LEAST_CONTRAST,
        conditions=tuple(conditions_of(index, table)),
    )


def conditions_of(index: DrawnIndex, table: Table) -> Iterator[str]:
    """What may make an index hard to read, and its opposite."""
    at = index.corners.mean(axis=0)
    yield "no table" if isinstance(table.ground, Surface) else f"{table.game} table"
    yield "dim light" if table.light.level < DIM_BELOW else "good light"
    yield "soft picture" if index.sharpness < SOFT_BELOW else "sharp picture"
    yield "faint print" if index.contrast < FAINT_BELOW else "strong print"
    yield "grainy picture" if index.clearness < GRAINY_BELOW else "clean picture"
    yield "four colours" if len(set(table.deck.plan.inks.suits.values())) > 2 else "two colours"
    yield "from above" if _elevation(table, at) >= STEEP_FROM else "from the side"


def _elevation(table: Table, at: NDArray[np.float32]) -> float:
    """Degrees by which the camera stands above the table, seen from what lies at a pixel."""
    x, y, far = np.linalg.solve(table.camera.plane(), (*at.tolist(), 1.0))
    aside = table.camera.above[:2] - (x / far, y / far)
    return float(np.degrees(np.arctan2(table.camera.above[2], np.hypot(*aside))))
