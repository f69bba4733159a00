from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.cards import DECK, UNREAD, Card, Unread, parse_card
from audit.errors import BadInput
from audit.hands import (
    BANKER,
    BURN,
    DEALER,
    DISCARD,
    PLAYER,
    Hand,
    Place,
    box_hand,
    parse_hand,
)
from audit.notation import format_round, parse_round
from audit.observations import DECISIONS, WAGERS_OF, Call, CallKind, CardSeen, Game, Wager
from audit.rounds import Circumstances, Round

COUP = "P 2H 3D 8C / B KS 3S"
SPLIT = "1 8H 8S split 3D double TC / 1.2 TC stand / 2 TS 9D stand / D 7C TH"


def dealt(text: str) -> str:
    """Show the cards of a round in the order in which they left the shoe."""
    return " ".join(f"{seen.card}>{seen.hand}" for seen in parse_round(text).cards)


def said(text: str) -> list[tuple[str, int, str, str, str]]:
    calls = parse_round(text).calls
    return [(call.kind, call.after, str(call.hand), call.bettor, call.value) for call in calls]


def test_baccarat_cards_leave_the_shoe_by_turns() -> None:
    assert dealt(COUP) == "2H>player KS>banker 3D>player 3S>banker 8C>player"


def test_blackjack_cards_leave_the_shoe_round_the_table_and_then_hand_by_hand() -> None:
    assert dealt("D 7C TH 2D / 2 TS 9D / 1 8H 8S 5H / 1.2 4C / burn 2C / discard ??") == (
        "2C>burn 8H>box1 TS>box2 7C>dealer 8S>box1 9D>box2 "
        "5H>box1 4C>box1.2 TH>dealer 2D>dealer ??>discard"
    )


def test_places_give_another_order_and_become_the_numbers_of_the_cards() -> None:
    cards = parse_round("P 2H#7 3D#4 / B KS#5 ??#12").cards
    assert [(seen.seq, str(seen.card)) for seen in cards] == [
        (4, "3D"),
        (5, "KS"),
        (7, "2H"),
        (12, "??"),
    ]


@pytest.mark.parametrize("label", ["1", "9", "1.2", "9.5", "burn", "discard"])
def test_a_label_is_the_name_of_a_hand_without_box(label: str) -> None:
    hand = parse_hand(f"box{label}" if label[0].isdigit() else label)
    assert parse_round(f"{label} 2H / D").cards[0].hand == hand


def test_long_names_small_letters_and_tens_are_read() -> None:
    assert parse_round("player 10d / banker ks") == parse_round("P TD / B KS")
    assert parse_round("BOX1 td Stand / box1.2 ks / dealer 2h") == parse_round(
        "1 TD stand / 1.2 KS / D 2H"
    )


def test_decisions_are_made_hand_by_hand_once_the_deal_is_over() -> None:
    assert said(SPLIT) == [
        ("split", 5, "box1", "", "box1.2"),
        ("double", 6, "box1", "", ""),
        ("stand", 8, "box1.2", "", ""),
        ("stand", 8, "box2", "", ""),
    ]


def test_burnt_cards_count_among_the_cards_before_a_decision() -> None:
    assert said("burn 2C 3C / 1 8H 8S surrender:bob / D 7C") == [
        ("surrender", 5, "box1", "bob", "")
    ]


def test_with_places_a_decision_follows_the_card_that_it_stands_behind() -> None:
    text = "1 8H#11 8S#14 hit 2C#16 stand / 2 TS#12 5D#15 hit 9C#17 stand / D 7C#13 TH#18"
    assert [call[:3] for call in said(text)] == [
        ("hit", 5, "box1"),
        ("hit", 5, "box2"),
        ("stand", 6, "box1"),
        ("stand", 7, "box2"),
    ]


def test_splits_form_the_next_hand_of_their_box_in_the_order_in_which_they_are_made() -> None:
    text = "1 8H 8S split 8C split 2D / 1.2 8D split 3D / 2 9H 9S split 2C / D 7C"
    assert [call[1:] for call in said(text)] == [
        (5, "box1", "", "box1.2"),
        (6, "box1", "", "box1.3"),
        (8, "box1.2", "", "box1.4"),
        (9, "box2", "", "box2.2"),
    ]


