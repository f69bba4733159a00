"""The further wagers of blackjack: split, double, insurance, pair, over and under 13."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from audit.cards import Rank
from audit.money import NOTHING
from audit.observations import WagerKind
from audit.rulebook import Rulebook, SideWagerNeeds
from audit.rules.blackjack.dealer import blackjack_options
from audit.verdicts import COMPLIED, NOT_APPLICABLE, Breach, Verdict

BY_A_BETTOR_OF_ANOTHER_BOX = "side_wager_by_a_bettor_of_another_box"


@dataclass(frozen=True, slots=True)
class Raised:
    """A split or double wager beside the bettor's original wager and the table's minimum."""

    kind: WagerKind
    stake: Decimal
    original: Decimal | None
    table_minimum: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Insured:
    """All insurance on one bettor's wager."""

    stake: Decimal
    original: Decimal | None
    by_another: bool
    own_as_well: bool
    dealer_first: Rank | None


@dataclass(frozen=True, slots=True)
class SideWager:
    kind: WagerKind
    stake: Decimal
    own_original: Decimal | None
    box_original: Decimal | None
    plays_elsewhere: bool


@dataclass(frozen=True, slots=True)
class SideSettled:
    """When a side wager was settled: after how many cards, and when the initial deal was over."""

    after: int | None
    initial_deal_ends: int


@dataclass(frozen=True, slots=True)
class Decided:
    """Who made a decision on a box, and who was named to make them."""

    what: str
    by: str
    controller: str | None
    controller_did_too: bool


def split_wager_unequal(raised: Raised, book: Rulebook) -> Verdict:
    """BET004 The wager on a split hand is not equal to the original.

    What: each hand formed by a split carries a wager equal to the original one of that bettor. This
    one carries more, less or none.

    Why: a split is offered at the original stake; any other lets the bettor choose the stake after
    seeing cards.

    Example: 1 8H 8D split TC stand / 1.2 9C stand / D 6H TC 5S | main@1 100=-100, split@1.2 50=-50
    """
    if raised.kind is not WagerKind.SPLIT:
        return NOT_APPLICABLE
    if raised.original is None:
        return Breach("a split wager follows an original wager", "there is none by this bettor")
    if raised.stake == raised.original:
        return COMPLIED
    return Breach(f"a split wager of {raised.original}", f"it was {raised.stake}")


def double_above_original(raised: Raised, book: Rulebook) -> Verdict:
    """BET005 A double is more than the original wager.

    What: a hand is doubled by as much as the original wager or less. This one was raised by more.

    Why: the excess was staked on a hand whose first two cards were known.

    Example: 1 6H 5D double TC / D 8S TC | main@1 100=+100, double@1 150=+150
    """
    if raised.kind is not WagerKind.DOUBLE:
        return NOT_APPLICABLE
    if raised.original is None:
        return Breach("a double follows an original wager", "there is none by this bettor")
    if raised.stake <= raised.original:
        return COMPLIED
    return Breach(f"a double of at most {raised.original}", f"it was {raised.stake}")


def double_below_minimum(raised: Raised, book: Rulebook) -> Verdict:
    """BET006 A double is less than the table's minimum.

    What: a hand can be doubled for less than the original wager, but not for less than the table's
    minimum.

    Why: a token double buys the hand's last card for nothing.

    Example: 1 6H 5D double TC / D 8S TC | main@1 100=+100, double@1 10=+10 {main 25..5000}
    """
    clause = blackjack_options(book).double_not_below_minimum
    if raised.kind is not WagerKind.DOUBLE or clause is None or raised.table_minimum is None:
        return NOT_APPLICABLE
    if raised.stake >= raised.table_minimum:
        return COMPLIED
    return Breach(f"a double of at least {raised.table_minimum}", f"it was {raised.stake}")


def insurance_over_half(insured: Insured, book: Rulebook) -> Verdict:
    """BET007 An insurance wager is more than half of what it insures.

    What: a wager is insured for at most half of it. This insurance is more.

    Why: the excess is a bet on the dealer's next card, which is not offered.

    Example: 1 TH 8D / D AS 9C | main@1 100=-100, insurance@1 75=-75
    """
    if insured.original is None:
        return NOT_APPLICABLE
    most = Fraction(insured.original) * blackjack_options(book).insurance_share.value
    if Fraction(insured.stake) <= most:
        return COMPLIED
    return Breach(f"insurance of at most half of {insured.original}", f"{insured.stake} was placed")


def insurance_by_another(insured: Insured, book: Rulebook) -> Verdict:
    """BET008 A wager was insured by somebody who may not.

    What: some documents let only the bettor insure a wager; one lets others take up the insurance
    that its bettor declined. Neither was the case.

    Why: insurance is offered to protect a wager, not as a bet for bystanders.

    Example: 1 TH 8D / D AS 9C | alice:main@1 100=-100, bob:insurance@1 50=-50 for alice
        {rws-blackjack-v5}
    """
    if not insured.by_another:
        return COMPLIED
    if not blackjack_options(book).others_may_insure.value:
        return Breach("a bettor insures only the bettor's own wager", "another bettor insured it")
    if insured.own_as_well:
        return Breach(
            "others may insure a wager whose bettor declined to", "its bettor had insured it too"
        )
    return COMPLIED


