"""What a query is not written for though every word is placed: it would answer something else than was asked."""

from __future__ import annotations

import re

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.stems import stem, stem_set, stems
from askwell.sql.rules.corrections import rows_of_kind
from askwell.sql.rules.draft import DeadEnd, Draft, Extreme
from askwell.sql.rules.grammar.heads import with_their
from askwell.sql.rules.grammar.selecting import SelectList
from askwell.sql.rules.outputs import same_key
from askwell.sql.rules.query import Output, Sort
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.words.forms import ADDITIVE_WORDS
from askwell.sql.rules.words.phrases import Mark

_FIGURES = frozenset({"average", "mean", "total", "largest", "highest", "smallest", "lowest", "maximum", "minimum"})


def refuse_unasked_list(reader: Reader, listing: SelectList) -> None:
    """ "the average rating" is one number; a column of that name holds one for each row of something unnamed."""
    for span in reader.sentence.spans:
        if span.columns and span.low.split()[0] in _FIGURES and len(listing.outputs) == 1:
            raise DeadEnd("unplaced_words", span.text)


def refuse_split_groups(reader: Reader, groups: list[Output], sorts: list[Sort], outputs: list[Output]) -> None:
    """An amount beside groups that it does not belong to would split them up: one row for each amount."""
    if not any(output.aggregate for output in (*outputs, *(sort.output for sort in sorts))):
        return
    grouped = {group.column.table for group in groups if group.column is not None and group.bucket is None}
    keys = {group.column for group in groups if group.column is not None}
    shown = {o.column.table for o in outputs if o.column is not None}
    own = {t for t in {*grouped, *shown} if (key := reader.key(t)) is not None and _is_key(reader, key, keys)}
    whole = {*own, *reader.parents(own)}
    for output in (*outputs, *(sort.output for sort in sorts)):
        if output.aggregate is not None or output.column is None or output in groups or output.column.table in whole:
            continue
        if reader.column(output.column).is_measure:
            raise DeadEnd("too_much_at_once")


def refuse_own_figure(reader: Reader, groups: list[Output], output: Output) -> None:
    """ "the class with the highest average grade": each class has one grade, so its average is another column."""
    table = output.table
    names = {*reader.naming(table), reader.key(table)} if table is not None else set()
    if output.column is not None and all(group.column in names for group in groups):
        raise DeadEnd("aggregate_of_what", reader.readable(output.column), barred=output.column)


_RATINGS = re.compile(r"rating|score|grade|stars|satisf", re.IGNORECASE)


def refuse_single_rating(reader: Reader, listing: SelectList, output: Output) -> None:
    """ "the product with the best rating" has many: is it the best one or their average?"""
    shown = {shown.table for shown in listing.outputs if shown.table is not None}
    if output.column is None or not _RATINGS.search(output.column.column):
        return
    if output.column.table not in shown and any(table in reader.parents((output.column.table,)) for table in shown):
        raise DeadEnd("superlative_of_what", reader.readable(output.column))


def refuse_single_amount(reader: Reader, listing: SelectList, extreme: Extreme) -> None:
    """ "the store with the highest net amount" has many sales: is it the highest one or their total? What there is
    "the most" of adds up, also over the rows of whom a reference names: "which consignee received the most weight"."""
    output = extreme.output
    shown = {shown.table for shown in listing.outputs if shown.table is not None}
    named = [shown.column for shown in listing.outputs if shown.column is not None]
    if extreme.most and output.column is not None and named and reader.column(named[0]).is_reference:
        raise DeadEnd("single_or_total", reader.readable(output.column))
    if output.column is None or output.column.table in shown | {reader.sentence.main}:
        return
    words = {word for name in reader.column(output.column).names for word in name}
    above = any(table in reader.parents((output.column.table,)) for table in shown)
    if above and (extreme.most or words & stem_set(ADDITIVE_WORDS)):
        raise DeadEnd("single_or_total", reader.readable(output.column))


def refuse_parts(reader: Reader, listing: SelectList) -> None:
    """ "the price of the album 'X'": its tracks have prices, and it has none."""
    sentence = reader.sentence
    for output in listing.outputs:
        if output.column is None or output.aggregate is not None or not reader.column(output.column).is_measure:
            continue
        said = next((i for i in range(len(sentence)) if output.column in sentence.span(i).columns), len(sentence))
        of = sentence.table(said + 2) or sentence.table(said + 3)
        one = sentence.span(said + 1).low == "of" and any(sentence.is_value(said + k) for k in (3, 4))
        if one and of in reader.parents((output.column.table,)):
            raise DeadEnd("column_of_parts", sentence.span(said).text)


def refuse_unshown(reader: Reader, listing: SelectList) -> None:
    """ "the dearest products with their category": the category has to be shown."""
    shown = {output.table for output in listing.outputs} | {output.rows_of for output in listing.outputs}
    for i in range(len(reader.sentence)):
        table = reader.sentence.table(i + 2)
        if with_their(reader, i) and table is not None and table not in shown:
            raise DeadEnd("table_in_the_list", reader.sentence.span(i + 2).text)


