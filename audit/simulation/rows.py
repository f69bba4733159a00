"""A simulated round as the rows of the logs: the inverse of `audit.assembly`.

Places become times: cards leave the shoe seconds apart, a call is made between two of them, a late
wager is placed after the bets were closed. What rows cannot carry is `carried` to tell.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter
from random import Random

from audit.cards import Card
from audit.hands import Place
from audit.observations import Call, CallKind, Wager, WagerKind
from audit.rounds import Round
from audit.shoe_rows import CallRow, CardRow, WagerRow

BETTING = 15_000
BETTING_VARIES = 10_000
BETWEEN_CARDS = 1_000
CARDS_VARY = 1_800
CLOSING = 3_000
"""How long before the first card the bets are closed."""
AFTER_THE_LAST_CARD = 1_500
APART = 4
"""Two wagers are never placed at the same moment: a ledger would show one of them twice."""
_AFTER = attrgetter("after")
RAISES = frozenset({WagerKind.SPLIT, WagerKind.DOUBLE})
DURING_PLAY = RAISES | {WagerKind.INSURANCE}


@dataclass(frozen=True, slots=True)
class RoundRows:
    """The rows of one round, and when it was over."""

    cards: list[CardRow]
    wagers: list[WagerRow]
    calls: list[CallRow]
    ended: datetime


@dataclass(slots=True)
class _Clock:
    """Moments of a round, in milliseconds after it began."""

    cards: list[int]
    calls: list[int]
    opened: int
    closed: int
    ended: int


def rows_of(
    played: Round,
    number: int,
    began: datetime,
    rng: Random,
    *,
    burn_is_numbered: bool = True,
) -> RoundRows:
    """Write a round down as rows, dealt from a moment on.

    A device that does not number its burn cards leaves their round empty.
    """
    said = sorted(played.calls, key=_AFTER)
    clock = _clock(played, said, rng)
    cards = [
        CardRow(
            number
            if burn_is_numbered or seen.hand is None or seen.hand.place is not Place.BURN
            else None,
            seen.seq,
            str(seen.card),
            None if seen.hand is None else str(seen.hand),
            began + timedelta(0, 0, 0, ms),
            seen.confidence,
            _written(seen.alternatives) if seen.alternatives else "",
        )
        for seen, ms in zip(played.cards, clock.cards, strict=True)
    ]
    calls = [
        CallRow(
            began + timedelta(0, 0, 0, ms),
            str(call.kind),
            number,
            None if call.hand is None else str(call.hand),
            call.bettor,
            call.value,
        )
        for call, ms in zip(said, clock.calls, strict=True)
    ]
    wagers = _wager_rows(played, number, began, clock, rng)
    return RoundRows(cards, wagers, calls, began + timedelta(0, 0, 0, clock.ended))


def _written(alternatives: Iterable[tuple[Card, float]]) -> str:
    return " ".join(f"{card}:{share}" for card, share in alternatives)


def carried(played: Round) -> bool:
    """Tell whether the rows say of every wager if it was late.

    A late wager shows by the call that closed the bets, a late insurance by a card that was dealt
    before it; a split and a double are made when their turn comes and are never late.
    """
    late = [wager.kind for wager in played.wagers if wager.late]
    if not late:
        return True
    if any(kind in RAISES for kind in late):
        return False
    if WagerKind.INSURANCE in late and len(played.in_play()) <= _first_deal(played):
        return False
    others = any(kind is not WagerKind.INSURANCE for kind in late)
    return not others or any(played.called(CallKind.BETS_CLOSED))


def _first_deal(played: Round) -> int:
    """Count the cards of the initial deal, by the boxes that were dealt to."""
    boxes = {seen.hand.box for seen in played.cards if seen.hand is not None and seen.hand.box}
    return 2 * len(boxes) + 1


def _burnt_first(played: Round) -> int:
    for place, seen in enumerate(played.cards):
        if seen.hand is None or seen.hand.place is not Place.BURN:
            return place
    return len(played.cards)


def _clock(played: Round, said: list[Call], rng: Random) -> _Clock:
    """Find a moment for every card and every call, in their order."""
    dealt = len(played.cards)
    random = rng.random
    closings = [place for place, call in enumerate(said) if call.kind is CallKind.BETS_CLOSED]
    betting = said[closings[0]].after if closings else _burnt_first(played)
    cards: list[int] = []
    calls: list[int] = []
    now = opened = closed = heard = 0
    for gap in range(dealt + 1):
        first = heard
        while heard < len(said) and (said[heard].after <= gap or gap == dealt):
            heard += 1
        if gap == betting:
            width = BETTING + int(random() * BETTING_VARIES)
            opened, closed = now, now + width - CLOSING
            calls += _while_betting([call.kind for call in said[first:heard]], now, width)
        else:
            width = BETWEEN_CARDS + int(random() * CARDS_VARY)
            if heard > first:
                step = width // (heard - first + 1)
                calls += [now + step * place for place in range(1, heard - first + 1)]
        if gap < dealt:
            now += width
            cards.append(now)
    if closings:
        closed = calls[closings[-1]]
    ended = max(now, calls[-1] if calls else 0) + AFTER_THE_LAST_CARD
    return _Clock(cards, calls, opened, closed, ended)


def _while_betting(kinds: list[CallKind], now: int, width: int) -> list[int]:
    """Put what is said up to the closing of bets early, and the rest shortly before the cards."""
    early = kinds.index(CallKind.BETS_CLOSED) if CallKind.BETS_CLOSED in kinds else 0
    late = len(kinds) - early
    step = CLOSING // (late + 1)
    before = [now + 100 * place for place in range(1, early + 1)]
    return before + [now + width - CLOSING + step * place for place in range(1, late + 1)]


def _wager_rows(
    played: Round, number: int, began: datetime, clock: _Clock, rng: Random
) -> list[WagerRow]:
    wagers = played.wagers
    if not wagers:
        return []
    share = max(APART, (clock.closed - clock.opened) // (len(wagers) + 1))
    moment = clock.opened
    random = rng.random
    rows: list[WagerRow] = []
    for place, wager in enumerate(wagers):
        if wager.kind in DURING_PLAY:
            placed = _during_play(wager, played, clock) + place * APART
        elif wager.late:
            placed = clock.closed + (place + 1) * APART
        else:
            placed = moment + int(random() * share)
        moment += share
        settled = wager.settled_after
        rows.append(
            WagerRow(
                number,
                wager.bettor,
                str(wager.kind),
                int(wager.stake * 100),
                None if wager.net is None else int(wager.net * 100),
                wager.box,
                None if wager.hand is None else str(wager.hand),
                began + timedelta(0, 0, 0, placed),
                None if settled is None else began + _settling(settled, clock),
                wager.on_behalf_of,
            )
        )
    return rows


def _during_play(wager: Wager, played: Round, clock: _Clock) -> int:
    """Place insurance once the initial deal is done, late if a further card is out; and raises."""
    if not clock.cards:
        return clock.closed
    in_play = [
        ms
        for ms, seen in zip(clock.cards, played.cards, strict=True)
        if seen.hand is None or seen.hand.place not in (Place.BURN, Place.DISCARD)
    ]
    first_deal = _first_deal(played)
    last = in_play[: first_deal + 1 if wager.late else first_deal][-1:]
    return (last[0] if last else clock.closed) + APART


def _settling(after: int, clock: _Clock) -> timedelta:
    """Find a moment after so many cards, and before the next."""
    moment = clock.cards[after - 1] + BETWEEN_CARDS // 2 if after else 0
    return timedelta(0, 0, 0, moment)
