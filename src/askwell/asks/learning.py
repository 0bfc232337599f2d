"""What an ask that was answered teaches its project.

People say something of its words or of the answer, and something mended its SQL. A good answer, or the right SQL,
answers the same question from then on.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from askwell.asks.request import AskRequest
from askwell.asks.states import AskState
from askwell.checking.finding import FindingBody
from askwell.config import Settings
from askwell.errors import Forbidden, InvalidRequest
from askwell.jobs.service import JobService
from askwell.knowledge.lessons import Lesson, LessonOrigin, Lessons
from askwell.knowledge.questions import normalise_question
from askwell.knowledge.saved import SavedShelf, SqlPair
from askwell.mdl.names import words
from askwell.mdl.semantic_model import ColumnRef, SemanticModel
from askwell.messages import say
from askwell.pipelines.retrieval.saved import bearing_on
from askwell.principal import NOBODY, Person
from askwell.semantic_parsing.taught import key_of
from askwell.services.knowledge import Knowledge
from askwell.services.lessons import merging
from askwell.services.lessons.checking import new_lesson, read_form, shortened, target_of
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.services.seen_knowledge import own_prefix
from askwell.services.statements import checked
from askwell.sql.binder import bind
from askwell.sql.bindings import Meaning
from askwell.sql.bound import BoundSql
from askwell.sql.context import QueryContext
from askwell.sql.names import fold
from askwell.sql.outcome import CheckMode, RejectedSql, RejectionKind, ValidSql

# Rejections that say something of the SQL; others speak of the moment, or of what was asked for.
_TELLING = frozenset({RejectionKind.BIND, RejectionKind.DRY_RUN})


def from_answers(meanings: Iterable[Meaning], project: ProjectModel, *, may_teach: bool = True) -> Iterator[Lesson]:
    """What somebody said that words of the question mean: proposals, unless they want it to be remembered and
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
        # What nobody wrote for others holds the values of whoever asked.
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


@dataclass(frozen=True, slots=True)
class Feedback:
    """What somebody says of an answer. `sql` is the right statement, where the answer was not. `comment` is kept with
    the question."""

    positive: bool
    sql: str | None = None
    comment: str | None = None

    @property
    def says_wrong(self) -> bool:
        """Whether the answer was not right as it was."""
        return not self.positive or self.sql is not None


