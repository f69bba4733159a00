"""The commands as a person types them: what they show, and how they end."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from audit.cli import main
from audit.codes import CODES
from audit.rulebook_files import DOCUMENTS, all_rulebooks

SKIPPED_DRAW = "P 2H 3D 7C / B KS 6S | alice:banker 100=+95, next 4C"


def catwalk(*words: str) -> Result:
    return CliRunner(env={"COLUMNS": "160"}).invoke(main, list(words), catch_exceptions=False)


def test_help_teaches_the_first_steps() -> None:
    shown = catwalk("--help")
    assert shown.exit_code == 0
    assert "catwalk explain DRW003" in shown.output


def test_rules_lists_all_ten_games() -> None:
    shown = catwalk("rules")
    assert shown.exit_code == 0
    assert all(book in shown.output for book in all_rulebooks())
    assert "27 September 2019" in shown.output
    assert "20 July 2017, 08:00" in shown.output


@pytest.mark.parametrize("book", all_rulebooks())
def test_rules_show_prints_pay_table_options_and_irregularities(book: str) -> None:
    shown = catwalk("rules", "show", book)
    assert shown.exit_code == 0
    for heading in ("Pay table", "Options and limits", "When something went wrong"):
        assert heading in shown.output


def test_rules_show_has_odds_with_their_clause() -> None:
    lines = catwalk("rules", "show", "mbs-electronic-baccarat/tiger").output.splitlines()
    assert any("big tiger" in line and "50 to 1" in line and "4.10" in line for line in lines)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_rules_clauses_names_file_and_line_of_what_carries_a_clause(document: str) -> None:
    shown = catwalk("rules", "clauses", document)
    assert shown.exit_code == 0
    assert "audit/rules/" in shown.output
    assert "clauses:" in shown.output


def test_rules_edges_prints_the_published_edge() -> None:
    shown = catwalk("rules", "edges", "mbs-electronic-baccarat/tiger")
    assert shown.exit_code == 0
    assert any("banker" in line and "1.0579 %" in line for line in shown.output.splitlines())


def test_rules_edges_of_blackjack_has_the_dealers_bust_table() -> None:
    shown = catwalk("rules", "edges", "rws-blackjack-v4")
    assert "0.115426" in shown.output
    assert "6.5430 %" in shown.output or "6.543" in shown.output


def test_explain_lists_every_code() -> None:
    shown = catwalk("explain")
    assert all(code in shown.output for code in CODES)


@pytest.mark.parametrize("code", CODES)
def test_explain_code_shows_the_page_and_replays_its_example(code: str) -> None:
    shown = catwalk("explain", code)
    assert shown.exit_code == 0
    assert "In the documents" in shown.output
    assert f"{code} " in shown.output.partition("Example")[2]


def test_explain_clause_shows_what_carries_it_and_its_codes() -> None:
    shown = catwalk("explain", "rws-blackjack-v5", "5.1.1")
    assert shown.exit_code == 0
    assert "PAY010" in shown.output


def test_explain_clause_that_can_be_read_in_two_ways_gives_both() -> None:
    shown = catwalk("explain", "mbs-blackjack-v6", "3.24.3")
    assert "Or: the limit holds for all hands" in shown.output


def test_explain_round_replays_it_and_ends_with_one_for_a_violation() -> None:
    shown = catwalk("explain", SKIPPED_DRAW)
    assert shown.exit_code == 1
    assert "draws on 6 when the player's third card is 7" in shown.output
    assert "DRW003 violation" in shown.output
    assert "+195.00" in shown.output


def test_explain_round_ends_with_zero_when_nothing_was_found() -> None:
    shown = catwalk("explain", "rws-blackjack-v4", "1 TH 8D stand / D 7S TC | main@1 100=+100")
    assert shown.exit_code == 0
    assert "nothing found" in shown.output


def test_explain_round_takes_its_limits_from_a_table_sheet(tmp_path: Path) -> None:
    sheet = tmp_path / "table.toml"
    sheet.write_text(
        'table = "T1"\ntimezone = "Asia/Singapore"\ndecks = 8\n'
        '[[game]]\nrulebook = "mbs-blackjack-v6"\nfrom = 2026-01-01T06:00:00+08:00\n'
        '[limits]\nmain = { min = "25.00", max = "50.00" }\n'
    )
    line = "1 TH 8D stand / D 7S TC | main@1 100=+100"
    assert catwalk("explain", line).exit_code == 0
    shown = catwalk("explain", "--table", str(sheet), line)
    assert "PAY010" in shown.output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("explain", "P 1H 3D / B KS 6S"), "catwalk: '1H' is not a card"),
        (("explain", "P 2H 3D / B KS 6S | lottery 5=1"), "'lottery' is not"),
        (("explain", "P 2H 3D / B KS 6S | insurance 5=1"), "not a wager of baccarat"),
        (("explain", "P 2H 3D / B KS 6S | tie -5=1"), "a stake of -5.00 is not possible"),
        (("explain", "1.7 2H 3D / D KS"), "'1.7' is not a hand"),
        (("explain", "PAY999"), "'PAY999' is not a code"),
        (("explain", "mbs-blackjack-v6", "9.9"), "mbs-blackjack-v6 has no clause 9.9"),
        (("explain", "mbs-poker", "P 2H 3D / B KS 6S"), "'mbs-poker' is not a rulebook"),
        (("explain", "rws-blackjack-v4", "P 2H 3D / B KS 6S"), "is a rulebook of blackjack"),
        (("explain", "1 2H 3D / 8 4C 5C / D KS"), "box8 cannot exist"),
        (("explain", "a", "b", "c"), "put the round in quotation marks"),
        (("rules", "show", "mbs-electronic-baccarat"), "holds 6 games: name one of"),
        (("rules", "edges", "rws-blackjack-v4", "--decks", "2"), "decks"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    shown = catwalk(*words)
    assert shown.exit_code == 2
    assert sentence in shown.stderr
    assert len(shown.stderr.strip().splitlines()) == 1
    assert not shown.stdout


def test_a_rulebook_that_is_not_in_force_is_refused(tmp_path: Path) -> None:
    sheet = tmp_path / "table.toml"
    sheet.write_text(
        'table = "T1"\ntimezone = "Asia/Singapore"\ndecks = 8\n'
        '[[game]]\nrulebook = "mbs-blackjack-v6"\nfrom = 2019-01-01T06:00:00+08:00\n'
    )
    shown = catwalk("explain", "--table", str(sheet), "1 TH 8D stand / D 7S TC")
    assert shown.exit_code == 2
    assert "mbs-blackjack-v6" in shown.stderr
    assert "in force" in shown.stderr
