"""Comparisons: with a column's average, with a number, and "more than 3 orders", which is a condition on a group."""

from __future__ import annotations

from collections.abc import Iterator

from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import AbsentRows, DeadEnd, Draft, Group
from askwell.sql.rules.grammar.absences import done
from askwell.sql.rules.grammar.context import verb_column
from askwell.sql.rules.grammar.flows import is_flow
from askwell.sql.rules.grammar.terms import term_at
from askwell.sql.rules.lexicon import Evidence
from askwell.sql.rules.query import Condition, GroupCondition, Output
from askwell.sql.rules.reader import Reader, figure
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.words.phrases import Mark


def read_averages(reader: Reader, draft: Draft) -> Iterator[Draft]:
    """ "with an age above the average", "higher than the average price"."""
    sentence = reader.sentence
    for i in sentence.where(Mark.AVERAGE):
        if i in draft.used:
            continue
        after, before = sentence.after(i), sentence.before(i)
        at = after if sentence.is_column(after) else before if sentence.is_column(before) else None
        if at is None and (said := verb_column(reader, i)) is not None:
            condition = Condition(said.ref, sentence.span(i).detail, than_average=True)
            draft = draft.take(i, i - 1).assume(*said.assumptions).where(condition, i).shaped("nested")
            continue
        if at is None or sentence.is_value(at):
            raise DeadEnd("average_of_what", sentence.span(i).text)
        if is_flow(reader, at):  # "spent more than the average": of all their payments, and not with one
            raise DeadEnd("average_of_what", sentence.span(i).text)
        choice = reader.choose(sentence.span(at).columns, at, back=True, numeric=True)
        taken: tuple[int, ...] = (i, at)
        if at == after and sentence.is_column(before) and choice.ref in sentence.span(before).columns:
            taken = (i, at, before)
        condition = Condition(choice.ref, sentence.span(i).detail, than_average=True)
        draft = draft.take(*taken).assume(*choice.assumptions).where(condition, i).shaped("nested")
    yield draft


def read_having(reader: Reader, draft: Draft) -> Iterator[Draft]:
    """ "customers with more than 3 orders", "countries with at least 2 cities", "exactly two owners"."""
    sentence = reader.sentence
    for i in range(len(sentence)):
        if i in draft.used:
            continue
        found = (
            _counted_after_operator(reader, draft, i)
            or _counted_or_more(reader, draft, i)
            or _aggregate_compared(reader, draft, i)
        )
        if found is not None:
            draft = found
    yield draft


def _operator(reader: Reader, i: int) -> str | None:
    span = reader.sentence.span(i)
    if span.kind is Mark.COMPARE:
        return span.detail
    exact = span.low in ("exactly", "only", "just") and span.kind in (Mark.EQUALS, Thing.FILLER)
    exact = exact or span.low in ("have", "has", "had", "having", "with")
    return "=" if exact and reader.sentence.kind(i + 1) is Thing.NUMBER else None


def _counted_after_operator(reader: Reader, draft: Draft, i: int) -> Draft | None:
    sentence = reader.sentence
    operator = _operator(reader, i)
    number = sentence.after(i)
    if operator is None or sentence.kind(number) is not Thing.NUMBER:
        return None
    counted = sentence.after(number, Mark.DISTINCT)
    while sentence.is_value(counted) and sentence.kind(counted + 1) is Thing.ENTITY:
        counted += 1  # "more than 5 open tickets"
    table = sentence.table(counted)
    if sentence.span(counted).low in ("times", "time") and sentence.span(counted).best_column > Evidence.EXACT:
        verb = sentence.before(i)
        main = next((t for k in range(verb) if (t := sentence.table(k)) is not None), None)
        table = sentence.table(verb) or (done(reader, main, sentence.span(verb).low) if main is not None else None)
        if table is None or table == main:
            raise DeadEnd("how_often", sentence.span(counted).text)
        return _having(reader, draft, i, operator, sentence.span(number).detail, table, (i, number, counted, verb))
    before = sentence.before(i)
    if table is None:
        return None
    if sentence.is_column(before):  # "a price above 3", but "a country shared by more than 3 players"
        named = reader.column(reader.choose(sentence.span(before).columns, before).ref)
        if named.is_numeric or sentence.is_value(before):
            return None
    elif sentence.kind(before) is Thing.ENTITY and table == sentence.main:
        return None
    return _having(reader, draft, i, operator, sentence.span(number).detail, table, (i, number, counted))


