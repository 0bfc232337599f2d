"""What only a store on a server has to do: outlive processes, crashes and the server's own absence."""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable

import numpy as np
import pytest

pytest.importorskip("qdrant_client", reason="qdrant-client is not installed, so the Qdrant store is not tested")

from askwell.config import DocumentStoreConfig
from askwell.errors import ConfigurationError, Unavailable
from askwell.providers.document_store.base import Document, DocumentStore, Kind, Section
from askwell.providers.document_store.factory import create_document_store
from tests.fakes.qdrant_server import FakeQdrantServer
from tests.providers.document_store.test_contract import ALL, HERE, VECTORS, unit

CARDS, DOCUMENTS = "askwell_editions", "askwell_documents_3"
NEXT = Section("p", "model", "2")


@pytest.fixture
async def server() -> AsyncIterator[FakeQdrantServer]:
    async with FakeQdrantServer() as started:
        yield started


@pytest.fixture
async def connect(server: FakeQdrantServer) -> AsyncIterator[Callable[..., DocumentStore]]:
    """A store of another service process on the same server."""
    made: list[DocumentStore] = []

    def connected(**options: object) -> DocumentStore:
        options.setdefault("location", server.location)
        kept = {name: options.pop(name) for name in ("kept_models",) if name in options}
        chosen = DocumentStoreConfig.model_validate({"provider": "qdrant", **options})
        made.append(create_document_store(chosen, **kept))  # type: ignore[arg-type]
        return made[-1]

    yield connected
    for store in made:
        await store.close()


Connect = Callable[..., DocumentStore]


def everything(store: DocumentStore) -> list[Callable[[], Awaitable[object]]]:
    return [
        store.check,
        lambda: store.holds(HERE),
        lambda: store.search(HERE, Kind.TABLE, "orders", unit(1, 0, 0)),
        lambda: store.replace(NEXT, ALL, VECTORS),
        lambda: store.delete("p"),
    ]


async def tables(store: DocumentStore, section: Section = HERE) -> list[str]:
    return [one.owner for one in (await store.search(section, Kind.TABLE, "orders", unit(1, 0, 0))).documents]


async def test_what_was_written_is_there_after_a_restart(server: FakeQdrantServer, connect: Connect) -> None:
    await connect().replace(HERE, ALL, VECTORS)
    written = server.written
    later = connect()
    assert await later.holds(HERE)
    assert await tables(later) == ["orders", "customers"]
    assert server.written == written


async def test_each_failure_says_what_happened_and_what_to_do(server: FakeQdrantServer, connect: Connect) -> None:
    cases: list[tuple[tuple[int, bytes], str, str]] = [
        ((401, b"Must provide an API key"), "refuses the key (HTTP 401)", "Check the key in QDRANT_KEY"),
        ((403, b'{"status": {"error": "Forbidden"}}'), "refuses the key (HTTP 403)", "it has to allow writing"),
        ((429, b'{"status": {"error": "slow down"}}'), "HTTP 429", "Ask again in a minute."),
        ((500, b'{"status": {"error": "Service internal error: panic"}}'), "HTTP 500", "Look at Qdrant's log."),
        ((503, b"<html>proxy</html>"), "HTTP 503", "Look at Qdrant's log."),
        ((200, b"<html>hello</html>"), "gives no usable reply", "document_store.location"),
        ((200, b"{}"), "gives no usable reply", "document_store.location"),
    ]
    store = connect(api_key="s3cret", api_key_env="QDRANT_KEY")
    for refusal, what, hint in cases:
        server.refuse = refusal
        for call in everything(store):
            with pytest.raises(Unavailable) as raised:
                await call()
            said = f"{raised.value.message} {raised.value.hint}"
            assert what in said, refusal
            assert hint in said, refusal
            assert not re.search(r"s3cret|panic|html|Error|127\.0", said)


