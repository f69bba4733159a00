"""What the networks find and doubt, kept in lots so that they learn from it.

Of what a trained reader is sure of it has hardly anything left to learn. So small pictures full of
cards are drawn, and whole tables, the networks look at them as they do in use, and what the reader
is not sure of is kept, with a small share of the rest. Whether it was right plays no part in what
is kept: if of the finds that look like a spade all were kept that are clubs, and few that are
spades, then a reader would learn to say club of what is mostly a spade.

How all of that lies is kept as well, for the turner.

Lots are numbered, each is drawn from its own seeds, and one that is there is not drawn again.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.boxes import Boxes, Image, overlaps
from vision.card_reader import LEAST_HEIGHT
from vision.cards import NUMBERS
from vision.finder import Finder
from vision.index_crops import (
    EXAMINED_MARGIN,
    EXAMINED_SIDE,
    FACE_MARGIN,
    FACE_SIDE,
    crop,
    map_face,
    map_upright,
    upright_height,
    upright_heights,
)
from vision.index_looks import set_right
from vision.index_reader import IndexReader, softmax
from vision.index_turner import IndexTurner
from vision.model_files import FinderFile, Network
from vision.synthetic.crowded_tables import draw_crowded
from vision.synthetic.pictures import Picture
from vision.synthetic.scenes import SCENES_A_DECK, draw_scene
from vision.training.calibrating import LOWEST_THRESHOLD, OPEN, known_of
from vision.training.real_lessons import named_indexes, reader_of
from vision.training.real_pictures import real_pictures
from vision.training.shards import (
    DECKS,
    JPEG,
    SAME_FROM,
    UNREADABLE,
    Patch,
    patch_round,
    to_be_read,
    write_patches,
)

CROWDED_IN_A_LOT: Final = 110
TABLES_IN_A_LOT: Final = 10
"""Crowded tables show what is hard, whole ones how it lies among chips and hands."""
FIRST_TABLE: Final = 40_000_000
"""Whole tables are drawn from here on, so that none is one that the first networks learnt from."""
SURE_FROM: Final = 0.95
"""What is read as surely as that is hardly worth learning from."""
SURE_SHARE: Final = 0.06
SURE_SHARE_OF_REAL: Final = 0.3
"""How much of it is kept all the same: there are fewer real pictures."""
SPARE: Final = 1.15
"""Squares are so much larger than what is looked at, so that they can be turned a little."""
UPRIGHT_SIDE: Final = round(SPARE * EXAMINED_SIDE)
WHOLE_SIDE: Final = round(SPARE * FACE_SIDE)
LEAST_REAL_HEIGHT: Final = 12.0
TURNING: Final = "turning"
"""The folder of what the turner learns from, beside the finds."""
REAL: Final = "real"
"""What the files of finds in real pictures begin with."""
DOUBTED_SHARE: Final = 0.85
REAL_SHARE_SEEN: Final = 0.08
"""How much of what is learnt from the reader doubted, and how much real pictures are."""
CLOSER_SHARE: Final = 0.5
"""How many finds are kept as they are seen from nearer by, if they are looked at twice."""
NONE_SHARE: Final = 0.15
"""How much of it is no index: about as much as of what is looked at again."""
PROMISED: Final = 3.0
"""How many times as often it is seen what users are promised is read."""


@dataclass(frozen=True, slots=True)
class Find:
    """A find with what is right of it, and what the first reader's network says."""

    number: int
    """Of its card, or `UNREADABLE`."""
    height: float
    """As it was set right, in pixels of the picture it comes from."""
    promised: bool
    """Whether it shows so well that users are promised that it is read."""
    read: NDArray[np.float32]
    upright: Image
    """What is seen of it, and a little more."""
    face: Image
    """The same of the surveyor."""


