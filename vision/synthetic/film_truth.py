"""What a film shows, exactly: every card with its place and times, and the files that say so."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

from vision.synthetic.felts import block
from vision.synthetic.film_tables import zones_in_picture

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

    from vision.synthetic.film_motion import Pose
    from vision.synthetic.film_performance import DealtCard
    from vision.synthetic.films import Film
    from vision.synthetic.tables import Table

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PlaceTruth:
    """A card lying still: from when until when, in which hand, its outline in px."""

    start_s: float
    end_s: float
    hand: str
    face_up: bool
    outline: tuple[Point, ...]  # from its own top left clockwise


@dataclass(frozen=True, slots=True)
class CardTruth:
    round: int
    seq: int
    card: str
    hand: str  # to which it was dealt
    order: int  # in that hand when it was dealt, from 1
    last_hand: str  # in which it was cleared: another one after a split
    sideways: bool
    left_shoe_s: float
    laid_s: float | None  # first still on the table; None: straight to the discard holder
    at_s: float | None  # first still and face up
    let_go_s: float  # when the hand that laid or turned it last went away
    turned_s: float | None  # when it was turned up where it lay
    cleared_s: float
    read_by_shoe: str
    places: tuple[PlaceTruth, ...]


@dataclass(frozen=True, slots=True)
class CallTruth:
    at_s: float
    call: str
    hand: str
    value: str


@dataclass(frozen=True, slots=True)
class RoundTruth:
    round: int
    start_s: float
    first_card_s: float
    end_s: float
    calls: tuple[CallTruth, ...]


@dataclass(frozen=True, slots=True)
class FilmTruth:
    game: str
    frame: tuple[int, int]
    length_s: float
    rounds: tuple[RoundTruth, ...]
    cards: tuple[CardTruth, ...]  # in the order in which they left the shoe


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a table sheet says besides the camera's zones."""

    table_id: str
    rulebook: str
    started: datetime  # when the film begins; with its offset
    timezone: str = "Asia/Singapore"
    decks: int = 8
    burn: int = 0
    shoe: str = "S001"
    further: str = ""  # more lines of the sheet: limits and the like


def truth_of(film: Film) -> FilmTruth:
    cards = tuple(_card(film.table, card) for card in film.performance.cards)
    rounds = []
    for span in film.performance.rounds:
        drawn = [card.left_shoe_s for card in cards if card.round == span.number]
        calls = [
            CallTruth(_second(called.time), called.call, called.hand, called.value)
            for called in span.calls
        ]
        rounds.append(
            RoundTruth(
                span.number,
                _second(span.start),
                min(drawn, default=_second(span.start)),
                _second(span.end),
                tuple(calls),
            )
        )
    return FilmTruth(
        film.table.game, film.table.camera.size, _second(film.length), tuple(rounds), cards
    )


def _card(table: Table, card: DealtCard) -> CardTruth:
    places = tuple(
        PlaceTruth(
            _second(rest.start),
            _second(min(rest.end, card.cleared)),
            rest.hand,
            rest.face_up,
            outline_of(table, rest.pose),
        )
        for rest in card.rests
    )
    shown = [place.start_s for place in places if place.face_up]
    return CardTruth(
        round=card.round,
        seq=card.seq,
        card=card.step.card,
        hand=card.step.hand,
        order=card.order,
        last_hand=card.hand,
        sideways=card.step.sideways,
        left_shoe_s=_second(card.left_shoe),
        laid_s=places[0].start_s if places else None,
        at_s=shown[0] if shown else None,
        let_go_s=_second(card.let_go),
        turned_s=None if card.turned_up is None else _second(card.turned_up),
        cleared_s=_second(card.cleared),
        read_by_shoe=card.step.read_by_shoe or card.step.card,
        places=places,
    )


def outline_of(table: Table, pose: Pose) -> tuple[Point, ...]:
    corners = block((pose.x, pose.y), table.deck.width_mm, table.deck.height_mm, pose.turned)
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in table.camera.project(corners))


