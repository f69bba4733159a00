"""The views: questions that are asked every week, already half answered.

A finding *stands* while no later audit withdrew it and no reviewer dismissed it. Every view counts
only what stands, so that nobody is held to an error that a person looked at and threw out.
"""

from dataclasses import dataclass

from audit.store.schema import FINDINGS, ROUNDS, comment_on


@dataclass(frozen=True, slots=True)
class View:
    name: str
    meaning: str
    query: str
    columns: tuple[tuple[str, str], ...]
    """Its columns, and what they mean."""


_MONEY_COLUMNS = (
    ("given_away", "What the house gave away"),
    ("short_changed", "What bettors were short-changed"),
)
_COUNT_COLUMNS = (
    ("rounds", "Rounds that were judged"),
    ("violations", "Violations that stand"),
    ("to_review", "Findings whose evidence is not enough to say"),
    ("errors_per_1000", "Violations for each 1,000 rounds judged"),
    *_MONEY_COLUMNS,
)

_ADDED_COLUMNS = (
    ("family", "The first three letters of the code"),
    ("verdict", "What the last reviewer said; empty: not reviewed"),
    *_MONEY_COLUMNS,
)


def _findings_columns(*left_out: str) -> tuple[tuple[str, str], ...]:
    kept = (column for column in FINDINGS.columns if column.name not in left_out)
    return (*((column.name, column.meaning) for column in kept), *_ADDED_COLUMNS)


LAST_REVIEWS = View(
    "last_reviews",
    "The last review of each finding that has one",
    """
    SELECT finding_id, arg_max(verdict, review_id) AS verdict,
           arg_max(reviewer, review_id) AS reviewer, arg_max(reason, review_id) AS reason,
           arg_max(at_ts, review_id) AS at_ts, count(*) AS reviews
    FROM reviews GROUP BY finding_id
    """,
    (
        ("finding_id", "The finding that was reviewed"),
        ("verdict", "confirmed, dismissed or open"),
        ("reviewer", "Who"),
        ("reason", "Why"),
        ("at_ts", "When"),
        ("reviews", "How many reviews it has"),
    ),
)

STANDING = View(
    "standing",
    "Findings of any severity that are neither withdrawn nor dismissed by their last review",
    """
    SELECT findings.* EXCLUDE (withdrawn), left(code, 3) AS family, verdict,
           CASE WHEN exposure > 0 THEN exposure ELSE 0 END::DECIMAL(18,2) AS given_away,
           CASE WHEN exposure < 0 THEN -exposure ELSE 0 END::DECIMAL(18,2) AS short_changed
    FROM findings LEFT JOIN last_reviews USING (finding_id)
    WHERE NOT withdrawn AND verdict IS DISTINCT FROM 'dismissed'
    """,
    _findings_columns("withdrawn"),
)

INCIDENTS = View(
    "incidents",
    "Violations that stand, each with its round on one line, its dealer and its money",
    """
    SELECT standing.* EXCLUDE (severity, run_id), line, outcome
    FROM standing LEFT JOIN rounds USING (table_id, shoe, round)
    WHERE severity = 'violation'
    """,
    (
        *_findings_columns("withdrawn", "severity", "run_id"),
        *(
            (column.name, column.meaning)
            for column in ROUNDS.columns
            if column.name in {"line", "outcome"}
        ),
    ),
)

_FOUND = """
    count(*) FILTER (severity = 'violation') AS violations,
    count(*) FILTER (severity = 'review') AS to_review,
    coalesce(sum(given_away) FILTER (severity = 'violation'), 0) AS given_away,
    coalesce(sum(short_changed) FILTER (severity = 'violation'), 0) AS short_changed
"""
_TOTALS = """
    coalesce(played.rounds, 0) AS rounds,
    coalesce(found.violations, 0) AS violations,
    coalesce(found.to_review, 0) AS to_review,
    round(1000.0 * coalesce(found.violations, 0) / nullif(played.rounds, 0), 2) AS errors_per_1000,
    coalesce(found.given_away, 0)::DECIMAL(38,2) AS given_away,
    coalesce(found.short_changed, 0)::DECIMAL(38,2) AS short_changed
"""


