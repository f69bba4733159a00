"""Blackjack dealt in the wrong order, to the wrong boxes, or without its burn card."""

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from random import Random

from audit.hands import BURN, DEALER, Hand, Place, box_hand
from audit.observations import Game, Wager, WagerKind
from audit.simulation.blackjack_view import view_of
from audit.simulation.fault import Fault, Scene

BOXES = range(1, 8)


def _deal(scene: Scene) -> tuple[list[Hand | None], tuple[int, ...], int, int]:
    """Where the cards went, the boxes, and where the initial deal begins and ends."""
    hands = [seen.hand for seen in scene.round.cards]
    boxes = sorted({hand.box for hand in hands if hand and hand.place is Place.BOX})
    burnt = hands.count(BURN)
    return hands, tuple(boxes), burnt, burnt + 2 * len(boxes) + 1


def boxes_swapped(scene: Scene, rng: Random) -> Scene | None:
    hands, boxes, begins, _ = _deal(scene)
    if len(boxes) < 2:
        return None
    hands[begins], hands[begins + 1] = hands[begins + 1], hands[begins]
    return scene.dealt_to(*hands)


def box_skipped(scene: Scene, rng: Random) -> Scene | None:
    """Take a wager on a box that got no cards."""
    taken = {wager.box for wager in scene.round.wagers}
    free = [box for box in BOXES if box not in taken]
    if not free:
        return None
    limit = scene.sheet.limits.get(WagerKind.MAIN)
    stake = limit.min if limit is not None and limit.min is not None else Decimal("25.00")
    wager = Wager("gast", WagerKind.MAIN, stake, -stake, box=rng.choice(free))
    return scene.with_wagers(*scene.round.wagers, wager)


def box_without_wager(scene: Scene, rng: Random) -> Scene | None:
    _, boxes, _, _ = _deal(scene)
    if len(boxes) < 2:
        return None
    empty = rng.choice(boxes)
    return scene.with_wagers(*(wager for wager in scene.round.wagers if wager.box != empty))


def dealer_left_out(scene: Scene, rng: Random) -> Scene | None:
    """Deal the dealer's first card after the second cards of the boxes."""
    hands, boxes, begins, ends = _deal(scene)
    round_of_boxes = [box_hand(box) for box in boxes]
    return scene.dealt_to(*hands[:begins], *round_of_boxes, *round_of_boxes, DEALER, *hands[ends:])


def dealer_drew_early(scene: Scene, rng: Random) -> Scene | None:
    hands, _, _, ends = _deal(scene)
    later = hands[ends:]
    if later.count(DEALER) == 0 or later[0] == DEALER:
        return None
    later.remove(DEALER)
    return scene.dealt_to(*hands[:ends], DEALER, *later)


def box_with_one_card(scene: Scene, rng: Random) -> Scene | None:
    """Leave out the first card of a box that takes no third."""
    hands, boxes, begins, ends = _deal(scene)
    later = {hand.box for hand in hands[ends:] if hand}
    places = [begins + place for place, box in enumerate(boxes) if box not in later]
    if not places or len(boxes) < 2:
        return None
    return scene.without_card(rng.choice(places))


def box_with_three_cards(scene: Scene, rng: Random) -> Scene | None:
    _, boxes, begins, _ = _deal(scene)
    card = scene.next_card()
    if len(boxes) < 2 or card is None:
        return None
    which = rng.randrange(len(boxes) - 1)
    place = begins + which + rng.choice((0, len(boxes) + 1))
    return scene.with_card_added(place, box_hand(boxes[which]), card)


def box_played_late(scene: Scene, rng: Random) -> Scene | None:
    """Give a box its last card after the next box has begun."""
    hands, boxes, _, ends = _deal(scene)
    for box, following in pairwise(boxes):
        own = [place for place in range(ends, len(hands)) if _is_of(hands[place], box)]
        others = [place for place in range(ends, len(hands)) if _is_of(hands[place], following)]
        if own and others:
            hands[own[-1]], hands[others[0]] = hands[others[0]], hands[own[-1]]
            return scene.dealt_to(*hands)
    return None


def _is_of(hand: Hand | None, box: int) -> bool:
    return hand is not None and hand.place is Place.BOX and hand.box == box


def split_hand_played_early(scene: Scene, rng: Random) -> Scene | None:
    """Give a split hand a card before the hand that it was split off is finished."""
    view = view_of(scene)
    if view is None:
        return None
    for child, parent in view.play.parents:
        own, others = view.places(parent)[-1], view.places(child)[-1]
        if view.scene.round.cards[others].hand == child and own < others:
            hands = [seen.hand for seen in scene.round.cards]
            if own >= view.play.initial_deal_ends:
                hands[own], hands[others] = hands[others], hands[own]
                return scene.dealt_to(*hands)
    return None


def burn_card_forgotten(scene: Scene, rng: Random) -> Scene | None:
    _, _, burnt, _ = _deal(scene)
    if not burnt or not scene.round.around.first_of_shoe:
        return None
    for _ in range(burnt):
        scene = scene.without_card(0)
    cards = tuple(replace(seen, seq=place) for place, seen in enumerate(scene.round.cards, 1))
    return replace(scene, round=replace(scene.round, cards=cards))


GAME = Game.BLACKJACK
DEALING_FAULTS = (
    Fault("two boxes are dealt in the wrong order", "DEA010", GAME, boxes_swapped),
    Fault("a box with a wager is skipped", "DEA011", GAME, box_skipped),
    Fault("a box without a wager is dealt in", "DEA012", GAME, box_without_wager),
    Fault("the dealer gets no first card in turn", "DEA013", GAME, dealer_left_out),
    Fault("the dealer draws before the boxes are done", "DEA014", GAME, dealer_drew_early),
    Fault("a box gets one initial card", "DEA015", GAME, box_with_one_card),
    Fault("a box gets three initial cards", "DEA016", GAME, box_with_three_cards),
    Fault("a box is played out of turn", "DEA017", GAME, box_played_late),
    Fault("the burn card is forgotten", "DEA018", GAME, burn_card_forgotten),
    Fault("split hands are played out of turn", "DEA021", GAME, split_hand_played_early),
)
