"""Incidents as a person reads them: a block for each, and what they come to."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal

import polars as pl
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from audit.codes import CODES, manual_page
from audit.pages import SEVERITY_STYLE
from audit.queries import IncidentTotals
from audit.visible import visible

_VERDICT_STYLE = {"confirmed": "bold red", "open": "yellow"}


@dataclass(frozen=True, slots=True)
class Incident:
    """A row of `incidents`, as far as it is shown."""

    table_id: str
    shoe: str
    round: int | None
    ts: datetime | None
    dealer: str | None
    code: str
    severity: str
    rulebook: str
    clause: str
    hand: str | None
    bettor: str | None
    wager: str | None
    expected: str
    observed: str
    exposure: Decimal | None
    confidence: float
    verdict: str | None
    line: str | None

    @property
    def key(self) -> str:
        number = "–" if self.round is None else str(self.round)
        return visible(f"{self.table_id}/{self.shoe}/{number}")


def incidents_of(frame: pl.DataFrame) -> list[Incident]:
    """Take the rows of a frame of incidents."""
    names = [field.name for field in fields(Incident)]
    return [Incident(*row) for row in frame.select(names).iter_rows()]


def plain_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Choose what fits on one line for each incident, for a pipe."""
    key = pl.concat_str("table_id", "shoe", pl.col("round").cast(pl.String).fill_null("–"),
                        separator="/")  # fmt: skip
    chosen = ("code", "severity", "clause", "hand", "bettor", "wager", "exposure", "confidence")
    return frame.select(
        "ts", key.alias("round"), *chosen, "verdict", "dealer", "expected", "observed"
    )


def incident_page(found: list[Incident]) -> Group:
    """Show incidents one below the other, each with its round, both sides and its money."""
    parts: list[RenderableType] = []
    for incident in found:
        parts += [_block(incident), Text()]
    return Group(*parts)


@dataclass(frozen=True, slots=True)
class _Barred:
    """Something with a bar in its colour at the left of every line."""

    inside: RenderableType
    style: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        bar = Segment("▌ ", console.get_style(self.style))
        narrower = options.update_width(max(1, options.max_width - 2))
        for line in console.render_lines(self.inside, narrower, pad=False):
            yield bar
            yield from line
            yield Segment.line()


def _block(incident: Incident) -> _Barred:
    known = {str(severity): style for severity, style in SEVERITY_STYLE.items()}
    style = known.get(incident.severity, "bold")
    head = Text.assemble(
        (f"{visible(incident.code)} {visible(incident.severity)}", style),
        "  ",
        (incident.key, "bold"),
        (f"  {_when(incident.ts)}" if incident.ts else "", "dim"),
    )
    first = Table.grid(padding=(0, 1), expand=True)
    first.add_column(ratio=1, overflow="fold")
    first.add_column(justify="right", no_wrap=True)
    first.add_row(head, money_text(incident.exposure))
    first.add_row(_title(incident), _sureness(incident))
    sides = Table.grid(padding=(0, 2))
    sides.add_column(style="dim", no_wrap=True)
    sides.add_column(overflow="fold")
    sides.add_row("required", visible(incident.expected))
    sides.add_row("seen", visible(incident.observed))
    who = _who(incident)
    return _Barred(Group(first, who, sides) if who else Group(first, sides), style)


def _when(moment: datetime) -> str:
    return f"{moment:%a %-d %b %Y %H:%M:%S}"


def _title(incident: Incident) -> Text:
    title = manual_page(incident.code).title if incident.code in CODES else ""
    clause = f"{visible(incident.rulebook)} {visible(incident.clause)}".strip()
    return Text.assemble(title, "  " if title else "", (clause, "dim"))


def _who(incident: Incident) -> Text:
    hand = "the dealer's hand" if incident.hand == "dealer" else incident.hand
    about = [part for part in (incident.bettor, incident.wager, hand) if part]
    shown = Text(visible(" · ".join(about)), style="cyan")
    if incident.dealer:
        shown.append(("  " if about else "") + f"dealer {visible(incident.dealer)}", style="dim")
    return shown


def _sureness(incident: Incident) -> Text:
    shown = Text()
    if incident.confidence < 1:
        shown.append(f"{incident.confidence:.3f} sure", style="yellow")
    if incident.verdict:
        shown.append("  " if shown else "")
        shown.append(visible(incident.verdict), style=_VERDICT_STYLE.get(incident.verdict, ""))
    return shown


def money_text(exposure: Decimal | None) -> Text:
    """Write an exposure: red is what the house gave away, magenta what a bettor lacks."""
    if exposure is None:
        return Text("unknown", style="yellow")
    if not exposure:
        return Text("0.00", style="dim")
    return Text(f"{exposure:+,}", style="bold red" if exposure > 0 else "bold magenta")


def totals_line(totals: IncidentTotals) -> str:
    """Say how many there are, and the money both ways."""
    counted = [
        _counted(totals.violations, "violation", "violations"),
        _counted(totals.to_review, "to review", "to review"),
        _counted(totals.notes, "note", "notes"),
    ]
    said = ", ".join(filter(None, counted)) or "nothing found"
    return f"{said}: {'; '.join(_money(totals))}" if totals.violations else said


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}" if number else ""


def _money(totals: IncidentTotals) -> Iterator[str]:
    """Say what violations came to; the money of a finding in doubt is in doubt itself."""
    yield f"the house gave away {totals.given_away:,}"
    yield f"bettors were short-changed {totals.short_changed:,}"
    if totals.unknown:
        yield f"{totals.unknown:,} of unknown cost"
