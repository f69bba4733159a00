"""The wagers of a round, in either game: void rounds, limits, late and withdrawn ones, payment."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from audit.findings import Evidence
from audit.hands import Hand, box_hand
from audit.irregularities import (
    PlayedOn,
    Voided,
    may_withdraw,
    must_be_void,
    played_on_although_void,
    void_cases,
    voided,
    voided_without_ground,
    withdrew,
)
from audit.judging.record import Record, total
from audit.judging.situations import JudgedOnce
from audit.money import NOTHING
from audit.observations import WAGERS_OF, CallKind, Game, Wager, WagerKind
from audit.rulebook import (
    Irregularity,
    LimitsJudged,
    OverMaximum,
    Remedy,
    Rulebook,
    UnderMinimum,
)
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
from audit.settlement.dues import Due, Payment, in_full, returned
from audit.settlement.payments import PAYMENT_RULES
from audit.verdicts import Breach, Undetermined, Verdict

NO_LIMIT = (None, None)
SIDES = (WagerKind.PLAYER, WagerKind.BANKER)
RAISES = frozenset({WagerKind.SPLIT, WagerKind.DOUBLE, WagerKind.INSURANCE})
AREAS = JudgedOnce(AREA_RULES)


@dataclass(frozen=True, slots=True)
class Dues:
    """What each wager is due, by its place in the ledger.

    `lawful` is by the cards as the rules would have had them, `as_laid` by the cards as they lay. A
    place that is missing could not be told.
    """

    lawful: Mapping[int, Due]
    as_laid: Mapping[int, Due]
    tolerated: Mapping[int, Due] = field(default_factory=dict)
    """What is as good where the document gives no remedy."""


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
        reason = void.reason.replace("_", " ")
        why = f"the round is void ({reason})" if reason else "the round is void"
        clause = clause_of_return(void, book)
        for place, wager in enumerate(round_.wagers):
            hear_payment(record, place, returned(wager, why, clause))
        return True
    provisions = must_be_void(round_, book)
    nets = [wager.net for wager in round_.wagers]
    known = [net for net in nets if net is not None]
    if not nets or len(known) < len(nets):
        played = PlayedOn(provisions, None, None)
    else:
        played = PlayedOn(provisions, total(known), not any(known))
    record.hear("DEA020", played_on_although_void(played, book))
    return bool(provisions)


def clause_of_return(void: Voided, book: Rulebook) -> str:
    """Find the clause that hands wagers back: on void rounds, or on what makes this one void."""
    general = book.provision(Irregularity.ROUND_VOIDED, void.stage)
    if general is not None and general.remedy is Remedy.WAGER_RETURNED:
        return general.clause
    for case in void_cases(void):
        provision = book.provision(case, void.stage)
        if provision is not None and provision.remedy is Remedy.VOID:
            return provision.clause
    return book.options.void_returns_wagers


# What counts of a stake


def find_handed_back(record: Record, dues: Mapping[int, Due]) -> None:
    """Note the wagers that look refused: a rule that forbids one of them is then satisfied."""
    record.handed_back = frozenset(
        place
        for place, wager in enumerate(record.round.wagers)
        if wager.net == NOTHING and (place not in dues or dues[place].net != NOTHING)
    )


def refused_mains(record: Record) -> frozenset[int]:
    """Name the main wagers that came late or broke a limit, and were settled for nothing."""
    judged = record.book.options.limits_judged
    by_box = judged is not None and judged.value is LimitsJudged.BOX_TOTAL
    least, greatest = limits_of(record, WagerKind.MAIN)
    refused: set[int] = set()
    for place, wager in enumerate(record.round.wagers):
        if wager.kind is not WagerKind.MAIN or wager.net != NOTHING:
            continue
        amount = wager.stake
        if by_box:
            amount = _staked(record, same_area(record, wager.kind, wager.box))
        over = greatest is not None and amount > greatest
        under = least is not None and amount < least
        if wager.late or over or under:
            refused.add(place)
    return frozenset(refused)


def counting_stakes(record: Record) -> dict[int, Fraction]:
    """Say how much of each stake counts, given what the document does with one over the maximum."""
    wagers = record.round.wagers
    counting = {place: in_full(wager.stake) for place, wager in enumerate(wagers)}
    rule = record.book.options.over_maximum
    if rule is None:
        return counting
    for place, wager in enumerate(wagers):
        least, greatest = limits_of(record, wager.kind)
        if greatest is None:
            continue
        if rule.value is OverMaximum.TO_THE_MAXIMUM:
            counting[place] = in_full(min(wager.stake, greatest))
        elif least is None or wager.stake >= least:
            counting[place] = _pro_rata(record, wager, least, greatest)
    return counting


def _pro_rata(record: Record, wager: Wager, least: Decimal | None, greatest: Decimal) -> Fraction:
    """Share the maximum of a box among its wagers, none of them below the minimum."""
    placed = _staked(record, accepted(record, wager.kind, wager.box))
    if placed <= greatest:
        return in_full(wager.stake)
    share = Fraction(wager.stake) * Fraction(greatest) / Fraction(placed)
    return max(share, Fraction(least or 0))


def same_area(record: Record, kind: WagerKind, box: int | None) -> Sequence[int]:
    """Give the places of all wagers of one kind on one box that were placed in time."""
    return record.round.areas.get((kind, box), ())


def accepted(record: Record, kind: WagerKind, box: int | None) -> Sequence[int]:
    """Give the wagers of a box that the house took: what was handed back for the maximum is out."""
    _, greatest = limits_of(record, kind)
    places = same_area(record, kind, box)
    if not record.handed_back or greatest is None or _staked(record, places) <= greatest:
        return places
    return [place for place in places if place not in record.handed_back]


def _staked(record: Record, places: Sequence[int]) -> Decimal:
    return total([record.round.wagers[place].stake for place in places])


def limits_of(record: Record, kind: WagerKind) -> tuple[Decimal | None, Decimal | None]:
    limit = record.sheet.limits.get(kind)
    return (limit.min, limit.max) if limit is not None else NO_LIMIT


# Wagers that may not be placed


def hand_of_wager(wager: Wager) -> Hand | None:
    """Name the hand that a wager stands on, as far as the ledger says."""
    if wager.hand is not None:
        return wager.hand
    in_blackjack = wager.kind in WAGERS_OF[Game.BLACKJACK]
    return box_hand(wager.box) if in_blackjack and wager.box is not None else None


def hear_of_wager(record: Record, code: str, verdict: Verdict, place: int) -> None:
    """Write down what a rule says about one wager."""
    if not isinstance(verdict, Breach | Undetermined):
        return
    wager = record.round.wagers[place]
    record.hear(
        code,
        verdict,
        hand=hand_of_wager(wager),
        bettor=wager.bettor,
        wager=wager.kind,
        evidence=Evidence(wagers=(place,)),
    )


def hear_placing(record: Record) -> frozenset[int]:
    """Judge what may be placed; give the places of the wagers that are thereby spoken for."""
    spoken_for: set[int] = set()
    for place, wager in enumerate(record.round.wagers):
        if wager.kind not in record.book.wagers or wager.late:
            spoken_for.add(place)
            if place in record.handed_back:
                continue
        placed = Placed(wager.kind, wager.late, wager.net)
        for code, rule in PLACING_RULES.items():
            hear_of_wager(record, code, rule(placed, record.book), place)
    spoken_for |= _hear_limits(record)
    spoken_for |= _hear_areas(record, frozenset(spoken_for))
    spoken_for |= _hear_differential(record)
    return frozenset(spoken_for)


def _hear_limits(record: Record) -> set[int]:
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
            amount=_staked(record, accepted(record, wager.kind, wager.box))
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
        refused = place in record.handed_back
        if refused and (outside or place not in accepted(record, wager.kind, wager.box)):
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


def _hear_areas(record: Record, refused: frozenset[int]) -> set[int]:
    """Count the wagers of each area; if some were handed back because of it, without those."""
    spoken_for: set[int] = set()
    areas: dict[tuple[WagerKind, int | None], list[int]] = defaultdict(list)
    for place, wager in enumerate(record.round.wagers):
        if place not in refused and wager.kind not in RAISES:
            areas[wager.kind, wager.box].append(place)
    for (kind, box), placed in areas.items():
        places = placed
        verdicts = AREAS.verdicts(_area(record, kind, box, places), record.book)
        if any(isinstance(verdict, Breach) for _, verdict in verdicts):
            spoken_for |= set(places) & record.handed_back
            places = [place for place in places if place not in record.handed_back]
        if not places:
            continue
        if places != placed:
            verdicts = AREAS.verdicts(_area(record, kind, box, places), record.book)
        for code, verdict in verdicts:
            record.hear(
                code,
                verdict,
                hand=hand_of_wager(record.round.wagers[places[0]]),
                wager=kind,
                evidence=Evidence(wagers=tuple(places)),
            )
    return spoken_for


def _area(record: Record, kind: WagerKind, box: int | None, places: list[int]) -> Area:
    bettors = [record.round.wagers[place].bettor for place in places]
    return Area(kind, len(places), max(map(bettors.count, bettors)), box)


def _hear_differential(record: Record) -> set[int]:
    """Hold the two sides against each other; what was handed back because of it does not count."""
    greatest = record.sheet.differential
    if greatest is None or record.round.game is not Game.BACCARAT:
        return set()
    handed_back = {p for p in record.handed_back if record.round.wagers[p].kind in SIDES}
    if _too_far_apart(record, greatest, frozenset()):
        sides = _sides(record, greatest, record.handed_back)
        record.hear("BET013", differential_exceeded(sides, record.book))
        return handed_back
    return {
        place
        for place in handed_back
        if _too_far_apart(record, greatest, record.handed_back - {place})
    }


def _too_far_apart(record: Record, greatest: Decimal, without: frozenset[int]) -> bool:
    sides = _sides(record, greatest, without)
    return isinstance(differential_exceeded(sides, record.book), Breach)


def _sides(record: Record, greatest: Decimal, without: frozenset[int]) -> Differential:
    player, banker = (
        total(
            [
                wager.stake
                for place, wager in enumerate(record.round.wagers)
                if wager.kind is side and not wager.late and place not in without
            ]
        )
        for side in SIDES
    )
    return Differential(player, banker, greatest)


# Payment


def hear_payment(record: Record, place: int, due: Due, *, certain: bool = True) -> None:
    """Judge how one wager was settled, if it was, and not for just what it was due.

    Where a mistake of dealing leaves open what it was due in order, nobody is accused.
    """
    wager = record.round.wagers[place]
    if wager.net is None or wager.net == due.net:
        return
    payment = Payment(wager, due, wager.net)
    for code, rule in PAYMENT_RULES.items():
        verdict = rule(payment, record.book)
        if not certain and isinstance(verdict, Breach):
            verdict = Undetermined("what the cards would have been in order")
        hear_of_wager(record, code, verdict, place)


def hear_payments(
    record: Record, dues: Dues, spoken_for: frozenset[int], breached: tuple[str, ...]
) -> Decimal | None:
    """Judge all settlements, and say what the mistakes of dealing and drawing have cost.

    A wager settled by the cards as they lay, where the rules would have had them otherwise, was
    settled wrongly by that mistake and not by another: its cost is the mistake's.
    """
    cost: Decimal | None = NOTHING if record.round.wagers else None
    for place, wager in enumerate(record.round.wagers):
        lawful, as_laid = dues.lawful.get(place), dues.as_laid.get(place)
        if place in spoken_for:
            continue
        if _hear_withdrawal(record, place, lawful, breached):
            continue
        if wager.net is None:
            cost = None
        elif lawful is not None and as_laid is not None and as_laid.net == wager.net != lawful.net:
            cost = None if cost is None else cost + (wager.net - lawful.net)
        elif lawful is not None:
            hear_payment(record, place, lawful)
        else:
            cost = None
            tolerated = dues.tolerated.get(place)
            if as_laid is not None and (tolerated is None or tolerated.net != wager.net):
                hear_payment(record, place, as_laid, certain=not breached)
    return cost


def _hear_withdrawal(
    record: Record, place: int, due: Due | None, breached: tuple[str, ...]
) -> bool:
    """Judge a wager that was taken back, and tell whether it was."""
    wager = record.round.wagers[place]
    call = withdrew(record.round, wager)
    if call is None:
        return False
    provision = may_withdraw(record.round, call, record.book, breached)
    if provision is not None and not (provision.withdraw_all and _left_some(record, wager)):
        clause = provision.withdraw or provision.clause
        hear_payment(record, place, returned(wager, "it was withdrawn, as the rules allow", clause))
        return True
    if provision is not None:
        verdict: Verdict = Breach(
            "who withdraws withdraws every wager", "another wager was left", clause=provision.clause
        )
        hear_of_wager(record, "BET012", verdict, place)
        return True
    withdrawn = Withdrawn(wager.kind, wager.net, due.net if due else None, permitted=False)
    hear_of_wager(record, "BET012", wager_withdrawn(withdrawn, record.book), place)
    return True


def _left_some(record: Record, wager: Wager) -> bool:
    """Tell whether the bettor of a withdrawn wager let another one play."""
    return any(
        other.bettor == wager.bettor and other.net and withdrew(record.round, other) is None
        for other in record.round.wagers
    )
