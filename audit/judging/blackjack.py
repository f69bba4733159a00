"""A round of blackjack: the deal, the decisions, the dealer's hand, the wagers."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from audit.errors import BadInput
from audit.findings import Evidence, Severity
from audit.hands import DEALER, Hand, Place, box_hand
from audit.irregularities import stage_at
from audit.judging.blackjack_dues import BlackjackDues
from audit.judging.record import Record, total
from audit.judging.wagers import (
    Dues,
    find_handed_back,
    hear_of_wager,
    hear_payments,
    hear_placing,
    hear_void,
    limits_of,
)
from audit.money import NOTHING
from audit.observations import Call, CallKind, Wager, WagerKind
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
from audit.rules.blackjack.play import Play, ways_to_play
from audit.rules.blackjack.wagers import (
    DECISION_RULES,
    INSURANCE_RULES,
    RAISE_RULES,
    SIDE_WAGER_RULES,
    Decided,
    Insured,
    Raised,
    SideSettled,
    SideWager,
    side_wager_settled_late,
)
from audit.rules.shoe import Burnt, burn_card_forgotten
from audit.settlement.blackjack import Standing, due_on_hand, more_than_original_lost
from audit.verdicts import Breach, Undetermined, Verdict

SIDE_WAGERS = (WagerKind.PAIR, WagerKind.OVER13, WagerKind.UNDER13)
DECISIONS_OF_ONE = {CallKind.HIT, CallKind.STAND, CallKind.SPLIT}


def judge_blackjack(record: Record) -> None:
    """Judge a round whose cards all have one reading.

    Where the split hands can have been formed in several ways, the way that breaks the fewest rules
    is believed.
    """
    _check_boxes(record)
    if hear_void(record):
        return
    heard: list[Record] = []
    for play in ways_to_play(record.round, record.book, record.sheet.rounding):
        one_way = Record(record.round, record.book, record.sheet)
        _Judged(one_way, play).judge()
        heard.append(one_way)
    best = min(heard, key=lambda one_way: _weight(one_way))
    record.findings.extend(best.findings)


def _weight(record: Record) -> int:
    return sum(finding.severity is not Severity.NOTE for finding in record.findings)


def _check_boxes(record: Record) -> None:
    boxes = blackjack_options(record.book).boxes
    if boxes is None:
        return
    for seen in record.round.cards:
        if seen.hand is not None and seen.hand.box > boxes.value:
            raise BadInput(
                f"{seen.hand} cannot exist: {record.book.title} has layouts of at most "
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
        dues = BlackjackDues(self.record, self.play, frozenset(codes))
        spoken_for = hear_placing(self.record)
        spoken_for |= self._hear_further_wagers()
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
        evidence = Evidence(cards=tuple(seen.seq for seen in self.round.in_play()))
        undetermined_once = False
        for code, rule in DEALING_RULES.items():
            verdict = rule(dealt, self.book)
            if isinstance(verdict, Undetermined):
                if undetermined_once:
                    continue
                undetermined_once = True
            self._note(code, verdict, None, evidence)

    def _hear_decisions(self) -> None:
        for hand in self.play.hands_in_play:
            evidence = Evidence(cards=tuple(seen.seq for seen in self.play.cards[hand]))
            played = self.play.hand_play(hand)
            for code, rule in HAND_RULES.items():
                self._note(code, rule(played, self.book), hand, evidence)
        for child, made in self.play.splits():
            evidence = Evidence(cards=tuple(seen.seq for seen in self.play.cards[child][:1]))
            for code, split_rule in SPLIT_RULES.items():
                self._note(code, split_rule(made, self.book), child, evidence)
        self._hear_folding()
        self._hear_controllers()
        dealer = self.play.dealer_play()
        evidence = Evidence(cards=tuple(seen.seq for seen in self.round.to_hand(DEALER)))
        already = bool(self.breaches)
        for code, dealer_rule in DEALER_RULES.items():
            verdict = dealer_rule(dealer, self.book)
            if already and (code == "DRW012" or isinstance(verdict, Undetermined)):
                continue
            self._note(code, verdict, DEALER, evidence)

    def _hear_folding(self) -> None:
        for place, call in enumerate(self.round.calls):
            rules = {
                CallKind.SURRENDER: SURRENDER_RULES,
                CallKind.EVEN_MONEY: EVEN_MONEY_RULES,
            }.get(call.kind)
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
            for code, rule in DECISION_RULES.items():
                self.record.hear(
                    code,
                    rule(decided, self.book),
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

    # Further wagers

    def _hear_further_wagers(self) -> frozenset[int]:
        self._hear_missing_splits()
        return self._hear_raises() | self._hear_insurance() | self._hear_side_wagers()

    def _kept(
        self, places: list[int], judged: Callable[[list[int]], dict[str, Verdict]]
    ) -> list[int]:
        """Leave out wagers that were handed back, where a rule forbids them with the others."""
        if any(isinstance(verdict, Breach) for verdict in judged(places).values()):
            return [place for place in places if place not in self.record.handed_back]
        return places

    def _hear_raises(self) -> frozenset[int]:
        spoken_for: set[int] = set()
        least, _ = limits_of(self.record, WagerKind.MAIN)
        stakes: dict[tuple[WagerKind, str, Hand], list[int]] = defaultdict(list)
        for place, hand in self.play.hand_of.items():
            wager = self.round.wagers[place]
            if wager.kind is not WagerKind.MAIN:
                stakes[wager.kind, wager.bettor, hand].append(place)
        for (kind, bettor, hand), placed in stakes.items():

            def judged(
                places: list[int], kind: WagerKind = kind, bettor: str = bettor, hand: Hand = hand
            ) -> dict[str, Verdict]:
                raised = Raised(
                    kind=kind,
                    stake=total([self.round.wagers[place].stake for place in places]),
                    original=self.play.original(bettor, hand.box),
                    table_minimum=least,
                )
                return {code: rule(raised, self.book) for code, rule in RAISE_RULES.items()}

            places = self._kept(placed, judged)
            spoken_for |= set(placed) - set(places)
            if not places:
                continue
            for code, verdict in judged(places).items():
                hear_of_wager(self.record, code, verdict, places[0])
            if kind is WagerKind.DOUBLE:
                self._hear_double(places[0], bettor, hand)
        return frozenset(spoken_for)

    def _hear_double(self, place: int, bettor: str, hand: Hand) -> None:
        controller = self.play.controller(hand.box)
        doubled_too = any(
            self.round.wagers[other].kind is WagerKind.DOUBLE
            and self.round.wagers[other].bettor == controller
            and on == hand
            for other, on in self.play.hand_of.items()
        )
        decided = Decided("double", bettor, controller, controller_did_too=doubled_too)
        for code, rule in DECISION_RULES.items():
            hear_of_wager(self.record, code, rule(decided, self.book), place)

    def _hear_missing_splits(self) -> None:
        """Every hand that a split formed carries a wager of somebody's, where there is a ledger."""
        staked = {
            hand
            for place, hand in self.play.hand_of.items()
            if self.round.wagers[place].kind is WagerKind.SPLIT
        }
        for child, _ in self.play.parents:
            mains = self.play.main_wagers(child.box)
            if mains and child not in staked:
                raised = Raised(WagerKind.SPLIT, NOTHING, mains[0].stake)
                self.record.hear(
                    "BET004",
                    RAISE_RULES["BET004"](raised, self.book),
                    hand=child,
                    wager=raised.kind,
                )

    def _hear_insurance(self) -> frozenset[int]:
        insured: dict[tuple[int | None, str], list[int]] = defaultdict(list)
        for place, wager in enumerate(self.round.wagers):
            if wager.kind is WagerKind.INSURANCE and not wager.late:
                insured[wager.box, self._insured_bettor(place)].append(place)
        spoken_for: set[int] = set()
        for (box, target), placed in insured.items():

            def judged(
                places: list[int], box: int | None = box, target: str = target
            ) -> dict[str, Verdict]:
                situation = self._insured(places, box, target)
                return {code: rule(situation, self.book) for code, rule in INSURANCE_RULES.items()}

            places = self._kept(placed, judged)
            spoken_for |= set(placed) - set(places)
            if not places:
                continue
            for code, verdict in judged(places).items():
                hear_of_wager(self.record, code, verdict, places[0])
                if code == "ACT009" and isinstance(verdict, Breach):
                    spoken_for |= set(places)
        return frozenset(spoken_for)

    def _insured(self, places: list[int], box: int | None, target: str) -> Insured:
        wagers = [self.round.wagers[place] for place in places]
        others = [wager for wager in wagers if wager.bettor != target]
        return Insured(
            stake=total([wager.stake for wager in wagers]),
            original=self.play.original(target, box),
            by_another=bool(others),
            own_as_well=len(others) < len(wagers),
            dealer_first=self.play.dealer_first,
        )

    def _insured_bettor(self, place: int) -> str:
        """Whose wager an insurance rides on: the one named, the bettor's own, or the largest."""
        wager = self.round.wagers[place]
        if wager.on_behalf_of is not None:
            return wager.on_behalf_of
        mains = self.play.main_wagers(wager.box or 0)
        if not mains or any(main.bettor == wager.bettor for main in mains):
            return wager.bettor
        return max(mains, key=lambda main: main.stake).bettor

    def _hear_side_wagers(self) -> frozenset[int]:
        spoken_for: set[int] = set()
        mains = list(self.round.placed(WagerKind.MAIN))
        for place, wager in enumerate(self.round.wagers):
            if wager.kind not in SIDE_WAGERS or wager.kind not in self.book.wagers or not mains:
                continue
            verdicts = self._verdicts_on_side_wager(wager, mains)
            forbidden = any(isinstance(verdict, Breach) for verdict in verdicts.values())
            if all(main.box != wager.box for main in mains):
                spoken_for.add(place)
            if forbidden and place in self.record.handed_back:
                spoken_for.add(place)
                continue
            settled = SideSettled(wager.settled_after, self.play.initial_deal_ends)
            verdicts["PAY015"] = side_wager_settled_late(settled, self.book)
            for code, verdict in verdicts.items():
                hear_of_wager(self.record, code, verdict, place)
        return frozenset(spoken_for)

    def _verdicts_on_side_wager(self, wager: Wager, mains: list[Wager]) -> dict[str, Verdict]:
        on_box = [main.stake for main in mains if main.box == wager.box]
        side = SideWager(
            kind=wager.kind,
            stake=wager.stake,
            own_original=self.play.original(wager.bettor, wager.box),
            box_original=total(on_box) if on_box else None,
            plays_elsewhere=any(main.bettor == wager.bettor for main in mains),
        )
        verdicts = {code: rule(side, self.book) for code, rule in SIDE_WAGER_RULES.items()}
        without = verdicts["BET009"]
        if not on_box and isinstance(without, Breach):
            verdicts["BET009"] = self._returned_side_wager(without, wager.net)
        return verdicts

    def _returned_side_wager(self, breach: Breach, net: Decimal | None) -> Breach:
        clause = blackjack_options(self.book).side_wager_without_main_returned
        if clause is None:
            return breach
        return replace(breach, exposure=net, clause=clause)

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
