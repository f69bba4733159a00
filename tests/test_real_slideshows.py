"""Slideshows of real photos: cutting out, dealing, filming and comparing, without the photos."""

from dataclasses import replace
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest

from audit.judge import judge_round
from audit.notation import parse_round
from audit.rulebook_files import rulebook
from audit.table_sheet import plain_sheet
from tests.benchmarks import real_slideshows
from tests.benchmarks.real_cards import SIZE, RealCard, cut_cards, free_part, outline_of, table_of
from tests.benchmarks.real_slideshows import (
    BOOKS,
    ZONES,
    Dealt,
    Slideshow,
    audited,
    baccarat_round,
    blackjack_round,
    compared_with,
    slides,
    table_sheet,
    true_cards,
    write_film,
    write_true_log,
)
from tests.coded_films import CARD, CodedFilm, CodeReader, Laid
from vision import audit_films
from vision.boxes import Image
from vision.card_log import LogRow, read_log
from vision.cards import CARDS
from vision.film_stage import Weights
from vision.footage_truth import Outcome
from vision.labelled_folder import read_labelled_folder

CLOTH = (60, 90, 50)
BLANK = np.full((20, 14, 3), 240, np.uint8)


def _photo(*cards: tuple[tuple[float, float], float]) -> Image:
    """A photo of blank cards of 100 × 140, each with its middle and its lean."""
    image = np.full((480, 640, 3), CLOTH, np.uint8)
    for middle, lean in cards:
        corners = cv2.boxPoints((middle, (100, 140), lean))
        cv2.fillConvexPoly(image, corners.astype(np.int32), (225, 230, 235))
        cv2.polylines(image, [corners.astype(np.int32)], True, (150, 150, 150), 1)  # noqa: FBT003
    return image


def _box(middle: tuple[float, float], lean: float) -> tuple[float, float, float, float]:
    corners = cv2.boxPoints((middle, (100, 140), lean))
    left, top = corners.min(axis=0)
    right, bottom = corners.max(axis=0)
    return float(left), float(top), float(right), float(bottom)


@pytest.mark.parametrize("lean", [0, 20, 45, 80])
def test_a_card_that_lies_apart_is_cut_along_its_outline(lean: float) -> None:
    here, there = (180, 200), (460, 260)
    outline = outline_of(_photo((here, lean), (there, 10)), _box(here, lean), [_box(there, 10)])
    assert outline is not None
    corners = cv2.boxPoints((here, (100, 140), lean))
    assert cv2.contourArea(outline) == pytest.approx(100 * 140, rel=0.05)
    for corner in corners:
        assert cv2.pointPolygonTest(outline, corner.tolist(), measureDist=True) > -5


@pytest.mark.parametrize("other", [(225, 265), (275, 200), (180, 320)])
def test_a_card_that_is_covered_or_touched_is_left(other: tuple[float, float]) -> None:
    here = (180, 200)
    photo = _photo((here, 0), (other, 0))
    assert outline_of(photo, _box(here, 0), [_box(other, 0)]) is None


def test_a_box_without_a_card_has_no_outline() -> None:
    assert outline_of(_photo(((180, 200), 0)), (400, 200, 500, 340), []) is None


