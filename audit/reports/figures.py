"""The figures of a report: rates with their intervals, money both ways, and what is worth a look.

What is counted: a round *has errors* if at least one violation in it stands, that is, no later
audit withdrew it and no reviewer dismissed it. Rates are rounds with errors for each 1,000 rounds
that could be judged. A violation of a whole shoe, or in a round that could not be judged, counts
as a violation and with its money, but in no rate.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal

import polars as pl

from audit.reports.intervals import CONFIDENCE, Interval, Share, chance_of, difference, wilson

FEW_ROUNDS = 100
"""Below so many rounds judged, nobody is compared with anybody."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What was counted over some rounds."""

    rounds: int = 0
    """Rounds that were judged."""
    unjudged: int = 0
    with_errors: int = 0
    """Rounds among those judged in which a violation stands."""
    violations: int = 0
    to_review: int = 0
    given_away: Decimal = Decimal("0.00")
    short_changed: Decimal = Decimal("0.00")
    unknown: int = 0
    """Violations whose money nobody can tell."""
    reconstructed: int = 0

    @property
    def share(self) -> Share:
        return Share(self.with_errors, self.rounds)

    @property
    def per_1000(self) -> float | None:
        value = self.share.value
        return None if value is None else 1000 * value

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the rate for each 1,000 rounds."""
        return _per_1000(wilson(self.share))


@dataclass(frozen=True, slots=True)
class Apart:
    """How a group compares with all the others together, beyond what chance explains."""

    more: bool
    chance: float
    """How likely chance alone would set it so far apart."""


@dataclass(frozen=True, slots=True)
class Group:
    """A table, a dealer, an hour or a code, with what was counted for it."""

    name: str
    tally: Tally
    title: str = ""
    apart: Apart | None = None
    known: bool = True
    """Not the rest whose table or dealer nobody noted."""

    @property
    def few(self) -> bool:
        """Whether it has too few rounds to be compared."""
        return self.tally.rounds < FEW_ROUNDS


@dataclass(frozen=True, slots=True)
class Step:
    """One day, or one week, of the trend."""

    day: date
    inside: bool
    """Within the period, not in the days before it."""
    tally: Tally


@dataclass(frozen=True, slots=True)
class Comparison:
    """The period against the days before it."""

    before: Tally
    nights: int
    """Of those days, how many had rounds."""
    change: Interval | None
    """The 95 % interval of the difference for each 1,000 rounds; empty: nothing to compare."""
    chance: float
    """How likely chance alone would set them so far apart."""
    more: bool

    @property
    def beyond_chance(self) -> bool:
        return self.chance < 1 - CONFIDENCE


@dataclass(frozen=True, slots=True)
class Found:
    """One finding of a round that is worth a look."""

    code: str
    title: str
    severity: str
    rulebook: str
    clause: str
    where: str
    expected: str
    observed: str
    exposure: Decimal | None
    confidence: float
    verdict: str


@dataclass(frozen=True, slots=True)
class Worth:
    """A round, or a whole shoe, that is worth a look."""

    table_id: str
    shoe: str
    round: int | None
    at: datetime
    """On the table's own clock."""
    dealer: str
    line: str
    given_away: Decimal
    short_changed: Decimal
    """By its violations, both of them."""
    unknown: int
    in_doubt: Decimal
    """The greatest amount, either way, of a finding to review: not all of them hold at once."""
    findings: tuple[Found, ...]

    @property
    def key(self) -> str:
        return "/".join((self.table_id, self.shoe, *([str(self.round)] if self.round else [])))


@dataclass(frozen=True, slots=True)
class Doubtful:
    """Findings of one code whose evidence is not enough to say."""

    code: str
    title: str
    findings: int
    given_away: Decimal
    short_changed: Decimal


def tallies(
    rounds: pl.DataFrame, found: pl.DataFrame, *keys: str
) -> dict[tuple[object, ...], Tally]:
    """Count rounds and findings for each value of the keys; without a key, all of them."""
    violation = pl.col("severity") == "violation"
    lost, short = pl.col("exposure") > 0, pl.col("exposure") < 0
    this_round = pl.struct("table_id", "shoe", "round")
    of_rounds = rounds.group_by(_key(keys)).agg(
        rounds=pl.col("judged").sum(),
        unjudged=(pl.col("rounds") - pl.col("judged")).sum(),
        reconstructed=pl.col("reconstructed").sum(),
    )
    of_findings = found.group_by(_key(keys)).agg(
        with_errors=this_round.filter(violation & pl.col("judged")).n_unique(),
        violations=violation.sum(),
        to_review=(pl.col("severity") == "review").sum(),
        given_away=pl.col("exposure").filter(violation & lost).sum(),
        short_changed=pl.col("exposure").filter(violation & short).sum().neg(),
        unknown=(violation & pl.col("exposure").is_null()).sum(),
    )
    joined = of_rounds.join(of_findings, on="key", how="full", coalesce=True, nulls_equal=True)
    return {tuple(row["key"].values()): _tally(row) for row in joined.iter_rows(named=True)}


def _key(keys: tuple[str, ...]) -> pl.Expr:
    parts = [pl.col(key) for key in keys] or [pl.lit(0).alias("all")]
    return pl.struct(parts).alias("key")


def _tally(row: Mapping[str, object]) -> Tally:
    counted = {name: value for name, value in row.items() if name != "key" and value is not None}
    return Tally(**counted)  # type: ignore[arg-type]


def _per_1000(interval: Interval | None) -> Interval | None:
    return None if interval is None else Interval(1000 * interval.low, 1000 * interval.high)


def total_of(rounds: pl.DataFrame, found: pl.DataFrame) -> Tally:
    """Count everything together."""
    return next(iter(tallies(rounds, found).values()), Tally())


def compare(now: Tally, before: Tally, nights: int) -> Comparison:
    """Hold a period against the days before it."""
    change = _per_1000(difference(now.share, before.share))
    more = (now.per_1000 or 0) > (before.per_1000 or 0)
    return Comparison(before, nights, change, chance_of(now.share, before.share), more)


def held_against_the_rest(groups: list[Group]) -> list[Group]:
    """Tell which groups stand apart from all the others together.

    Of many groups some look bad by chance alone, so the doubt is shared out among all that are
    compared (Bonferroni): with twenty dealers each is held to 99.75 % instead of 95 %.
    """
    rounds = sum(group.tally.rounds for group in groups)
    errors = sum(group.tally.with_errors for group in groups)
    compared = sum(group.known and not group.few for group in groups)
    doubt = (1 - CONFIDENCE) / max(compared, 1)

    def apart(group: Group) -> Apart | None:
        own = group.tally.share
        rest = Share(errors - own.count, rounds - own.of)
        if group.few or not group.known or rest.of < FEW_ROUNDS:
            return None
        chance = chance_of(own, rest)
        more = (own.value or 0) > (rest.value or 0)
        return Apart(more=more, chance=chance) if chance < doubt else None

    return [replace(group, apart=apart(group)) for group in groups]


def most_sure_first(groups: list[Group]) -> tuple[Group, ...]:
    """Order by what is sure about their errors: few rounds bring nobody to the top."""

    def sureness(group: Group) -> tuple[float, int, str]:
        interval = group.tally.interval
        return -(interval.low if interval else 0.0), -group.tally.violations, group.name

    return tuple(sorted(groups, key=sureness))
