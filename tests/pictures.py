"""Draw the pictures of the README anew: `python -m tests.pictures`.

The picture of the report needs the browser `chromium`; without it that one is left as it is.
"""

import io
import os
import re
import shutil
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np
from rich.console import Console

from audit.examples import parse_example
from audit.nightly import Night, audit_night
from audit.pages import replay_page
from audit.replay import replay
from audit.reports.html import to_html
from audit.reports.period import Scope
from audit.reports.report import build_report
from audit.simulation.night_files import NightFiles, write_nights
from audit.simulation.nights import NightPlan
from audit.store import Store
from vision.synthetic.scenes import draw_scene

PROJECT = Path(__file__).parents[1]
PICTURES = PROJECT / ".readme"
EXPLAINED = re.compile(r'catwalk explain "([^"]+next[^"]+)"')
NIGHTS = NightPlan(tables=12, rounds=90, nights=15, faults=8)
SIZE = "1240,1150"
SCENES = (900_001, 900_005, 900_013, 900_015)


def draw_explained_round() -> None:
    """Replay the round that the README explains, and save the screen as a picture."""
    found = EXPLAINED.search((PROJECT / "README.md").read_text("utf-8"))
    if found is None:
        raise SystemExit("README.md explains no round")
    console = Console(record=True, width=100, file=io.StringIO(), force_terminal=True)
    console.print(replay_page(replay(parse_example(found[1]))))
    title = f"catwalk explain {found[1]!r}"
    picture = console.export_svg(title=title)
    local_font = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)
    (PICTURES / "explain.svg").write_text(local_font, "utf-8")


def draw_tables() -> None:
    """Put drawn scenes side by side, with what training is told about them."""
    scenes = [draw_scene(seed, kept_out=True, size=(960, 540)) for seed in SCENES]
    for scene in scenes:
        for index in scene.indexes:
            if index.visible > 0.6:
                corners = np.round(index.corners).astype(np.int32)
                cv2.polylines(scene.image, [corners], isClosed=True, color=(60, 230, 60))
    rows = [np.hstack([scene.image for scene in scenes[at : at + 2]]) for at in (0, 2)]
    half = cv2.resize(np.vstack(rows), None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(PICTURES / "drawn.jpg"), half, (int(cv2.IMWRITE_JPEG_QUALITY), 85))


def draw_report(browser: str) -> None:
    """Simulate and audit two weeks, and photograph the top of the last night's report."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        db = folder / "catwalk.duckdb"
        jobs = os.cpu_count() or 1
        nights = write_nights(NIGHTS, 21, folder / "nights", NightFiles("parquet"), jobs=jobs)
        audit_night(Night((nights.inputs,), jobs=jobs), Store(db), datetime.now(UTC))
        page = folder / "report.html"
        page.write_text(to_html(build_report(db, Scope())), "utf-8")
        shot = PICTURES / "report.png"
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        subprocess.run(
            [browser, *options, f"--window-size={SIZE}", f"--screenshot={shot}", page.as_uri()],
            check=True,
            capture_output=True,
        )


def main() -> None:
    """Draw all pictures."""
    draw_explained_round()
    draw_tables()
    browser = shutil.which("chromium")
    if browser is not None:
        draw_report(browser)


if __name__ == "__main__":
    main()
