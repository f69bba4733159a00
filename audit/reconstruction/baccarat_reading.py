"""Where the cards of a coup went: player, banker, player, banker, then by the table of play."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product

from audit.cards import Card, Rank, parse_card
from audit.hands import parse_hand
from audit.observations import CallKind, WagerKind
from audit.reconstruction.material import RoundRows, Setting
from audit.reconstruction.trial import (
    BREACH,
    FURTHER_PAYMENT,
    MISDEAL,
    Trial,
    tried,
    with_burnt,
)
from audit.rules.baccarat import (
    DEALING_RULES,
    DRAWING_RULES,
    Coup,
    Dealt,
    Outcome,
    banker_draws,
    deal_coup,
    outcome,
    player_draws,
)
from audit.verdicts import Breach

PLAYER, BANKER = "player", "banker"
INITIAL_DEAL = (PLAYER, BANKER, PLAYER, BANKER)
MOST_CARDS = 8
"""Two more than a coup ever has: beyond that the rows are no coup."""
MOST_MISMATCHES = 5
MOST_JUDGED = 24
SIGN_ON = {
    WagerKind.PLAYER: {Outcome.PLAYER: 1, Outcome.BANKER: -1, Outcome.TIE: 0},
    WagerKind.BANKER: {Outcome.PLAYER: -1, Outcome.BANKER: 1, Outcome.TIE: 0},
    WagerKind.TIE: {Outcome.PLAYER: -1, Outcome.BANKER: -1, Outcome.TIE: 1},
}


def ranks_of(rows: RoundRows) -> tuple[Rank | None, ...]:
    """Give the ranks of the cards in play, None for those that could not be read."""
    read = (parse_card(row.card) for row in rows.in_play)
    return tuple(card.rank if isinstance(card, Card) else None for card in read)


@lru_cache(maxsize=1 << 14)
def lawful_hands(ranks: tuple[Rank | None, ...]) -> tuple[str, ...] | None:
    """Deal exactly these cards by the table of play, or say that it would not end with them."""
    if len(ranks) < len(INITIAL_DEAL):
        return None
    if None in ranks:
        return _lawful_with_unread(ranks)
    known = tuple(rank for rank in ranks if rank is not None)
    hands = list(INITIAL_DEAL)
    coup = Coup((known[0], known[2]), (known[1], known[3]))
    if player_draws(coup):
        hands.append(PLAYER)
        if len(known) < len(hands):
            return None
        coup = Coup((*coup.player, known[4]), coup.banker)
    if banker_draws(coup):
        hands.append(BANKER)
    return tuple(hands) if len(hands) == len(known) else None


def _lawful_with_unread(ranks: tuple[Rank | None, ...]) -> tuple[str, ...] | None:
    """Find the one lawful deal of cards of which one may be anything; none if there are two."""
    if ranks.count(None) > 1:
        return None
    place = ranks.index(None)
    ways = {lawful_hands((*ranks[:place], rank, *ranks[place + 1 :])) for rank in Rank}
    ways.discard(None)
    return ways.pop() if len(ways) == 1 else None


@lru_cache(maxsize=1 << 14)
def rule_cost(ranks: tuple[Rank | None, ...]) -> int:
    """Say how far so many cards are from a coup by the table of play."""
    if len(ranks) < len(INITIAL_DEAL):
        return MISDEAL + 100 * (len(INITIAL_DEAL) - 1 - len(ranks))
    if None in ranks:
        place = ranks.index(None)
        if ranks.count(None) > 2:
            return 0 if len(ranks) <= len(INITIAL_DEAL) + 2 else BREACH
        return min(rule_cost((*ranks[:place], rank, *ranks[place + 1 :])) for rank in Rank)
    if lawful_hands(ranks) is not None:
        return 0
    surplus = len(ranks) - len(INITIAL_DEAL)
    while surplus and lawful_hands(ranks[: len(INITIAL_DEAL) + surplus]) is None:
        surplus -= 1
    if lawful_hands(ranks[: len(INITIAL_DEAL) + surplus]) is None:
        return BREACH * max(1, len(ranks) - len(INITIAL_DEAL) - 1)
    return BREACH * (len(ranks) - len(INITIAL_DEAL) - surplus)


def money_cost(ranks: tuple[Rank | None, ...], rows: RoundRows) -> int:
    """Compare who won with what the ledger paid and with what was announced, by sign alone."""
    results = _results(ranks)
    if not results:
        return 0
    fewest = min(_mismatches(result, rows) for result in results)
    return 0 if not fewest else BREACH + FURTHER_PAYMENT * min(fewest - 1, MOST_MISMATCHES - 1)


@lru_cache(maxsize=1 << 14)
def _results(ranks: tuple[Rank | None, ...]) -> tuple[Outcome, ...]:
    """Name the outcomes that the cards may have had, however the later ones were laid."""
    known = tuple(rank for rank in ranks if rank is not None)
    if len(known) < len(ranks) or len(known) < len(INITIAL_DEAL):
        return ()
    lawful = lawful_hands(ranks)
    ways = [lawful] if lawful is not None else list(_likely_hands(len(ranks)))
    coups = [_coup(known, way) for way in ways]
    in_order = deal_coup(known)
    if in_order is not None:
        coups.append(in_order)
    return tuple(dict.fromkeys(outcome(coup) for coup in coups))


def _coup(ranks: Sequence[Rank], hands: Sequence[str]) -> Coup:
    pairs = list(zip(ranks, hands, strict=True))
    return Coup(
        tuple(rank for rank, hand in pairs if hand == PLAYER),
        tuple(rank for rank, hand in pairs if hand == BANKER),
    )


def _mismatches(result: Outcome, rows: RoundRows) -> int:
    wrong = 0
    for wager in rows.wagers:
        signs = SIGN_ON.get(WagerKind(wager.wager))
        if signs is not None and wager.net and (wager.net > 0) - (wager.net < 0) != signs[result]:
            wrong += 1
    announced = {call.value for call in rows.calls if call.call == CallKind.OUTCOME}
    return wrong + sum(value in set(Outcome) and value != result for value in announced)


def _likely_hands(cards: int) -> Iterator[tuple[str, ...]]:
    """Lay the first four in order and the others anywhere."""
    later = max(0, cards - len(INITIAL_DEAL))
    for hands in product((PLAYER, BANKER), repeat=later):
        yield (*INITIAL_DEAL[:cards], *hands)


def quick_cost(rows: RoundRows) -> int:
    """Say what speaks against these cards as a coup, without asking the judge."""
    if rows.is_void:
        return 0
    ranks = ranks_of(rows)
    return rule_cost(ranks) + money_cost(ranks, rows)


def baccarat_readings(rows: RoundRows, setting: Setting) -> list[Trial]:
    """Give the readings of a round, the best first; one alone where nothing speaks against it."""
    ranks = ranks_of(rows)
    lawful = lawful_hands(ranks)
    if lawful is None and rows.is_void:
        lawful = _laid_in_order(len(ranks))
    fits = lawful is not None and _fits(lawful, rows)
    if lawful is not None and fits and (rows.is_void or not quick_cost(rows)):
        return [Trial(with_burnt(lawful, rows), 0)]
    if len(ranks) > MOST_CARDS:
        return []
    ways = [way for way in product((PLAYER, BANKER), repeat=len(ranks)) if _fits(way, rows)]
    costs = {way: _breaches(ranks, way, setting) for way in ways}
    worst = min(costs.values(), default=0) + 2 * MISDEAL
    likely = sorted((way for way in ways if costs[way] <= worst), key=lambda way: costs[way])
    trials = [tried(rows, with_burnt(way, rows), setting) for way in likely[:MOST_JUDGED]]
    return sorted(trials, key=lambda trial: (trial.cost, trial.hands != lawful))


def _breaches(ranks: tuple[Rank | None, ...], way: tuple[str, ...], setting: Setting) -> int:
    """Count the rules of dealing and drawing that a reading breaks."""
    dealt = Dealt(tuple(parse_hand(hand) for hand in way))
    broken = [rule(dealt, setting.book) for rule in DEALING_RULES.values()]
    cost = MISDEAL * sum(isinstance(verdict, Breach) for verdict in broken)
    if cost or None in ranks:
        return cost
    coup = _coup([rank for rank in ranks if rank is not None], way)
    drawn = [rule(coup, setting.book) for rule in DRAWING_RULES.values()]
    return BREACH * sum(isinstance(verdict, Breach) for verdict in drawn)


def _laid_in_order(cards: int) -> tuple[str, ...]:
    """Lay the cards of a round that is void, whatever they are."""
    later = (PLAYER, BANKER)
    return tuple(
        INITIAL_DEAL[place] if place < len(INITIAL_DEAL) else later[place % 2]
        for place in range(cards)
    )


def _fits(way: Sequence[str], rows: RoundRows) -> bool:
    """Tell whether a reading keeps every hand that the device did know."""
    pairs = zip(rows.in_play, way, strict=True)
    return all(row.hand is None or row.hand == hand for row, hand in pairs)
