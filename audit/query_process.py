"""A query in a process of its own, which ends when its time is up, whatever it is at.

The engine hears an interruption only between two chunks of rows. So the query runs elsewhere, with
a limit on its memory and on the size of its answer, and writes the answer to a file. Here nothing
of the engine is loaded.
"""

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from audit.errors import CatwalkError
from audit.questions import ROWS, SECONDS, BadQuery, Format

GRACE = 3.0
"""Seconds for the process to start, to give in when it is interrupted, and to write its answer."""
LARGEST_ANSWER = 2**30
"""Bytes of the file with the answer."""
FOR_THE_PROGRAM = 2**30
"""Bytes of address space that the program takes, whatever the query."""
_ROOT = Path(__file__).parents[1]
_TOO_MUCH_MEMORY = "the query needs more memory than there is: ask for less"
_LOADER_GAVE_UP = 127
_ENDED_FOR_MEMORY = frozenset(
    {-signal.SIGKILL, -signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS, _LOADER_GAVE_UP}
)
"""How a process ends that is refused memory in the middle of something; the last, if that befalls
the system's loader, which looks some symbols up only when they are first called."""


@dataclass(frozen=True, slots=True)
class Question:
    """One query, how its answer is to look, and what it may take."""

    database: str
    sql: str
    answer: str
    """The file to write."""
    shape: str
    width: int | None
    limit: int | None
    seconds: float
    memory: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What the process says in the end: how many rows it wrote, or why there is no answer."""

    rows: int = 0
    note: str = ""
    error: str = ""
    """The kind of error, as `BadQuery`."""
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    file: Path
    rows: int
    note: str
    """Says so if there are more rows than these."""


@contextmanager
def answered(
    path: Path,
    sql: str,
    shape: Format,
    *,
    width: int | None = None,
    limit: int | None = ROWS,
    seconds: float = SECONDS,
    memory: int | None = None,
) -> Iterator[WrittenAnswer]:
    """Run one query (see `run_query`) and give the file with its answer, which goes in the end.

    `memory` is how many bytes of address space it may take, usually half of the machine's memory.
    """
    with tempfile.TemporaryDirectory(prefix="catwalk-") as folder:
        file = Path(folder) / f"answer.{shape}"
        question = Question(
            str(path), sql, str(file), str(shape), width, limit, seconds, memory or _half_of_all()
        )
        reply = _run(question)
        if reply.error:
            raise _as_error(reply)
        yield WrittenAnswer(file, reply.rows, reply.note)


def _run(question: Question) -> Reply:
    # Without -P a file in the folder where somebody stands could pass for a part of the program.
    command = [sys.executable, "-P", "-m", "audit.query_process"]
    known = os.environ.get("PYTHONPATH")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(_ROOT), known)))}
    with subprocess.Popen(  # noqa: S603 - our own interpreter and module
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as process:
        asked = json.dumps(asdict(question)).encode()
        try:
            said, _ = process.communicate(asked, timeout=question.seconds + GRACE)
        except subprocess.TimeoutExpired:
            raise BadQuery(
                f"the query was stopped after {question.seconds:g} seconds: "
                "ask for less, or allow more"
            ) from None
        finally:
            process.kill()
    if process.returncode == 0:
        return Reply(**json.loads(said))
    if process.returncode in _ENDED_FOR_MEMORY:
        raise BadQuery(_TOO_MUCH_MEMORY)
    raise BadQuery(f"the query broke off: its process ended with status {process.returncode}")


def _as_error(reply: Reply) -> CatwalkError:
    # Loading the store loads the engine, which whoever gets an answer can do without.
    from audit.store.errors import BadStore, StoreBusy

    kinds: dict[str, type[CatwalkError]] = {"BadStore": BadStore, "StoreBusy": StoreBusy}
    return kinds.get(reply.error, BadQuery)(reply.sentence)


def _half_of_all() -> int:
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        whole = 8 * 2**30
    return whole // 2 + FOR_THE_PROGRAM


def _limit_process(question: Question) -> None:
    """Have the system hold the process to its limits, even if nobody is left to end it."""
    if sys.platform == "win32":
        return
    import resource

    processor_seconds = math.ceil((question.seconds + GRACE) * (os.cpu_count() or 1)) + 1
    for kind, most in (
        (resource.RLIMIT_AS, question.memory),
        (resource.RLIMIT_FSIZE, LARGEST_ANSWER),
        (resource.RLIMIT_CPU, processor_seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hardest = resource.getrlimit(kind)
        allowed = most if hardest == resource.RLIM_INFINITY else min(most, hardest)
        resource.setrlimit(kind, (allowed, hardest))


def _answer(question: Question) -> Reply:
    # The engine is loaded, and its threads are started, before memory is limited: else a hungry
    # query leaves none for them, and the process breaks off instead of saying so.
    import duckdb
    import polars as pl
    import pyarrow  # type: ignore[import-untyped]  # noqa: F401

    from audit.frame_formats import format_frame
    from audit.queries import run_query

    pl.thread_pool_size()
    _limit_process(question)
    try:
        answer = run_query(
            Path(question.database), question.sql, limit=question.limit, seconds=question.seconds
        )
        with Path(question.answer).open("wb") as out:
            format_frame(answer.frame, Format(question.shape), out, width=question.width)
    except CatwalkError as problem:
        # The engine may have run out of memory as early as when it opened the file.
        if isinstance(problem.__context__, duckdb.OutOfMemoryException):
            return Reply(error="BadQuery", sentence=_TOO_MUCH_MEMORY)
        return Reply(error=type(problem).__name__, sentence=str(problem))
    except MemoryError:
        return Reply(error="BadQuery", sentence=_TOO_MUCH_MEMORY)
    except OSError as problem:
        too_large = f"the answer cannot be written ({problem.strerror or problem}): ask for less"
        return Reply(error="BadQuery", sentence=too_large)
    return Reply(answer.frame.height, answer.note)


def main() -> None:
    """Answer the question on standard input."""
    question = Question(**json.load(sys.stdin))
    json.dump(asdict(_answer(question)), sys.stdout)


if __name__ == "__main__":
    main()
