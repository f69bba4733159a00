"""How a report puts numbers, times and its main points into words."""

from datetime import date, datetime
from decimal import Decimal

from audit.money import CENT
from audit.reports.figures import Tally
from audit.reports.intervals import Interval
from audit.reports.period import DAYS_BEFORE
from audit.reports.report import Report
from audit.visible import visible

LONGEST_TEXT = 400
"""Characters of stored text that a page shows; the database has the rest."""


def shown(text: str, most: int = LONGEST_TEXT) -> str:
    """Make whatever steers a terminal or turns text around visible, and cut what has no end."""
    if len(text) > most:
        text = text[: most - 1] + "…"
    return visible(text)


def money(amount: Decimal) -> str:
    return f"{amount:,.2f}"


def count(number: int, one: str, many: str = "") -> str:
    """Write a number with its word: 1 round, 2,000 rounds."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def rate(value: float | None) -> str:
    """Write a rate with as many digits as a person compares."""
    if value is None:
        return "–"
    return f"{value:,.2f}" if abs(value) < 10 else f"{value:,.1f}"


def interval(ends: Interval | None) -> str:
    return "–" if ends is None else f"{rate(ends.low)} to {rate(ends.high)}"


def day(value: date) -> str:
    return f"{value:%A} {value.day} {value:%B %Y}"


def short_day(value: date) -> str:
    return f"{value.day} {value:%B %Y}"


def moment(value: datetime) -> str:
    offset = f" {value.isoformat()[-6:]}" if value.tzinfo else ""
    return f"{short_day(value)}, {value:%H:%M}{offset}"


def title(report: Report) -> str:
    """Name the report."""
    scope = report.scope
    if scope.night is not None:
        return f"The night of {day(scope.night)}"
    nights = scope.nights
    if nights is not None:
        return f"The nights of {short_day(nights[0])} to {short_day(nights[1])}"
    if scope.since is None:
        return "No night" if scope.until is None else f"Until {moment(scope.until)}"
    if scope.until is None:
        return f"Since {moment(scope.since)}"
    return f"{moment(scope.since)} to {moment(scope.until)}"


def about(report: Report) -> str:
    """Say which rounds the report is about."""
    scope = report.scope
    parts = []
    if scope.night is not None:
        starts = f"{scope.day_starts:%H:%M}"
        parts.append(f"{starts} to {starts} the next day, on each table's own clock")
    elif report.nights:
        parts.append(f"{count(report.nights, 'gaming day')} with rounds")
    if report.zones:
        parts.append(", ".join(report.zones[:4]) + (" and more" if len(report.zones) > 4 else ""))
    parts.append("tables " + ", ".join(scope.tables) if scope.tables else "all tables")
    if scope.dealers:
        parts.append("dealt by " + ", ".join(scope.dealers))
    return " · ".join(parts)


def _span(report: Report) -> str:
    return "night" if report.scope.night is not None else "period"


def main_points(report: Report) -> tuple[str, ...]:
    """Say in a few sentences what somebody who reads nothing else should know."""
    if report.is_empty:
        return (_nothing(report),)
    total = report.total
    points = [_judged(total), _money(total), against_the_days_before(report)]
    if total.to_review:
        findings = count(total.to_review, "finding still needs", "findings still need")
        points.append(f"{findings} a person to look: the evidence is not enough to say.")
    if total.unjudged:
        points.append(f"{count(total.unjudged, 'round')} could not be judged.")
    refused = sum(one.refused for one in report.inputs)
    if refused:
        points.append(f"{count(refused, 'row')} of the input could not be used.")
    if any(run.finished_at is None for run in report.runs):
        points.append("An audit was cut short: run it again to be sure that nothing is missing.")
    if not report.reviewed.chain.whole:
        points.append(f"The chain of reviews is broken: {report.reviewed.chain.why}.")
    return tuple(points)


def _nothing(report: Report) -> str:
    scope = report.scope
    whom = "".join(
        f" {word} {', '.join(names)}"
        for word, names in (("at", scope.tables), ("dealt by", scope.dealers))
        if names
    )
    if scope.is_last_night:
        return f"The audit database holds no rounds{whom} yet."
    return f"There are no rounds{whom} in this {_span(report)}."


def _judged(total: Tally) -> str:
    if not total.rounds:
        return "No round could be judged."
    if not total.violations:
        return f"{count(total.rounds, 'round')} judged, and no violation stands."
    return (
        f"{count(total.with_errors, 'round')} of {total.rounds:,} judged "
        f"{'has' if total.with_errors == 1 else 'have'} errors: {rate(total.per_1000)} in 1,000 "
        f"(95 % interval {interval(total.interval)}), "
        f"{count(total.violations, 'violation')} in all."
    )


def _money(total: Tally) -> str:
    unknown = (
        f" The money of {count(total.unknown, 'violation')} cannot be told."
        if total.unknown
        else ""
    )
    if not total.given_away and not total.short_changed:
        return "No money went the wrong way, as far as can be told." + unknown
    return (
        f"The house gave away {money(total.given_away)}, "
        f"and bettors were short-changed {money(total.short_changed)}.{unknown}"
    )


def against_the_days_before(report: Report) -> str:
    """Say plainly whether the period differs from the days before beyond chance."""
    comparison = report.comparison
    now, before = report.total.per_1000, comparison.before.per_1000
    span = _span(report)
    if comparison.change is None or now is None or before is None:
        return f"There are no judged rounds in the {DAYS_BEFORE} days before to compare with."
    rates = f"{rate(now)} in 1,000 rounds against {rate(before)} in the {DAYS_BEFORE} days before"
    if not comparison.beyond_chance:
        return f"The {span} does not differ from the days before beyond chance: {rates}."
    which = "more" if comparison.more else "fewer"
    return (
        f"The {span} had {which} errors than the days before, beyond what chance explains: {rates} "
        f"(difference {interval(comparison.change)}, 95 % interval)."
    )


def a_night_before(report: Report) -> tuple[Decimal, Decimal] | None:
    """Give what was given away and short-changed on an average night of the days before."""
    before, nights = report.comparison.before, report.comparison.nights
    if not nights:
        return None
    return (before.given_away / nights).quantize(CENT), (before.short_changed / nights).quantize(
        CENT
    )


def file_name(report: Report) -> str:
    """Name the file of a report after its period."""
    scope = report.scope
    if scope.night is not None:
        return f"catwalk-{scope.night}"
    since, until = scope.nights or (
        scope.since and scope.since.date(),
        scope.until and scope.until.date(),
    )
    parts = ("catwalk", since and f"{since}", until and f"to-{until}")
    return "-".join(part for part in parts if part)
