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
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    model_validator,
    with_config,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from pydantic_core.core_schema import no_info_before_validator_function
from rapidfuzz import process

from askwell.config.values import PROJECT_ID
from askwell.errors import InvalidRequest
from askwell.field_types import Identifier, Language
from askwell.messages import say

DEFAULT_PROJECT = "default"

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


def _time_zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError):
        best = process.extractOne(value[:64], sorted(available_timezones()), score_cutoff=70)
        guess = f"; did you mean {best[0]}?" if best else ", such as Europe/Berlin"
        raise ValueError(f"must be an IANA time zone name{guess}") from None
    return value


ProjectId = Annotated[
    str, Field(json_schema_extra={"pattern": f"^({PROJECT_ID.pattern})?$"}), AfterValidator(_project_id)
]
# The client's label of a model; it stands in a path.
MdlHash = Annotated[str, Field(json_schema_extra={"pattern": f"^{_MDL_HASH.pattern}$"}), AfterValidator(_mdl_hash)]
TimeZoneName = Annotated[
    str,
    Field(max_length=64, description="A name of the IANA time zone database.", examples=["Europe/Berlin"]),
    AfterValidator(_time_zone),
]


def without_nulls(data: Any) -> Any:
    """An object without its fields that are null."""
    return {name: value for name, value in data.items() if value is not None} if isinstance(data, dict) else data


class NullIsAbsent:
    """Annotates dataclasses in requests: null is "not given", as in `Lenient`."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return no_info_before_validator_function(without_nulls, handler(source))

    def __get_pydantic_json_schema__(self, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core_schema)
        section = handler.resolve_ref_schema(schema)
        optional = section["properties"].keys() - set(section.get("required", ()))
        section["properties"] |= {name: _or_null(section["properties"][name]) for name in optional}
        return schema


# Of dictionaries with types: what is not described is refused.
FORBIDDEN = with_config(ConfigDict(extra="forbid"))


class Lenient(BaseModel):
    """Ignores fields it does not know, and takes null as "not given": older clients send both."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: Any) -> Any:
        return without_nulls(data)

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
