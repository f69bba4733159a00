"""Compares the cards read from a film with those that are known to have been dealt in it."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from rich.table import Table

from audit.errors import CatwalkError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

UNREAD: Final = "??"
SURE_FROM: Final = 0.95
"""A card misread with at least this confidence can make a false accusation."""
UNSEEN: Final = frozenset({"burn", "discard"})
"""Where cards go that no zone of a camera shows."""

_OTHER_CARD: Final = 1.0
_OTHER_HAND: Final = 1.0
_OTHER_IN_BOTH: Final = 1.9  # less than to miss one card and to see another
_ALONE: Final = 1.0


class BadTruth(CatwalkError):
    """A table of the truth that cannot be read."""


class Outcome(StrEnum):
    """What became of a card that was dealt, or of one that was read."""

    RIGHT = "right"
    UNSURE = "unsure"
    """Read as `??`: nothing is claimed."""
    MISREAD = "misread"
    OTHER_HAND = "other hand"
    OUT_OF_ORDER = "out of order"
    MISSED = "missed"
    EXTRA = "extra"
    """Read, and never dealt."""


@dataclass(frozen=True, slots=True)
class TrueCard:
    """A card as it was dealt."""

    round: int
    seq: int
    card: str
    hand: str


class LoggedCard(Protocol):
    """A row of a card log."""

    @property
    def round(self) -> int: ...
    @property
    def seq(self) -> int: ...
    @property
    def card(self) -> str: ...
    @property
    def hand(self) -> str: ...
    @property
    def confidence(self) -> float: ...


Card = TypeVar("Card", TrueCard, LoggedCard)


@dataclass(frozen=True, slots=True)
class ComparedCard:
    """A card that was dealt beside the one that was read, where both are there."""

    round: int
    outcome: Outcome
    dealt: str = ""
    dealt_to: str = ""
    read: str = ""
    read_at: str = ""
    confidence: float | None = None

    def __str__(self) -> str:
        dealt = f"{self.dealt} to {self.dealt_to}" if self.dealt else "no card"
        read = f"{self.read} at {self.read_at}" if self.read else "no card"
        sure = "" if self.confidence is None else f" ({self.confidence:.3f})"
        return f"round {self.round}: {self.outcome}, {dealt} was dealt, {read} was read{sure}"


@dataclass(frozen=True, slots=True)
class Compared:
    """A film, or several, against the truth."""

    cards: tuple[ComparedCard, ...]
    rounds: int
    rounds_right: int

    @property
    def dealt(self) -> int:
        return sum(card.outcome is not Outcome.EXTRA for card in self.cards)

    @property
    def right(self) -> int:
        return self.count(Outcome.RIGHT)

    def count(self, outcome: Outcome) -> int:
        return sum(card.outcome is outcome for card in self.cards)

    @property
    def faults(self) -> tuple[ComparedCard, ...]:
        return tuple(card for card in self.cards if card.outcome is not Outcome.RIGHT)

    @property
    def surely_misread(self) -> tuple[ComparedCard, ...]:
        """Cards that were read as others, by a reader that says that it is sure."""
        return tuple(
            card
            for card in self.cards
            if card.outcome is Outcome.MISREAD
            and card.confidence is not None
            and card.confidence >= SURE_FROM
        )


def load_truth(path: Path) -> tuple[TrueCard, ...]:
    """Read the cards of a film that a camera can see, from the table that tells them."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [
                TrueCard(int(row["round"]), int(row["seq"]), row["card"], row["hand"])
                for row in csv.DictReader(file)
            ]
    except OSError as problem:
        raise BadTruth(f"{path} cannot be read: {problem.strerror or problem}") from None
    except (KeyError, ValueError, TypeError):
        raise BadTruth(f"{path} has no round, seq, card and hand in every row") from None
    return tuple(row for row in rows if row.hand not in UNSEEN)


def compare(truth: Sequence[TrueCard], read: Iterable[LoggedCard]) -> Compared:
    """Compare round by round; a card is right in rank, suit, hand and order, or it is not."""
    dealt = _by_round(truth)
    seen = _by_round(card for card in read if card.hand not in UNSEEN)
    cards: list[ComparedCard] = []
    right = 0
    for number in sorted(dealt.keys() | seen.keys()):
        compared = tuple(_round(number, dealt.get(number, ()), seen.get(number, ())))
        cards += compared
        right += number in dealt and all(card.outcome is Outcome.RIGHT for card in compared)
    return Compared(tuple(cards), len(dealt), right)


