"""Folders of pictures in which somebody marked the cards, as found in public data sets.

YOLO: a text file for each picture, of the same name, in `labels/` beside `images/` or side by side
with the picture. A line is a class number, then centre and size of a box, or the corners of a
polygon, all relative to the picture. What the numbers mean stands in `names.txt`, `classes.txt` or
`obj.names` (a name on each line) or in `data.yaml` (its `names`), in the folder or above it.

`labels.csv`: one file for all pictures, with the columns image, card (or rank, where the suit is
not known), xmin, ymin, xmax, ymax, in pixels. The pictures lie in `images/` or beside it.
"""

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from audit.errors import CatwalkError
from vision.cards import RANKS

PICTURES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
NAME_FILES = ("names.txt", "classes.txt", "obj.names", "data.yaml", "data.yml", "dataset.yaml")
LEVELS_ABOVE = 3
"""How far above the folder the names of the classes are looked for."""
BEYOND = 0.03
"""By how much of the picture a box may reach over its border."""
CSV = "labels.csv"
Box = tuple[float, float, float, float]

RANK_WORDS = {
    "ACE": "A", "TWO": "2", "THREE": "3", "FOUR": "4", "FIVE": "5", "SIX": "6", "SEVEN": "7",
    "EIGHT": "8", "NINE": "9", "TEN": "T", "10": "T", "JACK": "J", "QUEEN": "Q", "KING": "K",
    "1": "A",
}  # fmt: skip
SUIT_WORDS = {
    "CLUB": "C", "CLUBS": "C", "DIAMOND": "D", "DIAMONDS": "D", "HEART": "H", "HEARTS": "H",
    "SPADE": "S", "SPADES": "S", "♣": "C", "♦": "D", "♥": "H", "♠": "S",
}  # fmt: skip
NO_CARDS = frozenset({"JOKER", "BLACK JOKER", "RED JOKER", "BACK", "CARD BACK", "CUT CARD"})


class BadFolder(CatwalkError):
    """A folder, or a file in it, that does not hold labelled pictures."""


@dataclass(frozen=True, slots=True)
class Label:
    """What somebody marked in a picture."""

    name: str
    """A card ("TD"), a rank where the suit is not known ("T"), or "" for a joker or a back."""
    box: Box
    """Left, top, right, bottom in pixels."""
    height: float | None = None
    """How tall the index is, where that is known better than from its box."""
    counts: bool = True
    """False where it is no fault not to find it: what is covered, or too small."""
    conditions: tuple[str, ...] = ()
    """Under which it was seen, where that is known: "dim light"."""


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A picture and what is marked in it."""

    path: Path
    marks: tuple[Label, ...]
    relative: bool
    """The boxes are parts of the picture's size, not pixels."""

    def labels(self, width: int, height: int) -> tuple[Label, ...]:
        """The labels in pixels of a picture of this size."""
        if not self.relative:
            return self.marks
        return tuple(
            Label(
                mark.name,
                (
                    max(mark.box[0], 0) * width,
                    max(mark.box[1], 0) * height,
                    min(mark.box[2], 1) * width,
                    min(mark.box[3], 1) * height,
                ),
            )
            for mark in self.marks
        )


def read_labelled_folder(folder: Path, names: Path | None = None) -> tuple[PictureFile, ...]:
    """Find the pictures of a folder and read all their labels, or say what is wrong with them."""
    if not folder.is_dir():
        raise BadFolder(f"{folder} is not a folder")
    inside = folder / "images"
    pictures = _pictures(inside if inside.is_dir() else folder)
    if not pictures:
        raise BadFolder(f"there are no pictures in {inside if inside.is_dir() else folder}")
    if (folder / CSV).is_file():
        return _read_csv(folder / CSV, pictures)
    texts = {path: _label_file(path, folder) for path in pictures}
    if not any(text.is_file() for text in texts.values()):
        raise BadFolder(
            f"no picture in {folder} has labels: they are looked for in labels/, beside the "
            f"pictures and in {CSV}"
        )
    _refuse_strays(folder / "labels", set(texts.values()))
    name_file = names or _find_names(folder)
    classes = read_class_names(name_file)
    return tuple(
        PictureFile(
            path,
            tuple(_read_yolo(text, classes, name_file)) if text.is_file() else (),
            relative=True,
        )
        for path, text in texts.items()
    )


