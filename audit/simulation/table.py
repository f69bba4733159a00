"""A table for a rulebook: its sheet, and one round after the other at it."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random

from audit.observations import Game, WagerKind
from audit.rounds import Round, RoundKey
from audit.rulebook import Rulebook
from audit.simulation import baccarat_table, blackjack_table
from audit.simulation.habits import EVERY_HABIT, Habit
from audit.simulation.shoe import Shoe
from audit.simulation.voiding import voided
from audit.table_sheet import ALWAYS, HOME, GameFrom, Limit, TableSheet

MINIMUMS = ("5.00", "10.00", "25.00", "50.00", "100.00")
UNITS = ("0.01", "0.01", "0.01", "0.05", "0.50", "1.00")
RAISES = frozenset({WagerKind.SPLIT, WagerKind.DOUBLE, WagerKind.INSURANCE})
VOID_SHARE = 0.02
BETWEEN_CARDS = timedelta(seconds=3)


def simulated_sheet(book: Rulebook, rng: Random, *, table: str = "SIM-01") -> TableSheet:
    """Set up a table for a game: its decks, its limits, what it rounds to."""
    limits = {
        kind: _limit(rng) for kind in book.wagers if kind not in RAISES and rng.random() < 0.8
    }
    differential = Decimal(rng.choice(("1000.00", "5000.00")))
    in_baccarat = book.game is Game.BACCARAT
    return TableSheet(
        table=table,
        timezone=HOME,
        decks=rng.randint(book.fewest_decks.value, book.most_decks.value),
        games=(GameFrom(book.id, ALWAYS),),
        burn=rng.choice((None, 1, 1, 3)),
        rounding=Decimal(rng.choice(UNITS)),
        limits=limits,
        differential=differential if in_baccarat and rng.random() < 0.5 else None,
    )


def _limit(rng: Random) -> Limit:
    least = Decimal(rng.choice(MINIMUMS))
    return Limit(least, least * rng.choice((4, 20, 100)))


def deal_round(
    shoe: Shoe,
    book: Rulebook,
    sheet: TableSheet,
    rng: Random,
    *,
    habits: frozenset[Habit] = EVERY_HABIT,
    began: datetime | None = None,
) -> Round:
    """Deal one lawful round off the shoe, with its wagers settled as they are due."""
    if book.game is Game.BACCARAT:
        dealt = baccarat_table.deal_round(shoe, book, sheet, rng, habits)
    else:
        dealt = blackjack_table.deal_round(shoe, book, sheet, rng, habits)
    if rng.random() < VOID_SHARE:
        dealt = voided(dealt, book, rng)
    shoe.rounds += 1
    key = RoundKey(sheet.table, shoe.name, shoe.rounds)
    if began is None:
        return replace(dealt, key=key)
    cards = tuple(
        replace(seen, ts=began + place * BETWEEN_CARDS) for place, seen in enumerate(dealt.cards, 1)
    )
    return replace(dealt, key=key, ts=began, cards=cards)


def rounds_of_a_shoe(
    shoe: Shoe,
    book: Rulebook,
    sheet: TableSheet,
    rng: Random,
    *,
    habits: frozenset[Habit] = EVERY_HABIT,
) -> Iterator[Round]:
    """Deal a shoe until the cutting card comes."""
    while not shoe.cutting_card_is_out:
        yield deal_round(shoe, book, sheet, rng, habits=habits)
