"""Films of tables that nobody drew: slideshows of lawful rounds, stitched from real photos.

    python -m tests.benchmarks.real_slideshows                     with the photos of ../shared/data
    python -m tests.benchmarks.real_slideshows --data photos --films 12 --rounds 4
    python -m tests.benchmarks.real_slideshows --first 3 --films 1 --show --keep films

The ground is the part of a photo in which no card lies, mirrored where it is too small. Cards that
lie apart are cut out of photos along their outline and laid on it one by one, as large as a camera
over a table shows them, as crooked and in the light in which they were photographed. Each stays as
it is for a good second, the next is a cut away; then the table is cleared. By `val/phone_photos`
rank and suit of a card are known, by `val/rank_photos` its rank alone, so a card of those is right
if its rank is.

Each film is audited as `catwalk audit film.mp4` does. As every round is dealt by the rules, which
an audit of what was dealt confirms, no violation may be found. Prints how the cards were read, the
findings, and ends with 1 if there is a violation.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

import av
import cv2
import duckdb
import numpy as np
from rich.console import Console

from audit.cards import SUITS, Rank
from audit.commands.audit import audit, beside
from audit.errors import CatwalkError
from audit.rulebook_files import rulebook
from audit.rules import baccarat
from audit.rules.blackjack import dealer, hands
from tests.benchmarks.real_cards import SIZE, cut_cards, grounds_of, table_of
from vision.audit_films import AuditFilms
from vision.card_log import read_log
from vision.footage_truth import UNREAD, TrueCard, compare, comparison_table
from vision.labelled_folder import read_labelled_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tests.benchmarks.real_cards import RealCard
    from vision.boxes import Image
    from vision.card_log import LogRow
    from vision.footage_truth import Compared

DATA: Final = Path(__file__).parents[3] / "shared" / "data"
DECKS: Final = ("phone_photos", "rank_photos")
"""The folders of photos, each with cards of its own."""
FPS: Final = 25
HELD_S: Final = 1.2
EMPTY_S: Final = 2.4
SHOE: Final = "S001"
WIDTH: Final = 130
"""Of what is printed."""
MOST_IN_ROUND: Final = 20
FEWEST_CARDS: Final = 20

LENGTHS: Final = {"baccarat": (110, 160), "blackjack": (100, 125)}
"""Of a card, in pixels; its index is at least a sixth of that."""
SPREADS: Final = (0.62, 1.1)
BOOKS: Final = {"baccarat": "mbs-fortune-six-baccarat-v6", "blackjack": "mbs-blackjack-v6"}
ZONES: Final[Mapping[str, Mapping[str, tuple[int, int, int, int]]]] = {
    "baccarat": {"player": (40, 190, 610, 640), "banker": (670, 190, 1240, 640)},
    "blackjack": {
        "dealer": (340, 20, 940, 310),
        "box1": (860, 370, 1260, 710),
        "box2": (440, 370, 840, 710),
        "box3": (20, 370, 420, 710),
    },
}
BOXES: Final = ("box1", "box2", "box3")

_NOISE: Final = 2.0


# Rounds by the rules


@dataclass(frozen=True, slots=True, eq=False)
class Dealt:
    """A card and the hand to which it goes."""

    card: RealCard
    hand: str

    @property
    def rank(self) -> Rank:
        return Rank(self.card.name[0])


def baccarat_round(stack: list[RealCard]) -> tuple[Dealt, ...]:
    """Deal a coup off the stack by the table of play."""
    dealt = [Dealt(stack.pop(), str(hand)) for hand in baccarat.INITIAL_ORDER]
    if baccarat.player_draws(_coup(dealt)):
        dealt.append(Dealt(stack.pop(), "player"))
    if baccarat.banker_draws(_coup(dealt)):
        dealt.append(Dealt(stack.pop(), "banker"))
    return tuple(dealt)


def _coup(dealt: Sequence[Dealt]) -> baccarat.Coup:
    return baccarat.Coup(_ranks(dealt, "player"), _ranks(dealt, "banker"))


def blackjack_round(stack: list[RealCard]) -> tuple[Dealt, ...]:
    """Deal a round in which boxes draw to 12, so none of them busts, and the dealer as he must."""
    book = rulebook(BOOKS["blackjack"])
    order = (*BOXES, "dealer", *BOXES)
    dealt = [Dealt(stack.pop(), hand) for hand in order]
    for box in BOXES:
        while hands.point_total(_ranks(dealt, box)) < 12:
            dealt.append(Dealt(stack.pop(), box))
    if all(hands.is_ace_and_ten(_ranks(dealt, box)) for box in BOXES):
        return blackjack_round(stack)  # what the dealer then does hangs on wagers
    while dealer.dealer_draws(_ranks(dealt, "dealer"), dealer.Need.WHOLE_HAND, book):
        dealt.append(Dealt(stack.pop(), "dealer"))
    return tuple(dealt)


def _ranks(dealt: Sequence[Dealt], hand: str) -> tuple[Rank, ...]:
    return tuple(each.rank for each in dealt if each.hand == hand)


# Slideshows


@dataclass(frozen=True, slots=True, eq=False)
class Slideshow:
    """Some rounds at one table."""

    number: int
    game: str
    deck: str
    table: Image
    length: int
    """Of each card, in pixels."""
    spread: float
    """From card to card of a hand, by that length: they lie apart, or partly on one another."""
    rounds: tuple[tuple[Dealt, ...], ...]

    @property
    def name(self) -> str:
        return f"{self.number:03d}-{self.game}-{self.deck.partition('_')[0]}"


def slideshow_of(
    number: int,
    cards: Mapping[str, Sequence[RealCard]],
    grounds: Sequence[Image],
    rounds: int,
) -> Slideshow:
    """Deal some rounds; the number decides all of it."""
    rng = Random(number)  # noqa: S311
    deck = DECKS[number % len(DECKS)]
    game = "blackjack" if number % 3 == 0 else "baccarat"
    length = rng.randint(*LENGTHS[game])
    large = [card for card in cards[deck] if card.length >= length]
    if len(large) < FEWEST_CARDS:
        sys.exit(f"only {len(large)} cards of {deck} lie apart and are large enough")
    stack: list[RealCard] = []
    while len(stack) < MOST_IN_ROUND * rounds:
        stack += rng.sample(large, len(large))
    deal = baccarat_round if game == "baccarat" else blackjack_round
    return Slideshow(
        number,
        game,
        deck,
        table_of(rng.choice(grounds)),
        length,
        rng.uniform(*SPREADS),
        tuple(deal(stack) for _ in range(rounds)),
    )


def slides(show: Slideshow) -> Iterator[tuple[Image, float]]:
    """Each picture with the seconds for which it is shown."""
    rng = Random(show.number)  # noqa: S311
    yield show.table, EMPTY_S
    for dealt in show.rounds:
        picture = show.table.copy()
        laid = dict.fromkeys(ZONES[show.game], 0)
        for each in dealt:
            held = _ranks(dealt, each.hand)
            x, y = place_of(ZONES[show.game][each.hand], laid[each.hand], len(held), show)
            x, y = x + rng.uniform(-6, 6), y + rng.uniform(-10, 10)
            laid[each.hand] += 1
            picture = lay(picture, each.card, (round(x), round(y)), show.length)
            yield picture, HELD_S
        yield picture, HELD_S
        yield show.table, EMPTY_S


def place_of(
    zone: tuple[int, int, int, int], nth: int, of: int, show: Slideshow
) -> tuple[float, float]:
    """Where the middle of a hand's nth card lies: in a row, closer where many have to fit."""
    left, top, right, bottom = zone
    room = (right - left) - 1.25 * show.length
    step = min(show.spread * show.length, room / max(of - 1, 1))
    return (left + right) / 2 + (nth - (of - 1) / 2) * step, (top + bottom) / 2


