"""What the networks say of drawn tables is made to come true."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.cards import NUMBERS
from vision.index_belief import Belief, fitted_belief
from vision.index_reader import Weighing
from vision.reliability import best_temperature, likeliest_weights
from vision.synthetic.pictures import DrawnIndex
from vision.training.calibrating import FALSE_A_SCENE, OPEN, Said, known_of
from vision.training.shards import UNREADABLE

INDEX_AT = np.array([[0, 0], [12, 0], [12, 24], [0, 24]], np.float32)
"""The corners of an index."""


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_the_temperature_that_was_applied_is_found_again(temperature: float) -> None:
    rng = np.random.default_rng(3)
    logits = rng.normal(0, 2, (20_000, 6))
    odds = np.exp(logits)
    chosen = (
        odds.cumsum(axis=1) / odds.sum(axis=1, keepdims=True) > rng.random((20_000, 1))
    ).argmax(1)
    found = best_temperature((logits * temperature).astype(np.float32), chosen.tolist())
    assert found == pytest.approx(temperature, rel=0.05)


def said(*finds: tuple[float, int, int], scenes: int = 100) -> Said:
    """Finds by their score, what the reader says of them and whether they are indexes."""
    logits = np.zeros((len(finds), UNREADABLE + 1), np.float32)
    for row, (_, number, _) in enumerate(finds):
        logits[row, number] = 20
    scores = np.array([score for score, _, _ in finds], np.float32)
    are = np.array([is_index for _, _, is_index in finds], np.intp)
    unknown = np.full(len(finds), OPEN, np.intp)
    tall = np.full(len(finds), 20, np.float32)
    nobody = np.zeros((len(finds), 1, 0, UNREADABLE + 1), np.float32)
    return Said(scenes, scores, logits[:, None], nobody, unknown, are, tall)


def test_finds_are_believed_as_far_as_false_ones_that_are_read_stay_rare() -> None:
    false = [(0.9, 3, 0), (0.7, 4, 0), (0.6, 5, 0)]
    plain = Belief(1.0, 0.0)
    few = int(3 / FALSE_A_SCENE) + 1
    assert said(*false, scenes=few).least_belief(plain, Weighing()) == 0
    fourth = said(*false, (0.33, 6, 0), scenes=few).least_belief(plain, Weighing())
    assert 0.33 / 1.33 < fourth < 0.34 / 1.33


def test_a_finder_that_finds_nothing_yet_leaves_nothing_to_fit() -> None:
    nothing = said()
    plain = nothing.weighing()
    assert (plain.temperature, plain.weights) == (1.0, (1.0,))
    assert nothing.least_belief(nothing.belief(plain), plain) == 0


def test_a_false_find_that_the_reader_refuses_does_no_harm() -> None:
    refused = [(0.9, UNREADABLE, 0)] * 20
    right = [(0.9, 3, 1)] * 20
    assert said(*refused, *right).least_belief(Belief(), Weighing()) == 0


@pytest.mark.parametrize("worth", [(1.0, 0.5), (0.3, 0.0), (0.0, 1.4)])
def test_what_words_weighed_is_found_again(worth: tuple[float, float]) -> None:
    rng = np.random.default_rng(3)
    words = rng.normal(0, 2, (2, 20_000, 6))
    odds = np.exp(np.tensordot(worth, words, 1))
    shares = odds.cumsum(axis=1) / odds.sum(axis=1, keepdims=True)
    chosen = (shares > rng.random((20_000, 1))).argmax(1)
    found = likeliest_weights(list(words.astype(np.float32)), chosen.tolist())
    assert found == pytest.approx(worth, abs=0.03)


def test_a_word_that_speaks_against_what_is_right_weighs_nothing() -> None:
    rng = np.random.default_rng(4)
    numbers = rng.integers(0, 6, 2000)
    knows, lies = rng.normal(0, 1, (2, 2000, 6)).astype(np.float32)
    knows[np.arange(2000), numbers] += 1
    lies[np.arange(2000), numbers] -= 1
    weights = likeliest_weights([knows, lies], numbers.tolist())
    assert weights[0] > 0.5
    assert weights[1] == 0


def two_words(rng: np.random.Generator, *, second_knows: bool) -> Said:
    """Finds of which the reader is unsure; who looks again knows them or says what it likes."""
    numbers = rng.integers(0, 52, 400)
    read, again = rng.normal(0, 1, (2, 400, UNREADABLE + 1)).astype(np.float32)
    read[np.arange(400), numbers] += 3
    again[np.arange(400), numbers if second_knows else rng.integers(0, 52, 400)] += 6
    scores = np.full(400, 0.5, np.float32)
    tall = np.full(400, 20, np.float32)
    return Said(
        100,
        scores,
        read[:, None],
        again[:, None, None],
        numbers,
        np.ones(400, np.intp),
        tall,
    )


def second_weight(told: Said) -> float:
    """What a second look weighs by what the reader weighs."""
    reader, second = told.weighing().weights
    return second / reader


def test_a_second_look_weighs_as_much_as_it_knows() -> None:
    told, silent = (
        two_words(np.random.default_rng(5), second_knows=knows) for knows in (True, False)
    )
    assert second_weight(told) > 0.5
    assert second_weight(silent) <= 0.15
    rows = np.arange(400)
    alone = told.weighing().alone(told.read[:, 0])[rows, told.numbers]
    both = told.probabilities(told.weighing())[rows, told.numbers]
    assert both.mean() > alone.mean() + 0.2


def test_what_a_second_look_weighs_is_told_by_indexes_that_are_not_too_small() -> None:
    rng = np.random.default_rng(7)
    knows, silent = (two_words(rng, second_knows=each) for each in (True, False))
    both = {
        name: np.concatenate([getattr(knows, name), getattr(silent, name)])
        for name in ("scores", "read", "again", "numbers", "indexes")
    }
    small_known, large_known = (
        Said(100, **both, heights=np.repeat(np.array(heights, np.float32), 400))
        for heights in ((13, 20), (20, 13))
    )
    assert second_weight(small_known) <= 0.15
    assert second_weight(large_known) > 0.5


def test_a_second_look_has_no_say_where_the_reader_is_sure() -> None:
    told = two_words(np.random.default_rng(6), second_knows=False)
    told.read[0, 0, 7] = 40
    told.again[0, 0, 0, 9] = 400
    assert told.probabilities(told.weighing())[0].argmax() == 7


def test_of_two_looks_at_how_an_index_lies_both_count_alike() -> None:
    told = two_words(np.random.default_rng(8), second_knows=True)
    wrong = told.read[:, 0].copy()
    wrong[:200] = np.roll(wrong[:200], 5, axis=1)
    both = replace(
        told,
        read=np.stack([told.read[:, 0], wrong], axis=1),
        again=np.repeat(told.again, 2, axis=1),
    )
    weighing = both.weighing()
    asked = weighing.doubtful(weighing.alone(both.read[:, 0]), both.heights)
    assert 100 < asked.sum() < 400
    first, second = (
        weighing.together([both.read[:, look], both.again[:, look, 0]]) for look in (0, 1)
    )
    assert both.probabilities(weighing)[asked] == pytest.approx(((first + second) / 2)[asked])


def test_belief_weighs_score_and_reading_as_they_tell_indexes_from_others() -> None:
    rng = np.random.default_rng(4)
    are = rng.random(4000) < 0.5
    scores, readable, surest = (
        np.where(are, rng.beta(most, 2, 4000), rng.beta(2, most, 4000)).astype(np.float32)
        for most in (4, 5, 4)
    )
    said = probabilities(readable, surest)
    belief = fitted_belief(scores, said, are)
    told = belief.of(scores, said)
    assert min(belief.by_score, belief.by_reading, belief.by_card) > 0.3
    for low, high in ((0.0, 0.2), (0.4, 0.6), (0.8, 1.0)):
        inside = (told >= low) & (told < high)
        assert are[inside].mean() == pytest.approx(told[inside].mean(), abs=0.08)
    half = np.full(4000, 0.5, np.float32)
    deaf = fitted_belief(scores, probabilities(half, half), are)
    assert max(abs(deaf.by_reading), abs(deaf.by_card)) < 1e-3


def probabilities(
    readable: NDArray[np.float32], surest: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Rows of what the reader says: the first card so sure, the others alike."""
    rows = np.empty((len(readable), UNREADABLE + 1), np.float32)
    rows[:, 1:UNREADABLE] = (readable * (1 - surest) / (UNREADABLE - 1))[:, None]
    rows[:, 0], rows[:, UNREADABLE] = readable * surest, 1 - readable
    return rows


