"""Examples of the manual pages: a round on one line, and in braces where it was played.

    1 6H 5D double TC / D 8S TC | main@1 100=+100, double@1 10=+10 {main 25..5000}

The braces hold, between commas, a rulebook's id, `decks 2`, `differential 100000`, or the least and
greatest wager of a kind.
"""

from dataclasses import dataclass, replace

from audit.errors import BadInput
from audit.money import parse_amount
from audit.notation import parse_round
from audit.observations import Game, WagerKind
from audit.rounds import Round
from audit.rulebook import Rulebook
from audit.rulebook_files import all_rulebooks, rulebook
from audit.table_sheet import Limit, TableSheet, plain_sheet

USUAL_RULEBOOK = {
    Game.BACCARAT: "mbs-fortune-six-baccarat-v6",
    Game.BLACKJACK: "mbs-blackjack-v6",
}


@dataclass(frozen=True, slots=True)
class Example:
    round: Round
    book: Rulebook
    sheet: TableSheet


def parse_example(text: str) -> Example:
    """Read an example; without a rulebook it is played by the usual one of its game."""
    line, _, settings = text.partition("{")
    round_ = parse_round(line)
    parts = [
        part.strip() for part in settings.rstrip().removesuffix("}").split(",") if part.strip()
    ]
    named = [part for part in parts if part in all_rulebooks()]
    book = rulebook(named[0] if named else USUAL_RULEBOOK[round_.game])
    sheet = plain_sheet(book.id)
    for part in parts:
        if part not in named:
            sheet = _with_setting(sheet, part)
    return Example(round_, book, sheet)


def _with_setting(sheet: TableSheet, setting: str) -> TableSheet:
    name, _, value = setting.partition(" ")
    if name == "decks" and value.isdecimal():
        return replace(sheet, decks=int(value))
    if name == "differential":
        return replace(sheet, differential=parse_amount(value))
    least, dots, greatest = value.partition("..")
    if dots and name in {str(kind) for kind in WagerKind}:
        limit = Limit(
            parse_amount(least) if least else None, parse_amount(greatest) if greatest else None
        )
        return replace(sheet, limits={**sheet.limits, WagerKind(name): limit})
    raise BadInput(
        f"{setting!r} is not a setting of a table: write it like decks 8 or main 25..500"
    )
