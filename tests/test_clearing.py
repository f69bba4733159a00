"""Rounds cleared in bulk: never one that the judge has something to say about."""

import pytest

from audit.batch import audit_bucket
from audit.clearing import Profile, clear
from audit.observations import Game
from audit.rulebook_files import all_rulebooks, rulebook
from audit.shoe_audit import TableSoFar, audit_shoe
from audit.simulation.nights import NightPlan, SimulatedShoe, simulate_night
from audit.sources.spool import bucket_of

BACCARAT = [name for name, book in all_rulebooks().items() if book.game is Game.BACCARAT]
LEAST_CLEARED = 0.75


def night(name: str, faults: float, seed: int) -> list[SimulatedShoe]:
    plan = NightPlan(rulebooks=(name,), tables=2, rounds=250, faults=faults)
    return [shoe for shoe in simulate_night(plan, seed) if not shoe.camera]


def cleared(shoes: list[SimulatedShoe], name: str) -> set[tuple[str, str, int]]:
    bucket = bucket_of([shoe.rows for shoe in shoes])
    profiles = {
        (shoe.rows.table_id, shoe.rows.shoe): Profile(rulebook(name), shoe.table.sheet)
        for shoe in shoes
    }
    rounds = clear(bucket.cards, bucket.wagers, bucket.calls, profiles)
    return set(rounds.select("table_id", "shoe", "round").iter_rows())


def found_one_by_one(shoes: list[SimulatedShoe]) -> set[tuple[str, str, int]]:
    """Judge every round of every shoe, and name those in which anything was found."""
    tables: dict[str, TableSoFar] = {}
    found = set()
    for shoe in shoes:
        rows = shoe.rows
        table = tables.setdefault(rows.table_id, TableSoFar(shoe.table.sheet))
        for one in audit_shoe(rows, table).rounds:
            if one.findings or one.unjudged:
                found.add((rows.table_id, rows.shoe, one.number))
    return found


@pytest.mark.parametrize("name", BACCARAT)
def test_no_round_is_cleared_in_which_the_judge_finds_anything(name: str) -> None:
    shoes = night(name, 300, seed=11)
    wrong = found_one_by_one(shoes)
    assert len(wrong) > 50
    assert not cleared(shoes, name) & wrong


@pytest.mark.parametrize("name", BACCARAT)
def test_most_rounds_of_an_ordinary_night_are_cleared(name: str) -> None:
    shoes = night(name, 0, seed=12)
    assert len(cleared(shoes, name)) > LEAST_CLEARED * sum(shoe.rounds for shoe in shoes)


@pytest.mark.parametrize("name", BACCARAT)
def test_an_audit_finds_the_same_whether_rounds_are_cleared_or_not(name: str) -> None:
    shoes = night(name, 100, seed=13)
    sheets = {shoe.rows.table_id: shoe.table.sheet for shoe in shoes}
    audited = audit_bucket("run", bucket_of([shoe.rows for shoe in shoes]), sheets)
    in_rounds = {
        row
        for row in audited.batch.findings.select("table_id", "shoe", "round", "code").iter_rows()
        if row[2] is not None and not row[3].startswith(("SHO", "SRC"))
    }
    one_by_one = set()
    tables: dict[str, TableSoFar] = {}
    for shoe in shoes:
        table = tables.setdefault(shoe.rows.table_id, TableSoFar(shoe.table.sheet))
        for one in audit_shoe(shoe.rows, table).rounds:
            key = (shoe.rows.table_id, shoe.rows.shoe, one.number)
            one_by_one |= {(*key, finding.code) for finding in one.findings}
    expected = {row for row in one_by_one if not row[3].startswith(("SHO", "SRC"))}
    assert in_rounds == expected
    judged = audited.batch.rounds
    assert judged.height == sum(shoe.rounds for shoe in shoes)
    assert judged["judged"].all()
