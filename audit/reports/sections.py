"""A report as tables: what every format writes, each in its own way.

The type of a cell says what it is: `int` a count, `Decimal` money, `float` a rate or a confidence,
`datetime` a moment on the table's own clock, `str` stored text, which may be anything.
"""

import shlex
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

from audit.reports.figures import Group, Tally
from audit.reports.formats import SECTION_KEYS
from audit.reports.report import Report
from audit.reports.words import a_night_before

Cell = str | int | float | Decimal | datetime | date | None


@dataclass(frozen=True, slots=True)
class Column:
    key: str
    head: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Section:
    key: str
    title: str
    meaning: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


_COUNTED = (
    Column("rounds", "Rounds judged", "Rounds that were judged"),
    Column("with_errors", "With errors", "Rounds among them in which a violation stands"),
    Column("per_1000", "Per 1,000", "Rounds with errors for each 1,000 rounds judged"),
    Column("low", "From", "The lower end of its 95 % interval (Wilson)"),
    Column("high", "To", "The upper end of its 95 % interval (Wilson)"),
    Column("violations", "Violations", "Violations that stand"),
    Column("to_review", "To review", "Findings whose evidence is not enough to say"),
    Column("given_away", "Given away", "What the house gave away by these violations"),
    Column("short_changed", "Short-changed", "What bettors were short-changed by them"),
    Column("unknown", "Money unknown", "Violations whose money nobody can tell"),
)
_APART = Column(
    "compared",
    "Against the others",
    "more or fewer: differs from all the others together beyond chance, with as many comparisons "
    "taken into account; few rounds: not compared; empty: within what chance explains",
)


def _counted(tally: Tally) -> tuple[Cell, ...]:
    ends = tally.interval
    return (
        tally.rounds,
        tally.with_errors,
        _rate(tally.per_1000),
        _rate(ends.low if ends else None),
        _rate(ends.high if ends else None),
        tally.violations,
        tally.to_review,
        tally.given_away,
        tally.short_changed,
        tally.unknown,
    )


