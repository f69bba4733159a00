"""Films of lawful rounds, with decks, tables and cameras that are kept out of training.

    python -m tests.benchmarks.kept_out_films                        12 films of 3 rounds each
    python -m tests.benchmarks.kept_out_films --keep films --draw-only
    python -m tests.benchmarks.kept_out_films --keep films --models my-models
    python -m tests.benchmarks.kept_out_films --first 3 --films 1 --show

Every odd film is of baccarat, every even one of blackjack with one to four boxes that hit, stand,
double and split. Each is dealt by the rules, which an audit of what was dealt confirms, drawn as a
camera of 1280 × 720 pixels films it, and audited as `catwalk audit film.mp4 --table table.toml`
does. A film that is in the folder already is not drawn again: with --keep drawing and reading can
be stopped at any time, and other weights read the same films.

Prints film by film how the cards were read, the findings, and all of it against the goals. Some
cameras are so much out of focus that what they show is not legible by the measure that holds for
pictures: of their films, which are counted apart, it is only asked that nobody is accused. Ends
with 1 if there is a violation, for there is nothing to be found.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from audit.cards import RANKS
from audit.commands.audit import beside
from audit.errors import CatwalkError
from audit.hands import BANKER, PLAYER
from audit.observations import CallKind, WagerKind
from audit.rounds import rank_of
from audit.rulebook_files import rulebook
from audit.simulation import blackjack_table
from audit.simulation.baccarat_pay import winner
from audit.simulation.baccarat_table import deal_cards
from audit.simulation.blackjack_betting import BETTORS, Box, Seat
from audit.simulation.blackjack_setting import CallLog, Setting
from audit.simulation.blackjack_style import SENSIBLE
from audit.simulation.shoe import shuffled_shoe
from audit.simulation.stakes import cashier_for
from audit.table_sheet import plain_sheet
from tests.benchmarks.real_slideshows import BOOKS, WIDTH, audited
from vision.card_log import read_log
from vision.evaluation_scenes import LEAST_SHARPNESS
from vision.footage_truth import SURE_FROM, Outcome, compare, comparison_table, load_truth, together
from vision.synthetic.film_files import write_film
from vision.synthetic.film_scripts import (
    Deal,
    Gesture,
    Pause,
    RoundScript,
    Settle,
    Split,
    baccarat_script,
)
from vision.synthetic.film_tables import draw_film_table, least_sharpness, smallest_index
from vision.synthetic.film_truth import Sheet, write_film_folder
from vision.synthetic.films import Film, make_film
from vision.synthetic.sample_clips import LEAST_INDEX
from vision.synthetic.sample_rounds import HD, SHOE, STARTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from audit.rounds import Round
    from audit.simulation.shoe import Shoe
    from tests.benchmarks.real_slideshows import Found
    from vision.footage_truth import Compared, ComparedCard, LoggedCard, TrueCard
    from vision.synthetic.film_scripts import DealStep

SEED: Final = 880_000
"""Of the first film. Its deck, and those that may have to take its place, are nobody else's."""
DECKS: Final = 8
MOST_BOXES: Final = 4
FEW_RANKS: Final = 6
"""In the shoe of every third film, so that there is something to split, and copies of a card."""
STYLE: Final = replace(SENSIBLE, surrender=0.0, insure=0.0, even_money=0.0)
"""Nobody folds or insures a hand, of which the cards alone tell nothing."""
GESTURES: Final = (CallKind.HIT, CallKind.STAND, CallKind.DOUBLE)
GOAL_CARDS, GOAL_ROUNDS = 0.995, 0.98


@dataclass(frozen=True, slots=True)
class Wanted:
    """A film: its seed decides what is dealt, at which table, with which deck and camera."""

    seed: int
    rounds: int
    fps: int

    @property
    def game(self) -> str:
        return "baccarat" if self.seed % 2 else "blackjack"

    @property
    def name(self) -> str:
        return f"{self.seed}-{self.game}-{self.rounds}x{self.fps}"


# Rounds by the rules


def film_of(wanted: Wanted) -> Film:
    """Deal the rounds of a film at a table that is kept out of training."""
    rng = Random(wanted.seed)  # noqa: S311
    ranks = RANKS if rng.random() > 1 / 3 else rng.sample(RANKS, FEW_RANKS)
    shoe = shuffled_shoe(DECKS, rng, ranks=ranks)
    boxes = rng.randint(1, MOST_BOXES)
    scripts = [
        baccarat_round(shoe, number, rng)
        if wanted.game == "baccarat"
        else blackjack_round(shoe, number, boxes, rng)
        for number in range(1, wanted.rounds + 1)
    ]
    table = draw_film_table(
        wanted.seed, wanted.game, boxes=boxes, kept_out=True, size=HD, least_index=LEAST_INDEX
    )
    return make_film(wanted.seed, scripts, kept_out=True, table=table)


