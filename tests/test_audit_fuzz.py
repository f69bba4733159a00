"""Whole audits of hostile nights: no traceback, no hang, no half-written database."""

import csv
import io
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import duckdb
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, Phase, given, settings

from audit.batch import Audited, audit_bucket
from audit.cards import DECK, UNREAD
from audit.cli import main
from audit.errors import CatwalkError
from audit.findings import Severity
from audit.hands import parse_hand
from audit.judge import judge_round
from audit.notation import parse_round
from audit.observations import CardSeen, Game
from audit.rounds import Round
from audit.rulebook_files import rulebook
from audit.shoe_rows import ROUND_KEY, SHOE_KEY
from audit.sources import ColumnMapping
from audit.sources.found import find_files
from audit.sources.reading import Intake, read_into
from audit.sources.spool import Bucket, Spool, load_bucket
from audit.table_sheet import plain_sheet
from tests.hostile_nights import BACCARAT, BLACKJACK, hostile_nights, small_night

LONGEST = 40
"""Seconds of work for two tables with six rounds each; nearly all need less than one."""
HOSTILE = settings(
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TWO_SHEETS = "are two different sheets of table"
REASONS = (
    TWO_SHEETS,
    "there is no round in these inputs",
    "the audit database does not know the timezone",
)
"""All that may keep a night from being audited: whatever else is wrong costs a row or a round."""
Stored = dict[str, list[tuple[object, ...]]]


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Break off what works for longer than it may."""

    def break_off(*_: object) -> None:
        raise TimeoutError(f"it worked for more than {seconds} s")

    before = signal.signal(signal.SIGPROF, break_off)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def on_disk(files: dict[str, bytes]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "night")
        folder.mkdir()
        for file, content in files.items():
            (folder / file).write_bytes(content)
        yield folder


# Rounds that leave nothing to choose from


def test_an_unread_card_beside_a_whole_deck_can_be_any_card() -> None:
    hand = parse_hand("box1")
    cards = (
        *(CardSeen(seq, card, hand) for seq, card in enumerate(DECK, 1)),
        CardSeen(len(DECK) + 1, UNREAD, hand),
    )
    book = "mbs-blackjack-v6"
    found = judge_round(Round(Game.BLACKJACK, cards), rulebook(book), plain_sheet(book, decks=1))
    assert found


def test_a_card_of_which_every_reading_is_ruled_out_can_be_any_card() -> None:
    played = parse_round("P 2H 3D 7C / B KS 6S")
    none = tuple((card, 0.0) for card in DECK)
    unsure = replace(played.cards[0], confidence=0.0, alternatives=none)
    found = judge_round(
        replace(played, cards=(unsure, *played.cards[1:])),
        rulebook(BACCARAT[0]),
        plain_sheet(BACCARAT[0]),
    )
    assert {one.severity for one in found} == {Severity.REVIEW}


# From rows to what is stored of them


def check_judged(folder: Path) -> Audited | None:
    """Read and judge, and see that every row is used once or left over, each round there once."""
    with tempfile.TemporaryDirectory() as name:
        spool = Spool(Path(name), 1)
        intake = read_into(spool, find_files([folder], None), ColumnMapping())
        (paths,) = spool.on_disk() or [()]
        if spool.shoes().is_empty():
            return None
        bucket = load_bucket(paths)
    audited = audit_bucket("run", bucket, intake.sheets)
    check_rows(intake, audited, several_logs=_several_logs(bucket))
    return audited


def _several_logs(bucket: Bucket) -> bool:
    return bool(bucket.cards.select(*SHOE_KEY, "seq").is_duplicated().any())


def check_rows(intake: Intake, audited: Audited, *, several_logs: bool) -> None:
    batch = audited.batch
    assert not batch.rounds.select(ROUND_KEY).is_duplicated().any()
    unused = [(row.source, row.row) for row in (*intake.left_over, *audited.left_over) if row.row]
    unused += [(row.source, row.row) for row in intake.refused if row.row]
    assert len(set(unused)) == len(unused)
    read = sum(intake.read.values())
    stored = batch.cards.height + batch.wagers.height + batch.calls.height
    if several_logs:  # cards that two logs agree on are stored once
        assert stored + len(unused) <= read
    else:
        assert stored + len(unused) == read


@settings(HOSTILE, max_examples=30)
@given(hostile_nights())
def test_whatever_is_read_is_judged_or_left_over_with_a_reason(files: dict[str, bytes]) -> None:
    refusal = TWO_SHEETS
    with on_disk(files) as folder, within(LONGEST):
        try:
            check_judged(folder)
        except CatwalkError as problem:
            refusal = str(problem)
    assert TWO_SHEETS in refusal


def with_unread_cards(log: bytes, every: int) -> bytes:
    header, *rows = csv.reader(io.StringIO(log.decode()))
    card = header.index("card")
    for row in rows[::every]:
        row[card] = "??"
    return "\n".join(",".join(row) for row in (header, *rows, [])).encode()


def test_unread_cards_of_unknown_hands_do_not_multiply_the_work() -> None:
    logs, sheets = small_night((BACCARAT[0], BLACKJACK[0]), 1, "no hands")
    files = {
        name: with_unread_cards(log, 6) if name == "cards-BJ-002.csv" else log
        for name, log in logs.items()
    }
    with on_disk(files | sheets) as folder, within(LONGEST):
        audited = check_judged(folder)
    assert audited is not None
    assert set(audited.batch.findings["severity"]) == {Severity.REVIEW}
    assert audited.batch.rounds["judged"].all()


def test_wagers_without_a_round_are_left_over_where_no_sheet_tells_the_game() -> None:
    logs, _ = small_night((BACCARAT[0], BLACKJACK[0]), 1, "sound")
    ledger = logs["wagers-BAC-001.csv"].replace(b",round,", b",number,", 1)
    with on_disk({"cards.csv": logs["cards-BAC-001.csv"], "wagers.csv": ledger}) as folder:
        audited = check_judged(folder)
    assert audited is not None
    assert {row.why for row in audited.left_over} == {
        "it names no round, and there is no table sheet for BAC-001"
    }


# From the command line to the database and back


def invoked(folder: Path, db: Path) -> Result:
    with within(LONGEST):
        return CliRunner().invoke(
            main, ["audit", str(folder), "--db", str(db), "--jobs", "1", "--quiet"]
        )


def check_ending(result: Result) -> None:
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in (0, 1, 2)
    assert not result.stdout
    assert len(result.stderr.splitlines()) == (result.exit_code == 2)
    assert not result.stderr or any(reason in result.stderr for reason in REASONS)


def check_database(db: Path) -> Stored:
    """See that a database is whole, and give what is in it."""
    with duckdb.connect(db, read_only=True) as connection:

        def rows(sql: str) -> list[tuple[object, ...]]:
            return connection.execute(sql).fetchall()

        assert not rows("SELECT table_id, shoe, round FROM rounds GROUP BY ALL HAVING count(*) > 1")
        assert not rows("FROM inputs WHERE used + left_over + refused <> read OR used < 0")
        assert not rows("SELECT run_id FROM runs WHERE finished_at IS NULL")
        assert not rows("SELECT code FROM findings ANTI JOIN shoes USING (table_id, shoe)")
        tables = rows("SELECT table_name FROM duckdb_tables()")
        return {
            str(name): sorted(connection.table(str(name)).pl().rows(), key=str)
            for (name,) in tables
        }


def check_audit(folder: Path, db: Path) -> None:
    first = invoked(folder, db)
    check_ending(first)
    if not db.exists():
        assert first.exit_code == 2
        return
    stored = check_database(db)
    again = invoked(folder, db)
    check_ending(again)
    assert (again.exit_code, again.stderr) == (first.exit_code, first.stderr)
    assert check_database(db) == stored


@settings(HOSTILE, max_examples=10)
@given(hostile_nights())
def test_an_audit_ends_with_a_whole_database_or_one_sentence(files: dict[str, bytes]) -> None:
    with on_disk(files) as folder:
        check_audit(folder, folder.parent / "audit.db")


@settings(HOSTILE, max_examples=3)
@given(first=hostile_nights(most=3), second=hostile_nights(most=3))
def test_hostile_nights_one_after_another_leave_a_whole_database(
    first: dict[str, bytes], second: dict[str, bytes]
) -> None:
    with on_disk(first) as one, on_disk(second) as other:
        db = one.parent / "audit.db"
        for folder in (one, other):
            check_ending(invoked(folder, db))
            if db.exists():
                check_database(db)


def test_a_name_with_a_line_break_does_not_break_the_sentence(tmp_path: Path) -> None:
    logs, sheets = small_night((BACCARAT[0], BLACKJACK[0]), 1, "sound")
    other = sheets["BJ-002.toml"].replace(b"decks    = 8", b"decks = 6")
    with on_disk({**logs, **sheets, "a\nb\x1b[2J.toml": other}) as folder:
        result = invoked(folder, tmp_path / "audit.db")
    check_ending(result)
    assert result.exit_code == 2
    assert "two different sheets of table BJ-002" in result.stderr
    assert "\x1b" not in result.stderr


def test_a_timezone_that_the_database_does_not_know_leaves_no_run_behind(tmp_path: Path) -> None:
    logs, sheets = small_night((BACCARAT[0], BLACKJACK[0]), 1, "sound")
    sheet = sheets["BJ-002.toml"].replace(b"Asia/Singapore", b"posixrules")
    with on_disk({**logs, **sheets, "BJ-002.toml": sheet}) as folder:
        check_audit(folder, tmp_path / "audit.db")


def test_a_wager_of_another_game_costs_its_round_and_nothing_else(tmp_path: Path) -> None:
    logs, sheets = small_night((BACCARAT[0], BLACKJACK[0]), 1, "sound")
    header, first, *rows = logs["wagers-BAC-001.csv"].splitlines(keepends=True)
    cells = first.split(b",")
    cells[header.split(b",").index(b"wager")] = b"main"
    ledger = b"".join([header, b",".join(cells), *rows])
    db = tmp_path / "audit.db"
    with on_disk({**logs, **sheets, "wagers-BAC-001.csv": ledger}) as folder:
        check_audit(folder, db)
    with duckdb.connect(db, read_only=True) as connection:
        unjudged = connection.execute("SELECT unjudged FROM rounds WHERE NOT judged").fetchall()
    assert unjudged == [("main is not a wager of baccarat",)]
