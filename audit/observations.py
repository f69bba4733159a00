"""What was seen, placed and said at a table, as typed records: the border of the rules.

Every shoe and every camera ends as the same `CardSeen`.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from audit.cards import Card, Unread
from audit.errors import BadInput
from audit.hands import Hand


class Game(StrEnum):
    BACCARAT = "baccarat"
    BLACKJACK = "blackjack"


class WagerKind(StrEnum):
    MAIN = "main"
    DOUBLE = "double"
    SPLIT = "split"
    INSURANCE = "insurance"
    PAIR = "pair"
    OVER13 = "over13"
    UNDER13 = "under13"
    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"
    PLAYER_PAIR = "player_pair"
    BANKER_PAIR = "banker_pair"
    SUPER6 = "super6"
    FORTUNE6 = "fortune6"
    PLAYER_DRAGON = "player_dragon"
    BANKER_DRAGON = "banker_dragon"
    TIGER = "tiger"
    SMALL_TIGER = "small_tiger"
    BIG_TIGER = "big_tiger"
    TIGER_TIE = "tiger_tie"
    TIGER_PAIR = "tiger_pair"


BLACKJACK_WAGERS = frozenset(
    {
        WagerKind.MAIN,
        WagerKind.DOUBLE,
        WagerKind.SPLIT,
        WagerKind.INSURANCE,
        WagerKind.PAIR,
        WagerKind.OVER13,
        WagerKind.UNDER13,
    }
)
BACCARAT_WAGERS = frozenset(WagerKind) - BLACKJACK_WAGERS
WAGERS_OF = {Game.BACCARAT: BACCARAT_WAGERS, Game.BLACKJACK: BLACKJACK_WAGERS}


class CallKind(StrEnum):
    BETS_OPEN = "bets_open"
    BETS_CLOSED = "bets_closed"
    SHUFFLE = "shuffle"
    BURN = "burn"
    CUTTING_CARD = "cutting_card"
    CONTROL = "control"
    STAND = "stand"
    HIT = "hit"
    DOUBLE = "double"
    SPLIT = "split"
    SURRENDER = "surrender"
    EVEN_MONEY = "even_money"
    INSURANCE = "insurance"
    SQUEEZE = "squeeze"
    OUTCOME = "outcome"
    VOID = "void"
    RECONSTRUCT = "reconstruct"
    WITHDRAW = "withdraw"
    SIMULTANEOUS_DRAW = "simultaneous_draw"
    CARD_EXPOSED = "card_exposed"
    FOREIGN_CARD = "foreign_card"
    POWER_FAILURE = "power_failure"
    RESUME = "resume"
    DEALER_IN = "dealer_in"
    SUPERVISOR = "supervisor"
    ROUND_END = "round_end"
    SHOE_END = "shoe_end"


DECISIONS = frozenset(
    {
        CallKind.STAND,
        CallKind.HIT,
        CallKind.DOUBLE,
        CallKind.SPLIT,
        CallKind.SURRENDER,
        CallKind.EVEN_MONEY,
    }
)


@dataclass(frozen=True, slots=True)
class CardSeen:
    """One card that left the shoe, and where it went if that is known."""

    seq: int
    card: Card | Unread
    hand: Hand | None
    confidence: float = 1.0
    alternatives: tuple[tuple[Card, float], ...] = ()
    ts: datetime | None = None
    at_s: float | None = None
    footage: str | None = None
    doubt: str = ""
    """Why the round it lies in cannot be relied on, though it may be read well."""


@dataclass(frozen=True, slots=True)
class Wager:
    """One wager of a bettor.

    `late` says that it was placed after its time had passed, `settled_after` how many cards of the
    round had been dealt when it was settled.
    """

    bettor: str
    kind: WagerKind
    stake: Decimal
    net: Decimal | None = None
    box: int | None = None
    hand: Hand | None = None
    late: bool = False
    on_behalf_of: str | None = None
    settled_after: int | None = None

    def __str__(self) -> str:
        return f"{self.bettor or 'bettor'}'s {self.kind} of {self.stake}"


@dataclass(frozen=True, slots=True)
class Call:
    """One thing announced, decided or gone wrong, after so many cards of the round."""

    kind: CallKind
    after: int
    hand: Hand | None = None
    bettor: str = ""
    value: str = ""


def parse_wager_kind(text: str, game: Game) -> WagerKind:
    """Read a kind of wager that the game knows, whether or not this table offers it."""
    name = text.strip().lower()
    known = WAGERS_OF[game]
    if name not in known:
        names = " ".join(sorted(known))
        raise BadInput(f"{text!r} is not a wager of {game}: it knows {names}")
    return WagerKind(name)


def parse_call_kind(text: str) -> CallKind:
    """Read the name of a call."""
    name = text.strip().lower()
    if name not in set(CallKind):
        raise BadInput(f"{text!r} is not a call: there are {' '.join(CallKind)}")
    return CallKind(name)
