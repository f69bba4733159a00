"""Networks that count in whole numbers of eight bits: two to three times as fast, and as good.

Finder, turner and reader are asked of every picture. What goes through them is rounded so that it
costs least on drawn tables. What they end with, places and leans and cards, is told as finely as
before: rounded, boxes would be set right worse.

Weights keep seven bits: processors that do not know how to add products of eight bits at once add
two of them in sixteen, and more would not fit.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quant_pre_process,
    quantize_static,
)

from vision.boxes import Image
from vision.finder import as_input as whole_input
from vision.finder import padded
from vision.index_crops import as_input, crop, map_as_it_lies, map_upright
from vision.synthetic.scenes import SCENES_A_DECK, draw_scene
from vision.training.shards import DECKS, looker

ENDING: Final = ".int8.onnx"
ROUNDED: Final = ("finder", "turner", "reader")
"""Those that are asked of every picture; the others are asked of little."""
TABLES: Final = 24
FIRST_TABLE: Final = 50_000_000
STEPS: Final = ("Conv", "Relu", "Sigmoid", "Mul", "MaxPool", "Concat", "Add", "Resize", "Split")
"""The kinds of steps that are rounded."""
_BRANCH: Final = re.compile(r"/cv[23]\.\d/cv[23]\.\d\.[01]/")
_LAYER: Final = re.compile(r"/model\.(\d+)/")


def file_of(name: str) -> str:
    """The file of a network as it is run."""
    return f"{name}{ENDING if name in ROUNDED else '.onnx'}"


def round_networks(folder: Path, tables: int = TABLES) -> None:
    """Write those networks of a folder that are rounded, as they are run."""
    pictures = (
        draw_scene((FIRST_TABLE + nth) * SCENES_A_DECK, decks=DECKS).image for nth in range(tables)
    )
    for name, seen in what_is_seen(folder, pictures).items():
        _round(folder / f"{name}.onnx", folder / file_of(name), seen)


def what_is_seen(folder: Path, pictures: Iterator[Image]) -> dict[str, list[NDArray[np.float32]]]:
    """What each of them is given when they look at some pictures."""
    look = looker(folder)
    seen: dict[str, list[NDArray[np.float32]]] = {name: [] for name in ROUNDED}
    for image in pictures:
        seen["finder"].append(whole_input(padded(image)))
        looked = look(image)
        found, lying = looked.found, looked.lying
        if not len(found.indexes):
            continue
        boxes = zip(lying.boxes, lying.leans.likeliest.tolist(), strict=True)
        as_found = [crop(image, map_as_it_lies(box)) for box in found.indexes]
        upright = [crop(image, map_upright(box, lean)) for box, lean in boxes]
        seen["turner"].append(as_input(as_found))
        seen["reader"].append(as_input(upright))
    return seen


class _Given(CalibrationDataReader):
    """Arrays, one after the other."""

    def __init__(self, name: str, arrays: Sequence[NDArray[np.float32]]) -> None:
        self._each = iter([{name: array} for array in arrays])

    def get_next(self) -> dict[str, NDArray[np.float32]] | None:
        return next(self._each, None)


def _round(network: Path, to: Path, seen: Sequence[NDArray[np.float32]]) -> None:
    """Write a network rounded so that it costs least of what it is given."""
    with TemporaryDirectory() as temporary:
        whole, ready = Path(temporary) / "whole.onnx", Path(temporary) / "ready.onnx"
        _with_all_digits(network, whole)
        quant_pre_process(whole, ready, skip_symbolic_shape=True)
        graph = onnx.load(ready).graph
        unfinished = to.with_suffix(".unfinished")
        quantize_static(
            ready,
            unfinished,
            _Given(graph.input[0].name, seen),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=list(STEPS),
            nodes_to_exclude=_left_as_they_are(graph),
        )
        unfinished.replace(to)


def _with_all_digits(network: Path, to: Path) -> None:
    """Write a network whose weights were stored with half their digits as it is run."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(to)
    onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])


def _left_as_they_are(graph: onnx.GraphProto) -> list[str]:
    """The steps of a finder that tell places and scores, and its first, which is as fast."""
    if not any(step.op_type == "Sigmoid" for step in graph.node):
        return []
    names = [step.name for step in graph.node]
    layers = [int(found[1]) for name in names if (found := _LAYER.match(name))]
    last = f"/model.{max(layers)}/"
    told = [name for name in names if name.startswith(last) and not _BRANCH.search(name)]
    first = next(step.name for step in graph.node if step.op_type == "Conv")
    return [first, *told]
