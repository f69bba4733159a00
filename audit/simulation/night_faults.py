"""The kinds of faults that a night can be given, and what is true of one that was planted."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from random import Random

from audit.errors import BadInput
from audit.findings import Severity
from audit.observations import Game, Wager, WagerKind
from audit.rounds import Round
from audit.rulebook import Rulebook
from audit.simulation.fault import Fault, Scene, is_outside_limits, was_refused
from audit.simulation.faults import FAULTS
from audit.toml_section import did_you_mean

SIDES = (WagerKind.PLAYER, WagerKind.BANKER)
MONEY_CODES = frozenset(f"PAY{number:03}" for number in (*range(1, 9), 11, 12, 13, 14))
"""What such a fault costs is what it moved: nothing else about the round changes."""
REVIEWED = frozenset({"SRC002", "SRC003", "SRC004", "SRC005", "SRC006"})
"""What is wrong with the evidence is for a person to look at."""


CLAUSE_BY_REASON = frozenset({"DEA019"})
"""The clause of a round voided without ground hangs on the reason that was given."""


class Level(StrEnum):
    """What a fault befalls."""

    ROUND = "a round"
    FIRST_ROUND = "the first round of a shoe"
    SHOE = "a shoe"
    TABLE = "a table"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fault; `fault` is how it is committed where it befalls a round."""

    what: str
    code: str
    level: Level
    game: Game | None = None
    fault: Fault | None = None

    @property
    def name(self) -> str:
        """What a person types at the command line."""
        return "-".join(self.what.replace("'", "").split())

    def suits(self, book: Rulebook) -> bool:
        """Tell whether it can happen at the game, with ground to judge it."""
        return self.game in (None, book.game) if self.fault is None else self.fault.suits(book)


@dataclass(frozen=True, slots=True)
class Planted:
    """A fault that is in the logs, and what is to be found of it."""

    table_id: str
    shoe: str
    round: int | None
    """None: the shoe as a whole."""
    what: str
    code: str
    severity: Severity
    rulebook: str
    clauses: tuple[str, ...]
    """Those that it breaks, the first of them foremost; none where the document has none."""
    exposure: int | None
    """In cents, + what the house gave away; None: not known without judging the round."""
    clouded: bool = False
    """A card of the round was not read, or not surely, so that it may not be certain."""

    def breaks(self, clause: str) -> bool:
        """Tell whether a clause, or what stands above it in the document, is broken."""
        return any(f"{clause}.".startswith(f"{broken}.") for broken in self.clauses)


def differential_exceeded(scene: Scene, rng: Random) -> Scene | None:
    """Let everybody on the heavier side stake as much as the table takes."""
    most_apart = scene.sheet.differential
    rows = [wager for wager in scene.round.wagers if wager.kind in SIDES]
    if most_apart is None or any(was_refused(w) or is_outside_limits(scene, w) for w in rows):
        return None
    by_side = {side: [w for w in rows if w.kind is side] for side in SIDES}
    heavier = max(SIDES, key=lambda side: len(by_side[side]))
    limit = scene.sheet.limits.get(heavier)
    if limit is None or limit.max is None:
        return None
    raised = [_raised(wager, heavier, limit.max) for wager in scene.round.wagers]
    stakes = {side: sum((w.stake for w in raised if w.kind is side), Decimal(0)) for side in SIDES}
    apart = stakes[heavier] - stakes[SIDES[1 - SIDES.index(heavier)]]
    return scene.with_wagers(*raised) if apart > most_apart else None


def _raised(wager: Wager, side: WagerKind, most: Decimal) -> Wager:
    """Raise a wager whose settlement is plain: even, lost or handed back."""
    if wager.kind is not side or wager.net is None or abs(wager.net) not in (0, wager.stake):
        return wager
    return replace(wager, stake=most, net=most * (wager.net / wager.stake).to_integral_value())


FOR_THE_WHOLE_TABLE = "SHO004"
AT_THE_START_OF_A_SHOE = "DEA018"


def _round_kind(fault: Fault) -> Kind:
    if fault.code == FOR_THE_WHOLE_TABLE:
        return Kind(fault.what, fault.code, Level.TABLE, fault.game, fault)
    if fault.code == "BET013":
        fault = replace(fault, make=differential_exceeded)
    first = fault.code == AT_THE_START_OF_A_SHOE
    level = Level.FIRST_ROUND if first else Level.ROUND
    return Kind(fault.what, fault.code, level, fault.game, fault)


SURPLUS_COPY = Kind("a card is in the shoe once too often", "SHO001", Level.SHOE)
MISSING_CARD = Kind("a card is missing at the end of a shoe", "SHO005", Level.SHOE)
ORDER_AGAIN = Kind("an earlier shoe comes again unshuffled", "SHO006", Level.SHOE)
NEW_PACKS = Kind("new packs are not shuffled", "SHO007", Level.SHOE)
UNSEEN_CARD = Kind("a card leaves the shoe unseen", "SRC003", Level.SHOE)
LOGS_DIFFER = Kind("camera and shoe read another card", "SRC004", Level.SHOE)
ONE_LOG_ONLY = Kind("the camera misses a card", "SRC005", Level.SHOE)
KINDS: tuple[Kind, ...] = (
    *(_round_kind(fault) for fault in FAULTS),
    SURPLUS_COPY,
    MISSING_CARD,
    ORDER_AGAIN,
    NEW_PACKS,
    UNSEEN_CARD,
    LOGS_DIFFER,
    ONE_LOG_ONLY,
)
_BY_NAME = {kind.name: kind for kind in KINDS}


def kinds_named(name: str) -> tuple[Kind, ...]:
    """Find the kind of a name, or all kinds of a code."""
    wanted = "-".join(name.strip().replace("'", "").split())
    if wanted.lower() in _BY_NAME:
        return (_BY_NAME[wanted.lower()],)
    of_code = tuple(kind for kind in KINDS if kind.code == wanted.upper())
    if not of_code:
        hint = did_you_mean(wanted, (*_BY_NAME, *{kind.code for kind in KINDS}))
        raise BadInput(
            f"{name!r} is no kind of fault{hint}: `catwalk simulate --list-faults` has them all"
        )
    return of_code


def kinds_of(book: Rulebook) -> tuple[Kind, ...]:
    """Give the kinds of faults that can happen at a game."""
    return tuple(kind for kind in KINDS if kind.suits(book))


def severity_due(code: str, book: Rulebook) -> Severity:
    """Say how grave a fault is by the document."""
    if code in REVIEWED:
        return Severity.REVIEW
    return Severity.VIOLATION if book.breaks.get(code) else Severity.NOTE


def cost_of(code: str, before: Round, after: Round) -> int | None:
    """Work out what a fault moved, where that is all that it costs."""
    if code not in MONEY_CODES:
        return None
    return int((_given(after.wagers) - _given(before.wagers)) * 100)


def _given(wagers: Iterable[Wager]) -> Decimal:
    return sum((wager.net for wager in wagers if wager.net is not None), Decimal(0))
