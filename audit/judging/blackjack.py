"""A round of blackjack: the deal, the decisions, the dealer's hand, the wagers."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from audit.errors import BadInput
from audit.findings import Evidence, Severity
from audit.hands import DEALER, Hand, Place, box_hand
from audit.judging.blackjack_dues import BlackjackDues
from audit.judging.record import Record, total
from audit.judging.wagers import (
    Dues,
    hear_of_wager,
    hear_payments,
    hear_placing,
    hear_void,
    limits_of,
    was_handed_back,
)
from audit.money import NOTHING
from audit.observations import CallKind, WagerKind
from audit.rules.blackjack.dealer import DEALER_RULES, blackjack_options
from audit.rules.blackjack.dealing import DEALING_RULES
from audit.rules.blackjack.decisions import (
    EVEN_MONEY_RULES,
    HAND_RULES,
    SPLIT_RULES,
    SURRENDER_RULES,
)
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
from audit.settlement.blackjack import more_than_original_lost
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
        self.put_right = any(self.round.called(CallKind.RECONSTRUCT))
        self.breaches: list[tuple[str, Breach, Hand | None, Evidence]] = []

    def judge(self) -> None:
        self._hear_burn_card()
        self._hear_dealing()
        self._hear_decisions()
        dues = BlackjackDues(
            self.record, self.play, frozenset(code for code, _, _, _ in self.breaches)
        )
        settled = Dues(lawful=dues.lawful(), as_laid=dues.as_laid())
        spoken_for = hear_placing(self.record, settled)
        spoken_for |= self._hear_further_wagers(settled)
        spoken_for |= self._hear_original_limit(dues)
        codes = tuple(code for code, _, _, _ in self.breaches)
        cost = hear_payments(self.record, settled, spoken_for, codes)
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
            noticed_on_initial_deal=self.put_right,
        )
        self.record.hear("DEA018", burn_card_forgotten(situation, self.book))

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
        for hand in self._hands():
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

    def _hands(self) -> Iterator[Hand]:
        for box in self.play.boxes:
            yield from self.play.hands_of(box)

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
                self.record.hear(
                    code,
                    rule(folded, self.book),
                    hand=call.hand,
                    bettor=call.bettor,
                    evidence=Evidence(calls=(place,)),
                )

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
            self.record.hear(
                code, verdict, hand=hand, evidence=evidence, put_right=self._was_put_right(code)
            )

    def _was_put_right(self, code: str) -> bool:
        return self.put_right and code.startswith(("DEA", "DRW"))

    # Further wagers

    def _hear_further_wagers(self, dues: Dues) -> frozenset[int]:
        self._hear_raises(dues)
        self._hear_missing_splits()
        return self._hear_insurance(dues) | self._hear_side_wagers(dues)

    def _hear_raises(self, dues: Dues) -> None:
        least, _ = limits_of(self.record, WagerKind.MAIN)
        stakes: dict[tuple[WagerKind, str, Hand], list[int]] = defaultdict(list)
        for place, hand in self.play.hand_of.items():
            wager = self.round.wagers[place]
            if wager.kind is not WagerKind.MAIN:
                stakes[wager.kind, wager.bettor, hand].append(place)
        for (kind, bettor, hand), places in stakes.items():
            wagers = [self.round.wagers[place] for place in places]
            if all(
                was_handed_back(w, dues.lawful.get(p)) for w, p in zip(wagers, places, strict=True)
            ):
                continue
            raised = Raised(
                kind=kind,
                stake=total([wager.stake for wager in wagers]),
                original=self.play.original(bettor, hand.box),
                table_minimum=least,
            )
            for code, rule in RAISE_RULES.items():
                hear_of_wager(self.record, code, rule(raised, self.book), places[0])
            if kind is WagerKind.DOUBLE:
                self._hear_double(places[0], bettor, hand)

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

    def _hear_insurance(self, dues: Dues) -> frozenset[int]:
        insured: dict[tuple[int | None, str], list[int]] = defaultdict(list)
        for place, wager in enumerate(self.round.wagers):
            if wager.kind is WagerKind.INSURANCE and not was_handed_back(
                wager, dues.lawful.get(place)
            ):
                insured[wager.box, self._insured_bettor(place)].append(place)
        spoken_for: set[int] = set()
        for (box, target), places in insured.items():
            wagers = [self.round.wagers[place] for place in places]
            others = [wager for wager in wagers if wager.bettor != target]
            situation = Insured(
                stake=total([wager.stake for wager in wagers]),
                original=self.play.original(target, box),
                by_another=bool(others),
                own_as_well=len(others) < len(wagers),
                dealer_first=self.play.dealer_first,
            )
            for code, rule in INSURANCE_RULES.items():
                verdict = rule(situation, self.book)
                hear_of_wager(self.record, code, verdict, places[0])
                if code == "ACT009" and isinstance(verdict, Breach):
                    spoken_for |= set(places)
        return frozenset(spoken_for)

    def _insured_bettor(self, place: int) -> str:
        """Whose wager an insurance rides on: the one named, the bettor's own, or the largest."""
        wager = self.round.wagers[place]
        if wager.on_behalf_of is not None:
            return wager.on_behalf_of
        mains = self.play.main_wagers(wager.box or 0)
        if not mains or any(main.bettor == wager.bettor for main in mains):
            return wager.bettor
        return max(mains, key=lambda main: main.stake).bettor

    def _hear_side_wagers(self, dues: Dues) -> frozenset[int]:
        spoken_for: set[int] = set()
        mains = list(self.round.placed(WagerKind.MAIN))
        if not mains:
            return frozenset()
        for place, wager in enumerate(self.round.wagers):
            if wager.kind not in SIDE_WAGERS or wager.kind not in self.book.wagers:
                continue
            on_box = [main.stake for main in mains if main.box == wager.box]
            if not on_box:
                spoken_for.add(place)
            if was_handed_back(wager, dues.lawful.get(place)):
                continue
            side = SideWager(
                kind=wager.kind,
                stake=wager.stake,
                own_original=self.play.original(wager.bettor, wager.box),
                box_original=total(on_box) if on_box else None,
                plays_elsewhere=any(main.bettor == wager.bettor for main in mains),
            )
            for code, rule in SIDE_WAGER_RULES.items():
                verdict = rule(side, self.book)
                if code == "BET009" and not on_box and isinstance(verdict, Breach):
                    verdict = self._returned_side_wager(verdict, wager.net)
                hear_of_wager(self.record, code, verdict, place)
            settled = SideSettled(wager.settled_after, self.play.initial_deal_ends)
            verdict = side_wager_settled_late(settled, self.book)
            hear_of_wager(self.record, "PAY015", verdict, place)
        return frozenset(spoken_for)

    def _returned_side_wager(self, breach: Breach, net: Decimal | None) -> Breach:
        clause = blackjack_options(self.book).side_wager_without_main_returned
        if clause is None:
            return breach
        return replace(breach, exposure=net, clause=clause)

    # The limit against a dealer's blackjack

    def _hear_original_limit(self, dues: BlackjackDues) -> frozenset[int]:
        spoken_for: set[int] = set()
        for bettor, box, places, situation in dues.against_dealer_blackjack():
            spoken_for |= set(places)
            if situation is None:
                continue
            self.record.hear(
                "PAY011",
                more_than_original_lost(situation, self.book),
                hand=box_hand(box),
                bettor=bettor,
                wager=WagerKind.MAIN,
                evidence=Evidence(wagers=places),
            )
        return frozenset(spoken_for)