def baccarat_round(shoe: Shoe, number: int, rng: Random) -> RoundScript:
    """Deal a coup by the table of play, face up or, as often, face down and turned."""
    dealt = deal_cards(shoe)
    player, banker = ([seen for seen in dealt if seen.hand == hand] for hand in (PLAYER, BANKER))
    words = ["P", *(seen.card for seen in player), "/", "B", *(seen.card for seen in banker)]
    face_down = rng.random() < 0.5
    return baccarat_script(
        " ".join(map(str, words)),
        number=number,
        face_down=face_down,
        squeezed=face_down and rng.random() < 0.5,
        says=winner([*map(rank_of, player)], [*map(rank_of, banker)]),
        swept=rng.random() < 0.5,
    )


def blackjack_round(shoe: Shoe, number: int, boxes: int, rng: Random) -> RoundScript:
    """Deal a round to some of the boxes, played mostly as sensible people do."""
    book = rulebook(BOOKS["blackjack"])
    sheet = replace(plain_sheet(book.id, decks=DECKS), burn=0)
    cashier = cashier_for(book, sheet, rng, between_units=False)
    taken = sorted(rng.sample(range(1, boxes + 1), rng.randint(1, boxes)))
    setting = Setting(
        cashier=cashier,
        boxes=[Box(box, [Seat(BETTORS[box], cashier.stake(WagerKind.MAIN, rng))]) for box in taken],
        sides=[],
        refused=[],
        let_through=frozenset(),
        log=CallLog.EVERYTHING,
        names_who_decides=False,
        notes_when_settled=False,
        unsettled=0.0,
        style=STYLE,
    )
    played = blackjack_table.deal_round(shoe, book, sheet, rng, frozenset(), setting)
    if any(wager.kind is WagerKind.INSURANCE for wager in played.wagers):
        return blackjack_round(shoe, number, boxes, rng)  # another's, for which the dealer may draw
    pays = [
        Settle(f"box{wager.box}", pays=wager.net > 0)
        for wager in played.wagers
        if wager.kind is WagerKind.MAIN and wager.net
    ]
    steps = (*_steps(played, rng, shown=rng.random() < 0.5), Pause(0.6), *pays)
    return RoundScript(number, steps, tuple(f"box{box}" for box in taken), rng.random() < 0.3)


def _steps(played: Round, rng: Random, *, shown: bool) -> Iterator[DealStep]:
    """The cards in their order, each decision after as many of them as it was made after."""
    doubled = ""
    for place in range(len(played.cards) + 1):
        for call in played.calls:
            hand = str(call.hand)
            if call.after != place:
                continue
            if call.kind is CallKind.SPLIT:
                # A card is split when its player has seen it and has said so.
                yield Pause(rng.uniform(0.5, 1.5))
                yield Split(hand, call.value)
            elif call.kind in GESTURES:
                doubled = hand if call.kind is CallKind.DOUBLE else ""
                yield Gesture(hand, str(call.kind), shown=shown)
        if place < len(played.cards):
            seen = played.cards[place]
            yield Deal(str(seen.card), str(seen.hand), sideways=str(seen.hand) == doubled)
            doubled = ""


# Films


class Watched(Film):
    """A film that tells to which second it is drawn."""

    def __init__(self, film: Film, tell: Callable[[float], None]) -> None:
        super().__init__(film.seed, film.table, film.performance, film.take)
        self._tell = tell

    def frame(self, time: float) -> NDArray[np.uint8]:
        self._tell(time)
        return super().frame(time)


def drawn(folder: Path, wanted: Wanted, console: Console) -> Path:
    """The film with all that belongs to it in a folder of its own; drawn if it is not there."""
    own = folder / wanted.name
    clip = own / f"{wanted.name}.mp4"
    if clip.exists():
        return clip
    film = film_of(wanted)
    sheet = Sheet(wanted.name, BOOKS[wanted.game], STARTED, decks=DECKS, shoe=SHOE)
    length_s = write_film_folder(own, film, sheet).length_s
    check_lawful(own)
    begun = own / "begun.mp4"
    with _bar(console) as bar:
        task = bar.add_task(f"drawing {wanted.name}", total=length_s)
        write_film(begun, Watched(film, lambda at_s: bar.update(task, completed=at_s)), wanted.fps)
    begun.rename(clip)
    smallest = smallest_index(film.table)
    console.print(f"{wanted.name}: {length_s:.1f} s, indexes from {smallest:.1f} px")
    return clip


def check_lawful(folder: Path) -> None:
    """Make sure that an audit of what was dealt finds no violation."""
    database = folder / "dealt.duckdb"
    database.unlink(missing_ok=True)
    found = audited([folder / "shoe.csv", folder / "table.toml"], database)
    if unlawful := [finding for finding in found if finding.severity == "violation"]:
        sys.exit("not dealt by the rules: " + "; ".join(map(str, unlawful)))


