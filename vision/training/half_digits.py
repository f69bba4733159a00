"""Weights stored with half their digits: files half as large, which are run as before.

Reading differs by less than two trainings do. What runs the weights turns them back when it loads
them, so that they are as fast as ever.
"""

from pathlib import Path
from typing import Final

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FEWEST: Final = 1024
"""Arrays of fewer numbers stay as they are."""


def halve_digits(path: Path) -> None:
    """Store the weights of a network with half their digits, if they are not already."""
    model = onnx.load(path)
    kept, turned_back = [], []
    for weights in model.graph.initializer:
        values = numpy_helper.to_array(weights)
        if values.dtype != np.float32 or values.size < FEWEST:
            kept.append(weights)
            continue
        name = f"{weights.name}.halved"
        kept.append(numpy_helper.from_array(values.astype(np.float16), name))
        turned_back.append(
            helper.make_node("Cast", [name], [weights.name], f"{name}.cast", to=TensorProto.FLOAT)
        )
    steps = [*turned_back, *model.graph.node]
    del model.graph.initializer[:]
    del model.graph.node[:]
    model.graph.initializer.extend(kept)
    model.graph.node.extend(steps)
    unfinished = path.with_suffix(".unfinished")
    onnx.save(model, unfinished)
    unfinished.replace(path)
