"""Whole shoes: lawful ones are cleared, and what no single round shows is found once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.assembly import TableHistory, rounds_of
from audit.cards import DECK
from audit.findings import Evidence, Finding, Severity
from audit.judge import judge_round
from audit.judging.shoe import (
    ShoeFinding,
    held_back,
    in_doubtful_rounds,
    judge_shoe,
    probability_of_more_than,
    remember_order,
    rounds_in_doubt,
)
from audit.observations import Game
from audit.rulebook_files import all_rulebooks, rulebook
from audit.shoe_order import EarlierShoes
from audit.shoe_rows import CallRow, CardRow, ShoeRows
from audit.simulation.shoe import shuffled_shoe
from audit.simulation.table import rounds_of_a_shoe, simulated_sheet
from audit.table_sheet import TableSheet, plain_sheet

NOON = datetime(2026, 3, 8, 12, tzinfo=timezone(timedelta(hours=8)))
BACCARAT = "mbs-fortune-six-baccarat-v6"
NAMES = [str(card) for card in DECK]
HANDS = ("player", "banker", "player", "banker")


def rows_of(cards: Sequence[str], *calls: CallRow, shoe: str = "S1") -> ShoeRows:
    """Lay an order out as rounds of four cards."""
    rows = (
        CardRow(place // 4 + 1, place + 1, card, HANDS[place % 4], moment(place))
        for place, card in enumerate(cards)
    )
    return ShoeRows("T", shoe, tuple(rows), calls=calls)


def moment(place: int) -> datetime:
    return NOON + timedelta(seconds=5 * place)


def judged(
    rows: ShoeRows, decks: int = 8, *, first_of_log: bool = False
) -> tuple[ShoeFinding, ...]:
    sheet = plain_sheet(BACCARAT, decks=decks)
    book = rulebook(BACCARAT)
    return judge_shoe(rows, book, sheet, EarlierShoes(), first_of_log=first_of_log)


def shuffled(seed: int, decks: int = 8, dealt: int = 400) -> list[str]:
    cards = NAMES * decks
    Random(seed).shuffle(cards)  # noqa: S311
    return cards[:dealt]


# Lawful shoes


def dealt_rows(name: str, seed: int) -> tuple[ShoeRows, TableSheet]:
    """Deal a lawful shoe at a simulated table, and write its cards down as rows."""
    rng = Random(f"{name}/{seed}")  # noqa: S311
    book = rulebook(name)
    sheet = simulated_sheet(book, rng)
    shoe = shuffled_shoe(sheet.decks, rng, name=str(seed))
    cards = [
        CardRow(number, seen.seq, str(seen.card), str(seen.hand), moment(seen.seq))
        for number, played in enumerate(rounds_of_a_shoe(shoe, book, sheet, rng), 1)
        for seen in played.cards
    ]
    return ShoeRows("T", shoe.name, tuple(cards)), sheet


@pytest.mark.parametrize("name", all_rulebooks())
def test_lawful_shoes_of_a_table_are_cleared(name: str) -> None:
    earlier = EarlierShoes()
    for seed in range(6):
        rows, sheet = dealt_rows(name, seed)
        assert judge_shoe(rows, rulebook(name), sheet, earlier) == ()
        remember_order(rows, earlier)


@pytest.mark.parametrize("name", ["mbs-blackjack-v6", BACCARAT])
def test_a_shoe_dealt_from_unshuffled_discards_is_found(name: str) -> None:
    """The hands of each round are picked up one by one, and the rounds dealt again as they lie."""
    earlier = EarlierShoes()
    for seed in range(3):
        rows, sheet = dealt_rows(name, seed)
        remember_order(rows, earlier)
    picked = sorted(rows.cards, key=lambda row: (row.round or 0, row.hand or "", -row.seq))
    again = rows_of([row.card for row in picked], shoe="again")
    found = judge_shoe(again, rulebook(name), sheet, earlier)
    assert [one.finding.code for one in found] == ["SHO006"]
    assert found[0].finding.severity is Severity.VIOLATION
    assert "repeat the order of shoe 2" in found[0].finding.observed


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    decks=st.integers(1, 10),
    card=st.sampled_from(NAMES),
    place=st.floats(0, 1),
)
def test_one_card_too_many_is_found_once_and_no_card_else(
    seed: int, decks: int, card: str, place: float
) -> None:
    cards = shuffled(seed, decks, decks * 52)
    cards.insert(int(place * len(cards)), card)
    found = judged(rows_of(cards), decks)
    rounds = Counter(at // 4 for at, name in enumerate(cards) if name == card)
    if max(rounds.values()) > decks:
        assert found == ()
        return
    (one,) = found
    copies = [at + 1 for at, name in enumerate(cards) if name == card]
    assert one.finding.code == "SHO001"
    assert one.finding.evidence == Evidence(cards=tuple(copies))
    assert one.round == (copies[-1] - 1) // 4 + 1
    assert one.finding.observed.startswith(f"{decks + 1} were dealt")
    assert one.finding.severity is Severity.VIOLATION


# Copies


def with_kings(*places: int, length: int = 40) -> list[str]:
    """Lay kings of spades at some places among cards that come once each."""
    others = iter(name for name in shuffled(2, 1, 52) if name != "KS")
    return ["KS" if place in places else next(others) for place in range(length)]


def codes_of_rounds(rows: ShoeRows, decks: int) -> list[str]:
    sheet = plain_sheet(BACCARAT, decks=decks)
    played = rounds_of(rows, Game.BACCARAT, sheet, TableHistory())
    found = (judge_round(one, rulebook(BACCARAT), sheet) for one in played)
    return [finding.code for findings in found for finding in findings]


@pytest.mark.parametrize(
    ("places", "in_rounds", "in_shoe"),
    [
        ((1, 2), 1, []),
        ((1, 10), 0, [3]),
        ((1, 10, 20), 0, [3, 6]),
        ((1, 2, 10), 1, [3]),
        ((1, 10, 11), 1, []),
        ((1,), 0, []),
    ],
)
def test_a_surplus_is_found_by_the_round_or_by_the_shoe_never_by_both(
    places: tuple[int, ...], in_rounds: int, in_shoe: list[int]
) -> None:
    rows = rows_of(with_kings(*places))
    assert codes_of_rounds(rows, decks=1).count("SHO001") == in_rounds
    found = judged(rows, decks=1)
    assert [one.round for one in found] == in_shoe
    assert {one.finding.code for one in found} <= {"SHO001"}


def test_an_earlier_surplus_stands_and_a_void_round_needs_no_such_word() -> None:
    rows = rows_of(with_kings(1, 10))
    (sealed,) = judged(rows, decks=1)
    assert "the settlement stands since the next round has begun (5.1.2)" in sealed.finding.observed
    void = replace(rows, calls=(CallRow(moment(12), "void", 3, value="foreign_card"),))
    (voided,) = judged(void, decks=1)
    assert voided.finding.observed == "2 were dealt"


@pytest.mark.parametrize(
    ("read", "confidence", "severity"),
    [
        (1.0, 1.0, Severity.VIOLATION),
        (0.9999, 0.909, Severity.REVIEW),
        (0.99, 0.090, Severity.REVIEW),
        (0.6, 0.0015, Severity.REVIEW),
    ],
)
def test_a_surplus_is_weighed_against_a_misread_copy_which_is_far_more_frequent(
    read: float, confidence: float, severity: Severity
) -> None:
    rows = rows_of(with_kings(1, 10))
    cards = list(rows.cards)
    cards[10] = replace(cards[10], confidence=read)
    (one,) = judged(replace(rows, cards=tuple(cards)), decks=1)
    assert one.finding.confidence == pytest.approx(confidence, abs=0.0005)
    assert one.finding.severity is severity


def test_one_doubtful_copy_among_more_than_enough_takes_little_away() -> None:
    assert probability_of_more_than(1, [0.5, 1.0]) == pytest.approx(0.5)
    assert probability_of_more_than(1, [0.5, 1.0, 1.0]) == pytest.approx(1.0)
    assert probability_of_more_than(1, [0.9, 0.9]) == pytest.approx(0.81)
    assert probability_of_more_than(1, [0.5, 0.5, 0.5]) == pytest.approx(0.5)
    assert probability_of_more_than(2, [1.0, 1.0]) == 0


def test_unread_cards_are_copies_of_nothing() -> None:
    assert judged(rows_of(["??"] * 40), decks=1) == ()


def test_discards_shuffled_back_in_the_middle_may_come_again() -> None:
    cards = shuffled(5, 1, 48)
    again = [*cards, *shuffled(6, 1, 20)]
    shuffle = CallRow(moment(48), "shuffle")
    assert judged(rows_of(again, shuffle), decks=1) == ()
    assert {one.finding.code for one in judged(rows_of(again), decks=1)} == {"SHO001"}


def test_so_many_surplus_cards_that_discards_must_have_come_back_accuse_nobody() -> None:
    again = [*shuffled(5, 1, 48), *shuffled(6, 1, 20)]
    found = judged(rows_of(again), decks=1)
    assert len(found) > 8
    assert {one.finding.severity for one in found} == {Severity.REVIEW}
    assert all("discards may have come back" in one.finding.observed for one in found)


def test_a_shoe_that_is_filled_without_end_has_no_copies_to_count() -> None:
    endless = [card for seed in range(4) for card in shuffled(seed, 1, 52)]
    assert judged(rows_of(endless), decks=1) == ()


# Places


def test_a_burn_card_belongs_to_the_first_round_and_the_rest_to_the_last() -> None:
    rows = rows_of(with_kings(0, 39))
    cards = list(rows.cards)
    cards[0] = replace(cards[0], round=None, hand="burn")
    cards[39] = replace(cards[39], round=None, hand="discard")
    (last,) = judged(replace(rows, cards=tuple(cards)), decks=1)
    assert last.round == 10
    cards[1] = replace(cards[1], card="KS")
    (again,) = judged(replace(rows, cards=tuple(cards)), decks=1)
    assert (again.round, again.finding.evidence.cards) == (10, (1, 2, 40))


def test_the_rows_of_a_shoe_may_stand_in_any_order() -> None:
    rows = rows_of(with_kings(1, 10))
    mixed = replace(rows, cards=tuple(reversed(rows.cards)))
    assert judged(mixed, decks=1) == judged(rows, decks=1)


def test_a_shoe_without_cards_has_nothing_to_say() -> None:
    assert judged(ShoeRows("T", "S1", ())) == ()


# Gaps


def without(rows: ShoeRows, *seqs: int) -> ShoeRows:
    return replace(rows, cards=tuple(row for row in rows.cards if row.seq not in seqs))


def test_the_first_shoe_of_a_log_may_begin_in_the_middle() -> None:
    rows = without(rows_of(shuffled(1)), *range(1, 40))
    assert judged(rows, first_of_log=True) == ()
    (note,) = judged(rows)
    assert (note.finding.code, note.finding.severity) == ("SRC003", Severity.NOTE)
    assert note.round == 10


@pytest.mark.parametrize(
    ("burn", "unlogged", "notes"), [(1, 1, 0), (1, 2, 1), (None, 11, 0), (None, 12, 1), (0, 1, 1)]
)
def test_burn_cards_need_no_rows(burn: int | None, unlogged: int, notes: int) -> None:
    rows = without(rows_of(shuffled(1)), *range(1, unlogged + 1))
    sheet = replace(plain_sheet(BACCARAT), burn=burn)
    assert len(judge_shoe(rows, rulebook(BACCARAT), sheet, EarlierShoes())) == notes


def test_rounds_on_both_sides_of_a_gap_are_in_doubt() -> None:
    rows = without(rows_of(shuffled(1, dealt=40)), 4, 5, 18)
    found = judged(rows)
    assert [(one.finding.code, one.round) for one in found] == [("SRC003", 2), ("SRC003", 5)]
    assert rounds_in_doubt(rows, found) == {1, 2, 5}
    assert rounds_in_doubt(rows_of(shuffled(1)), ()) == frozenset()


def test_a_round_whose_cards_two_sources_place_otherwise_is_in_doubt() -> None:
    source = Finding("SRC005", Severity.REVIEW, BACCARAT, "", "", "", None)
    read_otherwise, out_of_order = (replace(source, code=code) for code in ("SRC004", "SRC006"))
    found = [
        ShoeFinding(7, source),
        ShoeFinding(8, read_otherwise),
        ShoeFinding(9, read_otherwise, hand_in_doubt=True),
        ShoeFinding(10, out_of_order),
    ]
    assert rounds_in_doubt(rows_of(shuffled(1)), found) == {7, 9, 10}


def test_in_such_a_round_nobody_is_accused_by_its_cards() -> None:
    drawn = Finding("DRW001", Severity.VIOLATION, BACCARAT, "3.14", "", "", None)
    assert held_back(drawn).severity is Severity.REVIEW
    assert held_back(drawn).confidence == 0.5
    assert held_back(replace(drawn, code="SRC001")).severity is Severity.REVIEW
    assert held_back(replace(drawn, code="BET003")).severity is Severity.VIOLATION
    note = replace(drawn, severity=Severity.NOTE)
    assert held_back(note) == note


@pytest.mark.parametrize(
    ("code", "cards", "severity"),
    [
        ("SHO001", (2, 9), Severity.REVIEW),
        ("SHO001", (9, 12), Severity.VIOLATION),
        ("SHO005", (), Severity.REVIEW),
        ("SHO006", (2, 9), Severity.VIOLATION),
    ],
)
def test_what_hangs_on_a_round_in_doubt_is_left_to_a_person(
    code: str, cards: tuple[int, ...], severity: Severity
) -> None:
    rows = rows_of(shuffled(1, dealt=40))
    doubted = replace(rows.cards[4], doubt="row 5 was refused")
    rows = replace(rows, cards=(*rows.cards[:4], doubted, *rows.cards[5:]))
    evidence = Evidence(cards=cards)
    surplus = Finding(
        code, Severity.VIOLATION, BACCARAT, "", "", "too many", None, evidence=evidence
    )
    (found,) = in_doubtful_rounds([ShoeFinding(3, surplus)], rows)
    assert found.finding.severity is severity
    assert (found.finding.observed == "too many; row 5 was refused") == (
        severity is Severity.REVIEW
    )


# What rounds show of their shoe, out of its rows


def blackjack_rows(first_hand: str, *calls: CallRow) -> ShoeRows:
    hands = (first_hand, "box1", "dealer", "box1", "dealer", "dealer")
    cards = ("2C", "TH", "7H", "8D", "TC", "9C")
    dealt = [
        CardRow(1, seq, card, hand, moment(seq))
        for seq, (card, hand) in enumerate(zip(cards, hands, strict=True), 1)
    ]
    return ShoeRows("T", "S1", tuple(dealt[:5]), calls=calls)


@pytest.mark.parametrize(("first_hand", "codes"), [("burn", []), ("box1", ["DEA018"])])
def test_a_forgotten_burn_card_shows_in_the_first_round_of_the_rows(
    first_hand: str, codes: list[str]
) -> None:
    sheet = replace(plain_sheet("mbs-blackjack-v6"), burn=1)
    played = list(rounds_of(blackjack_rows(first_hand), Game.BLACKJACK, sheet, TableHistory()))
    assert [one.around.first_of_shoe for one in played] == [True]
    found = judge_round(played[0], rulebook("mbs-blackjack-v6"), sheet)
    assert [finding.code for finding in found if finding.code == "DEA018"] == codes


def test_a_log_that_begins_in_the_middle_accuses_nobody_of_the_burn_card() -> None:
    sheet = replace(plain_sheet("mbs-blackjack-v6"), burn=1)
    rows = blackjack_rows("box1")
    later = replace(rows, cards=tuple(replace(row, seq=row.seq + 100) for row in rows.cards))
    (played,) = rounds_of(later, Game.BLACKJACK, sheet, TableHistory())
    found = judge_round(played, rulebook("mbs-blackjack-v6"), sheet)
    assert "DEA018" not in [finding.code for finding in found]


def test_a_shoe_that_runs_out_shows_in_its_last_round() -> None:
    void = CallRow(moment(500), "void", 5, value="not_enough_cards")
    rows = replace(rows_of(shuffled(1, dealt=18)), calls=(void,))
    assert codes_of_rounds(rows, decks=8).count("SHO003") == 1
    assert judged(rows) == ()


def test_an_unshuffled_shoe_whose_round_was_voided_is_found_once_by_the_shoe() -> None:
    void = CallRow(moment(3), "void", 1, value="unshuffled")
    rows = rows_of(NAMES[:48], void)
    assert [one.finding.code for one in judged(rows, decks=1)] == ["SHO007"]
    assert "DEA019" not in codes_of_rounds(rows, decks=1)


def test_the_rest_of_a_shoe_counted_out_belongs_to_its_last_round() -> None:
    rows = rows_of(shuffled(3, 1, 52))
    rest = tuple(
        replace(row, round=None, hand="discard") if row.seq > 32 else row for row in rows.cards
    )
    sheet = plain_sheet(BACCARAT, decks=1)
    counted = replace(rows, cards=rest)
    played = list(rounds_of(counted, Game.BACCARAT, sheet, TableHistory()))
    assert [len(one.in_play()) for one in played] == [4] * 8
    assert [len(one.cards) for one in played] == [4] * 7 + [24]
    assert judged(counted, decks=1) == ()
