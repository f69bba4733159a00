"""The wagers of a round, in either game: void rounds, limits, late and withdrawn ones, payment."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from audit.findings import Evidence
from audit.hands import Hand, box_hand
from audit.irregularities import (
    PlayedOn,
    irregularities_of,
    may_withdraw,
    must_be_void,
    played_on_although_void,
    stage_at,
    voided,
    voided_without_ground,
    withdrew,
)
from audit.judging.record import Record, total
from audit.money import NOTHING
from audit.observations import WAGERS_OF, CallKind, Game, Wager, WagerKind
from audit.rulebook import Irregularity, LimitsJudged, OverMaximum, UnderMinimum
from audit.rules.shoe import Found, ShoeRunOut, foreign_card_found, shoe_ran_out
from audit.rules.wagers import (
    AREA_RULES,
    LIMIT_RULES,
    PLACING_RULES,
    Amount,
    Area,
    Differential,
    Placed,
    Withdrawn,
    differential_exceeded,
    wager_withdrawn,
)
from audit.settlement.dues import Due, Payment, returned
from audit.settlement.payments import PAYMENT_RULES
from audit.verdicts import Breach, Verdict

NO_LIMIT = (None, None)
RAISES = frozenset({WagerKind.SPLIT, WagerKind.DOUBLE, WagerKind.INSURANCE})


@dataclass(frozen=True, slots=True)
class Dues:
    """What each wager is due, by its place in the ledger.

    `lawful` is by the cards as the rules would have had them, `as_laid` by the cards as they lay. A
    place that is missing could not be told.
    """

    lawful: Mapping[int, Due]
    as_laid: Mapping[int, Due]


# Void rounds


def hear_void(record: Record) -> bool:
    """Judge a round that was declared void, or had to be; tell whether that settles everything."""
    round_, book = record.round, record.book
    record.hear(
        "SHO002", foreign_card_found(Found(any(round_.called(CallKind.FOREIGN_CARD))), book)
    )
    void = voided(round_, book)
    ran_out = void is not None and void.reason == "not_enough_cards"
    record.hear("SHO003", shoe_ran_out(ShoeRunOut(ran_out), book))
    if void is not None:
        record.hear("DEA019", voided_without_ground(void, book))
        why = f"the round is void ({void.reason.replace('_', ' ')})" if void.reason else "void"
        for place, wager in enumerate(round_.wagers):
            due = returned(wager, why, book.options.void_returns_wagers)
            hear_payment(record, place, due)
        return True
    provisions = must_be_void(round_, book)
    nets = [wager.net for wager in round_.wagers]
    moved = None if None in nets or not nets else total([net for net in nets if net is not None])
    record.hear("DEA020", played_on_although_void(PlayedOn(provisions, moved), book))
    return bool(provisions)


# What counts of a stake


def counting_stakes(record: Record) -> dict[int, Fraction]:
    """Say how much of each stake counts, given what the document does with one over the maximum."""
    wagers = record.round.wagers
    counting = {place: Fraction(wager.stake) for place, wager in enumerate(wagers)}
    rule = record.book.options.over_maximum
    if rule is None:
        return counting
    for place, wager in enumerate(wagers):
        least, greatest = limits_of(record, wager.kind)
        if greatest is None:
            continue
        if rule.value is OverMaximum.TO_THE_MAXIMUM:
            counting[place] = min(counting[place], Fraction(greatest))
        elif least is None or wager.stake >= least:
            counting[place] = _pro_rata(record, wager, least, greatest)
    return counting


def _pro_rata(record: Record, wager: Wager, least: Decimal | None, greatest: Decimal) -> Fraction:
    """Share the maximum of a box among its wagers, none of them below the minimum."""
    placed = total([other.stake for other in same_area(record, wager)])
    if placed <= greatest:
        return Fraction(wager.stake)
    share = Fraction(wager.stake) * Fraction(greatest) / Fraction(placed)
    return max(share, Fraction(least or 0))


def same_area(record: Record, wager: Wager) -> list[Wager]:
    """All wagers of one kind on one box, that one included."""
    return [
        other
        for other in record.round.wagers
        if (other.kind, other.box) == (wager.kind, wager.box) and not other.late
    ]


def limits_of(record: Record, kind: WagerKind) -> tuple[Decimal | None, Decimal | None]:
    limit = record.sheet.limits.get(kind)
    return (limit.min, limit.max) if limit is not None else NO_LIMIT


# Wagers that may not be placed


def was_handed_back(wager: Wager, due: Due | None) -> bool:
    """Tell a wager that was refused or returned: settled for nothing though it won or lost."""
    return wager.net == NOTHING and (due is None or due.net != NOTHING)


def hand_of_wager(wager: Wager) -> Hand | None:
    """Name the hand that a wager stands on, as far as the ledger says."""
    if wager.hand is not None:
        return wager.hand
    in_blackjack = wager.kind in WAGERS_OF[Game.BLACKJACK]
    return box_hand(wager.box) if in_blackjack and wager.box is not None else None


def hear_of_wager(record: Record, code: str, verdict: Verdict, place: int) -> None:
    """Write down what a rule says about one wager."""
    wager = record.round.wagers[place]
    record.hear(
        code,
        verdict,
        hand=hand_of_wager(wager),
        bettor=wager.bettor,
        wager=wager.kind,
        evidence=Evidence(wagers=(place,)),
    )


def hear_placing(record: Record, dues: Dues) -> frozenset[int]:
    """Judge what may be placed; give the places of the wagers that are thereby spoken for."""
    spoken_for: set[int] = set()
    for place, wager in enumerate(record.round.wagers):
        if wager.kind not in record.book.wagers or wager.late:
            spoken_for.add(place)
            if was_handed_back(wager, dues.lawful.get(place)):
                continue
        for code, rule in PLACING_RULES.items():
            verdict = rule(Placed(wager.kind, wager.late, wager.net), record.book)
            hear_of_wager(record, code, verdict, place)
    spoken_for |= _hear_limits(record, dues)
    _hear_areas(record, frozenset(spoken_for))
    _hear_differential(record)
    return frozenset(spoken_for)


def _hear_limits(record: Record, dues: Dues) -> set[int]:
    """Hold each wager, or each box, against the limits; wagers handed back for them are fine."""
    judged = record.book.options.limits_judged
    by_box = judged is not None and judged.value is LimitsJudged.BOX_TOTAL
    spoken_for: set[int] = set()
    heard: set[tuple[WagerKind, int | None]] = set()
    for place, wager in enumerate(record.round.wagers):
        least, greatest = limits_of(record, wager.kind)
        if (least is None and greatest is None) or wager.late:
            continue
        amount = Amount(
            kind=wager.kind,
            amount=total([other.stake for other in same_area(record, wager)])
            if by_box
            else wager.stake,
            least=least,
            greatest=greatest,
            whose=f"box {wager.box}" if by_box else "it",
            net=wager.net,
            let_through_before=wager.bettor in record.round.around.let_through_under_minimum,
        )
        verdicts = {code: rule(amount, record.book) for code, rule in LIMIT_RULES.items()}
        outside = any(isinstance(verdict, Breach) for verdict in verdicts.values())
        if outside and was_handed_back(wager, dues.lawful.get(place)):
            spoken_for.add(place)
            continue
        if _must_go_back(record, amount):
            spoken_for.add(place)
        if by_box and (wager.kind, wager.box) in heard:
            continue
        heard.add((wager.kind, wager.box))
        for code, verdict in verdicts.items():
            hear_of_wager(record, code, verdict, place)
    return spoken_for


def _must_go_back(record: Record, amount: Amount) -> bool:
    """Tell a wager under the minimum of a bettor who was let off once: it had to be returned."""
    rule = record.book.options.under_minimum
    once = rule is not None and rule.value is UnderMinimum.ONCE_THEN_RETURNED
    under = amount.least is not None and amount.amount < amount.least
    return once and under and amount.let_through_before


def _hear_areas(record: Record, refused: frozenset[int]) -> None:
    areas: dict[tuple[WagerKind, int | None], list[int]] = defaultdict(list)
    for place, wager in enumerate(record.round.wagers):
        if place not in refused and wager.kind not in RAISES:
            areas[wager.kind, wager.box].append(place)
    for (kind, box), places in areas.items():
        bettors = Counter(record.round.wagers[place].bettor for place in places)
        area = Area(kind, len(places), max(bettors.values()), box)
        for code, rule in AREA_RULES.items():
            record.hear(
                code,
                rule(area, record.book),
                hand=hand_of_wager(record.round.wagers[places[0]]),
                wager=kind,
                evidence=Evidence(wagers=tuple(places)),
            )


def _hear_differential(record: Record) -> None:
    greatest = record.sheet.differential
    if greatest is None or record.round.game is not Game.BACCARAT:
        return
    sides = [
        total([wager.stake for wager in record.round.placed(kind) if not wager.late])
        for kind in (WagerKind.PLAYER, WagerKind.BANKER)
    ]
    verdict = differential_exceeded(Differential(sides[0], sides[1], greatest), record.book)
    record.hear("BET013", verdict)


# Payment


def hear_payment(record: Record, place: int, due: Due) -> None:
    """Judge how one wager was settled, if it was."""
    wager = record.round.wagers[place]
    if wager.net is None:
        return
    payment = Payment(wager, due, wager.net)
    for code, rule in PAYMENT_RULES.items():
        hear_of_wager(record, code, rule(payment, record.book), place)


def hear_payments(
    record: Record, dues: Dues, spoken_for: frozenset[int], breached: tuple[str, ...]
) -> Decimal | None:
    """Judge all settlements, and say what the mistakes of dealing and drawing have cost.

    A wager settled by the cards as they lay, where the rules would have had them otherwise, was
    settled wrongly by that mistake and not by another: its cost is the mistake's.
    """
    cost: Decimal | None = NOTHING if record.round.wagers else None
    went_wrong = irregularities_of(record.round, record.book, breached)
    for place, wager in enumerate(record.round.wagers):
        lawful, as_laid = dues.lawful.get(place), dues.as_laid.get(place)
        if place in spoken_for:
            continue
        if _hear_withdrawal(record, place, lawful, went_wrong):
            continue
        if wager.net is None:
            cost = None
        elif lawful is not None and as_laid is not None and as_laid.net == wager.net != lawful.net:
            cost = None if cost is None else cost + (wager.net - lawful.net)
        elif lawful is not None:
            hear_payment(record, place, lawful)
        else:
            cost = None
            if as_laid is not None:
                hear_payment(record, place, as_laid)
    return cost


def _hear_withdrawal(
    record: Record, place: int, due: Due | None, went_wrong: frozenset[Irregularity]
) -> bool:
    """Judge a wager that was taken back, and tell whether it was."""
    wager = record.round.wagers[place]
    call = withdrew(record.round, wager)
    if call is None:
        return False
    provision = may_withdraw(went_wrong, stage_at(record.round, call.after), record.book)
    if provision is not None:
        clause = provision.withdraw or provision.clause
        hear_payment(record, place, returned(wager, "it was withdrawn, as the rules allow", clause))
        return True
    withdrawn = Withdrawn(wager.kind, wager.net, due.net if due else None, permitted=False)
    hear_of_wager(record, "BET012", wager_withdrawn(withdrawn, record.book), place)
    return True
