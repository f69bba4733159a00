"""The trained reader as ONNX."""

from pathlib import Path

import torch
from ultralytics.nn.tasks import ClassificationModel

from vision.index_reader import CROP_SIDE

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
