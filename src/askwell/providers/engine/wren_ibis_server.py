"""The connections to one ibis-server, and what is sent with every request."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import QueryFailure
from askwell.providers.engine.http_service import HttpService
from askwell.providers.engine.limits import EngineLimits

_SECRET_KEY = re.compile(r"pass|pwd|secret|token|credential|key|connection_?url|^pat$", re.IGNORECASE)


class IbisServer:
    """One database by one ibis-server. `connection_info` is what the server needs to reach the database; it goes to
    `api_base` and nowhere else. `secrets` are the texts in it that no message may repeat; `functions` is for whoever
    asks for them first to keep."""

    def __init__(
        self, api_base: str, data_source: str, connection_info: Mapping[str, Any], limits: EngineLimits
    ) -> None:
        self._http = HttpService(api_base, limits, unusable)
        self._source = data_source.lower()
        self._info = dict(connection_info)
        self.secrets = tuple(sorted(set(_secrets(self._info)), key=len, reverse=True))
        self.functions: frozenset[str] | None = None

    async def request(self, method: str, version: str, route: str) -> tuple[int, bytes]:
        """Status and body of the reply. Waits for a free connection; how long is for the caller to limit. Raises
        `EngineUnavailable` when the server cannot be reached, and `TooLarge`."""
        content = None if method == "GET" else {"connectionInfo": self._info}
        return await self._http.request(method, self._path(version, route), json=content)

    async def query(
        self, sql: str, manifest: str, timeout: float, params: Mapping[str, str]
    ) -> tuple[int, bytes] | QueryFailure:
        """The reply to a statement over a model, as `HttpService.statement` gives it; `manifest` is in base64."""
        body = {"sql": sql, "manifestStr": manifest, "connectionInfo": self._info}
        headers = {
            "x-wren-fallback_disable": "true",
            "x-wren-db-statement_timeout": str(max(1, math.ceil(timeout))),
        }
        path = self._path("v3", "query")
        return await self._http.statement(sql, path, timeout, json=body, params=params, headers=headers)

    def _path(self, version: str, route: str) -> str:
        return f"{version}/connector/{self._source}/{route}"

    async def close(self) -> None:
        """Close every connection. Safe to call twice."""
        await self._http.close()


def unusable(what: str) -> EngineUnavailable:
    """That the server, or the database behind it, cannot be used at all; `what` is a sentence without its full stop."""
    return EngineUnavailable(
        f"The ibis-server cannot be used. {what}.",
        "Check api_base, data_source and the connection information of this data source, and that server's log.",
    )


def _secrets(value: object, key: str = "") -> Iterator[str]:
    """The texts under keys that speak of secrets."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _secrets(inner, key if _SECRET_KEY.search(key) else str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _secrets(inner, key)
    elif isinstance(value, str) and value and _SECRET_KEY.search(key):
        yield value
