"""Reviews as a chain in which tampering shows, and the views that count what stands."""

import json
import subprocess
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from audit.errors import BadInput
from audit.store import KnownTable, Opinion, Store
from audit.store.schema import ALL_TABLES
from audit.store.views import ALL_VIEWS
from tests.test_store import EVENING, HOSTILE, a_shoe, engine


@pytest.fixture(scope="module")
def reviewed_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    store = Store(tmp_path_factory.mktemp("reviewed") / "audit.db")
    store.write_shoe(a_shoe())
    for number, verdict in enumerate(Opinion, start=1):
        at = EVENING + timedelta(hours=number)
        store.add_review("BAC-07/S1/1", f"reviewer {number}", verdict, HOSTILE, at)
    return store.path.read_bytes()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "audit.db", patience=20)


@pytest.fixture
def reviewed(store: Store, reviewed_file: bytes) -> Store:
    store.path.write_bytes(reviewed_file)
    return store


# Reviews


def test_reviews_are_a_whole_chain(reviewed: Store) -> None:
    reviews = reviewed.reviews()
    assert [review.review_id for review in reviews] == [1, 2, 3]
    assert reviews[0].previous_hash == "0" * 64
    assert reviews[2].previous_hash == reviews[1].hash
    assert {review.reason for review in reviews} == {HOSTILE}
    for known in [None, *(review.hash for review in reviews)]:
        check = reviewed.verify_reviews(known_hash=known)
        assert (check.whole, check.reviews, check.last_hash) == (True, 3, reviews[2].hash)


@pytest.mark.parametrize(
    ("tampering", "broken_at", "why"),
    [
        ("UPDATE reviews SET verdict = 'dismissed' WHERE review_id = 1", 1, "altered"),
        ("UPDATE reviews SET reviewer = 'bob' WHERE review_id = 2", 2, "altered"),
        ("UPDATE reviews SET reason = '' WHERE review_id = 2", 2, "altered"),
        ("UPDATE reviews SET at_ts = at_ts + INTERVAL 1 MICROSECOND", 1, "altered"),
        ("UPDATE reviews SET finding_id = 'BAC-07/S1/3' WHERE review_id = 3", 3, "altered"),
        ("UPDATE reviews SET facts_hash = '' WHERE review_id = 3", 3, "altered"),
        ("UPDATE reviews SET hash = previous_hash WHERE review_id = 2", 2, "altered"),
        ("DELETE FROM reviews WHERE review_id = 1", 1, "missing"),
        ("DELETE FROM reviews WHERE review_id = 2", 2, "missing"),
        ("UPDATE reviews SET review_id = [2, 1, 3][review_id]", 1, "altered"),
        ("UPDATE reviews SET review_id = review_id + 1", 1, "missing"),
    ],
)
def test_a_review_that_was_altered_removed_or_moved_shows(
    reviewed: Store, tampering: str, broken_at: int, why: str
) -> None:
    with engine(reviewed.path) as connection:
        connection.execute(tampering)
    check = reviewed.verify_reviews()
    assert not check.whole
    assert check.broken_at == broken_at
    assert why in check.why


def test_a_review_forged_with_a_right_hash_of_its_own_shows(reviewed: Store) -> None:
    second = reviewed.reviews()[1]
    forged = replace(second, verdict="confirmed")
    with engine(reviewed.path) as connection:
        connection.execute(
            "UPDATE reviews SET verdict = ?, hash = ? WHERE review_id = 2",
            [forged.verdict, forged.right_hash],
        )
    assert reviewed.verify_reviews().broken_at == 3
    assert "replaced" in reviewed.verify_reviews().why


def test_reviews_cut_off_at_the_end_show_by_a_noted_hash(reviewed: Store) -> None:
    noted = reviewed.verify_reviews().last_hash
    with engine(reviewed.path) as connection:
        connection.execute("DELETE FROM reviews WHERE review_id = 3")
    assert reviewed.verify_reviews().whole
    check = reviewed.verify_reviews(known_hash=noted)
    assert check.broken_at == 3
    assert "removed from the end" in check.why


def test_a_finding_altered_after_its_review_shows(reviewed: Store) -> None:
    reviewed.write_shoe(a_shoe(run_id="later"))
    assert reviewed.changed_since_review() == []
    with engine(reviewed.path) as connection:
        connection.execute("UPDATE findings SET exposure = 0")
    assert reviewed.changed_since_review() == ["BAC-07/S1/1"]