@dataclass(frozen=True, slots=True)
class FirstNetworks:
    """The networks of a folder, as they look at pictures."""

    finder: Finder
    turner: IndexTurner
    reader: IndexReader

    @classmethod
    def of(cls, folder: Path) -> "FirstNetworks":
        """Load them, each for one core."""
        finder, turner, reader = (
            Network(folder / f"{name}.onnx", 1) for name in ("finder", "turner", "reader")
        )
        file = FinderFile("", "", threshold=LOWEST_THRESHOLD)
        return cls(Finder(finder, file), IndexTurner(turner), IndexReader(reader))

    def lessons(self, picture: Picture, rng: np.random.Generator) -> tuple[list[Find], list[Patch]]:
        """What is found in a drawn picture and worth learning from, and how it lies.

        Of both looks at a find one is kept.
        """
        found = self.finder.find(picture.image, (1.0,))
        right = set_right(picture.image, found, self.turner, self.reader)
        kept = worth_learning(right.first.read, SURE_SHARE, rng)
        lying, read = right.either(rng.random(len(kept)) < CLOSER_SHARE)
        to_turn = patches_at(picture, found.indexes[right.finds[kept]])
        known = known_of(lying.boxes, picture.indexes)
        kept &= known[:, 0] != OPEN
        leans = lying.leans.likeliest
        finds = finds_at(picture.image, lying.boxes[kept], leans[kept], known[kept], read[kept])
        return list(finds), list(to_turn)

    def named(
        self, image: Image, boxes: Boxes, leans: NDArray[np.float32], cards: Sequence[str]
    ) -> Iterator[Find]:
        """The same of indexes of a real picture that its labels name."""
        rng = np.random.default_rng(len(boxes))
        read = self.reader.logits(image, boxes, leans)
        promised = upright_heights(boxes, leans) >= LEAST_HEIGHT
        known = np.array(
            [
                (NUMBERS[card], True, tall)
                for card, tall in zip(cards, promised.tolist(), strict=True)
            ],
            np.intp,
        ).reshape(-1, 3)
        kept = worth_learning(read, SURE_SHARE_OF_REAL, rng)
        return finds_at(image, boxes[kept], leans[kept], known[kept], read[kept])


