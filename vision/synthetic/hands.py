"""Hands, arms and the dealer behind the table."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.synthetic.canvases import SOMETHING, Sprite
from vision.synthetic.felts import smooth_noise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.synthetic.canvases import Canvas
    from vision.synthetic.light import Light

HAND_STYLES: Final = 180
_PX_PER_MM: Final = 1.2
_WIDE_MM: Final = 230
_LONG_MM: Final = 560
_STRETCHED_MM: Final = 1000  # length of the arm after its last part is drawn out
_TORSO_MM: Final = (560, 900)
_TORSO_PX_PER_MM: Final = 0.5
TORSO_STYLES: Final = 64
_TIP_MM: Final = 40  # from the sprite's upper edge to the longest fingertip


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand with its forearm, seen from above."""

    x: float  # mm: where the fingertips are
    y: float
    turned: float  # degrees anticlockwise; 0 = the fingers point away from the players
    style: int
    lift: float = 20.0
    moved: tuple[float, float] = (0.0, 0.0)  # mm during the exposure
    rise: float = 8.0  # degrees that the arm rises towards the elbow
    below_cards: bool = False  # it carries the lifted cards instead of covering them
    left: bool = False


def lay_hand(canvas: Canvas, hand: Hand, light: Light) -> None:
    """Lay the hand with its forearm rising from the table towards the elbow."""
    place = _rising(canvas, hand)
    size = (int(_WIDE_MM * _PX_PER_MM), int(_STRETCHED_MM * _PX_PER_MM))
    if not canvas.sees(place, size):
        return
    pixels = canvas.camera.scale_at(hand.x, hand.y)
    moved = _pixels_moved(canvas, hand.x, hand.y, hand.moved)
    above = hand.lift + 12
    fall = _pixels_moved(canvas, hand.x, hand.y, (light.shadow[0] * above, light.shadow[1] * above))
    shadow = (fall[0], fall[1], float(np.clip(6 * pixels, 2, 25)), light.darkness * 0.9)
    canvas.lay(_hand(hand.style), place, SOMETHING, moved=moved, shadow=shadow)


def _rising(canvas: Canvas, hand: Hand) -> NDArray[np.float64]:
    """From pixels of a hand's sprite to the picture."""
    turn = np.radians(hand.turned)
    slope = np.radians(hand.rise)
    mirror = -1.0 if hand.left else 1.0
    across = np.array([np.cos(turn), np.sin(turn), 0.0]) * mirror / _PX_PER_MM
    back = np.array([np.sin(turn) * np.cos(slope), -np.cos(turn) * np.cos(slope), np.sin(slope)])
    back /= _PX_PER_MM
    tip = np.array([hand.x, hand.y, hand.lift])
    start = tip - across * _WIDE_MM / 2 * _PX_PER_MM - back * _TIP_MM * _PX_PER_MM
    return canvas.camera.slanted_plane(across, back, start)


def _pixels_moved(
    canvas: Canvas, x: float, y: float, moved: tuple[float, float]
) -> tuple[float, float]:
    if moved == (0.0, 0.0):
        return moved
    ends = canvas.camera.project(np.array([[x, y], [x + moved[0], y + moved[1]]]))
    return float(ends[1, 0] - ends[0, 0]), float(ends[1, 1] - ends[0, 1])


def skin(rng: np.random.Generator) -> NDArray[np.float32]:
    """Any human skin, from very light to very dark (BGR)."""
    depth = rng.random()
    light = np.array(
        [[190, 205, 238], [150, 180, 225], [110, 145, 200], [70, 100, 155], [38, 58, 98]]
    )
    tone = np.array([np.interp(depth, np.linspace(0, 1, 5), light[:, k]) for k in range(3)])
    return np.asarray(np.clip(tone * rng.normal(1, 0.05, 3), 15, 250), np.float32)


