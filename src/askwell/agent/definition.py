"""Agents: their definitions, how these are checked, and where they are kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, Field, Strict, ValidationError

from askwell.errors import InvalidRequest, NotFound
from askwell.field_types import Flag, Identifier, Text
from askwell.jobs.request import DEFAULT_PROJECT, Lenient
from askwell.knowledge.threads import ThreadShelf
from askwell.messages import say
from askwell.services.projects import ProjectModels
from askwell.sql.nearest import nearest_text

DEFAULT_AGENT = "default"
MOST_VARIABLES = 50
VARIABLE_CHARACTERS = 1_000
PERSONA_CHARACTERS = 4_000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
# In the text of arguments of a tool that is called before the model is asked.
QUESTION_MARK = "{{question}}"


def _variable_name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise ValueError("must be 1 to 64 letters, digits or underscores, and begin with no digit")
    return value


VariableName = Annotated[
    str, Field(json_schema_extra={"pattern": f"^{_NAME.pattern}$"}), AfterValidator(_variable_name)
]
VariableValue = Annotated[Text, Field(max_length=VARIABLE_CHARACTERS)]
Persona = Annotated[Text, Field(max_length=PERSONA_CHARACTERS)]


class AgentVariable(Lenient):
    """A text that a thread remembers under a name. Only a `writable_by_model` one is changed by the agent itself."""

    name: VariableName
    description: Annotated[Text, Field(max_length=500)] = ""
    default: VariableValue = ""
    writable_by_model: Flag = False


class PreTool(Lenient):
    """A tool that is called before the language model is; `{{question}}` in its arguments stands for the question."""

    tool: Identifier
    arguments: dict[str, Any] = {}


class AgentKnowledge(Lenient):
    """Which documents are searched for each question: those with one of the `tags`, where there are any."""

    tags: Annotated[list[Identifier], Field(max_length=20)] = []
    top_k: Annotated[int, Strict(), Field(ge=0, le=10)] = 5


class AgentDefinition(Lenient):
    """An agent: who it is, which tools it may call (all where none are named), and what it knows before it begins.
    `model` is an entry of `llm` in the configuration."""

    name: Identifier = "Askwell"
    persona: Persona = ""
    suggest: Flag = True
    suggest_persona: Persona = ""
    tools: Annotated[list[Identifier], Field(max_length=20)] | None = None
    pre_tools: Annotated[list[PreTool], Field(max_length=5)] = []
    knowledge: AgentKnowledge = AgentKnowledge()
    variables: Annotated[list[AgentVariable], Field(max_length=MOST_VARIABLES)] = []
    model: Identifier | None = None

    def require(self, tools: tuple[str, ...], models: tuple[str, ...]) -> None:
        """Raises `InvalidRequest` for tools and models that there are not, and for variables of one name."""
        named = dict.fromkeys([*(self.tools or ()), *(one.tool for one in self.pre_tools)])
        problems = [f"There is no tool {one[:64]}{nearest_text(one, tools)}." for one in named if one not in tools]
        if self.model is not None and self.model not in models:
            problems.append(f"llm has no entry {self.model[:64]}{nearest_text(self.model, models)}.")
        names = [one.name for one in self.variables]
        problems += [f"Two variables are called {name}." for name in dict.fromkeys(names) if names.count(name) > 1]
        if problems:
            raise InvalidRequest(" ".join(problems), "Correct the agent.")

    def values(self, kept: Mapping[str, str]) -> dict[str, str]:
        """The variables of a thread: what it keeps, and the defaults of the rest."""
        return {**{one.name: one.default for one in self.variables}, **kept}

    @property
    def writable(self) -> tuple[str, ...]:
        """The names of the variables that the agent itself may change."""
        return tuple(one.name for one in self.variables if one.writable_by_model)


def filled(arguments: Any, question: str) -> Any:
    """Arguments of a tool with the question in its place, at any depth."""
    if isinstance(arguments, str):
        return arguments.replace(QUESTION_MARK, question)
    if isinstance(arguments, Mapping):
        return {name: filled(value, question) for name, value in arguments.items()}
    if isinstance(arguments, list):
        return [filled(value, question) for value in arguments]
    return arguments


def checked_variables(given: Mapping[str, str]) -> dict[str, str]:
    """Variables of a thread as sent. Raises `InvalidRequest` for too many, too long or badly named
    ones."""
    if len(given) > MOST_VARIABLES:
        raise InvalidRequest(*say("agents.too_many_variables", most_variables=MOST_VARIABLES))
    for name, value in given.items():
        if not _NAME.fullmatch(name):
            raise InvalidRequest(*say("agents.variable_name", name=name[:64]))
        if len(value) > VARIABLE_CHARACTERS:
            raise InvalidRequest(*say("agents.variable_too_long", name=name, variable_characters=VARIABLE_CHARACTERS))
    return dict(given)


_OURS = AgentDefinition()


@dataclass(frozen=True, slots=True)
class OfferedAgent:
    """An agent as clients that know models only may choose it."""

    project_id: str
    agent_id: str
    name: str


@dataclass(frozen=True)
class Agents:
    """Definitions by project. `tools` are the names of all tools, `models` those of the configured language models."""

    shelf: ThreadShelf
    projects: ProjectModels
    tools: tuple[str, ...]
    models: tuple[str, ...]
    allows_session_properties: bool
    now: Callable[[], datetime]

    async def all(self, project_id: str) -> Mapping[str, AgentDefinition]:
        """All agents of a project, by id, `default` among them."""
        self.projects.require_database(project_id)
        kept = await self.shelf.agents(project_id)
        return {DEFAULT_AGENT: _OURS} | {name: _read(one) for name, one in kept.items()}

    async def offered(self, project_id: str | None) -> Mapping[str, OfferedAgent]:
        """The agents of a project, or of `default`, by what clients call their models."""
        project_id = project_id or DEFAULT_PROJECT
        found = await self.all(project_id)
        return {one: OfferedAgent(project_id, one, found[one].name) for one in found}

    async def is_project(self, project_id: str) -> bool:
        """Whether a project has a semantic model; where all share a database any name may be one."""
        try:
            return await self.projects.has_model(project_id)
        except InvalidRequest:
            return False

    async def get(self, project_id: str, agent_id: str) -> AgentDefinition:
        """An agent. Raises `NotFound`."""
        known = await self.all(project_id)
        if agent_id not in known:
            raise NotFound(*say("agents.unknown_or_near", agent_id=agent_id[:64], near=nearest_text(agent_id, known)))
        return known[agent_id]

    async def put(self, project_id: str, agent_id: str, definition: AgentDefinition) -> None:
        """Define an agent, in the place of an earlier one. Raises `InvalidRequest` for what is not there."""
        self.projects.require_database(project_id)
        definition.require(self.tools, self.models)
        kept: dict[str, Any] = definition.model_dump(mode="json", exclude_defaults=True)
        await self.shelf.keep_agent(project_id, agent_id, kept, self.now())

    async def delete(self, project_id: str, agent_id: str) -> None:
        """Delete a definition; `default` is then as it came. Raises `NotFound`."""
        self.projects.require_database(project_id)
        if not await self.shelf.delete_agent(project_id, agent_id) and agent_id != DEFAULT_AGENT:
            raise NotFound(*say("agents.unknown", agent_id=agent_id[:64]))


def _read(kept: Mapping[str, Any]) -> AgentDefinition:
    try:
        return AgentDefinition.model_validate(kept)
    except ValidationError:
        # Kept by another version: what it knew is not known here.
        return _OURS
