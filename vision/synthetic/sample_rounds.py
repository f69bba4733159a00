"""The rounds of the sample clips: what is dealt, wagered and paid, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final

from vision.synthetic.cameras import View
from vision.synthetic.film_scripts import (
    Deal,
    DealStep,
    RoundScript,
    baccarat_script,
    blackjack_script,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

SHOE: Final = "S001"
STARTED: Final = datetime(2026, 3, 9, 20, 0, tzinfo=timezone(timedelta(hours=8)))
FORTUNE_SIX: Final = "mbs-fortune-six-baccarat-v6"
HD: Final = (1280, 720)
FULL_HD: Final = (1920, 1080)


@dataclass(frozen=True, slots=True)
class LightKind:
    tint: tuple[float, float, float]  # gain of blue, green and red
    level: float


WHITE: Final = LightKind((1.02, 1.0, 0.98), 1.08)
WARM: Final = LightKind((0.86, 0.99, 1.12), 0.98)
DIM: Final = LightKind((0.93, 1.0, 1.05), 0.66)


@dataclass(frozen=True, slots=True)
class Bet:
    """A row of the ledger."""

    round: int
    bettor: str
    wager: str
    stake: str
    net: str
    box: str = ""
    hand: str = ""


@dataclass(frozen=True, slots=True)
class Expected:
    """What an audit has to find."""

    round: int
    code: str
    severity: str
    what: str


@dataclass(frozen=True, slots=True)
class NeverLaid:
    """A card that the shoe read after another one, and that never came to the table."""

    after_seq: int
    card: str


@dataclass(frozen=True, slots=True)
class Sample:
    name: str
    about: str
    table_id: str
    dealer: str
    rulebook: str
    seed: int
    view: View
    light: LightKind
    rounds: tuple[RoundScript, ...]
    bets: tuple[Bet, ...]
    number: int  # of the evening's clips: each begins ten minutes after the one before
    expected: tuple[Expected, ...] = ()
    never_laid: tuple[NeverLaid, ...] = ()
    with_shoe_log: bool = False  # what is wrong shows only beside the shoe's log
    limits: str = ""
    boxes: int = 3
    size: tuple[int, int] = HD
    fps: int = 30
    crf: int = 23
    suffix: str = ".mp4"
    variable: bool = False

    @property
    def game(self) -> str:
        return "baccarat" if "baccarat" in self.rulebook else "blackjack"

    @property
    def clip(self) -> str:
        return f"{self.name}{self.suffix}"

    @property
    def started(self) -> datetime:
        return STARTED + timedelta(minutes=10 * self.number)

    @property
    def logs(self) -> tuple[str, ...]:
        """What an audit is given besides the clip."""
        logs = ("ledger.csv", "calls.csv")
        return (*logs, "shoe.csv") if self.with_shoe_log else logs


BACCARAT_LIMITS: Final = """\
[limits]
player = { min = "50.00", max = "5000.00" }
banker = { min = "50.00", max = "5000.00" }
tie    = { min = "10.00", max = "500.00" }"""
BLACKJACK_LIMITS: Final = """\
[limits]
main = { min = "25.00", max = "2000.00" }"""

ABOVE: Final = View(84, 3, 1, 38)
STRAIGHT_DOWN: Final = View(88, -4, -1.5, 46)
PLAYERS_SIDE: Final = View(52, -6, 0.5, 36)
PLAYERS_LEFT: Final = View(47, 14, -0.8, 40)


def _misdealt(script: RoundScript) -> RoundScript:
    """The first four cards two and two, not in turn."""
    first = [step for step in script.steps if isinstance(step, Deal)][:4]
    two_and_two = sorted(first, key=lambda step: step.hand, reverse=True)
    rest = [step for step in script.steps if step not in first]
    return replace(script, steps=(*two_and_two, *rest))


def _read_as(script: RoundScript, cards: Mapping[str, str]) -> RoundScript:
    """The round with other cards in the shoe's log: by the name of the card that is laid."""
    steps: list[DealStep] = [
        replace(step, read_by_shoe=cards[step.card])
        if isinstance(step, Deal) and step.card in cards
        else step
        for step in script.steps
    ]
    return replace(script, steps=tuple(steps))


