"""Versions of the schema: a new file gets the present one, an older file is upgraded step by step.

Each step is one transaction together with the version that it reaches, so a process that is killed
in between leaves a file that the next one upgrades from there.
"""

import os
from pathlib import Path

import duckdb

from audit.store.errors import BadStore
from audit.store.opening import WRITER_SETTINGS, log_beside
from audit.store.schema import (
    ALL_TABLES,
    DEALT,
    INPUTS,
    UNUSED_ROWS,
    VERSION,
    comments,
    create_table,
)
from audit.store.views import ALL_VIEWS, create_view

STEPS: tuple[tuple[str, ...], ...] = (
    (
        "ALTER TABLE findings ADD COLUMN withdrawn BOOLEAN DEFAULT false",
        "ALTER TABLE findings ALTER COLUMN withdrawn SET NOT NULL",
    ),
    (
        "ALTER TABLE rounds ADD COLUMN unjudged VARCHAR",
        "ALTER TABLE rounds ADD COLUMN reconstructed BOOLEAN",
        create_table(INPUTS),
        create_table(UNUSED_ROWS),
        create_table(DEALT),
        """
        INSERT INTO dealt
        SELECT table_id, shoe, time_bucket(INTERVAL '15 minutes', ts), dealer, count(*),
               count(*) FILTER (judged)
        FROM rounds GROUP BY ALL
        """,
    ),
    ("ALTER TABLE cards ADD COLUMN doubt VARCHAR",),
)
"""Step n leads from version n to version n + 1."""


def create(path: Path) -> None:
    """Make an empty audit database, all at once: nobody ever sees half of one."""
    if not path.parent.is_dir():
        raise BadStore(f"{path} cannot be made: there is no folder {path.parent}")
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        _write_new(draft)
        _put_in_place(draft, path)
    except duckdb.Error as problem:
        reason = str(problem).partition("\n")[0]
        raise BadStore(f"{path} cannot be made: {reason}") from None
    except OSError as problem:
        raise BadStore(f"{path} cannot be made: {problem.strerror}") from None
    finally:
        for left in (draft, log_beside(draft)):
            left.unlink(missing_ok=True)


def _write_new(draft: Path) -> None:
    draft.unlink(missing_ok=True)
    with duckdb.connect(draft, config=dict(WRITER_SETTINGS)) as connection:
        connection.begin()
        _create_all(connection)
        connection.commit()


def _put_in_place(draft: Path, path: Path) -> None:
    """Give the draft its name, unless another process was first: then its file is as good."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        if not path.exists():
            draft.rename(path)


def _create_all(connection: duckdb.DuckDBPyConnection) -> None:
    for table in ALL_TABLES:
        connection.execute(create_table(table))
    connection.execute("INSERT INTO schema VALUES (?)", [VERSION])
    _explain_all(connection)


def _explain_all(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the views and the comments, which belong to no version but the present one."""
    for table in ALL_TABLES:
        for statement in comments(table):
            connection.execute(statement)
    for view in ALL_VIEWS:
        for statement in create_view(view):
            connection.execute(statement)


def upgrade(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Bring a file that is open for writing to the present version."""
    for version in range(_readable_version(connection, path), VERSION):
        connection.begin()
        for statement in STEPS[version]:
            connection.execute(statement)
        connection.execute("UPDATE schema SET version = ?", [version + 1])
        if version + 1 == VERSION:
            _explain_all(connection)
        connection.commit()


def check(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse to read a file that is not of the present version."""
    version = _readable_version(connection, path)
    if version < VERSION:
        raise BadStore(
            f"{path} was written by an earlier Catwalk (schema {version}, this one reads "
            f"{VERSION}): a command that writes to it, such as `catwalk audit`, upgrades it"
        )


def _readable_version(connection: duckdb.DuckDBPyConnection, path: Path) -> int:
    found = connection.execute(
        "SELECT 1 FROM duckdb_columns() "
        "WHERE schema_name = 'main' AND table_name = 'schema' AND column_name = 'version'"
    ).fetchall()
    rows = connection.execute("SELECT version FROM schema").fetchall() if found else []
    if len(rows) != 1 or not isinstance(rows[0][0], int):
        raise BadStore(f"{path} is a DuckDB file, but not an audit database of Catwalk")
    version: int = rows[0][0]
    if version > VERSION:
        raise BadStore(
            f"{path} was written by a newer Catwalk (schema {version}, this one knows {VERSION}): "
            "upgrade Catwalk, or audit into another file"
        )
    if version < 0:
        raise BadStore(f"{path} has schema {version}, which no Catwalk ever wrote")
    return version
