"""Nights of play at the tables of a casino, as rows of its logs, with labelled faults.

Every table of every night is made from the seed and its own number alone, so tables can be made in
any order, at the same time, or one of them again.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from itertools import accumulate
from random import Random

from audit.errors import BadInput
from audit.observations import Call, CallKind, Game
from audit.rounds import Round
from audit.rulebook import Rulebook
from audit.rulebook_files import all_rulebooks, rulebook
from audit.shoe_rows import CallRow, CardRow, ShoeRows, WagerRow
from audit.simulation.blackjack_setting import CallLog
from audit.simulation.blackjack_style import ANYTHING
from audit.simulation.camera import SURE, Camera, seen_by
from audit.simulation.night_faults import (
    CLAUSE_BY_REASON,
    LOGS_DIFFER,
    MISSING_CARD,
    NEW_PACKS,
    ONE_LOG_ONLY,
    ORDER_AGAIN,
    SURPLUS_COPY,
    UNSEEN_CARD,
    Kind,
    Level,
    Planted,
    cost_of,
    kinds_of,
    severity_due,
)
from audit.simulation.night_play import deal_night_round
from audit.simulation.night_table import NightTable, night_table
from audit.simulation.patrons import Company
from audit.simulation.planting import Faults
from audit.simulation.rows import rows_of
from audit.simulation.shoe import Shoe, shuffled_shoe
from audit.simulation.shoe_orders import (
    picked_up_unshuffled,
    straight_from_new_packs,
    surplus_copy_seq,
    with_surplus_copy,
)
from audit.table_sheet import HOME, TableSheet, rulebook_at

OPENS = time(18, 0, tzinfo=HOME)
HOURS_IN_A_DAY = 24
SHIFT = timedelta(minutes=20)
"""How long a dealer stays at a table."""
TABLES_IN_A_PIT = 4
CARDS_PER_ROUND = {Game.BACCARAT: 5, Game.BLACKJACK: 12}
ENOUGH_TO_TELL = 120
"""About so many cards of a shoe have to be dealt to tell that it was not shuffled."""
UNSHUFFLED = (ORDER_AGAIN, NEW_PACKS)


class Left(StrEnum):
    """What a log can be without."""

    ROUNDS = "rounds"
    HANDS = "hands"
    CALLS = "calls"


@dataclass(frozen=True, slots=True)
class NightPlan:
    """What kind of nights are wanted."""

    rulebooks: tuple[str, ...] = tuple(all_rulebooks())
    tables: int = 10
    rounds: int = 200
    """At each table, each night."""
    hours: float | None = None
    """How long the tables are open at the most; None: until all rounds are played."""
    night: date = date(2026, 3, 8)
    nights: int = 1
    faults: float = 0.0
    """In 1,000 rounds, of every kind that suits the game alike."""
    by_kind: Mapping[str, float] = field(default_factory=dict)
    """In 1,000 rounds, by what is done wrong; other than `faults` has it."""
    log: CallLog | None = None
    """How calls are logged; None: at each table in a way of its own."""
    without: frozenset[Left] = frozenset()
    camera: Camera = SURE

    def __post_init__(self) -> None:
        for what, count in (
            ("tables", self.tables),
            ("rounds", self.rounds),
            ("nights", self.nights),
        ):
            if count < 1:
                raise BadInput(f"{count} {what} are too few: at least one is needed")
        if self.hours is not None and not 0 < self.hours <= HOURS_IN_A_DAY:
            raise BadInput(f"tables cannot be open for {self.hours:g} hours a night")
        if not self.rulebooks:
            raise BadInput("a night needs at least one rulebook")
        for name in self.rulebooks:
            rulebook(name)
        for rate in (self.faults, *self.by_kind.values()):
            if not 0 <= rate <= 1000:
                raise BadInput(f"{rate:g} faults in 1,000 rounds are not possible: at most 1,000")


@dataclass(frozen=True, slots=True)
class SimulatedShoe:
    """The rows of one shoe, its table, and the truth about it."""

    rows: ShoeRows
    truth: tuple[Planted, ...]
    table: NightTable
    night: date
    rounds: int
    camera: tuple[CardRow, ...] = ()
    """A second card log of the same shoe, where a camera watches the table too."""


def simulate_night(plan: NightPlan, seed: int) -> Iterator[SimulatedShoe]:
    """Simulate all tables, one after the other, each through all nights."""
    for index in range(plan.tables):
        yield from simulate_table(plan, seed, index)


def simulate_table(plan: NightPlan, seed: int, index: int) -> Iterator[SimulatedShoe]:
    """Simulate one table through all nights, shoe by shoe."""
    table = table_of(plan, seed, index)
    for number in range(plan.nights):
        night = plan.night + timedelta(days=number)
        yield from _TableNight(plan, seed, table, night).shoes()


def table_of(plan: NightPlan, seed: int, index: int) -> NightTable:
    """Set up one table, with a sheet that is in force on the night."""
    book = rulebook(plan.rulebooks[index % len(plan.rulebooks)])
    opened = datetime.combine(plan.night.replace(month=1, day=1), time(6, 0, tzinfo=HOME))
    if book.in_force is not None:
        opened = max(opened, book.in_force)
    log = CallLog.NOTHING if Left.CALLS in plan.without else plan.log
    table = night_table(book, index, seed, opened, log=log)
    rulebook_at(table.sheet, datetime.combine(plan.night, OPENS))
    if Random(f"{seed}/{index}/decks").random() < _share(plan, table, Level.TABLE):  # noqa: S311
        sheet = replace(table.sheet, decks=book.most_decks.value + 1)
        table = replace(table, sheet=sheet, cashier=replace(table.cashier, sheet=sheet))
    return table


def sheets_of(plan: NightPlan, seed: int) -> Iterator[TableSheet]:
    """Give the sheets of all tables."""
    for index in range(plan.tables):
        yield table_of(plan, seed, index).sheet


def _rates(plan: NightPlan, book: Rulebook) -> dict[Kind, float]:
    """How likely each kind of fault is in one round."""
    kinds = kinds_of(book)
    evenly = [kind for kind in kinds if kind.what not in plan.by_kind]
    share = plan.faults / 1000 / len(evenly) if evenly else 0.0
    rates = {kind: plan.by_kind.get(kind.what, 0.0) / 1000 for kind in kinds}
    rates |= dict.fromkeys(evenly, share)
    return {kind: rate for kind, rate in rates.items() if rate > 0}


def _share(plan: NightPlan, table: NightTable, level: Level) -> float:
    """How likely faults of a level are at one table in all its rounds."""
    rates = _rates(plan, table.book)
    return plan.rounds * sum(rate for kind, rate in rates.items() if kind.level is level)


class _TableNight:
    """One table through one night."""

    def __init__(self, plan: NightPlan, seed: int, table: NightTable, night: date) -> None:
        self.plan = plan
        self.table = table
        self.night = night
        self.rng = Random(f"{seed}/{table.index}/{night}")  # noqa: S311
        self.camera_rng = Random(f"{seed}/{table.index}/{night}/camera")  # noqa: S311
        self.opens = datetime.combine(night, OPENS)
        self.closes = None if plan.hours is None else self.opens + timedelta(hours=plan.hours)
        self.clock = self.opens + timedelta(seconds=self.rng.randint(0, 600))
        self.company = Company(table, night, self.rng)
        self.let_through: frozenset[str] = frozenset()
        self.rounds_left = plan.rounds
        self.next_change = self.opens
        self.was_unshuffled = False
        self.earlier: tuple[Shoe, list[int]] | None = None
        calls_are_kept = Left.CALLS not in plan.without
        self.faults = Faults(table, self.rng, calls_are_kept=calls_are_kept)
        rates = _rates(plan, table.book)
        self.by_level = {
            level: [(kind, rate) for kind, rate in rates.items() if kind.level is level]
            for level in Level
        }
        self.in_rounds = list(accumulate(rate for _, rate in self.by_level[Level.ROUND]))

    def shoes(self) -> Iterator[SimulatedShoe]:
        number = 0
        while self.is_open:
            number += 1
            yield self._shoe(f"{self.night:%y%m%d}-{number:02}")
            self.clock += timedelta(seconds=self.rng.randint(240, 480))

    @property
    def is_open(self) -> bool:
        return self.rounds_left > 0 and (self.closes is None or self.clock < self.closes)

    @property
    def logs_calls(self) -> bool:
        return self.table.log is not CallLog.NOTHING

    def _shoe(self, name: str) -> SimulatedShoe:
        befallen = self._kind_for_shoe()
        shoe = self._filled(name, befallen)
        dealing = _Dealing(shoe, self._cutting_card(shoe), rows=_Rows())
        unseen_before = self.rng.randint(2, 12) if befallen is UNSEEN_CARD else 0
        for kind, rate in self.by_level[Level.FIRST_ROUND]:
            if self.rng.random() < rate * self._rounds_per_shoe():
                self.faults.expect(kind)
        if self.logs_calls:
            dealing.rows.calls.append(CallRow(self.clock, str(CallKind.SHUFFLE)))
            self.clock += timedelta(seconds=30)
        self.next_change = self.clock
        in_order = befallen in UNSHUFFLED
        while self.is_open and shoe.left > dealing.cutting_card:
            if shoe.rounds + 1 == unseen_before:
                shoe.dealt += 1
                self._plant(dealing, UNSEEN_CARD, shoe.rounds + 1)
            self._round(dealing, may_deal_anew=not in_order)
        if self.logs_calls and shoe.left <= dealing.cutting_card:
            self._end_shoe(dealing, befallen)
        self._note_shoe(dealing, befallen)
        self.earlier = (shoe, dealing.starts)
        return self._written(dealing, befallen)

    def _end_shoe(self, dealing: "_Dealing", befallen: Kind | None) -> None:
        """Announce the end of a shoe, and how many cards were counted where they are."""
        count = ""
        if befallen is MISSING_CARD:
            count = str(len(dealing.shoe.cards) - 1)
            self._plant(dealing, MISSING_CARD, None)
        elif self.table.counts_out:
            count = str(len(dealing.shoe.cards))
        dealing.rows.calls.append(CallRow(self.clock, str(CallKind.SHOE_END), value=count))

    def _kind_for_shoe(self) -> Kind | None:
        """Choose what befalls the whole shoe, if anything does."""
        for kind, rate in self.by_level[Level.SHOE]:
            if self._fits(kind) and self.rng.random() < rate * self._rounds_per_shoe():
                self.was_unshuffled = self.was_unshuffled or kind in UNSHUFFLED
                return kind
        return None

    def _fits(self, kind: Kind) -> bool:
        """Tell whether a shoe can show a fault; unshuffled cards, which last, once in a night."""
        if kind is MISSING_CARD:
            return self.logs_calls
        if kind is ORDER_AGAIN and self.earlier is None:
            return False
        cards = self._rounds_per_shoe() * CARDS_PER_ROUND[self.table.book.game]
        return kind not in UNSHUFFLED or (not self.was_unshuffled and cards >= ENOUGH_TO_TELL)

    def _rounds_per_shoe(self) -> float:
        rounds = 0.75 * 52 * self.table.sheet.decks / CARDS_PER_ROUND[self.table.book.game]
        return min(rounds, self.rounds_left)

    def _filled(self, name: str, befallen: Kind | None) -> Shoe:
        decks = self.table.sheet.decks
        if befallen is ORDER_AGAIN and self.earlier is not None:
            return picked_up_unshuffled(*self.earlier, name, self.rng)
        if befallen is NEW_PACKS:
            return straight_from_new_packs(decks, name, self.rng)
        shoe = shuffled_shoe(decks, self.rng, name=name)
        if befallen is SURPLUS_COPY:
            cards = self._rounds_per_shoe() * CARDS_PER_ROUND[self.table.book.game]
            return with_surplus_copy(shoe, decks, int(cards * 0.8), self.rng)
        return shoe

    def _cutting_card(self, shoe: Shoe) -> int:
        """Say how many cards lie behind the cutting card."""
        if self.table.book.game is Game.BACCARAT:
            return int(len(shoe.cards) * (0.1 + 0.15 * self.rng.random()))
        return int(len(shoe.cards) * (0.22 + 0.1 * self.rng.random()))

    def _round(self, dealing: "_Dealing", *, may_deal_anew: bool) -> None:
        """Deal one round, let a fault befall it if one is due, and write it down."""
        shoe, table = dealing.shoe, self.table
        start = shoe.dealt
        self.company.next_round()
        played = self._deal(shoe)
        if self.in_rounds and self.rng.random() < self.in_rounds[-1]:
            place = bisect_left(self.in_rounds, self.rng.random() * self.in_rounds[-1])
            self.faults.expect(self.by_level[Level.ROUND][place][0])
        shoe.rounds += 1
        if self.faults:

            def anew() -> Round:
                return self._deal(shoe, anyhow=True)

            befallen = self.faults.befall(played, start, shoe, anew, may_deal_anew=may_deal_anew)
            if befallen is not None:
                before, played, kind = befallen
                self._plant(dealing, kind, shoe.rounds, cost_of(kind.code, before, played))
                self._remember_let_through(played)
        if shoe.left <= dealing.cutting_card and self._announces_outcome(played):
            cutting_card = Call(CallKind.CUTTING_CARD, len(played.cards))
            played = replace(played, calls=(*played.calls, cutting_card))
        self.rounds_left -= 1
        if self.logs_calls and self.clock >= self.next_change:
            self._change_dealer(dealing.rows)
        written = rows_of(
            self._with_pseudonyms(played),
            shoe.rounds,
            self.clock,
            self.rng,
            burn_is_numbered=table.burn_is_numbered,
        )
        dealing.starts.append(start)
        dealing.rows.cards += written.cards
        dealing.rows.wagers += written.wagers
        dealing.rows.calls += written.calls
        self.clock = written.ended + timedelta(0, 0, 0, 8_000 + int(self.rng.random() * 8_000))

    def _deal(self, shoe: Shoe, *, anyhow: bool = False) -> Round:
        if anyhow:
            return deal_night_round(
                shoe, self.table, self.company, self.let_through, self.rng, style=ANYTHING
            )
        return deal_night_round(shoe, self.table, self.company, self.let_through, self.rng)

    def _announces_outcome(self, played: Round) -> bool:
        return self.table.book.game is Game.BACCARAT and any(played.called(CallKind.OUTCOME))

    def _change_dealer(self, rows: "_Rows") -> None:
        """Let the dealers of a pit move on from table to table, one of them at rest."""
        turn = (self.clock - self.opens) // SHIFT
        pit = self.table.index // TABLES_IN_A_PIT
        place = (turn + self.table.index) % (TABLES_IN_A_PIT + 1)
        dealer = f"D{pit * (TABLES_IN_A_PIT + 1) + place + 1:03}"
        moment = self.clock - timedelta(seconds=4)
        rows.calls.append(CallRow(moment, str(CallKind.DEALER_IN), value=dealer))
        self.next_change = self.opens + (turn + 1) * SHIFT

    def _with_pseudonyms(self, played: Round) -> Round:
        names = self.table.strangers
        if any(wager.bettor in names for wager in played.wagers):
            wagers = tuple(
                replace(
                    wager,
                    bettor=names.get(wager.bettor, wager.bettor),
                    on_behalf_of=names.get(wager.on_behalf_of or "", wager.on_behalf_of),
                )
                for wager in played.wagers
            )
            played = replace(played, wagers=wagers)
        if any(call.bettor in names for call in played.calls):
            calls = tuple(
                replace(call, bettor=names.get(call.bettor, call.bettor)) for call in played.calls
            )
            played = replace(played, calls=calls)
        return played

    def _remember_let_through(self, played: Round) -> None:
        """Note the bettors whose wager under the minimum was settled: it is let through once."""
        limits = self.table.sheet.limits
        under = {
            wager.bettor
            for wager in played.wagers
            if (limit := limits.get(wager.kind)) is not None
            and limit.min is not None
            and wager.stake < limit.min
            and wager.net
        }
        if under:
            self.let_through |= under

    def _plant(
        self, dealing: "_Dealing", kind: Kind, number: int | None, cost: int | None = None
    ) -> None:
        book = self.table.book
        dealing.truth.append(
            Planted(
                table_id=self.table.name,
                shoe=dealing.shoe.name,
                round=number,
                what=kind.what,
                code=kind.code,
                severity=severity_due(kind.code, book),
                rulebook=book.id,
                clauses=() if kind.code in CLAUSE_BY_REASON else book.breaks[kind.code],
                exposure=cost,
            )
        )

    def _note_shoe(self, dealing: "_Dealing", befallen: Kind | None) -> None:
        """Write down what befell the shoe as a whole, where enough of it was dealt to show it."""
        if befallen is not None and befallen in UNSHUFFLED:
            self._plant(dealing, befallen, None)
        if befallen is SURPLUS_COPY:
            decks = self.table.sheet.decks
            seq = surplus_copy_seq(dealing.shoe.cards[: dealing.shoe.dealt], decks)
            if seq is not None:
                rounds = [row.round for row in dealing.rows.cards if row.seq <= seq]
                self._plant(dealing, befallen, rounds[-1])
        decks_allowed = self.table.book.most_decks.value
        if self.table.sheet.decks > decks_allowed:
            kind = self.by_level[Level.TABLE][0][0]
            self._plant(dealing, kind, 1)

    def _written(self, dealing: "_Dealing", befallen: Kind | None) -> SimulatedShoe:
        rows = dealing.rows
        watched = befallen in (LOGS_DIFFER, ONE_LOG_ONLY)
        cards, second, clouded, apart = seen_by(
            self.plan.camera,
            rows.cards,
            self.camera_rng,
            differs=befallen is LOGS_DIFFER,
            misses=befallen is ONE_LOG_ONLY,
        )
        if watched and befallen is not None and apart is not None:
            self._plant(dealing, befallen, apart)
        without = self.plan.without
        if without:
            cards = tuple(_without(row, without) for row in cards)
        truth = tuple(
            replace(fault, clouded=True) if fault.round in clouded else fault
            for fault in dealing.truth
        )
        return SimulatedShoe(
            rows=ShoeRows(
                self.table.name,
                dealing.shoe.name,
                cards,
                tuple(rows.wagers),
                () if Left.CALLS in without else tuple(rows.calls),
            ),
            truth=truth,
            table=self.table,
            night=self.night,
            rounds=dealing.shoe.rounds,
            camera=second,
        )


def _without(row: CardRow, left: frozenset[Left]) -> CardRow:
    return replace(
        row,
        round=None if Left.ROUNDS in left else row.round,
        hand=None if Left.HANDS in left else row.hand,
    )


@dataclass(slots=True)
class _Rows:
    cards: list[CardRow] = field(default_factory=list)
    wagers: list[WagerRow] = field(default_factory=list)
    calls: list[CallRow] = field(default_factory=list)


@dataclass(slots=True)
class _Dealing:
    """A shoe while it is dealt."""

    shoe: Shoe
    cutting_card: int
    """How many cards lie behind it."""
    rows: _Rows
    truth: list[Planted] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """How many cards had been dealt when each round began."""