def _totals_by(name: str, key: tuple[str, str], of: str, meaning: str, order: str) -> View:
    """Count rounds and what stands for each value of `of`; `key` names and explains it.

    Rounds are counted by quarters of an hour first: there are few of those in any number of years.
    """
    clock = "timezone" in of
    counted = "SELECT quarter AS ts, timezone, sum(judged) AS judged" if clock else "SELECT *"
    grouped = "LEFT JOIN tables USING (table_id) GROUP BY ALL" if clock else ""
    query = f"""
    WITH played AS (
        SELECT {of} AS key, sum(judged)::BIGINT AS rounds
        FROM ({counted} FROM dealt {grouped}) GROUP BY key
    ), found AS (
        SELECT {of} AS key, {_FOUND}
        FROM standing LEFT JOIN tables USING (table_id) GROUP BY key
    )
    SELECT coalesce(played.key, found.key) AS {key[0]}, {_TOTALS}
    FROM played FULL JOIN found ON played.key IS NOT DISTINCT FROM found.key
    ORDER BY {order}
    """  # noqa: S608 - every part is written in this file
    return View(name, meaning, query, (key, *_COUNT_COLUMNS))


BY_DEALER = _totals_by(
    "by_dealer",
    ("dealer", "Who dealt; empty: not known"),
    "dealer",
    "Rounds, violations and money of each dealer, most errors per round first",
    "errors_per_1000 DESC, dealer",
)
BY_TABLE = _totals_by(
    "by_table",
    ("table_id", "The gaming table"),
    "table_id",
    "Rounds, violations and money of each table, most errors per round first",
    "errors_per_1000 DESC, table_id",
)
BY_HOUR = _totals_by(
    "by_hour",
    ("hour", "The hour of the day; empty: not known"),
    "hour(ts AT TIME ZONE coalesce(timezone, 'UTC'))",
    "Rounds, violations and money by the hour of the day on the clock of the table, 0 to 23",
    "hour",
)
BY_CODE = View(
    "by_code",
    "Findings that stand and money for each code, against all rounds judged, most first",
    f"""
    WITH found AS (SELECT code, family, {_FOUND} FROM standing GROUP BY code, family),
         played AS (SELECT sum(judged)::BIGINT AS rounds FROM dealt)
    SELECT code, family, {_TOTALS}
    FROM found CROSS JOIN played ORDER BY violations DESC, to_review DESC, code
    """,  # noqa: S608 - every part is written in this file
    (("code", "What kind of error"), _ADDED_COLUMNS[0], *_COUNT_COLUMNS),
)
ABOUT = View(
    "about",
    "What every table, view and column of this database means",
    """
    SELECT table_name AS name, NULL AS column_name, NULL AS type, comment AS meaning
    FROM duckdb_tables() WHERE NOT internal
    UNION ALL
    SELECT view_name, NULL, NULL, comment FROM duckdb_views() WHERE NOT internal
    UNION ALL
    SELECT table_name, column_name, data_type, comment FROM duckdb_columns() WHERE NOT internal
    ORDER BY name, column_name NULLS FIRST
    """,
    (
        ("name", "The table or view"),
        ("column_name", "Its column; empty: the table or view itself"),
        ("type", "What the column holds"),
        ("meaning", "What it means"),
    ),
)

ALL_VIEWS = (
    LAST_REVIEWS,
    STANDING,
    INCIDENTS,
    BY_DEALER,
    BY_TABLE,
    BY_HOUR,
    BY_CODE,
    ABOUT,
)


def create_view(view: View) -> list[str]:
    """Write the SQL that makes a view and says what it means."""
    return [
        f"CREATE OR REPLACE VIEW {view.name} AS {view.query}",
        comment_on("VIEW", view.name, view.meaning),
        *(
            comment_on("COLUMN", f"{view.name}.{column}", meaning)
            for column, meaning in view.columns
        ),
    ]