BACCARAT_CLEAN: Final = Sample(
    name="baccarat-clean",
    about="Baccarat as it should be: a natural with a pair, third cards, a six paid twelve.",
    table_id="BAC-11",
    dealer="D-101",
    rulebook=FORTUNE_SIX,
    seed=710132,
    view=ABOVE,
    light=WHITE,
    number=0,
    limits=BACCARAT_LIMITS,
    rounds=(
        baccarat_script("P 4H 4C / B KD 7S", number=1, says="player"),
        baccarat_script("P 2S KC 6D / B 3D 9H 4S", number=2, says="player"),
        baccarat_script("P KH 5D 9S / B 9C 7C", number=3, says="banker", swept=True),
    ),
    bets=(
        Bet(1, "P-01", "player", "100.00", "100.00"),
        Bet(1, "P-01", "player_pair", "20.00", "220.00"),
        Bet(1, "P-02", "banker", "50.00", "-50.00"),
        Bet(2, "P-01", "player", "100.00", "100.00"),
        Bet(2, "P-02", "banker", "200.00", "-200.00"),
        Bet(2, "P-03", "tie", "10.00", "-10.00"),
        Bet(3, "P-01", "player", "50.00", "-50.00"),
        Bet(3, "P-02", "banker", "100.00", "95.00"),
        Bet(3, "P-03", "fortune6", "10.00", "120.00"),
    ),
)

SKIPPED_DRAW: Final = Sample(
    name="skipped-draw",
    about="Third cards that are not drawn: the player's on 5, the banker's on 3 against a 7.",
    table_id="BAC-12",
    dealer="D-102",
    rulebook=FORTUNE_SIX,
    seed=710225,
    view=PLAYERS_SIDE,
    light=WARM,
    number=1,
    limits=BACCARAT_LIMITS,
    rounds=(
        baccarat_script("P 2D 3H / B KS 6H", number=1, says="banker", swept=True),
        baccarat_script("P QD 4C 7S / B JC 3S", number=2, says="banker"),
    ),
    bets=(
        Bet(1, "P-04", "player", "100.00", "-100.00"),
        Bet(1, "P-05", "banker", "200.00", "190.00"),
        Bet(2, "P-04", "player", "100.00", "-100.00"),
        Bet(2, "P-05", "banker", "200.00", "190.00"),
    ),
    expected=(
        Expected(1, "DRW001", "violation", "the player hand stays on 5 without a third card"),
        Expected(2, "DRW003", "violation", "the banker hand stays on 3 against a seven"),
    ),
)

FORBIDDEN_DRAW: Final = Sample(
    name="forbidden-draw",
    about="Cards that may not be drawn: the banker's on 6 against a 2, the player's on 6.",
    table_id="BAC-13",
    dealer="D-103",
    rulebook=FORTUNE_SIX,
    seed=710340,
    view=PLAYERS_LEFT,
    light=DIM,
    number=2,
    limits=BACCARAT_LIMITS,
    fps=25,
    suffix=".mkv",
    rounds=(
        baccarat_script("P TD 5C 2H / B AS 5D 3D", number=1, says="banker"),
        baccarat_script("P KC 6D 9H / B 7H QS", number=2, says="banker"),
    ),
    bets=(
        Bet(1, "P-06", "player", "100.00", "-100.00"),
        Bet(1, "P-07", "banker", "300.00", "285.00"),
        Bet(2, "P-06", "player", "100.00", "-100.00"),
        Bet(2, "P-07", "banker", "100.00", "95.00"),
    ),
    expected=(
        Expected(1, "DRW004", "violation", "the banker hand draws on 6 against a two"),
        Expected(2, "DRW002", "violation", "the player hand draws on 6"),
    ),
)

