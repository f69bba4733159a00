"""Wagers that the rules do not allow."""

from dataclasses import replace
from decimal import Decimal
from random import Random

from audit.money import CENT
from audit.observations import WAGERS_OF, Call, CallKind, Game, Wager, WagerKind
from audit.rulebook import LimitsJudged, Rulebook, SideWagerNeeds
from audit.simulation.blackjack_view import is_on_blackjack, view_of
from audit.simulation.fault import (
    Fault,
    Scene,
    is_crowded,
    is_outside_limits,
    originals,
    settled_places,
    was_refused,
)
from audit.table_sheet import Limit

RAISES = (WagerKind.SPLIT, WagerKind.DOUBLE, WagerKind.INSURANCE)
SIDES = (WagerKind.PAIR, WagerKind.OVER13, WagerKind.UNDER13)
LIMITED_TWICE = (WagerKind.OVER13, WagerKind.UNDER13, WagerKind.PLAYER, WagerKind.BANKER)
GUEST = "gast"
BOXES = range(1, 8)


def _pick_place(scene: Scene, rng: Random, *kinds: WagerKind) -> tuple[int, Wager] | None:
    places = [(place, wager) for place, wager, net in settled_places(scene, *kinds) if net]
    return rng.choice(places) if places else None


def _at_evens(scene: Scene, rng: Random) -> tuple[int, Wager, Limit] | None:
    """Choose a wager with limits that won or lost its stake, alone on its area and never raised."""
    raised = {(wager.bettor, wager.box) for wager in scene.round.placed(*RAISES)}
    judged = scene.book.options.limits_judged
    by_box = judged is not None and judged.value is LimitsJudged.BOX_TOTAL
    chosen = []
    for place, wager, net in settled_places(scene):
        area = [w for w in scene.round.wagers if (w.kind, w.box) == (wager.kind, wager.box)]
        limit = scene.sheet.limits.get(wager.kind)
        original = wager.kind is WagerKind.MAIN and (
            (wager.bettor, wager.box) in raised or _has_side_wagers(scene, wager)
        )
        let_through = wager.bettor in scene.round.around.let_through_under_minimum
        limited = limit is not None and wager.kind not in LIMITED_TWICE
        alone = not by_box or len(area) == 1
        usual = abs(net) == wager.stake and not original and not let_through
        usual = usual and not is_on_blackjack(scene, wager)
        if limit is not None and limited and alone and usual:
            chosen.append((place, wager, limit))
    return rng.choice(chosen) if chosen else None


def _has_side_wagers(scene: Scene, wager: Wager) -> bool:
    return any(side.box == wager.box for side in scene.round.placed(*SIDES))


def _with_stake(scene: Scene, place: int, stake: Decimal, counting: Decimal) -> Scene:
    """Change a stake, and settle as much of it as counts at the odds at which it was settled."""
    wager = scene.round.wagers[place]
    net = counting if wager.net is not None and wager.net > 0 else -counting
    return scene.with_wager(place, replace(wager, stake=stake, net=net))


def not_offered(scene: Scene, rng: Random) -> Scene | None:
    others = sorted(WAGERS_OF[scene.book.game] - set(scene.book.wagers))
    box = next((wager.box for wager in scene.round.placed(WagerKind.MAIN)), None)
    if not others or (scene.book.game is Game.BLACKJACK and box is None):
        return None
    stake = Decimal("10.00")
    wager = Wager(GUEST, rng.choice(others), stake, -stake, box=box)
    return scene.with_wagers(*scene.round.wagers, wager)


def below_minimum(scene: Scene, rng: Random) -> Scene | None:
    row = _at_evens(scene, rng)
    if row is None or row[2].min is None:
        return None
    return _with_stake(scene, row[0], row[2].min / 2, row[2].min / 2)


def above_maximum(scene: Scene, rng: Random) -> Scene | None:
    row = _at_evens(scene, rng)
    if row is None or row[2].max is None:
        return None
    counting = row[2].max * 4 if scene.book.options.over_maximum is None else row[2].max
    return _with_stake(scene, row[0], row[2].max * 4, counting)


def split_for_another_amount(scene: Scene, rng: Random) -> Scene | None:
    row = _pick_place(scene, rng, WagerKind.SPLIT)
    if row is None:
        return None
    stake = row[1].stake * rng.choice((Decimal("0.5"), Decimal(2)))
    return scene.with_wager(row[0], replace(row[1], stake=stake.quantize(CENT), net=None))


