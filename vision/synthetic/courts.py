"""Court cards: busy pictures that are the same either way up, and must not be read as an index."""

from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.synthetic.deck_panels import print_photo
from vision.synthetic.deck_printing import Ink, Pixels, mixed, print_shape, resized, upside_down

KINDS = ("figure", "figure", "figure", "figure", "figure", "figure", "patchwork", "patchwork",
         "patchwork", "medallion", "photo", "pip", "letter", "empty", "pips")  # fmt: skip
KEPT_OUT_KINDS = ("mosaic", "figure", "fan", "letter")
_SKINS: tuple[Ink, ...] = ((200, 220, 245), (170, 200, 235), (235, 240, 250), (120, 160, 200))


@dataclass(frozen=True, slots=True)
class CourtPlan:
    """How a deck draws its courts."""

    kind: str
    framed: int  # lines round the picture
    frame: Ink
    ground: Ink | None
    busy: int
    skin: Ink
    hair: Ink
    corner_pip: float  # height of the pip in the picture's corner, of the picture's height
    slanted: bool  # the halves meet on a slope


def draw_court_plan(
    rng: np.random.Generator, lines: Ink, paper: Ink, clothes: tuple[Ink, ...], *, kept_out: bool
) -> CourtPlan:
    kinds = KEPT_OUT_KINDS if kept_out else KINDS
    tinted = mixed(paper, clothes[int(rng.integers(len(clothes)))], float(rng.uniform(0.05, 0.6)))
    return CourtPlan(
        kind=str(rng.choice(kinds)),
        framed=int(rng.choice([0, 1, 1, 2])),
        frame=lines,
        ground=tinted if rng.random() < 0.3 else None,
        busy=int(rng.integers(4, 12)),
        skin=_SKINS[int(rng.integers(len(_SKINS)))],
        hair=(*clothes, (40, 60, 90), (60, 190, 230))[int(rng.integers(len(clothes) + 2))],
        corner_pip=float(rng.uniform(0.13, 0.24)) if rng.random() < 0.85 else 0.0,
        slanted=bool(rng.random() < 0.6),
    )


@dataclass(frozen=True, slots=True)
class CourtCard:
    """What a court picture is of."""

    rank: str
    suit: Pixels
    letter: Pixels
    ink: Ink
    clothes: tuple[Ink, ...]


