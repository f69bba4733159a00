"""The shoe: its decks, its order, the burn card, cards that do not belong, and its records."""

from collections.abc import Callable
from dataclasses import dataclass

from audit.cards import DECK
from audit.rulebook import Irregularity, Remedy, Rulebook, Stage
from audit.verdicts import COMPLIED, NOT_APPLICABLE, Breach, Undetermined, Verdict

CARDS_OF_A_DECK = len(DECK)
MOST_NAMED = 8
"""How many missing cards a finding names before it only counts them."""


@dataclass(frozen=True, slots=True)
class Copies:
    """How often a card was seen, and how many decks the shoe holds."""

    card: str
    seen: int
    decks: int


@dataclass(frozen=True, slots=True)
class Decks:
    decks: int


@dataclass(frozen=True, slots=True)
class Found:
    """A card that does not belong to the decks in use was announced."""

    announced: bool


@dataclass(frozen=True, slots=True)
class ShoeRunOut:
    """A round that was left unfinished because the shoe had no more cards."""

    announced: bool


@dataclass(frozen=True, slots=True)
class Burnt:
    """The burn cards at the start of a shoe; `marked` says whether the log marks them at all."""

    required: int | None
    burnt: int
    marked: bool
    noticed_on_initial_deal: bool


@dataclass(frozen=True, slots=True)
class CountedOut:
    """The cards of a shoe as they were counted at its end."""

    decks: int
    counted: int | None
    """None: nobody counted them, as far as the log shows."""
    missing: tuple[str, ...] = ()
    """The cards that the log shows too seldom, each as often as it is missing."""
    unknown: int = 0
    """How many of the cards counted were not read, or have no row."""
    extra_named: int = 0
    """How many cards beyond those of the decks are found by name."""


@dataclass(frozen=True, slots=True)
class OrderRepeated:
    """How much of a shoe stands in the order of an earlier one; no card: nothing does."""

    cards: int
    first: int
    """The `seq` of the first of them."""
    earlier_shoe: str
    backward: bool = False


@dataclass(frozen=True, slots=True)
class PackOrder:
    """How much of a shoe stands in the order of new packs; no card: nothing does."""

    cards: int
    first: int
    every: int | None = None
    """After how many cards the same order comes again; None: suits stand in sequence."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Two cards of a log that follow each other; `before` is 0 for the first card of the log."""

    before: int
    after: int


@dataclass(frozen=True, slots=True)
class TwoReadings:
    """What two sources say about one card: what it is, or the hand that it went to."""

    seq: int
    source: str
    says: str
    other_source: str
    other_says: str
    both_sure: bool


@dataclass(frozen=True, slots=True)
class OneSource:
    """A card that one source has and another, which was there at the time, has not."""

    seq: int
    card: str
    source: str
    lacking: str
    off_the_table: bool = False
    """The source is no camera, and the other is: the shoe has it and nobody saw it laid."""
    only_on_the_table: bool = False
    """The source is a camera, and the other is none."""


