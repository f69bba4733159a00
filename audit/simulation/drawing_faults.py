"""Blackjack: cards drawn that had to stay in the shoe, and cards left there that were due."""

from collections.abc import Callable
from random import Random

from audit.cards import Rank
from audit.hands import DEALER, Hand
from audit.observations import CallKind, Game
from audit.simulation.blackjack_pay import counts_an_ace_as_eleven, total_of
from audit.simulation.blackjack_view import RAISES, View, doubled_hands_named, view_of
from audit.simulation.fault import Fault, Scene


def _one_card_more(scene: Scene, rng: Random, wanted: Callable[[View, Hand], bool]) -> Scene | None:
    """Give one more card to a hand of a certain kind."""
    view, card = view_of(scene), scene.next_card()
    if view is None or card is None:
        return None
    hands = [hand for hand in view.hands if wanted(view, hand)]
    if not hands:
        return None
    hand = rng.choice(hands)
    return scene.with_card_added(view.turn_ends(hand), hand, card)


def dealer_stops_early(scene: Scene, rng: Random) -> Scene | None:
    view = view_of(scene)
    if view is None or len(view.dealer) < 2 or not view.depends_on_dealer():
        return None
    if total_of(view.dealer[:-1]) >= 17:
        return None
    return scene.without_last_card()


def dealer_draws_on_17(scene: Scene, rng: Random) -> Scene | None:
    view = view_of(scene)
    if view is None or len(view.dealer) < 2 or total_of(view.dealer) < 17:
        return None
    return scene.with_next_card(DEALER)


def dealer_draws_for_nothing(scene: Scene, rng: Random) -> Scene | None:
    view = view_of(scene)
    if view is None or len(view.dealer) > 1:
        return None
    raised = any(True for _ in scene.round.placed(*RAISES))
    if raised and view.dealer_may_have_blackjack():
        return None
    return scene.with_next_card(DEALER)


def drawn_on_21(scene: Scene, rng: Random) -> Scene | None:
    options = scene.book.blackjack

    def of_21(view: View, hand: Hand) -> bool:
        if view.total(hand) != 21 or view.is_doubled(hand):
            return False
        may = options is not None and options.draw_on_hard_21.value
        return not may or counts_an_ace_as_eleven(view.ranks(hand))

    return _one_card_more(scene, rng, of_21)


def drawn_on_bust(scene: Scene, rng: Random) -> Scene | None:
    return _one_card_more(scene, rng, lambda view, hand: view.total(hand) > 21)


def split_ace_drew_again(scene: Scene, rng: Random) -> Scene | None:
    return _one_card_more(
        scene, rng, lambda view, hand: view.is_split(hand) and view.ranks(hand)[0] is Rank.ACE
    )


def doubled_hand_drew_again(scene: Scene, rng: Random) -> Scene | None:
    return _one_card_more(scene, rng, lambda view, hand: hand in doubled_hands_named(view))


def doubled_hand_got_no_card(scene: Scene, rng: Random) -> Scene | None:
    view = view_of(scene)
    hands = [] if view is None else list(doubled_hands_named(view))
    if view is None or not hands:
        return None
    return scene.without_card(view.places(rng.choice(hands))[-1])


def split_hand_got_no_card(scene: Scene, rng: Random) -> Scene | None:
    view = view_of(scene)
    if view is None:
        return None
    named = {call.value for call in scene.round.called(CallKind.SPLIT)}
    named |= {str(wager.hand) for wager in scene.round.wagers}
    hands = [
        hand
        for hand in view.hands
        if hand.formed > 1 and str(hand) in named and len(view.ranks(hand)) == 2
    ]
    if not hands:
        return None
    return scene.without_card(view.places(rng.choice(hands))[-1])


def drawn_after_standing(scene: Scene, rng: Random) -> Scene | None:
    return _one_card_more(scene, rng, lambda view, hand: bool(view.calls_on(hand, CallKind.STAND)))


def _absent(view: View, hand: Hand) -> bool:
    return view.is_absent(hand)


def absent_hand_drew_on(scene: Scene, rng: Random) -> Scene | None:
    return _one_card_more(scene, rng, _absent)


def absent_hand_left_low(scene: Scene, rng: Random) -> Scene | None:
    view = view_of(scene)
    hands = [] if view is None else [hand for hand in view.hands if _absent(view, hand)]
    if view is None or not hands or len(view.ranks(hands[0])) < 3:
        return None
    return scene.without_card(view.places(hands[0])[-1])


GAME = Game.BLACKJACK
DRAWING_FAULTS = (
    Fault("the dealer stops below 17", "DRW010", GAME, dealer_stops_early),
    Fault("the dealer draws on 17 or more", "DRW011", GAME, dealer_draws_on_17),
    Fault("the dealer draws for nothing", "DRW012", GAME, dealer_draws_for_nothing),
    Fault("a 21 gets a card", "DRW013", GAME, drawn_on_21),
    Fault("a bust hand gets a card", "DRW014", GAME, drawn_on_bust),
    Fault("a split ace gets two cards", "DRW015", GAME, split_ace_drew_again),
    Fault("a doubled hand gets two cards", "DRW016", GAME, doubled_hand_drew_again),
    Fault("a doubled hand gets no card", "DRW017", GAME, doubled_hand_got_no_card),
    Fault("a split hand gets no card", "DRW018", GAME, split_hand_got_no_card),
    Fault("a standing hand gets a card", "DRW019", GAME, drawn_after_standing),
    Fault("an absent bettor's hand is drawn too far", "DRW020", GAME, absent_hand_drew_on),
    Fault("an absent bettor's hand is left too low", "DRW020", GAME, absent_hand_left_low),
)
