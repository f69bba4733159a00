"""Sample clips read and audited: what was found in each, beside what had to be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
from rich.console import Console

from audit.films import FilmNotRead
from vision.audit_films import AuditFilms
from vision.card_log import read_log
from vision.containers import BadFootage
from vision.footage_truth import compare
from vision.known_clips import VIOLATION, Known

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from audit.films import FilmedFinding, FilmRead, FilmsWanted, Shown
    from vision.footage_truth import Compared
    from vision.known_clips import KnownClip


@dataclass(frozen=True, slots=True)
class ReadClip:
    """A clip as it was read."""

    known: KnownClip
    compared: Compared
    took_s: float

    @property
    def times_real_time(self) -> float:
        return self.known.length_s / max(self.took_s, 1e-6)


@dataclass(frozen=True, slots=True)
class Found:
    """A finding of the audit."""

    table_id: str
    known: Known
    expected: str
    observed: str
    still: Path | None
    """A picture of it, where one could be made."""


@dataclass(frozen=True, slots=True)
class ShownClip:
    """A clip with what was found in it."""

    read: ReadClip
    found: tuple[Found, ...]

    @property
    def as_expected(self) -> tuple[Found, ...]:
        return tuple(each for each in self.found if each.known in self.read.known.findings)

    @property
    def missing(self) -> tuple[Known, ...]:
        there = {each.known for each in self.found}
        return tuple(known for known in self.read.known.findings if known not in there)

    @property
    def not_expected(self) -> tuple[Found, ...]:
        """Violations that nobody committed; what is only to be looked at accuses nobody."""
        return tuple(
            each
            for each in self.found
            if each.known.severity == VIOLATION and each.known not in self.read.known.findings
        )

    @property
    def to_look_at(self) -> tuple[Found, ...]:
        """What nobody is accused of, besides what was expected."""
        return tuple(
            each
            for each in self.found
            if each.known.severity != VIOLATION and each.known not in self.read.known.findings
        )

    @property
    def is_as_expected(self) -> bool:
        return not self.missing and not self.not_expected


class DemoFilms:
    """Reads sample clips for an audit as any films are read, and compares them with the truth."""

    def __init__(self, clips: Sequence[KnownClip]) -> None:
        self._known = {clip.clip.resolve(): clip for clip in clips}
        self._films = AuditFilms(again=True)
        self.clips: tuple[ReadClip, ...] = ()
        self.stills: dict[str, Path] = {}
        """By finding."""

    def read(self, wanted: FilmsWanted) -> tuple[FilmRead | FilmNotRead, ...]:
        """Read the clips, and compare each with what is true of it."""
        answers = self._films.read(replace(wanted, quiet=False))
        for answer in answers:
            if isinstance(answer, FilmNotRead):
                raise BadFootage(f"{answer.film}: {answer.why}")
            known = self._known[Path(answer.films[0]).resolve()]
            compared = compare(known.cards, read_log(answer.log))
            read = ReadClip(known, compared, self._films.took_s[answer.log])
            self.clips = (*self.clips, read)
        return answers

    def show(
        self, findings: Sequence[FilmedFinding], films: Sequence[FilmRead], folder: Path
    ) -> tuple[Shown, ...]:
        """Cut stills and clips as after any audit, and keep where they are."""
        with Console(stderr=True).status("stills and clips of what was found …"):
            shown = self._films.show(findings, films, folder)
        self.stills |= {one.finding.finding_id: one.still for one in shown if one.still}
        return shown


def findings_of(films: DemoFilms, database: Path) -> tuple[ShownClip, ...]:
    """Give each clip what the audit database has on its table."""
    found = tuple(_findings(database, films.stills))
    return tuple(
        ShownClip(one, tuple(each for each in found if each.table_id == one.known.table_id))
        for one in films.clips
    )


def _findings(database: Path, stills: dict[str, Path]) -> Iterator[Found]:
    with duckdb.connect(str(database), read_only=True) as connection:
        rows = connection.execute(
            "SELECT table_id, round, code, severity, expected, observed, finding_id FROM standing "
            "ORDER BY table_id, round, code, finding_id"
        ).fetchall()
    for table_id, number, code, severity, expected, observed, finding_id in rows:
        known = Known(number or 0, code, severity)
        yield Found(table_id, known, expected, observed, stills.get(finding_id))
