"""Which frames are worth reading, and where: something changed there and has come to rest.

The picture is judged in blocks, each for itself, so a card that lies still is read though a hand
moves beside it. What is compared is the detail of the brightness on a logarithmic scale: neither
light that grows or fades, nor a soft shadow, changes that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.areas import blocks_in, boxes_round, contains, grown, merged
from vision.scenes import Scene, difference, take_over

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from vision.card_reader import Box
    from vision.frames import Frame
    from vision.table_zones import Zones

_SIDE: Final = 4  # of a block, in pixels of the reduced picture
_MOST_WIDTH: Final = 480  # of the reduced picture
_SCALE: Final = 128.0  # steps for twice the brightness
_DARKEST: Final = 16.0  # brightness is counted from here, so that noise in the dark stays small
_DETAIL: Final = 17  # pixels of the reduced picture: what is larger is light, not detail
_LEAST_CHANGE: Final = 9.0  # steps, of a block's mean
_MOST_CHANGE: Final = 30.0  # steps: no noise lets more pass as nothing
_ABOVE_NOISE: Final = 2.2
_LEARNING: Final = 0.06  # how much of the noise's estimate each sample renews
_FULL_OF_DETAIL: Final = 24.0  # steps, of a block's mean
_SURELY: Final = 2.0  # times the threshold: that is motion, not noise
_JUST_NOW_S: Final = 0.15  # what moved since then moves
_RENEWED_S: Final = 1.0  # so often what rests is taken anew, or a slow drift would pass for noise
_MOSTLY: Final = 0.85  # of an area must lie still for it to be read again
_WEIGHT: Final = 6.0  # by how many times its threshold a change must exceed it, all blocks together
_ROUND_ZONES: Final = 0.05  # of the frame's width: a card that lies half outside its zone
_SELDOM_S: Final = 0.12  # frames that come no faster must be judged for as long as they last
_ONE_FRAME_S: Final = 0.2
_LATEST_VOTE_S: Final = 6.0  # what could not be read again by then is not


@dataclass(frozen=True, slots=True)
class Look:
    """Something changed here and now lies still; or the whole frame, at the first one."""

    frame: Frame
    areas: tuple[Box, ...]
    """What is to be read; everything else is as it was read last."""
    moving: tuple[Box, ...]
    """Where something moves at this moment: what lies there cannot be judged."""
    scene: Scene | None = None
    """What the frame shows, to be compared with what others show."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long something must lie before it is read, and how often it is read."""

    sample_s: float = 0.048
    """A frame that comes sooner after the last is not compared; so at least ten a second are."""
    still_s: float = 0.22
    patience_s: float = 0.12
    """For so much longer, what moves right beside it may come to rest too."""
    held_s: float = 0.4
    """A frame that is shown for so long, as in a slide show, lies still by itself."""
    votes_s: tuple[float, ...] = (0.5, 2.5)
    """When it is read again after a look, if nothing changed."""
    gather_s: float = 0.4
    """What is due for that within this time is read at once."""
    most_areas: int = 4
    reach: float = 0.06
    """Of the frame's width: how far from a change the rest of its card is looked for."""
    margin: float = 0.0125
    """Of the frame's width: what is read round that, so that no index is cut."""


USUAL_PACE: Final = Pace()


def looks(
    frames: Iterable[Frame],
    zones: Zones,
    pace: Pace = USUAL_PACE,
    worth_again: Callable[[Box], bool] | None = None,
) -> Iterator[Look]:
    """The moments at which something is to be read, and where.

    `worth_again` is asked before an area is read again that has not changed: whoever reads knows
    whether anything lies there, and whether it is still in doubt.
    """
    watch: _Watch | None = None
    last: Frame | None = None
    held = False
    for frame in frames:
        if watch is None or last is None:
            watch = _Watch(frame, zones, pace, worth_again or _always)
            last = frame
            height, width = frame.luma.shape
            yield Look(frame, ((0, 0, width, height),), (), watch.scene(frame.at_s))
            continue
        gap_s = frame.at_s - last.at_s
        if gap_s < pace.sample_s:
            continue
        held = gap_s >= pace.held_s
        # What a frame shows lasts until the next; but one frame alone may be of something that
        # moves, unless it is held.
        shown_s = gap_s if held else min(gap_s, _ONE_FRAME_S)
        if gap_s >= _SELDOM_S and (look := watch.judge(last, last.at_s + shown_s)):
            yield look
        watch.see(frame)
        if look := watch.judge(frame, frame.at_s):
            yield look
        last = frame
    if watch is not None and last is not None and held:
        look = watch.judge(last, last.at_s + pace.held_s)
        if look:
            yield look


@dataclass(frozen=True, slots=True)
class _Vote:
    """An area that was read, and when it is to be read again."""

    area: Box
    read_s: float
    due_s: tuple[float, ...]


