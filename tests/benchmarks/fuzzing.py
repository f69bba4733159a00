"""Coverage-guided fuzzing of every reader: whatever it is given, a value or one sentence.

    python -m tests.benchmarks.fuzzing [--minutes N] [--seed N] [--keep FOLDER]

Inputs are changed byte by byte and word by word, and one that makes a line of `audit/` follow
another line for the first time is kept to be changed further. The time is shared out evenly among
the readers. Prints executions, kept inputs, steps from line to line that were reached, and crashes;
each different crash is written to the folder, and the exit status is 1 if there is any.
"""

import argparse
import gzip
import io
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import CodeType, FrameType

import polars as pl

import audit
from audit.cli import COMMANDS
from audit.config import load_config
from audit.errors import CatwalkError
from audit.judge import judge_round
from audit.notation import format_round, parse_round
from audit.observations import CallKind, Game, WagerKind
from audit.rulebook_files import rulebook
from audit.sources import read_column_mapping, read_sources
from audit.table_sheet import plain_sheet, read_table_sheet
from tests.hostile_nights import BACCARAT, BLACKJACK, VALUES, small_night

OURS = str(Path(audit.__file__).parent)
LONGEST = 10
"""Seconds of work that one input may take."""
LARGEST = 1 << 15
READINGS = 13
Step = tuple[CodeType, int, int]
TraceFunction = Callable[[FrameType, str, object], "TraceFunction | None"]


class Unsaid(AssertionError):
    """A refusal that is not one sentence, or an account that does not balance."""


# The readers


def into_file(content: bytes, name: str, read: Callable[[Path], object]) -> None:
    with tempfile.TemporaryDirectory(dir=_memory()) as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        read(path)


def _memory() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108


def logs(content: bytes) -> None:
    def read(path: Path) -> None:
        sources = read_sources([path])
        if not all(one.balances for one in sources.accounts()):
            raise Unsaid("its account does not balance")

    into_file(content, "log", read)


def table_sheet(content: bytes) -> None:
    read_table_sheet(content.decode(errors="replace"), "the sheet")


def column_mapping(content: bytes) -> None:
    read_column_mapping(content.decode(errors="replace"), "the mapping")


def config(content: bytes) -> None:
    into_file(content, "catwalk.toml", lambda path: load_config(path, COMMANDS))


def notation(content: bytes) -> None:
    """Read a round, judge it, and write it down so that it reads the same."""
    played = parse_round(content.decode(errors="replace"))
    name = BACCARAT[0] if played.game is Game.BACCARAT else BLACKJACK[0]
    judge_round(played, rulebook(name), plain_sheet(name), most_readings=READINGS)
    if parse_round(format_round(played)) != played:
        raise Unsaid("written down, it reads otherwise")


@dataclass(frozen=True, slots=True)
class Reader:
    name: str
    read: Callable[[bytes], None]
    seeds: tuple[bytes, ...]


MAPPING = b"""[cards]\nseq = "CardNo"\ncard = "Code"\n[wagers]\nstake = "Amount"\n[values.card]
"1S" = "AS"\n[values.hand]\n"P" = "player"\n[format]\nts = "%d/%m/%Y %H:%M:%S"
[constants.cards]\ntable_id = "BAC-07"\n"""
CONFIG = b"""db = "audit.duckdb"\n[audit]\ninputs = ["/data/shoes", "/data/bets"]
mapping = "vendor.toml"\njobs = 4\n[report]\n"""
ROUNDS = (
    b"P 2H 3D 8C / B KS 3S | alice:banker 100=-100, tie 25=+200, outcome banker",
    b"1 8H 8S split 3D double TC / 1.2 TC stand / D 7C TH | main@1 100=-50",
    b"P ?? 3D 8C / B KS 3S | void misdeal, alice:withdraw#3",
    b"P 9H#1 KD#2 / B 4C#3 5S#4 | next 4C 9D, first, sealed, before alice",
    b"1 AH TS / 2 5D 6C hit:bob 9S / D AC 9H | bob:insurance@1 50=-50 for al, main@1 100=150 late",
)


def in_parquet(text: bytes) -> bytes:
    file = io.BytesIO()
    pl.read_csv(text, infer_schema=False).write_parquet(file, compression="uncompressed")
    return file.getvalue()


def readers() -> tuple[Reader, ...]:
    files, sheets = small_night((BACCARAT[0], BLACKJACK[0]), 1, "doubtful")
    short = [b"\n".join(text.split(b"\n")[:8]) + b"\n" for text in files.values()]
    as_json = [pl.read_csv(text).write_ndjson().encode() for text in short]
    packed = [in_parquet(short[0]), gzip.compress(short[0], mtime=0)]
    return (
        Reader("read_sources", logs, (*short, *as_json, *packed)),
        Reader("read_table_sheet", table_sheet, tuple(sheets.values())),
        Reader("read_column_mapping", column_mapping, (MAPPING,)),
        Reader("load_config", config, (CONFIG,)),
        Reader("parse_round", notation, ROUNDS),
    )


# What is followed