def lay(picture: Image, card: RealCard, middle: tuple[int, int], length: int) -> Image:
    """Lay a card on a picture; it is never enlarged, for that would blur it."""
    by = length / card.length
    small = np.asarray(cv2.resize(card.picture, None, fx=by, fy=by, interpolation=cv2.INTER_AREA))
    inside = np.asarray(cv2.resize(card.inside, small.shape[1::-1], interpolation=cv2.INTER_AREA))
    height, width = small.shape[:2]
    left, top = middle[0] - width // 2, middle[1] - height // 2
    share = inside[..., None].astype(np.float32) / 255
    laid = picture.copy()
    under = laid[top : top + height, left : left + width]
    under[:] = np.round(share * small + (1 - share) * under).astype(np.uint8)
    return laid


def write_film(path: Path, show: Slideshow) -> float:
    """Write a slideshow as a camera films it, and return its seconds."""
    rng = np.random.default_rng(show.number)
    noises = [rng.normal(0, _NOISE, SIZE[::-1]).astype(np.int16) for _ in range(7)]
    written = 0
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=FPS)
        stream.width, stream.height = SIZE
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": "23", "preset": "veryfast"}
        stream.codec_context.time_base = Fraction(1, FPS)
        for picture, seconds in slides(show):
            planes = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2YUV_I420), np.uint8)
            luma = planes[: SIZE[1]].astype(np.int16)
            for _ in range(round(seconds * FPS)):
                planes[: SIZE[1]] = np.clip(luma + noises[written % len(noises)], 0, 255)
                frame = av.VideoFrame.from_ndarray(planes, format="yuv420p")
                frame.pts, frame.time_base = written, Fraction(1, FPS)
                container.mux(stream.encode(frame))
                written += 1
        container.mux(stream.encode(None))
    return written / FPS


