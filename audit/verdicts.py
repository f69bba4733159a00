"""What a rule says about a situation. A verdict is never a bare boolean."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Complied:
    """The rule applied, and was kept."""


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """The rule has nothing to say about this situation."""


@dataclass(frozen=True, slots=True)
class Breach:
    """The rule was broken: what it required, what was seen, and what it cost if that is known.

    `clause` narrows the citation where one code stands on several clauses. `reading` names a clause
    that can be read in two ways, where this was right by the reading not taken: only a note then.
    """

    expected: str
    observed: str
    exposure: Decimal | None = None
    clause: str | None = None
    reading: str | None = None


@dataclass(frozen=True, slots=True)
class Undetermined:
    """The evidence does not reach: what is missing."""

    missing: str


Verdict = Complied | NotApplicable | Breach | Undetermined

COMPLIED = Complied()
NOT_APPLICABLE = NotApplicable()
