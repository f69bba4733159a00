"""What a network has learnt, taken over by a wider one of the same layers.

Each channel that is new is a copy of one that is there, and whatever takes from a channel with
copies takes its part from each: the wider network says the same as the narrower one. A little noise
lets the copies part as they learn.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.training.learnt_weights import CONVOLUTION, Weights

NOISE: Final = 0.08
"""Of the deviation of a layer's weights."""
OF_A_CHANNEL: Final = ("weight", "bias", "running_mean", "running_var")


def widened(
    learnt: Weights, wider: Weights, seed: int, noise: float = NOISE
) -> dict[str, NDArray[Any]]:
    """The weights of a wider chain of convolutions that says what the narrower one has learnt.

    Those of one that is as wide stay as they are.
    """
    if all(wider[name].shape == value.shape for name, value in learnt.items()):
        return dict(learnt)
    rng = np.random.default_rng(seed)
    weights = dict(wider)
    layers = [name.removesuffix(CONVOLUTION) for name in learnt if name.endswith(CONVOLUTION)]
    inward = np.arange(learnt[layers[0] + CONVOLUTION].shape[1])
    for layer in layers:
        own = learnt[layer + CONVOLUTION]
        count, wanted = len(own), len(wider[layer + CONVOLUTION])
        outward = np.concatenate([np.arange(count), rng.integers(0, count, wanted - count)])
        own = own[outward][:, inward] / _copies(inward)[:, None, None]
        apart = rng.standard_normal(own.shape) * own.std() * noise
        weights[layer + CONVOLUTION] = (own + apart).astype(np.float32)
        for part in OF_A_CHANNEL:
            weights[f"{layer}.bn.{part}"] = learnt[f"{layer}.bn.{part}"][outward]
        inward = outward
    for name, value in learnt.items():
        if ".linear." in name:
            said = value[:, inward] / _copies(inward) if value.ndim > 1 else value
            weights[name] = said.astype(np.float32)
    return weights


def _copies(channels: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each channel, how many are copies of the same one, itself among them."""
    return np.asarray(np.bincount(channels)[channels])
