"""What speaks against a reading though every word of it is read: its statement is not about what was asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import english
from askwell.question.tokens import Token
from askwell.question.words import stems_of_word
from askwell.semantic_parsing.bound_readings import amounts_of_others
from askwell.semantic_parsing.chart import Item
from askwell.semantic_parsing.compiling.compiler import Compiled
from askwell.semantic_parsing.forms import Compare, During, Every, Holds, Measure, Query, Ref, Rows, held_in
from askwell.semantic_parsing.grounding import Grounding
from askwell.semantic_parsing.model.catalog import DATE, NUMBER, Catalog
from askwell.semantic_parsing.model.word_forms import word_forms

# A value that says nothing of the row: "Norwegian staff", where accounts are Norwegian, or "who speaks Swedish".
_OF_OTHERS, _LOOSELY = frozenset({"ground:far", "ground:value", "sql:repeats"}), frozenset({"pred:early", "val:alias"})
_ABSENT_OF_OTHERS = frozenset({"ground:far", "sql:without_value", "skip:verb", "val:also_name"})
_JOINED = frozenset({"COMMA", "OR", "AND"})
# What may stand between "who" and the kind of people that is meant.
_RANKED = frozenset({"ADJECTIVE", "SUPERLATIVE", "NEW", "DONE"})
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


class Contradictions:
    """Finds them in readings about one model."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def of_statement(self, own: Mapping[str, int], query: Query, compiled: Compiled) -> Iterator[str]:
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
        if query.head in self._catalog.people and own.keys() & _OF_EACH:
            yield "sql:rank_over_repeats"  # "customers who spent more than 40": in all, or at once
        if "set:new" in own and not {"sql:by_time", "ground:own_date"} & {*own, *compiled.features}:
            yield "sql:new_of_what"

    def of_words(self, reading: Item, query: Query, grounding: Grounding, tokens: Sequence[Token]) -> Iterator[str]:
        """Signs that what stands next to each other in the question is not read together."""
        leaves = [leaf for leaf in reading.leaves() if leaf.end > leaf.start]
        counts = any(self._counts_rows(shown, grounding) for shown in query.select)
        if len(leaves) > 1 and leaves[0].category == "COUNT" and leaves[0].meaning == "count" and not counts:
            if leaves[1].category == "TABLE" or self._is_of_income(leaves[1], query, grounding):
                yield "sql:count_or_amount"  # "how many orders had a discount", "how many sales"
        is_how = [leaf.category for leaf in leaves[:2]] == ["HOW", "TABLE"]
        is_much = is_how and not word_forms().prices.isdisjoint(leaves[0].meaning.split())
        if is_much and len(self._catalog.amounts(leaves[1].meaning)) > 1:
            yield "sql:count_or_amount"  # "how much fuel": in litres, or in money
        yield from amounts_of_others(leaves, query, grounding, tokens, self._catalog)
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

    def _of_nobody(self, own: Mapping[str, int], query: Query, compiled: Compiled) -> Iterator[str]:
        """Signs that a statement is not about the people that a question asks for."""
        is_far = "skip:verb" in own and "join:long_path" in compiled.features  # are those meant who bought it?
        if is_far or not ("item:somebody" in own or set(compiled.tables) & set(self._catalog.people)):
            yield "sql:nobody"
        if "sql:only_numbers" in compiled.features or _is_of_all(query):
            yield "sql:no_rows"

    def _of_people(self, leaves: Sequence[Item], query: Query, tokens: Sequence[Token]) -> Iterator[str]:
        """Signs that somebody else is meant than those whom a reading shows."""
        if any(leaf.category == "SPENDER" for leaf in leaves) and query.head not in self._catalog.people:
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
        if acts and kinds[:1] == ["TABLE"] and tables[0] in self._catalog.people and tokens[0].low in english().persons:
            yield "sql:nobody"  # "who advises student 12" is not that student
        if kinds[:2] == ["SOMEBODY", "TABLE"] and tables[1] in self._catalog.people:
            if is_one is (tables[0] != tables[1]):
                yield "sql:nobody"  # "who is the oldest employee" is one, "who sees the oldest client" is none
        named = {column.table for condition in query.where for column in held_in(condition)}
        if kinds[:2] == ["SOMEBODY", "PERSON"] and tables[0] in named and leaves[0].end < leaves[1].start:
            if not is_one:
                yield "sql:nobody"  # "who sees Bob Birch" is not Bob Birch

    def _is_of_others(self, query: Query, compiled: Compiled) -> bool:
        """Whether rows are ranked by a column of others, one of which may be meant: no dog is as heavy as it was at all
        visits together, but what is sold best was sold often."""
        by = query.rank.by if query.rank is not None else None
        words = (
            {word for c, _ in by.options for word in self._catalog.column(c).words} if isinstance(by, Ref) else set()
        )
        is_added = "sql:rank_total" in compiled.features and not english().quantities & words
        return is_added or "sql:rank_of_others" in compiled.features

    def _counts_rows(self, shown: object, grounding: Grounding) -> bool:
        """Whether it counts something, and not the different amounts that there are."""
        if not isinstance(shown, Measure) or shown.op not in ("count", "share"):
            return False
        column = grounding.columns.get(shown.of) if isinstance(shown.of, Ref) else None
        return column is None or shown.distinct or self._catalog.kind(column) != NUMBER

    def _is_no_birth(self, leaf: Item, said: Token, grounding: Grounding) -> bool:
        """Whether what is said of a birth was taken for another date."""
        births = english().births
        if not births & set(stems_of_word(said.low)) or not isinstance(leaf.meaning, Ref):
            return False
        chosen = {column for column, _ in leaf.meaning.options} & set(grounding.columns.values())
        return any(not births & set(self._catalog.column(column).words) for column in chosen)

    def _is_of_income(self, leaf: Item, query: Query, grounding: Grounding) -> bool:
        """Whether a column that is read from a word of money adds up what is earned."""
        if leaf.category != "COL" or not isinstance(leaf.meaning, Ref):
            return False
        said = {option for option, _ in leaf.meaning.options}
        figures = (shown.of for shown in query.select if isinstance(shown, Measure))
        columns = (grounding.columns.get(of) for of in figures if isinstance(of, Ref))
        return any(c in said and self._catalog.is_income(c, english().income) for c in columns if c is not None)

    def _is_a_time(self, shown: exp.Expr) -> bool:
        columns = (ColumnRef(column.table, column.name) for column in shown.find_all(exp.Column))
        known = (column for column in columns if column in self._catalog.facts.columns)
        return any(self._catalog.kind(column) == DATE or self._catalog.is_year(column) for column in known)


def _is_of_all(query: Query) -> bool:
    """Whether columns of all rows are shown, of which somebody who asks who is meant asked for none: "who works part
    time?"."""
    restricted = query.where or query.group or query.rank is not None or query.order is not None
    return not restricted and any(isinstance(shown, Ref) for shown in query.select)


def values_left_out(reading: Item, compiled: Compiled) -> Iterator[str]:
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
