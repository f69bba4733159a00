"""Simulated nights as files, and the command that writes them."""

import hashlib
from pathlib import Path
from random import Random

import polars as pl
import pytest
from click.testing import CliRunner, Result

from audit.commands.simulate import simulate
from audit.errors import BadInput
from audit.rulebook_files import all_rulebooks
from audit.sheet_text import sheet_text
from audit.simulation.log_files import FORMATS, Packing
from audit.simulation.night_faults import KINDS
from audit.simulation.night_files import NightFiles, write_nights
from audit.simulation.nights import NightPlan, sheets_of, simulate_night
from audit.simulation.table import simulated_sheet
from audit.sources import Sources, read_sources
from audit.table_sheet import ALWAYS, GameFrom, Limit, TableSheet, plain_sheet, read_table_sheet

PLAN = NightPlan(tables=10, rounds=12, faults=60)
SHAPES = [
    *((format_, Packing.NONE) for format_ in FORMATS),
    ("csv", Packing.GZIP),
    ("csv", Packing.ZSTANDARD),
    ("jsonl", Packing.GZIP),
    ("jsonl", Packing.ZSTANDARD),
]


def all_used(sources: Sources) -> bool:
    accounts = sources.accounts()
    return (
        not sources.refused
        and not sources.left_over
        and all(account.balances and account.used == account.read for account in accounts)
    )


