"""Questions to the audit database: only reading, one sentence for errors, filters, formats."""

import csv
import hashlib
import io
import json
import time
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from audit.errors import BadInput
from audit.findings import Severity
from audit.queries import (
    BadQuery,
    Format,
    IncidentFilter,
    Order,
    format_frame,
    incident_totals,
    incidents,
    run_query,
)
from audit.store import BadStore, KnownTable, Opinion, ShoeBatch, Store

EVENING = datetime(2026, 1, 1, 20, 0, tzinfo=UTC)
HOSTILE = "'; DROP TABLE findings; --\x1b[31m"

FOUND: tuple[dict[str, object], ...] = (
    {"code": "PAY001", "clause": "4.1", "exposure": Decimal("25.00"), "dealer": "D1"},
    {"code": "PAY004", "clause": "4.1.2", "exposure": Decimal("-80.00"), "dealer": "D2"},
    {"code": "DRW003", "clause": "3.14", "exposure": None, "dealer": "D1", "confidence": 0.97},
    {"code": "BET001", "clause": "4.10", "exposure": Decimal("0.00"), "bettor": HOSTILE},
    {"code": "SHO001", "clause": "2.1", "severity": "review", "round": None, "ts": None},
    {"code": "ACT002", "clause": "3.1", "severity": "note", "expected": "Stands on 100%_"},
    {"code": "PAY009", "clause": "4.2", "table_id": "BJ-01", "rulebook": "rws-blackjack-v5"},
    {"code": "PAY010", "clause": "4.2", "exposure": Decimal("999.00")},
)


def a_finding(number: int, facts: dict[str, object]) -> dict[str, object]:
    usual = {
        "finding_id": f"f{number}",
        "table_id": "BAC-07",
        "shoe": "S1",
        "round": number,
        "ts": EVENING + timedelta(hours=number),
        "dealer": None,
        "severity": "violation",
        "rulebook": "mbs-fortune-six-baccarat-v6",
        "bettor": "alice",
        "expected": "the tie pays 8 to 1",
        "observed": "it was paid 9 to 1",
        "exposure": Decimal("1.00"),
        "confidence": 1.0,
        "evidence": "wagers 0",
    }
    return {**usual, **facts}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = Store(tmp_path_factory.mktemp("queries") / "audit.db")
    store.write_tables([KnownTable("BAC-07", "Asia/Singapore", "")])
    found = pl.DataFrame(
        [a_finding(number, facts) for number, facts in enumerate(FOUND)],
        infer_schema_length=None,
    )
    rounds = pl.DataFrame(
        {"table_id": "BAC-07", "shoe": "S1", "round": range(8), "line": "P 9H", "judged": True}
    )
    store.write_shoe(ShoeBatch("run", rounds=rounds, findings=found))
    store.add_review("f7", "ana", Opinion.DISMISSED, "the camera erred", EVENING)
    return store.path


def refused(path: Path, sql: str) -> str:
    """Give the sentence with which SQL is refused, after checking that nothing changed."""
    before = {entry.name: digest(entry) for entry in path.parent.iterdir()}
    with pytest.raises(BadQuery) as refusal:
        run_query(path, sql, seconds=5)
    assert {entry.name: digest(entry) for entry in path.parent.iterdir()} == before
    sentence = str(refusal.value)
    assert "\n" not in sentence
    assert "exception_type" not in sentence
    return sentence


def digest(entry: Path) -> str:
    return hashlib.sha256(entry.read_bytes()).hexdigest()


# Questions


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT code FROM findings",
        "select 1;",
        "WITH one AS (SELECT 1) SELECT * FROM one",
        "FROM findings",
        "FROM findings SELECT code",
        "VALUES (1, 2)",
        "DESCRIBE findings",
        "SHOW TABLES",
        "SUMMARIZE findings",
        "EXPLAIN SELECT * FROM incidents",
        "-- why so slow?\n EXPLAIN ANALYZE SELECT * FROM incidents",
        "EXPLAIN (FORMAT json) SELECT 1",
        "(SELECT 1)",
        "SELECT 1 /* ; DROP TABLE findings */",
        "SELECT 1 -- ; DROP TABLE findings",
        "SELECT '; DROP TABLE findings'",
        "FROM by_dealer",
        "FROM about",
    ],
)
def test_a_question_is_answered(path: Path, sql: str) -> None:
    answer = run_query(path, sql)
    assert answer.frame.height >= 1
    assert answer.note == ""


