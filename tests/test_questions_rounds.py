"""A stored round is the round that was audited, with what lay around it."""

import json
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import polars as pl
import pytest

from audit.commands.explain_stored import explain_stored
from audit.errors import BadInput
from audit.notation import parse_round
from audit.round_keys import find_round, parse_round_key
from audit.rounds import RoundKey
from audit.rulebook_files import all_rulebooks, rulebook
from audit.store import BadStore, KnownTable, Opinion, ShoeBatch, Store
from audit.store.opening import WRITER_SETTINGS
from audit.stored_pages import judge_afresh
from audit.stored_rounds import load_round
from audit.table_sheet import read_table_sheet
from tests.stored_night import (
    BACCARAT,
    BACCARAT_LINES,
    BLACKJACK,
    EVENING,
    HOSTILE,
    audited,
    batch_of,
    hostile_rounds,
    rows_of,
    sheet_text,
    simulated_rounds,
    store_lines,
    store_rounds,
    stored_night,
)

SKIPPED_DRAW = "BAC-07/S1/2"


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = Store(tmp_path_factory.mktemp("night") / "night.duckdb")
    stored_night(store)
    return store.path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "night.duckdb")


def tampered(store: Store, sql: str) -> None:
    """Change the file past the store, as another version would have written it."""
    with duckdb.connect(store.path, config=dict(WRITER_SETTINGS)) as connection:
        connection.execute(sql)


def explained(
    path: Path, key: str, capsys: pytest.CaptureFixture[str], *, as_json: bool = False
) -> tuple[int, str]:
    status = explain_stored(path, key, as_json=as_json)
    return status, capsys.readouterr().out


# The same round as in the audit


@pytest.mark.parametrize("name", all_rulebooks())
def test_every_round_of_a_simulated_shoe_comes_back_as_it_was_judged(
    name: str, store: Store
) -> None:
    book = rulebook(name)
    limits = '[limits]\nmain = { min = "25.00" }\nplayer = { min = "25.00" }\n'
    text = sheet_text("T1", name, limits=limits)
    sheet = read_table_sheet(text, "T1")
    store.write_tables([KnownTable("T1", "Asia/Singapore", text)])
    rows = rows_of("T1", "S1", simulated_rounds(book, 7)[:14])
    store.write_shoe(batch_of(rows, book, sheet))
    for played, findings in audited(rows, book, sheet):
        assert played.key is not None
        stored = load_round(store.path, played.key)
        assert stored.round == played
        assert (stored.book, stored.sheet, stored.trouble) == (book, sheet, "")
        told = {finding.finding_id for finding in stored.findings}
        assert told == {finding.finding_id(str(played.key)) for finding in findings}
        assert not judge_afresh(stored).differs


def test_a_round_knows_the_shoe_around_it(night: Path) -> None:
    stored = load_round(night, find_round(night, SKIPPED_DRAW))
    assert stored.round is not None
    assert [str(card) for card in stored.round.around.following[:2]] == ["8H", "4C"]
    assert stored.round.around.next_round_began
    assert [(card.seq, str(card.card)) for card in stored.before[:2]] == [(1, "9D"), (2, "9H")]
    assert [card.seq for card in stored.after] == [11, 12, 13, 14, 15, 16]
    assert stored.previous is not None
    assert stored.next is not None
    assert stored.previous.line == "burn 9D / P 9H KD / B 4C 5S"
    assert (stored.next.number, stored.next.line) == (3, "P 8H KC / B 4C 3S")
    assert stored.row.dealer == "D17"
    assert [(f.file, f.from_s, f.to_s) for f in stored.footage] == [("pit4.mp4", 120.0, 128.0)]


def test_the_first_and_the_last_round_have_one_neighbour(night: Path) -> None:
    first = load_round(night, RoundKey("BAC-07", "S1", 1))
    last = load_round(night, RoundKey("BAC-07", "S1", 6))
    assert (first.previous, first.before) == (None, ())
    assert first.next is not None
    assert first.next.standing == 1
    assert (last.next, last.after) == (None, ())
    assert last.round is not None
    assert not last.round.around.next_round_began


