"""Files that are not what they should be, and files of other versions."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from audit.store import BadStore, Store
from audit.store.schema import (
    ALL_TABLES,
    CARDS,
    DEALT,
    FINDINGS,
    OF_A_RUN,
    ROUNDS,
    VERSION,
    create_table,
)
from tests.test_store import a_shoe, contents, engine, process, text_of


@pytest.fixture(scope="module")
def good_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    store = Store(tmp_path_factory.mktemp("good") / "audit.db")
    store.write_shoe(a_shoe())
    return store.path.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return (tmp_path / "audit.db").resolve()


@pytest.fixture
def store(path: Path) -> Store:
    return Store(path, patience=20)


def test_no_file_to_read_says_what_makes_one(path: Path) -> None:
    with pytest.raises(BadStore, match="catwalk audit") as refused:
        Store(path).reviews()
    text_of(refused, path)
    assert not path.exists()


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda data: b"this is no database" * 999, "not a DuckDB file"),
        (lambda data: b"hi", "not a DuckDB file"),
        (lambda data: b"", "empty file"),
        (lambda data: data[:5000], "damaged or cut short"),
        (lambda data: data[:20000], "damaged or cut short"),
        (lambda data: data[: len(data) // 2], "damaged or cut short"),
        (lambda data: data[:-300_000], "damaged or cut short"),
        (lambda data: data[:4200] + b"x" * 99 + data[4299:], "damaged or cut short"),
    ],
    ids=[
        "text",
        "two bytes",
        "nothing",
        "in the header",
        "short",
        "half",
        "the end",
        "overwritten",
    ],
)
def test_a_broken_file_is_refused_in_one_sentence(
    good_file: bytes, store: Store, damage: Callable[[bytes], bytes], sentence: str
) -> None:
    path = store.path
    path.write_bytes(damage(good_file))
    for attempt in (store.reviews, store.prepare):
        with pytest.raises(BadStore, match=sentence) as refused:
            attempt()
        text_of(refused, path)


def test_a_folder_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    for attempt in (Store(tmp_path).reviews, Store(tmp_path).prepare):
        with pytest.raises(BadStore, match="is a folder") as refused:
            attempt()
        text_of(refused, tmp_path)
    nowhere = tmp_path / "no" / "audit.db"
    with pytest.raises(BadStore, match="there is no folder"):
        Store(nowhere).prepare()


def test_another_duckdb_file_is_refused_and_left_alone(path: Path) -> None:
    with engine(path) as connection:
        connection.execute("CREATE TABLE schema (name TEXT); CREATE TABLE payroll (salary INT)")
    before = path.read_bytes()
    for attempt in (Store(path).reviews, Store(path).prepare):
        with pytest.raises(BadStore, match="not an audit database") as refused:
            attempt()
        text_of(refused, path)
    assert path.read_bytes() == before


def test_a_log_left_by_a_deleted_database_is_named(path: Path, store: Store) -> None:
    store.prepare()
    write = "held.execute('INSERT INTO schema VALUES (7)'); os._exit(9)"
    process(f"import os, duckdb; held = duckdb.connect({str(path)!r}); {write}").communicate()
    path.unlink()
    for _ in range(2):
        with pytest.raises(BadStore, match="not its own") as refused:
            store.prepare()
        assert f"{path}.wal" in text_of(refused, path)


@contextmanager
def without_privileges() -> Iterator[Path]:
    """Give a folder to work in as somebody whom file permissions bind."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        root = os.geteuid() == 0
        try:
            yield folder
        finally:
            if root:
                os.seteuid(0)
            folder.chmod(0o755)


def drop_privileges(folder: Path) -> None:
    """Go on as nobody, or if that is who we are, take our own permission away."""
    if os.geteuid() == 0:
        os.seteuid(65534)
    else:
        folder.chmod(0o555)


def test_files_without_permission_are_refused() -> None:
    with without_privileges() as folder:
        store = Store(folder / "audit.db")
        store.write_shoe(a_shoe())
        store.path.chmod(0o444)
        unreadable = folder / "unreadable.db"
        unreadable.write_bytes(store.path.read_bytes())
        unreadable.chmod(0o000)
        writable = Store(folder / "writable.db")
        writable.path.write_bytes(store.path.read_bytes())
        writable.path.chmod(0o666)
        drop_privileges(folder)
        assert store.verify_reviews().whole
        with pytest.raises(BadStore, match="may not be written") as refused:
            store.prepare()
        text_of(refused, store.path)
        with pytest.raises(BadStore, match="may not be read") as refused:
            Store(unreadable).reviews()
        text_of(refused, unreadable)
        with pytest.raises(BadStore, match="folder does not allow") as refused:
            writable.write_shoe(a_shoe("S2"))
        text_of(refused, writable.path)
        with pytest.raises(BadStore, match="cannot be made") as refused:
            Store(folder / "new.db").prepare()
        text_of(refused, folder / "new.db")


# Versions


def write_version_0(path: Path) -> None:
    """Write a file as the first version had it: without some tables and columns, without views."""
    old = {
        FINDINGS: replace(FINDINGS, columns=FINDINGS.columns[:-1]),
        ROUNDS: replace(ROUNDS, columns=ROUNDS.columns[:-2]),
        CARDS: replace(CARDS, columns=CARDS.columns[:-1]),
    }
    with engine(path) as connection:
        for table in ALL_TABLES:
            if table not in (*OF_A_RUN, DEALT):
                connection.execute(create_table(old.get(table, table)))
        connection.execute("INSERT INTO schema VALUES (0)")
        batch = a_shoe()
        for name in ("shoes", "rounds", "findings"):
            later = ["withdrawn", "unjudged", "reconstructed"]
            connection.register("given", getattr(batch, name).drop(later, strict=False))
            connection.execute(f"INSERT INTO {name} BY NAME FROM given")


def layout(path: Path) -> list[tuple[object, ...]]:
    with engine(path) as connection:
        return connection.execute(
            "SELECT table_name, column_name, column_index, data_type, is_nullable, column_default,"
            " comment FROM duckdb_columns() WHERE NOT internal ORDER BY ALL"
        ).fetchall()


def test_an_older_file_is_upgraded_in_place(path: Path, store: Store) -> None:
    write_version_0(path)
    with pytest.raises(BadStore, match="earlier Catwalk") as refused:
        store.reviews()
    text_of(refused, path)
    store.prepare()
    with store.reading() as connection:
        kept = connection.execute("SELECT count(*), bool_or(withdrawn) FROM findings").fetchall()
        assert kept == [(2, False)]
        assert connection.execute("FROM schema").fetchall() == [(VERSION,)]
    fresh = path.with_name("fresh.db")
    Store(fresh).prepare()
    assert layout(path) == layout(fresh)
    store.write_shoe(a_shoe())


def test_a_step_that_fails_leaves_the_older_version(
    path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_version_0(path)
    monkeypatch.setattr("audit.store.versions.STEPS", (("DROP TABLE findings", "DROP TABLE no"),))
    with pytest.raises(duckdb.CatalogException):
        store.prepare()
    monkeypatch.undo()
    store.prepare()
    assert len(contents(path)["findings"]) == 2


def test_a_newer_file_is_refused_and_left_alone(path: Path, store: Store) -> None:
    store.prepare()
    with engine(path) as connection:
        connection.execute("UPDATE schema SET version = 99")
    before = path.read_bytes()
    for attempt in (store.reviews, store.prepare):
        with pytest.raises(BadStore, match="upgrade Catwalk, or audit into another") as refused:
            attempt()
        text_of(refused, path)
    assert path.read_bytes() == before
