"""What the audit database holds, table by table and column by column, with what each one means.

Money is exact: DECIMAL(18,2) holds sixteen digits before the point. Moments are TIMESTAMPTZ, so the
same instant is the same whatever zone it was written in.
"""

from dataclasses import dataclass

VERSION = 3
"""Of this schema. A change of tables or views raises it and adds a step in `versions.py`."""

TEXT = "VARCHAR"
WHOLE = "BIGINT"
MOMENT = "TIMESTAMP WITH TIME ZONE"
MONEY = "DECIMAL(18,2)"
NUMBER = "DOUBLE"
TRUTH = "BOOLEAN"


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str
    meaning: str
    needed: bool = False
    """Every row has it."""


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    meaning: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    """What only one row can have. The bulk tables have none: an index would cost more than all
    else, and each shoe is replaced as a whole."""


def _needed(name: str, kind: str, meaning: str) -> Column:
    return Column(name, kind, meaning, needed=True)


_TABLE_ID = _needed("table_id", TEXT, "The gaming table, as its table sheet names it")
_SHOE = _needed("shoe", TEXT, "One filling of the dealing device, from shuffle to shuffle")
_ROUND = _needed("round", WHOLE, "The round of play, from 1 within a shoe")
_MAYBE_ROUND = Column("round", WHOLE, "The round of play; empty between rounds")
_PLACE = _needed("place", WHOLE, "Its place in the round from 0, as findings.evidence counts")

RUNS = Table(
    "runs",
    "One audit of some inputs by one version of Catwalk",
    (
        _needed("run_id", TEXT, "The same for the same inputs and version"),
        _needed("started_at", MOMENT, "When it was first started"),
        _needed("catwalk_version", TEXT, "The version that judged"),
        _needed("inputs", TEXT, "What it was given"),
        Column("rounds", WHOLE, "Rounds that it judged; empty while it is not finished"),
        Column("findings", WHOLE, "Findings that it made; empty while it is not finished"),
        Column("finished_at", MOMENT, "When it was first finished; empty if it was cut short"),
    ),
    key=("run_id",),
)

TABLES = Table(
    "tables",
    "The gaming tables",
    (
        _TABLE_ID,
        _needed("timezone", TEXT, "Where the table stands, as Asia/Singapore"),
        _needed("sheet", TEXT, "The text of its table sheet, by which it was judged last"),
    ),
    key=("table_id",),
)

SHOES = Table(
    "shoes",
    "The shoes that were audited; whatever belongs to a shoe is stored whole or not at all",
    (
        _TABLE_ID,
        _SHOE,
        _needed("run_id", TEXT, "The run that audited it last"),
        Column("first_ts", MOMENT, "The earliest card, call or round"),
        Column("last_ts", MOMENT, "The latest card, call or round"),
        _needed("cards", WHOLE, "How many cards left it"),
    ),
    key=("table_id", "shoe"),
)

ROUNDS = Table(
    "rounds",
    "The rounds of play",
    (
        _TABLE_ID,
        _SHOE,
        _ROUND,
        Column("ts", MOMENT, "When it began"),
        Column("rulebook", TEXT, "The approved rules it was judged by"),
        Column("dealer", TEXT, "Who dealt"),
        Column("line", TEXT, "The round on one line, where anything was found in it"),
        Column("outcome", TEXT, "What came out of it by the cards"),
        _needed("judged", TRUTH, "Whether the rules could be held against it"),
        Column("unjudged", TEXT, "Why the rules could not be held against it; empty: they were"),
        Column("reconstructed", TRUTH, "The device did not number it, or did not know its hands"),
    ),
)

DEALT = Table(
    "dealt",
    "How many rounds were dealt, counted when they are stored: what questions over years add up",
    (
        _TABLE_ID,
        _SHOE,
        Column("quarter", MOMENT, "The beginning of the quarter of an hour; empty: not known"),
        Column("dealer", TEXT, "Who dealt"),
        _needed("rounds", WHOLE, "Rounds that began in it"),
        _needed("judged", WHOLE, "Those of them that were judged"),
    ),
)

CARDS = Table(
    "cards",
    "The cards in the order in which they left the shoe",
    (
        _TABLE_ID,
        _SHOE,
        _MAYBE_ROUND,
        _needed("seq", WHOLE, "Order out of the shoe, from 1, burn cards included"),
        Column("ts", MOMENT, "When it was read"),
        _needed("card", TEXT, "Rank and suit, as AS or TD; ?? could not be read"),
        Column("hand", TEXT, "Where it went: player, banker, dealer, box1, box3.2, burn, discard"),
        Column("confidence", NUMBER, "How sure the reading is, from 0 to 1"),
        Column("alternatives", TEXT, "Other readings with their probability, as 9H:0.21 6H:0.02"),
        Column("at_s", NUMBER, "Seconds into the footage"),
        Column("footage", TEXT, "The file of the footage"),
        Column("doubt", TEXT, "Why its round cannot be relied on, though it may be read well"),
    ),
)

WAGERS = Table(
    "wagers",
    "The wagers as the bet ledger has them",
    (
        _TABLE_ID,
        _SHOE,
        _ROUND,
        _PLACE,
        Column("box", WHOLE, "The playing area"),
        Column("bettor", TEXT, "Who owns the wager, a pseudonym"),
        _needed("wager", TEXT, "Its kind: main, banker, tie, insurance"),
        Column("hand", TEXT, "Which split hand it stands on"),
        _needed("stake", MONEY, "What was wagered"),
        Column("net", MONEY, "Given beyond the stake (+) or taken (-); empty: not settled here"),
        Column("placed_at", MOMENT, "When it was placed"),
        Column("settled_at", MOMENT, "When it was settled"),
        Column("on_behalf_of", TEXT, "Whose wager this one rides on, where it is another's"),
    ),
)

