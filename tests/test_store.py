"""What is written to the store: whole shoes or nothing, and the same twice."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import polars as pl
import pytest

from audit.errors import BadInput
from audit.store import KnownTable, Opinion, Run, ShoeBatch, Store, frame_schema
from audit.store.opening import WRITER_SETTINGS
from audit.store.schema import ALL_TABLES, WAGERS

EVENING = datetime(2026, 1, 1, 20, 0, tzinfo=UTC)
HOSTILE = "'; DROP TABLE findings; --\x00\x1b[31m\n\"`\\ü😀"
ROUNDS = 4


def a_shoe(
    shoe: str = "S1",
    *,
    table_id: str = "BAC-07",
    run_id: str = "run",
    breaks: tuple[int, ...] = (1, 3),
    paid: str = "225.00",
) -> ShoeBatch:
    """Make a shoe of four rounds, of which some are broken."""
    key = {"table_id": table_id, "shoe": shoe}
    begins = [EVENING + timedelta(minutes=number) for number in range(ROUNDS)]
    numbers = range(1, ROUNDS + 1)
    return ShoeBatch(
        run_id,
        rounds=pl.DataFrame(
            {
                **key,
                "round": numbers,
                "ts": begins,
                "dealer": ["D1", "D1", "D2", None],
                "rulebook": "mbs-fortune-six-baccarat-v6",
                "line": "P 2H 3D 8C / B KS 3S",
                "outcome": "player",
                "judged": [True, True, True, False],
            }
        ),
        cards=pl.DataFrame(
            {
                **key,
                "round": [None, *(number for number in numbers for _ in range(2))],
                "seq": range(1, 2 * ROUNDS + 2),
                "card": "AS",
                "ts": EVENING,
                "confidence": 0.99,
            }
        ),
        wagers=pl.DataFrame(
            {
                **key,
                "round": numbers,
                "place": 0,
                "bettor": HOSTILE,
                "wager": "tie",
                "stake": [Decimal("25.00")] * ROUNDS,
                "net": [Decimal(paid)] * ROUNDS,
            }
        ),
        calls=pl.DataFrame(
            {**key, "round": numbers, "place": 0, "ts": begins, "call": "outcome", "value": HOSTILE}
        ),
        findings=pl.DataFrame([a_finding(table_id, shoe, number, paid) for number in breaks]),
    )


def a_finding(table_id: str, shoe: str, number: int, paid: str) -> dict[str, object]:
    return {
        "finding_id": f"{table_id}/{shoe}/{number}",
        "table_id": table_id,
        "shoe": shoe,
        "round": number,
        "ts": EVENING + timedelta(minutes=number - 1),
        "dealer": "D1",
        "code": "PAY001",
        "severity": "violation",
        "rulebook": "mbs-fortune-six-baccarat-v6",
        "clause": "4.1",
        "bettor": HOSTILE,
        "wager": "tie",
        "expected": "tie pays 8 to 1",
        "observed": HOSTILE,
        "exposure": Decimal(paid) - 200,
        "confidence": 1.0,
        "evidence": "wagers 0",
    }


def contents(path: Path) -> dict[str, list[str]]:
    """Give every row of every table, in an order of its own."""
    with Store(path).reading() as connection:
        return {
            table.name: sorted(map(str, connection.sql(f'FROM "{table.name}"').pl().rows()))
            for table in ALL_TABLES
        }


@contextmanager
def engine(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the file past the store, as somebody who tampers with it would."""
    with duckdb.connect(path, config=dict(WRITER_SETTINGS)) as connection:
        yield connection


def text_of(refused: pytest.ExceptionInfo[Exception], path: Path) -> str:
    """Give the sentence, after checking that it is one and names the file."""
    text = str(refused.value)
    assert str(path) in text
    assert "\n" not in text
    return text


def process(call: str, module: str = "tests.test_store") -> subprocess.Popen[str]:
    """Start a process of its own that knows what a module of tests holds."""
    code = f"from pathlib import Path; from {module} import *; {call}"
    root = Path(__file__).parents[1]
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=root
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return (tmp_path / "audit.db").resolve()


@pytest.fixture
def store(path: Path) -> Store:
    return Store(path, patience=20)


# What is written


def test_every_column_comes_back_as_it_was_given(store: Store, path: Path) -> None:
    batch = a_shoe()
    store.write_shoe(batch)
    with store.reading() as connection:
        for name in ("shoes", "rounds", "cards", "wagers", "calls", "findings"):
            stored = connection.sql(f"FROM {name}").pl().rows()
            assert sorted(map(str, stored)) == sorted(map(str, getattr(batch, name).rows()))
    assert [entry.name for entry in path.parent.iterdir()] == ["audit.db"]


