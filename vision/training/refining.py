"""Refining reader and surveyor on what the networks find and doubt."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import torch

from vision.card_reader import weighing_of
from vision.model_files import load_model_files
from vision.training.crop_export import export_network
from vision.training.crop_training import Progress, Subject, keep_weights, train_on_crops
from vision.training.find_lessons import RATES, Finds

Tell = Callable[[Progress], None]
BATCHES_BETWEEN_LINES: Final = 500
KEPT: Final = "finder", Subject.TURNING
"""The networks that stay as they are."""
SHARES_AFTER: Final = {Subject.READING: 0.5, Subject.SURVEYING: 1.0}
"""How much of the weights after it is in those that are kept; the rest are those before it."""


def refine(
    finds: Path, work: Path, first: Path, batches: int, *, seed: int, threads: int, tell: Tell
) -> None:
    """Train both on the finds of a folder, side by side; `tell` hears of the reader.

    How the surveyor goes is told in `surveyor.log`.
    """
    work.mkdir(parents=True, exist_ok=True)
    for name in KEPT:
        for ending in (".onnx", ".pt"):
            (work / f"{name}{ending}").write_bytes((first / f"{name}{ending}").read_bytes())
    beside = get_context("spawn")
    with ProcessPoolExecutor(1, beside, torch.set_num_threads, (threads,)) as pool:
        given = (finds, work, first, batches, seed)
        surveying = pool.submit(refine_subject, Subject.SURVEYING, *given)
        torch.set_num_threads(threads)
        refine_subject(Subject.READING, *given, tell)
        surveying.result()


def refine_subject(
    subject: Subject,
    finds: Path,
    work: Path,
    first: Path,
    batches: int,
    seed: int,
    tell: Tell | None = None,
) -> None:
    """Train one of them, unless it is done; what it learns it learns beside the first networks."""
    if (work / f"{subject}.onnx").exists():
        return
    weighing = weighing_of(load_model_files(first))
    before = first / f"{subject}.pt"
    network = train_on_crops(
        Finds(sorted(finds.glob("*.npz")), subject, seed, weighing),
        work / f"{subject}.checkpoint",
        batches,
        seed=seed,
        start=before,
        going_on_rate=RATES[subject],
        tell=tell or _lines(work / f"{subject}.log"),
    )
    network.load_state_dict(_mean(before, network.state_dict(), SHARES_AFTER[subject]))
    keep_weights(network, work / f"{subject}.pt")
    export_network(network, subject.side, work / f"{subject}.onnx")


def _lines(log: Path) -> Tell:
    """Write a line of how it goes now and then."""

    def tell(now: Progress) -> None:
        if now.batches % BATCHES_BETWEEN_LINES == 0:
            with log.open("a") as lines:
                lines.write(f"{now.batches} of {now.of}: loss {now.loss:.3f}, {now.right:.2%}\n")

    return tell


def _mean(before: Path, after: dict[str, torch.Tensor], share: float) -> dict[str, torch.Tensor]:
    """Between the weights before and those after: so much of the latter."""
    stored: dict[str, torch.Tensor] = torch.load(before, weights_only=True)
    return {
        name: share * value + (1 - share) * stored[name].float()
        if value.is_floating_point()
        else value
        for name, value in after.items()
    }
