"""The figures of an evaluation: by rank, by suit, by size, certain or not, and as JSON."""

import json
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Group
from rich.table import Table
from rich.text import Text

from vision.cards import RANKS, SUITS
from vision.evaluation import Evaluation, Outcome
from vision.picture_text import SUIT_SIGNS

SIZES = (0.0, 14.0, 18.0, 24.0, 36.0, float("inf"))
SURE = 0.99


@dataclass(frozen=True, slots=True)
class Tally:
    """How many are marked, and how many of them were found and read exactly."""

    marked: int
    found: int
    read: int

    @property
    def cells(self) -> tuple[str, ...]:
        """The figures as they stand in a table."""
        return (
            f"{self.marked:,}",
            _share(self.found, self.marked),
            _share(self.read, self.found),
            _share(self.read, self.marked),
        )


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of an evaluation."""

    marks: str
    pictures: int
    every: Tally
    by_rank: dict[str, Tally]
    by_suit: dict[str, Tally]
    by_height: dict[str, Tally]
    by_condition: dict[str, Tally]
    called_unreadable: int
    false_finds: int
    false_finds_per_picture: float
    sure_false_finds: int
    sure: int
    """How many readings are at least `SURE`."""
    sure_and_right: float
    """The share of these that is right."""
    expected_calibration_error: float
    median_seconds: float
    beside: float | None = None
    """The time for a picture by that of a network run beside it, if one was."""


def figures_of(evaluation: Evaluation, beside_seconds: float | None = None) -> Figures:
    """Count what became of the marks."""
    outcomes = evaluation.outcomes
    trust = evaluation.reliability()
    sure, sure_and_right = trust.at_least(SURE)
    seconds = statistics.median(evaluation.seconds)
    return Figures(
        marks=str(evaluation.marks),
        pictures=evaluation.pictures,
        every=tally(outcomes),
        by_rank=_by(outcomes, RANKS, lambda one: one.truth[0]),
        by_suit=_by(outcomes, SUITS, lambda one: one.truth[1:]),
        by_height=_by(outcomes, [*map(_bucket, SIZES[:-1]), "unknown"], _height_of),
        by_condition=_by_condition(outcomes),
        called_unreadable=sum(one.found and one.answer is None for one in outcomes),
        false_finds=len(evaluation.false_finds),
        false_finds_per_picture=len(evaluation.false_finds) / evaluation.pictures,
        sure_false_finds=sum(one.answer.certainty >= SURE for one in evaluation.false_finds),
        sure=sure,
        sure_and_right=sure_and_right,
        expected_calibration_error=trust.expected_error,
        median_seconds=seconds,
        beside=seconds / beside_seconds if beside_seconds else None,
    )


def tally(outcomes: Sequence[Outcome]) -> Tally:
    """Count marked, found, read."""
    return Tally(
        len(outcomes),
        sum(one.found for one in outcomes),
        sum(one.right for one in outcomes),
    )


def write_json(path: Path, figures: Figures, evaluation: Evaluation) -> None:
    """Write the figures, the calibration and what was missed, misread or falsely found."""
    wrong = [one for one in evaluation.outcomes if not one.right]
    report = {
        **asdict(figures),
        "reliability": [asdict(part) for part in evaluation.reliability().bins],
        "wrong": [asdict(one) for one in wrong],
        "false": [asdict(one) for one in evaluation.false_finds],
    }
    text = json.dumps(_without_nan(report), indent=2, ensure_ascii=False)
    path.write_text(text + "\n", "utf-8")


def page(figures: Figures, evaluation: Evaluation) -> Group:
    """The figures as they are shown on a screen."""
    what = "indexes" if figures.marks == "index" else "cards"
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for name in (what, "found", "read, of found", "read, of all"):
        table.add_column(name, justify="right")
    table.add_row("all", *figures.every.cells, style="bold")
    for heading, part in (
        ("rank", figures.by_rank),
        ("suit", {SUIT_SIGNS[suit]: each for suit, each in figures.by_suit.items()}),
        ("index, px", figures.by_height),
        ("condition", figures.by_condition),
    ):
        if part:
            table.add_row()
            table.add_row(Text(heading, style="dim"))
            for name, each in part.items():
                table.add_row(f"  {name}", *each.cells)
    return Group(table, Text(), _calibration(evaluation), Text(), *_sentences(figures))


def _calibration(evaluation: Evaluation) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("certainty", "readings", "said on average", "right"):
        table.add_column(name, justify="right")
    for part in evaluation.reliability().bins:
        bounds = f"{part.low:g} to {part.high:g}"
        table.add_row(bounds, f"{part.count:,}", f"{part.certainty:.4f}", f"{part.right:.4f}")
    return table


def _sentences(figures: Figures) -> list[Text]:
    said = [
        f"Of {figures.sure:,} readings with {SURE} or more, "
        f"{_percent(figures.sure_and_right)} are right; "
        f"expected calibration error {_percent(figures.expected_calibration_error)}.",
        f"{figures.false_finds:,} false finds in {figures.pictures:,} pictures "
        f"({figures.false_finds_per_picture:.3f} in each), {figures.sure_false_finds:,} of them "
        f"read with {SURE} or more; {figures.called_unreadable:,} found but called not readable.",
        f"{1000 * figures.median_seconds:.0f} ms for a picture"
        + (f", {figures.beside:.2f} times the network beside it" if figures.beside else "")
        + ".",
    ]
    return [Text(sentence) for sentence in said]


def _by(
    outcomes: Sequence[Outcome], names: Sequence[str], name_of: Callable[[Outcome], str]
) -> dict[str, Tally]:
    groups: dict[str, list[Outcome]] = {name: [] for name in names}
    for one in outcomes:
        if name := name_of(one):
            groups[name].append(one)
    return {name: tally(group) for name, group in groups.items() if group}


def _by_condition(outcomes: Sequence[Outcome]) -> dict[str, Tally]:
    names = sorted({name for one in outcomes for name in one.conditions})
    return {name: tally([one for one in outcomes if name in one.conditions]) for name in names}


def _bucket(low: float) -> str:
    high = SIZES[SIZES.index(low) + 1]
    if low == SIZES[0]:
        return f"under {high:g}"
    return f"{low:g} to {high:g}" if high < float("inf") else f"{low:g} and more"


def _height_of(outcome: Outcome) -> str:
    height = outcome.height
    if height is None:
        return "unknown"
    return _bucket(max(size for size in SIZES if size <= height))


def _share(some: int, of: int) -> str:
    return _percent(some / of) if of else "–"


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %" if not math.isnan(share) else "–"


def _without_nan(value: object) -> object:
    """JSON knows no "not a number": a share of nothing is null."""
    if isinstance(value, dict):
        return {key: _without_nan(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value