def cloth(rng: np.random.Generator) -> NDArray[np.float32]:
    if rng.random() < 0.5:
        return np.full(3, rng.choice([18.0, 35.0, 235.0, 225.0]), np.float32)
    red, green, blue = colorsys.hsv_to_rgb(
        rng.random(), rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9)
    )
    return np.array([255 * blue, 255 * green, 255 * red], np.float32)


@lru_cache(maxsize=100)
def _hand(style: int) -> Sprite:
    rng = np.random.default_rng((style, 53))
    height = np.zeros((int(_LONG_MM * _PX_PER_MM), int(_WIDE_MM * _PX_PER_MM)), np.float32)
    middle = height.shape[1] / 2
    elbow = (float(middle + rng.normal(0, 15)), height.shape[0] + 40.0)
    tips = _hand_bones(rng, height, elbow)
    skin_height = height.copy()
    wrist = (_TIP_MM + 195) * _PX_PER_MM
    sleeve_from = wrist + rng.uniform(10, 60) * _PX_PER_MM
    bare = rng.random() < 0.22
    sleeve = np.zeros_like(height)
    if not bare:
        narrow, wide = rng.uniform(42, 52) * _PX_PER_MM, rng.uniform(50, 68) * _PX_PER_MM
        _capsule(sleeve, (middle, sleeve_from + 30), elbow, float(narrow), float(wide))
        sleeve[: int(sleeve_from)] = 0
    shape = np.maximum(skin_height, sleeve)
    colour = np.ones((*height.shape, 3), np.float32) * skin(rng)
    nail = np.clip(skin(rng) * 1.1 + 25, 0, 255) if rng.random() < 0.7 else cloth(rng)
    for x, y, turn, radius in tips:
        axes = (int(radius * 0.6), int(radius * 0.9))
        cv2.ellipse(
            colour, (int(x), int(y)), axes, float(turn), 0, 360, nail.tolist(), -1, cv2.LINE_AA
        )
    mottled = cv2.resize(smooth_noise(rng, 128, 2), (height.shape[1], height.shape[0]))
    colour *= 1 + 0.035 * mottled[:, :, None]
    covered = sleeve > skin_height
    colour[covered] = cloth(rng)
    if not bare and rng.random() < 0.6:
        cuff = covered.copy()
        cuff[int(sleeve_from + rng.uniform(12, 30) * _PX_PER_MM) :] = False
        colour[cuff] = (232, 230, 228)
    shade = _shaded(shape, rng, covered)
    image = np.clip(colour * shade[:, :, None], 0, 255)
    mask = np.clip(shape * 60, 0, 255).astype(np.uint8)
    mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), 0.8), np.uint8)
    image *= mask[:, :, None] * np.float32(1 / 255)
    return Sprite(_drawn_out(np.dstack([image.astype(np.uint8), mask])))


