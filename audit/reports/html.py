"""A report as one self-contained page: no script, nothing from elsewhere, light and dark, A4.

Stored text is hostile until shown otherwise: everything is escaped, control characters are made
visible, and the page forbids itself any script by its own policy.
"""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from audit.reports import charts, words
from audit.reports.figures import FEW_ROUNDS, Group
from audit.reports.markdown import LEFT_OUT, plain
from audit.reports.period import DAYS_BEFORE
from audit.reports.report import Report
from audit.reports.sections import compared, explain_hint, sections

FIRST_SHOWN, FINDINGS_SHOWN = 6, 3
"""Rounds, and findings of each, that are open on the page; the others unfold."""
ROWS_SHOWN = 16


def _harmless(value: object) -> object:
    """Make control characters of anything that is printed visible."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return words.shown(value, most=10 * words.LONGEST_TEXT)
    return value


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("audit.reports", "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        cell=plain,
        money=words.money,
        rate=words.rate,
        interval=words.interval,
        shown=words.shown,
        moment=words.moment,
        compared=compared,
        is_text=lambda value: isinstance(value, str),
    )
    return environment.get_template("report.html.jinja")


def to_html(report: Report) -> str:
    """Write a report as a page."""
    by_key = {section.key: section for section in sections(report, but=LEFT_OUT)}
    overall = report.total.per_1000

    def top(groups: tuple[Group, ...]) -> float:
        return charts.top_of((group.tally for group in groups), fewest=FEW_ROUNDS)

    return _template().render(
        report=report,
        total=report.total,
        comparison=report.comparison,
        title=words.title(report),
        about=words.about(report),
        points=words.main_points(report),
        against=words.against_the_days_before(report),
        night_before=words.a_night_before(report),
        sections=by_key,
        overall=overall,
        charts=charts,
        top=top,
        money_top=lambda groups: charts.money_top(group.tally for group in groups),
        hint=lambda one: explain_hint(one.key, report.database),
        count=words.count,
        few_rounds=FEW_ROUNDS,
        days_before=DAYS_BEFORE,
        first_shown=FIRST_SHOWN,
        findings_shown=FINDINGS_SHOWN,
        rows_shown=ROWS_SHOWN,
    )
