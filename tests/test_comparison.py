"""Two logs of one shoe become one: what agrees is surer, what differs is named."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from audit.cards import DECK, Card, Rank, Suit
from audit.comparison import Compared, compare_logs
from audit.findings import Severity
from audit.judge import judge_round
from audit.notation import parse_round
from audit.rulebook_files import rulebook
from audit.shoe_rows import CardRow, Origin
from audit.table_sheet import plain_sheet

BOOK = rulebook("mbs-fortune-six-baccarat-v6")
NOON = datetime(2026, 3, 8, 12, tzinfo=timezone(timedelta(hours=8)))
NAMES = [str(card) for card in DECK]
SEEDS = st.integers(0, 2**32 - 1)
HANDS = ("player", "banker", "player", "banker")


def log_of(cards: Sequence[str], source: str = "shoe.csv", first: int = 1) -> tuple[CardRow, ...]:
    return tuple(
        CardRow(
            round=place // 4 + 1,
            seq=first + place,
            card=card,
            hand=HANDS[place % 4],
            ts=NOON + timedelta(seconds=5 * place),
            origin=Origin(source, place + 2),
        )
        for place, card in enumerate(cards)
    )


def filmed(log: Sequence[CardRow], confidence: float = 0.9) -> tuple[CardRow, ...]:
    """What a camera makes of the same cards: numbered on its own, with seconds of its footage."""
    return tuple(
        replace(
            row,
            seq=seq,
            confidence=confidence,
            at_s=float(seq),
            footage="clip.mp4",
            origin=Origin("camera.csv", seq + 1),
        )
        for seq, row in enumerate(log, 1)
    )


def shuffled(seed: int, dealt: int = 200) -> list[str]:
    cards = NAMES * 8
    Random(seed).shuffle(cards)  # noqa: S311
    return cards[:dealt]


def found(compared: Compared) -> list[tuple[str, tuple[int, ...]]]:
    return [(one.finding.code, one.finding.evidence.cards) for one in compared.findings]


def check_whole(compared: Compared, *logs: Sequence[CardRow]) -> None:
    """Every row of every log is in the merged log or left over, and numbers go upwards."""
    seqs = [row.seq for row in compared.cards]
    assert seqs == sorted(set(seqs))
    used = [row.origin for row in compared.cards] + [row.origin for row, _ in compared.left_over]
    assert sorted(used, key=repr) == sorted((row.origin for log in logs for row in log), key=repr)


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS)
def test_two_equal_logs_have_nothing_to_say(seed: int) -> None:
    log = log_of(shuffled(seed))
    camera = filmed(log)
    compared = compare_logs([log, camera], BOOK)
    assert compared.findings == ()
    assert [row.card for row in compared.cards] == [row.card for row in log]
    assert [row.origin for row in compared.cards] == [row.origin for row in log]
    assert {row.footage for row in compared.cards} == {"clip.mp4"}
    check_whole(compared, log, camera)


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, place=st.integers(0, 199), card=st.sampled_from(NAMES))
def test_a_card_read_otherwise_is_named_and_no_other(seed: int, place: int, card: str) -> None:
    cards = shuffled(seed)
    assume(cards[place] != card)
    other = [*cards[:place], card, *cards[place + 1 :]]
    log, camera = log_of(cards), filmed(log_of(other), confidence=1.0)
    compared = compare_logs([log, camera], BOOK)
    assert found(compared) == [("SRC004", (place + 1,))]
    (one,) = compared.findings
    assert one.round == place // 4 + 1
    assert one.finding.severity is Severity.REVIEW
    assert f"shoe.csv has {cards[place]}, clip.mp4 {card}" in one.finding.observed
    assert "switched" in one.finding.observed
    merged = compared.cards[place]
    assert {merged.card, merged.alternatives[:2]} == {cards[place], card}
    assert merged.confidence == pytest.approx(0.495, abs=0.01)
    check_whole(compared, log, camera)


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, place=st.integers(1, 198))
def test_a_card_that_the_camera_missed_is_named_though_its_numbers_shift(
    seed: int, place: int
) -> None:
    cards = shuffled(seed)
    assume(cards[place - 1] != cards[place] != cards[place + 1])
    log = log_of(cards)
    camera = filmed((*log[:place], *log[place + 1 :]))
    compared = compare_logs([log, camera], BOOK)
    assert found(compared) == [("SRC005", (place + 1,))]
    assert [row.card for row in compared.cards] == cards
    check_whole(compared, log, camera)


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, start=st.integers(1, 100), end=st.integers(120, 199))
def test_a_camera_that_saw_a_part_of_the_shoe_is_found_in_it(
    seed: int, start: int, end: int
) -> None:
    log = log_of(shuffled(seed))
    camera = filmed(log[start:end])
    compared = compare_logs([camera, log], BOOK)
    assert compared.findings == ()
    assert [row.seq for row in compared.cards] == list(range(1, 201))
    assert [row.seq for row in compared.cards if row.footage] == list(range(start + 1, end + 1))
    check_whole(compared, log, camera)


def test_rounds_that_only_the_camera_saw_are_numbered_as_the_shoe_numbers_them() -> None:
    log = tuple(replace(row, round=12 + place // 4) for place, row in enumerate(log_of(NAMES)))
    camera = filmed(log_of(NAMES[20:]))
    compared = compare_logs([log[:40], camera], BOOK)
    assert compared.findings == ()
    assert [row.round for row in compared.cards] == [12 + place // 4 for place in range(52)]


def test_a_card_that_only_the_camera_saw_takes_a_number_of_its_own() -> None:
    cards = shuffled(1, 40)
    log = log_of(cards)
    extra = replace(log[20], card="KD" if cards[20] != "KD" else "QD", round=5)
    camera = filmed((*log[:20], extra, *log[20:]))
    compared = compare_logs([log, camera], BOOK)
    assert found(compared) == [("SRC005", (21,))]
    assert [row.seq for row in compared.cards] == list(range(1, 42))
    assert compared.cards[20].card == extra.card
    assert compared.cards[21].card == cards[20]
    check_whole(compared, log, camera)


def test_a_card_that_a_log_lacks_by_its_numbers_is_filled_from_the_other() -> None:
    cards = shuffled(2, 40)
    log = log_of(cards)
    holed = tuple(
        replace(row, origin=Origin("spare.csv", row.seq)) for row in log if row.seq not in (7, 8)
    )
    compared = compare_logs([holed, log], BOOK)
    assert found(compared) == [("SRC005", (7,)), ("SRC005", (8,))]
    assert [row.card for row in compared.cards] == cards


def test_agreement_makes_a_reading_surer() -> None:
    log = filmed(log_of(shuffled(3, 40)), confidence=0.9)
    other = tuple(replace(row, confidence=0.8, origin=Origin("second.csv", row.seq)) for row in log)
    compared = compare_logs([log, other], BOOK)
    assert {round(row.confidence, 6) for row in compared.cards} == {0.98}
    assert compared.findings == ()


def test_the_alternatives_of_a_reading_shrink_as_it_grows_surer() -> None:
    log = log_of(["9H", "2C", "KD", "4S"] * 10)
    doubtful = replace(log[0], confidence=0.8, alternatives="6H:0.20")
    camera = filmed(log, confidence=0.9)
    compared = compare_logs([(doubtful, *log[1:]), camera], BOOK)
    assert compared.cards[0].alternatives == "6H:0.020"
    assert compared.cards[0].confidence == pytest.approx(0.98)


def test_the_surer_reading_stays_and_the_other_remains_possible() -> None:
    log = log_of(["9H", "2C", "KD", "4S"] * 10)
    camera = list(filmed(log, confidence=0.9))
    camera[0] = replace(camera[0], card="6H")
    compared = compare_logs([log, tuple(camera)], BOOK)
    merged = compared.cards[0]
    assert merged.card == "9H"
    assert merged.alternatives.startswith("6H:")
    assert 0.85 < merged.confidence < 0.98
    (one,) = compared.findings
    assert "switched" not in one.finding.observed
    assert one.finding.confidence == pytest.approx(0.9)
    unused = {row.origin for row, _ in compared.left_over}
    assert camera[0].origin in unused


def test_where_the_camera_is_the_surer_one_its_row_is_kept() -> None:
    log = list(log_of(["9H", "2C", "KD", "4S"] * 10))
    log[0] = replace(log[0], confidence=0.6)
    camera = list(filmed(log, confidence=0.97))
    camera[0] = replace(camera[0], card="6H")
    compared = compare_logs([tuple(log), tuple(camera)], BOOK)
    assert compared.cards[0].card == "6H"
    assert compared.cards[0].origin == camera[0].origin
    assert (log[0], "it is the same card as row 2 of camera.csv") in compared.left_over
    check_whole(compared, log, camera)


def test_two_doubtful_readings_can_settle_on_a_card_that_both_name() -> None:
    log = list(log_of(["9H", "2C", "KD", "4S"] * 10))
    log[0] = replace(log[0], card="??", confidence=0.0, alternatives="9H:0.50 6H:0.50")
    camera = list(filmed(log, confidence=0.97))
    camera[0] = replace(camera[0], card="6H", confidence=0.7, alternatives="9H:0.10")
    compared = compare_logs([tuple(log), tuple(camera)], BOOK)
    assert compared.cards[0].card == "6H"
    assert compared.cards[0].confidence > 0.8
    assert compared.findings == ()


def test_hands_and_rounds_are_filled_from_whichever_log_has_them() -> None:
    log = log_of(shuffled(4, 40))
    bare = tuple(replace(row, hand=None, round=None) for row in log)
    camera = filmed(log)
    compared = compare_logs([bare, camera], BOOK)
    assert [(row.round, row.hand) for row in compared.cards] == [
        (row.round, row.hand) for row in log
    ]
    assert compared.findings == ()


@pytest.mark.parametrize(
    ("here", "there", "kept", "differ"),
    [
        ("player", "banker", "player", True),
        ("box3", "box3.2", "box3.2", False),
        ("box3.2", "box3", "box3.2", False),
        ("box3", "box4", "box3", True),
        ("discard", "discard", "discard", False),
    ],
)
def test_sources_that_saw_a_card_go_to_different_hands_disagree(
    here: str, there: str, kept: str, *, differ: bool
) -> None:
    log = list(log_of(["9H", "2C", "KD", "4S"] * 10))
    camera = list(filmed(log, confidence=1.0))
    log[5], camera[5] = replace(log[5], hand=here), replace(camera[5], hand=there)
    compared = compare_logs([tuple(log), tuple(camera)], BOOK)
    assert compared.cards[5].hand == kept
    assert found(compared) == ([("SRC004", (6,))] if differ else [])
    if differ:
        said = f"shoe.csv has 2C at {here}, clip.mp4 2C at {there}"
        assert said in compared.findings[0].finding.observed


def swapped(log: Sequence[CardRow], first: int, second: int) -> list[CardRow]:
    """The log with two cards in each other's place: who was dealt them, and when, stays."""
    cards = [row.card for row in log]
    cards[first], cards[second] = cards[second], cards[first]
    return [replace(row, card=card) for row, card in zip(log, cards, strict=True)]


