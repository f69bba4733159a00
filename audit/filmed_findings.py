"""What a run found in rounds that a camera saw, with the seconds at which their cards lie there."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from audit.films import FilmedCard, FilmedFinding
from audit.store import Store
from audit.store.store import OF_THE_RUN

NEAR = 4
"""Cards of a shoe that are shown round those of a finding which names no round."""
_CARDS_OF_EVIDENCE = re.compile(r"cards ([0-9 ]+)", re.ASCII)
_FINDINGS = f"""
    SELECT finding_id, code, severity, table_id, shoe, round, ts, expected, observed, evidence,
           timezone
    FROM standing {OF_THE_RUN} LEFT JOIN tables USING (table_id)
    ORDER BY severity = 'violation' DESC, severity = 'review' DESC, ts, finding_id
"""  # noqa: S608
_CARDS = f"""
    SELECT table_id, shoe, round, seq, card, hand, confidence, footage, at_s
    FROM cards {OF_THE_RUN}
    WHERE footage IS NOT NULL AND at_s IS NOT NULL ORDER BY table_id, shoe, seq
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class _Card:
    round: int | None
    seq: int
    card: str
    hand: str | None
    confidence: float | None
    footage: str
    at_s: float


@dataclass(frozen=True, slots=True)
class _Row:
    finding_id: str
    code: str
    severity: str
    table_id: str
    shoe: str
    round: int | None
    ts: datetime | None
    expected: str
    observed: str
    evidence: str
    timezone: str | None

    @property
    def at(self) -> datetime | None:
        """The time on the clock of the table."""
        if self.ts is None or self.timezone is None:
            return self.ts
        return self.ts.astimezone(ZoneInfo(self.timezone))

    @property
    def cards(self) -> frozenset[int]:
        named = _CARDS_OF_EVIDENCE.search(self.evidence)
        return frozenset(map(int, named[1].split())) if named else frozenset()


def filmed_findings(store: Store, run_id: str) -> tuple[FilmedFinding, ...]:
    """Give the findings of a run that stand and that can be shown, the gravest first."""
    with store.reading() as connection:
        found = connection.sql(_FINDINGS, params={"run": run_id}).pl()
        cards = connection.sql(_CARDS, params={"run": run_id}).pl()
    of_shoe: dict[tuple[str, str], list[_Card]] = defaultdict(list)
    for table, shoe, *rest in cards.iter_rows():
        of_shoe[table, shoe].append(_Card(*rest))
    rows = (_Row(*one) for one in found.iter_rows())
    shown = (_shown(row, of_shoe[row.table_id, row.shoe]) for row in rows)
    return tuple(finding for finding in shown if finding.cards)


def _shown(row: _Row, shoe: Sequence[_Card]) -> FilmedFinding:
    concerned = row.cards
    return FilmedFinding(
        finding_id=row.finding_id,
        code=row.code,
        severity=row.severity,
        table_id=row.table_id,
        shoe=row.shoe,
        round=row.round,
        ts=row.at,
        sentence=f"Required: {row.expected}. Seen: {row.observed}.",
        cards=tuple(
            FilmedCard(
                card.seq,
                card.card,
                card.hand or "",
                1.0 if card.confidence is None else card.confidence,
                card.footage,
                card.at_s,
                concerned=card.seq in concerned,
            )
            for card in _cards_of(row, shoe, concerned)
        ),
    )


def _cards_of(row: _Row, shoe: Iterable[_Card], concerned: frozenset[int]) -> list[_Card]:
    if row.round is not None:
        return [card for card in shoe if card.round == row.round]
    if not concerned:
        return []
    near = range(min(concerned) - NEAR, max(concerned) + NEAR + 1)
    return [card for card in shoe if card.seq in near]