def parse_name(text: str) -> str | None:
    """The card or the rank that a class name means, "" for what is no card; None if it is unclear.

    Understood are TD, 10D, d10, "ten of diamonds", 10♦, T and the like.
    """
    upper = " ".join(text.upper().replace("_", " ").replace("-", " ").split())
    if upper in NO_CARDS:
        return ""
    suits = "|".join(sorted([*SUIT_WORDS, *"CDHS"], key=len, reverse=True))
    ranks = "|".join(sorted([*RANK_WORDS, *RANKS], key=len, reverse=True))
    either = re.fullmatch(
        rf"(?:(?P<r1>{ranks})(?: ?(?:OF)? ?(?P<s1>{suits}))?)|(?:(?P<s2>{suits}) ?(?P<r2>{ranks}))",
        upper,
    )
    if either is None:
        return None
    rank, suit = either["r1"] or either["r2"], either["s1"] or either["s2"] or ""
    return RANK_WORDS.get(rank, rank) + SUIT_WORDS.get(suit, suit)


def read_class_names(path: Path) -> tuple[str, ...]:
    """What each class number means."""
    text = _text(path)
    yaml = path.suffix.lower() in (".yaml", ".yml")
    given = _names_in_yaml(text, path) if yaml else _lines(text)
    names = []
    for line, written in given:
        name = parse_name(written)
        if name is None:
            raise BadFolder(f"{path}, line {line}: {written!r} is not the name of a card or a rank")
        names.append(name)
    if not names:
        raise BadFolder(f"{path} names no classes")
    return tuple(names)


def _pictures(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in PICTURES)


def _label_file(picture: Path, folder: Path) -> Path:
    """Where the labels of a picture are, or would be."""
    beside = picture.with_suffix(".txt")
    if (folder / "images") not in picture.parents or beside.is_file():
        own = folder / "labels" / beside.relative_to(folder)
        return beside if beside.is_file() or not own.is_file() else own
    return folder / "labels" / beside.relative_to(folder / "images")


def _refuse_strays(labels: Path, expected: set[Path]) -> None:
    for path in sorted(labels.rglob("*.txt")):
        if path not in expected and path.name not in NAME_FILES:
            raise BadFolder(f"{path} belongs to no picture")


