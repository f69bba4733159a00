"""Stills and clips of what was found in a film, and stills of rounds as they were read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from vision.card_log import read_log
from vision.evidence import (
    BadEvidence,
    EvidenceWanted,
    NoPicture,
    clearest_frame,
    evidence_for,
    safe_name,
    write_still,
)
from vision.evidence_still import Caption, CardMark, Marks, draw_still
from vision.footage import open_footage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from audit.films import FilmedCard, FilmedFinding
    from vision.card_log import LogRow
    from vision.filmed_table import FilmedTable

BEFORE_S: Final = 2.5
AFTER_S: Final = 3.0
"""Seconds that a clip shows before the first card of a round and after the last was seen."""
LONGEST_S: Final = 40.0
_SETTLED_S: Final = 0.4  # after a card was first read, the hand that laid it is away
_LOOK_S: Final = 3.0  # so long a moment is looked for at which nothing is over the cards


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """The files of a finding, or why there are none."""

    finding_id: str
    still: Path | None
    clip: Path | None
    problem: str | None = None


def show_findings(
    findings: Sequence[FilmedFinding],
    films: Mapping[str, Path],
    log: Path,
    table: FilmedTable,
    folder: Path,
) -> Iterator[ShownFinding]:
    """Cut a still and a clip of each finding from the film that shows it.

    `films` are the files by the names that the log calls them.
    """
    rows = _Rows(read_log(log))
    by_film: dict[str, list[EvidenceWanted]] = {}
    for finding in findings:
        name = finding.cards[0].footage
        seen = rows.of(card for card in finding.cards if card.footage == name)
        if name not in films or not seen:
            why = f"{name} is not among the films that were read"
            yield ShownFinding(finding.finding_id, None, None, why)
        else:
            by_film.setdefault(name, []).append(_wanted(finding, seen))
    for name, wanted in by_film.items():
        source = films[name]
        zones = table.zones.scaled_to(open_footage(source).size).polygons
        in_order = sorted(wanted, key=lambda each: each.still_s)
        for made in evidence_for(source, in_order, folder, zones):
            clip = made.clip.path if made.clip else None
            yield ShownFinding(made.finding_id, made.still, clip, made.problem)


class _Rows:
    """The rows of a log, found by when a card was read: a shoe's own log numbers them otherwise."""

    def __init__(self, rows: Iterable[LogRow]) -> None:
        self._read_at: dict[tuple[str, float], list[LogRow]] = {}
        for row in rows:
            self._read_at.setdefault((row.footage, round(row.at_s, 3)), []).append(row)

    def of(self, cards: Iterable[FilmedCard]) -> list[tuple[LogRow, bool]]:
        """The row of each card, and whether the finding is about it; no row stands for two."""
        taken: set[int] = set()
        seen: list[tuple[LogRow, bool]] = []
        for card in cards:
            read = self._read_at.get((card.footage, round(card.at_s, 3)), [])
            free = [row for row in read if row.seq not in taken]
            if free:
                own = max(free, key=lambda row: (row.card == card.card) + (row.hand == card.hand))
                taken.add(own.seq)
                seen.append((own, card.concerned))
        return seen


def _wanted(finding: FilmedFinding, seen: Sequence[tuple[LogRow, bool]]) -> EvidenceWanted:
    rows = [row for row, _ in seen]
    start_s = max(0.0, min(row.laid_s for row in rows) - BEFORE_S)
    end_s = max(row.gone_s for row in rows) + AFTER_S
    if end_s - start_s > LONGEST_S:
        meant = [row for row, concerned in seen if concerned] or rows
        start_s = max(0.0, min(row.at_s for row in meant) - BEFORE_S)
        end_s = start_s + LONGEST_S
    of_round = sorted(row.seq for row in rows) if finding.round is not None else []
    orders = {seq: number for number, seq in enumerate(of_round, 1)}
    return EvidenceWanted(
        finding.finding_id,
        round(start_s, 3),
        round(end_s, 3),
        still_seconds(rows),
        tuple(
            CardMark(row.card, row.confidence, row.box, concerned, orders.get(row.seq))
            for row, concerned in seen
        ),
        Caption(
            table=finding.table_id,
            shoe=finding.shoe,
            round=finding.round,
            time=f"{finding.ts:%Y-%m-%d %H:%M:%S}" if finding.ts else "",
            code=finding.code,
            severity=finding.severity,
            sentence=finding.sentence,
            footage=rows[0].footage,
        ),
    )


def still_seconds(rows: Sequence[LogRow]) -> tuple[float, float]:
    """From when until when most cards of a round lie there: all are laid, and none is cleared."""
    laid_s = max(row.at_s for row in rows)
    first_gone_s = min(row.gone_s for row in rows)
    from_s = max(laid_s, min(laid_s + _SETTLED_S, first_gone_s))
    return from_s, min(max(from_s, first_gone_s), from_s + _LOOK_S)


def draw_rounds(
    films: Mapping[str, Path], log: Path, table: FilmedTable, shoe: str, folder: Path
) -> Iterator[str]:
    """Write a still of each round with what was read; give a sentence for each that fails."""
    rows = [row for row in read_log(log) if row.footage in films]
    sizes: dict[str, tuple[int, int]] = {}
    for number, of_round in groupby(rows, key=lambda row: row.round):
        cards = list(of_round)
        name = cards[0].footage
        cards = [row for row in cards if row.footage == name]
        if name not in sizes:
            sizes[name] = open_footage(films[name]).size
        marks = Marks(
            [
                CardMark(row.card, row.confidence, row.box, order=order)
                for order, row in enumerate(cards, 1)
            ],
            table.zones.scaled_to(sizes[name]).polygons,
        )
        unsure = [row for row in cards if row.card == "??"]
        said = f"{len(cards)} cards" + (f", {len(unsure)} not told" if unsure else "")
        caption = Caption(table.table_id, shoe, number, "", "", "", f"Read: {said}.", name)
        path = folder / safe_name(f"{shoe}-round-{number:04}.png")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            frame = clearest_frame(films[name], still_seconds(cards), [row.box for row in cards])
            shown = draw_still(frame.image(), marks, replace(caption, at_s=frame.at_s))
            write_still(path, shown)
        except NoPicture as problem:
            yield str(problem)
        except OSError as problem:
            raise BadEvidence(f"{folder} cannot be made: {problem.strerror}") from None
