"""`catwalk explain TABLE/SHOE/ROUND --db FILE`: a stored round, explained."""

import sys
from pathlib import Path

import click
from rich.console import Console

from audit.commands.statuses import NOTHING_FOUND, VIOLATIONS


def explain_stored(path: Path, key_text: str, *, as_json: bool = False) -> int:
    """Show a stored round with everything around it, and give the exit status."""
    # The engine and the rules are loaded only once they are needed.
    from audit.round_keys import find_round
    from audit.stored_json import stored_round_json
    from audit.stored_pages import judge_afresh, stored_round_page
    from audit.stored_rounds import load_round

    stored = load_round(path, find_round(path, key_text))
    judgement = judge_afresh(stored)
    if as_json:
        click.echo(stored_round_json(stored, judgement))
    else:
        # Stored text is never markup: a bettor may be called [red].
        console = Console(file=sys.stdout, markup=False, emoji=False, highlight=False)
        console.print(stored_round_page(stored, judgement))
    return VIOLATIONS if stored.standing_violation else NOTHING_FOUND
