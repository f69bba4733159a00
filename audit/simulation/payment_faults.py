"""Wagers settled for the wrong amount or to the wrong side."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from random import Random

from audit.cards import Rank
from audit.hands import DEALER
from audit.money import CENT
from audit.observations import CallKind, Game, Wager, WagerKind
from audit.rounds import rank_of
from audit.rulebook import OverMaximum
from audit.simulation.blackjack_pay import is_natural, total_of
from audit.simulation.blackjack_view import is_on_blackjack, view_of
from audit.simulation.fault import Fault, Scene, is_crowded, logged, settled_places
from audit.simulation.stakes import half_given_up

HAND_WAGERS = (WagerKind.MAIN, WagerKind.SPLIT, WagerKind.DOUBLE)
RAISES = (WagerKind.SPLIT, WagerKind.DOUBLE)
SIX_TO_FIVE = Decimal("1.2")
COMMISSIONS = (Decimal("1"), Decimal("0.95"), Decimal("0.5"))

Row = tuple[int, Wager, Decimal]


def _dealer(scene: Scene) -> tuple[Rank, ...]:
    return tuple(rank_of(seen) for seen in scene.round.to_hand(DEALER))


def _raised(scene: Scene, wager: Wager) -> bool:
    """Tell whether the bettor split or doubled on that box."""
    return any(
        (row.bettor, row.box) == (wager.bettor, wager.box) for row in scene.round.placed(*RAISES)
    )


def _surrendered(scene: Scene, wager: Wager, net: Decimal) -> bool:
    return wager.kind is WagerKind.MAIN and net == -half_given_up(wager.stake, scene.sheet.rounding)


def _by_itself(scene: Scene) -> Iterator[Row]:
    """Leave out what a dealer's blackjack settles together, and what was folded."""
    natural = is_natural(_dealer(scene))
    if scene.book.game is Game.BLACKJACK and view_of(scene) is None:
        return
    for place, wager, net in settled_places(scene):
        together = natural and wager.kind in HAND_WAGERS and _raised(scene, wager)
        even_money = is_on_blackjack(scene, wager) and net == wager.stake
        folded = _surrendered(scene, wager, net) or even_money
        if not together and not folded:
            yield place, wager, net


def _pick(rows: Iterator[Row], rng: Random) -> Row | None:
    chosen = list(rows)
    return rng.choice(chosen) if chosen else None


def _settled_for(scene: Scene, row: Row | None, net: Decimal | None) -> Scene | None:
    if row is None or net is None or net == row[2]:
        return None
    return scene.with_wager(row[0], replace(row[1], net=net.quantize(CENT)))


def _won(scene: Scene) -> Iterator[Row]:
    return (row for row in _by_itself(scene) if row[2] > 0)


def _lost(scene: Scene) -> Iterator[Row]:
    return (row for row in _by_itself(scene) if row[2] == -row[1].stake)


def overpaid(scene: Scene, rng: Random) -> Scene | None:
    row = _pick((row for row in _won(scene) if not is_on_blackjack(scene, row[1])), rng)
    return _settled_for(scene, row, row and row[2] + 2 * row[1].stake)


def underpaid(scene: Scene, rng: Random) -> Scene | None:
    def usual(row: Row) -> bool:
        return row[1].kind is not WagerKind.BANKER and not is_on_blackjack(scene, row[1])

    row = _pick((row for row in _won(scene) if usual(row) and row[2] > CENT), rng)
    return _settled_for(scene, row, row and row[2] - CENT)


def loser_paid(scene: Scene, rng: Random) -> Scene | None:
    row = _pick(_lost(scene), rng)
    return _settled_for(scene, row, row and row[1].stake)


def winner_taken(scene: Scene, rng: Random) -> Scene | None:
    row = _pick(_won(scene), rng)
    return _settled_for(scene, row, row and -row[1].stake)


def stand_off_taken(scene: Scene, rng: Random) -> Scene | None:
    def stood_off(row: Row) -> bool:
        return row[2] == 0 and row[1].kind is not WagerKind.INSURANCE

    row = _pick((row for row in _by_itself(scene) if stood_off(row)), rng)
    return _settled_for(scene, row, row and -row[1].stake)


def loser_not_collected(scene: Scene, rng: Random) -> Scene | None:
    natural = is_natural(_dealer(scene))
    by_another_reading = (*HAND_WAGERS,) if natural else ()
    rows = (row for row in _lost(scene) if row[1].kind not in by_another_reading)
    row = _pick((row for row in rows if not is_crowded(scene, row[1])), rng)
    return _settled_for(scene, row, row and Decimal(0))


def winner_not_paid(scene: Scene, rng: Random) -> Scene | None:
    dealer_21 = total_of(_dealer(scene)) == 21
    rows = (row for row in _won(scene) if not (dealer_21 and is_on_blackjack(scene, row[1])))
    row = _pick((row for row in rows if not is_crowded(scene, row[1])), rng)
    return _settled_for(scene, row, row and Decimal(0))


def too_much_collected(scene: Scene, rng: Random) -> Scene | None:
    row = _pick(_lost(scene), rng)
    return _settled_for(scene, row, row and -2 * row[1].stake)


def part_collected(scene: Scene, rng: Random) -> Scene | None:
    row = _pick((row for row in _lost(scene) if row[1].stake >= 1), rng)
    part = row and -(row[1].stake / 5).quantize(CENT)
    if row is None or part is None or _surrendered(scene, row[1], part):
        return None
    return _settled_for(scene, row, part)


