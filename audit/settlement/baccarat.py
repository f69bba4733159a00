"""Baccarat settlement: chapter 4, by the pay table of each game."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from audit.observations import Wager, WagerKind
from audit.rulebook import Event, Rulebook
from audit.rules.baccarat import Coup, Outcome, events_on, outcome, point_total
from audit.settlement.dues import Due, loses, stands_off, wins

RETURNED_ON_A_TIE = frozenset({WagerKind.PLAYER, WagerKind.BANKER})
PAIR_WAGERS = frozenset({WagerKind.PLAYER_PAIR, WagerKind.BANKER_PAIR, WagerKind.TIGER_PAIR})
TEN_WITH_PICTURE = "ten_with_a_picture_card"


def due_on_coup(wager: Wager, on: Fraction, coup: Coup, book: Rulebook, unit: Decimal) -> Due:
    """Say what a wager is due on a coup, given how much of its stake counts."""
    due = _due(wager.kind, on, coup, book, unit, pairs_by_value=False)
    if wager.kind in PAIR_WAGERS and TEN_WITH_PICTURE in book.readings:
        other = _due(wager.kind, on, coup, book, unit, pairs_by_value=True)
        if other.net != due.net:
            return replace(due, otherwise=((other.net, TEN_WITH_PICTURE),))
    return due


def settled_alike(
    kind: WagerKind, coup: Coup
) -> tuple[frozenset[Event], frozenset[Event], Outcome | None]:
    """Say all that a coup means to a wager: coups of which it is the same settle it alike."""
    by_rank, by_value = (events_on(kind, coup, pairs_by_value=way) for way in (False, True))
    return by_rank, by_value, outcome(coup) if kind in RETURNED_ON_A_TIE else None


def _due(
    kind: WagerKind,
    on: Fraction,
    coup: Coup,
    book: Rulebook,
    unit: Decimal,
    *,
    pairs_by_value: bool,
) -> Due:
    pays = book.wagers[kind].pays
    why = f"player {point_total(coup.player)}, banker {point_total(coup.banker)}"
    if kind in PAIR_WAGERS:
        why = f"player {_initial(coup.player)}, banker {_initial(coup.banker)}"
    for event in events_on(kind, coup, pairs_by_value=pairs_by_value):
        if event in pays:
            return wins(on, pays[event], why, unit)
    if kind in RETURNED_ON_A_TIE and outcome(coup) is Outcome.TIE:
        return stands_off(on, why, book.clause_of("PAY004"))
    return loses(on, why, book.wagers[kind].loses, unit)


def _initial(ranks: tuple[str, ...]) -> str:
    return "-".join(ranks[:2])
