"""What the rules said about one round, written down as findings."""

from dataclasses import dataclass, field
from decimal import Decimal

from audit.findings import Evidence, Finding, Severity
from audit.hands import Hand
from audit.irregularities import DEALING_ERRORS, stage_at
from audit.money import NOTHING
from audit.observations import CallKind, WagerKind
from audit.rounds import Round
from audit.rulebook import Irregularity, Provision, Remedy, Rulebook, Stage
from audit.table_sheet import TableSheet
from audit.verdicts import Breach, Undetermined, Verdict

NO_EVIDENCE = Evidence()
SHOE_CODES = frozenset({"SHO001", "SHO002", "SHO005", "SHO006", "SHO007"})
LIMIT_CODES = frozenset({"BET002", "BET003", "PAY010"})
PUT_RIGHT = frozenset(
    {Remedy.RECONSTRUCT, Remedy.BETTOR_CHOOSES, Remedy.NEXT_CARD, Remedy.TAKEN_BACK}
)


@dataclass
class Record:
    """The findings of one round, in the order in which the rules spoke."""

    round: Round
    book: Rulebook
    sheet: TableSheet
    findings: list[Finding] = field(default_factory=list)
    handed_back: frozenset[int] = frozenset()
    """The wagers, by their place, that were settled for nothing though they won or lost."""

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
        provision = self.book.provision_of(breach.clause) if breach.clause else None
        provision = provision or self.remedy_for(code, stage)
        if provision is None:
            return f"{breach.expected}; the document gives no remedy"
        return f"{breach.expected}; failing that, {provision.remedy} ({provision.clause})"

    def remedy_for(self, code: str, stage: Stage) -> Provision | None:
        """Find what chapter 5 requires after a mistake of dealing or drawing."""
        return self.book.provision(DEALING_ERRORS[code], stage) or self.book.provision(
            Irregularity.DEALING_ERROR, stage
        )

    def was_put_right(self, code: str) -> bool:
        """Tell whether the cards were put back, at a stage where the document has it so."""
        calls = list(self.round.called(CallKind.RECONSTRUCT))
        if not calls or code not in DEALING_ERRORS:
            return False
        provision = self.remedy_for(code, stage_at(self.round, calls[0].after))
        return provision is None or provision.remedy in PUT_RIGHT

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
            words.extend(self._sealed(code, breach.clause))
        return "; ".join(words)

    def _sealed(self, code: str, clause: str | None) -> list[str]:
        """Say that a later round seals the result, where the document does."""
        if code in SHOE_CODES and any(self.round.called(CallKind.VOID)):
            return []
        provision = self.book.provision(Irregularity.NOTICED_IN_A_LATER_ROUND, Stage.AFTERWARDS)
        if code in LIMIT_CODES:
            limits = Irregularity.LIMIT_NOTICED_IN_A_LATER_ROUND
            provision = self.book.provision(limits, Stage.AFTERWARDS) or provision
        foreign = self.book.provision(Irregularity.FOREIGN_CARD, Stage.AFTERWARDS)
        void_for_its_cards = code in SHOE_CODES or (
            foreign is not None and clause == foreign.clause
        )
        if provision is None or not (provision.seals_every_error or void_for_its_cards):
            return []
        return [f"the settlement stands since the next round has begun ({provision.clause})"]


def total(amounts: list[Decimal]) -> Decimal:
    """Add up amounts of money."""
    return sum(amounts, NOTHING)
