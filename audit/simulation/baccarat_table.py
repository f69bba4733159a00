"""A round of baccarat: wagers of every kind on offer, dealt by the table of play, settled."""

from dataclasses import replace
from decimal import Decimal
from functools import cache
from random import Random

from audit.cards import Rank
from audit.hands import BANKER, BURN, PLAYER
from audit.money import NOTHING
from audit.observations import Call, CallKind, CardSeen, Game, Wager, WagerKind
from audit.rounds import Circumstances, Round, rank_of
from audit.rulebook import Rulebook, UnderMinimum
from audit.rules.baccarat import Coup, banker_draws, player_draws
from audit.simulation.baccarat_pay import net_of, winner
from audit.simulation.habits import EVERY_HABIT, Habit
from audit.simulation.shoe import Shoe
from audit.simulation.stakes import LATE, OVER, Cashier, cashier_for
from audit.table_sheet import TableSheet

BETTORS = ("ana", "ben", "cho", "dev", "eli", "fay", "gus", "hui")
SIDES = (WagerKind.PLAYER, WagerKind.BANKER)
WAGERS_PER_AREA = 3


def deal_round(
    shoe: Shoe,
    book: Rulebook,
    sheet: TableSheet,
    rng: Random,
    habits: frozenset[Habit] = EVERY_HABIT,
) -> Round:
    """Deal one round off the shoe."""
    first = shoe.dealt == 0
    let_through = frozenset(rng.sample(BETTORS, 2)) if rng.random() < 0.2 else frozenset[str]()
    between_units = Habit.STAKES_BETWEEN_UNITS in habits
    cashier = cashier_for(book, sheet, rng, between_units=between_units)
    placed = _place(cashier, rng)
    cards = [shoe.draw(BURN) for _ in range(burns_of(sheet))] if first else []
    burnt = len(cards)
    cards += deal_cards(shoe)
    player = [rank_of(seen) for seen in cards if seen.hand == PLAYER]
    banker = [rank_of(seen) for seen in cards if seen.hand == BANKER]
    wagers = [
        replace(wager, net=net_of(wager, player, banker, book, sheet.rounding)) for wager in placed
    ]
    if wagers:
        wagers += handed_back(wagers, let_through, cashier, habits, rng)
    rng.shuffle(wagers)
    wagers = _some_unsettled(wagers, rng)
    calls = _calls(len(cards), burnt, winner(player, banker), rng)
    if book.options.under_minimum is not None and rng.random() < 0.02:
        wagers, calls = _with_power_failure(wagers, calls, burnt, rng)
    return Round(
        game=Game.BACCARAT,
        cards=tuple(cards),
        wagers=tuple(wagers),
        calls=tuple(calls),
        around=Circumstances(
            following=shoe.following(),
            next_round_began=rng.random() < 0.5,
            first_of_shoe=first,
            let_through_under_minimum=let_through,
        ),
    )


def burns_of(sheet: TableSheet) -> int:
    """Say how many cards a table burns at the start of a shoe."""
    return 1 if sheet.burn is None else sheet.burn


def deal_cards(shoe: Shoe) -> list[CardSeen]:
    """Deal a coup by the table of play."""
    cards = [shoe.draw(hand) for hand in (PLAYER, BANKER, PLAYER, BANKER)]
    first, second, third, fourth = (_COUNTS_AS[rank_of(seen)] for seen in cards)
    player: tuple[Rank, ...] = (first, third)
    banker = (second, fourth)
    if _player_draws(player, banker):
        cards.append(shoe.draw(PLAYER))
        player = (*player, _COUNTS_AS[rank_of(cards[-1])])
    if _banker_draws(player, banker):
        cards.append(shoe.draw(BANKER))
    return cards


_COUNTS_AS = {rank: Rank.TEN if rank in "TJQK" else rank for rank in Rank}
"""Pictures count as tens do, so that few coups differ."""


@cache
def _player_draws(player: tuple[Rank, ...], banker: tuple[Rank, ...]) -> bool:
    return player_draws(Coup(player, banker))


@cache
def _banker_draws(player: tuple[Rank, ...], banker: tuple[Rank, ...]) -> bool:
    return banker_draws(Coup(player, banker))


def _place(cashier: Cashier, rng: Random) -> list[Wager]:
    """Let the bettors place wagers, up to three of a kind on an area where areas are known."""
    offered = list(cashier.book.wagers)
    areas_known = rng.random() < 0.5
    wagers: list[Wager] = []
    for bettor in rng.sample(BETTORS, rng.randint(0, len(BETTORS))):
        for kind in rng.sample(offered, rng.randint(1, len(offered))):
            box = rng.randint(1, 9) if areas_known else None
            on_area = sum((other.kind, other.box) == (kind, box) for other in wagers)
            stake = cashier.stake(kind, rng)
            if stake > 0 and (box is None or on_area < WAGERS_PER_AREA):
                wagers.append(Wager(bettor, kind, stake, box=box))
    return within_differential(wagers, cashier.sheet)


