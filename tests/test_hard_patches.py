"""Hard patches are seen more often, and which card is on them plays no part in it."""

import numpy as np
import pytest

from vision.training.hard_patches import HARD_SHARE, weighed_by_hardness


def test_of_two_cards_alike_the_hard_one_is_seen_more_often() -> None:
    seen = weighed_by_hardness(np.array([0.5, 0.5]), np.array([0.9, 0.0], np.float32))
    assert seen.sum() == pytest.approx(1)
    assert seen[0] > 0.75
    assert seen[1] > (1 - HARD_SHARE) * 0.49


def test_where_all_are_as_hard_each_is_seen_as_often_as_ever() -> None:
    plain = np.array([0.1, 0.6, 0.3])
    for hard in (0.0, 0.4):
        seen = weighed_by_hardness(plain, np.full(3, hard, np.float32))
        assert seen == pytest.approx(plain)


def test_of_patches_as_hard_as_each_other_a_rare_card_is_seen_as_often_as_it_was_by_the_rest() -> (
    None
):
    plain, hard = np.array([0.2, 0.1, 0.7]), np.array([0.5, 0.5, 0.1], np.float32)
    seen = weighed_by_hardness(plain, hard)
    assert seen[0] / seen[1] == pytest.approx(2)
