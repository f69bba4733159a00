"""Rulebooks from their files: read, and checked against the document's clauses."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Self, TypeVar

from audit.errors import BadInput, BadRulebook
from audit.ledger import clauses_of
from audit.money import parse_odds
from audit.observations import WAGERS_OF, Game, WagerKind
from audit.rulebook import (
    BlackjackOptions,
    Cited,
    DealerBlackjackAgainst21,
    Event,
    Irregularity,
    LateWager,
    LimitsJudged,
    Options,
    OverMaximum,
    PayRow,
    Provision,
    Reading,
    Remedy,
    Rulebook,
    SideWagerNeeds,
    Stage,
    UnderMinimum,
    WagerOffered,
    WithdrawnWager,
)
from audit.toml_section import Section, read_toml

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)

DOCUMENTS = (
    "mbs-blackjack-v6",
    "rws-blackjack-v4",
    "rws-blackjack-v5",
    "mbs-fortune-six-baccarat-v6",
    "mbs-electronic-baccarat",
)
"""Every approved document; the editions of one series stand in the order of their versions."""

_SIX = frozenset({Event.BANKER_SIX_ON_TWO_CARDS, Event.BANKER_SIX_ON_THREE_CARDS})
_DRAGON = frozenset(
    {
        Event.WINS_BY_9,
        Event.WINS_BY_8,
        Event.WINS_BY_7,
        Event.WINS_BY_6,
        Event.WINS_BY_5,
        Event.WINS_BY_4,
        Event.WINS_WITH_NATURAL,
        Event.NATURAL_TIE,
    }
)

PAY_TABLES: dict[WagerKind, tuple[frozenset[Event], ...]] = {
    WagerKind.PLAYER: (frozenset({Event.PLAYER_WINS}),),
    WagerKind.BANKER: (
        frozenset({Event.BANKER_WINS}),
        frozenset({Event.BANKER_WINS_ON_SIX, Event.BANKER_WINS_OTHERWISE}),
    ),
    WagerKind.TIE: (frozenset({Event.TIE}),),
    WagerKind.PLAYER_PAIR: (frozenset({Event.PAIR}),),
    WagerKind.BANKER_PAIR: (frozenset({Event.PAIR}),),
    WagerKind.SUPER6: (frozenset({Event.BANKER_WINS_ON_SIX}),),
    WagerKind.FORTUNE6: (_SIX,),
    WagerKind.PLAYER_DRAGON: (_DRAGON,),
    WagerKind.BANKER_DRAGON: (_DRAGON,),
    WagerKind.TIGER: (_SIX,),
    WagerKind.SMALL_TIGER: (frozenset({Event.BANKER_SIX_ON_TWO_CARDS}),),
    WagerKind.BIG_TIGER: (frozenset({Event.BANKER_SIX_ON_THREE_CARDS}),),
    WagerKind.TIGER_TIE: (frozenset({Event.TIE_ON_SIX}),),
    WagerKind.TIGER_PAIR: (frozenset({Event.SINGLE_PAIR, Event.DOUBLE_PAIR, Event.TWIN_PAIR}),),
    WagerKind.MAIN: (frozenset({Event.BLACKJACK, Event.EVEN_MONEY, Event.WINS}),),
    WagerKind.SPLIT: (frozenset({Event.WINS}),),
    WagerKind.DOUBLE: (frozenset({Event.WINS}),),
    WagerKind.INSURANCE: (frozenset({Event.DEALER_BLACKJACK}),),
    WagerKind.PAIR: (frozenset({Event.PAIR}),),
    WagerKind.OVER13: (frozenset({Event.OVER_13}),),
    WagerKind.UNDER13: (frozenset({Event.UNDER_13}),),
}
"""The rows that each wager needs; where a game can pay it in two ways, either set."""

HAND_WAGERS = frozenset({WagerKind.MAIN, WagerKind.SPLIT, WagerKind.DOUBLE})
MAIN_WAGERS = {
    Game.BACCARAT: frozenset({WagerKind.PLAYER, WagerKind.BANKER, WagerKind.TIE}),
    Game.BLACKJACK: frozenset(
        {WagerKind.MAIN, WagerKind.SPLIT, WagerKind.DOUBLE, WagerKind.INSURANCE}
    ),
}


class RulebookSection(Section):
    """A table of a rulebook file, whose values each name a clause that the document has."""

    def __init__(self, where: str, content: object, clauses: frozenset[str]) -> None:
        super().__init__(where, content, BadRulebook)
        self.clauses = clauses

    def part(self, where: str, content: object) -> Self:
        return type(self)(where, content, self.clauses)

    def clause(self, key: str = "clause") -> str:
        return self._checked(self.text(key))

    def optional_clause(self, key: str) -> str | None:
        return self.clause(key) if key in self else None

    def clause_list(self, key: str) -> tuple[str, ...]:
        return tuple(self._checked(clause) for clause in self.texts(key))

    def _checked(self, clause: str) -> str:
        if clause not in self.clauses:
            raise BadRulebook(f"{self.where} cites clause {clause}, which the document lacks")
        return clause

    def cited(self, key: str, value: "Callable[[RulebookSection], T]") -> Cited[T]:
        row = self.section(key)
        cited = Cited(value(row), row.clause())
        row.end()
        return cited

    def optional(self, key: str, value: "Callable[[RulebookSection], T]") -> Cited[T] | None:
        return self.cited(key, value) if key in self else None


def _number(row: RulebookSection) -> int:
    return row.number("value")


def _flag(row: RulebookSection) -> bool:
    return row.flag("value")


def _share(row: RulebookSection) -> Fraction:
    return row.share("value")


def _one_of(names: type[E]) -> Callable[[RulebookSection], E]:
    return lambda row: row.choice("value", names)


def _wagers(section: RulebookSection, game: Game) -> dict[WagerKind, WagerOffered]:
    offered: dict[WagerKind, WagerOffered] = {}
    for name in section:
        if name not in WAGERS_OF[game]:
            raise BadRulebook(f"{section.where} offers {name}, which is no wager of {game}")
        kind = WagerKind(name)
        row = section.section(name)
        pays = _pays(row)
        _check_pay_table(row.where, kind, frozenset(pays))
        offered[kind] = WagerOffered(kind, row.clause(), pays, _clause_of_loss(row, kind))
        row.end()
    missing = MAIN_WAGERS[game] - offered.keys()
    if missing:
        raise BadRulebook(f"{section.where} lacks {', '.join(sorted(missing))}")
    return offered


def _pays(wager: RulebookSection) -> dict[Event, PayRow]:
    pays: dict[Event, PayRow] = {}
    for row in wager.sections("pays"):
        event = row.choice("on", Event)
        if event in pays:
            raise BadRulebook(f"{wager.where} contradicts itself: it pays on {event} twice")
        try:
            odds = parse_odds(row.text("odds"))
        except BadInput as error:
            raise BadRulebook(f"{row.where}: {error}") from None
        pays[event] = PayRow(event, odds, row.clause())
        row.end()
    return pays


def _clause_of_loss(row: RulebookSection, kind: WagerKind) -> str:
    """A wager on a hand loses by several clauses, every other wager by one."""
    return "" if kind in HAND_WAGERS else row.clause("loses")


def _check_pay_table(where: str, kind: WagerKind, events: frozenset[Event]) -> None:
    if events in PAY_TABLES[kind]:
        return
    closest = min(PAY_TABLES[kind], key=lambda rows: len(rows ^ events))
    if closest - events:
        raise BadRulebook(f"{where} lacks the pay-table row {', '.join(sorted(closest - events))}")
    raise BadRulebook(f"{where} cannot pay on {', '.join(sorted(events - closest))}")


def _options(section: RulebookSection) -> Options:
    options = Options(
        limits_judged=section.optional("limits_judged", _one_of(LimitsJudged)),
        over_maximum=section.optional("over_maximum", _one_of(OverMaximum)),
        under_minimum=section.optional("under_minimum", _one_of(UnderMinimum)),
        late_wager=section.cited("late_wager", _one_of(LateWager)),
        withdrawn_wager=section.cited("withdrawn_wager", _one_of(WithdrawnWager)),
        wagers_per_area=section.optional("wagers_per_area", _number),
        void_returns_wagers=section.clause("void_returns_wagers"),
    )
    if options.over_maximum and not options.limits_judged:
        raise BadRulebook(f"{section.where} contradicts itself: over_maximum without limits_judged")
    section.end()
    return options


def _blackjack(section: RulebookSection) -> BlackjackOptions:
    options = BlackjackOptions(
        boxes=section.optional("boxes", _number),
        dealer_stands_from=section.cited("dealer_stands_from", _number),
        dealer_stops_when_nothing_depends=section.optional_clause(
            "dealer_stops_when_nothing_depends"
        ),
        draw_on_hard_21=section.cited("draw_on_hard_21", _flag),
        forced_draw_below=section.optional("forced_draw_below", _number),
        greatest_hands=section.cited("greatest_hands", _number),
        ace_splits=section.cited("ace_splits", _number),
        cards_on_split_ace=section.cited("cards_on_split_ace", _number),
        cards_on_doubled_hand=section.cited("cards_on_doubled_hand", _number),
        double_not_below_minimum=section.optional_clause("double_not_below_minimum"),
        surrender_share=section.cited("surrender_share", _share),
        insurance_share=section.cited("insurance_share", _share),
        others_may_insure=section.cited("others_may_insure", _flag),
        even_money_returns_insurance=section.optional_clause("even_money_returns_insurance"),
        side_wager_needs=section.cited("side_wager_needs", _one_of(SideWagerNeeds)),
        side_wager_without_main_returned=section.optional_clause(
            "side_wager_without_main_returned"
        ),
        over_under_at_most_original=section.optional_clause("over_under_at_most_original"),
        pair_wagers_per_box=section.optional("pair_wagers_per_box", _number),
        wagers_kept_together=section.optional_clause("wagers_kept_together"),
        controller_must_double_first=section.optional_clause("controller_must_double_first"),
        absent_hard_from=section.optional("absent_hard_from", _number),
        absent_soft_from=section.optional("absent_soft_from", _number),
        absent_may_not_raise=section.optional_clause("absent_may_not_raise"),
        twenty_one_never_doubled=section.optional_clause("twenty_one_never_doubled"),
        insurance_before_further_cards=section.clause("insurance_before_further_cards"),
        double_not_withdrawn=section.optional_clause("double_not_withdrawn"),
        limit_on_splits=section.clause("limit_on_splits"),
        limit_on_doubles=section.clause("limit_on_doubles"),
        side_wagers_settled_first=section.optional_clause("side_wagers_settled_first"),
        box_without_cards_returned=section.optional_clause("box_without_cards_returned"),
        blackjack_wins=section.clause("blackjack_wins"),
        higher_total_wins=section.clause("higher_total_wins"),
        dealer_bust_wins=section.clause("dealer_bust_wins"),
        lower_total_loses=section.clause("lower_total_loses"),
        bust_loses=section.clause("bust_loses"),
        dealer_blackjack_wins=section.clause("dealer_blackjack_wins"),
        dealer_blackjack_wins_on_ace=section.optional_clause("dealer_blackjack_wins_on_ace"),
        same_total_stands_off=section.clause("same_total_stands_off"),
        both_blackjack_stand_off=section.clause("both_blackjack_stand_off"),
        both_blackjack_stand_off_on_ace=section.optional_clause("both_blackjack_stand_off_on_ace"),
        dealer_blackjack_against_21=section.cited(
            "dealer_blackjack_against_21", _one_of(DealerBlackjackAgainst21)
        ),
    )
    if (options.absent_hard_from is None) != (options.absent_soft_from is None):
        raise BadRulebook(
            f"{section.where} must set absent_hard_from and absent_soft_from together"
        )
    section.end()
    return options


def _provisions(rows: Iterable[RulebookSection]) -> tuple[Provision, ...]:
    provisions: list[Provision] = []
    for row in rows:
        provision = Provision(
            irregularity=row.choice("irregularity", Irregularity),
            stage=row.choice("stage", Stage) if "stage" in row else Stage.ANY,
            remedy=row.choice("remedy", Remedy),
            clause=row.clause(),
            says=row.text("says"),
            withdraw=row.optional_clause("withdraw"),
            withdraw_all=row.optional_flag("withdraw_all"),
            withdraw_any_time=row.optional_flag("withdraw_any_time"),
            seals_every_error=row.optional_flag("seals_every_error"),
        )
        row.end()
        for other in provisions:
            if _same_case(provision, other):
                raise BadRulebook(
                    f"{row.where} contradicts clause {other.clause}: "
                    f"both settle {other.irregularity}, stage {other.stage}"
                )
        provisions.append(provision)
    return tuple(provisions)


def _same_case(one: Provision, other: Provision) -> bool:
    stages = {one.stage, other.stage}
    return one.irregularity is other.irregularity and (len(stages) == 1 or Stage.ANY in stages)


def _readings(section: RulebookSection) -> dict[str, Reading]:
    readings: dict[str, Reading] = {}
    for name in section:
        row = section.section(name)
        readings[name] = Reading(
            name=name,
            clauses=row.clause_list("clauses"),
            chosen=row.text("chosen"),
            other=row.text("other"),
            reason=row.text("reason"),
        )
        row.end()
    return readings


def _decks(section: RulebookSection) -> tuple[Cited[int], Cited[int]]:
    fewest, most = section.cited("fewest", _number), section.cited("most", _number)
    if not 1 <= fewest.value <= most.value:
        raise BadRulebook(
            f"{section.where} contradicts itself: "
            f"at least {fewest.value} decks, at most {most.value}"
        )
    section.end()
    return fewest, most


@dataclass(frozen=True, slots=True)
class _Offer:
    """What tells the games of one document apart."""

    id: str
    title: str
    wagers: Mapping[WagerKind, WagerOffered]


def _offers(top: RulebookSection, document: str, title: str, game: Game) -> list[_Offer]:
    if "games" not in top:
        return [_Offer(document, title, _wagers(top.section("wagers"), game))]
    offers: list[_Offer] = []
    games = top.section("games")
    for name in games:
        entry = games.section(name)
        wagers = _wagers(entry.section("wagers"), game)
        offers.append(_Offer(f"{document}/{name}", f"{title}: {entry.text('title')}", wagers))
        entry.end()
    return offers


def read_rulebooks(text: str, where: str, clauses: frozenset[str]) -> tuple[Rulebook, ...]:
    """Read one document's file: a rulebook for each of its games."""
    top = RulebookSection(where, read_toml(text, where, BadRulebook), clauses)
    document = top.text("id")
    series, title, game = top.text("series"), top.text("title"), top.choice("game", Game)
    in_force = top.moment("in_force") if "in_force" in top else None
    fewest, most = _decks(top.section("decks"))
    offers = _offers(top, document, title, game)
    options = _options(top.section("options"))
    blackjack = _blackjack(top.section("blackjack")) if game is Game.BLACKJACK else None
    breaks_section = top.section("breaks")
    breaks = {code: breaks_section.clause_list(code) for code in breaks_section}
    provisions = _provisions(top.sections("irregularity")) if "irregularity" in top else ()
    readings = _readings(top.section("readings")) if "readings" in top else {}
    top.end()
    return tuple(
        Rulebook(
            id=offer.id,
            document=document,
            series=series,
            title=offer.title,
            game=game,
            in_force=in_force,
            fewest_decks=fewest,
            most_decks=most,
            wagers=offer.wagers,
            options=options,
            blackjack=blackjack,
            breaks=breaks,
            provisions=provisions,
            readings=readings,
        )
        for offer in offers
    )


@cache
def all_rulebooks() -> Mapping[str, Rulebook]:
    """Load the five documents' ten games, by their id."""
    books: dict[str, Rulebook] = {}
    for document in DOCUMENTS:
        text = files("audit").joinpath("rulebooks", f"{document}.toml").read_text("utf-8")
        for book in read_rulebooks(text, f"{document}.toml", clauses_of(document)):
            books[book.id] = book
    return books


def rulebook(book_id: str) -> Rulebook:
    """Find a rulebook by its id."""
    books = all_rulebooks()
    if book_id in books:
        return books[book_id]
    games = [name for name in books if name.startswith(f"{book_id}/")]
    if games:
        raise BadInput(f"{book_id} holds {len(games)} games: name one of {', '.join(games)}")
    raise BadInput(f"{book_id!r} is not a rulebook: there are {', '.join(books)}")
