"""The page that somebody begins with who wants to ask in SQL: tables, views, columns, examples."""

from pathlib import Path

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from audit.store import Store
from audit.store.schema import ALL_TABLES
from audit.store.views import ALL_VIEWS
from audit.visible import visible

EXAMPLES = (
    "FROM by_dealer LIMIT 10",
    "SELECT ts, table_id, shoe, round, code, exposure FROM incidents ORDER BY exposure DESC",
    "SELECT bettor, count(*), sum(given_away) FROM incidents GROUP BY ALL ORDER BY 3 DESC",
)
_SHORT = {"TIMESTAMP WITH TIME ZONE": "moment", "VARCHAR": "text", "BIGINT": "whole number"}
_SHORT |= {"DOUBLE": "number", "BOOLEAN": "true or false"}
_SHORT |= {"DECIMAL(18,2)": "money", "DECIMAL(38,2)": "money"}


def schema_page(path: Path, name: str) -> Group:
    """Show what the database holds, as it is stored in it, views first."""
    with Store(path).reading() as connection:
        meanings = dict(
            connection.execute(
                "SELECT name, meaning FROM about WHERE column_name IS NULL"
            ).fetchall()
        )
        columns: dict[str, list[tuple[str, str, str]]] = {}
        for table, column, kind, meaning in connection.execute(
            "SELECT table_name, column_name, data_type, coalesce(comment, '') "
            "FROM duckdb_columns() WHERE NOT internal ORDER BY column_index"
        ).fetchall():
            columns.setdefault(table, []).append((column, kind, meaning))
    views = [view.name for view in ALL_VIEWS]
    tables = [table.name for table in ALL_TABLES]
    parts: list[RenderableType] = []
    for heading, names in (
        ("Views: questions half answered", views),
        ("Tables", tables),
    ):
        parts += [Text(heading, style="bold underline"), Text()]
        for table in names:
            parts += _part(table, meanings.get(table) or "", columns.get(table, []))
    parts.append(Text("For a start", style="bold underline"))
    parts += [Text(f'  catwalk query --db {name} "{example}"') for example in EXAMPLES]
    return Group(*parts)


def _part(name: str, meaning: str, columns: list[tuple[str, str, str]]) -> list[RenderableType]:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, style="cyan")
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    for column, kind, says in columns:
        grid.add_row(visible(column), visible(_SHORT.get(kind, kind)), visible(says))
    head = Text.assemble((name, "bold"), f"  {visible(meaning)}")
    return [head, Padding(grid, (0, 0, 1, 2))]
