"""What is not placed exactly: the evidence cannot tell it, and nobody is accused for it."""

from collections import Counter
from dataclasses import replace

import pytest

from audit.reconstruction import reconstruct
from tests.benchmarks.reconstruction import Placed, Question
from tests.test_reconstruction import BLACKJACK, shoes, stripped

NEVER = (Placed.WRONG, Placed.LEFT_OVER, Placed.ACCUSED)


@pytest.mark.parametrize("calls", [True, False], ids=["with calls", "by the ledger alone"])
@pytest.mark.parametrize("name", BLACKJACK)
def test_what_the_evidence_can_tell_is_told(name: str, *, calls: bool) -> None:
    became: Counter[Placed] = Counter()
    for dealt in shoes(name, "weighed", 15):
        heard = tuple(replace(call, round=None) for call in dealt.rows.calls) if calls else ()
        rows = stripped(replace(dealt.rows, calls=heard), rounds=True, hands=True)
        read = reconstruct(rows, dealt.book, dealt.sheet)
        assert not read.left_over
        became.update(kind for _, kind in Question(dealt, rows, read).classified())
    assert not any(became[kind] for kind in NEVER)
    assert became[Placed.EXACTLY] > 0.5 * became.total()