def test_rows_over_the_limit_are_cut_with_a_word(path: Path) -> None:
    answer = run_query(path, "FROM range(1_000_000_000_000)", limit=3)
    assert answer.frame["range"].to_list() == [0, 1, 2]
    assert answer.note == "only the first 3 rows: there are more"
    assert run_query(path, "FROM range(3)", limit=3).note == ""
    assert run_query(path, "FROM range(20_000)", limit=None).frame.height == 20_000
    assert run_query(path, "SELECT * FROM findings WHERE false").frame.width == 20


def test_a_query_that_takes_too_long_is_stopped(path: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(BadQuery, match=r"stopped after 0\.3 seconds"):
        run_query(
            path, "SELECT count(*) FROM range(1e10::BIGINT) a, range(1e9::BIGINT)", seconds=0.3
        )
    assert time.monotonic() - begun < 5
    with pytest.raises(BadQuery, match="stopped"):
        run_query(path, "FROM range(1_000_000_000_000)", limit=None, seconds=0.3)


def test_times_are_on_the_clock_of_the_tables(path: Path) -> None:
    row = run_query(path, "SELECT ts, hour(ts) FROM findings WHERE finding_id = 'f0'").frame.row(0)
    assert row == (EVENING, 4)
    assert row[0].utcoffset() == timedelta(hours=8)


def test_values_that_fit_no_cell_come_as_text(path: Path) -> None:
    sql = (
        "SELECT INTERVAL 2 HOUR AS a, [1, 2] AS a, {'x': 1} AS a, 'ab'::BLOB AS b,"
        " MAP {'k': 1} AS m, 340282366920938463463374607431768211455::UHUGEINT AS u, 3 AS plain"
    )
    frame = run_query(path, sql).frame
    assert frame.row(0) == (
        *("02:00:00", "[1, 2]", "{'x': 1}", "ab", "{k=1}"),
        *("340282366920938463463374607431768211455", 3),
    )
    assert len(set(frame.columns)) == 7


def test_huge_numbers_stay_exact(path: Path) -> None:
    frame = run_query(path, "SELECT sum(9223372036854775807::BIGINT) AS total FROM range(9)").frame
    assert frame.item() == Decimal(9223372036854775807 * 9)


def test_times_beyond_the_calendar_are_refused(path: Path) -> None:
    for sql in (
        "SELECT 'infinity'::TIMESTAMPTZ AS far",
        "SELECT '-infinity'::TIMESTAMP AS far",
        "SELECT DATE '294000-01-01' AS far",
    ):
        assert refused(path, sql) == "column far holds times that are not in the years 1 to 9999"
    frame = run_query(
        path, "SELECT DATE '0001-01-01' AS a, DATE '9999-12-31' AS b, NULL::DATE AS c"
    )
    assert frame.frame.row(0) == (date.min, date.max, None)


# What is no question


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE findings",
        "DELETE FROM findings",
        "TRUNCATE findings",
        "UPDATE findings SET exposure = 0",
        "INSERT INTO reviews SELECT * FROM reviews",
        "MERGE INTO findings USING rounds ON true WHEN MATCHED THEN DELETE",
        "CREATE TABLE mine AS SELECT 1",
        "CREATE TEMP TABLE mine AS SELECT 1",
        "CREATE MACRO f() AS 1",
        "ALTER TABLE findings DROP COLUMN evidence",
        "COMMENT ON TABLE findings IS 'x'",
        "ATTACH '/tmp/other.db'",
        "DETACH audit",
        "USE memory",
        "COPY findings TO '/tmp/stolen.csv'",
        "COPY findings FROM '/etc/passwd'",
        "EXPORT DATABASE '/tmp/stolen'",
        "IMPORT DATABASE '/tmp/stolen'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "PRAGMA database_list",
        "PRAGMA enable_profiling",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SET TimeZone = 'UTC'",
        "SET VARIABLE x = 1",
        "RESET threads",
        "CALL pragma_version()",
        "CHECKPOINT",
        "VACUUM",
        "BEGIN",
        "COMMIT",
        "PREPARE p AS SELECT 1",
        "EXECUTE p",
        "PIVOT findings ON code",
        "EXPLAIN DELETE FROM findings",
        "EXPLAIN ANALYZE DELETE FROM findings",
        "EXPLAIN ANALYZE CREATE TEMP TABLE mine AS SELECT 1",
        "EXPLAIN (ANALYZE) COPY findings TO '/tmp/stolen.csv'",
        "EXPLAIN/**/ANALYZE DELETE FROM findings",
        "SELECT 1; DROP TABLE findings",
        "SELECT 1;; SELECT 2",
        "",
        " ; ",
        "-- nothing",
        "SELEC 1",
        "SELECT '\ud800'",
        "SELECT " + "1 + " * 20_000 + "1",
        "SELECT " + "(" * 5_000 + "1" + ")" * 5_000,
    ],
)
def test_whatever_is_no_question_is_refused(path: Path, sql: str) -> None:
    assert refused(path, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "WITH gone AS (DELETE FROM findings RETURNING *) SELECT * FROM gone",
        "WITH new AS (INSERT INTO schema VALUES (9) RETURNING *) SELECT * FROM new",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('/etc/passwd')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_json('/etc/passwd')",
        "SELECT * FROM read_parquet('/tmp/*.parquet')",
        "SELECT * FROM parquet_metadata('/tmp/x.parquet')",
        "SELECT * FROM sniff_csv('/etc/passwd')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM read_duckdb('/tmp/other.db')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM '/tmp/x.csv'",
        "SELECT * FROM 'http://localhost/x.csv'",
        "SELECT * FROM 's3://bucket/x.parquet'",
        "SELECT * FROM enable_logging(storage='file', storage_path='/tmp/logs')",
        "SELECT * FROM force_checkpoint()",
        "SELECT * FROM query('DROP TABLE findings')",
        "SELECT * FROM connection",
        "SELECT * FROM sql",
        "SELECT getenv('HOME')",
        "SELECT * FROM arrow_scan(1, 2, 3)",
        "SELECT * FROM pandas_scan(1)",
        "SELECT ?",
        "SELECT $path",
    ],
)
def test_a_question_that_reaches_further_is_refused(path: Path, sql: str) -> None:
    assert refused(path, sql)


