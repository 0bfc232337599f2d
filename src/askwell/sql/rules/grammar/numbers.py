"""Conditions with numbers: ranges, comparisons, "or more", plain equality and years."""

from __future__ import annotations

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.periods import Period
from askwell.question.stems import stem, stem_set
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft
from askwell.sql.rules.grammar.comparisons import group_before
from askwell.sql.rules.grammar.context import column_before, place, verb_column
from askwell.sql.rules.grammar.durations import duration_at
from askwell.sql.rules.grammar.flows import is_flow
from askwell.sql.rules.grammar.times import bound_at, period_of, year_at
from askwell.sql.rules.query import ORDERINGS, Condition, GroupCondition, Literal, Output
from askwell.sql.rules.reader import Choice, Reader, figure
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.timecolumns import date_column, verbs_of, year_column
from askwell.sql.rules.words.hints import COMPARATIVES
from askwell.sql.rules.words.phrases import Mark
from askwell.sql.rules.words.verbs import HAVING

_NUMBERS = stem_set(frozenset({"number", "code", "no"}))
_YEAR_BEFORE = frozenset({"in", "year", "of", "for", "from", "during"})


def between_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """ "between 10 and 20", with both ends."""
    sentence = reader.sentence
    low = sentence.after(i)
    high = sentence.after(low, Mark.AND, Mark.OF)
    if sentence.kind(low) is not Thing.NUMBER or sentence.kind(high) is not Thing.NUMBER:
        return None
    column = column_before(reader, draft, i)
    if column is not None and sentence.table(column) is None:
        choice = reader.choose(sentence.span(column).columns, column, back=True, numeric=True)
        draft = draft.take(column)
    else:
        if (said := verb_column(reader, i)) is not None:
            draft = draft.take(i - 1)
        found = bound_at(reader, low, high) if said is None else None
        if found is not None:
            condition, assumptions = found
            return draft.take(i, low, high).assume(*assumptions).where(condition, i).shaped("time"), high + 1
        year = said or year_column(reader, i)
        if year is None:
            raise DeadEnd("between_what", sentence.span(i).text)
        choice = year
    if reader.column(choice.ref).is_date:
        found = bound_at(reader, low, high, choice)
        if found is not None:
            condition, assumptions = found
            return draft.take(i, low, high).assume(*assumptions).where(condition, i).shaped("time"), high + 1
    values = tuple(reader.number(sentence.span(k).detail, choice.ref) for k in (low, high))
    draft = draft.take(i, low, high).assume(*choice.assumptions).shaped("range")
    return draft.where(Condition(choice.ref, "between", values), i), high + 1


def comparison_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """ "older than 30", "price above 5", "more than 1000 kg", "after 2010", "since March 2024"."""
    sentence = reader.sentence
    j = sentence.after(i, Mark.OF)
    if sentence.is_column(j) and not sentence.is_value(j) and sentence.kind(sentence.after(j, Mark.OF)) is Thing.NUMBER:
        named = [reader.column(ref) for ref in sentence.span(j).columns]
        if sentence.kind(i) is Mark.WHEN and not any(c.is_date or stem("year") in c.words for c in named):
            raise DeadEnd("unplaced_words", sentence.span(i).text)  # "revenue after discounts in 1996"
        return _column_inside(reader, draft, i, j)
    value = sentence.span(j)
    if value.kind is Thing.PERIOD:
        return year_at(reader, draft, i, j)
    if value.kind not in (Thing.NUMBER, Thing.QUOTED):
        return None
    operator = sentence.span(i).detail
    if (lasting := duration_at(reader, draft, i, j)) is not None:
        return lasting
    draft, choice = _compared(reader, draft, i, j)
    if choice is None:
        if sentence.kind(i) is Mark.WHEN and (timed := year_at(reader, draft, i, j)) is not None:
            return timed
        raise DeadEnd("comparison_without_column", sentence.span(i).text, value.text)
    column = reader.column(choice.ref)
    if (total := _compared_total(reader, draft, choice, i, j)) is not None:
        return total
    if column.is_date and (timed := year_at(reader, draft, i, j, choice)) is not None:
        return timed
    if not column.is_numeric:
        raise DeadEnd("comparison_of_text", sentence.span(i).text, value.text)
    unit = (j + 1,) if stem(sentence.span(j + 1).low) in column.words else ()  # "heavier than 50 kg"
    draft = draft.take(i, j, *unit).assume(*choice.assumptions)
    return place(reader, draft, Condition(choice.ref, operator, (reader.literal(value, choice.ref),)), i), j + 1


