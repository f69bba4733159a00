"""The shoe itself, cards that cannot be read, and rounds void or not void without ground."""

from dataclasses import replace
from random import Random

from audit.cards import DECK, UNREAD
from audit.money import NOTHING
from audit.observations import Call, CallKind, Wager
from audit.simulation.fault import Fault, Scene
from audit.simulation.shoe import Shoe
from audit.simulation.table import deal_round
from audit.simulation.voiding import LAWFUL_VOIDS, UNLAWFUL_VOIDS, void_call

MOST_UNREAD = 3


def stacked_shoe(scene: Scene, rng: Random) -> Scene | None:
    """Play a whole round out of one card."""
    card = rng.choice(DECK)
    shoe = Shoe("stacked", (card,) * 400, dealt=10)
    played = deal_round(shoe, scene.book, scene.sheet, rng, habits=frozenset())
    return replace(scene, round=played) if len(played.cards) > scene.sheet.decks else None


def _handed_back(scene: Scene) -> Scene:
    return scene.with_wagers(*(replace(wager, net=NOTHING) for wager in scene.round.wagers))


def _voided(scene: Scene, reason: str, after: int | None = None) -> Scene:
    at = len(scene.round.cards) if after is None else after
    return scene.with_calls(*scene.round.calls, Call(CallKind.VOID, at, value=reason))


def foreign_card_found(scene: Scene, rng: Random) -> Scene | None:
    found = Call(CallKind.FOREIGN_CARD, len(scene.round.cards))
    scene = scene.with_calls(*scene.round.calls, found)
    return _voided(_handed_back(scene), "foreign_card")


def shoe_ran_out(scene: Scene, rng: Random) -> Scene | None:
    return _voided(_handed_back(scene), "not_enough_cards")


def too_many_decks(scene: Scene, rng: Random) -> Scene | None:
    if not scene.round.around.first_of_shoe:
        return None
    decks = scene.book.most_decks.value + 1
    return replace(scene, sheet=replace(scene.sheet, decks=decks))


def unread_cards(scene: Scene, rng: Random) -> Scene | None:
    in_play = [seen.seq for seen in scene.round.in_play()]
    unread = rng.sample(in_play, MOST_UNREAD + 1) if len(in_play) > MOST_UNREAD else []
    cards = [
        replace(seen, card=UNREAD) if seen.seq in unread else seen for seen in scene.round.cards
    ]
    return scene.with_cards(*cards) if unread else None


def voided_without_ground(scene: Scene, rng: Random) -> Scene | None:
    reason = UNLAWFUL_VOIDS[scene.book.document]
    boxes = {seen.hand.box for seen in scene.round.in_play() if seen.hand and seen.hand.box}
    if boxes and len(scene.round.in_play()) <= 2 * len(boxes) + 1:
        return None
    return _voided(_handed_back(scene), reason)


def played_on(scene: Scene, rng: Random) -> Scene | None:
    nets = [wager.net for wager in scene.round.wagers]
    if None in nets or not any(nets):
        return None
    found = Call(CallKind.FOREIGN_CARD, len(scene.round.cards))
    return scene.with_calls(*scene.round.calls, found)


def void_round_settled(scene: Scene, rng: Random) -> Scene | None:
    """Void a round with ground, and settle one of its wagers all the same."""
    settled = [
        place for place, wager in enumerate(scene.round.wagers) if wager.net and not wager.late
    ]
    void = rng.choice(LAWFUL_VOIDS[scene.book.document])
    if not settled:
        return None
    kept = rng.choice(settled)
    wager: Wager = scene.round.wagers[kept]
    scene = _handed_back(scene).with_wager(kept, wager)
    return scene.with_calls(*scene.round.calls, *void_call(void, scene.round))


SHOE_FAULTS = (
    Fault("a shoe is stacked with one card", "SHO001", None, stacked_shoe, alone=True),
    Fault("a foreign card is found", "SHO002", None, foreign_card_found, alone=True),
    Fault("the shoe runs out", "SHO003", None, shoe_ran_out),
    Fault(
        "the shoe holds too many decks",
        "SHO004",
        None,
        too_many_decks,
        alone=True,
    ),
    Fault("four cards cannot be read", "SRC002", None, unread_cards, alone=True),
    Fault("a round is voided without ground", "DEA019", None, voided_without_ground, alone=True),
    Fault("a round is played on with a foreign card", "DEA020", None, played_on),
    Fault("a void round is settled", "PAY009", None, void_round_settled, alone=True),
)
