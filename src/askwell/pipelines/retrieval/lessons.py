"""Lessons for a question, and the tables that they name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from askwell.knowledge.lessons import Lesson, LessonStatus
from askwell.mdl.names import words
from askwell.mdl.semantic_model import SemanticModel
from askwell.question.words import Stems
from askwell.semantic_parsing.taught import key_of
from askwell.sql.names import Renamed

# Of the stems of two questions, the part that they share from which on advice for the one is shown for the other.
_ALIKE = 0.6
# In a prompt.
MOST = 10


def bearing_on(question: str, lessons: Iterable[Lesson], status: LessonStatus = "active") -> tuple[Lesson, ...]:
    """The lessons of that status that say what words of the question mean, or advise on questions like it: first what
    words mean, the surest first, so that no advice however much there is of it hides a meaning."""
    stems = key_of(question)
    found = [one for one in lessons if one.status == status and _bears_on(stems, one)]
    return tuple(sorted(found, key=lambda one: (one.kind == "query_pattern", -one.confidence))[:MOST])


def tables_of(lessons: Iterable[Lesson]) -> Iterator[str]:
    """The names of the tables that mappings and metrics lead to, as the lessons have them."""
    for one in lessons:
        if one.kind in ("table_mapping", "metric") and "table" in one.body:
            yield one.body["table"]
        elif one.kind == "column_mapping":
            yield one.body["column"].rpartition(".")[0]


def tables_renamed(lessons: Iterable[Lesson], model: SemanticModel) -> Renamed:
    """Of tables that the model does not have, those of the model that active mappings say they are."""
    mappings = [one.body for one in lessons if one.kind == "table_mapping" and one.status == "active"]

    def renamed(schema: str, name: str) -> str | None:
        for body in mappings:
            called = _called(body.get("transformation_rule"), schema, name)
            if not schema and "said" in body and key_of(body["said"]) == key_of(" ".join(words(name))):
                called = body["table"]
            if called is not None and (table := model.table(called)) is not None:
                return table.name
        return None

    return renamed


def _called(rule: Mapping[str, str] | None, schema: str, name: str) -> str | None:
    if rule is None or schema.lower() != rule.get("strip_schema", "").lower():
        return None
    before = rule.get("strip_prefix", "")
    if not name.lower().startswith(before.lower()):
        return None
    return rule.get("add_prefix", "") + name[len(before) :]


def _bears_on(stems: Stems, lesson: Lesson) -> bool:
    match lesson.kind:
        case "table_mapping" | "column_mapping" | "metric" if "said" in lesson.body:
            return _holds(stems, key_of(lesson.body["said"]))
        case "table_mapping":
            return True  # a rule for the names of tables
        case "query_pattern":
            other = key_of(lesson.body["question_like"])
            both = set(stems) | set(other)
            return len(set(stems) & set(other)) >= _ALIKE * len(both) > 0
        case _:
            return False


def _holds(stems: Stems, part: Stems) -> bool:
    length = len(part)
    return length > 0 and any(stems[start : start + length] == part for start in range(len(stems) - length + 1))
