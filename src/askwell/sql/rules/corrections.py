"""What the words around a span change about what it is: the last step of linking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from askwell.mdl.semantic_model import Cardinality, ColumnRef
from askwell.question.stems import stem, stem_set
from askwell.sql.rules.facts import ModelFacts
from askwell.sql.rules.lexicon import Evidence
from askwell.sql.rules.spans import END, Span, Thing
from askwell.sql.rules.words.fillers import DETERMINERS, NO_VERBS
from askwell.sql.rules.words.phrases import Mark
from askwell.sql.rules.words.verbs import RELATIONS

AGGREGATE_WORDS = {"total": "sum", "average": "avg", "maximum": "max", "minimum": "min", "max": "max", "min": "min"}


def aggregates_of(spans: Sequence[Span]) -> list[Span]:
    """ "total" may be a column; before the name of another column it is an aggregate."""
    found = list(spans)
    for i, span in enumerate(spans[:-1]):
        following = spans[i + 1]
        named = bool(following.columns or following.tables) and not following.is_value
        if span.kind is Thing.ENTITY and span.low in AGGREGATE_WORDS and named:
            found[i] = Span(Mark.AGGREGATE, span.text, detail=AGGREGATE_WORDS[span.low])
    return found


_LINKING = frozenset({"to", "by", "from"})
_AFTER_WITH = frozenset(
    {"a", "an", "the", "their", "its", "his", "her", "all", "each", "any", "it", "some", "this", "that", "these"}
    | {"those", "my", "our", "your", "them", "respective", "corresponding", "associated", "related", "available"}
    | {"us", "at", "in", "more", "less", "only", "no", "total", "such"}
)


def relations_of(spans: Sequence[Span]) -> list[Span]:
    """ "employees report to …" relates rows, though a column is called so; in "with live in the title" the word is no
    filler but what is looked for."""
    found = list(spans)
    for i, span in enumerate(spans):
        following = spans[i + 1] if i + 1 < len(spans) else END
        words = span.low.split()
        if span.kind is Thing.ENTITY and len(words) > 1 and words[-1] in _LINKING and not span.tables:
            held = span.columns.keys() & following.values.keys()
            written = following.kind is Thing.NUMBER or (following.kind is Thing.QUOTED and not following.values)
            if not (held or written):
                found[i] = Span(Thing.UNKNOWN, span.text)
        if i and span.kind is Thing.FILLER and spans[i - 1].low == "with" and span.low not in _AFTER_WITH:
            found[i] = Span(Thing.UNKNOWN, span.text)
    return found


_OURS = frozenset({"sell", "pay", "have", "get", "spend"})


def flags_of(spans: Sequence[Span], facts: ModelFacts) -> list[Span]:
    """ "active accounts", where accounts are active or not: no status of something else that is called so as well."""
    mentioned = {table for span in spans if not span.is_value for table in span.tables}
    return [_as_flag(span, facts, mentioned) if span.values and span.columns else span for span in spans]


def _as_flag(span: Span, facts: ModelFacts, mentioned: set[str]) -> Span:
    flags = {r: e for r, e in span.columns.items() if facts.columns[r].is_flag and r.table in mentioned}
    own = any(ref.table in mentioned for ref in span.values)
    if not flags or own or not span.text.islower():
        return span
    return replace(span, columns=flags, values={})


_BEFORE_KIND = frozenset({"in", "from", "for", "at", "of", "to", "by", "with", "is", "are", "on", "as", "and", "or"})


def kinds_of(spans: Sequence[Span], facts: ModelFacts) -> list[Span]:
    """ "the cheapest beverage", where that is a category of products and the question names no rows: a product."""
    found = list(spans)
    values = [i for i, span in enumerate(spans) if span.is_value]
    if (asked := _asked_kind(spans, facts)) is not None:
        found.insert(*asked)
        return found
    if len(values) != 1 or any(span.tables and not span.is_value for span in spans):
        return found
    span, before = spans[values[0]], spans[values[0] - 1] if values[0] else END
    if not span.text.islower() or before.low in _BEFORE_KIND or span.columns:
        return found
    rows = {rows for ref in span.values if (rows := rows_of_kind(ref, facts)) is not None}
    if len(rows) == 1 and len(span.values) == 1:
        found.insert(values[0] + 1, Span(Thing.ENTITY, span.text, tables=dict.fromkeys(rows, Evidence.PARTIAL)))
    return found


def _asked_kind(spans: Sequence[Span], facts: ModelFacts) -> tuple[int, Span] | None:
    """ "which sales agent has the most customers", where that is a title of employees: an employee, to be put after
    it."""
    i = next((k for k, span in enumerate(spans) if not _HEADS.issuperset(span.low.split())), len(spans))
    if i + 1 >= len(spans) or not spans[i].is_value or spans[i].columns or spans[i + 1].kind is Thing.ENTITY:
        return None
    refs = [ref for ref in spans[i].values if stem_set(_TITLES) & set(facts.columns[ref].words)]
    if len(refs) != 1 or len(spans[i].values) != 1 or facts.tables[refs[0].table].person is None:
        return None
    return i + 1, Span(Thing.ENTITY, spans[i].text, tables={refs[0].table: Evidence.PARTIAL})


_HEADS = frozenset({"which", "what", "who", "list", "show", "give", "me", "us", "the", "of", "our", "all", "are", "is"})
_TITLES = frozenset({"title", "job", "position", "role", "profession", "occupation"})


def rows_of_kind(ref: ColumnRef, facts: ModelFacts) -> str | None:
    """The one table whose rows are of the kind that a row of the column's table names."""
    if facts.tables[ref.table].label != ref:
        return None
    children = {
        r.left for r in facts.relationships if r.right == ref.table and r.cardinality is Cardinality.MANY_TO_ONE
    }
    children |= {
        r.right for r in facts.relationships if r.left == ref.table and r.cardinality is Cardinality.ONE_TO_MANY
    }
    return children.pop() if len(children) == 1 else None


