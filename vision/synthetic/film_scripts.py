"""What a film shows: which card goes where, in which order. Written by whoever knows the game.

A script knows no rules. It is a list of steps that a dealer carries out, so a card that the rules
forbid, or one that is skipped, is simply written so.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from vision.cards import CARDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BURN: Final = "burn"
DISCARD: Final = "discard"
BACCARAT_HANDS: Final = {"P": "player", "B": "banker"}


class BadScript(ValueError):
    """A script that no dealer could carry out."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A card from the shoe to a hand; to `burn` or `discard` it goes to the discard holder."""

    card: str
    hand: str
    face_up: bool = True
    sideways: bool = False
    read_by_shoe: str | None = None  # what the shoe's log says, where that is another card


@dataclass(frozen=True, slots=True)
class TurnUp:
    """A card that lies face down is turned where it lies."""

    hand: str
    order: int  # its place in the hand, from 1


@dataclass(frozen=True, slots=True)
class Peek:
    """A corner of a card is bent up for a look and let down again, by the dealer or a player."""

    hand: str
    order: int
    by_player: bool = False


@dataclass(frozen=True, slots=True)
class Split:
    """The last card of a hand is moved beside it, to a new hand of the same box."""

    hand: str
    new_hand: str


@dataclass(frozen=True, slots=True)
class Gesture:
    """A player decides: a hand taps or waves over its box, unless it is only said."""

    hand: str
    decision: str  # `hit`, `stand`, `double`, `surrender`: a call of the call log
    shown: bool = True


@dataclass(frozen=True, slots=True)
class Settle:
    """The dealer pays the chips of a box, takes them, or leaves them."""

    box: str
    pays: bool


@dataclass(frozen=True, slots=True)
class Announce:
    """The dealer announces something, a hand held towards that zone."""

    call: str  # of the call log: `outcome`, `round_end`
    value: str = ""
    towards: str | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    seconds: float


DealStep = Deal | TurnUp | Peek | Split | Gesture | Settle | Announce | Pause


@dataclass(frozen=True, slots=True)
class RoundScript:
    number: int
    steps: tuple[DealStep, ...]
    wagers: tuple[str, ...] = ()  # the boxes in which chips are placed before the first card
    swept: bool = False  # cleared in one sweep instead of hand by hand

    def cards(self) -> tuple[Deal, ...]:
        return tuple(step for step in self.steps if isinstance(step, Deal))

    def hands(self) -> dict[str, int]:
        """The hands in the order in which they are formed, and how many cards each gets."""
        formed: dict[str, int] = {}
        for step in self.steps:
            if isinstance(step, Deal):
                formed[step.hand] = formed.get(step.hand, 0) + 1
            elif isinstance(step, Split):
                formed[step.new_hand] = 1
        return formed


def box_of(hand: str) -> str:
    """The zone in which a hand lies: a box holds all its split hands."""
    return hand.split(".")[0]


def check_script(script: RoundScript) -> None:
    """Refuse steps that name cards which are not there."""
    lying: dict[str, list[bool]] = {}
    for step in script.steps:
        where = f"round {script.number}: {step}"
        if isinstance(step, Deal):
            if step.card not in CARDS:
                raise BadScript(f"{where}: {step.card} is no card")
            lying.setdefault(step.hand, []).append(step.face_up)
        elif isinstance(step, TurnUp | Peek):
            if not 1 <= step.order <= len(lying.get(step.hand, [])):
                raise BadScript(f"{where}: {step.hand} has no card {step.order}")
            if isinstance(step, TurnUp):
                if lying[step.hand][step.order - 1]:
                    raise BadScript(f"{where}: it lies face up already")
                lying[step.hand][step.order - 1] = True
        elif isinstance(step, Split):
            if len(lying.get(step.hand, [])) < 2 or step.new_hand in lying:
                raise BadScript(f"{where}: nothing to split, or the hand is there already")
            if box_of(step.hand) != box_of(step.new_hand):
                raise BadScript(f"{where}: a split hand stays in its box")
            lying[step.new_hand] = [lying[step.hand].pop()]


def with_burn(
    script: RoundScript, cards: Sequence[str], *, first_shown: bool = False
) -> RoundScript:
    """The round with cards burnt before it; at baccarat the first of them is shown."""
    burnt = tuple(
        Deal(card, BURN, face_up=first_shown and place == 0) for place, card in enumerate(cards)
    )
    return replace(script, steps=burnt + script.steps)