def _always(_: Box) -> bool:
    return True


class _Watch:
    """What each block showed when it came to rest, and what it showed when it was read last."""

    def __init__(
        self, frame: Frame, zones: Zones, pace: Pace, worth_again: Callable[[Box], bool]
    ) -> None:
        height, width = frame.luma.shape
        self._pace = pace
        self._worth_again = worth_again
        self._size = (width, height)
        self._halvings = 0
        while width >> self._halvings > _MOST_WIDTH:
            self._halvings += 1
        self._side = _SIDE << self._halvings
        self._grid = (max(1, width // self._side), max(1, height // self._side))
        zones = zones.scaled_to(self._size)
        self._zones = self._blocks_of(zones, 1)
        self._hands = self._blocks_of(zones, round(_ROUND_ZONES * width / self._side))
        self._steps = _log_steps()
        blocks = self._grid[::-1]
        self._now = self._detail(frame.luma)
        self._rested = self._now.copy()
        self._read = self._now.copy()
        self._rests_since = np.full(blocks, frame.at_s)
        self._renewed_s = frame.at_s
        self._moved_at = np.full(blocks, -np.inf)
        self._noise: NDArray[np.float32] | None = None
        self._shake = 0.0  # how much a block differs though nothing moved, by how full it is
        self._bare = np.zeros_like(self._now)
        self._change = np.zeros(blocks, np.float32)
        self._nothing = np.full(blocks, _LEAST_CHANGE, np.float32)
        self._votes: list[_Vote] = []
        hands = [grown(box, 0, self._size) for box, _ in boxes_round(self._hands, self._side)]
        self._vote_on(merged(hands, pace.most_areas), frame.at_s)

    def _blocks_of(self, zones: Zones, reach: int) -> NDArray[np.bool_]:
        """The blocks of the hands' zones, and so many round them."""
        drawn = np.zeros(self._grid[::-1], np.uint8)
        for name in zones.hands:
            polygon = np.round(zones.polygons[name] / self._side - 0.5).astype(np.int32)
            cv2.fillPoly(drawn, [polygon], 1)
        around = np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)
        return np.asarray(cv2.dilate(drawn, around), np.bool_)

    def _detail(self, luma: NDArray[np.uint8]) -> NDArray[np.int16]:
        """What a frame shows, small, without its light."""
        small = luma
        for _ in range(self._halvings):
            height, width = small.shape
            half = (width // 2, height // 2)
            even = small[: half[1] * 2, : half[0] * 2]
            small = np.asarray(cv2.resize(even, half, interpolation=cv2.INTER_AREA), np.uint8)
        columns, rows = self._grid
        steps = cv2.LUT(small[: rows * _SIDE, : columns * _SIDE], self._steps)
        light = cv2.blur(steps, (_DETAIL, _DETAIL))
        detail: NDArray[np.int16] = cv2.subtract(steps, light).astype(np.int16, copy=False)
        return detail

    def _difference(self, other: NDArray[np.int16]) -> NDArray[np.float32]:
        """How much each block differs now from what another picture shows, in its mean."""
        return difference(self._now, other, self._grid[::-1])

    def see(self, frame: Frame) -> None:
        """Compare a frame with what rested there and with what was read, block by block."""
        self._now = self._detail(frame.luma)
        moved_by = self._difference(self._rested)
        if self._noise is None:
            self._noise = np.minimum(moved_by, 2 * np.median(moved_by))
        noise = self._noise
        full = self._difference(self._bare)
        nothing = np.asarray(cv2.dilate(noise, np.ones((3, 3), np.uint8)), np.float32)
        nothing = _LEAST_CHANGE + _ABOVE_NOISE * np.maximum(nothing, self._shake * full)
        nothing = np.minimum(nothing, _MOST_CHANGE)
        moved = moved_by > nothing
        learned = _LEARNING * (np.minimum(moved_by, 2 * noise + 1) - noise)
        self._rests_since[moved] = frame.at_s
        self._moved_at[moved_by > _SURELY * nothing] = frame.at_s
        quiet = frame.at_s - self._moved_at > self._pace.still_s
        noise += np.where(quiet, learned, 0)
        detailed = quiet & (full > _FULL_OF_DETAIL)
        if detailed.any():
            share = float(np.median(moved_by[detailed] / full[detailed]))
            self._shake += _LEARNING * (share - self._shake)
        if frame.at_s - self._renewed_s > _RENEWED_S:
            self._renewed_s = frame.at_s
            moved = moved | (frame.at_s - self._rests_since > _RENEWED_S)
        take_over(self._rested, self._now, moved)
        self._change = self._difference(self._read) / nothing
        self._nothing = nothing

    def judge(self, frame: Frame, now_s: float) -> Look | None:
        """Whether something is to be read in this frame, which is shown until that second."""
        rests_s = now_s - self._rests_since
        still = rests_s >= self._pace.still_s
        settled = merged(self._settled(rests_s, still), self._pace.most_areas)
        due = self._due(still, now_s)
        if not settled and not due:
            return None
        self._vote_on(settled, now_s)
        areas = merged([*settled, *due], self._pace.most_areas)
        # What has just changed where something is read again is still to be read for itself.
        known = (self._change <= 1) | self._inside(settled)
        take_over(self._read, self._now, self._inside(areas) & still & known)
        moving = (now_s - self._moved_at < _JUST_NOW_S) & self._hands
        around = [grown(box, self._side, self._size) for box, _ in boxes_round(moving, self._side)]
        return Look(frame, areas, merged(around, 2 * self._pace.most_areas), self.scene(now_s))

    def _inside(self, areas: Sequence[Box]) -> NDArray[np.bool_]:
        """The blocks of some areas."""
        inside = np.zeros(self._grid[::-1], np.bool_)
        for area in areas:
            inside[blocks_in(area, self._side)] = True
        return inside

    def scene(self, now_s: float) -> Scene:
        """What is shown at this second, as it can be compared; at first all lies still."""
        still = now_s - np.maximum(self._rests_since, self._moved_at) >= self._pace.still_s
        if np.isneginf(self._moved_at).all():
            still = np.ones_like(still)
        return Scene(self._now, self._nothing, still, self._side)

    def _settled(self, rests_s: NDArray[np.float64], still: NDArray[np.bool_]) -> list[Box]:
        """Where something changed and has come to rest, and what is round it has too."""
        changed = (self._change > 1) & self._hands
        settled = changed & still
        weights = np.where(settled & self._zones, self._change - 1, 0)
        if weights.sum() < _WEIGHT:
            return []
        unrest = cv2.dilate((changed & ~still).astype(np.uint8), np.ones((3, 3), np.uint8))
        waiting = (unrest > 0) & (rests_s < self._pace.still_s + self._pace.patience_s)
        return [
            self._whole(box, settled)
            for box, weight in boxes_round(settled, self._side, weights)
            if weight >= _WEIGHT and not (waiting & settled)[blocks_in(box, self._side)].any()
        ]

    def _whole(self, box: Box, changed: NDArray[np.bool_]) -> Box:
        """What changed, together with what it hangs together with: a card that is partly new.

        Paper, pips and outlines are full of detail, bare cloth is not.
        """
        reach = grown(box, self._pace.reach * self._size[0], self._size)
        window = blocks_in(reach, self._side)
        rows, columns = window
        side = _SIDE
        part = self._now[
            rows.start * side : rows.stop * side, columns.start * side : columns.stop * side
        ]
        full = cv2.resize(np.abs(part), changed[window].shape[::-1], interpolation=cv2.INTER_AREA)
        seeds = (changed & self._inside([box]))[window]
        _, labels = cv2.connectedComponents(((full > _FULL_OF_DETAIL) | seeds).astype(np.uint8))
        belongs = np.isin(labels, np.unique(labels[seeds]))
        down, across = np.nonzero(belongs)
        whole = (
            float((columns.start + across.min()) * self._side),
            float((rows.start + down.min()) * self._side),
            float((columns.start + across.max() + 1) * self._side),
            float((rows.start + down.max() + 1) * self._side),
        )
        return grown(whole, self._pace.margin * self._size[0], self._size)

    def _due(self, still: NDArray[np.bool_], now_s: float) -> list[Box]:
        """What is to be read again now: all that soon would be, if any must be."""
        self._votes = [vote for vote in self._votes if now_s - vote.read_s < _LATEST_VOTE_S]
        if not any(vote.due_s[0] <= now_s for vote in self._votes):
            return []
        due, later = [], []
        for vote in self._votes:
            soon = vote.due_s[0] <= now_s + self._pace.gather_s
            if soon and still[blocks_in(vote.area, self._side)].mean() >= _MOSTLY:
                if self._worth_again(vote.area):
                    due.append(vote.area)
                if vote.due_s[1:]:
                    later.append(_Vote(vote.area, vote.read_s, vote.due_s[1:]))
            else:
                later.append(vote)
        self._votes = later
        return due

    def _vote_on(self, areas: Sequence[Box], now_s: float) -> None:
        """Read these areas again later, if nothing new is laid there."""
        self._votes = [vote for vote in self._votes if not contains(areas, vote.area)]
        due_s = tuple(now_s + later_s for later_s in self._pace.votes_s)
        if due_s:
            self._votes += [_Vote(area, now_s, due_s) for area in areas]


def _log_steps() -> NDArray[np.int16]:
    """For each brightness its step on a scale on which twice as bright is always as far."""
    brightness = np.arange(256) + _DARKEST
    return np.asarray(np.round(_SCALE * np.log2(brightness / _DARKEST)), np.int16)
