"""Lessons as a YAML file that people read, keep and give to other projects.

- kind: table_mapping
  body: {said: clients, table: customers}
  note: What sales calls them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import yaml

from askwell.errors import InvalidRequest
from askwell.knowledge.lessons import MAX_LESSONS, Lesson

MAX_CHARACTERS = 2_000_000
# Brackets that are open at once; the parser's work grows with the square of that.
_DEEPEST = 100
# With the parser in C where it is there, which is ten times as fast.
_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_HINT = "It is a list of {kind, body, note?}: see docs/lessons.md."


def written(lessons: Iterable[Lesson]) -> str:
    """The active lessons, as `read` reads them."""
    listed = [
        {"kind": one.kind, "body": dict(one.body)} | ({"note": one.note} if one.note else {})
        for one in lessons
        if one.status == "active"
    ]
    return yaml.safe_dump(listed, sort_keys=False, allow_unicode=True, width=120)


def _depth(text: str) -> int:
    """How many brackets and indents are open at once, at most; those in texts count too."""
    depth = deepest = 0
    for mark in re.findall(r"[\[{\]}]", text):
        depth += 1 if mark in "[{" else -1 if depth else 0
        deepest = max(deepest, depth)
    compact = max((len(run) // 2 for run in re.findall(r"^[ ]*((?:[-?] )+)", text, re.MULTILINE)), default=0)
    return max(deepest, compact)


def read(text: str) -> list[Any]:
    """What the file holds, one entry a lesson, unchecked. Raises `InvalidRequest` for what is no list, too long, or
    refers to parts of itself, by which a few lines can become gigabytes."""
    if len(text) > MAX_CHARACTERS:
        raise InvalidRequest(f"The lessons have more than {MAX_CHARACTERS:,} characters.", "Import them in parts.")
    if _depth(text) > _DEEPEST:
        raise InvalidRequest("The lessons are nested too deeply.", _HINT)
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=_LOADER)):
            raise InvalidRequest("The lessons refer to other parts of the file (*name).", "Write each of them out.")
        listed = yaml.load(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
        raise InvalidRequest(f"Line {line} is not valid YAML.", _HINT) from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise InvalidRequest("This is not valid YAML.", _HINT) from None
    if not isinstance(listed, list):
        raise InvalidRequest("This is no list of lessons.", _HINT)
    if len(listed) > MAX_LESSONS:
        raise InvalidRequest(f"A project may have {MAX_LESSONS:,} lessons.", "Import fewer.")
    return listed
