"""Pictures in which a finder still errs, and what it takes for indexes: the lessons that tell most.

Of freshly drawn pictures those are kept in which an index is missed or something else is taken for
one, and a few others, lest what is known be forgotten. What was taken for an index and is none
teaches the reader to refuse it. Patches of indexes are kept of all pictures.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.boxes import Boxes, centres, overlaps
from vision.finder import INDEX, Finder, Found
from vision.model_files import FinderFile, Network
from vision.synthetic.pictures import Picture
from vision.synthetic.scenes import draw_scene
from vision.training.shards import (
    PICTURES_IN_A_SHARD,
    UNREADABLE,
    WINDOW,
    Lesson,
    Patch,
    box_round,
    lesson_from,
    patch_round,
    write_patches,
    write_picture,
)

FOUND_FROM: Final = 0.3
"""The score from which a find counts, and a false one is a mistake."""
TAKEN_FROM: Final = 0.04
"""The score from which something that is no index teaches the reader."""
SAME_FROM: Final = 0.4
EASY_KEPT: Final = 0.12
AT_ONE_SCALE: Final = (1.0,)


def draw_hard_shards(folder: Path, shards: range, learnt: Path) -> Iterator[Path]:
    """Draw the shards that are not there yet, with the finder of a folder."""
    for kind in ("images", "labels", "patches"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        drawn = {
            pool.submit(draw_hard_shard, folder, number, learnt / "finder.onnx")
            for number in shards
        }
        for one in as_completed(drawn):
            yield one.result()


def draw_hard_shard(folder: Path, number: int, finder_file: Path) -> Path:
    """Draw a shard and keep what is hard in it, or leave it as it is if it is there."""
    path = folder / "patches" / f"{number:07}.npz"
    if path.exists():
        return path
    cv2.setNumThreads(1)
    finder = Finder(Network(finder_file, 1), FinderFile("", "", threshold=TAKEN_FROM))
    patches: list[Patch] = []
    for nth in range(PICTURES_IN_A_SHARD):
        seed = number * PICTURES_IN_A_SHARD + nth
        rng = np.random.default_rng((seed, 7))
        picture = draw_scene(seed, window=WINDOW)
        lesson = lesson_from(picture, rng)
        found = finder.find(picture.image, AT_ONE_SCALE)
        false = _false_finds(picture, found)
        patches.extend(lesson.patches)
        patches.extend(_refused(lesson, found, false))
        wrong = _missed(lesson, found) or (found.index_scores[false] >= FOUND_FROM).any()
        if wrong or rng.random() < EASY_KEPT:
            write_picture(folder, f"{seed:010}", lesson.image, lesson.boxes)
    write_patches(path, patches)
    return path


def _missed(lesson: Lesson, found: Found) -> bool:
    """Whether an index that had to be found was not."""
    wanted = lesson.boxes[lesson.boxes[:, 0] == INDEX, 1:]
    finds = found.indexes[found.index_scores >= FOUND_FROM]
    if not len(wanted) or not len(finds):
        return bool(len(wanted))
    return bool((overlaps(wanted, finds).max(axis=1) < SAME_FROM).any())


def _false_finds(picture: Picture, found: Found) -> NDArray[np.intp]:
    """Which finds lie on no index at all, be it small or half covered."""
    height, width = picture.image.shape[:2]
    boxes = [box_round(index.corners, width, height) for index in picture.indexes]
    there = np.array(boxes, np.float32).reshape(-1, 4)
    if not len(there):
        return np.arange(len(found.indexes))
    middles = centres(found.indexes)[:, None]
    inside = ((middles > there[None, :, :2]) & (middles < there[None, :, 2:])).all(axis=2)
    touching = overlaps(found.indexes, there) > 0.05
    return np.flatnonzero(~(inside | touching).any(axis=1))


def _refused(lesson: Lesson, found: Found, false: NDArray[np.intp]) -> list[Patch]:
    return [
        patch_round(lesson.image, _corners(box), UNREADABLE, float(max(box[2:] - box[:2])))
        for box in found.indexes[false]
    ]


def _corners(box: Boxes) -> NDArray[np.float32]:
    left, top, right, bottom = box.tolist()
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
