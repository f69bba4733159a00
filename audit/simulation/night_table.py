"""A table of a simulated casino: its sheet, and how its logs are kept. The same every night."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from random import Random

from audit.observations import Game, WagerKind
from audit.rulebook import Rulebook
from audit.simulation.baccarat_table import BETTORS as BACCARAT_BETTORS
from audit.simulation.blackjack_betting import BETTORS as BLACKJACK_BETTORS
from audit.simulation.blackjack_setting import CallLog, HandsNamed
from audit.simulation.stakes import FOURTH, LATE, OVER, UNDER, Cashier
from audit.simulation.wager_faults import GUEST
from audit.table_sheet import HOME, GameFrom, Limit, TableSheet

UNITS = ("0.01", "0.01", "0.01", "0.01", "0.05", "0.50", "1.00")
MINIMUMS = (25, 50, 100, 200)
SIDE_MINIMUMS = (5, 10)
CHIP = Decimal("5.00")
ORIGINALS = frozenset({WagerKind.MAIN, WagerKind.PLAYER, WagerKind.BANKER})
RAISES = frozenset({WagerKind.SPLIT, WagerKind.DOUBLE, WagerKind.INSURANCE})
LOGS = (
    *(CallLog.EVERYTHING,) * 12,
    *(CallLog.ANNOUNCEMENTS,) * 3,
    CallLog.FOLDS,
    CallLog.PLAY,
    CallLog.NOTHING,
)
STRANGERS = (*BLACKJACK_BETTORS, *BACCARAT_BETTORS, LATE, OVER, UNDER, FOURTH, GUEST)
GUESTS = tuple(f"{GUEST}{number}" for number in range(3))
FIRST_STRANGER = 900_000


@dataclass(frozen=True, slots=True)
class NightTable:
    """A table, and what its devices and its staff write down."""

    index: int
    book: Rulebook
    sheet: TableSheet
    cashier: Cashier
    log: CallLog
    areas_known: bool
    """The ledger names the playing area of a baccarat wager."""
    burn_is_numbered: bool
    names_who_decides: bool
    notes_when_settled: bool
    hands: HandsNamed
    counts_out: bool
    """The cards are counted at the end of a shoe, and the count is called."""
    strangers: Mapping[str, str]
    """What those are called who are turned away or come for one wager."""

    @property
    def name(self) -> str:
        return self.sheet.table


def table_name(book: Rulebook, index: int) -> str:
    """Name a table after its game."""
    return f"{'BAC' if book.game is Game.BACCARAT else 'BJ'}-{index + 1:03}"


def night_table(
    book: Rulebook, index: int, seed: int, opened: datetime, *, log: CallLog | None = None
) -> NightTable:
    """Set up a table of the casino: what it takes, and how its logs are kept."""
    rng = Random(f"{seed}/{index}/table")  # noqa: S311
    sheet = _sheet(book, index, opened, rng)
    kept = rng.choice(LOGS)
    names = dict.fromkeys((*STRANGERS, *GUESTS))
    first = FIRST_STRANGER + index * len(names)
    return NightTable(
        index=index,
        book=book,
        sheet=sheet,
        cashier=Cashier(book, sheet, CHIP, between_units=False),
        log=kept if log is None else log,
        areas_known=rng.random() < 0.8,
        burn_is_numbered=rng.random() < 0.5,
        names_who_decides=rng.random() < 0.8,
        notes_when_settled=rng.random() < 0.5,
        hands=rng.choice((HandsNamed.SPLIT, HandsNamed.EVERY, HandsNamed.NONE)),
        counts_out=rng.random() < 0.4,
        strangers={name: f"P{first + place}" for place, name in enumerate(names)},
    )


def _sheet(book: Rulebook, index: int, opened: datetime, rng: Random) -> TableSheet:
    least = Decimal(rng.choice(MINIMUMS)).quantize(Decimal("0.01"))
    greatest = least * rng.choice((20, 40, 100))
    side = Decimal(rng.choice(SIDE_MINIMUMS)).quantize(Decimal("0.01"))
    limits = {
        kind: Limit(least, greatest) if kind in ORIGINALS else Limit(side, side * 40)
        for kind in book.wagers
        if kind not in RAISES
    }
    has_differential = book.game is Game.BACCARAT and rng.random() < 0.6
    return TableSheet(
        table=table_name(book, index),
        timezone=HOME,
        decks=min(book.most_decks.value, max(book.fewest_decks.value, rng.choice((6, 8, 8, 8)))),
        games=(GameFrom(book.id, opened),),
        burn=1,
        rounding=Decimal(rng.choice(UNITS)),
        limits=limits,
        differential=greatest if has_differential else None,
        in_force={book.document: opened} if book.in_force is None else {},
    )
