"""Rows that cannot be used, and what can still be read of where they would have belonged.

A card, a wager or a call that is lost leaves the rest of its round as incomplete evidence. So the
names, the numbers and the times of such a row are kept as far as they are readable.
"""

import re
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

import polars as pl

from audit.observations import CallKind
from audit.sources.columns import CALLS, CARDS, Log
from audit.sources.converting import as_text, nothing
from audit.sources.mapping import ColumnMapping
from audit.sources.moments import MOMENT, moments
from audit.sources.records import Fault, Piece, printable

LOST = {
    "is_card": pl.Boolean(),
    "call": pl.String(),
    "table_id": pl.String(),
    "shoes": pl.List(pl.String()),
    "round": pl.Int64(),
    "seq": pl.Int64(),
    "first": MOMENT,
    "last": MOMENT,
    "why": pl.String(),
    "words": pl.List(pl.String()),
    "source": pl.String(),
    "row": pl.Int64(),
}
"""Empty is what is not told. `shoes` are those that a row may be of, `words` those of a line that
could not be split into columns."""
LONGEST_WHY = 160
_NONE_OF_OURS = ("wager", "call")
"""Columns of which a mapping can say that a vendor's word is nothing."""
_TIMES = ("ts", "placed_at", "settled_at")
_WORD = re.compile(r"[^,;\t\"{}\[\]]+")
_LONGEST_WORD = 200


def reasons(
    faults: Sequence[Fault], source: str, unfinished: int | None, blank: Set[int]
) -> dict[int, str]:
    """Say of each row which one it is and why it cannot be used, as a finding says it.

    A blank row never told anything, so nothing is lost with it.
    """
    file = printable(Path(source).name)
    why: dict[int, str] = {}
    for fault in faults:
        if fault.row == unfinished:
            why[fault.row] = f"row {fault.row} of {file} may still be being written"
        elif fault.row not in blank:
            said = f"{fault.column}: {fault.why}" if fault.column else fault.why
            said = said if len(said) <= LONGEST_WHY else f"{said[: LONGEST_WHY - 1]}…"
            why[fault.row] = f"row {fault.row} of {file} was refused ({said})"
    return why


def lost_of(
    piece: Piece,
    log: Log,
    source: str,
    bad: pl.DataFrame,
    why: Mapping[int, str],
    mapping: ColumnMapping,
) -> tuple[pl.DataFrame, ...]:
    """Keep what is known of the rows of a piece that cannot be used.

    `bad` are those that could be split into columns, converted as far as they can be.
    """
    aside = _set_aside(piece, mapping)
    meant = bad.filter(pl.col("row").is_in([row for row in why if row not in aside]))
    lost = [_of_rows(meant, log, why)] if not meant.is_empty() else []
    if piece.faults:
        formats = [mapping.formats[name] for name in _TIMES if name in mapping.formats]
        lost.append(_of_lines(piece.faults, log, source, why, formats))
    return tuple(lost)


def _set_aside(piece: Piece, mapping: ColumnMapping) -> set[int]:
    """Name the rows whose wager or call is, as the mapping says, none of ours."""
    rows: set[int] = set()
    for name in _NONE_OF_OURS:
        theirs = [word for word, ours in mapping.values.get(name, {}).items() if not ours]
        if theirs and name in piece.rows.columns:
            words = as_text(piece.rows[name]).str.strip_chars().str.to_lowercase()
            rows.update(piece.rows["row"].filter(words.is_in(theirs).fill_null(value=False)))
    return rows


def _of_rows(rows: pl.DataFrame, log: Log, why: Mapping[int, str]) -> pl.DataFrame:
    times = [pl.col(name) for name in _TIMES if name in rows.columns]
    return _fitted(
        rows.with_columns(
            pl.Series("why", [why[row] for row in rows["row"]], dtype=pl.String),
            is_card=pl.lit(log is CARDS),
            shoes=pl.when(pl.col("shoe").is_not_null()).then(pl.concat_list("shoe")),
            first=pl.min_horizontal(times),
            last=pl.max_horizontal(times),
        )
    )


def _of_lines(
    faults: Sequence[Fault], log: Log, source: str, why: Mapping[int, str], formats: Sequence[str]
) -> pl.DataFrame:
    """Keep the words of lines that could not be split into columns, and the times among them.

    Only times that carry their offset are read: another one could be that of any table.
    """
    lines = pl.DataFrame(
        {
            "row": [fault.row for fault in faults],
            "why": [why[fault.row] for fault in faults],
            "words": [_words(fault.line) for fault in faults],
        },
        schema={"row": pl.Int64, "why": pl.String, "words": pl.List(pl.String)},
    )
    apart = lines.select("row", "words").explode("words")
    tables = nothing(apart.height, pl.String())
    times = [
        apart.select("row", time=moments(apart["words"], tables, {}, one).values)
        for one in (None, *dict.fromkeys(formats))
    ]
    spans = pl.concat(times).group_by("row").agg(first=pl.min("time"), last=pl.max("time"))
    told = lines.join(spans, on="row", how="left", maintain_order="left")
    came_in = pl.col("words").list.contains(str(CallKind.DEALER_IN)) & (log is CALLS)
    return _fitted(
        told.with_columns(
            is_card=pl.lit(log is CARDS),
            call=pl.when(came_in).then(pl.lit(str(CallKind.DEALER_IN))),
            source=pl.lit(source),
        )
    )


def _words(line: str) -> list[str]:
    words = (word.strip(" :\r") for word in _WORD.findall(line))
    return [word for word in words if 0 < len(word) <= _LONGEST_WORD]


def _fitted(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.select(
        (pl.col(name) if name in rows.columns else pl.lit(None)).cast(dtype).alias(name)
        for name, dtype in LOST.items()
    )
