"""How long reading a 720p picture takes, against a bare YOLO nano at 640 pixels in the same run.

    python -m tests.benchmarks.reading_pictures                      with ultralytics installed
    python -m tests.benchmarks.reading_pictures --nano yolo11n.onnx  with a network exported before
    python -m tests.benchmarks.reading_pictures --pictures 60 --threads 2

Draws tables that training never saw and reads them: finding, reading and joining. After each of
them the nano network runs once on an array that is ready for it, so that whatever else the machine
does falls on both alike. Its time does not depend on its weights, so it is exported untrained.
Prints the medians, the parts of ours and the ratio.
"""

import argparse
import contextlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec

import numpy as np

from vision.card_reader import (
    given_readable,
    load_card_reader,
    load_index_reader,
)
from vision.finder import Finder
from vision.index_looks import set_right
from vision.index_turner import IndexTurner
from vision.joining import join_indexes
from vision.model_files import Network, load_model_files
from vision.synthetic.scenes import draw_scene

NANO = "yolo11n.yaml"
NANO_SIDE = 640
SEED = 7_000_000
PARTS = ("find", "set right", "weigh", "join")


Given = ParamSpec("Given")


def timed(work: Callable[Given, object], *given: Given.args, **named: Given.kwargs) -> float:
    began = time.perf_counter()
    work(*given, **named)
    return time.perf_counter() - began


def export_nano(folder: Path) -> Path:
    """Export a nano network as it is before any training."""
    try:
        from ultralytics import YOLO  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        sys.exit("ultralytics is not installed: name an exported network with --nano")
    with contextlib.chdir(folder):  # it writes where it stands
        exported = YOLO(NANO).export(format="onnx", imgsz=NANO_SIDE, simplify=False)
    return folder / str(exported)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--nano", type=Path, help="a YOLO nano in ONNX")
    parser.add_argument("--models", type=Path, help="a folder with weights of your own")
    parser.add_argument("--pictures", type=int, default=40)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        nano = Network(given.nano or export_nano(Path(folder)), given.threads)
    files = load_model_files(given.models)
    finder = Finder(Network(files.folder / files.finder.file, given.threads), files.finder)
    reader = load_index_reader(files, given.threads)
    turner = IndexTurner(Network(files.folder / files.turner.file, given.threads))
    cards = load_card_reader(given.models, given.threads)
    bare = np.random.default_rng(1).random((1, 3, NANO_SIDE, NANO_SIDE), dtype=np.float32)

    times: dict[str, list[float]] = {name: [] for name in ("ours", "nano", *PARTS)}
    indexes = 0
    for number in range(given.pictures + 2):
        image = draw_scene(SEED + number, kept_out=True).image
        took = {"ours": timed(cards.read, image), "nano": timed(nano.run, bare)}
        found = finder.find(image)
        right = set_right(image, found, turner, reader)
        boxes, leans = right.lying.boxes, right.lying.leans.likeliest
        each = given_readable(cards.weighed(image, right))
        took["find"] = timed(finder.find, image)
        took["set right"] = timed(set_right, image, found, turner, reader)
        took["weigh"] = timed(cards.weighed, image, right)
        took["join"] = timed(join_indexes, image, boxes, each, leans)
        if number >= 2:  # the first runs still set up memory
            indexes += len(found.indexes)
            for name, seconds in took.items():
                times[name].append(seconds)

    middle = {name: 1000 * statistics.median(each) for name, each in times.items()}
    sys.stdout.write(
        f"{given.pictures} pictures of 1280 × 720, {indexes / given.pictures:.1f} indexes in each\n"
        f"nano at {NANO_SIDE}   {middle['nano']:7.1f} ms\n"
        f"a picture     {middle['ours']:7.1f} ms, of which finding {middle['find']:.1f}, "
        f"setting right and reading {middle['set right']:.1f}, "
        f"looking again and weighing {middle['weigh']:.1f}, "
        f"joining {middle['join']:.1f}\n"
        f"ratio         {middle['ours'] / middle['nano']:7.2f}\n"
    )


if __name__ == "__main__":
    main()
