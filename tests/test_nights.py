"""Simulated nights: lawful ones are cleared, planted faults are where the truth says."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import islice

import pytest

from audit.assembly import TableHistory, rounds_of
from audit.comparison import compare_logs
from audit.errors import BadInput, BadTableSheet
from audit.findings import Finding, Severity
from audit.judge import judge_round
from audit.judging.shoe import judge_shoe, remember_order
from audit.observations import CallKind, Game
from audit.rulebook_files import all_rulebooks, rulebook
from audit.shoe_order import EarlierShoes
from audit.simulation.blackjack_setting import CallLog
from audit.simulation.camera import Camera
from audit.simulation.faults import FAULTS
from audit.simulation.night_faults import CLAUSE_BY_REASON, KINDS, Kind, Level, kinds_named
from audit.simulation.nights import (
    Left,
    NightPlan,
    SimulatedShoe,
    simulate_night,
    simulate_table,
    table_of,
)
from audit.simulation.stakes import TURNED_AWAY

BOOKS = tuple(all_rulebooks())
SMALL = NightPlan(tables=10, rounds=30)

Found = dict[int | None, list[Finding]]


def judged(plan: NightPlan, seed: int, index: int) -> Iterator[tuple[SimulatedShoe, Found]]:
    """Judge every shoe of a table, its rounds and as a whole."""
    history, earlier = TableHistory(), EarlierShoes()
    for shoe in simulate_table(plan, seed, index):
        book, sheet = shoe.table.book, shoe.table.sheet
        found: Found = {None: []}
        for played in rounds_of(shoe.rows, book.game, sheet, history):
            assert played.key is not None
            found[played.key.number] = list(judge_round(played, book, sheet))
        whole = [*judge_shoe(shoe.rows, book, sheet, earlier)]
        if shoe.camera:
            whole += compare_logs((shoe.rows.cards, shoe.camera), book).findings
        for finding in whole:
            found[finding.round].append(finding.finding)
        remember_order(shoe.rows, earlier)
        yield shoe, found


# Lawful nights


@pytest.mark.parametrize("name", BOOKS)
def test_nobody_is_accused_in_a_lawful_night(name: str) -> None:
    plan = NightPlan(rulebooks=(name,), tables=3, rounds=60)
    rounds = 0
    for index in range(plan.tables):
        for shoe, found in judged(plan, 11, index):
            assert not shoe.truth
            assert not any(found.values()), found
            rounds += shoe.rounds
    assert rounds == 180


def test_a_card_that_was_not_read_surely_accuses_nobody() -> None:
    plan = replace(SMALL, rounds=15, camera=Camera(unread=5, doubtful=5))
    unsure = 0
    for index in range(plan.tables):
        for shoe, found in judged(plan, 3, index):
            findings = [finding for round_ in found.values() for finding in round_]
            assert all(finding.severity is not Severity.VIOLATION for finding in findings)
            unsure += sum(row.card == "??" or row.confidence < 1 for row in shoe.rows.cards)
    assert unsure > 5


def test_a_night_looks_like_one() -> None:
    plan = NightPlan(rulebooks=("mbs-fortune-six-baccarat-v6",), tables=4, rounds=200)
    shoes = [*simulate_night(plan, 1)]
    whole = [shoe.rounds for shoe in shoes if any(c.call == "shoe_end" for c in shoe.rows.calls)]
    assert whole
    assert all(55 <= rounds <= 85 for rounds in whole)
    one = [shoe for shoe in shoes if shoe.table.index == 1]
    minutes = (one[-1].rows.cards[-1].ts - one[0].rows.cards[0].ts).total_seconds() / 60
    assert 200 * 40 / 60 < minutes < 200 * 75 / 60
    stakes = {row.stake for shoe in shoes for row in shoe.rows.wagers}
    assert all(stake % 100 == 0 for stake in stakes)
    bettors = [{row.bettor for row in shoe.rows.wagers} for shoe in one]
    assert bettors[0] & bettors[1]
    named = {row.bettor for shoe in shoes for row in shoe.rows.wagers}
    assert all(name.startswith("P") and name[1:].isdecimal() for name in named)
    assert not named & TURNED_AWAY


def test_tables_close_when_the_night_is_over() -> None:
    plan = NightPlan(tables=2, rounds=5000, hours=1.5)
    for index in range(plan.tables):
        rows = [row for shoe in simulate_table(plan, 1, index) for row in shoe.rows.cards]
        open_for = (rows[-1].ts - rows[0].ts).total_seconds() / 3600
        assert 1.2 < open_for < 1.6


def test_the_dealers_of_a_pit_move_on_from_table_to_table() -> None:
    plan = NightPlan(tables=8, rounds=60, log=CallLog.EVERYTHING)
    dealers: dict[int, list[str]] = {index: [] for index in range(plan.tables)}
    for shoe in simulate_night(plan, 4):
        rows = [row for row in shoe.rows.calls if row.call == CallKind.DEALER_IN]
        dealers[shoe.table.index] += [row.value for row in rows]
    assert len({came[0] for came in dealers.values()}) == len(dealers)
    assert dealers[0][0] not in dealers[0][1:]
    assert dealers[1][0] in dealers[0]
    assert set(dealers[0]).isdisjoint(dealers[4])


def test_the_same_seed_gives_the_same_night_and_another_seed_another() -> None:
    plan = replace(SMALL, faults=40)
    assert [*simulate_night(plan, 5)] == [*simulate_night(plan, 5)]
    assert [*simulate_night(plan, 5)] != [*simulate_night(plan, 6)]


def test_a_table_is_the_same_alone_among_more_tables_and_in_more_nights() -> None:
    plan = replace(SMALL, faults=40)
    alone = [*simulate_table(plan, 5, 7)]
    among = [s for s in simulate_night(replace(plan, tables=20), 5) if s.table.index == 7]
    longer = [*simulate_table(replace(plan, nights=2), 5, 7)]
    assert alone == among == longer[: len(alone)]
    assert {shoe.rows.shoe for shoe in longer[len(alone) :]}.isdisjoint(
        shoe.rows.shoe for shoe in alone
    )


# Faults


def test_there_are_more_than_forty_kinds_and_every_fault_is_among_them() -> None:
    assert {fault.what for fault in FAULTS} < {kind.what for kind in KINDS}
    assert len({kind.name for kind in KINDS}) == len(KINDS) > 40


def _home(kind: Kind) -> str:
    return next(name for name in BOOKS if kind.suits(rulebook(name)))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_kind_that_is_asked_for_is_there_and_no_other(kind: Kind) -> None:
    rate = 1000.0 if kind.level is Level.TABLE else 60.0
    plan = NightPlan(
        rulebooks=(_home(kind),),
        tables=6,
        rounds=250,
        by_kind={kind.what: rate},
        log=CallLog.EVERYTHING,
    )
    planted = (fault for shoe in simulate_night(plan, 2) for fault in shoe.truth)
    assert {fault.what for fault in islice(planted, 1)} == {kind.what}


@pytest.mark.parametrize("name", BOOKS)
def test_every_planted_fault_is_found_and_nothing_besides(name: str) -> None:
    plan = NightPlan(rulebooks=(name,), tables=4, rounds=70, faults=150)
    planted = 0
    for index in range(plan.tables):
        for shoe, found in judged(plan, 8, index):
            everything = [finding for round_ in found.values() for finding in round_]
            for fault in shoe.truth:
                near = everything if fault.round is None else found[fault.round]
                named = [finding for finding in near if finding.code == fault.code]
                assert fault.severity in {finding.severity for finding in named}, fault
                if fault.clauses:
                    assert any(fault.breaks(finding.clause) for finding in named), fault
                if fault.exposure is not None:
                    cost = sum(int((finding.exposure or 0) * 100) for finding in near)
                    assert cost == fault.exposure, (fault, near)
                planted += 1
            befallen = {fault.round for fault in shoe.truth}
            of_the_shoe = {fault.code for fault in shoe.truth if fault.round is None}
            for number, findings in found.items():
                others = [finding for finding in findings if finding.code not in of_the_shoe]
                assert number in befallen or not others, (number, others, shoe.truth)
    assert planted > 20


@pytest.mark.parametrize("name", BOOKS)
def test_the_cards_of_a_faulty_shoe_come_out_of_its_decks_in_order(name: str) -> None:
    plan = NightPlan(rulebooks=(name,), tables=4, rounds=120, faults=100)
    for shoe in simulate_night(plan, 9):
        befallen = {fault.code for fault in shoe.truth}
        seqs = [row.seq for row in shoe.rows.cards]
        if "SRC003" in befallen:
            assert len(seqs) == seqs[-1] - 1
        else:
            assert seqs == [*range(1, len(seqs) + 1)]
        copies = Counter(row.card for row in shoe.rows.cards if row.card != "??")
        if "SHO001" in befallen:
            assert max(copies.values()) > shoe.table.sheet.decks
        else:
            assert max(copies.values()) <= shoe.table.sheet.decks
        moments = [row.ts for row in shoe.rows.cards]
        assert moments == sorted(set(moments))


def test_a_stacked_round_leaves_the_shoe_as_large_as_it_was() -> None:
    plan = NightPlan(
        rulebooks=("mbs-blackjack-v6",),
        tables=6,
        rounds=150,
        by_kind={"a shoe is stacked with one card": 10.0},
        log=CallLog.EVERYTHING,
    )
    stacked = [shoe for shoe in simulate_night(plan, 1) if shoe.truth]
    assert stacked
    for shoe in stacked:
        ends = [row.value for row in shoe.rows.calls if row.call == CallKind.SHOE_END]
        assert set(ends) <= {"", str(52 * shoe.table.sheet.decks)}
        first = shoe.truth[0].round or 0
        cards = {row.card for row in shoe.rows.cards if row.round == first and row.hand != "burn"}
        later = {row.card for row in shoe.rows.cards if row.round is not None and row.round > first}
        if len(shoe.truth) == 1:
            assert len(cards) == 1
            assert cards.isdisjoint(later)


def test_truth_names_rounds_that_were_played_once_each() -> None:
    plan = replace(SMALL, rounds=60, faults=100)
    for shoe in simulate_night(plan, 10):
        numbers = {row.round for row in shoe.rows.wagers} | {row.round for row in shoe.rows.cards}
        in_rounds = [
            fault.round
            for fault in shoe.truth
            if fault.round is not None and fault.code in {known.code for known in FAULTS}
        ]
        assert set(in_rounds) <= numbers
        for fault in shoe.truth:
            assert (fault.table_id, fault.shoe) == (shoe.rows.table_id, shoe.rows.shoe)
            known = () if fault.code in CLAUSE_BY_REASON else shoe.table.book.breaks[fault.code]
            assert fault.clauses == known


def test_as_many_faults_are_planted_as_were_asked_for() -> None:
    plan = NightPlan(
        rulebooks=("mbs-electronic-baccarat/tiger",),
        tables=8,
        rounds=400,
        by_kind={"a loser is paid": 10.0},
    )
    planted = sum(len(shoe.truth) for shoe in simulate_night(plan, 2))
    assert 16 <= planted <= 50


def test_a_fault_in_a_round_with_an_unread_card_is_marked() -> None:
    plan = NightPlan(
        rulebooks=("mbs-electronic-baccarat/nc",),
        tables=2,
        rounds=100,
        faults=300,
        camera=Camera(unread=50),
    )
    marked = Counter[bool]()
    for shoe in simulate_night(plan, 2):
        unread = {row.round for row in shoe.rows.cards if row.card == "??"}
        for fault in shoe.truth:
            if fault.round is not None and fault.code != "SRC002":
                assert fault.clouded == (fault.round in unread)
                marked[fault.clouded] += 1
    assert len(marked) == 2


# What logs leave out


def test_logs_can_be_without_rounds_hands_and_calls() -> None:
    plan = replace(SMALL, faults=100, without=frozenset(Left))
    full = [*simulate_night(replace(SMALL, log=CallLog.NOTHING), 2)]
    bare = [*simulate_night(replace(SMALL, without=frozenset(Left)), 2)]
    assert [len(shoe.rows.cards) for shoe in bare] == [len(shoe.rows.cards) for shoe in full]
    for shoe in (*bare, *simulate_night(plan, 2)):
        assert not shoe.rows.calls
        assert all(row.round is None and row.hand is None for row in shoe.rows.cards)
        assert all(row.round is not None for row in shoe.rows.wagers)


def test_faults_that_only_calls_tell_are_not_planted_where_no_call_is_logged() -> None:
    plan = NightPlan(
        rulebooks=("mbs-fortune-six-baccarat-v6",),
        tables=2,
        rounds=60,
        by_kind={"a foreign card is found": 200.0, "a loser is paid": 100.0},
        without=frozenset({Left.CALLS}),
    )
    planted = {fault.what for shoe in simulate_night(plan, 2) for fault in shoe.truth}
    assert planted == {"a loser is paid"}


# Plans that cannot be


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (lambda: NightPlan(tables=0), "0 tables are too few"),
        (lambda: NightPlan(rounds=0), "0 rounds are too few"),
        (lambda: NightPlan(hours=25), "25 hours a night"),
        (lambda: NightPlan(rulebooks=()), "at least one rulebook"),
        (lambda: NightPlan(faults=1001), "1001 faults in 1,000 rounds"),
        (lambda: kinds_named("a-winner-is-overpayed"), "did you mean a-winner-is-overpaid"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(plan: object, words: str) -> None:
    assert callable(plan)
    with pytest.raises(BadInput, match=words):
        plan()


def test_a_night_before_a_document_was_in_force_is_refused() -> None:
    plan = NightPlan(rulebooks=("mbs-electronic-baccarat/nc",), night=date(2020, 5, 1))
    with pytest.raises(BadTableSheet, match="2021-10-28"):
        table_of(plan, 1, 0)


def test_a_code_names_all_its_kinds() -> None:
    assert [kind.what for kind in kinds_named("pay001")] == [
        "a winner is overpaid",
        "a winner is a cent short",
    ]
    assert [kind.code for kind in kinds_named("the player's third card is not drawn")] == ["DRW001"]


def test_both_games_are_played() -> None:
    games = {table_of(SMALL, 1, index).book.game for index in range(SMALL.tables)}
    assert games == set(Game)