def test_an_error_says_where_it_is(path: Path) -> None:
    assert refused(path, "SELECT 'é😀',\n  foo FROM findings").startswith("line 2, column 3: ")
    assert refused(path, "SELECT code\nFROM nowhere").startswith("line 2, column 6: ")
    assert refused(path, "SELECT 1 FORM findings").startswith("line 1, column 15: ")
    assert refused(path, "SELECT\n\n ('a' || code)::INT FROM findings").startswith("line 3, col")
    wrapped = refused(path, "SELECT [1], ('a' || code)::INT FROM findings")
    assert wrapped.startswith("Could not convert")
    assert "code" in refused(path, "SELECT cod FROM findings")
    late = "SELECT CASE WHEN range = 4999 THEN ('a' || range)::INT END FROM range(5000)"
    assert "line 1, column 50: Could not convert" in refused(path, late)


def test_a_file_damaged_where_the_query_looks_is_named(tmp_path: Path) -> None:
    store = Store(tmp_path / "audit.db")
    many = pl.DataFrame({"table_id": "T", "shoe": "S", "seq": range(200_000), "card": "AS"})
    many = many.with_columns(footage=pl.col("seq").hash().cast(pl.String))
    store.write_shoe(ShoeBatch("run", cards=many))
    data = bytearray(store.path.read_bytes())
    for start in range(300_000, len(data) - 300_000, 100_000):
        data[start : start + 4] = b"zzzz"
    store.path.write_bytes(data)
    with pytest.raises(BadStore, match="damaged") as refusal:
        run_query(store.path, "SELECT max(footage), sum(seq) FROM cards")
    assert "\n" not in str(refusal.value)