_DOING = frozenset({"do", "does", "did"})
_MEANS = frozenset({"by", "with", "via", "through", "using"})


def doers_of(spans: Sequence[Span], facts: ModelFacts) -> list[Span]:
    """ "who supplies Chai" asks for the suppliers, "who teaches" for the teachers."""
    if len(spans) < 3 or spans[0].low != "who" or spans[1].kind not in (Thing.FILLER, Thing.UNKNOWN):
        return list(spans)
    verb = stem(spans[1].low)
    named = [name for name, table in facts.tables.items() if len(verb) > 4 and table.words[-1].startswith(verb)]
    if len(named) != 1 or len(facts.tables[named[0]].words) > 1 or spans[1].low in _OURS:
        return list(spans)
    return [spans[0], Span(Thing.ENTITY, spans[1].text, tables={named[0]: Evidence.PARTIAL}), *spans[2:]]


def verbs_of(spans: Sequence[Span], facts: ModelFacts) -> list[Span]:
    """In "which employees work in Berlin" and "did each shipper deliver" the word after the rows is a verb that relates
    them. In "the amount paid by card" the word is no status, and what it is nobody can tell."""
    found = list(spans)
    for i, span in enumerate(spans):
        before = spans[i - 1] if i else END
        following = spans[i + 1] if i + 1 < len(spans) else END
        rows = bool(before.tables) or any(s.low in _DOING for s in spans[:i])
        after_rows = before.low in ("we", "you", "they", "i")
        after_rows = after_rows or (before.kind in (Thing.ENTITY, Thing.QUOTED) and rows)
        verb = span.text.islower() and span.text.isalpha() and span.low not in NO_VERBS
        verb = verb and (stem(span.low) in stem_set(RELATIONS) or (before.low == "we" and span.low in _OURS))
        if span.kind is Thing.UNKNOWN and after_rows and verb:
            found[i] = Span(Thing.FILLER, span.text, loose_verb=True)
        if span.loose_verb and _is_amount(before, facts) and span.low not in _COMING:
            found[i] = Span(Thing.UNKNOWN, span.text)  # "the amount paid" is not any amount
        if span.kind is Mark.PATTERN and span.detail == "contain" and _holds_rows(spans, i):
            found[i] = Span(Thing.FILLER, span.text, loose_verb=True)
        if _is_done_by(span, before, following) or _relates(spans, i, facts):
            found[i] = Span(Thing.FILLER, span.text, loose_verb=True)
        plain_value = (
            bool(span.values) and not span.tables and span.best_column >= Evidence.WEAK and span.text.islower()
        )
        if plain_value and span.low.endswith(("ed", "id")) and following.low in _MEANS:
            found[i] = Span(Thing.UNKNOWN, span.text)
    return found


_COPULAS = frozenset({"is", "are", "was", "were", "been", "be"})


_TOWARDS = frozenset({"by", "to", "from", "via"})


def _is_amount(span: Span, facts: ModelFacts) -> bool:
    return span.kind is Thing.ENTITY and not span.tables and any(facts.columns[ref].is_measure for ref in span.columns)


_COMING = frozenset({"generated", "earned", "made", "sold", "spent", "recorded", "given", "used", "placed", "ordered"})


def _relates(spans: Sequence[Span], i: int, facts: ModelFacts) -> bool:
    """ "which employee booked the most shipments": a verb between two things, though a reference between them or a date
    is called so."""
    span = spans[i]
    if span.kind is not Thing.ENTITY or span.tables or span.values or not span.low.endswith("ed"):
        return False
    columns = [facts.columns[ref] for ref in span.columns]
    j = i + 1
    while j < len(spans) and (spans[j].kind in (Mark.EXTREME, Mark.COMPARE, Thing.NUMBER) or spans[j].low in _ARTICLES):
        j += 1
    between = i > 0 and bool(spans[i - 1].tables) and j < len(spans) and bool(spans[j].tables)
    return between and all(column.is_reference or column.is_date for column in columns)


