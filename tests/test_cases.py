"""Every code has a case file, tests/cases/<game>/<CODE>.toml, with both sides of each boundary.

    [[case]]
    name     = "banker on 6 draws when the player's third card is 7"
    rulebook = "mbs-fortune-six-baccarat-v6"   # or a list: the case holds under each
    round    = "P 2H 3D 7C / B KS 6S"          # see audit/notation.py
    finds    = ["DRW003"]                      # these codes and no other, in any order

A document's id stands for all of its games. What follows may be left out, and is checked on every
finding of the file's own code:

    clause       = "3.14"             # "" for none; clauses = { "rulebook" = "3.14" } for several
    severity     = "violation"
    exposure     = "-95.00"           # "" for unknown; exposures = ["1.00", "-95.00"] for several
    expected     = "draws a third"    # contained in what the finding says was required
    observed     = "stood on 6"       # contained in what it says was seen
    not_observed = "stands"           # not contained in it
    confidence   = 0.5                # to three places
    readings     = { 5 = "7C:0.60 8C:0.40" }   # the fifth card was read as 7C, and may be 8C
    table        = { decks = 6, rounding = "0.05", limits = { main = ["25.00", "5000.00"] },
                     differential = "100000.00", burn = 1 }   # on one line; "" for no limit

Above the first case may stand `rulebook`, for the cases that name none, and `no_case`, the
rulebooks by which the code cannot be found, each with the reason.

Codes that only a whole shoe shows have their cases in tests/cases/shoe: see tests/shoe_cases.py.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from audit.cards import parse_card, parse_known_card
from audit.codes import CODES, WHOLE_SHOE_CODES
from audit.errors import CatwalkError
from audit.findings import Finding
from audit.judge import judge_round
from audit.money import parse_amount
from audit.notation import parse_round
from audit.observations import CardSeen, WagerKind
from audit.rounds import Round
from audit.rulebook_files import all_rulebooks, rulebook
from audit.table_sheet import Limit, TableSheet, plain_sheet
from audit.toml_section import Section, read_toml

FOLDER = Path(__file__).parent / "cases"
GAMES = ("baccarat", "blackjack", "either")
FEWEST_WORDS = 4
UNKNOWN = ""
OF_WHOLE_SHOES = tuple(sorted((FOLDER / "shoe").glob("*.toml")))


class BadCase(CatwalkError):
    """A case file that says something it cannot say."""


@dataclass(frozen=True, slots=True)
class Case:
    """One situation under one rulebook, and what must be found in it."""

    code: str
    name: str
    rulebook: str
    line: str
    finds: tuple[str, ...]
    clause: str | None
    severity: str | None
    exposures: tuple[str, ...] | None
    expected: str
    observed: str
    not_observed: str | None
    confidence: float | None
    readings: tuple[tuple[int, str], ...]
    sheet: TableSheet

    def round(self) -> Round:
        """Read the round, its doubtful cards included."""
        played = parse_round(self.line)
        doubtful = dict(self.readings)
        cards = (_read_as(seen, doubtful.get(seen.seq, "")) for seen in played.cards)
        return replace(played, cards=tuple(cards))


@dataclass(frozen=True, slots=True)
class CaseFile:
    game: str
    code: str
    cases: tuple[Case, ...]
    names: tuple[str, ...]
    no_case: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return f"{self.game}/{self.code}"


# Reading case files


def _read(path: Path) -> CaseFile:
    where = f"{path.parent.name}/{path.name}"
    top = Section(where, read_toml(path.read_text("utf-8"), where, BadCase), BadCase)
    usual = rulebooks_named(top) if "rulebook" in top else ()
    excused = top.section("no_case") if "no_case" in top else top.part(where, {})
    no_case = tuple((name, excused.text(name)) for name in excused)
    names: list[str] = []
    cases: list[Case] = []
    for row in top.sections("case"):
        names.append(row.text("name"))
        cases.extend(_cases(row, path.stem, names[-1], usual))
    top.end()
    return CaseFile(path.parent.name, path.stem, tuple(cases), tuple(names), no_case)


def rulebooks_named(section: Section) -> tuple[str, ...]:
    """Take the rulebooks named, all games of a document where it is the document that is named."""
    named = section.take("rulebook")
    found: list[str] = []
    for name in [named] if isinstance(named, str) else named if isinstance(named, list) else ():
        books = [book.id for book in all_rulebooks().values() if name in (book.id, book.document)]
        if not books:
            raise section.must("rulebook", name, "a rulebook or a document")
        found.extend(books)
    return tuple(found)


def _cases(row: Section, code: str, name: str, usual: tuple[str, ...]) -> Iterator[Case]:
    books = rulebooks_named(row) if "rulebook" in row else usual
    if not books:
        raise BadCase(f"{row.where} names no rulebook")
    clause = _text_or_nothing(row, "clause") if "clause" in row else None
    clauses = clauses_named(row, books)
    settings = row.take("table") if "table" in row else {}
    case = Case(
        code=code,
        name=name,
        rulebook="",
        line=row.text("round"),
        finds=row.texts("finds"),
        clause=None,
        severity=row.text("severity") if "severity" in row else None,
        exposures=_exposures(row),
        expected=row.text("expected") if "expected" in row else "",
        observed=row.text("observed") if "observed" in row else "",
        not_observed=row.text("not_observed") if "not_observed" in row else None,
        confidence=_confidence(row),
        readings=_readings(row),
        sheet=plain_sheet(books[0]),
    )
    row.end()
    for book in books:
        sheet = _sheet(plain_sheet(book), row.part(f"{row.where}, table", settings))
        yield replace(case, rulebook=book, clause=clauses.get(book, clause), sheet=sheet)


def clauses_named(row: Section, books: tuple[str, ...]) -> dict[str, str]:
    """Take the clause of each rulebook; one that is given for a document holds for its games."""
    if "clauses" not in row:
        return {}
    section = row.section("clauses")
    given = {name: section.text(name) for name in section}
    wanted = {name for book in books for name in (book, rulebook(book).document)}
    if not given.keys() <= wanted:
        raise BadCase(f"{section.where} names rulebooks that the case does not")
    cited = {book: given.get(book, given.get(rulebook(book).document)) for book in books}
    return {book: clause for book, clause in cited.items() if clause is not None}


def _exposures(row: Section) -> tuple[str, ...] | None:
    if "exposures" in row:
        return tuple(sorted(row.texts("exposures")))
    return (_text_or_nothing(row, "exposure"),) if "exposure" in row else None


def _text_or_nothing(row: Section, key: str) -> str:
    value = row.take(key)
    if not isinstance(value, str):
        raise row.must(key, value, 'a text, or "" for nothing')
    return value


def _confidence(row: Section) -> float | None:
    if "confidence" not in row:
        return None
    confidence = row.take("confidence")
    if not isinstance(confidence, int | float):
        raise row.must("confidence", confidence, "a number from 0 to 1")
    return float(confidence)


def _readings(row: Section) -> tuple[tuple[int, str], ...]:
    if "readings" not in row:
        return ()
    places = row.section("readings")
    return tuple((int(place), places.text(place)) for place in places)


def _read_as(seen: CardSeen, text: str) -> CardSeen:
    """Give a card the readings of `7C:0.60 8C:0.40`, the first of them the likeliest."""
    if not text:
        return seen
    weighed = [
        (card, float(weight)) for card, _, weight in (w.partition(":") for w in text.split())
    ]
    (likeliest, confidence), *others = weighed
    return replace(
        seen,
        card=parse_card(likeliest),
        confidence=confidence,
        alternatives=tuple((parse_known_card(card), weight) for card, weight in others),
    )


def _sheet(sheet: TableSheet, table: Section) -> TableSheet:
    limits: dict[WagerKind, Limit] = {}
    if "limits" in table:
        rows = table.section("limits")
        for kind in rows:
            least, greatest = (parse_amount(text) if text else None for text in rows.texts(kind))
            limits[WagerKind(kind)] = Limit(least, greatest)
    sheet = replace(
        sheet,
        decks=table.number("decks", least=1) if "decks" in table else sheet.decks,
        burn=table.number("burn") if "burn" in table else sheet.burn,
        rounding=table.money("rounding") if "rounding" in table else sheet.rounding,
        differential=table.money("differential") if "differential" in table else None,
        limits=limits,
    )
    table.end()
    return sheet


CASE_FILES = tuple(_read(path) for game in GAMES for path in sorted((FOLDER / game).glob("*.toml")))


def _test_id(file: CaseFile, case: Case) -> str:
    several = file.names.count(case.name) < sum(case.name == other.name for other in file.cases)
    return f"{file}/{case.name}" + (f" [{case.rulebook}]" if several else "")


# The cases


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=_test_id(file, case)) for file in CASE_FILES for case in file.cases],
)
def test_what_is_found_in_a_round(case: Case) -> None:
    findings = judge_round(case.round(), rulebook(case.rulebook), case.sheet)
    said = "".join(f"\n    {finding}" for finding in findings) or " nothing"
    played = f"{case.name}\n  {case.rulebook}: {case.line}\n  found:{said}"
    assert sorted(finding.code for finding in findings) == sorted(case.finds), played
    own = [finding for finding in findings if finding.code == case.code]
    if case.exposures is not None:
        assert sorted(_exposure(finding) for finding in own) == list(case.exposures), played
    for finding in own:
        assert case.clause in (None, finding.clause), played
        assert case.severity in (None, str(finding.severity)), played
        assert case.expected in finding.expected, played
        assert case.observed in finding.observed, played
        assert case.not_observed is None or case.not_observed not in finding.observed, played
        if case.confidence is not None:
            assert finding.confidence == pytest.approx(case.confidence, abs=0.0005), played


def _exposure(finding: Finding) -> str:
    return UNKNOWN if finding.exposure is None else str(finding.exposure)


# The files


def test_every_code_has_exactly_one_case_file_of_its_name() -> None:
    files = Counter(file.code for file in CASE_FILES)
    files.update(path.stem for path in OF_WHOLE_SHOES)
    assert files == Counter(CODES.keys())
    assert {path.stem for path in OF_WHOLE_SHOES} == WHOLE_SHOE_CODES


def test_every_case_file_lies_in_the_folder_of_a_game() -> None:
    of_rounds = {FOLDER / file.game / f"{file.code}.toml" for file in CASE_FILES}
    assert set(FOLDER.rglob("*.toml")) == of_rounds | set(OF_WHOLE_SHOES)


@pytest.mark.parametrize("file", CASE_FILES, ids=str)
def test_each_file_has_cases_with_its_code_and_cases_without(file: CaseFile) -> None:
    assert any(file.code in case.finds for case in file.cases)
    assert any(file.code not in case.finds for case in file.cases)


@pytest.mark.parametrize("file", CASE_FILES, ids=str)
def test_each_case_is_named_once_and_in_a_sentence(file: CaseFile) -> None:
    assert not [name for name, times in Counter(file.names).items() if times > 1]
    assert not [name for name in file.names if len(name.split()) < FEWEST_WORDS]


@pytest.mark.parametrize("file", CASE_FILES, ids=str)
def test_what_is_checked_on_a_finding_stands_only_where_one_is_expected(file: CaseFile) -> None:
    checks = ("clause", "severity", "exposures", "confidence", "not_observed")
    idle = [
        case.name
        for case in file.cases
        if case.code not in case.finds
        and (case.expected or case.observed or any(getattr(case, c) is not None for c in checks))
    ]
    assert not idle


@pytest.mark.parametrize("file", CASE_FILES, ids=str)
def test_each_code_is_found_by_every_rulebook_that_has_a_clause_on_it(file: CaseFile) -> None:
    found = {case.rulebook for case in file.cases if file.code in case.finds}
    judged = {book.id for book in all_rulebooks().values() if book.breaks.get(file.code)}
    excused = dict(file.no_case)
    assert judged - found == excused.keys()
