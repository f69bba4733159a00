"""Films that we draw: what is in the picture is what the truth says, and the file holds it all."""

import csv
import hashlib
import json
import tomllib
from collections import Counter
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.synthetic.film_files import write_film
from vision.synthetic.film_motion import Move, Pose
from vision.synthetic.film_scripts import (
    BadScript,
    Deal,
    Peek,
    RoundScript,
    Settle,
    Split,
    TurnUp,
    baccarat_script,
    blackjack_script,
    box_of,
    check_script,
    with_burn,
)
from vision.synthetic.film_tables import LEAST_INDEX, smallest_index, zones_in_picture
from vision.synthetic.film_truth import CardTruth, FilmTruth, Sheet, truth_of, write_film_folder
from vision.synthetic.films import Film, exact_rate, frame_times, make_film
from vision.synthetic.tables import Table

COUP = with_burn(
    baccarat_script("P 2H 3D 8C / B KS 3S 4D", says="player"), ["5H", "9C"], first_shown=True
)
SQUEEZED = baccarat_script("P 9H KD / B QS 3S", number=2, face_down=True, squeezed=True, swept=True)
ROUND = blackjack_script(
    "1 8H 8S split 3D double TC / 1.2 TC stand / 2 TH 9C stand / 3 5D 2C hit 4H / D 7C 2D TH",
    pays={"box1": True, "box2": False},
)
WITH_HOLE_CARD = blackjack_script("1 AH 8S stand / D AC 9D", number=2, hole_card=True)
SHEET = Sheet(
    "BAC-1",
    "mbs-fortune-six-baccarat-v6",
    datetime(2026, 3, 2, tzinfo=timezone(timedelta(hours=8))),
)


@pytest.fixture(scope="module")
def baccarat() -> Film:
    return make_film(31, [COUP, SQUEEZED])


@pytest.fixture(scope="module")
def small() -> Film:
    """What is only encoded need not be read."""
    return make_film(31, [COUP], size=(640, 360))


@pytest.fixture(scope="module")
def blackjack() -> Film:
    return make_film(12, [ROUND, WITH_HOLE_CARD])


def _all_dealt(truth: FilmTruth, number: int) -> float:
    """A moment at which all cards of a round lie there and the dealer's hands are away."""
    lying = [card for card in truth.cards if card.round == number and card.hand != "burn"]
    return min(card.cleared_s for card in lying) - 0.7


def _flat(table: Table, frame: NDArray[np.uint8], outline: object) -> NDArray[np.float32]:
    """What the frame shows within an outline, as if the card lay before us."""
    height, width = table.deck.shape.shape
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    to_face = cv2.getPerspectiveTransform(np.asarray(outline, np.float32), corners)
    seen = cv2.warpPerspective(frame, to_face, (width, height), flags=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(seen, cv2.COLOR_BGR2GRAY), np.float32)