def _find_names(folder: Path) -> Path:
    places = [folder, folder / "labels", *folder.resolve().parents[:LEVELS_ABOVE]]
    for place in places:
        for name in NAME_FILES:
            if (place / name).is_file():
                return place / name
    raise BadFolder(
        f"nothing says what the classes of {folder} are: put names.txt, classes.txt or data.yaml "
        "there, or name a file with --names"
    )


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines with their numbers; empty ones only at the end may be left out."""
    return [(number, line.strip()) for number, line in enumerate(text.rstrip().split("\n"), 1)]


def _names_in_yaml(text: str, path: Path) -> list[tuple[int, str]]:
    """The `names` of a YOLO data.yaml: a list in brackets, a list in lines, or numbered lines."""
    lines = text.split("\n")
    start = next((at for at, line in enumerate(lines) if re.match(r"names\s*:", line)), None)
    if start is None:
        raise BadFolder(f"{path} has no names")
    rest = lines[start].partition(":")[2].strip()
    if rest.startswith(("[", "{")):
        whole = rest + "".join(f" {line.strip()}" for line in lines[start + 1 :])
        inner = re.match(r"[\[{](.*?)[\]}]", whole)
        if inner is None:
            raise BadFolder(f"{path}, line {start + 1}: the bracket of names is not closed")
        parts = [part.strip() for part in inner[1].split(",") if part.strip()]
        return _in_order([(start + 1, part) for part in parts], path)
    items = []
    for number, line in enumerate(lines[start + 1 :], start + 2):
        if line.strip() and not re.match(r"\s+\S|-", line):
            break
        if line.strip() and not line.strip().startswith("#"):
            items.append((number, line.strip().removeprefix("-").strip()))
    return _in_order(items, path)


def _in_order(items: Sequence[tuple[int, str]], path: Path) -> list[tuple[int, str]]:
    """Take off quotation marks, and the class numbers where names have them."""
    names = []
    for place, (line, text) in enumerate(items):
        number, colon, name = text.partition(":")
        if colon and number.strip("'\" ") != str(place):
            raise BadFolder(f"{path}, line {line}: class {place} was expected, not {text!r}")
        names.append((line, (name if colon else text).strip().strip("'\"")))
    return names


def _read_yolo(path: Path, classes: Sequence[str], name_file: Path) -> Iterator[Label]:
    for number, line in _lines(_text(path)):
        words = line.split()
        if not words:
            continue
        where = f"{path}, line {number}"
        try:
            kind, *values = int(words[0]), *map(float, words[1:])
        except ValueError:
            raise BadFolder(f"{where}: {line[:60]!r} is not a class and numbers") from None
        if not 0 <= kind < len(classes):
            raise BadFolder(
                f"{where}: class {kind} is not one of the {len(classes)} in {name_file}"
            )
        yield Label(classes[kind], _relative_box(values, where))


def _relative_box(values: Sequence[float], where: str) -> Box:
    if len(values) == 4:
        x, y, width, height = values
        box = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    elif len(values) >= 6 and len(values) % 2 == 0:
        box = (min(values[::2]), min(values[1::2]), max(values[::2]), max(values[1::2]))
    else:
        raise BadFolder(
            f"{where}: a class is followed by 4 numbers or by the corners of a polygon, "
            f"not by {len(values)} numbers"
        )
    if not all(math.isfinite(value) for value in box) or not (box[0] < box[2] and box[1] < box[3]):
        raise BadFolder(f"{where}: the box has no size")
    if min(box) < -BEYOND or max(box) > 1 + BEYOND:
        raise BadFolder(
            f"{where}: the box reaches beyond the picture (numbers have to be relative)"
        )
    return box


def _read_csv(path: Path, pictures: Sequence[Path]) -> tuple[PictureFile, ...]:
    by_name = {picture.name: picture for picture in pictures}
    marks: dict[Path, list[Label]] = {picture: [] for picture in pictures}
    rows = csv.DictReader(io.StringIO(_text(path)))
    columns = set(rows.fieldnames or ())
    kind = "card" if "card" in columns else "rank"
    edges = ("xmin", "ymin", "xmax", "ymax")
    if missing := [name for name in ("image", kind, *edges) if name not in columns]:
        raise BadFolder(f"{path} has no column {missing[0]}: it needs image, card or rank, xmin …")
    for row in rows:
        where = f"{path}, line {rows.line_num}"
        picture = by_name.get(row["image"] or "")
        if picture is None:
            raise BadFolder(f"{where}: there is no picture {row['image']!r}")
        name = parse_name(row[kind] or "")
        if name is None or (kind == "rank" and name not in RANKS):
            raise BadFolder(f"{where}: {row[kind]!r} is not a {kind}")
        try:
            left, top, right, bottom = (float(row[edge] or "") for edge in edges)
        except ValueError:
            raise BadFolder(f"{where}: the edges of the box have to be numbers") from None
        if not (0 <= left < right < math.inf and 0 <= top < bottom < math.inf):
            raise BadFolder(f"{where}: the box has no size, or lies beyond the picture")
        marks[picture].append(Label(name, (left, top, right, bottom)))
    return tuple(
        PictureFile(picture, tuple(labels), relative=False) for picture, labels in marks.items()
    )


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except OSError as problem:
        raise BadFolder(f"{path} cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise BadFolder(f"{path} cannot be read: it is not UTF-8 text") from None
