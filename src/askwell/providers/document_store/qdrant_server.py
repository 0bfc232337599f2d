"""Requests to one Qdrant server: each in time, and each failure in words that say what to do."""

from __future__ import annotations

import asyncio
import math
import re
import warnings
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

import httpx
from qdrant_client import AsyncQdrantClient
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from askwell.errors import Unavailable
from askwell.providers.failures import in_words
from askwell.providers.redirects import sends_on

# The first version that knows everything asked of it: queries in batches (1.10), indexes by tenant (1.11).
LEAST_VERSION = (1, 11)
# An ask makes up to five searches at once; more wait for a connection that is free.
_CONNECTIONS = 64
# Unused connections are closed before Qdrant does it, after 5 seconds, and perhaps while a request is on its way.
_KEPT_SECONDS = 2.0

# What is told of statuses that say more than that the server refuses.
_TOLD = {401: "key_refused", 403: "key_refused", 429: "busy", 413: "too_large"}

_T = TypeVar("_T")


class CollectionMissing(Exception):
    """The server does not have the collection that was asked for."""


class QdrantServer:
    """The connections to `location`, a URL; without a port it is Qdrant's 6333. Connects when it is first asked.
    `timeout` is in seconds, for one request. `api_key_env` is where the key came from, for messages."""

    def __init__(
        self, location: str, *, api_key: str | None = None, api_key_env: str | None = None, timeout: float = 10.0
    ) -> None:
        self._key = f"the key in {api_key_env}" if api_key_env else "document_store.api_key_env"
        self._timeout = timeout
        self._closed = False
        self._indexed: set[str] = set()
        with warnings.catch_warnings():
            # About a key over plain HTTP, which is what there is between the containers of one machine.
            warnings.simplefilter("ignore", UserWarning)
            self.client = AsyncQdrantClient(
                url=location,
                api_key=api_key,
                timeout=math.ceil(timeout),
                check_compatibility=False,  # it would connect here and now
                limits=httpx.Limits(max_connections=_CONNECTIONS, keepalive_expiry=_KEPT_SECONDS),
            )

    async def ask(self, request: Coroutine[Any, Any, _T]) -> _T:
        """What one request of `client` gives. Raises `CollectionMissing`, and `Unavailable` for whatever else."""
        if self._closed:
            request.close()
            raise self.unavailable("closed")
        try:
            async with asyncio.timeout(self._timeout):
                return await request
        except TimeoutError as error:
            raise self._late() from error
        except UnexpectedResponse as error:
            if error.status_code == 404:
                raise CollectionMissing from error
            if did := sends_on(error.status_code or 0, error.headers.get("location")):
                raise self.unavailable("sent_on", did=did) from error
            raise self._refused(error.status_code or 0) from error
        except ResponseHandlingException as error:
            raise self._failed(error.source) from error
        except QdrantException as error:
            raise self._refused(429) from error
        except (ApiException, AssertionError, ValueError) as error:  # how it takes replies that are none
            raise self._failed(error) from error

    async def create(self, collection: str, config: Mapping[str, Any], indexes: Mapping[str, Any]) -> None:
        """Create what is missing of a collection: itself, with `config`, and the indexes of its payload. Another
        service may be doing the same."""
        if not await self._exists(collection):
            self._indexed.discard(collection)
            try:
                await self.ask(self.client.create_collection(collection, **config))
            except Unavailable:
                if not await self._exists(collection):
                    raise
        if collection not in self._indexed:
            # One that is there already stays as it is.
            for field, schema in indexes.items():
                await self.ask(self.client.create_payload_index(collection, field, schema))
            self._indexed.add(collection)

    async def check(self, collection: str) -> None:
        """Return when the server answers, is new enough and takes our key. Raises `Unavailable`."""
        try:
            version = (await self.ask(self.client.info())).version
        except CollectionMissing as error:
            raise self._failed(error) from error
        found = re.match(r"v?(\d+)\.(\d+)", version)
        if found and tuple(map(int, found.groups())) < LEAST_VERSION:
            least = ".".join(map(str, LEAST_VERSION))
            raise self.unavailable("too_old", version=version, least=least)
        await self._exists(collection)

    async def close(self) -> None:
        """Close every connection. Safe to call twice."""
        self._closed = True
        await self.client.close()

    async def _exists(self, collection: str) -> bool:
        try:
            return await self.ask(self.client.collection_exists(collection))
        except CollectionMissing as error:  # Qdrant says no, and something else that it knows no such route
            raise self._failed(error) from error

    def unavailable(self, what: str, **values: object) -> Unavailable:
        """Why it cannot be used. Where it is, is only in the configuration."""
        return Unavailable(*in_words(__package__, what, **values))

    def _late(self) -> Unavailable:
        return self.unavailable("late", seconds=self._timeout)

    def _failed(self, source: Exception) -> Unavailable:
        if isinstance(source, httpx.TimeoutException):
            return self._late()
        return self.unavailable("unreachable" if isinstance(source, httpx.TransportError) else "no_usable_reply")

    def _refused(self, status: int) -> Unavailable:
        return self.unavailable(_TOLD.get(status, "refused"), status=status, key=self._key)
