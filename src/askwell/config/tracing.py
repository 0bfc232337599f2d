"""The keys of the tracing server, which only the environment holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr

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
        if section.get("provider") != "langfuse" or not isinstance(variable, str) or not variable.isidentifier():
            continue
        if value := environ.get(variable):
            found[key] = SecretStr(value)
        else:
            what = f"the environment variable {variable} is not set."
            problems.append(origins.problem(("tracing", f"{key}_env"), what))
    return found, problems
