"""`catwalk model`: what the card reader sees in a picture, and how well it does on marked ones."""

import statistics
import sys
import time
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

from audit.errors import CatwalkError

if TYPE_CHECKING:
    from vision.boxes import Image
    from vision.card_reader import PictureReading
    from vision.evaluation import Evaluation

NEEDED = ("cv2", "numpy", "onnxruntime")
NEEDED_TO_DRAW = ("PIL",)
SHOWN = "-read.png"
PASSES_BESIDE = 15
"""How often a network beside ours is run to tell its time."""
Item = TypeVar("Item")

models_option = click.option(
    "--models",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Weights of your own; otherwise those that Catwalk brings along.",
)
threads_option = click.option(
    "--threads",
    type=click.IntRange(1, 64),
    default=2,
    show_default=True,
    help="Processors that one picture may use.",
)


class NotInstalled(CatwalkError):
    """A package that only reading or drawing pictures needs, and that is not there."""


@click.group()
def model() -> None:
    """Look at pictures of tables with the card reader.

    \b
    catwalk model show table.jpg                    what it sees, drawn on the picture
    catwalk model evaluate photos/ --out figures    how well it reads pictures with YOLO labels
    catwalk model evaluate --drawn 200              … and tables that we draw ourselves
    """
    _require(NEEDED, "reading pictures", "vision")


@model.command()
@click.argument("picture", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help=f"Where the picture goes.  [default: here, with {SHOWN} in its name]",
)
@models_option
@threads_option
def show(*, picture: Path, out: Path | None, models: Path | None, threads: int) -> None:
    """Draw what the card reader sees in a picture, and list the cards.

    Green is sure, orange doubtful or too small, grey not readable, blue the back of a card. Indexes
    that belong to one card are joined by a line.

    \b
    catwalk model show table.jpg
    catwalk model show table.jpg --out seen.png
    """
    from vision.card_reader import load_card_reader, read_image
    from vision.shown_picture import draw_reading

    image = read_image(picture)
    reading = load_card_reader(models, threads).read(image)
    to = out or Path(picture.stem + SHOWN)
    _write_picture(to, draw_reading(image, reading))
    _list_cards(reading)
    click.echo(f"drawn in {to}")


