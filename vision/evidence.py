"""Stills and clips cut from footage: what a reviewer looks at and hands over.

All files say of themselves that they are ours, so that a later run may replace them and never
replaces anything else.
"""

import hashlib
import os
import re
import secrets
import shutil
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Final

import av
import av.error
import cv2
import numpy as np
from av.video.frame import PictureType
from av.video.reformatter import ColorRange, Colorspace
from numpy.typing import NDArray

from audit.addresses import without_secrets
from audit.errors import CatwalkError
from vision.boxes import Image
from vision.card_reader import Box
from vision.evidence_still import Caption, CardMark, Marks, draw_still
from vision.footage import Frame, open_footage

MADE_BY: Final = "Catwalk evidence"
_PNG_START: Final = b"\x89PNG\r\n\x1a\n"
_PNG_HEADER_END: Final = 33
"""The first chunk of a PNG, its size, always ends here; ours comes next."""
_TICKS: Final = 90_000
_KEY_FRAME_EVERY: Final = 50
_STILL_REACH_S: Final = 1.0
"""How far from the wished moment a still may be taken where frames are missing."""
_LOOK_EVERY_S: Final = 0.4
_CLEARER: Final = 1.02
"""So much brighter the cards have to be for a later picture to be taken."""
_NAMED_COLOURS: Final = {int(space): space for space in Colorspace}
_USUAL: Final = Colorspace.ITU601
"""What colours without a name are decoded as."""
_LONGEST_NAME: Final = 100


class BadEvidence(CatwalkError):
    """A still or a clip that cannot be written where it should be."""


class NoPicture(BadEvidence):
    """Seconds of which the footage shows nothing."""


@dataclass(frozen=True, slots=True)
class Clip:
    """What a clip really holds, in seconds of the footage it was cut from."""

    path: Path
    start_s: float
    end_s: float
    frames: int


@dataclass(frozen=True, slots=True)
class EvidenceWanted:
    """A finding to be shown: which seconds, and what to point at."""

    finding_id: str
    start_s: float
    end_s: float
    still_s: tuple[float, float]
    """From when until when the cards lie there: one moment of it is shown."""
    cards: tuple[CardMark, ...]
    caption: Caption


@dataclass(frozen=True, slots=True)
class Evidence:
    """The files of a finding; None and a sentence where the footage does not show it."""

    finding_id: str
    still: Path | None
    clip: Clip | None
    problem: str | None = None


def evidence_for(
    source: str | Path,
    wanted: Iterable[EvidenceWanted],
    folder: Path,
    zones: Mapping[str, NDArray[np.float64]] | None = None,
) -> Iterator[Evidence]:
    """Write `<finding_id>.png` and `<finding_id>.mp4` of each finding into a folder.

    Zones are in pixels of the footage. Findings of the same seconds share the work, above all where
    one follows the other. Seconds that the footage lacks are said and do not keep the others from
    being made.
    """
    _make_folder(folder)
    cut: dict[tuple[float, float], Clip] = {}
    last: tuple[tuple[tuple[float, float], list[Box]], Frame] | None = None
    for each in wanted:
        name = safe_name(each.finding_id)
        still = clip = problem = None
        try:
            shown = (each.still_s, [card.box for card in each.cards])
            if last is None or last[0] != shown:
                last = shown, clearest_frame(source, *shown)
            frame = last[1]
            still = folder / f"{name}.png"
            caption = replace(each.caption, at_s=frame.at_s)
            write_still(still, draw_still(frame.image(), Marks(each.cards, zones or {}), caption))
            path, seconds = folder / f"{name}.mp4", (each.start_s, each.end_s)
            if seconds in cut:
                clip = _copied(cut[seconds], path)
            else:
                clip = cut[seconds] = cut_clip(source, *seconds, path)
        except NoPicture as missing:
            problem = str(missing)
        yield Evidence(each.finding_id, still, clip, problem)


