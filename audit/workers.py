"""Processes that work side by side, and what is said when one of them is gone."""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context

from audit.errors import CatwalkError


class WorkerLost(CatwalkError):
    """A process that did part of the work is gone."""


@contextmanager
def worker_pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes of their own, each on one thread; drop what waits when the work ends early.

    They are new processes rather than copies of this one, whose threads a copy would lack.
    """
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_on_one_thread)
    try:
        yield pool
    except BrokenProcessPool:
        raise WorkerLost(
            "a process of this work was killed, perhaps for want of memory: "
            "run it again, with fewer --jobs; what is stored stays"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _on_one_thread() -> None:
    """Leave the processors to the other processes; polars asks when it is first used."""
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
