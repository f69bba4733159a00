"""The shoe: its decks, the burn card, and cards that do not belong."""

from collections.abc import Callable
from dataclasses import dataclass

from audit.rulebook import Irregularity, Remedy, Rulebook, Stage
from audit.verdicts import COMPLIED, NOT_APPLICABLE, Breach, Undetermined, Verdict


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
class Unreadable:
    """How many cards of a round could not be read, when they are too many to try all readings."""

    cards: int


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
    """SRC002 Too many cards of a round could not be read to judge it.

    What: up to three unread cards are tried in every reading. Here there are more, so what the
    rules required cannot be told.

    Why: a round that nobody can judge needs a person to look at the footage.

    Example: P ?? ?? / B ?? ??
    """
    return Undetermined(f"the reading of {unreadable.cards} cards")


SHOE_RULES: dict[str, Callable[..., Verdict]] = {
    "SHO001": too_many_copies,
    "SHO002": foreign_card_found,
    "SHO003": shoe_ran_out,
    "SHO004": wrong_number_of_decks,
    "DEA018": burn_card_forgotten,
    "SRC002": too_many_unread_cards,
}
