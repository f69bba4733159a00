"""Films of cards that carry their names as black and white cells, and a reader of such cards.

They are quick to draw and to read, and go through a file as any film does: what is tested with them
is everything but the networks.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import av
import cv2
import numpy as np

from vision.card_reader import BackSeen, IndexSeen, PictureReading, joined_card
from vision.cards import CARDS, NUMBERS
from vision.containers import BadFootage
from vision.film_stage import Weights
from vision.frames import Frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import pytest

    from vision.boxes import Image
    from vision.card_reader import Box

SIZE: Final = (640, 360)
CARD: Final = (48, 68)
CELL: Final = 7
CODE: Final = (2 * CELL, 3 * CELL)
FELT: Final = (70, 96, 40)
BACK: Final = (150, 120, 110)
FPS: Final = 10
MOVED: Final = (8, 20)
"""Pixels down and to the right by which a camera is moved."""

PLACES: Final = {
    "player": [(50, 140), (110, 140), (170, 140)],
    "banker": [(370, 140), (430, 140), (490, 140)],
}
SHEET: Final = """\
table    = "BAC-1"
timezone = "Asia/Singapore"
decks    = 8

[[game]]
rulebook = "mbs-fortune-six-baccarat-v6"
from     = 2026-01-01T06:00:00+08:00

[camera]
frame = [640, 360]
[camera.zones]
player  = [[30, 110], [240, 110], [240, 260], [30, 260]]
banker  = [[350, 110], [560, 110], [560, 260], [350, 260]]
shoe    = [[580, 20], [635, 20], [635, 90], [580, 90]]
discard = [[5, 20], [60, 20], [60, 90], [5, 90]]
"""
LINES: Final = (
    "2H 3D 8C / KS 3S",
    "9H 8D / 2C 3H 5D",
    "8S TC / 5H AD",
    "4C 2D / 7H QD",
    "JS 6D / 3C 5S",
)
"""Rounds that keep to the rules."""
SKIPPED_DRAW: Final = "2S 3C / KH 7D"
"""The player has five and gets no third card."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A card that lies somewhere for a time."""

    card: str
    x: int
    y: int
    from_s: float
    to_s: float
    turned_up_s: float = 0.0
    """Until then it lies face down."""


