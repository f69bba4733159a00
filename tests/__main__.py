"""Run every check, in the order in which they are quick: `python -m tests`."""

import subprocess
import sys
from pathlib import Path

CHECKS = (
    ("format", ["ruff", "format", "--check", "."]),
    ("lint", ["ruff", "check", "."]),
    ("types", ["mypy"]),
    ("imports", ["lint-imports"]),
    ("tests", ["pytest", "--numprocesses", "auto"]),
)


def main() -> int:
    """Run all checks, whatever fails, and name those that did."""
    tools = Path(sys.executable).parent
    failed = []
    for name, (tool, *arguments) in CHECKS:
        sys.stdout.write(f"── {name}\n")
        sys.stdout.flush()
        if subprocess.run([str(tools / tool), *arguments], check=False).returncode:
            failed.append(name)
    if failed:
        sys.stdout.write(f"failed: {', '.join(failed)}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
