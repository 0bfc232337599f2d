"""What the project has learnt of words, as a change of its model for people to review."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from sqlglot import exp

from askwell.knowledge.lessons import Lesson
from askwell.mdl.semantic_model import ColumnRef
from askwell.semantic_parsing.model.catalog import Target
from askwell.services.lessons.checking import metric_of, target_of
from askwell.services.projects import ProjectModel

_SYNONYMS = "synonyms"


def model_patch(lessons: Iterable[Lesson], project: ProjectModel) -> list[dict[str, Any]]:
    """A JSON Patch (RFC 6902) of the manifest as it was sent: synonyms for the models and columns that active mappings
    name, and metrics. Empty where nothing is new to it."""
    words: defaultdict[Target, list[str]] = defaultdict(list)
    active = [one for one in lessons if one.status == "active"]
    for one in active:
        target = target_of(one, project.model)
        if target is not None:
            words[target].append(one.body["said"])
    patch: list[dict[str, Any]] = []
    for number, model in enumerate(project.manifest.models):
        patch += _synonyms(f"/models/{number}", model, words.get(model.name, ()))
        for place, column in enumerate(model.columns):
            said = words.get(ColumnRef(model.name, column.name), ())
            patch += _synonyms(f"/models/{number}/columns/{place}", column, said)
    return patch + _metrics(active, project)


def _metrics(lessons: Iterable[Lesson], project: ProjectModel) -> list[dict[str, Any]]:
    taken = {table.name.lower() for table in project.model}
    found: list[dict[str, Any]] = []
    for one in lessons:
        metric = metric_of(one, project.model)
        if metric is None or metric.measure.column.lower() in taken:
            continue
        taken.add(metric.measure.column.lower())
        expression = metric.formula.expression.copy()
        for column in expression.find_all(exp.Column):
            column.set("table", None)
        measure = {
            "name": metric.measure.column,
            "type": "DOUBLE",
            "expression": expression.sql(dialect=project.engine.dialect),
        }
        named = {"displayName": one.body["said"]}
        found.append(
            {"name": metric.measure.column, "baseObject": metric.table, "measure": [measure], "properties": named}
        )
    if "metrics" in project.manifest.model_fields_set:
        return [{"op": "add", "path": "/metrics/-", "value": metric} for metric in found]
    return [{"op": "add", "path": "/metrics", "value": found}] if found else []


def _synonyms(path: str, owner: Any, said: Iterable[str]) -> list[dict[str, Any]]:
    properties = owner.properties
    known = [str(one) for one in properties.get(_SYNONYMS) or ()]
    new = [one for one in dict.fromkeys(said) if one not in known]
    if not new:
        return []
    value = {"op": "add", "path": f"{path}/properties/{_SYNONYMS}", "value": [*known, *new]}
    there = "properties" in owner.model_fields_set
    return [value] if there else [{"op": "add", "path": f"{path}/properties", "value": {_SYNONYMS: [*known, *new]}}]
