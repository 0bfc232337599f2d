"""Questions to ranked SQL candidates, each with the logical form it comes from and the features that speak for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise, takewhile
from types import MappingProxyType
from typing import Self

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.follow_ups import ways_to_read, without_asides
from askwell.question.lexicon import english
from askwell.question.tokens import MAX_TOKENS, NO_TEXT, Token, tokenize
from askwell.question.words import plain_english, stems_of_word
from askwell.semantic_parsing.bound_readings import (
    amounts_of_others,
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
from askwell.semantic_parsing.coverage import NOT_FAR, is_covered, leaves_out, preferred
from askwell.semantic_parsing.forms import Bucket, Compare, During, Every, Holds, Measure, Query, Ref, Rows, held_in
from askwell.semantic_parsing.grammar import GRAMMAR
from askwell.semantic_parsing.grounding import Grounder, Grounding, column_sign
from askwell.semantic_parsing.lattice import Lattice
from askwell.semantic_parsing.linking import Names
from askwell.semantic_parsing.model.catalog import DATE, NUMBER, Catalog
from askwell.semantic_parsing.skips import NAMES
from askwell.sql.bindings import FREE, Bindings

# A value that says nothing of the row: "Norwegian staff", where accounts are Norwegian, or "who speaks Swedish".
_OF_OTHERS, _LOOSELY = frozenset({"ground:far", "ground:value", "sql:repeats"}), frozenset({"pred:early", "val:alias"})
_ABSENT_OF_OTHERS = frozenset({"ground:far", "sql:without_value", "skip:verb", "val:also_name"})
_JOINED = frozenset({"COMMA", "OR", "AND"})
# What may stand between "who" and the kind of people that is meant.
_RANKED = frozenset({"ADJECTIVE", "SUPERLATIVE", "NEW"})
# What a list of values is made of.
_DENIED = frozenset({"VAL", "NUM", "YEAR", "PERIOD"})
_LISTED = _DENIED | frozenset({"COL", "COMMA", "OR", "AND", "EITHER"})
# Growth and shares of what is called by a verb, or by another word: "our billing", "what we billed".
_OF_AMOUNTS = frozenset({"measure:change", "Measure<SHARE OF? Set"})
_BY_ANOTHER_WORD = frozenset({"table:event", "table:4", "table:verb"})
# Words such as "best" and "longest", which say of themselves what they rank by.
_ADJECTIVES = frozenset({"Rank<ADJECTIVE", "Rank<NUM ADJECTIVE", "Rank<ADJECTIVE NUM", "Rank<TOP NUM ADJECTIVE"})
# Amounts of one of what somebody has had.
_OF_EACH = frozenset({"Pred<SPENT BE? COMPARE|COMPARE_BY NUM CURRENCY?"})
# What rows are not, where they are asked for.
_NO_ROWS = frozenset({"sql:one_figure", "sql:only_flag", "sql:only_date"})
_SHOWN_AGAIN = frozenset({"items:tail", "sql:echo_beside"})
# Amounts that were asked for as what was earned.
_MONEY_LISTED = frozenset({"Item<Col", "Col<MONEY"})
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


def _is_of_all(query: Query) -> bool:
    """Whether columns of all rows are shown, of which somebody who asks who is meant asked for none: "who works part
    time?"."""
    restricted = query.where or query.group or query.rank is not None or query.order is not None
    return not restricted and any(isinstance(shown, Ref) for shown in query.select)


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
                    features.update(self._contradictions(features, query, compiled))
                    features.update(self._of_leaves(reading, query, grounding, lattice.tokens))
                    features.update(_values_left_out(reading, compiled))
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

    def _of_nobody(self, own: Mapping[str, int], query: Query, compiled: Compiled) -> Iterator[str]:
        """Signs that a statement is not about the people that a question asks for."""
        is_far = "skip:verb" in own and "join:long_path" in compiled.features  # are those meant who bought it?
        if is_far or not ("item:somebody" in own or set(compiled.tables) & set(self.catalog.people)):
            yield "sql:nobody"
        if "sql:only_numbers" in compiled.features or _is_of_all(query):
            yield "sql:no_rows"

    def _contradictions(self, own: Mapping[str, int], query: Query, compiled: Compiled) -> Iterator[str]:
        """Signs that the statement is not about what the question asked."""
        if "question:who" in own:
            yield from self._of_nobody(own, query, compiled)
        if own.keys() >= _MONEY_LISTED and "sql:only_numbers" in compiled.features and query.rank is None:
            yield "sql:total_listed"
        if "question:when" in own and not any(map(self._is_a_time, compiled.tree.selects)):
            yield "sql:no_time"
        no_rows = _NO_ROWS | ({"sql:only_numbers"} if query.head is not None else set())
        if "question:rows" in own and no_rows & set(compiled.features):
            yield "sql:no_rows"
        if own.keys() >= _SHOWN_AGAIN:
            yield "sql:echo"  # "first name Ann and last name Lee" asks for no last name
        loosely = own.keys() >= _OF_OTHERS and own.keys() & _LOOSELY and "val:quoted" not in own
        if loosely or {*own, *compiled.features} >= _ABSENT_OF_OTHERS:
            yield "sql:early_of_others"  # "who never stayed in kennels" are not seen by none of the kennels' staff
        if own.keys() & _ADJECTIVES and self._is_of_others(query, compiled):
            yield "sql:rank_over_repeats"
        if own.keys() & _OF_AMOUNTS and own.keys() & _BY_ANOTHER_WORD:
            yield "sql:count_or_amount"
        if "question:will" in own and any(isinstance(shown, Measure) for shown in query.select):
            yield "sql:forecast"
        if query.head in self.catalog.people and own.keys() & _OF_EACH:
            yield "sql:rank_over_repeats"  # "customers who spent more than 40": in all, or at once
        if "set:new" in own and not {"sql:by_time", "ground:own_date"} & {*own, *compiled.features}:
            yield "sql:new_of_what"

    def _is_of_others(self, query: Query, compiled: Compiled) -> bool:
        """Whether rows are ranked by a column of others, one of which may be meant: no dog is as heavy as it was at all
        visits together, but what is sold best was sold often."""
        by = query.rank.by if query.rank is not None else None
        words = {word for c, _ in by.options for word in self.catalog.column(c).words} if isinstance(by, Ref) else set()
        is_added = "sql:rank_total" in compiled.features and not english().quantities & words
        return is_added or "sql:rank_of_others" in compiled.features

    def _of_leaves(self, reading: Item, query: Query, grounding: Grounding, tokens: Sequence[Token]) -> Iterator[str]:
        """Signs that what stands next to each other in the question is not read together."""
        leaves = [leaf for leaf in reading.leaves() if leaf.end > leaf.start]
        counts = any(self._counts_rows(shown, grounding) for shown in query.select)
        if len(leaves) > 1 and leaves[0].category == "COUNT" and leaves[0].meaning == "count" and not counts:
            if leaves[1].category == "TABLE" or self._is_of_income(leaves[1], query, grounding):
                yield "sql:count_or_amount"  # "how many orders had a discount", "how many sales"
        if [leaf.category for leaf in leaves[:2]] == ["HOW", "TABLE"] and len(
            self.catalog.amounts(leaves[1].meaning)
        ) > 1:
            yield "sql:count_or_amount"  # "how much fuel": in litres, or in money
        yield from amounts_of_others(leaves, query, grounding, tokens, self.catalog)
        if _breaks_denial(leaves, query, tokens):
            yield "sql:contradiction"
        timed = {grounding.columns[part.of] for part in query.where if isinstance(part, During)}
        for before, leaf in pairwise(leaves):
            loose = before.end < leaf.start and tokens[leaf.start - 1].low in english().being
            if leaf.category == "COL" and self._is_no_birth(leaf, tokens[leaf.start], grounding):
                yield "ground:borrowed_date"  # those who were born in 1995 did nothing then
            loose = loose and (before.category, leaf.category) != ("AGGREGATE", "COL")  # "how much was paid"
            loose = loose and leaf.category == "COL" and not timed & {column for column, _ in leaf.meaning.options}
            if loose and tokens[leaf.start].low.endswith(english().past_endings):
                yield "sql:no_rows"  # "bookings that were attended" are not shown by a number of that name
        yield from self._of_people(leaves, query, tokens)

    def _of_people(self, leaves: Sequence[Item], query: Query, tokens: Sequence[Token]) -> Iterator[str]:
        """Signs that somebody else is meant than those whom a reading shows."""
        if any(leaf.category == "SPENDER" for leaf in leaves) and query.head not in self.catalog.people:
            yield "sql:nobody"
        kinds = [leaf.category for leaf in leaves[:3] if leaf.category not in _RANKED]
        tables = [leaf.meaning for leaf in leaves[:3] if leaf.category in ("SOMEBODY", "TABLE")]
        following = tokens[leaves[0].end : leaves[0].end + 1] if leaves else ()
        is_one = any(token.low in english().being for token in following)
        acts = (
            any(token.low in english().verbs - english().being for token in tokens[1 : leaves[0].start])
            if leaves
            else False
        )
        if acts and kinds[:1] == ["TABLE"] and tables[0] in self.catalog.people and tokens[0].low in english().persons:
            yield "sql:nobody"  # "who advises student 12" is not that student
        if kinds[:2] == ["SOMEBODY", "TABLE"] and tables[1] in self.catalog.people:
            if is_one is (tables[0] != tables[1]):
                yield "sql:nobody"  # "who is the oldest employee" is one, "who sees the oldest client" is none
        named = {column.table for condition in query.where for column in held_in(condition)}
        if kinds[:2] == ["SOMEBODY", "PERSON"] and tables[0] in named and leaves[0].end < leaves[1].start:
            if not is_one:
                yield "sql:nobody"  # "who sees Bob Birch" is not Bob Birch

    def _counts_rows(self, shown: object, grounding: Grounding) -> bool:
        """Whether it counts something, and not the different amounts that there are."""
        if not isinstance(shown, Measure) or shown.op not in ("count", "share"):
            return False
        column = grounding.columns.get(shown.of) if isinstance(shown.of, Ref) else None
        return column is None or shown.distinct or self.catalog.kind(column) != NUMBER

    def _is_no_birth(self, leaf: Item, said: Token, grounding: Grounding) -> bool:
        """Whether what is said of a birth was taken for another date."""
        births = english().births
        if not births & set(stems_of_word(said.low)) or not isinstance(leaf.meaning, Ref):
            return False
        chosen = {column for column, _ in leaf.meaning.options} & set(grounding.columns.values())
        return any(not births & set(self.catalog.column(column).words) for column in chosen)

    def _is_of_income(self, leaf: Item, query: Query, grounding: Grounding) -> bool:
        """Whether a column that is read from a word of money adds up what is earned."""
        if leaf.category != "COL" or not isinstance(leaf.meaning, Ref):
            return False
        said = {option for option, _ in leaf.meaning.options}
        figures = (shown.of for shown in query.select if isinstance(shown, Measure))
        columns = (grounding.columns.get(of) for of in figures if isinstance(of, Ref))
        return any(c in said and self.catalog.is_income(c, english().income) for c in columns if c is not None)

    def _is_a_time(self, shown: exp.Expr) -> bool:
        columns = (ColumnRef(column.table, column.name) for column in shown.find_all(exp.Column))
        known = (column for column in columns if column in self.catalog.facts.columns)
        return any(self.catalog.kind(column) == DATE or self.catalog.is_year(column) for column in known)

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