def test_a_card_without_a_round_belongs_to_the_first(store: Store) -> None:
    store_lines(store, "BAC-07", "S1", BACCARAT, BACCARAT_LINES)
    tampered(store, "UPDATE cards SET round = NULL WHERE hand = 'burn'")
    stored = load_round(store.path, RoundKey("BAC-07", "S1", 1))
    assert [str(seen.hand) for seen in stored.cards][:2] == ["burn", "player"]
    assert stored.round is not None
    assert stored.round.cards == stored.cards


def test_another_round_that_makes_no_sense_does_not_hide_this_one(store: Store) -> None:
    store_lines(store, "BAC-07", "S1", BACCARAT, BACCARAT_LINES)
    before = load_round(store.path, RoundKey("BAC-07", "S1", 4)).round
    tampered(store, "UPDATE wagers SET wager = 'insurance' WHERE round = 2")
    tampered(store, "UPDATE cards SET hand = 'box1' WHERE round = 3 AND hand = 'player'")
    assert load_round(store.path, RoundKey("BAC-07", "S1", 4)).round == before
    broken = load_round(store.path, RoundKey("BAC-07", "S1", 3))
    assert broken.round is None
    assert "no hand box1" in broken.trouble
    assert len(broken.cards) == 4


def test_a_wager_that_no_game_has_is_said_rather_than_passed_over(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    store_lines(store, "BAC-07", "S1", BACCARAT, BACCARAT_LINES)
    tampered(store, "UPDATE wagers SET wager = 'roulette' WHERE round = 2")
    status, shown = explained(store.path, SKIPPED_DRAW, capsys)
    assert status == 1
    assert "It cannot be replayed: 'roulette'" in " ".join(shown.split())
    assert "│ K♠│" in shown


def test_what_an_earlier_shoe_of_the_night_let_through_is_known(store: Store) -> None:
    text = sheet_text("BAC-07", BACCARAT, limits='[limits]\nplayer = { min = "50.00" }\n')
    sheet, book = read_table_sheet(text, "BAC-07"), rulebook(BACCARAT)
    store.write_tables([KnownTable("BAC-07", "Asia/Singapore", text)])
    for place, stake in enumerate((25, 25)):
        line = f"P 8H KC / B 4C 3S | alice:player {stake}=+{stake}, bob:player 60=+60"
        began = EVENING + place * timedelta(hours=1)
        rows = rows_of("BAC-07", f"S{place + 1}", [parse_round(line)], began)
        store.write_shoe(batch_of(rows, book, sheet))
    first, second = (load_round(store.path, RoundKey("BAC-07", f"S{n}", 1)).round for n in (1, 2))
    assert first is not None
    assert second is not None
    assert first.around.let_through_under_minimum == frozenset()
    assert second.around.let_through_under_minimum == {"alice"}


def test_wagers_and_calls_stand_in_the_order_of_their_places(store: Store) -> None:
    store_lines(store, "BAC-07", "S1", BACCARAT, BACCARAT_LINES)
    tampered(store, "UPDATE wagers SET place = 1 - place WHERE round = 2")
    stored = load_round(store.path, RoundKey("BAC-07", "S1", 2))
    assert stored.round is not None
    assert [wager.bettor for wager in stored.round.wagers] == ["bob", "alice"]


def test_without_a_sheet_the_stored_rulebook_holds(store: Store) -> None:
    store_lines(store, "BAC-07", "S1", BACCARAT, BACCARAT_LINES)
    tampered(store, "DELETE FROM tables")
    stored = load_round(store.path, RoundKey("BAC-07", "S1", 2))
    assert stored.book is rulebook(BACCARAT)
    assert stored.zone.utcoffset(None) == timedelta(0)
    tampered(store, "UPDATE rounds SET rulebook = NULL")
    stored = load_round(store.path, RoundKey("BAC-07", "S1", 2))
    assert (stored.round, stored.trouble) == (None, "no table sheet of BAC-07 is stored")


def test_a_round_at_an_unknown_time_is_judged_by_what_is_stored(store: Store) -> None:
    store_lines(store, "BAC-07", "S1", BACCARAT, BACCARAT_LINES)
    tampered(store, "UPDATE rounds SET ts = NULL")
    assert load_round(store.path, RoundKey("BAC-07", "S1", 2)).book is rulebook(BACCARAT)


# Naming a round


def test_a_key_is_cut_from_the_right() -> None:
    assert parse_round_key("BAC-07/S1/17") == RoundKey("BAC-07", "S1", 17)
    assert parse_round_key("PIT/4/S1/2") == RoundKey("PIT/4", "S1", 2)


def test_slashes_go_where_the_database_has_them(night: Path) -> None:
    assert find_round(night, "BJ-02/2026/03/01/3") == RoundKey("BJ-02", "2026/03/01", 3)


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("BAC-07", "'BAC-07' is not a round: write TABLE/SHOE/ROUND"),
        ("BAC-07/S1/two", "is not a round"),
        ("BAC-07/S1/²", "is not a round"),
        ("BAC-07/S1/-1", "is not a round"),
        ("BAC-07/S1/" + "9" * 30, "is not a round"),
        ("\x1b[2J/S1/1", r"there is no table '\x1b[2J'"),
        ("BAC-7/S1/2", "there is no table 'BAC-7': did you mean BAC-07?"),
        ("ROULETTE/S1/2", "there is no table 'ROULETTE': there are BAC-07, BAC-08, BJ-02"),
        ("BAC-07/Q/2", "table BAC-07 has no shoe 'Q': its latest are S1"),
        ("BJ-02/2026/03/02/1", "did you mean 2026/03/01?"),
        ("BAC-07/S1/7", "shoe S1 of table BAC-07 has no round 7: its rounds are 1 to 6"),
        ("\udcff/S1/1", "is not Unicode text"),
        ("'; DROP TABLE rounds; --/S1/1", "there is no table"),
    ],
)
def test_a_wrong_name_is_told_what_there_is(night: Path, key: str, sentence: str) -> None:
    with pytest.raises(BadInput) as refused:
        find_round(night, key)
    assert sentence in str(refused.value)
    assert str(refused.value).isprintable()


