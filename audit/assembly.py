"""From the rows of the sources to rounds: what belongs to which round, and when in it.

Times are turned into places here: a call is made after so many cards of its round, a wager is late
or not. The rules see no clock.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from audit.cards import Card, parse_card, parse_known_card
from audit.errors import BadInput
from audit.hands import Hand, Place, parse_hand
from audit.money import CENT
from audit.observations import Call, CallKind, CardSeen, Game, Wager, WagerKind
from audit.rounds import Circumstances, Round, RoundKey
from audit.shoe_rows import CallRow, CardRow, ShoeRows, WagerRow
from audit.table_sheet import TableSheet

CARDS_AHEAD = 12
"""How many of the following cards a round is told of: enough to finish any dealer's hand."""
ASIDE = (str(Place.BURN), str(Place.DISCARD))
"""Where cards lie that are in no hand."""


@dataclass
class TableHistory:
    """What earlier rounds of a table leave behind for later ones."""

    dealer: str | None = None
    let_through: set[str] = field(default_factory=set)


def rounds_of(
    rows: ShoeRows,
    game: Game,
    sheet: TableSheet,
    history: TableHistory,
    *,
    only: Container[int] | None = None,
    impossible: dict[int, str] | None = None,
) -> Iterator[Round]:
    """Put the rows of a shoe together as rounds, in the order in which they were played.

    `only` some of them can be asked for. What the others leave behind for these is then not
    noted, so they must be without a wager under the minimum. A round that cannot be one is noted
    among the `impossible` with why, if there is where to note it.
    """
    cards = _by_round(rows.cards)
    wagers: dict[int, list[WagerRow]] = defaultdict(list)
    for wager in rows.wagers:
        if wager.round is not None:
            wagers[wager.round].append(wager)
    calls: dict[int, list[CallRow]] = defaultdict(list)
    at_large: list[CallRow] = []
    for call in sorted(rows.calls, key=lambda row: row.ts):
        if call.round is None:
            at_large.append(call)
        else:
            calls[call.round].append(call)
    numbers = sorted(cards.keys() | wagers.keys())
    shoe = sorted(rows.cards, key=lambda row: row.seq)
    seqs = [row.seq for row in shoe]
    for place, number in enumerate(numbers):
        if only is not None and number not in only:
            continue
        dealt = sorted(cards.get(number, ()), key=lambda row: row.seq)
        times = [row.ts for row in dealt]
        said = sorted((*calls[number], *_said_within(at_large, times)), key=lambda row: row.ts)
        history.dealer = _dealer_at(history.dealer, at_large, said, times)
        last = dealt[-1].seq if dealt else 0
        following = shoe[bisect_right(seqs, last) : bisect_right(seqs, last) + CARDS_AHEAD]
        around = Circumstances(
            following=tuple(parse_card(row.card) for row in following if row.hand not in ASIDE),
            next_round_began=place + 1 < len(numbers),
            first_of_shoe=place == 0,
            let_through_under_minimum=frozenset(history.let_through),
            calls_kept=bool(rows.calls),
        )
        closed = _bets_closed(said)
        placed = tuple(_wager(row, closed, dealt, times) for row in wagers.get(number, ()))
        try:
            played = Round(
                game=game,
                cards=tuple(_seen(row) for row in dealt),
                wagers=placed,
                calls=tuple(_call(row, times) for row in said),
                around=around,
                key=RoundKey(rows.table_id, rows.shoe, number),
                ts=times[0] if times else None,
                dealer=history.dealer,
            )
        except BadInput as problem:
            if impossible is None:
                raise
            impossible[number] = str(problem)
            continue
        yield played
        history.let_through |= _under_minimum(placed, sheet)


def dealt_as(played: Round, rows: Iterable[CardRow]) -> Round:
    """Give the same round with its cards in other hands."""
    cards = sorted(rows, key=lambda row: row.seq)
    return replace(played, cards=tuple(_seen(row) for row in cards))


def _by_round(rows: Sequence[CardRow]) -> dict[int, list[CardRow]]:
    """Group cards by round; those without a number belong to the first, or behind all, the last."""
    grouped: dict[int, list[CardRow]] = defaultdict(list)
    numbered = [(row.seq, row.round) for row in rows if row.round is not None]
    first = min((number for _, number in numbered), default=1)
    end, last = max(numbered, default=(0, 1))
    for row in rows:
        unnumbered = last if row.seq > end else first
        grouped[unnumbered if row.round is None else row.round].append(row)
    return dict(grouped)


