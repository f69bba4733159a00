"""The table sheet: what it holds, where it comes from, and what stands in for it."""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from audit.errors import BadTableSheet
from audit.observations import WagerKind
from audit.table_sheet import Limit, load_table_sheet, plain_sheet, read_table_sheet, rulebook_at
from tests.table_sheets import BACCARAT, BLACKJACK, edited, moment, refusal, refusal_at

# What a sheet holds


def test_the_baccarat_sheet_of_the_formats_is_read_in_full() -> None:
    sheet = read_table_sheet(BACCARAT, "table.toml")
    assert sheet.table == "BAC-07"
    assert sheet.timezone == ZoneInfo("Asia/Singapore")
    assert (sheet.decks, sheet.burn, sheet.rounding) == (8, 1, Decimal("0.05"))
    assert [game.rulebook for game in sheet.games] == ["mbs-fortune-six-baccarat-v6"]
    assert sheet.games[0].from_ == moment("2026-01-01T06:00:00+08:00")
    assert sheet.limits == {
        WagerKind.PLAYER: Limit(Decimal("50.00"), Decimal("20000.00")),
        WagerKind.TIE: Limit(Decimal("10.00"), Decimal("2000.00")),
    }
    assert sheet.differential == Decimal("100000.00")
    assert sheet.in_force == {}


def test_what_the_blackjack_sheet_leaves_out_has_its_default() -> None:
    sheet = read_table_sheet(BLACKJACK, "table.toml")
    assert sheet.burn is None
    assert sheet.rounding == Decimal("0.01")
    assert sheet.differential is None
    assert sheet.limits[WagerKind.PAIR] == Limit(None, Decimal("500.00"))


def test_the_table_may_be_called_table_id() -> None:
    sheet = read_table_sheet(edited(BLACKJACK, "table   ", "table_id"), "table.toml")
    assert sheet.table == "BJ-MBS6-7"


def test_a_burn_of_no_cards_is_not_the_same_as_no_word_on_it() -> None:
    assert read_table_sheet(edited(BACCARAT, "= 1\n", "= 0\n"), "table.toml").burn == 0


def test_what_the_camera_needs_is_not_read_here() -> None:
    text = edited(BACCARAT, "frame = [1280, 720]", 'frame = "wide"\nlens = 3')
    assert read_table_sheet(text, "table.toml") == read_table_sheet(BACCARAT, "table.toml")


def test_a_least_wager_may_equal_the_greatest() -> None:
    sheet = read_table_sheet(edited(BLACKJACK, '"25.00"', '"5000.00"'), "table.toml")
    assert sheet.limits[WagerKind.MAIN] == Limit(Decimal("5000.00"), Decimal("5000.00"))


def test_decks_that_the_rulebook_forbids_are_no_error_of_the_sheet() -> None:
    sheet = read_table_sheet(edited(BACCARAT, "= 8", "= 11"), "table.toml")
    assert sheet.decks > rulebook_at(sheet, sheet.games[0].from_).most_decks.value


def test_limits_of_both_games_stand_on_one_sheet_since_a_table_can_change_game() -> None:
    text = edited(BLACKJACK, "[limits]", '[limits]\nbig_tiger = { max = "200.00" }')
    assert WagerKind.BIG_TIGER in read_table_sheet(text, "table.toml").limits


def test_a_beginning_without_an_offset_is_taken_in_the_tables_timezone() -> None:
    sheet = read_table_sheet(edited(BLACKJACK, "06:00:00+08:00", "06:00:00"), "table.toml")
    assert sheet.games[0].from_.astimezone(UTC) == datetime(2025, 12, 31, 22, tzinfo=UTC)


@pytest.mark.parametrize(
    "clock",
    [
        pytest.param("2026-10-25T01:30:00", id="an hour that comes twice"),
        pytest.param("2026-03-29T01:30:00", id="an hour that never comes"),
    ],
)
def test_a_beginning_that_is_not_one_moment_needs_its_offset(clock: str) -> None:
    text = edited(BLACKJACK, "Asia/Singapore", "Europe/London")
    shown = clock.replace("T", " ")
    assert refusal(edited(text, "2026-01-01T06:00:00+08:00", clock)) == (
        f"table.toml, game 1: from = {shown} "
        "must be written with its offset: clocks of Europe/London change then"
    )


def test_an_hour_that_comes_twice_is_one_moment_once_it_has_its_offset() -> None:
    text = edited(BLACKJACK, "Asia/Singapore", "Europe/London")
    text = edited(text, "2026-01-01T06:00:00+08:00", "2026-10-25T01:30:00+00:00")
    sheet = read_table_sheet(text, "table.toml")
    first_time_round = datetime(2026, 10, 25, 1, 45, tzinfo=ZoneInfo("Europe/London"), fold=0)
    assert "plays nothing at 2026-10-25 01:45:00+01:00" in refusal_at(sheet, first_time_round)
    assert rulebook_at(sheet, first_time_round.replace(fold=1)).id == "mbs-blackjack-v6"


# The file it is in


def test_a_sheet_is_loaded_from_its_file_even_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(BACCARAT, "utf-8-sig")
    assert load_table_sheet(path) == read_table_sheet(BACCARAT, "table.toml")


def test_a_sheet_that_is_refused_is_named_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(edited(BACCARAT, "decks    = 8", ""), "utf-8")
    with pytest.raises(BadTableSheet) as caught:
        load_table_sheet(path)
    assert str(caught.value) == f"{path} lacks decks"


def test_a_sheet_that_is_not_there_is_said_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    with pytest.raises(BadTableSheet) as caught:
        load_table_sheet(path)
    assert str(caught.value) == f"{path} cannot be read: No such file or directory"


def test_a_sheet_that_is_not_text_is_said_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b"table = \xff\xfe")
    with pytest.raises(BadTableSheet) as caught:
        load_table_sheet(path)
    assert str(caught.value) == f"{path} cannot be read: it is not UTF-8 text"


# Without a sheet


def test_a_plain_sheet_has_eight_decks_no_limits_and_pays_to_the_cent() -> None:
    sheet = plain_sheet("mbs-blackjack-v6")
    assert (sheet.decks, sheet.rounding, sheet.burn) == (8, Decimal("0.01"), None)
    assert (sheet.limits, sheet.differential, sheet.in_force) == ({}, None, {})


def test_a_plain_sheet_judges_every_round_by_its_one_game() -> None:
    sheet = plain_sheet("rws-blackjack-v5")
    for ts in ("0001-01-01T08:00:00+08:00", "9999-12-31T00:00:00+08:00"):
        assert rulebook_at(sheet, moment(ts)).id == "rws-blackjack-v5"


def test_a_plain_sheet_of_no_rulebook_is_refused() -> None:
    with pytest.raises(BadTableSheet, match="table BAC-07: 'mbs-poker' is not a rulebook"):
        plain_sheet("mbs-poker", table="BAC-07")
