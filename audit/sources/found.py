"""Which files were meant: folders are walked, table sheets and footage told apart by their names.

Everything else is taken for a log, whatever it is called.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from audit.errors import BadInput
from audit.sources.records import Leftover, Refused, printable

FOOTAGE = frozenset({".mp4", ".mkv", ".avi", ".mov"})
_STREAM = re.compile(r"(rtsps?|https?):/+(.+)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Found:
    logs: tuple[Path, ...]
    sheets: tuple[Path, ...]
    footage: tuple[Path | str, ...]
    refused: tuple[Refused, ...]
    left_over: tuple[Leftover, ...]


def find_files(
    paths: Sequence[Path | str], passed_over: Path | None = None, database: Path | None = None
) -> Found:
    """Find the files behind paths, folders and addresses, each file once.

    A folder is walked in the order of its names, without what is hidden; a link back to a folder
    that was walked already is not followed. `passed_over` is a file that is not an input, and in
    folders neither is the `database`, nor what is kept beside it under its name.
    """
    if not paths:
        raise BadInput("there is nothing to read: name files or folders")
    search = _Search(passed_over, database)
    for path in paths:
        stream = _STREAM.fullmatch(str(path))
        if stream:
            search.footage.append(f"{stream[1].lower()}://{stream[2]}")
        else:
            search.take_argument(Path(path))
    return Found(
        tuple(search.logs),
        tuple(search.sheets),
        tuple(search.footage),
        tuple(search.refused),
        tuple(search.left_over),
    )


class _Search:
    def __init__(self, passed_over: Path | None, database: Path | None) -> None:
        self.logs: list[Path] = []
        self.sheets: list[Path] = []
        self.footage: list[Path | str] = []
        self.refused: list[Refused] = []
        self.left_over: list[Leftover] = []
        self._seen: dict[Path, Path] = {}
        self._folders: set[Path] = set()
        self._passed_over = passed_over.resolve() if passed_over else None
        self._database = database.resolve() if database else None

    def take_argument(self, path: Path) -> None:
        try:
            if path.is_dir():
                self._take_folder(path)
            else:
                path.stat()
                self._take(path)
        except FileNotFoundError:
            raise BadInput(f"{path} does not exist") from None
        except OSError as problem:
            reason = problem.strerror or "it cannot be opened"
            raise BadInput(f"{path} cannot be read: {reason}") from None
        except (ValueError, RuntimeError):
            raise BadInput(f"{str(path)!r} is not the name of a file") from None

    def _take_folder(self, folder: Path) -> None:
        for path in self._walked(folder):
            try:
                self._take(path)
            except (OSError, RuntimeError) as problem:
                self._refuse(path, problem)

    def _walked(self, folder: Path) -> Iterator[Path]:
        waiting = [folder]
        while waiting:
            path = waiting.pop()
            try:
                if not path.is_dir():
                    yield path
                    continue
                real = path.resolve()
                names = sorted(entry.name for entry in os.scandir(path))
            except OSError as problem:
                self._refuse(path, problem)
                continue
            if real not in self._folders:
                self._folders.add(real)
                waiting += [path / name for name in reversed(names) if self._is_meant(real, name)]

    def _is_meant(self, folder: Path, name: str) -> bool:
        if self._database is not None and folder == self._database.parent:
            own = self._database.name
            if name == own or name.startswith(f"{own}."):
                return False
        return not name.startswith(".")

    def _take(self, path: Path) -> None:
        real = path.resolve(strict=True)
        if real == self._passed_over:
            return
        if real in self._seen:
            first = self._seen[real]
            self.left_over.append(Leftover(str(path), 0, f"it is {first}, which is read already"))
            return
        self._seen[real] = path
        kind = path.suffix.lower()
        if not real.is_file():
            why = "it is neither a file nor a folder"
            self.refused.append(Refused(str(path), 0, "", "", why))
        elif not _is_text(str(path)):
            self.refused.append(
                Refused(printable(str(path)), 0, "", "", "its name is not UTF-8 text")
            )
        elif kind == ".toml":
            self.sheets.append(path)
        elif kind in FOOTAGE:
            self.footage.append(path)
        else:
            self.logs.append(path)

    def _refuse(self, path: Path, problem: OSError | RuntimeError) -> None:
        reason = getattr(problem, "strerror", None) or "it cannot be opened"
        self.refused.append(Refused(str(path), 0, "", "", f"it cannot be read: {reason}"))


def _is_text(name: str) -> bool:
    """Say whether a name is text; bytes that are not come as halves of characters."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)