def _seen(row: CardRow) -> CardSeen:
    return CardSeen(
        seq=row.seq,
        card=parse_card(row.card),
        hand=parse_hand(row.hand) if row.hand else None,
        confidence=row.confidence,
        alternatives=_alternatives(row.alternatives),
        ts=row.ts,
        at_s=row.at_s,
        footage=row.footage,
        doubt=row.doubt,
    )


def _alternatives(text: str) -> tuple[tuple[Card, float], ...]:
    if not text:
        return ()
    pairs = (reading.rpartition(":") for reading in text.split())
    return tuple((parse_known_card(card), float(share)) for card, _, share in pairs)


def _after(ts: datetime, times: Sequence[datetime]) -> int:
    """Count the cards that had been dealt at a moment."""
    return bisect_right(times, ts)


def _call(row: CallRow, times: Sequence[datetime]) -> Call:
    return Call(
        kind=CallKind(row.call),
        after=_after(row.ts, times),
        hand=parse_hand(row.hand) if row.hand else None,
        bettor=row.bettor,
        value=row.value,
    )


def _wager(
    row: WagerRow, closed: datetime | None, dealt: Sequence[CardRow], times: Sequence[datetime]
) -> Wager:
    hand = parse_hand(row.hand) if row.hand else None
    box = row.box if row.box is not None or hand is None else hand.box or None
    return Wager(
        bettor=row.bettor,
        kind=WagerKind(row.wager),
        stake=row.stake * CENT,
        net=None if row.net is None else row.net * CENT,
        box=box,
        hand=_stands_on(row.wager, hand),
        late=_is_late(row, closed, dealt),
        on_behalf_of=row.on_behalf_of,
        settled_after=None if row.settled_at is None else _after(row.settled_at, times),
    )


def _stands_on(kind: str, hand: Hand | None) -> Hand | None:
    """Name the hand of a box that a wager stands on; a split wager only ever on one it formed."""
    if hand is None or hand.place is not Place.BOX:
        return None
    return None if kind == WagerKind.SPLIT and hand.formed == 1 else hand


def _bets_closed(said: Iterable[CallRow]) -> datetime | None:
    """Give the moment at which bets were last closed, if they were heard to be."""
    closed = [call.ts for call in said if call.call == CallKind.BETS_CLOSED]
    return closed[-1] if closed else None


def _is_late(row: WagerRow, closed: datetime | None, dealt: Sequence[CardRow]) -> bool:
    """Tell a wager placed after bets were closed; an insurance, after a further card was dealt."""
    if row.placed_at is None or row.wager in (WagerKind.SPLIT, WagerKind.DOUBLE):
        return False
    if row.wager == WagerKind.INSURANCE:
        boxes = {card.hand for card in dealt if card.hand and card.hand.startswith("box")}
        first_deal = 2 * len({name.partition(".")[0] for name in boxes}) + 1
        in_play = [card.ts for card in dealt if card.hand not in ASIDE]
        return len(in_play) > first_deal and row.placed_at > in_play[first_deal]
    return closed is not None and row.placed_at > closed


def _said_within(at_large: Iterable[CallRow], times: Sequence[datetime]) -> list[CallRow]:
    """Find the calls that name no round but were made while this one was dealt."""
    if not times:
        return []
    return [call for call in at_large if times[0] <= call.ts <= times[-1]]


def _dealer_at(
    before: str | None,
    at_large: Iterable[CallRow],
    said: Iterable[CallRow],
    times: Sequence[datetime],
) -> str | None:
    dealer = before
    for call in (*at_large, *said):
        if call.call == CallKind.DEALER_IN and (not times or call.ts <= times[0]):
            dealer = call.value or dealer
    return dealer


def _under_minimum(wagers: Iterable[Wager], sheet: TableSheet) -> set[str]:
    """Name the bettors whose wager under the minimum was settled in this round."""
    return {
        wager.bettor
        for wager in wagers
        if (limit := sheet.limits.get(wager.kind)) is not None
        and limit.min is not None
        and wager.stake < limit.min
        and wager.net
    }
