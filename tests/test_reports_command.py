"""`catwalk report` as somebody types it."""

import csv
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from audit.commands.report import report
from audit.errors import BadInput, CatwalkError
from audit.reports.formats import SECTION_KEYS
from audit.store import BadStore
from tests.test_reports import fill


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    filled = tmp_path_factory.mktemp("command") / "audit.db"
    fill(filled)
    return filled


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(path: Path, *words: str) -> Result:
    result = CliRunner().invoke(report, ["--db", str(path), *words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_the_last_night_becomes_a_page_beside_one(path: Path, folder: Path) -> None:
    result = run(path)
    assert result.exit_code == 0
    assert [entry.name for entry in folder.iterdir()] == ["catwalk-2026-03-08.html"]
    lines = result.stdout.splitlines()
    assert lines[0] == "catwalk-2026-03-08.html: The night of Sunday 8 March 2026"
    assert len(lines) == 4
    assert lines[1].startswith("3 rounds of 348 judged have errors: 8.62 in 1,000")
    assert lines[2].startswith("The house gave away 25.00, and bettors were short-changed 52.50.")
    assert lines[3].startswith("The night does not differ from the days before beyond chance")


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("r.html", b"<!doctype html>"),
        ("r.md", b"# The night"),
        ("r.json", b"{"),
        ("r.xlsx", b"PK"),
        ("r.CSV", b"finding_id,"),
    ],
)
def test_the_ending_of_the_name_says_the_format(
    path: Path, folder: Path, name: str, begins: bytes
) -> None:
    assert run(path, "--out", name).exit_code == 0
    assert (folder / name).read_bytes().lstrip().startswith(begins)


def test_the_screen_gets_the_report_and_stderr_the_summary(path: Path) -> None:
    result = run(path, "--out", "-", "--format", "json")
    assert json.loads(result.stdout)["totals"]["rounds"] == 348
    assert len(result.stderr.splitlines()) == 3
    assert run(path, "--out", "-").stdout.startswith("# The night of")


def test_csv_is_a_folder_with_a_file_for_each_section(path: Path, folder: Path) -> None:
    assert run(path, "--format", "csv").exit_code == 0
    written = folder / "catwalk-2026-03-08"
    assert {entry.stem for entry in written.iterdir()} == set(SECTION_KEYS)


def test_one_section_is_one_csv_file(path: Path, folder: Path) -> None:
    assert run(path, "--section", "dealers", "--out", "dealers.csv").exit_code == 0
    with (folder / "dealers.csv").open(newline="") as file:
        assert {row["dealer"] for row in csv.DictReader(file)} == {"D1", "D2", "D3", "not known"}
    screen = run(path, "--section", "tables", "--out", "-").stdout
    assert screen.startswith("table_id,rounds,with_errors,per_1000,low,high,")


def test_a_folder_gets_a_file_named_after_the_period(path: Path, folder: Path) -> None:
    (folder / "reports").mkdir()
    run(path, "--out", "reports", "--since", "2026-03-01", "--until", "2026-03-08")
    assert [entry.name for entry in (folder / "reports").iterdir()] == [
        "catwalk-2026-03-01-to-2026-03-08.html"
    ]


def test_until_a_day_is_until_the_end_of_its_night(path: Path) -> None:
    words = ("--out", "-", "--format", "json")
    week = json.loads(run(path, "--since", "2026-03-07", "--until", "2026-03-08", *words).stdout)
    assert week["totals"]["rounds"] == 448
    assert week["totals"]["nights"] == 2
    assert week["report"]["until"] == "2026-03-09T06:00:00"


def test_tables_and_dealers_can_be_named_more_than_once(path: Path) -> None:
    words = ("--out", "-", "--format", "json")
    told = json.loads(run(path, "--dealer", "D2", "--dealer", "D3", *words).stdout)
    assert told["totals"]["rounds"] == 78 + 150
    told = json.loads(run(path, "--table", "BJ-01", "--dealer", "D2", *words).stdout)
    assert told["report"]["empty"] is True


def test_a_period_with_nothing_in_it_is_a_report_that_says_so(path: Path, folder: Path) -> None:
    result = run(path, "--night", "2024-01-01")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:] == ["There are no rounds in this night."]
    assert (folder / "catwalk-2024-01-01.html").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--night", "yesterday"), "'yesterday' is not a day: write it like 2026-03-08"),
        (("--night", "2026-02-30"), "'2026-02-30' is not a day: write it like 2026-03-08"),
        (("--night", "0001-01-01"), "'0001-01-01' is not within the years 1970 to 2199"),
        (("--since", "8 pm"), "'8 pm' is not a moment"),
        (("--night", "2026-03-08", "--since", "2026-03-08"), "about a night or about a period"),
        (("--since", "2026-03-08", "--until", "2026-03-07"), "holds nothing"),
        (("--since", "2026-03-08T06:00Z", "--until", "2026-03-09"), "both moments"),
        (("--day-starts", "25:00"), "'25:00' is not a time of day"),
        (("--day-starts", "06:10"), "quarter of an hour"),
        (("--table", "BAC-2"), "'BAC-2' is not a table of this database"),
        (("--out", "report.pdf"), "report.pdf does not tell its format"),
        (("--out", "-", "--format", "xlsx"), "a workbook cannot be shown on the screen"),
        (("--section", "tables", "--format", "md"), "a section alone is written as CSV only"),
        (("--out", "nowhere/r.html"), "nowhere/r.html cannot be written: No such file"),
        (("--dealer", "\udcff"), "is not Unicode text"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    path: Path, folder: Path, words: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(CatwalkError, match=re.escape(sentence)) as refused:
        run(path, *words)
    assert "\n" not in str(refused.value)
    assert not list(folder.iterdir())


def test_a_missing_database_is_named(folder: Path) -> None:
    with pytest.raises(BadStore, match=r"there is no audit database .*nowhere\.db"):
        run(folder / "nowhere.db")


def test_the_database_itself_is_never_overwritten(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(BadInput, match="is the audit database"):
        run(path, "--out", str(path), "--format", "html")
    assert path.read_bytes() == before


def test_a_report_takes_the_place_of_an_older_one_whole(path: Path, folder: Path) -> None:
    (folder / "r.md").write_text("old")
    run(path, "--out", "r.md")
    assert (folder / "r.md").read_text().startswith("# The night")
    assert [entry.name for entry in folder.iterdir()] == ["r.md"]


def test_the_help_names_every_option() -> None:
    text = CliRunner().invoke(report, ["--help"]).output
    for option in ("--night", "--since", "--until", "--table", "--dealer", "--day-starts"):
        assert option in text
    assert "worth_looking" in text
    assert "\n  catwalk report --night 2026-03-08 --out - --format md\n" in text