def _rate(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def compared(group: Group) -> str:
    """Say how a group stands against the others."""
    if group.few:
        return "few rounds"
    if group.apart is None:
        return ""
    return "more" if group.apart.more else "fewer"


def sections(report: Report, *, but: Container[str] = ()) -> tuple[Section, ...]:
    """Give the tables of a report, the most important first."""
    return tuple(make(report) for key, make in _SECTIONS.items() if key not in but)


def _totals(report: Report) -> Section:
    total, before = report.total, report.comparison.before
    change = report.comparison.change
    night = a_night_before(report)
    measures: list[tuple[str, str, Cell]] = [
        (column.key, column.meaning, value)
        for column, value in zip(_COUNTED, _counted(total), strict=True)
    ]
    measures += [
        ("unjudged", "Rounds that could not be judged", total.unjudged),
        ("reconstructed", "Rounds judged that had to be reconstructed", total.reconstructed),
        ("untimed", "Rounds without any time, which no period can claim", report.untimed),
        ("nights", "Gaming days of the period that have rounds", report.nights),
        ("before_rounds", "Rounds judged in the 14 days before", before.rounds),
        ("before_with_errors", "Rounds with errors in the 14 days before", before.with_errors),
        ("before_per_1000", "Errors per 1,000 rounds then", _rate(before.per_1000)),
        ("change_low", "Lower end of the 95 % interval of the change per 1,000 (Newcombe)",
         _rate(change.low if change else None)),
        ("change_high", "Upper end of the 95 % interval of the change per 1,000 (Newcombe)",
         _rate(change.high if change else None)),
        ("chance", "How likely chance alone explains the change (Fisher's exact test)",
         round(report.comparison.chance, 4) if change else None),
        ("beyond_chance", "Whether the change is beyond chance",
         "yes" if report.comparison.beyond_chance else "no"),
        ("before_given_away", "Given away on an average night then", night[0] if night else None),
        ("before_short_changed", "Short-changed on an average night then",
         night[1] if night else None),
    ]  # fmt: skip
    return Section(
        "totals",
        "In all",
        "The whole period",
        (
            Column("key", "Key", "The name of the figure"),
            Column("measure", "Measure", "What it is"),
            Column("value", "Value", "The figure"),
        ),
        tuple(measures),
    )


def explain_hint(key: str, database: Path) -> str:
    """Write the command that replays a round; stored names may hold anything."""
    return f"catwalk explain {shlex.quote(key)} --db {shlex.quote(str(database))}"


def _worth(report: Report) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for rank, one in enumerate(report.worth, 1):
        for found in one.findings:
            rows.append(
                (
                    *(rank, one.table_id, one.shoe, one.round, one.at, one.dealer),
                    *(found.code, found.title, found.severity, found.rulebook, found.clause),
                    *(found.where, found.expected, found.observed, found.exposure),
                    *(
                        found.confidence,
                        found.verdict,
                        one.line,
                        explain_hint(one.key, report.database),
                    ),
                )
            )
    return Section(
        "worth_looking",
        "Rounds most worth looking at",
        "By the money at stake, as far as it is sure; violations before findings to review",
        (
            Column("rank", "Rank", "1 is the first to look at"),
            *_WHERE,
            *_WHAT,
            Column("line", "Round", "The round on one line"),
            Column("explain", "Replay", "The command that replays it"),
        ),
        tuple(rows),
    )


_WHERE = (
    Column("table_id", "Table", "The gaming table"),
    Column("shoe", "Shoe", "The shoe"),
    Column("round", "Round no.", "The round; empty if it is about the shoe"),
    Column("ts", "When", "When the round began, on the table's own clock"),
    Column("dealer", "Dealer", "Who dealt"),
)
_WHAT = (
    Column("code", "Code", "What kind of error"),
    Column("title", "Meaning", "What the code means"),
    Column("severity", "Severity", "violation, review (evidence is not enough) or note"),
    Column("rulebook", "Rulebook", "The approved rules"),
    Column("clause", "Clause", "The clause that was broken"),
    Column("where", "Where", "The hand, the bettor and the wager, where it is about one"),
    Column("expected", "Required", "What the rules require"),
    Column("observed", "Seen", "What happened"),
    Column("exposure", "Exposure", "+ the house gave away, - a bettor was short-changed"),
    Column("confidence", "Confidence", "How likely it stands, given how sure the cards are"),
    Column("verdict", "Review", "What the last reviewer said; empty: nobody looked yet"),
)


def _days(report: Report) -> Section:
    return Section(
        "days",
        "Week by week" if report.by_weeks else "Day by day",
        "Gaming days of the period and of the 14 days before it",
        (
            Column("day", "Week of" if report.by_weeks else "Day", "The gaming day"),
            Column("in_period", "In the period", "yes, or no for the days before"),
            *_COUNTED,
        ),
        tuple(
            (step.day, "yes" if step.inside else "no", *_counted(step.tally))
            for step in report.trend
        ),
    )


def _groups(key: str, title: str, meaning: str, column: Column, groups: Iterable[Group]) -> Section:
    return Section(
        key,
        title,
        meaning,
        (column, *_COUNTED, _APART),
        tuple((group.name, *_counted(group.tally), compared(group)) for group in groups),
    )


def _tables(report: Report) -> Section:
    meaning = "Those whose errors are surest first"
    return _groups("tables", "By table", meaning, _WHERE[0], report.by_table)


def _dealers(report: Report) -> Section:
    meaning = (
        "Those whose errors are surest first. Dealers deal different games at different hours: "
        "a rate is a reason to look, not a verdict on a person"
    )
    return _groups("dealers", "By dealer", meaning, _WHERE[4], report.by_dealer)


def _hours(report: Report) -> Section:
    column = Column("hour", "Hour", "The hour on the clock of the table")
    return Section(
        "hours",
        "By hour",
        "On the clock of the table, from the start of the gaming day",
        (column, *_COUNTED),
        tuple((group.name, *_counted(group.tally)) for group in report.by_hour),
    )


def _codes(report: Report) -> Section:
    return Section(
        "codes",
        "By code",
        "Rounds with at least one violation of the code, against all rounds judged",
        (*_WHAT[:2], *_COUNTED),
        tuple((group.name, group.title, *_counted(group.tally)) for group in report.by_code),
    )


def _unjudged(report: Report) -> Section:
    return Section(
        "unjudged",
        "Rounds that could not be judged",
        "Why the rules could not be held against them",
        (
            Column("why", "Why", "The reason"),
            Column("rounds", "Rounds", "How many rounds"),
            Column("tables", "Tables", "At how many tables"),
        ),
        tuple((reason.why, reason.rounds, reason.tables) for reason in report.unjudged),
    )


def _to_review(report: Report) -> Section:
    return Section(
        "to_review",
        "Findings to review",
        "The evidence is not enough to say; their money is in no total",
        (
            *_WHAT[:2],
            Column("findings", "Findings", "How many"),
            Column("given_away", "Given away", "By the house, if they hold; not all can at once"),
            Column("short_changed", "Short-changed", "Bettors, if they hold; not all can at once"),
        ),
        tuple(
            (one.code, one.title, one.findings, one.given_away, one.short_changed)
            for one in report.doubtful
        ),
    )


def _inputs(report: Report) -> Section:
    return Section(
        "inputs",
        "Files",
        "The files of the audits behind this report, and what became of their rows",
        (
            Column("run_id", "Run", "The audit that read it"),
            Column("source", "File", "The file"),
            Column("read", "Rows", "Rows that it has"),
            Column("used", "Used", "Rows that are in a shoe that was audited"),
            Column("left_over", "Left over", "Rows with nothing wrong that were not used"),
            Column("refused", "Refused", "Rows that cannot be used"),
        ),
        tuple(
            (one.run_id, one.source, one.read, one.used, one.left_over, one.refused)
            for one in report.inputs
        ),
    )


def _unused(report: Report) -> Section:
    return Section(
        "unused_rows",
        "Rows that were not used",
        "The most frequent reasons",
        (
            Column("source", "File", "The file"),
            Column("refused", "Kind", "refused: it cannot be used; left over: nothing is wrong"),
            Column("why", "Why", "The reason"),
            Column("rows", "Rows", "How many rows"),
            Column("first_row", "First row", "From 1 below the header; 0 for the whole file"),
        ),
        tuple(
            (
                one.source,
                "refused" if one.refused else "left over",
                one.why,
                one.rows,
                one.first_row,
            )
            for one in report.unused
        ),
    )


def _reviews(report: Report) -> Section:
    state = report.reviewed
    return Section(
        "reviews",
        "Reviews",
        "What people made of the findings of the period, notes apart",
        (
            Column("verdict", "Verdict", "What the last reviewer said"),
            Column("findings", "Findings", "How many"),
        ),
        (
            ("confirmed", state.confirmed),
            ("dismissed", state.dismissed),
            ("open", state.open),
            ("not reviewed", state.unseen),
            ("withdrawn by a later audit", state.withdrawn),
        ),
    )


def _chain(report: Report) -> Section:
    chain = report.reviewed.chain
    return Section(
        "review_chain",
        "The chain of reviews",
        "Keep the last hash with this report: it shows later whether reviews were removed",
        (
            Column("reviews", "Reviews", "How many reviews the database holds"),
            Column("whole", "Whole", "Whether each follows from the one before"),
            Column("why", "Why not", "What is wrong with it"),
            Column("last_hash", "Last hash", "The hash of the last review"),
        ),
        ((chain.reviews, "yes" if chain.whole else "no", chain.why, chain.last_hash),),
    )


def _runs(report: Report) -> Section:
    return Section(
        "runs",
        "Audits",
        "The audits behind this report",
        (
            Column("run_id", "Run", "The same for the same inputs and version"),
            Column("started_at", "Started", "When it was first started"),
            Column("finished_at", "Finished", "When it was first finished; empty: cut short"),
            Column("catwalk_version", "Version", "The version of Catwalk that judged"),
            Column("inputs", "Inputs", "What it was given"),
            Column("rounds", "Rounds", "Rounds that it judged"),
            Column("findings", "Findings", "Findings that it made"),
        ),
        tuple(
            (
                *(run.run_id, run.started_at, run.finished_at, run.catwalk_version),
                *(run.inputs, run.rounds, run.findings),
            )
            for run in report.runs
        ),
    )


_FINDING = (
    Column("finding_id", "Finding", "The same for the same fact, however often it is audited"),
    *_WHERE,
    *(column for column in _WHAT if column.key not in {"title", "where"}),
    Column("hand", "Hand", "The hand, where it is about one"),
    Column("bettor", "Bettor", "The bettor, where it is about one"),
    Column("wager", "Wager", "The kind of wager, where it is about one"),
    Column("evidence", "Evidence", "Cards by seq, wagers and calls by place"),
    Column("line", "Round", "The round on one line"),
)


def _findings(report: Report) -> Section:
    keys = [column.key for column in _FINDING]
    rows = []
    for row in report.findings.select(*keys, "zone").iter_rows(named=True):
        local = row["ts"].astimezone(ZoneInfo(row["zone"]))
        rows.append(tuple(local if key == "ts" else row[key] for key in keys))
    return Section(
        "findings",
        "All findings",
        "Everything that stands in the period, notes included, in the order of time",
        _FINDING,
        tuple(rows),
    )


_SECTIONS: dict[str, Callable[[Report], Section]] = dict(
    zip(
        SECTION_KEYS,
        (
            *(_totals, _worth, _days, _tables, _dealers, _hours, _codes),
            *(_unjudged, _to_review, _inputs, _unused, _reviews, _chain, _runs, _findings),
        ),
        strict=True,
    )
)
