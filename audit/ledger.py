"""The clause ledger: for every clause of every document, what carries it or why nothing can."""

import ast
import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from audit.errors import BadRulebook
from audit.toml_section import Section, read_toml

COLUMNS = ("clause", "kind", "by", "says")
PACKAGE = "audit"


class Carrier(StrEnum):
    """How a clause is accounted for."""

    RULE = "rule"
    """A function of the program: `audit.rules.baccarat.player_draws`."""
    DATUM = "datum"
    """A value of the rulebook: `options.over_maximum`, `wagers.tie`, `blackjack.boxes`."""
    IRREGULARITY = "irregularity"
    """A provision of the rulebook: the name of what went wrong."""
    HEADING = "heading"
    """It only introduces clauses below it, which have rows of their own."""
    EXCUSED = "excused"
    """No evidence that Catwalk takes in could show it."""


CARRIED = frozenset({Carrier.RULE, Carrier.DATUM, Carrier.IRREGULARITY})


@dataclass(frozen=True, slots=True)
class LedgerRow:
    document: str
    clause: str
    kind: Carrier
    by: tuple[str, ...]
    says: str
    """What the clause requires, in our words; for an excused one, why no evidence shows it."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How the clauses of a document are accounted for."""

    carried: int
    headings: int
    excused: int
    clauses: int


@dataclass(frozen=True, slots=True)
class Location:
    """A line of one of the program's files, named from the folder that holds the program."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


# Reading


@cache
def ledger(document: str) -> tuple[LedgerRow, ...]:
    """Read the ledger of one document, in the order of its clauses."""
    name = f"{document}.clauses.tsv"
    return read_ledger(_text(f"rulebooks/{name}"), name, document)


def read_ledger(text: str, name: str, document: str) -> tuple[LedgerRow, ...]:
    """Read the text of a ledger, refusing a row that says neither what carries it nor why not."""
    reader = csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    if tuple(next(reader, ())) != COLUMNS:
        raise BadRulebook(f"{name} must begin with the columns {', '.join(COLUMNS)}")
    rows: dict[str, LedgerRow] = {}
    for line, fields in enumerate(reader, 2):
        row = _row(fields, f"{name} line {line}", document)
        if row.clause in rows:
            raise BadRulebook(f"{name} line {line}: clause {row.clause} has a row already")
        rows[row.clause] = row
    return tuple(rows.values())


def _row(fields: list[str], where_: str, document: str) -> LedgerRow:
    if len(fields) != len(COLUMNS):
        raise BadRulebook(f"{where_} has {len(fields)} columns, not {len(COLUMNS)}")
    clause, kind, by, says = fields
    if kind not in set(Carrier):
        raise BadRulebook(f"{where_}: {kind!r} is not a way to carry a clause")
    row = LedgerRow(document, clause, Carrier(kind), tuple(by.split()), says)
    if row.kind in CARRIED and not row.by:
        raise BadRulebook(f"{where_}: clause {clause} is carried by a {kind} that is not named")
    if row.kind not in CARRIED and row.by:
        raise BadRulebook(f"{where_}: clause {clause} is {kind}, so {by} cannot carry it")
    if not says.strip():
        raise BadRulebook(f"{where_}: clause {clause} says nothing")
    return row


def clauses_of(document: str) -> frozenset[str]:
    """Give the numbers of all clauses that a document has."""
    return frozenset(row.clause for row in ledger(document))


def coverage(document: str) -> Coverage:
    """Count how the clauses of a document are accounted for."""
    rows = ledger(document)
    kinds = Counter(row.kind for row in rows)
    return Coverage(
        carried=sum(kinds[kind] for kind in CARRIED),
        headings=kinds[Carrier.HEADING],
        excused=kinds[Carrier.EXCUSED],
        clauses=len(rows),
    )


# Where the program carries a clause


def where(row: LedgerRow) -> tuple[Location, ...]:
    """Find file and line of everything that carries a clause, in the order of the row's names."""
    match row.kind:
        case Carrier.RULE:
            return tuple(_where_defined(name) for name in row.by)
        case Carrier.DATUM:
            return tuple(_where_set(path, row.document) for path in row.by)
        case Carrier.IRREGULARITY:
            return tuple(_where_provided(name, row) for name in row.by)
        case _:
            return ()


def _text(file: str) -> str:
    return files(PACKAGE).joinpath(file).read_text("utf-8")


