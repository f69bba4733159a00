"""Baccarat: definitions, how to play, and what each wager wins on.

The order is that of the approved rules: definitions (chapter 1), point values and totals
(3.3, 3.4), the deal (3.12; 3.6 in the electronic game), the table of play (3.14; 3.8), the
outcome (3.15; 3.9). Both documents say the same here, so both use this file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from audit.cards import Rank
from audit.hands import BANKER, PLAYER, Hand
from audit.observations import WagerKind
from audit.rulebook import Event, Rulebook
from audit.verdicts import COMPLIED, NOT_APPLICABLE, Breach, Undetermined, Verdict


@dataclass(frozen=True, slots=True)
class Coup:
    """The ranks of both hands, each in the order dealt."""

    player: tuple[Rank, ...]
    banker: tuple[Rank, ...]


@dataclass(frozen=True, slots=True)
class Dealt:
    """Where each card of a round went, in the order in which the cards left the shoe."""

    hands: tuple[Hand | None, ...]


class Outcome(StrEnum):
    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"


# Point values and totals

POINT_VALUE = {
    Rank.ACE: 1,
    Rank.TWO: 2,
    Rank.THREE: 3,
    Rank.FOUR: 4,
    Rank.FIVE: 5,
    Rank.SIX: 6,
    Rank.SEVEN: 7,
    Rank.EIGHT: 8,
    Rank.NINE: 9,
    Rank.TEN: 0,
    Rank.JACK: 0,
    Rank.QUEEN: 0,
    Rank.KING: 0,
}


def point_total(ranks: Sequence[Rank]) -> int:
    """Add up a hand: the right digit of the sum."""
    return sum(POINT_VALUE[rank] for rank in ranks) % 10


# Definitions

NATURALS = frozenset({8, 9})


def is_natural(ranks: Sequence[Rank]) -> bool:
    """Tell a hand that won or tied on its two initial cards: eight or nine."""
    return len(ranks) == INITIAL_CARDS and point_total(ranks) in NATURALS


def is_pair(ranks: Sequence[Rank]) -> bool:
    """Tell whether the initial two cards are a pair: the same rank.

    Reading: a ten and a picture card have the same point value, but the definition tells pictures
    apart by their face, so a ten pairs only with a ten.
    """
    return len(ranks) >= INITIAL_CARDS and ranks[0] is ranks[1]


def is_pair_by_point_value(ranks: Sequence[Rank]) -> bool:
    """Tell a pair under the other reading, where a ten and a picture card count as one."""
    if len(ranks) < INITIAL_CARDS or is_pair(ranks):
        return is_pair(ranks)
    return Rank.TEN in ranks[:INITIAL_CARDS] and all(
        POINT_VALUE[rank] == 0 for rank in ranks[:INITIAL_CARDS]
    )


# The deal

INITIAL_CARDS = 2
INITIAL_ORDER = (PLAYER, BANKER, PLAYER, BANKER)


def initial_cards_out_of_order(dealt: Dealt, book: Rulebook) -> Verdict:
    """DEA001 The first four cards were not dealt in turn.

    What: the first and third cards out of the shoe belong to the player hand, the second and
    fourth to the banker hand. They went elsewhere.

    Why: the order out of the shoe decides who gets which card, so a swap changes the outcome. The
    cards are put back in their order and the round goes on.

    Example: P 9H#1 KD#2 / B 4C#3 5S#4
    """
    if len(dealt.hands) < len(INITIAL_ORDER):
        return NOT_APPLICABLE
    initial = dealt.hands[: len(INITIAL_ORDER)]
    if None in initial:
        return Undetermined(f"where card {initial.index(None) + 1} went")
    if initial == INITIAL_ORDER:
        return COMPLIED
    return Breach(
        expected="the first four cards go player, banker, player, banker",
        observed="they went " + ", ".join(str(hand) for hand in initial),
    )


def initial_deal_incomplete(dealt: Dealt, book: Rulebook) -> Verdict:
    """DEA002 A round was played with fewer than four initial cards.

    What: both hands need two cards each before anything is decided. Fewer left the shoe, and the
    round was not voided.

    Why: no wager can win or lose on a deal that was never completed.

    Example: P 9H KD / B 4C
    """
    if len(dealt.hands) >= len(INITIAL_ORDER):
        return COMPLIED
    cards = "1 card" if len(dealt.hands) == 1 else f"{len(dealt.hands)} cards"
    return Breach(expected="two cards each to player and banker", observed=f"{cards} left the shoe")


def third_cards_out_of_order(dealt: Dealt, book: Rulebook) -> Verdict:
    """DEA003 The banker's third card was dealt before the player's.

    What: when both hands draw, the fifth card out of the shoe is the player's and the sixth the
    banker's. They were dealt the other way round.

    Why: the banker's draw depends on the player's third card, and each hand got the other's card.

    Example: P 2H#1 3D#3 8C#6 / B KS#2 2S#4 5D#5
    """
    later = dealt.hands[len(INITIAL_ORDER) :]
    if PLAYER not in later or BANKER not in later:
        return NOT_APPLICABLE
    if later.index(PLAYER) < later.index(BANKER):
        return COMPLIED
    return Breach(
        expected="the player's third card comes before the banker's",
        observed="the banker's third card was dealt first",
    )


# The table of play

PLAYER_DRAWS_ON = frozenset({0, 1, 2, 3, 4, 5})

BANKER_DRAWS_WHEN_PLAYER_STANDS_ON = frozenset({0, 1, 2, 3, 4, 5})

EVERY_CARD = frozenset({0, 1, 2, 3, 4, 5, 6, 7, 8, 9})

BANKER_DRAWS_ON_PLAYERS_THIRD = {
    0: EVERY_CARD,
    1: EVERY_CARD,
    2: EVERY_CARD,
    3: EVERY_CARD - {8},
    4: frozenset({2, 3, 4, 5, 6, 7}),
    5: frozenset({4, 5, 6, 7}),
    6: frozenset({6, 7}),
    7: frozenset[int](),
}


def natural_ends_the_deal(coup: Coup) -> bool:
    """Tell whether either hand's initial total lets neither draw."""
    return is_natural(coup.player[:INITIAL_CARDS]) or is_natural(coup.banker[:INITIAL_CARDS])


