"""What becomes of each variable of a prompt where values stay.

Nothing goes into a prompt that `variables.yaml` does not say it of.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from enum import Enum
from typing import Any, Literal

from pydantic import BaseModel

from askwell.privacy.vault import Vault
from askwell.prompts.variables import FILE

How = Literal["as it is", "words", "sql", "names", "lines", "heading", "cells", "fields", "given", "placed"]


def _by_name(part: str) -> Mapping[str, How]:
    return {name: how for how, names in FILE[part].items() for name in names.split()}


VARIABLES, _FIELDS = _by_name("variables"), _by_name("fields")
_LEFT_OUT = frozenset(FILE["left_out"].split())
# Values of which a token would tell nothing.
_ALWAYS_LEFT_OUT = frozenset({"column_values"})
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
