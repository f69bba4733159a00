"""A coup laid on a table, or seen index by index, and its cards as they were followed.

    cards = the_round(LaidTable(BACCARAT, FOUR))
    assert names(cards) == ["5H", "KC", "8S", "2D"]

A card is named by what it most likely is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tests.laid_cards import WHOLE, Seen, card, lay
from vision.card_reader import IndexSeen, PictureReading, joined_card
from vision.cards import CARDS, NUMBERS
from vision.glances import Glance
from vision.tracks import tracked_rounds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.laid_cards import LaidTable
    from vision.card_reader import Box
    from vision.tracks import TrackedCard

CLEARED_S: Final = 12.0
FOUR: Final = (
    card("5H", lay("player", 0, 1.0, CLEARED_S)),
    card("KC", lay("banker", 0, 2.0, CLEARED_S)),
    card("8S", lay("player", 1.2, 3.0, CLEARED_S)),
    card("2D", lay("banker", 1.2, 4.0, CLEARED_S)),
)
"""A coup that is dealt from the first second on."""


def followed(table: LaidTable) -> list[tuple[TrackedCard, ...]]:
    return list(tracked_rounds(table.glances(), table.zones))


def the_round(table: LaidTable) -> tuple[TrackedCard, ...]:
    (only,) = followed(table)
    return only


def names(cards: Iterable[TrackedCard]) -> list[str]:
    return [CARDS[int(each.probabilities.argmax())] for each in cards]


def indexes(
    box: Box, probabilities: dict[str, float], readable: float = 0.99, score: float = 0.9
) -> IndexSeen:
    shares = np.full(len(CARDS), 1e-6, np.float32)
    for name, share in probabilities.items():
        shares[NUMBERS[name]] = share
    return IndexSeen(box, score, readable, shares / shares.sum(), box[3] - box[1])


def glance_at(at_s: float, *seen: IndexSeen) -> Glance:
    reading = PictureReading(tuple(joined_card([index]) for index in seen), (), ())
    return Glance(at_s, WHOLE, (), reading)


def everywhere(
    until_s: float, hidden: Sequence[tuple[float, float, Box]], **kind: bool
) -> tuple[Seen, ...]:
    """Moments at which all is read, but for boxes over which something is for a while."""
    moments = []
    for number in range(int(until_s / 0.3)):
        at_s = number * 0.3
        over = tuple(box for start_s, end_s, box in hidden if start_s <= at_s < end_s)
        moments.append(Seen(at_s, moving=over if kind.get("moving") else (), hidden=over))
    return tuple(moments)
