"""A dealer carries out a script: where each card, hand and chip is at each moment."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.synthetic.film_motion import Move, Pose, Track
from vision.synthetic.film_performance import (
    Arm,
    Called,
    DealtCard,
    Performance,
    RoundSpan,
    Stack,
    draw_tempo,
)
from vision.synthetic.film_places import Layout, draw_habits
from vision.synthetic.film_scripts import (
    BURN,
    DISCARD,
    Announce,
    Deal,
    Gesture,
    Pause,
    Peek,
    RoundScript,
    Settle,
    Split,
    TurnUp,
    box_of,
    check_script,
)
from vision.synthetic.furniture import CHIP_STYLES, ChipStack
from vision.synthetic.hands import HAND_STYLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.synthetic.film_scripts import DealStep
    from vision.synthetic.tables import Table

_SHOE_LIFT: Final = 20.5  # mm: the card in the mouth of the shoe
_HOLDER_LIFT: Final = 62.0  # mm: where cards go into the discard holder
_DRAWN_OF_PACKET: Final = 3  # cards below these in a gathered packet are not seen
_WITHOUT_SHOE: Final = (560.0, 380.0, -40.0)
_WITHOUT_HOLDER: Final = (-560.0, 400.0)


class Dealing:
    """Writes the moves of all things, step after step."""

    def __init__(self, table: Table, rng: np.random.Generator, *, faces_down: bool) -> None:
        self._table = table
        self._rng = rng
        self._tempo = draw_tempo(rng)
        self._habits = draw_habits(rng, table.deck, faces_down=faces_down)
        self._clock = 0.0
        self._seq = 0
        self._cards: list[DealtCard] = []
        self._stacks: list[Stack] = []
        self._rounds: list[RoundSpan] = []
        self._calls: list[Called] = []
        self._layout = Layout(table.zones, self._habits, {}, rng)
        pieces = table.furnishing
        shoe = pieces.shoe if pieces is not None and pieces.shoe is not None else _WITHOUT_SHOE
        holder = pieces.discards if pieces is not None and pieces.discards else _WITHOUT_HOLDER
        side = 1.0 if shoe[0] > 0 else -1.0
        turn = np.radians(shoe[2])
        self._out = np.array([np.sin(turn), -np.cos(turn)])  # the way cards leave the shoe
        mouth = np.array(shoe[:2]) + 95 * self._out
        self._mouth = Pose(float(mouth[0]), float(mouth[1]), _SHOE_LIFT, shoe[2], 180.0)
        self._holder = Pose(*holder, _HOLDER_LIFT, 0.0, 180.0)
        body = pieces.dealer if pieces is not None else None
        middle, behind = (body.x, body.y) if body is not None else (0.0, 650.0)
        style = int(rng.integers(HAND_STYLES))
        self._rests = {
            1.0: Pose(side * 330, 345.0, 10.0, side * float(rng.normal(12, 6))),
            -1.0: Pose(-side * 330, 350.0, 10.0, -side * float(rng.normal(12, 6))),
        }
        self._deals = Arm(
            Track(-1.0, self._rests[1.0]), (middle + side * 170, behind), style, side > 0
        )
        self._clears = Arm(
            Track(-1.0, self._rests[-1.0]), (middle - side * 170, behind), style, side < 0
        )
        self._players: list[Arm] = []
        self._seated = {name: int(rng.integers(HAND_STYLES)) for name in table.zones}

    def perform(self, scripts: Sequence[RoundScript]) -> Performance:
        for script in scripts:
            check_script(script)
            self._round(script)
        length = max([self._clock, *(arm.track.free for arm in self._players)]) + 0.5
        return Performance(
            tuple(self._cards),
            (self._deals, self._clears, *self._players),
            tuple(self._stacks),
            tuple(self._rounds),
            length,
        )

    def _round(self, script: RoundScript) -> None:
        self._layout = Layout(self._table.zones, self._habits, script.hands(), self._rng)
        self._calls = []
        start = self._clock
        self._wager(script.wagers)
        first = len(self._cards)
        opened = self._clock
        for step in script.steps:
            self._step(step, script)
        self._retire()
        if self._rng.random() < 0.4:
            self._hover(opened, self._clock, script)
        self._clock += self._tempo.after
        self._clear(self._cards[first:], swept=script.swept)
        self._take_back()
        self._retire()
        self._clock += self._tempo.before
        self._rounds.append(RoundSpan(script.number, start, self._clock, tuple(self._calls)))

    def _step(self, step: DealStep, script: RoundScript) -> None:
        match step:
            case Deal():
                self._deal(step, script.number)
            case TurnUp():
                self._turn_up(self._card(step.hand, step.order))
            case Peek():
                self._peek(self._card(step.hand, step.order), step)
            case Split():
                self._split(step)
            case Gesture():
                self._gesture(step)
            case Settle():
                self._settle(step)
            case Announce():
                self._announce(step)
            case Pause():
                self._retire()
                self._clock += step.seconds

    def _card(self, hand: str, order: int) -> DealtCard:
        return self._held(hand)[order - 1]

    def _held(self, hand: str) -> list[DealtCard]:
        """The cards that now lie in a hand, the first one first."""
        return [card for card in self._cards if card.hand == hand and card.cleared == float("inf")]

    def _beat(self) -> float:
        uneven = float(np.exp(self._rng.normal(0, self._tempo.uneven)))
        return float(np.clip(self._tempo.beat * uneven, 0.8, 2.5))

    def _reach(self, arm: Arm, goal: Pose, seconds: float, *, arch: float = 25.0) -> None:
        """The hand goes somewhere, and time goes on until it is there."""
        start = max(self._clock, arm.track.free)
        sway = float(self._rng.normal(0, 12))
        arm.track.move(start, start + seconds, goal, arch=arch, sway=sway)
        self._clock = start + seconds

    def _retire(self) -> None:
        """Both hands go back to the dealer's side while time stands still for the others."""
        for side, arm in ((1.0, self._deals), (-1.0, self._clears)):
            goal = self._rests[side]
            if arm.track.last != goal:
                start = max(self._clock, arm.track.free)
                arm.track.move(start, start + 0.3 + 0.2 * self._tempo.beat, goal, arch=25.0)

    def _only(self, arm: Arm) -> None:
        """The other hand gets out of the way."""
        other, side = (self._clears, -1.0) if arm is self._deals else (self._deals, 1.0)
        if other.track.last != self._rests[side]:
            start = max(self._clock, other.track.free)
            other.track.move(start, start + 0.45, self._rests[side], arch=25.0)

    def _deal(self, step: Deal, number: int) -> None:
        beat = self._beat()
        arm = self._deals
        began = max(self._clock, arm.track.free)
        self._only(arm)
        self._reach(arm, arm.grip(self._mouth, 12.0), max(0.2, 0.28 * beat))
        pulled_at = self._clock
        self._seq += 1
        order = len(self._held(step.hand)) + 1
        track = Track(pulled_at, self._mouth)
        card = DealtCard(step, number, self._seq, order, pulled_at, track, step.hand)
        self._cards.append(card)
        out = self._mouth.shifted(float(self._out[0]) * 90, float(self._out[1]) * 90, -8.0)
        self._carry(arm, [card], out, 0.14 * beat, arch=0.0)
        if step.hand in (BURN, DISCARD):
            self._burn(card, beat)
            return
        goal = self._layout.place(step.hand, order, face_up=step.face_up, sideways=step.sideways)
        seconds = max(0.36 * beat, self._tempo.turn / 0.8 if step.face_up else 0.3)
        arch = float(self._rng.uniform(22, 45) if step.face_up else self._rng.uniform(2, 25))
        late = max(0.0, 1 - self._tempo.turn * 1.15 / seconds)
        self._carry(arm, [card], goal, seconds, arch=arch, flips_from=late)
        card.lies(self._clock)
        card.let_go = self._clock + float(self._rng.uniform(0.06, 0.16))
        arm.track.move(self._clock, card.let_go, arm.grip(goal).shifted(0, 4.0, 6.0))
        self._clock = max(card.let_go, began + beat * 0.92)

    def _burn(self, card: DealtCard, beat: float) -> None:
        """Into the discard holder; one that is shown lies before it for a moment."""
        arm = self._deals
        if card.step.face_up:
            # Before the tray, or beside the dealer's own cards: in no hand's zone.
            x, y = (
                (0.0, 302.0) if self._table.game == "baccarat" else (self._holder.x * 0.75, 250.0)
            )
            shown = Pose(x, y, 0.0, float(self._rng.normal(0, 4)))
            self._carry(arm, [card], shown, max(0.4 * beat, 0.45), arch=30.0)
            card.lies(self._clock)
            card.let_go = self._clock + 0.12
            self._clock += 1.2
            card.taken_up(self._clock)
        self._carry(arm, [card], self._holder, max(0.45 * beat, 0.4), arch=60.0)
        card.let_go = card.let_go or self._clock
        card.track.gone = card.cleared = self._clock
        self._clock += 0.1

    def _carry(
        self, arm: Arm, cards: Sequence[DealtCard], goal: Pose, seconds: float, *,
        arch: float, flips_from: float = 0.0,
    ) -> None:  # fmt: skip
        """Cards and the hand that holds them go somewhere together."""
        start = max([self._clock, arm.track.free, *(card.track.free for card in cards)])
        end = start + seconds
        sway = float(self._rng.normal(0, 10))
        for number, card in enumerate(cards):
            loose = self._rng.normal(0, 1.2, 2) if number else (0.0, 0.0)
            there = goal.shifted(float(loose[0]), float(loose[1]))
            card.track.add(Move(start, end, card.track.last, there, arch, sway, flips_from))
        held = arm.grip(goal)
        arm.track.add(Move(start, end, arm.track.last, held, arch, sway))
        self._clock = end

    def _turn_up(self, card: DealtCard) -> None:
        arm = self._clears
        self._only(arm)
        lying = card.track.last
        self._reach(arm, arm.grip(lying), 0.3 * self._tempo.beat)
        start, end = self._clock, self._clock + self._tempo.turn
        card.taken_up(start)
        card.turned_up = end
        card.track.move(start, end, replace(lying, flip=0.0), arch=4.0)
        arm.track.move(start, end, arm.grip(lying, 34.0).shifted(0, 0, 8.0), arch=30.0)
        self._clock = end
        card.lies(end)
        card.let_go = end + 0.1
        self._clock += 0.25

    def _peek(self, card: DealtCard, step: Peek) -> None:
        lying = card.track.last
        upper_end = not step.by_player
        if np.cos(np.radians(lying.turned - self._layout.spot(step.hand).turned)) < 0:
            upper_end = not upper_end
        bend = float(self._rng.uniform(24, 38)) * (-1 if upper_end else 1)
        seconds = float(self._rng.uniform(0.35, 0.6))
        if step.by_player:
            self._retire()
            arm = self._player(box_of(step.hand), self._clock)
            self._reach(arm, arm.grip(lying, 50.0), 0.6)
        else:
            arm = self._clears
            self._only(arm)
            self._reach(arm, arm.grip(lying, 44.0), 0.4 * self._tempo.beat)
        start = self._clock
        card.taken_up(start)
        card.track.move(start, start + seconds, replace(lying, pitch=bend))
        self._clock = start + seconds + float(self._rng.uniform(0.3, 0.9))
        card.track.move(self._clock, self._clock + 0.3, lying)
        arm.track.move(start, start + seconds, arm.track.last.shifted(0, 0, 16.0))
        arm.track.move(self._clock, self._clock + 0.3, arm.track.last.shifted(0, 0, -16.0))
        self._clock += 0.3
        card.lies(self._clock)
        if step.by_player:
            self._leave(arm, box_of(step.hand))

    def _split(self, step: Split) -> None:
        """The last card goes to the new hand; the first split moves the first card aside too."""
        arm = self._clears
        self._only(arm)
        whole = self._layout.split(step.hand)
        held = self._held(step.hand)
        moved = held[-1]
        self._calls.append(Called(self._clock, "split", step.hand, step.new_hand))
        for card, hand, order in (
            (moved, step.new_hand, 1),
            *(
                [(each, step.hand, place) for place, each in enumerate(held[:-1], 1)]
                if whole
                else ()
            ),
        ):
            goal = self._layout.place(
                hand, order, face_up=card.track.last.flip < 90, sideways=False
            )
            self._reach(arm, arm.grip(card.track.last), 0.22 * self._tempo.beat)
            card.taken_up(self._clock)
            card.hand = hand
            self._carry(arm, [card], goal, 0.3 * self._tempo.beat + 0.15, arch=1.0)
            card.lies(self._clock)
        self._clock += 0.15

    def _clear(self, cards: Sequence[DealtCard], *, swept: bool) -> None:
        """Hand by hand the cards are gathered into a packet, which goes to the discard holder."""
        arm = self._clears
        lying = [card for card in cards if card.cleared == float("inf")]
        hands = list(dict.fromkeys(card.hand for card in reversed(lying)))
        if swept:
            hands.sort(key=lambda hand: -abs(self._layout.spot(hand).centre[0] - self._holder.x))
        else:
            hands.sort(key=lambda hand: hand == "dealer")
        quick = 0.55 if swept else 1.0
        lift = 3.0 if swept else 16.0
        packet: list[DealtCard] = []
        self._only(arm)
        for hand in hands:
            own = [card for card in lying if card.hand == hand]
            top = own[-1].track.last
            reach = (0.16 + 0.16 * self._tempo.beat) * quick
            if packet:
                above = replace(top, lift=lift, flip=0.0)
                self._carry(arm, packet[-_DRAWN_OF_PACKET:], above, reach, arch=12.0 * quick)
            else:
                self._reach(arm, arm.grip(top), reach)
            start, end = self._clock, self._clock + 0.22 * quick + 0.04
            arm.track.move(start, end, arm.grip(replace(top, lift=lift)))
            for card in own:
                card.taken_up(start)
                card.cleared = start
                loose = self._rng.normal(0, 1.5, 3)
                goal = replace(
                    top.shifted(float(loose[0]), float(loose[1])),
                    lift=lift,
                    turned=top.turned + float(loose[2]),
                )
                card.track.move(start, end, goal)
            self._clock = end
            # What was gathered before lies on top: the hand held it when it took these up.
            packet = own + packet
            for card in packet[:-_DRAWN_OF_PACKET]:
                card.covered = min(card.covered, end)
                card.track.gone = end
            for rank, card in enumerate(packet[-_DRAWN_OF_PACKET:]):
                card.height.append((end, 1e6 + rank))
        if packet:
            shown = packet[-_DRAWN_OF_PACKET:]
            self._carry(arm, shown, self._holder, 0.3 + 0.25 * self._tempo.beat, arch=45.0)
            for card in shown:
                card.track.gone = self._clock
            self._clock += 0.12

    def _player(self, box: str, time: float) -> Arm:
        """A player's hand on its way from the edge."""
        spot = self._layout.spot(box)
        x, y = spot.at(float(self._rng.normal(0, 80)), -900.0)
        shoulder = spot.at(float(self._rng.normal(0, 120)), -1050.0)
        arm = Arm(
            Track(time, Pose(float(x), float(y), 25.0)),
            (float(shoulder[0]), float(shoulder[1])),
            self._seated[box],
            bool(self._rng.random() < 0.2),
        )
        self._players.append(arm)
        return arm

    def _leave(self, arm: Arm, box: str) -> None:
        """A player's hand goes back over the edge; nobody waits for it."""
        x, y = self._layout.spot(box).at(float(self._rng.normal(0, 80)), -900.0)
        start = arm.track.free
        arm.track.move(start, start + 0.7, Pose(float(x), float(y), 25.0), arch=20.0)
        arm.track.gone = start + 0.7

    def _wager(self, boxes: Sequence[str]) -> None:
        start = self._clock
        for box in boxes:
            arm = self._player(box, start)
            x, y = self._layout.wager(box)
            there = start + float(self._rng.uniform(0.55, 0.8))
            arm.track.move(start, there, Pose(x, y - 4, 14.0), arch=20.0)
            arm.track.move(there + 0.12, there + 0.25, Pose(x, y - 10, 22.0))
            self._leave(arm, box)
            count = int(self._rng.choice([1, 2, 3, 4, 6], p=[0.3, 0.3, 0.2, 0.12, 0.08]))
            chips = ChipStack(x, y, count, int(self._rng.integers(CHIP_STYLES)))
            self._stacks.append(Stack(box, chips, there))
            start += float(self._rng.uniform(0.05, 0.4))
        if boxes:
            self._clock = start + 1.0

    def _gesture(self, step: Gesture) -> None:
        if step.shown:
            self._retire()
            spot = self._layout.spot(step.hand)
            arm = self._player(box_of(step.hand), self._clock)
            x, y = spot.at(float(self._rng.normal(0, 25)), -float(self._rng.uniform(45, 100)))
            self._reach(arm, Pose(float(x), float(y), 8.0), float(self._rng.uniform(0.4, 0.55)))
            for lift in (26.0, 6.0):
                self._reach(arm, Pose(float(x), float(y), lift), 0.13, arch=0.0)
            self._leave(arm, box_of(step.hand))
        self._calls.append(Called(self._clock, step.decision, step.hand))
        self._clock += 0.15

    def _hover(self, start: float, end: float, script: RoundScript) -> None:
        """A player leans over its cards for a moment, whatever the dealer is doing."""
        boxes = [hand for hand in script.wagers if hand in self._seated]
        if not boxes or end - start < 4:
            return
        box = boxes[int(self._rng.integers(len(boxes)))]
        at = float(self._rng.uniform(start + 1, end - 2.5))
        arm = self._player(box, at)
        x, y = self._layout.spot(box).at(
            float(self._rng.normal(0, 30)), float(self._rng.uniform(-70, 10))
        )
        there = at + 0.6
        arm.track.move(at, there, Pose(float(x), float(y), 18.0), arch=15.0)
        away = there + float(self._rng.uniform(0.4, 1.2))
        arm.track.move(there, away, Pose(float(x) + float(self._rng.normal(0, 12)), float(y), 16.0))
        self._leave(arm, box)

    def _standing(self, box: str) -> list[int]:
        return [
            number
            for number, stack in enumerate(self._stacks)
            if stack.box == box and stack.end == float("inf")
        ]

    def _settle(self, step: Settle) -> None:
        arm = self._clears
        self._only(arm)
        standing = self._standing(step.box)
        if not standing:
            return
        chips = self._stacks[standing[0]].chips
        self._reach(arm, Pose(chips.x, chips.y + 8, 16.0), 0.35 * self._tempo.beat + 0.15)
        if step.pays:
            beside = replace(chips, x=chips.x + 43.0)
            self._reach(arm, Pose(beside.x, beside.y + 8, 14.0), 0.2, arch=6.0)
            self._stacks.append(Stack(step.box, beside, self._clock))
        else:
            for number in standing:
                self._stacks[number] = replace(self._stacks[number], end=self._clock)
        self._clock += 0.15

    def _take_back(self) -> None:
        """What still stands is taken by the players while the dealer goes on."""
        for box in self._seated:
            standing = self._standing(box)
            if not standing:
                continue
            chips = self._stacks[standing[0]].chips
            start = self._clock + float(self._rng.uniform(0, 0.3))
            arm = self._player(box, start)
            there = start + 0.6
            arm.track.move(start, there, Pose(chips.x + 8, chips.y - 4, 16.0), arch=15.0)
            for number in standing:
                self._stacks[number] = replace(self._stacks[number], end=there)
            self._leave(arm, box)

    def _announce(self, step: Announce) -> None:
        arm = self._clears
        self._only(arm)
        if step.towards is None:
            goal = Pose(0.0, 320.0, 30.0)
        else:
            x, y = self._layout.spot(step.towards).at(0.0, 115.0)
            goal = Pose(float(x), float(y), 24.0)
        self._reach(arm, goal, 0.35 * self._tempo.beat)
        self._calls.append(Called(self._clock, step.call, value=step.value))
        self._clock += 0.5
        self._retire()
        self._clock += 0.3


def perform(table: Table, scripts: Sequence[RoundScript], seed: int) -> Performance:
    """Deal rounds at a table, one after the other."""
    faces_down = any(isinstance(step, TurnUp | Peek) for script in scripts for step in script.steps)
    rng = np.random.default_rng((seed, 401))
    return Dealing(table, rng, faces_down=faces_down).perform(scripts)
