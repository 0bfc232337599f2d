"""The interface of retrieval: a question about a project goes in, everything it needs comes out.

How many tokens of schema go into a prompt is said here too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from askwell.config import Settings
from askwell.heap import many_objects
from askwell.knowledge.saved import SavedKnowledge, SavedShelf, Scope, SqlPair
from askwell.pipelines.dag import IMPORTING, Dag
from askwell.pipelines.indexing.indexing import Indexing
from askwell.pipelines.retrieval.context import InstructionText, RetrievedContext, Sections
from askwell.pipelines.retrieval.model_text import estimated_tokens
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.saved import MeasuredLikeness, thresholds_of
from askwell.principal import NOBODY, Person
from askwell.providers.embedder.base import Embedder
from askwell.providers.engine.base import Engine

# Of a window, what `auto` gives to the tables that a search chooses, which a server has to read anew for each question;
# and the most that a schema gets, since longer prompts cost more than they help.
_CHOSEN_SHARE = 0.25
_MOST_AUTO = 24_000
# What no schema gets: the rules and the task, long and lean ones; what is known beside the schema, with the question;
# the reply; and a tenth, for texts with less than four characters a token. In a small window there is less of each.
_RULES, _LEAN_RULES = 1_500, 500
_BESIDE, _REPLY, _SMALL_SHARE = 1_600, 2_000, 0.125
_RESERVE = 0.1
# What `auto` gives where a window is not known: a quarter of the 16,000 tokens that servers set aside at least.
_UNKNOWN = 4_000
# Of a window, what a configured number may take at most.
_MOST_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Window:
    """How many `tokens` a language model reads at once; `is_known` where its server or the configuration says so;
    `is_lean` where its prompts have the short rules."""

    tokens: int
    is_known: bool = True
    is_lean: bool = False

    @property
    def beside(self) -> int:
        """The tokens that are kept for the question and what is saved."""
        return min(_BESIDE, int(self.tokens * _SMALL_SHARE))

    @property
    def for_schema(self) -> int:
        """The tokens that nothing else in a prompt, nor the reply, needs; at least a quarter of all."""
        kept = (_LEAN_RULES if self.is_lean else _RULES) + self.beside + min(_REPLY, int(self.tokens * _SMALL_SHARE))
        return max(int(self.tokens * (1 - _RESERVE)) - kept, int(self.tokens * _CHOSEN_SHARE))


@dataclass(frozen=True, slots=True)
class SchemaBudget:
    """The tokens that a schema may take: `whole` in all, `part` for the tables that are chosen of a larger model;
    `beside` for all else that a question brings, where `whole` is used up."""

    whole: int
    part: int
    beside: int

    def at_most(self, tokens: int) -> SchemaBudget:
        """The same, for a schema that has to be smaller."""
        return SchemaBudget(min(self.whole, tokens), min(self.part, tokens), min(self.beside, tokens))

    def for_saved(self, shown: int) -> int:
        """By what the shares of saved questions and instructions go, beside so many tokens of schema."""
        return min(self.part, self.whole - shown + self.beside)


def schema_budget(configured: int | Literal["auto"], windows: Sequence[Window]) -> SchemaBudget:
    """The room for a schema where these models read it: the configured number, at most half of the smallest window; or
    with `auto` what nothing else in the prompt needs of it, a quarter for tables that are chosen, and at most 24,000;
    at most 4,000 where nobody knows a window."""
    least = min((window.tokens for window in windows), default=None)
    if configured != "auto":
        tokens = configured if least is None else min(configured, int(least * _MOST_SHARE))
        return SchemaBudget(tokens, tokens, tokens)
    if least is None:
        return SchemaBudget(_UNKNOWN, _UNKNOWN, _UNKNOWN)
    tightest = min(windows, key=lambda window: window.for_schema)
    given = SchemaBudget(tightest.for_schema, int(least * _CHOSEN_SHARE), tightest.beside)
    most = _MOST_AUTO if all(window.is_known for window in windows) else _UNKNOWN
    return SchemaBudget(min(given.whole, most), min(given.part, most), given.beside)


# What the embedder gets for a question: a server that is tried again has longer than anybody wants to wait for it.
_EMBEDDING_SECONDS = 10.0


class AskedProject(Protocol):
    """What retrieval needs of a project; `services.projects.ProjectModel` is one."""

    @property
    def project_id(self) -> str: ...

    @property
    def prepared(self) -> PreparedModel: ...

    @property
    def engine(self) -> Engine: ...

    def pairs_for(self, person: Person, pairs: Mapping[str, SqlPair]) -> Mapping[str, SqlPair]:
        """Those of the saved questions that may be used for this person, and shown to them: the same mapping where
        they all may. May take milliseconds for each the first time."""
        ...


class Retrieval:
    """Searches a project's model and knowledge. An index that is missing (after a restart, or dropped because nobody
    asked for long) is built first, from vectors that the record keeps. The graph is built with the first search.

    `windows` tells how many tokens the language models read at once, as far as is known by now. `embedding_seconds` is
    what the embedder gets for a question; then words alone are searched. `measured` compares saved questions with the
    one that is asked, where thresholds were not measured for the embedder of the index.
    """

    def __init__(
        self,
        indexing: Indexing,
        saved: SavedShelf,
        settings: Settings,
        *,
        windows: Callable[[], Sequence[Window]] = lambda: (),
        embedding_seconds: float = _EMBEDDING_SECONDS,
        measured: Embedder | None = None,
        adapters: tuple[Any, ...] = (),
    ) -> None:
        self._words = MeasuredLikeness(measured or indexing.embedder)
        self._measured = None if measured is None else self._words
        self._tools: dict[str, Any] | None = None
        self._seconds = embedding_seconds
        self._windows = windows
        self._settings = settings
        self._indexing = indexing
        self._saved = saved
        self._dag: Dag[RetrievedContext] = Dag(
            "askwell.pipelines.retrieval.nodes",
            "askwell.pipelines.retrieval.schema_nodes",
            result="retrieved_context",
            name="retrieval",
            adapters=adapters,
        )

    async def has_instructions(self, project_id: str, scope: Scope = "sql") -> bool:
        """Whether instructions of that scope are saved for a project, so that a search may find some. Raises
        `RecordUnavailable`."""
        return any(rule.scope == scope for rule in (await self._saved.of(project_id)).instructions.values())

    async def instructions(self, project: AskedProject, question: str, scope: Scope) -> tuple[InstructionText, ...]:
        """The instructions of a scope for a question. Raises as `run` does."""
        if not await self.has_instructions(project.project_id, scope):
            return ()
        return (await self.run(project, question, scope=scope)).instructions

    @property
    def compares_words(self) -> bool:
        """Whether `likeness` says anything: the similarities of the embedder are measured."""
        return self._words.says_something

    async def likeness(self, words: Sequence[str], texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """How like each of the words is to each of the texts; empty where that is not known."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._words.between(words, texts)
        except TimeoutError:
            return []

    async def chosen(self, words: str, names: Sequence[str]) -> int | None:
        """The place of the name that words are likest to, where they are so like that they mean it."""
        for like in await self.likeness([words], names):
            place = max(range(len(like)), key=like.__getitem__)
            return place if like[place] >= self._words.marks.chosen else None
        return None

    async def run(
        self,
        project: AskedProject,
        question: str,
        *,
        tables: Sequence[str] = (),
        scope: Scope = "sql",
        most_tokens: int | None = None,
        person: Person = NOBODY,
    ) -> RetrievedContext:
        """Everything found for a question that stands alone, of what this person may be shown; with `tables` the schema
        shows these and what connects them. `most_tokens` is for a schema that has to be smaller than configured.
        `scope` is that of the instructions. Raises `EmbedderUnavailable` only where an index has to be built,
        `RecordUnavailable` where what is saved cannot be read."""
        saved = await self._saved.of(project.project_id)
        prepared, sections = await self._sections(project, saved)
        tools = await self._made()
        budget = schema_budget(self._settings.context_token_budget, self._windows())
        if most_tokens is not None:
            budget = budget.at_most(most_tokens)
        text = prepared.text
        shown = text.whole_tokens
        if shown > budget.whole or tables:
            shown = budget.part + estimated_tokens(text.outline(budget.whole - budget.part).text)
        return await self._dag.run(
            question=question,
            prepared=prepared,
            engine=project.engine,
            saved=await self._seen(project, saved, person),
            sections=sections,
            token_budget=budget.part,
            whole_budget=budget.whole,
            saved_budget=budget.for_saved(shown),
            chosen_tables=tuple(tables),
            instruction_scope=scope,
            **tools,
        )

    async def _seen(self, project: AskedProject, saved: SavedKnowledge, person: Person) -> SavedKnowledge:
        """What is saved, without the pairs that are not to be used for this person."""
        pairs = await asyncio.to_thread(project.pairs_for, person, saved.pairs)
        return saved if pairs is saved.pairs else replace(saved, pairs=pairs)

    @property
    def least_window(self) -> int | None:
        """How many tokens the language model with the smallest window reads at once; None without one."""
        return min((window.tokens for window in self._windows()), default=None)

    async def warm(self, project: AskedProject) -> None:
        """Do now what the first search of a project does first. Where rules answer alone, few questions are searched
        for: the libraries of the search are then left to the first of them. Raises as `run` does."""
        with many_objects():
            await self._sections(project, await self._saved.of(project.project_id))
        if self._windows():
            await self._made()

    async def _sections(self, project: AskedProject, saved: SavedKnowledge) -> tuple[PreparedModel, Sections]:
        prepared = await asyncio.to_thread(lambda: project.prepared)
        return prepared, Sections(
            await self._indexing.model_section(project.project_id, prepared.model),
            await self._indexing.knowledge_section(saved),
        )

    async def _made(self) -> dict[str, Any]:
        """What every search works with."""
        if self._tools is None:
            self._tools = await asyncio.to_thread(self._make)
        return self._tools

    def _make(self) -> dict[str, Any]:
        """Haystack and Hamilton take half a second to import."""
        with IMPORTING:
            from askwell.pipelines.components import CandidateRetriever, QuestionEmbedder, ScopeGate, TableRanker
        self._dag.build()
        embedder = self._indexing.embedder
        return {
            "embedder": embedder,
            "settings": self._settings,
            "measured_likeness": self._measured,
            "question_embedder": QuestionEmbedder(embedder, self._seconds),
            "retriever": CandidateRetriever(self._indexing.store),
            "table_ranker": TableRanker(self._settings.ranking),
            "scope_gate": ScopeGate(thresholds_of(embedder.identity)),
        }
