"""Every approved clause has a row, every row names what exists, and nothing is cited past a row."""

import csv
import inspect
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from audit.codes import CODES
from audit.errors import BadRulebook
from audit.irregularities import DEALING_ERRORS
from audit.ledger import (
    CARRIED,
    Carrier,
    Coverage,
    LedgerRow,
    Location,
    coverage,
    ledger,
    lines_of_toml,
    read_ledger,
    where,
)
from audit.rulebook import Provision, Rulebook
from audit.rulebook_files import DOCUMENTS, all_rulebooks

PROJECT = Path(__file__).parents[1]
RULEBOOKS = PROJECT / "audit" / "rulebooks"
PUBLISHED = PROJECT.parent / "shared" / "rules"
CLAUSES = {
    "mbs-blackjack-v6": 171,
    "rws-blackjack-v4": 38,
    "rws-blackjack-v5": 117,
    "mbs-fortune-six-baccarat-v6": 111,
    "mbs-electronic-baccarat": 80,
}
LEAST_SHARE_CARRIED = 0.6
LEAST_WORDS_OF_A_REASON = 6
COPIED_WORDS = 8
CLAUSE = re.compile(r"[0-9]+(?:\.[0-9]+)+")

each_document = pytest.mark.parametrize("document", DOCUMENTS)


