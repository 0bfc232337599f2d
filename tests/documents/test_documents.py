"""Documents over HTTP: they come, are found, are replaced, and go without a trace."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from tests.fakes.qdrant_server import FakeQdrantServer
from tests.support.embedding_server import Embedding
from tests.support.service import Client, running_service, write_config

from .making import encrypted_pdf, pdf_file, word_file

pytestmark = pytest.mark.asyncio(loop_scope="module")

RETURNS = "# Returns\n\nCustomers may send goods back within thirty days.\n\n# Delivery\n\nThe van leaves on Tuesdays."
SHIFTS = "# Night shifts\n\nWhoever works at night gets a supplement of a quarter of the hourly wage."
CANARY = "xylophone-4711"


class InProject:
    """The service as one project of it is called."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self.project_id = project_id

    async def call(self, method: str, path: str, **more: Any) -> tuple[int, Any]:
        if "json" in more:
            more["json"] = {"project_id": self.project_id} | more["json"]
        elif "data" in more:
            more["data"].add_field("project_id", self.project_id)
        else:
            path += f"{'&' if '?' in path else '?'}project_id={self.project_id}"
        return await self._client.call(method, path, **more)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Client, Path]]:
    folder = tmp_path_factory.mktemp("documents")
    async with serving(folder) as client:
        yield client, folder


@pytest.fixture
def service(shared: tuple[Client, Path]) -> InProject:
    return InProject(shared[0], f"p{uuid.uuid4().hex[:8]}")


@asynccontextmanager
async def serving(folder: Path, **more: Any) -> AsyncIterator[Client]:
    async with running_service(write_config(folder, **more)) as service:
        yield service


async def ended(service: Client | InProject, event_id: str) -> dict[str, Any]:
    for _ in range(600):
        status, event = await service.call("GET", f"/v1/documents/events/{event_id}")
        assert status == 200, event
        if event["status"] not in ("indexing", "deleting"):
            found: dict[str, Any] = event
            return found
        await asyncio.sleep(0.02)
    raise AssertionError("the event did not end")


async def add(service: Client | InProject, title: str, text: str, **more: Any) -> dict[str, Any]:
    status, started = await service.call("POST", "/v1/documents", json={"title": title, "text": text, **more})
    assert status == 202, started
    return await ended(service, started["event_id"])


async def send(service: Client | InProject, name: str, content: bytes, **fields: str) -> tuple[int, Any]:
    form = aiohttp.FormData()
    form.add_field("file", content, filename=name)
    for field, value in fields.items():
        form.add_field(field, value)
    return await service.call("POST", "/v1/documents", data=form)


async def search(service: Client | InProject, query: str, **more: Any) -> list[dict[str, Any]]:
    status, found = await service.call("POST", "/v1/documents/search", json={"query": query, "min_score": 0, **more})
    assert status == 200, found
    passages: list[dict[str, Any]] = found["passages"]
    return passages


async def test_a_change_of_another_project_than_the_one_said_is_unknown(shared: tuple[Client, Path]) -> None:
    client, _ = shared
    own, other = (InProject(client, f"p{uuid.uuid4().hex[:8]}") for _ in range(2))
    event_id = (await add(own, "Wages", SHIFTS))["event_id"]
    for path in (f"/v1/documents/events/{event_id}", f"/v1/documents/events/{event_id}/events"):
        assert (await own.call("GET", path))[0] == 200
        assert (await other.call("GET", path))[0] == 404, path


async def test_a_document_is_found_by_what_stands_in_it(service: InProject) -> None:
    event = await add(service, "Shop rules", RETURNS, tags=["rules"])
    await add(service, "Wages", SHIFTS)
    assert (event["status"], event["chunks"]) == ("finished", 2)
    [first, *_] = await search(service, "how many days may customers send goods back")
    assert (first["title"], first["locator"]) == ("Shop rules", "Returns")
    assert first["text"] == "Customers may send goods back within thirty days."
    [of_tag, *_] = await search(service, "hourly wage supplement at night", tags=["rules"])
    assert of_tag["title"] == "Shop rules"
    status, chunks = await service.call("GET", f"/v1/documents/{event['document_id']}/chunks")

    assert (status, chunks["total"], chunks["chunks"][1]["locator"]) == (200, 2, "Delivery")


