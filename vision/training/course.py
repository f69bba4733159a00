"""The course of a training: what is drawn, learnt, found, learnt again, measured and written."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from ultralytics.nn.tasks import ClassificationModel

from vision.boxes import centres
from vision.cards import NUMBERS
from vision.finder import Finder, Found
from vision.index_reader import IndexReader
from vision.model_files import (
    DESCRIPTION,
    FinderFile,
    ModelFiles,
    Network,
    ReaderFile,
    write_model_files,
)
from vision.reliability import best_temperature
from vision.training.finder_training import export_finder, train_finder, write_data_file
from vision.training.reader_export import export_reader
from vision.training.reader_training import Patches, train_reader
from vision.training.real_pictures import RealPicture, box_patch, real_pictures
from vision.training.shards import (
    KEPT_OUT_FROM,
    PICTURES_IN_A_SHARD,
    Patch,
    draw_shards,
    write_patches,
    write_picture,
)

Thing = TypeVar("Thing")

WEIGHTS: Final = ("finder.onnx", "finder.pt", "reader.onnx", "reader.pt")
KEPT_OUT_SHARDS: Final = 6
FIRST_KEPT_OUT: Final = KEPT_OUT_FROM // PICTURES_IN_A_SHARD
FOUND_SURELY: Final = 0.35
"""The score from which a find of the first finder teaches the next one."""
AGREED: Final = 0.5
"""How sure the first reader has to be to say to which of two cards an index belongs."""
REAL_FOLDERS: Final = {"phone_photos": True, "index_photos": False, "index_composites": False}
"""Folders of real pictures: whether their boxes are round whole cards."""


@dataclass(frozen=True, slots=True)
class Course:
    """What a training is made of."""

    work: Path
    out: Path
    real: Path | None
    pictures: int
    epochs: int
    batches: int
    seed: int
    start: Path | None = None
    """A folder with weights to go on from, such as `models/`."""

    @property
    def drawn(self) -> Path:
        """The folder of drawn pictures to learn from."""
        return self.work / "drawn"

    @property
    def kept_out(self) -> Path:
        """The folder of drawn pictures that nothing is learnt from."""
        return self.work / "kept_out"

    @property
    def found(self) -> Path:
        """The folder of real pictures with the indexes that the first finder found."""
        return self.work / "real"


def follow(course: Course) -> None:
    """Do all that is not done yet."""
    draw(course)
    learnt = course.work / "first"
    learn(course, learnt, [course.drawn], course.start)
    if course.real:
        look_at_real_pictures(course, learnt)
        before, learnt = learnt, course.work / "second"
        learn(course, learnt, [course.drawn, course.found], before)
    course.out.mkdir(parents=True, exist_ok=True)
    for name in (*WEIGHTS, DESCRIPTION):
        (course.out / name).write_bytes((learnt / name).read_bytes())


def draw(course: Course) -> None:
    """Draw the pictures that are not there yet."""
    shards = range(-(-course.pictures // PICTURES_IN_A_SHARD))
    _count("drawing pictures", draw_shards(course.drawn, shards), len(shards))
    apart = range(FIRST_KEPT_OUT, FIRST_KEPT_OUT + KEPT_OUT_SHARDS)
    _count("drawing kept-out pictures", draw_shards(course.kept_out, apart), len(apart))


def learn(course: Course, work: Path, folders: list[Path], start: Path | None) -> None:
    """Train both networks on some folders, from weights that are there or from nothing."""
    work.mkdir(parents=True, exist_ok=True)
    if not (work / "finder.onnx").exists():
        data = write_data_file(work / "data.yaml", folders, [course.kept_out])
        before = start / "finder.pt" if start else None
        best = train_finder(data, work, course.epochs, seed=course.seed, start=before)
        (work / "finder.pt").write_bytes(best.read_bytes())
        export_finder(best, work / "finder.onnx")
    if not (work / "reader.onnx").exists():
        reader = learn_to_read(course, work, folders, start / "reader.pt" if start else None)
        torch.save(reader.state_dict(), work / "reader.pt")
        export_reader(reader, work / "reader.onnx")
    describe(course, work)


def learn_to_read(
    course: Course, work: Path, folders: list[Path], start: Path | None
) -> ClassificationModel:
    """Train the reader on the patches of some folders."""
    files = sorted(file for folder in folders for file in (folder / "patches").glob("*.npz"))
    with _bar() as bar:
        task = bar.add_task("reading indexes", total=course.batches)
        return train_reader(
            Patches(files, course.seed),
            work / "reader.checkpoint",
            course.batches,
            seed=course.seed,
            start=start,
            tell=lambda now: bar.update(
                task,
                completed=now.batches,
                description=f"reading: loss {now.loss:.3f}, {now.right:.2%} right",
            ),
        )


def describe(course: Course, work: Path) -> None:
    """Make the probabilities come true on what was kept out, and write the description."""
    logits, numbers = _said_of(course.kept_out, Network(work / "reader.onnx"))
    temperature = round(best_temperature(logits, numbers), 3)
    finder, reader = FinderFile("finder.onnx", ""), ReaderFile("reader.onnx", "", temperature)
    write_model_files(ModelFiles(work, finder, reader))


def _said_of(folder: Path, network: Network) -> tuple[NDArray[np.float32], list[int]]:
    """What the reader says of each patch that was kept out, seen as a camera sees it."""
    said: list[NDArray[np.float32]] = []
    numbers: list[int] = []
    patches = Patches(sorted((folder / "patches").glob("*.npz")), 0)
    torch.manual_seed(0)
    for start in range(0, len(patches), 256):
        seen = [patches[at] for at in range(start, min(start + 256, len(patches)))]
        crops = np.stack([crop.numpy() for crop, _ in seen]).astype(np.float32)
        said.append(network.run(crops / np.float32(255)))
        numbers.extend(number for _, number in seen)
    return np.concatenate(said), numbers


def look_at_real_pictures(course: Course, first: Path) -> None:
    """Find the indexes in real pictures with the first finder, for the next to learn from."""
    if (course.found / "patches" / "real.npz").exists() or course.real is None:
        return
    for kind in ("images", "labels", "patches"):
        (course.found / kind).mkdir(parents=True, exist_ok=True)
    finder = Finder(Network(first / "finder.onnx"), FinderFile("", "", threshold=FOUND_SURELY))
    reader = IndexReader(Network(first / "reader.onnx"))
    patches: list[Patch] = []
    for name, whole_cards in REAL_FOLDERS.items():
        pictures = list(real_pictures(course.real / name))
        for picture in _counted(f"looking at {name}", pictures):
            found = finder.find(picture.image)
            of = _of_cards(picture, found, reader) if whole_cards else _of_indexes(picture, found)
            for number, card in of:
                turns = int(found.index_turns[number])
                patches.append(box_patch(picture.image, found.indexes[number], turns, card))
            rows = np.column_stack([found.index_turns, found.indexes]).astype(np.float32)
            write_picture(course.found, f"{name}-{picture.path.stem}", picture.image, rows)
    write_patches(course.found / "patches" / "real.npz", patches)


def _of_indexes(picture: RealPicture, found: Found) -> Iterator[tuple[int, str]]:
    """Finds that lie alone in a labelled box, with its card.

    Labels are often drawn loosely: the find is the better box.
    """
    middles = centres(found.indexes)
    for box, card in zip(picture.boxes, picture.cards, strict=True):
        inside = np.flatnonzero(_within(middles, box))
        if len(inside) == 1:
            yield int(inside[0]), card


def _of_cards(picture: RealPicture, found: Found, reader: IndexReader) -> Iterator[tuple[int, str]]:
    """Finds that lie in the box of one card only, or that read as one of the cards they lie in."""
    said = reader.read(picture.image, found.indexes, found.index_turns)
    for number, middle in enumerate(centres(found.indexes)):
        around = {
            card
            for outline, card in zip(picture.boxes, picture.cards, strict=True)
            if _within(middle[None], outline)[0]
        }
        if len(around) > 1:
            around = {card for card in around if said[number, NUMBERS[card]] > AGREED}
        if len(around) == 1:
            yield number, around.pop()


def _within(points: NDArray[np.float32], box: NDArray[np.float32]) -> NDArray[np.bool_]:
    return np.asarray(((points > box[:2]) & (points < box[2:])).all(axis=1))


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    )


def _counted(text: str, things: list[Thing]) -> Iterator[Thing]:
    with _bar() as bar:
        yield from bar.track(things, description=text)


def _count(text: str, done: Iterable[object], total: int) -> None:
    with _bar() as bar:
        for _ in bar.track(done, total=total, description=text):
            pass
