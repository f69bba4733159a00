"""Training the finder with ultralytics, on pictures that are there as YOLO folders."""

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

os.environ.setdefault("YOLO_OFFLINE", "1")
os.environ.setdefault("YOLO_AUTOINSTALL", "0")

from ultralytics import YOLO
from ultralytics.engine.trainer import BaseTrainer

from vision.training.half_digits import halve_digits

NETWORK: Final = Path(__file__).with_name("finder.yaml")
PICTURE_SIDE: Final = 256
BATCH: Final = 16
NAMES: Final = ("index", "back")
PEAK_RATE: Final = 0.002
GOING_ON_RATE: Final = 0.001
"""Of a network that has learnt already."""
LAST_RATE: Final = 0.01
"""Of the first."""


def write_data_file(path: Path, train: Sequence[Path], val: Sequence[Path]) -> Path:
    """Say to ultralytics where the pictures are."""
    lists = []
    for name, folders in (("train", train), ("val", val)):
        pictures = sorted(
            str(file) for folder in folders for file in (folder / "images").glob("*.jpg")
        )
        listed = path.with_name(f"{name}.txt")
        listed.write_text("\n".join(pictures) + "\n", "utf-8")
        lists.append(f"{name}: {listed.resolve()}\n")
    kinds = "".join(f"  {number}: {name}\n" for number, name in enumerate(NAMES))
    path.write_text("".join(lists) + "names:\n" + kinds, "utf-8")
    return path


def train_finder(
    data: Path, work: Path, epochs: int, *, seed: int, workers: int = 1, start: Path | None = None
) -> Path:
    """Train, going on from the last epoch of an earlier call that was stopped; give the weights."""
    last = work / "finder" / "weights" / "last.pt"
    network = YOLO(str(last if last.exists() else start or NETWORK))
    network.add_callback("on_train_batch_start", _RatePerBatch())
    if last.exists():
        network.train(resume=True)
    else:
        network.train(
            data=str(data),
            project=str(work),
            name="finder",
            exist_ok=True,
            epochs=epochs,
            imgsz=PICTURE_SIDE,
            batch=BATCH,
            # A step after every batch: gathering several would learn less from as many pictures.
            nbs=BATCH,
            workers=workers,
            device="cpu",
            amp=False,
            seed=seed,
            deterministic=True,
            pretrained=start is not None,
            optimizer="AdamW",
            lr0=GOING_ON_RATE if start else PEAK_RATE,
            lrf=LAST_RATE,
            cos_lr=True,
            warmup_epochs=0.1 if start else 0.3,
            # Biases would begin at fifty times the rate, and a network forget what it knows.
            warmup_bias_lr=0.0,
            weight_decay=0.02,
            # Scenes are drawn whole: pasting four of them together would cut indexes at the seams.
            mosaic=0.0,
            scale=0.25,
            translate=0.05,
            # A mirrored index is none, and turning one over changes which way is up.
            fliplr=0.0,
            flipud=0.0,
            hsv_h=0.03,
            hsv_s=0.5,
            hsv_v=0.35,
            erasing=0.0,
            plots=False,
            save_period=1,
            cls=1.0,
        )
    return work / "finder" / "weights" / "best.pt"


class _RatePerBatch:
    """Lowers the rate with every batch: by itself it falls once an epoch, and there are few."""

    def __init__(self) -> None:
        self._epoch, self._batches = -1, 0

    def __call__(self, trainer: BaseTrainer) -> None:
        """Set the rate for the batch that comes."""
        if trainer.epoch != self._epoch:
            self._epoch, self._batches = trainer.epoch, 0
        done = self._epoch + self._batches / len(trainer.train_loader)
        self._batches += 1
        along = min(done / trainer.epochs, 1.0)
        share = LAST_RATE + (1 - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * along))
        for group in trainer.optimizer.param_groups:
            group["lr"] = group["initial_lr"] * share


def export_finder(weights: Path, to: Path) -> None:
    """Write the finder as ONNX for pictures of any size."""
    made = YOLO(str(weights)).export(format="onnx", dynamic=True, simplify=True, imgsz=PICTURE_SIDE)
    halve_digits(Path(str(made)))
    Path(str(made)).replace(to)
