"""Every shipped rulebook loads, and one that is wrong anywhere is refused by its place."""

from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from importlib.resources import files

import pytest

from audit.errors import BadInput, BadRulebook
from audit.ledger import clauses_of
from audit.observations import WAGERS_OF, Game, WagerKind
from audit.rulebook import Event, Irregularity, Rulebook, Stage
from audit.rulebook_files import (
    DOCUMENTS,
    PAY_TABLES,
    all_rulebooks,
    read_rulebooks,
    rulebook,
)

SINGAPORE = timezone(timedelta(hours=8))
FIRST_DAYS = {
    "mbs-blackjack-v6": datetime(2019, 9, 27, tzinfo=SINGAPORE),
    "rws-blackjack-v4": datetime(2017, 7, 20, 8, tzinfo=SINGAPORE),
    "rws-blackjack-v5": None,
    "mbs-fortune-six-baccarat-v6": datetime(2020, 1, 23, tzinfo=SINGAPORE),
    "mbs-electronic-baccarat/super-six-nc": datetime(2021, 10, 28, tzinfo=SINGAPORE),
    "mbs-electronic-baccarat/fortune-six-nc": datetime(2021, 10, 28, tzinfo=SINGAPORE),
    "mbs-electronic-baccarat/super-6-nc": datetime(2021, 10, 28, tzinfo=SINGAPORE),
    "mbs-electronic-baccarat/nc": datetime(2021, 10, 28, tzinfo=SINGAPORE),
    "mbs-electronic-baccarat/tiger": datetime(2021, 10, 28, tzinfo=SINGAPORE),
    "mbs-electronic-baccarat/tiger-nc": datetime(2021, 10, 28, tzinfo=SINGAPORE),
}
BLACKJACK = "mbs-blackjack-v6"
BACCARAT = "mbs-fortune-six-baccarat-v6"


def shipped(document: str) -> str:
    return files("audit").joinpath("rulebooks", f"{document}.toml").read_text("utf-8")


def edited(document: str, old: str, new: str) -> str:
    text = shipped(document)
    assert text.count(old) == 1, f"{document}.toml must hold {old!r} once for this test to bite"
    return text.replace(old, new)


def read(document: str, text: str) -> tuple[Rulebook, ...]:
    return read_rulebooks(text, f"{document}.toml", clauses_of(document))


def refusal(document: str, text: str) -> str:
    with pytest.raises(BadRulebook) as caught:
        read(document, text)
    return str(caught.value)


def test_there_are_ten_rulebooks_each_with_its_first_day() -> None:
    assert {book.id: book.in_force for book in all_rulebooks().values()} == FIRST_DAYS


def test_first_days_are_moments_and_not_dates_of_no_zone() -> None:
    day = rulebook(BLACKJACK).in_force
    assert day is not None
    assert day.astimezone(UTC) == datetime(2019, 9, 26, 16, tzinfo=UTC)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_each_document_is_read_from_the_file_of_its_name(document: str) -> None:
    for book in read(document, shipped(document)):
        assert book.document == document
        assert book.id.split("/")[0] == document
        assert document.startswith(book.series)


@pytest.mark.parametrize("book_id", FIRST_DAYS)
def test_each_rulebook_offers_wagers_of_its_own_game_only(book_id: str) -> None:
    book = rulebook(book_id)
    assert book.wagers.keys() <= WAGERS_OF[book.game]
    assert (book.blackjack is None) == (book.game is Game.BACCARAT)


def test_every_kind_of_wager_has_its_pay_table_rows() -> None:
    assert PAY_TABLES.keys() == set(WagerKind)


def test_odds_and_clauses_are_the_documents_own() -> None:
    row = rulebook("mbs-electronic-baccarat/tiger").pay_row(WagerKind.BANKER, Event.BANKER_WINS)
    assert (row.odds.paid, row.clause) == (Fraction(95, 100), "4.7")


def test_a_document_of_several_games_must_be_named_with_one() -> None:
    with pytest.raises(BadInput, match="mbs-electronic-baccarat holds 6 games: name one of"):
        rulebook("mbs-electronic-baccarat")


