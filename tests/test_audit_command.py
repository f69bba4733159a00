"""`catwalk audit` and its config file, as somebody types them."""

import json
import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from audit.cli import COMMANDS, main

SAMPLE = Path(__file__).parents[1] / "sample_footage" / "night" / "inputs"
TABLES = SAMPLE / "tables"
NIGHT = SAMPLE / "2026-03-08"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


def clean_table(folder: Path) -> Path:
    """Copy the one table of the sample night at which nothing went wrong."""
    folder.mkdir()
    for path in (TABLES / "BJ-004.toml", *NIGHT.glob("*BJ-004*")):
        shutil.copy(path, folder)
    return folder


def test_violations_end_with_status_1_and_an_account(here: Path) -> None:
    result = run("audit", SAMPLE, "--jobs", 1)
    assert result.exit_code == 1
    assert "4 tables, 7 shoes, 160 rounds, 160 judged" in result.output
    assert "PAY006" in result.output
    assert "refused" in result.output
    assert "Next: catwalk incidents --db catwalk.duckdb" in result.output
    assert (here / "catwalk.duckdb").exists()


def test_a_clean_night_ends_with_status_0(here: Path) -> None:
    result = run("audit", clean_table(here / "in"), "--jobs", 1)
    assert (result.exit_code, "Nothing was found." in result.output) == (0, True)


def test_the_same_again_says_that_nothing_was_changed(here: Path) -> None:
    inputs = clean_table(here / "in")
    run("audit", inputs, "--jobs", 1)
    again = run("audit", inputs, "--jobs", 1)
    assert again.exit_code == 0
    assert "These inputs were audited before: nothing was changed." in again.output


def test_quiet_prints_nothing_and_json_everything(here: Path) -> None:
    assert run("audit", SAMPLE, "--jobs", 1, "--quiet").output == ""
    result = run("audit", SAMPLE, "--jobs", 1, "--json")
    told = json.loads(result.stdout)
    assert (told["rounds"], told["judged"], told["unjudged"]) == (160, 160, [])
    found = {code["code"]: code for code in told["findings"]}
    assert found["PAY006"]["short_changed"] == "55.00"
    assert sum(one["read"] for one in told["inputs"]) == 3432


def test_inputs_without_a_round_are_one_sentence_and_status_2(here: Path) -> None:
    result = run("audit", TABLES, "--jobs", 1, "-q")
    assert result.exit_code == 2
    assert result.stderr == "catwalk: there is no round in these inputs\n"


def test_a_file_of_something_else_is_named_with_what_it_has(here: Path) -> None:
    Path("notes.csv").write_text("what,when\nnothing,never\n")
    result = run("audit", "notes.csv", "--jobs", 1, "-q")
    assert result.exit_code == 2
    assert "notes.csv: it is neither a card log (card, seq)" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("audit", "nowhere.csv"), "catwalk: nowhere.csv does not exist\n"),
        (
            ("audit", TABLES, "--rulebook", "poker"),
            "catwalk: --rulebook: 'poker' is not a rulebook",
        ),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    here: Path, words: tuple[object, ...], sentence: str
) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith(sentence)
    assert result.stderr.count("\n") == 1


def test_a_vendors_export_is_audited_through_a_mapping(here: Path) -> None:
    inputs = clean_table(here / "in")
    cards = inputs / "cards-BJ-004.csv"
    text = cards.read_text("utf-8")
    header, _, rows = text.partition("\n")
    vendors = header.replace("seq", "CardNo").replace("card", "Code", 1)
    cards.write_text(f"{vendors}\n{rows}", "utf-8")
    Path("vendor.toml").write_text('[cards]\nseq = "CardNo"\ncard = "Code"\n')
    assert run("audit", inputs, "--db", "a.db", "--jobs", 1, "--json").exit_code == 0
    told = json.loads(
        run(
            "audit", inputs, "--db", "b.db", "--jobs", 1, "--json", "--mapping", "vendor.toml"
        ).stdout
    )
    assert (told["judged"], told["refused"]) == (40, [])


# The config file


def test_what_is_typed_every_night_can_stand_in_a_file(here: Path) -> None:
    clean_table(here / "in")
    Path("catwalk.toml").write_text('db = "night.db"\n[audit]\ninputs = ["in"]\njobs = 1\n')
    assert run("audit").exit_code == 0
    assert Path("night.db").exists()
    assert "40" in run("query", "SELECT count(*) FROM rounds").output


def test_what_is_typed_comes_before_the_file(here: Path) -> None:
    clean_table(here / "in")
    Path("other.toml").write_text('db = "night.db"\n[audit]\ninputs = "in"\njobs = 1\n')
    assert run("--config", "other.toml", "audit", "--db", "typed.db", "-q").exit_code == 0
    assert Path("typed.db").exists()
    assert not Path("night.db").exists()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("dbb = 1", "catwalk.toml has dbb, which is neither a command nor db: did you mean db?"),
        ("audit = 1", "catwalk.toml: audit is a command, write it as [audit]"),
        ("[audit]\njob = 1", "catwalk.toml, [audit] has job, which is no option of it"),
        ("[audit]\njobs = [1]", "catwalk.toml, [audit]: jobs takes one value"),
        ("db = ", "catwalk.toml"),
    ],
)
def test_a_config_file_that_is_wrong_is_one_sentence(here: Path, text: str, sentence: str) -> None:
    Path("catwalk.toml").write_text(text)
    result = run("audit", TABLES)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"catwalk: {sentence}")
    assert result.stderr.count("\n") == 1


# All commands


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_teaches(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    result = run(name, "--help")
    assert result.exit_code == 0
    assert f"catwalk {name}" in result.output
    assert "\b" not in result.output


def test_the_benchmark_counts_what_it_planted() -> None:
    words = ("--tables", 2, "--rounds", 40, "--faults", 200, "--jobs", 1, "--json")
    result = run("benchmark", *words, "--rulebook", "mbs-fortune-six-baccarat-v6")
    told = json.loads(result.stdout)
    planted = sum(kind["planted"] for kind in told["kinds"].values())
    found = sum(kind["found"] for kind in told["kinds"].values())
    assert (told["rounds"], told["accused"]) == (80, 0)
    assert planted > 5
    assert found == planted
    assert result.exit_code == 0
