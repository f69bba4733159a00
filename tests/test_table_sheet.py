"""The table sheet: read strictly, and asked which rulebook a round is judged by."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from audit.errors import BadTableSheet
from audit.observations import WagerKind
from audit.rulebook_files import all_rulebooks
from audit.table_sheet import (
    Limit,
    TableSheet,
    load_table_sheet,
    plain_sheet,
    read_table_sheet,
    rulebook_at,
)

BACCARAT = """
table    = "BAC-07"
timezone = "Asia/Singapore"
decks    = 8
burn     = 1
rounding = "0.05"

[[game]]
rulebook = "mbs-fortune-six-baccarat-v6"
from     = 2026-01-01T06:00:00+08:00

[limits]
player = { min = "50.00", max = "20000.00" }
tie    = { min = "10.00", max = "2000.00" }

[differential]
max = "100000.00"

[camera]
frame = [1280, 720]
[camera.zones]
player  = [[120, 300], [560, 300], [560, 620], [120, 620]]
banker  = [[720, 300], [1160, 300], [1160, 620], [720, 620]]
"""

BLACKJACK = """
table    = "BJ-MBS6-7"
timezone = "Asia/Singapore"
decks    = 8

[[game]]
rulebook = "mbs-blackjack-v6"
from     = 2026-01-01T06:00:00+08:00

