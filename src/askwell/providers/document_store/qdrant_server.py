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
from askwell.providers.redirects import sends_on

# The first version that knows everything asked of it: queries in batches (1.10), indexes by tenant (1.11).
LEAST_VERSION = (1, 11)
# An ask makes up to five searches at once; more wait for a connection that is free.
_CONNECTIONS = 64
# Unused connections are closed before Qdrant does it, after 5 seconds, and perhaps while a request is on its way.
_KEPT_SECONDS = 2.0

_REDIRECT_HINT = "Set document_store.location to the address where it really is, if the index may go there."

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
            raise self.unavailable("has been let go of", "The service is shutting down; ask again later.")
        try:
            async with asyncio.timeout(self._timeout):
                return await request
        except TimeoutError as error:
            raise self._late() from error
        except UnexpectedResponse as error:
            if error.status_code == 404:
                raise CollectionMissing from error
            if did := sends_on(error.status_code or 0, error.headers.get("location")):
                raise self.unavailable(did, _REDIRECT_HINT) from error
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
            raise self.unavailable(f"is version {version}, which is too old", f"Upgrade it to {least} or later.")
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

    def unavailable(self, what: str, hint: str) -> Unavailable:
        """That the server does `what`. Where it is, is for whoever reads the configuration."""
        return Unavailable(f"The document store (Qdrant) {what}.", hint)

    def _late(self) -> Unavailable:
        return self.unavailable(
            f"does not answer within {self._timeout:g} seconds",
            "Look whether it is busy, or raise document_store.timeout.",
        )

    def _failed(self, source: Exception) -> Unavailable:
        if isinstance(source, httpx.TimeoutException):
            return self._late()
        if isinstance(source, httpx.TransportError):
            return self.unavailable("cannot be reached", "Check document_store.location, and that Qdrant runs there.")
        return self.unavailable("gives no usable reply", "Check that document_store.location leads to a Qdrant server.")

    def _refused(self, status: int) -> Unavailable:
        match status:
            case 401 | 403:
                return self.unavailable(f"refuses us (HTTP {status})", f"Check {self._key}: it has to allow writing.")
            case 429:
                return self.unavailable("gets more requests than it allows (HTTP 429)", "Ask again a little later.")
            case 413:
                return self.unavailable("takes no request of that size (HTTP 413)", "Raise its max_request_size_mb.")
            case _:
                return self.unavailable(f"answers with HTTP {status}", "Look into Qdrant's log.")
