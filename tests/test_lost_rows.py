"""A row that was refused leaves its round in doubt: nobody is accused by what is left of it."""

from datetime import timedelta
from pathlib import Path

import pytest

from audit.round_keys import find_round
from audit.stored_pages import judge_afresh
from audit.stored_rounds import load_round
from tests.lost_nights import (
    BACCARAT,
    BLACKJACK,
    LAWFUL,
    Logs,
    accused,
    asked,
    audited,
    judged,
    judged_files,
    night_of,
    place_of,
    rounds_accused,
    write_logs,
    write_sheets,
)
from tests.stored_night import EVENING

WRONG = (
    "burn 9D / P 9H KD / B 4C 5S | alice:tie 25=+200, outcome tie",
    "P 2H 3D / B KS 6S | alice:banker 100=+95, outcome banker",
    "P 8H KC / B 4C 3S | alice:player 100=+100, outcome player",
    "P 2D 3H / B KD 6C | bob:tie 25=-25, outcome banker",
)
"""In the second and in the last round the player's third card was not drawn."""
WRONG_IN = [2, 4]
OF_SECOND, AFTER_SECOND = 8, 10
"""Rows of the card log: one in the second round, and the first of the third."""


def broken(logs: Logs, log: str, row: int, **values: str | None) -> Logs:
    """Give the logs with other values in one row, counted from 1."""
    rows = [dict(one) for one in logs[log]]
    rows[row - 1] |= values
    return {**logs, log: rows}


@pytest.mark.parametrize("book", LAWFUL)
def test_of_whole_rounds_in_order_nothing_is_said(tmp_path: Path, book: str) -> None:
    audit = judged(tmp_path, night_of(book))
    assert audit.said == []
    assert audit.doubted() == []


# Whatever of a row is broken, in whatever shape of file


@pytest.mark.parametrize("shape", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("confidence", "1.5", "confidence: 1.5 is not within 0 to 1"),
        ("card", "XX", "card: 'XX' is not a card"),
        ("seq", "2l", "seq: '2l' is not a whole number"),
        ("round", "four", "round: 'four' is not a whole number"),
        ("hand", "nobody", "hand: 'nobody' is not a hand"),
        ("ts", "soon", "ts: 'soon' is not a time"),
        ("shoe", None, "shoe: it has no shoe"),
        ("table_id", None, "table_id: it has no table_id"),
    ],
)
def test_the_last_card_of_a_shoe_that_is_refused_accuses_no_dealer(
    tmp_path: Path, shape: str, column: str, value: str | None, why: str
) -> None:
    logs = night_of(BACCARAT)
    last = len(logs["cards"])
    audit = judged(tmp_path, broken(logs, "cards", last, **{column: value}), shape=shape)
    assert [one[:3] for one in audit.said] == [(4, "DRW003", "review")]
    assert f"row {last} of cards.{shape} was refused ({why}" in audit.said[0][3]
    assert [(one.row, one.column) for one in audit.refused] == [(last, column)]


@pytest.mark.parametrize("book", LAWFUL)
@pytest.mark.parametrize(
    ("log", "column", "value"),
    [("cards", "card", "XX"), ("wagers", "round", "one"), ("calls", "hand", "box0")],
)
def test_no_row_of_a_lawful_shoe_accuses_anybody_when_it_is_refused(
    tmp_path: Path, book: str, log: str, column: str, value: str
) -> None:
    logs = night_of(book)
    for row in range(1, len(logs[log]) + 1):
        audit = judged(tmp_path, broken(logs, log, row, **{column: value}))
        assert audit.accused == [], row
        named = f"row {row} of {log}.csv was refused"
        assert all(named in one[3] for one in audit.said), row


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ({"round": "1", "bettor": "bob"}, "DEA012"),
        ({"round": "2", "wager": "main"}, "BET004"),
        ({"round": "2", "wager": "split"}, "BET004"),
    ],
)
def test_a_wager_that_is_refused_leaves_its_box_to_a_person(
    tmp_path: Path, where: dict[str, str], code: str
) -> None:
    logs = night_of(BLACKJACK)
    audit = judged(tmp_path, broken(logs, "wagers", place_of(logs, "wagers", **where), net="?"))
    assert audit.accused == []
    assert (int(where["round"]), code, "review") in [one[:3] for one in audit.said]


