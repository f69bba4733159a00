"""Simulated rounds: lawful ones are cleared, and every single fault is named."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import count
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audit.simulation
from audit.cards import RANKS, UNREAD, Rank
from audit.codes import CODES, WHOLE_SHOE_CODES
from audit.findings import Finding, Severity
from audit.hands import BURN, DEALER, Place
from audit.judge import judge_round
from audit.notation import format_round
from audit.observations import CallKind, Game, WagerKind
from audit.rounds import Round, rank_of
from audit.rulebook import Rulebook
from audit.rulebook_files import all_rulebooks, rulebook
from audit.simulation.fault import Fault, Scene
from audit.simulation.faults import FAULTS, faults_of
from audit.simulation.habits import EVERY_HABIT, Habit
from audit.simulation.shoe import shuffled_shoe
from audit.simulation.table import deal_round, rounds_of_a_shoe, simulated_sheet
from audit.table_sheet import TableSheet

BOOKS = tuple(all_rulebooks())
BLACKJACK_BOOKS = tuple(name for name in BOOKS if rulebook(name).game is Game.BLACKJACK)
LAWFUL_ROUNDS = 400
ROUNDS_FOR_FAULTS = 1200
TRIES_OF_A_FAULT = 8

HABITS = EVERY_HABIT

RICH = (Rank.ACE, Rank.FIVE, Rank.SIX, Rank.EIGHT, Rank.TEN, Rank.KING)
MONEY_FAULTS = frozenset(f"PAY{number:03}" for number in (*range(1, 9), 11, 12, 13, 14))
NO_VIOLATION_POSSIBLE = {"SRC002": Severity.REVIEW}


def seeded(*parts: object) -> Random:
    return Random("/".join(map(str, parts)))  # noqa: S311


def scenes(
    book: Rulebook, seed: object, habits: frozenset[Habit] = HABITS
) -> Iterator[tuple[Scene, Random]]:
    """Deal shoe after shoe, each at a table of its own, every other one rich in pairs and aces."""
    for number in count():
        rng = seeded(book.id, seed, number)
        sheet = simulated_sheet(book, rng)
        ranks = RICH if number % 2 else RANKS
        shoe = shuffled_shoe(sheet.decks, rng, name=str(number), ranks=ranks)
        for played in rounds_of_a_shoe(shoe, book, sheet, rng, habits=habits):
            yield Scene(played, book, sheet), rng


def first_scenes(
    book: Rulebook, seed: object, rounds: int, habits: frozenset[Habit] = HABITS
) -> Iterator[tuple[Scene, Random]]:
    dealt = scenes(book, seed, habits)
    return (next(dealt) for _ in range(rounds))


def judged(scene: Scene) -> tuple[Finding, ...]:
    return judge_round(scene.round, scene.book, scene.sheet)


def shown(scene: Scene) -> str:
    """Write a round on its line, for a person who wants to look into it."""
    unnamed = [
        replace(wager, hand=None) if wager.hand and wager.hand.formed == 1 else wager
        for wager in scene.round.wagers
    ]
    line = format_round(replace(scene.round, wagers=tuple(unnamed)))
    sheet = scene.sheet
    limits = {str(kind): f"{limit.min}..{limit.max}" for kind, limit in sheet.limits.items()}
    return f"{line}\n{scene.book.id}, decks {sheet.decks}, rounding {sheet.rounding}, {limits}"


def report(scene: Scene, findings: tuple[Finding, ...]) -> str:
    return "\n".join([shown(scene), *map(str, findings)])


# Lawful rounds


@pytest.mark.parametrize("name", BOOKS)
def test_lawful_rounds_are_cleared(name: str) -> None:
    for scene, _ in first_scenes(rulebook(name), "lawful", LAWFUL_ROUNDS):
        findings = judged(scene)
        assert findings == (), report(scene, findings)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), name=st.sampled_from(BOOKS))
def test_lawful_rounds_of_any_seed_are_cleared(seed: int, name: str) -> None:
    for scene, _ in first_scenes(rulebook(name), seed, 5):
        findings = judged(scene)
        assert findings == (), report(scene, findings)


@pytest.mark.parametrize("name", BOOKS)
def test_an_unread_card_accuses_nobody_of_a_lawful_round(name: str) -> None:
    for scene, rng in first_scenes(rulebook(name), "unread", 25):
        cards = list(scene.round.cards)
        place = rng.randrange(len(cards))
        cards[place] = replace(cards[place], card=UNREAD)
        unread = scene.with_cards(*cards)
        findings = judged(unread)
        violations = [f for f in findings if f.severity is Severity.VIOLATION]
        assert not violations, report(unread, findings)


@pytest.mark.parametrize("name", BOOKS)
def test_the_same_seed_deals_the_same_round(name: str) -> None:
    book = rulebook(name)

    def dealt() -> tuple[TableSheet, list[Round]]:
        rng = seeded("twice", name)
        sheet = simulated_sheet(book, rng)
        shoe = shuffled_shoe(sheet.decks, rng)
        return sheet, [deal_round(shoe, book, sheet, rng) for _ in range(3)]

    assert dealt() == dealt()


def test_money_is_worked_out_without_the_settlement_under_test() -> None:
    for path in Path(audit.simulation.__file__).parent.glob("*.py"):
        imports = [line for line in path.read_text("utf-8").splitlines() if "import" in line]
        assert not any("audit.settlement" in line for line in imports), path.name


# What a simulated table shows


def _hands_of_most_split_box(played: Round) -> int:
    formed = [seen.hand.formed for seen in played.cards if seen.hand]
    return max([*formed, *(wager.hand.formed for wager in played.wagers if wager.hand)])


def _dealer(played: Round) -> list[Rank]:
    return [rank_of(seen) for seen in played.to_hand(DEALER)]


def _dealer_has_blackjack(played: Round) -> bool:
    tens = {Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING}
    ranks = _dealer(played)
    return len(ranks) == 2 and Rank.ACE in ranks and bool(tens & set(ranks))


def _splits_unequal_pictures(played: Round) -> bool:
    for call in played.called(CallKind.SPLIT):
        if call.hand is not None and call.value.endswith(".2"):
            first, second = (rank_of(seen) for seen in played.to_hand(call.hand)[:2])
            if first is not second:
                return True
    return False


def _some_surrender(played: Round) -> bool:
    folded = {(call.bettor, call.hand) for call in played.called(CallKind.SURRENDER)}
    mains = Counter(wager.box for wager in played.placed(WagerKind.MAIN))
    return any(bettor and hand and mains[hand.box] > 1 for bettor, hand in folded)


def _doubles_for_less(played: Round) -> bool:
    mains = {(wager.bettor, wager.box): wager.stake for wager in played.placed(WagerKind.MAIN)}
    doubles = played.placed(WagerKind.DOUBLE)
    return any(double.stake < mains[double.bettor, double.box] for double in doubles)


def _someone_does_not_follow(kind: WagerKind) -> Callable[[Round], bool]:
    def stays_out(played: Round) -> bool:
        raised = {(wager.bettor, wager.box) for wager in played.placed(kind)}
        boxes = {box for _, box in raised}
        mains = [wager for wager in played.placed(WagerKind.MAIN) if wager.box in boxes]
        return any((main.bettor, main.box) not in raised for main in mains)

    return stays_out


def _raised_against_blackjack(played: Round) -> bool:
    raised = any(True for _ in played.placed(WagerKind.SPLIT, WagerKind.DOUBLE))
    return raised and _dealer_has_blackjack(played)


def _boxes(played: Round) -> set[int]:
    return {s.hand.box for s in played.cards if s.hand and s.hand.place is Place.BOX}


def _insured_for_another(played: Round) -> bool:
    return any(wager.on_behalf_of for wager in played.placed(WagerKind.INSURANCE))


SHOWN_IN_BLACKJACK: dict[str, Callable[[Round], bool]] = {
    "one box": lambda played: len(_boxes(played)) == 1,
    "seven boxes": lambda played: len(_boxes(played)) == 7,
    "four hands of a box": lambda played: _hands_of_most_split_box(played) == 4,
    "unequal pictures split": _splits_unequal_pictures,
    "a bettor who does not follow a split": _someone_does_not_follow(WagerKind.SPLIT),
    "a bettor who does not follow a double": _someone_does_not_follow(WagerKind.DOUBLE),
    "a double for less": _doubles_for_less,
    "a double on a split hand": lambda played: any(
        wager.hand and wager.hand.formed > 1 for wager in played.placed(WagerKind.DOUBLE)
    ),
    "surrender by some of a box": _some_surrender,
    "even money": lambda played: any(played.called(CallKind.EVEN_MONEY)),
    "insurance": lambda played: any(True for _ in played.placed(WagerKind.INSURANCE)),
    "a raise against a dealer's blackjack": _raised_against_blackjack,
    "a dealer who takes no second card": lambda played: len(_dealer(played)) == 1,
    "an absent bettor": lambda played: any(
        call.value == "absent" for call in played.called(CallKind.CONTROL)
    ),
    "a burn card": lambda played: bool(played.to_hand(BURN)),
    "no call at all": lambda played: not played.calls,
    "logged decisions": lambda played: played.decisions_were_logged,
    "a wager not settled": lambda played: any(wager.net is None for wager in played.wagers),
    "a void round": lambda played: any(played.called(CallKind.VOID)),
    "the next cards": lambda played: bool(played.around.following),
}


@pytest.mark.parametrize("name", BLACKJACK_BOOKS)
def test_simulated_blackjack_shows_everything(name: str) -> None:
    rounds = [scene.round for scene, _ in first_scenes(rulebook(name), "shown", 1500)]
    missing = [what for what, seen in SHOWN_IN_BLACKJACK.items() if not any(map(seen, rounds))]
    assert not missing
    kinds = {wager.kind for played in rounds for wager in played.wagers}
    assert kinds == set(rulebook(name).wagers)


def test_only_one_document_has_wagers_insured_for_another() -> None:
    insured = {
        name
        for name in BLACKJACK_BOOKS
        for scene, _ in first_scenes(rulebook(name), "shown", 500)
        if _insured_for_another(scene.round)
    }
    assert insured == {"mbs-blackjack-v6"}


@pytest.mark.parametrize("name", sorted(set(BOOKS) - set(BLACKJACK_BOOKS)))
def test_simulated_baccarat_shows_everything(name: str) -> None:
    rounds = [scene.round for scene, _ in first_scenes(rulebook(name), "shown", 300)]
    assert {wager.kind for played in rounds for wager in played.wagers} == set(
        rulebook(name).wagers
    )
    announced = {call.value for played in rounds for call in played.called(CallKind.OUTCOME)}
    assert announced == {"player", "banker", "tie"}
    assert {len(played.in_play()) for played in rounds} == {4, 5, 6}
    assert any(not played.calls for played in rounds)
    assert any(wager.late for played in rounds for wager in played.wagers) == (
        Habit.LATE_WAGERS in HABITS
    )


# Faults


@dataclass(frozen=True)
class Committed:
    fault: Fault
    before: Scene
    after: Scene
    findings: tuple[Finding, ...]

    def __str__(self) -> str:
        what = f"{self.fault.what}: {self.fault.code} expected"
        return f"{what}\nbefore {shown(self.before)}\nafter {report(self.after, self.findings)}"


def commit_faults(name: str) -> Iterator[Committed]:
    """Commit every fault that suits a rulebook some times over, in rounds that give occasion."""
    book = rulebook(name)
    committed: Counter[str] = Counter()
    for scene, rng in first_scenes(book, "faults", ROUNDS_FOR_FAULTS):
        for fault in faults_of(book):
            if committed[fault.what] >= TRIES_OF_A_FAULT:
                continue
            faulty = fault.commit(scene, rng)
            if faulty is not None:
                committed[fault.what] += 1
                yield Committed(fault, scene, faulty, judged(faulty))


def severity_due(code: str, book: Rulebook) -> Severity:
    if code in NO_VIOLATION_POSSIBLE:
        return NO_VIOLATION_POSSIBLE[code]
    return Severity.VIOLATION if book.breaks[code] else Severity.NOTE


def money_moved(committed: Committed) -> Decimal:
    nets = [
        sum((wager.net for wager in scene.round.wagers if wager.net is not None), Decimal(0))
        for scene in (committed.after, committed.before)
    ]
    return nets[0] - nets[1]


@pytest.mark.parametrize("name", BOOKS)
def test_every_fault_is_named(name: str) -> None:
    seen = set()
    for committed in commit_faults(name):
        fault, findings = committed.fault, committed.findings
        seen.add(fault.what)
        severities = {finding.severity for finding in findings if finding.code == fault.code}
        assert severity_due(fault.code, rulebook(name)) in severities, str(committed)
        if fault.alone:
            assert {finding.code for finding in findings} == {fault.code}, str(committed)
        if fault.code in MONEY_FAULTS:
            exposures = [finding.exposure or Decimal(0) for finding in findings]
            assert sum(exposures, Decimal(0)) == money_moved(committed), str(committed)
    assert seen == {fault.what for fault in faults_of(rulebook(name))}


def test_every_code_that_a_round_can_show_has_a_fault() -> None:
    assert len(FAULTS) == len({fault.what for fault in FAULTS})
    assert set(CODES) - {fault.code for fault in FAULTS} == WHOLE_SHOE_CODES
