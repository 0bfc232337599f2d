"""Questions to ranked SQL candidates, each with the logical form it comes from and the features that speak for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Self

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.follow_ups import ways_to_read, without_asides
from askwell.question.lexicon import english
from askwell.question.tokens import MAX_TOKENS, NO_TEXT, tokenize
from askwell.question.words import plain_english
from askwell.semantic_parsing.bound_readings import (
    keeps_to,
    of_another_role,
    resolved,
    role_words,
    settled,
    with_count,
    with_figure,
    with_times,
)
from askwell.semantic_parsing.chart import Chart, Grammar, Item
from askwell.semantic_parsing.compiling.comparability import Meaningless
from askwell.semantic_parsing.compiling.compiler import PLAIN_VARIANTS, VARIANTS, Compiled, Compiler
from askwell.semantic_parsing.compiling.vocabulary import Vocabulary
from askwell.semantic_parsing.contradictions import Contradictions, values_left_out
from askwell.semantic_parsing.coverage import NOT_FAR, is_covered, leaves_out, preferred
from askwell.semantic_parsing.forms import Bucket, During, Query
from askwell.semantic_parsing.grammar import GRAMMAR
from askwell.semantic_parsing.grounding import Grounder, Grounding, column_sign
from askwell.semantic_parsing.lattice import Lattice
from askwell.semantic_parsing.linking import Names
from askwell.semantic_parsing.model.catalog import Catalog
from askwell.semantic_parsing.skips import NAMES
from askwell.sql.bindings import FREE, Bindings

# Scores that differ by less are as good as each other.
_NEAR = 1.0
MOST_READINGS, MOST_CANDIDATES, HOPELESS = 12, 12, 6.0
# Statements of readings that are no answer; the likeliest says what is left out. Of 282 refusals of questions of Spider
# 3 were in other words than with all statements (8: none), for half of the time that these take (8: two thirds).
_ENOUGH = 4
# The chart's work grows with the cube of the tokens; what people ask in one sentence is shorter.
LONGEST = 45


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to understand a question. `features` count what speaks for and against it; `score` is their weight;
    `reading`, `grounding` and `lattice` are what it was made from."""

    tree: exp.Query
    sql: str
    query: Query
    score: float
    features: Mapping[str, int]
    tables: tuple[str, ...]
    ordered: bool
    reading: Item
    grounding: Grounding
    lattice: Lattice


@dataclass(frozen=True, slots=True)
class Before:
    """What a follow-up adds to: the reading of what was asked before, the stems that were said by then, and what its
    statement reads: words that could mean one of these `columns` mean no other, `times` are of these dates, which stay
    those of its tables until others are read, and tables stay joined as they were."""

    query: Query
    said: frozenset[str] = frozenset()
    columns: frozenset[ColumnRef] = frozenset()
    times: frozenset[ColumnRef] = frozenset()
    relationships: tuple[str, ...] = ()

    @classmethod
    def of(cls, candidate: Candidate, earlier: Before | None = None) -> Before:
        """What is known after a question that was read so, which may have added to an `earlier` one."""
        said = candidate.lattice.stems | (earlier.said if earlier else frozenset())
        read = frozenset(ColumnRef(column.table, column.name) for column in candidate.tree.find_all(exp.Column))
        columns, query = candidate.grounding.columns, candidate.query
        timed = (one.of for one in (*query.where, *query.group) if isinstance(one, During | Bucket))
        times = frozenset(columns[of] for of in timed)
        kept = frozenset(one for one in (earlier.times if earlier else ()) if one.table in candidate.tables)
        return cls(resolved(query, columns), said, read, times or kept)

    def of_times(self, times: Collection[ColumnRef]) -> Self:
        """The same with these dates in the place of those that nobody named."""
        query = with_times(self.query, times)
        if query == self.query:
            return self
        columns = (self.columns - self.times) | frozenset(times)
        return replace(self, query=query, columns=columns, times=frozenset(times))


@dataclass(frozen=True)
class Limits:
    """What readings of a question keep to: the question `before`, what somebody said that it means, and whether nothing
    is shown that was not asked for (`bare`)."""

    before: Before | None = None
    bound: Bindings = FREE
    bare: bool = True

    def said(self, lattice: Lattice) -> frozenset[str]:
        """The stems of the question and of those before, and the signs of the columns that are known to be meant."""
        known = frozenset(self.bound.columns) | (self.before.times if self.before else frozenset())
        earlier = self.before.said if self.before else frozenset()
        return lattice.stems | earlier | frozenset(map(column_sign, known))

    @cached_property
    def chosen(self) -> frozenset[ColumnRef]:
        """The columns that words mean where they may."""
        return frozenset(self.bound.columns) | (self.before.columns | self.before.times if self.before else frozenset())

    @cached_property
    def settled(self) -> frozenset[str]:
        """The features that say nothing any more."""
        return settled(self.bound)

    @property
    def joined(self) -> tuple[str, ...]:
        """The relationships over which the statement before joins tables."""
        return self.before.relationships if self.before else ()


