"""What the wagers of a coup are paid, by the pay table and the totals alone."""

from collections.abc import Sequence
from decimal import Decimal

from audit.cards import Rank
from audit.money import Odds, parse_odds
from audit.observations import Wager, WagerKind
from audit.rulebook import Event, Rulebook
from audit.simulation.stakes import pays

STANDS_OFF = parse_odds("push")
POINTS = {rank: "A23456789".find(rank) + 1 for rank in Rank}


def total_of(ranks: Sequence[Rank]) -> int:
    """Add up a hand: tens and pictures count nothing, and only the last digit stays."""
    return sum(map(POINTS.__getitem__, ranks)) % 10


def winner(player: Sequence[Rank], banker: Sequence[Rank]) -> str:
    """Name the side that won, or `tie`."""
    ahead = total_of(player) - total_of(banker)
    return "tie" if ahead == 0 else ("player" if ahead > 0 else "banker")


def net_of(
    wager: Wager, player: Sequence[Rank], banker: Sequence[Rank], book: Rulebook, unit: Decimal
) -> Decimal:
    """Settle one wager."""
    odds = odds_of(wager.kind, player, banker, book)
    return -wager.stake if odds is None else pays(wager.stake, odds, unit)


def odds_of(
    kind: WagerKind, player: Sequence[Rank], banker: Sequence[Rank], book: Rulebook
) -> Odds | None:
    """Say what a kind of wager is paid, nothing for one that stands off; None: it loses."""
    table = book.wagers[kind].pays
    for event in _events(player, banker, kind):
        if event in table:
            return table[event].odds
    on_a_side = kind in (WagerKind.PLAYER, WagerKind.BANKER)
    return STANDS_OFF if on_a_side and winner(player, banker) == "tie" else None


def _events(player: Sequence[Rank], banker: Sequence[Rank], kind: WagerKind) -> list[Event]:
    if kind is WagerKind.PLAYER_PAIR:
        return [Event.PAIR] if player[0] == player[1] else []
    if kind is WagerKind.BANKER_PAIR:
        return [Event.PAIR] if banker[0] == banker[1] else []
    if kind is WagerKind.TIGER_PAIR:
        return _tiger_pair(player, banker)
    if kind is WagerKind.PLAYER_DRAGON:
        return _dragon(player, banker)
    if kind is WagerKind.BANKER_DRAGON:
        return _dragon(banker, player)
    side = winner(player, banker)
    if side == "player":
        return [Event.PLAYER_WINS] if kind is WagerKind.PLAYER else []
    if side == "tie":
        return [Event.TIE, Event.TIE_ON_SIX] if total_of(player) == 6 else [Event.TIE]
    if kind is WagerKind.PLAYER:
        return []
    if total_of(banker) != 6:
        return [Event.BANKER_WINS, Event.BANKER_WINS_OTHERWISE]
    length = Event.BANKER_SIX_ON_TWO_CARDS if len(banker) == 2 else Event.BANKER_SIX_ON_THREE_CARDS
    return [Event.BANKER_WINS, Event.BANKER_WINS_ON_SIX, length]


def _tiger_pair(player: Sequence[Rank], banker: Sequence[Rank]) -> list[Event]:
    pairs = (player[0] == player[1]) + (banker[0] == banker[1])
    if pairs == 2:
        return [Event.TWIN_PAIR if player[0] == banker[0] else Event.DOUBLE_PAIR]
    return [Event.SINGLE_PAIR] if pairs else []


def _dragon(own: Sequence[Rank], other: Sequence[Rank]) -> list[Event]:
    ahead = total_of(own) - total_of(other)
    own_natural = len(own) == 2 and total_of(own) >= 8
    if ahead == 0:
        return [Event.NATURAL_TIE] if own_natural and len(other) == 2 else []
    if ahead > 0 and own_natural:
        return [Event.WINS_WITH_NATURAL]
    return [Event(f"wins_by_{ahead}")] if ahead >= 4 else []