def within_differential(wagers: list[Wager], sheet: TableSheet) -> list[Wager]:
    """Leave out wagers of the heavier side until the two are close enough."""
    while sheet.differential is not None and abs(_apart(wagers)) > sheet.differential:
        heavier = WagerKind.PLAYER if _apart(wagers) > 0 else WagerKind.BANKER
        wagers.remove(next(wager for wager in wagers if wager.kind is heavier))
    return wagers


def _apart(wagers: list[Wager]) -> Decimal:
    player, banker = (
        sum((wager.stake for wager in wagers if wager.kind is side), Decimal(0)) for side in SIDES
    )
    return player - banker


def handed_back(
    wagers: list[Wager],
    let_through: frozenset[str],
    cashier: Cashier,
    habits: frozenset[Habit],
    rng: Random,
) -> list[Wager]:
    """Wagers that nobody accepted: too late, outside the limits, taken off for the differential."""
    refused: list[Wager] = []
    like = replace(rng.choice(wagers), bettor=LATE, box=None)
    if Habit.LATE_WAGERS in habits and rng.random() < 0.15:
        refused.append(replace(like, net=NOTHING, late=True))
    if Habit.OUTSIDE_LIMITS in habits and like.net and like.kind in cashier.sheet.limits:
        refused += _outside_limits(like, let_through, cashier, rng)
    if rng.random() < 0.2:
        refused += _taken_off(wagers, cashier)
    return refused


def _outside_limits(
    like: Wager, let_through: frozenset[str], cashier: Cashier, rng: Random
) -> list[Wager]:
    least, greatest = cashier.range_of(like.kind)
    refused = [replace(like, stake=greatest * 2, net=NOTHING)] if rng.random() < 0.1 else []
    returned = cashier.book.options.under_minimum
    if returned is not None and returned.value is UnderMinimum.ONCE_THEN_RETURNED:
        refused += [
            replace(like, bettor=bettor, stake=least / 2, net=NOTHING)
            for bettor in sorted(let_through)
        ]
    return refused


def _taken_off(wagers: list[Wager], cashier: Cashier) -> list[Wager]:
    most_apart = cashier.sheet.differential
    side = next((wager for wager in wagers if wager.kind in SIDES and wager.net), None)
    if side is None or most_apart is None or not cashier.book.breaks["BET013"]:
        return []
    greatest = cashier.range_of(side.kind)[1]
    taken_off = replace(side, bettor=OVER, box=None, stake=greatest, net=NOTHING)
    return [taken_off] if abs(_apart([*wagers, taken_off])) > most_apart else []


def _some_unsettled(wagers: list[Wager], rng: Random) -> list[Wager]:
    share = rng.choice((0.0, 0.0, 0.0, 0.1, 1.0))
    return [
        replace(wager, net=None) if wager.net and rng.random() < share else wager
        for wager in wagers
    ]


def _with_power_failure(
    wagers: list[Wager], calls: list[Call], burnt: int, rng: Random
) -> tuple[list[Wager], list[Call]]:
    """Let a bettor take back all wagers: the power failed before any was decided (5.17.1)."""
    bettor, after = rng.choice(BETTORS), burnt + 1
    failed = [Call(CallKind.POWER_FAILURE, after), Call(CallKind.WITHDRAW, after, bettor=bettor)]
    rows = [replace(row, net=NOTHING) if row.bettor == bettor else row for row in wagers]
    return rows, sorted([*calls, *failed], key=lambda call: call.after)


def _calls(cards: int, burnt: int, outcome: str, rng: Random) -> list[Call]:
    calls = [Call(CallKind.BETS_OPEN, 0), Call(CallKind.BETS_CLOSED, 0)]
    if burnt:
        calls.append(Call(CallKind.BURN, burnt, value=str(burnt)))
    calls += [
        Call(CallKind.SQUEEZE, burnt + 4, hand=PLAYER, bettor="ana"),
        Call(CallKind.CUTTING_CARD, rng.randint(burnt, cards)),
        Call(CallKind.OUTCOME, cards, value=outcome),
        Call(CallKind.ROUND_END, cards),
    ]
    heard = rng.choice((0.0, 0.7, 1.0))
    return [call for call in calls if rng.random() < heard]
