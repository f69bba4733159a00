"""House edges from the rulebooks' own pay tables, against the published figures for eight decks."""

from dataclasses import replace
from fractions import Fraction
from math import perm

import pytest

from audit.cards import Rank
from audit.edges import (
    bust_table,
    dealer_bust_probability,
    edges_of,
    has_edge,
    house_edge,
)
from audit.errors import BadInput
from audit.money import Odds
from audit.observations import WagerKind
from audit.rulebook import Cited, Event, Rulebook
from audit.rulebook_files import all_rulebooks, rulebook
from audit.rules.blackjack.dealer import blackjack_options

COMMISSION = "mbs-fortune-six-baccarat-v6"
SUPER_SIX = "mbs-electronic-baccarat/super-six-nc"
DRAGON = "mbs-electronic-baccarat/fortune-six-nc"
TIGER = "mbs-electronic-baccarat/tiger"
BLACKJACK = "rws-blackjack-v5"

PUBLISHED_PERCENT = {
    (COMMISSION, WagerKind.PLAYER): "1.2351",
    (COMMISSION, WagerKind.BANKER): "1.0579",
    (COMMISSION, WagerKind.TIE): "14.3596",
    (COMMISSION, WagerKind.PLAYER_PAIR): "10.361",
    (COMMISSION, WagerKind.BANKER_PAIR): "10.361",
    (COMMISSION, WagerKind.FORTUNE6): "16.684",
    (SUPER_SIX, WagerKind.BANKER): "1.4581",
    (SUPER_SIX, WagerKind.SUPER6): "13.818",
    (DRAGON, WagerKind.PLAYER_DRAGON): "2.652",
    (DRAGON, WagerKind.BANKER_DRAGON): "9.373",
    (TIGER, WagerKind.TIGER): "16.684",
    (TIGER, WagerKind.SMALL_TIGER): "14.333",
    (TIGER, WagerKind.BIG_TIGER): "15.253",
    (TIGER, WagerKind.TIGER_TIE): "30.735",
    (BLACKJACK, WagerKind.PAIR): "10.361",
    (BLACKJACK, WagerKind.OVER13): "6.543",
    (BLACKJACK, WagerKind.UNDER13): "10.065",
}

PUBLISHED_BUSTS = {
    Rank.ACE: ".115426",
    Rank.TWO: ".353530",
    Rank.THREE: ".374115",
    Rank.FOUR: ".395469",
    Rank.FIVE: ".417902",
    Rank.SIX: ".422922",
    Rank.SEVEN: ".262031",
    Rank.EIGHT: ".243954",
    Rank.NINE: ".229037",
    Rank.TEN: ".212381",
}

BOOKS = tuple(all_rulebooks().values())
BLACKJACK_BOOKS = tuple(book for book in BOOKS if book.blackjack)
PAY_ROWS = tuple(
    pytest.param(book, kind, event, id=f"{book.id} {kind} {event}")
    for book in BOOKS
    for kind, offered in book.wagers.items()
    if has_edge(kind, book)
    for event in offered.pays
)


def _digits(printed: str) -> int:
    return len(printed.partition(".")[2])


def _paying_one_more(book: Rulebook, kind: WagerKind, event: Event) -> Rulebook:
    offered = book.wagers[kind]
    row = offered.pays[event]
    odds = Odds(row.odds.paid + 1, "one more")
    pays = {**offered.pays, event: replace(row, odds=odds)}
    return replace(book, wagers={**book.wagers, kind: replace(offered, pays=pays)})


@pytest.mark.parametrize(
    ("book_id", "kind", "percent"),
    [
        pytest.param(book_id, kind, percent, id=f"{book_id} {kind}")
        for (book_id, kind), percent in PUBLISHED_PERCENT.items()
    ],
)
def test_edge_is_the_published_one(book_id: str, kind: WagerKind, percent: str) -> None:
    edge = house_edge(kind, rulebook(book_id), 8)
    assert round(edge * 100, _digits(percent)) == Fraction(percent)


def test_insurance_loses_what_the_tens_left_in_the_shoe_leave() -> None:
    tens, unseen = 8 * 16, 8 * 52 - 1
    assert house_edge(WagerKind.INSURANCE, rulebook(BLACKJACK), 8) == 1 - Fraction(3 * tens, unseen)


def test_tiger_pair_keeps_what_counting_by_hand_gives() -> None:
    cards, deals = 8 * 4, perm(8 * 52, 4)
    twin = Fraction(13 * perm(cards, 4), deals)
    double = Fraction(13 * 12 * perm(cards, 2) ** 2, deals)
    single = 2 * (Fraction(cards - 1, 8 * 52 - 1) - twin - double)
    expected = 1 - 5 * single - 21 * double - 101 * twin
    assert house_edge(WagerKind.TIGER_PAIR, rulebook(TIGER), 8) == expected


@pytest.mark.parametrize("book", BLACKJACK_BOOKS, ids=lambda book: book.id)
def test_dealer_busts_as_often_as_published(book: Rulebook) -> None:
    table = {row.first: round(row.probability, 6) for row in bust_table(book, 8)}
    assert table == {first: Fraction(printed) for first, printed in PUBLISHED_BUSTS.items()}


def test_a_picture_card_busts_the_dealer_as_a_ten_does() -> None:
    book = rulebook(BLACKJACK)
    ten = dealer_bust_probability(Rank.TEN, book, 8)
    assert dealer_bust_probability(Rank.KING, book, 8) == ten


def test_dealer_who_stands_from_eighteen_busts_more_often() -> None:
    book = rulebook(BLACKJACK)
    options = replace(blackjack_options(book), dealer_stands_from=Cited(18, "3.23"))
    altered = replace(book, blackjack=options)
    for first in PUBLISHED_BUSTS:
        ordinary = dealer_bust_probability(first, book, 8)
        assert dealer_bust_probability(first, altered, 8) > ordinary


@pytest.mark.parametrize(("book", "kind", "event"), PAY_ROWS)
def test_every_row_of_every_pay_table_moves_the_edge(
    book: Rulebook, kind: WagerKind, event: Event
) -> None:
    altered = _paying_one_more(book, kind, event)
    assert house_edge(kind, altered, 8) < house_edge(kind, book, 8)


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.id)
def test_every_wager_that_the_cards_decide_has_an_edge(book: Rulebook) -> None:
    depend_on_play = {WagerKind.MAIN, WagerKind.SPLIT, WagerKind.DOUBLE}
    edges = {edge.wager: edge.edge for edge in edges_of(book, 8)}
    assert edges.keys() == book.wagers.keys() - depend_on_play
    assert all(0 < edge < 1 for edge in edges.values())


def test_all_ten_rulebooks_are_counted() -> None:
    assert len(BOOKS) == 10


def test_main_wager_of_blackjack_has_no_edge_of_its_own() -> None:
    with pytest.raises(BadInput, match="how the bettors play"):
        house_edge(WagerKind.MAIN, rulebook(BLACKJACK), 8)


def test_wager_that_is_not_offered_has_no_edge() -> None:
    with pytest.raises(BadInput, match="does not offer over13"):
        house_edge(WagerKind.OVER13, rulebook("mbs-blackjack-v6"), 8)


def test_decks_that_the_rules_do_not_allow_are_refused() -> None:
    with pytest.raises(BadInput, match=r"not played with 3 decks: clause 2\.2\.1 has 4 to 8"):
        edges_of(rulebook(BLACKJACK), 3)