def test_a_card_dealt_out_of_order_is_named_with_the_one_that_it_passed() -> None:
    log = tuple(replace(row, hand=None) for row in log_of(NAMES))
    camera = filmed(swapped(log_of(NAMES), 30, 31))
    compared = compare_logs([log, camera], BOOK)
    (one,) = compared.findings
    assert (one.finding.code, one.round, one.finding.severity) == ("SRC006", 8, Severity.REVIEW)
    assert one.finding.observed == (
        f"card 32, {NAMES[31]}, comes after {NAMES[30]} in shoe.csv and before it in clip.mp4"
    )
    assert [row.card for row in compared.cards] == NAMES
    check_whole(compared, log, camera)


def test_where_the_shoe_knows_the_hands_it_is_said_to_which_a_card_went_out_of_order() -> None:
    log = log_of(NAMES)
    compared = compare_logs([log, filmed(swapped(log, 30, 31))], BOOK)
    by_code = {one.finding.code: one for one in compared.findings}
    assert by_code.keys() == {"SRC004", "SRC006"}
    assert by_code["SRC004"].hand_in_doubt
    assert "switched" not in by_code["SRC004"].finding.observed
    assert by_code["SRC006"].finding.observed.endswith(", to player instead of banker")


def test_cards_that_a_camera_first_saw_together_have_no_order() -> None:
    log = tuple(replace(row, hand=None) for row in log_of(NAMES))
    camera = list(filmed(swapped(log_of(NAMES), 30, 31)))
    camera[31] = replace(camera[31], ts=camera[30].ts)
    compared = compare_logs([log, tuple(camera)], BOOK)
    assert compared.findings == ()
    assert [row.card for row in compared.cards] == NAMES


