"""How far films are: a bar for each that is being read, on stderr."""

import sys
import time
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from vision.film_seconds import clock

if TYPE_CHECKING:
    from vision.film_reader import RoundRead, Trouble
    from vision.film_stage import FilmLog


class BrokenOff(Exception):
    """Somebody wants no more of the films that are being read."""


class FilmBars:
    """The bars of films that are read side by side; on stderr, so that output can be piped."""

    def __init__(self, *, quiet: bool) -> None:
        """Show films that are about to be read."""
        self.quiet = quiet
        self.is_broken_off = False
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[said]}"),
            console=Console(stderr=True),
            disable=quiet or not sys.stderr.isatty(),
            transient=True,
        )

    def __enter__(self) -> "FilmBars":
        """Begin to show them."""
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take them away."""
        self.progress.stop()

    def of(self, film: "FilmLog") -> "FilmBar":
        """The bar of a film that is about to be read."""
        return FilmBar(film, self)

    def break_off(self) -> None:
        """Let every film end where it is."""
        self.is_broken_off = True


class FilmBar:
    """How far a film is."""

    def __init__(self, film: "FilmLog", bars: FilmBars) -> None:
        """Show a film among others."""
        self._bars = bars
        self._from_s = film.begins_s
        self.at_s = self._from_s
        self.said = ""
        self._began = time.monotonic()
        self._ended: float | None = None
        length = None if film.ends_s is None else max(0.0, film.ends_s - self._from_s)
        self._ends = "" if film.ends_s is None else f" of {clock(film.ends_s)}"
        name = escape(film.footage.name)
        self._task = bars.progress.add_task(name, total=length, said="")

    def __enter__(self) -> "FilmBar":
        """Count from now on."""
        self._began = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop counting."""
        self._ended = time.monotonic()
        self._bars.progress.update(self._task, visible=False)

    @property
    def took_s(self) -> float:
        """For how long it has been read."""
        return (time.monotonic() if self._ended is None else self._ended) - self._began

    @property
    def times_real_time(self) -> float:
        """How many seconds of film are read in a second."""
        return (self.at_s - self._from_s) / max(self.took_s, 1e-3)

    def read_until(self, at_s: float) -> None:
        """All before this second was read."""
        if self._bars.is_broken_off:
            raise BrokenOff
        self.at_s = max(self.at_s, at_s)
        self.said = f"{clock(self.at_s)}{self._ends}  {self.times_real_time:.1f} × real time"
        self._bars.progress.update(self._task, completed=self.at_s - self._from_s, said=self.said)

    def happened(self, trouble: "Trouble") -> None:
        """Say at once what befell the camera."""
        if not self._bars.quiet:
            self._bars.progress.console.print(escape(trouble.text), style="yellow")

    def left_out(self, seen: "RoundRead") -> None:
        """The summary tells."""
