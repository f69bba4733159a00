"""The figures of a report, counted by hand."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from audit.reports.figures import Group, Tally, held_against_the_rest
from audit.reports.period import Scope
from audit.reports.report import Report, build_report
from audit.reports.words import main_points, title
from audit.store import KnownTable, Opinion, Run, ShoeBatch, Store

SINGAPORE, NEW_YORK = ZoneInfo("Asia/Singapore"), ZoneInfo("America/New_York")
NIGHT = date(2026, 3, 8)
LATE = datetime(2026, 3, 9, 9, 0, tzinfo=UTC)
LINE = "P 2H 3D 8C / B KS 3S"
DEALT = ("table_id", "shoe", "round", "ts", "dealer", "line", "judged", "unjudged", "reconstructed")


def some_rounds(
    table_id: str,
    shoe: str,
    begins: datetime,
    count: int,
    dealer: Callable[[int], str | None] | str | None = "D1",
    *,
    unjudged: dict[int, str | None] | None = None,
    reconstructed: bool = False,
) -> pl.DataFrame:
    """Deal rounds a minute apart."""
    skipped = unjudged or {}
    rows = [
        (
            *(table_id, shoe, number, begins + timedelta(minutes=number - 1)),
            *(dealer(number) if callable(dealer) else dealer, LINE),
            *(number not in skipped, skipped.get(number), reconstructed),
        )
        for number in range(1, count + 1)
    ]
    return pl.DataFrame(rows, schema=list(DEALT), orient="row", infer_schema_length=None)


def a_finding(
    rounds: pl.DataFrame,
    number: int | None,
    code: str = "PAY001",
    exposure: str | None = None,
    severity: str = "violation",
    confidence: float = 1.0,
    **more: object,
) -> dict[str, object]:
    """Find something in one of the rounds, or in the shoe."""
    row = rounds.row(0 if number is None else number - 1, named=True)
    return {
        "finding_id": f"{row['table_id']}/{row['shoe']}/{number}/{code}",
        "table_id": row["table_id"],
        "shoe": row["shoe"],
        "round": number,
        "ts": None if number is None else row["ts"],
        "dealer": None if number is None else row["dealer"],
        "code": code,
        "severity": severity,
        "rulebook": "mbs-fortune-six-baccarat-v6",
        "clause": "4.1",
        "bettor": "ana",
        "wager": "tie",
        "expected": "tie pays 8 to 1",
        "observed": "9 to 1 was paid",
        "exposure": None if exposure is None else Decimal(exposure),
        "confidence": confidence,
        "evidence": "wagers 0",
        **more,
    }


def written(
    store: Store, rounds: pl.DataFrame, found: Iterable[dict[str, object]] = (), run: str = "run"
) -> None:
    rows = list(found)
    findings = pl.DataFrame(rows, infer_schema_length=None) if rows else pl.DataFrame()
    store.write_shoe(ShoeBatch(run, rounds=rounds, findings=findings))


def fill(path: Path) -> Store:
    """Write a known fortnight of two tables in two zones."""
    store = Store(path)
    store.write_tables(
        [
            KnownTable("BAC-01", "Asia/Singapore", ""),
            KnownTable("BJ-01", "America/New_York", ""),
        ]
    )
    unused = pl.DataFrame(
        {
            "source": ["ledger.csv", "ledger.csv", "cards.csv"],
            "row": [7, 9, 3],
            "why": ["no cards of its round are known"] * 2 + ["'1H' is not a card"],
            "refused": [False, False, True],
        }
    )
    store.begin_run(Run("run", LATE, "0.1.0", "night/"), unused)
    evening = datetime(2026, 3, 8, 22, 0, tzinfo=SINGAPORE)
    night = some_rounds(
        *("BAC-01", "S1", evening, 200, lambda number: "D1" if number <= 120 else "D2"),
        unjudged={199: "five cards could not be read", 200: None},
    )
    kept = [
        a_finding(night, 10, "PAY001", "25.00"),
        a_finding(night, 10, "PAY003", "-40.00"),
        a_finding(night, 130, "DRW003"),
        a_finding(night, 50, "PAY001", "1000.00", "review", 0.5),
        a_finding(night, 60, "PAY002", "5.00", "note"),
        a_finding(night, 70, "PAY001", "999.00"),
        a_finding(night, None, "SHO001"),
    ]
    withdrawn = a_finding(night, 80, "PAY001", "888.00")
    written(store, night, [*kept, withdrawn])
    for number, verdict in ((80, Opinion.CONFIRMED), (70, Opinion.DISMISSED), (10, Opinion.OPEN)):
        store.add_review(f"BAC-01/S1/{number}/PAY001", "kim", verdict, "seen on camera", LATE)
    written(store, night, kept)
    for shoe, day, count, found in (
        ("S0", date(2026, 3, 7), 100, "10.00"),
        ("R1", date(2026, 2, 22), 100, None),
        ("R0", date(2026, 2, 21), 50, "7.00"),
    ):
        begins = datetime.combine(day, time(20), SINGAPORE)
        rounds = some_rounds("BAC-01", shoe, begins, count)
        written(store, rounds, [a_finding(rounds, 5, "PAY001", found)] if found else [])
    evening = datetime(2026, 3, 8, 20, 0, tzinfo=NEW_YORK)
    rounds = some_rounds("BJ-01", "N1", evening, 150, "D3", reconstructed=True)
    written(store, rounds, [a_finding(rounds, 3, "PAY003", "-12.50")])
    store.finish_run("run", read={"cards.csv": 2000, "ledger.csv": 900}, at=LATE)
    return store


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    filled = tmp_path_factory.mktemp("reports") / "audit.db"
    fill(filled)
    return filled


@pytest.fixture(scope="module")
def night(path: Path) -> Report:
    return build_report(path, Scope(night=NIGHT))


def named(groups: Iterable[Group]) -> dict[str, Tally]:
    return {group.name: group.tally for group in groups}


# A night


def test_a_night_is_counted_as_by_hand(night: Report) -> None:
    assert night.total == Tally(
        rounds=198 + 150,
        unjudged=2,
        with_errors=3,
        violations=5,
        to_review=1,
        given_away=Decimal("25.00"),
        short_changed=Decimal("52.50"),
        unknown=2,
        reconstructed=150,
    )
    assert night.nights == 1


def test_the_last_night_is_what_is_reported_unless_told(path: Path, night: Report) -> None:
    last = build_report(path, Scope())
    assert last.scope.night == NIGHT
    assert last.total == night.total


def test_tables_add_up_to_the_total(night: Report) -> None:
    tables = named(night.by_table)
    assert tables["BAC-01"] == Tally(
        *(198, 2, 2, 4, 1), Decimal("25.00"), Decimal("40.00"), unknown=2
    )
    assert tables["BJ-01"] == Tally(
        *(150, 0, 1, 1, 0), Decimal("0.00"), Decimal("12.50"), reconstructed=150
    )


def test_dealers_answer_for_the_rounds_that_they_dealt(night: Report) -> None:
    dealers = named(night.by_dealer)
    assert {
        name: (one.rounds, one.with_errors, one.violations) for name, one in dealers.items()
    } == {
        "D1": (120, 1, 2),
        "D2": (78, 1, 1),
        "D3": (150, 1, 1),
        "not known": (0, 0, 1),
    }
    assert {group.name for group in night.by_dealer if group.few} == {"D2", "not known"}


def test_hours_follow_the_gaming_day_on_each_tables_clock(night: Report) -> None:
    hours = [(group.name, group.tally.rounds) for group in night.by_hour]
    assert hours == [
        *(("20:00", 60), ("21:00", 60), ("22:00", 60 + 30)),
        *(("23:00", 60), ("00:00", 60), ("01:00", 18)),
    ]
    assert named(night.by_hour)["00:00"].with_errors == 1


def test_codes_count_rounds_and_leave_notes_out(night: Report) -> None:
    codes = named(night.by_code)
    assert {
        code: (one.with_errors, one.violations, one.to_review) for code, one in codes.items()
    } == {
        "PAY003": (2, 2, 0),
        "DRW003": (1, 1, 0),
        "PAY001": (1, 1, 1),
        "SHO001": (0, 1, 0),
    }
    assert all(one.rounds == night.total.rounds for one in codes.values())
    titles = {group.name: group.title for group in night.by_code}
    assert titles["PAY001"] == "A winning wager was paid at the wrong odds."


def test_withdrawn_and_dismissed_findings_are_only_in_the_state_of_reviews(night: Report) -> None:
    told = set(night.findings["finding_id"])
    assert "BAC-01/S1/70/PAY001" not in told
    assert "BAC-01/S1/80/PAY001" not in told
    state = night.reviewed
    assert (state.confirmed, state.dismissed, state.open, state.unseen) == (0, 1, 1, 5)
    assert state.withdrawn == 1
    assert state.chain.reviews == 3
    assert state.chain.whole


def test_the_last_hash_of_the_reviews_is_the_stores_own(path: Path, night: Report) -> None:
    assert night.reviewed.chain.last_hash == Store(path).reviews()[-1].hash


def test_what_could_not_be_judged_has_its_reason(night: Report) -> None:
    reasons = {reason.why: reason.rounds for reason in night.unjudged}
    assert reasons == {"five cards could not be read": 1, "no reason was noted": 1}
    assert [(one.code, one.findings, one.given_away) for one in night.doubtful] == [
        ("PAY001", 1, Decimal("1000.00"))
    ]


def test_files_and_unused_rows_are_accounted_for(night: Report) -> None:
    files = {one.source: (one.read, one.used, one.left_over, one.refused) for one in night.inputs}
    assert files == {"cards.csv": (2000, 1999, 0, 1), "ledger.csv": (900, 898, 2, 0)}
    unused = [(one.source, one.refused, one.rows, one.first_row) for one in night.unused]
    assert unused == [("cards.csv", True, 1, 3), ("ledger.csv", False, 2, 7)]
    assert [run.run_id for run in night.runs] == ["run"]


# What is worth a look


def test_rounds_are_ranked_by_money_as_far_as_it_is_sure(night: Report) -> None:
    assert [one.key for one in night.worth] == [
        "BAC-01/S1/50",  # 1,000.00 at a half
        "BAC-01/S1/10",  # 25.00 and 40.00
        "BJ-01/N1/3",
        "BAC-01/S1",  # no money is known; the shoe began before round 130
        "BAC-01/S1/130",
    ]


def test_money_in_doubt_is_not_put_down_to_a_round(night: Report) -> None:
    doubtful, sure = night.worth[:2]
    assert (doubtful.given_away, doubtful.in_doubt) == (Decimal("0.00"), Decimal("1000.00"))
    assert (sure.given_away, sure.short_changed) == (Decimal("25.00"), Decimal("40.00"))
    assert [found.code for found in sure.findings] == ["PAY003", "PAY001"]
    assert sure.line == LINE
    assert sure.at.isoformat() == "2026-03-08T22:09:00+08:00"


# The days before


def test_the_fourteen_days_before_are_compared_and_no_more(night: Report) -> None:
    before = night.comparison.before
    assert (before.rounds, before.with_errors, before.given_away) == (200, 1, Decimal("10.00"))
    assert night.comparison.nights == 2
    assert [(step.day, step.inside, step.tally.rounds) for step in night.trend] == [
        (date(2026, 2, 22), False, 100),
        (date(2026, 3, 7), False, 100),
        (NIGHT, True, 348),
    ]
    assert not night.comparison.beyond_chance
    assert any("does not differ" in point for point in main_points(night))


def test_a_much_worse_night_is_called_so(tmp_path: Path) -> None:
    store = Store(tmp_path / "audit.db")
    for day, errors in ((7, 1), (8, 12)):
        rounds = some_rounds("T", f"S{day}", datetime(2026, 3, day, 12, tzinfo=UTC), 600)
        written(store, rounds, [a_finding(rounds, number) for number in range(1, errors + 1)])
    report = build_report(store.path, Scope())
    assert report.comparison.beyond_chance
    assert report.comparison.more
    assert "had more errors than the days before, beyond what chance" in main_points(report)[2]
    earlier = build_report(store.path, Scope(night=date(2026, 3, 7)))
    assert not earlier.comparison.beyond_chance
    assert "no judged rounds in the 14 days before" in main_points(earlier)[2]


def test_a_long_period_goes_by_weeks(tmp_path: Path) -> None:
    store = Store(tmp_path / "audit.db")
    for number in range(70):
        begins = datetime(2026, 1, 5, 12, tzinfo=UTC) + timedelta(days=number)
        written(store, some_rounds("T", f"S{number}", begins, 2))
    report = build_report(store.path, Scope(since=datetime(2026, 1, 5, 6)))
    assert report.by_weeks
    assert [step.tally.rounds for step in report.trend] == [14] * 10
    assert report.nights == 70


# Fairness


def group(name: str, rounds: int, errors: int, *, known: bool = True) -> Group:
    return Group(name, Tally(rounds=rounds, with_errors=errors), known=known)


def test_chance_alone_marks_nobody() -> None:
    groups = [group(f"D{number}", 300, number % 4) for number in range(20)]
    assert all(one.apart is None for one in held_against_the_rest(groups))


def test_a_difference_beyond_chance_is_marked_either_way() -> None:
    groups = [group("bad", 1000, 40), group("good", 4000, 0), group("usual", 3000, 24)]
    marked = {one.name: one.apart for one in held_against_the_rest(groups)}
    assert marked["bad"] is not None
    assert marked["bad"].more
    assert marked["good"] is not None
    assert not marked["good"].more


def test_neither_few_rounds_nor_the_unknown_are_marked() -> None:
    groups = [
        group("few", 99, 60),
        group("", 1000, 500, known=False),
        group("usual", 5000, 3),
    ]
    told = {one.name: one for one in held_against_the_rest(groups)}
    assert told["few"].few
    assert told["few"].apart is None
    assert told[""].apart is None


def test_few_rounds_do_not_come_first(tmp_path: Path) -> None:
    store = Store(tmp_path / "audit.db")
    begins = datetime(2026, 3, 8, 12, tzinfo=UTC)
    rounds = some_rounds("T", "S", begins, 403, lambda number: "new" if number <= 3 else "old")
    written(store, rounds, [a_finding(rounds, number) for number in (1, *range(10, 250))])
    report = build_report(store.path, Scope())
    assert [one.name for one in report.by_dealer] == ["old", "new"]


# Nothing there


def test_an_empty_database_says_so(tmp_path: Path) -> None:
    store = Store(tmp_path / "audit.db")
    store.prepare()
    report = build_report(store.path, Scope())
    assert report.is_empty
    assert main_points(report) == ("The audit database holds no rounds yet.",)


def test_an_empty_period_says_so(path: Path) -> None:
    report = build_report(path, Scope(night=date(2025, 1, 1), tables=("BJ-01",), dealers=("X",)))
    assert report.is_empty
    assert main_points(report) == ("There are no rounds at BJ-01 dealt by X in this night.",)
    assert title(report) == "The night of Wednesday 1 January 2025"


def test_an_audit_that_came_to_nothing_shows_in_its_night(tmp_path: Path) -> None:
    store = Store(tmp_path / "audit.db")
    written(store, some_rounds("T", "S", datetime(2026, 3, 8, 12, tzinfo=UTC), 3), run="good")
    unused = pl.DataFrame({"source": ["x.csv"], "row": [1], "why": ["no card"], "refused": [True]})
    for name, started in (("bad", LATE), ("old", LATE - timedelta(days=9))):
        store.begin_run(Run(name, started, "0.1.0", "x.csv"), unused)
    report = build_report(store.path, Scope())
    assert [run.run_id for run in report.runs] == ["bad"]
    assert [one.rows for one in report.unused] == [1]
    assert any("cut short" in point for point in main_points(report))


def test_great_amounts_stay_exact(tmp_path: Path) -> None:
    store = Store(tmp_path / "audit.db")
    rounds = some_rounds("T", "S", datetime(2026, 3, 8, 12, tzinfo=UTC), 5)
    most = "9999999999999999.99"
    written(store, rounds, [a_finding(rounds, n, exposure=most) for n in (1, 2, 3)])
    report = build_report(store.path, Scope())
    assert report.total.given_away == 3 * Decimal(most)
    assert report.worth[0].given_away == Decimal(most)


def test_a_broken_chain_of_reviews_is_told(path: Path, night: Report) -> None:
    broken = replace(night.reviewed.chain, broken_at=2, why="review 2 was altered")
    report = replace(night, reviewed=replace(night.reviewed, chain=broken))
    assert main_points(report)[-1] == "The chain of reviews is broken: review 2 was altered."


def test_the_figures_of_all_time_are_those_of_the_views(path: Path) -> None:
    report = build_report(path, Scope(since=datetime(1970, 1, 1)))
    with Store(path).reading() as connection:
        view = connection.sql("FROM by_table ORDER BY table_id").pl()
    told = [
        (
            *(one.name, one.tally.rounds, one.tally.violations, one.tally.to_review),
            *(one.tally.given_away, one.tally.short_changed),
        )
        for one in sorted(report.by_table, key=lambda one: one.name)
    ]
    assert told == view.drop("errors_per_1000").rows()
