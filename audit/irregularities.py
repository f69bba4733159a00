"""Chapter 5: what the outcome must be once something went wrong.

The documents' provisions are data of the rulebooks. Here they are matched with what the calls of a
round say: must the round be void, was there ground to void it, may a bettor withdraw?
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from audit.cards import Card, Rank
from audit.hands import BANKER, PLAYER, Place
from audit.observations import Call, CallKind, CardSeen, Game, Wager, WagerKind
from audit.rounds import Round
from audit.rulebook import Irregularity, Provision, Remedy, Rulebook, Stage
from audit.rules.baccarat import INITIAL_CARDS, INITIAL_ORDER
from audit.rules.blackjack.hands import THIRTEEN, over_under_total
from audit.verdicts import COMPLIED, NOT_APPLICABLE, Breach, Undetermined, Verdict

VOID_REASONS = {
    "foreign_card": (Irregularity.FOREIGN_CARD, Irregularity.EXTRA_OR_MISSING_CARDS),
    "misdeal": (Irregularity.ORDER_LOST, Irregularity.CARDS_IN_WRONG_ORDER),
    "unshuffled": (Irregularity.UNSHUFFLED_CARDS,),
    "not_enough_cards": (Irregularity.NOT_ENOUGH_CARDS,),
}
POWER_FAILURE = "power_failure"
ORDER_LOST = "order_lost"
IN_ORDER = "in_order"

DEALING_ERRORS = {
    "DEA001": Irregularity.CARDS_IN_WRONG_ORDER,
    "DEA002": Irregularity.CARDS_IN_WRONG_ORDER,
    "DEA003": Irregularity.CARDS_IN_WRONG_ORDER,
    "DEA010": Irregularity.CARDS_IN_WRONG_ORDER,
    "DEA011": Irregularity.BOX_WITHOUT_CARDS,
    "DEA012": Irregularity.BOX_WITHOUT_WAGER_DEALT_IN,
    "DEA013": Irregularity.DEALER_WITHOUT_FIRST_CARD,
    "DEA014": Irregularity.CARD_IN_ERROR,
    "DEA015": Irregularity.BOX_WITH_ONE_CARD,
    "DEA016": Irregularity.CARDS_IN_WRONG_ORDER,
    "DEA017": Irregularity.HAND_PASSED_OVER,
    "DEA021": Irregularity.CARDS_IN_WRONG_ORDER,
    "DRW001": Irregularity.CARDS_IN_WRONG_ORDER,
    "DRW002": Irregularity.CARDS_IN_WRONG_ORDER,
    "DRW003": Irregularity.CARDS_IN_WRONG_ORDER,
    "DRW004": Irregularity.CARDS_IN_WRONG_ORDER,
    "DRW005": Irregularity.CARDS_IN_WRONG_ORDER,
    "DRW006": Irregularity.CARDS_IN_WRONG_ORDER,
    "DRW010": Irregularity.CARDS_IN_WRONG_ORDER,
    "DRW011": Irregularity.CARD_ON_COMPLETED_DEALER_HAND,
    "DRW013": Irregularity.CARD_IN_ERROR,
    "DRW014": Irregularity.CARD_IN_ERROR,
    "DRW015": Irregularity.CARD_IN_ERROR,
    "DRW016": Irregularity.CARD_IN_ERROR,
    "DRW019": Irregularity.CARD_IN_ERROR,
}
"""What chapter 5 calls each mistake of dealing and drawing."""


@dataclass(frozen=True, slots=True)
class Voided:
    """A round that was declared void: why, and at which stage."""

    reason: str
    stage: Stage
    outcome_established: bool


@dataclass(frozen=True, slots=True)
class PlayedOn:
    """A round that was not declared void, and the provisions that say it had to be."""

    provisions: tuple[Provision, ...]
    moved: Decimal | None
    """What the wagers were settled for, all together; they should all have been handed back."""
    handed_back: bool | None
    """Whether they all were; None where the ledger does not tell."""


# Stages


def stage_at(round_: Round, after: int) -> Stage:
    """Tell how far a round had come when so many of its cards had been dealt."""
    settled = any(w.settled_after is not None and w.settled_after < after for w in round_.wagers)
    on_initial_deal = after <= initial_cards(round_) and not settled
    return Stage.INITIAL_DEAL if on_initial_deal else Stage.AFTERWARDS


def initial_cards(round_: Round) -> int:
    """Count the cards, burnt ones included, that had left the shoe by the end of the first deal."""
    if round_.game is Game.BACCARAT:
        wanted = len(INITIAL_ORDER)
    else:
        boxes = {hand.box for hand in round_.hands if hand.place is Place.BOX}
        wanted = 2 * len(boxes) + 1
    in_play = {seen.seq for seen in round_.in_play()}
    for dealt, seen in enumerate(round_.cards, 1):
        wanted -= seen.seq in in_play
        if wanted == 0:
            return dealt
    return len(round_.cards)


def outcome_established(round_: Round, after: int, book: Rulebook) -> bool:
    """Tell whether any wager on offer had won or lost for good by then.

    The first to be decided are those on pairs: a hand of two cards settles them. A tiger pair is
    lost only by both hands, but won by one.
    """
    dealt = round_.cards[:after]
    if round_.game is Game.BLACKJACK:
        boxes = [s.hand.box for s in dealt if s.hand and s.hand.place is Place.BOX]
        return any(boxes.count(box) >= INITIAL_CARDS for box in boxes) or _over_13_is_lost(
            dealt, book
        )
    hands = [
        [str(seen.card)[:-1] for seen in dealt if seen.hand == hand] for hand in (PLAYER, BANKER)
    ]
    complete = [ranks for ranks in hands if len(ranks) >= INITIAL_CARDS]
    if WagerKind.TIGER_PAIR not in book.wagers:
        return bool(complete)
    return len(complete) == len(hands) or any(ranks[0] == ranks[1] for ranks in complete)


def _over_13_is_lost(dealt: tuple[CardSeen, ...], book: Rulebook) -> bool:
    """Tell whether a first card is so low that no second one takes its box over 13."""
    if WagerKind.OVER13 not in book.wagers:
        return False
    return any(
        isinstance(seen.card, Card)
        and seen.hand is not None
        and seen.hand.place is Place.BOX
        and over_under_total((seen.card.rank, Rank.TEN)) <= THIRTEEN
        for seen in dealt
    )


# What the calls say went wrong


def irregularity_of(call: Call, round_: Round, book: Rulebook) -> Irregularity | None:
    """Name what a call says went wrong, if it says so."""
    match call.kind:
        case CallKind.FOREIGN_CARD:
            return Irregularity.FOREIGN_CARD
        case CallKind.POWER_FAILURE:
            return power_failure(round_, call, book)
        case CallKind.SIMULTANEOUS_DRAW if call.value == IN_ORDER:
            return Irregularity.SIMULTANEOUS_DRAW_IN_ORDER
        case CallKind.SIMULTANEOUS_DRAW:
            return Irregularity.SIMULTANEOUS_DRAW
        case CallKind.RECONSTRUCT:
            return Irregularity.CARDS_IN_WRONG_ORDER
        case CallKind.CUTTING_CARD if call.after == 0:
            return Irregularity.CUTTING_CARD_FIRST
        case CallKind.SUPERVISOR if call.value == Irregularity.DEVICE_RESET:
            return Irregularity.DEVICE_RESET
        case _:
            return None


def power_failure(round_: Round, call: Call, book: Rulebook) -> Irregularity:
    """Tell which of the two cases of a power failure this was."""
    if outcome_established(round_, call.after, book):
        return Irregularity.POWER_FAILURE_AFTER_OUTCOME
    return Irregularity.POWER_FAILURE_BEFORE_OUTCOME


# Void rounds


def voided(round_: Round, book: Rulebook) -> Voided | None:
    """Find out whether the round was declared void, and how things stood."""
    calls = list(round_.called(CallKind.VOID))
    if not calls:
        return None
    call = calls[-1]
    failures = list(round_.called(CallKind.POWER_FAILURE))
    after = failures[-1].after if failures else call.after
    established = outcome_established(round_, after, book)
    return Voided(call.value, stage_at(round_, call.after), established)


def void_cases(void: Voided) -> tuple[Irregularity, ...]:
    """Give what the announced reason for a void round is in the words of chapter 5."""
    if void.reason == POWER_FAILURE:
        return (
            Irregularity.POWER_FAILURE_AFTER_OUTCOME
            if void.outcome_established
            else Irregularity.POWER_FAILURE_BEFORE_OUTCOME,
        )
    return VOID_REASONS.get(void.reason, ())


def voided_without_ground(void: Voided, book: Rulebook) -> Verdict:
    """DEA019 A round was declared void without ground.

    What: each document names what makes a round void. The reason that was announced is not among
    them, or not at that stage of the round.

    Why: a round that is voided takes winnings from bettors, or spares the house a loss, that the
    cards had decided.

    Example: P 4H 5D / B KS 7S | player 100=0, void power_failure
    """
    cases = void_cases(void)
    if not cases:
        return Undetermined("why the round was void")
    provisions = [p for case in cases if (p := book.provision(case, void.stage)) is not None]
    if any(provision.remedy is Remedy.VOID for provision in provisions):
        return COMPLIED
    reason = void.reason.replace("_", " ")
    if not provisions:
        return Breach("only a reason that the document names makes a round void", reason)
    return Breach(
        f"on {reason} {provisions[0].remedy}",
        "the round was declared void",
        clause=provisions[0].clause,
    )


def must_be_void(round_: Round, book: Rulebook) -> tuple[Provision, ...]:
    """Find the provisions by which this round had to be void, as far as its calls tell."""
    breaking = tuple(round_.called(CallKind.FOREIGN_CARD, CallKind.POWER_FAILURE))
    stages = {call.kind: stage_at(round_, call.after) for call in breaking}
    found: list[Provision] = []
    for call in breaking:
        case = (
            Irregularity.FOREIGN_CARD
            if call.kind is CallKind.FOREIGN_CARD
            else power_failure(round_, call, book)
        )
        provision = book.provision(case, stages[call.kind])
        if provision is not None and provision.remedy is Remedy.VOID:
            found.append(provision)
    for call in round_.called(CallKind.SIMULTANEOUS_DRAW):
        provision = book.provision(Irregularity.SIMULTANEOUS_DRAW, stage_at(round_, call.after))
        if call.value == ORDER_LOST and provision and provision.remedy is Remedy.VOID:
            found.append(provision)
    return tuple(found)


def played_on_although_void(played: PlayedOn, book: Rulebook) -> Verdict:
    """DEA020 A round was played on that had to be void.

    What: something happened that makes the round void by the document, and it was played out and
    settled all the same.

    Why: its outcome has no ground; every wager had to be handed back.

    Example: P 4H 5D / B KS 7S | player 100=+100, foreign_card#4
    """
    if not played.provisions:
        return NOT_APPLICABLE
    if played.handed_back is None:
        return Undetermined("whether the wagers were handed back")
    if played.handed_back:
        return COMPLIED
    provision = played.provisions[0]
    return Breach(
        provision.remedy, "the round was played out", played.moved, clause=provision.clause
    )


# Withdrawal


def may_withdraw(
    round_: Round, call: Call, book: Rulebook, breached: Iterable[str]
) -> Provision | None:
    """Find the provision by which a bettor could take back a wager at this call.

    The choice follows what went wrong, and ends with the next card or once the cards are put back.
    """
    stage = stage_at(round_, call.after)
    before = round_.calls[: round_.calls.index(call)]
    fresh: list[Call] = []
    for earlier in before:
        if earlier.kind in (CallKind.RECONSTRUCT, CallKind.RESUME):
            fresh.clear()
        if earlier.after == call.after:
            fresh.append(earlier)
    errors = {DEALING_ERRORS[code] for code in breached if code in DEALING_ERRORS}
    at_once = errors | {case for said in fresh if (case := irregularity_of(said, round_, book))}
    ever = errors | {case for said in before if (case := irregularity_of(said, round_, book))}
    for case in sorted(ever):
        provision = book.provision(case, stage)
        if provision is None and case in DEALING_ERROR_KINDS:
            provision = book.provision(Irregularity.DEALING_ERROR, stage)
        if provision is None or provision.withdraw is None:
            continue
        if case in at_once or provision.withdraw_any_time:
            return provision
    return None


DEALING_ERROR_KINDS = frozenset(DEALING_ERRORS.values()) | {
    Irregularity.SIMULTANEOUS_DRAW,
    Irregularity.SIMULTANEOUS_DRAW_IN_ORDER,
}


def withdrew(round_: Round, wager: Wager) -> Call | None:
    """Find the call by which a bettor took a wager back after bets were closed."""
    for call in round_.called(CallKind.WITHDRAW):
        same_box = call.hand is None or call.hand.box in (0, wager.box)
        same_kind = not call.value or call.value == wager.kind
        if call.bettor in ("", wager.bettor) and same_box and same_kind:
            return call
    return None
