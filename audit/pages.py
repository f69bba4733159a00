"""What the commands show: tables, manual pages, and rounds replayed."""

from collections.abc import Iterable, Iterator
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from audit.cards import Card, Suit, Unread
from audit.codes import CODES, FAMILIES, WHOLE_SHOE_CODES, ManualPage, manual_page
from audit.edges import DealerBust, Edge
from audit.examples import parse_example
from audit.findings import Finding, Severity
from audit.ledger import CARRIED, LedgerRow, coverage, ledger, where
from audit.notation import format_round
from audit.replay import Beat, Replay, Settled, Step, replay
from audit.rulebook import Cited, Rulebook

SUIT_SIGN = {Suit.SPADES: "♠", Suit.HEARTS: "♥", Suit.DIAMONDS: "♦", Suit.CLUBS: "♣"}
RED = frozenset({Suit.HEARTS, Suit.DIAMONDS})
SEVERITY_STYLE = {
    Severity.VIOLATION: "bold red",
    Severity.REVIEW: "bold yellow",
    Severity.NOTE: "cyan",
}
KEPT_WHOLE = frozenset({"id", "clause", "code", "hand", "due", "settled"})
"""Columns that people copy from or compare down: never broken over lines."""
BEAT_STYLE = {Beat.CARD: "", Beat.RULE: "italic", Beat.DECISION: "green", Beat.OUTCOME: "bold"}


def _table(title: str, *columns: str) -> Table:
    table = Table(
        title=title or None,
        title_justify="left",
        title_style="bold",
        header_style="dim",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column in KEPT_WHOLE)
    return table


def _words(name: str) -> str:
    return name.replace("_", " ")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _signed(amount: Decimal) -> str:
    return f"{amount:+}" if amount else str(amount)


def card_text(card: Card | Unread) -> Text:
    """Draw a card: rank and suit sign, red where it is red on the table."""
    if isinstance(card, Unread):
        return Text("??", style="yellow")
    rank = "10" if card.rank == "T" else str(card.rank)
    return Text(rank + SUIT_SIGN[card.suit], style="red" if card.suit in RED else "bold")


# Rulebooks


def rulebook_list(books: Iterable[Rulebook]) -> Table:
    """List the rulebooks with their first day in force."""
    table = _table("Rulebooks", "id", "game", "in force from", "offers")
    for book in books:
        day = f"{book.in_force:%-d %B %Y, %H:%M}" if book.in_force else "set on the table sheet"
        table.add_row(book.id, book.title, day, ", ".join(_words(kind) for kind in book.wagers))
    return table


def rulebook_page(book: Rulebook) -> Group:
    """Show a rulebook: what it pays, what it allows, what happens when something goes wrong."""
    parts: list[RenderableType] = [Text(f"{book.title}  ·  {book.id}", style="bold")]
    if book.in_force is None:
        parts.append(Text("its first day in force is a setting of the table sheet ([in_force])"))
    else:
        parts.append(Text(f"in force from {book.in_force:%-d %B %Y, %H:%M}"))
    parts += [_pay_table(book), _options_table(book)]
    if book.provisions:
        parts.append(_irregularities_table(book))
    if book.readings:
        parts.append(_readings_table(book))
    return Group(*parts)


def _pay_table(book: Rulebook) -> Table:
    table = _table("Pay table", "wager", "wins on", "pays", "clause")
    for offered in book.wagers.values():
        for row in offered.pays.values():
            table.add_row(_words(offered.kind), _words(row.event), str(row.odds), row.clause)
    return table


def _options_table(book: Rulebook) -> Table:
    table = _table("Options and limits", "what", "value", "clause")
    fewest, most = book.fewest_decks, book.most_decks
    table.add_row("decks", f"{fewest.value} to {most.value}", fewest.clause)
    for options in (book.options, book.blackjack):
        if options is None:
            continue
        for field in fields(options):
            table.add_row(_words(field.name), *_option(getattr(options, field.name)))
    return table


