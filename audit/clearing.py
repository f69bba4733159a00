"""Clearing rounds of baccarat in bulk: each distinct situation is judged once.

Most rounds of a night are in order, and alike in all that the rules look at. Polars gives every
round its *situation* (the class of its coup, what was announced) and every wager its own (kind,
stake, net, how its coup settles it); the judge sees each distinct one, as a round made for the
purpose. A round is cleared when none of its situations yields a finding. Whatever is in the least
out of the ordinary is not cleared, and goes before the judge as it is.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, lru_cache
from itertools import product

import polars as pl

from audit.cards import RANKS, SUITS, Card, Rank
from audit.errors import BadInput
from audit.hands import BANKER, PLAYER
from audit.judge import SURE_FROM, judge_round
from audit.money import CENT
from audit.observations import Call, CallKind, CardSeen, Game, Wager, WagerKind
from audit.rounds import Round
from audit.rulebook import LimitsJudged, Rulebook
from audit.rulebook_files import rulebook
from audit.rules.baccarat import Coup, is_pair, is_pair_by_point_value, outcome, point_total
from audit.rules.wagers import AREA_RULES, Area, Differential, differential_exceeded
from audit.settlement.baccarat import settled_alike
from audit.shoe_rows import ROUND_KEY, SHOE_KEY
from audit.table_sheet import Limit, TableSheet, plain_sheet
from audit.verdicts import Breach

ORDINARY_CALLS = frozenset(
    {
        CallKind.BETS_OPEN,
        CallKind.BETS_CLOSED,
        CallKind.OUTCOME,
        CallKind.SQUEEZE,
        CallKind.DEALER_IN,
        CallKind.ROUND_END,
    }
)
OF_THE_SHOE = frozenset(
    {
        CallKind.DEALER_IN,
        CallKind.SHUFFLE,
        CallKind.BURN,
        CallKind.CUTTING_CARD,
        CallKind.SHOE_END,
    }
)
"""Calls that name no round and say nothing about one."""
DEALT = ["playerbankerplayerbanker" + drawn for drawn in ("", "player", "banker", "playerbanker")]
"""The hands of a coup in the order of the deal, with no, one or two third cards."""
COPIES_OF_ALL_FROM = 6
"""So many decks hold more copies of a card than a coup has cards."""
NO_CARD = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """What the rulebook and the table sheet say about one kind of wager."""

    rulebook: str
    rounding: Decimal
    limit: Limit | None

    def sheet(self, kind: WagerKind) -> TableSheet:
        """Make a table sheet that says just that."""
        limits = {} if self.limit is None else {kind: self.limit}
        return replace(plain_sheet(self.rulebook), rounding=self.rounding, limits=limits)


@dataclass(frozen=True, slots=True)
class Profile:
    """What the rulebook in force and the table sheet say about all rounds of a shoe."""

    book: Rulebook
    sheet: TableSheet

    def terms(self, kind: WagerKind) -> Terms:
        return Terms(self.book.id, self.sheet.rounding, self.sheet.limits.get(kind))


Profiles = Mapping[tuple[str, str], Profile]
"""By table and shoe."""


def can_be_cleared(book: Rulebook) -> bool:
    """Tell a game whose wagers are judged one by one on cards that lie in two hands."""
    judged = book.options.limits_judged
    by_box = judged is not None and judged.value is LimitsJudged.BOX_TOTAL
    return book.game is Game.BACCARAT and not by_box


# Situations


@cache
def _class_of_initial_cards() -> Mapping[str, str]:
    """Map any two cards, as `9K`, to the first two that every rule sees alike."""
    first: dict[Hashable, str] = {}
    classes: dict[str, str] = {}
    for two in product(RANKS, repeat=2):
        name = "".join(two)
        alike = (point_total(two), is_pair_by_point_value(two), two[0] if is_pair(two) else None)
        classes[name] = first.setdefault(alike, name)
    return classes


@cache
def _class_of_third_card() -> Mapping[str, str]:
    """Map a third card to the first of its point value."""
    first: dict[int, str] = {}
    classes = {rank: first.setdefault(point_total((rank,)), str(rank)) for rank in RANKS}
    return {NO_CARD: NO_CARD} | {str(rank): name for rank, name in classes.items()}


def _coup(name: str) -> Coup:
    """Read a coup from its name, `player/banker`."""
    player, _, banker = name.partition("/")
    return Coup(tuple(map(Rank, player)), tuple(map(Rank, banker)))


def _cards(name: str) -> tuple[CardSeen, ...]:
    """Deal a coup in order, every card of a suit of its own where ranks are alike."""
    coup = _coup(name)
    order = [(PLAYER, 0), (BANKER, 0), (PLAYER, 1), (BANKER, 1), (PLAYER, 2), (BANKER, 2)]
    dealt = [
        (hand, ranks[place])
        for hand, place in order
        if len(ranks := coup.player if hand is PLAYER else coup.banker) > place
    ]
    return tuple(
        CardSeen(seq, Card(rank, SUITS[seq % len(SUITS)]), hand)
        for seq, (hand, rank) in enumerate(dealt, 1)
    )


@lru_cache(maxsize=1 << 18)
def coup_is_in_order(rulebook_id: str, name: str, announced: str | None) -> bool:
    """Judge a coup without wagers, with the outcome that was announced."""
    cards = _cards(name)
    calls = () if announced is None else (Call(CallKind.OUTCOME, len(cards), value=announced),)
    played = Round(Game.BACCARAT, cards, calls=calls)
    return not judge_round(played, rulebook(rulebook_id), plain_sheet(rulebook_id))


_FIRST_SETTLED: dict[Hashable, str] = {}


@lru_cache(maxsize=1 << 18)
def _settles_as(kind: WagerKind, name: str) -> str:
    """Name the first coup that was seen to settle this kind of wager as the given one does."""
    return _FIRST_SETTLED.setdefault((kind, settled_alike(kind, _coup(name))), name)


@lru_cache(maxsize=1 << 20)
def wager_is_in_order(
    terms: Terms, kind: WagerKind, name: str, stake: int, net: int | None
) -> bool:
    """Judge one wager on a coup that settles it like its own; amounts in cents."""
    least = terms.limit.min if terms.limit is not None else None
    if least is not None and stake * CENT < least:
        return False  # what it means for the bettor shows only in later rounds
    wager = Wager("bettor", kind, stake * CENT, None if net is None else net * CENT)
    try:
        played = Round(Game.BACCARAT, _cards(name), (wager,))
    except BadInput:
        return False  # a wager of another game: why its round cannot be judged is said there
    return not judge_round(played, rulebook(terms.rulebook), terms.sheet(kind))


def _area_is_in_order(book: Rulebook, area: Area) -> bool:
    return not any(isinstance(rule(area, book), Breach) for rule in AREA_RULES.values())


def _sides_are_in_order(profile: Profile, player: int, banker: int) -> bool:
    greatest = profile.sheet.differential
    if greatest is None:
        return True
    totals = Differential(player * CENT, banker * CENT, greatest)
    return not isinstance(differential_exceeded(totals, profile.book), Breach)


# Rounds


def clear(
    cards: pl.DataFrame, wagers: pl.DataFrame, calls: pl.DataFrame, profiles: Profiles
) -> pl.DataFrame:
    """Give the rounds that are in order beyond doubt: their key, and the outcome of the coup.

    Frames have the columns of the logs. A shoe without a profile is not looked at.
    """
    numbered = list(profiles.values())
    coups = _ordinary_coups(cards, _shoes(profiles))
    coups = _without_extraordinary_calls(coups, calls)
    coups = _in_order(coups, numbered)
    coups = coups.join(_with_a_faulty_wager(coups, wagers, numbered), on=ROUND_KEY, how="anti")
    names = coups["coup"].unique()
    outcomes = pl.DataFrame(
        {"coup": names, "outcome": [str(outcome(_coup(name))) for name in names]},
        schema={"coup": pl.String, "outcome": pl.String},
    )
    return coups.join(outcomes, on="coup").select(*ROUND_KEY, "outcome")


def _shoes(profiles: Profiles) -> pl.DataFrame:
    rows = [
        (table, shoe, number, profile.sheet.decks)
        for number, ((table, shoe), profile) in enumerate(profiles.items())
    ]
    columns = {"table_id": pl.String, "shoe": pl.String, "profile": pl.Int64, "decks": pl.Int64}
    return pl.DataFrame(rows, schema=columns, orient="row")


def _ordinary_coups(cards: pl.DataFrame, shoes: pl.DataFrame) -> pl.DataFrame:
    """Find rounds of four to six sure cards, dealt in order, and give them the class of the coup.

    The first round of a shoe is left to the judge, who sees the burn card and the decks with it.
    """
    sure = (pl.col("card") != "??") & (pl.col("confidence") >= SURE_FROM)
    rank = pl.col("card").str.head(1)
    coups = (
        cards.join(shoes, on=SHOE_KEY, how="semi")
        .drop_nulls("round")
        .sort("seq")
        .group_by(ROUND_KEY)
        .agg(
            sure=sure.all() & pl.col("hand").is_not_null().all(),
            hands=pl.col("hand").str.join(""),
            player=rank.filter(pl.col("hand") == "player").str.join(""),
            banker=rank.filter(pl.col("hand") == "banker").str.join(""),
            different=pl.col("card").n_unique() == pl.len(),
        )
        .join(shoes, on=SHOE_KEY)
        .filter(
            "sure",
            pl.col("hands").is_in(DEALT),
            pl.col("different") | (pl.col("decks") >= COPIES_OF_ALL_FROM),
            pl.col("round") > pl.col("round").min().over(SHOE_KEY),
        )
    )
    coup = pl.concat_str(_hand_class("player"), _hand_class("banker"), separator="/")
    return coups.select(*ROUND_KEY, "profile", coup=coup)


def _hand_class(hand: str) -> pl.Expr:
    two, drawn = pl.col(hand).str.head(2), pl.col(hand).str.slice(2)
    classes = _class_of_initial_cards(), _class_of_third_card()
    return two.replace_strict(classes[0], return_dtype=pl.String) + drawn.replace_strict(
        classes[1], return_dtype=pl.String
    )


def _without_extraordinary_calls(coups: pl.DataFrame, calls: pl.DataFrame) -> pl.DataFrame:
    """Drop rounds in which anything but the ordinary was said; note what was announced."""
    of_the_shoe = pl.col("call").is_in(list(OF_THE_SHOE))
    at_large = calls.filter(pl.col("round").is_null() & ~of_the_shoe)
    announced = pl.col("value").filter(pl.col("call") == CallKind.OUTCOME)
    said = (
        calls.drop_nulls("round")
        .group_by(ROUND_KEY)
        .agg(
            ordinary=pl.col("call").is_in(list(ORDINARY_CALLS)).all(),
            announced=announced.first(),
            announcements=announced.len(),
            closed=pl.col("ts").filter(pl.col("call") == CallKind.BETS_CLOSED).max(),
        )
    )
    return (
        coups.join(at_large, on=SHOE_KEY, how="anti")
        .join(said, on=ROUND_KEY, how="left")
        .filter(pl.col("ordinary").fill_null(value=True), pl.col("announcements").fill_null(0) <= 1)
        .drop("ordinary", "announcements")
    )


def _in_order(coups: pl.DataFrame, profiles: list[Profile]) -> pl.DataFrame:
    """Keep the coups that the judge has nothing to say about, each distinct one asked once."""
    books = pl.Series([profile.book.id for profile in profiles], dtype=pl.String)
    named = coups.with_columns(rulebook=books.gather(coups["profile"]))
    situation = ["rulebook", "coup", "announced"]
    distinct = named.select(situation).unique()
    verdicts = [coup_is_in_order(*row) for row in distinct.iter_rows()]
    in_order = distinct.filter(pl.Series(verdicts, dtype=pl.Boolean))
    return named.join(in_order, on=situation, how="semi", nulls_equal=True)


def _with_a_faulty_wager(
    coups: pl.DataFrame, wagers: pl.DataFrame, profiles: list[Profile]
) -> pl.DataFrame:
    """Name the rounds of which some wager, alone or with the others, needs a judge."""
    placed = wagers.join(coups, on=ROUND_KEY)
    late = (pl.col("placed_at") > pl.col("closed")).fill_null(value=False)
    parts = [
        placed.filter(late | pl.col("on_behalf_of").is_not_null()),
        _faulty_alone(placed, profiles),
        _faulty_areas(placed, profiles),
        _faulty_sides(placed, profiles),
    ]
    return pl.concat([part.select(ROUND_KEY) for part in parts]).unique()


def _faulty_alone(placed: pl.DataFrame, profiles: list[Profile]) -> pl.DataFrame:
    """Find wagers that the judge has something to say about, each distinct one asked once."""
    numbers: dict[Terms, int] = {}
    kinds = placed.select("profile", "wager").unique()
    terms = [
        numbers.setdefault(profiles[profile].terms(WagerKind(kind)), len(numbers))
        for profile, kind in kinds.iter_rows()
    ]
    by_number = list(numbers)
    coups = placed.select("wager", "coup").unique()
    settling = [_settles_as(WagerKind(kind), name) for kind, name in coups.iter_rows()]
    situation = ["terms", "wager", "settling", "stake", "net"]
    named = placed.join(
        kinds.with_columns(terms=pl.Series(terms, dtype=pl.Int64)), on=["profile", "wager"]
    ).join(coups.with_columns(settling=pl.Series(settling, dtype=pl.String)), on=["wager", "coup"])
    distinct = named.select(situation).unique()
    verdicts = [
        wager_is_in_order(by_number[number], WagerKind(kind), name, stake, net)
        for number, kind, name, stake, net in distinct.iter_rows()
    ]
    faulty = distinct.remove(pl.Series(verdicts, dtype=pl.Boolean))
    return named.join(faulty, on=situation, how="semi", nulls_equal=True)


def _faulty_areas(placed: pl.DataFrame, profiles: list[Profile]) -> pl.DataFrame:
    """Find areas that hold more wagers than they may."""
    area = [*ROUND_KEY, "profile", "wager", "box"]
    counted = (
        placed.group_by(*area, "bettor")
        .len()
        .group_by(area)
        .agg(count=pl.col("len").sum(), most=pl.col("len").max())
    )
    situation = ["profile", "wager", "box", "count", "most"]
    distinct = counted.select(situation).unique()
    verdicts = [
        _area_is_in_order(profiles[profile].book, Area(WagerKind(kind), count, most, box))
        for profile, kind, box, count, most in distinct.iter_rows()
    ]
    faulty = distinct.remove(pl.Series(verdicts, dtype=pl.Boolean))
    return counted.join(faulty, on=situation, how="semi", nulls_equal=True)


def _faulty_sides(placed: pl.DataFrame, profiles: list[Profile]) -> pl.DataFrame:
    """Find rounds whose sides are too far apart."""
    with_differential = [
        number for number, one in enumerate(profiles) if one.sheet.differential is not None
    ]
    stakes = {
        side: pl.col("stake").filter(pl.col("wager") == side).sum()
        for side in (WagerKind.PLAYER, WagerKind.BANKER)
    }
    sides = (
        placed.filter(pl.col("profile").is_in(with_differential))
        .group_by(*ROUND_KEY, "profile")
        .agg(player=stakes[WagerKind.PLAYER], banker=stakes[WagerKind.BANKER])
    )
    situation = ["profile", "player", "banker"]
    distinct = sides.select(situation).unique()
    verdicts = [
        _sides_are_in_order(profiles[profile], player, banker)
        for profile, player, banker in distinct.iter_rows()
    ]
    faulty = distinct.remove(pl.Series(verdicts, dtype=pl.Boolean))
    return sides.join(faulty, on=situation, how="semi")
