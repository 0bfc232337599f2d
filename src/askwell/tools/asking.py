"""The tool that puts a whole question to the service, with all that an ask does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from askwell.asks.corrections import Correction
from askwell.asks.request import AskRequest
from askwell.asks.result import ClarificationBody
from askwell.checking.sureness import Word
from askwell.errors import Conflict, InvalidRequest, NotFound
from askwell.field_types import MAX_TEXT
from askwell.tools.base import ENDS, Arguments, Caller, Output, Progress, ProjectTool, Result, ToolFailure, result_once
from askwell.tools.statements import Table, for_model, rows_of

MOST_ROWS = 200
_MOST_ANSWERS = 10
_WAITS = "awaiting_correction"
# What is told of a result as it is.
_TOLD = ("planned_sql", "assumptions", "warnings", "verdict", "sureness", "findings", "sql_source")

Answer = Annotated[str, Field(max_length=1_000)] | dict[str, Any]


class AskDataArguments(Arguments):
    question: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)] = Field(
        description="The whole question in plain language; it has to stand alone."
    )
    execute: bool = Field(True, description="Whether to fetch the rows, or to write the SQL only.")
    thread_id: Annotated[str, Field(min_length=1, max_length=128)] | None = Field(
        None, description="A name for a conversation, for questions that belong together."
    )
    ask_id: Annotated[str, Field(min_length=1, max_length=64)] | None = Field(
        None, description="After needs_clarification: the question that waits for an answer."
    )
    answers: Annotated[list[Answer], Field(max_length=_MOST_ANSWERS)] = Field(
        default=[],
        description="Answers to what was asked back, in order: the id or label of an option, other words, or an object "
        "with values by name.",
    )


class DataAnswer(Result):
    status: Literal["finished", "needs_clarification"]
    ask_id: str
    sql: str | None = None
    planned_sql: str | None = Field(None, description="The statement that the database ran.")
    table: Table | None = None
    text: str | None = Field(None, description="The answer in words, where the question is not one for SQL.")
    assumptions: list[str] | None = Field(None, description="What was taken for granted.")
    warnings: list[str] | None = None
    verdict: Word | None = Field(None, description="checked by a person, clear, or a guess.")
    sureness: float | None = Field(None, description="How often such answers were right, 0 to 1, where it is known.")
    confidence: float | None = Field(None, description="The same as sureness, for older clients.")
    findings: list[dict[str, str]] | None = Field(None, description="What speaks against the SQL.")
    sql_source: str | None = Field(None, description="history, view, rules or llm.")
    clarification: ClarificationBody | None = None


class AskData(ProjectTool[AskDataArguments]):
    """Ask a whole question."""

    name: ClassVar[str] = "ask_data"
    arguments: ClassVar[type[Arguments]] = AskDataArguments
    result: ClassVar[type[Result]] = DataAnswer

    async def run(self, caller: Caller, arguments: AskDataArguments, progress: Progress) -> Output:
        ask_id = await self._begun(caller, arguments)
        try:
            result = await self._answered(ask_id, list(arguments.answers), progress)
        except ToolFailure:
            raise  # an answer that does not fit: the question still waits for one
        except BaseException:
            # Whoever asked is gone, or out of time: no model or database works on for nobody.
            await self._doors.asks.stop(ask_id)
            raise
        return await self._told(caller, ask_id, result)

    async def _begun(self, caller: Caller, arguments: AskDataArguments) -> str:
        if arguments.ask_id is not None:
            await self._doors.asks.require_owner(arguments.ask_id, caller.project_id, caller.person)
            return arguments.ask_id
        return await self._doors.asks.start(
            AskRequest(
                query=arguments.question,
                project_id=caller.project_id,
                histories=caller.histories,
                thread_id=caller.thread_id or arguments.thread_id,
                request_from="api",
                language=caller.language,
                timezone=caller.timezone,
                execute=arguments.execute,
                session_properties=caller.session_properties,
                interactive=caller.interactive,
                # What a model answers for somebody is no word of theirs; and the tools change nothing.
                teaches=False,
            ),
            person=caller.person,
        )

    async def _answered(self, ask_id: str, answers: list[Answer], progress: Progress) -> Mapping[str, Any]:
        """The end of an ask, or its state in which it waits for an answer that is not among these."""
        statuses = (*ENDS, _WAITS)
        result = await result_once(self._doors.asks, ask_id, statuses, progress)
        while result["status"] == _WAITS and answers:
            await self._give(ask_id, result["clarification"], answers.pop(0))
            result = await result_once(self._doors.asks, ask_id, statuses, progress)
        return result

    async def _give(self, ask_id: str, asked: Mapping[str, Any], answer: Answer) -> None:
        try:
            await self._doors.corrections.give(ask_id, correction_of(asked, answer))
        except Conflict:
            pass  # it was answered elsewhere meanwhile, or has expired: its state says so
        except (InvalidRequest, NotFound) as error:
            raise ToolFailure.of(error) from error

    async def _told(self, caller: Caller, ask_id: str, result: Mapping[str, Any]) -> Output:
        status = result["status"]
        if status == _WAITS:
            return Output(
                DataAnswer(status="needs_clarification", ask_id=ask_id, clarification=result["clarification"])
            )
        if status == "stopped":
            raise ToolFailure("STOPPED", "The question was stopped.", "Ask it again if it is still wanted.")
        if status == "failed":
            error = result["error"]
            raise ToolFailure(error["code"], error["message"], error.get("hint", ""))
        told = DataAnswer(
            status="finished",
            ask_id=ask_id,
            confidence=result.get("sureness"),
            **{name: result[name] for name in _TOLD if name in result},
        )
        if result.get("type") == "GENERAL":
            told.text = "".join([piece async for piece in await self._doors.asks.stream(ask_id)])
            return Output(told)
        told.sql = result["response"][0]["sql"]
        data = result.get("data")
        if data is None:
            return Output(told)
        project = await self.model_of(caller)
        told.table = await for_model(project, told.sql or "", rows_of(data), MOST_ROWS)
        if told.table.withheld:
            told.warnings = told.findings = None  # that there are no rows is something of the rows
        return Output(told, rows=data)


def correction_of(asked: Mapping[str, Any], answer: Answer) -> Correction:
    """An answer to what was asked back: the id of an option, words, or values by name, of which none at all leaves out
    what may be left out."""
    asked_id = asked.get("id")
    if isinstance(answer, dict) and not answer:
        return Correction("skip", clarification_id=asked_id)
    if isinstance(answer, dict):
        return Correction("fields", values=answer, clarification_id=asked_id)
    options: Sequence[Mapping[str, Any]] = asked.get("options", ())
    if any(option["id"] == answer for option in options):
        return Correction("choice", answer, clarification_id=asked_id)
    return Correction("text", answer, clarification_id=asked_id)
