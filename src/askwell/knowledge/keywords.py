"""Keyword rules: words of questions, as a regular expression, and the tables that they mean.

Expressions come from users and run on every question, so they are matched by an engine that never goes back: the Rust
one that pydantic brings, whose time grows with pattern and text only. What would make its automaton large is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

from pydantic import Field
from pydantic_core import SchemaError, SchemaValidator, core_schema

from askwell.field_types import Identifier, Question

MAX_PATTERN = 100
# Sets of characters in a pattern, such as \w or […]: most of Unicode is in some of them, and each of those takes up to
# ten milliseconds to be made ready.
MAX_SETS = 4
# Rules of a project; matching all of them takes a millisecond.
MAX_KEYWORDS = 500

_SETS = re.compile(r"\\[wdspWDSP]|\[")


@dataclass(frozen=True, slots=True)
class Keyword:
    """Questions that match the regular expression `pattern` somewhere, in any letter case, are about `tables`."""

    id: Identifier
    pattern: Annotated[Question, Field(json_schema_extra={"maxLength": MAX_PATTERN})]
    tables: Annotated[tuple[Identifier, ...], Field(min_length=1, max_length=20)]


def check_pattern(pattern: str) -> str:
    """The pattern itself, ready for use. Raises `ValueError`, with a sentence for its author, for one that cannot be
    used. Takes up to 50 ms, where nothing else runs: not for hundreds of patterns at once on the event loop."""
    if len(pattern) > MAX_PATTERN:
        raise ValueError(f"must have at most {MAX_PATTERN} characters")
    if "{" in pattern:
        raise ValueError("must not count repetitions with {…}; write +, * or ? instead")
    if len(_SETS.findall(pattern)) > MAX_SETS:
        raise ValueError(f"must have at most {MAX_SETS} sets of characters, such as \\w or […]")
    try:
        matches = _matcher(pattern)
    except SchemaError as error:
        why = str(error).strip().rpartition("error: ")[2]
        raise ValueError(f"must be a regular expression, without look-around and back-references: {why}") from None
    if matches.isinstance_python(""):
        raise ValueError("must not match an empty text: then it would match every question")
    return pattern


def tables_meant(question: str, keywords: Iterable[Keyword]) -> tuple[str, ...]:
    """The tables of every rule that matches, each once."""
    matching = (keyword for keyword in keywords if _matcher(keyword.pattern).isinstance_python(question))
    return tuple(dict.fromkeys(table for keyword in matching for table in keyword.tables))


@lru_cache(maxsize=4 * MAX_KEYWORDS)
def _matcher(pattern: str) -> SchemaValidator:
    return SchemaValidator(core_schema.str_schema(pattern=f"(?i){pattern}", regex_engine="rust-regex"))
