"""What an agent is, as people define it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field, Strict

from askwell.errors import InvalidRequest
from askwell.jobs.request import Flag, Identifier, Lenient, Text
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
    """Variables of a thread as somebody sent them. Raises `InvalidRequest` for too many, too long or badly named
    ones."""
    if len(given) > MOST_VARIABLES:
        raise InvalidRequest(f"A thread may have {MOST_VARIABLES} variables.", "Send fewer.")
    for name, value in given.items():
        if not _NAME.fullmatch(name):
            raise InvalidRequest(
                f"{name[:64]!r} is no name of a variable.", "Use letters, digits and underscores, no digit first."
            )
        if len(value) > VARIABLE_CHARACTERS:
            raise InvalidRequest(f"The variable {name} is too long.", f"Keep it to {VARIABLE_CHARACTERS} characters.")
    return dict(given)
