"""The words of the game: cards, hands, amounts and odds, and what is refused as one of them."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.cards import DECK, UNREAD, Card, Rank, Suit, parse_card, parse_known_card
from audit.errors import BadInput
from audit.hands import (
    BANKER,
    BURN,
    DEALER,
    DISCARD,
    GREATEST_BOX,
    GREATEST_SPLIT,
    PLAYER,
    Hand,
    Place,
    box_hand,
    parse_hand,
)
from audit.money import parse_amount, parse_odds, parse_stake, rounded
from audit.observations import (
    BACCARAT_WAGERS,
    BLACKJACK_WAGERS,
    CallKind,
    Game,
    WagerKind,
    parse_call_kind,
    parse_wager_kind,
)

UNITS = [Decimal("0.01"), Decimal("0.05"), Decimal("1.00")]
BOX_HANDS = [
    box_hand(box, formed)
    for box in range(1, GREATEST_BOX + 1)
    for formed in range(1, GREATEST_SPLIT + 1)
]
HANDS = [PLAYER, BANKER, DEALER, BURN, DISCARD, *BOX_HANDS]


# Cards


def test_a_deck_has_fifty_two_different_cards() -> None:
    assert len(set(DECK)) == len(DECK) == 52


@pytest.mark.parametrize("card", DECK, ids=str)
def test_every_card_is_read_as_it_is_written(card: Card) -> None:
    assert parse_card(str(card)) == card
    assert parse_known_card(str(card).lower()) == card


@pytest.mark.parametrize("text", ["TD", "10D", "10d", " td "])
def test_a_ten_is_written_in_two_ways(text: str) -> None:
    assert parse_card(text) == Card(Rank.TEN, Suit.DIAMONDS)


def test_a_card_that_could_not_be_read_is_a_card() -> None:
    assert parse_card("??") is UNREAD
    assert str(UNREAD) == "??"


def test_a_card_that_could_not_be_read_cannot_stand_where_it_must_be_known() -> None:
    with pytest.raises(BadInput, match="this card must be known"):
        parse_known_card("??")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("1S", id="a rank of one"),
        pytest.param("11S", id="a rank of eleven"),
        pytest.param("0H", id="a rank of nought"),
        pytest.param("XS", id="a rank that does not exist"),
        pytest.param("AX", id="a suit that does not exist"),
        pytest.param("10X", id="a ten of no suit"),
        pytest.param("A", id="no suit"),
        pytest.param("S", id="no rank"),
        pytest.param("SA", id="suit then rank"),
        pytest.param("ASS", id="two suits"),
        pytest.param("A S", id="a gap"),
        pytest.param("A♠", id="the sign of a suit"),
        pytest.param("?", id="half of an unread card"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_is_not_a_card_is_refused_with_how_to_write_one(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_card(text)
    assert str(caught.value).startswith(f"{text!r} is not a card: write a rank (A 2 3")


@given(st.text(max_size=4))
def test_a_text_is_a_card_that_is_written_like_it_or_is_refused(text: str) -> None:
    try:
        card = parse_card(text)
    except BadInput:
        return
    assert str(card) == text.strip().upper().replace("10", "T")


# Hands


@pytest.mark.parametrize("hand", HANDS, ids=str)
def test_every_hand_is_read_as_it_is_written(hand: Hand) -> None:
    assert parse_hand(str(hand)) == hand
    assert parse_hand(f" {str(hand).upper()} ") == hand


def test_hands_have_names_of_their_own() -> None:
    assert len({str(hand) for hand in HANDS}) == len(HANDS)


def test_the_first_hand_of_a_box_bears_the_name_of_the_box() -> None:
    assert str(box_hand(3)) == "box3"
    assert str(box_hand(3, 2)) == "box3.2"
    assert parse_hand("box3.5") == Hand(Place.BOX, 3, 5)


@pytest.mark.parametrize("text", ["box0", "box10", "box99", "box0.2"])
def test_a_box_that_no_table_has_is_refused(text: str) -> None:
    box = text.split(".")[0]
    with pytest.raises(BadInput) as caught:
        parse_hand(text)
    assert str(caught.value) == f"{box} is not a hand: boxes are numbered from 1 to 9"


@pytest.mark.parametrize("text", ["box3.6", "box3.0", "box9.10"])
def test_a_split_hand_that_no_box_has_is_refused(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_hand(text)
    assert str(caught.value) == (
        f"{text} is not a hand: split hands of a box are numbered from 2 to 5"
    )


@pytest.mark.parametrize(
    "text",
    ["box3.1", "box", "box3.", "box.2", "box-1", "box3.2.2", "3", "boxx", "players", "box٣", ""],
)
def test_what_is_not_a_hand_is_refused_with_how_to_write_one(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_hand(text)
    assert str(caught.value).startswith(f"{text!r} is not a hand: write player, banker, dealer")


# Amounts


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("25", "25.00"),
        ("25.5", "25.50"),
        ("25.00", "25.00"),
        ("+25.00", "25.00"),
        ("-50.00", "-50.00"),
        (" 0.01 ", "0.01"),
        ("0", "0.00"),
        ("999999999999999.99", "999999999999999.99"),
    ],
)
def test_an_amount_is_read_to_the_cent(text: str, amount: str) -> None:
    assert str(parse_amount(text)) == amount


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("12.345", id="finer than a cent"),
        pytest.param("12.340", id="finer than a cent by a nought"),
        pytest.param("NaN", id="not a number"),
        pytest.param("Infinity", id="without end"),
        pytest.param("1e5", id="a power of ten"),
        pytest.param("1_000", id="digits grouped by a line"),
        pytest.param("1,000.00", id="digits grouped by a comma"),
        pytest.param("12,50", id="a decimal comma"),
        pytest.param("$5", id="a currency"),
        pytest.param("5.", id="a point without cents"),
        pytest.param(".50", id="cents without a whole"),
        pytest.param("--5", id="two signs"),
        pytest.param("٥", id="digits of another script"),
        pytest.param("1000000000000000", id="more than any table holds"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_is_not_an_amount_is_refused_with_how_to_write_one(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_amount(text)
    assert str(caught.value) == f"{text!r} is not an amount of money: write it like 25 or 25.00"


@given(st.integers(-(10**17) + 1, 10**17 - 1).filter(bool))
def test_an_amount_of_whole_cents_is_read_as_it_is_written(cents: int) -> None:
    amount = Decimal(cents).scaleb(-2)
    assert str(parse_amount(str(amount))) == str(amount)


def test_the_smallest_stake_is_a_cent() -> None:
    assert parse_stake("0.01") == Decimal("0.01")


@pytest.mark.parametrize("text", ["0", "0.00", "-0.01", "-25.00"])
def test_a_stake_of_nothing_or_less_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="is not possible: a wager stakes more than nothing"):
        parse_stake(text)


@pytest.mark.parametrize("text", ["12.345", "NaN", "1e5", "", "twenty"])
def test_a_stake_that_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="is not an amount of money"):
        parse_stake(text)


# Odds


@pytest.mark.parametrize(
    ("text", "paid", "said"),
    [
        ("1:1", Fraction(1), "1 to 1"),
        ("3:2", Fraction(3, 2), "3 to 2"),
        ("1:2", Fraction(1, 2), "1 to 2"),
        ("0.95:1", Fraction(19, 20), "0.95 to 1"),
        ("100:1", Fraction(100), "100 to 1"),
        ("push", Fraction(0), "push"),
    ],
)
def test_odds_are_exact_and_said_as_the_document_says_them(
    text: str, paid: Fraction, said: str
) -> None:
    odds = parse_odds(text)
    assert (odds.paid, str(odds)) == (paid, said)


@pytest.mark.parametrize(
    "text",
    ["3", "3:", ":2", "3:0", "-3:2", "3:-2", "3-2", "3/2", "3 : 2", "3:2 ", "1e5:1", "NaN:1", ""],
)
def test_what_is_not_odds_is_refused_with_how_to_write_them(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_odds(text)
    assert str(caught.value) == f"{text!r} is not odds: write them like 3:2 or 0.95:1"


# Rounding


@pytest.mark.parametrize(
    ("amount", "unit", "paid"),
    [
        pytest.param("0.0049", "0.01", "0.00", id="below half a cent"),
        pytest.param("0.005", "0.01", "0.01", id="half a cent"),
        pytest.param("0.0051", "0.01", "0.01", id="above half a cent"),
        pytest.param("23.7549", "0.01", "23.75", id="amount below half a cent"),
        pytest.param("23.755", "0.01", "23.76", id="amount at half a cent"),
        pytest.param("0.0249", "0.05", "0.00", id="below half of five cents"),
        pytest.param("0.025", "0.05", "0.05", id="half of five cents"),
        pytest.param("23.77", "0.05", "23.75", id="two cents above five"),
        pytest.param("23.775", "0.05", "23.80", id="half between two fives"),
        pytest.param("23.78", "0.05", "23.80", id="two cents below five"),
        pytest.param("23.4999", "1.00", "23.00", id="below half a dollar"),
        pytest.param("23.50", "1.00", "24.00", id="half a dollar over an odd one"),
        pytest.param("24.50", "1.00", "25.00", id="half a dollar over an even one"),
        pytest.param("24.5001", "1.00", "25.00", id="above half a dollar"),
    ],
)
def test_what_is_due_is_rounded_half_up_and_a_loss_like_a_win(
    amount: str, unit: str, paid: str
) -> None:
    assert str(rounded(Fraction(amount), Decimal(unit))) == paid
    loss = rounded(-Fraction(amount), Decimal(unit))
    assert str(loss) == (paid if paid == "0.00" else f"-{paid}")


def test_a_third_of_a_cent_is_rounded_exactly_although_no_decimal_holds_it() -> None:
    assert rounded(Fraction(1, 300), Decimal("0.01")) == 0
    assert rounded(Fraction(1, 150), Decimal("0.01")) == Decimal("0.01")


@given(
    amount=st.decimals(-(10**9), 10**9, places=4, allow_nan=False, allow_infinity=False),
    unit=st.sampled_from(UNITS),
)
def test_rounding_agrees_with_the_decimal_modules_half_up(amount: Decimal, unit: Decimal) -> None:
    whole_units = (amount / unit).quantize(Decimal(1), ROUND_HALF_UP)
    assert rounded(Fraction(amount), unit) == whole_units * unit


@given(amount=st.fractions(-(10**6), 10**6), unit=st.sampled_from(UNITS))
def test_rounding_gives_whole_units_at_most_half_a_unit_away(
    amount: Fraction, unit: Decimal
) -> None:
    result = rounded(amount, unit)
    assert result % unit == 0
    assert abs(Fraction(result) - amount) <= Fraction(unit) / 2
    assert rounded(-amount, unit) == -result
    assert result.as_tuple().exponent == -2


# Kinds of wagers and calls


def test_every_kind_of_wager_belongs_to_one_game() -> None:
    assert set(WagerKind) == BLACKJACK_WAGERS | BACCARAT_WAGERS
    assert not BLACKJACK_WAGERS & BACCARAT_WAGERS


def test_a_wager_of_the_other_game_is_refused() -> None:
    assert parse_wager_kind(" Tie ", Game.BACCARAT) is WagerKind.TIE
    with pytest.raises(BadInput, match="'tie' is not a wager of blackjack: it knows double"):
        parse_wager_kind("tie", Game.BLACKJACK)


def test_a_call_that_does_not_exist_is_refused() -> None:
    assert parse_call_kind(" Round_End ") is CallKind.ROUND_END
    with pytest.raises(BadInput, match="'fold' is not a call: there are bets_open"):
        parse_call_kind("fold")