def read_clauses(path: Path) -> list[tuple[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file, delimiter="\t")
    return [(row[0], row[1]) for row in rows]


def approved() -> list[tuple[str, str]]:
    return read_clauses(Path(__file__).with_name("approved_clauses.tsv"))


def rows_of(document: str, *kinds: Carrier) -> list[LedgerRow]:
    return [row for row in ledger(document) if row.kind in kinds]


def all_rows(*kinds: Carrier) -> list[LedgerRow]:
    return [row for document in DOCUMENTS for row in rows_of(document, *kinds)]


def book_of(document: str) -> Rulebook:
    """One of the document's games: they differ only in the wagers on offer."""
    return next(book for book in all_rulebooks().values() if book.document == document)


def toml_of(document: str) -> dict[str, object]:
    return tomllib.loads((RULEBOOKS / f"{document}.toml").read_text("utf-8"))


def name_of(code: str) -> str:
    return f"{CODES[code].__module__}.{CODES[code].__qualname__}"


def is_under(clause: str, other: str) -> bool:
    return clause.startswith(f"{other}.")


# The approved clauses


@each_document
def test_the_ledger_has_each_approved_clause_once_and_in_the_documents_order(document: str) -> None:
    of_document = [clause for name, clause in approved() if name == document]
    assert [row.clause for row in ledger(document)] == of_document


def test_there_are_517_approved_clauses() -> None:
    assert Counter(document for document, _ in approved()) == CLAUSES
    assert len(set(approved())) == sum(CLAUSES.values()) == 517


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published documents are not at hand")
def test_the_approved_clauses_are_those_of_the_published_list() -> None:
    assert approved() == read_clauses(PUBLISHED / "clauses.tsv")


# What a row names exists


def named(name: str) -> object:
    """Import what a dotted name stands for, or fail."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: object = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            if part in getattr(found, "__annotations__", {}):
                return part  # a field of a record has a value only in each instance
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(name)


@each_document
def test_every_rule_that_a_row_names_is_in_the_program(document: str) -> None:
    for row in rows_of(document, Carrier.RULE):
        for name in row.by:
            assert named(name) is not None, f"{row.clause} names {name}"


@each_document
def test_no_row_names_what_the_program_keeps_to_itself(document: str) -> None:
    names = [name for row in rows_of(document, Carrier.RULE) for name in row.by]
    assert [name for name in names if "._" in name or not name.startswith("audit.")] == []


@each_document
def test_every_datum_that_a_row_names_is_in_the_rulebook(document: str) -> None:
    for row in rows_of(document, Carrier.DATUM):
        for path in row.by:
            value: object = toml_of(document)
            for key in path.split("."):
                assert isinstance(value, dict), f"{row.clause} names {path}"
                assert key in value, f"{row.clause} names {path}"
                value = value[key]


def concerns(provision: Provision, clause: str) -> bool:
    """Tell whether a provision cites a clause, mentions it, or cites one above or below it."""
    mentioned = {provision.clause, provision.withdraw, *CLAUSE.findall(provision.says)}
    adjoins = is_under(clause, provision.clause) or is_under(provision.clause, clause)
    return clause in mentioned or adjoins


@each_document
def test_every_irregularity_that_a_row_names_has_a_provision_on_that_clause(document: str) -> None:
    provisions = book_of(document).provisions
    for row in rows_of(document, Carrier.IRREGULARITY):
        for name in row.by:
            about = [p for p in provisions if p.irregularity == name and concerns(p, row.clause)]
            assert about, f"{row.clause} names {name}"


@each_document
def test_no_row_names_the_same_thing_twice(document: str) -> None:
    assert [row.clause for row in ledger(document) if len(set(row.by)) < len(row.by)] == []


@each_document
def test_a_heading_has_clauses_below_it(document: str) -> None:
    clauses = [row.clause for row in ledger(document)]
    for row in rows_of(document, Carrier.HEADING):
        assert any(is_under(clause, row.clause) for clause in clauses), row.clause


# What the rulebooks and the codes rest on has a row


def citations(value: object) -> Iterator[str]:
    """Every clause that stands anywhere in a rulebook's file, whatever the key it stands under."""
    match value:
        case dict():
            for part in value.values():
                yield from citations(part)
        case list():
            for part in value:
                yield from citations(part)
        case str() if CLAUSE.fullmatch(value):
            yield value
        case _:
            pass


@each_document
def test_every_clause_that_the_rulebook_cites_is_carried(document: str) -> None:
    carried = {row.clause for row in rows_of(document, *CARRIED)}
    headings = {row.clause for row in rows_of(document, Carrier.HEADING)}
    introduces = {title for title in headings if any(is_under(c, title) for c in carried)}
    cited = set(citations(toml_of(document)))
    assert cited
    assert cited - carried - introduces == set()


@each_document
def test_every_clause_that_a_code_breaks_is_carried(document: str) -> None:
    kinds = {row.clause: row.kind for row in ledger(document)}
    for code, clauses in book_of(document).breaks.items():
        assert code in CODES
        if clauses:
            assert any(kinds[clause] in CARRIED for clause in clauses), code
            assert all(kinds[clause] is not Carrier.EXCUSED for clause in clauses), code


@each_document
def test_every_provision_is_named_by_a_row_on_its_clause(document: str) -> None:
    rows = rows_of(document, Carrier.IRREGULARITY)
    for provision in book_of(document).provisions:
        assert any(
            provision.irregularity in row.by and concerns(provision, row.clause) for row in rows
        ), f"{provision.irregularity}, {provision.stage}"


@pytest.mark.parametrize("code", CODES)
def test_the_rule_behind_a_code_is_named_at_a_clause_that_it_breaks(code: str) -> None:
    """By its own name, or by what chapter 5 calls the mistake, where the document has no more."""
    breaks = {document: book_of(document).breaks.get(code, ()) for document in DOCUMENTS}
    naming = [row for row in all_rows(Carrier.RULE) if name_of(code) in row.by]
    if code in DEALING_ERRORS:
        mistakes = all_rows(Carrier.IRREGULARITY)
        naming += [row for row in mistakes if DEALING_ERRORS[code] in row.by]
    if any(breaks.values()):
        assert any(row.clause in breaks[row.document] for row in naming), name_of(code)
    else:
        assert naming == []


@each_document
def test_no_clause_is_carried_by_a_code_that_its_document_does_not_judge(document: str) -> None:
    codes = {name_of(code): code for code in CODES}
    book = book_of(document)
    for row in rows_of(document, Carrier.RULE):
        for name in row.by:
            assert name not in codes or book.judges(codes[name]), f"{row.clause} names {name}"


# How much is carried, and why the rest is not


def test_far_more_than_half_of_all_clauses_is_carried() -> None:
    carried = sum(coverage(document).carried for document in DOCUMENTS)
    assert carried / sum(CLAUSES.values()) > LEAST_SHARE_CARRIED


@each_document
def test_coverage_counts_every_clause_once(document: str) -> None:
    counted = coverage(document)
    assert counted == Coverage(
        carried=len([row for row in ledger(document) if row.by]),
        headings=len(rows_of(document, Carrier.HEADING)),
        excused=len(rows_of(document, Carrier.EXCUSED)),
        clauses=CLAUSES[document],
    )
    assert counted.carried + counted.headings + counted.excused == counted.clauses


@each_document
def test_every_excuse_gives_a_reason_of_its_own(document: str) -> None:
    reasons = [row.says for row in rows_of(document, Carrier.EXCUSED)]
    assert [reason for reason in reasons if len(reason.split()) < LEAST_WORDS_OF_A_REASON] == []
    assert [reason for reason, times in Counter(reasons).items() if times > 1] == []


@each_document
def test_every_row_is_one_plain_sentence(document: str) -> None:
    for row in ledger(document):
        assert re.fullmatch(r'[A-Z0-9][^"\t]+\.', row.says), f"{row.clause}: {row.says}"


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text.lower().replace("’", "'"))


