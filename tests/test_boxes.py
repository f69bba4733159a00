"""Boxes: what they share, and how tall an index in one is."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.boxes import (
    best_of_overlapping,
    index_height,
    overlaps,
    shares_of_smaller,
    turned_shares,
)


def test_boxes_overlap_by_what_they_share_of_both() -> None:
    some = np.array([[0, 0, 10, 10]], dtype=np.float32)
    others = np.array([[5, 0, 15, 10], [20, 20, 30, 30], [0, 0, 10, 10]], dtype=np.float32)
    assert overlaps(some, others)[0].tolist() == pytest.approx([1 / 3, 0, 1])


def test_of_overlapping_boxes_the_best_remains() -> None:
    boxes = np.array([[1, 0, 11, 10], [0, 0, 10, 10], [30, 0, 40, 10]], dtype=np.float32)
    scores = np.array([0.5, 0.9, 0.7], dtype=np.float32)
    assert best_of_overlapping(boxes, scores, 0.5).tolist() == [1, 2]
    assert best_of_overlapping(boxes, scores, 0.9).tolist() == [1, 2, 0]
    assert best_of_overlapping(boxes[:0], scores[:0], 0.5).tolist() == []


def test_a_find_that_lies_within_a_better_one_is_the_same_though_far_smaller() -> None:
    boxes = np.array([[0, 0, 20, 40], [2, 20, 18, 38], [15, 0, 35, 40]], dtype=np.float32)
    scores = np.array([0.9, 0.8, 0.7], dtype=np.float32)
    assert best_of_overlapping(boxes, scores, 0.55).tolist() == [0, 1, 2]
    assert best_of_overlapping(boxes, scores, 0.55, by=shares_of_smaller).tolist() == [0, 2]


@given(st.floats(5, 200), st.floats(0, math.pi))
def test_the_height_of_a_turned_index_is_told_from_its_box(height: float, turned: float) -> None:
    across, down = abs(math.cos(turned)), abs(math.sin(turned))
    width = height / 1.9
    box = (width * across + height * down, width * down + height * across)
    assert index_height(*box) == pytest.approx(height, rel=1e-6)


def test_a_box_without_size_has_no_height() -> None:
    assert index_height(0, 0) == 0


@pytest.mark.parametrize(("apart", "share"), [(0, 1), (4, 0.5), (8, 0), (30, 0)])
def test_turned_rectangles_share_what_they_would_upright(apart: float, share: float) -> None:
    """Two of 8 by 40, turned by 45 degrees, so far apart across."""
    side = 48 * math.sqrt(0.5)
    away = apart * math.sqrt(0.5)
    boxes = np.array([[0, 0, side, side], [away, away, side + away, side + away]], np.float32)
    sizes = np.array([[8, 40]] * 2, np.float32)
    turned = turned_shares(boxes, sizes, np.full(2, 45, np.float32))
    assert turned[0, 1] == turned[1, 0] == pytest.approx(share, abs=0.01)
    assert turned[0, 0] == turned[1, 1] == 1
