"""How well pictures are read in which somebody marked the cards.

Marks are boxes either round indexes or round cards.

Round indexes: a mark is found if a find shares at least `LEAST_OVERLAP` of both their area with it,
each find and each mark once, best first.

Round cards: a find belongs to the card in whose box its centre lies. Where boxes overlap, it
belongs to the one to which it lies more as an index lies in a card's corners: the size of the box
tells how far the card is turned, and so where its corners are. Finds that were joined to one card
belong together, if a box holds them all. What a find reads plays no part in this, for it would
flatter. The card is read as most of its finds read, each with its certainty.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from vision.boxes import areas, centres, index_height, overlaps
from vision.card_reader import CardReader, IndexSeen, PictureReading, read_image
from vision.cards import CARDS, RANKS
from vision.labelled_folder import BadFolder, Box, Label, PictureFile
from vision.reliability import Reliability, reliability

LEAST_OVERLAP = 0.3
CARD_BY_INDEX = 4.0
"""A mark that is this many times as large as the finds in it is drawn round a card."""
CARD_SHAPE = (63.0, 88.0)
INDEX_PLACE = (0.40, 0.37)
"""How far from the middle of a card its indexes are, by its width and by its height."""


class Marks(StrEnum):
    """What boxes are drawn round."""

    INDEX = "index"
    CARD = "card"


@dataclass(frozen=True, slots=True)
class ReadPicture:
    """A picture that was read, what is marked in it, and how long it took."""

    name: str
    labels: tuple[Label, ...]
    reading: PictureReading
    seconds: float


@dataclass(frozen=True, slots=True)
class Answer:
    """What a find says: a card, or a rank where only ranks are marked."""

    name: str
    certainty: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one mark."""

    picture: str
    truth: str
    box: Box
    height: float | None
    """Of the index in pixels; None where a card was marked and no index of it found."""
    found: bool
    answer: Answer | None
    """None where nothing was found, or what was found was called not readable."""
    conditions: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether it was read exactly."""
        return self.answer is not None and self.answer.name == self.truth


@dataclass(frozen=True, slots=True)
class FalseFind:
    """An index that was found and read where none is marked."""

    picture: str
    box: Box
    answer: Answer


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What became of all marks."""

    marks: Marks
    pictures: int
    outcomes: tuple[Outcome, ...]
    false_finds: tuple[FalseFind, ...]
    seconds: tuple[float, ...]

    @property
    def ranks_only(self) -> bool:
        """Whether only ranks are marked."""
        return all(len(outcome.truth) == 1 for outcome in self.outcomes)

    def reliability(self) -> Reliability:
        """Whether the certainties of what was found and read come true."""
        told = [(one.answer.certainty, one.right) for one in self.outcomes if one.answer]
        return reliability([each[0] for each in told], [each[1] for each in told])


def read_labelled(
    reader: CardReader, files: Iterable[PictureFile], clock: Callable[[], float] = time.perf_counter
) -> Iterator[ReadPicture]:
    """Read one picture after the other. Loading the file is not part of the time."""
    for file in files:
        image = read_image(file.path)
        began = clock()
        reading = reader.read(image)
        seconds = clock() - began
        labels = file.labels(image.shape[1], image.shape[0])
        yield ReadPicture(str(file.path), labels, reading, seconds)


def evaluate(pictures: Sequence[ReadPicture], marks: Marks | None = None) -> Evaluation:
    """Compare what was read with what is marked; what marks are round is told from their size."""
    kind = marks or told_marks(pictures)
    outcomes: list[Outcome] = []
    false_finds: list[FalseFind] = []
    for picture in pictures:
        finds = [*_finds(picture.reading)]
        owners = _by_card(picture, finds) if kind is Marks.CARD else _by_index(picture, finds)
        for number, label in enumerate(picture.labels):
            own = [find for find, owner in zip(finds, owners, strict=True) if owner == number]
            if label.name and label.counts:
                outcomes.append(_outcome(picture.name, label, own, kind))
        false_finds += (
            FalseFind(picture.name, find.index.box, find.answer(rank_only=False))
            for find, owner in zip(finds, owners, strict=True)
            if owner is None and find.readable
        )
    return Evaluation(
        kind,
        len(pictures),
        tuple(outcomes),
        tuple(false_finds),
        tuple(picture.seconds for picture in pictures),
    )


def told_marks(pictures: Sequence[ReadPicture]) -> Marks:
    """Tell from the finds in them what marks are drawn round."""
    ratios: list[float] = []
    for picture in pictures:
        finds = np.array([find.index.box for find in _finds(picture.reading)], dtype=np.float32)
        boxes = _label_boxes(picture)
        if len(finds) and len(boxes):
            ratio = areas(boxes)[None] / areas(finds)[:, None]
            ratios += ratio[_inside(finds, boxes)].tolist()
    if not ratios:
        raise BadFolder(
            "nothing was found in any marked box, so what boxes are round cannot be told: say "
            "--boxes index or --boxes card"
        )
    return Marks.CARD if float(np.median(ratios)) >= CARD_BY_INDEX else Marks.INDEX


