"""The ways in which a box can have been played out: cards drawn, hands split, hands doubled."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from audit.cards import Rank
from audit.hands import GREATEST_SPLIT, Hand, box_hand
from audit.observations import WagerKind
from audit.reconstruction.blackjack_facts import BoxFacts, Facts, Stake
from audit.reconstruction.trial import BREACH
from audit.rulebook import Rulebook
from audit.rules.blackjack.dealer import Need
from audit.rules.blackjack.decisions import HAND_RULES, HandPlay
from audit.rules.blackjack.hands import (
    INITIAL_CARDS,
    POINT_VALUE,
    TWENTY_ONE,
    is_ace_and_ten,
    is_bust,
    point_total,
)
from audit.settlement.blackjack import BUSTED_HANDS
from audit.verdicts import Breach

MOST_STEPS = 3000
"""How many steps the search within one box may take."""
MOST_WAYS = 300
WORST = 2 * BREACH + 100
"""What a box alone may cost: two broken rules, or one and a call against it."""
PAID_OTHERWISE = 300
HANDED_BACK = 100
PAID_BY_ANOTHER_READING = 50
FOLDED_UNHEARD = 120
"""A hand that would break a rule unless its bettors folded, which nobody says."""
ONE_OF_EACH_VALUE = (
    Rank.ACE,
    Rank.TWO,
    Rank.THREE,
    Rank.FOUR,
    Rank.FIVE,
    Rank.SIX,
    Rank.SEVEN,
    Rank.EIGHT,
    Rank.NINE,
    Rank.TEN,
)
Ranks = tuple[Rank | None, ...]
Needs = tuple[Need, Need]


@dataclass(frozen=True, slots=True)
class Way:
    """A box played out: the hand, by its number, of each card drawn, and each hand's cards."""

    drawn: tuple[int, ...]
    hands: tuple[Ranks, ...]
    cost: int


@dataclass(frozen=True, slots=True)
class Scored:
    """A way against one dealer's hand: where its cards went, what it needs, what it costs."""

    hands: tuple[Hand, ...]
    least: Need
    most: Need
    cost: int


@lru_cache(maxsize=1 << 16)
def _broken(play: HandPlay, book: Rulebook) -> int:
    """Count the rules that a hand breaks, by the rules themselves."""
    return sum(
        book.judges(code) and isinstance(rule(play, book), Breach)
        for code, rule in HAND_RULES.items()
    )


def hand_cost(
    ranks: Ranks, book: Rulebook, *, of_split: bool, doubled: bool, folded: bool, absent: bool
) -> int:
    """Say what a hand's cards cost; an unread card is whatever speaks least against the hand."""
    unread = ranks.count(None)
    if unread > 1:
        return 0
    if unread:
        place = ranks.index(None)
        return min(
            hand_cost(
                (*ranks[:place], rank, *ranks[place + 1 :]),
                book,
                of_split=of_split,
                doubled=doubled,
                folded=folded,
                absent=absent,
            )
            for rank in ONE_OF_EACH_VALUE
        )
    known = tuple(rank for rank in ranks if rank is not None)
    play = HandPlay(
        ranks=known,
        split_card=known[0] if of_split and known else None,
        doubled_on=min(INITIAL_CARDS, len(known)) if doubled else None,
        folded=folded,
        nobody_decides=absent,
    )
    return BREACH * _broken(play, book)


@dataclass(frozen=True, slots=True)
class _State:
    """A box while it is played: its hands, which waits, which is played, what it formed."""

    hands: tuple[Ranks, ...]
    current: int
    waiting: tuple[int, ...] = ()
    formed: tuple[int, ...] = ()
    drawn: tuple[int, ...] = ()
    cost: int = 0


