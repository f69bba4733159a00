"""A shoe from its rows to its findings, when the clock, the hands or the numbers are in doubt."""

from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

import pytest

from audit.findings import Severity
from audit.rulebook_files import all_rulebooks
from audit.shoe_audit import TableSoFar, audit_shoe
from audit.shoe_rows import ShoeRows
from audit.simulation.nights import NightPlan, SimulatedShoe, simulate_night

HOUR = timedelta(hours=1)


def shoes(name: str, *, faults: float = 0) -> list[SimulatedShoe]:
    plan = NightPlan(rulebooks=(name,), tables=1, rounds=60, faults=faults)
    return list(simulate_night(plan, 3))


def clock_set_back(rows: ShoeRows, at: datetime) -> ShoeRows:
    """Tell every time after a moment as an hour less, in all logs."""

    def told(moment: datetime | None) -> datetime | None:
        return moment if moment is None or moment <= at else moment - HOUR

    def told_for_certain(moment: datetime) -> datetime:
        return moment if moment <= at else moment - HOUR

    return replace(
        rows,
        cards=tuple(replace(row, ts=told_for_certain(row.ts)) for row in rows.cards),
        calls=tuple(replace(row, ts=told_for_certain(row.ts)) for row in rows.calls),
        wagers=tuple(
            replace(row, placed_at=told(row.placed_at), settled_at=told(row.settled_at))
            for row in rows.wagers
        ),
    )


@pytest.mark.parametrize("name", all_rulebooks())
def test_a_clock_that_is_set_back_accuses_nobody(name: str) -> None:
    rng = Random(name)  # noqa: S311
    for shoe in shoes(name):
        for _ in range(3):
            at = rng.choice(shoe.rows.cards).ts
            audited = audit_shoe(clock_set_back(shoe.rows, at), TableSoFar(shoe.table.sheet))
            wrong = [
                (one.number, finding.code, finding.observed)
                for one in audited.rounds
                for finding in one.findings
                if finding.severity is Severity.VIOLATION
            ]
            assert not wrong
            assert all(
                found.finding.severity is not Severity.VIOLATION for found in audited.findings
            )


def test_what_is_wrong_elsewhere_in_the_shoe_stays_a_violation() -> None:
    shoe = next(shoe for shoe in shoes("mbs-blackjack-v6", faults=200) if len(shoe.truth) > 3)
    before = audit_shoe(shoe.rows, TableSoFar(shoe.table.sheet))
    wrong = [
        one.number
        for one in before.rounds
        if any(finding.severity is Severity.VIOLATION for finding in one.findings)
    ]
    middle = wrong[len(wrong) // 2]
    at = [row.ts for row in shoe.rows.cards if row.round == middle][2]
    after = audit_shoe(clock_set_back(shoe.rows, at), TableSoFar(shoe.table.sheet))
    severities = {
        one.number: {finding.severity for finding in one.findings} for one in after.rounds
    }
    assert Severity.VIOLATION not in severities[middle]
    assert Severity.REVIEW in severities[middle]
    assert Severity.VIOLATION in severities[wrong[0]]