async def test_files_of_a_form(service: InProject) -> None:
    """Each format, with what is said of it beside the file."""
    for name, content in (
        ("night_shifts.md", SHIFTS.encode()),
        ("shifts.pdf", pdf_file("Whoever works at night gets a supplement.")),
        ("shifts.docx", word_file("# Nights", "Whoever works at night gets a supplement.")),
    ):
        status, started = await send(service, name, content, id=name, tags="hr,wages", source="intranet")
        assert status == 202, started
        assert started["document_id"] == name
        assert (await ended(service, started["event_id"]))["status"] == "finished"
    status, page = await service.call("GET", "/v1/documents")
    assert (status, page["total"]) == (200, 3)
    first = page["documents"][0]
    assert (first["title"], first["tags"], first["source"]) == ("night shifts", ["hr", "wages"], "intranet")
    assert {one["document_id"] for one in await search(service, "supplement at night")} == {
        "night_shifts.md",
        "shifts.pdf",
        "shifts.docx",
    }


async def test_what_comes_again_takes_the_place_of_what_was_there(service: InProject) -> None:
    """By its id; and a text that cannot be read leaves the one before."""
    await add(service, "Rules", RETURNS, id="rules")
    await add(service, "Rules", RETURNS.replace("thirty", "sixty"), id="rules")
    assert (await search(service, "days to send goods back"))[0]["text"].endswith("sixty days.")
    status, started = await send(service, "rules.pdf", encrypted_pdf(), id="rules")
    assert status == 202
    event = await ended(service, started["event_id"])
    assert (event["status"], event["error"]["code"]) == ("failed", "UNREADABLE_DOCUMENT")
    _, document = await service.call("GET", "/v1/documents/rules")
    assert (document["status"], document["chunks"]) == ("failed", 2)
    assert "encrypted" in document["error"]["message"]
    assert (await search(service, "days to send goods back"))[0]["text"].endswith("sixty days.")


async def test_nothing_is_left_of_a_document_that_is_removed(service: InProject, shared: tuple[Client, Path]) -> None:
    """Neither in the record nor in the index."""
    event = await add(service, "Secret", f"The word is {CANARY}.")
    await add(service, "Rules", RETURNS)
    assert any(CANARY in one["text"] for one in await search(service, CANARY))
    status, started = await service.call("DELETE", f"/v1/documents/{event['document_id']}")
    assert status == 202
    assert (await ended(service, started["event_id"]))["status"] == "finished"
    assert not any(CANARY in one["text"] for one in await search(service, CANARY))
    assert (await service.call("GET", f"/v1/documents/{event['document_id']}"))[0] == 404
    assert (await service.call("DELETE", f"/v1/documents/{event['document_id']}"))[0] == 404
    with contextlib.closing(sqlite3.connect(shared[1] / "home" / "record.sqlite")) as record:
        assert CANARY not in "\n".join(record.iterdump())


async def test_projects_see_their_own(service: InProject, shared: tuple[Client, Path]) -> None:
    """Ids, lists, searches and events of another project are not there."""
    other = InProject(shared[0], "other")
    event = await add(service, "Secret", f"The word is {CANARY}.", id="secret")
    assert await search(other, CANARY) == []
    for path in ("secret", "secret/chunks", f"events/{event['event_id']}"):
        assert (await other.call("GET", f"/v1/documents/{path}"))[0] == 404
    assert (await other.call("DELETE", "/v1/documents/secret"))[0] == 404
    assert (await other.call("GET", "/v1/documents"))[1] == {"documents": [], "total": 0}
    assert len(await search(service, CANARY)) == 1


async def test_what_was_accepted_is_read_after_a_restart(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        status, _ = await send(service, "rules.md", RETURNS.encode(), id="rules")
        assert status == 202
    async with serving(tmp_path) as service:
        for _ in range(300):
            _, document = await service.call("GET", "/v1/documents/rules")
            if document["status"] == "indexed":
                break
            await asyncio.sleep(0.02)
        assert (document["status"], document["chunks"]) == ("indexed", 2), document.get("error")
        assert (await search(service, "goods back"))[0]["document_id"] == "rules"


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [("a.exe", b"MZ\x90", 422), ("a.pdf", b"no", 422), ("a.md", b" ", 422), ("big.txt", b"a " * 11_000_000, 413)],
    ids=["program", "no pdf", "empty", "22 MB"],
)
async def test_what_cannot_be_taken_is_refused_at_once(
    service: InProject, name: str, content: bytes, code: int
) -> None:
    status, told = await send(service, name, content)

    assert (status, bool(told["hint"])) == (code, True), told


