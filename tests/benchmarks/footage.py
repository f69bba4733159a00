"""How fast film is read, against decoding the same file and doing nothing, and in what memory.

    python -m tests.benchmarks.footage                    the largest clip of sample_footage/
    python -m tests.benchmarks.footage --clip clip.mp4 --table table.toml
    python -m tests.benchmarks.footage --hours 8          the clip over and over, for so long

Decodes the clip and reads it into a card log, in turns, so that whatever else the machine does
falls on both alike, and prints the median of each and their ratio. With --hours it is then read as
one long film, without a file of that length: what memory the process holds is printed at several
points of it, and how much of that came after the first.
"""

import argparse
import contextlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import av

from vision.boxes import Image
from vision.card_log import CardLog, Names, Part
from vision.card_reader import Box, PictureReading
from vision.film_reader import Listener, ShoeSoFar, Unheard, read_film
from vision.film_seconds import clock
from vision.film_stage import load_weights
from vision.filmed_table import FilmedTable, load_filmed_table, sheet_beside
from vision.footage import Footage, open_footage
from vision.frames import Frame
from vision.look_reading import PictureReader
from vision.shoe_composition import ShoeComposition

SAMPLES = Path(__file__).parents[2] / "sample_footage"
SUFFIXES = (".mp4", ".mkv", ".mov", ".avi")
GOAL_TIMES, GOAL_RATIO = 5.0, 0.35
POINTS = 8
"""At which memory is looked at."""
SETTLED = 1
"""From this point on it should not grow any more: networks and decoders are loaded."""


@dataclass
class Counted:
    """A card reader that knows how often it was asked, and for how long it worked."""

    reader: PictureReader
    pictures: int = 0
    took_s: float = 0.0

    def read(
        self, image: Image, scales: tuple[float, ...] | None = None, part: Box | None = None
    ) -> PictureReading:
        began = time.perf_counter()
        reading = self.reader.read(image, scales, part)
        self.took_s += time.perf_counter() - began
        self.pictures += 1
        return reading


@dataclass
class Looped:
    """A film shown over and over until it is long enough."""

    footage: Footage
    length_s: float
    problem: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.footage.name

    @property
    def size(self) -> tuple[int, int]:
        return self.footage.size

    def frames(self, from_s: float = 0.0, to_s: float | None = None) -> Iterator[Frame]:
        end_s = self.length_s if to_s is None else min(to_s, self.length_s)
        begins_s, gap_s, number = 0.0, 0.0, 0
        while True:
            last_s = 0.0
            for frame in self.footage.frames():
                gap_s, last_s = frame.at_s - last_s, frame.at_s
                at_s = begins_s + frame.at_s
                if at_s >= end_s:
                    return
                if at_s >= from_s:
                    yield replace(frame, number=number, at_s=at_s)
                    number += 1
            begins_s += last_s + gap_s


@dataclass
class Memory(Unheard):
    """Looks at the memory of this process at some points of a film."""

    every_s: float
    next_s: float = 0.0
    megabytes: tuple[float, ...] = ()

    def read_until(self, at_s: float) -> None:
        if at_s >= self.next_s:
            self.next_s += self.every_s
            now = resident_megabytes()
            self.megabytes = (*self.megabytes, now)
            sys.stdout.write(f"memory at {clock(at_s)}   {now:8.1f} MB\n")
            sys.stdout.flush()


