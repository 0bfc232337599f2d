"""What people say of an answer: a good one, or the right SQL, answers the same question from then on."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import Any

from askwell.asks.request import AskRequest
from askwell.asks.states import AskState
from askwell.config import Settings
from askwell.errors import InvalidRequest
from askwell.jobs.service import JobService
from askwell.knowledge.questions import normalise_question
from askwell.services.knowledge import Knowledge
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.sql.context import QueryContext
from askwell.sql.outcome import CheckMode, RejectedSql


@dataclass(frozen=True, slots=True)
class Feedback:
    """`sql` is the right statement, where the answer was not. `comment` is kept with the question."""

    positive: bool
    sql: str | None = None
    comment: str | None = None


class AskFeedback:
    """Keeps accepted questions as SQL pairs, one for each question of a project."""

    def __init__(
        self,
        asks: JobService[AskRequest, AskState],
        projects: ProjectModels,
        knowledge: Knowledge,
        settings: Settings,
    ) -> None:
        self._asks = asks
        self._projects = projects
        self._knowledge = knowledge
        self._settings = settings

    async def give(self, ask_id: str, feedback: Feedback) -> dict[str, Any]:
        """`{accepted_question_id?, lesson_ids}`. Raises `NotFound`, and `InvalidRequest` for an ask that was not
        answered by SQL, or SQL that does not pass the check. Said again, it replaces what was said before."""
        request, result = await self._asks.request_and_result(ask_id)
        if result.get("status") != "finished" or result.get("type") != "TEXT_TO_SQL":
            raise InvalidRequest(
                "Feedback is for a question that was answered by SQL.", "Wait until it is finished, or ask it again."
            )
        question = result.get("rephrased_question") or request.query
        pair_id = _pair_id(question)
        if feedback.sql is not None:
            await self._require_valid(request, feedback.sql)
        said = {name: value for name, value in asdict(feedback).items() if value is not None}
        await self._asks.note(ask_id, {"feedback": said})
        if not feedback.positive and feedback.sql is None:
            await self._knowledge.delete_sql_pairs(request.project_id, [pair_id])
            return {"lesson_ids": []}
        sql = feedback.sql or result["response"][0]["sql"]
        pair = {"id": pair_id, "question": question, "sql": sql}
        await self._knowledge.save_sql_pairs(request.project_id, [pair])
        return {"accepted_question_id": pair_id, "lesson_ids": []}

    async def _require_valid(self, request: AskRequest, sql: str) -> None:
        project: ProjectModel | None = await self._projects.get(request.project_id, request.mdl_hash)
        if project is None:
            raise InvalidRequest("The model that was asked is not there any more.", "Prepare it again.")
        checked = await project.checker.check(
            sql,
            mode=CheckMode.DRY_RUN,
            context=QueryContext(self._asks.now(), request.timezone, request.session_properties),
            timeout=float(self._settings.engine_timeout),
            allow_dry_plan_fallback=False,
        )
        if isinstance(checked, RejectedSql):
            raise InvalidRequest(f"The SQL was not accepted. {checked.error}", checked.hint or "Correct it.")


def _pair_id(question: str) -> str:
    """The same for the same question, so that the last word counts."""
    return f"feedback-{hashlib.sha256(normalise_question(question).encode()).hexdigest()[:24]}"
