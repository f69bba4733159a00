"""How cards and chips lie: rounds of blackjack, coups of baccarat, scattered cards and fans."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from vision.cards import CARDS
from vision.synthetic.felts import WAGER_MM
from vision.synthetic.furniture import CHIP_RADIUS, CHIP_STYLES, CHIP_THICK, ChipStack
from vision.synthetic.tables import BANKER_AT, DEALER_AT, PLAYER_AT, LaidCard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.synthetic.felts import Seat

Place = tuple[float, float]


def any_card(rng: np.random.Generator) -> str:
    return CARDS[int(rng.integers(len(CARDS)))]


def row_of_cards(
    rng: np.random.Generator, count: int, centre: Place, turned: float, step: Place, untidy: float
) -> list[LaidCard]:
    """Cards each laid a step (across and up the card) from the last, their middle at the centre."""
    angle = np.radians(turned)
    across = np.array([np.cos(angle), np.sin(angle)])
    up = np.array([-np.sin(angle), np.cos(angle)])
    cards = []
    for number in range(count):
        along = number - (count - 1) / 2
        shift = along * (step[0] * across + step[1] * up) + rng.normal(0, untidy * 0.5, 2)
        x, y = float(centre[0] + shift[0]), float(centre[1] + shift[1])
        cards.append(LaidCard(any_card(rng), x, y, float(turned + rng.normal(0, untidy))))
    return cards


def blackjack_round(rng: np.random.Generator, seats: Sequence[Seat]) -> list[LaidCard]:
    """The dealer's hand and a hand or two in most boxes, laid as one house lays them."""
    facing = 0.0 if rng.random() < 0.7 else 180.0
    untidy = float(rng.uniform(0.5, 5))
    step = _house_step(rng)
    laid = []
    for seat in seats:
        if rng.random() < 0.12:
            continue
        if rng.random() < 0.3:
            step = _house_step(rng)
        hands = 1 if rng.random() < 0.85 else 2
        angle = np.radians(seat.turned)
        for number in range(hands):
            beside = (number - (hands - 1) / 2) * 95
            place = (float(seat.x + beside * np.cos(angle)), float(seat.y + beside * np.sin(angle)))
            count = int(rng.choice([1, 2, 3, 4, 5], p=[0.04, 0.46, 0.28, 0.15, 0.07]))
            hand = row_of_cards(rng, count, place, seat.turned + facing, step, untidy)
            if count == 3 and rng.random() < 0.3:
                hand[2] = replace(
                    hand[2], turned=hand[2].turned + 90, face_up=bool(rng.random() < 0.8)
                )
            laid += hand
    return laid + _dealer_hand(rng, facing, untidy)


def _dealer_hand(rng: np.random.Generator, facing: float, untidy: float) -> list[LaidCard]:
    count = int(rng.choice([2, 3, 4, 5], p=[0.6, 0.25, 0.1, 0.05]))
    apart = (float(rng.uniform(18, 80)), float(rng.normal(0, 3)))
    turned = facing + (180 if rng.random() < 0.3 else 0)
    hand = row_of_cards(rng, count, DEALER_AT, turned, apart, untidy)
    if count == 2 and rng.random() < 0.7:
        hidden = int(rng.integers(2))
        hand[hidden] = replace(hand[hidden], face_up=False)
    return hand


def _house_step(rng: np.random.Generator) -> Place:
    """How far each next card of a hand lies from the one before."""
    kind = rng.random()
    if kind < 0.4:
        return float(rng.uniform(11, 24)), float(rng.uniform(-26, -12))
    if kind < 0.6:
        return float(rng.uniform(12, 24)), float(rng.uniform(12, 26))
    if kind < 0.75:
        return float(rng.normal(0, 2)), float(rng.uniform(-34, -18))
    if kind < 0.9:
        return float(rng.uniform(11, 30)), float(rng.normal(0, 3))
    return float(rng.uniform(62, 75)), float(rng.normal(0, 4))