MISDEAL: Final = Sample(
    name="misdeal",
    about="Cards laid face down and squeezed by players; in one round not dealt in turn.",
    table_id="BAC-14",
    dealer="D-104",
    rulebook=FORTUNE_SIX,
    seed=710456,
    view=PLAYERS_SIDE,
    light=WHITE,
    number=3,
    limits=BACCARAT_LIMITS,
    rounds=(
        baccarat_script(
            "P 8C 9D / B JS 5S 2D", number=1, face_down=True, squeezed=True, says="tie"
        ),
        _misdealt(baccarat_script("P QC 8H / B 3H 3D", number=2, face_down=True, says="player")),
    ),
    bets=(
        Bet(1, "P-08", "player", "100.00", "0.00"),
        Bet(1, "P-09", "tie", "20.00", "160.00"),
        Bet(2, "P-08", "player", "500.00", "500.00"),
        Bet(2, "P-09", "banker", "50.00", "-50.00"),
    ),
    expected=(
        Expected(2, "DEA001", "violation", "two cards to the player hand, then two to the banker"),
    ),
)

WRONG_PAYOUT: Final = Sample(
    name="wrong-payout",
    about="A tie paid nine to one, a banker win paid without commission.",
    table_id="BAC-15",
    dealer="D-105",
    rulebook=FORTUNE_SIX,
    seed=710508,
    view=STRAIGHT_DOWN,
    light=WARM,
    number=4,
    limits=BACCARAT_LIMITS,
    rounds=(
        baccarat_script("P 6S 3S / B 9H KS", number=1, says="tie"),
        baccarat_script("P 2C 4D / B 8S 9C", number=2, says="banker"),
    ),
    bets=(
        Bet(1, "P-10", "tie", "50.00", "450.00"),
        Bet(1, "P-11", "player", "100.00", "0.00"),
        Bet(2, "P-10", "banker", "200.00", "200.00"),
        Bet(2, "P-11", "player", "100.00", "-100.00"),
    ),
    expected=(
        Expected(1, "PAY001", "violation", "a tie paid nine to one: the house gave away 50.00"),
        Expected(2, "PAY008", "violation", "no commission taken: the house gave away 10.00"),
    ),
)

BLACKJACK_CLEAN: Final = Sample(
    name="blackjack-clean",
    about="Blackjack as it should be: eights split and one of them doubled, a blackjack, a bust.",
    table_id="BJ-21",
    dealer="D-106",
    rulebook="mbs-blackjack-v6",
    seed=710651,
    view=PLAYERS_SIDE,
    light=WHITE,
    number=5,
    limits=BLACKJACK_LIMITS,
    size=FULL_HD,
    crf=25,
    rounds=(
        blackjack_script(
            "1 8H 8D split TC stand / 1.2 3C double 9S / 2 KS 9H stand / 3 5D 6C double TH / "
            "D 7C TD",
            number=1,
            pays={"box1": True, "box2": True, "box3": True},
        ),
        blackjack_script(
            "1 AS KD / 2 TC 6D hit 9C / D 8S",
            number=2,
            pays={"box1": True, "box2": False},
        ),
    ),
    bets=(
        Bet(1, "P-12", "main", "100.00", "100.00", "1", "box1"),
        Bet(1, "P-12", "split", "100.00", "100.00", "1", "box1.2"),
        Bet(1, "P-12", "double", "100.00", "100.00", "1", "box1.2"),
        Bet(1, "P-13", "main", "50.00", "50.00", "2", "box2"),
        Bet(1, "P-14", "main", "75.00", "75.00", "3", "box3"),
        Bet(1, "P-14", "double", "75.00", "75.00", "3", "box3"),
        Bet(2, "P-12", "main", "100.00", "150.00", "1", "box1"),
        Bet(2, "P-13", "main", "50.00", "-50.00", "2", "box2"),
    ),
)

DEALER_DRAW: Final = Sample(
    name="dealer-draw",
    about="A dealer who draws on 17 and takes the winners' chips, then stands on 16.",
    table_id="BJ-22",
    dealer="D-107",
    rulebook="mbs-blackjack-v6",
    seed=710741,
    view=ABOVE,
    light=WARM,
    number=6,
    limits=BLACKJACK_LIMITS,
    boxes=2,
    rounds=(
        blackjack_script(
            "1 TS 9D stand / 2 QH 8C stand / D TD 7S 4H",
            number=1,
            pays={"box1": False, "box2": False},
        ),
        blackjack_script(
            "1 JC 7H stand / 2 5S 6H double KH / D 9S 7D",
            number=2,
            pays={"box1": True, "box2": True},
        ),
    ),
    bets=(
        Bet(1, "P-15", "main", "200.00", "-200.00", "1", "box1"),
        Bet(1, "P-16", "main", "100.00", "-100.00", "2", "box2"),
        Bet(2, "P-15", "main", "200.00", "200.00", "1", "box1"),
        Bet(2, "P-16", "main", "100.00", "100.00", "2", "box2"),
        Bet(2, "P-16", "double", "100.00", "100.00", "2", "box2"),
    ),
    expected=(
        Expected(1, "DRW011", "violation", "the dealer draws on 17"),
        Expected(2, "DRW010", "violation", "the dealer stands on 16"),
    ),
)

