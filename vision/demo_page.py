"""What `catwalk demo` prints: a row for each clip, and a line for each thing that was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from vision.footage_truth import together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from vision.demo_clips import Found, ShownClip

GOOD, BAD, DOUBT = "green", "bold red", "yellow"


def demo_page(clips: Sequence[ShownClip], took_s: float) -> RenderableType:
    """Show all clips with what was found against the truth."""
    return Group(_clips(clips), Text(), _found(clips), Text(), _sum(clips, took_s))


def _clips(clips: Sequence[ShownClip]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("clip")
    for name in ("rounds right", "cards right", "× real time"):
        table.add_column(name, justify="right")
    table.add_column("to be found")
    table.add_column("found")
    for one in clips:
        compared = one.read.compared
        table.add_row(
            one.read.known.name,
            _of(compared.rounds_right, compared.rounds),
            _of(compared.right, compared.dealt),
            f"{one.read.times_real_time:.1f}",
            ", ".join(known.code for known in one.read.known.findings) or "nothing",
            _verdict(one),
        )
    return table


def _of(right: int, whole: int) -> Text:
    return Text(f"{right} of {whole}", GOOD if right == whole else DOUBT)


def _verdict(one: ShownClip) -> Text:
    if one.is_as_expected:
        text = Text("✓ all of it" if one.read.known.findings else "✓ nothing", GOOD)
        if one.to_look_at:
            text.append(f", {len(one.to_look_at)} more to look at", DOUBT)
        return text
    told = [f"not {known.code} in round {known.round}" for known in one.missing]
    told += [
        f"{each.known.code} in round {each.known.round}, which nobody did"
        for each in one.not_expected
    ]
    return Text("✗ " + "; ".join(told), BAD)


def _found(clips: Sequence[ShownClip]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("table", "round", "code", "what the rules ask for, and what was seen"):
        table.add_column(name, justify="right" if name == "round" else "left")
    for one in clips:
        for each in sorted((*one.as_expected, *one.not_expected), key=lambda each: each.known):
            style = BAD if each in one.not_expected else ""
            table.add_row(
                each.table_id, str(each.known.round), each.known.code, _told(each), style=style
            )
    return table


def _told(each: Found) -> Text:
    asked = each.expected.split("; failing that")[0]
    text = Text(f"{asked}; seen: {each.observed}")
    if each.still is not None:
        text.append(f"\n{each.still}", "dim")
    return text


def _sum(clips: Sequence[ShownClip], took_s: float) -> Text:
    whole = together(one.read.compared for one in clips)
    film_s = sum(one.read.known.length_s for one in clips)
    right = sum(one.is_as_expected for one in clips)
    text = Text(
        f"{len(clips)} clips, {film_s:.0f} s of film in {took_s:.0f} s: {whole.right} of "
        f"{whole.dealt} cards and {whole.rounds_right} of {whole.rounds} rounds read right; "
    )
    text.append(
        f"{right} of {len(clips)} clips audited as they should be.",
        GOOD if right == len(clips) else BAD,
    )
    return text
