"""Rounds that the documents make void, and why; and reasons that do not."""

from dataclasses import replace
from random import Random

from audit.money import NOTHING
from audit.observations import Call, CallKind
from audit.rounds import Round
from audit.rulebook import Rulebook

UNSHUFFLED, MISDEAL, POWER_FAILURE = "unshuffled", "misdeal", "power_failure"

LAWFUL_VOIDS = {
    "mbs-blackjack-v6": (UNSHUFFLED, MISDEAL),
    "rws-blackjack-v4": (MISDEAL,),
    "rws-blackjack-v5": (UNSHUFFLED, POWER_FAILURE),
    "mbs-fortune-six-baccarat-v6": (UNSHUFFLED, MISDEAL),
    "mbs-electronic-baccarat": (UNSHUFFLED, MISDEAL, POWER_FAILURE),
}
"""Unshuffled cards (5.1, 5.5.4) at any time, cards that cannot be put back (5.2, 5.1.2) during the
initial deal, a power failure (5.4.2, 5.9.1) before any wager is decided."""

UNLAWFUL_VOIDS = {
    "mbs-blackjack-v6": MISDEAL,
    "rws-blackjack-v4": UNSHUFFLED,
    "rws-blackjack-v5": MISDEAL,
    "mbs-fortune-six-baccarat-v6": POWER_FAILURE,
    "mbs-electronic-baccarat": POWER_FAILURE,
}
"""Reasons for which, once play has gone on, each document has another remedy or none."""


def void_call(reason: str, played: Round) -> tuple[Call, ...]:
    """Announce that a round is void, as early as the reason has to be noticed."""
    if reason == POWER_FAILURE:
        return Call(CallKind.POWER_FAILURE, 0), Call(CallKind.VOID, 0, value=reason)
    at = 2 if reason == MISDEAL else len(played.cards)
    return (Call(CallKind.VOID, at, value=reason),)


def voided(played: Round, book: Rulebook, rng: Random) -> Round:
    """Void a lawful round with ground, and hand back every wager."""
    reason = rng.choice(LAWFUL_VOIDS[book.document])
    calls = sorted((*played.calls, *void_call(reason, played)), key=lambda call: call.after)
    wagers = tuple(replace(wager, net=NOTHING) for wager in played.wagers)
    return replace(played, calls=tuple(calls), wagers=wagers)
