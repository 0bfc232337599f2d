"""What belongs together in `document_store`: a Qdrant server's place, and its key, which only the environment holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr

from askwell.config.named_variables import named_variable
from askwell.config.problems import Origins, Problem

_QDRANT_ONLY = ("location", "api_key_env", "timeout", "collection_prefix")


def document_store_key(
    data: Mapping[str, Any], environ: Mapping[str, str], origins: Origins
) -> tuple[dict[str, SecretStr], list[Problem]]:
    """`api_key`, where the section names the variable that holds it, and what is wrong with the section as a whole."""
    section = data.get("document_store")
    if not isinstance(section, Mapping):
        return {}, []
    here = "document_store"
    problems: list[Problem] = []
    if "api_key" in section:
        problems.append(origins.misplaced_key((here, "api_key")))
    if section.get("provider") != "qdrant":
        what = "is a key of the provider qdrant only."
        return {}, problems + [origins.problem((here, key), what) for key in _QDRANT_ONLY if key in section]
    if section.get("location") is None:
        what = "is missing: the URL of the Qdrant server, for example http://qdrant:6333."
        problems.append(origins.problem((here, "location"), what))
    key, missing = named_variable((here, "api_key_env"), section.get("api_key_env"), environ, origins)
    return ({"api_key": SecretStr(key)} if key else {}), problems + missing
