"""Rounds and hands of a shoe whose device does not number the ones or does not know the others.

The reading that breaks the fewest rules is found by search; readings that are as good are kept
beside it, so that nothing is called certain that does not hold in all of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from audit.reconstruction.material import BURN, Setting
from audit.reconstruction.reading import Read, read_shoe
from audit.rulebook import Rulebook
from audit.shoe_rows import CallRow, CardRow, ShoeRows, WagerRow
from audit.table_sheet import TableSheet

__all__ = ["Reconstructed", "needs_reconstruction", "reconstruct"]


@dataclass(frozen=True, slots=True)
class Reconstructed:
    """A shoe in which every card has its round and its hand, as far as they could be told."""

    rows: ShoeRows
    """Every card with its round and hand; wagers and calls with a round where one could be told."""
    others: Mapping[int, tuple[tuple[CardRow, ...], ...]]
    """By round: other placements of its cards that break no more rules."""
    reconstructed: frozenset[int]
    """The rounds that the device did not number, or whose hands it did not know."""
    left_over: tuple[tuple[CardRow | WagerRow | CallRow, str], ...]
    """Rows that belong to no round, with why."""


def needs_reconstruction(rows: ShoeRows) -> bool:
    """Tell whether a card lacks its hand, or a card or a wager its round."""
    return any(
        row.hand is None or (row.round is None and row.hand != BURN) for row in rows.cards
    ) or any(row.round is None for row in rows.wagers)


def reconstruct(rows: ShoeRows, book: Rulebook, sheet: TableSheet) -> Reconstructed:
    """Number the rounds of a shoe and place its cards."""
    read: Read = read_shoe(rows, Setting(book, sheet))
    return Reconstructed(read.rows, read.others, read.reconstructed, read.left_over)
