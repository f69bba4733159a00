"""Intervals and tests against published values."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.reports.intervals import Share, chance_of, difference, wilson


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [
        # R. G. Newcombe 1998, Statistics in Medicine 17, 857-872, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_score_interval_is_the_published_one(
    count: int, of: int, low: float, high: float
) -> None:
    ends = wilson(Share(count, of))
    assert ends is not None
    assert (round(ends.low, 4), round(ends.high, 4)) == (low, high)


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [
        # R. G. Newcombe 1998, Statistics in Medicine 17, 873-890, table II, method 10
        (Share(56, 70), Share(48, 80), 0.0524, 0.3339),
        (Share(9, 10), Share(3, 10), 0.1705, 0.8090),
        (Share(10, 10), Share(0, 20), 0.6791, 1.0000),
        (Share(0, 10), Share(0, 20), -0.1611, 0.2775),
    ],
)
def test_the_interval_of_a_difference_is_the_published_one(
    one: Share, other: Share, low: float, high: float
) -> None:
    ends = difference(one, other)
    assert ends is not None
    assert (round(ends.low, 4), round(ends.high, 4)) == (low, high)


def test_fishers_lady_tasting_tea() -> None:
    # Three of four cups right: 17 of 70 ways are as good or better.
    assert chance_of(Share(3, 4), Share(1, 4)) == pytest.approx(2 * 17 / 70)


def test_the_exact_test_is_the_published_one() -> None:
    # Dieting men and women: 1 of 12 and 9 of 12, one tail 0.001379728
    assert chance_of(Share(1, 12), Share(9, 12)) / 2 == pytest.approx(0.001379728, rel=1e-6)


@given(st.data())
def test_the_exact_test_counts_ways(data: st.DataObject) -> None:
    of, rest = data.draw(st.integers(1, 25)), data.draw(st.integers(1, 25))
    count, others = data.draw(st.integers(0, of)), data.draw(st.integers(0, rest))
    errors = count + others

    def ways(some: int) -> int:
        return comb(errors, some) * comb(of + rest - errors, of - some) if some <= of else 0

    whole = comb(of + rest, of)
    upper = sum(ways(some) for some in range(count, errors + 1)) / whole
    lower = sum(ways(some) for some in range(count + 1)) / whole
    told = chance_of(Share(count, of), Share(others, rest))
    assert told == pytest.approx(min(1, 2 * min(upper, lower)))


@given(st.integers(0, 10**9), st.integers(1, 10**9))
def test_an_interval_holds_its_share_and_stays_within_bounds(count: int, of: int) -> None:
    share = Share(min(count, of), of)
    ends = wilson(share)
    assert ends is not None
    assert share.value is not None
    assert 0 <= ends.low <= share.value <= ends.high <= 1


def test_nothing_is_known_of_no_rounds() -> None:
    assert wilson(Share(0, 0)) is None
    assert difference(Share(0, 0), Share(1, 2)) is None
    assert chance_of(Share(0, 0), Share(1, 2)) == 1


def test_what_is_no_share_is_refused() -> None:
    with pytest.raises(ValueError, match="2 of 1"):
        Share(2, 1)


def test_a_hundred_million_rounds_are_no_trouble() -> None:
    assert chance_of(Share(200_000, 100_000_000), Share(2_000, 1_000_000)) > 0.9
    assert chance_of(Share(200_000, 100_000_000), Share(2_500, 1_000_000)) < 1e-10
