"""The trained reader as ONNX, and the temperature that makes its probabilities come true."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from ultralytics.nn.tasks import ClassificationModel

from vision.index_reader import CROP_SIDE

TEMPERATURES = np.exp(np.linspace(np.log(0.3), np.log(3.0), 93))
OPSET = 17


class _Logits(torch.nn.Module):
    """The reader without its last step, since the temperature comes before it."""

    def __init__(self, reader: ClassificationModel) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.reader(crops)[1]
        return logits


def export_reader(reader: ClassificationModel, to: Path) -> None:
    """Write the reader as ONNX for batches of any size."""
    reader = reader.eval().fuse(verbose=False)
    torch.onnx.export(
        _Logits(reader),
        (torch.zeros(2, 3, CROP_SIDE, CROP_SIDE),),
        str(to),
        input_names=["crops"],
        output_names=["logits"],
        dynamic_axes={"crops": {0: "crops"}, "logits": {0: "crops"}},
        opset_version=OPSET,
        dynamo=False,
    )


def best_temperature(logits: NDArray[np.float32], numbers: Sequence[int]) -> float:
    """The temperature under which what was right is likeliest."""
    rows = np.arange(len(numbers))

    def surprise(temperature: float) -> float:
        scaled = logits / temperature
        scaled = scaled - scaled.max(axis=1, keepdims=True)
        sums = np.log(np.exp(scaled).sum(axis=1))
        return float(np.mean(sums - scaled[rows, np.asarray(numbers)]))

    return float(min(TEMPERATURES, key=surprise))