async def test_the_same_key_is_the_same_document(service: InProject) -> None:
    body, headers = {"title": "Rules", "text": RETURNS}, {"Idempotency-Key": "k1"}
    first, second = [await service.call("POST", "/v1/documents", json=body, headers=headers) for _ in range(2)]
    assert first == second
    other = await service.call("POST", "/v1/documents", json=body | {"text": SHIFTS}, headers=headers)
    assert other[0] == 422
    await ended(service, first[1]["event_id"])
    assert (await service.call("GET", "/v1/documents"))[1]["total"] == 1


async def test_documents_that_come_one_after_the_other_are_not_indexed_anew_for_each(tmp_path: Path) -> None:
    """Each text is embedded once, and what is written to the index grows with the documents, not with their square."""
    count = 20
    async with Embedding({}) as server, FakeQdrantServer() as store:
        more = {
            "embedder": {
                "default": {"provider": "openai", "model": "e", "dimensions": 384, "api_base": server.api_base}
            },
            "document_store": {"provider": "qdrant", "location": store.location},
        }
        async with serving(tmp_path, **more) as service:
            for number in range(count):
                event = await add(service, f"Rule {number}", f"The rule of room number {number} is quiet.")
                assert event["status"] == "finished"
            embedded = list(server.embedded)
            assert len(embedded) == len(set(embedded)) == 2 * count
            [found] = await search(service, "Rule of room number 17", top_k=1)
            assert found["title"] == "Rule 17"
            assert server.embedded[len(embedded) :] == ["Rule of room number 17"]
            # Each time all of them: 420.
            assert store.written <= 4 * count
            _, started = await service.call("DELETE", f"/v1/documents/{found['document_id']}")
            assert (await ended(service, started["event_id"]))["status"] == "finished"
            assert "Rule 17" not in str(store.payloads("askwell_documents_384"))


async def test_a_document_that_could_not_be_embedded_is_when_somebody_searches(tmp_path: Path) -> None:
    """Its event says that it failed, and nothing that was read is lost."""
    async with Embedding({}) as server:
        embedder = {"provider": "openai", "model": "e", "dimensions": 384, "api_base": server.api_base}
        async with serving(tmp_path, embedder={"default": embedder}) as service:
            server.away = True
            event = await add(service, "Rules", RETURNS, id="rules")
            assert (event["status"], bool(event["error"]["hint"])) == ("failed", True)
            _, document = await service.call("GET", "/v1/documents/rules")
            assert (document["status"], document["chunks"]) == ("indexed", 2)
            server.away = False
            assert (await search(service, "goods back"))[0]["document_id"] == "rules"


async def test_documents_are_indexed_when_no_more_come(tmp_path: Path) -> None:
    async with FakeQdrantServer() as store:
        place = {"provider": "qdrant", "location": store.location}
        async with serving(tmp_path, document_store=place) as service:
            await add(service, "Rules", RETURNS)
            async with asyncio.timeout(20):
                while "thirty days" not in str([store.payloads(one.name) for one in _collections(store)]):
                    await asyncio.sleep(0.05)


async def test_documents_are_indexed_after_a_start_before_anybody_searches(tmp_path: Path) -> None:
    async with Embedding({}) as server:

        def embedder(model: str) -> dict[str, Any]:
            place = {"provider": "openai", "model": model, "dimensions": 384, "api_base": server.api_base}
            return {"default": place}

        async with serving(tmp_path, embedder=embedder("old")) as service:
            await service.prepare()
            await add(service, "Rules", RETURNS)
        server.embedded.clear()
        async with running_service(write_config(tmp_path, embedder=embedder("new")), lasting=True):
            async with asyncio.timeout(20):
                while not any("thirty days" in text for text in server.embedded):
                    await asyncio.sleep(0.02)


def _collections(store: FakeQdrantServer) -> Any:
    return store.engine.get_collections().collections
