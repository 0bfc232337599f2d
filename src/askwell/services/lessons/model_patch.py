"""What the project has learnt of words, as a change of its model for people to review."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from askwell.knowledge.lessons import Lesson
from askwell.mdl.semantic_model import ColumnRef
from askwell.semantic_parsing.model.catalog import Target
from askwell.services.lessons.checking import target_of
from askwell.services.projects import ProjectModel

_SYNONYMS = "synonyms"


def model_patch(lessons: Iterable[Lesson], project: ProjectModel) -> list[dict[str, Any]]:
    """A JSON Patch (RFC 6902) of the manifest as it was sent: synonyms for the models and columns that active mappings
    name. Empty where nothing is new to it."""
    words: defaultdict[Target, list[str]] = defaultdict(list)
    for one in lessons:
        target = target_of(one, project.model) if one.status == "active" else None
        if target is not None:
            words[target].append(one.body["said"])
    patch: list[dict[str, Any]] = []
    for number, model in enumerate(project.manifest.models):
        patch += _synonyms(f"/models/{number}", model, words.get(model.name, ()))
        for place, column in enumerate(model.columns):
            said = words.get(ColumnRef(model.name, column.name), ())
            patch += _synonyms(f"/models/{number}/columns/{place}", column, said)
    return patch


def _synonyms(path: str, owner: Any, said: Iterable[str]) -> list[dict[str, Any]]:
    properties = owner.properties
    known = [str(one) for one in properties.get(_SYNONYMS) or ()]
    new = [one for one in dict.fromkeys(said) if one not in known]
    if not new:
        return []
    value = {"op": "add", "path": f"{path}/properties/{_SYNONYMS}", "value": [*known, *new]}
    there = "properties" in owner.model_fields_set
    return [value] if there else [{"op": "add", "path": f"{path}/properties", "value": {_SYNONYMS: [*known, *new]}}]
