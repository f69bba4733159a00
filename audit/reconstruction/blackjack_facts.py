"""What ledger and calls tell of a round of blackjack before its cards are placed."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from audit.cards import Card, Rank, parse_card
from audit.hands import Hand, Place, parse_hand
from audit.observations import CallKind, WagerKind
from audit.reconstruction.material import RoundRows
from audit.rules.blackjack.play import ABSENT
from audit.shoe_rows import CallRow, CardRow, WagerRow
from audit.table_sheet import TableSheet

DECIDED = frozenset({CallKind.HIT, CallKind.STAND, CallKind.DOUBLE, CallKind.SPLIT})
DRAWS = frozenset({CallKind.HIT, CallKind.DOUBLE})
FOLDS = frozenset({CallKind.SURRENDER, CallKind.EVEN_MONEY})
OF_HANDS = frozenset({WagerKind.MAIN, WagerKind.SPLIT, WagerKind.DOUBLE})
AFTER_ALL_BOXES = 99
AGAINST_A_CALL = 300
WITHOUT_A_CALL = 60


@dataclass(frozen=True, slots=True)
class Stake:
    """A wager on a hand of a box; `formed` is the hand where the ledger names it."""

    kind: WagerKind
    bettor: str
    stake: int
    net: int | None
    formed: int | None


@dataclass(frozen=True, slots=True)
class BoxFacts:
    """What is known of one box: its wagers, how often it was split, which hands were doubled."""

    box: int
    stakes: tuple[Stake, ...]
    splits: int
    doubled: frozenset[int]
    loose_doubles: int
    """Doubles on a hand that nobody names."""
    folds_heard: frozenset[str]
    folds_were_logged: bool
    nobody_decides: bool
    may_be_refused: bool
    """Every wager on it was handed back: perhaps none was ever taken."""
    unit: int
    """What the table rounds to, in cents."""

    @property
    def mains(self) -> tuple[Stake, ...]:
        return tuple(stake for stake in self.stakes if stake.kind is WagerKind.MAIN)

    @property
    def is_raised(self) -> bool:
        return any(stake.kind is not WagerKind.MAIN for stake in self.stakes)

    def folded(self, stake: Stake) -> bool:
        """Tell whether a bettor gave up half: heard, or else seen in the ledger."""
        if "" in self.folds_heard or stake.bettor in self.folds_heard:
            return True
        raised = any(
            other.bettor == stake.bettor and other.kind is not WagerKind.MAIN
            for other in self.stakes
        )
        if raised or self.folds_were_logged:
            return False
        if stake.net is None or not -stake.stake < stake.net < 0:
            return False
        from_half = abs(2 * stake.net + stake.stake)
        return from_half < 2 * self.unit or from_half <= stake.stake // 50

    @property
    def everyone_folded(self) -> bool:
        return bool(self.mains) and all(self.folded(stake) for stake in self.mains)

    @property
    def may_all_have_folded(self) -> bool:
        if self.folds_were_logged or self.is_raised:
            return False
        return all(stake.net is None or self.folded(stake) for stake in self.mains)


@dataclass(frozen=True, slots=True)
class CallFacts:
    """Which hand a card must have gone to, by what was announced around it."""

    expected: Mapping[int, Hand]
    least_box: tuple[int, ...]
    greatest_box: tuple[int, ...]
    stood: Mapping[Hand, int]
    draws_were_logged: bool

    def against(self, place: int, hand: Hand, *, unasked: bool) -> int:
        """Say what speaks against a card, by its place among those in play, in a hand."""
        cost = 0
        wanted = self.expected.get(place)
        if wanted is not None and wanted != hand:
            cost += AGAINST_A_CALL
        if wanted is None and unasked and self.draws_were_logged:
            cost += WITHOUT_A_CALL
        box = hand.box if hand.place is Place.BOX else AFTER_ALL_BOXES
        if not self.least_box[place] <= box <= self.greatest_box[place]:
            cost += AGAINST_A_CALL
        if place >= self.stood.get(hand, place + 1):
            cost += AGAINST_A_CALL
        return cost


@dataclass(frozen=True, slots=True)
class Facts:
    """All that is known of a round: its cards in play, the boxes with a wager, the calls."""

    ranks: tuple[Rank | None, ...]
    known: tuple[Hand | None, ...]
    boxes: tuple[BoxFacts, ...]
    calls: CallFacts
    insured: bool

    def without_settlements(self) -> "Facts":
        """Forget what the ledger paid, so that the rules of play alone decide."""
        return replace(
            self,
            boxes=tuple(
                replace(box, stakes=tuple(replace(stake, net=None) for stake in box.stakes))
                for box in self.boxes
            ),
        )

    def box(self, number: int) -> BoxFacts:
        for facts in self.boxes:
            if facts.box == number:
                return facts
        logged = any(facts.folds_were_logged for facts in self.boxes)
        return BoxFacts(
            box=number,
            stakes=(),
            splits=0,
            doubled=frozenset(),
            loose_doubles=0,
            folds_heard=frozenset(),
            folds_were_logged=logged,
            nobody_decides=False,
            may_be_refused=False,
            unit=1,
        )


def rank_of_row(row: CardRow) -> Rank | None:
    card = parse_card(row.card)
    return card.rank if isinstance(card, Card) else None


def facts_of(rows: RoundRows, sheet: TableSheet) -> Facts:
    """Gather what is known of a round."""
    unit = int(100 * sheet.rounding)
    in_play = rows.in_play
    known = tuple(parse_hand(row.hand) if row.hand else None for row in in_play)
    numbers = {row.box for row in rows.wagers if row.wager == WagerKind.MAIN and row.box}
    if not numbers:
        numbers = {hand.box for hand in known if hand is not None and hand.box}
        numbers |= {hand.box for call in rows.calls if (hand := _hand(call)) and hand.box}
    facts = Facts(
        ranks=tuple(rank_of_row(row) for row in in_play),
        known=known,
        boxes=tuple(_box_facts(number, rows, known, unit) for number in sorted(numbers)),
        calls=_call_facts(rows, in_play),
        insured=any(row.wager == WagerKind.INSURANCE and row.net != 0 for row in rows.wagers),
    )
    all_handed_back = bool(rows.wagers) and all(row.net == 0 for row in rows.wagers)
    return facts.without_settlements() if all_handed_back else facts


def _hand(call: CallRow) -> Hand | None:
    return parse_hand(call.hand) if call.hand else None


def _box_facts(number: int, rows: RoundRows, known: Iterable[Hand | None], unit: int) -> BoxFacts:
    on_box = [row for row in rows.wagers if _box_of(row) == number]
    stakes = tuple(
        Stake(WagerKind(row.wager), row.bettor, row.stake, row.net, _formed(row))
        for row in on_box
        if row.wager in OF_HANDS
    )
    calls = [(call, hand) for call in rows.calls if (hand := _hand(call)) and hand.box == number]
    splits = max(
        _most_of_a_bettor(stakes, WagerKind.SPLIT),
        max((stake.formed or 1 for stake in stakes), default=1) - 1,
        sum(call.call == CallKind.SPLIT for call, _ in calls),
        max((hand.formed for hand in known if hand and hand.box == number), default=1) - 1,
    )
    doubled = {hand.formed for call, hand in calls if call.call == CallKind.DOUBLE}
    doubles = [stake for stake in stakes if stake.kind is WagerKind.DOUBLE]
    doubled |= {stake.formed for stake in doubles if stake.formed is not None}
    loose = tuple(stake for stake in doubles if stake.formed is None)
    if loose and not splits:
        doubled.add(1)
    count = 0 if not splits or doubled else _most_of_a_bettor(loose, WagerKind.DOUBLE)
    absent = [c for c, _ in calls if c.call == CallKind.CONTROL and c.value == ABSENT]
    return BoxFacts(
        box=number,
        stakes=stakes,
        splits=splits,
        doubled=frozenset(doubled),
        loose_doubles=count,
        folds_heard=frozenset(c.bettor for c, _ in calls if c.call == CallKind.SURRENDER),
        folds_were_logged=any(call.call in FOLDS for call in rows.calls),
        nobody_decides=bool(absent),
        may_be_refused=bool(stakes) and all(stake.net == 0 for stake in stakes),
        unit=unit,
    )


def _box_of(row: WagerRow) -> int | None:
    if row.box is not None:
        return row.box
    return parse_hand(row.hand).box if row.hand else None


def _formed(row: WagerRow) -> int | None:
    if row.wager == WagerKind.MAIN:
        return 1
    return parse_hand(row.hand).formed if row.hand else None


def _most_of_a_bettor(stakes: Iterable[Stake], kind: WagerKind) -> int:
    counted = Counter(stake.bettor for stake in stakes if stake.kind is kind)
    return max(counted.values(), default=0)


def _call_facts(rows: RoundRows, in_play: tuple[CardRow, ...]) -> CallFacts:
    """Turn the moments of calls into places among the cards in play."""
    dealt = len(in_play)
    expected: dict[int, Hand] = {}
    least, greatest = [0] * dealt, [AFTER_ALL_BOXES] * dealt
    stood: dict[Hand, int] = {}
    draws_were_logged = False
    for call in sorted(rows.calls, key=lambda row: row.ts):
        hand = _hand(call)
        if hand is None or hand.place is not Place.BOX or call.call not in DECIDED:
            continue
        at = sum(row.ts <= call.ts for row in in_play)
        draws_were_logged = draws_were_logged or call.call in DRAWS
        if call.call in DRAWS or call.call == CallKind.SPLIT:
            expected[at] = hand
        if call.call == CallKind.STAND:
            stood[hand] = at
        for place in range(at, dealt):
            least[place] = max(least[place], hand.box)
        for place in range(at):
            greatest[place] = min(greatest[place], hand.box)
    return CallFacts(expected, tuple(least), tuple(greatest), stood, draws_were_logged)