def _second(time: float) -> float:
    return round(time, 4)


def write_film_folder(folder: Path, film: Film, sheet: Sheet) -> FilmTruth:
    """Write all that belongs to a film but the film: truth, table sheet, shoe log, calls."""
    folder.mkdir(parents=True, exist_ok=True)
    truth = truth_of(film)
    write_truth_table(folder / "truth.csv", truth)
    (folder / "truth.json").write_text(json.dumps(asdict(truth), indent=1) + "\n", "utf-8")
    (folder / "table.toml").write_text(table_sheet(film, sheet), "utf-8")
    write_shoe_log(folder / "shoe.csv", truth, sheet)
    write_call_log(folder / "calls.csv", truth, sheet)
    return truth


def write_truth_table(path: Path, truth: FilmTruth) -> None:
    """One row for each card; the outline is the one in which it was last seen face up."""
    columns = (
        "round", "seq", "card", "hand", "order", "last_hand", "sideways", "left_shoe_s", "laid_s",
        "at_s", "let_go_s", "turned_s", "cleared_s", "read_by_shoe",
    )  # fmt: skip
    rows = []
    for card in truth.cards:
        shown = [place for place in card.places if place.face_up] or card.places
        outline = shown[-1].outline if shown else ()
        values = [getattr(card, column) for column in columns]
        rows.append([*map(_cell, values), " ".join(f"{x:.2f},{y:.2f}" for x, y in outline)])
    _write_rows(path, (*columns, "outline"), rows)


def write_shoe_log(path: Path, truth: FilmTruth, sheet: Sheet) -> None:
    """The card log of a shoe that read each card as it left, of the same rounds as the film."""
    rows = [
        [
            _stamp(sheet, card.left_shoe_s),
            sheet.table_id,
            sheet.shoe,
            str(card.round),
            str(card.seq),
            card.read_by_shoe,
            card.hand,
        ]
        for card in truth.cards
    ]
    _write_rows(path, ("ts", "table_id", "shoe", "round", "seq", "card", "hand"), rows)


def write_call_log(path: Path, truth: FilmTruth, sheet: Sheet) -> None:
    rows = [
        [
            _stamp(sheet, called.at_s),
            sheet.table_id,
            sheet.shoe,
            str(each.round),
            called.call,
            called.hand,
            "",
            called.value,
        ]
        for each in truth.rounds
        for called in each.calls
    ]
    header = ("ts", "table_id", "shoe", "round", "call", "hand", "bettor", "value")
    _write_rows(path, header, rows)


def table_sheet(film: Film, sheet: Sheet) -> str:
    """The text of table.toml, with the zones as polygons in pixels of the film's frame."""
    width, height = film.table.camera.size
    lines = [
        f"table    = {json.dumps(sheet.table_id)}",
        f"timezone = {json.dumps(sheet.timezone)}",
        f"decks    = {sheet.decks}",
        f"burn     = {sheet.burn}",
        "",
        "[[game]]",
        f"rulebook = {json.dumps(sheet.rulebook)}",
        f"from     = {_midnight(sheet.started)}",
    ]
    if sheet.further:
        lines += ["", sheet.further.rstrip()]
    lines += ["", "[camera]", f"frame = [{width}, {height}]", "", "[camera.zones]"]
    for name, polygon in zones_in_picture(film.table).items():
        corners = ", ".join(f"[{round(x)}, {round(y)}]" for x, y in np.asarray(polygon))
        lines.append(f"{name} = [{corners}]")
    return "\n".join(lines) + "\n"


def _stamp(sheet: Sheet, second: float) -> str:
    return (sheet.started + timedelta(seconds=second)).isoformat(timespec="milliseconds")


def _midnight(started: datetime) -> str:
    return started.replace(hour=0, minute=0, second=0, microsecond=0).isoformat()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _write_rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