def draw_court(picture: Pixels, plan: CourtPlan, card: CourtCard, rng: np.random.Generator) -> None:
    """Draw a court into a part of a face, from edge to edge of that part."""
    height, width = picture.shape[:2]
    if plan.kind == "empty" or min(height, width) < 24:
        return
    if plan.kind in {"pip", "letter", "pips"}:
        _plain_court(picture, plan, card, rng)
        return
    if plan.ground is not None:
        picture[:] = plan.ground
    half = picture[: (height + 1) // 2].copy()
    draw_half = {"figure": _figure, "patchwork": _patchwork, "medallion": _medallion,
                 "photo": _photo, "mosaic": _mosaic, "fan": _fan}[plan.kind]  # fmt: skip
    draw_half(half, plan, card, rng)
    if plan.corner_pip:
        tall = plan.corner_pip * height
        pip = resized(card.suit, tall * card.suit.shape[1] / card.suit.shape[0], tall)
        place = max(2, width // 40)
        print_shape(half, pip, card.ink, place, place)
    picture[: half.shape[0]] = half
    picture[height - half.shape[0] :] = upside_down(half)
    if plan.slanted:
        _slanted_seam(picture, half, rng)
    for line in range(plan.framed):
        inset = line * 5
        corner = (width - 1 - inset, height - 1 - inset)
        cv2.rectangle(picture, (inset, inset), corner, plan.frame, 1)


def _slanted_seam(picture: Pixels, half: Pixels, rng: np.random.Generator) -> None:
    """Let the halves meet on a slope through the middle, as a sash does."""
    height, width = picture.shape[:2]
    rise = int(rng.integers(height // 12, height // 5))
    band = upside_down(half)[:rise]
    sash = picture[height // 2 - rise : height // 2 + rise]
    rows, columns = np.mgrid[0 : sash.shape[0], 0:width]
    across = columns / max(1, width - 1) * 2 - 1
    edge = np.abs((rows - rise) / rise - across) < 0.14
    tone = band.reshape(-1, 3).mean(axis=0)
    sash[edge] = tone.astype(np.uint8)


def _plain_court(
    picture: Pixels, plan: CourtPlan, card: CourtCard, rng: np.random.Generator
) -> None:
    height, width = picture.shape[:2]
    shape = card.letter if plan.kind == "letter" else card.suit
    if plan.kind == "pips":
        tall = height * 0.16
        pip = resized(shape, tall * shape.shape[1] / shape.shape[0], tall)
        for row in {"J": (0.0,), "Q": (-0.22, 0.22), "K": (-0.3, 0.0, 0.3)}[card.rank]:
            turned = upside_down(pip) if row > 0 else pip
            top = round(height * (0.5 + row) - tall / 2)
            print_shape(picture, turned, card.ink, (width - pip.shape[1]) // 2, top)
        return
    share = float(rng.uniform(0.45, 0.8))
    factor = min(share * height / shape.shape[0], 0.85 * width / shape.shape[1])
    large = resized(shape, shape.shape[1] * factor, shape.shape[0] * factor)
    left, top = (width - large.shape[1]) // 2, (height - large.shape[0]) // 2
    print_shape(picture, large, card.ink, left, top)


def _pick(rng: np.random.Generator, clothes: tuple[Ink, ...]) -> Ink:
    return clothes[int(rng.integers(len(clothes)))]


def _contour(half: Pixels, points: NDArray[np.int32], ink: Ink) -> None:
    cv2.polylines(half, [points], isClosed=True, color=ink, thickness=1, lineType=cv2.LINE_AA)


def _stripes(half: Pixels, mask: Pixels, inks: tuple[Ink, Ink], rng: np.random.Generator) -> None:
    """Fill where the mask is set with stripes, checks, dots or plain."""
    height, width = half.shape[:2]
    rows, columns = np.ogrid[0:height, 0:width]
    step = int(rng.integers(4, 13))
    slope = float(rng.uniform(-1.5, 1.5))
    kind = rng.random()
    if kind < 0.5:
        chosen = ((columns + slope * rows) % step) < step * float(rng.uniform(0.25, 0.6))
    elif kind < 0.75:
        chosen = ((columns // step + rows // step) % 2).astype(bool)
    else:
        across, down = (columns % step) - step / 2, (rows % step) - step / 2
        chosen = across**2 + down**2 < (0.3 * step) ** 2
    inside = mask > 0
    half[inside] = inks[0]
    half[inside & np.broadcast_to(chosen, inside.shape)] = inks[1]


def _polygon_mask(half: Pixels, points: list[tuple[float, float]]) -> Pixels:
    mask = np.zeros(half.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(np.array(points)).astype(np.int32)], 255)
    return mask


def _figure(half: Pixels, plan: CourtPlan, card: CourtCard, rng: np.random.Generator) -> None:
    """A head with a crown over a dressed body, cut off at the middle of the card."""
    height, width = half.shape[:2]
    axis = width * float(rng.uniform(0.44, 0.58))
    head = height * float(rng.uniform(0.15, 0.21))
    face_y = height * float(rng.uniform(0.4, 0.48))
    shoulder = face_y + head * 1.1
    dark = plan.frame
    clothes = card.clothes
    _flourish(half, plan, clothes, rng)
    _robe(half, (axis, shoulder), head, plan, clothes, rng)
    centre = (round(axis), round(face_y))
    hair = (round(head * 0.95), round(head * 1.1))
    cv2.ellipse(half, centre, hair, 0, 0, 360, plan.hair, -1, cv2.LINE_AA)
    face = (round(head * 0.66), round(head * 0.92))
    cv2.ellipse(half, centre, face, 0, 0, 360, plan.skin, -1, cv2.LINE_AA)
    cv2.ellipse(half, centre, face, 0, 0, 360, dark, 1, cv2.LINE_AA)
    _features(half, centre, head, dark, plan.hair, card.rank)
    _crown(half, (axis, face_y), head, card, dark, rng)
    _holds(half, (axis, face_y), head, card, dark, rng)


def _flourish(
    half: Pixels, plan: CourtPlan, clothes: tuple[Ink, ...], rng: np.random.Generator
) -> None:
    """Scrolls and leaves behind the figure."""
    height, width = half.shape[:2]
    for _ in range(plan.busy):
        centre = (int(rng.integers(width)), int(rng.integers(height)))
        reach = (int(rng.integers(4, 22)), int(rng.integers(4, 22)))
        start = int(rng.integers(360))
        ink = plan.frame if rng.random() < 0.5 else _pick(rng, clothes)
        thick = int(rng.choice([1, 1, 2, 3]))
        cv2.ellipse(half, centre, reach, 0, start, start + 230, ink, thick, cv2.LINE_AA)


def _robe(
    half: Pixels, neck: tuple[float, float], head: float, plan: CourtPlan,
    clothes: tuple[Ink, ...], rng: np.random.Generator,
) -> None:  # fmt: skip
    """A body of patterned bands, sleeves, a collar, and a row of beads down the front."""
    height, width = half.shape[:2]
    axis, shoulder = neck
    foot_left, foot_right = width * float(rng.uniform(0, 0.15)), width * float(rng.uniform(0.85, 1))
    shoulders = (axis - width * 0.22, axis + width * 0.22)
    bands = int(rng.integers(1, 6))
    edges = np.linspace(0, 1, bands + 1)
    pieces = []
    for left, right in pairwise(edges):
        top = [shoulders[0] + (shoulders[1] - shoulders[0]) * at for at in (left, right)]
        foot = [foot_left + (foot_right - foot_left) * at for at in (left, right)]
        pieces.append(
            [(top[0], shoulder), (top[1], shoulder), (foot[1], height), (foot[0], height)]
        )
    for side in (-1, 1):
        elbow = shoulder + head * float(rng.uniform(0.4, 1.0))
        pieces.append([(axis + side * width * 0.1, shoulder), (axis + side * width * 0.42, elbow),
                       (axis + side * width * 0.46, height),
                       (axis + side * width * float(rng.uniform(0.1, 0.25)), height)])  # fmt: skip
    for piece in pieces:
        inks = (_pick(rng, clothes), _pick(rng, clothes))
        _stripes(half, _polygon_mask(half, piece), inks, rng)
        _contour(half, np.round(np.array(piece)).astype(np.int32), plan.frame)
    collar = (round(axis), round(shoulder))
    for ring, share in enumerate((1.3, 1.0, 0.7)):
        reach = (round(head * share), round(head * share * 0.55))
        ink = clothes[ring % len(clothes)]
        cv2.ellipse(half, collar, reach, 0, 0, 180, ink, -1, cv2.LINE_AA)
        cv2.ellipse(half, collar, reach, 0, 0, 180, plan.frame, 1, cv2.LINE_AA)
    for bead in range(int(shoulder + head * 0.8), height, 8):
        cv2.circle(half, (round(axis), bead), 2, clothes[-1], -1, cv2.LINE_AA)


def _features(
    half: Pixels, centre: tuple[int, int], head: float, dark: Ink, hair: Ink, rank: str
) -> None:
    x, y = centre
    eye, size = round(head * 0.3), max(1, round(head * 0.1))
    for side in (-1, 1):
        cv2.circle(half, (x + side * eye, y - size), size, dark, -1, cv2.LINE_AA)
        cv2.line(
            half,
            (x + side * eye - size, y - 3 * size),
            (x + side * eye + size, y - 3 * size),
            dark,
            1,
        )
    cv2.line(half, (x, y), (x + size, y + 2 * size), dark, 1, cv2.LINE_AA)
    cv2.line(
        half,
        (x - size, y + round(head * 0.45)),
        (x + size, y + round(head * 0.45)),
        (60, 60, 200),
        1,
    )
    if rank == "K":
        cv2.ellipse(half, (x, y + round(head * 0.8)), (round(head * 0.5), round(head * 0.45)),
                    0, 0, 180, hair, -1, cv2.LINE_AA)  # fmt: skip


def _crown(
    half: Pixels, face: tuple[float, float], head: float, card: CourtCard, dark: Ink,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    x, y = face
    brim = y - head * 0.75
    top = max(2.0, brim - head * float(rng.uniform(0.5, 0.9)))
    reach = head * float(rng.uniform(0.75, 1.05))
    if card.rank == "J":
        points = [
            (x - reach, brim),
            (x - reach * 0.8, top),
            (x + reach, top + 2),
            (x + reach, brim),
        ]
    else:
        teeth = int(rng.integers(3, 6))
        points = [(x - reach, brim)]
        for tooth in range(teeth):
            start = x - reach + 2 * reach * tooth / teeth
            points += [(start, top), (start + reach / teeth, (top + 2 * brim) / 3)]
        points += [(x + reach, top), (x + reach, brim)]
    spots = np.round(np.array(points)).astype(np.int32)
    cv2.fillPoly(half, [spots], _pick(rng, card.clothes), cv2.LINE_AA)
    _contour(half, spots, dark)


def _holds(
    half: Pixels, face: tuple[float, float], head: float, card: CourtCard, dark: Ink,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    """A sword, staff or flower at the side away from the corner pip."""
    height, width = half.shape[:2]
    x = min(width - 5.0, face[0] + width * float(rng.uniform(0.26, 0.38)))
    ink = _pick(rng, card.clothes)
    foot, tip = (round(x), height), (round(x + rng.integers(-6, 7)), round(height * 0.1))
    cv2.line(half, foot, tip, dark, 5, cv2.LINE_AA)
    cv2.line(half, foot, tip, ink, 3, cv2.LINE_AA)
    if card.rank == "Q":
        for angle in np.linspace(0, 2 * np.pi, 6)[:-1]:
            petal = (round(tip[0] + 5 * np.cos(angle)), round(tip[1] + 5 * np.sin(angle)))
            cv2.circle(half, petal, 4, ink, -1, cv2.LINE_AA)
        cv2.circle(half, tip, 3, dark, -1, cv2.LINE_AA)


def _patchwork(half: Pixels, plan: CourtPlan, card: CourtCard, rng: np.random.Generator) -> None:
    """Overlapping patterned pieces, as a court looks from afar."""
    height, width = half.shape[:2]
    for _ in range(plan.busy):
        centre = rng.random(2) * (width, height)
        angles = np.sort(rng.random(int(rng.integers(3, 7))) * 2 * np.pi)
        reach = float(rng.uniform(0.15, 0.45)) * width
        points = [(float(centre[0] + reach * np.cos(a)), float(centre[1] + reach * np.sin(a)))
                  for a in angles]  # fmt: skip
        _stripes(
            half,
            _polygon_mask(half, points),
            (_pick(rng, card.clothes), _pick(rng, card.clothes)),
            rng,
        )
        edge = np.round(np.array(points)).astype(np.int32)
        _contour(half, edge, plan.frame)


def _medallion(half: Pixels, plan: CourtPlan, card: CourtCard, rng: np.random.Generator) -> None:
    height, width = half.shape[:2]
    centre = (width // 2, height)
    for ring in range(plan.busy, 0, -1):
        reach = (round(width * 0.48 * ring / plan.busy), round(height * 0.8 * ring / plan.busy))
        ink = card.clothes[ring % len(card.clothes)]
        thick = -1 if ring % 3 else 2
        cv2.ellipse(half, centre, reach, 0, 0, 360, ink, thick, cv2.LINE_AA)


def _mosaic(half: Pixels, plan: CourtPlan, card: CourtCard, rng: np.random.Generator) -> None:
    height, width = half.shape[:2]
    step = int(rng.integers(10, 24))
    for top in range(0, height, step):
        for left in range(0, width, step):
            a, b, c, d = (
                (left, top),
                (left + step, top),
                (left + step, top + step),
                (left, top + step),
            )
            for corners in ((a, b, c), (a, c, d)):
                spots = np.array(corners, np.int32)
                cv2.fillPoly(half, [spots], _pick(rng, card.clothes), cv2.LINE_AA)


def _fan(half: Pixels, plan: CourtPlan, card: CourtCard, rng: np.random.Generator) -> None:
    height, width = half.shape[:2]
    rays = 2 * plan.busy + 1
    for ray in range(rays):
        start, stop = 180 + 180 * ray / rays, 180 + 180 * (ray + 1) / rays
        cv2.ellipse(half, (width // 2, height), (width, height), 0, start, stop,
                    card.clothes[ray % len(card.clothes)], -1, cv2.LINE_AA)  # fmt: skip
    reach = round(height * float(rng.uniform(0.2, 0.45)))
    cv2.circle(half, (width // 2, height), reach, plan.skin, -1, cv2.LINE_AA)
    cv2.circle(half, (width // 2, height), reach, plan.frame, 2, cv2.LINE_AA)


def _photo(half: Pixels, plan: CourtPlan, card: CourtCard, rng: np.random.Generator) -> None:
    print_photo(half, rng)
