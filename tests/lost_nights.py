"""A small night as files of which a row can be broken, and what an audit says of it."""

import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from audit.batch import audit_bucket
from audit.lost_rows import with_tables
from audit.nightly import Night, audit_night
from audit.notation import parse_round
from audit.shoe_rows import ShoeRows
from audit.simulation.log_files import written
from audit.sources import Refused, read_column_mapping
from audit.sources.found import find_files
from audit.sources.lost import LOST
from audit.sources.reading import read_into
from audit.sources.spool import Spool, load_bucket
from audit.store import ShoeBatch, Store
from tests.stored_night import EVENING, rows_of, sheet_text

NOW = datetime(2026, 3, 9, 7, tzinfo=UTC)
BACCARAT = "mbs-fortune-six-baccarat-v6"
BLACKJACK = "mbs-blackjack-v6"
TABLE_OF = {BACCARAT: "BAC-1", BLACKJACK: "BJ-1"}
LAWFUL = {
    BACCARAT: (
        "burn 9D / P 9H KD / B 4C 5S | alice:tie 25=+200, outcome tie",
        "P 2H 3D 7C / B KS 6S 9C | alice:banker 100=+95, bob:player 100=-100, outcome banker",
        "P 8H KC / B 4C 3S | alice:player 100=+100, outcome player",
        "P 2D 3H 7S / B KD 6C 8C | alice:banker 100=+95, bob:tie 25=-25, outcome banker",
    ),
    BLACKJACK: (
        "burn 7C / 1 TH 9D stand / 3 KS 8C stand / D 8S TC"
        " | alice:main@1 100=+100, bob:main@3 50=0",
        "1 8H 8S split 3D double TC / 1.2 TC stand / D 7C TH"
        " | alice:main@1 100=+100, alice:double@1 100=+100, alice:split@1.2 100=+100",
        "1 KH 6D stand / 2 9S 9H stand / D 9C 8C | alice:main@1 100=-100, bob:main@2 50=+50",
        "1 6H 5D double TD / D 7S TH | alice:main@1 100=+100, alice:double@1 100=+100",
    ),
}
"""Four rounds in which nobody did anything wrong."""
COLUMNS = {
    "cards": ("ts", "table_id", "shoe", "round", "seq", "card", "hand", "confidence"),
    "wagers": ("table_id", "shoe", "round", "box", "bettor", "wager", "hand", "stake", "net"),
    "calls": ("ts", "table_id", "shoe", "round", "call", "hand", "bettor", "value"),
}
Row = dict[str, str | None]
Logs = dict[str, list[Row]]
Said = tuple[int | None, str, str, str]
"""Of a finding: its round, code and severity, and what was observed."""


def logs_of(rows: ShoeRows) -> Logs:
    """Write a shoe down as the rows of its three logs."""
    logs: Mapping[str, Sequence[object]] = {
        "cards": rows.cards,
        "wagers": rows.wagers,
        "calls": rows.calls,
    }
    names = {"table_id": rows.table_id, "shoe": rows.shoe}
    return {
        log: [
            {name: names.get(name) or _written(name, one) for name in COLUMNS[log]}
            for one in logs[log]
        ]
        for log in logs
    }


def _written(name: str, row: object) -> str | None:
    value = getattr(row, name)
    if name in ("stake", "net") and value is not None:
        return f"{value / 100:.2f}"
    if isinstance(value, datetime):
        return value.isoformat()
    return None if value is None or value == "" else str(value)


def night_of(
    book: str, lines: Iterable[str] = (), *, shoe: str = "S1", began: datetime = EVENING
) -> Logs:
    """Give the logs of a shoe: of lawful rounds, or of others."""
    played = [parse_round(line) for line in lines or LAWFUL[book]]
    return logs_of(rows_of(TABLE_OF[book], shoe, played, began))


def place_of(logs: Logs, log: str, **values: str) -> int:
    """Find the last row of a log with certain values, counted from 1."""
    fitting = [
        place
        for place, row in enumerate(logs[log], 1)
        if all(row[name] == value for name, value in values.items())
    ]
    return fitting[-1]


def write_logs(folder: Path, logs: Logs, *, shape: str = "csv") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for log, rows in logs.items():
        frame = pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS[log.partition("-")[0]], pl.String))
        (folder / f"{log}.{shape}").write_bytes(written(frame, shape))


def write_sheets(folder: Path, *, burn: int = 1) -> Path:
    sheets = folder / "sheets"
    sheets.mkdir(exist_ok=True)
    for book, table in TABLE_OF.items():
        text = sheet_text(table, book).replace("decks = 8\n", f"decks = 8\nburn = {burn}\n")
        (sheets / f"{table}.toml").write_text(text, "utf-8")
    return sheets


def audited(db: Path, *inputs: Path) -> list[Said]:
    """Audit inputs at tables that we know into a database, and give all that was found."""
    audit_night(Night((*inputs, write_sheets(db.parent))), Store(db), NOW)
    return asked(db, "SELECT round, code, severity, observed FROM findings ORDER BY ALL")


@dataclass(frozen=True, slots=True)
class Judged:
    """What an audit came to, as it would be stored."""

    batch: ShoeBatch
    refused: tuple[Refused, ...]

    @property
    def said(self) -> list[Said]:
        return self.batch.findings.select("round", "code", "severity", "observed").rows()

    @property
    def accused(self) -> list[Said]:
        return accused(self.said)

    @property
    def rounds_accused(self) -> list[int | None]:
        return rounds_accused(self.said)

    def doubted(self, shoe: str = "S1") -> list[int]:
        """Name the rounds of a shoe whose cards say that they are in doubt."""
        cards = self.batch.cards.filter(pl.col("shoe") == shoe, pl.col("doubt").is_not_null())
        return cards["round"].unique().sort().to_list()


def judged(
    tmp_path: Path, *inputs: Logs, shape: str = "csv", burn: int = 1, mapping: str = ""
) -> Judged:
    """Write logs as files, a folder for each lot, and audit them without storing anything."""
    folder = tmp_path / "in"
    shutil.rmtree(folder, ignore_errors=True)
    for number, logs in enumerate(inputs):
        write_logs(folder / str(number), logs, shape=shape)
    return judged_files(folder, write_sheets(tmp_path, burn=burn), mapping)


def judged_files(folder: Path, sheets: Path, mapping: str = "") -> Judged:
    with tempfile.TemporaryDirectory() as rows:
        spool = Spool(Path(rows), 1)
        known = read_column_mapping(mapping, "mapping")
        intake = read_into(spool, find_files([folder, sheets]), known)
        lost = pl.concat([pl.DataFrame(schema=LOST), *intake.lost])
        lost = with_tables(lost, spool.shoes_of_files())
        bucket = replace(load_bucket(spool.on_disk()[0]), lost=lost)
    audit = audit_bucket("run", bucket, intake.sheets)
    return Judged(audit.batch, tuple(intake.refused))


def asked(db: Path, question: str) -> list[Any]:
    with duckdb.connect(str(db), read_only=True) as connection:
        return connection.execute(question).fetchall()


def accused(said: Iterable[Said]) -> list[Said]:
    return [one for one in said if one[2] == "violation"]


def rounds_accused(said: Iterable[Said]) -> list[int | None]:
    return sorted({one[0] for one in accused(said)}, key=str)
