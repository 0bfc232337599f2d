"""Lessons that an answered ask teaches: from what people said, and from what corrected its SQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from askwell.errors import InvalidRequest
from askwell.knowledge.lessons import Lesson, LessonOrigin
from askwell.mdl.names import words
from askwell.mdl.semantic_model import ColumnRef, SemanticModel
from askwell.pipelines.retrieval.lessons import bearing_on
from askwell.semantic_parsing.taught import key_of
from askwell.services.lessons.checking import new_lesson, read_form, shortened, target_of
from askwell.services.projects import ProjectModel
from askwell.sql.binder import bind
from askwell.sql.bindings import Meaning
from askwell.sql.bound import BoundSql
from askwell.sql.names import fold
from askwell.sql.outcome import RejectedSql, RejectionKind, ValidSql

# Rejections that say something of the SQL; others speak of the moment, or of what was asked for.
_TELLING = frozenset({RejectionKind.BIND, RejectionKind.DRY_RUN})


def from_answers(meanings: Iterable[Meaning], project: ProjectModel, *, may_teach: bool = True) -> Iterator[Lesson]:
    """What a person said that words of the question mean: proposals, unless they want it to be remembered and
    `may_teach`."""
    for one in (one for one in meanings if one.value is None):
        for lesson in _lesson(project, "correction", *_mapping(one.said, one.target)):
            yield replace(lesson, status="active") if one.remembered and may_teach else lesson


def from_mending(rejections: Sequence[RejectedSql], valid: ValidSql, project: ProjectModel) -> Iterator[Lesson]:
    """What seems to have been wrong with statements of a language model before this one worked: a name that is another,
    or else the error with what mended it."""
    for rejected in rejections:
        if rejected.kind not in _TELLING or not rejected.original_sql:
            continue
        renamed = list(_renamed(rejected.original_sql, valid, project.model))
        for said, target in renamed:
            yield from _lesson(project, "recovery", *_mapping(said, target))
        # SQL that was not written for others holds the caller's values.
        if not renamed and not project.private.are_any:
            body = {
                "error_like": shortened(rejected.error),
                "cause": f"The statement was: {shortened(rejected.original_sql)}",
                "fix": f"This one works: {shortened(valid.sql)}",
            }
            yield from _lesson(project, "recovery", "error_pattern", body)


def from_feedback(question: str, answered: str, corrected: str | None, project: ProjectModel) -> Iterator[Lesson]:
    """What a person's word about an answer says: that its statement is right for such questions, and perhaps which
    words of the question mean another column or table than was taken."""
    right = corrected or answered
    if corrected is not None:
        for said, target in _said_otherwise(question, answered, corrected, project):
            yield from _lesson(project, "feedback", *_mapping(said, target))
    if not project.private.are_any:
        yield from _lesson(project, "feedback", "query_pattern", {"question_like": shortened(question), "sql": right})


def followed(question: str, sql: str | None, lessons: Iterable[Lesson], project: ProjectModel) -> frozenset[str]:
    """The proposals, by id, that bear on a question and whose table or column the statement reads. Takes some
    milliseconds for a long statement: call it on a thread."""
    proposals = bearing_on(question, lessons, "candidate")
    bound = _bound(sql, project.engine.dialect, project.model) if proposals and sql else None
    return frozenset(one.id for one in proposals if bound is not None and _reads(bound, one, project.model))


def _reads(bound: BoundSql, lesson: Lesson, model: SemanticModel) -> bool:
    target = target_of(lesson, model)
    return target in bound.tables if isinstance(target, str) else target in _columns(bound)


def _lesson(project: ProjectModel, origin: LessonOrigin, kind: str, body: dict[str, Any]) -> Iterator[Lesson]:
    try:
        yield new_lesson(read_form({"kind": kind, "body": body}), project, origin)
    except InvalidRequest:  # the model itself says otherwise, or it cannot be said in words
        return


def _mapping(said: str, target: str | ColumnRef) -> tuple[str, dict[str, Any]]:
    if isinstance(target, ColumnRef):
        return "column_mapping", {"said": said, "column": str(target)}
    return "table_mapping", {"said": said, "table": target}


def _renamed(failed: str, valid: ValidSql, model: SemanticModel) -> Iterator[tuple[str, str | ColumnRef]]:
    """The one table, and the one column, that a statement called by a name that the model has not, with what the one
    that works has in its place."""
    wrong, right = _tree(failed, valid.dialect), _bound(valid.sql, valid.dialect, model)
    if wrong is None or right is None:
        return
    ctes = {fold(cte.alias) for cte in wrong.find_all(exp.CTE)}
    tables = {fold(table.name): table.name for table in wrong.find_all(exp.Table) if fold(table.name) not in ctes}
    unknown = [name for name in tables.values() if model.table(name) is None]
    new = [name for name in right.tables if fold(name) not in tables]
    if len(unknown) == len(new) == 1:
        yield _spoken(unknown[0]), new[0]
        return
    columns = {fold(column.name): column.name for column in wrong.find_all(exp.Column)}
    aliases = {fold(alias.alias) for alias in wrong.find_all(exp.Alias)}
    known = {fold(column.name) for table in model for column in table.columns}
    strange = [name for folded, name in columns.items() if folded not in known | aliases]
    added = [ref for ref in _columns(right) if fold(ref.column) not in columns]
    if not unknown and len(strange) == len(added) == 1:
        yield _spoken(strange[0]), added[0]


def _said_otherwise(
    question: str, answered: str, corrected: str, project: ProjectModel
) -> Iterator[tuple[str, str | ColumnRef]]:
    """The words of the question that name the one table or column that was taken and not meant, with the one that
    was."""
    read = partial(_bound, dialect=project.engine.dialect, model=project.model)
    before, after = read(answered), read(corrected)
    if before is None or after is None:
        return
    for gone, new in (
        (set(before.tables) - set(after.tables), set(after.tables) - set(before.tables)),
        (set(_columns(before)) - set(_columns(after)), set(_columns(after)) - set(_columns(before))),
    ):
        if len(gone) == len(new) == 1:
            taken, meant = gone.pop(), new.pop()
            if said := said_of(question, taken.column if isinstance(taken, ColumnRef) else taken):
                yield said, meant
            return


def said_of(question: str, name: str) -> str:
    """The words of a question, next to each other, that stand in a name."""
    stems = {stem for word in words(name) for stem in key_of(word)}
    run: list[str] = []
    for word in question.split():
        plain = word.strip("?!.,;:\"'()")
        if plain and set(key_of(plain)) <= stems:
            run.append(plain)
        elif run:
            break
    return " ".join(run)


def _spoken(name: str) -> str:
    return " ".join(words(name))


def _columns(bound: BoundSql) -> list[ColumnRef]:
    return [ColumnRef(table, column) for table, columns in bound.columns.items() for column in sorted(columns)]


def _bound(sql: str, dialect: str, model: SemanticModel) -> BoundSql | None:
    tree = _tree(sql, dialect)
    bound = bind(tree, model, dialect) if tree is not None else None
    return bound if isinstance(bound, BoundSql) else None


def _tree(sql: str, dialect: str) -> exp.Expr | None:
    try:
        return sqlglot.parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return None