@dataclass(slots=True)
class Follower:
    """Notes which line of ours comes after which."""

    steps: set[Step] = field(default_factory=set)

    def enter(self, frame: FrameType, event: str, arg: object) -> TraceFunction | None:
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        before = 0

        def line(frame: FrameType, event: str, arg: object) -> TraceFunction:
            nonlocal before
            self.steps.add((frame.f_code, before, frame.f_lineno))
            before = frame.f_lineno
            return line

        return line(frame, event, arg)


# How inputs are changed

WORDS = [
    *(word.encode() for words in VALUES.values() for word in words),
    *(word.encode() for word in (*WagerKind, *CallKind, *VALUES, *COMMANDS)),
    *(b"\x00 \xff \n \r \" ' , ; : / | = @ # [ ] { } [[ ]] \xef\xbb\xbf \t \\".split(b" ")),
    *(b"split double hit stand late for next first sealed before ?? inf nan 1e400".split()),
    *(b"%Y %d %H %z %s %f true false 1979-05-27T07:32:00Z 0x7f 9223372036854775808".split()),
]


def changed(content: bytes, kept: Sequence[bytes], rng: Random) -> bytes:
    """Change an input at a few places."""
    for _ in range(1 << rng.randrange(4)):
        at = rng.randint(0, len(content))
        upto = min(len(content), at + (1 << rng.randrange(7)))
        match rng.randrange(8):
            case 0:
                content = content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]
            case 1:
                content = content[:at] + content[upto:]
            case 2:
                content = content[:at] + content[at:upto] * rng.randint(2, 4) + content[upto:]
            case 3:
                content = content[:at] + rng.choice(WORDS) + content[at:]
            case 4:
                content = content[:at] + rng.choice(WORDS) + content[upto:]
            case 5:
                other = rng.choice(kept)
                begin = rng.randint(0, len(other))
                content = content[:at] + other[begin : begin + 64] + content[at:]
            case 6:
                other = rng.choice(kept)
                content = content[:at] + other[rng.randint(0, len(other)) :]
            case _:
                lines = content.splitlines(keepends=True)
                rng.shuffle(lines)
                content = b"".join(lines) if rng.random() < 0.2 else content[:at]
    return content[:LARGEST]


# Fuzzing


@dataclass(slots=True)
class Outcome:
    reader: str
    executions: int = 0
    refusals: int = 0
    kept: int = 0
    steps: int = 0
    slowest: float = 0.0
    crashes: dict[str, bytes] = field(default_factory=dict)
    """By where it happened: the first input that led there."""

    def __str__(self) -> str:
        return (
            f"{self.reader:20} {self.executions:8,} executions, {self.refusals:8,} refusals, "
            f"{self.kept:5,} inputs kept, {self.steps:6,} steps reached, "
            f"slowest {self.slowest:5.2f} s, {len(self.crashes)} crashes"
        )


def tried(reader: Reader, content: bytes, follower: Follower, outcome: Outcome) -> None:
    """Give one input to a reader, and note how it ended."""
    began = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    sys.settrace(follower.enter)
    try:
        reader.read(content)
    except CatwalkError as refusal:
        outcome.refusals += 1
        if len(str(refusal).splitlines()) != 1:
            outcome.crashes.setdefault(f"not one sentence: {refusal!r}"[:120], content)
    except Exception as crash:  # noqa: BLE001  (whatever it is, it is what is looked for)
        where = traceback.extract_tb(crash.__traceback__)[-1]
        place = f"{type(crash).__name__} in {where.filename}, line {where.lineno}"
        outcome.crashes.setdefault(place, content)
    finally:
        sys.settrace(None)
        signal.setitimer(signal.ITIMER_PROF, 0)
    outcome.executions += 1
    outcome.slowest = max(outcome.slowest, time.process_time() - began)


def fuzz(reader: Reader, seconds: float, rng: Random) -> Outcome:
    """Fuzz one reader for so long."""
    outcome, follower = Outcome(reader.name), Follower()
    kept = list(reader.seeds)
    for seed in reader.seeds:
        tried(reader, seed, follower, outcome)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        recent = kept[-20:] if rng.random() < 0.5 else kept
        content = changed(rng.choice(recent), kept, rng)
        before = len(follower.steps)
        tried(reader, content, follower, outcome)
        if len(follower.steps) > before:
            kept.append(content)
    outcome.kept, outcome.steps = len(kept) - len(reader.seeds), len(follower.steps)
    return outcome


def break_off(*_: object) -> None:
    raise TimeoutError(f"one input worked for more than {LONGEST} s")


def main() -> int:
    """Fuzz all readers, and print what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir(), "catwalk-crashes"))
    given = parser.parse_args()
    signal.signal(signal.SIGPROF, break_off)
    rng = Random(given.seed)  # noqa: S311
    every = readers()
    crashes = 0
    for reader in every:
        outcome = fuzz(reader, given.minutes * 60 / len(every), rng)
        sys.stdout.write(f"{outcome}\n")
        for place, content in outcome.crashes.items():
            crashes += 1
            given.keep.mkdir(parents=True, exist_ok=True)
            path = given.keep / f"{reader.name}-{crashes}"
            path.write_bytes(content)
            sys.stdout.write(f"    {place}: {path}\n")
        sys.stdout.flush()
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
