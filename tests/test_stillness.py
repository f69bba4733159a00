"""Which frames are worth reading: something changed there and has come to rest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
import pytest

from vision.frames import Frame
from vision.stillness import USUAL_PACE, Look, looks
from vision.table_zones import Zones

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from vision.card_reader import Box

    Picture = NDArray[np.float64]

SIZE: Final = (480, 270)
ZONES: Final = Zones(
    SIZE,
    {
        "player": np.array([[40.0, 80.0], [220.0, 80.0], [220.0, 220.0], [40.0, 220.0]]),
        "banker": np.array([[260.0, 80.0], [440.0, 80.0], [440.0, 220.0], [260.0, 220.0]]),
    },
)
CARD: Final = (32, 46)
FELT: Final = np.asarray(
    cv2.GaussianBlur(np.random.default_rng(1).normal(90, 14, SIZE[::-1]), (0, 0), 1.2), np.float64
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A card that lies at a place for a while."""

    x: int
    y: int
    from_s: float
    to_s: float = 1e9
    face: int = 1

    @property
    def box(self) -> Box:
        return float(self.x), float(self.y), float(self.x + CARD[0]), float(self.y + CARD[1])


def face(number: int) -> Picture:
    """A card: white, with marks of its own."""
    card = np.full(CARD[::-1], 230.0)
    marks = np.random.default_rng(number).random((6, 4)) < 0.4
    card[5:41, 4:28] = np.where(np.kron(marks, np.ones((6, 6))), 30, card[5:41, 4:28])
    card[0] = card[-1] = card[:, 0] = card[:, -1] = 120
    return card


def laid(cards: Sequence[Shown]) -> Callable[[float], Picture]:
    """What the table shows with these cards on it."""

    def drawn(at_s: float) -> Picture:
        picture = FELT.copy()
        for card in cards:
            if card.from_s <= at_s < card.to_s:
                picture[card.y : card.y + CARD[1], card.x : card.x + CARD[0]] = face(card.face)
        return picture

    return drawn


def filmed(
    table: Callable[[float], Picture], times: Sequence[float], grain: float = 1.5
) -> Iterator[Frame]:
    """Frames of a table at these seconds, with the grain of a camera."""
    rng = np.random.default_rng(7)
    for number, at_s in enumerate(times):
        seen = table(at_s) + rng.normal(0, grain, SIZE[::-1])
        luma = np.clip(np.round(seen), 0, 255).astype(np.uint8)
        yield Frame(number, at_s, luma, np.repeat(luma[..., None], 3, axis=2))


def every(fps: float, until_s: float, from_s: float = 0.0) -> list[float]:
    return [from_s + number / fps for number in range(int((until_s - from_s) * fps))]


def covers(areas: Sequence[Box], box: Box) -> bool:
    """Whether a box lies in one of the areas."""
    return any(
        left <= box[0] and top <= box[1] and right >= box[2] and bottom >= box[3]
        for left, top, right, bottom in areas
    )


def read_once(*arguments: object) -> bool:
    return False


def of_changes(frames: Iterator[Frame]) -> list[Look]:
    """All looks but the first, without those that read again what has not changed."""
    return list(looks(frames, ZONES, worth_again=read_once))[1:]


# What is read


def test_the_first_frame_is_read_whole() -> None:
    first = next(looks(filmed(laid([]), [3.0, 3.1]), ZONES))
    assert first.frame.at_s == 3.0
    assert list(first.areas) == [(0, 0, 480, 270)]
    assert not first.moving


@pytest.mark.parametrize("fps", [5, 8, 10, 12.5, 15, 24, 25, 29.97, 30, 50, 60])
def test_a_card_that_lay_half_a_second_is_read_at_any_rate_of_frames(fps: float) -> None:
    for late in (0.0, 0.3, 0.65, 0.99) if fps < 20 else (0.5,):
        card = Shown(100, 120, 1.0 + late / fps, 1.5 + late / fps)
        found = of_changes(filmed(laid([card]), every(fps, 1.8)))
        reading = [look for look in found if card.from_s <= look.frame.at_s < card.to_s]
        assert reading, f"laid {late:.2f} of a frame late"
        assert covers(reading[0].areas, card.box)


