"""Vaults for jobs: what is a value in a project's texts goes by its semantic model and by its sampled values."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from cachetools import LRUCache

from askwell.config.values import Privacy
from askwell.errors import AskwellError
from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.retrieval.value_words import likely_values
from askwell.privacy.vault import Vault
from askwell.privacy.vocabulary import SAME_EVERYWHERE, Vocabulary, is_given, plain_words
from askwell.question.lexicon import english
from askwell.question.words import plain_english
from askwell.services.projects import KEPT_MODELS, ProjectModel, ProjectModels
from askwell.sql.guard.catalogues import REVIEWED
from askwell.sql.guard.functions import DENIED, DENIED_PREFIXES
from askwell.sql.guard.nodes import DIALECTS, dialect_of
from askwell.sql.world import BY_NAME

# Shorter names of countries are words as well: us.
_LEAST_LETTERS = 4


class PrivateValues:
    """Makes the vault of each job, where the project's values stay. `mode_of` says what holds for a project."""

    def __init__(self, projects: ProjectModels, mode_of: Callable[[str], Privacy]) -> None:
        self._projects = projects
        self._mode_of = mode_of
        self._vocabularies: LRUCache[tuple[str, str], Vocabulary] = LRUCache(KEPT_MODELS)

    async def vault_for(self, project_id: str) -> Vault | None:
        """A new vault; None where the values of the project may leave. Where its model cannot be had, no word is the
        model's. Raises `ConfigurationError` where the lists of everyday words are missing."""
        mode = self._mode_of(project_id)
        if mode == "full":
            return None
        try:
            project = await self._projects.get(project_id, None)
        except AskwellError:
            project = None
        if project is None:
            return Vault(mode, await asyncio.to_thread(everyday_vocabulary))
        vocabulary, known = await asyncio.to_thread(self._of, project)
        return Vault(mode, vocabulary, project.engine.dialect, known)

    def _of(self, project: ProjectModel) -> tuple[Vocabulary, Callable[[str], Sequence[str]]]:
        key = project.project_id, project.content_hash
        vocabulary = self._vocabularies.get(key)
        if vocabulary is None:
            vocabulary = self._vocabularies[key] = _vocabulary(tuple(_names(project.model)))
        index = project.prepared.value_index

        def known(text: str) -> Sequence[str]:
            return [match.words for match in likely_values(index.matches(text))]

        return vocabulary, known


@cache
def everyday_vocabulary() -> Vocabulary:
    """No model's words."""
    return _vocabulary(())


def _vocabulary(names: Sequence[str]) -> Vocabulary:
    known = english()
    everyday = known.everywhere | known.verbs | known.nouns | known.chat | plain_english()
    countries = [name for name in BY_NAME if len(name) >= _LEAST_LETTERS and name not in SAME_EVERYWHERE]
    own = Vocabulary.of(names, plain_words(), everyday=everyday, nobody=frozenset(countries))
    return replace(own, sql=_sql_words())


@cache
def _sql_words() -> frozenset[str]:
    """Keywords, types and functions of SQL, which messages about statements name. Neither people nor places are."""
    keywords = {word for dialect in DIALECTS for word in dialect_of(dialect).tokenizer_class.KEYWORDS if word.isalpha()}
    functions = DENIED.union(*REVIEWED.values(), (prefix.rstrip("_") for prefix in DENIED_PREFIXES))
    words = {word.lower() for word in keywords | functions if not is_given(word)}
    return frozenset(words - {name.lower() for name in BY_NAME})


def _names(model: SemanticModel) -> Iterator[str]:
    for table in model:
        yield from (table.name, *table.synonyms, *filter(None, [table.display_name]))
        for column in table.columns:
            yield from (column.name, *column.synonyms, *filter(None, [column.display_name]))
    for relationship in model.relationships:
        yield relationship.name