def _compared_total(reader: Reader, draft: Draft, choice: Choice, i: int, j: int) -> tuple[Draft, int] | None:
    """ "customers who spent more than 45": the total of each, and not one payment."""
    sentence = reader.sentence
    named = next((k for k in range(len(sentence)) if k in draft.used and is_flow(reader, k)), None)
    trade = reader.facts.trade
    if named is None or trade is None or choice.ref not in trade.revenue or sentence.kind(j) is not Thing.NUMBER:
        return None
    found = group_before(reader, draft, named, choice.ref.table)
    if found is None:
        raise DeadEnd("comparison_without_column", sentence.span(i).text, sentence.span(j).text)
    draft, group = found
    value = figure(sentence.span(j).detail)
    condition = GroupCondition(Output(choice.ref, "sum"), sentence.span(i).detail, value)
    draft = draft.take(i, j).assume(*choice.assumptions, assumption("implicit_sum", "", reader.readable(choice.ref)))
    return draft.set(having=(*draft.having, condition), having_of=group).shaped("having"), j + 1


def _column_inside(reader: Reader, draft: Draft, i: int, j: int) -> tuple[Draft, int] | None:
    """ "under age 30": the column stands between the operator and the number."""
    sentence = reader.sentence
    number = sentence.after(j, Mark.OF)
    choice = reader.choose(sentence.span(j).columns, j, back=True, numeric=True)
    if reader.column(choice.ref).is_date:
        return year_at(reader, draft.take(j), i, number, choice)
    if not reader.column(choice.ref).is_numeric:
        return None
    draft = draft.take(i, j, number).assume(*choice.assumptions)
    value = reader.number(sentence.span(number).detail, choice.ref)
    return place(reader, draft, Condition(choice.ref, sentence.span(i).detail, (value,)), i), number + 1


def _compared(reader: Reader, draft: Draft, i: int, j: int) -> tuple[Draft, Choice | None]:
    """The column that the comparison at `i` with the number at `j` is about."""
    sentence = reader.sentence
    before = column_before(reader, draft, i)
    after = sentence.after(j, Mark.OF)
    if sentence.kind(i) is Mark.AGE and before is None:
        return draft, _age(reader, i)
    follows = sentence.is_column(after) and not sentence.is_value(after) and after == j + 1
    if is_flow(reader, after) and after <= j + 2:  # "generated more than 100 in revenue"
        return draft.take(after), reader.choose(sentence.span(after).columns, after, back=True, numeric=True)
    apart = before is not None and any(sentence.kind(k) is Mark.ASK for k in range(before, i)) and i - before > 2
    if before is not None and sentence.table(before) is None and not (follows and apart):
        choice = reader.choose(sentence.span(before).columns, before, back=True, numeric=True)
        return draft.take(before), choice
    if sentence.is_column(after) and not sentence.is_value(after) and after <= j + 2:
        choice = reader.choose(sentence.span(after).columns, after, back=True, numeric=True)
        return draft.take(after), choice
    if sentence.kind(i) is Mark.WHEN:
        return draft, year_column(reader, i) if "-" not in sentence.span(j).detail else None
    if before is None:
        if (said := verb_column(reader, i)) is not None:
            return draft.take(i - 1), said
        chained = _chained(reader, draft, i)
        return draft, chained if chained is not None else _hinted(reader, i)
    return draft, None


def _age(reader: Reader, i: int) -> Choice | None:
    """ "older than 30": the one column called age."""
    owner = reader.owner(i, back=True)
    age = stem("age")
    columns = reader.facts.tables[owner].columns if owner is not None else ()
    found = [c.ref for c in columns if age in c.words]
    found = found or [c.ref for c in reader.facts.columns.values() if c.words == (age,)]
    return Choice(found[0]) if len(found) == 1 else None


def _hinted(reader: Reader, i: int) -> Choice | None:
    """ "taller than 180" is about the height."""
    word = reader.sentence.span(i).low
    owner = reader.owner(i, back=True)
    columns = reader.facts.tables[owner].columns if owner is not None else ()
    for hint in COMPARATIVES.get(word, ()):
        for column in columns:
            if stem(hint) in column.words:
                return Choice(column.ref, (assumption("adjective", word, reader.readable(column.ref)),))
    return None


