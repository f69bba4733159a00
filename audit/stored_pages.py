"""A stored round as a person reads it: cards, steps, money, findings, reviews, the shoe around."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from decimal import Decimal

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from audit.card_pictures import CardPictures
from audit.errors import BadInput, CatwalkError
from audit.examples import Example
from audit.findings import Finding, Severity
from audit.hands import Place
from audit.judge import judge_round
from audit.notation import format_counted_anew
from audit.pages import SEVERITY_STYLE, card_text, exposure_words, settled_table, steps_table
from audit.replay import Replay, replay
from audit.rounds import Round
from audit.store import Review
from audit.stored_rounds import CardOfShoe, Neighbour, StoredFinding, StoredRound
from audit.visible import visible

WHOLE_SHOE_FAMILIES = ("SHO", "SRC")
"""Families whose findings rest on more than one round: they are not judged afresh here."""
_CARDS_OF_EVIDENCE = re.compile(r"cards ([0-9 ]+)", re.ASCII)
_OUT_OF_PLAY = (str(Place.BURN), str(Place.DISCARD))
_VERDICT_STYLE = {"confirmed": "red", "dismissed": "green", "open": "yellow"}


@dataclass(frozen=True, slots=True)
class Judgement:
    """A stored round judged afresh, beside what is stored of it."""

    played: Replay | None
    """None: it cannot be judged, and `trouble` says why."""
    trouble: str
    only_stored: frozenset[str]
    """Ids of stored findings that are not found today."""
    only_fresh: tuple[Finding, ...]
    """What is found today and not stored in the same words."""

    @property
    def differs(self) -> bool:
        return bool(self.only_stored or self.only_fresh)


def judge_afresh(stored: StoredRound) -> Judgement:
    """Judge a stored round by the program as it is now, and compare."""
    if stored.round is None or stored.book is None or stored.sheet is None:
        return Judgement(None, stored.trouble, frozenset(), ())
    try:
        findings = judge_round(stored.round, stored.book, stored.sheet)
        shown = Example(with_visible_names(stored.round), stored.book, stored.sheet)
        played = replay(shown)
    except CatwalkError as problem:
        return Judgement(None, visible(str(problem)), frozenset(), ())
    if not stored.row.judged or stored.row.reconstructed:
        # What was reconstructed was judged in every placement of its cards, of which one is stored.
        return Judgement(played, "", frozenset(), ())
    told = {_facts_of_stored(f): f for f in stored.findings if not f.withdrawn}
    fresh = {_facts_of_fresh(f): f for f in findings}
    return Judgement(
        played,
        "",
        frozenset(f.finding_id for facts, f in told.items() if _is_missing(f.code, facts, fresh)),
        tuple(f for facts, f in fresh.items() if _is_missing(f.code, facts, told)),
    )


_Facts = tuple[str, ...]


def _is_missing(code: str, facts: _Facts, among: Iterable[_Facts]) -> bool:
    return not code.startswith(WHOLE_SHOE_FAMILIES) and facts not in among


def _facts_of_stored(finding: StoredFinding) -> _Facts:
    where = (finding.hand, finding.bettor, finding.wager)
    what = (finding.clause, finding.expected, finding.observed, _money(finding.exposure))
    return finding.code, finding.rulebook, *where, *what


def _facts_of_fresh(finding: Finding) -> _Facts:
    where = (str(finding.hand or ""), finding.bettor, str(finding.wager or ""))
    what = (finding.clause, finding.expected, finding.observed, _money(finding.exposure))
    return finding.code, finding.rulebook, *where, *what


def _money(exposure: Decimal | None) -> str:
    return "" if exposure is None else f"{exposure:.2f}"


def with_visible_names(played: Round) -> Round:
    """Write the names and values of a round so that they cannot steer a terminal."""
    around = played.around
    let_through = frozenset(map(visible, around.let_through_under_minimum))
    return replace(
        played,
        wagers=tuple(
            replace(
                wager,
                bettor=visible(wager.bettor),
                on_behalf_of=visible(wager.on_behalf_of) if wager.on_behalf_of else None,
            )
            for wager in played.wagers
        ),
        calls=tuple(
            replace(call, bettor=visible(call.bettor), value=visible(call.value))
            for call in played.calls
        ),
        around=replace(around, let_through_under_minimum=let_through),
    )


def stored_round_page(stored: StoredRound, judgement: Judgement) -> Group:
    """Show everything that is known of a stored round."""
    parts: list[RenderableType] = [_heading(stored)]
    if stored.cards:
        game = stored.book.game if stored.book else None
        parts += [Text(), CardPictures(stored.cards, game, _marked(stored.findings))]
    if judgement.played is not None:
        parts.append(steps_table(judgement.played.steps))
        if judgement.played.settled:
            parts.append(settled_table(judgement.played.settled))
    elif judgement.trouble:
        parts += [Text(), Text(f"It cannot be replayed: {judgement.trouble}", style="yellow")]
    parts += [Text("Findings", style="bold"), *_findings(stored, judgement)]
    parts += [Text(), Text("The shoe around it", style="bold")]
    parts.append(Padding(_shoe_around(stored), (0, 0, 0, 2)))
    return Group(*parts)


def _heading(stored: StoredRound) -> Group:
    row = stored.row
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row("began", moment_words(row.ts, stored.zone) if row.ts else "not known")
    grid.add_row("dealer", visible(row.dealer) or "not known")
    grid.add_row("rules", _rules(stored))
    grid.add_row("judged", _judged(stored))
    if row.outcome:
        grid.add_row("outcome", visible(row.outcome))
    for footage in stored.footage:
        span = f"{clock(footage.from_s)} to {clock(footage.to_s)}"
        grid.add_row("footage", f"{visible(footage.file)}, {span}")
    if line := line_of(stored):
        grid.add_row("line", line)
    return Group(Text(f"Round {visible(str(stored.key))}", style="bold"), grid)


def _rules(stored: StoredRound) -> str:
    judged_by = visible(stored.row.rulebook)
    if stored.book is None:
        return judged_by or "not known"
    named = f"{stored.book.title} ({stored.book.id})"
    if judged_by and judged_by != stored.book.id:
        return f"{named}; when it was stored, {judged_by}"
    return named


def _judged(stored: StoredRound) -> Text:
    if not stored.row.judged:
        why = visible(stored.row.unjudged) or "no reason is stored"
        return Text(f"no: {why}", style="yellow")
    said = "yes"
    if stored.row.reconstructed:
        said += "; its number or its hands were reconstructed from the order of the cards"
    return Text(said)


def line_of(stored: StoredRound) -> str:
    """Write the round on its line, or nothing where a name in it cannot stand there."""
    if stored.round is None:
        return ""
    try:
        return format_counted_anew(with_visible_names(stored.round))
    except BadInput:
        return ""


def moment_words(moment: datetime, zone: tzinfo) -> str:
    """Say a moment on the clock of a table."""
    return f"{moment.astimezone(zone):%a %-d %B %Y, %H:%M:%S} ({zone})"


def clock(seconds: float) -> str:
    """Write seconds of footage as 1:02:03.4, as players show them."""
    minutes, left = divmod(round(seconds, 1), 60)
    hours, minutes = divmod(int(minutes), 60)
    return f"{hours}:{minutes:02}:{left:04.1f}" if hours else f"{minutes}:{left:04.1f}"


def _marked(findings: Iterable[StoredFinding]) -> dict[int, str]:
    """Frame the cards that standing findings rest on, in the colour of the gravest."""
    marked: dict[int, str] = {}
    for severity in reversed(Severity):
        for finding in findings:
            rests_on = _CARDS_OF_EVIDENCE.search(finding.evidence)
            if finding.stands and finding.severity == severity and rests_on:
                style = SEVERITY_STYLE[severity]
                marked.update(dict.fromkeys(map(int, rests_on[1].split()), style))
    return marked


# Findings


def _findings(stored: StoredRound, judgement: Judgement) -> Iterator[RenderableType]:
    if not stored.findings:
        if stored.row.judged:
            yield Text("✓ nothing is stored against this round", style="green")
        else:
            yield Text("nothing is stored, since it was not judged", style="yellow")
    for finding in stored.findings:
        yield from _finding(stored, finding, judgement)
    for fresh in judgement.only_fresh:
        where = " ".join(str(part) for part in (fresh.hand, fresh.bettor, fresh.wager) if part)
        found = f"{fresh.code} {fresh.severity}, clause {fresh.clause or '–'}, {where}"
        yield Text(
            f"judged today: {visible(found)}: {visible(fresh.expected)}; {visible(fresh.observed)};"
            f" exposure {exposure_words(fresh.exposure)}",
            style="yellow",
        )
    if judgement.differs:
        yield Text(
            "What is stored and what is found today differ: it was stored by an earlier version, "
            "or by another table sheet. `catwalk audit` brings it up to date.",
            style="yellow",
        )


def _finding(
    stored: StoredRound, finding: StoredFinding, judgement: Judgement
) -> Iterator[RenderableType]:
    where = " ".join(filter(None, (finding.hand, finding.bettor, finding.wager)))
    head = Text.assemble(
        (f"{visible(finding.code)} {visible(finding.severity)}", _style(finding)),
        f"  clause {visible(finding.clause) or '–'}",
        f"  {visible(where)}" if where else "",
        (_state(finding), "bold green"),
    )
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row("required", visible(finding.expected))
    grid.add_row("seen", visible(finding.observed))
    grid.add_row("exposure", exposure_words(finding.exposure))
    grid.add_row("confidence", f"{finding.confidence:.3f}")
    grid.add_row("evidence", visible(finding.evidence) or "the round as a whole")
    grid.add_row("id", visible(finding.finding_id))
    if finding.finding_id in judgement.only_stored:
        grid.add_row("", Text("judged today, it does not come out like this", style="yellow"))
    for review in finding.reviews:
        grid.add_row("review", _review(review, stored.zone))
    yield head
    yield Padding(grid, (0, 0, 0, 2))


def _state(finding: StoredFinding) -> str:
    if finding.withdrawn:
        return "  withdrawn: a later audit no longer finds it"
    return "" if finding.stands else "  dismissed"


def _style(finding: StoredFinding) -> str:
    known = {str(severity): style for severity, style in SEVERITY_STYLE.items()}
    return known.get(finding.severity, "bold") if finding.stands else "dim"


def _review(review: Review, zone: tzinfo) -> Text:
    return Text.assemble(
        (visible(review.verdict), _VERDICT_STYLE.get(review.verdict, "")),
        f" by {visible(review.reviewer)}, {moment_words(review.at_ts, zone)}: ",
        visible(review.reason),
    )


# The shoe


def _shoe_around(stored: StoredRound) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("cards before", _cards(stored.before, "none: it is the first of its shoe"))
    table.add_row(*_neighbour(stored.previous, "round before"))
    table.add_row(*_neighbour(stored.next, "round after"))
    table.add_row("cards after", _cards(stored.after, "none that is stored"))
    return table


def _cards(cards: Sequence[CardOfShoe], none: str) -> Text:
    if not cards:
        return Text(none, style="dim")
    shown = Text()
    for card in cards:
        shown.append("  " if shown else "")
        shown.append(f"#{card.seq} ", style="dim")
        shown.append_text(card_text(card.card))
        shown.append(f" {card.hand}" if card.hand in _OUT_OF_PLAY else "")
    return shown


def _neighbour(neighbour: Neighbour | None, name: str) -> tuple[str, Text]:
    if neighbour is None:
        return name, Text("none", style="dim")
    shown = Text(f"{neighbour.number}: {neighbour.line}")
    if neighbour.outcome:
        shown.append(f"  {visible(neighbour.outcome)}", style="dim")
    if neighbour.standing:
        word = "finding" if neighbour.standing == 1 else "findings"
        shown.append(f"  {neighbour.standing} {word}", style="bold yellow")
    return name, shown
