"""Hands: where a card went.

`player`, `banker`, `dealer`, `box3` and its split hands `box3.2`, `burn`, `discard`.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache

from audit.errors import BadInput

GREATEST_BOX = 9
GREATEST_SPLIT = 5


class Place(StrEnum):
    PLAYER = "player"
    BANKER = "banker"
    BOX = "box"
    DEALER = "dealer"
    BURN = "burn"
    DISCARD = "discard"


@dataclass(frozen=True, slots=True)
class Hand:
    """One hand. A box's hands are numbered in the order in which they were formed, from 1."""

    place: Place
    box: int = 0
    formed: int = 1

    @property
    def is_played(self) -> bool:
        """Tell a hand from the holders of cards that were burnt or discarded."""
        return self.place is not Place.BURN and self.place is not Place.DISCARD

    def __str__(self) -> str:
        if self.place is not Place.BOX:
            return str(self.place)
        return f"box{self.box}" if self.formed == 1 else f"box{self.box}.{self.formed}"


PLAYER = Hand(Place.PLAYER)
BANKER = Hand(Place.BANKER)
DEALER = Hand(Place.DEALER)
BURN = Hand(Place.BURN)
DISCARD = Hand(Place.DISCARD)

BACCARAT_HANDS = (PLAYER, BANKER)
_NAMED = {str(hand): hand for hand in (PLAYER, BANKER, DEALER, BURN, DISCARD)}
_BOX = re.compile(r"box(0|[1-9][0-9]{0,2})(?:\.(0|[1-9][0-9]{0,2}))?", re.ASCII)


@cache
def box_hand(box: int, formed: int = 1) -> Hand:
    """Name the hand of a box, refusing one that no table has."""
    if not 1 <= box <= GREATEST_BOX:
        raise BadInput(f"box{box} is not a hand: boxes are numbered from 1 to {GREATEST_BOX}")
    if not 1 <= formed <= GREATEST_SPLIT:
        raise BadInput(
            f"box{box}.{formed} is not a hand: split hands of a box are numbered "
            f"from 2 to {GREATEST_SPLIT}"
        )
    return Hand(Place.BOX, box, formed)


@lru_cache(maxsize=1 << 10)
def parse_hand(text: str) -> Hand:
    """Read the name of a hand as the files write it."""
    name = text.strip().lower()
    if name in _NAMED:
        return _NAMED[name]
    match = _BOX.fullmatch(name)
    if match is None or match[2] == "1":
        raise BadInput(
            f"{text!r} is not a hand: write player, banker, dealer, box1 to box{GREATEST_BOX}, "
            "box3.2 for a split hand, burn or discard"
        )
    return box_hand(int(match[1]), int(match[2])) if match[2] else box_hand(int(match[1]))
