"""Table sheets as a table would have them, changed in one place, and what is said of a bad one.

    assert refusal(edited(BACCARAT, "decks    = 8", "")) == "table.toml lacks decks"

Every sheet is read as one that was found in `table.toml`.
"""

from datetime import datetime, timedelta

import pytest

from audit.errors import BadTableSheet
from audit.table_sheet import TableSheet, read_table_sheet, rulebook_at

BACCARAT = """
table    = "BAC-07"
timezone = "Asia/Singapore"
decks    = 8
burn     = 1
rounding = "0.05"

[[game]]
rulebook = "mbs-fortune-six-baccarat-v6"
from     = 2026-01-01T06:00:00+08:00

[limits]
player = { min = "50.00", max = "20000.00" }
tie    = { min = "10.00", max = "2000.00" }

[differential]
max = "100000.00"

[camera]
frame = [1280, 720]
[camera.zones]
player  = [[120, 300], [560, 300], [560, 620], [120, 620]]
banker  = [[720, 300], [1160, 300], [1160, 620], [720, 620]]
"""

BLACKJACK = """
table    = "BJ-MBS6-7"
timezone = "Asia/Singapore"
decks    = 8

[[game]]
rulebook = "mbs-blackjack-v6"
from     = 2026-01-01T06:00:00+08:00

[limits]
main = { min = "25.00", max = "5000.00" }
pair = { max = "500.00" }
"""


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def a_second_before(text: str) -> datetime:
    return moment(text) - timedelta(seconds=1)


def edited(sheet: str, old: str, new: str) -> str:
    assert sheet.count(old) == 1, f"the sheet must hold {old!r} once for this test to bite"
    return sheet.replace(old, new)


def refusal(text: str) -> str:
    with pytest.raises(BadTableSheet) as caught:
        read_table_sheet(text, "table.toml")
    return str(caught.value)


def refusal_at(sheet: TableSheet, ts: datetime) -> str:
    with pytest.raises(BadTableSheet) as caught:
        rulebook_at(sheet, ts)
    return str(caught.value)
