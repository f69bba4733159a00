"""Who stands on which box, and with what: main wagers, side wagers, and those that are refused."""

from dataclasses import dataclass, field
from decimal import Decimal
from random import Random

from audit.cards import Card, Rank
from audit.hands import Hand, box_hand
from audit.money import NOTHING
from audit.observations import Wager, WagerKind
from audit.rulebook import LimitsJudged, Rulebook, SideWagerNeeds, UnderMinimum
from audit.simulation.habits import Habit
from audit.simulation.stakes import FOURTH, LATE, OVER, UNDER, Cashier

BETTORS = ("ana", "ben", "cho", "dev", "eli", "fay", "gus", "hui", "ivo", "jun", "kai", "lin")
BOXES = 7
BETTORS_PER_BOX = 3
SIDE_WAGERS = (WagerKind.PAIR, WagerKind.OVER13, WagerKind.UNDER13)


@dataclass(slots=True)
class Seat:
    """A bettor on a box, and whether the wager was folded before the hands were played."""

    bettor: str
    stake: Decimal
    surrendered: bool = False
    took_even_money: bool = False

    @property
    def folded(self) -> bool:
        return self.surrendered or self.took_even_money


@dataclass(slots=True)
class HandInPlay:
    """One hand of a box: its cards, what a split put on it, and what a double added."""

    hand: Hand
    cards: list[Card]
    from_split: bool = False
    splits: dict[str, Decimal] = field(default_factory=dict)
    doubles: dict[str, Decimal] = field(default_factory=dict)
    ranks: tuple[Rank, ...] = ()

    def __post_init__(self) -> None:
        self.ranks = tuple(card.rank for card in self.cards)

    def take(self, card: Card) -> None:
        """Get one card more."""
        self.cards.append(card)
        self.ranks = (*self.ranks, card.rank)

    def give_up(self) -> Card:
        """Lose the last card to a hand that is split off."""
        self.ranks = self.ranks[:-1]
        return self.cards.pop()


@dataclass(slots=True)
class Box:
    """A playing area: who stands on it, the first of them deciding, and its hands."""

    number: int
    seats: list[Seat]
    is_absent: bool = False
    initial_ranks: tuple[Rank, ...] = ()
    hands: list[HandInPlay] = field(default_factory=list)

    @property
    def playing(self) -> list[Seat]:
        """Who has not folded; the first of them decides."""
        return [seat for seat in self.seats if not seat.folded]

    def on_hand(self, played: HandInPlay) -> list[Seat]:
        """Who has a wager on a hand."""
        return [
            seat for seat in self.playing if played.hand.formed == 1 or seat.bettor in played.splits
        ]

    def rows_of(self, seat: Seat) -> list[Wager]:
        """Give a bettor's wagers on the hands of this box, the original one first."""
        rows = [Wager(seat.bettor, WagerKind.MAIN, seat.stake, box=self.number)]
        for played in self.hands:
            hand = played.hand if played.hand.formed > 1 else None
            for kind, stakes in (
                (WagerKind.SPLIT, played.splits),
                (WagerKind.DOUBLE, played.doubles),
            ):
                if seat.bettor in stakes:
                    stake = stakes[seat.bettor]
                    rows.append(Wager(seat.bettor, kind, stake, box=self.number, hand=hand))
        return rows

    def ranks_under(self, wager: Wager) -> tuple[Rank, ...]:
        """Give the hand that a wager stands on."""
        on = wager.hand or box_hand(self.number)
        return next(played.ranks for played in self.hands if played.hand == on)


def take_main_wagers(cashier: Cashier, most_boxes: int, rng: Random) -> list[Box]:
    """Seat bettors at some boxes, up to three at each, the same bettor at several if they like."""
    boxes: list[Box] = []
    count = rng.choice((1, 1, 2, 2, 3, 4, 5, 6, BOXES))
    for number in sorted(rng.sample(range(1, BOXES + 1), min(count, most_boxes))):
        stakes = cashier.stakes_on_area(WagerKind.MAIN, rng.choice((1, 1, 2, BETTORS_PER_BOX)), rng)
        bettors = rng.sample(BETTORS, len(stakes))
        seats = [Seat(bettor, stake) for bettor, stake in zip(bettors, stakes, strict=True)]
        boxes.append(Box(number, seats, is_absent=len(seats) == 1 and rng.random() < 0.06))
    return boxes