def test_a_rulebook_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(BadInput, match=r"'mbs-poker' is not a rulebook: there are .*rws"):
        rulebook("mbs-poker")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        pytest.param(
            '{ on = "pair", odds = "11:1", clause = "4.1" }',
            '{ on = "pair", odds = "11:1", clause = "4.99" }',
            "mbs-blackjack-v6.toml, [wagers], [pair], pays 1 cites clause 4.99, "
            "which the document lacks",
            id="a pay-table row cites a clause the document lacks",
        ),
        pytest.param(
            'bust_loses                        = "4.3.2"',
            'bust_loses                        = "4.44"',
            "mbs-blackjack-v6.toml, [blackjack] cites clause 4.44, which the document lacks",
            id="an option cites a clause the document lacks",
        ),
        pytest.param(
            'SHO004 = ["2.1"]',
            'SHO004 = ["2.1", "2.99"]',
            "mbs-blackjack-v6.toml, [breaks] cites clause 2.99, which the document lacks",
            id="a code breaks a clause the document lacks",
        ),
        pytest.param(
            'clauses = ["3.24.3", "4.4", "3.32"]',
            'clauses = ["3.24.3", "4.4", "9.1"]',
            "mbs-blackjack-v6.toml, [readings], [dealer_blackjack_against_busted_hands] "
            "cites clause 9.1, which the document lacks",
            id="a reading is of a clause the document lacks",
        ),
        pytest.param(
            '    { on = "even_money", odds = "1:1", clause = "3.20" },\n',
            "",
            "mbs-blackjack-v6.toml, [wagers], [main] lacks the pay-table row even_money",
            id="a pay-table row is missing",
        ),
        pytest.param(
            '{ on = "even_money", odds = "1:1", clause = "3.20" },',
            '{ on = "blackjack", odds = "6:5", clause = "3.20" },',
            "mbs-blackjack-v6.toml, [wagers], [main] contradicts itself: "
            "it pays on blackjack twice",
            id="a wager pays twice on one event",
        ),
        pytest.param(
            '{ on = "pair", odds = "11:1", clause = "4.1" }',
            '{ on = "pair", odds = "11:1", clause = "4.1" }, '
            '{ on = "tie", odds = "8:1", clause = "4.1" }',
            "mbs-blackjack-v6.toml, [wagers], [pair] cannot pay on tie",
            id="a wager pays on an event that is not its own",
        ),
        pytest.param(
            'odds = "2:1"',
            'odds = "2-1"',
            "mbs-blackjack-v6.toml, [wagers], [insurance], pays 1: "
            "'2-1' is not odds: write them like 3:2 or 0.95:1",
            id="odds that are none",
        ),
        pytest.param(
            "fewest = { value = 1,",
            "fewest = { value = 9,",
            "mbs-blackjack-v6.toml, [decks] contradicts itself: at least 9 decks, at most 8",
            id="more decks at least than at most",
        ),
        pytest.param(
            "fewest = { value = 1,",
            "fewest = { value = 0,",
            "mbs-blackjack-v6.toml, [decks] contradicts itself: at least 0 decks, at most 8",
            id="no deck at all",
        ),
        pytest.param(
            'fewest = { value = 1, clause = "2.1" }',
            'fewest = { value = 1, clause = "2.1", claus = "2.1" }',
            "mbs-blackjack-v6.toml, [decks], [fewest] has claus, which is not known here: "
            "did you mean clause?",
            id="a key that nobody knows, deep inside",
        ),
        pytest.param(
            'title    = "Blackjack (MBS), version 6"',
            'title    = "Blackjack (MBS), version 6"\ncolour   = "green"',
            "mbs-blackjack-v6.toml has colour, which is not known here",
            id="a key that nobody knows, at the top",
        ),
        pytest.param(
            "[wagers.pair]",
            "[wagers.tiger_pair]",
            "mbs-blackjack-v6.toml, [wagers] offers tiger_pair, which is no wager of blackjack",
            id="a wager of the other game",
        ),
        pytest.param(
            "[wagers.pair]",
            "[wagers.perfect_pair]",
            "mbs-blackjack-v6.toml, [wagers] offers perfect_pair, which is no wager of blackjack",
            id="a wager of no game",
        ),
        pytest.param(
            '[wagers.insurance]\nclause = "3.27"\nloses  = "3.27"\n'
            'pays   = [{ on = "dealer_blackjack", odds = "2:1", clause = "4.1" }]\n',
            "",
            "mbs-blackjack-v6.toml, [wagers] lacks insurance",
            id="a wager that the game cannot do without",
        ),
        pytest.param(
            'greatest_hands                    = { value = 4, clause = "3.22" }\n',
            "",
            "mbs-blackjack-v6.toml, [blackjack] lacks greatest_hands",
            id="a key is missing",
        ),
        pytest.param(
            "greatest_hands  ",
            "greatest_hand   ",
            "mbs-blackjack-v6.toml, [blackjack] lacks greatest_hands: "
            "is greatest_hand meant for it?",
            id="a key that must be there is typed wrong",
        ),
        pytest.param(
            "surrender_share                   = { value =",
            "surrender_share                   = { valeu =",
            "mbs-blackjack-v6.toml, [blackjack], [surrender_share] lacks value: "
            "is valeu meant for it?",
            id="a value without its key",
        ),
        pytest.param(
            "boxes                             = { value = 7,",
            'boxes                             = { value = "7",',
            'mbs-blackjack-v6.toml, [blackjack], [boxes]: value = "7" '
            "must be a whole number of at least 0",
            id="a text where a number belongs",
        ),
        pytest.param(
            "boxes                             = { value = 7,",
            "boxes                             = { value = true,",
            "mbs-blackjack-v6.toml, [blackjack], [boxes]: value = true "
            "must be a whole number of at least 0",
            id="a truth where a number belongs",
        ),
        pytest.param(
            "draw_on_hard_21                   = { value = false,",
            "draw_on_hard_21                   = { value = 0,",
            "mbs-blackjack-v6.toml, [blackjack], [draw_on_hard_21]: value = 0 "
            "must be true or false",
            id="a number where a truth belongs",
        ),
        pytest.param(
            'surrender_share                   = { value = "1/2"',
            'surrender_share                   = { value = "3/2"',
            'mbs-blackjack-v6.toml, [blackjack], [surrender_share]: value = "3/2" '
            "must be more than 0 and at most 1",
            id="a share above the whole",
        ),
        pytest.param(
            'surrender_share                   = { value = "1/2"',
            'surrender_share                   = { value = "0"',
            'mbs-blackjack-v6.toml, [blackjack], [surrender_share]: value = "0" '
            "must be more than 0 and at most 1",
            id="a share of nothing",
        ),
        pytest.param(
            'surrender_share                   = { value = "1/2"',
            'surrender_share                   = { value = "half"',
            'mbs-blackjack-v6.toml, [blackjack], [surrender_share]: value = "half" '
            "must be a share like 1/2",
            id="a share in words",
        ),
        pytest.param(
            'bust_loses                        = "4.3.2"',
            "bust_loses                        = 4.3",
            "mbs-blackjack-v6.toml, [blackjack]: bust_loses = 4.3 must be a text",
            id="a clause written as a number",
        ),
        pytest.param(
            'SHO004 = ["2.1"]',
            'SHO004 = "2.1"',
            'mbs-blackjack-v6.toml, [breaks]: SHO004 = "2.1" must be a list of texts',
            id="a clause where a list of them belongs",
        ),
        pytest.param(
            '[wagers.pair]\nclause = "3.15.1"\nloses  = "3.15.1"\n'
            'pays   = [{ on = "pair", odds = "11:1", clause = "4.1" }]',
            '[wagers.pair]\nclause = "3.15.1"\nloses  = "3.15.1"\npays   = "11:1"',
            "mbs-blackjack-v6.toml, [wagers], [pair]: pays must be a list of tables, like [[pays]]",
            id="odds where a pay table belongs",
        ),
        pytest.param(
            'boxes                             = { value = 7, clause = "2.2" }',
            "boxes                             = 7",
            "mbs-blackjack-v6.toml, [blackjack], [boxes] must be a table of keys and values",
            id="a value without its clause",
        ),
        pytest.param(
            'game     = "blackjack"',
            'game     = "poker"',
            'mbs-blackjack-v6.toml: game = "poker" must be one of baccarat, blackjack',
            id="a game that is not known",
        ),
        pytest.param(
            "in_force = 2019-09-27T00:00:00+08:00",
            "in_force = 2019-09-27T00:00:00",
            "mbs-blackjack-v6.toml: in_force = 2019-09-27 00:00:00 must be a time with its offset",
            id="a first day without its offset",
        ),
        pytest.param(
            "in_force = 2019-09-27T00:00:00+08:00",
            "in_force = 2019-09-27",
            "mbs-blackjack-v6.toml: in_force = 2019-09-27 "
            "must be a day and a time, like 2026-01-01T06:00:00+08:00",
            id="a first day without its time",
        ),
        pytest.param(
            'limits_judged          = { value = "each wager", clause = "3.6" }\n',
            "",
            "mbs-blackjack-v6.toml, [options] contradicts itself: "
            "over_maximum without limits_judged",
            id="a remedy for limits that are not judged",
        ),
        pytest.param(
            'absent_soft_from                  = { value = 17, clause = "5.22" }\n',
            "",
            "mbs-blackjack-v6.toml, [blackjack] must set absent_hard_from and absent_soft_from "
            "together",
            id="half of the rule for absent bettors",
        ),
    ],
)
def test_a_rulebook_is_refused_by_its_place_for(old: str, new: str, sentence: str) -> None:
    assert refusal(BLACKJACK, edited(BLACKJACK, old, new)) == sentence


