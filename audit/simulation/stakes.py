"""Amounts that a table takes: each wager, or all of a kind on a box, within its limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from random import Random

from audit.money import CENT, Odds
from audit.observations import Wager, WagerKind
from audit.rulebook import LimitsJudged, Rulebook
from audit.table_sheet import Limit, TableSheet

CHIPS = tuple(Decimal(chip) for chip in ("0.05", "1.00", "2.50", "5.00", "25.00", "100.00"))
UNLIMITED_MOST = Decimal("2000.00")
MOST_CHIPS = 40
NO_LIMIT = Limit(None, None)
LATE, OVER, UNDER, FOURTH = "zoe", "yan", "wei", "xia"
TURNED_AWAY = frozenset({LATE, OVER, UNDER, FOURTH})
"""Bettors whose wagers are never accepted."""


@dataclass(frozen=True, slots=True)
class Cashier:
    """Finds stakes that a table takes, in whole chips."""

    book: Rulebook
    sheet: TableSheet
    chip: Decimal
    between_units: bool = True

    def half_of(self, stake: Decimal) -> Decimal:
        """Give the most that insures a stake."""
        unit = CENT if self.between_units else self.sheet.rounding
        return ((stake / 2 / unit).quantize(Decimal(1), ROUND_DOWN) * unit).quantize(CENT)

    def range_of(self, kind: WagerKind) -> tuple[Decimal, Decimal]:
        """The least and the greatest stake that one wager of a kind may have."""
        limit = self.sheet.limits.get(kind, NO_LIMIT)
        least = self.chip if limit.min is None else limit.min
        greatest = max(UNLIMITED_MOST, least) if limit.max is None else limit.max
        return least, greatest

    def stake(self, kind: WagerKind, rng: Random, *, at_most: Decimal | None = None) -> Decimal:
        """Choose a stake within the limits; nothing at all where none fits."""
        least, greatest = self.range_of(kind)
        if at_most is not None:
            greatest = min(greatest, at_most)
        if least > greatest:
            return Decimal(0)
        chips = min(MOST_CHIPS, int((greatest - least) / self.chip))
        return rng.choice((least, greatest, *[least + rng.randint(0, chips) * self.chip] * 8))

    def stakes_on_area(self, kind: WagerKind, wagers: int, rng: Random) -> list[Decimal]:
        """Choose the stakes of a kind on one box, judged one by one or all together."""
        judged = self.book.options.limits_judged
        if judged is None or judged.value is LimitsJudged.EACH_WAGER:
            return [self.stake(kind, rng) for _ in range(wagers)]
        return self._shared(self.stake(kind, rng), wagers, rng)

    def _shared(self, whole: Decimal, wagers: int, rng: Random) -> list[Decimal]:
        chips = int(whole / self.chip)
        cuts = sorted(rng.sample(range(1, chips), min(wagers, chips) - 1)) if chips > 1 else []
        heights = [0, *cuts]
        shares = [(upper - lower) * self.chip for lower, upper in zip(heights, cuts, strict=False)]
        return [*shares, whole - sum(shares, Decimal(0))]


def cashier_for(book: Rulebook, sheet: TableSheet, rng: Random, *, between_units: bool) -> Cashier:
    """Hand out chips of one value, which the table pays to the last of them or not."""
    unit = sheet.rounding
    chips = [chip for chip in CHIPS if chip > unit and (between_units or chip % unit == 0)]
    return Cashier(book, sheet, rng.choice(chips), between_units)


def pays(stake: Decimal, odds: Odds, unit: Decimal) -> Decimal:
    """Work out winnings: stake times odds, to the unit that the table pays, half up."""
    winnings = stake * odds.paid.numerator / odds.paid.denominator
    return ((winnings / unit).quantize(Decimal(1), ROUND_HALF_UP) * unit).quantize(CENT)


def settled(wager: Wager, net: Decimal) -> Wager:
    """Give a wager what it was settled for."""
    return Wager(
        wager.bettor,
        wager.kind,
        wager.stake,
        net,
        wager.box,
        wager.hand,
        wager.late,
        wager.on_behalf_of,
        wager.settled_after,
    )


def half_given_up(stake: Decimal, unit: Decimal) -> Decimal:
    """Work out what a surrender costs, to the unit that the table pays, half up."""
    return ((stake / 2 / unit).quantize(Decimal(1), ROUND_HALF_UP) * unit).quantize(CENT)


def spread_over(loss: Decimal, stakes: Sequence[Decimal], rng: Random) -> list[Decimal]:
    """Spread a loss over wagers in any way, none of them losing more than its stake."""
    parts = [Decimal("0.00")] * len(stakes)
    order = list(range(len(stakes)))
    rng.shuffle(order)
    left = loss
    if rng.random() < 0.3:
        for place in order:
            parts[place] = min((stakes[place] / 2).quantize(CENT, ROUND_DOWN), left)
            left -= parts[place]
    for place in order:
        more = min(stakes[place] - parts[place], left)
        parts[place] += more
        left -= more
    return parts