[limits]
main = { min = "25.00", max = "5000.00" }
pair = { max = "500.00" }
"""

FIRST_OF_V4 = "2017-07-20T08:00:00+08:00"
FIRST_OF_V5 = "2022-05-01T08:00:00+08:00"


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def a_second_before(text: str) -> datetime:
    return moment(text) - timedelta(seconds=1)


def edited(sheet: str, old: str, new: str) -> str:
    assert sheet.count(old) == 1, f"the sheet must hold {old!r} once for this test to bite"
    return sheet.replace(old, new)


def refusal(text: str) -> str:
    with pytest.raises(BadTableSheet) as caught:
        read_table_sheet(text, "table.toml")
    return str(caught.value)


def refusal_at(sheet: TableSheet, ts: datetime) -> str:
    with pytest.raises(BadTableSheet) as caught:
        rulebook_at(sheet, ts)
    return str(caught.value)


def rws_sheet(rulebook: str, *, v5_from: str | None = None) -> TableSheet:
    in_force = f'[in_force]\n"rws-blackjack-v5" = {v5_from}\n' if v5_from else ""
    text = (
        'table = "BJ-1"\ntimezone = "Asia/Singapore"\ndecks = 6\n'
        f'[[game]]\nrulebook = "{rulebook}"\nfrom = 2010-01-01T06:00:00+08:00\n{in_force}'
    )
    return read_table_sheet(text, "table.toml")


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


# What a sheet may not hold


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        pytest.param(
            "rounding = ",
            "roundng = ",
            "table.toml has roundng, which is not known here: did you mean rounding?",
            id="a key typed wrong",
        ),
        pytest.param(
            "burn     = 1",
            "Burn     = 1",
            "table.toml has Burn, which is not known here: did you mean burn?",
            id="a key in capitals",
        ),
        pytest.param(
            "burn     = 1",
            "colour   = 'green'",
            "table.toml has colour, which is not known here",
            id="a key like no other",
        ),
        pytest.param(
            "decks    = 8",
            "deks     = 8",
            "table.toml lacks decks: is deks meant for it?",
            id="a key that must be there typed wrong",
        ),
        pytest.param("decks    = 8", "", "table.toml lacks decks", id="no decks"),
        pytest.param(
            "[limits]",
            "[limit]",
            "table.toml has limit, which is not known here: did you mean limits?",
            id="limits typed wrong",
        ),
        pytest.param(
            "[differential]\nmax",
            "[differential]\nmaximum",
            "table.toml, [differential] lacks max",
            id="a differential without its max",
        ),
        pytest.param(
            "tie    =",
            "ties   =",
            "table.toml, [limits] has ties, which is a wager of no game: did you mean tie?",
            id="a limit of a wager that no game knows",
        ),
        pytest.param(
            '{ min = "10.00", max',
            '{ mn = "10.00", max',
            "table.toml, [limits], [tie] has mn, which is not known here: did you mean min?",
            id="a min typed wrong",
        ),
        pytest.param(
            '{ min = "10.00", max = "2000.00" }',
            "{}",
            "table.toml, [limits], [tie] sets neither min nor max",
            id="a limit that limits nothing",
        ),
        pytest.param(
            '"10.00"',
            '"2000.01"',
            "table.toml, [limits], [tie] has a min of 2000.01 above its max of 2000.00",
            id="a min above its max",
        ),
        pytest.param(
            '"10.00"',
            "10.5",
            'table.toml, [limits], [tie]: min = 10.5 must be money written as text, like "25.00"',
            id="money as a float",
        ),
        pytest.param(
            '"10.00"',
            "10",
            'table.toml, [limits], [tie]: min = 10 must be money written as text, like "25.00"',
            id="money as an integer",
        ),
        pytest.param(
            '"10.00"',
            '"10.005"',
            "table.toml, [limits], [tie]: min: '10.005' is not an amount of money: "
            "write it like 25 or 25.00",
            id="money finer than a cent",
        ),
        pytest.param(
            '"10.00"',
            '"0.00"',
            'table.toml, [limits], [tie]: min = "0.00" must be more than nothing; '
            "leave it out where there is none",
            id="a limit of nothing",
        ),
        pytest.param(
            '"0.05"',
            "0.05",
            'table.toml: rounding = 0.05 must be money written as text, like "25.00"',
            id="a rounding as a float",
        ),
        pytest.param(
            '"0.05"',
            '"-0.05"',
            'table.toml: rounding = "-0.05" must be more than nothing; '
            "leave it out where there is none",
            id="a rounding below nothing",
        ),
        pytest.param(
            '"0.05"',
            '"0.005"',
            "table.toml: rounding: '0.005' is not an amount of money: write it like 25 or 25.00",
            id="a rounding finer than a cent",
        ),
        pytest.param(
            "decks    = 8",
            "decks    = 0",
            "table.toml: decks = 0 must be a whole number of at least 1",
            id="no deck at all",
        ),
        pytest.param(
            "decks    = 8",
            "decks    = 8.0",
            "table.toml: decks = 8.0 must be a whole number of at least 1",
            id="decks as a float",
        ),
        pytest.param(
            "burn     = 1",
            "burn     = -1",
            "table.toml: burn = -1 must be a whole number of at least 0",
            id="fewer than no cards burnt",
        ),
        pytest.param(
            '"BAC-07"',
            '" "',
            'table.toml: table = " " must be a text',
            id="a table without a name",
        ),
        pytest.param(
            "decks    = 8",
            "decks    = 8\ntable_id = 'BAC-08'",
            "table.toml has both table and table_id: keep one",
            id="a table with two names",
        ),
        pytest.param(
            "Asia/Singapore",
            "Asia/Singapor",
            "table.toml: there is no timezone 'Asia/Singapor': did you mean Asia/Singapore?",
            id="a timezone that does not exist",
        ),
        pytest.param(
            "Asia/Singapore",
            "../Singapore",
            "table.toml: there is no timezone '../Singapore': did you mean Singapore?",
            id="a timezone outside the folder of timezones",
        ),
        pytest.param(
            '"mbs-fortune-six-baccarat-v6"',
            '"mbs-electronic-baccarat"',
            "table.toml, game 1: mbs-electronic-baccarat holds 6 games: name one of "
            "mbs-electronic-baccarat/super-six-nc, mbs-electronic-baccarat/fortune-six-nc, "
            "mbs-electronic-baccarat/super-6-nc, mbs-electronic-baccarat/nc, "
            "mbs-electronic-baccarat/tiger, mbs-electronic-baccarat/tiger-nc",
            id="a document of several games",
        ),
        pytest.param(
            "from     = 2026-01-01T06:00:00+08:00",
            "from     = 2026-01-01",
            "table.toml, game 1: from = 2026-01-01 "
            "must be a day and a time, like 2026-01-01T06:00:00+08:00",
            id="a beginning without its time",
        ),
        pytest.param(
            "from     = ",
            "form     = ",
            "table.toml, game 1 lacks from: is form meant for it?",
            id="a beginning typed wrong",
        ),
        pytest.param(
            "[[game]]",
            "[game]",
            "table.toml: game must be a list of tables, like [[game]]",
            id="a game that is not in a list",
        ),
        pytest.param(
            '[[game]]\nrulebook = "mbs-fortune-six-baccarat-v6"\n'
            "from     = 2026-01-01T06:00:00+08:00\n",
            "",
            "table.toml lacks game",
            id="no game",
        ),
        pytest.param(
            '[[game]]\nrulebook = "mbs-fortune-six-baccarat-v6"\n'
            "from     = 2026-01-01T06:00:00+08:00\n",
            "game = []\n",
            "table.toml names no game",
            id="an empty list of games",
        ),
        pytest.param(
            "[differential]",
            '[in_force]\n"rws-blackjack-5" = 2022-05-01T08:00:00+08:00\n[differential]',
            "table.toml, [in_force] has rws-blackjack-5, which is no document: "
            "did you mean rws-blackjack-v5?",
            id="a first day of no document",
        ),
        pytest.param(
            "[differential]",
            '[in_force]\n"rws-blackjack-v4" = 2018-05-01T08:00:00+08:00\n[differential]',
            "table.toml, [in_force] cannot set rws-blackjack-v4, "
            "which is in force from 2017-07-20 08:00:00+08:00 by its own document",
            id="a first day of a document that has its own",
        ),
        pytest.param(
            "[differential]",
            '[in_force]\n"rws-blackjack-v5" = 2017-07-20T08:00:00+08:00\n[differential]',
            "table.toml, [in_force] sets rws-blackjack-v5 to 2017-07-20 08:00:00+08:00, but the "
            "edition before it, rws-blackjack-v4, is in force from 2017-07-20 08:00:00+08:00",
            id="a first day that is not after the edition before",
        ),
    ],
)
def test_a_sheet_is_refused_by_its_place_for(old: str, new: str, sentence: str) -> None:
    assert refusal(edited(BACCARAT, old, new)) == sentence


def test_a_rulebook_that_does_not_exist_is_refused_with_those_that_do() -> None:
    sentence = refusal(edited(BACCARAT, "fortune-six-baccarat-v6", "poker"))
    assert sentence.startswith("table.toml, game 1: 'mbs-poker' is not a rulebook: there are mbs-")


def test_what_is_not_toml_is_refused_with_the_line() -> None:
    sentence = refusal(edited(BACCARAT, "[limits]", "[limits"))
    assert sentence.startswith("table.toml is not TOML: ")
    assert "line 12" in sentence


def test_brackets_without_end_are_not_toml() -> None:
    assert refusal("game = " + "[" * 100_000).startswith("table.toml is not TOML: ")


def test_two_games_cannot_begin_at_one_moment() -> None:
    again = '[[game]]\nrulebook = "mbs-blackjack-v6"\nfrom = 2025-12-31T22:00:00Z\n[limits]'
    assert refusal(edited(BACCARAT, "[limits]", again)) == (
        "table.toml, game 2 begins when another game does: 2025-12-31 22:00:00+00:00"
    )


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
