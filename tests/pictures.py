"""Draw the pictures of the README anew: `python -m tests.pictures`."""

import io
import re
from pathlib import Path

from rich.console import Console

from audit.examples import parse_example
from audit.pages import replay_page
from audit.replay import replay

PROJECT = Path(__file__).parents[1]
EXPLAINED = re.compile(r'catwalk explain "([^"]+next[^"]+)"')


def main() -> None:
    """Replay the round of the README's first command, and save the screen as a picture."""
    found = EXPLAINED.search((PROJECT / "README.md").read_text("utf-8"))
    if found is None:
        raise SystemExit("README.md explains no round")
    console = Console(record=True, width=100, file=io.StringIO(), force_terminal=True)
    console.print(replay_page(replay(parse_example(found[1]))))
    title = f"catwalk explain {found[1]!r}"
    picture = console.export_svg(title=title)
    local_font = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)
    (PROJECT / ".readme" / "explain.svg").write_text(local_font, "utf-8")


if __name__ == "__main__":
    main()