def _drawn_out(arm: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Stretch the last part of the forearm, so that the arm goes on to the shoulder."""
    kept = int(arm.shape[0] * 0.75)
    rest = int(_STRETCHED_MM * _PX_PER_MM) - kept
    upper = cv2.resize(arm[kept:], (arm.shape[1], rest), interpolation=cv2.INTER_LINEAR)
    return np.vstack([arm[:kept], np.asarray(upper, np.uint8)])


def _hand_bones(
    rng: np.random.Generator, height: NDArray[np.float32], elbow: tuple[float, float]
) -> list[tuple[float, float, float, float]]:
    """Raise fingers, palm and forearm; where the nails are."""
    px = _PX_PER_MM
    middle = height.shape[1] / 2
    size = rng.uniform(0.88, 1.08)
    spread = rng.uniform(0.0, 0.16)
    curled = rng.uniform(0, 0.45) if rng.random() < 0.6 else 0.0
    tip = _TIP_MM * px
    knuckles = tip + 88 * px * size
    wrist = tip + 185 * px * size
    tips = []
    lengths = np.array([74, 84, 79, 62]) * (1 - curled * rng.uniform(0.7, 1.2, 4))
    if rng.random() < 0.3:
        lengths[1:] *= rng.uniform(0.35, 0.6)  # points with the first finger
    for number, length in enumerate(lengths):
        across = (number - 1.5) * 20 * px * size
        angle = (number - 1.5) * spread + rng.normal(0, 0.03)
        root = (middle + across, knuckles + abs(number - 1.2) * 5 * px)
        reach = length * px * size
        end = (root[0] + reach * np.sin(angle), root[1] - reach * np.cos(angle))
        joint = (
            root[0] * 0.45 + end[0] * 0.55 + rng.normal(0, 1.0),
            root[1] * 0.45 + end[1] * 0.55,
        )
        _capsule(height, root, joint, 10.5 * px * size, 9.3 * px * size)
        _capsule(height, joint, end, 9.3 * px * size, 7.6 * px * size)
        if curled < 0.3:
            tips.append((end[0], end[1] - 1 * px, np.degrees(angle), 7.6 * px * size))
    for across in (-27, -12, 4, 20, 29):
        upper = (middle + across * px * size, knuckles + 8 * px)
        lower = (middle + across * 0.55 * px * size, wrist - 14 * px)
        _capsule(height, upper, lower, 13.5 * px * size, 16 * px * size)
    base = (middle - 26 * px * size, wrist - 48 * px * size)
    out = rng.uniform(0.35, 0.95)
    bend = (base[0] - 36 * px * np.sin(out), base[1] - 36 * px * np.cos(out))
    end = (bend[0] - 30 * px * np.sin(out * 0.6), bend[1] - 30 * px * np.cos(out * 0.6))
    _capsule(height, (middle - 10 * px, wrist - 25 * px), base, 17 * px * size, 16 * px * size)
    _capsule(height, base, bend, 14 * px * size, 11 * px * size)
    _capsule(height, bend, end, 11 * px * size, 8.5 * px * size)
    tips.append((end[0], end[1], -np.degrees(out * 0.6), 8.5 * px))
    _capsule(height, (middle, wrist), elbow, 27 * px * size, 40 * px * size)
    return tips


def _capsule(
    height: NDArray[np.float32],
    start: tuple[float, float],
    end: tuple[float, float],
    first: float,
    last: float,
) -> None:
    """Raise a rounded limb between two points where it is higher than what is there."""
    widest = max(first, last) + 1
    left = max(0, int(min(start[0], end[0]) - widest))
    right = min(height.shape[1], int(max(start[0], end[0]) + widest) + 1)
    top = max(0, int(min(start[1], end[1]) - widest))
    bottom = min(height.shape[0], int(max(start[1], end[1]) + widest) + 1)
    if right <= left or bottom <= top:
        return
    columns = np.arange(left, right, dtype=np.float32)[None, :] - np.float32(start[0])
    rows = np.arange(top, bottom, dtype=np.float32)[:, None] - np.float32(start[1])
    across, down = np.float32(end[0] - start[0]), np.float32(end[1] - start[1])
    length = max(float(across**2 + down**2), 1e-3)
    share = np.clip((columns * across + rows * down) / np.float32(length), 0, 1)
    squared = (columns - share * across) ** 2 + (rows - share * down) ** 2
    radius = np.float32(first) + share * np.float32(last - first)
    raised = np.sqrt(np.maximum(radius**2 - squared, 0))
    part = height[top:bottom, left:right]
    np.maximum(part, raised, out=part)


def _shaded(
    shape: NDArray[np.float32], rng: np.random.Generator, covered: NDArray[np.bool_]
) -> NDArray[np.float32]:
    smooth = cv2.GaussianBlur(shape, (0, 0), 2.0)
    if covered.any():
        folds = cv2.resize(smooth_noise(rng, 128, 5), (shape.shape[1], shape.shape[0]))
        smooth = smooth + np.where(covered, 7 * folds, 0).astype(np.float32)
    across = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, ksize=3) / 8
    down = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, ksize=3) / 8
    length = np.sqrt(across**2 + down**2 + 1)
    lean = rng.uniform(-0.5, 0.5)
    toward = (1.0 - lean * across + 0.25 * down) / length
    return np.asarray(np.clip(0.38 + 0.66 * toward, 0.25, 1.15), np.float32)


@dataclass(frozen=True, slots=True)
class Dealer:
    """The upper body behind the table."""

    style: int
    x: float
    y: float


def stand_dealer(canvas: Canvas, dealer: Dealer) -> None:
    """Torso and head upright behind the edge, in shirt and waistcoat."""
    wide, tall = _TORSO_MM
    to_plane = np.array([[1 / _TORSO_PX_PER_MM, 0, dealer.x - wide / 2],
                         [0, -1 / _TORSO_PX_PER_MM, tall - 60.0], [0, 0, 1.0]])  # fmt: skip
    place = canvas.camera.upright_plane(dealer.y) @ to_plane
    if canvas.sees(place, (int(wide * _TORSO_PX_PER_MM), int(tall * _TORSO_PX_PER_MM))):
        canvas.lay(_torso(dealer.style), place)


@lru_cache(maxsize=TORSO_STYLES)
def _torso(style: int) -> Sprite:
    rng = np.random.default_rng((style, 61))
    px = _TORSO_PX_PER_MM
    wide, tall = int(_TORSO_MM[0] * px), int(_TORSO_MM[1] * px)
    shape = np.zeros((tall, wide), np.float32)
    middle = wide / 2
    _capsule(shape, (middle, 430 * px), (middle, tall + 100 * px), 150 * px, 170 * px)
    _capsule(shape, (middle - 140 * px, 350 * px), (middle + 140 * px, 350 * px), 75 * px, 75 * px)
    for side in (-1, 1):
        shoulder, elbow = middle + side * 175 * px, middle + side * 215 * px
        _capsule(shape, (shoulder, 370 * px), (elbow, 700 * px), 62 * px, 50 * px)
    head = np.zeros_like(shape)
    _capsule(head, (middle, 210 * px), (middle, 300 * px), 52 * px, 55 * px)
    _capsule(head, (middle, 110 * px), (middle, 170 * px), 82 * px, 70 * px)
    colour = np.ones((tall, wide, 3), np.float32) * cloth(rng)
    shirt = [230.0, 228.0, 226.0] if rng.random() < 0.5 else cloth(rng).tolist()
    if rng.random() < 0.6:
        front = np.array([[230, 290], [330, 290], [290, 620], [270, 620]]) * px
        cv2.fillPoly(colour, [front.astype(np.int32)], shirt)
        colour[:, : int(130 * px)] = shirt
        colour[:, wide - int(130 * px) :] = shirt
    if rng.random() < 0.6:
        bow = np.array([[[235, 285], [280, 305], [235, 330]], [[325, 285], [280, 305], [325, 330]]])
        cv2.fillPoly(colour, list((bow * px).astype(np.int32)), cloth(rng).tolist())
    if rng.random() < 0.5:
        badge = (np.array([[340, 420], [400, 438]]) * px).astype(np.int32)
        cv2.rectangle(colour, badge[0].tolist(), badge[1].tolist(), (220, 225, 228), -1)
    colour[head > shape] = skin(rng)
    colour[: int(75 * px)][head[: int(75 * px)] > 0] = rng.uniform(5, 60)
    both = np.maximum(shape, head)
    shade = _shaded(both, rng, (shape > head) & (shape > 0))
    mask = np.clip(both * 80, 0, 255).astype(np.uint8)
    image = np.clip(colour * shade[:, :, None], 0, 255) * (mask[:, :, None] * np.float32(1 / 255))
    return Sprite(np.dstack([image.astype(np.uint8), mask]))
