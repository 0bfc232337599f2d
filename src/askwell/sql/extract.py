"""One SQL statement out of what a model replied.

Models are asked for `{"sql": …}`; they also answer with JSON or YAML in fences, SQL in fences, a bare statement, or a
statement somewhere in prose. Whatever else a reply is, it holds no statement, and the reason says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from askwell.privacy.current import restored_statement


@dataclass(frozen=True, slots=True)
class NoStatement:
    """There is no statement in the text. `reason` is a sentence for the model that corrects, and for people."""

    reason: str


_SPACE = re.compile(r"\s*")
_LANGUAGE = re.compile(r"[ \t]*([\w+-]*)")
_SQL_LANGUAGES = frozenset(
    {"sql", "duckdb", "sqlite", "postgres", "postgresql", "mysql", "tsql", "bigquery", "trino", ""}
)
_QUERY = re.compile(r"(?:\(\s*)*(?:select\b|with\s+(?:recursive\s+)?[\"`\[]?\w+[^\n]*?(?:\(|\bas\b))", re.IGNORECASE)
# Words that other statements start with, and sentences too. Those that write are here so that the guard refuses them by
# name.
_OTHER = re.compile(
    r"(?:\(\s*)*(?:from|values|table|pivot|unpivot|explain|describe|summarize|show|insert|update|delete|replace|merge"
    r"|create|drop|alter|truncate|attach|detach|copy|export|import|install|load|pragma|set|reset|use|call|execute|prepare"
    r"|grant|revoke|begin|commit|rollback|vacuum|analyze|checkpoint|do|lock|declare)\b"
    r"(?!\s*(?:[,.:!?]|(?:the|this|that|these|those|your|our|my|an?|you|not|of|is|are|in|me|it|us|we|I)\b))",
    re.IGNORECASE,
)
_LEADING_COMMENTS = re.compile(r"(?:\s*(?:--[^\n]*\n|/\*.*?\*/))*\s*", re.DOTALL)
# In prose a query begins a line, or stands after a colon, or is written in capitals.
_IN_PROSE = re.compile(
    r"""
    (?: ^[ \t]* (?:sql[ \t]*:[ \t]*)? | :[ \t]+ )
    (?P<line> (?i:select)\s | (?i:with)\s+ (?:(?i:recursive)\s+)? ["`\[]?\w+["`\]]? \s* (?: \( | (?i:as)\b ) )
    | (?P<capitals> \b (?: SELECT\s | WITH\s+ (?:RECURSIVE\s+)? \w+\s+ AS\b ) )
    """,
    re.MULTILINE | re.VERBOSE,
)
# A blank line inside a statement is followed by more of it.
_CONTINUES = re.compile(
    r"\s*(?:--|/\*|\)|,|\(|(?:select|from|where|group|order|having|limit|union|except|intersect|join|left|inner|on|and|or"
    r"|as|qualify|window|offset)\b)",
    re.IGNORECASE,
)
# Of a reply, and of YAML, which takes long to read.
_LONGEST = 200_000
_LONGEST_YAML = 20_000
_MOST_YAML_BRACKETS = 200
_KEYS = ("sql", "SQL", "query", "sql_query", "statement")
_JSON_STRING = re.compile(r"\"(?:sql|query)\"\s*:\s*\"((?:[^\"\\]|\\.)*)\"", re.IGNORECASE | re.DOTALL)


def extract_sql(text: str) -> str | NoStatement:
    """The statement in `text`, without a closing semicolon, or the reason why there is none.

    Where a reply holds several fenced statements the last one counts: models correct themselves downwards. Values that
    the model was not shown are put back.
    """
    if len(text) > _LONGEST:
        return NoStatement(f"The reply has {len(text)} characters, more than any statement.")
    text = text.strip().lstrip("\ufeff")
    if not text:
        return NoStatement("The reply is empty.")
    try:
        found = _found(text)
        return restored_statement(found) if isinstance(found, str) else found
    except RecursionError:
        return NoStatement("The reply is nested too deeply.")


def _found(text: str) -> str | NoStatement:
    if _starts(_QUERY, text):
        return _tidy(text)
    found = _from_structure(text)
    if found is None:
        found = _from_fences(text)
    if found is None and _starts(_OTHER, text):
        return _tidy(text)
    return found if found is not None else _from_prose(text)


def _starts(pattern: re.Pattern[str], text: str) -> bool:
    comments = _LEADING_COMMENTS.match(text)
    return pattern.match(text, comments.end() if comments else 0) is not None


def _from_structure(text: str) -> str | NoStatement | None:
    """A JSON object, whole or with prose around it."""
    if "{" not in text:
        return None
    start, end = text.find("{"), text.rfind("}")
    if end > start:
        try:
            loaded = json.loads(text[start : end + 1], strict=False)
        except (ValueError, RecursionError):
            loaded = None
        if isinstance(loaded, dict):
            return _from_mapping(loaded)
    found = _JSON_STRING.search(text)
    if found:  # broken elsewhere, but this much can be read
        try:
            return _tidy(json.loads(f'"{found[1]}"', strict=False))
        except ValueError:
            return None
    return None


def _from_mapping(loaded: Mapping[str, Any]) -> str | NoStatement:
    for key in _KEYS:
        value = loaded.get(key)
        if isinstance(value, str) and value.strip():
            inner = _from_fences(value) if "```" in value else None
            return inner if isinstance(inner, str) else _tidy(value)
    for key in ("results", "result", "response"):
        nested = loaded.get(key)
        if isinstance(nested, list) and nested and isinstance(nested[0], dict):
            return _from_mapping(nested[0])
        if isinstance(nested, dict):
            return _from_mapping(nested)
    if any(key in loaded for key in _KEYS):
        return NoStatement('The reply\'s "sql" is empty.')
    return NoStatement('The reply is JSON without "sql".')


def _from_fences(text: str) -> str | NoStatement | None:
    fences = list(_fences(text)) or [("sql", body) for body in _inline_fences(text)]
    for language, body in reversed(fences):
        if not body:
            continue
        if language in ("json", "json5") or (language == "" and body.startswith("{")):
            found = _from_structure(body)
            if found is not None:
                return found
        elif language in ("yaml", "yml"):
            found = _from_yaml(body)
            if found is not None:
                return found
        elif language in _SQL_LANGUAGES and (_starts(_QUERY, body) or _starts(_OTHER, body)):
            return _tidy(body)
    return None


def _fences(text: str) -> Iterator[tuple[str, str]]:
    """The language and body of each fenced block; the last one may lack its end."""
    start = text.find("```")
    while start != -1:
        line_end = text.find("\n", start)
        if line_end == -1:
            return
        language = _LANGUAGE.match(text, start + 3)
        end = text.find("```", line_end + 1)
        yield (language[1].lower() if language else ""), text[line_end + 1 : end if end != -1 else None].strip()
        start = text.find("```", end + 3) if end != -1 else -1


def _inline_fences(text: str) -> Iterator[str]:
    """What stands in fences within a line."""
    parts = text.split("```")
    position = 1
    while position < len(parts) - 1:
        body = parts[position].strip()
        body = body[3:].strip() if body[:3].lower() == "sql" else body
        if body and "\n" not in body and "`" not in body:
            yield body
            position += 1
        position += 1


def _from_yaml(body: str) -> str | NoStatement | None:
    if len(body) > _LONGEST_YAML or body.count("[") + body.count("{") > _MOST_YAML_BRACKETS:
        return None
    try:
        loaded = yaml.safe_load(body)
    except (yaml.YAMLError, RecursionError):
        return None
    return _from_mapping(loaded) if isinstance(loaded, dict) else None


def _from_prose(text: str) -> str | NoStatement:
    found = _IN_PROSE.search(text)
    if found is None:
        if re.match(r"(?i)sql\s*:\s*[|>]?", text):
            loaded = _from_yaml(text)
            if loaded is not None:
                return loaded
        return NoStatement("There is no SQL statement in the reply.")
    start = found.start("line") if found["line"] else found.start("capitals")
    return _tidy(_until_end(text[start:]))


def _until_end(text: str) -> str:
    """Up to the first semicolon outside quotes, or the blank line after which prose goes on."""
    quote, resume = "", 0
    for position, char in enumerate(text):
        if position < resume:
            continue
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"`":
            # An apostrophe in prose behind the statement is not the start of a string.
            quote = char if text.find(char, position + 1) != -1 else ""
        elif char == ";":
            return text[:position]
        elif char == "\n" and text.startswith("\n\n", position):
            if not _CONTINUES.match(text, position):
                return text[:position]
            resume = _SPACE.match(text, position).end()  # type: ignore[union-attr]
    return text


def _tidy(sql: str) -> str:
    return sql.strip().rstrip(";").strip()
