"""The course of a training: what is drawn, learnt, found, learnt again, measured and written."""

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
import torch
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from ultralytics.nn.tasks import ClassificationModel

from vision.labelled_folder import read_labelled_folder
from vision.model_files import (
    DESCRIPTION,
    FinderFile,
    ModelFiles,
    ReaderFile,
    SecondLookFile,
    TurnerFile,
    write_model_files,
)
from vision.synthetic.scenes import SCENES_A_DECK
from vision.training.calibrating import LOWEST_THRESHOLD, said_of_kept_out
from vision.training.crop_export import export_network
from vision.training.crop_training import Patches, Subject, train_on_crops
from vision.training.doubtful_finds import REAL, draw_lots, real_lot
from vision.training.eight_bits import ROUNDED, file_of, round_networks
from vision.training.finder_training import export_finder, train_finder, write_data_file
from vision.training.learnt_weights import NORMS, learnt_weights
from vision.training.real_lessons import reader_of, real_lesson, windows
from vision.training.real_pictures import real_pictures
from vision.training.second_look_training import Tell, train_second_looks
from vision.training.shards import (
    KEPT_OUT_FROM,
    KINDS,
    SCENES_IN_A_SHARD,
    Patch,
    draw_shards,
    write_patches,
    write_picture,
)

Thing = TypeVar("Thing")