class BoxSearch:
    """Finds the ways to play out one box, from any card on."""

    def __init__(self, facts: Facts, box: BoxFacts, initial: Ranks, book: Rulebook) -> None:
        self.facts = facts
        self.box = box
        self.initial = initial
        self.book = book
        self.found: dict[int, tuple[Way, ...]] = {}
        self.scored: dict[tuple[int, int | None], tuple[Scored, ...]] = {}
        self.steps = 0

    def ways_from(self, start: int) -> tuple[Way, ...]:
        """Give the ways that begin with one card, the best first."""
        if start not in self.found:
            self.steps = 0
            begun = _State(hands=(self.initial,), current=0)
            ways = [way for way in self._play(begun, start) if way.cost <= WORST]
            ways.sort(key=lambda way: (way.cost, len(way.drawn)))
            self.found[start] = tuple(ways[:MOST_WAYS])
        return self.found[start]

    def against(self, start: int, dealer: Ranks, kept: int) -> tuple[Scored, ...]:
        """Give the ways against a dealer's hand: of those that leave things the same, the best."""
        held = strength(dealer, of_split=False)
        if (start, held) not in self.scored:
            best: dict[tuple[int, Need, Need], list[Scored]] = {}
            for way in self.ways_from(start):
                least, most = needs_of(way, self.box, dealer[0])
                cost = way.cost + money_cost(way, self.box, dealer, self.book)
                hands = tuple(box_hand(self.box.box, formed) for formed in way.drawn)
                alike = best.setdefault((len(hands), least, most), [])
                alike.append(Scored(hands, least, most, cost))
            self.scored[start, held] = tuple(
                way
                for alike in best.values()
                for way in sorted(alike, key=lambda way: way.cost)[:kept]
            )
        return self.scored[start, held]

    def _play(self, state: _State, start: int) -> Iterator[Way]:
        self.steps += 1
        if self.steps > MOST_STEPS or state.cost > WORST:
            return
        hand = state.hands[state.current]
        place = start + len(state.drawn)
        card_due = len(hand) == 1 and len(state.hands) > 1
        if place < len(self.facts.ranks) and self._may_draw(state, hand):
            yield from self._play(self._with_card(state, place), start)
        if card_due and place < len(self.facts.ranks):
            return
        if self._may_split(state, hand):
            yield from self._play(self._split(state), start)
        yield from self._finish(state, start)

    def _may_draw(self, state: _State, hand: Ranks) -> bool:
        """Go on to one card too many, and no further."""
        if state.current + 1 in self.box.doubled and len(hand) > INITIAL_CARDS + 1:
            return False
        return not self._drew_too_much(hand, of_split=len(state.hands) > 1)

    def _drew_too_much(self, hand: Ranks, *, of_split: bool) -> bool:
        before = tuple(rank for rank in hand[:-1] if rank is not None)
        if len(before) < len(hand) - 1 or len(before) < INITIAL_CARDS:
            return False
        if of_split and before[0] is Rank.ACE:
            return True
        return is_bust(before) or (point_total(before) == TWENTY_ONE and len(before) > 2)

    def _with_card(self, state: _State, place: int) -> _State:
        hands = list(state.hands)
        hands[state.current] = (*hands[state.current], self.facts.ranks[place])
        name = box_hand(self.box.box, state.current + 1)
        unasked = not (len(hands) > 1 and len(hands[state.current]) == INITIAL_CARDS)
        cost = state.cost
        known = self.facts.known[place]
        if known is not None and known != name:
            cost += 2 * WORST
        unasked = unasked and not self.box.nobody_decides
        cost += self.facts.calls.against(place, name, unasked=unasked)
        return _State(
            tuple(hands),
            state.current,
            state.waiting,
            state.formed,
            (*state.drawn, state.current + 1),
            cost,
        )

    def _may_split(self, state: _State, hand: Ranks) -> bool:
        if len(state.hands) > min(self.box.splits, GREATEST_SPLIT - 1) or len(hand) != 2:
            return False
        first, second = hand
        return first is None or second is None or POINT_VALUE[first] == POINT_VALUE[second]

    def _split(self, state: _State) -> _State:
        hands = list(state.hands)
        stays, moves = hands[state.current]
        hands[state.current] = (stays,)
        new = len(hands)
        hands.append((moves,))
        return _State(
            tuple(hands),
            state.current,
            state.waiting,
            (*state.formed, new),
            state.drawn,
            state.cost,
        )

    def _finish(self, state: _State, start: int) -> Iterator[Way]:
        """End the hand that is played, and go on with the next: the newest first, or the oldest."""
        orders = {
            (*reversed(state.formed), *state.waiting),
            (*state.waiting, *state.formed),
        }
        for waiting in sorted(orders):
            if not waiting:
                yield Way(state.drawn, state.hands, state.cost + self._cost(state.hands))
                continue
            following = _State(state.hands, waiting[0], waiting[1:], (), state.drawn, state.cost)
            yield from self._play(following, start)

    def _cost(self, hands: tuple[Ranks, ...]) -> int:
        box, loose = self.box, self.box.loose_doubles
        cost = BREACH * max(0, box.splits + 1 - len(hands))
        for formed, ranks in enumerate(hands, 1):
            named = formed in box.doubled
            once = self._hand_cost(ranks, doubled=named, of_split=len(hands) > 1)
            if loose and not named and len(ranks) == INITIAL_CARDS + 1:
                loose -= 1
                once = min(once, self._hand_cost(ranks, doubled=True, of_split=len(hands) > 1))
            cost += once
        return cost + BREACH * loose

    def _hand_cost(self, ranks: Ranks, *, doubled: bool, of_split: bool) -> int:
        folded = self.box.everyone_folded
        if folded and len(ranks) > INITIAL_CARDS:
            return BREACH
        cost = hand_cost(
            ranks,
            self.book,
            of_split=of_split,
            doubled=doubled,
            folded=folded,
            absent=self.box.nobody_decides,
        )
        return min(cost, FOLDED_UNHEARD) if self.box.may_all_have_folded else cost