def test_a_query_of_a_missing_or_foreign_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadStore, match="no audit database"):
        run_query(tmp_path / "audit.db", "SELECT 1")
    (tmp_path / "notes.txt").write_text("no database")
    with pytest.raises(BadStore, match="not a DuckDB file"):
        run_query(tmp_path / "notes.txt", "SELECT 1")


# Incidents


def ids(path: Path, wanted: IncidentFilter) -> list[str]:
    found: list[str] = incidents(path, wanted)["finding_id"].to_list()
    return found


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (IncidentFilter(), "f6 f3 f2 f1 f0"),
        (IncidentFilter(order=Order.OLDEST), "f0 f1 f2 f3 f6"),
        (IncidentFilter(order=Order.MONEY), "f1 f0 f6 f3 f2"),
        (IncidentFilter(order=Order.SUREST), "f0 f1 f3 f6 f2"),
        (IncidentFilter(limit=2), "f6 f3"),
        (IncidentFilter(limit=0), ""),
        (IncidentFilter(limit=None), "f6 f3 f2 f1 f0"),
        (IncidentFilter(table=("BJ-01",)), "f6"),
        (IncidentFilter(dealer=("D1",)), "f2 f0"),
        (IncidentFilter(dealer=("D1", "D2")), "f2 f1 f0"),
        (IncidentFilter(bettor=(HOSTILE,)), "f3"),
        (IncidentFilter(code=("PAY001", "DRW003")), "f2 f0"),
        (IncidentFilter(family=("PAY",)), "f6 f1 f0"),
        (IncidentFilter(clause=("4.1",)), "f1 f0"),
        (IncidentFilter(clause=("4.10", "3.14")), "f3 f2"),
        (IncidentFilter(rulebook=("rws-blackjack-v5",)), "f6"),
        (IncidentFilter(severity=(Severity.REVIEW, Severity.NOTE)), "f5 f4"),
        (IncidentFilter(severity=()), "f6 f5 f3 f2 f1 f0 f4"),
        (IncidentFilter(since=EVENING + timedelta(hours=2)), "f6 f3 f2"),
        (IncidentFilter(until=EVENING + timedelta(hours=2)), "f1 f0"),
        (IncidentFilter(since=datetime(2026, 1, 2, 6, 0, tzinfo=timezone(timedelta(hours=8)))),
         "f6 f3 f2"),
        (IncidentFilter(least_exposure=Decimal(25)), "f1 f0"),
        (IncidentFilter(least_exposure=Decimal(0)), "f6 f3 f1 f0"),
        (IncidentFilter(text="PAID 9"), "f6 f3 f2 f1 f0"),
        (IncidentFilter(text="100%_", severity=(Severity.NOTE,)), "f5"),
        (IncidentFilter(text="%"), ""),
        (IncidentFilter(dealer=("D1",), family=("PAY",), least_exposure=Decimal("25.00")), "f0"),
        (IncidentFilter(text=HOSTILE, table=(HOSTILE,), code=(HOSTILE,), clause=(HOSTILE,)), ""),
    ],
)  # fmt: skip
def test_incidents_are_found_by_filter(path: Path, wanted: IncidentFilter, found: str) -> None:
    before = digest(path)
    assert ids(path, wanted) == found.split()
    assert digest(path) == before


def test_an_incident_has_its_round_on_one_line_and_its_money(path: Path) -> None:
    row = incidents(path, IncidentFilter(code=("PAY004",))).row(0, named=True)
    assert (row["line"], row["given_away"], row["short_changed"]) == ("P 9H", 0, Decimal(80))
    assert row["ts"].utcoffset() == timedelta(hours=8)