def refuse_second_question(reader: Reader, listing: SelectList) -> None:
    """ "what was the largest invoice and which customer was it for": both are asked for."""
    sentence = reader.sentence
    shown = {output.table for output in listing.outputs} | {output.rows_of for output in listing.outputs}
    for i in range(2, len(sentence)):
        asked = sentence.span(i).low in _ASKING and sentence.kind(sentence.before(i)) in (Mark.AND, Thing.COMMA)
        table = sentence.table(sentence.after(i, Mark.OF))
        if asked and table is not None and table not in shown and sentence.span(i - 1).low != "but":
            raise DeadEnd("two_questions", sentence.span(sentence.after(i, Mark.OF)).text)


_ASKING = frozenset({"which", "what", "who", "whose", "where", "when"})


def refuse_nobody(reader: Reader, listing: SelectList) -> None:
    """ "who repaired the bike" asks for somebody, and not for the repairs."""
    sentence = reader.sentence
    if sentence.span(0).low != "who" or sentence.span(1).low in _BEING or listing.second_sentence:
        return
    shown = {output.table for output in listing.outputs if output.table is not None and output.aggregate is None}
    if listing.everything and sentence.main is not None:
        shown.add(sentence.main)
    if not all(reader.facts.tables[table].is_somebody for table in shown):
        raise DeadEnd("unplaced_words", sentence.span(0).text)


_BEING = frozenset({"is", "are", "was", "were", "'s"})


def refuse_unused_aggregate(reader: Reader, draft: Draft, listing: SelectList) -> None:
    """ "total", "in total" and "average" ask for a figure, and "are we making money" for yes or no."""
    sentence = reader.sentence
    figures = [output for output in listing.outputs if output.aggregate]
    told = bool(figures or draft.having or draft.shown_extremes)
    told = told or (draft.extreme is not None and draft.extreme.kind != "column")
    told = told or (draft.sort is not None and any(term.aggregate for term in draft.sort.terms))
    asked = [i for i in sentence.where(Mark.AGGREGATE) if sentence.span(i).detail != "count"]
    if asked and not told and not any(placed.condition.than_average for placed in draft.conditions):
        if draft.extreme is None and not any(placed.condition.than for placed in draft.conditions):
            raise DeadEnd("aggregate_of_what", sentence.span(asked[0]).text)
    summed = any(kind.kind == "implicit_sum" for kind in listing.assumptions)
    if summed and sentence.span(0).low in _YES_OR_NO:
        raise DeadEnd("unplaced_words", sentence.span(0).text)


def refuse_state(reader: Reader) -> None:
    """ "products on order" are those of which units are on order, and not all that was ever ordered."""
    sentence = reader.sentence
    own = reader.facts.tables[sentence.main].columns if sentence.main is not None else ()
    for i in range(1, len(sentence)):
        said = f"{sentence.span(i - 1).low} {sentence.span(i).low}"
        ends = sentence.kind(i + 1) in (Thing.STOP, Thing.END) and sentence.span(i - 1).low in ("on", "in")
        if (
            ends
            and sentence.table(i) is not None
            and any(c.is_measure and set(stems(said)) < set(c.words) for c in own)
        ):
            raise DeadEnd("unplaced_words", said)


def refuse_every(reader: Reader) -> None:
    """ "are all products in stock" asks for yes or no, and a list of those that are says neither."""
    sentence = reader.sentence
    if sentence.span(0).low in _YES_OR_NO and sentence.span(1).low.split()[0:1] in (["all"], ["every"], ["each"]):
        raise DeadEnd("unplaced_words", sentence.span(1).text)


_YES_OR_NO = frozenset({"are", "is", "do", "does", "did", "was", "were", "has", "have"})


def refuse_other_unit(reader: Reader, listing: SelectList) -> None:
    """ "the commission in dollars", which is a percentage; cents are no dollars either."""
    sentence = reader.sentence
    money = next((i for i in range(1, len(sentence)) if sentence.span(i).low in _CURRENCIES), 0)
    if not money or sentence.span(money - 1).low != "in":
        return
    columns = (reader.column(output.column) for output in listing.outputs if output.column is not None)
    if any(stem_set(_OTHER_UNITS) & set(column.words) for column in columns):
        raise DeadEnd("unplaced_words", f"in {sentence.span(money).text}")


_CURRENCIES = frozenset({"dollars", "euros", "dollar", "euro", "usd", "eur"})
_OTHER_UNITS = frozenset({"pct", "percent", "rate", "ratio", "cents", "count", "number", "quantity"})


