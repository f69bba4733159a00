"""What is said when something handed to Catwalk cannot be used: one sentence that a person reads.

A dealer's mistake is never an error: it is a finding.
"""


class CatwalkError(Exception):
    """The root of everything that ends a command with status 2."""


class BadInput(CatwalkError):
    """A card, hand, wager, amount or round that cannot be what its source says it is."""


class BadRulebook(CatwalkError):
    """A rulebook that contradicts itself, lacks a row or cites a clause that does not exist."""


class BadTableSheet(CatwalkError):
    """A table sheet that cannot be read, or names a rulebook that was not in force."""
