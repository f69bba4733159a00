"""`catwalk rules`: the rulebooks, one of them, its clauses, its house edges."""

import click

from audit import pages
from audit.commands.output import show_page
from audit.edges import bust_table, edges_of
from audit.observations import Game
from audit.rulebook_files import DOCUMENTS, all_rulebooks, rulebook


@click.group(invoke_without_command=True)
@click.pass_context
def rules(ctx: click.Context) -> None:
    """List the rulebooks, or look into one.

    \b
    catwalk rules
    catwalk rules show rws-blackjack-v5
    catwalk rules clauses mbs-blackjack-v6
    catwalk rules edges mbs-electronic-baccarat/tiger
    """
    if ctx.invoked_subcommand is None:
        show_page(pages.rulebook_list(all_rulebooks().values()))


@rules.command()
@click.argument("rulebook_id", metavar="ID")
def show(rulebook_id: str) -> None:
    """Show a rulebook: pay table, options and limits, irregularities, readings."""
    show_page(pages.rulebook_page(rulebook(rulebook_id)))


@rules.command()
@click.argument("rulebook_id", metavar="ID")
def clauses(rulebook_id: str) -> None:
    """Show what carries every clause of a document, with file and line of the code.

    ID is a document (mbs-electronic-baccarat) or one of its rulebooks.
    """
    show_page(pages.ledger_page(_document(rulebook_id)))


@rules.command()
@click.argument("rulebook_id", metavar="ID")
@click.option("--decks", default=8, show_default=True, help="How many decks the shoe holds.")
def edges(rulebook_id: str, decks: int) -> None:
    """Compute the house edge of every wager exactly, from the rulebook's own pay table.

    A value typed wrong in a rulebook shows here.
    """
    book = rulebook(rulebook_id)
    busts = bust_table(book, decks) if book.game is Game.BLACKJACK else ()
    show_page(pages.edges_page(book, decks, edges_of(book, decks), busts))


def _document(rulebook_id: str) -> str:
    if rulebook_id in DOCUMENTS:
        return rulebook_id
    return rulebook(rulebook_id).document
