"""What becomes of each variable of a prompt where values stay: nothing goes into a prompt that is not in this table."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from enum import Enum
from typing import Any, Literal

from pydantic import BaseModel

from askwell.privacy.vault import Vault

# As it is: names, types and descriptions of the model, and what is ours; a text in words; a statement; names that
# statements gave to columns and tables; JSON arrays of values, and of such names; values, each a whole; a thing of
# several fields, each as `_FIELDS` says; what a tool gave, as JSON; such names with channels of a chart.
How = Literal["as it is", "words", "sql", "names", "lines", "heading", "cells", "fields", "given", "placed"]

VARIABLES: Mapping[str, How] = {
    "about": "words",
    "answer": "words",
    "anew": "as it is",
    "asked": "words",
    "asks_intent": "as it is",
    "asks_plan": "as it is",
    "clarification": "words",
    "categories": "words",
    "chart_type": "as it is",
    "column_names": "as it is",
    "column_values": "as it is",
    "columns": "fields",
    "count": "as it is",
    "custom_instruction": "words",
    "ddl": "as it is",
    "diagnosis": "fields",
    "dialect": "as it is",
    "dialect_name": "as it is",
    "earlier": "fields",
    "fields": "fields",
    "functions": "as it is",
    "histories": "fields",
    "instructions": "fields",
    "judged": "fields",
    "known": "cells",
    "language": "as it is",
    "lean": "as it is",
    "lessons": "words",
    "looked_up": "fields",
    "name": "words",
    "now": "as it is",
    "open_channels": "as it is",
    "pairs": "as it is",
    "options": "fields",
    "passages": "fields",
    "persona": "words",
    "placed": "placed",
    "plan": "words",
    "previous": "words",
    "problem": "words",
    "question": "words",
    "ranking_style": "as it is",
    "reasons": "as it is",
    "rejected": "fields",
    "requirements": "fields",
    "row_count": "as it is",
    "rows": "fields",
    "said": "words",
    "sample_rows": "lines",
    "samples": "fields",
    "schema": "as it is",
    "schema_lines": "as it is",
    "seen": "fields",
    "sql": "sql",
    "steps": "fields",
    "tables": "as it is",
    "timezone": "as it is",
    "values": "fields",
    "variables": "fields",
    "ways": "as it is",
    "words": "words",
}
# Fields of what has several, by their names. Any other text in it is words.
_FIELDS: Mapping[str, How] = {
    "sql": "sql",
    "original_sql": "sql",
    "planned_sql": "sql",
    "lines": "lines",
    "heading": "heading",
    "name": "names",
    "cte_name": "names",
    "content": "given",
    "value": "cells",
    "words": "cells",
    "joins": "as it is",
    "tables": "as it is",
    "table": "as it is",
    "column": "as it is",
    "columns": "as it is",
    "id": "as it is",
    "document_id": "as it is",
    "line": "as it is",
    "kind": "as it is",
    "type": "as it is",
    "tool": "as it is",
    "nearness": "as it is",
    "number": "as it is",
}
# Values of which a token would tell nothing.
_ALWAYS_LEFT_OUT = frozenset({"column_values"})
# With `schema_only`, what a prompt has no more of.
_LEFT_OUT = frozenset(
    {
        "about",
        "answer",
        "asked",
        "custom_instruction",
        "earlier",
        "histories",
        "instructions",
        "known",
        "lessons",
        "looked_up",
        "passages",
        "persona",
        "previous",
        "sample_rows",
        "samples",
        "seen",
        "values",
        "variables",
    }
)
NOTE = """
Words such as TEXT_1, NUMBER_2, DATE_3 and NAME_4 stand for values that are not shown to you. They are replaced when you
have answered. Copy such a word exactly as it is: in SQL write 'TEXT_1' and 'DATE_3' in quotes and NUMBER_2 without. Do
so within a longer text too, such as '%TEXT_1%' or 'NUMBER_2-03-01'. Never guess what one stands for, and make up no
others.
"""


def masked_values(values: Mapping[str, Any], vault: Vault) -> dict[str, Any]:
    """The values of a prompt's variables as they may leave. Raises `KeyError` for one that is in no table."""
    # The question's tokens come first, whatever else a prompt has. Names that a statement has stay in what follows.
    ordered = sorted(values, key=lambda name: (name != "question", name != "sql", name))
    return {name: _masked_variable(name, values[name], vault) for name in ordered}


def _masked_variable(name: str, value: Any, vault: Vault) -> Any:
    how = VARIABLES[name]
    if name in _ALWAYS_LEFT_OUT or (vault.mode == "schema_only" and name in _LEFT_OUT):
        return _nothing(value)
    return _masked(value, how, vault)


def _nothing(value: Any) -> Any:
    """Nothing of that type."""
    if isinstance(value, str):
        return ""
    if isinstance(value, Mapping):
        return {}
    return () if isinstance(value, list | tuple) else None


def _masked(value: Any, how: How, vault: Vault) -> Any:
    if how == "as it is" or value is None or isinstance(value, bool | Enum):
        return value
    if how == "cells":
        return _cells(value, vault)
    if how == "placed":
        return [(channel, vault.name(name)) for channel, name in value]
    if isinstance(value, str):
        return _text(value, how, vault)
    if isinstance(value, list | tuple):
        masked = [_masked(one, how, vault) for one in value]
        return [one for one in masked if one is not None] if how == "lines" else masked
    return _fields(value, vault)


def _cells(value: Any, vault: Vault) -> Any:
    if isinstance(value, Mapping):
        return {name: vault.cell(one) for name, one in value.items()}
    return vault.cell(value)


def _text(text: str, how: How, vault: Vault) -> str | None:
    match how:
        case "sql":
            return vault.sql(text)
        case "names":
            return vault.name(text)
        case "heading":
            return json.dumps([vault.name(name) for name in json.loads(text)], ensure_ascii=False) if text else text
        case "given":
            return vault.json(text)
        case "lines":
            return _line(text, vault)
        case _:
            return vault.words(text)


def _line(text: str, vault: Vault) -> str | None:
    """A JSON array of cells."""
    if not text:
        return text
    return json.dumps([vault.cell(one) for one in json.loads(text)], ensure_ascii=False)


def _fields(value: Any, vault: Vault) -> Any:
    def of(name: str, one: Any) -> Any:
        if name == "lines" and vault.mode == "schema_only":
            return ()
        return _masked(one, _FIELDS.get(name, "fields" if not isinstance(one, str) else "words"), vault)

    if isinstance(value, Mapping):
        return {name: of(str(name), one) for name, one in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        return dataclasses.replace(value, **{name: of(name, getattr(value, name)) for name in names})
    if isinstance(value, BaseModel):
        return value.model_copy(update={name: of(name, getattr(value, name)) for name in type(value).model_fields})
    return value
