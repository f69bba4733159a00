"""The settlement rules: was a wager settled for what it was due?

Each rule looks at one wager beside its due, and speaks only where it is the one to speak, so a
wrong settlement has one code.
"""

from collections.abc import Callable
from fractions import Fraction

from audit.money import CENT, rounded
from audit.observations import WagerKind
from audit.rulebook import Event, Rulebook
from audit.settlement.dues import Fate, Payment
from audit.verdicts import COMPLIED, NOT_APPLICABLE, Breach, Verdict

COMMISSIONS = (Fraction(1), Fraction(95, 100), Fraction(1, 2))
"""What a winning banker wager is paid in one game or another."""

SPECIAL_EVENTS = frozenset({Event.BLACKJACK, Event.EVEN_MONEY})

LARGEST_ODDS_DENOMINATOR = 20
WHAT_ROUNDING_MAY_MOVE = Fraction(1, 2)


def _paid_as(payment: Payment) -> str:
    """Say at what odds something was paid, where it comes to odds that a person would name."""
    odds = Fraction(payment.net) / Fraction(payment.wager.stake)
    if payment.net > 0 and odds.denominator <= LARGEST_ODDS_DENOMINATOR:
        return f"{odds.numerator} to {odds.denominator} was paid, {payment.net:+}"
    if payment.net > 0:
        return f"{payment.net:+} was paid"
    if payment.net < 0:
        return f"{-payment.net} was taken"
    return "nothing was paid or taken"


def _direction(payment: Payment) -> str:
    amount = payment.given_away
    if amount > 0:
        return f"the house gave away {amount}"
    return f"the bettor was short-changed {-amount}"


def _required(payment: Payment) -> str:
    due, wager = payment.due, payment.wager
    on = f" on {rounded(due.on, CENT)}"
    match due.fate:
        case Fate.WINS:
            return f"{wager.kind} pays {due.odds}{on}, {due.net:+}: {due.why}"
        case Fate.LOSES:
            return f"{wager.kind} loses {-due.net}: {due.why}"
        case Fate.STANDS_OFF:
            return f"{wager.kind} is a stand-off: {due.why}"
        case Fate.SURRENDERED:
            return f"{wager.kind} gives up {-due.net}{on}: {due.why}"
        case Fate.RETURNED:
            return f"{wager.kind} is returned: {due.why}"


def _compared(payment: Payment, clause: str = "") -> Verdict:
    if payment.net == payment.due.net:
        return COMPLIED
    due = payment.due
    reading = dict(payment.due.otherwise).get(payment.net)
    return Breach(
        expected=_required(payment),
        observed=f"{_paid_as(payment)}: {_direction(payment)}",
        exposure=payment.given_away,
        clause=clause or due.clause,
        reading=reading,
    )


def _is_wrong_commission(payment: Payment) -> bool:
    if payment.wager.kind is not WagerKind.BANKER:
        return False
    paid = Fraction(payment.net) / payment.due.on
    return paid in COMMISSIONS and paid != payment.due.rate


def _is_settled_past_maximum(payment: Payment) -> bool:
    """Tell a wager over the maximum that was settled as if all of its stake counted."""
    if not payment.capped or not payment.due.net:
        return False
    in_full = Fraction(payment.wager.stake) * payment.due.rate
    return abs(Fraction(payment.net) - in_full) < WHAT_ROUNDING_MAY_MOVE


def winner_paid_wrong_amount(payment: Payment, book: Rulebook) -> Verdict:
    """PAY001 A winning wager was paid at the wrong odds.

    What: the wager won and was paid, but not what the pay table gives for it.

    Why: an overpayment is the house's loss and the commonest cover for collusion; an underpayment
    is the bettor's.

    Example: P 4H 5D / B KS 9S | tie 25=+225
    """
    special = payment.due.event in SPECIAL_EVENTS or _is_wrong_commission(payment)
    if payment.due.fate is not Fate.WINS or payment.net <= 0 or special:
        return NOT_APPLICABLE
    if _is_settled_past_maximum(payment):
        return NOT_APPLICABLE
    return _compared(payment, payment.due.pay_clause)


def loser_paid(payment: Payment, book: Rulebook) -> Verdict:
    """PAY002 A losing wager was paid.

    What: the wager lost, and the bettor was given money.

    Why: the house loses twice, the stake it should have taken and the winnings it paid.

    Example: P 4H 5D / B KS 7S | banker 100=+95
    """
    if payment.due.fate is not Fate.LOSES or payment.net <= 0:
        return NOT_APPLICABLE
    return _compared(payment)


def winner_taken(payment: Payment, book: Rulebook) -> Verdict:
    """PAY003 A winning wager was taken.

    What: the wager won, and the dealer collected it.

    Why: the bettor lost both stake and winnings to a dealer's mistake.

    Example: P 4H 5D / B KS 7S | player 100=-100
    """
    if payment.due.fate is not Fate.WINS or payment.net >= 0:
        return NOT_APPLICABLE
    return _compared(payment)


def stand_off_not_honoured(payment: Payment, book: Rulebook) -> Verdict:
    """PAY004 A stand-off was paid or taken.

    What: the wager neither won nor lost, so it had to stay as it was. It was paid, or it was taken.

    Why: collecting on a tie is among the commonest complaints, paying on one among the commonest
    losses.

    Example: P 4H 5D / B KS 9S | player 100=-100
    """
    if payment.due.fate is not Fate.STANDS_OFF:
        return NOT_APPLICABLE
    return _compared(payment)