def baccarat_coup(rng: np.random.Generator) -> list[LaidCard]:
    """Two or three cards for player and banker, the third laid across."""
    facing = 0.0 if rng.random() < 0.7 else 180.0
    untidy = float(rng.uniform(0.5, 4))
    apart = float(rng.uniform(66, 80) if rng.random() < 0.6 else rng.uniform(16, 60))
    hidden = rng.random() < 0.12
    laid = []
    for outward, (x, y) in ((-1, PLAYER_AT), (1, BANKER_AT)):
        pair = row_of_cards(rng, 2, (x, y), facing, (apart, 0.0), untidy)
        if hidden:
            pair = [replace(card, face_up=bool(rng.random() < 0.4)) for card in pair]
        laid += pair
        if rng.random() < 0.5:
            sideways = 90.0 if rng.random() < 0.5 else -90.0
            place = (x + outward * (apart / 2 + float(rng.uniform(60, 85))), y)
            if rng.random() < 0.4:
                side = float(rng.choice([-1, 1]))
                place = (x + float(rng.normal(0, 10)), y + side * float(rng.uniform(30, 85)))
            laid += row_of_cards(rng, 1, place, facing + sideways, (0, 0), untidy)
    return laid


def _somewhere(rng: np.random.Generator) -> Place:
    return float(rng.uniform(-300, 300)), float(rng.uniform(-150, 200))


def scattered(rng: np.random.Generator, count: int, reach: float) -> list[LaidCard]:
    """Cards at all angles over a part of the table, now and then with a pile of them."""
    x, y = _somewhere(rng)
    laid = []
    for _ in range(count):
        across, up = rng.uniform(-1, 1, 2)
        place = (x + reach * across, y + 0.7 * reach * up)
        turned = float(rng.uniform(0, 360))
        if rng.random() < 0.06:
            laid += row_of_cards(rng, int(rng.integers(3, 7)), place, turned, (0, 0), 1.5)
        else:
            upward = bool(rng.random() < 0.9)
            laid.append(LaidCard(any_card(rng), place[0], place[1], turned, upward))
    return laid


def fans(rng: np.random.Generator, count: int, reach: float) -> list[LaidCard]:
    """Fans and rows so tight that little more than the indexes shows."""
    x, y = _somewhere(rng)
    laid = []
    for _ in range(count):
        across, up = rng.uniform(-1, 1, 2)
        place = (x + reach * across, y + 0.6 * reach * up)
        turned = float(rng.uniform(0, 360) if rng.random() < 0.5 else rng.normal(0, 15))
        cards = int(rng.integers(2, 9))
        if rng.random() < 0.5:
            step = (float(rng.uniform(9, 18)), float(rng.normal(0, 2)))
            fan = row_of_cards(rng, cards, place, turned, step, float(rng.uniform(0.3, 2)))
        else:
            fan = _fan(rng, cards, place, turned)
        if rng.random() < 0.1:
            hidden = int(rng.integers(cards))
            fan[hidden] = replace(fan[hidden], face_up=False)
        laid += fan
    return laid


def _fan(rng: np.random.Generator, count: int, place: Place, turned: float) -> list[LaidCard]:
    """Cards turned about a point below them, as a hand holds them."""
    opening = rng.uniform(5, 17)
    radius = rng.uniform(45, 130)
    fan = []
    for number in range(count):
        angle = float(turned - (number - (count - 1) / 2) * opening + rng.normal(0, 1))
        up = np.radians(angle + 90)
        x = place[0] + radius * (np.cos(up) + np.sin(np.radians(turned)))
        y = place[1] + radius * (np.sin(up) - np.cos(np.radians(turned)))
        fan.append(LaidCard(any_card(rng), float(x), float(y), angle))
    return fan