CALLS = Table(
    "calls",
    "What was announced, decided or went wrong",
    (
        _TABLE_ID,
        _SHOE,
        _MAYBE_ROUND,
        _PLACE,
        Column("ts", MOMENT, "When"),
        _needed("call", TEXT, "What: bets_closed, hit, outcome, void, dealer_in"),
        Column("hand", TEXT, "About which hand"),
        Column("bettor", TEXT, "By or about whom"),
        Column("value", TEXT, "What exactly, as banker for an outcome"),
    ),
)

FINDINGS = Table(
    "findings",
    "Where play and the approved rules part. Facts: nobody edits them",
    (
        _needed("finding_id", TEXT, "The same for the same fact, however often it is audited"),
        _needed("run_id", TEXT, "The run that found it last"),
        _TABLE_ID,
        _SHOE,
        Column("round", WHOLE, "The round of play; empty if it is about the shoe"),
        Column("ts", MOMENT, "When the round began"),
        Column("dealer", TEXT, "Who dealt"),
        _needed("code", TEXT, "What kind of error; `catwalk explain CODE` tells"),
        _needed("severity", TEXT, "violation, review (evidence is not enough) or note"),
        _needed("rulebook", TEXT, "The approved rules"),
        _needed("clause", TEXT, "The clause that was broken"),
        Column("hand", TEXT, "The hand, where it is about one"),
        Column("bettor", TEXT, "The bettor, where it is about one"),
        Column("wager", TEXT, "The kind of wager, where it is about one"),
        _needed("expected", TEXT, "What the rules require"),
        _needed("observed", TEXT, "What happened"),
        Column(
            "exposure", MONEY, "+ the house gave away, - a bettor was short-changed, or unknown"
        ),
        _needed("confidence", NUMBER, "How likely it stands, given how sure the cards are"),
        _needed("evidence", TEXT, "Cards by seq, wagers and calls by place"),
        _needed("withdrawn", TRUTH, "A later audit no longer finds it; kept since it was reviewed"),
    ),
    key=("finding_id",),
)

REVIEWS = Table(
    "reviews",
    "What reviewers made of findings. Opinions: a new row for each, chained by hash",
    (
        _needed("review_id", WHOLE, "From 1, without a gap"),
        _needed("finding_id", TEXT, "The finding that was reviewed"),
        _needed("reviewer", TEXT, "Who"),
        _needed("at_ts", MOMENT, "When"),
        _needed("verdict", TEXT, "confirmed, dismissed or open"),
        _needed("reason", TEXT, "Why"),
        _needed("facts_hash", TEXT, "SHA-256 of the finding as the reviewer saw it"),
        _needed("previous_hash", TEXT, "The hash of the review before, 64 zeros for the first"),
        _needed("hash", TEXT, "SHA-256 over the hash before and this row"),
    ),
    key=("review_id",),
)

INPUTS = Table(
    "inputs",
    "The files of a run, and what became of their rows: used + left over + refused = read",
    (
        _needed("run_id", TEXT, "The run that read it"),
        _needed("source", TEXT, "The file"),
        _needed("read", WHOLE, "Rows that it has"),
        _needed("used", WHOLE, "Rows that are in a shoe that was audited"),
        _needed("left_over", WHOLE, "Rows with nothing wrong with them that are not used"),
        _needed("refused", WHOLE, "Rows that cannot be used"),
    ),
)

UNUSED_ROWS = Table(
    "unused_rows",
    "Rows, and whole files, that a run did not use",
    (
        _needed("run_id", TEXT, "The run that read it"),
        _needed("source", TEXT, "The file"),
        _needed("row", WHOLE, "From 1 for the first below the header; 0 for the file as a whole"),
        Column("column_name", TEXT, "The column that is wrong, where it is one"),
        Column("value", TEXT, "What stands there"),
        _needed("why", TEXT, "Why it was not used"),
        _needed("refused", TRUTH, "It cannot be used; else nothing is wrong with it"),
    ),
)

SCHEMA = Table(
    "schema",
    "The version of these tables",
    (_needed("version", WHOLE, "Catwalk upgrades an older one in place"),),
)

OF_A_SHOE = (ROUNDS, CARDS, WAGERS, CALLS, DEALT)
"""What is replaced as a whole when its shoe is audited again. Findings are, too, with more care."""
OF_A_RUN = (INPUTS, UNUSED_ROWS)
ALL_TABLES = (RUNS, *OF_A_RUN, TABLES, SHOES, *OF_A_SHOE, FINDINGS, REVIEWS, SCHEMA)


def create_table(table: Table) -> str:
    """Write the SQL that makes a table."""
    lines = [f'"{column.name}" {column.type}{_constraint(column)}' for column in table.columns]
    if table.key:
        lines.append(f"PRIMARY KEY ({', '.join(table.key)})")
    return f'CREATE TABLE "{table.name}" ({", ".join(lines)})'


def _constraint(column: Column) -> str:
    if column.name == "withdrawn":
        return " NOT NULL DEFAULT false"
    return " NOT NULL" if column.needed else ""


def comment_on(what: str, name: str, meaning: str) -> str:
    """Write the SQL that says what something means; `about` shows it."""
    text = meaning.replace("'", "''")
    return f"COMMENT ON {what} {name} IS '{text}'"


def comments(table: Table) -> list[str]:
    """Write the SQL that says what a table and its columns mean."""
    name = f'"{table.name}"'
    return [
        comment_on("TABLE", name, table.meaning),
        *(
            comment_on("COLUMN", f'{name}."{column.name}"', column.meaning)
            for column in table.columns
        ),
    ]