def _chained(reader: Reader, draft: Draft, i: int) -> Choice | None:
    """ "above 10 or below 5": the second comparison is about the column of the first."""
    sentence = reader.sentence
    link = sentence.before(i)
    if sentence.kind(link) not in (Mark.OR, Mark.AND) or not draft.conditions or sentence.kind(i) is Mark.AGE:
        return None
    last = draft.conditions[-1].condition
    if last.operator not in ORDERINGS or sentence.before(link) not in draft.used:
        return None
    word = sentence.span(i).text
    return Choice(last.column, (assumption("chained_condition", word, reader.readable(last.column)),))


def number_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """A number without a comparison: "3 or more", "credits 4", "in 2014"."""
    sentence = reader.sentence
    column = column_before(reader, draft, i)
    if sentence.kind(i + 1) is Mark.OR_MORE:
        return _or_more(reader, draft, i, column)
    if column is None and (said := verb_column(reader, i)) is not None:  # "tracks that cost 1.99"
        value = reader.number(sentence.span(i).detail, said.ref)
        draft = draft.take(i - 1, i).assume(*said.assumptions)
        return place(reader, draft, Condition(said.ref, "=", (value,)), i), i + 1
    if column is not None and sentence.table(column) is None:
        timed = (
            sentence.span(i - 1).low in ("in", "during", "since", "for", "from") or is_flow(reader, column)
        ) and period_of(sentence.span(i)) is not None
        if timed and _is_amount(reader, column):
            return _in_year(reader, draft, i)  # "revenue in 2022"
        return _equal(reader, draft, i, column)
    if (keyed := _keyed(reader, draft, i)) is not None:
        return keyed
    if sentence.span(i - 1).low in _YEAR_BEFORE:
        return _in_year(reader, draft, i)
    if "-" in sentence.span(i).detail and sentence.span(i - 1).low == "on":
        return year_at(reader, draft, i, i)
    return _amount_after(reader, draft, i)


