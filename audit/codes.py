"""The permanent codes, each with the rule behind it; its docstring is the manual page."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any

from audit import irregularities
from audit.errors import BadInput
from audit.rules import baccarat, shoe, wagers
from audit.rules.blackjack import dealer, dealing, decisions
from audit.rules.blackjack import wagers as blackjack_wagers
from audit.settlement import blackjack, payments
from audit.verdicts import Verdict

FAMILIES = {
    "PAY": "a wager settled for the wrong amount or to the wrong side",
    "DRW": "a required card not drawn, or a card drawn that the rules forbid",
    "DEA": "misdeals, and rounds that had to be void or had not",
    "ACT": "a decision that the rules do not allow",
    "BET": "a wager that the rules do not allow",
    "SHO": "the shoe itself",
    "SRC": "two sources disagree about the same round, or one of them has holes",
}

Rule = Callable[..., Verdict]

_RULES: dict[str, Rule] = {
    **payments.PAYMENT_RULES,
    "PAY011": blackjack.more_than_original_lost,
    **baccarat.DRAWING_RULES,
    **baccarat.DEALING_RULES,
    "SRC001": baccarat.announced_outcome_differs,
    **dealer.DEALER_RULES,
    **dealing.DEALING_RULES,
    **decisions.HAND_RULES,
    **decisions.SPLIT_RULES,
    **decisions.SURRENDER_RULES,
    **decisions.EVEN_MONEY_RULES,
    **wagers.PLACING_RULES,
    **wagers.LIMIT_RULES,
    **wagers.AREA_RULES,
    "BET012": wagers.wager_withdrawn,
    "BET013": wagers.differential_exceeded,
    **blackjack_wagers.RAISE_RULES,
    **blackjack_wagers.INSURANCE_RULES,
    **blackjack_wagers.SIDE_WAGER_RULES,
    **blackjack_wagers.DECISION_RULES,
    "PAY015": blackjack_wagers.side_wager_settled_late,
    **shoe.SHOE_RULES,
    **shoe.WHOLE_SHOE_RULES,
    "DEA019": irregularities.voided_without_ground,
    "DEA020": irregularities.played_on_although_void,
}
CODES: Mapping[str, Rule] = {code: _RULES[code] for code in sorted(_RULES)}
WHOLE_SHOE_CODES = frozenset(shoe.WHOLE_SHOE_RULES)
"""Codes that no single round can show; the example on their page is told in words."""


@dataclass(frozen=True, slots=True)
class ManualPage:
    code: str
    title: str
    what: str
    why: str
    example: str


_PAGE = re.compile(
    r"(?P<code>[A-Z]{3}[0-9]{3}) (?P<title>[^\n]+)\n\n"
    r"What: (?P<what>.+?)\n\nWhy: (?P<why>.+?)\n\nExample: (?P<example>.+)",
    re.DOTALL,
)


def manual_page(code: str) -> ManualPage:
    """Give the manual page of a code."""
    rule = CODES.get(code.upper())
    if rule is None:
        raise BadInput(f"{code!r} is not a code: `catwalk explain` lists them")
    match = _PAGE.fullmatch(cleandoc(rule.__doc__ or ""))
    if match is None:
        raise TypeError(f"{rule.__name__} has no manual page")
    texts: dict[str, Any] = {
        name: " ".join(text.split()) for name, text in match.groupdict().items()
    }
    return ManualPage(**texts)
