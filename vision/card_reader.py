"""Reading a picture: its indexes, the cards they belong to, and the backs of cards."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from audit.errors import CatwalkError
from vision.boxes import Image
from vision.cards import CARDS
from vision.finder import Finder, Found
from vision.index_belief import UNFITTED, Belief, log_odds
from vision.index_crops import upright_height
from vision.index_looks import Looked, SetRight, set_right
from vision.index_reader import IndexReader, Weighing
from vision.index_turner import IndexTurner
from vision.joining import join_indexes
from vision.model_files import READABLE, THREADS, ModelFiles, Network, load_model_files
from vision.second_looks import examiner, surveyor

LEAST_HEIGHT = 14.0
"""Pixels: an index that is less tall is said to be too small, whatever it reads."""
FLOOR = 1e-3
"""What one index leaves to every card when it is joined with another, for it may be misread."""
LEAST_BELIEF = 0.3
"""A find that is less likely an index is none, whatever it may be joined with."""
LEAST_RIVAL = 0.06
"""Where another lean is at least so likely, an index is read at both."""
Box = tuple[float, float, float, float]


class BadPicture(CatwalkError):
    """A file that is no picture, or a broken one."""


@dataclass(frozen=True, slots=True, eq=False)
class IndexSeen:
    """A corner of a card: rank and suit as they were read."""

    box: Box
    score: float
    """How surely it is an index at all."""
    readable: float
    """How likely it can be read."""
    probabilities: NDArray[np.float32]
    """Of the 52 cards, if it can be read."""
    height: float
    """Pixels from the top of the rank to the foot of the suit."""
    lean: float = 0.0
    """Degrees that it leans to the right."""

    @property
    def too_small(self) -> bool:
        """Whether it is too small for its reading to be relied on."""
        return self.height < LEAST_HEIGHT

    @property
    def card(self) -> str:
        """What it most likely reads."""
        return CARDS[int(self.probabilities.argmax())]

    @property
    def certainty(self) -> float:
        """The probability that it reads so."""
        return self.readable * float(self.probabilities.max())


@dataclass(frozen=True, slots=True, eq=False)
class CardSeenInPicture:
    """A card by the indexes of it that show."""

    indexes: tuple[IndexSeen, ...]
    probabilities: NDArray[np.float32]
    """Of the 52 cards, all indexes taken together."""
    readable: float

    @property
    def box(self) -> Box:
        """What lies round its indexes; its outline is not known."""
        lefts, tops, rights, bottoms = zip(*(index.box for index in self.indexes), strict=True)
        return min(lefts), min(tops), max(rights), max(bottoms)

    @property
    def too_small(self) -> bool:
        """Whether each of its indexes is too small."""
        return all(index.too_small for index in self.indexes)

    @property
    def card(self) -> str:
        """Which card it most likely is."""
        return CARDS[int(self.probabilities.argmax())]

    @property
    def certainty(self) -> float:
        """The probability that it is this card."""
        return self.readable * float(self.probabilities.max())


@dataclass(frozen=True, slots=True)
class BackSeen:
    """A card that lies face down."""

    box: Box
    score: float


@dataclass(frozen=True, slots=True)
class PictureReading:
    """All that was seen in a picture, from the left to the right."""

    cards: tuple[CardSeenInPicture, ...]
    unreadable: tuple[IndexSeen, ...]
    """Found, but called not readable."""
    backs: tuple[BackSeen, ...]

    @property
    def indexes(self) -> tuple[IndexSeen, ...]:
        """The indexes of all cards."""
        return tuple(index for card in self.cards for index in card.indexes)


class CardReader:
    """Reads pictures: one network finds indexes, one tells how they lie, others read them."""

    def __init__(
        self,
        finder: Finder,
        turner: IndexTurner,
        reader: IndexReader,
        readable: float = READABLE,
        belief: Belief = UNFITTED,
        believed: float = 0.0,
    ) -> None:
        """Take what is found as readable from this probability on.

        And believe it to be an index where finder and reader together are as sure as that.
        """
        self._finder = finder
        self._turner = turner
        self._reader = reader
        self._readable = readable
        self._belief = belief
        self._believed = believed

    def read(
        self, image: Image, scales: tuple[float, ...] | None = None, part: Box | None = None
    ) -> PictureReading:
        """Read a picture, at the scales given or else at those that suit it.

        Where a part is named, only there anything is looked for; but what lies round it helps to
        read what is found.
        """
        found = self._finder.find(image, scales) if part is None else self._in(image, scales, part)
        right = set_right(image, found, self._turner, self._reader)
        boxes, leans, scores = right.lying.boxes, right.lying.leans, right.scores
        probabilities = self.weighed(image, right)
        readable = 1 - probabilities[:, -1]
        cards = given_readable(probabilities)
        seen = [
            IndexSeen(_box(box), float(score), float(can), each, upright_height(box, lean), lean)
            for box, score, can, each, lean in zip(
                boxes,
                scores,
                readable,
                cards,
                leans.likeliest.tolist(),
                strict=True,
            )
        ]
        odds = self._belief.odds(scores, probabilities)
        least = log_odds(min(self._believed, LEAST_BELIEF))
        likely = np.flatnonzero((readable >= self._readable) & (odds >= least))
        joined = join_indexes(image, boxes[likely], cards[likely], leans.likeliest[likely])
        groups = [likely[list(group)] for group in joined]
        # Two that lie, look and read as on one card speak for each other.
        believed = [group for group in groups if odds[group].sum() >= log_odds(self._believed)]
        told = {int(number) for group in believed for number in group}
        found_cards = (joined_card([seen[number] for number in group]) for group in believed)
        return PictureReading(
            cards=tuple(sorted(found_cards, key=lambda card: card.box)),
            unreadable=tuple(index for number, index in enumerate(seen) if number not in told),
            backs=tuple(
                sorted(
                    (
                        BackSeen(_box(box), float(score))
                        for box, score in zip(found.backs, found.back_scores, strict=True)
                    ),
                    key=lambda back: back.box,
                )
            ),
        )

    def _in(self, image: Image, scales: tuple[float, ...] | None, part: Box) -> Found:
        """What is found in a part of a picture, where it is in the picture."""
        left, top, right, bottom = map(int, part)
        found = self._finder.find(image[top:bottom, left:right], scales)
        moved = np.array([left, top, left, top], np.float32)
        return replace(found, indexes=found.indexes + moved, backs=found.backs + moved)

    def weighed(self, image: Image, right: SetRight) -> NDArray[np.float32]:
        """What each index reads: the mean of both looks at those that were looked at again."""
        probabilities = self._read_at(image, right.first)
        twice = np.flatnonzero(right.twice)
        if len(twice):
            again = self._read_at(image, right.closer.only(twice))
            probabilities[twice] = (probabilities[twice] + again) / 2
        return probabilities

    def _read_at(self, image: Image, looked: Looked) -> NDArray[np.float32]:
        """What each index reads by one look at how it lies.

        At both leans, by their shares, where it is not clear how it lies. A lean that is wrong
        mostly reads as nothing, and one that reads speaks for itself: so what can be read at each
        weighs in as well.
        """
        boxes, leans = looked.lying.boxes, looked.lying.leans
        said = self._reader.weighed(image, boxes, leans.likeliest, looked.read)
        doubtful = np.flatnonzero(leans.rival_share >= LEAST_RIVAL)
        if len(doubtful):
            other = self._reader.read(image, boxes[doubtful], leans.rival[doubtful])
            share = leans.rival_share[doubtful, None]
            here, there = (
                weight * (1 - each[:, -1:])
                for weight, each in ((1 - share, said[doubtful]), (share, other))
            )
            part = there / np.maximum(here + there, 1e-9)
            said[doubtful] = (1 - part) * said[doubtful] + part * other
        return said


def given_readable(probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """The probabilities of the 52 cards if an index can be read at all."""
    cards = np.maximum(probabilities[:, :-1], np.float32(1e-12))
    return np.asarray(cards / cards.sum(axis=1, keepdims=True), dtype=np.float32)


def joined_card(indexes: Sequence[IndexSeen]) -> CardSeenInPicture:
    """Take indexes of one card together: what each of them says multiplies."""
    if len(indexes) == 1:
        only = indexes[0]
        return CardSeenInPicture((only,), only.probabilities, only.readable)
    each = (np.maximum(index.probabilities, FLOOR) for index in indexes)
    product: NDArray[np.float32] = reduce(np.multiply, each)
    unreadable = float(np.prod([1 - index.readable for index in indexes]))
    whole = np.asarray(product / product.sum(), dtype=np.float32)
    return CardSeenInPicture(tuple(indexes), whole, 1 - unreadable)


def load_card_reader(
    folder: Path | None = None, threads: int = THREADS, *, least_score: float = 0.0
) -> CardReader:
    """Load the weights from a folder, or from where they usually are.

    Finds of a lower score than the least are passed over, though the weights' own threshold is
    lower.
    """
    files = load_model_files(folder)
    settings = replace(
        files.finder,
        threshold=max(files.finder.threshold, least_score),
        doubted_from=max(files.finder.doubted_from, least_score),
    )
    finder = Finder(Network(files.folder / files.finder.file, threads), settings)
    turner = IndexTurner(Network(files.folder / files.turner.file, threads))
    reader = load_index_reader(files, threads)
    told = files.reader
    return CardReader(finder, turner, reader, told.readable, told.belief, told.believed)


def load_index_reader(files: ModelFiles, threads: int = THREADS) -> IndexReader:
    """Load the networks that read indexes, with what makes their words come true."""
    reader, *others = (
        Network(files.folder / part.file, threads)
        for part in (files.reader, files.examiner, files.surveyor)
    )
    told = files.reader
    weights = (told.weight, files.examiner.weight, files.surveyor.weight)
    looks = [look(network) for look, network in zip((examiner, surveyor), others, strict=True)]
    return IndexReader(reader, looks, Weighing(told.temperature, weights, told.sure_from))


def read_image(path: Path) -> Image:
    """Read a picture file, turned as its camera was held."""
    try:
        content = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    except OSError as problem:
        raise BadPicture(f"{path} cannot be read: {problem.strerror}") from None
    image = cv2.imdecode(content, cv2.IMREAD_COLOR) if len(content) else None
    if image is None:
        raise BadPicture(f"{path} is not a picture, or it is broken")
    return np.asarray(image, dtype=np.uint8)


def _box(row: NDArray[np.float32]) -> Box:
    left, top, right, bottom = row.tolist()
    return left, top, right, bottom
