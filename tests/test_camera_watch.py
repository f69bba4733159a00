"""A camera that was moved, covered or hung up is noticed; cards, hands and light are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from tests.coded_films import LINES, SHEET, film_of
from vision.camera_watch import CameraWatch
from vision.frames import Frame
from vision.table_zones import read_zones

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from vision.boxes import Image
    from vision.camera_watch import CameraEvent

    Second = Callable[[int], Image]

ZONES = read_zones(SHEET, "table.toml")
WIDTH, HEIGHT = ZONES.frame
NOISE = 2.0
GRAINS = np.random.default_rng(7).normal(0, 1, (5, HEIGHT, WIDTH))


def table(seed: int = 1) -> Image:
    """A cloth with printing on it, a tray of chips and a dealer behind it."""
    rng = np.random.default_rng(seed)
    image = np.full((HEIGHT, WIDTH), 90, np.uint8)
    for _ in range(60):
        x, y = (int(each) for each in rng.integers((0, 0), (WIDTH, HEIGHT)))
        cv2.circle(image, (x, y), int(rng.integers(6, 20)), int(rng.integers(60, 150)), 2)
    for x in range(0, WIDTH, 90):
        cv2.putText(image, "PAYS 3 TO 2", (x, 330), cv2.FONT_HERSHEY_SIMPLEX, 0.4, 150, 1)
    cv2.rectangle(image, (200, 10), (440, 60), 40, -1)
    for x in range(205, 440, 20):
        cv2.rectangle(image, (x, 16), (x + 14, 54), int(rng.integers(80, 230)), -1)
    return image


TABLE = table()


def with_cards(second: int) -> Image:
    """Cards come and go in the zones of the hands, and a sleeve passes."""
    image = TABLE.copy()
    rng = np.random.default_rng(second // 7)
    for x in (50, 110, 170, 370, 430, 490)[: 2 + second % 5]:
        y = 130 + int(rng.integers(0, 60))
        cv2.rectangle(image, (x, y), (x + 48, y + 68), 240, -1)
        cv2.putText(image, "8", (x + 8, y + 30), cv2.FONT_HERSHEY_SIMPLEX, 0.9, 20, 2)
    if second % 3 == 0:
        cv2.line(image, (320, 0), (200 + 25 * (second % 9), 200), 30, 40)
    return image


def film(*parts: tuple[int, Second], noise: float = NOISE) -> Iterator[Frame]:
    """Frames a second apart: so many seconds of each part."""
    second = 0
    for seconds, shown in parts:
        for _ in range(seconds):
            luma = shown(second) + noise * GRAINS[second % len(GRAINS)]
            luma = np.clip(luma, 0, 255).astype(np.uint8)
            yield Frame(second, float(second), luma, luma)
            second += 1


def noticed(frames: Iterable[Frame]) -> tuple[CameraEvent, ...]:
    watch = CameraWatch(ZONES)
    for _ in watch.watching(frames):
        pass
    return watch.events


def moved(by: tuple[int, int]) -> Second:
    return lambda second: np.roll(with_cards(second), by, (0, 1))


def zoomed(second: int) -> Image:
    matrix = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), 3.0, 1.08)
    return np.asarray(cv2.warpAffine(with_cards(second), matrix, (WIDTH, HEIGHT)), np.uint8)


def covered(second: int) -> Image:
    return np.full((HEIGHT, WIDTH), 70, np.uint8)


def dark(second: int) -> Image:
    return np.asarray(with_cards(second) // 10, np.uint8)


def test_cards_and_hands_are_nothing_to_speak_of() -> None:
    assert noticed(film((40, with_cards))) == ()


@pytest.mark.parametrize("gain", [0.6, 0.8, 1.4])
def test_light_that_changes_is_nothing_to_speak_of(gain: float) -> None:
    def lit(second: int) -> Image:
        return np.asarray(np.clip(with_cards(second) * gain, 0, 255), np.uint8)

    assert noticed(film((10, with_cards), (12, lit))) == ()


@pytest.mark.parametrize("by", [(0, 16), (10, -20), (27, 7)])
def test_a_camera_that_was_pushed_is_noticed_with_how_far(by: tuple[int, int]) -> None:
    (event,) = noticed(film((12, with_cards), (12, moved(by))))
    assert event.kind == "moved"
    assert (event.at_s, event.until_s) == (12.0, None)
    assert event.shift == pytest.approx(np.hypot(*by), rel=0.25)
    assert "from 12.0 s on the camera does not stand as it stood at first" in event.text
    assert "so the zones do not fit" in event.text


def test_a_camera_that_was_put_back_is_right_again() -> None:
    (event,) = noticed(film((10, with_cards), (8, moved((0, 20))), (8, with_cards)))
    assert (event.kind, event.at_s, event.until_s) == ("moved", 10.0, 18.0)
    assert event.text.startswith("from 10.0 s to 18.0 s ")


def test_a_camera_that_was_turned_or_zoomed_is_noticed() -> None:
    (event,) = noticed(film((10, with_cards), (10, zoomed)))
    assert (event.kind, event.at_s) == ("moved", 10.0)


def test_a_camera_that_shows_another_table_is_noticed() -> None:
    other = table(seed=9)[::-1, ::-1].copy()
    (event,) = noticed(film((10, with_cards), (10, lambda _: other)))
    assert event.kind == "moved"


def test_a_nudge_too_small_to_matter_is_not_spoken_of() -> None:
    assert noticed(film((10, with_cards), (12, moved((0, 3))))) == ()


def test_a_camera_that_is_covered_is_noticed_from_when_until_when() -> None:
    (event,) = noticed(film((10, with_cards), (5, covered), (6, with_cards)))
    assert (event.kind, event.at_s, event.until_s) == ("covered", 10.0, 15.0)
    assert event.text == (
        "from 10.0 s to 15.0 s the camera is covered: most of its picture shows nothing"
    )


def test_a_hand_before_the_lens_for_a_second_is_nothing_to_speak_of() -> None:
    assert noticed(film((10, with_cards), (1, covered), (6, with_cards))) == ()


def test_a_film_that_begins_covered_is_noticed_and_then_watched() -> None:
    events = noticed(film((5, covered), (10, with_cards), (8, moved((0, 20)))))
    assert [(event.kind, event.at_s, event.until_s) for event in events] == [
        ("covered", 0.0, 5.0),
        ("moved", 15.0, None),
    ]


def test_a_picture_too_dark_to_read_is_noticed() -> None:
    (event,) = noticed(film((10, with_cards), (6, dark), (5, with_cards), noise=0.5))
    assert (event.kind, event.at_s, event.until_s) == ("dark", 10.0, 16.0)


def test_a_picture_that_hangs_is_noticed_by_its_lack_of_noise() -> None:
    frames = list(film((30, lambda _: TABLE)))
    last = frames[-1].luma
    frames += [Frame(30 + n, 30.0 + n, last, last) for n in range(12)]
    (event,) = noticed(frames)
    assert event.kind == "frozen"
    assert 29.0 <= event.at_s <= 31.0


def test_a_film_without_noise_is_not_taken_for_one_that_hangs() -> None:
    assert noticed(film((60, lambda _: TABLE), noise=0.0)) == ()


def test_on_a_bare_cloth_cleared_cards_are_no_cover() -> None:
    """Nothing but the cards can be told from anything there."""

    def bare(second: int) -> Image:
        image = np.full((HEIGHT, WIDTH), 90, np.uint8)
        if second % 20 < 12:
            for x in (50, 110, 370, 430):
                cv2.rectangle(image, (x, 140), (x + 48, 208), 240, -1)
        return image

    assert noticed(film((50, bare))) == ()
    white = np.full((HEIGHT, WIDTH), 200, np.uint8)
    (event,) = noticed(film((22, bare), (6, lambda _: white)))
    assert (event.kind, event.at_s) == ("covered", 22.0)


def test_a_drawn_film_of_rounds_is_clean() -> None:
    coded = film_of(*LINES[:2])
    frames = (
        Frame.of_image(second, float(second), coded.frame(float(second)))
        for second in range(int(coded.length_s))
    )
    assert noticed(frames) == ()


def test_what_was_shown_at_first_can_be_remembered_from_the_beginning() -> None:
    watch = CameraWatch(ZONES)
    watch.remember(film((12, with_cards)))
    assert not watch.events
    for _ in watch.watching(film((6, moved((0, 20))))):
        pass
    assert [(event.kind, event.at_s) for event in watch.events] == [("moved", 0.0)]


def test_only_so_many_events_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A film can be of any length, and a light that flickers all of it."""
    monkeypatch.setattr("vision.camera_watch._EVENTS_KEPT", 3)
    events = noticed(film((6, with_cards), *[(2, covered), (1, with_cards)] * 6))
    assert [event.at_s for event in events] == [15.0, 18.0, 21.0]
