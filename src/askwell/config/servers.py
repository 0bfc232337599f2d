"""What belongs together in sections that name a server with a key: the language models' and the embedder's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import SecretStr

from askwell.config.named_variables import named_variable
from askwell.config.problems import Origins, Path, Problem

# The variable that holds the key where `api_key_env` names none. OPENAI_API_KEY is sent to OpenAI only: another
# server's key has to be named, so that no key goes where it does not belong.
OPENAI_KEY = "OPENAI_API_KEY"
AZURE_KEY = "AZURE_OPENAI_API_KEY"

_EXAMPLES = {
    "model": {"openai": "text-embedding-3-small", "azure_openai": "the deployment's name"},
    "dimensions": {"openai": "1536", "azure_openai": "1536"},
    "api_base": {"azure_openai": "https://my-resource.openai.azure.com"},
}
# (section, provider) → the keys that it needs.
_NEEDED = {
    ("embedder", "openai"): ("model", "dimensions"),
    ("embedder", "azure_openai"): ("api_base", "model", "dimensions"),
    ("llm", "azure_openai"): ("api_base", "model"),
}


def check_servers(data: Mapping[str, Any], origins: Origins) -> list[Problem]:
    """Keys that a provider needs and that are missing, or that only another provider has."""
    problems = []
    for here, section in _servers(data):
        provider = str(section["provider"])
        for key in _NEEDED.get((str(here[0]), provider), ()):
            if section.get(key) is None:
                what = f"is missing: the provider {provider} needs it, for example {_EXAMPLES[key][provider]}."
                problems.append(origins.problem((*here, key), what))
        if section.get("api_version") is not None and provider != "azure_openai":
            what = "is a key of the provider azure_openai only."
            problems.append(origins.problem((*here, "api_version"), what))
    return problems


def server_keys(
    data: Mapping[str, Any], environ: Mapping[str, str], origins: Origins
) -> tuple[dict[Path, SecretStr], list[Problem]]:
    """The secret of each server, by its section."""
    keys: dict[Path, SecretStr] = {}
    problems = []
    for here, server in _servers(data):
        if "api_key" in server:
            problems.append(origins.misplaced_key((*here, "api_key")))
        variable = server.get("api_key_env") or _usual_variable(server)
        if server["provider"] not in ("openai", "azure_openai"):
            continue
        key, missing = named_variable((*here, "api_key_env"), variable, environ, origins)
        problems += missing
        if key:
            keys[here] = SecretStr(key)
    return keys, problems


def _usual_variable(server: Mapping[str, Any]) -> str | None:
    if server["provider"] == "azure_openai":
        return AZURE_KEY
    return None if server.get("api_base") else OPENAI_KEY


def _servers(data: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Every section that may name a server with a key, with its provider filled in."""
    models = data["llm"] if isinstance(data["llm"], Mapping) else {}
    for name, model in models.items():
        if isinstance(model, Mapping):
            yield ("llm", name), {"provider": "openai", **model}
    embedder = data.get("embedder")
    default = embedder.get("default") if isinstance(embedder, Mapping) else None
    if isinstance(default, Mapping):
        yield ("embedder", "default"), {"provider": "minilm", **default}
