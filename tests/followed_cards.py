"""Cards as they were followed, made without a film, and rounds as they are read of laid ones.

    one = followed(1, "9H", "player", laid_s=1.0, not_before_s=0.5)
    (read,) = rounds_of(LaidTable(BACCARAT, [card("9H", lay("player", 0, 1.0, END_S))]))
    assert told(read) == ["player:9H"]

A card that was followed lies there until the table is cleared, and is surely what it is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vision.cards import CARDS, NUMBERS
from vision.film_rounds import read_rounds
from vision.tracks import Place, TrackedCard

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tests.laid_cards import LaidTable
    from vision.film_rounds import ReadRound

END_S: Final = 20.0


def rounds_of(table: LaidTable, decks: int = 8) -> list[ReadRound]:
    return list(read_rounds(table.glances(), table.zones, decks))


def told(read: ReadRound) -> list[str]:
    """A round as hands and cards, in their order."""
    return [f"{each.hand}:{each.card}" for each in read.cards]


def certain(name: str, share: float = 0.999, other: str | None = None) -> NDArray[np.float64]:
    """The probabilities of a card that is most likely this one."""
    shares = np.full(len(CARDS), 1e-6)
    shares[NUMBERS[name]] = share
    if other is None:
        shares[[NUMBERS[each] for each in CARDS if each != name]] += (1 - share) / 51
    else:
        shares[NUMBERS[other]] += 1 - share
    return np.asarray(shares / shares.sum(), np.float64)


def followed(
    number: int,
    name: str,
    hand: str | None,
    laid_s: float,
    not_before_s: float,
    *,
    at: tuple[float, float] = (300.0, 300.0),
    face_up: bool = True,
) -> TrackedCard:
    place = Place(laid_s, END_S, hand, *at, face_up=face_up)
    return TrackedCard(
        number=number,
        probabilities=certain(name),
        laid_s=laid_s,
        at_s=laid_s,
        gone_s=END_S,
        hand=hand,
        places=(place,),
        sightings=9,
        not_before_s=not_before_s,
    )
