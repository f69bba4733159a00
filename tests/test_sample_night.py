"""The sample night and the examples of the README: what they hold is what is found in them."""

import csv
from datetime import UTC, datetime
from pathlib import Path

from audit.nightly import Night, audit_night
from audit.queries import run_query
from audit.run_summary import summary_of
from audit.store import Store

SAMPLE = Path(__file__).parents[1] / "sample_footage" / "night"


def test_what_went_wrong_in_the_sample_night_is_found_and_nothing_else(tmp_path: Path) -> None:
    store = Store(tmp_path / "night.duckdb")
    result = audit_night(Night((SAMPLE / "inputs",)), store, datetime.now(UTC))
    with (SAMPLE / "truth.csv").open(encoding="utf-8", newline="") as file:
        truth = {
            (row["table_id"], row["shoe"], int(row["round"]), row["code"], row["severity"])
            for row in csv.DictReader(file)
        }
    found = run_query(
        store.path,
        "SELECT table_id, shoe, round, code, severity FROM findings",
    ).frame
    assert truth <= set(found.iter_rows())
    assert {row[:3] for row in found.iter_rows()} == {row[:3] for row in truth}
    summary = summary_of(store, result.run_id)
    assert summary.judged == summary.rounds
    assert all(account.balances and not account.refused for account in summary.accounts)
