"""What a network has learnt, to go on training from.

The ONNX file that reads pictures holds every weight, with the normalisation that follows a
convolution multiplied in. So beside it only the normalisations are kept, and dividing by them gives
the weights that were trained.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

NORMS: Final = ".norms.npz"
NORM: Final = ".bn."
NETWORK: Final = "network."
HALVED: Final = ".halved"
CONVOLUTION: Final = ".conv.weight"
EPSILON: Final = 1e-5
"""What torch adds to a variance."""
LEAST: Final = 1e-6
"""A channel that its normalisation shuts off stays shut off."""

Weights = Mapping[str, NDArray[Any]]


def keep_norms(weights: Weights, folder: Path, name: str) -> None:
    """Write the normalisations of a network beside its ONNX file."""
    norms = {key: each for key, each in weights.items() if NORM in key}
    np.savez(folder / f"{name}{NORMS}", allow_pickle=False, **norms)


def is_learnt(folder: Path, name: str) -> bool:
    """Whether a folder holds a network to go on from."""
    return (folder / f"{name}{NORMS}").exists()


def learnt_weights(folder: Path, name: str) -> Weights:
    """The weights of a network as they were trained."""
    with np.load(folder / f"{name}{NORMS}") as stored:
        weights: dict[str, NDArray[Any]] = dict(stored)
    for kept in onnx.load(folder / f"{name}.onnx").graph.initializer:
        own = kept.name.removeprefix(NETWORK).removesuffix(HALVED)
        value = numpy_helper.to_array(kept).astype(np.float32)
        if own.endswith(CONVOLUTION):
            norm = f"{own.removesuffix(CONVOLUTION)}.bn"
            gain = weights[f"{norm}.weight"] / np.sqrt(weights[f"{norm}.running_var"] + EPSILON)
            weights[own] = value / np.where(np.abs(gain) < LEAST, np.inf, gain)[:, None, None, None]
        elif not own.endswith(".conv.bias"):
            weights[own] = value
    return weights