def player_draws(coup: Coup) -> bool:
    """Tell whether the table of play gives the player hand a third card."""
    if natural_ends_the_deal(coup):
        return False
    return point_total(coup.player[:INITIAL_CARDS]) in PLAYER_DRAWS_ON


def banker_draws(coup: Coup) -> bool:
    """Tell whether the table of play gives the banker hand a third card.

    It depends on the player's third card, where one was drawn.
    """
    if natural_ends_the_deal(coup):
        return False
    banker = point_total(coup.banker[:INITIAL_CARDS])
    if len(coup.player) == INITIAL_CARDS:
        return banker in BANKER_DRAWS_WHEN_PLAYER_STANDS_ON
    return POINT_VALUE[coup.player[INITIAL_CARDS]] in BANKER_DRAWS_ON_PLAYERS_THIRD[banker]


def _initial_deal_is_complete(coup: Coup) -> bool:
    return len(coup.player) >= INITIAL_CARDS and len(coup.banker) >= INITIAL_CARDS


def _players_turn_was_right(coup: Coup) -> bool:
    return player_draws(coup) == (len(coup.player) > INITIAL_CARDS)


def _third_card_of_player(coup: Coup) -> str:
    if len(coup.player) == INITIAL_CARDS:
        return f"the player stands on {point_total(coup.player)}"
    return f"the player's third card is {coup.player[INITIAL_CARDS]}"


def player_third_card_not_drawn(coup: Coup, book: Rulebook) -> Verdict:
    """DRW001 The player hand's required third card was not drawn.

    What: with no natural on the table, the player hand draws on 0 to 5. It was left at two cards.

    Why: the card belongs to the round. It came out for somebody else, and every wager may have
    been settled on a hand that was not finished.

    Example: P 2H 3D / B KS 7S
    """
    if not _initial_deal_is_complete(coup) or not player_draws(coup):
        return NOT_APPLICABLE
    if len(coup.player) > INITIAL_CARDS:
        return COMPLIED
    total = point_total(coup.player)
    return Breach(f"player on {total} draws a third card", f"player stood on {total}")


def player_third_card_forbidden(coup: Coup, book: Rulebook) -> Verdict:
    """DRW002 The player hand drew a third card although it had to stand.

    What: the player hand stands on 6 and 7. It was given a third card.

    Why: the card should have stayed in the shoe or gone to the banker hand; the outcome and all
    later cards are shifted.

    Example: P 2H 4D 8C / B KS 7S
    """
    if not _initial_deal_is_complete(coup) or natural_ends_the_deal(coup) or player_draws(coup):
        return NOT_APPLICABLE
    if len(coup.player) == INITIAL_CARDS:
        return COMPLIED
    total = point_total(coup.player[:INITIAL_CARDS])
    third = coup.player[INITIAL_CARDS]
    return Breach(f"player stands on {total}", f"player drew {third} on {total}")


