"""Replies, read tolerantly: JSON by schema, JSON or YAML in fences or in prose; for SQL also a bare statement."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import yaml

from askwell.mdl.join_candidates import read_joins
from askwell.mdl.join_graph import JoinSource
from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.generation.question import Answered, SqlReply
from askwell.pipelines.retrieval.joins import JoinChoice, OpenJoin
from askwell.privacy.current import invented_tokens
from askwell.providers.llm.base import MORE_ROOM, ModelReply, UnfinishedReply
from askwell.sql.extract import NoStatement, extract_sql

_FENCE = re.compile(r"```[ \t]*(\w*)[^\n]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_YAML_START = re.compile(r"\s*\{?\s*['\"]?[a-z_]+['\"]?\s*:", re.IGNORECASE)
_JSON_START = re.compile(r"\s*(?:```[ \t]*json\s*)?\{\s*[\"']?\w+[\"']?\s*:", re.IGNORECASE)
_WHOLE_SQL = re.compile(r"\"(?:sql|query)\"\s*:\s*\"(?:[^\"\\]|\\.)*\"", re.IGNORECASE | re.DOTALL)
# A reply is a few hundred words. Beyond this only well-formed JSON is read, because YAML is slow.
_YAML_LIMIT = 20_000
_BRACES_TRIED = 20
_OBJECT_START = re.compile(r"\s*(?:```[ \t]*\w*\s*)?(?=\{)")
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_LONGEST_REASON = 300
# What a language model says of a join: `{condition, confidence, reason?}`.
JoinSaid = Mapping[str, Any]
# A question that is longer than this is not a question.
LONGEST_QUESTION = 2_000


def read_object(text: str, *wanted: str) -> dict[str, Any] | None:
    """The first object in the reply that has one of the wanted keys, in any letter case; its keys come lower case."""
    for candidate in _objects(text):
        lowered = {str(key).strip().lower(): value for key, value in candidate.items()}
        if any(key in lowered for key in wanted):
            return lowered
    return None


def found_in(reply: ModelReply, *wanted: str) -> dict[str, Any]:
    """`read_object` of a whole reply; an empty one for a reply that broke off or has none."""
    return {} if reply.truncated else read_object(reply.text, *wanted) or {}


def read_list(text: str, wanted: str) -> list[Any]:
    """The list that the reply's first object has under `wanted`, or the first list of the reply; else none."""
    found = (read_object(text, wanted) or {}).get(wanted)
    if isinstance(found, list):
        return found
    return next((value for value in _json_values(text, "[") if isinstance(value, list)), [])


def read_questions(text: str, longest: int) -> tuple[str, ...]:
    """The questions of a reply that should be `{"questions": […]}`, each once and on one line; longer ones are left
    out."""
    items = read_list(text, "questions")
    texts = (item.get("question") if isinstance(item, dict) else item for item in items)
    lines = (one_line(item, longest) for item in texts)
    return tuple(dict.fromkeys(line for line in lines if line))


def is_cut_object(text: str) -> bool:
    """Whether a reply begins as a JSON object and cannot be read as one whole object, in JSON or in YAML."""
    if (begun := _OBJECT_START.match(text)) is None:
        return False
    try:
        json.JSONDecoder(strict=False).raw_decode(text, begun.end())
    except (ValueError, RecursionError):
        rest = text[begun.end() :].rstrip("` \t\n")
        return len(rest) > _YAML_LIMIT or not isinstance(_yaml(rest), dict)
    return False


def one_line(value: object, longest: int) -> str:
    """What is to be one line of text, without white space around and inside it; "" for anything else or longer."""
    line = " ".join(value.split()) if isinstance(value, str) else ""
    return line if len(line) <= longest else ""


def shortened(value: object, longest: int) -> str:
    """A text on one line, cut after `longest` characters; "" for anything else."""
    return " ".join(value.split())[:longest] if isinstance(value, str) else ""


def read_confidence(value: object) -> float | None:
    """A number above 0, up to 1; None for anything else."""
    try:
        number = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else math.nan
    except ValueError:
        return None
    return number if 0 < number <= 1 else None


def read_flag(value: object) -> bool | None:
    """True or false, also where it is written as a word or a number; None for anything else."""
    return _FLAGS.get(str(value).strip().lower()) if isinstance(value, (bool, int, str)) else None


def read_lines(value: object, *, longest: int, most: int) -> tuple[str, ...]:
    """The texts of a list, each once and on one line; a single text is a list of one. What is longer than `longest`
    characters is left out, and so is what comes after the first `most`."""
    entries = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    lines = dict.fromkeys(one_line(entry, longest) for entry in entries)
    return tuple(line for line in lines if line)[:most]


def join_choices(said: Iterable[JoinSaid], pairs: Sequence[OpenJoin], model: SemanticModel) -> tuple[JoinChoice, ...]:
    """The choices that a model's words make for these pairs, proven against the semantic model: their columns exist and
    can be equal."""
    choices: dict[str, JoinChoice] = {}
    for choice in (choice for item in said for choice in _choices(item, pairs, model)):
        choices.setdefault(choice.condition, choice)
    return tuple(choices.values())


