"""What the findings of every case say, word for word, as it stands in messages.txt.

A changed word shows here before a reviewer meets it. After reading the difference, write the file
anew with `python -m tests.test_messages`.
"""

from pathlib import Path

import pytest

from audit.codes import CODES
from audit.findings import Finding
from audit.judge import judge_round
from audit.rulebook_files import rulebook
from tests.shoe_cases import SHOE_CASES, ShoeCase
from tests.test_cases import CASE_FILES, Case

MESSAGES = Path(__file__).parent / "messages.txt"
HEADING = "# "


def one_for_each_document() -> dict[str, Case | ShoeCase]:
    """Give every case by its name, once for each document that it holds under."""
    cases: dict[str, Case | ShoeCase] = {}
    every: list[Case | ShoeCase] = [case for file in CASE_FILES for case in file.cases]
    every += SHOE_CASES
    for case in every:
        document = rulebook(case.rulebook).document
        cases.setdefault(f"{case.code}, {document}: {case.name}", case)
    return cases


CASES = one_for_each_document()


def message(finding: Finding) -> str:
    where = " ".join(str(part) for part in (finding.hand, finding.bettor, finding.wager) if part)
    said = f"{finding.expected}; {finding.observed} ({finding.exposure})"
    return (
        f"{finding.code} {finding.severity} {finding.clause}: {said} [{where}] {finding.evidence}"
    )


def messages_of(case: Case | ShoeCase) -> list[str]:
    if isinstance(case, ShoeCase):
        return [message(found.finding).strip() for found in case.found()]
    found = judge_round(case.round(), rulebook(case.rulebook), case.sheet)
    return [message(finding).strip() for finding in found]


def written() -> dict[str, list[str]]:
    """Read the file: a heading for each case in which something is found, and what it says."""
    messages: dict[str, list[str]] = {}
    for line in MESSAGES.read_text("utf-8").splitlines():
        if line.startswith(HEADING):
            heading = line.removeprefix(HEADING)
            messages[heading] = []
        else:
            messages[heading].append(line)
    return messages


WRITTEN = written() if MESSAGES.exists() else {}


@pytest.mark.parametrize("code", sorted({case.code for case in CASES.values()}))
def test_findings_say_what_they_said(code: str) -> None:
    for name, case in CASES.items():
        if case.code == code:
            assert messages_of(case) == WRITTEN.get(name, []), name


def test_every_message_belongs_to_a_case() -> None:
    assert WRITTEN.keys() <= CASES.keys()


def test_every_code_has_a_message() -> None:
    said = {line.split()[0] for lines in WRITTEN.values() for line in lines}
    assert said == set(CODES)


if __name__ == "__main__":
    sections = {name: lines for name, case in CASES.items() if (lines := messages_of(case))}
    text = "\n".join("\n".join([HEADING + name, *lines]) for name, lines in sections.items())
    MESSAGES.write_text(text + "\n", "utf-8")
