"""The rows of one shoe made ready: cards in the shoe's order, the ledger and the calls by round."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from audit.observations import CallKind, Game
from audit.rulebook import Rulebook
from audit.shoe_rows import CallRow, CardRow, ShoeRows, WagerRow
from audit.table_sheet import TableSheet

BURN, DISCARD = "burn", "discard"
OF_THE_SHOE = frozenset({CallKind.DEALER_IN, CallKind.SHUFFLE, CallKind.SHOE_END})
"""Calls that belong to the shoe at large, whatever is being dealt."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Which game is played by which rules at which table."""

    book: Rulebook
    sheet: TableSheet

    @property
    def is_baccarat(self) -> bool:
        return self.book.game is Game.BACCARAT


@dataclass(frozen=True, slots=True)
class RoundRows:
    """What a round may consist of: the cards in order, its wagers, its calls, what follows."""

    number: int
    cards: tuple[CardRow, ...]
    wagers: tuple[WagerRow, ...] = ()
    calls: tuple[CallRow, ...] = ()
    following: tuple[CardRow, ...] = ()
    first_of_shoe: bool = False

    @property
    def in_play(self) -> tuple[CardRow, ...]:
        return tuple(row for row in self.cards if row.hand not in (BURN, DISCARD))

    @property
    def is_void(self) -> bool:
        return any(call.call == CallKind.VOID for call in self.calls)


@dataclass(frozen=True, slots=True)
class Material:
    """A shoe's cards in order, and the ledger and the calls by the round that they name."""

    cards: tuple[CardRow, ...]
    wagers: Mapping[int, tuple[WagerRow, ...]]
    calls: Mapping[int, tuple[CallRow, ...]]
    calls_without_round: tuple[CallRow, ...]
    known_numbers: tuple[int, ...] = field(default=())

    @property
    def starts_in_the_middle(self) -> bool:
        return bool(self.cards) and self.cards[0].seq > 1


def material_of(rows: ShoeRows) -> Material:
    """Sort what the sources say; a number between two rows of the same round is filled in."""
    cards = _with_gaps_filled(sorted(rows.cards, key=lambda row: row.seq))
    wagers: dict[int, list[WagerRow]] = {}
    for wager in rows.wagers:
        if wager.round is not None:
            wagers.setdefault(wager.round, []).append(wager)
    calls: dict[int, list[CallRow]] = {}
    loose: list[CallRow] = []
    for call in sorted(rows.calls, key=lambda row: row.ts):
        if call.round is None:
            loose.append(call)
        else:
            calls.setdefault(call.round, []).append(call)
    numbered = {row.round for row in cards if row.round is not None}
    return Material(
        cards=tuple(cards),
        wagers={number: tuple(placed) for number, placed in wagers.items()},
        calls={number: tuple(said) for number, said in calls.items()},
        calls_without_round=tuple(loose),
        known_numbers=tuple(sorted(numbered | wagers.keys() | calls.keys())),
    )


def _with_gaps_filled(cards: Iterable[CardRow]) -> list[CardRow]:
    filled: list[CardRow] = []
    waiting: list[CardRow] = []
    last: int | None = None
    for row in cards:
        if row.round is None:
            waiting.append(row)
            continue
        within = last is not None and row.round == last
        filled += [replace(held, round=last) for held in waiting] if within else waiting
        waiting = []
        filled.append(row)
        last = row.round
    return filled + waiting