def test_a_card_that_lay_half_a_second_is_read_though_frames_come_unevenly() -> None:
    rng = np.random.default_rng(3)
    for _ in range(6):
        times = np.cumsum(rng.uniform(0.01, 0.17, 40)).tolist()
        card = Shown(300, 110, 1.0, 1.5)
        found = of_changes(filmed(laid([card]), times))
        assert any(1.0 <= look.frame.at_s < 1.5 and covers(look.areas, card.box) for look in found)


def test_a_card_is_read_while_it_lies_still_and_not_before() -> None:
    card = Shown(100, 120, 1.0)
    look = of_changes(filmed(laid([card]), every(30, 3)))[0]
    assert 1.0 + USUAL_PACE.still_s <= look.frame.at_s <= 1.45


def test_what_is_carried_past_is_not_read() -> None:
    def carried(at_s: float) -> Picture:
        place = int(np.clip(60 + 260 * (at_s - 1), 60, 400))
        return laid([Shown(place, 120, 1.0, 2.3)])(at_s)

    found = of_changes(filmed(carried, every(30, 2.3)))
    assert found == []


def test_each_card_is_read_as_it_is_laid() -> None:
    cards = [Shown(60 + 50 * n, 120, 1.0 + 0.8 * n, face=n) for n in range(4)]
    found = of_changes(filmed(laid(cards), every(30, 5)))
    for card in cards:
        look = next(look for look in found if look.frame.at_s > card.from_s)
        assert look.frame.at_s < card.from_s + 0.5
        assert covers(look.areas, card.box)


def test_a_card_that_covers_half_of_another_is_read_together_with_it() -> None:
    below, above = Shown(100, 110, 0.0), Shown(112, 122, 1.0, face=2)
    look = of_changes(filmed(laid([below, above]), every(30, 2)))[0]
    assert covers(look.areas, above.box)
    assert covers(look.areas, (100, 110, 120, 130))


def test_a_card_that_is_taken_away_or_turned_is_read() -> None:
    card, turned = Shown(100, 120, 0.0, 1.0), Shown(100, 120, 1.0, 2.0, face=9)
    found = of_changes(filmed(laid([card, turned]), every(30, 3)))
    assert len(found) == 2
    assert all(covers(look.areas, (106, 126, 126, 160)) for look in found)
    assert [round(look.frame.at_s) for look in found] == [1, 2]


def test_a_frame_shown_for_long_is_read_though_the_next_is_another() -> None:
    """A slide show: a frame every two seconds, each with cards of its own."""
    cards = [Shown(60 + 90 * n, 120, 2.0 * n, 2.0 * n + 2, face=n) for n in range(1, 4)]
    found = list(looks(filmed(laid(cards), [0.0, 2.0, 4.0, 6.0]), ZONES))
    for card in cards:
        assert any(
            look.frame.at_s == card.from_s and covers(look.areas, card.box) for look in found
        )


# What is not


def test_a_table_on_which_nothing_happens_is_not_read_again() -> None:
    assert of_changes(filmed(laid([Shown(100, 120, 0.0)]), every(30, 6), grain=4.0)) == []


def test_light_that_grows_and_fades_is_no_change() -> None:
    table = laid([Shown(100, 120, 0.0), Shown(300, 120, 0.0, face=4)])

    def lit(at_s: float) -> Picture:
        return np.asarray(table(at_s) * (1 + 0.3 * np.sin(at_s * 1.3)))

    assert of_changes(filmed(lit, every(20, 6))) == []


def test_a_soft_shadow_is_no_change() -> None:
    table = laid([Shown(100, 120, 0.0)])
    across = np.linspace(0, 1, SIZE[0])[None]

    def shaded(at_s: float) -> Picture:
        return np.asarray(table(at_s) * (1 - 0.35 / (1 + np.exp((across - at_s / 6) * 14))))

    assert of_changes(filmed(shaded, every(20, 6))) == []


def test_what_changes_far_from_any_hand_is_not_read() -> None:
    assert of_changes(filmed(laid([Shown(220, 4, 1.0)]), every(30, 3))) == []


