"""Whether a question is about anything in the model."""

from __future__ import annotations

from collections.abc import Sequence

from askwell.pipelines.retrieval.context import Scope, ScoredTable, ValueMatch
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.thresholds import Thresholds
from askwell.providers.document_store.words import terms

SCOPE_MIN_HITS = 1
_NAMED = 3

# Words that questions about any data use, as terms: sharing one of them with a model says nothing.
_GENERAL_WORDS = """
    name names number numbers total count id date time year month week day type value average maximum minimum highest
    lowest most least more less top first last new old good best worst long big small same different between than data
    table tables column columns information record records information one two three no not never go make know want help
    think today now there here thing way kind
"""
_GENERAL = frozenset(terms(_GENERAL_WORDS))


def judge_scope(
    question: str,
    tables: Sequence[ScoredTable],
    values: Sequence[ValueMatch],
    prepared: PreparedModel,
    thresholds: Thresholds,
) -> Scope:
    """In scope: a telling word of the question is one of the model's or a value of its data, or a vector is near."""
    telling = set(terms(question)) - _GENERAL
    hits = len(telling & prepared.vocabulary) + len({match.words.lower() for match in values if match.is_named})
    nearest = sorted(tables, key=lambda table: -table.vector)[:_NAMED]
    best = nearest[0].vector if nearest else 0.0
    near = thresholds.near is None or best >= thresholds.near
    # Without vectors the order of tables that share no word with the question says nothing.
    names = tuple(table.name for table in nearest) if best > 0 else ()
    return Scope(in_scope=hits >= SCOPE_MIN_HITS or near, lexical_hits=hits, best_score=best, nearest=names)
