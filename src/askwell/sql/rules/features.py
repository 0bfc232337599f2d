"""What the probability of a reading is computed from: its assumptions and its form, as names that are there or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from askwell.sql.rules.assembly import Assembled
from askwell.sql.rules.facts import ModelFacts
from askwell.sql.rules.joining import JoinedQuery
from askwell.sql.rules.query import Output
from askwell.sql.rules.sentence import Sentence
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.translation import Assumption


def features_of(
    sentence: Sentence,
    assumptions: Sequence[Assumption],
    assembled: Assembled,
    joined: JoinedQuery,
    *,
    variant: bool,
) -> frozenset[str]:
    """The names of all features; `variant`: a word was read as a table or a column against what is usual."""
    facts = sentence.facts
    kinds = [a.kind for a in assumptions]
    query = joined.query
    tables = min(len(joined.tables), 4)
    found = set(kinds) | {f"shape:{shape}" for shape in assembled.shapes}
    found |= {f"{kind}:again" for kind in kinds if kinds.count(kind) > 1}
    found |= {f"{shape}@{tables}" for shape in assembled.shapes}
    found |= {f"{kind}@{tables}" for kind in kinds if kind == "loose_verb"}
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
    parts = sorted(f for f in found if f.startswith(("shape:", "shows:", "tables:")))
    found.add("form:" + "|".join(parts))
    found |= set(_wording(sentence))
    return frozenset(found)


def _wording(sentence: Sentence) -> Iterator[str]:
    """Signs in the words themselves: values that are written like plain words, values that several columns hold."""
    values = [span for span in sentence.spans if span.is_value and span.kind is not Thing.QUOTED]
    if any(not span.capital for span in values):
        yield "wording:plain_value"
    if any(len(span.values) > 1 for span in sentence.spans if span.is_value):
        yield "wording:value_in_several"


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