def _likeness(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    return float(np.corrcoef(one.ravel(), other.ravel())[0, 1])


@pytest.mark.parametrize("name", ["baccarat", "blackjack"])
def test_what_lies_where_the_truth_says_is_that_card(
    name: str, request: pytest.FixtureRequest
) -> None:
    film: Film = request.getfixturevalue(name)
    truth = truth_of(film)
    time = _all_dealt(truth, 1)
    lying = [card for card in truth.cards if card.round == 1 and card.hand != "burn"]
    covered = film.labels(time)
    frame = film.frame(time)
    faces = {
        card: cv2.cvtColor(film.table.deck.face(card).image, cv2.COLOR_BGR2GRAY).astype(np.float32)
        for card in {each.card for each in lying}
    }
    compared = 0
    for card in lying:
        outline = np.array(card.places[-1].outline)
        drawn = min(covered.cards, key=lambda each: float(np.abs(each.outline - outline).max()))
        assert np.abs(drawn.outline - outline).max() < 0.6
        assert drawn.card == card.card
        if drawn.visible < 0.95:
            continue
        seen = _flat(film.table, frame, outline)
        likeness = {face: _likeness(seen, picture) for face, picture in faces.items()}
        assert max(likeness, key=lambda face: likeness[face]) == card.card
        compared += 1
    assert compared >= 3


@pytest.mark.parametrize("name", ["baccarat", "blackjack"])
def test_every_card_of_the_script_is_in_the_truth_once(
    name: str, request: pytest.FixtureRequest
) -> None:
    film: Film = request.getfixturevalue(name)
    truth = truth_of(film)
    scripts = {"baccarat": (COUP, SQUEEZED), "blackjack": (ROUND, WITH_HOLE_CARD)}[name]
    dealt = [(script.number, step.card, step.hand) for script in scripts for step in script.cards()]
    assert [(card.round, card.card, card.hand) for card in truth.cards] == dealt
    assert [card.seq for card in truth.cards] == list(range(1, len(dealt) + 1))
    held = Counter(card.hand for card in truth.cards if card.round == 1)
    assert [card.order for card in truth.cards if card.round == 1 and card.hand == "box3"] == list(
        range(1, held["box3"] + 1)
    )


@pytest.mark.parametrize("name", ["baccarat", "blackjack"])
def test_times_ascend(name: str, request: pytest.FixtureRequest) -> None:
    truth = truth_of(request.getfixturevalue(name))
    left = [card.left_shoe_s for card in truth.cards]
    assert left == sorted(left)
    for card in truth.cards:
        times = [card.left_shoe_s]
        for place in card.places:
            times += [place.start_s, place.end_s]
        times.append(card.cleared_s)
        assert times == sorted(times)
    for earlier, later in zip(truth.rounds, truth.rounds[1:], strict=False):
        assert earlier.start_s < earlier.first_card_s < earlier.end_s <= later.start_s
    assert truth.rounds[-1].end_s <= truth.length_s


def _holds(polygon: NDArray[np.float64], x: float, y: float) -> bool:
    return cv2.pointPolygonTest(polygon.astype(np.float32), (x, y), measureDist=False) >= 0


@pytest.mark.parametrize("name", ["baccarat", "blackjack"])
def test_cards_lie_in_the_zone_of_their_hand_and_in_no_other(
    name: str, request: pytest.FixtureRequest
) -> None:
    film: Film = request.getfixturevalue(name)
    zones = zones_in_picture(film.table)
    for card in truth_of(film).cards:
        for place in card.places:
            x, y = np.mean(place.outline, axis=0)
            inside = [
                zone for zone, polygon in zones.items() if _holds(polygon, float(x), float(y))
            ]
            assert inside == ([] if place.hand == "burn" else [box_of(place.hand)])


def test_every_card_shows_an_index_that_can_be_read(blackjack: Film) -> None:
    assert smallest_index(blackjack.table) >= LEAST_INDEX
    picture = blackjack.labels(_all_dealt(truth_of(blackjack), 1))
    best: dict[int, float] = {}
    owner = -1
    left_of_owner = 0
    for index in picture.indexes:
        if not left_of_owner:
            owner += 1
            left_of_owner = len(blackjack.table.deck.face(index.card).indexes)
        best[owner] = max(best.get(owner, 0.0), index.visible)
        left_of_owner -= 1
    assert len(best) == len(picture.cards)
    assert min(best.values()) > 0.8


def _one(truth: FilmTruth, number: int, hand: str, order: int) -> CardTruth:
    return next(
        card for card in truth.cards if (card.round, card.hand, card.order) == (number, hand, order)
    )


def test_a_hole_card_is_seen_when_it_is_turned(blackjack: Film) -> None:
    card = _one(truth_of(blackjack), 2, "dealer", 2)
    assert card.laid_s is not None
    assert card.at_s is not None
    assert card.turned_s == card.at_s > card.laid_s + 1
    assert [place.face_up for place in card.places] == [False, False, True]  # a peek between
    assert card.card not in {each.card for each in blackjack.labels(card.at_s - 0.6).cards}
    assert card.card in {each.card for each in blackjack.labels(card.at_s + 0.01).cards}


def test_a_split_card_keeps_the_hand_it_was_dealt_to(blackjack: Film) -> None:
    card = _one(truth_of(blackjack), 1, "box1", 2)
    assert (card.card, card.hand, card.last_hand) == ("8S", "box1", "box1.2")
    assert [place.hand for place in card.places] == ["box1", "box1.2"]


def test_a_third_card_lies_across(baccarat: Film) -> None:
    truth = truth_of(baccarat)
    second, third = (_one(truth, 1, "player", order).places[-1].outline for order in (2, 3))
    upright, across = (np.subtract(outline[1], outline[0]) for outline in (second, third))
    cosine = upright @ across / np.linalg.norm(upright) / np.linalg.norm(across)
    assert abs(cosine) < 0.75  # a right angle, seen from a corner of the table


def _hashes(film: Film) -> list[str]:
    return [
        hashlib.sha256(film.frame(time).tobytes()).hexdigest() for time in (0.5, 7.3, 8.0, 12.0)
    ]


def test_the_same_seed_draws_the_same_frames(baccarat: Film) -> None:
    again = make_film(31, [COUP, SQUEEZED])
    again.frame(3.0)  # the order in which frames are asked for changes nothing
    assert _hashes(again) == _hashes(baccarat)
    assert truth_of(again) == truth_of(baccarat)
    assert _hashes(make_film(32, [COUP, SQUEEZED])) != _hashes(baccarat)


def test_where_nothing_moves_only_noise_differs(baccarat: Film) -> None:
    truth = truth_of(baccarat)
    one, other = (
        baccarat.frame(_all_dealt(truth, 1) + later).astype(np.float32) for later in (0.0, 1 / 30)
    )
    assert not np.array_equal(one, other)
    assert np.abs(cv2.GaussianBlur(one - other, (0, 0), 5)).max() < 8


def test_a_shaken_camera_moves_by_less_than_a_few_pixels(small: Film) -> None:
    shaken = make_film(31, [COUP], size=(640, 360), shaken=True)
    assert shaken.take.shake > 0
    shift, _ = cv2.phaseCorrelate(
        *(
            cv2.cvtColor(film.frame(0.5), cv2.COLOR_BGR2GRAY).astype(np.float64)
            for film in (small, shaken)
        )
    )
    assert 0.01 < np.hypot(shift[0], shift[1]) < 3


@pytest.mark.parametrize("fps", [25, 29.97])
def test_a_film_is_read_back_frame_by_frame(small: Film, tmp_path: Path, fps: float) -> None:
    path = tmp_path / "coup.mp4"
    times = write_film(path, small, fps, 26, start=7.0, end=9.0)
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "h264"
        assert stream.average_rate == exact_rate(fps)
        frames = [
            (frame.time, frame.to_ndarray(format="bgr24")) for frame in container.decode(stream)
        ]
    assert len(frames) == len(times) == round(2 * fps)
    assert [time for time, _ in frames] == pytest.approx(times, abs=1e-3)
    first = next(frame_times(fps, 7.0, 9.0))
    off = np.abs(frames[0][1].astype(float) - small.frame(first).astype(float)).mean()
    assert off < 6
    assert path.read_bytes().find(b"moov") < path.read_bytes().find(b"mdat")


def test_frames_of_a_variable_rate_keep_their_times(small: Film, tmp_path: Path) -> None:
    path = tmp_path / "uneven.mkv"
    times = write_film(path, small, 30, 30, start=7.0, end=8.0, variable=True)
    with av.open(str(path)) as container:
        read = [frame.time for frame in container.decode(video=0)]
    assert read == pytest.approx(times, abs=2e-3)
    steps = np.diff(times)
    assert steps.max() > 1.3 * steps.min() > 0


def test_a_rate_is_what_broadcasters_mean() -> None:
    assert exact_rate(29.97) == Fraction(30000, 1001)
    assert exact_rate(23.976) == Fraction(24000, 1001)
    assert exact_rate(25) == 25
    hours = 8 * 3600
    last = next(frame_times(29.97, hours, hours + 1))
    assert last == pytest.approx(hours, abs=1 / 29)
    assert (Fraction(last).limit_denominator(10**7) * 30000 / 1001).denominator == 1


def test_the_files_beside_a_film_tell_of_the_same_cards(baccarat: Film, tmp_path: Path) -> None:
    truth = write_film_folder(tmp_path, baccarat, SHEET)
    with (tmp_path / "shoe.csv").open(newline="") as file:
        logged = list(csv.DictReader(file))
    assert [row["card"] for row in logged] == [card.card for card in truth.cards]
    assert [row["hand"] for row in logged][:3] == ["burn", "burn", "player"]
    assert logged[0]["ts"].endswith("+08:00")
    with (tmp_path / "truth.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["seq"]) for row in rows] == [card.seq for card in truth.cards]
    assert rows[1]["at_s"] == ""  # burnt face down
    kept = json.loads((tmp_path / "truth.json").read_text())
    assert kept["cards"][2]["places"][0]["hand"] == "player"
    sheet = tomllib.loads((tmp_path / "table.toml").read_text())
    assert sheet["camera"]["frame"] == [1280, 720]
    assert {"player", "banker"} <= set(sheet["camera"]["zones"])
    with (tmp_path / "calls.csv").open(newline="") as file:
        calls = [(row["call"], row["value"]) for row in csv.DictReader(file)]
    assert ("outcome", "player") in calls


def test_a_switched_card_is_another_in_the_shoe_s_log(tmp_path: Path) -> None:
    switched = RoundScript(1, (Deal("9H", "player", read_by_shoe="2C"), Deal("4D", "banker")))
    write_film_folder(tmp_path, make_film(31, [switched]), SHEET)
    with (tmp_path / "shoe.csv").open(newline="") as file:
        assert [row["card"] for row in csv.DictReader(file)] == ["2C", "4D"]
    with (tmp_path / "truth.csv").open(newline="") as file:
        assert [row["card"] for row in csv.DictReader(file)] == ["9H", "4D"]


def test_notation_becomes_the_steps_of_a_dealer() -> None:
    coup = baccarat_script("P 2H 3D 8C / B KS 3S")
    assert [(step.card, step.hand, step.sideways) for step in coup.cards()] == [
        ("2H", "player", False), ("KS", "banker", False), ("3D", "player", False),
        ("3S", "banker", False), ("8C", "player", True),
    ]  # fmt: skip
    assert [(step.card, step.hand) for step in ROUND.cards()] == [
        ("8H", "box1"), ("TH", "box2"), ("5D", "box3"), ("7C", "dealer"),
        ("8S", "box1"), ("9C", "box2"), ("2C", "box3"),
        ("3D", "box1"), ("TC", "box1"), ("TC", "box1.2"), ("4H", "box3"),
        ("2D", "dealer"), ("TH", "dealer"),
    ]  # fmt: skip
    assert Split("box1", "box1.2") in ROUND.steps
    assert Deal("TC", "box1", sideways=True) in ROUND.steps
    assert Settle("box2", pays=False) in ROUND.steps
    assert Deal("9D", "dealer", face_up=False) in WITH_HOLE_CARD.steps
    assert Peek("dealer", 2) in WITH_HOLE_CARD.steps
    assert TurnUp("dealer", 2) in WITH_HOLE_CARD.steps


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ((Deal("1H", "player"),), "1H is no card"),
        ((Deal("AH", "player"), TurnUp("player", 1)), "face up already"),
        ((Deal("AH", "player"), TurnUp("player", 2)), "has no card 2"),
        ((Deal("8H", "box1"), Split("box1", "box1.2")), "nothing to split"),
        ((Deal("8H", "box1"), Deal("8D", "box1"), Split("box1", "box2")), "stays in its box"),
    ],
)
def test_a_script_that_cannot_be_carried_out_is_refused(
    steps: tuple[Deal | TurnUp | Split, ...], why: str
) -> None:
    with pytest.raises(BadScript, match=why):
        check_script(RoundScript(1, steps))


def test_a_table_without_the_box_is_refused(baccarat: Film) -> None:
    with pytest.raises(BadScript, match="no zone for box4"):
        make_film(1, [RoundScript(1, (Deal("AH", "box4"),))], table=baccarat.table)


def test_what_was_carried_lies_exactly_where_it_was_laid() -> None:
    goal = Pose(10.0, 20.0, turned=3.0)
    move = Move(1.0, 2.0, Pose(400.0, 300.0, 20.0, -40.0, 180.0), goal, arch=40.0)
    assert move.at(2.0) == goal
    assert move.at(1.5).lift > 20
    assert move.at(0.0).flip == 180.0
