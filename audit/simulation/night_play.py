"""One lawful round of a night: by patrons who were there before, at a table that keeps its logs."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from random import Random

from audit.cards import Rank
from audit.hands import BANKER, BURN, PLAYER
from audit.money import Odds
from audit.observations import Call, CallKind, Game, Wager, WagerKind
from audit.rounds import Circumstances, Round, rank_of
from audit.simulation import blackjack_table
from audit.simulation.baccarat_pay import odds_of, winner
from audit.simulation.baccarat_table import (
    burns_of,
    deal_cards,
    handed_back,
    within_differential,
)
from audit.simulation.blackjack_betting import Box, Seat, refused_main_wagers
from audit.simulation.blackjack_setting import CallLog, Setting, most_boxes
from audit.simulation.blackjack_style import SENSIBLE, Style
from audit.simulation.habits import Habit
from audit.simulation.night_table import NightTable
from audit.simulation.patrons import Company, Patron
from audit.simulation.rows import carried
from audit.simulation.shoe import Shoe
from audit.simulation.stakes import pays
from audit.simulation.voiding import voided

NIGHT_HABITS = frozenset(
    {
        Habit.LATE_WAGERS,
        Habit.OUTSIDE_LIMITS,
        Habit.SPLIT_BESIDE_A_SURRENDER,
        Habit.CONTROL_PASSES_UNHEARD,
    }
)
SOMEBODY_TURNED_AWAY = 0.02
VOID_SHARE = 0.001
ABSENT_SHARE = 0.005
SQUEEZED = 0.2
SIDE_WAGERS = (WagerKind.PAIR, WagerKind.OVER13, WagerKind.UNDER13)


def deal_night_round(
    shoe: Shoe,
    table: NightTable,
    company: Company,
    let_through: frozenset[str],
    rng: Random,
    *,
    style: Style = SENSIBLE,
) -> Round:
    """Deal one lawful round off the shoe, with its wagers settled as they are due."""
    if table.book.game is Game.BACCARAT:
        played = _coup(shoe, table, company, let_through, rng)
    else:
        setting = _blackjack_setting(shoe, table, company, let_through, rng)
        setting.style = style
        played = blackjack_table.deal_round(
            shoe, table.book, table.sheet, rng, NIGHT_HABITS, setting
        )
    if not carried(played):
        in_time = tuple(wager for wager in played.wagers if not wager.late)
        played = replace(played, wagers=in_time)
    if table.log is not CallLog.NOTHING and rng.random() < VOID_SHARE:
        played = voided(played, table.book, rng)
    return played


# Baccarat


def _coup(
    shoe: Shoe, table: NightTable, company: Company, let_through: frozenset[str], rng: Random
) -> Round:
    first = shoe.dealt == 0
    cards = [shoe.draw(BURN) for _ in range(burns_of(table.sheet))] if first else []
    burnt = len(cards)
    cards += deal_cards(shoe)
    player = [rank_of(seen) for seen in cards if seen.hand is PLAYER]
    banker = [rank_of(seen) for seen in cards if seen.hand is BANKER]
    wagers = _on_the_layout(table, company, _Payments(table, player, banker), rng)
    if wagers and rng.random() < SOMEBODY_TURNED_AWAY:
        wagers += handed_back(wagers, let_through, table.cashier, NIGHT_HABITS, rng)
    calls: tuple[Call, ...] = ()
    if table.log is not CallLog.NOTHING:
        calls = _announcements(len(cards), burnt, winner(player, banker), rng)
    return Round(
        game=Game.BACCARAT,
        cards=tuple(cards),
        wagers=tuple(wagers),
        calls=calls,
        around=Circumstances(shoe.following(), True, first, let_through),  # noqa: FBT003
    )


class _Payments:
    """What each kind of wager on one coup is paid, worked out once."""

    def __init__(self, table: NightTable, player: Sequence[Rank], banker: Sequence[Rank]) -> None:
        self.table = table
        self.player, self.banker = player, banker
        self._odds = dict[WagerKind, Odds | None]()

    def net_of(self, kind: WagerKind, stake: Decimal) -> Decimal:
        if kind not in self._odds:
            self._odds[kind] = odds_of(kind, self.player, self.banker, self.table.book)
        odds = self._odds[kind]
        return -stake if odds is None else pays(stake, odds, self.table.sheet.rounding)


def _on_the_layout(
    table: NightTable, company: Company, payments: _Payments, rng: Random
) -> list[Wager]:
    net_of = payments.net_of
    placed: list[Wager] = []
    random = rng.random
    offered = tuple(table.book.wagers)
    originals = company.originals
    for patron in company.present():
        box = patron.box if table.areas_known else None
        kind = patron.favourite if random() < 0.7 else originals[random() < 0.5]
        stake = company.stake(kind, patron)
        placed.append(Wager(patron.name, kind, stake, net_of(kind, stake), box))
        if random() < patron.likes_sides:
            kind = offered[int(random() * len(offered))]
            if kind not in originals:
                stake = company.stake(kind, patron)
                placed.append(Wager(patron.name, kind, stake, net_of(kind, stake), box))
    most = table.book.options.wagers_per_area
    if most is not None and table.areas_known and len(placed) > most.value:
        placed = _at_most(placed, most.value)
    if table.sheet.differential is not None:
        placed = within_differential(placed, table.sheet)
    return placed


def _at_most(placed: list[Wager], most: int) -> list[Wager]:
    """Leave out what is one too many on its area."""
    on_area: dict[tuple[WagerKind, int | None], int] = {}
    kept = []
    for wager in placed:
        area = (wager.kind, wager.box)
        on_area[area] = on_area.get(area, 0) + 1
        if on_area[area] <= most:
            kept.append(wager)
    return kept


def _announcements(cards: int, burnt: int, outcome: str, rng: Random) -> tuple[Call, ...]:
    calls = _said(cards, burnt, outcome)
    if rng.random() < SQUEEZED:
        squeeze = Call(CallKind.SQUEEZE, burnt + 4, PLAYER)
        calls = (*calls[:-2], squeeze, *calls[-2:])
    return calls


@cache
def _said(cards: int, burnt: int, outcome: str) -> tuple[Call, ...]:
    before = (Call(CallKind.BURN, burnt, value=str(burnt)),) if burnt else ()
    return (
        *before,
        Call(CallKind.BETS_OPEN, burnt),
        Call(CallKind.BETS_CLOSED, burnt),
        Call(CallKind.OUTCOME, cards, value=outcome),
        Call(CallKind.ROUND_END, cards),
    )


# Blackjack


def _blackjack_setting(
    shoe: Shoe, table: NightTable, company: Company, let_through: frozenset[str], rng: Random
) -> Setting:
    boxes, owners = _seated(table, company, most_boxes(shoe), rng)
    refused: list[Wager] = []
    if rng.random() < SOMEBODY_TURNED_AWAY * 5:
        refused = refused_main_wagers(boxes, let_through, table.cashier, NIGHT_HABITS, rng)
    return Setting(
        cashier=table.cashier,
        boxes=boxes,
        sides=_side_wagers(boxes, owners, table, company, rng),
        refused=refused,
        let_through=let_through,
        log=table.log,
        names_who_decides=table.names_who_decides,
        notes_when_settled=table.notes_when_settled,
        burns_before_bets=True,
        hands=table.hands,
        unsettled=0.0,
    )


def _seated(
    table: NightTable, company: Company, most: int, rng: Random
) -> tuple[list[Box], dict[str, Patron]]:
    by_box: dict[int, list[Patron]] = {}
    for patron in company.present():
        by_box.setdefault(patron.box, []).append(patron)
    greatest = table.cashier.range_of(WagerKind.MAIN)[1]
    boxes: list[Box] = []
    owners: dict[str, Patron] = {}
    for number in sorted(by_box)[:most]:
        seats: list[Seat] = []
        left = greatest
        for patron in by_box[number][:3]:
            stake = company.stake(WagerKind.MAIN, patron)
            if stake <= left:
                left -= stake
                seats.append(Seat(patron.name, stake))
                owners[patron.name] = patron
        absent = len(seats) == 1 and rng.random() < ABSENT_SHARE
        boxes.append(Box(number, seats, is_absent=absent))
    return boxes, owners


def _side_wagers(
    boxes: list[Box],
    owners: dict[str, Patron],
    table: NightTable,
    company: Company,
    rng: Random,
) -> list[tuple[Wager, Box]]:
    """Let patrons place side wagers on their own boxes, over and under 13 up to the main wager."""
    placed: list[tuple[Wager, Box]] = []
    for box in boxes:
        for seat in box.seats:
            patron = owners[seat.bettor]
            if box.is_absent or rng.random() >= patron.likes_sides * 2:
                continue
            kind = rng.choice(SIDE_WAGERS)
            if kind not in table.book.wagers:
                continue
            stake = company.stake(kind, patron)
            if kind is WagerKind.PAIR or stake <= seat.stake:
                placed.append((Wager(seat.bettor, kind, stake, None, box.number), box))
    return placed