def test_a_void_that_is_refused_leaves_its_round_to_a_person(tmp_path: Path) -> None:
    lines = [*LAWFUL[BACCARAT][:2], "P 8H KC / B 4C | alice:player 100=0, void misdeal"]
    logs = night_of(BACCARAT, lines)
    assert judged(tmp_path, logs).accused == []
    void = place_of(logs, "calls", call="void")
    audit = judged(tmp_path, broken(logs, "calls", void, hand="box0"))
    assert audit.accused == []
    assert {one[0] for one in audit.said if one[2] == "review"} == {3}
    assert all(f"row {void} of calls.csv was refused (hand: box0" in one[3] for one in audit.said)


# How far the doubt goes


@pytest.mark.parametrize(
    ("log", "row", "values", "left"),
    [
        ("cards", OF_SECOND, {"card": "XX"}, [4]),
        ("cards", OF_SECOND, {"card": "XX", "round": "two"}, [4]),
        ("cards", OF_SECOND, {"seq": "x", "round": "two"}, [4]),
        ("cards", OF_SECOND, {"seq": "x", "round": "two", "ts": "soon"}, []),
        ("cards", OF_SECOND, {"card": "XX", "shoe": None}, [4]),
        ("cards", AFTER_SECOND, {"card": "XX", "round": None}, [4]),
        ("cards", 1, {"card": "XX", "round": None}, WRONG_IN),
        ("wagers", 2, {"net": "?"}, [4]),
        ("wagers", 3, {"net": "?"}, WRONG_IN),
        ("wagers", 3, {"round": "?"}, []),
        ("calls", 3, {"hand": "box0"}, [4]),
        ("calls", 3, {"hand": "box0", "round": None}, [4]),
        ("calls", 3, {"call": "vold", "round": None, "shoe": None}, [4]),
        ("calls", 3, {"ts": "soon", "round": None}, []),
    ],
)
def test_only_rounds_that_may_lack_the_row_are_in_doubt(
    tmp_path: Path, log: str, row: int, values: dict[str, str | None], left: list[int]
) -> None:
    logs = night_of(BACCARAT, WRONG)
    assert judged(tmp_path, logs).rounds_accused == WRONG_IN
    audit = judged(tmp_path, broken(logs, log, row, **values))
    assert audit.rounds_accused == left
    of_rounds = {one[0] for one in audit.said if one[1][:3] in ("DRW", "DEA")}
    assert of_rounds >= set(WRONG_IN)


def test_a_shoe_that_is_not_named_is_told_by_the_time(tmp_path: Path) -> None:
    early = night_of(BACCARAT, WRONG)
    late = night_of(BACCARAT, WRONG, shoe="S2", began=EVENING + timedelta(hours=1))
    logs = {log: [*early[log], *late[log]] for log in early}
    row = len(early["cards"]) + OF_SECOND
    audit = judged(tmp_path, broken(logs, "cards", row, shoe=None, round=None, seq="x"))
    assert audit.doubted() == []
    assert audit.doubted("S2") == [2]


def test_a_row_that_names_nothing_may_be_of_any_shoe_of_its_file_only(tmp_path: Path) -> None:
    early = night_of(BACCARAT, WRONG)
    late = night_of(BACCARAT, WRONG, shoe="S2", began=EVENING + timedelta(hours=1))
    nothing = dict.fromkeys(("table_id", "shoe", "round", "seq", "ts"))
    audit = judged(tmp_path, broken(early, "cards", OF_SECOND, **nothing), late)
    assert audit.doubted() == [1, 2, 3, 4]
    assert audit.doubted("S2") == []


