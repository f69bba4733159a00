"""`catwalk calibrate`: draw the zones of a table on a frame of its film."""

import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from audit.errors import CatwalkError

if TYPE_CHECKING:
    from vision.calibration.session import Calibration

NEEDED = ("av", "cv2", "numpy")


class NotInstalled(CatwalkError):
    """A package that only footage needs, and that is not there."""


@click.command()
@click.argument("clip", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--table",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A table sheet to begin with; all but its [camera] stays as it is.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where the table sheet goes.  [default: the one of --table, or table.toml]",
)
@click.option(
    "--at",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Which frame is shown first.  [default: the middle of the clip]",
)
@click.option(
    "--show",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="PNG",
    help="Only draw the zones of the sheet on a frame, into this picture.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Of the page.  [default: a free one]"
)
@click.option("--no-browser", is_flag=True, help="Only print the address of the page.")
def calibrate(
    *,
    clip: Path,
    table: Path | None,
    out: Path | None,
    at: float | None,
    show: Path | None,
    port: int,
    no_browser: bool,
) -> None:
    """Draw the zones of a table's hands on a frame of its film.

    Opens a page in the browser with a frame of CLIP to click polygons on: one for each hand, for
    the shoe and for the discard holder. Saving writes them into the table sheet as [camera] and
    leaves the rest of the sheet as it is, comments too; a table without a sheet gets one. The page
    is served to this machine only, until it says that you are done.

    \b
    catwalk calibrate clip.mp4                               a new table.toml
    catwalk calibrate clip.mp4 --table tables/BAC-07.toml    zones of a table that has a sheet
    catwalk calibrate clip.mp4 --table BAC-07.toml --show zones.png
                                                             only a picture of the zones
    """
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise NotInstalled(
            f"reading footage needs {', '.join(missing)}, not installed here: "
            "pip install 'catwalk[vision]'"
        )
    if show is not None:
        _show(clip, table or out, at, show)
        return
    from vision.calibration.session import Calibration

    _serve(Calibration(clip, table, out, at), port, browser=not no_browser)


def _show(clip: Path, table: Path | None, at: float | None, picture: Path) -> None:
    from vision.calibration.drawn_zones import BadCalibration
    from vision.calibration.session import zones_picture
    from vision.evidence import write_still

    if table is None:
        raise BadCalibration(
            "--show needs the table sheet whose zones are drawn: name it by --table"
        )
    write_still(picture, zones_picture(clip, table, at))
    click.echo(f"drawn in {picture}")


def _serve(calibration: "Calibration", port: int, *, browser: bool) -> None:
    from vision.calibration.server import CalibrationServer

    with CalibrationServer(calibration, port) as server:
        click.echo(f"draw the zones at {server.address}")
        click.echo("(press Finish there, or Ctrl-C here, to end)")
        if browser:
            webbrowser.open(server.address)
        try:
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            click.echo()
    if calibration.saved is None:
        click.echo("nothing was saved")
    else:
        click.echo(f"zones saved in {calibration.saved}")
        click.echo(f"Next: catwalk audit {calibration.clip} --table {calibration.saved}")
