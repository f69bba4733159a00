"""What a table sheet may not hold: it is refused by its place, in one sentence."""

import pytest

from tests.table_sheets import BACCARAT, edited, refusal


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