@dataclass(frozen=True, slots=True)
class CodedFilm:
    cards: tuple[Laid, ...]
    length_s: float
    covered: tuple[float, float] = (0.0, 0.0)
    """When something lies over the camera."""
    missing: tuple[float, float] = (0.0, 0.0)
    """When no frames come."""
    moved_s: float = float("inf")
    """From when on the camera stands elsewhere."""

    def frame(self, at_s: float) -> Image:
        if self.covered[0] <= at_s < self.covered[1]:
            return np.full((SIZE[1], SIZE[0], 3), 60, np.uint8)
        image = np.full((SIZE[1], SIZE[0], 3), FELT, np.uint8)
        for x in range(0, SIZE[0], 40):
            cv2.circle(image, (x, 320), 6 + x // 80, (110, 140, 80), 2)
            cv2.circle(image, (x, 40), 14 - x // 80, (110, 140, 80), 2)
        for laid in self.cards:
            if laid.from_s <= at_s < laid.to_s:
                _draw(image, laid, face_up=at_s >= laid.turned_up_s)
        if at_s >= self.moved_s:
            image = np.roll(image, MOVED, (0, 1))
        return image

    def shows(self, at_s: float) -> tuple[object, ...]:
        """What tells one picture of the film from another."""
        lying = [laid for laid in self.cards if laid.from_s <= at_s < laid.to_s]
        turned = [at_s >= laid.turned_up_s for laid in lying]
        covered = self.covered[0] <= at_s < self.covered[1]
        return tuple(lying), tuple(turned), covered, at_s >= self.moved_s

    def write(self, path: Path, made: str | None = None) -> Path:
        with av.open(str(path), "w") as container:
            if made is not None:
                container.metadata["creation_time"] = made
            stream = container.add_stream("libx264", rate=FPS)
            stream.width, stream.height = SIZE
            stream.pix_fmt = "yuv420p"
            stream.options = {"crf": "16", "preset": "ultrafast", "g": "20"}
            stream.codec_context.time_base = Fraction(1, FPS)
            shown, frame = None, None
            for number in range(round(self.length_s * FPS)):
                at_s = number / FPS
                if self.missing[0] <= at_s < self.missing[1]:
                    continue
                if frame is None or shown != self.shows(at_s):
                    shown = self.shows(at_s)
                    drawn = av.VideoFrame.from_ndarray(self.frame(at_s), format="bgr24")
                    frame = drawn.reformat(format="yuv420p")
                frame.pts, frame.time_base = number, Fraction(1, FPS)
                container.mux(stream.encode(frame))
            container.mux(stream.encode(None))
        return path


def coup(line: str, at_s: float, stays_s: float = 8.0, pace_s: float = 0.8) -> list[Laid]:
    """A round of baccarat like `2H 3D 8C / KS 3S`, dealt from this second on."""
    hands = dict(zip(("player", "banker"), (part.split() for part in line.split("/")), strict=True))
    dealt = [
        ("player", 0),
        ("banker", 0),
        ("player", 1),
        ("banker", 1),
        ("player", 2),
        ("banker", 2),
    ]
    laid = []
    ends_s = at_s + stays_s
    for hand, place in dealt:
        if place < len(hands[hand]):
            laid.append(Laid(hands[hand][place], *PLACES[hand][place], at_s, ends_s))
            at_s += pace_s
    return laid


def film_of(*lines: str, first_s: float = 1.0, every_s: float = 10.0) -> CodedFilm:
    """Rounds one after the other, each cleared away before the next."""
    cards = [
        card
        for number, line in enumerate(lines)
        for card in coup(line, first_s + number * every_s, stays_s=6.5, pace_s=0.7)
    ]
    return CodedFilm(tuple(cards), first_s + len(lines) * every_s)


@dataclass
class Drawn:
    """A film that is drawn as it is decoded, and knows how far that is."""

    film: CodedFilm
    decoded_s: float = 0.0
    breaks_s: float = float("inf")
    problem: str | None = None
    notes: tuple[str, ...] = ()
    length_s: float | None = None
    name: str = "drawn"
    size: tuple[int, int] = SIZE

    def frames(self, from_s: float = 0.0, to_s: float | None = None) -> Iterator[Frame]:
        shown, image = None, None
        for number in range(round(self.film.length_s * FPS)):
            at_s = number / FPS
            if at_s >= self.breaks_s:
                raise BadFootage("the drawn film broke")
            if self.film.missing[0] <= at_s < self.film.missing[1]:
                continue
            if at_s >= from_s and (to_s is None or at_s < to_s):
                if image is None or shown != self.film.shows(at_s):
                    shown, image = self.film.shows(at_s), self.film.frame(at_s)
                self.decoded_s = at_s
                yield Frame.of_image(number, at_s, image)


def instead_of_networks(monkeypatch: pytest.MonkeyPatch, reader: CodeReader) -> None:
    """Let every command read with this reader."""
    weights = Weights(reader, "coded")
    for module in ("vision.film_stage", "vision.audit_films"):
        monkeypatch.setattr(f"{module}.load_weights", lambda *_: weights)


@dataclass(slots=True)
class CodeReader:
    """Reads the cells; some cards it can be made to doubt."""

    doubted: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    """How sure it is of a card, and which other one it then may be."""
    faint: frozenset[str] = frozenset()
    """Cards of which it finds one index, and is not sure that it is one."""
    pictures: list[tuple[int, int]] = field(default_factory=list)
    """The sizes of what it was asked to read."""
    breaks_off_after: float = float("inf")
    """So many pictures; then it is as if somebody pressed Ctrl-C."""

    def read(
        self, image: Image, scales: tuple[float, ...] | None = None, part: Box | None = None
    ) -> PictureReading:
        first_x, first_y, last_x, last_y = map(int, part or (0, 0, *image.shape[1::-1]))
        self.pictures.append((last_x - first_x, last_y - first_y))
        if len(self.pictures) > self.breaks_off_after:
            raise KeyboardInterrupt
        whole = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
        grey = np.zeros_like(whole)
        grey[first_y:last_y, first_x:last_x] = whole[first_y:last_y, first_x:last_x]
        cards, backs = [], []
        for left, top in _cards_in(grey, 175, 255):
            face = grey[top : top + CARD[1], left : left + CARD[0]]
            indexes = [
                self._index(cells, (left + x, top + y), lean)
                for cells, (x, y), lean in (
                    (face[3 : 3 + CODE[1], 3 : 3 + CODE[0]], (3, 3), 0.0),
                    (
                        face[::-1, ::-1][3 : 3 + CODE[1], 3 : 3 + CODE[0]],
                        (CARD[0] - 3 - CODE[0], CARD[1] - 3 - CODE[1]),
                        180.0,
                    ),
                )
            ]
            if CARDS[int(indexes[0].probabilities.argmax())] in self.faint:
                indexes = [replace(indexes[0], score=0.47)]
            cards.append(joined_card(indexes))
        for left, top in _cards_in(grey, 105, 140):
            backs.append(BackSeen(_box(left, top, CARD), 0.9))
        return PictureReading(tuple(sorted(cards, key=lambda card: card.box)), (), tuple(backs))

    def _index(self, cells: Image, at: tuple[int, int], lean: float) -> IndexSeen:
        rows = cells.reshape(3, CELL, 2, CELL).mean(axis=(1, 3)).ravel()
        number = sum(1 << place for place, cell in enumerate(rows) if cell > 128)
        card = CARDS[min(number, len(CARDS) - 1)]
        sure, other = self.doubted.get(card, (0.9999, "2C" if card != "2C" else "3C"))
        probabilities = np.full(len(CARDS), 1e-7, np.float32)
        probabilities[NUMBERS[card]] = sure
        probabilities[NUMBERS[other]] += 1 - sure
        return IndexSeen(_box(*at, CODE), 0.9, 0.995, probabilities, float(CODE[1]), lean)


def _draw(image: Image, laid: Laid, *, face_up: bool) -> None:
    x, y = laid.x, laid.y
    face = np.full((CARD[1], CARD[0], 3), 235 if face_up else BACK, np.uint8)
    if face_up:
        number = NUMBERS[laid.card]
        code = np.array(
            [[(number >> (2 * row + column)) & 1 for column in (0, 1)] for row in range(3)]
        )
        cells = np.kron(code * 200 + 20, np.ones((CELL, CELL))).astype(np.uint8)[..., None]
        face[3 : 3 + CODE[1], 3 : 3 + CODE[0]] = cells
        face[::-1, ::-1][3 : 3 + CODE[1], 3 : 3 + CODE[0]] = cells
    image[y : y + CARD[1], x : x + CARD[0]] = face


def _cards_in(grey: Image, low: int, high: int) -> list[tuple[int, int]]:
    mask = cv2.inRange(grey, np.array(low), np.array(high))
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for contour in contours:
        left, top, width, height = cv2.boundingRect(contour)
        if abs(width - CARD[0]) <= 3 and abs(height - CARD[1]) <= 3:
            found.append((left, top))
    return sorted(found)


def _box(left: int, top: int, size: Sequence[int]) -> Box:
    return float(left), float(top), float(left + size[0]), float(top + size[1])
