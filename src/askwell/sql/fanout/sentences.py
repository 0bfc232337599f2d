"""What is said of an aggregate over repeated rows: to people, and to the model that writes the statement anew."""

from __future__ import annotations

from collections.abc import Sequence

from askwell.sql.fanout.aggregates import Kind
from askwell.sql.fanout.rows import Repetition, Way


def repetition_sentence(aggregates: Sequence[str], kind: Kind, found: Repetition) -> str:
    """Which aggregates, whose rows, which join, and what to write instead."""
    verb, verb_of_several = _VERBS[kind]
    effect = (verb if len(aggregates) == 1 else verb_of_several).format(table=found.table)
    causes = ", and ".join(map(_cause, found.ways))
    return f"{', '.join(aggregates)} {effect}: {causes}. {_advice(kind, found)}"


def _cause(way: Way) -> str:
    inside = f" inside {way.inside}" if way.inside else ""
    if way.conditions:
        join = f"the join with {way.by} on {' and '.join(way.conditions)}{inside}"
        return f"{join} repeats it for every row that matches"
    return f"nothing ties one row of {way.by} to it{inside}, so that it is repeated for every row of {way.by}"


def crossing_sentence(aggregate: str, labels: Sequence[str]) -> str:
    """Rows of several tables that are combined each with each, and counted."""
    tables = f"{', '.join(labels[:-1])} and {labels[-1]}"
    return (
        f"{aggregate} counts every combination of rows of {tables}, which are joined each with each. "
        "If rows of one of them are to be counted, count each in a subquery or CTE of its own and join the results."
    )


_VERBS = {
    Kind.SUM: ("adds the same row of {table} more than once", "add the same row of {table} more than once"),
    Kind.AVERAGE: (
        "gives one row of {table} more weight than another",
        "give one row of {table} more weight than another",
    ),
    Kind.COUNT: ("counts the same row of {table} more than once", "count the same row of {table} more than once"),
    Kind.LIST: ("lists the same row of {table} more than once", "list the same row of {table} more than once"),
}


def _advice(kind: Kind, found: Repetition) -> str:
    if kind is Kind.COUNT and found.key is not None:
        return f"To count each row once, write COUNT(DISTINCT {found.key})."
    joins = "that join" if len(found.ways) == 1 else "these joins"
    subqueries = " and ".join(f"a subquery of {way.by}" for way in found.ways)
    grouped = "that is grouped" if len(found.ways) == 1 else "that are each grouped"
    advice = (
        f"ggregate {found.table} in a subquery or CTE of its own before {joins}, "
        f"or join {subqueries} {grouped} to one row for each match."
    )
    return f"A{advice}" if kind is Kind.SUM else f"If each row should go in once, a{advice}"
