"""How many cards were burnt at the start of a shoe, where the log does not mark them."""

from collections.abc import Sequence
from dataclasses import dataclass

from audit.observations import CallKind
from audit.reconstruction.material import BURN, Material, Setting
from audit.shoe_rows import CardRow

MOST_BURNT = 11
"""Where as many cards are burnt as the first one counts, and that one."""
OTHER_THAN_SAID = 400
NOT_SAID = 200


@dataclass(frozen=True, slots=True)
class Burnt:
    """A number of burnt cards, and what speaks against it."""

    cards: int
    cost: int = 0


def ways_to_burn(material: Material, setting: Setting) -> list[Burnt]:
    """Go through how many cards may have been burnt, the likeliest first."""
    marked = _marked(material.cards)
    if marked or material.starts_in_the_middle or not material.cards:
        return [Burnt(marked)]
    free = _cards_without_hand(material.cards)
    said = _said(material)
    expected = said if said is not None else setting.sheet.burn
    against_none = OTHER_THAN_SAID if expected is not None else NOT_SAID
    likely = 1 if expected is None else expected
    by_its_value = setting.is_baccarat and expected is None
    most = MOST_BURNT if by_its_value else likely + 1
    if likely > free:
        return [Burnt(0)]
    ways = [Burnt(likely)]
    ways += [
        Burnt(cards, against_none if not cards else OTHER_THAN_SAID)
        for cards in range(min(free, most) + 1)
        if cards != likely
    ]
    return sorted(ways, key=lambda way: way.cost)


def _marked(cards: Sequence[CardRow]) -> int:
    """Count the cards up to the last that the log marks as burnt before anything is dealt."""
    burnt = 0
    for place, row in enumerate(cards, 1):
        if row.hand == BURN:
            burnt = place
        elif row.hand is not None:
            break
    return burnt


def _cards_without_hand(cards: Sequence[CardRow]) -> int:
    first = cards[0].round
    for place, row in enumerate(cards):
        if row.hand is not None or row.round not in (None, first):
            return place
    return len(cards)


def _said(material: Material) -> int | None:
    calls = [call for said in material.calls.values() for call in said]
    for call in sorted((*calls, *material.calls_without_round), key=lambda row: row.ts):
        if call.call == CallKind.BURN and call.value.isascii() and call.value.isdigit():
            return int(call.value)
    return None
