"""A query in a process of its own: it ends in time, within its memory, and leaves nothing."""

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import polars as pl
import pytest

from audit import query_process
from audit.query_process import answered
from audit.questions import BadQuery, Format
from audit.store import BadStore, Store, StoreBusy

GIBIBYTE = 2**30
NEVER_ENDS = "SELECT count(*) FROM range(1e12::BIGINT) a, range(1e12::BIGINT) b"
DEAF = "SELECT levenshtein(repeat('a', 1000000), repeat('b', 1000000))"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = Store(tmp_path_factory.mktemp("process") / "audit.db")
    store.prepare()
    return store.path


@pytest.fixture(autouse=True)
def _leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_the_answer_is_a_file_that_goes_in_the_end(path: Path) -> None:
    with answered(path, "SELECT 1.10::DECIMAL(18,2) AS money", Format.PARQUET) as answer:
        assert (answer.rows, answer.note) == (1, "")
        assert str(pl.read_parquet(answer.file).item()) == "1.10"
        assert answer.file.parent.stat().st_mode & 0o077 == 0
    assert not answer.file.parent.exists()


@pytest.mark.parametrize("sql", [NEVER_ENDS, DEAF])
def test_a_query_that_never_ends_is_stopped_whether_it_listens_or_not(
    path: Path, sql: str, tmp_path: Path
) -> None:
    begun = time.monotonic()
    with (
        pytest.raises(BadQuery, match=r"stopped after 0\.5 seconds"),
        answered(path, sql, Format.CSV, seconds=0.5),
    ):
        pass
    assert time.monotonic() - begun < 0.5 + query_process.GRACE + 3
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_running_when_the_asker_gives_up(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def interrupted(process: subprocess.Popen[bytes], *_: object, **__: object) -> None:
        started.append(process)
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", interrupted)
    with pytest.raises(KeyboardInterrupt), answered(path, NEVER_ENDS, Format.CSV):
        pass
    (process,) = started
    assert process.wait(5) == -9


def test_a_query_that_takes_too_much_memory_is_refused(path: Path) -> None:
    hungry = "SELECT list(range) FROM range(200_000_000)"
    with (
        pytest.raises(BadQuery, match="more memory than there is"),
        answered(path, hungry, Format.CSV, memory=GIBIBYTE + GIBIBYTE // 4),
    ):
        pass


def test_an_answer_without_a_limit_is_bounded_by_memory(path: Path) -> None:
    with (
        pytest.raises(BadQuery, match="memory"),
        answered(path, "SELECT range, range::VARCHAR FROM range(10_000_000_000)", Format.CSV,
                 limit=None, memory=GIBIBYTE + GIBIBYTE // 4),
    ):  # fmt: skip
        pass


def test_the_file_of_an_answer_is_bounded(path: Path) -> None:
    small = "import audit.query_process as p; p.LARGEST_ANSWER = 1000; p.main()"
    question = query_process.Question(
        str(path), "SELECT repeat('x', 5000)", str(path.with_name("answer.csv")), "csv", None, 10,
        5.0, 4 * GIBIBYTE,
    )  # fmt: skip
    told = subprocess.run(
        [sys.executable, "-c", small],
        input=json.dumps(asdict(question)),
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    reply = json.loads(told.stdout)
    assert (reply["error"], reply["rows"]) == ("BadQuery", 0)
    assert "cannot be written" in reply["sentence"]
    assert path.with_name("answer.csv").stat().st_size <= 1000


def test_errors_come_back_as_what_they_are(path: Path, tmp_path: Path) -> None:
    with pytest.raises(BadQuery, match="line 1, column 8"), answered(path, "SELECT x", Format.CSV):
        pass
    missing = tmp_path / "none.db"
    with pytest.raises(BadStore, match="no audit database"), answered(missing, "x", Format.CSV):
        pass
    with (
        Store(path).writing(),
        pytest.raises(StoreBusy, match="in use by another program"),
        answered(path, "SELECT 1", Format.CSV, seconds=0.2),
    ):
        pass


def test_a_process_that_breaks_off_is_told_without_a_traceback(path: Path) -> None:
    with pytest.raises(BadQuery) as refusal, answered(path, "SELECT 1", Format.CSV, memory=2**20):
        pass
    assert "\n" not in str(refusal.value)


def test_files_in_the_present_folder_cannot_pass_for_the_program(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "audit").mkdir(parents=True)
    for name in ("audit/__init__.py", "polars.py", "duckdb.py", "json.py"):
        (elsewhere / name).write_text("import os; os.write(1, b'{\"rows\": 666}'); os._exit(0)")
    monkeypatch.chdir(elsewhere)
    with answered(path.resolve(), "SELECT 1", Format.CSV) as answer:
        assert answer.rows == 1


def test_starting_the_process_takes_no_longer_than_a_person_notices(path: Path) -> None:
    taken = []
    for _ in range(3):
        begun = os.times()
        with answered(path, "SELECT 1", Format.TABLE):
            pass
        ended = os.times()
        taken.append(ended.children_user + ended.children_system - begun.children_user
                     - begun.children_system)  # fmt: skip
    assert min(taken) < 2
