"""Drawn pictures in shards: what the networks learn from, made once and kept.

A shard is some drawn scenes, each with a deck of its own: windows of them with the boxes of what
can be found there, and the patches round their indexes with what is printed on them. Where there
are a finder and a turner already, they look at every scene: windows are cut first where the finder
errs, a patch keeps the box that it drew round the index and how the turner says that it lies, and
what is taken for an index though there is none is kept for the reader to refuse. Shards are
numbered, each is drawn from its own seeds, and one that is there is not drawn again: drawing can be
stopped at any time.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.boxes import Boxes, Image, centres, lean, overlaps
from vision.cards import CARDS, NUMBERS
from vision.finder import BACK, INDEX, Finder, Found
from vision.index_crops import FACE_MARGIN, crop, map_face, square_part
from vision.index_turner import IndexTurner, Lying
from vision.model_files import FinderFile, Network
from vision.synthetic.pictures import DrawnIndex, Picture
from vision.synthetic.scenes import SCENES_A_DECK, draw_scene

WINDOW: Final = (256, 256)
"""Small windows round cards: more indexes by the pixel, and so by the hour."""
WINDOWS_A_SCENE: Final = 3
SCENES_IN_A_SHARD: Final = 25
DECKS: Final = 1_000_000
"""So many that hardly any deck is drawn twice."""
UNREADABLE: Final = len(CARDS)
PATCH_SIDE: Final = 112
"""Pixels of the square kept round an index, so that it can be seen at every angle."""
PATCH_MARGIN: Final = 2.7
"""The square's side in the picture, as a multiple of the index's diagonal."""
FACE_PATCH_SIDE: Final = 160
FACE_PATCH_MARGIN: Final = 1.25 * FACE_MARGIN
"""Pixels of the square kept round the face of a card, and its side by the index's height: a little
more than is looked at."""
FOUND_FROM: Final = 0.6
"""An index with this share of it to be seen is one that the finder must find."""
READ_FROM: Final = 0.8
"""An index with this share of it to be seen is one that the reader must read."""
HIDDEN_UP_TO: Final = 0.45
"""An index with no more than this to be seen must not be read."""
SMALLEST_FOUND: Final = 10.0
"""Pixels: below this nothing is asked of the finder. (What users are promised starts at 14.)"""
SMALLEST_READ: Final = 11.0
LEAST_HIDDEN: Final = 0.02
BLURRED_FROM: Final = 6.0
SHARP_FROM: Final = 11.0
"""An index this many times as tall as the blur is wide is merely blurred, or can be read."""
FAINT_FROM: Final = 15.0
CLEAR_FROM: Final = 35.0
"""An index with so many levels between ink and paper is merely faint, or can be read."""
BACK_FROM: Final = 0.35
ELSEWHERE_A_SCENE: Final = 6
SAME_FROM: Final = 0.3
"""How much of both areas a find and an index share if the one is of the other."""
MISTAKEN_FROM: Final = 0.3
"""The score from which a find counts, and a false one is a mistake."""
TAKEN_FROM: Final = 0.04
"""The score from which something that is no index teaches the reader."""
JPEG: Final = (int(cv2.IMWRITE_JPEG_QUALITY), 95)
KEPT_OUT_FROM: Final = 1_000_000_000
"""Seeds from here on are of pictures that nothing is ever trained on."""
KINDS: Final = ("images", "labels", "patches")
NOT_FOUND: Final = np.full(4, np.nan, np.float32)
NOT_TOLD: Final = np.full(5, np.nan, np.float32)


@dataclass(frozen=True, slots=True)
class Patch:
    """A square round one index, and its four corners in the square's pixels."""

    image: Image
    corners: NDArray[np.float32]
    number: int
    """Of the card, or `UNREADABLE`."""
    height: float
    """Of the index in the picture it comes from, in pixels."""
    found: NDArray[np.float32]
    """The box that a finder drew round it, in the square's pixels, or `NOT_FOUND`."""
    lying: NDArray[np.float32]
    """That box as a turner set it right, and the lean that it told, or `NOT_TOLD`."""
    face: Image
    """The card round it, turned so that the index stands upright, as told or else as it does."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What first networks say of a picture: what they find, and how it lies."""

    found: Found
    lying: Lying

    def of(self, number: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The box of a find, and that box set right with its lean."""
        told = np.append(self.lying.boxes[number], self.lying.leans.likeliest[number])
        return self.found.indexes[number], told.astype(np.float32)


@dataclass(frozen=True, slots=True)
class Lesson:
    """One picture for the finder, with what there is to find, and its patches for the others."""

    image: Image
    boxes: NDArray[np.float32]
    """Rows of kind, left, top, right, bottom."""
    patches: tuple[Patch, ...]
    mistakes: NDArray[np.float32]
    """Rows of x, y: where a finder missed an index, or took something else for one."""


def lesson_from(picture: Picture, rng: np.random.Generator, looked: Looked | None = None) -> Lesson:
    """What is to be learnt from a drawn picture, and from what was found in it."""
    high, wide = picture.image.shape[:2]
    finds = looked.found.indexes if looked else np.zeros((0, 4), np.float32)
    rows: list[tuple[float, ...]] = []
    patches: list[Patch] = []
    for index in picture.indexes:
        box = box_round(index.corners, wide, high)
        if _to_be_found(index):
            rows.append((INDEX, *box))
        if (number := to_be_read(index)) is not None:
            own = _find_of(box, finds)
            told = looked.of(own) if looked and own is not None else ()
            patches.append(patch_round(picture.image, index.corners, number, index.height, *told))
    for card in picture.cards:
        if card.card is None and card.visible >= BACK_FROM:
            rows.append((BACK, *box_round(card.outline, wide, high)))
    boxes = np.array(rows, dtype=np.float32).reshape(-1, 5)
    indexes = boxes[boxes[:, 0] == INDEX, 1:]
    patches.extend(_elsewhere(picture.image, indexes, rng))
    mistakes = np.zeros((0, 2), np.float32)
    if looked:
        for false in _false_finds(picture, looked.lying.boxes).tolist():
            taken_for_one, lying = looked.of(false)
            at, size = _corners(taken_for_one), float(max(taken_for_one[2:] - taken_for_one[:2]))
            patches.append(patch_round(picture.image, at, UNREADABLE, size, taken_for_one, lying))
        scored = finds[looked.found.index_scores >= MISTAKEN_FROM]
        taken = scored[_false_finds(picture, scored)]
        mistakes = centres(np.concatenate([taken, _missed(indexes, scored)]))
    return Lesson(picture.image, boxes, tuple(patches), mistakes)


def _to_be_found(index: DrawnIndex) -> bool:
    return (
        index.visible >= FOUND_FROM
        and index.height >= SMALLEST_FOUND
        and index.sharpness >= BLURRED_FROM
        and index.contrast >= FAINT_FROM
    )


def to_be_read(index: DrawnIndex) -> int | None:
    """The card's number, or that it cannot be read; None where nobody could say which."""
    if index.visible <= LEAST_HIDDEN:
        return None
    if (
        index.visible <= HIDDEN_UP_TO
        or index.sharpness < BLURRED_FROM
        or index.contrast < FAINT_FROM
    ):
        return UNREADABLE
    if (
        index.visible >= READ_FROM
        and index.height >= SMALLEST_READ
        and index.sharpness >= SHARP_FROM
        and index.contrast >= CLEAR_FROM
    ):
        return NUMBERS[index.card]
    return None


def box_round(corners: NDArray[np.float32], wide: int, high: int) -> tuple[float, ...]:
    """The upright box round some points, within the picture."""
    left, top = np.maximum(corners.min(axis=0), 0)
    right, bottom = np.minimum(corners.max(axis=0), (wide, high))
    return float(left), float(top), float(right), float(bottom)


def patch_round(
    image: Image,
    corners: NDArray[np.float32],
    number: int,
    height: float,
    found: NDArray[np.float32] = NOT_FOUND,
    lying: NDArray[np.float32] = NOT_TOLD,
) -> Patch:
    """Cut the square round an index, large enough to turn the index about its centre."""
    centre = corners.mean(axis=0)
    diagonal = float(np.linalg.norm(corners - centre, axis=1).max()) * 2
    side = max(PATCH_MARGIN * diagonal, 8.0)
    scale = PATCH_SIDE / side
    if scale > 0.7:
        moved = PATCH_SIDE / 2 - scale * centre
        to_patch = np.array([[scale, 0, moved[0]], [0, scale, moved[1]]])
        square = cv2.warpAffine(
            image,
            to_patch,
            (PATCH_SIDE, PATCH_SIDE),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
    else:
        # Shrinking by warping would skip pixels: shrink the part first.
        left, top = np.floor(centre - side / 2).astype(int)
        whole = int(np.ceil(side))
        part = square_part(image, int(left), int(top), whole)
        square = cv2.resize(part, (PATCH_SIDE, PATCH_SIDE), interpolation=cv2.INTER_AREA)
        scale = PATCH_SIDE / whole
        moved = -scale * np.array([left, top])
    told = bool(np.isfinite(lying).all())
    box = lying[:4] if told else np.concatenate([corners.min(axis=0), corners.max(axis=0)])
    leaning = float(lying[4]) if told else lean(corners)
    placed = map_face(box, leaning, FACE_PATCH_MARGIN, FACE_PATCH_SIDE)
    return Patch(
        np.asarray(square, np.uint8),
        (corners * scale + moved).astype(np.float32),
        number,
        height,
        (found * scale + np.tile(moved, 2)).astype(np.float32),
        np.append(lying[:4] * scale + np.tile(moved, 2), lying[4]).astype(np.float32),
        crop(image, placed, FACE_PATCH_SIDE),
    )


def _find_of(box: tuple[float, ...], finds: Boxes) -> int | None:
    """The number of the find that is of an index with this box."""
    if not len(finds):
        return None
    shared = overlaps(np.array([box], np.float32), finds)[0]
    best = int(shared.argmax())
    return best if shared[best] >= SAME_FROM else None


def _missed(indexes: Boxes, finds: Boxes) -> Boxes:
    """The indexes that had to be found and were not."""
    if not len(finds) or not len(indexes):
        return indexes
    return np.asarray(indexes[overlaps(indexes, finds).max(axis=1) < SAME_FROM], np.float32)


def _false_finds(picture: Picture, finds: Boxes) -> NDArray[np.intp]:
    """Which finds lie on no index at all, be it small or half covered."""
    height, width = picture.image.shape[:2]
    boxes = [box_round(index.corners, width, height) for index in picture.indexes]
    there = np.array(boxes, np.float32).reshape(-1, 4)
    if not len(there):
        return np.arange(len(finds))
    middles = centres(finds)[:, None]
    inside = ((middles > there[None, :, :2]) & (middles < there[None, :, 2:])).all(axis=2)
    touching = overlaps(finds, there) > 0.05
    return np.flatnonzero(~(inside | touching).any(axis=1))


def _corners(box: NDArray[np.float32]) -> NDArray[np.float32]:
    left, top, right, bottom = box.tolist()
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def _elsewhere(image: Image, indexes: Boxes, rng: np.random.Generator) -> Iterator[Patch]:
    """Squares of things that are no index: pips, courts, felt, chips, hands."""
    high, wide = image.shape[:2]
    for _ in range(ELSEWHERE_A_SCENE):
        side = float(rng.uniform(14, 50))
        x, y = rng.uniform(0, wide), rng.uniform(0, high)
        if len(indexes) and rng.random() < 0.7:
            # Beside an index, but not on it: the middle of a card is the likeliest mistake.
            left, top, right, bottom = indexes[int(rng.integers(len(indexes)))].tolist()
            away = rng.uniform(1.3, 2.5) * max(right - left, bottom - top)
            angle = rng.uniform(0, 2 * np.pi)
            x = (left + right) / 2 + away * np.cos(angle)
            y = (top + bottom) / 2 + away * np.sin(angle)
        if any(
            left - side / 2 < x < right + side / 2 and top - side / 2 < y < bottom + side / 2
            for left, top, right, bottom in indexes.tolist()
        ):
            continue
        half = np.array([0.6, 1.0]) * side / 2
        angle = rng.uniform(0, 2 * np.pi)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half @ turn.T + (x, y)
        yield patch_round(image, square.astype(np.float32), UNREADABLE, side)


def windows_of(
    lesson: Lesson, rng: np.random.Generator
) -> Iterator[tuple[Image, NDArray[np.float32]]]:
    """Windows of a picture with the rows of what is in them; first those where a finder erred."""
    high, wide = lesson.image.shape[:2]
    room = np.array([wide - WINDOW[0], high - WINDOW[1]])
    places = [*rng.permutation(lesson.mistakes)]
    while len(places) < WINDOWS_A_SCENE:
        if len(lesson.boxes) and rng.random() < 0.92:
            box = lesson.boxes[int(rng.integers(len(lesson.boxes))), 1:]
            places.append((box[:2] + box[2:]) / 2)
        else:
            places.append(rng.uniform(0, 1, 2) * (wide, high))
    for place in places[:WINDOWS_A_SCENE]:
        corner = np.clip(place - rng.uniform(0.12, 0.88, 2) * WINDOW, 0, room).astype(int)
        left, top = int(corner[0]), int(corner[1])
        part = lesson.image[top : top + WINDOW[1], left : left + WINDOW[0]]
        moved = lesson.boxes[:, 1:] - np.tile(corner, 2).astype(np.float32)
        yield part, rows_within(lesson.boxes[:, 0], moved)


def rows_within(kinds: NDArray[np.float32], boxes: Boxes) -> NDArray[np.float32]:
    """Rows of kind and box of what lies in a window, as far as it does, if enough of it does."""
    cut = np.clip(boxes, 0, np.tile(WINDOW, 2))
    whole = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    share = np.prod(np.clip(cut[:, 2:] - cut[:, :2], 0, None), axis=1) / np.maximum(whole, 1e-6)
    enough = share >= np.where(kinds == BACK, BACK_FROM, FOUND_FROM)
    return np.asarray(np.column_stack([kinds, cut])[enough], np.float32)


def draw_shards(
    folder: Path, shards: range, first: Path | None = None, *, processes: int | None = None
) -> Iterator[Path]:
    """Draw the shards that are not there yet; give each as done.

    If there is a folder of first networks, these look at them.
    """
    for kind in KINDS:
        (folder / kind).mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(processes or os.cpu_count()) as pool:
        drawn = {pool.submit(draw_shard, folder, number, first) for number in shards}
        for one in as_completed(drawn):
            yield one.result()


def draw_shard(folder: Path, number: int, first: Path | None = None) -> Path:
    """Draw one shard, or leave it as it is. Its patches are written last, whole or not at all."""
    path = folder / "patches" / f"{number:07}.npz"
    if path.exists():
        return path
    cv2.setNumThreads(1)
    look = looker(first) if first else None
    patches: list[Patch] = []
    for nth in range(SCENES_IN_A_SHARD):
        seed = (number * SCENES_IN_A_SHARD + nth) * SCENES_A_DECK
        rng = np.random.default_rng((seed, 7))
        picture = draw_scene(seed, kept_out=seed >= KEPT_OUT_FROM, decks=DECKS)
        lesson = lesson_from(picture, rng, look(picture.image) if look else None)
        for at, (part, rows) in enumerate(windows_of(lesson, rng)):
            write_picture(folder, f"{seed:010}-{at}", part, rows)
        patches.extend(lesson.patches)
    write_patches(path, patches)
    return path


def looker(first: Path) -> Callable[[Image], Looked]:
    """Look at pictures with the finder and the turner of a folder, each on one core."""
    finder = Finder(Network(first / "finder.onnx", 1), FinderFile("", "", TAKEN_FROM, TAKEN_FROM))
    turner = IndexTurner(Network(first / "turner.onnx", 1))

    def look(image: Image) -> Looked:
        found = finder.find(image)
        return Looked(found, turner.turn(image, found.indexes))

    return look


def write_picture(folder: Path, name: str, image: Image, boxes: NDArray[np.float32]) -> None:
    """Write a picture and its boxes as YOLO knows them: kind, centre and size, relative."""
    high, wide = image.shape[:2]
    lines = []
    for kind, left, top, right, bottom in boxes.tolist():
        centre = f"{(left + right) / 2 / wide:.6f} {(top + bottom) / 2 / high:.6f}"
        lines.append(
            f"{int(kind)} {centre} {(right - left) / wide:.6f} {(bottom - top) / high:.6f}\n"
        )
    cv2.imwrite(str(folder / "images" / f"{name}.jpg"), image, JPEG)
    (folder / "labels" / f"{name}.txt").write_text("".join(lines), "utf-8")


def write_patches(path: Path, patches: Sequence[Patch]) -> None:
    """Write patches as one file, whole or not at all."""
    unfinished = path.with_suffix(".unfinished")
    # Faces are wide: as they are they would fill the memory that learning has.
    faces = [cv2.imencode(".jpg", patch.face, JPEG)[1].ravel() for patch in patches]
    with unfinished.open("wb") as file:
        np.savez(
            file,
            images=np.stack([patch.image for patch in patches]),
            corners=np.stack([patch.corners for patch in patches]),
            numbers=np.array([patch.number for patch in patches], np.int64),
            heights=np.array([patch.height for patch in patches], np.float32),
            found=np.stack([patch.found for patch in patches]),
            lying=np.stack([patch.lying for patch in patches]),
            faces=np.concatenate(faces),
            face_ends=np.cumsum([len(face) for face in faces]),
        )
    unfinished.replace(path)
