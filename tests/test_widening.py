"""A wider network takes over what a narrower one has learnt."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.training.learnt_weights import Weights
from vision.training.widening import widened

PICTURES = np.random.default_rng(5).random((8, 3))


def drawn(seed: int, *channels: int) -> dict[str, NDArray[Any]]:
    """The weights of some convolutions of one pixel, named as ultralytics names them."""
    rng = np.random.default_rng(seed)
    weights: dict[str, NDArray[Any]] = {}
    for number, (before, after) in enumerate(zip((3, *channels), channels, strict=False)):
        layer = f"model.{number}"
        weights[f"{layer}.conv.weight"] = rng.normal(size=(after, before, 1, 1))
        weights[f"{layer}.bn.weight"] = rng.uniform(0.5, 2, after)
        weights[f"{layer}.bn.bias"] = rng.normal(size=after)
        weights[f"{layer}.bn.running_mean"] = rng.normal(size=after)
        weights[f"{layer}.bn.running_var"] = rng.uniform(0.5, 2, after)
    weights["model.9.linear.weight"] = rng.normal(size=(5, channels[-1]))
    weights["model.9.linear.bias"] = rng.normal(size=5)
    return weights


def said(weights: Weights) -> NDArray[np.float64]:
    """What such a network says of the pictures."""
    now = PICTURES
    for number in range(2):
        layer = f"model.{number}"
        mean, variance = (weights[f"{layer}.bn.running_{part}"] for part in ("mean", "var"))
        now = now @ weights[f"{layer}.conv.weight"][:, :, 0, 0].T
        now = (now - mean) / np.sqrt(variance)
        now = np.maximum(now * weights[f"{layer}.bn.weight"] + weights[f"{layer}.bn.bias"], 0)
    out: NDArray[np.float64] = now @ weights["model.9.linear.weight"].T
    return out + weights["model.9.linear.bias"]


def test_the_wider_one_says_the_same() -> None:
    narrow, wide = drawn(1, 4, 6), drawn(2, 7, 11)
    taken_over = widened(narrow, wide, seed=1, noise=0.0)
    assert {name: each.shape for name, each in taken_over.items()} == {
        name: each.shape for name, each in wide.items()
    }
    assert said(taken_over) == pytest.approx(said(narrow), abs=1e-4)


def test_copies_part_a_little() -> None:
    narrow = drawn(1, 4, 6)
    taken_over = widened(narrow, drawn(2, 7, 11), seed=1)
    first = taken_over["model.0.conv.weight"]
    assert len(np.unique(first[:, 0, 0, 0])) == 7
    away = np.abs(said(taken_over) - said(narrow)).mean()
    assert 0.001 < away < 0.5 * said(narrow).std()


def test_one_as_wide_keeps_its_weights() -> None:
    narrow = drawn(1, 4, 6)
    kept = widened(narrow, drawn(2, 4, 6), seed=1)
    assert all(np.array_equal(kept[name], each) for name, each in narrow.items())