async def test_a_server_that_is_away_is_missed_and_found_again(server: FakeQdrantServer, connect: Connect) -> None:
    store = connect()
    await store.replace(HERE, ALL, VECTORS)
    await server.stop()
    for call in everything(store):
        with pytest.raises(Unavailable, match="cannot be reached") as raised:
            await call()
        assert "document_store.location" in raised.value.hint
    await server.start()
    await store.check()
    assert await tables(store) == ["orders", "customers"]


async def test_a_server_that_does_not_answer_is_given_up_on(server: FakeQdrantServer, connect: Connect) -> None:
    store = connect(timeout=0.05)
    server.hold = ""
    for call in everything(store):
        with pytest.raises(Unavailable, match=r"did not answer within 0\.05 seconds") as raised:
            await call()
        assert "document_store.timeout" in raised.value.hint


async def test_the_key_is_sent_and_a_wrong_one_is_noticed(connect: Connect) -> None:
    async with FakeQdrantServer(api_key="right") as locked:
        await connect(location=locked.location, api_key="right").check()
        for wrong in ("wrong", None):
            with pytest.raises(Unavailable, match="refuses the key") as raised:
                await connect(location=locked.location, api_key=wrong).check()
            assert "document_store.api_key_env" in raised.value.hint


async def test_a_server_that_is_too_old_is_named(connect: Connect) -> None:
    async with FakeQdrantServer(version="1.9.7") as old:
        with pytest.raises(Unavailable, match=r"version 1\.9\.7, which is too old") as raised:
            await connect(location=old.location).check()
        assert "1.11" in raised.value.hint


async def test_a_server_of_another_kind_is_told_from_an_empty_one(server: FakeQdrantServer, connect: Connect) -> None:
    store = connect(location=f"{server.location}/elsewhere")
    for call in (store.check, lambda: store.replace(HERE, ALL, VECTORS)):
        with pytest.raises(Unavailable, match="gives no usable reply"):
            await call()


async def test_a_closed_store_says_so(connect: Connect) -> None:
    store = connect()
    await store.close()
    with pytest.raises(Unavailable, match="is closed"):
        await store.holds(HERE)


@pytest.mark.deep
async def test_a_writer_that_dies_leaves_the_old_edition_as_it_was(server: FakeQdrantServer, connect: Connect) -> None:
    many = [Document(Kind.TABLE, str(n), "orders") for n in range(150)]
    vectors = np.tile(unit(1, 0, 0), (150, 1))
    store, requests = connect(), server.requests
    await store.replace(HERE, ALL, VECTORS)
    before = sum(requests.values())
    await store.replace(NEXT, many, vectors)
    needed = sum(requests.values()) - before
    await store.delete("p")
    for step in range(needed - 3):  # the last ones only remove what is old
        await store.replace(HERE, ALL, VECTORS)
        server.fail_after = step
        with pytest.raises(Unavailable):
            await store.replace(NEXT, many, vectors)
        server.fail_after = None
        assert not await store.holds(NEXT), step
        assert await tables(store) == ["orders", "customers"], step
        assert await connect().holds(HERE), step
    await store.replace(NEXT, many, vectors)
    assert await tables(store, NEXT) == [str(n) for n in range(150)]


async def test_what_dead_writers_left_is_swept_up_and_living_ones_are_left_alone(
    server: FakeQdrantServer, connect: Connect
) -> None:
    store = connect()
    await store.replace(HERE, ALL, VECTORS)
    server.fail_after = 4  # the documents are written
    with pytest.raises(Unavailable):
        await store.replace(NEXT, ALL, VECTORS)
    server.fail_after = None
    builds = {payload["build"] for payload in server.payloads(DOCUMENTS)}
    assert len(builds) == 2
    await store.replace(Section("p", "knowledge", "1"), ALL[:1], VECTORS[:1])
    assert builds < {payload["build"] for payload in server.payloads(DOCUMENTS)}  # somebody may still be writing it
    for point in server.engine.scroll(DOCUMENTS, limit=100)[0]:
        server.engine.set_payload(DOCUMENTS, {"started": int(time.time()) - 4_000}, [point.id])
    await store.replace(Section("p", "knowledge", "2"), ALL[:1], VECTORS[:1])
    cards = {payload["build"] for payload in server.payloads(CARDS)}
    assert {payload["build"] for payload in server.payloads(DOCUMENTS)} == cards
    assert await tables(store) == ["orders", "customers"]


