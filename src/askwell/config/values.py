"""The types of single values in config.yaml: what they may be, and how a slip is told.

Numbers and booleans are strict (`"30"` is not 30, `true` is not 1), so that a slip is reported and never guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, Strict
from pydantic_core import PydanticCustomError

_K = TypeVar("_K")
_V = TypeVar("_V")

PROJECT_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")

# What an ibis-server can read from and the semantic model has a name for.
IbisDataSource = Literal[
    "ATHENA",
    "BIGQUERY",
    "CLICKHOUSE",
    "DATABRICKS",
    "DORIS",
    "GCS_FILE",
    "LOCAL_FILE",
    "MINIO_FILE",
    "MSSQL",
    "MYSQL",
    "ORACLE",
    "POSTGRES",
    "REDSHIFT",
    "S3_FILE",
    "SNOWFLAKE",
    "SPARK",
    "TRINO",
]

Flag = Annotated[bool, Strict()]
Count = Annotated[int, Strict()]
Number = Annotated[float, Strict()]
Share = Annotated[float, Strict(), Field(ge=0, le=1)]


def _off_is_a_word(value: object) -> object:
    # YAML 1.1 reads a bare `off` as false.
    return "off" if value is False else value


def _date_is_text(value: object) -> object:
    # YAML 1.1 reads a bare 2024-10-21 as a date.
    return value.isoformat() if isinstance(value, date) else value


def _api_version(value: str) -> str:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}(-preview)?", value):
        raise PydanticCustomError("api_version", "has to be a date such as 2024-10-21 or 2025-03-01-preview")
    return value


def _http_url(value: str) -> str:
    if not re.match(r"https?://[^\s/]+", value):
        raise PydanticCustomError("url", "has to be a URL that starts with http:// or https://")
    return value.rstrip("/")


def _qdrant_location(value: str) -> str:
    if value == ":memory:":
        raise PydanticCustomError(
            "location", "has to be the URL of a Qdrant server; for an index in memory use the provider memory"
        )
    return _http_url(value)


def _collection_prefix(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value):
        raise PydanticCustomError("prefix", "has to be letters, digits, `-` and `_`, 1 to 64 of them")
    return value


def _variable_name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        raise PydanticCustomError(
            "variable_name",
            "has to be the name of an environment variable that holds the secret, never the secret itself",
        )
    return value


def _project_id(value: str) -> str:
    if not PROJECT_ID.fullmatch(value):
        raise PydanticCustomError(
            "project_id", "is not a project id: letters, digits, `-`, `_` and `.`, 1 to 128 of them"
        )
    return value


def _place(value: str) -> str:
    if value and not re.fullmatch(r"[^.\s]+(\.[^.\s]+)?", value):
        raise PydanticCustomError("place", "has to be a schema, or catalog.schema, or empty text for none")
    return value


Url = Annotated[str, AfterValidator(_http_url)]
VariableName = Annotated[str, AfterValidator(_variable_name)]
ProjectId = Annotated[str, AfterValidator(_project_id)]
ApiVersion = Annotated[str, BeforeValidator(_date_is_text), AfterValidator(_api_version)]
Place = Annotated[str, AfterValidator(_place)]
QdrantLocation = Annotated[str, AfterValidator(_qdrant_location)]
CollectionPrefix = Annotated[str, AfterValidator(_collection_prefix)]
ChosenRulesMode = Annotated[Literal["auto", "strict", "balanced", "off"], BeforeValidator(_off_is_a_word)]
# A mapping that cannot be changed, and is still dumped as a plain one.
Frozen = Annotated[Mapping[_K, _V], AfterValidator(MappingProxyType), PlainSerializer(dict)]
