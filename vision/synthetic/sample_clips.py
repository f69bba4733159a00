"""Draws the clips of `sample_footage/` and writes what belongs to each.

    python -m vision.synthetic.sample_clips --out sample_footage
    python -m vision.synthetic.sample_clips --out /tmp/clips --only misdeal --size small

Decks, tables and cameras are kept out of training. A clip is drawn alike however often it is drawn.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Final

import av
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from vision.synthetic.film_files import write_film
from vision.synthetic.film_tables import draw_film_table, smallest_index
from vision.synthetic.film_truth import truth_of
from vision.synthetic.films import make_film
from vision.synthetic.sample_files import write_sample_files
from vision.synthetic.sample_rounds import SAMPLES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from vision.synthetic.films import Film
    from vision.synthetic.light import Light
    from vision.synthetic.sample_rounds import LightKind, Sample
    from vision.synthetic.tables import Table

LEAST_INDEX: Final = 17.0
"""How tall the smallest index is in pixels, wherever a card lies in its zone."""
SMALL: Final = (640, 360)


@dataclass(frozen=True, slots=True)
class Written:
    """A clip as it was written."""

    clip: Path
    length_s: float
    smallest_index: float  # px

    @property
    def megabytes(self) -> float:
        return self.clip.stat().st_size / 1e6


def film_of(sample: Sample, size: tuple[int, int] | None = None) -> Film:
    """The film of a sample, at the size it is meant to have unless another one is given."""
    table = draw_film_table(
        sample.seed,
        sample.game,
        boxes=sample.boxes,
        kept_out=True,
        size=sample.size,
        view=sample.view,
        least_index=LEAST_INDEX,
    )
    table = replace(table, light=_under(sample.light, table.light))
    if size is not None and size != sample.size:
        table = _smaller(table, sample, size)
    return make_film(sample.seed, sample.rounds, kept_out=True, table=table)


def _under(kind: LightKind, light: Light) -> Light:
    """The lamps of a table in another colour and brightness."""
    return replace(
        light,
        tint=kind.tint,
        level=kind.level,
        unevenness=min(light.unevenness, 0.16),
        cast=min(light.cast, 0.25),
        glare_strength=min(light.glare_strength, 0.25),
    )


def _smaller(table: Table, sample: Sample, size: tuple[int, int]) -> Table:
    """The same table seen by a camera with fewer pixels."""
    camera = table.camera
    shrunk = camera.matrix.copy()
    shrunk[0] *= size[0] / sample.size[0]
    shrunk[1] *= size[1] / sample.size[1]
    return table.seen_through(replace(camera, matrix=shrunk, whole=size, size=size))


def write_sample(folder: Path, sample: Sample, size: tuple[int, int] | None = None) -> Written:
    """Write a clip and all that belongs to it under a folder of samples."""
    film = film_of(sample, size)
    truth = truth_of(film)
    write_sample_files(folder, sample, film, truth)
    clip = folder / sample.name / sample.clip
    drawn = clip.with_name(f"{sample.name}-drawn.mp4")  # which keeps both times of a packet
    try:
        write_film(drawn, film, sample.fps, sample.crf, variable=sample.variable, preset="medium")
        _copy_with_clock(drawn, clip, sample.started)
    finally:
        drawn.unlink(missing_ok=True)
    return Written(clip, truth.length_s, smallest_index(film.table))


def _copy_with_clock(drawn: Path, clip: Path, started: datetime) -> None:
    """Copy a film into a file that says when it was recorded, as a recorder's own files do."""
    options = {"movflags": "+faststart"} if clip.suffix in (".mp4", ".mov") else {}
    with av.open(str(drawn)) as film, av.open(str(clip), "w", options=options) as copy:
        copy.metadata["creation_time"] = started.astimezone(UTC).isoformat(timespec="milliseconds")
        stream = copy.add_stream_from_template(film.streams.video[0])
        for packet in film.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                copy.mux(packet)


def chosen(names: Sequence[str]) -> tuple[Sample, ...]:
    """The samples of those names; all where none is named."""
    known = {sample.name: sample for sample in SAMPLES}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"there is no clip {unknown[0]!r}: there are {', '.join(known)}")
    return tuple(known[name] for name in names) or SAMPLES


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of the samples")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this one")
    parser.add_argument(
        "--size", choices=["as meant", "small"], default="as meant", help="small: 640 × 360"
    )
    parser.add_argument(
        "--without-film", action="store_true", help="write all but the clips themselves"
    )
    given = parser.parse_args(arguments)
    size = SMALL if given.size == "small" else None
    console = Console()
    bar = Progress(
        TextColumn("{task.description:>18}"), BarColumn(), TimeElapsedColumn(), console=console
    )
    with bar:
        samples = chosen(given.only)
        task = bar.add_task("", total=len(samples))
        for sample in samples:
            bar.update(task, description=sample.name)
            if given.without_film:
                film = film_of(sample, size)
                write_sample_files(given.out, sample, film, truth_of(film))
            else:
                written = write_sample(given.out, sample, size)
                console.print(
                    f"{written.clip}: {written.length_s:.1f} s, {written.megabytes:.1f} MB, "
                    f"indexes from {written.smallest_index:.1f} px"
                )
            bar.advance(task)


if __name__ == "__main__":
    main()
