"""Tables on which cards are laid before a camera: what does not change within a film."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.synthetic import furniture
from vision.synthetic.cameras import draw_camera
from vision.synthetic.canvases import Canvas, Sprite, opaque
from vision.synthetic.decks import FACE_PX_PER_MM, draw_deck
from vision.synthetic.felts import (
    Felt,
    Seat,
    arc,
    block,
    draw_felt,
    print_baccarat,
    print_blackjack,
    spread,
    weave,
)
from vision.synthetic.furniture import stack_chips
from vision.synthetic.hands import TORSO_STYLES, Dealer, lay_hand, stand_dealer
from vision.synthetic.lettering import placed
from vision.synthetic.light import Filming, Light, draw_filming, draw_light, lit
from vision.synthetic.pictures import DrawnCard, DrawnIndex, Picture
from vision.synthetic.surfaces import Surface, cover

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from vision.synthetic.cameras import Camera
    from vision.synthetic.canvases import Colour
    from vision.synthetic.decks import Deck
    from vision.synthetic.furniture import ChipStack
    from vision.synthetic.hands import Hand

DEALER_AT: Final = (0.0, 225.0)
PLAYER_AT: Final = (-185.0, 150.0)
BANKER_AT: Final = (185.0, 150.0)
_CENTRE: Final = (0.0, 420.0)
_SAMPLES: Final = 20  # along each side of a quad
_THIN: Final = 0.35  # mm: what a card stands off the table


@dataclass(frozen=True, slots=True)
class LaidCard:
    card: str  # also when face down
    x: float  # mm: centre
    y: float
    turned: float  # degrees anticlockwise; 0 = top of the card away from the players
    face_up: bool = True
    lift: float = 0.0  # mm above the table


class CardSprites:
    """The faces of a deck ready to be laid; drawn on first use."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self.back = opaque(deck.back, deck.shape)
        self._faces: dict[str, Sprite] = {}

    def face(self, card: str) -> Sprite:
        if card not in self._faces:
            self._faces[card] = opaque(self.deck.face(card).image, self.deck.shape)
        return self._faces[card]


@lru_cache(maxsize=6)
def sprites_of_deck(seed: int, *, kept_out: bool = False) -> CardSprites:
    return CardSprites(draw_deck(seed, kept_out=kept_out))


@dataclass(frozen=True, slots=True)
class Furnishing:
    """Which pieces stand on and round the table, and where."""

    seed: int
    rim: Colour
    floor: Colour
    tray: bool
    shoe: tuple[float, float, float] | None  # x, y, turned
    discards: tuple[float, float] | None
    papers: tuple[tuple[float, float], ...]
    glasses: tuple[tuple[float, float], ...]
    dealer: Dealer | None


