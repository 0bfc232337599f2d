"""Fields and types that every request body shares."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, model_validator
from rapidfuzz import process

from askwell.config.values import PROJECT_ID

MAX_TEXT = 10_000
MAX_SQL = 100_000

_MDL_HASH = re.compile(r"[A-Za-z0-9._:=+~-]{1,128}")


def _project_id(value: str) -> str:
    if not PROJECT_ID.fullmatch(value):
        raise ValueError(
            "must be 1 to 128 letters, digits, dots, dashes or underscores, and begin with a letter or digit"
        )
    return value


def _mdl_hash(value: str) -> str:
    if not _MDL_HASH.fullmatch(value):
        raise ValueError("must be 1 to 128 letters, digits or any of . _ : = + ~ -")
    return value


def _storable(value: str) -> str:
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


Text = Annotated[str, Field(max_length=MAX_TEXT), AfterValidator(_storable)]
Question = Annotated[Text, AfterValidator(_not_blank)]
Sql = Annotated[str, Field(max_length=MAX_SQL), AfterValidator(_storable), AfterValidator(_not_blank)]
Identifier = Annotated[str, Field(max_length=128), AfterValidator(_one_line), AfterValidator(_not_blank)]
ProjectId = Annotated[str, Field(json_schema_extra={"pattern": f"^{PROJECT_ID.pattern}$"}), AfterValidator(_project_id)]
# The client's label of a model; it stands in a path.
MdlHash = Annotated[str, Field(json_schema_extra={"pattern": f"^{_MDL_HASH.pattern}$"}), AfterValidator(_mdl_hash)]
TimeZoneName = Annotated[str, Field(max_length=64), AfterValidator(_time_zone)]
PageSize = Annotated[int, Field(ge=1, le=1_000)]
PageOffset = Annotated[int, Field(ge=0, le=1_000_000_000)]
Language = Annotated[str, Field(max_length=64), AfterValidator(_one_line), AfterValidator(_not_blank)]


class Lenient(BaseModel):
    """Ignores fields it does not know, and takes null as "not given": older clients send both."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {name: value for name, value in data.items() if value is not None}


class TimeZone(Lenient):
    name: TimeZoneName = "UTC"


class Configurations(Lenient):
    """How the person asking reads and counts time."""

    language: Language = "English"
    timezone: TimeZone = TimeZone()


class Body(Lenient):
    """What every request body may carry."""

    project_id: ProjectId = "default"
    thread_id: Identifier | None = None
    request_from: Literal["ui", "api"] = "ui"
    configurations: Configurations = Field(
        default=Configurations(), validation_alias=AliasChoices("configurations", "configuration")
    )
