"""What every finding of every case says, word for word, as it stands in messages.txt.

A changed word shows here before a reviewer meets it. After reading the difference, write the file
anew with `python -m tests.test_messages`.
"""

from collections.abc import Iterator
from pathlib import Path

from audit.codes import CODES
from audit.judge import judge_round
from audit.rulebook_files import rulebook
from tests.test_cases import CASE_FILES

MESSAGES = Path(__file__).parent / "messages.txt"


def messages() -> Iterator[str]:
    seen: set[str] = set()
    for case in (case for file in CASE_FILES for case in file.cases):
        for finding in judge_round(case.round(), rulebook(case.rulebook), case.sheet):
            where = " ".join(str(p) for p in (finding.hand, finding.bettor, finding.wager) if p)
            said = f"{finding.expected}; {finding.observed} ({finding.exposure})"
            line = f"{finding.code} {finding.severity}: {said} [{where}] {finding.evidence}".strip()
            if line not in seen:
                seen.add(line)
                yield line


def test_every_finding_says_what_it_said() -> None:
    assert list(messages()) == MESSAGES.read_text("utf-8").splitlines()


def test_every_code_has_a_message() -> None:
    said = MESSAGES.read_text("utf-8")
    assert [code for code in CODES if f"{code} " not in said] == []


if __name__ == "__main__":
    MESSAGES.write_text("\n".join(messages()) + "\n", "utf-8")
