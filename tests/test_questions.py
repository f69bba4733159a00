"""The investigator's commands as they are typed: what they show, write and refuse."""

import csv
import io
import json
import os
import pty
import struct
import subprocess
import sys
import termios
import time
from fcntl import ioctl
from pathlib import Path

import click
import polars as pl
import pytest
from click.testing import CliRunner, Result

from audit.commands.incidents import incidents
from audit.commands.query import query
from audit.errors import CatwalkError
from audit.store import KnownTable, Opinion, Store
from tests.stored_night import EVENING, HOSTILE, sheet_text, stored_night

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = Store(tmp_path_factory.mktemp("questions") / "night.duckdb")
    stored_night(store)
    return store.path


def asked(command: click.Command, *words: str | Path, given: str = "") -> Result:
    """Run a command; an error that the group would turn into a sentence is raised."""
    result = CliRunner(env={"COLUMNS": "100"}).invoke(command, list(map(str, words)), input=given)
    if isinstance(result.exception, CatwalkError):
        raise result.exception
    return result


def found(night: Path, *words: str) -> Result:
    return asked(incidents, "--db", night, *words)


def keys(night: Path, *words: str) -> list[str]:
    """Give round and code of what is found, in order."""
    result = found(night, "--format", "json", *words)
    return [f"{row['shoe']}/{row['round']} {row['code']}" for row in json.loads(result.stdout)]


def refused(command: click.Command, *words: str | Path) -> str:
    with pytest.raises(CatwalkError) as refusal:
        asked(command, *words)
    assert str(refusal.value).isprintable()
    return str(refusal.value)


def on_a_screen(module: str, name: str, width: int, *words: str | Path) -> tuple[str, int]:
    """Run a command in a terminal of some width, and give what it shows and its status."""
    code = f"import sys; from audit.commands.{module} import {name}; {name}(sys.argv[1:])"
    main, side = pty.openpty()
    ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k not in {"COLUMNS", "NO_COLOR"}}
    with subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        stdin=side,
        stdout=side,
        stderr=side,
        cwd=ROOT,
        env={**environment, "TERM": "xterm-256color"},
    ) as process:
        os.close(side)
        shown = b""
        while True:
            try:
                more = os.read(main, 65536)
            except OSError:
                break
            if not more:
                break
            shown += more
    os.close(main)
    return shown.decode().replace("\r\n", "\n"), process.returncode


# Incidents


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), "S9/2 PAY001, S1/6 PAY008, S1/4 PAY001, 2026/03/01/3 PAY013, 2026/03/01/3 DRW012,"
             " S1/2 DRW003, 2026/03/01/1 DEA018"),
        (("--order", "oldest", "--limit", "2"), "2026/03/01/1 DEA018, S1/2 DRW003"),
        (("--order", "money", "--limit", "2"), "S1/6 PAY008, 2026/03/01/3 PAY013"),
        (("--table", "BAC-07"), "S1/6 PAY008, S1/4 PAY001, S1/2 DRW003"),
        (("--table", "BAC-07", "--table", "BAC-08", "--code", "pay001"),
         "S9/2 PAY001, S1/4 PAY001"),
        (("--family", "drw"), "2026/03/01/3 DRW012, S1/2 DRW003"),
        (("--clause", "5"), "2026/03/01/1 DEA018"),
        (("--bettor", "carol"), "S1/6 PAY008"),
        (("--bettor", HOSTILE), "S9/2 PAY001"),
        (("--severity", "review", "--order", "surest"), "S1/5 DRW001, S1/5 PAY003, S1/5 PAY004"),
        (("--rulebook", "mbs-blackjack-v6", "--least-exposure", "50"), "2026/03/01/3 PAY013"),
        (("--least-exposure", "90.00"), "S1/6 PAY008"),
        (("--text", "COMMISSION"), ""),
        (("--text", "stood ON"), "S1/2 DRW003"),
        (("--since", "2026-03-03"), "S9/2 PAY001"),
        (("--since", "2026-03-02T04:04", "--until", "2026-03-02T04:06"), "S1/4 PAY001"),
        (("--since", "2026-03-01T20:04Z", "--until", "2026-03-02"), "S1/6 PAY008, S1/4 PAY001"),
        (("--until", "2026-03-01"), ""),
        (("--dealer", "D17", "--limit", "1"), "S9/2 PAY001"),
        (("--dealer", "' OR true --"), ""),
        (("--text", "%' OR 1=1; --"), ""),
        (("--bettor", "x'); DELETE FROM findings; --"), ""),
    ],
)  # fmt: skip
def test_incidents_are_found_as_they_are_asked_for(
    night: Path, words: tuple[str, ...], expected: str
) -> None:
    told = keys(night, *words)
    if "--order" not in words:
        assert sorted(told) == sorted(filter(None, expected.split(", ")))
    else:
        assert told == expected.split(", ")


