"""Which columns hold secrets, by the model's word or by their names."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import pairwise

from askwell.mdl.names import words
from askwell.mdl.semantic_model import Column, Table
from askwell.resources import words_of

_NAME = re.compile(r"\w+")


def mentions(text: str, names: Collection[str]) -> bool:
    """Whether an expression or a statement has one of these names, which are in lower case, as a word of its own."""
    return any(word.lower() in names for word in _NAME.findall(text))


def with_inherited(tables: Mapping[str, Table], written: Mapping[str, Mapping[str, str]]) -> dict[str, Table]:
    """The tables with those columns sensitive too that are worked out from secret ones; `written` are the expressions
    of columns, by table and column, also those that nobody is shown."""
    found = dict(tables)
    secret = {column.name.lower() for table in found.values() for column in table.columns if is_secret(column)}
    while secret:
        derived = {
            (table.name, column.name)
            for table in found.values()
            for column in table.columns
            if not is_secret(column)
            and mentions(written.get(table.name, {}).get(column.name) or column.expression or "", secret)
        }
        if not derived:
            break
        for name in {name for name, _ in derived}:
            columns = (
                replace(column, sensitive=True) if (name, column.name) in derived else column
                for column in found[name].columns
            )
            found[name] = replace(found[name], columns=tuple(columns))
        secret |= {column.lower() for _, column in derived}
    return found


def is_secret(column: Column) -> bool:
    """Whether its values are shown to nobody who did not ask for them: by the model's word, or by the column's name."""
    named = words(column.name)
    secret = words_of("askwell.mdl", "words.yaml", "secret")
    return column.sensitive or not secret.isdisjoint((*named, *map("_".join, pairwise(named))))