def split_without_a_wager(scene: Scene, rng: Random) -> Scene | None:
    hands = {wager.hand for wager in scene.round.placed(WagerKind.SPLIT) if wager.hand}
    if not hands:
        return None
    hand = rng.choice(sorted(hands, key=str))
    return scene.with_wagers(*(wager for wager in scene.round.wagers if wager.hand != hand))


def double_above_original(scene: Scene, rng: Random) -> Scene | None:
    row = _pick_place(scene, rng, WagerKind.DOUBLE)
    if row is None or view_of(scene) is None:
        return None
    original = originals(scene)[row[1].bettor, row[1].box or 0]
    return scene.with_wager(row[0], replace(row[1], stake=original + CENT, net=None))


def double_below_minimum(scene: Scene, rng: Random) -> Scene | None:
    row = _pick_place(scene, rng, WagerKind.DOUBLE)
    limit = scene.sheet.limits.get(WagerKind.MAIN)
    if row is None or limit is None or limit.min is None or view_of(scene) is None:
        return None
    return scene.with_wager(row[0], replace(row[1], stake=limit.min - CENT, net=None))


def insured_for_more_than_half(scene: Scene, rng: Random) -> Scene | None:
    row = _pick_place(scene, rng, WagerKind.INSURANCE)
    if row is None:
        return None
    original = originals(scene)[row[1].on_behalf_of or row[1].bettor, row[1].box or 0]
    stake = (original / 2).quantize(CENT) + CENT
    return scene.with_wager(row[0], replace(row[1], stake=stake, net=None))


def insured_by_another(scene: Scene, rng: Random) -> Scene | None:
    """Let a guest insure a wager, which its own bettor has insured as well."""
    row = _pick_place(scene, rng, WagerKind.INSURANCE)
    if row is None or row[1].on_behalf_of not in (None, row[1].bettor):
        return None
    owner = row[1].bettor
    guests = Wager(GUEST, WagerKind.INSURANCE, CENT, box=row[1].box, on_behalf_of=owner)
    return scene.with_wagers(*scene.round.wagers, guests)


def side_wager_on_an_empty_box(scene: Scene, rng: Random) -> Scene | None:
    taken = {wager.box for wager in scene.round.wagers}
    free = [box for box in BOXES if box not in taken]
    if not free:
        return None
    limit = scene.sheet.limits.get(WagerKind.PAIR)
    stake = Decimal("10.00") if limit is None or limit.min is None else limit.min
    wager = Wager(GUEST, WagerKind.PAIR, stake, -stake, box=rng.choice(free))
    return scene.with_wagers(*scene.round.wagers, wager)


def side_wager_on_anothers_box(scene: Scene, rng: Random) -> Scene | None:
    row = _pick_place(scene, rng, *SIDES)
    return row and scene.with_wager(row[0], replace(row[1], bettor=GUEST))


def over_under_above_original(scene: Scene, rng: Random) -> Scene | None:
    row = _pick_place(scene, rng, WagerKind.OVER13, WagerKind.UNDER13)
    if row is None:
        return None
    on_box = [main.stake for main in scene.round.placed(WagerKind.MAIN) if main.box == row[1].box]
    return scene.with_wager(row[0], replace(row[1], stake=sum(on_box, CENT), net=None))


def late_wager_settled(scene: Scene, rng: Random) -> Scene | None:
    row = _pick_place(scene, rng)
    return row and scene.with_wager(row[0], replace(row[1], late=True))


def loser_withdrawn(scene: Scene, rng: Random) -> Scene | None:
    raised = {(wager.bettor, wager.box) for wager in scene.round.placed(*RAISES)}
    lost = [
        (place, wager)
        for place, wager, net in settled_places(scene)
        if net == -wager.stake and wager.kind not in RAISES
    ]
    unsettled = {wager.bettor for wager in scene.round.wagers if wager.net is None}
    lost = [
        (place, wager)
        for place, wager in lost
        if (wager.bettor, wager.box) not in raised
        and wager.bettor not in unsettled
        and not is_crowded(scene, wager)
    ]
    if not lost or any(call.after == 0 for call in scene.round.called(CallKind.CUTTING_CARD)):
        return None
    place, wager = rng.choice(lost)
    call = Call(CallKind.WITHDRAW, len(scene.round.cards), None, wager.bettor, str(wager.kind))
    calls = (*scene.round.calls, call)
    return scene.with_wager(place, replace(wager, net=Decimal("0.00"))).with_calls(*calls)


