"""Every code has a manual page, and the example on it shows the code.

It is a round on one line, or a shoe told in words; then a case has those words and the shoe.
"""

import pytest

from audit.codes import CODES, FAMILIES, WHOLE_SHOE_CODES, manual_page
from audit.errors import BadInput
from audit.examples import parse_example
from audit.judge import judge_round
from audit.rulebook import Rulebook
from audit.rulebook_files import all_rulebooks
from tests.shoe_cases import SHOE_CASES

COMES_WITH = {"DEA020": {"SHO002"}, "PAY010": {"BET003"}}
"""What cannot be shown without something else being found too."""


@pytest.mark.parametrize("code", CODES)
def test_each_page_says_what_and_why(code: str) -> None:
    page = manual_page(code)
    assert page.code == code
    assert min(len(page.what.split()), len(page.why.split())) >= 7
    assert code[:3] in FAMILIES


@pytest.mark.parametrize("code", sorted(CODES.keys() - WHOLE_SHOE_CODES))
def test_each_example_shows_its_code_and_nothing_else(code: str) -> None:
    example = parse_example(manual_page(code).example)
    found = {finding.code for finding in judge_round(example.round, example.book, example.sheet)}
    assert found == {code} | COMES_WITH.get(code, set())


@pytest.mark.parametrize("code", sorted(WHOLE_SHOE_CODES))
def test_each_example_in_words_has_a_shoe_that_shows_its_code_and_nothing_else(code: str) -> None:
    told = [case for case in SHOE_CASES if case.example == manual_page(code).example]
    assert {case.code for case in told} == {code}
    for case in told:
        assert [found.finding.code for found in case.found()] == [code]


def test_a_code_is_found_whatever_the_case_of_its_letters() -> None:
    assert manual_page("pay004") == manual_page("PAY004")


def test_an_unknown_code_is_refused_in_one_sentence() -> None:
    with pytest.raises(BadInput, match="'PAY999' is not a code"):
        manual_page("PAY999")


@pytest.mark.parametrize("book", all_rulebooks().values(), ids=lambda book: book.id)
def test_rulebooks_cite_clauses_only_for_codes_that_exist(book: Rulebook) -> None:
    assert set(book.breaks) <= set(CODES)


def test_every_code_is_judged_by_some_document() -> None:
    judged = set().union(*(book.breaks for book in all_rulebooks().values()))
    assert judged == set(CODES)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("P 4H 5D / B KS 7S {decks two}", "'decks two' is not a setting of a table"),
        ("P 4H 5D / B KS 7S {bingo 1..2}", "'bingo 1..2' is not a setting of a table"),
    ],
)
def test_an_example_with_an_unknown_setting_is_refused(line: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        parse_example(line)
