"""Draws moments of a film quickly: what lies still is drawn once, what moves over it each time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.synthetic.canvases import Canvas, Sprite
from vision.synthetic.decks import FACE_PX_PER_MM
from vision.synthetic.film_motion import axes
from vision.synthetic.hands import lay_hand
from vision.synthetic.light import lit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.synthetic.film_motion import Pose
    from vision.synthetic.furniture import ChipStack
    from vision.synthetic.hands import Hand
    from vision.synthetic.pictures import Picture
    from vision.synthetic.tables import LaidCard, Table

_EDGE_ON: Final = 0.04  # below this share of its breadth only the edge of a card is seen
_STRIPS: Final = 6  # of a bent card
_STIFF: Final = 0.3  # the share of a bent card that stays flat
_SMEARED: Final = 10  # px round what moved that the lens changes too
_GAIN: Final = 0.98
_PAPER: Final = (222.0, 226.0, 228.0)


@dataclass(frozen=True, slots=True)
class MovingCard:
    card: str
    pose: Pose
    was: Pose  # when the shutter opened


@dataclass(frozen=True, slots=True)
class Moment:
    """What is there at one time: what lies still, what moves, and whose hands."""

    laid: tuple[LaidCard, ...]
    chips: tuple[ChipStack, ...]
    moving: tuple[MovingCard, ...]  # from the lowest to the topmost
    hands: tuple[Hand, ...]


class FilmCamera:
    """The pictures of a table's camera without the noise, which is new in every frame."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._light = (table.light.on(table.camera), table.light.glare(table.camera))
        self._lens = replace(
            table.filming, noise=0.0, specks=0.0, quality=100, shrink=1.0, moved=(0.0, 0.0)
        )
        self._resting: tuple[object, Picture, NDArray[np.uint8]] | None = None
        self._last: tuple[Moment, NDArray[np.uint8]] | None = None

    def labels(self, moment: Moment) -> Picture:
        """What lies still, unlit, with its labels."""
        return self._at_rest(moment)[0]

    def see(self, moment: Moment) -> NDArray[np.uint8]:
        if self._last is not None and self._last[0] == moment:
            return self._last[1]
        bare, seen = self._at_rest(moment)
        if moment.moving or moment.hands:
            seen = self._over(bare.image, seen, moment)
        self._last = (moment, seen)
        return seen

    def _at_rest(self, moment: Moment) -> tuple[Picture, NDArray[np.uint8]]:
        key = (moment.laid, moment.chips)
        if self._resting is None or self._resting[0] != key:
            bare = self._table.draw(moment.laid, (), moment.chips, as_filmed=False)
            self._resting = (key, bare, self._through_lens(bare.image, 0, 0))
        return self._resting[1], self._resting[2]

    def _over(
        self, bare: NDArray[np.uint8], seen: NDArray[np.uint8], moment: Moment
    ) -> NDArray[np.uint8]:
        canvas = Canvas(self._table.camera, bare.copy())
        for card in moment.moving:
            self._lay(canvas, card)
        for hand in moment.hands:
            lay_hand(canvas, hand, self._table.light)
        changed = cv2.cvtColor(cv2.absdiff(canvas.image, bare), cv2.COLOR_BGR2GRAY)
        left, top, width, height = cv2.boundingRect(changed)
        if not width:
            return seen
        rows, columns = bare.shape[:2]
        outer = [max(0, left - 2 * _SMEARED), max(0, top - 2 * _SMEARED)]
        right, bottom = (
            min(columns, left + width + 2 * _SMEARED),
            min(rows, top + height + 2 * _SMEARED),
        )
        part = self._through_lens(canvas.image[outer[1] : bottom, outer[0] : right], *outer)
        inner_left, inner_top = max(0, left - _SMEARED), max(0, top - _SMEARED)
        inner_right = min(columns, left + width + _SMEARED)
        inner_bottom = min(rows, top + height + _SMEARED)
        picture = seen.copy()
        picture[inner_top:inner_bottom, inner_left:inner_right] = part[
            inner_top - outer[1] : inner_bottom - outer[1],
            inner_left - outer[0] : inner_right - outer[0],
        ]
        return picture

    def _through_lens(self, image: NDArray[np.uint8], left: int, top: int) -> NDArray[np.uint8]:
        height, width = image.shape[:2]
        there = (slice(top, top + height), slice(left, left + width))
        glare = self._light[1]
        shown = lit(image, self._light[0][there], None if glare is None else glare[there])
        return self._lens.film(shown, np.random.default_rng(0))

    def _lay(self, canvas: Canvas, card: MovingCard) -> None:
        pose = card.pose
        deck = self._table.deck
        right, top, out = axes(pose)
        # A card that is being turned stands on its edge.
        standing = deck.width_mm / 2 * abs(np.sin(np.radians(pose.flip)))
        centre = np.array([pose.x, pose.y, max(pose.lift, float(standing)) + 0.5])
        upright = centre + top * deck.height_mm / 2
        if not pose.pitch:
            self._lay_strip(canvas, card, upright, (right, -top, out), (0.0, 1.0))
            return
        for start, down, strip in _bent(upright, top, deck.height_mm, pose.pitch):
            self._lay_strip(canvas, card, start, (right, down, np.cross(right, -down)), strip)

    def _lay_strip(
        self,
        canvas: Canvas,
        card: MovingCard,
        upper: NDArray[np.float64],
        directions: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
        strip: tuple[float, float],
    ) -> None:
        """A flat part of a card, from the middle of its upper edge on, seen from either side."""
        deck, camera = self._table.deck, canvas.camera
        right, down, out = directions
        long = (strip[1] - strip[0]) * deck.height_mm
        sight = camera.above - (upper + down * long / 2)
        facing = float(out @ sight) / float(np.linalg.norm(sight))
        across = right if facing > 0 else -right
        corner = upper - across * deck.width_mm / 2
        if abs(facing) < _EDGE_ON:
            end = corner + across * deck.width_mm
            outline = np.array([corner, end, end + down * long, corner + down * long])
            canvas.fill(outline + np.array([0, 0, 0.4]), _PAPER)
            return
        sprites = self._table.sprites
        sprite = sprites.face(card.card) if facing > 0 else sprites.back
        if strip != (0.0, 1.0):
            pixels, _ = sprite.level(1.0)
            rows = [round(share * pixels.shape[0]) for share in strip]
            sprite = Sprite(np.ascontiguousarray(pixels[rows[0] : rows[1]]))
        scale = 1 / FACE_PX_PER_MM
        start = corner + (across + down) * scale / 2
        place = camera.slanted_plane(across * scale, down * scale, start)
        canvas.lay(
            sprite,
            place,
            gain=_GAIN * (0.75 + 0.25 * min(1.0, 1.6 * abs(facing))),
            moved=self._smear(canvas, card),
            shadow=self._shadow(canvas, card.pose),
        )

    def _smear(self, canvas: Canvas, card: MovingCard) -> tuple[float, float]:
        ends = np.array([[one.x, one.y, one.lift] for one in (card.was, card.pose)])
        went = np.diff(canvas.camera.project(ends), axis=0)[0]
        if float(np.hypot(*went)) < 0.7:
            return 0.0, 0.0
        return float(went[0]), float(went[1])

    def _shadow(self, canvas: Canvas, pose: Pose) -> tuple[float, float, float, float]:
        light = self._table.light
        height = pose.lift + 1
        fall = np.array([[pose.x, pose.y], [pose.x, pose.y]])
        fall[1] += np.array(light.shadow) * height
        across, down = np.diff(canvas.camera.project(fall), axis=0)[0]
        soft = canvas.camera.scale_at(pose.x, pose.y) * (1.8 + 0.25 * pose.lift)
        return float(across), float(down), float(np.clip(soft, 1, 30)), light.darkness


def _bent(
    upright: NDArray[np.float64], top: NDArray[np.float64], long: float, pitch: float
) -> list[tuple[NDArray[np.float64], NDArray[np.float64], tuple[float, float]]]:
    """The strips of a card whose lower end (upper, below 0) is bent up, each with its start."""
    shares = [0.0, *np.linspace(_STIFF, 1, _STRIPS).tolist()]
    above = np.array([0.0, 0.0, 1.0])
    strips = []
    lower_end = pitch > 0
    place = upright if lower_end else upright - top * long
    ahead = -top if lower_end else top
    for number, (start, end) in enumerate(pairwise(shares)):
        angle = np.radians(abs(pitch)) * number / (len(shares) - 2)
        way = ahead * np.cos(angle) + above * np.sin(angle)
        following = place + way * (end - start) * long
        if lower_end:
            strips.append((place, way, (start, end)))
        else:
            strips.append((following, -way, (1 - end, 1 - start)))
        place = following
    return strips