AT_SECOND = "2026-03-01T20:02:02+00:00"


@pytest.mark.parametrize(
    ("shape", "line", "doubted"),
    [
        ("csv", f"{AT_SECOND},BAC-1,S1,2,7,KS,banker", [2]),
        ("csv", f"{AT_SECOND},BAC-1,S1,2,7", [2]),
        ("csv", "2026-03-01T20:0,BAC-1,S1", [1, 2, 3, 4]),
        ("csv", AT_SECOND, [2]),
        ("csv", f'"{AT_SECOND}","BAC-1","S1","2"', [2]),
        ("csv", "####", [1, 2, 3, 4]),
        ("jsonl", f'{{"ts": "{AT_SECOND}", "table_id": "BAC-1", "se', [2]),
        ("jsonl", '{"table_id": "BAC-1", "shoe": "S1", "round": 2,', [1, 2, 3, 4]),
        ("jsonl", f'{{"ts": "{AT_SECOND}", "table_id": ["BAC-1"]}}', [2]),
    ],
)
def test_a_line_that_cannot_be_split_is_told_by_its_words(
    tmp_path: Path, shape: str, line: str, doubted: list[int]
) -> None:
    folder = tmp_path / "in"
    write_logs(folder / "baccarat", night_of(BACCARAT, WRONG), shape=shape)
    write_logs(folder / "blackjack", night_of(BLACKJACK), shape=shape)
    path = folder / "baccarat" / f"cards.{shape}"
    lines = path.read_text("utf-8").splitlines()
    lines[7 if shape == "csv" else 6] = line
    path.write_text("".join(f"{one}\n" for one in lines), "utf-8")
    audit = judged_files(folder, write_sheets(tmp_path))
    cards = audit.batch.cards.drop_nulls("doubt")
    assert cards["table_id"].unique().to_list() == ["BAC-1"]
    assert audit.doubted() == doubted
    assert audit.rounds_accused == [number for number in WRONG_IN if number not in doubted]
    assert any(f"row 7 of cards.{shape} was refused (" in one[3] for one in audit.said)


def test_a_last_line_that_is_still_being_written_leaves_its_round_to_a_person(
    tmp_path: Path,
) -> None:
    write_logs(tmp_path / "in", night_of(BACCARAT))
    path = tmp_path / "in" / "cards.csv"
    path.write_text(path.read_text("utf-8")[:-12], "utf-8")
    audit = judged_files(tmp_path / "in", write_sheets(tmp_path))
    assert [one[:3] for one in audit.said] == [(4, "DRW003", "review")]
    assert "row 21 of cards.csv may still be being written" in audit.said[0][3]


def test_very_many_rows_that_name_no_table_are_one_doubt(tmp_path: Path) -> None:
    logs = night_of(BACCARAT, WRONG)
    nameless = [{**logs["cards"][0], "table_id": None}] * 300
    audit = judged(tmp_path, {**logs, "cards": [*logs["cards"], *nameless]})
    assert audit.accused == []
    assert len(audit.refused) == 300
    assert audit.doubted() == [1, 2, 3, 4]
    assert all("row 117 of cards.csv was refused" in one[3] for one in audit.said)


def test_a_mapping_can_say_that_a_word_is_none_of_ours(tmp_path: Path) -> None:
    logs = night_of(BACCARAT, WRONG)
    strange = broken(broken(logs, "wagers", 2, wager="Lucky Pot"), "calls", 3, call="LIGHTS")
    assert judged(tmp_path, strange).rounds_accused == [4]
    mapping = '[values.wager]\n"lucky pot" = ""\n[values.call]\n"lights" = ""\n'
    told = judged(tmp_path, strange, mapping=mapping)
    assert told.rounds_accused == WRONG_IN
    assert len(told.refused) == 2


