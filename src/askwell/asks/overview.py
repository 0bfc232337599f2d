"""What can be asked, for somebody who begins: told without a language model, from the semantic model alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime

from askwell.asks.states import AskError
from askwell.mdl.names import readable, words
from askwell.mdl.semantic_model import Column, ColumnRef, SemanticModel, Table
from askwell.services.projects import ProjectModel
from askwell.sql.rules import RulesMode, Translation, accepts

_MOST_TABLES = 20
_MOST_COLUMNS = 5
# Tables for which example questions are looked for, so that a model of a thousand is told as quickly.
_TRIED = 8
# A column with more different values makes for a long answer.
_MOST_GROUPS = 30
_AMOUNT = re.compile(r"DEC|NUM|DOUB|REAL|FLOAT|MONEY", re.IGNORECASE)

_NAMES = (("name",), ("title",))

_OPENING = re.compile(
    r"""\W*(
        hello | hi | hey | good \s+ (morning|day|afternoon|evening) | help (\s+ me)? | test | who \s+ are \s+ you
      | what \s+ (can|could|may|should) \s+ (i|we|you) \s+ (ask|do|answer|tell|query) \b .*
      | how \s+ (do|can|should) \s+ (i|we) \s+ (use|ask|start|begin) \b .*
      | (which|what) \s+ (tables|columns|data|questions)
        (\s+ (is|are) \s+ (there|available|here) | \s+ (do|can|could) \s+ (you|i|we) \s+ (have|see|ask|know))?
        (\s+ about | \s+ in \s+ (here | (this|the|your) \s+ \w+))?
      | what \s+ (is|'s) \s+ in \s+ (here|(this|the) \s+ (data|database|file))
      | (describe|explain|list|show) \s+ (me \s+)? (all \s+)? ((the|your|this|all) \s+)? (data|database|tables|schema)
    )\W*""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


def asks_what_can_be_asked(question: str) -> bool:
    """True for greetings, and for questions about the data as a whole."""
    return _OPENING.fullmatch(question) is not None


def what_can_be_asked(project: ProjectModel, mode: RulesMode, now: datetime) -> AskError:
    """The tables with a few of their columns, and questions that rules answer in this `mode`. Takes some ten
    milliseconds: call it on a thread."""
    tables = list(project.model)
    lines = [f"  {columns_in_words(table, project.model)}" for table in tables[:_MOST_TABLES]]
    if len(tables) > _MOST_TABLES:
        lines.append(f"  … and {len(tables) - _MOST_TABLES} more")
    examples = ", ".join(f"“{question}”" for question in _examples(project, mode, now))
    return AskError(
        code="NO_RELEVANT_DATA",
        message="\n".join(["This can be asked about:", *lines]),
        hint=f"For example: {examples}." if examples else "Ask in the words of these tables and columns.",
    )


def columns_in_words(table: Table, model: SemanticModel) -> str:
    """A table and those of its columns that tell most, without its keys."""
    told = _telling(table, model) or table.columns
    more = ", …" if len(told) > _MOST_COLUMNS else ""
    return f"{table.name} ({', '.join(column.name for column in told[:_MOST_COLUMNS])}{more})"


def _telling(table: Table, model: SemanticModel) -> tuple[Column, ...]:
    keys = {name.lower() for name in table.primary_key}
    for link in model.relationships:
        for left, right in link.pairs:
            keys |= {name.lower() for side, name in ((link.left, left), (link.right, right)) if side == table.name}
    return tuple(column for column in table.columns if column.name.lower() not in keys)


def _examples(project: ProjectModel, mode: RulesMode, now: datetime) -> Iterator[str]:
    """At most one question of each kind, about different tables where that can be."""
    links = Counter(side for link in project.model.relationships for side in (link.left, link.right))
    tables = sorted(project.model, key=lambda table: -links[table.name])[:_TRIED]
    for number, kind in enumerate((_counts, _groups, _averages)):
        turned = tables[number:] + tables[:number]
        for question in (question for table in turned for question in kind(table, project)):
            if _is_answered(question, project, mode, now):
                yield question
                break


def _counts(table: Table, _: ProjectModel) -> Iterable[str]:
    yield f"How many {_plural(table)} are there?"


def _groups(table: Table, project: ProjectModel) -> Iterable[str]:
    for column in _telling(table, project.model):
        values = project.values.get(ColumnRef(table.name, column.name), ())
        if 1 < len(values) <= _MOST_GROUPS and words(column.name)[-1:] not in _NAMES:
            yield f"How many {_plural(table)} are there per {readable(column.display_name or column.name).lower()}?"


def _averages(table: Table, project: ProjectModel) -> Iterable[str]:
    for column in _telling(table, project.model):
        if _AMOUNT.search(column.type):
            yield f"What is the average {readable(column.display_name or column.name).lower()} of all {_plural(table)}?"


def _is_answered(question: str, project: ProjectModel, mode: RulesMode, now: datetime) -> bool:
    if project.rules is None or mode is RulesMode.OFF:
        return False
    reading = project.rules.translate(question, now=now)
    return isinstance(reading, Translation) and accepts(reading, mode)


def _plural(table: Table) -> str:
    name = readable(table.display_name or table.name).lower()
    if name.endswith("s"):
        return name
    return f"{name[:-1]}ies" if re.search(r"[^aeiou]y$", name) else f"{name}s"
