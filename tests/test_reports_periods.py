"""Which rounds a report is about: nights on the clock of each table, periods, tables, dealers."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from audit.errors import BadInput
from audit.reports.figures import Tally
from audit.reports.period import Scope
from audit.reports.report import Report, build_report
from audit.reports.words import title
from audit.store import KnownTable, Store
from tests.test_reports import (
    NEW_YORK,
    NIGHT,
    SINGAPORE,
    a_finding,
    fill,
    some_rounds,
    written,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    filled = tmp_path_factory.mktemp("periods") / "audit.db"
    fill(filled)
    return filled


@pytest.fixture(scope="module")
def night(path: Path) -> Report:
    return build_report(path, Scope(night=NIGHT))


# Clocks


@pytest.mark.parametrize(
    ("zone", "moment", "expected"),
    [
        (SINGAPORE, datetime(2026, 3, 9, 5, 59, 59), NIGHT),
        (SINGAPORE, datetime(2026, 3, 9, 6, 0), date(2026, 3, 9)),
        (SINGAPORE, datetime(2026, 3, 8, 6, 0), NIGHT),
        (NEW_YORK, datetime(2026, 3, 9, 5, 59, 59), NIGHT),
        (NEW_YORK, datetime(2026, 3, 8, 5, 59), date(2026, 3, 7)),  # clocks went forward at 2
        (ZoneInfo("Asia/Kathmandu"), datetime(2026, 3, 9, 5, 59), NIGHT),
    ],
)
def test_a_night_is_six_to_six_on_the_tables_clock(
    tmp_path: Path, zone: ZoneInfo, moment: datetime, expected: date
) -> None:
    store = Store(tmp_path / "audit.db")
    store.write_tables([KnownTable("T", zone.key, "")])
    rounds = some_rounds("T", "S", moment.replace(tzinfo=zone), 1)
    written(store, rounds, [a_finding(rounds, 1)])
    assert build_report(store.path, Scope()).scope.night == expected
    for day in range(-1, 2):
        one = build_report(store.path, Scope(night=expected + timedelta(days=day)))
        assert (one.total.rounds, one.total.with_errors) == ((1, 1) if day == 0 else (0, 0))


def test_a_day_can_start_at_another_time(path: Path) -> None:
    noon = build_report(path, Scope(night=NIGHT, day_starts=time(23, 30)))
    assert noon.total.rounds == 198 - 90
    assert [one.name for one in noon.by_hour] == ["23:00", "00:00", "01:00"]
    with pytest.raises(BadInput, match="quarter of an hour"):
        Scope(day_starts=time(6, 10))


def test_a_period_without_offset_is_on_each_tables_clock(path: Path) -> None:
    since, until = datetime(2026, 3, 8, 22, 0), datetime(2026, 3, 8, 22, 30)
    report = build_report(path, Scope(since=since, until=until))
    assert {one.name: one.tally.rounds for one in report.by_table} == {"BAC-01": 30, "BJ-01": 30}


def test_a_period_with_offset_is_the_same_for_all(path: Path) -> None:
    since = datetime(2026, 3, 8, 22, 0, tzinfo=SINGAPORE)
    report = build_report(path, Scope(since=since, until=since + timedelta(minutes=10)))
    assert {one.name: one.tally.rounds for one in report.by_table} == {"BAC-01": 10}
    assert report.total.with_errors == 1


def test_rounds_without_a_time_go_with_their_shoe_or_are_told_apart(tmp_path: Path) -> None:
    store = Store(tmp_path / "audit.db")
    begins = datetime(2026, 3, 8, 12, tzinfo=UTC)
    rounds = some_rounds("T", "S", begins, 10)
    untimed = pl.when(pl.col("round") > 6).then(None).otherwise(pl.col("ts")).alias("ts")
    found = a_finding(rounds, 9, "PAY001", "3.00", ts=None)
    written(store, rounds.with_columns(untimed), [found])
    nowhere = some_rounds("T", "lost", begins, 4).with_columns(ts=pl.lit(None, begins_type()))
    written(store, nowhere)
    report = build_report(store.path, Scope())
    assert (report.total.rounds, report.total.with_errors, report.untimed) == (10, 1, 4)
    assert report.total.given_away == Decimal("3.00")


def begins_type() -> pl.DataType:
    return pl.Datetime("us", "UTC")


# Filters


def test_a_table_alone(path: Path) -> None:
    report = build_report(path, Scope(night=NIGHT, tables=("BJ-01",)))
    assert report.total == Tally(
        *(150, 0, 1, 1, 0), Decimal("0.00"), Decimal("12.50"), reconstructed=150
    )
    assert report.zones == ("America/New_York",)


def test_a_dealer_alone_with_the_days_before(path: Path) -> None:
    report = build_report(path, Scope(dealers=("D1",)))
    assert report.scope.night == NIGHT
    assert report.total.rounds == 120
    assert report.total.violations == 2
    assert report.comparison.before.rounds == 200
    assert {finding["dealer"] for finding in report.findings.iter_rows(named=True)} == {"D1"}


def test_a_dealers_last_night_is_his_own(tmp_path: Path) -> None:
    store = Store(tmp_path / "audit.db")
    for day, dealer in ((7, "D1"), (8, "D2")):
        begins = datetime(2026, 3, day, 12, tzinfo=UTC)
        written(store, some_rounds("T", f"S{day}", begins, 5, dealer))
    assert build_report(store.path, Scope(dealers=("D1",))).scope.night == date(2026, 3, 7)


def test_an_unknown_table_is_refused_with_a_hint(path: Path) -> None:
    with pytest.raises(BadInput, match=r"'BAC-1' is not a table of this database.*BAC-01"):
        build_report(path, Scope(tables=("BAC-1",)))


def test_a_violation_in_a_round_that_was_not_judged_is_in_no_rate(tmp_path: Path) -> None:
    store = Store(tmp_path / "audit.db")
    begins = datetime(2026, 3, 8, 12, tzinfo=UTC)
    rounds = some_rounds("T", "S", begins, 10, unjudged={4: "two cards are missing"})
    elsewhere = replace_round(a_finding(rounds, 5, "PAY002", "2.00"), 99)
    written(store, rounds, [a_finding(rounds, 4, "PAY001", "1.00"), elsewhere])
    total = build_report(store.path, Scope()).total
    assert (total.rounds, total.with_errors, total.violations) == (9, 0, 2)
    assert total.given_away == Decimal("3.00")


def replace_round(finding: dict[str, object], number: int) -> dict[str, object]:
    return {**finding, "round": number}


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(night=NIGHT), "The night of Sunday 8 March 2026"),
        (
            Scope(since=datetime(2026, 3, 1, 6), until=datetime(2026, 3, 9, 6)),
            "The nights of 1 March 2026 to 8 March 2026",
        ),
        (
            Scope(
                since=datetime(2026, 3, 1, 6, tzinfo=SINGAPORE),
                until=datetime(2026, 3, 1, 7, tzinfo=SINGAPORE),
            ),
            "1 March 2026, 06:00 +08:00 to 1 March 2026, 07:00 +08:00",
        ),
        (Scope(since=datetime(2026, 3, 1, 6)), "Since 1 March 2026, 06:00"),
        (Scope(until=datetime(2026, 3, 1, 6)), "Until 1 March 2026, 06:00"),
    ],
)
def test_a_report_is_named_after_its_period(night: Report, scope: Scope, expected: str) -> None:
    assert title(replace(night, scope=scope)) == expected


def test_a_zone_that_is_not_known_here_is_named(tmp_path: Path) -> None:
    store = Store(tmp_path / "audit.db")
    written(store, some_rounds("T", "S", datetime(2026, 3, 8, 12, tzinfo=UTC), 1))
    with store.writing() as connection:
        connection.execute("INSERT INTO tables VALUES ('T', 'Mars/Olympus', '')")
        connection.execute("INSERT INTO tables VALUES ('U', 'UTC', '')")
    with pytest.raises(BadInput, match="table T stands in the timezone 'Mars/Olympus'"):
        build_report(store.path, Scope())