def insurance_without_ace(insured: Insured, book: Rulebook) -> Verdict:
    """ACT009 Insurance was placed although the dealer had no ace.

    What: insurance is offered when the dealer's first card is an ace, and only then.

    Why: without an ace the wager means something else than the pay table says.

    Example: 1 TH 8D / D KS 9C | main@1 100=-100, insurance@1 50=-50
    """
    if insured.dealer_first is None:
        return NOT_APPLICABLE
    if insured.dealer_first is Rank.ACE:
        return COMPLIED
    return Breach(
        "insurance is offered against a dealer's ace",
        f"it was placed against a dealer's {insured.dealer_first}",
    )


def side_wager_without_main(side: SideWager, book: Rulebook) -> Verdict:
    """BET009 A side wager was placed without the main wager that it rides on.

    What: a pair, over 13 or under 13 wager needs a main wager on its box; by one document it has to
    be the bettor's own.

    Why: a box without a main wager gets no cards, so the side wager bets on nothing; and the house
    offers it only to those who play.

    Example: 1 TH 8D stand / D 9S 9C | main@1 100=0, pair@3 10=-10
    """
    needs = blackjack_options(book).side_wager_needs.value
    if side.box_original is None:
        return Breach("a side wager rides on a main wager of its box", "the box has none")
    if needs is SideWagerNeeds.MAIN_ON_BOX or side.own_original is not None:
        return COMPLIED
    reading = BY_A_BETTOR_OF_ANOTHER_BOX if side.plays_elsewhere else None
    return Breach(
        "a side wager rides on the bettor's own main wager", "it is on another's", reading=reading
    )


def over_under_above_original(side: SideWager, book: Rulebook) -> Verdict:
    """BET010 An over 13 or under 13 wager is more than the original wager.

    What: these wagers may not exceed the original wager of the box.

    Why: they are meant as a side bet, with limits set by the bet they stand beside.

    Example: 1 TH 8D stand / D 9S 9C | main@1 50=0, over13@1 100=+100 {rws-blackjack-v4}
    """
    limited = blackjack_options(book).over_under_at_most_original is not None
    if side.kind not in (WagerKind.OVER13, WagerKind.UNDER13) or not limited:
        return NOT_APPLICABLE
    original = side.own_original if side.own_original is not None else side.box_original
    if original is None:
        return NOT_APPLICABLE
    if side.stake <= original:
        return COMPLIED
    return Breach(f"{side.kind} of at most {original}", f"it was {side.stake}")


def side_wager_settled_late(settled: SideSettled, book: Rulebook) -> Verdict:
    """PAY015 A side wager was settled after play had gone on.

    What: the first two cards decide a pair, over 13 or under 13 wager, and the document has it
    settled before any further card is dealt. It was settled later.

    Why: a wager that is already decided and still lies there can be moved, raised or forgotten.

    Example: 1 TH 8D stand / D 9S 9C | main@1 50=0, pair@1 10=-10 settled#5 {rws-blackjack-v4}
    """
    if settled.after is None or blackjack_options(book).side_wagers_settled_first is None:
        return NOT_APPLICABLE
    if settled.after <= settled.initial_deal_ends:
        return COMPLIED
    further = settled.after - settled.initial_deal_ends
    cards = "card" if further == 1 else "cards"
    return Breach(
        "side wagers are settled before a further card is dealt",
        f"it was settled after {further} further {cards}",
        NOTHING,
    )


def double_without_controller(decided: Decided, book: Rulebook) -> Verdict:
    """ACT012 A bettor doubled although the one who decides for the box did not.

    What: others on a box may double along with the bettor who controls it, but not alone.

    Why: a double ends the hand with one card, which is for the controlling bettor to decide.

    Example: 1 6H 5D TC / D 8S TC | alice:main@1 50=50, bob:main@1 50=50, bob:double@1 50=50,
        alice:control@1
    """
    clause = blackjack_options(book).controller_must_double_first
    if decided.what != "double" or decided.controller is None or clause is None:
        return NOT_APPLICABLE
    if decided.by == decided.controller or decided.controller_did_too:
        return COMPLIED
    return Breach(
        f"{decided.controller} decides whether the hand is doubled",
        f"{decided.by or 'another bettor'} doubled alone",
    )


def decided_by_another(decided: Decided, book: Rulebook) -> Verdict:
    """ACT013 Somebody else decided for a box.

    What: one bettor is named to decide for a box. A decision to draw, stand or split was taken from
    another.

    Why: the others have staked money on that bettor's decisions.

    Example: 1 6H 5D hit:bob TC / D 8S TC | alice:main@1 50=50, bob:main@1 50=50, alice:control@1
    """
    if decided.what == "double" or decided.controller is None or not decided.by:
        return NOT_APPLICABLE
    if decided.by == decided.controller:
        return COMPLIED
    return Breach(
        f"{decided.controller} decides for the box", f"{decided.by} called {decided.what}"
    )


RAISE_RULES: dict[str, Callable[[Raised, Rulebook], Verdict]] = {
    "BET004": split_wager_unequal,
    "BET005": double_above_original,
    "BET006": double_below_minimum,
}
INSURANCE_RULES: dict[str, Callable[[Insured, Rulebook], Verdict]] = {
    "ACT009": insurance_without_ace,
    "BET007": insurance_over_half,
    "BET008": insurance_by_another,
}
SIDE_WAGER_RULES: dict[str, Callable[[SideWager, Rulebook], Verdict]] = {
    "BET009": side_wager_without_main,
    "BET010": over_under_above_original,
}
DECISION_RULES: dict[str, Callable[[Decided, Rulebook], Verdict]] = {
    "ACT012": double_without_controller,
    "ACT013": decided_by_another,
}
