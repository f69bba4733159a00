"""The rulebook that a round is judged by: the game played, and its edition in force."""

from datetime import timedelta

import pytest

from audit.rulebook_files import all_rulebooks
from audit.table_sheet import TableSheet, plain_sheet, read_table_sheet, rulebook_at
from tests.table_sheets import BLACKJACK, a_second_before, edited, moment, refusal_at

FIRST_OF_V4 = "2017-07-20T08:00:00+08:00"
FIRST_OF_V5 = "2022-05-01T08:00:00+08:00"


def rws_sheet(rulebook: str, *, v5_from: str | None = None) -> TableSheet:
    in_force = f'[in_force]\n"rws-blackjack-v5" = {v5_from}\n' if v5_from else ""
    text = (
        'table = "BJ-1"\ntimezone = "Asia/Singapore"\ndecks = 6\n'
        f'[[game]]\nrulebook = "{rulebook}"\nfrom = 2010-01-01T06:00:00+08:00\n{in_force}'
    )
    return read_table_sheet(text, "table.toml")


# Which game is played


CHANGES_GAME = edited(
    BLACKJACK,
    "[limits]",
    '[[game]]\nrulebook = "mbs-electronic-baccarat/tiger"\n'
    "from = 2026-02-01T06:00:00+08:00\n\n[limits]",
)


def test_a_round_before_the_first_game_has_no_rulebook() -> None:
    sheet = read_table_sheet(CHANGES_GAME, "table.toml")
    assert refusal_at(sheet, a_second_before("2026-01-01T06:00:00+08:00")) == (
        "table BJ-MBS6-7 plays nothing at 2026-01-01 05:59:59+08:00: "
        "its first game, mbs-blackjack-v6, begins at 2026-01-01 06:00:00+08:00"
    )


def test_the_first_game_is_played_from_its_very_moment() -> None:
    sheet = read_table_sheet(CHANGES_GAME, "table.toml")
    book = rulebook_at(sheet, moment("2026-01-01T06:00:00+08:00"))
    assert book.id == "mbs-blackjack-v6"


def test_a_second_before_the_change_the_earlier_game_is_played() -> None:
    sheet = read_table_sheet(CHANGES_GAME, "table.toml")
    book = rulebook_at(sheet, a_second_before("2026-02-01T06:00:00+08:00"))
    assert book.id == "mbs-blackjack-v6"


def test_at_the_moment_of_the_change_the_later_game_is_played() -> None:
    sheet = read_table_sheet(CHANGES_GAME, "table.toml")
    book = rulebook_at(sheet, moment("2026-01-31T22:00:00Z"))
    assert book.id == "mbs-electronic-baccarat/tiger"


def test_the_order_of_games_is_that_of_their_beginnings_and_not_of_the_file() -> None:
    text = edited(CHANGES_GAME, "from = 2026-02-01", "from = 2025-02-01")
    sheet = read_table_sheet(text, "table.toml")
    assert rulebook_at(sheet, moment("2025-12-01T00:00:00+08:00")).id.endswith("/tiger")
    assert rulebook_at(sheet, moment("2026-12-01T00:00:00+08:00")).id == "mbs-blackjack-v6"


# Which edition is in force


@pytest.mark.parametrize("name", ["rws-blackjack-v4", "rws-blackjack"])
def test_a_second_before_its_first_day_a_rulebook_is_not_in_force(name: str) -> None:
    assert refusal_at(rws_sheet(name), a_second_before(FIRST_OF_V4)) == (
        f"table BJ-1 names {name} for 2017-07-20 07:59:59+08:00, "
        "but rws-blackjack-v4 is in force only from 2017-07-20 08:00:00+08:00"
    )


@pytest.mark.parametrize("name", ["rws-blackjack-v4", "rws-blackjack"])
def test_from_its_first_moment_a_rulebook_is_in_force(name: str) -> None:
    assert rulebook_at(rws_sheet(name), moment(FIRST_OF_V4)).id == "rws-blackjack-v4"


