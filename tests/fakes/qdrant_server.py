"""Qdrant's REST API over real HTTP, with the client's local mode for an engine.

    async with FakeQdrantServer() as server:
        store = QdrantDocumentStore(QdrantServer(server.location))

Only the routes that the document store and `qdrant-haystack`'s use are there; another one is 404, as on a server that
does not know it. As a server in strict mode does, it refuses filters by fields without an index. `requests` tells what
came in, by route. `refuse` answers everything with one status and body, `hold` keeps requests whose route has this text
waiting until `release` is set, `api_key` is the only one it takes, and `fail_after` lets so many more requests through.
`stop` and `start` keep the data and the port.
"""

from __future__ import annotations

import asyncio
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any, Self

from aiohttp import web
from pydantic import TypeAdapter
from qdrant_client import QdrantClient, models

_FILTER = TypeAdapter(models.Filter)
_POINTS = TypeAdapter(list[models.PointStruct])


class FakeQdrantServer:
    def __init__(self, *, version: str = "1.12.4", api_key: str | None = None) -> None:
        self.version = version
        self.api_key = api_key
        self.requests: Counter[str] = Counter()
        self.written = 0
        self.refuse: tuple[int, bytes] | None = None
        self.fail_after: int | None = None
        self.hold: str | None = None
        self.release = asyncio.Event()
        self.engine = QdrantClient(":memory:")
        self.indexes: dict[str, set[str]] = {}
        self._runner: web.AppRunner | None = None
        self._port = 0

    @property
    def location(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def start(self) -> None:
        """Answer, on the same port as before."""
        app = web.Application(client_max_size=64 * 1024**2)
        router = app.router
        router.add_get("/", self._info)
        router.add_get("/collections", self._collections)
        router.add_put("/collections/{name}", self._create)
        router.add_get("/collections/{name}", self._collection)
        router.add_get("/collections/{name}/exists", self._exists)
        router.add_put("/collections/{name}/index", self._index)
        router.add_put("/collections/{name}/points", self._upsert)
        router.add_post("/collections/{name}/points", self._retrieve)
        router.add_post("/collections/{name}/points/scroll", self._scroll)
        router.add_post("/collections/{name}/points/count", self._count)
        router.add_post("/collections/{name}/points/delete", self._delete)
        router.add_post("/collections/{name}/points/query/batch", self._query)
        app.middlewares.append(self._around)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]

    async def stop(self) -> None:
        """Answer no more; nothing is forgotten."""
        self.release.set()
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *args: object) -> None:
        await self.stop()

    def payloads(self, collection: str) -> list[dict[str, Any]]:
        """What the points of a collection carry besides vectors."""
        points, _ = self.engine.scroll(collection, limit=100_000)
        return [point.payload or {} for point in points]

    @web.middleware
    async def _around(self, request: web.Request, handler: Any) -> web.StreamResponse:
        route = request.match_info.route.resource
        what = f"{request.method} {route.canonical if route else request.path}"
        self.requests[what] += 1
        if self.hold is not None and self.hold in what:
            await self.release.wait()
        if self.refuse is not None:
            return web.Response(status=self.refuse[0], body=self.refuse[1], content_type="application/json")
        if self.fail_after is not None:
            self.fail_after -= 1
            if self.fail_after < 0:
                return _error(500, "told to fail")
        if self.api_key is not None and request.path != "/" and request.headers.get("api-key") != self.api_key:
            return web.Response(status=401, text="Must provide an API key or an Authorization bearer token")
        name = request.match_info.get("name")
        making = request.method == "PUT" and request.path == f"/collections/{name}"
        asking = request.path.endswith("/exists")
        if name is not None and not making and not asking and not self.engine.collection_exists(name):
            return _error(404, f"Not found: Collection `{name}` doesn't exist!")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # of what local mode does not do
                return await handler(request)
        except ValueError as error:
            return _error(400, str(error))

    async def _info(self, request: web.Request) -> web.Response:
        return web.json_response({"title": "qdrant - vector search engine", "version": self.version, "commit": "0"})

    async def _collections(self, request: web.Request) -> web.Response:
        return _result(self.engine.get_collections())

    async def _create(self, request: web.Request) -> web.Response:
        name, body = request.match_info["name"], await request.json()
        if self.engine.collection_exists(name):
            return _error(409, f"Wrong input: Collection `{name}` already exists!")
        wanted = models.CreateCollection.model_validate(body)
        self.engine.create_collection(
            name, vectors_config=wanted.vectors or {}, sparse_vectors_config=wanted.sparse_vectors
        )
        self.indexes[name] = set()
        return _result(True)

    async def _collection(self, request: web.Request) -> web.Response:
        return _result(self.engine.get_collection(request.match_info["name"]))

    async def _exists(self, request: web.Request) -> web.Response:
        return _result({"exists": self.engine.collection_exists(request.match_info["name"])})

    async def _index(self, request: web.Request) -> web.Response:
        body = await request.json()
        assert body["field_schema"]
        self.indexes[request.match_info["name"]].add(body["field_name"])
        return _done()

    async def _upsert(self, request: web.Request) -> web.Response:
        points = _POINTS.validate_python((await request.json())["points"])
        if not points:
            raise ValueError("Empty update request")
        self.engine.upsert(request.match_info["name"], points)
        self.written += len(points)
        return _done()

    async def _retrieve(self, request: web.Request) -> web.Response:
        body = await request.json()
        return _result(self.engine.retrieve(request.match_info["name"], body["ids"]))

    async def _scroll(self, request: web.Request) -> web.Response:
        body = await request.json()
        points, following = self.engine.scroll(
            request.match_info["name"],
            self._filter(request, body["filter"]),
            limit=body["limit"],
            offset=body.get("offset"),
            with_vectors=body.get("with_vector", False),
        )
        return _result({"points": [_dumped(point) for point in points], "next_page_offset": following})

    async def _count(self, request: web.Request) -> web.Response:
        body = await request.json()
        return _result(self.engine.count(request.match_info["name"], self._filter(request, body["filter"])))

    async def _delete(self, request: web.Request) -> web.Response:
        body = await request.json()
        chosen = body["points"] if "points" in body else self._filter(request, body["filter"])
        self.engine.delete(request.match_info["name"], chosen)
        return _done()

    async def _query(self, request: web.Request) -> web.Response:
        body = await request.json()
        found = []
        for search in models.QueryRequestBatch.model_validate(body).searches:
            if search.limit is not None and search.limit < 1:
                raise ValueError("limit: value 0 invalid, must be 1 or larger")
            self._check(request, search.filter)
            found += self.engine.query_batch_points(request.match_info["name"], [search])
        return _result([_dumped(reply) for reply in found])

    def _filter(self, request: web.Request, given: Any) -> models.Filter:
        wanted = _FILTER.validate_python(given)
        self._check(request, wanted)
        return wanted

    def _check(self, request: web.Request, wanted: models.Filter | None) -> None:
        assert wanted is not None, "a request over all projects"
        keys = {condition.key for condition in _conditions(wanted) if isinstance(condition, models.FieldCondition)}
        assert keys & {"project", "meta.project"}, "a request over all projects"
        if missing := keys - self.indexes[request.match_info["name"]]:
            raise ValueError(f"Index required but not found for {sorted(missing)}")


def _conditions(wanted: models.Filter) -> Iterator[Any]:
    for group in (wanted.must, wanted.must_not, wanted.should):
        yield from group if isinstance(group, list) else [group]


def _dumped(value: Any) -> Any:
    return value.model_dump(mode="json", exclude_none=True) if hasattr(value, "model_dump") else value


def _result(value: Any) -> web.Response:
    made = [_dumped(one) for one in value] if isinstance(value, list) else _dumped(value)
    return web.json_response({"result": made, "status": "ok", "time": 0.001})


def _done() -> web.Response:
    return _result({"operation_id": 1, "status": "completed"})


def _error(status: int, message: str) -> web.Response:
    return web.json_response({"status": {"error": message}, "time": 0.001}, status=status)
