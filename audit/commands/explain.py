"""`catwalk explain`: a code, a clause, or a round step by step."""

import re
import sys
from pathlib import Path

import click

from audit import pages
from audit.commands.database import database_option
from audit.commands.explain_stored import explain_stored
from audit.commands.output import show_page
from audit.commands.statuses import NOTHING_FOUND, VIOLATIONS
from audit.errors import BadInput
from audit.examples import Example, parse_example
from audit.findings import Severity
from audit.ledger import ledger
from audit.replay import replay
from audit.rulebook import Rulebook
from audit.rulebook_files import DOCUMENTS, all_rulebooks, rulebook
from audit.table_sheet import load_table_sheet, rulebook_at

CODE = re.compile(r"[A-Za-z]{3}[0-9]{3}", re.ASCII)
STORED_ROUND = re.compile(r"[^|]*\S/[^|]*\S/[0-9]+", re.ASCII)
CLAUSE = re.compile(r"[0-9]+(\.[0-9]+)*", re.ASCII)


@click.command()
@click.argument("what", nargs=-1)
@click.option(
    "--table",
    "table_sheet",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A table sheet: its latest game, decks, limits and rounding hold for the round.",
)
@database_option("Where stored rounds are looked up.")
@click.option("--json", "as_json", is_flag=True, help="Print a stored round as JSON.")
def explain(
    *, what: tuple[str, ...], table_sheet: Path | None, database: Path, as_json: bool
) -> None:
    """Explain a code, a clause, or a round step by step.

    \b
    catwalk explain                              all codes
    catwalk explain PAY004                       one code: what, why, example, clauses
    catwalk explain rws-blackjack-v5 5.1.1       one clause of a document
    catwalk explain "P 2H 3D 7C / B KS 6S"       a round, by the usual rulebook of its game
    catwalk explain BAC-07/S1/17                 a stored round, with all that is known of it
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
        show_page(pages.code_list())
    elif len(what) == 1 and CODE.fullmatch(what[0]):
        show_page(pages.code_page(what[0], all_rulebooks().values()))
    elif len(what) == 2 and CLAUSE.fullmatch(what[1]):
        _explain_clause(*what)
    elif len(what) == 1 and STORED_ROUND.fullmatch(what[0]):
        sys.exit(explain_stored(database, what[0], as_json=as_json))
    else:
        sys.exit(_explain_round(what, table_sheet))


def _book_of(rulebook_id: str) -> Rulebook:
    if rulebook_id in all_rulebooks() or rulebook_id not in DOCUMENTS:
        return rulebook(rulebook_id)
    return next(book for book in all_rulebooks().values() if book.document == rulebook_id)


def _explain_clause(rulebook_id: str, clause: str) -> None:
    book = _book_of(rulebook_id)
    for row in ledger(book.document):
        if row.clause == clause:
            show_page(pages.clause_page(book, row))
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
    show_page(pages.replay_page(played))
    violated = any(finding.severity is Severity.VIOLATION for finding in played.findings)
    return VIOLATIONS if violated else NOTHING_FOUND
