"""Lessons as a model bears them out: with its own names, and never against it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from askwell.errors import InvalidRequest
from askwell.knowledge.lessons import Lesson, LessonKind, LessonOrigin, LessonStatus
from askwell.knowledge.questions import normalise_question
from askwell.mdl.names import words
from askwell.mdl.semantic_model import ColumnRef, SemanticModel, Table
from askwell.messages import say
from askwell.semantic_parsing.forms import Metric
from askwell.semantic_parsing.model.catalog import Target
from askwell.semantic_parsing.taught import Meant, key_of, taught_metric
from askwell.services.lessons.bodies import NewLesson
from askwell.services.projects import ProjectModel
from askwell.sql.nearest import nearest_text

_QUOTED_CHARACTERS = 230
_FORMS: TypeAdapter[NewLesson] = TypeAdapter(NewLesson)


def read_form(given: Any) -> NewLesson:
    """A lesson as written. Raises `InvalidRequest`."""
    try:
        return _FORMS.validate_python(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidRequest(
            f"This isn't a lesson: {where}: {first['msg']}." if where else f"This isn't a lesson: {first['msg']}.",
            "A lesson is {kind, body, note?}: see docs/lessons.md.",
        ) from None


def new_lesson(form: NewLesson, project: ProjectModel | None, origin: LessonOrigin) -> Lesson:
    """The lesson, with the names of the model: a proposal, unless a person wrote it. Raises `InvalidRequest` where the
    model has no such names, and where it calls something else so. A project without a model has nothing to hold it
    against yet."""
    body: dict[str, Any] = form.body.model_dump(exclude_none=True)
    about = _checked(form.kind, body, project)
    status: LessonStatus = "active" if origin == "manual" else "candidate"
    digest = hashlib.sha256(json.dumps([form.kind, about, body], sort_keys=True).encode()).hexdigest()[:20]
    return Lesson(f"lesson-{digest}", form.kind, about, body, origin, status, form.note or "")


def meant_by(lesson: Lesson, model: SemanticModel) -> Meant | None:
    """What the words of a lesson mean; None where the model has it not, and for lessons that are not about words."""
    target = metric_of(lesson, model) if lesson.kind == "metric" else target_of(lesson, model)
    return Meant(target, firm=lesson.origin in ("manual", "accepted")) if target is not None else None


def metric_of(lesson: Lesson, model: SemanticModel) -> Metric | None:
    """The figure that a lesson defines; None where the model has not what it is computed from, and for other
    lessons."""
    if lesson.kind != "metric":
        return None
    found = taught_metric(lesson.body["said"], lesson.body["formula"], lesson.body.get("table"), model)
    return found if isinstance(found, Metric) else None


def target_of(lesson: Lesson, model: SemanticModel) -> Target | None:
    """The table or column that the words of a mapping mean; None where the model has it not, and for other lessons."""
    if lesson.kind == "table_mapping" and "table" in lesson.body:
        table = model.table(lesson.body["table"])
        return table.name if table is not None else None
    if lesson.kind == "column_mapping":
        table_name, _, column = lesson.body["column"].rpartition(".")
        return model.column(table_name, column)
    return None


def problem_of(lesson: Lesson, model: SemanticModel) -> str | None:
    """Why a lesson says nothing of the model as it is today, as a sentence."""
    if "said" not in lesson.body or meant_by(lesson, model) is not None:
        return None
    body = lesson.body
    return f"The model has no {body.get('formula') or body.get('column') or body['table']} any more."


def _checked(kind: LessonKind, body: dict[str, Any], project: ProjectModel | None) -> str:
    """What the lesson is about; puts the names of the model into its body."""
    match kind:
        case "table_mapping" if "transformation_rule" in body:
            rule = {name: written.lower() for name, written in body["transformation_rule"].items()}
            prefix, tables = rule.pop("add_prefix", ""), project.model if project is not None else ()
            if project is not None and not any(table.name.lower().startswith(prefix) for table in tables):
                raise InvalidRequest(*say("lessons.unknown_prefix", prefix=prefix))
            return " ".join(("tables", *sorted(rule.values()))) if rule else f"prefix {prefix}"
        case "table_mapping" | "column_mapping" | "metric":
            target = _TARGETS[kind](body, project.model) if project is not None else ""
            return _words(body["said"], target, project)
        case "error_pattern":
            return f"error {normalise_question(body['error_like'])}"
        case "query_pattern":
            return f"question {normalise_question(body['question_like'])}"


def _words(said: str, target: Target | Metric, project: ProjectModel | None) -> str:
    rules = project.rules if project is not None else None
    if rules is not None and (why := rules.why_not_taught(said, target)) is not None:
        raise InvalidRequest(*say("lessons.words_taken", said=said, why=why))
    return f"words {' '.join(key_of(said))}"


def _table(body: dict[str, Any], model: SemanticModel) -> str:
    table = model.table(body["table"]) or _called(body["table"], model)
    if table is None:
        near = nearest_text(body["table"], [one.name for one in model])
        raise InvalidRequest(*say("lessons.unknown_table", body=body["table"], near=near))
    body["table"] = table.name
    return table.name


def _called(said: str, model: SemanticModel) -> Table | None:
    """The one table that is called so in another number, or with blanks."""
    found = [one for one in model if key_of(said) in map(key_of, (" ".join(words(one.name)), one.display_name or ""))]
    return found[0] if len(found) == 1 and key_of(said) else None


def _column(body: dict[str, Any], model: SemanticModel) -> ColumnRef:
    table, _, column = body["column"].rpartition(".")
    found = model.column(table, column)
    if found is None:
        names = (f"{one.name}.{each.name}" for one in model for each in one.columns)
        near = nearest_text(body["column"], names)
        raise InvalidRequest(*say("lessons.unknown_column", body=body["column"], near=near))
    body["column"] = str(found)
    return found


def _metric(body: dict[str, Any], model: SemanticModel) -> Metric:
    found = taught_metric(body["said"], body["formula"], body.get("table"), model)
    if isinstance(found, str):
        raise InvalidRequest(*say("lessons.formula", body=body["formula"], found=found))
    body["table"] = found.table
    return found


def shortened(text: str) -> str:
    """The beginning of a text, on one line, as lessons that are learnt quote it."""
    plain = " ".join(text.split())
    return plain if len(plain) <= _QUOTED_CHARACTERS else f"{plain[: _QUOTED_CHARACTERS - 1]}…"


_TARGETS: Mapping[LessonKind, Callable[[dict[str, Any], SemanticModel], Target | Metric]] = {
    "table_mapping": _table,
    "column_mapping": _column,
    "metric": _metric,
}


def rule_in_words(rule: Mapping[str, str]) -> str:
    """A rule for the names of tables, without a full stop."""
    schema, before, now = (rule.get(name, "") for name in ("strip_schema", "strip_prefix", "add_prefix"))
    if not schema and not before:
        return f"Names of tables begin with {now}, which people leave out"
    return f"Tables called {schema}{'.' if schema else ''}{before}… are called {now}… here"


def in_words(lesson: Lesson) -> str:
    """The lesson as one sentence."""
    return f"Unconfirmed: {_in_words(lesson)}" if lesson.status == "candidate" else _in_words(lesson)


_SENTENCES: Mapping[LessonKind, str] = {
    "table_mapping": "“{said}” means the table {table}.",
    "column_mapping": "“{said}” means the column {column}.",
    "metric": "“{said}” is {formula} over the rows of {table}.",
    "error_pattern": "An error like “{error_like}” comes from this: {cause} Mend it so: {fix}",
    "query_pattern": "For a question like “{question_like}”: {advice}",
}


def _in_words(lesson: Lesson) -> str:
    if rule := lesson.body.get("transformation_rule"):
        return f"{rule_in_words(rule)}."
    # A figure that was taught before there was a model may have no table.
    known = {"table": "its table", "advice": f"this statement was right: {lesson.body.get('sql')}"}
    return _SENTENCES[lesson.kind].format_map({**known, **lesson.body})
