"""Teaching turner, examiner and surveyor on what the first networks find and doubt.

How the turner tells that finds lie changes by it, but little: what the others learn from was found
and doubted with the one before.
"""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import torch

from vision.training.crop_export import export_network
from vision.training.crop_training import Lessons, Patches, Progress, Subject, train_on_crops
from vision.training.doubtful_finds import TURNING
from vision.training.find_lessons import Finds
from vision.training.learnt_weights import is_learnt, learnt_weights

Tell = Callable[[Progress], None]
BATCHES_BETWEEN_LINES: Final = 500
KEPT: Final = "finder", Subject.READING
"""The networks that stay as they are."""
RATES: Final = {Subject.TURNING: 5e-4, Subject.EXAMINING: 8e-4, Subject.SURVEYING: 6e-4}
"""How fast each learns."""
SHARES: Final = {Subject.TURNING: 0.4, Subject.EXAMINING: 1.0, Subject.SURVEYING: 1.2}
"""How many of the batches each sees: so many that two processors are done about together."""


def train_second_looks(
    finds: Path, work: Path, first: Path, batches: int, *, seed: int, threads: int, tell: Tell
) -> None:
    """Train them on the finds of a folder, the surveyor beside the others.

    `tell` hears of the examiner; how the others go is told in `surveyor.log` and `turner.log`.
    """
    work.mkdir(parents=True, exist_ok=True)
    for name in KEPT:
        for path in first.glob(f"{name}.*"):
            (work / path.name).write_bytes(path.read_bytes())
    beside = get_context("spawn")
    with ProcessPoolExecutor(1, beside, torch.set_num_threads, (threads,)) as pool:
        given = (finds, work, first, batches, seed)
        surveying = pool.submit(train_second_look, Subject.SURVEYING, *given)
        torch.set_num_threads(threads)
        train_second_look(Subject.TURNING, *given)
        train_second_look(Subject.EXAMINING, *given, tell)
        surveying.result()


def train_second_look(
    subject: Subject,
    finds: Path,
    work: Path,
    first: Path,
    batches: int,
    seed: int,
    tell: Tell | None = None,
) -> None:
    """Train one of them, unless it is done."""
    if (work / f"{subject}.onnx").exists():
        return
    lessons: Lessons
    if subject is Subject.TURNING:
        lessons = Patches(sorted((finds / TURNING).glob("*.npz")), subject, seed)
    else:
        lessons = Finds(sorted(finds.glob("*.npz")), subject, seed)
    # Who has learnt nothing yet begins as a reader.
    before = subject if is_learnt(first, subject) else Subject.READING
    network = train_on_crops(
        lessons,
        work / f"{subject}.checkpoint",
        round(SHARES[subject] * batches),
        seed=seed,
        start=learnt_weights(first, before),
        going_on_rate=RATES[subject],
        tell=tell or _lines(work / f"{subject}.log"),
    )
    export_network(network, subject.side, work, subject)


def _lines(log: Path) -> Tell:
    """Write a line of how it goes now and then."""

    def tell(now: Progress) -> None:
        if now.batches % BATCHES_BETWEEN_LINES == 0:
            with log.open("a") as lines:
                lines.write(f"{now.batches} of {now.of}: loss {now.loss:.3f}, {now.right:.2%}\n")

    return tell
