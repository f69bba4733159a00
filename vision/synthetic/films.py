"""Film of rounds of play, as a dealer deals them, with the exact truth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.synthetic.dealing import perform
from vision.synthetic.film_camera import FilmCamera, Moment, MovingCard
from vision.synthetic.film_scripts import BURN, DISCARD, BadScript, box_of
from vision.synthetic.film_tables import draw_film_table
from vision.synthetic.tables import LaidCard

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from vision.synthetic.film_performance import DealtCard, Performance
    from vision.synthetic.film_scripts import RoundScript
    from vision.synthetic.pictures import Picture
    from vision.synthetic.tables import Table

_SETTLING: Final = 0.8  # seconds that an exposure takes to change


@dataclass(frozen=True, slots=True)
class Take:
    """How the camera behaves through a film."""

    shutter: float  # seconds it is open for a frame
    noise: float
    flicker: float
    flicker_hz: float
    exposure_changes: tuple[tuple[float, float], ...]  # when, and how much brighter
    shake: float  # px

    def gain(self, time: float) -> float:
        gain = 1 + self.flicker * float(np.sin(2 * np.pi * self.flicker_hz * time))
        for start, factor in self.exposure_changes:
            gain *= factor ** float(np.clip((time - start) / _SETTLING, 0, 1))
        return gain


def draw_take(
    rng: np.random.Generator, table: Table, length: float, *, shaken: bool = False
) -> Take:
    changes = []
    if rng.random() < 0.3:
        changes.append((float(rng.uniform(0, length)), float(np.exp(rng.normal(0, 0.09)))))
    return Take(
        shutter=float(rng.uniform(1 / 120, 1 / 45)),
        noise=max(0.8, table.filming.noise),
        flicker=float(rng.uniform(0, 0.012)),
        flicker_hz=float(rng.uniform(0.5, 9)),
        exposure_changes=tuple(changes),
        shake=float(rng.uniform(0.2, 0.6)) if shaken else 0.0,
    )


class Film:
    """Rounds at a table before a camera. Frames are drawn when they are asked for."""

    def __init__(self, seed: int, table: Table, performance: Performance, take: Take) -> None:
        self.seed = seed
        self.table = table
        self.performance = performance
        self.take = take
        self._camera = FilmCamera(table)
        self._grain = replace(
            table.filming, noise=take.noise, blur=0.0, sharpening=0.0, shrink=1.0, quality=100,
            gamma=1.0, contrast=1.0, saturation=1.0, moved=(0.0, 0.0), specks=0.0,
        )  # fmt: skip

    @property
    def length(self) -> float:
        return self.performance.length

    def frames(
        self, fps: Fraction | float = 30, start: float = 0.0, end: float | None = None
    ) -> Iterator[tuple[float, NDArray[np.uint8]]]:
        """Each frame with its time in the film."""
        for time in frame_times(fps, start, self.length if end is None else end):
            yield time, self.frame(time)

    def frame(self, time: float) -> NDArray[np.uint8]:
        """The picture that the camera takes at that time; always the same for the same time."""
        rng = np.random.default_rng((self.seed, round(time * 1_000_000), 5))
        gain = self.take.gain(time) * float(1 + rng.normal(0, 0.002))
        clean = self._camera.see(self.moment(time))
        image = np.asarray(cv2.convertScaleAbs(clean, alpha=gain), np.uint8)
        if self.take.shake:
            x, y = rng.normal(0, self.take.shake, 2)
            image = np.asarray(
                cv2.warpAffine(
                    image,
                    np.array([[1, 0, x], [0, 1, y]], np.float64),
                    (image.shape[1], image.shape[0]),
                    borderMode=cv2.BORDER_REPLICATE,
                ),
                np.uint8,
            )
        return self._grain.film(image, rng)

    def labels(self, time: float) -> Picture:
        """The labels of what lies still then, as if no hand were over it."""
        return self._camera.labels(self.moment(time))

    def moment(self, time: float) -> Moment:
        laid, moving = [], []
        there = [card for card in self.performance.cards if card.track.there(time)]
        for card in sorted(there, key=lambda card: _height(card, time)):
            pose = card.track.at(time)
            if card.track.move_at(time) is not None or pose.pitch:
                was = card.track.at(max(card.track.appears, time - self.take.shutter))
                moving.append(MovingCard(card.step.card, pose, was))
            else:
                laid.append(
                    LaidCard(card.step.card, pose.x, pose.y, pose.turned, pose.flip < 90, pose.lift)
                )
        return Moment(
            tuple(laid),
            tuple(
                stack.chips for stack in self.performance.stacks if stack.start <= time < stack.end
            ),
            tuple(moving),
            tuple(
                arm.hand(time, self.take.shutter)
                for arm in self.performance.arms
                if arm.track.there(time)
            ),
        )


def _height(card: DealtCard, time: float) -> float:
    """Where a card is in the pile: one laid, turned or moved later lies above."""
    known = [height for start, height in card.height if start <= time]
    return known[-1] if known else card.left_shoe


def frame_times(fps: Fraction | float, start: float, end: float) -> Iterator[float]:
    """The times of a steady rate, exact however long the film is; 29.97 is 30000/1001."""
    rate = exact_rate(fps)
    number = -(-Fraction(start).limit_denominator(1_000_000) * rate // 1)
    while (time := number / rate) < end:
        yield float(time)
        number += 1


def exact_rate(fps: Fraction | float) -> Fraction:
    rate = Fraction(fps).limit_denominator(1001)
    broadcast = Fraction(round(fps) * 1000, 1001)
    return broadcast if abs(float(fps) - float(broadcast)) < 0.005 else rate


def make_film(
    seed: int,
    scripts: Sequence[RoundScript],
    *,
    kept_out: bool = False,
    size: tuple[int, int] = (1280, 720),
    table: Table | None = None,
    shaken: bool = False,
) -> Film:
    """Film those rounds, at a table drawn for them unless one is given."""
    hands = {
        box_of(hand) for script in scripts for hand in script.hands() if hand not in (BURN, DISCARD)
    }
    if table is None:
        game = "baccarat" if hands & {"player", "banker"} else "blackjack"
        boxes = [int(hand.removeprefix("box")) for hand in hands if hand.startswith("box")]
        table = draw_film_table(seed, game, boxes=max([3, *boxes]), kept_out=kept_out, size=size)
    missing = sorted(hands - set(table.zones))
    if missing:
        raise BadScript(f"the table has no zone for {', '.join(missing)}")
    performance = perform(table, scripts, seed)
    rng = np.random.default_rng((seed, 409))
    return Film(seed, table, performance, draw_take(rng, table, performance.length, shaken=shaken))