def refuse_lost_part(reader: Reader, draft: Draft) -> None:
    """ "members with an i in their name", where the part to look for was taken for a word."""
    sentence = reader.sentence
    if "pattern" in draft.shapes:
        return
    for i in range(2, len(sentence) - 2):
        inside = sentence.span(i).low in ("in", "within") and sentence.span(i + 1).low in ("their", "its", "the")
        named = bool({"name", "names", "title", "titles"} & set(sentence.span(i + 2).low.split()))
        told = any(sentence.span(k).low in ("with", "have", "has", "having", "containing") for k in range(i))
        if inside and named and told and sentence.kind(i - 1) in (Thing.FILLER, Thing.UNKNOWN, Thing.NUMBER):
            raise DeadEnd("unplaced_words", sentence.span(i - 1).text)


def refuse_person(reader: Reader, listing: SelectList) -> None:
    """ "who is our contact at Birch Inc" asks for somebody, and not for a title or a phone."""
    if reader.sentence.span(0).low != "who" or listing.everything or listing.second_sentence:
        return
    columns = [reader.column(output.column) for output in listing.outputs if output.column and not output.aggregate]
    if len(columns) != 1 or len(columns) < len(listing.outputs):
        return
    names = {*reader.naming(columns[0].ref.table), reader.key(columns[0].ref.table)}
    if columns[0].ref not in names and columns[0].words[-1] != stem("name") and len(columns[0].words) > 1:
        raise DeadEnd("column_after_the_list", columns[0].readable)


def refuse_no_time(reader: Reader, listing: SelectList) -> None:
    """ "when" asks for a time."""
    if reader.sentence.span(0).low != "when" or listing.everything:
        return
    shown = [reader.column(output.column) for output in listing.outputs if output.column is not None]
    if not any(column.is_date or stem_set(_TIMES) & set(column.words) for column in shown):
        raise DeadEnd("unplaced_words", reader.sentence.span(0).text)


_TIMES = frozenset({"date", "year", "time", "month", "day", "when"})


def _is_key(reader: Reader, key: ColumnRef, refs: set[ColumnRef]) -> bool:
    """Whether one of the columns is that key, or refers to it."""
    return key in refs or any(same_key(reader, ref, key) for ref in refs)


def refuse_lost_rows(reader: Reader, draft: Draft, listing: SelectList) -> None:
    """ "which customers are from Canada and have a company": the customers are asked for, and not the companies."""
    sentence = reader.sentence
    head = 1
    while sentence.light(head) or sentence.kind(head) in _BEFORE_ROWS:
        head += 1
    table = sentence.table(head)
    if sentence.span(0).low == "which" and draft.extreme is not None:
        _refuse_lost_owner(reader, listing, head)
    asked = sentence.span(0).low == "which" or (sentence.span(0).low == "what" and head == 1)
    if asked and table is None and sentence.table(head + 1) is None:
        _refuse_lost_kind(reader, draft, listing, head)
    if sentence.span(0).low not in ("which", "who") or table is None or listing.second_sentence or listing.everything:
        return
    if sentence.span(0).low == "who" and sentence.span(1).low not in ("is", "are", "was", "were"):
        return
    if sentence.kind(head + 1) is Thing.ENTITY or sentence.span(head + 1).text == "'s":
        return  # "which customer emails": the next word says what of them
    names = {*reader.naming(table), reader.key(table)}
    if listing.outputs and all(o.aggregate is None and o.column not in names for o in listing.outputs):
        raise DeadEnd("column_after_the_list", sentence.span(head).text)


def _refuse_lost_owner(reader: Reader, listing: SelectList, head: int) -> None:
    """ "which agent's customers spend the most": the agent is asked for, and not a customer."""
    sentence = reader.sentence
    owner = sentence.is_value(head) or sentence.table(head) is not None
    owned = sentence.table(head + 1) if sentence.span(head + 1).text.startswith("'s ") else None
    shown = {output.table for output in listing.outputs} | ({sentence.main} if listing.everything else set())
    if owner and owned is not None and owned in shown:
        raise DeadEnd("table_beside", sentence.span(head).text)


def _refuse_lost_kind(reader: Reader, draft: Draft, listing: SelectList, head: int) -> None:
    """ "which sales agent has the most customers": the agents are asked for, and not the customers."""
    refs = [placed.condition.column for placed in draft.conditions if placed.at == head]
    last = head
    while reader.sentence.is_value(last + 1):
        last += 1
    if reader.sentence.table(last + 1) is not None:
        return  # "which Ada Byron books"
    shown = {output.column.table for output in listing.outputs if output.column is not None}
    shown |= {reader.sentence.main} if listing.everything and reader.sentence.main is not None else set()
    for ref in refs if reader.sentence.is_value(head) else ():
        if shown and not shown & {ref.table, rows_of_kind(ref, reader.facts)}:
            raise DeadEnd("table_beside", reader.sentence.span(head).text)


_BEFORE_ROWS = (Thing.NUMBER, Mark.TOP, Mark.EXTREME, Mark.ADJECTIVE, Mark.DISTINCT)
