"""From nothing to the weights in `models/`, in one command.

    python -m vision.training --work FOLDER [--real DATA/train] [--out models]

Draws pictures, trains the networks, finds the indexes in real pictures of cards and goes on
training with them, lets the networks look at tables full of cards, teaches the turner and those
that look again what was doubted, rounds what every picture asks, makes the probabilities come true,
and writes the weights. It can be stopped at any time: called again, it goes on where it was.
"""

from pathlib import Path

import click

from vision.training.course import Course, follow


@click.command(context_settings={"show_default": True})
@click.option(
    "--work",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder for pictures and checkpoints (some gigabytes).",
)
@click.option(
    "--real",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of real pictures: phone_photos, index_photos, index_composites.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("models"),
    help="Folder the weights are written to.",
)
@click.option(
    "--start",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of weights to go on from, such as models/; otherwise from nothing.",
)
@click.option(
    "--scenes",
    type=click.IntRange(min=0),
    default=12_000,
    help="Drawn scenes to learn from; with --start, 0 teaches only from what is doubted.",
)
@click.option(
    "--lots", default=120, help="Lots of 120 drawn pictures of which what is doubted is learnt."
)
@click.option("--epochs", default=3, help="Times the finder sees each picture.")
@click.option(
    "--batches",
    default=60_000,
    help="Batches of 48 indexes that the reader sees; the others see more or fewer in proportion.",
)
@click.option("--seed", default=1, help="The same seed, the same course.")
def main(
    work: Path,
    real: Path | None,
    out: Path,
    start: Path | None,
    scenes: int,
    lots: int,
    epochs: int,
    batches: int,
    seed: int,
) -> None:
    """Train the finder, the turner, the reader, the examiner and the surveyor."""
    if not scenes and start is None:
        raise click.UsageError("Without scenes there is nothing to begin with: give --start, too.")
    follow(Course(work, out, real, scenes, epochs, batches, lots, seed, start))


if __name__ == "__main__":
    main()
