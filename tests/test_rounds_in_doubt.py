"""What is said of a round that nobody can judge: what was not read, and what is in doubt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.findings import Severity
from audit.judge import judge_round
from audit.notation import parse_round
from audit.rulebook_files import rulebook
from audit.table_sheet import plain_sheet

BOOK = rulebook("mbs-fortune-six-baccarat-v6")


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("P ?? ?? / B ?? ??", "the reading of 4 cards"),
        ("P 9H KD / B 2C 7S", "4 cards were read, but whether they lay there, and no others,"),
        ("P 9H ?? / B 2C 7S", "is in doubt, and the reading of 1 more"),
    ],
)
def test_a_round_in_doubt_says_what_is_doubted(line: str, missing: str) -> None:
    known = parse_round(line)
    round_ = replace(known, cards=tuple(replace(seen, confidence=0.5) for seen in known.cards))
    (finding,) = judge_round(round_, BOOK, plain_sheet(BOOK.id, decks=8))
    assert finding.code == "SRC002"
    assert finding.severity is Severity.REVIEW
    assert missing in finding.observed
