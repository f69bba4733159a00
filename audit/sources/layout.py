"""Which log a file is, and where in it each column stands, told by the names of its columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audit.sources.columns import ALSO_READ_AS, CALLS, LOGS, Log
from audit.sources.mapping import ColumnMapping
from audit.sources.records import Unreadable, shown

_MOST_NAMED = 20
_NEITHER = "neither a card log (card, seq), nor a bet ledger (wager, stake), nor a call log (call)"


@dataclass(frozen=True, slots=True)
class Layout:
    log: Log
    places: Mapping[str, int]
    """Where our columns stand among those of the file, counted from 0."""
    names: Mapping[str, str]
    """What the file calls each of our columns, or would if it had it.

    One is missing where the mapping uses its name for another and gives it none.
    """


def layout_of(names: Sequence[str], mapping: ColumnMapping) -> Layout:
    """Tell a file by its columns, refusing it when they are not those of one log."""
    spelt = [name.strip().lower() for name in names]
    log = _log_of(spelt, mapping)
    ours = _names(log, spelt, mapping)
    constants = mapping.constants.get(log.frame, {})
    for column in log.columns:
        name = ours.get(column.name, "")
        count = spelt.count(name) if name else 0
        if count > 1:
            why = f"it has the column {shown(name)} twice"
            raise Unreadable(why, column=column.name)
        if not count and column.needed and column.name not in constants:
            why = f"it has the columns of a {log.title}, but no column {column.name}"
            raise Unreadable(why, column=column.name)
    places = {ours: spelt.index(theirs) for ours, theirs in ours.items() if theirs in spelt}
    return Layout(log, places, ours | {name: names[place] for name, place in places.items()})


def _log_of(spelt: list[str], mapping: ColumnMapping) -> Log:
    told = []
    for log in LOGS:
        names = _names(log, spelt, mapping)
        if all(names.get(column) in spelt for column in log.told_by):
            told.append(log)
    if len(told) > 1 and CALLS in told:
        told.remove(CALLS)  # one column is little to tell a log by
    if len(told) > 1:
        titles = " and of a ".join(log.title for log in told)
        raise Unreadable(f"it has the columns of a {titles}: keep them apart")
    if not told:
        columns = ", ".join(shown(name) for name in spelt[:_MOST_NAMED] if name) or "no columns"
        raise Unreadable(f"it is {_NEITHER}: it has {columns}")
    return told[0]


def _names(log: Log, spelt: list[str], mapping: ColumnMapping) -> dict[str, str]:
    """Find what a file calls our columns: the vendor's names if it has one of them, else ours."""
    theirs = mapping.columns.get(log.frame, {})
    only_theirs = set(theirs.values()) - set(log.content)
    if only_theirs and only_theirs.isdisjoint(spelt):
        theirs = {}
    names: dict[str, str] = {}
    for ours in log.content:
        other = ALSO_READ_AS.get(ours, ours)
        free = [name for name in (ours, other) if name not in theirs.values()]
        possible = [theirs[ours], *free] if ours in theirs else free
        present = [name for name in possible if name in spelt]
        if possible:
            names[ours] = (present or possible)[0]
    return names
