"""Single rounds whose hands or numbers are not known: what is told, and what is left open."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from decimal import Decimal

import pytest

from audit.assembly import TableHistory, rounds_of
from audit.cards import Rank
from audit.judge import judge_round
from audit.observations import Game
from audit.reconstruction import Reconstructed, reconstruct
from audit.reconstruction.blackjack_boxes import (
    PAID_BY_ANOTHER_READING,
    PAID_OTHERWISE,
    Way,
    money_cost,
)
from audit.reconstruction.blackjack_facts import facts_of
from audit.reconstruction.material import RoundRows
from audit.rulebook_files import rulebook
from audit.shoe_rows import CallRow, CardRow, ShoeRows, WagerRow
from audit.table_sheet import plain_sheet

NOON = datetime(2026, 3, 8, 12, tzinfo=timezone(timedelta(hours=8)))
FORTUNE_SIX = "mbs-fortune-six-baccarat-v6"
BLACKJACK = "mbs-blackjack-v6"


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def cards(text: str, *, number: int | None = 1, begin: float = 0, first: int = 2) -> list[CardRow]:
    """Write cards down three seconds apart, without hands."""
    return [
        CardRow(number, first + place, card, None, at(begin + 3 * place))
        for place, card in enumerate(text.split())
    ]


def read(
    rows: list[CardRow],
    *wagers: WagerRow,
    calls: tuple[CallRow, ...] = (),
    book: str = FORTUNE_SIX,
) -> Reconstructed:
    shoe = ShoeRows("T", "1", tuple(rows), wagers, calls)
    return reconstruct(shoe, rulebook(book), plain_sheet(book))


def hands(told: Reconstructed, number: int = 1) -> str:
    return " ".join(str(row.hand) for row in told.rows.cards if row.round == number)


def main(
    box: int, net: int, *, kind: str = "main", hand: str | None = None, number: int = 1
) -> WagerRow:
    return WagerRow(number, "ana", kind, 10000, net, box, hand)


# Baccarat


def test_third_cards_go_by_the_table_of_play() -> None:
    assert hands(read(cards("9H 2C KS 4S"))) == "player banker player banker"
    assert hands(read(cards("2H KS 3D 6S 7C 4D"))).endswith("player banker")
    assert hands(read(cards("2H KS 4D 3S 5C"))).endswith("banker banker")


def test_a_skipped_draw_does_not_shift_the_rounds_after_it() -> None:
    skipped = cards("2H KS 3D 6S 7C", number=None)
    lawful = cards("9H 2C KS 4S", number=None, begin=60, first=7)
    last = cards("8D 7C TC QS", number=None, begin=120, first=11)
    told = read([*skipped, *lawful, *last])
    assert [row.round for row in told.rows.cards] == [1] * 5 + [2] * 4 + [3] * 4


def test_an_unread_card_does_not_stop_a_coup_from_being_placed() -> None:
    assert hands(read(cards("9H ?? KS 4S"))) == "player banker player banker"


def test_rows_that_come_late_are_put_in_the_order_of_the_shoe() -> None:
    told = read(list(reversed(cards("9H 2C KS 4S"))))
    assert [row.seq for row in told.rows.cards] == [2, 3, 4, 5]
    assert hands(told) == "player banker player banker"


def test_hands_that_the_device_knows_are_kept() -> None:
    rows = cards("9H 2C KS 4S")
    rows[0] = CardRow(1, 2, "9H", "banker", at(0))
    assert hands(read(rows)).startswith("banker")


def test_the_burn_card_of_the_sheet_is_labelled() -> None:
    told = read(cards("KD 9H 2C KS 4S", first=1))
    assert [row.hand for row in told.rows.cards][:2] == ["burn", "player"]


def test_what_was_called_before_the_burn_card_is_of_the_first_round() -> None:
    late = WagerRow(1, "zoe", "banker", 10000, 0, placed_at=at(-3))
    won = WagerRow(1, "ana", "player", 10000, 10000, placed_at=at(-9))
    calls = (CallRow(at(-12), "bets_open"), CallRow(at(-4), "bets_closed"))
    told = read(cards("KD 9H 2C KS 4S", number=None, first=1), won, late, calls=calls)
    assert [row.round for row in told.rows.calls] == [1, 1]
    assert not told.others


def test_a_shoe_that_starts_in_the_middle_has_no_burn_card() -> None:
    assert hands(read(cards("9H 2C KS 4S", first=201))) == "player banker player banker"


def test_a_number_between_two_rows_of_a_round_is_filled_in() -> None:
    rows = cards("9H 2C KS 4S", number=7)
    rows[2] = CardRow(None, 4, "KS", None, at(6))
    assert {row.round for row in read(rows).rows.cards} == {7}


def test_a_coup_of_nine_cards_is_left_over_with_why() -> None:
    told = read(cards("9H 2C KS 4S 2D 3D 4D 5D 6D"))
    assert not told.rows.cards
    assert {why for _, why in told.left_over} == {"the cards make no round that the rules know"}


def test_calls_and_wagers_without_a_round_go_by_their_time() -> None:
    rows = [
        *cards("9H 2C KS 4S", number=None),
        *cards("8D 7C TC QS", number=None, begin=60, first=6),
    ]
    wager = WagerRow(None, "ana", "player", 10000, 10000, placed_at=at(40), settled_at=at(75))
    lost = WagerRow(None, "ben", "player", 10000, 10000)
    outcome = CallRow(at(11), "outcome", value="player")
    told = read(rows, wager, lost, calls=(outcome,))
    assert [row.round for row in told.rows.wagers] == [2]
    assert [row.round for row in told.rows.calls] == [1]
    assert told.left_over == ((lost, "it names no round, and no time tells which it was"),)


def test_readings_that_are_as_good_are_kept_beside_the_best() -> None:
    told = read(cards("2H KS 4D 7S 5C"))
    assert hands(told).startswith("player banker player banker")
    ways = {hands(told), *(" ".join(str(row.hand) for row in way) for way in told.others[1])}
    assert {way.split()[-1] for way in ways} == {"player", "banker"}


# Blackjack


@pytest.mark.parametrize(
    ("sequence", "net", "expected"),
    [
        ("TH 7C 8D TC", 10000, "box1 dealer box1 dealer"),
        ("TH 7C 2D 5S TC", 0, "box1 dealer box1 box1 dealer"),
        ("TH 6C 6D TS", -10000, "box1 dealer box1 box1"),
    ],
)
def test_the_dealers_hand_and_the_ledger_tell_who_drew(
    sequence: str, net: int, expected: str
) -> None:
    assert hands(read(cards(sequence), main(1, net), book=BLACKJACK)) == expected


def test_a_split_is_placed_from_the_ledger_alone() -> None:
    wagers = (main(1, 10000), main(1, 10000, kind="split", hand="box1.2"))
    told = read(cards("8H 6C 8S TC TD TS QD"), *wagers, book=BLACKJACK)
    assert hands(told) == "box1 dealer box1 box1 box1.2 dealer dealer"


def test_a_double_gets_its_one_card() -> None:
    wagers = (main(1, 10000), main(1, 10000, kind="double"))
    told = read(cards("6H 6C 5S TC TD TS"), *wagers, book=BLACKJACK)
    assert hands(told) == "box1 dealer box1 box1 dealer dealer"


def test_a_call_tells_who_drew_where_both_would_be_lawful() -> None:
    rows = cards("TH 7C 2D 2S 2C TC")
    calls = (CallRow(at(7), "hit", 1, "box1"), CallRow(at(10), "stand", 1, "box1"))
    told = read(rows, WagerRow(1, "ana", "main", 10000, None, 1), calls=calls, book=BLACKJACK)
    assert hands(told) == "box1 dealer box1 box1 dealer dealer"


def test_without_boxes_a_round_of_blackjack_is_left_over_with_why() -> None:
    told = read(cards("TH 7C 8D TC"), book=BLACKJACK)
    assert not told.rows.cards
    reasons = {why for _, why in told.left_over}
    assert reasons == {"neither ledger nor calls tell which boxes were dealt in"}


def test_an_endless_row_of_cards_is_refused_in_good_time() -> None:
    rows = cards(" ".join(["2H", "3C", "4D", "2S"] * 100))
    told = read(rows, main(1, 10000), main(2, 10000), book=BLACKJACK)
    assert len(told.rows.cards) + len(told.left_over) >= len(rows)


# Wagers handed back: the round was void, or they were refused


def test_a_void_round_is_placed_like_another() -> None:
    wagers = (main(1, 0), main(1, 0, kind="split", hand="box1.2"))
    void = CallRow(at(22), "void", 1, value="unshuffled")
    told = read(cards("8H 6C 8S TC TD TS QD"), *wagers, calls=(void,), book=BLACKJACK)
    assert hands(told) == "box1 dealer box1 box1 box1.2 dealer dealer"


def test_a_round_that_was_handed_back_unheard_is_placed_by_its_cards_alone() -> None:
    wagers = (
        main(2, 0),
        main(2, 0, kind="split", hand="box2.2"),
        main(3, 0),
        main(3, 0, kind="double"),
    )
    told = read(cards("JC 2S QD JH 3H AS 3S JS KD 3D JC"), *wagers, book=BLACKJACK)
    placed = "box2 box3 dealer box2 box3 box2 box2.2 box2.2 box3 dealer dealer"
    assert hands(told) == placed


def test_a_box_whose_wager_was_refused_gets_no_cards() -> None:
    wagers = (
        main(1, -10000),
        main(1, -10000, kind="double"),
        main(3, -10000),
        main(7, -10000),
        WagerRow(1, "zoe", "main", 2500, 0, 6),
    )
    told = read(cards("9D 5S 9H KC 8H 7D 5H AS 2S 9H"), *wagers, book=BLACKJACK)
    assert "box6" not in hands(told)
    assert hands(told).startswith("box1 box3 box7 dealer box1 box3 box7 box1")


def test_a_short_round_of_which_a_wager_was_refused_is_not_run_into_the_next() -> None:
    rows = [
        *cards("TH 7C 8D TC", number=None),
        *cards("5C KC 9S TD", number=None, begin=60, first=6),
        *cards("9C 2H 6D QS TS", number=None, begin=120, first=10),
    ]
    wagers = (
        main(1, 10000),
        main(6, 0, number=2),
        WagerRow(2, "zoe", "main", 2500, 0, 5),
        main(1, -10000, number=3),
    )
    told = read(rows, *wagers, book=BLACKJACK)
    assert [row.round for row in told.rows.cards] == [1] * 4 + [2] * 4 + [3] * 5
    assert hands(told, 2) == "box6 dealer box6 dealer"


def test_rounds_side_by_side_with_a_refused_wager_each_are_not_left_over() -> None:
    rows = [
        *cards("TH 7C 8D TC", number=None),
        *cards("TD 8S 9C TH", number=None, begin=60, first=6),
    ]
    refused = [WagerRow(number, "zoe", "pair", 2500, 0, 1) for number in (1, 2)]
    told = read(rows, main(1, 10000), main(1, 10000, number=2), *refused, book=BLACKJACK)
    assert not told.left_over
    assert [row.round for row in told.rows.cards] == [1] * 4 + [2] * 4


@pytest.mark.parametrize(("following", "net"), [("TD 8S 9C TH", 10000), ("TD 9S 9C TH", 0)])
def test_a_void_called_after_the_end_is_of_the_round_that_was_handed_back(
    following: str, net: int
) -> None:
    rows = [
        *cards("TH 7C 8D TC", number=None),
        *cards(following, number=None, begin=60, first=6),
    ]
    calls = (CallRow(at(11), "round_end"), CallRow(at(13), "void", value="unshuffled"))
    told = read(rows, main(1, 0), main(1, net, number=2), calls=calls, book=BLACKJACK)
    assert [row.round for row in told.rows.calls] == [1, 1]
    assert not told.others


@pytest.mark.parametrize(
    ("stake", "net", "unit", "folded"),
    [
        (1250, -625, "0.01", True),
        (1250, -650, "0.50", True),
        (1250, -600, "0.50", True),
        (1250, -650, "0.01", False),
        (1250, -1250, "0.50", False),
        (100, -100, "1.00", False),
        (100, 0, "1.00", False),
    ],
)
def test_half_given_up_is_known_by_what_the_table_rounds_to(
    stake: int, net: int, unit: str, *, folded: bool
) -> None:
    sheet = replace(plain_sheet(BLACKJACK), rounding=Decimal(unit))
    wager = WagerRow(1, "ana", "main", stake, net, 1)
    box = facts_of(RoundRows(1, tuple(cards("TH 7C 6D TC")), (wager,)), sheet).box(1)
    assert box.everyone_folded is folded


def test_a_push_that_the_cards_explain_goes_before_one_that_was_handed_back() -> None:
    """The double on box 3 stood off with 19; another reading only takes it for handed back."""
    unsettled = [WagerRow(1, "jun", "main", 10000, None, box) for box in (1, 2, 4, 5, 6, 7)]
    unsettled += [WagerRow(1, "jun", "double", 10000, None, box) for box in (6, 7)]
    wagers = (
        *unsettled,
        main(3, 0),
        main(3, 0, kind="double"),
        WagerRow(1, "zoe", "main", 2500, 0, 7),
    )
    sequence = "8C KD 2S 4D 3D 8H KD QD AD 4C 7D 2H 9C JS 2D 8H 6H QD 7S KC 5C 3C 9D"
    told = read(cards(sequence), *wagers, book="rws-blackjack-v5")
    assert [row.card for row in told.rows.cards if row.hand == "box3"] == ["2S", "7D", "QD"]


@pytest.mark.parametrize(
    ("book", "bust", "expected"),
    [
        (BLACKJACK, False, 0),
        (BLACKJACK, True, PAID_BY_ANOTHER_READING),
        ("rws-blackjack-v5", False, 0),
        ("rws-blackjack-v5", True, PAID_OTHERWISE),
    ],
)
def test_a_dealers_blackjack_takes_the_original_beside_hands_that_had_bust(
    book: str, expected: int, *, bust: bool
) -> None:
    wagers = (main(1, -10000), main(1, 0, kind="split", hand="box1.2"))
    rows = RoundRows(1, tuple(cards("8H KC 8S 5C TD 6S AC")), wagers)
    box = facts_of(rows, plain_sheet(book)).box(1)
    eight, ten = Rank.EIGHT, Rank.TEN
    first = (eight, Rank.FIVE, ten) if bust else (eight, Rank.FIVE)
    way = Way((1, 2), (first, (eight, ten)), 0)
    assert money_cost(way, box, (Rank.KING, Rank.ACE), rulebook(book)) == expected


def test_even_money_against_a_dealers_blackjack_is_as_good_as_a_win() -> None:
    rows = RoundRows(1, tuple(cards("AH AC TD KC")), (main(1, 10000),))
    box = facts_of(rows, plain_sheet(BLACKJACK)).box(1)
    way = Way((), ((Rank.ACE, Rank.TEN),), 0)
    for second in (Rank.KING, Rank.SEVEN):
        assert money_cost(way, box, (Rank.ACE, second), rulebook(BLACKJACK)) == 0


def test_a_fourth_wager_that_was_refused_accuses_nobody() -> None:
    """Where box 7 stands off, its fourth wager looks taken; where it loses, refused."""
    nets = {"dev": (680, None), "cho": (500, None), "gus": (670, None), "xia": (505, 0)}
    others = [WagerRow(1, "jun", "main", 660, None, box) for box in (1, 2, 4, 5, 6)]
    on_seven = [WagerRow(1, who, "main", stake, net, 7) for who, (stake, net) in nets.items()]
    sequence = "QS AS AC 9C 3D 2C 6H 4S 2H JS JC QD 2D 8S JC 6C 4S TS"
    told = read(cards(sequence), *others, *on_seven, book=BLACKJACK)
    shoe, sheet = told.rows, plain_sheet(BLACKJACK)
    played = next(rounds_of(shoe, Game.BLACKJACK, sheet, TableHistory()))
    codes = {found.code for found in judge_round(played, rulebook(BLACKJACK), sheet)}
    assert "BET014" not in codes
