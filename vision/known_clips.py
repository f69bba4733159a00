"""Clips of which it is known what they show, and what an audit has to find in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from audit.errors import CatwalkError
from audit.toml_section import Section, read_toml
from vision.footage_truth import load_truth

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from vision.footage_truth import TrueCard

TRUTH: Final = "truth"
SHEET: Final = "table.toml"
VIOLATION: Final = "violation"


class BadSample(CatwalkError):
    """A sample that is not whole."""


@dataclass(frozen=True, slots=True, order=True)
class Known:
    """Something that an audit says of a round."""

    round: int
    code: str
    severity: str


@dataclass(frozen=True, slots=True)
class KnownClip:
    """A clip, what is audited with it, and what is true of it."""

    name: str
    about: str
    clip: Path
    logs: tuple[Path, ...]
    table_id: str
    shoe: str
    started: datetime
    length_s: float
    cards: tuple[TrueCard, ...]
    findings: tuple[Known, ...]

    @property
    def sheet(self) -> Path:
        return self.clip.parent / SHEET


def load_known_clips(folder: Path) -> tuple[KnownClip, ...]:
    """Read what is known of the clips of a folder, in the order in which they were filmed."""
    sheets = sorted((folder / TRUTH).glob("*.toml"))
    if not sheets:
        raise BadSample(
            f"there is no sample footage in {folder}: it comes with the source of Catwalk, not "
            "with the installed package; name its folder"
        )
    return tuple(sorted((_load(folder, path) for path in sheets), key=lambda clip: clip.started))


def _load(folder: Path, path: Path) -> KnownClip:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise BadSample(f"{path} cannot be read: {problem}") from None
    top = Section(str(path), read_toml(text, str(path), BadSample), BadSample)
    clip = folder / top.text("clip")
    if not clip.is_file():
        raise BadSample(f"{clip} is not there: {path} tells of it")
    known = KnownClip(
        name=path.stem,
        about=top.text("about"),
        clip=clip,
        logs=tuple(clip.parent / name for name in top.texts("logs")),
        table_id=top.text("table"),
        shoe=top.text("shoe"),
        started=top.moment("started"),
        length_s=float(top.number("seconds")),
        cards=load_truth(path.with_suffix(".csv")),
        findings=tuple(map(_known, top.sections("finding") if "finding" in top else ())),
    )
    top.end()
    return known


def _known(found: Section) -> Known:
    known = Known(found.number("round"), found.text("code"), found.text("severity"))
    found.text("what")  # for a person
    found.end()
    return known
