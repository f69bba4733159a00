"""A candidate for a round put before the judge: how many rules would it break?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from audit.assembly import TableHistory, rounds_of
from audit.errors import BadInput
from audit.findings import Finding, Severity
from audit.hands import parse_hand
from audit.judge import BOX_SKIPPED, judge_round
from audit.observations import WagerKind
from audit.reconstruction.material import BURN, DISCARD, RoundRows, Setting
from audit.shoe_rows import CardRow, ShoeRows, WagerRow

BREACH = 400
"""What one broken rule counts, so that evidence of other kinds can count for parts of it."""
MISDEAL = 600
"""A card out of its order counts for more: nothing shows it but the search for an excuse."""
HANDED_BACK = 100
"""Wagers handed back whatever they won, or without cards: they were refused, or all was void."""
FURTHER_PAYMENT = 100
MOST_FURTHER_PAYMENTS = 4
NOT_TO_BE_TOLD = 20
IMPOSSIBLE = 1_000_000
OF_WAGERS = "BET"
NO_MATTER_WHERE = frozenset({OF_WAGERS, "SHO"})
"""Families that do not depend on where the cards went, other than on raises."""
RAISES = frozenset({WagerKind.SPLIT, WagerKind.DOUBLE})
OF_MONEY = frozenset({"PAY", "SRC"})
READINGS_OF_A_TRIAL = 13
"""One unknown card: there are many candidates, and more readings of each tell them apart no better
than the evidence beside the rules does."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A reading of a round, what it costs, and what the judge said."""

    hands: tuple[str, ...]
    cost: int
    findings: tuple[Finding, ...] = ()
    refused: str = ""
    doubt: int = 0
    """What speaks against the reading that no rule judges: calls for other hands, odd payments."""

    @property
    def rank(self) -> tuple[int, int]:
        """What tells the better of two readings."""
        return self.cost, self.doubt

    @property
    def accuses(self) -> bool:
        return any(finding.severity is Severity.VIOLATION for finding in self.findings)

    @property
    def accusations(self) -> frozenset[tuple[object, ...]]:
        """What of the verdict accuses somebody."""
        return frozenset(said for said in self.verdict if said[1] is Severity.VIOLATION)

    @property
    def verdict(self) -> frozenset[tuple[object, ...]]:
        """What the judge said, without which cards it rests on."""
        return frozenset(
            (found.code, found.severity, found.hand, found.bettor, found.wager)
            for found in self.findings
        )


def placed(rows: RoundRows, hands: tuple[str, ...]) -> tuple[CardRow, ...]:
    """Give the cards of a round their round and their hands."""
    pairs = zip(rows.cards, hands, strict=True)
    return tuple(replace(row, round=rows.number, hand=hand) for row, hand in pairs)


def with_burnt(hands: Sequence[str], rows: RoundRows) -> tuple[str, ...]:
    """Put the burnt and discarded cards of a round back among those that were played."""
    left = iter(hands)
    return tuple(row.hand if row.hand in (BURN, DISCARD) else next(left) for row in rows.cards)


def tried(rows: RoundRows, hands: tuple[str, ...], setting: Setting) -> Trial:
    """Judge a round read in one way."""
    after = [replace(row, round=rows.number + 1) for row in rows.following]
    shoe = ShoeRows(
        table_id=setting.sheet.table,
        shoe="",
        cards=(*placed(rows, hands), *after),
        wagers=tuple(replace(row, round=rows.number) for row in rows.wagers),
        calls=tuple(replace(row, round=rows.number) for row in rows.calls),
    )
    try:
        read = next(rounds_of(shoe, setting.book.game, setting.sheet, TableHistory()))
        around = replace(read.around, first_of_shoe=rows.first_of_shoe, calls_kept=True)
        findings = judge_round(
            replace(read, around=around),
            setting.book,
            setting.sheet,
            most_readings=READINGS_OF_A_TRIAL,
        )
    except BadInput as problem:
        return Trial(hands, IMPOSSIBLE, refused=str(problem))
    told_by_cards = [found for found in findings if not _handed_back(found, rows.wagers, hands)]
    cost = cost_of(told_by_cards) + HANDED_BACK * (len(told_by_cards) < len(findings))
    return Trial(hands, cost, findings)


def _handed_back(found: Finding, wagers: Sequence[WagerRow], hands: Sequence[str]) -> bool:
    """Tell a finding that says no more than that wagers on a box were handed back."""
    if found.severity is Severity.NOTE:
        return False
    if found.code == BOX_SKIPPED:
        dealt_in = {parse_hand(hand).box for hand in hands}
        skipped = [row for row in wagers if row.box is not None and row.box not in dealt_in]
        return all(row.net == 0 for row in skipped)
    if found.hand is None:
        return False
    if found.code[:3] == OF_WAGERS:
        # One wager too many was refused if it was handed back, unless the hand stood off.
        beside = [row for row in wagers if (row.wager, row.box) == (found.wager, found.hand.box)]
        return any(row.net == 0 for row in beside)
    if found.code[:3] not in OF_MONEY:
        return False
    on = [
        row
        for row in wagers
        if (row.bettor, row.wager, row.box) == (found.bettor, found.wager, found.hand.box)
    ]
    return bool(on) and all(row.net == 0 for row in on)


def cost_of(findings: Iterable[Finding]) -> int:
    """Add up what findings speak against a reading; a payment gone wrong rarely comes alone."""
    cost = payments = 0
    for finding in findings:
        family = finding.code[:3]
        settled_before = family in NO_MATTER_WHERE and finding.wager not in RAISES
        if finding.severity is Severity.NOTE or settled_before:
            continue
        if finding.severity is Severity.REVIEW:
            cost += max(NOT_TO_BE_TOLD, round(BREACH * finding.confidence))
        elif family in OF_MONEY:
            payments += 1
        else:
            cost += MISDEAL if family == "DEA" else BREACH
    if payments:
        cost += BREACH + FURTHER_PAYMENT * min(payments - 1, MOST_FURTHER_PAYMENTS)
    return cost
