"""Terms that may stand for each other: of words that mean nearly the same, or of which one is said for the other."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from askwell.providers.document_store.words import terms
from askwell.question.akin import akin


@cache
def akin_terms() -> Mapping[str, frozenset[str]]:
    """By a term of `terms`, the terms that may stand for it. Read once, when it is first asked for."""
    found: dict[str, set[str]] = {}
    for group in akin().alike:
        of_group = {term for word in group for term in terms(word)}
        for term in of_group:
            found.setdefault(term, set()).update(of_group - {term})
    for word, others in akin().said_for.items():
        for term in terms(word):
            found.setdefault(term, set()).update(other for one in others for other in terms(one) if other != term)
    return {term: frozenset(others) for term, others in found.items()}
