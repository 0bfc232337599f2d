"""What the probability of a reading is computed from: its assumptions and its form, as names that are there or not."""

from __future__ import annotations

from collections.abc import Sequence

from askwell.sql.rules.assembly import Assembled
from askwell.sql.rules.facts import ModelFacts
from askwell.sql.rules.joining import JoinedQuery
from askwell.sql.rules.query import Output
from askwell.sql.rules.translation import Assumption


def features_of(
    facts: ModelFacts, assumptions: Sequence[Assumption], assembled: Assembled, joined: JoinedQuery, *, variant: bool
) -> frozenset[str]:
    """The names of all features; `variant`: a word was read as a table or a column against what is usual."""
    kinds = [a.kind for a in assumptions]
    query = joined.query
    tables = min(len(joined.tables), 4)
    found = set(kinds) | {f"shape:{shape}" for shape in assembled.shapes}
    found |= {f"{kind}:again" for kind in kinds if kinds.count(kind) > 1}
    found |= {f"{shape}@{tables}" for shape in assembled.shapes}
    found |= {f"shows:{_nature(output, facts)}" for output in query.outputs}
    found.add(f"tables:{tables}")
    found.add(f"outputs:{min(len(query.outputs), 4)}")
    found.add(f"conditions:{min(len(query.conditions), 3)}")
    found.add(f"doubts:{min(len(set(kinds)), 6)}")
    if query.distinct:
        found.add("distinct")
    if variant:
        found.add("variant")
    if not assembled.shapes:
        found |= {f"lists:{_nature(output, facts)}" for output in query.outputs}
    return frozenset(found)


def _nature(output: Output, facts: ModelFacts) -> str:
    """What kind of thing is shown: how sure a reading is differs much by it."""
    if output.aggregate is not None:
        return output.aggregate + ("_distinct" if output.distinct else "")
    if output.bucket is not None or output.column is None:
        return "period"
    column = facts.columns[output.column]
    if column.is_key:
        return "key"
    if facts.tables[output.column.table].label == output.column:
        return "label"
    return "reference" if column.is_reference else column.kind.value
