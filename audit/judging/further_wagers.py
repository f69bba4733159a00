"""The further wagers of a round of blackjack: splits, doubles, insurance and side wagers."""

from collections import defaultdict
from dataclasses import replace
from decimal import Decimal

from audit.hands import Hand
from audit.judging.record import Record, total
from audit.judging.wagers import hear_of_wager, limits_of
from audit.money import NOTHING
from audit.observations import Wager, WagerKind
from audit.rules.blackjack.dealer import blackjack_options
from audit.rules.blackjack.play import Play
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
from audit.verdicts import Breach, Verdict

SIDE_WAGERS = (WagerKind.PAIR, WagerKind.OVER13, WagerKind.UNDER13)


class FurtherWagers:
    """All wagers beside the main ones, put before the rules that limit them."""

    def __init__(self, record: Record, play: Play) -> None:
        self.record = record
        self.play = play
        self.round = record.round
        self.book = record.book

    def hear(self) -> frozenset[int]:
        """Judge them all; give the places of those that are thereby spoken for."""
        self._hear_missing_splits()
        return self._hear_raises() | self._hear_insurance() | self._hear_side_wagers()

    def _without_refused(self, places: list[int], verdicts: dict[str, Verdict]) -> list[int]:
        """Leave out wagers that were handed back, where a rule forbids them with the others."""
        if any(isinstance(verdict, Breach) for verdict in verdicts.values()):
            return [place for place in places if place not in self.record.handed_back]
        return places

    # Splits and doubles

    def _hear_raises(self) -> frozenset[int]:
        spoken_for: set[int] = set()
        raises: dict[tuple[WagerKind, str, Hand], list[int]] = defaultdict(list)
        for place, hand in self.play.hand_of.items():
            wager = self.round.wagers[place]
            if wager.kind is not WagerKind.MAIN:
                raises[wager.kind, wager.bettor, hand].append(place)
        for (kind, bettor, hand), placed in raises.items():
            verdicts = self._verdicts_on_raise(placed, bettor, hand)
            places = self._without_refused(placed, verdicts)
            spoken_for |= set(placed) - set(places)
            if not places:
                continue
            if places != placed:
                verdicts = self._verdicts_on_raise(places, bettor, hand)
            for code, verdict in verdicts.items():
                hear_of_wager(self.record, code, verdict, places[0])
            if kind is WagerKind.DOUBLE:
                self._hear_double(places[0], bettor, hand)
        return frozenset(spoken_for)

    def _verdicts_on_raise(self, places: list[int], bettor: str, hand: Hand) -> dict[str, Verdict]:
        least, _ = limits_of(self.record, WagerKind.MAIN)
        raised = Raised(
            kind=self.round.wagers[places[0]].kind,
            stake=total([self.round.wagers[place].stake for place in places]),
            original=self.play.original(bettor, hand.box),
            table_minimum=least,
        )
        return {code: rule(raised, self.book) for code, rule in RAISE_RULES.items()}

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

    # Insurance

    def _hear_insurance(self) -> frozenset[int]:
        insured: dict[tuple[int | None, str], list[int]] = defaultdict(list)
        for place, wager in enumerate(self.round.wagers):
            if wager.kind is WagerKind.INSURANCE and not wager.late:
                insured[wager.box, self._insured_bettor(place)].append(place)
        spoken_for: set[int] = set()
        for (box, target), placed in insured.items():
            verdicts = self._verdicts_on_insurance(placed, box, target)
            places = self._without_refused(placed, verdicts)
            spoken_for |= set(placed) - set(places)
            if not places:
                continue
            if places != placed:
                verdicts = self._verdicts_on_insurance(places, box, target)
            for code, verdict in verdicts.items():
                hear_of_wager(self.record, code, verdict, places[0])
                if code == "ACT009" and isinstance(verdict, Breach):
                    spoken_for |= set(places)
        return frozenset(spoken_for)

    def _verdicts_on_insurance(
        self, places: list[int], box: int | None, target: str
    ) -> dict[str, Verdict]:
        wagers = [self.round.wagers[place] for place in places]
        others = [wager for wager in wagers if wager.bettor != target]
        insured = Insured(
            stake=total([wager.stake for wager in wagers]),
            original=self.play.original(target, box),
            by_another=bool(others),
            own_as_well=len(others) < len(wagers),
            dealer_first=self.play.dealer_first,
        )
        return {code: rule(insured, self.book) for code, rule in INSURANCE_RULES.items()}

    def _insured_bettor(self, place: int) -> str:
        """Whose wager an insurance rides on: the one named, the bettor's own, or the largest."""
        wager = self.round.wagers[place]
        if wager.on_behalf_of is not None:
            return wager.on_behalf_of
        mains = self.play.main_wagers(wager.box or 0)
        if not mains or any(main.bettor == wager.bettor for main in mains):
            return wager.bettor
        return max(mains, key=lambda main: main.stake).bettor

    # Pair, over 13 and under 13

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