# What the ledger and the dealer make of a way


def needs_of(way: Way, box: BoxFacts, dealer_first: Rank | None) -> Needs:
    """Say what a box needs of the dealer: surely, and at the most."""
    if box.everyone_folded:
        return Need.NO_CARD, Need.NO_CARD
    least = most = Need.NO_CARD
    for ranks in way.hands:
        known = tuple(rank for rank in ranks if rank is not None)
        if len(known) < len(ranks):
            most = Need.WHOLE_HAND
            continue
        if len(known) < INITIAL_CARDS or is_bust(known):
            continue
        if len(way.hands) == 1 and is_ace_and_ten(known):
            low, high = _needs_of_blackjack(box, dealer_first)
        elif box.may_all_have_folded and len(way.hands) == 1 and not way.drawn:
            low, high = Need.NO_CARD, Need.WHOLE_HAND
        else:
            low = high = Need.WHOLE_HAND
        least, most = max(least, low), max(most, high)
    return least, most


def _needs_of_blackjack(box: BoxFacts, dealer_first: Rank | None) -> Needs:
    if dealer_first is None:
        return Need.NO_CARD, Need.SECOND_CARD
    if POINT_VALUE[dealer_first] < POINT_VALUE[Rank.TEN]:
        return Need.NO_CARD, Need.NO_CARD
    if dealer_first is Rank.ACE:
        even = [main.net == main.stake or main.net is None for main in box.mains]
        return (Need.NO_CARD if all(even) else Need.SECOND_CARD), Need.SECOND_CARD
    return Need.SECOND_CARD, Need.SECOND_CARD


BUST, DEALER_BUST, BLACKJACK = 0, 1, 22


def strength(ranks: Ranks, *, of_split: bool) -> int | None:
    """Put a hand on a scale on which the higher wins; None where a card was not read."""
    known = tuple(rank for rank in ranks if rank is not None)
    if len(known) < len(ranks):
        return None
    if not of_split and is_ace_and_ten(known):
        return BLACKJACK
    return BUST if is_bust(known) else point_total(known)


