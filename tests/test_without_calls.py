"""Where nobody wrote down calls, what a call would explain accuses nobody."""

from dataclasses import replace

import pytest

from audit.assembly import TableHistory, rounds_of
from audit.findings import NOBODY_SAID, Severity
from audit.judge import judge_round
from audit.notation import parse_round
from audit.rulebook_files import rulebook
from audit.table_sheet import plain_sheet
from tests.test_reconstruction import BOOKS, shoes

BACCARAT, BLACKJACK = "mbs-fortune-six-baccarat-v6", "mbs-blackjack-v6"


def found(line: str, name: str, *, calls_kept: bool) -> list[tuple[str, Severity, float]]:
    played = parse_round(line)
    around = replace(played.around, calls_kept=calls_kept)
    findings = judge_round(replace(played, around=around), rulebook(name), plain_sheet(name))
    return [(one.code, one.severity, one.confidence) for one in findings]


@pytest.mark.parametrize("name", BOOKS)
def test_lawful_rounds_accuse_nobody_without_their_calls(name: str) -> None:
    judged = 0
    for dealt in shoes(name, "without calls", 80):
        rows = replace(dealt.rows, calls=())
        for played in rounds_of(rows, dealt.book.game, dealt.sheet, TableHistory()):
            judged += 1
            findings = judge_round(played, dealt.book, dealt.sheet)
            accused = [one for one in findings if one.severity is Severity.VIOLATION]
            assert not accused, (played.key, accused)
    assert judged >= 80


@pytest.mark.parametrize(
    ("line", "name", "code"),
    [
        ("P 4H 5D / B KS 7S | player 100=0", BACCARAT, "PAY006"),
        ("P 4H 5D / B KS 7S | player 100=0 | banker 50=0", BACCARAT, "PAY006"),
        ("P 4H 5D / B KS 7S | player 100=+100 | anna:player 50=0", BACCARAT, "PAY006"),
        ("P 4H 3D / B KS 5S | player 100=0", BACCARAT, "DRW003"),
    ],
)
def test_what_may_have_been_handed_back_is_left_to_a_person(
    line: str, name: str, code: str
) -> None:
    kept = found(line, name, calls_kept=True)
    assert (code, Severity.VIOLATION, 1.0) in kept
    assert (code, Severity.REVIEW, NOBODY_SAID) in found(line, name, calls_kept=False)


@pytest.mark.parametrize(
    ("line", "name", "code"),
    [
        ("P 4H 5D / B KS 7S | player 100=+50", BACCARAT, "PAY001"),
        ("P 4H 5D / B KS 7S | player 100=+50 | anna:player 50=0", BACCARAT, "PAY001"),
        ("P 4H 3D / B KS 5S | player 100=+100", BACCARAT, "DRW003"),
        ("P 4H 3D / B KS 5S", BACCARAT, "DRW003"),
        ("P 4H 3D / B KS 5S | player 100", BACCARAT, "DRW003"),
    ],
)
def test_what_no_call_would_explain_is_a_violation_without_calls_too(
    line: str, name: str, code: str
) -> None:
    assert (code, Severity.VIOLATION, 1.0) in found(line, name, calls_kept=False)


def test_a_shoe_without_any_call_is_one_of_which_none_were_kept() -> None:
    (dealt,) = list(shoes(BLACKJACK, "kept", 1))[:1]
    silent = replace(dealt.rows, calls=())
    for rows, kept in ((dealt.rows, True), (silent, False)):
        rounds = list(rounds_of(rows, dealt.book.game, dealt.sheet, TableHistory()))
        assert rounds
        assert all(played.around.calls_kept is kept for played in rounds)