def test_a_card_half_outside_its_zone_is_read() -> None:
    card = Shown(100, 200, 1.0)
    look = of_changes(filmed(laid([card]), every(30, 3)))[0]
    assert covers(look.areas, card.box)


# While something moves


def waving(
    table: Callable[[float], Picture], x: int, from_s: float, to_s: float
) -> Callable[[float], Picture]:
    """A hand that never rests over one place."""

    def drawn(at_s: float) -> Picture:
        picture = table(at_s)
        if from_s <= at_s < to_s:
            top = int(110 + 30 * np.sin(at_s * 17))
            left = int(x + 12 * np.cos(at_s * 13))
            skin = 150 + 25 * np.sin(np.arange(60) / 3)
            picture[top : top + 60, left : left + 50] = skin[:, None]
        return picture

    return drawn


def test_a_card_is_read_though_a_hand_moves_elsewhere() -> None:
    card = Shown(80, 120, 1.0)
    found = of_changes(filmed(waving(laid([card]), 330, 0.5, 3.0), every(30, 3)))
    look = next(look for look in found if covers(look.areas, card.box))
    assert look.frame.at_s < 1.5
    assert covers(look.moving, (340, 135, 360, 160))
    assert not any(left < 112 for left, *_ in look.moving)


def test_what_a_hand_hides_is_read_when_it_is_gone() -> None:
    card = Shown(110, 120, 1.2)
    found = of_changes(filmed(waving(laid([card]), 100, 0.8, 2.5), every(30, 4)))
    assert not any(1.2 <= look.frame.at_s < 2.5 and covers(look.areas, card.box) for look in found)
    assert any(2.5 < look.frame.at_s < 3.2 and covers(look.areas, card.box) for look in found)


# Reading again


def test_what_was_read_is_read_again_twice() -> None:
    card = Shown(100, 120, 10.0)
    found = list(looks(filmed(laid([card]), every(20, 18)), ZONES))
    again = [
        look.frame.at_s for look in found if look.frame.at_s > 10 and covers(look.areas, card.box)
    ]
    first = again[0]
    assert len(again) == 3
    assert again[1:] == pytest.approx([first + 0.5, first + 2.5], abs=0.06)


def test_nothing_is_read_again_that_is_not_worth_it() -> None:
    asked: list[Box] = []

    def worth(area: Box) -> bool:
        asked.append(area)
        return False

    found = list(
        looks(filmed(laid([Shown(100, 120, 10.0)]), every(20, 18)), ZONES, worth_again=worth)
    )
    assert len(found) == 2
    assert asked


def test_what_is_laid_soon_after_puts_off_no_reading() -> None:
    """A new card beside it: both are read, each again in its time."""
    one, other = Shown(100, 120, 10.0), Shown(300, 120, 10.3, face=3)
    found = list(looks(filmed(laid([one, other]), every(20, 18)), ZONES))
    for card in (one, other):
        times = [
            look.frame.at_s
            for look in found
            if look.frame.at_s > 10 and covers(look.areas, card.box)
        ]
        assert len(times) >= 3
        assert times[0] < card.from_s + 0.5


def test_what_is_laid_where_something_is_just_read_again_is_read_for_itself() -> None:
    """Beside the new card a hand is busy for a while: so long it waits to be read."""
    one, other = Shown(100, 110, 10.0), Shown(104, 114, 10.4, face=3)
    table = laid([one, other])

    def busy(at_s: float) -> Picture:
        picture = table(at_s)
        if other.from_s <= at_s < 11.6:
            picture[120:128, 138:146] = 60 + 40 * (round(at_s * 20) % 5)
        return picture

    pace = replace(USUAL_PACE, patience_s=3.0)
    found = list(looks(filmed(busy, every(20, 16)), ZONES, pace))
    times = [look.frame.at_s for look in found if covers(look.areas, other.box)]
    assert sum(at_s > 11.6 for at_s in times) >= 3


def test_no_frames_give_no_looks() -> None:
    assert list(looks(iter(()), ZONES)) == []
