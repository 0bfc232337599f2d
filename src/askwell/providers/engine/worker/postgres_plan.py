"""What a PostgreSQL plan (`EXPLAIN (VERBOSE, FORMAT JSON)`) reads and calls, as the server itself says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from askwell.providers.engine.worker.names import fold

# What the server writes with a bracket behind it without calling a function that a role could be denied: grammar, and
# what it makes of grammar (LIKE … ESCAPE, AT TIME ZONE, TRIM, EXTRACT).
CONSTRUCTS = frozenset(
    """
    all any array coalesce exists greatest grouping least nullif row some
    btrim date_part extract is_normalized like_escape ltrim normalize overlaps overlay position rtrim
    similar_escape similar_to_escape substring timezone trim
    current_time current_timestamp localtime localtimestamp
    """.split()  # noqa: SIM905 - a list of names reads better as words
)
_WRITES = frozenset({"ModifyTable", "LockRows"})
# Texts that are names or kinds rather than expressions.
_NAMES = frozenset(
    {
        "Alias",
        "CTE Name",
        "Command",
        "Function Name",
        "Index Name",
        "Join Type",
        "Node Type",
        "Operation",
        "Parent Relationship",
        "Partial Mode",
        "Relation Name",
        "Scan Direction",
        "Schema",
        "Strategy",
        "Subplan Name",
        "Table Function Name",
        "Tuplestore Name",
    }
)
_PIECE = re.compile(r"'(?:[^']|'')*'|\"((?:[^\"]|\"\")*)\"|[^\W\d]\w*|::|\s+|.", re.DOTALL)


def nodes(plan: Any) -> Iterator[dict[str, Any]]:
    """Every node of the plan of one statement."""
    stack = [node["Plan"] for node in plan]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(node.get("Plans", ()))


def writes(plan: Any) -> bool:
    """Whether the plan changes or locks rows."""
    return any(node.get("Node Type") in _WRITES for node in nodes(plan))


def relations(plan: Any) -> frozenset[str]:
    """Folded names of what the plan reads; parts that the planner proved useless are not read, and not there."""
    return frozenset(fold(node["Relation Name"]) for node in nodes(plan) if "Relation Name" in node)


def functions(plan: Any) -> frozenset[str]:
    """Lower-case names of the functions that the plan calls, with their schema where the server names one: those that
    are left after it worked out what is constant. What stands for grammar is left out."""
    found: set[str] = set()
    for node in nodes(plan):
        for key, value in node.items():
            if key in _NAMES or key == "Plans":
                continue
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str):
                    found.update(_called(text))
    return frozenset(found - CONSTRUCTS)


def _called(text: str) -> Iterator[str]:
    """Names in front of a bracket, as the server writes expressions: calls have no blank there, `IN (…)` has. The names
    of types (`::numeric(10,2)`) are none."""
    name, qualifier, dotted, in_type = "", "", False, False
    for piece in _PIECE.finditer(text):
        word = piece[0]
        if word == "(" and name and not in_type:
            yield f"{qualifier}.{name}" if qualifier not in ("", "pg_catalog") else name
        if word == "::":
            in_type = True
        elif word == "." and name:
            dotted = True
            continue
        elif piece[1] is not None or word[0].isidentifier():
            qualifier = name if dotted else ""
            name = piece[1].replace('""', '"') if piece[1] is not None else word.lower()
            dotted = False
            continue
        elif not word.isspace():
            in_type = in_type and word == "."
        name, qualifier, dotted = "", "", False