def _keyed(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """ "order 10250", "invoice number 12": the row of that key."""
    sentence = reader.sentence
    at = i - 2 if sentence.span(i - 1).low in ("number", "no", "id", "#") else i - 1
    table = sentence.table(at)
    key = reader.key(table) if table is not None else None
    digits = sentence.span(i).detail
    if key is None or not digits.isdigit() or sentence.span(at).low.endswith("s") or sentence.span(i).low.isalpha():
        return None
    numbered = [c for c in reader.facts.tables[key.table].columns if _NUMBERS & set(c.words) and c.ref != key]
    if numbered or not reader.column(key).is_numeric or sentence.kind(i + 1) not in (Thing.STOP, Thing.END):
        return None
    told = assumption("by_key", sentence.span(at).text, reader.readable(key))
    condition = Condition(key, "=", (reader.number(digits, key),))
    return draft.take(i, at + 1).assume(told).where(condition, i), i + 1


def _amount_after(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """ "products with 0 units in stock", "reviews that have 5 stars": the amount named right after, at the end."""
    sentence = reader.sentence
    j = i + 1
    if sentence.span(i - 1).low not in HAVING or not sentence.is_column(j) or j in draft.used:
        return None
    if sentence.kind(j + 1) not in (Thing.STOP, Thing.END) or sentence.table(sentence.before(i, Mark.ASK)) is None:
        return None
    choice = reader.choose(sentence.span(j).columns, j, back=True, numeric=True)
    if not reader.column(choice.ref).is_measure:
        return None
    value = reader.number(sentence.span(i).detail, choice.ref)
    return place(reader, draft.take(i, j).assume(*choice.assumptions), Condition(choice.ref, "=", (value,)), i), j + 1


def _is_amount(reader: Reader, i: int) -> bool:
    column = reader.column(reader.choose(reader.sentence.span(i).columns, i, back=True).ref)
    return not column.is_date and stem("year") not in column.words


def _or_more(reader: Reader, draft: Draft, i: int, column: int | None) -> tuple[Draft, int]:
    sentence = reader.sentence
    if column is None and sentence.span(i + 1).low.endswith(("later", "earlier")):
        choice = date_column(reader)
        period = period_of(sentence.span(i))
        if choice is not None and period is not None:
            later = sentence.span(i + 1).detail == ">="
            bounded = Period(period.start, None) if later else Period(None, period.end)
            draft = draft.take(i, i + 1, *verbs_of(reader, choice.ref)).assume(*choice.assumptions).shaped("time")
            return place(reader, draft, Condition(choice.ref, "during", period=bounded), i), i + 2
    if column is None:
        after = sentence.after(i + 1)
        if not sentence.is_column(after):
            raise DeadEnd("comparison_without_column", sentence.span(i).text, sentence.span(i + 1).text)
        column = after
    choice = reader.choose(sentence.span(column).columns, column, back=True, numeric=True)
    draft = draft.take(i, i + 1, column).assume(*choice.assumptions)
    value = reader.number(sentence.span(i).detail, choice.ref)
    return place(reader, draft, Condition(choice.ref, sentence.span(i + 1).detail, (value,)), i), i + 2


def _equal(reader: Reader, draft: Draft, i: int, column: int) -> tuple[Draft, int] | None:
    sentence = reader.sentence
    choice = reader.choose(sentence.span(column).columns, column, back=True)
    facts = reader.column(choice.ref)
    if facts.is_date:
        found = year_at(reader, draft.take(column), i, i, choice)
        if found is not None:
            return found
    draft = draft.take(column, i).assume(*choice.assumptions)
    if not facts.is_numeric and any(sentence.kind(k) is Mark.ASK for k in range(column, i)):
        raise DeadEnd("comparison_of_text", sentence.span(i).text)
    if not facts.is_numeric:
        draft = draft.assume(assumption("unseen_value", sentence.span(i).text, reader.readable(choice.ref)))
    draft, values, last = _more_numbers(reader, draft, choice.ref, i)
    return _place_equal(reader, draft, choice.ref, values, i), last + 1


def _in_year(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    choice = year_column(reader, i)
    digits = reader.sentence.span(i).detail
    if not (digits.isdigit() and len(digits) == 4):
        return None
    if choice is None:
        return _two_years(reader, draft, i) or year_at(reader, draft, i, i)
    draft = draft.take(i).assume(*choice.assumptions).shaped("time")
    draft, values, last = _more_numbers(reader, draft, choice.ref, i)
    return _place_equal(reader, draft, choice.ref, values, i), last + 1


def _two_years(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """ "in 1996 and 1997": two years in a row are one period."""
    sentence = reader.sentence
    link = sentence.after(i)
    following = sentence.after(link, Mark.OF)
    if sentence.kind(link) not in (Mark.AND, Mark.OR) or sentence.kind(following) is not Thing.NUMBER:
        return None
    first, second = sentence.span(i).detail, sentence.span(following).detail
    found = bound_at(reader, i, following)
    if not second.isdigit() or int(second) != int(first) + 1 or found is None:
        return None
    if any(sentence.kind(k) is Thing.FILLER and sentence.span(k).low not in _IN for k in range(i + 1, following)):
        return None  # "issued in 2024 and paid in 2025" are two times
    condition, assumptions = found
    draft = draft.take(i, link, following).assume(*assumptions).shaped("time")
    return place(reader, draft, condition, i), following + 1


_IN = frozenset({"in", "during", "for", "of", "from", "also", "the", "year", "then"})


def _more_numbers(reader: Reader, draft: Draft, ref: ColumnRef, i: int) -> tuple[Draft, tuple[Literal, ...], int]:
    """ "2014 or 2015", "both 2014 and 2015"."""
    sentence = reader.sentence
    values = [reader.number(sentence.span(i).detail, ref)]
    last = i
    both = next((k for k in range(max(0, i - 8), i) if sentence.kind(k) is Mark.BOTH and k not in draft.used), None)
    while True:
        link = sentence.after(last, Thing.COMMA)
        following = sentence.after(link, Mark.OF)
        if sentence.kind(following) is not Thing.NUMBER:
            break
        if sentence.kind(link) is Mark.OR:
            values.append(reader.number(sentence.span(following).detail, ref))
            draft = draft.take(link, following)
        elif sentence.kind(link) is Mark.AND and both is not None and len(values) == 1:
            values.append(reader.number(sentence.span(following).detail, ref))
            pair = tuple(Condition(ref, "=", (value,)) for value in values)
            draft = (
                draft.take(link, following, both)
                .assume(assumption("both"))
                .set(both=pair, both_said=True)
                .shaped("both")
            )
        else:
            break
        last = following
    return draft, tuple(values), last


def _place_equal(reader: Reader, draft: Draft, ref: ColumnRef, values: tuple[Literal, ...], i: int) -> Draft:
    if draft.both:
        return draft
    operator = "=" if len(values) == 1 else "in"
    return place(reader, draft, Condition(ref, operator, values), i)
