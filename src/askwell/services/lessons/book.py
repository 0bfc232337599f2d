"""The lessons of each project, for people: listed, written, approved, refused, exported and undone.

What the project has learnt of words, as a change of its model for people to review; and lessons as a YAML file that
people read, keep and give to other projects:

- kind: table_mapping
  body: {said: clients, table: customers}
  note: What sales calls them.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from sqlglot import exp

from askwell.errors import ConfigurationError, InvalidRequest, NotFound
from askwell.jobs.request import DEFAULT_PROJECT
from askwell.knowledge.lessons import MAX_LESSONS, Lesson, LessonKind, LessonOrigin, Lessons, LessonStatus
from askwell.knowledge.saved import SavedShelf, SqlPair
from askwell.mdl.semantic_model import ColumnRef
from askwell.messages import say
from askwell.semantic_parsing.model.catalog import Target
from askwell.services.lessons import merging
from askwell.services.lessons.bodies import LessonChange, NewLesson
from askwell.services.lessons.checking import metric_of, new_lesson, problem_of, read_form, target_of
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.services.sql_pair_check import check_pairs

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


logger = logging.getLogger(__name__)

# Problems of a file that are told one by one.
_MOST_TOLD = 100


class LessonBook:
    """Everything here is for one project at a time, and raises `InvalidRequest` where the configuration does not name
    it."""

    def __init__(self, saved: SavedShelf, projects: ProjectModels) -> None:
        self._saved = saved
        self._projects = projects

    async def page(
        self,
        project_id: str,
        *,
        kind: LessonKind | None = None,
        status: LessonStatus | None = None,
        origin: LessonOrigin | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[list[dict[str, Any]], int]:
        """`limit` lessons after the first `offset`, oldest first, and how many there are. `problem` says of one why the
        model as it is today has no use for it."""
        lessons = await self._of(project_id)
        fitting = [
            one
            for one in lessons.values()
            if kind in (None, one.kind) and status in (None, one.status) and origin in (None, one.origin)
        ]
        project = await self._projects.get(project_id, None)
        messages = []
        for one in fitting[offset : offset + limit]:
            problem = problem_of(one, project.model) if project is not None else None
            messages.append(one.wire() | ({"problem": problem} if problem else {}))
        return messages, len(fitting)

    async def add(self, project_id: str, forms: Sequence[NewLesson]) -> list[dict[str, Any]]:
        """Keep lessons that a person wrote; as they are kept. Raises `InvalidRequest`, and keeps none, where the model
        does not bear one out, or the project would have too many."""
        project = await self._projects.get(project_id, None)
        new = await asyncio.to_thread(lambda: [new_lesson(form, project, "manual") for form in forms])
        for reason in (await self._refused(project_id, new, project)).values():
            raise InvalidRequest(reason, "Correct it, and teach it again.")
        return await self._written(project_id, new)

    async def change(self, project_id: str, lesson_id: str, change: LessonChange) -> dict[str, Any]:
        """Change a lesson: decide of it, correct it, or annotate it; as it is later. Raises `NotFound` and
        `InvalidRequest`."""
        project = await self._projects.get(project_id, None)
        known = await self._one(project_id, lesson_id)
        corrected = known
        if change.body is not None:
            form = read_form({"kind": known.kind, "body": change.body})
            checked = await asyncio.to_thread(new_lesson, form, project, known.origin)
            corrected = replace(known, about=checked.about, body=checked.body)
        if change.note is not None:
            corrected = replace(corrected, note=change.note)

        def revise(lessons: Lessons) -> Mapping[str, Lesson | None]:
            if lesson_id not in lessons:
                raise _unknown(lesson_id)
            now = {**lessons, lesson_id: corrected}
            return merging.decided(now, lesson_id, change.status or corrected.status)

        await self._saved.revise_lessons(project_id, revise)
        return (await self._one(project_id, lesson_id)).wire()

    async def delete(self, project_id: str, ids: Sequence[str]) -> None:
        """Remove lessons by id, passing over unknown ones."""
        self._projects.require_database(project_id)
        await self._saved.revise_lessons(project_id, lambda lessons: {one: None for one in ids if one in lessons})

    async def revert(self, project_id: str, lesson_id: str) -> None:
        """Undo a lesson and what was made of it. Raises `NotFound`."""
        await self._one(project_id, lesson_id)
        await self._saved.revise_lessons(
            project_id, lambda lessons: merging.undone(lessons, lesson_id) if lesson_id in lessons else {}
        )

    async def export(self, project_id: str) -> str:
        """The active lessons as YAML."""
        return lessons_to_yaml((await self._of(project_id)).values())

    async def load(self, project_id: str, text: str) -> tuple[list[dict[str, Any]], list[str]]:
        """Keep the lessons of a YAML file as a person's; as they are kept, and what is wrong with the others. Raises
        `InvalidRequest` where the file as a whole cannot be read."""
        entries = await asyncio.to_thread(lessons_of_yaml, text)
        project = await self._projects.get(project_id, None)
        new, problems = await asyncio.to_thread(_usable, entries, project)
        refused = await self._refused(project_id, new, project)
        kept = [one for one in new if one.id not in refused]
        return await self._written(project_id, kept), [*problems, *refused.values()]

    async def model_patch(self, project_id: str) -> list[dict[str, Any]]:
        """What the active mappings would be in the model: a JSON Patch (RFC 6902) of the manifest that adds
        synonyms."""
        project = await self._projects.get(project_id, None)
        return [] if project is None else model_patch((await self._of(project_id)).values(), project)

    async def _refused(
        self, project_id: str, lessons: Iterable[Lesson], project: ProjectModel | None
    ) -> Mapping[str, str]:
        """Of lessons that hold SQL those whose SQL does not pass, by id, each with the reason."""
        pairs = [pair for one in lessons if (pair := _as_pair(one, project)) is not None]
        checked = await check_pairs(self._projects, project_id, pairs)
        about = {pair.id: pair.question for pair in pairs}
        return {one: f"The SQL of “{about[one]}” does not pass: {reason}" for one, reason in checked.refused.items()}

    async def _written(self, project_id: str, new: Sequence[Lesson]) -> list[dict[str, Any]]:
        def revise(lessons: Lessons) -> Mapping[str, Lesson | None]:
            if len({*lessons, *(one.id for one in new)}) > MAX_LESSONS:
                raise InvalidRequest(*say("lessons.too_many", max_lessons=MAX_LESSONS))
            return merging.learning(lessons, new)

        await self._saved.revise_lessons(project_id, revise)
        lessons = await self._of(project_id)
        return [lessons[one.id].wire() for one in new if one.id in lessons]

    async def _of(self, project_id: str) -> Lessons:
        self._projects.require_database(project_id)
        return (await self._saved.of(project_id)).lessons

    async def _one(self, project_id: str, lesson_id: str) -> Lesson:
        found = (await self._of(project_id)).get(lesson_id)
        if found is None:
            raise _unknown(lesson_id)
        return found


async def load_lessons_file(path: Path, book: LessonBook) -> None:
    """Keep the lessons of a file, for the project `default`; what is wrong with single ones is logged. Raises
    `ConfigurationError` where the file cannot be read."""
    try:
        text = await asyncio.to_thread(path.read_text, "utf-8")
        _, problems = await book.load(DEFAULT_PROJECT, text)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigurationError(*say("lessons.file_unreadable", path=path, reason=reason)) from None
    except InvalidRequest as error:
        raise ConfigurationError(f"The file of lessons {path}: {error.message}", error.hint) from None
    for problem in problems[:_MOST_TOLD]:
        logger.warning("lesson not loaded: %s", problem)


def _usable(entries: Sequence[Any], project: ProjectModel | None) -> tuple[list[Lesson], list[str]]:
    new: list[Lesson] = []
    problems: list[str] = []
    for number, entry in enumerate(entries, 1):
        try:
            new.append(new_lesson(read_form(entry), project, "manual"))
        except InvalidRequest as error:
            problems.append(f"Lesson {number}: {error.message}")
    return new, problems


def _as_pair(lesson: Lesson, project: ProjectModel | None) -> SqlPair | None:
    if lesson.kind == "query_pattern" and "sql" in lesson.body:
        return SqlPair(id=lesson.id, question=lesson.body["question_like"], sql=lesson.body["sql"])
    metric = metric_of(lesson, project.model) if project is not None else None
    if metric is None or project is None:
        return None
    figure = exp.alias_(metric.formula.expression, "figure")
    table = exp.to_table(exp.to_identifier(metric.table, quoted=True).sql())
    sql = exp.select(figure).from_(table).sql(dialect=project.engine.dialect, identify=True)
    return SqlPair(id=lesson.id, question=lesson.body["formula"], sql=sql)


def _unknown(lesson_id: str) -> NotFound:
    return NotFound(*say("lessons.unknown", lesson_id=lesson_id[:64]))


MAX_CHARACTERS = 2_000_000
# Brackets that are open at once; the parser's work grows with the square of that.
_DEEPEST = 100
# With the parser in C where it is there, which is ten times as fast.
_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def lessons_to_yaml(lessons: Iterable[Lesson]) -> str:
    """The active lessons, as `lessons_of_yaml` reads them."""
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


def lessons_of_yaml(text: str) -> list[Any]:
    """What the file holds, one entry a lesson, unchecked. Raises `InvalidRequest` for what is no list, too long, or
    refers to parts of itself, by which a few lines can become gigabytes."""
    if len(text) > MAX_CHARACTERS:
        raise InvalidRequest(*say("lessons.yaml_too_long", max_characters=MAX_CHARACTERS))
    if _depth(text) > _DEEPEST:
        raise InvalidRequest(*say("lessons.yaml_too_deep"))
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=_LOADER)):
            raise InvalidRequest(*say("lessons.yaml_references"))
        listed = yaml.load(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
        raise InvalidRequest(*say("lessons.yaml_line", line=line)) from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise InvalidRequest(*say("lessons.yaml_invalid")) from None
    if not isinstance(listed, list):
        raise InvalidRequest(*say("lessons.yaml_no_list"))
    if len(listed) > MAX_LESSONS:
        raise InvalidRequest(*say("lessons.yaml_too_many", max_lessons=MAX_LESSONS))
    return listed
