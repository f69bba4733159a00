"""A stored round as JSON, for other programs. Money and cards are text, moments have an offset.

| key | what it holds |
|---|---|
| `round` | `key` `table_id` `shoe` `round` `ts` `dealer` `rulebook` `stored_rulebook` `judged` `unjudged` `reconstructed` `outcome` `line` |
| `cards` | the cards of the round: `seq` `card` `hand` `confidence` `ts` `at_s` `footage` |
| `steps` | the replay: `beat` (card, rule, decision, outcome) `hand` `card` `text` `clause` |
| `wagers` | `place` `bettor` `wager` `box` `hand` `stake` `net` `due` `fate` `why` `clause` `right`; without `due` nobody can tell what it was due |
| `calls` | `place` `call` `after` (so many cards) `hand` `bettor` `value` |
| `findings` | as stored: `finding_id` `code` `severity` `rulebook` `clause` `hand` `bettor` `wager` `expected` `observed` `exposure` `confidence` `evidence` `withdrawn`; `stands`; `found_today`; `reviews` (`reviewer` `at_ts` `verdict` `reason`) |
| `found_today_only` | what the present version finds and is not stored: `code` `severity` `clause` `hand` `bettor` `wager` `expected` `observed` `exposure` `confidence` |
| `trouble` | why the round cannot be replayed; empty: it was |
| `shoe` | `before` and `after`, cards with `seq` `card` `hand` `round`; `previous` and `next`, rounds with `round` `line` `outcome` `findings` |
"""  # noqa: E501 - rows of a table

import json
from collections.abc import Iterable
from datetime import datetime, tzinfo
from decimal import Decimal

from audit.findings import Finding
from audit.observations import CardSeen
from audit.replay import Replay
from audit.rounds import Round
from audit.stored_pages import Judgement, line_of
from audit.stored_rounds import CardOfShoe, Neighbour, StoredFinding, StoredRound

_Json = dict[str, object]


def stored_round_json(stored: StoredRound, judgement: Judgement) -> str:
    """Write a stored round as one JSON object; letters beyond ASCII are escaped."""
    played = judgement.played
    content = {
        "round": _round(stored),
        "cards": [_card(seen, stored.zone) for seen in stored.cards],
        "steps": _steps(played) if played else [],
        "wagers": _wagers(stored.round, played) if stored.round else [],
        "calls": _calls(stored.round) if stored.round else [],
        "findings": [_finding(f, judgement, stored.zone) for f in stored.findings],
        "found_today_only": [_fresh(finding) for finding in judgement.only_fresh],
        "trouble": judgement.trouble,
        "shoe": {
            "before": _cards_of_shoe(stored.before),
            "after": _cards_of_shoe(stored.after),
            "previous": _neighbour(stored.previous),
            "next": _neighbour(stored.next),
        },
    }
    return json.dumps(content, indent=2)


def _moment(moment: datetime | None, zone: tzinfo) -> str | None:
    return None if moment is None else moment.astimezone(zone).isoformat()


def _money(amount: Decimal | None) -> str | None:
    return None if amount is None else f"{amount:.2f}"


def _round(stored: StoredRound) -> _Json:
    row = stored.row
    return {
        "key": str(stored.key),
        "table_id": stored.key.table_id,
        "shoe": stored.key.shoe,
        "round": stored.key.number,
        "ts": _moment(row.ts, stored.zone),
        "dealer": row.dealer or None,
        "rulebook": stored.book.id if stored.book else None,
        "stored_rulebook": row.rulebook or None,
        "judged": row.judged,
        "unjudged": row.unjudged or None,
        "reconstructed": row.reconstructed,
        "outcome": row.outcome or None,
        "line": line_of(stored) or None,
    }


def _card(seen: CardSeen, zone: tzinfo) -> _Json:
    return {
        "seq": seen.seq,
        "card": str(seen.card),
        "hand": str(seen.hand) if seen.hand else None,
        "confidence": seen.confidence,
        "ts": _moment(seen.ts, zone),
        "at_s": seen.at_s,
        "footage": seen.footage,
        "doubt": seen.doubt or None,
    }


def _steps(played: Replay) -> list[_Json]:
    return [
        {
            "beat": str(step.beat),
            "hand": step.hand,
            "card": None if step.card is None else str(step.card),
            "text": step.text,
            "clause": step.clause,
        }
        for step in played.steps
    ]


def _wagers(round_: Round, played: Replay | None) -> list[_Json]:
    settled = played.settled if played else ()
    rows: list[_Json] = []
    for place, wager in enumerate(round_.wagers):
        told = settled[place] if place < len(settled) else None
        due = told.due if told else None
        rows.append(
            {
                "place": place,
                "bettor": wager.bettor,
                "wager": str(wager.kind),
                "box": wager.box,
                "hand": str(wager.hand) if wager.hand else None,
                "stake": _money(wager.stake),
                "net": _money(wager.net),
                "due": _money(due.net) if due else None,
                "fate": str(due.fate) if due else None,
                "why": due.why if due else None,
                "clause": due.clause if due else None,
                "right": told.is_right if told else None,
            }
        )
    return rows


def _calls(round_: Round) -> list[_Json]:
    return [
        {
            "place": place,
            "call": str(call.kind),
            "after": call.after,
            "hand": str(call.hand) if call.hand else None,
            "bettor": call.bettor,
            "value": call.value,
        }
        for place, call in enumerate(round_.calls)
    ]


def _finding(finding: StoredFinding, judgement: Judgement, zone: tzinfo) -> _Json:
    return {
        "finding_id": finding.finding_id,
        "code": finding.code,
        "severity": finding.severity,
        "rulebook": finding.rulebook,
        "clause": finding.clause,
        "hand": finding.hand or None,
        "bettor": finding.bettor or None,
        "wager": finding.wager or None,
        "expected": finding.expected,
        "observed": finding.observed,
        "exposure": _money(finding.exposure),
        "confidence": finding.confidence,
        "evidence": finding.evidence,
        "withdrawn": finding.withdrawn,
        "stands": finding.stands,
        "found_today": finding.finding_id not in judgement.only_stored,
        "reviews": [
            {
                "reviewer": review.reviewer,
                "at_ts": _moment(review.at_ts, zone),
                "verdict": review.verdict,
                "reason": review.reason,
            }
            for review in finding.reviews
        ],
    }


def _fresh(finding: Finding) -> _Json:
    return {
        "code": finding.code,
        "severity": str(finding.severity),
        "clause": finding.clause,
        "hand": str(finding.hand) if finding.hand else None,
        "bettor": finding.bettor or None,
        "wager": str(finding.wager) if finding.wager else None,
        "expected": finding.expected,
        "observed": finding.observed,
        "exposure": _money(finding.exposure),
        "confidence": finding.confidence,
    }


def _cards_of_shoe(cards: Iterable[CardOfShoe]) -> list[_Json]:
    return [
        {"seq": card.seq, "card": str(card.card), "hand": card.hand or None, "round": card.round}
        for card in cards
    ]


def _neighbour(neighbour: Neighbour | None) -> _Json | None:
    if neighbour is None:
        return None
    return {
        "round": neighbour.number,
        "line": neighbour.line,
        "outcome": neighbour.outcome or None,
        "findings": neighbour.standing,
    }
