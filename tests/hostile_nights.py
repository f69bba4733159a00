"""Small nights with their files damaged: cut, mixed up, and full of what nobody would log."""

import csv
import io
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from audit.observations import CallKind, WagerKind
from audit.simulation.camera import SURE, Camera
from audit.simulation.night_files import NightFiles, write_nights
from audit.simulation.nights import Left, NightPlan

BACCARAT = ("mbs-fortune-six-baccarat-v6", "mbs-electronic-baccarat/tiger")
BLACKJACK = ("mbs-blackjack-v6", "rws-blackjack-v4", "rws-blackjack-v5")
DOUBTFUL = Camera(unread=60, doubtful=120)

CARDS = ("AS", "TD", "10D", "5H", "KC", "??", "8S", "8H", "", "1S", "XX", "9h", " 2C ", "JOKER")
HANDS = (
    *("player", "banker", "dealer", "burn", "discard", "", "nobody", "BOX1", "box0", "box10"),
    *("box1", "box2", "box7", "box9", "box3.2", "box3.3", "box3.4", "box3.5", "box1.9", "box2.1"),
)
MOMENTS = (
    *("", "2026-03-08T18:06:45+08:00", "2026-03-08T18:06:45.690+08:00", "2019-01-01T00:00:00Z"),
    *("0001-01-01T00:00:00Z", "9999-12-31T23:59:59+00:00", "1970-01-01T00:00:00Z", "2026-03-08"),
    *("2026-03-29T02:30:00", "2026-10-25T02:30:00", "2026-03-29T01:00:00Z", "18:06", "1772964405"),
    *("2026-03-09T18:06:45+08:00", "2026-02-30T10:00:00+08:00", "2026-03-08T18:06:60+08:00"),
)
NUMBERS = (
    *("", "0", "1", "2", "3", "6", "7", "16", "17", "-1", "1.5", "1e3", "999999999", "1000000000"),
    *("9223372036854775807", "9223372036854775808", "1" + 30 * "0", "NaN", "inf", "-0", "٣", "0x1"),
)
AMOUNTS = (
    *(
        "",
        "0",
        "0.00",
        "0.01",
        "-0.01",
        "25.00",
        "-25.00",
        "37.50",
        "100000",
        "1e2",
        "NaN",
        "-0.00",
    ),
    *("9999999999999999.99", "-9999999999999999.99", "1" + 30 * "0", "0.001", "1,000.00", "$5"),
)
WORDS = (
    *("", "\x00", "a\nb", '"', "'; DROP TABLE rounds; --", "Ünïcödé ♠", "\u202eltr", "x" * 300),
    *("[bold]", "{}", "%s", "P000743", "BAC-001", "BJ-002", "260308-01", " ", "absent", "in_order"),
    *("order_lost", "device_reset", "player", "banker", "tie", "misdeal", "foreign_card", "box3.2"),
)
VALUES: dict[str, tuple[str, ...]] = {
    "ts": MOMENTS,
    "placed_at": MOMENTS,
    "settled_at": MOMENTS,
    "round": NUMBERS,
    "seq": NUMBERS,
    "box": NUMBERS,
    "card": CARDS,
    "hand": HANDS,
    "confidence": ("", "0", "1", "0.5", "1e-300", "NaN", "-1", "2"),
    "alternatives": (
        "",
        "9H:1",
        "9H:0",
        "9H:0.21 6H:0.02",
        "AS:0.5 AS:0.5",
        "??:1",
        "9H",
        "KC:nan",
    ),
    "wager": (*WagerKind, "", "all", "MAIN"),
    "call": (*CallKind, "", "shout"),
    "stake": AMOUNTS,
    "net": AMOUNTS,
}
EXTRA = ("confidence", "alternatives", "at_s", "footage", "on_behalf_of", "box", "table")
SHEET_WORDS = (
    ('"Asia/Singapore"', ('"Europe/London"', '"America/Santiago"', '"Mars/Base"', '"UTC"', "1")),
    ("decks    = 8", ("decks = 1", "decks = 0", "decks = 99999", "decks = 6", "", "decks = 8.0")),
    ("burn     = 1", ("burn = 0", "burn = 10", "burn = -1", "burn = 416", "burn = 10000", "")),
    ("rounding = ", ('rounding = "100.00" #', 'rounding = "0" #', 'rounding = "1e-9" #', "")),
    ("rulebook = ", tuple(f'rulebook = "{name}" #' for name in (*BACCARAT, *BLACKJACK, "house"))),
    ("2026-01-01", ("2026-03-08", "2026-03-09", "1999-01-01", "9999-12-31", "0001-01-01")),
    ('min = "', ('min = "9', 'min = "-', 'min = "x', 'max = "1')),
    ('table    = "', ('table = "X', 'table = "', "table = [", 'table = "BAC-001" #')),
    ("[limits]", ("[limits", "[[limits]]", "[other]", "[limits]\nmain = { min = 1 }")),
)  # fmt: skip


