"""Rows of one shoe become rounds: what belongs where, and what was late."""

from datetime import datetime, timedelta, timezone

from audit.assembly import TableHistory, rounds_of
from audit.judge import judge_round
from audit.notation import format_round
from audit.observations import Game
from audit.rounds import Round
from audit.rulebook_files import rulebook
from audit.shoe_rows import CallRow, CardRow, ShoeRows, WagerRow
from audit.table_sheet import plain_sheet

NOON = datetime(2026, 3, 8, 12, tzinfo=timezone(timedelta(hours=8)))
BOOK = "mbs-fortune-six-baccarat-v6"
CARDS = (
    CardRow(None, 1, "KD", "burn", NOON),
    CardRow(1, 2, "9H", "player", NOON + timedelta(seconds=30)),
    CardRow(1, 3, "2C", "banker", NOON + timedelta(seconds=32)),
    CardRow(1, 4, "KS", "player", NOON + timedelta(seconds=34)),
    CardRow(1, 5, "4S", "banker", NOON + timedelta(seconds=36)),
    CardRow(2, 6, "8D", "player", NOON + timedelta(seconds=90)),
    CardRow(2, 7, "7C", "banker", NOON + timedelta(seconds=92)),
    CardRow(2, 8, "TC", "player", NOON + timedelta(seconds=94)),
    CardRow(2, 9, "QS", "banker", NOON + timedelta(seconds=96)),
)
CALLS = (
    CallRow(NOON - timedelta(seconds=5), "dealer_in", value="D01"),
    CallRow(NOON + timedelta(seconds=25), "bets_closed", 1),
    CallRow(NOON + timedelta(seconds=40), "outcome", 1, value="player"),
)


def assembled(*wagers: WagerRow) -> list[Round]:
    rows = ShoeRows("BAC-07", "S1", CARDS, wagers, CALLS)
    return list(rounds_of(rows, Game.BACCARAT, plain_sheet(BOOK), TableHistory()))


def test_a_burn_card_before_the_first_round_belongs_to_it() -> None:
    first, second = assembled()
    assert format_round(first).startswith("burn KD / P 9H KS / B 2C 4S")
    assert first.around.first_of_shoe
    assert not second.around.first_of_shoe


def test_a_round_knows_what_followed_who_dealt_and_when_calls_were_made() -> None:
    first, second = assembled()
    assert [str(card) for card in first.around.following] == ["8D", "7C", "TC", "QS"]
    assert first.around.next_round_began
    assert not second.around.next_round_began
    assert (first.dealer, second.dealer) == ("D01", "D01")
    assert [(call.kind, call.after) for call in first.calls] == [("bets_closed", 1), ("outcome", 5)]


def test_a_wager_after_the_close_is_late_and_one_before_is_not() -> None:
    early = WagerRow(1, "alice", "player", 10000, 10000, placed_at=NOON + timedelta(seconds=25))
    late = WagerRow(1, "bob", "player", 10000, 10000, placed_at=NOON + timedelta(seconds=26))
    first, _ = assembled(early, late)
    assert [wager.late for wager in first.wagers] == [False, True]
    codes = [f.code for f in judge_round(first, rulebook(BOOK), plain_sheet(BOOK))]
    assert codes == ["BET011"]
