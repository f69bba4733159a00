"""How films among the inputs of an audit are told of: what was read, and where findings show."""

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from audit.addresses import without_secrets
from audit.films import FilmRead, Shown
from audit.summary_page import COLOURS

MOST_SHOWN = 20
"""Findings whose files are listed; the folder has the others."""


def films_page(films: Sequence[FilmRead]) -> Table:
    """List the films that were read, each with what a person should know of it."""
    table = Table(box=None, pad_edge=False, title="Films", title_justify="left")
    table.add_column("film", overflow="fold")
    table.add_column("shoe", overflow="fold")
    for name in ("rounds", "cards", "unsure"):
        table.add_column(name, justify="right")
    table.add_column("to know", overflow="fold", style="yellow")
    for film in films:
        named = "\n".join(escape(without_secrets(part)) for part in film.films)
        counts = (film.rounds, film.cards, film.unsure)
        remarks = escape("\n".join(film.remarks))
        table.add_row(named, escape(film.shoe), *(f"{count:,}" for count in counts), remarks)
    return table


def evidence_page(shown: Sequence[Shown]) -> Table:
    """List the stills and clips that show findings."""
    made = [one for one in shown if one.still or one.clip]
    title = "Seen in the film"
    if len(made) > MOST_SHOWN:
        title += f": the first {MOST_SHOWN} of {len(made):,}"
    table = Table(box=None, pad_edge=False, title=title, title_justify="left")
    for name in ("code", "severity", "round"):
        table.add_column(name, no_wrap=True)
    table.add_column("still and clip", overflow="fold")
    for one in made[:MOST_SHOWN]:
        finding = one.finding
        number = "–" if finding.round is None else str(finding.round)
        files = "\n".join(str(path) for path in (one.still, one.clip) if path)
        table.add_row(
            finding.code,
            Text(finding.severity, style=COLOURS.get(finding.severity, "")),
            escape(f"{finding.table_id}/{finding.shoe}/{number}"),
            escape(files),
        )
    return table


def films_as_json(films: Sequence[FilmRead], shown: Sequence[Shown]) -> dict[str, object]:
    """Give the same for programs."""
    return {
        "films": [
            {
                "films": [without_secrets(film) for film in one.films],
                "log": str(one.log),
                "shoe": one.shoe,
                "rounds": one.rounds,
                "cards": one.cards,
                "unsure": one.unsure,
                "remarks": list(one.remarks),
            }
            for one in films
        ],
        "evidence": [
            {
                "finding_id": one.finding.finding_id,
                "code": one.finding.code,
                "still": str(one.still) if one.still else None,
                "clip": str(one.clip) if one.clip else None,
                "problem": one.problem,
            }
            for one in shown
        ],
    }