async def test_old_editions_take_no_room(server: FakeQdrantServer, connect: Connect) -> None:
    store = connect()
    for n in range(5):
        await store.replace(Section("p", "model", str(n)), ALL, VECTORS)
        await store.replace(HERE, ALL, VECTORS)
    assert len(server.payloads(CARDS)) == 2
    assert len(server.payloads(DOCUMENTS)) == 2 * len(ALL)
    await store.delete("p")
    assert server.payloads(CARDS) == server.payloads(DOCUMENTS) == []


async def test_an_index_that_was_lost_is_not_held_and_can_be_built_again(
    server: FakeQdrantServer, connect: Connect
) -> None:
    running = connect()
    for damage in (DOCUMENTS, CARDS):
        await running.replace(HERE, ALL, VECTORS)
        server.engine.delete_collection(damage)
        assert not await connect().holds(HERE)
        if damage == DOCUMENTS:
            with pytest.raises(Unavailable, match="has only a part of this project") as raised:
                await tables(running)
            assert "Ask again" in raised.value.hint
        assert not await running.holds(HERE)
    await running.replace(HERE, ALL, VECTORS)
    assert await tables(running) == ["orders", "customers"]


async def test_an_index_that_lost_documents_is_not_held(server: FakeQdrantServer, connect: Connect) -> None:
    await connect().replace(HERE, ALL, VECTORS)
    [one, *_], _ = server.engine.scroll(DOCUMENTS, limit=1)
    server.engine.delete(DOCUMENTS, [one.id])
    assert not await connect().holds(HERE)


async def test_several_processes_may_write_the_same_edition_at_once(server: FakeQdrantServer, connect: Connect) -> None:
    stores = [connect() for _ in range(4)]
    await asyncio.gather(*(store.replace(HERE, ALL, VECTORS) for store in stores))
    for store in [*stores, connect()]:
        assert await store.holds(HERE)
        assert await tables(store) == ["orders", "customers"]


async def test_a_search_that_a_writer_overtakes_begins_again(server: FakeQdrantServer, connect: Connect) -> None:
    reader, writer = connect(), connect()
    await writer.replace(HERE, ALL, VECTORS)
    server.hold = "query"
    search = asyncio.create_task(tables(reader))
    async with asyncio.timeout(5):
        while not server.requests["POST /collections/{name}/points/query/batch"]:
            await asyncio.sleep(0.005)
    await writer.replace(HERE, [Document(Kind.TABLE, "new", "orders")], VECTORS[:1])
    assert len(server.payloads(DOCUMENTS)) == 1
    server.release.set()
    assert await search == ["new"]


async def test_services_with_prefixes_of_their_own_share_nothing(connect: Connect) -> None:
    one, other = connect(collection_prefix="one"), connect(collection_prefix="one_documents_3")
    await one.replace(HERE, ALL, VECTORS)
    assert not await other.holds(HERE)
    await other.replace(HERE, ALL[:1], VECTORS[:1])
    await other.delete("p")
    assert await tables(one) == ["orders", "customers"]


async def test_documents_are_sent_in_bounded_batches(server: FakeQdrantServer, connect: Connect) -> None:
    many = [Document(Kind.COLUMN, "orders", f"column {n}", str(n)) for n in range(200)]
    await connect().replace(HERE, many, np.tile(unit(1, 0, 0), (200, 1)))
    assert server.requests["PUT /collections/{name}/points"] == 4 + 1  # and the card


def test_a_missing_package_is_named_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("askwell.providers.document_store.qdrant")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "qdrant_client", None)  # as if it were not installed
    with pytest.raises(ConfigurationError, match="qdrant_client is not installed") as caught:
        create_document_store(DocumentStoreConfig(provider="qdrant", location="http://127.0.0.1:9"))
    assert "askwell[qdrant]" in caught.value.hint
