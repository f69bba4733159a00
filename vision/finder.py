"""Finding the indexes and the card backs in a picture, with a small YOLO."""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.boxes import Boxes, Image, best_of_overlapping, overlaps, shares_of_smaller
from vision.model_files import BadModel, FinderFile, Network

STRIDE = 32
"""The network takes pictures whose sides are multiples of this."""
PAD_GREY = 114
INDEX, BACK = 0, 1
CLASSES = 2
MOST_OF_AN_INDEX = 0.45
"""Two indexes that share more than this of the smaller one are one; drawn ones share 0.4."""
MOST_OF_A_BOX = 0.7
"""The same of the boxes round them: those of neighbours in a fan that lies askew share half."""
USUAL_HEIGHT = 34.0
"""Pixels: indexes as tall as this are found best."""
TALL_HEIGHT = 50.0
"""Indexes taller than this ask for a second look at a smaller scale."""
SMALL_PICTURE = 520
"""A picture with no longer side is looked at enlarged as well."""
SAME_SCALE = 1.3
"""A second scale within this factor of the first would show nothing new."""
DOUBTED_BELOW = 0.6
"""A find of an index with a lower score is looked at again, by itself."""
CLOSER_SIDE = 192
"""Pixels of the square that is then looked at, in which the find is as tall as is found best."""
CLOSEST, FARTHEST = 2.5, 0.5
"""How many times as large as in the picture it may be shown there."""
NOT_SEEN = 0.02
"""The score of what is not found again."""
SAME_FROM = 0.3
"""How much of both areas two finds share if they are the same."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was found, best first: boxes and scores of indexes, and of card backs."""

    indexes: Boxes
    index_scores: NDArray[np.float32]
    backs: Boxes
    back_scores: NDArray[np.float32]


class Finder:
    """Finds indexes and card backs. It looks at the picture's own scale, for indexes are small."""

    def __init__(self, network: Network, file: FinderFile) -> None:
        """Use these weights with the thresholds that belong to them."""
        self._network = network
        self._file = file

    def find(self, image: Image, scales: tuple[float, ...] | None = None) -> Found:
        """Find what is in a picture, at the scales given, or else at those that suit it.

        A picture is looked at once as it is, shrunk if it is very large. A second look follows
        where the first found indexes far taller than those of a table's picture, and where the
        picture is so small that its indexes may be. Each find that is doubtful is then looked at by
        itself.
        """
        if scales is None:
            looks = self._usual_looks(image)
        else:
            looks = [self._look(image, scale) for scale in scales]
        return self._seen_again(image, self._merged(looks))

    def _usual_looks(self, image: Image) -> list[NDArray[np.float32]]:
        longest = max(image.shape[:2])
        first = min(1.0, self._file.longest_side / longest)
        looks = [self._look(image, first)]
        second = self._second_scale(looks[0], first, longest)
        if not first / SAME_SCALE < second < first * SAME_SCALE:
            looks.append(self._look(image, second))
        return looks

    def _second_scale(self, seen: NDArray[np.float32], first: float, longest: int) -> float:
        if longest <= SMALL_PICTURE:
            return first * 2
        indexes = seen[seen[:, 5] != BACK]
        if not len(indexes):
            return first
        heights = (indexes[:, 2:4] - indexes[:, :2]).max(axis=1)
        tallest = float(np.quantile(heights, 0.75))
        return USUAL_HEIGHT / tallest if tallest * first > TALL_HEIGHT else first

    def _look(self, image: Image, scale: float) -> NDArray[np.float32]:
        """Rows of left, top, right, bottom in the picture's pixels, score, class."""
        height, width = (max(round(side * scale), 1) for side in image.shape[:2])
        if (height, width) != image.shape[:2]:
            shrinks = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
            scaled = cv2.resize(image, (width, height), interpolation=shrinks)
        else:
            scaled = image
        rows = decode(self._network.run(as_input(padded(np.asarray(scaled, np.uint8)))))
        least = np.where(rows[:, 5] == BACK, self._file.back_threshold, self._file.doubted_from)
        rows = rows[rows[:, 4] >= least]
        rows[:, [0, 2]] = np.clip(rows[:, [0, 2]], 0, width) * (image.shape[1] / width)
        rows[:, [1, 3]] = np.clip(rows[:, [1, 3]], 0, height) * (image.shape[0] / height)
        whole = (rows[:, 2] > rows[:, 0]) & (rows[:, 3] > rows[:, 1])
        return np.asarray(rows[whole], dtype=np.float32)

    def _seen_again(self, image: Image, found: Found) -> Found:
        """The same with what is doubtful as it shows by itself, if both looks believe it."""
        indexes, scores = found.indexes.copy(), found.index_scores.copy()
        for place in np.flatnonzero(scores < DOUBTED_BELOW):
            box, score = self._closer(image, indexes[place])
            if score > scores[place]:
                indexes[place] = box
            scores[place] = _mean_score(float(scores[place]), score)
        order = np.argsort(-scores, kind="stable")
        order = order[scores[order] >= self._file.threshold]
        return replace(found, indexes=indexes[order], index_scores=scores[order])

    def _closer(self, image: Image, box: NDArray[np.float32]) -> tuple[NDArray[np.float32], float]:
        """The find that is in a box, looked at by itself, and its score there."""
        longest = float((box[2:] - box[:2]).max())
        scale = float(np.clip(USUAL_HEIGHT / max(longest, 1.0), FARTHEST, CLOSEST))
        away = CLOSER_SIDE / 2 - scale * (box[:2] + box[2:]) / 2
        placed = np.column_stack([scale * np.eye(2), away])
        square = cv2.warpAffine(
            image, placed, (CLOSER_SIDE, CLOSER_SIDE), borderMode=cv2.BORDER_REPLICATE
        )
        rows = decode(self._network.run(as_input(np.asarray(square, np.uint8))))
        rows = rows[(rows[:, 5] != BACK) & (rows[:, 4] > NOT_SEEN)]
        boxes = np.asarray((rows[:, :4] - np.tile(away, 2)) / scale, np.float32)
        shares = overlaps(boxes, box[None])[:, 0]
        if not (shares >= SAME_FROM).any():
            return box, NOT_SEEN
        # In a tight fan a neighbour shares much with it, too, and may be the better find.
        best = int((rows[:, 4] * shares**2 * (shares >= SAME_FROM)).argmax())
        height, width = image.shape[:2]
        inside = np.clip(boxes[best], 0, (width, height, width, height))
        return np.asarray(inside, np.float32), float(rows[best, 4])

    def _merged(self, looks: list[NDArray[np.float32]]) -> Found:
        rows = np.concatenate(looks)
        indexes, backs = rows[rows[:, 5] != BACK], rows[rows[:, 5] == BACK]
        # What lies mostly within a better find is that find again, seen as its rank alone or its
        # suit; the rest shows when it is known how they lie.
        indexes = indexes[
            best_of_overlapping(indexes[:, :4], indexes[:, 4], MOST_OF_A_BOX, by=shares_of_smaller)
        ]
        backs = backs[best_of_overlapping(backs[:, :4], backs[:, 4], self._file.overlap)]
        return Found(indexes[:, :4], indexes[:, 4], backs[:, :4], backs[:, 4])


