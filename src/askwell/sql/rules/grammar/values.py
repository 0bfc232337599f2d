"""Conditions with cell values: "from France", "named 'Bob'", "in Paris or London", "red products"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.stems import stem, stems
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft
from askwell.sql.rules.grammar.context import column_before, negation_before, place
from askwell.sql.rules.grammar.hierarchies import points_to, role_condition
from askwell.sql.rules.grammar.times import period_of
from askwell.sql.rules.lexicon import Evidence
from askwell.sql.rules.query import Condition, Literal
from askwell.sql.rules.reader import Choice, Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.timecolumns import telling_words
from askwell.sql.rules.translation import Assumption
from askwell.sql.rules.words.phrases import Mark
from askwell.sql.world import DEMONYMS


def value_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """The value at `i`, and further values of the same column joined by "or" or "and"."""
    sentence = reader.sentence
    if _tells_date(reader, i):
        return draft.take(i), i + 1
    if (contained := _contained(reader, draft, i)) is not None:
        return contained
    choice, column = _column_of(reader, draft, i)
    if choice is None:
        raise DeadEnd("value_without_column", sentence.span(i).text)
    ref = choice.ref
    draft = draft.take(i).assume(*choice.assumptions, *_status_or_date(reader, draft, i, ref))
    if column is not None:
        draft = draft.take(column)
    values: list[Literal] = [reader.literal(sentence.span(i), ref)]
    links: list[str] = []
    last = i
    while (following := _next_value(reader, last, ref)) is not None:
        link, at, value = following
        values.append(value)
        if link is not None:
            links.append(sentence.span(link).detail)
            draft = draft.take(link)
        draft = draft.take(at)
        last = at
    noun = last + 1
    if len(values) > 1 and sentence.is_column(noun) and ref in sentence.span(noun).columns:
        draft = draft.take(noun)
    said = any(sentence.kind(k) is Mark.BOTH or sentence.span(k).low == "shared" for k in range(i))
    for k in range(max(0, i - 4), i):
        if sentence.kind(k) is Mark.BOTH or sentence.span(k).low == "either":
            draft = draft.take(k)
    if "and" in links and negation_before(reader, draft, i) is None:
        if len(values) > 2 or draft.both:
            raise DeadEnd("several_at_once", *(str(value) for value in values))
        pair = tuple(Condition(ref, "=", (value,)) for value in values)
        return draft.set(both=pair, both_said=said).shaped("both", "filter"), last + 1
    stored = tuple(same for value in values for same in reader.column(ref).padded.get(str(value), (value,)))
    condition = Condition(ref, "=" if len(stored) == 1 else "in", stored)
    if len(values) == 1 and str(values[0]).lower() in reader.column(ref).elements:
        draft = draft.assume(assumption("in_lists", sentence.span(i).text, reader.readable(ref)))
        condition = Condition(ref, "like", (f"%{values[0]}%",))
        return place(reader, draft, condition, i), last + 1
    role = points_to(reader, i, ref.table)
    if role is not None and (directed := role_condition(reader, role, condition)) is not None:
        draft = draft.assume(assumption("named_role", reader.facts.tables[ref.table].readable))
        return place(reader, draft.take(*range(last, i)), directed, i), last + 1
    return place(reader, draft, condition, i), last + 1


def _status_or_date(reader: Reader, draft: Draft, i: int, ref: ColumnRef) -> tuple[Assumption, ...]:
    """ "delivered orders", where orders have such a status and the day they were delivered on as well: the status."""
    span = reader.sentence.span(i)
    if not span.low.endswith("ed") or not span.text.islower() or reader.sentence.kind(i - 1) is Mark.EQUALS:
        return ()
    if column_before_is(reader, i, ref):
        return ()
    dates = [c for c in reader.facts.tables[ref.table].columns if c.is_date and stem(span.low) in c.words]
    if dates and negation_before(reader, draft, i) is not None:  # what was cancelled is not delivered either
        raise DeadEnd("ambiguous_value", span.text, reader.readable(ref), reader.readable(dates[0].ref))
    return (assumption("ambiguous_value", span.text, reader.readable(ref)),) if dates else ()


def column_before_is(reader: Reader, i: int, ref: ColumnRef) -> bool:
    """Whether the column of a value is named right before or after it."""
    sentence = reader.sentence
    return any(ref in sentence.span(k).columns for k in (sentence.before(i, Mark.EQUALS), sentence.after(i)))


def _tells_date(reader: Reader, i: int) -> bool:
    """ "orders shipped last month": the word says which date is meant, not which status."""
    sentence = reader.sentence
    span = sentence.span(i)
    timed = any(
        sentence.kind(k) is Thing.PERIOD
        or (sentence.kind(k) is Thing.NUMBER and period_of(sentence.span(k)) is not None)
        for k in range(i + 1, min(i + 4, len(sentence)))
    )
    if not timed or span.kind is Thing.QUOTED:
        return False
    dates = [c for table in sentence.tables for c in reader.facts.tables[table].columns if c.is_date]
    told = [column for column in dates if telling_words(reader, column) & set(stems(span.text))]
    own = [ref for ref in span.values if ref.table in sentence.tables]
    if told and own and not span.low.endswith(("ed", "id")):  # "tickets open in 2025"
        raise DeadEnd("ambiguous_value", span.text, *(reader.readable(ref) for ref in (own[0], told[0].ref)))
    return bool(told)


def _contained(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """ "with 'Inc' in its name": a part of a text that is no whole value."""
    sentence = reader.sentence
    span = sentence.span(i)
    inside = sentence.span(i + 1).low in ("in", "within")
    their = inside and sentence.span(i + 2).low in ("their", "its", "the") and not span.capital
    if not inside or not (their or (span.kind is Thing.QUOTED and not span.values)):
        return None
    j = sentence.after(i + 1)
    if span.kind is not Thing.QUOTED and not {"name", "title"} & set(sentence.span(j).low.split()):
        return None
    if not sentence.is_column(j) or sentence.is_value(j):
        return None
    choice = reader.choose(sentence.span(j).columns, j, back=True)
    draft = draft.take(i, j).assume(*choice.assumptions).shaped("pattern")
    for k in range(max(0, i - 3), i):
        if sentence.kind(k) is Mark.PATTERN:
            draft = draft.take(k)
    return place(reader, draft, Condition(choice.ref, "like", (f"%{span.text}%",)), i), j + 1


def _column_of(reader: Reader, draft: Draft, i: int) -> tuple[Choice | None, int | None]:
    """The column that the value is looked for in, and the span that names it."""
    sentence = reader.sentence
    span = sentence.span(i)
    if span.low in DEMONYMS and span.low not in {value.lower() for value in span.values.values()}:
        return Choice(_country_of(reader, i)), None
    before = column_before(reader, draft, i)
    if before is not None and sentence.table(before) is None:
        named = _holding(sentence.span(before).columns, span.values)
        if named:
            return reader.choose(named, before, back=True), before
        if span.kind is Thing.QUOTED and not span.values:
            choice = reader.choose(sentence.span(before).columns, before, back=True)
            unseen = assumption("unseen_value", span.text, reader.readable(choice.ref))
            return Choice(choice.ref, (*choice.assumptions, unseen)), before
    after = sentence.after(i)
    close = after == i + 1 or sentence.span(i + 1).low in ("as", "for")
    if close and sentence.is_column(after) and after not in draft.used:
        named = _holding(sentence.span(after).columns, span.values)
        if named:
            return reader.choose(named, after, back=True), after
    _refuse_strange_name(reader, i)
    other = _named_elsewhere(reader, i)
    return other or _of_table(reader, i) or reader.value_column(i), None


def _country_of(reader: Reader, i: int) -> ColumnRef:
    """ "orders of French customers", "customers who are French": the country of those who are called so, and not
    where they sell, nor what they speak."""
    sentence = reader.sentence
    span = sentence.span(i)
    owner = next((table for k in range(i + 1, i + 4) if (table := sentence.table(k)) is not None), None)
    if sentence.span(i - 1).low in _COPULAS and owner is None:
        owner = reader.owner(i, back=True)
    theirs = [ref for ref in span.values if ref.table == owner]
    if not theirs:
        raise DeadEnd("unplaced_words", span.text)
    if len(theirs) > 1:
        raise DeadEnd("ambiguous_value", span.text, *(reader.readable(ref) for ref in theirs))
    return theirs[0]


_COPULAS = frozenset({"is", "are", "was", "were"})


def _refuse_strange_name(reader: Reader, i: int) -> None:
    """ "the students of teacher Ada Byron", where no teacher is called so: it is not a student either."""
    sentence = reader.sentence
    named = sentence.table(i - 1)
    span = sentence.span(i)
    if named is None or len(sentence.tables) < 2 or sentence.span(i - 1).low.endswith("s") or not span.capital:
        return
    if not any(ref.table == named for ref in span.values) and reader.naming(named) and len(span.values) > 0:
        if any(ref.table in sentence.tables for ref in span.values):
            raise DeadEnd("value_without_column", span.text)


_DOING = frozenset({"did", "does", "do"})
_OWNING = frozenset({"has", "have", "had"})


def _named_elsewhere(reader: Reader, i: int) -> Choice | None:
    """ "how many albums has Iron Maiden": a text of what is mentioned holds the value, and something next to it is
    called so as well. Who has something is the latter; otherwise nobody can tell."""
    sentence = reader.sentence
    span, mentioned = sentence.span(i), sentence.tables
    own = [ref for ref in span.values if ref.table in mentioned]
    near = (*reader.beside(mentioned), *reader.parents(mentioned))
    others = [ref for ref in span.values if ref.table in near and ref.table not in mentioned]
    others = [ref for ref in others if reader.label(ref.table) == ref and not _same_thing(reader, ref, own)]
    if not own or not others or sentence.table(i - 1) is not None or sentence.kind(i - 1) is Mark.EQUALS:
        return None
    has = sentence.span(i - 1).low in _OWNING or sentence.span(sentence.after(i)).low in _OWNING
    does = sentence.span(i - 1).low in _DOING
    made = sentence.table(i - 2) if sentence.span(i - 1).low == "by" else None
    several = sentence.span(i + 1).low.endswith("s") or sentence.span(i - 1).low == "which"
    if several and any(ref == reader.label(sentence.table(i + 1) or "") for ref in own):
        made = sentence.table(i + 1)  # "Iron Maiden albums" are not all called so
    if made is not None:  # "albums by Iron Maiden", "tracks on each album by Metallica"
        named = [ref for ref in others if ref.table in reader.parents((made,))]
        named = [ref for ref in named if reader.facts.tables[ref.table].is_somebody] or named
        if len(named) == 1 and not any(ref.table == made and reader.label(made) != ref for ref in own):
            return Choice(named[0], (assumption("ambiguous_value", span.text, reader.readable(named[0])),))
    if has or does:  # who has or does something is what it belongs to, and no part of it
        others = [ref for ref in others if ref.table in reader.parents(mentioned)] or others
    if (has or does) and len(others) == 1:
        return Choice(others[0], (assumption("ambiguous_value", span.text, reader.readable(others[0])),))
    raise DeadEnd("ambiguous_value", span.text, *(reader.readable(ref) for ref in (*own, *others)))


def _same_thing(reader: Reader, ref: ColumnRef, own: Sequence[ColumnRef]) -> bool:
    """Whether one of the own columns refers to that table or is called like it: the country of customers, beside a
    table of countries."""
    table = reader.facts.tables[ref.table]
    columns = [reader.column(other) for other in own]
    return any(c.is_reference or set(table.words) & {w for name in c.names for w in name} for c in columns)


def _holding(columns: Mapping[ColumnRef, Evidence], values: Mapping[ColumnRef, str]) -> dict[ColumnRef, Evidence]:
    """The named columns that hold the value."""
    return {ref: evidence for ref, evidence in columns.items() if ref in values}


def _of_table(reader: Reader, i: int) -> Choice | None:
    """ "the customer Bob": the value stands right after the table whose row it names."""
    sentence = reader.sentence
    span = sentence.span(i)
    before = sentence.before(i, Mark.EQUALS, Mark.NOT, Mark.OF, Mark.ASK)
    table = sentence.table(before)
    if table is None:
        return None
    inside = [ref for ref in span.values if ref.table == table]
    label = reader.label(table)
    if len(inside) > 1 and label in inside:
        inside = [ref for ref in inside if ref == label]
    if len(inside) == 1:
        return Choice(inside[0])
    if not span.values and span.kind is Thing.QUOTED and label is not None:
        return Choice(label, (assumption("unseen_value", span.text, reader.readable(label)),))
    return None


def _next_value(reader: Reader, last: int, ref: ColumnRef) -> tuple[int | None, int, Literal] | None:
    """The next value of the same column: after "or" or "and", or after a comma that a list goes on from."""
    sentence = reader.sentence
    link = sentence.after(last, Thing.COMMA)
    at = sentence.after(link, Mark.OF)
    if sentence.kind(link) in (Mark.OR, Mark.AND) and sentence.is_value(at) and ref in sentence.span(at).values:
        return link, at, sentence.span(at).values[ref]
    comma = last + 1
    if sentence.kind(comma) is Thing.COMMA and link == comma + 1 and sentence.is_value(link):
        if ref in sentence.span(link).values and _list_goes_on(reader, link, ref):
            return None, link, sentence.span(link).values[ref]
    return None


def _list_goes_on(reader: Reader, at: int, ref: ColumnRef) -> bool:
    following = _next_value(reader, at, ref)
    return following is not None