def test_all_severities_are_three(night: Path) -> None:
    assert len(keys(night, "--severity", "all")) == 10
    assert len(keys(night, "--severity", "violation", "--severity", "review")) == 10


def test_the_status_says_whether_a_violation_was_found(night: Path) -> None:
    assert found(night).exit_code == 1
    assert found(night, "--limit", "0").exit_code == 1
    assert found(night, "--severity", "review").exit_code == 0
    assert found(night, "--until", "2020-01-01").exit_code == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--code", "PAY01"), "'PAY01' is not a code: did you mean PAY"),
        (("--code", "' OR 1=1"), "is not a code"),
        (("--family", "PAX"), "'PAX' is not a family of codes: there are ACT, BET"),
        (("--rulebook", "mbs-blackjack"), "did you mean mbs-blackjack-v6?"),
        (("--severity", "violations"), "'violations' is not a severity: did you mean violation?"),
        (("--table", "BAC-7"), "is not a table of this database: did you mean BAC-07?"),
        (("--table", "\x1b[2J"), r"'\x1b[2J' is not a table"),
        (("--since", "yesterday"), "'yesterday' is not a date or a moment: write it like 2026-01"),
        (("--until", "2026-02-30"), "is not a date or a moment"),
        (("--since", "0001-01-01"), "is beyond the calendar"),
        (("--until", "9999-12-31"), "is beyond the calendar"),
        (("--least-exposure", "10.001"), "is not an amount of money"),
        (("--limit", "-1"), "is not a number of rows"),
        (("--limit", "many"), "is not a number of rows"),
        (("--bettor", "\udcff"), "is not Unicode text"),
        (("--text", "\udcff"), "is not Unicode text"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_hint(
    night: Path, words: tuple[str, ...], sentence: str
) -> None:
    assert sentence in refused(incidents, "--db", night, *words)


def test_a_document_stands_for_all_of_its_games(night: Path) -> None:
    assert keys(night, "--rulebook", "mbs-electronic-baccarat") == []
    assert len(keys(night, "--rulebook", "MBS-fortune-six-baccarat-v6")) == 4


def test_a_date_needs_one_clock(tmp_path: Path) -> None:
    store = Store(tmp_path / "two.duckdb")
    stored_night(store)
    text = sheet_text("MACAU-1", "mbs-blackjack-v6")
    store.write_tables([KnownTable("MACAU-1", "Europe/London", text)])
    assert "several timezones" in refused(incidents, "--db", store.path, "--since", "2026-03-02")
    assert len(keys(store.path, "--since", "2026-03-02", "--table", "BAC-07")) == 3
    assert len(keys(store.path, "--since", "2026-03-02T00:00+08:00")) == 7


def test_a_name_that_nobody_has_is_said_when_nothing_is_found(night: Path) -> None:
    result = found(night, "--dealer", "D1", "--bettor", "alcie")
    assert result.exit_code == 0
    assert "no round has a dealer 'D1': did you mean D17?" in result.stderr
    assert "no round has a bettor 'alcie': did you mean alice?" in result.stderr
    assert "did you mean" not in found(night, "--dealer", "D17", "--until", "2020-01-01").stderr


def test_piped_text_has_one_line_for_each_incident(night: Path) -> None:
    result = found(night, "--order", "oldest")
    lines = result.stdout.splitlines()
    assert len(lines) == 2 + 7
    assert lines[0].split()[:4] == ["ts", "round", "code", "severity"]
    assert "2026-03-02 04:01:00+08:00  BJ-02/2026/03/01/1  DEA018" in lines[2]
    assert result.stderr == (
        "7 violations: the house gave away 50.00; bettors were short-changed 140.00; "
        "1 of unknown cost\n"
    )
    assert "\x1b" not in result.stdout


def test_money_in_doubt_is_not_added_up(night: Path) -> None:
    assert found(night, "--severity", "review").stderr == "3 to review\n"
    said = found(night, "--severity", "all").stderr
    assert said.startswith("7 violations, 3 to review: the house gave away 50.00; bettors were")
    assert "140.00" in said


def test_csv_and_parquet_hold_every_column_exactly(night: Path, tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(found(night, "--format", "csv").stdout)))
    assert [row["exposure"] for row in rows if row["code"] == "PAY008"] == ["-90.00"]
    assert {row["bettor"] for row in rows} >= {"alice", HOSTILE}
    out = tmp_path / "found.parquet"
    assert found(night, "--format", "parquet", "--out", str(out)).exit_code == 1
    assert pl.read_parquet(out).height == 7
    assert [entry.name for entry in tmp_path.iterdir()] == ["found.parquet"]


