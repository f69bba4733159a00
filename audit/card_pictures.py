"""Cards as they lie on the table, drawn with letters: a little picture for each, hand by hand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from audit.cards import Card, Unread
from audit.hands import Hand, Place
from audit.observations import CardSeen, Game
from audit.pages import RED, SUIT_SIGN
from audit.rules.baccarat import point_total
from audit.rules.blackjack.hands import spoken_total

SHOWN_FROM = 0.98
"""A card that is surer than this is drawn without its confidence."""
_CARD = 5
_BETWEEN_HANDS = 3
_ORDER = (Place.BURN, Place.PLAYER, Place.BANKER, Place.BOX, Place.DEALER, Place.DISCARD)


@dataclass(frozen=True, slots=True)
class CardPictures:
    """The cards of a round. `marked` gives the frames of some, by seq, a style of their own."""

    cards: Sequence[CardSeen]
    game: Game | None
    marked: Mapping[int, str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Lay the hands side by side, as many as the screen is wide."""
        row: list[list[Text]] = []
        used = 0
        for hand in _hands_of(self.cards):
            block = self._hand(hand, max(1, options.max_width // _CARD))
            width = max(line.cell_len for line in block)
            if row and used + _BETWEEN_HANDS + width > options.max_width:
                yield from _side_by_side(row)
                row, used = [], 0
            used += width + (_BETWEEN_HANDS if row else 0)
            row.append(block)
        yield from _side_by_side(row)

    def _hand(self, hand: Hand | None, most: int) -> list[Text]:
        cards = [seen for seen in self.cards if seen.hand == hand]
        lines = [Text(self._title(hand, cards), style="bold")]
        for first in range(0, len(cards), most):
            drawn = [self._card(seen) for seen in cards[first : first + most]]
            lines += [Text("").join(line) for line in zip(*drawn, strict=True)]
        return [line for line in lines if line.plain.strip()]

    def _title(self, hand: Hand | None, cards: Sequence[CardSeen]) -> str:
        if hand is None:
            return "hand unknown"
        ranks = [seen.card.rank for seen in cards if isinstance(seen.card, Card)]
        split = any(seen.hand and seen.hand.formed > 1 and seen.hand.box == hand.box
                    for seen in self.cards)  # fmt: skip
        out_of_play = hand.place in (Place.BURN, Place.DISCARD)
        if len(ranks) < len(cards) or split or out_of_play or self.game is None:
            return str(hand)
        total = point_total(ranks) if self.game is Game.BACCARAT else spoken_total(ranks)
        return f"{hand}  {total}"

    def _card(self, seen: CardSeen) -> list[Text]:
        frame = self.marked.get(seen.seq, "dim")
        doubt = "" if seen.confidence >= SHOWN_FROM else f"{seen.confidence:.0%}"
        return [
            Text("┌───┐", frame),
            Text.assemble(("│", frame), _face(seen.card), ("│", frame)),
            Text("└───┘", frame),
            Text(f"#{seen.seq}".center(_CARD), "dim"),
            Text(doubt.center(_CARD), "yellow"),
        ]


def _face(card: Card | Unread) -> tuple[str, str]:
    if isinstance(card, Unread):
        return "?? ", "bold yellow"
    rank = "10" if card.rank == "T" else str(card.rank)
    return f"{rank}{SUIT_SIGN[card.suit]}".center(3), "bold red" if card.suit in RED else "bold"


def _hands_of(cards: Sequence[CardSeen]) -> list[Hand | None]:
    def turn(hand: Hand | None) -> tuple[int, int, int]:
        if hand is None:
            return len(_ORDER), 0, 0
        return _ORDER.index(hand.place), hand.box, hand.formed

    return sorted({seen.hand for seen in cards}, key=turn)


def _side_by_side(blocks: Sequence[Sequence[Text]]) -> Iterator[Text]:
    widths = [max(line.cell_len for line in block) for block in blocks]
    for number in range(max(map(len, blocks), default=0)):
        line = Text(no_wrap=True)
        for block, width in zip(blocks, widths, strict=True):
            part = block[number] if number < len(block) else Text("")
            line.append_text(part)
            line.append(" " * (width - part.cell_len + _BETWEEN_HANDS))
        line.rstrip()
        yield line