def test_a_split_can_name_the_hand_that_it_forms_and_the_next_one_goes_on_from_there() -> None:
    text = "1 8H 8S split>1.3:bob 8C split 2D / D 7C"
    assert [call[3:] for call in said(text)] == [("bob", "box1.3"), ("", "box1.4")]
    assert format_round(parse_round(text)) == text


def test_wagers_are_read() -> None:
    told = "main@1 100=100, split@1.2 100=-100, a@b:double@1 12.5=+11.88 late, "
    told += "bob:insurance@1 50=0 for alice, pair@1 5 late for alice"
    assert parse_round(f"{SPLIT} | {told}").wagers == (
        wager("", "main", "100", "100", box=1),
        wager("", "split", "100", "-100", box=1, hand=box_hand(1, 2)),
        wager("a@b", "double", "12.50", "11.88", box=1, late=True),
        wager("bob", "insurance", "50", "0", box=1, on_behalf_of="alice"),
        wager("", "pair", "5", None, box=1, late=True, on_behalf_of="alice"),
    )


def wager(
    bettor: str,
    kind: str,
    stake: str,
    net: str | None,
    *,
    box: int | None = None,
    hand: Hand | None = None,
    late: bool = False,
    on_behalf_of: str | None = None,
) -> Wager:
    kinds = {str(known): known for game in Game for known in WAGERS_OF[game]}
    amount = None if net is None else Decimal(net)
    return Wager(bettor, kinds[kind], Decimal(stake), amount, box, hand, late, on_behalf_of)


def test_calls_are_read() -> None:
    told = (
        "outcome banker, void misdeal, alice:withdraw, power_failure#3, alice:control@1 gone home"
    )
    assert said(f"{COUP} | {told}") == [
        ("outcome", 5, "None", "", "banker"),
        ("void", 5, "None", "", "misdeal"),
        ("withdraw", 5, "None", "alice", ""),
        ("power_failure", 3, "None", "", ""),
        ("control", 5, "box1", "alice", "gone home"),
    ]


def test_an_amount_makes_a_wager_of_what_could_be_either() -> None:
    read = parse_round("1 8H 8S / D 7C | double@1 50, insurance#3 50, burn 3, split@1")
    assert [str(placed.kind) for placed in read.wagers] == ["double"]
    assert [(str(call.kind), call.value) for call in read.calls] == [
        ("insurance", "50"),
        ("burn", "3"),
        ("split", ""),
    ]


def test_insurance_told_at_the_time_of_the_first_decision_comes_before_it() -> None:
    text = "1 8H 8S stand / D AC 2C | bets_closed#0, bob:insurance@1#3, supervisor#3"
    assert [call[0] for call in said(text)] == ["bets_closed", "insurance", "stand", "supervisor"]
    assert format_round(parse_round(text)) == text


def test_circumstances_are_read_and_every_bar_after_the_first_is_a_comma() -> None:
    assert parse_round(f"{COUP} | next 4C ?? | sealed, first | before bob alice,").around == (
        Circumstances(
            following=(parse_card("4C"), UNREAD),
            next_round_began=True,
            first_of_shoe=True,
            let_through_under_minimum=frozenset({"alice", "bob"}),
        )
    )


@pytest.mark.parametrize(
    "text",
    [
        COUP,
        SPLIT,
        f"{COUP} | alice:banker 100=-100, tie@3 12.50=+11.88, outcome banker, next 4C 9D",
        f"{SPLIT} | main@1 100=+100, split@1.2 100=-100, bob:insurance@1 50=0 late for alice",
        "burn 2C / P 2H 3D / B KS ?? / discard 4C | void misdeal, sealed, first, before alice bob",
        "P 2H#2 3D#4 / B KS#1 3S#3",
        "P 2H#21 3D#23 / B KS#22 3S#24",
        "1 8H 8S hit 2C stand:bob / 2 TS AD even_money / D AC",
        "1 8H 8S / D AC | stand@1#2, alice:split@1 no, hit@D, double#3 4 times",
        "1 8H 8S surrender / D AC | a/b:surrender@1",
        "1 8H 8S / D AC | split@1, split@1 box2.2",
        "P | void power_failure",
        "burn 2C / D",
    ],
)
def test_a_line_is_written_as_it_was_read(text: str) -> None:
    assert format_round(parse_round(text)) == text


