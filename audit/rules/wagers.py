"""Which wagers may be placed, in either game: what is offered, limits, number, time, withdrawal."""

from dataclasses import dataclass
from decimal import Decimal

from audit.money import NOTHING
from audit.observations import WagerKind
from audit.rulebook import LateWager, Rulebook, UnderMinimum, WithdrawnWager
from audit.verdicts import COMPLIED, NOT_APPLICABLE, Breach, Undetermined, Verdict

NO_REMEDY = "the document does not say what an accepted one gets"


@dataclass(frozen=True, slots=True)
class Amount:
    """What is held against a limit: one wager, or all of its kind on a box."""

    kind: WagerKind
    amount: Decimal
    least: Decimal | None
    greatest: Decimal | None
    whose: str
    net: Decimal | None = None
    let_through_before: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """A wager and whether it was placed after its time."""

    kind: WagerKind
    late: bool
    net: Decimal | None


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A wager that was taken back after bets were closed."""

    kind: WagerKind
    net: Decimal | None
    due: Decimal | None
    permitted: bool


@dataclass(frozen=True, slots=True)
class Area:
    """The wagers of one kind on one playing area, and how many of each bettor's there are."""

    kind: WagerKind
    wagers: int
    most_of_one_bettor: int
    box: int | None


@dataclass(frozen=True, slots=True)
class Differential:
    player: Decimal
    banker: Decimal
    greatest: Decimal


def wager_not_offered(placed: Placed, book: Rulebook) -> Verdict:
    """BET001 A wager was taken that this game does not offer.

    What: each game offers certain wagers. This one is known in other games, but not in this.

    Why: no odds are approved for it here, so no settlement of it can be right.

    Example: P 2H 4D / B KS 6S | tiger 10=-10 {mbs-electronic-baccarat/super-six-nc}
    """
    if placed.kind in book.wagers:
        return COMPLIED
    offered = ", ".join(book.wagers)
    clause = next(iter(book.wagers.values())).clause
    return Breach(
        f"{book.title} offers {offered}", f"a wager on {placed.kind} was taken", clause=clause
    )


def wager_below_minimum(amount: Amount, book: Rulebook) -> Verdict:
    """BET002 A wager below the least that the table takes was settled.

    What: the wager is less than the minimum on display. One document settles it once and returns
    every later one of the same bettor; another settles it as it stands.

    Why: a minimum that is not kept lets a bettor hold a box for nothing.

    Example: 1 TH 9D stand / D 8S TC | main@1 10=+10 {main 25..5000}
    """
    if amount.least is None:
        return NOT_APPLICABLE
    if amount.amount >= amount.least:
        return COMPLIED
    rule = book.options.under_minimum
    returned = rule is not None and rule.value is UnderMinimum.ONCE_THEN_RETURNED
    if amount.net == NOTHING and amount.let_through_before and returned:
        return COMPLIED
    expected = f"{amount.kind} of at least {amount.least}"
    observed = f"{amount.whose} was {amount.amount}"
    if rule is None:
        return Breach(f"{expected}; {NO_REMEDY}", observed)
    if returned and amount.let_through_before:
        return Breach(f"{expected}, and returned the second time", observed, amount.net)
    return Breach(expected, observed, NOTHING)


def wager_above_maximum(amount: Amount, book: Rulebook) -> Verdict:
    """BET003 A wager above the most that the table takes was accepted.

    What: the wager, or by one document all wagers of a box together, is more than the maximum on
    display, and was not turned down.

    Why: the maximum is what the house agreed to risk. What the excess is paid is a matter of its
    own (PAY010).

    Example: 1 TH 9D stand / D 8S TC | main@1 6000=+5000 {main 25..5000}
    """
    if amount.greatest is None:
        return NOT_APPLICABLE
    if amount.amount <= amount.greatest:
        return COMPLIED
    expected = f"{amount.kind} of at most {amount.greatest}"
    observed = f"{amount.whose} was {amount.amount}"
    if book.options.over_maximum is None:
        return Breach(f"{expected}; {NO_REMEDY}", observed)
    return Breach(expected, observed, NOTHING)