def test_a_row_that_stands_there_twice_puts_nothing_in_doubt(tmp_path: Path) -> None:
    logs = night_of(BACCARAT, WRONG)
    twice = {log: [*rows, *rows[-3:]] for log, rows in logs.items()}
    audit = judged(tmp_path, twice)
    assert audit.rounds_accused == WRONG_IN
    assert audit.doubted() == []


# Where the device does not number rounds, or two of them read the shoe


def test_where_no_round_is_numbered_the_whole_shoe_is_in_doubt(tmp_path: Path) -> None:
    logs = night_of(BACCARAT, WRONG)
    bare: Logs = {**logs, "cards": [{**row, "round": None} for row in logs["cards"]]}
    assert judged(tmp_path, bare).rounds_accused == WRONG_IN
    audit = judged(tmp_path, broken(bare, "wagers", 1, net="?"))
    assert audit.accused == []
    assert {one[0] for one in audit.said} == set(WRONG_IN)
    assert all("row 1 of wagers.csv was refused" in one[3] for one in audit.said)


def test_where_hands_are_unknown_only_the_round_is_in_doubt(tmp_path: Path) -> None:
    logs = night_of(BACCARAT, WRONG)
    bare: Logs = {**logs, "cards": [{**row, "hand": None} for row in logs["cards"]]}
    audit = judged(tmp_path, broken(bare, "cards", OF_SECOND, card="XX"))
    assert audit.rounds_accused == [4]
    assert audit.doubted() == [2]


@pytest.mark.parametrize(("log", "row"), [("cards", 7), ("cards-2", 2)])
def test_a_card_that_is_refused_in_one_of_two_logs_leaves_its_round_to_a_person(
    tmp_path: Path, log: str, row: int
) -> None:
    """The second log counts rounds and cards from when it began."""
    logs = night_of(BACCARAT, WRONG)
    second = [
        {**one, "round": str(int(one["round"] or 0) - 1), "seq": str(int(one["seq"] or 0) - 5)}
        for one in logs["cards"][5:]
    ]
    both: Logs = {**logs, "cards-2": second}
    assert judged(tmp_path, both).rounds_accused == WRONG_IN
    audit = judged(tmp_path, broken(both, log, row, confidence="1.5"))
    assert audit.rounds_accused == [4]
    assert audit.doubted() == [2]
    named = f"row {row} of {log}.csv was refused (confidence"
    assert [named in one[3] for one in audit.said if one[0] == 2] == [True, True]


# What hangs on the shoe as a whole


def many_kings(times: int) -> list[str]:
    """So many rounds with a king of spades in each, in which nobody did anything wrong."""
    suits = "SHDC" * times
    return [f"P 9{suit} KS / B 4{suit} 3{suit} | outcome player" for suit in suits[:times]]


def test_a_shuffle_that_is_refused_leaves_surplus_cards_to_a_person(tmp_path: Path) -> None:
    logs = night_of(BACCARAT, many_kings(12))
    logs["calls"].insert(6, {**logs["calls"][6], "call": "shuffle", "value": None})
    assert judged(tmp_path, logs, burn=0).accused == []
    audit = judged(tmp_path, broken(logs, "calls", 7, hand="box0"), burn=0)
    assert audit.accused == []
    surplus = [one for one in audit.said if one[1] == "SHO001"]
    assert surplus
    assert all("row 7 of calls.csv was refused" in one[3] for one in surplus)


def test_a_row_that_is_refused_before_its_copies_does_not_excuse_a_surplus_card(
    tmp_path: Path,
) -> None:
    logs = night_of(BACCARAT, ["P 9S KD / B 4H 3D | outcome player", *many_kings(12)])
    audit = judged(tmp_path, broken(logs, "calls", 2, hand="box0"), burn=0)
    assert audit.doubted() == [1]
    assert "SHO001" in {one[1] for one in audit.accused}


