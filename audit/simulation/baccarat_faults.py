"""Baccarat dealt or drawn wrongly, or announced wrongly."""

from random import Random

from audit.hands import BANKER, PLAYER, Hand
from audit.observations import Call, CallKind, Game
from audit.rounds import rank_of
from audit.simulation.baccarat_pay import total_of
from audit.simulation.fault import Fault, Scene


def _burnt(scene: Scene) -> int:
    return len(scene.round.cards) - len(scene.round.in_play())


def _hands(scene: Scene) -> list[Hand | None]:
    return [seen.hand for seen in scene.round.cards]


def _drew(scene: Scene, hand: Hand) -> bool:
    return len(scene.round.to_hand(hand)) > 2


def _has_natural(scene: Scene) -> bool:
    initial = [scene.round.to_hand(hand)[:2] for hand in (PLAYER, BANKER)]
    return any(total_of([rank_of(seen) for seen in cards]) >= 8 for cards in initial)


def player_not_drawn(scene: Scene, rng: Random) -> Scene | None:
    """Skip the player's third card, so that the banker gets it or it stays in the shoe."""
    if not _drew(scene, PLAYER):
        return None
    banker_drew = _drew(scene, BANKER)
    scene = scene.without_last_card()
    hands = _hands(scene)
    return scene.dealt_to(*hands[:-1], BANKER) if banker_drew else scene


def player_drawn(scene: Scene, rng: Random) -> Scene | None:
    """Give the player a third card on 6 or 7, before the banker's if there is one."""
    if _drew(scene, PLAYER) or _has_natural(scene):
        return None
    more = scene.with_next_card(PLAYER)
    if more is None or not _drew(scene, BANKER):
        return more
    return more.dealt_to(*_hands(more)[:-2], PLAYER, BANKER)


def banker_not_drawn(scene: Scene, rng: Random) -> Scene | None:
    return scene.without_last_card() if _drew(scene, BANKER) else None


def banker_drawn(scene: Scene, rng: Random) -> Scene | None:
    if _drew(scene, BANKER) or _has_natural(scene):
        return None
    return scene.with_next_card(BANKER)


def drawn_after_natural(scene: Scene, rng: Random) -> Scene | None:
    return scene.with_next_card(rng.choice((PLAYER, BANKER))) if _has_natural(scene) else None


def fourth_card(scene: Scene, rng: Random) -> Scene | None:
    full = [hand for hand in (PLAYER, BANKER) if _drew(scene, hand)]
    return scene.with_next_card(rng.choice(full)) if full else None


def initial_cards_out_of_order(scene: Scene, rng: Random) -> Scene | None:
    burnt, hands = _burnt(scene), _hands(scene)
    order = rng.choice(
        (
            (PLAYER, PLAYER, BANKER, BANKER),
            (BANKER, PLAYER, BANKER, PLAYER),
            (PLAYER, BANKER, BANKER, PLAYER),
        )
    )
    return scene.dealt_to(*hands[:burnt], *order, *hands[burnt + 4 :])


def three_initial_cards(scene: Scene, rng: Random) -> Scene | None:
    while len(scene.round.in_play()) > 3:
        scene = scene.without_last_card()
    return scene


def third_cards_swapped(scene: Scene, rng: Random) -> Scene | None:
    if not (_drew(scene, PLAYER) and _drew(scene, BANKER)):
        return None
    return scene.dealt_to(*_hands(scene)[:-2], BANKER, PLAYER)


def wrong_outcome_announced(scene: Scene, rng: Random) -> Scene | None:
    player, banker = (
        total_of([rank_of(seen) for seen in scene.round.to_hand(hand)]) for hand in (PLAYER, BANKER)
    )
    names = ["player", "banker", "tie"]
    names.remove("tie" if player == banker else "player" if player > banker else "banker")
    call = Call(CallKind.OUTCOME, len(scene.round.cards), value=rng.choice(names))
    others = [heard for heard in scene.round.calls if heard.kind is not CallKind.OUTCOME]
    return scene.with_calls(*others, call)


GAME = Game.BACCARAT
BACCARAT_FAULTS = (
    Fault("the player's third card is not drawn", "DRW001", GAME, player_not_drawn, alone=True),
    Fault("the player draws on 6 or 7", "DRW002", GAME, player_drawn, alone=True),
    Fault("the banker's third card is not drawn", "DRW003", GAME, banker_not_drawn, alone=True),
    Fault("the banker draws and should stand", "DRW004", GAME, banker_drawn, alone=True),
    Fault("a card is drawn after a natural", "DRW005", GAME, drawn_after_natural, alone=True),
    Fault("a hand gets a fourth card", "DRW006", GAME, fourth_card, alone=True),
    Fault(
        "the first four cards are out of order",
        "DEA001",
        GAME,
        initial_cards_out_of_order,
        alone=True,
    ),
    Fault("only three cards are dealt", "DEA002", GAME, three_initial_cards, alone=True),
    Fault("the banker draws before the player", "DEA003", GAME, third_cards_swapped, alone=True),
    Fault("another outcome is announced", "SRC001", GAME, wrong_outcome_announced, alone=True),
)
