"""Lessons from real pictures: what first networks find in them, where the labels bear it out.

Labels of real pictures are boxes round whole cards, or loose ones round some of the indexes. The
first networks find and read the indexes themselves; what fits a label is learnt as that label says.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.boxes import Boxes, Image
from vision.card_reader import CardReader, IndexSeen
from vision.cards import NUMBERS
from vision.finder import INDEX, Finder
from vision.index_reader import IndexReader
from vision.index_turner import IndexTurner
from vision.look_reading import PictureReader
from vision.model_files import FinderFile, Network
from vision.training.real_pictures import RealPicture, box_patch
from vision.training.shards import WINDOW, Patch, rows_within

LIKELY_FROM: Final = 0.1
"""The score from which a find is looked at."""
SURE_FROM: Final = 0.35
"""The score from which a find is an index whatever it reads."""
AGREED: Final = 0.3
"""How likely the reading of a doubtful find has to be what the label says."""
CONTRADICTED: Final = 0.9
"""How sure of something else the reader has to be for a label to be thought wrong."""
WINDOWS_A_PICTURE: Final = 1
SHORTEST: Final = 15.0
TALLEST: Final = 46.0
"""Pixels of the indexes in the windows that the finder learns from."""
MOST_ENLARGED: Final = 1.25


@dataclass(frozen=True, slots=True)
class RealLesson:
    """What is to be learnt from a real picture."""

    boxes: Boxes
    patches: tuple[Patch, ...]


def reader_of(folder: Path) -> CardReader:
    """A reader that also gives what is doubtful."""
    return CardReader(
        Finder(Network(folder / "finder.onnx"), FinderFile("", "", threshold=LIKELY_FROM)),
        IndexTurner(Network(folder / "turner.onnx")),
        IndexReader(Network(folder / "reader.onnx")),
    )


def real_lesson(picture: RealPicture, reader: PictureReader, *, whole_cards: bool) -> RealLesson:
    """Find the indexes of a picture, and name those that its labels name."""
    reading = reader.read(picture.image)
    seen = [*reading.indexes, *reading.unreadable]
    named = named_indexes(picture, seen, whole_cards=whole_cards)
    told = {id(index) for index, _ in named}
    sure = [index for index in seen if id(index) in told or index.score >= SURE_FROM]
    patches = [
        box_patch(picture.image, np.array(index.box, np.float32), index.lean, card)
        for index, card in named
    ]
    boxes = np.array([index.box for index in sure], np.float32).reshape(-1, 4)
    if not whole_cards:
        boxes = np.concatenate([boxes, _missed(picture, sure)])
    return RealLesson(boxes, tuple(patches))


def named_indexes(
    picture: RealPicture, seen: Sequence[IndexSeen], *, whole_cards: bool
) -> list[tuple[IndexSeen, str]]:
    """Which of the indexes that were seen in a picture its labels name, and how."""
    return [*(_of_cards if whole_cards else _of_indexes)(picture, seen)]


def _missed(picture: RealPicture, found: Sequence[IndexSeen]) -> Boxes:
    """The labelled indexes that were not found: they are there all the same."""
    missed = [box for box in picture.boxes if not any(_within(index, box) for index in found)]
    return np.array(missed, np.float32).reshape(-1, 4)


def _of_indexes(picture: RealPicture, seen: Sequence[IndexSeen]) -> Iterator[tuple[IndexSeen, str]]:
    """Finds that lie alone in a labelled box. Labels are loose: the find is the better box."""
    for box, card in zip(picture.boxes, picture.cards, strict=True):
        inside = [index for index in seen if _within(index, box)]
        if len(inside) == 1 and not _contradicted(inside[0], card):
            yield inside[0], card


def _of_cards(picture: RealPicture, seen: Sequence[IndexSeen]) -> Iterator[tuple[IndexSeen, str]]:
    """Finds that lie in the box of one card only, or that read as one of the cards they lie in."""
    for index in seen:
        around = {
            card
            for outline, card in zip(picture.boxes, picture.cards, strict=True)
            if _within(index, outline)
        }
        agreed = {card for card in around if index.probabilities[NUMBERS[card]] > AGREED}
        if len(around) > 1 or index.score < SURE_FROM:
            around = agreed
        if len(around) == 1 and not _contradicted(index, next(iter(around))):
            yield index, around.pop()


def _contradicted(index: IndexSeen, card: str) -> bool:
    return index.card != card and index.certainty > CONTRADICTED


def _within(index: IndexSeen, box: NDArray[np.float32]) -> bool:
    left, top, right, bottom = index.box
    x, y = (left + right) / 2, (top + bottom) / 2
    return bool(box[0] < x < box[2] and box[1] < y < box[3])


def windows(
    image: Image, boxes: Boxes, rng: np.random.Generator
) -> Iterator[tuple[Image, NDArray[np.float32]]]:
    """Parts of a picture as large as drawn ones, with indexes as tall; rows of kind and box."""
    if not len(boxes):
        return
    tall = float(np.median((boxes[:, 2:] - boxes[:, :2]).max(axis=1)))
    for _ in range(min(WINDOWS_A_PICTURE, len(boxes))):
        wanted = float(np.exp(rng.uniform(np.log(SHORTEST), np.log(TALLEST))))
        scale = min(wanted / tall, MOST_ENLARGED)
        scale = max(scale, max(WINDOW) / min(image.shape[:2]))
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        scaled = cv2.resize(image, None, fx=scale, fy=scale, interpolation=how)
        high, wide = scaled.shape[:2]
        chosen = boxes[int(rng.integers(len(boxes)))] * scale
        middle = (chosen[:2] + chosen[2:]) / 2
        room = np.array([wide - WINDOW[0], high - WINDOW[1]])
        corner = np.clip(middle - rng.uniform(0.15, 0.85, 2) * WINDOW, 0, room).astype(int)
        left, top = int(corner[0]), int(corner[1])
        part = np.asarray(scaled[top : top + WINDOW[1], left : left + WINDOW[0]], np.uint8)
        kinds = np.full(len(boxes), INDEX, np.float32)
        yield part, rows_within(kinds, boxes * scale - np.tile(corner, 2))