def _result(ranks: Ranks, dealer: int | None, *, of_split: bool) -> int | None:
    """Compare a hand with the dealer's: 1 wins, 0 stands off, -1 loses, None cannot be told."""
    mine = strength(ranks, of_split=of_split) if len(ranks) >= INITIAL_CARDS else None
    if mine == BUST:
        return -1
    if mine is None or dealer is None:
        return None
    theirs = DEALER_BUST if dealer == BUST else dealer
    return (mine > theirs) - (mine < theirs)


def money_cost(way: Way, box: BoxFacts, dealer: Ranks, book: Rulebook) -> int:
    """Compare what a box won with what the ledger paid, by sign alone."""
    held = strength(dealer, of_split=False)
    told = [_result(ranks, held, of_split=len(way.hands) > 1) for ranks in way.hands]
    results = [result for result in told if result is not None]
    if len(results) < len(told):
        return 0
    if box.is_raised and held == BLACKJACK:
        return _cost_against_blackjack(way, box, book)
    cost = 0
    loose: dict[tuple[str, WagerKind], list[Stake]] = {}
    for stake in box.stakes:
        if stake.net is None or (stake.kind is WagerKind.MAIN and box.folded(stake)):
            continue
        if stake.formed is None:
            loose.setdefault((stake.bettor, stake.kind), []).append(stake)
        elif stake.formed <= len(results):
            cost += _paid_otherwise(stake.net, results[stake.formed - 1], stake, dealer)
    for (_, kind), stakes in loose.items():
        on = [
            result
            for place, result in enumerate(results)
            if (place if kind is WagerKind.SPLIT else len(way.hands[place]) > INITIAL_CARDS)
        ]
        paid = Counter(_sign(stake.net or 0) for stake in stakes)
        matched = (paid & Counter(on)).total()
        cost += PAID_OTHERWISE * (len(stakes) - matched)
    return cost


def _cost_against_blackjack(way: Way, box: BoxFacts, book: Rulebook) -> int:
    """A dealer's blackjack takes the original wager, beside the hands that had already bust."""
    bust = [strength(ranks, of_split=True) == BUST for ranks in way.hands]
    cost = 0
    for bettor in {main.bettor for main in box.mains}:
        own = [stake for stake in box.stakes if stake.bettor == bettor]
        hands = [1 if len(bust) == 1 else stake.formed for stake in own]
        raised = any(stake.kind is not WagerKind.MAIN for stake in own)
        if not raised or None in hands or any(stake.net is None for stake in own):
            continue
        on = [hand for hand in hands if hand is not None and hand <= len(bust)]
        if len(on) < len(own):
            continue
        original = sum(stake.stake for stake in own if stake.kind is WagerKind.MAIN)
        pairs = list(zip(own, on, strict=True))
        collected = sum(stake.stake for stake, hand in pairs if bust[hand - 1])
        standing = not all(bust[hand - 1] for hand in on)
        lost = -sum(stake.net or 0 for stake in own)
        if abs(lost - collected - standing * original) >= box.unit:
            by_another_reading = lost == original and BUSTED_HANDS in book.readings
            cost += PAID_BY_ANOTHER_READING if by_another_reading else PAID_OTHERWISE
    return cost


def _sign(net: int) -> int:
    return (net > 0) - (net < 0)


def _paid_otherwise(net: int, result: int, stake: Stake, dealer: Ranks) -> int:
    sign = _sign(net)
    if sign == result:
        return 0
    even_money = net == stake.stake and dealer[:1] == (Rank.ACE,)
    if even_money and not result and strength(dealer, of_split=False) == BLACKJACK:
        return 0
    if sign == 0 or even_money:
        return HANDED_BACK
    return PAID_OTHERWISE
