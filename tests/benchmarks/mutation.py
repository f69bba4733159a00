"""How many small changes to the rules and the settlement the tests notice.

    python -m tests.benchmarks.mutation

Works on a copy in a temporary folder, in a virtual environment of its own. Prints the share of
mutants caught by file, and the survivors as differences to look at.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections import Counter
from pathlib import Path

PROJECT = Path(__file__).parents[2]
MUTATED = ("audit/rules", "audit/settlement")
READING = ("audit/rules/blackjack/play.py", "audit/rules/blackjack/ways.py")
"""How a round is read before any rule sees it: no rule, and most of the time."""
TESTS = ("tests/test_messages.py", "tests/test_settled_alike.py")
COPIED = ("audit", "vision", "tests", "README.md")
REQUIRES = ("mutmut==3.8.0", "pytest<9", "hypothesis", "click", "rich", "tzdata")
CONFTEST = """
import os
import re
from pathlib import Path

import pytest
from audit.judging.blackjack import DEALERS, DECISIONS, HANDS, SPLITS
from audit.judging.wagers import AREAS
from audit.rules.baccarat import events_on
from audit.rules.blackjack.hands import total_of
from audit.settlement.dues import in_full, paid, taken

@pytest.fixture(autouse=True)
def forget() -> None:
    for remembered in (events_on, total_of, in_full, paid, taken):
        remembered.cache_clear()
    for rules in (DEALERS, DECISIONS, HANDS, SPLITS, AREAS):
        rules.forget()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    module, _, function = os.environ.get("MUTANT_UNDER_TEST", "").partition(".x_")
    source = Path(__file__).parents[1] / (module.replace(".", "/") + ".py")
    if not function or not source.is_file():
        return
    named = re.findall(r'"([A-Z]{3}[0-9]{3})": (\\w+)', source.read_text("utf-8"))
    own = {code for code, rule in named if rule == function.partition("__mutmut")[0]}
    near = {code for code, _ in named}

    def distance(item: pytest.Item) -> int:
        code = item.name.partition("[")[2][:6]
        return 0 if code in own else 1 if code in near else 2

    items.sort(key=distance)
"""
"""Mutants are tried in copies of one warm process: what it remembers would hide them. The cases of
the mutated rule come first, then those of its module, for they are likeliest to notice."""
CAUGHT = frozenset({"killed", "timeout", "caught by type check", "segfault"})
RESULT = re.compile(r"\s*(?P<name>\S+__mutmut_\d+): (?P<state>.+)")


def prepare(folder: Path) -> Path:
    """Copy the project, and install what mutates it; give the folder of the tools."""
    for name in COPIED:
        source = PROJECT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    settings = (PROJECT / "pyproject.toml").read_text("utf-8")
    settings += (
        f"\n[tool.mutmut]\nsource_paths = {list(MUTATED)}\n"
        f"do_not_mutate = {list(READING)}\n"
        f"pytest_add_cli_args_test_selection = {list(TESTS)}\n"
        f"also_copy = {[*COPIED, 'pyproject.toml']}\n"
    )
    (folder / "pyproject.toml").write_text(settings, "utf-8")
    (folder / "tests" / "conftest.py").write_text(CONFTEST, "utf-8")
    venv.create(folder / "venv", with_pip=True)
    tools = folder / "venv" / "bin"
    subprocess.run([tools / "pip", "install", "--quiet", *REQUIRES], check=True)
    return tools


def results(tools: Path, folder: Path) -> list[tuple[str, str]]:
    """Read what became of each mutant."""
    listed = subprocess.run(
        [tools / "mutmut", "results", "--all", "true"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return [
        (match["name"], match["state"])
        for line in listed.stdout.splitlines()
        if (match := RESULT.fullmatch(line))
    ]


def main() -> int:
    """Mutate, test, and print the share that was noticed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tools = prepare(folder)
        subprocess.run([tools / "mutmut", "run"], cwd=folder, check=False)
        found = results(tools, folder)
        made: Counter[str] = Counter()
        caught: Counter[str] = Counter()
        for mutant, state in found:
            module = mutant.partition(".x")[0]
            made[module] += 1
            caught[module] += state in CAUGHT
        lines = [f"{module:40} {caught[module]:5} of {made[module]:5}" for module in sorted(made)]
        total, noticed = made.total(), caught.total()
        share = noticed / total if total else 0.0
        lines.append(f"{'all':40} {noticed:5} of {total:5}  {share:.1%} caught")
        sys.stdout.write("\n".join(lines) + "\n")
        for mutant, state in found:
            if state not in CAUGHT:
                sys.stdout.write(f"\n── {state}: {mutant}\n")
                sys.stdout.flush()
                subprocess.run([tools / "mutmut", "show", mutant], cwd=folder, check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