def runs(text: str) -> set[tuple[str, ...]]:
    """Every run of so many words in a row that it could only have been copied."""
    spoken = words(text)
    return {tuple(spoken[at : at + COPIED_WORDS]) for at in range(len(spoken) - COPIED_WORDS + 1)}


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published documents are not at hand")
@each_document
def test_no_row_copies_the_document(document: str) -> None:
    published = [runs(path.read_text("utf-8")) for path in sorted(PUBLISHED.glob("*.md"))]
    assert len(published) == len(DOCUMENTS)
    for row in ledger(document):
        copied = [run for run in runs(row.says) if any(run in text for text in published)]
        assert copied == [], row.clause


# Where the program carries a clause


def lines_at(location: Location) -> list[str]:
    """The text from a location to the end of its file."""
    return (PROJECT / location.file).read_text("utf-8").splitlines()[location.line - 1 :]


def located(*kinds: Carrier) -> Iterator[tuple[LedgerRow, str, Location]]:
    for row in all_rows(*kinds):
        for name, location in zip(row.by, where(row), strict=True):
            yield row, name, location


def test_a_rule_is_found_at_the_line_that_defines_it() -> None:
    for _, name, location in located(Carrier.RULE):
        last = re.escape(name.rpartition(".")[2])
        assert re.match(rf"\s*(def |class )?{last}\b", lines_at(location)[0]), name
        rule = named(name)
        if inspect.isfunction(rule):
            assert location.line == inspect.getsourcelines(rule)[1], name
            assert (PROJECT / location.file).samefile(inspect.getfile(rule)), name


def test_a_datum_is_found_at_the_line_that_sets_it() -> None:
    for row, path, location in located(Carrier.DATUM):
        assert location.file == f"audit/rulebooks/{row.document}.toml"
        key = re.escape(path.rpartition(".")[2])
        line = lines_at(location)[0]
        assert line == f"[{path}]" or re.match(rf"{key}\s*=", line), f"{row.clause} names {path}"


def test_an_irregularity_is_found_at_the_provision_that_speaks_of_the_clause() -> None:
    for row, name, location in located(Carrier.IRREGULARITY):
        assert location.file == f"audit/rulebooks/{row.document}.toml"
        header, *rest = lines_at(location)
        assert header == "[[irregularity]]"
        provision = tomllib.loads("\n".join(rest[: rest.index("")]))
        assert provision["irregularity"] == name
        cited = {
            other.clause for other in book_of(row.document).provisions if other.irregularity == name
        }
        assert provision["clause"] == row.clause or row.clause not in cited