def _choices(item: JoinSaid, pairs: Sequence[OpenJoin], model: SemanticModel) -> Iterator[JoinChoice]:
    """The choice that an item makes, if it is one for a pair that is open."""
    confidence = read_confidence(item.get("confidence"))
    written = str(item.get("condition") or "")
    # A candidate is told with plain names, and copied: some of these ("order items") cannot be read without quotes.
    edges_of = {_plain(choice.condition): choice.edges for pair in pairs for choice in pair.choices}
    edges = edges_of.get(_plain(written)) or read_joins(model, written)
    if confidence is None or not edges:
        return
    reason = shortened(item.get("reason"), _LONGEST_REASON)
    named = tuple(replace(edge, source=JoinSource.MODEL, confidence=confidence, reason=reason) for edge in edges)
    choice = JoinChoice(named, confidence)
    known = (tables for pair in pairs for tables in ({pair.left, pair.right}, *(one.tables for one in pair.choices)))
    if any(choice.tables == tables and len(named) == len(tables) - 1 for tables in known):
        yield choice


def _plain(condition: str) -> str:
    return " ".join(condition.split()).lower()


def read_text(reply: ModelReply) -> Answered[str]:
    """All of a reply, as words."""
    return Answered(reply.text.strip(), reply.usage)


def read_question(reply: ModelReply) -> str:
    """The question of a reply that should be `{"question": …}` or the bare question, on one line and of a sensible
    length; "" for prose around it, broken JSON, and a reply that broke off."""
    found = read_object(reply.text, "question")
    written = found["question"] if found else reply.text
    text = written.strip() if isinstance(written, str) and not reply.truncated else ""
    return text if len(text) <= LONGEST_QUESTION and "\n" not in text and not text.startswith(("{", "`")) else ""


def read_sql(reply: ModelReply) -> SqlReply:
    """The statement of a reply that should be `{"sql": …}`, as text that is still to be checked; or what is wrong.
    Raises `UnfinishedReply` where the model was stopped within it: half a statement can be a valid wrong one."""
    if reply.truncated:
        message = "The language model reached its length limit before its statement was complete."
        raise UnfinishedReply(message, MORE_ROOM, reply.usage)
    if _is_cut_short(reply.text):
        return SqlReply(None, "The language model's reply broke off before its end.", reply.usage)
    named = (read_object(reply.text, "sql") or {}).get("sql")
    found = extract_sql(named if isinstance(named, str) and named.strip() else reply.text)
    if isinstance(found, NoStatement):
        return SqlReply(None, found.reason, reply.usage)
    if invented := invented_tokens(found):
        problem = f"The statement has {', '.join(invented)}, which the prompt does not have: use only its placeholders."
        return SqlReply(None, problem, reply.usage)
    return SqlReply(found, None, reply.usage)


def _is_cut_short(text: str) -> bool:
    """Whether this is JSON that ends inside the statement: half a statement can be a valid wrong one."""
    return (
        _JSON_START.match(text) is not None and _WHOLE_SQL.search(text) is None and next(_objects(text), None) is None
    )


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
    return _json_values(text, "{")


def _json_values(text: str, opening: str) -> Iterator[Any]:
    decoder = json.JSONDecoder(strict=False)
    at = text.find(opening)
    for _ in range(_BRACES_TRIED):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find(opening, end)


def _yaml(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


# A plan as words: what of it is SQL is taken out, because models copy it with its errors.

_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_STEPS = re.compile(r"\n\s*\n|\n(?=\s*(?:\d+[.)]|[-*])\s)")
_SPAN = re.compile(r"`[^`]*`")
_STATEMENT_IN_SPAN = re.compile(r"`\s*(?:select\b|with\s+\w+\s+as\s*\()", re.IGNORECASE)
# Capitals tell a statement from the words of a step ("select the orders from last year").
_STATEMENT = re.compile(r"\b(?:SELECT\b|WITH\s+\w+\s+AS\s*\()")
_FROM = re.compile(r"\bFROM\b")


def plan_in_words(plan: str) -> str:
    """The plan (Markdown) without fenced code, and each of its steps and paragraphs up to a statement; "" where nothing
    else is in it."""
    parts = (_without_statement(_SPAN.sub(_unless_statement, part)) for part in _STEPS.split(_FENCED.sub("\n", plan)))
    lines = [line.rstrip() for part in parts for line in part.splitlines()]
    return "\n".join(line for line in lines if line).strip()


def _unless_statement(span: re.Match[str]) -> str:
    is_statement = _STATEMENT_IN_SPAN.match(span[0]) and _FROM.search(span[0].upper())
    return "" if is_statement else span[0]


def _without_statement(part: str) -> str:
    """Without a FROM behind it, SELECT is a word."""
    last = max((found.start() for found in _FROM.finditer(part)), default=-1)
    starts = (one.start() for one in _STATEMENT.finditer(part) if one[0] != "SELECT" or one.start() < last)
    return part[: next(starts, len(part))]