WEIGHTS: Final = (
    "finder.onnx",
    "finder.pt",
    *(file_of(name) for name in ROUNDED),
    *(f"{name}{ending}" for name in Subject for ending in (".onnx", NORMS)),
)
TURNING_SHARE: Final = 0.33
"""The turner has so much less to learn than the reader."""
SECOND_LOOK_SHARE: Final = 0.4
"""Of the batches: who learns from what is doubted has learnt before."""
THREADS_EACH: Final = max((os.cpu_count() or 2) // 2, 1)
KEPT_OUT_SHARDS: Final = 3
FIRST_KEPT_OUT: Final = KEPT_OUT_FROM // (SCENES_IN_A_SHARD * SCENES_A_DECK)
REAL_FOLDERS: Final = {"phone_photos": True, "index_photos": False, "index_composites": False}
"""Folders of real pictures: whether their boxes are round whole cards."""


@dataclass(frozen=True, slots=True)
class Course:
    """What a training is made of."""

    work: Path
    out: Path
    real: Path | None
    scenes: int
    epochs: int
    batches: int
    lots: int
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
    def looked_at(self) -> Path:
        """The folder of drawn pictures at which the first finder looked."""
        return self.work / "looked_at"

    @property
    def found(self) -> Path:
        """The folder of real pictures with the indexes that the first finder found."""
        return self.work / "real"

    @property
    def doubted(self) -> Path:
        """The folder of what the networks found and doubted."""
        return self.work / "doubted"


def follow(course: Course) -> None:
    """Do all that is not done yet."""
    learnt = course.start if course.start and not course.scenes else learn_from_scenes(course)
    learnt_all = course.work / "third"
    learn_to_look_again(course, learnt_all, learnt)
    course.out.mkdir(parents=True, exist_ok=True)
    for name in (*WEIGHTS, DESCRIPTION):
        (course.out / name).write_bytes((learnt_all / name).read_bytes())


def learn_from_scenes(course: Course) -> Path:
    """Train all networks on drawn scenes, and again on what the first ones find in others."""
    many = -(-course.scenes // SCENES_IN_A_SHARD)
    apart = range(FIRST_KEPT_OUT, FIRST_KEPT_OUT + KEPT_OUT_SHARDS)
    draw(course.kept_out, apart)
    first = course.start
    if first is None:
        draw(course.drawn, range(many))
        first = course.work / "first"
        learn(course, first, [course.drawn], None)
    draw(course.looked_at, range(course.seed * many, (course.seed + 1) * many), first)
    folders = [course.looked_at]
    if course.real:
        look_at_real_pictures(course, first)
        folders.append(course.found)
    learnt = course.work / "second"
    learn(course, learnt, folders, first)
    return learnt


def draw(folder: Path, shards: range, first: Path | None = None) -> None:
    """Draw the shards that are not there yet."""
    _count(f"drawing {folder.name}", draw_shards(folder, shards, first), len(shards))


def learn(course: Course, work: Path, folders: list[Path], start: Path | None) -> None:
    """Train the networks on some folders, from weights that are there or from nothing.

    The finder learns in a process of its own beside the others: two trainings with one processor
    each do more than one after the other with two.
    """
    work.mkdir(parents=True, exist_ok=True)
    beside = get_context("spawn")
    with ProcessPoolExecutor(1, beside, torch.set_num_threads, (THREADS_EACH,)) as pool:
        finding = pool.submit(learn_to_find, course, work, folders, start)
        torch.set_num_threads(THREADS_EACH)
        for subject in (Subject.TURNING, Subject.READING, Subject.SURVEYING):
            if not (work / f"{subject}.onnx").exists():
                network = learn_subject(course, subject, work, folders, start)
                export_network(network, subject.side, work, subject)
        finding.result()


def learn_to_look_again(course: Course, work: Path, first: Path) -> None:
    """Let the networks look at what is hard, and teach some of them what is doubted."""
    lots = range(course.seed * course.lots, (course.seed + 1) * course.lots)
    _count("drawing what is doubted", draw_lots(course.doubted, lots, first), len(lots))
    if course.real:
        for name, whole_cards in REAL_FOLDERS.items():
            folder, path = course.real / name, course.doubted / f"{REAL}-{name}.npz"
            pictures = len(read_labelled_folder(folder))
            looked = real_lot(path, folder, first, whole_cards=whole_cards)
            _count(f"looking at {name} again", looked, pictures)
    batches = round(SECOND_LOOK_SHARE * course.batches)
    with _bar() as bar:
        tell = _told_by(bar, Subject.EXAMINING, batches)
        train_second_looks(
            course.doubted, work, first, batches, seed=course.seed, threads=THREADS_EACH, tell=tell
        )
    describe(work)


def learn_to_find(course: Course, work: Path, folders: list[Path], start: Path | None) -> None:
    """Train the finder on the pictures of some folders; how it goes is told in `finder.log`."""
    if (work / "finder.onnx").exists():
        return
    with (work / "finder.log").open("a") as log, redirect_stdout(log), redirect_stderr(log):
        data = write_data_file(work / "data.yaml", folders, [course.kept_out])
        first = start / "finder.pt" if start else None
        best = train_finder(data, work, course.epochs, seed=course.seed, start=first)
        (work / "finder.pt").write_bytes(best.read_bytes())
        export_finder(best, work / "finder.onnx")


def learn_subject(
    course: Course, subject: Subject, work: Path, folders: list[Path], start: Path | None
) -> ClassificationModel:
    """Train the turner, the reader or the surveyor on the patches of some folders."""
    files = sorted(file for folder in folders for file in (folder / "patches").glob("*.npz"))
    share = TURNING_SHARE if subject is Subject.TURNING else 1.0
    batches = round(share * course.batches)
    with _bar() as bar:
        return train_on_crops(
            Patches(files, subject, course.seed),
            work / f"{subject}.checkpoint",
            batches,
            seed=course.seed,
            start=learnt_weights(start, subject) if start else None,
            tell=_told_by(bar, subject, batches),
        )


def _told_by(bar: Progress, subject: Subject, batches: int) -> Tell:
    """Show how a training goes."""
    task = bar.add_task(subject, total=batches)
    return lambda now: bar.update(
        task,
        completed=now.batches,
        description=f"{subject}: loss {now.loss:.3f}, {now.right:.2%} right",
    )


def describe(work: Path) -> None:
    """Round what is asked most, make probabilities come true on what was kept out, describe it."""
    round_networks(work)
    said = said_of_kept_out(work)
    weighing = said.weighing()
    belief = said.belief(weighing)
    finder = FinderFile(file_of("finder"), "", threshold=LOWEST_THRESHOLD)
    turner = TurnerFile(file_of("turner"), "")
    reader = ReaderFile(
        file_of("reader"),
        "",
        weighing.temperature,
        weighing.sure_from,
        weighing.weights[0],
        by_score=belief.by_score,
        by_reading=belief.by_reading,
        by_card=belief.by_card,
        offset=belief.offset,
        believed=said.least_belief(belief, weighing),
    )
    examiner, surveyor = (
        SecondLookFile(file_of(name), "", weight)
        for name, weight in zip(
            (Subject.EXAMINING, Subject.SURVEYING), weighing.weights[1:], strict=True
        )
    )
    write_model_files(ModelFiles(work, finder, turner, reader, examiner, surveyor))


def look_at_real_pictures(course: Course, first: Path) -> None:
    """Find the indexes in real pictures with the first networks, for the next to learn from."""
    if (course.found / "patches" / "real.npz").exists() or course.real is None:
        return
    for kind in KINDS:
        (course.found / kind).mkdir(parents=True, exist_ok=True)
    reader = reader_of(first)
    patches: list[Patch] = []
    rng = np.random.default_rng((course.seed, 17))
    for name, whole_cards in REAL_FOLDERS.items():
        pictures = list(real_pictures(course.real / name))
        for picture in _counted(f"looking at {name}", pictures):
            lesson = real_lesson(picture, reader, whole_cards=whole_cards)
            patches.extend(lesson.patches)
            for nth, (part, rows) in enumerate(windows(picture.image, lesson.boxes, rng)):
                write_picture(course.found, f"{name}-{picture.path.stem}-{nth}", part, rows)
    write_patches(course.found / "patches" / "real.npz", patches)


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
