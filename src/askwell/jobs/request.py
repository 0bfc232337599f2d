"""Fields and types that the requests of all jobs share."""

from __future__ import annotations

import re
from contextvars import ContextVar
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo, available_timezones

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    Strict,
    model_validator,
    with_config,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from rapidfuzz import process

from askwell.config.values import PROJECT_ID
from askwell.errors import InvalidRequest
from askwell.messages import say

DEFAULT_PROJECT = "default"
MAX_TEXT = 10_000
MAX_SQL = 100_000

_MDL_HASH = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._:=+~-]{1,128}")


# Set where all requests are of one project, whatever they say: see `web/polling.py`.
one_project: ContextVar[bool] = ContextVar("askwell_one_project", default=False)


def _project_id(value: str) -> str:
    if one_project.get() or not value:
        return DEFAULT_PROJECT
    if not PROJECT_ID.fullmatch(value):
        raise ValueError(
            "must be 1 to 128 letters, digits, dots, dashes or underscores, and begin with a letter or digit"
        )
    return value


def _mdl_hash(value: str) -> str:
    if not _MDL_HASH.fullmatch(value):
        raise ValueError("must be 1 to 128 letters, digits or any of . _ : = + ~ -, and not dots alone")
    return value


def storable(value: str) -> str:
    # Neither can be stored or sent on, and nobody types them.
    if "\x00" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError("must not contain NUL characters or halves of surrogate pairs")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value.strip()


def _one_line(value: str) -> str:
    # Names like this go into prompts, where a line of their own would look like an instruction.
    if not value.isprintable():
        raise ValueError("must be one line of printable text")
    return value


def _time_zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError):
        best = process.extractOne(value[:64], sorted(available_timezones()), score_cutoff=70)
        guess = f"; did you mean {best[0]}?" if best else ", such as Europe/Berlin"
        raise ValueError(f"must be an IANA time zone name{guess}") from None
    return value


def _looks(pattern: str) -> Any:
    # For the OpenAPI page, as near as a pattern comes to what the validators beside it say in words.
    return Field(json_schema_extra={"pattern": pattern})


_STORABLE = _looks(r"^[^\u0000]*$")
_NOT_BLANK = _looks(r"^[^\u0000]*[^\s\u0000][^\u0000]*$")
_ONE_LINE = _looks(r"^[^\u0000-\u001f\u007f]*[^\s\u0000-\u001f\u007f][^\u0000-\u001f\u007f]*$")
_IN_AN_ADDRESS = Field(pattern=r"^[^/\x00-\x1f\x7f]*[^/.\s\x00-\x1f\x7f][^/\x00-\x1f\x7f]*$", max_length=128)

Flag = Annotated[bool, Strict()]
Text = Annotated[str, Field(max_length=MAX_TEXT), _STORABLE, AfterValidator(storable)]
Question = Annotated[Text, _NOT_BLANK, AfterValidator(_not_blank)]
Sql = Annotated[str, Field(max_length=MAX_SQL), _NOT_BLANK, AfterValidator(storable), AfterValidator(_not_blank)]
Identifier = Annotated[str, Field(max_length=128), _ONE_LINE, AfterValidator(_one_line), AfterValidator(_not_blank)]
# Of what has an address of its own: without a slash, and not dots alone.
PathId = Annotated[str, _IN_AN_ADDRESS, AfterValidator(_one_line), AfterValidator(_not_blank)]
ProjectId = Annotated[str, _looks(f"^({PROJECT_ID.pattern})?$"), AfterValidator(_project_id)]
# The client's label of a model; it stands in a path.
MdlHash = Annotated[str, Field(json_schema_extra={"pattern": f"^{_MDL_HASH.pattern}$"}), AfterValidator(_mdl_hash)]
TimeZoneName = Annotated[
    str,
    Field(max_length=64, description="A name of the IANA time zone database.", examples=["Europe/Berlin"]),
    AfterValidator(_time_zone),
]
Language = Annotated[str, Field(max_length=64), _ONE_LINE, AfterValidator(_one_line), AfterValidator(_not_blank)]


# Of dictionaries with types: what is not described is refused.
FORBIDDEN = with_config(ConfigDict(extra="forbid"))


class Lenient(BaseModel):
    """Ignores fields it does not know, and takes null as "not given": older clients send both."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {name: value for name, value in data.items() if value is not None}

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Says of null, and of the second names of fields, what is said above and what pydantic leaves out."""
        schema = handler(core_schema)
        section = handler.resolve_ref_schema(schema)
        properties = section["properties"]
        for name, field in cls.model_fields.items():
            if name not in section.get("required", ()):
                properties[name] = _or_null(properties[name])
            others = field.validation_alias.choices[1:] if isinstance(field.validation_alias, AliasChoices) else ()
            for other in others:
                said = {"deprecated": True, "description": f"Another name of `{name}`, which wins."}
                properties[str(other)] = properties[name] | said
        return schema


def _or_null(schema: JsonSchemaValue) -> JsonSchemaValue:
    about: JsonSchemaValue = {
        key: schema[key] for key in ("title", "description", "default", "examples") if key in schema
    }
    choices = schema.get("anyOf", [{key: value for key, value in schema.items() if key not in about}])
    null = {"type": "null"}
    return {"anyOf": choices if null in choices else [*choices, null], **about}


class TimeZone(Lenient):
    name: TimeZoneName = "UTC"


class Configurations(Lenient):
    """How the person asking reads and counts time."""

    language: Language = "English"
    timezone: TimeZone = TimeZone()


class ProjectBody(Lenient):
    """A body of a request that is about one project."""

    project_id: ProjectId = DEFAULT_PROJECT

    def of(self, said: str | None) -> Self:
        """The body, for the project that the address says where the body says none. Raises `InvalidRequest` where they
        say two."""
        if said is None or ("project_id" in self.model_fields_set and self.project_id == said):
            return self
        if "project_id" in self.model_fields_set:
            raise InvalidRequest(*say("request.two_project_ids"))
        return self.model_copy(update={"project_id": said})


class Body(ProjectBody):
    """What every request body may carry."""

    thread_id: Identifier | None = None
    request_from: Literal["ui", "api"] = "ui"
    configurations: Configurations = Field(
        default=Configurations(), validation_alias=AliasChoices("configurations", "configuration")
    )
