"""The clause ledger: for every clause of every document, what carries it or why nothing can."""

import csv
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from audit.errors import BadRulebook

COLUMNS = ("clause", "kind", "by", "says")


class Carrier(StrEnum):
    """How a clause is accounted for."""

    RULE = "rule"
    """A function of the program: `audit.rules.baccarat.player_draws`."""
    DATUM = "datum"
    """A value of the rulebook: `options.over_maximum`, `wagers.tie`, `blackjack.boxes`."""
    IRREGULARITY = "irregularity"
    """A provision of the rulebook: the name of what went wrong."""
    HEADING = "heading"
    """It only introduces clauses below it, which have rows of their own."""
    EXCUSED = "excused"
    """No evidence that Catwalk takes in could show it."""


CARRIED = frozenset({Carrier.RULE, Carrier.DATUM, Carrier.IRREGULARITY})


@dataclass(frozen=True, slots=True)
class LedgerRow:
    document: str
    clause: str
    kind: Carrier
    by: tuple[str, ...]
    says: str
    """What the clause requires, in our words; for an excused one, why no evidence shows it."""


@cache
def ledger(document: str) -> tuple[LedgerRow, ...]:
    """Read the ledger of one document, in the order of its clauses."""
    name = f"{document}.clauses.tsv"
    text = files("audit").joinpath("rulebooks", name).read_text("utf-8")
    reader = csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    if tuple(next(reader)) != COLUMNS:
        raise BadRulebook(f"{name} must begin with the columns {', '.join(COLUMNS)}")
    rows: dict[str, LedgerRow] = {}
    for line, fields in enumerate(reader, 2):
        if len(fields) != len(COLUMNS):
            raise BadRulebook(f"{name} line {line} has {len(fields)} columns, not {len(COLUMNS)}")
        clause, kind, by, says = fields
        if kind not in {str(carrier) for carrier in Carrier}:
            raise BadRulebook(f"{name} line {line}: {kind!r} is not a way to carry a clause")
        if clause in rows:
            raise BadRulebook(f"{name} line {line}: clause {clause} has a row already")
        rows[clause] = LedgerRow(document, clause, Carrier(kind), tuple(by.split()), says)
    return tuple(rows.values())


def clauses_of(document: str) -> frozenset[str]:
    """Give the numbers of all clauses that a document has."""
    return frozenset(row.clause for row in ledger(document))