def test_what_is_cut_is_said(night: Path) -> None:
    said = found(night, "--format", "csv", "--limit", "2").stderr
    assert said == "only the first 2 of 7 are here: --limit all gives all of them\n"
    assert found(night, "--format", "csv", "--limit", "ALL").stderr == ""


def test_the_database_is_never_written_over(night: Path, tmp_path: Path) -> None:
    before = night.read_bytes()
    link = tmp_path / "link"
    link.symlink_to(night)
    for target in (night, link):
        assert "is the audit database" in refused(incidents, "--db", night, "--out", target)
        assert "is the audit database" in refused(query, "--db", night, "--out", target, "SELECT 1")
    assert "is a folder" in refused(incidents, "--db", night, "--out", tmp_path)
    missing = tmp_path / "no" / "x.csv"
    assert "cannot be written" in refused(incidents, "--db", night, "--out", missing)
    assert night.read_bytes() == before


def test_a_dismissed_incident_is_gone_and_a_confirmed_one_says_so(tmp_path: Path) -> None:
    store = Store(tmp_path / "night.duckdb")
    stored_night(store)
    rows = json.loads(found(store.path, "--format", "json", "--table", "BAC-07").stdout)
    first, second, _ = (row["finding_id"] for row in rows)
    store.add_review(first, "ana", Opinion.DISMISSED, "it was the camera", EVENING)
    store.add_review(second, "ana", Opinion.CONFIRMED, "seen", EVENING)
    left = found(store.path, "--table", "BAC-07").stdout
    assert "PAY008" not in left
    assert "confirmed" in left


@pytest.mark.parametrize("width", [80, 120])
def test_a_screen_gets_blocks_that_fit_with_colour_and_a_last_word(night: Path, width: int) -> None:
    shown, status = on_a_screen("incidents", "incidents", width, "--db", night)
    assert status == 1
    assert "\x1b[1;31mPAY008 violation" in shown
    plain = _without_colour(shown)
    lines = plain.splitlines()
    assert max(map(len, lines)) <= max(width, len(f"catwalk explain BAC-08/S9/2 --db {night}"))
    head = next(line for line in lines if "BAC-07/S1/6" in line)
    assert head.startswith("▌ PAY008 violation  BAC-07/S1/6  Mon 2 Mar 2026 04:06:00")
    assert head.endswith("-90.00")
    assert "▌ required  banker pays 0.95 to 1 on 200.00, +190.00: player 6, banker 9" in plain
    assert " ".join(plain.split()).endswith(
        "7 violations: the house gave away 50.00; bettors were short-changed 140.00; "
        f"1 of unknown cost catwalk explain BAC-08/S9/2 --db {night}"
    )


def test_a_screen_is_not_steered_by_stored_text(night: Path) -> None:
    shown, _ = on_a_screen("incidents", "incidents", 200, "--db", night, "--table", "BAC-08")
    assert "[red]eve[/red]\\x1b[31m\\n[link=file:///etc/passwd]x[/link]\\u202e" in shown
    assert "\x1b]8;" not in shown
    assert "\u202e" not in shown


def _without_colour(text: str) -> str:
    parts = text.split("\x1b[")
    return parts[0] + "".join(part.partition("m")[2] for part in parts[1:])


# Queries


def test_a_query_is_answered_in_every_format(night: Path, tmp_path: Path) -> None:
    sql = "SELECT code, exposure FROM incidents WHERE table_id = 'BAC-07' ORDER BY ts LIMIT 2"
    table = asked(query, "--db", night, sql)
    assert table.exit_code == 0
    assert table.stdout.splitlines()[0].split() == ["code", "exposure"]
    assert table.stdout.splitlines()[2:] == ["DRW003      0.00", "PAY001     25.00"]
    assert asked(query, "--db", night, sql, "--format", "csv").stdout.splitlines()[1:] == [
        "DRW003,0.00",
        "PAY001,25.00",
    ]
    rows = json.loads(asked(query, "--db", night, sql, "--format", "json").stdout)
    assert rows[1] == {"code": "PAY001", "exposure": "25.00"}
    out = tmp_path / "answer.parquet"
    asked(query, "--db", night, sql, "--format", "parquet", "--out", out)
    assert pl.read_parquet(out)["code"].to_list() == ["DRW003", "PAY001"]
    piped = asked(query, "--db", night, sql, "--format", "parquet").stdout_bytes
    assert piped == out.read_bytes()


