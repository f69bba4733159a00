"""The three logs, column by column, and how a file is told to be one of them."""

from dataclasses import dataclass

import polars as pl

from audit.cards import parse_card, parse_known_card
from audit.errors import BadInput
from audit.hands import parse_hand
from audit.observations import WagerKind, parse_call_kind
from audit.sources.amounts import amount, stake
from audit.sources.converting import Convert, number, text, whole_number, word
from audit.sources.moments import MOMENT
from audit.toml_section import did_you_mean

GREATEST_COUNT = 999_999_999
"""Rounds and cards are counted; a shoe that is never ended counts on for years."""
GREATEST_SEAT = 16
_LONGEST_FILM = 10.0**9


def parse_wager_of_any_game(name: str) -> WagerKind:
    """Read a kind of wager that blackjack or baccarat knows."""
    kind = name.strip().lower()
    if kind not in set(WagerKind):
        hint = did_you_mean(kind, WagerKind)
        raise BadInput(f"{name!r} is a wager of neither blackjack nor baccarat{hint}")
    return WagerKind(kind)


def parse_alternatives(readings: str) -> str:
    """Read other readings of a card with their probabilities, `9H:0.21 6H:0.02`."""
    odds: dict[str, float] = {}
    for reading in readings.split():
        name, _, share = reading.partition(":")
        card = str(parse_known_card(name))
        try:
            odds[card] = float(share)
        except ValueError:
            raise BadInput(
                f"{reading!r} is not a card and its probability: write 9H:0.21"
            ) from None
        if not 0 <= odds[card] <= 1:
            raise BadInput(f"the probability of {reading!r} is not within 0 to 1")
    if len(odds) < len(readings.split()):
        raise BadInput("it names a card twice")
    if sum(odds.values()) > 1 + 1e-6:
        raise BadInput("its probabilities are more than 1 together")
    return " ".join(f"{card}:{share}" for card, share in odds.items())


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    dtype: pl.DataType
    convert: Convert | None = None
    """None: a time, which needs its table's timezone to be read."""
    needed: bool = False
    """The file must have it, and no row may leave it empty."""
    when_empty: str | float | None = None


@dataclass(frozen=True, slots=True)
class Log:
    """A kind of input."""

    frame: str
    title: str
    told_by: tuple[str, ...]
    """The columns that no other log has."""
    columns: tuple[Column, ...]

    @property
    def schema(self) -> dict[str, pl.DataType]:
        """The columns of its frame: its own, and where each row comes from."""
        own = {column.name: column.dtype for column in self.columns}
        return own | {"source": pl.String(), "row": pl.Int64()}

    @property
    def content(self) -> list[str]:
        """The columns that say what a row says, wherever it was read."""
        return [column.name for column in self.columns]


_TEXT, _WHOLE, _NUMBER = pl.String(), pl.Int64(), pl.Float64()
_count = whole_number(1, GREATEST_COUNT)
_hand = word(parse_hand)

CARDS = Log(
    "cards",
    "card log",
    ("card", "seq"),
    (
        Column("table_id", _TEXT, text, needed=True),
        Column("shoe", _TEXT, text, needed=True),
        Column("round", _WHOLE, _count),
        Column("seq", _WHOLE, _count, needed=True),
        Column("ts", MOMENT, needed=True),
        Column("card", _TEXT, word(parse_card), needed=True),
        Column("hand", _TEXT, _hand),
        Column("confidence", _NUMBER, number(0, 1), when_empty=1.0),
        Column("alternatives", _TEXT, word(parse_alternatives)),
        Column("at_s", _NUMBER, number(0, _LONGEST_FILM)),
        Column("footage", _TEXT, text),
        Column("doubt", _TEXT, text),
    ),
)
WAGERS = Log(
    "wagers",
    "bet ledger",
    ("wager", "stake"),
    (
        Column("table_id", _TEXT, text, needed=True),
        Column("shoe", _TEXT, text, needed=True),
        Column("round", _WHOLE, _count),
        Column("box", _WHOLE, whole_number(1, GREATEST_SEAT)),
        Column("bettor", _TEXT, text, needed=True),
        Column("wager", _TEXT, word(parse_wager_of_any_game), needed=True),
        Column("hand", _TEXT, _hand),
        Column("stake", _WHOLE, stake, needed=True),
        Column("net", _WHOLE, amount),
        Column("placed_at", MOMENT),
        Column("settled_at", MOMENT),
        Column("on_behalf_of", _TEXT, text),
    ),
)
CALLS = Log(
    "calls",
    "call log",
    ("call",),
    (
        Column("ts", MOMENT, needed=True),
        Column("table_id", _TEXT, text, needed=True),
        Column("shoe", _TEXT, text),
        Column("round", _WHOLE, _count),
        Column("call", _TEXT, word(parse_call_kind), needed=True),
        Column("hand", _TEXT, _hand),
        Column("bettor", _TEXT, text, when_empty=""),
        Column("value", _TEXT, text, when_empty=""),
    ),
)
LOGS = (CARDS, WAGERS, CALLS)
ALSO_READ_AS = {"table_id": "table"}
"""`table` is a reserved word in SQL, and what people write."""
