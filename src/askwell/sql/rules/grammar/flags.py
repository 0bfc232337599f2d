"""Conditions on yes-or-no columns: "active products", "customers that are not verified"."""

from __future__ import annotations

from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import Draft
from askwell.sql.rules.facts import ColumnKind
from askwell.sql.rules.grammar.context import place
from askwell.sql.rules.query import Condition
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.words.phrases import Mark

_STATING = frozenset({"is", "are", "was", "were"})


def flag_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """A word that names a yes-or-no column, beside the table or after "is", "are" or a negation."""
    sentence = reader.sentence
    span = sentence.span(i)
    if not sentence.is_column(i):
        return None
    choice = reader.choose(span.columns, i)
    if reader.column(choice.ref).kind is not ColumnKind.BOOLEAN:
        return None
    stated = sentence.span(i - 1).low in _STATING or sentence.kind(i - 1) is Mark.NOT
    closes = sentence.table(i - 1) is not None and sentence.kind(sentence.after(i)) in (Thing.STOP, Thing.END)
    if not (stated or closes) and sentence.table(i + 1) is None:
        return None
    if sentence.kind(sentence.after(i)) in (Thing.NUMBER, Thing.QUOTED):
        return None
    flag = assumption("boolean_flag", span.text, reader.readable(choice.ref))
    draft = draft.take(i).assume(*choice.assumptions, flag)
    return place(reader, draft, Condition(choice.ref, "true"), i), i + 1