def _where_defined(name: str) -> Location:
    """Find the line of the source at which a function, class, member or constant is defined."""
    package, *parts = name.split(".")
    for length in range(1, len(parts)):
        file = "/".join(parts[:length]) + ".py"
        if package == PACKAGE and files(PACKAGE).joinpath(file).is_file():
            line = _line_defined(_parsed(file).body, parts[length:])
            if line is not None:
                return Location(f"{PACKAGE}/{file}", line)
    raise BadRulebook(f"{name} is not defined in the program")


@cache
def _parsed(file: str) -> ast.Module:
    return ast.parse(_text(file))


def _line_defined(body: Iterable[ast.stmt], names: list[str]) -> int | None:
    for statement in body:
        if names and names[0] in _defines(statement):
            if len(names) == 1:
                return statement.lineno
            if isinstance(statement, ast.ClassDef):
                return _line_defined(statement.body, names[1:])
    return None


def _defines(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.Assign(targets=targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        case _:
            pass


_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.-]+)\s*\]")
_KEY = re.compile(r"\s*([\w.-]+)\s*=")
_STRING_OR_COMMENT = re.compile(r"""\"(?:[^\"\\]|\\.)*\"|'[^']*'|\#.*""")
_CLAUSE = re.compile(r"[0-9]+(?:\.[0-9]+)+")
_PROVISION = "irregularity"


@dataclass(frozen=True, slots=True)
class TomlLines:
    """The lines of a rulebook file: of each table and key by its path, and of each provision."""

    paths: dict[str, int]
    provisions: tuple[int, ...]


def lines_of_toml(text: str) -> TomlLines:
    """Find the line of every table and of every key outside of inline tables."""
    paths: dict[str, int] = {}
    provisions: list[int] = []
    table, depth = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        bare = _STRING_OR_COMMENT.sub("", line)
        path = ""
        if depth == 0 and (header := _HEADER.match(bare)):
            path = table = header[2]
            if (header[1], table) == ("[[", _PROVISION):
                provisions.append(number)
        elif depth == 0 and (key := _KEY.match(bare)):
            path = f"{table}.{key[1]}" if table else key[1]
        for prefix in _prefixes(path):
            paths.setdefault(prefix, number)
        depth += len(re.findall(r"[\[{]", bare)) - len(re.findall(r"[\]}]", bare))
    return TomlLines(paths, tuple(provisions))


def _prefixes(path: str) -> Iterator[str]:
    """Go from a path up through the tables that hold it."""
    while path:
        yield path
        path = path.rpartition(".")[0]


@cache
def _lines(document: str) -> TomlLines:
    return lines_of_toml(_text(f"rulebooks/{document}.toml"))


@cache
def _content(document: str) -> dict[str, object]:
    name = f"{document}.toml"
    return read_toml(_text(f"rulebooks/{name}"), name, BadRulebook)


def _rulebook(document: str) -> Section:
    return Section(f"{document}.toml", _content(document), BadRulebook)


def _where_set(path: str, document: str) -> Location:
    """Find the line of a rulebook at which a value is set; inside an inline table, the table's."""
    *tables, key = path.split(".")
    section = _rulebook(document)
    for table in tables:
        section = section.section(table)
    section.take(key)
    lines = _lines(document).paths
    return _in_rulebook(
        document, next(lines[prefix] for prefix in _prefixes(path) if prefix in lines)
    )


def _in_rulebook(document: str, line: int) -> Location:
    return Location(f"{PACKAGE}/rulebooks/{document}.toml", line)


def _where_provided(irregularity: str, row: LedgerRow) -> Location:
    """Find the provision on an irregularity; where stages have their own, the clause's nearest."""
    provisions = [
        (_distance(provision, row.clause), line)
        for provision, line in zip(
            _rulebook(row.document).sections(_PROVISION),
            _lines(row.document).provisions,
            strict=True,
        )
        if provision.text("irregularity") == irregularity
    ]
    if not provisions:
        raise BadRulebook(f"{row.document}.toml has no provision on {irregularity}")
    return _in_rulebook(row.document, min(provisions)[1])


def _distance(provision: Section, clause: str) -> int:
    """Rank how directly a provision speaks of a clause: it cites, allows, mentions or adjoins."""
    cited = provision.text("clause")
    if clause == cited:
        return 0
    if "withdraw" in provision and clause == provision.text("withdraw"):
        return 1
    if clause in _CLAUSE.findall(provision.text("says")):
        return 2
    return 3 if _is_under(cited, clause) or _is_under(clause, cited) else 4


def _is_under(clause: str, other: str) -> bool:
    """Tell whether a clause is a sub-clause of the other, at any depth."""
    return clause.startswith(f"{other}.")
