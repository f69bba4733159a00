"""Reading a picture: what is found, cut out, read, and joined to cards."""

from pathlib import Path

import numpy as np
import pytest

from tests.told_networks import Told, at, finds, grey, turner
from vision.boxes import (
    USUAL_INDEX_SHAPE,
)
from vision.card_reader import (
    BadPicture,
    CardReader,
    IndexSeen,
    joined_card,
    read_image,
)
from vision.cards import CARDS, NUMBERS
from vision.finder import BACK, Finder, decode
from vision.index_belief import Belief
from vision.index_crops import (
    CROP_MARGIN,
    CROP_SIDE,
    EXAMINED_SIDE,
    FACE_SIDE,
    crop,
    map_as_it_lies,
    map_upright,
)
from vision.index_reader import IndexReader, Weighing, softmax
from vision.index_turner import STEPS
from vision.model_files import BadModel, FinderFile
from vision.second_looks import examiner, surveyor

FELT = (60, 92, 30)

UPRIGHT = np.zeros(1, np.float32)


# Cutting out


@pytest.mark.parametrize("size", [9, 24, 42, 43, 60, 200])
def test_an_index_is_cut_out_in_the_middle_and_with_its_surroundings(size: int) -> None:
    image = grey(640, 480)
    image[100 : 100 + size, 300 : 300 + size] = 255
    seen = crop(image, map_as_it_lies((300, 100, 300 + size, 100 + size)))
    assert seen.shape == (CROP_SIDE, CROP_SIDE, 3)
    bright = seen[..., 0] > 190
    assert bright.mean() == pytest.approx(1 / CROP_MARGIN**2, abs=0.05)
    middle = np.argwhere(bright).mean(axis=0)
    assert middle.tolist() == pytest.approx([CROP_SIDE / 2 - 0.5] * 2, abs=0.6)


def test_a_narrow_index_keeps_its_shape() -> None:
    image = grey(200, 200)
    image[80:120, 90:110] = 0
    dark = crop(image, map_as_it_lies((90, 80, 110, 120)))[..., 0] < 64
    assert dark.any(axis=1).sum() == pytest.approx(2 * dark.any(axis=0).sum(), abs=2)


