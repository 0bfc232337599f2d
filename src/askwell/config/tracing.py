"""What belongs together in `tracing`: keys and headers, which only the environment holds, and where traces are sent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from pydantic import SecretStr

from askwell.config.named_variables import named_variable
from askwell.config.problems import Origins, Problem
from askwell.config.schema import TracingConfig

# OpenTelemetry's own variables, which say what the configuration leaves open: that of traces first.
_OF_TRACES = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
_OF_ALL = "OTEL_EXPORTER_OTLP_ENDPOINT"
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_PROTOCOL = "http/protobuf"
_COLLECTOR = "http://localhost:4318"
_PATH = "/v1/traces"
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def tracing_keys(
    data: Mapping[str, Any], environ: Mapping[str, str], origins: Origins
) -> tuple[dict[str, Any], list[Problem]]:
    """What the chosen providers take from the environment: `public_key` and `secret_key`, `endpoint` and `headers`."""
    section = data.get("tracing")
    if not isinstance(section, Mapping):
        return {}, []
    problems = [
        origins.misplaced_key(("tracing", key)) for key in ("public_key", "secret_key", "headers") if key in section
    ]
    found: dict[str, Any] = {}
    chosen = section.get("provider")
    for take, name in ((_langfuse, "langfuse"), (_otlp, "otlp")):
        if name == chosen or (isinstance(chosen, list | tuple) and name in chosen):
            taken, wrong = take(section, environ, origins)
            found |= taken
            problems += wrong
    return found, problems


def _langfuse(
    section: Mapping[str, Any], environ: Mapping[str, str], origins: Origins
) -> tuple[dict[str, Any], list[Problem]]:
    found: dict[str, Any] = {}
    problems: list[Problem] = []
    for key in ("public_key", "secret_key"):
        variable = section.get(f"{key}_env", TracingConfig.model_fields[f"{key}_env"].default)
        value, missing = named_variable(("tracing", f"{key}_env"), variable, environ, origins)
        problems += missing
        if value:
            found[key] = SecretStr(value)
    return found, problems


def _otlp(
    section: Mapping[str, Any], environ: Mapping[str, str], origins: Origins
) -> tuple[dict[str, Any], list[Problem]]:
    endpoint, problems = _endpoint(section, environ, origins)
    usual = TracingConfig.model_fields["headers_env"].default
    variable = section.get("headers_env", usual)
    if variable == usual and "headers_env" not in section and not environ.get(usual):
        return {"endpoint": endpoint}, problems
    text, missing = named_variable(("tracing", "headers_env"), variable, environ, origins)
    headers = list(_headers(text))
    if None in headers:
        what = f"the environment variable {variable} has to be headers like `name=value,name=value`."
        missing = [*missing, origins.problem(("tracing", "headers_env"), what)]
    named = {name: SecretStr(value) for name, value in filter(None, headers)}
    return {"endpoint": endpoint, "headers": named}, problems + missing


def _endpoint(section: Mapping[str, Any], environ: Mapping[str, str], origins: Origins) -> tuple[str, list[Problem]]:
    """Where traces are sent, path included."""
    written = section.get("endpoint")
    if isinstance(written, str):
        base = written.rstrip("/")
        return base if base.endswith(_PATH) else f"{base}{_PATH}", []
    problems = []
    # The first that is set counts, and an empty one is none, by OpenTelemetry's own rules.
    protocol = next((name for name in _PROTOCOLS if environ.get(name)), None)
    if protocol is not None and environ[protocol] != _PROTOCOL:
        what = (
            f"the environment variable {protocol} is {environ[protocol]!r}, and traces are sent as {_PROTOCOL} only: "
            "name the collector's address for that here, which usually ends in :4318."
        )
        problems.append(origins.problem(("tracing", "endpoint"), what))
    name = next((name for name in (_OF_TRACES, _OF_ALL) if environ.get(name)), None)
    if name is None:
        return f"{_COLLECTOR}{_PATH}", problems
    given = environ[name].strip()
    if not re.match(r"https?://[^\s/]+", given):
        what = f"the environment variable {name} has to be a URL that starts with http:// or https://."
        problems.append(origins.problem(("tracing", "endpoint"), what))
    return given if name == _OF_TRACES else f"{given.rstrip('/')}{_PATH}", problems


def _headers(text: str) -> Iterator[tuple[str, str] | None]:
    """Headers as OpenTelemetry's variables have them; None for what is no header."""
    for part in text.split(","):
        name, is_there, value = (piece.strip() for piece in part.partition("="))
        if part.strip():
            yield (name, unquote(value)) if is_there and _HEADER.fullmatch(name) else None
