"""Replies, read tolerantly: JSON by schema, JSON or YAML in fences or in prose, a bare statement in fences or prose."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

from askwell.pipelines.generation.question import SqlReply
from askwell.providers.llm.base import ModelReply

_FENCE = re.compile(r"```[ \t]*(\w*)[^\n]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_YAML_START = re.compile(r"\s*['\"{]?[a-z_]+['\"]?\s*:", re.IGNORECASE)
_STATEMENT_START = re.compile(r"^[ \t]*(?:SELECT|WITH)\b", re.IGNORECASE | re.MULTILINE)
# A reply is a few hundred words. Beyond this only well-formed JSON is read, because YAML is slow.
_YAML_LIMIT = 20_000
_BRACES_TRIED = 20


def read_object(text: str, *wanted: str) -> dict[str, Any] | None:
    """The first object in the reply that has one of the wanted keys, in any letter case; its keys come lower case."""
    for candidate in _objects(text):
        lowered = {str(key).strip().lower(): value for key, value in candidate.items()}
        if any(key in lowered for key in wanted):
            return lowered
    return None


def read_sql(reply: ModelReply) -> SqlReply:
    """The statement of a reply that should be `{"sql": …}`, as text that is still to be checked; or what is wrong."""
    if not reply.text.strip():
        return SqlReply(None, "The language model's reply was empty.", reply.usage)
    found = read_object(reply.text, "sql", "query")
    if found is not None:
        sql = found.get("sql", found.get("query"))
        if isinstance(sql, str) and sql.strip():
            return SqlReply(_unfenced(sql.strip()), None, reply.usage)
        return SqlReply(None, "The language model's reply names no SQL.", reply.usage)
    if _looks_like_json(reply.text):
        # The statement in it may be cut short, and half a statement can be a valid wrong one.
        return SqlReply(None, "The language model's reply is broken JSON.", reply.usage)
    sql = _bare_statement(reply.text)
    problem = None if sql else "The language model's reply holds no SQL."
    return SqlReply(sql, problem, reply.usage)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    fenced = [content for _, content in _FENCE.findall(text)]
    for candidate in (text, *fenced):
        yield from _json_objects(candidate)
    for candidate in (*fenced, text):
        if len(candidate) <= _YAML_LIMIT and _YAML_START.match(candidate):
            value = _yaml(candidate)
            if isinstance(value, dict):
                yield value


def _json_objects(text: str) -> Iterator[dict[str, Any]]:
    """Every object that starts at a brace and is well-formed; raw newlines inside strings are let pass."""
    decoder = json.JSONDecoder(strict=False)
    at = text.find("{")
    for _ in range(_BRACES_TRIED):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find("{", end)


def _yaml(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _looks_like_json(text: str) -> bool:
    start = text.lstrip()
    return start.startswith("{") or re.match(r"```[ \t]*json", start, re.IGNORECASE) is not None


def _unfenced(sql: str) -> str:
    fence = _FENCE.match(sql)
    return fence.group(2).strip() if fence else sql


def _bare_statement(text: str) -> str | None:
    """A statement in a fence; else one that begins a line of prose, up to an empty line."""
    for _, content in _FENCE.findall(text):
        if _STATEMENT_START.match(content):
            return str(content).strip()
    start = _STATEMENT_START.search(text)
    if start is None:
        return None
    return re.split(r"\n[ \t]*\n", text[start.start() :], maxsplit=1)[0].strip()