@dataclass(slots=True)
class Table:
    game: str
    zones: Mapping[str, NDArray[np.float64]]
    camera: Camera
    sprites: CardSprites
    ground: Felt | Surface
    seats: tuple[Seat, ...]
    furnishing: Furnishing | None
    light: Light
    filming: Filming
    _bare: Canvas | None = field(default=None, repr=False)
    _lit: tuple[NDArray[np.uint8], NDArray[np.uint8] | None] | None = field(
        default=None, repr=False
    )

    @property
    def deck(self) -> Deck:
        return self.sprites.deck

    def seen_through(self, camera: Camera) -> Table:
        return replace(self, camera=camera, _bare=None, _lit=None)

    def draw(
        self,
        laid: Sequence[LaidCard],
        hands: Sequence[Hand] = (),
        chips: Sequence[ChipStack] = (),
        *,
        moment: int = 0,
        moving: Mapping[int, tuple[float, float]] | None = None,
        as_filmed: bool = True,
    ) -> Picture:
        """Draw one moment.

        `moving` tells by place in `laid` how many millimetres a card went while the shutter was
        open; without `as_filmed` the picture has neither light nor the faults of a camera.
        """
        canvas = self._background().copy()
        order = sorted(range(len(laid)), key=lambda number: laid[number].lift)
        moving = moving or {}
        flat = [number for number in order if laid[number].lift <= 0]
        for number in flat:
            self._lay(canvas, laid[number], number + 1, moving.get(number))
        above = canvas.camera.above
        far_first = sorted(chips, key=lambda pile: -np.hypot(pile.x - above[0], pile.y - above[1]))
        for stack in far_first:
            stack_chips(canvas, stack)
        for hand in hands:
            if hand.below_cards:
                lay_hand(canvas, hand, self.light)
        for number in order[len(flat) :]:
            self._lay(canvas, laid[number], number + 1, moving.get(number))
        for hand in hands:
            if not hand.below_cards:
                lay_hand(canvas, hand, self.light)
        image = canvas.image
        if as_filmed:
            if self._lit is None:
                self._lit = (self.light.on(self.camera), self.light.glare(self.camera))
            rng = np.random.default_rng((self.light.seed, moment, 97))
            image = self.filming.film(lit(image, *self._lit), rng)
        cards, indexes = self._labels(canvas, laid, order, image, moving)
        return Picture(image, indexes, cards)

    def _background(self) -> Canvas:
        if self._bare is None:
            canvas = Canvas(self.camera)
            if isinstance(self.ground, Surface):
                cover(canvas, self.ground)
            else:
                spread(canvas, self.ground)
                if self.game == "baccarat":
                    print_baccarat(canvas, self.ground, PLAYER_AT, BANKER_AT)
                else:
                    print_blackjack(canvas, self.ground, self.seats, DEALER_AT)
                if self.furnishing is not None:
                    _edge(canvas, self.furnishing, self.game)
                weave(canvas, self.ground)
            if self.furnishing is not None:
                self._furnish(canvas, self.furnishing)
            self._bare = canvas
        return self._bare

    def _furnish(self, canvas: Canvas, pieces: Furnishing) -> None:
        card = (self.deck.width_mm, self.deck.height_mm)
        back = self.sprites.back
        if pieces.dealer is not None:
            stand_dealer(canvas, pieces.dealer)
        if pieces.tray:
            furniture.tray(canvas, pieces.seed, 0.0, 405.0)
        if pieces.discards is not None:
            furniture.discards(canvas, pieces.seed, *pieces.discards, back, card)
        if pieces.shoe is not None:
            furniture.shoe(canvas, pieces.seed, *pieces.shoe, back, card)
        for number, place in enumerate(pieces.papers):
            furniture.paper(canvas, pieces.seed + number, *place)
        for number, place in enumerate(pieces.glasses):
            furniture.glass(canvas, pieces.seed + number, *place)

    def _lay(
        self, canvas: Canvas, card: LaidCard, owner: int, moved: tuple[float, float] | None
    ) -> None:
        sprite = self.sprites.face(card.card) if card.face_up else self.sprites.back
        place = canvas.camera.plane(card.lift) @ self._to_table(card)
        height = card.lift + _THIN * 3
        start = np.array([[card.x, card.y]])
        shaded = start + np.array(self.light.shadow) * height
        seen = canvas.camera.project(np.vstack([start, shaded]))
        scale = canvas.camera.scale_at(card.x, card.y)
        fall = seen[1] - seen[0]
        shadow = (
            float(fall[0]),
            float(fall[1]),
            float(np.clip(scale * (1.8 + 0.25 * card.lift), 1, 30)),
            self.light.darkness,
        )
        smear = (0.0, 0.0) if moved is None else _went(canvas.camera, card, moved)
        gain = 0.955 + 0.05 * ((int(card.x * 7) + int(card.y * 13)) % 17) / 17
        canvas.lay(sprite, place, owner, gain=gain, moved=smear, shadow=shadow)

    def _to_table(self, card: LaidCard) -> NDArray[np.float64]:
        """From pixels of a face to millimetres of the table."""
        scale = 1 / FACE_PX_PER_MM
        left = -self.deck.width_mm / 2 + scale / 2
        top = self.deck.height_mm / 2 - scale / 2
        flat = np.array([[scale, 0, left], [0, -scale, top], [0, 0, 1.0]])
        return np.asarray(placed((card.x, card.y), card.turned) @ flat, np.float64)

    def _labels(
        self,
        canvas: Canvas,
        laid: Sequence[LaidCard],
        order: Sequence[int],
        recorded: NDArray[np.uint8],
        moving: Mapping[int, tuple[float, float]],
    ) -> tuple[tuple[DrawnCard, ...], tuple[DrawnIndex, ...]]:
        height, width = self.deck.shape.shape
        whole = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
        quads, owners, heights = [], [], []
        for number in order:
            card = laid[number]
            place = canvas.camera.plane(card.lift) @ self._to_table(card)
            printed = self.deck.face(card.card).indexes if card.face_up else ()
            for flat in (whole, *printed):
                quads.append(_through(place, flat.astype(np.float64)))
                owners.append(number)
                heights.append(_compressed(quads[-1], flat))
        shown = visible_shares(canvas, quads, [owner + 1 for owner in owners])
        cards, indexes = [], []
        last = -1
        for corners, owner, tall, share in zip(quads, owners, heights, shown, strict=True):
            card = laid[owner]
            points = corners.astype(np.float32)
            if owner != last:
                cards.append(DrawnCard(card.card if card.face_up else None, points, share))
            else:
                went = _went(canvas.camera, card, moving[owner]) if owner in moving else (0.0, 0.0)
                smear, contrast = self.filming.smear(went), _contrast(recorded, points)
                indexes.append(DrawnIndex(card.card, points, share, tall, smear, contrast, owner))
            last = owner
        return tuple(cards), tuple(indexes)


