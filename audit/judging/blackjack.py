"""A round of blackjack: the deal, the decisions, the dealer's hand, the wagers."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from audit.errors import BadInput
from audit.findings import Evidence, Severity
from audit.hands import DEALER, Hand, Place, box_hand
from audit.irregularities import stage_at
from audit.judging.blackjack_dues import BlackjackDues
from audit.judging.further_wagers import FurtherWagers
from audit.judging.record import Record
from audit.judging.situations import JudgedOnce
from audit.judging.wagers import (
    Dues,
    find_handed_back,
    hear_payments,
    hear_placing,
    hear_void,
    refused_mains,
)
from audit.money import NOTHING
from audit.observations import Call, CallKind, CardSeen, WagerKind
from audit.rulebook import Stage
from audit.rules.blackjack.dealer import DEALER_RULES, blackjack_options
from audit.rules.blackjack.dealing import DEALING_RULES
from audit.rules.blackjack.decisions import (
    EVEN_MONEY_RULES,
    HAND_RULES,
    SPLIT_RULES,
    SURRENDER_RULES,
)
from audit.rules.blackjack.hands import INITIAL_CARDS, is_ace_and_ten
from audit.rules.blackjack.play import Play
from audit.rules.blackjack.wagers import (
    DECISION_RULES,
    Decided,
)
from audit.rules.blackjack.ways import ways_to_play
from audit.rules.shoe import Burnt, burn_card_forgotten
from audit.settlement.blackjack import Standing, due_on_hand, more_than_original_lost
from audit.verdicts import Breach, Undetermined, Verdict

SIDE_WAGERS = (WagerKind.PAIR, WagerKind.OVER13, WagerKind.UNDER13)
DECISIONS_OF_ONE = {CallKind.HIT, CallKind.STAND, CallKind.SPLIT}
FOLDING_RULES = {CallKind.SURRENDER: SURRENDER_RULES, CallKind.EVEN_MONEY: EVEN_MONEY_RULES}
HANDS = JudgedOnce(HAND_RULES)
SPLITS = JudgedOnce(SPLIT_RULES)
DEALERS = JudgedOnce(DEALER_RULES)
DECISIONS = JudgedOnce(DECISION_RULES)


def judge_blackjack(record: Record) -> None:
    """Judge a round whose cards all have one reading.

    Where the split hands can have been formed in several ways, the way that breaks the fewest rules
    is believed.
    """
    _check_boxes(record)
    if hear_void(record):
        return
    best: Record | None = None
    for play in ways_of(record):
        one_way = Record(record.round, record.book, record.sheet)
        _Judged(one_way, play).judge()
        if best is None or _weight(one_way) < _weight(best):
            best = one_way
        if not _weight(best):
            break
    if best is not None:
        record.findings.extend(best.findings)


def ways_of(record: Record) -> Iterator[Play]:
    """Go through the ways in which the round can be read, the likeliest first."""
    unit = record.sheet.rounding
    return ways_to_play(record.round, record.book, unit, refused_mains(record))


def _weight(record: Record) -> int:
    return sum(finding.severity is not Severity.NOTE for finding in record.findings)


def _resting_on(cards: tuple[CardSeen, ...]) -> Evidence:
    return Evidence(cards=tuple(seen.seq for seen in cards))


def _check_boxes(record: Record) -> None:
    boxes = blackjack_options(record.book).boxes
    if boxes is None:
        return
    for hand in record.round.hands:
        if hand.box > boxes.value:
            raise BadInput(
                f"{hand} cannot exist: {record.book.title} has layouts of at most "
                f"{boxes.value} boxes ({boxes.clause})"
            )


class _Judged:
    """One way to read the round, put before the rules in the documents' order."""

    def __init__(self, record: Record, play: Play) -> None:
        self.record = record
        self.play = play
        self.round = record.round
        self.book = record.book
        self.breaches: list[tuple[str, Breach, Hand | None, Evidence]] = []

    def judge(self) -> None:
        self._hear_burn_card()
        self._hear_dealing()
        self._hear_decisions()
        codes = tuple(code for code, _, _, _ in self.breaches)
        dues = BlackjackDues(self.record, self.play, frozenset(codes))
        find_handed_back(self.record, dues.lawful() or dues.as_laid())
        if self.record.handed_back:
            dues = BlackjackDues(self.record, self.play, frozenset(codes))
        spoken_for = hear_placing(self.record)
        spoken_for |= FurtherWagers(self.record, self.play).hear()
        against_blackjack, limited = self._hear_original_limit(dues)
        settled = Dues(dues.lawful(), dues.as_laid(), dues.tolerated())
        cost = hear_payments(self.record, settled, spoken_for | limited, codes)
        cost = None if cost is None else cost + against_blackjack
        self._write_breaches(cost, dues)

    # Dealing and drawing

    def _note(self, code: str, verdict: Verdict, hand: Hand | None, evidence: Evidence) -> None:
        """Keep a breach until its cost is known."""
        if isinstance(verdict, Breach) and self.book.judges(code):
            self.breaches.append((code, verdict, hand, evidence))
        elif isinstance(verdict, Undetermined):
            self.record.hear(code, verdict, hand=hand, evidence=evidence)

    def _hear_burn_card(self) -> None:
        if not self.round.around.first_of_shoe or not self.round.cards:
            return
        sheet_burns = self.record.sheet.burn
        burnt = sum(s.hand is not None and s.hand.place is Place.BURN for s in self.round.cards)
        situation = Burnt(
            required=1 if sheet_burns is None else sheet_burns,
            burnt=burnt,
            marked=self.round.cards[0].seq == 1,
            noticed_on_initial_deal=self._burn_was_put_right(),
        )
        self.record.hear(
            "DEA018",
            burn_card_forgotten(situation, self.book),
            put_right=situation.noticed_on_initial_deal,
        )

    def _burn_was_put_right(self) -> bool:
        calls = self.round.called(CallKind.RECONSTRUCT)
        return any(stage_at(self.round, call.after) is Stage.INITIAL_DEAL for call in calls)

    def _hear_dealing(self) -> None:
        dealt = self.play.dealt()
        undetermined_once = False
        for code, rule in DEALING_RULES.items():
            verdict = rule(dealt, self.book)
            if not isinstance(verdict, Breach | Undetermined):
                continue
            if isinstance(verdict, Undetermined):
                if undetermined_once:
                    continue
                undetermined_once = True
            self._note(code, verdict, None, _resting_on(self.round.in_play()))

    def _hear_decisions(self) -> None:
        for hand in self.play.hands_in_play:
            for code, verdict in HANDS.verdicts(self.play.hand_play(hand), self.book):
                self._note(code, verdict, hand, _resting_on(self.play.cards[hand]))
        for child, made in self.play.splits():
            for code, verdict in SPLITS.verdicts(made, self.book):
                self._note(code, verdict, child, _resting_on(self.play.cards[child][:1]))
        self._hear_folding()
        self._hear_controllers()
        already = bool(self.breaches)
        for code, verdict in DEALERS.verdicts(self.play.dealer_play(), self.book):
            if already and (code == "DRW012" or isinstance(verdict, Undetermined)):
                continue
            self._note(code, verdict, DEALER, _resting_on(self.round.to_hand(DEALER)))

    def _hear_folding(self) -> None:
        for place, call in enumerate(self.round.calls):
            rules = FOLDING_RULES.get(call.kind)
            if rules is None or call.hand is None or not self.play.ranks(call.hand):
                continue
            folded = self.play.folded(call)
            for code, rule in rules.items():
                verdict = rule(folded, self.book)
                if code == "ACT010" and isinstance(verdict, Breach):
                    verdict = replace(verdict, exposure=self._cost_of_even_money(call))
                self.record.hear(
                    code,
                    verdict,
                    hand=call.hand,
                    bettor=call.bettor,
                    evidence=Evidence(calls=(place,)),
                )

    def _cost_of_even_money(self, call: Call) -> Decimal | None:
        """Say what even money gave beyond what a blackjack was due without it."""
        if call.hand is None or not is_ace_and_ten(self.play.ranks(call.hand)):
            return None
        dealer = self.play.dealer
        took = [w for w in self.play.main_wagers(call.hand.box) if call.bettor in ("", w.bettor)]
        if len(dealer) < INITIAL_CARDS or not took:
            return None
        hand = Standing(self.play.ranks(call.hand), dealer)
        cost = NOTHING
        for wager in took:
            if wager.net is None:
                return None
            on = Fraction(wager.stake)
            due = due_on_hand(wager.kind, on, hand, self.book, self.record.sheet.rounding)
            cost += wager.net - due.net
        return cost

    def _hear_controllers(self) -> None:
        for place, call in enumerate(self.round.calls):
            if call.kind not in DECISIONS_OF_ONE or call.hand is None:
                continue
            controller = self.play.controller(call.hand.box)
            decided = Decided(str(call.kind), call.bettor, controller, controller_did_too=False)
            for code, verdict in DECISIONS.verdicts(decided, self.book):
                self.record.hear(
                    code,
                    verdict,
                    hand=call.hand,
                    bettor=call.bettor,
                    evidence=Evidence(calls=(place,)),
                )

    def _write_breaches(self, cost: Decimal | None, dues: BlackjackDues) -> None:
        for code, breach, hand, evidence in self.breaches:
            verdict = breach
            if code.startswith(("DRW", "DEA")):
                verdict = replace(
                    breach, expected=breach.expected + dues.consequence(code), exposure=cost
                )
                cost = None if cost is None else NOTHING
            put_right = self.record.was_put_right(code)
            self.record.hear(code, verdict, hand=hand, evidence=evidence, put_right=put_right)

    # The limit against a dealer's blackjack

    def _hear_original_limit(self, dues: BlackjackDues) -> tuple[Decimal, frozenset[int]]:
        """Judge what a dealer's blackjack took; give the cost of drawing faults, and the places.

        Wagers settled by the cards as they lay, where in order the dealer had a blackjack, were
        settled wrongly by the fault that put the cards there.
        """
        cost = NOTHING
        spoken_for: set[int] = set()
        for bettor, box, places, situation in dues.against_dealer_blackjack():
            spoken_for |= set(places)
            if situation is None:
                continue
            if situation.net != situation.due and dues.settled_as_laid(places):
                cost += situation.net - situation.due
                continue
            self.record.hear(
                "PAY011",
                more_than_original_lost(situation, self.book),
                hand=box_hand(box),
                bettor=bettor,
                wager=WagerKind.MAIN,
                evidence=Evidence(wagers=places),
            )
        return cost, frozenset(spoken_for)
