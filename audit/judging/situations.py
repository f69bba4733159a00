"""Rules put before a situation: each distinct one is judged once, however often it is met."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Generic, TypeVar

from audit.rulebook import Rulebook
from audit.verdicts import Breach, Undetermined, Verdict

Situation = TypeVar("Situation")
Spoken = tuple[tuple[str, Breach | Undetermined], ...]
"""What rules have to say about a situation, by their codes; those that were kept say nothing."""
MOST_SITUATIONS = 1 << 16
"""How many are remembered of each kind: the commonest by far, in little memory."""


class JudgedOnce(Generic[Situation]):
    """Rules that all look at one kind of situation, and what they said about those met before."""

    def __init__(self, rules: Mapping[str, Callable[[Situation, Rulebook], Verdict]]) -> None:
        self._rules = rules
        self._remembered = lru_cache(maxsize=MOST_SITUATIONS)(self._put_before)

    def verdicts(self, situation: Situation, book: Rulebook) -> Spoken:
        """Give the breaches, and what could not be determined, in the rules' order."""
        return self._remembered(situation, book)

    def _put_before(self, situation: Situation, book: Rulebook) -> Spoken:
        verdicts = ((code, rule(situation, book)) for code, rule in self._rules.items())
        return tuple(
            (code, verdict)
            for code, verdict in verdicts
            if isinstance(verdict, Breach | Undetermined)
        )

    def forget(self) -> None:
        """Judge every situation afresh from now on."""
        self._remembered.cache_clear()