def loser_not_collected(payment: Payment, book: Rulebook) -> Verdict:
    """PAY005 A losing wager was left to the bettor.

    What: the wager lost, and the dealer did not collect it.

    Why: a forgotten collection costs the house the stake, and the wager may ride on.

    Example: P 4H 5D / B KS 7S | banker 100=0
    """
    if payment.due.fate is not Fate.LOSES or payment.net != 0:
        return NOT_APPLICABLE
    return _compared(payment)


def winner_not_paid(payment: Payment, book: Rulebook) -> Verdict:
    """PAY006 A winning wager was not paid.

    What: the wager won, and the bettor was given nothing.

    Why: the bettor staked money, was right, and was denied the winnings.

    Example: P 4H 5D / B KS 7S | player 100=0
    """
    if payment.due.fate is not Fate.WINS or payment.net != 0:
        return NOT_APPLICABLE
    return _compared(payment)


def loser_collected_wrong_amount(payment: Payment, book: Rulebook) -> Verdict:
    """PAY007 A losing wager was collected for the wrong amount.

    What: the wager lost and something was taken, but more or less than it was due.

    Why: a part collection is a gift; taking more than was wagered is worse than a mistake.

    Example: P 4H 5D / B KS 7S | banker 100=-50
    """
    if payment.due.fate is not Fate.LOSES or payment.net >= 0:
        return NOT_APPLICABLE
    return NOT_APPLICABLE if _is_settled_past_maximum(payment) else _compared(payment)


def wrong_commission(payment: Payment, book: Rulebook) -> Verdict:
    """PAY008 A winning banker wager was paid with the wrong commission.

    What: games with commission pay the banker 0.95 to 1; games without pay 1 to 1, but 1 to 2 when
    the banker wins with six. The wager was paid as another game, or another total, would pay it.

    Why: it happens when a table changes game, and costs a little on every round.

    Example: P 6H KD / B KS 7S | banker 100=+100
    """
    if payment.due.fate is not Fate.WINS or not _is_wrong_commission(payment):
        return NOT_APPLICABLE
    return NOT_APPLICABLE if _is_settled_past_maximum(payment) else _compared(payment)


def returned_wager_settled(payment: Payment, book: Rulebook) -> Verdict:
    """PAY009 A wager that had to be returned was settled.

    What: the round was void, or the wager could not stand, so it had to be handed back. It was
    paid or taken.

    Why: a void round has no winner; money that moves in one has no ground.

    Example: P 4H 5D / B KS 7S | player 100=+100, void foreign_card
    """
    if payment.due.fate is not Fate.RETURNED:
        return NOT_APPLICABLE
    return _compared(payment)


def settled_past_maximum(payment: Payment, book: Rulebook) -> Verdict:
    """PAY010 A wager over the maximum was settled in full.

    What: more was wagered than the table takes. Only a part of it counts (up to the maximum, or
    pro rata of the box, as the document says), but all of it was settled.

    Why: the maximum is what the house agreed to risk, and what a bettor can lose.

    Example: 1 TH 9D stand / D 8S TC | main@1 6000=+6000 {main 25..5000}
    """
    settles = payment.due.fate in (Fate.WINS, Fate.LOSES)
    if not settles or not _is_settled_past_maximum(payment):
        return NOT_APPLICABLE
    return _compared(payment, clause=book.clause_of("PAY010"))


def surrender_settled_wrong(payment: Payment, book: Rulebook) -> Verdict:
    """PAY012 A surrendered wager was settled for other than half.

    What: a bettor who surrenders gives up half of the original wager and gets the rest back.

    Why: taking all of it punishes a lawful choice; taking less pays for folding.

    Example: 1 TH 6D surrender / D TS | main@1 100=-100
    """
    if payment.due.fate is not Fate.SURRENDERED:
        return NOT_APPLICABLE
    return _compared(payment)


def blackjack_paid_wrong(payment: Payment, book: Rulebook) -> Verdict:
    """PAY013 A player's blackjack was paid at the wrong odds.

    What: a blackjack that wins is paid 3 to 2. This one was paid something else.

    Why: paying even money or 6 to 5 on a blackjack that was owed 3 to 2 short-changes the bettor.

    Example: 1 AH KD / D 7S | main@1 100=+100
    """
    applies = payment.due.fate is Fate.WINS and payment.due.event is Event.BLACKJACK
    if not applies or payment.net <= 0 or _is_settled_past_maximum(payment):
        return NOT_APPLICABLE
    return _compared(payment, payment.due.pay_clause)


def even_money_paid_wrong(payment: Payment, book: Rulebook) -> Verdict:
    """PAY014 Even money was taken and something else was paid.

    What: a bettor with a blackjack against a dealer's ace took even money, which pays 1 to 1 at
    once. Another amount was paid.

    Why: even money is final; paying 3 to 2 on top of it, or nothing, undoes the bettor's choice.

    Example: 1 AH KD even_money / D AS | main@1 100=+150
    """
    applies = payment.due.fate is Fate.WINS and payment.due.event is Event.EVEN_MONEY
    if not applies or payment.net <= 0 or _is_settled_past_maximum(payment):
        return NOT_APPLICABLE
    return _compared(payment, payment.due.pay_clause)


PAYMENT_RULES: dict[str, Callable[[Payment, Rulebook], Verdict]] = {
    "PAY001": winner_paid_wrong_amount,
    "PAY002": loser_paid,
    "PAY003": winner_taken,
    "PAY004": stand_off_not_honoured,
    "PAY005": loser_not_collected,
    "PAY006": winner_not_paid,
    "PAY007": loser_collected_wrong_amount,
    "PAY008": wrong_commission,
    "PAY009": returned_wager_settled,
    "PAY010": settled_past_maximum,
    "PAY012": surrender_settled_wrong,
    "PAY013": blackjack_paid_wrong,
    "PAY014": even_money_paid_wrong,
}
