"""The card logs of a shoe put together as one, with what they do not agree about."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from audit.comparison import compare_logs
from audit.errors import BadInput, BadTableSheet
from audit.judging.shoe import ShoeFinding
from audit.lost_rows import Placed
from audit.shoe_audit import shoe_rulebook
from audit.shoe_rows import STORED, CardRow, LostRow, Origin, ShoeRows
from audit.sources.records import Leftover
from audit.table_sheet import TableSheet


@dataclass(frozen=True, slots=True)
class OneLog:
    """A shoe with one log of its cards."""

    rows: ShoeRows
    findings: tuple[ShoeFinding, ...] = ()
    left_over: tuple[Leftover, ...] = ()


def one_log(rows: ShoeRows, sheet: TableSheet) -> OneLog:
    """Compare the logs of a shoe card by card, and put them together."""
    logs: dict[str, dict[int, CardRow]] = defaultdict(dict)
    left_over: list[Leftover] = []
    for row in rows.cards:
        log = logs[row.origin.source]
        if row.seq not in log:
            log[row.seq] = row
            continue
        why = f"card {row.seq} of this shoe is in row {log[row.seq].origin.row} already"
        left_over.append(Leftover(row.origin.source, row.origin.row, why))
    stored = tuple(logs.pop(STORED, {}).values())
    first = replace(rows, cards=(*stored, *next(iter(logs.values()), {}).values()))
    if len(logs) <= 1:
        return OneLog(first, left_over=tuple(left_over))
    try:
        book = shoe_rulebook(sheet, [row.ts for row in rows.cards])
    except (BadInput, BadTableSheet):
        return OneLog(first, left_over=tuple(left_over))
    compared = compare_logs([tuple(log.values()) for log in logs.values()], book)
    for row, why in compared.left_over:
        left_over.append(Leftover(row.origin.source, row.origin.row, why))
    whole = replace(
        rows,
        cards=(*stored, *compared.cards),
        lost=tuple(_numbered_anew(rows.lost, rows.cards, compared.places)),
    )
    return OneLog(whole, compared.findings, tuple(left_over))


def _numbered_anew(
    lost: Iterable[LostRow], cards: Iterable[CardRow], places: Mapping[Origin, int]
) -> Iterator[LostRow]:
    """Find where in the common log the cards are that a lost one was among in its own.

    Each log counts rounds and cards by itself. Where nothing of a log was used, nothing of it can
    be missing.
    """
    of_log: dict[str, list[CardRow]] = defaultdict(list)
    for card in cards:
        of_log[card.origin.source].append(card)
    placed = {source: Placed(log) for source, log in of_log.items()}
    for row in lost:
        if row.is_card and row.source in placed:
            among = [card.origin for card in placed[row.source].beside(row)]
            seqs = frozenset(places[origin] for origin in among if origin in places)
            if seqs:
                yield replace(row, beside=seqs)
        else:
            yield row