def test_a_share_may_be_the_whole() -> None:
    old = 'surrender_share                   = { value = "1/2"'
    (book,) = read(BLACKJACK, edited(BLACKJACK, old, old.replace("1/2", "1")))
    assert book.blackjack is not None
    assert book.blackjack.surrender_share.value == 1


def test_a_baccarat_rulebook_may_not_hold_the_options_of_blackjack() -> None:
    text = edited(BACCARAT, "[breaks]", '[blackjack]\noriginal_wager_limit = "4.1"\n\n[breaks]')
    assert refusal(BACCARAT, text).startswith(
        "mbs-fortune-six-baccarat-v6.toml has blackjack, which is not known here"
    )


def test_a_game_of_several_is_named_in_the_refusal() -> None:
    text = edited("mbs-electronic-baccarat", 'title = "Tiger Baccarat"', "")
    sentence = refusal("mbs-electronic-baccarat", text)
    assert sentence == "mbs-electronic-baccarat.toml, [games], [tiger] lacks title"


def test_what_is_not_toml_is_refused_with_the_line() -> None:
    sentence = refusal(BLACKJACK, edited(BLACKJACK, "[decks]", "[decks"))
    assert sentence.startswith("mbs-blackjack-v6.toml is not TOML: ")
    assert "line 10" in sentence