@dataclass(frozen=True, slots=True)
class Parse:
    """All readings of a question, the likeliest first. `lattice` is that of the whole question, None where it is too
    long or no text; `failure` is what the likeliest of the readings came to grief on that leave no word out and have
    no statement."""

    candidates: Sequence[Candidate] = ()
    lattice: Lattice | None = None
    failure: Meaningless | None = None


def _worth(candidate: Candidate) -> float:
    """What decides between readings that make one statement: whoever asks misses no operator that another one reads."""
    return candidate.score - NOT_FAR * any(name.startswith("skip:operator") for name in candidate.features)


@dataclass(slots=True)
class _Found:
    by_sql: dict[str, Candidate] = field(default_factory=dict)
    failure: Meaningless | None = None

    def add(self, candidate: Candidate) -> None:
        told = "|".join(shown.unalias().sql() for shown in candidate.tree.selects)  # whatever the figures are called
        told += candidate.sql.split(" FROM ", 1)[-1]
        known = self.by_sql.get(told)
        if known is None or _worth(known) < _worth(candidate):
            self.by_sql[told] = candidate


def weigh(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The score of features: the log of unnormalised odds."""
    return sum(count * weights.get(name, 0.0) for name, count in features.items())


class SemanticParser:
    """Reads questions about one semantic model. Read-only after construction; may be used by several threads."""

    def __init__(
        self, catalog: Catalog, dialect: str, weights: Mapping[str, float], grammar: Grammar = GRAMMAR
    ) -> None:
        self.catalog, self._grammar = catalog, grammar
        self._vocabulary = Vocabulary(self.catalog.facts, dialect)
        self._dialect, self._weights = dialect, weights
        self._contradictions = Contradictions(catalog)

    def candidates(self, question: str, *, before: Before | None = None, bare: bool = True) -> Sequence[Candidate]:
        """Different statements, the likeliest first; none where nothing is understood, and for what is too long or no
        text. `before` is what a follow-up adds to; `bare`: nothing is shown that was not asked for."""
        return self.parse(question, before=before, bare=bare).candidates

    def parse(
        self,
        question: str,
        *,
        before: Before | None = None,
        bare: bool = True,
        bound: Bindings = FREE,
        taught: Names = MappingProxyType({}),
        complete: bool = True,
    ) -> Parse:
        """The candidates, and what there is to say of the question where there are none. All of them keep to what the
        question is `bound` to; `taught` are words with what they mean, whatever the model has that may be called so.
        Unless `complete`, a question of which every reading leaves something out has a few candidates, to say what:
        most of the time goes into making statements, and questions that only a language model can answer need none."""
        found, limits = _Found(), Limits(before, bound, bare)
        ways: list[tuple[Lattice, list[Item], tuple[str, ...]]] = []
        if NO_TEXT.search(question):
            return Parse()
        for text, rest, sign in ways_to_read(without_asides(question)):
            tokens = tokenize(text)
            if not 0 < len(tokens) <= min(MAX_TOKENS, LONGEST):
                continue
            if rest and self._restricts(rest, text, taught):
                continue
            lattice = Lattice(self.catalog, tokens, bound.not_tables, taught)
            chart = Chart(self._grammar, lattice, self._weights, before.query if before else None)
            ways.append((lattice, chart.readings()[:MOST_READINGS], (sign,) if sign else ()))
        is_covered_once = any(not leaves_out(one.all_features()) for _, readings, _ in ways for one in readings)
        for lattice, readings, signs in ways:
            self._read(lattice, readings, signs, limits, found, few=not complete and not is_covered_once)
        candidates = [one for one in found.by_sql.values() if keeps_to(bound, one.tree, one.tables)]
        order = preferred([c.score for c in candidates], [is_covered(c.features) for c in candidates])
        ordered = self._undrafted_first([candidates[place] for place in order])
        return Parse(ordered[:MOST_CANDIDATES], ways[0][0] if ways else None, found.failure)

    def _restricts(self, rest: str, text: str, taught: Names) -> bool:
        """Whether what is left out says something of the model, or has a part of a value: "gwen vs tom". Before a colon
        rows and columns are only what a question is about that names its rows itself: "I want to learn the prices:"."""
        tokens, parts = tokenize(rest)[:MAX_TOKENS], self.catalog.value_parts
        plain = plain_english() | english().function_words
        if any(token.low in parts and token.low not in plain for token in tokens):
            return True
        said = Lattice(self.catalog, tokens, (), taught).about
        introduces = rest.rstrip().endswith(":") and said <= NAMES
        meant = {"TABLE"} if "TABLE" in said else NAMES
        return bool(said) and not (introduces and meant & Lattice(self.catalog, tokenize(text), (), taught).about)

    def _undrafted_first(self, candidates: list[Candidate]) -> list[Candidate]:
        """A column that the draft of a model made is the second choice where one of the database reads as well: the
        total of invoices is their revenue per year, that of their lines the revenue per product."""
        if not candidates or not self._reads_drafted(candidates[0]):
            return candidates
        first, *others = candidates
        for other in others:
            near = first.score - other.score < _NEAR and is_covered(other.features)
            if near and other.query == first.query and not self._reads_drafted(other):
                rest = [c for c in candidates if c.query != first.query or not self._reads_drafted(c)]
                return [other, *(one for one in rest if one is not other)]
        return candidates

    def _reads_drafted(self, candidate: Candidate) -> bool:
        columns = map(self.catalog.column, candidate.grounding.columns.values())
        return any(facts.column.properties.get("drafted") for facts in columns)

    def _read(
        self,
        lattice: Lattice,
        readings: Sequence[Item],
        signs: tuple[str, ...],
        limits: Limits,
        found: _Found,
        *,
        few: bool,
    ) -> None:
        before, said, graph = limits.before, limits.said(lattice), self.catalog.graph
        grounder = Grounder(self.catalog, self._weights, said, limits.chosen)
        best, vocabulary = -1e9, self._vocabulary.measuring(lattice.time_unit)
        for reading in readings:
            if few and len(found.by_sql) >= _ENOUGH:
                break
            own = Counter((*reading.all_features(), *signs, *lattice.signs))
            several_roles = False
            query = with_figure(with_count(reading.meaning, lattice.tokens, self.catalog), limits.bound.figure)
            roles = graph.roles(role_words(reading, lattice), limits.bound.relationships, limits.joined)
            for grounding in grounder.groundings(query):
                best = max(best, reading.score + grounding.score)
                if reading.score + grounding.score < best - HOPELESS or (few and len(found.by_sql) >= _ENOUGH):
                    break
                attempts = list(self._compiled(query, grounding, said | roles, vocabulary, bare=limits.bare))
                if attempts and isinstance(attempts[0], Meaningless):
                    several_roles = several_roles or attempts[0].reason == "ambiguous_path"
                    found.failure = found.failure or (attempts[0] if is_covered(own) else None)
                for compiled in (one for one in attempts if isinstance(one, Compiled)):
                    features = own + Counter(grounding.features) + Counter(compiled.features)
                    features.update(self._contradictions.of_statement(features, query, compiled))
                    features.update(self._contradictions.of_words(reading, query, grounding, lattice.tokens))
                    features.update(values_left_out(reading, compiled))
                    if before is not None and of_another_role(before.query, limits.joined, roles, grounding, graph):
                        features["sql:two_roles"] = 1
                    features = Counter({name: n for name, n in features.items() if name not in limits.settled})
                    if several_roles:  # what is likelier cannot be told apart, and is not what is less likely
                        features["ground:second_choice"] = 1
                    found.add(
                        Candidate(
                            tree=compiled.tree,
                            sql=compiled.tree.sql(dialect=self._dialect),
                            query=query,
                            score=weigh(features, self._weights),
                            features=features,
                            tables=compiled.tables,
                            ordered=compiled.ordered,
                            reading=reading,
                            grounding=grounding,
                            lattice=lattice,
                        )
                    )

    def _compiled(
        self, query: Query, grounding: Grounding, said: frozenset[str], vocabulary: Vocabulary, *, bare: bool
    ) -> Iterator[Compiled | Meaningless]:
        """The statement as it is most plainly written, or why there is none, and its variants."""
        waiting: Sequence[str] = ("",)
        while waiting:
            variant, *rest = waiting
            waiting = rest
            compiler = Compiler(self.catalog, vocabulary, said, variant=variant, bare=bare)
            try:
                compiled = compiler.compiled(query, grounding)
            except Meaningless as failure:
                if not variant:
                    yield failure
                continue
            if not variant:
                ways = VARIANTS if bare else PLAIN_VARIANTS
                waiting = [v for sign, known in ways.items() if sign in compiled.features for v in known]
            yield compiled
