"""The judge: a round and its rulebook in, findings out.

Rules only ever see cards that have been read. A card that was not, or not surely, is tried in each
of its readings, and a finding is as likely as the readings under which it holds.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import prod

from audit.cards import DECK, SUITS, Card, Rank, Unread
from audit.errors import BadInput
from audit.findings import (
    NOBODY_SAID,
    VIOLATION_FROM,
    Evidence,
    Finding,
    Severity,
    left_to_a_person,
    reasons_for_doubt,
)
from audit.judging.baccarat import judge_baccarat
from audit.judging.blackjack import judge_blackjack
from audit.judging.record import Record
from audit.observations import CallKind, CardSeen, Game
from audit.rounds import Round
from audit.rulebook import Rulebook
from audit.rules.shoe import (
    Copies,
    Decks,
    Unreadable,
    too_many_copies,
    too_many_unread_cards,
    wrong_number_of_decks,
)
from audit.table_sheet import TableSheet
from audit.verdicts import Breach

SURE_FROM = 0.98
"""From this confidence on, a card is taken as read, and its doubt only multiplied in."""
LEAST_LIKELY = 0.005
"""What holds only if a card was read worse than this likely is not worth a person's look."""
BOX_SKIPPED, STOOD_BELOW_TWELVE = "DEA011", "ACT011"
OF_THE_SHOE = "SHO"
"""What is wrong with the shoe stays wrong, whatever else of a round is not known."""
MOST_READINGS = 2197
"""Three unknown cards of thirteen ranks: more unknown cards than that leave a round unjudged."""


def judge_round(
    round_: Round, book: Rulebook, sheet: TableSheet, *, most_readings: int = MOST_READINGS
) -> tuple[Finding, ...]:
    """Judge one round by one rulebook at one table, in at most so many readings of its cards."""
    if round_.game is not book.game:
        raise BadInput(f"{book.id} is a rulebook of {book.game}, the round is one of {round_.game}")
    doubtful = [
        place
        for place, seen in enumerate(round_.cards)
        if _is_doubtful(seen) and seen in round_.in_play()
    ]
    if any(round_.called(CallKind.VOID)):
        doubtful = []
    if not doubtful:
        return tuple(_with_doubt(finding, round_) for finding in _judge_known(round_, book, sheet))
    candidates = [_candidates(round_, place, sheet.decks) for place in doubtful]
    if prod(len(readings) for readings in candidates) > most_readings:
        return tuple(_unreadable(round_, book, sheet, doubtful))
    held: dict[object, tuple[float, float, Finding]] = {}
    for reading in product(*candidates):
        mass = prod(probability for _, probability in reading)
        cards = {place: card for place, (card, _) in zip(doubtful, reading, strict=True)}
        for finding in _judge_known(round_.read_as(cards), book, sheet):
            before, heaviest, shown = held.get(finding.what, (0.0, 0.0, finding))
            if mass > heaviest:
                heaviest, shown = mass, finding
            held[finding.what] = (before + mass, heaviest, shown)
    return tuple(
        _with_doubt(replace(finding, confidence=mass * finding.confidence), round_)
        for mass, _, finding in held.values()
        if mass >= LEAST_LIKELY
    )


def _judge_known(round_: Round, book: Rulebook, sheet: TableSheet) -> list[Finding]:
    record = Record(round_, book, sheet)
    _hear_decks(record)
    _hear_copies(record)
    if round_.game is Game.BACCARAT:
        judge_baccarat(record)
    else:
        judge_blackjack(record)
    return record.findings


def _hear_decks(record: Record) -> None:
    if record.round.around.first_of_shoe:
        record.hear("SHO004", wrong_number_of_decks(Decks(record.sheet.decks), record.book))


def _hear_copies(record: Record) -> None:
    read = [seen for seen in record.round.cards if isinstance(seen.card, Card)]
    seen = Counter(str(card.card) for card in read)
    for card, copies in seen.items():
        verdict = too_many_copies(Copies(card, copies, record.sheet.decks), record.book)
        if isinstance(verdict, Breach):
            places = tuple(s.seq for s in record.round.cards if str(s.card) == card)
            record.hear("SHO001", verdict, evidence=Evidence(cards=places))


