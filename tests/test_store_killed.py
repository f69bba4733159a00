"""The store when its writers are killed, and when all come at once: whole shoes or nothing."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
import polars as pl
import pytest

from audit.store import Opinion, Store, StoreBusy
from audit.store import store as store_module
from tests.test_store import EVENING, a_shoe, contents, process, text_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return (tmp_path / "audit.db").resolve()


@pytest.fixture
def store(path: Path) -> Store:
    return Store(path, patience=20)


def whole_shoes(path: Path) -> int:
    """Count the stored shoes, after checking that each is whole."""
    with Store(path).reading() as connection:
        shoes = connection.execute("SELECT shoe FROM shoes").fetchall()
        for name, rows in (
            ("rounds", 4),
            ("cards", 9),
            ("wagers", 4),
            ("calls", 4),
            ("findings", 2),
        ):
            held = connection.execute(f"FROM {name} SELECT shoe, count(*) GROUP BY shoe").fetchall()
            assert sorted(held) == sorted((shoe, rows) for (shoe,) in shoes)
    return len(shoes)


def write_night(path: Path, prefix: str, times: int) -> None:
    """Write a night shoe by shoe, and then at once; runs in a process of its own."""
    store = Store(path, patience=60)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for _ in range(times):
        for number in range(6):
            store.write_shoe(a_shoe(f"{prefix}{number}"))
        store.write_shoes([a_shoe(f"{prefix}{number}") for number in range(3, 9)])


def read_night(path: Path, times: int) -> None:
    """Look again and again, while others write; runs in a process of its own."""
    for _ in range(times):
        whole_shoes(path)


def wait_until_ready(child: subprocess.Popen[str]) -> None:
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"


def kill(child: subprocess.Popen[str]) -> None:
    child.kill()
    child.communicate()


def test_a_killed_audit_leaves_whole_shoes_and_ends_the_same(path: Path, store: Store) -> None:
    moments = random.Random(7)  # noqa: S311
    for _ in range(5):
        child = process(f"write_night(Path({str(path)!r}), 'S', 99)", __name__)
        wait_until_ready(child)
        time.sleep(moments.uniform(0.0, 0.9))
        kill(child)
        if path.exists():
            whole_shoes(path)
    write_night(path, "S", 1)
    undisturbed = path.with_name("undisturbed.db")
    write_night(undisturbed, "S", 1)
    assert whole_shoes(path) == 9
    assert contents(path) == contents(undisturbed)


def die_at_insert(path: Path, number: int) -> None:
    """Audit a shoe again and die just before an insert; runs in a process of its own."""
    insert, calls = store_module._insert, iter(range(1, 99))

    def dying(connection: duckdb.DuckDBPyConnection, name: str, frame: pl.DataFrame) -> None:
        if next(calls) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        insert(connection, name, frame)

    store_module._insert = dying
    Store(path).write_shoe(a_shoe(paid="999.00", breaks=(1, 2, 3, 4)))


@pytest.mark.parametrize("number", [1, 4, 6])
def test_an_audit_killed_between_two_statements_leaves_the_shoe_as_it_was(
    path: Path, store: Store, number: int
) -> None:
    store.write_shoe(a_shoe())
    before = contents(path)
    child = process(f"die_at_insert(Path({str(path)!r}), {number})", __name__)
    child.communicate()
    assert child.returncode == -signal.SIGKILL
    assert contents(path) == before


def test_a_process_killed_while_it_makes_the_file_leaves_none_or_a_good_one(path: Path) -> None:
    moments = random.Random(11)  # noqa: S311
    for number in range(3):
        fresh = path.with_name(f"fresh{number}.db")
        child = process(f"write_night(Path({str(fresh)!r}), 'S', 1)", __name__)
        wait_until_ready(child)
        time.sleep(moments.uniform(0.0, 0.2))
        kill(child)
        Store(fresh).write_shoe(a_shoe("S0"))
        assert whole_shoes(fresh) >= 1


def test_two_writers_and_a_reader_all_finish(path: Path, store: Store) -> None:
    store.prepare()
    where = f"Path({str(path)!r})"
    children = [
        process(f"write_night({where}, 'A', 1)", __name__),
        process(f"write_night({where}, 'B', 1)", __name__),
        process(f"read_night({where}, 8)", __name__),
    ]
    for child in children:
        child.communicate(timeout=60)
    assert [child.returncode for child in children] == [0, 0, 0]
    assert whole_shoes(path) == 18


def test_threads_of_one_process_write_and_read_side_by_side(path: Path, store: Store) -> None:
    store.write_shoe(a_shoe())
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            store.add_review("BAC-07/S1/1", f"r{number}", Opinion.OPEN, "look", EVENING)
            store.reviews()
        except BaseException as problem:  # noqa: BLE001 - whatever it is, the test shows it
            failures.append(problem)

    threads = [threading.Thread(target=work, args=[number]) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert store.verify_reviews().reviews == 6
    assert store.verify_reviews().whole


def test_a_file_that_stays_taken_is_busy_after_the_stated_time(path: Path, store: Store) -> None:
    store.prepare()
    hasty = Store(path, patience=0.3)
    with store.writing():
        with pytest.raises(StoreBusy) as refused, hasty.reading():
            pass
        assert "within 0.3 seconds" in text_of(refused, path)
        with pytest.raises(StoreBusy) as refused, hasty.writing():
            pass
        text_of(refused, path)
    holder = process(
        f"import duckdb; held = duckdb.connect({str(path)!r}); print('ready', flush=True); "
        "time.sleep(60)",
        __name__,
    )
    wait_until_ready(holder)
    with pytest.raises(StoreBusy) as refused, hasty.reading():
        pass
    text_of(refused, path)
    kill(holder)
    assert hasty.verify_reviews().whole


def test_what_fails_inside_a_transaction_leaves_nothing(store: Store, path: Path) -> None:
    store.write_shoe(a_shoe())
    before = contents(path)
    with pytest.raises(duckdb.ConversionException), store.writing() as connection:
        connection.execute("DELETE FROM findings; SELECT 'half way'::INTEGER")
    assert contents(path) == before
