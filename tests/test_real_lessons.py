"""What is learnt from real pictures: finds that the labels bear out, named as the labels say."""

from pathlib import Path

import numpy as np
import pytest

from vision.boxes import Image
from vision.card_reader import Box, CardSeenInPicture, IndexSeen, PictureReading
from vision.cards import NUMBERS
from vision.finder import INDEX
from vision.training.real_lessons import real_lesson, windows
from vision.training.real_pictures import RealPicture
from vision.training.shards import WINDOW, Patch

SIZE = (600, 800)


def seen(box: Box, card: str, certain: float = 0.8, score: float = 0.6) -> IndexSeen:
    shares = np.full(52, (1 - certain) / 51, np.float32)
    shares[NUMBERS[card]] = certain
    return IndexSeen(box, score, 1.0, shares, box[3] - box[1])


class Reads:
    """A reader that has seen the picture already."""

    def __init__(self, *indexes: IndexSeen, unreadable: tuple[IndexSeen, ...] = ()) -> None:
        cards = tuple(CardSeenInPicture((index,), index.probabilities, 1.0) for index in indexes)
        self.reading = PictureReading(cards, unreadable, ())

    def read(
        self, image: Image, scales: tuple[float, ...] | None = None, part: Box | None = None
    ) -> PictureReading:
        return self.reading


def picture(*labels: tuple[Box, str]) -> RealPicture:
    boxes = np.array([box for box, _ in labels], np.float32).reshape(-1, 4)
    image = np.full((*SIZE, 3), 200, np.uint8)
    return RealPicture(Path("photo.jpg"), image, boxes, tuple(card for _, card in labels))


def names(patches: tuple[Patch, ...]) -> list[int]:
    return [patch.number for patch in patches]


def test_a_find_in_the_box_of_an_index_is_named_as_its_label() -> None:
    photo = picture(((95, 95, 120, 135), "9H"))
    lesson = real_lesson(photo, Reads(seen((100, 100, 115, 130), "6H", 0.5)), whole_cards=False)
    assert names(lesson.patches) == [NUMBERS["9H"]]
    assert lesson.boxes.tolist() == [[100, 100, 115, 130]]


def test_a_label_that_a_sure_reading_contradicts_teaches_no_card() -> None:
    photo = picture(((95, 95, 120, 135), "9H"))
    lesson = real_lesson(photo, Reads(seen((100, 100, 115, 130), "6H", 0.95)), whole_cards=False)
    assert not lesson.patches
    assert len(lesson.boxes) == 1


def test_a_labelled_index_that_was_not_found_has_to_be_found_next_time() -> None:
    photo = picture(((95, 95, 120, 135), "9H"), ((300, 300, 320, 340), "9H"))
    lesson = real_lesson(photo, Reads(seen((100, 100, 115, 130), "9H")), whole_cards=False)
    assert lesson.boxes.tolist() == [[100, 100, 115, 130], [300, 300, 320, 340]]


@pytest.mark.parametrize(("score", "boxes", "patches"), [(0.36, 1, 1), (0.34, 0, 0)])
def test_a_doubtful_find_on_a_card_counts_only_if_it_reads_as_the_card(
    score: float, boxes: int, patches: int
) -> None:
    photo = picture(((80, 80, 300, 400), "KS"))
    other = seen((100, 100, 115, 130), "JC", 0.6, score)
    lesson = real_lesson(photo, Reads(other), whole_cards=True)
    assert (len(lesson.boxes), len(lesson.patches)) == (boxes, patches)
    same = seen((100, 100, 115, 130), "KS", 0.6, score)
    lesson = real_lesson(photo, Reads(same), whole_cards=True)
    assert names(lesson.patches) == [NUMBERS["KS"]]


def test_between_two_cards_the_reading_tells_to_which_a_find_belongs() -> None:
    photo = picture(((80, 80, 300, 400), "KS"), ((90, 90, 320, 420), "2D"))
    lesson = real_lesson(photo, Reads(seen((100, 100, 115, 130), "2D")), whole_cards=True)
    assert names(lesson.patches) == [NUMBERS["2D"]]
    lesson = real_lesson(photo, Reads(seen((100, 100, 115, 130), "5C")), whole_cards=True)
    assert not lesson.patches


def test_windows_hold_the_index_they_were_cut_round() -> None:
    boxes = np.array([[400, 300, 420, 340], [700, 500, 720, 540]], np.float32)
    image = np.zeros((*SIZE, 3), np.uint8)
    for seed in range(20):
        for part, rows in windows(image, boxes, np.random.default_rng(seed)):
            assert part.shape == (*WINDOW, 3)
            assert len(rows) >= 1
            assert set(rows[:, 0]) == {INDEX}
            assert (rows[:, 1:] >= 0).all()
            assert (rows[:, 1:] <= WINDOW[0]).all()
