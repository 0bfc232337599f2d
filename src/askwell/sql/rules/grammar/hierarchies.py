"""Rows that refer to rows of their own table: "employees who report to Ann Lee", "who is Ann Lee's manager"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.stems import stem_set, stems
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft
from askwell.sql.rules.query import Condition, Subset
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.words.phrases import Mark

_BETWEEN = frozenset({"directly", "to", "by", "for", "under", "the", "of", "is", "'s", "does", "do"})
_UPWARDS = stem_set(frozenset({"manager", "boss", "supervisor", "superior", "parent"}))
_LED = stem_set(frozenset({"managed", "supervised"}))
_ASKING = frozenset({"who", "whom", "to"})


@dataclass(frozen=True, slots=True)
class _Hierarchy:
    """The column by which a row refers to the one above it, and the key that it holds."""

    above: ColumnRef
    key: ColumnRef


def read_hierarchy(reader: Reader, draft: Draft) -> Draft:
    """The condition of a question about who is above or below somebody; a dead end where there is no such column, as
    what is left would be a question about that somebody alone."""
    for i in range(len(reader.sentence)):
        span = reader.sentence.span(i)
        if _reports_to(reader, i):
            return _related(reader, draft, i, downwards=None)
        led = span.low.endswith("ed") and bool(_LED & set(stems(span.text)))
        if led and reader.sentence.span(i + 1).low == "by":
            people = _people(reader, _hierarchy(reader), i)
            if people:
                return _related(reader, draft, i, downwards=True)
        elif _UPWARDS & set(stems(span.text)) and span.kind in (Thing.ENTITY, Thing.UNKNOWN) and not span.values:
            found = _hierarchy(reader)
            lacking = i - 1 if reader.sentence.kind(i - 1) is Mark.NOT else i - 2
            nobody = reader.sentence.kind(lacking) is Mark.NOT
            if found is not None and nobody and found.key.table in reader.sentence.tables:
                told = assumption("hierarchy", span.text, reader.readable(found.above))
                draft = draft.take(*range(lacking, i + 1)).assume(told).shaped("null")
                return draft.where(Condition(found.above, "null"), i)
            if found is not None and not reader.sentence.table(i) and _people(reader, found, i):
                return _related(reader, draft, i, downwards=_states_it(reader, i))
    return draft


def _reports_to(reader: Reader, i: int) -> bool:
    sentence = reader.sentence
    words = sentence.span(i).low.split()
    if words[:1] in (["work"], ["works"]) and sentence.span(i + 1).low in ("for", "under"):
        return bool(_people(reader, _hierarchy(reader), i))  # but one works for a department as well
    if not words or words[0] not in ("report", "reports", "reporting", "reported"):
        return False
    following = i + 2 if sentence.span(i + 1).low == "directly" else i + 1
    return words[-1] == "to" or sentence.span(following).low.split(" ")[0] == "to"


def _states_it(reader: Reader, i: int) -> bool:
    """ "employees whose manager is Ann Lee": those below her; "the manager of Ann Lee" is above."""
    return reader.sentence.span(i - 1).low == "whose" or reader.sentence.span(i + 1).low == "is"


def _related(reader: Reader, draft: Draft, i: int, *, downwards: bool | None) -> Draft:
    sentence = reader.sentence
    found = _hierarchy(reader)
    people = _people(reader, found, i) if found is not None else ()
    if found is None or not people:
        raise DeadEnd("unplaced_words", sentence.span(i).text)
    if downwards is None:  # "who does Ann Lee report to" ends with the verb
        downwards = people[0] > i
        if not downwards and sentence.span(0).low not in _ASKING:
            raise DeadEnd("unplaced_words", sentence.span(i).text)
    somebody = tuple(_is_named(reader, k, found.key.table) for k in people)
    subset = Subset(found.key if downwards else found.above, somebody)
    condition = Condition(found.above if downwards else found.key, "within", subset=subset)
    first, last = min(i, *people), max(i, *people)
    taken = [k for k in range(first, last + 1) if sentence.span(k).low in _BETWEEN or k in (i, *people)]
    around = (k for k in (first - 1, last + 1) if sentence.span(k).low in _BETWEEN - {"of", "for", "the"})
    told = assumption("hierarchy", sentence.span(i).text, reader.readable(found.above))
    return draft.take(*taken, *around).assume(told).where(condition, i).shaped("hierarchy")


def _hierarchy(reader: Reader) -> _Hierarchy | None:
    """The one hierarchy of the tables that are mentioned, else of those that hold a name that is."""
    columns = [column.ref for column in reader.facts.columns.values() if column.self_reference]
    named = {ref.table for span in reader.sentence.spans if span.is_value for ref in span.values}
    tables = reader.sentence.tables or named
    found = [ref for ref in columns if ref.table in tables]
    key = reader.key(found[0].table) if len(found) == 1 else None
    return _Hierarchy(found[0], key) if key is not None else None


def _people(reader: Reader, found: _Hierarchy | None, i: int) -> Sequence[int]:
    """Where the one is named who is above or below: a name, or a first and a last name, next to the word at `i`."""
    if found is None:
        return ()
    sentence = reader.sentence
    shown = {*reader.naming(found.key.table), *(reader.facts.tables[found.key.table].person or ())}
    named = [k for k in range(len(sentence)) if shown & set(sentence.span(k).values) and sentence.is_value(k)]
    if not named or len(named) > 2 or (len(named) == 2 and named[1] != named[0] + 1):
        return ()
    low, high = (i, named[0]) if named[0] > i else (named[-1], i)
    between = (sentence.span(k) for k in range(low + 1, high))
    near = all(span.low in _BETWEEN or span.kind in (Mark.OF, Thing.FILLER, Mark.EQUALS) for span in between)
    return tuple(named) if near else ()


def _is_named(reader: Reader, i: int, table: str) -> Condition:
    span = reader.sentence.span(i)
    ref = next(ref for ref in (*reader.naming(table), *(reader.facts.tables[table].person or ())) if ref in span.values)
    return Condition(ref, "=", (span.values[ref],))


def points_to(reader: Reader, i: int, parent: str) -> ColumnRef | None:
    """Of several references from what is asked for to `parent`, the one that the words before the value at `i` say:
    "from Hamburg" is the origin."""
    sentence = reader.sentence
    main = sentence.main
    if main is None or parent in sentence.tables:
        return None
    roles = [
        ColumnRef(main, pairs[0][0])
        for pairs in (r.pairs for r in reader.facts.relationships if (r.left, r.right) == (main, parent))
        if len(pairs) == 1
    ]
    if len(roles) < 2:
        return None
    said = reader.directions(i)
    fitting = [ref for ref in roles if said & set(reader.column(ref).words)]
    return fitting[0] if len(fitting) == 1 else None


def role_condition(reader: Reader, reference: ColumnRef, inner: Condition) -> Condition | None:
    """The condition on rows of a parent as one on the reference to it."""
    key = next(
        (
            ColumnRef(r.right, there)
            for r in reader.facts.relationships
            for here, there in r.pairs
            if ColumnRef(r.left, here) == reference
        ),
        None,
    )
    return Condition(reference, "within", subset=Subset(key, (inner,))) if key is not None else None
