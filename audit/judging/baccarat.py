"""A round of baccarat: the deal, the draws, the outcome, the wagers."""

from dataclasses import replace
from decimal import Decimal

from audit.cards import Rank, Unread
from audit.findings import Evidence
from audit.hands import BANKER, PLAYER
from audit.judging.record import Record
from audit.judging.wagers import (
    Dues,
    counting_stakes,
    find_handed_back,
    hear_payments,
    hear_placing,
    hear_void,
)
from audit.money import NOTHING
from audit.observations import CallKind, CardSeen
from audit.rounds import Round, rank_of
from audit.rules.baccarat import (
    DEALING_RULES,
    DRAWING_RULES,
    INITIAL_CARDS,
    Coup,
    Dealt,
    announced_outcome_differs,
    deal_coup,
    outcome,
    point_total,
)
from audit.settlement.baccarat import due_on_coup
from audit.settlement.dues import Due
from audit.verdicts import Breach, Undetermined, Verdict


def judge_baccarat(record: Record) -> None:
    """Judge a round whose cards all have one reading."""
    if hear_void(record) or _was_never_dealt(record.round):
        return
    in_play = record.round.in_play()
    coup = coup_as_laid(record.round)
    verdicts = _verdicts_on_cards(record, in_play, coup)
    breached = {code: v for code, v in verdicts.items() if isinstance(v, Breach)}
    lawful = lawful_coup(record)
    put_right = any(record.was_put_right(code) for code in breached)
    find_handed_back(record, dues_on_coup(record, lawful))
    dues = Dues(
        lawful=dues_on_coup(record, lawful),
        as_laid=dues_on_coup(record, lawful if put_right else coup),
    )
    spoken_for = hear_placing(record)
    cost = hear_payments(record, dues, spoken_for, tuple(breached))
    evidence = Evidence(cards=tuple(seen.seq for seen in in_play))
    for code, verdict in verdicts.items():
        if code in breached:
            record.hear(
                code,
                _with_consequence(breached[code], lawful, cost),
                evidence=evidence,
                put_right=put_right,
            )
            cost = None if cost is None else NOTHING
        elif isinstance(verdict, Undetermined):
            record.hear(code, verdict, evidence=evidence)
    _hear_announcement(record, lawful if put_right else coup, lawful)


def _was_never_dealt(round_: Round) -> bool:
    """Tell a round of which no card was dealt and no wager kept."""
    return not round_.in_play() and not any(wager.net for wager in round_.wagers)


def _ranks(cards: tuple[CardSeen, ...]) -> tuple[Rank, ...]:
    return tuple(rank_of(seen) for seen in cards)


def coup_as_laid(round_: Round) -> Coup:
    return Coup(_ranks(round_.to_hand(PLAYER)), _ranks(round_.to_hand(BANKER)))


def _coup_in_order(round_: Round, in_play: tuple[CardSeen, ...]) -> Coup | None:
    """Put the cards back in order from the shoe's own sequence, as far as it is known."""
    known: list[Rank] = list(_ranks(in_play))
    for card in round_.around.following:
        if isinstance(card, Unread):
            break
        known.append(card.rank)
    return deal_coup(known)


def lawful_coup(record: Record) -> Coup | None:
    """Give the coup as the rules would have had it; None where the known cards do not reach."""
    in_play, coup = record.round.in_play(), coup_as_laid(record.round)
    verdicts = _verdicts_on_cards(record, in_play, coup).values()
    if any(isinstance(verdict, Breach) for verdict in verdicts):
        return _coup_in_order(record.round, in_play)
    return coup


def _verdicts_on_cards(
    record: Record, in_play: tuple[CardSeen, ...], coup: Coup
) -> dict[str, Verdict]:
    dealt = Dealt(tuple(seen.hand for seen in in_play))
    verdicts = {code: rule(dealt, record.book) for code, rule in DEALING_RULES.items()}
    out_of_order = any(isinstance(verdict, Breach | Undetermined) for verdict in verdicts.values())
    if not out_of_order:
        verdicts |= {code: rule(coup, record.book) for code, rule in DRAWING_RULES.items()}
    return verdicts


def dues_on_coup(record: Record, coup: Coup | None) -> dict[int, Due]:
    if coup is None or min(len(coup.player), len(coup.banker)) < INITIAL_CARDS:
        return {}
    counting = counting_stakes(record)
    return {
        place: due_on_coup(wager, counting[place], coup, record.book, record.sheet.rounding)
        for place, wager in enumerate(record.round.wagers)
        if wager.kind in record.book.wagers
    }


def _with_consequence(breach: Breach, lawful: Coup | None, cost: Decimal | None) -> Breach:
    if lawful is None:
        return breach
    player, banker = point_total(lawful.player), point_total(lawful.banker)
    result = f"player {player}, banker {banker}: {outcome(lawful)}"
    return replace(breach, expected=f"{breach.expected}; in order it is {result}", exposure=cost)


def _hear_announcement(record: Record, coup: Coup | None, lawful: Coup | None) -> None:
    if coup is None or min(len(coup.player), len(coup.banker)) < INITIAL_CARDS:
        return
    for place, call in enumerate(record.round.calls):
        if call.kind is not CallKind.OUTCOME:
            continue
        if lawful is not None and call.value == outcome(lawful):
            continue
        verdict = announced_outcome_differs(call.value, coup, record.book)
        record.hear("SRC001", verdict, evidence=Evidence(calls=(place,)))