def table_sheet(show: Slideshow) -> str:
    """The sheet of a table at which nothing is burnt."""
    zones = "\n".join(
        f"{name} = [[{left}, {top}], [{right}, {top}], [{right}, {bottom}], [{left}, {bottom}]]"
        for name, (left, top, right, bottom) in ZONES[show.game].items()
    )
    return f"""\
table    = "{show.name}"
timezone = "Asia/Singapore"
decks    = 8
burn     = 0

[[game]]
rulebook = "{BOOKS[show.game]}"
from     = 2026-03-09T00:00:00+08:00

[camera]
frame = [{SIZE[0]}, {SIZE[1]}]
[camera.zones]
{zones}
"""


def true_cards(show: Slideshow) -> tuple[TrueCard, ...]:
    """What was dealt, in its order."""
    dealt = [(number, each) for number, cards in enumerate(show.rounds, 1) for each in cards]
    return tuple(
        TrueCard(number, seq, each.card.name, each.hand)
        for seq, (number, each) in enumerate(dealt, 1)
    )


def write_true_log(path: Path, show: Slideshow) -> None:
    """What a shoe would have logged; where nobody noted the suits, it is any."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("ts", "table_id", "shoe", "round", "seq", "card", "hand"))
        for card in true_cards(show):
            name = card.card if len(card.card) > 1 else card.card + SUITS[card.seq % len(SUITS)]
            stamp = f"2026-03-09T20:{card.seq // 60:02d}:{card.seq % 60:02d}+08:00"
            writer.writerow((stamp, show.name, SHOE, card.round, card.seq, name, card.hand))


# Read, audited and compared


@dataclass(frozen=True, slots=True)
class Found:
    """A finding of an audit."""

    table_id: str
    round: int
    code: str
    severity: str
    expected: str
    observed: str
    confidence: float

    def __str__(self) -> str:
        return (
            f"{self.table_id} round {self.round}: {self.severity} {self.code} "
            f"({self.confidence:.2f}): {self.expected}; {self.observed}"
        )


def audited(inputs: Sequence[Path], database: Path, models: Path | None = None) -> list[Found]:
    """Audit some files as `catwalk audit` does, and return what was found."""
    words = [*map(str, inputs), "--db", str(database), "--jobs", "1", "--quiet"]
    words += ["--models", str(models)] if models else []
    with contextlib.suppress(SystemExit):  # whether there are violations; the database tells
        audit.main(words, "audit", standalone_mode=False, obj=lambda: AuditFilms(again=True))
    with duckdb.connect(str(database), read_only=True) as connection:
        rows = connection.execute(
            "SELECT table_id, coalesce(round, 0), code, severity, expected, observed, confidence "
            "FROM standing ORDER BY table_id, round, code, finding_id"
        ).fetchall()
    return [Found(*row) for row in rows]


def compared_with(show: Slideshow, rows: Sequence[LogRow]) -> Compared:
    """Compare what was read with what was dealt, by rank alone where only ranks are known."""
    truth = true_cards(show)
    if all(len(card.card) == 1 for card in truth):
        rows = [row if row.card == UNREAD else replace(row, card=row.card[0]) for row in rows]
    return compare(truth, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA, help="a folder with val/phone_photos")
    parser.add_argument("--films", type=int, default=6)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3, choices=range(1, 5), help="in each film")
    parser.add_argument("--models", type=Path, help="a folder with weights of your own")
    parser.add_argument("--keep", type=Path, help="leave films, logs and database in this folder")
    parser.add_argument("--show", action="store_true", help="print every card that is not right")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for stale in (*folder.glob("*/*.duckdb"), *folder.glob("*/*.duckdb.footage/*")):
            stale.unlink()
        try:
            sys.exit(_benchmark(given, folder))
        except CatwalkError as problem:
            sys.exit(str(problem))


def _benchmark(given: argparse.Namespace, folder: Path) -> int:
    console = Console(width=WIDTH, highlight=False)
    photos = {deck: read_labelled_folder(given.data / "val" / deck) for deck in DECKS}
    cards = {deck: cut_cards(each) for deck, each in photos.items()}
    grounds = [ground for each in photos.values() for ground in grounds_of(each)]
    told = ", ".join(f"{len(each)} of {deck}" for deck, each in cards.items())
    console.print(f"cards cut out: {told}; {len(grounds)} grounds")
    compared: dict[str, Compared] = {}
    found: list[Found] = []
    length_s = took_s = 0.0
    for number in range(given.first, given.first + given.films):
        show = slideshow_of(number, cards, grounds, given.rounds)
        film = folder / show.name / f"{show.name}.mp4"
        film.parent.mkdir(exist_ok=True)
        length_s += write_film(film, show)
        _check_lawful(show, film.parent)
        began = time.perf_counter()
        database = film.parent / "read.duckdb"
        own = audited([film, film.parent / "table.toml"], database, given.models)
        took_s += time.perf_counter() - began
        (log,) = beside(database, "footage").glob("*.csv")
        compared[show.name] = compared_with(show, read_log(log))
        found += own
        for fault in compared[show.name].faults if given.show else ():
            console.print(f"{show.name} {fault}")
        for finding in own:
            console.print(str(finding))
    console.print(comparison_table(compared))
    violations = sum(each.severity == "violation" for each in found)
    reviews = sum(each.severity == "review" for each in found)
    console.print(
        f"{length_s:.0f} s of film read and audited in {took_s:.0f} s: "
        f"{violations} violations, {reviews} reviews"
    )
    return 1 if violations else 0


def _check_lawful(show: Slideshow, folder: Path) -> None:
    """Write what was dealt and the table's sheet, and make sure that the audit finds no fault."""
    write_true_log(folder / "dealt.csv", show)
    (folder / "table.toml").write_text(table_sheet(show), "utf-8")
    inputs = [folder / "dealt.csv", folder / "table.toml"]
    if unlawful := audited(inputs, folder / "dealt.duckdb"):
        sys.exit("not dealt by the rules: " + "; ".join(map(str, unlawful)))


if __name__ == "__main__":
    main()
