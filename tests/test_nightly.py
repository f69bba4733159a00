"""The audit of a night from its files: the same answer however it is disturbed."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, date, datetime
from pathlib import Path

import duckdb
import polars as pl
import pytest

from audit.errors import BadInput
from audit.nightly import Night, audit_night
from audit.run_summary import RunSummary, summary_of
from audit.simulation.log_files import Packing
from audit.simulation.night_files import NightFiles, write_nights
from audit.simulation.nights import NightPlan
from audit.store import Store

NOW = datetime(2026, 3, 9, 7, tzinfo=UTC)
BOOKS = ("mbs-fortune-six-baccarat-v6", "mbs-blackjack-v6", "mbs-electronic-baccarat/tiger")
PLAN = NightPlan(rulebooks=BOOKS, tables=6, rounds=60, faults=60)
FILE = re.compile(r"(cards|camera)\S*\.(csv|jsonl|parquet)(\.zst)?")
IN_SMALL_BUCKETS = """
import sys
from audit.sources import spool
spool.BUCKET_OF_FILES = 40_000
from audit.cli import main
main(sys.argv[1:])
"""


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("night")
    write_nights(PLAN, 7, folder / "csv", NightFiles("csv"))
    return folder / "csv" / "inputs"


def audited(db: Path, *inputs: Path, rulebook: str | None = None) -> RunSummary:
    store = Store(db)
    result = audit_night(Night(inputs, rulebook=rulebook), store, NOW)
    return summary_of(store, result.run_id)


def contents(db: Path, *, without: tuple[str, ...] = ()) -> dict[str, list[tuple[object, ...]]]:
    """Everything that is stored but when it was, table by table."""
    with duckdb.connect(db, read_only=True) as connection:
        tables = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        frames = {
            name: connection.table(name).pl().drop("started_at", "finished_at", strict=False)
            for (name,) in tables
            if name not in without
        }
    return {name: sorted(frame.rows(), key=str) for name, frame in frames.items()}


def command(*words: object) -> list[str]:
    return [sys.executable, "-c", IN_SMALL_BUCKETS, *map(str, words)]


def test_a_night_is_audited_and_every_row_accounted_for(night: Path, tmp_path: Path) -> None:
    summary = audited(tmp_path / "a.db", night)
    assert (summary.tables, summary.judged) == (6, summary.rounds)
    assert summary.rounds >= 6 * 60
    assert summary.findings_of("violation") > 5
    assert len(summary.accounts) >= 3
    assert all(account.balances for account in summary.accounts)
    assert all(account.used + account.left_over == account.read for account in summary.accounts)


def test_the_same_night_audited_twice_changes_nothing(night: Path, tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    first = audited(db, night)
    before = contents(db)
    again = audit_night(Night((night,)), Store(db), datetime(2026, 4, 1, tzinfo=UTC))
    assert again.was_done_before
    assert contents(db) == before
    assert summary_of(Store(db), again.run_id) == first


def test_files_in_another_place_and_order_are_the_same_run(night: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(night, moved)
    db = tmp_path / "a.db"
    first = audited(db, night)
    parts = sorted(moved.rglob("*.*"), reverse=True)
    again = audit_night(Night(tuple(parts)), Store(db), NOW)
    assert (again.run_id, again.was_done_before) == (first.run_id, True)


SHAPES = {
    "JSON Lines": NightFiles("jsonl"),
    "Parquet": NightFiles("parquet"),
    "all tables in one packed file": NightFiles("csv", Packing.ZSTANDARD, one_file=True),
    "rows twice": NightFiles("csv", duplicates=50),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_files_gives_the_same_findings(
    night: Path, tmp_path: Path, shape: str
) -> None:
    files = SHAPES[shape]
    write_nights(PLAN, 7, tmp_path / "other", files)
    other = tmp_path / "other" / "inputs"
    databases = [tmp_path / "as_csv.db", tmp_path / "otherwise.db"]
    for db, inputs in zip(databases, (night, other), strict=True):
        audited(db, inputs)
    by_file = ("runs", "inputs", "shoes", "unused_rows")

    def facts(db: Path) -> dict[str, list[tuple[object, ...]]]:
        stored = contents(db, without=by_file)
        stored["findings"] = [
            tuple(FILE.sub("a log", str(part)) for part in (row[0], *row[2:]))
            for row in stored["findings"]
        ]
        return stored

    assert facts(databases[0]) == facts(databases[1])


def test_a_run_killed_at_any_moment_ends_like_an_undisturbed_one(
    night: Path, tmp_path: Path
) -> None:
    quiet, disturbed = tmp_path / "quiet.db", tmp_path / "disturbed.db"
    done = subprocess.run(command("audit", night, "--db", quiet, "--jobs", 1, "-q"), check=False)
    assert done.returncode == 1
    rng = random.Random(5)  # noqa: S311
    kills = 0
    for _ in range(12):
        process = subprocess.Popen(
            command("audit", night, "--db", disturbed, "--jobs", rng.choice((1, 2)), "-q"),
            start_new_session=True,
        )
        try:
            process.wait(rng.uniform(0.3, 4))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
    last = subprocess.run(command("audit", night, "--db", disturbed, "--jobs", 1), check=False)
    assert last.returncode == 1
    assert kills
    assert contents(disturbed) == contents(quiet)
    assert {path.name for path in tmp_path.iterdir()} == {"quiet.db", "disturbed.db"}


def test_what_a_run_killed_at_its_very_end_left_beside_the_file_is_taken_into_it(
    night: Path, tmp_path: Path
) -> None:
    db = tmp_path / "a.db"
    audited(db, night)
    before = contents(db)
    stopped_short = (
        "import duckdb, os, sys; kept = duckdb.connect(sys.argv[1]); "
        "kept.execute('CREATE TABLE passing (row INT)'); kept.execute('DROP TABLE passing'); "
        "os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", stopped_short, str(db)], check=False)
    assert db.with_name("a.db.wal").exists()
    audited(db, night)
    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]
    assert contents(db) == before


def test_two_audits_and_a_questioner_at_once_all_finish(night: Path, tmp_path: Path) -> None:
    other = NightPlan(rulebooks=BOOKS, tables=3, rounds=60, faults=60, night=date(2026, 3, 9))
    write_nights(other, 8, tmp_path / "other", NightFiles("parquet"))
    db = tmp_path / "a.db"
    Store(db).prepare()
    audits = [
        subprocess.Popen(command("audit", inputs, "--db", db, "--jobs", 1, "-q"))
        for inputs in (night, tmp_path / "other" / "inputs")
    ]
    asked = 0
    while any(process.poll() is None for process in audits):
        with Store(db).reading() as connection:
            connection.execute("SELECT count(*) FROM findings").fetchall()
        asked += 1
        time.sleep(0.05)
    assert [process.returncode for process in audits] == [1, 1]
    assert asked > 1
    together, apart = contents(db), tmp_path / "apart.db"
    for inputs in (night, tmp_path / "other" / "inputs"):
        audited(apart, inputs)
    one_by_one = contents(apart)
    for name in ("findings", "rounds", "cards", "wagers", "calls", "shoes"):
        assert together[name] == one_by_one[name]


def split_logs(night: Path, folder: Path, *, after_round: int) -> tuple[Path, Path]:
    """Divide the logs of a night as if midnight had come after some round of each shoe."""
    halves = (folder / "before", folder / "after")
    for half in halves:
        shutil.copytree(night, half)
    for path in night.rglob("*.csv"):
        rows = pl.read_csv(path, infer_schema=False)
        early = pl.col("round").cast(pl.Int64).fill_null(0) <= after_round
        for half, wanted in zip(halves, (early, ~early), strict=True):
            rows.filter(wanted).write_csv(half / path.relative_to(night))
    return halves


def test_a_shoe_that_goes_on_in_the_next_nights_files_is_put_together(
    night: Path, tmp_path: Path
) -> None:
    whole, parts = tmp_path / "whole.db", tmp_path / "parts.db"
    audited(whole, night)
    for half in split_logs(night, tmp_path, after_round=20):
        audited(parts, half)
    of_run = ("runs", "inputs", "shoes", "unused_rows", "calls", "findings")
    assert contents(parts, without=of_run) == contents(whole, without=of_run)
    facts = "SELECT table_id, shoe, round, code, severity, exposure FROM findings ORDER BY ALL"
    found = []
    for db in (whole, parts):
        with duckdb.connect(db, read_only=True) as connection:
            found.append(connection.execute(facts).fetchall())
    assert found[0] == found[1]


def test_a_table_without_a_sheet_is_not_judged_unless_a_rulebook_is_named(
    night: Path, tmp_path: Path
) -> None:
    cards = next(night.rglob("cards-BAC*"))
    unjudged = audited(tmp_path / "a.db", cards)
    assert unjudged.judged == 0
    assert unjudged.unjudged[0][0].startswith("there is no table sheet for BAC")
    judged = audited(tmp_path / "a.db", cards, rulebook=BOOKS[0])
    assert judged.judged == judged.rounds > 0


def test_footage_is_left_over_with_what_to_do(night: Path, tmp_path: Path) -> None:
    film = tmp_path / "table.mp4"
    film.write_bytes(b"film")
    summary = audited(tmp_path / "a.db", night, film)
    (left,) = [row for row in summary.refused if row.source == str(film)]
    assert not left.refused
    assert "catwalk read" in left.why


def test_a_call_that_names_no_shoe_goes_to_the_one_that_was_dealt(
    night: Path, tmp_path: Path
) -> None:
    inputs = tmp_path / "inputs"
    shutil.copytree(night, inputs)
    for path in inputs.rglob("calls*"):
        rows = pl.read_csv(path, infer_schema=False)
        shift = pl.col("call") == "dealer_in"
        unnamed = rows.with_columns(
            shoe=pl.when(shift).then(None).otherwise("shoe"),
            round=pl.when(shift).then(None).otherwise("round"),
        )
        unnamed.write_csv(path)
    audited(tmp_path / "named.db", night)
    audited(tmp_path / "unnamed.db", inputs)
    dealers = []
    for name in ("named.db", "unnamed.db"):
        with duckdb.connect(tmp_path / name, read_only=True) as connection:
            question = "SELECT table_id, shoe, round, dealer FROM rounds ORDER BY ALL"
            dealers.append(connection.execute(question).fetchall())
    assert dealers[0] == dealers[1]
    assert any(dealer for *_, dealer in dealers[0])


def test_cards_that_were_not_shuffled_since_the_night_before_are_found(
    night: Path, tmp_path: Path
) -> None:
    """The next night deals the very same shoes again, under other names."""
    inputs = tmp_path / "inputs"
    shutil.copytree(night, inputs)
    for path in inputs.rglob("*.csv"):
        rows = pl.read_csv(path, infer_schema=False)
        times = [name for name in ("ts", "placed_at", "settled_at") if name in rows.columns]
        rows.with_columns(
            pl.col("shoe") + "-again", pl.col(times).str.replace("2026-03-08", "2026-03-09")
        ).write_csv(path)
    db = tmp_path / "a.db"
    before = audited(db, night)
    after = audited(db, inputs)
    repeated = [code.findings for code in after.codes if code.code == "SHO006"]
    planted = [code.findings for code in before.codes if code.code == "SHO006"]
    assert after.shoes == before.shoes
    assert sum(repeated) > sum(planted) + after.shoes // 2


def test_another_shoe_of_the_same_name_is_refused_before_any_harm(
    night: Path, tmp_path: Path
) -> None:
    inputs = tmp_path / "inputs"
    shutil.copytree(night, inputs)
    for path in inputs.rglob("*.csv"):
        path.write_text(path.read_text("utf-8").replace("2026-03-08T", "2026-03-10T"), "utf-8")
    db = tmp_path / "a.db"
    audited(db, night)
    before = contents(db)
    with pytest.raises(BadInput, match="name shoes so that no two of a table are alike"):
        audited(db, inputs)
    assert contents(db) == before
