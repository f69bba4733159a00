"""A report: the figures of one scope, ready to be written in any format."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from audit.codes import manual_page
from audit.errors import BadInput
from audit.reports.figures import (
    Comparison,
    Doubtful,
    Found,
    Group,
    Step,
    Tally,
    Worth,
    compare,
    held_against_the_rest,
    most_sure_first,
    tallies,
    total_of,
)
from audit.reports.gathering import Gathered, Progress, gather
from audit.reports.period import Scope
from audit.store import ChainCheck

MOST_WORTH = 25
MOST_DAYS = 62
"""A longer trend goes by weeks."""
NOT_KNOWN = "not known"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why some rounds could not be judged."""

    why: str
    rounds: int
    tables: int


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that an audit read, and what became of its rows."""

    run_id: str
    source: str
    read: int
    used: int
    left_over: int
    refused: int


@dataclass(frozen=True, slots=True)
class UnusedRows:
    """Rows of a file that were not used for the same reason."""

    source: str
    refused: bool
    why: str
    rows: int
    first_row: int


@dataclass(frozen=True, slots=True)
class AuditRun:
    run_id: str
    started_at: datetime
    finished_at: datetime | None
    catwalk_version: str
    inputs: str
    rounds: int | None
    findings: int | None


@dataclass(frozen=True, slots=True)
class Reviewed:
    """How far people have come with the findings of the period, notes apart."""

    confirmed: int
    dismissed: int
    open: int
    unseen: int
    withdrawn: int
    chain: ChainCheck


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    database: Path
    """Where the figures are from."""
    scope: Scope
    zones: tuple[str, ...]
    total: Tally
    comparison: Comparison
    by_table: tuple[Group, ...]
    by_dealer: tuple[Group, ...]
    by_hour: tuple[Group, ...]
    by_code: tuple[Group, ...]
    trend: tuple[Step, ...]
    by_weeks: bool
    worth: tuple[Worth, ...]
    unjudged: tuple[Reason, ...]
    untimed: int
    doubtful: tuple[Doubtful, ...]
    inputs: tuple[InputFile, ...]
    unused: tuple[UnusedRows, ...]
    runs: tuple[AuditRun, ...]
    reviewed: Reviewed
    findings: pl.DataFrame
    """Everything that stands in the period, notes included."""

    nights: int
    """How many gaming days of the period have rounds."""

    @property
    def is_empty(self) -> bool:
        return not (self.total.rounds or self.total.unjudged or self.findings.height)


def build_report(path: Path, scope: Scope, progress: Progress = lambda _: None) -> Report:
    """Make the report of a night or a period."""
    gathered = gather(path, scope, progress)
    progress("Working out the figures")
    return _report(path, gathered)


def _report(path: Path, gathered: Gathered) -> Report:
    rounds, found = (frame.filter("inside") for frame in (gathered.rounds, gathered.findings))
    rounds_before, found_before = (
        frame.filter(~pl.col("inside")) for frame in (gathered.rounds, gathered.findings)
    )
    total = total_of(rounds, found)
    before = total_of(rounds_before, found_before)
    trend, by_weeks = _trend(gathered)
    return Report(
        database=path,
        scope=gathered.scope,
        zones=tuple(sorted({clock.zone for clock in gathered.clocks})),
        total=total,
        comparison=compare(total, before, rounds_before["day"].n_unique()),
        by_table=most_sure_first(held_against_the_rest(_groups(rounds, found, "table_id"))),
        by_dealer=most_sure_first(held_against_the_rest(_groups(rounds, found, "dealer"))),
        by_hour=_by_hour(rounds, found, gathered.scope),
        by_code=_by_code(total, found),
        trend=trend,
        by_weeks=by_weeks,
        worth=_worth(found),
        unjudged=tuple(Reason(*row) for row in gathered.unjudged.iter_rows()),
        untimed=gathered.untimed,
        doubtful=_doubtful(found),
        inputs=tuple(InputFile(*row) for row in gathered.inputs.iter_rows()),
        unused=tuple(UnusedRows(*row) for row in gathered.unused.iter_rows()),
        runs=tuple(AuditRun(*row) for row in gathered.runs.iter_rows()),
        reviewed=_reviewed(gathered),
        findings=found,
        nights=rounds["day"].n_unique(),
    )


def title_of(code: str) -> str:
    """Say what a code means; a later Catwalk may have stored one that is not known here."""
    try:
        return manual_page(code).title
    except BadInput:
        return ""


def _groups(rounds: pl.DataFrame, found: pl.DataFrame, key: str) -> list[Group]:
    return [
        Group(NOT_KNOWN if name is None else str(name), tally, known=name is not None)
        for (name,), tally in tallies(rounds, found, key).items()
    ]


def _by_hour(rounds: pl.DataFrame, found: pl.DataFrame, scope: Scope) -> tuple[Group, ...]:
    """Go through the hours in the order of a gaming day."""
    counted = {int(str(hour)): tally for (hour,), tally in tallies(rounds, found, "hour").items()}
    first = scope.day_starts.hour
    return tuple(
        Group(f"{hour:02}:00", counted[hour])
        for hour in sorted(counted, key=lambda hour: (hour - first) % 24)
    )


def _by_code(total: Tally, found: pl.DataFrame) -> tuple[Group, ...]:
    """Count each code against all rounds that were judged; notes are no errors."""
    told = found.filter(pl.col("severity") != "note")
    nothing = pl.DataFrame(
        schema={
            "code": pl.String,
            "rounds": pl.Int64,
            "judged": pl.Int64,
            "reconstructed": pl.Int64,
        }
    )
    groups = []
    for (code,), tally in tallies(nothing, told, "code").items():
        groups.append(Group(str(code), replace(tally, rounds=total.rounds), title_of(str(code))))
    return tuple(
        sorted(groups, key=lambda one: (-one.tally.violations, -one.tally.to_review, one.name))
    )


def _trend(gathered: Gathered) -> tuple[tuple[Step, ...], bool]:
    """Count day by day, or week by week from Monday where there are very many days."""
    rounds, found = gathered.rounds, gathered.findings
    by_weeks = rounds["day"].n_unique() > MOST_DAYS
    if by_weeks:
        week = pl.col("day").dt.truncate("1w")
        rounds, found = rounds.with_columns(week), found.with_columns(week)
    steps = []
    for (day, inside), tally in tallies(rounds, found, "day", "inside").items():
        if isinstance(day, date):
            steps.append(Step(day, bool(inside), tally))
    return tuple(sorted(steps, key=lambda step: (step.day, step.inside))), by_weeks


ROUND = ("table_id", "shoe", "round")


def _worth(found: pl.DataFrame) -> tuple[Worth, ...]:
    """Rank rounds by the money that is at stake, each amount as far as it is sure.

    Of the same money, violations come before what has to be reviewed, unknown amounts before none,
    the surer before the less sure.
    """
    cents = (pl.col("exposure").abs() * 100).cast(pl.Int128)
    sureness = (pl.col("confidence") * 1000).round().cast(pl.Int128)
    ranked = (
        found.filter(pl.col("severity") != "note")
        .group_by(ROUND)
        .agg(
            money=(cents * sureness).fill_null(0).sum(),
            violations=(pl.col("severity") == "violation").sum(),
            unknown=pl.col("exposure").is_null().sum(),
            sure=pl.col("confidence").max(),
            ts=pl.col("ts").min(),
        )
        .sort(
            ["money", "violations", "unknown", "sure", "ts", *ROUND],
            descending=[True, True, True, True, *[False] * 4],
        )
        .head(MOST_WORTH)
    )
    told = found.filter(pl.col("severity") != "note")
    return tuple(
        _one_worth(
            told.filter(
                pl.col(name).eq_missing(pl.lit(value, dtype=told.schema[name]))
                for name, value in zip(ROUND, row, strict=True)
            )
        )
        for row in ranked.select(ROUND).iter_rows()
    )


def _one_worth(found: pl.DataFrame) -> Worth:
    first = found.row(0, named=True)
    findings = sorted((_found(row) for row in found.iter_rows(named=True)), key=_weight)
    sure = [one.exposure for one in findings if one.severity == "violation"]
    nothing = Decimal("0.00")
    return Worth(
        table_id=first["table_id"],
        shoe=first["shoe"],
        round=first["round"],
        at=first["ts"].astimezone(ZoneInfo(first["zone"])),
        dealer=first["dealer"] or NOT_KNOWN,
        line=first["line"] or "",
        given_away=sum((amount for amount in sure if amount and amount > 0), nothing),
        short_changed=-sum((amount for amount in sure if amount and amount < 0), nothing) + nothing,
        unknown=sum(amount is None for amount in sure),
        in_doubt=max(
            (abs(one.exposure or nothing) for one in findings if one.severity == "review"),
            default=nothing,
        ),
        findings=tuple(findings),
    )


def _weight(found: Found) -> tuple[bool, Decimal, float, str]:
    amount = abs(found.exposure or Decimal(0)) * Decimal(str(found.confidence))
    return found.severity != "violation", -amount, -found.confidence, found.code


def _found(row: Mapping[str, Any]) -> Found:
    where = " ".join(row[name] for name in ("hand", "bettor", "wager") if row[name])
    return Found(
        code=row["code"],
        title=title_of(row["code"]),
        severity=row["severity"],
        rulebook=row["rulebook"],
        clause=row["clause"],
        where=where,
        expected=row["expected"],
        observed=row["observed"],
        exposure=row["exposure"],
        confidence=row["confidence"],
        verdict=row["verdict"] or "",
    )


def _doubtful(found: pl.DataFrame) -> tuple[Doubtful, ...]:
    amount = pl.col("exposure")
    counted = (
        found.filter(pl.col("severity") == "review")
        .group_by("code")
        .agg(
            findings=pl.len(),
            given_away=amount.filter(amount > 0).sum(),
            short_changed=amount.filter(amount < 0).sum().neg(),
        )
        .sort(["findings", "code"], descending=[True, False])
    )
    return tuple(
        Doubtful(row["code"], title_of(row["code"]), *list(row.values())[1:])
        for row in counted.iter_rows(named=True)
    )


def _reviewed(gathered: Gathered) -> Reviewed:
    def count(verdict: str) -> int:
        of_it = (pl.col("verdict") == verdict) & ~pl.col("withdrawn")
        return int(gathered.verdicts.filter(of_it)["findings"].sum())

    return Reviewed(
        confirmed=count("confirmed"),
        dismissed=count("dismissed"),
        open=count("open"),
        unseen=count(""),
        withdrawn=int(gathered.verdicts.filter("withdrawn")["findings"].sum()),
        chain=gathered.chain,
    )