def crowd(rng: np.random.Generator, wide: float, deep: float, *, in_fans: bool) -> list[LaidCard]:
    """Hands side by side all over a part of the table about its middle, or fans."""
    apart_mm = float(rng.uniform(105, 150))
    facing = float(rng.choice([0, 180])) if rng.random() < 0.7 else None
    step = _house_step(rng)
    laid = []
    for x in np.arange(-wide / 2 - apart_mm, wide / 2 + apart_mm, apart_mm):
        for y in np.arange(-deep / 2 - apart_mm, deep / 2 + apart_mm, apart_mm):
            if rng.random() < 0.1:
                continue
            place = (float(x), float(y))
            turned = rng.uniform(0, 360) if facing is None else facing + rng.normal(0, 4)
            if in_fans:
                laid += _spread_hand(rng, int(rng.integers(2, 8)), place, float(turned))
                continue
            if rng.random() < 0.3:
                step = _house_step(rng)
            count = int(rng.choice([1, 2, 3, 4], p=[0.25, 0.45, 0.2, 0.1]))
            untidy = float(rng.uniform(0.5, 4))
            laid += row_of_cards(rng, count, place, float(turned), step, untidy)
    return laid


def _spread_hand(
    rng: np.random.Generator, count: int, place: Place, turned: float
) -> list[LaidCard]:
    """Cards fanned about a point, or each a little beside the last."""
    if rng.random() < 0.5:
        return _fan(rng, count, place, turned)
    step = (float(rng.uniform(9, 20)), float(rng.normal(0, 4)))
    return row_of_cards(rng, count, place, turned, step, float(rng.uniform(0.3, 2.5)))


def _stack(rng: np.random.Generator, x: float, y: float) -> ChipStack:
    count = int(rng.choice([1, 2, 3, 5, 8, 12, 20], p=[0.3, 0.18, 0.17, 0.15, 0.1, 0.06, 0.04]))
    style = int(rng.integers(CHIP_STYLES))
    return ChipStack(x, y, count, style, turned=float(rng.uniform(0, 360)))


def strewn_chips(rng: np.random.Generator) -> list[ChipStack]:
    places = rng.uniform((-500, -300), (500, 250), (int(rng.integers(0, 25)), 2))
    return apart([_stack(rng, float(x), float(y)) for x, y in places])


def wagers(
    rng: np.random.Generator, seats: Sequence[Seat], laid: Sequence[LaidCard]
) -> list[ChipStack]:
    """Chips in the boxes, now and then one on a card."""
    chips = []
    for seat in seats:
        if rng.random() < 0.75:
            outward = np.radians(seat.turned - 90)
            for _ in range(int(rng.integers(1, 4))):
                x = seat.x + WAGER_MM * np.cos(outward) + rng.normal(0, 16)
                y = seat.y + WAGER_MM * np.sin(outward) + rng.normal(0, 16)
                chips.append(_stack(rng, float(x), float(y)))
    if not seats:
        for x, y in rng.uniform((-700, -420), (700, -60), (int(rng.integers(0, 14)), 2)):
            chips.append(_stack(rng, float(x), float(y)))
    if laid and rng.random() < 0.2:
        for _ in range(int(rng.integers(1, 4))):
            under = laid[int(rng.integers(len(laid)))]
            x, y = under.x + rng.normal(0, 30), under.y + rng.normal(0, 35)
            chips.append(replace(_stack(rng, float(x), float(y)), count=1, lift=0.5))
    return apart(chips)


def apart(chips: Sequence[ChipStack]) -> list[ChipStack]:
    """Leave out stacks that would run through another, or put them on it where it is low."""
    kept: list[ChipStack] = []
    for stack in chips:
        near = [one for one in kept if np.hypot(one.x - stack.x, one.y - stack.y) < 2 * CHIP_RADIUS]
        if not near:
            kept.append(stack)
        elif len(near) == 1 and near[0].lift == 0 and near[0].count < 6 and stack.count < 6:
            top = near[0].count * CHIP_THICK
            kept.append(replace(stack, x=near[0].x, y=near[0].y, lift=top))
    return kept