def checksums(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# What is written is read


@pytest.mark.parametrize("one_file", [False, True], ids=["by table", "one file"])
@pytest.mark.parametrize(("format_", "packing"), SHAPES)
def test_every_row_is_read_back_and_used(
    tmp_path: Path, format_: str, packing: Packing, *, one_file: bool
) -> None:
    written = write_nights(PLAN, 3, tmp_path / "out", NightFiles(format_, packing, one_file))
    sources = read_sources([written.inputs])
    assert all_used(sources)
    shoes = [*simulate_night(PLAN, 3)]
    assert sources.cards.height == sum(len(shoe.rows.cards + shoe.camera) for shoe in shoes)
    cards = sorted(
        (shoe.rows.table_id, shoe.rows.shoe, row.seq, row.ts, row.card, row.hand, row.round)
        for shoe in shoes
        for row in (*shoe.rows.cards, *shoe.camera)
        if row.round is not None and row.hand is not None
    )
    columns = ["table_id", "shoe", "seq", "ts", "card", "hand", "round"]
    numbered = sources.cards.filter(pl.col("round").is_not_null())
    assert sorted(numbered.select(columns).iter_rows()) == cards
    wagers = [
        (shoe.rows.table_id, shoe.rows.shoe, row.round, row.bettor, row.stake, row.net or 0)
        for shoe in shoes
        for row in shoe.rows.wagers
    ]
    columns = ["table_id", "shoe", "round", "bettor", "stake", "net"]
    read = sources.wagers.with_columns(pl.col("net").fill_null(0)).select(columns)
    assert sorted(read.iter_rows()) == sorted(wagers)
    calls = sum(len(shoe.rows.calls) for shoe in shoes)
    assert sources.calls.height == calls
    assert {sheet.table: sheet for sheet in sheets_of(PLAN, 3)} == dict(sources.sheets)


def test_one_file_holds_all_tables(tmp_path: Path) -> None:
    plan = NightPlan(tables=3, rounds=5, nights=2)
    written = write_nights(plan, 3, tmp_path / "out", NightFiles(one_file=True))
    names = sorted(str(path.relative_to(written.inputs)) for path in written.inputs.rglob("*.csv"))
    assert names == [
        f"2026-03-0{day}/{log}.csv" for day in (8, 9) for log in ("calls", "cards", "wagers")
    ]


def test_a_year_s_folders_are_one_for_each_night(tmp_path: Path) -> None:
    plan = NightPlan(tables=1, rounds=2, nights=3)
    written = write_nights(plan, 3, tmp_path / "out", NightFiles())
    folders = [path.name for path in sorted(written.inputs.iterdir())]
    assert folders == ["2026-03-08", "2026-03-09", "2026-03-10", "tables"]
    assert written.rounds == 6


def test_a_row_that_stands_there_twice_is_left_over_as_a_duplicate(tmp_path: Path) -> None:
    plan = NightPlan(tables=2, rounds=20)
    written = write_nights(plan, 3, tmp_path / "out", NightFiles(duplicates=100))
    once = write_nights(plan, 3, tmp_path / "once", NightFiles())
    sources, plain = read_sources([written.inputs]), read_sources([once.inputs])
    assert len(sources.duplicates) == len(sources.left_over) > 20
    assert sources.cards.height == plain.cards.height
    assert sources.wagers.height == plain.wagers.height


def test_the_truth_is_no_input_and_has_a_row_for_every_fault(tmp_path: Path) -> None:
    written = write_nights(PLAN, 3, tmp_path / "out", NightFiles())
    assert not [path for path in written.inputs.rglob("*") if "truth" in path.name]
    truth = pl.read_csv(written.folder / "truth.csv", infer_schema=False)
    planted = [fault for shoe in simulate_night(PLAN, 3) for fault in shoe.truth]
    assert list(written.truth) == planted
    assert truth.height == len(planted) > 3
    for row, fault in zip(truth.iter_rows(named=True), planted, strict=True):
        assert (row["table_id"], row["shoe"], row["code"]) == (
            fault.table_id,
            fault.shoe,
            fault.code,
        )
        assert row["clause"] == (" ".join(fault.clauses) or None)
        cents = row["exposure"] and int(row["exposure"].replace(".", ""))
        assert cents == fault.exposure


# Same seed, same bytes


def test_the_same_seed_writes_the_same_bytes_however_many_processes(tmp_path: Path) -> None:
    plan = NightPlan(tables=4, rounds=10, faults=50)
    for format_, packing in (("csv", Packing.GZIP), ("parquet", Packing.NONE)):
        files = NightFiles(format_, packing, one_file=True)
        one = write_nights(plan, 3, tmp_path / f"one-{format_}", files)
        two = write_nights(plan, 3, tmp_path / f"two-{format_}", files, jobs=2)
        other = write_nights(plan, 4, tmp_path / f"other-{format_}", files)
        assert checksums(one.folder) == checksums(two.folder)
        assert checksums(one.folder) != checksums(other.folder)


# Folders


def test_a_folder_that_is_not_empty_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("mine", "utf-8")
    with pytest.raises(BadInput, match="is not empty"):
        write_nights(PLAN, 3, tmp_path, NightFiles())
    assert [path.name for path in tmp_path.iterdir()] == ["diary.txt"]


def test_force_replaces_only_what_an_earlier_run_left(tmp_path: Path) -> None:
    plan = NightPlan(tables=2, rounds=5)
    write_nights(plan, 3, tmp_path, NightFiles("parquet"))
    (tmp_path / "diary.txt").write_text("mine", "utf-8")
    write_nights(plan, 3, tmp_path, NightFiles(), force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["diary.txt", "inputs", "truth.csv"]
    assert not [*tmp_path.rglob("*.parquet")]
    assert all_used(read_sources([tmp_path / "inputs"]))


def test_what_a_killed_run_left_unfinished_is_in_nobody_s_way(tmp_path: Path) -> None:
    (tmp_path / ".unfinished" / "inputs").mkdir(parents=True)
    write_nights(NightPlan(tables=1, rounds=2), 3, tmp_path, NightFiles())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["inputs", "truth.csv"]


def test_a_folder_that_cannot_be_made_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(BadInput, match="cannot be written"):
        write_nights(PLAN, 3, tmp_path / "file" / "out", NightFiles())


def test_parquet_is_not_packed_again() -> None:
    with pytest.raises(BadInput, match="packed by itself"):
        NightFiles("parquet", Packing.GZIP)


# Table sheets


@pytest.mark.parametrize("name", [*all_rulebooks()])
def test_a_table_sheet_is_read_back_as_it_was(name: str) -> None:
    rng = Random(name)  # noqa: S311
    for _ in range(20):
        sheet = simulated_sheet(all_rulebooks()[name], rng)
        assert read_table_sheet(sheet_text(sheet), "sheet") == sheet


def test_a_table_sheet_of_few_words_is_read_back_as_it_was() -> None:
    plain = plain_sheet("rws-blackjack", table='the "best" \\ table\tof süß')
    assert read_table_sheet(sheet_text(plain), "sheet") == plain
    limits = {
        kind: Limit(None, limit.max) for kind, limit in next(sheets_of(PLAN, 1)).limits.items()
    }
    later = GameFrom("mbs-blackjack-v6", ALWAYS.replace(year=2025))
    sheet = TableSheet(plain.table, plain.timezone, 6, (*plain.games, later), limits=limits)
    assert read_table_sheet(sheet_text(sheet), "sheet") == sheet


# The command


def run(*args: object) -> Result:
    return CliRunner().invoke(simulate, [str(arg) for arg in args])


def test_the_command_says_what_it_made_and_what_to_do_next(tmp_path: Path) -> None:
    out = tmp_path / "night"
    result = run(out, "--tables", 3, "--rounds", 40, "--fault", "PAY002=100", "--seed", 2)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0] == "120 rounds at 3 tables in one night"
    assert "faults of one kind" in lines[1]
    assert lines[-1] == f"next: catwalk audit {out / 'inputs'} --db night.duckdb"
    assert set(pl.read_csv(out / "truth.csv")["code"]) == {"PAY002"}
    assert all_used(read_sources([out / "inputs"]))


def test_the_command_takes_games_nights_and_gaps_in_the_logs(tmp_path: Path) -> None:
    result = run(
        tmp_path / "night", "--rulebook", "mbs-blackjack-v6", "--tables", 2, "--rounds", 5,
        "--night", "2026-02-01", "--nights", 2, "--without", "rounds, hands,calls",
        "--unread", 500, "--format", "jsonl", "--compress", "zst", "--one-file",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    sources = read_sources([tmp_path / "night" / "inputs"])
    assert all_used(sources)
    assert sources.calls.is_empty()
    assert sources.cards["round"].null_count() == sources.cards.height
    assert sources.cards["hand"].null_count() == sources.cards.height
    assert (sources.cards["card"] == "??").any()
    assert {sheet.games[0].rulebook for sheet in sources.sheets.values()} == {"mbs-blackjack-v6"}


def test_the_command_lists_every_kind_of_fault() -> None:
    result = CliRunner().invoke(simulate, ["--list-faults"])
    assert result.exit_code == 0
    for kind in KINDS:
        assert f"{kind.code}  {kind.name} " in result.output


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--fault", "PAY001"), "not a kind and a rate"),
        (("--fault", "PAY999=1"), "no kind of fault"),
        (("--night", "yesterday"), "not a day"),
        (("--without", "suits"), "cannot be without 'suits'"),
        (("--rulebook", "bridge"), "bridge"),
        (("--faults", "-1"), "not possible"),
        (("--unread", "2000"), "2000 of 1,000 cards"),
    ],
)
def test_the_command_refuses_in_a_sentence(
    tmp_path: Path, args: tuple[str, ...], words: str
) -> None:
    result = run(tmp_path / "night", *args)
    assert isinstance(result.exception, BadInput)
    assert words in str(result.exception)
    assert not (tmp_path / "night").exists()