def _option(value: Cited[object] | str | None) -> tuple[str, str]:
    if value is None:
        return "not in the document", ""
    if isinstance(value, str):
        return "yes", value
    if isinstance(value.value, bool):
        return ("yes" if value.value else "no"), value.clause
    return str(value.value), value.clause


def _irregularities_table(book: Rulebook) -> Table:
    table = _table("When something went wrong", "what", "noticed", "then", "clause")
    for provision in book.provisions:
        table.add_row(
            _words(provision.irregularity), provision.stage, provision.says, provision.clause
        )
    return table


def _readings_table(book: Rulebook) -> Table:
    table = _table("Clauses that can be read in two ways", "taken", "the other", "why", "clauses")
    for reading in book.readings.values():
        table.add_row(reading.chosen, reading.other, reading.reason, ", ".join(reading.clauses))
    return table


# The ledger


def ledger_page(document: str) -> Group:
    """Show what carries each clause of a document, with file and line."""
    table = _table(f"Clauses of {document}", "clause", "", "what it asks for", "carried by")
    for row in ledger(document):
        table.add_row(row.clause, _words(row.kind), row.says, "\n".join(_places(row)))
    counted = coverage(document)
    share = counted.carried / counted.clauses
    summary = (
        f"{counted.clauses} clauses: {counted.carried} carried ({share:.0%}), "
        f"{counted.headings} headings, {counted.excused} that no evidence could show"
    )
    return Group(table, Text(summary, style="bold"))


def _places(row: LedgerRow) -> Iterator[str]:
    if row.kind in CARRIED:
        for name, location in zip(row.by, where(row), strict=True):
            yield f"{name.rpartition('.')[2]}  {location}"


def clause_page(book: Rulebook, row: LedgerRow) -> Group:
    """Show everything that the program has on one clause."""
    parts: list[RenderableType] = [
        Text(f"{book.document} {row.clause}  ·  {_words(row.kind)}", style="bold"),
        Text(row.says),
    ]
    places = list(_places(row))
    if places:
        parts.append(Text("carried by " + ", ".join(places)))
    codes = [code for code, clauses in book.breaks.items() if row.clause in clauses]
    if codes:
        table = _table("Codes that it stands behind", "code", "what was found")
        for code in codes:
            table.add_row(code, manual_page(code).title)
        parts.append(table)
    for provision in book.provisions:
        if row.clause in (provision.clause, provision.withdraw):
            what = f"{_words(provision.irregularity)} ({provision.stage}): {provision.remedy}"
            parts.append(Text(f"{what}. {provision.says}"))
    for reading in book.readings.values():
        if row.clause in reading.clauses:
            parts.append(
                Text(f"Read as: {reading.chosen}, since {reading.reason}. Or: {reading.other}.")
            )
    return Group(*parts)


# Edges


def edges_page(
    book: Rulebook, decks: int, edges: Iterable[Edge], busts: Iterable[DealerBust]
) -> Group:
    """Show the house edges that follow from a rulebook's own pay table."""
    table = _table("", "wager", "house edge")
    table.columns[1].justify = "right"
    for edge in edges:
        table.add_row(_words(edge.wager), f"{_percent(edge.edge)} %")
    parts: list[RenderableType] = [Text(f"{book.title}, {decks} decks", style="bold"), table]
    bust_table = _table("The dealer busts", "first card", "probability")
    for bust in busts:
        bust_table.add_row(str(bust.first), f"{float(bust.probability):.6f}")
    if bust_table.row_count:
        parts.append(bust_table)
        parts.append(
            Text("Main, split and double wagers depend on how bettors play: they have no one edge.")
        )
    return Group(*parts)


def _percent(share: Fraction) -> str:
    return f"{float(share * 100):.4f}"


# Codes


def code_list() -> Group:
    """List all codes by family."""
    tables: list[RenderableType] = []
    for family, what in FAMILIES.items():
        table = _table(f"{family}  {what}", "code", "what was found")
        for code in CODES:
            if code.startswith(family):
                table.add_row(code, manual_page(code).title)
        tables.append(table)
    return Group(*tables)