def test_the_same_night_twice_changes_nothing(store: Store, path: Path) -> None:
    for pause in (0, 1):
        now = EVENING + timedelta(days=pause)
        store.write_tables([KnownTable("BAC-07", "Asia/Singapore", 'table = "BAC-07"')])
        store.begin_run(Run("run", now, "0.1.0", "cards.csv"))
        store.write_shoes([a_shoe("S1"), a_shoe("S2")])
        store.finish_run("run", read={"cards.csv": 30}, at=now)
        if not pause:
            first = contents(path)
    assert contents(path) == first
    assert len(first["findings"]) == 4


def test_a_shoe_audited_again_replaces_what_it_held(store: Store, path: Path) -> None:
    store.write_shoes([a_shoe("S1"), a_shoe("S2"), a_shoe("S1", table_id="BAC-08")])
    store.write_shoe(a_shoe("S1", breaks=(2,), paid="300.00", run_id="later"))
    fresh = Store(path.with_name("fresh.db"))
    fresh.write_shoes([a_shoe("S2"), a_shoe("S1", table_id="BAC-08")])
    fresh.write_shoe(a_shoe("S1", breaks=(2,), paid="300.00", run_id="later"))
    assert contents(path) == contents(fresh.path)


def test_a_shoe_that_turns_out_to_hold_nothing_is_cleared(store: Store, path: Path) -> None:
    store.write_shoe(a_shoe())
    store.write_shoe(ShoeBatch("later", shoes=pl.DataFrame({"table_id": "BAC-07", "shoe": "S1"})))
    after = contents(path)
    assert [name for name, rows in after.items() if rows] == ["shoes", "schema"]


def test_empty_frames_and_no_batches_are_no_trouble(store: Store, path: Path) -> None:
    store.write_shoes([])
    assert not path.exists()
    store.write_shoe(ShoeBatch("run"))
    store.write_shoe(ShoeBatch("run", wagers=pl.DataFrame(schema=frame_schema(WAGERS))))
    store.write_tables([])
    assert [name for name, rows in contents(path).items() if rows] == ["schema"]


def test_a_shoe_knows_its_first_and_last_moment_and_its_cards(store: Store) -> None:
    store.write_shoe(a_shoe())
    with store.reading() as connection:
        row = connection.sql("SELECT first_ts, last_ts, cards FROM shoes").pl().row(0)
    assert row == (EVENING, EVENING + timedelta(minutes=ROUNDS - 1), 2 * ROUNDS + 1)


def test_a_restart_can_skip_the_shoes_of_its_run(store: Store) -> None:
    store.write_shoes([a_shoe("S1"), a_shoe("S2", run_id="another")])
    stored = store.stored_shoes(["BAC-07"]).select("shoe", "run_id")
    assert stored.rows() == [("S1", "run"), ("S2", "another")]
    assert store.stored_shoes(["BAC-08"]).is_empty()


def test_a_run_ends_with_an_account_of_its_rows(store: Store) -> None:
    def unused(row: int, *, refused: bool) -> pl.DataFrame:
        row_of = {"source": "cards.csv", "row": row, "why": "so", "refused": refused}
        return pl.DataFrame([row_of])

    for _ in range(2):
        store.begin_run(Run("run", EVENING, "0.1.0", "cards.csv"), unused(3, refused=True))
        if not store.finished("run"):
            store.write_shoes([a_shoe("S1")], unused(9, refused=False))
            store.finish_run("run", read={"cards.csv": 30, "calls.csv": 2}, at=EVENING)
    with store.reading() as connection:
        accounts = connection.sql(
            "SELECT * EXCLUDE (run_id) FROM inputs ORDER BY source"
        ).fetchall()
        assert accounts == [("calls.csv", 2, 2, 0, 0), ("cards.csv", 30, 28, 1, 1)]
        assert connection.sql("SELECT rounds, findings FROM runs").fetchall() == [(4, 2)]
        assert connection.sql("SELECT count(*) FROM unused_rows").fetchall() == [(2,)]


def test_what_is_stored_of_a_shoe_can_be_asked_for(store: Store) -> None:
    store.write_shoes([a_shoe("S1"), a_shoe("S2")])
    wanted = store.stored_shoes(["BAC-07"]).filter(pl.col("shoe") == "S2")
    rows = store.rows_of(wanted)
    assert {name: frame["shoe"].unique().to_list() for name, frame in rows.items()} == {
        "cards": ["S2"],
        "wagers": ["S2"],
        "calls": ["S2"],
        "findings": ["S2"],
    }
    dealt = a_shoe("S2").cards.sort("seq").select("shoe", "seq", "card")
    assert store.orders_of(wanted).select("shoe", "seq", "card").equals(dealt)