def test_a_clause_that_nothing_carries_is_nowhere() -> None:
    nowhere = all_rows(Carrier.HEADING, Carrier.EXCUSED)
    assert nowhere
    assert {where(row) for row in nowhere} == {()}


def test_a_location_reads_as_editors_write_it() -> None:
    assert str(Location("audit/rules/baccarat.py", 141)) == "audit/rules/baccarat.py:141"


@pytest.mark.parametrize(
    ("kind", "by", "sentence"),
    [
        (Carrier.RULE, "audit.rules.baccarat.player_drawz", "is not defined in the program"),
        (Carrier.RULE, "audit.rules.poker.deal", "is not defined in the program"),
        (Carrier.RULE, "audit.rules.baccarat", "is not defined in the program"),
        (Carrier.RULE, "csv.reader", "is not defined in the program"),
        (Carrier.DATUM, "wagers.tiger", r"\[wagers\] lacks tiger"),
        (Carrier.DATUM, "wagers.tie.clause.4", "must be a table"),
        (Carrier.IRREGULARITY, "burn_forgotten", "has no provision on burn_forgotten"),
    ],
)
def test_what_does_not_exist_has_no_place(kind: Carrier, by: str, sentence: str) -> None:
    row = LedgerRow("mbs-fortune-six-baccarat-v6", "3.5", kind, (by,), "Something.")
    with pytest.raises(BadRulebook, match=sentence):
        where(row)


def test_the_lines_of_a_toml_file_are_found_past_brackets_in_strings_and_lists() -> None:
    text = """title = "a [bracket"  # and [another
[wagers.main]
clause = '3.1 ]'
pays   = [
    { on = "wins", odds = "1:1" },
]
[[irregularity]]
says = "one"
[[irregularity]]
says = "two }"
[readings.name]
clauses = ["3.1"]
"""
    found = lines_of_toml(text)
    assert found.provisions == (7, 9)
    assert found.paths == {
        "title": 1,
        "wagers": 2,
        "wagers.main": 2,
        "wagers.main.clause": 3,
        "wagers.main.pays": 4,
        "irregularity": 7,
        "irregularity.says": 8,
        "readings": 11,
        "readings.name": 11,
        "readings.name.clauses": 12,
    }


@each_document
def test_the_line_of_every_table_of_a_rulebook_is_known(document: str) -> None:
    content = toml_of(document)
    lines = lines_of_toml((RULEBOOKS / f"{document}.toml").read_text("utf-8"))
    provisions = content["irregularity"]
    assert isinstance(provisions, list)
    assert len(lines.provisions) == len(provisions)
    for name, table in content.items():
        assert name in lines.paths
        if isinstance(table, dict):
            assert {f"{name}.{key}" for key in table} <= lines.paths.keys()


# A ledger that is wrong is refused


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "L must begin with the columns clause, kind, by, says"),
        ("clause\tkind\n", "L must begin with the columns clause, kind, by, says"),
        ("1.1\theading\t\n", "L line 2 has 3 columns, not 4"),
        ("1.1\tguess\t\tWhy.\n", "L line 2: 'guess' is not a way to carry a clause"),
        ("1.1\trule\t\tWhat.\n", "L line 2: clause 1.1 is carried by a rule that is not named"),
        ("1.1\texcused\ta.b\tWhy.\n", "L line 2: clause 1.1 is excused, so a.b cannot carry it"),
        ("1.1\theading\t\t \n", "L line 2: clause 1.1 says nothing"),
        (
            "1.1\theading\t\tOne.\n1.1\theading\t\tTwo.\n",
            "L line 3: clause 1.1 has a row already",
        ),
    ],
)
def test_a_ledger_is_refused_by_its_line(text: str, sentence: str) -> None:
    columns = "clause\tkind\tby\tsays\n" if text.startswith("1") else ""
    with pytest.raises(BadRulebook) as caught:
        read_ledger(columns + text, "L", "mbs-blackjack-v6")
    assert str(caught.value) == sentence