def differential_exceeded(scene: Scene, rng: Random) -> Scene | None:
    """Lower the table's differential below what the wagers are apart."""
    sides = list(scene.round.placed(WagerKind.PLAYER, WagerKind.BANKER))
    if any(was_refused(wager) or is_outside_limits(scene, wager) for wager in sides):
        return None
    player, banker = (
        sum((wager.stake for wager in sides if wager.kind is side), Decimal(0))
        for side in (WagerKind.PLAYER, WagerKind.BANKER)
    )
    apart = abs(player - banker)
    return replace(scene, sheet=replace(scene.sheet, differential=apart - CENT)) if apart else None


def fourth_wager(scene: Scene, rng: Random) -> Scene | None:
    kinds: tuple[WagerKind, ...] = (WagerKind.MAIN, WagerKind.PAIR)
    if scene.book.game is Game.BACCARAT:
        kinds = tuple(scene.book.wagers)
    rows = [wager for wager in scene.round.placed(*kinds) if wager.box and not was_refused(wager)]
    rows = [wager for wager in rows if wager.net != 0 and wager.net is not None]
    if not rows:
        return None
    like = rng.choice(rows)
    more = [replace(like, bettor=f"{GUEST}{number}") for number in range(3)]
    return scene.with_wagers(*scene.round.wagers, *more)


def wager_separated(scene: Scene, rng: Random) -> Scene | None:
    raised = {(wager.bettor, wager.box) for wager in scene.round.placed(*RAISES)}
    rows = [
        (place, wager)
        for place, wager, net in settled_places(scene, WagerKind.MAIN)
        if abs(net) == wager.stake and (wager.bettor, wager.box) not in raised
    ]
    if not rows:
        return None
    place, wager = rng.choice(rows)
    limit = scene.sheet.limits.get(WagerKind.MAIN)
    least = scene.sheet.rounding if limit is None or limit.min is None else limit.min
    more = wager.stake - least
    if more < least or wager.net is None:
        return None
    sign = 1 if wager.net > 0 else -1
    parts = [replace(wager, stake=part, net=sign * part) for part in (least, more)]
    return scene.with_wagers(*_after(scene, place, parts))


def _after(scene: Scene, place: int, parts: list[Wager]) -> list[Wager]:
    rows = list(scene.round.wagers)
    rows[place : place + 1] = parts
    return rows


def _offers_less_than_others(book: Rulebook) -> bool:
    return bool(WAGERS_OF[book.game] - set(book.wagers))


def _side_wagers_need_own_main(book: Rulebook) -> bool:
    needs = None if book.blackjack is None else book.blackjack.side_wager_needs.value
    return needs is SideWagerNeeds.OWN_MAIN_ON_BOX


BLACKJACK = Game.BLACKJACK
WAGER_FAULTS = (
    Fault(
        "a wager is taken that is not offered",
        "BET001",
        None,
        not_offered,
        alone=True,
        only_where=_offers_less_than_others,
    ),
    Fault("a wager is below the minimum", "BET002", None, below_minimum),
    Fault("a wager is above the maximum", "BET003", None, above_maximum, alone=True),
    Fault("a split is for another amount", "BET004", BLACKJACK, split_for_another_amount),
    Fault("a split hand has no wager", "BET004", BLACKJACK, split_without_a_wager),
    Fault("a double is above the original", "BET005", BLACKJACK, double_above_original),
    Fault("a double is below the minimum", "BET006", BLACKJACK, double_below_minimum),
    Fault("insurance is over half", "BET007", BLACKJACK, insured_for_more_than_half),
    Fault("a guest insures a wager that is insured", "BET008", BLACKJACK, insured_by_another),
    Fault("a side wager is on an empty box", "BET009", BLACKJACK, side_wager_on_an_empty_box),
    Fault(
        "a side wager is on another's box",
        "BET009",
        BLACKJACK,
        side_wager_on_anothers_box,
        only_where=_side_wagers_need_own_main,
    ),
    Fault("over or under 13 above the original", "BET010", BLACKJACK, over_under_above_original),
    Fault("a late wager is settled", "BET011", None, late_wager_settled),
    Fault("a losing wager is withdrawn", "BET012", None, loser_withdrawn),
    Fault(
        "the differential is exceeded", "BET013", Game.BACCARAT, differential_exceeded, alone=True
    ),
    Fault("an area holds more than three wagers", "BET014", None, fourth_wager),
    Fault("a bettor separates a wager", "BET015", BLACKJACK, wager_separated),
)
