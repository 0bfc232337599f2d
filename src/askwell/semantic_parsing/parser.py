"""Questions to ranked SQL candidates, each with the logical form it comes from and the features that speak for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from askwell.question.tokens import MAX_TOKENS, NO_TEXT, tokenize
from askwell.semantic_parsing.catalog import Catalog
from askwell.semantic_parsing.chart import Chart, Grammar, Item
from askwell.semantic_parsing.compiler import PLAIN_VARIANTS, VARIANTS, Compiled, Compiler
from askwell.semantic_parsing.forms import Query
from askwell.semantic_parsing.grammar import GRAMMAR
from askwell.semantic_parsing.grounding import Grounder, Grounding
from askwell.semantic_parsing.joined import Meaningless
from askwell.semantic_parsing.lattice import Lattice
from askwell.sql.rules.vocabulary import Vocabulary

MOST_READINGS, MOST_CANDIDATES, HOPELESS = 12, 12, 6.0
# The chart's work grows with the cube of the tokens; what people ask in one sentence is shorter.
_LONGEST = 45
_SENTENCE = re.compile(r"(?<=[.?!;:])\s+|\s+[—–-]\s+|,\s+(?=(?:can|could) you\b)")
_LEANS_BACK = re.compile(r"\b(?:they|them|their|it|its|he|him|his|she|her|those|these|that|ones?)\b", re.IGNORECASE)


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


@dataclass(slots=True)
class _Found:
    by_sql: dict[str, Candidate] = field(default_factory=dict)

    def add(self, candidate: Candidate) -> None:
        known = self.by_sql.get(candidate.sql)
        if known is None or known.score < candidate.score:
            self.by_sql[candidate.sql] = candidate


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

    def candidates(self, question: str, *, before: Query | None = None, bare: bool = True) -> list[Candidate]:
        """Different statements, the likeliest first; none where nothing is understood, and for what is too long or no
        text. `before` is the reading that a follow-up adds to; `bare`: nothing is shown that was not asked for."""
        found = _Found()
        if NO_TEXT.search(question):
            return []
        for text, rest in _spoken(question):
            tokens, dropped = tokenize(text), bool(rest)
            if not 0 < len(tokens) <= min(MAX_TOKENS, _LONGEST):
                continue
            if dropped and Lattice(self.catalog, tokenize(rest)[:MAX_TOKENS]).is_about_the_model:
                continue
            self._read(Lattice(self.catalog, tokens), before, ("sentence:dropped",) * dropped, found, bare=bare)
        return sorted(found.by_sql.values(), key=lambda c: -c.score)[:MOST_CANDIDATES]

    def _read(
        self, lattice: Lattice, before: Query | None, signs: tuple[str, ...], found: _Found, *, bare: bool
    ) -> None:
        grounder = Grounder(self.catalog, self._weights, lattice.stems)
        best = -1e9
        for reading in Chart(self._grammar, lattice, self._weights, before).readings()[:MOST_READINGS]:
            own = Counter((*reading.all_features(), *signs, *lattice.signs))
            for grounding in grounder.groundings(reading.meaning):
                best = max(best, reading.score + grounding.score)
                if reading.score + grounding.score < best - HOPELESS:
                    break
                for compiled in self._compiled(reading, grounding, lattice.stems, bare=bare):
                    features = own + Counter(grounding.features) + Counter(compiled.features)
                    score = weigh(features, self._weights)
                    sql = compiled.tree.sql(dialect=self._dialect)
                    found.add(
                        Candidate(
                            tree=compiled.tree,
                            sql=sql,
                            query=reading.meaning,
                            score=score,
                            features=features,
                            tables=compiled.tables,
                            ordered=compiled.ordered,
                            reading=reading,
                            grounding=grounding,
                            lattice=lattice,
                        )
                    )

    def _compiled(self, reading: Item, grounding: Grounding, said: frozenset[str], *, bare: bool) -> Iterator[Compiled]:
        """The statement as it is most plainly written, and its variants."""
        waiting: Sequence[str] = ("",)
        while waiting:
            variant, *rest = waiting
            waiting = rest
            compiler = Compiler(self.catalog, self._vocabulary, said, variant=variant, bare=bare)
            try:
                compiled = compiler.compiled(reading.meaning, grounding)
            except Meaningless:
                if not variant:
                    return
                continue
            if not variant:
                ways = VARIANTS if bare else PLAIN_VARIANTS
                waiting = [v for sign, known in ways.items() if sign in compiled.features for v in known]
            yield compiled


def _spoken(question: str) -> Iterator[tuple[str, str]]:
    """The question as a whole, and of several sentences the one that asks, with what that leaves out."""
    yield question, ""
    sentences = [part for part in _SENTENCE.split(question.strip()) if part.strip()]
    if len(sentences) > 1:
        asking = [part for part in sentences if part.rstrip().endswith("?")]
        chosen = (asking or sentences)[-1]
        if not _LEANS_BACK.search(chosen):  # "who are they?" says nothing by itself
            yield chosen, " ".join(part for part in sentences if part is not chosen)
