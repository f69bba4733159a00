"""Every code that only a whole shoe shows has cases with it and without."""

from collections import defaultdict

import pytest

from audit.codes import WHOLE_SHOE_CODES
from audit.rulebook_files import all_rulebooks
from tests.shoe_cases import SHOE_CASES, ShoeCase

FEWEST_WORDS = 4


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=f"{case.code}/{case.name} [{case.rulebook}]") for case in SHOE_CASES],
)
def test_what_is_found_in_a_shoe(case: ShoeCase) -> None:
    found = case.found()
    said = "".join(f"\n    round {one.round}: {one.finding}" for one in found) or " nothing"
    assert [one.finding.code for one in found] == list(case.finds), said
    for one in found:
        finding = one.finding
        if finding.code != case.code:
            continue
        assert case.clause in (None, finding.clause), said
        assert case.severity in (None, str(finding.severity)), said
        assert case.expected in finding.expected, said
        assert case.observed in finding.observed, said
        assert case.on in (None, one.round), said
        if case.confidence is not None:
            assert finding.confidence == pytest.approx(case.confidence, abs=0.0005), said


def test_each_case_is_named_once_and_in_a_sentence() -> None:
    assert len({(case.code, case.name, case.rulebook) for case in SHOE_CASES}) == len(SHOE_CASES)
    assert not [case.name for case in SHOE_CASES if len(case.name.split()) < FEWEST_WORDS]


@pytest.mark.parametrize("code", sorted(WHOLE_SHOE_CODES))
def test_each_code_has_cases_with_it_and_cases_without(code: str) -> None:
    cases = [case for case in SHOE_CASES if case.code == code]
    assert any(code in case.finds for case in cases)
    assert any(not case.finds for case in cases)


def test_each_code_is_found_by_every_rulebook_that_has_a_clause_on_it() -> None:
    found = defaultdict(set)
    for case in SHOE_CASES:
        if case.code in case.finds:
            found[case.code].add(case.rulebook)
    for code in WHOLE_SHOE_CODES:
        judged = {book.id for book in all_rulebooks().values() if book.breaks.get(code)}
        assert judged <= found[code], code