def test_cards_of_a_labelled_folder_have_their_names_and_show_no_ground(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    cv2.imwrite(str(tmp_path / "images" / "one.png"), _photo(((180, 200), 30), ((450, 200), 0)))
    rows = ["image,rank,xmin,ymin,xmax,ymax"]
    for rank, box in (("K", _box((180, 200), 30)), ("9", _box((450, 200), 0))):
        rows.append(",".join(["one.png", rank, *map(str, box)]))
    (tmp_path / "labels.csv").write_text("\n".join(rows), "utf-8")
    cards = cut_cards(read_labelled_folder(tmp_path))
    assert [card.name for card in cards] == ["K", "9"]
    for card in cards:
        assert card.length == pytest.approx(140, abs=5)
        assert card.picture[card.inside > 0].min() > 100


def test_the_ground_is_the_part_of_a_photo_that_touches_no_card() -> None:
    boxes = [(300.0, 100.0, 400.0, 240.0), (420.0, 180.0, 560.0, 280.0)]
    assert free_part((640, 480), boxes) == (0, 248, 412, 480)
    assert free_part((640, 480), [(0.0, 0.0, 640.0, 480.0)]) == (0, 0, 0, 0)
    assert free_part((640, 480), []) == (0, 0, 640, 480)


@pytest.mark.parametrize("size", [(400, 160), (230, 300), (640, 360)])
def test_a_table_fills_the_frame_with_its_ground(size: tuple[int, int]) -> None:
    ground = np.random.default_rng(1).integers(40, 200, (size[1], size[0], 3), np.uint8)
    table = table_of(ground)
    assert table.shape == (SIZE[1], SIZE[0], 3)
    assert np.array_equal(table, table[:, ::-1])
    assert np.array_equal(table, table[::-1])


def _stack(seed: int, ranks: str = "A23456789TJQK") -> list[RealCard]:
    names = [card for card in CARDS if card[0] in ranks] * 2
    Random(seed).shuffle(names)  # noqa: S311
    inside = np.full(BLANK.shape[:2], 255, np.uint8)
    return [RealCard(name, BLANK, inside, 20.0) for name in names]


def _line(dealt: tuple[Dealt, ...], labels: dict[str, str]) -> str:
    """The notation numbers each card, so that its order is judged too."""
    return " / ".join(
        " ".join(
            [label, *(f"{e.card.name}#{seq}" for seq, e in enumerate(dealt, 1) if e.hand == hand)]
        )
        for hand, label in labels.items()
    )


@pytest.mark.parametrize("ranks", ["A23456789TJQK", "9TJQKA"])
@pytest.mark.parametrize(
    ("game", "labels"),
    [
        ("baccarat", {"player": "P", "banker": "B"}),
        ("blackjack", {"box1": "1", "box2": "2", "box3": "3", "dealer": "D"}),
    ],
)
def test_every_round_is_dealt_by_the_rules(game: str, labels: dict[str, str], ranks: str) -> None:
    deal = baccarat_round if game == "baccarat" else blackjack_round
    book, sheet = rulebook(BOOKS[game]), replace(plain_sheet(BOOKS[game]), burn=0)
    lengths = set()
    for seed in range(150):
        dealt = deal(_stack(seed, ranks))
        lengths.add(len(dealt))
        found = judge_round(parse_round(_line(dealt, labels)), book, sheet)
        assert not found, (_line(dealt, labels), found)
    assert len(lengths) > 1


def _coded_card(name: str) -> RealCard:
    film = CodedFilm((Laid(name, 100, 100, 0.0, 1.0),), 1.0)
    face = film.frame(0.5)[100 : 100 + CARD[1], 100 : 100 + CARD[0]]
    return RealCard(name, face.copy(), np.full(face.shape[:2], 255, np.uint8), float(CARD[1]))


def _coded_show(*rounds: str) -> Slideshow:
    """Rounds of baccarat in cards of cells, like `2H KS 3D 3S 8C` in the order dealt."""
    hands = ("player", "banker", "player", "banker", "player", "banker")
    table = np.full((SIZE[1], SIZE[0], 3), CLOTH, np.uint8)
    table[::40] = 40
    dealt = tuple(
        tuple(
            Dealt(_coded_card(name), hand) for name, hand in zip(line.split(), hands, strict=False)
        )
        for line in rounds
    )
    return Slideshow(7, "baccarat", "phone_photos", table, CARD[1], 1.05, dealt)


def test_each_slide_lays_one_card_in_its_zone_and_the_last_is_the_bare_table() -> None:
    show = _coded_show("2H KS 3D 3S 8C")
    pictures = [picture for picture, _ in slides(show)]
    assert np.array_equal(pictures[0], show.table)
    assert np.array_equal(pictures[-1], show.table)
    for before, after, dealt in zip(pictures, pictures[1:], show.rounds[0], strict=False):
        down, across = np.nonzero((before != after).any(axis=2))
        left, top, right, bottom = ZONES["baccarat"][dealt.hand]
        assert left <= across.min() <= across.max() < right
        assert top <= down.min() <= down.max() < bottom
        assert (int(np.ptp(across)) + 1, int(np.ptp(down)) + 1) == CARD


@pytest.mark.parametrize("game", sorted(ZONES))
def test_many_cards_of_a_hand_stay_in_its_zone(game: str) -> None:
    (hand, (left, top, right, bottom)), *_ = ZONES[game].items()
    size = real_slideshows.LENGTHS[game][1]
    cards = [replace(card, length=BLANK.shape[0] / 1.2) for card in _stack(1)[:6]]
    table = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
    dealt = tuple(Dealt(card, hand) for card in cards)
    show = Slideshow(1, game, "rank_photos", table, size, 1.1, (dealt,))
    full = [picture for picture, _ in slides(show)][-2]
    down, across = np.nonzero(full.any(axis=2))
    assert left - 10 <= across.min() <= across.max() < right + 10
    assert top - 10 <= down.min() <= down.max() < bottom + 10


def _row(seq: int, card: str, hand: str) -> LogRow:
    return LogRow(1, seq, card, hand, 0.99, "", 1.0, "film.mp4", 1.0, 2.0, (0, 0, 9, 9))


def test_where_only_ranks_are_known_a_card_is_right_by_its_rank() -> None:
    show = _coded_show("9H KS KD 2S")
    ranks = tuple(
        Dealt(replace(dealt.card, name=dealt.card.name[0]), dealt.hand) for dealt in show.rounds[0]
    )
    hands = [dealt.hand for dealt in ranks]
    read = ["9C", "QS", "??", "2D"]
    rows = [_row(*each) for each in zip(range(1, 5), read, hands, strict=True)]
    by_rank = compared_with(replace(show, rounds=(ranks,)), rows)
    outcomes = [card.outcome for card in by_rank.cards]
    assert outcomes == [Outcome.RIGHT, Outcome.MISREAD, Outcome.UNSURE, Outcome.RIGHT]
    by_card = compared_with(show, rows)
    assert by_card.right == 0


@pytest.fixture
def _code_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_films, "load_weights", lambda *_: Weights(CodeReader(), "cells"))


