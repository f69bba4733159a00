"""What the rules said about one round, written down as findings."""

from dataclasses import dataclass, field
from decimal import Decimal

from audit.findings import Evidence, Finding, Severity
from audit.hands import Hand
from audit.irregularities import DEALING_ERRORS, stage_at
from audit.observations import CallKind, WagerKind
from audit.rounds import Round
from audit.rulebook import Irregularity, Rulebook, Stage
from audit.table_sheet import TableSheet
from audit.verdicts import Breach, Undetermined, Verdict

NO_EVIDENCE = Evidence()
LIMIT_CODES = frozenset({"BET002", "BET003", "PAY010"})
SEALED_BY_CARDS = frozenset({"SHO001", "SHO002", "DEA020"})
"""What is void for its cards seals at least the rounds before it, in every document."""


@dataclass
class Record:
    """The findings of one round, in the order in which the rules spoke."""

    round: Round
    book: Rulebook
    sheet: TableSheet
    findings: list[Finding] = field(default_factory=list)

    def hear(
        self,
        code: str,
        verdict: Verdict,
        *,
        hand: Hand | None = None,
        bettor: str = "",
        wager: WagerKind | None = None,
        evidence: Evidence = NO_EVIDENCE,
        put_right: bool = False,
    ) -> None:
        """Write down a breach, or what could not be determined; anything else needs no word."""
        if not self.book.judges(code) or not isinstance(verdict, Breach | Undetermined):
            return
        if isinstance(verdict, Undetermined):
            finding = Finding(
                code=code,
                severity=Severity.REVIEW,
                rulebook=self.book.id,
                clause=self.book.clause_of(code),
                expected="this rule was kept",
                observed=f"it cannot be told: missing is {verdict.missing}",
                exposure=None,
                hand=hand,
                bettor=bettor,
                wager=wager,
                confidence=0.0,
                evidence=evidence,
            )
        else:
            finding = Finding(
                code=code,
                severity=self._severity(code, verdict, put_right=put_right),
                rulebook=self.book.id,
                clause=verdict.clause or self.book.clause_of(code),
                expected=self._expected(code, verdict),
                observed=self._observed(code, verdict, put_right=put_right),
                exposure=verdict.exposure,
                hand=hand,
                bettor=bettor,
                wager=wager,
                evidence=evidence,
            )
        self.findings.append(finding)

    def _severity(self, code: str, breach: Breach, *, put_right: bool) -> Severity:
        in_document = bool(self.book.breaks[code])
        if breach.reading is not None or put_right or not in_document:
            return Severity.NOTE
        return Severity.VIOLATION

    def _expected(self, code: str, breach: Breach) -> str:
        """Add what chapter 5 then requires, by the stage at which it was or was not noticed."""
        if code not in DEALING_ERRORS:
            return breach.expected
        noticed = [call.after for call in self.round.called(CallKind.RECONSTRUCT, CallKind.VOID)]
        stage = stage_at(self.round, noticed[0]) if noticed else Stage.AFTERWARDS
        provision = self.book.provision(DEALING_ERRORS[code], stage)
        if provision is None:
            provision = self.book.provision(Irregularity.DEALING_ERROR, stage)
        if provision is None:
            return f"{breach.expected}; the document gives no remedy"
        return f"{breach.expected}; failing that, {provision.remedy} ({provision.clause})"

    def _observed(self, code: str, breach: Breach, *, put_right: bool) -> str:
        words = [breach.observed]
        if breach.reading is not None:
            reading = self.book.readings[breach.reading]
            words.append(f"right if {reading.other} ({', '.join(reading.clauses)})")
        if not self.book.breaks[code]:
            words.append("the document has no clause on it")
        if put_right:
            words.append("it was put right at the table")
        elif self.round.around.next_round_began:
            words.extend(self._sealed(code))
        return "; ".join(words)

    def _sealed(self, code: str) -> list[str]:
        """Say that a later round seals the result, where the document does."""
        case = Irregularity.NOTICED_IN_A_LATER_ROUND
        if code in LIMIT_CODES:
            case = Irregularity.LIMIT_NOTICED_IN_A_LATER_ROUND
        provision = self.book.provision(case, Stage.AFTERWARDS)
        if provision is None or not (provision.seals_every_error or code in SEALED_BY_CARDS):
            return []
        return [f"the settlement stands since the next round has begun ({provision.clause})"]


def total(amounts: list[Decimal]) -> Decimal:
    """Add up amounts of money."""
    return sum(amounts, Decimal("0.00"))