BOX_SKIPPED: Final = Sample(
    name="box-skipped",
    about="A box with a wager that gets no cards, and a blackjack that is paid one to one.",
    table_id="BJ-23",
    dealer="D-108",
    rulebook="rws-blackjack-v5",
    seed=710818,
    view=PLAYERS_LEFT,
    light=WHITE,
    number=7,
    limits=BLACKJACK_LIMITS,
    suffix=".mov",
    variable=True,
    rounds=(
        blackjack_script(
            "1 AC QD / 2 TH 7C stand / 3 9H 2C hit TD stand / D 6H 9S 5C",
            number=1,
            pays={"box1": True, "box2": False, "box3": True},
        ),
        replace(
            blackjack_script(
                "1 KC 8S stand / 3 JH 9C stand / D 7D QC",
                number=2,
                pays={"box1": True, "box3": True},
            ),
            wagers=("box1", "box2", "box3"),
        ),
    ),
    bets=(
        Bet(1, "P-17", "main", "100.00", "100.00", "1", "box1"),
        Bet(1, "P-18", "main", "50.00", "-50.00", "2", "box2"),
        Bet(1, "P-19", "main", "50.00", "50.00", "3", "box3"),
        Bet(2, "P-17", "main", "100.00", "100.00", "1", "box1"),
        Bet(2, "P-18", "main", "50.00", "0.00", "2", "box2"),
        Bet(2, "P-19", "main", "50.00", "50.00", "3", "box3"),
    ),
    expected=(
        Expected(1, "PAY013", "violation", "a blackjack paid one to one"),
        Expected(2, "DEA011", "violation", "box 2 has a wager and gets no cards"),
    ),
)

SWITCHED_CARD: Final = Sample(
    name="switched-card",
    about="Beside the shoe's log: a card switched, two out of order, one that never was laid.",
    table_id="BAC-16",
    dealer="D-109",
    rulebook=FORTUNE_SIX,
    seed=710918,
    view=ABOVE,
    light=DIM,
    number=8,
    limits=BACCARAT_LIMITS,
    with_shoe_log=True,
    rounds=(
        _read_as(baccarat_script("P QS 3H 5C / B 4D 2D", number=1, says="player"), {"5C": "JD"}),
        _read_as(
            baccarat_script("P 8S TC / B 5H AD", number=2, says="player"),
            {"TC": "AD", "AD": "TC"},
        ),
        baccarat_script("P 9C 7S / B KH 7H", number=3, says="banker"),
    ),
    never_laid=(NeverLaid(10, "2S"),),
    bets=(
        Bet(1, "P-20", "player", "1000.00", "1000.00"),
        Bet(1, "P-21", "banker", "100.00", "-100.00"),
        Bet(2, "P-20", "player", "500.00", "500.00"),
        Bet(2, "P-21", "banker", "100.00", "-100.00"),
        Bet(3, "P-20", "player", "100.00", "-100.00"),
        Bet(3, "P-21", "banker", "100.00", "95.00"),
    ),
    expected=(
        Expected(1, "SRC004", "review", "the shoe read a jack, a five lies on the table"),
        Expected(2, "SRC006", "review", "two cards lie in each other's place"),
        Expected(3, "SRC005", "review", "the shoe read a two that never came to the table"),
    ),
)

SAMPLES: Final = (
    BACCARAT_CLEAN,
    SKIPPED_DRAW,
    FORBIDDEN_DRAW,
    MISDEAL,
    WRONG_PAYOUT,
    BLACKJACK_CLEAN,
    DEALER_DRAW,
    BOX_SKIPPED,
    SWITCHED_CARD,
)
