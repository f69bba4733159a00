"""Where a dealer lays the cards of each hand: how far apart, how turned, how tidily."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.synthetic.decks import FACE_PX_PER_MM
from vision.synthetic.film_motion import Pose
from vision.synthetic.film_scripts import box_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from vision.synthetic.decks import Deck

_INSET: Final = 14.0  # mm: a card's centre keeps so far from the edge of its zone
_CLOSE: Final = 22.0  # mm: a dealer with many cards lays the rest so close
_SHORT: Final = 27.0  # mm: a taller index leaves no room for cards one below the other
_NARROW: Final = 44.0  # mm: columns of split hands that are nearer would hide each other's indexes
_WAGERS_OUT: Final = 155.0  # mm from the cards of a box to its chips


@dataclass(frozen=True, slots=True)
class Spot:
    """A zone as a place with a direction."""

    centre: NDArray[np.float64]
    turned: float
    wide: float
    tall: float

    def at(self, across: float, up: float) -> NDArray[np.float64]:
        """A point in the zone's own directions, in mm of the table."""
        turn = np.radians(self.turned)
        sides = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        there: NDArray[np.float64] = self.centre + np.array([across, up]) @ sides
        return there

    def kept_in(self, across: float, up: float) -> tuple[float, float]:
        reach, height = self.wide / 2 - _INSET, self.tall / 2 - _INSET
        return min(reach, max(-reach, across)), min(height, max(-height, up))


def spot_of(zone: NDArray[np.float64]) -> Spot:
    across = zone[1] - zone[0]
    return Spot(
        centre=zone.mean(axis=0),
        turned=float(np.degrees(np.arctan2(across[1], across[0]))),
        wide=float(np.linalg.norm(across)),
        tall=float(np.linalg.norm(zone[0] - zone[3])),
    )


@dataclass(frozen=True, slots=True)
class Habits:
    """How one dealer of one house lays cards, in mm and degrees."""

    facing: float  # 0 or 180: which way up the cards of the hands lie
    step: tuple[float, float]  # from one card of a box to the next, to its right and to its top
    dealer_step: float
    column_step: float  # of split hands, which have only a narrow column each
    apart: float  # baccarat: between the first two cards
    third_beside: bool
    third_turned: float
    untidy: float


def draw_habits(rng: np.random.Generator, deck: Deck, *, faces_down: bool) -> Habits:
    """Habits with which the index of a covered card stays free."""
    box = deck.face("TD").indexes[0]
    untidy = float(rng.uniform(0.5, 2.4))
    wide, tall = box.max(axis=0) / FACE_PX_PER_MM
    index_wide, index_tall = float(wide) + 1 + untidy, float(tall) + 1 + untidy
    kind = rng.random()
    if kind < 0.45:
        step = (index_wide + rng.uniform(0, 8), -rng.uniform(10, 24))
    elif kind < 0.65:
        step = (index_wide + rng.uniform(0, 8), rng.uniform(10, 22))
    elif kind < 0.8 and index_tall < _SHORT:
        step = (rng.normal(0, 1.5), -index_tall - rng.uniform(0, 8))
    else:
        step = (index_wide + rng.uniform(0, 10), rng.normal(0, 2))
    side_by_side = faces_down or rng.random() < 0.65
    return Habits(
        facing=0.0 if rng.random() < 0.75 else 180.0,
        step=(float(step[0]), float(step[1])),
        dealer_step=float(
            rng.uniform(66, 74) if rng.random() < 0.5 else index_wide + rng.uniform(1, 12)
        ),
        column_step=-float(index_tall + rng.uniform(0, 3)),
        apart=float(rng.uniform(66, 76) if side_by_side else rng.uniform(index_wide + 2, 58)),
        third_beside=bool(rng.random() < 0.6),
        third_turned=90.0 if rng.random() < 0.5 else -90.0,
        untidy=untidy,
    )