def test_the_greatest_amounts_are_exact(store: Store) -> None:
    most = Decimal("9999999999999999.99")
    row = {"table_id": "T", "shoe": "S", "round": 2**63 - 1, "place": 0, "wager": "tie"}
    store.write_shoe(ShoeBatch("run", wagers=pl.DataFrame([{**row, "stake": most, "net": -most}])))
    with store.reading() as connection:
        assert connection.sql("SELECT stake, net, round FROM wagers").pl().rows() == [
            (most, -most, 2**63 - 1)
        ]


@pytest.mark.parametrize(
    ("column", "value", "sentence"),
    [
        ("stake", Decimal("10000000000000000.00"), "a stake that does not fit DECIMAL"),
        ("stake", Decimal("0.001"), "a stake that does not fit DECIMAL"),
        ("stake", None, "has no stake"),
        ("table_id", None, "has no table_id"),
        ("round", 2**63, "a round that does not fit BIGINT"),
    ],
)
def test_a_value_that_would_be_lost_is_refused(column: str, value: object, sentence: str) -> None:
    row = {"table_id": "T", "shoe": "S", "round": 1, "place": 0, "wager": "tie", "stake": 1}
    given = pl.DataFrame([{**row, "stake": Decimal(1), column: value}])
    with pytest.raises(BadInput, match=sentence):
        ShoeBatch("run", wagers=given)


@pytest.mark.parametrize(
    "change",
    [
        {"stake": 25.0},
        {"round": "1"},
        {"placed_at": datetime(2026, 1, 1)},
        {"steak": 1},
        {"hand": 3},
    ],
)
def test_a_column_of_the_wrong_kind_is_refused(change: dict[str, object]) -> None:
    row = {"table_id": "T", "shoe": "S", "round": 1, "place": 0, "wager": "t", "stake": Decimal(1)}
    with pytest.raises(TypeError, match=next(iter(change))):
        ShoeBatch("run", wagers=pl.DataFrame([{**row, **change}]))
    with pytest.raises(TypeError, match="wager"):
        ShoeBatch("run", wagers=pl.DataFrame([row]).drop("wager"))


def test_what_is_given_twice_is_refused(store: Store) -> None:
    batch = a_shoe()
    with pytest.raises(BadInput, match="in two batches"):
        store.write_shoes([batch, batch])
    with pytest.raises(BadInput, match="round 1 of shoe S1"):
        replace(batch, rounds=pl.concat([batch.rounds, batch.rounds]))
    same = pl.concat([batch.findings, batch.findings])
    assert replace(batch, findings=same).findings.equals(batch.findings)
    other = pl.concat([batch.findings, batch.findings.with_columns(observed=pl.lit("else"))])
    with pytest.raises(BadInput, match="different facts"):
        replace(batch, findings=other)


def test_a_finding_cannot_move_to_another_shoe(store: Store, path: Path) -> None:
    store.write_shoe(a_shoe())
    before = contents(path)
    stolen = a_shoe("S2", breaks=()).rounds
    finding = pl.DataFrame([{**a_finding("BAC-07", "S1", 1, "1.00"), "shoe": "S2"}])
    with pytest.raises(BadInput, match="another shoe already"):
        store.write_shoe(ShoeBatch("run", rounds=stolen, findings=finding))
    assert contents(path) == before


def test_a_moment_without_a_zone_and_an_unknown_zone_are_refused(store: Store) -> None:
    with pytest.raises(TypeError, match="has no zone"):
        Run("run", datetime(2026, 1, 1), "0.1.0", "cards.csv")
    with pytest.raises(TypeError, match="has no zone"):
        store.finish_run("run", read={}, at=datetime(2026, 1, 1))
    with pytest.raises(BadInput, match="does not know the timezone 'Mars'"):
        store.write_tables([KnownTable("T1", "UTC", ""), KnownTable("T2", "Mars", "")])
    with store.reading() as connection:
        assert connection.execute("FROM tables").fetchall() == []


# Findings that no longer hold


def test_a_reviewed_finding_stays_as_withdrawn_and_comes_back(store: Store, path: Path) -> None:
    store.write_shoe(a_shoe(breaks=(1, 2, 3)))
    before = contents(path)["findings"]
    store.add_review("BAC-07/S1/2", "ana", Opinion.CONFIRMED, "seen on camera 4", EVENING)
    store.write_shoe(a_shoe(breaks=(1,)))
    for _ in range(2):
        with store.reading() as connection:
            rows = connection.sql("SELECT round, withdrawn FROM findings ORDER BY round").pl()
        assert rows.rows() == [(1, False), (2, True)]
        store.write_shoe(a_shoe(breaks=(1,)))
    store.write_shoe(a_shoe(breaks=(1, 2, 3)))
    assert contents(path)["findings"] == before
