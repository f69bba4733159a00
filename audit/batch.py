"""Some tables of a night, from their rows to what is stored of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from audit.clearing import OF_THE_SHOE, Profile, can_be_cleared, clear
from audit.errors import BadTableSheet
from audit.findings import Finding, Severity
from audit.judging.shoe import remember_order
from audit.lost_rows import lost_by_shoe, stored_with_doubts, unnamed_dealers
from audit.money import CENT
from audit.observations import CallKind
from audit.one_log import OneLog, one_log
from audit.shoe_audit import AuditedShoe, TableSoFar, audit_shoe, unjudged_shoe
from audit.shoe_rows import ROUND_KEY, SHOE_KEY, CallRow, CardRow, Origin, ShoeRows, WagerRow
from audit.sources.records import Leftover
from audit.sources.spool import Bucket
from audit.store import ShoeBatch, frame_schema
from audit.store.schema import CALLS, CARDS, FINDINGS, ROUNDS, WAGERS, Table
from audit.table_sheet import TableSheet, rulebook_at

MOMENT = pl.Datetime("us", "UTC")
EarlierOrders = Mapping[str, Sequence[ShoeRows]]
"""By table: its last shoes, oldest first, as far as their order is known."""


@dataclass(frozen=True, slots=True)
class Audited:
    """What an audit of some tables came to, ready to be stored."""

    batch: ShoeBatch
    left_over: tuple[Leftover, ...]

    @property
    def violations(self) -> int:
        severity = self.batch.findings["severity"]
        return int((severity == str(Severity.VIOLATION)).sum())


@dataclass(slots=True)
class _Outcome:
    """What was made of the shoes so far, row by row as the tables of the store have it."""

    rounds: list[tuple[object, ...]] = field(default_factory=list)
    findings: list[tuple[object, ...]] = field(default_factory=list)
    restored: dict[tuple[str, str], ShoeRows] = field(default_factory=dict)
    """Shoes of which rows were given a round or a hand, put together or left out."""
    doubts: dict[tuple[str, str], Mapping[int, str]] = field(default_factory=dict)
    """Why rounds are in doubt of which a row cannot be used, by shoe and round."""
    left_over: list[Leftover] = field(default_factory=list)


def audit_bucket(
    run_id: str,
    bucket: Bucket,
    sheets: Mapping[str, TableSheet],
    earlier: EarlierOrders | None = None,
    kept: pl.DataFrame | None = None,
) -> Audited:
    """Audit all shoes of some tables.

    `kept` are findings that an earlier run made by comparing logs of which one is left now.
    """
    outcome = _Outcome(left_over=list(bucket.duplicates))
    bucket = _with_shoes(bucket, outcome)
    shoes = _shoes(bucket)
    profiles = _profiles(bucket, shoes, sheets)
    cleared = clear(bucket.cards, bucket.wagers, bucket.calls, profiles)
    numbers = {
        (table, shoe): frozenset(rounds)
        for table, shoe, rounds in cleared.group_by(SHOE_KEY).agg("round").iter_rows()
    }
    tables: dict[str, TableSoFar] = {}
    for contested, rows in _rows_of_shoes(bucket, shoes, cleared):
        sheet = sheets.get(rows.table_id)
        if sheet is None:
            why = f"there is no table sheet for {rows.table_id}"
            _note(outcome, unjudged_shoe(rows, why))
            continue
        if rows.table_id not in tables:
            tables[rows.table_id] = _table(sheet, (earlier or {}).get(rows.table_id, ()))
        table = tables[rows.table_id]
        one = one_log(rows, sheet) if contested else OneLog(rows)
        outcome.left_over += one.left_over
        key = (rows.table_id, rows.shoe)
        audited = audit_shoe(one.rows, table, numbers.get(key, frozenset()), one.findings)
        if audited.rows is not rows:
            outcome.restored[key] = audited.rows
        if audited.doubts:
            outcome.doubts[key] = audited.doubts
        _note(outcome, audited)
    if kept is not None:
        outcome.findings += kept.select(_NOTED_OF_A_FINDING).rows()
    return Audited(_batch(run_id, bucket, outcome, cleared, profiles), tuple(outcome.left_over))


def _table(sheet: TableSheet, earlier: Sequence[ShoeRows]) -> TableSoFar:
    table = TableSoFar(sheet)
    for rows in earlier:
        remember_order(rows, table.earlier)
    return table


# Which rows belong to which shoe


def _with_shoes(bucket: Bucket, outcome: _Outcome) -> Bucket:
    """Give calls that name no shoe to the one that was dealt from then, or to the next."""
    named = bucket.calls.filter(pl.col("shoe").is_not_null())
    unnamed = bucket.calls.filter(pl.col("shoe").is_null()).sort("ts")
    if unnamed.is_empty():
        return bucket
    began = (
        bucket.cards.group_by(SHOE_KEY)
        .agg(pl.col("ts").min())
        .select("table_id", "ts", found="shoe")
        .sort("ts")
    )
    before = unnamed.join_asof(
        began, on="ts", by="table_id", strategy="backward", check_sortedness=False
    )
    after = before.join_asof(
        began.rename({"found": "next"}),
        on="ts",
        by="table_id",
        strategy="forward",
        check_sortedness=False,
    )
    placed = after.with_columns(shoe=pl.coalesce("found", "next")).drop("found", "next")
    for table, source, row in (
        placed.filter(pl.col("shoe").is_null()).select("table_id", "source", "row").iter_rows()
    ):
        why = f"it names no shoe, and there is no card of {table} to tell one by"
        outcome.left_over.append(Leftover(source, row, why))
    return replace(bucket, calls=pl.concat([named, placed.drop_nulls("shoe")]))


def _shoes(bucket: Bucket) -> pl.DataFrame:
    """Name the shoes table by table in the order in which they were begun."""
    seen = [
        bucket.cards.select(*SHOE_KEY, "ts"),
        bucket.calls.select(*SHOE_KEY, "ts"),
        bucket.wagers.select(*SHOE_KEY, ts="placed_at"),
    ]
    return (
        pl.concat(seen)
        .group_by(SHOE_KEY)
        .agg(first=pl.col("ts").min(), last=pl.col("ts").max())
        .sort("table_id", "first", "shoe")
    )


def _profiles(
    bucket: Bucket, shoes: pl.DataFrame, sheets: Mapping[str, TableSheet]
) -> dict[tuple[str, str], Profile]:
    """Give the rules of shoes whose rounds can be cleared: one log, one rulebook, all placed."""
    unplaced = bucket.cards.filter(
        (pl.col("round").is_null() & (pl.col("hand").fill_null("") != "burn"))
        | pl.col("hand").is_null()
    )
    unnumbered = bucket.wagers.filter(pl.col("round").is_null())
    clearable = (
        shoes.join(unplaced, on=SHOE_KEY, how="anti")
        .join(unnumbered, on=SHOE_KEY, how="anti")
        .join(_contested(bucket.cards), on=SHOE_KEY, how="anti")
        .drop_nulls("first")
    )
    profiles: dict[tuple[str, str], Profile] = {}
    for table, shoe, first, last in clearable.select(*SHOE_KEY, "first", "last").iter_rows():
        sheet = sheets.get(table)
        if sheet is None:
            continue
        try:
            book = rulebook_at(sheet, first)
            if can_be_cleared(book) and rulebook_at(sheet, last) is book:
                profiles[table, shoe] = Profile(book, sheet)
        except BadTableSheet:
            continue
    return profiles


def _contested(cards: pl.DataFrame) -> pl.DataFrame:
    """Name the shoes of which a card is logged more than once, or that were filmed besides."""
    twice = cards.filter(pl.struct(*SHOE_KEY, "seq").is_duplicated()).select(SHOE_KEY)
    filmed = cards.filter(pl.col("footage").is_not_null()).select(SHOE_KEY).unique()
    besides = cards.filter(pl.col("footage").is_null()).join(filmed, on=SHOE_KEY, how="semi")
    return pl.concat([twice, besides.select(SHOE_KEY)]).unique()


def _rows_of_shoes(
    bucket: Bucket, shoes: pl.DataFrame, cleared: pl.DataFrame
) -> Iterator[tuple[bool, ShoeRows]]:
    """Give the rows of each shoe, without the wagers and calls of rounds that are cleared."""
    contested = set(_contested(bucket.cards).iter_rows())
    lost = lost_by_shoe(bucket.lost, bucket.cards)
    cards = _by_shoe(
        bucket.cards.sort("seq", maintain_order=True).with_columns(
            pl.col("alternatives", "doubt").fill_null("")
        ),
        _CARD_COLUMNS,
    )
    open_wagers = bucket.wagers.join(cleared, on=ROUND_KEY, how="anti", maintain_order="left")
    of_the_shoe = bucket.calls["call"].is_in(list(OF_THE_SHOE))
    open_calls = bucket.calls.with_columns(
        told=pl.when(of_the_shoe).then(None).otherwise("round")
    ).join(
        cleared,
        left_on=[*SHOE_KEY, "told"],
        right_on=ROUND_KEY,
        how="anti",
        maintain_order="left",
    )
    wagers = _by_shoe(open_wagers, _WAGER_COLUMNS)
    calls = _by_shoe(open_calls, _CALL_COLUMNS)
    for key in shoes.select(SHOE_KEY).iter_rows():
        table, shoe = key
        rows = ShoeRows(
            table,
            shoe,
            tuple(map(_card_row, _values(cards, key))),
            tuple(map(_wager_row, _values(wagers, key))),
            tuple(map(_call_row, _values(calls, key))),
            lost.get((table, shoe), ()),
        )
        yield key in contested, rows


_ORIGIN = ("source", "row")
_CARD_COLUMNS = (
    *("round", "seq", "card", "hand", "ts", "confidence", "alternatives", "at_s", "footage"),
    *("doubt", *_ORIGIN),
)
_WAGER_COLUMNS = (
    *("round", "bettor", "wager", "stake", "net", "box", "hand"),
    *("placed_at", "settled_at", "on_behalf_of"),
    *_ORIGIN,
)
_CALL_COLUMNS = ("ts", "call", "round", "hand", "bettor", "value", *_ORIGIN)


def _by_shoe(
    frame: pl.DataFrame, columns: tuple[str, ...]
) -> dict[tuple[object, ...], pl.DataFrame]:
    wanted = frame.select(*SHOE_KEY, *columns)
    return wanted.partition_by(SHOE_KEY, as_dict=True, include_key=False, maintain_order=True)


def _values(
    parts: Mapping[tuple[object, ...], pl.DataFrame], key: tuple[object, ...]
) -> Sequence[tuple[Any, ...]]:
    part = parts.get(key)
    return () if part is None else part.rows()


def _with_origin(values: tuple[Any, ...]) -> list[Any]:
    *content, source, row = values
    return [*content, Origin(source, row)]


def _card_row(values: tuple[Any, ...]) -> CardRow:
    return CardRow(*_with_origin(values))


def _wager_row(values: tuple[Any, ...]) -> WagerRow:
    return WagerRow(*_with_origin(values))


def _call_row(values: tuple[Any, ...]) -> CallRow:
    return CallRow(*_with_origin(values))


# What is stored


def _note(outcome: _Outcome, audited: AuditedShoe) -> None:
    rows = audited.rows
    shoe = (rows.table_id, rows.shoe)
    for one in audited.rounds:
        outcome.rounds.append(
            (
                *shoe,
                one.number,
                one.ts,
                one.rulebook,
                one.line,
                one.outcome,
                one.unjudged is None,
                one.unjudged,
                one.reconstructed,
            )
        )
        for finding in one.findings:
            outcome.findings.append(_finding_row(shoe, one.number, finding))
    for of_shoe in audited.findings:
        outcome.findings.append(_finding_row(shoe, of_shoe.round, of_shoe.finding))
    for row, why in audited.left_over:
        outcome.left_over.append(Leftover(row.origin.source, row.origin.row, why))


def _finding_row(shoe: tuple[str, str], number: int | None, finding: Finding) -> tuple[object, ...]:
    key = "/".join(shoe) if number is None else f"{'/'.join(shoe)}/{number}"
    return (
        finding.finding_id(key),
        *shoe,
        number,
        finding.code,
        str(finding.severity),
        finding.rulebook,
        finding.clause,
        None if finding.hand is None else str(finding.hand),
        finding.bettor or None,
        None if finding.wager is None else str(finding.wager),
        finding.expected,
        finding.observed,
        finding.exposure,
        finding.confidence,
        str(finding.evidence),
    )


_NOTED_OF_A_ROUND = [
    *ROUND_KEY,
    *("ts", "rulebook", "line", "outcome", "judged", "unjudged", "reconstructed"),
]
_NOTED_OF_A_FINDING = [
    column.name
    for column in FINDINGS.columns
    if column.name not in {"run_id", "ts", "dealer", "withdrawn"}
]


def _batch(
    run_id: str,
    bucket: Bucket,
    outcome: _Outcome,
    cleared: pl.DataFrame,
    profiles: Mapping[tuple[str, str], Profile],
) -> ShoeBatch:
    restored = list(outcome.restored.values())
    cards = stored_with_doubts(_stored_cards(bucket.cards, restored), outcome.doubts)
    wagers = _stored_wagers(bucket.wagers, restored)
    calls = _stored_calls(bucket.calls, restored)
    unnamed = unnamed_dealers(bucket.lost, bucket.cards)
    rounds = _with_dealers(_rounds(outcome, cleared, profiles, cards), calls, unnamed)
    findings = _frame(outcome.findings, FINDINGS, _NOTED_OF_A_FINDING)
    began = cards.group_by(SHOE_KEY).agg(began=pl.col("ts").min())
    findings = (
        findings.join(rounds.select(*ROUND_KEY, "ts", "dealer"), on=ROUND_KEY, how="left")
        .join(began, on=SHOE_KEY, how="left")
        .with_columns(ts=pl.coalesce("ts", "began"))
        .drop("began")
        .unique("finding_id", keep="first", maintain_order=True)
        .sort(*ROUND_KEY, "code", "finding_id", nulls_last=True)
    )
    named = pl.concat([frame.select(SHOE_KEY) for frame in (cards, wagers, calls)]).unique()
    return ShoeBatch(run_id, rounds, cards, wagers, calls, findings, named)


def _frame(rows: Sequence[tuple[object, ...]], table: Table, columns: list[str]) -> pl.DataFrame:
    types = frame_schema(table)
    return pl.DataFrame(rows, schema={name: types[name] for name in columns}, orient="row")


def _rounds(
    outcome: _Outcome,
    cleared: pl.DataFrame,
    profiles: Mapping[tuple[str, str], Profile],
    cards: pl.DataFrame,
) -> pl.DataFrame:
    judged = _frame(outcome.rounds, ROUNDS, _NOTED_OF_A_ROUND)
    books = pl.DataFrame(
        [(*key, profile.book.id) for key, profile in profiles.items()],
        schema={"table_id": pl.String, "shoe": pl.String, "rulebook": pl.String},
        orient="row",
    )
    began = (
        cards.join(cleared, on=ROUND_KEY, how="semi").group_by(ROUND_KEY).agg(pl.col("ts").min())
    )
    in_order = (
        cleared.join(began, on=ROUND_KEY)
        .join(books, on=SHOE_KEY)
        .with_columns(judged=pl.lit(value=True), reconstructed=pl.lit(value=False))
    )
    return pl.concat([judged, in_order], how="diagonal").sort(ROUND_KEY)


def _with_dealers(rounds: pl.DataFrame, calls: pl.DataFrame, unnamed: pl.DataFrame) -> pl.DataFrame:
    """Name who dealt each round: whoever came in last before its first card, if that is known."""
    named = calls.filter(
        pl.col("call") == CallKind.DEALER_IN, pl.col("value").fill_null("") != ""
    ).select("table_id", "ts", dealer="value")
    came_in = pl.concat([unnamed, named], how="diagonal").sort("ts", maintain_order=True)
    placed = rounds.with_row_index("order").sort("ts", nulls_last=True, maintain_order=True)
    timed, untimed = placed.drop_nulls("ts"), placed.filter(pl.col("ts").is_null())
    dealt = timed.join_asof(
        came_in, on="ts", by="table_id", strategy="backward", check_sortedness=False
    )
    return pl.concat([dealt, untimed], how="diagonal").sort("order").drop("order")


def _untouched(frame: pl.DataFrame, restored: Sequence[ShoeRows]) -> pl.DataFrame:
    keys = pl.DataFrame(
        [(rows.table_id, rows.shoe) for rows in restored],
        schema={"table_id": pl.String, "shoe": pl.String},
        orient="row",
    )
    return frame.join(keys, on=SHOE_KEY, how="anti", maintain_order="left")


def _stored_cards(cards: pl.DataFrame, restored: Sequence[ShoeRows]) -> pl.DataFrame:
    rows = [
        (
            *(shoe.table_id, shoe.shoe, row.round, row.seq, row.ts, row.card, row.hand),
            *(row.confidence, row.alternatives or None, row.at_s, row.footage, row.doubt or None),
        )
        for shoe in restored
        for row in shoe.cards
    ]
    columns = [column.name for column in CARDS.columns]
    kept = _untouched(cards, restored).select(columns)
    return pl.concat([kept, _frame(rows, CARDS, columns)]).sort(*SHOE_KEY, "seq")


def _stored_wagers(wagers: pl.DataFrame, restored: Sequence[ShoeRows]) -> pl.DataFrame:
    columns = [column.name for column in WAGERS.columns if column.name != "place"]
    schema = {name: wagers.schema[name] for name in columns}
    rows = [
        (
            *(shoe.table_id, shoe.shoe, row.round, row.box, row.bettor, row.wager, row.hand),
            *(row.stake, row.net, row.placed_at, row.settled_at, row.on_behalf_of),
        )
        for shoe in restored
        for row in shoe.wagers
    ]
    of_restored = pl.DataFrame(rows, schema=schema, orient="row")
    every = pl.concat([_untouched(wagers, restored).select(columns), of_restored])
    return every.drop_nulls("round").with_columns(
        place=pl.int_range(pl.len()).over(ROUND_KEY), stake=_money("stake"), net=_money("net")
    )


def _stored_calls(calls: pl.DataFrame, restored: Sequence[ShoeRows]) -> pl.DataFrame:
    columns = [column.name for column in CALLS.columns if column.name != "place"]
    schema = {name: calls.schema[name] for name in columns}
    rows = [
        (
            *(shoe.table_id, shoe.shoe, row.round, row.ts, row.call, row.hand),
            *(row.bettor, row.value),
        )
        for shoe in restored
        for row in shoe.calls
    ]
    of_restored = pl.DataFrame(rows, schema=schema, orient="row")
    every = pl.concat([_untouched(calls, restored).select(columns), of_restored])
    return every.sort("ts", maintain_order=True).with_columns(
        place=pl.int_range(pl.len()).over(ROUND_KEY)
    )


def _money(column: str) -> pl.Expr:
    """Turn whole cents into money, exactly."""
    return (pl.col(column).cast(pl.Decimal(38, 0)) * CENT).cast(pl.Decimal(18, 2))
