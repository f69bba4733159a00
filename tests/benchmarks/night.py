"""How long the audit of a whole night takes, and how much memory.

    python -m tests.benchmarks.night                          1,500 tables, about 2,000,000 rounds
    python -m tests.benchmarks.night --tables 60              a small one
    python -m tests.benchmarks.night --folder /data/night     keep the simulated files, or use them

Simulates the night as CSV, audits it into a new database with one process for each processor, and
prints the time beside that of merely parsing the same files (the floor), from the same run.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import polars as pl

from audit.simulation.night_files import NightFiles, write_nights
from audit.simulation.nights import NightPlan
from audit.store import Store

SAMPLED_EVERY = 0.2


def parse_only(inputs: Path) -> tuple[float, int]:
    """Parse every log and look at its cells; give the seconds and the rows."""
    began, rows = time.monotonic(), 0
    for path in sorted(inputs.rglob("*.csv")):
        rows += pl.read_csv(path, infer_schema=False).height
    return time.monotonic() - began, rows


def memory_of(session: int) -> int:
    """Add up what all processes of a session hold, in bytes, shared pages counted once."""
    whole = 0
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdecimal() and os.getsid(int(folder.name)) == session:
                rollup = (folder / "smaps_rollup").read_text()
                whole += int(rollup.partition("Pss:")[2].split()[0]) << 10
        except (OSError, ProcessLookupError):
            continue
    return whole


def audit(inputs: Path, db: Path) -> tuple[float, int]:
    """Audit as a user would; give the seconds and the greatest memory of all processes together."""
    began = time.monotonic()
    command = [sys.executable, "-m", "audit", "audit", str(inputs), "--db", str(db)]
    process = subprocess.Popen(command, start_new_session=True)
    greatest = 0
    done = threading.Event()

    def sample() -> None:
        nonlocal greatest
        while not done.wait(SAMPLED_EVERY):
            greatest = max(greatest, memory_of(process.pid))

    sampler = threading.Thread(target=sample)
    sampler.start()
    process.wait()
    done.set()
    sampler.join()
    if process.returncode not in (0, 1):
        raise SystemExit(f"the audit ended with {process.returncode}")
    return time.monotonic() - began, greatest


def main() -> None:
    """Simulate, parse, audit, and print the figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tables", type=int, default=1500)
    options.add_argument("--rounds", type=int, default=1334, help="at each table")
    options.add_argument("--faults", type=float, default=2.0, help="in 1,000 rounds")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--folder", type=Path)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = given.folder or Path(name) / "night"
        inputs = folder / "inputs"
        if not inputs.exists():
            plan = NightPlan(tables=given.tables, rounds=given.rounds, faults=given.faults)
            began = time.monotonic()
            jobs = os.cpu_count() or 1
            written = write_nights(plan, given.seed, folder, NightFiles("csv"), jobs=jobs)
            sys.stdout.write(
                f"simulated {written.rounds:,} rounds in {time.monotonic() - began:.0f} s\n"
            )
        size = sum(path.stat().st_size for path in inputs.rglob("*.csv"))
        floor, rows = parse_only(inputs)
        db = Path(name) / "night.duckdb"
        seconds, memory = audit(inputs, db)
        with Store(db).reading() as connection:
            counted = connection.execute("SELECT count(*), count(DISTINCT table_id) FROM rounds")
            rounds, tables = counted.fetchall()[0]
        sys.stdout.write(
            f"{tables:,} tables, {rounds:,} rounds, {rows:,} rows, {size / 1e9:.2f} GB of CSV\n"
            f"parsing alone {floor:.1f} s; the audit {seconds:.1f} s, {seconds / floor:.1f} times "
            f"that, {rounds / seconds:,.0f} rounds a second, at most {memory / 1e9:.2f} GB\n"
        )


if __name__ == "__main__":
    main()