@pytest.mark.parametrize("size", [20, 90])
@pytest.mark.parametrize("corner", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_beyond_the_border_the_outermost_pixels_go_on(size: int, corner: tuple[int, int]) -> None:
    image = grey(300, 200)
    left = -size // 2 if corner[0] == 0 else 300 - size // 2
    top = -size // 2 if corner[1] == 0 else 200 - size // 2
    seen = crop(image, map_as_it_lies((left, top, left + size, top + size)))
    assert (seen == 128).all()


def test_what_is_shrunk_is_averaged() -> None:
    image = np.zeros((600, 600, 3), dtype=np.uint8)
    image[::2] = 255
    seen = crop(image, map_as_it_lies((150, 150, 450, 450)))
    assert np.abs(seen.astype(int) - 127).max() < 40


# Finding


def test_every_cell_of_a_yolo_and_its_finished_finds_mean_the_same() -> None:
    cells = np.zeros((1, 6, 21), dtype=np.float32)
    cells[0, :, 0] = (50, 40, 20, 30, 0.9, 0.1)
    cells[0, :, 1] = (150, 140, 60, 80, 0.2, 0.7)
    rows = decode(cells)
    assert rows[0].tolist() == pytest.approx([40, 25, 60, 55, 0.9, 0])
    assert rows[1].tolist() == pytest.approx([120, 100, 180, 180, 0.7, BACK])
    assert decode(rows[None, :2]).tolist() == rows[:2].tolist()


def test_what_is_no_yolo_is_refused() -> None:
    with pytest.raises(BadModel, match=r"\(1, 84, 21\)"):
        decode(np.zeros((1, 84, 21), dtype=np.float32))


def test_a_picture_is_looked_at_as_it_is_and_filled_up() -> None:
    network = Told(finds((10, 20, 30, 50, 0.9, 0)))
    image = grey(1280, 720)
    image[..., 2] = 255
    found = Finder(network, FinderFile("", "")).find(image)
    (given,) = network.given
    assert given.shape == (1, 3, 736, 1280)
    assert given[0, :, 0, 0].tolist() == pytest.approx([1, 128 / 255, 128 / 255])
    assert given[0, :, 735, 0].tolist() == pytest.approx([114 / 255] * 3)
    assert found.indexes.tolist() == [[10, 20, 30, 50]]


def test_a_large_picture_is_shrunk_and_its_finds_are_put_back() -> None:
    network = Told(finds((100, 200, 120, 230, 0.9, 0)))
    found = Finder(network, FinderFile("", "")).find(grey(3200, 2400))
    assert network.given[0].shape == (1, 3, 1216, 1600)
    assert found.indexes.tolist() == [[200, 400, 240, 460]]


def test_very_tall_indexes_ask_for_a_second_look() -> None:
    tall = finds((100, 100, 190, 240, 0.6, 0))
    again = finds((24, 24, 46, 58, 0.9, 0))
    network = Told(tall, again)
    found = Finder(network, FinderFile("", "")).find(grey(1280, 720))
    assert len(network.given) == 2
    assert max(network.given[1].shape[2:]) < 400
    assert len(found.indexes) == 1
    assert found.index_scores.tolist() == pytest.approx([0.9])


def test_a_small_picture_is_looked_at_enlarged_as_well() -> None:
    network = Told(finds())
    found = Finder(network, FinderFile("", "")).find(grey(416, 416))
    assert [given.shape[2] for given in network.given] == [416, 832]
    assert found.indexes.shape == (0, 4)


def test_indexes_at_the_border_are_kept_and_doubtful_backs_are_not() -> None:
    network = Told(
        finds(
            (-4, -2, 12, 20, 0.7, 0),
            (1270, 700, 1290, 730, 0.7, 0),
            (300, 300, 380, 420, 0.4, BACK),
            (600, 300, 680, 420, 0.6, BACK),
            (800, 300, 820, 330, 0.2, 0),
            (1290, 300, 1300, 330, 0.9, 0),
        )
    )
    found = Finder(network, FinderFile("", "")).find(grey(1280, 720))
    assert sorted(found.indexes.tolist()) == [[0, 0, 12, 20], [1270, 700, 1280, 720]]
    assert found.backs.tolist() == [[600, 300, 680, 420]]


@pytest.mark.parametrize(
    ("score", "again", "box", "told"),
    [
        (0.3, (88, 79, 108, 113, 0.8, 0), (102, 100, 122, 134), 0.567),
        (0.3, (88, 79, 108, 113, 0.25, 0), (100, 100, 120, 134), 0.274),
        (0.3, (88, 79, 108, 113, 0.8, BACK), (100, 100, 120, 134), 0.086),
        (0.3, (20, 20, 40, 54, 0.8, 0), (100, 100, 120, 134), 0.086),
        (0.59, (88, 79, 108, 113, 0.9, 0), (102, 100, 122, 134), 0.783),
    ],
)
def test_what_is_doubtful_is_looked_at_again_by_itself(
    score: float, again: tuple[float, ...], box: tuple[float, ...], told: float
) -> None:
    network = Told(finds((100, 100, 120, 134, score, 0), (9, 9, 30, 40, 0.6, 0)), finds(again))
    found = Finder(network, FinderFile("", "", threshold=0.08)).find(grey(640, 480))
    assert [given.shape[2:] for given in network.given] == [(480, 640), (192, 192)]
    of_it = found.indexes[:, 0].argmax()
    assert found.indexes[of_it].tolist() == pytest.approx(box)
    assert found.index_scores[of_it] == pytest.approx(told, abs=5e-4)
    assert found.index_scores.tolist() == sorted(found.index_scores, reverse=True)


@pytest.mark.parametrize(("threshold", "found"), [(0.56, 2), (0.57, 1)])
def test_what_both_looks_together_do_not_believe_is_not_found(threshold: float, found: int) -> None:
    rows = finds((100, 100, 120, 134, 0.3, 0), (9, 9, 30, 40, 0.6, 0))
    network = Told(rows, finds((88, 79, 108, 113, 0.8, 0)))
    finder = Finder(network, FinderFile("", "", threshold))
    assert len(finder.find(grey(640, 480)).indexes) == found


@pytest.mark.parametrize(("score", "looks"), [(0.061, 2), (0.059, 1), (0.599, 2), (0.6, 1)])
def test_neither_what_is_sure_nor_what_is_nothing_is_looked_at_again(
    score: float, looks: int
) -> None:
    network = Told(finds((100, 100, 120, 134, score, 0)), finds())
    Finder(network, FinderFile("", "")).find(grey(640, 480))
    assert len(network.given) == looks


def test_what_is_small_is_enlarged_when_it_is_looked_at_again_and_what_is_tall_is_shrunk() -> None:
    image = grey(640, 480)
    image[100:117, 100:110] = 255  # a light square where the find is
    image[200:268, 300:340] = 255
    rows = finds((100, 100, 110, 117, 0.4, 0), (300, 200, 340, 268, 0.3, 0))
    network = Told(rows, finds())
    Finder(network, FinderFile("", "")).find(image, (1.0,))
    for given in network.given[1:]:
        light = np.argwhere(given[0, 0] > 0.9)
        assert np.ptp(light[:, 0]) == pytest.approx(33, abs=2)
        assert light.mean(axis=0).tolist() == pytest.approx([95.5, 95.5], abs=1)


# Reading


@pytest.mark.parametrize("size", [12, 40, 200])
@pytest.mark.parametrize("leaning", [0, 25, 90, 180, -135])
def test_an_index_is_turned_upright_before_it_is_read(leaning: float, size: int) -> None:
    """Bright above its middle and dark below, as it stands: so is what the reader is given."""
    network = Told(np.zeros((1, 53), dtype=np.float32))
    rows, columns = np.mgrid[:400, :400] - 199.5
    turn = np.radians(leaning)
    above = columns * np.sin(turn) - rows * np.cos(turn)
    image = np.repeat(np.where(above > 0, 255, 0)[..., None], 3, axis=2).astype(np.uint8)
    box = np.array([[200 - size / 2, 200 - size / 2, 200 + size / 2, 200 + size / 2]], np.float32)
    IndexReader(network).read(image, box, np.array([leaning], np.float32))
    seen = network.given[0][0, 0]
    assert seen[: CROP_SIDE // 2 - 4].min() > 0.9
    assert seen[CROP_SIDE // 2 + 4 :].max() < 0.1


def test_an_upright_square_is_as_large_whatever_the_lean() -> None:
    """The box round a leaning index is larger than the index; the square takes no notice."""
    for leaning in (0, 30, 45, 80):
        turn = np.radians(leaning)
        wide = 40 / 1.9 * np.cos(turn) + 40 * np.sin(turn)
        tall = 40 / 1.9 * np.sin(turn) + 40 * np.cos(turn)
        placed = map_upright((0, 0, wide, tall), leaning)
        assert np.hypot(placed[0, 0], placed[1, 0]) * CROP_SIDE == pytest.approx(80)


def test_in_a_part_of_a_picture_is_found_what_is_there_and_read_with_what_lies_round_it() -> None:
    image = grey(640, 480)
    image[:, :300] = 255
    finder_network, reader_network = Told(finds((10, 20, 30, 60, 0.9, 0))), Told(at("7C"))
    finder = Finder(finder_network, FinderFile("", ""))
    reader = CardReader(finder, turner(0), IndexReader(reader_network))
    (card,) = reader.read(image, (1.0,), (300, 96, 460, 224)).cards
    assert finder_network.given[0].shape == (1, 3, 128, 160)
    assert finder_network.given[0].max() < 0.6
    assert card.box == pytest.approx((310, 116, 330, 156))
    assert reader_network.given[0].max() > 0.9


def test_the_temperature_makes_a_reading_humbler() -> None:
    logits = np.zeros((1, 53), dtype=np.float32)
    logits[0, NUMBERS["TD"]] = 8
    boxes = np.array([[10, 10, 30, 40]], dtype=np.float32)
    sure = IndexReader(Told(logits)).read(grey(100, 100), boxes, UPRIGHT)
    humble = IndexReader(Told(logits), weighing=Weighing(temperature=2)).read(
        grey(100, 100), boxes, UPRIGHT
    )
    assert sure.sum() == pytest.approx(1)
    assert CARDS[int(humble.argmax())] == "TD"
    assert sure[0, NUMBERS["TD"]] > humble[0, NUMBERS["TD"]] > 0.4


def test_more_of_what_surrounds_an_index_is_looked_at_where_it_is_in_doubt() -> None:
    read, examined = np.zeros((2, 53), np.float32), np.zeros((1, 53), np.float32)
    read[0, NUMBERS["KH"]] = 20
    read[1, [NUMBERS["7S"], NUMBERS["7C"]]] = 12, 11
    examined[0, NUMBERS["7C"]] = 9
    network = Told(examined)
    boxes = np.array([[10, 10, 20, 30], [100, 60, 110, 80]], np.float32)
    image = grey(300, 300)
    image[92:] = 255  # farther below the second index than the reader sees
    reader = IndexReader(Told(read), [examiner(network)])
    said = reader.read(image, boxes, np.zeros(2, np.float32))
    assert [CARDS[int(each.argmax())] for each in said] == ["KH", "7C"]
    (given,) = network.given
    assert given.shape == (1, 3, EXAMINED_SIDE, EXAMINED_SIDE)
    assert given[0, :, : EXAMINED_SIDE * 3 // 4].max() < 0.6
    assert given[0, :, -2:].min() > 0.9


def test_what_is_said_at_second_looks_weighs_as_it_is_told_to() -> None:
    read, first, second = (np.zeros((1, 53), np.float32) for _ in range(3))
    read[0, 0] = read[0, 1] = 2
    first[0, 0], second[0, 1] = 3, 3
    box = np.array([[10, 10, 20, 30]], np.float32)
    for weights, likeliest in (((1, 0.6, 0.4), 0), ((1, 0.4, 0.6), 1)):
        looks = [examiner(Told(first)), surveyor(Told(second))]
        said = IndexReader(Told(read), looks, Weighing(weights=weights)).read(
            grey(50, 50), box, UPRIGHT
        )
        assert int(said.argmax()) == likeliest
        assert said[0, 0] / said[0, 1] == pytest.approx(
            np.exp(3 * (weights[1] - weights[2])), rel=1e-4
        )


def test_the_card_is_looked_at_where_its_index_is_in_doubt() -> None:
    """Of two indexes the second may be of spades or of clubs; its card says which."""
    read = np.zeros((2, 53), np.float32)
    read[0, NUMBERS["KH"]] = 20
    read[1, [NUMBERS["7S"], NUMBERS["7C"]]] = 12, 11
    surveyed = np.zeros((1, 53), np.float32)
    surveyed[0, NUMBERS["7C"]] = 9
    network = Told(surveyed)
    boxes = np.array([[10, 10, 20, 30], [100, 60, 110, 80]], np.float32)
    image = grey(300, 300)
    image[110:] = 255  # only far below the second index
    reader = IndexReader(Told(read), [surveyor(network)])
    said = reader.read(image, boxes, np.zeros(2, np.float32))
    assert [CARDS[int(each.argmax())] for each in said] == ["KH", "7C"]
    assert said.sum(axis=1).tolist() == pytest.approx([1, 1])
    (given,) = network.given
    assert given.shape == (1, 3, FACE_SIDE, FACE_SIDE)
    assert given[0, :, : FACE_SIDE // 3].max() < 0.6
    assert given[0, :, -FACE_SIDE // 3 :].min() > 0.9


@pytest.mark.parametrize(("tall", "times"), [(12.4, 0), (12.6, 1)])
def test_what_is_far_too_small_is_not_looked_at_again(tall: float, times: int) -> None:
    network = Told(np.zeros((1, 53), np.float32))
    box = np.array([[10, 10, 10 + tall / USUAL_INDEX_SHAPE, 10 + tall]], np.float32)
    reader = IndexReader(Told(np.zeros((1, 53), np.float32)), [surveyor(network)])
    reader.read(grey(50, 50), box, UPRIGHT)
    assert len(network.given) == times


def test_what_surely_cannot_be_read_is_not_looked_at_again() -> None:
    read = np.zeros((1, 53), np.float32)
    read[0, 52] = 9
    network = Told()
    box = np.array([[10, 10, 20, 30]], np.float32)
    IndexReader(Told(read), [surveyor(network)]).read(grey(50, 50), box, UPRIGHT)
    assert not network.given


def test_the_reader_is_given_red_first() -> None:
    network = Told(np.zeros((1, 53), dtype=np.float32))
    image = np.zeros((50, 50, 3), dtype=np.uint8)
    image[..., 2] = 255
    IndexReader(network).read(image, np.array([[10, 10, 30, 40]], dtype=np.float32), UPRIGHT)
    assert network.given[0].shape == (1, 3, CROP_SIDE, CROP_SIDE)
    assert network.given[0][0, :, 32, 32].tolist() == [1, 0, 0]


def test_where_nothing_is_found_nothing_is_read() -> None:
    network = Told()
    nothing = np.zeros((0, 4), np.float32), np.zeros(0, np.float32)
    assert IndexReader(network).read(grey(50, 50), *nothing).shape == (0, 53)
    assert not network.given


def test_a_reader_of_another_size_is_refused() -> None:
    network = Told()
    network.input_shape = (None, 3, 48, 48)
    with pytest.raises(BadModel, match="48 pixels, cut are 64"):
        IndexReader(network)


def test_probabilities_of_extreme_logits_are_still_probabilities() -> None:
    assert softmax(np.array([[1000, 0], [-1000, -1000]], np.float32)).tolist() == [
        [1, 0],
        [0.5, 0.5],
    ]


def seen(card: str, probability: float, readable: float = 1.0) -> IndexSeen:
    each = np.full(52, (1 - probability) / 51, dtype=np.float32)
    each[NUMBERS[card]] = probability
    return IndexSeen((0, 0, 10, 20), 0.9, readable, each, 20)


def test_two_doubtful_indexes_of_a_card_make_a_surer_one() -> None:
    card = joined_card([seen("6H", 0.8), seen("6H", 0.7)])
    assert card.card == "6H"
    assert card.certainty > 0.99


def test_a_sure_index_cannot_rule_out_what_another_reads() -> None:
    card = joined_card([seen("6H", 1.0), seen("9H", 1.0)])
    assert card.certainty == pytest.approx(0.5, abs=0.02)


def test_an_index_of_less_than_14_pixels_is_said_to_be_too_small() -> None:
    boxes = finds((10, 20, 17, 33, 0.9, 0), (100, 20, 108, 35, 0.8, 0))
    logits = np.zeros((2, 53), dtype=np.float32)
    logits[:, [NUMBERS["AS"], NUMBERS["2S"]]] = np.diag([20, 20])
    finder = Finder(Told(boxes), FinderFile("", ""))
    reader = CardReader(finder, turner(0, 0), IndexReader(Told(logits)))
    small, large = reader.read(grey(640, 480)).cards
    assert (small.card, small.too_small) == ("AS", True)
    assert (large.card, large.too_small) == ("2S", False)


def test_what_cannot_be_read_is_kept_apart() -> None:
    logits = np.zeros((1, 53), dtype=np.float32)
    logits[0, 52] = 9
    finder = Finder(Told(finds((10, 20, 30, 60, 0.9, 0))), FinderFile("", ""))
    reading = CardReader(finder, turner(0), IndexReader(Told(logits))).read(grey(640, 480))
    assert not reading.cards
    assert len(reading.unreadable) == 1


@pytest.mark.parametrize(
    ("score", "other", "read"), [(0.8, "7S", 2), (0.8, "3H", 0), (0.6, "7S", 0), (0.95, "3H", 2)]
)
def test_two_doubtful_finds_that_lie_and_read_as_on_one_card_speak_for_each_other(
    score: float, other: str, read: int
) -> None:
    """Each alone is believed from 0.88 on, both together if their odds multiply to as much."""
    image = grey(640, 480)
    image[100:250, 100:208] = 255
    for left, top in ((108, 106), (180, 204)):
        image[top : top + 40, left : left + 20] = 40
        image[top + 12 : top + 40, left + 6 : left + 14] = 255
    image[204:244, 180:200] = image[106:146, 108:128][::-1, ::-1]
    boxes = finds((108, 106, 128, 146, score, 0), (180, 204, 200, 244, score, 0))
    logits = np.zeros((2, 53), np.float32)
    logits[0, NUMBERS["7S"]] = logits[1, NUMBERS[other]] = 20
    reader = CardReader(
        Finder(Told(boxes), FinderFile("", "")),
        turner(0, STEPS // 2),
        IndexReader(Told(logits)),
        belief=Belief(4.0, 0.0, 0.0, 2.3),
        believed=0.88,
    )
    reading = reader.read(image)
    assert (len(reading.indexes), len(reading.unreadable)) == (read, 2 - read)


def test_a_broken_picture_is_refused_by_name(tmp_path: Path) -> None:
    for name, content in (("empty.jpg", b""), ("text.png", b"no picture")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BadPicture, match=name):
            read_image(tmp_path / name)
    with pytest.raises(BadPicture, match="cannot be read"):
        read_image(tmp_path / "gone.jpg")
