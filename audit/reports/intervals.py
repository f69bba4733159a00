"""How sure a rate is: intervals for shares of rounds, and whether two of them differ."""

from dataclasses import dataclass
from math import exp, lgamma, sqrt
from statistics import NormalDist

CONFIDENCE = 0.95
NEGLIGIBLE = 1e-17
"""Terms smaller than this share of their sum no longer change it."""


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many rounds."""

    count: int
    of: int

    def __post_init__(self) -> None:
        if not 0 <= self.count <= self.of:
            raise ValueError(f"{self.count} of {self.of} is not a share")

    @property
    def value(self) -> float | None:
        return self.count / self.of if self.of else None


def wilson(share: Share, confidence: float = CONFIDENCE) -> Interval | None:
    """Give Wilson's score interval for a share; nothing is known of a share of no rounds.

    With p = count / of and z the quantile of the normal distribution, its ends are

        (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n)

    It stays within 0 and 1 and is honest for rare errors and few rounds, where p ± z·SE is not.
    """
    if share.of == 0:
        return None
    z = _quantile(confidence)
    n = share.of
    p = share.count / n
    middle = p + z * z / (2 * n)
    reach = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = 0.0 if share.count == 0 else (middle - reach) / scale
    high = 1.0 if share.count == n else (middle + reach) / scale
    return Interval(low, high)


def difference(one: Share, other: Share, confidence: float = CONFIDENCE) -> Interval | None:
    """Give Newcombe's interval for `one` less `other`, made of their two score intervals.

    With p, l, u of one and q, m, v of the other its ends are

        (p − q) − √((p − l)² + (v − q)²)  and  (p − q) + √((u − p)² + (q − m)²)

    (R. G. Newcombe 1998, Statistics in Medicine 17, 873–890, method 10).
    """
    of_one, of_other = wilson(one, confidence), wilson(other, confidence)
    p, q = one.value, other.value
    if of_one is None or of_other is None or p is None or q is None:
        return None
    below = sqrt((p - of_one.low) ** 2 + (of_other.high - q) ** 2)
    above = sqrt((of_one.high - p) ** 2 + (q - of_other.low) ** 2)
    return Interval(p - q - below, p - q + above)


def chance_of(one: Share, other: Share) -> float:
    """Say how likely chance alone sets two shares so far apart (Fisher's exact test).

    All errors are dealt out over all rounds at random, and those that fall to `one` are counted:
    they follow the hypergeometric distribution. The answer is twice the smaller tail, at most 1.
    It holds for rare errors, where intervals that rest on the normal distribution accuse too soon.
    """
    errors, rounds = one.count + other.count, one.of + other.of
    if not one.of or not other.of:
        return 1.0
    mean = errors * one.of / rounds
    ways = _log_ways(errors, one.count) + _log_ways(rounds - errors, one.of - one.count)
    here = exp(ways - _log_ways(rounds, one.of))
    away = 1 if one.count >= mean else -1
    tail = _tail(here, one, errors, rounds, away)
    return min(1.0, 2 * tail, 2 * max(1 - tail + here, 0.0))


def _tail(here: float, one: Share, errors: int, rounds: int, away: int) -> float:
    """Add up the likelihoods of this count and of all that are further from the mean."""
    count, likely, tail = one.count, here, here
    clean = rounds - errors
    while likely > tail * NEGLIGIBLE:
        if away > 0:
            likely *= (errors - count) * (one.of - count)
            likely /= (count + 1) * (clean - one.of + count + 1)
        else:
            likely *= count * (clean - one.of + count)
            likely /= (errors - count + 1) * (one.of - count + 1)
        tail += likely
        count += away
    return tail


def _log_ways(many: int, some: int) -> float:
    """Give the logarithm of how many ways there are to choose some of many."""
    return lgamma(many + 1) - lgamma(some + 1) - lgamma(many - some + 1)


def _quantile(confidence: float) -> float:
    return NormalDist().inv_cdf(1 - (1 - confidence) / 2)
