"""Films of cards read: their rounds, what is in doubt, and what befell the camera.

The cards carry their names as cells, so all of it is tested but the networks.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.coded_films import LINES, SHEET, CodedFilm, CodeReader, Drawn, coup, film_of
from vision.card_reader import IndexSeen
from vision.containers import BadFootage
from vision.film_reader import DOUBTED, ShoeSoFar, Trouble, Unheard, read_film
from vision.footage import open_footage
from vision.shoe_composition import ShoeComposition
from vision.table_zones import read_zones

if TYPE_CHECKING:
    from pathlib import Path

    from vision.boxes import Image
    from vision.card_reader import Box, PictureReading
    from vision.film_reader import RoundRead
    from vision.footage import Footage

ZONES = read_zones(SHEET, "table.toml")
ONE = film_of(LINES[0])


@dataclass
class Heard(Unheard):
    """Keeps what is told while a film is read."""

    until_s: list[float] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    few: list[RoundRead] = field(default_factory=list)

    def read_until(self, at_s: float) -> None:
        self.until_s.append(at_s)

    def happened(self, trouble: Trouble) -> None:
        self.troubles.append(trouble)

    def left_out(self, seen: RoundRead) -> None:
        self.few.append(seen)


def rounds_in(
    footage: Footage, tell: Heard | None = None, reader: CodeReader | None = None
) -> list[RoundRead]:
    shoe = ShoeSoFar(ShoeComposition(8))
    return list(read_film(footage, ZONES, reader or CodeReader(), shoe=shoe, tell=tell))


def line_of(seen: RoundRead) -> str:
    hands = [
        [card.card for card in seen.cards if card.hand == hand] for hand in ("player", "banker")
    ]
    return " / ".join(" ".join(cards) for cards in hands)


# Rounds


def test_each_card_of_each_round_has_its_hand_its_place_and_its_seconds(tmp_path: Path) -> None:
    film = film_of(*LINES[:3])
    heard = Heard()
    rounds = rounds_in(open_footage(film.write(tmp_path / "three.mp4")), heard)
    assert [line_of(seen) for seen in rounds] == list(LINES[:3])
    assert [card.seq for seen in rounds for card in seen.cards] == list(range(1, 15))
    dealt = {laid.card: laid.from_s for laid in film.cards}
    for seen in rounds:
        assert not seen.doubts
        assert [dealt[card.card] for card in seen.cards] == sorted(
            dealt[card.card] for card in seen.cards
        )
        for card in seen.cards:
            assert card.confidence > 0.99
            assert 0 <= card.at_s - dealt[card.card] < 0.6
    assert heard.until_s == sorted(heard.until_s)
    assert heard.until_s[-1] == pytest.approx(film.length_s - 0.1)
    assert not heard.troubles


def test_a_round_in_which_a_card_was_hardly_seen_accuses_nobody(tmp_path: Path) -> None:
    film = film_of(*LINES[:2])
    faint = film.cards[2].card
    first, second = rounds_in(
        open_footage(film.write(tmp_path / "faint.mp4")),
        reader=CodeReader(faint=frozenset({faint})),
    )
    assert faint not in [card.card for card in first.cards]
    assert len(first.doubts) == 1
    assert "may be an unread card" in first.doubts[0]
    assert all(card.confidence <= DOUBTED for card in first.cards)
    assert line_of(second) == LINES[1]
    assert not second.doubts


def test_a_card_turned_up_late_keeps_its_place_in_the_order() -> None:
    cards = coup("9H KD / 2C 7S", 1.0)
    cards[1] = replace(cards[1], turned_up_s=6.0)
    (seen,) = rounds_in(Drawn(CodedFilm(tuple(cards), 12.0)))
    assert [card.card for card in seen.cards] == ["9H", "2C", "KD", "7S"]
    assert seen.cards[1].laid_s < 3 < 6 <= seen.cards[1].at_s


def test_a_card_that_could_not_be_told_is_named_with_what_it_may_be() -> None:
    reader = CodeReader(doubted={"8C": (0.5, "9C"), "3S": (0.8, "8S")})
    (seen,) = rounds_in(Drawn(ONE), reader=reader)
    unread, unsure = seen.cards[4], seen.cards[3]
    assert unread.card == "??"
    assert {card for card, _ in unread.alternatives[:2]} == {"8C", "9C"}
    assert unsure.card == "3S"
    assert unsure.alternatives[0][0] == "8S"
    assert unsure.confidence < 0.98


def test_a_film_without_cards_has_no_rounds() -> None:
    assert rounds_in(Drawn(CodedFilm((), 3.0))) == []
    assert rounds_in(Drawn(CodedFilm((), 0.0))) == []


# Rounds that may not have been seen whole


def test_a_film_that_begins_in_the_middle_of_a_round_is_not_sure_of_it() -> None:
    first, second = rounds_in(Drawn(film_of(*LINES[:2], first_s=-2.5)))
    assert first.doubts == ("its first cards lay there before the film began",)
    assert {card.confidence for card in first.cards} == {DOUBTED}
    assert not second.doubts
    assert min(card.confidence for card in second.cards) > 0.99


def test_a_film_that_ends_before_the_cards_are_cleared_is_not_sure_of_them() -> None:
    first, last = rounds_in(Drawn(replace(film_of(*LINES[1:3]), length_s=16.0)))
    assert not first.doubts
    assert last.doubts == ("the film ended before its cards were cleared away",)
    assert max(card.confidence for card in last.cards) == DOUBTED


def test_a_film_that_ends_when_the_cards_were_just_cleared_is_sure_of_them() -> None:
    (seen,) = rounds_in(Drawn(replace(ONE, length_s=8.0)))
    assert line_of(seen) == LINES[0]
    assert not seen.doubts


@dataclass
class FindsPrint(CodeReader):
    """Takes what is printed in the middle of a hand for an index that cannot be read."""

    def read(
        self, image: Image, scales: tuple[float, ...] | None = None, part: Box | None = None
    ) -> PictureReading:
        reading = super().read(image, scales, part)
        if part is None or tuple(map(int, part)) != (0, 0, *ZONES.frame):
            return reading
        x, y = ZONES.polygons["banker"].mean(axis=0).tolist()
        flat = np.full(52, 1 / 52, np.float32)
        found = IndexSeen((x - 9, y - 15, x + 9, y + 15), 0.3, 0.1, flat, 30.0)
        return replace(reading, unreadable=(found,))


def test_print_that_is_found_in_the_last_frame_is_no_card_that_was_left() -> None:
    (seen,) = rounds_in(Drawn(replace(ONE, length_s=8.0)), reader=FindsPrint())
    assert not seen.doubts
    left = Drawn(replace(film_of(*LINES[1:3]), length_s=16.0))
    assert rounds_in(left, reader=FindsPrint())[-1].doubts


def test_too_few_cards_of_a_round_in_doubt_are_left_out() -> None:
    heard = Heard()
    (seen,) = rounds_in(Drawn(replace(film_of(*LINES[1:3]), length_s=12.9)), heard)
    assert line_of(seen) == LINES[1]
    assert [len(few.cards) for few in heard.few] == [3]


def test_a_round_during_which_the_camera_was_covered_is_in_doubt() -> None:
    heard = Heard()
    cards = (*coup(LINES[1], 1.0, stays_s=10.0), *coup(LINES[2], 15.0, stays_s=6.0))
    first, second = rounds_in(Drawn(CodedFilm(cards, 25.0, covered=(6.0, 8.6))), heard)
    why = "from 6.0 s to 9.0 s the camera is covered: most of its picture shows nothing"
    assert first.doubts == (why,)
    assert max(card.confidence for card in first.cards) == DOUBTED
    assert line_of(first) == LINES[1]
    assert not second.doubts
    opened, closed = heard.troubles
    assert opened.text.startswith("from 6.0 s on the camera is covered")
    assert (opened.until_s, closed.until_s, closed.text) == (None, 9.0, why)


def test_a_cover_between_two_rounds_puts_neither_in_doubt() -> None:
    film = replace(film_of(*LINES[1:3], every_s=16.0), covered=(11.0, 14.0))
    rounds = rounds_in(Drawn(film))
    assert [line_of(seen) for seen in rounds] == list(LINES[1:3])
    assert [seen.doubts for seen in rounds] == [(), ()]


def test_what_was_cleared_behind_a_cover_is_in_doubt() -> None:
    """Nobody knows whether a third card came before the cards were taken away."""
    cards = coup("4C 2D / 7H QD", 1.0, stays_s=12.0)
    (seen,) = rounds_in(Drawn(CodedFilm(tuple(cards), 21.0, covered=(10.5, 15.0))))
    assert seen.end_s < 9
    assert len(seen.doubts) == 1
    assert "covered" in seen.doubts[0]


def test_what_was_cleared_while_frames_are_missing_is_in_doubt() -> None:
    cards = (*coup("4C 2D / 7H QD", 1.0, stays_s=12.0), *coup(LINES[1], 18.0))
    heard = Heard()
    film = CodedFilm(cards, 30.0, missing=(10.0, 17.0))
    first, second = rounds_in(Drawn(film), heard)
    assert first.doubts == ("frames are missing from 9.9 to 17.0 s",)
    assert not second.doubts
    assert [trouble.at_s for trouble in heard.troubles] == [9.9]


def test_from_when_the_camera_was_moved_nothing_is_sure() -> None:
    first, *later = rounds_in(Drawn(replace(film_of(*LINES[1:4]), moved_s=10.0)))
    assert not first.doubts
    assert [line_of(seen) for seen in later] == list(LINES[2:4])
    for seen in later:
        (why,) = seen.doubts
        assert why.startswith("from 10.0 s on the camera does not stand as it stood at first")
        assert max(card.confidence for card in seen.cards) == DOUBTED


# Decoding ahead


def decoding() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("decoding")]


def test_decoding_stops_when_nobody_reads_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.film_reader.AHEAD", 2)
    film = Drawn(film_of(*LINES))
    reading = read_film(film, ZONES, CodeReader(), shoe=ShoeSoFar(ShoeComposition(8)))
    assert line_of(next(reading)) == LINES[0]
    assert len(decoding()) == 1
    reading.close()
    assert not decoding()
    assert film.decoded_s < film.film.length_s / 2


def test_decoding_waits_for_a_slow_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is decoded and not read yet is bounded, however long the film is."""
    monkeypatch.setattr("vision.film_reader.AHEAD", 3)
    film = Drawn(CodedFilm((), 40.0))

    class Slow(CodeReader):
        def read(
            self, image: Image, scales: tuple[float, ...] | None = None, part: Box | None = None
        ) -> PictureReading:
            before_s = 40.0 if stopped_s else -1.0
            while before_s < film.decoded_s:
                before_s = film.decoded_s
                time.sleep(0.2)
            stopped_s.append(film.decoded_s)
            return super().read(image, scales, part)

    stopped_s: list[float] = []
    reading = read_film(film, ZONES, Slow(), shoe=ShoeSoFar(ShoeComposition(8)))
    monkeypatch.setattr("vision.film_reader.SAID_EVERY_S", 0.2)
    assert next(reading, None) is None
    assert stopped_s[0] < 5
    assert film.decoded_s == pytest.approx(39.9)


def test_what_goes_wrong_while_decoding_reaches_whoever_reads() -> None:
    with pytest.raises(BadFootage, match="the drawn film broke"):
        rounds_in(Drawn(ONE, breaks_s=4.0))
    assert not decoding()
