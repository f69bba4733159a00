"""Rounds written down as rows come back as the same rounds."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.assembly import TableHistory, rounds_of
from audit.cards import Card, parse_known_card
from audit.hands import BURN, DEALER, box_hand
from audit.observations import Call, CallKind, CardSeen, Game, Wager, WagerKind
from audit.rounds import NOTHING_ELSE_KNOWN, Round
from audit.rulebook_files import all_rulebooks, rulebook
from audit.shoe_rows import ShoeRows
from audit.simulation.fault import Scene
from audit.simulation.faults import faults_of
from audit.simulation.planting import continue_shoe
from audit.simulation.rows import carried, rows_of
from audit.simulation.shoe import Shoe, shuffled_shoe
from audit.simulation.table import rounds_of_a_shoe, simulated_sheet
from audit.table_sheet import TableSheet, plain_sheet

BOOKS = tuple(all_rulebooks())
SIX = datetime(2026, 3, 8, 18, tzinfo=timezone(timedelta(hours=8)))


def seeded(*parts: object) -> Random:
    return Random("/".join(map(str, parts)))  # noqa: S311


def as_rows_tell(played: Round) -> Round:
    """Leave out what one round's rows alone do not tell, and put its calls in their order."""
    return replace(
        played,
        cards=tuple(replace(seen, ts=None) for seen in played.cards),
        calls=tuple(sorted(played.calls, key=lambda call: call.after)),
        around=NOTHING_ELSE_KNOWN,
        key=None,
        ts=None,
        dealer=None,
    )


def back_again(played: Round, sheet: TableSheet, rng: Random) -> Round:
    written = rows_of(played, 7, SIX, rng, burn_is_numbered=rng.random() < 0.5)
    rows = ShoeRows("T", "S", tuple(written.cards), tuple(written.wagers), tuple(written.calls))
    (again,) = rounds_of(rows, played.game, sheet, TableHistory())
    assert again.key is not None
    assert again.key.number == 7
    return again


def lawful_and_faulty(name: str, seed: object, share: float) -> Iterator[tuple[Round, TableSheet]]:
    book, rng = rulebook(name), seeded(name, seed)
    sheet = simulated_sheet(book, rng)
    for played in rounds_of_a_shoe(shuffled_shoe(sheet.decks, rng), book, sheet, rng):
        yield played, sheet
        for fault in faults_of(book):
            if rng.random() < share:
                faulty = fault.commit(Scene(played, book, sheet), rng)
                if faulty is not None:
                    yield faulty.round, sheet


@pytest.mark.parametrize("name", BOOKS)
def test_lawful_and_faulty_rounds_come_back_as_they_were(name: str) -> None:
    compared = 0
    for played, sheet in lawful_and_faulty(name, "fixed", 0.3):
        if carried(played):
            assert as_rows_tell(back_again(played, sheet, seeded(name))) == as_rows_tell(played)
            compared += 1
    assert compared > 60


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), name=st.sampled_from(BOOKS))
def test_rounds_of_any_seed_come_back_as_they_were(seed: int, name: str) -> None:
    rounds = lawful_and_faulty(name, seed, 0.05)
    for (played, sheet), _ in zip(rounds, range(12), strict=False):
        if carried(played):
            assert as_rows_tell(back_again(played, sheet, seeded(seed))) == as_rows_tell(played)


@pytest.mark.parametrize("name", BOOKS)
def test_what_rows_cannot_carry_is_only_who_was_late(name: str) -> None:
    for played, sheet in lawful_and_faulty(name, "late", 0.15):
        if carried(played):
            continue
        again = as_rows_tell(back_again(played, sheet, seeded(name)))
        in_time = tuple(replace(wager, late=False) for wager in played.wagers)
        apart = replace(again, wagers=tuple(replace(wager, late=False) for wager in again.wagers))
        assert apart == replace(as_rows_tell(played), wagers=in_time)
        assert again != as_rows_tell(played)


def test_two_wagers_are_never_placed_at_the_same_moment() -> None:
    for played, _ in lawful_and_faulty("rws-blackjack-v5", "moments", 0.1):
        wagers = rows_of(played, 1, SIX, seeded("moments")).wagers
        assert len({(row.bettor, row.placed_at) for row in wagers}) == len(wagers)


