"""Blackjack: decisions that the rules do not allow."""

from dataclasses import replace
from decimal import Decimal
from random import Random

from audit.cards import RANKS, Card, Rank
from audit.hands import Hand, box_hand
from audit.observations import Call, CallKind, Game, Wager, WagerKind
from audit.simulation.blackjack_pay import is_natural, points, total_of
from audit.simulation.blackjack_view import View, view_of
from audit.simulation.fault import Fault, Scene, logged, originals, was_refused
from audit.simulation.stakes import half_given_up

GUEST = "gast"
PLAY_CALLS = (CallKind.HIT, CallKind.STAND, CallKind.DOUBLE, CallKind.SPLIT)


def _logged_view(scene: Scene) -> View | None:
    """Look at a round whose decisions were all written down."""
    return view_of(scene) if list(scene.round.called(*PLAY_CALLS)) else None


def _with_rank(scene: Scene, place: int, rank: Rank) -> Scene:
    cards = list(scene.round.cards)
    seen = cards[place]
    if not isinstance(seen.card, Card):
        raise TypeError(f"card {seen.seq} has not been read")
    cards[place] = replace(seen, card=Card(rank, seen.card.suit))
    return scene.with_cards(*cards)


def unequal_cards_split(scene: Scene, rng: Random) -> Scene | None:
    view = view_of(scene)
    if view is None or not view.play.parents:
        return None
    child, parent = view.play.parents[0]
    kept = view.ranks(parent)[0]
    others = [rank for rank in RANKS if points(rank) != points(kept)]
    return _with_rank(scene, view.places(child)[0], rng.choice(others))


def _split_once_more(scene: Scene, view: View, hand: Hand) -> Scene | None:
    """Turn the second card of a hand into its first, and split the two."""
    card = scene.next_card()
    if card is None:
        return None
    formed = len(view.play.hands_of(hand.box)) + 1
    new = box_hand(hand.box, formed)
    place = view.places(hand)[-1]
    rows = [
        Wager(bettor, WagerKind.SPLIT, stake, box=hand.box, hand=new)
        for bettor, stake in _on_hand(view, hand).items()
    ]
    calls = [call for call in scene.round.calls if call.hand != hand or call.after <= place]
    if view.scene.round.decisions_were_logged:
        calls.append(Call(CallKind.SPLIT, place + 1, hand, "", str(new)))
    scene = _with_rank(scene, place, view.ranks(hand)[0]).with_calls(*calls)
    scene = scene.with_wagers(*scene.round.wagers, *rows)
    scene = scene.with_card_added(place + 1, hand, card)
    return scene.with_card_added(place + 2, new, card)


def _on_hand(view: View, hand: Hand) -> dict[str, Decimal]:
    """Who stands on a hand, each with the original wager."""
    mains = originals(view.scene)
    wagers = view.scene.round.wagers
    bettors = {wagers[place].bettor for place, on in view.play.hand_of.items() if on == hand}
    return {
        bettor: mains[bettor, hand.box] for bettor in sorted(bettors) if (bettor, hand.box) in mains
    }


def fifth_hand(scene: Scene, rng: Random) -> Scene | None:
    view = view_of(scene)
    if view is None:
        return None
    full = [
        hand
        for hand in view.hands
        if len(view.play.hands_of(hand.box)) == 4 and len(view.ranks(hand)) == 2
    ]
    hands = [hand for hand in full if hand.formed > 1 and not view.is_doubled(hand)]
    return _split_once_more(scene, view, rng.choice(hands)) if hands else None


def aces_split_again(scene: Scene, rng: Random) -> Scene | None:
    view = view_of(scene)
    if view is None:
        return None
    hands = [hand for hand in view.hands if hand.formed > 1 and view.ranks(hand)[0] is Rank.ACE]
    return _split_once_more(scene, view, rng.choice(hands)) if hands else None