def test_a_review_says_who_when_and_why_about_a_finding_that_is_there(store: Store) -> None:
    store.write_shoe(a_shoe())
    good = ("BAC-07/S1/1", "ana", Opinion.OPEN, "why", EVENING)
    naive = EVENING.replace(tzinfo=None)
    for place, value, sentence in (
        (0, "nobody knows it", "there is no finding"),
        (1, " ", "name of its reviewer"),
        (3, "", "needs a reason"),
        (3, "\ud800", "not Unicode"),
        (4, naive, "needs its zone"),
    ):
        arguments = [value if at == place else given for at, given in enumerate(good)]
        with pytest.raises(BadInput, match=sentence):
            store.add_review(*arguments)  # type: ignore[arg-type]
    assert store.reviews() == []


def test_the_text_of_a_review_is_hashed_as_it_is_documented(store: Store) -> None:
    store.write_shoe(a_shoe())
    review = store.add_review("BAC-07/S1/1", "ana", Opinion.OPEN, "é", EVENING)
    text = json.dumps(
        [
            *("0" * 64, 1, "BAC-07/S1/1", "ana", "2026-01-01T20:00:00.000000+00:00"),
            *("open", "é", review.facts_hash),
        ]
    )
    hashed = subprocess.run(["sha256sum"], input=text.encode(), capture_output=True, check=True)
    assert hashed.stdout.decode().split()[0] == review.hash


# Views


@pytest.fixture(scope="module")
def asked_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    store = Store(tmp_path_factory.mktemp("asked") / "audit.db")
    store.write_tables([KnownTable("BAC-07", "Asia/Singapore", "")])
    short = a_shoe("S2", paid="150.00", breaks=(2,))
    doubt = a_shoe("S3", breaks=(1,))
    doubt = replace(doubt, findings=doubt.findings.with_columns(severity=pl.lit("review")))
    store.write_shoes([a_shoe("S1", breaks=(1, 2, 3)), short, doubt])
    store.add_review("BAC-07/S1/3", "ana", Opinion.CONFIRMED, "so it is", EVENING)
    store.add_review("BAC-07/S1/3", "ben", Opinion.DISMISSED, "the camera erred", EVENING)
    store.add_review("BAC-07/S1/2", "ben", Opinion.CONFIRMED, "so it is", EVENING)
    return store.path.read_bytes()


@pytest.fixture
def asked(store: Store, asked_file: bytes) -> Store:
    store.path.write_bytes(asked_file)
    return store


def rows(store: Store, sql: str) -> list[tuple[object, ...]]:
    with store.reading() as connection:
        found: list[tuple[object, ...]] = connection.sql(sql).pl().rows()
    return found


def test_incidents_are_violations_that_stand(asked: Store) -> None:
    assert rows(
        asked,
        "SELECT shoe, round, dealer, given_away, short_changed, verdict, line, family"
        " FROM incidents ORDER BY shoe, round",
    ) == [
        ("S1", 1, "D1", Decimal(25), Decimal(0), None, "P 2H 3D 8C / B KS 3S", "PAY"),
        ("S1", 2, "D1", Decimal(25), Decimal(0), "confirmed", "P 2H 3D 8C / B KS 3S", "PAY"),
        ("S2", 2, "D1", Decimal(0), Decimal(50), None, "P 2H 3D 8C / B KS 3S", "PAY"),
    ]


def test_totals_count_rounds_errors_and_money(asked: Store) -> None:
    money = (Decimal(50), Decimal(50))
    assert rows(asked, "FROM by_dealer") == [
        ("D1", 6, 3, 1, 500.0, *money),
        ("D2", 3, 0, 0, 0.0, Decimal(0), Decimal(0)),
        (None, 0, 0, 0, None, Decimal(0), Decimal(0)),
    ]
    assert rows(asked, "FROM by_table") == [("BAC-07", 9, 3, 1, 333.33, *money)]
    assert rows(asked, "FROM by_hour") == [(4, 9, 3, 1, 333.33, *money)]
    assert rows(asked, "FROM by_code") == [("PAY001", "PAY", 9, 3, 1, 333.33, *money)]


def test_times_are_on_the_clock_of_the_tables(asked: Store) -> None:
    assert rows(asked, "SELECT DISTINCT hour(ts) FROM rounds") == [(4,)]
    asked.write_tables([KnownTable("BAC-08", "Europe/Paris", "")])
    assert rows(asked, "SELECT DISTINCT hour(ts) FROM rounds") == [(20,)]
    assert rows(asked, "SELECT hour FROM by_hour") == [(4,)]


def test_every_table_view_and_column_says_what_it_means(asked: Store) -> None:
    told = rows(asked, "SELECT name, column_name, meaning FROM about")
    assert [row for row in told if not row[2]] == []
    assert {row[0] for row in told} == {thing.name for thing in (*ALL_TABLES, *ALL_VIEWS)}


def test_views_of_an_empty_database_are_empty(store: Store) -> None:
    store.prepare()
    for view in ALL_VIEWS:
        if view.name != "about":
            assert rows(store, f"FROM {view.name}") == []