def test_a_card_dealt_three_places_late_is_one_finding() -> None:
    log = tuple(replace(row, hand=None) for row in log_of(NAMES))
    order = [*NAMES[:30], *NAMES[31:34], NAMES[30], *NAMES[34:]]
    compared = compare_logs([log, filmed(log_of(order))], BOOK)
    (one,) = compared.findings
    assert one.finding.code == "SRC006"
    assert f"{NAMES[30]}, comes before {NAMES[31]} in shoe.csv" in one.finding.observed
    assert [row.card for row in compared.cards] == NAMES


def test_a_card_that_only_one_source_has_is_said_to_be_off_or_past_the_table() -> None:
    log = log_of(shuffled(1, 40))
    never_laid = compare_logs([log, filmed((*log[:20], *log[21:]))], BOOK)
    past_the_shoe = compare_logs([(*log[:20], *log[21:]), filmed(log)], BOOK)
    by_two_readers = compare_logs(
        [log, tuple(replace(row, origin=Origin("b", row.seq)) for row in log if row.seq != 21)],
        BOOK,
    )
    told = [
        one.finding.observed.partition("; ")[2]
        for compared in (never_laid, past_the_shoe, by_two_readers)
        for one in compared.findings
    ]
    assert told == [
        "it may never have come to the table",
        "it may not have come out of the shoe",
        "",
    ]