def _with_double(scene: Scene, view: View, hand: Hand) -> Scene | None:
    """Let a bettor who stands on the hand raise by as much as the original wager."""
    for bettor, stake in _on_hand(view, hand).items():
        named = hand if hand.formed > 1 else None
        row = Wager(bettor, WagerKind.DOUBLE, stake, box=hand.box, hand=named)
        return scene.with_wagers(*scene.round.wagers, row)
    return None


def third_card_doubled(scene: Scene, rng: Random) -> Scene | None:
    """Call the last hit of a hand of three or more cards a double."""
    view = _logged_view(scene)
    if view is None:
        return None
    for hand in view.unsplit:
        hits = view.calls_on(hand, CallKind.HIT)
        if len(hits) >= 2 and not view.is_doubled(hand):
            calls = [
                call
                for call in scene.round.calls
                if call != hits[-1] and not (call.hand == hand and call.kind is CallKind.STAND)
            ]
            doubled = _with_double(scene, view, hand)
            double = replace(hits[-1], kind=CallKind.DOUBLE)
            return doubled and doubled.with_calls(*calls, double)
    return None


def split_ace_doubled(scene: Scene, rng: Random) -> Scene | None:
    view = view_of(scene)
    if view is None:
        return None
    hands = [hand for hand in view.hands if hand.formed > 1 and view.ranks(hand)[0] is Rank.ACE]
    return _with_double(scene, view, rng.choice(hands)) if hands else None


def blackjack_doubled(scene: Scene, rng: Random) -> Scene | None:
    view = view_of(scene)
    if view is None:
        return None
    hands = [hand for hand in view.unsplit if view.is_blackjack(hand)]
    return _with_double(scene, view, rng.choice(hands)) if hands else None


def _surrendering(scene: Scene, call: Call) -> Scene | None:
    """Let a bettor surrender a wager that was played out, and give back half of it."""
    for place, wager in enumerate(scene.round.wagers):
        on_box = call.hand is not None and wager.box == call.hand.box
        if on_box and wager.kind is WagerKind.MAIN and not was_refused(wager):
            half = half_given_up(wager.stake, scene.sheet.rounding)
            scene = scene.with_wager(place, replace(wager, net=-half))
            return scene.with_calls(*scene.round.calls, replace(call, bettor=wager.bettor))
    return None


def surrender_against_ace(scene: Scene, rng: Random) -> Scene | None:
    view = _logged_view(scene)
    if view is None or view.dealer[0] is not Rank.ACE:
        return None
    hands = [hand for hand in view.unsplit if not view.is_blackjack(hand)]
    if not hands:
        return None
    call = Call(CallKind.SURRENDER, view.play.initial_deal_ends, rng.choice(hands))
    return _surrendering(scene, call)


def surrender_too_late(scene: Scene, rng: Random) -> Scene | None:
    view = _logged_view(scene)
    if view is None:
        return None
    hands = [hand for hand in view.unsplit if len(view.ranks(hand)) > 2]
    if not hands:
        return None
    hand = rng.choice(hands)
    return _surrendering(scene, Call(CallKind.SURRENDER, view.places(hand)[2] + 1, hand))


def split_hand_surrendered(scene: Scene, rng: Random) -> Scene | None:
    view = _logged_view(scene)
    hands = [] if view is None else [hand for hand in view.hands if hand.formed > 1]
    if view is None or not hands:
        return None
    hand = rng.choice(hands)
    return _surrendering(scene, Call(CallKind.SURRENDER, view.places(hand)[-1] + 1, hand))


def insured_without_ace(scene: Scene, rng: Random) -> Scene | None:
    view = view_of(scene)
    mains = [wager for wager in scene.round.placed(WagerKind.MAIN) if not was_refused(wager)]
    if view is None or view.dealer[0] is Rank.ACE or not mains:
        return None
    main = rng.choice(mains)
    stake = (main.stake / 2).quantize(Decimal("0.01"))
    row = Wager(main.bettor, WagerKind.INSURANCE, stake, -stake, box=main.box)
    return scene.with_wagers(*scene.round.wagers, row)