def safe_name(text: str) -> str:
    """A file name of letters, digits, dots, dashes and underscores; different for each text."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", text).lstrip(".-")
    if name == text and 0 < len(name) <= _LONGEST_NAME:
        return name
    told_apart = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{name[: _LONGEST_NAME - 13]}-{told_apart}".lstrip("-")


def frame_at(source: str | Path, at_s: float) -> Frame:
    """The frame that shows at a moment, or the nearest to it where frames are missing."""
    footage = open_footage(source)
    nearest: Frame | None = None
    for frame in footage.frames(max(at_s - _STILL_REACH_S, 0.0), at_s + _STILL_REACH_S):
        if nearest is None or abs(frame.at_s - at_s) < abs(nearest.at_s - at_s):
            nearest = frame
        if frame.at_s >= at_s:
            break
    if nearest is None:
        raise NoPicture(_nothing(source, f"at {at_s:.1f} s", footage.problem))
    return nearest


def clearest_frame(source: str | Path, seconds: tuple[float, float], cards: Sequence[Box]) -> Frame:
    """The frame of these seconds in which the least is over the cards."""
    clearest: Frame | None = None
    due_s, brightest = seconds[0], 0.0
    for frame in open_footage(source).frames(*seconds):
        if frame.at_s < due_s:
            continue
        due_s = frame.at_s + _LOOK_EVERY_S
        bright = _brightness(frame.luma, cards)
        if clearest is None or bright > brightest * _CLEARER:
            clearest, brightest = frame, bright
    return clearest or frame_at(source, seconds[0])


def _brightness(luma: NDArray[np.uint8], cards: Sequence[Box]) -> float:
    """How bright it is where the cards lie: less so where a hand is over them."""
    inside = [
        luma[max(round(top), 0) : round(bottom), max(round(left), 0) : round(right)]
        for left, top, right, bottom in cards
    ]
    return sum(float(card.mean()) for card in inside if card.size)


def write_still(path: Path, image: Image) -> None:
    """Write a PNG whole or not at all, replacing only a still of ours."""
    _, encoded = cv2.imencode(".png", image)
    content = encoded.tobytes()
    chunk = b"tEXt" + b"Software\0" + MADE_BY.encode("latin-1")
    ours = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    marked = content[:_PNG_HEADER_END] + ours + content[_PNG_HEADER_END:]
    _put(path, lambda draft: _write_bytes(draft, marked), _is_our_still)


def cut_clip(source: str | Path, start_s: float, end_s: float, path: Path) -> Clip:
    """Cut seconds out of footage into an mp4 that browsers play (H.264, beginning at its index).

    Frames keep their distances in time. What lies before the footage or after its end, or cannot
    be decoded, is left out.
    """
    if not start_s < end_s:
        raise BadEvidence(f"a clip cannot go from {start_s:g} s to {end_s:g} s")
    footage = open_footage(source)
    shown = footage.frames(max(start_s, 0.0), end_s)
    first = next(shown, None)
    if first is None:
        raise NoPicture(_nothing(source, f"from {start_s:.1f} to {end_s:.1f} s", footage.problem))
    length: list[tuple[float, int]] = []

    def encode(draft: Path) -> None:
        length.append(_encode(draft, first, shown))

    _put(path, encode, _is_our_clip)
    last_s, frames = length[0]
    return Clip(path, first.at_s, last_s, frames)


def _encode(draft: Path, first: Frame, others: Iterator[Frame]) -> tuple[float, int]:
    """Encode frames and tell when the last of them was, and how many there are."""
    tick = Fraction(1, _TICKS)
    start = _planes(first, like=None)
    colours = (start.colorspace, start.color_range, start.color_primaries, start.color_trc)
    frames, last, last_s = 0, -1, first.at_s
    options = {"movflags": "+faststart"}
    with av.open(str(draft), "w", format="mp4", options=options) as container:
        container.metadata["comment"] = MADE_BY
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height = start.width, start.height
        stream.pix_fmt = "yuv420p"
        context = stream.codec_context
        context.time_base = tick
        context.colorspace, context.color_range, context.color_primaries, context.color_trc = (
            colours
        )
        stream.options = {"crf": "23", "preset": "ultrafast", "g": str(_KEY_FRAME_EVERY)}
        for frame in chain([first], others):
            ticks = round((frame.at_s - first.at_s) * _TICKS)
            if ticks <= last:
                continue
            last, last_s, frames = ticks, frame.at_s, frames + 1
            seen = _planes(frame, like=start)
            seen.pts, seen.time_base = ticks, tick
            seen.pict_type = PictureType.NONE  # the encoder chooses, not the camera
            container.mux(stream.encode(seen))
        container.mux(stream.encode(None))
    return last_s, frames


def _planes(frame: Frame, like: av.VideoFrame | None) -> av.VideoFrame:
    """A frame's brightness and colours as an encoder takes them: as decoded, where that will do."""
    decoded = frame.picture
    height, width = frame.luma.shape
    if (
        isinstance(decoded, av.VideoFrame)
        and decoded.format.name == "yuv420p"
        and not frame.turns
        and (decoded.width, decoded.height) == (width, height)
        and not (width % 2 or height % 2)
    ):
        return decoded
    space = Colorspace.ITU709 if like is None else _NAMED_COLOURS.get(like.colorspace, _USUAL)
    picture = av.VideoFrame.from_ndarray(_even(frame.image()), format="bgr24")
    planes = picture.reformat(format="yuv420p", dst_colorspace=space)
    planes.color_range = ColorRange.MPEG
    return planes


def _even(image: Image) -> Image:
    """Repeat the last row or column where there is an odd number: the colours need pairs."""
    height, width = image.shape[:2]
    if not (height % 2 or width % 2):
        return image
    padded = cv2.copyMakeBorder(image, 0, height % 2, 0, width % 2, cv2.BORDER_REPLICATE)
    return np.asarray(padded, np.uint8)


def _copied(clip: Clip, path: Path) -> Clip:
    if path != clip.path:
        _put(path, lambda draft: _copy(clip.path, draft), _is_our_clip)
    return Clip(path, clip.start_s, clip.end_s, clip.frames)


def _copy(one: Path, other: Path) -> None:
    shutil.copyfile(one, other)


def _write_bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _put(path: Path, write: Callable[[Path], None], is_ours: Callable[[Path], bool]) -> None:
    """Write under another name first, so that a file is there whole or not at all."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    try:
        write(draft)
        if os.path.lexists(path) and (path.is_symlink() or not path.is_file() or not is_ours(path)):
            raise BadEvidence(f"{path} is there already and was not made by Catwalk: it is kept")
        draft.replace(path)
    except (OSError, av.error.FFmpegError) as problem:
        raise BadEvidence(f"{path} cannot be written: {problem.strerror or problem}") from None
    finally:
        draft.unlink(missing_ok=True)


def _is_our_still(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(200)
    return start.startswith(_PNG_START) and MADE_BY.encode("latin-1") in start[_PNG_HEADER_END:]


def _is_our_clip(path: Path) -> bool:
    try:
        with av.open(str(path)) as container:
            return container.metadata.get("comment") == MADE_BY
    except av.error.FFmpegError:
        return False


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise BadEvidence(f"{folder} cannot be made: {problem.strerror}") from None


def _nothing(source: str | Path, when: str, problem: str | None) -> str:
    because = f": {problem}" if problem else ""
    return f"{without_secrets(source)} shows nothing {when}{because}"
