"""Drawn tables as pictures to be evaluated: decks, felts and cameras that training never saw."""

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.card_reader import LEAST_HEIGHT, CardReader
from vision.evaluation import ReadPicture
from vision.labelled_folder import Label
from vision.synthetic.legibility import LEAST_DISTINCTNESS, Filmed
from vision.synthetic.pictures import DrawnIndex, Picture
from vision.synthetic.scenes import SCENES_A_DECK, Scene, set_scene
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
GRAINY_BELOW = 2 * LEAST_DISTINCTNESS
STEEP_FROM = 60.0
"""Degrees above the table, from which on a camera looks down on it."""
SEEDS_APART = 1_000_003
"""Seeds of the command are this far apart, so that no two of them share a table."""


def read_drawn(
    reader: CardReader, pictures: int, seed: int, *, in_any_grain: bool = False
) -> Iterator[ReadPicture]:
    """Draw tables, each with a deck of its own, and read them.

    An index that is partly covered, too small, blurred, faint or hidden in grain may be found or
    not; one that only grain hides counts `in_any_grain`.
    """
    for number in range(pictures):
        own_seed = seed * SEEDS_APART + number * SCENES_A_DECK
        scene = set_scene(own_seed, kept_out=True)
        picture = _drawn(scene, own_seed)
        began = time.perf_counter()
        reading = reader.read(picture.image)
        seconds = time.perf_counter() - began
        ungrained = replace(
            scene, table=replace(scene.table, filming=scene.table.filming.without_grain())
        )
        clean = _drawn(ungrained, own_seed)
        filmed = Filmed(scene.table, scene.laid, scene.moving, picture.image, clean.image)
        labels = tuple(
            label_of(index, filmed, in_any_grain=in_any_grain)
            for index in picture.indexes
            if index.visible > HIDDEN
        )
        yield ReadPicture(f"drawn {own_seed}", labels, reading, seconds)


def _drawn(scene: Scene, moment: int) -> Picture:
    return scene.table.draw(
        scene.laid, scene.hands, scene.chips, moment=moment, moving=scene.moving
    )


def label_of(index: DrawnIndex, filmed: Filmed, *, in_any_grain: bool = False) -> Label:
    """What is there to be found, whether it has to be, and what may make it hard to read."""
    left, top, right, bottom = index.box.tolist()
    counts = shows_well(index)
    distinctness = filmed.distinctness(index) if counts else 0.0
    return Label(
        index.card,
        (left, top, right, bottom),
        height=index.height,
        counts=counts and (in_any_grain or distinctness >= LEAST_DISTINCTNESS),
        conditions=tuple(_conditions(index, filmed.table, distinctness)),
    )


def shows_well(index: DrawnIndex) -> bool:
    """Whether it can be read but for the grain of the picture: bare, tall, sharp and strong."""
    return (
        index.visible >= READABLE
        and index.height >= LEAST_HEIGHT
        and index.sharpness >= LEAST_SHARPNESS
        and index.contrast >= LEAST_CONTRAST
    )


def _conditions(index: DrawnIndex, table: Table, distinctness: float) -> Iterator[str]:
    """What may make an index hard to read, and its opposite."""
    at = index.corners.mean(axis=0)
    yield "no table" if isinstance(table.ground, Surface) else f"{table.game} table"
    yield "dim light" if table.light.level < DIM_BELOW else "good light"
    yield "soft picture" if index.sharpness < SOFT_BELOW else "sharp picture"
    yield "faint print" if index.contrast < FAINT_BELOW else "strong print"
    yield "grainy picture" if distinctness < GRAINY_BELOW else "clean picture"
    yield "four colours" if len(set(table.deck.plan.inks.suits.values())) > 2 else "two colours"
    yield "from above" if _elevation(table, at) >= STEEP_FROM else "from the side"


def _elevation(table: Table, at: NDArray[np.float32]) -> float:
    """Degrees by which the camera stands above the table, seen from what lies at a pixel."""
    x, y, far = np.linalg.solve(table.camera.plane(), (*at.tolist(), 1.0))
    aside = table.camera.above[:2] - (x / far, y / far)
    return float(np.degrees(np.arctan2(table.camera.above[2], np.hypot(*aside))))