def banker_third_card_not_drawn(coup: Coup, book: Rulebook) -> Verdict:
    """DRW003 The banker hand's required third card was not drawn.

    What: by the table of play the banker hand had to draw, given its total and what the player
    hand did. It was left at two cards.

    Why: a skipped card decides wagers on a hand that was not finished, and the card then comes out
    in the next round, where it does not belong.

    Example: P 2H 3D 7C / B KS 6S
    """
    if not _initial_deal_is_complete(coup) or not _players_turn_was_right(coup):
        return NOT_APPLICABLE
    if not banker_draws(coup):
        return NOT_APPLICABLE
    if len(coup.banker) > INITIAL_CARDS:
        return COMPLIED
    total = point_total(coup.banker)
    return Breach(
        f"banker on {total} draws a third card when {_third_card_of_player(coup)}",
        f"banker stood on {total}",
    )


def banker_third_card_forbidden(coup: Coup, book: Rulebook) -> Verdict:
    """DRW004 The banker hand drew a third card although it had to stand.

    What: by the table of play the banker hand had to stand, given its total and what the player
    hand did. It was given a third card.

    Why: the card belongs to the next round; this round's outcome may have been turned by it.

    Example: P 2H 3D 8C / B KS 3S 4D
    """
    if not _initial_deal_is_complete(coup) or natural_ends_the_deal(coup):
        return NOT_APPLICABLE
    if not _players_turn_was_right(coup) or banker_draws(coup):
        return NOT_APPLICABLE
    if len(coup.banker) == INITIAL_CARDS:
        return COMPLIED
    total = point_total(coup.banker[:INITIAL_CARDS])
    return Breach(
        f"banker stands on {total} when {_third_card_of_player(coup)}",
        f"banker drew {coup.banker[INITIAL_CARDS]} on {total}",
    )


def card_drawn_after_natural(coup: Coup, book: Rulebook) -> Verdict:
    """DRW005 A card was drawn although a hand had a natural.

    What: an 8 or 9 on the initial two cards of either hand ends the deal. A further card was drawn.

    Why: the outcome was already settled, so the card can only have changed it wrongly.

    Example: P 9H KD / B 2C 3S 5D
    """
    if not _initial_deal_is_complete(coup) or not natural_ends_the_deal(coup):
        return NOT_APPLICABLE
    drew = [
        name
        for name, ranks in (("player", coup.player), ("banker", coup.banker))
        if len(ranks) > INITIAL_CARDS
    ]
    if not drew:
        return COMPLIED
    naturals = [
        f"{name} has a natural {point_total(ranks[:INITIAL_CARDS])}"
        for name, ranks in (("player", coup.player), ("banker", coup.banker))
        if is_natural(ranks[:INITIAL_CARDS])
    ]
    return Breach(
        f"no further card: {' and '.join(naturals)}", f"a card was drawn to {' and '.join(drew)}"
    )


def surplus_card_drawn(coup: Coup, book: Rulebook) -> Verdict:
    """DRW006 A hand was given more than three cards.

    What: no hand of baccarat ever holds more than three cards. This one does.

    Why: the surplus card belongs to the next round, and counting it turns totals and outcomes.

    Example: P 2H 3D 7C 4S / B KS 7S
    """
    for name, ranks in (("player", coup.player), ("banker", coup.banker)):
        if len(ranks) > INITIAL_CARDS + 1:
            return Breach(
                f"{name} holds at most three cards",
                f"{name} was given {len(ranks)} cards",
            )
    return COMPLIED


def deal_coup(ranks: Sequence[Rank]) -> Coup | None:
    """Deal cards off a shoe as the rules have it, or say that they do not reach."""
    if len(ranks) < len(INITIAL_ORDER):
        return None
    coup = Coup((ranks[0], ranks[2]), (ranks[1], ranks[3]))
    left = list(ranks[len(INITIAL_ORDER) :])
    if player_draws(coup):
        if not left:
            return None
        coup = Coup((*coup.player, left.pop(0)), coup.banker)
    if banker_draws(coup):
        if not left:
            return None
        coup = Coup(coup.player, (*coup.banker, left.pop(0)))
    return coup


# The outcome


def outcome(coup: Coup) -> Outcome:
    """Compare the point totals: the higher wins, equal ones tie."""
    player, banker = point_total(coup.player), point_total(coup.banker)
    if player == banker:
        return Outcome.TIE
    return Outcome.PLAYER if player > banker else Outcome.BANKER


def announced_outcome_differs(announced: str, coup: Coup, book: Rulebook) -> Verdict:
    """SRC001 The announced outcome is not the one that the cards give.

    What: the display or the dealer announced an outcome; the totals of the cards as dealt give
    another.

    Why: what is announced is for information only: the cards decide. Wagers settled by the
    announcement were settled wrongly.

    Example: P 9H KD / B 2C 4S | outcome banker
    """
    if announced not in {str(name) for name in Outcome}:
        return NOT_APPLICABLE
    by_cards = outcome(coup)
    if announced == by_cards:
        return COMPLIED
    player, banker = point_total(coup.player), point_total(coup.banker)
    return Breach(f"{by_cards}: player {player}, banker {banker}", f"{announced} was announced")


