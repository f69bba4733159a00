"""A table sheet as the text of its file."""

import json
from collections.abc import Iterator

from audit.table_sheet import TableSheet


def sheet_text(sheet: TableSheet) -> str:
    """Write a table sheet so that `read_table_sheet` reads the same one back."""
    return "\n".join(_lines(sheet)) + "\n"


def _lines(sheet: TableSheet) -> Iterator[str]:
    yield f"table    = {_text(sheet.table)}"
    yield f"timezone = {_text(sheet.timezone.key)}"
    yield f"decks    = {sheet.decks}"
    if sheet.burn is not None:
        yield f"burn     = {sheet.burn}"
    yield f'rounding = "{sheet.rounding}"'
    for game in sheet.games:
        yield from ("", "[[game]]", f"rulebook = {_text(game.rulebook)}")
        yield f"from     = {game.from_.isoformat()}"
    if sheet.in_force:
        yield from ("", "[in_force]")
        for document, day in sheet.in_force.items():
            yield f"{_text(document)} = {day.isoformat()}"
    if sheet.limits:
        yield from ("", "[limits]")
        for kind, limit in sheet.limits.items():
            parts = {"min": limit.min, "max": limit.max}
            set_ = [f'{name} = "{amount}"' for name, amount in parts.items() if amount is not None]
            yield f"{kind} = {{ {', '.join(set_)} }}"
    if sheet.differential is not None:
        yield from ("", "[differential]", f'max = "{sheet.differential}"')


def _text(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)