def baccarat_script(
    notation: str,
    *,
    number: int = 1,
    face_down: bool = False,
    squeezed: bool = False,
    says: str | None = None,
    wagers: Sequence[str] = ("player", "banker"),
    swept: bool = False,
) -> RoundScript:
    """A coup such as `P 2H 3D 8C / B KS 3S`: player and banker in turn, then the third cards.

    `face_down`: the first four are laid face down and turned when all are there; `squeezed`: and
    a player peeks before. With `says` the dealer announces that outcome.
    """
    hands = _hands_of(notation)
    unknown = [name for name in hands if name not in BACCARAT_HANDS]
    if unknown:
        raise BadScript(f"{notation}: {unknown[0]} is not P or B")
    steps: list[DealStep] = []
    for place in range(2):
        steps += [
            Deal(cards[place], BACCARAT_HANDS[name], face_up=not face_down)
            for name, cards in hands.items()
            if place < len(cards)
        ]
    if face_down:
        for name, cards in hands.items():
            for order in range(1, min(2, len(cards)) + 1):
                if squeezed:
                    steps.append(Peek(BACCARAT_HANDS[name], order, by_player=True))
                steps.append(TurnUp(BACCARAT_HANDS[name], order))
    steps.append(Pause(0.6))
    for name, cards in hands.items():
        steps += [Deal(card, BACCARAT_HANDS[name], sideways=True) for card in cards[2:]]
    if says is not None:
        towards = says if says in BACCARAT_HANDS.values() else None
        steps.append(Announce("outcome", says, towards))
    return RoundScript(number, tuple(steps), tuple(wagers), swept)


def blackjack_script(
    notation: str,
    *,
    number: int = 1,
    hole_card: bool = False,
    pays: Mapping[str, bool] | None = None,
    gestures: bool = True,
    swept: bool = False,
) -> RoundScript:
    """A round such as `1 8H 8S split 3D double TC / 1.2 TC stand / 2 TH 9C stand / D 7C TH`.

    Two cards for each box and the dealer in turn, then the boxes hand by hand, then the dealer.
    With `hole_card` the dealer's second card is laid face down in its turn and turned up when the
    boxes are done; without, it is drawn then. Words in a hand are decisions: `split` moves its
    second card to the next hand, `double` lays the next card sideways, others are gestures.
    """
    words = {_hand_name(name): tokens for name, tokens in _tokens_of(notation).items()}
    boxes = [name for name in words if name != "dealer" and "." not in name]
    dealer = [token for token in words.get("dealer", ()) if token in CARDS]
    steps: list[DealStep] = []
    for place in range(2):
        for box in boxes:
            dealt = [token for token in words[box] if token in CARDS]
            if place < len(dealt):
                steps.append(Deal(dealt[place], box))
        if place < len(dealer) and (place == 0 or hole_card):
            steps.append(Deal(dealer[place], "dealer", face_up=place == 0))
    if hole_card and len(dealer) > 1 and dealer[0][0] in "ATJQK":
        steps.append(Peek("dealer", 2))
    for box in boxes:
        steps += _played_out(box, words, gestures=gestures)
    steps.append(Pause(0.4))
    if hole_card and len(dealer) > 1:
        steps.append(TurnUp("dealer", 2))
    steps += [Deal(card, "dealer") for card in dealer[2 if hole_card else 1 :]]
    steps.append(Pause(0.6))
    steps += [Settle(box, pays=paid) for box, paid in (pays or {}).items()]
    return RoundScript(number, tuple(steps), tuple(boxes), swept)


def _played_out(
    box: str, words: Mapping[str, tuple[str, ...]], *, gestures: bool
) -> list[DealStep]:
    """The decisions and further cards of a box, its split hands after it."""
    splits = Counter[str]()
    steps: list[DealStep] = []
    waiting = [box]
    while waiting:
        hand = waiting.pop(0)
        held = 0
        sideways = False
        for word in words.get(hand, ()):
            if word in CARDS:
                held += 1
                if hand == box and held <= 2:
                    continue
                steps.append(Deal(word, hand, sideways=sideways))
                sideways = False
                continue
            if word != "split":
                steps.append(Gesture(hand, word, shown=gestures))
            if word == "split":
                splits[box] += 1
                new_hand = f"{box}.{splits[box] + 1}"
                steps.append(Split(hand, new_hand))
                waiting.append(new_hand)
            sideways = word == "double"
    return steps


def _hand_name(name: str) -> str:
    return "dealer" if name == "D" else f"box{name}"


def _hands_of(notation: str) -> dict[str, list[str]]:
    hands = {}
    for name, tokens in _tokens_of(notation).items():
        for token in tokens:
            if token not in CARDS:
                raise BadScript(f"{notation}: {token} is no card")
        hands[name] = list(tokens)
    return hands


def _tokens_of(notation: str) -> dict[str, tuple[str, ...]]:
    hands: dict[str, tuple[str, ...]] = {}
    for part in notation.split("/"):
        name, *tokens = part.split()
        if name in hands:
            raise BadScript(f"{notation}: {name} is there twice")
        hands[name] = tuple(tokens)
    return hands
