"""Card logs that are not sure of every card: unread ones, doubtful ones, and a second log."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random

from audit.cards import DECK, UNREAD
from audit.errors import BadInput
from audit.shoe_rows import CardRow

CARDS = tuple(str(card) for card in DECK)
SELDOM = 10
"""A card is taken for one of so many that came least, so that none comes too often by that."""
SUREST = 0.97
LEAST_SURE = 0.55


@dataclass(frozen=True, slots=True)
class Camera:
    """How well cards are read, in 1,000 cards each."""

    unread: float = 0.0
    doubtful: float = 0.0
    """Read with a confidence below one, which is right as often as it says."""

    def __post_init__(self) -> None:
        for share in (self.unread, self.doubtful, self.unread + self.doubtful):
            if not 0 <= share <= 1000:
                raise BadInput(f"{share:g} of 1,000 cards cannot be unsure")


SURE = Camera()


def seen_by(
    camera: Camera,
    cards: Sequence[CardRow],
    rng: Random,
    *,
    differs: bool = False,
    misses: bool = False,
) -> tuple[tuple[CardRow, ...], tuple[CardRow, ...], frozenset[int], int | None]:
    """Read the cards of a shoe as well as the camera does.

    Gives the card log; a second one where two are wanted that differ in a card, or of which one
    misses a card; the rounds that have an unsure card; and the round in which the logs part.
    """
    read, clouded = tuple(cards), set[int]()
    if camera.unread or camera.doubtful:
        rows = list(cards)
        for place, row in enumerate(rows):
            chance = rng.random() * 1000
            if chance < camera.unread:
                rows[place] = replace(row, card=str(UNREAD))
            elif chance < camera.unread + camera.doubtful:
                rows[place] = _doubtful(row, rng)
            if rows[place] is not row:
                clouded.add(row.round or 1)
        read = tuple(rows)
    if not differs and not misses:
        return read, (), frozenset(clouded), None
    second, apart = _second_log(cards, rng, misses=misses)
    return read, second, frozenset(clouded), apart


def _doubtful(row: CardRow, rng: Random) -> CardRow:
    sure = round(rng.uniform(LEAST_SURE, SUREST), 3)
    other = rng.choice(CARDS)
    while other == row.card:
        other = rng.choice(CARDS)
    likely, unlikely = (row.card, other) if rng.random() < sure else (other, row.card)
    return replace(
        row, card=likely, confidence=sure, alternatives=f"{unlikely}:{round(1 - sure, 3)}"
    )


def _second_log(
    cards: Sequence[CardRow], rng: Random, *, misses: bool
) -> tuple[tuple[CardRow, ...], int | None]:
    """Let a camera see the same cards a moment later, and get one of them wrong or not at all."""
    rows = [replace(row, ts=row.ts + timedelta(milliseconds=200)) for row in cards]
    place = rng.randrange(len(rows) // 4, 3 * len(rows) // 4)
    apart = rows[place].round
    if misses:
        del rows[place]
    else:
        seen = Counter(row.card for row in rows)
        others = [card for card in CARDS if card[0] != rows[place].card[0]]
        seldom = sorted(others, key=lambda card: seen[card])[:SELDOM]
        rows[place] = replace(rows[place], card=rng.choice(seldom))
    return tuple(rows), apart
