"""Lessons as a YAML file that people read, keep and give to other projects.

- kind: table_mapping
  body: {said: clients, table: customers}
  note: What sales calls them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import yaml

from askwell.errors import InvalidRequest
from askwell.knowledge.lessons import MAX_LESSONS, Lesson

MAX_CHARACTERS = 2_000_000
_HINT = "It is a list of {kind, body, note?}: see docs/lessons.md."


def written(lessons: Iterable[Lesson]) -> str:
    """The active lessons, as `read` reads them."""
    listed = [
        {"kind": one.kind, "body": dict(one.body)} | ({"note": one.note} if one.note else {})
        for one in lessons
        if one.status == "active"
    ]
    return yaml.safe_dump(listed, sort_keys=False, allow_unicode=True, width=120)


def read(text: str) -> list[Any]:
    """What the file holds, one entry a lesson, unchecked. Raises `InvalidRequest` for what is no list, too long, or
    refers to parts of itself, by which a few lines can become gigabytes."""
    if len(text) > MAX_CHARACTERS:
        raise InvalidRequest(f"The lessons have more than {MAX_CHARACTERS:,} characters.", "Import them in parts.")
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader)):
            raise InvalidRequest("The lessons refer to other parts of the file (*name).", "Write each of them out.")
        listed = yaml.safe_load(text)
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