@dataclass(frozen=True)
class AskFeedback:
    """Keeps accepted questions as SQL pairs, one for each question of a project."""

    asks: JobService[AskRequest, AskState]
    projects: ProjectModels
    knowledge: Knowledge
    saved: SavedShelf
    settings: Settings

    async def give(self, ask_id: str, feedback: Feedback, *, may_teach: bool = True) -> dict[str, Any]:
        """`{accepted_question_id?, lesson_ids, findings?}`; `findings` are what speaks against SQL that was sent, which
        is saved all the same: people vouch for it. Raises `NotFound`, and `InvalidRequest` for an ask that was not
        answered by SQL, or SQL that does not pass the check. Said again, it replaces what was said before.

        Somebody who may not teach the project can only report that an answer is wrong: that teaches nothing, and saved
        questions stay. Raises `Forbidden` for anything else."""
        if not may_teach and (feedback.positive or feedback.sql is not None):
            raise Forbidden(*say("feedback.needs_curate"))
        request, result = await self._answered(ask_id)
        said = {name: value for name, value in asdict(feedback).items() if value is not None}
        if not may_teach:
            await self.asks.note(ask_id, {"feedback": said})
            return {"lesson_ids": []}
        person = await self.asks.person(ask_id)
        question = result.get("rephrased_question") or request.query
        # Who signed in has asked the current model, which may be another one by now.
        label = None if person.has_signed_in else request.mdl_hash
        project = await self.projects.get_for(person, request.project_id, label)
        pair_id = _pair_id(question, person if project is not None and project.private.are_any else NOBODY)
        findings = {}
        if feedback.sql is not None:
            findings = {"findings": await self._checked(request, question, feedback.sql, project, person)}
        before = (await self.asks.notes(ask_id)).get("feedback")
        await self.asks.note(ask_id, {"feedback": said})
        answered = result["response"][0]["sql"]
        lesson_ids = await self._taught(ask_id, project, feedback, question, answered)
        earlier = Feedback(**before) if before else None
        await self._counted(request.project_id, result, earlier, feedback)
        if project is not None and self.settings.apply_lessons:
            await self._verified(project, question, answered, earlier, feedback)
        if not feedback.positive and feedback.sql is None:
            await self.knowledge.delete("sql_pair", request.project_id, [pair_id])
            return {"lesson_ids": lesson_ids}
        pair = SqlPair(pair_id, question, feedback.sql or answered)
        await self.knowledge.save_sql_pairs(request.project_id, [pair])
        return {"accepted_question_id": pair_id, "lesson_ids": lesson_ids} | findings

    async def _answered(self, ask_id: str) -> tuple[AskRequest, Mapping[str, Any]]:
        request, result = await self.asks.request_and_result(ask_id)
        if result.get("status") != "finished" or result.get("type") != "TEXT_TO_SQL":
            raise InvalidRequest(*say("feedback.no_statement"))
        return request, result

    async def _taught(
        self, ask_id: str, project: ProjectModel | None, feedback: Feedback, question: str, answered: str
    ) -> list[str]:
        """Keep what this feedback teaches, and drop what nothing but this answer taught, where it was wrong; the ids of
        what it teaches."""
        if project is None or not self.settings.apply_lessons:
            return []
        found: list[Lesson] = []
        if feedback.positive or feedback.sql is not None:
            learnt = await asyncio.to_thread(lambda: [*from_feedback(question, answered, feedback.sql, project)])
            found = [replace(one, sources=(ask_id,)) for one in learnt]

        def revise(lessons: Lessons) -> Mapping[str, Lesson | None]:
            gone = merging.disowned(lessons, ask_id) if feedback.says_wrong else {}
            return gone | merging.learning({**lessons, **gone}, found)

        await self.saved.revise_lessons(project.project_id, revise)
        return [one.id for one in found]

    async def _counted(
        self, project_id: str, result: Mapping[str, Any], before: Feedback | None, now: Feedback
    ) -> None:
        """The lessons that the answer was made with lose a success where it was wrong, and have it back where that is
        taken back."""
        ids = [one["id"] for one in result.get("lessons_used", ())]
        change = int(before is not None and before.says_wrong) - int(now.says_wrong)
        if ids and change:
            await self.saved.revise_lessons(project_id, partial(merging.used, ids=ids, uses=0, successes=change))

    async def _verified(
        self, project: ProjectModel, question: str, answered: str, before: Feedback | None, now: Feedback
    ) -> None:
        """Proposals are counted as right where a statement that somebody calls right follows them."""
        lessons = (await self.saved.of(project.project_id)).lessons.values()

        def judged(said: Feedback | None) -> dict[str, int]:
            if said is None:
                return {}
            right = said.sql or (answered if said.positive else None)
            wrong = answered if said.says_wrong else None
            found = dict.fromkeys(followed(question, wrong, lessons, project), 0)
            return found | dict.fromkeys(followed(question, right, lessons, project), 1)

        def change() -> dict[str, tuple[int, int]]:
            was, is_ = judged(before), judged(now)
            return {one: ((one in is_) - (one in was), is_.get(one, 0) - was.get(one, 0)) for one in was | is_}

        if changed := await asyncio.to_thread(change):
            await self.saved.revise_lessons(project.project_id, partial(merging.verified, judged=changed))

    async def _checked(
        self, request: AskRequest, question: str, sql: str, project: ProjectModel | None, person: Person
    ) -> list[FindingBody]:
        """What speaks against a statement that runs. Raises `InvalidRequest` for one that does not."""
        if project is None:
            raise InvalidRequest(*say("feedback.model_gone"))
        context = QueryContext.of(person, self.asks.now(), request.timezone, request.session_properties)
        seconds = float(self.settings.engine_timeout)
        found = await project.checker.check(sql, mode=CheckMode.DRY_RUN, context=context, timeout=seconds)
        if isinstance(found, RejectedSql):
            raise InvalidRequest(f"The SQL was not accepted. {found.told_to_writer}", found.hint or "Correct it.")
        return (await checked(project, sql, question, context, seconds)).findings


def _pair_id(question: str, owner: Person) -> str:
    """The same for the same question, so that the last word counts: that of its owner, where it has one."""
    return f"{own_prefix(owner)}{hashlib.sha256(normalise_question(question).encode()).hexdigest()[:24]}"
