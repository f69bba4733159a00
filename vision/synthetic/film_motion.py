"""Where a thing is at each moment: poses, and the moves that lead from one to the next."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Pose:
    """The place of a card's centre or of a hand's fingertips, and how it is held."""

    x: float
    y: float
    lift: float = 0.0
    turned: float = 0.0
    flip: float = 0.0  # degrees about the card's long axis: 0 = face up, 180 = face down
    pitch: float = 0.0  # degrees that a card's lower end is bent up; below 0 its upper end

    def shifted(self, across: float, along: float, up: float = 0.0) -> Pose:
        return replace(self, x=self.x + across, y=self.y + along, lift=self.lift + up)


@dataclass(frozen=True, slots=True)
class Move:
    """From one pose to another, starting and ending at rest, on a way that is arched."""

    start: float
    end: float
    origin: Pose
    goal: Pose
    arch: float = 0.0  # mm higher in the middle of the way
    sway: float = 0.0  # mm beside the straight line in the middle of the way
    flips_from: float = 0.0  # the share of the time after which the card is turned over

    def at(self, time: float) -> Pose:
        if time >= self.end:
            return self.goal  # exactly: what lies on the table is not a hair above it
        share = min(1.0, max(0.0, (time - self.start) / max(self.end - self.start, 1e-9)))
        done = _eased(share)
        flipped = _eased(max(0.0, share - self.flips_from) / (1 - self.flips_from))
        here, there = self.origin, self.goal
        bump = float(np.sin(np.pi * done))
        across, along = there.x - here.x, there.y - here.y
        far = max(float(np.hypot(across, along)), 1e-6)
        turn = (there.turned - here.turned + 180) % 360 - 180
        return Pose(
            x=here.x + across * done - along / far * self.sway * bump,
            y=here.y + along * done + across / far * self.sway * bump,
            lift=here.lift + (there.lift - here.lift) * done + self.arch * bump,
            turned=here.turned + turn * done,
            flip=here.flip + (there.flip - here.flip) * flipped,
            pitch=here.pitch + (there.pitch - here.pitch) * done,
        )


def _eased(share: float) -> float:
    """The way done when a hand starts and stops gently."""
    return share**3 * (10 - 15 * share + 6 * share**2)


@dataclass(slots=True)
class Track:
    """All moves of one thing from when it is there until it is gone; between them it rests."""

    appears: float
    first: Pose
    moves: list[Move] = field(default_factory=list)
    gone: float = float("inf")

    @property
    def last(self) -> Pose:
        return self.moves[-1].goal if self.moves else self.first

    @property
    def free(self) -> float:
        """From when on it makes no more moves."""
        return self.moves[-1].end if self.moves else self.appears

    def add(self, move: Move) -> None:
        if move.start < self.free - 1e-9:
            raise ValueError("a thing cannot make two moves at the same time")
        self.moves.append(move)

    def move(
        self, start: float, end: float, goal: Pose, *, arch: float = 0.0, sway: float = 0.0
    ) -> None:
        self.add(Move(start, end, self.last, goal, arch, sway))

    def there(self, time: float) -> bool:
        return self.appears <= time < self.gone

    def move_at(self, time: float) -> Move | None:
        number = bisect_right(self.moves, time, key=lambda move: move.start) - 1
        if number < 0 or time >= self.moves[number].end:
            return None
        return self.moves[number]

    def at(self, time: float) -> Pose:
        number = bisect_right(self.moves, time, key=lambda move: move.start) - 1
        return self.first if number < 0 else self.moves[number].at(time)


def axes(pose: Pose) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Of a card so held: to its right, to its top, and out of its face."""
    turn, flip = np.radians(pose.turned), np.radians(pose.flip)
    right = np.array([np.cos(turn), np.sin(turn), 0.0])
    top = np.array([-np.sin(turn), np.cos(turn), 0.0])
    above = np.array([0.0, 0.0, 1.0])
    across = np.cos(flip) * right + np.sin(flip) * above
    out = np.cos(flip) * above - np.sin(flip) * right
    return across, top, out