@pytest.mark.parametrize(
    ("box", "known"),
    [
        ((100, 100, 112, 124), [NUMBERS["6S"], 1, 1]),
        ((100, 100, 112, 113), [NUMBERS["6S"], 1, 1]),
        ((100, 100, 112, 106), [OPEN, 0, 0]),
        ((300, 100, 312, 124), [UNREADABLE, 0, 0]),
        ((200, 100, 212, 124), [OPEN, OPEN, 0]),
        ((400, 100, 412, 124), [UNREADABLE, 0, 0]),
        ((101, 101, 113, 125), [NUMBERS["6S"], 1, 1]),
    ],
)
def test_what_is_known_of_a_find(box: tuple[float, ...], known: list[int]) -> None:
    there = tuple(
        DrawnIndex(card, np.add(INDEX_AT, (left, 100)), visible, height=24)
        for card, left, visible in (("6S", 100, 1.0), ("7S", 200, 0.5), ("8S", 400, 0.1))
    )
    assert known_of(np.array([box], np.float32), there).tolist() == [known]
    assert known_of(np.array([box], np.float32), ()).tolist() == [[UNREADABLE, 0, 0]]


@pytest.mark.parametrize(
    ("visible", "sharpness", "contrast", "known"),
    [
        (0.81, 11.1, 36, True),
        (0.79, 11.1, 36, False),
        (0.81, 10.9, 36, False),
        (0.81, 11.1, 34, False),
    ],
)
def test_of_what_is_hardly_seen_nobody_says_what_would_be_right(
    visible: float, sharpness: float, contrast: float, *, known: bool
) -> None:
    index = DrawnIndex("6S", INDEX_AT, visible, 24, 24 / sharpness, contrast)
    told = known_of(np.array([(0, 0, 12, 24)], np.float32), (index,))
    assert told[:, :2].tolist() == [[NUMBERS["6S"], 1] if known else [OPEN, OPEN]]


@pytest.mark.parametrize(
    ("visible", "height", "sharpness", "contrast", "promised"),
    [
        (0.9, 14, 20, 60, 1),
        (0.89, 14, 20, 60, 0),
        (0.9, 13.9, 20, 60, 0),
        (0.9, 14, 19.9, 60, 0),
        (0.9, 14, 20, 59, 0),
    ],
)
def test_what_shows_well_is_promised_to_be_read(
    visible: float, height: float, sharpness: float, contrast: float, promised: int
) -> None:
    index = DrawnIndex("6S", INDEX_AT, visible, height, height / sharpness, contrast)
    told = known_of(np.array([(0, 0, 12, 24)], np.float32), (index,))
    assert told.tolist() == [[NUMBERS["6S"], 1, promised]]


def test_of_two_indexes_on_top_of_each_other_the_one_that_shows_is_right() -> None:
    under = DrawnIndex("6S", INDEX_AT, 0.4, height=24)
    above = DrawnIndex("7S", np.add(INDEX_AT, (2, 0)).astype(np.float32), 1.0, height=24)
    told = known_of(np.array([(0, 0, 12, 24)], np.float32), (under, above))
    assert told.tolist() == [[NUMBERS["7S"], 1, 1]]