def _values_left_out(reading: Item, compiled: Compiled) -> Iterator[str]:
    """A sign for each value that the question names and that the statement does not compare anything with, and for each
    role in which nothing is joined: "female people" are not all of them, where weddings have a `female_id`."""
    written = {literal.name.lower() for literal in compiled.tree.find_all(exp.Literal)}
    for leaf in reading.leaves():
        if leaf.category == "VAL":
            meant = {leaf.meaning.text.lower(), *(text.lower() for _, text in leaf.meaning.options)}
            if not any(text in literal for text in meant for literal in written):
                yield "sql:named_left_out"
        elif "table:role" in leaf.features and "join:named_role" not in compiled.features:
            yield "sql:named_left_out"


def _denied_together(leaves: Sequence[Item], tokens: Sequence[Token]) -> int:
    """How many values follow a denial as one list: of one column, or of any after "except"."""
    denial, *following = leaves
    excepted = any(token.low in english().excepting for token in tokens[denial.start : denial.end])
    columns: set[ColumnRef] = set()
    count, end = 0, denial.end
    for leaf in takewhile(lambda one: one.category in _LISTED, following):
        held = {column for column, _ in leaf.meaning.options} if leaf.category == "VAL" else set()
        between = {token.low for token in tokens[end : leaf.start]}
        between |= {tokens[leaf.start].low} if leaf.category in _JOINED else set()
        if (count and not between <= english().listed) or (columns and held and not (columns & held or excepted)):
            break
        count, end, columns = count + (leaf.category in _DENIED), leaf.end, columns or held
    return count


def _denials(predicate: object) -> int:
    """How many values, numbers and times a condition denies."""
    match predicate:
        case Every(parts):
            return sum(map(_denials, parts))
        case Holds(values, negated=True):
            return len(values)
        case During(periods=periods, negated=True):
            return len(periods)
    return int(isinstance(predicate, Compare) and predicate.op == "!=")


def _breaks_denial(leaves: Sequence[Item], query: Query, tokens: Sequence[Token]) -> bool:
    """Whether of several values that are denied together only the first one is: "not in London, Paris or Berlin"."""
    inner = (p for one in query.select if isinstance(one, Measure) and isinstance(one.of, Rows) for p in one.of.where)
    denied = [_denials(p) for p in (*query.where, *inner)]
    categories = [leaf.category for leaf in leaves]
    for place, category in enumerate(categories):
        if category in ("NOT", "OMIT") and 1 < _denied_together(leaves[place:], tokens) > max(denied, default=0):
            return True
        if category == "NOT" and categories[place + 1 : place + 3] in (["DONE", "VAL"], ["COL", "VAL"]):
            if any(isinstance(p, Compare) and p.op == "empty" for p in query.where):
                return True  # "not shipped to Norway": shipped all the same
    return False
