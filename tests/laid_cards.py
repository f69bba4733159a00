"""Cards laid on a table as a test says, and what a card reader would say of them.

    table = LaidTable(BLACKJACK, [card("9H", at("box1", 0), 1.0, 20.0)])
    rounds = list(read_rounds(table.glances(), table.zones, decks=8))

Seen from straight above, cards are upright and all alike; a later one lies over an earlier one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tests.film_reader_fakes import PERFECT, FakeReader, Noise
from vision.glances import Glance
from vision.synthetic.film_truth import CardTruth, FilmTruth, PlaceTruth
from vision.table_zones import Zones

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vision.card_reader import Box

FRAME: Final = (1280, 720)
WHOLE: Final = ((0.0, 0.0, 1280.0, 720.0),)
CARD: Final = (63.0, 88.0)


def _zone(left: float, top: float, right: float, bottom: float) -> list[list[float]]:
    return [[left, top], [right, top], [right, bottom], [left, bottom]]


BACCARAT: Final = Zones(
    FRAME,
    {
        "player": np.array(_zone(120, 220, 580, 560)),
        "banker": np.array(_zone(700, 220, 1160, 560)),
        "shoe": np.array(_zone(1180, 20, 1270, 140)),
        "discard": np.array(_zone(10, 20, 100, 140)),
    },
)
BLACKJACK: Final = Zones(
    FRAME,
    {
        "dealer": np.array(_zone(400, 40, 880, 240)),
        "box1": np.array(_zone(900, 320, 1260, 680)),
        "box2": np.array(_zone(460, 320, 820, 680)),
        "box3": np.array(_zone(20, 320, 380, 680)),
        "discard": np.array(_zone(10, 20, 100, 140)),
    },
)
FIRST: Final = {
    "player": (240.0, 340.0),
    "banker": (820.0, 340.0),
    "dealer": (560.0, 130.0),
    "box1": (1000.0, 420.0),
    "box2": (560.0, 420.0),
    "box3": (120.0, 420.0),
}


@dataclass(frozen=True, slots=True)
class Lay:
    """A card lying at one place for a while."""

    x: float
    y: float
    from_s: float
    to_s: float
    turned: float = 0.0
    face_up: bool = True

    @property
    def outline(self) -> tuple[tuple[float, float], ...]:
        turn = np.radians(self.turned)
        right, down = (
            np.array([np.cos(turn), np.sin(turn)]),
            np.array([-np.sin(turn), np.cos(turn)]),
        )
        wide, tall = CARD[0] / 2 * right, CARD[1] / 2 * down
        middle = np.array([self.x, self.y])
        corners = (
            middle - wide - tall, middle + wide - tall, middle + wide + tall, middle - wide + tall
        )  # fmt: skip
        return tuple((float(x), float(y)) for x, y in corners)


@dataclass(frozen=True, slots=True)
class LaidCard:
    name: str
    lays: tuple[Lay, ...]


def card(name: str, *lays: Lay) -> LaidCard:
    return LaidCard(name, lays)


def lay(
    hand: str,
    place: float,
    from_s: float,
    to_s: float = 1e6,
    *,
    down: float = 0.0,
    turned: float = 0.0,
    face_up: bool = True,
) -> Lay:
    """Lay a card in a hand, so many widths to the right of its first and heights below it."""
    x, y = FIRST[hand]
    return Lay(x + place * CARD[0], y + down * CARD[1], from_s, to_s, turned, face_up)


@dataclass(frozen=True, slots=True)
class Seen:
    """A moment at which the table is read."""

    at_s: float
    areas: tuple[Box, ...] = WHOLE
    moving: tuple[Box, ...] = ()
    hidden: tuple[Box, ...] = ()
    """Where something lies still over the cards."""


@dataclass(frozen=True, slots=True)
class LaidTable:
    """A table with cards, read every third of a second."""

    zones: Zones
    cards: Sequence[LaidCard]
    noise: Noise = PERFECT
    seed: int = 0
    moments: tuple[Seen, ...] = ()
    until_s: float = 0.0
    every_s: float = 0.3

    @property
    def truth(self) -> FilmTruth:
        cards = tuple(
            CardTruth(
                round=1, seq=number, card=each.name, hand="", order=1, last_hand="",
                sideways=False, left_shoe_s=0.0, laid_s=each.lays[0].from_s, at_s=None,
                let_go_s=0.0, turned_s=None, cleared_s=each.lays[-1].to_s,
                read_by_shoe=each.name,
                places=tuple(
                    PlaceTruth(one.from_s, one.to_s, "", one.face_up, one.outline)
                    for one in each.lays
                ),
            )
            for number, each in enumerate(self.cards, 1)
        )  # fmt: skip
        return FilmTruth("", FRAME, 0.0, (), cards)

    @property
    def end_s(self) -> float:
        ends = [one.to_s for each in self.cards for one in each.lays if one.to_s < 1e6]
        starts = [one.from_s + 3 for each in self.cards for one in each.lays]
        return self.until_s or max([*ends, *starts], default=0.0) + 2.0

    def glances(self) -> Iterator[Glance]:
        """What is read of it, moment after moment."""
        reader = FakeReader(self.truth, self.noise, self.seed)
        count = int(self.end_s / self.every_s)
        moments = self.moments or tuple(Seen(n * self.every_s) for n in range(count))
        for seen in moments:
            reading = reader.at(seen.at_s, seen.areas, seen.hidden)
            yield Glance(seen.at_s, seen.areas, seen.moving, reading)
