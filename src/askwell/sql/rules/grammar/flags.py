"""Conditions on yes-or-no columns: "active products", "customers that are not verified"."""

from __future__ import annotations

from askwell.mdl.semantic_model import ColumnRef
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft
from askwell.sql.rules.facts import ColumnKind
from askwell.sql.rules.grammar.attributes import attribute_before_rows
from askwell.sql.rules.grammar.context import place
from askwell.sql.rules.query import Condition
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.words.fillers import DETERMINERS
from askwell.sql.rules.words.phrases import Mark

_ADVERBS = frozenset({"currently", "now", "still", "already", "really", "actually", "all"})
_STATING = frozenset({"is", "are", "was", "were", "been"})


def flag_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """A word that names a yes-or-no column, beside the table or after "is", "are" or a negation."""
    sentence = reader.sentence
    span = sentence.span(i)
    if not sentence.is_column(i):
        return None
    choice = reader.choose(span.columns, i)
    column = reader.column(choice.ref)
    if not column.is_flag:
        _refuse_statement(reader, i, choice.ref)
        return attribute_before_rows(reader, draft, i)
    k = i - 1
    while sentence.span(k).low in _ADVERBS:
        k -= 1
    stated = sentence.span(k).low in _STATING or sentence.kind(k) is Mark.NOT
    closes = sentence.table(i - 1) is not None and sentence.kind(sentence.after(i)) in (Thing.STOP, Thing.END)
    heads = sentence.kind(i - 1) in (Mark.ASK, Thing.END) and sentence.is_value(i + 1)
    if not (stated or closes or heads) and sentence.table(i + 1) is None:
        return None
    if sentence.kind(sentence.after(i)) in (Thing.NUMBER, Thing.QUOTED):
        return None
    flag = assumption("boolean_flag", span.text, reader.readable(choice.ref))
    draft = draft.take(i).assume(*choice.assumptions, flag)
    condition = (
        Condition(choice.ref, "=", (column.truth or 1,))
        if column.is_switch or column.truth is not None
        else Condition(choice.ref, "true")
    )
    return place(reader, draft, condition, i), i + 1


def _refuse_statement(reader: Reader, i: int, ref: ColumnRef) -> None:
    """ "products are discontinued", or "active customers", where the column holds neither yes nor no: a condition that
    is not for showing."""
    sentence = reader.sentence
    said = sentence.span(i - 1).low in _STATING and sentence.table(i - 2) is not None
    if said and sentence.kind(sentence.after(i)) in (Thing.STOP, Thing.END):
        raise DeadEnd("unplaced_words", sentence.span(i).text)
    heads = sentence.kind(i - 1) in (Mark.ASK, Thing.END) or sentence.span(i - 1).low in DETERMINERS
    if heads and sentence.table(i + 1) == ref.table and sentence.kind(sentence.after(i + 1)) in (Thing.STOP, Thing.END):
        if not reader.column(ref).is_measure and reader.column(ref).kind is ColumnKind.NUMBER:
            raise DeadEnd("unplaced_words", sentence.span(i).text)
