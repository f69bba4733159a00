"""What one run of the audit came to, as the store has it."""

from dataclasses import dataclass
from decimal import Decimal

from audit.sources.records import Account
from audit.store import Store
from audit.store.store import OF_THE_RUN

MOST_QUOTED = 20
"""Rows that were not used which are quoted; the store has the others."""


@dataclass(frozen=True, slots=True)
class CodeCount:
    code: str
    severity: str
    findings: int
    given_away: Decimal
    short_changed: Decimal


@dataclass(frozen=True, slots=True)
class UnusedRow:
    source: str
    row: int
    column: str
    why: str
    refused: bool

    def __str__(self) -> str:
        place = f"{self.source}, row {self.row}" if self.row else self.source
        return f"{place}, {self.column}: {self.why}" if self.column else f"{place}: {self.why}"


@dataclass(frozen=True, slots=True)
class RunSummary:
    run_id: str
    tables: int
    shoes: int
    rounds: int
    judged: int
    unjudged: tuple[tuple[str, int], ...]
    """Why rounds could not be judged, and how many."""
    codes: tuple[CodeCount, ...]
    accounts: tuple[Account, ...]
    refused: tuple[UnusedRow, ...]
    """The first of them."""
    left_over: tuple[tuple[str, int], ...]
    """Why rows were left over, and how many."""

    def findings_of(self, severity: str) -> int:
        return sum(code.findings for code in self.codes if code.severity == severity)


_COUNTS = f"""
    SELECT (SELECT count(DISTINCT table_id) FROM shoes WHERE run_id = $run),
           (SELECT count(*) FROM shoes WHERE run_id = $run),
           count(*), count(*) FILTER (judged)
    FROM rounds {OF_THE_RUN}
"""  # noqa: S608
_UNJUDGED = f"""
    SELECT unjudged, count(*) FROM rounds {OF_THE_RUN}
    WHERE NOT judged GROUP BY unjudged ORDER BY count(*) DESC, unjudged
"""  # noqa: S608
_CODES = f"""
    SELECT code, severity, count(*), sum(given_away), sum(short_changed)
    FROM standing {OF_THE_RUN}
    GROUP BY code, severity ORDER BY severity = 'violation' DESC, count(*) DESC, code
"""  # noqa: S608
_ACCOUNTS = """
    SELECT source, read, used, left_over, refused FROM inputs WHERE run_id = $run ORDER BY source
"""
_REFUSED = f"""
    SELECT source, "row", column_name, why, refused FROM unused_rows
    WHERE run_id = $run AND (refused OR "row" = 0) ORDER BY source, "row" LIMIT {MOST_QUOTED}
"""  # noqa: S608
_LEFT_OVER = """
    SELECT regexp_replace(why, '[0-9]+', 'N', 'g') AS reason, count(*) FROM unused_rows
    WHERE run_id = $run AND NOT refused AND "row" > 0
    GROUP BY reason ORDER BY count(*) DESC, reason LIMIT 10
"""


def summary_of(store: Store, run_id: str) -> RunSummary:
    """Gather what a run came to."""
    with store.reading() as connection:

        def rows(sql: str) -> list[tuple[object, ...]]:
            return connection.execute(sql, {"run": run_id}).fetchall()

        tables, shoes, rounds, judged = map(_whole, rows(_COUNTS)[0])
        unjudged, codes = rows(_UNJUDGED), rows(_CODES)
        accounts, refused, left_over = rows(_ACCOUNTS), rows(_REFUSED), rows(_LEFT_OVER)
    return RunSummary(
        run_id,
        tables,
        shoes,
        rounds,
        judged,
        tuple((str(why), _whole(count)) for why, count in unjudged),
        tuple(_code_count(row) for row in codes),
        tuple(Account(str(source), *map(_whole, rest)) for source, *rest in accounts),
        tuple(
            UnusedRow(str(source), _whole(row), str(column or ""), str(why), bool(bad))
            for source, row, column, why, bad in refused
        ),
        tuple((str(why), _whole(count)) for why, count in left_over),
    )


def _whole(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is not a count")
    return value


def _code_count(row: tuple[object, ...]) -> CodeCount:
    code, severity, count, given, short = row
    if not isinstance(given, Decimal) or not isinstance(short, Decimal):
        raise TypeError(f"{given!r} and {short!r} are not money")
    return CodeCount(str(code), str(severity), _whole(count), given, short)