def resident_megabytes() -> float:
    """What this process holds in memory; where that is not told, the most that it ever held."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        return pages * 4096 / 1e6
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def largest_clip() -> Path:
    clips = [path for path in SAMPLES.glob("*/*") if path.suffix in SUFFIXES]
    if not clips:
        sys.exit(f"there is no clip in {SAMPLES}: name one with --clip and --table")
    return max(clips, key=lambda path: path.stat().st_size)


def decode(clip: Path) -> int:
    """Decode a clip and do nothing; give its frames."""
    with av.open(str(clip)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        return sum(1 for _ in container.decode(stream))


def read(
    footage: Footage, table: FilmedTable, reader: PictureReader, folder: Path, tell: Listener
) -> CardLog:
    """Read a film into a card log, as `catwalk read` does."""
    names = Names(table.table_id, "benchmark", 1, datetime(2026, 1, 1, tzinfo=UTC))
    part = Part(footage.name)
    log = CardLog.opened(folder / "cards.csv", {}, names, (part,), again=True)
    shoe = ShoeSoFar(ShoeComposition(table.decks))
    with contextlib.closing(read_film(footage, table.zones, reader, shoe=shoe, tell=tell)) as seen:
        for one in seen:
            log.add(one, shoe.composition.dealt.tolist())
    log.finish(footage.problem)
    return log


@dataclass(frozen=True)
class Took:
    """Seconds that went by, and seconds that processors worked."""

    wall_s: float
    busy_s: float


def timed(work: Callable[[], object]) -> Took:
    began, busy = time.perf_counter(), time.process_time()
    work()
    return Took(time.perf_counter() - began, time.process_time() - busy)


def median(took: list[Took]) -> Took:
    return Took(
        statistics.median(each.wall_s for each in took),
        statistics.median(each.busy_s for each in took),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clip", type=Path, help="the film that is read")
    parser.add_argument("--table", type=Path, help="its table sheet")
    parser.add_argument("--models", type=Path, help="a folder with weights of your own")
    parser.add_argument("--times", type=int, default=3, help="how often the clip is read")
    parser.add_argument("--hours", type=float, help="then read it looped to so many hours")
    given = parser.parse_args()

    clip = given.clip or largest_clip()
    table = load_filmed_table(given.table or sheet_beside(clip))
    footage = open_footage(clip)
    reader = Counted(load_weights(given.models).reader)
    frames = decode(clip)
    length_s = footage.length_s or frames / 30
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        read(footage, table, reader, folder, Unheard())  # the first run still sets up memory
        reader.pictures, reader.took_s = 0, 0.0
        times: dict[str, list[Took]] = {"decode": [], "read": []}
        for _ in range(given.times):
            times["decode"].append(timed(lambda: decode(clip)))
            times["read"].append(timed(lambda: read(footage, table, reader, folder, Unheard())))
        decoding, reading = median(times["decode"]), median(times["read"])
        all_reading_s = sum(took.wall_s for took in times["read"])
        width, height = footage.size
        pictures = max(reader.pictures, 1)
        sys.stdout.write(
            f"{clip.name}: {length_s:.1f} s of {width} × {height}, "
            f"{frames / length_s:.1f} frames a second\n"
            f"decoding alone    {decoding.wall_s:7.2f} s, {length_s / decoding.wall_s:6.1f} × real "
            f"time, {decoding.busy_s:.2f} s of processors\n"
            f"reading           {reading.wall_s:7.2f} s, {length_s / reading.wall_s:6.1f} × real "
            f"time, {reading.busy_s:.2f} s of processors (goal at 720p30: {GOAL_TIMES:.0f} ×)\n"
            f"ratio             {decoding.wall_s / reading.wall_s:7.2f} of the speed of decoding "
            f"(goal: {GOAL_RATIO})\n"
            f"card reader       {1000 * reader.took_s / pictures:7.1f} ms a picture, "
            f"{pictures / given.times:.0f} pictures, {reader.took_s / all_reading_s:.0%} "
            "of the time\n"
        )
        if given.hours:
            seconds = given.hours * 3600
            memory = Memory(seconds / POINTS)
            long = timed(lambda: read(Looped(footage, seconds), table, reader, folder, memory))
            settled = memory.megabytes[SETTLED:] or memory.megabytes
            sys.stdout.write(
                f"{given.hours:g} hours           {long.wall_s:7.0f} s, "
                f"{seconds / long.wall_s:6.1f} × real time\n"
                f"memory grew by    {settled[-1] - settled[0]:7.1f} MB "
                f"from {clock(SETTLED * memory.every_s)} on, at most "
                f"{max(memory.megabytes):.1f} MB\n"
            )


if __name__ == "__main__":
    main()
