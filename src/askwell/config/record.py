"""Where the record is: a file in `home`, or a PostgreSQL database whose password only the environment holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr

from askwell.config.databases import holds_secret
from askwell.config.named_variables import named_url
from askwell.config.problems import Origins, Problem
from askwell.config.schema import KnowledgeConfig

IN_HOME = "sqlite"
_DRIVERS = ("postgresql", "postgresql+psycopg")
_EXAMPLE = "postgresql://askwell@db.example.internal/askwell"
_WRONG = f"has to be `{IN_HOME}`, or the URL of a PostgreSQL database, such as {_EXAMPLE}."


def record_url(
    data: Mapping[str, Any], environ: Mapping[str, str], origins: Origins
) -> tuple[dict[str, SecretStr | None], list[Problem]]:
    """`url`, where another variable of the environment holds it, and what is wrong with it. `url_env` is None where the
    URL comes from elsewhere."""
    section = data.get("knowledge")
    if not isinstance(section, Mapping):
        return {}, []
    url, problems = named_url(("knowledge",), section, environ, origins, _wrong)
    if url is not None:
        return {"url": url}, problems
    return ({} if section.get("url") is None else {"url_env": None}), problems


def record_setting(knowledge: KnowledgeConfig) -> str:
    """What says where the record is, in words for hints."""
    return knowledge.url_env or "`knowledge.url` (ASKWELL_KNOWLEDGE__URL)"


def record_place(knowledge: KnowledgeConfig) -> str | None:
    """Which database holds the record, for the operator: never with a user or a password. None for a file in `home`."""
    from sqlalchemy.engine import make_url

    text = knowledge.url.get_secret_value()
    if text == IN_HOME:
        return None
    url = make_url(text)
    return f"postgresql {url.database or ''} at {url.host or 'its usual place'}:{url.port or 5432}"


def _wrong(text: str, may_hold_password: bool) -> str | None:
    """What is wrong with the address; it is never repeated, because it may hold a password."""
    if text == IN_HOME:
        return None
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        return _WRONG
    if url.drivername not in _DRIVERS or not url.database:
        return _WRONG
    if not may_hold_password and holds_secret(url):
        return (
            "holds a password, which does not belong into a file: set ASKWELL_KNOWLEDGE__URL to the whole URL, or put "
            "it into another environment variable and name that in `url_env`."
        )
    return None