def test_a_log_of_other_cards_is_left_out_with_one_finding() -> None:
    log, other = log_of(shuffled(7)), log_of(shuffled(8), "wrong.csv")
    compared = compare_logs([log, other], BOOK)
    assert compared.cards == log
    assert len(compared.left_over) == len(other)
    assert [one.finding.code for one in compared.findings] == ["SRC004"]


def test_three_logs_are_merged_one_after_the_other() -> None:
    cards = shuffled(9, 60)
    log = log_of(cards)
    spare = tuple(replace(row, origin=Origin("spare.csv", row.seq)) for row in log[:50])
    seen = list(filmed(log[10:45], confidence=1.0))
    seen[5] = replace(seen[5], card="AS" if seen[5].card != "AS" else "AD")
    compared = compare_logs([tuple(seen), log, spare], BOOK)
    assert found(compared) == [("SRC004", (16,))]
    assert [row.seq for row in compared.cards] == list(range(1, 61))
    check_whole(compared, log, spare, seen)


def test_a_ten_is_the_same_card_however_it_is_written() -> None:
    log = log_of(["TD", "2C", "KD", "4S"] * 10)
    camera = [replace(row, card=row.card.replace("T", "10")) for row in filmed(log)]
    compared = compare_logs([log, tuple(camera)], BOOK)
    assert compared.findings == ()
    assert compared.cards[0].card == "TD"


def test_no_log_and_one_log_are_themselves() -> None:
    log = log_of(shuffled(10, 20))
    assert compare_logs([], BOOK) == Compared((), (), ())
    assert compare_logs([log], BOOK) == Compared(log, (), ())
    assert compare_logs([log, ()], BOOK) == Compared(log, (), ())


@pytest.mark.parametrize(
    ("confidence", "read_as", "doubt"),
    [(0.5, "as it is", ""), (0.5, "??", "it was covered"), (1.0, "as it is", "it was covered")],
)
def test_a_doubt_about_what_was_read_is_settled_by_a_log_that_is_sure(
    confidence: float, read_as: str, doubt: str
) -> None:
    log = log_of(shuffled(10, 20))
    camera = tuple(replace(row, doubt="it was covered") for row in filmed(log, confidence))
    if read_as == "??":
        log = tuple(replace(row, card="??") for row in log[:4]) + log[4:]
    compared = compare_logs([log, camera], BOOK)
    assert [row.doubt for row in compared.cards[:4]] == [doubt] * 4


def test_where_each_row_of_two_logs_stands_now_is_told() -> None:
    log = log_of(shuffled(10, 20))
    camera = filmed(log[3:])
    places = compare_logs([log, camera], BOOK).places
    assert places == {row.origin: row.seq for row in log} | {
        row.origin: row.seq + 3 for row in camera
    }


def test_a_contested_card_accuses_nobody() -> None:
    """The judge tries both readings, so what hangs on a switched card is for a person to see."""
    played = parse_round("P 2H 3D 7C / B KS 6S")
    sure = judge_round(played, BOOK, plain_sheet(BOOK.id))
    assert [finding.severity for finding in sure] == [Severity.VIOLATION]
    log = tuple(
        CardRow(1, seen.seq, str(seen.card), str(seen.hand), NOON, origin=Origin("a", seen.seq))
        for seen in played.cards
    )
    other = [replace(row, origin=Origin("b", row.seq)) for row in log]
    other[4] = replace(other[4], card="AC")
    merged = compare_logs([log, tuple(other)], BOOK).cards[4]
    assert merged.seq == 5
    contested = replace(played.cards[4], confidence=merged.confidence)
    cards = (*played.cards[:4], contested)
    doubtful = judge_round(replace(played, cards=cards), BOOK, plain_sheet(BOOK.id))
    assert {finding.severity for finding in doubtful} <= {Severity.REVIEW}


@pytest.mark.parametrize(("share", "found"), [(0.02, ["DRW001"]), (0.004, [])])
def test_what_is_all_but_impossible_is_not_handed_to_a_person(
    share: float, found: list[str]
) -> None:
    """Six stands; were the four a three, the player would have to draw."""
    played = parse_round("P 2H 4D / B KS 7S")
    four = played.cards[2]
    assert str(four.card) == "4D"
    others = ((Card(Rank.THREE, Suit.DIAMONDS), share), (Card(Rank.FOUR, Suit.CLUBS), 0.03 - share))
    doubtful = replace(four, confidence=0.97, alternatives=others)
    cards = (*played.cards[:2], doubtful, *played.cards[3:])
    judged = judge_round(replace(played, cards=cards), BOOK, plain_sheet(BOOK.id))
    assert [finding.code for finding in judged] == found
    assert all(finding.severity is Severity.REVIEW for finding in judged)