def worth_learning(
    read: NDArray[np.float32], sure_share: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Which finds to keep, by what the reader says: all that it doubts, and a share of the rest."""
    doubted = softmax(read).max(axis=1) < SURE_FROM
    return np.asarray(doubted | (rng.random(len(read)) < sure_share))


def finds_at(
    image: Image,
    boxes: Boxes,
    leans: NDArray[np.float32],
    known: NDArray[np.intp],
    read: NDArray[np.float32],
) -> Iterator[Find]:
    """Cut out what the networks see of finds, of which is known what `known_of` tells."""
    each = zip(boxes, leans.tolist(), known.tolist(), read, strict=True)
    for box, lean, (number, _, promised), said in each:
        upright = map_upright(box, lean, SPARE * EXAMINED_MARGIN, UPRIGHT_SIDE)
        whole = map_face(box, lean, SPARE * FACE_MARGIN, WHOLE_SIDE)
        yield Find(
            number,
            upright_height(box, lean),
            bool(promised),
            said,
            crop(image, upright, UPRIGHT_SIDE),
            crop(image, whole, WHOLE_SIDE),
        )


def patches_at(picture: Picture, boxes: Boxes) -> Iterator[Patch]:
    """What the turner learns from boxes that the finder drew: those of indexes that can be read."""
    drawn = [index.box for index in picture.indexes]
    if not drawn or not len(boxes):
        return
    shares = overlaps(boxes, np.array(drawn, np.float32))
    for box, shared in zip(boxes, shares, strict=True):
        index = picture.indexes[int(shared.argmax())]
        number = to_be_read(index)
        if shared.max() >= SAME_FROM and number not in (None, UNREADABLE):
            yield patch_round(picture.image, index.corners, number, index.height, box)


def draw_lots(
    folder: Path, lots: range, first: Path, *, processes: int | None = None
) -> Iterator[Path]:
    """Draw the lots that are not there yet, and let the first networks look; give each as done."""
    folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(processes or os.cpu_count()) as pool:
        drawn = {pool.submit(draw_lot, folder, number, first) for number in lots}
        for one in as_completed(drawn):
            yield one.result()


def draw_lot(folder: Path, number: int, first: Path) -> Path:
    """Draw one lot, or leave it as it is."""
    path = folder / f"{number:07}.npz"
    if path.exists():
        return path
    cv2.setNumThreads(1)
    networks = FirstNetworks.of(first)
    rng = np.random.default_rng((number, 311))
    finds: list[Find] = []
    patches: list[Patch] = []
    for picture in pictures_of_lot(number):
        found, to_turn = networks.lessons(picture, rng)
        finds += found
        patches += to_turn
    turning = folder / TURNING
    turning.mkdir(exist_ok=True)
    write_patches(turning / path.name, patches)
    write_finds(path, finds)
    return path


def pictures_of_lot(number: int) -> Iterator[Picture]:
    """The pictures of a lot: parts of tables full of cards, then whole tables."""
    first = number * CROWDED_IN_A_LOT
    for seed in range(first, first + CROWDED_IN_A_LOT):
        yield draw_crowded(seed, DECKS)
    for nth in range(TABLES_IN_A_LOT):
        table = FIRST_TABLE + number * TABLES_IN_A_LOT + nth
        yield draw_scene(table * SCENES_A_DECK, decks=DECKS)


def real_lot(path: Path, folder: Path, first: Path, *, whole_cards: bool) -> Iterator[int]:
    """Keep the finds in a folder of real pictures, unless they are there; count the pictures."""
    if path.exists():
        return
    networks, reader = FirstNetworks.of(first), reader_of(first)
    finds: list[Find] = []
    for number, picture in enumerate(real_pictures(folder), 1):
        reading = reader.read(picture.image)
        seen = [
            index
            for index in (*reading.indexes, *reading.unreadable)
            if index.height >= LEAST_REAL_HEIGHT
        ]
        named = named_indexes(picture, seen, whole_cards=whole_cards)
        boxes = np.array([index.box for index, _ in named], np.float32).reshape(-1, 4)
        leans = np.array([index.lean for index, _ in named], np.float32)
        finds += networks.named(picture.image, boxes, leans, [card for _, card in named])
        yield number
    write_finds(path, finds)


def write_finds(path: Path, finds: Iterable[Find]) -> None:
    """Write finds as one file, whole or not at all."""
    kept = list(finds)
    faces = [cv2.imencode(".jpg", find.face, JPEG)[1].ravel() for find in kept]
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("wb") as file:
        np.savez(
            file,
            numbers=np.array([find.number for find in kept], np.int64),
            heights=np.array([find.height for find in kept], np.float32),
            promised=np.array([find.promised for find in kept], np.bool_),
            read=np.array([find.read for find in kept], np.float16).reshape(-1, UNREADABLE + 1),
            upright=np.array([find.upright for find in kept], np.uint8).reshape(
                -1, UPRIGHT_SIDE, UPRIGHT_SIDE, 3
            ),
            faces=np.concatenate([np.zeros(0, np.uint8), *faces]),
            face_ends=np.cumsum([len(face) for face in faces], dtype=np.int64),
        )
    unfinished.replace(path)


def chances(
    read: NDArray[np.float32],
    promised: NDArray[np.bool_],
    real: NDArray[np.bool_],
    none: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """How often each find is seen: by what the reader said of it, how well it shows, what it is."""
    doubted = softmax(read).max(axis=1) < SURE_FROM
    often = np.where(promised, PROMISED, 1.0)
    shares = (
        (none, NONE_SHARE),
        (real & doubted, (1 - NONE_SHARE) * REAL_SHARE_SEEN * DOUBTED_SHARE),
        (real & ~doubted, (1 - NONE_SHARE) * REAL_SHARE_SEEN * (1 - DOUBTED_SHARE)),
        (~real & doubted, (1 - NONE_SHARE) * (1 - REAL_SHARE_SEEN) * DOUBTED_SHARE),
        (~real & ~doubted, (1 - NONE_SHARE) * (1 - REAL_SHARE_SEEN) * (1 - DOUBTED_SHARE)),
    )
    for which, share in shares:
        group = which if which is none else which & ~none
        often[group] *= share / max(float(often[group].sum()), 1e-9)
    return np.asarray(often / often.sum())