@pytest.mark.usefixtures("_code_reader")
def test_a_slideshow_is_filmed_read_audited_and_compared(tmp_path: Path) -> None:
    show = _coded_show("2H KS 3D 3S 8C")
    film = tmp_path / f"{show.name}.mp4"
    length_s = write_film(film, show)
    assert length_s == pytest.approx(sum(seconds for _, seconds in slides(show)), abs=0.2)
    (tmp_path / "table.toml").write_text(table_sheet(show), "utf-8")
    found = audited([film, tmp_path / "table.toml"], tmp_path / "read.duckdb")
    (log,) = (tmp_path / "read.duckdb.footage").glob("*.csv")
    compared = compared_with(show, read_log(log))
    assert compared.right == compared.dealt == 5, compared.faults
    assert compared.rounds_right == 1
    assert not found


def test_a_round_against_the_rules_is_found_in_the_log_of_what_was_dealt(tmp_path: Path) -> None:
    show = _coded_show("2H KS 3D 7S")
    write_true_log(tmp_path / "dealt.csv", show)
    (tmp_path / "table.toml").write_text(table_sheet(show), "utf-8")
    (found,) = audited([tmp_path / "dealt.csv", tmp_path / "table.toml"], tmp_path / "dealt.duckdb")
    assert (found.code, found.severity, found.round) == ("DRW001", "violation", 1)
    assert len(true_cards(show)) == 4
