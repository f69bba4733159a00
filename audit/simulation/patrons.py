"""The patrons of a table: they come and go through the night, and come back on others."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from random import Random

from audit.observations import WagerKind
from audit.simulation.night_table import NightTable

STAKES = (1, 1, 1, 2, 2, 3, 4, 5, 8, 10)
"""What a patron usually stakes, in minimums of the table."""
RAISED = (1, 1, 1, 1, 2)
SIDE_STAKES = (1, 1, 1, 2, 5)
ROUNDS_AT_A_TABLE = 40
PRESENT = 0.93
FRIDAY = 4
REGULARS = 3_000
"""Who comes to the casino at all."""


@dataclass(slots=True)
class Patron:
    name: str
    box: int
    minimums: int
    favourite: WagerKind
    likes_sides: float
    rounds_left: int


class Company:
    """Who is at one table tonight."""

    def __init__(self, table: NightTable, night: date, rng: Random) -> None:
        self.table = table
        self.rng = rng
        weekend = night.weekday() >= FRIDAY
        self.boxes = 7 if table.book.blackjack is not None else 9
        self.size = rng.choice((2, 3, 3, 4, 5)) + (1 if weekend else 0)
        self.originals = [kind for kind in table.book.wagers if kind.value in ("player", "banker")]
        self.here: list[Patron] = []
        for _ in range(self.size):
            self.here.append(self._arrival())
        self._stakes: dict[tuple[WagerKind, int], Decimal] = {}

    def next_round(self) -> None:
        """Let a round go by: some leave, and others take their place."""
        gone = False
        for patron in self.here:
            patron.rounds_left -= 1
            gone = gone or patron.rounds_left <= 0
        if gone:
            self.here = [patron for patron in self.here if patron.rounds_left > 0]
        if len(self.here) < self.size and (not self.here or self.rng.random() < 0.3):
            self.here.append(self._arrival())

    def present(self) -> list[Patron]:
        """Give those who wager on a round: most of them."""
        random = self.rng.random
        return [patron for patron in self.here if random() < PRESENT] or self.here[:1]

    def stake(self, kind: WagerKind, patron: Patron) -> Decimal:
        """What a patron puts on a kind of wager, within the limits of the table."""
        if kind in self.table.book.wagers and kind in SIDE_KINDS:
            minimums = SIDE_STAKES[int(self.rng.random() * len(SIDE_STAKES))]
        else:
            minimums = patron.minimums * RAISED[int(self.rng.random() * len(RAISED))]
        known = self._stakes.get((kind, minimums))
        if known is None:
            least, greatest = self.table.cashier.range_of(kind)
            known = self._stakes[kind, minimums] = min(least * minimums, greatest)
        return known

    def _arrival(self) -> Patron:
        rng = self.rng
        names = {patron.name for patron in self.here}
        name = f"P{rng.randrange(REGULARS):06}"
        while name in names:
            name = f"P{rng.randrange(REGULARS):06}"
        return Patron(
            name=name,
            box=rng.randint(1, self.boxes),
            minimums=rng.choice(STAKES),
            favourite=rng.choice(self.originals) if self.originals else WagerKind.MAIN,
            likes_sides=rng.choice((0.0, 0.05, 0.1, 0.3)),
            rounds_left=1 + int(rng.expovariate(1 / ROUNDS_AT_A_TABLE)),
        )


SIDE_KINDS = frozenset(WagerKind) - {WagerKind.MAIN, WagerKind.PLAYER, WagerKind.BANKER}