def test_sql_comes_from_the_line_a_file_or_standard_input(night: Path, tmp_path: Path) -> None:
    file = tmp_path / "question.sql"
    file.write_text("\ufeffSELECT 'é' AS letter", "utf-8")
    assert asked(query, "--db", night, "--file", file).stdout.splitlines()[-1] == "é"
    typed = asked(query, "--db", night, "-", given="SELECT 40 + 2 AS n\n")
    assert typed.stdout.splitlines()[-1] == "42"
    assert "not both" in refused(query, "--db", night, "--file", file, "SELECT 1")
    assert "cannot be read" in refused(query, "--db", night, "--file", tmp_path / "no.sql")
    file.write_bytes(b"SELECT '\xff'")
    assert "not UTF-8" in refused(query, "--db", night, "--file", file)


def test_without_sql_the_tables_and_columns_are_shown_with_what_they_mean(night: Path) -> None:
    shown = asked(query, "--db", night).stdout
    for words in (
        "by_dealer  Rounds, violations and money of each dealer",
        "findings  Where play and the approved rules part.",
        "unjudged",
        "What the house gave away",
        "catwalk query --db",
    ):
        assert words in shown
    assert "None" not in shown


def test_rows_that_are_cut_are_said_on_the_side(night: Path) -> None:
    result = asked(query, "--db", night, "FROM range(100)", "--limit", "3", "--format", "csv")
    assert result.stdout.splitlines() == ["range", "0", "1", "2"]
    assert result.stderr == "only the first 3 rows: there are more (--limit)\n"
    everything = asked(query, "--db", night, "FROM range(20000)", "--limit", "all")
    assert len(everything.stdout.splitlines()) == 20_002


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE findings",
        "SELECT 1; DELETE FROM findings",
        "COPY findings TO '/tmp/stolen.csv'",
        "SELECT * FROM read_text('/etc/passwd')",
        "ATTACH '/tmp/other.db'",
        "SET memory_limit = '1TB'",
        "",
        "SELECT '\udcff'",
    ],
)
def test_a_query_that_is_no_question_is_refused_and_leaves_everything(
    night: Path, sql: str
) -> None:
    before = night.read_bytes()
    assert refused(query, "--db", night, sql)
    assert night.read_bytes() == before


def test_a_query_that_never_ends_is_stopped(night: Path) -> None:
    begun = time.monotonic()
    distance = "SELECT levenshtein(repeat('a', 1000000), repeat('b', 1000000))"
    sentence = refused(query, "--db", night, distance, "--seconds", "0.5")
    assert sentence == "the query was stopped after 0.5 seconds: ask for less, or allow more"
    assert time.monotonic() - begun < 10


def test_a_missing_database_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "none.duckdb"
    for command, words in ((query, ("SELECT 1",)), (query, ()), (incidents, ())):
        assert "there is no audit database" in refused(command, "--db", missing, *words)


def test_a_wide_answer_is_shown_value_by_value_on_a_screen(night: Path) -> None:
    sql = "SELECT * FROM incidents WHERE code = 'DRW003'"
    shown, status = on_a_screen("query", "query", 80, "--db", night, sql)
    assert status == 0
    lines = shown.splitlines()
    assert lines[0].startswith("── 1 ──")
    assert "code           DRW003" in lines
    assert max(map(len, lines)) <= 80
    narrow, _ = on_a_screen("query", "query", 80, "--db", night, "SELECT 1 AS n")
    assert narrow.splitlines() == ["n", "─", "1"]


def test_parquet_is_not_written_to_a_screen(night: Path) -> None:
    words = ("--db", night, "--format", "parquet")
    for module in ("incidents", "query"):
        shown, status = on_a_screen(module, module, 80, *words)
        assert status != 0
        assert "parquet is not for a screen" in shown


def test_help_shows_without_loading_the_engine() -> None:
    code = (
        "import sys; import audit.commands.query, audit.commands.incidents,"
        " audit.commands.explain_stored; print({'polars', 'duckdb', 'pyarrow'} & set(sys.modules))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert shown.stdout == "set()\n"