def test_rounds_with_gaps_are_told_in_spans(store: Store) -> None:
    rounds = pl.DataFrame({"table_id": "T", "shoe": "S", "round": [1, 2, 3, 7, 9], "judged": False})
    store.write_shoe(ShoeBatch("run", rounds=rounds))
    with pytest.raises(BadInput, match=r"its rounds are 1 to 3, 7, 9$"):
        find_round(store.path, "T/S/4")


def test_an_empty_database_says_so(store: Store) -> None:
    store.prepare()
    with pytest.raises(BadInput, match="no shoe is stored"):
        find_round(store.path, "T/S/1")
    with pytest.raises(BadStore, match="no audit database"):
        explain_stored(store.path.with_name("other.duckdb"), "T/S/1")


# What a person sees


def test_a_stored_round_is_explained_from_its_cards_to_its_shoe(
    night: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    status, shown = explained(night, SKIPPED_DRAW, capsys)
    assert status == 1
    for words in (
        "Round BAC-07/S1/2",
        "Mon 2 March 2026, 04:02:00 (Asia/Singapore)",
        "D17",
        "Fortune Six Baccarat (MBS), version 6 (mbs-fortune-six-baccarat-v6)",
        "pit4.mp4, 2:00.0 to 2:08.0",
        "player  2         banker  6",
        "│ 2♥││ 3♦││ 7♣│   │ K♠││ 6♠│",
        "draws on 6 when the player's third card is 7",
        "alice: banker, 100.00",
        "+95.00 ✓",
        "DRW003 violation  clause 3.14",
        "cards 6 7 8 9 10",
        "1: burn 9D / P 9H KD / B 4C 5S",
        "3: P 8H KC / B 4C 3S",
        "#11 8♥",
    ):
        assert words in shown
    assert "differ" not in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("width", [40, 80, 120])
def test_nothing_is_wider_than_the_screen(
    night: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for key in (SKIPPED_DRAW, "BJ-02/2026/03/01/1", "BAC-07/S1/5", "BAC-08/S9/2"):
        _, shown = explained(night, key, capsys)
        assert max(map(len, shown.splitlines())) <= width


def test_a_wrong_payment_is_marked_beside_what_was_due(
    night: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    _, shown = explained(night, "BAC-07/S1/4", capsys)
    line = next(line for line in shown.splitlines() if "alice: tie" in line)
    assert "+200.00" in line
    assert "+225.00 ✗" in line


def test_a_lawful_round_ends_well(night: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, shown = explained(night, "BAC-07/S1/3", capsys)
    assert status == 0
    assert "nothing is stored against this round" in shown


def test_doubt_alone_is_no_violation(night: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, shown = explained(night, "BAC-07/S1/5", capsys)
    assert status == 0
    assert "│?? │" in shown
    assert "DRW001 review" in shown


def test_a_dismissed_finding_is_shown_with_its_review_and_counts_no_more(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    store_lines(store, "BAC-07", "S1", BACCARAT, BACCARAT_LINES)
    finding = load_round(store.path, RoundKey("BAC-07", "S1", 2)).findings[0]
    store.add_review(finding.finding_id, "ana", Opinion.CONFIRMED, "seen on camera", EVENING)
    assert explained(store.path, SKIPPED_DRAW, capsys)[0] == 1
    store.add_review(finding.finding_id, "ben", Opinion.DISMISSED, "a card hidden", EVENING)
    status, shown = explained(store.path, SKIPPED_DRAW, capsys)
    assert status == 0
    text = " ".join(shown.split())
    assert "DRW003 violation clause 3.14 dismissed" in text
    assert "confirmed by ana, Mon 2 March 2026, 04:00:00 (Asia/Singapore): seen on camera" in text
    assert "dismissed by ben" in text


def test_a_finding_of_another_version_is_flagged(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    store_lines(store, "BAC-07", "S1", BACCARAT, BACCARAT_LINES)
    tampered(store, "UPDATE findings SET clause = '9.9' WHERE round = 2")
    tampered(store, "DELETE FROM findings WHERE round = 4")
    shown = " ".join(explained(store.path, SKIPPED_DRAW, capsys)[1].split())
    assert "judged today, it does not come out like this" in shown
    assert "judged today: DRW003 violation, clause 3.14" in shown
    assert "stored by an earlier version" in shown
    status, shown = explained(store.path, "BAC-07/S1/4", capsys)
    assert status == 0
    assert "judged today: PAY001 violation, clause 4.1, alice tie" in " ".join(shown.split())


def test_a_finding_about_the_whole_shoe_is_not_missed_in_one_round(store: Store) -> None:
    store_lines(store, "BAC-07", "S1", BACCARAT, BACCARAT_LINES)
    tampered(store, "UPDATE findings SET code = 'SHO001' WHERE round = 6")
    judgement = judge_afresh(load_round(store.path, RoundKey("BAC-07", "S1", 6)))
    assert judgement.only_stored == frozenset()
    assert [finding.code for finding in judgement.only_fresh] == ["PAY008"]


def test_a_withdrawn_finding_is_shown_as_such(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    store_lines(store, "BAC-07", "S1", BACCARAT, BACCARAT_LINES)
    finding = load_round(store.path, RoundKey("BAC-07", "S1", 4)).findings[0]
    store.add_review(finding.finding_id, "ana", Opinion.CONFIRMED, "seen", EVENING)
    lawful = [line.replace("25=+225", "25=+200") for line in BACCARAT_LINES]
    store_lines(store, "BAC-07", "S1", BACCARAT, lawful)
    status, shown = explained(store.path, "BAC-07/S1/4", capsys)
    assert status == 0
    assert "withdrawn: a later audit no longer finds it" in " ".join(shown.split())
    assert "differ" not in shown


def test_a_round_that_was_not_judged_says_why(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    store_lines(store, "BAC-07", "S1", BACCARAT, BACCARAT_LINES)
    tampered(store, "UPDATE rounds SET judged = false, unjudged = 'no sheet [red]' WHERE round = 3")
    status, shown = explained(store.path, "BAC-07/S1/3", capsys)
    assert status == 0
    assert "no: no sheet [red]" in shown
    assert "since it was not judged" in shown


def test_a_round_without_cards_is_explained_as_far_as_it_goes(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    rounds = pl.DataFrame({"table_id": "T", "shoe": "S", "round": [1], "judged": False})
    store.write_shoe(ShoeBatch("run", rounds=rounds))
    status, shown = explained(store.path, "T/S/1", capsys)
    assert status == 0
    assert "It cannot be replayed: no table sheet of T is stored" in " ".join(shown.split())


def test_an_unsure_card_is_drawn_with_its_confidence(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    played = parse_round(BACCARAT_LINES[2])
    unsure = replace(played.cards[0], confidence=0.83)
    store_rounds(store, "T", "S", BACCARAT, [replace(played, cards=(unsure, *played.cards[1:]))])
    _, shown = explained(store.path, "T/S/1", capsys)
    assert " 83%\n" in shown


def test_hostile_text_is_shown_and_never_obeyed(
    store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "400")
    store_rounds(store, "BAC-08", "S9", BACCARAT, hostile_rounds())
    finding = load_round(store.path, RoundKey("BAC-08", "S9", 2)).findings[0]
    store.add_review(finding.finding_id, HOSTILE, Opinion.CONFIRMED, HOSTILE, EVENING)
    with duckdb.connect(store.path, config=dict(WRITER_SETTINGS)) as connection:
        connection.execute("UPDATE rounds SET dealer = $1, outcome = $1, unjudged = $1", [HOSTILE])
    _, shown = explained(store.path, "BAC-08/S9/2", capsys)
    assert "[red]eve[/red]\\x1b[31m\\n[link=file:///etc/passwd]x[/link]\\u202e" in shown
    assert "\x1b]8;" not in shown
    assert "\u202e" not in shown
    assert "eve[/red]\x1b[31m" not in shown
    with Store(store.path).reading() as connection:
        assert connection.execute("SELECT count(*) FROM findings").fetchall() == [(1,)]


def test_the_json_has_the_documented_keys_and_exact_money(
    night: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, shown = explained(night, "BAC-07/S1/4", capsys, as_json=True)
    assert status == 1
    told = json.loads(shown)
    assert list(told) == [
        *("round", "cards", "steps", "wagers", "calls", "findings"),
        *("found_today_only", "trouble", "shoe"),
    ]
    assert told["round"]["key"] == "BAC-07/S1/4"
    assert told["round"]["ts"] == "2026-03-02T04:04:00+08:00"
    assert told["wagers"][0] == {
        "place": 0,
        "bettor": "alice",
        "wager": "tie",
        "box": None,
        "hand": None,
        "stake": "25.00",
        "net": "225.00",
        "due": "200.00",
        "fate": "wins",
        "why": "player 9, banker 9",
        "clause": "4.1",
        "right": False,
    }
    (finding,) = told["findings"]
    assert (finding["code"], finding["exposure"], finding["stands"]) == ("PAY001", "25.00", True)
    assert finding["found_today"]
    assert told["shoe"]["previous"]["line"] == "P 8H KC / B 4C 3S"
    assert [card["card"] for card in told["cards"]] == ["9S", "4H", "KD", "5D"]


def test_the_json_of_hostile_text_is_plain_ascii(
    night: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, shown = explained(night, "BAC-08/S9/2", capsys, as_json=True)
    assert shown.isascii()
    assert "\x1b" not in shown
    assert json.loads(shown)["wagers"][0]["bettor"] == HOSTILE


def test_the_money_of_a_stored_round_is_never_a_float(night: Path) -> None:
    stored = load_round(night, RoundKey("BJ-02", "2026/03/01", 3))
    assert stored.round is not None
    assert {type(wager.stake) for wager in stored.round.wagers} == {Decimal}
    assert {type(finding.exposure) for finding in stored.findings} == {Decimal}
    assert stored.book is rulebook(BLACKJACK)
