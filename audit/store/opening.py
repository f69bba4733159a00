"""Opening the file: short connections, patience while another program has it, clear refusals.

DuckDB lets one process write or many read, never both at once. So nothing is computed while a
connection is open, and whoever finds the file taken tries again with growing pauses.
"""

import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import duckdb

from audit.store.errors import BadStore, StoreBusy

Settings = Mapping[str, str | bool | int | float | list[str]]

WRITER_SETTINGS: Settings = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
}
READER_SETTINGS: Settings = {
    **WRITER_SETTINGS,
    "enable_external_access": False,
    "allow_persistent_secrets": False,
    "temp_directory": "",
    "memory_limit": "50%",
    "errors_as_json": True,
    "lock_configuration": True,
    "allowed_configs": ["TimeZone"],
}
"""All readers have the same, since connections of one process must agree; and all are as locked in
as the one that runs an investigator's SQL."""

FIRST_PAUSE = 0.01
LONGEST_PAUSE = 0.5
_ONE_WRITER = threading.Lock()
"""Between threads of one process DuckDB keeps no order: two would chain on the same review."""
_TAKEN = ("Could not set lock", "with a different configuration", "Unique file handle conflict")
"""By another process, by a thread that opened it otherwise, by a thread that is just closing it."""
_DAMAGED = ("Corrupt database file", "Could not read enough bytes", "Failed to load metadata")
_DAMAGED_WHEN_OPENED = ("Serialization Error", "INTERNAL Error")


@contextmanager
def opened(path: Path, *, read_only: bool, patience: float) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the file, waiting up to `patience` seconds while it is taken; close it at the end."""
    _check_path(path, read_only=read_only)
    connection = _connect(path, read_only=read_only, patience=patience)
    try:
        _check_length(connection, path)
        yield connection
    except duckdb.Error as problem:
        sentence = _storage_trouble(path, str(problem))
        if sentence is None:
            raise
        raise BadStore(sentence) from None
    finally:
        connection.close()


@contextmanager
def only_writer(path: Path, patience: float) -> Iterator[None]:
    """Keep the other threads of this process from writing."""
    if not _ONE_WRITER.acquire(timeout=patience):
        raise StoreBusy(_busy(path, patience))
    try:
        yield
    finally:
        _ONE_WRITER.release()


def _connect(path: Path, *, read_only: bool, patience: float) -> duckdb.DuckDBPyConnection:
    settings = dict(READER_SETTINGS if read_only else WRITER_SETTINGS)
    until = time.monotonic() + patience
    pause = FIRST_PAUSE
    while True:
        try:
            return duckdb.connect(path, read_only=read_only, config=settings)
        except duckdb.Error as problem:
            text = str(problem)
            if not any(sign in text for sign in _TAKEN):
                raise BadStore(_refusal(path, text)) from None
        left = until - time.monotonic()
        if left <= 0:
            raise StoreBusy(_busy(path, patience)) from None
        time.sleep(min(pause, left))
        pause = min(pause * 1.5, LONGEST_PAUSE)


def log_beside(path: Path) -> Path:
    """Where the engine keeps what was committed and is not in the file yet."""
    return path.with_name(f"{path.name}.wal")


def _check_path(path: Path, *, read_only: bool) -> None:
    if path.is_dir():
        raise BadStore(f"{path} is a folder: the audit database is one file")
    if not os.access(path, os.F_OK):
        raise BadStore(f"there is no audit database {path}: `catwalk audit` makes one")
    if not os.access(path, os.R_OK, effective_ids=_EFFECTIVE):
        raise BadStore(f"{path} may not be read: ask for permission to this file")
    if not read_only and not os.access(path, os.W_OK, effective_ids=_EFFECTIVE):
        raise BadStore(f"{path} may not be written: make it writable, or copy it and use the copy")
    if path.stat().st_size == 0:
        raise BadStore(f"{path} is an empty file: delete it, and the next audit makes it anew")


def _check_length(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse a file that is shorter than what it says it holds: the engine looks only when asked.

    What a killed process left in the log beside the file is held in memory, and not counted.
    """
    if log_beside(path).exists():
        return
    held = connection.execute(
        "SELECT used_blocks * block_size FROM pragma_database_size()"
    ).fetchall()
    if path.stat().st_size < held[0][0]:
        raise BadStore(_damaged(path))


_EFFECTIVE = os.access in os.supports_effective_ids


def _busy(path: Path, patience: float) -> str:
    return (
        f"{path} is in use by another program and was not free within {patience:g} seconds: "
        "try again when it has finished"
    )


def _refusal(path: Path, text: str) -> str:
    if "not a valid DuckDB database file" in text:
        return f"{path} is not a DuckDB file: name the audit database, or a file that is not there"
    if "WAL" in text:
        return (
            f"{log_beside(path)}, the log beside the audit database, is not its own or is damaged: "
            "move it away, and audit again what is missing then"
        )
    if any(sign in text for sign in _DAMAGED_WHEN_OPENED):
        return _damaged(path)
    return _storage_trouble(path, text) or f"{path} cannot be opened: {_first_line(text)}"


def _storage_trouble(path: Path, text: str) -> str | None:
    """Say what is wrong with the file or its disk, if that is what the engine complains of."""
    if any(sign in text for sign in _DAMAGED):
        return _damaged(path)
    if "No space left" in text:
        return f"{path} could not be written: the disk is full"
    if "Permission denied" in text or "Read-only file system" in text:
        return f"{path} may not be written there: its folder does not allow it"
    if text.startswith("IO Error"):
        return f"{path} could not be used: {_first_line(text)}"
    return None


def _damaged(path: Path) -> str:
    return (
        f"{path} is damaged or cut short: restore it from a backup, "
        "or audit the same inputs into a new file"
    )


def _first_line(text: str) -> str:
    return text.partition("\n")[0].removeprefix("IO Error: ")
