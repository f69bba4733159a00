"""Films among the inputs of an audit: of which table and shoe, read, and shown afterwards."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from audit.errors import BadTableSheet, CatwalkError
from audit.films import FilmNotRead, FilmRead, Shown
from vision.card_log import BadCardLog
from vision.film_bars import FilmBars
from vision.film_clock import FilmStart, start_of
from vision.film_evidence import show_findings
from vision.film_parts import identity_of
from vision.film_stage import FilmLog, FilmOrder, load_weights
from vision.filmed_table import has_camera, load_filmed_table
from vision.model_files import THREADS
from vision.reading_commands import shoe_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from audit.films import FilmedFinding, FilmsWanted, KnownShoe
    from vision.film_stage import Weights
    from vision.filmed_table import FilmedTable

SAME_TIME: Final = timedelta(minutes=10)
"""A film may begin so long before the first row of its shoe, or after the last."""


@dataclass(frozen=True, slots=True)
class _Film:
    source: Path | str
    table: FilmedTable
    shoe: str
    start: FilmStart


@dataclass(slots=True)
class AuditFilms:
    """Reads films for an audit, and keeps what is needed to show them."""

    again: bool = False
    """Whether films are read anew that were read before."""
    took_s: dict[Path, float] = field(default_factory=dict)
    """By card log, for how long its film was read."""
    _read: dict[Path, tuple[FilmLog, FilmedTable]] = field(default_factory=dict)

    def read(self, wanted: FilmsWanted) -> tuple[FilmRead | FilmNotRead, ...]:
        """Make a card log of each film; those of one shoe are one film."""
        films: list[_Film] = []
        answers: list[FilmRead | FilmNotRead] = []
        named = Counter(shoe_name(source) for source in wanted.films)
        for source in wanted.films:
            try:
                table = load_filmed_table(_sheet_of(source, wanted))
                films.append(_placed(source, table, wanted.shoes, named))
            except CatwalkError as problem:
                answers.append(FilmNotRead(source, str(problem)))
        groups: dict[tuple[str, str], list[_Film]] = {}
        for film in films:
            groups.setdefault((film.table.table_id, film.shoe), []).append(film)
        if groups:
            answers += self._logs([*groups.values()], wanted)
        return tuple(answers)

    def _logs(
        self, groups: Sequence[Sequence[_Film]], wanted: FilmsWanted
    ) -> Iterator[FilmRead | FilmNotRead]:
        """Read films side by side, each on a processor of its own.

        With a live stream among them one is read after the other: whoever watches it ends it.
        """
        live = any(isinstance(part.source, str) for parts in groups for part in parts)
        together = 1 if live else min(len(groups), os.cpu_count() or 1)
        try:
            weights = load_weights(wanted.models, max(THREADS // together, 1))
        except CatwalkError as problem:
            yield from (FilmNotRead(part.source, str(problem)) for each in groups for part in each)
            return

        def log(parts: Sequence[_Film]) -> Sequence[FilmRead | FilmNotRead]:
            try:
                return [self._log(parts, wanted, weights, bars)]
            except CatwalkError as problem:
                return [FilmNotRead(part.source, str(problem)) for part in parts]

        with FilmBars(quiet=wanted.quiet) as bars:
            if together == 1:
                yield from chain.from_iterable(map(log, groups))
                return
            with ThreadPoolExecutor(together, "reading") as pool:
                try:
                    yield from chain.from_iterable([*pool.map(log, groups)])
                except KeyboardInterrupt:
                    bars.break_off()
                    pool.shutdown(cancel_futures=True)
                    raise

    def _log(
        self, parts: Sequence[_Film], wanted: FilmsWanted, weights: Weights, bars: FilmBars
    ) -> FilmRead:
        first = parts[0]
        sources = tuple(part.source for part in parts)
        by_clock = isinstance(first.source, str)
        order = FilmOrder(sources, first.table, first.shoe, first.start.at, start_by_clock=by_clock)
        path = wanted.folder / _log_name(order, weights.digest)
        _make_folder(wanted.folder)
        film = _opened(order, weights.digest, path, again=self.again)
        bar = bars.of(film)
        try:
            with bar:
                film.read(weights.reader, bar)
        except KeyboardInterrupt:
            if not film.is_live:
                raise
            film.close()
        self._read[path] = (film, first.table)
        self.took_s[path] = bar.took_s
        progress = film.progress
        said = [] if first.start.is_known else [first.start.said]
        doubted = f"{progress.doubted:,} of {progress.rounds:,} rounds may not have been seen whole"
        ended = [progress.problem] if progress.problem else []
        return FilmRead(
            sources,
            path,
            first.shoe,
            progress.rounds,
            progress.cards,
            progress.unsure,
            (*said, *progress.remarks, *([doubted] if progress.doubted else []), *ended),
        )

    def show(
        self, findings: Sequence[FilmedFinding], films: Sequence[FilmRead], folder: Path
    ) -> tuple[Shown, ...]:
        """Cut a still and a clip of each finding, of several films at once; say what fails."""

        def shown(read: FilmRead) -> list[Shown]:
            film, table = self._read[read.log]
            own = [
                finding
                for finding in findings
                if (finding.table_id, finding.shoe) == (table.table_id, read.shoe)
            ]
            return [*self._shown(own, film, table, folder)]

        with ThreadPoolExecutor(os.cpu_count(), "cutting") as pool:
            return tuple(chain.from_iterable(pool.map(shown, films)))

    def _shown(
        self, findings: Sequence[FilmedFinding], film: FilmLog, table: FilmedTable, folder: Path
    ) -> Iterator[Shown]:
        left = {finding.finding_id: finding for finding in findings}
        try:
            for made in show_findings(findings, film.files, film.log.path, table, folder):
                finding = left.pop(made.finding_id)
                yield Shown(finding, made.still, made.clip, made.problem)
        except CatwalkError as problem:
            for finding in left.values():
                yield Shown(finding, None, None, str(problem))


def _sheet_of(source: Path | str, wanted: FilmsWanted) -> Path:
    """The sheet of the table that a film shows: as named, or lying beside it, or the only one."""
    if wanted.table is not None:
        return wanted.table
    filmed = [sheet for sheet in wanted.sheets if has_camera(sheet)]
    beside = [
        sheet
        for sheet in filmed
        if isinstance(source, Path) and sheet.resolve().parent == source.resolve().parent
    ]
    for sheets in (beside, filmed):
        if len(sheets) == 1:
            return sheets[0]
    if not filmed:
        raise BadTableSheet(
            "no table sheet says where its camera sees the hands: name one with --table, "
            "`catwalk calibrate` draws the zones"
        )
    raise BadTableSheet(
        f"it may be of any of {len(filmed)} tables with a camera: name its sheet with --table"
    )


def _placed(
    source: Path | str, table: FilmedTable, shoes: Sequence[KnownShoe], named: Mapping[str, int]
) -> _Film:
    """Tell of which shoe a film is: the only one that is known, or the one of its time."""
    start = start_of(source, None, table.timezone, table.played_from)
    known = [shoe for shoe in shoes if shoe.table_id == table.table_id]
    if start.is_known and len(known) > 1:
        known = [shoe for shoe in known if _at_the_time(start, shoe)]
    if len(known) == 1:
        (shoe,) = known
        if not start.is_known and shoe.first is not None:
            start = FilmStart(
                shoe.first.astimezone(table.timezone),
                f"its times are counted from the first row of shoe {shoe.shoe}",
                is_known=False,
            )
        return _Film(source, table, shoe.shoe, start)
    name = shoe_name(source)
    if isinstance(source, str):
        name = f"{name}-{start.at:%Y%m%d-%H%M%S}"
    elif named[name] > 1:
        name = f"{source.resolve().parent.name}-{name}"
    return _Film(source, table, name, start)


def _at_the_time(start: FilmStart, shoe: KnownShoe) -> bool:
    if shoe.first is None or shoe.last is None:
        return True
    return shoe.first - SAME_TIME <= start.at <= shoe.last + SAME_TIME


def _log_name(order: FilmOrder, weights: str) -> str:
    """A name that no other film, and no other way of reading it, has.

    What an address shows is another film each time.
    """
    first = order.sources[0]
    name = shoe_name(first)
    known = [identity_of(source, str(source)) for source in order.sources]
    known += [str(order.start)] if order.start_by_clock else []
    text = repr((known, order.table.digest, weights))
    return f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:10]}.csv"


def _opened(order: FilmOrder, weights: str, path: Path, *, again: bool) -> FilmLog:
    try:
        return FilmLog(order, weights, path, again=again)
    except BadCardLog:
        return FilmLog(order, weights, path, again=True)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise BadCardLog(f"{folder} cannot be made: {problem.strerror}") from None
