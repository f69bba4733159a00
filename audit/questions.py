"""What can be asked of the audit database, in words that need no engine.

A command line that only shows its help loads no more than this.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from audit.errors import BadInput, CatwalkError
from audit.findings import Severity

ROWS = 10_000
SECONDS = 60.0


class BadQuery(CatwalkError):
    """SQL that is not a question, is wrong, or takes too long."""


class Format(StrEnum):
    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


class Order(StrEnum):
    NEWEST = "newest"
    OLDEST = "oldest"
    MONEY = "money"
    """Most money first, whichever way it went."""
    SUREST = "surest"


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentFilter:
    """Which findings are wanted. Of several values one has to fit; what is left empty fits all."""

    table: tuple[str, ...] = ()
    dealer: tuple[str, ...] = ()
    bettor: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    family: tuple[str, ...] = ()
    clause: tuple[str, ...] = ()
    """A clause, with those below it: 3.34 is 3.34.1 too."""
    rulebook: tuple[str, ...] = ()
    severity: tuple[Severity, ...] = (Severity.VIOLATION,)
    since: datetime | None = None
    until: datetime | None = None
    """Before this moment."""
    least_exposure: Decimal | None = None
    """At least so much money, whichever way it went."""
    text: str = ""
    """Somewhere in what was expected or observed, in capitals or not."""
    order: Order = Order.NEWEST
    limit: int | None = ROWS

    def __post_init__(self) -> None:
        for moment in (self.since, self.until):
            if moment is not None and moment.tzinfo is None:
                raise BadInput(f"{moment} has no zone: write it like 2026-01-31T06:00+08:00")
        if self.limit is not None and self.limit < 0:
            raise BadInput(f"a limit of {self.limit} rows is not possible")
