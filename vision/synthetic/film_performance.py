"""What a dealer's performance consists of: cards, hands and chips with all their moves."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.synthetic.film_motion import Pose, Track
from vision.synthetic.hands import Hand

if TYPE_CHECKING:
    from vision.synthetic.film_scripts import Deal
    from vision.synthetic.furniture import ChipStack

_HELD_UP: Final = 5.0  # mm that fingertips are above what they hold
_SHOULDER: Final = 270.0  # mm above the table


@dataclass(frozen=True, slots=True)
class Rest:
    """A while in which a card lay still."""

    start: float
    end: float
    pose: Pose
    hand: str

    @property
    def face_up(self) -> bool:
        return self.pose.flip < 90


@dataclass(slots=True)
class DealtCard:
    """A card of the film with all its moves."""

    step: Deal
    round: int
    seq: int
    order: int  # in the hand to which it was dealt, from 1
    left_shoe: float
    track: Track
    hand: str  # where it is now: a split moves it
    rests: list[Rest] = field(default_factory=list)
    let_go: float = 0.0
    turned_up: float | None = None  # when it was turned where it lay
    cleared: float = float("inf")
    height: list[tuple[float, float]] = field(default_factory=list)  # from when on, in the pile
    covered: float = float("inf")  # from when on others of a packet hide it

    def lies(self, start: float) -> None:
        self.rests.append(Rest(start, float("inf"), self.track.last, self.hand))
        self.height.append((start, start))

    def taken_up(self, time: float) -> None:
        if self.rests and self.rests[-1].end == float("inf"):
            self.rests[-1] = replace(self.rests[-1], end=time)


@dataclass(slots=True)
class Arm:
    """A hand that belongs to somebody: dealer or player."""

    track: Track
    shoulder: tuple[float, float]
    style: int
    left: bool

    def hand(self, time: float, open_for: float = 0.0) -> Hand:
        """The hand as it is, and how far it went while the shutter was open."""
        pose = self.track.at(time)
        was = self.track.at(time - open_for) if open_for else pose
        across, along = pose.x - self.shoulder[0], pose.y - self.shoulder[1]
        rise = np.degrees(np.arctan2(_SHOULDER - pose.lift, np.hypot(across, along)))
        return Hand(
            pose.x,
            pose.y,
            float(np.degrees(np.arctan2(along, across))) - 90 + pose.turned,
            self.style,
            pose.lift,
            (pose.x - was.x, pose.y - was.y),
            rise=float(np.clip(rise, 6, 26)),
            left=self.left,
        )

    def grip(self, card: Pose, reach: float = 20.0) -> Pose:
        """The pose of the fingertips that hold a card, coming from the shoulder."""
        away = np.array([self.shoulder[0] - card.x, self.shoulder[1] - card.y])
        x, y = np.array([card.x, card.y]) + away / max(float(np.linalg.norm(away)), 1.0) * reach
        return Pose(float(x), float(y), card.lift + _HELD_UP)


@dataclass(frozen=True, slots=True)
class Stack:
    """Chips that stand there for a while."""

    box: str
    chips: ChipStack
    start: float
    end: float = float("inf")


@dataclass(frozen=True, slots=True)
class Called:
    """Something decided or announced, in the words of a call log."""

    time: float
    call: str
    hand: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class RoundSpan:
    number: int
    start: float
    end: float  # when the table was clear again
    calls: tuple[Called, ...]


@dataclass(frozen=True, slots=True)
class Performance:
    """All that happens in a film."""

    cards: tuple[DealtCard, ...]
    arms: tuple[Arm, ...]
    stacks: tuple[Stack, ...]
    rounds: tuple[RoundSpan, ...]
    length: float


@dataclass(frozen=True, slots=True)
class Tempo:
    """How quick a dealer is, in seconds."""

    beat: float  # from one card to the next
    uneven: float
    turn: float
    before: float
    after: float


def draw_tempo(rng: np.random.Generator) -> Tempo:
    beat = float(np.clip(np.exp(rng.normal(0.25, 0.3)), 0.85, 2.4))
    return Tempo(
        beat, float(rng.uniform(0.04, 0.16)), float(rng.uniform(0.34, 0.5)),
        before=float(rng.uniform(0.5, 1.2)), after=float(rng.uniform(1.2, 2.0)),
    )  # fmt: skip
