"""The audit database, one DuckDB file: what was seen, what was found, what people made of it."""

from audit.store.batch import ShoeBatch, frame_schema
from audit.store.errors import BadStore, StoreBusy
from audit.store.reviews import ChainCheck, Opinion, Review
from audit.store.store import KnownTable, Run, Store

__all__ = [
    "BadStore",
    "ChainCheck",
    "KnownTable",
    "Opinion",
    "Review",
    "Run",
    "ShoeBatch",
    "Store",
    "StoreBusy",
    "frame_schema",
]