def _went(camera: Camera, card: LaidCard, moved: tuple[float, float]) -> tuple[float, float]:
    """Pixels that a card which moved so many millimetres went."""
    start = np.array([card.x, card.y])
    before, after = camera.project(np.vstack([start, start + moved]))
    return float(after[0] - before[0]), float(after[1] - before[1])


def _contrast(recorded: NDArray[np.uint8], corners: NDArray[np.float32]) -> float:
    """Levels between ink and paper where an index shows least: of its rank, or of its suit."""
    height, width = recorded.shape[:2]
    steps = (np.arange(_SAMPLES) + 0.5) / _SAMPLES
    across, down = steps[None, :, None], steps[:, None, None]
    upper = corners[0] + across * (corners[1] - corners[0])
    lower = corners[3] + across * (corners[2] - corners[3])
    points = np.floor(upper + down * (lower - upper)).astype(np.intp)
    columns, rows = points[..., 0], points[..., 1]
    if not ((columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)).any():
        return 0.0
    printed = recorded[np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)]
    parts = (printed[: _SAMPLES // 2], printed[_SAMPLES * 5 // 8 :])
    return min(_levels(part.reshape(-1, 3)) for part in parts)


def _levels(part: NDArray[np.uint8]) -> float:
    """From the darkest to the lightest, in the colour that shows it best."""
    dark, light = np.quantile(part, (0.1, 0.9), axis=0)
    return float((light - dark).max())


def _through(place: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    seen = np.column_stack([points, np.ones(len(points))]) @ place.T
    there: NDArray[np.float64] = seen[:, :2] / seen[:, 2:]
    return there


def visible_shares(
    canvas: Canvas, quads: Sequence[NDArray[np.float64]], owners: Sequence[int]
) -> list[float]:
    """The share of each quad's area, sampled, whose topmost owner is that card."""
    if not quads:
        return []
    steps = (np.arange(_SAMPLES) + 0.5) / _SAMPLES
    across, down = steps[None, :, None], steps[:, None, None]
    first, second, third, fourth = (
        np.array([quad[corner] for quad in quads])[:, None, None] for corner in range(4)
    )
    upper = first + across * (second - first)
    lower = fourth + across * (third - fourth)
    points = np.round(upper + down * (lower - upper)).astype(np.int64)
    width, height = canvas.camera.size
    columns, rows = points[..., 0], points[..., 1]
    inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
    topmost = canvas.owners[np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)]
    seen = inside & (topmost == np.array(owners)[:, None, None])
    return [float(share) for share in seen.mean(axis=(1, 2))]


def _compressed(corners: NDArray[np.float64], flat: NDArray[np.float32]) -> float:
    """How tall an index would be if it were compressed everywhere as where it is most so."""

    def lengths(quad: NDArray[np.float64]) -> tuple[float, float]:
        sides = np.hypot(*(quad - quad[[1, 2, 3, 0]]).T)
        return float(sides[0] + sides[2]) / 2, float(sides[1] + sides[3]) / 2

    across, up = lengths(corners)
    flat_across, flat_up = lengths(flat.astype(np.float64))
    return min(up, across * flat_up / flat_across)


def _edge(canvas: Canvas, pieces: Furnishing, game: str) -> None:
    """The padded rim of the table and the floor beyond it."""
    everything = block((0, 0), 9000, 9000)
    top = table_outline(game, 0.0)
    canvas.fill(everything, pieces.rim, holes=[top])
    blue, green, red = (min(255.0, part * 1.5 + 12) for part in pieces.rim)
    canvas.fill(
        table_outline(game, 60.0),
        (blue, green, red),
        holes=[table_outline(game, 35.0)],
        strength=0.4,
    )
    canvas.fill(everything, pieces.floor, holes=[table_outline(game, 110.0)])


def table_outline(game: str, wider: float) -> NDArray[np.float64]:
    if game == "baccarat":
        angles = np.radians(np.linspace(0, 360, 90, endpoint=False))
        across, up = np.cos(angles), np.sin(angles)
        return np.column_stack(
            [
                (1080 + wider) * np.sign(across) * np.abs(across) ** 0.55,
                -40 + (560 + wider) * np.sign(up) * np.abs(up) ** 0.55,
            ]
        )
    front = arc(_CENTRE, 930 + wider, 180, 360, 60)
    back = np.array([[930 + wider, 530 + wider], [-930 - wider, 530 + wider]])
    return np.vstack([front, back])


def draw_seats(rng: np.random.Generator, count: int) -> tuple[Seat, ...]:
    radius = rng.uniform(540, 640)
    reach = min(rng.uniform(9.3, 11.0) * count, rng.uniform(50, 62))
    seats = []
    for number in range(count):
        share = 0.0 if count == 1 else 2 * number / (count - 1) - 1
        angle = 270 + share * reach
        x = _CENTRE[0] + radius * np.cos(np.radians(angle))
        y = _CENTRE[1] + radius * np.sin(np.radians(angle))
        seats.append(Seat(number + 1, float(x), float(y), float(angle + 90)))
    return tuple(seats)


def draw_furnishing(rng: np.random.Generator) -> Furnishing:
    wood = np.array([25, 45, 80]) * rng.uniform(0.3, 1.6)
    leather = np.full(3, rng.uniform(12, 60))
    rim = wood if rng.random() < 0.5 else leather
    floor = np.array([rng.uniform(10, 90), rng.uniform(10, 90), rng.uniform(10, 120)])
    side = 1 if rng.random() < 0.75 else -1
    papers = [
        (float(rng.uniform(-800, 800)), float(rng.uniform(-450, -250)))
        for _ in range(int(rng.integers(0, 3)))
    ]
    glasses = [
        (float(rng.uniform(-800, 800)), float(rng.uniform(-480, -380)))
        for _ in range(int(rng.integers(0, 3)))
    ]
    aside, back, lean = rng.uniform((430, 320, -60), (620, 400, 0))
    shoe = (float(side * aside), float(back), float(side * lean))
    dealer = Dealer(
        int(rng.integers(TORSO_STYLES)), float(rng.normal(0, 120)), float(rng.uniform(600, 720))
    )
    return Furnishing(
        seed=int(rng.integers(2**20)),
        rim=(float(rim[0]), float(rim[1]), float(rim[2])),
        floor=(float(floor[0]), float(floor[1]), float(floor[2])),
        tray=bool(rng.random() < 0.85),
        shoe=shoe if rng.random() < 0.8 else None,
        discards=(-side * float(rng.uniform(430, 620)), float(rng.uniform(320, 420)))
        if rng.random() < 0.6
        else None,
        papers=tuple(papers) if rng.random() < 0.3 else (),
        glasses=tuple(glasses) if rng.random() < 0.4 else (),
        dealer=dealer if rng.random() < 0.75 else None,
    )  # fmt: skip


def hand_zones(game: str, seats: Sequence[Seat]) -> dict[str, NDArray[np.float64]]:
    if game == "baccarat":
        return {"player": block(PLAYER_AT, 330, 210), "banker": block(BANKER_AT, 330, 210)}
    zones = {"dealer": block(DEALER_AT, 460, 150)}
    for seat in seats:
        zones[f"box{seat.number}"] = block((seat.x, seat.y), 185, 210, seat.turned)
    return zones


def draw_table(
    seed: int,
    *,
    kept_out: bool = False,
    size: tuple[int, int] = (1280, 720),
    game: str | None = None,
) -> Table:
    """A table whose camera sees all its hands."""
    rng = np.random.default_rng((seed, int(kept_out), 101))
    game = game or str(rng.choice(["blackjack", "baccarat"]))
    seats = draw_seats(rng, int(rng.integers(1, 8)) if game == "blackjack" else 0)
    zones = hand_zones(game, seats)
    corners = np.vstack(list(zones.values()))
    (left, near), (right, far) = corners.min(axis=0) - 40, corners.max(axis=0) + 40
    camera = draw_camera(rng, (left, near, right, far), size)
    return Table(
        game=game,
        zones=zones,
        camera=camera,
        sprites=sprites_of_deck(seed, kept_out=kept_out),
        ground=draw_felt(rng, kept_out=kept_out),
        seats=seats,
        furnishing=draw_furnishing(rng),
        light=draw_light(rng),
        filming=draw_filming(rng, steady=True),
    )
