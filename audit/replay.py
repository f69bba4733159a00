"""A round replayed step by step: what came, what the rules then asked for, and under which clause.

It teaches, it does not judge: the findings beside the steps come from the judge.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from audit.cards import Card, Rank, Unread
from audit.examples import Example
from audit.findings import Finding
from audit.hands import BANKER, DEALER, PLAYER, Hand, Place
from audit.judge import judge_round
from audit.judging.baccarat import coup_as_laid, dues_on_coup, lawful_coup
from audit.judging.blackjack import ways_of
from audit.judging.blackjack_dues import BlackjackDues
from audit.judging.record import Record
from audit.observations import CallKind, CardSeen, Game
from audit.rounds import Round, rank_of
from audit.rulebook import Rulebook
from audit.rules import baccarat
from audit.rules.baccarat import INITIAL_CARDS, Coup
from audit.rules.blackjack import hands as blackjack
from audit.rules.blackjack.dealer import dealer_draws, dealer_is_complete
from audit.rules.blackjack.play import Play
from audit.settlement.dues import Due


class Beat(StrEnum):
    """What kind of step it is."""

    CARD = "card"
    RULE = "rule"
    DECISION = "decision"
    OUTCOME = "outcome"


@dataclass(frozen=True, slots=True)
class Step:
    beat: Beat
    hand: str
    card: Card | Unread | None
    text: str
    clause: str


@dataclass(frozen=True, slots=True)
class Settled:
    """One wager: what it was due and why, and what it was settled for."""

    wager: str
    due: Due | None
    net: Decimal | None

    @property
    def is_right(self) -> bool | None:
        if self.due is None or self.net is None:
            return None
        return self.net == self.due.net


@dataclass(frozen=True, slots=True)
class Replay:
    example: Example
    steps: tuple[Step, ...]
    settled: tuple[Settled, ...]
    findings: tuple[Finding, ...]


def replay(example: Example) -> Replay:
    """Replay one round by its rulebook."""
    round_, book, sheet = example.round, example.book, example.sheet
    findings = judge_round(round_, book, sheet)
    if round_.unread:
        return Replay(example, tuple(_only_cards(round_)), (), findings)
    record = Record(round_, book, sheet)
    if round_.game is Game.BACCARAT:
        coup = coup_as_laid(round_)
        steps = tuple(_baccarat_steps(round_, book, coup))
        dues = dues_on_coup(record, lawful_coup(record) or coup)
    else:
        play = next(ways_of(record))
        steps = tuple(_blackjack_steps(play, book))
        breached = BlackjackDues(record, play, frozenset(finding.code for finding in findings))
        dues = breached.as_laid() | breached.lawful()
    return Replay(example, steps, tuple(_settlements(round_, dues)), findings)


def _settlements(round_: Round, dues: dict[int, Due]) -> Iterator[Settled]:
    for place, wager in enumerate(round_.wagers):
        where = f" on {wager.hand or f'box{wager.box}'}" if wager.box is not None else ""
        name = f"{wager.kind}{where}, {wager.stake}"
        yield Settled(
            f"{wager.bettor}: {name}" if wager.bettor else name, dues.get(place), wager.net
        )


def _only_cards(round_: Round) -> Iterator[Step]:
    for seen in round_.cards:
        text = "could not be read" if isinstance(seen.card, Unread) else ""
        yield Step(Beat.CARD, str(seen.hand or "?"), seen.card, text, "")


# Baccarat


def _baccarat_steps(round_: Round, book: Rulebook, coup: Coup) -> Iterator[Step]:
    deal = book.clause_of("DEA001")
    table_of_play = book.clause_of("DRW001")
    held: dict[Hand, list[Rank]] = {PLAYER: [], BANKER: []}
    for place, seen in enumerate(round_.cards):
        if seen.hand not in held:
            yield Step(Beat.CARD, str(seen.hand or "?"), seen.card, "out of play", "")
            continue
        ranks = held[seen.hand]
        ranks.append(rank_of(seen))
        total = baccarat.point_total(ranks)
        named = f"total {total}"
        clause = deal if len(ranks) <= INITIAL_CARDS else table_of_play
        yield Step(Beat.CARD, str(seen.hand), seen.card, named, clause)
        dealt = Coup(tuple(held[PLAYER]), tuple(held[BANKER]))
        if place + 1 == len(round_.cards) or _next_decision_is_due(dealt):
            yield from _table_of_play(dealt, seen, table_of_play)
    if min(len(coup.player), len(coup.banker)) >= INITIAL_CARDS:
        player, banker = baccarat.point_total(coup.player), baccarat.point_total(coup.banker)
        result = baccarat.outcome(coup)
        tie = result is baccarat.Outcome.TIE
        text = f"player {player}, banker {banker}: {'a tie' if tie else f'{result} wins'}"
        clause = book.clause_of("PAY004") if tie else book.breaks["SRC001"][-1]
        yield Step(Beat.OUTCOME, "", None, text, clause)


def _next_decision_is_due(coup: Coup) -> bool:
    return min(len(coup.player), len(coup.banker)) >= INITIAL_CARDS


def _table_of_play(coup: Coup, last: CardSeen, clause: str) -> Iterator[Step]:
    """Say what the table of play asks for next."""
    if not _next_decision_is_due(coup):
        return
    player = baccarat.point_total(coup.player[:INITIAL_CARDS])
    banker = baccarat.point_total(coup.banker[:INITIAL_CARDS])
    both_have_two = len(coup.player) == len(coup.banker) == INITIAL_CARDS
    if both_have_two and baccarat.natural_ends_the_deal(coup):
        yield Step(Beat.RULE, "", None, "a natural: no more cards", clause)
        return
    if both_have_two:
        word = "draws" if baccarat.player_draws(coup) else "stands"
        yield Step(Beat.RULE, "player", None, f"{word} on {player}", clause)
    waits_for_player = both_have_two and baccarat.player_draws(coup)
    if len(coup.banker) == INITIAL_CARDS and not waits_for_player:
        word = "draws" if baccarat.banker_draws(coup) else "stands"
        third = coup.player[INITIAL_CARDS:]
        given = f" when the player's third card is {third[0]}" if third else ""
        yield Step(Beat.RULE, "banker", None, f"{word} on {banker}{given}", clause)


# Blackjack

DECISION_CODES = {
    CallKind.HIT: "DRW013",
    CallKind.STAND: "DRW019",
    CallKind.DOUBLE: "ACT004",
    CallKind.SPLIT: "ACT001",
    CallKind.SURRENDER: "ACT008",
    CallKind.EVEN_MONEY: "ACT010",
}


def _blackjack_steps(play: Play, book: Rulebook) -> Iterator[Step]:
    round_ = play.round
    for place, seen in enumerate(round_.cards):
        yield from _decisions(play, book, place)
        hand = seen.hand
        if hand is None or hand.place not in (Place.BOX, Place.DEALER):
            yield Step(Beat.CARD, str(hand or "?"), seen.card, "out of play", "")
            continue
        ranks = _held_with(play, hand, seen)
        second = len(ranks) == blackjack.INITIAL_CARDS
        after_split = second and place >= play.initial_deal_ends and hand != DEALER
        clause = _clause(hand, ranks, book, after_split=after_split)
        yield Step(Beat.CARD, str(hand), seen.card, _said(ranks, hand, play), clause)
    yield from _decisions(play, book, len(round_.cards))
    yield from _dealer_rule(play, book)


def _held_with(play: Play, hand: Hand, seen: CardSeen) -> list[Rank]:
    """Give what a hand held when this card came to it, which a split may have moved since."""
    if hand == DEALER:
        return [rank_of(card) for card in play.round.to_hand(DEALER) if card.seq <= seen.seq]
    stayed = play.cards[hand]
    if seen not in stayed:
        return [rank_of(stayed[0]), rank_of(seen)] if stayed else [rank_of(seen)]
    return [rank_of(card) for card in stayed if card.seq <= seen.seq]


def _said(ranks: list[Rank], hand: Hand, play: Play) -> str:
    total = blackjack.spoken_total(ranks)
    if blackjack.is_bust(ranks):
        return f"{total}: bust"
    split = play.is_split(hand)
    if len(ranks) == blackjack.INITIAL_CARDS and blackjack.is_ace_and_ten(ranks):
        return "21, no blackjack after a split" if split else "blackjack"
    return total


def _clause(hand: Hand, ranks: list[Rank], book: Rulebook, *, after_split: bool) -> str:
    if after_split:
        return book.clause_of("DRW018")
    if hand == DEALER:
        return book.clause_of("DEA010" if len(ranks) == 1 else "DRW010")
    if blackjack.is_bust(ranks):
        return book.clause_of("DRW014")
    return book.clause_of("DEA010" if len(ranks) <= blackjack.INITIAL_CARDS else "DRW013")


def _decisions(play: Play, book: Rulebook, after: int) -> Iterator[Step]:
    for call in play.round.calls:
        code = DECISION_CODES.get(call.kind)
        if code is None or call.after != after or call.hand is None:
            continue
        who = f" ({call.bettor})" if call.bettor else ""
        text = str(call.kind).replace("_", " ")
        text += f" into {call.value}" if call.kind is CallKind.SPLIT and call.value else ""
        yield Step(Beat.DECISION, str(call.hand), None, text + who, book.clause_of(code))


def _dealer_rule(play: Play, book: Rulebook) -> Iterator[Step]:
    if not play.dealer:
        return
    dealer = play.dealer_play()
    total = blackjack.spoken_total(play.dealer)
    if dealer_draws(play.dealer, dealer.required, book):
        text = f"draws on {total}"
    elif blackjack.is_bust(play.dealer):
        text = f"busts with {total}"
    elif blackjack.is_ace_and_ten(play.dealer):
        text = "has blackjack"
    elif dealer_draws(play.dealer, dealer.possible, book):
        text = f"is left on {total}"
    elif not dealer_is_complete(play.dealer, book):
        text = f"needs no further card on {total}: no wager depends on it"
    else:
        text = f"stands on {total}"
    code = "DRW012" if "depends" in text and book.judges("DRW012") else "DRW010"
    yield Step(Beat.OUTCOME, "dealer", None, text, book.clause_of(code))