def test_who_dealt_is_not_known_after_a_dealers_coming_in_that_was_refused(tmp_path: Path) -> None:
    logs = night_of(BACCARAT, WRONG)
    second = place_of(logs, "calls", round="2")
    came_in = {**logs["calls"][0], "ts": logs["calls"][second - 1]["ts"], "value": "D18"}
    later = {**came_in, "ts": logs["calls"][second]["ts"], "value": "D19"}
    logs["calls"] += [came_in, later]
    audit = judged(tmp_path, logs)
    assert audit.batch.rounds["dealer"].to_list() == ["D17", "D17", "D18", "D19"]
    audit = judged(tmp_path, broken(logs, "calls", len(logs["calls"]) - 1, hand="box0"))
    assert audit.batch.rounds["dealer"].to_list() == ["D17", "D17", None, "D19"]
    assert audit.rounds_accused == WRONG_IN
    audit = judged(tmp_path, broken(logs, "calls", len(logs["calls"]) - 1, ts="soon"))
    assert audit.batch.rounds["dealer"].to_list() == [None, None, None, "D19"]


# What is stored


def test_the_same_inputs_give_the_same_answer_again(tmp_path: Path) -> None:
    logs = night_of(BACCARAT, WRONG)
    write_logs(tmp_path / "in", broken(logs, "wagers", 2, net="?"))
    facts = "SELECT finding_id, severity, observed FROM findings ORDER BY ALL"
    answers = []
    for name in ("a.db", "b.db", "a.db"):
        assert rounds_accused(audited(tmp_path / name, tmp_path / "in")) == [4]
        answers.append(asked(tmp_path / name, facts))
    assert answers[0] == answers[1] == answers[2]
    refused = asked(tmp_path / "a.db", 'SELECT "row", value FROM unused_rows WHERE refused')
    assert refused == [(2, "?")]
    sound = judged(tmp_path, logs).batch.findings["finding_id"].to_list()
    assert {row[0] for row in answers[0]} <= set(sound)


def test_a_round_stays_in_doubt_when_its_shoe_goes_on_the_next_night(tmp_path: Path) -> None:
    logs = broken(night_of(BACCARAT, WRONG), "wagers", 2, net="?")
    for name, rounds in (("first", "123"), ("rest", "4")):
        part = {log: [row for row in logs[log] if str(row["round"]) in rounds] for log in logs}
        write_logs(tmp_path / name, part)
    assert accused(audited(tmp_path / "a.db", tmp_path / "first")) == []
    said = audited(tmp_path / "a.db", tmp_path / "rest")
    assert rounds_accused(said) == [4]
    (skipped,) = [one for one in said if one[:2] == (2, "DRW001")]
    assert "row 2 of wagers.csv was refused (net: '?' is not an amount of money" in skipped[3]


def test_a_round_whose_row_was_put_right_is_not_in_doubt_any_more(tmp_path: Path) -> None:
    logs = night_of(BACCARAT, WRONG)
    write_logs(tmp_path / "in", broken(logs, "cards", OF_SECOND, card="XX"))
    assert rounds_accused(audited(tmp_path / "a.db", tmp_path / "in")) == [4]
    write_logs(tmp_path / "in", logs)
    assert rounds_accused(audited(tmp_path / "a.db", tmp_path / "in")) == WRONG_IN
    assert asked(tmp_path / "a.db", "SELECT count(doubt) FROM cards") == [(0,)]


def test_a_stored_round_in_doubt_is_explained_as_it_was_found(tmp_path: Path) -> None:
    write_logs(tmp_path / "in", broken(night_of(BLACKJACK), "wagers", 1, net="?"))
    db = tmp_path / "a.db"
    assert [one[:3] for one in audited(db, tmp_path / "in")] == [(1, "DEA012", "review")]
    stored = load_round(db, find_round(db, "BJ-1/S1/1"))
    assert not judge_afresh(stored).differs