@dataclass(slots=True)
class HostileNight:
    """The files of a night while they are being damaged."""

    logs: dict[str, list[list[str]]]
    """By file: its header and its rows."""
    sheets: dict[str, str]

    def files(self) -> dict[str, bytes]:
        written = {name: _as_csv(rows).encode() for name, rows in self.logs.items()}
        return written | {name: text.encode() for name, text in self.sheets.items()}


def _as_csv(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


@cache
def small_night(books: tuple[str, ...], seed: int, kind: str) -> tuple[dict[str, bytes], ...]:
    """Simulate two tables with six rounds each: their logs, and their sheets."""
    left = {"no hands": {Left.HANDS}, "no rounds": {Left.ROUNDS}, "bare": set(Left)}
    plan = NightPlan(
        rulebooks=books, tables=2, rounds=6, faults=300 if kind == "faults" else 0,
        without=frozenset(left.get(kind, ())),
        camera=DOUBTFUL if kind == "doubtful" else SURE,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        inputs = write_nights(plan, seed, Path(folder, "night"), NightFiles("csv")).inputs
        files = {path.name: path.read_bytes() for path in inputs.rglob("*") if path.is_file()}
    logs = {name: content for name, content in files.items() if not name.endswith("toml")}
    return logs, {name: content for name, content in files.items() if name not in logs}


class _Damage:
    """Does one thing after another to a night, as it is drawn."""

    def __init__(self, night: HostileNight, draw: st.DrawFn) -> None:
        self.night, self.draw = night, draw

    def of(self, choices: tuple[str, ...] | list[str]) -> str:
        return self.draw(st.sampled_from(choices))

    def log(self) -> list[list[str]]:
        return self.night.logs[self.of(sorted(self.night.logs))]

    def place(self, rows: list[list[str]]) -> int:
        return self.draw(st.integers(1, max(1, len(rows) - 1)))

    def value(self, column: str) -> str:
        return self.of(VALUES.get(column, WORDS))

    # Rows

    def remove_row(self) -> None:
        rows = self.log()
        del rows[self.place(rows) : self.place(rows) + 1]

    def repeat_row(self) -> None:
        rows = self.log()
        rows.append(list(rows[-1 if len(rows) < 2 else self.place(rows)]))

    def move_row(self) -> None:
        rows = self.log()
        if len(rows) > 1:
            row = rows.pop(self.place(rows))
            rows.insert(self.place(rows), row)

    def turn_round(self) -> None:
        rows = self.log()
        rows[1:] = rows[:0:-1]

    def remove_many(self) -> None:
        rows = self.log()
        del rows[self.place(rows) :]

    # Cells and columns

    def change_cells(self) -> None:
        rows = self.log()
        if len(rows) < 2:
            return
        for _ in range(self.draw(st.integers(1, 6))):
            row = rows[self.place(rows)]
            column = self.draw(st.integers(0, len(rows[0]) - 1))
            if column < len(row):
                row[column] = self.value(rows[0][column])

    def say_the_same_in_all(self) -> None:
        rows = self.log()
        column = self.draw(st.integers(0, len(rows[0]) - 1))
        value = self.value(rows[0][column])
        first = self.place(rows)
        for row in rows[first:]:
            if column < len(row):
                row[column] = value

    def drop_column(self) -> None:
        rows = self.log()
        column = self.draw(st.integers(0, len(rows[0]) - 1))
        if len(rows[0]) > 1:
            for row in rows:
                del row[column : column + 1]

    def rename_column(self) -> None:
        rows = self.log()
        column = self.draw(st.integers(0, len(rows[0]) - 1))
        rows[0][column] = self.of([*VALUES, *EXTRA, "", rows[0][column].upper(), "shoe"])

    def add_column(self) -> None:
        rows = self.log()
        name = self.of([*EXTRA, *rows[0]])
        rows[0].append(name)
        value = self.value(name)
        for row in rows[1:]:
            row.append(value)

    def scatter_moments(self) -> None:
        rows = self.log()
        moments = [i for i, name in enumerate(rows[0]) if name in ("ts", "placed_at")]
        for row in rows[1:]:
            for column in moments:
                if column < len(row):
                    row[column] = self.of(MOMENTS[1:10])

    # Files

    def remove_file(self) -> None:
        logs, sheets = self.night.logs, self.night.sheets
        name = self.of(sorted([*logs, *sheets]))
        if name in logs and len(logs) > 1:
            del logs[name]
        sheets.pop(name, None)

    def log_twice(self) -> None:
        name = self.of(sorted(self.night.logs))
        copy = [list(row) for row in self.night.logs[name]]
        for _ in range(self.draw(st.integers(0, 4))):
            row = copy[self.place(copy) if len(copy) > 1 else 0]
            column = self.draw(st.integers(0, len(row) - 1)) if row else 0
            if row and column < len(copy[0]):
                row[column] = self.value(copy[0][column])
        self.night.logs[f"again-{name}"] = copy

    def move_to_another_table(self) -> None:
        names = sorted({name.partition("-")[2] for name in self.night.logs})
        other = self.of(names).removesuffix(".csv")
        rows = self.log()
        if "table_id" in rows[0]:
            column = rows[0].index("table_id")
            for row in rows[1:]:
                if column < len(row):
                    row[column] = other

    def join_two_files(self) -> None:
        first, second = self.log(), self.log()
        if first is not second:
            first.extend(list(row) for row in second)

    def change_sheet(self) -> None:
        if not self.night.sheets:
            return
        name = self.of(sorted(self.night.sheets))
        what, others = self.draw(st.sampled_from(SHEET_WORDS))
        self.night.sheets[name] = self.night.sheets[name].replace(what, self.of(others), 1)

    def copy_sheet(self) -> None:
        if not self.night.sheets:
            return
        name = self.of(sorted(self.night.sheets))
        text = self.night.sheets[name]
        other = self.of(["BAC-001", "BJ-002", "BAC-002", "BJ-001", "X"])
        self.night.sheets[f"copy-{name}"] = text.replace(name.removesuffix(".toml"), other)


DAMAGES = (
    *(_Damage.remove_row, _Damage.repeat_row, _Damage.move_row, _Damage.turn_round),
    *(_Damage.remove_many, _Damage.change_cells, _Damage.change_cells, _Damage.say_the_same_in_all),
    *(_Damage.drop_column, _Damage.rename_column, _Damage.add_column, _Damage.scatter_moments),
    *(_Damage.remove_file, _Damage.log_twice, _Damage.move_to_another_table),
    *(_Damage.join_two_files, _Damage.change_sheet, _Damage.copy_sheet),
)


@st.composite
def hostile_nights(draw: st.DrawFn, *, most: int = 5) -> dict[str, bytes]:
    """Give the files of a small night after some damage, by their names."""
    books = (draw(st.sampled_from(BACCARAT)), draw(st.sampled_from(BLACKJACK)))
    kind = draw(st.sampled_from(["sound", "faults", "no hands", "no rounds", "bare", "doubtful"]))
    logs, sheets = small_night(books, draw(st.integers(1, 5)), kind)
    night = HostileNight(
        {name: [*csv.reader(io.StringIO(text.decode()))] for name, text in logs.items()},
        {name: text.decode() for name, text in sheets.items()},
    )
    damage = _Damage(night, draw)
    for harm in draw(st.lists(st.sampled_from(DAMAGES), min_size=1, max_size=most)):
        harm(damage)
    return _damaged_bytes(night.files(), draw)


def _damaged_bytes(files: dict[str, bytes], draw: st.DrawFn) -> dict[str, bytes]:
    how = draw(st.sampled_from(["not", "not", "cut", "flip", "put in"]))
    if how == "not":
        return files
    name = draw(st.sampled_from(sorted(files)))
    content = files[name]
    place = draw(st.integers(0, len(content)))
    if how == "cut":
        damaged = content[:place]
    elif how == "flip":
        damaged = content[:place] + draw(st.binary(min_size=1, max_size=3)) + content[place + 1 :]
    else:
        damaged = content[:place] + draw(st.binary(min_size=1, max_size=8)) + content[place:]
    return files | {name: damaged}