@dataclass(frozen=True, slots=True)
class _Find:
    """An index that was found, with the probabilities of the card that it was joined to."""

    index: IndexSeen
    card: int
    """Finds with the same number were joined to one card."""
    probabilities: NDArray[np.float32]
    certain: float
    readable: bool

    def answer(self, *, rank_only: bool) -> Answer:
        """What it says, where the rank alone is asked for or the card."""
        each, names = self.probabilities, CARDS
        if rank_only:
            each, names = each.reshape(len(RANKS), -1).sum(axis=1), tuple(RANKS)
        best = int(each.argmax())
        return Answer(names[best], float(each[best]) * self.certain)


def _finds(reading: PictureReading) -> Iterator[_Find]:
    for number, card in enumerate(reading.cards):
        for index in card.indexes:
            yield _Find(index, number, card.probabilities, card.readable, readable=True)
    for number, index in enumerate(reading.unreadable, len(reading.cards)):
        yield _Find(index, number, index.probabilities, index.readable, readable=False)


def _outcome(picture: str, label: Label, own: Sequence[_Find], kind: Marks) -> Outcome:
    height = label.height
    if height is None and kind is Marks.INDEX:
        left, top, right, bottom = label.box
        height = index_height(right - left, bottom - top)
    elif height is None and own:
        height = max(find.index.height for find in own)
    return Outcome(
        picture,
        label.name,
        label.box,
        height,
        found=bool(own),
        answer=_vote([find for find in own if find.readable], rank_only=len(label.name) == 1),
        conditions=label.conditions,
    )


def _vote(finds: Sequence[_Find], *, rank_only: bool) -> Answer | None:
    """What most of the finds say, with the share of what they all say."""
    votes: dict[str, float] = {}
    for answer in (find.answer(rank_only=rank_only) for find in finds):
        votes[answer.name] = votes.get(answer.name, 0.0) + answer.certainty
    if not votes:
        return None
    best = max(votes, key=lambda name: votes[name])
    return Answer(best, votes[best] / len(finds))


def _label_boxes(picture: ReadPicture) -> NDArray[np.float32]:
    return np.array([label.box for label in picture.labels], dtype=np.float32).reshape(-1, 4)


def _inside(finds: NDArray[np.float32], boxes: NDArray[np.float32]) -> NDArray[np.bool_]:
    """For each find and box, whether the centre of the find lies in it."""
    middle = centres(finds)[:, None]
    return np.asarray(((middle >= boxes[None, :, :2]) & (middle <= boxes[None, :, 2:])).all(axis=2))


def _by_index(picture: ReadPicture, finds: Sequence[_Find]) -> list[int | None]:
    """To which mark each find belongs, where marks are round indexes."""
    owners: list[int | None] = [None] * len(finds)
    if not finds or not picture.labels:
        return owners
    boxes = np.array([find.index.box for find in finds], dtype=np.float32)
    shared = overlaps(boxes, _label_boxes(picture))
    taken: set[int] = set()
    for place in np.argsort(-shared, axis=None, kind="stable"):
        find, label = divmod(int(place), shared.shape[1])
        if shared[find, label] < LEAST_OVERLAP:
            break
        if owners[find] is None and label not in taken:
            owners[find] = label
            taken.add(label)
    return owners


def _by_card(picture: ReadPicture, finds: Sequence[_Find]) -> list[int | None]:
    """To which mark each find belongs, where marks are round cards."""
    owners: list[int | None] = [None] * len(finds)
    boxes = _label_boxes(picture)
    if not finds or not len(boxes):
        return owners
    found = np.array([find.index.box for find in finds], dtype=np.float32)
    held = _inside(found, boxes)
    apart = np.array(
        [
            [from_corner((x, y), label.box) for label in picture.labels]
            for x, y in centres(found).tolist()
        ]
    )
    cards = np.array([find.card for find in finds])
    for number in range(len(finds)):
        together = cards == cards[number]
        if not held[together].all(axis=0).any():
            together = np.arange(len(finds)) == number
        holding = held[together].all(axis=0)
        if holding.any():
            owners[number] = int(np.where(holding, apart[together].sum(axis=0), np.inf).argmin())
    return owners


def from_corner(point: tuple[float, float], box: Box) -> float:
    """How far a point is from where a card with this box has its nearest index, by the card's size.

    A box of the shape of a card holds one that lies straight; a square one holds a card that is
    turned by 45 degrees, to the left or to the right.
    """
    left, top, right, bottom = box
    wide, tall = CARD_SHAPE
    ratio = (right - left) / (bottom - top)
    turned = math.atan2(max(ratio * tall - wide, 0.0), max(tall - ratio * wide, 0.0))
    scale = (right - left + bottom - top) / ((wide + tall) * (math.cos(turned) + math.sin(turned)))
    x, y = point[0] - (left + right) / 2, point[1] - (top + bottom) / 2
    nearest = math.inf
    for angle in (turned, -turned):
        along = x * math.cos(angle) + y * math.sin(angle)
        down = y * math.cos(angle) - x * math.sin(angle)
        places = INDEX_PLACE[0] * wide * scale, INDEX_PLACE[1] * tall * scale
        nearest = min(nearest, math.hypot(abs(along) - places[0], abs(down) - places[1]))
    return nearest / (scale * math.hypot(wide, tall))