def test_totals_count_everything_and_add_up_only_violations(path: Path) -> None:
    totals = incident_totals(path, IncidentFilter(severity=(), limit=1))
    assert (totals.violations, totals.to_review, totals.notes, totals.found) == (5, 1, 1, 7)
    assert (totals.given_away, totals.short_changed) == (Decimal("26.00"), Decimal("80.00"))
    assert totals.unknown == 1
    nothing = incident_totals(path, IncidentFilter(dealer=("nobody",)))
    assert (nothing.found, nothing.given_away, nothing.unknown) == (0, Decimal(0), 0)


def test_a_filter_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(BadInput, match="has no zone"):
        IncidentFilter(since=datetime(2026, 1, 1))
    with pytest.raises(BadInput, match="limit of -1"):
        IncidentFilter(limit=-1)


# Formats

FRAME = pl.DataFrame(
    {
        "name": ["a", HOSTILE + '\n,"', None],
        "money": [Decimal("0.10"), None, Decimal("-12345678901234567.89")],
        "share": [0.5, float("nan"), float("inf")],
        "ts": pl.Series([EVENING, EVENING.replace(microsecond=7), None]).dt.convert_time_zone(
            "Asia/Singapore"
        ),
    }
)


def written(frame: pl.DataFrame, shape: Format) -> bytes:
    out = io.BytesIO()
    format_frame(frame, shape, out)
    return out.getvalue()


def test_csv_is_exact() -> None:
    table = list(csv.reader(io.StringIO(written(FRAME, Format.CSV).decode(), newline="")))
    assert table == [
        ["name", "money", "share", "ts"],
        ["a", "0.10", "0.5", "2026-01-02T04:00:00+08:00"],
        [HOSTILE + '\n,"', "", "NaN", "2026-01-02T04:00:00.000007+08:00"],
        ["", "-12345678901234567.89", "inf", ""],
    ]


def test_json_is_an_array_with_money_as_text() -> None:
    rows = json.loads(written(FRAME, Format.JSON))
    assert rows[0] == {
        "name": "a",
        "money": "0.10",
        "share": 0.5,
        "ts": "2026-01-02T04:00:00+08:00",
    }
    assert rows[2] == {"name": None, "money": "-12345678901234567.89", "share": None, "ts": None}
    assert json.loads(written(FRAME.head(0), Format.JSON)) == []


def test_parquet_comes_back_as_it_was() -> None:
    assert pl.read_parquet(io.BytesIO(written(FRAME, Format.PARQUET))).equals(FRAME)


def test_a_table_is_aligned_and_cannot_steer_the_terminal() -> None:
    text = written(FRAME.select("name", "money"), Format.TABLE).decode()
    assert text.splitlines() == [
        "name                                                    money",
        "──────────────────────────────────────  ─────────────────────",
        "a                                                        0.10",
        "'; DROP TABLE findings; --\\x1b[31m\\n,\"",
        "                                        -12345678901234567.89",
    ]


def test_wide_letters_take_two_cells() -> None:
    frame = pl.DataFrame({"名": ["荷官", "D1"], "n": [1, 22]})
    lines = written(frame, Format.TABLE).decode().splitlines()
    assert lines == ["名     n", "────  ──", "荷官   1", "D1    22"]


def test_an_empty_table_still_has_its_head() -> None:
    assert written(FRAME.select("name").head(0), Format.TABLE) == "name\n────\n".encode()
    assert written(pl.DataFrame(), Format.TABLE) == b""


def test_a_table_wider_than_the_screen_is_shown_value_by_value() -> None:
    frame = pl.DataFrame({"name": ["word " * 12, HOSTILE + "\n"], "n": [1, 22]})
    out = io.BytesIO()
    format_frame(frame, Format.TABLE, out, width=40)
    lines = out.getvalue().decode().splitlines()
    assert lines[0].startswith("── 1 ──")
    assert lines[1:4] == [
        "name  word word word word word word word"[:40].rstrip(),
        "      word word word word word",
        "n     1",
    ]
    assert max(map(len, lines)) <= 40
    assert "\\x1b[31m\\n" in "".join(lines)
    narrow = io.BytesIO()
    format_frame(frame.select("n"), Format.TABLE, narrow, width=40)
    assert narrow.getvalue().decode().splitlines() == [" n", "──", " 1", "22"]
