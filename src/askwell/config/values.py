"""What sections of config.yaml are made of, and the types of single values: what they may be, and the words for what
they may not.

Numbers and booleans are strict (`"30"` is not 30, `true` is not 1), so that a slip is reported and never
guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Annotated, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    Strict,
)

from askwell.config.hosts import is_web_address
from askwell.config.problems import wrong

_K = TypeVar("_K")
_V = TypeVar("_V")


class Section(BaseModel):
    """Keys that are known, values that cannot be changed and are never shown in errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, validate_default=True)


PROJECT_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")

# What Wren's services can read from and the semantic model has a name for.
WrenDataSource = Literal[
    "ATHENA",
    "BIGQUERY",
    "CLICKHOUSE",
    "DATABRICKS",
    "DORIS",
    "DUCKDB",
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


# Tokens of schema in a prompt.
_LEAST_BUDGET = 200
_MOST_BUDGET = 1_000_000

# Names of database servers, as people write them for an engine, and how a URL to one begins.
_SERVERS = {
    "postgres": "postgresql",
    "postgresql": "postgresql",
    "mysql": "mysql",
    "mariadb": "mariadb",
    "trino": "trino",
    "snowflake": "snowflake",
    "bigquery": "bigquery",
    "mssql": "mssql",
    "sqlserver": "mssql",
}


def _no_server(value: object) -> object:
    begins = _SERVERS.get(value.lower()) if isinstance(value, str) else None
    if begins is not None:
        raise wrong("engine", begins=begins)
    return value


def _listening_host(value: str) -> str:
    if "/" in value or re.fullmatch(r"[^:]*:\d*", value):
        raise wrong("listening_host")
    return value


def off_is_a_word(value: object) -> object:
    """YAML 1.1 reads a bare `off` as false."""
    return "off" if value is False else value


def _date_is_text(value: object) -> object:
    # YAML 1.1 reads a bare 2024-10-21 as a date.
    return value.isoformat() if isinstance(value, date) else value


def _matches(pattern: str | re.Pattern[str], code: str) -> AfterValidator:
    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise wrong(code)
        return value

    return AfterValidator(check)


def _http_url(value: str) -> str:
    if not is_web_address(value):
        raise wrong("url")
    return value.rstrip("/")


def _qdrant_location(value: str) -> str:
    if value == ":memory:":
        raise wrong("location")
    return _http_url(value)


def _table_pattern(value: str) -> str:
    parts = value.split(".")
    if len(parts) > 3 or not all(part and part == part.strip() for part in parts) or set(value) & set("\"'`[]"):
        raise wrong("table")
    if any("*" in part for part in parts[:-1]) or ("*" in parts[-1] and parts[-1] != "*"):
        raise wrong("table_star")
    return value


def _projects(value: object) -> object:
    if value is None:
        return None
    if isinstance(value, str) and value.lower() == "open":
        return "open"
    # YAML reads a bare 7 as a number.
    names = [str(name) if type(name) is int else name for name in value] if isinstance(value, list | tuple) else [None]
    if not all(isinstance(name, str) and PROJECT_ID.fullmatch(name) for name in names):
        raise wrong("projects")
    return tuple(names)


def _token_budget(value: object) -> object:
    if value == "auto" or (type(value) is int and _LEAST_BUDGET <= value <= _MOST_BUDGET):
        return value
    raise wrong("token_budget", least=_LEAST_BUDGET, most=_MOST_BUDGET)


def _tracing_providers(value: object) -> object:
    names = [value] if isinstance(value, str) else value
    return tuple(name for name in names if name != "none") if isinstance(names, list | tuple) else names


DatabaseEngine = Annotated[
    Literal["duckdb", "sqlite", "sqlalchemy", "wren_ibis", "wren_ui"], BeforeValidator(_no_server)
]
ListeningHost = Annotated[str, Field(min_length=1), AfterValidator(_listening_host)]
Url = Annotated[str, AfterValidator(_http_url)]
VariableName = Annotated[str, _matches(r"[A-Za-z_][A-Za-z0-9_]*", "variable_name")]
ProjectId = Annotated[str, _matches(PROJECT_ID, "project_id")]
ApiVersion = Annotated[str, BeforeValidator(_date_is_text), _matches(r"\d{4}-\d{2}-\d{2}(-preview)?", "api_version")]
Place = Annotated[str, _matches(r"([^.\s]+(\.[^.\s]+)?)?", "place")]
TablePattern = Annotated[str, AfterValidator(_table_pattern)]
TokenBudget = Annotated[Literal["auto"] | int, PlainValidator(_token_budget)]
Projects = Annotated[Literal["open"] | tuple[str, ...] | None, PlainValidator(_projects)]
TracingProviders = Annotated[tuple[Literal["langfuse", "otlp"], ...], BeforeValidator(_tracing_providers)]
QdrantLocation = Annotated[str, AfterValidator(_qdrant_location)]
ComponentPath = Annotated[str, _matches(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", "component_path")]
CollectionPrefix = Annotated[str, _matches(r"[A-Za-z0-9_-]{1,64}", "prefix")]
ChosenRulesMode = Annotated[Literal["auto", "strict", "balanced", "off"], BeforeValidator(off_is_a_word)]
# A mapping that cannot be changed, and is still dumped as a plain one.
Frozen = Annotated[Mapping[_K, _V], AfterValidator(MappingProxyType), PlainSerializer(dict)]

# What prompts may hold: everything; no values; the schema and the question alone, without values.
Privacy = Literal["full", "values_stay", "schema_only"]