def unprovided() -> Irregularity:
    """Name something of which the shipped rulebook says nothing yet."""
    taken = {provision.irregularity for provision in rulebook(BLACKJACK).provisions}
    return next(irregularity for irregularity in Irregularity if irregularity not in taken)


def with_provisions(*stages: Stage | None) -> str:
    rows = [
        "\n[[irregularity]]\n"
        f'irregularity = "{unprovided()}"\n'
        + (f'stage = "{stage}"\n' if stage else "")
        + 'remedy = "refused"\nclause = "5.1.1"\nsays = "so it must be"\n'
        for stage in stages
    ]
    return shipped(BLACKJACK) + "".join(rows)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Stage.INITIAL_DEAL, Stage.INITIAL_DEAL),
        (Stage.ANY, Stage.AFTERWARDS),
        (Stage.AFTERWARDS, Stage.ANY),
        (Stage.INITIAL_DEAL, None),
        (None, None),
    ],
)
def test_two_provisions_for_one_case_contradict_each_other(
    first: Stage | None, second: Stage | None
) -> None:
    place = len(rulebook(BLACKJACK).provisions) + 2
    assert refusal(BLACKJACK, with_provisions(first, second)) == (
        f"mbs-blackjack-v6.toml, irregularity {place} contradicts clause 5.1.1: "
        f"both settle {unprovided()}, stage {first or Stage.ANY}"
    )


def test_two_provisions_for_two_stages_stand_side_by_side() -> None:
    (book,) = read(BLACKJACK, with_provisions(Stage.INITIAL_DEAL, Stage.AFTERWARDS))
    for stage in (Stage.INITIAL_DEAL, Stage.AFTERWARDS):
        provision = book.provision(unprovided(), stage)
        assert provision is not None
        assert provision.stage is stage


def test_a_provision_that_cites_nothing_is_refused() -> None:
    head, tail = with_provisions(Stage.ANY).rsplit('clause = "5.1.1"\n', 1)
    place = len(rulebook(BLACKJACK).provisions) + 1
    sentence = f"mbs-blackjack-v6.toml, irregularity {place} lacks clause"
    assert refusal(BLACKJACK, head + tail) == sentence