def wrong_commission(scene: Scene, rng: Random) -> Scene | None:
    row = _pick((row for row in _won(scene) if row[1].kind is WagerKind.BANKER), rng)
    if row is None:
        return None
    paid = [row[1].stake * share for share in COMMISSIONS]
    unit = scene.sheet.rounding
    others = [net for net in paid if abs(net - row[2]) >= unit and net == net.quantize(CENT)]
    return _settled_for(scene, row, rng.choice(others)) if others else None


def past_the_maximum(scene: Scene, rng: Random) -> Scene | None:
    """Double a wager over the maximum and settle all of it."""
    rule = scene.book.options.over_maximum
    rows = []
    for row in _by_itself(scene):
        wager = row[1]
        limit = scene.sheet.limits.get(wager.kind)
        area = [
            other
            for other in scene.round.wagers
            if (other.kind, other.box) == (wager.kind, wager.box)
        ]
        shared = rule is not None and rule.value is OverMaximum.PRO_RATA and len(area) > 1
        pays_less = wager.kind is WagerKind.BANKER or is_on_blackjack(scene, wager)
        at_evens = abs(row[2]) == wager.stake and not pays_less
        if limit is not None and limit.max is not None and at_evens and not shared:
            rows.append((row[0], replace(wager, stake=2 * limit.max), row[2]))
    if not rows:
        return None
    row = rng.choice(rows)
    return _settled_for(scene, row, row[1].stake if row[2] > 0 else -row[1].stake)


def all_raises_lost(scene: Scene, rng: Random) -> Scene | None:
    """Take every wager of a bettor who raised, though the dealer has blackjack."""
    if not is_natural(_dealer(scene)) or view_of(scene) is None:
        return None
    raised = {(row.bettor, row.box) for row in scene.round.placed(*RAISES)}
    for bettor, box in sorted(raised, key=str):
        places = [
            place
            for place, row in enumerate(scene.round.wagers)
            if row.kind in HAND_WAGERS and (row.bettor, row.box) == (bettor, box)
        ]
        rows = [scene.round.wagers[place] for place in places]
        nets = [row.net for row in rows]
        if None not in nets and sum(net or 0 for net in nets) > -sum(row.stake for row in rows):
            for place, row in zip(places, rows, strict=True):
                scene = scene.with_wager(place, replace(row, net=-row.stake))
            return scene
    return None


def surrender_costs_all(scene: Scene, rng: Random) -> Scene | None:
    heard = {
        (call.bettor, call.hand.box) for call in logged(scene, CallKind.SURRENDER) if call.hand
    }
    rows = (
        (place, wager, net)
        for place, wager, net in settled_places(scene, WagerKind.MAIN)
        if (wager.bettor, wager.box) in heard and net > -wager.stake
    )
    row = _pick(rows, rng)
    return _settled_for(scene, row, row and -row[1].stake)


def blackjack_at_six_to_five(scene: Scene, rng: Random) -> Scene | None:
    row = _pick((row for row in _won(scene) if is_on_blackjack(scene, row[1])), rng)
    return _settled_for(scene, row, row and row[1].stake * SIX_TO_FIVE)


def even_money_at_three_to_two(scene: Scene, rng: Random) -> Scene | None:
    heard = {
        (call.bettor, call.hand.box) for call in logged(scene, CallKind.EVEN_MONEY) if call.hand
    }
    rows = settled_places(scene, WagerKind.MAIN)
    row = _pick((row for row in rows if (row[1].bettor, row[1].box) in heard), rng)
    return _settled_for(scene, row, row and row[1].stake * Decimal("1.5"))


def side_wager_settled_late(scene: Scene, rng: Random) -> Scene | None:
    boxes = {seen.hand.box for seen in scene.round.in_play() if seen.hand and seen.hand.box}
    last = len(scene.round.cards)
    burnt = last - len(scene.round.in_play())
    sides = (WagerKind.PAIR, WagerKind.OVER13, WagerKind.UNDER13)
    row = _pick(settled_places(scene, *sides), rng)
    if row is None or row[1].box not in boxes or last <= burnt + 2 * len(boxes) + 1:
        return None
    return scene.with_wager(row[0], replace(row[1], settled_after=last))


BLACKJACK, BACCARAT = Game.BLACKJACK, Game.BACCARAT
PAYMENT_FAULTS = (
    Fault("a winner is overpaid", "PAY001", None, overpaid, alone=True),
    Fault("a winner is a cent short", "PAY001", None, underpaid, alone=True),
    Fault("a loser is paid", "PAY002", None, loser_paid, alone=True),
    Fault("a winner is taken", "PAY003", None, winner_taken, alone=True),
    Fault("a stand-off is taken", "PAY004", None, stand_off_taken, alone=True),
    Fault("a loser is not collected", "PAY005", None, loser_not_collected, alone=True),
    Fault("a winner is not paid", "PAY006", None, winner_not_paid, alone=True),
    Fault("a loser pays twice", "PAY007", None, too_much_collected, alone=True),
    Fault("a loser pays a fifth", "PAY007", None, part_collected, alone=True),
    Fault("the wrong commission is taken", "PAY008", BACCARAT, wrong_commission, alone=True),
    Fault("a wager over the maximum is settled in full", "PAY010", None, past_the_maximum),
    Fault(
        "a dealer's blackjack takes every raise", "PAY011", BLACKJACK, all_raises_lost, alone=True
    ),
    Fault("a surrender costs all", "PAY012", BLACKJACK, surrender_costs_all, alone=True),
    Fault("a blackjack is paid 6 to 5", "PAY013", BLACKJACK, blackjack_at_six_to_five, alone=True),
    Fault("even money is paid 3 to 2", "PAY014", BLACKJACK, even_money_at_three_to_two, alone=True),
    Fault("a side wager is settled late", "PAY015", BLACKJACK, side_wager_settled_late, alone=True),
)
