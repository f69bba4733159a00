"""Baccarat counted out: every sequence of six cards, dealt by the product's own functions.

A table of play, a point value or a natural typed wrong does not reach the published counts.
"""

from collections import Counter
from math import perm

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.cards import RANKS, Rank
from audit.edges import BankerSixCounts, banker_six_counts, coups, outcome_counts
from audit.observations import BACCARAT_WAGERS
from audit.rules import baccarat
from audit.rules.baccarat import Coup, Outcome, deal_coup, events_on, outcome, point_total
from audit.settlement.baccarat import PAIR_WAGERS

EIGHT_DECKS = {
    Outcome.BANKER: 2_292_252_566_437_888,
    Outcome.PLAYER: 2_230_518_282_592_256,
    Outcome.TIE: 475_627_426_473_216,
}
SIX_DECKS = {
    Outcome.BANKER: 403_095_751_234_560,
    Outcome.PLAYER: 392_220_492_728_832,
    Outcome.TIE: 83_552_962_932_288,
}


def test_eight_decks_have_the_published_number_of_outcomes() -> None:
    assert outcome_counts(8) == EIGHT_DECKS
    assert sum(outcome_counts(8).values()) == 4_998_398_275_503_360 == perm(8 * 52, 6)


def test_six_decks_have_the_published_number_of_outcomes() -> None:
    assert outcome_counts(6) == SIX_DECKS
    assert sum(outcome_counts(6).values()) == 878_869_206_895_680 == perm(6 * 52, 6)


def test_banker_wins_on_six_as_often_as_published() -> None:
    assert banker_six_counts(8) == BankerSixCounts(
        two_cards=186_173_936_904_192, three_cards=83_058_367_551_488
    )


def test_one_deck_never_deals_a_fifth_card_of_a_rank() -> None:
    dealt = list(coups(1))
    assert sum(weight for _, weight in dealt) == perm(52, 6)
    assert all(weight > 0 for _, weight in dealt)
    assert all((*coup.player, *coup.banker).count(Rank.ACE) <= 4 for coup, _ in dealt)


def test_a_table_of_play_typed_wrong_gives_other_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(baccarat.BANKER_DRAWS_ON_PLAYERS_THIRD, 6, frozenset({6}))
    counts: Counter[Outcome] = Counter()
    for coup, weight in coups(8):
        counts[outcome(coup)] += weight
    assert counts.total() == perm(8 * 52, 6)
    assert all(counts[name] != EIGHT_DECKS[name] for name in Outcome)


def _totals_and_sizes(coup: Coup) -> tuple[int, int, int, int]:
    return (
        point_total(coup.player),
        point_total(coup.banker),
        len(coup.player),
        len(coup.banker),
    )


@pytest.fixture(scope="module")
def counted() -> dict[tuple[int, int, int, int], Coup]:
    return {_totals_and_sizes(coup): coup for coup, _ in coups(8)}


@given(ranks=st.lists(st.sampled_from(RANKS), min_size=6, max_size=6))
@settings(max_examples=300, deadline=None)
def test_coups_that_are_counted_as_one_fare_alike(
    counted: dict[tuple[int, int, int, int], Coup], ranks: list[Rank]
) -> None:
    """Counting deals one rank for each point value, and settles one coup for all like it."""
    coup = deal_coup(ranks)
    assert coup is not None
    like_it = counted[_totals_and_sizes(coup)]
    assert outcome(coup) is outcome(like_it)
    for kind in BACCARAT_WAGERS - PAIR_WAGERS:
        assert events_on(kind, coup) == events_on(kind, like_it)