def _counted_or_more(reader: Reader, draft: Draft, i: int) -> Draft | None:
    """ "3 or more orders"."""
    sentence = reader.sentence
    if sentence.kind(i) is not Thing.NUMBER or sentence.kind(i + 1) is not Mark.OR_MORE:
        return None
    counted = sentence.after(i + 1, Mark.DISTINCT)
    table = sentence.table(counted)
    if table is None:
        return None
    operator = sentence.span(i + 1).detail
    return _having(reader, draft, i, operator, sentence.span(i).detail, table, (i, i + 1, counted))


def _aggregate_compared(reader: Reader, draft: Draft, i: int) -> Draft | None:
    """ "cities whose average price is above 10"."""
    sentence = reader.sentence
    span = sentence.span(i)
    if span.kind is not Mark.AGGREGATE or i == 0:
        return None
    term = term_at(reader, i)
    if term is None or term.output.aggregate is None or (term.output.column is None and not term.is_table):
        return None
    if term.output.column is None and term.output.aggregate != "count":
        return None  # "total orders above 10": of what is it the total?
    operator = sentence.after(term.last)
    number = sentence.after(operator)
    if sentence.kind(operator) is not Mark.COMPARE or sentence.kind(number) is not Thing.NUMBER:
        return None
    if (
        any(sentence.table(k) is not None or sentence.is_column(k) for k in range(i))
        and term.output.aggregate != "count"
    ):
        value = figure(sentence.span(number).detail)
        group = group_before(reader, draft, i, term.output.table)
        if group is None:
            return None
        draft, of = group
        condition = GroupCondition(term.output, sentence.span(operator).detail, value)
        draft = draft.take(*term.spans, operator, number).assume(*term.assumptions)
        return draft.set(having=(*draft.having, condition), having_of=of).shaped("having")
    return None


def group_before(reader: Reader, draft: Draft, i: int, counted: str | None) -> tuple[Draft, Group] | None:
    """The group of a condition on it: the table mentioned last before it, else the column."""
    sentence = reader.sentence
    tables = [t for j in range(i) if (t := sentence.table(j)) is not None]
    if len(set(tables)) > 1:
        tables = [t for t in tables if t != counted]
    columns = [j for j in range(i) if sentence.is_column(j) and j not in draft.used]
    if tables and tables[-1] != counted:
        return draft, Group(table=tables[-1])
    if columns:
        choice = reader.choose(sentence.span(columns[-1]).columns, columns[-1])
        return draft.assume(*choice.assumptions), Group(output=Output(choice.ref))
    return None


def _having(
    reader: Reader, draft: Draft, i: int, operator: str, digits: str, table: str, spans: tuple[int, ...]
) -> Draft | None:
    """The group is what is mentioned last before the comparison."""
    if not digits.isdigit():
        return None
    found = group_before(reader, draft, i, table)
    if found is None:
        return None
    draft, group = found
    if operator == ">=" and digits == "1" and group.table is not None:
        return draft.take(*spans)  # "with at least one order": being joined says it
    if (operator, digits) in (("=", "0"), ("<", "1")) and group.table is not None:  # "with no orders"
        absent = AbsentRows(missing=table, of=group.table)
        return draft.take(*spans).set(absent=(*draft.absent, absent)).shaped("absence")
    condition = GroupCondition(Output(aggregate="count", rows_of=table), operator, figure(digits))
    if operator in ("<", "<="):
        draft = draft.assume(assumption("some_at_least", "", reader.facts.tables[table].readable))
    return draft.take(*spans).set(having=(*draft.having, condition), having_of=group).shaped("having")
