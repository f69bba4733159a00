"""The card log of a film: rounds are added whole, and reading can go on where it was broken off.

Beside `cards.csv` lies `cards.csv.state.json`, which says what was read, how, and how far. Only a
log with such a file is ours to be added to or replaced.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import os
import secrets
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Self

from audit.errors import CatwalkError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from vision.card_reader import Box
    from vision.film_reader import RoundRead

    Settings = Mapping[str, str | int | float | None]

FORMAT: Final = 2
COLUMNS: Final = (
    *("ts", "table_id", "shoe", "round", "seq", "card", "hand", "confidence", "alternatives"),
    *("at_s", "footage", "doubt", "laid_s", "gone_s", "box"),
)
"""Those of every card log, and from when until when the camera saw the card where."""
STATE: Final = ".state.json"
SURE_FROM: Final = 0.98
"""A card that is less sure is counted as unsure; the audit tries its other readings."""
MOST_REMARKS: Final = 100
ROUNDS_BACK: Final = 3
"""A reading that goes on reads so many rounds once more, to know the table as it did before."""


class BadCardLog(CatwalkError):
    """A card log that cannot be written, or is not ours to write to."""


@dataclass(frozen=True, slots=True)
class Names:
    """What rows are called by, which no picture tells."""

    table_id: str
    shoe: str
    first_round: int
    start: datetime
    """When the film began, on the clock of the table."""

    def moment(self, at_s: float) -> str:
        """The time of a second of the film, as a log has it."""
        moment = self.start.astimezone(UTC) + timedelta(seconds=at_s)
        return moment.astimezone(self.start.tzinfo).isoformat("T", "milliseconds")


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a film, and the second of the film at which it begins."""

    name: str
    begins_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a reading came, and what is to be said of it."""

    rounds: int = 0
    cards: int = 0
    unsure: int = 0
    next_seq: int = 1
    next_round: int = 1
    """Counted from the first round of the film, whatever that is called."""
    done_s: float = 0.0
    """When the last round of the log was over."""
    begun_s: tuple[float, ...] = ()
    """When the last rounds of the log began."""
    dealt: tuple[float, ...] = ()
    """How many copies of each card were dealt by then, as far as they were read."""
    doubted: int = 0
    """Rounds that may not have been seen whole."""
    left_out: int = 0
    """Rounds of which too little was seen."""
    finished: bool = False
    problem: str | None = None
    """Why the film ended before its end."""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LogRow:
    """A row of our log, without what its names give; seconds are those of its file."""

    round: int
    """Counted from the first round of the film."""
    seq: int
    card: str
    hand: str
    confidence: float
    alternatives: str
    at_s: float
    footage: str
    laid_s: float
    gone_s: float
    box: Box
    doubt: str = ""
    """Why its round cannot be relied on."""


class CardLog:
    """A log that is written while a film is read."""

    def __init__(self, path: Path, film: Settings, names: Names, parts: Sequence[Part]) -> None:
        """Stand for a log at a path; `opened` gives one."""
        self.path = path
        self.names = names
        self._parts = parts
        self.progress = Progress()
        self._film = dict(film)
        self._length = 0
        self._hash = hashlib.sha256()
        self._latest_s = 0.0

    @classmethod
    def opened(
        cls,
        path: Path,
        film: Settings,
        names: Names,
        parts: Sequence[Part],
        *,
        again: bool = False,
        keeps_start: bool = False,
    ) -> Self:
        """Begin a log, or go on with one that the same film and settings began.

        `film` is what was read and with which settings. What stands in a finished log stays; only
        its names are written anew where others are given. A start that was only taken from a clock
        is not better than the one that the log has: that one is kept.
        """
        log = cls(path, film, names, parts)
        with log._writing():
            state = log._state()
            if state is None or again or not path.exists():
                log._write_anew(())
            else:
                log._go_on(state, keeps_start=keeps_start)
        return log

    def rows(self) -> list[LogRow]:
        """What the log holds so far."""
        return _rows(self.path.read_text("utf-8"), self.names.first_round)

    def go_on(self) -> None:
        """Let a log that was closed be added to."""
        self.progress = replace(self.progress, finished=False, problem=None)

    def add(self, seen: RoundRead, dealt: Sequence[float] = ()) -> None:
        """Add a round; `dealt` is how many copies of each card were dealt by its end."""
        rows = []
        for card in seen.cards:
            part = self._part_at(card.at_s)
            rows.append(
                LogRow(
                    seen.number,
                    card.seq,
                    card.card,
                    card.hand,
                    card.confidence,
                    card.alternatives_text,
                    card.at_s - part.begins_s,
                    part.name,
                    card.laid_s - part.begins_s,
                    card.gone_s - part.begins_s,
                    card.box,
                    "; ".join(dict.fromkeys(seen.doubts)),
                )
            )
        content = self._written(rows)
        before = self.progress
        with self._writing():
            self._append(content)
            self._hash.update(content)
            self._length += len(content)
            self.progress = replace(
                before,
                rounds=before.rounds + 1,
                cards=before.cards + len(rows),
                unsure=before.unsure + sum(row.confidence < SURE_FROM for row in rows),
                next_round=seen.number + 1,
                next_seq=rows[-1].seq + 1 if rows else before.next_seq,
                done_s=seen.end_s,
                begun_s=(*before.begun_s, seen.start_s)[-ROUNDS_BACK:],
                dealt=tuple(map(float, dealt)),
                doubted=before.doubted + bool(seen.doubts),
            )
            self._save()

    def remark(self, sentence: str, *, left_out: int = 0) -> None:
        """Keep something that is to be said of the film, once."""
        remarks = self.progress.remarks
        if sentence not in remarks and len(remarks) < MOST_REMARKS:
            remarks = (*remarks, sentence)
        left_out += self.progress.left_out
        self.progress = replace(self.progress, remarks=remarks, left_out=left_out)

    def finish(self, problem: str | None) -> None:
        """Note that the film was read as far as it goes."""
        self.progress = replace(self.progress, finished=True, problem=problem)
        with self._writing():
            self._save()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            raise BadCardLog(f"{self.path} cannot be written: {problem.strerror}") from None

    def _part_at(self, at_s: float) -> Part:
        return [part for part in self._parts if part.begins_s <= at_s or not part.begins_s][-1]

    def _state(self) -> dict[str, object] | None:
        """What lies beside the log; None: it is not there yet."""
        beside = _beside(self.path)
        if not beside.exists():
            if os.path.lexists(self.path):
                raise BadCardLog(
                    f"{self.path} is there already and was not written by `catwalk read`: "
                    "choose another name"
                )
            return None
        try:
            state = json.loads(beside.read_text("utf-8"))
        except ValueError:
            state = None
        if not isinstance(state, dict) or state.get("format") != FORMAT:
            raise self._not_ours()
        return state

    def _not_ours(self) -> BadCardLog:
        beside = _beside(self.path)
        return BadCardLog(f"{beside} was not written by this version of Catwalk: remove it")

    def _go_on(self, state: Mapping[str, object], *, keeps_start: bool) -> None:
        """Take up what is there, without what was added after the last finished round."""
        film, names, progress = (state.get(name) for name in ("film", "names", "progress"))
        length = state.get("length")
        if not (
            isinstance(film, dict)
            and isinstance(names, dict)
            and isinstance(progress, dict)
            and isinstance(length, int)
        ):
            raise self._not_ours()
        others = [
            key.replace("_", " ") for key, value in self._film.items() if film.get(key) != value
        ]
        if others:
            raise BadCardLog(
                f"{self.path} was read from other footage or in another way "
                f"({', '.join(others)}): read it again from the beginning (--again), "
                "or choose another name"
            )
        content = self.path.read_bytes()
        try:
            known = Progress(**_with_tuples(progress))
            first_round = int(names["first_round"])
            start = datetime.fromisoformat(names["start"])
        except (KeyError, TypeError, ValueError):
            raise self._not_ours() from None
        whole, rest = content[:length], content[length:]
        if hashlib.sha256(whole).hexdigest() != state.get("sha256") or (rest and known.finished):
            raise BadCardLog(
                f"{self.path} was changed since it was written: read it again from the beginning "
                "(--again), or choose another name"
            )
        self.progress = known
        if keeps_start:
            self.names = replace(self.names, start=start)
        if names != _told(self.names):
            self._write_anew(_rows(whole.decode(), first_round))
            return
        self._length = length
        self._hash = hashlib.sha256(whole)
        self._written(_rows(whole.decode(), self.names.first_round))
        if rest:
            os.truncate(self.path, length)

    def _write_anew(self, rows: Iterable[LogRow]) -> None:
        self._latest_s = 0.0
        header = f"{','.join(COLUMNS)}\n".encode()
        content = header + self._written(rows)
        self._length = len(content)
        self._hash = hashlib.sha256(content)
        # In this order: a log without its state would not be known as ours.
        self._save()
        _replace(self.path, content)

    def _written(self, rows: Iterable[LogRow]) -> bytes:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for row in rows:
            # A card keeps its place in the order though it was seen only after the next.
            begins_s = next(part.begins_s for part in self._parts if part.name == row.footage)
            self._latest_s = max(self._latest_s, begins_s + row.laid_s)
            writer.writerow(
                (
                    self.names.moment(self._latest_s),
                    self.names.table_id,
                    self.names.shoe,
                    row.round + self.names.first_round - 1,
                    row.seq,
                    row.card,
                    row.hand,
                    f"{math.floor(row.confidence * 10_000) / 10_000:.4f}",
                    row.alternatives,
                    f"{row.at_s:.3f}",
                    row.footage,
                    row.doubt,
                    f"{row.laid_s:.3f}",
                    f"{row.gone_s:.3f}",
                    " ".join(f"{side:.0f}" for side in row.box),
                )
            )
        return text.getvalue().encode()

    def _append(self, content: bytes) -> None:
        """Add rows at the end, all of them or none."""
        with self.path.open("r+b") as file:
            try:
                file.seek(self._length)
                file.write(content)
                file.truncate()
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                os.truncate(self.path, self._length)
                raise

    def _save(self) -> None:
        state = {
            "format": FORMAT,
            "film": self._film,
            "names": _told(self.names),
            "length": self._length,
            "sha256": self._hash.hexdigest(),
            "progress": asdict(self.progress),
        }
        _replace(_beside(self.path), json.dumps(state, indent=1, ensure_ascii=False).encode())


def read_log(path: Path) -> list[LogRow]:
    """The rows of a log that we wrote, with their rounds as it calls them."""
    return _rows(path.read_text("utf-8"), first_round=1)


def _with_tuples(progress: Mapping[str, Any]) -> dict[str, Any]:
    """What was written of a progress, with tuples again where it has them."""
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in progress.items()
    }


def _beside(path: Path) -> Path:
    return path.with_name(path.name + STATE)


def _told(names: Names) -> dict[str, str | int]:
    return {**asdict(names), "start": names.start.isoformat()}


def _rows(text: str, first_round: int) -> list[LogRow]:
    return [
        LogRow(
            int(row["round"]) - first_round + 1,
            int(row["seq"]),
            row["card"],
            row["hand"],
            float(row["confidence"]),
            row["alternatives"],
            float(row["at_s"]),
            row["footage"],
            float(row["laid_s"]),
            float(row["gone_s"]),
            _box(row["box"]),
            row.get("doubt") or "",
        )
        for row in csv.DictReader(io.StringIO(text))
    ]


def _box(text: str) -> Box:
    left, top, right, bottom = map(float, text.split())
    return left, top, right, bottom


def _replace(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, whatever happens."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