def take_side_wagers(
    boxes: list[Box], cashier: Cashier, book: Rulebook, rng: Random
) -> list[tuple[Wager, Box]]:
    """Let bettors place pair, over 13 and under 13 wagers where the document lets them."""
    placed: list[tuple[Wager, Box]] = []
    for box in boxes:
        for kind in SIDE_WAGERS:
            if kind in book.wagers and rng.random() < 0.35:
                placed += [(wager, box) for wager in _side_wagers(kind, box, cashier, book, rng)]
    return placed


def _side_wagers(
    kind: WagerKind, box: Box, cashier: Cashier, book: Rulebook, rng: Random
) -> list[Wager]:
    own = {} if box.is_absent else {seat.bettor: seat.stake for seat in box.seats}
    options = book.blackjack
    only_own = options is None or options.side_wager_needs.value is SideWagerNeeds.OWN_MAIN_ON_BOX
    may_place = list(own) if only_own else [*own, *rng.sample(BETTORS, 2)]
    bettors = sorted(set(may_place))
    rng.shuffle(bettors)
    stakes = cashier.stakes_on_area(kind, rng.randint(1, min(3, len(bettors) or 1)), rng)
    rows = []
    for bettor, stake in zip(bettors, stakes, strict=False):
        most = own.get(bettor, min(seat.stake for seat in box.seats))
        if kind is not WagerKind.PAIR and stake > most:
            return []
        behalf = None if bettor in own or rng.random() < 0.5 else box.seats[0].bettor
        rows.append(Wager(bettor, kind, stake, box=box.number, on_behalf_of=behalf))
    return rows if len(rows) == len(stakes) else []


def refused_main_wagers(
    boxes: list[Box],
    let_through: frozenset[str],
    cashier: Cashier,
    habits: frozenset[Habit],
    rng: Random,
) -> list[Wager]:
    """Wagers that were not accepted: too late, over the maximum, or again under the minimum."""
    refused: list[Wager] = []
    taken = [box.number for box in boxes]
    if rng.random() < 0.1:
        number = rng.randint(1, BOXES)
        kinds = [WagerKind.MAIN, WagerKind.PAIR]
        if number in taken:
            kinds.append(WagerKind.INSURANCE)
        kind = rng.choice(kinds)
        if number not in taken or Habit.LATE_WAGERS in habits:
            refused.append(Wager(LATE, kind, Decimal("25.00"), NOTHING, box=number, late=True))
    if Habit.OUTSIDE_LIMITS in habits:
        refused += _outside_limits(rng.choice(taken), let_through, cashier, rng)
    most = cashier.book.options.wagers_per_area
    full = [box.number for box in boxes if most is not None and len(box.seats) == most.value]
    if full and rng.random() < 0.2:
        stake = cashier.stake(WagerKind.MAIN, rng)
        refused.append(Wager(FOURTH, WagerKind.MAIN, stake, NOTHING, box=rng.choice(full)))
    return refused


def _outside_limits(
    number: int, let_through: frozenset[str], cashier: Cashier, rng: Random
) -> list[Wager]:
    options = cashier.book.options
    if WagerKind.MAIN not in cashier.sheet.limits or options.under_minimum is None:
        return []
    least, greatest = cashier.range_of(WagerKind.MAIN)
    by_box = options.limits_judged and options.limits_judged.value is LimitsJudged.BOX_TOTAL
    refused: list[Wager] = []
    if rng.random() < 0.05:
        over = greatest if by_box else greatest * 2
        refused.append(Wager(OVER, WagerKind.MAIN, over, NOTHING, box=number))
    if UNDER in let_through and options.under_minimum.value is UnderMinimum.ONCE_THEN_RETURNED:
        refused.append(Wager(UNDER, WagerKind.MAIN, least / 2, NOTHING, box=number))
    return refused
