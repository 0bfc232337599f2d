"""Feedback on an answer: saved as a SQL pair, and learnt from."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from askwell.asks.learning import followed, from_feedback
from askwell.asks.request import AskRequest
from askwell.asks.states import AskState
from askwell.checking.finding import FindingBody
from askwell.config import Settings
from askwell.errors import Forbidden, InvalidRequest
from askwell.jobs.service import JobService
from askwell.knowledge.lessons import Lesson, Lessons
from askwell.knowledge.questions import normalise_question
from askwell.knowledge.saved import SavedShelf, SqlPair
from askwell.messages import say
from askwell.principal import NOBODY, Person
from askwell.services.knowledge import Knowledge
from askwell.services.lessons import merging
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.services.seen_knowledge import own_prefix
from askwell.services.statements import checked
from askwell.sql.context import QueryContext
from askwell.sql.outcome import CheckMode, RejectedSql


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a person says of an answer. `sql` is the right statement, where the answer was not. `comment` is kept with
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

        Someone who may not teach the project can only report that an answer is wrong: that teaches nothing, and saved
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
        """Proposals are counted as right where a statement that someone calls right follows them."""
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
            raise InvalidRequest(f"The SQL was not accepted. {found.error_for_writer}", found.hint or "Correct it.")
        return (await checked(project, sql, question, context, seconds)).findings


def _pair_id(question: str, owner: Person) -> str:
    """The same for the same question, so that the last word counts: that of its owner, where it has one."""
    return f"{own_prefix(owner)}{hashlib.sha256(normalise_question(question).encode()).hexdigest()[:24]}"