def code_page(code: str, books: Iterable[Rulebook]) -> Group:
    """Show the manual page of a code, its example replayed, and its clause in each document."""
    page = manual_page(code)
    table = _table("In the documents", "document", "clauses")
    for document, clauses in {book.document: book.breaks.get(page.code) for book in books}.items():
        if clauses is None:
            table.add_row(document, "does not apply")
        else:
            table.add_row(document, ", ".join(clauses) or "no clause: found as a note")
    return Group(
        Text(f"{page.code}  {page.title}", style="bold"),
        Text(f"\n{_sentence(page.what)}\n\n{_sentence(page.why)}\n"),
        table,
        Text("\nExample", style="bold"),
        _example(page),
    )


def _example(page: ManualPage) -> RenderableType:
    if page.code in WHOLE_SHOE_CODES:
        told = f"{page.code} is found in a whole shoe, not in one round."
        return Text(f"{_sentence(page.example)}\n{told}")
    return replay_page(replay(parse_example(page.example)))


# Rounds


def replay_page(played: Replay) -> Group:
    """Show a round step by step, with clauses, money and what was found."""
    example = played.example
    parts: list[RenderableType] = [
        Text(format_round(example.round), style="bold"),
        Text(f"by {example.book.title} ({example.book.id})", style="dim"),
        steps_table(played.steps),
    ]
    if played.settled:
        parts.append(settled_table(played.settled))
    parts.append(findings_panel(played.findings))
    return Group(*parts)


def steps_table(steps: Iterable[Step]) -> Table:
    """Show the steps of a replay, its cards numbered."""
    table = _table("", "", "hand", "card", "", "clause")
    cards = 0
    for step in steps:
        number = ""
        if step.card is not None:
            cards += 1
            number = str(cards)
        card = card_text(step.card) if step.card is not None else Text("")
        table.add_row(number, step.hand, card, step.text, step.clause, style=BEAT_STYLE[step.beat])
    return table


def settled_table(settled: Iterable[Settled]) -> Table:
    """Show what each wager was due and what it was settled for."""
    table = _table("Wagers", "wager", "", "due", "settled", "clause")
    for row in settled:
        due = row.due
        right = {None: "", True: "✓", False: "✗"}[row.is_right]
        table.add_row(
            row.wager,
            f"{due.fate}: {due.why}" if due else "cannot be told",
            _signed(due.net) if due else "",
            "" if row.net is None else f"{_signed(row.net)} {right}",
            due.clause if due else "",
        )
    return table


def exposure_words(exposure: Decimal | None) -> str:
    """Say how much went which way."""
    if exposure is None:
        return "unknown"
    if not exposure:
        return "none"
    who = "the house gave away" if exposure > 0 else "a bettor was short-changed"
    return f"{exposure:+}: {who} {abs(exposure)}"


def findings_panel(findings: tuple[Finding, ...]) -> RenderableType:
    """Show findings, each with what was required, what was seen and what it cost."""
    if not findings:
        return Text("✓ nothing found: the round was played and settled by the rules", style="green")
    lines: list[RenderableType] = []
    for finding in findings:
        where_ = " ".join(
            str(part) for part in (finding.hand, finding.bettor, finding.wager) if part
        )
        head = Text.assemble(
            (f"{finding.code} {finding.severity}", SEVERITY_STYLE[finding.severity]),
            f"  clause {finding.clause or '–'}" + (f"  {where_}" if where_ else ""),
        )
        details = Table.grid(padding=(0, 2))
        details.add_row("  required", finding.expected)
        details.add_row("  seen", finding.observed)
        details.add_row("  exposure", exposure_words(finding.exposure))
        if finding.confidence < 1:
            details.add_row("  confidence", f"{finding.confidence:.3f}")
        lines += [head, details]
    return Group(Text("Findings", style="bold"), *lines)