@pytest.mark.parametrize(
    "book_id", [book.id for book in all_rulebooks().values() if book.in_force is not None]
)
def test_every_dated_rulebook_is_in_force_from_its_first_day_and_not_before(book_id: str) -> None:
    first_day = all_rulebooks()[book_id].in_force
    assert first_day is not None
    sheet = plain_sheet(book_id)
    assert rulebook_at(sheet, first_day).id == book_id
    assert "is in force only from" in refusal_at(sheet, first_day - timedelta(seconds=1))


@pytest.mark.parametrize(
    ("series", "book_id"),
    [
        ("mbs-blackjack", "mbs-blackjack-v6"),
        ("mbs-fortune-six-baccarat", "mbs-fortune-six-baccarat-v6"),
        ("mbs-electronic-baccarat/tiger", "mbs-electronic-baccarat/tiger"),
        ("rws-blackjack", "rws-blackjack-v4"),
    ],
)
def test_a_series_means_its_newest_edition_that_has_a_day(series: str, book_id: str) -> None:
    assert rulebook_at(rws_sheet(series), moment("2026-03-01T00:00:00+08:00")).id == book_id


def test_a_series_means_the_earlier_edition_a_second_before_the_later_ones_day() -> None:
    sheet = rws_sheet("rws-blackjack", v5_from=FIRST_OF_V5)
    assert rulebook_at(sheet, a_second_before(FIRST_OF_V5)).id == "rws-blackjack-v4"


def test_a_series_means_the_later_edition_from_the_moment_of_its_day() -> None:
    sheet = rws_sheet("rws-blackjack", v5_from=FIRST_OF_V5)
    assert rulebook_at(sheet, moment(FIRST_OF_V5)).id == "rws-blackjack-v5"


def test_a_day_set_without_an_offset_is_taken_in_the_tables_timezone() -> None:
    sheet = rws_sheet("rws-blackjack", v5_from="2022-05-01T08:00:00")
    assert sheet.in_force == {"rws-blackjack-v5": moment(FIRST_OF_V5)}


@pytest.mark.parametrize("ts", ["2010-01-01T06:00:00+08:00", FIRST_OF_V4, FIRST_OF_V5])
def test_version_5_named_outright_without_a_day_is_accepted_on_any_day(ts: str) -> None:
    assert rulebook_at(rws_sheet("rws-blackjack-v5"), moment(ts)).id == "rws-blackjack-v5"


def test_version_5_named_outright_is_held_to_the_day_that_the_sheet_sets() -> None:
    sheet = rws_sheet("rws-blackjack-v5", v5_from=FIRST_OF_V5)
    assert rulebook_at(sheet, moment(FIRST_OF_V5)).id == "rws-blackjack-v5"
    assert refusal_at(sheet, a_second_before(FIRST_OF_V5)) == (
        "table BJ-1 names rws-blackjack-v5 for 2022-05-01 07:59:59+08:00, "
        "but rws-blackjack-v5 is in force only from 2022-05-01 08:00:00+08:00"
    )


def test_an_edition_named_outright_is_refused_once_the_next_has_superseded_it() -> None:
    sheet = rws_sheet("rws-blackjack-v4", v5_from=FIRST_OF_V5)
    assert rulebook_at(sheet, a_second_before(FIRST_OF_V5)).id == "rws-blackjack-v4"
    assert refusal_at(sheet, moment(FIRST_OF_V5)) == (
        "table BJ-1 names rws-blackjack-v4 for 2022-05-01 08:00:00+08:00, "
        "but rws-blackjack-v5 superseded it on 2022-05-01 08:00:00+08:00"
    )


def test_an_edition_is_not_superseded_by_one_whose_day_nobody_knows() -> None:
    book = rulebook_at(rws_sheet("rws-blackjack-v4"), moment("2026-03-01T00:00:00+08:00"))
    assert book.id == "rws-blackjack-v4"