def test_decisions_told_in_another_order_than_the_hands_are_played_stay_behind_the_bar() -> None:
    text = "1 8H 8S / 2 TS 9D / D AC"
    stands = (Call(CallKind.STAND, 5, box_hand(2)), Call(CallKind.STAND, 5, box_hand(1)))
    written = format_round(replace(parse_round(text), calls=stands))
    assert written == "1 8H 8S / 2 TS 9D / D AC | stand@2, stand@1"
    assert parse_round(written).calls == stands


NAMES = st.text(min_size=1, max_size=6).filter(
    lambda name: name.split() == [name] and not set(name) & set(",|:")
) | st.sampled_from(["alice", "a/b", "x#1", "y@2", "for", "split>1.2"])
CARDS: st.SearchStrategy[Card | Unread] = st.sampled_from((*DECK, UNREAD))
BOX_HANDS = [box_hand(box, formed) for box in (1, 2, 9) for formed in (1, 2, 3)]
HANDS_OF = {
    Game.BACCARAT: [PLAYER, BANKER, BURN, DISCARD],
    Game.BLACKJACK: [DEALER, BURN, DISCARD, *BOX_HANDS],
}
VALUES = st.sampled_from(["", "banker", "box1.2", "box1.3", "box2.2", "box1", "50", "-1 x", "1.2"])
CENTS = st.decimals(min_value=1, max_value=10**9, places=2)


@st.composite
def wagers(draw: st.DrawFn, game: Game) -> Wager:
    boxes = st.integers(1, 9)
    box = draw(boxes if game is Game.BLACKJACK else st.none() | boxes)
    formed = draw(st.none() | st.integers(2, 5))
    return Wager(
        bettor=draw(st.just("") | NAMES),
        kind=draw(st.sampled_from(sorted(WAGERS_OF[game]))),
        stake=draw(CENTS),
        net=draw(st.none() | CENTS | CENTS.map(lambda net: -net) | st.just(Decimal(0))),
        box=box,
        hand=None if box is None or formed is None else box_hand(box, formed),
        late=draw(st.booleans()),
        on_behalf_of=draw(st.none() | NAMES),
    )


@st.composite
def calls(draw: st.DrawFn, cards: int) -> Call:
    kinds = st.sampled_from(sorted(DECISIONS)) | st.sampled_from(CallKind)
    return Call(
        kind=draw(kinds),
        after=draw(st.integers(0, cards + 1)),
        hand=draw(st.none() | st.sampled_from([PLAYER, DEALER, *BOX_HANDS])),
        bettor=draw(st.just("") | NAMES),
        value=draw(st.just("") | VALUES),
    )


@st.composite
def rounds(draw: st.DrawFn) -> Round:
    game = draw(st.sampled_from(Game))
    hands = draw(st.lists(st.sampled_from(HANDS_OF[game]), max_size=14))
    seqs = list(range(1, len(hands) + 1))
    if draw(st.booleans()):
        places = st.integers(1, 400)
        seqs = draw(st.sets(places, min_size=len(hands), max_size=len(hands)).map(sorted))
    told = draw(st.lists(calls(len(hands)), max_size=8))
    if draw(st.booleans()):
        told.sort(key=lambda call: call.after)
    return Round(
        game,
        tuple(CardSeen(seq, draw(CARDS), hand) for seq, hand in zip(seqs, hands, strict=True)),
        tuple(draw(st.lists(wagers(game), max_size=4))),
        tuple(told),
        Circumstances(
            tuple(draw(st.lists(CARDS, max_size=3))),
            draw(st.booleans()),
            draw(st.booleans()),
            draw(st.frozensets(NAMES, max_size=3)),
        ),
    )