def _is_doubtful(seen: CardSeen) -> bool:
    return isinstance(seen.card, Unread) or seen.confidence < SURE_FROM


def _candidates(round_: Round, place: int, decks: int) -> list[tuple[Card, float]]:
    """What a doubtful card may have been, with probabilities that add up to one."""
    seen = round_.cards[place]
    named = dict(seen.alternatives)
    if isinstance(seen.card, Card):
        named[seen.card] = seen.confidence
    left = max(0.0, 1.0 - sum(named.values()))
    weights = {card: weight for card, weight in named.items() if weight > 0}
    if left > 1e-9 or not weights:
        for card, share in _any_rank(round_, decks):
            if card.rank not in {known.rank for known in named}:
                weights[card] = weights.get(card, 0.0) + left * share
    whole = sum(weights.values())
    if not whole:
        return [(card, 1 / len(Rank)) for card, _ in _any_rank(round_, decks)]
    return [(card, weight / whole) for card, weight in weights.items()]


def _any_rank(round_: Round, decks: int) -> Iterator[tuple[Card, float]]:
    """Each rank once, as likely as the cards of the shoe that this round does not show."""
    shown = Counter(seen.card for seen in round_.cards if isinstance(seen.card, Card))
    left = dict.fromkeys(Rank, 0)
    for card in DECK:
        left[card.rank] += max(0, decks - shown[card])
    whole = sum(left.values())
    for rank, copies in left.items():
        suit = min(SUITS, key=lambda suit: shown[Card(rank, suit)])
        yield Card(rank, suit), copies / whole if whole else 0.0


def _with_doubt(finding: Finding, round_: Round) -> Finding:
    """Multiply in the doubt of the cards that it rests on, and call it what it then is."""
    resting = set(finding.evidence.cards)
    doubt = prod(
        seen.confidence
        for seen in round_.cards
        if seen.confidence >= SURE_FROM and (not resting or seen.seq in resting)
    )
    confidence = min(1.0, finding.confidence * doubt)
    if not round_.around.calls_kept and _a_call_would_explain(finding, round_):
        confidence = min(confidence, NOBODY_SAID)
    severity = finding.severity
    if severity is Severity.VIOLATION and confidence < VIOLATION_FROM:
        severity = Severity.REVIEW
    finding = replace(finding, confidence=confidence, severity=severity)
    why = _why_in_doubt(round_)
    in_doubt = why and not finding.code.startswith(OF_THE_SHOE)
    return left_to_a_person(finding, why) if in_doubt else finding


def _why_in_doubt(round_: Round) -> str:
    """Say what was said of a round's cards against relying on it."""
    return reasons_for_doubt(seen.doubt for seen in round_.cards)


def _unreadable(
    round_: Round, book: Rulebook, sheet: TableSheet, doubtful: list[int]
) -> list[Finding]:
    record = Record(round_, book, sheet)
    _hear_decks(record)
    places = tuple(round_.cards[place].seq for place in doubtful)
    read = sum(isinstance(round_.cards[place].card, Card) for place in doubtful)
    verdict = too_many_unread_cards(Unreadable(len(places), read, _why_in_doubt(round_)), book)
    record.hear("SRC002", verdict, evidence=Evidence(cards=places))
    return record.findings


def _a_call_would_explain(finding: Finding, round_: Round) -> bool:
    """Tell whether a void round, a refused wager or a surrender would explain what was found.

    Of a void and a refusal the ledger shows no more than that nothing was paid or taken; of a
    surrender nothing where it has no settlements or where the round was void besides.
    """
    wagers = round_.wagers
    if finding.code == STOOD_BELOW_TWELVE and finding.hand:
        return any(not wager.net for wager in wagers if wager.box == finding.hand.box)
    if wagers and all(wager.net == 0 for wager in wagers):
        return not finding.code.startswith("SHO")
    if finding.code == BOX_SKIPPED:
        dealt_in = {seen.hand.box for seen in round_.cards if seen.hand}
        return all(wager.net == 0 for wager in wagers if wager.box and wager.box not in dealt_in)
    what = (finding.bettor, finding.wager)
    return any(wager.net == 0 for wager in wagers if (wager.bettor, wager.kind) == what)
