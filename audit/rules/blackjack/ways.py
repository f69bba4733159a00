"""The ways to read a round of blackjack.

Where nobody logged which hand a split hand came from, there can be several ways to read the
cards: `ways_to_play` gives all that are equally lawful.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import islice, permutations, product

from audit.hands import Hand, Place, box_hand, parse_hand
from audit.observations import CallKind, WagerKind
from audit.rounds import Round
from audit.rulebook import Rulebook
from audit.rules.blackjack.hands import INITIAL_CARDS, may_be_split
from audit.rules.blackjack.play import Play

Parents = dict[Hand, Hand]
MOST_WAYS = 64
"""How many ways to place wagers are tried for each way to form the hands."""


def ways_to_play(
    round_: Round, book: Rulebook, unit: Decimal, refused: frozenset[int] = frozenset()
) -> Iterator[Play]:
    """Go through the ways to read a round that have the fewest faults.

    They differ in how the split hands were formed, and on which of them wagers stand whose hand the
    ledger does not name.
    """
    known = _split_calls(round_)
    unknown = [child for child in _formed_hands(round_) if child not in known]
    choices = [[box_hand(new.box, formed) for formed in range(1, new.formed)] for new in unknown]
    plays: list[tuple[int, Play]] = []
    for chosen in product(*choices):
        parents = known | dict(zip(unknown, chosen, strict=True))
        ordered = tuple(sorted(parents.items(), key=lambda link: (link[0].box, link[0].formed)))
        play = Play(round_, book, unit, ordered, refused)
        plays.append((_faults_of_splits(play), play))
    fewest = min(faults for faults, _ in plays)
    for faults, play in plays:
        if faults == fewest:
            for way in islice(_ways_to_place(play), MOST_WAYS):
                yield replace(play, unnamed=way) if way else play


def _ways_to_place(play: Play) -> Iterator[tuple[tuple[int, Hand], ...]]:
    """Give every way to place split and double wagers on the hands of a box that was split."""
    groups: dict[tuple[str, int, WagerKind], list[int]] = {}
    for place, wager in enumerate(play.round.wagers):
        raises = wager.kind in (WagerKind.SPLIT, WagerKind.DOUBLE)
        if raises and wager.hand is None and wager.box is not None:
            groups.setdefault((wager.bettor, wager.box, wager.kind), []).append(place)
    ways: list[list[tuple[tuple[int, Hand], ...]]] = []
    for (_, box, kind), places in groups.items():
        hands = _likely_hands(play, box, kind)
        if len(hands) >= len(places):
            orders: Iterable[tuple[Hand, ...]] = permutations(hands, len(places))
        else:
            orders = [tuple(hands[place % len(hands)] for place in range(len(places)))]
        ways.append([tuple(zip(places, order, strict=True)) for order in orders])
    for chosen in product(*ways):
        yield tuple(pair for group in chosen for pair in group)


def _likely_hands(play: Play, box: int, kind: WagerKind) -> list[Hand]:
    """Name the hands that a raise can stand on: formed by a split; doubled, or of three cards."""
    hands = play.hands_of(box)
    if kind is WagerKind.SPLIT:
        return [hand for hand in hands if hand.formed > 1] or [box_hand(box, 2)]
    announced = [call.hand for call in play.round.called(CallKind.DOUBLE)]
    of_three = [hand for hand in hands if len(play.cards[hand]) == INITIAL_CARDS + 1]
    likely = [hand for hand in hands if hand in announced] or of_three or list(hands)
    return likely or [box_hand(box)]


def _split_calls(round_: Round) -> Parents:
    parents: Parents = {}
    for call in round_.called(CallKind.SPLIT):
        if call.hand is not None and call.value:
            child = parse_hand(call.value)
            if child.place is Place.BOX and child.box == call.hand.box and child.formed > 1:
                parents[child] = call.hand
    return parents


def _formed_hands(round_: Round) -> tuple[Hand, ...]:
    """Every split hand that a card or a wager names, and those that must lie between."""
    named = set(round_.hands)
    named |= {wager.hand for wager in round_.wagers if wager.hand is not None}
    highest: dict[int, int] = {}
    for hand in named:
        if hand.place is Place.BOX and hand.formed > 1:
            highest[hand.box] = max(hand.formed, highest.get(hand.box, 1))
    for wager in round_.placed(WagerKind.SPLIT):
        if wager.box is not None:
            highest.setdefault(wager.box, 2)
    return tuple(
        box_hand(box, formed) for box in sorted(highest) for formed in range(2, highest[box] + 1)
    )


def _faults_of_splits(play: Play) -> int:
    """Count what speaks against this way of forming the hands."""
    faults = sum(not may_be_split((made.first, made.second)) for _, made in play.splits())
    faults += sum(len(play.cards[child]) == 0 for child, _ in play.parents)
    moved_at: dict[int, int] = {}
    for child, _ in play.parents:
        if not play.cards[child]:
            continue
        moved = play.cards[child][0].seq
        own = [seen.seq for seen in play.cards[child][1:]]
        faults += any(seq < moved for seq in own)
        faults += moved < moved_at.get(child.box, 0)
        moved_at[child.box] = moved
    return faults
