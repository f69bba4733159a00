"""Whether probabilities come true: of readings with 0.99, 99 % have to be right."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TEMPERATURES = np.exp(np.linspace(np.log(0.3), np.log(3.0), 93))
NEWTON_STEPS = 40
LONGEST_STEP = 0.5
STIFFNESS = 1e-4
"""Keeps weights finite where a few things are told without fail."""
EDGES = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1.0)
"""Close together at the top, where it is decided what is believed."""


@dataclass(frozen=True, slots=True)
class Bin:
    """The readings whose certainty lies between two bounds."""

    low: float
    high: float
    count: int
    certainty: float
    """What they say on average."""
    right: float
    """The share of them that is right."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """How certainties compare with what came true."""

    bins: tuple[Bin, ...]
    """Those in which there is a reading."""
    expected_error: float
    """By how much certainty and share right differ on average over all readings."""

    def at_least(self, certainty: float) -> tuple[int, float]:
        """How many readings are at least this certain, and the share of them that is right.

        The certainty has to be one of the bounds between bins.
        """
        above = [part for part in self.bins if part.low >= certainty]
        count = sum(part.count for part in above)
        right = sum(part.count * part.right for part in above)
        return count, right / count if count else float("nan")


def reliability(certainties: Sequence[float], right: Sequence[bool]) -> Reliability:
    """Sort readings into bins and compare."""
    told = np.asarray(certainties, dtype=np.float64)
    true = np.asarray(right, dtype=np.float64)
    places = np.clip(np.searchsorted(EDGES, told, side="right") - 1, 0, len(EDGES) - 2)
    bins = []
    for place in range(len(EDGES) - 1):
        inside = places == place
        if inside.any():
            bins.append(
                Bin(
                    EDGES[place],
                    EDGES[place + 1],
                    int(inside.sum()),
                    float(told[inside].mean()),
                    float(true[inside].mean()),
                )
            )
    error = sum(part.count * abs(part.certainty - part.right) for part in bins)
    return Reliability(tuple(bins), error / len(told) if len(told) else float("nan"))


def best_temperature(logits: NDArray[np.float32], numbers: Sequence[int]) -> float:
    """The temperature under which what was right is likeliest."""
    return float(min(TEMPERATURES, key=lambda each: surprise(logits, numbers, each)))


def surprise(logits: NDArray[np.float32], numbers: Sequence[int], temperature: float) -> float:
    """How unlikely what was right is called on average, as a logarithm."""
    scaled = logits / temperature
    scaled = scaled - scaled.max(axis=1, keepdims=True)
    sums = np.log(np.exp(scaled).sum(axis=1))
    return float(np.mean(sums - scaled[np.arange(len(numbers)), np.asarray(numbers)]))


def likeliest_weights(
    said: Sequence[NDArray[np.float32]], numbers: Sequence[int]
) -> tuple[float, ...]:
    """What several words on the same things weigh where what was right is likeliest; none less
    than nothing.

    Found by Newton's steps: how unlikely what was right is has a single lowest point.
    """
    words = np.stack(said, axis=1).astype(np.float64)
    rows, right = np.arange(len(numbers)), np.asarray(numbers)
    weights = np.full(len(said), 1 / len(said))
    for _ in range(NEWTON_STEPS):
        together = np.einsum("w,nwc->nc", weights, words)
        shares = np.exp(together - together.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        expected = np.einsum("nc,nwc->nw", shares, words)
        apart = words - expected[:, :, None]
        slope = (expected - words[rows, :, right]).mean(axis=0) + STIFFNESS * weights
        bend = np.einsum("nc,nvc,nwc->vw", shares, apart, apart) / len(rows)
        step = np.linalg.solve(bend + STIFFNESS * np.eye(len(weights)), slope)
        weights = np.clip(weights - np.clip(step, -LONGEST_STEP, LONGEST_STEP), 0, None)
    return tuple(round(float(each), 3) for each in weights)
