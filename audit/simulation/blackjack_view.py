"""A lawful round of blackjack, looked at hand by hand, to find where a fault can be made."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from audit.cards import Rank
from audit.hands import DEALER, Hand, Place, box_hand
from audit.observations import Call, CallKind, Wager, WagerKind
from audit.rounds import rank_of
from audit.rules.blackjack.play import Play
from audit.rules.blackjack.ways import ways_to_play
from audit.simulation.blackjack_pay import is_natural, points, total_of
from audit.simulation.fault import Scene

RAISES = (WagerKind.SPLIT, WagerKind.DOUBLE)


@dataclass(frozen=True, slots=True)
class View:
    """The hands of a round whose splits can be told in one way only."""

    scene: Scene
    play: Play

    @property
    def dealer(self) -> tuple[Rank, ...]:
        return tuple(rank_of(seen) for seen in self.scene.round.to_hand(DEALER))

    @property
    def hands(self) -> list[Hand]:
        return [hand for box in self.play.boxes for hand in self.play.hands_of(box)]

    @property
    def unsplit(self) -> list[Hand]:
        return [hand for hand in self.hands if not self.is_split(hand)]

    def ranks(self, hand: Hand) -> tuple[Rank, ...]:
        return self.play.ranks(hand)

    def total(self, hand: Hand) -> int:
        return total_of(self.ranks(hand))

    def is_split(self, hand: Hand) -> bool:
        return self.play.is_split(hand)

    def is_blackjack(self, hand: Hand) -> bool:
        return not self.is_split(hand) and is_natural(self.ranks(hand))

    def is_doubled(self, hand: Hand) -> bool:
        return self.play.hand_play(hand).doubled_on is not None

    def is_absent(self, hand: Hand) -> bool:
        return self.play.hand_play(hand).nobody_decides

    def was_folded(self, hand: Hand) -> bool:
        """Tell whether nobody is surely left on the hand."""
        mains = [wager for wager in self.play.main_wagers(hand.box) if not wager.late]
        logged = self.scene.round.decisions_were_logged
        sure = [
            wager
            for wager in mains
            if not self.play.surrendered(wager)
            and not self.play.took_even_money(wager.bettor, hand.box)
            and (wager.net or (wager.net is None and logged))
        ]
        return not sure

    def places(self, hand: Hand) -> list[int]:
        """Where the cards of a hand stand in the round."""
        held = {seen.seq for seen in self.play.cards[hand]}
        return [place for place, seen in enumerate(self.scene.round.cards) if seen.seq in held]

    def turn_ends(self, hand: Hand) -> int:
        """After how many cards a hand was done with, or would have been."""
        before = [
            place + 1
            for place, seen in enumerate(self.scene.round.cards)
            if seen.hand and seen.hand.place is Place.BOX and seen.hand.box < hand.box
        ]
        last = self.places(hand)[-1] + 1
        ends = self.play.initial_deal_ends
        return last if last > ends else max([ends, *before])

    def calls_on(self, hand: Hand, *kinds: CallKind) -> list[Call]:
        return [call for call in self.scene.round.called(*kinds) if call.hand == hand]

    def depends_on_dealer(self) -> bool:
        """Tell whether some wager surely waits for the dealer's whole hand."""
        return any(
            self.total(hand) <= 21 and not self.is_blackjack(hand) and not self.was_folded(hand)
            for hand in self.hands
        )

    def dealer_may_have_blackjack(self) -> bool:
        return points(self.dealer[0]) in (1, 10)


@lru_cache(maxsize=1)
def view_of(scene: Scene) -> View | None:
    """Look at a round, unless its splits can be told in more than one way."""
    ways = list(ways_to_play(scene.round, scene.book, scene.sheet.rounding))
    return View(scene, ways[0]) if len(ways) == 1 else None


def doubled_hands_named(view: View) -> Iterator[Hand]:
    """Go through the doubled hands that a call or the ledger names."""
    for hand in view.hands:
        alone = not view.is_split(hand)
        called = bool(view.calls_on(hand, CallKind.DOUBLE))
        rowed = any(wager.hand == hand for wager in view.scene.round.placed(WagerKind.DOUBLE))
        if view.is_doubled(hand) and (alone or called or rowed):
            yield hand


def is_on_blackjack(scene: Scene, wager: Wager) -> bool:
    """Tell an original wager on a box that was dealt an ace and a ten."""
    if wager.kind is not WagerKind.MAIN or wager.box is None:
        return False
    return is_natural([rank_of(seen) for seen in scene.round.to_hand(box_hand(wager.box))])
