"""Cases of codes that only a whole shoe shows: tests/cases/shoe/<CODE>.toml.

    [[case]]
    name       = "the six of clubs is missing when the shoe is counted out"
    rulebook   = ["mbs-blackjack-v6"]     # the case holds under each
    order      = "AS 2D …"                # the cards as they came, four to a round
    rest       = "9C KD …"                # the cards that were counted out afterwards
    finds      = ["SHO005"]               # these codes and no other, in order of their finding

What follows may be left out:

    decks      = 8                        # 1 where nothing is said
    not_logged = [10]                     # cards that have no row, by their number
    calls      = ["shoe_end 51"]          # calls at the end of the shoe
    earlier    = ["KS 2D …"]              # the orders of earlier shoes: shoe 1, shoe 2 …
    readings   = { 5 = "7C:0.60 8C:0.40" }   # the fifth card was read as 7C, and may be 8C
    second     = { 5 = "KS:0.90", 7 = "" }   # where a second source differs; "": it has no such row
    further    = { 6 = "KD" }             # a card that only the second source has, after the sixth
    second_ends = 40                      # the second source ends with this card
    example    = "…"                      # the words of the manual page that this case shows

and, checked on every finding of the file's own code: `clause` or `clauses`, `severity`, `expected`,
`observed`, `confidence` and `on`, the round that it falls on.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone

from audit.comparison import compare_logs
from audit.judging.shoe import ShoeFinding, judge_shoe
from audit.observations import Game
from audit.rulebook_files import rulebook
from audit.shoe_order import EarlierShoes
from audit.shoe_rows import CallRow, CardRow, Origin, ShoeRows
from audit.table_sheet import plain_sheet
from audit.toml_section import Section, read_toml
from tests.test_cases import OF_WHOLE_SHOES, BadCase, clauses_named, rulebooks_named

BEGIN = datetime(2026, 3, 8, 12, tzinfo=timezone(timedelta(hours=8)))
BETWEEN_CARDS = timedelta(seconds=5)
CARDS_OF_A_ROUND = 4
HANDS = {
    Game.BACCARAT: ("player", "banker", "player", "banker"),
    Game.BLACKJACK: ("box1", "dealer", "box1", "box1"),
}


@dataclass(frozen=True, slots=True)
class ShoeCase:
    """One shoe under one rulebook, and what must be found in it."""

    code: str
    name: str
    rulebook: str
    order: tuple[str, ...]
    rest: tuple[str, ...]
    finds: tuple[str, ...]
    decks: int
    not_logged: tuple[int, ...]
    calls: tuple[str, ...]
    earlier: tuple[str, ...]
    readings: tuple[tuple[int, str], ...]
    second: tuple[tuple[int, str], ...] | None
    further: tuple[tuple[int, str], ...]
    second_ends: int | None
    example: str
    clause: str | None
    severity: str | None
    expected: str
    observed: str
    confidence: float | None
    on: int | None

    def found(self) -> tuple[ShoeFinding, ...]:
        """Compare the sources where there are two, and judge the shoe."""
        book = rulebook(self.rulebook)
        sheet = replace(plain_sheet(self.rulebook, decks=self.decks), burn=0)
        earlier = EarlierShoes()
        for number, order in enumerate(self.earlier, 1):
            earlier.add(str(number), order.split())
        log = self._log()
        logs = [log] if self.second is None else [log, self._second_log(log)]
        compared = compare_logs(logs, book)
        end = BEGIN + BETWEEN_CARDS * 1000
        said = [call.partition(" ") for call in self.calls]
        calls = tuple(CallRow(end, call, value=value) for call, _, value in said)
        rows = ShoeRows("T", "now", compared.cards, calls=calls)
        return (*compared.findings, *judge_shoe(rows, book, sheet, earlier))

    def _log(self) -> tuple[CardRow, ...]:
        hands = HANDS[rulebook(self.rulebook).game]
        doubtful = dict(self.readings)
        log = []
        for place, card in enumerate((*self.order, *self.rest)):
            played = place < len(self.order)
            row = CardRow(
                round=place // CARDS_OF_A_ROUND + 1 if played else None,
                seq=place + 1,
                card=card,
                hand=hands[place % CARDS_OF_A_ROUND] if played else "discard",
                ts=BEGIN + place * BETWEEN_CARDS,
                origin=Origin("shoe.csv", place + 2),
            )
            if row.seq not in self.not_logged:
                log.append(_read_as(row, doubtful.get(row.seq, "")))
        return tuple(log)

    def _second_log(self, log: tuple[CardRow, ...]) -> tuple[CardRow, ...]:
        differs, further = dict(self.second or ()), dict(self.further)
        seen: list[CardRow] = []
        for row in log:
            text = differs.get(row.seq, row.card)
            if text and (self.second_ends is None or row.seq <= self.second_ends):
                seen.append(_read_as(row, text))
            if row.seq in further:
                seen.append(_read_as(row, further[row.seq]))
        return tuple(
            replace(row, seq=seq, origin=Origin("camera.csv", seq + 1))
            for seq, row in enumerate(seen, 1)
        )


def _read_as(row: CardRow, text: str) -> CardRow:
    """Give a card the readings of `7C:0.60 8C:0.40`, the first of them the likeliest."""
    if not text:
        return row
    likeliest, *others = text.split()
    card, _, confidence = likeliest.partition(":")
    return replace(row, card=card, confidence=float(confidence or 1), alternatives=" ".join(others))


def _cases(row: Section, code: str) -> Iterator[ShoeCase]:
    books = rulebooks_named(row)
    clauses = clauses_named(row, books)
    confidence = row.take("confidence") if "confidence" in row else None
    if not isinstance(confidence, float | None):
        raise row.must("confidence", confidence, "a number from 0 to 1")
    case = ShoeCase(
        code=code,
        name=row.text("name"),
        rulebook="",
        order=tuple(row.text("order").split()),
        rest=tuple(row.text("rest").split()) if "rest" in row else (),
        finds=row.texts("finds"),
        decks=row.number("decks", least=1) if "decks" in row else 1,
        not_logged=_numbers(row, "not_logged"),
        calls=row.texts("calls") if "calls" in row else (),
        earlier=row.texts("earlier") if "earlier" in row else (),
        readings=_by_number(row, "readings") or (),
        second=_by_number(row, "second"),
        further=_by_number(row, "further") or (),
        second_ends=row.number("second_ends") if "second_ends" in row else None,
        example=row.text("example") if "example" in row else "",
        clause=str(row.take("clause")) if "clause" in row else None,
        severity=row.text("severity") if "severity" in row else None,
        expected=row.text("expected") if "expected" in row else "",
        observed=row.text("observed") if "observed" in row else "",
        confidence=confidence,
        on=row.number("on") if "on" in row else None,
    )
    row.end()
    for book in books:
        yield replace(case, rulebook=book, clause=clauses.get(book, case.clause))


def _numbers(row: Section, key: str) -> tuple[int, ...]:
    value = row.take(key) if key in row else []
    if not isinstance(value, list) or not all(isinstance(number, int) for number in value):
        raise row.must(key, value, "a list of numbers")
    return tuple(value)


def _by_number(row: Section, key: str) -> tuple[tuple[int, str], ...] | None:
    if key not in row:
        return None
    section = row.section(key)
    return tuple((int(number), str(section.take(number))) for number in section)


def _read() -> Iterator[ShoeCase]:
    for path in OF_WHOLE_SHOES:
        top = Section(path.name, read_toml(path.read_text("utf-8"), path.name, BadCase), BadCase)
        for row in top.sections("case"):
            yield from _cases(row, path.stem)
        top.end()


SHOE_CASES = tuple(_read())
