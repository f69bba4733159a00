"""Where the cards of a round of blackjack went: boxes, dealer, boxes, then box after box."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from audit.cards import Rank
from audit.hands import DEALER, GREATEST_BOX, Hand, box_hand
from audit.observations import WagerKind
from audit.reconstruction.blackjack_boxes import (
    BoxSearch,
    Needs,
    Ranks,
)
from audit.reconstruction.blackjack_facts import Facts, facts_of
from audit.reconstruction.material import RoundRows, Setting
from audit.reconstruction.trial import BREACH, HANDED_BACK, MISDEAL, Trial, tried, with_burnt
from audit.rulebook import Rulebook
from audit.rules.blackjack.dealer import DEALER_RULES, DealerPlay, Need
from audit.rules.blackjack.dealing import initial_order
from audit.verdicts import Breach

MOST_KEPT = 12
"""How many ways are kept for each stage of a round: the best."""
MOST_JUDGED = 8
MOST_JUDGED_DEEPER = 30
"""How many readings the judge is asked about where none of the first was without fault."""
MOST_BOXES = 7
WORST = 2 * MISDEAL
AGAINST_A_LABEL = 10 * WORST
NOT_A_ROUND = 4 * MISDEAL
AS_IT_SHOULD_BE = 200
AGAINST_THE_LEDGER = 400
"""A reading that was found without regard to what the ledger paid."""


@dataclass(frozen=True, slots=True)
class Reading:
    cost: int
    hands: tuple[Hand, ...]


@dataclass(frozen=True, slots=True)
class InitialDeal:
    """An order in which the initial cards may have been dealt, and what speaks against it."""

    order: tuple[Hand, ...]
    boxes: tuple[int, ...]
    cost: int = 0


class RoundSearch:
    """Finds the readings of one round that break the fewest rules."""

    def __init__(self, facts: Facts, book: Rulebook, *, kept: int = MOST_KEPT) -> None:
        self.facts = facts
        self.book = book
        self.kept = kept

    def readings(self, deal: InitialDeal) -> Iterator[list[Reading]]:
        """Read the round from one initial deal on, where the dealer's hand is the likeliest first.

        Each list has the best first; a later one breaks at least as many rules by the dealer.
        """
        begins = len(deal.order)
        if begins > len(self.facts.ranks):
            return
        cost = deal.cost + self._against_labels(deal.order)
        searches = [self._box_search(deal, box) for box in deal.boxes]
        first = self._first_of_dealer(deal)
        groups: dict[tuple[int, int], list[int]] = {}
        for place in range(begins, len(self.facts.ranks) + 1):
            dealer = (first, *self.facts.ranks[place:])
            faults = [self._dealer_cost(dealer, needs) for needs in NEEDS]
            groups.setdefault((min(faults), faults[-1]), []).append(place)
        best = WORST
        for least, whole in sorted(groups):
            if cost + least > best:
                return
            found = [
                reading
                for place in groups[least, whole]
                for reading in self._up_to(deal, searches, first, place, cost)
            ]
            found.sort(key=lambda reading: reading.cost)
            best = min(best, found[0].cost) if found else best
            yield found[:MOST_JUDGED_DEEPER]

    def _against_labels(self, order: Sequence[Hand]) -> int:
        pairs = zip(self.facts.known, order, strict=False)
        return AGAINST_A_LABEL * sum(known not in (None, hand) for known, hand in pairs)

    def _box_search(self, deal: InitialDeal, box: int) -> BoxSearch:
        own = box_hand(box)
        initial = tuple(
            rank for rank, hand in zip(self.facts.ranks, deal.order, strict=False) if hand == own
        )
        return BoxSearch(self.facts, self.facts.box(box), initial, self.book)

    def _first_of_dealer(self, deal: InitialDeal) -> Rank | None:
        return self.facts.ranks[deal.order.index(DEALER)] if DEALER in deal.order else None

    def _dealer_cost(self, dealer: Ranks, needs: Needs) -> int:
        ranks = tuple(rank for rank in dealer if rank is not None)
        if len(ranks) < len(dealer):
            return 0
        least, most = needs
        play = DealerPlay(ranks, least, most, tolerated=Need.SECOND_CARD)
        return BREACH * sum(
            self.book.judges(code) and isinstance(rule(play, self.book), Breach)
            for code, rule in DEALER_RULES.items()
        )

    def _up_to(
        self,
        deal: InitialDeal,
        searches: Sequence[BoxSearch],
        first: Rank | None,
        dealer_begins: int,
        cost: int,
    ) -> list[Reading]:
        """Let the boxes take every card up to one, and the dealer the others."""
        dealer = (first, *self.facts.ranks[dealer_begins:])
        insured = self.facts.insured and first is Rank.ACE
        least = Need.SECOND_CARD if insured else Need.NO_CARD
        stages = {(len(deal.order), least, least): [Reading(cost, deal.order)]}
        for search in searches:
            stages = self._after_box(stages, search, dealer, dealer_begins)
        taken = len(self.facts.ranks) - dealer_begins
        by_dealer = sum(
            self.facts.calls.against(place, DEALER, unasked=False)
            + AGAINST_A_LABEL * (self.facts.known[place] not in (None, DEALER))
            for place in range(dealer_begins, len(self.facts.ranks))
        )
        found: list[Reading] = []
        for (place, low, high), readings in stages.items():
            if place == dealer_begins:
                more = by_dealer + self._dealer_cost(dealer, (low, high))
                found += [
                    Reading(reading.cost + more, (*reading.hands, *(DEALER,) * taken))
                    for reading in readings
                ]
        return [reading for reading in found if reading.cost < AGAINST_A_LABEL]

    def _after_box(
        self,
        stages: dict[tuple[int, Need, Need], list[Reading]],
        search: BoxSearch,
        dealer: Ranks,
        ends: int,
    ) -> dict[tuple[int, Need, Need], list[Reading]]:
        after: dict[tuple[int, Need, Need], list[Reading]] = {}
        for (place, low, high), readings in stages.items():
            for way in search.against(place, dealer, self.kept):
                if place + len(way.hands) > ends:
                    continue
                key = (place + len(way.hands), max(low, way.least), max(high, way.most))
                after.setdefault(key, []).extend(
                    Reading(reading.cost + way.cost, (*reading.hands, *way.hands))
                    for reading in readings
                    if reading.cost + way.cost < AGAINST_A_LABEL
                )
        return {
            key: sorted(readings, key=lambda reading: reading.cost)[: self.kept]
            for key, readings in after.items()
        }


NEEDS: tuple[Needs, ...] = (
    (Need.NO_CARD, Need.NO_CARD),
    (Need.SECOND_CARD, Need.SECOND_CARD),
    (Need.WHOLE_HAND, Need.WHOLE_HAND),
)


def lawful_deal(facts: Facts) -> InitialDeal:
    boxes = tuple(box.box for box in facts.boxes)
    return InitialDeal(initial_order(boxes), boxes)


def lawful_deals(facts: Facts) -> Iterator[InitialDeal]:
    """Deal in every box with a wager; or all but those whose wagers may have been refused."""
    yield lawful_deal(facts)
    doubtful = [box.box for box in facts.boxes if box.may_be_refused]
    sure = [box.box for box in facts.boxes if not box.may_be_refused]
    for refused in sorted({tuple(doubtful), *((box,) for box in doubtful)}):
        boxes = tuple(sorted({*sure, *doubtful} - set(refused)))
        if refused and boxes:
            yield InitialDeal(initial_order(boxes), boxes)


def faulty_deals(facts: Facts) -> Iterator[InitialDeal]:
    """Go through the initial deals with a single fault in them."""
    boxes = tuple(box.box for box in facts.boxes)
    order = initial_order(boxes)
    hands = tuple(box_hand(box) for box in boxes)
    yield InitialDeal((*hands, *hands, DEALER), boxes, MISDEAL)
    for place in range(len(order)):
        if order[place] != DEALER and len(boxes) > 1:
            yield InitialDeal((*order[:place], *order[place + 1 :]), boxes, MISDEAL)
            yield InitialDeal((*order[: place + 1], *order[place:]), boxes, MISDEAL)
    for place in range(len(order) - 1):
        swapped = (*order[:place], order[place + 1], order[place], *order[place + 2 :])
        yield InitialDeal(swapped, boxes, MISDEAL)
    yield InitialDeal((*order, DEALER), boxes, MISDEAL)
    for box in boxes:
        left = tuple(other for other in boxes if other != box)
        if left:
            yield InitialDeal(initial_order(left), left, MISDEAL)
    yield from _with_one_box_more(facts, boxes)


def _with_one_box_more(facts: Facts, boxes: tuple[int, ...]) -> Iterator[InitialDeal]:
    """Deal in a box without a wager: where it lies between the others is all that matters."""
    tried_between: set[int] = set()
    for box in range(1, min(MOST_BOXES, GREATEST_BOX) + 1):
        between = sum(other < box for other in boxes)
        if box not in boxes and between not in tried_between:
            tried_between.add(between)
            more = tuple(sorted((*boxes, box)))
            yield InitialDeal(initial_order(more), more, MISDEAL)


def cost_of_length(rows: RoundRows) -> int:
    """Say what the number of cards alone has against a round with these wagers."""
    mains = [row for row in rows.wagers if row.wager == WagerKind.MAIN]
    boxes, sure = ({row.box for row in some} for some in (mains, [m for m in mains if m.net != 0]))
    if rows.is_void or not boxes:
        return 0
    cards = len(rows.in_play)
    splits = sum(row.wager == WagerKind.SPLIT for row in rows.wagers)
    short = 2 * max(1, len(sure)) + 1 - cards
    if short > 0:
        return MISDEAL * min(short, 3)
    return NOT_A_ROUND if cards > 6 * len(boxes) + 4 * splits + 10 else 0


def quick_cost(rows: RoundRows, setting: Setting) -> int:
    """Say what speaks against these cards as a round, without asking the judge."""
    by_length = cost_of_length(rows)
    if rows.is_void or by_length:
        return by_length
    facts = facts_of(rows, setting.sheet)
    if not facts.boxes:
        return 0
    if None not in facts.known:
        return _cost_of_labels(facts)
    best = NOT_A_ROUND
    search = RoundSearch(facts, setting.book, kept=2)
    for found in (found for deal in lawful_deals(facts) for found in search.readings(deal)):
        best = min(best, found[0].cost) if found else best
        if not best:
            break
    return best


def _cost_of_labels(facts: Facts) -> int:
    """Look at a round whose hands the device knows: dealt in turn, to the boxes with a wager?"""
    hands = tuple(hand for hand in facts.known if hand is not None)
    boxes = {hand.box for hand in hands if hand.box}
    order = initial_order(tuple(sorted(boxes)))
    cost = MISDEAL * (hands[: len(order)] != order)
    skipped = {box.box for box in facts.boxes if not box.may_be_refused} - boxes
    cost += MISDEAL * bool(skipped or boxes - {box.box for box in facts.boxes})
    later = hands[len(order) :]
    if DEALER in later:
        cost += MISDEAL * any(hand != DEALER for hand in later[later.index(DEALER) :])
    return cost


def blackjack_readings(rows: RoundRows, setting: Setting) -> list[Trial]:
    """Give the readings of a round, the best first, as far as the judge was asked."""
    facts = facts_of(rows, setting.sheet)
    if not facts.boxes:
        return []
    if rows.is_void:
        return [_void_reading(rows, facts, setting)]
    trials, least = _by_the_rules(rows, facts, setting)
    if trials and not trials[0].cost:
        return trials[:1]
    split = any(box.splits for box in facts.boxes)
    handed_back = all(box.may_be_refused for box in facts.boxes)
    deeper = MOST_JUDGED if split and not handed_back else MOST_JUDGED_DEEPER
    if not handed_back:
        trials += [
            replace(trial, doubt=trial.doubt + AGAINST_THE_LEDGER)
            for trial in _by_the_rules(rows, facts.without_settlements(), setting)[0]
        ]
    trials += _by_the_rules(rows, facts, setting, judged=deeper)[0]
    trials.sort(key=lambda trial: trial.rank)
    if not trials or (trials[0].cost >= MISDEAL and least >= BREACH):
        search = RoundSearch(facts, setting.book)
        readings = [
            reading
            for deal in faulty_deals(facts)
            for reading in next(search.readings(deal), [])[:2]
        ]
        readings.sort(key=lambda reading: reading.cost)
        trials += _judged(rows, readings[:MOST_JUDGED], setting)
    return sorted(trials, key=lambda trial: trial.rank)


def _by_the_rules(
    rows: RoundRows, facts: Facts, setting: Setting, *, judged: int = MOST_JUDGED
) -> tuple[list[Trial], int]:
    """Read a round that was dealt in order; say what the search alone has against it, too."""
    trials: list[Trial] = []
    least = NOT_A_ROUND
    search = RoundSearch(facts, setting.book, kept=judged)
    for found in (found for deal in lawful_deals(facts) for found in search.readings(deal)):
        least = min(least, found[0].cost) if found else least
        trials += _judged(rows, found[:judged], setting)
        trials.sort(key=lambda trial: trial.rank)
        if trials and trials[0].cost <= HANDED_BACK and trials[0].doubt < AS_IT_SHOULD_BE:
            break
    return trials, least


def _judged(rows: RoundRows, readings: Sequence[Reading], setting: Setting) -> list[Trial]:
    """Ask the judge about one reading after the other, until one has nothing against it."""
    trials: list[Trial] = []
    worst = readings[0].cost + MISDEAL if readings else 0
    for reading in readings:
        if reading.cost > worst:
            break
        hands = with_burnt([str(hand) for hand in reading.hands], rows)
        trials.append(replace(tried(rows, hands, setting), doubt=reading.cost))
        if not trials[-1].cost:
            break
    return trials


def _void_reading(rows: RoundRows, facts: Facts, setting: Setting) -> Trial:
    """Read a void round like another as far as it goes; no rule is held against it any more."""
    search = RoundSearch(facts, setting.book, kept=2)
    deals = lawful_deals(facts)
    readings = [found[0] for deal in deals for found in search.readings(deal) if found]
    if readings:
        best = min(readings, key=lambda reading: reading.cost)
        hands = [str(hand) for hand in best.hands]
        return Trial(with_burnt(hands, rows), 0, doubt=best.cost)
    return Trial(with_burnt(_laid_in_order(facts), rows), 0)


def _laid_in_order(facts: Facts) -> list[str]:
    """Lay the cards of a void round that no search can read."""
    order = list(lawful_deal(facts).order)
    order += [DEALER] * (len(facts.ranks) - len(order))
    return [
        str(known if known is not None else hand)
        for known, hand in zip(facts.known, order, strict=False)
    ]
