"""What lies beside a sample clip: table sheet, shoe log, ledger, call log, and the truth."""

from __future__ import annotations

import csv
import json
from datetime import timedelta
from typing import TYPE_CHECKING

from vision.synthetic.film_truth import CallTruth, Sheet, table_sheet, write_truth_table
from vision.synthetic.sample_rounds import SHOE, STARTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from vision.synthetic.film_truth import FilmTruth, RoundTruth
    from vision.synthetic.films import Film
    from vision.synthetic.sample_rounds import Sample

TRUTH = "truth"
"""The folder of what nobody gives to an audit: it would be told the answer."""


def write_sample_files(folder: Path, sample: Sample, film: Film, truth: FilmTruth) -> None:
    """Write all that belongs to a clip under a folder of samples, but for the clip itself."""
    own = folder / sample.name
    own.mkdir(parents=True, exist_ok=True)
    sheet = sheet_of(sample)
    (own / "table.toml").write_text(table_sheet(film, sheet), "utf-8")
    _write_shoe_log(own / "shoe.csv", sample, truth)
    _write_ledger(own / "ledger.csv", sample, truth)
    _write_calls(own / "calls.csv", sample, truth)
    (folder / TRUTH).mkdir(exist_ok=True)
    write_truth_table(folder / TRUTH / f"{sample.name}.csv", truth)
    (folder / TRUTH / f"{sample.name}.toml").write_text(_expected(sample, truth), "utf-8")


def sheet_of(sample: Sample) -> Sheet:
    return Sheet(
        sample.table_id, sample.rulebook, started=STARTED, shoe=SHOE, further=sample.limits
    )


def _stamp(sample: Sample, second: float) -> str:
    return (sample.started + timedelta(seconds=second)).isoformat(timespec="milliseconds")


def _write_shoe_log(path: Path, sample: Sample, truth: FilmTruth) -> None:
    """What a shoe read of the same cards, and those that never came to the table."""
    rows: list[list[str]] = []
    for card in truth.cards:
        stamp = _stamp(sample, card.left_shoe_s)
        place = [str(card.round), str(len(rows) + 1)]
        rows.append([stamp, sample.table_id, SHOE, *place, card.read_by_shoe, card.hand])
        for kept in sample.never_laid:
            if kept.after_seq == card.seq:
                place = [str(card.round), str(len(rows) + 1)]
                stamp = _stamp(sample, card.left_shoe_s + 0.4)
                rows.append([stamp, sample.table_id, SHOE, *place, kept.card, ""])
    _write(path, ("ts", "table_id", "shoe", "round", "seq", "card", "hand"), rows)


def _write_ledger(path: Path, sample: Sample, truth: FilmTruth) -> None:
    rounds = {each.round: each for each in truth.rounds}
    rows = [
        [
            sample.table_id, SHOE, str(bet.round), bet.box, bet.bettor, bet.wager, bet.hand,
            bet.stake, bet.net, _stamp(sample, rounds[bet.round].start_s + 0.4),
        ]
        for bet in sample.bets
    ]  # fmt: skip
    header = (
        "table_id", "shoe", "round", "box", "bettor", "wager", "hand", "stake", "net", "placed_at",
    )  # fmt: skip
    _write(path, header, rows)


def _write_calls(path: Path, sample: Sample, truth: FilmTruth) -> None:
    rows = [[_stamp(sample, 0), sample.table_id, SHOE, "", "dealer_in", "", "", sample.dealer]]
    for each in truth.rounds:
        rows += [
            [
                _stamp(sample, call.at_s), sample.table_id, SHOE, str(each.round), call.call,
                call.hand, "", call.value,
            ]
            for call in _calls(each)
        ]  # fmt: skip
    _write(path, ("ts", "table_id", "shoe", "round", "call", "hand", "bettor", "value"), rows)


def _calls(each: RoundTruth) -> tuple[CallTruth, ...]:
    closed = CallTruth(max(each.start_s, each.first_card_s - 0.2), "bets_closed", "", "")
    return (closed, *each.calls, CallTruth(each.end_s - 0.4, "round_end", "", ""))


def _expected(sample: Sample, truth: FilmTruth) -> str:
    """What an audit of the clip has to find; nothing else may be a violation."""
    lines = [
        f"about   = {json.dumps(sample.about)}",
        f"clip    = {json.dumps(f'{sample.name}/{sample.clip}')}",
        f"table   = {json.dumps(sample.table_id)}",
        f"shoe    = {json.dumps(SHOE)}",
        f"started = {sample.started.isoformat()}",
        f"seconds = {round(truth.length_s)}",
        f"logs    = {json.dumps(list(sample.logs))}",
    ]
    for finding in sample.expected:
        lines += [
            "",
            "[[finding]]",
            f"round    = {finding.round}",
            f"code     = {json.dumps(finding.code)}",
            f"severity = {json.dumps(finding.severity)}",
            f"what     = {json.dumps(finding.what)}",
        ]
    return "\n".join(lines) + "\n"


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