def _mean_score(first: float, second: float) -> float:
    """The score whose odds lie between those of two scores."""
    odds = [score / (1 - score) for score in (first, min(second, 1 - NOT_SEEN))]
    return 1 - 1 / (1 + float(np.sqrt(odds[0] * odds[1])))


def padded(image: Image) -> Image:
    """A picture with grey below and to the right, as far as the network needs it."""
    below, right = (-side % STRIDE for side in image.shape[:2])
    if not (below or right):
        return image
    grey = (PAD_GREY, PAD_GREY, PAD_GREY)
    wider = cv2.copyMakeBorder(image, 0, below, 0, right, cv2.BORDER_CONSTANT, value=grey)
    return np.asarray(wider, np.uint8)


def as_input(image: Image) -> NDArray[np.float32]:
    """A picture as the network takes it: red first, planes, from 0 to 1.

    Plane by plane, for that is twice as fast as OpenCV's own way.
    """
    planes = np.empty((1, 3, *image.shape[:2]), np.float32)
    for place, plane in enumerate(reversed(cv2.split(image))):
        np.multiply(plane, np.float32(1 / 255), out=planes[0, place])
    return planes


def decode(output: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of left, top, right, bottom, score, class, from what a YOLO gives.

    An export gives either every cell (1, 4 + classes, cells) as centre, size and a score for each
    class, or (1, finds, 6) in the form wanted here.
    """
    if output.ndim == 3 and output.shape[2] == 6:
        return np.array(output[0], dtype=np.float32)
    if output.ndim != 3 or output.shape[1] != 4 + CLASSES:
        raise BadModel(f"the finder gives an array of shape {output.shape}, which is not a YOLO's")
    cells = output[0]
    scores = cells[4:]
    half = cells[2:4] / 2
    middle = cells[:2]
    kind = scores.argmax(axis=0)
    rows = np.concatenate([middle - half, middle + half, scores.max(axis=0)[None], kind[None]])
    return np.ascontiguousarray(rows.T, dtype=np.float32)
