"""The words that lead to a model: its own, and those that people use for them."""

from __future__ import annotations

from functools import cache

from askwell.mdl.names import readable
from askwell.mdl.semantic_model import SemanticModel
from askwell.providers.document_store.words import terms
from askwell.question.about_data import general_words
from askwell.question.akin import akin


@cache
def _terms(words: frozenset[str]) -> frozenset[str]:
    return frozenset(term for word in words for term in terms(word))


def _general() -> frozenset[str]:
    """The terms of words that questions about any data use. Read when they are first asked for."""
    return _terms(general_words())


class ModelWords:
    """The words that lead to a model. `names` are the terms of what its tables and columns are called; `related` those
    of their descriptions and values, and words that people use for the names."""

    def __init__(self, model: SemanticModel) -> None:
        names: set[str] = set()
        said: set[str] = set()
        for table in model:
            names |= _named(table.name, table.display_name, *table.synonyms)
            said.update(terms(f"{table.description or ''} {table.question or ''}"))
            for column in table.columns:
                names |= _named(column.name, column.display_name, *column.synonyms) - _general()
                said.update(terms(f"{column.description or ''} {' '.join(column.values)}"))
        related = [group for group in map(_terms, akin().related) if group & names]
        if _terms(akin().persons) & names:
            related.append(_terms(akin().people))
        self.names = frozenset(names)
        self.related = frozenset(said).union(*related) - _general() - self.names

    def telling(self, text: str) -> frozenset[str]:
        """The terms of a text that say what it is about."""
        return frozenset(term for term in terms(text) if not term.isdigit()) - (_general() - self.names)


def _named(name: str, *others: str | None) -> set[str]:
    """The telling terms of names. One that is nothing but a general word means something all the same: a table of
    orders' lines, or of groups."""
    found: set[str] = set()
    for text in (readable(name), *(readable(other) for other in others if other)):
        of_name = {term for term in terms(text) if len(term) > 1}
        found |= of_name if len(of_name) == 1 else of_name - _general()
    return found