@given(rounds())
def test_every_round_is_read_back_as_it_was(played: Round) -> None:
    assert parse_round(format_round(played)) == played


IN_TURN = DECISIONS - {CallKind.SPLIT, CallKind.SURRENDER, CallKind.EVEN_MONEY}


@st.composite
def played_hands(draw: st.DrawFn) -> str:
    """Write a blackjack round in the order of the game, with decisions in its hands."""
    lines = []
    decisions = st.sampled_from(sorted(IN_TURN)) | st.just("stand:bob")
    splits = dict.fromkeys((1, 2, 9), 0)
    for hand in draw(st.sets(st.sampled_from(BOX_HANDS), min_size=1)):
        words = [str(card) for card in draw(st.lists(CARDS, min_size=2, max_size=5))]
        for spot in range(2, len(words) + 1):
            after = draw(st.lists(decisions, max_size=2))
            if splits[hand.box] < 4 and draw(st.booleans()):
                splits[hand.box] += 1
                after.append("split")
            words[spot - 1] = " ".join([words[spot - 1], *after])
        lines.append((hand.box, hand.formed, f"{hand} {' '.join(words)}".removeprefix("box")))
    return " / ".join([*(line for _, _, line in sorted(lines)), "D 7C TH"])


@given(played_hands())
def test_decisions_made_in_the_order_of_the_game_stay_in_their_hands(text: str) -> None:
    assert format_round(parse_round(text)) == text


@given(played_hands())
def test_decisions_stay_in_their_hands_when_a_camera_doubts_a_card(text: str) -> None:
    played = parse_round(text)
    doubted = tuple(replace(seen, confidence=0.5, footage="a.mp4") for seen in played.cards)
    assert format_round(replace(played, cards=doubted)) == format_round(played)


@given(st.text(alphabet="PBD12./|#@:=>,+- 8HKS?splitandvomae", max_size=40))
def test_any_text_is_a_round_or_bad_input(text: str) -> None:
    try:
        played = parse_round(text)
    except BadInput as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert parse_round(format_round(played)) == played


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("P 2H 1D", "'1D' is not a card"),
        ("1 2H stnd / D 2C", "'stnd' is not a card.*a decision is one of double even_money"),
        ("P 2H | next 4X", "'4X' is not a card"),
        ("P 2H#0", "'2H#0' has no place in the shoe's order"),
        ("P 2H#", "'2H#' has no place in the shoe's order"),
        ("P 2H#1 3D", "'3D' has no place: write # behind all cards or behind none"),
        ("P 2H#1 / B 3D#1", "'3D#1' has the place of 2H"),
        ("10 2H / D 3C", "'10' is not a hand"),
        ("1.6 2H / D 3C", "'1.6' is not a hand"),
        ("1.1 2H / D 3C", "'1.1' is not a hand"),
        ("X 2H", "'X' is not a hand"),
        ("1 2H | control@0", "'0' is not a hand"),
        ("P 2H / player 3D", "hand 'player' stands twice"),
        ("P 2H / / B 3D", "'P 2H / / B 3D' lacks a hand"),
        ("", "'' lacks a hand"),
        ("P 2H / D 3C", "P and D are hands of two games"),
        ("burn 2H", "'burn 2H' is of no game"),
        ("P 2H stand", "'stand' cannot stand in hand P: only boxes decide"),
        ("D 2H hit 3C", "'hit' cannot stand in hand D: only boxes decide"),
        ("1 2H 2C split>2.2", "'split>2.2' forms no hand of box 1"),
        ("1 2H 2C stand>1.2", "'stand>1.2' forms no hand of box 1"),
        ("1 2H 2C split>1.7", "'1.7' is not a hand"),
        ("1 2H split split split split split", r"box1\.6 is not a hand"),
        ("1 2H stand:", "'' cannot name a bettor"),
        ("1 2H stand:a,b", "'a,b' cannot name a bettor"),
        ("P 2H | bankr 100", "'bankr' is not a wager of baccarat"),
        ("P 2H | main 100", "'main' is not a wager of baccarat"),
        ("P 2H | banker -100", "a stake of -100.00 is not possible"),
        ("P 2H | banker 0", "a stake of 0.00 is not possible"),
        ("P 2H | banker", "'banker' is not a wager: write banker 100"),
        ("P 2H | banker#1 100", "'banker#1 100' is not a wager"),
        ("1 2H | main@D 100", "'main@D 100' is not a wager"),
        ("P 2H | banker much", "'much' is not an amount of money"),
        ("P 2H | banker 1.005", "'1.005' is not an amount of money"),
        ("P 2H | banker 100=", "'100=' is not an amount of money"),
        ("P 2H | banker =5", "'=5' is not an amount of money"),
        ("P 2H | tie 25 outcome tie", "'tie 25 outcome tie' goes on after its stake"),
        ("P 2H | tie 25 for", "'tie 25 for' goes on after its stake"),
        ("P 2H | tie 25 for a:b", "'a:b' cannot name a bettor"),
        ("P 2H | annul", "'annul' is not a call"),
        ("P 2H | void#soon", "'void#soon' was said at no time"),
        ("P 2H | a:b:void", "'a:b:void' is neither a wager .* nor a call"),
        ("P 2H | :void", "':void' is neither a wager .* nor a call"),
        ("P 2H | next", "'next' cannot be: next stands once, with words after it"),
        ("P 2H | next 2C, next 3C", "'next 3C' cannot be: next stands once"),
        ("P 2H | sealed now", "'sealed now' cannot be: sealed stands once, with nothing after it"),
        ("P 2H | before a:b", "'a:b' cannot name a bettor"),
    ],
)
def test_what_cannot_be_read_is_quoted_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        parse_round(text)


