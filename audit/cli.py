"""The command line: parse, call one function, print."""

import re
import sys
from pathlib import Path

import click
from rich.console import Console, RenderableType

from audit import pages
from audit.edges import bust_table, edges_of
from audit.errors import BadInput, CatwalkError
from audit.examples import Example, parse_example
from audit.findings import Severity
from audit.ledger import ledger
from audit.observations import Game
from audit.replay import replay
from audit.rulebook import Rulebook
from audit.rulebook_files import DOCUMENTS, all_rulebooks, rulebook
from audit.table_sheet import load_table_sheet, rulebook_at

NOTHING_FOUND, VIOLATIONS, COULD_NOT_BE_DONE = 0, 1, 2
CODE = re.compile(r"[A-Za-z]{3}[0-9]{3}", re.ASCII)
CLAUSE = re.compile(r"[0-9]+(\.[0-9]+)*", re.ASCII)


class _OneSentence(click.Group):
    """Ends any command that could not be done with one sentence and status 2."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except CatwalkError as error:
            click.echo(f"catwalk: {error}", err=True)
            ctx.exit(COULD_NOT_BE_DONE)


def _show(page: RenderableType) -> None:
    Console().print(page)


@click.group(cls=_OneSentence, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="catwalk")
def main() -> None:
    """Audit rounds of blackjack and baccarat against the approved rules.

    \b
    Start here:
      catwalk rules                       the rulebooks and what they offer
      catwalk explain DRW003              what a code means, with its clauses
      catwalk explain "P 2H 3D 7C / B KS 6S"
                                          a round replayed step by step

    Exit status: 0 done and nothing found, 1 violations found, 2 it could not be done.
    """


@main.group(invoke_without_command=True)
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
        _show(pages.rulebook_list(all_rulebooks().values()))


@rules.command()
@click.argument("rulebook_id", metavar="ID")
def show(rulebook_id: str) -> None:
    """Show a rulebook: pay table, options and limits, irregularities, readings."""
    _show(pages.rulebook_page(rulebook(rulebook_id)))


@rules.command()
@click.argument("rulebook_id", metavar="ID")
def clauses(rulebook_id: str) -> None:
    """Show what carries every clause of a document, with file and line of the code.

    ID is a document (mbs-electronic-baccarat) or one of its rulebooks.
    """
    _show(pages.ledger_page(_document(rulebook_id)))


@rules.command()
@click.argument("rulebook_id", metavar="ID")
@click.option("--decks", default=8, show_default=True, help="How many decks the shoe holds.")
def edges(rulebook_id: str, decks: int) -> None:
    """Compute the house edge of every wager exactly, from the rulebook's own pay table.

    A value typed wrong in a rulebook shows here.
    """
    book = rulebook(rulebook_id)
    busts = bust_table(book, decks) if book.game is Game.BLACKJACK else ()
    _show(pages.edges_page(book, decks, edges_of(book, decks), busts))


@main.command()
@click.argument("what", nargs=-1)
@click.option(
    "--table",
    "table_sheet",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A table sheet: its latest game, decks, limits and rounding hold for the round.",
)
def explain(what: tuple[str, ...], table_sheet: Path | None) -> None:
    """Explain a code, a clause, or a round step by step.

    \b
    catwalk explain                              all codes
    catwalk explain PAY004                       one code: what, why, example, clauses
    catwalk explain rws-blackjack-v5 5.1.1       one clause of a document
    catwalk explain "P 2H 3D 7C / B KS 6S"       a round, by the usual rulebook of its game
    catwalk explain rws-blackjack-v4 "1 4H 5D stand / D 6H TC 5S | main@1 100=-100"

    \b
    A round fits on one line:
      hands      P 2H 3D 8C / B KS 3S            ?? is a card that could not be read
                 1 8H 8S split 3D / 1.2 TC stand / D 7C TH
      wagers     | alice:banker 100=-100, tie 25=+200     stake=net
      the rest   | outcome banker, void misdeal, next 4C 9D
      order      P 9H#1 KD#2 / B 4C#3 5S#4       where cards left the shoe out of turn
    """
    if not what:
        _show(pages.code_list())
    elif len(what) == 1 and CODE.fullmatch(what[0]):
        _show(pages.code_page(what[0], all_rulebooks().values()))
    elif len(what) == 2 and CLAUSE.fullmatch(what[1]):
        _explain_clause(*what)
    else:
        sys.exit(_explain_round(what, table_sheet))


def _document(rulebook_id: str) -> str:
    if rulebook_id in DOCUMENTS:
        return rulebook_id
    return rulebook(rulebook_id).document


def _book_of(rulebook_id: str) -> Rulebook:
    if rulebook_id in all_rulebooks() or rulebook_id not in DOCUMENTS:
        return rulebook(rulebook_id)
    return next(book for book in all_rulebooks().values() if book.document == rulebook_id)


def _explain_clause(rulebook_id: str, clause: str) -> None:
    book = _book_of(rulebook_id)
    for row in ledger(book.document):
        if row.clause == clause:
            _show(pages.clause_page(book, row))
            return
    raise BadInput(f"{book.document} has no clause {clause}: `catwalk rules clauses` lists them")


def _explain_round(what: tuple[str, ...], table_sheet: Path | None) -> int:
    *named, line = what
    if len(named) > 1:
        raise BadInput("give at most a rulebook and a round: put the round in quotation marks")
    book = rulebook(named[0]) if named else None
    sheet = load_table_sheet(table_sheet) if table_sheet is not None else None
    if sheet is not None and book is None:
        book = rulebook_at(sheet, sheet.games[-1].from_)
    example = parse_example(f"{line} {{{book.id}}}" if book else line)
    played = replay(Example(example.round, example.book, sheet or example.sheet))
    _show(pages.replay_page(played))
    violated = any(finding.severity is Severity.VIOLATION for finding in played.findings)
    return VIOLATIONS if violated else NOTHING_FOUND