@dataclass(frozen=True, slots=True)
class TwoOrders:
    """A card that two sources have on different sides of another one."""

    seq: int
    card: str
    passed: str
    source: str
    other_source: str
    before: bool
    """Whether it comes before the other card in the first source."""
    hands: tuple[str, str] | None = None
    """To which it went by the one and by the other, where they differ."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """How many cards of a round are not known, when they are too many to try all readings."""

    cards: int
    read: int = 0
    """How many of them were read, but in doubt: what else lay there, or whether they are cards."""
    why: str = ""
    """What makes them doubtful, if that was said."""


def too_many_copies(copies: Copies, book: Rulebook) -> Verdict:
    """SHO001 A card came out of the shoe more often than its decks hold it.

    What: each deck has one card of each rank and suit. More copies of this one were dealt than
    there are decks.

    Why: a card was added, or was dealt twice. The round in which it shows is void.

    Example: P KS 8D / B KS 7S {decks 1, mbs-fortune-six-baccarat-v6}
    """
    if copies.seen <= copies.decks:
        return COMPLIED
    return Breach(
        f"at most {copies.decks} of {copies.card} in {copies.decks} decks",
        f"{copies.seen} were dealt",
    )


def foreign_card_found(found: Found, book: Rulebook) -> Verdict:
    """SHO002 A card that does not belong to the decks in use was found.

    What: a card of another design, or one that the set does not hold, was announced.

    Why: nobody can say how long it has been in play. The round is void; earlier ones stand.

    Example: P 9H KD / B 2C 4S | foreign_card, void foreign_card
    """
    if not found.announced:
        return NOT_APPLICABLE
    return Breach("only cards of the decks in use", "a foreign card was announced")


def shoe_ran_out(shoe: ShoeRunOut, book: Rulebook) -> Verdict:
    """SHO003 The shoe did not hold enough cards to finish a round.

    What: a round was begun that the cards left in the shoe could not finish.

    Why: the cutting card is placed so that this never happens. Most documents then void the round;
    one has the discards shuffled and the round finished.

    Example: P 2H 3D / B KS 3S | void not_enough_cards
    """
    if not shoe.announced:
        return NOT_APPLICABLE
    provision = book.provision(Irregularity.NOT_ENOUGH_CARDS, Stage.AFTERWARDS)
    remedy = provision.remedy if provision else "the document gives no remedy"
    return Breach(f"enough cards to finish a round; without them {remedy}", "the shoe ran out")


def wrong_number_of_decks(decks: Decks, book: Rulebook) -> Verdict:
    """SHO004 The shoe holds more or fewer decks than the document allows.

    What: the document sets the least and the greatest number of decks for the game.

    Why: the approved odds are for shoes of those sizes.

    Example: P KS 8D / B KD 7S | first {decks 2}
    """
    least, most = book.fewest_decks.value, book.most_decks.value
    if least <= decks.decks <= most:
        return COMPLIED
    return Breach(f"{least} to {most} decks", f"{decks.decks} decks")


def count_differs(counted: CountedOut, book: Rulebook) -> Verdict:
    """SHO005 The cards counted at the end of a shoe are not those of its decks.

    What: every deck has 52 cards, each once. When the shoe was counted out at its end there were
    more or fewer, or the right number with one card in another's place.

    Why: a card left the game, or came into it. Nobody can say in which round, so those before the
    count keep their outcome; the cards must be replaced.

    Example: a shoe of one deck is dealt and its rest counted out. The log shows 51 cards, from the
    first to the last, and no six of clubs.
    """
    if counted.counted is None:
        return NOT_APPLICABLE
    full = counted.decks * CARDS_OF_A_DECK
    missing = max(full - counted.counted, len(counted.missing) - counted.unknown)
    if missing <= 0 and counted.counted - full <= counted.extra_named:
        return COMPLIED
    observed = f"{counted.counted} were counted"
    if missing > 0 and counted.missing:
        certain = missing == len(counted.missing)
        among = "" if certain else f"{missing}, to be found among "
        observed += f"; missing: {among}{_listed(counted.missing)}"
    decks = "1 deck" if counted.decks == 1 else f"{counted.decks} decks"
    return Breach(f"the {full} cards of {decks}", observed)


def _listed(cards: tuple[str, ...]) -> str:
    if len(cards) > MOST_NAMED:
        return f"{', '.join(cards[:MOST_NAMED])} and {len(cards) - MOST_NAMED} more"
    return ", ".join(cards)


def earlier_order_repeated(repeated: OrderRepeated, book: Rulebook) -> Verdict:
    """SHO006 The cards came in the order of an earlier shoe: they were not shuffled.

    What: a long part of the shoe repeats an earlier one of the table, round by round, forward or
    backward. Mixing the cards of a round, as picking up hands does, does not hide it. Shuffled
    cards do so by chance in less than one shoe of a hundred million.

    Why: who remembers the earlier shoe knows the cards to come. This is how false shuffles are
    played.

    Example: the discards of shoe 1 go back into the dealing device unshuffled, and the 52 cards of
    shoe 2 come out hand by hand as those of shoe 1 were picked up.
    """
    if not repeated.cards:
        return COMPLIED
    way = ", backward" if repeated.backward else ""
    return Breach(
        "cards that were shuffled before they were dealt",
        f"{repeated.cards} cards, from card {repeated.first} on, "
        f"repeat the order of shoe {repeated.earlier_shoe}{way}",
    )


def new_pack_order_kept(order: PackOrder, book: Rulebook) -> Verdict:
    """SHO007 The cards came in the order of new packs: they were not shuffled.

    What: suits stand in sequence, as in a pack that is just unwrapped, or one and the same order
    comes again pack after pack.

    Why: everybody at the table can tell the next card.

    Example: a new pack is put into the shoe as it was bought: the ace to the king of spades, then
    those of hearts, and so on.
    """
    if not order.cards:
        return COMPLIED
    observed = f"{order.cards} cards, from card {order.first} on, "
    if order.every is None:
        observed += "stand in sequence by suits, as in new packs"
    else:
        observed += f"come again in the same order {order.every} cards later"
    return Breach("cards that were shuffled before they were dealt", observed)


def burn_card_forgotten(burnt: Burnt, book: Rulebook) -> Verdict:
    """DEA018 The burn card was forgotten.

    What: the first card out of a new shoe is burnt, not dealt. It went into play.

    Why: everybody may have seen it while the cards were cut. Noticed on the initial deal, the cards
    are put back in order; after that play goes on with it.

    Example: 1 TH 8D / D 7H TC | main@1 100=+100, first
    """
    if not burnt.required:
        return NOT_APPLICABLE
    if burnt.burnt >= burnt.required:
        return COMPLIED
    if not burnt.marked:
        return NOT_APPLICABLE
    stage = Stage.INITIAL_DEAL if burnt.noticed_on_initial_deal else Stage.AFTERWARDS
    provision = book.provision(Irregularity.BURN_FORGOTTEN, stage)
    remedy = provision.remedy if provision else Remedy.NOT_STATED
    return Breach(
        f"{burnt.required} burnt at the start of the shoe; otherwise {remedy}",
        f"{burnt.burnt} burnt",
        clause=provision.clause if provision else None,
    )


def too_many_unread_cards(unreadable: Unreadable, book: Rulebook) -> Verdict:
    """SRC002 Too many cards of a round could not be read, or are in doubt, to judge it.

    What: up to three unread cards are tried in every reading. Here there are more, or all that was
    read is in doubt, as when something in a film may be a card or not. So what the rules required
    cannot be told.

    Why: a round that nobody can judge needs a person to look at the footage.

    Example: P ?? ?? / B ?? ??
    """
    unread = unreadable.cards - unreadable.read
    if not unreadable.read:
        return Undetermined(f"the reading of {unread} cards")
    lay = f"certainty: {unreadable.read} cards were read, but "
    lay += unreadable.why or "whether they lay there, and no others, is in doubt"
    return Undetermined(f"{lay}, and the reading of {unread} more" if unread else lay)


def cards_not_logged(gap: Gap, book: Rulebook) -> Verdict:
    """SRC003 Cards left the shoe that the log does not show.

    What: the numbers of two cards that follow each other leave some out, or the log of a shoe in
    the middle of the night does not begin with its first cards.

    Why: a card that nobody recorded may be what a finding on this round hangs on, or what somebody
    wanted unseen. Look at the footage before anyone is accused.

    Example: card 9 goes to the banker, the next row of the log is card 11, and nothing says where
    card 10 went.
    """
    left_out = gap.after - gap.before - 1
    if left_out <= 0:
        return COMPLIED
    if gap.before == 0:
        return Breach(
            "a log from the first card of the shoe on", f"it begins with card {gap.after}"
        )
    which = (
        f"card {gap.before + 1} is"
        if left_out == 1
        else (f"cards {gap.before + 1} to {gap.after - 1} are")
    )
    return Breach("a row for every card that leaves the shoe", f"{which} not in the log")


def sources_differ(readings: TwoReadings, book: Rulebook) -> Verdict:
    """SRC004 Two sources say different things about the same card.

    What: what one device read, or the hand to which it saw the card go, is not what another one
    saw in the same place.

    Why: one of them misread it. Where both are sure, the card on the table may not be the one that
    left the shoe: a card was switched.

    Example: the shoe reads its fifth card as the nine of hearts, the camera sees the king of spades
    come to lie on the table, and both are sure.
    """
    if readings.says == readings.other_says:
        return COMPLIED
    observed = (
        f"card {readings.seq}: {readings.source} has {readings.says}, "
        f"{readings.other_source} {readings.other_says}"
    )
    if readings.both_sure:
        observed += "; both are sure, so the card may have been switched"
    return Breach("the same card in every source", observed)


def card_in_one_source_only(card: OneSource, book: Rulebook) -> Verdict:
    """SRC005 One source has a card that another one lacks.

    What: between cards that both have, one device saw a card and the other saw none.

    Why: a camera can miss a card, or see one that never was. But a card that came to the table past
    the reader of the shoe is a foreign card.

    Example: the camera sees a third card for the player between the sixth and the seventh that the
    shoe has read, and the shoe has no row for it.
    """
    observed = f"card {card.seq}, {card.card}, is in {card.source} and not in {card.lacking}"
    if card.off_the_table:
        observed += "; it may never have come to the table"
    if card.only_on_the_table:
        observed += "; it may not have come out of the shoe"
    return Breach("every card in every source", observed)


def orders_differ(orders: TwoOrders, book: Rulebook) -> Verdict:
    """SRC006 A card came to the table out of the order in which it left the shoe.

    What: two sources have the same cards, one of them before another in the first source and after
    it in the second.

    Why: a card that is held back, or dealt before its turn, goes to another hand than the shoe
    meant it for. Cards that a camera first saw together have no order and are not named.

    Example: the shoe reads the nine of spades as its third card and the ten of clubs as its fourth,
    and the camera sees the ten come to the table first.
    """
    sides = ("before", "after") if orders.before else ("after", "before")
    observed = (
        f"card {orders.seq}, {orders.card}, comes {sides[0]} {orders.passed} in {orders.source} "
        f"and {sides[1]} it in {orders.other_source}"
    )
    if orders.hands:
        observed += f", to {orders.hands[1]} instead of {orders.hands[0]}"
    return Breach("the same order in every source", observed)


SHOE_RULES: dict[str, Callable[..., Verdict]] = {
    "SHO001": too_many_copies,
    "SHO002": foreign_card_found,
    "SHO003": shoe_ran_out,
    "SHO004": wrong_number_of_decks,
    "DEA018": burn_card_forgotten,
    "SRC002": too_many_unread_cards,
}

WHOLE_SHOE_RULES: dict[str, Callable[..., Verdict]] = {
    "SHO005": count_differs,
    "SHO006": earlier_order_repeated,
    "SHO007": new_pack_order_kept,
    "SRC003": cards_not_logged,
    "SRC004": sources_differ,
    "SRC005": card_in_one_source_only,
    "SRC006": orders_differ,
}
"""What no single round can show."""