# What each wager wins on

SIX = 6
WINS_BY = {
    9: Event.WINS_BY_9,
    8: Event.WINS_BY_8,
    7: Event.WINS_BY_7,
    6: Event.WINS_BY_6,
    5: Event.WINS_BY_5,
    4: Event.WINS_BY_4,
}


@lru_cache(maxsize=1 << 16)
def events_on(kind: WagerKind, coup: Coup, *, pairs_by_value: bool = False) -> frozenset[Event]:
    """Name what happened in a coup that the pay table of this wager may have a row for."""
    pair = is_pair_by_point_value if pairs_by_value else is_pair
    match kind:
        case WagerKind.PLAYER:
            return _when(outcome(coup) is Outcome.PLAYER, Event.PLAYER_WINS)
        case WagerKind.BANKER:
            return _banker_events(coup)
        case WagerKind.TIE:
            return _when(outcome(coup) is Outcome.TIE, Event.TIE)
        case WagerKind.PLAYER_PAIR:
            return _when(pair(coup.player), Event.PAIR)
        case WagerKind.BANKER_PAIR:
            return _when(pair(coup.banker), Event.PAIR)
        case WagerKind.TIGER_PAIR:
            return _tiger_pair_events(coup, pairs=(pair(coup.player), pair(coup.banker)))
        case WagerKind.TIGER_TIE:
            on_six = outcome(coup) is Outcome.TIE and point_total(coup.player) == SIX
            return _when(on_six, Event.TIE_ON_SIX)
        case WagerKind.PLAYER_DRAGON:
            return _dragon_events(coup.player, coup.banker)
        case WagerKind.BANKER_DRAGON:
            return _dragon_events(coup.banker, coup.player)
        case _:
            return _banker_six_events(coup)


def _when(happened: bool, event: Event) -> frozenset[Event]:  # noqa: FBT001
    return frozenset({event}) if happened else frozenset()


def _banker_events(coup: Coup) -> frozenset[Event]:
    if outcome(coup) is not Outcome.BANKER:
        return frozenset()
    on_six = point_total(coup.banker) == SIX
    return frozenset(
        {Event.BANKER_WINS, Event.BANKER_WINS_ON_SIX if on_six else Event.BANKER_WINS_OTHERWISE}
    )


def _banker_six_events(coup: Coup) -> frozenset[Event]:
    """Super Six, Fortune Six and the Tigers: the banker wins with six, on two cards or on three."""
    if outcome(coup) is not Outcome.BANKER or point_total(coup.banker) != SIX:
        return frozenset()
    two = len(coup.banker) == INITIAL_CARDS
    return frozenset(
        {
            Event.BANKER_WINS_ON_SIX,
            Event.BANKER_SIX_ON_TWO_CARDS if two else Event.BANKER_SIX_ON_THREE_CARDS,
        }
    )


def _tiger_pair_events(coup: Coup, pairs: tuple[bool, bool]) -> frozenset[Event]:
    if not any(pairs):
        return frozenset()
    if not all(pairs):
        return frozenset({Event.SINGLE_PAIR})
    twin = len({*coup.player[:INITIAL_CARDS], *coup.banker[:INITIAL_CARDS]}) == 1
    return frozenset({Event.TWIN_PAIR if twin else Event.DOUBLE_PAIR})


def _dragon_events(own: tuple[Rank, ...], other: tuple[Rank, ...]) -> frozenset[Event]:
    """Dragon Bonus: a win with a natural, or else by four points or more; a natural tie pushes."""
    margin = point_total(own) - point_total(other)
    if margin == 0:
        return _when(is_natural(own) and is_natural(other), Event.NATURAL_TIE)
    if margin > 0 and is_natural(own):
        return frozenset({Event.WINS_WITH_NATURAL})
    return frozenset({WINS_BY[margin]}) if margin in WINS_BY else frozenset()


DRAWING_RULES = {
    "DRW001": player_third_card_not_drawn,
    "DRW002": player_third_card_forbidden,
    "DRW003": banker_third_card_not_drawn,
    "DRW004": banker_third_card_forbidden,
    "DRW005": card_drawn_after_natural,
    "DRW006": surplus_card_drawn,
}
DEALING_RULES = {
    "DEA001": initial_cards_out_of_order,
    "DEA002": initial_deal_incomplete,
    "DEA003": third_cards_out_of_order,
}