def even_money_without_ground(scene: Scene, rng: Random) -> Scene | None:
    view = _logged_view(scene)
    if view is None:
        return None
    ace = view.dealer[0] is Rank.ACE
    hands = [hand for hand in view.unsplit if not (ace and view.is_blackjack(hand))]
    if not hands:
        return None
    hand = rng.choice(hands)
    bettor = view.play.main_wagers(hand.box)[0].bettor
    call = Call(CallKind.EVEN_MONEY, view.play.initial_deal_ends, hand, bettor)
    return scene.with_calls(*scene.round.calls, call)


def stood_below_12(scene: Scene, rng: Random) -> Scene | None:
    """Let a hand stand on its first two cards though it had to draw."""
    view = view_of(scene)
    if view is None:
        return None
    for hand in view.unsplit:
        low = total_of(view.ranks(hand)[:2]) < 12 and len(view.ranks(hand)) > 2
        if not low or view.is_doubled(hand) or view.was_folded(hand) or view.is_absent(hand):
            continue
        at = view.places(hand)[2]
        calls = [call for call in scene.round.calls if call.hand != hand or call.after < at]
        if scene.round.decisions_were_logged:
            calls.append(Call(CallKind.STAND, at, hand))
        scene = scene.with_calls(*calls)
        for place in reversed(view.places(hand)[2:]):
            scene = scene.without_card(place)
        return scene
    return None


def doubled_without_controller(scene: Scene, rng: Random) -> Scene | None:
    """Take away the double of the bettor who decides, and leave the others'."""
    view = view_of(scene)
    if view is None or is_natural(view.dealer):
        return None
    doubles = {
        place: on
        for place, on in view.play.hand_of.items()
        if scene.round.wagers[place].kind is WagerKind.DOUBLE
    }
    for place, hand in doubles.items():
        controller = view.play.controller(hand.box)
        others = [at for at, on in doubles.items() if on == hand and at != place]
        if scene.round.wagers[place].bettor == controller and others and not view.is_split(hand):
            rows = list(scene.round.wagers)
            del rows[place]
            return scene.with_wagers(*rows)
    return None


def decided_by_a_guest(scene: Scene, rng: Random) -> Scene | None:
    view = view_of(scene)
    if view is None:
        return None
    calls = logged(scene, CallKind.HIT, CallKind.STAND, CallKind.SPLIT)
    calls = [call for call in calls if call.hand and view.play.controller(call.hand.box)]
    if not calls:
        return None
    chosen = rng.choice(calls)
    others = [call for call in scene.round.calls if call is not chosen]
    return scene.with_calls(*others, replace(chosen, bettor=GUEST))


GAME = Game.BLACKJACK
DECISION_FAULTS = (
    Fault("unequal cards are split", "ACT001", GAME, unequal_cards_split),
    Fault("a fifth hand is formed", "ACT002", GAME, fifth_hand),
    Fault("aces are split again", "ACT003", GAME, aces_split_again),
    Fault("three cards are doubled", "ACT004", GAME, third_card_doubled),
    Fault("a split ace is doubled", "ACT005", GAME, split_ace_doubled),
    Fault("a blackjack is doubled", "ACT006", GAME, blackjack_doubled),
    Fault("surrender against an ace", "ACT007", GAME, surrender_against_ace),
    Fault("surrender after a third card", "ACT008", GAME, surrender_too_late),
    Fault("surrender of a split hand", "ACT008", GAME, split_hand_surrendered),
    Fault("insurance without an ace", "ACT009", GAME, insured_without_ace),
    Fault("even money without ground", "ACT010", GAME, even_money_without_ground),
    Fault("a hand stands below 12", "ACT011", GAME, stood_below_12),
    Fault("a bettor doubles alone", "ACT012", GAME, doubled_without_controller),
    Fault("a guest decides for a box", "ACT013", GAME, decided_by_a_guest),
)