def late_wager_accepted(placed: Placed, book: Rulebook) -> Verdict:
    """BET011 A wager placed after its time was accepted.

    What: once bets are closed no wager can be placed or raised, and an insurance wager not once a
    further card is dealt. This one was, and was not refused.

    Why: past posting, a wager on what is already known, is the oldest fraud at a table.

    Example: P 4H 5D / B KS 7S | player 100=+100 late
    """
    if not placed.late:
        return NOT_APPLICABLE
    if placed.net == NOTHING:
        return COMPLIED
    if placed.net is None:
        return Undetermined("whether the late wager was refused")
    clause = None
    if placed.kind is WagerKind.INSURANCE and book.blackjack is not None:
        clause = book.blackjack.insurance_before_further_cards
    observed = f"it was settled for {placed.net:+}"
    if book.options.late_wager.value is LateWager.REMEDY_NOT_STATED:
        return Breach(f"a late wager is refused; {NO_REMEDY}", observed, clause=clause)
    return Breach("a late wager is refused and not honoured", observed, placed.net, clause)


def wager_withdrawn(withdrawn: Withdrawn, book: Rulebook) -> Verdict:
    """BET012 A wager was withdrawn after bets were closed.

    What: once bets are closed a wager stays and is won or lost by the outcome, unless something
    went wrong that gives the bettor the choice. It was taken back without one.

    Why: taking back a wager that is about to lose is past posting turned round.

    Example: P 4H 5D / B KS 7S | alice:banker 100=0, alice:withdraw#3
    """
    if withdrawn.permitted:
        return COMPLIED
    if withdrawn.net is None or withdrawn.due is None:
        return Undetermined("what the withdrawn wager was due")
    if withdrawn.net == withdrawn.due:
        return COMPLIED
    clause = None
    if withdrawn.kind is WagerKind.DOUBLE and book.blackjack is not None:
        clause = book.blackjack.double_not_withdrawn
    observed = f"it was withdrawn and settled for {withdrawn.net}"
    if book.options.withdrawn_wager.value is WithdrawnWager.REMEDY_NOT_STATED:
        return Breach(
            "no wager is withdrawn; the document does not say what one that was is due",
            observed,
            clause=clause,
        )
    return Breach(
        f"the wager stays and is settled for {withdrawn.due}",
        observed,
        withdrawn.net - withdrawn.due,
        clause,
    )


def differential_exceeded(totals: Differential, book: Rulebook) -> Verdict:
    """BET013 The wagers on player and banker are further apart than the table allows.

    What: the sum of all wagers on player less that of all on banker, either way, may not exceed
    the table's differential. It did, and no wager was lowered or removed.

    Why: the differential is what the house can lose on one round.

    Example: P 4H 5D / B KS 7S | player 200000=+200000, banker 50000=-50000 {differential 100000}
    """
    apart = abs(totals.player - totals.banker)
    if apart <= totals.greatest:
        return COMPLIED
    return Breach(
        f"player and banker at most {totals.greatest} apart",
        f"{totals.player} on player, {totals.banker} on banker: {apart} apart",
    )


def too_many_wagers(area: Area, book: Rulebook) -> Verdict:
    """BET014 A playing area holds more wagers than the document allows.

    What: at most three wagers stand on one playing area. There are more.

    Why: more wagers than the dealer can tell apart are settled wrongly sooner or later.

    Example: 1 TH 9D / D 8S TC | a:main@1 25=25, b:main@1 25=25, c:main@1 25=25, d:main@1 25=25
    """
    greatest = book.options.wagers_per_area
    if area.kind is WagerKind.PAIR and book.blackjack is not None:
        greatest = book.blackjack.pair_wagers_per_box
    if greatest is None or area.box is None:
        return NOT_APPLICABLE
    if area.wagers <= greatest.value:
        return COMPLIED
    return Breach(
        f"at most {greatest.value} {area.kind} wagers on an area",
        f"box {area.box} holds {area.wagers}",
        clause=greatest.clause,
    )


def wagers_separated(area: Area, book: Rulebook) -> Verdict:
    """BET015 A bettor separated a wager within one playing area.

    What: a bettor has one main wager on a playing area, not several side by side.

    Why: separate piles can be settled separately, and one of them taken back unseen.

    Example: 1 TH 9D / D 8S TC | alice:main@1 50=+50, alice:main@1 75=+75
    """
    if area.kind is not WagerKind.MAIN or book.blackjack is None:
        return NOT_APPLICABLE
    if book.blackjack.wagers_kept_together is None:
        return NOT_APPLICABLE
    if area.most_of_one_bettor <= 1:
        return COMPLIED
    return Breach(
        "one main wager of a bettor on an area",
        f"one bettor has {area.most_of_one_bettor} on box {area.box}",
    )


PLACING_RULES = {"BET001": wager_not_offered, "BET011": late_wager_accepted}
LIMIT_RULES = {"BET002": wager_below_minimum, "BET003": wager_above_maximum}
AREA_RULES = {"BET014": too_many_wagers, "BET015": wagers_separated}
