"""The keys of the tracing server, which only the environment holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr

from askwell.config.named_variables import named_variable
from askwell.config.problems import Origins, Problem
from askwell.config.schema import TracingConfig


def tracing_keys(
    data: Mapping[str, Any], environ: Mapping[str, str], origins: Origins
) -> tuple[dict[str, SecretStr], list[Problem]]:
    """`public_key` and `secret_key`, where a provider that needs them is chosen."""
    section = data.get("tracing")
    found: dict[str, SecretStr] = {}
    problems: list[Problem] = []
    if not isinstance(section, Mapping):
        return found, problems
    for key in ("public_key", "secret_key"):
        if key in section:
            problems.append(origins.misplaced_key(("tracing", key)))
        variable = section.get(f"{key}_env", TracingConfig.model_fields[f"{key}_env"].default)
        if section.get("provider") != "langfuse":
            continue
        value, missing = named_variable(("tracing", f"{key}_env"), variable, environ, origins)
        problems += missing
        if value:
            found[key] = SecretStr(value)
    return found, problems
