"""How well the audit does on simulated nights of which the truth is known.

Recall by kind of fault, false alarms on rounds that nothing befell, and how often clause and money
are right. The nights go through the audit as rows, as if they had been read from files.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from audit.batch import Audited, audit_bucket
from audit.findings import Severity
from audit.money import CENT
from audit.simulation.night_faults import Planted
from audit.simulation.nights import NightPlan, SimulatedShoe, simulate_table
from audit.sources.spool import bucket_of
from audit.workers import worker_pool

MOST_SHOWN = 20
"""Rounds that were missed or wrongly accused which are named."""


@dataclass(frozen=True, slots=True)
class Found:
    """A finding, as far as it is compared with the truth."""

    table_id: str
    shoe: str
    round: int | None
    code: str
    severity: str
    clause: str
    exposure: Decimal | None

    def __str__(self) -> str:
        key = f"{self.table_id}/{self.shoe}"
        where = key if self.round is None else f"{key}/{self.round}"
        return f"{where} {self.code} {self.severity}"


@dataclass(slots=True)
class Score:
    """How often a kind of fault was planted, and what was said about it."""

    code: str
    planted: int = 0
    found: int = 0
    clause_right: int = 0
    with_money: int = 0
    money_right: int = 0

    def add(self, other: "Score") -> None:
        self.planted += other.planted
        self.found += other.found
        self.clause_right += other.clause_right
        self.with_money += other.with_money
        self.money_right += other.money_right


@dataclass(slots=True)
class Result:
    rounds: int = 0
    clean: int = 0
    """Rounds that nothing befell."""
    judged: int = 0
    kinds: dict[str, Score] = field(default_factory=dict)
    accused: int = 0
    """Clean rounds, and shoes, in which a violation was found."""
    doubted: int = 0
    """Clean rounds, and shoes, that a person was asked to look at."""
    missed: list[str] = field(default_factory=list)
    false_alarms: list[str] = field(default_factory=list)

    def add(self, other: "Result") -> None:
        """Count in what came out at another table."""
        self.rounds += other.rounds
        self.clean += other.clean
        self.judged += other.judged
        self.accused += other.accused
        self.doubted += other.doubted
        for what, score in other.kinds.items():
            self.kinds.setdefault(what, Score(score.code)).add(score)
        self.missed = [*self.missed, *other.missed][:MOST_SHOWN]
        self.false_alarms = [*self.false_alarms, *other.false_alarms][:MOST_SHOWN]

    def all_kinds(self) -> Score:
        """Add up all kinds of faults."""
        every = Score("")
        for score in self.kinds.values():
            every.add(score)
        return every


def run_benchmark(plan: NightPlan, seed: int, jobs: int) -> Iterator[Result]:
    """Simulate and audit table by table; give what came out at each as it is done."""
    work = [(plan, seed, index) for index in range(plan.tables)]
    if jobs == 1:
        yield from map(audit_table, work)
        return
    with worker_pool(jobs) as pool:
        yield from pool.map(audit_table, work)


def audit_table(work: tuple[NightPlan, int, int]) -> Result:
    """Simulate one table, audit it, and compare."""
    plan, seed, index = work
    shoes = list(simulate_table(plan, seed, index))
    cameras = [
        replace(shoe.rows, cards=shoe.camera, wagers=(), calls=()) for shoe in shoes if shoe.camera
    ]
    sheet = shoes[0].table.sheet
    bucket = bucket_of([shoe.rows for shoe in shoes], cameras)
    return compare(shoes, audit_bucket("benchmark", bucket, {sheet.table: sheet}))


def compare(shoes: Sequence[SimulatedShoe], audited: Audited) -> Result:
    """Hold the findings of some tables against the truth about them."""
    columns = ("table_id", "shoe", "round", "code", "severity", "clause", "exposure")
    found = [Found(*row) for row in audited.batch.findings.select(columns).iter_rows()]
    truth = [planted for shoe in shoes for planted in shoe.truth]
    result = Result(
        rounds=sum(shoe.rounds for shoe in shoes), judged=int(audited.batch.rounds["judged"].sum())
    )
    by_shoe: dict[tuple[str, str], list[Found]] = defaultdict(list)
    for finding in found:
        by_shoe[finding.table_id, finding.shoe].append(finding)
    for planted in truth:
        _score(result, planted, by_shoe[planted.table_id, planted.shoe])
    befallen = {(one.table_id, one.shoe, one.round) for one in truth}
    whole = {(one.table_id, one.shoe, one.code) for one in truth if one.round is None}
    result.clean = result.rounds - sum(key[2] is not None for key in befallen)
    alarms = [
        finding
        for finding in found
        if (finding.table_id, finding.shoe, finding.round) not in befallen
        and (finding.table_id, finding.shoe, finding.code) not in whole
    ]
    _count_alarms(result, alarms)
    return result


def _count_alarms(result: Result, alarms: Sequence[Found]) -> None:
    accused, doubted = (
        {(one.table_id, one.shoe, one.round) for one in alarms if one.severity == severity}
        for severity in (Severity.VIOLATION, Severity.REVIEW)
    )
    result.accused, result.doubted = len(accused), len(doubted - accused)
    wrong = (str(one) for one in alarms if one.severity == Severity.VIOLATION)
    result.false_alarms = list(wrong)[:MOST_SHOWN]


def _score(result: Result, planted: Planted, of_shoe: Sequence[Found]) -> None:
    score = result.kinds.setdefault(planted.what, Score(planted.code))
    score.planted += 1
    in_round = [one for one in of_shoe if planted.round in (None, one.round)]
    same = [one for one in in_round if one.code == planted.code and _is_as_sure(one, planted)]
    if not same:
        key = f"{planted.table_id}/{planted.shoe}/{planted.round or ''}"
        result.missed.append(f"{key} {planted.code} {planted.what}")
        return
    score.found += 1
    score.clause_right += not planted.clauses or any(planted.breaks(one.clause) for one in same)
    if planted.exposure is not None and not planted.clouded:
        cost = sum((one.exposure or Decimal(0) for one in in_round), Decimal(0))
        score.with_money += 1
        score.money_right += cost == planted.exposure * CENT


def _is_as_sure(finding: Found, planted: Planted) -> bool:
    return planted.clouded or finding.severity == planted.severity
