"""Findings: a breach that a rule found, with everything that a person needs to look into it."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from audit.hands import Hand
from audit.observations import WagerKind

VIOLATION_FROM = 0.95
"""How likely a finding must be, given how sure the cards are, to be called a violation."""
NOBODY_SAID = 0.5
"""How likely it is at most, where a call that nobody wrote down would explain it."""
MOST_REASONS = 3
"""So many reasons for a doubt are said with a finding; the account of a run has every row."""


class Severity(StrEnum):
    VIOLATION = "violation"
    """The rules were broken."""
    REVIEW = "review"
    """The evidence is not enough to say."""
    NOTE = "note"
    """In order by one reading of a clause, put right at the table, or not in the document."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a finding rests on: cards by `seq`, wagers and calls by their place in the round."""

    cards: tuple[int, ...] = ()
    wagers: tuple[int, ...] = ()
    calls: tuple[int, ...] = ()

    def __str__(self) -> str:
        parts = [
            f"{name} {' '.join(str(number) for number in numbers)}"
            for name, numbers in (
                ("cards", self.cards),
                ("wagers", self.wagers),
                ("calls", self.calls),
            )
            if numbers
        ]
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class Finding:
    code: str
    severity: Severity
    rulebook: str
    clause: str
    expected: str
    observed: str
    exposure: Decimal | None
    hand: Hand | None = None
    bettor: str = ""
    wager: WagerKind | None = None
    confidence: float = 1.0
    evidence: Evidence = Evidence()

    @property
    def what(self) -> tuple[str, str, Hand | None, str, WagerKind | None, Evidence]:
        """What tells this finding from the others of its round."""
        return self.code, self.rulebook, self.hand, self.bettor, self.wager, self.evidence

    def finding_id(self, round_key: str) -> str:
        """Name the fact that was found: the same however often the round is audited."""
        text = "\x1f".join((round_key, *(str(part) for part in self.what)))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def __str__(self) -> str:
        money = "" if self.exposure is None else f" ({self.exposure:+})"
        return (
            f"{self.code} {self.severity} [{self.clause}] {self.expected}; {self.observed}{money}"
        )


def reasons_for_doubt(reasons: Iterable[str]) -> str:
    """Join why evidence is not enough, each reason once; of many, the first."""
    each = list(dict.fromkeys(filter(None, reasons)))
    more = [f"and {len(each) - MOST_REASONS} more"] if len(each) > MOST_REASONS else []
    return "; ".join(each[:MOST_REASONS] + more)


def left_to_a_person(finding: Finding, why: str = "") -> Finding:
    """Give what a finding is worth on evidence that is not enough: no accusation; say why."""
    if finding.severity is Severity.NOTE:
        return finding
    return replace(
        finding,
        severity=Severity.REVIEW,
        confidence=min(finding.confidence, NOBODY_SAID),
        observed=f"{finding.observed}; {why}" if why else finding.observed,
    )