_ARTICLES = frozenset({"the", "a", "an", "any", "our", "all"})


def _is_done_by(span: Span, before: Span, following: Span) -> bool:
    """ "were shipped by Speedy": a verb, though a column is called like it in part."""
    weak = span.kind is Thing.ENTITY and not (span.tables or span.values) and span.best_column >= Evidence.PARTIAL
    said = before.low in _COPULAS or bool(before.tables)
    towards = following.low.split(" ")[0] in _TOWARDS
    return weak and said and span.text.islower() and span.low in RELATIONS and towards


def _holds_rows(spans: Sequence[Span], i: int) -> bool:
    """ "playlists that contain no tracks": rows, and no part of a text."""
    after = [
        span
        for span in spans[i + 1 : i + 4]
        if span.kind not in (Mark.NOT, Mark.COMPARE, Mark.EXTREME, Thing.FILLER, Thing.NUMBER)
    ]
    if not after or after[0].kind in (Thing.STOP, Thing.END):
        return True  # "how many products does each category contain"
    return after[0].kind is Thing.ENTITY and bool(after[0].tables) and not after[0].is_value


FIRSTS = {"first": "earliest", "last": "latest"}


def firsts_of(spans: Sequence[Span]) -> list[Span]:
    """ "the first order" is the earliest one, not a first name."""
    found = list(spans)
    for i, span in enumerate(spans[:-1]):
        following = spans[i + 1]
        good = bool(following.tables) and following.best_table <= Evidence.TRIMMED and not following.is_value
        if span.low in FIRSTS and good and following.best_column > following.best_table:
            found[i] = Span(Mark.ADJECTIVE, span.text, detail=FIRSTS[span.low])
    return found


_BEFORE_ATTRIBUTE = (Mark.DISTINCT, Mark.AGGREGATE, Mark.OF, Mark.AND, Mark.NOT, Thing.COMMA, Thing.NUMBER)


def attributes_of(spans: Sequence[Span]) -> list[Span]:
    """In "all discontinued products" the word is no verb but a condition, and must not be lost."""
    found = list(spans)
    for i, span in enumerate(spans):
        following = spans[i + 1] if i + 1 < len(spans) else END
        if not span.loose_verb or following.kind is not Thing.ENTITY:
            continue
        before = spans[i - 1] if i else END
        if before.kind in (*_BEFORE_ATTRIBUTE, Thing.END) or before.low in DETERMINERS:
            found[i] = replace(span, kind=Thing.UNKNOWN, loose_verb=False)
    return found


_EXTREMES = {
    "highest": "max", "largest": "max", "greatest": "max", "biggest": "max", "maximal": "max",
    "lowest": "min", "smallest": "min", "minimal": "min",
}  # fmt: skip


def listed_extremes(spans: Sequence[Span]) -> list[Span]:
    """ "the highest and lowest price", "the highest, lowest and average price": aggregates, not a ranking."""
    found = list(spans)
    extremes = [i for i, span in enumerate(spans) if span.kind is Mark.EXTREME and span.low in _EXTREMES]
    listed = [i for i in extremes if _beside_aggregate(spans, i)]
    if len(extremes) < 2 and not listed:
        return found
    for i in extremes:
        found[i] = Span(Mark.AGGREGATE, spans[i].text, detail=_EXTREMES[spans[i].low])
    return found


def _beside_aggregate(spans: Sequence[Span], i: int) -> bool:
    """Whether another aggregate stands next to it in a list."""
    for step in (1, -1):
        j = i + step
        while 0 <= j < len(spans) and (spans[j].kind in (Mark.AND, Thing.COMMA) or spans[j].low == "the"):
            j += step
        if j != i + step and 0 <= j < len(spans) and spans[j].kind is Mark.AGGREGATE:
            return True
    return False


def numbers_of(spans: Sequence[Span]) -> Iterator[Span]:
    """ "number" counts only at the head of what it counts: not in "phone number", nor on its own."""
    for i, span in enumerate(spans):
        before = spans[i - 1] if i else END
        if span.kind is Mark.AGGREGATE and span.low.endswith("numbers of") and any(s.low == "are" for s in spans[:i]):
            yield Span(Thing.UNKNOWN, span.text)  # "what are the numbers of the flights": not how many there are
        elif (
            span.kind is Mark.AGGREGATE
            and span.low in ("number of", "numbers of")
            and before.kind is Thing.ENTITY
            and before.columns
        ):
            yield replace(span, kind=Thing.FILLER)
        elif span.kind is Mark.AGGREGATE and span.low == "number":
            if before.kind is Thing.ENTITY:
                yield replace(span, kind=Thing.FILLER)
            elif before.low not in ("the", "total", "their"):
                yield replace(span, kind=Thing.UNKNOWN)
            else:
                yield span
        else:
            yield span
