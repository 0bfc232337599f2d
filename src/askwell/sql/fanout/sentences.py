"""What is said of an aggregate over repeated rows: to people, and to the model that writes the statement anew."""

from __future__ import annotations

from collections.abc import Sequence

from askwell.sql.fanout.aggregates import Kind
from askwell.sql.fanout.rows import Repetition


def repetition_sentence(aggregates: Sequence[str], kind: Kind, found: Repetition) -> str:
    """Which aggregates, whose rows, which join, and what to write instead."""
    verb, verb_of_several = _VERBS[kind]
    effect = (verb if len(aggregates) == 1 else verb_of_several).format(table=found.table)
    inside = f" inside {found.inside}" if found.inside else ""
    if found.conditions:
        join = f"the join with {found.by} on {' and '.join(found.conditions)}{inside}"
        cause = f"{join} repeats it for every row that matches"
    else:
        cause = f"nothing ties one row of {found.by} to it{inside}, so that it is repeated for every row of {found.by}"
    return f"{', '.join(aggregates)} {effect}: {cause}. {_advice(kind, found)}"


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
    advice = (
        f"ggregate {found.table} in a subquery or CTE of its own before that join, "
        f"or join a subquery of {found.by} that is grouped to one row for each match."
    )
    return f"A{advice}" if kind is Kind.SUM else f"If each row should go in once, a{advice}"