class Layout:
    """The places of a round's cards, each drawn when its card is laid.

    It is told how many cards each hand will get: a dealer sees that a hand grows and moves up.
    """

    def __init__(
        self,
        zones: Mapping[str, NDArray[np.float64]],
        habits: Habits,
        cards: Mapping[str, int],
        rng: np.random.Generator,
    ) -> None:
        self._spots = {name: spot_of(zone) for name, zone in zones.items()}
        self._habits = habits
        self._rng = rng
        self._columns: dict[str, int] = {}
        self._cards = cards
        for hand in cards:
            self._columns[box_of(hand)] = self._columns.get(box_of(hand), 0) + 1
        self._split: set[str] = set()

    def spot(self, hand: str) -> Spot:
        return self._spots[box_of(hand)]

    def wager(self, box: str, number: int = 0) -> tuple[float, float]:
        """Where the chips of a box stand; of player and banker, on the cloth before the players."""
        spot = self._spots[box]
        if box in ("player", "banker"):
            across, out = self._rng.uniform(-150, 150), self._rng.uniform(260, 400)
        else:
            across, out = 43.0 * number + self._rng.normal(0, 5), _WAGERS_OUT
        x, y = spot.at(float(across), -float(out))
        return float(x), float(y)

    def split(self, hand: str) -> bool:
        """Note that a box is split; whether it was whole until now."""
        first = box_of(hand) not in self._split
        self._split.add(box_of(hand))
        return first

    def place(self, hand: str, order: int, *, face_up: bool, sideways: bool) -> Pose:
        """Where the card of that order in a hand is laid."""
        spot, habits = self.spot(hand), self._habits
        if hand in ("player", "banker"):
            across, up, turned = self._baccarat(hand, order, sideways=sideways)
        elif hand == "dealer":
            closer = max(0, order - 4) * max(0.0, habits.dealer_step - _CLOSE)
            across, up, turned = (order - 2.0) * habits.dealer_step - closer, 0.0, 0.0
        else:
            across, up, turned = self._box(hand, order, sideways=sideways)
        if habits.facing == 180.0 and hand not in ("player", "banker"):
            across, up = -across, -up
        across, up = spot.kept_in(across, up)
        loose = np.clip(self._rng.normal(0, 1, 3), -1.8, 1.8) * habits.untidy
        x, y = spot.at(across + loose[0] * 0.5, up + loose[1] * 0.5)
        return Pose(
            float(x),
            float(y),
            turned=float(spot.turned + habits.facing + turned + loose[2]),
            flip=0.0 if face_up else 180.0,
        )

    def _baccarat(self, hand: str, order: int, *, sideways: bool) -> tuple[float, float, float]:
        habits = self._habits
        outward = -1.0 if hand == "player" else 1.0
        if not sideways:
            across = (order - 1.5) * habits.apart
            # Cards laid the other way up still leave the index of the one below free.
            return (-across if habits.facing == 180.0 else across), 0.0, 0.0
        turned = habits.third_turned + self._rng.choice([0.0, 180.0])
        beyond = max(0, order - 3) * 30.0
        if habits.third_beside:
            return outward * (habits.apart / 2 + 84 + beyond), 0.0, float(turned)
        return float(self._rng.normal(0, 6)), -(78.0 + beyond), float(turned)

    def _box(self, hand: str, order: int, *, sideways: bool) -> tuple[float, float, float]:
        habits, spot = self._habits, self.spot(hand)
        box = box_of(hand)
        count = self._cards.get(hand, 2)
        if box not in self._split:
            along = order - 2 - max(0.0, count - 2 - self._room(box))
            across, up = habits.step[0] * along, habits.step[1] * along
            if sideways:
                across, up = across - habits.step[0] + 15, up - habits.step[1] - 30
            return across, up, 90.0 if sideways else 0.0
        column, row = self._column(hand)
        lowest = spot.tall / 2 - _INSET
        row = min(lowest, max(row, -habits.column_step * (count - 1) - lowest))
        up = row + habits.column_step * (order - 1)
        return column, up - (6.0 if sideways else 0.0), 90.0 if sideways else 0.0

    def _room(self, box: str) -> float:
        """How many steps from its middle the zone of a box has room for."""
        spot, step = self._spots[box], self._habits.step
        reach, height = spot.wide / 2 - _INSET, spot.tall / 2 - _INSET
        return min(reach / max(abs(step[0]), 1e-6), height / max(abs(step[1]), 1e-6))

    def _column(self, hand: str) -> tuple[float, float]:
        """Where the first card of a split hand lies in its box."""
        box = box_of(hand)
        count, wide = self._columns[box], self._spots[box].wide
        formed = int(hand.split(".")[1]) - 1 if "." in hand else 0
        room = wide - 2 * _INSET
        if room / max(count - 1, 1) >= _NARROW or count <= 2:
            gap = min(92.0, room / max(count - 1, 1))
            return (formed - (count - 1) / 2) * gap, 30.0
        return (formed % 2 - 0.5) * 92.0, 52.0 - 100.0 * (formed // 2)
