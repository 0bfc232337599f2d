"""The names of tables in a statement as DuckDB's own parser reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from askwell.providers.engine.worker.names import fold
from askwell.providers.engine.worker.outcomes import Trouble, in_its_words


def named_tables(parsed: dict[str, Any]) -> Iterator[str]:
    """Every name that stands where a table stands, folded, CTEs included; `parsed` is `json_serialize_sql`'s.

    Raises `Rejected` for what DuckDB cannot write down as one SELECT.
    """
    if parsed.get("error"):
        said = str(parsed.get("error_message", "Only a single SELECT statement can be run."))
        raise in_its_words("error", said, Trouble.SYNTAX)
    stack: list[Any] = [parsed]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            name = value.get("table_name")
            # Columns carry the name of their table in a list of names.
            if isinstance(name, str) and value.get("type") != "COLUMN_REF":
                yield fold(name)
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
