"""The select list: what the question wants to see, once every other clause has taken its words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.stems import stem, stem_set, stems
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft
from askwell.sql.rules.grammar.aggregates import aggregate_at
from askwell.sql.rules.grammar.heads import head_end, with_their
from askwell.sql.rules.lexicon import Evidence
from askwell.sql.rules.query import Output
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.timecolumns import date_column, telling_words, told_date, verbs_of
from askwell.sql.rules.translation import Assumption
from askwell.sql.rules.words.hints import HOW_WORDS
from askwell.sql.rules.words.phrases import Mark

_KEY_WORDS = frozenset({"id", "number", "code", "key", "no"})
_HEADS = frozenset({"year", "date", "time", "number", "amount"})
_OWN = frozenset({"their", "its"})
_ANY = frozenset({"a", "an", "any", "some"})
_TOGETHER = frozenset({"in total", "overall"})
_COPULAS = frozenset({"is", "are", "was", "were", "been", "be", "got"})
_PREPOSITIONS = frozenset({"with", "without", "in", "on", "to", "by", "from"})


@dataclass(slots=True)
class SelectList:
    """The select list while it is read: what is shown, and what it took and took for granted."""

    used: set[int]
    outputs: list[Output] = field(default_factory=list)
    assumptions: list[Assumption] = field(default_factory=list)
    shapes: set[str] = field(default_factory=set)
    distinct: bool = False
    everything: bool = False
    second_sentence: bool = False

    @property
    def aggregated(self) -> bool:
        """Whether anything shown is an aggregate."""
        return any(output.aggregate for output in self.outputs)

    def show(self, *outputs: Output) -> None:
        """These are shown as well."""
        self.outputs += outputs


def read_select(reader: Reader, draft: Draft) -> SelectList:
    """The select list of a draft whose other clauses are done."""
    sentence = reader.sentence
    listing = SelectList(set(draft.used))
    for i in sentence.where(Mark.EVERYTHING):
        listing.used.add(i)
        listing.everything = True
    start = _second_sentence(reader, listing)
    if start:
        _take_first_sentence(reader, listing, start)
    end = head_end(reader, draft, start)
    i = start
    while i < len(sentence):
        i = _step(reader, draft, listing, i, end)
    return listing


def _second_sentence(reader: Reader, listing: SelectList) -> int:
    """ "Which …? List its name and year.": where the sentence that says what to show begins, else 0."""
    sentence = reader.sentence
    stops = [j for j in sentence.where(Thing.STOP) if sentence.span(j).text in "?." and j < len(sentence) - 2]
    if not stops:
        return 0
    start = sentence.after(stops[-1])
    if sentence.kind(start) not in (Mark.ASK, Mark.AGGREGATE):
        return 0
    for j in range(start, len(sentence)):
        span = sentence.span(j)
        named = span.kind is Thing.ENTITY and (span.tables or span.columns)
        if j not in listing.used and (named or span.kind is Mark.AGGREGATE):
            return start
    return 0


def _take_first_sentence(reader: Reader, listing: SelectList, start: int) -> None:
    sentence = reader.sentence
    listing.second_sentence = True
    listing.assumptions.append(assumption("two_sentences"))
    for j in range(start):
        lost = sentence.is_column(j) and j not in listing.used and not sentence.is_value(j)
        asked = sentence.span(j - 1).low == "the" and sentence.span(j + 1).low == "of"
        if lost and asked and sentence.span(0).low == "who":
            raise DeadEnd("unplaced_words", sentence.span(j).text)  # "who is the advisor of …? Give the name"
        if lost and sentence.span(j - 1).low in _ANY:  # "who work for a company? Show their name and company"
            raise DeadEnd("unplaced_words", sentence.span(j).text)
        if sentence.is_column(j) or sentence.kind(j) is Mark.DISTINCT:
            listing.used.add(j)


def _step(reader: Reader, draft: Draft, listing: SelectList, i: int, end: int) -> int:
    """Read the span at `i` into the list. Returns the span to go on from."""
    sentence = reader.sentence
    span = sentence.span(i)
    if span.kind is Mark.DISTINCT:
        listing.distinct = True
        listing.used.add(i)
        return i + 1
    if i in listing.used:
        return i + 1
    if span.kind is Mark.HOW or (i == 0 and span.low in HOW_WORDS):
        _how(reader, listing, i)
        return i + 1
    if i == 0 and span.low == "when":
        _when(reader, draft, listing)
        return i + 1
    if span.kind is Mark.AGGREGATE:
        return _aggregate(reader, draft, listing, i, end)
    if span.kind is Thing.ENTITY:
        if sentence.table(i) is not None:
            _table(reader, draft, listing, i, end)
        elif span.columns:
            _column(reader, draft, listing, i, end)
    return i + 1


def _how(reader: Reader, listing: SelectList, i: int) -> None:
    """ "how old", "where": asks for a column of what is mentioned first."""
    sentence = reader.sentence
    main = sentence.main
    hints = [stem(word) for word in HOW_WORDS[sentence.span(i).low]]
    columns = reader.facts.tables[main].columns if main is not None else ()
    found = next((c for hint in hints for c in columns if hint in c.words), None)
    if main is None:
        named = [c for hint in hints for c in reader.facts.columns.values() if c.words == (hint,)]
        found = named[0] if len(named) == 1 else None
    if found is None:
        if sentence.span(i).low == "where":
            return
        raise DeadEnd("unplaced_words", sentence.span(i).text)
    listing.used.add(i)
    listing.show(Output(found.ref))
    listing.assumptions.append(assumption("adjective", sentence.span(i).text, reader.readable(found.ref)))


def _when(reader: Reader, draft: Draft, listing: SelectList) -> None:
    """ "when was Ann Lee born", "when did Birk place the last order": the date that is ranked by, or the one told."""
    ranked = draft.extreme.output.column if draft.extreme is not None and draft.extreme.kind == "column" else None
    if ranked is not None and reader.column(ranked).is_date:
        listing.show(Output(ranked))
        return
    if any(reader.sentence.is_column(k) and k not in draft.used for k in range(1, len(reader.sentence))):
        return
    tables = {ref.table for ref in draft.filtered_columns()} if not reader.sentence.tables else set()
    choice = date_column(reader) if not tables else told_date(reader, tables)
    if choice is not None and draft.extreme is None:
        _refuse_other_times(reader, choice.ref)
        listing.show(Output(choice.ref))
        listing.used.update((0, *verbs_of(reader, choice.ref)))
        listing.assumptions += choice.assumptions


def _refuse_other_times(reader: Reader, ref: ColumnRef) -> None:
    """ "when does it open", where something was opened on a day and opens at an hour."""
    telling = telling_words(reader, reader.column(ref)) & reader.sentence.stems
    others = [c.ref for c in reader.facts.columns.values() if telling & set(c.words) and c.ref != ref]
    others = [other for other in others if other.table in (*reader.beside((ref.table,)), ref.table)]
    if others and telling:
        raise DeadEnd("ambiguous_column", next(iter(telling)), *(reader.readable(r) for r in (ref, *others[:3])))


def _aggregate(reader: Reader, draft: Draft, listing: SelectList, i: int, end: int) -> int:
    sentence = reader.sentence
    span = sentence.span(i)
    counted_before = any(sentence.kind(j) is Mark.AGGREGATE and j in listing.used for j in range(i))
    summed = any(having.output.aggregate == "sum" for having in draft.having)
    if span.low in _TOGETHER and (counted_before or summed):
        listing.used.add(i)
        return i + 1
    amount = listing.outputs[0] if len(listing.outputs) == 1 else None
    if span.low in _TOGETHER and amount is not None and amount.column is not None and amount.aggregate is None:
        if not reader.column(amount.column).is_measure:
            raise DeadEnd("aggregate_of_what", span.text)
        listing.outputs[0] = replace(amount, aggregate="sum")  # "what did we pay for freight in total"
        listing.used.add(i)
        listing.shapes.add("aggregate")
        return i + 1
    if i > end and listing.outputs:
        if sentence.kind(sentence.before(i)) not in (Mark.AND, Thing.COMMA):
            raise DeadEnd("aggregate_after_the_list", span.text)
        listing.assumptions.append(assumption("late_aggregate", span.text))
    found = aggregate_at(reader, i, listing.used, distinct=listing.distinct)
    listing.used |= found.used
    listing.show(*found.outputs)
    listing.assumptions += found.assumptions
    listing.shapes.add(found.shape)
    listing.distinct = found.distinct
    return found.next


def _column(reader: Reader, draft: Draft, listing: SelectList, i: int, end: int) -> None:
    sentence = reader.sentence
    span = sentence.span(i)
    if i > end and listing.outputs and not _of_their_list(reader, i):
        known = {output.column for output in listing.outputs} | set(draft.filtered_columns())
        known |= {group.output.column for group in draft.groups if group.output is not None}
        if reader.choose(span.columns, i).ref not in known:
            raise DeadEnd("column_after_the_list", span.text)
        listing.used.add(i)
        listing.assumptions.append(assumption("repeated_column", span.text))
        return
    follows = i - 1 in draft.used and sentence.is_column(i - 1) and span.best_column >= Evidence.WEAK
    if follows and span.low in _HEADS:
        listing.used.add(i)
        listing.assumptions.append(assumption("repeated_column", span.text))  # "by founded year"
        return
    if not listing.outputs and _describes(reader, i):
        raise DeadEnd("unplaced_words", span.text)
    if span.best_column >= Evidence.WEAK and not span.tables and sentence.table(i + 1) is not None:
        raise DeadEnd("unplaced_words", span.text)  # "good customers": an attribute, not something to show
    if _stands_for_rows(reader, draft, listing, i):
        listing.used.add(i)
        listing.assumptions.append(assumption("column_as_table", span.text))
        return
    listing.used.add(i)
    if _full_name(reader, listing, i):
        return
    flags = {ref for ref in draft.filtered_columns() if reader.column(ref).is_flag}
    if span.best_column >= Evidence.WEAK and reader.choose(span.columns, i).ref in flags:
        listing.assumptions.append(assumption("repeated_column", span.text))  # "who have not paid their fee"
        return
    choice = reader.choose(_beside_previous(reader, listing, i), i)
    listing.assumptions += choice.assumptions
    if _by_name(reader, listing, choice.ref, i):
        return
    listing.show(Output(choice.ref))


def _of_their_list(reader: Reader, i: int) -> bool:
    """Whether it stands in a list that "with their" begins: "with their email and phone"."""
    sentence = reader.sentence
    k = i - 1
    while k > 0 and (sentence.is_column(k) or sentence.kind(k) in (Mark.AND, Thing.COMMA) or sentence.light(k)):
        if with_their(reader, k - 1) or with_their(reader, k):
            return True
        k -= 1
    return False


def _by_name(reader: Reader, listing: SelectList, ref: ColumnRef, i: int) -> bool:
    """ "their support rep": the name of the employee, and not the key that stands for one."""
    if stem_set(_KEY_WORDS) & set(stems(reader.sentence.span(i).text)) or reader.column(ref).words[-1] != stem("id"):
        return False
    if reader.column(ref).self_reference:
        raise DeadEnd("unplaced_words", reader.sentence.span(i).text)
    table = reader.referred(ref)
    if table is None or not (shown := reader.naming(table)):
        return False
    listing.show(*(Output(name) for name in shown if Output(name) not in listing.outputs))
    listing.assumptions.append(assumption("default_name", "", reader.readable(shown[0])))
    return True


def _describes(reader: Reader, i: int) -> bool:
    """ "employees report to …", "products in stock", "customers with state": a relation or a condition, which no clause
    could read, and nothing to show."""
    sentence = reader.sentence
    dated = any(reader.column(ref).is_date for ref in sentence.span(i).columns)
    said = sentence.span(i - 1).low in _COPULAS or sentence.table(i - 1) is not None
    verb = sentence.span(i).low.endswith("ed")
    names = [reader.column(ref).readable.lower().split() for ref in sentence.span(i).columns]
    said = said or not any(sentence.span(i).low in name for name in names)
    if dated and verb and said:
        return True  # "orders placed in stores", "products were launched"
    before = i - 2 if sentence.span(i - 1).low in ("a", "an", "any") else i - 1
    if sentence.span(before).low == "with" and before == i - 2:
        return any(sentence.table(k) is not None for k in range(before))
    return sentence.span(i - 1).low in _PREPOSITIONS and sentence.table(i - 2) is not None


def _stands_for_rows(reader: Reader, draft: Draft, listing: SelectList, i: int) -> bool:
    """ "the total enrollment of all schools": the column that names the rows stands for them."""
    sentence = reader.sentence
    if not listing.outputs or sentence.span(sentence.before(i)).low not in ("of", "for", "among"):
        return False
    ref = reader.choose(sentence.span(i).columns, i).ref
    if listing.outputs[-1].column is None or listing.outputs[-1].column.table != ref.table or draft.groups:
        return False
    weak = sentence.span(i).best_column >= Evidence.WEAK
    return weak or (listing.aggregated and reader.label(ref.table) == ref)


def _beside_previous(reader: Reader, listing: SelectList, i: int) -> Mapping[ColumnRef, Evidence]:
    """ "the skill id and description": the second column is of the same table as the first, where it can be."""
    sentence = reader.sentence
    columns = sentence.span(i).columns
    listed = sentence.kind(sentence.before(i)) in (Mark.AND, Thing.COMMA)
    last = listing.outputs[-1].column if listing.outputs else None
    if not listed or last is None or _owned(reader, i):
        return columns
    same = {ref: evidence for ref, evidence in columns.items() if ref.table == last.table}
    return same if same and min(same.values()) <= max(Evidence.TRIMMED, min(columns.values())) else columns


def _owned(reader: Reader, i: int) -> bool:
    """Whether a table right before or after the word says whose column it is."""
    sentence = reader.sentence
    following = sentence.after(i)
    said_of = any(sentence.span(k).low in ("of", "for", "from", "in") for k in range(i, following + 1))
    after = sentence.after(i, Mark.OF, Mark.EACH, Mark.DISTINCT)
    return sentence.table(i - 1) is not None or (said_of and sentence.table(after) is not None)


def _full_name(reader: Reader, listing: SelectList, i: int) -> bool:
    """ "(full) name" of what has a first and a last name."""
    sentence = reader.sentence
    words = stems(sentence.span(i).text)
    owner = reader.owner(i)
    label = reader.label(owner) if owner is not None else None
    elsewhere = not any(ref.table == owner for ref in sentence.span(i).columns)
    elsewhere = elsewhere and sentence.span(i).best_column >= Evidence.PARTIAL
    if label is not None and words == (stem("name"),) and elsewhere:
        listing.show(Output(label))  # what names a row is called otherwise
        return True
    person = reader.facts.tables[owner].person if owner is not None else None
    full = sentence.span(i - 1).low == "full" and sentence.kind(i - 1) is Thing.UNKNOWN
    unnamed = owner is not None and words == (stem("name"),) and reader.label(owner) is None
    if person is None or words[-1:] != (stem("name"),) or not (full or unnamed):
        return False
    listing.show(*(Output(ref) for ref in person))
    listing.assumptions.append(assumption("first_last"))
    if full:
        listing.used.add(i - 1)
    return True


def _table(reader: Reader, draft: Draft, listing: SelectList, i: int, end: int) -> None:
    """A table is context, unless it stands in the list beside columns: then its label is shown."""
    sentence = reader.sentence
    table = sentence.table(i)
    if table is None or i >= end:
        return
    if table == sentence.main and sentence.span(i + 1).low in ("information", "info") and not listing.outputs:
        listing.everything = True
    if _owns_next(reader, i):
        return
    if listing.outputs:
        before = sentence.before(i)
        if (sentence.kind(before) in (Mark.AND, Thing.COMMA) or with_their(reader, before)) and not listing.aggregated:
            _show_label(reader, listing, table, i)
        return
    follows = sentence.after(i + 1)
    heads = sentence.kind(sentence.before(i)) in (Mark.ASK, Thing.END) and not draft.groups
    other = sentence.table(follows)
    listed = bool(sentence.span(follows).columns) or (other is not None and other != table)
    figure = sentence.kind(i + 1) is Mark.AND and sentence.kind(follows) is Mark.AGGREGATE
    loose = sentence.span(i + 1).low == "and" and sentence.span(i + 2).low not in _OWN
    if heads and figure and sentence.span(follows).detail == "count" and loose:
        raise DeadEnd("table_in_the_list", sentence.span(i).text)  # "guests and the number of bookings": of each?
    if heads and figure:
        return
    listing_of = sentence.span(sentence.before(i)).low == "of" and sentence.span(i - 2).low == "list"
    first = sentence.tables[:1] == (table,) and not any(sentence.table(k) is not None for k in range(i))
    follow = any(with_their(reader, k) for k in range(i + 1, len(sentence)))
    if (heads or listing_of or first) and follow and not draft.groups:
        _show_label(reader, listing, table, i)
        return
    if heads and listed and sentence.kind(i + 1) in (Mark.AND, Thing.COMMA) and not sentence.is_value(follows):
        _show_label(reader, listing, table, i)


def _owns_next(reader: Reader, i: int) -> bool:
    return reader.sentence.kind(i + 1) is Thing.ENTITY or reader.sentence.span(i + 1).text == "'s"


def _show_label(reader: Reader, listing: SelectList, table: str, i: int) -> None:
    shown = reader.naming(table)
    if not shown or any(output.column is not None and output.column.table == table for output in listing.outputs):
        raise DeadEnd("table_in_the_list", reader.sentence.span(i).text)
    listing.show(*(Output(ref) for ref in shown))
    listing.used.add(i)
    listing.assumptions.append(assumption("coordinated_table", reader.sentence.span(i).text, reader.readable(shown[0])))
