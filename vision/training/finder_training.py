"""Training the finder with ultralytics, on pictures that are there as YOLO folders."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

os.environ.setdefault("YOLO_OFFLINE", "1")
os.environ.setdefault("YOLO_AUTOINSTALL", "0")

from ultralytics import YOLO

NETWORK: Final = Path(__file__).with_name("finder.yaml")
PICTURE_SIDE: Final = 256
BATCH: Final = 16
NAMES: Final = ("index", "back")


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
    if last.exists():
        YOLO(str(last)).train(resume=True)
    else:
        YOLO(str(start or NETWORK)).train(
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
            cache="ram",
            device="cpu",
            amp=False,
            seed=seed,
            deterministic=True,
            pretrained=start is not None,
            optimizer="AdamW",
            lr0=0.002,
            lrf=0.01,
            cos_lr=True,
            warmup_epochs=0.3,
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


def export_finder(weights: Path, to: Path) -> None:
    """Write the finder as ONNX for pictures of any size."""
    made = YOLO(str(weights)).export(format="onnx", dynamic=True, simplify=True, imgsz=PICTURE_SIDE)
    Path(str(made)).replace(to)