def together(parts: Iterable[Compared]) -> Compared:
    """Count several films as one."""
    films = tuple(parts)
    return Compared(
        tuple(card for film in films for card in film.cards),
        sum(film.rounds for film in films),
        sum(film.rounds_right for film in films),
    )


def comparison_table(films: Mapping[str, Compared]) -> Table:
    """A row for each film, and one for all of them."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("film")
    for name in ("rounds right", "cards right", "unsure", "misread", "sure and wrong"):
        table.add_column(name, justify="right")
    for name in ("other hand", "out of order", "missed", "extra"):
        table.add_column(name, justify="right")
    rows = dict(films)
    if len(rows) > 1:
        rows["all"] = together(films.values())
    for name, film in rows.items():
        if name == "all" and len(films) > 1:
            table.add_section()
        table.add_row(
            name,
            f"{film.rounds_right} of {film.rounds}",
            f"{film.right} of {film.dealt}",
            *(
                str(count) if count else "–"
                for count in (
                    film.count(Outcome.UNSURE),
                    film.count(Outcome.MISREAD),
                    len(film.surely_misread),
                    film.count(Outcome.OTHER_HAND),
                    film.count(Outcome.OUT_OF_ORDER),
                    film.count(Outcome.MISSED),
                    film.count(Outcome.EXTRA),
                )
            ),
        )
    return table


def _by_round(cards: Iterable[Card]) -> dict[int, list[Card]]:
    rounds: dict[int, list[Card]] = {}
    for card in sorted(cards, key=lambda card: card.seq):
        rounds.setdefault(card.round, []).append(card)
    return rounds


def _round(
    number: int, dealt: Sequence[TrueCard], seen: Sequence[LoggedCard]
) -> Iterator[ComparedCard]:
    pairs = _pairs(dealt, seen)
    alone = Counter((card.card, card.hand) for card, other in pairs if card and other is None)
    moved = alone & Counter((other.card, other.hand) for card, other in pairs if other and not card)
    left = Counter(moved)
    for card, other in pairs:
        if card is not None and other is not None:
            yield ComparedCard(
                number, _outcome(card, other), card.card, card.hand, other.card, other.hand,
                other.confidence,
            )  # fmt: skip
        elif card is not None:
            there = moved[card.card, card.hand] > 0
            moved[card.card, card.hand] -= there
            outcome = Outcome.OUT_OF_ORDER if there else Outcome.MISSED
            yield ComparedCard(number, outcome, card.card, card.hand)
        elif other is not None and left[other.card, other.hand] > 0:
            left[other.card, other.hand] -= 1
        elif other is not None:
            yield ComparedCard(
                number, Outcome.EXTRA, read=other.card, read_at=other.hand,
                confidence=other.confidence,
            )  # fmt: skip


def _outcome(card: TrueCard, other: LoggedCard) -> Outcome:
    if other.card == UNREAD:
        return Outcome.UNSURE
    if other.card != card.card:
        return Outcome.MISREAD
    return Outcome.RIGHT if other.hand == card.hand else Outcome.OTHER_HAND


def _pairs(
    dealt: Sequence[TrueCard], seen: Sequence[LoggedCard]
) -> list[tuple[TrueCard | None, LoggedCard | None]]:
    """Pair off the cards of a round in their order, with as little that differs as there can be."""
    costs = [
        [_ALONE * (row + column) for column in range(len(seen) + 1)]
        for row in range(len(dealt) + 1)
    ]
    for row, card in enumerate(dealt, 1):
        for column, other in enumerate(seen, 1):
            costs[row][column] = min(
                costs[row - 1][column - 1] + _cost(card, other),
                costs[row - 1][column] + _ALONE,
                costs[row][column - 1] + _ALONE,
            )
    pairs: list[tuple[TrueCard | None, LoggedCard | None]] = []
    row, column = len(dealt), len(seen)
    while row or column:
        if (
            row
            and column
            and costs[row][column]
            == costs[row - 1][column - 1] + _cost(dealt[row - 1], seen[column - 1])
        ):
            row, column = row - 1, column - 1
            pairs.append((dealt[row], seen[column]))
        elif row and costs[row][column] == costs[row - 1][column] + _ALONE:
            row -= 1
            pairs.append((dealt[row], None))
        else:
            column -= 1
            pairs.append((None, seen[column]))
    return pairs[::-1]


def _cost(card: TrueCard, other: LoggedCard) -> float:
    if card.card == other.card:
        return 0.0 if card.hand == other.hand else _OTHER_HAND
    return _OTHER_CARD if card.hand == other.hand else _OTHER_IN_BOTH
