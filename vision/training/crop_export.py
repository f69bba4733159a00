"""Trained networks that look at one index, as ONNX."""

from pathlib import Path

import torch
from ultralytics.nn.tasks import ClassificationModel

from vision.training.crop_training import as_arrays
from vision.training.half_digits import halve_digits
from vision.training.learnt_weights import keep_norms

OPSET = 17


class _Logits(torch.nn.Module):
    """A network without its last step, since the temperature comes before it."""

    def __init__(self, network: ClassificationModel) -> None:
        super().__init__()
        self.network = network

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.network(crops)[1]
        return logits


def export_network(network: ClassificationModel, side: int, folder: Path, name: str) -> None:
    """Write it as ONNX for batches of any number of squares, and what going on needs besides."""
    keep_norms(as_arrays(network), folder, name)
    to = folder / f"{name}.onnx"
    network = network.eval().fuse(verbose=False)
    torch.onnx.export(
        _Logits(network),
        (torch.zeros(2, 3, side, side),),
        str(to),
        input_names=["crops"],
        output_names=["logits"],
        dynamic_axes={"crops": {0: "crops"}, "logits": {0: "crops"}},
        opset_version=OPSET,
        dynamo=False,
    )
    halve_digits(to)