def with_card(seq: int, hand: Hand | None) -> Callable[[Round], Round]:
    return lambda played: replace(played, cards=(CardSeen(seq, DECK[0], hand),))


def with_call(call: Call) -> Callable[[Round], Round]:
    return lambda played: replace(played, calls=(call,))


def with_wager(placed: Wager) -> Callable[[Round], Round]:
    return lambda played: replace(played, wagers=(placed,))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (with_card(3, None), "card 3, AS, cannot be written: its hand is unknown"),
        (with_card(3, Hand(Place.BOX, 12)), "card 3, AS, cannot be written: .* no hand box12"),
        (with_card(0, DEALER), "card 0, AS, cannot be written: places begin at 1"),
        (with_wager(wager("a b", "main", "5", None, box=1)), "'a b' cannot name a bettor"),
        (with_wager(wager("a:b", "main", "5", None, box=1)), "'a:b' cannot name a bettor"),
        (
            with_wager(wager("", "main", "5", None, box=1, on_behalf_of="")),
            "'' cannot name a bettor",
        ),
        (
            with_wager(wager("", "main", "5.001", None, box=1)),
            "an amount of 5.001 cannot be written",
        ),
        (with_wager(wager("", "main", "5", "NaN", box=1)), "'NaN' is not an amount"),
        (with_wager(wager("", "main", "5", None, box=12)), "cannot stand on box 12: there are 9"),
        (with_call(Call(CallKind.STAND, 3, box_hand(1), "a|b")), r"'a\|b' cannot name a bettor"),
        (with_call(Call(CallKind.STAND, 3, Hand(Place.BOX, 0))), "hand box0 cannot be written"),
        (with_call(Call(CallKind.VOID, 3, value="a, b")), "'a, b' of void cannot be written"),
        (with_call(Call(CallKind.VOID, 3, value="a  b")), "'a  b' of void cannot be written"),
        (with_call(Call(CallKind.VOID, -1)), "void after -1 cards cannot be written"),
        (
            lambda played: replace(
                played, around=Circumstances(let_through_under_minimum=frozenset({"a b"}))
            ),
            "'a b' cannot name a bettor",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(change: Callable[[Round], Round], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        format_round(change(parse_round("1 8H 8S / D 7C")))
