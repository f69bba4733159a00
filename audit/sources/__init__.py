"""The inputs of an audit, read into typed frames with every row accounted for.

Card logs, bet ledgers and call logs, as CSV, JSON Lines or Parquet, plain or packed, told apart by
their columns; table sheets and footage by their names. `audit/sources/mapping.py` says how the
export of a vendor is read without code.
"""

from audit.sources.mapping import ColumnMapping, load_column_mapping, read_column_mapping
from audit.sources.reading import read_sources
from audit.sources.records import Account, Leftover, Refused, Sources

__all__ = [
    "Account",
    "ColumnMapping",
    "Leftover",
    "Refused",
    "Sources",
    "load_column_mapping",
    "read_column_mapping",
    "read_sources",
]
