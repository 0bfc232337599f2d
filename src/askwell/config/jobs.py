"""Where jobs go on: in this process, or in several that share a record on PostgreSQL and a Redis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from askwell.config.problems import Origins, Problem
from askwell.config.record import IN_HOME

_SCHEMES = ("redis", "rediss")
_WRONG = "has to be the URL of a Redis, such as redis://redis.example.internal:6379/0, or rediss:// for TLS."
_PASSWORD = "holds a password, which does not belong into a file: set ASKWELL_JOBS__REDIS to the whole URL."
_NOBODY_WORKS = (
    "is false, and jobs.redis (ASKWELL_JOBS__REDIS) names no Redis by which others could take the jobs: nothing would "
    "ever be answered."
)
_NEEDS_SERVER = (
    "needs a record that several processes can use: set knowledge.url (ASKWELL_KNOWLEDGE__URL) to a PostgreSQL "
    "database, such as postgresql://askwell@db.example.internal/askwell."
)


def check_jobs(data: Mapping[str, Any], origins: Origins) -> list[Problem]:
    """What is wrong with `jobs`."""
    section = data.get("jobs")
    if not isinstance(section, Mapping):
        return []
    written = section.get("redis")
    if written is None and section.get("work") is False:
        return [origins.problem(("jobs", "work"), _NOBODY_WORKS)]
    if not isinstance(written, str):
        return []
    key = ("jobs", "redis")
    try:
        url = urlsplit(written)
        is_address = url.scheme in _SCHEMES and bool(url.hostname) and url.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        return [origins.problem(key, _WRONG)]
    if (url.password or "password" in parse_qs(url.query)) and not origins.is_from_environment(key):
        return [origins.problem(key, _PASSWORD)]
    record = data.get("knowledge")
    in_home = not isinstance(record, Mapping) or (record.get("url", IN_HOME) == IN_HOME and not record.get("url_env"))
    return [origins.problem(key, _NEEDS_SERVER)] if in_home else []