def _bar(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


# Read, audited and compared


@dataclass(frozen=True, slots=True)
class Read:
    """What came out of a film."""

    legible: bool
    truth: tuple[TrueCard, ...]
    rows: tuple[LoggedCard, ...]
    found: tuple[Found, ...]

    @property
    def compared(self) -> Compared:
        return compare(self.truth, self.rows)

    def wrong_rounds(self) -> Iterator[str]:
        """Each round that is not entirely right, as it was dealt and as it was read."""
        for number in sorted({card.round for card in self.compared.faults}):
            dealt = [f"{card.hand}:{card.card}" for card in self.truth if card.round == number]
            read = [
                f"{row.hand}:{row.card}({row.confidence:.3f})"
                for row in self.rows
                if row.round == number
            ]
            yield f"round {number}\n   dealt {' '.join(dealt)}\n   read  {' '.join(read)}"


def read_clip(clip: Path, wanted: Wanted, models: Path | None) -> Read:
    """Audit a film, and take what was read of it from beside the database."""
    legible = least_sharpness(film_of(wanted).table) >= LEAST_SHARPNESS
    database = clip.with_name("read.duckdb")
    logs = beside(database, "footage")
    for stale in (database, *logs.glob("*")):
        stale.unlink(missing_ok=True)
    found = audited([clip, clip.with_name("table.toml")], database, models)
    (log,) = logs.glob("*.csv")
    truth = load_truth(clip.with_name("truth.csv"))
    return Read(legible, truth, tuple(read_log(log)), tuple(found))


def totals(films: Sequence[Read]) -> Iterator[str]:
    """All films against what is asked of them."""
    every = together(film.compared for film in films)
    misread = [card for card in every.cards if card.outcome is Outcome.MISREAD]
    made_up = [card for card in every.cards if card.outcome is Outcome.EXTRA]
    severities = Counter(finding.severity for film in films for finding in film.found)
    yield f"cards right    {_share(every.right, every.dealt)} (goal: {GOAL_CARDS:.1%})"
    yield f"rounds right   {_share(every.rounds_right, every.rounds)} (goal: {GOAL_ROUNDS:.0%})"
    yield f"misread        {_surest(misread)} (goal: below {SURE_FROM})"
    yield f"lost           {every.count(Outcome.MISSED)}"
    yield f"made up        {_surest(made_up)}"
    told = ", ".join(f"{number} {kind}" for kind, number in sorted(severities.items()))
    yield f"findings       {told or 'none'} (goal: no violation)"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}, {part / max(whole, 1):.2%}"


def _surest(cards: Sequence[ComparedCard]) -> str:
    surest = max((card.confidence or 0.0 for card in cards), default=0.0)
    return f"{len(cards)}, the surest {surest:.3f}" if cards else "none"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--films", type=int, default=12)
    parser.add_argument("--first", type=int, default=0, help="pass over so many films")
    parser.add_argument("--rounds", type=int, default=3, choices=range(1, 6), help="in each film")
    parser.add_argument("--fps", type=int, default=15, help="frames a second")
    parser.add_argument("--models", type=Path, help="a folder with weights of your own")
    parser.add_argument("--keep", type=Path, help="leave films, truth and logs in this folder")
    parser.add_argument("--draw-only", action="store_true", help="draw the films, read none")
    parser.add_argument("--show", action="store_true", help="print every round that is not right")
    given = parser.parse_args()
    if given.draw_only and given.keep is None:
        parser.error("--draw-only leaves nothing without --keep")
    with tempfile.TemporaryDirectory() as temporary:
        try:
            sys.exit(_benchmark(given, given.keep or Path(temporary)))
        except CatwalkError as problem:
            sys.exit(str(problem))


def _benchmark(given: argparse.Namespace, folder: Path) -> int:
    console = Console(width=WIDTH, highlight=False)
    films: dict[str, Read] = {}
    for seed in range(SEED + given.first, SEED + given.first + given.films):
        wanted = Wanted(seed, given.rounds, given.fps)
        clip = drawn(folder, wanted, console)
        if given.draw_only:
            continue
        with _bar(console) as bar:
            bar.add_task(f"reading {wanted.name}", total=None)
            read = films[wanted.name] = read_clip(clip, wanted, given.models)
        for wrong in read.wrong_rounds() if given.show else ():
            console.print(f"{wanted.name} {wrong}", soft_wrap=True)
        for finding in read.found:
            console.print(str(finding))
    if films:
        console.print(comparison_table({name: film.compared for name, film in films.items()}))
        for legible, kind in ((True, "legible"), (False, "out of focus")):
            some = [film for film in films.values() if film.legible is legible]
            if some:
                console.print(f"{len(some)} {kind}", *totals(some), sep="\n")
    return int(any(each.severity == "violation" for film in films.values() for each in film.found))


if __name__ == "__main__":
    main()