@model.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write report.json, confusion.png and reliability.png there.",
)
@click.option(
    "--boxes",
    type=click.Choice(["index", "card"]),
    help="What boxes are drawn round.  [default: told from their size]",
)
@click.option(
    "--names",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="What class numbers mean.  [default: names.txt or the like, in FOLDER or above]",
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only so many pictures.")
@click.option(
    "--drawn",
    type=click.IntRange(1),
    metavar="N",
    help="Instead of a folder: N drawn tables with decks that training never saw; needs "
    "'catwalk[drawing]'.",
)
@click.option("--seed", default=1, show_default=True, help="Another seed draws other tables.")
@click.option(
    "--in-any-grain",
    is_flag=True,
    help="With --drawn: count indexes, too, that people would misread for noise and coding.",
)
@click.option(
    "--beside",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="An ONNX network (a bare YOLO nano, say) to give the time for a picture in terms of.",
)
@models_option
@threads_option
def evaluate(
    *,
    folder: Path | None,
    out: Path | None,
    boxes: str | None,
    names: Path | None,
    limit: int | None,
    drawn: int | None,
    seed: int,
    in_any_grain: bool,
    beside: Path | None,
    models: Path | None,
    threads: int,
) -> None:
    """Say how well pictures are read in which the cards are marked.

    FOLDER has pictures with YOLO labels (images/ and labels/, or side by side; names.txt,
    classes.txt or data.yaml says what the classes are), with boxes round indexes or round whole
    cards; or a labels.csv with the columns image, card (or rank), xmin, ymin, xmax, ymax in pixels.

    Printed are the shares found and read exactly, by rank, by suit and by size of the index,
    whether probabilities come true, false finds and the time for a picture. False finds mean
    something only where every index or card is marked.

    \b
    catwalk model evaluate photos/ --out figures
    catwalk model evaluate photos/ --boxes card --limit 50
    catwalk model evaluate --drawn 200 --seed 7
    """
    from vision.card_reader import load_card_reader
    from vision.evaluation import Marks, evaluate, read_labelled
    from vision.evaluation_report import figures_of, page, write_json
    from vision.labelled_folder import BadFolder, read_labelled_folder

    if (folder is None) == (drawn is None):
        raise BadFolder("name a folder of pictures, or say --drawn with a number of tables")
    marks = Marks(boxes) if boxes else None
    if folder is not None:
        files = read_labelled_folder(folder, names)[:limit]
        reader = load_card_reader(models, threads)
        pictures = [*_with_bar(read_labelled(reader, files), len(files))]
    else:
        _require(NEEDED_TO_DRAW, "drawing tables", "drawing")
        from vision.evaluation_scenes import read_drawn

        reader = load_card_reader(models, threads)
        number, marks = drawn or 0, Marks.INDEX
        drawn_pictures = read_drawn(reader, number, seed, in_any_grain=in_any_grain)
        pictures = [*_with_bar(drawn_pictures, number)]
    evaluation = evaluate(pictures, marks)
    figures = figures_of(evaluation, _seconds_of(beside, threads) if beside else None)
    if out is not None:
        _make_folder(out)
        write_json(out / "report.json", figures, evaluation)
        _draw(evaluation, out)
    Console().print(page(figures, evaluation))
    if out is not None:
        click.echo(f"written to {out}: report.json, confusion.png, reliability.png")


def _require(packages: Iterable[str], purpose: str, extra: str) -> None:
    """Refuse what needs packages that are not there, and say which ones bring them."""
    if missing := [name for name in packages if find_spec(name) is None]:
        raise NotInstalled(
            f"{purpose} needs {', '.join(missing)}, not installed here: "
            f"pip install 'catwalk[{extra}]'"
        )


def _list_cards(reading: "PictureReading") -> None:
    from rich.table import Table

    from vision.picture_text import card_sign

    table = Table(box=None, pad_edge=False)
    for name in ("card", "certainty", "indexes", "px tall", "at"):
        table.add_column(name, justify="left" if name in ("card", "at") else "right")
    for card in reading.cards:
        left, top, right, bottom = card.box
        tallest = max(index.height for index in card.indexes)
        table.add_row(
            card_sign(card.card),
            f"{card.certainty:.4f}",
            f"{len(card.indexes)}",
            f"{tallest:.0f}",
            f"{(left + right) / 2:.0f}, {(top + bottom) / 2:.0f}"
            + (", too small" if card.too_small else ""),
        )
    if reading.cards:
        Console().print(table)
    click.echo(
        f"{len(reading.cards)} cards, {len(reading.backs)} face down, "
        f"{len(reading.unreadable)} indexes not readable"
    )


def _with_bar(items: Iterable[Item], total: int) -> Iterator[Item]:
    """Show how far the work is, where a person watches and it takes more than a moment."""
    bar = Progress(
        TextColumn("reading"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
        transient=True,
    )
    with bar:
        task = bar.add_task("reading", total=total)
        for item in items:
            bar.advance(task)
            yield item


def _seconds_of(path: Path, threads: int) -> float:
    """The time of one run of a network on a picture of its own size, or of 640 × 640."""
    import numpy as np

    from vision.model_files import Network

    network = Network(path, threads)
    sides = [side or 640 for side in network.input_shape[2:]]
    given = np.zeros((1, 3, *sides), dtype=np.float32)
    network.run(given)
    times = []
    for _ in range(PASSES_BESIDE):
        began = time.perf_counter()
        network.run(given)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def _draw(evaluation: "Evaluation", out: Path) -> None:
    from vision.evaluation_pictures import confusion_matrix, reliability_diagram

    _write_picture(out / "confusion.png", confusion_matrix(evaluation))
    _write_picture(out / "reliability.png", reliability_diagram(evaluation.reliability()))


def _make_folder(folder: Path) -> None:
    from vision.labelled_folder import BadFolder

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise BadFolder(f"{folder} cannot be made: {problem.strerror}") from None


def _write_picture(path: Path, image: "Image") -> None:
    import cv2

    from vision.card_reader import BadPicture

    kind = path.suffix.lower() or ".png"
    try:
        _, content = cv2.imencode(kind, image)
    except cv2.error:
        raise BadPicture(f"{path} cannot be written: {kind} is no kind of picture") from None
    try:
        path.write_bytes(content.tobytes())
    except OSError as problem:
        raise BadPicture(f"{path} cannot be written: {problem.strerror}") from None
