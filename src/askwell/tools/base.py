"""What a tool is: a name, arguments that are checked, a typed result, and work on behalf of a caller."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from askwell.asks.corrections import AskCorrections
from askwell.asks.request import AskRequest
from askwell.asks.states import AskState
from askwell.errors import AskwellError
from askwell.jobs.kind import JobState
from askwell.jobs.service import JobService
from askwell.messages import say
from askwell.observability.operations import tool_call
from askwell.observability.tracing import calling
from askwell.pipelines.retrieval.retrieval import Retrieval
from askwell.principal import NOBODY, Person
from askwell.privacy.current import masked_json
from askwell.privacy.vault import Vault
from askwell.resources import words_file
from askwell.semantic_parsing.translation import Turn
from askwell.services.documents import Documents
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.sql.context import QueryContext

_POLL_SECONDS = 10.0
ENDS = ("finished", "failed", "stopped")
# Problems told of arguments that do not fit.
_MOST_PROBLEMS = 5


class Arguments(BaseModel):
    """Arguments of a tool. Their JSON Schema is what a language model reads; unknown names are refused."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, str_strip_whitespace=True)


class Result(BaseModel):
    """What a tool gives, as a language model may see it. Fields that are not known are absent."""

    model_config = ConfigDict(extra="forbid")

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return self.model_dump(mode="json", exclude_none=True)


ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)


class ToolFailure(AskwellError):
    """A tool has no result, for a reason that its caller can act on."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.code = code

    @classmethod
    def of(cls, error: AskwellError) -> ToolFailure:
        """The same for any error of the tree."""
        return cls(error.code, error.message, error.hint)

    def to_json(self) -> dict[str, Any]:
        """As JSON: `{code, message, hint}`."""
        body = {"code": self.code, "message": self.message, "hint": self.hint}
        return {name: value for name, value in body.items() if value}


@dataclass(frozen=True, slots=True)
class Caller:
    """On whose behalf a tool works. It comes from the connection or the run, never from arguments. `now` is
    timezone-aware and `timezone` an IANA name; `histories` are earlier questions with their SQL, oldest first. With
    `tags` only documents with one of them are searched. If `interactive`, a person can answer questions. `person`
    is who they are, where people sign in; `question` is what they said last, where that is known."""

    project_id: str
    now: datetime
    language: str = "English"
    timezone: str = "UTC"
    session_properties: Mapping[str, str] = field(default_factory=dict)
    histories: tuple[Turn, ...] = ()
    thread_id: str | None = None
    tags: tuple[str, ...] = ()
    interactive: bool = True
    person: Person = NOBODY
    question: str = ""

    @property
    def context(self) -> QueryContext:
        """For statements: the moment in the caller's time zone, and whose rows they may see."""
        return QueryContext.of(self.person, self.now, self.timezone, self.session_properties)


@dataclass(frozen=True, slots=True)
class Output:
    """What came of a call: `result` for a language model, and `rows` (`{columns, rows, row_count, truncated}`) and
    `chart` (Vega-Lite with its data) for people, who may see values that are withheld from the model."""

    result: Result
    rows: Mapping[str, Any] | None = None
    chart: Mapping[str, Any] | None = None


# Hears how far a call is, in a few words.
Progress = Callable[[str], None]


class Tool(ABC, Generic[ArgumentsT]):
    """One read-only tool; its class statement gives name, arguments and result. `texts.yaml` has its description."""

    name: ClassVar[str]
    arguments: ClassVar[type[Arguments]]
    result: ClassVar[type[Result]]

    def __init_subclass__(
        cls, *, name: str = "", arguments: type[Arguments] = Arguments, result: type[Result] = Result
    ) -> None:
        cls.name, cls.arguments, cls.result = name, arguments, result

    @property
    def title(self) -> str:
        """What people call it."""
        return str(words_file("askwell.tools", "texts.yaml")[self.name]["title"])

    @property
    def description(self) -> str:
        """What it does and when to use it, for a language model."""
        return str(words_file("askwell.tools", "texts.yaml")[self.name]["description"])

    @abstractmethod
    async def run(self, caller: Caller, arguments: ArgumentsT, progress: Progress) -> Output:
        """Do the work. Raises `ToolFailure` and any other `AskwellError`. Cancelling it leaves nothing running."""

    def read(self, given: Mapping[str, Any]) -> ArgumentsT:
        """Arguments as sent, checked. Raises `ToolFailure`."""
        try:
            checked: Any = self.arguments.model_validate(given)
        except ValidationError as error:
            found = [f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}" for one in error.errors()]
            problems, names = "; ".join(found[:_MOST_PROBLEMS]), ", ".join(self.arguments.model_fields)
            message = say("tools.bad_arguments", tool=self.name, problems=problems, names=names)
            raise ToolFailure("BAD_ARGUMENTS", *message) from None
        arguments: ArgumentsT = checked
        return arguments

    async def call(self, caller: Caller, given: Mapping[str, Any], progress: Progress) -> Output:
        """Check what was given, and run. Raises `ToolFailure` for everything that is known to go wrong."""
        # What it gives has rows, and is in no trace.
        with calling(tool_call(self.name), given=lambda: masked_json(json.dumps(given, ensure_ascii=False))):
            arguments = self.read(given)
            try:
                return await self.run(caller, arguments, progress)
            except ToolFailure:
                raise
            except AskwellError as error:
                raise ToolFailure.of(error) from error


@dataclass(frozen=True, slots=True)
class Doors:
    """What the tools lead to. `engine_timeout` is what a statement gets on the database, in seconds; `vault_for` gives
    what masks the values of a project, None where these may leave."""

    projects: ProjectModels
    retrieval: Retrieval
    documents: Documents
    asks: JobService[AskRequest, AskState]
    corrections: AskCorrections
    jobs: Mapping[str, JobService[Any, JobState]]
    engine_timeout: float
    vault_for: Callable[[str], Awaitable[Vault | None]]


class ProjectTool(Tool[ArgumentsT]):
    """A tool for the data and documents of the caller's project."""

    def __init__(self, doors: Doors) -> None:
        self._doors = doors

    async def model_of(self, caller: Caller) -> ProjectModel:
        """The caller's current model. Raises `ToolFailure` without one, and as `ProjectModels.get_for` does."""
        project = await self._doors.projects.get_for(caller.person, caller.project_id)
        if project is None:
            raise ToolFailure("RESOURCE_NOT_FOUND", *say("model.none", project_id=caller.project_id))
        return project


async def result_once(
    jobs: JobService[Any, Any], job_id: str, statuses: Collection[str], progress: Progress
) -> Mapping[str, Any]:
    """The result of a job once it has one of these statuses; `progress` hears of each on the way."""
    status, wait = "", 0.0
    while status not in statuses:
        result = await jobs.result(job_id, wait=wait)
        if result["status"] != status:
            status = result["status"]
            progress(status)
        wait = _POLL_SECONDS
    return result