HANDS = (BURN, box_hand(1), DEALER, box_hand(1), box_hand(1), DEALER)
NAMES = ("2C", "8H", "7D", "8S", "TC", "TH")
CARDS = tuple(
    CardSeen(seq, parse_known_card(card), hand)
    for seq, (card, hand) in enumerate(zip(NAMES, HANDS, strict=True), 1)
)


def test_a_double_on_the_first_hand_of_a_box_keeps_its_hand() -> None:
    hundred = Decimal("100.00")
    main = Wager("ann", WagerKind.MAIN, hundred, hundred, box=1)
    double = Wager("ann", WagerKind.DOUBLE, hundred, hundred, box=1, hand=box_hand(1))
    played = Round(Game.BLACKJACK, CARDS, (main, double), (Call(CallKind.BETS_CLOSED, 1),))
    again = back_again(played, plain_sheet("mbs-blackjack-v6"), seeded("double"))
    assert again.wagers == (main, double)


def test_a_late_insurance_needs_a_further_card_to_be_late() -> None:
    late = Wager("ann", WagerKind.INSURANCE, Decimal("50.00"), box=1, late=True)
    assert carried(Round(Game.BLACKJACK, CARDS, (late,)))
    assert not carried(Round(Game.BLACKJACK, CARDS[:4], (late,)))


def test_a_late_main_wager_needs_the_call_that_closed_the_bets() -> None:
    late = Wager("ann", WagerKind.MAIN, Decimal("50.00"), box=1, late=True)
    closed = (Call(CallKind.BETS_CLOSED, 1),)
    assert carried(Round(Game.BLACKJACK, CARDS, (late,), closed))
    assert not carried(Round(Game.BLACKJACK, CARDS, (late,)))


# The shoe behind a fault


def names(cards: tuple[Card, ...]) -> str:
    return " ".join(map(str, cards))


def coup(cards: str, following: str) -> tuple[Shoe, Round]:
    dealt = tuple(parse_known_card(card) for card in cards.split())
    rest = tuple(parse_known_card(card) for card in following.split())
    hand = box_hand(1)
    seen = tuple(CardSeen(place, card, hand) for place, card in enumerate(dealt, 1))
    around = replace(NOTHING_ELSE_KNOWN, following=rest)
    return Shoe("S", (*dealt, *rest), len(dealt)), Round(Game.BLACKJACK, seen, around=around)


def test_a_card_that_was_not_drawn_is_the_next_of_the_shoe() -> None:
    shoe, lawful = coup("2C 3C 4C", "5C 6C")
    around = replace(lawful.around, following=(parse_known_card("4C"), *lawful.around.following))
    faulty = replace(lawful, cards=lawful.cards[:2], around=around)
    assert continue_shoe(shoe, 0, lawful, faulty) is not None
    assert (names(shoe.cards), shoe.dealt) == ("2C 3C 4C 5C 6C", 2)


def test_a_card_too_many_is_taken_from_the_rest() -> None:
    shoe, lawful = coup("2C 3C 4C", "5C 6C")
    more = CardSeen(4, parse_known_card("5C"), box_hand(1))
    faulty = replace(lawful, cards=(*lawful.cards, more))
    assert continue_shoe(shoe, 0, lawful, faulty) is not None
    assert (names(shoe.cards), shoe.dealt) == ("2C 3C 4C 5C 6C", 4)


def test_another_card_changes_places_with_one_of_the_rest() -> None:
    shoe, lawful = coup("2C 3C 4C", "5C 6C 7C")
    other = replace(lawful.cards[1], card=parse_known_card("6C"))
    faulty = replace(lawful, cards=(lawful.cards[0], other, lawful.cards[2]))
    assert continue_shoe(shoe, 0, lawful, faulty) is not None
    assert (names(shoe.cards), shoe.dealt) == ("2C 6C 4C 5C 3C 7C", 3)


def test_a_card_that_the_shoe_no_longer_holds_cannot_be_dealt() -> None:
    shoe, lawful = coup("2C 3C 4C", "5C 6C")
    other = replace(lawful.cards[1], card=parse_known_card("KH"))
    faulty = replace(lawful, cards=(lawful.cards[0], other, lawful.cards[2]))
    assert continue_shoe(shoe, 0, lawful, faulty) is None
    assert names(shoe.cards) == "2C 3C 4C 5C 6C"
